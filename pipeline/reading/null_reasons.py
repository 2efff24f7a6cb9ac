"""Why a cell is NULL: each value that is read has a code, OK or the reason for no value. Blank, zero and unreadable are distinct."""

from __future__ import annotations

import numpy as np
import polars as pl

OK, BLANK, NOT_APPLICABLE, NOT_CALCULATED, NOT_PRESENT, NOT_MEASURED, OVERFLOW, UNREADABLE = range(8)
REASONS = ("", "blank", "N/A", "N/C", "N/P", "not_measured", "overflow", "unreadable")
REJECTED = (OVERFLOW, UNREADABLE)

_TEXT = pl.col("text")
# Dashes around a word, or alone.
_BARE = _TEXT.str.strip_chars("-")
_REASONS = {
    NOT_APPLICABLE: _BARE == "N/A",
    NOT_CALCULATED: _BARE == "N/C",
    NOT_PRESENT: _BARE == "N/P",
    NOT_MEASURED: (_BARE == "") & (_TEXT != ""),
    OVERFLOW: (_TEXT.str.strip_chars("*") == "") & (_TEXT != ""),
    BLANK: _TEXT == "",
}


def reasons(strings: pl.Series) -> np.ndarray:
    """Code per text without a value: blank, N/A and the like, dashes, asterisks, or unreadable."""
    code = np.full(len(strings), UNREADABLE, dtype=np.uint8)
    # Asked together they take half the time.
    found = strings.to_frame("text").select(is_so.alias(str(meaning)) for meaning, is_so in _REASONS.items())
    for meaning in _REASONS:
        code[found[str(meaning)].to_numpy()] = meaning
    return code
