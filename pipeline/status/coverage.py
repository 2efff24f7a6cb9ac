"""Which intervals of which report, sysplex and system a lake has.

The same intervals, days and gaps as the view `report_coverage`, but only the columns of places and times are read, part by part: a
lake of ten million rows is to answer within a second.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..declaration.report import Report, Table, reports
from ..errors import IronlakeError
from ..lake.footers import too_large
from ..lake.parts import REPAIR_HINT, PartStore
from ..lake.state import Part, State

# A part below this size is read at once.
_SMALL_BYTES = 1 << 20
_SMALL_TOGETHER = 32
DAY_US = 86_400_000_000
_Texts = tuple[str | None, ...]
_HOUR_US, _SECOND_US = 3_600_000_000, 1_000_000
_OFFSET = "utc_offset_minutes"
# Intervals end a little off the clock.
_OFF_US = 2_000_000


class Place(NamedTuple):
    """What intervals belong to. `system` is the region in CICS reports and the member in Db2 reports."""

    report: str
    sysplex: str | None
    system: str | None
    kind: str | None


@dataclass(frozen=True)
class _Columns:
    """Where the rows of a table have their place and their times; `length` is in seconds, where no start is printed."""

    report: str
    sysplex: str | None
    systems: tuple[str, ...]
    kind: str | None
    start: str | None
    end: str
    length: str | None = None

    @property
    def texts(self) -> list[str]:
        return [name for name in (self.sysplex, self.kind, *self.systems) if name]

    @property
    def numbers(self) -> list[str]:
        return [name for name in (self.start, self.end, self.length) if name]


class _Clock(NamedTuple):
    """What rows say of their clock, by their texts: the hours that a file prints again, and the hours with each offset that is known."""

    set_back: set[tuple[_Texts, int]]
    offsets: set[tuple[_Texts, int, int]]


class ScopeBeside(NamedTuple):
    """Pages of some systems beside pages of these and more in the same time, of which the classes count (class_of_wider_scope)."""

    sysplex: str | None
    scope: str
    counted_scope: str
    intervals: int


@dataclass(frozen=True)
class Intervals:
    """Distinct intervals, sorted by place and time: `place` is an index in `places`; times are microseconds since 1970, local time.
    `set_back`: the hours that a file prints again of a place, as where the clock was set back: nobody knows of which of the two a value is."""

    places: list[Place]
    place: np.ndarray
    start: np.ndarray
    end: np.ndarray
    set_back: frozenset[tuple[Place, int]] = frozenset()
    scopes: list[ScopeBeside] = field(default_factory=list)

    @classmethod
    def none(cls) -> Intervals:
        none = np.zeros(0, np.int64)
        return cls([], none, none, none)

    @property
    def day(self) -> np.ndarray:
        """The day that each begins on, in days since 1970."""
        return self.start // DAY_US


@cache
def tables_read() -> dict[str, _Columns]:
    """The tables that are read, by name."""
    covering = ((report, table) for report in reports().values() for table in report.tables if table.covers)
    return {table.name: at for report, table in covering if (at := _columns(report, table))}


def _columns(report: Report, table: Table) -> _Columns | None:
    names = {column.name for column in table.columns}

    def first(*wanted: str) -> str | None:
        return next((name for name in wanted if name in names), None)

    start, end, length = first("interval_start", "begin_at"), first("interval_end", "end_at"), None
    if not (start and end):
        start, end, length = None, first("collected_at"), first("interval_s")
    systems = tuple(name for name in report.systems if name in names)
    systems = systems[:1] if systems[:1] != ("member",) else systems
    return (
        _Columns(report.name, first("sysplex"), systems, first("report_kind", "collection"), start, end, length)
        if end
        else None
    )


def read_intervals(store: PartStore, state: State) -> Intervals:
    """The intervals of a lake. Raises IronlakeError for a part that cannot be read."""
    wanted = tables_read()
    known: dict[Place, int] = {}
    blocks: list[_Block] = []
    set_back: set[tuple[Place, int]] = set()
    offsets: dict[tuple[str | None, int], set[int]] = {}
    of_scope: dict[tuple[str | None, str], list[np.ndarray]] = {}
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        found = pool.map(lambda task: _of_parts(store, wanted[task[0].table], task), _tasks(state, wanted))
        for columns, labels, code, start, end, clock in found:
            set_back |= {(place, hour) for texts, hour in clock.set_back for place in _places(columns, texts)}
            for texts, hour, offset in clock.offsets:
                for place in _places(columns, texts):
                    offsets.setdefault((place.system or place.sysplex, hour), set()).add(offset)
            for number, texts in enumerate(labels):
                mine = code == number
                if columns.systems == ("scope",) and "interval" in texts and texts[-1]:
                    of_scope.setdefault((texts[0], texts[-1]), []).append(np.stack((start[mine], end[mine])))
                for place in _places(columns, texts):
                    at = np.full(int(mine.sum()), known.setdefault(place, len(known)), np.int32)
                    blocks.append((at, start[mine], end[mine]))
    if not blocks:
        return Intervals.none()
    once = _once(*_without_lesser(list(known), *_joined(blocks)))
    twins = _hours_with_twins(once)
    set_back |= {(at, hour) for at, hour in twins if len(offsets.get((at.system or at.sysplex, hour), ())) < 2}
    return replace(once, set_back=frozenset(set_back), scopes=[*_beside(of_scope)])


def _tasks(state: State, wanted: dict[str, _Columns]) -> Iterator[list[Part]]:
    """Parts of one table that are read together: a large one, or several small ones."""
    small: dict[str, list[Part]] = {}
    for part in state.parts.values():
        if part.table not in wanted:
            continue
        if part.bytes > _SMALL_BYTES:
            yield [part]
            continue
        some = small.setdefault(part.table, [])
        some.append(part)
        if len(some) == _SMALL_TOGETHER:
            yield small.pop(part.table)
    yield from small.values()


_Block = tuple[np.ndarray, np.ndarray, np.ndarray]


def _joined(blocks: Sequence[_Block]) -> _Block:
    first, second, third = (np.concatenate(of_all) for of_all in zip(*blocks, strict=True))
    return first, second, third


def _of_parts(
    store: PartStore, columns: _Columns, parts: list[Part]
) -> tuple[_Columns, list[_Texts], np.ndarray, np.ndarray, np.ndarray, _Clock]:
    """The distinct intervals of parts of one table: their texts, and of each interval the number of its texts, start and end."""
    names = [*columns.texts, *columns.numbers, "source_id", _OFFSET]
    clock = _Clock(set(), set())
    numbers: dict[_Texts, int] = {}
    blocks: list[_Block] = []
    groups = (rows for part in parts for rows in _rows(store, part, names))
    # Few rows are not worth a look of their own.
    for rows in groups if len(parts) == 1 else [pa.concat_tables(groups, promote_options="permissive")]:
        texts, code, start, end = _distinct(rows, columns, clock)
        found = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int32)
        blocks.append((found[code], start, end))
    nothing = np.zeros(0, np.int64)
    code, start, end = _joined(blocks) if blocks else (nothing, nothing, nothing)
    return columns, list(numbers), code, start, end, clock


def _rows(store: PartStore, part: Part, names: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of a part, one row group at a time."""
    try:
        with store.open(part.path) as stream:
            source: Any = pa.py_buffer(stream.read()) if part.bytes <= _SMALL_BYTES else stream
            with pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False) as file:
                if file.metadata.num_rows != part.rows or too_large(file.metadata, part.bytes):
                    raise pa.ArrowInvalid("is not as the ledger says")
                there = set(file.schema_arrow.names)
                for group in range(file.num_row_groups):
                    yield file.read_row_group(group, [n for n in names if n in there], use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise IronlakeError(f"{store.files.root / part.path} cannot be read: {error}", hint=REPAIR_HINT) from None


def _distinct(
    rows: pa.Table, columns: _Columns, clock: _Clock
) -> tuple[list[tuple[str | None, ...]], np.ndarray, np.ndarray, np.ndarray]:
    """The distinct texts of some rows, and of each distinct interval the number of its texts, start and end; adds to what is known of their clock."""
    code = np.zeros(rows.num_rows, np.int64)
    dictionaries: list[list[str | None]] = []
    for name in columns.texts:
        if name not in rows.column_names:
            dictionaries.append([None])
            continue
        coded, words = _coded(rows[name])
        code = code * len(words) + coded
        dictionaries.append(words)
    start, end, is_known = _times(rows, columns)
    # Rows of a page have one interval: most go here, before anything is sorted.
    is_first = np.ones(len(code), bool)
    is_first[1:] = (code[1:] != code[:-1]) | (start[1:] != start[:-1]) | (end[1:] != end[:-1])
    keep = is_first & is_known
    code, start, end = code[keep], start[keep], end[keep]
    source = _coded(rows["source_id"])[0][keep]
    is_back = (code[1:] == code[:-1]) & (source[1:] == source[:-1])
    is_back &= np.abs(end[:-1] - start[1:] - _HOUR_US) <= _OFF_US
    # Not a longer interval that is printed behind the shorter ones of its time.
    is_back &= np.abs((end - start)[1:] - (end - start)[:-1]) <= _OFF_US
    hour = start // _HOUR_US * _HOUR_US
    back = set(zip(code[1:][is_back].tolist(), hour[1:][is_back].tolist(), strict=True))
    clock.set_back.update((_texts_of(number, dictionaries), at) for number, at in back)
    if _OFFSET in rows.column_names and rows[_OFFSET].null_count < rows.num_rows:
        offset, has_offset = (of_rows[keep] for of_rows in _whole_numbers(rows[_OFFSET]))
        known = np.unique(np.stack((code, hour, offset), axis=1)[has_offset], axis=0).tolist()
        clock.offsets.update((_texts_of(number, dictionaries), at, minutes) for number, at, minutes in known)
    order = np.lexsort((end, start, code))
    code, start, end = code[order], start[order], end[order]
    keep = changes(code, start, end)
    used, code = np.unique(code[keep], return_inverse=True)
    return [_texts_of(number, dictionaries) for number in used.tolist()], code, start[keep], end[keep]


def _texts_of(code: int, dictionaries: Sequence[list[str | None]]) -> tuple[str | None, ...]:
    found = []
    for words in reversed(dictionaries):
        code, number = divmod(code, len(words))
        found.append(words[number])
    return tuple(reversed(found))


def _coded(column: pa.ChunkedArray) -> tuple[np.ndarray, list[str | None]]:
    """A column of texts as numbers, and the text of each number; the last is that of NULL."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries().combine_chunks()
    words = whole.dictionary.to_pylist()
    codes = whole.indices.fill_null(len(words)) if whole.null_count else whole.indices
    return codes.to_numpy(zero_copy_only=False).astype(np.int64), [*words, None]


def _times(rows: pa.Table, columns: _Columns) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Start, end, and whether both are known."""
    end, has_end = _microseconds(rows, columns.end)
    if columns.start:
        start, has_start = _microseconds(rows, columns.start)
        return start, end, has_start & has_end
    length = np.zeros(len(end))
    if columns.length and columns.length in rows.column_names:
        length = rows[columns.length].cast(pa.float64()).fill_null(0).to_numpy()
    return end - np.rint(length * 1000).astype(np.int64) * 1000, end, has_end


def _microseconds(rows: pa.Table, name: str) -> tuple[np.ndarray, np.ndarray]:
    if name not in rows.column_names:
        return np.zeros(rows.num_rows, np.int64), np.zeros(rows.num_rows, bool)
    return _whole_numbers(rows[name].cast(pa.timestamp("us")))


def _whole_numbers(values: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    column = values.cast(pa.int64()).combine_chunks()
    return column.fill_null(0).to_numpy(zero_copy_only=False), column.is_valid().to_numpy(zero_copy_only=False)


def _places(columns: _Columns, texts: _Texts) -> Iterator[Place]:
    """The places that the texts of a row name: a page of several systems covers each of them."""
    by_name = dict(zip(columns.texts, texts, strict=True))
    system = next((by_name[name] for name in columns.systems if by_name[name]), None)
    systems = system.split(",") if system and columns.systems == ("scope",) else [system]
    for name in systems:
        yield Place(columns.report, by_name.get(columns.sysplex or ""), name, by_name.get(columns.kind or ""))


def _hours_with_twins(of: Intervals) -> set[tuple[Place, int]]:
    """The places and hours with intervals that begin at once and end within a second, but are not prints of one, if those around them have none
    (pipeline/sql/repeated_hours.py)."""
    is_twin = (
        (of.place[1:] == of.place[:-1]) & (of.start[1:] == of.start[:-1]) & (of.end[1:] - of.end[:-1] < _SECOND_US)
    )
    is_of_rmf = np.array([at.kind == "interval" for at in of.places], bool)[of.place[1:][is_twin]]
    place, hour = of.place[1:][is_twin][is_of_rmf], of.start[1:][is_twin][is_of_rmf] // _HOUR_US * _HOUR_US
    found = set(zip(place.tolist(), hour.tolist(), strict=True))
    alone = {(at, hour) for at, hour in found if not found & {(at, hour - _HOUR_US), (at, hour + _HOUR_US)}}
    return {(of.places[at], hour) for at, hour in alone}


def _beside(of_scope: dict[tuple[str | None, str], list[np.ndarray]]) -> Iterator[ScopeBeside]:
    """The scopes with intervals in the middle of which there is a page of a scope that has all their systems and more."""
    times = {key: np.unique(np.concatenate(some, axis=1), axis=1) for key, some in of_scope.items()}
    for (sysplex, scope), (start, end) in sorted(times.items(), key=lambda item: (item[0][0] or "", item[0][1])):
        middle, is_beside = (start + end) // 2, np.zeros(len(start), bool)
        counted = ""
        systems = set(scope.split(","))
        for (other, wider), (wider_start, wider_end) in times.items():
            if other == sysplex and systems < set(wider.split(",")):
                at = np.searchsorted(wider_start, middle, side="right") - 1
                found = (at >= 0) & (middle < wider_end[at])
                if found.any():
                    is_beside |= found
                    counted = max(counted, wider, key=lambda name: (name.count(",") * bool(name), name))
        if counted:
            yield ScopeBeside(sysplex, scope, counted, int(is_beside.sum()))


def _without_lesser(places: list[Place], place: np.ndarray, start: np.ndarray, end: np.ndarray) -> Any:
    """The intervals without those of pages that name no system, where another page of the same interval names one."""
    keep = np.ones(len(place), bool)
    for number, at in enumerate(places):
        others = [k for k, p in enumerate(places) if p.system and p == at._replace(system=p.system)]
        if at.system is None and others:
            nameless, named = place == number, np.isin(place, others)
            keep &= ~(nameless & np.isin(start, start[named]))
    return places, place[keep], start[keep], end[keep]


def _once(places: list[Place], place: np.ndarray, start: np.ndarray, end: np.ndarray) -> Intervals:
    """Each interval once, by place in the order of their names."""
    names = sorted(range(len(places)), key=lambda k: [(word is not None, word or "") for word in places[k]])
    rank = np.empty(len(places), np.int64)
    rank[names] = np.arange(len(places))
    place = rank[place]
    order = np.lexsort((end, start, place))
    place, start, end = place[order], start[order], end[order]
    keep = changes(place, start, end)
    return Intervals([places[k] for k in names], place[keep], start[keep], end[keep])


def changes(*columns: np.ndarray) -> np.ndarray:
    """Where any column differs from the row before."""
    found = np.zeros(len(columns[0]), bool)
    found[:1] = True
    for column in columns:
        found[1:] |= column[1:] != column[:-1]
    return found
