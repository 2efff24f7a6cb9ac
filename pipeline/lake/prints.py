"""Which rows are prints of the same: one report of one interval and system, with the same kind of rows.

A table's rows are of one kind, or of the kind that `class_kind` names: a print of service classes is no print of the workloads of
its interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..declaration.report import Report, reports
from ..errors import format_error
from .parts import PartStore
from .state import Part

if TYPE_CHECKING:
    import polars as pl

# Columns that name a row below its heading, wherever all tables of a report have them.
_OF_ROWS = {"object", "counter", "label_path", "occurrence", "is_total"}
_TIMES = ("interval_start", "interval_end", "begin_at", "end_at", "collected_at")
# What a page may leave out of its headings: if one print names it and another does not, nobody knows whether they are of the same.
_MAY_BE_UNKNOWN = {
    *("sysplex", "system", "scope", "policy_activated_at", "location", "db2_group", "member", "subsystem", "applid")
}
_KIND = "class_kind"
# Where the clock was set back two hours have one local time.
OFFSET = "utc_offset_minutes"
# The report, the kind, the values of the report's print columns, and the offset that they were read with.
Print = tuple[str, str, tuple[Any, ...]]


@cache
def print_columns(report: Report) -> tuple[str, ...]:
    """The columns that tell the prints of a report apart: those that are in the key of every table. None if there is no time among them."""
    keys = [t.key for t in report.tables if t.key]
    common = [c for c in keys[0] if all(c in key for key in keys) and c not in _OF_ROWS] if keys else []
    return tuple(common) if set(_TIMES).intersection(common) else ()


@cache
def _by_table() -> dict[str, tuple[Report, tuple[str, ...]]]:
    """The report and the print columns of each table that has prints."""
    return {
        t.name: (r, columns)
        for r in reports().values()
        for t in r.tables
        if (columns := print_columns(r)) and set(columns) <= {c.name for c in t.all_columns}
    }


@cache
def tables_of_reports() -> frozenset[str]:
    return frozenset(t.name for r in reports().values() for t in r.tables)


def has_prints(table: str) -> bool:
    return table in _by_table()


def columns_of(table: str) -> list[str]:
    """The columns to read of a table in order to tell its prints."""
    report, columns = _by_table()[table]
    return [*columns, *([_KIND] if _KIND in report.table(table).schema.names else [])]


def columns_with_offset(table: str) -> list[str]:
    """The same, and the offset."""
    report, _ = _by_table()[table]
    return [*columns_of(table), *([OFFSET] if OFFSET in report.table(table).schema.names else [])]


def time_column(table: str) -> str:
    return next(c for c in _by_table()[table][1] if c in _TIMES)


def print_of(table: str, values: Sequence[Any]) -> Print:
    """The print of the values of `columns_with_offset`."""
    report, columns = _by_table()[table]
    named = dict(zip(columns_with_offset(table), values, strict=True))
    return report.name, str(named.get(_KIND, table)), (*(named[c] for c in columns), named.get(OFFSET))


@dataclass
class Prints:
    """The prints that some sources have, each with its sources. `fresh`: sources that the same ingest committed before. `rows`: by source, table
    and print. `pages`: by source and page its prints. `untimed`: the rows of each source that are of no print, by table."""

    sources: dict[Print, set[str]] = field(default_factory=dict)
    times: dict[str, set[datetime]] = field(default_factory=dict)
    fresh: frozenset[str] = frozenset()
    rows: Counter[tuple[str, str, Print]] = field(default_factory=Counter)
    pages: dict[tuple[str, int], set[Print]] = field(default_factory=dict)
    untimed: dict[str, Counter[str]] = field(default_factory=dict)
    _of_times: dict[tuple[Any, ...], list[Print]] = field(default_factory=dict)

    def first_and_last(self, report: str) -> tuple[str, str]:
        found = self.times[report]
        return min(found).isoformat(), max(found).isoformat()

    def starts(self) -> pa.Array:
        return pa.array(sorted(set().union(*self.times.values())), pa.timestamp("us"))

    def add(self, table: str, values: Sequence[Any], source_id: str, page: int, rows: int) -> None:
        known = print_of(table, values)
        columns = _by_table()[table][1]
        times = [v for c, v in zip(columns, known[2], strict=False) if c in _TIMES]
        if None in times:
            self.add_untimed(table, source_id, page, rows)
            return
        self.pages.setdefault((source_id, page), set()).add(known)
        self.rows[source_id, table, known] += rows
        if known not in self.sources:
            self._of_times.setdefault(_hard(columns, known), []).append(known)
        self.sources.setdefault(known, set()).add(source_id)
        self.times.setdefault(known[0], set()).add(times[0])

    def add_untimed(self, table: str, source_id: str, page: int, rows: int) -> None:
        self.pages.setdefault((source_id, page), set())
        self.untimed.setdefault(source_id, Counter())[table] += rows

    def doubts(self) -> dict[str, str]:
        """The sources that have a print of another of them, and why it is not sure which is the newer."""
        found: dict[str, str] = {}
        for known, sources in self.sources.items():
            if len(sources) > 1:
                tell_once(found, sources, twice(known))
        return found

    def same(self, table: str, values: Sequence[Any]) -> Print | None:
        """The print that a row is of: read with the same offset, or one of the two with none."""
        other = print_of(table, values)
        if other in self.sources:
            return other
        *of_other, offset = other[2]
        for mine in self._of_times.get(_hard(_by_table()[table][1], other), []):
            if [*of_other] == [*mine[2][:-1]] and None in (offset, mine[2][-1]):
                return mine
        return None

    def doubtful(self, table: str, values: Sequence[Any]) -> Print | None:
        """A print that a row may be of: what one of them names, the other leaves out; or they share systems."""
        columns, other = _by_table()[table][1], print_of(table, values)
        for mine in self._of_times.get(_hard(columns, other), []):
            pairs = zip((*columns, OFFSET), mine[2], other[2], strict=True)
            if mine != other and all(_may_be_equal(c, a, b) for c, a, b in pairs):
                return mine
        return None


def _hard(columns: Iterable[str], of: Print) -> tuple[Any, ...]:
    return (*of[:2], *(v for c, v in zip(columns, of[2], strict=False) if c not in _MAY_BE_UNKNOWN))


def _may_be_equal(column: str, a: Any, b: Any) -> bool:
    if column == "scope" and a and b:
        return not set(a.split(",")).isdisjoint(b.split(","))
    return a == b or a is None or b is None


def tell_once(found: dict[str, str], sources: Iterable[str], why: str) -> None:
    """Say why of those sources of which nothing is said yet: the first that is found is named, not any."""
    for source in sources:
        found.setdefault(source, why)


def prints_of(store: PartStore, parts: Iterable[Part], source_ids: Collection[str]) -> Prints:
    """The prints that parts hold of sources."""
    found = Prints()
    for part in (p for p in parts if p.table in tables_of_reports()):
        columns = ["source_id", "page", *(columns_with_offset(part.table) if has_prints(part.table) else [])]
        for group in store.read(part, columns):
            printed = frame_of(group, columns).group_by(columns, maintain_order=True)
            for source_id, page, *values, rows in printed.len().iter_rows():
                if source_id not in source_ids:
                    continue
                if values:
                    found.add(part.table, values, source_id, page, rows)
                else:
                    found.add_untimed(part.table, source_id, page, rows)
    return found


def may_have(part: Part, prints: Prints) -> bool:
    """Whether a part may have rows of the intervals of prints, as far as the ledger knows."""
    if not has_prints(part.table) or (report := _by_table()[part.table][0].name) not in prints.times:
        return False
    first, last = prints.first_and_last(report)
    return (part.first_time or first) <= last and (part.last_time or last) >= first


def plain(rows: pa.Table) -> pa.Table:
    """The rows with texts in place of dictionaries."""
    fields = [f.with_type(f.type.value_type) if pa.types.is_dictionary(f.type) else f for f in rows.schema]
    return rows.cast(pa.schema(fields))


def frame_of(rows: pa.Table, columns: Sequence[str]) -> pl.DataFrame:
    """The columns of rows; the offset is NULL where a part lacks it."""
    import polars as pl

    if OFFSET in columns and OFFSET not in rows.column_names:
        rows = rows.append_column(OFFSET, pa.nulls(rows.num_rows, pa.int64()))
    return pl.DataFrame(pl.from_arrow(plain(rows.select(columns))))


def twice(of: Print) -> str:
    """Why it is not sure which file of one ingest has the newer print."""
    what = f"several files of this ingest print {in_words(of)}: not sure which is the newest"
    return format_error(what, hint="ingest one after the other, the newest last")


def in_words(of: Print) -> str:
    """A print as people name it."""
    report, kind, values = of
    words = [report, *([] if kind in _by_table() else [kind]), *(str(v) for v in values[:-1] if v is not None)]
    return ", ".join(words)
