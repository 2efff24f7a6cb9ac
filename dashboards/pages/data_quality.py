"""What is wrong with the sources that a page rests on: pages that break a rule, and lines that could not be read."""

from collections.abc import Sequence
from html import escape
from typing import Any

import pyarrow as pa

from ...pipeline.sql.known_tables import tables
from ..document import DASH
from ..queries import Lake, ask, literal
from ..references import Reference, Sources, reference_cell

Row = dict[str, Any]

_MOST = 50
_SUSPECT = """
SELECT severity, rule, "column", what, count(*) AS pages, arg_min(found, (source_id, page, line)) AS found,
    arg_min(expected, (source_id, page, line)) AS expected,
    list(struct_pack(source_id := source_id, page := page, line := line)) AS refs
FROM quality_result
WHERE source_id IN ({sources})
GROUP BY severity, rule, "column", what
ORDER BY severity, pages DESC, rule, "column"
"""
_UNREAD = """
SELECT report, what, count(*) AS times, arg_min(text, (source_id, page, line)) AS text,
    list(struct_pack(source_id := source_id, page := page, line := line)) AS refs
FROM parse_reject
WHERE source_id IN ({sources})
GROUP BY report, what
ORDER BY times DESC, report, what
"""


def quality_rows(lake: Lake, sources: Sources) -> tuple[list[Row], list[Row]]:
    """Of the sources that have a number: rules that their pages break, errors first, and kinds of lines that could not be read."""
    used = ", ".join(literal(s.source_id) for s in sources.used) or "NULL"
    found = []
    for text in (_SUSPECT, _UNREAD):
        rows = ask(lake, text.format(sources=used))
        for row in rows:
            row["reference"] = Reference.of(row.pop("refs"), sources)
        found.append(rows)
    return found[0], found[1]


def quality_section(suspect: Sequence[Row], unread: Sequence[Row], sources: Sources) -> str:
    head = '<section aria-labelledby="quality"><h2 id="quality">Quality of the data</h2>'
    if not suspect and not unread:
        many = len(sources.used)
        of = "The file that this page rests on was" if many == 1 else f"The {many:,} files that this page rests on were"
        return f'{head}<p class="quiet">{of} read whole, and no page breaks a rule of its report.</p></section>'
    return f"{head}{_suspect_table(suspect)}{_unread_table(unread)}</section>"


def severity_and_rule(row: Row) -> str:
    """Two cells: how bad it is, and which rule is broken."""
    words = {"error": "cannot be so", "warn": "may have been printed so"}
    severity = row["severity"] or ""
    return (
        f'<td class="l"><strong>{escape(severity)}</strong><small>{words.get(severity, "")}</small></td>'
        f'<th scope="row">{escape(row["what"] or row["rule"])}<small>{escape(row["rule"])}, {escape(row["column"] or DASH)}</small></th>'
    )


def _suspect_table(rows: Sequence[Row]) -> str:
    body = "".join(
        f"<tr>{severity_and_rule(r)}"
        f"<td>{found_number(r['found'], found_unit(r))}</td><td>{found_number(r['expected'], found_unit(r))}</td><td>{r['pages']:,}</td>{reference_cell(r['reference'])}</tr>"
        for r in rows[:_MOST]
    )
    heads = (
        '<th scope="col" class="l">Severity</th><th scope="col" class="l">Rule</th><th scope="col">Found<small>first</small></th>'
        '<th scope="col">Expected<small>first</small></th><th scope="col">Pages</th><th scope="col" class="l">Printed at</th>'
    )
    return _table("Pages that break a rule", heads, body, len(rows), "quality_result")


def _unread_table(rows: Sequence[Row]) -> str:
    body = "".join(
        f'<tr><th scope="row">{escape(r["what"] or "")}<small>{escape(r["report"] or "")}</small></th>'
        f'<td class="l"><code>{escape((r["text"] or "").strip())}</code></td><td>{r["times"]:,}</td>{reference_cell(r["reference"])}</tr>'
        for r in rows[:_MOST]
    )
    heads = (
        '<th scope="col" class="l">What</th><th scope="col" class="l">First line</th><th scope="col">Times</th>'
        '<th scope="col" class="l">Printed at</th>'
    )
    return _table("Lines that could not be read", heads, body, len(rows), "parse_reject")


def _table(caption: str, heads: str, body: str, rows: int, table: str) -> str:
    if not rows:
        return ""
    more = f" {rows - _MOST:,} more are in the table {table}." if rows > _MOST else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table class="words"><caption>{caption}, by what is wrong.{more}'
        f"</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def found_number(value: float | None, unit: str = "") -> str:
    """A value with so many digits that found and expected do not look alike, and its unit.

    >>> found_number(0.051208), found_number(23017000.0), found_number(1800.0, "s")
    ('0.051208', '23,017,000', '1,800 s')
    """
    if value is None:
        return DASH
    return (f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:,.6g}") + (f" {unit}" if unit else "")


def found_unit(row: Row) -> str:
    """The unit of what a rule found: that of its column. What is found between two times is in seconds."""
    table = tables().get(row["rule"].partition(".")[0])
    column = next((c for c in table.all_columns if c.name == row["column"]), None) if table else None
    if column is None:
        return ""
    return "s" if pa.types.is_timestamp(column.type.arrow) else column.type.unit
