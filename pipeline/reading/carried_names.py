"""Names printed only on the first row of a group (`fill="down"`): finds the line that names each row below.

A name applies to the rows below it in its section and panel. It continues across a page break if the next page continues the section
or repeats the section's first line, unless rows between were lost: those may have had another name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache

import numpy as np

from ..declaration.places import Under
from ..declaration.report import Column, Report
from . import numbers
from .cells import CellBlock, Target
from .line_kinds import JUNK
from .report_lines import ReportLines

# Minimum share of numbers aligned with those of rows for an unread line to count as a row.
_ENDS_OF_A_ROW = 2


@cache
def _carries(report: Report) -> bool:
    places = (p for table in report.tables for column in table.columns for p in column.places)
    return any(table.order for table in report.tables) or any(isinstance(p, Under) and p.fill == "down" for p in places)


@lru_cache(maxsize=4096)
def _roles(targets: tuple[Target, ...]) -> tuple[bool, list[Target]]:
    """Whether all targets of a span take numbers, and those that are names of the rows below."""
    return all(t.queue == "number" for t in targets), [t for t in targets if t.fill == "down"]


@dataclass
class CarriedNames:
    """Records the filled cells of carried columns, and finds the line that names a row."""

    report_lines: ReportLines
    _cells: dict[Target, list[tuple[np.ndarray, int, np.ndarray]]] = field(default_factory=dict)
    _edges: set[tuple[int, ...]] = field(default_factory=set)

    def note(self, cell_blocks: Iterable[CellBlock]) -> Iterator[CellBlock]:
        """Pass cell blocks on."""
        if not _carries(self.report_lines.report):
            yield from cell_blocks
            return
        for cell_block in cell_blocks:
            roles = [_roles(span.targets) for span in cell_block.layout.spans]
            edges = (s.edge for s, (is_numeric, _) in zip(cell_block.layout.spans, roles, strict=True) if is_numeric)
            self._edges.add(tuple(edges))
            for k, (_, names) in enumerate(roles):
                for target in names:
                    filled = numbers.filled(cell_block.cells[:, k])
                    mine = self.report_lines.of_kind(target.rows, cell_block.line) if target.rows else slice(None)
                    panel = cell_block.layout.spans[k].panel
                    self._cells.setdefault(target, []).append((cell_block.line[mine], panel, filled[mine]))
            yield cell_block

    def none_lost(self, found: np.ndarray, line: np.ndarray) -> np.ndarray:
        """Bool per line: all rows between the line `found` and it were read."""
        return self._lost[found] == self._lost[line]

    def nameless(self, column: Column, line: np.ndarray, panel: np.ndarray) -> np.ndarray:
        """Bool per row, which begins on `line` in `panel`: its panel has the column, but no cell names the row."""
        out = np.zeros(len(line), dtype=bool)
        for target in self._cells:
            if target.column is column:
                out |= self._there(target, line, panel) & (self.source(target, line, panel) < 0)
        return out

    def _there(self, target: Target, line: np.ndarray, panel: np.ndarray) -> np.ndarray:
        """Bool per row: its panel has the column."""
        out = np.zeros(len(line), dtype=bool)
        for lines, number, _ in self._cells[target]:
            out |= (panel == number) & np.isin(line, lines)
        return out

    def source(self, target: Target, line: np.ndarray, panel: np.ndarray) -> np.ndarray:
        """Per row: the line that names it, or -1."""
        found = np.full(len(line), -1, dtype=np.int64)
        there = self._there(target, line, panel)
        for number in {p for _, p, _ in self._cells[target]}:
            here = there & (panel == number)
            names = np.sort(np.concatenate([at[filled] for at, p, filled in self._cells[target] if p == number]))
            if len(names):
                at = np.searchsorted(names, line, side="right") - 1
                near = names[np.maximum(at, 0)]
                good = here & (at >= 0) & (self.run[near] == self.run[line]) & (self._lost[near] == self._lost[line])
                if target.until:
                    good &= self.report_lines.nearest(target.until, line - 1) < near
                found[good] = near[good]
        return found

    @cached_property
    def _lost(self) -> np.ndarray:
        """Per line: the number of unread rows up to it; any of them may have had another name."""
        return np.cumsum(self.report_lines.damaged | self.report_lines.lost_rows | self._spoilt)

    @cached_property
    def _spoilt(self) -> np.ndarray:
        """Bool per line: an unknown line whose digits end where half of the numbers of the rows do. Such a line was a row; any
        other is foreign and loses nothing."""
        report_lines = self.report_lines
        out = np.zeros(len(report_lines.kind), dtype=bool)
        strange = np.flatnonzero(report_lines.kind == JUNK)
        cells = report_lines.cells[strange]
        digits = (cells >= ord("0")) & (cells <= ord("9"))
        for edges in self._edges:
            inside = np.array([e for e in edges if e < cells.shape[1]], dtype=np.int64)
            if len(strange) and len(inside) >= _ENDS_OF_A_ROW:
                ends = digits[:, inside - 1] & ~digits[:, inside]
                out[strange] |= ends.sum(axis=1) >= max(_ENDS_OF_A_ROW, len(inside) // 2)
        return out

    @cached_property
    def run(self) -> np.ndarray:
        """Per line: its section; a section that continues on the next page counts once."""
        report_lines = self.report_lines
        starts = np.flatnonzero(np.diff(report_lines.unit, prepend=-1))
        kinds = [k for k in report_lines.grammar.sections if k not in report_lines.grammar.page_lines]
        page, segment = report_lines.page_index[starts], report_lines.segment[starts]
        run = np.arange(len(starts))
        interval = [report_lines.page_text(kind) for kind in report_lines.report.interval]
        for kind in kinds:
            ids, _ = report_lines.text_ids((kind,))
            units = np.flatnonzero(ids[starts] >= 0)
            if len(units) < 2:
                continue
            before, now = units[:-1], units[1:]
            goes_on = (ids[starts[before]] == ids[starts[now]]) & (page[now] == page[before] + 1)
            goes_on &= (segment[now] == segment[before]) & report_lines.follows[page[now]]
            named = np.zeros(len(now), dtype=bool)
            for of_page in interval:
                goes_on &= of_page[page[now]] == of_page[page[before]]
                named |= of_page[page[now]] >= 0
            goes_on &= named
            first = np.maximum.accumulate(np.where(np.concatenate([[True], ~goes_on]), np.arange(len(units)), 0))
            run[units] = units[first]
        owner = np.where(report_lines.owner >= 0, report_lines.owner, report_lines.unit)
        return run[owner]
