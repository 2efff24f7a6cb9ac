"""Cut the lines of a report into cells and cast them; chooses the cutter of each layout.

Most reports need one or two cutters. Each is imported where it is chosen: to load them all takes as long as to read a small file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..declaration.layouts import (
    Columns,
    CounterBlocks,
    Entries,
    LabelledBlock,
    Listing,
    Pairs,
    TableLayout,
    XmlRows,
    XmlVariables,
)
from ..declaration.report import Report
from . import numbers
from .carried_names import CarriedNames
from .cast import Caster
from .cells import BLANK, CellBlock
from .rejects import Rejects
from .report_lines import ReportLines

if TYPE_CHECKING:
    from .cut_counters import CounterRows

_DASH = ord("-")


@dataclass
class CutReport:
    """The cut cells of a report."""

    report_lines: ReportLines
    caster: Caster
    carried_names: CarriedNames
    counters: dict[tuple[str, ...], CounterRows] = field(default_factory=dict)
    """By kinds of row: the rows of tables with one row per value."""
    panelled: dict[tuple[str, ...], list[tuple[np.ndarray, int]]] = field(default_factory=dict)
    """By kinds of row: lines with their non-blank panels."""
    extents: list[tuple[np.ndarray, int, int, str]] = field(default_factory=list)
    """Lines, a panel, the column of the line at which one of its cells begins, and the title of the cell."""
    whole: list[np.ndarray] = field(default_factory=list)
    """Lines with all columns declared, block by block."""

    def blank_lines(self) -> np.ndarray:
        """Bool per line: it has only declared columns, and all are blank."""
        out = np.zeros(len(self.report_lines.kind), dtype=bool)
        for line in self.whole:
            out[line] = True
        for of_column in self.caster.values.values():
            for _, kept in of_column:
                some = kept.data.is_not_null().to_numpy() if isinstance(kept.data, pl.Series) else slice(None)
                out[kept.line[some]] = False
        for spread in self.caster.spread.values():
            out[spread.line] = False
        return out


def cut_report(report: Report, report_lines: ReportLines, rejects: Rejects) -> CutReport:
    """All cells of a report, cast to values."""
    cut = CutReport(report_lines, Caster(report, report_lines, rejects), CarriedNames(report_lines))
    for layout in report.layouts:
        match layout:
            case CounterBlocks():
                from .cut_counters import cut_counters

                _take_rows(cut, report, layout, cut_counters(report_lines, layout, rejects))
            case Entries():
                from .cut_entries import cut_entries

                _take_rows(cut, report, layout, cut_entries(report_lines, layout, rejects))
            case Listing():
                from .cut_listings import cut_listing

                so_far = cut.counters.get(_rows_of_table(report, layout))
                _take_rows(cut, report, layout, cut_listing(report_lines, layout, rejects, so_far))
            case Pairs():
                from .cut_pairs import cut_pairs

                _take_cells(cut, layout, cut_pairs(report_lines, layout, rejects))
            case XmlVariables():
                from .cut_xml import cut_variables

                _take_cells(cut, layout, cut_variables(report_lines, layout, rejects))
            case XmlRows():
                from .cut_xml import cut_rows

                _take_cells(cut, layout, cut_rows(report_lines, layout, rejects))
            case LabelledBlock():
                from .cut_blocks import cut_block

                _take_cells(cut, layout, cut_block(report_lines, layout, rejects))
            case Columns():
                from .cut_columns import cut_columns

                _take_cells(cut, layout, cut_columns(report_lines, layout, rejects))
            case _:
                raise TypeError(f"no cutter for {type(layout).__name__}")
    cut.caster.finish()
    for _, _, line, _ in cut.caster.nulls:
        report_lines.used[line] = True
    return cut


def _take_cells(cut: CutReport, layout: TableLayout, cell_blocks: Iterator[CellBlock]) -> None:
    """Cast cells of declared columns."""
    columns = layout if isinstance(layout, Columns) else None
    cell_blocks = cut.carried_names.note(cell_blocks)
    if columns and columns.panels:
        cell_blocks = _note_panels(cut, columns.rows, bool(columns.panels.begin), cell_blocks)
    cut.caster.take(cell_blocks if columns and columns.open else _note_whole(cut, cell_blocks))


def _take_rows(cut: CutReport, report: Report, layout: TableLayout, found: CounterRows) -> None:
    """Cast values that are one row each, and append them to their table."""
    cut.caster.take(found.cell_blocks)
    cut.report_lines.used[found.line] = True
    rows = _rows_of_table(report, layout)
    so_far = cut.counters.get(rows)
    cut.counters[rows] = so_far.with_more(found) if so_far else found


def _rows_of_table(report: Report, layout: TableLayout) -> tuple[str, ...]:
    """The kinds of row of the table with this layout."""
    return next(t.rows for t in report.tables if set(t.rows) & set(layout.rows))


def _note_panels(
    cut: CutReport, rows: tuple[str, ...], with_rules: bool, cell_blocks: Iterator[CellBlock]
) -> Iterator[CellBlock]:
    """Pass cell blocks on, recording the non-blank panels of a line and where they begin. `with_rules`: a panel may have dashes above a
    total."""
    panelled = cut.panelled.setdefault(rows, [])
    for cell_block in cell_blocks:
        filled = numbers.filled(cell_block.cells)
        if with_rules:
            _drop_rules(cell_block, filled)
        for k, span in enumerate(cell_block.layout.spans):
            panelled.append((cell_block.line[filled[:, k]], span.panel))
            cut.extents.append((cell_block.line, span.panel, span.start, span.title))
        yield cell_block


def _drop_rules(cell_block: CellBlock, filled: np.ndarray) -> None:
    """A panel with only dashes (a rule above a total) counts as blank."""
    printed = numbers.any_byte((cell_block.cells != BLANK) & (cell_block.cells != _DASH))
    panels = np.array([p.panel for p in cell_block.layout.spans])
    for panel in np.unique(panels):
        own = np.flatnonzero(panels == panel)
        at = np.ix_(~printed[:, own].any(axis=1), own)
        cell_block.cells[at] = BLANK
        filled[at] = False


def _note_whole(cut: CutReport, cell_blocks: Iterator[CellBlock]) -> Iterator[CellBlock]:
    """Pass cell blocks on, recording their lines."""
    for cell_block in cell_blocks:
        cut.whole.append(cell_block.line)
        yield cell_block
