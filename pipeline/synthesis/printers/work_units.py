"""The analysis parts of RMF CPU Activity: address spaces, in-ready work units, work units by processor type, blocked workload.

Source: published excerpts, whose release is not known, of the address spaces with a line each for MIN, MAX and AVG, and of blocked work. The
layout with a line per queue, and the distribution beside it, is field knowledge; it is printed from z/OS V1R12 on, which counts
work units.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..contents.common import Numbers, Row
from ..contents.work_units import BOUNDS, LoadAnalysis
from ..pages import Section, cells_of, placed

PART = "analysis"

_TITLE = "SYSTEM ADDRESS SPACE AND WORK UNIT ANALYSIS"
_QUEUE_HEAD = placed(
    (0, "---------NUMBER OF ADDRESS SPACES---------"),
    (48, "---------------------DISTRIBUTION OF IN-READY WORK UNIT QUEUE-----------------------"),
)
_SCALE = [(72 + 5 * tens, f"{10 * tens:<3}") for tens in range(11)]
_STATISTICS = [(20, "MIN"), (28, "MAX"), (36, "AVG")]
# Labels of the lines from IN on; on the others stand only buckets of the distribution.
_LINES = {
    0: ("IN", "in"),
    1: ("IN READY", "in_ready"),
    3: ("OUT READY", "out_ready"),
    4: ("OUT WAIT", "out_wait"),
    6: ("LOGICAL OUT RDY", "logical_out_ready"),
    7: ("LOGICAL OUT WAIT", "logical_out_wait"),
    9: ("ADDRESS SPACE TYPES", ""),
    11: ("BATCH", "batch"),
    12: ("STC", "stc"),
    13: ("TSO", "tso"),
    14: ("ASCH", "asch"),
    15: ("OMVS", "omvs"),
}
_BAR = 50
_LIMIT_CELLS = """
    0 OPT PARAMETERS: BLWLTRPCT (%)  30 %(promote_limit_pct)5.1f  38 PROMOTE RATE:  53 DEFINED  61 %(promotes_defined_per_s)8d  72 WAITERS FOR PROMOTE:
    94 AVG  98 %(waiters_avg)7.3f"""
# Without blocked work.
NOT_BLOCKED = dict.fromkeys(("promotes_used_pct", "waiters_avg", "waiters_peak"), 0)
_USED_CELLS = (
    "16 BLWLINTHD  30 %(promote_after_s)5d  53 USED (%)  61 %(promotes_used_pct)8d  94 PEAK  99 %(waiters_peak)6d"
)


def analysis_sections(report: LoadAnalysis) -> Iterator[Section]:
    """The parts in the order of the page."""
    yield _queues(report)
    yield _units(report)
    yield _blocked(report.blocked)


def of_spaces(spaces: Row) -> Row:
    """Numbers of all queues and types: of those that a model has none of, 0."""
    names = filter(None, (name for _, name in _LINES.values()))
    return {f"{name}_{end}": 0 for name in names for end in ("min", "max", "avg")} | spaces


# --- A line per queue, and the distribution beside it -----------------------------------------------------------------


def _queues(report: LoadAnalysis) -> Section:
    values = of_spaces(report.spaces)
    lines = [
        f"{_TITLE}\n\n{_QUEUE_HEAD}\n",
        placed((0, "QUEUE TYPES"), *_STATISTICS, (49, "NUMBER OF"), *_SCALE).rstrip(),
        placed((49, "WORK UNITS"), (64, "(%)"), (72, "|....|....|....|....|....|....|....|....|....|....|")),
    ]
    for number in range(len(BOUNDS) + 2):
        label, name = _LINES.get(number, ("", ""))
        counts = _counts(name) if name else []
        lines.append(placed((0, label), *counts, *(_bucket(number - 1) if number else [])))
    for number, share in enumerate(report.samples_pct):
        values |= {f"share{number}": share, f"bar{number}": _bars(np.asarray(share))}
    return Section("\n".join(lines), values, part=PART)


def _counts(name: str) -> list[tuple[int, str]]:
    return [(17, f"%({name}_min)6d"), (25, f"%({name}_max)6d"), (32, f"%({name}_avg)7.1f")]


def bucket_bounds(number: int) -> tuple[str, int]:
    """What the samples of a bucket have: <=, = or > so many work units above N. A bucket of one number of work units has an equals sign."""
    if number == len(BOUNDS):
        return ">", BOUNDS[-1]
    above = BOUNDS[number]
    return "=" if number and above == BOUNDS[number - 1] + 1 else "<=", above


def _bucket(number: int) -> list[tuple[int, str]]:
    relation, above = bucket_bounds(number)
    # An equals sign stands below that of <=.
    sign = 50 if relation == "=" else 49
    bound = f"N + {above:3}" if above else "N"
    return [(sign, relation), (53, bound), (63, f"%(share{number})5.1f"), (72, f"%(bar{number}){_BAR}s")]


def _bars(shares_pct: NDArray[np.float64]) -> NDArray[np.uint8]:
    """A character for every two percent begun, of the printed number."""
    tenths = np.floor(np.atleast_1d(shares_pct) * 10 + 0.5).astype(np.int64)
    return np.where(np.arange(_BAR) < -(-tenths // 20)[:, None], ord(">"), ord(" ")).astype(np.uint8)


def _units(report: LoadAnalysis) -> Section:
    """Work units by type of processor."""
    n = "N = NUMBER OF PROCESSORS ONLINE UNPARKED (%(unparked)5.1f ON AVG)"
    lines = ["", "---------NUMBER OF WORK UNITS-------------", placed((0, "CPU TYPES"), *_STATISTICS, (49, n))]
    values: dict[str, Numbers] = {"unparked": report.unparked}
    for kind, one in report.units.items():
        lines.append(placed((0, kind), *_counts(kind)))
        values |= {name.replace("work_units", kind): value for name, value in one.items()}
    return Section("\n".join(lines), values, part=PART)


# --- Blocked work -----------------------------------------------------------------------------------------------------


def _blocked(blocked: Row) -> Section:
    limit, used = (placed(*cells_of(text)) for text in (_LIMIT_CELLS, _USED_CELLS))
    return Section(f"\nBLOCKED WORKLOAD ANALYSIS\n\n{limit}\n\n{used}", NOT_BLOCKED | blocked, part=PART)
