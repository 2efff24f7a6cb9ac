"""Print the RMF Group Capacity Report of a system.

Source: a published page of z/OS V1R12 that the reader of this report was compared with (parsers/rmf_group_capacity.py).
"""

from collections.abc import Iterator

import numpy as np

from ..contents.group_capacity import CapacityGroup, GroupCapacity, GroupMember
from ..pages import Paper, Section, placed, print_intervals, same_top, texts, together
from ._headings import system_heading

_HEAD = """\
----GROUP-CAPACITY----  PARTITION  SYSTEM       -- MSU --   WGT   ---- CAPPING ----    - ENTITLEMENT -
NAME     LIMIT   AVAIL                          DEF   ACT         DEF   WLM%   ACT%    MINIMUM MAXIMUM
"""
_RULE = "-" * 41 + " " * 7 + "-" * 54


def print_group_capacity(report: GroupCapacity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    top, values = system_heading(
        "G R O U P  C A P A C I T Y  R E P O R T", 25, report.release, report.system, report.intervals
    )
    many = len(report.intervals)
    sections = [together(list(_group(group, many))) for group in report.groups]
    return print_intervals(many, sections, same_top(f"{top}\n\n{_HEAD}", values), paper or Paper())


def _group(group: CapacityGroup, many: int) -> Iterator[Section]:
    available = np.broadcast_to(np.asarray(group.available_msu, float), many)
    named = [(0, group.name), (8, f"{group.limit_msu:6d}"), (16, "%(available)6s")]
    for number, member in enumerate(group.members):
        above = {"available": texts((f"{value:6.0f}" for value in available), 6)} if not number else {}
        yield _member(group, member, [] if number else named, above)
    used = sum((_whole(member.msu, many) for member in group.members), np.zeros(many))
    total = placed((36, "TOTAL"), (51, "%(used)6d"), (57, f"{group.weight:6d}"))
    yield Section(f"{_RULE}\n{total}", {"used": used})


def _member(group: CapacityGroup, member: GroupMember, named: list[tuple[int, str]], above: dict) -> Section:
    least, most = group.entitled_msu(member)
    cells = [
        *named, (24, member.partition), (35, member.system), (45, f"{member.defined_msu:6d}"), (51, "%(msu)6d"),
        (57, f"{member.weight:6d}"), (66, "YES" if member.capped else "NO"), (70, "%(wlm)6d"), (76, "%(actual)6d"),
        (87, f"{least:7d}"), (95, f"{most:7d}"),
    ]  # fmt: skip
    return Section(
        placed(*cells),
        above | {"msu": member.msu, "wlm": member.capping_wlm_pct, "actual": member.capping_actual_pct},
    )


def _whole(values: object, many: int) -> np.ndarray:
    return np.floor(np.broadcast_to(np.asarray(values, float), many) + 0.5)
