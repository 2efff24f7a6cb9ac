"""Partitions, machines and dispatched work by clock hour: means by time, what is unknown, and what is left out. Worked by hand."""

import pytest
from one_lake import Asks, each
from rmf_rows import processor, service_class
from views_lake import Row, expect, heading, one_row, span


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


# --- interval_load: what waited for processors, once per interval, from print or XML


def page(**other: object) -> Row:
    """The heading of a page of SYSA."""
    row = processor(0, 0.0)
    for name in ("is_total", "thread", "processor_type", "processor_id", "online_pct", "lpar_busy_pct"):
        del row[name]
    return row | {"source_form": "print"} | other


def every_part(**other: object) -> dict[str, list[Row]]:
    """Of 7.9 address spaces ready on average, 71.4% of the samples found no more work units than processors."""
    head = page(**other)
    return {
        "rmf_address_space_count": [
            head | {"in_ready_avg": 7.9, "in_ready_max": 47.0, "in_avg": 120.6, "stc_avg": 149.7}
        ],
        "rmf_work_unit_queue": [
            head | {"relation": "<=", "above_n": 0, "samples_pct": 71.4, "line": 24},
            head | {"relation": "=", "above_n": 1, "samples_pct": 8.3, "line": 25},
            head | {"relation": "<=", "above_n": 5, "samples_pct": 20.3, "line": 26},
        ],
        "rmf_work_unit": [
            head | {"processor_type": "CP", "work_units_avg": 4.6, "processors_unparked_avg": 2.4, "line": 43},
            head | {"processor_type": "IIP", "work_units_avg": 1.3, "processors_unparked_avg": 2.4, "line": 44},
        ],
        "rmf_blocked_workload": [
            head | {"waiters_avg": 0.027, "waiters_peak": 6.0, "promotes_used_pct": 13.0, "line": 48}
        ],
    }


EXPECTED = {
    "in_ready_avg": 7.9,
    "in_ready_max": 47.0,
    "in_avg": 120.6,
    "stc_avg": 149.7,
    "work_units_cp_avg": 4.6,
    "work_units_iip_avg": 1.3,
    "processors_unparked_avg": 2.4,
    # 100 - 71.4
    "waiting_samples_pct": pytest.approx(28.6),
    "blocked_waiters_avg": 0.027,
    "blocked_waiters_peak": 6.0,
    "promotes_used_pct": 13.0,
}


def test_the_parts_of_an_interval_are_one_row():
    (row,) = (yield every_part()).rows("FROM interval_load")
    assert {name: row[name] for name in EXPECTED} == EXPECTED
    assert row["batch_avg"] is None
    assert [ref["line"] for ref in row["refs"]] == [30, 24, 43, 44, 48]


def test_print_and_xml_of_an_interval_are_one_row_and_print_counts():
    printed, document = every_part(), every_part(source_form="xml", source_id="s9")
    document["rmf_blocked_workload"][0]["waiters_peak"] = 60.0
    del document["rmf_address_space_count"]
    lake = yield {name: [*rows, *document.get(name, ())] for name, rows in printed.items()}
    (row,) = lake.rows("FROM interval_load")
    assert {name: row[name] for name in EXPECTED} == EXPECTED


def test_two_prints_that_differ_are_unknown():
    rows = every_part()
    rows["rmf_work_unit_queue"].append(rows["rmf_work_unit_queue"][0] | {"samples_pct": 50.0, "source_id": "s9"})
    rows["rmf_work_unit"].append(rows["rmf_work_unit"][0] | {"work_units_avg": 4.7, "source_id": "s9"})
    (row,) = (yield rows).rows("FROM interval_load")
    assert (row["waiting_samples_pct"], row["work_units_cp_avg"], row["work_units_iip_avg"]) == (None, None, 1.3)


def test_an_interval_with_one_part_has_the_others_unknown():
    (row,) = (yield {"rmf_blocked_workload": every_part()["rmf_blocked_workload"]}).rows("FROM interval_load")
    assert (row["blocked_waiters_avg"], row["in_ready_avg"], row["waiting_samples_pct"]) == (0.027, None, None)


def test_a_share_that_cannot_be_read_is_not_taken_from_the_other_buckets():
    rows = every_part()
    rows["rmf_work_unit_queue"][0]["samples_pct"] = None
    (row,) = (yield rows).rows("FROM interval_load")
    assert row["waiting_samples_pct"] is None


# --- Two threads a core: both readings of APPL % IIP, work and capacity of zIIPs, worked by hand


def cores(max_cf: float | None, cf: float | None, threads: int = 2, **other: object) -> Row:
    at = heading(line=60, scope=None, sysplex=None, system="SYSA", processor_type="IIP", threads_per_core=threads)
    return at | {"capacity_factor_max": max_cf, "capacity_factor": cf} | other


def page_of_threads(iip: float, seconds: float | None, **other: object) -> Row:
    """CP 2.94% in 60 s, 60 transactions: 29.4 ms each on general processors."""
    return service_class("CICS", 2.94, appl_iip_pct=iip, iip_time_s=seconds, transactions_ended=60) | other


