"""What a picture of a view is: declared once as data (questions.py), read here, drawn by shapes.py.

A declaration names its view, what one bar, mark or line is of, and the measures. What a view holds of printed intervals is brought
together with a study by time: an interval belongs to the run whose span holds its midpoint.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...pipeline.sql.session import view_unit
from ...pipeline.sql.view_files import views
from ..columns import ColumnInfo
from ..queries import Lake, ask, literal
from ..references import Reference, Sources

Row = dict[str, Any]

_UNITS = {"us": "µs"}


@dataclass(frozen=True)
class Measure:
    """A value: a column of the view or, with `sql`, an aggregate over its columns. `unit` is that of the view's column of this
    name unless given. `stands_for`: measures of the same row in whose place it is drawn where they are not all known."""

    name: str
    title: str
    sql: str = ""
    unit: str | None = None
    stands_for: Sequence[str] = ()

    def of(self, view: str) -> ColumnInfo:
        said = views()[view].columns.get(self.name) if view in views() else None
        unit = view_unit(views()[view], self.name) if self.unit is None and said else self.unit or ""
        return ColumnInfo(self.title, _UNITS.get(unit, unit), said.doc if said else "")


@dataclass(frozen=True)
class Picture:
    """A picture of rows of a view.

    question: its title. axis: what the values are, without their unit. about: what is to be seen, in a sentence.
    of: the names that tell bars, marks or lines apart, outermost first, each an expression over the view's columns.
    series: one of the names of `of` that is told by colour in place of the measures; then there is one measure.
    whole: drawn where the measures, its parts, are not all known. note: said beside the values, `{}` being its value, `{+}` with its sign.
    ends: columns with the ends of a whisker. weight: by what the mean of neighbours on a line is weighted; without one it is time. near: how rows meet a study: `systems` and `scope` by the selected intervals of their
    systems, `window` by time alone, `lake` not at all; `page`: the rows are on the page already, whose columns the names are; empty where the view has a column study. time: start and end of a row. rows: what is read in place of the view itself.
    one_of: of rows of a configuration that differ in these expressions only the first are taken. at_least: so many of a name there must be.
    named: one of the names of `of` that must be more than a number.
    rank: what rows are chosen by where there are too many, and its words; without it the largest values are.
    mean_by: the runs of a configuration are one row, their mean weighted by this column.
    beside: the measures of a picture that shows all CPU; a picture of general-processor time is drawn beside it where the two differ.
    """

    name: str
    group: str
    question: str
    axis: str
    about: str
    view: str
    of: Mapping[str, str]
    measures: Sequence[Measure]
    shape: Literal["stack", "group", "marks", "lines", "index"]
    series: str = ""
    whole: Measure | None = None
    note: tuple[str, Measure] | None = None
    ends: tuple[Measure, Measure] | None = None
    weight: Measure | None = None
    near: Literal["", "systems", "scope", "window", "lake", "page"] = ""
    time: tuple[str, str] = ("interval_start", "interval_end")
    systems: str = "system"
    rows: str = ""
    where: str = "TRUE"
    one_of: str = ""
    rank: tuple[str, str] = ("", "")
    mean_by: str = ""
    beside: Sequence[Measure] = ()
    at_least: Mapping[str, int] = field(default_factory=dict)
    named: str = ""

    @property
    def columns(self) -> list[Measure]:
        """Everything that is read: the measures, then what goes with them."""
        return [
            *self.measures,
            *filter(None, [self.whole, self.note and self.note[1], *(self.ends or ()), self.weight]),
            *self.beside,
            *([Measure(self.mean_by, self.mean_by)] if self.mean_by else []),
        ]

    @property
    def key(self) -> tuple[Any, ...]:
        """What is equal where two pictures show columns of the same rows."""
        return (
            self.view, self.rows, tuple(self.of.items()), self.near, self.time, self.systems, self.where, self.one_of, self.rank,
            self.shape == "lines", any(m.sql for m in self.columns),
        )  # fmt: skip

    @property
    def unit(self) -> str:
        return self.measures[0].of(self.view).unit


@dataclass(frozen=True)
class Span:
    """Time that a run selects without a break, of pages of some systems (None: not said); or the window of a run."""

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
    """What studies select: spans of intervals, and the windows of their runs."""

    def __init__(self, lake: Lake, studies: Sequence[str]):
        chosen = ", ".join(map(literal, studies))
        # Where time alone says what is whose, runs of one window cannot be told apart.
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
            if last and _whose(last) == _whose(span) and abs((span.start - last.end).total_seconds()) <= 1:
                self.spans[-1] = Span(*_whose(last)[:3], last.start, span.end, *_whose(last)[3:], last.intervals + 1)
            else:
                self.spans.append(span)


def _whose(span: Span) -> tuple[str, str, str, str | None, str | None, str | None]:
    return span.study, span.configuration, span.run, span.sysplex, span.systems, span.report_kind


class Reader:
    """Rows of declared pictures for some studies of a lake. What two pictures ask alike is asked once."""

    def __init__(self, lake: Lake, studies: Sequence[str], pictures: Sequence[Picture], sources: Sources):
        self._lake, self._studies, self._sources = lake, studies, sources
        self.selected = Selected(lake, studies)
        self._known: dict[tuple[Any, ...], list[Row]] = {}
        self._columns: dict[tuple[Any, ...], dict[str, str]] = {}
        for picture in pictures:
            self._columns.setdefault(picture.key, {}).update({m.name: m.sql or m.name for m in picture.columns})

    def rows(self, picture: Picture, study: str) -> list[Row]:
        """The rows of a picture, each with the names of `of`, its measures and a reference."""
        if picture.near in ("systems", "scope") and not self.selected.spans:
            return []
        # One interval is no line.
        if picture.shape == "lines" and not any(s.intervals > 1 for s in self.selected.spans):
            return []
        if picture.key not in self._known:
            self._known[picture.key] = ask(self._lake, self._query(picture))
            for row in self._known[picture.key]:
                row["reference"] = Reference.of(row.pop("refs"), self._sources)
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
        whose = "study, configuration" if "configuration" in picture.of else "study"
        return f"""
            WITH found AS (
                {self._found(picture)}
                {f"QUALIFY dense_rank() OVER (PARTITION BY {whose} ORDER BY {picture.one_of}) = 1" if picture.one_of else ""}
            )
            SELECT study, {names}, {values}{rank}, {refs} AS refs
            FROM found {group} ORDER BY ALL"""

    def _found(self, picture: Picture) -> str:
        """The rows of the view with the study and, where time says it, the configuration and run that they are of."""
        if picture.near == "lake":
            return f"SELECT '' AS study, * FROM {picture.rows or picture.view} WHERE {picture.where}"
        if not picture.near:
            of_studies = ", ".join(map(literal, self._studies))
            return f"SELECT * FROM {picture.rows or picture.view} WHERE study IN ({of_studies}) AND ({picture.where})"
        spans = self.selected.windows if picture.near == "window" else self.selected.spans
        listed = ", ".join(
            f"({', '.join(map(literal, (s.study, s.configuration, s.run, s.start, s.end)))}, "
            # A column of nothing but NULL would be of numbers.
            f"{', '.join(f'CAST({literal(v)} AS VARCHAR)' for v in (s.sysplex, s.systems, s.report_kind))})"
            for s in spans
        )
        start, end = (f"seen.{name}" if name.isidentifier() else f"({name})" for name in picture.time)
        middle = f"{start} + ({end} - {start}) / 2"
        met = f"{middle} >= span.span_start AND {middle} < span.span_end"
        if picture.near in ("systems", "scope"):
            met += " AND (span.span_sysplex IS NULL OR seen.sysplex IS NULL OR seen.sysplex = span.span_sysplex)"
        if picture.near == "scope":
            met += " AND (seen.scope IS NULL OR span.span_systems IS NULL OR seen.scope = span.span_systems)"
            # A duration report holds the time of its intervals once more.
            if "report_kind" in views()[picture.view].columns:
                met += " AND seen.report_kind = span.span_kind"
        if picture.near == "systems":
            met += f""" AND (seen.{picture.systems} IS NULL OR span.span_systems IS NULL
                OR list_has_any(string_split(seen.{picture.systems}, ','), string_split(span.span_systems, ',')))"""
        return f"""
            SELECT span.study, span.configuration, span.run, seen.*
            FROM (VALUES {listed}) AS span(study, configuration, run, span_start, span_end, span_sysplex, span_systems, span_kind)
            JOIN {picture.rows or picture.view} AS seen ON {met}
            WHERE {picture.where}"""


# --- Aggregates: a sum that lacks a part is not known ----------------------------------------------------------------


def total(expression: str) -> str:
    """A sum, NULL where any row lacks its value."""
    return f"CASE WHEN count({expression}) = count(*) THEN sum({expression}) END"


def ratio(above: str, below: str, times: float = 1) -> str:
    """A sum over a sum, NULL where either is not known or there is nothing to divide by."""
    scaled = f"{times} * " if times != 1 else ""
    return f"{scaled}({total(above)}) / nullif({total(below)}, 0)"


def by_time(column: str, seconds: str = "interval_s") -> str:
    """A mean weighted by time."""
    return ratio(f"{column} * {seconds}", seconds)
