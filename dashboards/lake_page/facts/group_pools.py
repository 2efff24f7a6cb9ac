"""Do group buffer pools of Db2 keep what is read again?"""

from ..asked import Row
from ..question import hours_with, question, say


def _least(rows: list[Row], worst: Row | None) -> str:
    failed = hours_with(rows, "failed_no_storage")
    before = f"{failed} with requests that failed for lack of storage. " if failed else ""
    if worst is None:
        return f"{before}No page was read again after a cross-invalidation, or the counts are not printed."
    least = "Least: {label} returned data for {xi_hit_pct:.0f}% of the reads after a cross-invalidation on {at}."
    return before + say(least, worst)


group_pools = question(
    """
    group_pools: Do group buffer pools keep what is read again?
    view: group_buffer_pool_hour
    name: db2_group || ' ' || gbp
    place: location
    where: reads_total + writes_total IS DISTINCT FROM 0
    order: location
    columns: hour_start, label "Group and group buffer pool", read_hit_pct "Reads that returned data" .1,
        xi_reads_pct "Reads after a cross-invalidation" .1,
        xi_hit_pct "Of the reads after one, those that returned data" .1, reads_total "Reads",
        writes_total "Pages written", castout_pages "Pages cast out", failed_no_storage "Failed for lack of storage",
        members
    chart: lines xi_hit_pct read_hit_pct
    is_lowest: yes
    needs: reads_total
    card: gbp_reads_failed_no_storage "group buffer pool failures": {label}: {failed_no_storage:#request} failed for
        lack of storage on {at}
    """,
    finding=_least,
)
