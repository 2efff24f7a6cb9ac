"""The statistics of a region as DFHSTUP prints them: labels and values, tables with their totals, and storage areas side by side.

Source: IBM's manuals for names of values and columns; published excerpts for the table of Db2 requests; the layout is field knowledge.
"""

from collections.abc import Iterator, Sequence

from ..contents.cics import CicsStatistics, StorageArea
from ..contents.common import Line
from ..pages import Paper, Section, placed, print_intervals, same_top, together
from ..print_rows import arts, heading, print_pairs, print_row
from ._headings import dates, times

_NAME = "cics_statistics"
_RULE = " " + "_" * 110


def print_cics(report: CicsStatistics, paper: Paper | None = None) -> bytes:
    """The pages of all collections of a region, one collection after the other."""
    top = (
        f"Interval Report  Collection Date-Time %(date)10s-%(time)8s  Last Reset %(reset)8s  "
        f"Applid {report.applid:<8}  Jobname {report.applid:<8}  PAGE %(page)3s\n"
    )
    values = {
        "date": dates(report.collected),
        "time": times(report.collected, ":"),
        "reset": times(report.last_reset, ":"),
    }
    return print_intervals(len(report.collected), _sections(report), same_top(top, values), paper or Paper())


def _sections(report: CicsStatistics) -> Iterator[Section]:
    for title, lines in report.parts:
        if isinstance(lines[0], StorageArea):
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


_AREA_LINES: tuple[tuple[str, str], ...] = (
    ("Current DSA Size", "size"),
    ("Peak DSA Size", "size"),
    ("Cushion Size", "cushion"),
    ("Free Storage (inc. Cushion)", "free"),
    ("Peak Free Storage", "free"),
    ("Lowest Free Storage", "cushion"),
    ("Largest Free Area", "cushion"),
    ("Current number of extents", "extents"),
    ("Number of extents added", ""),
    ("Number of extents released", ""),
    ("Getmain Requests", "getmains"),
    ("Freemain Requests", "freemains"),
    ("Current number of Subpools", "subpools"),
    ("Add Subpool Requests", ""),
    ("Delete Subpool Requests", ""),
    ("Times no storage returned", ""),
    ("Times request suspended", ""),
    ("Current requests suspended", ""),
    ("Peak requests suspended", ""),
    ("Purged while waiting", ""),
    ("Times Cushion released", ""),
    ("Times went short on storage", ""),
    ("Total time SOS", "time"),
    ("Storage violations", ""),
)


def _areas(areas: Sequence[StorageArea]) -> Section:
    """Areas side by side, a line for each of their numbers; none is ever short."""
    lines = [placed((35, ""), *((36 + 19 * k, f"{area.name:>18}") for k, area in enumerate(areas)))]
    values: dict[str, object] = {}
    for number, (label, name) in enumerate(_AREA_LINES):
        cells = [(1, f"{label + ' .' * 20:.32}:")]
        for k, area in enumerate(areas):
            value = {"": 0, "extents": 1, "subpools": 40, "time": 0}.get(name, getattr(area, name, 0))
            is_size = name in ("size", "cushion", "free")
            values[f"line{number}_{k}"] = f"{value}K" if is_size else value
            cells.append((36 + 19 * k, f"%(line{number}_{k})18{'y' if name == 'time' else 's' if is_size else 'd'}"))
        lines.append(placed(*cells))
    return Section("\n".join([*lines, ""]), values)
