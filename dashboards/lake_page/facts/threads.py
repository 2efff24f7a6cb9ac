"""Are threads of CICS to Db2 used again? Regions of one name cannot be told apart: their place is not printed."""

from ....pipeline.words import counted
from ..asked import Row
from ..question import hours_with, question, say


def _waited(rows: list[Row], worst: Row | None) -> str:
    failed = hours_with(rows, "thread_waits_or_overflows")
    said = (
        f"{failed} in which requests waited for a thread or used the pool."
        if failed
        else f"No request waited for a thread or used the pool{', as far as is known' if _unknown(rows) else ''}."
    )
    return said + (say(" Least used again: {label}, {thread_reuse_pct:.2f}% on {at}.", worst) if worst else "")


def _note(rows: list[Row]) -> str:
    hours = counted(_unknown(rows), "hour")
    words = f"{hours} of a region and DB2ENTRY unknown: printed with two values, or regions of one name overlap."
    return words if _unknown(rows) else ""


def _unknown(rows: list[Row]) -> int:
    return sum(row["thread_waits_or_overflows"] is None for row in rows)


threads = question(
    """
    threads: Are threads to Db2 used again?
    view: db2entry_hour
    name: applid || ' ' || db2entry
    place:
    where: calls IS DISTINCT FROM 0
    order: applid
    columns: hour_start, label "Region and DB2ENTRY", thread_reuse_pct "Threads used again" .2,
        thread_waits_or_overflows "Waited for a thread, or used the pool", calls_per_s .0,
        thread_creates "Threads created"
    chart: lines thread_reuse_pct
    is_lowest: yes
    needs: calls
    card: db2entry_waits "waits for threads": {label}: {thread_waits_or_overflows:#request} waited for a thread or
        used the pool on {at}
    """,
    finding=_waited,
    note=_note,
)
