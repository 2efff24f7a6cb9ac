"""How busy was the machine, what did partitions use of what their weight gives, and did ready work wait for a physical processor?"""

from typing import Any

from ..contract import Chart, Column, Section
from .asked import Asked, highest, rows_of
from .columns import of_hours
from .found import Found, format_hour
from .named_hours import BY_SYSTEM, at_least, beyond, labelled, limits, most_of, worst_hours

# The systems of a machine print the same of it: the one of most time is taken. Of processors that are all dedicated nobody waits for any.
_MACHINES = """
SELECT *, CAST(NULL AS VARCHAR) AS sysplex, coalesce('Machine ' || machine, 'Machine of ' || system) AS name,
    string_agg(system, ',') OVER (
        PARTITION BY name, processor_type, hour_start ORDER BY system ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    ) AS systems
FROM machine_hour
WHERE hour_start >= $from AND hour_start < $to AND shared_engines IS DISTINCT FROM 0
QUALIFY row_number() OVER (
    PARTITION BY name, processor_type, hour_start ORDER BY physical_busy_pct IS NULL, covered_s DESC, system
) = 1
ORDER BY name, processor_type, hour_start
"""
_MACHINE_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("label", "Machine", kind="text"),
    Column("processor_type", "Processors", kind="text"),
    Column("physical_busy_pct", "Physical processors busy", "%", 1),
    Column("physical_busy_max_pct", "Busiest interval", "%", 1),
    Column("physical_engines", "Physical processors", "engines", 1),
    Column("logical_per_physical", "Logical per shared one", decimals=2),
    Column("management_engines", "Used by PR/SM itself", "engines", 2),
    Column("systems", "Systems that print it", kind="text"),
)
_PARTITIONS = """
SELECT *, CAST(NULL AS VARCHAR) AS sysplex, partition || ' ' || processor_type AS name FROM partition_hour
WHERE hour_start >= $from AND hour_start < $to AND is_own AND dedicated IS NOT TRUE ORDER BY name, system, hour_start
"""
_PARTITION_COLUMNS = of_hours(
    Column("label", "Partition and processors", kind="text"),
    Column("used_engines", "Used", "engines", 2),
    Column("entitled_engines", "Entitled by weight", "engines", 2),
    Column("use_of_entitlement_pct", "Used of entitled", "%", 0),
    Column("capping_wlm_pct", "Capped by WLM", "% of the time", 1),
    Column("logical_processors", "Logical processors", "engines", 1),
    Column("weight_share_pct", "Weight, of all", "%", 1),
)
_DISPATCH = """
SELECT *, CAST(NULL AS VARCHAR) AS sysplex, system || ' ' || processor_type AS name FROM dispatch_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, hour_start
"""
_DISPATCH_COLUMNS = of_hours(
    Column("label", "System and processors", kind="text"),
    Column("ready_engines", "Ready (MVS busy)", "engines", 2),
    Column("busy_engines", "Dispatched (LPAR busy)", "engines", 2),
    Column("waiting_pct", "Waiting, of ready", "%", 1),
    Column("low_busy_engines", "On vertical low", "engines", 2),
    Column("engines_parked", "Parked", "engines", 2),
    Column("engines_online", "Online", "engines", 2),
)


def machines(asked: Asked) -> Found:
    hours = labelled(asked, _MACHINES, "physical_busy_pct")
    top = highest(hours.to_pylist(), _MACHINE_COLUMNS, "physical_busy_pct")
    if not top:
        return Found()
    section = Section(
        "machines",
        "How busy was the machine?",
        f"Busiest: {top['label']}, {top['physical_busy_pct']:.1f}% of {top['physical_engines']:.1f} {top['processor_type']} on {format_hour(top['hour_start'])}.",
        Chart("lines", "hour_start", "physical_busy_pct", split="label", series="processor_type"),
        rows_of(asked, hours, _MACHINE_COLUMNS),
        {"time": "hour_start", "system": "systems"},
        "All partitions of the machine and PR/SM itself. Every system of a machine prints the same of it.",
    )
    limit, _ = limits(asked)["machine_busy_pct"]
    busy = beyond(asked, _by_type(hours.to_pylist()), lambda row: (row["physical_busy_pct"] or 0) >= limit)
    said = "{label}: {physical_busy_pct:.1f}% of the physical processors busy on {at}; {hours} of {limit:g}% or more."
    told = ("physical processors busy", "machines")
    return Found((section,), worst_hours(asked, busy, _MACHINE_COLUMNS, "physical_busy_pct", said, told, limit=limit))


