"""Software MSU and service units, worked by hand."""

import datetime as dt

import pytest
from one_lake import Asks, each, examples
from rmf_rows import HOUR, MACHINE, clocked, hour_of, hourly, machine, partition, policy, processor, service_class
from views_lake import START, Row, approx, weeks_apart


def rated(*cases: dict[str, list[Row]], scope: str | None = "SYSA") -> Asks[list[tuple[float | None, str]]]:
    """MSU of a general processor, and its basis, of each case."""
    page = service_class("CICS", 50.0, seconds=900, scope=scope)
    lake = yield weeks_apart(*(case | {"rmf_workload_activity": [page]} for case in cases))
    found = lake.rows("FROM cpu_by_class ORDER BY interval_start")
    for row in found:
        assert row["gp_msu"] == (None if row["msu_per_cp"] is None else approx(row["msu_per_cp"] / 2))
    assert len(found) == len(cases)
    return [(row["msu_per_cp"], row["msu_basis"]) for row in found]


def cpus(*rows: Row) -> dict[str, list[Row]]:
    return {"rmf_cpu_activity": [*rows]}


def partitions(*rows: Row) -> dict[str, list[Row]]:
    return {"rmf_partition_data": [*rows]}


QUARTER = {"interval_s": 900.0, "interval_end": START + dt.timedelta(minutes=15)}


def test_the_partition_page_gives_the_msu_of_a_processor():
    """363 MSU in 1,800 s of 900: 2 engines, 181.5. Effective time is the one that ACT counts; total where there is no other. Two
    partitions: (363 + 91) / (2 + 0.5) = 181.6. A dedicated one is dispatched while it waits, *PHYSICAL* and TOTAL are none."""
    page = partition(0, 363.0, effective_dispatch=1800.0, total_dispatch=1900.0)
    total_alone = page | {"effective_dispatch": None, "total_dispatch": 1800.0}
    others = [
        page | {"partition": "LPARB", "msu_used": 91.0, "effective_dispatch": 450.0},
        page | {"partition": "LPARC", "msu_used": 10.0, "effective_dispatch": 900.0, "dedicated": True},
        page | {"partition": "*PHYSICAL*", "msu_used": 5.0},
        page | {"partition": None, "is_total": True},
        page | {"source_id": "s2"},
    ]
    assert (yield from rated(partitions(page), partitions(total_alone), partitions(page, *others))) == [
        (approx(msu), "partition_data") for msu in (181.5, 181.5, 181.6)
    ]


def test_a_model_names_its_general_processors():
    models: list[tuple[str | None, str, int | None]] = [
        ("8561", "717", 17), ("8561", "401", 1), ("8562", "Z06", 6), ("3932", "A02", 2), ("3906", "7A0", 100), ("8561", "7J0", 190),
        ("3931", "7K0", 200), (None, "717", 17), ("2086", "470", None), ("9672", "R36", None), ("8561", "400", None), ("8561", "E26X", None),
    ]  # fmt: skip
    pages = [
        processor(0, 50.0, cpc_type=cpc_type, cpc_model=model, cpc_capacity=1900.0, **QUARTER)
        for cpc_type, model, _ in models
    ]
    assert (yield from rated(*map(cpus, pages))) == [
        (None, "not_in_lake") if n is None else (approx(1900 / n), "cpc_capacity") for *_, n in models
    ]


