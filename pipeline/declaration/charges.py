"""What a site charges: `charges.toml` of a folder of plugins, read as its limits are. Without it there is no price, and no map of names.

`price_per_msu = 95.5`, `currency = "EUR"`, `price_note = "list price of 2026"`; and for each that work is charged to, in this order, `[[charge]]` with
`to = "Payments"` and patterns of `workload`, `service_class`, `report_class` or `system` (`*` and `?`), all of which must match. The first counts.
"""

from __future__ import annotations

import tomllib
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..plugins import line_with, own
from .finding_rules import literal

PATTERNS = ("workload", "service_class", "report_class", "system")
_EXPECTED = 'price_per_msu = NUMBER, currency = "TEXT", price_note = "TEXT", [[charge]]'


@cache
def charges() -> dict[str, Any]:
    """The file's values. Raises UsageError for what is none."""
    for path in own("charges.toml"):
        try:
            said = tomllib.loads(path.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeError) as error:
            raise UsageError(f"{path}: {error}", _EXPECTED) from None
        for name, value in said.items():
            _check(path, name, value)
        return said
    return {}


def _check(path: Path, name: str, value: object) -> None:
    match name, value:
        case "price_per_msu", float() | int() if not isinstance(value, bool) and isfinite(value) and value >= 0:
            return
        case "currency" | "price_note", str():
            return
        case "charge", list():
            for one in value:
                keys = set(one) if isinstance(one, dict) else set()
                is_text = keys and all(isinstance(text, str) and text for text in one.values())
                if not (is_text and "to" in keys and {"to"} < keys <= {"to", *PATTERNS}):
                    expected = f'to = "TEXT" and a pattern of {", ".join(PATTERNS)}'
                    raise UsageError(f"{line_with(path, 'charge')}: {one!r} charges nothing", expected)
            return
    raise UsageError(f"{line_with(path, name)}: {name} = {value!r} is no setting", _EXPECTED)


def price_as_sql() -> str:
    """One row of the price, in SQL; NULLs without one."""
    said = charges()
    names = {"price_per_msu": "DOUBLE", "currency": "VARCHAR", "price_note": "VARCHAR"}
    values = (f"CAST({literal(said.get(name))} AS {type_}) AS {name}" for name, type_ in names.items())
    return f"(SELECT {', '.join(values)})"


def map_as_sql() -> str:
    """The map of names in its order, in SQL: `number`, `charged_to` and a pattern or NULL of each kind."""
    of_all = [(number, one["to"], *map(one.get, PATTERNS)) for number, one in enumerate(charges().get("charge", ()))]
    rows = of_all or [(None,) * (2 + len(PATTERNS))]
    values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    columns = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in ("charged_to", *PATTERNS))
    return (
        f"(SELECT CAST(number AS BIGINT) AS number, {columns} FROM (VALUES {values})"
        f" AS said (number, charged_to, {', '.join(PATTERNS)}) WHERE number IS NOT NULL)"
    )
