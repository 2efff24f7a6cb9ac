"""What a made-up site does in an interval: numbers that agree with each other as those of a real page do.

Totals are sums of their parts, rates are counts over the interval, APPL % follows from the service times, the buckets
of a distribution sum to the transactions that ended.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any

Facts = dict[str, Any]

# Facts of a class are the sums of those of its periods, facts of a workload those of its classes.
_ADDITIVE = [
    "avg",
    "mpl",
    "ended",
    "swaps",
    "executed",
    "enclaves",
    "remote",
    "multisystem",
    "ssch",
    "ioc",
    "cpu",
    "mso",
    "srb",
    "cpu_s",
    "srb_s",
    "rct_s",
    "iit_s",
    "hst_s",
    "iip_s",
    "iipcp_s",
    "blk_s",
    "enq_s",
    "crm_s",
    "lck_s",
    "sup_s",
    "mobile_s",
    "frames",
    "shared",
]
_WEIGHTED = ["actual", "execution", "queued", "affinity", "ineligible", "conversion", "stddev"]
_NAMES = [
    "CICS",
    "BATCH",
    "TSO",
    "STC",
    "DB2",
    "IMS",
    "DDF",
    "WEB",
    "MQ",
    "OMVS",
    "SAP",
    "MON",
    "HTTP",
    "LIBERTY",
    "ZOSMF",
    "TCPIP",
]
_WORDS = [
    "Online",
    "Batch",
    "Started",
    "Tasks",
    "Prime",
    "Shift",
    "Hotel",
    "Orders",
    "Ledger",
    "Payments",
    "Default",
    "High",
    "Low",
    "Priority",
    "Work",
]


@dataclass
class Period:
    """A period's goal and habits. kind: average, percentile, velocity, discretionary or system."""

    number: int
    kind: str
    goal_s: float
    goal_pct: float
    importance: int
    rate: float
    engines: float


@dataclass
class ServiceClass:
    """A service or report class; `subsystem` names one whose transactions run elsewhere (no storage, no service)."""

    name: str
    workload: str
    description: str
    periods: list[Period]
    resource_group: str = ""
    critical: str = "NONE"
    io_group_high: bool = False
    honor_priority: bool = True
    subsystem: str = ""
    served: list[str] = field(default_factory=list)
    tenant: str = ""


@dataclass
class Site:
    """A sysplex with its policy. aap: the machine has zAAPs (else N/A is printed); mso: the coefficient is not 0."""

    layout: str
    release: str
    sysplex: str
    systems: list[str]
    policy: str
    classes: list[ServiceClass]
    report_classes: list[ServiceClass]
    interval_s: int
    su_per_s: float
    aap: bool
    mso: bool
    duration: bool
    converted: bool
    sections: frozenset[str]
    delay_titles: list[str]


