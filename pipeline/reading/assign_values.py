"""Assign values to rows: the tables of one report, built column by column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration import bookkeeping
from ..declaration.places import Col, Constant, Counter, Field, Occurrence, Parsed
from ..declaration.reading_options import Options
from ..declaration.report import Column, Report, Table
from ..files.segment import Segment
from . import cut_lines, null_reasons
from .cast import Values
from .cells import Target
from .cut_report import CutReport, cut_report
from .joined_rows import joined, without_bare_titles
from .line_values import LineValues
from .place_values import PlaceValues, Rows
from .rejects import Rejects
from .report_lines import ReportLines
from .rows_again import reject_rows_again
from .values_above import LinesAbove

_ALMOST_TOTAL = re.compile(r"(?<![A-Z0-9])(?:T0TA[Ll1I]|TOTA[l1I])[S5]?(?![A-Z0-9])")


@dataclass
class TableBuilder:
    """Builds the tables of one report from its cells. `row_lines` and `row_panels`: the first line and the panel of each row."""

    report: Report
    report_lines: ReportLines
    cut: CutReport
    line_values: LineValues
    options: Options
    segments: Sequence[Segment]
    rejects: Rejects
    row_lines: dict[str, np.ndarray] = field(default_factory=dict)
    row_panels: dict[str, np.ndarray] = field(default_factory=dict)
    _in_parts: dict[str, Rows] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lines_above = LinesAbove(self.report_lines, self.cut, self.rejects)
        self._places = PlaceValues(self.report, self.report_lines, self.cut, self.line_values, self.rejects)

    # --- values to rows -------------------------------------------------------------------------------------------

    def build(self, table: Table) -> pa.Table:
        """The table's rows in page order. Rows without a required value become rejects."""
        rows = self._rows(table)
        if table.in_parts:
            rows = joined(self.report_lines, table, rows, lambda name: self._array(table, table.column(name), rows)[0])
            self._in_parts[table.name] = rows
        if not len(rows.line):
            self.row_lines[table.name], self.row_panels[table.name] = rows.line, rows.panel
            return table.schema.empty_table()
        spread = self._spread_rows(table, rows) if table.spread else None
        arrays: dict[str, pa.Array] = {}
        for column in table.columns:
            if spread is not None and column.name in spread.columns:
                arrays[column.name] = spread.columns[column.name]
                continue
            repeats = next((p for p in column.places if isinstance(p, Occurrence)), None)
            if repeats is not None:
                arrays[column.name] = self._occurrences([arrays[name] for name in repeats.of], rows)
                continue
            array, resolution = self._array(table, column, rows)
            arrays[column.name] = array if spread is None else array.take(spread.row)
            if column.resolution:
                arrays[f"{column.name}_resolution"] = resolution
        of_row = np.arange(len(rows.line)) if spread is None else spread.row.to_numpy()
        lines, panels = rows.line[of_row], rows.panel[of_row]
        reject_rows_again(self.report_lines, table, arrays, lines, self.rejects)
        arrays |= self._provenance(lines)
        schema = table.schema
        keep = self._complete(table, arrays, lines)
        made = pa.Table.from_arrays([arrays[f.name] for f in schema], schema=schema.with_metadata(schema.metadata))
        kept = slice(None) if keep is None else keep
        self.row_lines[table.name], self.row_panels[table.name] = lines[kept], panels[kept]
        return made if keep is None else made.filter(pa.array(keep))

    def _rows(self, table: Table) -> Rows:
        kinds = self.report_lines.known_kinds(table.rows)
        if kinds in self.cut.counters:
            counters = self.cut.counters[kinds]
            return Rows(kinds, counters.line, counters.panel, None)
        panelled = self.cut.panelled.get(kinds)
        if panelled is not None:
            most = max((p for _, p in panelled), default=0) + 1
            begins = np.zeros((len(self.report_lines.kind), most), dtype=bool)
            for at, panel in panelled:
                begins[at, panel] = True
            line, panel = np.nonzero(begins)
            return Rows(kinds, line, panel, None)
        line = self.report_lines.lines_of(kinds)
        if table.in_parts:
            line = without_bare_titles(self.report_lines, table, line)
        at = np.full(len(self.report_lines.kind), -1, dtype=np.int64)
        at[line] = np.arange(len(line))
        return Rows(kinds, line, np.zeros(len(line), dtype=np.int64), at)

    def _row_of(self, rows: Rows, table: Table, target: Target, kept: Values) -> np.ndarray:
        """Row of each value (-1: none): the row on its line, or the nearest row above in the same section."""
        if rows.at is None:
            most = int(rows.panel.max(initial=0)) + 1
            key = rows.line * most + rows.panel
            wanted = kept.line * most + kept.panel
            at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
            return np.where(key[at] == wanted, at, -1) if len(key) else np.full(len(wanted), -1)
        own = rows.at[kept.line]
        if target.reach == "below" or not len(own) or (own < 0).any():
            above = self.report_lines.row_above(table.rows, kept.line)
            own = np.where(own < 0, np.where(above >= 0, rows.at[np.maximum(above, 0)], -1), own)
        return own

    def _array(self, table: Table, column: Column, rows: Rows) -> tuple[pa.Array, pa.Array | None]:
        """The column's values over all rows, from the first place with a value."""
        count = len(rows.line)
        if column.type.reader in ("text", "flag"):
            return self._text_array(table, column, rows), None
        if column.type.reader == "timestamp":
            for place in column.places:
                if isinstance(place, Parsed):
                    return self._places.parsed_array(place, table, column, rows), None
            return pa.nulls(count, column.type.arrow), None
        data = np.full(count, np.nan)
        resolution = np.full(count, np.nan) if column.resolution else None
        for target, kept in self.cut.caster.values.get(column, ()):
            if target.reach == "page":
                at = self._of_page(rows, kept)
                if resolution is not None and kept.resolution is not None:
                    resolution = np.where(np.isnan(data) & (at >= 0), kept.resolution[at], resolution)
                data = np.where(np.isnan(data) & (at >= 0), np.asarray(kept.data)[at], data)
                continue
            if target.reach == "above":
                at_line = np.full(len(self.report_lines.kind), np.nan)
                at_line[kept.line] = kept.data
                found = self._lines_above.of(target, rows.line)
                self._use(found, kept.line)
                data = np.where(np.isnan(data) & (found >= 0), at_line[np.maximum(found, 0)], data)
                continue
            row = self._row_of(rows, table, target, kept)
            self.report_lines.used[kept.line[row >= 0]] = True
            at = np.flatnonzero((row >= 0) & ~np.isnan(np.asarray(kept.data)))
            at = self._said_once(column, kept, row, at)
            at = at[np.isnan(data[row[at]])]
            data[row[at]] = np.asarray(kept.data)[at]
            if resolution is not None and kept.resolution is not None:
                resolution[row[at]] = kept.resolution[at]
        for place in column.places:
            if isinstance(place, Field):
                found, worth = self._places.field_numbers(place, table, column, rows)
                if resolution is not None:
                    resolution = np.where(np.isnan(data), worth, resolution)
                data = np.where(np.isnan(data), found, data)
            elif isinstance(place, Constant):
                data = np.where(np.isnan(data) & self._on(place, table, rows), place.value, data)
            elif isinstance(place, Parsed):
                data = np.where(np.isnan(data), self._places.parsed_numbers(place, table, column, rows), data)
            elif isinstance(place, Counter):
                if place.part == "occurrence":
                    data = self.cut.counters[rows.kinds].occurrence.astype(float)
                else:
                    found, worth = self._places.counter_numbers(place, rows)
                    if resolution is not None:
                        resolution = np.where(np.isnan(data), worth, resolution)
                    data = np.where(np.isnan(data), found, data)
        made = _numbers(data, column.type.arrow)
        return made, None if resolution is None else _numbers(resolution, pa.float64())

    def _occurrences(self, of: list[pa.Array], rows: Rows) -> pa.Array:
        """Per row 1, or one more than the row above it in its panel and section, if the two have equal values."""
        owner = self.report_lines.owner[rows.line]
        section = np.where(owner >= 0, owner, self.report_lines.unit[rows.line])
        order = np.lexsort((rows.line, rows.panel))
        equal = np.diff(section[order]) == 0
        equal &= np.diff(rows.panel[order]) == 0
        for array in of:
            values = array.indices.fill_null(-1) if isinstance(array, pa.DictionaryArray) else array.cast(pa.float64())
            # A number that is missing is NaN, which equals nothing.
            ordered = values.to_numpy(zero_copy_only=False)[order]
            equal &= ordered[1:] == ordered[:-1]
        at = np.arange(len(order))
        begins = np.maximum.accumulate(np.where(np.concatenate([[False], equal]), 0, at))
        out = np.empty(len(order), dtype=np.int64)
        out[order] = at - begins + 1
        return pa.array(out)

    def _said_once(self, column: Column, kept: Values, row: np.ndarray, at: np.ndarray) -> np.ndarray:
        """The values of `at` without conflicts: a label printed twice in a block with different values leaves NULL and is reported."""
        if not len(at):
            return at
        value = np.asarray(kept.data)
        last = np.empty(int(row[at].max()) + 1, dtype=np.int64)
        last[row[at]] = at
        differs = value[last[row[at]]] != value[at]
        if not differs.any():
            return at
        twice = np.unique(row[at[differs]])
        lines = kept.line[last[twice]]
        what = f"{column.name}: printed twice with different values; left NULL"
        self.rejects.add(self.report_lines, lines, what, "one cell")
        return at[~np.isin(row[at], twice)]

    def _of_page(self, rows: Rows, kept: Values) -> np.ndarray:
        """Per row: the index of the value on its page, or -1. There is one at most (see cut_xml.py)."""
        self.report_lines.used[kept.line] = True
        page, of_page = self.report_lines.page_index[rows.line], self.report_lines.page_index[kept.line]
        order = np.argsort(of_page, kind="stable")
        at = order[np.minimum(np.searchsorted(of_page[order], page), len(order) - 1)]
        return np.where(of_page[at] == page, at, -1)

    def _carried(self, target: Target, rows: Rows, kept: Values, which: np.ndarray) -> np.ndarray:
        """Per row: the entry of `which` of the cell that names it, or -1."""
        found = self.cut.carried_names.source(target, rows.line, rows.panel)
        self._use(found, kept.line)
        most = int(max(rows.panel.max(initial=0), kept.panel.max(initial=0))) + 1
        key = kept.line * most + kept.panel
        order = np.argsort(key)
        wanted = found * most + rows.panel
        place = order[np.minimum(np.searchsorted(key[order], wanted), len(key) - 1)]
        return np.where((found >= 0) & (key[place] == wanted), which[place], -1)

    def _reject_nameless(self, column: Column, rows: Rows) -> None:
        """One reject per section for rows without a name, on their own line or above."""
        nameless = self.cut.carried_names.nameless(column, rows.line, rows.panel)
        if not nameless.any():
            return
        lines = rows.line[nameless]
        _, first, many = np.unique(self.report_lines.unit[lines], return_index=True, return_counts=True)
        what = [f"{column.name}: {n} rows have no name, and no row above gives one" for n in many]
        self.rejects.add(self.report_lines, lines[first], what, "a name")

    def _use(self, lines: np.ndarray, among: np.ndarray) -> None:
        """Mark those of `lines` (-1: none) that are among others as used."""
        has = np.zeros(len(self.report_lines.used), dtype=bool)
        has[among] = True
        at = lines[lines >= 0]
        self.report_lines.used[at[has[at]]] = True

    def _on(self, place: Constant, table: Table, rows: Rows) -> np.ndarray:
        on = self.report_lines.of_kind(place.lines, rows.line) if place.lines else np.ones(len(rows.line), dtype=bool)
        if place.where:
            which, parts = self._places.field_texts(place.where, table, rows)
            on &= np.array([p is not None for p in parts] + [False])[which]
        return on

    def _text_array(self, table: Table, column: Column, rows: Rows) -> pa.Array:
        count = len(rows.line)
        words: dict[Any, int] = {}
        ids = np.full(count, -1, dtype=np.int32)

        def pair_ids(which: np.ndarray, found: Sequence[Any]) -> np.ndarray:
            numbers = [words.setdefault(w, len(words)) if w is not None else -1 for w in found]
            return np.array([*numbers, -1], dtype=np.int32)[which]

        def put(row: np.ndarray, which: np.ndarray, found: Sequence[Any]) -> None:
            """The rows `row` without a value yet get found[which] (either < 0: none)."""
            good = np.flatnonzero((row >= 0) & (which >= 0))
            good = good[ids[row[good]] < 0]
            ids[row[good]] = pair_ids(which[good], found)

        def put_all(which: np.ndarray, found: Sequence[Any]) -> None:
            """All rows without a value yet."""
            ids[:] = np.where(ids < 0, pair_ids(which, found), ids)

        self._reject_nameless(column, rows)
        for target, kept in self.cut.caster.values.get(column, ()):
            which, found = _distinct(kept.data)
            if target.reach == "page":
                at = self._of_page(rows, kept)
                put_all(np.where(at >= 0, which[at], -1), found)
            elif target.reach == "above":
                at_line = np.full(len(self.report_lines.kind), -1, dtype=np.int64)
                at_line[kept.line] = which
                above = self._lines_above.of(target, rows.line)
                self._use(above, kept.line[which >= 0])
                put_all(np.where(above >= 0, at_line[np.maximum(above, 0)], -1), found)
            elif target.fill == "down":
                put_all(self._carried(target, rows, kept, which), found)
            else:
                row = self._row_of(rows, table, target, kept)
                self.report_lines.used[kept.line[(row >= 0) & (which >= 0)]] = True
                put(row, which, found)
        for place in column.places:
            if isinstance(place, Field):
                which, parts = self._places.field_texts(place, table, rows)
                is_flag = column.type.reader == "flag" and column.allowed
                put_all(which, [part in column.allowed for part in parts] if is_flag else parts)
            elif isinstance(place, Parsed):
                put_all(*self._places.parsed(place, table, column, rows))
            elif isinstance(place, Counter):
                put_all(*self._places.counter_texts(place, rows))
            elif isinstance(place, Constant):
                is_flag = column.type.reader == "flag" and column.allowed
                value = place.value in column.allowed if is_flag else place.value
                put_all(np.where(self._on(place, table, rows), 0, -1), [value])
        if column.type.reader == "flag":
            truth = np.array([bool(w) for w in words] + [False])
            return pa.array(truth[ids], mask=ids < 0)
        return pa.DictionaryArray.from_arrays(
            pa.array(ids, mask=ids < 0), pa.array([str(w) for w in words], pa.string())
        )

    # --- spread, provenance, required columns ---------------------------------------------------------------------

    def _spread_rows(self, table: Table, rows: Rows) -> _SpreadRows:
        """Unclaimed cells as rows, in page order."""
        assert table.spread is not None
        assert rows.at is not None
        none = np.zeros(0, np.int64)
        line, data, start, title, titles = self.cut.caster.spread.get(table.name, (none, none, none, none, []))
        row = rows.at[line]
        order = np.argsort(row * 1000 + start, kind="stable")
        order = order[row[order] >= 0]
        self.report_lines.used[line[order]] = True

        some = np.flatnonzero(np.bincount(title))
        at = np.searchsorted(some, title[order])

        def named(texts: list[str]) -> pa.Array:
            words = {word: number for number, word in enumerate(dict.fromkeys(texts))}
            ids = np.array([words[text] for text in texts], dtype=np.int32)
            return pa.DictionaryArray.from_arrays(pa.array(ids[at]), pa.array(list(words), pa.string()))

        columns = {
            table.spread.title: named([titles[k][1] for k in some.tolist()]),
            table.spread.value: _numbers(data[order], table.column(table.spread.value).type.arrow),
        }
        if table.spread.group:
            columns[table.spread.group] = named([" / ".join(titles[k][0]) for k in some.tolist()])
        return _SpreadRows(pa.array(row[order]), columns)

    def _provenance(self, lines: np.ndarray) -> dict[str, pa.Array]:
        segment = self.report_lines.segment[lines].astype(np.int32)
        ids = pa.array([s.source_id for s in self.segments], pa.string())
        files = pa.array([s.source_file for s in self.segments], pa.string())
        return {
            "source_id": pa.DictionaryArray.from_arrays(pa.array(segment), ids),
            "source_file": pa.DictionaryArray.from_arrays(pa.array(segment), files),
            "page": pa.array(self.report_lines.page[lines]),
            "line": pa.array(self.report_lines.number[lines]),
        }

    def _complete(self, table: Table, arrays: dict[str, pa.Array], lines: np.ndarray) -> np.ndarray | None:
        """Bool per row: it has all required values and a complete heading; None if all rows do. Others become one reject per section, or are
        reported with their heading."""
        keep = (
            cut_lines.not_hollow(self.report_lines, table, arrays, lines, self.rejects)
            if len(self.report_lines.cut)
            else None
        )
        damaged = self.report_lines.damaged[lines]
        if damaged.any():
            keep = ~damaged if keep is None else keep & ~damaged
        if table.hollow:
            filled = np.zeros(len(lines), dtype=bool)
            for name in table.hollow:
                filled |= arrays[name].is_valid().to_numpy(zero_copy_only=False)
            keep = filled if keep is None else keep & filled
        misread = self._misread_totals(table, arrays)
        if misread.any():
            _, first = np.unique(self.report_lines.unit[lines[misread]], return_index=True)
            what = f"{table.name}: a name is almost TOTAL: whether its rows are totals is unknown; they are left out"
            self.rejects.add(
                self.report_lines, lines[misread][first], what, "TOTAL, or a name", "compare with the printed page"
            )
            keep = ~misread if keep is None else keep & ~misread
        for column in table.columns:
            missing = self._missing(column, arrays[column.name], lines)
            if missing is None:
                continue
            untold = missing & ~self.report_lines.of_torn_page[lines] & (self.report_lines.cut_width[lines] == 0)
            without = lines[untold if keep is None else untold & keep]
            keep = ~missing if keep is None else keep & ~missing
            _, first, many = np.unique(self.report_lines.unit[without], return_index=True, return_counts=True)
            what = [f"{table.name}: {n} rows without {column.name} are left out" for n in many]
            hint = "the lines that name it are missing or unreadable"
            named = [
                p.parser.lines[0] if isinstance(p, Parsed) else p.line
                for p in column.places
                if isinstance(p, Parsed | Field)
            ]
            if column.needed_on:
                named = [p.heading for p in column.places if isinstance(p, Col)]
            self.rejects.add(self.report_lines, without[first], what, ", ".join(named) + " above", hint)
        return keep

    def _misread_totals(self, table: Table, arrays: Mapping[str, pa.Array]) -> np.ndarray:
        """Bool per row: a text of its key is TOTAL with a letter read as a digit, in a table with rows that are totals."""
        found = np.zeros(len(arrays["page"]), dtype=bool)
        texts = [c.name for c in table.columns if c.name in table.key and c.type.reader == "text"]
        for name in texts if "is_total" in arrays else ():
            words = arrays[name].dictionary.to_pylist()
            if _ALMOST_TOTAL.search("\n".join(words)):
                is_one = np.array([*(bool(_ALMOST_TOTAL.search(word)) for word in words), False])
                found |= is_one[arrays[name].indices.fill_null(-1).to_numpy(zero_copy_only=False)]
        return found

    def _missing(self, column: Column, array: pa.Array, lines: np.ndarray) -> np.ndarray | None:
        """Bool per row, beginning on `lines`: its required value is missing. None if no row's is."""
        optional = next((p.optional for p in column.places if isinstance(p, Field) and p.optional), ())
        may_be_null = column.nullable and not column.needed and not column.needed_on
        if (may_be_null and not optional) or not array.null_count:
            return None
        missing = array.is_null().to_numpy(zero_copy_only=False)
        if column.needed_on:
            missing = missing & self.report_lines.of_kind(column.needed_on, lines)
        if column.needed:
            missing = missing & ~self.report_lines.of_excerpt[lines]
        if optional:
            above = np.stack([self.report_lines.above(lines, kind) for kind in optional])
            missing = missing & ~((above[0] >= 0) & (above[0] == above.max(axis=0)))
        return missing if missing.any() else None

    def cell_nulls(self) -> list[pa.Table]:
        """Rows of cell_null."""
        if not self.cut.caster.nulls:
            return []
        line = np.concatenate([n[2] for n in self.cut.caster.nulls])
        code = np.concatenate([n[3] for n in self.cut.caster.nulls])
        sizes = [len(n[2]) for n in self.cut.caster.nulls]
        ids, columns = [], {}
        nulls = self.cut.caster.nulls
        for name, of in (("table", [n[0] for n in nulls]), ("column", [n[1] for n in nulls])):
            words = sorted(set(of))
            numbered = {word: number for number, word in enumerate(words)}
            ids.append(np.repeat(np.array([numbered[w] for w in of], dtype=np.int32), sizes))
            columns[name] = pa.DictionaryArray.from_arrays(pa.array(ids[-1]), pa.array(words, pa.string()))
        columns["reason"] = pa.DictionaryArray.from_arrays(
            pa.array(code.astype(np.int32)), pa.array(null_reasons.REASONS)
        )
        columns |= self._provenance(line)
        columns[bookkeeping.ROW_LINE] = self._row_line(ids[0], sorted({n[0] for n in nulls}), line)
        order = np.lexsort((ids[1], ids[0], line))
        schema = bookkeeping.CELL_NULL.schema
        return [pa.Table.from_arrays([columns[f.name] for f in schema], schema=schema).take(pa.array(order))]

    def row_above(self, table: Table, line: np.ndarray) -> np.ndarray:
        """Per line: the first line of the row of a table that it belongs to, -1 if there is none."""
        row = self.report_lines.row_above(table.rows, line)
        if (rows := self._in_parts.get(table.name)) is None or rows.at is None:
            return row
        at = np.where(row >= 0, rows.at[row], -1)
        return np.where(at >= 0, rows.line[at], -1)

    def _row_line(self, table_of: np.ndarray, names: list[str], line: np.ndarray) -> pa.Array:
        """Per cell of a table (`table_of`: index into `names`): the line in the file of its row, which begins on the cell's line or is
        the nearest above in the same section; NULL if there is none."""
        row = np.full(len(line), -1, dtype=np.int64)
        for table in self.report.tables:
            mine = np.flatnonzero(table_of == names.index(table.name)) if table.name in names else ()
            if not len(mine):
                continue
            row[mine] = self.row_above(table, line[mine])
        return pa.array(self.report_lines.number[row], mask=row < 0)


