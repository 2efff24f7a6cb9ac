"""Print the RMF Partition Data Report of a system, as z/OS V2R4 and later do.

Source: a page of z/OS V2R4 that the reader of this report was compared with (parsers/rmf_partition_data.py).
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np

from ..contents.partitions import Partition, PartitionData
from ..pages import Paper, Section, cells_of, placed, print_intervals, same_top, together
from ._headings import system_heading

_HEAD = """\
-------------- PARTITION DATA --------------  -- LOGICAL PARTITION PROCESSOR DATA -  -- AVERAGE PROCESSOR UTILIZATION PERCENTAGES --
                     ---MSU----   -CAPPING--  PROCESSOR- ---DISPATCH TIME DATA-----   LOGICAL PROCESSORS  --- PHYSICAL PROCESSORS --
NAME      S BT  WGT   DEF   ACT   DEF   WLM%  NUM  TYPE   EFFECTIVE        TOTAL      EFFECTIVE   TOTAL   LPAR MGMT  EFFECTIVE TOTAL"""
_RULE = "               ----                                      ------------  ------------                           -----     ------ -----"
# Time of PR/SM itself, for a partition and for all of them together.
_MANAGEMENT = 0.005


def print_partitions(report: PartitionData, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    top, values = system_heading(
        "P A R T I T I O N  D A T A  R E P O R T", 47, report.release, report.system, report.intervals
    )
    heading = same_top("\n".join([f"{top}\n", *_above(report), f"\n{_HEAD}"]), values)
    return print_intervals(len(report.intervals), _rows(report), heading, paper or Paper())


def _above(report: PartitionData) -> Iterator[str]:
    physical = [f"          {kind:>3} {count:3d}" for kind, count in report.physical.items() if count]
    limit = report.group_limit_msu if report.group else "N/A"
    lines = zip_longest(
        (
            f"MVS PARTITION NAME  {report.partition:>22}",
            f"IMAGE CAPACITY  {report.image_capacity:>26}",
            f"NUMBER OF CONFIGURED PARTITIONS  {len(report.of_kind('CP')):>9}",
            "WAIT COMPLETION                         NO",
            "DISPATCH INTERVAL                  DYNAMIC",
        ),
        (f"PHYS PROC NUM  {sum(report.physical.values()):3d}", *physical[:4]),
        (f"GROUP NAME   {report.group or 'N/A'}", f"LIMIT         {limit:>5}", "AVAILABLE       N/A"),
        ("INITIAL CAP          NO", "LPAR HW CAP          NO", "HW GROUP CAP         NO", "ABS MSU CAP          NO"),
        fillvalue="",
    )
    for line in lines:
        yield placed(*zip((0, 50, 76, 101), line, strict=True)).rstrip()


def _rows(report: PartitionData) -> Iterator[Section]:
    length = report.intervals.printed_s
    for kind, physical in report.physical.items():
        partitions = report.of_kind(kind)
        if not partitions:
            continue
        for one in partitions:
            yield _partition(one, physical, length)
        cells = [(0, "*PHYSICAL*"), (71, clock_hole("own")), (110, "%(own_pct)5.2f"), (127, "%(own_pct)5.2f")]
        total = [(0, "  TOTAL"), (14, f"{sum(one.weight for one in partitions):5d}"), (57, clock_hole("effective"))]
        total += [
            (71, clock_hole("total")),
            *cells_of("110 %(own_pct)5.2f  121 %(effective_pct)5.2f  127 %(total_pct)5.2f"),
        ]
        values = type_values(partitions, physical, length)
        yield together([Section(f"{placed(*cells)}\n{_RULE}\n{placed(*total)}\n", values)])


def type_values(partitions: list[Partition], physical: int, length: np.ndarray) -> dict[str, Any]:
    """What *PHYSICAL* and TOTAL print of a type. A total is the sum of what its rows print."""
    dispatched = sum((_printed(one.engines * length) for one in partitions), np.zeros(len(length)))
    whole = physical * length
    own = _printed(dispatched * _MANAGEMENT)
    values: dict[str, Any] = _clock("own", own) | _clock("effective", dispatched) | _clock("total", dispatched + own)
    return values | {
        "own_pct": 100 * own / whole,
        "effective_pct": 100 * dispatched / whole,
        "total_pct": 100 * (dispatched + own) / whole,
    }


def _partition(one: Partition, physical: int, length: np.ndarray) -> Section:
    msu = [(20, f"{one.defined_msu:5d}"), (26, "%(msu)5d")] if one.kind == "CP" else []
    wlm = [(40, "  0.0")] if one.kind == "CP" else []
    cells = [
        (0, one.name), (10, "A N"), (14, f"{one.weight:5d}"), *msu, (34, "N N N"), *wlm, (45, f"{one.processors:3d}.0"), (51, one.kind),
        (57, clock_hole("effective")), (71, clock_hole("total")), (90, "%(logical_pct)5.2f"), (98, "%(logical_pct)5.2f"),
        (110, "%(none)5.2f"), (121, "%(physical_pct)5.2f"), (127, "%(physical_pct)5.2f"),
    ]  # fmt: skip
    return Section(placed(*cells), partition_values(one, physical, length))


def partition_values(one: Partition, physical: int, length: np.ndarray) -> dict[str, Any]:
    """What the row of a partition prints."""
    engines = np.broadcast_to(np.asarray(one.engines, float), length.shape)
    dispatched = engines * length
    values: dict[str, Any] = {
        "msu": one.msu,
        "logical_pct": 100 * engines / one.processors,
        "physical_pct": 100 * engines / physical,
        "none": 0,
    }
    return values | _clock("effective", dispatched) | _clock("total", dispatched)


def clock_hole(name: str) -> str:
    return f"%({name}_h)2z.%({name}_m)2z.%({name}_s)2z.%({name}_ms)3z"


def _clock(name: str, seconds: np.ndarray) -> dict[str, np.ndarray]:
    thousandths = np.floor(_printed(seconds) * 1000 + 0.5)
    return {
        f"{name}_h": thousandths // 3_600_000,
        f"{name}_m": thousandths // 60_000 % 60,
        f"{name}_s": thousandths // 1000 % 60,
        f"{name}_ms": thousandths % 1000,
    }


def _printed(seconds: np.ndarray) -> np.ndarray:
    """Times as they are printed, to the millisecond."""
    return np.floor(seconds * 1000 + 0.5) / 1000
