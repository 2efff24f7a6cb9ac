"""Cutting the lines of a report into cells and casting these, layout by layout: which cutter a family of layouts has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ..declaration.layouts import Columns, CounterBlocks, Entries, LabelledBlock, Listing, Pairs, TableLayout
from ..declaration.report import Report
from . import numbers
from .carried_names import Carrying
from .cast import Casting
from .cells import BLANK, Sheet
from .cut_blocks import cut_block
from .cut_columns import cut_columns
from .cut_counters import CounterRows, cut_counters
from .cut_entries import cut_entries
from .cut_listings import cut_listing
from .cut_pairs import cut_pairs
from .rejects import Rejects
from .report_lines import Frame

_DASH = ord("-")


@dataclass
class CutReport:
    """What was cut of the lines of a report."""

    frame: Frame
    casting: Casting
    carrying: Carrying
    counters: dict[tuple[str, ...], CounterRows] = field(default_factory=dict)
    """By kinds of row: the rows of tables whose every value is a row."""
    panelled: dict[tuple[str, ...], list[tuple[np.ndarray, int]]] = field(default_factory=dict)
    """By kinds of row: lines, and a panel that holds something on them."""
    extents: list[tuple[np.ndarray, int, int]] = field(default_factory=list)
    """Lines, a panel, and the column of the line at which one of its cells begins."""
    whole: list[np.ndarray] = field(default_factory=list)
    """Lines all of whose columns are declared, sheet by sheet."""

    def blank_lines(self) -> np.ndarray:
        """Bool per line: it has declared columns alone, and all of them are blank on it: there is nothing to be read."""
        out = np.zeros(len(self.frame.kind), dtype=bool)
        for line in self.whole:
            out[line] = True
        for of_column in self.casting.values.values():
            for _, kept in of_column:
                some = kept.data.is_not_null().to_numpy() if isinstance(kept.data, pl.Series) else slice(None)
                out[kept.line[some]] = False
        for spread in self.casting.spread.values():
            out[spread.line] = False
        return out


def cut_report(report: Report, frame: Frame, rejects: Rejects) -> CutReport:
    """All cells of a report, cast to values."""
    cut = CutReport(frame, Casting(report, frame, rejects), Carrying(frame))
    for layout in report.layouts:
        match layout:
            case CounterBlocks():
                _take_rows(cut, report, layout, cut_counters(frame, layout, rejects))
            case Entries():
                _take_rows(cut, report, layout, cut_entries(frame, layout, rejects))
            case Listing():
                so_far = cut.counters.get(_rows_of_table(report, layout), CounterRows.none())
                _take_rows(cut, report, layout, cut_listing(frame, layout, rejects, so_far))
            case Pairs():
                _take_cells(cut, layout, cut_pairs(frame, layout, rejects))
            case LabelledBlock():
                _take_cells(cut, layout, cut_block(frame, layout, rejects))
            case Columns():
                _take_cells(cut, layout, cut_columns(frame, layout, rejects))
            case _:
                raise TypeError(f"no cutter for {type(layout).__name__}")
    cut.casting.finish()
    for _, _, line, _ in cut.casting.nulls:
        frame.used[line] = True
    return cut


def _take_cells(cut: CutReport, layout: TableLayout, sheets: Iterator[Sheet]) -> None:
    """Cast cells of declared columns."""
    columns = layout if isinstance(layout, Columns) else None
    sheets = cut.carrying.note(sheets)
    if columns and columns.panels:
        sheets = _note_panels(cut, columns.rows, bool(columns.panels.begin), sheets)
    cut.casting.take(sheets if columns and columns.open else _note_whole(cut, sheets))


def _take_rows(cut: CutReport, report: Report, layout: TableLayout, found: CounterRows) -> None:
    """Cast values that are a row each, and add these rows to those of the same table."""
    cut.casting.take(found.sheets)
    cut.frame.used[found.line] = True
    rows = _rows_of_table(report, layout)
    cut.counters[rows] = cut.counters.get(rows, CounterRows.none()).with_more(found)


def _rows_of_table(report: Report, layout: TableLayout) -> tuple[str, ...]:
    """The kinds of row of the table that is printed in this layout."""
    return next(t.rows for t in report.tables if set(t.rows) & set(layout.rows))


def _note_panels(cut: CutReport, rows: tuple[str, ...], with_rules: bool, sheets: Iterator[Sheet]) -> Iterator[Sheet]:
    """Pass sheets on, noting which panels of a line hold anything and where they begin. `with_rules`: dashes may stand above
    a total of a panel."""
    panelled = cut.panelled.setdefault(rows, [])
    for sheet in sheets:
        filled = numbers.filled(sheet.cells.reshape(-1, numbers.CELL_WIDTH)).reshape(sheet.cells.shape[:2])
        if with_rules:
            _drop_rules(sheet, filled)
        for k, place in enumerate(sheet.layout.places):
            panelled.append((sheet.line[filled[:, k]], place.panel))
            cut.extents.append((sheet.line, place.panel, place.start))
        yield sheet


def _drop_rules(sheet: Sheet, filled: np.ndarray) -> None:
    """A panel that holds nothing but dashes (a rule above a total) holds nothing."""
    printed = ((sheet.cells != BLANK) & (sheet.cells != _DASH)).any(axis=2)
    panels = np.array([p.panel for p in sheet.layout.places])
    for panel in np.unique(panels):
        own = np.flatnonzero(panels == panel)
        at = np.ix_(~printed[:, own].any(axis=1), own)
        sheet.cells[at] = BLANK
        filled[at] = False


def _note_whole(cut: CutReport, sheets: Iterator[Sheet]) -> Iterator[Sheet]:
    """Pass sheets on, noting their lines."""
    for sheet in sheets:
        cut.whole.append(sheet.line)
        yield sheet
