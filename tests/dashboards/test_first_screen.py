"""The first screen: one finding, its verdict, the table with its evidence, what weakens it, and where the change comes from."""

import datetime as dt
import math
import re
from dataclasses import replace
from typing import Any

import pytest
from compared_runs import Comparison, comparison, unsigned
from ironlake.dashboards.first_screen.evidence import Compared, Intervals
from ironlake.dashboards.first_screen.finding import finding
from ironlake.dashboards.first_screen.headline import headline_study, page_finding
from ironlake.dashboards.first_screen.screen import first_screen, kicker, summary_table
from ironlake.dashboards.first_screen.waterfall import waterfall
from ironlake.dashboards.first_screen.weaknesses import verdict_of, weaknesses
from ironlake.dashboards.pages.comparability import notes_list
from ironlake.dashboards.parts import Table, strip
from ironlake.dashboards.study_rows import StudyMeasures
from ironlake.pipeline.study.windows import Window
from views_lake import START, Row, expect, heading

NEXT_WEEK = START + dt.timedelta(days=7)
QUARTER, HOUR = dt.timedelta(minutes=15), dt.timedelta(hours=1)
MINUTE = dt.timedelta(minutes=1)
RUNS = {"before": [Window(START, START + HOUR)], "after": [Window(NEXT_WEEK, NEXT_WEEK + HOUR)]}


def _row(start: dt.datetime, line: int, name: str, cp: float, on_cp: float, ziip: float, **other: Any) -> Row:
    row = heading(start, 900) | {"line": line, "class_kind": "service_class", "workload": name, "service_class": name}
    row |= {"appl_cp_pct": cp, "appl_iip_pct": ziip, "appl_iipcp_pct": on_cp, "appl_aapcp_pct": 0.0}
    return row | {"transactions_ended": 1000, "actual_time_s": 5.0} | other


def hour(start: dt.datetime, *classes: tuple[str, float, float, float], **other: Any) -> list[Row]:
    """Four quarters alike."""
    return [
        _row(start + n * QUARTER, 100 * n + at, *each, **other) for n in range(4) for at, each in enumerate(classes, 1)
    ]


def _shown(table: Table | None) -> list[list[str]]:
    assert table
    return [[" ".join([cell.text, *cell.notes]) for cell in row.cells[:4]] for row in table.bodies[0].rows]


BEFORE = (("DDF", 60.0, 20.0, 30.0), ("CICS", 100.0, 0.0, 0.0), ("BATCH", 40.0, 0.0, 0.0))
AFTER = (("DDF", 34.0, 2.0, 46.0), ("CICS", 102.0, 0.0, 0.0), ("BATCH", 40.0, 0.0, 0.0))


ONE = comparison(RUNS, rmf_workload_activity=[*hour(START, *BEFORE), *hour(NEXT_WEEK, *AFTER)])


@pytest.fixture(scope="module")
def one(compared: list[Comparison]) -> tuple[StudyMeasures, str]:
    """200% of CP before: 60 + 100 + 40; 176 after: 34 + 102 + 40. -24 of 200 = -12.0%. Of it zIIP-eligible 20 and 2; zIIP 30 and 46."""
    return compared[ONE].study, compared[ONE].page


def test_the_heading_is_the_finding_and_names_are_above_it(one: tuple[StudyMeasures, str]):
    study, page = one
    said = "“after” needs 12.0% less general-processor time than “before” (200 → 176% of one engine), nearly all of it in DDF"
    assert finding(study) == said
    assert f"<h1>{said}</h1>" in page
    assert (
        unsigned(kicker([study]))
        == "PLEX1 (SYSA, SYSB) · before: Tue 13 Apr 2021 10:00–11:00 · after: Tue 20 Apr 2021 10:00–11:00"
    )
    assert page.index('class="kicker"') < page.index("<h1>")


def _processors() -> list[Row]:
    machine = {"cpc_model": "717", "cpc_capacity": 3084, "processor_type": "CP", "processor_id": "0", "thread": 0}
    cpus = []
    for line, start in enumerate((at + n * QUARTER for at in (START, NEXT_WEEK) for n in range(4)), 500):
        row = heading(start, 900, scope=None, system="SYSA", line=line, is_total=False)
        cpus.append(row | machine | {"online_pct": 100.0})
    return cpus


_HALVED = [
    *hour(START, ("BATCH", 50.0, 0.0, 0.0), scope="SYSA"),
    *hour(NEXT_WEEK, ("BATCH", 25.0, 0.0, 0.0), scope="SYSA"),
]
IN_MSU = comparison(RUNS, rmf_workload_activity=_HALVED, rmf_cpu_activity=_processors())
WITHOUT_A_RATE = comparison(RUNS, rmf_workload_activity=_HALVED, rmf_cpu_activity=_processors()[1:])


