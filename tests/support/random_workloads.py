"""Random contents of Workload Activity: sysplexes, classes and their goals, over some intervals."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from ironlake.pipeline.synthesis.contents import (
    Breakdown,
    Category,
    Goal,
    Intervals,
    OnSystem,
    Period,
    PolicySystem,
    ReportClass,
    ServiceClass,
    ServicePolicy,
    Work,
    WorkloadActivity,
)
from ironlake.pipeline.synthesis.printers.workload import layout_of
from printed import Numbers

_DELAYS = {"G1": ("CPU", "SWIN", "MPL"), "G2": ("CPU", "I/O", "CAP"), "G3": ("CPU", "CAP", "QMP", "LCK")}


def random_work(numbers: Numbers, layout: str) -> Work:
    """The work of a period. Eligible and promoted time are parts of processor time."""
    n = numbers
    ended = n.count(2_000_000)
    iip = n.number(400, 0.5)
    cpu_s = n.number(3000) + 1.25 * iip
    more: dict[str, Any] = {}
    if layout == "G3":
        more = {f"category_{c}": Category(n.number(99), n.number(9), n.number(99)) for c in "ab"}
        more["transactions"] = Category(n.number(900), n.number(90), n.number(900))
    if layout != "G1":
        more["mobile"] = Category(n.number(900), n.number(90), n.number(900))
    return Work(
        avg=n.number(900),
        mpl=n.number(900) + 0.5,
        ended=ended,
        swaps=n.count(9000),
        executed=n.count(900_000),
        enclaves=n.number(900, 0.5),
        remote_enclaves=n.number(90, 0.5),
        multisystem_enclaves=n.number(9, 0.5),
        actual_s=n.number(4000) * (ended > 0),
        execution_s=n.number(60),
        queued_s=n.number(3),
        affinity_s=n.number(1, 0.8),
        ineligible_s=n.number(1, 0.8),
        conversion_s=n.number(1, 0.8),
        deviation_s=n.number(9000),
        ssch_per_s=n.number(9_000 if layout != "G1" else 0),
        connect_ms=n.number(20),
        disconnect_ms=n.number(9),
        qpend_ms=n.number(3),
        iosq_ms=n.number(1),
        ioc=n.count(3_000_000),
        cpu=n.count(400_000_000),
        mso=n.count(400_000_000, 0.5),
        srb=n.count(4_000_000),
        cpu_s=cpu_s,
        srb_s=n.number(900),
        rct_s=n.number(1),
        iit_s=n.number(9),
        hst_s=n.number(1, 0.8),
        iip_s=iip,
        iipcp_s=np.minimum(iip * 0.2, (cpu_s - 1.25 * iip) / 2),
        blk_s=cpu_s * 0.001,
        lck_s=cpu_s * 0.002,
        frames=n.number(9_000 if layout == "G1" else 10_000_000),
        shared_frames=n.number(90_000),
        page_in_single_per_s=n.number(90),
        page_in_block_per_s=n.number(9, 0.5),
        page_in_shared_per_s=n.number(9, 0.5),
        page_in_hsp_per_s=n.number(9, 0.5),
        **more,
    )


def half_of(work: Work) -> Work:
    """Half of it: whole numbers where they were such."""
    every = {field.name: getattr(work, field.name) for field in fields(work)}
    halves = {n: np.floor_divide(v, 2) if np.asarray(v).dtype.kind == "i" else np.divide(v, 2) for n, v in every.items()
              if not isinstance(v, Category | None)}  # fmt: skip
    return replace(work, **halves | {"actual_s": halves["actual_s"] * (halves["ended"] > 0)})


def random_period(numbers: Numbers, layout: str, number: int, goal: Goal, systems: list[str]) -> Period:
    n = numbers
    work = random_work(n, layout)
    left = np.asarray(work.ended)
    rows = []
    for position, system in enumerate(systems):
        here = left if position == len(systems) - 1 else (left * n.rng.random(n.intervals)).astype(np.int64)
        left = left - here
        buckets = n.rng.multinomial(here, [1 / 14] * 14)
        rows.append(
            OnSystem(
                system,
                ended=here,
                actual_s=n.number(4000),
                buckets=buckets,
                middle_s=0.25 * (position + 1),
                address_spaces=n.number(300) + 0.1,
                using_cpu=n.number(50),
                using_iip=n.number(9),
                using_io=n.number(9),
                delays={title: n.number(20) for title in _DELAYS[layout]},
                unknown=n.number(10),
                idle=n.number(100),
                quiesced=n.number(1, 0.9),
            )
        )
    return Period(number, 0 if goal.kind in ("discretionary", "system") else number, goal, work, tuple(rows))


@st.composite
def workloads(draw: st.DrawFn) -> WorkloadActivity:
    """Sysplexes of one to five systems and any number of classes, over some intervals, of every release."""
    release = draw(st.sampled_from(["SP5.1.0", "V1R13", "V2R2", "V2R3", "V2R5"]))
    layout = layout_of(release)
    printed_by = draw(st.sampled_from(["", "V2R5"])) if layout == "G3" else ""
    numbers = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 4)))
    systems = draw(st.lists(st.sampled_from(["SYSA", "SYSB", "CB8#", "P1", "LP$@"]), min_size=1, unique=True))
    goals = [Goal("average", 0.5), Goal("velocity", percent=30)]
    if layout != "G1":
        goals += [Goal("percentile", 0.25, 90), Goal("discretionary"), Goal("system")]
    classes = []
    for name in draw(
        st.lists(st.sampled_from(["CICSHI", "BAT$", "STC1", "TSOPRD12"]), min_size=1, max_size=3, unique=True)
    ):
        picked = draw(st.lists(st.sampled_from(goals), min_size=1, max_size=3))
        only = layout == "G1" and draw(st.booleans()) and all(goal.kind == "average" for goal in picked)
        classes.append(
            ServiceClass(
                name,
                draw(st.sampled_from(["ONLINE", "WORK_A"])),
                tuple(random_period(numbers, layout, k, goal, systems) for k, goal in enumerate(picked, 1)),
                description=draw(st.sampled_from(["", "Hotel orders"])),
                critical=draw(st.sampled_from(["NONE", "CPU+STORAGE"])),
                resource_group=draw(st.sampled_from(["*NONE", "RGROUP1"])),
                transactions_only=only,
                serves=draw(st.sampled_from([(), tuple(f"SRV{k}" for k in range(11))])),
                breakdown=(Breakdown("CICS", "BTE", tuple(numbers.number(7) for _ in range(13))),) if only else (),
            )
        )
    # Work is in one report class at most.
    first, *others = [half_of(period.work) for one in classes for period in one.periods]
    reports = [
        ReportClass("RCICS", first, "Region work"),
        ReportClass("REMPTY", Work()),
        ReportClass("RTENANT", others[0] if others else first, tenant="TENANT1" if layout == "G3" else ""),
    ]
    sections = frozenset(
        draw(st.sampled_from(["period", "class period", "policy workload class period report"])).split()
    )
    length = 900 if draw(st.booleans()) else 899.95 + numbers.rng.random(numbers.intervals) / 10
    policy = ServicePolicy(
        "BASEPOL",
        np.datetime64("2024-02-29T08:00:01"),
        tuple(PolicySystem(name, 91954.0) for name in systems),
        norm_factor_iip=draw(st.sampled_from([1.0, 1.25])),
        zaap=draw(st.booleans()),
    )
    intervals = Intervals(numbers.starts(), length, duration=layout != "G1" and draw(st.booleans()))
    return WorkloadActivity(
        "PLEX1", release, intervals, policy, tuple(classes), tuple(reports), sections, printed_by, draw(st.booleans())
    )
