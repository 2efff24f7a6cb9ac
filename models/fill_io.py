"""Channel Path Activity and I/O Queuing Activity of a solved step: how systems reach Db2's disks, networks and coupling facilities.

Requests to disks are spread evenly over the FICON channel paths and over the I/O processors. All systems of one machine share its channel
paths. Links to coupling facilities are printed without a measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np

from .contents.common import Line, Row, SystemReport
from .contents.coupling_facility import LINK_KIND, LINKS
from .disks import COMMAND_MS, PEND_MS, Requests, requests
from .filling import Array, StepIntervals
from .model import InputOutput

# Identifiers of the first channel path to disks, networks and coupling facilities.
_FICON, _OSA, _COUPLING = 0x50, 0x0A, 0x80
_GENERATION = 21


def _together(volumes: list[Requests], what: str) -> Array:
    """A rate of all volumes."""
    return np.sum([getattr(one, what) for one in volumes], axis=0)


# --- Channel Path Activity --------------------------------------------------------------------------------------------


def channel_activity(part: StepIntervals, system: str) -> SystemReport | None:
    """The report of a system; None if it has neither disks nor links."""
    paths = [*_to_disks(part, system), *_to_networks(part, system), *_to_facilities(part)]
    return part.report("rmf_channel_path_activity", system, [("CHANNEL_ROW", one) for one in paths]) if paths else None


def _of_machine(part: StepIntervals, system: str) -> list[str]:
    """The systems on the machine of a system."""
    systems = part.model.systems
    machine = systems[system].machine
    return [
        name for name in part.configuration.systems if name == system or (machine and systems[name].machine == machine)
    ]


def _path(number: int, kind: str, partition: Row, machine: Row, shared: bool = True, **more: Any) -> Row:
    """A channel path: what the printing system uses of it, and what all systems do."""
    of_partition = {f"partition_{name}": value for name, value in partition.items()}
    path = {"channel_path_id": f"{number:02X}", "channel_path_type": kind, "generation": None}
    return path | machine | of_partition | {"shared": "Y" if shared else ""} | more


def _to_disks(part: StepIntervals, system: str) -> list[Row]:
    mine, io = requests(part, system), part.model.input_output
    if not mine:
        return []
    everyone = _of_machine(part, system)
    all_of = [volume for name in everyone for volume in requests(part, name)]
    machine = _ficon(all_of, io)
    rate, active = (_together(all_of, what) / io.paths for what in ("io_per_s", "open"))
    more = {
        "bus_busy_pct": 100 * np.maximum(machine["read_mb_per_s"], machine["write_mb_per_s"]) / io.mb_per_s,
        "zhpf_per_s": rate,
        "zhpf_active_avg": active,
        "generation": _GENERATION,
        "speed": f"{io.gigabits}G",
    }
    of_system, shared = _ficon(mine, io), len(everyone) > 1
    return [_path(_FICON + n, "FC_S", of_system, machine, shared, **more) for n in range(io.paths)]


def _ficon(volumes: list[Requests], io: InputOutput) -> Row:
    """What requests use of each path: its processor is busy with operations, and megabytes go both ways."""
    rate, read, write = (_together(volumes, f"{what}_per_s") / io.paths for what in ("io", "read_kb", "write_kb"))
    return {"busy_pct": rate * io.operation_us / 1e4, "read_mb_per_s": read / 1000, "write_mb_per_s": write / 1000}


def _to_networks(part: StepIntervals, system: str) -> list[Row]:
    """A path for each link. A model does not say which way kilobytes go: half of them each."""
    found = []
    everyone = _of_machine(part, system)
    for number, link in enumerate(part.model.links.values()):
        uses = []
        for names in ([system], everyone):
            mb_per_s = np.sum([part.per_s("link_kb", link.name, name) for name in names], axis=0) / 1000
            each = {"read_mb_per_s": mb_per_s / 2, "write_mb_per_s": mb_per_s / 2}
            uses.append({"busy_pct": 100 * mb_per_s / link.mb_per_s} | each)
        mine, machine = uses
        more = {"shared": len(everyone) > 1, "bus_busy_pct": machine["busy_pct"]}
        found.append(_path(_OSA + number, "OSD", mine, machine, **more))
    return found


def _to_facilities(part: StepIntervals) -> list[Row]:
    if not part.solved.step.sharing:
        return []
    up = [name for name in part.model.facilities if name not in part.configuration.without]
    unmeasured = {"busy_pct": np.nan}
    return [_path(_COUPLING + n, LINK_KIND, unmeasured, unmeasured) for n in range(len(up) * LINKS)]


# --- I/O Queuing Activity ---------------------------------------------------------------------------------------------


def io_queuing(part: StepIntervals, system: str) -> SystemReport | None:
    """The report of a system; None if it has no disks."""
    volumes, io = requests(part, system), part.model.input_output
    if not volumes:
        return None
    units = [_unit(lcu, list(of), io) for lcu, of in groupby(volumes, lambda one: one.lcu)]
    return part.report("rmf_io_queuing", system, [*_processors(volumes, io), *units])


def _processors(volumes: list[Requests], io: InputOutput) -> Iterator[Line]:
    """I/O processors that take requests in turn. Requests that come at random and find their processor busy queue: of utilisation u on average
    u² / (2 (1 - u)) where all take equally long (Pollaczek and Khinchine). SYS adds up rates and averages the others."""
    rate = _together(volumes, "io_per_s") / io.processors
    busy = np.minimum(rate * io.start_us / 1e6, 0.99)
    one = {"busy_pct": 100 * busy, "queue_length_avg": busy**2 / (2 * (1 - busy))}
    rates = ("queued_per_s", "started_per_s", "interrupts_per_s")
    for number in range(io.processors):
        yield "PROCESSOR_ROW", one | dict.fromkeys(rates, rate) | {"io_processor": f"{number:02X}"}
    means = {name: sum([value] * io.processors) / io.processors for name, value in one.items()}
    yield "TOTAL_ROW", means | dict.fromkeys(rates, sum([rate] * io.processors))


def _unit(lcu: str, volumes: list[Requests], io: InputOutput) -> tuple[Line, ...]:
    """The paths of a logical control unit, and all of them together with what is measured once for all."""
    rate, open_, aliases = (_together(volumes, what) for what in ("io_per_s", "open", "aliases"))
    paths = [
        {
            "channel_path_id": f"{_FICON + n:02X}",
            "taken_per_s": rate / io.paths,
            "command_response_delay_ms": COMMAND_MS,
        }
        for n in range(io.paths)
    ]
    # A unit is named on its first row, so its rows stay on one page.
    paths[0] |= {"lcu": lcu, "control_unit": f"{0x7000 + int(lcu, 16):04X}"}
    together = {
        "taken_per_s": rate,
        "command_response_delay_ms": COMMAND_MS,
        "channel_subsystem_delay_ms": PEND_MS - COMMAND_MS,
        # Three standard deviations of a Poisson distribution above the mean.
        "aliases_max": np.ceil(aliases + 3 * np.sqrt(aliases)),
        "open_exchanges_avg": open_,
        "transfers_avg": np.sum([one.io_per_s * one.connect_ms / 1000 for one in volumes], axis=0),
    }
    return (*(("PATH_ROW", one) for one in paths), ("PATHS_ROW", together))
