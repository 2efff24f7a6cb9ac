"""How busy was the machine, what did partitions use of what their weight gives, and did ready work wait for a physical processor?"""

from ..contract import Chart, Column, Section
from .asked import Asked, highest, rows_of
from .columns import of_hours
from .conditions import of_rule
from .found import Found, format_hour
from .named_hours import BY_SYSTEM, labelled, most_of, told_hours

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
    said, told = "{label}: {value}% of the physical processors busy on {at}", ("physical processors busy", "machines")
    busy = of_rule(asked, "machine_busy_pct", "physical_busy_pct")
    rows = [row | {"label": f"{row['label']}, {row['processor_type']}"} for row in hours.to_pylist()]
    return Found((section,), told_hours(asked, rows, busy, _MACHINE_COLUMNS, said, told, decimals=1))


def partitions(asked: Asked) -> Found:
    hours = labelled(asked, _PARTITIONS, "used_engines")
    if not len(hours):
        return Found()
    known = hours.to_pylist()
    top = highest(known, _PARTITION_COLUMNS, "use_of_entitlement_pct")
    shown, note = most_of(hours, "used_engines", "partition and type", "partitions and types", top)
    section = Section(
        "partitions",
        "Did partitions use more than their weight gives?",
        f"Most: {top['label']}, {top['use_of_entitlement_pct']:.0f}% of {top['entitled_engines']:.2f} engines on {format_hour(top['hour_start'])}."
        if top
        else "What weights give is not known.",
        Chart("lines", "hour_start", "used_engines", split="label", reference="entitled_engines"),
        rows_of(asked, shown, _PARTITION_COLUMNS),
        BY_SYSTEM,
        f"{note}Above its entitlement a partition has what others leave. Partitions that print no report of their own are not shown.",
    )
    size = "beyond_entitlement_engines"
    over = of_rule(asked, "beyond_entitlement_pct", "use_of_entitlement_pct", size)
    said = (
        "{label} used {used_engines:.2f} engines on {at}, {value}% of the {entitled_engines:.2f} that its weight gives"
    )
    told = ("use of entitlement", "partitions")
    used = told_hours(asked, known, over, _PARTITION_COLUMNS, said, told, size=size)
    capped = of_rule(asked, "lpar_capped_pct", "capping_wlm_pct")
    said, told = "{label}: WLM capped it {value}% of the time on {at}", ("capping by WLM", "partitions")
    return Found((section,), (*told_hours(asked, known, capped, _PARTITION_COLUMNS, said, told, decimals=1), *used))


def dispatch(asked: Asked) -> Found:
    hours = labelled(asked, _DISPATCH, "ready_engines")
    if not len(hours):
        return Found()
    rows = hours.to_pylist()
    top = highest(rows, _DISPATCH_COLUMNS, "waiting_pct")
    shown, note = most_of(hours, "ready_engines", "system and type", "systems and types", top)
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
    waiting = of_rule(asked, "waiting_pct", "waiting_pct", "waiting_engines")
    said = (
        "{label}: {value}% of the ready work waited for a physical processor on {at},"
        " {waiting_engines:.2f} of {ready_engines:.2f} engines"
    )
    told = ("ready work that waited", "dispatch")
    return Found((section,), told_hours(asked, rows, waiting, _DISPATCH_COLUMNS, said, told, size="waiting_engines"))
