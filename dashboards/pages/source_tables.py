"""Problems in the sources of a page, as tables: pages that break a rule, and rejected lines."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from ...pipeline.sql.known_tables import tables
from ..numbers import DASH
from ..parts import Body, Cell, Head, Row, Table, left_heads

_MOST = 50
_PLACE = Head("Printed at", left=True)


def quality_tables(suspect: Sequence[Mapping[str, Any]], unread: Sequence[Mapping[str, Any]]) -> list[Table]:
    """Broken rules and rejected lines; empty if there are none."""
    broken = [
        Row([*severity_and_rule(r), *found_and_expected(r), Cell(f"{r['pages']:,}")], r["reference"])
        for r in suspect[:_MOST]
    ]
    heads = [*left_heads("Severity", "Rule"), Head("Found", "first"), Head("Expected", "first"), Head("Pages"), _PLACE]
    of_rules = _table("Pages that break a rule", heads, broken, len(suspect), "quality_result")
    lines = [
        Row(
            [
                Cell(r["what"] or "", [r["report"] or ""], scope="row"),
                Cell((r["text"] or "").strip(), style="l", tag="code"),
                Cell(f"{r['times']:,}"),
            ],
            r["reference"],
        )
        for r in unread[:_MOST]
    ]
    heads = [*left_heads("What", "First line"), Head("Times"), _PLACE]
    of_lines = _table("Rejected lines", heads, lines, len(unread), "parse_reject")
    return [table for table in (of_rules, of_lines) if table]


def _table(label: str, heads: Sequence[Head], rows: Sequence[Row], count: int, name: str) -> Table | None:
    if not rows:
        return None
    more = f" {count - _MOST:,} more are in the table {name}." if count > _MOST else ""
    return Table(label, heads, [Body(rows)], f"{label}, by cause.{more}", "words")


def severity_and_rule(row: Mapping[str, Any]) -> list[Cell]:
    words = {"error": ["impossible value"], "warn": ["inconsistent, but seen in genuine reports"]}
    severity = row["severity"] or ""
    return [
        Cell(severity, words.get(severity, []), "l", tag="strong"),
        Cell(row["what"] or row["rule"], [f"{row['rule']}, {row['column'] or DASH}"], scope="row"),
    ]


def found_and_expected(row: Mapping[str, Any]) -> list[Cell]:
    unit = found_unit(row)
    return [Cell(found_number(row[name], unit)) for name in ("found", "expected")]


def found_number(value: float | None, unit: str = "") -> str:
    """A value and its unit, with enough digits to tell found from expected.

    >>> found_number(0.051208), found_number(23017000.0), found_number(1800.0, "s")
    ('0.051208', '23,017,000', '1,800 s')
    """
    if value is None:
        return DASH
    return (f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:,.6g}") + (f" {unit}" if unit else "")


def found_unit(row: Mapping[str, Any]) -> str:
    """The unit of the rule's column; seconds for times."""
    table = tables().get(row["rule"].partition(".")[0])
    column = next((c for c in table.all_columns if c.name == row["column"]), None) if table else None
    if column is None:
        return ""
    return "s" if pa.types.is_timestamp(column.type.arrow) else column.type.unit
