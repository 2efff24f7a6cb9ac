"""Did requests to coupling facilities wait for a subchannel?"""

from ..question import question

links = question(
    """
    links: Did requests to coupling facilities wait for a subchannel?
    view: cf_link_hour
    name: cf_name || ' from ' || system
    columns: hour_start, label "Facility and system", subchannel_busy_pct "Subchannels busy" .2,
        delayed_pct "Requests delayed" .2, path_busy_pct "Found the path busy" .3,
        changed_pct "Changed to asynchronous" .2, requests_per_s .0, link_types "Links", system, sysplex
    chart: lines subchannel_busy_pct delayed_pct
    finding: Busiest subchannels: {label}, {subchannel_busy_pct:.2f}% on {at}.
    ranks: subchannel_busy_pct
    most: facility and system, facilities and systems
    note: A request occupies a subchannel until it is answered.
    card: cf_subchannel_busy_pct "coupling facility subchannels busy": {label}: {value}% of the subchannels busy on
        {at}
    card: cf_delayed_pct "coupling facility requests delayed": {label}: {value}% of the requests delayed on {at}
    """
)
