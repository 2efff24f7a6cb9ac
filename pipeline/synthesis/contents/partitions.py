"""Content of the RMF Partition Data Report of a system.

Source of the names and formulas: IBM z/OS RMF Report Analysis, "Partition Data Report".
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .common import Row, SystemReport


@dataclass(frozen=True)
class PartitionData:
    """The report of a system: its own partition, the machine's processors by type, the capacity group, and rows of partitions, with what PR/SM used
    (*PHYSICAL*) and the total of each type."""

    rows: SystemReport
    partition: str
    image_capacity: int
    physical: Mapping[str, int]
    group: str = ""
    group_limit_msu: int = 0

    @property
    def partitions(self) -> list[Row]:
        """Rows of partitions with general processors: those with a weight for MSU."""
        return [line[1] for line in self.rows.lines if line[0] == "PARTITION_ROW" and line[1]["msu_used"] is not None]
