"""Had coupling facilities storage left, and did caches reclaim directory entries?"""

from ..asked import Row
from ..question import question, say


def _fullest(rows: list[Row], worst: Row | None) -> str:
    known = [row["reclaims"] for row in rows if row["reclaims"] is not None]
    reclaimed = (
        "Reclaims are not known."
        if not known
        else f"{sum(known):,} reclaimed directory entries are printed."
        if sum(known)
        else "No reclaimed directory entry is printed."
    )
    return say(f"Fullest: {{label}}, {{used_pct:.1f}}% used on {{at}}. {reclaimed}", worst) if worst else ""


storage = question(
    """
    storage: Had coupling facilities storage left, and did caches reclaim?
    view: cf_storage_hour
    name: cf_name
    columns: hour_start, cf_name "Coupling facility", used_pct "Storage used" .1,
        largest_structure_pct .1, reclaims "Directory entries reclaimed",
        reclaim_invalidations "Pages that became invalid by it", gbp_invalidations "Those of group buffer pools", sysplex
    chart: lines used_pct, split sysplex, series cf_name
    note: A cache that has no directory entry left takes one that is in use: the page of a member becomes invalid.
    card: gbp_directory_reclaim_xi "reclaimed directory entries": Group buffer pools of {label}: {value} pages became invalid
        because directory entries were reclaimed on {at}
    """,
    finding=_fullest,
)
