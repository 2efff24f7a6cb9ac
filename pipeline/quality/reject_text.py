"""Rejects as text. `ironlake ingest` and `ironlake rejects` print them alike."""

from __future__ import annotations

from typing import Any

from ..errors import format_reject
from ..terminal import printable

_EXPECTED_SHOWN = 6


def format_reject_row(row: dict[str, Any]) -> str:
    """A row of parse_reject as people read it. A long list of expected kinds of line is cut."""
    text = {name: row[name] or "" for name in ("text", "what", "expected", "hint")}
    place = (row["source_file"], row["line"], row["column"], row["page"])
    expected = text["expected"].split(", ")
    if len(expected) > _EXPECTED_SHOWN:
        expected = [*expected[:_EXPECTED_SHOWN], f"… ({len(expected)} in all)"]
    return format_reject(*place, printable(text["text"]), text["what"], ", ".join(expected), text["hint"])


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
