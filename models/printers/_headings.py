"""Shared by the headings of RMF reports: dates, times and the two families of heading lines."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pipeline.printing.pages import texts
from ..contents.common import Intervals


def dates(moments: NDArray[np.datetime64]) -> NDArray[np.uint8]:
    """Moments as mm/dd/yyyy."""
    days = [str(day) for day in moments.astype("datetime64[D]")]
    return texts((f"{day[5:7]}/{day[8:10]}/{day[:4]}" for day in days), 10)


def times(moments: NDArray[np.datetime64], point: str = ".") -> NDArray[np.uint8]:
    """Moments as hh.mm.ss, or with another `point` between."""
    return texts((str(one)[11:19].replace(":", point) for one in moments.astype("datetime64[s]")), 8)


def stamp(moment: np.datetime64) -> str:
    """One moment as mm/dd/yyyy hh.mm.ss."""
    one = np.array([moment], "datetime64[s]")
    return f"{dates(one).tobytes().decode()} {times(one).tobytes().decode()}"


def interval_lines(
    intervals: Intervals, first: str, below: str, at: int, minute_digits: int = 2, gap: int = 11
) -> tuple[str, str, dict[str, Any]]:
    """Two heading lines with DATE above TIME, or START above END, at print position `at`, behind each of them INTERVAL or
    what is below it; and what their holes hold. An interval is printed as mm.ss.ttt, that of a duration report as
    hhh.mm.ss."""
    length = intervals.printed_s
    values: dict[str, Any] = {"date": dates(intervals.start), "time": times(intervals.start), "length": length}
    first, below = first.ljust(at), below.ljust(at)
    if intervals.duration:
        end = intervals.start + length.astype("timedelta64[s]")
        values |= {"end_date": dates(end), "end_time": times(end)}
        first += f"START %(date)10s-%(time)8s{' ' * (gap - 10)}INTERVAL %(length)9.0c"
        return first, below + "END   %(end_date)10s-%(end_time)8s", values
    milliseconds = np.floor(length * 1000 + 0.5)
    values |= {
        "minutes": milliseconds // 60_000,
        "seconds": milliseconds // 1000 % 60,
        "thousandths": milliseconds % 1000,
    }
    first += f"DATE %(date)10s{' ' * gap}INTERVAL %(minutes){minute_digits}z.%(seconds)2z.%(thousandths)3z"
    return first, below + "TIME %(time)8s", values


def system_heading(
    title: str, title_at: int, release: str, system: str, intervals: Intervals, has_cycle: bool = True
) -> tuple[str, dict[str, Any]]:
    """The heading of a report of one system: title, PAGE (a hole), and two lines, the second with the cycle of Monitor I if the report has it."""
    first, below, values = interval_lines(
        intervals,
        f"          z/OS {release:<18}SYSTEM ID {system:<8}",
        f"{' ' * 33}RPT VERSION {release} RMF",
        61,
        gap=12,
    )
    cycle = "   CYCLE 1.000 SECONDS" if intervals.duration else " " * 14 + "CYCLE 1.000 SECONDS"
    lines = [" " * title_at + title, " " * 119 + "PAGE %(page)4s", first, below + (cycle if has_cycle else "")]
    return "\n".join(lines), values
