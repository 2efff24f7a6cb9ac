"""Channel Path Activity and I/O Queuing Activity of a solved step: how systems reach Db2's disks, networks and coupling facilities.

Requests to disks are spread evenly over the FICON channel paths and over the I/O processors. All systems of one machine share its channel
paths. Links to coupling facilities are printed without a measurement.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from .contents.channels import ChannelActivity, ChannelPath, Use
from .contents.coupling_facility import LINK_KIND, LINKS
from .contents.io_queuing import IoProcessor, IoQueuing, QueuePath, QueueUnit
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


def channel_activity(part: StepIntervals, system: str) -> ChannelActivity | None:
    """The report of a system; None if it has neither disks nor links."""
    paths = (*_to_disks(part, system), *_to_networks(part, system), *_to_facilities(part))
    return ChannelActivity(system, part.release, part.intervals, paths) if paths else None


def _of_machine(part: StepIntervals, system: str) -> list[str]:
    """The systems on the machine of a system."""
    systems = part.model.systems
    machine = systems[system].machine
    return [
        name for name in part.configuration.systems if name == system or (machine and systems[name].machine == machine)
    ]


def _to_disks(part: StepIntervals, system: str) -> list[ChannelPath]:
    mine, io = requests(part, system), part.model.input_output
    if not mine:
        return []
    everyone = _of_machine(part, system)
    all_of = [volume for name in everyone for volume in requests(part, name)]
    machine = _ficon(all_of, io)
    rate, active = (_together(all_of, what) / io.paths for what in ("io_per_s", "open"))
    bus_pct = 100 * np.maximum(np.asarray(machine.read_mb_per_s), np.asarray(machine.write_mb_per_s)) / io.mb_per_s
    return [
        ChannelPath(
            f"{_FICON + number:02X}",
            "FC_S",
            _ficon(mine, io),
            machine,
            bus_pct,
            _GENERATION,
            f"{io.gigabits}G",
            len(everyone) > 1,
            zhpf_per_s=rate,
            zhpf_active=active,
        )
        for number in range(io.paths)
    ]


def _ficon(volumes: list[Requests], io: InputOutput) -> Use:
    """What requests use of each path: its processor is busy with operations, and megabytes go both ways."""
    rate, read, write = (_together(volumes, f"{what}_per_s") / io.paths for what in ("io", "read_kb", "write_kb"))
    return Use(rate * io.operation_us / 1e4, read / 1000, write / 1000)


def _to_networks(part: StepIntervals, system: str) -> list[ChannelPath]:
    """A path for each link. A model does not say which way kilobytes go: half of them each."""
    found = []
    everyone = _of_machine(part, system)
    for number, link in enumerate(part.model.links.values()):
        uses = []
        for names in ([system], everyone):
            mb_per_s = np.sum([part.per_s("link_kb", link.name, name) for name in names], axis=0) / 1000
            uses.append(Use(100 * mb_per_s / link.mb_per_s, mb_per_s / 2, mb_per_s / 2))
        mine, machine = uses
        path = ChannelPath(f"{_OSA + number:02X}", "OSD", mine, machine, machine.busy_pct, shared=len(everyone) > 1)
        found.append(path)
    return found


def _to_facilities(part: StepIntervals) -> list[ChannelPath]:
    if not part.solved.step.sharing:
        return []
    up = [name for name in part.model.facilities if name not in part.configuration.without]
    unmeasured = Use(np.nan)
    count = len(up) * LINKS
    return [ChannelPath(f"{_COUPLING + n:02X}", LINK_KIND, unmeasured, unmeasured) for n in range(count)]


# --- I/O Queuing Activity ---------------------------------------------------------------------------------------------


def io_queuing(part: StepIntervals, system: str) -> IoQueuing | None:
    """The report of a system; None if it has no disks."""
    volumes = requests(part, system)
    if not volumes:
        return None
    units = tuple(_unit(lcu, list(of), part.model.input_output) for lcu, of in groupby(volumes, lambda one: one.lcu))
    return IoQueuing(system, part.release, part.intervals, _processors(volumes, part.model.input_output), units)


def _processors(volumes: list[Requests], io: InputOutput) -> tuple[IoProcessor, ...]:
    """I/O processors that take requests in turn. Those that come at random and find theirs busy queue: of utilisation u on average
    u² / (2 (1 - u)) where all take equally long (Pollaczek and Khinchine)."""
    rate = _together(volumes, "io_per_s") / io.processors
    busy = np.minimum(rate * io.start_us / 1e6, 0.99)
    queue = busy**2 / (2 * (1 - busy))
    return tuple(IoProcessor(f"{number:02X}", rate, 100 * busy, queue, rate) for number in range(io.processors))


def _unit(lcu: str, volumes: list[Requests], io: InputOutput) -> QueueUnit:
    rate, open_, aliases = (_together(volumes, what) for what in ("io_per_s", "open", "aliases"))
    connected = np.sum([one.io_per_s * one.connect_ms / 1000 for one in volumes], axis=0)
    each = tuple(
        QueuePath(f"{_FICON + number:02X}", rate / io.paths, command_response_ms=COMMAND_MS)
        for number in range(io.paths)
    )
    return QueueUnit(
        lcu,
        each,
        QueuePath("", rate, command_response_ms=COMMAND_MS),
        f"{0x7000 + int(lcu, 16):04X}",
        channel_subsystem_ms=PEND_MS - COMMAND_MS,
        # Three standard deviations of a Poisson distribution above the mean.
        aliases_max=np.ceil(aliases + 3 * np.sqrt(aliases)),
        open_exchanges=open_,
        transfers=connected,
    )
