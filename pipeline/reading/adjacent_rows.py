"""Headings with one row, right below them: where a line between is lost or strange, the numbers behind it may be those of another heading."""

from __future__ import annotations

import numpy as np

from ..declaration.layouts import Columns
from .line_kinds import JUNK
from .rejects import Rejects
from .report_lines import ReportLines


def adjacent_rows(report_lines: ReportLines, heading: Columns, rejects: Rejects) -> np.ndarray:
    """The rows that stand right below their heading. Rejects the others, and headings without a row."""
    rows, titles = report_lines.lines_of(heading.rows), report_lines.lines_of(heading.lines)
    stands = np.isin(rows - 1, titles)
    far, bare = rows[~stands], titles[~np.isin(titles + 1, np.append(rows, titles))]
    # A strange line right below has its own reject.
    kind, unit = np.append(report_lines.kind, 0), np.append(report_lines.unit, -1)
    bare = bare[(kind[bare + 1] != JUNK) | (unit[bare + 1] != unit[bare])]
    report_lines.damaged[far] = True
    _reject(report_lines, far, "numbers that do not stand right below their titles; none is read", rejects)
    _reject(report_lines, bare, "titles without numbers below them", rejects)
    return rows[stands]


def _reject(report_lines: ReportLines, lines: np.ndarray, what: str, rejects: Rejects) -> None:
    what, expected = f"{report_lines.report.name}: {what}", "numbers right below their titles"
    rejects.add(
        report_lines, lines, what, expected, "a line may be missing; compare with the printed page", unread=lines
    )
