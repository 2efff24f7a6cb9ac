"""The tables of a grammar, as plain values: its kinds of line, its rules, and which kind may follow which.

Lark works them out. That takes up to a tenth of a second, and Lark's own import a hundredth, so they are kept as JSON in the
folder where Python keeps its compiled modules, and hold as long as grammar and libraries stay the same."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.metadata import version
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UsageError
from ..plugins import PACKAGE, line_with, own

if TYPE_CHECKING:
    from lark import Lark

GRAMMARS = PACKAGE / "grammars"
# Raised with every change of what is kept.
_FORMAT = 1


class Terminal(NamedTuple):
    """A kind of line and its regular expression."""

    name: str
    pattern: str
    priority: int


class Tables(NamedTuple):
    """`rules`: each as its name and the symbols that it stands for. `states`, the LALR table: per state and symbol the next
    state, or -1 - n where rule n ends."""

    terminals: tuple[Terminal, ...]
    rules: tuple[tuple[str, tuple[str, ...]], ...]
    states: tuple[Mapping[str, int], ...]
    start: int
    end: int

    @property
    def expansions(self) -> dict[str, list[tuple[str, ...]]]:
        """Rule → what it may stand for."""
        out: dict[str, list[tuple[str, ...]]] = {}
        for name, symbols in self.rules:
            out.setdefault(name, []).append(symbols)
        return out


def load(name: str) -> Tables:
    """The tables of a grammar: kept ones, or else new ones, which are kept if the folder can be written."""
    grammar = next(
        (path for folder in (GRAMMARS, *own("grammars")) if (path := folder / f"{name}.lark").is_file()), None
    )
    if grammar is None:
        raise UsageError(f"report {name} has no grammar", f"grammars/{name}.lark beside its declaration")
    kept = Path(cache_from_source(str(grammar))).with_suffix(".json")
    texts = (sha256(path.read_bytes()).hexdigest() for path in (grammar, GRAMMARS / "common.lark"))
    key = [_FORMAT, version("lark"), *texts]
    with suppress(OSError, ValueError, KeyError, TypeError):
        found = json.loads(kept.read_bytes())
        if found["key"] == key:
            return _tables(found["tables"])
    with explained_errors(grammar):
        tables = work_out(grammar)
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            _keep(kept, json.dumps({"key": key, "tables": tables}))
    return tables


@contextmanager
def explained_errors(grammar: Path) -> Iterator[None]:
    """What Lark says of a grammar, as a UsageError that names its line."""
    try:
        yield
    except Exception as error:
        first, *_, last = [*str(error).splitlines(), ""]
        named = re.search(r"\b[A-Z][A-Z0-9_]+\b", first)
        line = getattr(error, "line", None)
        place = (
            f"{grammar}:{line}"
            if isinstance(line, int) and line > 0
            else line_with(grammar, named[0] if named else "start")
        )
        raise UsageError(f"{place}: {first} {last}".rstrip(), "a grammar as grammars/common.lark has it") from None


def _tables(kept: list[Any]) -> Tables:
    terminals, rules, states, start, end = kept
    return Tables(
        tuple(Terminal(*one) for one in terminals),
        tuple((name, tuple(symbols)) for name, symbols in rules),
        tuple(states),
        start,
        end,
    )


def _keep(place: Path, content: str) -> None:
    """Write a file whole or not at all: another process may read it meanwhile."""
    place.parent.mkdir(exist_ok=True)
    unfinished = place.with_suffix(f".{os.getpid()}")
    try:
        unfinished.write_text(content, "utf-8")
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)


def work_out(grammar: Path) -> Tables:
    """The tables of a grammar, by Lark."""
    from lark import Lark

    # A grammar of the user imports the lines that all share from ours.
    lark = Lark.open(
        str(grammar), import_paths=[str(GRAMMARS)], parser="lalr", lexer="contextual", maybe_placeholders=False
    )
    terminals = tuple(Terminal(str(t.name), t.pattern.to_regexp(), t.priority) for t in lark.terminals)
    rules = tuple((str(r.origin.name), tuple(str(s.name) for s in r.expansion)) for r in lark.rules)
    return Tables(terminals, rules, *_states(lark, rules))


def _states(lark: Lark, rules: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[tuple[dict[str, int], ...], int, int]:
    """Numbered as they are come by, since Lark's own order differs from run to run."""
    from lark.parsers.lalr_analysis import Shift

    table = lark.parse_interactive("").parser_state.parse_conf
    rule_number = {rule: number for number, rule in enumerate(rules)}
    state_number = {table.start_state: 0}
    states = []
    todo = [table.start_state]
    for state in todo:
        row = {}
        for symbol, (action, to) in sorted(table.states[state].items()):
            if action is not Shift:
                row[str(symbol)] = -1 - rule_number[to.origin.name, tuple(s.name for s in to.expansion)]
                continue
            if to not in state_number:
                state_number[to] = len(state_number)
                todo.append(to)
            row[str(symbol)] = state_number[to]
        states.append(row)
    return tuple(states), state_number[table.start_state], state_number[table.end_state]
