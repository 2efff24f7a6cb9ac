"""Workload Activity as XML: what the document calls the columns of print.

No document is published. All names are from public code, a reader of these documents: the titles of the parts, the names in them, and the
order of the columns of its three tables, whose headings nobody published. So of a heading each title must have the word that its column
certainly has (Goal, Importance); a heading with other titles, or in another order, is a reject. Classes and workloads are read, and the service policy; periods, goals by
system and distributions of response times are not.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..pipeline.declaration.layouts import XmlRows, XmlVariables
from ..pipeline.declaration.places import Col, Constant, LineParser, Parsed, Place, Var
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column
from ..pipeline.errors import Problem, Unreadable

# A segment is a class, a workload or the service policy. The words around are not known.
SEGMENTS = r"Service Class|Workload|^Service Policy Section$"
CLASS_TITLE, SUMMARY_ROWS = "XML_CLASS_TITLE", ("XML_SUMMARY_ROW", "XML_SUM_ROW")
POLICY_TITLE, SYSTEM_ROW = "XML_DEFINITION_TITLE", "XML_SYSTEM_ROW"
# The first part of a class has no title, and so that of its segment.
_CLASS = "names of the class"
_TIME = "Transaction Time (HHH.MM.SS.FFFFFF)"
_APPL = "Transaction Application Time %"
_DEFINITION, _COEFFICIENTS = "Service Definition", "Service Definition Coefficients"
_FACTORS = "Normalization Factors"

# fmt: off
_OF_A_CLASS: Mapping[str, tuple[str, str]] = {
    "policy": (_CLASS, "Policy"),
    "workload": (_CLASS, "Workload"),
    "service_class": (_CLASS, "Service Class"),
}
_ACTIVITY: Mapping[str, tuple[str, str]] = {
    **_OF_A_CLASS,
    "description": (_CLASS, "Description"),
    "critical": (_CLASS, "Critical"),
    "honor_priority": (_CLASS, "Honor Priority"),
    "transactions_avg": ("Transactions", "Average"),
    "transactions_mpl": ("Transactions", "MPL"),
    "transactions_ended": ("Transactions", "Ended"),
    "transactions_per_s": ("Transactions", "Ended/sec"),
    "swaps": ("Transactions", "# of Swaps"),
    "transactions_executed": ("Transactions", "Executed"),
    "enclaves_avg": ("Enclaves", "Average Enclaves"),
    "enclaves_remote_avg": ("Enclaves", "Remote Enclaves"),
    "enclaves_multisystem_avg": ("Enclaves", "Multi-System Enclaves"),
    "actual_time_s": (_TIME, "Actual"),
    "execution_time_s": (_TIME, "Execution"),
    "queued_time_s": (_TIME, "Queued"),
    "rs_affinity_time_s": (_TIME, "Resource/System Affinity"),
    "ineligible_time_s": (_TIME, "Ineligible"),
    "conversion_time_s": (_TIME, "Conversion"),
    "time_stddev_s": (_TIME, "Standard Deviation"),
    "ssch_per_s": ("DASD I/O", "SSCH/sec"),
    "dasd_response_ms": ("DASD I/O", "Response Time"),
    "dasd_connect_ms": ("DASD I/O", "Connect Time"),
    "dasd_disconnect_ms": ("DASD I/O", "Disconnect Time"),
    "dasd_qpend_ms": ("DASD I/O", "Queue+Pending Time"),
    "dasd_iosq_ms": ("DASD I/O", "IOS Queue Time"),
    "ioc_service": ("Service", "IOC"),
    "cpu_service": ("Service", "CPU"),
    "mso_service": ("Service", "MSO"),
    "srb_service": ("Service", "SRB"),
    "total_service": ("Service", "Total"),
    "service_per_s": ("Service", "Per Second"),
    "absorption_rate": ("Service", "Absorption Rate"),
    "transaction_service_rate": ("Service", "Transaction Service Rate"),
    "cpu_time_s": ("Service Time", "CPU"),
    "srb_time_s": ("Service Time", "SRB"),
    "rct_time_s": ("Service Time", "RCT"),
    "iit_time_s": ("Service Time", "I/O Interrupt"),
    "hst_time_s": ("Service Time", "Hiperspace"),
    "iip_time_s": ("Service Time", "zIIP"),
    "aap_time_s": ("Service Time", "zAAP"),
    "appl_cp_pct": ("Application Time %", "CP"),
    "appl_iipcp_pct": ("Application Time %", "zIIP on CP"),
    "appl_aapcp_pct": ("Application Time %", "zAAP on CP"),
    "appl_iip_pct": ("Application Time %", "zIIP"),
    "appl_aap_pct": ("Application Time %", "zAAP"),
    "promoted_blk_s": ("Promoted Transactions", "Blocked"),
    "promoted_enq_s": ("Promoted Transactions", "Enqueue"),
    "promoted_crm_s": ("Promoted Transactions", "CRM"),
    "promoted_lck_s": ("Promoted Transactions", "Lock"),
    "promoted_sup_s": ("Promoted Transactions", "SUP"),
    "storage_avg_frames": ("Storage Frames", "Average"),
    "storage_total_frames": ("Storage Frames", "Total"),
    "storage_shared_frames": ("Storage Frames", "Shared"),
    "page_in_single_per_s": ("Page-In Rates", "Single"),
    "page_in_block_per_s": ("Page-In Rates", "Blocked"),
    "page_in_shared_per_s": ("Page-In Rates", "Shared"),
    "page_in_hsp_per_s": ("Page-In Rates", "Hiperspace"),
}
_POLICY: Mapping[str, tuple[str, str]] = {
    "service_definition": (_DEFINITION, "Name"),
    "service_definition_description": (_DEFINITION, "Description"),
    "installed_by": (_DEFINITION, "Installed By"),
    "policy": (_DEFINITION, "Policy"),
    "policy_description": (_DEFINITION, "Policy Description"),
    "norm_factor_aap": (_FACTORS, "zAAP Normalization Factor"),
    "norm_factor_iip": (_FACTORS, "zIIP Normalization Factor"),
    "coefficient_ioc": (_COEFFICIENTS, "IOC"),
    "coefficient_cpu": (_COEFFICIENTS, "CPU"),
    "coefficient_srb": (_COEFFICIENTS, "SRB"),
    "coefficient_mso": (_COEFFICIENTS, "MSO"),
}
# fmt: on

_OPTIONS = {
    "io_priority_management": "I/O Priority Management",
    "dynamic_alias_management": "Dynamic Alias Management",
    "discretionary_goal_management": "Discretionary Goal Management",
}

# The columns of the tables, in order, and what a title must be like: no two neighbours are alike.
SUMMARY = (
    ("Period", "^PER"),
    ("Importance", "^IMP"),
    ("Performance Index", "^(PERF|PI$)"),
    ("Transactions: Number", "^[^%]*(NUMBER|ENDED|#)[^%]*$"),
    ("Transactions: %", "^(?!.*(USING|DELAY|VEL|GOAL|ACT|TOTAL)).*%"),
    ("Response Time: Goal", "^(?!.*VEL).*GOAL"),
    ("Response Time: Actual", "^(?!.*VEL).*ACT"),
    ("Response Time: Total", "^(?!.*(VEL|USING)).*TOTAL"),
    ("Velocity: Goal", "GOAL"),
    ("Velocity: Actual", "ACT"),
    ("Total Using %", "USING"),
    ("Execution Delay %", "DELAY"),
)
SYSTEMS = (
    ("System ID", "^SYS"),
    ("OPT", "^OPT"),
    ("SU/sec", "^SU"),
    ("Capacity %", "CAP"),
    ("Time", "^(?!.*INT).*TIME"),
    ("Interval", "INT"),
    ("Boost", "BOOST"),
)
_CLOCK = r"^(\d{2,3}\.\d\d\.\d\d\.\d+)$"
_PERCENT = r"^(\d+(?:\.\d+)?) ?%$"
_SUMMARY: Mapping[str, Col] = {
    "summary_period": Col("Period", r"^(\d+)$", line="XML_SUMMARY_ROW"),
    "summary_importance": Col("Importance"),
    "performance_index": Col("Performance Index"),
    "transactions": Col("Transactions: Number"),
    "transactions_pct": Col("Transactions: %"),
    "goal_s": Col("Response Time: Goal", r"^(\d{2,3}\.\d\d\.\d\d\.\d+)(?: +AVG| +\d+(?:\.\d+)? ?%)?$"),
    "goal_pct": Col("Response Time: Goal", r"^\S+ +(\d+(?:\.\d+)?) ?%$"),
    "actual_s": Col("Response Time: Actual", _CLOCK),
    "actual_pct": Col("Response Time: Actual", _PERCENT),
    "total_pct": Col("Response Time: Total", r"^([^ %]+) ?%?$"),
    "velocity_goal_pct": Col("Velocity: Goal", r"^([^ %]+) ?%?$"),
    "velocity_pct": Col("Velocity: Actual", r"^([^ %]+) ?%?$"),
    "total_using_pct": Col("Total Using %"),
    "execution_delay_pct": Col("Execution Delay %"),
}
_SYSTEMS: Mapping[str, Col] = {
    "system": Col("System ID"),
    "opt": Col("OPT"),
    "su_per_s": Col("SU/sec"),
    "capacity_pct": Col("Capacity %"),
    "system_time": Col("Time"),
    "system_interval_s": Col("Interval"),
    "boost": Col("Boost"),
}
# How a category is written is not known; print has these.
_CATEGORIES = {
    "total": ("TOTAL", "Total"),
    "mobile": ("MOBILE", "Mobile"),
    "category_a": ("CATEGORYA", "CATEGORY A", "CategoryA", "Category A"),
    "category_b": ("CATEGORYB", "CATEGORY B", "CategoryB", "Category B"),
}
_CELLS = ("cp", "on_cp", "ziip")
_TRANSACTION_APPL: Mapping[str, tuple[Place, ...]] = {
    f"transaction_appl_{category}_{part}_pct": tuple(
        Var(_APPL, name, cell=cell, of=len(_CELLS), seen=False) for name in names
    )
    for category, names in _CATEGORIES.items()
    for cell, part in enumerate(_CELLS)
}


def _title(text: str) -> str:
    return text.partition(">")[2].strip()


def _variable(text: str | None) -> tuple[str, str]:
    """The name and the value of a line."""
    name, _, value = _title(text or "").partition("|")
    return name.strip(), value.strip()


# What z/OS allows in the names of classes and workloads.
_NAME = re.compile(r"[A-Za-z0-9$#@_-]{1,8}")


def _may_be_a_period(title: str, names: Iterable[str]) -> bool:
    """Whether a title says more than whose segment it is: a number, beside the names that the first part has (X.1, X 1)."""
    words = re.findall(r"[A-Za-z0-9$#@_-]+", title)
    return "period" in title.lower() or any(re.search(r"\d", word) for word in words if word not in names)


def read_xml_class(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """The kind of a class by the names that its first part has. Another name there, one that z/OS does not allow (X.1), and a title that speaks
    of periods or has a number beside the names may be what tells a period from its class: then it is none."""
    title, other, *lines = texts
    names = [_variable(text)[1] for text in lines]
    kinds = [kind for kind, name in zip(("service_class", "workload"), names, strict=True) if name]
    wrong = next((at for at, name in enumerate(names) if name and not _NAME.fullmatch(name)), None)
    if _may_be_a_period(_title(title or ""), names):
        what = f"{_title(title or '')!r}: periods are not read from XML"
        problem = Problem(
            0, 0, what, "a service class or a workload", "how XML names them is not published; print has them"
        )
    elif other is not None:
        what = f"class with the unknown name {_variable(other)[0]!r}"
        expected = "Policy, Workload, Service Class, Description, Resource Group, Critical, Honor Priority"
        problem = Problem(1, 0, what, expected, "it may be a period, or another kind of class; its values are not read")
    elif wrong is not None:
        what = f"{names[wrong]!r} is not the name of a class"
        expected = "at most 8 letters, digits, $ # @ _ -"
        problem = Problem(wrong + 2, 0, what, expected, "it may be a period; its values are not read")
    elif not kinds:
        problem = Problem(0, 0, "no class in the first part", "Policy, with Workload or Service Class", "")
    else:
        return {"class_kind": kinds[0]}
    raise Unreadable({"class_kind": None}, [problem])


def read_resource_group(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """NULL where there is none."""
    group = _variable(texts[0])[1]
    return {"resource_group": None if group in ("", "*NONE", "N/A") else group}


def read_installed(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """When the service definition was installed, as print has it."""
    said = [value for value in (_variable(text)[1] for text in texts) if value]
    return {"installed_at_printed": " ".join(said) if len(said) == len(texts) else None}


_NAMES = (CLASS_TITLE, "XML_OTHER_NAME_ROW", "XML_SERVICE_CLASS_ROW", "XML_WORKLOAD_ROW")
CLASS_BELOW, CLASS_ABOVE = LineParser(_NAMES, read_xml_class, follows=True), LineParser(_NAMES, read_xml_class)
RESOURCE_GROUP = LineParser(("XML_RESOURCE_GROUP_ROW",), read_resource_group, follows=True)
INSTALLED = LineParser(("XML_INSTALL_DATE_ROW", "XML_INSTALL_TIME_ROW"), read_installed, follows=True)


def _named(names: Mapping[str, tuple[str, str]]) -> dict[str, tuple[Place, ...]]:
    return {column: (Var(part, name, seen=False),) for column, (part, name) in names.items()}


def _cells(places: Mapping[str, Col]) -> dict[str, tuple[Place, ...]]:
    return {column: (dataclasses.replace(place, seen=False),) for column, place in places.items()}


# By table: what its columns are called.
ACTIVITY: Mapping[str, tuple[Place, ...]] = {
    **_named(_ACTIVITY),
    **_TRANSACTION_APPL,
    "class_kind": (Parsed(CLASS_BELOW),),
    "resource_group": (Parsed(RESOURCE_GROUP),),
}
IMPORTANCE: Mapping[str, tuple[Place, ...]] = {
    **_named(_OF_A_CLASS),
    **_cells(_SUMMARY),
    "class_kind": (Parsed(CLASS_ABOVE),),
    "is_total": (Constant("TOTAL", ("XML_SUM_ROW",)), Constant("PERIOD", ("XML_SUMMARY_ROW",))),
}
POLICY: Mapping[str, tuple[Place, ...]] = {
    **_named(_POLICY),
    **{name: (Var(_DEFINITION, said, "^(YES|NO)$", seen=False),) for name, said in _OPTIONS.items()},
    "installed_at_printed": (Parsed(INSTALLED),),
}
POLICY_SYSTEM: Mapping[str, tuple[Place, ...]] = _cells(_SYSTEMS)

LAYOUTS = (
    XmlVariables(
        ("XML_CLASS_TITLE", "XML_PART_TITLE", "XML_APPL_TITLE", "XML_DEFINITION_TITLE", "XML_OTHER_PART_TITLE"),
        (
            *("XML_POLICY_ROW", "XML_WORKLOAD_ROW", "XML_SERVICE_CLASS_ROW", "XML_ABOUT_ROW", "XML_OTHER_NAME_ROW"),
            *("XML_VAR_ROW", "XML_APPL_ROW"),
        ),
        untitled=(("XML_CLASS_TITLE", _CLASS),),
    ),
    XmlRows(("XML_SUMMARY_HEAD",), SUMMARY_ROWS, order=SUMMARY),
    XmlRows(("XML_SYSTEMS_HEAD",), (SYSTEM_ROW,), order=SYSTEMS),
)


def in_xml(places: Mapping[str, tuple[Place, ...]], columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns, with what they are called in XML."""
    return tuple(dataclasses.replace(c, at=(*c.places, *places.get(c.name, ()))) for c in columns)
