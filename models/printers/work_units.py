"""The analysis parts of RMF CPU Activity: address spaces, in-ready work units, work units by processor type, blocked workload.

Source: published excerpts, whose release is not known, of the address spaces with a line each for MIN, MAX and AVG, and of blocked work. The
layout with a line per queue, and the distribution beside it, is field knowledge; it is printed from z/OS V1R12 on, which counts
work units.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...pipeline.printing.pages import Section, beside, cells_of, placed, together
from ...pipeline.printing.print_rows import heading, print_row
from ..contents.common import BOUNDS, Numbers, Row

PART = "analysis"

NAME = "rmf_cpu_activity"
# Queues and types by the line that they are on; on the others are only buckets of the distribution.
LINES = {0: "in", 1: "in_ready", 3: "out_ready", 4: "out_wait", 6: "logical_out_ready", 7: "logical_out_wait"}
LINES |= {11: "batch", 12: "stc", 13: "tso", 14: "asch", 15: "omvs"}
TYPES_AT = 9
_BAR = 50
LIMIT_CELLS = """
    0 OPT PARAMETERS: BLWLTRPCT (%)  30 %(promote_limit_pct)5.1f  38 PROMOTE RATE:  53 DEFINED  61 %(promotes_defined_per_s)8d  72 WAITERS FOR PROMOTE:
    94 AVG  98 %(waiters_avg)7.3f"""
# Without blocked work.
NOT_BLOCKED = dict.fromkeys(("promotes_used_pct", "waiters_avg", "waiters_peak"), 0)
USED_CELLS = (
    "16 BLWLINTHD  30 %(promote_after_s)5d  53 USED (%)  61 %(promotes_used_pct)8d  94 PEAK  99 %(waiters_peak)6d"
)


def analysis_sections(report: Row) -> Iterator[Section]:
    """The parts in the order of the page."""
    yield together(_queues(report))
    yield _units(report)
    yield _blocked(report["blocked"])


def of_spaces(spaces: Row) -> Row:
    """Numbers of all queues and types: of those that a model has none of, 0."""
    return {f"{name}_{end}": 0 for name in LINES.values() for end in ("min", "max", "avg")} | spaces


# --- A line per queue, and the distribution beside it -----------------------------------------------------------------


def _queues(report: Row) -> Iterator[Section]:
    spaces = of_spaces(report["spaces"])
    yield Section("SYSTEM ADDRESS SPACE AND WORK UNIT ANALYSIS\n\n" + heading(NAME, "QUEUE_IN_ROW"), part=PART)
    shares: list[Numbers | None] = [None, *report["samples_pct"]]
    for number, share in enumerate(shares):
        name = LINES.get(number)
        row = {f"{name}_{end}": spaces[f"{name}_{end}"] for end in ("min", "max", "avg")} if name else {}
        if share is None:
            yield print_row(NAME, "QUEUE_IN_ROW", row)
            continue
        bucket = {"relation": _bucket(number - 1), "samples_pct": share}
        line = print_row(NAME, "QUEUE_ROW" if name else "BUCKET_ROW", row | bucket)
        title = "ADDRESS SPACE TYPES" if number == TYPES_AT else ""
        form = beside(title + line.form[len(title) :], f"%(bar){_BAR}s", 72)
        yield Section(form, {**line.values, "bar": _bars(np.asarray(share))})


def bucket_bounds(number: int) -> tuple[str, int]:
    """What the samples of a bucket have: <=, = or > that many work units above N. A bucket of one number of work units has an equals sign."""
    if number == len(BOUNDS):
        return ">", BOUNDS[-1]
    above = BOUNDS[number]
    return "=" if number and above == BOUNDS[number - 1] + 1 else "<=", above


def _bucket(number: int) -> str:
    relation, above = bucket_bounds(number)
    # An equals sign is below that of <=.
    return f"{relation if relation != '=' else ' =':<4}{f'N + {above:3}' if above else 'N'}"


def _bars(shares_pct: NDArray[np.float64]) -> NDArray[np.uint8]:
    """A character for every two percent begun, of the printed number."""
    tenths = np.floor(np.atleast_1d(shares_pct) * 10 + 0.5).astype(np.int64)
    return np.where(np.arange(_BAR) < -(-tenths // 20)[:, None], ord(">"), ord(" ")).astype(np.uint8)


def _units(report: Row) -> Section:
    """Work units by type of processor."""
    n = "N = NUMBER OF PROCESSORS ONLINE UNPARKED (%(unparked)5.1f ON AVG)"
    head = beside(heading(NAME, "WORK_UNIT_ROW"), n, 49)
    titles = Section(
        f"\n---------NUMBER OF WORK UNITS-------------\n{head}", {"unparked": report["unparked"]}, part=PART
    )
    rows = (print_row(NAME, "WORK_UNIT_ROW", {"processor_type": kind} | one) for kind, one in report["units"].items())
    return together([titles, *rows])


# --- Blocked work -----------------------------------------------------------------------------------------------------


def _blocked(blocked: Row) -> Section:
    limit, used = (placed(*cells_of(text)) for text in (LIMIT_CELLS, USED_CELLS))
    return Section(f"\nBLOCKED WORKLOAD ANALYSIS\n\n{limit}\n\n{used}", NOT_BLOCKED | blocked, part=PART)
