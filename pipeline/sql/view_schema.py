"""Units and descriptions of the columns of views."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pyarrow as pa

from ..declaration.columns import Meaning, shared, unit_of_ending
from .known_tables import tables
from .names import names_in_view
from .once_views import ASKED_OFTEN
from .view_files import View, views


def view_schema(view: View, found: pa.Schema) -> pa.Schema:
    """The schema of a view with unit and description of every column."""
    fields = []
    for field in found:
        meta = {"unit": view_unit(view, field.name), "description": meaning(view, field.name).doc}
        fields.append(field.with_metadata({k: v for k, v in meta.items() if v}))
    return pa.schema(fields)


def meaning(view: View, column: str) -> Meaning:
    """What a column of a view means: as its header says; else as in all views that share it; else by the formula in the header; else as in
    what the view reads. Empty where these say different things."""
    if not (own := view.columns.get(column)):
        return inherited(view, column)
    # "see above; NULL without commits": above is the formula.
    return replace(own, doc=own.doc.replace("see above", view.formulas.get(column, "see above")))


def inherited(view: View, column: str) -> Meaning:
    """The same without the lines of its own."""
    if column in shared():
        return shared()[column]
    found = _below(view.name, column)
    below = next(iter(found)) if len(found) == 1 else Meaning("", "")
    return Meaning(below.unit, view.formulas.get(column, below.doc))


def view_unit(view: View, column: str) -> str:
    """The unit of a view's column. One that its header gives none has that which the name has elsewhere, or ends with."""
    if (said := view.columns.get(column)) and said.unit:
        return said.unit
    return inherited(view, column).unit or _declared_units().get(column) or unit_of_ending(column)


@cache
def _below(view: str, column: str) -> frozenset[Meaning]:
    """What the tables and views that a view reads say of a column."""
    found: set[Meaning] = set()
    # What counts once of a table has the columns of the table, whatever else it reads.
    once = view.removeprefix("once_")
    for name in [once] if once != view and once in tables() else read_by(view):
        if name in ASKED_OFTEN:
            # It says which rows count, and gives no column.
            continue
        if name not in tables():
            below = views()[name]
            if column in below.columns or column in below.formulas:
                doc = meaning(below, column).doc.replace("see above", f"as in {name}")
                found.add(Meaning(view_unit(below, column), doc))
            else:
                found |= _below(name, column)
        elif column in (of_table := tables()[name]).schema.names:
            declared = of_table.column(column)
            found.add(Meaning(declared.type.unit, declared.description.removesuffix(".")))
    return frozenset(found)


@cache
def read_by(view: str) -> list[str]:
    """The tables and views that a view reads."""
    return names_in_view(views()[view].sql, _names())


@cache
def _names() -> dict[str, str]:
    return {name: name for name in (*tables(), *views())}


@cache
def _declared_units() -> dict[str, str]:
    units: dict[str, set[str]] = {}
    for table in tables().values():
        for column in table.all_columns:
            units.setdefault(column.name, set()).add(column.type.unit)
    return {name: some.pop() for name, some in units.items() if len(some) == 1}
