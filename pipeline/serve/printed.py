"""From a number to its printed line: the page of the report as it was read, from the file if it still is what it was."""

from __future__ import annotations

import re
import stat
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..declaration.places import describe_place
from ..declaration.reading_options import Options
from ..errors import IronlakeError, UsageError
from ..files.source import Source, open_sources, segment_of
from ..ingest.batches import plan
from ..lake.state import SourceEntry
from ..output.values import shown
from ..reading.explain import ExplainedCell, ExplainedLine, ExplainedPage, explain
from ..sql.known_tables import tables
from ..sql.open_lake import OpenLake
from ..sql.view_files import views
from ..storage.address import is_address, place_of
from ..temporary_folders import temporary_folder
from .browse import columns, html
from .requests import Answer, Request

_OPTIONS = re.compile(r"date_order=(.*)\|encoding=(.*)\|scope=(.*)\|utc_offset_minutes=(.*)\|reader=(.*)", re.DOTALL)
_KEPT_PAGES = 32
_READ: OrderedDict[tuple[str, str, int], ExplainedPage] = OrderedDict()
# To read a page takes the memory of some tens of megabytes of text.
_READING = threading.Lock()


@dataclass(frozen=True)
class Piece:
    """A stretch of a line: plain, a cell of the row with its link, or the cell that was asked for."""

    text: str
    title: str = ""
    link: str = ""
    is_marked: bool = False
    id: str = ""


def printed_page(lake: OpenLake, request: Request) -> Answer:
    source_id, number, line = request.one("source"), request.number("page", 1), request.number("line", 1)
    entry = next((e for e in lake.state.sources.values() if e.source_id == source_id), None)
    if entry is None:
        raise UsageError("the lake has no such source", "a row of a table or view")
    of, column = request.one("of"), request.one("column")
    content: dict[str, Any] = {
        "title": f"{entry.source_file}, page {number}, line {line}", "here": "", "entry": entry, "page": number, "line": line,
        "of": of, "column": column, "also": _also(request), "why": "", "lines": [], "cells": [], "values": [], "report": "", "meaning": "",
    }  # fmt: skip
    try:
        page = _page(lake, entry, number)
    except IronlakeError as error:
        return html("serve_printed.html", **content | {"why": str(error)})
    cells = [cell for told in page.lines for cell in told.cells if cell.row_line == line]
    marked = _marked(cells, of, column)
    said = columns(of) if of in tables() or of in views() else []
    content |= {
        "meaning": next((c["description"] or "" for c in said if c["column"] == column), "").rstrip("."),
        "report": f"{page.report}: {page.why}" if page.report else page.why,
        "lines": [
            (told.number, told.kind, told.number == line, _pieces(told, line, marked, request)) for told in page.lines
        ],
        "cells": sorted(
            [
                (c not in marked, told.number, *_told(page, told, c))
                for told in page.lines
                for c in told.cells
                if c in cells
            ],
            key=lambda cell: cell[:2],
        ),
        "values": [*_rest(page, line, {(c.table, c.column) for c in cells})],
    }
    return html("serve_printed.html", **content)


def _also(request: Request) -> list[tuple[str, str]]:
    """The other places of a row that is made of several: words and link."""
    out = []
    for text in request.all("also"):
        source, _, rest = text.partition(":")
        page, _, line = rest.partition(":")
        if source != request.one("source") or (page, line) != (request.one("page"), request.one("line")):
            others = [each for each in request.all("also") if each != text]
            own = ":".join(request.one(name) for name in ("source", "page", "line"))
            out.append(
                (f"page {page}, line {line}", request.link(source=source, page=page, line=line, also=[own, *others]))
            )
    return out


def _page(lake: OpenLake, entry: SourceEntry, number: int) -> ExplainedPage:
    """A page of a source. Raises IronlakeError, with a sentence, where the file is not what it was."""
    for path in _files(lake, entry):
        key = entry.source_id, f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}", number
        with _READING:
            if key not in _READ:
                if (found := _read(path, entry, number)) is None:
                    continue
                _READ[key] = found
            while len(_READ) > _KEPT_PAGES:
                _READ.popitem(last=False)
            return _READ[key]
    is_there = any(_files(lake, entry))
    what = "is not as it was read: its digest differs" if is_there else "is not there any more"
    raise IronlakeError(
        f"{entry.source_file} {what}", hint="the rows stay in the lake; put the file back to see its pages"
    )


