"""The page of `ironlake check`: its verdict, what it shows of each cause, and that it stays one small file whatever it is given."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
import typer
from broken_pages import PERIODS, STRUCTURE
from ironlake.dashboards.document import document
from ironlake.dashboards.pages.quality import render
from ironlake.pipeline.cli import check as cli
from ironlake.pipeline.declaration.bookkeeping import QUALITY_RESULT
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.quality.check_batch import broken_rows
from ironlake.pipeline.quality.check_lake import check
from ironlake.pipeline.quality.violations import Violations
from ironlake.pipeline.sql.open_lake import OpenLake, open_lake
from ironlake.pipeline.sql.schema import plain_schema
from ironlake.pipeline.terminal import printable
from pages import assert_fits, opened
from sample_pages import sample

EVIL = "<img src=x onerror=alert(1)>"
CLOCK = "TIME 08.30.00"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenLake]:
    """A page that cannot be so and one that with inconsistent values; quarters of an hour of which one is missing; a line of
    markup that is no report's, in a file with such a name; a report that is not read."""
    folder = tmp_path_factory.mktemp("reports")
    structure, periods = sample(STRUCTURE).read_text(), sample(PERIODS).read_text()
    assert structure.count("SYSC     41255") == 1
    pages = {
        "wrong": structure.replace("SYSC     41255", "SYSC     42155"),
        **{f"at_{time}": periods.replace(CLOCK, f"TIME {time}.00") for time in ("08.30", "09.00")},
        EVIL: periods.replace(CLOCK, "TIME 09.15.00").replace("-TRANSACTIONS-", f"{EVIL} & co\n-TRANSACTIONS-", 1),
        "other": "1                    P A G I N G   A C T I V I T Y\n  z/OS V2R5   SYSTEM ID SYSA\n  FRAMES 12\n",
    }
    for name, page in pages.items():
        (folder / f"{name}.txt").write_text(page)
    ingest([str(folder / f"{name}.txt") for name in pages], folder / "lake", Options(), jobs=1)
    with open_lake(folder / "lake") as opened_lake:
        yield opened_lake


@pytest.fixture(scope="module")
def results(lake: OpenLake) -> Violations:
    return check(lake)


@pytest.fixture(scope="module")
def found(results: Violations) -> list[dict[str, Any]]:
    return results.to_reader().read_all().to_pylist()


def violations(rows: list[dict[str, Any]]) -> Violations:
    made = Violations()
    schema = plain_schema(QUALITY_RESULT)
    for batch in pa.Table.from_pylist(rows, schema=schema).to_batches():
        made.add(batch)
    return made


def page_of(lake: OpenLake, results: Violations, judged: dict[tuple[str, str, str], int] | None = None) -> str:
    return document(render(lake, results, Counter(judged or {})))


def cells(page: str, row: str) -> list[str]:
    """The cells of the table row that begins with this head."""
    held = page.split(f'<th scope="row">{row}</th>')[1].split("</tr>")[0]
    return [cell.split(">", 1)[1].split("<")[0] for cell in held.split("<td")[1:]]


def test_every_kind_of_finding_stands_on_the_page(lake: OpenLake, results: Violations):
    judged = {
        ("rmf_cf_structure_activity", "requests_add_up", "requests"): 3,
        ("rmf_cf_to_cf", "delayed_pct_range", "delayed_pct"): 2,
    }
    page = page_of(lake, results, judged)
    # 42,155 are not 40,911 + 344; the page's TOTAL is not 42,155 + 25,505 either.
    assert "2 rows on 2 pages with impossible values;" in page
    assert "1 rejected line or cell in 5 files." in page
    # Counts in full are exact, but for the last bits of a double.
    assert "<td>42,155</td><td>41,255</td><td>0.00004126</td><td>1</td>" in page
    assert "rmf_cf_structure_activity.requests_add_up, requests" in page
    assert "page 1, line 17</td>" in page
    # Two systems and the total; of each of the three a sum and a rate, and its report_kind, structure and structure_type are known.
    rows, expectations, seen, values, errors, *_ = cells(page, "rmf_cf_structure_activity")
    assert (rows, seen, values, errors) == ("3", "5", str(3 + 3 + 3 * 3), "2")
    assert int(seen) < int(expectations)
    # From 8.45 to 9.00 nothing is printed.
    gap = page.split('id="across"')[1].split("</section>")[0]
    assert "a gap is at most 2 s and 1%" in gap
    assert "<td>899.987 s</td><td>0 s</td>" in gap
    assert "rmf_workload_activity: unexpected line" in page
    assert "pages of an unknown report: PAGING ACTIVITY" in page


def test_the_account_of_lines_closes(lake: OpenLake, results: Violations):
    _, *counted = cells(page_of(lake, results), "All 5 files")
    lines, claimed, unread, blank, rejected, unknown, rejects, suspect = (int(n.replace(",", "")) for n in counted)
    assert lines == claimed + unread + blank + rejected + unknown
    assert (rejected, unknown, rejects, suspect) == (1, 3, 1, 2)
    files = [Path(f) for (f,) in lake.sql("SELECT source_file FROM ingest_file").fetchall()]
    assert lines == sum(len(f.read_text().splitlines()) for f in files)


