"""Declared pictures: what each shows of a lake whose numbers are worked by hand (pictured_lake), and how the page behaves in a
browser."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drawn import rows_of, told, words_of
from ironlake.dashboards.charts.arrange_charts import by_parameter, score_pictures
from ironlake.dashboards.charts.chart import Chart, data
from ironlake.dashboards.charts.comparison_page_charts import DRIVER, GROUPS, PICTURES
from ironlake.dashboards.charts.draw_declared import draw, marks_of
from ironlake.dashboards.charts.shapes import Mark, along_names, over_time
from ironlake.dashboards.charts.spec import Measure, Picture
from ironlake.dashboards.charts.svg import WIDE, svg
from ironlake.dashboards.references import Reference
from ironlake.pipeline.sql.view_files import views
from pages import NOT_INSIDE, opened, pictures_of
from pictured_lake import MINUTE, write_page
from views_lake import START, Row

# By picture: the names along its axis, and the values of each trace.
SHOWN = {
    # CP, IIP and IIPCP of DB2 under T4: 2, 4 and 1% at 10 requests a second.
    "cost_by_both": (
        ["[CICS]", "T2", "T4", "[DB2]", "T2", "T4"],
        {"Not zIIP-eligible": [8, 6, 2, 1], "zIIP-eligible on CP": [0, 0, 0, 1], "On zIIP": [0, 0, 0, 4]},
    ),
    # CP alone, 6 + 2 of T4 at 10 requests a second.
    "cost_by_run": (["100 clients", "200 clients"], {"T2": [10, 10], "T4": [8, 8]}),
    # CP alone: DB2 of T4 has 2% of it at 10 requests a second, as that of T2, and 4% on zIIPs.
    # 0.3 busy engines for seven minutes and 0.7 for three are 0.42, for 15 requests a second; of T4 a quarter more.
    "coupling_cost": (["T2", "T4"], {"": [28, 35]}),
    # Two minutes of 0.3 and three of 0.7 of two engines: 27%, too little; of T4 33.75% at 20 requests a second.
    "itr_cp": (["T2", "T4"], {"Extrapolated": [20 / 0.3375], "Highest measured": [20, 20]}),
    "cp_coupling_by_class": (["SCICS", "SDB2"], {"Uncoupled": [8, 2], "Coupled": [6, 2]}),
    "coupling_by_class": (["SCICS", "SDB2"], {"Uncoupled": [8, 2], "Coupled": [6, 6]}),
    # CICS has CP of 12% in the mean of its runs, then 9%; DB2 3% both times.
    # A part that no bar has is not in the legend.
    "cp_mix_change": (["SCICS", "SDB2"], {"Dearer or cheaper transactions": [-3, 0]}),
    # 30% over both runs, of which CICS had 24 and DB2 6; under T4 CICS has 18 and DB2 18: halves of it a run.
    "mix_change": (["SDB2", "SCICS"], {"Dearer or cheaper transactions": [6, -3]}),
    # 0.3 busy engines for seven minutes and 0.7 for three: 0.42, under T4 a quarter more. Classes have CP 10 and 20%, under T4 8 and
    # 16%, for five minutes each.
    "capture": (["T2", "T4"], {"In classes": [0.15, 0.12], "In no class": [0.27, 0.405]}),
    # The lock: for seven minutes 15, 4 and 1 a second, for three 20, 10 and 10: 20 and 40. The pool is idle for one minute of ten of T4.
    # Of the list it is not known how many were changed.
    "cf_requests": (["DSNDB2B_GBP6", "DSNDB2B_LOCK1", "DSNDB2B_SCA"], {"T2": [50, 26, 20], "T4": [45, 26]}),
    # The pool has no asynchronous requests.
    "cf_modes": (
        ["[DSNDB2B_LOCK1]", "T2", "T4", "[DSNDB2B_SCA]", "T2"],
        {
            "Synchronous": [16.5, 16.5, 15],
            "Asynchronous": [5.8, 5.8],
            "Changed to asynchronous": [3.7, 3.7],
            "Asynchronous, changed or not": [5],
        },
    ),
    # The lock: 6,300 of 10 us and 3,600 of 30, 2,100 of 100 and 3,600 of 200. The pool has no asynchronous requests, and so no time of
    # theirs. Of one interval of the list the synchronous time is not known.
    "cf_service_time": (["DSNDB2B_GBP6", "DSNDB2B_LOCK1"], {"T2": [40, 171000 / 9900], "T4": [40, 171000 / 9900]}),
    "cf_async_service_time": (["DSNDB2B_LOCK1", "DSNDB2B_SCA"], {"T2": [930000 / 5700, 100], "T4": [930000 / 5700]}),
    # Seven times 20 and 5 of 1,000, once 160 and 65 of 3,000 lock requests, not of the requests of the structure.
    "lock_contention": (["T2", "T4"], {"Real contention": [2, 2], "False contention": [1, 1]}),
    # 50 accesses a second of 40 us for 10 and for 20 requests a second; 40 where one minute of five is idle. Locks: 15 of 10 us and 5 of
    # 100 are 650 us for 10 requests a second; two minutes of that and three of 20 of 30 us and 20 of 200, 4,600 us, 3,020 us for 20.
    "gbp_delay": (
        ["[100 clients]", "T2", "T4", "[200 clients]", "T2", "T4"],
        {"GBP6": [200, 160, 100, 100], "LOCK1": [65, 65, 151, 151]},
    ),
    "channel_busy": (["0.3A", "0.3B"], {"T2": [30, 5], "T4": [10, 5]}),
    # 100 requests of 0.2 ms and 300 of 0.4; the unit is in the group.
    "io_queue_delay": (["00000001", "00000002"], {"T2": [0.35, 1], "T4": [0.1, 1]}),
    # 300 of 400 requests wait 0.4 ms for the volume.
    "volume_response": (
        ["T2", "T4"],
        {"IOSQ": [0.3, 0], "Pending": [0.1, 0.1], "Disconnected": [0.2, 0.1], "Connected": [0.3, 0.3]},
    ),
    # 3,000 reads in both intervals, 300 writes in one of them.
    "cache_misses": (["T2", "T4"], {"Read misses": [10, 0], "Write misses": [0.5, 0]}),
    "group_capacity": (["T2", "T4"], {"Used": [150, 130], "Entitled at least": [120, 120]}),
    # 53, 0, 4 and 372 reads in 300 s, of T2 also in 150 s.
    "gbp_reads": (
        ["T2", "T4"],
        {
            "Invalidated, returned": [106 / 450, 53 / 300],
            "Not in the pool, returned": [8 / 450, 4 / 300],
            "Not in the pool, not returned": [744 / 450, 1.24],
        },
    ),
    "gbp_accesses": (
        ["T2", "T4"],
        {
            "Reads": [858 / 450, 1.43],
            "Pages written": [860 / 450, 430 / 300],
            "Pages cast out": [2 / 450, 1 / 300],
            "Other requests": [2462 / 450, 1231 / 300],
        },
    ),
    # Of T2 40 + 110 and 260 + 590 of 4,000 getpages read; T4 has a trace alone.
    "buffer_pool_hits": (["report", "trace"], {"T2": [75], "T4": [80]}),
    # 1, 1.2 five times, 4 and 9: seven of eight are above 1.
    "goals": (["[importance 2 SCICS period 1]", "T2", "T4"], {"": [0, 87.5]}),
    "jmh": (["size 10", "size 100"], {"driver t2": [0.8, 1.0], "driver t4": [1.2, 1.5]}),
}
# Lines: the values interval by interval of two runs, of five and of three, and the end of each.
LINES = {
    "requests_over_time": {"T2": [10] * 6 + [None] + [20] * 4 + [None], "T4": [10] * 6 + [None] + [20] * 4 + [None]},
    "cp_over_time": {"T2": [10] * 6 + [None] + [20] * 4 + [None], "T4": [8] * 6 + [None] + [16] * 4 + [None]},
    "cpu_over_time": {"T2": [10] * 6 + [None] + [20] * 4 + [None], "T4": [12] * 6 + [None] + [24] * 4 + [None]},
    "index_over_time": {
        # Lines that never go above 1 are left out.
        "importance 2 SCICS period 1 · T4": [1, 1.2, 1.2, 1.2, 9, 9, None, 1.2, 4, 1.2, 1.2, None]
    },
}
# What is told of a mark on hovering, before the place of print.
TOLD = {
    "capture": "processors: general processors\nsystems: SYSA\nconfiguration: T4\nCapture ratio (%): 22.86\nIn no class (engines): 0.405\nsource: "
}
# What one bar would show: the values of all rows in a sentence.
SENTENCES = (
    # 99 of 100 and 30 of 50; 1,500 calls and 190 commits of 400 units.
    "Thread reuse (T2, region CICSA, db2entry ENTRY1): 86%.",
    "Per unit of work (T2, region CICSA, db2entry ENTRY1): calls 3.75, single-phase commits 0.47.",
)
# What this lake has no reports for, what only studies without charged classes have, and what is flat: a sentence says so.
ABSENT = {
    "cpu_by", "cost_by", "itr_cp_and_ziip",
    "thread_reuse", "calls_per_unit",
    "response_over_time", "cost_source",
    "class_cpu_over_time", "cost_by_location", "scores", "response_split", "rolling_msu", "buffer_pool_accounting_hits",
}  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pictured") / "page.html"
    write_page(out)
    return out


def test_every_picture_shows_what_is_printed(page: Path):
    shown = {name.removeprefix("study_1_"): f for name, f in pictures_of(page.read_text("utf-8")).items()}
    assert {p.name for p in (*PICTURES, DRIVER)} - set(shown) == ABSENT
    for name, (labels, values) in SHOWN.items():
        headings = [f"[{row}]" if n in shown[name]["headings"] else row for n, row in enumerate(shown[name]["rows"])]
        assert headings == labels, name
        found = told(shown[name])
        assert set(found) == set(values), name
        for series, numbers in values.items():
            assert found[series] == pytest.approx(numbers, rel=1e-5), (name, series)
    for name, values in LINES.items():
        assert told(shown[name]) == values, name
    assert "Response time: steady, within 0.0% of its mean in every interval: T2 25 ms, T4 25 ms." in page.read_text(
        "utf-8"
    )
    for said in SENTENCES:
        assert f"<p>{said}</p>" in page.read_text("utf-8")
    # Minutes of selected time: the second run follows on the first, an hour later.
    assert shown["cpu_over_time"]["series"][0]["x"] == [0, 1, 2, 3, 4, 5, 5, 5, 6, 7, 10, 10]
    svgs = dict(re.findall(r'id="study_1_(\w+)"><svg.*?>(.*?)</svg>', page.read_text("utf-8"), re.DOTALL))
    for name, text in TOLD.items():
        assert f"<title>{text}" in svgs[name], name
    for name, said in (
        ("coupling_cost", ["28", "35, efficiency 80%"]),
        ("lock_contention", ["3%, 33.3% of it false"] * 2),
        # T4 has no list.
        ("cf_requests", ["50 → 45, −10.0%", "26 → 26, 0.0%"]),
        ("cf_modes", ["26", "26", "20"]),
        # 27,000 and 57,000 of 90,000.
        ("cache_misses", ["10.5, 93.3% of reads hit", "0.0, 100.0% of reads hit"]),
        ("group_capacity", ["capped 5% of the time", "capped 0% of the time"]),
    ):
        assert [f">{words}</text>" in svgs[name] for words in said] == [True] * len(said), name
    assert "All: member DB2A, pool BP1" in page.read_text("utf-8")
    scores = next(s for s in shown["jmh"]["series"] if s["name"] == "driver t4")
    assert [high - value for value, (_, high) in zip(scores["values"], scores["ends"], strict=True)] == pytest.approx(
        [0.1, 0.1]
    )


def test_what_is_wrong_with_the_sources_stands_on_the_page_as_text(page: Path):
    text = page.read_text("utf-8")
    section = text[text.index('id="quality"') : text.index('id="sources"')]
    assert "&lt;b&gt;CP&lt;/b&gt; holds IIPCP" in section
    assert "<code>&lt;script&gt;x&lt;/script&gt;</code>" in section
    assert "<strong>warn</strong>" in section


def test_no_mark_or_label_is_outside_of_its_picture_on_any_window_or_paper(browser: Any, page: Path):
    tab, requests, complaints = opened(browser, page)
    every = len(pictures_of(page.read_text("utf-8")))
    tab.evaluate("for (const panel of document.querySelectorAll('.panel')) panel.hidden = false")
    for width, scheme in ((320, "light"), (380, "dark"), (720, "light"), (1920, "dark")):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme=scheme)
        assert tab.locator("svg.chart:visible").count() == every
        assert tab.evaluate(NOT_INSIDE) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        ink = (
            "getComputedStyle(document.querySelector('svg.chart text')).fill === getComputedStyle(document.body).color"
        )
        assert tab.evaluate(ink)
    tab.emulate_media(media="print")
    assert tab.locator("svg.wide:visible").count() == every
    assert tab.evaluate(NOT_INSIDE) == []
    assert (requests, complaints) == ([], [])
    tab.close()


@pytest.mark.slow
def test_tabs_data_and_paper(browser: Any, page: Path):
    tab, requests, complaints = opened(browser, page)
    facility = tab.get_by_role("tab", name=GROUPS["facility"])
    panel = tab.locator("#study_1_of_facility")
    assert not panel.is_visible()
    facility.click()
    assert panel.is_visible()
    assert facility.get_attribute("aria-selected") == "true"
    # A picture has the width of the page, and its axis its unit.
    times = tab.locator("#study_1_cf_service_time")
    assert times.locator("svg.wide").bounding_box()["width"] == min(1000, panel.bounding_box()["width"])
    assert "Service time of synchronous requests (µs)" in times.text_content()
    # Arrows go to the neighbour, over the end to the first.
    facility.press("End")
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#study_1_of_cost").is_visible()
    assert not panel.is_visible()
    # A link leads into a panel that is not shown.
    tab.evaluate("location.hash = 'study_1_lock_contention-title'")
    panel.wait_for()
    with tab.expect_download() as download:
        tab.click("#study_1_lock_contention-csv")
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0] == "structure,cf,system,configuration,False of all contention (%),source,measure,value,unit"
    written = (
        'DSNDB2B_LOCK1,CF1,SYSA,T2,33.333333333333336,"[3] cf.txt page 1, line 1 + 7 more",Real contention (%),2,%'
    )
    assert lines[1] == written
    # Paper shows all panels, each with its title.
    tab.emulate_media(media="print")
    assert tab.locator(".panel:visible").count() == 8
    assert tab.locator(".panel > .paper:visible").count() == 8
    assert (requests, complaints) == ([], [])
    tab.close()


def test_declarations_name_views_and_groups_that_there_are():
    names = [p.name for p in (*PICTURES, DRIVER)]
    assert len(set(names)) == len(names)
    for picture in PICTURES:
        assert picture.view in views(), picture.name
        assert picture.group in GROUPS or picture.group == "class", picture.name
        assert picture.question.rstrip("0123456789")
        # Everything says its unit, unless it is a number of things a thing; that of a score is printed with it.
        assert picture.unit or picture.group == "driver" or "per" in picture.axis.lower() or "index" in picture.axis, (
            picture.name
        )


BARS = Picture(
    "bars", "cost", "?", "Time", "Bars.", "itr", {"name": "name", "configuration": "configuration"},
    [Measure("a_ms", "A", unit="ms"), Measure("b_ms", "B", unit="ms")], "stack",
)  # fmt: skip


def _row(name: str, a: float | None, b: float | None, configuration: str = "T2", **other: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration, "a_ms": a, "b_ms": b, "reference": Reference()} | other


def test_what_is_not_known_is_no_zero_and_equal_names_are_left_out():
    marks = marks_of(BARS, [_row("BP10", 1.0, None), _row("BP2", 0.0, 3.0)], ["T2"])
    assert [(m.label, m.series, m.value) for m in marks] == [("BP2", "A", 0), ("BP2", "B", 3), ("BP10", "A", 1)]
    assert draw(BARS, [_row("X", None, None)], ["T2"]) == ""
    assert draw(BARS, [], []) == ""


def test_the_sum_of_a_stack_that_lacks_a_part_is_not_said():
    """Whether the part is another measure of the row or another row of the name."""
    ends: Any = draw(BARS, [_row("X", 100.0, None), _row("Y", 1.0, 4.0)], ["T2"])
    assert words_of(ends) == ["a part is unknown", "5"]
    of = {"configuration": "configuration", "name": "name"}
    by_pool = replace(BARS, of=of, series="name", measures=BARS.measures[:1])
    rows = [_row("GBP1", 100.0, None), _row("GBP2", None, None)]
    rows += [_row("GBP1", 200.0, None, "T4"), _row("GBP2", 300.0, None, "T4")]
    pools: Any = draw(by_pool, rows, ["T2", "T4"])
    assert words_of(pools) == ["a part is unknown", "500"]


def test_general_processor_time_has_a_picture_of_its_own_only_where_it_is_not_all_cpu():
    """2 of 2 and 3 of 3 ms; then 2 of 5 ms; then 2 of what is not known, for a zIIP cell could not be read."""
    (picture,) = (p for p in PICTURES if p.name == "cp_coupling_by_class")
    row = {"subsystem": "CICS", "cp_uncoupled_ms_per_request": 2.0, "cp_coupled_ms_per_request": 3.0}
    row |= {"cp_increase_pct": 50.0, "cpu_uncoupled_ms_per_request": 2.0, "cpu_coupled_ms_per_request": 3.0}
    rows = [row | {"class": name, "reference": Reference()} for name in ("A", "B")]
    assert draw(picture, rows, ["T2", "T4"]) == ""
    for whole in (5.0, None):
        rows[1]["cpu_uncoupled_ms_per_request"] = whole
        figure: Any = draw(picture, rows, ["T2", "T4"])
        assert told(figure) == {"Uncoupled": [2, 2], "Coupled": [3, 3]}
        assert {v.measure for v in figure.values} == {"Uncoupled (ms)", "Coupled (ms)"}
        assert figure.axis == "General-processor time per request (ms)"


def test_a_change_without_a_volume_is_drawn_as_a_whole():
    (picture,) = (p for p in PICTURES if p.name == "mix_change")
    row: Row = {"configuration": "T4", "rate_pct": None, "volume_pct": None, "unpartnered_pct": 0.0}
    row |= {"difference_pct": 20.0}
    rows = [row | {"class": name, "reference": Reference()} for name in ("A", "B")]
    figure: Any = draw(picture, rows, ["T2", "T4"])
    assert [(v.measure, v.value) for v in figure.values] == [("Change of CPU (points of one engine)", 20)] * 2
    assert draw(picture, rows[:1], ["T2", "T4"]) == (
        "Change of CPU against the baseline (T4, class A): 20 points of one engine."
    )


def test_a_subsystem_that_costs_nothing_in_a_configuration_has_no_bar_there():
    """DDF costs nothing in T2; the parts of DB2 are unknown, so that all bars are whole."""
    (picture,) = (p for p in PICTURES if p.name == "cost_by_both")
    parts = ("non_ziip_eligible_ms_per_request", "ziip_on_cp_ms_per_request", "ziip_ms_per_request")

    def row(subsystem: str, configuration: str, *costs: float | None, whole: float) -> dict[str, Any]:
        named = {"subsystem": subsystem, "configuration": configuration, "cpu_ms_per_request": whole}
        return named | dict(zip(parts, costs, strict=True)) | {"reference": Reference()}

    rows = [row("CICS", "T2", 3, 0, 1, whole=4), row("CICS", "T4", 2, 0, 1, whole=3)]
    rows += [row("DDF", "T2", 0, 0, 0, whole=0), row("DDF", "T4", 0, 0, 2, whole=2)]
    figure: Any = draw(picture, rows, ["T2", "T4"])
    assert rows_of(figure) == ["[CICS]", "T2", "T4", "[DDF]", "T4"]
    figure = draw(picture, [*rows, row("DB2", "T2", None, None, None, whole=5)], ["T2", "T4"])
    assert {v.measure for v in figure.values} == {"CPU per request (ms)"}
    assert rows_of(figure) == ["[DB2]", "T2", "[CICS]", "T2", "T4", "[DDF]", "T4"]


def test_what_stands_for_parts_is_drawn_in_their_place_only():
    both = Measure("both_ms", "Both", unit="ms", stands_for=("a_ms", "b_ms"))
    picture = replace(BARS, measures=[*BARS.measures, both])
    rows = [_row("X", 1.0, 2.0, both_ms=3.0), _row("Y", 1.0, None, both_ms=7.0), _row("Z", None, 1.0, both_ms=None)]
    marks = [(m.label, m.series, m.value) for m in marks_of(picture, rows, ["T2"])]
    assert marks == [("X", "A", 1), ("X", "B", 2), ("Y", "Both", 7)]
    split = replace(BARS, whole=Measure("all_ms", "All", unit="ms"))
    rows = [_row("X", 1.0, None, all_ms=5.0), _row("Y", 1.0, 2.0, all_ms=3.0)]
    assert [(m.measure, m.value) for m in marks_of(split, rows, ["T2"])] == [("All", 5), ("All", 3)]


def test_of_many_names_the_largest_are_drawn_and_the_rest_is_counted():
    rows = [_row(f"N{n}", float(n), 0.0) for n in range(30)]
    figure: Any = draw(BARS, rows, ["T2"])
    assert figure.title == "?; shown are the 24 of 30 with the largest values"
    assert rows_of(figure) == [f"N{n}" for n in range(29, 5, -1)]
    figure = draw(BARS, [_row("halves", 10.0, 10.0), *(_row(f"N{n}", 11.0, 0.0) for n in range(24))], ["T2"])
    assert "halves" in rows_of(figure)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_of_too_many_names_no_configuration_is_left_out_beside_the_others(count: int):
    """Thirty pools, that of the last configuration the smallest of each: of 24 bars that fit, whole pools are drawn."""
    names = [f"C{n}" for n in range(count)]
    rows = [_row(f"N{n:02}", 100.0 * n - place, 0.0, name) for n in range(1, 31) for place, name in enumerate(names)]
    figure: Any = draw(BARS, rows, names)
    pools = 24 // count
    assert rows_of(figure) == [word for n in range(30, 30 - pools, -1) for word in (f"[N{n}]", *names)]
    assert figure.title == f"?; shown are the {pools * count} of {30 * count} with the largest values"


@pytest.mark.parametrize("count", [2, 3, 8])
def test_of_64_runs_there_is_a_bar_for_each_configuration_and_the_remote_part_is_that_of_all_its_runs(count: int):
    """Eight runs each, n times 100 requests of n ms: sum(n x n) / sum(n) = 204 / 36. The last spends 2 ms of each request elsewhere in
    its runs 5 to 8, 26 of 36 parts of its requests."""
    (picture,) = (p for p in PICTURES if p.name == "cost_by_location")
    names = [f"C{n}" for n in range(count)]
    rows = [
        {"configuration": name, "run": str(n), "location": "local", "requests": 100 * n, "cp_ms_per_request": float(n), "reference": Reference()}
        for name in names for n in range(1, 9)
    ]  # fmt: skip
    rows += [
        r | {"location": "remote", "cp_ms_per_request": 2.0}
        for r in rows
        if r["configuration"] == names[-1] and int(r["run"]) > 4
    ]
    figure: Any = draw(picture, rows, names)
    assert rows_of(figure) == names
    assert figure.title == "General-processor time per request, local and remote"
    assert told(figure) == {
        "local": pytest.approx([204 / 36] * count, rel=1e-5), "remote": pytest.approx([2 * 26 / 36], rel=1e-5),
    }  # fmt: skip
    assert [v.series for v in figure.lanes[-1].values] == ["local", "remote"]
    lost = [r | ({"cp_ms_per_request": None} if r["run"] == "3" else {}) for r in rows]
    # The local part of the last lacks its third run as that of all others does, the remote one has no such run.
    assert draw(picture, lost, names) == (
        f"General-processor time per request (C{count - 1}): remote 1.44 ms. A part is unknown."
    )


def test_configurations_of_one_window_share_its_pages_and_the_picture_says_so():
    (picture,) = (p for p in PICTURES if p.name == "thread_reuse")
    row: Row = {"region": "A", "db2entry": "E", "configuration": "T2, T4", "thread_reuse_pct": 50.0, "rank": 1}
    row |= {"reference": Reference()}
    rows = [row, row | {"db2entry": "F"}]
    figure: Any = draw(picture, rows, ["T2", "T4"])
    assert "Same window, so the same pages: T2, T4." in figure.about
    figure = draw(picture, [r | {"configuration": "T2"} for r in rows], ["T2", "T4"])
    assert "Of one window" not in figure.about


RATES = Picture("lines", "load", "Lines", "Rate", "Lines.", "itr", {"name": "name"}, [Measure("r", "Rate", unit="1/s")], "lines")  # fmt: skip
CHART = Chart("lines", "Lines", "Lines.", "itr", "1/s", ["name"], "Rate (1/s)")


def _line(values: list[float], breaks: frozenset[int] = frozenset()) -> list[Mark]:
    return [
        Mark(("x",), "x", "", "Rate", value, f"line {n}", at=float(n), minutes=1.0, breaks=n in breaks)
        for n, value in enumerate(values)
    ]


def test_5000_intervals_or_runs_are_drawn_by_the_means_of_neighbours_between_their_least_and_most():
    """Of twenty-five and twenty-five the mean; the last piece before a break has what is left."""
    figure: Any = over_time(_line([float(n % 2) for n in range(5000)], frozenset({2499})), RATES, CHART)
    (line,) = figure.lines
    assert len(line.values) <= 201
    assert line.values[0].value == pytest.approx(12 / 25, rel=1e-5)
    assert {end for band in line.bands for _, *ends in band for end in ends} == {0, 1}
    assert "mean of up to 25 intervals" in figure.about
    assert len(line.bands) == 2
    assert data(figure)["series"][0]["x"].count(2500) == 3  # the end of one piece, its break, the start of the next
    assert line.values[0].words[-1] == "line 0 to line 24, mean of 25 intervals by time"
    figure = over_time(_line([float(n % 2) for n in range(5000)], frozenset(range(5000))), RATES, CHART)
    assert len(figure.lines[0].values) <= 201
    assert figure.lines[0].values[0].value == pytest.approx(12 / 25, rel=1e-5)
    assert "are drawn through them" in figure.about


def test_neighbours_count_by_their_requests_where_these_are_known():
    """One request of 1 ms and 9 of 1,001 ms: 901 ms; of unknown requests the mean by time, which the point says."""
    marks = [replace(m, weight=(1.0, 9.0)[n % 2]) for n, m in enumerate(_line([1.0, 1001.0] * 200))]
    weighted = replace(RATES, weight=Measure("requests", "Requests"))
    first = lambda chart: chart.lines[0].values[0]  # noqa: E731
    figure: Any = over_time(marks, weighted, CHART)
    assert (first(figure).value, "mean of 2 intervals by requests" in first(figure).words[-1]) == (901, True)
    figure = over_time([replace(m, weight=None) for m in marks], weighted, CHART)
    assert (first(figure).value, "mean of 2 intervals by time" in first(figure).words[-1]) == (501, True)


def test_a_line_breaks_before_another_run_that_adjoins():
    (picture,) = (p for p in PICTURES if p.name == "requests_over_time")
    row = {"systems": "SYSA", "configuration": "T2", "requests": 60.0, "reference": Reference()}
    times = [{"line_start": START + n * MINUTE, "line_end": START + (n + 1) * MINUTE} for n in range(4)]
    rows = [row | times[n] | {"line_run": run, "requests_per_s": 1.0 + n} for n, run in enumerate("aabb")]
    figure: Any = draw(picture, rows, ["T2"])
    assert told(figure) == {"T2": [1, 2, 2, None, 3, 4, 4, None]}


def test_lines_that_stay_within_a_hundredth_of_their_mean_are_a_sentence():
    """99.5, 100, 100.5: half a percent; with 98 the mean is 99.33 and 98 is 1.3% away."""
    (picture,) = (p for p in PICTURES if p.name == "requests_over_time")
    row = {"systems": "SYSA", "requests": 60.0, "reference": Reference(), "line_run": "1"}

    def rows(*values: float) -> list[dict[str, Any]]:
        times = [{"line_start": START + n * MINUTE, "line_end": START + (n + 1) * MINUTE} for n in range(3)]
        return [
            row | time | {"configuration": c, "requests_per_s": value * factor}
            for c, factor in (("T2", 1.0), ("T4", 2.0)) for time, value in zip(times, values, strict=True)
        ]  # fmt: skip

    flat = rows(99.5, 100.0, 100.5)
    assert draw(picture, flat, ["T2", "T4"]) == (
        "Requests: steady, within 0.5% of its mean in every interval: T2 100/s, T4 200/s."
    )
    uneven = rows(98.0, 100.0, 100.0)
    assert isinstance(draw(picture, uneven, ["T2", "T4"]), Chart)
    # One value is no line.
    assert draw(picture, flat[:1], ["T2"]) == ""


def test_values_that_differ_widely_have_a_logarithmic_axis_and_scores_without_an_error_no_whisker():
    marks = [Mark((str(n),), str(n), "", "Rate", value, "") for n, value in enumerate((0.1, 20.0))]
    figure: Any = along_names(marks, replace(RATES, shape="marks"), CHART, by_size=False)
    assert (figure.is_log, figure.axis) == (True, "Rate (1/s, logarithmic)")
    bars: Any = along_names(marks, replace(RATES, shape="stack"), CHART, by_size=False)
    assert not bars.is_log
    marks = [Mark(("a",), "a", "", "Score", 1.0, "", lower=0.5, upper=1.5), Mark(("b",), "b", "", "Score", 2.0, "")]
    figure = along_names(marks, replace(RATES, shape="marks"), CHART, by_size=False)
    assert svg(figure, WIDE).count('class="whisker"') == 1


def test_the_parameter_of_fewest_values_is_told_by_colour():
    rows = [{"parameters": f'{{"port": "1", "size": "{s}", "driver": "{d}"}}'} for s in (1, 2, 3) for d in ("a", "b")]
    found = [(r["variant"], r["parameters"]) for r in by_parameter(rows)]
    assert found[:3] == [("driver a", "size 1"), ("driver b", "size 1"), ("driver a", "size 2")]
    assert by_parameter([{"parameters": None}]) == [{"parameters": "", "variant": ""}]


def test_scores_that_steps_name_are_told_by_configuration_and_units_have_pictures_of_their_own():
    score: Row = {"run": "1", "benchmark": "Db2.message", "mode": "avgt", "score": 1.0, "lower": 0.9, "upper": 1.1}
    score |= {"reference": Reference()}
    rows = [
        score | {"configuration": c, "parameters": f'{{"driver": "{c}"}}', "unit": unit}
        for c in ("T2", "T4")
        for unit in ("ms/op", "ops/s")
    ]
    (scores,) = (p for p in PICTURES if p.group == "driver")
    figures: Any = score_pictures(scores, rows, ["T4", "T2", "T3"], "study_1_")
    assert [f.id for f in figures] == ["study_1_scores_1", "study_1_scores_2"]
    assert [f.axis for f in figures] == ["Score, avgt (ms/op)", "Score, avgt (ops/s)"]
    assert {*told(figures[0])} == {"T2", "T4"}


def test_parts_of_a_request_are_stacked_by_source_and_runs_weighted_by_requests():
    """Runs of 100 and 300 requests a second: 1 and 2 ms are 1.75 ms. T4 has one run."""
    (picture,) = (p for p in PICTURES if p.name == "cost_source")

    def part(configuration: str, run: str, name: str, ms: float, rate: float) -> dict[str, Any]:
        cost = {"cpu_ms_per_request": ms, "requests_per_s": rate}
        return {"configuration": configuration, "run": run, "part": name, "reference": Reference()} | cost

    rows = [part("T2", "1", "SQL on the thread", 1.0, 100), part("T2", "2", "SQL on the thread", 2.0, 300)]
    rows += [part("T2", "1", "CICS itself", 0.5, 100), part("T2", "2", "CICS itself", 0.5, 300)]
    rows += [part("T4", "1", "SQL on the thread", 3.0, 100), part("T4", "1", "CICS itself", 0.25, 100)]
    figure: Any = draw(picture, rows, ["T2", "T4"])
    shown = told(figure)
    assert shown == {"SQL on the thread": [1.75, 3.0], "CICS itself": [0.5, 0.25]}
    # In the order of the parts, not of their names.
    assert list(shown) == ["SQL on the thread", "CICS itself"]
