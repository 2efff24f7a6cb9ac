"""CPU Activity of a solved step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .contents.common import Line, Row, SystemReport
from .fill_work_units import load_analysis
from .filling import Array, StepIntervals
from .model import System

# Distance of the busiest processor from the mean of its type, relative to the distance of the nearer limit.
_UNEVEN = 0.15


def cpu_activity(part: StepIntervals, system: str) -> SystemReport:
    """The CPU Activity report of a system: the busy processors of the network, spread a little unevenly."""
    one = part.model.systems[system]
    lines: list[Line | Sequence[Line]] = []
    for kind, count, station in (("CP", one.cp, f"{system} CP"), ("IIP", one.ziip, f"{system} zIIP")):
        busy = np.minimum(part.per_s("busy", station) / max(1, count), 1.0)
        first = one.cp if kind == "IIP" else 0
        if count:
            lines += processors([processor(first + n, kind, _share(busy, n, count)) for n in range(count)])
    analysis = load_analysis(part, system)
    return part.report(
        "rmf_cpu_activity", system, lines, cpc_type=one.processor, analysis=analysis, **_machine(part, one)
    )


def processors(rows: Sequence[Row]) -> list[Line | Sequence[Line]]:
    """The processors of a type, and TOTAL/AVERAGE: means of all, which are online all the time and never parked; shares and rates added, as a
    published page of V2R5 has them."""
    *others, last = (("CPU_ROW", one) for one in rows)
    means = {name: sum(one[name] for one in rows) / len(rows) for name in ("lpar_busy_pct", "mvs_busy_pct")}
    total = means | {"logical_share_pct": 100 * len(rows)}
    total |= {name: rows[0][name] for name in ("io_interrupts_per_s", "io_interrupts_tpi_pct")}
    return [*others, (last, ("TOTAL_ROW", total))]


def _machine(part: StepIntervals, one: System) -> dict[str, Any]:
    if not one.machine:
        return {"cpc_model": one.model, "hardware_model": one.model}
    # The last two characters of a model are how many general processors it has.
    machine = part.model.machines[one.machine]
    model = f"7{machine.cp:02d}"
    return {
        "cpc_model": model,
        "hardware_model": "T01",
        "cpc_capacity": machine.capacity_msu,
        "sequence_code": machine.sequence_code,
    }


def _share(busy: Array, place: int, count: int) -> Array:
    """How busy a processor is by its rank within its type: the first is the busiest."""
    lean = (1 - 2 * place / (count - 1)) * _UNEVEN if count > 1 else 0.0
    return busy + np.minimum(busy, 1 - busy) * lean


def processor(number: int, kind: str, share: Array | float) -> Row:
    """PR/SM never delays work here, so LPAR BUSY is MVS BUSY except for dispatching time. Only general processors take interrupts."""
    interrupts = dict.fromkeys(("io_interrupts_per_s", "io_interrupts_tpi_pct"), 0 if kind == "CP" else None)
    busy = dict.fromkeys(("lpar_busy_pct", "mvs_busy_pct"), 100 * share)
    of_type = {"processor_id": f"{number:X}", "processor_type": kind, "polarization": "HIGH", "parked_pct": 0}
    return of_type | dict.fromkeys(("online_pct", "logical_share_pct"), 100) | busy | interrupts