def test_without_a_capacity_there_are_no_software_msu_and_a_word_says_why():
    cpu = processor(0, 50.0, **QUARTER) | MACHINE
    page = partition(0, 363.0, effective_dispatch=1800.0)
    cases: list[tuple[dict[str, list[Row]], str]] = [
        ({}, "not_in_lake"),
        (cpus(cpu | {"cpc_capacity": None}), "not_in_lake"),
        (cpus(cpu | {"system": "SYSB"}), "not_in_lake"),
        # An hour later it may be another machine.
        (partitions(partition(4, 363.0, effective_dispatch=1800.0)), "not_in_lake"),
        # ACT 9 is 8.5 to 9.5.
        (partitions(page | {"msu_used": 9.0, "effective_dispatch": 45.0}), "too_small"),
        # 250 MSU a processor by the one page, 181.4 by the other.
        (cpus(cpu) | partitions(page | {"msu_used": 500.0}), "contradicting"),
        (cpus(cpu, cpu | {"line": 99, "cpc_capacity": 2800.0}), "differing"),
    ]
    found, of_no_system = yield from each(rated(*(case for case, _ in cases)), rated(cpus(cpu), scope=None))
    assert found == [(None, basis) for _, basis in cases]
    assert of_no_system == [(None, "no_system")]


def test_systems_of_one_page_must_have_one_rate():
    """Two systems on machines alike, then one of them on a machine with a model of its own: 3084 / 17 and 2800 / 14."""
    a, b = (processor(0, 50.0, system=s, **QUARTER) | MACHINE for s in ("SYSA", "SYSB"))
    other = b | {"cpc_model": "714", "cpc_capacity": 2800.0}
    assert (yield from rated(cpus(a, b), cpus(a, other), cpus(a), scope="SYSA,SYSB")) == [
        (approx(3084 / 17), "cpc_capacity"), (None, "differing"), (None, "not_in_lake"),
    ]  # fmt: skip


# CP 200% on an 8561-717 of 3084 MSU with 91,954 SU/s: 2 x 3084 / 17 = 362.8 software MSU, and 2 x 91954 x 3600 / 1,000,000 = 662.1 million
# service units an hour, beside 363 that Partition Data prints for the same work.
SOFTWARE = dict(
    rmf_workload_activity=[service_class("CICS", 200.0, seconds=900)],
    rmf_cpu_activity=[processor(0, 100.0, **QUARTER) | MACHINE],
    rmf_partition_data=[partition(0, 363.0, effective_dispatch=1800.0, total_dispatch=1830.0)],
    **policy(1.0, 0, 900, su_per_s=91954.0),
)
# SU/SEC is of a system: SYSA has its own whatever SYSB has, and pages of both have none. CP 50% of an engine of 50,000 SU/s: 0.5 x 50000 x 3600 /
# 1,000,000 = 90 million service units an hour.
UNLIKE = policy()
UNLIKE["rmf_service_policy_system"] += [UNLIKE["rmf_service_policy_system"][0] | {"system": "SYSB", "su_per_s": 6e4}]
OF_BOTH = [service_class("CICS", 50.0), service_class("CICS", 70.0, scope="SYSA,SYSB", line=11)]
OWN = dict(rmf_workload_activity=[service_class("CICS", 50.0, appl_iip_pct=80.0)], **policy())


test_service_units = examples(
    ("software MSU are no service units", SOFTWARE, "gp_msu, msu_basis, gp_msu_service FROM cpu_by_class",
     [(approx(362.82, abs=0.01), "cpc_capacity", approx(662.07, abs=0.01))]),
    ("of four hours", SOFTWARE, "msu_source, msu, msu_service FROM rolling_four_hour_msu ORDER BY ALL",
     [("partition_data", 363.0, None), ("workload_activity", approx(362.82, abs=0.01), approx(662.07, abs=0.01))]),
    ("service units", OWN, "gp_msu_service, gp_msu FROM cpu_by_class", [(approx(90), None)]),
    ("systems of unlike speed", {"rmf_workload_activity": OF_BOTH, **UNLIKE}, "gp_msu_service FROM cpu_by_class ORDER BY scope", [(approx(90),),
     (None,)]),
)  # fmt: skip


# --- Four-hour averages and their peak, over gaps and clock changes ---------------------------------------------------


