"""Views of capacity: what is captured, what zIIPs would take, peaks and percentiles, worked by hand."""

import datetime as dt
from typing import Any

import pytest
from db2_rows import GBP6, counter_rows
from one_lake import Asks, Rows, each, examples
from rmf_rows import MACHINE, PROCESSORS, captured, overlapping, policy, processor, service_class, structure
from views_lake import START, Row, approx, expect, heading, one_row, place, span, weeks_apart

HOUR = dt.timedelta(hours=1)


def pages(classes: list[Row], processors: list[Row] | None = None, **tables: list[Row]) -> Rows:
    return {"rmf_workload_activity": classes, "rmf_cpu_activity": processors or [], **tables}


# SYSA 80% in one half of the minute and 40 in the other, SYSB 20: 0.6 + 0.2 engines.
HALVES = [processor(0, 80.0, **span(0, 30)), processor(0, 40.0, **span(0.5, 30), line=40), processor(0, 20.0, system="SYSB", line=50)]  # fmt: skip
RATIO = "engines_online, engines_busy, capture_ratio_pct FROM capture_ratio"
WHAT_IF = "busy_after_pct, fits, gp_msu_saved, gp_msu_saved_service, msu_basis, cp_engines_saved FROM ziip_what_if"


test_what_classes_capture = examples(
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


test_figures_have_no_float_noise = examples(*(
    (asked, rows, f"CAST(COLUMNS(*) AS VARCHAR) FROM (SELECT {asked})", [(*values.split(),)])
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


test_percentiles_are_bounds_of_summed_buckets = examples(
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


# --- What if zIIP-eligible time ran on zIIPs --------------------------------------------------------------------------


def eligible(iip: float | None, iipcp: float | None, **other: Any) -> Row:
    """A minute of a class of so much zIIP and zIIP-eligible time, CP 60%."""
    return service_class("CICS", 60.0, appl_iip_pct=iip, appl_iipcp_pct=iipcp, **other)


def what_if(iip: float, iipcp: float, cp_busy: float = 50.0, *ziips: float, factor: float = 1.0) -> Rows:
    processors = [processor(0, cp_busy), *(processor(n, busy, kind="IIP") for n, busy in enumerate(ziips, 1))]
    return dict(rmf_workload_activity=[eligible(iip, iipcp)], rmf_cpu_activity=processors, **policy(factor))


# 0 and 0 in the second of six minutes; the fifth does not print it. Half a percent is some, be it on zIIPs or not, or on both.
ELIGIBLE = [(0.5, 0.0), (0.0, 0.0), (0.0, 0.5), (10.0, 20.0), (None, None), (0.5, 0.5)]
MINUTES = [eligible(iip, cp, line=10 + n) | span(n, 60) for n, (iip, cp) in enumerate(ELIGIBLE)]
OVERLAPPING = [
    eligible(50.0, iipcp, line=10 + n, source_id=source) | span(*at)
    for n, (iipcp, source, at) in enumerate(((10.0, "s1", (0, 60)), (10.0, "s1", (0, 180)), (10.0, "s1", (10, 60)), (11.0, "s2", (10, 60))))
]  # fmt: skip
IF_MOVED = "FROM ziip_what_if"


test_what_if = examples(
    ("interval and factor", what_if(50.0, 10.0, 70.0, 60.0, factor=2.0),
     "interval_start, interval_end, interval_s, scope, report_kind, normalization_factor, normalization_source, ziip_time_source, cp_engines_busy,"
     f" is_overlapping, is_conflicting {IF_MOVED}",
     [(*span(0, 60).values(), "SYSA", "interval", 2, "policy_page", "appl", approx(0.7), False, False)]),
    ("no eligible time is not listed", {"rmf_workload_activity": MINUTES}, f"minute(interval_start), crossover_pct {IF_MOVED} ORDER BY ALL",
     [(0, approx(0)), (2, approx(100)), (3, approx(200 / 3)), (5, approx(50))]),
    # 80 + 20 of 100%.
    ("zIIPs busy all the time fit", what_if(80.0, 20.0, 50.0, 80.0), f"busy_after_pct, fits {IF_MOVED}", [(approx(100), True)]),
    ("no zIIPs", what_if(0.0, 20.0), f"engines_online, engines_capacity, engines_busy_after, busy_after_pct, fits {IF_MOVED}", [(0, 0, approx(0.2),
     None, False)]),
    # 20% of an engine, where one general processor is busy and where none is.
    *((f"saved of {busy}%", what_if(0.0, 20.0, busy, 50.0), f"cp_engines_saved, cp_saved_pct {IF_MOVED}", [(approx(0.2), saved)])
      for busy, saved in ((100.0, approx(20)), (0.0, None))),
    ("overlaps and prints that differ", {"rmf_workload_activity": OVERLAPPING},
     f"is_overlapping, is_conflicting {IF_MOVED} ORDER BY interval_start, interval_end", [(True, False), (False, False), (False, True)]),
    # A factor of zero says nothing of zIIPs.
    ("factor of zero", what_if(50.0, 10.0, 50.0, 60.0, factor=0.0),
     f"engines_eligible, engines_busy_after, busy_after_pct, fits, cp_engines_saved {IF_MOVED}",
     [(None, None, None, None, approx(0.1))]),
)  # fmt: skip


# --- Two threads a core: both readings of APPL % IIP, work and capacity of zIIPs --------------------------------------


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


# --- What two reports of one interval say must fit together -----------------------------------------------------------


ZIIP = processor(3, 50.0, kind="IIP")


def _told(**rows: list[Row]) -> Asks[list[Row]]:
    return (yield rows).rows("FROM reports_disagree")


def test_classes_that_fit_the_engines_are_not_told():
    assert (yield from _told(rmf_workload_activity=captured(), rmf_cpu_activity=PROCESSORS)) == []


@pytest.mark.parametrize(
    ("engines", "told"),
    # 60 + 30 = 90% of general processors, 30 + 50 = 80% of zIIPs, which count twice under multithreading.
    [
        ([processor(0, 50.0, 90.0), ZIIP], []),
        ([processor(0, 50.0, 88.0), ZIIP], [("appl_cp_pct", 90.0, 88.0)]),
        ([processor(0, 50.0)], [("appl_iip_pct", 80.0, 0.0)]),
        ([processor(0, 50.0), processor(3, 50.0, 40.0, kind="IIP")], []),
        ([processor(0, 50.0), processor(3, 30.0, 39.0, kind="IIP")], [("appl_iip_pct", 80.0, 78.0)]),
    ],
)
def test_more_processor_time_than_engines_is_told(engines: list[Row], told: list[tuple[str, float, float]]):
    rows = yield from _told(rmf_workload_activity=captured(), rmf_cpu_activity=engines)
    assert [(r["column"], round(r["found"], 6), round(r["expected"], 6)) for r in rows] == told
    assert all((r["severity"], r["source_id"], r["line"]) == ("warn", "s1", 10) for r in rows)


def test_engines_of_a_name_that_two_sysplexes_have_say_nothing():
    """90% and 80% of an engine in each, beside 0.6 of one: of which SYSA it is nobody knows."""
    rows = [*captured(), *(r | {"sysplex": "PLEX2", "line": r["line"] + 100} for r in captured())]
    assert (yield from _told(rmf_workload_activity=rows, rmf_cpu_activity=[processor(0, 50.0, 60.0)])) == []


# Db2 counts 2091 accesses in 600 s: 3.485 a second.
@pytest.mark.parametrize(("rate", "seconds", "told"), [(1.75, 600, False), (1.7, 600, True), (6.9, 600, False), (7.0, 600, True), (7.0, 300, False)])  # fmt: skip
def test_accesses_of_db2_and_rmf_are_of_one_size(rate: float, seconds: float, told: bool):
    gbp = {"structure_name": "DSNDB2I1_GBP6", "structure_type": "CACHE", "contention_requests": None}
    one = structure(0, requests_per_s=rate, interval_s=float(seconds), **gbp)
    rows = yield from _told(db2_statistics_counter=counter_rows(GBP6), rmf_cf_structure_activity=[one])
    assert [(r["found"], round(r["expected"], 3)) for r in rows] == [(rate, 3.485)] * told
