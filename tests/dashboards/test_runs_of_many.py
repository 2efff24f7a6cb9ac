"""Runs of several sysplexes, and more than two runs."""

import datetime as dt
import re
from typing import Any

from compared_runs import MINUTE, NEXT_WEEK, Comparison, class_row, class_rows, comparison, rows_in, title_of
from ironlake.pipeline.study.windows import Window
from one_lake import share_lake
from views_lake import START, Row


def _plex2(rows: list[Row], **other: Any) -> list[Row]:
    return [r | {"sysplex": "PLEX2", "scope": "SYSC", "line": r["line"] + 500} | other for r in rows]


THREE = comparison(rmf_workload_activity=[
    *class_rows(),
    *_plex2([r for r in class_rows() if r["interval_start"] in (START, NEXT_WEEK)], appl_cp_pct=4.0, appl_iip_pct=0.0),
    *(r | {"sysplex": "PLEX3", "scope": "SYSD", "line": r["line"] + 900} for r in class_rows()[:2]),
])  # fmt: skip


def test_two_sysplexes_are_never_added(compared: list[Comparison]):
    """PLEX1 has 50 and 30% of CP in two minutes, PLEX2 4 and 4 in the first of each: 54 would be of no time that there is."""
    headline, page = compared[THREE].headline, compared[THREE].page
    assert headline.startswith(
        "PLEX1: after uses less general-processor time than before: 50.00% → 30.00% of one engine (−40.0%)."
    )
    assert "PLEX2: after uses the same CPU time as before within 1%: 4.00% → 4.00% of one engine (0.0%)." in headline
    assert headline.endswith(
        "PLEX3: before uses 50.00% of one engine in general-processor time over its service classes, and 70.00% with zIIP time. "
        "Not printed in after."
    )
    assert "54.00" not in page
    assert page.count(">All service classes<") == 3
    # The heading says which one speaks; each has its own sentence.
    said = "“after” needs 40.0% less general-processor time than “before” (50 → 30% of one engine)"
    assert f"<h1>PLEX1: {said}</h1>" in page
    assert f'<a href="#study_1">PLEX1</a>: {said}.' in page
    same = "“after” needs the same CPU time as “before” within 1% (4 → 4% of one engine)"
    assert f'<a href="#study_2">PLEX2</a>: {same}.' in page
    alone = "“before” uses 50.0% of one engine in general-processor time; nothing to compare yet: add a run"
    assert f'<a href="#study_3">PLEX3</a>: {alone}.' in page
    drawn = compared[THREE].pictures
    assert [t["y"][:2] for t in drawn["study_1_class_cpu_over_time"]["data"]] == [[40, 60], [30, 30]]
    assert "study_2_class_cpu_over_time" not in drawn  # one interval is no line


@share_lake
def test_runs_of_two_sysplexes_are_compared_and_told_apart():
    """One sysplex in each window: they may be the same work before and after a move."""
    rows = class_rows()[:2] + _plex2(class_rows()[2:])
    found = {
        r["warning"]: (r["baseline_value"], r["value"])
        for r in (yield from rows_in({"rmf_workload_activity": rows}, "comparison_warning"))
    }
    assert found["sysplex"] == ("PLEX1", "PLEX2")


_WEEKS = [START + week * dt.timedelta(days=7) for week in range(8)]
EIGHT = comparison(
    {f"week {n}": [Window(start, start + MINUTE)] for n, start in enumerate(_WEEKS)},
    rmf_workload_activity=[class_row(start, 10 * n + 1, 40.0 - 3 * n) for n, start in enumerate(_WEEKS)],
)


def test_every_run_is_compared_with_the_first(compared: list[Comparison]):
    """Week n has 40 - 3n% of CP: the last is not the only one that is said, and the first table has a row for each, the least first."""
    headline, page, count = compared[EIGHT].headline, compared[EIGHT].page, 8
    for week in range(1, count):
        assert (
            f"week {week} uses less general-processor time than week 0: 40.00% → {40 - 3 * week}.00% of one engine"
            in headline
        )
    summary = page[page.index('<table class="summary">') : page.index("</table>")]
    assert re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td><td class="delta">(.*?)</td>', summary) == [
        *((f"week {n}", str(40 - 3 * n), f"−{7.5 * n:.1f}%") for n in range(count - 1, 0, -1)), ("week 0", "40", "baseline"),
    ]  # fmt: skip
    assert (re.search("<h1>.*</h1>", page) or [""])[0] == (
        "<h1>“week 7” needs the least general-processor time (19% of one engine, −52.5%), “week 0” the most "
        "(40% of one engine, the baseline)</h1>"
    )
    title = title_of(page, "study_1_cpu_by_service_class")
    assert title == (
        f"General-processor time: CICS changes most, −{3 * (count - 1)}.00 points of one engine (−{7.5 * (count - 1):.1f}%) "
        f"from week 0 to week {count - 1}"
    )
