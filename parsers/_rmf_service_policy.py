"""Workload Activity: the page of the service policy, its systems and resource groups."""

from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Field, Under
from ..pipeline.declaration.report import Column, Table, hours_minutes_seconds, number, percent, storage, text
from . import _rmf_workload_xml as xml
from . import _smf_workload as smf
from ._rmf_workload_class import columns_of_page
from ._rmf_workload_rules import KEY
from ._smf import in_records


def _definition(line: str, pattern: str) -> Field:
    return Field(line, pattern, follows=True)


_OPTION_LINES = ("POLICY_OPTION_ROW", "POLICY_OTHER_ROW")


def _option(name: str, label: str, doc: str) -> Column:
    at = _definition("POLICY_OPTION_ROW", rf"{label}: *(YES|NO)(?: |$)")
    return Column(name, text(), at, f"{doc} YES or NO.", allowed=("YES", "NO"))


def _coefficient(title: str, group: str) -> tuple[Under, ...]:
    return tuple(Under(title, group, line=line, reach="below") for line in _OPTION_LINES)


_TITLE_BESIDE = r" {2,}-.*| {4,}(?:SERVICE|NORM).*"
_FACTORS, _COEFFICIENTS = "NORM FACTORS", "SERVICE DEFINITION COEFFICIENTS"

# fmt: off
POLICY = Table(
    "rmf_service_policy",
    grain="one row per service policy page",
    rows=("POLICY_RULE", xml.POLICY_TITLE),
    key=KEY[:6],
    filled_together=(("norm_factor_aap", "norm_factor_iip"),),
    covers=False,
    columns=in_records(smf.POLICY, xml.in_xml(xml.POLICY, (
        *columns_of_page(xml_rows=(xml.POLICY_TITLE,), in_smf=True),
        Column("service_definition", text(), _definition("DEFINITION", r"SERVICE DEFINITION: {0,3}(\S+)(?: {2}|$)"), "Name.", filled=True),
        Column(
            "service_definition_description",
            text(),
            _definition("DEFINITION", rf"SERVICE DEFINITION: {{0,3}}\S+ {{2,10}}(\S.{{0,31}}?)(?:{_TITLE_BESIDE}| *)$"),
            "Its description.",
        ),
        Column(
            "installed_at_printed",
            text(),
            _definition("INSTALL", r"INSTALL DATE: *(\S+ +[0-9.:]+)(?: |$)"),
            "Installation date and time, as printed.",
        ),
        Column("installed_by", text(), _definition("INSTALL", r"INSTALLED BY: {0,3}(\S+)"), "Who installed it."),
        Column("policy", text(), _definition("POLICY_NAME", r"POLICY: {0,3}(\S+)(?: {2}|$)"), "Service policy.", filled=True),
        Column("policy_description", text(), _definition("POLICY_NAME", r"POLICY: {0,3}\S+ {2,}(\S.*?) *$"), "Its description."),
        _option("io_priority_management", "I/O PRIORITY MANAGEMENT", "Whether I/O priorities follow goals."),
        _option("dynamic_alias_management", "DYNAMIC ALIAS MANAGEMENT", "Whether PAV aliases are moved to meet goals."),
        _option(
            "discretionary_goal_management",
            "DISCRETIONARY GOAL MANAGEMENT",
            "Whether overachieving work gives processor time to discretionary work; NULL if not printed.",
        ),
        Column("norm_factor_aap", number(), _coefficient("AAP", _FACTORS), "Normalisation factor of zAAP time.", decimals=4),
        Column("norm_factor_iip", number(), _coefficient("IIP", _FACTORS), "Normalisation factor of zIIP time.", decimals=4),
        Column("coefficient_ioc", number(), _coefficient("IOC", _COEFFICIENTS), "Coefficient of I/O service.", decimals=1),
        Column("coefficient_cpu", number(), _coefficient("CPU", _COEFFICIENTS), "Coefficient of CPU service.", decimals=1),
        Column("coefficient_srb", number(), _coefficient("SRB", _COEFFICIENTS), "Coefficient of SRB service.", decimals=1),
        Column("coefficient_mso", number(), _coefficient("MSO", _COEFFICIENTS), "Coefficient of storage service.", decimals=4),
    ))),
)
# fmt: on

