"""OMEGAMON for Db2 Performance Expert on paper: the long statistics report (heading, highlights, counter blocks two by two), and the long
accounting report (times, class 3 suspensions and highlights of each connection, without the blocks of SQL, buffer pools and locking).

Source: published excerpts of GROUP BPnn and DATA SHARING LOCKING, published headings of accounting reports; other blocks and
which of them are side by side from field knowledge.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pipeline.printing.pages import Paper, Section, beside, placed, print_intervals, same_top, texts
from ..contents.common import Intervals, Numbers
from ..contents.db2 import Block, Db2Accounting, Db2Statistics, group_of

_COLUMNS = (("QUANTITY", 8), ("/SECOND", 7), ("/THREAD", 7), ("/COMMIT", 7))
_LABELS = 27
_WIDTH = 132
_GAP = 4


def print_db2_statistics(report: Db2Statistics, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a member, one interval after the other."""
    values = stamps(report.intervals)
    heading = same_top(top_of_page(report, "STATISTICS REPORT - LONG"), values)
    return print_intervals(len(report.intervals), _sections(report, values), heading, paper or Paper())


def print_db2_group_statistics(members: Sequence[Db2Statistics], paper: Paper | None = None) -> bytes:
    """The short report of a data sharing group: each member's locks and group buffer pools, then their sums. Field knowledge, as the
    reader of HIGHLIGHTS."""
    group = group_of(members)
    values = stamps(group.intervals)
    heading = same_top(top_of_page(group, "STATISTICS REPORT - SHORT"), values)
    sections = (section for part in (*members, group) for section in _short(part, values))
    return print_intervals(len(group.intervals), sections, heading, paper or Paper())


