"""The statistics of a region as DFHSTUP prints them: labels and values, tables with their totals, and storage areas side by side; and the
Performance Summary of CICS Performance Analyzer.

Source: IBM's manuals for names of values and columns; published excerpts for the table of Db2 requests, published pages of CICS PA for heading, stacked
titles and times with four decimals; the rest of the layout is field knowledge.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ...pipeline.printing.pages import Paper, Section, placed, print_intervals, same_top, together
from ...pipeline.printing.print_rows import arts, heading, print_pairs, print_row
from ..contents.common import Line, Row, SystemReport
from ._headings import dates, times

_NAME = "cics_statistics"
_RULE = " " + "_" * 110


def print_cics(report: SystemReport, paper: Paper | None = None) -> bytes:
    """The pages of all collections of a region, one collection after the other."""
    top = (
        f"Interval Report  Collection Date-Time %(date)10s-%(time)8s  Last Reset %(reset)8s  "
        f"Applid {report.system:<8}  Jobname {report.system:<8}  PAGE %(page)3s\n"
    )
    values = {
        "date": dates(report.head["collected"]),
        "time": times(report.head["collected"], ":"),
        "reset": times(report.intervals.start, ":"),
    }
    return print_intervals(len(report.intervals), _sections(report), same_top(top, values), paper or Paper())


def _sections(report: SystemReport) -> Iterator[Section]:
    for title, lines in report.lines:
        if isinstance(lines[0], dict):
            yield _areas(lines)
            continue
        above = f"{title}\n{'_' * len(title)}\n" if title else ""
        (kind, values), *_ = lines
        if kind.endswith("_NAME_ROW"):
            many = ((1, 68), 47, 14, " : ") if kind == "CONNECTION_NAME_ROW" else ((1,), 70, 26, ": ")
            yield together([Section(above), print_pairs(_NAME, kind, values, *many)])
        else:
            yield from _table(above, lines)


def _table(above: str, lines: Sequence[Line]) -> Iterator[Section]:
    """A table: its title and heading with the first row, the last row with the totals."""
    head = heading(_NAME, *lines[0]).format(rule=_RULE)
    rows = [print_row(_NAME, *line) for line in lines]
    rows[0] = together([Section(f"{above}\n{head}"), rows[0]])
    kind = lines[0][0].replace("_ROW", "_TOTAL_ROW")
    added = {name: sum(row.get(name, 0) for _, row in lines) for art in arts(_NAME, kind) for name in art.columns}
    rows[-1] = together([rows[-1], print_row(_NAME, kind, added), Section("")])
    for number, row in enumerate(rows):
        yield Section(row.form, row.values, head=head if number else "")


# Lines of storage areas, with the value of a model: a field of the area, a number, or 0.
_AREA_LINES: dict[str, str | int] = {
    "Current DSA Size": "size", "Peak DSA Size": "size", "Cushion Size": "cushion", "Free Storage (inc. Cushion)": "free",
    "Peak Free Storage": "free", "Lowest Free Storage": "cushion", "Largest Free Area": "cushion", "Current number of extents": 1,
    "Number of extents added": 0, "Number of extents released": 0, "Getmain Requests": "getmains", "Freemain Requests": "freemains",
    "Current number of Subpools": 40, "Add Subpool Requests": 0, "Delete Subpool Requests": 0, "Times no storage returned": 0,
    "Times request suspended": 0, "Current requests suspended": 0, "Peak requests suspended": 0, "Purged while waiting": 0,
    "Times Cushion released": 0, "Times went short on storage": 0, "Total time SOS": 0, "Storage violations": 0,
}  # fmt: skip


def _areas(areas: Sequence[Row]) -> Section:
    """Areas side by side, a line for each of their numbers; none is ever short."""
    lines = [placed((35, ""), *((36 + 19 * k, f"{area['name']:>18}") for k, area in enumerate(areas)))]
    values: dict[str, object] = {}
    for number, (label, what) in enumerate(_AREA_LINES.items()):
        cells = [(1, f"{label + ' .' * 20:.32}:")]
        for k, area in enumerate(areas):
            value = values[f"line{number}_{k}"] = area[what] if isinstance(what, str) else what
            kind = "y" if label == "Total time SOS" else "s" if isinstance(value, str) else "d"
            cells.append((36 + 19 * k, f"%(line{number}_{k})18{kind}"))
        lines.append(placed(*cells))
    return Section("\n".join([*lines, ""]), values)


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
