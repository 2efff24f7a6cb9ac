"""Content of the CICS statistics (DFHSTUP) of a region.

Source of the names: IBM CICS Transaction Server, "DFHSTUP name" of each statistic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .common import Numbers


@dataclass(frozen=True)
class StorageArea:
    """A dynamic storage area, in KiB."""

    name: str
    size: int
    cushion: int
    free: int
    getmains: Numbers = 0
    freemains: Numbers = 0


# A title with labels and values, the rows of a table, or storage areas side by side.
Part = tuple[str, Sequence[Any]]


@dataclass(frozen=True)
class CicsStatistics:
    """The statistics of a region, a collection at each of the times `collected` (datetime64, whole seconds), its counters reset at `last_reset`."""

    applid: str
    collected: NDArray[np.datetime64]
    last_reset: NDArray[np.datetime64]
    parts: Sequence[Part]