def test_where_msu_are_known_the_heading_is_in_msu(compared: list[Comparison]):
    """A 8561-717 has 3084 MSU, 181.41 per CP: 50% of one engine is 90.71 and 25% are 45.35, 45.35 less."""
    said = "“after” needs 45.4 MSU less than “before” (90.7 → 45.4, −50.0%)"
    assert f"<h1>{said}</h1>" in compared[IN_MSU].page
    assert _shown(summary_table(compared[IN_MSU].study))[0] == [
        "MSU mean of the window", "90.7", "45.4", "−45.4 −50.0%",
    ]  # fmt: skip
    # One interval without its rate, and no MSU is told at all.
    said = "“after” needs 50.0% less CPU time than “before” (50 → 25% of one engine)"
    assert finding(compared[WITHOUT_A_RATE].study) == said


# 0.05% of an engine for an hour, then 25%.
ONE_DIGIT = comparison(
    RUNS,
    rmf_workload_activity=[
        row | {"appl_cp_pct": 0.05} if row["interval_start"] < NEXT_WEEK else row for row in _HALVED
    ],
    rmf_cpu_activity=_processors(),
)


def test_msu_of_one_printed_digit_have_no_percentage(compared: list[Comparison]):
    """0.05% are 0.0907 MSU, 25% are 45.35: 500 times as much, of a base that is 0.045 to 0.055%."""
    assert finding(compared[ONE_DIGIT].study) == "“after” needs 45.3 MSU more than “before” (0.1 → 45.4)"
    rows = _shown(summary_table(compared[ONE_DIGIT].study))
    assert [row for row in rows if any("%" in cell for cell in row[1:])] == []
    assert compared[ONE_DIGIT].table["change_pct"].to_pylist() == [None]


def _capacity(start: dt.datetime, count: int, msu: float, step: dt.timedelta = QUARTER) -> list[Row]:
    """CPU Activity of a 717, with so many MSU."""
    machine = {"cpc_model": "717", "cpc_capacity": msu, "processor_type": "CP", "processor_id": "0", "thread": 0}
    return [
        heading(start + n * step, step.total_seconds(), scope=None, system="SYSA", line=500 + n, is_total=False)
        | machine
        | {"online_pct": 100.0}
        for n in range(count)
    ]


def _series(start: dt.datetime, step: dt.timedelta, *values: dict[str, tuple[float, float]]) -> list[Row]:
    """Intervals of SYSA on end: CP and zIIP time of each class."""
    return [
        _row(start + n * step, 10 * n + at, name, cp, 0.0, ziip, scope="SYSA")
        | {"interval_end": start + (n + 1) * step, "interval_s": step.total_seconds()}
        for n, classes in enumerate(values)
        for at, (name, (cp, ziip)) in enumerate(classes.items(), 1)
    ]


def _windows(length: dt.timedelta, offset: dt.timedelta = dt.timedelta()) -> dict[str, list[Window]]:
    return {name: [Window(at + offset, at + offset + length)] for name, at in (("before", START), ("after", NEXT_WEEK))}


_NOISE = [1.0, -1.0, -1.0, 1.0] * 4
FASTER = comparison(
    _windows(4 * HOUR),
    rmf_workload_activity=[
        *_series(START, QUARTER, *({"A": (100.0, 0.0), "B": (50.0, 0.0)} for _ in _NOISE)),
        *_series(NEXT_WEEK, QUARTER, *({"A": (66.5 + n, 0.0), "B": (33.3, 0.0)} for n in _NOISE)),
    ],
    rmf_cpu_activity=[*_capacity(START, 16, 3084), *_capacity(NEXT_WEEK, 16, 4626)],
)


def test_on_a_faster_machine_headline_and_verdict_are_of_msu(compared: list[Comparison]):
    """3,084 MSU of 17 CPs are 181.41 for one, 4,626 are 272.12: 150% are 272.12 MSU and 99.8% are 271.57, 0.2% less; CP % is 33.5% less, all of it
    the machine's. After - before is -0.54 ± 2.72: √(16 × 2.72² / 15 / 16) = 0.703, t of 15 degrees 2.1314: -2.04 to 0.95."""
    study = compared[FASTER].study
    assert finding(study) == "“after” needs the same MSU as “before” within 1% (272.1 → 271.6)"
    sure = study.by_interval(study.configurations[1])
    assert sure
    ends = sure.sureness("msu")
    assert (ends.lower, ends.upper) == (pytest.approx(-2.04, abs=0.01), pytest.approx(0.95, abs=0.01))
    assert verdict_of(study).level == "inconclusive"
    assert verdict_of(study).reason == "the difference is within noise"
    # The table of the command says the same; on machines of two speeds no class has its part of it.
    (row,) = compared[FASTER].table.to_pylist()
    assert (row["measure"], row["before"], row["after"]) == ("MSU", 272.1, 271.6)
    assert (row["change_pct"], row["certainty"]) == (-0.2, "within noise")


