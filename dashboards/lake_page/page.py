"""The page of a lake from its facts (contract.py): what to look at first, then a section for each question, with its picture (charts/lake_pictures.py)
and the row of each name that it looks at. Scripts draw nothing: they show and hide what is of the chosen names."""

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from .. import document as frame
from ..charts.chart import Chart
from ..charts.lake_pictures import Picture, picture_of, spark_of
from ..charts.svg import PANEL, SPARK, legend, picture, svg
from ..document import Page
from ..parts import Body, Head, Row, Table, left
from ..parts import Cell as TableCell
from .contract import Filter, Happened, LakePage, Rows, Section
from .found import format_day
from .values import known_decimals, write_column

# Rows of the table of a section.
_MOST_ROWS = 60
_DAY_S = 86_400
_KINDS: tuple[Filter, ...] = ("sysplex", "system", "workload", "class")


@dataclass(frozen=True)
class ShownFinding:
    """`of`: what to filter by, as Names writes it. `title`: that of the section, empty if there is none."""

    number: int
    told: Happened
    spark: Markup
    spark_words: str
    of: str
    title: str


@dataclass(frozen=True)
class ShownPanel:
    name: str
    words: str
    of: str
    drawn: Markup


@dataclass(frozen=True)
class ShownSection:
    """`kinds`: what its panels and rows can be filtered by."""

    section: Section
    findings: int
    kinds: str
    picture: Picture | None
    panels: Sequence[ShownPanel]
    legend: Sequence[tuple[str, Markup]]
    table: Table
    names: int


@dataclass(frozen=True)
class Group:
    """`told`: sections that have something to look at, `calm`: the others."""

    name: str
    told: Sequence[ShownSection]
    calm: Sequence[ShownSection]


@dataclass(frozen=True)
class Content:
    happened: Sequence[ShownFinding]
    groups: Sequence[Group]
    names: Mapping[Filter, Mapping[str, str]]
    # What is said of sections without a finding.
    calm: str
    unknown: Sequence[str]


class _Names:
    """What the page is filtered by, each name with a number; and which names rows are of."""

    def __init__(self, page: LakePage):
        of = page.names
        every = zip(_KINDS, (of.sysplexes, of.systems, of.workloads, of.classes), strict=True)
        numbers = iter(range(1_000_000))
        self.numbers = {kind: {name: str(next(numbers)) for name in names} for kind, names in every}
        # Rows may have systems without their sysplex, or classes without their workload: others say which belong together. A name that several have is
        # nobody's.
        self._owners: dict[tuple[Filter, str], set[str]] = defaultdict(set)
        for section in page.sections:
            for row in self._rows(section, range(len(section.rows))):
                for child, owner in (("system", "sysplex"), ("class", "workload")):
                    for name in _split(row.get(child)):
                        self._owners[child, name].update(_split(row.get(owner)))

    @staticmethod
    def _rows(section: Section, rows: Iterable[int]) -> Iterator[dict[Filter, Any]]:
        names = {kind: section.rows.of(column) for kind, column in section.filters.items() if kind != "time"}
        for found in {tuple(values[i] for values in names.values()) for i in rows}:
            yield dict(zip(names, found, strict=True))

    def of(self, section: Section, rows: Iterable[int]) -> str:
        found = {number for row in self._rows(section, rows) for number in self.written(row)}
        return " ".join(sorted(found, key=int))

    def written(self, row: Mapping[Filter, str | None]) -> Iterator[str]:
        """The numbers of the names of a row, and of their owners."""
        for kind, names in self.numbers.items():
            mine = _split(row.get(kind))
            for child in ("system",) if kind == "sysplex" else ("class",) if kind == "workload" else ():
                owners = [self._owners[child, name] for name in _split(row.get(child))] if not mine else []
                mine = [*mine, *(name for of in owners if len(of) == 1 for name in of)]
            yield from (names[name] for name in mine if name in names)


def _split(name: str | None) -> list[str]:
    """What is printed for several systems together names them all: "SYSA,SYSB"."""
    return name.split(",") if name else []


