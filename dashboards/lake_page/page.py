"""The page of a lake from its facts (contract.py): first the things to look at, then a section for each question, with
its picture (charts/lake_pictures.py) and the row to look at for each name. Scripts draw nothing: they show and hide the
parts of the chosen names."""

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from .. import document as frame
from ..charts.lake_pictures import Picture, picture_of, spark_of
from ..charts.svg import PANEL, SPARK, legend, picture, svg
from ..document import Page
from ..numbers import DASH, column_decimals, signed
from .contract import Column, Happened, LakePage, Section
from .found import format_day, format_hour

# Rows of the table of a section.
_MOST_ROWS = 60
_DAY_S = 86_400
_KINDS = ("sysplex", "system", "workload", "class")


@dataclass(frozen=True)
class ShownFinding:
    """`of`: the numbers of the names to filter by. `title`: the title of the section, empty without a section."""

    told: Happened
    spark: Markup
    spark_words: str
    of: str
    title: str


@dataclass(frozen=True)
class ShownSection:
    """`rows`: the rows of its table and their texts; `which`: words for these rows; `names`: the number of all
    names."""

    section: Section
    findings: int
    picture: Picture | None
    rows: Sequence[tuple[int, Sequence[str]]]
    which: str
    names: int

    @property
    def kinds(self) -> str:
        """The kinds of name that its panels and rows can be filtered by."""
        of = self.section.filters
        return " ".join(kind for kind in _KINDS if kind in of or (kind == "sysplex" and "system" in of))

    @property
    def drawn(self) -> Iterator[Markup]:
        """Its panels: a single panel is as wide as the page."""
        charts = [panel.chart for panel in self.picture.panels] if self.picture else []
        return (picture(chart) if len(charts) == 1 else svg(chart, PANEL) for chart in charts)

    @property
    def legend(self) -> Sequence[tuple[str, Markup]]:
        """The lines or cells that several panels share; in a single panel lines have their names."""
        charts = [panel.chart for panel in self.picture.panels] if self.picture else []
        found = {name: sample for chart in charts for name, sample in legend(chart)}
        return list(found.items()) if len(found) > 1 and not (len(charts) == 1 and charts[0].lines) else []


@dataclass(frozen=True)
class Content:
    """`groups`: the sections of a group with something to look at, and the others, which get the words `calm`."""

    happened: Sequence[ShownFinding]
    groups: Mapping[str, tuple[Sequence[ShownSection], Sequence[ShownSection]]]
    names: "_Names"
    calm: str
    unknown: Sequence[str]


class _Names:
    """The names that the page is filtered by, each with a number; and the names that rows belong to."""

    def __init__(self, page: LakePage):
        of = page.names
        every = zip(_KINDS, (of.sysplexes, of.systems, of.workloads, of.classes), strict=True)
        numbers = iter(range(1_000_000))
        self.numbers = {kind: {name: str(next(numbers)) for name in names} for kind, names in every}
        # Rows may have systems without their sysplex, or classes without their workload: other rows say which belong
        # together. A name with several owners has none.
        self._owners: dict[tuple[str, str], set[str]] = defaultdict(set)
        for section in page.sections:
            for row in self._rows(section, range(len(section.rows))):
                for child, owner in (("system", "sysplex"), ("class", "workload")):
                    for name in _split(row.get(child)):
                        self._owners[child, name].update(_split(row.get(owner)))

    @staticmethod
    def _rows(section: Section, rows: Iterable[int]) -> Iterator[dict[str, Any]]:
        names = {kind: section.rows.of(column) for kind, column in section.filters.items() if kind != "time"}
        for found in {tuple(values[i] for values in names.values()) for i in rows}:
            yield dict(zip(names, found, strict=True))

    def of(self, section: Section, rows: Iterable[int]) -> str:
        """The numbers of the names of rows."""
        return " ".join(sorted({number for row in self._rows(section, rows) for number in self.written(row)}, key=int))

    def written(self, row: Mapping[str, str | None]) -> Iterator[str]:
        """The numbers of the names of a row, and of their owners."""
        for kind, names in self.numbers.items():
            mine = _split(row.get(kind))
            if not mine and kind in ("sysplex", "workload"):
                child = "system" if kind == "sysplex" else "class"
                owners = [self._owners[child, name] for name in _split(row.get(child))]
                mine = [name for of in owners if len(of) == 1 for name in of]
            yield from (names[name] for name in mine if name in names)


def _split(name: str | None) -> list[str]:
    """The names in a name: rows of several systems together name them all, as in "SYSA,SYSB"."""
    return name.split(",") if name else []


def document(page: LakePage) -> str:
    """The whole page as text, for page_file.write."""
    # Without plotly.js, which alone would be four times the page: marks are small and show their values on hovering.
    return frame.document(render(page), command=page.command, lake=page.lake, is_static=True)


def render(page: LakePage) -> Page:
    """The page for document.publish."""
    page = replace(page, sections=tuple(map(_with_decimals, page.sections)))
    days = (page.last_day - page.first_day).days + 1 if page.first_day and page.last_day else 1
    names, span = _Names(page), days * _DAY_S
    told = [one for story in page.happened for one in (story, *story.beside)]
    counts = Counter(one.section for one in told)
    groups: dict[str, tuple[list[ShownSection], list[ShownSection]]] = defaultdict(lambda: ([], []))
    for section in page.sections:
        named = {one.series.panel for one in told if one.series and one.section == section.id}
        drawn = picture_of(section, page.axis_start, span, named)
        shown = ShownSection(section, counts[section.id], drawn, *_table(section, page))
        groups[section.group][not shown.findings].append(shown)
    title = heading(page)
    pictures = [one.picture.data for of in groups.values() for one in (*of[0], *of[1]) if one.picture]
    calm = "Not judged" if page.too_little else "Nothing to look at"
    return Page(
        title=f"{title} · {page.lake}",
        heading=title,
        headline=_headline(page),
        template="lake_page.html",
        content=Content([_finding(one, page, names, span) for one in page.happened], groups, names, calm, page.unknown),
        pictures={chart.id: chart for chart in pictures if chart},
        kind="lake page",
        styles=("lake_page.css",),
        scripts=("lake_page.js",),
        kicker=kicker(page),
    )


