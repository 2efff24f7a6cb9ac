"""Why a cell is NULL: each value that is read has a code, OK or the reason for no value. Blank, zero and unreadable are distinct."""

from __future__ import annotations

import numpy as np
import polars as pl

from . import compiled
from .line_kinds import arrow_buffers, faults_told

OK, BLANK, NOT_APPLICABLE, NOT_CALCULATED, NOT_PRESENT, NOT_MEASURED, OVERFLOW, UNREADABLE = range(8)
REASONS = ("", "blank", "N/A", "N/C", "N/P", "not_measured", "overflow", "unreadable")
REJECTED = (OVERFLOW, UNREADABLE)


def reasons(strings: pl.Series) -> np.ndarray:
    """Code per text without a value: blank, N/A and the like, dashes around one or alone, asterisks, or unreadable."""
    with faults_told():
        return np.frombuffer(bytearray(compiled.reasons(*arrow_buffers(strings))), np.uint8)
