"""Print RMF CPU Activity of a system, as z/OS V2R1 and later do.

Source: pages printed by V2R5 (with multithreading) and, without its columns, by the releases before.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..contents import CpuActivity, Multithreading, Processor
from ..pages import Paper, Section, placed, print_intervals, together
from ._headings import system_heading
from .work_units import PART, analysis_sections

_HEAD = """\
---CPU---    ---------------- TIME % ----------------   --- MT % ----   LOG PROC      --I/O INTERRUPTS--
NUM  TYPE    ONLINE    LPAR BUSY    MVS BUSY   PARKED   PROD   UTIL     SHARE %       RATE     % VIA TPI"""
_NARROW_HEAD = """\
---CPU---    ---------------- TIME % ----------------     LOG PROC      --I/O INTERRUPTS--
NUM  TYPE    ONLINE    LPAR BUSY    MVS BUSY   PARKED     SHARE %       RATE     % VIA TPI"""
_MT_HEAD = """\
------------ MULTI-THREADING ANALYSIS ---------------
 CPU TYPE    MODE     MAX CF           CF      AVG TD"""
# Without the columns of multithreading, the columns after them are this much further left.
_NARROWER = 14


def print_cpu(report: CpuActivity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    top, values = system_heading("C P U  A C T I V I T Y", 43, report.release, report.system, report.intervals)
    machine = _machine(report)
    head = _HEAD if report.multithreading else _NARROW_HEAD

    def heading(page: int, part: str) -> Section:
        below = "" if part == PART else f"{machine}\n\n{head}"
        return Section(f"{top}\n{below}", values | {"page": str(page)}, title=True)

    sections = [*_rows(report), *(analysis_sections(report.analysis, report.release) if report.analysis else ())]
    return print_intervals(len(report.intervals), sections, heading, paper or Paper())


def _machine(report: CpuActivity) -> str:
    boost = report.release >= "V2R4"
    lines = [
        placed(
            (0, f"CPU        {report.cpc_type}"),
            (18, f"CPC CAPACITY  {report.capacity}"),
            (44, f"SEQUENCE CODE {report.sequence_code}"),
        ),
        placed((0, f"MODEL      {report.model}"), (44, f"HIPERDISPATCH={'YES' if report.hiperdispatch else 'NO'}")),
        placed(
            (0, f"H/W MODEL  {report.hardware_model}"),
            (18, "CHANGE REASON=NONE"),
            (44, f"BOOST TYPE={report.boost_type}" if boost else ""),
            (67, f"BOOST CLASS={report.boost_class}" if boost else ""),
        ),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _right(wide: bool, *cells: tuple[int, str]) -> str:
    """A line of cells; without MT %, the cells after it move left."""
    return placed(*((at - _NARROWER * (at > 69 and not wide), cell) for at, cell in cells))


def _rows(report: CpuActivity) -> Iterator[Section]:
    """One row per processor, further threads below it, and TOTAL/AVERAGE of each type; then the analysis of multithreading."""
    wide = bool(report.multithreading)
    threads = [(56, "%(productivity_pct)6.2f"), (63, "%(utilization_pct)6.2f")] if wide else []
    interrupts = [(86, "%(interrupts_per_s)5.2f"), (94, "%(tpi_pct)6.2f")]
    for kind, processors in report.kinds.items():
        beyond = interrupts if kind == "CP" else []
        *others, last = [
            _processor(one, wide, [*threads, (71, "%(share_pct)6.1f"), (79, one.polarization), *beyond])
            for one in processors
        ]
        yield from others
        totals = [(0, "TOTAL/AVERAGE"), (22, "%(lpar_busy_pct)6.2f"), (35, "%(mvs_busy_pct)6.2f"), *threads]
        total = Section(_right(wide, *totals, (71, "%(share_pct)6.1f"), *beyond), vars(report.total(kind)))
        yield together([last, total])
    if wide:
        yield together([Section(_MT_HEAD), *map(_analysis, report.multithreading)])


def _analysis(one: Multithreading) -> Section:
    """A line of the analysis of multithreading."""
    holes = [(23, "%(capacity_factor_max)5.3f"), (36, "%(capacity_factor)5.3f"), (48, "%(thread_density)5.3f")]
    return Section(placed((6, one.kind), (12, f"{one.threads:5d}"), *holes), vars(one))


def _processor(one: Processor, wide: bool, tail: list[tuple[int, str]]) -> Section:
    """The row of a processor and those of its further threads; a thread that was parked all the time has no busy."""
    values: dict[str, Any] = vars(one) | {"utilization_pct": one.utilization_pct}
    lines = []
    for thread, (busy, parked) in enumerate(zip(one.mvs_busy_pct, one.parked_pct, strict=True)):
        cells = [(35, f"%(busy{thread})6.2m"), (47, f"%(parked{thread})6.2f")]
        if not thread:
            first = [(0, f"{one.number:2X}"), (6, one.kind), (13, "%(online_pct)6.2f"), (22, "%(lpar_busy_pct)6.2f")]
            cells = [*first, *cells, *tail]
        lines.append(_right(wide, *cells))
        values[f"busy{thread}"] = np.where(np.asarray(parked) >= 100, np.nan, busy)
        values[f"parked{thread}"] = parked
    return Section("\n".join(lines), values)