def _by_type(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row | {"label": f"{row['label']}, {row['processor_type']}"} for row in rows]


def partitions(asked: Asked) -> Found:
    hours = labelled(asked, _PARTITIONS, "used_engines")
    if not len(hours):
        return Found()
    shown, note = most_of(hours, "used_engines", "partition and type", "partitions and types")
    top = highest(shown.to_pylist(), _PARTITION_COLUMNS, "use_of_entitlement_pct")
    section = Section(
        "partitions",
        "Did partitions use more than their weight gives?",
        f"Most: {top['label']}, {top['use_of_entitlement_pct']:.0f}% of {top['entitled_engines']:.2f} engines on {format_hour(top['hour_start'])}."
        if top
        else "What weights give is not known.",
        Chart("lines", "hour_start", "used_engines", split="label", limit="entitled_engines"),
        rows_of(asked, shown, _PARTITION_COLUMNS),
        BY_SYSTEM,
        f"{note}Above its entitlement a partition has what others leave. Partitions that print no report of their own are not shown.",
    )
    known = hours.to_pylist()
    rules = limits(asked)
    (most, least_size), (capped, _) = rules["beyond_entitlement_pct"], rules["lpar_capped_pct"]
    used = beyond(asked, known, at_least("use_of_entitlement_pct", most, "beyond_entitlement_engines", least_size))
    held = beyond(asked, known, lambda row: (row["capping_wlm_pct"] or 0) > capped)
    over = (
        "{label} used {used_engines:.2f} engines on {at}, {use_of_entitlement_pct:.0f}% of the {entitled_engines:.2f} that its weight gives;"
        " {hours} of {limit:g}% or more."
    )
    told, size = ("use of entitlement", "partitions"), "beyond_entitlement_engines"
    most_used = worst_hours(
        asked, used, _PARTITION_COLUMNS, "use_of_entitlement_pct", over, told, size=size, limit=most
    )
    said = "{label}: WLM capped it {capping_wlm_pct:.1f}% of the time on {at}; {hours} with capping."
    told = ("capping by WLM", "partitions")
    return Found((section,), (*worst_hours(asked, held, _PARTITION_COLUMNS, "capping_wlm_pct", said, told), *most_used))


def dispatch(asked: Asked) -> Found:
    hours = labelled(asked, _DISPATCH, "ready_engines")
    if not len(hours):
        return Found()
    shown, note = most_of(hours, "ready_engines", "system and type", "systems and types")
    top = highest(shown.to_pylist(), _DISPATCH_COLUMNS, "waiting_pct")
    section = Section(
        "dispatch",
        "Did ready work wait for a physical processor?",
        f"Most: {top['label']}, {top['waiting_pct']:.1f}% of {top['ready_engines']:.2f} engines of ready work on {format_hour(top['hour_start'])}."
        if top and top["waiting_pct"] >= 0.05
        else "Less than 0.1% of the ready work waited."
        if top
        else "What was dispatched is not known.",
        Chart("lines", "hour_start", ("ready_engines", "busy_engines"), split="label"),
        rows_of(asked, shown, _DISPATCH_COLUMNS),
        BY_SYSTEM,
        f"{note}Ready work (MVS busy) that was not dispatched (LPAR busy) was held by other partitions or a cap. Where cores run two threads it is not known.",
    )
    limit, least_size = limits(asked)["waiting_pct"]
    waited = beyond(asked, hours.to_pylist(), at_least("waiting_pct", limit, "waiting_engines", least_size))
    said = (
        "{label}: {waiting_pct:.0f}% of the ready work waited for a physical processor on {at},"
        " {waiting_engines:.2f} of {ready_engines:.2f} engines; {hours} of {limit:g}% or more."
    )
    told = ("ready work that waited", "dispatch")
    found = worst_hours(
        asked, waited, _DISPATCH_COLUMNS, "waiting_pct", said, told, size="waiting_engines", limit=limit
    )
    return Found((section,), found)
