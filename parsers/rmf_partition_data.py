"""RMF Partition Data Report (Postprocessor, Monitor I). Grain: one row per interval, partition and processor type; what
is above the partitions is one row per interval and system.

The report follows CPU Activity in LPAR mode. Compared with published pages: all cells and the head of a page of z/OS V2R4 (a
machine in boost; CP, ICF and IIP; without the last TOTAL), and the head of a page of z/OS V1R8. Field knowledge: the cells
of releases before V2R4 (without BT, capping as YES, NO or MIX), rows of AAP and IFL, rows of partitions that are not
active, continued pages. Columns are found from the headings; anything else is a reject.

An asterisk beside a value means, on interval reports too, that it changed within the interval; the printed value is the
newest, and `…_changed` is true. The three letters of capping correspond, in this order, to INITIAL CAP, LPAR HW CAP and HW
GROUP CAP in the head; a single word does not show which of them applies. Dedicated processors print DED in place of a weight.
All lines and columns of the page are read. In XML: published documents of z/OS V2R4 and V2R5.
"""

import re
from functools import cache
from itertools import product
from typing import Any

from ..pipeline.declaration.layouts import Columns, XmlRows, XmlVariables
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Col, Constant, LineParser, Parsed, Under, Var
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, Report, Table, clock, count, flag, number, text, time_percent
from ..pipeline.declaration.rules import AtMost, Total
from ..pipeline.errors import Problem, Unreadable
from . import _smf_cpu as smf
from ._rmf import ANY_HEADER, header_columns
from ._smf import in_records

_NUMBER = r"-?\d+(?:\.\d+)?"
# Reasons for no number, as printed: not applicable, not measured, too wide for its field.
_NONE = r"N/A|-{2,}|\*{2,}"
# A name may be any word, even a label; but not a label of several words.
_VALUES = {
    "name": r"[A-Z0-9$#@]+(?= {2}| ?\*|$)|N/A",
    "count": rf"\d+|{_NONE}",
    "amount": rf"{_NUMBER}|{_NONE}",
    "dispatch": rf"DYNAMIC|{_NUMBER}|{_NONE}",
    "text": "YES|NO|N/A",
    "flag": "YES|NO|N/A",
}
# The lines above the partitions print up to four values each, one of each group, in this order: name, label, value.
_HEAD = (
    (
        ("mvs_partition", "MVS PARTITION NAME", "name"),
        ("image_capacity", "IMAGE CAPACITY", "amount"),
        ("configured_partitions", "NUMBER OF CONFIGURED PARTITIONS", "count"),
        ("wait_completion", "WAIT COMPLETION", "text"),
        ("dispatch_interval", "DISPATCH INTERVAL", "dispatch"),
    ),
    (
        ("physical_processors", "(?:NUMBER OF PHYSICAL PROCESSORS|PHYS PROC NUM)", "count"),
        ("physical_processors_cp", "CP", "count"),
        ("physical_processors_aap", "(?:AAP|IFA)", "count"),
        ("physical_processors_ifl", "IFL", "count"),
        ("physical_processors_icf", "ICF", "count"),
        ("physical_processors_iip", "IIP", "count"),
    ),
    (
        ("capacity_group", "GROUP NAME", "name"),
        ("capacity_group_limit", "LIMIT", "amount"),
        ("capacity_group_available", "AVAILABLE", "amount"),
    ),
    (
        ("initial_capping", "INITIAL CAP", "flag"),
        ("lpar_hardware_capping", "LPAR HW CAP", "flag"),
        ("hardware_group_capping", "HW GROUP CAP", "flag"),
        ("absolute_msu_capping", "ABS MSU CAP", "flag"),
    ),
)
_WORDS = re.compile(r"\S+(?: \S+)*")


