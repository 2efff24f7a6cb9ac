"""Values of an answer, as JSON has them and as people read them."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable, Collection
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ..terminal import json_text, printable

NULL_SHOWN = "-"
# Reports print fewer; beyond them come the errors of binary fractions (0.1 + 0.2).
_DIGITS_SHOWN = 12


def values(batch: pa.RecordBatch) -> list[list[Any]]:
    """The values of each column. A time that Python has no value for (of the year 10000, infinity) is the text that DuckDB writes."""
    columns = []
    for column in batch.columns:
        try:
            columns.append(column.to_pylist())
        except (OverflowError, ValueError):
            times: set[pa.Scalar] = set()
            for scalar in column:
                _value(scalar, times.add)
            texts = _texts(times)
            columns.append([_value(scalar, texts.__getitem__) for scalar in column])
    return columns


def _value(scalar: pa.Scalar, text: Callable[[pa.Scalar], Any]) -> Any:
    """A value, with the text of each time within that has none."""
    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        match scalar:
            case pa.MapScalar():
                return [(_value(pair["key"], text), _value(pair["value"], text)) for pair in scalar.values]
            case pa.ListScalar():
                return [_value(item, text) for item in scalar.values]
            case pa.StructScalar():
                return {name: _value(field, text) for name, field in scalar.items()}
            case pa.UnionScalar():
                return _value(scalar.value, text)
        return text(scalar)


def _texts(times: Collection[pa.Scalar]) -> dict[pa.Scalar, str]:
    from ..sql.connection import connect

    found = {}
    with connect() as connection:
        for kind in {time.type for time in times}:
            of_kind = [time for time in times if time.type == kind]
            relation = connection.from_arrow(pa.table({"time": pa.array(of_kind, kind)}))
            rows = relation.project("CAST(time AS VARCHAR)").fetchall()
            found |= {time: text for time, (text,) in zip(of_kind, rows, strict=True)}
    return found


def plain(value: Any) -> Any:
    """A value as JSON has it: times in ISO form, exact numbers as numbers, what is not a number as null.

    An exact number of more digits than a float has stays as it is."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            if value == value.to_integral_value():
                return int(value)
            number = float(value)
            return number if Decimal(repr(number)) == value else value
        case dt.date():
            return value.isoformat()
        case dict():
            return {str(k): plain(v) for k, v in value.items()}
        case list() | tuple():
            return [plain(v) for v in value]
    return str(value)


def compact_json(value: Any) -> str:
    """A value as JSON, with all digits of its numbers.

    >>> compact_json({"n": [Decimal("0.10"), Decimal("12345678901234567890.1"), True], "s": None})
    '{"n": [0.1, 12345678901234567890.1, true], "s": null}'
    """
    value = plain(value)
    try:
        return json_text(value)
    except TypeError:
        return _json_of_digits(value)


def _json_of_digits(value: Any) -> str:
    """The same, where Python's own has no place for a number."""
    match value:
        case Decimal():
            return format(value, "f")
        case dict():
            return "{" + ", ".join(f"{json_text(k)}: {_json_of_digits(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_json_of_digits, value)) + "]"
    return json_text(value)


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
    >>> shown([("key", 1), ("other", [2, 3])])
    'key=1; other=[2; 3]'
    >>> shown(0.1 + 0.2)
    '0.3'
    """
    match value:
        case None:
            return NULL_SHOWN
        case float():
            return repr(value if value.is_integer() else float(f"{value:.{_DIGITS_SHOWN}g}"))
        case dict():
            return " ".join(f"{printable(str(k))}={_within(v, most_items)}" for k, v in value.items())
        case tuple():
            return "=".join(_within(v, most_items) for v in value)
        case list():
            items = value if most_items is None else value[:most_items]
            more = [f"… {len(value) - len(items)} more"] if len(value) > len(items) else []
            return "; ".join([*(_within(v, most_items) for v in items), *more])
    return printable(scalar(value))


def _within(value: Any, most_items: int | None) -> str:
    text = shown(value, most_items)
    return f"[{text}]" if isinstance(value, list) else text
