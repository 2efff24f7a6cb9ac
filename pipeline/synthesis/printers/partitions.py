"""Print the RMF Partition Data Report of a system, as z/OS V2R4 and later do.

Source: a page of z/OS V2R4 that the reader of this report was compared with (parsers/rmf_partition_data.py).
"""

from collections.abc import Iterator
from itertools import zip_longest

from ..contents.partitions import PartitionData
from ..pages import Paper, placed
from .system_reports import print_system


def print_partitions(report: PartitionData, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    return print_system(report.rows, paper, "\n".join([*_above(report), "", ""]))


def _above(report: PartitionData) -> Iterator[str]:
    physical = [f"          {kind:>3} {count:3d}" for kind, count in report.physical.items() if count]
    limit = report.group_limit_msu if report.group else "N/A"
    lines = zip_longest(
        (
            f"MVS PARTITION NAME  {report.partition:>22}",
            f"IMAGE CAPACITY  {report.image_capacity:>26}",
            f"NUMBER OF CONFIGURED PARTITIONS  {len(report.partitions):>9}",
            "WAIT COMPLETION                         NO",
            "DISPATCH INTERVAL                  DYNAMIC",
        ),
        (f"PHYS PROC NUM  {sum(report.physical.values()):3d}", *physical[:4]),
        (f"GROUP NAME   {report.group or 'N/A'}", f"LIMIT         {limit:>5}", "AVAILABLE       N/A"),
        ("INITIAL CAP          NO", "LPAR HW CAP          NO", "HW GROUP CAP         NO", "ABS MSU CAP          NO"),
        fillvalue="",
    )
    for line in lines:
        yield placed(*zip((0, 50, 76, 101), line, strict=True)).rstrip()
