"""Partitions, machines and dispatched work by clock hour: means by time, what is unknown, and what is left out. Worked by hand."""

import pytest
from rmf_rows import processor
from views_lake import Row, heading, one_row, span


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


def test_partitions_are_means_by_time():
    """900 s of 4 and 1,800 s of 2.5 engines: 3, all of the 3 that weight gives. LPB: 0.5 and 1.25 of 1."""
    lake = yield {"rmf_partition_data": [*shared(0, 900, 4.0, 0.5), *shared(15, 1800, 2.5, 1.25, capping_wlm_pct=40.0)]}
    own, other = lake.rows("FROM partition_hour ORDER BY partition")
    assert (own["partition"], own["is_own"], own["covered_s"], own["dedicated"]) == ("LPA", True, 2700, False)
    assert (own["used_engines"], own["entitled_engines"], own["use_of_entitlement_pct"]) == pytest.approx((3, 3, 100))
    assert (own["beyond_entitlement_engines"], own["capping_wlm_pct"]) == pytest.approx((0, 30))
    assert (own["weight_share_pct"], own["logical_processors"]) == pytest.approx((75, 4))
    assert (other["is_own"], other["use_of_entitlement_pct"]) == (False, pytest.approx(100))
    assert [ref["line"] for ref in own["refs"]] == [10]


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ({"total_dispatch": None}, {"used_engines", "use_of_entitlement_pct", "beyond_entitlement_engines"}),
        (
            {"physical_processors_cp": None},
            {"entitled_engines", "use_of_entitlement_pct", "beyond_entitlement_engines"},
        ),
        ({"capping_wlm_pct": None}, {"capping_wlm_pct"}),
    ],
)
def test_what_is_unknown_of_one_interval_is_unknown_of_the_hour(change: Row, unknown: set[str]):
    lake = yield {"rmf_partition_data": [*shared(0, 900, 3.0, 1.0), *shared(15, 900, 3.0, 1.0, **change)]}
    row = one_row(lake, "FROM partition_hour WHERE is_own")
    assert {name for name, value in row.items() if value is None} - {"utc_offset_minutes"} == unknown


def test_what_is_printed_differently_overlaps_or_is_a_duration_report():
    """The half hour counts; the quarter in it, and the report of the day, do not. Of 11:00 two sources say other things."""
    rows = [*shared(0, 1800, 2.0, 1.0), *shared(0, 900, 4.0, 0.0), *shared(0, 3600, 4.0, 0.0, report_kind="duration")]
    lake = yield {"rmf_partition_data": [*rows, *shared(60, 900, 2.0, 1.0), *shared(60, 900, 3.0, 1.0, source_id="s2")]}
    first, second = lake.rows("FROM partition_hour WHERE is_own ORDER BY hour_start")
    assert (first["covered_s"], first["used_engines"]) == (1800, pytest.approx(2))
    assert (second["covered_s"], second["used_engines"], second["entitled_engines"]) == (900, None, None)
    first, second = lake.rows("FROM machine_hour ORDER BY hour_start")
    assert (first["covered_s"], first["physical_busy_pct"], second["physical_busy_pct"]) == (
        1800,
        pytest.approx(75),
        None,
    )


def test_machines_are_means_by_time_and_named_as_cpu_activity_does():
    """900 s of 3 and 1,800 s of 1.5 of 4 engines: 2, 50%; the busiest 75%. SYSB prints no sequence code."""
    rows = [*shared(0, 900, 2.0, 1.0), *shared(15, 1800, 1.0, 0.5)]
    lake = yield {
        "rmf_partition_data": [*rows, *shared(0, 900, 1.0, 1.0, system="SYSB", source_id="s2")],
        "rmf_cpu_activity": [ready(0, 900, 50.0, 50.0, sequence_code="0123")],
    }
    a, b = lake.rows("FROM machine_hour ORDER BY system")
    assert (a["machine"], a["covered_s"], a["partitions"], a["shared_engines"]) == ("0123", 2700, 2, 4)
    assert (a["busy_engines"], a["physical_busy_pct"], a["physical_busy_max_pct"]) == pytest.approx((2, 50, 75))
    assert (a["logical_per_physical"], a["management_engines"]) == pytest.approx((2, 0))
    assert [ref["line"] for ref in a["refs"]] == [10]
    assert (b["machine"], b["physical_busy_pct"]) == (None, pytest.approx(50))


def test_a_machine_with_a_lost_partition_in_one_interval_is_unknown_for_the_hour():
    rows = [*shared(0, 900, 2.0, 1.0), *shared(15, 900, None, 1.0)]
    row = one_row((yield {"rmf_partition_data": rows}), "FROM machine_hour")
    names = ("busy_engines", "physical_busy_pct", "physical_busy_max_pct")
    assert [row[name] for name in names] == [None] * 3
    assert row["physical_engines"] == 4


def test_ready_and_dispatched_are_means_by_time():
    """900 s of 0.8 ready and 0.6 busy, 1,800 s of 0.2 and 0.15: 0.4 and 0.3, a quarter waits. A second processor is vertical low, parked half the time."""
    second = {"processor_id": "1", "polarization": "LOW", "parked_pct": 50.0}
    rows = [ready(0, 900, 80.0, 60.0), ready(15, 1800, 20.0, 15.0)]
    rows += [ready(0, 900, 0.0, 0.0, **second), ready(15, 1800, 0.0, 0.0, **second)]
    row = one_row((yield {"rmf_cpu_activity": rows}), "FROM dispatch_hour")
    assert (row["covered_s"], row["engines_online"], row["engines_parked"]) == (2700, 2, 0.5)
    assert (row["ready_engines"], row["busy_engines"]) == pytest.approx((0.4, 0.3))
    assert (row["waiting_engines"], row["waiting_pct"], row["low_busy_engines"]) == pytest.approx((0.1, 25, 0))


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ({"mvs_busy_pct": None}, {"ready_engines", "waiting_engines", "waiting_pct"}),
        ({"lpar_busy_pct": None}, {"busy_engines", "waiting_engines", "waiting_pct", "low_busy_engines"}),
        ({"polarization": None}, {"low_busy_engines"}),
    ],
)
def test_what_a_processor_does_not_print_once_is_unknown_of_the_hour(change: Row, unknown: set[str]):
    low = {"polarization": "LOW"}
    rows = [ready(0, 900, 80.0, 60.0, **low), ready(15, 900, 80.0, 60.0, **low | change)]
    row = one_row((yield {"rmf_cpu_activity": rows}), "FROM dispatch_hour")
    assert {name for name, value in row.items() if value is None} - {"utc_offset_minutes"} == unknown


def test_of_an_hour_without_ready_work_nothing_waits_and_no_share_is_known():
    row = one_row((yield {"rmf_cpu_activity": [ready(0, 900, 0.0, 0.0)]}), "FROM dispatch_hour")
    assert (row["waiting_engines"], row["waiting_pct"]) == (0, None)


def test_dispatched_work_that_overlaps_counts_once():
    rows = [ready(0, 1800, 40.0, 30.0), ready(15, 900, 80.0, 60.0), ready(0, 3600, 90.0, 90.0, report_kind="duration")]
    row = one_row((yield {"rmf_cpu_activity": rows}), "FROM dispatch_hour")
    assert (row["covered_s"], row["ready_engines"]) == (1800, pytest.approx(0.4))
