"""The input of the engine: canonical text."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl


@dataclass(frozen=True)
class SplitText:
    """Text already split: its lines, and the indexes of those that begin a page."""

    lines: pl.Series
    page_starts: np.ndarray


@dataclass(frozen=True)
class Segment:
    """Whole pages of one source, in canonical form.

    text: UTF-8, every physical line of the file ends in one LF; no CR, no FF, no carriage control in it. A line that
        only overprints the line before it (bold) is merged into that line and replaced by an empty line, so that line
        numbers do not change.
    control: one ASA character per line ("1" begins a page, also for a form feed; machine control is translated), or
        empty if the file has no carriage control.
    first_line, first_page: number of the first line and page in the file, counted from 1.
    cut_short: the file ends within its last line; its last value may be truncated.
    line_numbers: of an XML document, the number in the file of each line of the text. None: they follow each other.
    split: the same text already split, or None.
    """

    source_id: str
    source_file: str
    text: bytes
    control: bytes = b""
    first_line: int = 1
    first_page: int = 1
    cut_short: bool = False
    split: SplitText | None = field(default=None, compare=False, repr=False)
    line_numbers: np.ndarray | None = field(default=None, compare=False, repr=False)
