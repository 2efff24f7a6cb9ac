"""Where did requests queue on their way to a device, and how busy were the I/O processors that start them?"""

from ..contract import Chart, Column, Section
from .asked import Asked, highest, rows_of, with_label
from .columns import of_hours
from .conditions import of_rule
from .found import Found, format_hour
from .named_hours import BY_SYSTEM, labelled, most_of, told_hours

_QUEUES = """
SELECT *, CASE kind WHEN 'lcu' THEN 'LCU ' ELSE 'AMG ' END || unit || ' on ' || system AS name FROM io_queue_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_WAITING, _QUEUED = "channel_subsystem_requests", "delay_queue_length_avg"
_QUEUE_COLUMNS = of_hours(
    Column("label", "Control unit or group, and system", kind="text"),
    Column(_WAITING, "Waiting in the channel subsystem", "requests", 2),
    Column(_QUEUED, "Queued, all paths busy", "requests", 2),
    Column("contention_pct", "Put on that queue, of all", "%", 3),
    Column("channel_subsystem_delay_ms", "Channel subsystem delay", "ms", 2),
    Column("alias_wait_per_request", "Waits for an alias", "per request", 3),
    Column("control_unit_busy_pct", "Control unit busy", "%", 2),
    Column("director_busy_pct", "Director port busy", "%", 2),
    Column("io_per_s", "Requests", "1/s", 1),
)
_PROCESSORS = """
SELECT *, io_processor || ' on ' || system AS name FROM io_processor_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_PROCESSOR_COLUMNS = of_hours(
    Column("io_processor", "I/O processor", kind="text"),
    Column("busy_pct", "Busy", "%", 1),
    Column("busy_max_pct", "Busiest interval", "%", 1),
    Column("queue_length_avg", "On its queue", "requests", 2),
    Column("started_per_s", "Requests started", "1/s", 0),
    Column("interrupts_per_s", "Interrupts", "1/s", 0),
    Column("retries_per_request", "Retries", "per request", 2),
    Column("system_label", "System that prints it", kind="text"),
)


def queues(asked: Asked) -> Found:
    hours = labelled(asked, _QUEUES, _WAITING)
    if not len(hours):
        return Found()
    shown, note = most_of(hours, _WAITING, "control unit or group", "control units and groups")
    top = highest(shown.to_pylist(), _QUEUE_COLUMNS, _WAITING)
    section = Section(
        "queues",
        "Where did requests wait for a path or an alias?",
        f"Most: {top['label']}, {top[_WAITING]:.2f} requests waiting in the channel subsystem on {format_hour(top['hour_start'])}."
        if top and f"{top[_WAITING]:.2f}" != "0.00"
        else "Fewer than 0.01 requests waited in the channel subsystem anywhere.",
        Chart("lines", "hour_start", (_WAITING, _QUEUED), split="label"),
        rows_of(asked, shown, _QUEUE_COLUMNS),
        BY_SYSTEM,
        f"{note}Requests waiting are rate × channel subsystem delay. Logical control units are listed beside the alias management group (AMG) that they are in.",
    )
    waiting = of_rule(asked, "alias_waits", "alias_wait_per_request", "io_per_s")
    said, told = "{label}: {value} waits for an alias per request on {at}", ("waits for an alias", "queues")
    return Found((section,), told_hours(asked, hours.to_pylist(), waiting, _QUEUE_COLUMNS, said, told, decimals=2))


def io_processors(asked: Asked) -> Found:
    hours = labelled(asked, _PROCESSORS, "busy_pct")
    top = highest(hours.to_pylist(), _PROCESSOR_COLUMNS, "busy_pct")
    if not top:
        return Found()
    section = Section(
        "io_processors",
        "How busy were the I/O processors?",
        f"Busiest: I/O processor {top['label']}, {top['busy_pct']:.1f}% on {format_hour(top['hour_start'])}.",
        Chart("lines", "hour_start", "busy_pct", split="system_label", series="io_processor"),
        rows_of(asked, with_label(hours, "system", "system_label"), _PROCESSOR_COLUMNS),
        BY_SYSTEM,
        "The I/O processors of a machine serve all of its systems: each prints them.",
    )
    return Found((section,))
