"""Find the kind of each line by a report's line grammar.

A grammar's terminals are whole lines. The compiled part (rust/src) matches all of them at once, which gives each line a mask of
possible kinds, leaves out those that the lines above rule out, and cuts pages into sections at the report's section kinds. Line by
line, the grammar's LALR table then takes the kind of the highest priority that it accepts. What the compiled part must know of a
grammar is derived here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, reduce
from operator import and_, or_
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration.report import Report
from ..errors import IronlakeError
from . import grammar_tables
from .compiled import LineKinds

JUNK = -1
# The rules of a grammar, and what each may stand for.
Rules = dict[str, list[tuple[str, ...]]]
# grammars/common.lark explains names and priorities.
_BELOW_HEADING = ("_ROW", "_TEXT")
_GOES_ON = ("_MORE", "_UNITS")
_TITLES = ("TITLE", "TITLES", "HEAD", "HEAD_MORE", "RULE", "PAGE_NO")
_PARTICULAR = 2
_CERTAIN = 9
_NO_SECTION = ("page_top", "log", "excerpt")
# Variable parts of a pattern: any character, or one of some letters or digits.
_FREE = re.compile(r"(?<!\\)\.|\[\^|\[[^\]]*[A-Za-z0-9]|\\[dDsSwW]")


class LostLines(NamedTuple):
    """Lines of a section without a place in its grammar: the first, how many, and the expected kinds. `kind`: the kind that the first would
    have elsewhere, or empty."""

    at: int
    lines: int
    kind: str
    expected: str


class Read(NamedTuple):
    """The kind of each line (int16, JUNK for none), bool per line, a section begins there, `lost`: lines without a place, and
    `lost_after`: lines behind which a section lost its own heading."""

    kind: np.ndarray
    begins: np.ndarray
    lost: list[LostLines]
    lost_after: list[int]


class Grammar:
    """A report's line grammar, ready to match lines in bulk."""

    def __init__(self, name: str):
        self.name = name
        tables = grammar_tables.load(name)
        terminals = sorted(tables.terminals, key=lambda t: (-t.priority, t.name))
        self.names = [t.name for t in terminals]
        self.kind = {name: number for number, name in enumerate(self.names)}
        if len(self.names) > 64:
            raise ValueError(f"grammar {name} has {len(self.names)} kinds of line; a mask holds 64")
        self._patterns = [_line_pattern(t.pattern) for t in terminals]
        # Kinds with constant text.
        self.fixed = frozenset(
            name for name, t in zip(self.names, terminals, strict=True) if not _FREE.search(t.pattern)
        )
        self._particular = [t.priority >= _PARTICULAR for t in terminals]
        rules = tables.expansions
        self.titles = frozenset(name for name in self.names if name.endswith(_TITLES))
        self.any_case = frozenset(t.name for t in terminals if "(?i:" in t.pattern)
        self.page_lines = _page_lines(rules)
        self.sections = _sections(rules)
        # Kinds at the top of a page alone, without those of its entries.
        tops = _within(rules, "top", first_only=False) if "top" in rules else ()
        self.of_heading = frozenset(name for name in tops if not name.endswith(_BELOW_HEADING))
        self.entries = _entries(rules)
        # Kinds that begin an excerpt: nothing is above them on their page, so no section continues there.
        self.excerpts = _firsts(rules, "excerpt")
        self._reachable = _reachable(rules)
        self._compiled = self._compile(tables, {t.name: t.priority for t in terminals})

    def _compile(self, tables: grammar_tables.Tables, priority: dict[str, int]) -> LineKinds:
        rules = tables.expansions
        below = {name for name in self.names if name.endswith(_BELOW_HEADING)}
        particular = {name for name in self.names if priority[name] >= _PARTICULAR}
        heading = {name for name in self.page_lines if priority[name] >= _CERTAIN} - below
        above = _kinds_above(rules, self.kind)
        not_needed = self._mask(below)
        held = [self._mask(self._reachable.get(name, ())) for name in self.names]
        return LineKinds(
            patterns=self._patterns,
            names=self.names,
            rules=tables.rules,
            states=tables.states,
            start=tables.start,
            end=tables.end,
            sections=[
                (self._mask((name,)), self._mask({*self._reachable[name], *set(self.names) - below}))
                for name in self.sections
            ],
            needed=[above.get(name, 0) & ~not_needed for name in self.names],
            held=[0 if name in self.excerpts else mask for name, mask in zip(self.names, held, strict=True)],
            reachable=held,
            alike=(
                self._mask(particular),
                self._mask(below),
                self._mask(name for name in self.names if name.endswith("_FIRST")),
                self._mask(name for name in self.names if name.endswith("_REST")),
                self._mask(heading),
                self._mask(self.excerpts),
                # Free text of a log follows a table as well as it goes before one.
                self._mask(_firsts(rules, "log") - particular),
            ),
        )

    def _mask(self, kinds: Iterable[str]) -> int:
        return sum(1 << self.kind[name] for name in kinds)

    def read(self, lines: pl.Series, page_begins: np.ndarray, source_begins: np.ndarray) -> Read:
        """The kinds of the lines of some pages. page_begins, source_begins: bool per line, true for the first of a page and of a source."""
        flags = (page_begins.astype(np.uint8), source_begins.astype(np.uint8))
        with faults_told():
            kind, begins, lost, lost_after = self._compiled.read(*arrow_buffers(lines), *flags)
        names = [*self.names, ""]
        return Read(
            np.frombuffer(kind, np.int16),
            np.frombuffer(begins, np.bool_).copy(),
            [LostLines(at, many, names[of], expected) for at, many, of, expected in lost],
            lost_after,
        )

    def matched(self, lines: pl.Series) -> np.ndarray:
        """uint64 per line: bit k is set where the pattern of `names[k]` matches, whatever is above the line."""
        with faults_told():
            return np.frombuffer(self._compiled.matched(*arrow_buffers(lines)), np.uint64)

    def of_report(self, lines: pl.Series, page: np.ndarray, report: Report) -> tuple[np.ndarray, np.ndarray]:
        """Bool per line: it begins a section that the report reads, or identifies a log; and, if any does, it does so or is at the top of
        a page. Page lines and skipped sections, which other reports may have too, begin nothing, and neither does a line that no line of
        its section could follow. page: page number per line."""
        rows = {kind for table in report.tables for kind in table.rows}
        first = dict.fromkeys((*self.sections, *sorted(self.excerpts)))
        first = [name for name in first if name not in self.page_lines and self._reachable[name] & rows]
        masks = self.matched(lines)
        begins = np.zeros(len(lines), dtype=bool)
        for name in first:
            begins |= self._goes_on(masks, page, name)
        if report.title and not report.page_top:
            begins |= lines.str.contains(report.title).to_numpy()
        return begins, begins | (masks & np.uint64(self._mask(self.page_lines)) != 0)

    def _goes_on(self, masks: np.ndarray, page: np.ndarray, name: str) -> np.ndarray:
        """Bool per line: it is of this kind, and the next line on its page may follow it."""
        found = masks & np.uint64(self._mask((name,))) != 0
        if not found.any():
            return found
        ((_, choices, may_end),) = self._compiled.follow([self._mask((name,))])
        if may_end:
            return found
        return found & np.append((masks[1:] & np.uint64(choices) != 0) & (page[1:] == page[:-1]), False)


