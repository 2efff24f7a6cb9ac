"""Content of the RMF Group Capacity Report of a system.

Source of the names and formulas: IBM z/OS RMF Report Analysis, "Group Capacity Report".
"""

from dataclasses import dataclass

import numpy as np

from .common import Intervals, Numbers


@dataclass(frozen=True)
class GroupMember:
    """A partition of a capacity group: its system, defined MSU (0 for none), weight, MSU, and how long WLM capped it and the cap held it back."""

    partition: str
    system: str
    weight: int
    msu: Numbers = 0
    defined_msu: int = 0
    capped: bool = False
    capping_wlm_pct: Numbers = 0
    capping_actual_pct: Numbers = 0


@dataclass(frozen=True)
class CapacityGroup:
    name: str
    limit_msu: int
    members: tuple[GroupMember, ...]

    @property
    def weight(self) -> int:
        return sum(member.weight for member in self.members)

    @property
    def available_msu(self) -> Numbers:
        """The limit less what its members use; a report has the average of four hours."""
        return self.limit_msu - sum((np.floor(np.asarray(m.msu) + 0.5) for m in self.members), np.zeros(()))

    def entitled_msu(self, member: GroupMember) -> tuple[int, int]:
        """The least and the most that a member may use: its share of the limit by weight and the limit, or its defined capacity if that is
        less."""
        most = member.defined_msu or self.limit_msu
        return min(int(self.limit_msu * member.weight / self.weight), most), min(most, self.limit_msu)


@dataclass(frozen=True)
class GroupCapacity:
    """The Group Capacity Report that a system prints: all groups of its machine."""

    system: str
    release: str
    intervals: Intervals
    groups: tuple[CapacityGroup, ...]
