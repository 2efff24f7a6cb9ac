"""Content of the statistics of CICS servers of shared temporary storage.

Source of the names: IBM CICS Transaction Server for z/OS, the servers' messages and statistics.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .common import Row


@dataclass(frozen=True)
class CicsServer:
    """The messages of a server: when it printed them (datetime64, local time, whole seconds), its pool and the accesses to it."""

    system: str
    job: str
    pool_name: str
    printed_at: NDArray[np.datetime64]
    pool: Row
    accesses: Row