def _files(lake: OpenLake, entry: SourceEntry) -> Iterator[Path]:
    """The files that a source may be in: as it was given, or beside the lake; of a member of an archive, the archive. Never anything that
    the ledger does not name."""
    name = entry.source_file
    if name == "-" or is_address(place_of(name)):
        return
    # A name that repeats has its number behind it.
    names = dict.fromkeys(n for full in (name, re.sub(r" \(\d+\)$", "", name)) for n in (full, *_archives(full)))
    for folder in (Path(), Path(str(lake.path)).parent):
        for each in names:
            try:
                if stat.S_ISREG((folder / each).stat().st_mode):
                    yield folder / each
            except (OSError, ValueError):
                continue


def _archives(name: str) -> list[str]:
    return [name[: found.start()] for found in reversed([*re.finditer("!", name)])]


def _read(path: Path, entry: SourceEntry, number: int) -> ExplainedPage | None:
    """The page, from a file or the archive that it is in; None if there is no file of this digest."""
    options = _options(entry)
    with temporary_folder() as spool:
        for source in open_sources([str(path)], options, spool):
            if isinstance(source, Source):
                try:
                    if source.sha256 == entry.sha256:
                        return _page_of(source, options, number)
                finally:
                    source.close()
    return None


def _page_of(source: Source, options: Options, number: int) -> ExplainedPage:
    for batch in plan([source]):
        (lines,) = batch.ranges
        if number < lines.first_page:
            break
        chunk = lines.read()
        cut_short = lines.end >= source.size and source.cut_short()
        at = lines.first_line, lines.first_page
        segment = segment_of(chunk, (source.sha256, source.source_file), at, cut_short, lines.split)
        for page in explain(segment, options, page=number):
            return page
    raise IronlakeError(f"{source.source_file} has no page {number}")


def _options(entry: SourceEntry) -> Options:
    found = _OPTIONS.fullmatch(entry.options_key)
    if not found:
        raise IronlakeError(f"{entry.source_file} is not a print file", hint="its rows were written by ironlake study")
    order, encoding, scope, offset, _ = found.groups()
    return Options(
        "dmy" if order == "dmy" else "mdy", encoding, None if scope == "None" else scope, None if offset == "None" else int(offset)
    )  # fmt: skip


def _marked(cells: list[ExplainedCell], of: str, column: str) -> list[ExplainedCell]:
    """The cells of a value: of the table that was asked for, if it has the column."""
    named = [cell for cell in cells if cell.column == column]
    own = [cell for cell in named if cell.table == of]
    return own or named


def _pieces(told: ExplainedLine, line: int, marked: list[ExplainedCell], request: Request) -> list[Piece]:
    """A line in its cells; what is between them too."""
    pieces, at = [], 0
    for cell in told.cells:
        start, end = cell.first - 1, cell.last
        if cell.row_line != line or start < at or not told.text[start:end].strip():
            continue
        pieces.append(Piece(told.text[at:start]))
        link = request.link(of=cell.table, column=cell.column) + "#marked"
        name = "marked" if marked and cell is marked[0] else ""
        pieces.append(Piece(told.text[start:end], f"{cell.table}.{cell.column}", link, cell in marked, name))
        at = end
    return [*pieces, Piece(told.text[at:].rstrip(), id="marked" if told.number == line and not marked else "")]


def _told(page: ExplainedPage, told: ExplainedLine, cell: ExplainedCell) -> tuple[str, str, str, str, str]:
    """Where a cell is, its text, title, column and value, in the words of `ironlake explain`."""
    target = f"{cell.table}.{cell.column}"
    titles = [
        column.title
        for above in page.lines
        for heading in above.headings
        if heading.first_line <= (told.heading_line or -1) <= heading.last_line
        for column in heading.columns
        if any(target in becomes for becomes in column.becomes)
        and column.first <= cell.last
        and cell.first <= column.last
    ]
    value = f"NULL: {cell.why_null}" if cell.value is None else shown(cell.value)
    return f"{cell.first}-{cell.last}", cell.text, "; ".join(dict.fromkeys(titles)), target, value


def _rest(page: ExplainedPage, line: int, seen: set[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The values of the row that no cell of it has: column, value, and where it is from or why it is NULL."""
    for told in page.lines:
        for row in told.rows if told.number == line else ():
            places = {c.name: "; ".join(describe_place(p) for p in c.places) for c in tables()[row.table].columns}
            for name, value in row.values.items():
                if (row.table, name) not in seen:
                    yield f"{row.table}.{name}", shown(value), places.get(name, "")
            for name, why in row.nulls.items():
                if (row.table, name) not in seen:
                    yield f"{row.table}.{name}", "NULL", why
