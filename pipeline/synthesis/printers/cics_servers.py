"""Print the statistics of a CICS server of shared temporary storage as its messages, with their date, time and job in front.

Source: field knowledge, as the layout of IBM's manual for messages of other servers.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..contents.cics_servers import CicsServer, Pool
from ..contents.common import ratio
from ..pages import Paper, Section, placed, print_intervals, texts
from ._headings import times

# A title, the number below it, and where both end.
Cell = tuple[str, str, int]
_FIRST, _WIDTH = 19, 10
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")


def _wide(*cells: tuple[str, str]) -> list[Cell]:
    """Cells of the usual width."""
    return [(title, name, _FIRST + _WIDTH * number) for number, (title, name) in enumerate(cells)]


_USED = (("Total", "total"), ("In use", "in_use"), ("Max used", "max_used"), ("Free", "free"))
_INDEX = _wide(
    ("Wrt Adjs", "index_write_adjuncts"),
    ("Inquires", "index_inquires"),
    ("Reads", "index_reads"),
    ("Writes", "index_writes"),
    ("Deletes", "index_deletes"),
)
_DATA = (
    ("Creates", "data_creates"),
    ("Writes", "data_writes"),
    ("Reads", "data_reads"),
    ("Rereads", "data_rereads"),
    ("Deletes", "data_deletes"),
)
_RESPONSES = (
    _wide(("Asynch", "asynchronous"), ("Unavail", "unavailable")),
    _wide(
        ("Normal", "normal"),
        ("Timeout", "timed_out"),
        ("Not fnd", "not_found"),
        ("Vers chk", "version_failed"),
        ("List chk", "list_failed"),
    ),
    _wide(("List full", "list_full"), ("Str full", "structure_full"), ("I/O err", "errors")),
)


def print_cics_server(report: CicsServer, paper: Paper | None = None) -> bytes:
    """The messages of a server at all times that it printed them."""
    first, *others = _messages(report)
    # A log has no pages: the first message begins what is printed at one time.
    paper = paper or Paper()
    endless = Paper(paper.asa, paper.ebcdic, 1 << 30)
    (top, *more) = first.form.split("\n")
    head = Section(top, first.values)
    sections = [Section("\n".join(more), first.values), *others]
    return print_intervals(len(report.printed_at), sections, lambda page, part: head, endless)


def print_log_top(report: CicsServer, paper: Paper | None = None) -> bytes:
    """The first lines of the job log: the system, and the day of the first message."""
    first = report.printed_at[0]
    day = first.astype("datetime64[D]")
    year, month, number = str(day).split("-")
    # 1970 began on a Thursday.
    weekday = _DAYS[(int(day.astype(np.int64)) + 3) % 7]
    system = Section(f"{' ' * 24}J E S 2  J O B  L O G  --  S Y S T E M  {' '.join(report.system)}  --  N O D E  N 1")
    date = f"{times(first[None]).tobytes().decode()} {report.job} ---- {weekday + ',':10} {number} {_MONTHS[int(month) - 1]} {year} ----"
    return print_intervals(1, [Section(date)], lambda page, part: system, paper or Paper())


def _messages(report: CicsServer) -> Iterator[Section]:
    structure = f"CF structure DFHXQLS_{report.pool}"
    pool = _pool(report.structure)
    yield _message(report, "0432I", f"Queue pool statistics for {structure}", pool.form, pool.values)
    yield _message(report, "0431I", f"Access statistics for {structure}", "\n".join(_accesses()), vars(report.accesses))


def _message(report: CicsServer, number: str, title: str, parts: str, values: Mapping[str, Any]) -> Section:
    days = [str(day) for day in report.printed_at.astype("datetime64[D]")]
    front = {"date": texts(days, 10), "time": times(report.printed_at)}
    return Section(f"%(date)10s %(time)8s {report.job} DFHXQ{number} {title}:\n{parts}", front | dict(values))


def _part(label: str, *lines: Sequence[Cell], prefix: str = "", shares: bool = False) -> Iterator[str]:
    """Titles with their numbers below; with `shares`, percentages of the total below these."""
    for number, cells in enumerate(lines):
        yield placed((0, "" if number else label), *((end - len(title), title) for title, _, end in cells))
        yield _numbers(cells, prefix, len(label))
        if shares:
            yield placed(*((end - 4, f"%({prefix}{name}_share)3d%") for _, name, end in cells))


def _numbers(cells: Sequence[Cell], prefix: str, label: int) -> str:
    """Each number has the room behind the one before it, but for a blank; the first has that behind the label."""
    begins = (label, *(end for _, _, end in cells[:-1]))
    holes = []
    for begin, (_, name, end) in zip(begins, cells, strict=True):
        width = min(end - begin, _WIDTH) - 1
        holes.append((end - width, f"%({prefix}{name}){width}n"))
    return placed(*holes)


def _pool(pool: Pool) -> Section:
    sizes = (("Size", f"{pool.size_kb}K"), ("Max size", f"{pool.max_size_kb}K"), ("Elem size", str(pool.element_bytes)))
    ends = [_FIRST + _WIDTH * number for number in range(len(sizes))]
    lines = [
        placed((0, "Structure:"), *((end - len(t), t) for (t, _), end in zip(sizes, ends, strict=True))),
        placed(*((end - len(size), size) for (_, size), end in zip(sizes, ends, strict=True))),
    ]
    values: dict[str, Any] = {"objects": pool.objects, "objects_highest": pool.objects_highest}
    lines += _part("Queues:", _wide(("Current", "objects"), ("Highest", "objects_highest")))
    in_lists = (*_USED[:3], ("Control", "control"), ("Data", "data"))
    for name, used, titles in (
        *(("lists", pool.lists, in_lists), ("entries", pool.entries, _USED)),
        ("elements", pool.elements, _USED),
    ):
        lines += _part(f"{name.capitalize()}:", _wide(*titles), prefix=f"{name}_", shares=True)
        values |= _shares(name, used, tuple(one for _, one in titles))
    return Section("\n".join(lines), values)


def _shares(prefix: str, used: object, names: tuple[str, ...]) -> dict[str, Any]:
    """The numbers, and their percentages of the total."""
    found = {name: getattr(used, name) for name in names}
    shares = {f"{name}_share": 100 * ratio(value, found["total"]) for name, value in found.items()}
    return {f"{prefix}_{name}": value for name, value in (found | shares).items()}


def _accesses() -> Iterator[str]:
    yield from _part("Index:", _INDEX)
    yield from _part("Data:", _wide(*_DATA))
    yield from _part("Responses:", *_RESPONSES)
