"""The rows of a table in parts of a lake, as DuckDB reads them.

DuckDB gets the files that the ledger names, and the type of every column: what an older part lacks is NULL, and no file is opened to plan a
question. A part is checked against its digest before it is first read: DuckDB looks at no checksum of Parquet.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from ..lake.state import Part
from .measured_times import Window, counted_in, inside, times_of, touches
from .schema import Rows, plain_schema, type_given

# What a plan says of a scan: columns with the name of their table before them, and bounds of the times of intervals.
_COLUMN = re.compile(r"\b(\w+):(\w+)")
_BOUND = re.compile(r"\w+:(\w+) (>=|>|<=|<|=) '([^']+)'::TIMESTAMP")
# The first and last value that the ledger knows of a part, by column.
_BOUNDS = {"interval_start": ("first_time", "last_start"), "interval_end": ("first_end", "last_time")}


@dataclass(frozen=True)
class PartRows:
    """Rows of a table, or a view, in parts of a lake. `ready` gives the files of parts, checked: it raises IronlakeError for those that are not as they were
    written. `times`: the first and last time of the rows of a part, None where nobody knows it. `is_few`: whether they are read once, and not by
    each question. `conditions` on columns of the table, in SQL, all of which hold. `bounds`: which fields of a part say the first and last value of a
    column."""

    table: Rows
    parts: tuple[Part, ...]
    ready: Callable[[Collection[Part]], list[str]]
    times: Callable[[Part], tuple[dt.datetime | None, dt.datetime | None]]
    is_few: bool
    conditions: tuple[str, ...] = ()
    bounds: Mapping[str, tuple[str, str]] = field(default_factory=lambda: _BOUNDS)

    def inside(self, windows: Sequence[Window]) -> PartRows:
        """The rows that were measured in one of the windows; all of a table that says no times."""
        columns = times_of(self.table.schema)
        if columns is None:
            return self
        windows = counted_in(columns, windows)
        parts = tuple(part for part in self.parts if touches(windows, *self.times(part)))
        return replace(self, parts=parts, conditions=(*self.conditions, inside(columns, windows)))

    def of_sources(self, source_ids: frozenset[str]) -> PartRows:
        """The rows of some sources."""
        parts = tuple(part for part in self.parts if not source_ids.isdisjoint(part.source_ids))
        listed = ", ".join(f"'{source_id}'" for source_id in sorted(source_ids)) or "NULL"
        return replace(self, parts=parts, conditions=(*self.conditions, f"source_id IN ({listed})"))

    def select(self, parts: Collection[Part] | None = None) -> str:
        """The SELECT that reads them, or those of them that are in some parts."""
        return self._select(self.ready(self.parts if parts is None else parts))

    def planned(self, stand_in: str) -> str:
        """A SELECT that is planned as that of the parts and cannot be run: an empty file replaces the parts."""
        return self._select([stand_in])

    def _select(self, files: Sequence[str]) -> str:
        schema = plain_schema(self.table)
        if not files:
            columns = ", ".join(f'CAST(NULL AS {type_given(f.type)}) AS "{f.name}"' for f in schema)
            return f"SELECT {columns} WHERE FALSE"
        text = scan(self.table.name, schema, files)
        holds = " AND ".join(f"({condition})" for condition in self.conditions)
        return f"SELECT * FROM ({text}) WHERE {holds}" if holds else text


def scan(name: str, schema: pa.Schema, files: Iterable[str]) -> str:
    """A SELECT that reads Parquet files as a table, or view, of some columns. In its plan columns have its name before them."""
    columns = ", ".join(
        f"'{f.name}': {{name: '{name}:{f.name}', type: '{type_given(f.type)}', default_value: NULL}}" for f in schema
    )
    return rf"SELECT COLUMNS('^\w+:(.*)$') AS '\1' FROM read_parquet({listed(files)}, schema = MAP {{{columns}}})"


def listed(files: Iterable[str]) -> str:
    """Paths as a list of SQL. DuckDB takes one with *, ? or [ for the file of this name if there is one, and may read no other that fits."""
    return f"[{', '.join(map(quoted, files))}]"


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def parts_needed(plan: str, tables: Mapping[str, PartRows]) -> dict[str, list[Part]]:
    """The parts of some tables that a question reads, by its plan (JSON) over what `planned` gives. The plan has the bounds that hold for the rows of a
    scan; what the ledger says of the times in a part tells whether it may have such rows."""
    found: dict[str, dict[str, Part]] = {name: {} for name in tables}
    for scan in _scans(json.loads(plan)):
        about = scan.get("extra_info", {})
        filters = _texts(about.get("Filters"))
        named = {name for text in [*filters, *_texts(about.get("Projections"))] for name, _ in _COLUMN.findall(text)}
        bounds = [bound for text in filters for each in _all_of(text) if (bound := _BOUND.fullmatch(each))]
        # A count of rows names no column.
        for name in named.intersection(tables) or tables:
            rows, known = tables[name], bounds if named else ()
            found[name] |= {part.path: part for part in rows.parts if _may_have(part, known, rows.bounds)}
    # In the order of the ledger.
    return {name: [part for part in rows.parts if part.path in found[name]] for name, rows in tables.items()}


def columns_needed(plan: str) -> set[tuple[str, str]]:
    """The columns that a question reads of what `scan` gives, by its plan (JSON), each with the name that it is read as."""
    about = [scan.get("extra_info", {}) for scan in _scans(json.loads(plan))]
    texts = [text for each in about for key in ("Filters", "Projections") for text in _texts(each.get(key))]
    return {found for text in texts for found in _COLUMN.findall(text)}


def _scans(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        waiting += node.get("children", [])
        if "PARQUET" in node["name"]:
            yield node


def _texts(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else value or []


def _all_of(condition: str) -> Iterator[str]:
    """What has to hold for a condition of a plan: the parts that AND joins.

    >>> [*_all_of("optional: ((a > 1) AND ((b = ' AND ') AND ((c > 2) OR (d > 3))))")]
    ['a > 1', "b = ' AND '", '(c > 2) OR (d > 3)']
    """
    text = condition.removeprefix("optional: ")
    depth, is_text, begin, parts, is_enclosed = 0, False, 0, [], text.startswith("(")
    for place, character in enumerate(text):
        is_text ^= character == "'"
        if not is_text:
            depth += (character == "(") - (character == ")")
            if depth == 0 and text.startswith(" AND ", place):
                parts.append(text[begin:place])
                begin = place + len(" AND ")
            is_enclosed &= depth > 0 or place == len(text) - 1
    if parts:
        for part in [*parts, text[begin:]]:
            yield from _all_of(part)
    elif is_enclosed:
        yield from _all_of(text[1:-1])
    else:
        yield text


def _may_have(part: Part, bounds: Iterable[re.Match[str]], fields: Mapping[str, tuple[str, str]]) -> bool:
    """Whether a part may have rows within bounds. What is NULL is within none."""
    for column, compares, time in (bound.groups() for bound in bounds):
        if column not in fields:
            continue
        at, known = dt.datetime.fromisoformat(time), [getattr(part, name) for name in fields[column]]
        first, last = (dt.datetime.fromisoformat(bound) if bound else at for bound in known)
        if compares in ("<", "<=", "=") and (first > at or (compares == "<" and first == at and known[0])):
            return False
        if compares in (">", ">=", "=") and (last < at or (compares == ">" and last == at and known[1])):
            return False
    return True