def test_an_interval_of_more_than_eight_hours_has_its_own_mean_alone():
    """12 hours of 100 MSU behind an hour of 50: the middle of the long interval is more than four hours before its end."""
    day = partition(4, 100.0, interval_end=START + 13 * HOUR, interval_s=12 * 3600.0)
    rows = [*hourly(50.0), day]
    found = (yield {"rmf_partition_data": rows}).rows("FROM interval_msu ORDER BY interval_start")
    assert [(r["mean_msu"], r["rolling_msu"], r["covered_s"]) for r in found] == [(50.0, None, 3600.0), (100.0, None, 43200.0)]  # fmt: skip


def test_four_hours_roll():
    """24 quarters: 8 of 100, 8 of 300, 8 of 200 MSU: four hours are full at the 16th; the averages then rise by 6.25 a quarter, from 200
    to 250. The last hour's are 231.25, 237.5, 243.75 and 250: 240.625 in the mean."""
    msu = [100.0] * 8 + [300.0] * 8 + [200.0] * 8
    rows = [partition(n, value) for n, value in enumerate(msu)]
    rows += [partition(n, 9999.0, partition="LPARB", line=99) for n in range(24)]
    rows += [partition(3, 9999.0, processor_type="IIP"), partition(3, 9999.0, is_total=True, partition=None)]
    rows += [partition(5, 300.0, interval_s=3600.0, interval_end=START + dt.timedelta(hours=3), report_kind="duration")]
    rows += [partition(4, 100.0, source_id="s2"), partition(4, 777.0, interval_s=300.0, line=77,
        interval_start=START + dt.timedelta(minutes=65), interval_end=START + dt.timedelta(minutes=70))]  # fmt: skip
    found = (yield {"rmf_partition_data": rows}).rows("FROM rolling_four_hour_msu ORDER BY interval_start")
    assert [(r["msu_source"], r["scope"]) for r in found] == [("partition_data", "SYSA")] * 24
    assert [r["rolling_msu"] for r in found[:15]] == [None] * 15
    assert [found[n]["rolling_msu"] for n in (15, 16, 19, 23)] == pytest.approx([200, 206.25, 225, 250])
    assert [found[n]["mean_msu"] for n in (0, 9)] == pytest.approx([100, 140])
    assert [found[n]["covered_s"] for n in (0, 15, 23)] == [900, 14400, 14400]
    assert [n for n, row in enumerate(found) if row["is_peak"]] == [23]
    assert found[23]["hourly_msu"] == pytest.approx(240.625)
    assert len(found[4]["refs"]) == 2