# A machine of 706 with 700 MSU, then one of 1.5 times the speed with 1,050: 90% of an engine are 105 MSU, and 59.99% are 104.98.
AS_FAST = comparison(
    _windows(HOUR),
    rmf_workload_activity=[
        *_series(START, QUARTER, *({"A": (90.0, 0.0)} for _ in range(4))),
        *_series(NEXT_WEEK, QUARTER, *({"A": (59.99, 0.0)} for _ in range(4))),
    ],
    rmf_cpu_activity=[
        row | {"cpc_model": "706"} for row in (*_capacity(START, 4, 700), *_capacity(NEXT_WEEK, 4, 1050))
    ],
)


def test_a_change_that_rounds_to_zero_has_no_sign(compared: list[Comparison]):
    (row,) = compared[AS_FAST].table.to_pylist()
    assert (row["measure"], row["before"], row["after"], str(row["change_pct"])) == ("MSU", 105.0, 105.0, "0.0")


def _short(rows: list[Row], at: dt.datetime, start: dt.datetime, end: dt.datetime) -> list[Row]:
    """The interval that begins at `at` has other ends."""
    times = {"interval_start": start, "interval_end": end, "interval_s": (end - start).total_seconds()}
    return [row | (times if row["interval_start"] == at else {}) for row in rows]


_AGAIN = NEXT_WEEK + 7 * MINUTE
_TWO_HOURS = _series(START, QUARTER, *({"W": (120.0, 0.0), "B": (20.0, 0.0)} for _ in range(8)))
IPL = comparison(
    _windows(2 * HOUR),
    rmf_workload_activity=[
        *_TWO_HOURS,
        *_short(
            _series(NEXT_WEEK, QUARTER, *({"W": (114.0, 0.0), "B": (20.0, 0.0)} for _ in range(8))),
            NEXT_WEEK, _AGAIN, NEXT_WEEK + QUARTER,
        ),
    ],
    rmf_cpu_activity=[
        row | {"cpc_model": "706", "cpc_capacity": 700} | ({"boost_type": "Speed"} if row["interval_start"] == _AGAIN else {})
        for row in (*_capacity(START, 8, 0), *_short(_capacity(NEXT_WEEK, 8, 0), NEXT_WEEK, _AGAIN, NEXT_WEEK + QUARTER))
    ],
)  # fmt: skip


def test_a_short_interval_beside_like_ones_counts_for_its_time(compared: list[Comparison]):
    """700 MSU of 6 CPs are 116.67 for one: 140% are 163.33, and 134% are 156.33 in every interval, the first of which has 8 of 15 minutes: -4.3%."""
    assert (
        finding(compared[IPL].study)
        == "“after” needs 7.0 MSU less than “before” (163.3 → 156.3, −4.3%), all of it in W"
    )
    settled = {w.short: w.settle for w in weaknesses(compared[IPL].study)}
    assert settled["boost in one only"].endswith("compare intervals without it.")
    assert settled["different durations"] == "Ingest the missing intervals, or choose a window that is printed."


def _changed_policy(rows: list[Row]) -> list[Row]:
    """Another service policy from 10:20 on parts the second quarter."""
    at, found = NEXT_WEEK + 20 * MINUTE, []
    for row in rows:
        start, end, old = row["interval_start"], row["interval_end"], row["policy_activated_at"]
        parts = [(start, at, old), (at, end, at)] if start < at < end else [(start, end, at if start >= at else old)]
        for n, (one, other, activated) in enumerate(parts):
            times = {"interval_start": one, "interval_end": other, "interval_s": (other - one).total_seconds()}
            found.append(row | times | {"policy_activated_at": activated, "line": row["line"] + 1000 * n})
    return found


