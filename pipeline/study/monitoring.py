"""CICS monitoring figures of a study: a CSV file of means per task, one line per transaction.

The first line names the columns: `tasks`, and times with their unit: `response_ms`, `dispatch_us`, `suspend_s`, `cpu_ms`; also
`transaction` and `span_s`, the time covered. A cell may be empty; anything but a number is an error with its line.
"""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

from ..declaration.study_tables import MONITORING_TIMES
from ..errors import UsageError

_MS = {"s": 1000.0, "ms": 1.0, "us": 0.001}
_EXPECTED = "transaction, tasks, span_s, and response, dispatch, suspend or cpu with _s, _ms or _us"


def read_monitoring(path: Path) -> list[dict[str, str | float | int | None]]:
    """The lines of a CSV file, times in milliseconds, each with its `line`. Raises UsageError for an unreadable file or value."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", "a CSV file of monitoring figures") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 (byte {error.start + 1})", "a CSV file in UTF-8") from None
    reader = csv.reader(text.splitlines())
    titles = [title.strip().lower() for title in next(reader, [])]
    names = [_name(title, path) for title in titles]
    for needed in ("tasks", "response_ms"):
        if needed not in (name for name, _ in names):
            raise UsageError(f"{path}:1: no column for {needed.removesuffix('_ms')}", _EXPECTED)
    if len({name for name, _ in names}) < len(names):
        raise UsageError(f"{path}:1: duplicate column", _EXPECTED)
    found: list[dict[str, str | float | int | None]] = []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            raise UsageError(f"{path}:{reader.line_num}: {len(cells)} cells", f"{len(names)}, as the first line has")
        row: dict[str, str | float | int | None] = {"line": reader.line_num}
        for (name, factor), cell in zip(names, cells, strict=True):
            row[name] = _value(name, factor, cell.strip(), f"{path}:{reader.line_num}")
        if any(row.get("transaction") == other.get("transaction") for other in found):
            raise UsageError(
                f"{path}:{reader.line_num}: {row.get('transaction') or 'no transaction'} is duplicated",
                "one line per transaction",
            )
        found.append(row)
    if not found:
        raise UsageError(f"{path}: no figures", "one line per transaction")
    return found


def _name(title: str, path: Path) -> tuple[str, float]:
    """The column's name here, and the factor of its unit."""
    if title in ("transaction", "tasks", "span_s"):
        return title, 1.0
    match = re.fullmatch(rf"({'|'.join(MONITORING_TIMES)})_(s|ms|us)", title)
    if not match:
        raise UsageError(f"{path}:1: unknown column {title!r}", _EXPECTED)
    return f"{match[1]}_ms", _MS[match[2]]


def _value(name: str, factor: float, cell: str, place: str) -> str | float | None:
    if name == "transaction" or not cell:
        return cell or None
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", cell) or not math.isfinite(float(cell)):
        raise UsageError(f"{place}: {name}: {cell!r}", "a number without sign and separators, or nothing")
    return float(cell) * factor
