"""What pages are made of: tables, pictures and cards as plain values. All text is as it was read; templates make HTML of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import unescape

import plotly.graph_objects as go

from .charts.figures import layout_of
from .numbers import DASH, signed
from .references import Reference, Sources


@dataclass(frozen=True)
class Head:
    """The head of a column, `unit` below its title, `doc` shown on hovering. Columns of text stand at the left."""

    title: str
    unit: str = ""
    doc: str = ""
    left: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell, `notes` below its text, each in a line of its own. `scope`: the head of its row (row) or of several (rowgroup). `span`:
    so many columns, or rows of a rowgroup. `tag`: strong, code, or pre for lines whose spaces count. `style`: classes of page.css."""

    text: str
    notes: Sequence[str] = ()
    style: str = ""
    scope: str = ""
    span: int = 1
    tag: str = ""


@dataclass(frozen=True)
class Row:
    """Cells and, in the last column, where their values were printed. `title` is shown on hovering."""

    cells: Sequence[Cell]
    reference: Reference | None = None
    title: str = ""
    style: str = ""
    id: str = ""


@dataclass(frozen=True)
class Body:
    rows: Sequence[Row]
    style: str = ""


@dataclass(frozen=True)
class Table:
    """A table that scrolls by itself; `label` names it for those who do not see it."""

    label: str
    heads: Sequence[Head]
    bodies: Sequence[Body]
    caption: str = ""
    style: str = ""
    id: str = ""


@dataclass(frozen=True)
class Figure:
    """The place of a picture: its heading, its words for those who do not see it, and the view behind it."""

    id: str
    heading: str
    description: str
    view: str
    height: int

    @classmethod
    def of(cls, figure: go.Figure) -> "Figure":
        layout = layout_of(figure)
        # The title is plotly text, in which names are escaped.
        heading = unescape(layout.title.text)
        return cls(layout.meta["id"], heading, layout.meta["description"], layout.meta["view"], layout.height)


@dataclass(frozen=True)
class Card:
    """A number at a glance, which leads to `link`."""

    link: str
    what: str
    value: str
    change: str
    doc: str


def left(text: str, *notes: str) -> Cell:
    """A cell of text."""
    return Cell(text, notes, "l")


def left_heads(*titles: str) -> list[Head]:
    return [Head(title, left=True) for title in titles]


def place_title(reference: Reference, sources: Sources) -> str:
    """The first printed place in words, for hovering."""
    if not reference.places:
        return ""
    source, page, line = reference.places[0]
    more = f" and {reference.count - 1:,} more" if reference.count > 1 else ""
    return f"{sources.file(source)} page {page} line {line}{more}"


def facts(names: Sequence[str], rows: Iterable[tuple[str, Sequence[Cell]]], caption: str) -> Table:
    """A table with a row per fact and a column per name."""
    body = Body([Row([Cell(what, scope="row"), *cells]) for what, cells in rows])
    return Table(caption, [Head(""), *map(Head, names)], [body], caption, "facts")


def change_cell(
    old: float | None, new: float | None, write_one: Callable[[float], str], notes: Sequence[str] = ()
) -> Cell:
    """The absolute change, the relative one below it, then what else is to stand there; a dash where one side is missing. What is
    written as zero has no sign."""
    if old is None or new is None:
        return Cell(DASH)
    change = new - old
    if abs(change) <= 1e-9 * max(abs(old), abs(new)):
        change = 0.0
    written = write_one(abs(change))
    sign = "" if not set(written) & set("123456789") else "+" if change > 0 else "−"
    relative = f"{signed(change / old * 100, 1)}%" if old else "" if not new else "from 0"
    return Cell(f"{sign}{written}", [*([relative] if relative else []), *notes])


def sources_table(references: Iterable[Reference], sources: Sources) -> Table:
    """The files that numbers lead to, with the pages and lines that they were printed on."""
    used = Reference.joined(references).extents
    rows = []
    for source in sources.used:
        if source.number in used:
            first_page, last_page, first_line, last_line = used[source.number]
            pages, lines = f"{first_page:,} to {last_page:,}", f"{first_line:,} to {last_line:,}"
            digest = Cell(source.source_id[:16], style="l quiet")
            cells = [Cell(f"[{source.number}]", scope="row"), left(source.file), left(pages), left(lines), digest]
            rows.append(Row(cells, id=f"source-{source.number}"))
    heads = left_heads("No.", "File", "Pages", "Lines", "Source")
    return Table("Sources", heads, [Body(rows)], "Files that the shown intervals were printed in.")
