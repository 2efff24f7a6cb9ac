"""The source of the facts: a lake, some of its days, and their place on the page's axis of time."""

import datetime as dt
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute

from ...pipeline.status.calendar import Calendar
from ...pipeline.status.conflicts import Conflict
from .contract import Column, Kind, Rows
from .labels import told_apart

# pyarrow makes its functions on import: type checkers know none.
pc: Any = pyarrow.compute
# The hours of classes as a CTE. A class that a damaged interval may have lost completely has a row of unknown time, so
# that no sum is one of the other classes alone.
CLASS_HOURS = """
hours AS (SELECT * FROM class_hour WHERE hour_start >= $from AND hour_start < $to),
damaged AS (
    SELECT DISTINCT sysplex, scope, date_trunc('hour', midpoint) AS hour_start FROM workload_interval
    WHERE report_kind = 'interval' AND class_kind = 'service_class' AND NOT is_overlapping AND NOT is_whole AND midpoint >= $from AND midpoint < $to
),
class_hours AS (
    FROM hours
    UNION ALL BY NAME
    SELECT class.*, damaged.hour_start, TRUE AS has_cpu
    FROM (SELECT sysplex, scope, class_kind, class_name, max(workload) AS workload FROM hours WHERE has_cpu GROUP BY ALL) AS class
    JOIN damaged ON (damaged.sysplex, damaged.scope) IS NOT DISTINCT FROM (class.sysplex, class.scope)
    SEMI JOIN hours AS there ON
        (there.sysplex, there.scope, there.hour_start, there.class_kind) IS NOT DISTINCT FROM (class.sysplex, class.scope, damaged.hour_start, class.class_kind)
    ANTI JOIN hours AS own ON (own.sysplex, own.scope, own.hour_start, own.class_kind, own.class_name)
        IS NOT DISTINCT FROM (class.sysplex, class.scope, damaged.hour_start, class.class_kind, class.class_name)
)
"""
Ref = Mapping[str, Any]
Row = dict[str, Any]


class AnsweringLake(Protocol):
    """SQL over the tables and views of a lake, answered in Arrow."""

    def sql(self, text: str, parameters: Mapping[str, object] | None = None, /) -> Any: ...


@dataclass(frozen=True)
class Asked:
    """The days of the page and the lake that answers. `files`: the names of source files by id."""

    lake: AnsweringLake
    first_day: dt.date
    last_day: dt.date
    calendar: Calendar
    files: Mapping[str, str] = field(default_factory=dict)
    # The name of the lake in commands on the page.
    lake_name: str = "lake"
    # Sentences about files without a known day.
    quality: tuple[str, ...] = ()
    # Intervals that two files print with different values.
    conflict: Conflict | None = None

    @cached_property
    def sysplex_of(self) -> dict[str, str]:
        """The sysplex of each system, as the pages of classes name both; without names that several sysplexes share."""
        return {system: min(names) for system, names in self.sysplexes_of.items() if len(names) == 1}

    @cached_property
    def sysplexes_of(self) -> dict[str, set[str]]:
        """All sysplexes with a system of a name."""
        found = self.ask(
            "SELECT system, list(DISTINCT sysplex) AS plexes FROM (SELECT sysplex, unnest(string_split(scope, ',')) AS system FROM class_hour"
            " WHERE hour_start >= $from AND hour_start < $to AND sysplex IS NOT NULL AND scope IS NOT NULL) GROUP BY system"
        )
        return {row["system"]: set(row["plexes"]) for row in found.to_pylist()}

    @property
    def axis_start(self) -> dt.datetime:
        return dt.datetime.combine(self.first_day, dt.time.min)

    @property
    def axis_end(self) -> dt.datetime:
        return dt.datetime.combine(self.last_day, dt.time.min) + dt.timedelta(days=1)

    @property
    def last_start(self) -> dt.datetime:
        """The start of the last day."""
        return dt.datetime.combine(self.last_day, dt.time.min)

    def ask(self, text: str) -> pa.Table:
        """The answer to a SELECT; $from and $to in it are the bounds of the axis."""
        bounds: dict[str, object] = {"from": self.axis_start, "to": self.axis_end}
        return self.lake.sql(text, {name: value for name, value in bounds.items() if f"${name}" in text}).arrow()

    def seconds(self, times: pa.ChunkedArray) -> list[int | None]:
        """Times as whole seconds since the start of the axis."""
        start = int(self.axis_start.replace(tzinfo=dt.UTC).timestamp())
        whole = pc.divide(pc.cast(pc.cast(times, pa.timestamp("us")), pa.int64()), 1_000_000)
        return pc.subtract(whole, start).to_pylist()

    def second(self, time: dt.datetime) -> int:
        return int((time - self.axis_start).total_seconds())

    def command(self, *words: str) -> str:
        """A command of ironlake about the lake."""
        return " ".join(map(_quoted, ("ironlake", *words, "--lake", self.lake_name)))

    def findings(self, rule: str) -> str:
        """The command that shows what a rule finds on the last day."""
        return self.command("sql", f"FROM finding WHERE rule = '{rule}' AND interval_start::DATE = '{self.last_day}'")

    def place(self, refs: Sequence[Ref] | None) -> str:
        """The first of the printed lines, in words; empty where none is known."""
        if not refs:
            return ""
        ref = refs[0]
        name = self.files.get(ref["source_id"], "")
        page = f", page {ref['page']:,}" if ref["page"] is not None else ""
        return f"{name}{page}, line {ref['line']:,}" if name else ""


