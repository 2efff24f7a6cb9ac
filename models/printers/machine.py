"""RMF CPU Activity of a system, as z/OS V2R1 and later print it with one thread per core, and the Partition Data Report, as V2R4 and later do.

Source: published pages.
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from ...pipeline.printing.pages import Paper, placed
from ..contents.common import SystemReport, of_machine
from .system_reports import print_system
from .work_units import analysis_sections


def print_cpu(report: SystemReport, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    analysis = analysis_sections(report.head["analysis"]) if "analysis" in report.head else ()
    return print_system(report, paper, f"{_machine(report)}\n\n", analysis)


def machine(report: SystemReport) -> dict[str, Any]:
    """The machine, or one without a description."""
    some = {"cpc_type": "8561", "cpc_model": "710", "hardware_model": "T01", "cpc_capacity": 2000}
    return some | {"sequence_code": "00000000000A1B2C"} | report.head


def _machine(report: SystemReport) -> str:
    of = machine(report)
    lines: list[tuple[str, ...]] = [
        (f"CPU        {of['cpc_type']}", f"CPC CAPACITY  {of['cpc_capacity']}", f"SEQUENCE CODE {of['sequence_code']}"),
        (f"MODEL      {of['cpc_model']}", "", "HIPERDISPATCH=YES"),
        (f"H/W MODEL  {of['hardware_model']}", "CHANGE REASON=NONE"),
    ]
    if report.release >= "V2R4":
        lines[2] += "BOOST TYPE=None", "BOOST CLASS=None"
    return "\n".join(placed(*zip((0, 18, 44, 67), line, strict=False)) for line in lines)


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
