"""Write RMF CPU Activity and Partition Data of a system as an XML document of the Postprocessor (ddsml), with the digits of print. Workload
Activity: workload_xml.py.

Source: published documents of z/OS V2R4 and V2R5.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...pipeline.printing.pages import Paper, Section, print_intervals
from ...pipeline.printing.print_rows import arts, headed, names_of
from ..contents.common import Row, SystemReport, of_machine
from ._xml_forms import PADDED, row, table, top, variables
from .machine import machine
from .work_units import LIMIT_CELLS, LINES, NAME, NOT_BLOCKED, TYPES_AT, USED_CELLS, bucket_bounds, of_spaces

BEGIN = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="include/ddsml-pp.xsl"?>
<ddsml xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="include/ddsml.xsd">
<server><name>RMF-DDS-Server</name><functionality>3500</functionality><platform>z/OS</platform></server>
"""
END = b"</ddsml>\n"
# One page per interval.
_PAPER = Paper(page_lines=1 << 30)
_PROCESSORS = (
    *("CPU Number", "CPU Type", "Time% Online", "Time% LPAR Busy", "Time% MVS Busy", "Time% Parked", "LOG PROC Share%"),
    *("HiperDispatch Priority", "I/O Interrupts Rate", "I/O Interrupts% via TPI"),
)
_PARTITIONS = (
    *("Partition Name", "Partition Status", "Boost Type", "Partition Weight", "MSU Defined", "MSU Actual"),
    *("Capping Defined", "Capping WLM%", "Num of LOG PROCs", "PROC Type", "Effective Dispatch Time"),
    *("Total Dispatch Time", "Avg Util%: LOG PROC Effective", "Avg Util%: LOG PROC Total"),
    *("Avg Util%: PHYS PROC LPAR MGMT", "Avg Util%: PHYS PROC Effective", "Avg Util%: PHYS PROC Total"),
)
_PHYSICAL = {
    "CP": "General purpose processor (CP)",
    "AAP": "Application Assist Processor (zAAP)",
    "IIP": "Integrated Information Processor (zIIP)",
    "ICF": "Internal Coupling Facility (ICF) processor",
    "IFL": "Integrated Facility for Linux (IFL) processor",
}


def print_xml(cpu: SystemReport | None, partitions: SystemReport | None) -> bytes:
    """The postprocessor elements of all intervals of a system; BEGIN and END are around those of a document."""
    report = cpu or partitions
    if report is None:
        return b""
    head = top((report.system, "SYSTEM"), report.release, report.intervals, ("CPU", "CPU Activity Report"))
    sections = [*(_cpu(cpu) if cpu else ()), *(_partitions(partitions) if partitions else ())]
    sections.append(Section("</postprocessor>"))
    return PADDED.sub(b"", print_intervals(len(report.intervals), sections, lambda page, part: head, _PAPER))


def _cpu(report: SystemReport) -> Iterator[Section]:
    of = machine(report)
    head = [
        ("CPU", of["cpc_type"]),
        ("Model", of["cpc_model"]),
        ("H/W Model", of["hardware_model"]),
        ("Sequence Code", of["sequence_code"]),
        ("HiperDispatch", "YES"),
        ("CPC Capacity", of["cpc_capacity"]),
        ("Change Reason", "NONE"),
    ]
    if report.release >= "V2R4":
        head += [("Boost Type", "NONE"), ("Boost Class", "NONE")]
    title = "<segment><name>CPU Activity</name><part>"
    yield Section("\n".join([title, variables(head), table(_PROCESSORS)]))
    for line in report.lines:
        if line[0] == "CPU_ROW":
            yield _cells(report.name, _PROCESSORS, *line)
        else:
            last, (kind, total) = line
            yield _cells(report.name, _PROCESSORS, *last)
            total = total | {"processor_type": last[1]["processor_type"]}
            yield _cells(report.name, _PROCESSORS, kind, total, "TOTAL/AVERAGE", is_sum=True)
    yield Section("</table></part>")
    if "analysis" in report.head:
        yield from _analysis_parts(report.head["analysis"])
    yield Section("</segment>")


