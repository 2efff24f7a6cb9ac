"""A report's claimed lines as arrays: kind, section, page, and the nearest line of a kind above.

All indexes named `line` below count the report's non-blank lines of a batch; numbers of the file are in `ReportLines.number`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from ..declaration.layouts import CounterBlocks
from ..declaration.places import Counter
from ..declaration.report import Report
from ..errors import UsageError
from . import compiled
from .array_ids import cumcount
from .line_kinds import JUNK, Grammar, arrow_buffers, faults_told
from .pages import PAGE_NUMBER, WIDEST, page_number

# Page numbers wrap to 0 at the width of their field.
_TURNS_OF_NUMBERS = (1_000, 10_000, 100_000)
_DIGITS_ALIKE = str.maketrans("123456789", "000000000")


@dataclass
class ReportLines:
    """Lines of one report. Arrays have one entry per line: kind (JUNK if none), segment, number and page in the file, `page_index` (from 0),
    `unit` (parsed section), `owner` (section across page breaks; -1 if its beginning is missing). `damaged`: rows not read because a
    line of their heading is missing; `used`: lines with a value in a table or reported; `lost_rows`: lines that look like rows without a
    heading; `torn`: first lines of pages whose heading is lost, or its top; `lost_page_lines`: page lines out of place; `lost_headings`: those of them at the top of a page; `cut`: indexes of lines that the end of a file, or a copy, may have cut; `cut_width`: the column at which all lines of the file were cut, 0 for others; `title_shifts`:
    lines, and by how many columns their titles were moved right; `watched`: keep cells for `explain`."""

    report: Report
    grammar: Grammar
    text: pl.Series
    segment: np.ndarray
    number: np.ndarray
    page: np.ndarray
    page_index: np.ndarray
    cut: np.ndarray
    kind: np.ndarray = field(init=False)
    cut_width: np.ndarray = field(init=False)
    unit: np.ndarray = field(init=False)
    owner: np.ndarray = field(init=False)
    damaged: np.ndarray = field(init=False)
    used: np.ndarray = field(init=False)
    lost_rows: np.ndarray = field(init=False)
    torn: np.ndarray = field(init=False)
    lost_page_lines: np.ndarray = field(init=False)
    lost_headings: np.ndarray = field(init=False)
    title_shifts: list[tuple[np.ndarray, int]] = field(default_factory=list)
    watched: bool = False
    _lines_of: dict[tuple[str, ...], np.ndarray] = field(default_factory=dict)
    _texts: dict[tuple[str, ...], tuple[np.ndarray, pl.Series]] = field(default_factory=dict)
    _ids: dict[tuple[str | bool, ...], tuple[np.ndarray, list[str]]] = field(default_factory=dict)
    _page_texts: dict[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def cells(self) -> np.ndarray:
        """Byte matrix (lines, width): the lines padded with blanks, one byte per character (? if not ASCII)."""
        if not len(self.text):
            return np.zeros((0, 1), dtype=np.uint8)
        longest = max(int(self.text.str.len_chars().max()), 1)  # type: ignore[arg-type]
        return byte_matrix(self.text, min(longest, WIDEST))

    @property
    def last_lines(self) -> np.ndarray:
        """Bool per line: it is the last of its file."""
        return np.diff(self.segment, append=-1) != 0

    def of_kind(self, kinds: tuple[str, ...], lines: np.ndarray | None = None) -> np.ndarray:
        """Bool per line, of all or of `lines`: its kind is one of these."""
        wanted = np.zeros(len(self.grammar.names) + 1, dtype=bool)
        wanted[self._numbers(kinds)] = True
        # JUNK is -1 and indexes the last entry, which no kind has.
        return wanted[self.kind if lines is None else self.kind[lines]]

    @cached_property
    def of_excerpt(self) -> np.ndarray:
        """Bool per line: its unit is an excerpt, without the lines that name its rows."""
        begins = self._begins_unit & self.of_kind(tuple(self.grammar.excerpts))
        return np.isin(self.unit, self.unit[begins])

    @cached_property
    def _rank(self) -> np.ndarray:
        """Per line: the number of lines with a kind up to it."""
        return np.cumsum(self.kind != JUNK, dtype=np.int32)

    @cached_property
    def _begins_unit(self) -> np.ndarray:
        """Bool per line: it is the first of its unit that has a kind."""
        begins = np.zeros(len(self.kind), dtype=bool)
        at = np.flatnonzero(self.kind != JUNK)
        begins[at] = np.diff(self.unit[at], prepend=-1) != 0
        return begins

    def one_below_another(self, lines: np.ndarray) -> np.ndarray:
        """Indexes into ascending lines of the first of each run; lines without a kind do not end a run."""
        return np.flatnonzero(np.diff(self._rank[lines], prepend=-1) != 1)

    def runs(self, kinds: tuple[str, ...]) -> np.ndarray:
        """First lines of the runs of lines of these kinds within a unit, ascending."""
        where = self.lines_of(kinds)
        begins = self._begins_unit[where]
        begins[self.one_below_another(where)] = True
        return where[begins]

    @cached_property
    def _by_kind(self) -> tuple[np.ndarray, np.ndarray]:
        """Indexes of the lines sorted by kind, and where each kind begins."""
        order = np.argsort(self.kind, kind="stable")
        return order, np.searchsorted(self.kind[order], np.arange(len(self.grammar.names) + 1))

    def lines_of(self, kinds: tuple[str, ...]) -> np.ndarray:
        """Indexes of the lines of these kinds, ascending."""
        found = self._lines_of.get(kinds)
        if found is None:
            order, begins = self._by_kind
            numbers = set(self._numbers(kinds))
            of_each = [order[begins[n] : begins[n + 1]] for n in numbers]
            found = of_each[0] if len(of_each) == 1 else np.sort(np.concatenate([order[:0], *of_each]))
            self._lines_of[kinds] = found
        return found

    def known_kinds(self, kinds: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the grammar: a report with a grammar for XML names kinds that only one of the two has."""
        return tuple(k for k in kinds if k in self.grammar.kind) if self.report.xml_grammar else kinds

    def _numbers(self, kinds: tuple[str, ...]) -> list[int]:
        try:
            return [self.grammar.kind[k] for k in self.known_kinds(kinds)]
        except KeyError as error:
            what = f"the declaration of {self.report.name} names the line {error}, which its grammar does not have"
            raise UsageError(what, hint="ironlake test DIR says where") from None

    def nearest(self, kinds: tuple[str, ...], lines: np.ndarray) -> np.ndarray:
        """Index of the nearest line of these kinds at or above each of `lines`, -1 if there is none."""
        where = self.lines_of(kinds)
        at = np.searchsorted(where, lines, side="right") - 1
        return np.where(at >= 0, where[at], -1) if len(where) else np.full(len(lines), -1, dtype=np.int64)

    def above(self, lines: np.ndarray, kind: str) -> np.ndarray:
        """For each line, the nearest line of `kind` at or above that applies to it, or -1: page lines on the same page, others in the same
        section, across page breaks too."""
        found = self.nearest((kind,), lines)
        if not len(self.lines_of((kind,))):
            return found
        if kind in self.grammar.page_lines:
            page, named = self.page_index[lines], self.page_index[found]
            speaks = named == page
            if kind in self.report.carried:
                speaks |= (found >= 0) & (self._own_pages[named] == self._own_pages[page])
            if self.grammar.entries:
                entry = self._entries[found]
                same = entry == self._entries[lines]
                if kind in self.report.lasting:
                    speaks = same & (self._of_interval[named] == self._of_interval[page])
                else:
                    speaks &= same | (entry < self.page_begins[page])
            if kind in self.grammar.of_heading and self.lost_headings.any():
                speaks &= self._headings_lost[found] == self._headings_lost[lines]
        else:
            owner = self.owner[lines]
            speaks = ((self.owner[found] == owner) & (owner >= 0)) | (self.unit[found] == self.unit[lines])
        return np.where((found >= 0) & speaks, found, -1)

    def row_above(self, kinds: tuple[str, ...], lines: np.ndarray) -> np.ndarray:
        """For each line, the nearest line of these kinds at or above in the same section, across page breaks too, or -1."""
        found = at = self.nearest(kinds, lines)
        same = (self.unit[at] == self.unit[lines]) | ((self.owner[at] == self.owner[lines]) & (self.owner[lines] >= 0))
        return np.where((found >= 0) & same, found, -1)

    @cached_property
    def page_begins(self) -> np.ndarray:
        """Per page its first line."""
        return np.searchsorted(self.page_index, np.arange(int(self.page_index[-1]) + 1))

    @cached_property
    def follows(self) -> np.ndarray:
        """Bool per page: its number shows no gap to the page before, as far as both are known. A repeated number is not a gap."""
        number = self._page_numbers
        before = np.concatenate([[-1], number[:-1]])
        return (number < 0) | (before < 0) | np.isin(before + 1 - number, (0, 1, *_TURNS_OF_NUMBERS))

    @cached_property
    def left_out(self) -> np.ndarray:
        """Per page how many pages of its interval are not in the file, by the numbers of it and the page before."""
        number, begins = self._page_numbers, self.page_begins
        before = np.concatenate([[-1], number[:-1]])
        same = np.diff(self.segment[begins], prepend=-1) == 0
        for kind in self.report.interval:
            interval = self.page_text(kind)
            same &= (interval >= 0) & (np.diff(interval, prepend=-1) == 0)
        # Pages of other reports may be numbered with them.
        between = number - before - np.maximum(np.diff(self.page[begins], prepend=0), 1)
        return np.where(same & (before >= 0), np.maximum(between, 0), 0)

    @cached_property
    def _of_interval(self) -> np.ndarray:
        """Per page: the number of pages up to it that name another interval than the page before, or that a page is missing before, or one of
        another report stands before: lines of the page before may be on that."""
        begins = self.page_begins
        same = (
            self.follows
            & (np.diff(self.segment[begins], prepend=-1) == 0)
            & (np.diff(self.page[begins], prepend=0) <= 1)
        )
        for kind in self.report.interval:
            interval = self.page_text(kind)
            same &= (interval >= 0) & (np.diff(interval, prepend=-1) == 0)
        return np.cumsum(~same)

    @cached_property
    def _page_numbers(self) -> np.ndarray:
        """Per page its printed number, -1 for none."""
        number = np.full(len(self.page_begins), -1, dtype=np.int64)
        for kind in self.report.numbered:
            ids, words = self.text_ids((kind,))
            of_text = np.array([*map(page_number, words), -1], dtype=np.int64)
            where = np.flatnonzero(of_text[ids] >= 0)
            number[self.page_index[where]] = of_text[ids[where]]
        return number

    @cached_property
    def _entries(self) -> np.ndarray:
        """Per line: the first line of its entry, -1 before the first. A lost page line or repeated titles begin an unknown entry."""
        begins = self._named_entries.copy()
        begins[self.repeated_titles] = True
        return np.maximum.accumulate(np.where(begins, np.arange(len(begins)), -1))

    @cached_property
    def _named_entries(self) -> np.ndarray:
        """Bool per line: it begins an entry, readable or not."""
        return self.of_kind(self.grammar.entries) | self.lost_page_lines

    @cached_property
    def repeated_titles(self) -> np.ndarray:
        """Title lines of counter blocks that repeat within an entry on the same page: the line that names the next entry must be lost.
        Titles that name their block may repeat."""
        counters = [h for h in self.report.layouts if isinstance(h, CounterBlocks)] if self.grammar.entries else []
        kinds = tuple(h.lines[0] for h in counters)
        if not kinds or not len(where := self.lines_of(kinds)):
            return np.zeros(0, dtype=np.int64)
        parts = (p for t in self.report.tables for c in t.columns for p in c.places if isinstance(p, Counter))
        of_names = re.compile(
            "|".join(rf" {{2}}{re.escape(t)}(?: {{2}}|$)" for p in parts if p.part == "title" for t in p.of) or "$^"
        )
        repeats = re.compile("|".join((*(p for h in counters for p in h.repeats), "$^")))
        ids, texts = self.text_ids(kinds)
        whole = np.array([not (of_names.search(text) or repeats.search(text)) for text in texts])
        where = where[whole[ids[where]]]
        entry, page = np.cumsum(self._named_entries)[where], self.page_index[where]
        times = cumcount(entry, page, ids[where])
        _, first = np.unique(np.stack([page, entry, times]), axis=1, return_index=True)
        return where[np.sort(first[times[first] > 1])]

    @cached_property
    def unnamed_entries(self) -> np.ndarray:
        """The first titles of counter blocks on pages whose entries have names, without a line that begins an entry above them."""
        named_by = self.report.entries_named
        counters = tuple(h.lines[0] for h in self.report.layouts if isinstance(h, CounterBlocks))
        if not named_by or not len(where := self.lines_of(counters)):
            return np.zeros(0, dtype=np.int64)
        first = where[np.diff(self.page_index[where], prepend=-1) != 0]
        begins = np.flatnonzero(self._named_entries)
        before = np.append(-1, begins)[np.searchsorted(begins, first)]
        first = first[before < self.page_begins[self.page_index[first]]]
        ids, texts = self.text_ids((named_by.line,))
        has_names = np.array([*(bool(re.search(named_by.pattern, text)) for text in texts), False])
        line = self.above(first, named_by.line)
        return first[has_names[np.where(line >= 0, ids[line], -1)]]

    @cached_property
    def of_torn_page(self) -> np.ndarray:
        """Bool per line: its page lost its heading, or the top of it."""
        return np.isin(self.page_index, self.page_index[self.torn])

    @cached_property
    def _headings_lost(self) -> np.ndarray:
        """Per line: the number of lines of headings out of place up to it: below one of them, the heading is unknown."""
        return np.cumsum(self.lost_headings)

    @cached_property
    def _own_pages(self) -> np.ndarray:
        """Per page: the number of pages up to it that begin a new section; the others continue one."""
        claimed = np.flatnonzero((self.kind != JUNK) & ~self.of_kind(self.grammar.page_lines))
        pages, first = np.unique(self.page_index[claimed], return_index=True)
        owner = self.owner[claimed[first]]
        begins = np.searchsorted(self.unit, owner)
        own = np.ones(int(self.page_index[-1]) + 1, dtype=np.int64)
        own[pages] = (owner < 0) | (self.page_index[np.minimum(begins, len(self.unit) - 1)] == pages)
        return np.cumsum(own)

    def page_text(self, kind: str) -> np.ndarray:
        """Per page: the id of its line of `kind` without page number and blanks (a page may be shifted), or -1."""
        if kind not in self._page_texts:
            self._page_texts[kind] = _page_text(self, kind)
        return self._page_texts[kind]

    def texts(self, kinds: tuple[str, ...]) -> tuple[np.ndarray, pl.Series]:
        """Per line an index into the distinct texts of the lines of these kinds (-1 for other lines), and the texts."""
        known = self._texts.get(kinds)
        if known is None:
            where = self.lines_of(kinds)
            encoded = self.text[where].to_arrow().dictionary_encode()
            ids = np.full(len(self.kind), -1, dtype=np.int64)
            ids[where] = encoded.indices.to_numpy(zero_copy_only=False)
            known = self._texts[kinds] = (ids, pl.Series(encoded.dictionary))
        return known

    def text_ids(self, kinds: tuple[str, ...], headings: bool = False) -> tuple[np.ndarray, list[str]]:
        """Like `texts`, with a list of the texts. With `headings`, digits count as equal: values beside titles do not move a column."""
        key = (*kinds, headings)
        known = self._ids.get(key)
        if known is None:
            ids, series = self.texts(kinds)
            texts = series.to_list()
            if headings:
                alike = [text.translate(_DIGITS_ALIKE) for text in texts]
                texts = list(dict.fromkeys(alike))
                number = {text: k for k, text in enumerate(texts)}
                # Other lines are -1 and index the last entry.
                ids = np.array([*(number[text] for text in alike), -1], dtype=np.int64)[ids]
            known = self._ids[key] = (ids, texts)
        return known


def byte_matrix(text: pl.Series, width: int) -> np.ndarray:
    """(lines, width): the lines padded with blanks or cut, one byte per character (? if not ASCII)."""
    with faults_told():
        found = compiled.padded(*arrow_buffers(text), width, False)
    return np.frombuffer(found, np.uint8).reshape(len(text), width)


def _page_text(report_lines: ReportLines, kind: str) -> np.ndarray:
    ids, words = report_lines.text_ids((kind,))
    bare = [" ".join(PAGE_NUMBER.sub("", word).split()) for word in words]
    number = {word: number for number, word in enumerate(dict.fromkeys(bare))}
    same = np.array([number[word] for word in bare] + [-1], dtype=np.int64)
    out = np.full(int(report_lines.page_index[-1]) + 1, -1, dtype=np.int64)
    where = np.flatnonzero(ids >= 0)
    out[report_lines.page_index[where]] = same[ids[where]]
    return out
