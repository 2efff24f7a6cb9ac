"""Print lines with holes, put on pages and filled for many intervals at once.

A form is the text of some lines with holes such as %(ended)9d: a name, the width in print positions and a letter for the number
format (numbers.FORMATTERS). All intervals with the same lines are filled in one pass per kind of hole, into a matrix with one row
per interval: no Python runs per cell or line.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .numbers import FORMATTERS, Chars

_HOLE = re.compile(r"%\((\w+)\)(-?)(\d+)(?:\.(\d))?([a-z])")
_CODE_PAGE = "cp037"
_WIDTH = 132


@dataclass(frozen=True)
class Paper:
    """How print lines become bytes: ASA carriage control, EBCDIC, and lines per page. With both, fixed records of 133 bytes, as in a
    print data set; EBCDIC alone ends lines with NEL."""

    asa: bool = False
    ebcdic: bool = False
    page_lines: int = 60

    @property
    def records(self) -> bool:
        """Lines are filled up to their full width and have no line end."""
        return self.asa and self.ebcdic


@dataclass(frozen=True)
class _Hole:
    name: str
    at: int
    width: int
    decimals: int
    kind: str
    left: bool


@cache
def _parse(form: str) -> tuple[tuple[str, tuple[_Hole, ...]], ...]:
    """Each line of a form: its text with blanks for the holes, and the holes."""
    lines = []
    for line in form.split("\n"):
        text, holes, end = "", [], 0
        for m in _HOLE.finditer(line):
            text += line[end : m.start()]
            name, minus, width, decimals, kind = m.groups()
            holes.append(_Hole(name, len(text), int(width), int(decimals or 0), kind, bool(minus)))
            text += " " * int(width)
            end = m.end()
        lines.append((text + line[end:], tuple(holes)))
    return tuple(lines)


@dataclass(frozen=True)
class Section:
    """Lines that stay together on a page: a form, and for each hole the numbers (one per interval, or one for all) or a text. `when`: the
    intervals in which it is printed; `rule`: printed above such sections once per page; `head`: repeated above it after a page break;
    `part`: the part of the report, each on a new page. `title`: the first line begins a page."""

    form: str
    values: Mapping[str, Any] = field(default_factory=dict)
    when: NDArray[np.bool_] | None = None
    title: bool = False
    rule: str = ""
    head: str = ""
    part: str = ""

    @property
    def lines(self) -> int:
        return len(_parse(self.form))


# The section at the top of a page, by its number and the part of the report.
Heading = Callable[[int, str], Section]


def same_top(form: str, values: dict[str, Any], below: Mapping[str, str] = {}) -> Heading:
    """The heading of a report whose pages begin alike, but for their number, %(page), and what is `below` by part of the report."""
    return lambda page, part: Section(form + below.get(part, ""), values | {"page": str(page)}, title=True)


def together(sections: Iterable[Section]) -> Section:
    """Sections that stay on one page, as one; printed when the first of them is."""
    parts = list(sections)
    forms, values = [], {}
    for number, one in enumerate(parts):
        forms.append(one.form.replace("%(", f"%(part{number}_"))
        values |= {f"part{number}_{name}": value for name, value in one.values.items()}
    return replace(parts[0], form="\n".join(forms), values=values)


def beside(left: str, right: str, at: int) -> str:
    """A line whose right part begins at print position `at`; holes count with their printed width."""
    room = at - len(_parse(left)[0][0])
    if room < 0:
        raise ValueError(f"{left.strip()!r} runs over print position {at}")
    return left + " " * room + right


def placed(*cells: tuple[int, str]) -> str:
    """A line of cells, each beginning at its print position.

    >>> placed((0, "TOTAL"), (8, "%(busy)6.2f"), (16, "CP"))
    'TOTAL   %(busy)6.2f  CP'
    """
    line = ""
    for at, cell in cells:
        line = beside(line, cell, at)
    return line


def cells_of(text: str) -> list[tuple[int, str]]:
    """Cells from a text: the print position of each and what begins there, two blanks between cells.

    >>> cells_of("0 IN USE  8 %(busy)6.2f  16 CP")
    [(0, 'IN USE'), (8, '%(busy)6.2f'), (16, 'CP')]
    """
    return [(int(at), cell) for at, _, cell in (one.partition(" ") for one in re.split(r"\s{2,}", text.strip()))]


def texts(words: Iterable[str], width: int) -> Chars:
    """Words as rows of characters, left-justified: a text that differs from interval to interval."""
    joined = "".join(f"{word:<{width}}" for word in words).encode("ascii")
    return np.frombuffer(joined, np.uint8).reshape(-1, width)


class _Print:
    """Lines laid out once; `fill` prints them for some intervals."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.text = bytearray()
        self.numbers: dict[tuple[str, int, int], list[tuple[int, Any]]] = {}
        self.words: list[tuple[int, Chars]] = []
        self.skipped = 0

    def put(self, section: Section) -> tuple[int, int]:
        """Where the section begins and ends in a row of characters."""
        begin = len(self.text)
        for number, (line, holes) in enumerate(_parse(section.form)):
            self._line(line, holes, section.values, title=section.title and number == 0)
        for _ in range(self.skipped):
            self._end(self._begin(b" "))
        self.skipped = 0
        return begin, len(self.text)

    def _begin(self, control: bytes) -> int:
        """Where a line begins, after its carriage control."""
        if self.paper.asa:
            self.text += control
        return len(self.text)

    def _end(self, begin: int) -> None:
        self.text += b" " * (_WIDTH - (len(self.text) - begin)) if self.paper.records else b"\n"

    def _line(self, line: str, holes: tuple[_Hole, ...], values: Mapping[str, Any], title: bool) -> None:
        if len(line) > _WIDTH:
            raise ValueError(f"a line of {len(line)} characters does not fit the page: {line.strip()[:60]} …")
        if self.paper.asa and not line.strip() and not holes and self.skipped < 2:
            self.skipped += 1
            return
        begin = self._begin(b"1" if title else b" 0-"[self.skipped : self.skipped + 1])
        self.skipped = 0
        self.text += line.encode("ascii")
        for hole in holes:
            value = values[hole.name]
            at = begin + hole.at
            if isinstance(value, str):
                if len(value) > hole.width:
                    raise ValueError(f"{value!r} does not fit its {hole.width} print positions")
                cell = value.ljust(hole.width) if hole.left else value.rjust(hole.width)
                self.text[at : at + hole.width] = cell.encode("ascii")
            elif isinstance(value, np.ndarray) and value.dtype == np.uint8:
                self.words.append((at, value))
            else:
                self.numbers.setdefault((hole.kind, hole.width, hole.decimals), []).append((at, value))
        self._end(begin)

    def fill(self, count: int) -> NDArray[np.uint8]:
        """A row of characters for each of `count` intervals."""
        matrix = np.empty((count, len(self.text)), np.uint8)
        matrix[:] = np.frombuffer(bytes(self.text), np.uint8)
        for (kind, width, decimals), cells in self.numbers.items():
            values = np.empty((count, len(cells)))
            for column, (_, value) in enumerate(cells):
                values[:, column] = value
            if kind != "i" and (values < 0).any():
                raise ValueError("the column prints no negative numbers")
            places = np.array([at for at, _ in cells])[:, None] + np.arange(width)
            matrix[:, places.ravel()] = FORMATTERS[kind](values, width, decimals).reshape(count, -1)
        for at, chars in self.words:
            matrix[:, at : at + chars.shape[1]] = chars
        return matrix


