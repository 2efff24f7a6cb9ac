"""Columns that every row fills together or not at all, rows that have a name, and panels whose rows print a text: where that is not so, a number is lost, or is that of
another column or of the panel beside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .cells import BLANK, CellSpan
from .rejects import Rejects
from .report_lines import ReportLines

_WHAT = "a number or the name is missing, or is that of another column; none of its row is read"


def take_out_partly_filled(
    report_lines: ReportLines,
    lines: np.ndarray,
    cells: np.ndarray,
    filled: np.ndarray,
    spans: Sequence[CellSpan],
    has_panels: bool,
    is_short: np.ndarray,
    rejects: Rejects,
) -> np.ndarray:
    """(n, spans) bool: the cells of panels that break this; they are made blank, and a reject tells of each. Where there are no panels, the whole
    row is left out.

    cells: (n, spans, width) bytes; filled: (n, spans), 0 where a cell is blank, 1 where it has dashes alone, and 2 where it has more; is_short: (n,) bool, rows that end in front of a last title that is not declared."""
    groups = {group for span in spans for target in span.targets for group in target.table.filled_together}
    out = np.zeros(cells.shape[:2], dtype=bool)
    spreads = {k: s for k, span in enumerate(spans) if span.spread and (s := span.targets[0].table.spread)}
    whole = [k for k, s in spreads.items() if s.filled is not None]
    alone = max((s.filled or 0 for s in spreads.values()), default=0)
    names = {name for span in spans for target in span.targets for name in target.table.named_by}
    if not groups and not has_panels and not whole and not names:
        return out
    # Dashes are printed for a number, or are a rule below others.
    filled, has_value = filled > 0, filled > 1
    is_number = np.array([all(t.queue != "text" for t in span.targets) for span in spans], dtype=bool)
    panels = np.array([span.panel for span in spans])
    for panel in np.unique(panels):
        mine = panels == panel
        wrong = np.zeros(len(lines), dtype=bool)
        for some in groups:
            at = [k for k in np.flatnonzero(mine).tolist() if any(t.column.name in some for t in spans[k].targets)]
            wrong |= has_value[:, at].any(axis=1) & (~filled[:, at].all(axis=1) | is_short)
        named = mine & [any(t.column.name in names for t in span.targets) for span in spans]
        if named.any():
            wrong |= has_value[:, mine & is_number].any(axis=1) & ~filled[:, named].any(axis=1)
        if at := [k for k in whole if mine[k]]:
            many = has_value[:, at].sum(axis=1)
            wrong |= (many > 0) & (many < len(at)) & ((many != alone) | ~has_value[:, at[:alone]].all(axis=1))
        if has_panels and len(np.unique(is_number[mine])) == 2:
            wrong |= has_value[:, mine & is_number].any(axis=1) != has_value[:, mine & ~is_number].any(axis=1)
        out[np.ix_(wrong, mine)] = True
        start = min(span.start for span, here in zip(spans, mine, strict=True) if here)
        what = f"{report_lines.report.name}: {_WHAT}"
        expected = "the numbers that other rows have, behind the name of the row"
        # A row of a panel begins with its first cell; any other begins with its line.
        unread = None if has_panels else lines[wrong]
        # Rows below do not have the name of a row above it.
        (report_lines.lost_rows if has_panels else report_lines.damaged)[lines[wrong]] = True
        hint = "compare with the printed page"
        rejects.add(report_lines, lines[wrong], what, expected, hint, column=start, unread=unread)
    cells[out] = BLANK
    return out
