"""Content of RMF CPU Activity for a system.

Source of the names and formulas: IBM z/OS RMF Report Analysis, "CPU Activity report".
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .common import Intervals, Numbers, ratio
from .work_units import LoadAnalysis


@dataclass(frozen=True)
class Processor:
    """A logical processor of one thread; percentages of its online time. One that is always parked prints no MVS BUSY. `polarization` is
    HIGH, MED or LOW."""

    number: int
    kind: str
    lpar_busy_pct: Numbers = 0
    mvs_busy_pct: Numbers = 0
    parked_pct: Numbers = 0
    online_pct: Numbers = 100
    share_pct: Numbers = 100
    polarization: str = "HIGH"
    interrupts_per_s: Numbers = 0
    tpi_pct: Numbers = 0


@dataclass(frozen=True)
class TypeTotal:
    """TOTAL/AVERAGE of a processor type: busy weighted by online time (MVS BUSY by unparked time), shares and
    rates added, as a published page of V2R5 has them."""

    lpar_busy_pct: NDArray[np.float64]
    mvs_busy_pct: NDArray[np.float64]
    share_pct: Numbers
    interrupts_per_s: Numbers
    tpi_pct: NDArray[np.float64]


@dataclass(frozen=True)
class CpuActivity:
    """The CPU Activity report of a system. Without `analysis` the parts behind the processors are not printed."""

    system: str
    release: str
    intervals: Intervals
    processors: tuple[Processor, ...]
    cpc_type: str = "8561"
    model: str = "710"
    hardware_model: str = "T01"
    capacity: int = 2000
    sequence_code: str = "00000000000A1B2C"
    hiperdispatch: bool = True
    boost_type: str = "None"
    boost_class: str = "None"
    analysis: LoadAnalysis | None = None

    @cached_property
    def kinds(self) -> dict[str, list[Processor]]:
        """Processors by type, in the order of the page."""
        kinds: dict[str, list[Processor]] = {}
        for one in self.processors:
            kinds.setdefault(one.kind, []).append(one)
        return kinds

    def total(self, kind: str) -> TypeTotal:
        """What TOTAL/AVERAGE prints for a type."""
        rows = self.kinds[kind]
        online = sum(one.online_pct for one in rows)
        busy = sum(one.lpar_busy_pct * one.online_pct for one in rows)
        unparked = mvs = 0
        for one in rows:
            unparked = unparked + one.online_pct * (100 - one.parked_pct)
            mvs = mvs + one.mvs_busy_pct * one.online_pct * (100 - one.parked_pct)
        rate = sum(one.interrupts_per_s for one in rows)
        return TypeTotal(
            lpar_busy_pct=ratio(busy, online),
            mvs_busy_pct=ratio(mvs, unparked),
            share_pct=sum(one.share_pct for one in rows),
            interrupts_per_s=rate,
            tpi_pct=ratio(sum(one.tpi_pct * one.interrupts_per_s for one in rows), rate),
        )
