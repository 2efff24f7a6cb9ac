"""The analysis parts of CPU Activity of a solved step: work units at its processors, and the address spaces that have them.

A model has started tasks alone, which stay in storage, and no work that is blocked: no class goes before another.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .contents.common import BOUNDS, Row, ratio
from .fill_cics import region_names
from .fill_workload import homes
from .filling import Array, StepIntervals
from .ready_work import of_both, samples_above, work_units

# Address spaces of z/OS itself and its subsystems, beside those of the model.
_OF_THE_SYSTEM = 60
# BLWLTRPCT and BLWLINTHD as z/OS ships them, and how long a promoted work unit keeps its processor: chosen.
_LIMIT_PCT, _AFTER_S, _PROMOTED_US = 0.5, 20, 500


def load_analysis(part: StepIntervals, system: str) -> Row:
    """What waits for the processors of a system. RMF takes a sample a second. Address spaces are by queue (those ready are among those in
    storage) and by type, work units by type of processor; N is the number of processors, with the share of samples in each bucket."""
    one = part.model.systems[system]
    samples = np.maximum(np.floor(part.length_s), 1.0)
    pools = {"CP": _units(part, f"{system} CP", one.cp), "IIP": _units(part, f"{system} zIIP", one.ziip)}
    found = {kind: samples_above(shares, samples) for kind, shares in pools.items()}
    # The two do not know of each other, and there are no more clients than there are.
    together = samples_above(of_both(pools["CP"], pools["IIP"]), samples)[:, : _clients(part)]
    processors = one.cp + one.ziip
    kinds = [kind for kind, count in (("CP", one.cp), ("IIP", one.ziip)) if count]
    return {
        "spaces": _spaces(part, system, together, samples),
        "units": {kind: _sampled("work_units", found[kind], samples) for kind in kinds},
        "unparked": processors,
        "samples_pct": [100 * ratio(one, samples) for one in _buckets(together, samples, processors)],
        "blocked": {
            "promote_limit_pct": _LIMIT_PCT,
            "promote_after_s": _AFTER_S,
            "promotes_defined_per_s": round(one.cp * _LIMIT_PCT / 100 * 1e6 / _PROMOTED_US),
        },
    }


def _units(part: StepIntervals, station: str, servers: int) -> Array:
    return work_units(servers, part.per_s("busy", station), part.per_s("ready", station), _clients(part))


def _clients(part: StepIntervals) -> int | None:
    """All clients of the step: each has one work unit at a time. None if a load is open."""
    loads = part.configuration.loads
    return sum(load.clients[part.solved.number] for load in loads) if all(load.clients for load in loads) else None


def _sampled(name: str, above: Array, samples: Array, most: int | None = None) -> Row:
    """What samples find, from how many find more than k; `most`: the limit, if there is one."""
    above = above[:, :most]
    least, greatest = (above == samples[:, None]).sum(axis=1), (above > 0).sum(axis=1)
    return {f"{name}_min": least, f"{name}_max": greatest, f"{name}_avg": above.sum(axis=1) / samples}


def _buckets(above: Array, samples: Array, processors: int) -> tuple[Array, ...]:
    """The samples in each bucket of the distribution."""
    nothing = np.zeros(len(samples))
    bounds = (processors + bound for bound in BOUNDS)
    beyond = [samples, *(above[:, bound] if bound < above.shape[1] else nothing for bound in bounds), nothing]
    return tuple(more - less for more, less in pairwise(beyond))


def _spaces(part: StepIntervals, system: str, above: Array, samples: Array) -> Row:
    """A started task for each class on the system; of CICS one for each region. A space is ready if a work unit of it is."""
    regions = [place.workload.counted_by for place, _ in region_names(part) if place.system == system]
    beyond = len(regions) - len(set(regions))
    there = {name for name in part.model.classes if system in homes(part, name)}
    working = {name for name in there if part.solved.base.get(("cp_s", name, system))}
    count = _OF_THE_SYSTEM + len(there | set(regions)) + beyond
    ready = _sampled("in_ready", above, samples, len(working | set(regions)) + beyond)
    return ready | {f"{name}_{end}": count for name in ("in", "stc") for end in ("min", "max", "avg")}
