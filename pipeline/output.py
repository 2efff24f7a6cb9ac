"""Answers to standard output: the same formats on every command that reads.

| format   | NULL   | empty text | times | lists and structs                        |
|----------|--------|------------|-------|------------------------------------------|
| table    | `-`    | blank      | ISO   | `name=value name=value; …`, three at most |
| markdown | `-`    | blank      | ISO   | `name=value name=value; …`               |
| csv      | empty  | `""`       | ISO   | as JSON                                  |
| json     | `null` | `""`       | ISO   | arrays and objects                       |
| parquet  | NULL   | `""`       | typed | typed                                    |

Numbers have all their digits in csv, json and parquet, and at most twelve in table and markdown. Text from reports is data: what could steer a terminal is shown as escapes
(terminal.py) in table and markdown, and in csv on a terminal; csv to a file or pipe has it as it is. json has escapes of its own for it.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain, islice
from typing import Any, BinaryIO, Literal

import pyarrow as pa

from .errors import UsageError
from .terminal import explained_output, json_text, printable, printable_lines

NULL_SHOWN = "-"
Format = Literal["table", "json", "csv", "markdown", "parquet"]
_MOST_ITEMS_SHOWN = 3
# Reports print fewer; beyond them come the errors of binary fractions (0.1 + 0.2).
_DIGITS_SHOWN = 12
# Rows that are aligned together: those of an answer without end would fill the memory.
_ROWS_ALIGNED = 10_000


def write(answer: pa.RecordBatchReader, output_format: Format, sink: BinaryIO | None = None) -> None:
    """Write an answer to `sink`, by default standard output. A reader that goes away (`| head`) ends it quietly.

    Raises UsageError for Parquet on a terminal.
    """
    out = sink or sys.stdout.buffer
    on_terminal = sink is None and sys.stdout.isatty()
    if output_format == "parquet" and on_terminal:
        raise UsageError("Parquet is not for a terminal", "a file or a pipe", "add > answer.parquet")
    width = shutil.get_terminal_size().columns if on_terminal else None
    try:
        match output_format:
            case "table":
                _write_lines(out, table_lines(answer, width))
            case "markdown":
                _write_lines(out, _markdown_lines(answer))
            case "csv":
                lines = _csv_lines(answer)
                _write_lines(out, map(printable_lines, lines) if on_terminal else lines)
            case "json":
                _write_lines(out, _json_lines(answer))
            case "parquet":
                _write_parquet(out, answer)
        with explained_output():
            out.flush()
    except BrokenPipeError:
        # Nobody reads any more. What Python still holds for standard output would complain at exit.
        if sink is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_lines(out: BinaryIO, lines: Iterator[str]) -> None:
    for line in lines:
        with explained_output():
            out.write((line + "\n").encode("utf-8", "backslashreplace"))


def _write_parquet(out: BinaryIO, answer: pa.RecordBatchReader) -> None:
    import pyarrow.parquet as pq

    with (
        explained_output(),
        pq.ParquetWriter(pa.PythonFile(out, mode="w"), answer.schema, compression="zstd") as writer,
    ):
        for batch in answer:
            writer.write_batch(batch)


def _rows(answer: pa.RecordBatchReader, show: Callable[[Any], str]) -> Iterator[list[str]]:
    for batch in answer:
        columns = [[show(value) for value in values] for values in _values(batch)]
        yield from (list(row) for row in zip(*columns, strict=True))


def _values(batch: pa.RecordBatch) -> list[list[Any]]:
    """The values of each column. Raises UsageError for times that Python has no value for."""
    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            columns.append(column.to_pylist())
        except (OverflowError, ValueError):
            what = f"a time in column {name} cannot be shown"
            hint = "CAST(… AS VARCHAR) shows any other; --format parquet writes it"
            raise UsageError(what, "the years 1 to 9999, to the microsecond", hint) from None
    return columns


# --- Values ---------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value as JSON has it: times in ISO form, exact numbers as numbers, what is not a number as null."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case dict():
            return {str(k): plain(v) for k, v in value.items()}
        case list() | tuple():
            return [plain(v) for v in value]
        case bytes():
            return value.hex()
    return str(value)


def _compact_json(value: Any) -> str:
    return json_text(plain(value))


def _scalar(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case Decimal():
            return format(value, "f")
        case str():
            return value
    value = plain(value)
    return value if isinstance(value, str) else json.dumps(value)


def shown(value: Any, most_items: int | None = None) -> str:
    """A value for people; of a list the first `most_items`, and how many more there are.

    >>> shown([{"source_id": "ab12", "page": 3, "line": 40}])
    'source_id=ab12 page=3 line=40'
    >>> shown([1, 2, 3, None], most_items=2)
    '1; 2; … 2 more'
    >>> shown(0.1 + 0.2)
    '0.3'
    """
    match value:
        case None:
            return NULL_SHOWN
        case float():
            return repr(value if value.is_integer() else float(f"{value:.{_DIGITS_SHOWN}g}"))
        case dict():
            return " ".join(f"{printable(str(k))}={shown(v, most_items)}" for k, v in value.items())
        case list() | tuple():
            items = value if most_items is None else value[:most_items]
            more = [f"… {len(value) - len(items)} more"] if len(value) > len(items) else []
            return "; ".join([*(shown(v, most_items) for v in items), *more])
    return printable(_scalar(value))


# --- Formats --------------------------------------------------------------------------------------------------------


def _json_lines(answer: pa.RecordBatchReader) -> Iterator[str]:
    names = _distinct(answer.schema.names)
    yield "["
    waiting = None
    for batch in answer:
        for row in zip(*_values(batch), strict=True):
            if waiting is not None:
                yield waiting + ","
            waiting = "  " + _compact_json(dict(zip(names, row, strict=True)))
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


def _csv_cell(value: Any) -> str:
    """A CSV cell: NULL is nothing, an empty text is two quotes.

    >>> _csv_cell(None), _csv_cell(""), _csv_cell('a "b", c'), _csv_cell(0)
    ('', '""', '"a ""b"", c"', '0')
    """
    if value is None:
        return ""
    text = _compact_json(value) if isinstance(value, (list, dict, tuple)) else _scalar(value)
    if text == "" or text != text.strip() or any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _csv_lines(answer: pa.RecordBatchReader) -> Iterator[str]:
    yield ",".join(_csv_cell(name) for name in answer.schema.names)
    for row in _rows(answer, _csv_cell):
        yield ",".join(row)


def _markdown_lines(answer: pa.RecordBatchReader) -> Iterator[str]:
    def cell(value: Any) -> str:
        return shown(value).replace("\\", "\\\\").replace("|", "\\|")

    yield "| " + " | ".join(cell(name) for name in answer.schema.names) + " |"
    yield "|" + "|".join("---:" if _is_number(t) else "---" for t in answer.schema.types) + "|"
    for row in _rows(answer, cell):
        yield "| " + " | ".join(row) + " |"


def _is_number(arrow_type: pa.DataType) -> bool:
    return pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or pa.types.is_decimal(arrow_type)


def _width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1 for c in text
    )


def table_lines(answer: pa.RecordBatchReader, width: int | None) -> Iterator[str]:
    """Aligned columns under their names, numbers to the right. Where they do not fit into `width` columns, every row is a
    list of names and values instead; without a width, lines are as long as they need to be.

    In an answer of many rows the columns are as wide as the first thousands need, and become wider below where others need it."""
    names = [printable(name) for name in answer.schema.names]
    to_the_right = [_is_number(t) for t in answer.schema.types]
    rows = _rows(answer, lambda value: shown(value, _MOST_ITEMS_SHOWN))
    block = list(islice(rows, _ROWS_ALIGNED))
    widths = _widths([names, *block])
    if width is not None and sum(widths) + 2 * (len(widths) - 1) > width:
        yield from _lists(names, chain(block, rows), len(block) if len(block) < _ROWS_ALIGNED else None)
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
