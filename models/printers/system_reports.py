"""Reports of RMF whose rows are below headings, on paper. Layouts declare the headings and rows; here is what is above them on a page.

Source: the titles as printed by V1R12 (group capacity), V2R2 (I/O queuing) and V2R4; I/O processors, rows of devices and channel paths, headings of other channel paths
than FICON and inbound tables of XCF from field knowledge.
"""

from collections.abc import Iterable, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple

from ...pipeline.printing.pages import Paper, Section, print_intervals, same_top, together
from ...pipeline.printing.print_rows import heading, print_row
from ..contents.common import Line, SystemReport
from ._headings import system_heading

_RULE = "-" * 131
_MACHINE = "IODF = A4   CR-DATE: 02/17/2021   CR-TIME: 09.41.12   "


class _Page(NamedTuple):
    """The title of a page and its print position, what is above all headings, and above the heading of a kind of row. `inline`: headings are
    among the rows, with a blank line between."""

    title: str
    at: int
    above: str = ""
    of_kind: Mapping[str, str] = MappingProxyType({})
    inline: bool = False


_PAGES = {
    "rmf_cpu_activity": _Page("C P U  A C T I V I T Y", 43, "\n"),
    "rmf_device_activity": _Page(
        "D I R E C T   A C C E S S   D E V I C E   A C T I V I T Y",
        37,
        f"\n\nTOTAL SAMPLES =%(samples)7d   {_MACHINE}  ACT: ACTIVATE\n",
    ),
    "rmf_channel_path_activity": _Page(
        "C H A N N E L   P A T H   A C T I V I T Y",
        43,
        f"\n\n  {_MACHINE}ACT: ACTIVATE     MODE: LPAR        CPMF: EXTENDED MODE{' ' * 13}CSSID: 0\n"
        f"{_RULE}\n{' ' * 52}DETAILS FOR ALL CHANNELS\n{_RULE}",
        inline=True,
    ),
    "rmf_io_queuing": _Page(
        "I/O   Q U E U I N G   A C T I V I T Y",
        43,
        f"\n TOTAL SAMPLES =%(samples)7d   {_MACHINE}  ACT: ACTIVATE\n{_RULE}\n",
        {
            "PROCESSOR_ROW": f"{' ' * 53}INPUT/OUTPUT PROCESSORS\n{_RULE}\n",
            "PATH_ROW": f"{' ' * 53}LOGICAL CONTROL UNITS\n{_RULE}\n",
        },
    ),
    "rmf_group_capacity": _Page("G R O U P  C A P A C I T Y  R E P O R T", 25, "\n\n"),
    "rmf_partition_data": _Page("P A R T I T I O N  D A T A  R E P O R T", 47, "\n\n"),
    "rmf_xcf_activity": _Page(
        "X C F   A C T I V I T Y",
        47,
        "\n\n",
        {
            "SYSTEM_ROW": f"{' ' * 52}XCF USAGE BY SYSTEM\n{'-' * 128}\n{' ' * 46}REMOTE SYSTEMS{' ' * 57}LOCAL\n",
            "PATH_ROW": f"{' ' * 52}XCF PATH STATISTICS\n{'-' * 128}\n",
        },
    ),
}


def print_system(
    report: SystemReport, paper: Paper | None = None, above: str = "", more: Iterable[Section] = ()
) -> bytes:
    """The pages of all intervals of a system, one interval after the other; `above`: what is above the headings of this report alone;
    `more`: what comes behind its rows."""
    page = _PAGES[report.name]
    top, values = system_heading(page.title, page.at, report.release, report.system, report.intervals)
    values |= {"samples": report.intervals.printed_s}
    sections, below = [], dict[str, str]()
    for head, found in groupby(report.lines, lambda one: _heading(report, one)):
        many = list(found)
        if page.inline:
            titles = Section("\n" * bool(sections) + head)
            sections.append(together([titles, _section(report, many[0])]))
            sections += [_section(report, one, head=head) for one in many[1:]]
        else:
            below[head] = page.of_kind.get(_first(many[0])[0], "") + above + head
            sections += [_section(report, one, part=head) for one in many]
    heading = same_top(top + page.above, values, below)
    return print_intervals(len(report.intervals), [*sections, *more], heading, paper or Paper())


def _first(one: Line) -> Line:
    """A line, or the first of those that stay together."""
    return one if isinstance(one[0], str) else one[0]


def _heading(report: SystemReport, one: Line) -> str:
    return heading(report.name, *_first(one)).format(system=report.system, above="")


def _section(report: SystemReport, one: Line, **more: Any) -> Section:
    lines = [one] if isinstance(one[0], str) else one
    return together(
        Section(line, **more) if isinstance(line, str) else print_row(report.name, *line, **more) for line in lines
    )
