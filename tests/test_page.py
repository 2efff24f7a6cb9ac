"""The comparison page: which intervals a window stands for, what is said, what is escaped, and that it opens offline."""

import datetime as dt
import re
from pathlib import Path
from typing import Any

import pytest
from ironlake.dashboards.compare import compare, compare_runs
from ironlake.dashboards.windows import Interval, choose
from ironlake.pipeline.errors import IronlakeError
from pages import opened, pictures_of
from views_lake import START, MemoryLake, Row, heading

NEXT_WEEK = START + dt.timedelta(days=7)
MINUTE = dt.timedelta(minutes=1)
RUNS = {"before": (START, START + 2 * MINUTE), "after": (NEXT_WEEK, NEXT_WEEK + 2 * MINUTE)}


def _row(start: dt.datetime, line: int, cp: float | None, ended: int | None = 1000, **other: Any) -> Row:
    source = {"source_id": "s2", "source_file": "after.txt"} if start >= NEXT_WEEK else {"source_file": "before.txt"}
    row = heading(start) | source | {"line": line, "class_kind": "service_class", "workload": "ONLINE"}
    row |= {"service_class": "CICS", "appl_cp_pct": cp, "appl_iip_pct": 20.0, "appl_iipcp_pct": 5.0}
    row |= {"appl_aapcp_pct": 0.0, "transactions_ended": ended, "actual_time_s": 0.1, "total_service": 1}
    return row | other


def _rows(**other: Any) -> list[Row]:
    """CICS: 40 and 60% CP before, 30 and 30% after, two minutes each; zIIP 20 and IIPCP 5 throughout."""
    return [
        _row(START, 10, 40.0, **other),
        _row(START + MINUTE, 20, 60.0, 3000, **other),
        _row(NEXT_WEEK, 30, 30.0, 2000, **other),
        _row(NEXT_WEEK + MINUTE, 40, 30.0, 2000, **other),
    ]