def cost(pages: list[Row], *threads: Row) -> Asks[tuple[float | None, str]]:
    row = (yield {"rmf_workload_activity": pages, "rmf_multithreading": threads}).rows(
        "FROM cpu_by_class ORDER BY refs"
    )[-1]
    return row["cpu_ms_per_transaction"], row["ziip_time_source"]


def test_time_of_one_thread_on_both_readings():
    """SERVICE TIME 56.25 s of 60 is 93.75%: with 2.94 on general processors 966.9 ms a transaction, whether APPL % is 93.75, of the interval,
    or 75.00, of interval x MAX CF 1.25; APPL % alone would say 779.4 of the latter."""
    two = [cost([page_of_threads(appl, 56.25)], cores(1.25, 1.2)) for appl in (75.0, 93.75)]
    # One thread, or a page that says nothing of threads: as printed.
    one = cost([page_of_threads(75.0, 56.25)], cores(1.0, 1.0, 1)), cost([page_of_threads(75.0, 56.25)])
    expected = [(pytest.approx(966.9), "service_time")] * 2 + [(pytest.approx(779.4), "appl")] * 2
    assert (yield from each(*two, *one)) == expected


def test_a_class_without_service_times_is_read_as_the_others_of_its_page():
    """The largest shows 93.75 / 75 = 1.25: 40.00% of interval x MAX CF are 50.00, and with CP 2.94 529.4 ms. Or 1: 429.4 ms. A page that shows
    neither 1 nor 1.25 leaves both open."""
    small = page_of_threads(40.0, None, line=40, service_class="SMALL")
    of_largest = [cost([page_of_threads(appl, 56.25), small], cores(1.25, 1.2)) for appl in (75.0, 93.75, 85.0)]
    others = cost([small], cores(1.25, 1.2)), cost([page_of_threads(75.0, 56.25), small], cores(None, None))
    assert (yield from each(*of_largest, *others)) == [
        (pytest.approx(529.4), "appl_x_max_cf"), (pytest.approx(429.4), "appl"), *[(None, "unknown")] * 3,
    ]  # fmt: skip


@pytest.mark.parametrize("appl", [123.5, 88.21])
def test_captured_of_the_work_of_cores(appl: float):
    """74.1 s of zIIP time in 60 s, 1.235 engines, on 2 zIIPs of LPAR BUSY 50: 1 core, which with CF 1.3 did 1.3 engines of work: 95.0%.
    APPL % 123.50, or 88.21 of interval x 1.4. Against the time of cores it would be 123.5%."""
    lake = yield {
        "rmf_workload_activity": [page_of_threads(appl, 74.1)],
        "rmf_cpu_activity": [processor(0, 50.0), *(processor(n, 50.0, kind="IIP") for n in (1, 2))],
        "rmf_multithreading": [cores(1.4, 1.3), cores(1.0, 1.0, 1, processor_type="CP", line=61)],
    }
    cp, ziip = lake.rows("FROM capture_ratio ORDER BY processor_type")
    assert (ziip["engines_online"], ziip["engines_busy"], ziip["engines_work"]) == pytest.approx((2, 1, 1.3))
    assert (ziip["capture_ratio_pct"], ziip["engines_uncaptured"]) == pytest.approx((95, 0.065))
    assert ziip["ziip_time_source"] == "service_time"
    assert (cp["engines_work"], cp["capture_ratio_pct"]) == pytest.approx((0.5, 5.88))


def test_two_threads_hold_more_than_a_core():
    """2 zIIPs of LPAR BUSY 90: 1.8 cores, with CF 1.31 2.358 engines of work; 0.4 more are 2.758 of 2 x 1.4 = 2.8: 98.5%, and fit. In time of
    cores it would be 2.2 of 2, 110%."""
    rows = [service_class("CICS", 60.0, appl_iip_pct=200.0, iip_time_s=120.0, appl_iipcp_pct=40.0)]
    processors = [processor(0, 70.0), *(processor(n, 90.0, kind="IIP") for n in (1, 2))]
    pages = {"rmf_workload_activity": rows, "rmf_cpu_activity": processors}
    lakes = yield [pages | {"rmf_multithreading": [cores(1.4, cf)]} for cf in (1.31, None)]
    row, unsaid = (one_row(lake, "FROM ziip_what_if") for lake in lakes)
    expect(row, engines_work=pytest.approx(2.358), engines_capacity=pytest.approx(2.8))
    expect(row, engines_busy_after=pytest.approx(2.758), busy_after_pct=pytest.approx(98.5), fits=True)
    # What the page does not say leaves it open.
    assert (unsaid["engines_busy"], unsaid["busy_after_pct"], unsaid["fits"]) == (pytest.approx(1.8), None, None)


def test_one_thread_leaves_cores_as_they_are():
    processors = [processor(1, 80.0, kind="IIP")]
    threads = [], [cores(1.0, 1.0, 1)]
    for lake in (yield [{"rmf_cpu_activity": processors, "rmf_multithreading": one} for one in threads]):
        row = one_row(lake, "FROM processor_busy")
        assert (row["engines_busy"], row["engines_work"], row["engines_capacity"]) == (0.8, 0.8, 1.0)
