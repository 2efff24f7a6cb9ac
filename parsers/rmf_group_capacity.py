"""RMF Group Capacity Report (Postprocessor, Monitor I). Grain: one row per interval, capacity group and partition of it, and the TOTAL of
each group.

The report shows what the MSU limit of a capacity group let its partitions use. Compared with a published page of z/OS V1R12, whose every
column is read: one group of two partitions with its TOTAL. Field knowledge, no page seen: several groups on a page, N/A and asterisks. The
values of later releases may have other forms (capping in letters, as Partition Data of V2R4 has it): these are rejects. Meaning of the
columns: IBM z/OS RMF Report Analysis, "Group Capacity Report".

Partitions of one group are on one machine. Every system in the group prints all of them. All columns are read.
"""

from ..pipeline.declaration.layouts import Columns
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Constant, Parsed, Under
from ..pipeline.declaration.report import Column, Report, Table, flag, number, text, time_percent
from ..pipeline.declaration.rules import AtMost, Total
from . import _smf_cpu as smf
from ._rmf import HEADER, UNREAD_PARTS, header_columns
from ._smf import in_records

_KEY = ("system", "report_kind", "interval_start", "interval_end", "capacity_group")
_GROUP, _MSU, _CAPPING, _ENTITLED = "GROUP-CAPACITY", "MSU", "CAPPING", "ENTITLEMENT"
_ROWS = ("GROUP_ROW", "MEMBER_ROW", "TOTAL_ROW")
_MEMBERS = ("GROUP_ROW", "MEMBER_ROW")
_RMF = "RMF Report Analysis, Group Capacity Report"


def _of_group(title: str, width: int = 0) -> Under:
    """On the group's first line alone."""
    return Under(title, _GROUP, line="GROUP_ROW", reach="above", rows=_ROWS, width=width)


# fmt: off
MEMBERS = Table(
    "rmf_group_capacity",
    grain="one row per interval, capacity group and partition, and one per group for its TOTAL",
    rows=_ROWS,
    blank_on=(
        (
            "TOTAL_ROW",
            ("msu_defined", "capping_wlm_pct", "capping_actual_pct", "msu_entitled_min", "msu_entitled_max"),
        ),
    ),
    key=(*_KEY, "partition", "is_total"),
    rules=(
        Total(name="total_weight_is_the_sum_of_its_rows", of={0: ("weight",)}, over=_KEY, source=_RMF),
        Total(name="total_msu_is_the_sum_of_its_rows", of={1: ("msu_used",)}, over=_KEY, digits="rounded", severity="warn", source=_RMF),
        AtMost(name="capping_limits_at_most_while_it_is_on", parts=("capping_actual_pct",), most=("capping_wlm_pct",), digit=1, digits="rounded", severity="warn", source=_RMF),
        AtMost(name="least_entitlement_is_at_most_the_greatest", parts=("msu_entitled_min",), most=("msu_entitled_max",), digit=1, digits="rounded", severity="warn", source=_RMF),
    ),
    columns=in_records(smf.GROUPS, (
        *header_columns(scope=Parsed(HEADER, "system"), in_smf=True),
        Column("is_total", flag(), (Constant(True, ("TOTAL_ROW",)), Constant(False)), "The row is TOTAL of its group."),
        Column("capacity_group", text(), _of_group("NAME", width=8), "Capacity group.", nullable=False),
        Column("capacity_group_limit", number("MSU/h"), _of_group("LIMIT"), "Limit of the group."),
        Column("capacity_group_available", number("MSU/h", minimum=None), _of_group("AVAIL"), "MSU that the limit allows and the members do not use, on long-term average; below 0, they used more."),
        Column("partition", text(), Under("PARTITION", pattern=r"^(\S+)$", rows=_MEMBERS, width=8), "Partition; NULL on totals.", needed_on=_MEMBERS),
        Column("member_system", text(), Under("SYSTEM", pattern=r"^(\S+)$", rows=_MEMBERS, width=8), "System in the partition."),
        Column("msu_defined", number("MSU/h"), Under("DEF", _MSU), "Defined capacity of the partition; 0 for none."),
        Column("msu_used", number("MSU/h"), Under("ACT", _MSU), "MSU used, as an hourly rate; the sum on totals."),
        Column("weight", number(), Under("WGT"), "Weight; the sum on totals."),
        Column("capped", flag(), Under("DEF", _CAPPING, r"^(YES|NO)$"), "Capping is defined for the partition.", allowed=("YES",)),
        Column("capping_wlm_pct", time_percent(), Under("WLM%", _CAPPING), "Share of the time that WLM capped the partition."),
        Column("capping_actual_pct", time_percent(), Under("ACT%", _CAPPING), "Share of the time that the cap held the partition back."),
        Column("msu_entitled_min", number("MSU/h"), Under("MINIMUM", _ENTITLED), "Least MSU that the partition may use if all members want theirs: by weight, or its defined capacity if that is less."),
        Column("msu_entitled_max", number("MSU/h"), Under("MAXIMUM", _ENTITLED), "Most MSU that it may use: its defined capacity, or the limit of the group."),
    )),
    once=Once(
        "member_system capacity_group_limit capacity_group_available msu_defined msu_used weight msu_entitled_min"
        " msu_entitled_max capping_wlm_pct capping_actual_pct",
        most="interval_s",
        or_null=True,
    ),
)
# fmt: on

_TITLES = ("GROUP_HEAD", "GROUP_HEAD_MORE")
_HEAD = """\
----GROUP-CAPACITY----  PARTITION  SYSTEM       -- MSU --   WGT   ---- CAPPING ----    - ENTITLEMENT -
NAME     LIMIT   AVAIL                          DEF   ACT         DEF   WLM%   ACT%    MINIMUM MAXIMUM


"""
_ART = f"""{_HEAD}\
ssssssss ddddd  iiiiii  ssssssss   ssssssss  dddddd ddddd ddddd   sss dddddd ddddd     ddddddd ddddddd
                        ssssssss   ssssssss  dddddd ddddd ddddd   sss dddddd ddddd     ddddddd ddddddd"""
_TOTAL = f"""{_HEAD}\
                                    TOTAL           ddddd ddddd"""
REPORT = Report(
    "rmf_group_capacity",
    summary="RMF Group Capacity: what the limit of a capacity group lets its partitions use, and how long they are capped",
    banner="GROUPCAPACITYREPORT",
    doc=__doc__ or "",
    tables=(MEMBERS,),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    records=smf.ROWS_OF_GROUPS,
    numbered=("TITLE", "PAGE_NO"),
    once=("GROUP_HEAD",),
    unread_parts=UNREAD_PARTS,
    layouts=(
        Columns(_TITLES, _MEMBERS, depth=2, art=(_ART,)),
        Columns(
            _TITLES,
            ("TOTAL_ROW",),
            depth=2,
            ignored=("^NAME$", "^LIMIT$", "^AVAIL$", "^PARTITION$", "^SYSTEM$"),
            art=(_TOTAL,),
        ),
    ),
)
