"""The page of a lake from its facts (contract.py): text and tables as HTML, and all rows packed for the scripts, which draw them
anew by what a reader selects.

Drawn by scripts of our own, not by plotly.js: a filter redraws every picture at once, and plotly.js alone is two of the three megabytes.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import groupby
from typing import Any

import numpy as np
from markupsafe import Markup

from .. import document as frame
from ..charts.drawing import PART_COLORS, RUN_COLORS
from ..charts.lake_pictures import picture_of
from ..charts.svg import WIDE, svg
from ..document import Page, packed
from ..parts import Body, Cell, Head, Row, Table, left
from .contract import Chart, Column, Happened, LakePage, Rows, Section, Select
from .values import known_decimals, write_column

# Rows of a table that are there without scripts, and findings on the first screen.
_ROWS_AS_HTML = 20

_STYLES = ("lake_page.css",)
_SCRIPTS = ("lake_page_data.js", "lake_page_table.js", "lake_page_lines.js", "lake_page_cells.js", "lake_page.js")
_DAY_S = 86_400


@dataclass(frozen=True)
class ShownFinding:
    number: int
    sentence: str
    measure: str
    source: str
    new: bool
    section: str
    # The title of the section, empty if there is no such section.
    link: str
    action: str


@dataclass(frozen=True)
class ShownSection:
    """`is_wide`: small multiples, which need the whole window. `drawn`: the picture until scripts draw it anew."""

    id: str
    title: str
    finding: str
    note: str
    has_picture: bool
    is_wide: bool
    drawn: Markup
    findings: int
    rows: int
    shown: int
    table: Table


@dataclass(frozen=True)
class Content:
    happened: Sequence[ShownFinding]
    sections: Sequence[ShownSection]
    unknown: Sequence[str]
    facts: str


def document(page: LakePage) -> str:
    """The whole page as text, for page_file.write."""
    return frame.document(render(page), command=page.command, lake=page.lake)


def render(page: LakePage) -> Page:
    """The page for document.publish."""
    sections = [_with_decimals(section) for section in page.sections]
    titles = {section.id: section.title for section in sections}
    counts = Counter(happened.section for happened in page.happened)
    facts = packed(_facts(page, sections), 6)
    content = Content(
        [_finding(n, happened, titles) for n, happened in enumerate(page.happened)],
        _paired([_section(section, counts[section.id], page) for section in sections]),
        page.unknown,
        facts,
    )
    title = heading(page)
    return Page(
        title=f"{title} · {page.lake}",
        heading=title,
        headline=_headline(page),
        template="lake_page.html",
        content=content,
        pictures={},
        kind="lake page",
        styles=_STYLES,
        scripts=_SCRIPTS,
    )


# --- Text ------------------------------------------------------------------------------------------------------------


def heading(page: LakePage) -> str:
    """What there is to look at, in a line: it is above the page, and the command prints it."""
    if page.last_day is None:
        return "This lake has no printed intervals " + ("of these days" if page.has_other_days else "yet")
    count, new = len(page.happened), sum(happened.new for happened in page.happened)
    if not count:
        words = "too little to judge" if page.too_little else "nothing unusual found"
    else:
        fresh = (
            ", all new" if new == count > 1 else ", new" if new == count else f", {new} new" if new else ", none new"
        )
        is_compared = page.first_day != page.last_day
        words = f"{count} {_plural(count, 'thing')} to look at{fresh if is_compared else ''}"
    return f"{_day(page.last_day)} {page.last_day.year}: {words}"


def _headline(page: LakePage) -> str:
    names = page.names
    parts = [f"Lake {page.lake}"]
    for some, one, many in (
        (names.sysplexes, "sysplex", "sysplexes"),
        (names.systems, "system", "systems"),
        (names.classes, "class", "classes"),
    ):
        if some:
            parts.append(f"{one} {some[0]}" if len(some) == 1 else f"{len(some):,} {many}")
    if page.first_day and page.last_day:
        days = (page.last_day - page.first_day).days + 1
        span = f"{_day(page.first_day)} to {_day(page.last_day)} {page.last_day.year}, {days:,} days"
        parts.append(span if days > 1 else f"{_day(page.last_day)} {page.last_day.year} only")
    if page.too_little:
        parts.append(page.too_little)
    return " · ".join(parts)


def _day(day: Any) -> str:
    return f"{day:%a} {day.day} {day:%b}"


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"


def _finding(number: int, happened: Happened, titles: dict[str, str]) -> ShownFinding:
    return ShownFinding(
        number, happened.sentence, happened.measure, happened.source, happened.new, happened.section, titles.get(happened.section, ""), happened.action
    )  # fmt: skip


def _paired(sections: Sequence[ShownSection]) -> list[ShownSection]:
    """On a very wide screen two narrow sections share a row: one without a neighbour is wide."""
    out: list[ShownSection] = []
    waiting = False
    for n, section in enumerate(sections):
        follows_wide = n + 1 == len(sections) or sections[n + 1].is_wide
        out.append(section if section.is_wide or waiting or not follows_wide else replace(section, is_wide=True))
        waiting = not (out[-1].is_wide or waiting)
    return out


def _section(section: Section, findings: int, page: LakePage) -> ShownSection:
    rows, chart = section.rows, section.chart
    split = len(set(rows.of(chart.split))) if chart.split else 0
    return ShownSection(
        section.id,
        section.title,
        section.finding,
        section.note,
        chart.form != "none" and len(rows) > 0,
        split > 4 or len(rows.columns) > 8,
        svg(drawn, WIDE) if (drawn := picture_of(section, page.axis_start, _window(page))) else Markup(),
        findings,
        len(rows),
        min(len(rows), _ROWS_AS_HTML),
        _table(section, page),
    )


def _order(section: Section) -> str:
    """The column by which the table is sorted at first, the largest on top: what the picture measures. Days of a level stay in order."""
    chart = section.chart
    measure = {"lines": chart.y, "bars": chart.x}.get(chart.form, chart.value)
    name = measure if isinstance(measure, str) else measure[0] if measure else ""
    kinds = {column.name: column.kind for column in section.rows.columns}
    return name if kinds.get(name) == "number" and not chart.level else ""


def _table(section: Section, page: LakePage) -> Table:
    """The first rows of a section, in the order of its table."""
    first: list[int] = list(range(len(section.rows)))
    if name := _order(section):
        decimals = next(column.decimals for column in section.rows.columns if column.name == name)
        # Rounded as shown: what looks equal stays in order.
        measured = [-math.inf if v is None else round(v, decimals) for v in section.rows.of(name)]
        first = nlargest(_ROWS_AS_HTML, first, key=measured.__getitem__)
    written = [
        write_column(column, [values[i] for i in first[:_ROWS_AS_HTML]], values, page.axis_start)
        for column, values in zip(section.rows.columns, section.rows.values, strict=True)
    ]
    heads = [Head(c.title, c.unit, left=c.kind == "text") for c in section.rows.columns]
    body = [Row(_cells(section.rows.columns, texts)) for texts in zip(*written, strict=True)]
    return Table(f"Table: {section.title}", heads, [Body(body)])


def _cells(columns: Sequence[Column], texts: Sequence[str]) -> list[Cell]:
    cells = [left(text) if c.kind == "text" else Cell(text) for c, text in zip(columns, texts, strict=True)]
    if columns[0].kind == "text":
        cells[0] = Cell(texts[0], scope="row")
    return cells


# --- Data ------------------------------------------------------------------------------------------------------------


def _with_decimals(section: Section) -> Section:
    """The section with the decimals of every number column known, so that HTML, pictures and CSV agree."""
    columns = tuple(
        replace(column, decimals=known_decimals(column, values)) if column.kind == "number" else column
        for column, values in zip(section.rows.columns, section.rows.values, strict=True)
    )
    return replace(section, rows=replace(section.rows, columns=columns))


def _facts(page: LakePage, sections: Sequence[Section]) -> str:
    axis = page.axis_start
    facts = {
        "axis": axis.isoformat(timespec="seconds") if axis else "1970-01-01T00:00:00",
        "window": _window(page),
        "names": {
            "sysplex": page.names.sysplexes,
            "system": page.names.systems,
            "workload": page.names.workloads,
            "class": page.names.classes,
        },
        "happened": [_select(happened.select) for happened in page.happened],
        "sections": [_packed_section(section) for section in sections],
    }
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _window(page: LakePage) -> tuple[int, int]:
    """The seconds of the axis from the start of the first day to the end of the last."""
    if page.axis_start is None or page.first_day is None or page.last_day is None:
        return (0, _DAY_S)
    midnight = page.axis_start.replace(hour=0, minute=0, second=0, microsecond=0)
    before = round((page.axis_start - midnight).total_seconds())
    first = (page.first_day - midnight.date()).days * _DAY_S - before
    last = ((page.last_day - midnight.date()).days + 1) * _DAY_S - before
    return (first, last)


def _select(select: Select) -> dict[str, Any]:
    return {
        "sysplex": select.sysplex,
        "system": select.system,
        "workload": select.workload,
        "class": select.class_name,
        "from": select.from_s,
        "to": select.to_s,
    }


def _packed_section(section: Section) -> dict[str, Any]:
    return {
        "id": section.id,
        "title": section.title,
        "count": len(section.rows),
        "order": _order(section),
        "filters": dict(section.filters),
        "chart": _packed_chart(section.chart, section.rows),
        "columns": [
            _packed_column(column, values) for column, values in zip(section.rows.columns, section.rows.values, strict=True)
        ],
    }  # fmt: skip


def _packed_chart(chart: Chart, rows: Rows) -> dict[str, Any]:
    x, y = (list(names) if isinstance(names, tuple) else [names] * bool(names) for names in (chart.x, chart.y))
    titles = {column.name: column.title for column in rows.columns}
    measures = x if chart.form == "bars" else y
    return {
        "form": chart.form,
        "x": x,
        "y": y,
        "split": chart.split,
        "series": chart.series,
        "limit": chart.limit,
        "reference": chart.reference,
        "level": chart.level,
        "change": chart.change,
        "drift": chart.drift,
        "value": chart.value,
        "steps": chart.steps,
        "fold": chart.fold,
        "colors": [_color(name, titles.get(name, "")) for name in measures],
        # Those that mean a kind of processor mean nothing else.
        "runs": [color for color in RUN_COLORS if color not in PART_COLORS.values()],
    }


def _color(name: str, title: str) -> str:
    """The colour of a measure: that of its kind of processor, else the one of all other measures (lake_page.css)."""
    words = f"{name} {title}".lower()
    if "ziip_on_cp" in words or "iipcp" in words or "eligible" in words:
        return PART_COLORS["ziip_on_cp_pct"]
    if "ziip" in words:
        return PART_COLORS["ziip_pct"]
    if name.startswith(("cp_", "gp_")) or "general" in words:
        return PART_COLORS["non_ziip_eligible_pct"]
    return "var(--data)"


def _packed_column(column: Column, values: Sequence[Any]) -> dict[str, Any]:
    """Names once; names and the steps between times as runs, which are long; numbers as whole numbers of their last decimal."""
    head = {
        "name": column.name,
        "title": column.title,
        "unit": column.unit,
        "decimals": column.decimals,
        "kind": column.kind,
    }
    if column.kind == "text":
        places: dict[str | None, int] = {
            name: n for n, name in enumerate(dict.fromkeys(v for v in values if v is not None))
        }
        names = list(places)
        places[None] = -1
        return head | {"names": names, "runs": _runs(map(places.__getitem__, values))}
    if column.kind == "time":
        last, steps = 0, []
        for value in values:
            steps.append(None if value is None else value - last)
            last = last if value is None else value
        return head | {"runs": _runs(steps)}
    numbers = np.array(values, dtype=float)
    scaled = np.rint(numbers * 10.0 ** (column.decimals or 0))
    if np.isinf(numbers).any() or np.isnan(numbers).sum() != values.count(None):
        raise ValueError(f"column {column.name}: a value is not a number")
    return head | {"values": [None if v != v else int(v) for v in scaled.tolist()]}


def _runs(values: Iterable[Any]) -> list[Any]:
    """A value, how often it follows itself, the next value, and so on."""
    return [part for value, same in groupby(values) for part in (value, sum(1 for _ in same))]
