"""Do buffer pools of Db2 find their pages?"""

from ..question import question

pools = question(
    """
    pools: Do buffer pools find their pages?
    view: buffer_pool_hour
    name: db2_group || ' ' || buffer_pool
    place: location
    where: getpages IS DISTINCT FROM 0
    order: location
    columns: hour_start, label "Group and buffer pool", hit_pct "Getpages without a read" .2, getpages_per_s .0,
        sync_io_per_s "Synchronous reads" .0, members
    chart: lines hit_pct
    is_lowest: yes
    finding: Least: {label}, {hit_pct:.1f}% of its getpages on {at}.
    unknown: Hit ratios are not known: prefetched pages are not printed.
    needs: getpages
    """
)
