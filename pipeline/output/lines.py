"""Answers as lines of text: JSON, CSV, Markdown, and tables for people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from ..terminal import printable
from .values import compact_json, scalar, shown, values

MOST_ITEMS_SHOWN = 3
# Rows that are aligned together: those of an answer without end would fill the memory.
_ROWS_ALIGNED = 10_000
# On a terminal, and how far the others are counted.
_ROWS_FIRST, _ROWS_COUNTED = 40, 1_000_000
# Texts that a spreadsheet would run as a formula, with any apostrophes before them: so that one taken away gives the text again.
_LIKE_A_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def _rows(answer: pa.RecordBatchReader, *show: Callable[[Any], str]) -> Iterator[list[str]]:
    """The cells of rows, shown all in one way, or each column in its own."""
    ways = show * (len(answer.schema) if len(show) == 1 else 1)
    for batch in answer:
        columns = [list(map(way, column)) for way, column in zip(ways, values(batch), strict=True)]
        yield from (list(row) for row in zip(*columns, strict=True))


def json_lines(answer: pa.RecordBatchReader) -> Iterator[str]:
    names = _distinct(answer.schema.names)
    yield "["
    waiting = None
    for batch in answer:
        for row in zip(*values(batch), strict=True):
            if waiting is not None:
                yield waiting + ","
            waiting = "  " + compact_json(dict(zip(names, row, strict=True)))
    if waiting is not None:
        yield waiting
    yield "]"


def _distinct(names: Sequence[str]) -> list[str]:
    """Names of a query that repeat (a join of all columns) get a number: an object has every key once."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return out


def _csv_cell(value: Any, guards: bool = True) -> str:
    """A CSV cell: NULL is nothing, an empty text is two quotes. A text that a spreadsheet would run begins with an apostrophe, if `guards`.

    >>> _csv_cell(None), _csv_cell(""), _csv_cell('a "b", c'), _csv_cell(0)
    ('', '""', '"a ""b"", c"', '0')
    >>> _csv_cell("=1+1"), _csv_cell("'=1+1"), _csv_cell("=1+1", guards=False), _csv_cell(-1.5)
    ("'=1+1", "''=1+1", '=1+1', '-1.5')
    """
    if value is None:
        return ""
    text = compact_json(value) if isinstance(value, (list, dict, tuple)) else scalar(value)
    if guards and isinstance(value, str) and _LIKE_A_FORMULA.match(text):
        text = "'" + text
    if text == "" or text != text.strip() or any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_lines(answer: pa.RecordBatchReader, guards: bool = True) -> Iterator[str]:
    """`guards`: texts that a spreadsheet would run as formulas (they begin with = + - @, tab or CR) get an apostrophe before them."""
    yield ",".join(_csv_cell(name, guards) for name in answer.schema.names)
    cells = [partial(_csv_cell, guards=guards and not _has_signs(t)) for t in answer.schema.types]
    for row in _rows(answer, *cells):
        yield ",".join(row)


def markdown_lines(answer: pa.RecordBatchReader) -> Iterator[str]:
    def cell(value: Any) -> str:
        return shown(value).replace("\\", "\\\\").replace("|", "\\|")

    yield "| " + " | ".join(cell(name) for name in answer.schema.names) + " |"
    yield "|" + "|".join("---:" if is_number(t) else "---" for t in answer.schema.types) + "|"
    for row in _rows(answer, cell):
        yield "| " + " | ".join(row) + " |"


def _has_signs(arrow_type: pa.DataType) -> bool:
    """Whether a text of this type may begin with the sign of a number: -00:15:00, -infinity."""
    return pa.types.is_temporal(arrow_type) or isinstance(arrow_type, pa.OpaqueType)


def is_number(arrow_type: pa.DataType) -> bool:
    """Whether it stands at the right of its column: numbers, and what DuckDB writes with the digits of one."""
    is_one = pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or pa.types.is_decimal(arrow_type)
    return is_one or isinstance(arrow_type, pa.OpaqueType)


def _width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1 for c in text
    )


def first_lines(answer: pa.RecordBatchReader, width: int | None, more: str) -> Iterator[str]:
    """A table of the first rows; where there are more, how many, and what shows all of them."""
    first: list[pa.RecordBatch] = []
    count = 0
    for batch in answer:
        first += [batch.slice(0, _ROWS_FIRST - count)] if count < _ROWS_FIRST else []
        count += batch.num_rows
        if count > _ROWS_COUNTED:
            break
    yield from table_lines(pa.RecordBatchReader.from_batches(answer.schema, first), width, count)
    if count > _ROWS_FIRST:
        counted = f"more than {_ROWS_COUNTED:,}" if count > _ROWS_COUNTED else f"{count:,}"
        yield f"{counted} rows; {more}"


def table_lines(answer: pa.RecordBatchReader, width: int | None, count: int = 0) -> Iterator[str]:
    """Aligned columns under their names, numbers to the right. Where they do not fit into `width` columns, every row is a
    list of names and values instead; without a width, lines are as long as they need to be. `count`: of how many rows these are the first.

    In an answer of many rows the columns are as wide as the first thousands need, and become wider below where others need it."""
    names = [printable(name) for name in answer.schema.names]
    to_the_right = [is_number(t) for t in answer.schema.types]
    rows = _rows(answer, lambda value: shown(value, MOST_ITEMS_SHOWN))
    block = list(islice(rows, _ROWS_ALIGNED))
    widths = _widths([names, *block])
    if width is not None and sum(widths) + 2 * (len(widths) - 1) > width:
        yield from _lists(names, chain(block, rows), count or (len(block) if len(block) < _ROWS_ALIGNED else None))
        return
    aligned = partial(_aligned, to_the_right)
    yield aligned(names, widths)
    yield "  ".join("-" * size for size in widths)
    while block:
        yield from (aligned(row, widths) for row in block)
        block = list(islice(rows, _ROWS_ALIGNED))
        widths = list(map(max, widths, _widths([names, *block])))


def _widths(rows: Iterable[Sequence[str]]) -> list[int]:
    return [max(map(_width, cells)) for cells in zip(*rows, strict=True)]


def _aligned(to_the_right: Sequence[bool], cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = []
    for cell, right, size in zip(cells, to_the_right, widths, strict=True):
        blanks = " " * (size - _width(cell))
        padded.append(blanks + cell if right else cell + blanks)
    return "  ".join(padded).rstrip()


def _lists(names: Sequence[str], rows: Iterable[Sequence[str]], count: int | None) -> Iterator[str]:
    size = max(map(_width, names))
    of_all = "" if count is None else f" of {count}"
    for number, row in enumerate(rows, 1):
        yield f"--- row {number}{of_all} ---"
        for name, cell in zip(names, row, strict=True):
            yield f"{name}{' ' * (size - _width(name))}  {cell}".rstrip()
