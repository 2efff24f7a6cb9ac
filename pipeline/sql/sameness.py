"""Whether a query may be answered otherwise while its lake stays the same."""

from __future__ import annotations

import re

from .connection import connect

# What DuckDB does not mark: the clock behind words that are no calls, samples, what tells of the session, and texts that are run.
_OTHERWISE = re.compile(
    r"current_\w+|local(time|timestamp)|age|ago|user|session_user|\w*sample|reservoir_quantile|query|query_table|explain|show"
    r"|(duckdb|icu|pg|pragma|sqlite)_\w+|information_schema"
)
_NOT_CONSISTENT = (
    "SELECT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT' AND function_name <> 'error'"
)


def may_differ(text: str) -> bool:
    """Judged by all words of a query, those within texts included: true of some queries that do not differ, never false of one that does.

    >>> may_differ("SELECT count(*) FROM finding"), may_differ("SELECT today()"), may_differ("SELECT localtime")
    (False, True, True)
    """
    words = set(re.findall(r"\w+", text.lower()))
    if any(map(_OTHERWISE.fullmatch, words)):
        return True
    # Nothing is called.
    if "(" not in text:
        return False
    with connect() as connection:
        return any(name in words for (name,) in connection.execute(_NOT_CONSISTENT).fetchall())
