"""Print the statistics of a CICS server as its messages, with their date, time and job in front.

Source: IBM's manual for the messages DFHCF0432I, DFHNC0431I and DFHNC0432I; the other messages are field knowledge, and so is what stands in front
of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..contents.cics_servers import CicsServer, TableRequests
from ..contents.common import ratio
from ..pages import Paper, Section, placed, print_intervals, texts
from ._headings import times

# A title, the number below it, and where both end.
Cell = tuple[str, str, int]
_FIRST, _WIDTH = 19, 10
_LETTERS = {"data_table": "CF", "named_counter": "NC", "shared_ts": "XQ"}
_POOL_TITLE = {"data_table": "Table pool", "named_counter": "Pool", "shared_ts": "Queue pool"}
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")


def _wide(*cells: tuple[str, str]) -> list[Cell]:
    """Cells of the usual width."""
    return [(title, name, _FIRST + _WIDTH * number) for number, (title, name) in enumerate(cells)]


_USED = (("Total", "total"), ("In use", "in_use"), ("Max used", "max_used"), ("Free", "free"))
_COUNTER = [
    *(("Create", "creates", 17), ("Get", "gets", 27), ("Set", "sets", 32), ("Delete", "deletes", 40)),
    *(("Inquire", "inquires", 49), ("Browse", "browses", 57)),
]
_COUNTER_RESPONSES = (
    [("Asynch", "asynchronous", 18), ("Unavail", "unavailable", 27)],
    [
        *(("Normal", "normal", 18), ("Not fnd", "not_found", 27), ("Vers chk", "version_failed", 37)),
        *(("List chk", "list_failed", 47), ("Str Full", "structure_full", 57), ("I/O err", "errors", 66)),
    ],
)
_INDEX = _wide(
    ("Wrt Adjs", "index_write_adjuncts"),
    ("Inquires", "index_inquires"),
    ("Reads", "index_reads"),
    ("Writes", "index_writes"),
    ("Deletes", "index_deletes"),
)
_DATA = (("Creates", "data_creates"), ("Writes", "data_writes"), ("Reads", "data_reads"), ("Rereads", "data_rereads"))
_REWRITES = ("Rewrites", "data_rewrites")
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
_TABLE = _wide(
    ("Open", "opens"),
    ("Close", "closes"),
    ("Set attr", "attribute_sets"),
    ("Delete", "table_deletes"),
    ("Stats", "statistics"),
)
_RECORD = (
    _wide(
        ("Point", "points"),
        ("Highest", "highest"),
        ("Read", "reads"),
        ("Read del", "read_deletes"),
        ("Unlock", "unlocks"),
    ),
    _wide(
        ("Loads", "loads"),
        ("Write", "writes"),
        ("Rewrite", "rewrites"),
        ("Delete", "deletes"),
        ("Del mult", "generic_deletes"),
    ),
)
_UNITS_OF_WORK = _wide(
    ("Prepare", "prepares"),
    ("Retain", "retains"),
    ("Commit", "commits"),
    ("Backout", "backouts"),
    ("Inquire", "unit_inquires"),
    ("Restart", "restarts"),
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
    letters = _LETTERS[report.kind]
    structure = f"CF structure DFH{letters}LS_{report.pool}"
    yield _message(report, "0432I", f"{_POOL_TITLE[report.kind]} statistics for {structure}", _pool(report))
    parts = _counters() if report.kind == "named_counter" else _accesses(report)
    yield _message(report, "0431I", f"Access statistics for {structure}", "\n".join(parts), vars(report.accesses))
    for table in report.requests:
        number, title = (
            ("0435I", f"Access statistics for table {table.name}")
            if table.name
            else ("0436I", f"Request statistics for server {report.pool}")
        )
        yield _message(report, number, title, "\n".join(_requests(table)), vars(table))


def _message(
    report: CicsServer, number: str, title: str, parts: str | Section, values: dict[str, Any] | None = None
) -> Section:
    days = [str(day) for day in report.printed_at.astype("datetime64[D]")]
    front = {"date": texts(days, 10), "time": times(report.printed_at)}
    if isinstance(parts, Section):
        parts, values = parts.form, dict(parts.values)
    line = f"%(date)10s %(time)8s {report.job} DFH{_LETTERS[report.kind]}{number} {title}:"
    return Section(f"{line}\n{parts}", front | (values or {}))


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


def _pool(report: CicsServer) -> Section:
    pool, of_counters = report.structure, report.kind == "named_counter"
    titles = ("Size", "Max size") if of_counters else ("Size", "Max size", "Elem size")
    sizes = (f"{pool.size_kb}K", f"{pool.max_size_kb}K", str(pool.element_bytes))
    ends = [_FIRST + _WIDTH * number for number in range(len(titles))]
    lines = [
        placed((0, "Structure:"), *((end - len(t), t) for t, end in zip(titles, ends, strict=True))),
        placed(*((end - len(size), size) for size, end in zip(sizes, ends, strict=False))),
    ]
    values: dict[str, Any] = {}
    if of_counters:
        lines += _part("Entries:", _wide(*_USED, ("Min free", "min_free")), prefix="entries_", shares=True)
        values |= _shares("entries", pool.entries, ("total", "in_use", "max_used", "free", "min_free"))
        return Section("\n".join(lines), values)
    is_table = report.kind == "data_table"
    lines += _part("Tables:" if is_table else "Queues:", _wide(("Current", "objects"), ("Highest", "objects_highest")))
    values |= {"objects": pool.objects, "objects_highest": pool.objects_highest}
    in_lists = (*_USED[:3], ("Control", "control"), ("Data", "data"))
    rows = (_wide(*in_lists[:4]), _wide(in_lists[4])) if is_table else (_wide(*in_lists),)
    lines += _part("Lists:", *rows, prefix="lists_", shares=True)
    values |= _shares("lists", pool.lists, tuple(name for _, name in in_lists))
    more = [_wide(("Min free", "min_free"), ("Reserve", "reserve"))] if is_table else []
    for name, used in (("entries", pool.entries), ("elements", pool.elements)):
        lines += _part(f"{name.capitalize()}:", _wide(*_USED), *more, prefix=f"{name}_", shares=True)
        values |= _shares(name, used, ("total", "in_use", "max_used", "free", "min_free", "reserve"))
    return Section("\n".join(lines), values)


def _shares(prefix: str, used: object, names: tuple[str, ...]) -> dict[str, Any]:
    """The numbers, and their percentages of the total."""
    found = {name: getattr(used, name) for name in names}
    shares = {f"{name}_share": 100 * ratio(value, found["total"]) for name, value in found.items()}
    return {f"{prefix}_{name}": value for name, value in (found | shares).items()}


def _counters() -> Iterator[str]:
    yield from _part("Requests:", _COUNTER)
    yield from _part("Responses:", *_COUNTER_RESPONSES)


def _accesses(report: CicsServer) -> Iterator[str]:
    rewrites = [_REWRITES] if report.kind == "data_table" else []
    yield from _part("Index:", _INDEX)
    yield from _part("Data:", _wide(*_DATA, *rewrites, ("Deletes", "data_deletes")))
    yield from _part("Responses:", *_RESPONSES)


def _requests(table: TableRequests) -> Iterator[str]:
    yield from _part("Table:", _TABLE)
    yield from _part("Record:", *_RECORD)
    if not table.name:
        yield from _part("UOW:", _UNITS_OF_WORK)
