"""Partitions, machines and dispatched work by clock hour: means by time, what is unknown, and what is left out. Worked by hand."""

from collections.abc import Sequence

import pytest
from one_lake import Found, Rows, examples, shown
from rmf_rows import processor
from views_lake import Row, heading, span

approx = pytest.approx


def _page(minute: float, seconds: float, **other: object) -> Row:
    row = heading(scope=None)
    return row | {"sysplex": None, "system": "SYSA", "source_form": "print"} | span(minute, seconds) | other


def shared(minute: float, seconds: float, *used: float | None, system: str = "SYSA", **other: object) -> list[Row]:
    """A machine of 4 processors that LPA and LPB share by 300 and 100: 3 and 1; of each what it used, and none of *PHYSICAL*."""
    page = _page(minute, seconds, system=system) | {"mvs_partition": "LPA", "processor_type": "CP", "is_total": False}
    page |= {"dedicated": False, "physical_processors_cp": 4.0, "capping_wlm_pct": 10.0, "logical_processors": 4.0}
    names = (("LPA", 300.0), ("LPB", 100.0), ("*PHYSICAL*", None))
    return [
        page | {"partition": name, "weight": weight, "line": 10 + n, **dict.fromkeys(TIMES, engines and engines * seconds)} | other
        for n, ((name, weight), engines) in enumerate(zip(names, (*used, 0.0), strict=True))
    ]  # fmt: skip


TIMES = ("total_dispatch", "effective_dispatch")


def ready(minute: float, seconds: float, mvs: float | None, lpar: float | None, **other: object) -> Row:
    """A processor of SYSA that parks for no time."""
    named = {"parked_pct": 0.0, "polarization": "HIGH", "source_form": "print", "mvs_busy_pct": mvs}
    return processor(0, lpar) | span(minute, seconds) | named | other


def nulls(names: Sequence[str]) -> str:
    return f"[{', '.join(f'{name} IS NULL' for name in names)}]"


def partitions(*some: list[Row], **tables: list[Row]) -> Rows:
    return {"rmf_partition_data": [row for rows in some for row in rows], **tables}


# 900 s of 3 and 1,800 s of 1.5 of 4 engines: 2, 50%; the busiest 75%.
MACHINE = [*shared(0, 900, 2.0, 1.0), *shared(15, 1800, 1.0, 0.5)]
# The half hour counts; the quarter in it, and the report of the day, do not. Of 11:00 two sources say other things.
PRINTED = partitions(
    shared(0, 1800, 2.0, 1.0), shared(0, 900, 4.0, 0.0), shared(0, 3600, 4.0, 0.0, report_kind="duration"),
    shared(60, 900, 2.0, 1.0), shared(60, 900, 3.0, 1.0, source_id="s2"),
)  # fmt: skip
OF_PARTITION = ("used_engines", "entitled_engines", "use_of_entitlement_pct", "beyond_entitlement_engines", "capping_wlm_pct", "weight_share_pct",
 "logical_processors")  # fmt: skip
OF_WORK = ("engines_online", "engines_parked", "ready_engines", "busy_engines", "waiting_engines", "waiting_pct", "low_busy_engines")  # fmt: skip
# 900 s of 0.8 ready and 0.6 busy, 1,800 s of 0.2 and 0.15: 0.4 and 0.3, a quarter waits. A second processor is vertical low, parked half the time.
SECOND = {"processor_id": "1", "polarization": "LOW", "parked_pct": 50.0}
WORK = [ready(0, 900, 80.0, 60.0), ready(15, 1800, 20.0, 15.0), ready(0, 900, 0.0, 0.0, **SECOND), ready(15, 1800, 0.0, 0.0, **SECOND)]  # fmt: skip
LOW = {"polarization": "LOW"}


