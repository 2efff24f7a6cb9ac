"""Did partitions use more than their weight gives, and were they capped?"""

from ..question import question

partitions = question(
    """
    partitions: Did partitions use more than their weight gives?
    view: partition_hour
    name: partition || ' ' || processor_type
    where: is_own AND dedicated IS NOT TRUE
    order: system
    columns: hour_start, label "Partition and processors", used_engines .2, entitled_engines "Entitled by weight" .2,
        use_of_entitlement_pct "Used of entitled" .0, capping_wlm_pct "Capped by WLM" [% of the time] .1,
        logical_processors [engines] .1, weight_share_pct "Weight, of all" .1, system, sysplex
    chart: lines used_engines, reference entitled_engines
    worst: use_of_entitlement_pct
    finding: Most: {label}, {use_of_entitlement_pct:.0f}% of {entitled_engines:.2f} engines on {at}.
    unknown: What weights give is not known.
    ranks: used_engines
    most: partition and type, partitions and types
    note: Above its entitlement a partition has what others leave. Partitions that print no report of their own are
        not shown.
    card: lpar_capped_pct "capping by WLM" .1: {label}: WLM capped it {value}% of the time on {at}
    card: beyond_entitlement_pct "use of entitlement" by size: {label} used {used_engines:.2f} engines on {at},
        {value}% of the {entitled_engines:.2f} that its weight gives
    """
)