def arrow_buffers(lines: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """Offsets of the lines, and the bytes that they are offsets into."""
    array = lines.to_arrow(compat_level=pl.CompatLevel.oldest())
    if not len(array):
        return np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint8)
    assert isinstance(array, pa.LargeStringArray)
    _, offsets, data = array.buffers()
    return np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1], np.frombuffer(
        data or b"", np.uint8
    )


@contextmanager
def faults_told() -> Iterator[None]:
    """A fault in the compiled part, as an error without a traceback."""
    try:
        yield
    except RuntimeError as fault:
        raise IronlakeError(
            f"the compiled part of reading failed: {fault}",
            "no fault for any input",
            "report it, with the pages if you can",
        ) from fault


def _reachable(rules: Rules) -> dict[str, set[str]]:
    """Kind that begins a section → all kinds that the section may contain."""
    out: dict[str, set[str]] = {}
    for expansion in rules["start"]:
        for first in _firsts(rules, expansion[0]):
            out.setdefault(first, set()).update(_within(rules, expansion[0], first_only=False))
    return out


def _firsts(rules: Rules, symbol: str) -> set[str]:
    """The kinds that may begin a rule; none if there is no such rule."""
    return _within(rules, symbol, first_only=True) - {symbol}


def _page_lines(rules: Rules) -> tuple[str, ...]:
    """The kinds of the rules called top or top_…"""
    tops = [name for name in rules if name == "top" or name.startswith("top_")]
    return tuple(sorted({kind for name in tops for kind in _within(rules, name, first_only=False)}))


