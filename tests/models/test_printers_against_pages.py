"""Pages that sites have published, printed again from their numbers: the same lines, character by character.

Numbers are those of the page, with further digits where the page's own totals need them.
"""

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from ironlake.models.contents.common import Intervals
from ironlake.models.contents.coupling_facility import SYNCHRONOUS, CouplingFacility, Structure
from ironlake.models.contents.workload import (
    Category,
    Goal,
    OnSystem,
    Period,
    PolicySystem,
    ServiceClass,
    ServicePolicy,
    Work,
    WorkloadActivity,
)
from ironlake.models.printers.coupling_facility import print_coupling_facility
from ironlake.models.printers.workload import print_workload
from sample_pages import SHARED

REAL = SHARED / "real_reports"
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the published pages are not beside the project")


def published(name: str, asa: bool = False) -> list[str]:
    """The lines of a published page without carriage control and margin."""
    lines = (REAL / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [(line[1:] if asa else line).strip() for line in lines]


def assert_lines(printed: bytes, expected: Iterable[str]) -> None:
    lines = {line.strip() for line in printed.decode("ascii").splitlines()}
    for line in expected:
        assert line in lines, (line, *difflib.get_close_matches(line, lines, 1))


def between(lines: list[str], first: str, last: str) -> list[str]:
    """From the line that begins with `first` to the next that begins with `last`."""
    begin = next(at for at, line in enumerate(lines) if line.startswith(first))
    end = next(at for at, line in enumerate(lines) if at > begin and line.startswith(last))
    return lines[begin : end + 1]


def intervals(start: str, length_s: float, duration: bool = False) -> Intervals:
    return Intervals(np.array([start], "datetime64[s]"), length_s, duration)


def workload(release: str, when: Intervals, one: ServiceClass, activated: str, **policy: Any) -> WorkloadActivity:
    systems = (PolicySystem("SYS1", 91954.0),)
    names = ServicePolicy("BASEPOL", np.datetime64(activated), systems, **policy)
    return WorkloadActivity("UTCPLXCB", release, when, names, (one,))


def test_a_service_class_of_v2r2() -> None:
    work = Work(
        avg=253.2886, mpl=253.288628, ended=28, swaps=2828, conversion_s=0.224, deviation_s=0.465, actual_s=1.311,
        execution_s=0.143, queued_s=1.167, ssch_per_s=474.2, connect_ms=2.54, disconnect_ms=0.64, qpend_ms=0.14,
        ioc=2_237_310, cpu=356_803_000, srb=4_123_000, cpu_s=6153.266, srb_s=70.355, rct_s=0.325, iit_s=11.223,
        iip_s=180.186, iipcp_s=0.09, enq_s=0.002, lck_s=8.443, frames=13_425_085, shared_frames=95538.02,
    )  # fmt: skip
    one = ServiceClass("SYSSTC", "SYSTEM", (Period(1, 0, Goal("system"), work),), "STARTED TASK DEFAULT")
    report = workload("V2R2", intervals("2015-04-21T01:15:00", 900.0068), one, "2015-04-03T00:08:43", zaap=True)
    page = published("rmf_workload_activity__zos_v2r2_sysstc_system")
    kept = (line for line in between(page, "REPORT BY", "---") if line and not line.startswith("---"))
    assert_lines(print_workload(report), [*kept, *page[:2], page[3], page[5], page[7]])


def test_a_period_of_v2r3() -> None:
    work = Work(
        avg=46.51, mpl=46.4884, ended=11, swaps=971, actual_s=5.637787, execution_s=4.957964, queued_s=0.679822,
        conversion_s=0.19065, deviation_s=2.506325, ioc=23349, cpu=566_054, srb=24025, cpu_s=9.021, srb_s=0.383,
        rct_s=0.107, iit_s=0.012, lck_s=708_670.7, ssch_per_s=2.8, connect_ms=0.04, qpend_ms=0.02, frames=191_482.5,
        page_in_block_per_s=0.3, transactions=Category(9.36),
    )  # fmt: skip
    counts = np.array([[171, 3, 0, 2, 1, 4, 4, 11, 10, 14, 5, 8, 52, 612]])
    systems = (
        OnSystem(
            "CB8A",
            5,
            15.858951,
            counts,
            using_cpu=0.02,
            address_spaces=2.9,
            delays={"CPU": 0.03},
            unknown=0.1,
            idle=99.9,
        ),
        OnSystem("CB88", 6, 15.108366, address_spaces=1.5, using_cpu=0.02, delays={"CPU": 0.06}, idle=99.8),
    )
    one = ServiceClass("STCLOW", "STC_WLD", (Period(1, 3, Goal("average", 5), work, systems),))
    report = workload("V2R3", intervals("2016-12-19T02:45:00", 900.003), one, "2016-12-18T09:00:11")
    page = published("rmf_workload_activity__zos_v2r3_microseconds_importance_distributions")
    lines = [line for line in between(page, "POLICY=BASEPOL", "CB88") if line and not line.startswith("*ALL")]
    assert_lines(print_workload(report), [*page[:4], page[5], page[7], *lines])
    # The page has the distribution of another class, whose goal is half a second.
    half = ServiceClass("STCLOW", "STC_WLD", (Period(1, 3, Goal("average", 0.5), work, systems),))
    report = workload("V2R3", intervals("2016-12-19T02:45:00", 900.003), half, "2016-12-18T09:00:11")
    assert_lines(print_workload(report), page[page.index("----------RESPONSE TIME DISTRIBUTION----------") :])


def test_the_service_policy_page_of_v2r5() -> None:
    names = [f"SYS{number}" for number in range(1, 9)]
    policy = ServicePolicy(
        "POLICY01",
        np.datetime64("2021-02-23T09:24:27"),
        tuple(PolicySystem(name, 95808.4 if name == "SYS6" else 91954.0, "RS", 100, "Recovery") for name in names),
        "Policy Software Policy 01",
        "Policy01  Policy WLM Policy",
        np.datetime64("2021-02-23T09:24:20"),
        "TS5367",
        (0.0, 1.0, 1.0, 0.0),
    )
    when = intervals("2021-03-02T21:59:33", 3600, duration=True)
    report = WorkloadActivity("SYSPLEX1", "V2R5", when, policy, ())
    page = published("rmf_workload_activity__zos_v2r5_service_policy_page_asa", asa=True)
    # PAGE and the release of the data are those of other pages; each system there has an interval of its own; and the
    # coefficients stand one column left of where the pages of V2R2 and V2R3 have them.
    left_out = ("PAGE", "z/OS", "CONVERTED", "SYS1", "SYS2", "SYS3", "DISCRETIONARY")
    assert_lines(print_workload(report), [line for line in page if line and not line.startswith(left_out)])
    rows = {line.strip()[:45] for line in print_workload(report).decode().splitlines()}
    assert "SYS1       RS  91954.0  100 21.59.33  01.00.00"[:45] in rows


def requests(system: str, count: int = 0) -> dict[str, Any]:
    return {"system": system} | dict.fromkeys(SYNCHRONOUS, 0) | {"sync_requests": count}


def test_the_structures_of_a_coupling_facility() -> None:
    structure = Structure("STRUCT01", "LIST", 2**20, [requests(f"SYS{number}") for number in (1, 2, 3)])
    when = intervals("2021-03-01T19:44:34", 900, duration=True)
    page = published("rmf_coupling_facility_activity__zos_v2r5_list_structure_asa", asa=True)
    printed = print_coupling_facility(CouplingFacility("CF01", "PLEX01", "V2R5", when, (structure,)))
    assert_lines(printed, [line for line in page[7:] if line and not line.startswith("STRUCTURE")])
    rate = 10_380_000 / 5766.7
    entries = {"lock_entries_total": 4_194_000}, {"lock_entries_current": 2048}
    contentions = dict.fromkeys(
        ("contention_requests", "contention_deferred", "contention_total", "contention_false"), 0
    )
    systems = [requests("SYS1", 10_380_000) | contentions]
    lock = Structure("ISGLOCK", "LOCK", 47 * 2**20, systems, 0.7, *entries)
    other = Structure("OTHER", "LIST", 2**20, [requests("SYS1", 129_890_000)])
    facility = CouplingFacility(
        "CF03", "PLEX01", "V2R2", intervals("2016-11-22T03:00:00", rate), (lock, other), storage_bytes=50 * 2**30
    )
    page = published("rmf_coupling_facility_activity__zos_v2r2_usage_summary_async_duplexing")
    assert_lines(
        print_coupling_facility(facility), [line for line in between(page, "COUPLING FACILITY NAME", "0 ") if line]
    )
