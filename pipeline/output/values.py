"""Values of an answer, as JSON has them and as people read them."""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ..errors import UsageError
from ..terminal import json_text, printable

NULL_SHOWN = "-"
# Reports print fewer; beyond them come the errors of binary fractions (0.1 + 0.2).
_DIGITS_SHOWN = 12


def values(batch: pa.RecordBatch) -> list[list[Any]]:
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


def compact_json(value: Any) -> str:
    return json_text(plain(value))


def scalar(value: Any) -> str:
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
    return printable(scalar(value))
