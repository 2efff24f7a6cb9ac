"""How busy was the machine? The systems of a machine print the same of it: the one with most time is taken. Where all
processors are dedicated, nobody waits for one."""

from ..question import question

machines = question(
    """
    machines: How busy was the machine?
    view: machine_hour
    name: coalesce('Machine ' || machine, 'Machine of ' || system)
    also: string_agg(system, ',') OVER ( PARTITION BY name, processor_type, hour_start ORDER BY system ROWS BETWEEN
        UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING ) AS systems
    where: shared_engines IS DISTINCT FROM 0 QUALIFY row_number() OVER (PARTITION BY name, processor_type, hour_start
        ORDER BY physical_busy_pct IS NULL, covered_s DESC, system) = 1
    order: processor_type
    columns: hour_start, label "Machine", processor_type "Processors",
        physical_busy_pct "Physical processors busy" .1, physical_busy_max_pct "Busiest interval" .1,
        physical_engines "Physical processors" .1, logical_per_physical "Logical per shared one" .2,
        management_engines "Used by PR/SM itself" .2, systems "Systems that print it"
    chart: lines physical_busy_pct, series processor_type
    finding: Busiest: {label}, {physical_busy_pct:.1f}% of {physical_engines:.1f} {processor_type} on {at}.
    ranks: physical_busy_pct
    note: All partitions of the machine and PR/SM itself. Every system of a machine prints the same of it.
    card: machine_busy_pct "physical processors busy" .1: {label}, {processor_type}: {value}% of the physical
        processors busy on {at}
    """
)