def table_builder(
    report: Report, report_lines: ReportLines, options: Options, segments: Sequence[Segment], rejects: Rejects
) -> TableBuilder:
    """Cut and cast the cells of a report, and report lines that cannot be cut."""
    cut = cut_report(report, report_lines, rejects)
    rejects.add_overlong(report_lines)
    rejects.add_missing_pages(report_lines)
    rejects.add_repeated_titles(report_lines)
    return TableBuilder(
        report, report_lines, cut, LineValues(report_lines, options, rejects), options, segments, rejects
    )


@dataclass
class _SpreadRows:
    row: pa.Array
    columns: dict[str, pa.Array]


def _numbers(data: np.ndarray, arrow: pa.DataType) -> pa.Array:
    missing = np.isnan(data)
    if pa.types.is_integer(arrow):
        return pa.array(np.rint(np.where(missing, 0, data)).astype(np.int64), mask=missing)
    return pa.array(data, mask=missing)


def _distinct(data: np.ndarray | pl.Series) -> tuple[np.ndarray, list[Any]]:
    """An index per entry into the distinct entries (-1 for null), and these."""
    assert isinstance(data, pl.Series)
    if data.dtype == pl.Boolean:
        which = data.cast(pl.Int64).fill_null(-1).to_numpy()
        return which, [False, True]
    encoded = data.to_arrow().dictionary_encode()
    return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary.to_pylist()
