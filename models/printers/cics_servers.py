"""Print the statistics of a CICS server of shared temporary storage as its messages, with their date, time and job in front.

Source: field knowledge, as the layout of IBM's manual for messages of other servers.
"""

from collections.abc import Iterator

import numpy as np

from ...pipeline.printing.pages import Paper, Section, placed, print_intervals, texts, together
from ...pipeline.printing.print_rows import Art, arts, print_row
from ..contents.common import Row, SystemReport, ratio
from ._headings import times

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
# The parts of each message; below those of use are percentages of the total.
_USE = ("LISTS", "ENTRIES", "ELEMENTS")
_POOL, _ACCESS = ("STRUCTURE", "OBJECTS", *_USE), ("INDEX", "DATA", "RESPONSES", "RESPONSES_MORE")


def print_cics_server(report: SystemReport, paper: Paper | None = None) -> bytes:
    """The messages of a server at all times that it printed them."""
    pool = _message(report, "0432I", "Queue pool", _POOL, report.lines[0])
    access = _message(report, "0431I", "Access", _ACCESS, report.lines[1])
    # A log has no pages: the first line begins what is printed at one time.
    paper = paper or Paper()
    endless = Paper(paper.asa, paper.ebcdic, 1 << 30)
    first, *others = pool
    sections = [together(others), together(access)]
    return print_intervals(len(report.intervals), sections, lambda page, part: first, endless)


def print_log_top(report: SystemReport, paper: Paper | None = None) -> bytes:
    """The first lines of the job log: the system, and the day of the first message."""
    first = report.head["printed_at"][0]
    day = first.astype("datetime64[D]")
    year, month, number = str(day).split("-")
    # 1970 began on a Thursday.
    weekday = _DAYS[(int(day.astype(np.int64)) + 3) % 7]
    system = Section(f"{' ' * 24}J E S 2  J O B  L O G  --  S Y S T E M  {' '.join(report.system)}  --  N O D E  N 1")
    date = f"{times(first[None]).tobytes().decode()} {report.head['job']} ---- {weekday + ',':10} {number} {_MONTHS[int(month) - 1]} {year} ----"
    return print_intervals(1, [Section(date)], lambda page, part: system, paper or Paper())


def _message(report: SystemReport, number: str, title: str, parts: tuple[str, ...], values: Row) -> Iterator[Section]:
    printed_at = report.head["printed_at"]
    days = [str(day) for day in printed_at.astype("datetime64[D]")]
    front = {"date": texts(days, 10), "time": times(printed_at)}
    form = f"{report.head['job']} DFHXQ{number} {title} statistics for CF structure DFHXQLS_{report.head['pool_name']}:"
    yield Section(f"%(date)10s %(time)8s {form}", front)
    for part in parts:
        for art in arts("cics_servers", f"{part}_ROW"):
            row = {name: values.get(name, 0) for name in art.columns}
            yield Section(art.heading)
            yield print_row("cics_servers", f"{part}_ROW", row)
            if part in _USE:
                yield _shares(art, values, f"{part.lower()}_total")


def _shares(art: Art, values: Row, total: str) -> Section:
    cells = [(one.at + one.width - 4, f"%({one.columns[0]})3d%") for one in art.cells]
    return Section(placed(*cells), {name: 100 * ratio(values[name], values[total]) for name in art.columns})
