"""Print RMF CPU Activity of a system, as z/OS V2R1 and later do.

Source: pages of systems with one thread per core.
"""

from ..contents.processors import CpuActivity
from ..pages import Paper, placed
from .system_reports import print_system
from .work_units import analysis_sections


def print_cpu(report: CpuActivity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    analysis = analysis_sections(report.analysis) if report.analysis else ()
    return print_system(report.rows, paper, f"{_machine(report)}\n\n", analysis)


def _machine(report: CpuActivity) -> str:
    lines: list[tuple[str, ...]] = [
        (f"CPU        {report.cpc_type}", f"CPC CAPACITY  {report.capacity}", f"SEQUENCE CODE {report.sequence_code}"),
        (f"MODEL      {report.model}", "", "HIPERDISPATCH=YES"),
        (f"H/W MODEL  {report.hardware_model}", "CHANGE REASON=NONE"),
    ]
    if report.rows.release >= "V2R4":
        lines[2] += "BOOST TYPE=None", "BOOST CLASS=None"
    return "\n".join(placed(*zip((0, 18, 44, 67), line, strict=False)) for line in lines)
