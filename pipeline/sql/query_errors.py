"""DuckDB's errors as errors of a query, with a hint at what was probably meant."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from ..errors import IronlakeError, UsageError
from ..lake.parts import REPAIR_HINT
from .column_types import AS_TEXT, HAS_NONE
from .known_tables import tables
from .view_files import views

# A part that goes, or is written over, after it was checked.
_OF_A_PART = re.compile(r"page header|CRC checksum|Parquet|\.parquet\b|thrift|No such file|end of stream|corrupt")
# Of an error within DuckDB.
_STACK_TRACE = re.compile(r"\n+(?:Stack Trace:|Possible solutions:).*", re.DOTALL)
# Of a value that an answer cannot have where it goes.
_NO_VALUE = re.compile(rf"\b\w+{HAS_NONE}[\w: ]+")
_UNKNOWN_COLUMN = re.compile(r'Referenced (?:column|table) "(.+?)" not found')
# A date that is not within quotes: DuckDB subtracts its numbers.
_BARE_DATE = re.compile(r"'[^']*'|\"[^\"]*\"|\b(\d{4}-\d{1,2}-\d{1,2})\b")
_DATE_OF_ANOTHER_FORM = re.compile(r"(?:date|timestamp) field|invalid (?:date|timestamp)|date/time field")
_FILE_NAME = re.compile(r"[^\s'\"();=]+\.(?:sql|txt|csv|parquet|yaml)", re.IGNORECASE)
_NEAR = re.compile(r'syntax error at or near "(\w+)"')
_KEYWORDS = ("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "JOIN", "DESCRIBE", "SUMMARIZE", "EXPLAIN")
_LISTED = "ironlake describe lists tables, views and columns"


def unknown_name(name: str) -> UsageError:
    """The error for a name that is no table and no view."""
    return UsageError(
        f"no table or view is called {name}",
        hint=f"{_near([name])}; ironlake describe --search {shlex.quote(name)} finds words",
    )


def closed_lake() -> UsageError:
    """The error for what is asked of a lake that is not open any more."""
    return UsageError("the lake is closed", "an open lake", "open_lake opens it again, as it is then")


@contextmanager
def explained_query(text: str = "", strangers: Collection[str] = ()) -> Iterator[None]:
    """Turn DuckDB's error about the query `text` into a UsageError with its message; `strangers` are names that are no table and no view."""
    try:
        yield
    except duckdb.ConnectionException:
        raise closed_lake() from None
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        # Words alone say nothing: the values of a query may hold any.
        is_of_files = isinstance(error, duckdb.IOException) or not isinstance(error, duckdb.Error)
        if is_of_files and _OF_A_PART.search(str(error)):
            what = "a file of the lake cannot be read: " + " ".join(str(error).split())
            raise IronlakeError(what, hint=REPAIR_HINT) from None
        if found := _NO_VALUE.search(str(error)):
            raise UsageError(found[0], hint=AS_TEXT) from None
        if "'pytz'" in str(error):
            what = "a time with a time zone cannot be a Python value here: DuckDB needs the package pytz for it"
            hint = "arrow(), pl() and reader() give such times; or ask for CAST(column AS TIMESTAMP), or AT TIME ZONE 'UTC'"
            raise UsageError(what, "an answer without time zones", hint) from None
        lines = _STACK_TRACE.sub("", str(error)).rstrip().splitlines()
        if strangers:
            # DuckDB proposes names of its own catalog, which nobody means.
            lines = [line for line in lines if not line.startswith("Did you mean")]
        raise UsageError("\n".join(lines), hint=_hint(error, text, strangers)) from None


def _hint(error: Exception, text: str, strangers: Collection[str]) -> str:
    if isinstance(error, duckdb.PermissionException):
        return "queries see the tables and views of the lake only; to write an answer to a file use --format and >"
    if isinstance(error, (duckdb.OutOfMemoryException, duckdb.InternalException)):
        return "ask for fewer rows, columns or values at once"
    if strangers:
        return _near(strangers)
    if form := _other_form(text.strip().removesuffix(";")):
        return form
    if found := _NEAR.search(str(error)):
        # The word of the error, or one before it, which DuckDB took for a name.
        words = text[: text.find(found[1]) + len(found[1])].split()[-3:]
        near = {w: difflib.get_close_matches(w.upper(), _KEYWORDS, n=1, cutoff=0.75) for w in reversed(words)}
        if wrong := next((w for w, known in near.items() if known and known[0] != w.upper()), ""):
            return f"{near[wrong][0]} in place of {wrong}?"
    if _DATE_OF_ANOTHER_FORM.search(str(error)):
        return "a date is year, month and day, '2026-01-31'; a time '2026-01-31 06:00'"
    if found := _UNKNOWN_COLUMN.search(str(error)):
        if f'"{found[1]}"' in text:
            return f"text is in single quotes, '{found[1]}'; double quotes are for names of columns"
        named = [
            name for name in re.findall(r"(?i)\b(?:from|join)\s+(\w+)", text) if name in tables() or name in views()
        ]
        if named:
            return f"ironlake describe {named[0]} lists its columns"
    if "parameter" in str(error).lower():
        return "each $NAME of the query has one value, and no other is given: --param NAME=VALUE"
    if "cast" in str(error).lower() and (date := next((m[1] for m in _BARE_DATE.finditer(text) if m[1]), "")):
        return f"a date is in quotes: '{date}'"
    return _LISTED


def _other_form(text: str) -> str:
    """The hint for what is no SQL at all: a command of the shell, a file, or a name alone."""
    if text.startswith("."):
        return f"{text.split()[0]} is for the shell, which begins with ironlake sql without a query; {_LISTED}"
    if _FILE_NAME.fullmatch(text):
        return f"the query in a file: ironlake sql --file {text}; in the shell .read {text}"
    return f'all its rows: ironlake sql "FROM {text}"' if text in tables() or text in views() else ""


def _near(strangers: Iterable[str]) -> str:
    known = [*tables(), *views()]
    near = [n for s in strangers for n in difflib.get_close_matches(s.lower(), known, n=3, cutoff=0.5)]
    return (f"near names: {', '.join(near)}; " if near else "") + _LISTED
