"""The Partition Data Report of a solved step, all systems on a machine are its partitions, and the Group Capacity Report: those of the
machine's group. A model caps none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .contents.common import Line, Row, SystemReport, of_machine
from .filling import Array, StepIntervals

# Time of PR/SM itself, for a partition and for all of them together.
_MANAGEMENT = 0.005
_RULE = "               ----                                      ------------  ------------                           -----     ------ -----"
_GROUP_RULE = "-" * 41 + " " * 7 + "-" * 54


def partition_data(part: StepIntervals, system: str) -> SystemReport | None:
    """The report of a system; None of one that is on no machine. A partition's name is that of its system."""
    one = part.model.systems[system]
    if not one.machine:
        return None
    machine = part.model.machines[one.machine]
    systems = [s for name in part.configuration.systems if (s := part.model.systems[name]).machine == one.machine]
    lines: list[Any] = []
    for kind, physical in (("CP", machine.cp), ("IIP", machine.ziip)):
        rows = []
        for s in systems:
            count, is_cp = (s.cp, True) if kind == "CP" else (s.ziip, False)
            if not count:
                continue
            engines = part.per_s("busy", f"{s.name} {'CP' if is_cp else 'zIIP'}").clip(0, count)
            row = {"partition": s.name, "processor_type": kind, "weight": 100 * count, "logical_processors": count}
            msu = engines * machine.msu_per_cp if is_cp else None
            row |= {"msu_defined": s.defined_msu if is_cp else None, "msu_used": msu}
            rows.append(row | _of_engines(engines, count, physical, part.length_s))
            rows[-1]["capping_wlm_pct"] = 0 if is_cp else None
        if rows:
            lines += [*(("PARTITION_ROW", row) for row in rows), _totals(rows, physical * part.length_s)]
    return part.report(
        "rmf_partition_data",
        system,
        lines,
        image_capacity=one.defined_msu or machine.group_limit_msu or machine.capacity_msu,
        physical={"CP": machine.cp, "IIP": machine.ziip},
        capacity_group=machine.group,
        capacity_group_limit=machine.group_limit_msu,
    )


def _of_engines(engines: Array, logical: int, physical: int, length_s: Array) -> Row:
    """What a partition prints of the engines that it had: nobody manages them and none is capped."""
    fixed = {"status": "A", "boost_type": "N", "capping_definition": "N N N", "lpar_management_pct": 0}
    dispatched = dict.fromkeys(("effective_dispatch", "total_dispatch"), _printed(engines * length_s))
    of_logical = dict.fromkeys(("logical_effective_pct", "logical_total_pct"), 100 * engines / logical)
    of_physical = dict.fromkeys(("physical_effective_pct", "physical_total_pct"), 100 * engines / physical)
    return fixed | dispatched | of_logical | of_physical


def _totals(rows: Sequence[Row], whole_s: Array) -> list[Line | str]:
    """What PR/SM used of a type, and its total: the sum of what the rows print."""
    dispatched = np.asarray(sum(one["effective_dispatch"] for one in rows))
    own = _printed(dispatched * _MANAGEMENT)
    own_pct = 100 * own / whole_s
    total = {
        "weight": sum(one["weight"] for one in rows),
        "lpar_management_pct": own_pct,
        "effective_dispatch": dispatched,
        "physical_effective_pct": 100 * dispatched / whole_s,
        "total_dispatch": dispatched + own,
        "physical_total_pct": 100 * (dispatched + own) / whole_s,
    }
    physical = {"total_dispatch": own, "lpar_management_pct": own_pct, "physical_total_pct": own_pct}
    return [("PHYSICAL_ROW", physical), _RULE, ("TOTAL_ROW", total), ""]


def _printed(seconds: Array) -> Array:
    """Times as they are printed, to the millisecond."""
    return np.floor(seconds * 1000 + 0.5) / 1000


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
    return [("GROUP_ROW", group | first), *(("MEMBER_ROW", one) for one in others), _GROUP_RULE, total]
