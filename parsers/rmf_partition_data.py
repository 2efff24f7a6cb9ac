"""RMF Partition Data Report (Postprocessor, Monitor I). Grain: one row per interval, partition and processor type.

The report follows CPU Activity in LPAR mode. Its layout here is field knowledge: no published page was there to hold it to,
so columns are found from the headings, and what does not fit is a reject. An asterisk beside a value of a duration report
says that it changed; the value printed is the newest. Dedicated processors print DED in place of a weight. Not parsed: how
many physical processors of each type the machine has.
"""

import re
from typing import Any

from ..pipeline.declaration import (
    Column,
    Constant,
    From,
    Heading,
    Reading,
    Report,
    Table,
    Under,
    clock,
    count,
    flag,
    number,
    percent,
    text,
)
from ..pipeline.options import Options
from ..pipeline.rules import AtMost, Total
from ._rmf import HEADER, header_columns

_FIELDS = {
    "mvs_partition": r"MVS PARTITION NAME +([^\s*]+)",
    "image_capacity": r"IMAGE CAPACITY +(\d+)",
    "configured_partitions": r"NUMBER OF CONFIGURED PARTITIONS +(\d+)",
    "wait_completion": r"WAIT COMPLETION +(\w+)",
    "dispatch_interval": r"DISPATCH INTERVAL +(\w+)",
    "physical_processors": r"PHYS PROC NUM +(\d+)",
    "capacity_group": r"GROUP NAME +([A-Z$#@][A-Z0-9$#@]*)(?: |$)",
    "capacity_group_limit": r"LIMIT +(\d+)",
}