def document(page: LakePage) -> str:
    """The whole page as text, for page_file.write."""
    # Its marks are small, and tell their values on hovering: plotly.js alone would be four times the page.
    return frame.document(render(page), command=page.command, lake=page.lake, is_static=True)


def render(page: LakePage) -> Page:
    """The page for document.publish."""
    page = replace(page, sections=tuple(map(_with_decimals, page.sections)))
    names, window = _Names(page), _window(page)
    of_id = {section.id: section for section in page.sections}
    told = [one for story in page.happened for one in (story, *story.beside)]
    counts = Counter(one.section for one in told)
    shown = []
    for section in page.sections:
        named = {one.series.panel for one in told if one.series and one.section == section.id}
        shown.append(_section(section, counts[section.id], names, page, window, named))
    findings = []
    for number, story in enumerate(page.happened, 1):
        section, start = of_id.get(story.section), page.axis_start
        spark = spark_of(section, story, start, window) if section and start else None
        select = story.select
        row = {
            "sysplex": select.sysplex,
            "system": select.system,
            "workload": select.workload,
            "class": select.class_name,
        }
        chosen = " ".join(names.numbers[kind][name] for kind, name in row.items() if name in names.numbers[kind])  # type: ignore[index]
        findings.append(
            ShownFinding(
                number,
                story,
                svg(spark, SPARK) if spark else Markup(),
                spark.about if spark else "",
                chosen,
                section.title if section else "",
            )
        )
    title = heading(page)
    return Page(
        title=f"{title} · {page.lake}",
        heading=title,
        headline=_headline(page),
        template="lake_page.html",
        content=Content(
            findings,
            _groups(shown),
            names.numbers,
            "Not judged" if page.too_little else "Nothing to look at",
            page.unknown,
        ),
        pictures={one.picture.data.id: one.picture.data for one in shown if one.picture and one.picture.data},
        kind="lake page",
        styles=("lake_page.css",),
        scripts=("lake_page.js",),
        eyebrow=kicker(page),
    )


def _groups(shown: Sequence[ShownSection]) -> list[Group]:
    by = defaultdict(list)
    for one in shown:
        by[one.section.group].append(one)
    return [Group(name, [s for s in of if s.findings], [s for s in of if not s.findings]) for name, of in by.items()]


# --- Text ------------------------------------------------------------------------------------------------------------


def heading(page: LakePage) -> str:
    """What costs most, in a line: it is above the page, and the command prints it."""
    if page.last_day is None:
        return "This lake has no printed intervals " + ("of these days" if page.has_other_days else "yet")
    calm = "too little to judge" if page.too_little else "nothing unusual found"
    return f"{format_day(page.last_day)} {page.last_day.year}: {page.happened[0].headline if page.happened else calm}"


def kicker(page: LakePage) -> str:
    """How much there is to look at; empty if there is nothing."""
    count, new = len(page.happened), sum(happened.new for happened in page.happened)
    fresh = f", {new if new < count else 'all'} new" if new else ", none new"
    things = f"{count} {'thing' if count == 1 else 'things'} to look at"
    little = "; too little to judge the day" if page.too_little else ""
    return f"{things}{fresh if page.first_day != page.last_day else ''}{little}" if count else ""


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
        span = f"{format_day(page.first_day)} to {format_day(page.last_day)} {page.last_day.year}, {days:,} days"
        parts.append(span if days > 1 else f"{format_day(page.last_day)} {page.last_day.year} only")
    if page.too_little:
        parts.append(page.too_little)
    return " · ".join(parts)


# --- Sections --------------------------------------------------------------------------------------------------------


def _section(
    section: Section, findings: int, names: _Names, page: LakePage, window: tuple[int, int], named: set[str]
) -> ShownSection:
    found = picture_of(section, page.axis_start, window, named)
    panels = found.panels if found else ()
    is_alone = len(panels) == 1
    table, count = _table(section, names, page.axis_start)
    return ShownSection(
        section,
        findings,
        " ".join(
            kind for kind in _KINDS if kind in section.filters or (kind == "sysplex" and "system" in section.filters)
        ),
        found,
        [
            ShownPanel(
                one.chart.title,
                one.words,
                names.of(section, one.rows),
                picture(one.chart) if is_alone else svg(one.chart, PANEL),
            )
            for one in panels
        ],
        _legend([one.chart for one in panels])
        if not is_alone or not (panels[0].chart.lines or not panels[0].chart.start)
        else [],
        table,
        count,
    )


