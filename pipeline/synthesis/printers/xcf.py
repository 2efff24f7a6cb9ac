"""RMF XCF Activity of a system on paper: usage by system and path statistics, two tables side by side.

Source: the outbound halves as printed by V2R4; inbound tables from field knowledge. Commas group thousands
and are dropped where seven digits fill the field; a system is named on its first row.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from ..contents.xcf import ClassOut, PathIn, PathOut, SystemIn, XcfActivity
from ..pages import Paper, Section, cells_of, placed, print_intervals, same_top
from ._headings import system_heading

_USAGE, _PATHS = "XCF USAGE BY SYSTEM", "XCF PATH STATISTICS"
_RULE = "-" * 128
_USAGE_HEAD = """\
-----------------------------------------------------------------------------------------------------------    -----------------
{systems}
---------------------------------------------------------------------------    ----------------------------    -----------------
                                        ----- BUFFER -----      ALL
TO        TRANSPORT  BUFFER        REQ   %    %    %    %     PATHS     REQ    FROM             REQ     REQ    TRANSPORT     REQ
SYSTEM    CLASS      LENGTH        OUT  SML  FIT  BIG  OVR  UNAVAIL  REJECT    SYSTEM            IN  REJECT    CLASS      REJECT"""
_PATHS_HEAD = """\
{systems}
----------------------------------------------------------------------------    --------------------------------------------
         T FROM/TO                                                                       T FROM/TO
TO       Y DEVICE, OR       TRANSPORT    REQ   AVG Q                            FROM     Y DEVICE, OR           REQ  BUFFERS
SYSTEM   P STRUCTURE        CLASS        OUT   LNGTH   AVAIL    BUSY   RETRY    SYSTEM   P STRUCTURE             IN  UNAVAIL"""
T = TypeVar("T", ClassOut, SystemIn, PathOut, PathIn)
Cells = list[tuple[int, str]]
# A table's row: its cells, and what their holes hold.
Row = tuple[Cells, dict[str, Any]]


def print_xcf(report: XcfActivity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    top, values = system_heading("X C F   A C T I V I T Y", 47, report.release, report.system, report.intervals)
    below = {part: f"{' ' * 52}{part}\n{_RULE}\n{head}" for part, head in _heads(report.system).items()}
    heading = same_top(f"{top}\n\n", values, below)
    return print_intervals(len(report.intervals), _sections(report), heading, paper or Paper())


def _heads(system: str) -> dict[str, str]:
    """The lines above the columns of each part."""
    outbound, inbound = (28, f"OUTBOUND FROM {system}"), f"INBOUND TO {system}"
    remote = placed((46, "REMOTE SYSTEMS"), (117, "LOCAL"))
    usage = _USAGE_HEAD.replace("{systems}", placed(outbound, (86, inbound), (117, system)))
    return {
        _USAGE: f"{remote}\n{usage}",
        _PATHS: _PATHS_HEAD.replace("{systems}", placed(outbound, (96, inbound))),
    }


def _sections(report: XcfActivity) -> Iterator[Section]:
    if report.outbound or report.inbound:
        yield from _beside(_USAGE, (_named(report.outbound, 0, _class_out), _named(report.inbound, 79, _system_in)))
    if report.paths_out or report.paths_in:
        yield from _beside(_PATHS, (_named(report.paths_out, 0, _path_out), _named(report.paths_in, 80, _path_in)))


def _beside(part: str, tables: Sequence[list[Row]]) -> Iterator[Section]:
    """Rows of several tables side by side, a print line at a time."""
    for rows in zip_longest(*tables):
        cells: Cells = []
        values: dict[str, Any] = {}
        for number, row in enumerate(rows):
            if row:
                cells += [(at, cell.replace("%(", f"%(table{number}_")) for at, cell in row[0]]
                values |= {f"table{number}_{name}": value for name, value in row[1].items()}
        yield Section(placed(*cells), values, part=part)


def _named(rows: Sequence[T], at: int, cells: Callable[[T], Cells]) -> list[Row]:
    """Rows, the first of each system with its name."""
    out: list[Row] = []
    before = ""
    for one in rows:
        out.append(([*([(at, one.system)] if one.system != before else []), *cells(one)], _numbers(one)))
        before = one.system
    return out


def _numbers(one: object) -> dict[str, Any]:
    return vars(one) | ({"available": one.available} if isinstance(one, PathOut) else {})


def _class_out(one: ClassOut) -> Cells:
    shares = "40 %(small_pct)3d  45 %(fit_pct)3d  50 %(big_pct)3d  55 %(overhead_pct)3d"
    counts = f"30 %(requests)8g  {shares}  60 %(paths_unavailable)7g  68 %(rejects)7g"
    return [(10, one.transport_class), (20, f"{one.buffer_length:7,d}"), *cells_of(counts)]


def _system_in(_: SystemIn) -> Cells:
    return [(91, "%(requests)8g"), (100, "%(rejects)7g")]


def _path_out(one: PathOut) -> Cells:
    counts = "37 %(requests)7g  46 %(queue_length)6.2f  53 %(available)7g  61 %(busy)7g  69 %(retries)7g"
    return [(9, one.kind), (11, one.device), (28, one.transport_class), *cells_of(counts)]


def _path_in(one: PathIn) -> Cells:
    return [(89, one.kind), (91, one.device), (108, "%(requests)7g"), (117, "%(buffers_unavailable)7g")]
