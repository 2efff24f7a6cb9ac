"""How fast did structures of coupling facilities answer?"""

from ..question import question

structures = question(
    """
    structures: How fast did structures answer?
    view: cf_structure_hour
    name: cf_name || ' ' || structure_name
    label: structure
    where: requests > 0
    columns: hour_start, structure "Facility and structure", requests_per_s .0,
        sync_service_us "Synchronous service time" .1, async_service_us "Asynchronous service time" .1,
        changed_pct "Changed to asynchronous" .1, structure_type "Type", sysplex
    chart: lines sync_service_us async_service_us
    worst: requests_per_s
    finding: Most requests: {structure}, {requests_per_s:,.0f} per second on {at}.
    unknown: How many requests there were is not printed.
    note: All systems together, service times weighted by requests. Secondary copies are left out.
    """
)