def _legend(charts: Sequence[Chart]) -> list[tuple[str, Markup]]:
    """The lines, parts or cells of all panels, where there are several."""
    found = {name: sample for chart in charts for name, sample in legend(chart)}
    return list(found.items()) if len(found) > 1 else []


def _measure(section: Section) -> str:
    """The column by which rows are in order; empty where rows are of a level of days, or it is no number."""
    chart = section.chart
    measure = {"lines": chart.y, "bars": chart.x}.get(chart.form, chart.value)
    name = measure if isinstance(measure, str) else measure[0] if measure else ""
    kinds = {column.name: column.kind for column in section.rows.columns}
    return name if kinds.get(name) == "number" and not chart.level else ""


def _table(section: Section, names: _Names, axis_start: dt.datetime | None) -> tuple[Table, int]:
    """Of each name that is drawn the row to look at, the highest (or lowest) first, else the last one; and how many names there are."""
    chart, rows = section.chart, section.rows
    texts = {column.name for column in rows.columns if column.kind == "text"}
    # Without a picture all rows are told.
    keys = [
        rows.of(name)
        for name in dict.fromkeys((chart.split, chart.series, *((chart.y,) if isinstance(chart.y, str) else ())))
        if name in texts
    ]
    measured: list[Any] = list(range(len(rows)))
    if measure := _measure(section):
        sign = -1 if chart.is_lowest else 1
        measured = [-math.inf if v is None else sign * v for v in rows.of(measure)]
    best: dict[Any, int] = {}
    for i, key in enumerate(zip(*keys, strict=True) if keys else range(len(rows))):
        if key not in best or measured[i] > measured[best[key]]:
            best[key] = i
    order = sorted(best.values(), key=lambda i: -measured[i]) if measure else list(best.values())
    order = order[:_MOST_ROWS]
    written = [
        write_column(column, [values[i] for i in order], values, axis_start)
        for column, values in zip(rows.columns, rows.values, strict=True)
    ]
    heads = [Head(c.title, c.unit, left=c.kind == "text") for c in rows.columns]
    body = [
        Row(_cells(rows, told), id=names.of(section, [i]))
        for i, told in zip(order, zip(*written, strict=True), strict=True)
    ]
    which = ("Lowest" if chart.is_lowest else "Highest") if measure else "Last"
    return Table(f"Table: {section.title}", heads, [Body(body)], f"{which} of each" if keys else "Table"), len(best)


def _cells(rows: Rows, texts: Sequence[str]) -> list[TableCell]:
    kinds = [column.kind for column in rows.columns]
    cells = [left(text) if kind == "text" else TableCell(text) for kind, text in zip(kinds, texts, strict=True)]
    return [TableCell(texts[0], scope="row"), *cells[1:]] if kinds[0] == "text" else cells


def _with_decimals(section: Section) -> Section:
    """The section with the decimals of every number column known, so that tables and pictures agree. Raises ValueError for what is not a number."""
    columns = []
    for column, values in zip(section.rows.columns, section.rows.values, strict=True):
        if column.kind == "number" and not all(v is None or math.isfinite(v) for v in values):
            raise ValueError(f"column {column.name}: a value is not a number")
        columns.append(replace(column, decimals=known_decimals(column, values)) if column.kind == "number" else column)
    return replace(section, rows=replace(section.rows, columns=tuple(columns)))


def _window(page: LakePage) -> tuple[int, int]:
    """The seconds of the axis from the start of the first day to the end of the last."""
    if page.axis_start is None or page.first_day is None or page.last_day is None:
        return (0, _DAY_S)
    midnight = page.axis_start.replace(hour=0, minute=0, second=0, microsecond=0)
    before = round((page.axis_start - midnight).total_seconds())
    first = (page.first_day - midnight.date()).days * _DAY_S - before
    last = ((page.last_day - midnight.date()).days + 1) * _DAY_S - before
    return (first, last)
