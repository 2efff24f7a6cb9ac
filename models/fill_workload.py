"""Workload Activity of a solved step: classes, goals and samples of their address spaces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .contents.common import ratio
from .contents.workload import (
    BUCKET_BOUNDS,
    Category,
    OnSystem,
    Period,
    PolicySystem,
    ReportClass,
    ServiceClass,
    ServicePolicy,
    Work,
    WorkloadActivity,
    add,
)
from .filling import Array, StepIntervals

# Response times spread like a log-logistic distribution of shape 3: its distribution function needs no more than a division. Its mean
# is 1.2092 of its median, its standard deviation 0.8087 of its mean.
_MEAN_OF_MEDIAN, _DEVIATION_OF_MEAN = 1.2091995762, 0.8086919064
# Share of SRB time in work that must run on general processors. Frames of an address space.
_SRB, _FRAMES = 0.04, 65_000
_ACTIVITY = ("cp_s", "iip_s", "ended", "wait_s")


def workload_activity(part: StepIntervals) -> WorkloadActivity:
    """The Workload Activity report of the sysplex."""
    model = part.model
    used = [model.systems[name] for name in part.configuration.systems]
    policy = ServicePolicy(
        name="STANDARD",
        activated=np.datetime64(model.start.replace(hour=0, minute=0), "s") - np.timedelta64(7, "D"),
        systems=tuple(PolicySystem(system.name, system.su_per_s) for system in used),
        coefficients=(0.0, 1.0, 1.0, 0.0),
        norm_factor_iip=used[0].norm_factor,
    )
    works = _report_classes(part)
    return WorkloadActivity(
        model.sysplex,
        part.release,
        part.intervals,
        policy,
        tuple(_service_class(part, name, works) for name in _service_classes(part)),
        tuple(ReportClass(name, work) for name, work in works.items()),
    )


def _service_classes(part: StepIntervals) -> list[str]:
    """The service classes that have report classes."""
    return list(dict.fromkeys(one.service_class for one in part.model.classes.values()))


def homes(part: StepIntervals, name: str) -> list[str]:
    """The systems with address spaces of a class: those where it has work, else all of its systems."""
    systems, only = part.configuration.systems, part.model.classes[name].system
    busy = [s for s in systems if any(part.solved.base.get((what, name, s)) for what in _ACTIVITY)]
    return busy or [s for s in systems if only in (None, s)]


def _report_classes(part: StepIntervals) -> dict[str, Work]:
    """The work of each class on all systems; idle classes included."""
    none = Work(ended=np.zeros(len(part.drawn)))
    works = {name: [_class_work(part, name, system) for system in homes(part, name)] for name in part.model.classes}
    return {name: add(found or [none]) for name, found in works.items()}


def _class_work(part: StepIntervals, name: str, system: str) -> Work:
    """What a class does on one system."""
    norm = part.model.systems[system].norm_factor
    cp_s, iip_s, iipcp_s = (part.seconds(what, name, system) for what in ("cp_s", "iip_s", "iipcp_s"))
    ended = part.count("ended", name, system)
    actual = ratio(part.per_s("there", name, system), part.per_s("ended", name, system))
    # Without transactions, the class has one idle address space.
    there = part.per_s("there", name, system) if ended.any() else np.ones(len(ended))
    read_ms = 1000 * ratio(part.per_s("ssch_s", name, system), part.per_s("ssch", name, system))
    counted = bool(ended.any())
    srb_s = _SRB * (cp_s - iipcp_s)
    cpu_s = cp_s + norm * iip_s - srb_s
    su_per_s = part.model.systems[system].su_per_s
    return Work(
        avg=there,
        mpl=there,
        ended=ended,
        actual_s=actual,
        execution_s=actual,
        deviation_s=actual * _DEVIATION_OF_MEAN,
        ssch_per_s=part.per_s("ssch", name, system),
        connect_ms=0.3 * read_ms,
        disconnect_ms=0.5 * read_ms,
        qpend_ms=0.2 * read_ms,
        cpu=np.floor(cpu_s * su_per_s + 0.5),
        srb=np.floor(srb_s * su_per_s + 0.5),
        cpu_s=cpu_s,
        srb_s=srb_s,
        iip_s=iip_s,
        iipcp_s=iipcp_s,
        frames=_FRAMES,
        transactions=Category(cp_s, iipcp_s, iip_s) if counted else Category(),
    )


def _service_class(part: StepIntervals, name: str, works: dict[str, Work]) -> ServiceClass:
    """A service class is the sum of its report classes."""
    one = part.model.service_classes[name]
    work = add([work for n, work in works.items() if part.model.classes[n].service_class == name])
    systems = [found for system in part.configuration.systems if (found := _on_system(part, name, system))]
    return ServiceClass(name, one.workload, (Period(1, one.importance, one.goal, work, tuple(systems)),))


def _on_system(part: StepIntervals, service_class: str, system: str) -> OnSystem | None:
    """The goal rows of a service class on a system."""
    names = [n for n, c in part.model.classes.items() if c.service_class == service_class and system in homes(part, n)]
    if not names:
        return None
    goal = part.model.service_classes[service_class].goal

    def total(what: str) -> Array:
        return sum((part.per_s(what, name, system) for name in names), np.zeros(len(part.drawn)))

    using_cp, using_iip, reading = total("cp_s"), total("iip_s"), total("ssch_s")
    late_cp, late_iip = total("cp_s delayed"), total("iip_s delayed")
    waiting = np.maximum(total("wait_s") - reading, 0.0)
    busy = using_cp + using_iip + reading + late_cp + late_iip + waiting
    # Work units to sample: at least an address space a class, which idles when there is nothing to do.
    units = np.maximum(busy, float(len(names)))
    ended = sum((part.count("ended", name, system) for name in names), np.zeros(len(part.drawn)))
    actual = ratio(total("there"), total("ended"))
    return OnSystem(
        system=system,
        ended=ended,
        actual_s=actual,
        buckets=_buckets(ended, actual, goal.seconds) if goal.kind in ("average", "percentile") else None,
        address_spaces=units,
        using_cpu=100 * using_cp / units,
        using_iip=100 * using_iip / units,
        using_io=100 * reading / units,
        delays={"CPU": 100 * late_cp / units, "IIP": 100 * late_iip / units},
        unknown=100 * waiting / units,
        idle=100 * (units - busy) / units,
    )


def _buckets(ended: Array, mean_s: Array, goal_s: float) -> NDArray[np.int64]:
    """Transactions by bucket of the response time distribution: bounds are multiples of the goal."""
    median = mean_s / _MEAN_OF_MEDIAN
    below = []
    for bound in BUCKET_BOUNDS:
        seconds = bound * goal_s
        cube, middle = seconds * seconds * seconds, median * median * median
        below.append(np.floor(ended * (cube / (cube + middle)) + 0.5))
    return np.diff(np.stack(below, axis=1), axis=1, prepend=0, append=ended[:, None]).astype(np.int64)
