"""Find the kind of each line: terminals are matched in bulk, and the LALR table is walked once per distinct sequence of lines.

A grammar's terminals are whole lines. Polars matches their regular expressions over all lines at once, which gives each line a mask of
possible kinds. Pages are cut into sections at the report's section kinds; line by line, the parser takes the kind of the highest
priority that its state accepts. Sections with equal masks parse equally, so each distinct sequence is parsed once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, reduce
from operator import and_, or_
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import regex

from ..declaration.report import Report
from . import automaton, grammar_tables
from .automaton import Automaton

JUNK = automaton.NONE
# The rules of a grammar, and what each may stand for.
Rules = dict[str, list[tuple[str, ...]]]
# grammars/common.lark explains names and priorities.
_BELOW_HEADING = ("_ROW", "_TEXT")
_GOES_ON = ("_MORE", "_UNITS")
_TITLES = ("TITLE", "TITLES", "HEAD", "HEAD_MORE", "RULE", "PAGE_NO")
_PARTICULAR = 2
_CERTAIN = 9
_NO_SECTION = ("page_top", "log", "excerpt")
_MOST_SHAPES = 50_000
# This many characters distinguish most kinds, and few heads contain digits of a value.
_HEAD = 6
# Heads have few different beginnings of this length, which leave few kinds to try.
_FIRST = 3
_MOST_HEADS = 200_000
# Variable parts of a pattern: any character, or one of some letters or digits.
_FREE = re.compile(r"(?<!\\)\.|\[\^|\[[^\]]*[A-Za-z0-9]|\\[dDsSwW]")
_COUNTS = re.compile(r"\{[0-9,]*\}")
_DIGITS = re.compile(r"([0-9])(?:-([0-9]))?")
# A margin of blanks, and behind it words to choose from, or one.
_FIRST_WORDS = re.compile(r"(?: (?:[*+]|\{[0-9,]+\}))?(?:\(([^()\[\]]*)\)(?![?*{])|([A-Z].*))")
_FIRST_LETTER = re.compile(r"[A-Z](?![?*{])")


class LostLines(NamedTuple):
    """Lines of a section without a place in its grammar: offset of the first, count, and the expected kinds. `kind`: the kind that the line
    would have elsewhere, or empty."""

    offset: int
    lines: int
    kind: str
    expected: str


class Shape(NamedTuple):
    """A parsed section: kind of each line (JUNK for none), lines without a place, offsets at which another section begins without a section
    kind, and where the section's own heading was lost (offset, or -1)."""

    kinds: np.ndarray
    lost: tuple[LostLines, ...]
    breaks: tuple[int, ...]
    lost_section: int