@cache
def _patterns() -> list[list[tuple[str, str, re.Pattern[str]]]]:
    """Name, kind and pattern of each label, group by group."""
    return [
        [
            (name, kind, re.compile(rf"{label}(?= |$)(?: +({_VALUES[kind]})(?=[ *]|$))?( ?\*)?(?= |$)"))
            for name, label, kind in group
        ]
        for group in _HEAD
    ]


def read_head_line(line: str, cut: int | None = None) -> tuple[dict[str, Any], list[tuple[int, str]]]:
    """The values of a line by name, and where unknown words begin. An asterisk beside a value makes `<name>_changed` true. On a page
    cut at column `cut`, a value that ends there may be incomplete."""
    found: dict[str, Any] = {}
    unknown: list[tuple[int, str]] = []
    at, groups = 0, _patterns()
    while words := _WORDS.search(line, at):
        at = words.start()
        matches = (
            (number, name, kind, match)
            for number, group in enumerate(groups)
            for name, kind, pattern in group
            if (match := pattern.match(line, at))
        )
        known = next(matches, None)
        if known is None:
            unknown.append((at, words[0]))
            at = words.end()
            continue
        number, name, kind, match = known
        groups, at, printed = groups[number + 1 :], match.end(), match[1]
        may_be_cut = cut is not None and at >= cut - 1
        if printed and (may_be_cut or not printed.strip("*")):
            unknown.append((match.start(1), printed))
        elif printed:
            found[name] = _value(printed, kind)
            found[f"{name}_changed"] = bool(match[2])
    return found, unknown


def _value(printed: str, kind: str) -> float | bool | str:
    """A number, whether it is YES, or the text; in place of a value the reason why there is none."""
    if printed == "N/A":
        return printed
    if printed.startswith("--"):
        return "not_measured"
    if kind == "flag":
        return printed == "YES"
    return float(printed) if kind in ("count", "amount") else printed


