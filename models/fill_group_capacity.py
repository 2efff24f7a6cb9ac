"""The Group Capacity Report of a solved step: the partitions of the machine's group. A model caps none of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .contents.common import Line, Row, SystemReport, of_machine
from .fill_partitions import partition_data
from .filling import StepIntervals

_RULE = "-" * 41 + " " * 7 + "-" * 54


def group_capacity(part: StepIntervals, system: str) -> SystemReport | None:
    """The report of a system; None of one that is on no machine, or on one without a group."""
    machine = partition_data(part, system)
    if machine is None or not machine.head["capacity_group"]:
        return None
    names = ("partition", "weight", "msu_used", "msu_defined")
    members = [{name: one[name] for name in names} for one in of_machine(machine)]
    lines = group_lines(machine.head["capacity_group"], machine.head["capacity_group_limit"], members)
    return part.report("rmf_group_capacity", system, [lines])


def group_lines(name: str, limit: int, members: Sequence[Row]) -> list[Line | str]:
    """A group with its members. The least and the most that one may use: its share of the limit by weight and the limit, or its defined capacity
    if that is less. Available is the limit less what all use; a report has the average of four hours."""
    weight = sum(one["weight"] for one in members)
    used = sum(np.floor(np.asarray(one["msu_used"]) + 0.5) for one in members)
    rows = []
    for one in members:
        most = one["msu_defined"] or limit
        entitled = {
            "msu_entitled_min": min(int(limit * one["weight"] / weight), most),
            "msu_entitled_max": min(most, limit),
        }
        rows.append({"member_system": one["partition"], "capped": "NO"} | one | entitled)
    group = {"capacity_group": name, "capacity_group_limit": limit, "capacity_group_available": limit - used}
    first, *others = rows
    total = "TOTAL_ROW", {"msu_used": used, "weight": weight}
    return [("GROUP_ROW", group | first), *(("MEMBER_ROW", one) for one in others), _RULE, total]
