"""The Partition Data Report of a solved step: all systems on a machine are its partitions."""

from __future__ import annotations

from .contents.partitions import Partition, PartitionData
from .filling import StepIntervals


def partition_data(part: StepIntervals, system: str) -> PartitionData | None:
    """The report of a system; None of one that is on no machine. A partition's name is that of its system."""
    one = part.model.systems[system]
    if not one.machine:
        return None
    machine = part.model.machines[one.machine]
    systems = [s for name in part.configuration.systems if (s := part.model.systems[name]).machine == one.machine]
    partitions = []
    for kind in ("CP", "IIP"):
        for s in systems:
            count = s.cp if kind == "CP" else s.ziip
            if not count:
                continue
            engines = part.per_s("busy", f"{s.name} {'CP' if kind == 'CP' else 'zIIP'}").clip(0, count)
            msu = engines * machine.msu_per_cp if kind == "CP" else 0
            partitions.append(Partition(s.name, kind, count, 100 * count, engines, msu, s.defined_msu))
    return PartitionData(
        system,
        part.release,
        part.intervals,
        system,
        one.defined_msu or machine.group_limit_msu or machine.capacity_msu,
        {"CP": machine.cp, "IIP": machine.ziip},
        tuple(partitions),
        machine.group,
        machine.group_limit_msu,
    )