POLICY_CHANGE = comparison(
    _windows(2 * HOUR),
    rmf_workload_activity=[
        *_TWO_HOURS,
        *_changed_policy(_series(NEXT_WEEK, QUARTER, *({"W": (120.0, 0.0), "B": (20.0, 0.0)} for _ in range(8)))),
    ],
    rmf_cpu_activity=[
        row | {"cpc_model": "706", "cpc_capacity": 700, "lpar_busy_pct": 50.0}
        for row in (*_capacity(START, 8, 0), *_capacity(NEXT_WEEK, 8, 0))
    ],
)


def test_a_policy_change_leaves_msu_what_they_are_and_says_why_busy_is_unknown(compared: list[Comparison]):
    """140% in all intervals of both sides: 163.33 MSU."""
    study = compared[POLICY_CHANGE].study
    assert finding(study) == "“after” needs the same MSU as “before” within 1% (163 → 163)"
    (note,) = notes_list(study)
    assert note.startswith(
        "after: the service policy changed at 2021-04-20 10:20:00, within an interval of CPU Activity"
    )
    busy = {row["configuration"] for row in study.facts if row["fact"] == "busy_cp"}
    assert note.endswith("are not known.") == ("after" not in busy)
    assert "before" in busy
    # What is so of both is said once.
    row = {"note": "no_cpu", "class_kind": "service_class", "class_name": "CICS"}
    alike = replace(study, notes=[row | {"configuration": name} for name in ("before", "after")])
    assert [said.partition(": ")[::2] for said in notes_list(alike)] == [
        (
            "before, after",
            "no CPU printed for service class CICS: transaction classes; their CPU is in the classes of their regions.",
        )
    ]


OFFSET = comparison(
    RUNS,
    rmf_workload_activity=[
        *hour(START, ("A", 100.0, 0.0, 0.0), ("B", 100.0, 0.0, 0.0)),
        *hour(NEXT_WEEK, ("A", 148.3, 0.0, 0.0), ("B", 53.8, 0.0, 0.0)),
    ],
)


def test_a_class_that_others_offset_is_not_most_of_a_change(compared: list[Comparison]):
    """+48.3 of A and -46.2 of B are +2.1 of 200."""
    assert finding(compared[OFFSET].study) == (
        "“after” needs 1.1% more CPU time than “before” (200.0 → 202.1% of one engine); the largest change is A, +48.3 points"
    )


NORMALIZED = comparison(
    RUNS,
    rmf_workload_activity=[*hour(START, ("DDF", 20.0, 0.0, 60.0)), *hour(NEXT_WEEK, ("DDF", 100.0, 0.0, 10.0))],
    rmf_service_policy=[
        heading(at + n * QUARTER, 900, line=90 + n) | {"norm_factor_iip": 2.0}
        for at in (START, NEXT_WEEK)
        for n in range(4)
    ],
)


def test_all_cpu_time_is_normalised_where_the_factor_is_not_1(compared: list[Comparison]):
    """20 + 2 × 60 = 140, then 100 + 2 × 10 = 120: -14.3%. As measured 80 → 110, +37.5%, is work that runs on slower engines."""
    shown = {row[0]: row[1:] for row in _shown(summary_table(compared[NORMALIZED].study))}
    assert shown["All CPU time % of one general processor, zIIP time normalised"] == ["140", "120", "−20 −14.3%"]
    assert not [name for name in shown if name.endswith("as measured")]


_CYCLE = [1 + 0.5 * math.sin(2 * math.pi * n / 96) for n in range(96)]
OFFLOADED = comparison(
    _windows(24 * HOUR),
    rmf_workload_activity=[
        *_series(START, QUARTER, *({"DDF": (round(300 * c, 2), 0.01 * (n % 2))} for n, c in enumerate(_CYCLE))),
        *_series(NEXT_WEEK, QUARTER, *({"DDF": (round(170 * c, 2), round(131 * c + n % 3 - 1, 2))} for n, c in enumerate(_CYCLE))),
    ],
)  # fmt: skip


def test_what_follows_the_load_is_judged_by_the_load(compared: list[Comparison]):
    """zIIP time of 0.005%, a mean of 0.00 and 0.01, then 131% at the load of each quarter-hour ± 1: what general-processor time leaves is -1, 0, 1 …, of 96 that all
    count √(96 × 2/3 / 94 / 96) = 0.084, t of 94 degrees 1.986: 131.0 ± 0.17. No percentage of 0.005, whose digit is rounding."""
    study = compared[OFFLOADED].study
    (row,) = [row for row in summary_table(study).bodies[0].rows if row.cells[0].text == "zIIP time"]  # type: ignore[union-attr]
    assert [row.cells[3].text, row.cells[3].notes] == ["+131", []]
    assert not re.search(r"\d,\d{3}(\.\d)?%", compared[OFFLOADED].page + compared[OFFLOADED].headline)
    assert row.cells[4].text == "95% interval +130.8 to +131.2, of 96 like intervals, at the load of each"


