"""What the reading of files hands to the engine: text whose lines are lines and whose columns are columns."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl


@dataclass(frozen=True)
class SplitText:
    """Text that was split already: its lines, and the indexes of those that begin a page."""

    lines: pl.Series
    page_starts: np.ndarray


@dataclass(frozen=True)
class Segment:
    """Some whole pages of one source, in canonical form.

    text: UTF-8, every physical line of the file ends in one LF; no CR, no FF, no carriage control in it. A line that
        only overprints the line before it (bold) is merged into that line and stays as an empty line, so that lines
        keep their numbers.
    control: one ASA character a line ("1" begins a page: a form feed counts as one; machine control is translated), or
        empty where the file carries no carriage control.
    first_line, first_page: number of the first line and page in the file, counted from 1.
    cut_short: the file ends within its last line, so that the last value on it may be cut.
    split: the same text split, where somebody has it at hand.
    """

    source_id: str
    source_file: str
    text: bytes
    control: bytes = b""
    first_line: int = 1
    first_page: int = 1
    cut_short: bool = False
    split: SplitText | None = field(default=None, compare=False, repr=False)
