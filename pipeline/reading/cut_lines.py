"""Values that may be part of what was printed: at the end of a line that is cut, and in front of a blank within a number."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration.places import Field, Under
from ..declaration.report import Table
from .cells import CellBlock
from .rejects import Rejects
from .report_lines import ReportLines

# A continuation: the rest of a number or word, or another word.
MORE = ("0", ".0", "A", " A")


def without_cut_cells(report_lines: ReportLines, cell_block: CellBlock, rejects: Rejects) -> CellBlock:
    """The cell block with the last cell of such a line marked suspect."""
    for row in np.flatnonzero(np.isin(cell_block.line, report_lines.cut)):
        line = cell_block.line[row : row + 1]
        text = report_lines.text[int(line[0])]
        for k, place in enumerate(cell_block.layout.spans):
            if place.may_be_cut(text):
                suspect = (
                    np.zeros(cell_block.cells.shape[:2], dtype=bool)
                    if cell_block.suspect is None
                    else cell_block.suspect
                )
                suspect[row, k] = True
                cell_block = replace(cell_block, suspect=suspect)
                rejects.add_cut(report_lines, line)
    return cell_block


def goes_on(texts: pl.Series, pattern: str, blanks: str) -> np.ndarray:
    """Bool per text: the value of the pattern ends with a digit, and the rest of a number stands behind blanks (a pattern of these)."""
    some = texts.str.contains(r"[0-9.] +[0-9.]").fill_null(False).to_numpy()
    rest = re.compile(rf"(?<=[0-9.]){blanks}[0-9.]")
    for k in np.flatnonzero(some):
        found = re.search(pattern, texts[int(k)])
        some[k] = bool(found and found[1] and rest.match(texts[int(k)], found.end(1)))
    return some


def cut_texts(report_lines: ReportLines, place: Field, where: np.ndarray, rejects: Rejects) -> np.ndarray:
    """Indexes into `where` of lines on which the pattern would match more if the line were longer."""
    at = np.flatnonzero(np.isin(where, report_lines.cut))
    text = report_lines.text.gather(where[at])
    found = text.str.extract(place.pattern, 1)
    goes_on = np.zeros(len(at), dtype=bool)
    for more in MORE:
        goes_on |= (text + more).str.extract(place.pattern, 1).ne_missing(found).to_numpy()
    cut = at[goes_on & found.is_not_null().to_numpy()]
    rejects.add_cut(report_lines, where[cut])
    return cut


def not_hollow(
    report_lines: ReportLines, table: Table, arrays: dict[str, pa.Array], lines: np.ndarray, rejects: Rejects
) -> np.ndarray | None:
    """Bool per row, beginning on `lines`: it has a printed value, or its line is complete (None: all). A cut line may only look like a row."""
    printed = [c.name for c in table.columns if any(isinstance(p, Under | Field) for p in c.places)]
    at = np.flatnonzero(np.isin(lines, report_lines.cut))
    if not printed or not len(at):
        return None
    hollow = at[[not any(arrays[name][k].is_valid for name in printed) for k in at.tolist()]]
    rejects.add_cut(report_lines, np.unique(lines[hollow]))
    keep = np.ones(len(lines), dtype=bool)
    keep[hollow] = False
    return keep