def _page(lake: MemoryLake, tmp_path: Path, runs: dict[str, Any] = RUNS) -> tuple[str, str]:
    headline = compare_runs(lake, runs, tmp_path / "page.html")
    return headline, (tmp_path / "page.html").read_text("utf-8")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Headline and page of the plain lake."""
    return _page(MemoryLake(rmf_workload_activity=_rows()), tmp_path_factory.mktemp("plain"))


def _title(page: str, picture: str) -> str:
    (found,) = re.findall(rf'<h3 id="{picture}-title">(.*?)</h3>', page)
    return found


def _notes(lake: MemoryLake, runs: dict[str, Any] = RUNS) -> str:
    return "\n".join(note.text for note in compare(lake, runs).notes)


# --- Numbers -------------------------------------------------------------------------------------------------------


def test_rates_are_weighted_by_time_and_costs_come_from_sums():
    """An interval of 60 s at 40% and one of 180 s at 60%: 55% of CP, not 50; 0.2 × 60 s + … of CPU over all that ended."""
    long = _row(START + MINUTE, 20, 60.0, 3000, interval_s=180.0, interval_end=START + 4 * MINUTE)
    lake = MemoryLake(rmf_workload_activity=[_row(START, 10, 40.0), long])
    (measure,) = compare(lake, {"only": (START, START + 4 * MINUTE)}).classes
    assert measure.values["cpu_pct"] == pytest.approx(75.0)
    assert measure.values["non_ziip_eligible_pct"] == pytest.approx(50.0)
    assert measure.values["ziip_on_cp_pct"] == pytest.approx(5.0)
    assert measure.values["ziip_pct"] == pytest.approx(20.0)
    assert measure.values["transactions"] == 4000
    assert measure.values["cpu_ms_per_transaction"] == pytest.approx((0.6 * 60 + 0.8 * 180) / 4000 * 1000)


def test_headline_says_what_changed(plain: tuple[str, str]):
    """CP 40 and 60% of two minutes, 60 s for 4,000 transactions, then 30%, 36 s for as many; zIIP time of 20% in both."""
    headline, page = plain
    assert headline == (
        "after uses less general-processor time than before: 50.00% → 30.00% of one engine (−40.0%). All CPU time: 70.00% → 50.00% "
        "(−28.6%). General-processor time per transaction: CICS 15 → 9 ms (−40.0%)."
    )
    assert headline in page


def test_headline_says_what_is_not_alike():
    rows = [r | ({"release": "z/OS V2R3"} if r["interval_start"] >= NEXT_WEEK else {}) for r in _rows()]
    comparison = compare(MemoryLake(rmf_workload_activity=rows), RUNS)
    assert comparison.headline.endswith("Not like for like: other release.")
    assert "Release: before has z/OS V2R2, after has z/OS V2R3." in [n.text for n in comparison.notes]


def test_a_class_that_lacks_its_cpu_once_has_none_and_is_named():
    rows = _rows()
    rows[1]["appl_cp_pct"] = None
    lake = MemoryLake(rmf_workload_activity=[*rows, *_rows_of("DB2")])
    comparison = compare(lake, RUNS)
    cics = next(c for c in comparison.classes if c.name == "CICS" and c.run == "before")
    assert cics.values["cpu_pct"] is None
    assert comparison.totals["before", "PLEX1"]["cpu_pct"] == pytest.approx(70.0)
    assert any("CICS lacks its CPU in 1 of 2 intervals" in n.text for n in comparison.notes)


def test_a_class_that_a_damaged_interval_lacks_is_not_known():
    """DB2 in the first of two minutes alone: 60% and 0 are 30% of both; where a line of the second was rejected it is not known."""
    rows = [*_rows(), *(row for row in _rows_of("DB2") if row["interval_start"] == START)]
    rows = [row | {"page": row["line"] // 10} for row in rows]
    lost = {"report": "rmf_workload_activity", "source_id": "s1", "source_file": "before.txt", "page": 2, "line": 29}
    found, known = {}, []
    for rejects in ([], [lost]):
        comparison = compare(MemoryLake(rmf_workload_activity=rows, parse_reject=rejects), RUNS)
        found[len(rejects)] = {c.name: c.values["cpu_pct"] for c in comparison.classes if c.run == "before"}
        known.append([p.cp_pct is not None for p in comparison.over_time if p.run == "before"])
    # Over time: the second minute is that of CICS alone, or of CICS and what could not be read.
    assert known == [[True, True], [True, False]]
    assert found[0] == {"CICS": pytest.approx(70), "DB2": pytest.approx(30)}
    assert found[1] == {"CICS": pytest.approx(70), "DB2": None}
    assert any(
        "DB2 is not printed in 1 intervals that have lines which could not be read" in n.text for n in comparison.notes
    )


def _rows_of(name: str) -> list[Row]:
    return [row | {"service_class": name, "line": row["line"] + 1} for row in _rows()]


def test_report_classes_are_never_added_to_service_classes(tmp_path: Path):
    report = [r | {"class_kind": "report_class", "service_class": None, "report_class": "R1"} for r in _rows()]
    headline, page = _page(MemoryLake(rmf_workload_activity=_rows() + report), tmp_path)
    assert "50.00% → 30.00% of one engine" in headline
    assert list(pictures_of(page)) == [
        "cpu_by_service_class",
        "cost_by_service_class",
        "cpu_over_time",
        "cpu_by_report_class",
        "cost_by_report_class",
    ]


def test_policy_block_shows_that_classes_are_missing():
    policy = [
        r | {"class_kind": "policy", "service_class": None, "workload": None, "appl_cp_pct": 90.0, "line": 5}
        for r in _rows()
    ]
    assert "classes are missing or a page is wrong" in _notes(MemoryLake(rmf_workload_activity=_rows() + policy))


# --- Windows -------------------------------------------------------------------------------------------------------


def _interval(start: dt.datetime, seconds: float = 60, **other: Any) -> Interval:
    return Interval(
        **{
            "class_kind": "service_class",
            "sysplex": "PLEX1",
            "scope": "SYSA,SYSB",
            "report_kind": "interval",
            "start": start,
            "end": start + dt.timedelta(seconds=seconds),
            "seconds": seconds,
            "policy_activated_at": None,
            "policy": "POLICY",
            "release": None,
            "report_version": None,
            "classes": 1,
        }
        | other
    )


def test_an_interval_belongs_where_its_midpoint_is():
    intervals = [_interval(START), _interval(START + MINUTE)]
    for late_s, count in ((0, 2), (30, 2), (31, 1), (91, 0)):
        run = choose(intervals, "x", START + dt.timedelta(seconds=late_s), START + 2 * MINUTE)
        assert len(run.main) == count
    assert len(choose(intervals, "x", START, START + dt.timedelta(seconds=90)).main) == 1


def test_neighbours_that_touch_by_milliseconds_do_not_overlap():
    intervals = [_interval(START, 60.013), _interval(START + MINUTE, 59.995)]
    run = choose(intervals, "x", START, START + 2 * MINUTE)
    assert (len(run.main), run.left_out) == (2, [])


def test_of_overlapping_intervals_the_one_with_more_systems_stands():
    wide, narrow = _interval(START), _interval(START + dt.timedelta(seconds=20), scope="SYSA", classes=9)
    run = choose([narrow, wide], "x", START, START + 2 * MINUTE)
    assert (run.main, run.left_out) == ([wide], [narrow])


def test_half_a_window_is_said():
    wide = {**RUNS, "before": (START, START + 4 * MINUTE)}
    text = _notes(MemoryLake(rmf_workload_activity=_rows()), wide)
    assert "before: the printed intervals cover 120 of the 240 s asked for (50.0%)" in text
    assert "after: the printed intervals" not in text


def test_duration_reports_serve_only_where_no_interval_report_does():
    duration = [r | {"report_kind": "duration", "line": r["line"] + 500, "appl_cp_pct": 99.0} for r in _rows()]
    both = compare(MemoryLake(rmf_workload_activity=_rows() + duration), RUNS)
    assert both.totals["before", "PLEX1"]["cpu_pct"] == pytest.approx(70.0)
    alone = compare(MemoryLake(rmf_workload_activity=duration), RUNS)
    assert alone.totals["before", "PLEX1"]["cpu_pct"] == pytest.approx(119.0)
    assert any("rests on duration reports" in n.text for n in alone.notes)


@pytest.mark.parametrize("shift_s", [0, 20])
def test_overlapping_prints_of_fewer_systems_are_left_out_and_said(shift_s: int):
    shift = dt.timedelta(seconds=shift_s)
    part = [
        r | {"scope": "SYSA", "line": r["line"] + 500, "appl_cp_pct": 10.0}
        | {k: r[k] + shift for k in ("interval_start", "interval_end")}
        for r in _rows()
    ]  # fmt: skip
    comparison = compare(MemoryLake(rmf_workload_activity=part + _rows()), RUNS)
    assert comparison.totals["before", "PLEX1"]["cpu_pct"] == pytest.approx(70.0)
    assert any("left out, not added" in n.text for n in comparison.notes)


def test_overlapping_prints_of_one_scope_are_not_added():
    shift = dt.timedelta(seconds=25)
    again = [
        r
        | {"line": r["line"] + 500, "appl_cp_pct": 90.0}
        | {k: r[k] + shift for k in ("interval_start", "interval_end")}
        for r in _rows()
    ]
    comparison = compare(MemoryLake(rmf_workload_activity=again + _rows()), RUNS)
    assert comparison.totals["before", "PLEX1"]["cpu_pct"] == pytest.approx(70.0)
    (measure,) = [c for c in comparison.classes if c.run == "before"]
    assert measure.intervals == 2


def _plex2(rows: list[Row], **other: Any) -> list[Row]:
    return [r | {"sysplex": "PLEX2", "scope": "SYSC", "line": r["line"] + 500} | other for r in rows]


def test_two_sysplexes_are_never_added(tmp_path: Path):
    """PLEX1 has 50 and 30% of CP in two minutes, PLEX2 4 and 4 in the first of each: 54 would be of no time that there is."""
    two = _plex2([r for r in _rows() if r["interval_start"] in (START, NEXT_WEEK)], appl_cp_pct=4.0, appl_iip_pct=0.0)
    lake = MemoryLake(rmf_workload_activity=_rows() + two)
    comparison = compare(lake, RUNS)
    assert [c.values["cpu_pct"] for c in comparison.classes if c.run == "before"] == [
        pytest.approx(70.0),
        pytest.approx(4.0),
    ]
    assert comparison.label("CICS", "PLEX2") == "PLEX2 · CICS"
    headline, page = _page(lake, tmp_path)
    assert headline.startswith(
        "PLEX1: after uses less general-processor time than before: 50.00% → 30.00% of one engine (−40.0%)."
    )
    assert "PLEX2: after uses the same CPU time as before within 1%: 4.00% → 4.00% of one engine (0.0%)." in headline
    assert "54.00" not in page
    assert page.count(">All service classes of PLEX") == 2
    cards = re.findall(r'<span class="what">(.*?)</span><span class="value">(.*?)</span>', page)
    assert [c for c in cards if c[0].startswith("General")] == [
        ("General-processor time, PLEX1 · after", "30.00%"),
        ("General-processor time, PLEX2 · after", "4.00%"),
    ]
    time = pictures_of(page)["cpu_over_time"]
    assert _title(page, "cpu_over_time") == (
        "How steady is the general-processor time? PLEX1: before 40 to 60%, after 30 to 30%; "
        "PLEX2: before 4% in its one interval, after 4% in its one interval of one engine"
    )
    assert [t["name"] for t in time["data"]] == ["before · PLEX1", "after · PLEX1", "before · PLEX2", "after · PLEX2"]


def test_a_sysplex_that_one_run_lacks_is_not_compared():
    comparison = compare(MemoryLake(rmf_workload_activity=_rows() + _plex2(_rows()[:2])), RUNS)
    assert "PLEX2: Not printed in after." in comparison.headline


@pytest.mark.parametrize("count", [2, 3, 8])
def test_every_run_is_compared_with_the_first(tmp_path: Path, count: int):
    """Week n has 40 - 3n% of CP: the last is not the only one that is said, and cards are of all runs where there are more than two."""
    rows, runs = [], {}
    for week in range(count):
        start = START + week * dt.timedelta(days=7)
        rows.append(_row(start, 10 * week + 1, 40.0 - 3 * week))
        runs[f"week {week}"] = (start, start + MINUTE)
    headline, page = _page(MemoryLake(rmf_workload_activity=rows), tmp_path, runs)
    for week in range(1, count):
        assert (
            f"week {week} uses less general-processor time than week 0: 40.00% → {40 - 3 * week}.00% of one engine"
            in headline
        )
    cards = re.findall(r'<span class="what">(.*?)</span><span class="value">(.*?)</span>', page)
    of_cp = [c for c in cards if c[0].startswith("General-processor time")]
    expected = [f"week {n}" for n in range(count)] if count > 2 else ["week 1"]
    assert [name for name, _ in of_cp] == [f"General-processor time, {name}" for name in expected]
    assert f"−{3 * (count - 1)}.00 points (−{7.5 * (count - 1):.1f}%) against week 0, 40.00%" in page
    title = _title(page, "cpu_by_service_class")
    assert title == (
        f"General-processor time: CICS changes most, −{3 * (count - 1)}.00 points of one engine (−{7.5 * (count - 1):.1f}%) "
        f"from week 0 to week {count - 1}"
    )


# --- Whose transactions ----------------------------------------------------------------------------------------------------


def _cics(before: tuple[float, float], after: tuple[float, float], ended: int = 1000) -> list[Row]:
    """Two regions of a workload that count no transactions, and a class that counts them and has no time; of each minute."""
    rows = []
    for start, line, of_regions in ((START, 10, before), (NEXT_WEEK, 30, after)):
        for at, (name, cp) in enumerate(zip(("REGION", "UPDATE"), of_regions, strict=True)):
            rows.append(
                _row(
                    start, line + at, cp, 0, service_class=name, appl_iip_pct=0.0, appl_iipcp_pct=0.0, actual_time_s=0.0
                )
            )
        none = {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
        rows.append(_row(start, line + 2, 0.0, ended, service_class="TRANS", **none))
    return rows


def _one_minute() -> dict[str, Any]:
    return {"before": (START, START + MINUTE), "after": (NEXT_WEEK, NEXT_WEEK + MINUTE)}


def test_a_class_whose_time_is_elsewhere_costs_no_zero(tmp_path: Path):
    """REGION and UPDATE burn 20 + 10% of a minute, 18 s, for 1,000 transactions of TRANS: 12 and 6 ms each, never 0."""
    lake = MemoryLake(rmf_workload_activity=_cics((20.0, 10.0), (20.0, 40.0)))
    headline, page = _page(lake, tmp_path, _one_minute())
    assert (
        "+30.00 of the +30.00 points of one engine are in UPDATE, whose transactions are counted in TRANS: 6 → 24 ms (+300.0%) per transaction."
        in headline
    )
    table = page[page.index('aria-label="Table of service classes"') :]
    assert "its time is in REGION, UPDATE" in table[table.index(">TRANS<") :]
    assert "12 per transaction of TRANS" in table
    assert "cost_by_service_class" not in pictures_of(page)
    assert "No service class has CPU and transactions of its own in both windows." in headline


def test_endings_that_do_not_count_the_work_give_no_cost():
    """A started task ends twice in the first minute: 2 endings of 0.1 s are no volume of 36 s; neither are 60 of them."""
    for ended in (2, 60):
        rows = [
            r | {"transactions_ended": ended, "workload": None}
            for r in _rows()
            if r["interval_start"] in (START, NEXT_WEEK)
        ]
        comparison = compare(MemoryLake(rmf_workload_activity=rows + _rows_of("DB2")), _one_minute())
        (task,) = [c for c in comparison.classes if (c.name, c.run) == ("CICS", "before")]
        assert (task.counts_its_work, task.values["cp_ms_per_transaction"]) == (False, None)
        assert "General-processor time per transaction: DB2 24 → 9 ms (−62.5%)." in comparison.headline


def test_conflicting_prints_are_named_with_both_places():
    other = _row(START, 77, 45.0, source_id="s9", source_file="again.txt")
    text = _notes(MemoryLake(rmf_workload_activity=[*_rows(), other]))
    assert "CICS at 2021-04-13 10:00:00: appl_cp_pct differ between [1] page 1, line 10 and [2] page 1, line 77" in text


def test_a_class_in_one_run_alone_is_named():
    lake = MemoryLake(rmf_workload_activity=_rows() + _rows_of("NEW")[2:])
    assert "Only after prints the service class NEW." in _notes(lake)


# --- Errors --------------------------------------------------------------------------------------------------------


def test_window_without_data_lists_what_there_is(tmp_path: Path):
    lake = MemoryLake(rmf_workload_activity=_rows())
    with pytest.raises(IronlakeError) as caught:
        compare_runs(lake, {"x": (dt.datetime(1999, 1, 1), dt.datetime(1999, 1, 2))}, tmp_path / "page.html")
    assert "PLEX1: 2021-04-13T10:00:00 to 2021-04-13T10:02:00, 2 interval reports of about 60 s" in str(caught.value)
    assert not (tmp_path / "page.html").exists()


def test_empty_lake_and_no_run_and_reversed_window(tmp_path: Path):
    with pytest.raises(IronlakeError, match="no workload activity by class"):
        compare_runs(MemoryLake(), RUNS, tmp_path / "page.html")
    with pytest.raises(IronlakeError, match="no window"):
        compare_runs(MemoryLake(), {}, tmp_path / "page.html")
    with pytest.raises(IronlakeError, match="ends before it starts"):
        compare_runs(MemoryLake(), {"x": (START, START)}, tmp_path / "page.html")


def test_unwritable_file_is_an_error_without_traceback(tmp_path: Path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(IronlakeError, match="cannot be written"):
        compare_runs(MemoryLake(rmf_workload_activity=_rows()), RUNS, tmp_path / "taken" / "page.html")


# --- The file ------------------------------------------------------------------------------------------------------

EVIL = "<script>alert('x')</script>"


def test_names_from_reports_are_data(tmp_path: Path):
    runs = {EVIL: RUNS["before"], "a'b\"c": RUNS["after"]}
    rows = _rows(service_class=EVIL, workload=EVIL)
    for row in rows:
        row["source_file"] = EVIL
    _, page = _page(MemoryLake(rmf_workload_activity=rows), tmp_path, runs)
    assert "<script>alert" not in page
    assert page.count("<script") == 3
    figure = pictures_of(page)["cpu_by_service_class"]
    assert figure["layout"]["yaxis"]["ticktext"] == ["&lt;script&gt;alert('x')&lt;/script&gt;"]
    assert figure["data"][0]["customdata"][0][0] == EVIL


def test_the_file_forbids_all_network(plain: tuple[str, str]):
    _, page = plain
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "script-src 'unsafe-inline'" not in policy[1]
    assert "http" not in policy[1]
    text = re.sub(r'<script type="text/plain".*?</script>', "", page, flags=re.S)
    assert not re.search(r"""(?:src|href)=["'](?!#)""", text)