def _finding(story: Happened, page: LakePage, names: _Names, span: int) -> ShownFinding:
    section = next((section for section in page.sections if section.id == story.section), None)
    spark = spark_of(section, story, page.axis_start, span) if section and page.axis_start else None
    of = story.select
    chosen = zip(_KINDS, (of.sysplex, of.system, of.workload, of.class_name), strict=True)
    numbers = [names.numbers[kind][name] for kind, name in chosen if name and name in names.numbers[kind]]
    drawn = (svg(spark, SPARK), spark.about) if spark else (Markup(), "")
    return ShownFinding(story, *drawn, " ".join(numbers), section.title if section else "")


# --- Text ------------------------------------------------------------------------------------------------------------


def heading(page: LakePage) -> str:
    """The costliest finding in one line: the heading of the page, which the command prints, too."""
    if page.last_day is None:
        return "This lake has no printed intervals " + ("of these days" if page.has_other_days else "yet")
    calm = "too little to judge" if page.too_little else "nothing unusual found"
    return f"{format_day(page.last_day)} {page.last_day.year}: {page.happened[0].headline if page.happened else calm}"


def kicker(page: LakePage) -> str:
    """The number of things to look at, in words; empty if there are none."""
    count, new = len(page.happened), sum(happened.new for happened in page.happened)
    fresh = f", {new if new < count else 'all'} new" if new else ", none new"
    things = f"{count} {'thing' if count == 1 else 'things'} to look at"
    little = "; too little to judge the day" if page.too_little else ""
    return f"{things}{fresh if page.first_day != page.last_day else ''}{little}" if count else ""


def _headline(page: LakePage) -> str:
    of = page.names
    words = (
        ("sysplex", "sysplexes", of.sysplexes),
        ("system", "systems", of.systems),
        ("class", "classes", of.classes),
    )
    named = [f"{one} {some[0]}" if len(some) == 1 else f"{len(some):,} {many}" for one, many, some in words if some]
    span = ""
    if page.first_day and page.last_day:
        days = (page.last_day - page.first_day).days + 1
        last = f"{format_day(page.last_day)} {page.last_day.year}"
        span = f"{format_day(page.first_day)} to {last}, {days:,} days" if days > 1 else f"{last} only"
    return " · ".join(filter(None, [f"Lake {page.lake}", *named, span, page.too_little]))


# --- Sections --------------------------------------------------------------------------------------------------------


def _table(section: Section, page: LakePage) -> tuple[list[tuple[int, Sequence[str]]], str, int]:
    """For each drawn name the row to look at, the highest (or lowest) first, else the last row; words for these rows;
    and the number of names."""
    chart, rows = section.chart, section.rows
    kinds = {column.name: column.kind for column in rows.columns}
    measure = {"lines": chart.y, "bars": chart.x}.get(chart.form, chart.value)
    measure = measure if isinstance(measure, str) else measure[0]
    names = dict.fromkeys((chart.split, chart.series, chart.y if isinstance(chart.y, str) else ""))
    # Without a picture all rows are in the table.
    keys = [rows.of(name) for name in names if kinds.get(name) == "text"]
    size: list[Any] = list(range(len(rows)))
    # Days of a series with a level stay in order.
    if is_measured := kinds.get(measure) == "number" and not chart.level:
        sign = -1 if chart.is_lowest else 1
        size = [-math.inf if v is None else sign * v for v in rows.of(measure)]
    best: dict[Any, int] = {}
    for i, key in enumerate(zip(*keys, strict=True) if keys else range(len(rows))):
        if key not in best or size[i] > size[best[key]]:
            best[key] = i
    order = sorted(best.values(), key=lambda i: -size[i] if is_measured else i)[:_MOST_ROWS]
    written = [
        [DASH if values[i] is None else _write(column, values[i], values, page) for i in order]
        for column, values in zip(rows.columns, rows.values, strict=True)
    ]
    which = ("Lowest" if chart.is_lowest else "Highest") if is_measured else "Last"
    return [*zip(order, zip(*written, strict=True), strict=True)], f"{which} of each" if keys else "Table", len(best)


def _write(column: Column, value: Any, whole: Sequence[Any], page: LakePage) -> str:
    """A value written like all values of its column: times of days without the hour."""
    if column.kind != "time":
        return str(value) if column.kind == "text" else signed(value, column.decimals or 0).removeprefix("+")
    time = (page.axis_start or dt.datetime(1970, 1, 1)) + dt.timedelta(seconds=value)
    return format_day(time) if all(v is None or v % _DAY_S == 0 for v in whole) else format_hour(time)


def _with_decimals(section: Section) -> Section:
    """The section with decimals for every number column, so that tables and pictures agree. Raises ValueError for a
    value that is not a number."""
    columns = []
    for column, values in zip(section.rows.columns, section.rows.values, strict=True):
        if column.kind == "number" and not all(v is None or math.isfinite(v) for v in values):
            raise ValueError(f"column {column.name}: a value is not a number")
        if column.kind == "number" and column.decimals is None:
            column = replace(column, decimals=column_decimals(values))
        columns.append(column)
    return replace(section, rows=replace(section.rows, columns=tuple(columns)))
