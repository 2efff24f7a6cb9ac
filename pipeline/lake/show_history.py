"""The history of a lake as a table."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pyarrow as pa

from ..without_pandas import leave_pandas_alone
from .ledger import require_lake

_SCHEMA = pa.schema(
    [
        ("step", pa.int64()),
        ("at", pa.timestamp("us")),
        ("action", pa.string()),
        ("rows", pa.int64()),
        ("source_file", pa.string()),
        ("source_id", pa.string()),
        ("what", pa.string()),
    ]
)


def history_of(path: Path, last: int | None = None) -> pa.Table:
    """The newest `last` events of a lake, the oldest of them first. Raises UsageError where there is no lake."""
    leave_pandas_alone()
    ledger = require_lake(path)
    in_use = ledger.files.in_use()
    try:
        events = ledger.history()
    finally:
        in_use.close()
    rows = []
    for event in events[-last:] if last else events:
        row = {name: getattr(event, name) or None for name in _SCHEMA.names}
        rows.append(
            row
            | {"rows": event.rows, "at": datetime.fromisoformat(event.at).replace(microsecond=0) if event.at else None}
        )
    return pa.Table.from_pylist(rows, schema=_SCHEMA)
