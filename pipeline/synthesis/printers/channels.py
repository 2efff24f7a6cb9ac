"""RMF Channel Path Activity of a system on paper: a heading for FICON, one for OSA, one for links to coupling facilities.

Source: the titles of FICON as printed by V2R4; rows and the other headings from field knowledge.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ..contents.channels import ChannelActivity, ChannelPath
from ..pages import Paper, Section, placed, print_intervals, same_top, together
from ._headings import system_heading

_RULE = "-" * 131
_IODF = (
    "  IODF = A4   CR-DATE: 02/17/2021   CR-TIME: 09.41.12   ACT: ACTIVATE     MODE: LPAR        CPMF: EXTENDED MODE"
)
_DATA = "UTILIZATION(%)    READ(MB/SEC) WRITE(MB/SEC)"
_DATA_BELOW = "ID TYPE   G  SPEED SHR    PART  TOTAL    BUS   PART  TOTAL   PART  TOTAL"
_HEADS = {
    "FC": f"    CHANNEL PATH             {_DATA}        FICON OPERATIONS        ZHPF OPERATIONS\n"
    f" {_DATA_BELOW}      RATE  ACTIVE   DEFER    RATE  ACTIVE   DEFER",
    "OS": f"    CHANNEL PATH             {_DATA}\n {_DATA_BELOW}",
    "CF": "    CHANNEL PATH             UTILIZATION(%)\n ID TYPE   G  SPEED SHR    PART  TOTAL",
}
_BUSY = ((25, "%(part)6.2m"), (32, "%(total)6.2m"))
_MOVED = (
    *((39, "%(bus)6.2f"), (47, "%(part_read)5.2f"), (54, "%(read)5.2f"), (61, "%(part_write)5.2f")),
    (68, "%(write)5.2f"),
)
_OPERATIONS = (
    *((75, "%(ficon)8.1f"), (85, "%(ficon_active)6.1f"), (93, "%(none)6.1f")),
    *((100, "%(zhpf)7.1f"), (109, "%(zhpf_active)6.1f"), (117, "%(none)6.1f")),
)
_CELLS = {"FC": (*_BUSY, *_MOVED, *_OPERATIONS), "OS": (*_BUSY, *_MOVED), "CF": _BUSY}


def print_channels(report: ChannelActivity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    title = "C H A N N E L   P A T H   A C T I V I T Y"
    top, values = system_heading(title, 43, report.release, report.system, report.intervals)
    form = f"{top}\n\n{_IODF:<124}CSSID: 0\n{_RULE}\n{' ' * 52}DETAILS FOR ALL CHANNELS\n{_RULE}"
    return print_intervals(len(report.intervals), _sections(report), same_top(form, values), paper or Paper())


def _sections(report: ChannelActivity) -> Iterator[Section]:
    for number, (family, paths) in enumerate(groupby(report.paths, lambda one: one.family)):
        for first, one in enumerate(paths):
            row = _path(one, family)
            blank = "\n" if number else ""
            above = Section(blank + _HEADS[family])
            yield together([above, row]) if not first else Section(row.form, row.values, head=_HEADS[family])


def _path(one: ChannelPath, family: str) -> Section:
    generation = f"{one.generation:2d}" if one.generation else ""
    named = [(1, one.number), (4, one.kind), (10, generation), (14, f"{one.speed:>5}"), (22, "Y" if one.shared else "")]
    values: dict[str, Any] = {
        "part": one.partition.busy_pct,
        "total": one.machine.busy_pct,
        "bus": one.bus_pct,
        "none": 0,
    }
    for name, use in (("part_", one.partition), ("", one.machine)):
        values |= {f"{name}read": use.read_mb_per_s, f"{name}write": use.write_mb_per_s}
    values |= {"ficon": one.ficon_per_s, "ficon_active": one.ficon_active}
    values |= {"zhpf": one.zhpf_per_s, "zhpf_active": one.zhpf_active}
    return Section(placed(*((at, cell) for at, cell in named if cell.strip()), *_CELLS[family]), values)
