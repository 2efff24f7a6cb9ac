"""Cells to values: all cells of a batch are cast together, reader by reader, and sorted by the column they go to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import polars as pl

from . import values
from .declaration import Column, Report, Table
from .frame import Frame
from .rejects import Rejects
from .sheets import BLANK, Place, Sheet, Target

EXPECTED = {
    "number": "a number, blank or N/A",
    "count": "a whole number, blank or N/A",
    "storage": "a number with K, M or G, blank or N/A",
    "clock": "a time as HHH.MM.SS.fraction with leading zero units left out",
    "bound": "<= and a time, or > and a time",
    "hours_minutes_seconds": "a time as hh.mm.ss",
    "text": "a text",
    "flag": "a text",
    "timestamp": "a date and time",
}


@dataclass(frozen=True)
class Values:
    """Values of one target, where they stand: line and panel of each, and either numbers (NaN for none) or strings."""

    line: np.ndarray
    panel: np.ndarray
    data: np.ndarray | pl.Series
    resolution: np.ndarray | None = None


@dataclass(frozen=True)
class Spread:
    """Cells that no column claims: line and value of each (NaN where it says why it is empty), and an index into
    `places`, which have the titles."""

    line: np.ndarray
    data: np.ndarray
    place: np.ndarray
    places: list[Place]


@dataclass
class _Queue:
    """Cells of one reader, sheet by sheet. `entry` numbers (place, target) pairs in `entries`."""

    cells: list[np.ndarray] = field(default_factory=list)
    line: list[np.ndarray] = field(default_factory=list)
    entry: list[np.ndarray] = field(default_factory=list)
    suspect: list[np.ndarray] = field(default_factory=list)


@dataclass(frozen=True)
class _Entry:
    place: Place
    target: Target
    column: Column
    unit: float


@dataclass
class Casting:
    """Takes sheets, then gives values by (table, column), spread cells by table, and the cells that say why they are empty
    as (table, column, lines, codes)."""

    report: Report
    frame: Frame
    rejects: Rejects
    values: dict[tuple[str, str], list[tuple[Target, Values]]] = field(default_factory=dict)
    spread: dict[str, Spread] = field(default_factory=dict)
    nulls: list[tuple[str, str, np.ndarray, np.ndarray]] = field(default_factory=list)
    _entries: list[_Entry] = field(default_factory=list)
    _queues: dict[str, _Queue] = field(default_factory=dict)
    _numbered: dict[tuple[tuple[Place, ...], float], list[tuple[str, int, int]]] = field(default_factory=dict)
    _texts: list[tuple[Sheet, int]] = field(default_factory=list)

    def take(self, sheets: Iterable[Sheet]) -> None:
        """Queue the cells of sheets."""
        for sheet in sheets:
            by_queue: dict[str, list[tuple[int, int]]] = {}
            for queue, place, entry in self._entries_of(sheet):
                by_queue.setdefault(queue, []).append((place, entry))
            for queue, pairs in by_queue.items():
                if queue == "text":
                    self._texts.extend((sheet, place) for place in dict.fromkeys(p for p, _ in pairs))
                    continue
                at = [p for p, _ in pairs]
                waiting = self._queues.setdefault(queue, _Queue())
                count = len(sheet.line)
                waiting.cells.append(sheet.cells[:, at].reshape(count * len(at), values.CELL_WIDTH))
                waiting.line.append(np.repeat(sheet.line, len(at)))
                waiting.entry.append(np.tile(np.array([e for _, e in pairs], dtype=np.int32), count))
                none = np.zeros(count * len(at), dtype=bool)
                waiting.suspect.append(none if sheet.suspect is None else sheet.suspect[:, at].ravel())

    def _entries_of(self, sheet: Sheet) -> list[tuple[str, int, int]]:
        """(queue, index of the place, number of the entry) for each place and target of a sheet."""
        key = (sheet.places, sheet.unit)
        known = self._numbered.get(key)
        if known is None:
            known = self._numbered[key] = []
            for k, place in enumerate(sheet.places):
                for target in place.targets or (self._spread_target(sheet),):
                    column = self._column(target)
                    reader = column.type.reader
                    is_text = bool(target.pattern) or reader in ("text", "flag")
                    queue = "text" if is_text else "number" if reader in ("count", "storage") else reader
                    known.append((queue, k, len(self._entries)))
                    self._entries.append(_Entry(place, target, column, sheet.unit))
        return known

    def _spread_target(self, sheet: Sheet) -> Target:
        kind = self.frame.grammar.names[self.frame.kind[sheet.line[0]]]
        table = next(t for t in self.report.tables if t.spread and kind in t.rows)
        assert table.spread is not None
        return Target(table.name, table.spread.value)

    def finish(self) -> Casting:
        """Cast everything that was taken."""
        self._cast_texts()
        for reader, queue in self._queues.items():
            self._cast(reader, queue)
        self._queues.clear()
        return self

    # --- texts, flags and parts of cells ---------------------------------------------------------------------------

    def _cast_texts(self) -> None:
        """Texts come from the lines themselves: any character, any width. Parts of cells are queued for their reader."""
        if not self._texts:
            return
        sizes = [len(sheet.line) for sheet, _ in self._texts]
        ends = np.cumsum(sizes)
        line = np.concatenate([sheet.line for sheet, _ in self._texts])
        places = [sheet.places[k] for sheet, k in self._texts]
        suspect = np.concatenate(
            [np.zeros(len(s.line), bool) if s.suspect is None else s.suspect[:, k] for s, k in self._texts]
        )
        panel = np.repeat([p.panel for p in places], sizes)
        strings = self._slice(
            line, np.repeat([p.start for p in places], sizes), np.repeat([p.end for p in places], sizes)
        )
        code = values.reasons(strings)
        code[suspect] = values.BLANK
        members: dict[Target, list[int]] = {}
        for k, place in enumerate(places):
            for target in place.targets:
                if target.pattern or self._column(target).type.reader in ("text", "flag"):
                    members.setdefault(target, []).append(k)
        unread = np.zeros(len(line), dtype=bool)
        owner: dict[int, Target] = {}
        for target, where in members.items():
            if target.pattern:
                for k in where:
                    here = slice(ends[k] - sizes[k], ends[k])
                    unread[here] |= self.frame.of_kind((target.line,))[line[here]] if target.line else True
                    owner.setdefault(k, target)
        for target, where in members.items():
            at = np.concatenate([np.arange(ends[k] - sizes[k], ends[k]) for k in where])
            if target.line:
                # Rows of several kinds stand below this heading; the target wants those of one kind.
                at = at[self.frame.of_kind((target.line,))[line[at]]]
            column = self._column(target)
            mine = strings.gather(at)
            if target.pattern:
                mine = mine.str.extract(target.pattern, 1)
                unread[at[mine.is_not_null().to_numpy()]] = False
            if column.type.reader in ("text", "flag"):
                self._keep_text(target, column, line[at], panel[at], mine, code[at], unread, at)
            elif target.pattern:
                entry = _Entry(Place(0, 0, (target,)), target, column, self._texts[where[0]][0].unit)
                self._queue_part(entry, line[at], panel[at], mine, suspect[at])
        if unread.any():
            codes = np.where(unread, code, values.OK)
            for k, target in owner.items():
                here = slice(ends[k] - sizes[k], ends[k])
                self._note(_Entry(places[k], target, self._column(target), 0), line[here], codes[here])

    def _column(self, target: Target) -> Column:
        return column_of(self.report.table(target.table), target.column)

    def _slice(self, line: np.ndarray, start: np.ndarray, end: np.ndarray) -> pl.Series:
        cells = pl.DataFrame({"line": self.frame.text.gather(line), "start": start, "length": end - start})
        return cells.select(
            pl.col("line").str.slice(pl.col("start"), pl.col("length")).str.strip_chars(" ")
        ).to_series()

    def _keep_text(self, target, column, line, panel, strings, code, unread, at) -> None:
        none = code != values.UNREADABLE
        stated = np.flatnonzero(none & (code > values.BLANK))
        if len(stated) and not target.pattern:
            self.nulls.append((target.table, target.column, line[stated], code[stated]))
        if column.type.reader == "flag":
            strings = strings.is_in(column.allowed)
            unread[at[strings.fill_null(False).to_numpy()]] = False
        self._keep(target, Values(line, panel, strings.set(pl.Series(none), None)))

    def _queue_part(
        self, entry: _Entry, line: np.ndarray, panel: np.ndarray, strings: pl.Series, suspect: np.ndarray
    ) -> None:
        reader = entry.column.type.reader
        queue = self._queues.setdefault("number" if reader in ("count", "storage") else reader, _Queue())
        numbers = {int(p): len(self._entries) + k for k, p in enumerate(np.unique(panel))}
        self._entries.extend(replace(entry, place=replace(entry.place, panel=p)) for p in numbers)
        queue.cells.append(as_cells(strings.set(pl.Series(suspect), None).fill_null("")))
        queue.line.append(line)
        queue.entry.append(np.array([numbers[int(p)] for p in panel], dtype=np.int32))
        queue.suspect.append(suspect)

    # --- numbers --------------------------------------------------------------------------------------------------

    def _cast(self, reader: str, queue: _Queue) -> None:
        cells, line = np.concatenate(queue.cells), np.concatenate(queue.line)
        entry, suspect = np.concatenate(queue.entry), np.concatenate(queue.suspect)
        queue.cells.clear()
        entries = self._entries
        scale = None
        if reader == "number":
            kinds = np.array([e.column.type.reader for e in entries])
            binary = (kinds == "storage")[entry]
            percent = np.array([e.column.type.unit.startswith("%") for e in entries])[entry]
            number, code, scale = values.numbers(cells, binary, percent)
            whole = (kinds != "number")[entry]
            code[whole & (code == values.OK) & (number != np.rint(number))] = values.UNREADABLE
        elif reader == "hours_minutes_seconds":
            number, code = values.hours_minutes_seconds(cells)
        else:
            unit = np.array([e.unit for e in entries])[entry]
            number, code = (values.clocks if reader == "clock" else values.bounds)(cells, unit)
        code[suspect] = values.BLANK
        number[code != values.OK] = np.nan
        self._note_all(entry, line, code)
        self._sort_out(entry, line, number, code, cells, scale)

    def _note_all(self, entry: np.ndarray, line: np.ndarray, code: np.ndarray) -> None:
        stated = np.flatnonzero(code > values.BLANK)
        order = stated[np.argsort(entry[stated], kind="stable")]
        for number, at in _groups(entry[order]):
            self._note(self._entries[number], line[order[at]], code[order[at]])

    def _sort_out(self, entry, line, number, code, cells, scale) -> None:
        """Keep the values of each target together; unclaimed cells go to the table that spreads them."""
        names: dict[Target | str, int] = {}
        keys = [names.setdefault(e.target if e.place.targets else e.target.table, len(names)) for e in self._entries]
        of_entry = np.array(keys, dtype=np.int32)
        panels = np.array([e.place.panel for e in self._entries])
        wanted = list(names)
        target_of = of_entry[entry].astype(np.int16)
        order = np.argsort(target_of, kind="stable")
        columns = {e.target: e.column for e in self._entries}
        for key, where in _groups(target_of[order]):
            at = order[where]
            target = wanted[key]
            if isinstance(target, str):
                at = at[code[at] != values.BLANK]
                self.spread[target] = Spread(line[at], number[at], entry[at], [e.place for e in self._entries])
                continue
            if target.line:
                at = at[self.frame.of_kind((target.line,))[line[at]]]
            resolution = None
            if columns[target].resolution and scale is not None:
                worth = values.last_digit(cells[at], scale[at])
                resolution = np.where(np.isnan(number[at]), np.nan, worth)
            self._keep(target, Values(line[at], panels[entry[at]], number[at], resolution))

    def _keep(self, target: Target, kept: Values) -> None:
        self.values.setdefault((target.table, target.column), []).append((target, kept))

    def _note(self, entry: _Entry, line: np.ndarray, code: np.ndarray) -> None:
        """cell_null for cells that say why they are empty, rejects for those that cannot be read."""
        stated = np.flatnonzero(code > values.BLANK)
        place, target = entry.place, entry.target
        if len(stated):
            self.nulls.append((target.table, target.column, line[stated], code[stated]))
        wrong = stated[code[stated] >= values.OVERFLOW]
        if not len(wrong):
            return
        cells = self.frame.cells[line[wrong], place.start : place.end or None]
        printed = values.texts(cells).to_list()
        title = target.column if place.targets else f"{target.column} under {' '.join([*place.groups, place.title])}"
        what = [
            f"{title}: the value did not fit its field" if o else f"{title}: {p!r} cannot be read"
            for o, p in zip(code[wrong] == values.OVERFLOW, printed, strict=True)
        ]
        at = place.start + (cells != BLANK).argmax(axis=1)
        self.rejects.add(self.frame, line[wrong], at, what, [EXPECTED[entry.column.type.reader]] * len(wrong))


def _groups(keys: np.ndarray) -> Iterable[tuple[int, slice]]:
    """(key, slice) for each run of equal keys in a sorted array."""
    if not len(keys):
        return
    starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    for start, end in zip(starts, np.append(starts[1:], len(keys)), strict=True):
        yield int(keys[start]), slice(int(start), int(end))


@cache
def column_of(table: Table, name: str) -> Column:
    return table.column(name)


def as_cells(strings: pl.Series) -> np.ndarray:
    """Strings as a byte matrix of right-aligned cells."""
    if not len(strings):
        return np.zeros((0, values.CELL_WIDTH), dtype=np.uint8)
    plain = (
        strings.str.replace_all(r"[^\x00-\x7f]", "?").str.slice(0, values.CELL_WIDTH).str.pad_start(values.CELL_WIDTH)
    )
    array = plain.to_arrow(compat_level=pl.CompatLevel.oldest())
    data = np.frombuffer(array.buffers()[2], np.uint8, count=len(strings) * values.CELL_WIDTH)
    return data.reshape(len(strings), values.CELL_WIDTH)
