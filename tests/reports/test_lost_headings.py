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
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.reading.engine import canonical_segment, parse, watch
from sample_pages import OPTIONS, SAMPLES
from sizes import some

REPORTS = ("cics_statistics", "cics_monitoring", "cics_servers", "db2_statistics", "db2_accounting")
_IN_PARTS = {table.name for report in reports().values() for table in report.tables if table.in_parts}
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
        # Where the page with the first part of a row is lost, the row begins at its next part.
        parts = [{name: value for name, value in row.items() if value is not None} for row in rest[key]]
        every = [row for (table, _), rows in whole.items() if table == key[0] and key[0] in _IN_PARTS for row in rows]
        if not (told and all(any(part.items() <= row.items() for row in every) for part in parts)):
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


@pytest.mark.parametrize("report", some(REPORTS, 2))
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


def test_numbers_of_a_server_whose_line_above_is_lost_are_those_of_no_other_part() -> None:
    """A lost line of numbers leaves them NULL, with a reject: those of the next part are not taken for them."""
    (path,) = (SAMPLES / "cics_servers").glob("servers_of_three_kinds.txt")
    data = path.read_bytes()
    lines, options = data.decode().splitlines(keepends=True), Options()
    numbers = {n for n, kind in _kinds(path.stem, data, options).items() if kind.endswith("_ROW")}
    assert len(numbers) == 35
    pages = _pages({0: data} | {n: "".join(lines[: n - 1] + lines[n:]).encode() for n in numbers}, options)
    whole = _rows(pages[0], int)
    for n in numbers:
        place = lambda line, n=n: line + (line >= n)  # noqa: E731
        told = bool(_told(pages[n], place))
        assert list(_wrong(whole, _rows(pages[n], place), n, told)) == []


def test_numbers_below_strange_titles_are_not_those_of_the_titles_above() -> None:
    """ENTRIES has lost its numbers, and BUFFERS is not known: 100 buffers are not 100 entries."""
    (path,) = (SAMPLES / "cics_servers").glob("servers_bad_lines.txt")
    lines = path.read_text().splitlines(keepends=True)
    assert (lines[13][:8], lines[14].split()[0], lines[15][:8], lines[16].split()) == (
        "Entries:",
        "84210",
        "Buffers:",
        ["100", "12"],
    )
    pool = _pages({0: "".join(lines[:14] + lines[15:]).encode()}, Options())[0]["cics_server_pool"]
    assert pool["entries_total"].to_list()[1] is None


def test_a_page_of_a_cache_that_does_not_name_its_control_unit_says_so() -> None:
    (path,) = (SAMPLES / "rmf_cache_subsystem").glob("cache_bypass_and_offline.txt")
    page = path.read_text()
    unit = (
        "SUBSYSTEM  2105-02     CU-ID  8A04     SSID 8A01     CDATE  09/17/2013     CTIME 10.29.57      CINT  15.00\n"
    )
    assert page.count(unit) == 2
    for line, told in (
        ("", "no control unit on the page"),
        (unit.replace("8A04", "8A0 "), "no control unit in the heading"),
        (unit.replace("8A01", "8A  "), "no subsystem identifier in the heading"),
        (unit.replace("CINT  15.00", ""), "no length of the cache interval in the heading"),
        (unit.replace("CTIME 10.29.57", ""), "no start of the cache interval in the heading"),
    ):
        rejects = _pages({0: page.replace(unit, line).encode()}, Options())[0]["parse_reject"]["what"].to_list()
        assert rejects == [f"rmf_cache_subsystem: {told}"], line
    started = _pages({0: page.replace("     CINT  15.00", "").encode()}, Options())[0]["rmf_cache_subsystem"]
    assert str(started["cache_started_at"][0]) == "2013-09-17 10:29:57"
