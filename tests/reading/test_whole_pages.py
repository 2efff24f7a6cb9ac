"""Whole pages, one after the other: none takes page lines, keys or a section from the page before it.

Pages are those of the samples and of published reports, in an order made at random, moved right by margins made at random, and, which
tempts a reader most, with the heads of one report: the same interval, and page numbers that go on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import Report, reports
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.reading.line_kinds import load
from ironlake.pipeline.reading.pages import PAGE_NUMBER
from ironlake.pipeline.reading.report_lines import ReportLines
from property_settings import examples
from report_pages import all_report_lines
from sample_pages import NOT_PRINTED, OPTIONS, PUBLISHED, canonical, sample_files
from sizes import some

# Reports whose pages have page lines; logs have none.
PRINTED = [name for name, report in reports().items() if load(name).page_lines and report.banner]
MOST_PAGES = 5
# Only pages beside each other can tell this.
LEFT_OUT = "pages of this interval are missing before this one"
# Pages that go on with a group of rows: the name of the first one is on the page before, and taken from there.
CONTINUED = {"xcf_usage_side_by_side:19"}
Rows = list[tuple[str, int, dict[str, Any]]]


@dataclass(frozen=True)
class Page:
    """A whole page: its lines, and which of them (counted from 0) name its interval and its number."""

    origin: str
    lines: tuple[str, ...] = field(repr=False)
    head: dict[str, int] = field(repr=False)

    def printed(self, margin: int = 0) -> list[str]:
        return [" " * margin + line if line else line for line in self.lines]


@cache
def whole_pages(report: str) -> tuple[Page, ...]:
    """Every page of a report that has all lines that name its interval and number, and begins a section of its own."""
    found = []
    paths = [p for p in sample_files() if p.parent.name == report] + [p for p in PUBLISHED if p.stem.startswith(report)]
    for path in (p for p in paths if p.stem not in OPTIONS):
        found += _pages_of(path, reports()[report])
    return tuple(found)


def _pages_of(path: Path, report: Report) -> list[Page]:
    text = canonical(path)
    lines = text.split("\n")
    starts = np.unique([f.number[f.page_begins] - 1 for f in all_report_lines(text, path)] or [0])
    out = []
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        of_page = tuple(line.rstrip() for line in lines[begin:end])
        for report_lines in all_report_lines("\n".join(of_page) + "\n", path):
            head = _whole_head(report_lines, report) if report_lines.report is report else None
            if head and f"{path.stem}:{begin + 1}" not in CONTINUED:
                out.append(Page(f"{path.stem}:{begin + 1}", of_page, head))
    return out


def _whole_head(report_lines: ReportLines, report: Report) -> dict[str, int] | None:
    names = report_lines.grammar.names
    at: dict[str, int] = {}
    first = ""
    for kind, number in zip(report_lines.kind.tolist(), report_lines.number.tolist(), strict=True):
        if kind < 0:
            continue
        if names[kind] in report_lines.grammar.page_lines:
            at.setdefault(names[kind], number - 1)
        elif not first:
            first = names[kind]
    needed = {*report.interval, *report.carried}
    return at if first in report_lines.grammar.sections and needed <= set(at) else None


def read(lines: list[str]) -> tuple[Rows, list[tuple[int, str]]]:
    """Every row with its table and line, what is no part of the page left out; and what was rejected."""
    tables = read_text("\n".join(lines) + "\n", Options())
    # scope is gathered from all systems that the pages of a source name.
    left_out = {*NOT_PRINTED, "page", "line", "scope"}
    rows = [
        (name, row["line"], {k: v for k, v in row.items() if k not in left_out})
        for name, report_lines in tables.items()
        if name not in ("parse_reject", "unread_section", "unknown_report", "cell_null")
        for row in report_lines.iter_rows(named=True)
    ]
    rejects = [reject for reject in tables["parse_reject"].select("line", "what").rows() if LEFT_OUT not in reject[1]]
    return rows, rejects


def numbered(page: Page, report: Report, number: int) -> Page:
    """The page with another page number, in the place of the one that it has."""
    lines = list(page.lines)
    for kind in report.numbered:
        if kind in page.head:
            at = page.head[kind]
            lines[at] = PAGE_NUMBER.sub(lambda m: re.sub(r"[\d,]+(?=\D*$)", str(number), m[0]), lines[at])
    return Page(page.origin, tuple(lines), page.head)


def with_head_of(page: Page, other: Page, report: Report) -> Page:
    """The page with the lines of another one that name its interval: where both are of one layout."""
    lines = list(page.lines)
    for kind in report.interval:
        if kind in other.head:
            lines[page.head[kind]] = other.lines[other.head[kind]]
    return Page(page.origin, tuple(lines), page.head)


def assert_as_alone(pages: list[Page], margins: list[int]) -> None:
    together: list[str] = []
    rows: Rows = []
    rejects: list[tuple[int, str]] = []
    for page, margin in zip(pages, margins, strict=True):
        alone, told = read(page.printed(margin))
        rows += [(table, line + len(together), row) for table, line, row in alone]
        rejects += [(line + len(together), what) for line, what in told]
        together += page.printed(margin)
    found, told = read(together)
    origins = [page.origin for page in pages]
    for table, line, row in rows:
        same = [r for t, at, r in found if (t, at) == (table, line)]
        assert row in same, (origins, table, line, row, same)
    assert len(found) == len(rows), origins
    # What cannot be read is told once per text.
    assert set(told) <= set(rejects), origins
    assert {what for _, what in told} == {what for _, what in rejects}, origins


@pytest.mark.parametrize("name", some(PRINTED, 3))
# A failing example is pages as they are: nothing to shrink.
@examples(2, phases=[Phase.generate])
@given(data=st.data())
def test_whole_pages_in_any_order_are_read_as_each_alone(name: str, data: st.DataObject) -> None:
    report = reports()[name]
    pages = data.draw(st.lists(st.sampled_from(whole_pages(name)), min_size=2, max_size=MOST_PAGES))
    if data.draw(st.integers(0, 3)):
        first = data.draw(st.integers(1, 998))
        pages = [numbered(with_head_of(page, pages[0], report), report, first + k) for k, page in enumerate(pages)]
    margins = data.draw(st.lists(st.integers(0, 9), min_size=len(pages), max_size=len(pages)))
    assert_as_alone(pages, margins)


@pytest.mark.slow
def test_every_report_that_prints_page_lines_has_whole_pages() -> None:
    assert [name for name in PRINTED if not whole_pages(name)] == []
