"""An answer as an HTML table, for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import pyarrow as pa

from ..terminal import printable
from ..words import counted
from .lines import MOST_ITEMS_SHOWN, is_number
from .values import shown, values

_LONGEST_TEXT = 200
_RIGHT = ' style="text-align: right"'
_LEFT = ' style="text-align: left"'


def html_table(answer: pa.RecordBatchReader, most_rows: int) -> str:
    """The first rows of an answer, and a sentence where there are more. Headings have the units that the schema's metadata say, and the
    descriptions where the pointer rests. NULL is '-'; of a long text or list the beginning is shown."""
    schema = answer.schema
    sides = [_RIGHT if is_number(t) else _LEFT for t in schema.types]
    head = "".join(
        f"<th{side}{_title(field)}>{_heading(field)}</th>" for side, field in zip(sides, schema, strict=True)
    )
    rows: list[str] = []
    more = False
    for row in _rows(answer):
        if more := len(rows) == most_rows:
            break
        rows.append("".join(f"<td{side}>{_cell(value)}</td>" for side, value in zip(sides, row, strict=True)))
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    said = (
        f"the first {most_rows:,} rows; there are more: pl(), df() and arrow() have all"
        if more
        else counted(len(rows), "row")
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n<p>{said}</p>"


def _rows(answer: pa.RecordBatchReader) -> Iterator[tuple[object, ...]]:
    for batch in answer:
        yield from zip(*values(batch), strict=True)


def _said(field: pa.Field, key: bytes) -> str:
    return (field.metadata or {}).get(key, b"").decode()


def _heading(field: pa.Field) -> str:
    name, unit = escape(printable(field.name)), _said(field, b"unit")
    return f"{name}<br><small>{escape(unit)}</small>" if unit else name


def _title(field: pa.Field) -> str:
    said = _said(field, b"description")
    return f' title="{escape(said)}"' if said else ""


def _cell(value: object) -> str:
    text = shown(value, MOST_ITEMS_SHOWN)
    if len(text) > _LONGEST_TEXT:
        text = f"{text[:_LONGEST_TEXT]}… {len(text) - _LONGEST_TEXT:,} characters more"
    return escape(text)