def _quoted(word: str) -> str:
    """
    >>> print(_quoted("a b"), _quoted("rule = 'x'"))
    'a b' "rule = 'x'"
    """
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


def with_label(table: pa.Table, name: str, label: str, place: str = "sysplex", time: str | None = None) -> pa.Table:
    """The table with a column `label`: the names of a column, followed by their place where names repeat
    (labels.py)."""
    names = table[name].to_pylist()
    places = table[place].to_pylist() if place else [None] * len(names)
    labels = told_apart(names, places, table[time].to_pylist() if time else None)
    return table.append_column(label, pa.array(labels, pa.string()))


def table_of(rows: list[dict[str, Any]], columns: Sequence[Column], **types: pa.DataType) -> pa.Table:
    """Rows as a table of these columns; numbers are floats, unless `types` gives another type."""
    kinds = {"text": pa.string(), "time": pa.timestamp("us"), "number": pa.float64()}
    return pa.Table.from_pylist(rows, pa.schema([(c.name, types.get(c.name, kinds[c.kind])) for c in columns]))


def rows_of(asked: Asked, table: pa.Table, columns: Sequence[Column]) -> Rows:
    """The named columns of an answer; times become seconds, numbers are rounded to the decimals of their column."""
    kept = tuple(_of_kind(column, table[column.name].type) for column in columns)
    return Rows(kept, tuple(_values(asked, table[column.name], column) for column in kept))


def _of_kind(column: Column, arrow: pa.DataType) -> Column:
    kind: Kind = "text" if pa.types.is_string(arrow) else "time" if pa.types.is_temporal(arrow) else column.kind
    return replace(column, kind=kind, unit=column.unit if kind == "number" else "")


def highest(rows: Iterable[Row], columns: Sequence[Column], name: str) -> Row | None:
    """The row with the highest value as written in its column, the first of equal ones, as in the picture. None where
    no value is known."""
    known = [row for row in rows if row[name] is not None]
    return highest_known(known, columns, name) if known else None


def highest_known(known: Sequence[Row], columns: Sequence[Column], name: str) -> Row:
    """The same for one or more rows whose values are all known."""
    (column,) = [column for column in columns if column.name == name]
    written = _written(pa.chunked_array([[row[name] for row in known]]), column)
    return known[max(range(len(known)), key=written.__getitem__)]


def _values(asked: Asked, values: pa.ChunkedArray, column: Column) -> list[Any]:
    return asked.seconds(values) if column.kind == "time" else _written(values, column)


def _written(values: pa.ChunkedArray, column: Column) -> list[Any]:
    if pa.types.is_decimal(values.type):
        values = pc.cast(values, pa.float64())
    if column.kind == "number" and column.decimals is not None and pa.types.is_floating(values.type):
        rounded = pc.round(values, column.decimals).to_pylist()
        return [int(v) if v is not None else None for v in rounded] if column.decimals == 0 else rounded
    return values.to_pylist()
