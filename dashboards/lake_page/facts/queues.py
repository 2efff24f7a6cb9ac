"""Where did requests queue on their way to a device?"""

from ..question import question

queues = question(
    """
    queues: Where did requests wait for a path or an alias?
    view: io_queue_hour
    name: CASE kind WHEN 'lcu' THEN 'LCU ' ELSE 'AMG ' END || unit || ' on ' || system
    columns: hour_start, label "Control unit or group, and system",
        channel_subsystem_requests "Waiting in the channel subsystem" [requests] .2,
        delay_queue_length_avg "Queued, all paths busy" [requests] .2, contention_pct "Put on that queue, of all" .3,
        channel_subsystem_delay_ms .2, alias_wait_per_request "Waits for an alias" [per request] .3,
        control_unit_busy_pct .2, director_busy_pct "Director port busy" .2, io_per_s "Requests" .1, system, sysplex
    chart: lines channel_subsystem_requests delay_queue_length_avg
    finding: Most: {label}, {channel_subsystem_requests:.2f} requests waiting in the channel subsystem on {at}.
    least: 0.005
    none: Fewer than 0.01 requests waited in the channel subsystem anywhere.
    ranks: channel_subsystem_requests
    most: control unit or group, control units and groups
    note: Requests waiting are rate × channel subsystem delay. Logical control units are listed beside the alias
        management group (AMG) that they are in.
    card: alias_waits "waits for an alias" .2: {label}: {value} waits for an alias per request on {at}
    """
)
