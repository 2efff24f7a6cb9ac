"""How busy were the I/O processors that start requests?"""

from ..question import question

io_processors = question(
    """
    io_processors: How busy were the I/O processors?
    view: io_processor_hour
    name: io_processor || ' on ' || system
    apart: system
    columns: hour_start, io_processor "I/O processor", busy_pct .1, busy_max_pct "Busiest interval" .1,
        queue_length_avg "On its queue" [requests] .2, started_per_s "Requests started" .0, interrupts_per_s .0,
        retries_per_request "Retries" [per request] .2, system_label "System that prints it", system, sysplex
    chart: lines busy_pct, split system_label, series io_processor
    finding: Busiest: I/O processor {label}, {busy_pct:.1f}% on {at}.
    ranks: busy_pct
    note: The I/O processors of a machine serve all of its systems: each prints them.
    """
)
