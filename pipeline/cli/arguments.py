"""Command line arguments as values: systems, queries."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

from ..errors import UsageError


def parse_moment(option: str, text: str) -> dt.datetime:
    """A date, its beginning, or a date and time.

    >>> parse_moment("--before", "2026-01-31")
    datetime.datetime(2026, 1, 31, 0, 0)
    """
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        what = f"{option} {text} is not a date"
        raise UsageError(what, "a date such as 2026-01-31, or a time such as 2026-01-31T06:00") from None
    if moment.tzinfo:
        raise UsageError(f"{option} {text} has a time zone", "local time as printed, without a zone")
    return moment


def scope_of(text: str | None) -> str | None:
    """Systems as stored in the tables: sorted, without duplicates.

    >>> scope_of("SYSB, sysa,SYSB")
    'SYSA,SYSB'
    """
    names = sorted({name.strip().upper() for name in (text or "").split(",")} - {""})
    return ",".join(names) or None


def parse_parameters(texts: list[str]) -> dict[str, str]:
    """Values by name, from texts NAME=VALUE. Raises UsageError for another text and for a repeated name.

    >>> parse_parameters(["class=CICSHI", "since=2021-04-13"])
    {'class': 'CICSHI', 'since': '2021-04-13'}
    """
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"--param {text} cannot be read", "NAME=VALUE", "the query has the value as $NAME")
        if name in values:
            raise UsageError(f"--param {name} is given twice", "one value for each name")
        values[name] = value
    return values


def query_text(query: str | None, file: Path | None = None) -> str | None:
    """The query of a command line: an argument, a file, or standard input for `-`; None where a terminal is to be asked.

    Raises UsageError if there are two or none, or if one cannot be read."""
    if query is not None and file is not None:
        raise UsageError("a query and --file are given", "one of the two")
    if file is not None:
        try:
            return _decoded(file.read_bytes(), str(file))
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}", "a file with one SELECT statement") from None
    if query == "-":
        return _decoded(sys.stdin.buffer.read(), "standard input")
    if query is None and not sys.stdin.isatty():
        raise UsageError("no query is given", "a query, --file FILE, or - for standard input")
    return query


def _decoded(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the query in {where} is not UTF-8 (byte {error.start + 1})", "UTF-8 text") from None