def test_a_sign_test_speaks_where_the_interval_is_too_wide():
    """A zIIP load of its own, from nothing: 131 ± 65 in the course of a day that the rest of the work does not have. All 96 are above 0."""
    after = [131 * c for c in _CYCLE]
    sure = Compared(_intervals(*[0.0] * 96), _intervals(*after)).sureness("cp_pct")
    assert sure.lower is not None
    assert sure.lower < 0
    assert sure.differs
    assert sure.basis == "all 96 like intervals have the same sign (sign test)"
    # Of 60 on end noise alone may have one sign.
    assert not Compared(_intervals(*[0.0] * 60), _intervals(*after[:60])).sureness("cp_pct").of_one_sign


PEAKS = comparison(
    _windows(4 * HOUR, 4 * HOUR),
    rmf_workload_activity=[
        *_series(START, HOUR, *({"A": (cp, 0.0)} for cp in (550.0, 550.0, 550.0, 550.0, 800.0, 800.0, 800.0, 800.0))),
        *_series(NEXT_WEEK, HOUR, *({"A": (cp, 0.0)} for cp in (550.0, 550.0, 950.0, 950.0, 900.0, 550.0, 550.0, 550.0))),
    ],
    rmf_cpu_activity=[*_capacity(START, 8, 1700, HOUR), *_capacity(NEXT_WEEK, 8, 1700, HOUR)],
)  # fmt: skip


def test_row_one_of_msu_is_the_peak_of_the_four_hour_average(compared: list[Comparison]):
    """100 MSU for one CP, so a percent is an MSU. Before 612.5, 675, 737.5, 800; after (550 + 950 + 950 + 900) / 4 = 837.5, then 837.5, 737.5, 637.5.
    The means of the windows are 800 and 637.5."""
    assert _shown(summary_table(compared[PEAKS].study))[:2] == [
        ["MSU, four-hour average highest hour of the window, by workload activity", "800.0", "837.5", "+37.5 +4.7%"],
        ["MSU mean of the window", "800", "638", "−162 −20.3%"],
    ]


def test_the_table_leads_with_what_is_paid_for_and_ends_with_goals(one: tuple[StudyMeasures, str]):
    """DDF: 60% of 3,600 s over 4,000 transactions are 540 ms, 34% are 306 ms. CICS: 900 and 918 ms."""
    study, _ = one
    assert _shown(summary_table(study)) == [
        ["General-processor time % of one engine: what is paid for", "200", "176", "−24 −12.0%"],
        ["of it zIIP-eligible % of one engine: work that found no zIIP", "20", "2", "−18 −90.0%"],
        ["zIIP time % of one engine", "30", "46", "+16 +53.3%"],
        ["All CPU time % of one engine, zIIP time as measured", "230", "222", "−8 −3.5%"],
        ["GP time per transaction, CICS 4,000 → 4,000 transactions", "900 ms", "918 ms", "+18 ms +2.0%"],
        ["GP time per transaction, DDF 4,000 → 4,000 transactions", "540 ms", "306 ms", "−234 ms −43.3%"],
    ]


def test_the_evidence_is_after_minus_before_of_like_intervals(one: tuple[StudyMeasures, str]):
    study, page = one
    compared = Compared(study.intervals["before"], study.intervals["after"])
    assert compared.pairs("cp_pct") == pytest.approx([-24.0] * 4)
    assert compared.sureness("cp_pct").lower is None  # four on end are too few
    assert 'aria-label="After − before by interval: −24, −24, −24, −24"' in page


def test_few_intervals_make_weak_evidence_and_each_weakness_says_what_settles_it(one: tuple[StudyMeasures, str]):
    """18 of the 24 points are zIIP-eligible work: 75%."""
    study, page = one
    assert [(w.short, w.settle) for w in weaknesses(study)] == [
        ("mostly zIIP-eligible work", "Check whether the number of zIIPs or IIPHONORPRIORITY changed."),
        ("too few intervals for a 95% interval", "Add windows: at least 3 days a side, or 14 intervals on end."),
    ]
    assert [w.text for w in weaknesses(study)] == [
        "75% of the change is zIIP-eligible work that found a zIIP.", "4 intervals a side: too few for a 95% interval.",
    ]  # fmt: skip
    judged = verdict_of(study)
    assert (judged.level, judged.reason) == ("weak", "mostly zIIP-eligible work, too few intervals for a 95% interval")
    assert f'<p class="verdict weak">Weak evidence: {judged.reason}</p>' in page


