"""Views of capacity: what is captured, what zIIPs would take, peaks and percentiles, worked by hand."""

import datetime as dt
from typing import Any

import pytest
from one_lake import Found, Rows, examples, shown
from rmf_rows import MACHINE, PROCESSORS, captured, overlapping, policy, processor, service_class
from views_lake import START, Row, expect, heading, one_row, place, span, weeks_apart

approx = pytest.approx
HOUR = dt.timedelta(hours=1)


def pages(classes: list[Row], processors: list[Row] | None = None, **tables: list[Row]) -> Rows:
    return {"rmf_workload_activity": classes, "rmf_cpu_activity": processors or [], **tables}


# SYSA 80% in one half of the minute and 40 in the other, SYSB 20: 0.6 + 0.2 engines.
HALVES = [processor(0, 80.0, **span(0, 30)), processor(0, 40.0, **span(0.5, 30), line=40), processor(0, 20.0, system="SYSB", line=50)]  # fmt: skip
RATIO = "engines_online, engines_busy, capture_ratio_pct FROM capture_ratio"
WHAT_IF = "busy_after_pct, fits, gp_msu_saved, gp_msu_saved_service, msu_basis, cp_engines_saved FROM ziip_what_if"


@examples(
    # CP 60 + 30 of 60 + 40 + 90 x 50%: 0.9 of 1.45 engines. zIIP 30 + 50 of 100.
    ("CP", pages(captured(), PROCESSORS),
     f"scope, class_kind, engines_captured, engines_uncaptured, [r.line for r in refs], {RATIO} WHERE processor_type = 'CP'",
     [("SYSA", "service_class", approx(0.9), approx(0.55), [30, 31, 32, 33, 34, 10], approx(2.5), approx(1.45), approx(90 / 1.45))]),
    ("zIIP", pages(captured(), PROCESSORS), f"{RATIO} WHERE processor_type = 'IIP'", [(approx(2), approx(1), approx(80))]),
    ("policy for classes that are not printed", pages(captured()[3:], [processor(0, 100.0)]),
     "class_kind, capture_ratio_pct FROM capture_ratio WHERE processor_type = 'CP'", [("policy", approx(90))]),
    ("systems and halves", pages([service_class("CICS", 40.0, scope="SYSA,SYSB")], HALVES), RATIO, [(approx(2), approx(0.8), approx(50))]),
    ("zIIPs that are not known", pages(captured()), f"engines_eligible, {WHAT_IF}", [(approx(1), None, None, None, None, "not_in_lake",
     approx(0.2))]),
    # IIP 80, IIPCP 20, one zIIP 90% busy: 110% of it.
    ("more than zIIPs take", pages(captured(), [processor(0, 90.0), processor(1, 90.0, kind="IIP")]), "busy_after_pct, fits FROM ziip_what_if",
     [(approx(110), False)]),
)  # fmt: skip
def test_what_classes_capture(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


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
    assert [row["engines_captured"] for row in rows] == [approx(0.9)] * len(cases)
    assert {row["capture_ratio_pct"] for row in rows} == {None}


def test_processors_of_a_name_that_two_sysplexes_have_are_of_neither():
    """The page of one SYSA is in the lake; which, it does not say. An hour later PLEX1 alone has one: 0.9 of 1.45 engines, 181.4 MSU a processor."""
    first = [r | MACHINE for r in PROCESSORS]
    names = ("interval_start", "interval_end")
    later = [r | {name: r[name] + HOUR for name in names} for r in [*captured(), *first]]
    of_plex2 = [r | {"sysplex": "PLEX2", "line": r["line"] + 100} for r in captured()]
    lake = yield pages([*captured(), *of_plex2, *later[:5]], [*first, *later[5:]])
    rows = lake.rows("FROM capture_ratio WHERE processor_type = 'CP' ORDER BY interval_start, sysplex")
    assert [(r["sysplex"], r["engines_online"], r["capture_ratio_pct"]) for r in rows] == [
        ("PLEX1", None, None), ("PLEX2", None, None), ("PLEX1", 2.5, approx(90 / 1.45)),
    ]  # fmt: skip
    rates = lake.sql("SELECT msu_basis, msu_per_cp FROM interval_msu_rate ORDER BY interval_start, sysplex")
    assert rates.fetchall() == [("two_sysplexes", None)] * 2 + [("cpc_capacity", approx(3084 / 17))]


NOISY = [service_class(f"C{n}", cp, line=10 + n) for n, cp in enumerate((0.1, 0.2))]
NOISY += [service_class("BIG", 441.2, line=20, appl_iip_pct=50.15, appl_iipcp_pct=0.05)]
NOISY += [
    service_class("OF3", 0.7, line=30 + n, period=n, class_kind="service_class_period", appl_iip_pct=0.0)
    for n in (1, 2, 3)
]
# A 706 of 700 MSU: 121.8% of an engine are 142.1 MSU, and 1.218 x 899.997 s x 4 = 4384.785384 s in an hour of 3,599.988 s; four processors of
# 2.96% busy are 0.1184 engines of four, 2.96%. 121.8% in classes beside them are 1.218 engines.
QUARTERS = [
    {"interval_start": at, "interval_end": at + dt.timedelta(seconds=899.997), "interval_s": 899.997}
    for at in (START + dt.timedelta(minutes=15 * n) for n in range(4))
]
OF_706: dict[str, Any] = {"cpc_type": "3906", "cpc_model": "706", "cpc_capacity": 700.0}
AN_HOUR = pages(
    [service_class("A", 121.8, line=10 + n, scope="SYSA", appl_iip_pct=0.0, appl_iipcp_pct=0.0, **at) for n, at in enumerate(QUARTERS)],
    [processor(id_, 2.96, line=50 + 10 * n + id_, **OF_706, **at) for n, at in enumerate(QUARTERS) for id_ in range(4)],
)  # fmt: skip


@examples(*(
    (asked, rows, asked, [(*values.split(),)])
    for rows, asked, values in (
        # 0.1 + 0.2 is 0.30000000000000004 in binary; 441.2 + 50.15 is 491.34999999999997, and 3 x 0.7 of periods 2.0999999999999996.
        (pages(NOISY), "cp_pct, ziip_pct, ziip_on_cp_pct FROM interval_processor_time", "443.6 50.15 0.05"),
        *((pages(NOISY), f"cpu_pct, ziip_eligible_pct, non_ziip_pct, non_ziip_eligible_pct FROM cpu_by_class WHERE service_class = '{name}'", values)
          for name, values in (("BIG", "491.35 50.2 391.0 441.15"), ("OF3", "2.1 0.0 2.1 2.1"))),
        (AN_HOUR, "covered_s, cp_time_s, gp_msu FROM class_hour", "3599.988 4384.785384 142.1"),
        (AN_HOUR, "DISTINCT gp_msu FROM cpu_by_class", "142.1"),
        (AN_HOUR, "covered_s, engines_online, engines_busy, busy_pct FROM processor_hour", "3599.988 4.0 0.1184 2.96"),
        (AN_HOUR, "DISTINCT engines_busy, engines_captured, engines_uncaptured FROM capture_ratio", "0.1184 1.218 -1.0996"),
        (AN_HOUR, "covered_s FROM report_coverage WHERE report LIKE '%CPU%'", "3599.988"),
    )
))  # fmt: skip
def test_figures_have_no_float_noise(rows: Rows, asked: str, found: Found):
    (row,) = (yield rows).sql(f"SELECT {asked}").fetchall()
    assert [tuple(map(str, row))] == found


def test_the_policy_tells_where_its_classes_do_not_add_up_to_it():
    """Classes of 60 and 30; a policy of 90 is their sum, one of 95 has more than is printed."""
    *classes, policy_row, report_class = captured()
    printed = [[*classes, policy_row | {"appl_cp_pct": cp}, report_class] for cp in (90.0, 90.02, 95.0, None)]
    lake = yield weeks_apart(*({"rmf_workload_activity": page} for page in printed))
    rows = lake.rows("FROM interval_processor_time ORDER BY interval_start")
    assert [row["class_kind"] for row in rows] == ["service_class", "service_class", "policy", "service_class"]
    assert [row["cp_pct"] for row in rows] == approx([90, 90, 95, 90])


def test_moving_eligible_time_to_ziips():
    """IIP 80, IIPCP 20 of CP 90 with a factor of 2: zIIPs 100% + 10% of 200%; 0.2 CPs of 1.45 saved, at 50,000 SU/s 0.2 x 50000 x 3600
    = 36 million service units an hour. Software MSU: 0.2 x 3084 / 17 = 36.28."""
    lake = yield pages(captured(), [row | MACHINE for row in PROCESSORS], **policy(2.0))
    row = one_row(lake, "FROM ziip_what_if")
    expect(
        row, engines_online=approx(2), engines_busy=approx(1), engines_used=approx(0.8), engines_eligible=approx(0.9)
    )
    expect(row, engines_busy_after=approx(1.1), busy_after_pct=approx(55), fits=True, cp_engines_saved=approx(0.2))
    expect(row, cp_saved_s=approx(12), cp_saved_pct=approx(20 / 1.45), crossover_pct=approx(100 * 20 / 180))
    expect(row, gp_msu_saved_service=approx(36), gp_msu_saved=approx(0.2 * 3084 / 17), msu_basis="cpc_capacity")


def half_hours(name: str, *cp: float | None) -> list[Row]:
    return [
        service_class(name, value, 30 * n, 1800, line=10 + n, page=10 + n, transactions_ended=36 * n)
        for n, value in enumerate(cp)
        if value != -1
    ]


def rejected(*of: int) -> list[Row]:
    """A line of a page that could not be read."""
    reject = {"report": "rmf_workload_activity", "source_id": "s1", "source_file": "s1.txt", "line": 999}
    return [reject | {"page": page} for page in of]


def test_the_peak_hour_of_a_class():
    """CICS 40, 100 and 70% by the hour; BATCH ran in one half hour only; a fourth hour is half covered. With a line of the second hour lost,
    which may have been BATCH's while CICS is printed there, BATCH has no mean; in the hour of its only row it has no peak."""
    rows = [*half_hours("CICS", 30, 50, 90, 110, 70, 70, 500), *half_hours("BATCH", -1, -1, -1, -1, -1, 60)]
    whole = pages([*rows, service_class("CICS", 900.0, 65, 300, line=80)])
    rows.pop(6)
    unknown = half_hours("CICS", 30, 50, 90, 110)
    unknown[3] |= {"appl_iip_pct": None}
    lakes = yield [whole, *(pages(rows, parse_reject=rejected(page)) for page in (12, 14)), pages(unknown)]
    asked = "FROM peak_hour ORDER BY class_name"
    batch, cics = lakes[0].rows(asked)
    expect(cics, peak_start=START + HOUR, peak_end=START + 2 * HOUR, hours=3, hours_unknown=0, covered_s=3600)
    expect(cics, cpu_pct=approx(100), mean_cpu_pct=approx(70), transactions_per_s=approx((72 + 108) / 3600))
    assert [ref["line"] for ref in cics["refs"]] == [12, 13]
    assert (batch["cpu_pct"], batch["mean_cpu_pct"], batch["peak_to_mean"]) == approx((30, 10, 3))
    text = "SELECT class_name, cpu_pct, mean_cpu_pct, hours_unknown, peak_start = '2021-04-13 10:00'"
    of_lost, of_row, of_unknown = (lake.sql(f"{text} {asked}").fetchall() for lake in lakes[1:])
    assert of_lost == [("BATCH", approx(30), None, 1, False), ("CICS", approx(100), approx(70), 0, False)]
    assert [row[0] for row in of_row] == ["CICS"]
    assert of_unknown == [("CICS", approx(40), None, 1, True)]


def test_the_interval_of_the_95th_percentile():
    """20 minutes of 1, 2, … 20%: place 19. RARE ran in one of them: nothing in the 95th. HALF in two: the lower. Where two damaged minutes lack
    HALF and one has it, 18 are known, 16 of them 0, and place 18 x 0.95 = 17.1, so 18, is 50."""
    rows = [service_class("CICS", float(n), n, line=10 + n, page=n) for n in range(1, 21)]
    rows += [service_class("HALF", 10.0 * n, n, line=60 + n, page=n) for n in (4, 5)]
    rare = service_class("RARE", 50.0, 3, line=50)
    lakes = yield [pages([*rows, rare]), pages(rows, parse_reject=rejected(4, 6, 7))]
    text = "SELECT class_name, cpu_pct, intervals, intervals_unknown, minute(interval_start), refs[1].line"
    whole, damaged = (lake.sql(f"{text} FROM percentile_interval ORDER BY class_name").fetchall() for lake in lakes)
    assert whole == [("CICS", 19, 20, 0, 19, 29), ("HALF", 40, 20, 0, 4, 64)]
    assert damaged == [("CICS", 19, 20, 0, 19, 29), ("HALF", 50, 20, 2, 5, 65)]


def buckets(
    minute: int, *counts: int | None, bounds: tuple[float, ...] = (0.5, 1.0, 2.0), **other: object
) -> list[Row]:
    row = heading(START + dt.timedelta(minutes=minute), 900) | place(100 + minute) | {"policy": None}
    row |= {"class_kind": "service_class_period", "service_class": "CICS", "period": 1}
    return [
        row | {"upper_bound_s": bound, "transactions": n, "line": 100 + minute + i} | other
        for i, (bound, n) in enumerate(zip((*bounds, None), counts, strict=True))
    ]


def ties(**other: object) -> list[Row]:
    """A goal of 5 ms in milliseconds: 50, 50, 350, 30, 20 of 500. The second of the buckets to 3 ms is told apart, and all have running totals."""
    rows, total = buckets(0, 50, 50, 350, 30, 20, bounds=(0.002, 0.003, 0.003, 0.004)), 0
    for row, occurrence in zip(rows, (1, 1, 2, 1, 1), strict=True):
        total += row["transactions"]
        row |= {"occurrence": occurrence, "transactions_cumulative": total} | other
    return rows


def spread(*rows: list[Row]) -> Rows:
    return {"rmf_response_time_distribution": [row for some in rows for row in some]}


FIRST = buckets(0, 60, 30, 8, 2)
# 20,400, 30,300 and 49,700, the first and the total, 100,400, in thousands.
THOUSANDS = [
    row | {"transactions_resolution": worth, "transactions_cumulative": total, "transactions_cumulative_resolution": 1000.0}
    for row, worth, total in zip(
        buckets(0, 20_000, 30_300, 49_700, bounds=(0.5, 1.0)), (1000.0, 1.0, 1.0), (20_000, 51_000, 100_000), strict=True
    )
]  # fmt: skip
INSIDE = buckets(5, 9, 9, 9, 9, interval_end=START + dt.timedelta(minutes=10), interval_s=300.0)
# Summer's hour is fast (90 of 100 within 0.5 s), winter's slow (90% within 2 s).
FAST, SLOW = buckets(0, 90, 10, 0, 0), buckets(0, 20, 60, 110, 10, source_id="s2")
OF = "p50_s, p90_s, p95_s, transactions"
INTERVAL, HOURLY, DAY = (f"FROM response_percentile WHERE window_kind = '{kind}'" for kind in ("interval", "hour", "day"))  # fmt: skip
NOTHING = [(None, None, None, None)]


@examples(
    # The half and 90 are reached in the first two, 95 in the third. With 0, 0, 100, 0: 60, 30, 108, 2.
    ("interval", spread(FIRST), f"{OF}, last_bound_s, covered_s, refs[1].line {INTERVAL}", [(0.5, 1, 2, 100, 2, 900, 100)]),
    ("hour", spread(FIRST, buckets(15, 0, 0, 100, 0), buckets(0, 60, 30, 8, 2, source_id="s2")),
     f"{OF}, intervals, intervals_left_out, covered_s {HOURLY}", [(2, 2, 2, 200, 2, 0, 1800)]),
    ("two hours of one name", spread(*([r | {"utc_offset_minutes": o} for r in rows] for rows, o in ((FAST, 120), (SLOW, 60)))),
     f"utc_offset_minutes, p90_s, transactions {HOURLY} ORDER BY ALL", [(60, 2, 200), (120, 0.5, 100)]),
    # Read without offsets the hour is unknown; counts of 100 and 200 are not those of one hour.
    ("without offsets", spread(FAST, SLOW), f"p90_s, transactions, is_conflicting {HOURLY}", [(None, None, True)]),
    ("no bound of the last bucket", spread(buckets(0, 60, 30, 3, 7)), f"p50_s, p90_s, p95_s, last_bound_s {DAY}", [(0.5, 1, None, 2)]),
    ("other bounds", spread(FIRST, buckets(15, 1, 1, 1, 1, bounds=(0.5, 1.0, 3.0))), f"{OF}, bounds_agree {HOURLY}", [(*NOTHING[0], False)]),
    ("fewer bounds", spread(FIRST, buckets(15, 1, 1, 1, bounds=(0.5, 1.0))), f"{OF}, bounds_agree {HOURLY}", [(*NOTHING[0], False)]),
    ("unknown count", spread(FIRST, buckets(15, 1, None, 1, 1)), f"{OF}, bounds_agree {HOURLY}", [(*NOTHING[0], True)]),
    ("no transaction", spread(buckets(0, 0, 0, 0, 0)), f"p50_s {HOURLY}", [(None,)]),
    ("no time twice", spread(FIRST, INSIDE), f"transactions, intervals, intervals_left_out {HOURLY}", [(100, 1, 1)]),
    # 250 and 450 are reached in the third bucket, 475 in the fourth. Printed again they count once.
    ("equal bounds", spread(ties(), [r | {"line": r["line"] + 100} for r in ties(source_id="s2")]), f"{OF}, is_conflicting {INTERVAL}",
     [(0.003, 0.003, 0.004, 500, False)]),
    # The counts that are left are not those of all.
    *((f"lost bucket {lost}", spread([r for n, r in enumerate(ties()) if n != lost]), f"{OF} {INTERVAL}", NOTHING) for lost in (1, 2, 4)),
    ("lost bound", spread([r | ({"upper_bound_s": None} if n == 3 else {}) for n, r in enumerate(ties())]), f"{OF} {INTERVAL}", NOTHING),
    ("thousands", spread(THOUSANDS), f"p50_s, transactions {INTERVAL}", [(1, 100_000)]),
    # Buckets of an older release have no numbers: those of different bounds are known by them; of two that are equal one is lost.
    ("older release", spread(FIRST, buckets(0, 60, 30, 8, 2, source_id="s2", occurrence=1)), f"p50_s, transactions, is_conflicting {INTERVAL}",
     [(0.5, 100, False)]),
    ("equal bounds of an older release", spread(ties(occurrence=None)), f"{OF} {INTERVAL}", NOTHING),
)  # fmt: skip
def test_percentiles_are_bounds_of_summed_buckets(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
