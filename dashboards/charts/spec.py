"""Declared charts: declared as data in comparison_page_charts.py, read here, drawn by shapes.py.

A declaration names its view, the keys of a bar, mark or line, and the measures. Views of printed intervals are joined to a study by
time: an interval belongs to the run that spans its midpoint.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...pipeline.sql.ask import Queryable, ask, literal
from ...pipeline.sql.view_files import views
from ...pipeline.sql.view_schema import view_unit
from ..references import Reference, Sources

Row = dict[str, Any]

_UNITS = {"us": "µs"}


@dataclass(frozen=True)
class Measure:
    """A column of the view or, with `sql`, an aggregate over its columns. `unit` defaults to the unit of the view's
    column. `stands_for`: drawn in place of these measures of the row if not all of them are known. `completes`: the
    whole value of a row that is not split."""

    name: str
    title: str
    sql: str = ""
    unit: str | None = None
    stands_for: Sequence[str] = ()
    completes: bool = False

    def unit_in(self, view: str) -> str:
        unit = self.unit if self.unit is not None else view_unit(views()[view], self.name) if view in views() else ""
        return _UNITS.get(unit, unit)

    def axis_in(self, view: str) -> str:
        unit = self.unit_in(view)
        return f"{self.title} ({unit})" if unit else self.title


@dataclass(frozen=True)
class Picture:
    """A chart of rows of a view."""

    name: str
    group: str
    question: str  # the title
    axis: str  # what the values are, without unit
    about: str  # in a sentence
    view: str
    of: Mapping[str, str]  # keys of bars, marks or lines, outermost first, each an expression over the view's columns
    measures: Sequence[Measure]
    shape: Literal["stack", "group", "marks", "lines"]
    series: str = ""  # the key shown by colour, in place of the measures; then there is one measure
    split: str = ""  # words beside `about` where several parts are drawn
    whole: Measure | None = None  # drawn if the measures, its parts, are not all known
    tick: Measure | None = None  # an upright mark on a stack, at its value; then `ends` are the ends of this mark
    against: str = ""  # marks are drawn at their change against this configuration
    note: tuple[str, Measure] | None = None  # text beside the values; `{}` is its value, `{+}` the value with its sign
    ends: tuple[Measure, Measure] | None = None  # of a whisker
    weight: Measure | None = None  # of the mean of neighbouring points on a line; default: time
    # How rows are joined to a study: by selected intervals of their systems (`systems`, `scope`), by time alone (`window`), not at all (`lake`), they
    # are on the page already (`page`), or the view has a column study.
    joined_by: Literal["", "systems", "scope", "window", "lake", "page"] = ""
    time: tuple[str, str] = ("interval_start", "interval_end")
    systems: str = "system"
    rows: str = ""  # read in place of the view; of those on the page their name
    where: str = "TRUE"
    one_of: str = ""  # only rows with the first value of this expression are used, per configuration
    rank: tuple[str, str] = (
        "",
        "",
    )  # what chooses rows if there are too many, and its words; default: the largest values
    in_order: bool = False  # series are in the order of the rows, else by name
    mean_by: str = ""  # the runs of a configuration become one row, their mean weighted by this column
    # Measures of the chart of all CPU: this chart of general-processor time is drawn only if the two differ.
    beside: Sequence[Measure] = ()
    at_least: Mapping[str, int] = field(default_factory=dict)  # values per key
    flat_within: float | None = None  # if the notes of all rows differ by no more, a sentence replaces the chart
    limit: float | None = None  # only lines that go above the limit are drawn, and a line at the limit
    most: int = 0  # the largest number of bars drawn, if the usual number is too few
    drops_zeros: Literal["", "bars", "groups"] = ""  # bars of 0 are left out, or groups with bars of 0 alone

    @property
    def columns(self) -> list[Measure]:
        """All columns read."""
        return [
            *self.measures,
            *filter(None, [self.whole, self.tick, self.note and self.note[1], *(self.ends or ()), self.weight]),
            *self.beside,
            *([Measure(self.mean_by, self.mean_by)] if self.mean_by else []),
        ]

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal if two charts show columns of the same rows."""
        return (
            self.view, self.rows, tuple(self.of.items()), self.joined_by, self.time, self.systems, self.where, self.one_of, self.rank,
            self.shape == "lines", any(m.sql for m in self.columns),
        )  # fmt: skip

    @property
    def unit(self) -> str:
        return self.measures[0].unit_in(self.view)