def test_every_row_leads_to_its_print(plain: tuple[str, str]):
    _, page = plain
    assert '<a href="#source-1">[1]</a> page 1, line 10' in page
    assert '<a href="#source-2">[2]</a> page 1, line 40' in page
    assert 'title="before.txt page 1 line 10 and 1 more"' in page
    source = re.search(r'<tr id="source-2">.*?</tr>', page)
    assert source
    assert "after.txt" in source[0]
    assert "30 to 40" in source[0]


def test_the_published_formula_stands_beside_its_reason(tmp_path: Path):
    _, page = _page(MemoryLake(rmf_workload_activity=_rows(appl_iip_pct=75.0)), tmp_path)
    section = page[page.index('id="published"') :]
    assert "CP of APPL % never held zIIP time" in section
    assert "−30.00" in section


def test_one_run_alone_makes_a_page(tmp_path: Path):
    headline, page = _page(MemoryLake(rmf_workload_activity=_rows()), tmp_path, {"only": RUNS["before"]})
    assert headline == (
        "only uses 50.00% of one engine in general-processor time over its service classes, and 70.00% with zIIP time."
    )
    assert "against only" not in page


def test_many_classes_stay_small(tmp_path: Path):
    rows = [r for n in range(300) for r in _rows_of(f"C{n:03}")]
    _, page = _page(MemoryLake(rmf_workload_activity=rows), tmp_path)
    assert len(page.encode()) < 3_000_000
    assert page.count('<th scope="rowgroup"') == 301
    assert pictures_of(page)["cpu_by_service_class"]["layout"]["yaxis"]["ticktext"][-1] == "288 others"


