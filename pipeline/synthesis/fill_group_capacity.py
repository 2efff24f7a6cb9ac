"""The Group Capacity Report of a solved step: the partitions of the machine's group. A model caps none of them."""

from __future__ import annotations

from .contents.group_capacity import CapacityGroup, GroupCapacity, GroupMember
from .fill_partitions import partition_data
from .filling import StepIntervals


def group_capacity(part: StepIntervals, system: str) -> GroupCapacity | None:
    """The report of a system; None of one that is on no machine, or on one without a group."""
    machine = partition_data(part, system)
    if machine is None or not machine.group:
        return None
    members = tuple(
        GroupMember(one.name, one.name, one.weight, one.msu, one.defined_msu) for one in machine.of_kind("CP")
    )
    group = CapacityGroup(machine.group, machine.group_limit_msu, members)
    return GroupCapacity(system, part.release, part.intervals, (group,))
