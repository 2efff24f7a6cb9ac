"""Content of RMF Workload Activity for a sysplex.

Source of the names and formulas: IBM z/OS RMF Report Analysis, "Workload Activity report".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .common import Intervals, Numbers, ratio

# The bounds of a response time distribution, as multiples of the goal; above is one more.
BUCKET_BOUNDS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 2.0, 4.0)
_GOAL_BUCKET = BUCKET_BOUNDS.index(1.0)


@dataclass(frozen=True)
class Category:
    """Processor time of transactions, seconds: on general processors, the part of it that was eligible for a specialty
    engine, and on specialty engines."""

    cp_s: Numbers = 0
    on_cp_s: Numbers = 0
    specialty_s: Numbers = 0


# Averages of the transactions that ended and of the I/Os; all other facts of several blocks add up.
_BY_ENDED = ("actual_s", "execution_s", "queued_s", "affinity_s", "ineligible_s", "conversion_s")
_BY_IO = ("connect_ms", "disconnect_ms", "qpend_ms", "iosq_ms")


@dataclass(frozen=True)
class Work:
    """The facts of a data block: the work of a class, period, workload or policy in each interval.

    Counts bare; times of transactions in seconds, averages of those that ended; service units raw; processor, promoted
    and category times in seconds, specialty engine time as measured there (not normalised); iipcp_s and aapcp_s are
    parts of cpu_s + srb_s; DASD times in milliseconds, their sum is RESP; storage in frames of 4 KiB. `transactions` is the
    time of ended transactions, None where it is all processor time.
    """

    avg: Numbers = 0
    mpl: Numbers = 0
    ended: Numbers = 0
    swaps: Numbers = 0
    executed: Numbers = 0
    enclaves: Numbers = 0
    remote_enclaves: Numbers = 0
    multisystem_enclaves: Numbers = 0
    actual_s: Numbers = 0
    execution_s: Numbers = 0
    queued_s: Numbers = 0
    affinity_s: Numbers = 0
    ineligible_s: Numbers = 0
    conversion_s: Numbers = 0
    deviation_s: Numbers = 0
    ssch_per_s: Numbers = 0
    connect_ms: Numbers = 0
    disconnect_ms: Numbers = 0
    qpend_ms: Numbers = 0
    iosq_ms: Numbers = 0
    ioc: Numbers = 0
    cpu: Numbers = 0
    mso: Numbers = 0
    srb: Numbers = 0
    cpu_s: Numbers = 0
    srb_s: Numbers = 0
    rct_s: Numbers = 0
    iit_s: Numbers = 0
    hst_s: Numbers = 0
    iip_s: Numbers = 0
    aap_s: Numbers = 0
    iipcp_s: Numbers = 0
    aapcp_s: Numbers = 0
    blk_s: Numbers = 0
    enq_s: Numbers = 0
    crm_s: Numbers = 0
    lck_s: Numbers = 0
    sup_s: Numbers = 0
    frames: Numbers = 0
    shared_frames: Numbers = 0
    page_in_single_per_s: Numbers = 0
    page_in_block_per_s: Numbers = 0
    page_in_shared_per_s: Numbers = 0
    page_in_hsp_per_s: Numbers = 0
    transactions: Category | None = None

    @property
    def total_service(self) -> Numbers:
        """TOT = IOC + CPU + MSO + SRB."""
        return self.ioc + self.cpu + self.mso + self.srb

    @property
    def response_ms(self) -> Numbers:
        """RESP = CONN + DISC + Q+PEND + IOSQ."""
        return self.connect_ms + self.disconnect_ms + self.qpend_ms + self.iosq_ms

    def cp_s(self, norm_factor_iip: float = 1, norm_factor_aap: float = 1) -> Numbers:
        """Time on general processors: CPU + SRB + RCT + IIT + HST - NF x IIP - NF x AAP."""
        elsewhere = norm_factor_iip * self.iip_s + norm_factor_aap * self.aap_s
        return self.cpu_s + self.srb_s + self.rct_s + self.iit_s + self.hst_s - elsewhere

    def transaction_time(self, norm_factor_iip: float = 1, norm_factor_aap: float = 1) -> Category:
        """Processor time of ended transactions."""
        if self.transactions is not None:
            return self.transactions
        cp = self.cp_s(norm_factor_iip, norm_factor_aap)
        return Category(cp, self.iipcp_s + self.aapcp_s, self.iip_s + self.aap_s)


def add(parts: Sequence[Work]) -> Work:
    """The work of several periods, classes or systems together; deviations are pooled (second moments added).

    >>> both = add([Work(ended=1, actual_s=1.0), Work(ended=3, actual_s=3.0)])
    >>> both.ended, float(both.actual_s), float(both.deviation_s)
    (4, 2.5, 0.8660254037844386)
    """
    if len(parts) == 1:
        return parts[0]

    def total(name: str, by: str = "") -> Numbers:
        return sum(getattr(one, name) * (getattr(one, by) if by else 1) for one in parts)

    facts: dict[str, Any] = {}
    for one in fields(Work):
        if one.name in _BY_ENDED:
            facts[one.name] = ratio(total(one.name, "ended"), total("ended"))
        elif one.name in _BY_IO:
            facts[one.name] = ratio(total(one.name, "ssch_per_s"), total("ssch_per_s"))
        elif any(isinstance(getattr(part, one.name), Category) for part in parts):
            times = [getattr(part, one.name) or Category() for part in parts]
            facts[one.name] = Category(*(sum(getattr(t, part.name) for t in times) for part in fields(Category)))
        elif one.name != "transactions":
            facts[one.name] = total(one.name)
    moments = ratio(sum(one.ended * (one.deviation_s**2 + one.actual_s**2) for one in parts), facts["ended"])
    facts["deviation_s"] = np.sqrt(np.maximum(moments - facts["actual_s"] ** 2, 0))
    return Work(**facts)


@dataclass(frozen=True)
class Goal:
    """kind: average (seconds), percentile (percent of transactions within seconds), velocity (percent), discretionary or
    system."""

    kind: str
    seconds: float = 0.0
    percent: float = 0.0


@dataclass(frozen=True)
class OnSystem:
    """The goal row of a period on one system, with its ended transactions and their buckets.

    Percentages are of the samples: using_* and delays while executing (a title each: CPU, CAP, Q MPL …), the others of all.
    `buckets` has one row per interval and one column per bucket (one more than BUCKET_BOUNDS); they sum to `ended`.
    """

    system: str
    ended: Numbers = 0
    actual_s: Numbers = 0
    buckets: NDArray[np.int64] | None = None
    address_spaces: Numbers = 0
    using_cpu: Numbers = 0
    using_aap: Numbers = 0
    using_iip: Numbers = 0
    using_io: Numbers = 0
    delays: dict[str, Numbers] = field(default_factory=dict)
    using_crypto: Numbers = 0
    using_contention: Numbers = 0
    unknown: Numbers = 0
    idle: Numbers = 0
    delay_crypto: Numbers = 0
    delay_contention: Numbers = 0
    quiesced: Numbers = 0

    @property
    def using(self) -> Numbers:
        """All execution using samples, percent."""
        return self.using_cpu + self.using_aap + self.using_iip + self.using_io

    @property
    def delayed(self) -> Numbers:
        """EXEC DELAYS TOT: the sum of the delays, percent."""
        return sum(self.delays.values())

    @property
    def velocity(self) -> NDArray[np.float64]:
        """EX VEL% = using / (using + delayed); 0 without such samples."""
        return 100 * ratio(self.using, self.using + self.delayed)

    def within_goal(self) -> NDArray[np.float64]:
        """Percent of the transactions that ended within the goal, from the buckets."""
        counts = np.zeros((1, len(BUCKET_BOUNDS) + 1)) if self.buckets is None else self.buckets
        return 100 * ratio(counts[:, : _GOAL_BUCKET + 1].sum(1), counts.sum(1))

    def index(self, goal: Goal) -> NDArray[np.float64] | None:
        """PERF INDX: goal / velocity, actual / goal, or the bound that reaches the percentile; None without such a goal.
        Where nothing ended, or the velocity prints as 0.0, it is NaN."""
        if goal.kind == "velocity":
            return ratio(goal.percent, np.where(self.velocity < 0.05, 0, self.velocity), np.nan)
        if goal.kind == "average":
            actual, ended = np.broadcast_arrays(np.asarray(self.actual_s, float), np.asarray(self.ended))
            return np.where(ended > 0, actual / goal.seconds, np.nan)
        if goal.kind != "percentile" or self.buckets is None:
            return None
        total = self.buckets.sum(1, keepdims=True)
        reached = np.cumsum(self.buckets, axis=1) * 100 >= goal.percent * total
        bounds = np.array([*BUCKET_BOUNDS, BUCKET_BOUNDS[-1]])
        return np.where(total[:, 0] > 0, bounds[reached.argmax(axis=1)], np.nan)


_SAMPLED = [one.name for one in fields(OnSystem) if one.name.startswith(("using_", "delay_"))]
_SAMPLED += ["unknown", "idle", "quiesced"]


@dataclass(frozen=True)
class Period:
    """A period of a service class: its goal, its work on all systems, and what each system has of it. importance 1 is
    the highest; 0 where the goal has none (discretionary, system)."""

    number: int
    importance: int
    goal: Goal
    work: Work
    systems: tuple[OnSystem, ...] = ()

    @cached_property
    def everywhere(self) -> OnSystem:
        """The row *ALL: samples weighted by address spaces, times those of the block, buckets added."""
        weights = [one.address_spaces for one in self.systems]
        whole = sum(weights)

        def weigh(cells: list[Numbers]) -> Numbers:
            return ratio(sum(c * w for c, w in zip(cells, weights, strict=True)), whole)

        titles = self.systems[0].delays if self.systems else {}
        given = [one.buckets for one in self.systems if one.buckets is not None]
        return OnSystem(
            system="*ALL",
            ended=self.work.ended,
            actual_s=self.work.actual_s,
            buckets=sum(given[1:], given[0]) if given else None,
            address_spaces=whole,
            delays={title: weigh([one.delays[title] for one in self.systems]) for title in titles},
            **{name: weigh([getattr(one, name) for one in self.systems]) for name in _SAMPLED},  # pyright: ignore[reportArgumentType]
        )


@dataclass(frozen=True)
class ServiceClass:
    """A service class and its periods."""

    name: str
    workload: str
    periods: tuple[Period, ...]
    description: str = ""
    resource_group: str = "*NONE"
    critical: str = "NONE"

    @cached_property
    def work(self) -> Work:
        """All periods together."""
        return add([one.work for one in self.periods])


@dataclass(frozen=True)
class ReportClass:
    """A report class: a second, incomplete partition of the same work."""

    name: str
    work: Work


@dataclass(frozen=True)
class PolicySystem:
    """A system of the sysplex on the service policy page: service units per second of one engine, capacity in percent."""

    name: str
    su_per_s: float
    opt: str = "00"
    capacity_pct: int = 100
    boost: str = "None"


@dataclass(frozen=True)
class ServicePolicy:
    """The service policy: coefficients IOC, CPU, SRB, MSO (fixed from z/OS 2.5 on) and norm factors of specialty engines."""

    name: str
    activated: np.datetime64
    systems: tuple[PolicySystem, ...]
    description: str = "Standard policy"
    definition: str = "SERVDEF1"
    installed: np.datetime64 | None = None
    installed_by: str = "SYSPROG"
    coefficients: tuple[float, float, float, float] = (5.0, 10.0, 10.0, 0.0)
    norm_factor_aap: float = 1.0
    norm_factor_iip: float = 1.0
    zaap: bool = False


@dataclass(frozen=True)
class WorkloadActivity:
    """The Workload Activity report of a sysplex: its service classes, their periods, report classes, and the policy."""

    sysplex: str
    release: str
    intervals: Intervals
    policy: ServicePolicy
    classes: tuple[ServiceClass, ...]
    report_classes: tuple[ReportClass, ...] = ()
