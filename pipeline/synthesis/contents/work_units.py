"""Content of the analysis parts of RMF CPU Activity: address spaces, work units that are ready to run, and blocked work.

Source of the names: IBM z/OS RMF Report Analysis, "CPU Activity report".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .common import Numbers, Row

# The buckets of the distribution hold up to N + so many work units each; one more holds what is above the last.
BOUNDS = (0, 1, 2, 3, 5, 10, 15, 20, 30, 40, 60, 80, 100, 120, 150)


@dataclass(frozen=True)
class LoadAnalysis:
    """The analysis parts of an interval: address spaces, by queue (those ready are among those in storage) and by type; work units by processor
    type; N, the mean number of processors online and not parked, with the share of samples in each bucket; and blocked work."""

    spaces: Row
    units: Mapping[str, Row]
    unparked: Numbers
    samples_pct: Sequence[Numbers]
    blocked: Row
