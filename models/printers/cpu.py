"""Print RMF CPU Activity of a system, as z/OS V2R1 and later do.

Source: pages of systems with one thread per core.
"""

from typing import Any

from ...pipeline.printing.pages import Paper, placed
from ..contents.common import SystemReport
from .system_reports import print_system
from .work_units import analysis_sections


def print_cpu(report: SystemReport, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    analysis = analysis_sections(report.head["analysis"]) if "analysis" in report.head else ()
    return print_system(report, paper, f"{_machine(report)}\n\n", analysis)


def machine(report: SystemReport) -> dict[str, Any]:
    """The machine, or one of which nothing was said."""
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
