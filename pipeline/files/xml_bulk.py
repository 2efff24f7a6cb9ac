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
    that of the run; text: of the element."""

    kind: str
    cells: list[str]
    line: int
    text: str

    @property
    def last_line(self) -> int:
        """The line of its end tag."""
        return self.line + self.text.count("\n", 0, self.text.rfind("</"))


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
    parts, runs, end = [], [], 0
    for match in found:
        start = match.start()
        if start == end and runs and len(runs[-1]) < _MOST_IN_RUN:
            runs[-1].append(match)
        else:
            parts += [document[end:start], f'<{RUN} n="{len(runs)}"/>']
            runs.append([match])
        end = match.end()
        parts.append("\n" * document.count("\n", start, end))
    return Runs("".join((*parts, document[end:])), runs)


def elements(run: list[re.Match[str]]) -> Iterator[Element]:
    """The elements of a run, in order."""
    line = 0
    for match in run:
        text, kind, cells, titles, name, value = match.group(0, 1, 2, 3, 4, 5)
        if name is not None:
            yield Element("var", [name.strip(), value.strip()], line, text)
        else:
            found = _CELL.findall(cells or titles)
            if _ends_in_blanks(text):
                found = list(map(str.strip, found))
            tag = "cols" if titles is not None else f"row {kind}" if kind is not None else "row"
            yield Element(tag, found, line, text)
        line += text.count("\n")


def _ends_in_blanks(text: str) -> bool:
    """Whether a cell may."""
    return " </col" in text or "\n</col" in text or "\t</col" in text
