"""Did ready work wait for a physical processor?"""

from ..question import question

dispatch = question(
    """
    dispatch: Did ready work wait for a physical processor?
    view: dispatch_hour
    name: system || ' ' || processor_type
    order: system
    columns: hour_start, label "System and processors", ready_engines "Ready (MVS busy)" .2,
        busy_engines "Dispatched (LPAR busy)" .2, waiting_pct "Waiting, of ready" .1,
        low_busy_engines "On vertical low" .2, engines_parked "Parked" [engines] .2,
        engines_online "Online" [engines] .2, system, sysplex
    chart: lines ready_engines busy_engines
    worst: waiting_pct
    finding: Most: {label}, {waiting_pct:.1f}% of {ready_engines:.2f} engines of ready work on {at}.
    unknown: What was dispatched is not known.
    least: 0.05
    none: Less than 0.1% of the ready work waited.
    ranks: ready_engines
    most: system and type, systems and types
    note: Ready work (MVS busy) that was not dispatched (LPAR busy) was held by other partitions or a cap. Where cores
        run two threads it is not known.
    card: waiting_pct "ready work that waited" by size: {label}: {value}% of the ready work waited for a physical
        processor on {at}, {waiting_engines:.2f} of {ready_engines:.2f} engines
    """
)
