"""Views of capacity: what is captured, what zIIPs would take, peaks and percentiles, worked by hand."""

import datetime as dt
from typing import Any

import pytest
from one_lake import Asks, each
from rmf_rows import MACHINE, PROCESSORS, captured, overlapping, policy, processor, service_class
from views_lake import START, Row, expect, heading, one_row, place, weeks_apart


def test_what_is_busy_and_in_no_class_is_uncaptured():
    """CP 60 + 30 of 60 + 40 + 90 x 50%: 0.9 of 1.45 engines. zIIP 30 + 50 of 100."""
    lake = yield {"rmf_workload_activity": captured(), "rmf_cpu_activity": PROCESSORS}
    cp, ziip = lake.rows("FROM capture_ratio ORDER BY processor_type")
    expect(cp, processor_type="CP", scope="SYSA", class_kind="service_class", engines_online=pytest.approx(2.5))
    expect(cp, engines_busy=pytest.approx(1.45), engines_captured=pytest.approx(0.9))
    expect(cp, engines_uncaptured=pytest.approx(0.55), capture_ratio_pct=pytest.approx(90 / 1.45))
    assert (ziip["engines_online"], ziip["engines_busy"], ziip["capture_ratio_pct"]) == pytest.approx((2, 1, 80))
    assert [ref["line"] for ref in cp["refs"]] == [30, 31, 32, 33, 34, 10]


def test_what_is_not_known_has_no_ratio():
    cases = [
        (captured(), []),
        (captured(), [processor(0, None)]),
        (captured(), [processor(0, 50.0, system="SYSB")]),
        (captured(), [processor(0, 50.0, interval_s=50.0)]),
        ([row | {"scope": None} for row in captured()], [processor(0, 50.0)]),
        ([row | {"scope": "SYSA,SYSB"} for row in captured()], [processor(0, 50.0)]),
        ([*captured(), service_class("CUT", 3.0, line=15, appl_iip_pct=None, total_service=None)], []),
        (captured(), [processor(0, 0.0)]),
        (captured(), overlapping()),
    ]
    lake = yield weeks_apart(*({"rmf_workload_activity": c, "rmf_cpu_activity": p} for c, p in cases))
    rows = lake.rows("FROM capture_ratio WHERE processor_type = 'CP' ORDER BY interval_start")
    assert [row["engines_captured"] for row in rows] == [pytest.approx(0.9)] * len(cases)
    assert {row["capture_ratio_pct"] for row in rows} == {None}


def test_processors_of_a_name_that_two_sysplexes_have_are_of_neither():
    """The page of one SYSA is in the lake; which, it does not say. An hour later PLEX1 alone has one: 0.9 of 1.45 engines, 181.4 MSU a processor."""
    processors = [r | MACHINE for r in PROCESSORS]
    hour = dt.timedelta(hours=1)
    later = [
        r | {name: r[name] + hour for name in ("interval_start", "interval_end")} for r in [*captured(), *processors]
    ]
    lake = yield {
        "rmf_workload_activity": [
            *captured(),
            *(r | {"sysplex": "PLEX2", "line": r["line"] + 100} for r in captured()),
            *later[:5],
        ],
        "rmf_cpu_activity": [*processors, *later[5:]],
    }
    rows = lake.rows("FROM capture_ratio WHERE processor_type = 'CP' ORDER BY interval_start, sysplex")
    assert [(r["sysplex"], r["engines_online"], r["capture_ratio_pct"]) for r in rows] == [
        ("PLEX1", None, None), ("PLEX2", None, None), ("PLEX1", 2.5, pytest.approx(90 / 1.45)),
    ]  # fmt: skip
    rates = lake.rows("SELECT msu_basis, msu_per_cp FROM interval_msu_rate ORDER BY interval_start, sysplex")
    assert [tuple(r.values()) for r in rates] == [("two_sysplexes", None)] * 2 + [
        ("cpc_capacity", pytest.approx(3084 / 17))
    ]


