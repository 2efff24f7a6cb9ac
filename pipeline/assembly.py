"""Cells find their rows: the tables of one report, built column by column."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from . import bookkeeping, values
from .cutting import Cut, Target, cut_block, cut_columns, rows_of, strings_of
from .declaration import Column, Constant, Field, From, Gathered, Heading, Reading, Report, Table
from .errors import Unreadable
from .frame import Frame
from .options import Options
from .rejects import Rejects
from .segments import Segment

_EXPECTED = {
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
class _Cells:
    """Cells of one target under one heading, waiting to be cast with all others: bytes, or strings where a pattern
    picked a part of the cell."""

    cut: Cut
    target: Target
    column: Column
    cells: np.ndarray


@dataclass
class _Rows:
    """The rows of a table: line and panel of each, and the row of each line (-1: none; without panels only)."""

    line: np.ndarray
    panel: np.ndarray
    at: np.ndarray | None


@dataclass
class TableBuilder:
    """Builds the tables of one report from its frame. `row_lines` tells the line that each row built begins on."""

    report: Report
    frame: Frame
    options: Options
    segments: Sequence[Segment]
    rejects: Rejects
    row_lines: dict[str, np.ndarray] = field(default_factory=dict)
    _values: dict[tuple[str, str], list[tuple[Target, Values]]] = field(default_factory=dict)
    _spread: list[tuple[Cut, np.ndarray]] = field(default_factory=list)
    _extents: list[tuple[np.ndarray, int, int]] = field(default_factory=list)
    _panelled: dict[tuple[str, ...], list[tuple[np.ndarray, int]]] = field(default_factory=dict)
    _nulls: list[tuple[str, str, np.ndarray, np.ndarray]] = field(default_factory=list)
    _read: dict[tuple[Reading, tuple[str | None, ...]], dict[str, Any]] = field(default_factory=dict)
    _of_rows: dict[tuple[Reading, int], tuple[np.ndarray, list[dict[str, Any]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tables = {t.name: t for t in self.report.tables}
        numbers: list[_Cells] = []
        strings: list[_Cells] = []
        for heading in self.report.headings:
            cutter = cut_block if heading.style == "block" else cut_columns
            for cut in cutter(self.frame, heading, self.rejects):
                if heading.panels:
                    self._note_panel(heading.rows, cut)
                for cells in self._targets(cut, heading):
                    is_text = cells.target.pattern or cells.column.type.reader in ("text", "flag")
                    (strings if is_text else numbers).append(cells)
        numbers.extend(self._take_strings(strings))
        self._cast(numbers)

    # --- cells to values ------------------------------------------------------------------------------------------

    def _note_panel(self, rows: tuple[str, ...], cut: Cut) -> None:
        filled = (cut.cells != ord(" ")).any(axis=1)
        self._panelled.setdefault(rows, []).append((cut.line[filled], cut.panel))
        self._extents.append((cut.line, cut.panel, cut.start))

    def _targets(self, cut: Cut, heading: Heading) -> Iterator[_Cells]:
        """The cells of a cut once for each of its targets; cells without one go to the table that spreads them."""
        if not cut.targets:
            table = next(t for t in self.report.tables if t.spread and set(t.rows) & set(heading.rows))
            target = Target(table.name, _value_name(table))
            yield _Cells(cut, target, _column_of(table, target.column), cut.cells)
        for target in cut.targets:
            part = cut
            if target.line:
                # Rows of several kinds stand below this heading; the target wants those of one kind.
                here = self.frame.of_kind((target.line,))[cut.line]
                part = cut if here.all() else _part(cut, here)
            yield _Cells(part, target, _column_of(self._tables[target.table], target.column), part.cells)

    def _take_strings(self, group: list[_Cells]) -> list[_Cells]:
        """Keep texts and flags; return the parts of cells that are still to be cast, one entry a target."""
        if not group:
            return []
        sizes = np.array([len(c.cut.line) for c in group])
        ends = np.cumsum(sizes)
        strings = strings_of(self.frame, [c.cut for c in group])
        line = np.concatenate([c.cut.line for c in group])
        panel = np.repeat([c.cut.panel for c in group], sizes)
        suspect = np.concatenate(
            [np.zeros(len(c.cut.line), bool) if c.cut.suspect is None else c.cut.suspect for c in group]
        )
        code = values.reasons(strings)
        code[suspect] = values.BLANK
        unread = np.ones(len(line), dtype=bool)
        by_target: dict[Target, list[int]] = {}
        for k, cells in enumerate(group):
            by_target.setdefault(cells.target, []).append(k)
        shared: dict[tuple[int, int], list[int]] = {}
        parts: list[_Cells] = []
        for target, members in by_target.items():
            column = group[members[0]].column
            at = np.concatenate([np.arange(ends[k] - sizes[k], ends[k]) for k in members])
            mine, codes = strings.gather(at), code[at]
            if target.pattern:
                mine = mine.str.extract(target.pattern, 1)
                unread[at[mine.is_not_null().to_numpy()]] = False
            none = codes != values.UNREADABLE
            if column.type.reader in ("text", "flag"):
                stated = np.flatnonzero(none & (codes > values.BLANK))
                if len(stated) and not target.pattern:
                    self._nulls.append((target.table, target.column, line[at[stated]], codes[stated]))
                kept = mine.is_in(column.allowed) if column.type.reader == "flag" else mine
                self._keep(target, Values(line[at], panel[at], kept.set(pl.Series(none), None)))
                if column.type.reader == "flag":
                    unread[at[mine.is_in(column.allowed).to_numpy()]] = False
            else:
                picked = mine.set(pl.Series(suspect[at]), None).fill_null("")
                cut = Cut(line[at], 0, 0, 0, np.zeros(0), (target,), group[members[0]].cut.unit)
                parts.append(_Cells(_Joined.of(cut, panel[at]), target, column, _as_cells(picked)))
            if target.pattern:
                for k in members:
                    shared.setdefault((id(group[k].cut.cells), group[k].cut.panel), []).append(k)
        self._unread_parts(group, shared, strings, code, unread, ends, sizes)
        return parts

    def _unread_parts(self, group, shared, strings, code, unread, ends, sizes) -> None:
        """Cells that several columns share, each picking its part: one that none could read is NULL with a reason, or a
        reject. Any flag that reads the cell counts."""
        same_cell: dict[tuple[int, int], list[int]] = {}
        for k, cells in enumerate(group):
            same_cell.setdefault((id(cells.cut.cells), cells.cut.panel), []).append(k)
        for key, members in shared.items():
            readers = same_cell[key]
            missed = np.logical_and.reduce([unread[ends[k] - sizes[k] : ends[k]] for k in readers])
            first = group[members[0]]
            codes = np.where(missed, code[ends[members[0]] - sizes[members[0]] : ends[members[0]]], values.OK)
            self._note_codes(first, codes.astype(np.uint8))

    def _note_codes(self, cells: _Cells, code: np.ndarray) -> None:
        """cell_null for cells that say why they are empty, rejects for those that cannot be read."""
        cut, target = cells.cut, cells.target
        if cut.suspect is not None:
            code = np.where(cut.suspect, values.BLANK, code)
        stated = np.flatnonzero(code > values.BLANK)
        if not len(stated):
            return
        self._nulls.append((target.table, target.column, cut.line[stated], code[stated]))
        wrong = stated[code[stated] >= values.OVERFLOW]
        if not len(wrong):
            return
        if cut.end > cut.start:
            printed_cells = self.frame.cells[cut.line[wrong], cut.start : cut.end]
            at = cut.start + (printed_cells != ord(" ")).argmax(axis=1)
        else:
            printed_cells = cells.cells[wrong]
            at = np.zeros(len(wrong), dtype=np.int64)
        printed = values.texts(printed_cells).to_list()
        over = code[wrong] == values.OVERFLOW
        title = target.column if cut.targets else f"{target.column} under {' '.join([*cut.groups, cut.title])}"
        what = [
            f"{title}: the value did not fit its field" if o else f"{title}: {p!r} cannot be read"
            for o, p in zip(over, printed, strict=True)
        ]
        self.rejects.add(self.frame, cut.line[wrong], at, what, [_EXPECTED[cells.column.type.reader]] * len(wrong))

    def _keep(self, target: Target, kept: Values) -> None:
        self._values.setdefault((target.table, target.column), []).append((target, kept))

    def _cast(self, pending: list[_Cells]) -> None:
        """Cast all cells, those of one reader together, and keep them, those of one target together."""
        by_reader: dict[str, list[_Cells]] = {}
        for one in pending:
            reader = one.column.type.reader
            by_reader.setdefault("number" if reader in ("count", "storage") else reader, []).append(one)
        for reader, group in by_reader.items():
            group.sort(key=lambda c: (c.target.table, c.target.column, c.target.pattern))
            self._cast_group(reader, group)

    def _cast_group(self, reader: str, group: list[_Cells]) -> None:
        sizes = [len(c.cells) for c in group]
        cells = np.concatenate([c.cells for c in group])
        scale = None
        if reader == "number":
            binary = np.repeat([c.column.type.reader == "storage" for c in group], sizes)
            percent = np.repeat([c.column.type.unit.startswith("%") for c in group], sizes)
            number, code, scale = values.numbers(cells, binary, percent)
            whole = np.repeat([c.column.type.reader in ("count", "storage") for c in group], sizes)
            code[whole & (code == values.OK) & (number != np.rint(number))] = values.UNREADABLE
        elif reader == "hours_minutes_seconds":
            number, code = values.hours_minutes_seconds(cells)
        else:
            unit = np.repeat([c.cut.unit for c in group], sizes)
            number, code = (values.clocks if reader == "clock" else values.bounds)(cells, unit)
        number[code != values.OK] = np.nan
        ends = np.cumsum(sizes)
        first = 0
        for k, one in enumerate(group):
            here = slice(ends[k] - sizes[k], ends[k])
            if (code[here] > values.BLANK).any():
                self._note_codes(one, code[here])
            if one.cut.suspect is not None:
                number[here][one.cut.suspect] = np.nan
                code[here][one.cut.suspect] = values.BLANK
            if not one.cut.targets:
                self._spread.append((one.cut, np.where(code[here] == values.BLANK, np.inf, number[here])))
            if k + 1 < len(group) and group[k + 1].target == one.target:
                continue
            if one.cut.targets:
                same = group[first : k + 1]
                mine = slice(ends[first] - sizes[first], ends[k])
                resolution = None
                if one.column.resolution and scale is not None:
                    resolution = np.where(np.isnan(number[mine]), np.nan, values.last_digit(cells[mine], scale[mine]))
                line = np.concatenate([c.cut.line for c in same])
                panel = np.concatenate([_panels(c.cut) for c in same])
                self._keep(one.target, Values(line, panel, number[mine], resolution))
            first = k + 1

    # --- values to rows -------------------------------------------------------------------------------------------

    def build(self, table: Table) -> pa.Table:
        """The table's rows in the order of the pages. Rows that lack what they must have become rejects."""
        rows = self._rows(table)
        if not len(rows.line):
            self.row_lines[table.name] = rows.line
            return table.schema.empty_table()
        spread = self._spread_rows(table, rows) if table.spread else None
        arrays: dict[str, pa.Array] = {}
        for column in table.columns:
            if spread is not None and column.name in spread.columns:
                arrays[column.name] = spread.columns[column.name]
                continue
            array, resolution = self._array(table, column, rows)
            arrays[column.name] = array if spread is None else array.take(spread.row)
            if column.resolution:
                arrays[f"{column.name}_resolution"] = resolution
        lines = rows.line if spread is None else rows.line[spread.row.to_numpy()]
        arrays |= self._provenance(lines)
        schema = table.schema
        keep = self._complete(table, arrays, lines)
        made = pa.Table.from_arrays([arrays[f.name] for f in schema], schema=schema.with_metadata(schema.metadata))
        self.row_lines[table.name] = lines if keep is None else lines[keep]
        return made if keep is None else made.filter(pa.array(keep))

    def _rows(self, table: Table) -> _Rows:
        panelled = self._panelled.get(table.rows)
        if panelled is not None:
            most = max(p for _, p in panelled) + 1
            key = np.unique(np.concatenate([line * most + panel for line, panel in panelled]))
            return _Rows(key // most, key % most, None)
        line = rows_of(table, self.frame)
        at = np.full(len(self.frame.kind), -1, dtype=np.int64)
        at[line] = np.arange(len(line))
        return _Rows(line, np.zeros(len(line), dtype=np.int64), at)

    def _row_of(self, rows: _Rows, table: Table, target: Target, kept: Values) -> np.ndarray:
        """Row of each value, -1 for none: the row of its own line, or of the nearest row above in the same section."""
        if rows.at is None:
            most = int(rows.panel.max(initial=0)) + 1
            key = rows.line * most + rows.panel
            wanted = kept.line * most + kept.panel
            at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
            return np.where(key[at] == wanted, at, -1) if len(key) else np.full(len(wanted), -1)
        own = rows.at[kept.line]
        if target.reach == "below" or not len(own) or (own < 0).any():
            above = self._anchor(table, kept.line)
            own = np.where(own < 0, np.where(above >= 0, rows.at[np.maximum(above, 0)], -1), own)
        return own

    def _anchor(self, table: Table, lines: np.ndarray) -> np.ndarray:
        found = self.frame.nearest(table.rows)[lines]
        at = np.maximum(found, 0)
        frame = self.frame
        same = (frame.unit[at] == frame.unit[lines]) | (
            (frame.owner[at] == frame.owner[lines]) & (frame.owner[lines] >= 0)
        )
        return np.where((found >= 0) & same, found, -1)

    def _array(self, table: Table, column: Column, rows: _Rows) -> tuple[pa.Array, pa.Array | None]:
        """The column's values over all rows; of several places the first with a value serves."""
        count = len(rows.line)
        if column.type.reader in ("text", "flag"):
            return self._text_array(table, column, rows), None
        if column.type.reader == "timestamp":
            for place in column.places:
                if isinstance(place, From):
                    return self._reading_array(place, column, rows), None
            return pa.nulls(count, column.type.arrow), None
        data = np.full(count, np.nan)
        resolution = np.full(count, np.nan) if column.resolution else None
        for target, kept in self._values.get((table.name, column.name), ()):
            if target.reach == "above":
                at_line = np.full(len(self.frame.kind), np.nan)
                at_line[kept.line] = kept.data
                found = self.frame.above(rows.line, target.line)
                data = np.where(np.isnan(data) & (found >= 0), at_line[np.maximum(found, 0)], data)
                continue
            row = self._row_of(rows, table, target, kept)
            good = (row >= 0) & ~np.isnan(np.asarray(kept.data))
            data[row[good]] = np.asarray(kept.data)[good]
            if resolution is not None and kept.resolution is not None:
                resolution[row[good]] = kept.resolution[good]
        for place in column.places:
            if isinstance(place, Field):
                data = np.where(np.isnan(data), self._field_numbers(place, table, column, rows), data)
            elif isinstance(place, Constant):
                data = np.where(np.isnan(data) & self._on(place, rows), place.value, data)
            elif isinstance(place, From):
                data = np.where(np.isnan(data), self._reading_numbers(place, column, rows), data)
        made = _numbers(data, column.type.arrow)
        return made, None if resolution is None else _numbers(resolution, pa.float64())

    def _on(self, place: Constant, rows: _Rows) -> np.ndarray:
        return self.frame.of_kind(place.lines)[rows.line] if place.lines else np.ones(len(rows.line), dtype=bool)

    def _text_array(self, table: Table, column: Column, rows: _Rows) -> pa.Array:
        count = len(rows.line)
        words: dict[Any, int] = {}
        ids = np.full(count, -1, dtype=np.int32)

        def put(row: np.ndarray, which: np.ndarray, found: Sequence[Any]) -> None:
            """Rows without a value yet get found[which] (which < 0: none)."""
            numbered = np.array(
                [words.setdefault(w, len(words)) if w is not None else -1 for w in found] + [-1], dtype=np.int32
            )
            good = (row >= 0) & (which >= 0)
            good[good] = ids[row[good]] < 0
            ids[row[good]] = numbered[which[good]]

        for target, kept in self._values.get((table.name, column.name), ()):
            which, found = _distinct(kept.data)
            if target.reach == "above":
                at_line = np.full(len(self.frame.kind), -1, dtype=np.int64)
                at_line[kept.line] = which
                above = self.frame.above(rows.line, target.line)
                put(np.arange(count), np.where(above >= 0, at_line[np.maximum(above, 0)], -1), found)
            else:
                put(self._row_of(rows, table, target, kept), which, found)
        for place in column.places:
            if isinstance(place, Field):
                which, found = self._field_texts(place, table, rows)
                put(np.arange(count), which, found)
            elif isinstance(place, From):
                which, found = self._reading(place, column, rows)
                put(np.arange(count), which, found)
            elif isinstance(place, Constant):
                is_flag = column.type.reader == "flag" and column.allowed
                value = place.value in column.allowed if is_flag else place.value
                put(np.arange(count), np.where(self._on(place, rows), 0, -1), [value])
        if column.type.reader == "flag":
            truth = np.array([bool(w) for w in words] + [False])
            return pa.array(truth[ids], mask=ids < 0)
        return pa.DictionaryArray.from_arrays(
            pa.array(ids, mask=ids < 0), pa.array([str(w) for w in words], pa.string())
        )

    def _field_texts(self, place: Field, table: Table, rows: _Rows) -> tuple[np.ndarray, list[Any]]:
        """An index per row into distinct texts of the field (-1: none), and these."""
        if place.panel:
            return self._panel_texts(place, rows)
        ids, lines = self.frame.text_ids((place.line,))
        parts = pl.Series(lines, dtype=pl.String).str.extract(place.pattern, 1).to_list()
        if place.follows:
            where = np.flatnonzero(ids >= 0)
            anchor = self._anchor(table, where)
            which = np.full(len(rows.line), -1, dtype=np.int64)
            if rows.at is not None:
                good = anchor >= 0
                which[rows.at[anchor[good]]] = ids[where[good]]
            return which, parts
        above = self.frame.above(rows.line, place.line)
        return np.where(above >= 0, ids[np.maximum(above, 0)], -1), parts

    def _panel_texts(self, place: Field, rows: _Rows) -> tuple[np.ndarray, list[Any]]:
        """The field on the row's own panel of a line in the row's heading."""
        heading = next(h for h in self.report.headings if place.line in h.above)
        kinds = (*heading.lines, *heading.above)
        frame = self.frame
        found = frame.above(rows.line, place.line)
        # The line must stand in the same run of heading lines as the nearest title line.
        title = frame.nearest(heading.lines)[rows.line]
        member = np.cumsum(~frame.of_kind(kinds) & (frame.kind >= 0))
        same_run = (found >= 0) & (member[np.maximum(found, 0)] == member[np.maximum(title, 0)])
        starts: dict[int, np.ndarray] = {}
        for line, panel, start in self._extents:
            at = starts.setdefault(panel, np.full(len(frame.kind), np.iinfo(np.int32).max, dtype=np.int64))
            at[line] = np.minimum(at[line], start)
        begin = np.zeros(len(rows.line), dtype=np.int64)
        end = np.full(len(rows.line), np.iinfo(np.int32).max, dtype=np.int64)
        for panel, at in starts.items():
            begin = np.where(rows.panel == panel, at[rows.line], begin)
            end = np.where(rows.panel + 1 == panel, at[rows.line], end)
        key = np.stack([np.where(same_run, found, -1), begin, end], axis=1)
        distinct, which = np.unique(key, axis=0, return_inverse=True)
        some = distinct[:, 0] >= 0
        texts = frame.text.gather(np.maximum(distinct[:, 0], 0))
        frame_of = pl.DataFrame({"t": texts, "b": distinct[:, 1], "n": distinct[:, 2] - distinct[:, 1]})
        parts = frame_of.select(
            pl.col("t").str.slice(pl.col("b"), pl.col("n")).str.extract(place.pattern, 1)
        ).to_series()
        return np.where(some[which.ravel()], which.ravel(), -1), parts.to_list()

    def _field_numbers(self, place: Field, table: Table, column: Column, rows: _Rows) -> np.ndarray:
        which, parts = self._field_texts(place, table, rows)
        strings = pl.Series(parts, dtype=pl.String).fill_null("")
        cells = _as_cells(strings)
        none = np.zeros(len(cells), dtype=bool)
        if column.type.reader in ("clock", "bound"):
            number, code = values.clocks(cells, np.full(len(cells), 1e-3))
        else:
            number, code, _ = values.numbers(
                cells, none | (column.type.reader == "storage"), none | (column.type.unit == "%")
            )
        number = np.where(code == values.OK, number, np.nan)
        out = np.append(number, np.nan)[which]
        codes = np.append(code, values.BLANK)[which]
        stated = np.flatnonzero(codes > values.BLANK)
        if len(stated):
            # follows: the nearest line of the kind below; else above. Either way the reject names the row's line.
            self._nulls.append((table.name, column.name, rows.line[stated], codes[stated]))
            wrong = stated[codes[stated] >= values.OVERFLOW]
            what = [f"{column.name}: {parts[which[k]]!r} cannot be read" for k in wrong]
            expected = [_EXPECTED[column.type.reader]] * len(wrong)
            self.rejects.add(self.frame, rows.line[wrong], np.zeros(len(wrong), dtype=np.int64), what, expected)
        return out

    # --- readings -------------------------------------------------------------------------------------------------

    def _reading(self, place: From, column: Column, rows: _Rows) -> tuple[np.ndarray, list[Any]]:
        """An index per row into the values of a reading, and these."""
        key = (place.reading, id(rows.line))
        if key not in self._of_rows:
            self._of_rows[key] = self._read_rows(place.reading, rows)
        which, found = self._of_rows[key]
        return which, [one.get(place.name or column.name) for one in found]

    def _read_rows(self, reading: Reading, rows: _Rows) -> tuple[np.ndarray, list[dict[str, Any]]]:
        frame = self.frame
        found = [frame.above(rows.line, kind) for kind in reading.lines]
        texts = [frame.text_ids((kind,)) for kind in reading.lines]
        key = np.zeros(len(rows.line), dtype=np.int64)
        for at, (ids, words) in zip(found, texts, strict=True):
            key = key * (len(words) + 1) + np.where(at >= 0, ids[np.maximum(at, 0)] + 1, 0)
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        out = []
        for row in first:
            lines = [int(at[row]) for at in found]
            printed = tuple(words[ids[k]] if k >= 0 else None for k, (ids, words) in zip(lines, texts, strict=True))
            out.append(self._evaluate(reading, printed, lines))
        return which.astype(np.int64), out

    def _evaluate(self, reading: Reading, printed: tuple[str | None, ...], lines: list[int]) -> dict[str, Any]:
        known = self._read.get((reading, printed))
        if known is None:
            if all(p is None for p in printed):
                known = {}
            else:
                try:
                    known = reading.read(printed, self.options)
                except Unreadable as unreadable:
                    known = unreadable.values
                    for p in unreadable.problems:
                        at = np.array([max(lines[p.line], 0)])
                        name = self.report.name
                        self.rejects.add(
                            self.frame, at, np.array([p.column]), [f"{name}: {p.what}"], [p.expected], [p.hint]
                        )
            self._read[(reading, printed)] = known
        return known

    def _reading_numbers(self, place: From, column: Column, rows: _Rows) -> np.ndarray:
        which, found = self._reading(place, column, rows)
        return np.array([np.nan if v is None else float(v) for v in found] + [np.nan])[which]

    def _reading_array(self, place: From, column: Column, rows: _Rows) -> pa.Array:
        which, found = self._reading(place, column, rows)
        stamps = np.array(
            [np.datetime64(v, "us") if isinstance(v, dt.datetime) else np.datetime64("NaT") for v in found], "M8[us]"
        )
        data = stamps[which] if len(found) else np.zeros(0, "M8[us]")
        return pa.array(data, column.type.arrow, mask=np.isnat(data))

    # --- spread, provenance, required columns ---------------------------------------------------------------------

    def _spread_rows(self, table: Table, rows: _Rows) -> _SpreadRows:
        """Unclaimed cells as rows, in the order of the page; blank cells make none."""
        assert table.spread is not None
        assert rows.at is not None
        row, group, title, value, place = [], [], [], [], []
        names: dict[str, int] = {}
        for cut, data in self._spread:
            at = rows.at[cut.line]
            some = np.flatnonzero((at >= 0) & ~np.isinf(data))
            row.append(at[some])
            group.append(np.full(len(some), names.setdefault(" / ".join(cut.groups), len(names)), dtype=np.int32))
            title.append(np.full(len(some), names.setdefault(cut.title, len(names)), dtype=np.int32))
            value.append(data[some])
            place.append(np.full(len(some), cut.start, dtype=np.int64))
        empty = np.zeros(0, dtype=np.int64)
        all_rows = np.concatenate(row) if row else empty
        order = np.argsort(all_rows * 1000 + (np.concatenate(place) if place else empty), kind="stable")
        words = pa.array(list(names), pa.string())

        def named(parts: list[np.ndarray]) -> pa.Array:
            ids = np.concatenate(parts)[order] if parts else np.zeros(0, dtype=np.int32)
            return pa.DictionaryArray.from_arrays(pa.array(ids, pa.int32()), words)

        numbers = np.concatenate(value)[order] if value else np.zeros(0)
        columns = {
            table.spread.group: named(group),
            table.spread.title: named(title),
            table.spread.value: _numbers(numbers, pa.float64()),
        }
        return _SpreadRows(pa.array(all_rows[order]), columns)

    def _provenance(self, lines: np.ndarray) -> dict[str, pa.Array]:
        segment = self.frame.segment[lines].astype(np.int32)
        ids = pa.array([s.source_id for s in self.segments], pa.string())
        files = pa.array([s.source_file for s in self.segments], pa.string())
        return {
            "source_id": pa.DictionaryArray.from_arrays(pa.array(segment), ids),
            "source_file": pa.DictionaryArray.from_arrays(pa.array(segment), files),
            "page": pa.array(self.frame.page[lines]),
            "line": pa.array(self.frame.number[lines]),
        }

    def _complete(self, table: Table, arrays: dict[str, pa.Array], lines: np.ndarray) -> np.ndarray | None:
        """Bool per row: it has what it must have. Others become one reject a section; None where all are complete."""
        keep: np.ndarray | None = None
        for column in table.columns:
            if column.nullable or not arrays[column.name].null_count:
                continue
            missing = arrays[column.name].is_null().to_numpy(zero_copy_only=False)
            keep = ~missing if keep is None else keep & ~missing
            without = lines[missing]
            _, first, many = np.unique(self.frame.unit[without], return_index=True, return_counts=True)
            what = [f"{table.name}: {n} rows without {column.name} are left out" for n in many]
            hint = ["the lines that name it are not in this file, or not readable"] * len(first)
            expected = [", ".join(p.reading.lines[0] for p in column.places if isinstance(p, From)) + " above"] * len(
                first
            )
            at = without[first]
            self.rejects.add(self.frame, at, np.zeros(len(at), dtype=np.int64), what, expected, hint)
        return keep

    def cell_nulls(self) -> list[pa.Table]:
        """Rows of cell_null."""
        if not self._nulls:
            return []
        line = np.concatenate([n[2] for n in self._nulls])
        code = np.concatenate([n[3] for n in self._nulls])
        sizes = [len(n[2]) for n in self._nulls]
        names = [dict.fromkeys(n[k] for n in self._nulls) for k in (0, 1)]
        columns = {}
        for k, name in enumerate(("table", "column")):
            numbered = {word: number for number, word in enumerate(names[k])}
            ids = np.repeat(np.array([numbered[n[k]] for n in self._nulls], dtype=np.int32), sizes)
            columns[name] = pa.DictionaryArray.from_arrays(pa.array(ids), pa.array(list(names[k]), pa.string()))
        columns["reason"] = pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int32)), pa.array(values.REASONS))
        columns |= self._provenance(line)
        order = np.lexsort((line,))
        schema = bookkeeping.CELL_NULL.schema
        return [pa.Table.from_arrays([columns[f.name] for f in schema], schema=schema).take(pa.array(order))]


