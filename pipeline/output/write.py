"""Answers to standard output: the same formats on every command that reads.

| format   | NULL   | empty text | times | lists and structs                        |
|----------|--------|------------|-------|------------------------------------------|
| table    | `-`    | blank      | ISO   | `name=value name=value; …`, three at most |
| markdown | `-`    | blank      | ISO   | `name=value name=value; …`               |
| csv      | empty  | `""`       | ISO   | as JSON                                  |
| json     | `null` | `""`       | ISO   | arrays and objects                       |
| parquet  | NULL   | `""`       | typed | typed                                    |
| xlsx     | blank  | `""`       | typed | as JSON                                  |

Maps are lists of pairs, in JSON too.

Numbers have all their digits in csv, json and parquet, fifteen in xlsx (Excel has no more), and at most twelve in table and markdown.
Durations, times of a day and other types that Python has no values for are text as CAST(… AS VARCHAR) writes it (`00:14:59.997`, `3 days`),
in json too; times of other years than 1 to 9999 likewise. A Parquet file has a column as it is typed, or the answer is refused.
Text from reports is data: what could steer a terminal is shown as escapes (terminal.py) in table and markdown, and in csv on a terminal;
csv to a file or pipe has it as it is. json has escapes of its own for it.
A text that begins with = + - @, tab or CR (or with apostrophes and then one of these) has an apostrophe before it in csv, so that no
spreadsheet runs it as a formula; `raw_csv` leaves it out. Numbers are never changed. Nothing in xlsx is a formula.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from ..errors import UsageError
from ..terminal import explained_output, printable_lines
from .formats import BINARY, Format
from .lines import csv_lines, first_lines, json_lines, markdown_lines, table_lines


def write(
    answer: pa.RecordBatchReader,
    output_format: Format,
    sink: BinaryIO | None = None,
    name: str = "standard output",
    raw_csv: bool = False,
    more: str = "",
) -> None:
    """Write an answer to `sink`, which errors call `name`; by default standard output. A reader that goes away (`| head`) ends it quietly.

    more: what shows all rows, where a table on a terminal is to have only the first.
    Raises UsageError for Parquet and workbooks on a terminal.
    """
    out = sink or sys.stdout.buffer
    on_terminal = sink is None and sys.stdout.isatty()
    if on_terminal and (binary := BINARY.get(output_format)):
        raise UsageError(f"{binary} is not for a terminal", "a file or a pipe", f"add > answer.{output_format}")
    width = shutil.get_terminal_size().columns if on_terminal else None
    try:
        match output_format:
            case "table":
                lines = first_lines(answer, width, more) if on_terminal and more else table_lines(answer, width)
                _write_lines(out, lines, name)
            case "markdown":
                _write_lines(out, markdown_lines(answer), name)
            case "csv":
                lines = csv_lines(answer, guards=not raw_csv)
                _write_lines(out, map(printable_lines, lines) if on_terminal else lines, name)
            case "json":
                _write_lines(out, json_lines(answer), name)
            case "parquet":
                _write_parquet(out, answer, name)
            case "xlsx":
                from .workbook import write_workbook

                with explained_output(name):
                    write_workbook(out, answer)
        with explained_output(name):
            out.flush()
    except BrokenPipeError:
        # Nobody reads any more. What Python still holds for standard output would complain at exit.
        if sink is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_lines(out: BinaryIO, lines: Iterator[str], name: str) -> None:
    for line in lines:
        with explained_output(name):
            out.write((line + "\n").encode("utf-8", "backslashreplace"))


def _write_parquet(out: BinaryIO, answer: pa.RecordBatchReader, name: str) -> None:
    import pyarrow.parquet as pq

    with (
        explained_output(name),
        pq.ParquetWriter(pa.PythonFile(out, mode="w"), answer.schema, compression="zstd") as writer,
    ):
        for batch in answer:
            writer.write_batch(batch)