def test_sums_of_printed_percentages_have_no_float_noise():
    """0.1 + 0.2 is 0.30000000000000004 in binary; 441.2 + 50.15 is 491.34999999999997, and 3 x 0.7 of periods 2.0999999999999996."""
    rows = [service_class(f"C{n}", cp, line=10 + n) for n, cp in enumerate((0.1, 0.2))]
    rows += [service_class("BIG", 441.2, line=20, appl_iip_pct=50.15, appl_iipcp_pct=0.05)]
    period = {"class_kind": "service_class_period", "appl_iip_pct": 0.0}
    rows += [service_class("OF3", 0.7, line=30 + n, period=n, **period) for n in (1, 2, 3)]
    lake = yield {"rmf_workload_activity": rows}
    (whole,) = lake.rows("SELECT cp_pct, ziip_pct, ziip_on_cp_pct FROM interval_processor_time")
    assert [str(value) for value in whole.values()] == ["443.6", "50.15", "0.05"]
    asked = "SELECT cpu_pct, ziip_eligible_pct, non_ziip_pct, non_ziip_eligible_pct FROM cpu_by_class WHERE service_class = '{}'"
    (big,), (of_periods,) = (lake.rows(asked.format(name)) for name in ("BIG", "OF3"))
    assert [str(value) for value in big.values()] == ["491.35", "50.2", "391.0", "441.15"]
    assert [str(value) for value in of_periods.values()] == ["2.1", "0.0", "2.1", "2.1"]


def test_hours_and_rates_have_no_float_noise():
    """A 706 of 700 MSU: 121.8% of an engine are 142.1 MSU, and 1.218 x 899.997 s x 4 = 4384.785384 s in an hour of 3,599.988 s; four processors of
    2.96% busy are 0.1184 engines of four, 2.96%. 121.8% in classes beside them are 1.218 engines."""
    quarter = {"interval_s": 899.997}
    rows, cpus = [], []
    for n in range(4):
        at = START + dt.timedelta(minutes=15 * n)
        own: dict[str, Any] = {"interval_start": at, "interval_end": at + dt.timedelta(seconds=899.997)} | quarter
        rows.append(service_class("A", 121.8, line=10 + n, scope="SYSA", appl_iip_pct=0.0, appl_iipcp_pct=0.0, **own))
        cpus += [
            processor(id_, 2.96, line=50 + 10 * n + id_, cpc_type="3906", cpc_model="706", cpc_capacity=700.0, **own)
            for id_ in range(4)
        ]
    lake = yield {"rmf_workload_activity": rows, "rmf_cpu_activity": cpus}
    asked = {
        "SELECT covered_s, cp_time_s, gp_msu FROM class_hour": ["3599.988", "4384.785384", "142.1"],
        "SELECT DISTINCT gp_msu FROM cpu_by_class": ["142.1"],
        "SELECT covered_s, engines_online, engines_busy, busy_pct FROM processor_hour": [
            "3599.988",
            "4.0",
            "0.1184",
            "2.96",
        ],
        "SELECT DISTINCT engines_busy, engines_captured, engines_uncaptured FROM capture_ratio": [
            "0.1184",
            "1.218",
            "-1.0996",
        ],
        "SELECT covered_s FROM report_coverage WHERE report LIKE '%CPU%'": ["3599.988"],
    }
    for text, values in asked.items():
        (row,) = lake.rows(text)
        assert [str(value) for value in row.values()] == values


def test_the_policy_tells_where_its_classes_do_not_add_up_to_it():
    """Classes of 60 and 30; a policy of 90 is their sum, one of 95 has more than is printed."""
    *classes, policy_row, report_class = captured()
    pages = [[*classes, policy_row | {"appl_cp_pct": cp}, report_class] for cp in (90.0, 90.02, 95.0, None)]
    lake = yield weeks_apart(*({"rmf_workload_activity": page} for page in pages))
    rows = lake.rows("FROM interval_processor_time ORDER BY interval_start")
    assert [row["class_kind"] for row in rows] == ["service_class", "service_class", "policy", "service_class"]
    assert [row["cp_pct"] for row in rows] == pytest.approx([90, 90, 95, 90])


