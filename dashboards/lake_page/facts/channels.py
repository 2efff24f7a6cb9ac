"""How busy were the channel paths?"""

from ..question import question

channels = question(
    """
    channels: How busy were the channel paths?
    view: channel_path_hour
    name: concat_ws('.', channel_subsystem, channel_path_id) || ' on ' || system
    columns: hour_start, label "Channel path and system that prints it", busy_pct "Busy, all partitions" .1,
        busy_max_pct "Busiest interval" .1, partition_busy_pct "Busy, this system" .1, bus_busy_pct .1, kind, system,
        sysplex
    chart: lines busy_pct partition_busy_pct
    finding: Busiest: {label}, {busy_pct:.1f}% on {at}.
    ranks: busy_pct
    most: channel path
    note: A path is printed by each system of the machine; its time busy is of all partitions.
    card: channel_busy_pct "channel path utilization": FICON channel path {label} was {value}% busy on {at}
    """
)