def top_of_page(report: Db2Statistics | Db2Accounting, title: str, order: str = "") -> str:
    """The lines at the top of each page; a report without a member is one of its group."""
    member = report.member and f"MEMBER: {report.member}"
    subsystem = report.member and f"SUBSYSTEM: {report.member}"
    product = f"OMEGAMON XE FOR DB2 PERFORMANCE EXPERT ({report.product})"
    titles = [(6, f"GROUP: {report.group}"), (62 - (len(title) + 1) // 2, title), (93, "REQUESTED FROM: NOT SPECIFIED")]
    scope = f"SCOPE: {'MEMBER' if report.member else 'GROUP'}"
    lines = (
        placed((3, f"LOCATION: {report.location}"), (40, product), (103, "PAGE: 1-%(page)-4s")),
        placed(*titles),
        placed((5, member), (105, "TO: NOT SPECIFIED")),
        placed((2, subsystem), (49, order), (94, "INTERVAL FROM: %(begin)20s")),
        placed((0, f"DB2 VERSION: {report.version}"), (54, scope), (105, "TO: %(end)20s")),
    )
    return "\n".join(lines)


def _short(report: Db2Statistics, stamps: dict[str, NDArray[np.uint8]]) -> Iterator[Section]:
    """HIGHLIGHTS and blocks of a member, or of the group, which has no member."""
    highlights = "\n".join(
        (
            "",
            "---- HIGHLIGHTS " + "-" * 114,
            "INTERVAL START: %(begin)20s   INTERVAL ELAPSED: %(elapsed)16s",
            "INTERVAL END  : %(end)20s   OUTAGE ELAPSED  :         0.000000",
            "SAMPLING START: %(begin)20s   TOTAL THREADS   :         %(threads)8q",
            f"SAMPLING END  : %(end)20s   TOTAL COMMITS   :         %(commits)8q   MEMBER: {report.member or 'N/A':>8}",
        )
    )
    length = report.intervals.printed_s
    yield Section(
        highlights, stamps | {"threads": report.threads, "commits": report.commits, "elapsed": _elapsed(length)}
    )
    for blocks in _side_by_side(report.shared_blocks()):
        yield _row(report, blocks, length)


def stamps(intervals: Intervals) -> dict[str, NDArray[np.uint8]]:
    """When intervals begin and end."""
    end = intervals.start + (intervals.printed_s * 100).astype(np.int64) * np.timedelta64(10, "ms")
    return {"begin": _stamps(intervals.start), "end": _stamps(end)}


def _stamps(moments: NDArray[np.datetime64]) -> NDArray[np.uint8]:
    """Moments as mm/dd/yy hh:mm:ss.th."""
    printed = (str(one) for one in moments.astype("datetime64[ms]"))
    return texts((f"{one[5:7]}/{one[8:10]}/{one[2:4]} {one[11:22]}" for one in printed), 20)


def _elapsed(length: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Lengths as m:ss.ffffff or h:mm:ss.ffffff."""

    def one(seconds: float) -> str:
        minutes, rest = divmod(round(seconds * 1_000_000), 60_000_000)
        short = f"{rest // 1_000_000:02d}.{rest % 1_000_000:06d}"
        return f"{minutes // 60}:{minutes % 60:02d}:{short}" if minutes >= 60 else f"{minutes}:{short}"

    return texts((f"{one(float(seconds)):>16}" for seconds in length), 16)


def _sections(report: Db2Statistics, stamps: dict[str, NDArray[np.uint8]]) -> Iterator[Section]:
    length = report.intervals.printed_s
    rule = "---- HIGHLIGHTS " + "-" * 100
    highlights = "\n".join(
        (
            "",
            rule,
            "INTERVAL START  : %(begin)20s     SAMPLING START: %(begin)20s     TOTAL THREADS      :    %(threads)8q",
            "INTERVAL END    : %(end)20s     SAMPLING END  : %(end)20s     TOTAL COMMITS      :    %(commits)8q",
            "INTERVAL ELAPSED: %(elapsed)16s         OUTAGE ELAPSED:         0.000000         DATA SHARING MEMBER:         N/A",
        )
    )
    numbers = {"threads": report.threads, "commits": report.commits, "elapsed": _elapsed(length)}
    yield Section(highlights, stamps | numbers)
    if report.address_spaces:
        yield _cpu_times(report)
    for blocks in _side_by_side(report.blocks()):
        yield _row(report, blocks, length)


def _side_by_side(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Two and two, where both fit a line."""
    waiting: list[Block] = []
    for block in blocks:
        if len(waiting) == 2 or (waiting and _width(waiting[0]) + _GAP + _width(block) > _WIDTH):
            yield waiting
            waiting = []
        waiting.append(block)
    if waiting:
        yield waiting


_SPACES = {
    "MSTR": "SYSTEM SERVICES ADDRESS SPACE",
    "DBM1": "DATABASE SERVICES ADDRESS SPACE",
    "IRLM": "IRLM",
    "DDF": "DDF ADDRESS SPACE",
}
_TIMES = ("TCB TIME", "PREEMPT SRB", "NONPREEMPT SRB", "CP CPU TIME", "PREEMPT IIP SRB")


def _cpu_times(report: Db2Statistics) -> Section:
    """CPU TIMES, whose columns are wider than those of other blocks. Sums are those of the printed digits."""
    lines = ["", f"{'CPU TIMES':<31}" + "".join(f"  {title:>15}" for title in _TIMES) + "  CP CPU /COMMIT"]
    lines.append("-" * 31 + f"  {'-' * 15}" * 5 + "  " + "-" * 14)
    values: dict[str, Any] = {}
    total = np.zeros((5, len(report.intervals)))
    for one in report.address_spaces:
        parts = [_microseconds(part) for part in (one.tcb_s, one.preemptible_s, one.other_srb_s, one.ziip_s)]
        row = np.stack(np.broadcast_arrays(*parts[:3], parts[0] + parts[1] + parts[2], parts[3], total[0])[:5])
        total += row
        lines.append(_cpu_line(_SPACES[one.name], one.name, row, report.commits, values))
    lines += ["", _cpu_line("TOTAL", "total", total, report.commits, values)]
    return Section("\n".join(lines), values)


def _microseconds(seconds: Numbers) -> NDArray[np.float64]:
    return np.floor(np.asarray(seconds, float) * 1e6 + 0.5)


def _cpu_line(label: str, name: str, row: NDArray[np.float64], commits: Numbers, values: dict[str, Any]) -> str:
    cells = []
    for number, microseconds in enumerate(row):
        is_none = name == "IRLM" and number == 4
        values[f"{name}{number}"] = "N/A" if is_none else texts((_length(one) for one in microseconds), 15)
        cells.append(f"  %({name}{number})15s")
    per_commit = np.divide(row[3] / 1e6, commits, out=np.zeros(row.shape[1]), where=np.asarray(commits) > 0)
    values[f"{name}c"] = per_commit
    return f"{label:<31}" + "".join(cells) + f"  %({name}c)14.6f"


def _length(microseconds: float) -> str:
    minutes, rest = divmod(round(microseconds), 60_000_000)
    short = f"{rest // 1_000_000}.{rest % 1_000_000:06d}"
    if not minutes:
        return f"{short:>15}"
    hours, minutes = divmod(minutes, 60)
    return f"{f'{hours}:{minutes:02d}:{short:0>9}' if hours else f'{minutes}:{short:0>9}':>15}"


def _labels(block: Block) -> int:
    """How wide the labels of a block are."""
    return max(_LABELS, len(block.title), *(len(one.label) for one in block.counters))


def _width(block: Block) -> int:
    return _labels(block) + sum(2 + width for _, width in _COLUMNS)


def _row(report: Db2Statistics, blocks: list[Block], length: NDArray[np.float64]) -> Section:
    """Blocks side by side."""
    values: dict[str, Any] = {}
    columns = []
    for side, block in enumerate(blocks):
        columns.append(list(_lines(report, block, f"{side}", length, values)))
    if len(columns) == 1:
        return Section("\n".join(["", *columns[0]]), values)
    left, right = columns
    high = max(len(left), len(right))
    left, right = (lines + [""] * (high - len(lines)) for lines in (left, right))
    at = _width(blocks[0]) + _GAP
    return Section("\n".join(["", *(beside(a, b, at) if b else a for a, b in zip(left, right, strict=True))]), values)


def _lines(
    report: Db2Statistics, block: Block, side: str, length: NDArray[np.float64], values: dict[str, Any]
) -> Iterator[str]:
    """The lines of a block; what their holes hold goes into `values`."""
    wide = _labels(block)

    def line(label: str, cells: list[str]) -> str:
        return f"{label:<{wide}}  " + "  ".join(cells)

    yield line(block.title, [f"{name:>{width}}" for name, width in _COLUMNS])
    yield line("-" * wide, ["-" * width for _, width in _COLUMNS])
    by = (length, report.threads, report.commits)
    for number, one in enumerate(block.counters):
        if one.kind == "blank":
            yield ""
            continue
        name = f"b{side}n{number}"
        values[f"{name}q"] = one.quantity
        cells = [f"%({name}q)8q"]
        for letter, whole in zip("stc", by, strict=True):
            if one.kind == "count":
                quantity, divisor = np.broadcast_arrays(np.asarray(one.quantity, float), np.asarray(whole, float))
                nothing = np.full(quantity.shape, np.nan)
                values[f"{name}{letter}"] = np.divide(quantity, divisor, out=nothing, where=divisor > 0)
                cells.append(f"%({name}{letter})7q")
            else:
                cells.append("    N/A")
        yield line(one.label, cells)


_HEAD = """\
AVERAGE       APPL(CL.1)  DB2 (CL.2)  IFI (CL.5)    CLASS 3 SUSPENSIONS   AVERAGE TIME  AV.EVENT    HIGHLIGHTS
------------  ----------  ----------  ----------    --------------------  ------------  --------    --------------------------
ELAPSED TIME  %(class1_elapsed_s)10.6f  %(class2_elapsed_s)10.6f         N/P    LOCK/LATCH(DB2+IRLM)  %(lock_wait_s)12.6f      0.10    #OCCURRENCES    : %(occurrences)8d
                                                    SYNCHRON. I/O         %(io_s)12.6f      1.00    #ALLIEDS        :      N/A
CP CPU TIME   %(class1_cp_s)10.6f  %(class2_cp_s)10.6f         N/P     DATABASE I/O         %(io_s)12.6f      1.00    #COMMITS        : %(commits)8d
SE CPU TIME     0.000000    0.000000         N/A                                                    #ROLLBACKS      :        0
SUSPEND TIME    0.000000  %(class3_s)10.6f         N/A    TOTAL CLASS 3         %(class3_s)12.6f      1.10    THREAD TYPE     :   ALLIED
"""


def print_db2_accounting(report: Db2Accounting, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a member, one interval after the other."""
    top = top_of_page(report, "ACCOUNTING REPORT - LONG", "ORDER: CONNTYPE-CONNECT-PLANNAME")
    heading = same_top(top, stamps(report.intervals))
    return print_intervals(len(report.intervals), _connections(report), heading, paper or Paper())


def _connections(report: Db2Accounting) -> Iterator[Section]:
    """Class 3 is printed as the sum of its parts as printed."""
    for one in report.connections:
        lock = np.floor(np.asarray(one["lock_wait_s"], float) * 1e6 + 0.5) / 1e6
        whole: Numbers = np.maximum(np.floor(np.asarray(one["class3_s"], float) * 1e6 + 0.5) / 1e6, lock)
        parts = {"class3_s": whole, "lock_wait_s": lock, "io_s": whole - lock}
        yield Section(f"\n{one['key']}\n\n{_HEAD}", one | parts)