@dataclass
class _SpreadRows:
    row: pa.Array
    columns: dict[str, pa.Array]


@dataclass(frozen=True)
class _Joined(Cut):
    """Cells of several cuts of one target, whose panels differ."""

    panels: np.ndarray | None = None

    @classmethod
    def of(cls, cut: Cut, panels: np.ndarray) -> _Joined:
        return cls(cut.line, 0, cut.start, cut.end, cut.cells, cut.targets, cut.unit, panels=panels)


def _panels(cut: Cut) -> np.ndarray:
    if isinstance(cut, _Joined) and cut.panels is not None:
        return cut.panels
    return np.full(len(cut.line), cut.panel, dtype=np.int64)


def _part(cut: Cut, here: np.ndarray) -> Cut:
    """The cells of a cut on some of its lines."""
    suspect = None if cut.suspect is None else cut.suspect[here]
    return replace(cut, line=cut.line[here], cells=cut.cells[here], suspect=suspect)


@cache
def _column_of(table: Table, name: str) -> Column:
    return table.column(name)


def _value_name(table: Table) -> str:
    assert table.spread is not None
    return table.spread.value


def _numbers(data: np.ndarray, arrow: pa.DataType) -> pa.Array:
    missing = np.isnan(data)
    if pa.types.is_integer(arrow):
        return pa.array(np.where(missing, 0, data).astype(np.int64), mask=missing)
    return pa.array(data, mask=missing)


