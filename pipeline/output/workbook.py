"""An answer as an Excel workbook: typed cells, units in the comments of the headings, row by row in little memory.

Cells hold what Excel can hold: numbers of at most 15 digits, times to the millisecond without a zone. Whole numbers of more digits, lists and
structs are text; NULL is an empty cell. Nothing in a cell is a formula or a link.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any, BinaryIO, cast

import pyarrow as pa

from ..errors import UsageError
from ..temporary_folders import temporary_folder
from .values import compact_json, scalar, values

_MOST_ROWS = 1_048_576
_LONGEST_TEXT = 32_767
_MOST_DIGITS = 10**15
_LARGEST = 1e308
_NARROWEST, _WIDEST = 8, 40
_OPTIONS = {
    "constant_memory": True,
    "strings_to_numbers": False,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    # Excel's own dates begin here.
    "default_date_format": "yyyy-mm-dd hh:mm:ss.000",
}
_FIRST_DAY = dt.date(1900, 3, 1)


def write_workbook(out: BinaryIO, answer: pa.RecordBatchReader, sheet: str = "answer") -> None:
    """Write an answer as a workbook of one sheet. The schema's metadata (`unit`, `description`) become comments.

    Raises UsageError for more rows than a sheet has, and for longer text than a cell holds."""
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    target = _Target(out)
    # It writes rows to files, and leaves them where writing fails.
    with temporary_folder() as folder:
        book = xlsxwriter.Workbook(cast(Any, target), {**_OPTIONS, "tmpdir": str(folder)})
        try:
            _fill(book, answer, sheet)
            book.close()
        except BaseException as error:
            target.is_given_up = True
            book.fileclosed = 1
            if isinstance(error, FileCreateError) and error.args and isinstance(error.args[0], OSError):
                raise error.args[0] from None
            raise


class _Target:
    """A file that takes what is written to it, until it is given up: a workbook that failed is written once more when Python forgets
    it, where nobody can look after the error."""

    def __init__(self, out: BinaryIO):
        self._out, self.is_given_up = out, False

    def write(self, content: bytes) -> int:
        return len(content) if self.is_given_up else self._out.write(content)

    def __getattr__(self, name: str) -> Any:
        return (lambda *_: 0) if self.is_given_up else getattr(self._out, name)


def _fill(book: Any, answer: pa.RecordBatchReader, sheet: str) -> None:
    # Titles of sheets have at most 31 characters.
    page = book.add_worksheet(sheet[:31])
    heading, day = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd"})
    for column, field in enumerate(answer.schema):
        page.write_string(0, column, field.name, heading)
        page.set_column(column, column, min(max(len(field.name) + 2, _NARROWEST), _WIDEST))
        if said := _comment(field):
            page.write_comment(0, column, said)
    page.freeze_panes(1, 0)
    row = 0
    for batch in answer:
        for cells in zip(*values(batch), strict=True):
            row += 1
            if row >= _MOST_ROWS:
                hint = "add a LIMIT or a WHERE, or write parquet or csv"
                raise UsageError("the answer has more rows than a sheet of Excel", f"fewer than {_MOST_ROWS:,}", hint)
            for column, value in enumerate(cells):
                _write(page, row, column, value, day)
    page.autofilter(0, 0, row, len(answer.schema) - 1)


def _comment(field: pa.Field) -> str:
    said = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
    unit = f"[{said['unit']}]" if said.get("unit") else ""
    return " ".join(filter(None, (said.get("description"), unit)))


def _write(page: Any, row: int, column: int, value: Any, day: Any) -> None:
    match value:
        case None:
            return
        case bool():
            page.write_boolean(row, column, value)
        case int() | Decimal() if value == int(value):
            if abs(value) < _MOST_DIGITS:
                page.write_number(row, column, int(value))
            else:
                _write_text(page, row, column, str(int(value)))
        case float() | Decimal() if abs(value) < _LARGEST:
            page.write_number(row, column, float(value))
        case float() | Decimal() if math.isfinite(value):
            _write_text(page, row, column, scalar(value))
        case float() | Decimal():
            return
        case dt.datetime() if value.date() >= _FIRST_DAY and not value.tzinfo:
            page.write_datetime(row, column, value)
        case dt.date() if not isinstance(value, dt.datetime) and value >= _FIRST_DAY:
            page.write_datetime(row, column, value, day)
        case str():
            _write_text(page, row, column, value)
        case dt.date():
            _write_text(page, row, column, value.isoformat())
        case dict() | list() | tuple():
            _write_text(page, row, column, compact_json(value))
        case _:
            _write_text(page, row, column, str(value))


def _write_text(page: Any, row: int, column: int, text: str) -> None:
    if len(text) > _LONGEST_TEXT:
        what = f"a text in row {row} has {len(text):,} characters"
        raise UsageError(what, f"at most {_LONGEST_TEXT:,} in a cell of Excel", "write parquet or csv")
    page.write_string(row, column, text)
