"""Machines, partitions and dispatched work on the page of a lake: what is beyond a limit on the last day, what is not told."""

import datetime as dt

import pytest
from answering import Answering
from ironlake.dashboards.lake_page.facts.asked import Asked
from ironlake.dashboards.lake_page.facts.capacity import dispatch, machines, partitions
from ironlake.dashboards.lake_page.facts.found import Found
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import Intervals
from views_lake import Row, heading

FIRST, LAST = dt.date(2026, 11, 2), dt.date(2026, 11, 3)


def asked(**rows: list[Row]) -> Asked:
    return Asked(Answering(**rows), FIRST, LAST, Calendar(Intervals.none()), {"s1": "cpu.txt"})


def hour(day: int, at: int = 10, **other: object) -> Row:
    start = dt.datetime.combine(FIRST, dt.time(at)) + dt.timedelta(days=day)
    row = {k: v for k, v in heading(start, 3600).items() if not k.startswith("policy") and k != "scope"}
    return row | {"sysplex": None, "system": "SYSA", "source_form": "print"} | other


def shared(
    day: int, own: float | None, other: float, *, at: int = 10, system: str = "SYSA", **more: object
) -> list[Row]:
    """A machine of 4 CPs that the system's own partition and LPB share by 100 and 300: 1 and 3."""
    page = hour(day, at, system=system) | {"mvs_partition": f"LP{system}", "processor_type": "CP", "is_total": False}
    page |= {"dedicated": False, "physical_processors_cp": 4.0, "capping_wlm_pct": 0.0, "logical_processors": 4.0}
    rows = ((f"LP{system}", 100.0, own), ("LPB", 300.0, other), ("*PHYSICAL*", None, 0.0))
    return [
        page | {"partition": name, "weight": weight, "line": 10 + n}
        | dict.fromkeys(("total_dispatch", "effective_dispatch"), used if used is None else used * 3600) | more
        for n, (name, weight, used) in enumerate(rows)
    ]  # fmt: skip


def ready(
    day: int, mvs: float | None, lpar: float | None, *, engines: int = 4, at: int = 10, system: str = "SYSA"
) -> list[Row]:
    return [
        hour(day, at, system=system, processor_type="CP", processor_id=str(n), thread=0, is_total=False, line=30 + n)
        | {"online_pct": 100.0, "parked_pct": 0.0, "mvs_busy_pct": mvs, "lpar_busy_pct": lpar, "sequence_code": "0123"}
        for n in range(engines)
    ]


def sentences(found: Found) -> list[str]:
    return [one.happened.sentence for one in found.happened]


def test_a_partition_far_beyond_its_entitlement_is_told() -> None:
    """1 engine by weight: 1.6 and 2.4 on the last day, 3 on the day before."""
    rows = [*shared(0, 3.0, 1.0), *shared(1, 1.6, 1.0), *shared(1, 2.4, 1.0, at=11), *shared(1, 1.4, 1.0, at=12)]
    found = partitions(asked(rmf_partition_data=rows))
    assert sentences(found) == [
        "LPSYSA CP used 2.40 engines on Tue 3 Nov, 11:00, 240% of the 1.00 that its weight gives; 2 hours of 150% or more."
    ]
    assert found.happened[0].happened.source == "cpu.txt, page 1, line 10"
    (section,) = found.sections
    assert section.finding == "Most: LPSYSA CP, 300% of 1.00 engines on Mon 2 Nov, 10:00."
    # What the page prints of others is theirs to tell.
    assert set(section.rows.of("label")) == {"LPSYSA CP"}
    assert section.rows.of("entitled_engines") == [1, 1, 1, 1]


@pytest.mark.parametrize("used", [1.49, None])
def test_a_partition_that_is_not_far_beyond_is_not_told(used: float | None) -> None:
    found = partitions(asked(rmf_partition_data=[*shared(1, used, 1.0), *shared(0, 1.0, 1.0)]))
    assert found.sections
    assert not found.happened


def test_150_percent_of_little_is_not_told() -> None:
    """Half an engine is entitled, 0.9 used: 180%, and 0.4 engines more."""
    rows = shared(1, 0.9, 1.0)
    rows[0] |= {"logical_processors": 0.5}
    (section,) = (found := partitions(asked(rmf_partition_data=rows))).sections
    assert section.rows.of("use_of_entitlement_pct") == [180]
    assert not found.happened


