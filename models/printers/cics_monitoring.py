"""Performance Summary of CICS Performance Analyzer on paper.

Source: published pages of CICS PA for heading, stacked titles and times with four decimals; QR CPU, L8 CPU and DSPDELAY from field knowledge.
"""

import numpy as np

from ...pipeline.printing.pages import Paper, Section, print_intervals, same_top
from ...pipeline.printing.print_rows import heading, print_row
from ..contents.common import SystemReport
from ._headings import dates, times


def print_cics_monitoring(report: SystemReport, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a region, one interval after the other."""
    starts = report.intervals.start
    ends = starts + np.floor(report.intervals.printed_s + 0.5).astype("timedelta64[s]")
    values = {"from": times(starts, ":"), "from_day": dates(starts), "to": times(ends, ":"), "to_day": dates(ends)}
    top = (
        f" {'V5R4M0':<46}CICS Performance Analyzer\n{' ' * 50}Performance Summary\n\n"
        "SUMM0001 Printed at %(to)8s %(to_day)10s  Data from %(from)8s %(from_day)10s to %(to)8s %(to_day)10s  "
        f"APPLID {report.system:<8}  Page %(page)4s\n"
    )
    head = heading(report.name, *report.lines[0])
    first, *others = (print_row(report.name, *line) for line in report.lines)
    rows = [Section(f"\n{head}\n{first.form}", first.values), *(Section(s.form, s.values, head=head) for s in others)]
    return print_intervals(len(starts), rows, same_top(top, values), paper or Paper())