def test_the_policy_stands_for_classes_that_are_not_printed():
    lake = yield {"rmf_workload_activity": captured()[3:], "rmf_cpu_activity": [processor(0, 100.0)]}
    (row,) = lake.rows("FROM capture_ratio WHERE processor_type = 'CP'")
    assert (row["class_kind"], row["capture_ratio_pct"]) == ("policy", pytest.approx(90))


def test_processors_of_several_systems_and_of_halves_of_the_interval():
    """SYSA 80% in one half and 40 in the other, SYSB 20: 0.6 + 0.2 engines."""
    half = {"interval_s": 30.0, "interval_end": START + dt.timedelta(seconds=30)}
    later = {"interval_s": 30.0, "interval_start": START + dt.timedelta(seconds=30), "line": 40}
    processors = [processor(0, 80.0, **half), processor(0, 40.0, **later), processor(0, 20.0, system="SYSB", line=50)]
    classes = [service_class("CICS", 40.0, scope="SYSA,SYSB")]
    row = one_row((yield {"rmf_workload_activity": classes, "rmf_cpu_activity": processors}), "FROM capture_ratio")
    assert (row["engines_online"], row["engines_busy"], row["capture_ratio_pct"]) == pytest.approx((2, 0.8, 50))


def test_moving_eligible_time_to_ziips():
    """IIP 80, IIPCP 20 of CP 90 with a factor of 2: zIIPs 100% + 10% of 200%; 0.2 CPs of 1.45 saved, at 50,000 SU/s 0.2 x 50000 x 3600
    = 36 million service units an hour. Software MSU: 0.2 x 3084 / 17 = 36.28."""
    machine = {"cpc_type": "8561", "cpc_model": "717", "cpc_capacity": 3084.0}
    lake = yield dict(
        rmf_workload_activity=captured(), rmf_cpu_activity=[row | machine for row in PROCESSORS], **policy(2.0)
    )
    row = one_row(lake, "FROM ziip_what_if")
    expect(row, engines_online=pytest.approx(2), engines_busy=pytest.approx(1), engines_used=pytest.approx(0.8))
    expect(row, engines_eligible=pytest.approx(0.9), engines_busy_after=pytest.approx(1.1))
    expect(row, busy_after_pct=pytest.approx(55), fits=True, cp_engines_saved=pytest.approx(0.2))
    expect(row, cp_saved_s=pytest.approx(12), cp_saved_pct=pytest.approx(20 / 1.45))
    expect(row, gp_msu_saved_service=pytest.approx(36), gp_msu_saved=pytest.approx(0.2 * 3084 / 17))
    expect(row, msu_basis="cpc_capacity", crossover_pct=pytest.approx(100 * 20 / 180))


def test_eligible_time_without_known_ziips():
    row = one_row((yield {"rmf_workload_activity": captured()}), "FROM ziip_what_if")
    assert (row["engines_eligible"], row["cp_engines_saved"]) == pytest.approx((1.0, 0.2))
    assert (row["fits"], row["busy_after_pct"], row["gp_msu_saved"], row["gp_msu_saved_service"]) == (None,) * 4
    assert row["msu_basis"] == "not_in_lake"


def test_more_eligible_time_than_ziips():
    """IIP 80, IIPCP 20, one zIIP 90% busy: 110% of it."""
    lake = yield {
        "rmf_workload_activity": captured(),
        "rmf_cpu_activity": [processor(0, 90.0), processor(1, 90.0, kind="IIP")],
    }
    row = one_row(lake, "FROM ziip_what_if")
    assert (row["busy_after_pct"], row["fits"]) == (pytest.approx(110), False)


def half_hours(name: str, *cp: float | None) -> list[Row]:
    return [
        service_class(name, value, 30 * n, 1800, line=10 + n, transactions_ended=36 * n)
        for n, value in enumerate(cp)
        if value != -1
    ]


