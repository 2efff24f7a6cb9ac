"""Did requests wait for a subchannel, did synchronous ones take longer than their links let expect, and had facilities storage left?"""

from typing import Any

from ..contract import Chart, Column, Section
from .asked import Asked, highest, highest_known, rows_of, with_label
from .columns import of_hours
from .conditions import of_rule
from .found import Found, format_hour
from .named_hours import BY_PLEX, BY_SYSTEM, known_rows, labelled, most_of, told_hours

_LINKS = """
SELECT *, cf_name || ' from ' || system AS name FROM cf_link_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_LINK_COLUMNS = of_hours(
    Column("label", "Facility and system", kind="text"),
    Column("subchannel_busy_pct", "Subchannels busy", "%", 2),
    Column("delayed_pct", "Requests delayed", "%", 2),
    Column("path_busy_pct", "Found the path busy", "%", 3),
    Column("changed_pct", "Changed to asynchronous", "%", 2),
    Column("requests_per_s", "Requests", "1/s", 0),
    Column("link_types", "Links", kind="text"),
)
_SERVICE_COLUMNS = of_hours(
    Column("label", "Facility and system", kind="text"),
    Column("sync_service_us", "Synchronous service time", "µs", 1),
    Column("reference_us", "Expected of the links", "µs", 1),
    Column("of_reference_pct", "Of what is expected", "%", 0),
    Column("sync_engines", "Engines that wait", "engines", 2),
    Column("sync_share_pct", "Synchronous", "% of requests", 1),
    Column("async_service_us", "Asynchronous service time", "µs", 1),
    Column("link_types", "Links", kind="text"),
)
_STORAGE = (
    "SELECT * FROM cf_storage_hour WHERE hour_start >= $from AND hour_start < $to ORDER BY sysplex, cf_name, hour_start"
)
_STORAGE_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("cf_name", "Coupling facility", kind="text"),
    Column("used_pct", "Storage used", "%", 1),
    Column("largest_structure_pct", "Largest structure", "%", 1),
    Column("reclaims", "Directory entries reclaimed"),
    Column("reclaim_invalidations", "Pages that became invalid by it"),
    Column("sysplex", "Sysplex", kind="text"),
)


def links(asked: Asked) -> Found:
    hours = labelled(asked, _LINKS, "subchannel_busy_pct")
    if not len(hours):
        return Found()
    shown, note = most_of(hours, "subchannel_busy_pct", "facility and system", "facilities and systems")
    top = highest_known(known_rows(shown, "subchannel_busy_pct"), _LINK_COLUMNS, "subchannel_busy_pct")
    section = Section(
        "links",
        "Did requests to coupling facilities wait for a subchannel?",
        f"Busiest subchannels: {top['label']}, {top['subchannel_busy_pct']:.2f}% on {format_hour(top['hour_start'])}.",
        Chart("lines", "hour_start", ("subchannel_busy_pct", "delayed_pct"), split="label"),
        rows_of(asked, shown, _LINK_COLUMNS),
        BY_SYSTEM,
        f"{note}A request occupies a subchannel until it is answered.",
    )
    known = hours.to_pylist()
    busy = of_rule(asked, "cf_subchannel_busy_pct", "subchannel_busy_pct", "requests_per_s")
    said, told = "{label}: {value}% of the subchannels busy on {at}", ("coupling facility subchannels busy", "links")
    of_busy = told_hours(asked, known, busy, _LINK_COLUMNS, said, told)
    delayed = of_rule(asked, "cf_delayed_pct", "delayed_pct", "requests_per_s")
    said, told = "{label}: {value}% of the requests delayed on {at}", ("coupling facility requests delayed", "links")
    return Found((section,), (*of_busy, *told_hours(asked, known, delayed, _LINK_COLUMNS, said, told)))


def link_service(asked: Asked) -> Found:
    hours = labelled(asked, _LINKS, "sync_service_us")
    if not len(hours):
        return Found()
    rows = hours.to_pylist()
    top = highest(rows, _SERVICE_COLUMNS, "of_reference_pct")
    shown, note = most_of(hours, "sync_service_us", "facility and system", "facilities and systems", top)
    section = Section(
        "link_service",
        "Did synchronous requests take longer than their links let expect?",
        f"Most: {top['label']}, {top['sync_service_us']:.1f} µs where {top['reference_us']:.1f} are expected on {format_hour(top['hour_start'])}."
        if top
        else "What their links let expect is not known.",
        Chart("lines", "hour_start", "sync_service_us", split="label", reference="reference_us"),
        rows_of(asked, shown, _SERVICE_COLUMNS),
        BY_SYSTEM,
        f"{note}References are for small requests to dedicated processors, by type of link and distance (view cf_service_reference).",
    )
    slow = of_rule(asked, "cf_of_reference_pct", "of_reference_pct", "sync_engines")
    said = "{label}: synchronous requests took {sync_service_us:.1f} µs on {at}, {value}% of the reference of {reference_us:.1f} µs"
    told = ("synchronous service time beside its reference", "link_service")
    return Found((section,), told_hours(asked, rows, slow, _SERVICE_COLUMNS, said, told))


def storage(asked: Asked) -> Found:
    hours = with_label(asked.ask(_STORAGE), "cf_name", "label")
    top = highest(hours.to_pylist(), _STORAGE_COLUMNS, "used_pct")
    if not top:
        return Found()
    rows = [row | {"system": None} for row in hours.to_pylist()]
    section = Section(
        "storage",
        "Had coupling facilities storage left, and did caches reclaim?",
        f"Fullest: {top['label']}, {top['used_pct']:.1f}% used on {format_hour(top['hour_start'])}. {_reclaimed(rows)}",
        Chart("lines", "hour_start", "used_pct", split="sysplex", series="cf_name"),
        rows_of(asked, hours, _STORAGE_COLUMNS),
        BY_PLEX,
        "A cache that has no directory entry left takes one that is in use: the page of a member becomes invalid.",
    )
    reclaimed = of_rule(asked, "gbp_directory_reclaim_xi", "reclaim_invalidations")
    said = "Caches of {label}: {value} pages became invalid because directory entries were reclaimed on {at}"
    told = ("reclaimed directory entries", "storage")
    return Found((section,), told_hours(asked, rows, reclaimed, _STORAGE_COLUMNS, said, told))


def _reclaimed(rows: list[dict[str, Any]]) -> str:
    known = [row["reclaims"] for row in rows if row["reclaims"] is not None]
    if not known:
        return "Reclaims are not known."
    reclaimed = sum(known)
    return (
        f"{reclaimed:,} reclaimed directory entries are printed."
        if reclaimed
        else "No reclaimed directory entry is printed."
    )
