"""RMF Overview report (Postprocessor). Grain: one row per interval and overview column.

Source: IBM z/OS RMF Report Analysis, "Overview report"; layout of z/OS V2R2. Each line is an interval, or several combined
by DINTV. Columns are named by the site's OVW statements; RMF prints no unit.
The heading's START and END span all lines, and its INTERVAL is their mean: a row has the date, time and length of its own
line, and the year from the heading's range. Numbers end with their title or one column before. On one published page the titles
lost blanks and are left of their numbers; there the numbers decide. Not parsed: the control statements, which some sites
print above the report.
"""

import datetime as dt
import re
from typing import Any

from ..pipeline.declaration.layouts import Columns
from ..pipeline.declaration.places import LineParser, Parsed, Spread
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, Report, Table, count, number, text, timestamp
from ..pipeline.errors import Problem, Unreadable
from ._dates import ORDER_HINT, read_date
from ._rmf import HEADER, UNREAD_PARTS, header_columns, read_header, read_interval, read_time
from ._whole_number import whole_number

# With DINTV the first interval may begin before START and the last may end after END.
_BEYOND_RANGE = dt.timedelta(days=1)


def read_row(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Start, end and length of a row's own interval. The year, which is not printed, follows from the heading's range. Empty without a range;
    raises Unreadable if no year or several fit."""
    printed, *heading = texts
    found: dict[str, Any] = dict.fromkeys(("interval_start", "interval_end", "interval_s"))
    stamp = re.match(r" *(\d\d/\d\d) +(\S+) +(\S+)", printed or "")
    if not stamp:
        return found
    try:
        found["interval_s"] = read_interval(stamp[3], duration=True)
        time = read_time(stamp[2])
    except ValueError:
        what = f"time {stamp[2]} or length {stamp[3]} cannot be read"
        raise Unreadable(found, [Problem(0, stamp.start(2), what, "hh.mm.ss hh.mm.ss", "")]) from None
    first, last = _range(heading, options)
    if first is None or last is None:
        return found
    possible = []
    for year in range(first.year - 1, last.year + 2):
        try:
            start = dt.datetime.combine(read_date(f"{stamp[1]}/{year}", options.date_order), time)
        except ValueError:
            continue  # no such day in that year
        if first - _BEYOND_RANGE <= start <= last + _BEYOND_RANGE:
            possible.append(start)
    if len(possible) != 1:
        what = f"date {stamp[1]} occurs {'more than once' if possible else 'nowhere'} between START and END"
        raise Unreadable(found, [Problem(0, stamp.start(1), what, "a day between START and END", ORDER_HINT)])
    found["interval_start"] = possible[0]
    found["interval_end"] = possible[0] + dt.timedelta(seconds=found["interval_s"])
    return found


def _range(heading: list[str | None], options: Options) -> tuple[dt.datetime | None, dt.datetime | None]:
    try:
        found = read_header(tuple(heading), options)
    except Unreadable as unreadable:
        found = unreadable.values  # told once, for the heading
    return found["interval_start"], found["interval_end"]


def read_count(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Number of intervals of the report, and their total length."""
    line = texts[0] or ""
    many = re.search(r"NUMBER OF INTERVALS +(\S+)", line)
    total = re.search(r"TOTAL LENGTH OF INTERVALS +(\d+\.\d\d\.\d\d)", line)
    found: dict[str, Any] = {"intervals": whole_number(many[1]) if many else None, "intervals_total_s": None}
    problems: list[Problem] = []
    if many and found["intervals"] is None:
        what = f"NUMBER OF INTERVALS {many[1]!r} cannot be read"
        problems.append(Problem(0, many.start(1), what, "a whole number", ""))
    if total:
        try:
            found["intervals_total_s"] = read_interval(total[1], duration=True)
        except ValueError:
            what = f"TOTAL LENGTH OF INTERVALS {total[1]} cannot be read"
            problems.append(Problem(0, total.start(1), what, "hhh.mm.ss", ""))
    if problems:
        raise Unreadable(found, problems)
    return found


ROW = LineParser(("OVERVIEW_ROW", "SYSTEM_LINE", "VERSION_LINE"), read_row)
COUNT = LineParser(("INTERVALS_LINE",), read_count)

OVERVIEW = Table(
    "rmf_overview",
    grain="one row per line of the report, which is an interval, and overview column",
    rows=("OVERVIEW_ROW",),
    key=("sysplex", "system", "report_kind", "interval_start", "interval_end", "overview_column"),
    spread=Spread("", "overview_column", "value", after="INT", blanks=True),
    columns=(
        *header_columns(scope=Parsed(HEADER, "system"), interval=ROW),
        Column("overview_column", text(), doc="Title of the column: the name of the site's OVW statement."),
        Column(
            "value",
            number(minimum=None),
            doc="Value as printed, in the unit of the statement.",
            suffixed=True,
            decimals_vary=True,
        ),
        Column("range_start", timestamp(), Parsed(HEADER, "interval_start"), "START of the report's range."),
        Column("range_end", timestamp(), Parsed(HEADER, "interval_end"), "END of the report's range."),
        Column("intervals", count(), Parsed(COUNT), "NUMBER OF INTERVALS of the report."),
        Column("intervals_total_s", number("s"), Parsed(COUNT), "TOTAL LENGTH OF INTERVALS of the report."),
    ),
)

REPORT = Report(
    "rmf_overview",
    summary="RMF Overview: one row per interval and column, columns named by the site",
    banner="RMFOVERVIEWREPORT",
    doc=__doc__ or "",
    tables=(OVERVIEW,),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    once=("OVERVIEW_HEAD",),
    unread_parts=UNREAD_PARTS,
    layouts=(
        Columns(
            ("OVERVIEW_HEAD", "OVERVIEW_UNITS"),
            ("OVERVIEW_ROW",),
            depth=2,
            ignored=(r"^(DATE|TIME|INT) (MM/DD|DD/MM|HH\.MM\.SS)$",),
            digits=True,
            title_shift=8,
        ),
    ),
)
