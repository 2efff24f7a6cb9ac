"""Write RMF CPU Activity and Partition Data of a system as an XML document of the Postprocessor (ddsml), with the digits of print. Workload
Activity: workload_xml.py.

Source: published documents of z/OS V2R4 and V2R5.
"""

from collections.abc import Iterator

import numpy as np

from ..contents.partitions import Partition, PartitionData
from ..contents.processors import CpuActivity, Processor
from ..pages import Paper, Section, print_intervals
from ._xml_forms import PADDED, row, table, top, variables
from .partitions import clock_hole, partition_values, type_values
from .work_units_xml import analysis_parts

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


def print_xml(cpu: CpuActivity | None, partitions: PartitionData | None) -> bytes:
    """The postprocessor elements of all intervals of a system; BEGIN and END are around those of a document."""
    report = cpu or partitions
    if report is None:
        return b""
    head = top((report.system, "SYSTEM"), report.release, report.intervals, ("CPU", "CPU Activity Report"))
    sections = [*(_cpu(cpu) if cpu else ()), *(_partitions(partitions) if partitions else ())]
    sections.append(Section("</postprocessor>"))
    return PADDED.sub(b"", print_intervals(len(report.intervals), sections, lambda page, part: head, _PAPER))


def _cpu(report: CpuActivity) -> Iterator[Section]:
    machine = [
        ("CPU", report.cpc_type),
        ("Model", report.model),
        ("H/W Model", report.hardware_model),
        ("Sequence Code", report.sequence_code),
        ("HiperDispatch", "YES" if report.hiperdispatch else "NO"),
        ("CPC Capacity", report.capacity),
        ("Change Reason", "NONE"),
    ]
    if report.release >= "V2R4":
        machine += [("Boost Type", report.boost_type.upper()), ("Boost Class", report.boost_class.upper())]
    title = "<segment><name>CPU Activity</name><part>"
    yield Section("\n".join([title, variables(machine), table(_PROCESSORS)]))
    for kind, processors in report.kinds.items():
        interrupts = ("%(interrupts_per_s)5.2f", "%(tpi_pct)6.2f") if kind == "CP" else ("", "")
        for one in processors:
            yield _processor(one, interrupts)
        shares = ("%(lpar_busy_pct)6.2f", "%(mvs_busy_pct)6.2f", "", "%(share_pct)6.1f")
        yield Section(row("TOTAL/AVERAGE", kind, "", *shares, "", *interrupts, is_sum=True), vars(report.total(kind)))
    yield Section("</table></part>")
    if report.analysis:
        yield from analysis_parts(report.analysis)
    yield Section("</segment>")


def _processor(one: Processor, interrupts: tuple[str, str]) -> Section:
    values = vars(one) | {"busy": np.where(np.asarray(one.parked_pct) >= 100, np.nan, one.mvs_busy_pct)}
    form = row(
        *(f"{one.number:X}", one.kind, "%(online_pct)6.2f", "%(lpar_busy_pct)6.2f", "%(busy)6.2m", "%(parked_pct)6.2f"),
        *("%(share_pct)6.1f", one.polarization, *interrupts),
    )
    return Section(form, values)


def _partitions(report: PartitionData) -> Iterator[Section]:
    length = report.intervals.printed_s
    head = [
        ("MVS Partition Name", report.partition),
        ("Image Capacity", report.image_capacity),
        ("Number of Configured Partitions", len(report.of_kind("CP"))),
        ("Wait Completion", "NO"),
        ("Dispatch Interval", "DYNAMIC"),
        ("Group Name", report.group or "N/A"),
        ("Group Limit", report.group_limit_msu if report.group else "N/A"),
        ("Group Capacity Available", "N/A"),
        *((name, "NO") for name in ("Initial Capping", "LPAR Hardware Capping", "Hardware Group Capping")),
        ("Absolute MSU Capping", "NO"),
    ]
    types = [row(name, report.physical.get(kind, 0)) for kind, name in _PHYSICAL.items()]
    types.append(row("Total", sum(report.physical.values()), is_sum=True))
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
    for kind, physical in report.physical.items():
        partitions = report.of_kind(kind)
        for one in partitions:
            yield Section(_partition(one), partition_values(one, physical, length))
        if partitions:
            own = (*[""] * 8, kind, "", clock_hole("own"), "", "", "%(own_pct)5.2f", "", "%(own_pct)5.2f")
            total = (
                *("", "", sum(one.weight for one in partitions), *[""] * 5, kind, clock_hole("effective")),
                *(clock_hole("total"), "", "", "%(own_pct)5.2f", "%(effective_pct)5.2f", "%(total_pct)5.2f"),
            )
            form = f"{row('*PHYSICAL*', *own)}\n{row('TOTAL', *total, is_sum=True)}"
            yield Section(form, type_values(partitions, physical, length))
    yield Section("</table></part></segment>")


def _partition(one: Partition) -> str:
    msu = (one.defined_msu, "%(msu)5d", "N N N", "0.0") if one.kind == "CP" else ("", "", "N N N", "")
    return row(
        *(one.name, "Active", "None", one.weight, *msu, f"{one.processors}.0", one.kind, clock_hole("effective")),
        *(clock_hole("total"), "%(logical_pct)5.2f", "%(logical_pct)5.2f", "%(none)5.2f", "%(physical_pct)5.2f"),
        "%(physical_pct)5.2f",
    )
