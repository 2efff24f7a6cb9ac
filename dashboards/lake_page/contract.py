"""The facts on the page of a lake, free of any drawing. `facts/` fills them from a lake, one file for each section; the
page draws them, and `--format json` writes them.

An unknown value is None, never 0. Times are whole seconds since `LakePage.axis_start`, in local time as printed.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "number", "time"]
Form = Literal["lines", "bars", "heat", "strip", "none"]
# The names that the page filters by. Each section says which of its columns holds them; "time" is the column of the
# start.
Filter = Literal["sysplex", "system", "workload", "class", "time"]
# "serious": work of importance 1 or 2 missed its goal, or it costs money; then: it may; for information; it costs less
# than before.
Severity = Literal["serious", "watch", "note", "better"]


@dataclass(frozen=True)
class Column:
    """`decimals`: the decimals to show, the same for the whole column; None: as printed."""

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
    # The column with the limit, a line that values must not cross.
    limit: str = ""
    # The column with a line to compare with: the expected value, or the share by weight. Values may cross it.
    reference: str = ""
    # For "heat" and "strip": the column that gives a cell its colour.
    value: str = ""
    # For "heat" and "strip": the meaning of a value from this limit on, ascending; values below the first limit are
    # good.
    steps: tuple[tuple[float, str], ...] = ()
    # For "lines": the column with the level around which the values lie; the column that is known where the level
    # steps, so that the page marks a change point there; and the column with the percent of drift per day, where the
    # level drifts.
    level: str = ""
    change: str = ""
    drift: str = ""
    # Look at the lowest values, not the highest.
    is_lowest: bool = False


@dataclass(frozen=True)
class Section:
    """One question: `title` asks it, `finding` answers it in one sentence, `note` says what weakens the answer. `group`
    and `short` name it in the contents (gather.py); `view` has its rows."""

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
    """The names and the time that something belongs to; None is all. The page is filtered by the names. `from_s` to
    `to_s` are seconds since the start of the axis."""

    sysplex: str | None = None
    system: str | None = None
    workload: str | None = None
    class_name: str | None = None
    from_s: int | None = None
    to_s: int | None = None


@dataclass(frozen=True)
class Series:
    """A line of a section: its column over time, for the rows of a panel (the value of `Chart.split`, or of `Chart.y`
    for cells) and of a value of `Chart.series`. `limit`: the limit that the line passed, if that is not in a column."""

    panel: str
    name: str = ""
    column: str = ""
    limit: float | None = None


@dataclass(frozen=True)
class Happened:
    """Something to look at: a sentence, its measure ("GP time per transaction"), the names and time that it belongs to,
    and the section that shows it, with its line there. `source` is the printed line; `new`: not so on the day before,
    never set on a page of one day. `action`: the command that says more. `beside`: other things that happened there in
    the same hours; together they are one story."""

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
        """The first clause, which can be read alone.

        >>> Happened("CF1 was 60% busy on Mon 2 Nov, 10:00; 2 hours of that day with at least 50%.", "", Select(), "").headline
        'CF1 was 60% busy on Mon 2 Nov, 10:00'
        """
        return self.sentence.partition("; ")[0].removesuffix(".")


@dataclass(frozen=True)
class Names:
    """The names that can be selected."""

    sysplexes: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LakePage:
    """The page of a lake. `lake` is its name without its folder. Days are None where there are no printed intervals: in
    the lake, or (`has_other_days`) on the days asked for.

    `happened` has the costliest first (stories.py); `sections` only those with data; `unknown` says what the page
    cannot tell, and why."""

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
    # The intervals of the last day if they are too few to judge, and how to see other days.
    too_little: str = ""