def test_the_peak_hour_of_a_class():
    """CICS 40, 100 and 70% by the hour; BATCH ran in one half hour only; a fourth hour is half covered."""
    rows = [*half_hours("CICS", 30, 50, 90, 110, 70, 70, 500), *half_hours("BATCH", -1, -1, -1, -1, -1, 60)]
    rows += [service_class("CICS", 900.0, 65, 300, line=80)]
    batch, cics = (yield {"rmf_workload_activity": rows}).rows("FROM peak_hour ORDER BY class_name")
    expect(cics, peak_start=START + dt.timedelta(hours=1), peak_end=START + dt.timedelta(hours=2))
    expect(cics, cpu_pct=pytest.approx(100), mean_cpu_pct=pytest.approx(70), hours=3, hours_unknown=0, covered_s=3600)
    expect(cics, transactions_per_s=pytest.approx((72 + 108) / 3600))
    assert [ref["line"] for ref in cics["refs"]] == [12, 13]
    assert (batch["cpu_pct"], batch["mean_cpu_pct"], batch["peak_to_mean"]) == pytest.approx((30, 10, 3))


def test_an_hour_that_is_not_known_is_no_peak():
    rows = half_hours("CICS", 30, 50, 90, 110)
    rows[3] |= {"appl_iip_pct": None}
    row = one_row((yield {"rmf_workload_activity": rows}), "FROM peak_hour")
    assert (row["peak_start"], row["hours_unknown"], row["mean_cpu_pct"]) == (START, 1, None)


def test_the_interval_of_the_95th_percentile():
    """20 minutes of 1, 2, … 20%: place 19. RARE ran in one of them: nothing in the 95th. HALF in two: the lower."""
    rows = [service_class("CICS", float(n), n, line=10 + n) for n in range(1, 21)]
    rows += [
        service_class("RARE", 50.0, 3, line=50),
        *(service_class("HALF", 10.0 * n, n, line=60 + n) for n in (4, 5)),
    ]
    cics, half = (yield {"rmf_workload_activity": rows}).rows("FROM percentile_interval ORDER BY class_name")
    assert (cics["class_name"], cics["cpu_pct"], cics["intervals"], cics["intervals_unknown"]) == ("CICS", 19, 20, 0)
    assert (cics["interval_start"], cics["refs"][0]["line"]) == (START + dt.timedelta(minutes=19), 29)
    assert (half["class_name"], half["cpu_pct"]) == ("HALF", 40)


def rejected(page: int) -> Row:
    return {"report": "rmf_workload_activity", "source_id": "s1", "source_file": "s1.txt", "page": page, "line": 999}


def test_an_interval_that_is_not_whole_leaves_the_hour_of_a_class_unknown():
    """CICS 40, 100 and 70% by the hour, BATCH in the last half hour alone, 30% of its hour. A line of the third page, of the second hour,
    could not be read: it may have been BATCH's; CICS is printed there."""
    rows = [*half_hours("CICS", 30, 50, 90, 110, 70, 70), *half_hours("BATCH", -1, -1, -1, -1, -1, 60)]
    rows = [row | {"page": row["line"]} for row in rows]
    lakes = yield [{"rmf_workload_activity": rows, "parse_reject": [rejected(line)]} for line in (12, 14)]
    batch, cics = lakes[0].rows("FROM peak_hour ORDER BY class_name")
    assert (cics["cpu_pct"], cics["mean_cpu_pct"], cics["hours_unknown"]) == (pytest.approx(100), pytest.approx(70), 0)
    assert (batch["cpu_pct"], batch["hours_unknown"], batch["mean_cpu_pct"]) == (pytest.approx(30), 1, None)
    # In the hour of its only row, the other half hour.
    assert [row["class_name"] for row in lakes[1].rows("FROM peak_hour")] == ["CICS"]


def test_intervals_that_are_not_whole_are_not_ranked_for_what_they_lack():
    """HALF in 2 of 20 minutes, 40 and 50%, and CICS in all. Two damaged minutes lack HALF, one has it: 18 are known, 16 of them 0, and place
    18 x 0.95 = 17.1, so 18, is 50."""
    rows = [service_class("CICS", float(n), n, line=10 + n, page=n) for n in range(1, 21)]
    rows += [service_class("HALF", 10.0 * n, n, line=60 + n, page=n) for n in (4, 5)]
    lake = yield {"rmf_workload_activity": rows, "parse_reject": [rejected(4), rejected(6), rejected(7)]}
    cics, half = lake.rows("FROM percentile_interval ORDER BY class_name")
    assert (cics["cpu_pct"], cics["intervals_unknown"]) == (19, 0)
    assert (half["cpu_pct"], half["intervals"], half["intervals_unknown"]) == (50, 20, 2)


