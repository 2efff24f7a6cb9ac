"""Content of the RMF Overview report of a system: a line per interval, a column per OVW statement of the site.

Source of the names: IBM z/OS RMF Report Analysis, "Overview report".
"""

from dataclasses import dataclass

import numpy as np

from .common import Intervals, Numbers


@dataclass(frozen=True)
class OverviewColumn:
    """A column: the name of its statement, at most 8 characters, and its values, one per line. `of_class`: a condition of a service class."""

    name: str
    values: Numbers
    decimals: int
    of_class: bool = False


@dataclass(frozen=True)
class Overview:
    """The report: its range, which the heading prints, and its lines. Intervals are those of a duration report: whole seconds."""

    system: str
    release: str
    start: np.datetime64
    end: np.datetime64
    intervals: Intervals
    columns: tuple[OverviewColumn, ...]