def test_each_bar_of_the_waterfall_begins_where_the_one_above_ended(one: tuple[StudyMeasures, str]):
    """-26 of DDF from 0 to -26, +2 of CICS from -26 to -24, BATCH stays: of a width of 26, 0 is at 100%."""
    study, _ = one
    found = waterfall(study)
    assert found
    assert [(b.name, b.change, b.note) for b in found.bars] == [
        ("DDF", "−26.0", "0.0% transactions"), ("CICS", "+2.0", "0.0% transactions"), ("BATCH", "0.0", ""), ("together", "−24.0", ""),
    ]  # fmt: skip
    assert found.zero == 100
    # 8 points of other work, then 18 of zIIP-eligible.
    own, overflow = found.bars[0].pieces
    assert (own.style, own.left, own.width) == (
        "own",
        pytest.approx(100 - 8 / 26 * 100, abs=0.01),
        pytest.approx(8 / 26 * 100, abs=0.01),
    )
    assert (overflow.style, overflow.left, overflow.width) == ("overflow", 0, pytest.approx(18 / 26 * 100, abs=0.01))
    (cics,) = found.bars[1].pieces
    assert (cics.left, cics.width) == (0, pytest.approx(2 / 26 * 100, abs=0.01))


def test_the_copied_text_leaves_out_nothing_of_the_first_screen(one: tuple[StudyMeasures, str]):
    """Every number of its table and waterfall, every weakness with what settles it; at the end when and by what it was made."""
    study, page = one
    screen = first_screen([study], finding(study))
    lines, found = screen.text.splitlines(), waterfall(study)
    assert (lines[0], lines[1].partition(": ")[0]) == (finding(study) + ".", "Weak evidence")
    assert (
        "- General-processor time (% of one engine: what is paid for): before 200; after 176; Change −24 (−12.0%); "
        "After − before by interval: −24, −24, −24, −24"
    ) in lines
    assert 'data-copy="summary-text"' in page
    assert found
    assert screen.table
    cells = [text for row in screen.table.bodies[0].rows for c in row.cells for text in (c.text, *c.notes)]
    for words in [*cells, *(bar.change for bar in found.bars), *(w.settle for w in weaknesses(study))]:
        assert words in screen.text
    assert (
        "Change of general-processor time by class, points of one engine:\n- DDF: −26.0 (0.0% transactions)"
        in screen.text
    )
    copied = page[page.index('<pre id="summary-text">') : page.index("</pre>")]
    assert re.search(r"Made \d{4}-\d\d-\d\d by Ironlake ", copied)


def _intervals(*values: float, days: bool = False) -> Intervals:
    return Intervals([
        {"cpu_pct": v, "run_number": n if days else 1, "place": 0 if days else n, "place_s": 900, "interval_s": 900, "follows": n > 0 and not days, "cp_pct": v}
        for n, v in enumerate(values)
    ])  # fmt: skip


def _hours(*days: float, by_day: bool = False) -> Intervals:
    """Hours of days, each day at its level, as one run or as a run each."""
    return Intervals([
        {"run_number": day if by_day else 0, "place": hour + (0 if by_day else 24 * day), "place_s": 3600, "interval_s": 3600 + hour % 2,
         "follows": hour > 0 or (day > 0 and not by_day), "cp_pct": level + hour % 2, "cpu_pct": level + hour % 2}
        for day, level in enumerate(days) for hour in range(24)
    ])  # fmt: skip