def buckets(
    minute: int, *counts: int | None, bounds: tuple[float, ...] = (0.5, 1.0, 2.0), **other: object
) -> list[Row]:
    row = heading(START + dt.timedelta(minutes=minute), 900) | place(100 + minute)
    row["policy"] = None
    row |= {"class_kind": "service_class_period", "service_class": "CICS", "period": 1}
    return [
        row | {"upper_bound_s": bound, "transactions": n, "line": 100 + minute + i} | other
        for i, (bound, n) in enumerate(zip((*bounds, None), counts, strict=True))
    ]


def percentiles(kind: str, *rows: list[Row]) -> Asks[Row]:
    lake = yield {"rmf_response_time_distribution": [row for some in rows for row in some]}
    return one_row(lake, f"FROM response_percentile WHERE window_kind = '{kind}'")


def test_percentiles_are_bounds_of_summed_buckets():
    """60, 30, 8, 2: the half and 90 are reached in the first two, 95 in the third. With 0, 0, 100, 0: 60, 30, 108, 2."""
    twice = buckets(0, 60, 30, 8, 2, source_id="s2")
    row, of_hour = yield from each(
        percentiles("interval", buckets(0, 60, 30, 8, 2)),
        percentiles("hour", buckets(0, 60, 30, 8, 2), buckets(15, 0, 0, 100, 0), twice),
    )
    assert [row[p] for p in ("p50_s", "p90_s", "p95_s", "last_bound_s")] == [0.5, 1, 2, 2]
    assert (row["transactions"], row["covered_s"], row["refs"][0]["line"]) == (100, 900, 100)
    names = "p50_s", "p90_s", "p95_s", "transactions", "intervals", "intervals_left_out", "covered_s"
    assert [of_hour[name] for name in names] == [2, 2, 2, 200, 2, 0, 1800]


def test_percentiles_of_each_of_two_hours_that_the_clock_repeats():
    """Summer's hour is fast (90 of 100 within 0.5 s), winter's slow (90% within 2 s). Read with offsets each has its own; without, the hour is unknown
    and its counts of 100 and 200 are not those of one hour."""

    def of_two(*offsets: int | None) -> Asks[list[Row]]:
        fast, slow = (
            buckets(0, *n, utc_offset_minutes=o)
            for n, o in zip([(90, 10, 0, 0), (20, 60, 110, 10)], offsets, strict=True)
        )
        lake = yield {"rmf_response_time_distribution": [*fast, *(row | {"source_id": "s2"} for row in slow)]}
        return lake.rows("FROM response_percentile WHERE window_kind = 'hour' ORDER BY utc_offset_minutes DESC")

    known, unknown = yield from each(of_two(120, 60), of_two(None, None))
    assert [(r["utc_offset_minutes"], r["p90_s"], r["transactions"]) for r in known] == [(120, 0.5, 100), (60, 2, 200)]
    assert [(r["p90_s"], r["transactions"], r["is_conflicting"]) for r in unknown] == [(None, None, True)]


def test_what_only_the_last_bucket_reaches_has_no_bound():
    row = yield from percentiles("day", buckets(0, 60, 30, 3, 7))
    assert [row[p] for p in ("p50_s", "p90_s", "p95_s", "last_bound_s")] == [0.5, 1, None, 2]


@pytest.mark.parametrize(
    "more",
    [buckets(15, 1, 1, 1, 1, bounds=(0.5, 1.0, 3.0)), buckets(15, 1, None, 1, 1), buckets(15, 1, 1, 1, bounds=(0.5, 1.0))],
)  # fmt: skip
def test_unlike_bounds_and_unknown_counts_give_none(more: list[Row]):
    row = yield from percentiles("hour", buckets(0, 60, 30, 8, 2), more)
    assert [row[p] for p in ("p50_s", "p90_s", "p95_s", "transactions")] == [None] * 4
    assert row["bounds_agree"] is (more[1]["transactions"] is None)