def _sections(rules: Rules) -> tuple[str, ...]:
    """The first kind of `top`, and those that begin another part of the grammar, unless they only continue a heading."""
    parts = [expansion[0] for expansion in rules["start"] if expansion[0] not in _NO_SECTION]
    kinds = {kind for part in parts for kind in _firsts(rules, part) if not kind.endswith(_GOES_ON)}
    return (*rules["top"][0][:1], *sorted(kinds)) if "page_top" in rules else tuple(sorted(kinds))


def _entries(rules: Rules) -> tuple[str, ...]:
    """The kinds that may begin the rule page_entry, in their order."""
    firsts = (sorted(_within(rules, expansion[0], first_only=True)) for expansion in rules.get("page_entry", ()))
    return tuple(dict.fromkeys(kind for kinds in firsts for kind in kinds))


def _within(rules: Rules, symbol: str, first_only: bool) -> set[str]:
    found, todo, seen = set(), [symbol], set()
    while todo:
        name = todo.pop()
        if name not in rules:
            found.add(name)
        elif name not in seen:
            seen.add(name)
            todo.extend(s for expansion in rules[name] for s in (expansion[:1] if first_only else expansion))
    return found


def _kinds_above(rules: Rules, kind: dict[str, int]) -> dict[str, int]:
    """Kind of row → mask of the kinds above it in every section that contains it. (`kind`: numbers by name.)"""
    every = (1 << len(kind)) - 1

    def settle(found: dict[str, int], of: Callable[[str], int]) -> None:
        """Give each rule its mask, which depends on those of others, until nothing changes."""
        found |= dict.fromkeys(rules, every)
        changed = True
        while changed:
            changed = False
            for name in rules:
                now = of(name)
                changed |= now != found[name]
                found[name] = now

    def all_of(symbols: tuple[str, ...]) -> int:
        return reduce(or_, (inside[s] for s in symbols), 0)

    inside = {name: 1 << number for name, number in kind.items()}
    settle(inside, lambda name: reduce(and_, map(all_of, rules[name]), every))
    # Each symbol of a rule, with what is in front of it there.
    behind = {
        name: {(s, all_of(symbols[:k])) for symbols in expansions for k, s in enumerate(symbols)}
        for name, expansions in rules.items()
    }
    out = {}
    for row in kind:
        if row.endswith(_BELOW_HEADING):
            above = dict.fromkeys(kind, every) | {row: 0}

            def above_row(name: str, above: dict[str, int] = above) -> int:
                """A row may follow each symbol that has some."""
                return reduce(and_, (before | above[s] for s, before in behind[name]), every)

            settle(above, above_row)
            out[row] = above["start"] if above["start"] != every else 0
    return out


def _line_pattern(pattern: str) -> str:
    """A terminal's regular expression for whole lines, in the syntax of the bulk matcher. An arbitrary end is not matched."""
    pattern = pattern.replace(r"\/", "/").replace(r"\#", "#")
    if pattern.endswith(".*") and not pattern.endswith(r"\.*") and not _has_alternatives(pattern):
        return "^(?:" + pattern.removesuffix(".*") + ")"
    return "^(?:" + pattern + ")$"


def _has_alternatives(pattern: str) -> bool:
    """Whether the pattern as a whole is one thing or another."""
    return "|" in re.sub(r"\\.|\[[^\]]*\]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "", pattern)


@cache
def load(name: str) -> Grammar:
    return Grammar(name)


def grammars(report: Report) -> tuple[Grammar, ...]:
    """Of its pages in print, and of those in XML, if they have one of their own."""
    return tuple(load(name) for name in (report.name, report.xml_grammar) if name)