# What is before and after, the ends of the interval of their difference, and what it is of.
SURE = [
    # Windows are independent. Differences -10, -11, -9, s = 1, of the mean 1/√3 = 0.5774; t of 2 degrees 4.3027: -10 ± 2.484.
    (_intervals(100, 102, 104, days=True), _intervals(90, 91, 95, days=True), -12.484, -7.516, "of 3 like windows"),
    # Differences -2, 1, -1: s² = 7/3, -0.667 ± 4.3027 × 0.8819.
    (_intervals(100, 102, 104, days=True), _intervals(98, 103, 103, days=True), -4.461, 3.128, "of 3 like windows"),
    # 20 intervals that rise from 100 to 1,050 and differ by 9, 11, 9, 11 …: autocorrelation of neighbours below 0, so all 20 count; they have
    # no daily cycle. The load of an interval is 50 (n - 9.5) ± 0.5 off its mean, Σ of squares 1,663,005, and explains 510² / 1,663,005 =
    # 0.156 of the squares of 20: √(19.844 / 18 / 20) = 0.2348; t of 18 degrees 2.1009: 10 ± 0.493.
    (
        _intervals(*(100 + 50 * n for n in range(20))), _intervals(*(109 + 50 * n + 2 * (n % 2) for n in range(20))),
        9.507, 10.493, "of 20 like intervals, at the load of each",
    ),
    # Equal differences are known to their digits: both values are rounded to 0.01, so a difference may be off by 0.01.
    (_intervals(100, 102, 104, days=True), _intervals(90, 92, 94, days=True), -10.01, -9.99, "of 3 like windows"),
    # Hours of a day share what is special to it: days that differ by 10, 20, 30 count for 3, not for 72 hours: 20 ± 4.3027 × 10/√3 = 24.841.
    (_hours(100, 100, 100, by_day=True), _hours(110, 120, 130, by_day=True), -4.841, 44.841, "of 3 like windows"),
    # Of 20 days on end that differ by 9, 11, 9, 11 … each counts, one side having no load to go by: s² = 20/19, t of 19 degrees 2.0930:
    # 10 ± 0.480.
    (_hours(*[100.0] * 20), _hours(*[109.0, 111.0] * 10), 9.520, 10.480, "of 20 like days"),
    # Four days on end that differ by 5, 11, 5, 11 and, within each, by 12 more in every other hour: hours alone, whose neighbours are
    # opposite, would count as 96. Days: 14 ± 3.1824 × √12/2 = 5.512: no narrower than days apart.
    (
        _hours(100, 100, 100, 100),
        Intervals([{**r, "cp_pct": r["cp_pct"] + 12 * (r["place"] % 2)} for r in _hours(105, 111, 105, 111).rows]),
        14 - 5.512, 14 + 5.512, "of 4 like days",
    ),
    # Without like intervals, 4 windows against 3: s² of 100, 102, 104, 102 is 8/3, of 90, 92, 94 it is 4: √(2/3 + 4/3) = 1.414; Welch's
    # degrees 4 / ((4/9)/3 + (16/9)/2) = 3.857, t 2.8172: -10 ± 3.984.
    (
        _intervals(100, 102, 104, 102, days=True), _intervals(90, 92, 94, days=True),
        -13.984, -6.016, "of two means, not of like intervals",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "lower", "upper", "basis"), SURE)
def test_the_interval_of_a_difference(before: Intervals, after: Intervals, lower: float, upper: float, basis: str):
    sure = Compared(before, after).sureness("cp_pct")
    assert (sure.lower, sure.upper) == (pytest.approx(lower, abs=0.001), pytest.approx(upper, abs=0.001))
    assert sure.differs is not (lower < 0 < upper)
    assert sure.basis == basis


def test_a_half_hour_is_not_like_a_quarter():
    halves = Intervals([{**row, "interval_s": 1800} for row in _intervals(1, 2, 3).rows])
    compared = Compared(_intervals(1, 2, 3), halves)
    assert compared.pairs("cp_pct") == []
    assert compared.paired("cp_pct") == 0


def test_a_mean_with_an_unknown_interval_is_unknown():
    assert _intervals(10, 30).mean("cp_pct") == 20
    rows = [*_intervals(10, 30).rows, {"run_number": 1, "place": 2, "interval_s": 900, "follows": True, "cp_pct": None}]
    assert Intervals(rows).mean("cp_pct") is None
    assert Intervals(rows).estimate("cp_pct") is None


def test_a_strip_has_0_in_the_middle_and_its_numbers_in_words():
    """Of a reach of 11: -10 is at 50 - 10/11 × 50 = 4.55%."""
    found = strip([-10.0, 5.0], None, lambda v: f"{v:.0f}", "By interval")
    assert found
    assert (found.zero, list(found.dots), found.label) == (50, [4.55, 72.73], "By interval: -10, 5")
    # Its axis has round numbers: 10 is at 50 + 10/11 × 50 = 95.45%.
    assert list(found.ticks) == [(4.55, "−10"), (50, "0"), (95.45, "10")]
    assert strip([0.0, 0.0], None, str, "") is None


def _days(first: dt.datetime, *values: float) -> list[Row]:
    return [_row(first + n * dt.timedelta(days=7), n + 1, "CICS", cp, 0.0, 0.0) for n, cp in enumerate(values)]


def _of_days(before: tuple[float, ...], after: tuple[float, ...]) -> int:
    """A quarter of an hour of each day, a week apart."""
    weeks = [START + n * dt.timedelta(days=7) for n in range(len(before) + len(after))]
    sides = {"before": weeks[: len(before)], "after": weeks[len(before) :]}
    runs = {name: [Window(w, w + QUARTER) for w in of] for name, of in sides.items()}
    return comparison(runs, rmf_workload_activity=_days(START, *before, *after))


