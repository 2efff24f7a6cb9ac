"""Values that are not cut below a heading, by the rows that they belong to: fields of a line, parsed lines, and parts of counter rows."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration.places import Counter, Field, Parsed
from ..declaration.report import Column, Report, Table
from . import cut_lines, null_reasons, numbers
from .cast import EXPECTED, as_cells
from .cut_report import CutReport
from .line_values import LineValues
from .rejects import Rejects
from .report_lines import ReportLines

_WIDEST_LINE = 1 << 12
# Results of a parser that are a reason for no value.
_STATED: dict[Any, int] = {
    null_reasons.REASONS[code]: code for code in range(null_reasons.NOT_APPLICABLE, null_reasons.OVERFLOW)
}


@dataclass
class Rows:
    """The rows that begin on lines of some kinds: line and panel of each, and the row of each line (-1: none; without
    panels only)."""

    kinds: tuple[str, ...]
    line: np.ndarray
    panel: np.ndarray
    at: np.ndarray | None


@dataclass
class PlaceValues:
    """Of each row an index into values (-1: none), and these; what cannot be read becomes a reject."""

    report: Report
    report_lines: ReportLines
    cut: CutReport
    line_values: LineValues
    rejects: Rejects

    def counter_texts(self, place: Counter, rows: Rows) -> tuple[np.ndarray, list[Any]]:
        """An index per row into the texts of a part of counter rows (-1: none), and these."""
        counters = self.cut.counters[rows.kinds]
        if place.part == "reason":
            return np.where(counters.reason > null_reasons.BLANK, counters.reason.astype(np.int64), -1), list(
                null_reasons.REASONS
            )
        if place.part == "key":
            which, texts = counters.keys.get(place.of[0], (np.full(len(rows.line), -1, dtype=np.int64), []))
            return which, list(texts) if place.read is None else [place.read(t) for t in texts]
        if place.part == "total":
            return counters.total.astype(np.int64) - 1, [True]
        if place.part == "title" and place.of:
            named = [
                t if set(place.of) & set(c) else None for t, c in zip(counters.titles, counters.columns, strict=True)
            ]
            return counters.title, [t if t is None or place.read is None else place.read(t) for t in named]
        which, texts = {
            "title": (counters.title, counters.titles),
            "label": (counters.label, counters.labels),
            "path": (counters.path, counters.paths),
            "value": (counters.value, counters.values),
            "unit": (counters.percent.astype(np.int64) - 1, ["%"]),
        }[place.part]
        return which, list(texts) if place.read is None else [place.read(t) for t in texts]

    def counter_numbers(self, place: Counter, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """The number in a text of counter rows, and the value of one unit of its last digit; NaN if it is not a number, which is no error."""
        which, found = self.counter_texts(place, rows)
        cells = as_cells(pl.Series(found, dtype=pl.String))
        read = numbers.read(cells, "amount")
        good = (read.code == null_reasons.OK) & ~read.percent
        number, worth = (np.append(np.where(good, of, np.nan), np.nan)[which] for of in (read.value, read.digit))
        return number, worth

    def field_texts(self, place: Field, table: Table, rows: Rows) -> tuple[np.ndarray, list[Any]]:
        """An index per row into texts of the field (-1: none), and these."""
        if place.panel:
            return self._panel_texts(place, rows)
        where = self.report_lines.lines_of((place.line,))
        if not len(where):
            return np.full(len(rows.line), -1, dtype=np.int64), []
        of_line, texts = self.report_lines.texts((place.line,))
        found = texts.str.extract(place.pattern, 1)
        part = cut_lines.goes_on(texts, place.pattern, " ") & found.is_not_null().to_numpy()
        if part.any():
            lines = where[part[of_line[where]]]
            what = f"{self.report_lines.report.name}: a blank within a number"
            self.rejects.add(
                self.report_lines, lines, what, "a number without blanks", "left NULL; compare with the printed page"
            )
            found = found.set(pl.Series(part), None)
        ids = np.where(found.is_not_null().to_numpy()[of_line[where]], of_line[where], -1)
        if len(self.report_lines.cut):
            ids[cut_lines.cut_texts(self.report_lines, place, where, self.rejects)] = -1
        parts = found.to_list()
        if place.follows:
            which = np.full(len(rows.line), -1, dtype=np.int64)
            if rows.at is not None:
                anchor = self.report_lines.row_above(table.rows, where)
                # One of several lines of the kind has it.
                good = (anchor >= 0) & (ids >= 0)
                which[rows.at[anchor[good]]] = ids[good]
                self.report_lines.used[where[good]] = True
            return which, parts
        above = self.report_lines.above(rows.line, place.line)
        at = np.searchsorted(where, above)
        which = np.where(above >= 0, ids[np.minimum(at, len(where) - 1)], -1)
        self.report_lines.used[above[which >= 0]] = True
        return which, parts

    def _panel_texts(self, place: Field, rows: Rows) -> tuple[np.ndarray, list[Any]]:
        """The field on the row's own panel of a line in the row's heading."""
        heading = next(h for h in self.report.layouts if place.line in h.run and place.line not in h.lines)
        kinds = heading.run
        report_lines = self.report_lines
        found = report_lines.above(rows.line, place.line)
        # The line must be in the same run of heading lines as the nearest title line.
        title = report_lines.nearest(heading.lines, rows.line)
        member = np.cumsum(~report_lines.of_kind(kinds) & (report_lines.kind >= 0))
        same_run = (found >= 0) & (member[np.maximum(found, 0)] == member[np.maximum(title, 0)])
        starts: dict[int, np.ndarray] = {}
        fits = np.ones(
            (max((panel for _, panel, *_ in self.cut.extents), default=0) + 1, len(report_lines.kind)), dtype=bool
        )
        for line, panel, start, title in self.cut.extents:
            at = starts.setdefault(panel, np.full(len(report_lines.kind), np.iinfo(np.int32).max, dtype=np.int64))
            fits[panel, line[start < at[line]]] = not place.first or title == place.first
            at[line] = np.minimum(at[line], start)
        same_run &= fits[rows.panel, rows.line]
        begin = np.zeros(len(rows.line), dtype=np.int64)
        end = np.full(len(rows.line), np.iinfo(np.int32).max, dtype=np.int64)
        for panel, at in starts.items():
            begin = np.where(rows.panel == panel, at[rows.line], begin)
            end = np.where(rows.panel + 1 == panel, at[rows.line], end)
        # One integer per (line, begin, end): sorting those is quicker than sorting triples.
        last = np.minimum(end, _WIDEST_LINE)
        key = (np.where(same_run, found, -1) * _WIDEST_LINE + np.minimum(begin, _WIDEST_LINE - 1)) * (
            _WIDEST_LINE + 1
        ) + last
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        some = same_run[first]
        report_lines.used[found[same_run]] = True
        texts = report_lines.text.gather(np.maximum(found[first], 0))
        cells = pl.DataFrame({"t": texts, "b": begin[first], "n": end[first] - begin[first]})
        parts = cells.select(pl.col("t").str.slice(pl.col("b"), pl.col("n")).str.extract(place.pattern, 1)).to_series()
        # Of a line that is cut, the last panel may go on.
        ends = texts.str.strip_chars_end(" ").str.len_chars().to_numpy()
        whole = ~np.isin(found[first], report_lines.cut) | (begin[first] + (end - begin)[first] < ends)
        return np.where((some & whole)[which], which, -1), parts.to_list()

    def field_numbers(self, place: Field, table: Table, column: Column, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """The field's number on each row, and the value of its last printed digit."""
        which, parts = self.field_texts(place, table, rows)
        strings = pl.Series(parts, dtype=pl.String).fill_null("")
        # Free-form values may have a blank before the unit (12.5 MB).
        cells = as_cells(strings.str.replace(r" +([KMG])$", "${1}"))
        reader = {"bound": "clock", "count": "number", "amount": "number"}.get(column.type.reader, column.type.reader)
        read = numbers.read(cells, reader, self.report.suffixes, in_text=True, unit=1e-3)
        number, code = read.value, read.code
        worth = np.full(len(cells), np.nan)
        if reader in ("number", "storage"):
            if not column.type.unit.startswith("%"):
                code[read.percent] = null_reasons.UNREADABLE
            if not column.may_have_suffix:
                code[(code == null_reasons.OK) & (read.factor > 1)] = null_reasons.UNREADABLE
            if column.type.reader in ("count", "storage"):
                code[(code == null_reasons.OK) & ~read.whole] = null_reasons.UNREADABLE
            if column.decimals is not None:
                told = (code == null_reasons.OK) & (read.factor == 1) & ~read.percent
                code[told & ~numbers.have_decimals(cells, column.decimals, column.digits)] = null_reasons.UNREADABLE
            if column.resolution:
                worth = np.where(code == null_reasons.OK, read.digit, np.nan)
        number = np.where(code == null_reasons.OK, number, np.nan)
        out = np.append(number, np.nan)[which]
        codes = np.append(code, null_reasons.BLANK)[which]
        stated = np.flatnonzero(codes > null_reasons.BLANK)
        if len(stated):
            # follows: the nearest line of the kind below; else above. Either way the reject names the row's line.
            self.cut.caster.nulls.append((table.name, column.name, rows.line[stated], codes[stated]))
            wrong = stated[codes[stated] >= null_reasons.OVERFLOW]
            what = [
                f"{column.name}: the value did not fit its field"
                if codes[k] == null_reasons.OVERFLOW
                else f"{column.name}: {parts[which[k]]!r} cannot be read"
                for k in wrong
            ]
            self.rejects.add(self.report_lines, rows.line[wrong], what, EXPECTED[column.type.reader])
        return out, np.append(worth, np.nan)[which]

    def parsed(self, place: Parsed, table: Table, column: Column, rows: Rows) -> tuple[np.ndarray, list[Any]]:
        """An index per row into the values of a line parser, and the values."""
        which, found = self.line_values.of_rows(place.parser, rows.kinds, rows.line)
        name = place.name or column.name
        given = [one.get(name) for one in found]
        if _STATED.keys().isdisjoint(given):
            return which, given
        codes = np.array(
            [_STATED.get(value, null_reasons.BLANK) for value in given] + [null_reasons.BLANK], dtype=np.uint8
        )[which]
        stated = np.flatnonzero(codes > null_reasons.BLANK)
        if len(stated):
            self.cut.caster.nulls.append((table.name, column.name, rows.line[stated], codes[stated]))
        return which, [None if value in _STATED else value for value in given]

    def parsed_numbers(self, place: Parsed, table: Table, column: Column, rows: Rows) -> np.ndarray:
        which, found = self.parsed(place, table, column, rows)
        return np.array([np.nan if v is None else float(v) for v in found] + [np.nan])[which]

    def parsed_array(self, place: Parsed, table: Table, column: Column, rows: Rows) -> pa.Array:
        which, found = self.parsed(place, table, column, rows)
        stamps = np.array([v if isinstance(v, dt.datetime) else None for v in found], "M8[us]")
        data = stamps[which] if len(found) else np.zeros(0, "M8[us]")
        return pa.array(data, column.type.arrow, mask=np.isnat(data))
