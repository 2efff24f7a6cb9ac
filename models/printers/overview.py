"""Print the RMF Overview report of a system, a line per interval.

Source: a published page of z/OS V2R2.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ...pipeline.printing.pages import Paper, Section, placed, print_intervals
from ..contents.common import Row, SystemReport
from ._headings import stamp

# Where the first title ends, how far apart titles are, and how many fit a line.
_FIRST, _APART, _COLUMNS = 34, 10, 10
_WIDTH = 8


def print_overview(report: SystemReport, paper: Paper | None = None) -> bytes:
    """The pages of a report; of more columns than fit a line, those of a further report with the same lines."""
    firsts = range(0, len(report.lines), _COLUMNS)
    return b"".join(_print(report, report.lines[n : n + _COLUMNS], paper or Paper()) for n in firsts)


def _print(report: SystemReport, columns: Sequence[Row], paper: Paper) -> bytes:
    def heading(page: int, _: str) -> Section:
        lines = [*_top(report), "", *([_COUNT, ""] if page == 1 else []), *_titles(columns)]
        return Section("\n".join(lines), values | {"page": page}, title=True)

    lengths = report.intervals.printed_s
    values = {"many": len(lengths), "total": lengths.sum(), "mean": lengths.mean()}
    return print_intervals(1, _rows(report, columns), heading, paper)


_COUNT = placed((0, "NUMBER OF INTERVALS %(many)-11l"), (34, "TOTAL LENGTH OF INTERVALS %(total)8.0c"))


def _top(report: SystemReport) -> Iterator[str]:
    start, end = (stamp(moment).replace(" ", "-") for moment in (report.head["range_start"], report.head["range_end"]))
    yield placed((42, "R M F   O V E R V I E W   R E P O R T"))
    yield placed((110, "PAGE"), (116, "%(page)3z"))
    yield placed(
        (12, f"z/OS  {report.release}"), (37, f"SYSTEM ID {report.system}"), (64, f"START {start}"),
        (91, "INTERVAL %(mean)8.0c"),
    )  # fmt: skip
    yield placed((37, f"RPT VERSION {report.release} RMF"), (64, f"END   {end}"), (91, "CYCLE 1.000 SECONDS"))


def _titles(columns: Sequence[Row]) -> Iterator[str]:
    ends = (_FIRST + _APART * number for number in range(len(columns)))
    names = (
        (end - len(one["overview_column"]), one["overview_column"]) for end, one in zip(ends, columns, strict=True)
    )
    yield placed((0, "DATE    TIME     INT"), *names)
    yield "MM/DD HH.MM.SS HH.MM.SS"


def _rows(report: SystemReport, columns: Sequence[Row]) -> Iterator[Section]:
    """Numbers end with their title, those of service classes one column before."""
    begins = [_FIRST - _WIDTH + _APART * number - one["of_class"] for number, one in enumerate(columns)]
    holes = [f"%(value{number}){_WIDTH}.{one['decimals']}f" for number, one in enumerate(columns)]
    numbers = [np.broadcast_to(np.asarray(one["value"], float), len(report.intervals)) for one in columns]
    form = placed((0, "%(date)5s %(time)8s %(length)8.0c"), *zip(begins, holes, strict=True))
    for at, (start, length) in enumerate(zip(report.intervals.start, report.intervals.printed_s, strict=True)):
        day, time = stamp(start).split(" ")
        values = {"date": day[:5], "time": time, "length": length}
        yield Section(form, values | {f"value{number}": values_of[at] for number, values_of in enumerate(numbers)})