def test_names_and_lines_are_text(lake: OpenLake, results: Violations):
    page = page_of(lake, results)
    assert EVIL not in page
    assert page.count(escape(printable(EVIL))) >= 3
    # The files were given with their folder, which is of this machine.
    assert str(lake.path.parent) not in page


def test_a_sound_lake_is_said_to_be_sound(tmp_path: Path):
    ingest([str(sample(PERIODS))], tmp_path / "lake", Options(), jobs=1)
    with open_lake(tmp_path / "lake") as sound:
        page = page_of(sound, check(sound), {("rmf_workload_activity", "service_rate", "service_per_s"): 3})
    assert "All checks passed: " in page
    assert "Every line of every report was read." in page
    assert page.count(">None.<") == 1
    assert "No gaps, overlaps, short intervals" in page
    # Without pictures there is no library to draw them with.
    assert len(page) < 60_000


@pytest.mark.parametrize("gaps", [2, 3, 8])
def test_every_warning_of_the_headline_is_one_of_the_table(lake: OpenLake, found: list[dict[str, Any]], gaps: int):
    """Gaps before intervals of six rows each, and three rows on two pages that break a rule of their table: so many gaps, not six
    times as many, in the headline, in the column of their table and in the list."""
    (gap,) = [r for r in found if r["rule"].endswith(".no_gap")]
    (own, *_) = [r for r in found if r["severity"] == "warn" and not r["rule"].endswith(".no_gap")]
    rows = [gap | {"rows": 6, "page": n + 1, "found": 1800.0} for n in range(gaps)]
    rows += [own | {"rows": 2, "page": 1}, own | {"rows": 1, "page": 2}]
    page = page_of(lake, violations(rows))
    assert f"No errors. 3 rows on 2 pages with inconsistent values; {gaps} warnings across pages and reports" in page
    across_errors, across_warnings = cells(page, gap["table"])[-2:]
    suites = page.split('id="suites"')[1].split("</section>")[0]
    counted = [cells(suites, head.split("<")[0])[-4:] for head in suites.split('<th scope="row">')[1:]]
    sums = [sum(int(row[n]) for row in counted) for n in range(4)]
    assert sums == [0, 3, 0, gaps]
    assert (across_errors, across_warnings) == ("0", str(gaps))
    listed = page.split('id="across"')[1].split("</section>")[0]
    assert listed.count("<td>1,800 s</td><td>0 s</td>") == gaps


def test_an_empty_lake_has_a_page():
    empty = SimpleNamespace(
        rows=lambda _: 0, sql=lambda text: SimpleNamespace(arrow=lambda: pa.table({"x": []}).slice(0, 0))
    )
    page: Any = render(empty, Violations(), {})  # type: ignore[arg-type]
    assert page.headline == "The lake is empty: nothing to check."
    assert "No table has rows." in document(page)


@pytest.mark.slow
def test_a_hundred_thousand_findings_are_cut_and_told(lake: OpenLake, found: list[dict[str, Any]]):
    (row, *_) = [r for r in found if r["rule"].endswith(".requests_add_up")]
    many = [row | {"page": n // 40 + 1, "line": n + 1, "column": f"c{n % 100}"} for n in range(100_000)]
    page = page_of(lake, violations(many))
    assert "99,500 more are not shown (at most 20 per rule); ironlake check prints all." in page
    assert len(page) < 400_000


def test_check_writes_it(
    lake: OpenLake, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    # Great Expectations takes a second to load; here it would find only that every frame is to be looked at.
    looked_at: set[int] = set()
    suites = SimpleNamespace(
        look=lambda place, *_: looked_at.add(place) or (),
        suspects=lambda: [looked_at.pop() for _ in tuple(looked_at)],
        judge=broken_rows,
        rest=tuple,
        judged=Counter(),
    )
    monkeypatch.setitem(
        sys.modules, "ironlake.pipeline.quality.expectation_suites", SimpleNamespace(ExpectationSuites=lambda: suites)
    )
    out = tmp_path / "pages" / "quality.html"
    with pytest.raises(typer.Exit) as ended:
        cli.check(lake=lake.path, out=out, output_format="json")
    assert ended.value.exit_code == 1
    told = capsys.readouterr()
    assert len(json.loads(told.out)) == check(lake).to_reader().read_all().num_rows
    assert told.err.startswith(f"{out}: 2 rows on 2 pages with impossible values; ")
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_it_opens_offline(browser: Any, lake: OpenLake, results: Violations, tmp_path: Path):
    (tmp_path / "quality.html").write_text(page_of(lake, results), "utf-8")
    page, requests, complaints = opened(browser, tmp_path / "quality.html")
    assert_fits(page)
    assert EVIL in page.locator("section:has(#account)").inner_text()
    assert EVIL in page.locator("section:has(#rejects) code").first.inner_text()
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.click("#theme")
    assert page.evaluate(paper) != dark
    assert (requests, complaints) == ([], [])
    page.close()