def _as_cells(strings: pl.Series) -> np.ndarray:
    """Strings as a byte matrix of right-aligned cells."""
    if not len(strings):
        return np.zeros((0, values.CELL_WIDTH), dtype=np.uint8)
    plain = (
        strings.str.replace_all(r"[^\x00-\x7f]", "?").str.slice(0, values.CELL_WIDTH).str.pad_start(values.CELL_WIDTH)
    )
    array = plain.to_arrow(compat_level=pl.CompatLevel.oldest())
    data = np.frombuffer(array.buffers()[2], np.uint8, count=len(strings) * values.CELL_WIDTH)
    return data.reshape(len(strings), values.CELL_WIDTH)


def _distinct(data: np.ndarray | pl.Series) -> tuple[np.ndarray, list[Any]]:
    """An index per entry into the distinct entries (-1 for null), and these."""
    assert isinstance(data, pl.Series)
    if data.dtype == pl.Boolean:
        which = data.cast(pl.Int64).fill_null(-1).to_numpy()
        return which, [False, True]
    encoded = data.to_arrow().dictionary_encode()
    return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary.to_pylist()


def gather_over_rows(report: Report, builder: TableBuilder, tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """Fill the Gathered columns: values found anywhere on the pages of an interval, the same on each of its rows."""
    frame = builder.frame
    interval = _intervals(frame)[frame.page_index]
    out = dict(tables)
    found: dict[Gathered, tuple[np.ndarray, list[str | None]]] = {}
    for table in report.tables:
        for column in table.columns:
            for place in column.places:
                if isinstance(place, Gathered) and len(out[table.name]):
                    if place not in found:
                        found[place] = _gather(place, builder, tables, interval)
                    which, words = found[place]
                    ids = which[interval[builder.row_lines[table.name]]]
                    array = pa.DictionaryArray.from_arrays(pa.array(ids, mask=ids < 0), pa.array(words, pa.string()))
                    made = out[table.name]
                    at = made.schema.get_field_index(column.name)
                    out[table.name] = made.set_column(at, made.schema.field(at), array)
    return out


def _intervals(frame: Frame) -> np.ndarray:
    """Per page a number that pages of the same interval and source share."""
    pages = int(frame.page_index[-1]) + 1
    first = np.searchsorted(frame.page_index, np.arange(pages))
    key = frame.segment[first].astype(np.int64)
    for kind in frame.report.interval:
        ids, words = frame.text_ids((kind,))
        of_page = np.full(pages, -1, dtype=np.int64)
        where = np.flatnonzero(ids >= 0)
        of_page[frame.page_index[where]] = ids[where]
        key = key * (len(words) + 1) + of_page + 1
    return np.unique(key, return_inverse=True)[1]


def _gather(
    place: Gathered, builder: TableBuilder, tables: dict[str, pa.Table], interval: np.ndarray
) -> tuple[np.ndarray, list[str | None]]:
    """Index per interval into the joined values (-1: none), and these."""
    count = int(interval.max(initial=-1)) + 1
    members: list[set[str]] = [set() for _ in range(count)]
    for table, column in place.sources:
        if not len(tables[table]):
            continue
        chunk = tables[table].column(column).combine_chunks()
        words = chunk.dictionary.to_pylist()
        ids = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        pairs = np.unique(np.stack([interval[builder.row_lines[table]], ids], axis=1), axis=0)
        fresh: dict[int, set[str]] = {}
        for at, word in pairs.tolist():
            if word >= 0 and words[word] not in place.leave_out:
                fresh.setdefault(at, set()).add(words[word])
        for at, names in fresh.items():
            members[at] = members[at] or names
    given = getattr(builder.options, place.option)
    joined = [",".join(sorted(m)) if m else given for m in members]
    words = [w for w in dict.fromkeys(joined) if w is not None]
    number = {w: n for n, w in enumerate(words)}
    return np.array([number.get(j, -1) if j is not None else -1 for j in joined], dtype=np.int32), list(words)
