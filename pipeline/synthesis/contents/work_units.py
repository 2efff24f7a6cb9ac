"""Content of the analysis parts of RMF CPU Activity: address spaces, work units that are ready to run, and blocked work.

Source of the names: IBM z/OS RMF Report Analysis, "CPU Activity report".
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .common import Numbers, ratio

# The buckets of the distribution hold up to N + so many work units each; one more holds what is above the last.
BOUNDS = (0, 1, 2, 3, 5, 10, 15, 20, 30, 40, 60, 80, 100, 120, 150)


@dataclass(frozen=True)
class Sampled:
    """The least, the greatest and the mean number that the samples of an interval found."""

    least: Numbers = 0
    greatest: Numbers = 0
    mean: Numbers = 0


_NONE = Sampled()


@dataclass(frozen=True)
class AddressSpaces:
    """Address spaces by queue (those ready are among those `in_storage`) and by type."""

    in_ready: Sampled = _NONE
    in_storage: Sampled = _NONE
    out_ready: Sampled = _NONE
    out_wait: Sampled = _NONE
    logical_out_ready: Sampled = _NONE
    logical_out_wait: Sampled = _NONE
    batch: Sampled = _NONE
    stc: Sampled = _NONE
    tso: Sampled = _NONE
    asch: Sampled = _NONE
    omvs: Sampled = _NONE


@dataclass(frozen=True)
class ReadyQueue:
    """The distribution of in-ready work units: N, the mean number of processors online and not parked, and the samples in each bucket."""

    unparked: Numbers
    samples: tuple[Numbers, ...]

    @property
    def shares_pct(self) -> tuple[NDArray[np.float64], ...]:
        """Of the samples in all buckets."""
        return tuple(100 * ratio(one, sum(self.samples)) for one in self.samples)


@dataclass(frozen=True)
class BlockedWork:
    """What was done for work that got no processor: the limits of IEAOPTxx (BLWLTRPCT, BLWLINTHD), promotions that they allow, of these
    used, and work that waited for one."""

    limit_pct: float = 0.5
    after_s: int = 20
    promotes_per_s: int = 0
    used_pct: Numbers = 0
    waiters: Numbers = 0
    waiters_peak: Numbers = 0


@dataclass(frozen=True)
class LoadAnalysis:
    """The analysis parts of an interval: `samples` of it, address spaces, work units by processor type, their distribution, blocked work."""

    samples: Numbers
    spaces: AddressSpaces
    units: tuple[tuple[str, Sampled], ...]
    queue: ReadyQueue
    blocked: BlockedWork
