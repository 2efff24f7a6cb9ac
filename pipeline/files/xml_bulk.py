"""Rows, headings and variables of an XML document, found in bulk: nearly all of a document is of these.

Each run of them becomes one empty element of a shorter document, which the parser then reads; a run is taken from its matches when
the parser comes to its element (xml_lines.py). Only elements that are well-formed whatever is around them are taken, in the form that
RMF writes: printable ASCII without entities, with no other attribute. The parser reads all others itself, and all of a document with
comments, CDATA or processing instructions among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

# The element that stands for a run; a document that has this name is not shortened.
RUN = "run-of-elements"
_MOST = 1 << 16
_MOST_IN_RUN = 1 << 10
_WS = r"[ \t\n]*+"
_TEXT = r"[ -%'-;=?-{}~\t\n]{0,4096}+"
_CELLS = rf'((?:(?:<col/>|<col(?: (?:type|percent)="[ !#-%\'-;=?-~]{{0,4096}}+")?+>{_TEXT}</col>){_WS}){{1,512}}+)'
# Groups: type and cells of a row; cells of a heading; name and value of a variable.
_ELEMENT = re.compile(
    rf'<(?:row(?: refno="[0-9]{{1,9}}+")?+(?: percent="[0-9]{{1,9}}+")?+(?: type="([A-Z]{{1,9}}+)")?+>{_WS}{_CELLS}</row'
    rf"|column-headers>{_WS}{_CELLS}</column-headers"
    rf"|var>{_WS}<name>({_TEXT})</name>{_WS}<value>({_TEXT})</value>{_WS}</var)>{_WS}"
)
_CELL = re.compile(r"<col[^>]*+>[ \t\n]*+([^<]*+)")


class Element(NamedTuple):
    """kind: var, cols, row, or row and its type. cells: stripped; of a variable its name and value. line: the line of its start tag, from
    that of the run; match: of the element."""

    kind: str
    cells: list[str]
    line: int
    match: re.Match[str]


def last_line(match: re.Match[str]) -> int:
    """The line of the end tag of an element, from that of its start tag."""
    text = match[0]
    return text.count("\n", 0, text.rfind("</"))


class Runs(NamedTuple):
    """A document with an element for each run, and the elements of the runs."""

    document: str
    runs: list[list[re.Match[str]]]


def take_runs(document: str) -> Runs:
    """Line ends are those of the document, LF alone."""
    found = list(islice(_ELEMENT.finditer(document), _MOST)) if RUN not in document else []
    # What ends behind an element might hold it.
    if not found or "<!" in document or document.find("?>", found[0].start()) >= 0:
        return Runs(document, [])
    parts, runs, begun, end = [], [], 0, 0
    run: list[re.Match[str]] = []
    for match in found:
        start, following = match.span()
        if start == end and run and len(run) < _MOST_IN_RUN:
            run.append(match)
        else:
            # The lines of the run before, so that those behind it have their numbers.
            parts += ["\n" * document.count("\n", begun, end), document[end:start], f'<{RUN} n="{len(runs)}"/>']
            run, begun = [match], start
            runs.append(run)
        end = following
    return Runs("".join((*parts, "\n" * document.count("\n", begun, end), document[end:])), runs)


def elements(run: list[re.Match[str]]) -> Iterator[Element]:
    """The elements of a run, in order."""
    line, find = 0, _CELL.findall
    document, begun = run[0].string, run[0].start()
    may_end_in_blanks = _ends_in_blanks(document, begun, run[-1].end())
    for match in run:
        kind, cells, titles, name, value = match.groups()
        start = match.start()
        line += document.count("\n", begun, start)
        begun = start
        if name is not None:
            yield Element("var", [name.strip(), value.strip()], line, match)
        else:
            found = find(cells or titles)
            if may_end_in_blanks:
                found = list(map(str.strip, found))
            tag = "cols" if titles is not None else f"row {kind}" if kind is not None else "row"
            yield Element(tag, found, line, match)


def table_of(run: list[re.Match[str]]) -> tuple[list[str], list[tuple[str, list[str], int]]] | None:
    """Of a run that is a heading and rows below it: the titles, and kind, cells and line of each row. The cells of all rows are found at
    once. None for another run."""
    if run[0][3] is None or any(match[2] is None for match in run[1:]):
        return None
    document, end = run[0].string, run[-1].end()
    (titles, *_), rows = elements(run[:1]), run[1:]
    cells = _CELL.findall(document, rows[0].start(), end) if rows else []
    if rows and _ends_in_blanks(document, rows[0].start(), end):
        cells = list(map(str.strip, cells))
    found, first, line, begun = [], 0, 0, run[0].start()
    for match in rows:
        start, last = match.span(2)
        kind, begins = match[1], match.start()
        line += document.count("\n", begun, begins)
        begun, beyond = begins, first + document.count("<col", start, last)
        found.append(("row" if kind is None else f"row {kind}", cells[first:beyond], line))
        first = beyond
    return titles.cells, found


def _ends_in_blanks(document: str, start: int, end: int) -> bool:
    """Whether a cell may."""
    return any(document.find(f"{blank}</col", start, end) >= 0 for blank in " \n\t")


def is_whole(run: list[re.Match[str]]) -> bool:
    """Whether its lines are the same wherever it is: it has no row that is below a heading above it."""
    return run[0][1] is None and run[0][2] is None
