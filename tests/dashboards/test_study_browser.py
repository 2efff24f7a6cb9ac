"""The pages of the shipped studies in a browser: they open offline, every picture is there with title, units and traces, and what
they say is what the views hold."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from compared_runs import Comparison, class_rows, comparison
from ironlake.dashboards.charts.chart import Chart, Lane, Row, Value
from ironlake.dashboards.charts.image_files import write_images, write_pdf
from ironlake.dashboards.charts.svg import WIDE
from ironlake.dashboards.document import document, site_header
from ironlake.dashboards.pages.study import render
from ironlake.dashboards.references import Sources
from ironlake.dashboards.study_rows import Measured, measure_studies
from ironlake.pipeline import open_lake
from ironlake.pipeline.cli import main as cli
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError, UsageError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.study.lake import StudiedLake
from ironlake.pipeline.study.study_file import read_studies
from pages import assert_fits, opened, pictures_of
from sample_pages import SAMPLES

FILES = sorted((SAMPLES / "studies").glob("*/*.yaml"))


class Shipped:
    """Every shipped study over one lake of all shipped reports: every view is asked once."""

    def __init__(self, lake: StudiedLake, measured: Measured, sources: Sources):
        self.lake, self.measured, self.sources = lake, measured, sources

    def page(self, file: Path) -> tuple[str, list[str]]:
        """The page of a study file as `ironlake compare` writes it, and the names of its studies."""
        names = [study.name for study in read_studies(file)]
        mine = [s for s in self.measured.studies if s.name in names]
        return document(render(replace(self.measured, studies=mine), self.sources)), names

    def rows(self, text: str) -> list[dict[str, Any]]:
        return self.lake.sql(text).arrow().to_pylist()


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shipped]:
    path = tmp_path_factory.mktemp("shipped") / "lake"
    ingest([str(SAMPLES / "studies")], path, Options())
    studies = [study for file in FILES for study in read_studies(file)]
    with open_lake(path) as lake, StudiedLake(lake, studies) as studied:
        sources = Sources(studied)
        yield Shipped(studied, measure_studies(studied, [s.name for s in studies], sources), sources)


def _cost_in_the_table(page: Any, shipped: Shipped) -> None:
    (cost,) = shipped.rows(
        "SELECT cp_ms_per_request AS ms FROM configuration_cost WHERE study LIKE '%RMF counts' AND subsystem = 'CICS'"
    )
    # On the first screen, or in the part of its study.
    first = "cells => cells.map((cell) => cell.firstChild.textContent)"
    shown = page.locator("table.summary tbody td:nth-child(2)").evaluate_all(first)
    assert f"{cost['ms']:.3f}" in shown


def _saved(page: Any, picture: str, *words: str) -> float:
    """The value of the one line with these words that the button of a picture saves."""
    with page.expect_download() as download:
        page.click(f"#study_1_{picture}-csv")
    lines = csv.reader(Path(download.value.path()).read_text("utf-8-sig").splitlines())
    (line,) = [line for line in lines if set(words) <= set(line)]
    return float(line[-2])


def _service_time_and_delay_in_the_data(page: Any, shipped: Shipped) -> None:
    (service,) = shipped.rows(
        """SELECT sync_service_us AS us FROM cf_structure_interval
        WHERE structure_name = 'DSNDB2T_GBP6' AND system = 'SYS1' AND interval_start = '1996-06-03 10:00:00'"""
    )
    (delay,) = shipped.rows(
        """SELECT delay_per_transaction_us AS us FROM gbp_delay_per_transaction
        WHERE configuration = 'A1 SYS2' AND db2_group = 'DSNDB2D' AND gbp = 'GBP1'"""
    )
    assert _saved(page, "cf_service_time", "DSNDB2T_GBP6", "A3 SYS1") == pytest.approx(service["us"])
    assert _saved(page, "gbp_delay", "DSNDB2D", "A1 SYS2", "GBP1") == pytest.approx(delay["us"], rel=1e-5)


def _coupling_in_the_table(page: Any, shipped: Shipped) -> None:
    (row,) = shipped.rows(
        "SELECT coupling_efficiency_pct AS pct FROM coupling_efficiency WHERE busy_basis = 'cp' AND study LIKE 'Sysplex%'"
    )
    shown = page.get_by_role("row", name="Coupling efficiency").first.locator("td").first.inner_text()
    assert shown == f"{row['pct']:.2f}" == "90.29"
    # The first screen is of the study with the better evidence: B2 and B1.
    summary = page.locator("table.summary tbody tr").first.locator("td").all_inner_texts()
    assert [cell.split("\n")[0] for cell in summary] == [
        "83.81 ms",
        "93.53 ms",
        "+9.72 ms",
        "efficiency 89.6%; no 95% interval: 1 interval a side",
    ]


# What is read off a drawn page and must be what a view holds.
NUMBERS = {
    "jdbc_drivers": _cost_in_the_table,
    "group_buffer_pools": _service_time_and_delay_in_the_data,
    "sysplex_and_data_sharing": _coupling_in_the_table,
}


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_the_page_of_a_shipped_study(browser: Any, shipped: Shipped, file: Path, tmp_path: Path):
    text, names = shipped.page(file)
    path = tmp_path / "page.html"
    path.write_text(text, "utf-8")
    assert path.stat().st_size < 2_200_000
    page, requests, complaints = opened(browser, path)
    drawn = pictures_of(text)
    assert drawn
    # Neither text nor pictures name a folder of this machine, though all files were given with it.
    assert str(SAMPLES) not in text + json.dumps(drawn)
    # A configuration alone is told in words; the scores are those of the lake.
    assert (file.parent.name == "jdbc_drivers") == (set(drawn) == {"jmh"})
    found = page.evaluate(
        """() => [...document.querySelectorAll('.picture')].map(place => ({
            id: place.id, said: place.querySelector('svg').getAttribute('aria-label'),
            title: document.getElementById(place.id + '-title').textContent,
            axes: [...place.querySelectorAll('svg')].map(svg => [...svg.querySelectorAll('.axis text')].map(e => e.textContent).join(' ')),
            drawn: place.querySelectorAll('svg.wide > path, svg.wide > g > path').length}))"""
    )
    assert [f["id"] for f in found] == list(drawn)
    for place in found:
        figure = drawn[place["id"]]
        assert place["title"].rstrip(), place
        assert len(place["said"]) > 40, place
        axis = figure["axis"]
        assert [axis in words for words in place["axes"]] == [True, True], place
        assert "(" in axis or "per" in axis.lower(), axis
        assert place["drawn"], place
    assert_fits(page)
    if file.parent.name in NUMBERS:
        NUMBERS[file.parent.name](page, shipped)
    for tab in page.get_by_role("tab").all()[:8]:
        if tab.is_visible():
            tab.click()
            assert page.locator(f"#{tab.get_attribute('aria-controls')}").is_visible()
    for name in names:
        assert name in page.content().replace("&amp;", "&")
    assert (requests, complaints) == ([], [])
    page.close()


def test_a_site_puts_its_own_header_with_the_words_of_the_page_as_text(compared: list[Comparison], tmp_path: Path):
    page = replace(compared[PLAIN].rendered, heading="<script>x</script> & Co")
    (tmp_path / "site.html").write_text("<div class='site'>$heading, $$5</div>", "utf-8")
    above = site_header(tmp_path / "site.html", page)
    assert above == "<div class='site'>&lt;script&gt;x&lt;/script&gt; &amp; Co, $5</div>"
    text = document(page, above)
    assert text.index(above) < text.index("<header>")
    for wrong, what in (("$what", r"unknown variable \$what"), ("5 $ each", "Invalid placeholder")):
        (tmp_path / "site.html").write_text(wrong, "utf-8")
        with pytest.raises(IronlakeError, match=what):
            site_header(tmp_path / "site.html", page)
    with pytest.raises(IronlakeError, match="cannot be read"):
        site_header(tmp_path / "nothing.html", page)


PLAIN = comparison(rmf_workload_activity=class_rows())
FIGURE = Chart("time", "How long?", "Bars.", "itr", "ms", ["name"], "Time (ms)", rows=[Row("A", [Lane([Value(3.0)])])])


@pytest.mark.slow
@pytest.mark.usefixtures("browser")
def test_pictures_as_files(tmp_path: Path):
    write_images({"time": FIGURE}, tmp_path / "pictures")
    written = (tmp_path / "pictures" / "time.png").read_bytes()
    assert written.startswith(b"\x89PNG")
    # Twice as many pixels as it has in a page, and its edges.
    assert int.from_bytes(written[16:20], "big") == 2 * (WIDE + 32)


@pytest.mark.slow
@pytest.mark.usefixtures("browser")
def test_a_page_is_printed_on_a4_and_its_own_pdf_alone_is_replaced(tmp_path: Path, compared: list[Comparison]):
    page, file = document(compared[PLAIN].rendered, is_static=True), tmp_path / "page.pdf"
    write_pdf(page, file)
    written = file.read_bytes()
    assert written.startswith(b"%PDF")
    # 210 × 297 mm in points; what is folded in a window is on paper: a few sheets, and not one.
    assert re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", written)[0] == (b"594.95996", b"841.91998")
    assert 2 <= len(re.findall(rb"/Type /Page\b", written)) <= 5
    write_pdf(page, file)
    file.write_bytes(b"%PDF-1.4 of somebody else")
    with pytest.raises(UsageError, match=r"page\.pdf is not a PDF that Ironlake wrote"):
        write_pdf(page, file)


def test_without_a_browser_pictures_as_files_are_an_error_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    with pytest.raises(IronlakeError, match="no browser found for --png; expected an installed Chrome or Chromium"):
        write_images({"time": FIGURE}, tmp_path)
    with pytest.raises(IronlakeError, match="no browser found for --pdf; expected an installed Chrome or Chromium"):
        write_pdf("", tmp_path / "page.pdf")
    assert [*tmp_path.iterdir()] == []


def test_a_template_that_is_no_file_is_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    runs = [f"--run={name}=2021-04-{day}T10:00/11:00" for name, day in (("before", 13), ("after", 14))]
    options = [f"--out={tmp_path / 'page.html'}", f"--template={tmp_path / 'site.html'}"]
    monkeypatch.setattr("sys.argv", ["ironlake", "compare", *runs, *options])
    assert cli.main() == 2
    assert "site.html is not a file; expected an HTML file for the top of the page" in capsys.readouterr().err
