"""Values that stand on a line above their row (`reach="above"` of a place): a name one or two lines up, a heading of a group of rows.

The line must be the nearest of its kinds in the section of the row, and no row that names another group may be lost between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ..declaration.report import Table
from .cells import Target
from .cut_report import CutReport
from .rejects import Rejects
from .report_lines import ReportLines


@dataclass
class LinesAbove:
    """Finds the lines above rows that their values are on."""

    report_lines: ReportLines
    cut: CutReport
    rejects: Rejects
    _out_of_order: dict[str, np.ndarray] = field(default_factory=dict)

    def of(self, target: Target, line: np.ndarray) -> np.ndarray:
        """Per row, by its line: the line above that its value is on, or -1."""
        found = self.report_lines.above(line, target.line)
        found = np.where(self._same_group(target.table, found, line), found, -1)
        if target.until:
            # The line itself may close the group: it is the last of it.
            found = np.where(self.report_lines.nearest(target.until, line - 1) > found, -1, found)
        return np.where(self.report_lines.of_kind(target.rows, line), found, -1) if target.rows else found

    def _same_group(self, table: Table, found: np.ndarray, line: np.ndarray) -> np.ndarray:
        """Bool per line: no row that names another group was lost between the line `found` and it."""
        if table.order is None:
            return found >= 0
        breaks = self._breaks(table)
        same = np.searchsorted(breaks, found, side="right") == np.searchsorted(breaks, line, side="right")
        return same & (found >= 0) & self.cut.carried_names.none_lost(found, line)

    def _breaks(self, table: Table) -> np.ndarray:
        """Lines of rows that are out of the table's order, the first of each group with a reject."""
        if table.name in self._out_of_order:
            return self._out_of_order[table.name]
        assert table.order is not None
        first, second = (self._filled(table, name) for name in table.order)
        lines = self.report_lines.lines_of(table.rows)
        of_first, of_second = np.isin(lines, first), np.isin(lines, second)
        named = ~(of_first | of_second)
        # A section begins as if a group above it had been complete.
        section = np.diff(self.report_lines.unit[lines], prepend=-1) != 0
        at = np.arange(len(lines)) + 1
        names = np.maximum.accumulate(np.where(named, at, 0))
        complete = np.maximum.accumulate(np.where(of_second | section, at, 0))
        out = (of_first & (complete > names)) | (section & ~named)
        breaks = self._out_of_order[table.name] = lines[out]
        begins = lines[out & ~np.concatenate([[False], out[:-1]])]
        what = f"{table.order[0]}: the row that names its group is missing"
        hint = "rows below have no name; lines of the page may be missing"
        self.rejects.add(self.report_lines, begins, what, "the first row of a group", hint)
        return breaks

    def _filled(self, table: Table, name: str) -> np.ndarray:
        """The lines on which a text column has a value."""
        values = self.cut.caster.values.get(table.column(name), ())
        found = [kept.line[pl.Series(kept.data).is_not_null().to_numpy()] for _, kept in values]
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])
