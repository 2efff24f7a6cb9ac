"""Tables, views and columns for people, in lines of 100 characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pyarrow as pa

from ..sql.known_tables import tables
from ..sql.topics import by_topic
from ..sql.view_files import views

_WIDTH = 100


def overview_lines(found: pa.Table) -> Iterator[str]:
    """What `overview` says, by topic: name, rows and grain; tables without rows have '-', as views have, which are not counted."""
    rows = found.to_pylist()
    for title, those in by_topic((row["name"], row["rows"], row) for row in rows):
        yield f"{title} ({len(those)})"
        wide = max(len(row["name"]) for row in those)
        counts = [f"{row['rows']:,}" if row["rows"] else "-" for row in those]
        digits = max(map(len, counts))
        for row, count in zip(those, counts, strict=True):
            yield _cut(f"  {row['name']:<{wide}}  {count:>{digits}}  {row['grain']}")
        yield ""
    yield "-: a table without rows, or a view, whose rows are not counted; ironlake describe NAME says more"


def column_lines(name: str, found: pa.Table) -> Iterator[str]:
    """What `columns_of` says: of each column its type, unit, and whether it is of the key or never NULL; below it what it means, and where it
    is printed."""
    grain = tables()[name].grain if name in tables() else views()[name].grain
    yield from textwrap.wrap(f"{name}: {grain}", _WIDTH)
    rows = found.to_pylist()
    wide = max(len(row["column"]) for row in rows)
    for row in rows:
        is_key = "key" if row["key"] else "" if row["nullable"] else "never NULL"
        yield _cut("  ".join(filter(None, [f"{row['column']:<{wide}}", row["type"], row["unit"], is_key])))
        place = f"On the page: {row['place']}" if row["place"] else ""
        for said in filter(None, [row["description"], place]):
            yield from textwrap.wrap(said, _WIDTH, initial_indent="    ", subsequent_indent="    ")


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1].rstrip() + "…"