class _Texts(NamedTuple):
    """The distinct texts of some lines, and an index per line (-1 for other lines). Most patterns match headings, which repeat on every
    page."""

    which: np.ndarray
    distinct: pl.Series

    @classmethod
    def of(cls, lines: pl.Series, where: np.ndarray) -> _Texts:
        encoded = lines[where].to_arrow().dictionary_encode()
        which = np.full(len(lines), -1, dtype=np.int64)
        which[where] = encoded.indices.to_numpy(zero_copy_only=False)
        distinct = pl.from_arrow(encoded.dictionary)
        assert isinstance(distinct, pl.Series)
        return cls(which, distinct)

    def matching(self, pattern: str, where: np.ndarray) -> np.ndarray:
        """The lines of `where` that match; the texts must include each."""
        if not len(where):
            return where
        which = self.which[where]
        asked = np.zeros(len(self.distinct), dtype=bool)
        asked[which] = True
        texts = np.flatnonzero(asked)
        asked[texts] = self.distinct[texts].str.contains(pattern).to_numpy()
        return where[asked[which]]


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
        self._printed = [t.pattern for t in terminals]
        # Per kind the letters that its lines may begin with; none where they may begin with anything.
        self._letters = [_first_letters(pattern) for pattern in self._printed]
        # Compiled when a head first asks for them: of a small file few do, and to compile them all takes a fiftieth of a second.
        self._whole: dict[int, regex.Pattern[str]] = {}
        self._beginning: dict[int, regex.Pattern[str]] = {}
        self._heads: dict[tuple[int, str], tuple[int, int]] = {}
        # Of the kinds that may begin with the first characters of a head.
        self._firsts: dict[str, list[int]] = {}
        self._digits = _digits_alike([t.pattern for t in terminals])
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
        certain = {t.name for t in terminals if t.priority >= _CERTAIN and not t.name.endswith(_BELOW_HEADING)}
        self._heading = sum(1 << self.kind[name] for name in certain.intersection(self.page_lines))
        self._no_rows = sum(1 << k for k, name in enumerate(self.names) if not name.endswith(_BELOW_HEADING))
        self._rests = sum(1 << number for number, name in enumerate(self.names) if name.endswith("_REST"))
        self._rows = sum(
            1 << k
            for k, name in enumerate(self.names)
            if self._particular[k] and name.endswith((*_BELOW_HEADING, "_FIRST"))
        )
        self._firsts_below = [number for number, name in enumerate(self.names) if name.endswith("_FIRST")]
        self._reachable = _reachable(rules)
        above = _kinds_above(rules, self.kind)
        # Per kind the headings that it needs; none for kinds that are not rows.
        self._needed = [
            [k for k, n in enumerate(self.names) if above.get(name, 0) >> k & 1 and not n.endswith(_BELOW_HEADING)]
            for name in self.names
        ]
        # Kinds that begin an excerpt: nothing is above them on their page, so no section continues there.
        self.excerpts = _firsts(rules, "excerpt")
        self._automaton = Automaton(tables, self.names)
        self._excerpt = sum(1 << self.kind[name] for name in self.excerpts)
        # Free text of a log follows a table as well as it goes before one.
        free = {name for name in _firsts(rules, "log") if not self._particular[self.kind[name]]}
        self._begin = sum(1 << self.kind[name] for name in self._automaton.start.choices - self.excerpts - free)
        self._shapes: dict[bytes, Shape] = {}

    def masks(self, lines: pl.Series, page_begins: np.ndarray, source_begins: np.ndarray) -> np.ndarray:
        """uint64 per line; bit k is set where the line may be `names[k]`. Kinds of row that a section cannot hold are left out
        there, and those whose heading has not come yet, where the line is something else as well.

        page_begins, source_begins: bool per line, true for the first of a page and of a source."""
        possible, masks = self._by_head(lines)
        possible &= ~masks
        texts = _Texts.of(lines, np.flatnonzero(possible))
        apart = np.flatnonzero(source_begins | self._without_heading(possible | masks, page_begins))
        rows, starts = self._rows_within_reach(texts, possible, masks, apart)
        possible &= rows
        masks &= rows
        late = [number for number, needed in enumerate(self._needed) if needed]
        some = int(np.bitwise_or.reduce(possible)) if len(possible) else 0
        for number in _kinds(some):
            if number not in late:
                self._match(number, texts, np.flatnonzero(possible & _bit(number)), masks)
        late = [number for number in late if some >> number & 1]
        seen = {
            number: _seen(masks & _bit(number) != 0, starts) for number in {n for k in late for n in self._needed[k]}
        }
        for number in late:
            below = np.logical_and.reduce([seen[n] for n in self._needed[number]])
            self._match(number, texts, np.flatnonzero((possible & _bit(number) != 0) & below), masks)
        # A line without a kind so far may be a row with a missing heading.
        particular = sum(1 << number for number, is_particular in enumerate(self._particular) if is_particular)
        nothing = (masks & np.uint64(particular)) == 0
        for number in late:
            if self._particular[number]:
                self._match(number, texts, np.flatnonzero((possible & ~masks & _bit(number) != 0) & nothing), masks)
        for number in self._firsts_below:
            masks[masks & _bit(number) != 0] = _bit(number)
        if self._rests:
            last = _last_of_section((masks & np.uint64(self._rows)) != 0, starts)
            masks[np.arange(len(masks)) < last] &= ~np.uint64(self._rests)
        # A page line out of place is no row of any text.
        masks[masks & np.uint64(self._heading) != 0] &= np.uint64(self._no_rows)
        return masks

    def _match(self, number: int, texts: _Texts, where: np.ndarray, masks: np.ndarray) -> None:
        """Set the bit of a kind for the matching lines of `where`."""
        masks[texts.matching(self._patterns[number], where)] |= _bit(number)

    def _without_heading(self, possible: np.ndarray, page_begins: np.ndarray) -> np.ndarray:
        """Bool per line: a page begins here that may be an excerpt, since none of its lines can be part of a page heading."""
        pages = np.flatnonzero(page_begins)
        if not self.excerpts or not self._heading or not len(pages):
            return np.zeros(len(possible), dtype=bool)
        named = np.bitwise_or.reduceat(possible, pages) & np.uint64(self._heading)
        begins = np.zeros(len(possible), dtype=bool)
        begins[pages[named == 0]] = True
        return begins

    def _rows_within_reach(
        self, texts: _Texts, possible: np.ndarray, masks: np.ndarray, apart: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Per line: a mask of the kinds worth trying, without rows of other sections (most lines are rows, and their patterns are the most
        expensive); and the index of the first line of its section (0 before the first). No section goes on at the lines `apart`."""
        every = (1 << len(self.names)) - 1
        rows = sum(1 << k for k, name in enumerate(self.names) if name.endswith(_BELOW_HEADING))
        reach = np.full(len(masks), every, dtype=np.uint64)
        starts = np.zeros(len(masks), dtype=np.int64)
        begins, held = [], []
        for name in self.sections:
            number = self.kind[name]
            certain = np.flatnonzero(masks & _bit(number))
            begins.append(
                np.union1d(certain, texts.matching(self._patterns[number], np.flatnonzero(possible & _bit(number))))
            )
            within = sum(1 << self.kind[k] for k in self._reachable[name])
            held.append(np.full(len(begins[-1]), every & ~rows | within, dtype=np.uint64))
        # Where a section begins as well, its own kinds are held.
        begins.append(np.setdiff1d(apart, np.concatenate(begins)) if begins else apart)
        held.append(np.full(len(begins[-1]), every, dtype=np.uint64))
        if sum(map(len, begins)):
            at = np.concatenate(begins)
            order = np.argsort(at, kind="stable")
            at, within = at[order], np.concatenate(held)[order]
            first = np.flatnonzero(np.diff(at, prepend=-1))  # a line may begin sections of several kinds
            at, within = at[first], np.bitwise_or.reduceat(within, first)
            sizes = np.diff(np.append(at, len(masks)))
            reach[at[0] :] = np.repeat(within, sizes)
            starts[at[0] :] = np.repeat(at, sizes)
        return reach, starts

    def _by_head(self, lines: pl.Series) -> tuple[np.ndarray, np.ndarray]:
        """Masks of the possible and of the certain kinds of lines with this margin and these first characters; only kinds in between
        need matching. Cached per head."""
        bare = lines.str.strip_chars_start(" ")
        margin = (lines.str.len_bytes() - bare.str.len_bytes()).to_numpy().astype(np.int64)
        encoded = bare.str.slice(0, _HEAD).to_arrow().dictionary_encode()
        printed = encoded.dictionary.to_pylist()
        printed = [head.translate(self._digits) for head in printed]
        number = {head: k for k, head in enumerate(dict.fromkeys(printed))}
        heads = list(number)
        which_head = np.array([number[head] for head in printed], dtype=np.int64)
        key = margin * len(heads) + which_head[encoded.indices.to_numpy(zero_copy_only=False)]
        # By hashing: sorting takes ten times as long.
        keys = pa.array(key).dictionary_encode()
        distinct, which = keys.dictionary.to_pylist(), keys.indices.to_numpy()
        if len(self._heads) > _MOST_HEADS:
            self._heads.clear()
            self._firsts.clear()
        masks = np.empty((2, len(distinct)), dtype=np.uint64)
        for k, (blanks, head) in enumerate(divmod(d, len(heads)) for d in distinct):
            known = self._heads.get((blanks, heads[head]))
            if known is None:
                known = self._heads[(blanks, heads[head])] = self._can_begin(blanks, heads[head])
            masks[:, k] = known
        return masks[0, which], masks[1, which]

    def _can_begin(self, blanks: int, head: str) -> tuple[int, int]:
        """Masks of the kinds that may begin like this, and of those that every line beginning like this has."""
        first = " " * blanks + head[:_FIRST]
        if first not in self._firsts:
            worth = (k for k, letters in enumerate(self._letters) if not letters or head[:1] in letters or not head)
            self._firsts[first] = [k for k in worth if self._may_be(k, first)]
        head = " " * blanks + head
        possible = certain = 0
        for number in self._firsts[first]:
            if self._may_be(number, head):
                possible |= 1 << number
                if self._is(number, head):
                    certain |= 1 << number
        return possible, certain

    def _may_be(self, number: int, head: str) -> bool:
        """Whether a line of a kind may begin like this."""
        whole = self._whole.get(number)
        if whole is None:
            whole = self._whole[number] = regex.compile(self._printed[number])
        return whole.fullmatch(head, partial=True) is not None

    def _is(self, number: int, head: str) -> bool:
        """Whether every line that begins like this is of a kind."""
        if self._patterns[number].endswith("$"):
            return False
        beginning = self._beginning.get(number)
        if beginning is None:
            beginning = self._beginning[number] = regex.compile(self._patterns[number])
        return beginning.match(head) is not None

    def of_report(self, lines: pl.Series, page: np.ndarray, report: Report) -> tuple[np.ndarray, np.ndarray]:
        """Bool per line: it begins a section that the report reads, or identifies a log; and, if any does, it does so or is at the top of
        a page. Page lines and skipped sections, which other reports may have too, begin nothing, and neither does a line that no line of
        its section could follow. page: page number per line."""
        rows = {kind for table in report.tables for kind in table.rows}
        first = dict.fromkeys((*self.sections, *sorted(self.excerpts)))
        first = [name for name in first if name not in self.page_lines and self._reachable[name] & rows]
        patterns = [self._patterns[self.kind[name]] for name in first]
        if report.title and not report.page_top:
            patterns.append(report.title)
        begins = np.zeros(len(lines), dtype=bool)
        # Most pages of other programs have none of these lines: one question in place of one per kind.
        if not lines.str.contains("|".join(f"(?:{pattern})" for pattern in patterns)).any():
            return begins, begins
        for name in first:
            begins |= self._goes_on(lines, self._of_kind(lines, name), page, name)
        if report.title and not report.page_top:
            begins |= lines.str.contains(report.title).to_numpy()
        tops = (self._of_kind(lines, name) for name in self.page_lines)
        return begins, np.logical_or.reduce([begins, *tops])

    def _of_kind(self, lines: pl.Series, name: str) -> np.ndarray:
        return lines.str.contains(self._patterns[self.kind[name]]).to_numpy()

    def _goes_on(self, lines: pl.Series, found: np.ndarray, page: np.ndarray, name: str) -> np.ndarray:
        """Bool per line: it is `found`, and the next line on its page may follow a line of this kind."""
        if not found.any():
            return found
        _, state = self._automaton.start.take(1 << self.kind[name])
        if state.may_end:
            return found
        follows = np.logical_or.reduce([self._of_kind(lines, kind) for kind in state.choices])
        return found & np.append(follows[1:] & (page[1:] == page[:-1]), False)

    def shape(self, masks: np.ndarray) -> Shape:
        """The kinds of a section's lines, from their masks (uint64 per line)."""
        key = masks.tobytes()
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= _MOST_SHAPES:
                self._shapes.clear()
                self._automaton.forget()
            shape = self._shapes[key] = self._parse(masks.tolist())
        return shape

    def _parse(self, masks: list[int]) -> Shape:
        kinds = np.full(len(masks), JUNK, dtype=np.int16)
        lost: list[LostLines] = []
        breaks: list[int] = []
        state = self._automaton.start
        lost_section = -1
        section = ""
        for offset, mask in enumerate(masks):
            begins = bool(mask & self._begin)
            if lost_section >= 0 and not begins:
                lost[-1] = _longer(lost[-1], offset)
                continue
            taken = JUNK
            if lost_section < 0:
                taken, state = state.take(mask & ~self._excerpt if offset and not section else mask)
            if taken == JUNK and begins and offset:
                # The line begins a section without its usual first line: continue from here.
                breaks.append(offset)
                lost_section = -1
                section = ""
                taken, state = self._automaton.start.take(mask)
            if taken != JUNK:
                section = section or self.names[taken]
                kinds[offset] = taken
                continue
            kind = next((self.names[k] for k in _kinds(mask) if self._particular[k]), "")
            below = kind.endswith(_BELOW_HEADING)
            if below and kind not in self._reachable.get(section, ()):
                kind, below = "", False  # no row of this section at all
            # A heading that could only come earlier: the rest belongs to a section without its first line.
            severe = bool(kind) and not below and not state.comes_later(kind)
            next_to_lost = lost and lost[-1].kind and lost[-1].offset + lost[-1].lines == offset
            if kind and next_to_lost and not severe:
                lost[-1] = _longer(lost[-1], offset)
                continue
            expected = (self._beginners(kind) if severe else "") or ", ".join(sorted(state.choices))
            lost.append(LostLines(offset, 1, kind, expected))
            if severe:
                lost_section = offset
        return Shape(kinds, tuple(lost), tuple(breaks), lost_section)

    def _beginners(self, kind: str) -> str:
        """The lines that begin the smallest sections with such a line."""
        holders = {n: len(held) for n, held in self._reachable.items() if kind in held and n not in self.excerpts}
        return ", ".join(sorted(name for name, many in holders.items() if many == min(holders.values())))


def _kinds(mask: int) -> list[int]:
    """The numbers of the kinds in a mask."""
    return [k for k in range(mask.bit_length()) if mask >> k & 1]


def _longer(lost: LostLines, last_offset: int) -> LostLines:
    return LostLines(lost.offset, last_offset - lost.offset + 1, lost.kind, lost.expected)


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


def _digits_alike(patterns: Sequence[str]) -> dict[int, str]:
    """Each digit → the first digit that no pattern distinguishes from it, for `str.translate`. Lines that differ only in such digits have
    the same kinds, which leaves far fewer distinct lines."""
    told = [
        {str(d) for d in range(int(first), int(last or first) + 1)}
        for pattern in patterns
        for first, last in _DIGITS.findall(_COUNTS.sub("", pattern))
    ]
    alike = {}
    for digit in "0123456789":
        alike.setdefault(tuple(digit in some for some in told), []).append(digit)
    return {ord(digit): digits[0] for digits in alike.values() for digit in digits}


def _bit(number: int) -> np.uint64:
    return np.uint64(1) << np.uint64(number)


def _seen(flags: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Bool per line: a line with the flag is above it or here, at or below the line that its section starts at."""
    last = np.maximum.accumulate(np.where(flags, np.arange(len(flags)), -1))
    return last >= starts


def _last_of_section(flags: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Per line: the index of the last line with the flag in its section, -1 if there is none. Sections begin at `starts`."""
    at = np.flatnonzero(flags)
    begins, which = np.unique(starts, return_inverse=True)
    last = np.full(len(begins), -1, dtype=np.int64)
    last[which[at]] = at
    return last[which]


def _line_pattern(pattern: str) -> str:
    """A terminal's regular expression for whole lines, in the syntax of the bulk matcher. An arbitrary end is not matched."""
    pattern = pattern.replace(r"\/", "/").replace(r"\#", "#")
    if pattern.endswith(".*") and not pattern.endswith(r"\.*") and not _has_alternatives(pattern):
        return "^(?:" + pattern.removesuffix(".*") + ")"
    return "^(?:" + pattern + ")$"


def _has_alternatives(pattern: str) -> bool:
    """Whether the pattern as a whole is one thing or another."""
    return "|" in re.sub(r"\\.|\[[^\]]*\]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "", pattern)


def _first_letters(pattern: str) -> frozenset[str]:
    """The letters that a line of this pattern may begin with, behind its margin; empty where the pattern does not show them plainly."""
    found = _FIRST_WORDS.match(pattern)
    if not found or _has_alternatives(pattern):
        return frozenset()
    letters = [_FIRST_LETTER.match(word) for word in (found[1] or found[2] or "").split("|")]
    return frozenset(letter[0] for letter in letters if letter) if all(letters) else frozenset()


@cache
def load(name: str) -> Grammar:
    return Grammar(name)


def grammars(report: Report) -> tuple[Grammar, ...]:
    """Of its pages in print, and of those in XML, if they have one of their own."""
    return tuple(load(name) for name in (report.name, report.xml_grammar) if name)
