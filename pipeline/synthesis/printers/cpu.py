"""Print RMF CPU Activity of a system, as z/OS V2R1 and later do.

Source: pages of systems with one thread per core.
"""

from collections.abc import Iterator

import numpy as np

from ..contents.processors import CpuActivity, Processor
from ..pages import Paper, Section, cells_of, placed, print_intervals, same_top, together
from ._headings import system_heading
from .work_units import analysis_sections

_HEAD = """\
---CPU---    ---------------- TIME % ----------------     LOG PROC      --I/O INTERRUPTS--
NUM  TYPE    ONLINE    LPAR BUSY    MVS BUSY   PARKED     SHARE %       RATE     % VIA TPI"""


def print_cpu(report: CpuActivity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    top, values = system_heading("C P U  A C T I V I T Y", 43, report.release, report.system, report.intervals)
    heading = same_top(f"{top}\n", values, {"": f"{_machine(report)}\n\n{_HEAD}"})
    sections = [*_rows(report), *(analysis_sections(report.analysis) if report.analysis else ())]
    return print_intervals(len(report.intervals), sections, heading, paper or Paper())


def _machine(report: CpuActivity) -> str:
    lines: list[tuple[str, ...]] = [
        (f"CPU        {report.cpc_type}", f"CPC CAPACITY  {report.capacity}", f"SEQUENCE CODE {report.sequence_code}"),
        (f"MODEL      {report.model}", "", f"HIPERDISPATCH={'YES' if report.hiperdispatch else 'NO'}"),
        (f"H/W MODEL  {report.hardware_model}", "CHANGE REASON=NONE"),
    ]
    if report.release >= "V2R4":
        lines[2] += f"BOOST TYPE={report.boost_type}", f"BOOST CLASS={report.boost_class}"
    return "\n".join(placed(*zip((0, 18, 44, 67), line, strict=False)) for line in lines)


def _rows(report: CpuActivity) -> Iterator[Section]:
    """One row per processor, and TOTAL/AVERAGE of each type."""
    interrupts = [(72, "%(interrupts_per_s)5.2f"), (80, "%(tpi_pct)6.2f")]
    for kind, processors in report.kinds.items():
        beyond = interrupts if kind == "CP" else []
        *others, last = [_processor(one, beyond) for one in processors]
        yield from others
        cells = cells_of("0 TOTAL/AVERAGE  22 %(lpar_busy_pct)6.2f  35 %(mvs_busy_pct)6.2f  57 %(share_pct)6.1f")
        yield together([last, Section(placed(*cells, *beyond), vars(report.total(kind)))])


def _processor(one: Processor, beyond: list[tuple[int, str]]) -> Section:
    """The row of a processor; one that was parked all the time has no busy."""
    cells = [(0, f"{one.number:2X}"), (6, one.kind), (13, "%(online_pct)6.2f"), (22, "%(lpar_busy_pct)6.2f")]
    cells += [(35, "%(busy)6.2m"), (47, "%(parked_pct)6.2f"), (57, "%(share_pct)6.1f"), (65, one.polarization)]
    busy = np.where(np.asarray(one.parked_pct) >= 100, np.nan, one.mvs_busy_pct)
    return Section(placed(*cells, *beyond), vars(one) | {"busy": busy})
