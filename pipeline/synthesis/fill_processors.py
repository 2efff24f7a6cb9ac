"""CPU Activity of a solved step."""

from __future__ import annotations

from typing import Any

import numpy as np

from .contents.processors import CpuActivity, Processor
from .fill_work_units import load_analysis
from .filling import Array, StepIntervals
from .model import System

# Distance of the busiest processor from the mean of its type, relative to the distance of the nearer limit.
_UNEVEN = 0.15


def cpu_activity(part: StepIntervals, system: str) -> CpuActivity:
    """The CPU Activity report of a system: the busy processors of the network, spread a little unevenly."""
    one = part.model.systems[system]
    processors: list[Processor] = []
    for kind, count, station in (("CP", one.cp, f"{system} CP"), ("IIP", one.ziip, f"{system} zIIP")):
        busy = np.minimum(part.per_s("busy", station) / max(1, count), 1.0)
        processors += [_processor(len(processors) + n, kind, busy, n, count) for n in range(count)]
    return CpuActivity(
        system,
        part.release,
        part.intervals,
        tuple(processors),
        cpc_type=one.processor,
        analysis=load_analysis(part, system),
        **_machine(part, one),
    )


def _machine(part: StepIntervals, one: System) -> dict[str, Any]:
    if not one.machine:
        return {"model": one.model, "hardware_model": one.model}
    # The last two characters of a model are how many general processors it has.
    machine = part.model.machines[one.machine]
    model = f"7{machine.cp:02d}"
    return {
        "model": model,
        "hardware_model": "T01",
        "capacity": machine.capacity_msu,
        "sequence_code": machine.sequence_code,
    }


def _processor(number: int, kind: str, busy: Array, place: int, count: int) -> Processor:
    """A processor by its rank within its type: the first is the busiest. PR/SM never delays work here, so LPAR BUSY is MVS BUSY except for
    dispatching time."""
    lean = (1 - 2 * place / (count - 1)) * _UNEVEN if count > 1 else 0.0
    share = busy + np.minimum(busy, 1 - busy) * lean
    return Processor(number, kind, lpar_busy_pct=100 * share, mvs_busy_pct=100 * share)