def test_a_gap_or_an_unknown_interval_gives_no_four_hour_average():
    rows = [partition(n, None if n == 20 else 100.0) for n in range(24) if n != 2]
    found = (yield {"rmf_partition_data": rows}).rows("FROM rolling_four_hour_msu ORDER BY interval_start")
    assert [r["interval_start"].hour * 4 + r["interval_start"].minute // 15 - 40 for r in found if r["rolling_msu"]] == [18, 19]  # fmt: skip
    assert {r["is_peak"] for r in found} == {None}


def test_the_peak_is_that_of_hourly_means():
    """Four hours of 550, then four of 800. The averages that end in the last hour hold 3, 2, 1 and 0 quarters of 550: 800 - 250 x 3/16 =
    753.125, 768.75, 784.375 and 800: 776.5625 in the mean, where the highest on the grid of intervals is 800."""
    lake = yield {"rmf_partition_data": [partition(n, 550.0 if n < 16 else 800.0) for n in range(32)]}
    grid = lake.rows("FROM rolling_four_hour_msu ORDER BY interval_start")
    assert max(r["rolling_msu"] for r in grid if r["rolling_msu"]) == 800
    assert [(n, r["hourly_msu"]) for n, r in enumerate(grid) if r["is_peak"]] == [(31, pytest.approx(776.5625))]
    hours = lake.rows("FROM hourly_four_hour_msu ORDER BY hour_start")
    # From 14:00 on all four averages of an hour lie in what is printed: 550 + 250 x (1 + 2 + 3 + 4) / 64 = 589.0625, 62.5 more each hour.
    assert [r["rolling_msu"] for r in hours] == [None] * 4 + [pytest.approx(589.0625 + 62.5 * n) for n in range(4)]
    assert [r["is_peak"] for r in hours] == [False] * 7 + [True]
    # An LPAR alone is its machine; it has no row twice.
    assert {(r["level"], r["name"], r["scope"], r["machine"]) for r in hours} == {
        ("partition", "LPARA", "SYSA", "SYSA")
    }


def test_no_peak_where_an_hour_is_not_known():
    """Four hours of 725, four of nothing, four of 900: the peak is 900. With the tenth hour not read what is known is 725 at most, and
    three averages are not known: no hour is the peak. Nor is one where the hour is missing."""
    msu = [725.0] * 4 + [0.0] * 4 + [900.0] * 4
    missing = [row for n, row in enumerate(hourly(*msu)) if n != 9]
    lakes = yield [{"rmf_partition_data": of} for of in (hourly(*msu), hourly(*msu[:9], None, *msu[10:]), missing)]
    for lake, unknown, peak in zip(lakes, (0, 3, 3), ([11], [], []), strict=True):
        hours = lake.rows("FROM hourly_four_hour_msu ORDER BY hour_start")
        assert {r["hours_unknown"] for r in hours} == {unknown}
        assert [hour_of(r) for r in hours if r["is_peak"]] == peak
        assert max(r["rolling_msu"] for r in hours if r["rolling_msu"] is not None) == (725 if unknown else 900)
        assert [hour_of(r, "interval_start") for r in lake.rows("FROM rolling_four_hour_msu") if r["is_peak"]] == peak
        assert (None in {r["is_peak"] for r in hours}) == bool(unknown)


def test_a_last_hour_that_is_missing_is_not_known_either():
    """Six hours, one that is missing, and a quarter after it: the averages of the missing hour may have been the highest."""
    rows = [[*hourly(1, 2, 3, 4, 5, 6), partition(quarter, 7.0, source_id="SYSA")] for quarter in (28, 24)]
    lake, whole = yield [{"rmf_partition_data": some} for some in rows]
    hours = lake.rows("FROM hourly_four_hour_msu ORDER BY hour_start")
    assert {(r["hours_unknown"], r["is_peak"]) for r in hours} == {(1, None)}
    assert [hour_of(r) for r in whole.rows("FROM hourly_four_hour_msu WHERE is_peak")] == [5]


def test_each_stretch_without_a_gap_of_four_hours_has_its_peak():
    """Two days of six hours: no four hours reach from the one to the other."""
    rows = hourly(10, 20, 30, 40, 50, 60, *[None] * 18, 1, 2, 3, 4, 5, 6)
    lake = yield {"rmf_partition_data": [row for row in rows if row["msu_used"] is not None]}
    peaks = lake.rows("FROM hourly_four_hour_msu WHERE is_peak ORDER BY hour_start")
    # (30 + 40 + 50 + 60) / 4 = 45 and (3 + 4 + 5 + 6) / 4 = 4.5.
    assert [(hour_of(r), r["rolling_msu"]) for r in peaks] == [(5, 45), (29, 4.5)]


def test_a_reporting_period_begins_with_the_second_of_the_month():
    """START is 446 hours before 2 May. 10 MSU, then 90 in hours 452 to 455. An hour that is not read leaves 100 to 103 unknown, all of
    April's report; one that is missing at its end is of April, and the three that look back on it are of May."""
    msu: list[float | None] = [90.0 if 452 <= n < 456 else 10.0 for n in range(470)]
    whole = hourly(*msu)
    pages = whole, [*whole[:100], whole[100] | {"msu_used": None}, *whole[101:]], [*whole[:445], *whole[446:]]
    lakes = yield [{"rmf_partition_data": rows} for rows in pages]
    for lake, unknown, peaks in zip(lakes, ([0, 0], [4, 0], [1, 3]), ([3, 455], [455], []), strict=True):
        months = lake.rows("SELECT reporting_month, hours_unknown FROM hourly_four_hour_msu GROUP BY ALL ORDER BY ALL")
        assert [(r["reporting_month"].month, r["hours_unknown"]) for r in months] == list(
            zip((4, 5), unknown, strict=True)
        )
        assert [hour_of(r) for r in lake.rows("FROM hourly_four_hour_msu WHERE is_peak ORDER BY hour_start")] == peaks


SET_BACK = [0, 1, 2, 3, 3, 4, 5, 6, 7]
SUMMER_THEN_WINTER = [-240] * 4 + [-300] * 5
UNKNOWN = clocked(SET_BACK, [None] * 9, *range(0, 90, 10))
# Neither ends at the millisecond of the other, so they are no prints of one.
LATE = [r | ({"source_id": "s2", "interval_end": r["interval_end"] + dt.timedelta(milliseconds=3)} if n == 4 else {}) for n,
 r in enumerate(UNKNOWN)]  # fmt: skip
# Four hours without the repeated one are: 50, 60, 70, 80.
AFTER = [(n, None, None) for n in range(7)] + [(7, 65, None)]
# 10:00 to 15:00, the hour from 14:00 again, then to 20:00. An interval that two sources or one page print again is no hour repeated.
QUARTERS = [partition(q, 100.0, line=10 + n) for n, q in enumerate([*range(20), *range(16, 40)])]
AGAIN = [partition(q, 100.0, line=10 + n) for n, q in enumerate([*range(8), 7, *range(8, 24)])]
AGAIN += [partition(q, 100.0, source_id="s2") for q in range(24)]
# The hour 3 does not exist. With offsets the others follow each other: (0 + 10 + 20 + 40) / 4 = 17.5. Without them it is missing.
FORWARD = ([0, 1, 2, 4, 5, 6, 7, 8], [-300] * 3 + [-240] * 5, [0, 10, 20, 40, 50, 60, 70, 80])
ORDER = "FROM rolling_four_hour_msu ORDER BY interval_start, refs[1].line"
AVERAGES = f"date_diff('hour', TIMESTAMP '{START}', interval_start), rolling_msu, is_peak {ORDER}"


test_averages_over_changes_of_the_clock = examples(
    # Nine hours of 0, 10, … 80, the hour 3 twice: the mean of four that follow each other is 15, 25, … 65.
    ("set back with offsets", {"rmf_partition_data": clocked(SET_BACK, SUMMER_THEN_WINTER, *range(0, 90, 10))}, AVERAGES,
     [(0, None, False), (1, None, False), (2, None, False), (3, 15, False), (3, 25, False), (4, 35, False), (5, 45, False), (6, 55, False), (7, 65,
      True)]),
    # The repeated hour is not known, be its values unlike or equal.
    ("set back without offsets", {"rmf_partition_data": UNKNOWN}, AVERAGES, AFTER),
    ("equal values", {"rmf_partition_data": clocked(SET_BACK, [None] * 9, 0, 10, 20, 30, 30, 50, 60, 70, 80)}, AVERAGES, AFTER),
    ("two files with other ends", {"rmf_partition_data": LATE}, AVERAGES, AFTER),
    # The equal values of the repeated hour count neither once nor twice.
    ("quarters that the clock repeats", {"rmf_partition_data": QUARTERS}, f"rolling_msu IS NOT NULL {ORDER}",
     [(n in (15, *range(35, 40)),) for n in range(40)]),
    ("quarters printed again", {"rmf_partition_data": AGAIN}, f"rolling_msu {ORDER} OFFSET 15", [(100,)] * 9),
    ("set forward with offsets", {"rmf_partition_data": clocked(*FORWARD[:2], *FORWARD[2])}, f"rolling_msu, is_peak {ORDER}",
     [(msu, n == 7) for n, msu in enumerate((None, None, None, 17.5, 30, 42.5, 55, 65))]),
    ("set forward without offsets", {"rmf_partition_data": clocked(FORWARD[0], [None] * 8, *FORWARD[2])}, f"rolling_msu, is_peak {ORDER}",
     [(msu, None) for msu in (*[None] * 6, 55, 65)]),
    ("a zone of half hours", {"rmf_partition_data": clocked(list(range(6)), [330] * 6, *range(0, 60, 10))}, f"{AVERAGES} OFFSET 3",
     [(3, 15, False), (4, 25, False), (5, 35, True)]),
)  # fmt: skip


def test_workload_pages_of_a_repeated_hour_are_known_by_their_offsets():
    """CP 10% in each of nine hours, the hour 3 twice, and 11% in its second: 10% of 181.4 MSU, with the second 10.25%. Without offsets four hours
    that hold it are not known, and 7 is."""
    rows = [service_class("CICS", 10.0 + (n == 4), 60 * hour, 3600, line=10 + n) for n, hour in enumerate(SET_BACK)]
    pages = [
        [row | {"utc_offset_minutes": offset} for row, offset in zip(rows, offsets, strict=True)]
        for offsets in ([None] * 9, SUMMER_THEN_WINTER)
    ]
    unknown, known = yield [{"rmf_workload_activity": of, "rmf_cpu_activity": machine(8)} for of in pages]
    one = pytest.approx(3084 / 17 / 10)
    assert [r["rolling_msu"] for r in unknown.rows("FROM rolling_four_hour_msu ORDER BY interval_start")] == [
        None
    ] * 7 + [one]
    hours = known.rows("FROM hourly_four_hour_msu ORDER BY hour_start, utc_offset_minutes DESC")
    assert [r["rolling_msu"] for r in hours] == [None] * 3 + [one] + [pytest.approx(3084 / 17 * 0.1025)] * 4 + [one]


def test_hours_that_other_reports_have_and_partition_data_has_not_are_unknown():
    """A day from midnight on. Partition Data has the first 40 of 96 quarters: of the 20 hours in which four are full, those from 10:00 on are
    not known, 14. CPU Activity alone, or workload pages, or another system's Partition Data of the machine show that there are more. Where
    Partition Data begins at 06:00, the averages from 04:00 to 10:00 are not known, 6. Without other reports nothing is missing."""
    midnight = START.replace(hour=0)
    quarters = [partition(n - 40, 240.0 if n == 39 else 100.0) for n in range(96)]
    cpu = machine(24, interval_s=3600.0)
    cpu = [r | {k: r[k] - 10 * HOUR for k in ("interval_start", "interval_end")} for r in cpu]
    pages = [
        service_class("W", 10.0, line=n)
        | {"interval_start": midnight + n * HOUR, "interval_end": midnight + (n + 1) * HOUR, "interval_s": 3600.0}
        for n in range(24)
    ]
    first, late = quarters[:40], quarters[24:]
    cases = [
        ({"rmf_partition_data": first, "rmf_cpu_activity": cpu}, 14),
        ({"rmf_partition_data": first, "rmf_workload_activity": pages}, 14),
        ({"rmf_partition_data": late, "rmf_cpu_activity": cpu}, 6),
        ({"rmf_partition_data": first, "rmf_cpu_activity": cpu[:10]}, 0),
        ({"rmf_partition_data": first}, 0),
    ]
    for lake, (_, unknown) in zip((yield [rows for rows, _ in cases]), cases, strict=True):
        of = "FROM hourly_four_hour_msu WHERE msu_source = 'partition_data' AND level = 'partition'"
        hours = lake.rows(f"{of} ORDER BY hour_start")
        assert len(hours) == (18 if unknown == 6 else 10)
        assert {row["hours_unknown"] for row in hours} == {unknown}
        assert {row["is_peak"] for row in hours} == ({None} if unknown else {False, True})
