"""Two threads a core: both readings of APPL % IIP, work and capacity of zIIPs, worked by hand."""

import pytest
from one_lake import Asks, each
from rmf_rows import processor, service_class
from views_lake import Row, expect, heading, one_row


def cores(max_cf: float | None, cf: float | None, threads: int = 2, **other: object) -> Row:
    at = heading(line=60, scope=None, sysplex=None, system="SYSA", processor_type="IIP", threads_per_core=threads)
    return at | {"capacity_factor_max": max_cf, "capacity_factor": cf} | other


def page(iip: float, seconds: float | None, **other: object) -> Row:
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
    two = [cost([page(appl, 56.25)], cores(1.25, 1.2)) for appl in (75.0, 93.75)]
    # One thread, or a page that says nothing of threads: as printed.
    one = cost([page(75.0, 56.25)], cores(1.0, 1.0, 1)), cost([page(75.0, 56.25)])
    expected = [(pytest.approx(966.9), "service_time")] * 2 + [(pytest.approx(779.4), "appl")] * 2
    assert (yield from each(*two, *one)) == expected


def test_a_class_without_service_times_is_read_as_the_others_of_its_page():
    """The largest shows 93.75 / 75 = 1.25: 40.00% of interval x MAX CF are 50.00, and with CP 2.94 529.4 ms. Or 1: 429.4 ms. A page that shows
    neither 1 nor 1.25 leaves both open."""
    small = page(40.0, None, line=40, service_class="SMALL")
    of_largest = [cost([page(appl, 56.25), small], cores(1.25, 1.2)) for appl in (75.0, 93.75, 85.0)]
    others = cost([small], cores(1.25, 1.2)), cost([page(75.0, 56.25), small], cores(None, None))
    assert (yield from each(*of_largest, *others)) == [
        (pytest.approx(529.4), "appl_x_max_cf"), (pytest.approx(429.4), "appl"), *[(None, "unknown")] * 3,
    ]  # fmt: skip


@pytest.mark.parametrize("appl", [123.5, 88.21])
def test_captured_of_the_work_of_cores(appl: float):
    """74.1 s of zIIP time in 60 s, 1.235 engines, on 2 zIIPs of LPAR BUSY 50: 1 core, which with CF 1.3 did 1.3 engines of work: 95.0%.
    APPL % 123.50, or 88.21 of interval x 1.4. Against the time of cores it would be 123.5%."""
    lake = yield {
        "rmf_workload_activity": [page(appl, 74.1)],
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
