"""Units and descriptions of the columns of views."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from .known_tables import tables
from .view_files import View


def view_schema(view: View, found: pa.Schema) -> pa.Schema:
    """The schema of a view with unit and description of every column."""
    fields = []
    for field in found:
        said = view.columns.get(field.name)
        meta = {"unit": view_unit(view, field.name), "description": said.doc if said else ""}
        fields.append(field.with_metadata({k: v for k, v in meta.items() if v}))
    return pa.schema(fields)


def view_unit(view: View, column: str) -> str:
    """The unit of a view's column from its header; one that the header gives no unit has that of the declared columns of
    its name, where these agree."""
    if (said := view.columns.get(column)) and said.unit:
        return said.unit
    return _declared_units().get(column, "")


@cache
def _declared_units() -> dict[str, str]:
    units: dict[str, set[str]] = {}
    for table in tables().values():
        for column in table.all_columns:
            units.setdefault(column.name, set()).add(column.type.unit)
    return {name: some.pop() for name, some in units.items() if len(some) == 1}
