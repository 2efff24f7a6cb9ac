"""The parts of a page, tables and charts, as plain data. Text is unescaped; templates turn it into HTML."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .charts.svg import axis_ticks
from .numbers import DASH, signed
from .references import Reference, Sources


@dataclass(frozen=True)
class Head:
    """A column heading; `unit` is shown below the title, `doc` on hovering, `left` aligns text columns."""

    title: str
    unit: str = ""
    doc: str = ""
    left: bool = False


@dataclass(frozen=True)
class Strip:
    """Differences on an axis with 0: dots, the ends of an interval and the texts of the axis, as percent of the width.
    `label` has the numbers in words."""

    zero: float
    dots: Sequence[float]
    ends: tuple[float, float] | None
    label: str
    ticks: Sequence[tuple[float, str]] = ()
    unit: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell; `notes` are lines below its text. `scope`: heads its row (row) or several (rowgroup). `span`: number of columns, or of
    rows for a rowgroup. `tag`: strong, code, or pre. `style`: classes of page.css. `strip` is drawn below the text, `link`
    leads to a place of the page."""

    text: str
    notes: Sequence[str] = ()
    style: str = ""
    scope: str = ""
    span: int = 1
    tag: str = ""
    strip: Strip | None = None
    link: str = ""


@dataclass(frozen=True)
class Row:
    """Cells, and in the last column where they were printed. `title` is shown on hovering."""

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
    """A scrollable table; `label` is for screen readers."""

    label: str
    heads: Sequence[Head]
    bodies: Sequence[Body]
    caption: str = ""
    style: str = ""
    id: str = ""


def left(text: str, *notes: str) -> Cell:
    """A text cell."""
    return Cell(text, notes, "l")


def left_heads(*titles: str) -> list[Head]:
    return [Head(title, left=True) for title in titles]


def place_title(reference: Reference, sources: Sources) -> str:
    """The first printed place in words, shown on hovering."""
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
    old: float | None,
    new: float | None,
    write_one: Callable[[float], str],
    notes: Sequence[str] = (),
    *,
    is_relative: bool = True,
) -> Cell:
    """The absolute change, with the relative change (if `is_relative`) and `notes` below; a dash if one side is missing, no sign for
    zero."""
    if old is None or new is None:
        return Cell(DASH)
    change = new - old
    if abs(change) <= 1e-9 * max(abs(old), abs(new)):
        change = 0.0
    written = write_one(abs(change))
    sign = "" if not set(written) & set("123456789") else "+" if change > 0 else "−"
    relative = (f"{signed(change / old * 100, 1)}%" if is_relative else "") if old else "" if not new else "from 0"
    return Cell(f"{sign}{written}", [*([relative] if relative else []), *notes])


def strip(
    values: Sequence[float], ends: tuple[float, float] | None, write: Callable[[float], str], what: str, unit: str = ""
) -> Strip | None:
    """Differences around 0; None if there is nothing to draw."""
    shown = [*values, *(ends or ())]
    reach = max(map(abs, shown), default=0.0) * 1.1
    if not reach:
        return None

    def place(value: float) -> float:
        return round(50 + value / reach * 50, 2)

    words = ", ".join(map(write, values[:_MOST_IN_WORDS])) + (" …" if len(values) > _MOST_IN_WORDS else "")
    interval = f"95% interval {write(ends[0])} to {write(ends[1])}" if ends else ""
    label = f"{what}: {'; '.join(filter(None, (words, interval)))}"
    dots, drawn = [place(v) for v in values], (place(ends[0]), place(ends[1])) if ends else None
    return Strip(50, dots, drawn, label, [(place(at), words) for at, words in axis_ticks(-reach, reach, 4)], unit)


# Numbers of a strip that its description lists.
_MOST_IN_WORDS = 24


def sources_table(references: Iterable[Reference], sources: Sources) -> Table:
    """The source files of a page, with the range of pages and lines used."""
    used = Reference.joined(references).extents
    rows = []
    for source in sources.used:
        if source.number in used:
            first_page, last_page, first_line, last_line = used[source.number]
            pages, lines = _range(first_page, last_page), _range(first_line, last_line)
            digest = Cell(source.source_id[:16], style="l quiet")
            cells = [Cell(f"[{source.number}]", scope="row"), left(source.file), left(pages), left(lines), digest]
            rows.append(Row(cells, id=f"source-{source.number}"))
    heads = left_heads("No.", "File", "Pages", "Lines", "Source")
    return Table("Table of sources", heads, [Body(rows)], "Files in which the values were printed.")


def _range(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"