def test_without_physical_processors_no_entitlement_is_told() -> None:
    found = partitions(asked(rmf_partition_data=shared(1, 3.0, 1.0, physical_processors_cp=None)))
    assert found.sections[0].finding == "What weights give is not known."
    assert found.sections[0].rows.of("entitled_engines") == [None]
    assert not found.happened


def test_capping_of_the_last_day_is_told() -> None:
    rows = [*shared(0, 0.5, 1.0, capping_wlm_pct=50.0), *shared(1, 0.5, 1.0, capping_wlm_pct=12.5)]
    rows += shared(1, 0.5, 1.0, at=11, capping_wlm_pct=0.0) + shared(1, 0.5, 1.0, at=12, capping_wlm_pct=None)
    found = partitions(asked(rmf_partition_data=rows))
    assert sentences(found) == ["LPSYSA CP: WLM capped it 12.5% of the time on Tue 3 Nov, 10:00; 1 hour with capping."]
    assert found.sections[0].rows.of("capping_wlm_pct") == [50, 12.5, 0, None]


def test_a_busy_machine_is_told_once_whichever_systems_print_it() -> None:
    """3.6 of 4 engines; SYSC is on a machine whose CPU Activity is not there, half busy."""
    rows = shared(1, 1.6, 2.0) + shared(1, 1.6, 2.0, system="SYSB") + shared(1, 1.0, 1.0, system="SYSC")
    pages = ready(1, 50.0, 50.0) + ready(1, 50.0, 50.0, system="SYSB")
    found = machines(asked(rmf_partition_data=rows, rmf_cpu_activity=pages))
    assert sentences(found) == [
        "Machine 0123, CP: 90.0% of the physical processors busy on Tue 3 Nov, 10:00; 1 hour of 90% or more."
    ]
    (section,) = found.sections
    assert section.finding == "Busiest: Machine 0123, 90.0% of 4.0 CP on Tue 3 Nov, 10:00."
    names = ("label", "systems", "physical_busy_pct")
    assert list(zip(*map(section.rows.of, names), strict=True)) == [
        ("Machine 0123", "SYSA,SYSB", 90),
        ("Machine of SYSC", "SYSC", 50),
    ]


def test_dedicated_processors_alone_are_no_busy_machine() -> None:
    rows = shared(1, 2.0, 2.0, dedicated=True, logical_processors=2.0, weight=None)
    assert machines(asked(rmf_partition_data=rows)) == Found()


def test_work_that_waits_is_told() -> None:
    """80% of 4 ready and 60 dispatched: 0.8 of 3.2. On one engine it is 0.2; on the day before half."""
    rows = ready(1, 80.0, 60.0) + ready(1, 90.0, 72.0, at=11) + ready(0, 80.0, 40.0)
    rows += ready(1, 80.0, 60.0, engines=1, system="SYSB") + ready(1, None, 60.0, at=12)
    found = dispatch(asked(rmf_cpu_activity=rows))
    assert sentences(found) == [
        "SYSA CP: 25% of the ready work waited for a physical processor on Tue 3 Nov, 10:00, 0.80 of 3.20 engines; 2 hours of 20% or more."
    ]
    (section,) = found.sections
    assert section.finding == "Most: SYSA CP, 50.0% of 3.20 engines of ready work on Mon 2 Nov, 10:00."
    assert section.rows.of("ready_engines") == [3.2, 3.2, 3.6, None, 0.8]


@pytest.mark.parametrize(
    ("lpar", "said"),
    [
        (79.99, "Less than 0.1% of the ready work waited."),
        (80.01, "Less than 0.1% of the ready work waited."),
        (None, "What was dispatched is not known."),
    ],
)
def test_where_nothing_waits_or_is_known_nothing_is_named(lpar: float | None, said: str) -> None:
    """0.01 of 80; rounding can make it less than nothing."""
    assert dispatch(asked(rmf_cpu_activity=ready(1, 80.0, lpar))).sections[0].finding == said


def test_a_lake_without_such_reports_has_no_such_sections() -> None:
    nothing = asked()
    assert machines(nothing) == partitions(nothing) == dispatch(nothing) == Found()
