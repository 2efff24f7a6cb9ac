"""`ironlake sql` without a query: statements from a terminal, one after the other, over one open lake."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import get_args

from ..errors import IronlakeError, UsageError
from ..sql.describe import columns_of, overview
from ..sql.open_lake import OpenLake
from ..sql.saved_queries import listed, saved_names, saved_query
from ..words import counted
from .arguments import parse_parameters, query_text
from .common import Format, write_answer
from .time_limit import time_limit

_PROMPT, _MORE = "ironlake> ", "     ...> "
_WORDS = (
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "LIMIT",
    "JOIN",
    "USING",
    "DESCRIBE",
    "SUMMARIZE",
    "EXPLAIN",
)
_MOST_LINES_KEPT = 1000
_HELP = """\
A statement ends with a semicolon and may take several lines; Ctrl-C drops it. Tab completes names.
.tables           tables and views, and how many rows a table has
.describe NAME    the columns of a table or view
.read FILE        run the query in a file
.saved            the queries that are kept in the lake
.saved NAME A=B   run one, with the values of its parameters
.format FORMAT    table, json, csv, markdown
.all              all rows of the last answer; a table on a terminal has the first 40
.quit             or Ctrl-D"""


def shell(
    lake: OpenLake, output_format: Format, timeout: float | None, raw_csv: bool = False, all_rows: bool = False
) -> None:
    """Answer statements until the input ends. An error ends a statement, not the shell."""
    print(f"{lake.path}: {counted(len(lake.state.sources), 'file')}. .help explains, Ctrl-D ends.", file=sys.stderr)
    _Shell(lake, output_format, timeout, raw_csv, "" if all_rows else ".all shows all").run()


class _Shell:
    def __init__(self, lake: OpenLake, output_format: Format, timeout: float | None, raw_csv: bool, more: str):
        self._lake, self._timeout, self._raw_csv = lake, timeout, raw_csv
        self._format: Format = output_format
        self._more = more
        # The last query that was answered, with its parameters.
        self._last: tuple[str, Mapping[str, str] | None] | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            ".tables": self._tables,
            ".describe": self._describe,
            ".read": self._read,
            ".saved": self._saved,
            ".format": self._use_format,
            ".all": self._all,
            ".help": lambda _: print(_HELP),
        }

    def run(self) -> None:
        save = _edited_lines(self._completions)
        try:
            while (statement := self._statement()) is not None:
                try:
                    self._do(statement)
                except IronlakeError as error:
                    print(f"ironlake: {error}", file=sys.stderr)
                except KeyboardInterrupt:
                    print("interrupted", file=sys.stderr)
        finally:
            save()

    def _statement(self) -> str | None:
        """The next statement or command; None at the end of the input."""
        lines: list[str] = []
        while True:
            try:
                lines.append(input(_MORE if lines else _PROMPT))
            except KeyboardInterrupt:
                print()
                lines = []
                continue
            except EOFError:
                print()
                return None
            text = "\n".join(lines).strip()
            if text in (".quit", ".exit"):
                return None
            if text.startswith(".") or text.endswith(";"):
                return text
            if not text:
                lines = []

    def _do(self, statement: str) -> None:
        if not statement.startswith("."):
            self._answer(statement)
            return
        name, _, argument = statement.partition(" ")
        if name not in self._commands:
            raise UsageError(f"no command is called {name}", ", ".join([*self._commands, ".quit"]))
        self._commands[name](argument.strip())

    def _answer(self, query: str, parameters: Mapping[str, str] | None = None, more: str | None = None) -> None:
        with time_limit(self._timeout):
            answer = self._lake.sql(query, parameters).written(self._format)
            self._last = query, parameters
            write_answer(answer, self._format, self._raw_csv, self._more if more is None else more)

    def _all(self, _: str) -> None:
        if self._last is None:
            raise UsageError("nothing was answered yet", "a query, then .all")
        self._answer(*self._last, more="")

    def _tables(self, _: str) -> None:
        write_answer(overview(self._lake).select(["name", "kind", "rows"]).to_reader(), self._format)

    def _describe(self, name: str) -> None:
        if not name:
            raise UsageError("no table or view is named", ".describe NAME", ".tables lists them")
        write_answer(columns_of(name).select(["column", "type", "unit", "description"]).to_reader(), self._format)

    def _read(self, file: str) -> None:
        if not file:
            raise UsageError("no file is named", ".read FILE")
        self._answer(query_text(None, Path(file).expanduser()) or "")

    def _saved(self, words: str) -> None:
        if not words:
            write_answer(listed(self._lake).to_reader(), self._format)
            return
        try:
            name, *values = shlex.split(words)
        except ValueError as error:
            raise UsageError(f"{words}: {error}", ".saved NAME PARAMETER=VALUE") from None
        self._answer(saved_query(self._lake.path, name), parse_parameters(values))

    def _use_format(self, name: str) -> None:
        known: dict[str, Format] = {name: name for name in get_args(Format) if name not in ("parquet", "xlsx")}
        if name not in known:
            raise UsageError(f"no format is called {name}" if name else "no format is named", ", ".join(known))
        self._format = known[name]

    def _completions(self, line: str, word: str) -> list[str]:
        """What a word may become: tables, views, and the columns of those on the line."""
        if line.lstrip().startswith(".") and " " not in line.strip():
            return [name for name in (*self._commands, ".quit") if name.startswith(word)]
        names = [*self._lake.tables, *self._lake.views]
        if line.lstrip().startswith(".saved "):
            return [name for name in saved_names(self._lake.path) if name.startswith(word)]
        columns = [c for name in re.findall(r"\w+", line) if name in names for c in self._lake.schema(name).names]
        words = [w if word.isupper() else w.lower() for w in _WORDS]
        return sorted({w for w in (*names, *columns, *words) if word and w.startswith(word)})


def _edited_lines(completions: Callable[[str, str], list[str]]) -> Callable[[], None]:
    """Have `input` edit lines, complete words and remember what was typed, where Python has readline for it. What is returned saves
    the history."""
    try:
        import readline
    except ImportError:
        return lambda: None
    # The dot belongs to commands.
    readline.set_completer_delims(" \t\n()[]{},;=<>+-*/%'\"")
    found: list[str] = []

    def complete(word: str, number: int) -> str | None:
        # An error within readline would be lost, and leave the terminal odd.
        if number == 0:
            found.clear()
            with suppress(Exception):
                found.extend(completions(readline.get_line_buffer(), word))
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    history = _history_file()
    with suppress(OSError):
        readline.read_history_file(history)
    readline.set_history_length(_MOST_LINES_KEPT)

    def save() -> None:
        with suppress(OSError):
            history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            readline.write_history_file(history)

    return save


def _history_file() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "ironlake" / "history"