# fmt: off
POLICY_SYSTEM = Table(
    "rmf_service_policy_system",
    grain="one row per system of a service policy page",
    rows=("POLICY_SYSTEM_ROW", xml.SYSTEM_ROW),
    key=(*KEY[:6], "system"),
    filled_together=(("su_per_s", "capacity_pct", "system_time", "system_interval_s"),),
    covers=False,
    columns=in_records(smf.POLICY_SYSTEM, xml.in_xml(xml.POLICY_SYSTEM, (
        *columns_of_page(Under("ID"), (xml.SYSTEM_ROW,), True),
        Column("opt", text(), Under("OPT"), "Suffix of the OPT member."),
        Column("su_per_s", number("service units/s"), Under("SU/SEC"), "Service units per second of one engine.", decimals=1, filled=True),
        Column("capacity_pct", percent(None), Under("CAP%"), "Current capacity relative to the rated capacity: above 100 during a boost.", filled=True),
        Column("system_time", text(), Under("TIME"), "Start of the system's interval, hh.mm.ss as printed."),
        Column("system_interval_s", hours_minutes_seconds(), Under("INTERVAL"), "Length of the system's interval."),
        Column("boost", text(), Under("BOOST", pattern=r"^([^0-9].*)$"), "Boost within the interval."),
    ))),
)
# fmt: on


def _resource(*pairs: tuple[str, str]) -> tuple[Under, ...]:
    return tuple(Under(title, group) for title, group in pairs)


_CLASS_OF_GROUP = r"^(?:-+(?:SERVICE|REPORT) CLASSES *)?(\S+)$"

# fmt: off
RESOURCE_GROUP = Table(
    "rmf_resource_group",
    grain="one row per printed line of RESOURCE GROUPS: the group, a system of it, or a class of it",
    rows=("RESOURCE_GROUP_ROW", "RESOURCE_MEMBER_ROW"),
    blank_on=(
        ("RESOURCE_GROUP_ROW", ("memory_usage_bytes",)),
        ("RESOURCE_MEMBER_ROW", ("capacity_min", "capacity_max", "capacity_unit", "memory_limit")),
    ),
    filled_together=(("cpus", "su_per_s"),),
    order=("system", "class_name"),
    covers=False,
    columns=(
        *columns_of_page(_resource(("SYSTEM", ""))),
        Column("resource_group", text(), Under("NAME", pattern=r"^(\S+)$", line="RESOURCE_GROUP_ROW", reach="above", width=8), "Resource group."),
        Column("description", text(), Under("DESCRIPTION", line="RESOURCE_GROUP_ROW", reach="above"), "Its description."),
        Column(
            "class_name",
            text(),
            (Under("CLASS", "SERVICE", width=8), Under("DESCRIPTION", pattern=_CLASS_OF_GROUP, line="RESOURCE_MEMBER_ROW")),
            "Service or report class of the group.",
        ),
        Column("cpus", number(), Under("#CPS", "CPU CONSUMPTION"), "Engines used.", decimals=2),
        Column("msu", number("MSU"), Under("MSU", "CPU CONSUMPTION"), "MSU used."),
        Column(
            "su_per_s",
            number("service units/s"),
            (Under("SU/SEC", "CPU CONSUMPTION"), Under("ACTUAL SUs CONSUMED")),
            "Service units used per second.",
            resolution=True,
        ),
        Column("capacity_min", number(), Under("MIN"), "Minimum, in units of capacity_unit.", suffixed=True),
        Column("capacity_max", number(), Under("MAX"), "Maximum, in units of capacity_unit.", decimals=2, suffixed=True),
        Column("capacity_unit", text(), Under("DEFINED AS", pattern=r"^([A-Z]\S*(?: \S+)*)$", width=14), "What minimum and maximum count."),
        Column("memory_usage_bytes", storage(), Under("USAGE", "MEMORY", r"^(\S*[KMG]|0)$"), "Memory used."),
        Column("memory_limit", text(), Under("LIMIT", "MEMORY", r"^(\S+(?: +\*)?)$"), "Memory limit as printed (its unit differs by release)."),
    ),
    # It declares no key: its members have names that may be missing.
    once=Once(
        "description cpus msu su_per_s su_per_s_resolution capacity_min capacity_max capacity_unit memory_usage_bytes memory_limit",
        more="sysplex scope report_kind interval_start interval_end policy_activated_at resource_group system class_name",
        where="resource_group IS NOT NULL",
        most="interval_s",
        or_null=True,
    ),
)
# fmt: on