def draw_site(rng: Random, layout: str, number: int, size: str = "normal") -> Site:
    """Site `number`, which prints in `layout` (G1, G2, G3); size "small" gives intervals of about 20 KB."""
    release = {"G1": ["SP5.1.0"], "G2": ["V2R1", "V2R2"], "G3": ["V2R3", "V2R4", "V2R5"]}[layout]
    few = size == "small"
    names = rng.sample(_NAMES, rng.randint(2, 3) if few else rng.randint(4, 8))
    if layout == "G1":
        names = ["CICS", *(n for n in names if n != "CICS")]
    classes = [_draw_class(rng, layout, name, few) for name in names for _ in range(1 if few else rng.randint(1, 3))]
    taken: set[str] = set()
    for one in classes:
        while one.name in taken:
            one.name = (one.name[:6] + rng.choice("ABCDEFGHJK$#@") + str(rng.randint(0, 9)))[:8]
        taken.add(one.name)
    many = 0 if layout == "G1" else 1 if few else min(rng.randint(2, 6), len(classes))
    reports = [_draw_report_class(rng, layout, n) for n in range(many)]
    systems = [
        f"{rng.choice(['SYS', 'CB8', 'PRD', 'LP#'])}{c}" for c in rng.sample("ABCDEFGHIJ0123456789", rng.randint(1, 8))
    ]
    return Site(
        layout=layout,
        release=rng.choice(release),
        sysplex=f"{rng.choice(['PLX', 'UT$', 'SYS'])}{number}",
        systems=systems,
        policy=rng.choice(["STANDARD", "BASEPOL", "WLMPOL", "DAYSHIFT", "WEEKEND"]),
        classes=classes,
        report_classes=reports,
        interval_s=rng.choice([300, 900, 900, 1800]),
        su_per_s=rng.choice([32388.7, 79602.0, 91954.0, 95808.4]),
        aap=rng.random() < 0.3,
        mso=rng.random() < 0.4,
        duration=layout != "G1" and rng.random() < 0.15,
        converted=layout == "G3" and rng.random() < 0.2,
        sections=frozenset(
            {"PERIOD"} if few else rng.choice([{"PERIOD"}, {"PERIOD", "CLASS"}, {"PERIOD", "CLASS", "POLICY"}])
        ),
        delay_titles=rng.sample(["I/O", "CPU", "CAP", "MPL", "SWI", "AUX", "LCK", "ENQ", "QMP"], rng.randint(2, 9)),
    )


def _draw_class(rng: Random, layout: str, name: str, few: bool) -> ServiceClass:
    goals = (
        ["average", "velocity"] if layout == "G1" else ["average", "percentile", "velocity", "discretionary", "system"]
    )
    weights = [2, 2] if layout == "G1" else [3, 3, 4, 1, 1]
    transactional = name in ("CICS", "IMS", "WEB", "DDF", "HTTP", "LIBERTY", "TSO")
    periods = []
    for number in range(1, (1 if few else rng.choice([1, 1, 2, 3])) + 1):
        kind = rng.choices(goals, weights)[0]
        if kind == "system" and number > 1:
            kind = "velocity"
        rate = rng.choice([0.5, 8, 60, 900]) if transactional else rng.choice([0, 0.01, 0.05])
        goal_s = rng.choice([0.05, 0.09, 0.25, 0.5, 1, 3, 30])
        goal_pct = rng.choice([80, 90, 95]) if kind == "percentile" else rng.choice([10, 30, 50, 85])
        importance = rng.randint(1, 5)
        periods.append(
            Period(number, kind, goal_s, goal_pct, importance, rate, rng.choice([0.003, 0.04, 0.4, 2.5]) / number)
        )
    subsystem = name if layout == "G1" and name in ("CICS", "IMS") else ""
    if subsystem:
        for period in periods:
            period.kind, period.rate = "average", max(period.rate, 0.5)
    return ServiceClass(
        name=(name + rng.choice(["HI", "LOW", "PRD", "TST", "#1", ""]))[:8],
        workload=(name + rng.choice(["_WLD", "", "WORK"]))[:8],
        description=" ".join(rng.sample(_WORDS, rng.randint(2, 4)))[:32],
        periods=periods,
        resource_group=rng.choice(["", "", "", "RGROUP1"]),
        critical=rng.choice(["NONE", "NONE", "NONE", "CPU", "STORAGE", "CPU+STORAGE"]),
        io_group_high=layout == "G2" and rng.random() < 0.15,
        honor_priority=rng.random() > 0.1,
        subsystem=subsystem,
        served=[n[:6] + "TX" for n in rng.sample(_NAMES, rng.randint(1, 12))]
        if layout != "G1" and rng.random() < 0.1
        else [],
    )


def _draw_report_class(rng: Random, layout: str, number: int) -> ServiceClass:
    tenant = "TRGRMFN1" if layout == "G3" and rng.random() < 0.15 else ""
    period = Period(
        1, rng.choice(["average", "velocity"]), 0.5, 30, 3, rng.choice([0, 5, 1500]), rng.choice([0.05, 0.8])
    )
    words = " ".join(rng.sample(_WORDS, 3))[:32]
    return ServiceClass(f"R{rng.choice(_NAMES)[:4]}{number}{rng.choice('ABC')}", "", words, [period], tenant=tenant)


