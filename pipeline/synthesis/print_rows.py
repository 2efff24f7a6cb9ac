"""Rows printed below the heading that their layout declares: the mirror of reading.

The art of a layout (`Columns.art`) has the lines of a heading, a blank line, and a picture of each kind of row below it. In a picture, a run
of one small letter is a cell: its width, its decimals, and the format of its number (numbers.FORMATTERS; s: a text at the left, w: at the
right). Other words are printed as they are. A cell is that of the columns that are read at its place.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from ..declaration.layouts import Columns, Pairs
from ..declaration.places import Col, Labelled
from ..declaration.report import Report
from ..reading.cut_columns import stacked
from .contents.common import Row
from .pages import Section, beside

_RUN = re.compile(r"\.?([a-z])(?:\1|\.(?=\1))*")
# One run or two, as of 1.4H.
_PICTURE = re.compile(rf"(?:{_RUN.pattern})(?:\.?([a-z])(?:\2|\.(?=\2))*)?")
_WIDE = 200


class Cell(NamedTuple):
    """A cell of a picture: where it begins, its width, its hole (whose name is {}) or the word itself, and the columns and panel that it is of."""

    at: int
    width: int
    hole: str
    columns: tuple[str, ...] = ()
    panel: int = 0
    is_text: bool = False


class Art(NamedTuple):
    """A heading with the cells of a kind of row below it, and the names of their columns."""

    heading: str
    cells: tuple[Cell, ...]
    columns: frozenset[str]


def _declared(report: str) -> Report:
    return import_module(f"ironlake.parsers.{report}").REPORT


@cache
def arts(report: str, kind: str) -> tuple[Art, ...]:
    """The arts of a declared report that have a picture of this kind of row."""
    declared = _declared(report)
    layouts = [one for one in declared.layouts if isinstance(one, Columns) and kind in one.rows]
    return tuple(found for one in layouts for art in one.art if (found := _read(declared, one, art, kind)))


def _read(report: Report, layout: Columns, art: str, kind: str) -> Art | None:
    heading, _, pictures = art.rpartition("\n\n")
    picture = dict(zip(layout.rows, pictures.split("\n"), strict=False)).get(kind)
    if picture is None:
        return None
    # Lines of `layout.above` have names of systems, or are marked.
    titles = tuple(line.upper() for line in heading.split("\n") if line and "{" not in line)
    spans = [span for _, span in stacked(report, layout, titles, _WIDE).columns if span]
    cells = []
    for word in re.finditer(r"\S+", picture):
        if not _PICTURE.fullmatch(word.group()):
            cells.append(Cell(word.start(), len(word.group()), word.group()))
            continue
        for run in _RUN.finditer(word.group()):
            text, letter, at = run.group(), run[1], word.start() + run.start()
            is_text = letter in "sw"
            span = next((one for one in spans if one.start <= at and at + len(text) <= one.end), None)
            if not span:
                raise ValueError(f"no column of {report.name} is read where {text} of {kind} is printed, at {at}")
            targets = [t for t in span.targets if kind in ((t.line,) if t.line else t.rows or t.table.rows)]
            # A size is printed as a text, with its unit.
            readers = ("text", "flag", "storage")
            names = [t.column.name for t in targets if (t.column.type.reader in readers) == is_text]
            decimals = f".{len(text.rpartition('.')[2])}" if "." in text else ""
            hole = f"%({{}}){'-' * (letter == 's')}{len(text)}{decimals}{'s' if is_text else letter}"
            cells.append(Cell(at, len(text), hole, tuple(dict.fromkeys(names)), span.panel, is_text))
    return Art(heading, tuple(cells), frozenset(name for cell in cells for name in cell.columns))


def _art(report: str, kind: str, panels: Sequence[Row]) -> Art:
    """The first art with a column for every value."""
    given = frozenset[str]().union(*panels)
    for art in arts(report, kind):
        if given <= art.columns:
            return art
    raise ValueError(f"no art of {report} has a {kind} with {', '.join(sorted(given))}")


def heading(report: str, kind: str, *panels: Row) -> str:
    """The heading of a row with these values."""
    return _art(report, kind, panels).heading


def print_row(report: str, kind: str, *panels: Row, **section: Any) -> Section:
    """A row, with the values of each panel by declared column; of an empty one beside others nothing is printed."""
    line, end, values = "", 0, dict[str, Any]()
    for at, width, cell, columns, panel, is_text in _art(report, kind, panels).cells:
        if columns:
            is_empty = panel >= len(panels) or (len(panels) > 1 and not panels[panel])
            row = {} if is_empty else panels[panel]
            column = next((one for one in columns if one in row), columns[0])
            value = row.get(column, None if is_text or is_empty else 0)
            if value is None:
                continue
            if isinstance(value, str) and cell.endswith("s") and len(value) <= width:
                cell, width = (value, len(value)) if "-" in cell else (value.rjust(width), width)
            else:
                column = f"{column}{panel}"
                cell, values[column] = cell.format(column), value
        if at < end:
            raise ValueError(f"{line.strip()!r} runs over print position {at}")
        line += " " * (at - end) + cell
        end = at + width
    return Section(line, values, **section)


@cache
def _labels(report: str, kind: str) -> tuple[tuple[tuple[str, str, bool], ...], ...]:
    """The labels of each line of a section of pairs, each with its column and whether that is a time."""
    declared = _declared(report)
    (table,) = (one for one in declared.tables if kind in one.rows)
    columns = {place.label: one for one in table.columns for place in one.places if isinstance(place, Labelled)}
    (art,) = (one.art[kind] for one in declared.layouts if isinstance(one, Pairs) and kind in one.art)
    named = [[(label, columns[label.upper()]) for label in line.split(" | ")] for line in art.split("\n")]
    return tuple(tuple((label, one.name, one.type.reader == "amount") for label, one in line) for line in named)


def print_pairs(
    report: str, kind: str, values: Row, begins: Sequence[int], width: int, room: int, colon: str
) -> Section:
    """A section of labels in fields of `width` that begin at print positions, each with its value: a number in 12 characters, others in `room`."""
    lines, printed = [], dict[str, Any]()
    for labels in _labels(report, kind):
        line = ""
        for at, (label, column, is_time) in zip(begins, labels, strict=False):
            value = printed[column] = values.get(column, 0)
            hole = f"-{room}s" if isinstance(value, str) else f"{room}y" if is_time else "12l"
            line = beside(line, f"{label + '. ' * width:.{width}}{colon}%({column}){hole}", at)
        lines.append(line.rstrip())
    return Section("\n".join([*lines, ""]), printed)


@cache
def headed(report: str) -> dict[str, tuple[str, dict[str, str]]]:
    """The first column of each heading in XML, and what texts of print are called there."""
    found = dict[str, tuple[str, dict[str, str]]]()
    for column in (one for table in _declared(report).tables for one in table.columns):
        for place in column.places:
            if isinstance(place, Col):
                found.setdefault(place.heading, (column.name, {words: xml for xml, words in place.words}))
    return found