def test_no_transaction_no_percentile_and_no_time_twice():
    inside = buckets(5, 9, 9, 9, 9, interval_end=START + dt.timedelta(minutes=10), interval_s=300.0)
    none, row = yield from each(
        percentiles("hour", buckets(0, 0, 0, 0, 0)), percentiles("hour", buckets(0, 60, 30, 8, 2), inside)
    )
    assert none["p50_s"] is None
    assert (row["transactions"], row["intervals"], row["intervals_left_out"]) == (100, 1, 1)


TIES = (0.002, 0.003, 0.003, 0.004)


def numbered(rows: list[Row]) -> list[Row]:
    """The second of the buckets to 3 ms is told apart, and all have their running totals."""
    total = 0
    for row, occurrence in zip(rows, (1, 1, 2, 1, 1), strict=True):
        total += row["transactions"]
        row |= {"occurrence": occurrence, "transactions_cumulative": total}
    return rows


def test_buckets_with_equal_bounds_all_count():
    """A goal of 5 ms in milliseconds: 50, 50, 350, 30, 20 of 500. 250 and 450 are reached in the third bucket, 475 in the fourth. Printed
    again they count once."""
    again = [
        row | {"source_id": "s2", "line": row["line"] + 100}
        for row in numbered(buckets(0, 50, 50, 350, 30, 20, bounds=TIES))
    ]
    row = yield from percentiles("interval", numbered(buckets(0, 50, 50, 350, 30, 20, bounds=TIES)), again)
    assert [row[p] for p in ("p50_s", "p90_s", "p95_s")] == [0.003, 0.003, 0.004]
    assert (row["transactions"], row["is_conflicting"]) == (500, False)


@pytest.mark.parametrize("lost", [1, 2, 4, "bound"])
def test_a_distribution_that_lost_a_bucket_has_no_percentiles(lost: int | str):
    """One of the equal ones, the last, or the bound of one: the counts that are left are not those of all."""
    rows = numbered(buckets(0, 50, 50, 350, 30, 20, bounds=TIES))
    if isinstance(lost, int):
        del rows[lost]
    else:
        rows[3] |= {"upper_bound_s": None}
    row = yield from percentiles("interval", rows)
    assert [row[p] for p in ("p50_s", "p90_s", "p95_s", "transactions")] == [None] * 4


def test_counts_in_thousands_need_not_add_up_to_the_last_digit():
    """20,400, 30,300 and 49,700, the first and the total, 100,400, in thousands."""
    rows = [
        row | {"transactions_resolution": worth, "transactions_cumulative": total, "transactions_cumulative_resolution": 1000.0}
        for row, worth, total in zip(
            buckets(0, 20_000, 30_300, 49_700, bounds=(0.5, 1.0)), (1000.0, 1.0, 1.0), (20_000, 51_000, 100_000), strict=True
        )
    ]  # fmt: skip
    row = yield from percentiles("interval", rows)
    assert (row["p50_s"], row["transactions"]) == (1, 100_000)


def test_a_part_of_an_older_release_without_numbers_of_buckets_answers():
    """Its occurrence is NULL. Buckets of different bounds are known by them; of two that are equal one is lost, and nothing is known."""
    row = yield from percentiles(
        "interval", buckets(0, 60, 30, 8, 2), [r | {"occurrence": 1} for r in buckets(0, 60, 30, 8, 2, source_id="s2")]
    )
    assert (row["p50_s"], row["transactions"], row["is_conflicting"]) == (0.5, 100, False)


def test_equal_buckets_of_an_older_release_give_none():
    old = [row | {"occurrence": None} for row in numbered(buckets(0, 50, 50, 350, 30, 20, bounds=TIES))]
    row = yield from percentiles("interval", old)
    assert [row[p] for p in ("p50_s", "p90_s", "p95_s", "transactions")] == [None] * 4