def read_partition(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """What the lines above the partitions say of the machine and of the partition that printed them; None for what is
    not there, or N/A."""
    found: dict[str, Any] = {}
    for name, pattern in _FIELDS.items():
        match = next((m for line in texts if (m := re.search(pattern, line or ""))), None)
        found[name] = match and (float(match[1]) if r"(\d+)" in pattern else match[1])
    return found


PARTITION = Reading(
    ("PARTITION_NAME_LINE", "CAPACITY_LINE", "CONFIGURED_LINE", "WAIT_LINE", "DISPATCH_LINE"), read_partition
)

_VALUE = r"^([^ *]+) ?\*?$"
_DISPATCH, _LOGICAL, _PHYSICAL = "DISPATCH TIME DATA", "LOGICAL PROCESSORS", "PHYSICAL PROCESSORS"
_CAPPED = ("YES", "Y", *(f"{a} {b} {c}" for a in "YN" for b in "YN" for c in "YN" if "Y" in a + b + c))

_RMF = "RMF Report Analysis, Partition Data Report; field knowledge"
_OF_TYPE = ("system", "report_kind", "interval_start", "interval_end", "processor_type")

PARTITIONS = Table(
    "rmf_partition_data",
    grain="one row a partition and processor type, and the *PHYSICAL* and TOTAL rows of each type",
    rows=("PARTITION_ROW", "PHYSICAL_ROW", "TOTAL_ROW"),
    key=(
        *("system", "report_kind", "interval_start", "interval_end"),
        *("partition", "processor_type", "is_total"),
    ),
    rules=(
        Total(
            name="total_dispatch_is_the_sum_of_its_rows",
            of={0.001: ("total_dispatch",)},
            over=_OF_TYPE,
            source=_RMF,
        ),
        Total(
            name="total_shares_are_the_sum_of_their_rows",
            of={0.01: ("lpar_management_pct", "physical_total_pct")},
            over=_OF_TYPE,
            severity="warn",
            source=_RMF,
        ),
        AtMost(
            name="effective_is_within_total",
            parts=("effective_dispatch",),
            most=("total_dispatch",),
            digit=0.001,
            source=_RMF,
        ),
    ),
    columns=(
        *header_columns(scope=From(HEADER, "system")),
        Column("is_total", flag(), (Constant(True, ("TOTAL_ROW",)), Constant(False)), "The row is TOTAL of its type."),
        Column(
            "partition",
            text(),
            (Under("NAME", pattern=r"^(\S+)$", line="PARTITION_ROW"), Constant("*PHYSICAL*", ("PHYSICAL_ROW",))),
            "Partition; *PHYSICAL* is the time that belongs to none; NULL on totals.",
        ),
        Column(
            "processor_type",
            text(),
            Under("TYPE", pattern=r"^([A-Z]+)$", line="PARTITION_ROW", reach="above"),
            "CP, IIP (zIIP), AAP (zAAP), ICF or IFL; NULL for a partition that is not active.",
        ),
        Column("status", text(), Under("S", pattern=r"^([A-Z])", line="PARTITION_ROW", width=2), "A active, D not."),
        Column("boost_type", text(), Under("BT", line="PARTITION_ROW"), "Boost: N none, …"),
        Column("weight", number(), Under("WGT", pattern=r"^(\d+)\*?$", around=5), "Weight; the sum on totals."),
        Column(
            "dedicated",
            flag(),
            Under("WGT", pattern=r"^([^ *]+)\*?$", line="PARTITION_ROW", around=5),
            "The processors are dedicated: DED in place of a weight.",
            allowed=("DED",),
        ),
        Column("msu_defined", number("MSU/h"), Under("DEF", "MSU", _VALUE, around=5), "Defined capacity; 0 for none."),
        Column("msu_used", number("MSU/h"), Under("ACT", "MSU", _VALUE), "MSU used, as an hourly rate."),
        Column("capping_definition", text(), Under("DEF", "CAPPING", width=5), "Capping as printed."),
        Column(
            "capped",
            flag(),
            Under("DEF", "CAPPING", width=5),
            "Initial, absolute or group capping is defined: any Y.",
            allowed=_CAPPED,
        ),
        Column("capping_wlm_pct", percent(), Under("WLM%"), "Share of the time that WLM capped the partition."),
        Column("logical_processors", number(), Under("NUM", pattern=_VALUE), "Logical processors, on average."),
        Column(
            "effective_dispatch",
            clock(),
            Under("EFFECTIVE", _DISPATCH, around=12),
            "Dispatched, LPAR management aside.",
        ),
        Column(
            "total_dispatch", clock(), Under("TOTAL", _DISPATCH, around=12), "Dispatched, LPAR management included."
        ),
        Column(
            "logical_effective_pct", percent(), Under("EFFECTIVE", _LOGICAL), "Effective, of the logical processors."
        ),
        Column("logical_total_pct", percent(), Under("TOTAL", _LOGICAL), "Total, of the logical processors."),
        Column(
            "lpar_management_pct", percent(), Under("LPAR MGMT", _PHYSICAL), "LPAR management, of the physical ones."
        ),
        Column("physical_effective_pct", percent(), Under("EFFECTIVE", _PHYSICAL), "Effective, of the physical ones."),
        Column("physical_total_pct", percent(), Under("TOTAL", _PHYSICAL), "Total, of the physical processors."),
        Column("mvs_partition", text(), From(PARTITION), "The partition whose system printed the page."),
        Column("image_capacity", number("MSU/h"), From(PARTITION), "Its image capacity."),
        Column("configured_partitions", count(), From(PARTITION), "Partitions of the machine."),
        Column("physical_processors", count(), From(PARTITION), "Physical processors of all types."),
        Column("wait_completion", text(), From(PARTITION), "YES or NO."),
        Column("dispatch_interval", text(), From(PARTITION), "DYNAMIC, or milliseconds."),
        Column("capacity_group", text(), From(PARTITION), "Capacity group; NULL for N/A."),
        Column("capacity_group_limit", number("MSU/h"), From(PARTITION), "Its limit."),
    ),
)

_HEAD = ("PARTITION_HEAD",)
REPORT = Report(
    "rmf_partition_data",
    banner="PARTITIONDATAREPORT",
    doc=__doc__ or "",
    tables=(PARTITIONS,),
    sections=("TITLE", "PARTITION_NAME_LINE"),
    page_lines=("TITLE", "PAGE_NO", "SYSTEM_LINE", "VERSION_LINE"),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    numbered=("TITLE", "PAGE_NO"),
    headings=(
        Heading(_HEAD, ("PARTITION_ROW",), depth=3),
        Heading(_HEAD, ("PHYSICAL_ROW", "TOTAL_ROW"), depth=3, ignored=("^NAME$", "^S$", "^BT$", "^TYPE$")),
    ),
)
