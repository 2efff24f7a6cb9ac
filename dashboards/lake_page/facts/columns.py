"""Columns that many sections have, and what the page filters them by."""

from ..contract import Column, Filter

OF_CLASS = (
    Column("workload", "Workload", kind="text"),
    Column("sysplex", "Sysplex", kind="text"),
    Column("scope", "Systems", kind="text"),
)


def of_hours(*columns: Column) -> tuple[Column, ...]:
    """Columns of the hours of something of a system."""
    place = Column("system", "System", kind="text"), Column("sysplex", "Sysplex", kind="text")
    return Column("hour_start", "Hour", kind="time"), *columns, *place


def by_class(name: str, time: str = "") -> dict[Filter, str]:
    """Filters of rows of classes by the columns that have the name of the class and the time."""
    found: dict[Filter, str] = {"sysplex": "sysplex", "system": "scope", "workload": "workload", "class": name}
    if time:
        found["time"] = time
    return found
