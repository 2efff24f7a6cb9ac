"""Unique names: two sysplexes may have systems, classes and structures of one name, and two machines partitions."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any


def told_apart(names: Sequence[str], places: Sequence[str | None], times: Sequence[Any] | None = None) -> list[str]:
    """Each name, followed by its place where several places have it. With `times`: where several have it at one time,
    so that something that moved keeps its name.

    >>> told_apart(["CF01", "CF01", "CF02"], ["PLEX1", "PLEX2", "PLEX1"])
    ['CF01 on PLEX1', 'CF01 on PLEX2', 'CF02']
    >>> told_apart(["LPAR1", "LPAR1"], ["OLD", "NEW"], times=[1, 2])
    ['LPAR1', 'LPAR1']
    """
    found: dict[Any, set[str | None]] = defaultdict(set)
    for key, place in zip(zip(names, times or [None] * len(names), strict=True), places, strict=True):
        found[key].add(place)
    several = {name for (name, _), of_name in found.items() if len(of_name) > 1}
    return [
        f"{name} on {place}" if name in several and place else name for name, place in zip(names, places, strict=True)
    ]
