"""Rows printed below the heading that their layout declares: the mirror of reading.

The art of a layout (`Columns.art`) has the lines of a heading, a blank line, and a picture of each kind of row below it. In a picture, a run
of one small letter is a cell: its width, its decimals, and the format of its number (numbers.FORMATTERS; s: a text at the left, w: at the
right; x: the label of the cells up to the next label). Other words are printed as they are. A cell is that of the columns that are read
at its place.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from ..declaration.layouts import Columns, Pairs
from ..declaration.places import Col, Labelled, Under, Var
from ..declaration.report import Column, Report, Table
from ..reading.headings import HeadingColumn, heading_columns
from ..reading.title_order import number_equal
from .pages import Section, beside

# Values by declared column. A number that is not given is 0; None is blank.
Row = Mapping[str, Any]
_RUN = re.compile(r"\.?([a-z])(?:\1|\.(?=\1))*")
# One run or two, as of 1.4H.
_PICTURE = re.compile(rf"(?:{_RUN.pattern})(?:\.?([a-z])(?:\2|\.(?=\2))*)?")
# What is printed as a text; a size is, with its unit.
_TEXTS = ("text", "flag", "storage")


class Cell(NamedTuple):
    """A cell of a picture: where it begins, its width, its hole (whose name is {}) or the word itself, the columns and panel that it is of, and
    the labels that columns are read behind."""

    at: int
    width: int
    hole: str
    columns: tuple[str, ...] = ()
    panel: int = 0
    is_text: bool = False
    labels: Mapping[str, str] = MappingProxyType({})


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
    titles = [line.upper() for line in heading.split("\n") if line and "{" not in line]
    places = [
        (place, column, _rows(layout, table, place))
        for table in report.tables
        for column in table.columns
        for place in column.places
        if isinstance(place, Under)
    ]
    columns = _columns(layout, titles, [(p, c) for p, c, rows in places if set(rows) & set(layout.rows)])
    cells, labels = list[Cell](), dict[str, str]()
    for word in re.finditer(r"\S+", picture):
        if not _PICTURE.fullmatch(word.group()):
            cells.append(Cell(word.start(), len(word.group()), word.group()))
            continue
        for run in _RUN.finditer(word.group()):
            text, letter, at = run.group(), run[1], word.start() + run.start()
            is_text = letter in "sw"
            if letter == "x":
                labels = {}
                cells.append(Cell(at, len(text), f"%({{}})-{len(text)}s", (f"label at {at}",), 0, True, labels))
                continue
            # The last column has what is right of it.
            found = [c for c in columns if c.cut_start <= at and (at + len(text) <= c.cut_end or c is columns[-1])]
            of_cell = [
                (column.name, place.label)
                for place, column, rows in places
                if found and kind in rows and is_text == (column.type.reader in _TEXTS) and _is_of(place, found[0])
            ]
            names = [name for name, _ in of_cell]
            labels |= {name: label for name, label in of_cell if label}
            if not names:
                raise ValueError(f"no column of {report.name} is read where {text} of {kind} is printed, at {at}")
            decimals = f".{len(text.rpartition('.')[2])}" if "." in text else ""
            hole = f"%({{}}){'-' * (letter == 's')}{len(text)}{decimals}{'s' if is_text else letter}"
            cells.append(Cell(at, len(text), hole, tuple(dict.fromkeys(names)), found[0].panel, is_text))
    return Art(heading, tuple(cells), frozenset(name for one in cells if not one.labels for name in one.columns))


def _rows(layout: Columns, table: Table, place: Under) -> tuple[str, ...]:
    """The kinds of row of a layout that a place may be on: behind a label, any."""
    if place.line:
        return (place.line,)
    rows = place.rows or table.rows
    return layout.rows if place.label and {*rows} & {*layout.rows} else rows


def _columns(layout: Columns, titles: Sequence[str], places: Sequence[tuple[Under, Column]]) -> list[HeadingColumn]:
    """The columns of a heading, as the reader finds them."""
    numbers = {(place.title, place.group) for place, column in places if column.type.reader not in ("text", "flag")}
    texts = dict[tuple[str, str], int]()
    for place, column in places:
        title = place.title, place.group
        # A flag under the title of a number qualifies that number.
        if place.width or column.type.reader == "text" or (column.type.reader == "flag" and title not in numbers):
            texts[title] = max(place.width, texts.get(title, 0))
    centred = {(place.title, place.group): place.around for place, _ in places if place.around}
    panels = layout.panels.begin if layout.panels else None
    phrases = (words for place, _ in places for words in (place.title, place.group))
    columns = heading_columns(titles, phrases, texts, layout.ignored, panels, centred, layout.together)
    if layout.titles:
        number_equal(columns)
    return columns


def _is_of(place: Under, column: HeadingColumn) -> bool:
    """Whether a place is this column."""
    is_whole = column.title == place.title and (place.group or not column.groups)
    named = column.named(place.title, place.group) and (not place.whole or is_whole)
    return bool(named and place.nth in (0, column.nth))


def _art(report: str, kind: str, panels: Sequence[Row], below: str = "") -> Art:
    """The first art with a column for every value; of several headings, that of `below`."""
    given = frozenset[str]().union(*panels)
    for art in arts(report, kind):
        if given <= art.columns and below in ("", art.heading):
            return art
    raise ValueError(f"no art of {report} has a {kind} with {', '.join(sorted(given))}")


def heading(report: str, kind: str, *panels: Row) -> str:
    """The heading of a row with these values."""
    return _art(report, kind, panels).heading


def print_row(report: str, kind: str, *panels: Row, below: str = "", **section: Any) -> Section:
    """A row, with the values of each panel by declared column; of an empty one beside others, and behind a label without values, nothing is
    printed. `below`: the heading that it is printed below."""
    line, end, values, unlabelled = "", 0, dict[str, Any](), frozenset[str]()
    for at, width, cell, columns, panel, is_text, labels in _art(report, kind, panels, below).cells:
        if columns:
            is_empty = panel >= len(panels) or (len(panels) > 1 and not panels[panel])
            row = {} if is_empty else panels[panel]
            column = next((one for one in columns if one in row), columns[0])
            if labels and (label := next((label for one, label in labels.items() if one in row), None)):
                row = {column: label}
            elif labels:
                unlabelled = frozenset(labels)
            if unlabelled & {*columns}:
                continue
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


@cache
def names_of(report: str, part: str) -> dict[str, str]:
    """What columns are called in a part of the XML document that has a name beside each value."""
    columns = (one for table in _declared(report).tables for one in table.columns)
    return {
        one.name: place.name for one in columns for place in one.places if isinstance(place, Var) and place.part == part
    }