def draw_period(rng: Random, site: Site, period: Period, interval_s: float, transaction_only: bool) -> Facts:
    """One period's numbers in an interval: counts, seconds, service units; times of `_WEIGHTED` in seconds."""
    r = rng.random
    facts: Facts = dict.fromkeys(_ADDITIVE, 0)
    ended = int(period.rate * interval_s * (0.5 + r()))
    actual = round(period.goal_s * (0.3 + 1.2 * r()), 6) if ended else 0.0
    queued = round(actual * 0.2 * r(), 6)
    execution = round(actual - queued, 6)
    facts |= {"ended": ended, "actual": actual, "queued": queued, "execution": execution, "stddev": actual * 2 * r()}
    facts |= {"affinity": 0.0, "ineligible": 0.0, "conversion": actual * 0.1 * r() if r() < 0.2 else 0.0}
    if transaction_only:
        return facts | {"executed": int(ended * r())}
    busy = period.engines * interval_s * (0.5 + r())
    iip = busy * 0.6 * r() if r() < 0.5 else 0.0
    cpu_s, srb_s, iit_s = round(busy, 3), round(busy * 0.1 * r(), 3), round(busy * 0.01 * r(), 3)
    mpl = round(ended * execution / interval_s + (r() * 40 if r() < 0.5 else 1), 2)
    avg = round(mpl * (1 + 0.1 * r()), 2)
    facts |= {"avg": avg, "mpl": mpl, "swaps": int(3000 * r() * r()), "ssch": round(900 * r() ** 4, 1)}
    facts |= {"cpu_s": cpu_s, "srb_s": srb_s, "iit_s": iit_s, "iip_s": round(iip, 3), "rct_s": round(r() * 0.3, 3)}
    most = min(1, 0.09 * cpu_s)  # promoted time is processor time
    facts |= {"iipcp_s": iip * 0.1 * r(), "enq_s": round(most * r() * r(), 3), "blk_s": round(most * r() ** 6, 3)}
    facts |= {"lck_s": round(9 * most * r() ** 4, 3), "mobile_s": 0.3 * cpu_s * r() if r() < 0.1 else 0.0}
    facts |= {
        "ioc": int(2_000_000 * r() ** 3),
        "cpu": int(cpu_s * site.su_per_s * 0.9),
        "srb": int(srb_s * site.su_per_s),
    }
    facts |= {
        "mso": int(600_000 * r()) if site.mso else 0,
        "frames": round(min(mpl * (200 + 40_000 * r()), 1_200_000 * r()), 2),
    }
    facts |= {"shared": round(r() * 300, 2) if r() < 0.4 else 0.0, "enclaves": round(r() * 20, 2) if r() < 0.2 else 0.0}
    return facts


def add(parts: list[Facts]) -> Facts:
    """The facts of several periods or classes together; times are weighted by the transactions that ended."""
    if len(parts) == 1:
        return parts[0]
    total: Facts = {name: sum(p[name] for p in parts) for name in _ADDITIVE}
    ended = total["ended"]
    for name in _WEIGHTED:
        total[name] = sum(p[name] * p["ended"] for p in parts) / ended if ended else 0.0
    return total


def buckets(rng: Random, transactions: int, count: int) -> list[int]:
    """Transactions in each of `count` buckets, fast ones mostly; they sum to `transactions`."""
    counts, left = [], transactions
    for _ in range(count - 1):
        here = int(left * rng.random() ** 2)
        counts.append(here)
        left -= here
    return [*counts, left]


def split(rng: Random, transactions: int, ways: int) -> list[int]:
    """Transactions spread over systems; they sum to `transactions`."""
    cuts = sorted(rng.randint(0, transactions) for _ in range(ways - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, transactions], strict=True)]
