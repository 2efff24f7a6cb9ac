"""A line within which a file ends: its last value may be cut, and is left out unless it is seen to be whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from ..declaration.places import Field, Under
from ..declaration.report import Table
from .cells import Sheet
from .rejects import Rejects
from .report_lines import Frame

# What may follow: the rest of a number or word, or another word.
_MORE = ("0", ".0", "A", " A")


def without_cut_cells(frame: Frame, sheet: Sheet, rejects: Rejects) -> Sheet:
    """The sheet with the last cell of such a line suspect."""
    for row in np.flatnonzero(np.isin(sheet.line, frame.cut)):
        line = sheet.line[row : row + 1]
        text = frame.text[int(line[0])]
        for k, place in enumerate(sheet.layout.places):
            if place.may_be_cut(text):
                suspect = np.zeros(sheet.cells.shape[:2], dtype=bool) if sheet.suspect is None else sheet.suspect
                suspect[row, k] = True
                sheet = replace(sheet, suspect=suspect)
                rejects.cut(frame, line)
    return sheet


def cut_texts(frame: Frame, place: Field, where: np.ndarray, rejects: Rejects) -> np.ndarray:
    """Indexes into the lines `where` of those of which the pattern would take more if they went on."""
    at = np.flatnonzero(np.isin(where, frame.cut))
    text = frame.text.gather(where[at])
    found = text.str.extract(place.pattern, 1)
    goes_on = np.zeros(len(at), dtype=bool)
    for more in _MORE:
        goes_on |= (text + more).str.extract(place.pattern, 1).ne_missing(found).to_numpy()
    cut = at[goes_on & found.is_not_null().to_numpy()]
    rejects.cut(frame, where[cut])
    return cut


def not_hollow(
    frame: Frame, table: Table, arrays: dict[str, pa.Array], lines: np.ndarray, rejects: Rejects
) -> np.ndarray | None:
    """Bool per row, beginning on `lines`: something printed was read for it, or its line is whole (None: all). What a cut line was
    to become nobody knows; the beginning of some looks like that of a row."""
    printed = [c.name for c in table.columns if any(isinstance(p, Under | Field) for p in c.places)]
    at = np.flatnonzero(np.isin(lines, frame.cut))
    if not printed or not len(at):
        return None
    hollow = at[[not any(arrays[name][k].is_valid for name in printed) for k in at.tolist()]]
    rejects.cut(frame, np.unique(lines[hollow]))
    keep = np.ones(len(lines), dtype=bool)
    keep[hollow] = False
    return keep