@examples(
    # 900 s of 4 and 1,800 s of 2.5 engines: 3, all of the 3 that weight gives. LPB: 0.5 and 1.25 of 1.
    ("partitions by time", partitions(shared(0, 900, 4.0, 0.5), shared(15, 1800, 2.5, 1.25, capping_wlm_pct=40.0)),
     f"partition, is_own, covered_s, dedicated, [r.line for r in refs], [{', '.join(OF_PARTITION)}] FROM partition_hour ORDER BY partition",
     [("LPA", True, 2700, False, [10], [approx(n) for n in (3, 3, 100, 0, 30, 75, 4)]),
      ("LPB", False, 2700, False, [11], [approx(n) for n in (1, 1, 100, 0, 30, 25, 4)])]),
    # Of one interval, and so of the hour.
    *((f"without {name}", partitions(shared(0, 900, 3.0, 1.0), shared(15, 900, 3.0, 1.0, **Row({name: None}))),
       f"{nulls(OF_PARTITION)} FROM partition_hour WHERE is_own",
       [([of in unknown for of in OF_PARTITION],)]) for name, unknown in (
          ("total_dispatch", ["used_engines", "use_of_entitlement_pct", "beyond_entitlement_engines"]),
          ("physical_processors_cp", ["entitled_engines", "use_of_entitlement_pct", "beyond_entitlement_engines"]),
          ("capping_wlm_pct", ["capping_wlm_pct"]))),
    ("partitions printed otherwise", PRINTED, "covered_s, used_engines, entitled_engines FROM partition_hour WHERE is_own ORDER BY hour_start",
     [(1800, approx(2), approx(3)), (900, None, None)]),
    ("machines printed otherwise", PRINTED, "covered_s, physical_busy_pct FROM machine_hour ORDER BY hour_start", [(1800, approx(75)), (900, None)]),
    # Named as CPU Activity does; SYSB prints no sequence code.
    ("machines by time", partitions(MACHINE, shared(0, 900, 1.0, 1.0, system="SYSB", source_id="s2"),
     rmf_cpu_activity=[ready(0, 900, 50.0, 50.0, sequence_code="0123")]),
     "machine, covered_s, partitions, shared_engines, busy_engines, physical_busy_pct, physical_busy_max_pct, logical_per_physical, management_engines,"
     " refs[1].line FROM machine_hour ORDER BY system",
     [("0123", 2700, 2, 4, approx(2), approx(50), approx(75), approx(2), approx(0), 10), (None, 900, 2, 4, approx(2), approx(50), approx(50),
      approx(2), approx(0), 10)]),
    ("a partition lost once", partitions(shared(0, 900, 2.0, 1.0), shared(15, 900, None, 1.0)),
     "busy_engines, physical_busy_pct, physical_busy_max_pct, physical_engines FROM machine_hour", [(None, None, None, 4)]),
    ("dispatched work by time", {"rmf_cpu_activity": WORK}, f"covered_s, [{', '.join(OF_WORK)}] FROM dispatch_hour",
     [(2700, [approx(n) for n in (2, 0.5, 0.4, 0.3, 0.1, 25, 0)])]),
    *((f"without {name}", {"rmf_cpu_activity": [ready(0, 900, 80.0, 60.0, **LOW), ready(15, 900, 80.0, 60.0, **LOW | {name: None})]},
       f"{nulls(OF_WORK)} FROM dispatch_hour", [([of in unknown for of in OF_WORK],)]) for name, unknown in (
          ("mvs_busy_pct", ["ready_engines", "waiting_engines", "waiting_pct"]),
          ("lpar_busy_pct", ["busy_engines", "waiting_engines", "waiting_pct", "low_busy_engines"]), ("polarization", ["low_busy_engines"]))),
    # Nothing waits, and no share is known.
    ("no ready work", {"rmf_cpu_activity": [ready(0, 900, 0.0, 0.0)]}, "waiting_engines, waiting_pct FROM dispatch_hour", [(0, None)]),
    ("work that overlaps", {"rmf_cpu_activity": [
        ready(0, 1800, 40.0, 30.0), ready(15, 900, 80.0, 60.0), ready(0, 3600, 90.0, 90.0, report_kind="duration")]},
     "covered_s, ready_engines FROM dispatch_hour", [(1800, approx(0.4))]),
)  # fmt: skip
def test_hours(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