# --- In a browser --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (800, "dark")])
def test_page_opens_offline(browser: Any, tmp_path: Path, width: int, scheme: str):
    goal = heading() | {"class_kind": "service_class_period", "workload": "ONLINE", "service_class": EVIL, "period": 1}
    goal |= {"system": "*ALL", "is_total": True, "goal_type": "velocity", "goal_pct": 40.0, "velocity_pct": 20.0}
    goal |= {"performance_index": 2.0, "line": 12, "source_file": "before.txt"}
    lake = MemoryLake(rmf_workload_activity=_rows(service_class=EVIL), rmf_workload_goal=[goal])
    _, page_text = _page(lake, tmp_path)
    page, requests, complaints = opened(browser, tmp_path / "page.html", width, scheme)
    assert page.locator(".picture svg.main-svg").count() >= len(pictures_of(page_text))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert EVIL in page.locator("#cpu_by_service_class").inner_text()
    ink = "getComputedStyle(document.querySelector('#cpu_by_service_class .ytick text')).fill"
    first = page.evaluate(ink)
    page.click("#theme")
    assert page.evaluate(ink) != first
    with page.expect_download() as download:
        page.click("#cpu_by_service_class-csv")
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0] == "class,run,source,measure,value,unit"
    assert (
        f'{EVIL},before,"[1] before.txt page 1, line 10 + 1 more",Not zIIP-eligible (% of one engine),45,% of one engine'
        in lines
    )
    assert (requests, complaints) == ([], [])
    page.close()