@dataclass(frozen=True)
class Span:
    """Uninterrupted time that a run selects, on pages of some systems (None: any); or the window of a run."""

    study: str
    configuration: str
    run: str
    start: dt.datetime
    end: dt.datetime
    sysplex: str | None
    systems: str | None
    report_kind: str | None = None
    intervals: int = 1


class Selected:
    """Selection of studies: spans of intervals, and windows of runs."""

    def __init__(self, lake: Queryable, studies: Sequence[str]):
        chosen = ", ".join(map(literal, studies))
        # Runs of the same window cannot be separated by time alone.
        self.windows = [
            Span(**row)
            for row in ask(
                lake,
                f"""SELECT study, string_agg(DISTINCT configuration, ', ' ORDER BY configuration) AS configuration,
                    min(run) AS run, window_start AS start, window_end AS "end", NULL AS sysplex, NULL AS systems
                FROM study_step WHERE study IN ({chosen}) GROUP BY study, window_start, window_end ORDER BY ALL""",
            )
        ]
        rows = ask(
            lake,
            f"""SELECT study, configuration, run, sysplex, scope AS systems, report_kind, interval_start AS start,
                interval_end AS "end"
            FROM run_selection WHERE study IN ({chosen})
            ORDER BY study, configuration, run, sysplex, systems, report_kind, start""",
        )
        self.spans: list[Span] = []
        for span in (Span(**row) for row in rows):
            last = self.spans[-1] if self.spans else None
            # Ends are printed to the millisecond and starts to the second.
            if last and _owner(last) == _owner(span) and abs((span.start - last.end).total_seconds()) <= 1:
                self.spans[-1] = Span(*_owner(last)[:3], last.start, span.end, *_owner(last)[3:], last.intervals + 1)
            else:
                self.spans.append(span)


def _owner(span: Span) -> tuple[str, str, str, str | None, str | None, str | None]:
    return span.study, span.configuration, span.run, span.sysplex, span.systems, span.report_kind


