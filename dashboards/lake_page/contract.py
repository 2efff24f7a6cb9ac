"""What the page of a lake shows: the facts, free of any drawing. `facts/` fills it from a lake, a file for each section; the page draws it, and `--format json` writes it.

A value that is not known is None, and never 0. Times are whole seconds since `LakePage.axis_start`, in local time as printed.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "number", "time"]
Form = Literal["lines", "bars", "heat", "strip", "none"]
# What the page filters by. Each section says which of its columns holds it; "time" is the column of the start.
Filter = Literal["sysplex", "system", "workload", "class", "time"]
# What it means: work of importance 1 or 2 missed its goal, or it costs money; it may; to know; it costs less than before.
Severity = Literal["serious", "watch", "note", "better"]


@dataclass(frozen=True)
class Column:
    """`decimals` are those to show, the same for the whole column; None: as many as are printed."""

    name: str
    title: str
    unit: str = ""
    decimals: int | None = None
    kind: Kind = "number"


@dataclass(frozen=True)
class Rows:
    """A table by columns: `values` has one list per column, all of the same length."""

    columns: tuple[Column, ...] = ()
    values: tuple[list[Any], ...] = ()

    def __len__(self) -> int:
        return len(self.values[0]) if self.values else 0

    def of(self, name: str) -> list[Any]:
        """The values of a column. Raises KeyError for a name that no column has."""
        for column, values in zip(self.columns, self.values, strict=True):
            if column.name == name:
                return values
        raise KeyError(name)


@dataclass(frozen=True)
class Chart:
    """How rows are drawn; x, y, split, series, limit and reference are names of their columns.

    lines   y over x, one line per column of y or per value of `series`
    bars    horizontal bars of x per value of y
    heat    a cell per x and y, coloured by the column `value`
    strip   marks over time: a row per value of y, a mark per x, coloured by `value`
    none    the table alone
    """

    form: Form
    x: str | tuple[str, ...] = ""
    y: str | tuple[str, ...] = ""
    # Small multiples, one per value of this column.
    split: str = ""
    # One colour per value of this column.
    series: str = ""
    # The column with the line that is not to be crossed.
    limit: str = ""
    # The column with a line to compare with: what is expected, or what weights give. It may be crossed.
    reference: str = ""
    # Of "heat" and "strip": the column that gives a cell its colour.
    value: str = ""
    # Of "heat" and "strip": what a value means from this limit on, ascending; values below the first limit are good.
    steps: tuple[tuple[float, str], ...] = ()
    # Of "lines": the column with the level that the values lie around; the one that is known where it steps, there the page marks a change point;
    # and the one with the percent by which it drifts per day, where it does.
    level: str = ""
    change: str = ""
    drift: str = ""
    # The lowest values are those to look at.
    is_lowest: bool = False


@dataclass(frozen=True)
class Section:
    """One question: `title` asks it, `finding` answers it in one sentence, `note` says what weakens the answer. `group` and `short` name it in
    the contents (gather.py); `view` has its rows."""

    id: str
    title: str
    finding: str
    chart: Chart
    rows: Rows
    filters: Mapping[Filter, str] = field(default_factory=dict)
    note: str = ""
    view: str = ""
    group: str = ""
    short: str = ""


@dataclass(frozen=True)
class Select:
    """Of what and when something is; None is all. The page is filtered by the names. `from_s` to `to_s` are seconds since the start of the axis."""

    sysplex: str | None = None
    system: str | None = None
    workload: str | None = None
    class_name: str | None = None
    from_s: int | None = None
    to_s: int | None = None


@dataclass(frozen=True)
class Series:
    """A line of a section: its column over time, of the rows of a panel (the value of `Chart.split`, or of `Chart.y` of cells) and of a value of
    `Chart.series`. `limit`: the limit that it passed, if that is not in a column."""

    panel: str
    name: str = ""
    column: str = ""
    limit: float | None = None


@dataclass(frozen=True)
class Happened:
    """Something to look at: a sentence, what it is measured by ("GP time per transaction"), of what it is, and the section that shows it, with
    its line there. `source` is the printed line; `new`: not so on the day before; never of a page of one day. `action`: the command that says more.
    `beside`: what else happened there in the same hours, which is one story with it."""

    sentence: str
    measure: str
    select: Select
    section: str
    source: str = ""
    new: bool = False
    action: str = ""
    severity: Severity = "watch"
    series: Series | None = None
    beside: tuple["Happened", ...] = ()

    @property
    def headline(self) -> str:
        """The first clause, which says it alone.

        >>> Happened("CF1 was 60% busy on Mon 2 Nov, 10:00; 2 hours of that day with at least 50%.", "", Select(), "").headline
        'CF1 was 60% busy on Mon 2 Nov, 10:00'
        """
        return self.sentence.partition("; ")[0].removesuffix(".")


@dataclass(frozen=True)
class Names:
    """What can be selected."""

    sysplexes: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LakePage:
    """The page of a lake. `lake` is its name without its folder. Days are None where there are no printed intervals: in the lake, or (`has_other_days`) of the days
    that were asked for.

    `happened` has what costs most first (stories.py); `sections` only those with data; `unknown` says what cannot be told, and why."""

    lake: str
    made_at: dt.datetime
    command: str
    version: str
    first_day: dt.date | None = None
    last_day: dt.date | None = None
    axis_start: dt.datetime | None = None
    names: Names = Names()
    happened: tuple[Happened, ...] = ()
    sections: tuple[Section, ...] = ()
    unknown: tuple[str, ...] = ()
    has_other_days: bool = False
    # What there is of the last day if that is too little to judge, and how other days are seen.
    too_little: str = ""
