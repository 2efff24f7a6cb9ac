"""Content of the RMF Partition Data Report of a system.

Source of the names and formulas: IBM z/OS RMF Report Analysis, "Partition Data Report".
"""

from dataclasses import dataclass

from .common import Intervals, Numbers


@dataclass(frozen=True)
class Partition:
    """A partition by processor type: logical processors, weight, and how many of them were dispatched, on average. The MSU are those of the
    partition; a zIIP has none."""

    name: str
    kind: str
    processors: int
    weight: int
    engines: Numbers = 0
    msu: Numbers = 0
    defined_msu: int = 0


@dataclass(frozen=True)
class PartitionData:
    """The Partition Data Report of a system: its own partition, the machine's processors by type, the capacity group, and all partitions."""

    system: str
    release: str
    intervals: Intervals
    partition: str
    image_capacity: int
    physical: dict[str, int]
    partitions: tuple[Partition, ...]
    group: str = ""
    group_limit_msu: int = 0

    def of_kind(self, kind: str) -> list[Partition]:
        return [one for one in self.partitions if one.kind == kind]