def print_intervals(count: int, sections: Iterable[Section], heading: Heading, paper: Paper) -> bytes:
    """The pages of `count` intervals, one after the other; every interval begins at page 1.

    `heading(page, part)` is the section at the top of a page. Sections that do not fit begin a new page. Each section is
    printed once for all intervals; where intervals differ in what they have, their pages are put together from those.
    """
    given = list(sections)
    present = np.ones((len(given), count), bool)
    for number, section in enumerate(given):
        if section.when is not None:
            present[number] = section.when
    shapes, shape_of = np.unique(present, axis=1, return_inverse=True)
    layout, extents = _Print(paper), dict[str, tuple[int, int]]()
    orders: list[list[tuple[int, int]]] = []
    for shape in shapes.T:
        there = [(f"section {number}", given[number]) for number in np.flatnonzero(shape)]
        order: list[tuple[int, int]] = []
        for name, section in _paged(there, heading, paper):
            if name not in extents:
                extents[name] = layout.put(section)
            begin, end = extents[name]
            if order and order[-1][1] == begin:
                order[-1] = order[-1][0], end
            else:
                order.append((begin, end))
        orders.append(order)
    matrix = layout.fill(count)
    if paper.ebcdic:
        matrix = _EBCDIC[matrix]
    if len(orders) == 1 and orders[0] == [(0, matrix.shape[1])]:
        return matrix.tobytes()
    pages: list[bytes] = []
    for row, shape in zip(matrix, shape_of.reshape(-1), strict=True):
        printed = row.tobytes()
        pages += [printed[begin:end] for begin, end in orders[shape]]
    return b"".join(pages)


def _paged(sections: list[tuple[str, Section]], heading: Heading, paper: Paper) -> Iterator[tuple[str, Section]]:
    """The sections in the order of the pages, each with its name, and what stands above them."""
    page = used = 0
    rule = part = ""
    for name, section in sections:
        if not page or section.part != part or used + section.lines + 2 > paper.page_lines:
            goes_on = page and section.part == part
            page, part, rule = page + 1, section.part, ""
            top = heading(page, part)
            yield f"page {page} {part}", top
            used = top.lines
            if goes_on and section.head:
                yield f"head {section.head}", Section(section.head)
                used += section.head.count("\n") + 1
        if section.rule and section.rule != rule:
            rule = section.rule
            yield f"rule {rule}", Section("\n" + rule)
            used += 2
        yield name, section
        used += section.lines


def _ebcdic_table() -> NDArray[np.uint8]:
    table = np.frombuffer(bytes(range(256)).decode("latin-1").encode(_CODE_PAGE, "replace"), np.uint8).copy()
    table[ord("\n")] = 0x15
    return table


_EBCDIC = _ebcdic_table()