class Reader:
    """Rows of declared charts for some studies of a lake. Charts with the same key share one query."""

    def __init__(
        self,
        lake: Queryable,
        studies: Sequence[str],
        pictures: Sequence[Picture],
        sources: Sources,
        whole: Queryable | None = None,
    ):
        """`lake` may have only the rows near the windows of the studies: views that do not shard are then read from the
        `whole` lake."""
        self._lake, self._studies, self._sources, self._whole = lake, studies, sources, whole or lake
        self.selected = Selected(lake, studies)
        self._known: dict[tuple[Any, ...], list[Row]] = {}
        self._columns: dict[tuple[Any, ...], dict[str, str]] = {}
        for picture in pictures:
            self._columns.setdefault(picture.key, {}).update({m.name: m.sql or m.name for m in picture.columns})

    def rows(self, picture: Picture, study: str) -> list[Row]:
        """The rows of a chart, with keys, measures and a reference."""
        if picture.joined_by in ("systems", "scope") and not self.selected.spans:
            return []
        # A line needs more than one interval.
        if picture.shape == "lines" and not any(s.intervals > 1 for s in self.selected.spans):
            return []
        if picture.key not in self._known:
            view = views().get(picture.view)
            needs_all_days = view and not view.is_of_studies and not view.shards_by
            self._known[picture.key] = ask(self._whole if needs_all_days else self._lake, self._query(picture))
            for row in self._known[picture.key]:
                refs = row.pop("refs")
                row["reference"] = Reference.of(refs, self._sources)
                if "file" in row:
                    # Without folders, because users pass pages on.
                    row["file"] = self._sources[refs[0]["source_id"]].file
        return [row for row in self._known[picture.key] if row["study"] == study]

    def _query(self, picture: Picture) -> str:
        of = dict(picture.of)
        if picture.shape == "lines":
            of |= {"line_run": "run", "line_start": picture.time[0], "line_end": picture.time[1]}
        names = ", ".join(f'{sql} AS "{name}"' for name, sql in of.items())
        values = ", ".join(f'{sql} AS "{name}"' for name, sql in self._columns[picture.key].items())
        aggregated = any(m.sql for m in picture.columns)
        group = f"GROUP BY study, {', '.join(of.values())}" if aggregated else ""
        refs = "list_distinct(flatten(list(refs)))" if aggregated else "refs"
        rank = f", {picture.rank[0]} AS rank" if picture.rank[0] else ""
        partition = "study, configuration" if "configuration" in picture.of else "study"
        return f"""
            WITH found AS (
                {self._found(picture)}
                {f"QUALIFY dense_rank() OVER (PARTITION BY {partition} ORDER BY {picture.one_of}) = 1" if picture.one_of else ""}
            )
            SELECT study, {names}, {values}{rank}, {refs} AS refs
            FROM found {group} ORDER BY ALL"""

    def _found(self, picture: Picture) -> str:
        """The rows of the view with study and, if joined by time, configuration and run."""
        if picture.joined_by == "lake":
            return f"SELECT '' AS study, * FROM {picture.rows or picture.view} WHERE {picture.where}"
        if not picture.joined_by:
            of_studies = ", ".join(map(literal, self._studies))
            return f"SELECT * FROM {picture.rows or picture.view} WHERE study IN ({of_studies}) AND ({picture.where})"
        spans = self.selected.windows if picture.joined_by == "window" else self.selected.spans
        listed = ", ".join(
            f"({', '.join(map(literal, (s.study, s.configuration, s.run, s.start, s.end)))}, "
            # Without the cast a column of NULLs would be numeric.
            f"{', '.join(f'CAST({literal(v)} AS VARCHAR)' for v in (s.sysplex, s.systems, s.report_kind))})"
            for s in spans
        )
        start, end = (f"seen.{name}" if name.isidentifier() else f"({name})" for name in picture.time)
        middle = f"{start} + ({end} - {start}) / 2"
        met = f"{middle} >= span.span_start AND {middle} < span.span_end"
        if picture.joined_by in ("systems", "scope"):
            met += " AND (span.span_sysplex IS NULL OR seen.sysplex IS NULL OR seen.sysplex = span.span_sysplex)"
        if picture.joined_by == "scope":
            met += " AND (seen.scope IS NULL OR span.span_systems IS NULL OR seen.scope = span.span_systems)"
            # A duration report repeats the time of its intervals.
            met += " AND seen.report_kind = span.span_kind"
        if picture.joined_by == "systems":
            met += f""" AND (seen.{picture.systems} IS NULL OR span.span_systems IS NULL
                OR list_has_any(string_split(seen.{picture.systems}, ','), string_split(span.span_systems, ',')))"""
        return f"""
            SELECT span.study, span.configuration, span.run, seen.*
            FROM (VALUES {listed}) AS span(study, configuration, run, span_start, span_end, span_sysplex, span_systems, span_kind)
            JOIN {picture.rows or picture.view} AS seen ON {met}
            WHERE {picture.where}"""


# --- Aggregates: a sum is unknown if any part is ---------------------------------------------------------------------


def total(expression: str) -> str:
    """A sum, NULL if any row has no value."""
    return f"CASE WHEN count({expression}) = count(*) THEN sum({expression}) END"


def ratio(above: str, below: str, times: float = 1) -> str:
    """A sum divided by a sum, NULL if either is unknown or the divisor is 0."""
    scaled = f"{times} * " if times != 1 else ""
    return f"{scaled}({total(above)}) / nullif({total(below)}, 0)"


def by_time(column: str, seconds: str = "interval_s") -> str:
    """A mean weighted by time."""
    return ratio(f"{column} * {seconds}", seconds)
