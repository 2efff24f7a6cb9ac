"""Did synchronous requests to coupling facilities take longer than their links let expect?"""

from ..question import question

link_service = question(
    """
    link_service: Did synchronous requests take longer than their links let expect?
    view: cf_link_hour
    name: cf_name || ' from ' || system
    columns: hour_start, label "Facility and system", sync_service_us "Synchronous service time" .1,
        reference_us "Expected of the links" .1, of_reference_pct "Of what is expected" .0,
        sync_engines "Engines that wait" .2, sync_share_pct "Synchronous" [% of requests] .1,
        async_service_us "Asynchronous service time" .1, link_types "Links", system, sysplex
    chart: lines sync_service_us, reference reference_us
    worst: of_reference_pct
    finding: Most: {label}, {sync_service_us:.1f} µs where {reference_us:.1f} are expected on {at}.
    unknown: What their links let expect is not known.
    ranks: sync_service_us
    most: facility and system, facilities and systems
    note: References are for small requests to dedicated processors, by type of link and distance (view
        cf_service_reference).
    card: cf_of_reference_pct "synchronous service time beside its reference": {label}: synchronous requests took
        {sync_service_us:.1f} µs on {at}, {value}% of the reference of {reference_us:.1f} µs
    """
)
