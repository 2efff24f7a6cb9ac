"""Print the RMF Partition Data Report of a system, as z/OS V2R4 and later do.

Source: a page of z/OS V2R4 that the reader of this report was compared with (parsers/rmf_partition_data.py).
"""

from collections.abc import Iterator
from itertools import zip_longest

from ...pipeline.printing.pages import Paper, placed
from ..contents.common import SystemReport, of_machine
from .system_reports import print_system


def print_partitions(report: SystemReport, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    return print_system(report, paper, "\n".join([*_above(report), "", ""]))


def _above(report: SystemReport) -> Iterator[str]:
    of, found = report.head, report.head["physical"]
    physical = [f"          {kind:>3} {count:3d}" for kind, count in found.items() if count]
    limit = of["capacity_group_limit"] if of["capacity_group"] else "N/A"
    lines = zip_longest(
        (
            f"MVS PARTITION NAME  {report.system:>22}",
            f"IMAGE CAPACITY  {of['image_capacity']:>26}",
            f"NUMBER OF CONFIGURED PARTITIONS  {len(of_machine(report)):>9}",
            "WAIT COMPLETION                         NO",
            "DISPATCH INTERVAL                  DYNAMIC",
        ),
        (f"PHYS PROC NUM  {sum(found.values()):3d}", *physical[:4]),
        (f"GROUP NAME   {of['capacity_group'] or 'N/A'}", f"LIMIT         {limit:>5}", "AVAILABLE       N/A"),
        ("INITIAL CAP          NO", "LPAR HW CAP          NO", "HW GROUP CAP         NO", "ABS MSU CAP          NO"),
        fillvalue="",
    )
    for line in lines:
        yield placed(*zip((0, 50, 76, 101), line, strict=True)).rstrip()
