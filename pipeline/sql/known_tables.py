"""Every table that a query may name: those that reading fills, and those of studies. Reading itself knows nothing of studies."""

from __future__ import annotations

from functools import cache

from ..declaration.bookkeeping import stored_tables
from ..declaration.report import Table
from ..declaration.study_tables import COMPUTED
from ..declaration.study_tables import TABLES as STUDIES


@cache
def tables() -> dict[str, Table]:
    """Every table of every report, of the bookkeeping and of studies, by name."""
    return stored_tables() | {t.name: t for t in (*STUDIES, *COMPUTED)}


@cache
def table_of(role: str) -> str:
    """The name of the table with a role."""
    (table,) = (one for one in tables().values() if one.role == role)
    return table.name