def read_head(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Values of the lines above the partitions, on the machine and the printing system's partition; None if not printed. Raises Unreadable for
    words that are neither a label nor its value."""
    found: dict[str, Any] = {}
    problems = []
    expected, hint = "labels with their values", "the words are not read; please report this layout"
    *lines, system, version = ((text or "").rstrip() for text in texts)
    # The line of the version ends with CYCLE 1.000 SECONDS; where it does not, the page is cut at the right.
    cut = max(len(system), len(version)) if version and not version.endswith("SECONDS") else None
    # Capping ends the first lines, a label each. A line that ends in front of its label, beside others, is cut.
    capped = [any(label in line for _, label, _ in _HEAD[3]) for line in lines]
    for at_line, line in enumerate(lines):
        is_cut = not capped[at_line] and capped[0] and (at_line == 1 or any(capped[at_line:]))
        values, unknown = read_head_line(line, len(line) if is_cut else cut)
        found |= values
        problems += [Problem(at_line, at, f"{words!r} cannot be read", expected, hint) for at, words in unknown]
    of_types = sum(v for name, v in found.items() if name.startswith("physical_processors_") and type(v) is float)
    if isinstance(total := found.get("physical_processors"), float) and total < of_types:
        found["physical_processors"] = None
        problems.append(Problem(0, 0, f"{total:g} physical processors, and {of_types:g} of all types", "the sum", hint))
    if problems:
        raise Unreadable(found, problems)
    return found


def read_head_above(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """The same for the rows below; unreadable values and reasons are reported only once, with the head."""
    try:
        found = read_head(texts, options)
    except Unreadable as unreadable:
        found = unreadable.values
    return {name: None if value in ("N/A", "not_measured") else value for name, value in found.items()}


_LINES = (
    *("PARTITION_NAME_LINE", "CAPACITY_LINE", "CONFIGURED_LINE", "WAIT_LINE", "DISPATCH_LINE"),
    *("PROCESSORS_LINE", "SYSTEM_LINE", "VERSION_LINE"),
)
HEAD = LineParser(_LINES, read_head, follows=True)
HEAD_ABOVE = LineParser(_LINES, read_head_above)


_TYPES = {
    "cp": "general purpose processors",
    "aap": "zAAP (printed IFA by older releases)",
    "ifl": "processors for Linux",
    "icf": "processors for coupling facilities",
    "iip": "zIIP",
}


# What XML calls the values above the partitions; N/A and an asterisk are as in print.
_XML_NAMES = {
    "mvs_partition": "MVS Partition Name",
    "image_capacity": "Image Capacity",
    "configured_partitions": "Number of Configured Partitions",
    "wait_completion": "Wait Completion",
    "dispatch_interval": "Dispatch Interval",
    "capacity_group": "Group Name",
    "capacity_group_limit": "Group Limit",
    "capacity_group_available": "Group Capacity Available",
    "initial_capping": "Initial Capping",
    "lpar_hardware_capping": "LPAR Hardware Capping",
    "hardware_group_capping": "Hardware Group Capping",
    "absolute_msu_capping": "Absolute MSU Capping",
}
_XML_TYPES = {
    "physical_processors": "Total",
    "physical_processors_cp": "General purpose processor (CP)",
    "physical_processors_aap": "Application Assist Processor (zAAP)",
    "physical_processors_ifl": "Integrated Facility for Linux (IFL) processor",
    "physical_processors_icf": "Internal Coupling Facility (ICF) processor",
    "physical_processors_iip": "Integrated Information Processor (zIIP)",
}
# The values themselves: reasons for none are found without a pattern.
_XML_VALUES = {
    "name": r"[A-Z0-9$#@]+",
    "count": r"\d+",
    "amount": _NUMBER,
    "dispatch": rf"DYNAMIC|{_NUMBER}",
    "text": "YES|NO",
    "flag": "YES|NO",
}
_KINDS = {name: kind for group in _HEAD for name, _, kind in group}


def _head(name: str, parser: LineParser) -> tuple[Parsed, Var]:
    """The place of a value above the partitions, in print and in XML."""
    return Parsed(parser), _of_page(name, rf"^({_XML_VALUES[_KINDS[name]]}) ?\*?$")


def _head_changed(name: str) -> Column:
    at = (Parsed(HEAD), _of_page(name, rf"^(?:{_XML_VALUES[_KINDS[name]]}) ?(\*?)$"))
    if name.startswith("capacity_group"):
        # N/A of a partition in no group did not change.
        at = (*at, Constant(False, (_XML_HEAD,)))
    return Column(f"{name}_changed", flag(), at, f"{name} is {_CHANGED}.", allowed=("*",))


def _of_page(name: str, pattern: str) -> Var:
    if name in _XML_TYPES:
        return Var("Number of Physical Processors", _XML_TYPES[name], pattern)
    return Var("Partition Data Report", _XML_NAMES[name], pattern)


def _head_columns(parser: LineParser) -> tuple[Column, ...]:
    """Columns of the machine, in both tables."""
    return (
        Column(
            "image_capacity",
            number("MSU/h"),
            _head("image_capacity", parser),
            "Capacity of the printing system's partition.",
        ),
        Column("configured_partitions", count(), _head("configured_partitions", parser), "Partitions of the machine."),
        Column(
            "physical_processors", count(), _head("physical_processors", parser), "Physical processors of all types."
        ),
        *(
            Column(
                f"physical_processors_{name}",
                count(),
                _head(f"physical_processors_{name}", parser),
                f"Of these, {doc}; NULL if the type is not printed.",
            )
            for name, doc in _TYPES.items()
        ),
        Column("wait_completion", text(), _head("wait_completion", parser), "YES or NO."),
        Column("dispatch_interval", text(), _head("dispatch_interval", parser), "DYNAMIC, or milliseconds."),
        Column("capacity_group", text(), _head("capacity_group", parser), "Capacity group; NULL for N/A."),
        Column("capacity_group_limit", number("MSU/h"), _head("capacity_group_limit", parser), "Limit of the group."),
    )


_CHANGED = "printed with an asterisk: the value changed within the interval, the one printed is the newest"
_KEY = ("system", "report_kind", "interval_start", "interval_end")
_SCOPE = Parsed(ANY_HEADER, "system")
_XML_HEAD, _XML_ROW, _XML_TOTAL = "XML_MACHINE_TITLE", "XML_ROW", "XML_SUM_ROW"

# fmt: off
HEADS = Table(
    "rmf_partition_head",
    grain="one row per interval and system: the lines above the partitions",
    rows=("PARTITION_NAME_LINE", _XML_HEAD),
    key=_KEY,
    covers=False,
    columns=in_records(smf.HEADS, (
        *header_columns(scope=_SCOPE, xml_rows=(_XML_HEAD,), in_smf=True),
        Column("mvs_partition", text(), _head("mvs_partition", HEAD), "The printing system's partition.", nullable=False),
        *_head_columns(HEAD),
        Column(
            "capacity_group_available",
            number("MSU/h", minimum=None),
            _head("capacity_group_available", HEAD),
            "MSU that the limit of the group allows and its members do not use, on long-term average.",
        ),
        Column("initial_capping", flag(), _head("initial_capping", HEAD), "Initial capping is on.", allowed=("YES",)),
        Column("lpar_hardware_capping", flag(), _head("lpar_hardware_capping", HEAD), "An absolute limit (physical processors) is set.", allowed=("YES",)),
        Column("hardware_group_capping", flag(), _head("hardware_group_capping", HEAD), "An absolute limit is set for a group of partitions.", allowed=("YES",)),
        Column("absolute_msu_capping", flag(), _head("absolute_msu_capping", HEAD), "WLM always caps at the MSU limits.", allowed=("YES",)),
        *(_head_changed(name) for group in _HEAD for name, *_ in group),
    )),
)
# fmt: on

_VALUE = r"^([^ *]+) ?\*?$"
# All units of a time are printed: a shorter one has lost its end.
_TIME = r"^(\d{2,}\.\d\d\.\d\d\.\d{3})$"
_DISPATCH, _LOGICAL, _PHYSICAL = "DISPATCH TIME DATA", "LOGICAL PROCESSORS", "PHYSICAL PROCESSORS"
_ROW = "PARTITION_ROW"
# Three letters: initial capping, absolute limit of the partition, absolute limit of its group; an asterisk beside one
# that changed.
_LETTERS = r"^{}[ *]{}[ *]{}\*?$"
_ANY_LETTERS = r"[YN][ *][YN][ *][YN]\*?"
_CAPPING = rf"^((?:YES|NO|MIX) ?\*?|{_ANY_LETTERS})$"
_CAPPING_TEXTS = (
    *("".join(p) for p in product("YN", " *", "YN", " *", "YN", ("", "*"))),
    *(word + star for word in ("YES", "NO", "MIX") for star in ("", "*", " *")),
)
_CAPPINGS = (
    ("initial_capping", ("([YN])", "[YN]", "[YN]"), "Initial capping is on: the first letter."),
    (
        "lpar_hardware_capping",
        ("[YN]", "([YN])", "[YN]"),
        "An absolute limit of physical processors is set: the second letter.",
    ),
    (
        "hardware_group_capping",
        ("[YN]", "[YN]", "([YN])"),
        "An absolute limit is set for a group of partitions: the third letter.",
    ),
)


_YES_OR_NO = rf"^((?:YES|NO) ?\*?|{_ANY_LETTERS})$"
# What XML prints in words, and the letters that print has; other words are rejected.
_STATES = (("Active", "A"), ("Deactivated", "D"))
_BOOSTS = (("None", "N"), ("Speed", "S"), ("zIIP", "I"))


def _changed(
    name: str, title: str, value: str, heading: str, group: str = "", width: int = 0, around: int = 0, in_xml: str = ""
) -> Column:
    """Whether the cell of the column `name`, which `value` matches, ends with an asterisk. `heading`: of its column in XML; `in_xml`: what
    matches there."""
    at = (
        Under(title, group, rf"^(?:{value}) ?(\*?)$", _ROW, width=width, around=around),
        Col(heading, rf"^(?:{in_xml or value}) ?(\*?)$", line=_XML_ROW),
    )
    return Column(f"{name}_changed", flag(), at, f"{name} is {_CHANGED}.", allowed=("*",))


_RMF = "RMF Report Analysis, Partition Data Report; field knowledge"
_OF_TYPE = (*_KEY, "processor_type")

# fmt: off
PARTITIONS = Table(
    "rmf_partition_data",
    role="partitions",
    grain="one row per partition and processor type, and the *PHYSICAL* and TOTAL rows of each type",
    rows=("PARTITION_ROW", "PHYSICAL_ROW", "TOTAL_ROW", _XML_ROW, _XML_TOTAL),
    blank_on=(
        (
            "PHYSICAL_ROW",
            (
                *("weight", "msu_defined", "msu_used", "capping_wlm_pct", "logical_processors", "effective_dispatch"),
                *("logical_effective_pct", "logical_total_pct", "physical_effective_pct"),
            ),
        ),
        (
            "TOTAL_ROW",
            (
                *("msu_defined", "msu_used", "capping_wlm_pct", "logical_processors"),
                *("logical_effective_pct", "logical_total_pct"),
            ),
        ),
    ),
    key=(*_KEY, "partition", "processor_type", "is_total"),
    # 105 totals of times published as XML are never below the sum of their rows, and at most one digit per row above: times are
    # truncated. Percentages are within rounding.
    rules=(
        Total(
            name="total_dispatch_is_the_sum_of_its_rows",
            of={0.001: ("total_dispatch",)},
            digits="cut",
            over=_OF_TYPE,
            source=_RMF,
        ),
        Total(
            name="total_shares_are_the_sum_of_their_rows",
            of={0.01: ("lpar_management_pct", "physical_total_pct")},
            digits="rounded",
            over=_OF_TYPE,
            severity="warn",
            source=_RMF,
        ),
        AtMost(
            name="msu_are_those_of_general_processors",
            parts=("msu_defined", "msu_used"),
            most=(),
            where=("processor_type", ("IIP", "AAP", "ICF", "IFL")),
            source=_RMF,
        ),
        AtMost(
            name="effective_is_within_total",
            parts=("effective_dispatch",),
            most=("total_dispatch",),
            digit=0.001,
            digits="cut",
            source=_RMF,
        ),
    ),
    columns=in_records(smf.PARTITIONS, (
        *header_columns(scope=_SCOPE, xml_rows=(_XML_ROW, _XML_TOTAL), in_smf=True),
        Column("is_total", flag(), (Constant(True, ("TOTAL_ROW", _XML_TOTAL)), Constant(False)), "The row is TOTAL of its type."),
        Column(
            "partition",
            text(),
            (
                Under("NAME", pattern=r"^(\S+)$", line=_ROW),
                Col("Partition Name", r"^(\S+)$", line=_XML_ROW),
                Constant("*PHYSICAL*", ("PHYSICAL_ROW",)),
            ),
            "Partition; *PHYSICAL* is time of no partition; NULL on totals.",
            needed_on=(_XML_ROW,),
        ),
        Column(
            "processor_type",
            text(),
            (Under("TYPE", pattern=r"^([A-Z]+)$", line=_ROW, reach="above"), Col("PROC Type", r"^([A-Z]+)$")),
            "CP, IIP (zIIP), AAP (zAAP), ICF or IFL; NULL for an inactive partition.",
        ),
        Column(
            "status",
            text(),
            (Under("S", pattern=r"^([A-Z])\*?$", line=_ROW, width=2), Col("Partition Status", r"^(\w+) ?\*?$", _STATES)),
            "A active, D not.",
        ),
        _changed("status", "S", "[A-Z]", "Partition Status", width=2, in_xml=r"\w+"),
        Column("boost_type", text(), (Under("BT", line=_ROW), Col("Boost Type", words=_BOOSTS, optional=True)), "Boost: N none, S speed, I zIIP."),
        Column("weight", number(), (Under("WGT", pattern=r"^(\d+) ?\*?$", around=5), Col("Partition Weight", r"^(\d+) ?\*?$")), "Weight; the sum on totals."),
        Column(
            "dedicated",
            flag(),
            (
                Under("WGT", pattern=r"^(DED|\d+) ?\*?$", line=_ROW, around=5),
                Col("Partition Weight", r"^(DED|\d+) ?\*?$", line=_XML_ROW),
            ),
            "The processors are dedicated: DED in place of a weight.",
            allowed=("DED",),
        ),
        _changed("weight", "WGT", r"DED|\d+", "Partition Weight", around=5),
        Column("msu_defined", number("MSU/h"), (Under("DEF", "MSU", _VALUE, around=5), Col("MSU Defined", _VALUE)), "Defined capacity; 0 for none."),
        _changed("msu_defined", "DEF", r"[^ *]+", "MSU Defined", "MSU", around=5),
        Column("msu_used", number("MSU/h"), (Under("ACT", "MSU"), Col("MSU Actual")), "MSU used, as an hourly rate."),
        Column(
            "capping_definition",
            text(),
            (Under("DEF", "CAPPING", _CAPPING, width=6), Col("Capping Defined", _CAPPING)),
            "Capping as printed: YES, NO or MIX by older releases, else a letter each for initial capping, an absolute limit "
            "of the partition and one of its group. An asterisk beside it says that it changed.",
        ),
        Column(
            "capped",
            flag(),
            (Under("DEF", "CAPPING", _YES_OR_NO, width=6), Col("Capping Defined", _YES_OR_NO)),
            "Initial, absolute or group capping is defined: any Y.",
            allowed=tuple(text for text in _CAPPING_TEXTS if "Y" in text),
        ),
        *(
            Column(
                name,
                flag(),
                (Under("DEF", "CAPPING", _LETTERS.format(*letters), width=6), Col("Capping Defined", _LETTERS.format(*letters))),
                doc,
                allowed=("Y",),
            )
            for name, letters, doc in _CAPPINGS
        ),
        Column(
            "capping_changed",
            flag(),
            (Under("DEF", "CAPPING", _CAPPING, width=6), Col("Capping Defined", _CAPPING)),
            f"One of these is {_CHANGED}.",
            allowed=tuple(text for text in _CAPPING_TEXTS if "*" in text),
        ),
        Column("capping_wlm_pct", time_percent(), (Under("WLM%"), Col("Capping WLM%")), "Share of the time that WLM capped the partition.", decimals=1),
        Column("logical_processors", number(), (Under("NUM", pattern=_VALUE), Col("Num of LOG PROCs", _VALUE)), "Logical processors, on average."),
        _changed("logical_processors", "NUM", r"[^ *]+", "Num of LOG PROCs"),
        Column("effective_dispatch", clock(), (Under("EFFECTIVE", _DISPATCH, _TIME, around=14), Col("Effective Dispatch Time")), "Dispatch time without LPAR management."),
        Column("total_dispatch", clock(), (Under("TOTAL", _DISPATCH, _TIME, around=12), Col("Total Dispatch Time")), "Dispatch time with LPAR management."),
        Column("logical_effective_pct", time_percent(), (Under("EFFECTIVE", _LOGICAL), Col("Avg Util%: LOG PROC Effective")), "Effective utilisation of the logical processors.", decimals=2),
        Column("logical_total_pct", time_percent(), (Under("TOTAL", _LOGICAL), Col("Avg Util%: LOG PROC Total")), "Total utilisation of the logical processors.", decimals=2),
        Column("lpar_management_pct", time_percent(), (Under("LPAR MGMT", _PHYSICAL), Col("Avg Util%: PHYS PROC LPAR MGMT")), "LPAR management, share of the physical processors.", decimals=2),
        Column("physical_effective_pct", time_percent(), (Under("EFFECTIVE", _PHYSICAL), Col("Avg Util%: PHYS PROC Effective")), "Effective, of the physical ones.", decimals=2),
        Column("physical_total_pct", time_percent(), (Under("TOTAL", _PHYSICAL), Col("Avg Util%: PHYS PROC Total")), "Total utilisation of the physical processors.", decimals=2),
        Column("mvs_partition", text(), _head("mvs_partition", HEAD_ABOVE), "The printing system's partition."),
        *_head_columns(HEAD_ABOVE),
    )),
    once=Once(
        "interval_s mvs_partition weight dedicated logical_processors total_dispatch capped initial_capping"
        " lpar_hardware_capping hardware_group_capping capping_wlm_pct weight_changed logical_processors_changed"
        " physical_processors_cp physical_processors_iip physical_processors_aap physical_processors_ifl physical_processors_icf"
    ),
)
# fmt: on

_TITLES = ("PARTITION_HEAD",)
_TITLE_LINES = """\
-------------- PARTITION DATA --------------  -- LOGICAL PARTITION PROCESSOR DATA -  -- AVERAGE PROCESSOR UTILIZATION PERCENTAGES --
                     ---MSU----   -CAPPING--  PROCESSOR- ---DISPATCH TIME DATA-----   LOGICAL PROCESSORS  --- PHYSICAL PROCESSORS --
NAME      S BT  WGT   DEF   ACT   DEF   WLM%  NUM  TYPE   EFFECTIVE        TOTAL      EFFECTIVE   TOTAL   LPAR MGMT  EFFECTIVE TOTAL

"""
_PARTITION = """\
ssssssss  s s  dddd ddddd  dddd   sssss fff.f ff.f sss   cc.cc.cc.ccc  cc.cc.cc.ccc       ff.ff   ff.ff       ff.ff      ff.ff ff.ff"""
_TOTALS = """\
*PHYSICAL*                                                             cc.cc.cc.ccc                           ff.ff            ff.ff
  TOTAL        dddd                                      cc.cc.cc.ccc  cc.cc.cc.ccc                           ff.ff      ff.ff ff.ff"""
REPORT = Report(
    "rmf_partition_data",
    summary=(
        "RMF Partition Data: partitions by processor type, the machine and its capping (partitions before "
        "V2R4 from field knowledge)"
    ),
    banner="PARTITIONDATAREPORT",
    doc=__doc__ or "",
    tables=(PARTITIONS, HEADS),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    records=smf.ROWS_OF_PARTITIONS,
    numbered=("TITLE", "PAGE_NO"),
    in_turn=("PARTITION_NAME_LINE", "PARTITION_HEAD"),
    unread={"MESSAGES": ("XML_MESSAGE",)},
    layouts=(
        Columns(_TITLES, ("PARTITION_ROW",), depth=3, art=(_TITLE_LINES + _PARTITION,)),
        Columns(
            _TITLES,
            ("PHYSICAL_ROW", "TOTAL_ROW"),
            depth=3,
            ignored=("^NAME$", "^S$", "^BT$", "^TYPE$"),
            art=(_TITLE_LINES + _TOTALS,),
        ),
        XmlVariables(("XML_MACHINE_TITLE", "XML_PROCESSORS_TITLE"), ("XML_VAR_ROW", "XML_TYPE_ROW")),
        XmlRows(("XML_COLS_HEAD",), (_XML_ROW, _XML_TOTAL)),
    ),
)
