"""Pages of CICS and Db2 without one of their headings: what stands below is read as on the whole page, or said to be lost.

Of each kind of heading, title and page line of every sample the first and the last are taken away in turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import polars as pl
import pytest
from ironlake.pipeline.declaration.bookkeeping import TABLES as BOOKKEEPING
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import canonical_segment, parse, watch
from sample_pages import OPTIONS, SAMPLES

REPORTS = ("cics_statistics", "cics_monitoring", "cics_servers", "db2_statistics", "db2_accounting")
_BOOKS = {table.name for table in BOOKKEEPING}
_ENDS = ("HEAD", "HEAD_MORE", "TITLE", "TITLES", "DASHES", "RULE", "LINE")
# What nothing else on a page shows: the page line of DFH0STAT between two pages of a region, and what may be missing.
_MAY_GO_UNSEEN = {
    ("cics_dfh0stat_entries", "PAGE_LINE"),
    ("cics_dfh0stat_region", "PAGE_LINE"),
    ("servers_of_three_kinds", "SYSTEM_LINE"),
    ("servers_of_three_kinds", "DATE_LINE"),
}
# INTERVAL ELAPSED, or TO less FROM; places of a label among others.
_MAY_DIFFER = {"interval_elapsed_s", "label_path", "occurrence"}

Tables = dict[str, pl.DataFrame]
Rows = dict[tuple[str, int], list[dict[str, object]]]


def _kinds(name: str, data: bytes, options: Options) -> dict[int, str]:
    """The kind of each line."""
    found: dict[int, str] = {}
    for _, builder, _, _ in watch([canonical_segment(data, name, options)], options).reports:
        lines = builder.report_lines
        found |= {int(n): lines.grammar.names[k] for n, k in zip(lines.number, lines.kind, strict=True) if k >= 0}
    return found


def _pages(pages: dict[int, bytes], options: Options) -> dict[int, Tables]:
    """The tables of pages by their numbers, all read at once."""
    parsed = parse([canonical_segment(page, str(number), options) for number, page in pages.items()], options)
    found: dict[int, Tables] = {number: {} for number in pages}
    for name, table in parsed.tables.items():
        frame = pl.DataFrame(pl.from_arrow(table)).with_columns(pl.col(pl.Categorical).cast(pl.String))
        for (number,), part in frame.partition_by("source_file", as_dict=True).items():
            found[int(str(number))][name] = part
    return found


def _rows(tables: Tables, line: Callable[[int], int]) -> Rows:
    """Rows by table and line of the whole page."""
    found: Rows = defaultdict(list)
    for name, frame in tables.items():
        if name not in _BOOKS:
            for row in frame.drop("source_id", "source_file", "page").iter_rows(named=True):
                found[name, line(row.pop("line"))].append(row)
    return found


def _told(tables: Tables, line: Callable[[int], int]) -> set[tuple[object, ...]]:
    rejects = tables["parse_reject"].select("line", "what").rows() if "parse_reject" in tables else []
    unknown = tables["unknown_report"].select("banner", "lines").rows() if "unknown_report" in tables else []
    return {*((line(n), what) for n, what in rejects), *unknown}


def _wrong(whole: Rows, rest: Rows, lost: int, told: bool) -> Iterator[str]:
    for key in rest.keys() - whole.keys():
        yield f"a row on line {key[1]} of {key[0]} that is not on the page"
    for key, rows in whole.items():
        if key[1] != lost and len(rest.get(key, ())) != len(rows) and not told:
            yield f"rows on line {key[1]} of {key[0]} are gone"
        for before, after in zip(rows, rest.get(key, ()), strict=False):
            for name in before:
                if after[name] is None and before[name] is not None and not told:
                    yield f"{key[0]}.{name} on line {key[1]} is gone"
                if after[name] is not None and after[name] != before[name] and not (told and name in _MAY_DIFFER):
                    yield f"{key[0]}.{name} on line {key[1]} was {before[name]}, is {after[name]}"


@pytest.mark.parametrize("report", REPORTS)
def test_a_lost_heading_is_told_and_gives_no_other_value(report: str) -> None:
    wrong, lost = [], 0
    for path in sorted((SAMPLES / report).glob("*.txt")):
        data = path.read_bytes()
        lines = data.decode().splitlines(keepends=True)
        options = OPTIONS.get(path.stem, Options())
        every = _kinds(path.stem, data, options)
        first, last = {kind: n for n, kind in reversed(every.items())}, {kind: n for n, kind in every.items()}
        kinds = {
            number: kind
            for number, kind in every.items()
            if kind.endswith(_ENDS) and (path.stem, kind) not in _MAY_GO_UNSEEN and number in (first[kind], last[kind])
        }
        without = {number: "".join(lines[: number - 1] + lines[number:]).encode() for number in kinds}
        pages = _pages({0: data} | without, options)
        whole, told = _rows(pages[0], int), _told(pages[0], int)
        lost += len(kinds)
        for number, kind in kinds.items():
            place = lambda line, number=number: line + (line >= number)  # noqa: E731
            is_told = bool(_told(pages[number], place) - told)
            found = list(_wrong(whole, _rows(pages[number], place), number, is_told))
            wrong += [f"{path.stem} without line {number} ({kind}): {found[0]}"] if found else []
    assert lost >= 30
    assert wrong == []