STRONG, NOISE = _of_days((100, 102, 104), (90, 91, 95)), _of_days((100, 102, 104), (98, 103, 103))
FEW_ALIKE = _of_days((100, 102, 104, 102), (90, 92, 94))


def test_evidence_is_strong_where_the_interval_leaves_out_0_and_days_are_alike(compared: list[Comparison]):
    study = compared[STRONG].study
    judged = verdict_of(study)
    assert (judged.level, judged.reason) == ("strong", "the 95% interval leaves out 0, like for like")
    assert finding(study) == "“after” needs 9.8% less CPU time than “before” (102 → 92% of one engine)"
    judged = verdict_of(compared[NOISE].study)
    assert (judged.level, judged.reason) == ("inconclusive", "the difference is within noise")


def test_an_interval_that_is_not_of_like_intervals_is_a_weakness(compared: list[Comparison]):
    (found,) = [w for w in weaknesses(compared[FEW_ALIKE].study) if w.short == "few like intervals"]
    assert found.text.startswith("Time with like intervals on both sides: 75% in “after”. ")
    assert "of two means, not of like intervals" in compared[FEW_ALIKE].page


_CUT, _WEDNESDAY = dt.timedelta(minutes=5), NEXT_WEEK + dt.timedelta(days=1)
A_QUARTER = comparison(
    RUNS, rmf_workload_activity=[_row(START, 1, "CICS", 100.0, 0.0, 0.0), *hour(NEXT_WEEK, ("CICS", 80.0, 0.0, 0.0))]
)
CUT = comparison(
    {name: [Window(t + _CUT, t + _CUT + QUARTER)] for name, t in (("before", START), ("after", _WEDNESDAY))},
    rmf_workload_activity=[
        *hour(START, BEFORE[1]),
        *hour(_WEDNESDAY, ("CICS", 130.0, 0.0, 0.0), transactions_ended=1300),
    ],
)


def test_a_quarter_of_the_window_is_inconclusive_and_says_so_first(compared: list[Comparison]):
    study = compared[A_QUARTER].study
    assert weaknesses(study)[0].text == "Reports do not cover the windows: 25% in “before”."
    assert verdict_of(study).level == "inconclusive"
    assert verdict_of(study).reason.startswith("reports for 25% of the time")


def test_windows_that_cut_intervals_and_other_rates_and_weekdays_weaken(compared: list[Comparison]):
    """10:05 to 10:20 takes 10:00 and 10:15 whole; a Wednesday with 30% more transactions."""
    found = weaknesses(compared[CUT].study)
    texts = {w.short: w.text for w in found}
    assert "windows that cut intervals" in texts
    assert texts["different weekdays"] == "Different weekdays: Tuesday in “before”, Wednesday in “after”."
    assert texts["different transaction rates"] == (
        "The transaction rate is 30% higher (1.1 → 1.4/s): the change is not per transaction."
    )
    # What may turn the sign comes first; a weekday comes last.
    assert found[-1].short == "different weekdays"


_OTHER = {"sysplex": "PLEX2", "scope": "SYSC", "source_id": "s9", "source_file": "nine.txt"}
TWO = comparison(RUNS, rmf_workload_activity=[
    *hour(START, *BEFORE), *hour(NEXT_WEEK, *AFTER),
    _row(START, 1, "CICS", 20.0, 0.0, 0.0, **_OTHER), _row(NEXT_WEEK, 2, "CICS", 10.0, 0.0, 0.0, **_OTHER),
])  # fmt: skip


def test_of_two_sysplexes_the_one_with_whole_data_speaks_though_the_other_changes_more(compared: list[Comparison]):
    studies, page = compared[TWO].studies, compared[TWO].page
    assert [unsigned(s.name) for s in studies] == ["PLEX1", "PLEX2"]
    assert headline_study(studies) == 0
    assert unsigned(page_finding(studies)).startswith("PLEX1: “after” needs 12.0% less")
    # Never added up: 200 + 20 and 176 + 10.
    assert not re.search(r"\b(220|186)(\.0+)?%", page)
    others = {unsigned(o.name): (o.level, o.sentence) for o in first_screen(studies, "").others}
    assert "PLEX1" not in others
    expect(others, PLEX2=("inconclusive", "“after” needs 50.0% less CPU time than “before” (20 → 10% of one engine)"))
