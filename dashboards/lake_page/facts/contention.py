"""How often did locks of coupling facilities wait?"""

from ..question import question

contention = question(
    """
    contention: How often did locks wait?
    view: cf_structure_hour
    name: cf_name || ' ' || structure_name
    label: structure
    where: requests > 0 AND contention_requests > 0
    columns: hour_start, structure "Facility and structure", contention_pct .2, false_contention_pct .2,
        contention_requests "Lock requests", sysplex
    chart: lines contention_pct false_contention_pct
    finding: Most: {structure}, {contention_pct:.2f}% of its lock requests on {at}.
    unknown: Contention is not printed.
    card: contention_pct "lock contention" .1: {structure}: {value}% of the lock requests waited on {at}
    """
)