def _partitions(report: SystemReport) -> Iterator[Section]:
    of, physical = report.head, report.head["physical"]
    head = [
        ("MVS Partition Name", report.system),
        ("Image Capacity", of["image_capacity"]),
        ("Number of Configured Partitions", len(of_machine(report))),
        ("Wait Completion", "NO"),
        ("Dispatch Interval", "DYNAMIC"),
        ("Group Name", of["capacity_group"] or "N/A"),
        ("Group Limit", of["capacity_group_limit"] if of["capacity_group"] else "N/A"),
        ("Group Capacity Available", "N/A"),
        *((name, "NO") for name in ("Initial Capping", "LPAR Hardware Capping", "Hardware Group Capping")),
        ("Absolute MSU Capping", "NO"),
    ]
    types = [row(name, physical.get(kind, 0)) for kind, name in _PHYSICAL.items()]
    types.append(row("Total", sum(physical.values()), is_sum=True))
    lines = [
        "<segment><name>Partition Data Report</name><part>",
        variables(head),
        "</part><part><name>Number of Physical Processors</name>",
        table(("Type", "Number")),
        *types,
        "</table></part><part><name>Partition Data</name>",
        table(_PARTITIONS),
    ]
    yield Section("\n".join(lines))
    name, kind = report.name, dict[str, str]()
    for line in report.lines:
        if line[0] == "PARTITION_ROW":
            kind = {"processor_type": line[1]["processor_type"]}
            yield _cells(name, _PARTITIONS, *line)
        else:
            own, _, total, _ = line
            yield _cells(name, _PARTITIONS, own[0], own[1] | kind, "*PHYSICAL*")
            yield _cells(name, _PARTITIONS, total[0], total[1] | kind, "TOTAL", is_sum=True)
    yield Section("</table></part></segment>")


def _cells(
    report: str, headings: Sequence[str], kind: str, values: Row, first: str = "", is_sum: bool = False
) -> Section:
    """A row with a cell for each heading, with the digits of the row of print that is of this kind. `first`: its first cell."""
    columns = headed(report)
    holes = {one: cell.hole for cell in arts(report, kind)[0].cells for one in cell.columns}
    cells, numbers = list[Any]([first] * bool(first)), dict[str, Any]()
    for title in headings[len(cells) :]:
        column, words = columns[title]
        hole = holes.get(column, "")
        is_number = bool(hole) and not hole.endswith("s")
        value = values.get(column, 0 if is_number else "")
        if is_number and value is not None:
            numbers[column] = value
        cells.append(hole.format(column) if column in numbers else words.get(str(value), value))
    return Section(row(*cells, is_sum=is_sum), numbers)


# --- Address spaces, work units and blocked work ----------------------------------------------------------------------

_SPACES, _QUEUE = "System Address Space Analysis", "Distribution of In-ready Work Unit Queue"


def _analysis_parts(report: Row) -> Iterator[Section]:
    """The parts behind the processors."""
    spaces = of_spaces(report["spaces"])
    titles = ("MIN", "MAX", "AVG")
    yield _begin(_SPACES, "", ("Type", *(f"Number of Address Spaces: {t}" for t in titles)))
    labels = names_of(NAME, _SPACES)
    for number, name in LINES.items():
        # Types are behind a blank row.
        if number == min(one for one in LINES if one > TYPES_AT):
            yield Section(row("", "", "", ""))
        yield _sampled(labels[f"{name}_min"], name, spaces)
    yield _END
    n = variables([(names_of(NAME, _QUEUE)["processors_unparked_avg"], "%(unparked)5.1f")])
    head = _begin(_QUEUE, n, ("Number of Work Units", "% of Samples"))
    yield Section(head.form, {"unparked": report["unparked"]})
    for number, share in enumerate(report["samples_pct"]):
        yield Section(row(_bucket(number), "%(share)5.1f"), {"share": share})
    yield _END
    yield _begin("Work Unit Analysis", "", ("CPU Type", *(f"Number of Work Units: {t}" for t in titles)))
    for kind, one in report["units"].items():
        yield _sampled(kind, "work_units", one)
    yield _END
    names, title = names_of(NAME, "Blocked Workload Analysis"), "<part><name>Blocked Workload Analysis</name>"
    blocked = variables((name, _HOLES[column]) for column, name in names.items())
    yield Section(f"{title}\n{blocked}\n</part>", NOT_BLOCKED | report["blocked"])


_HOLES = {hole[1]: hole[0] for hole in re.finditer(r"%\((\w+)\)[0-9.]+[a-z]", LIMIT_CELLS + USED_CELLS)}
_END = Section("</table></part>")


def _begin(name: str, above: str, headings: tuple[str, ...]) -> Section:
    return Section("\n".join(filter(None, [f"<part><name>{name}</name>", above, table(headings)])))


def _sampled(label: str, name: str, values: Row) -> Section:
    return Section(row(label, f"%({name}_min)6d", f"%({name}_max)6d", f"%({name}_avg)7.1f"), values)


def _bucket(number: int) -> str:
    relation, above = bucket_bounds(number)
    sign = relation.replace("<", "&lt;").replace(">", "&gt;")
    return f"{sign}N+{above}" if above else f"{sign}N"
