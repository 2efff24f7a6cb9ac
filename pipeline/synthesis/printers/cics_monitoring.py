"""Performance Summary of CICS Performance Analyzer on paper.

Source: published pages of CICS PA for heading, stacked titles and times with four decimals; QR CPU, L8 CPU and DSPDELAY from field knowledge.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..contents.cics_monitoring import MonitoredRegion, MonitoredTransaction
from ..contents.common import Numbers
from ..pages import Paper, Section, print_intervals, same_top, texts
from ._headings import dates, times

# Title and value of each column of times.
_COLUMNS = (
    ("Response", "response"),
    ("Dispatch", "dispatch"),
    ("User CPU", "cpu"),
    ("QR CPU", "qr_cpu"),
    ("L8 CPU", "l8_cpu"),
    ("Suspend", "suspend"),
    ("DispWait", "dispatch_wait"),
    ("DSPDELAY", "first_delay"),
)


def print_cics_monitoring(report: MonitoredRegion, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a region, one interval after the other."""
    starts = report.intervals.start
    ends = starts + np.floor(report.intervals.printed_s + 0.5).astype("timedelta64[s]")
    values = {"from": times(starts, ":"), "from_day": dates(starts), "to": times(ends, ":"), "to_day": dates(ends)}
    top = (
        f" {report.product:<46}CICS Performance Analyzer\n{' ' * 50}Performance Summary\n\n"
        "SUMM0001 Printed at %(to)8s %(to_day)10s  Data from %(from)8s %(from_day)10s to %(to)8s %(to_day)10s  "
        f"APPLID {report.applid:<8}  Page %(page)4s\n"
    )
    heading = same_top(top, values)
    return print_intervals(len(report.intervals), _sections(report), heading, paper or Paper())


def _sections(report: MonitoredRegion) -> Iterator[Section]:
    head = "\n".join(
        (
            " " * 15 + "".join(f"{'Avg':>9}" for _ in _COLUMNS),
            f"Tran {'#Tasks':>10}" + "".join(f"{title:>9}" for title, _ in _COLUMNS),
            " " * 15 + "".join(f"{'Time':>9}" for _ in _COLUMNS),
        )
    )
    for number, one in enumerate(report.transactions):
        form = f"{one.name:<5}%(tasks)10d" + "".join(f" %({name})8s" for _, name in _COLUMNS)
        yield Section(f"\n{head}\n{form}" if not number else form, _values(one), head=head if number else "")


def _values(one: MonitoredTransaction) -> dict[str, Numbers | NDArray[np.uint8]]:
    found = {name: getattr(one, f"{name}_s") for _, name in _COLUMNS if name != "suspend"}
    found["suspend"] = np.asarray(one.response_s, float) - np.asarray(one.dispatch_s, float)
    return {"tasks": one.tasks} | {name: seconds(value) for name, value in found.items()}


def seconds(values: Numbers) -> NDArray[np.uint8]:
    """Seconds with four decimals, without a leading zero.

    >>> seconds(0.01234).tobytes().decode(), seconds(12.5).tobytes().decode()
    ('   .0123', ' 12.5000')
    """
    printed = (
        f"{np.floor(float(value) * 10_000 + 0.5) / 10_000:.4f}" for value in np.atleast_1d(np.asarray(values, float))
    )
    return texts((f"{one.removeprefix('0') if one.startswith('0.') else one:>8}" for one in printed), 8)
