"""Where names stand on pages that are read, and not words of a report of the same spelling: a service class may be called BATCH.

Tried, not guessed: on a page of its own, one such word is changed. If that page is read with the same rows, in which only columns of
names differ, then it is a name there, and at the same place of all lines of that kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration.places import Field
from ..declaration.reading_options import Options
from ..declaration.report import reports
from ..files.segment import Segment
from ..reading.engine import Watched, parse, watch

WORD = re.compile(r"(?:[^\W_]|[@#$])+")
# They say which systems a page is of; a word of the report may be among them.
_SAID_OF_NAMES = ("scope", "refs")
_OF_THE_SOURCE = ("source_id", "source_file")
# A page at a time is tried with each of these: more are looked at in turns.
_MOST_AT_ONCE = 200


class WordPlace(NamedTuple):
    """Where a word stands: report, kind of line, column (from 0), the word in capitals, and the sign before it."""

    report: str
    kind: str
    column: int
    word: str
    before: str


class _Found(NamedTuple):
    """A word on a page: index of its line in the text, where it begins there, and first and last line of the page."""

    line: int
    begin: int
    first: int
    last: int


@dataclass
class NamePlaces:
    """Finds words that are names where they stand. `columns`: those of names; `is_word`: whether a word in capitals, of a value in such
    a column, is one of a report; `other`: another name in place of one, of the same length."""

    columns: Collection[str]
    is_word: Callable[[str, str, str], bool]
    other: Callable[[str], str]
    _known: dict[WordPlace, bool] = field(default_factory=dict)

    def find(self, text: str, control: bytes) -> dict[int, set[int]]:
        """By index of a line of the pages, where words begin on it that are words of a report and names here."""
        watched = watch([Segment("", "", text.encode(), control)], Options())
        words = self._words(watched)
        if not words:
            return {}
        found = list(_places(watched, words))
        lines = text.split("\n")
        self._known |= {place: True for place, at in found if _is_one_name(place, lines[at.line], at.begin)}
        new = [(place, at) for place, at in found if place not in self._known]
        # The page of the one may go on with what another began: then the other says more.
        for examples in (dict(reversed(new)), dict(new)):
            self._try(lines, control, {p: at for p, at in examples.items() if not self._known.get(p)})
        out: dict[int, set[int]] = {}
        for place, at in found:
            if self._known[place]:
                out.setdefault(at.line, set()).add(at.begin)
        return out

    def _words(self, watched: Watched) -> set[str]:
        """The words of reports that columns of names have."""
        out = set()
        for *_, tables, _ in watched.reports:
            for table in tables.values():
                for name in set(table.schema.names) & set(self.columns) - {*_SAID_OF_NAMES}:
                    for value in filter(None, table[name].unique().to_pylist()):
                        out |= {w for w in map(str.upper, WORD.findall(value)) if self.is_word(w, value, name)}
        return out

    def _try(self, lines: list[str], control: bytes, examples: dict[WordPlace, _Found]) -> None:
        """Say of each place whether a name is read there."""
        places = list(examples)
        for begin in range(0, len(places), _MOST_AT_ONCE):
            some = places[begin : begin + _MOST_AT_ONCE]
            segments = []
            for number, place in enumerate(some):
                at = examples[place]
                page = lines[at.first : at.last + 1]
                there = page[at.line - at.first]
                end = at.begin + len(place.word)
                changed = [*page]
                changed[at.line - at.first] = there[: at.begin] + self.other(there[at.begin : end]) + there[end:]
                for kind, text in (("before", page), ("after", changed)):
                    of_page = control[at.first : at.last + 1]
                    segments.append(Segment(f"{kind} {number}", "", ("\n".join(text) + "\n").encode(), of_page))
            rows = _by_source(parse(segments, Options()).tables)
            for number, place in enumerate(some):
                before, after = rows.get(f"before {number}", {}), rows.get(f"after {number}", {})
                at = examples[place]
                self._known[place] = self._is_name(before, after, self._is_declared(place, lines[at.line], at.begin))

    def _is_declared(self, place: WordPlace, line: str, begin: int) -> bool:
        """Whether a pattern that is declared for a column of names finds the word: a page may say a name twice, and one is read."""
        fields = (
            one
            for table in reports()[place.report].tables
            for column in table.columns
            for one in column.places
            if isinstance(one, Field) and column.name in self.columns
        )
        return _is_of_field(fields, place, line, begin)

    def _is_name(self, before: dict[str, pl.DataFrame], after: dict[str, pl.DataFrame], is_declared: bool) -> bool:
        """Whether both have the same rows, but for names; one at least is another, if it is not declared to be one."""
        if {name: frame.height for name, frame in before.items()} != {name: f.height for name, f in after.items()}:
            return False
        names = [*self.columns, *_SAID_OF_NAMES]
        if any(
            not _equal(before[name].drop(names, strict=False), after[name].drop(names, strict=False)) for name in before
        ):
            return False
        return is_declared or any(
            not _equal(before[name].select(column), after[name].select(column))
            for name in before
            for column in set(before[name].columns) & set(self.columns) - {*_SAID_OF_NAMES}
        )


def _is_one_name(place: WordPlace, line: str, begin: int) -> bool:
    """Whether the word is a name that its page prints more than once: with one of them replaced, the page is torn."""
    return _is_of_field((one for fields in reports()[place.report].one_name for one in fields), place, line, begin)


def _is_of_field(fields: Iterable[Field], place: WordPlace, line: str, begin: int) -> bool:
    """Whether the pattern of one of the fields finds the word."""
    return any(
        (match := re.search(one.pattern, line)) and match.start(1) <= begin < match.end(1)
        for one in fields
        if one.line == place.kind
    )


def _equal(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    return one.equals(other, null_equal=True)


def _by_source(tables: dict[str, pa.Table]) -> dict[str, dict[str, pl.DataFrame]]:
    """The rows of each source by table. Of a reject it counts that it is there: it says what its line says."""
    out: dict[str, dict[str, pl.DataFrame]] = {}
    for name, table in tables.items():
        frame = pl.DataFrame(pl.from_arrow(table)).with_columns(pl.col(pl.Categorical).cast(pl.String))
        for (source, *_), rows in frame.group_by("source_id", maintain_order=True):
            kept = rows.select("source_id") if name == "parse_reject" else rows
            out.setdefault(str(source), {})[name] = kept.drop(_OF_THE_SOURCE, strict=False)
    return out


def _places(watched: Watched, words: set[str]) -> Iterator[tuple[WordPlace, _Found]]:
    """Where the words stand on lines that are read."""
    one_of = re.compile(rf"(?<![^\W_]|[@#$])(?:{'|'.join(map(re.escape, words))})(?![^\W_]|[@#$])", re.IGNORECASE)
    starts = watched.lines.page_starts
    ends = np.append(starts[1:], len(watched.lines.text)) - 1
    for chosen, builder, *_ in watched.reports:
        report_lines = builder.report_lines
        page = np.maximum(np.searchsorted(starts, chosen, side="right") - 1, 0)
        for at in report_lines.text.str.contains(f"(?i){'|'.join(map(re.escape, words))}").arg_true().to_list():
            kind = int(report_lines.kind[at])
            if kind < 0:
                continue
            line = report_lines.text[at]
            first, last = (int(watched.lines.number[edge[page[at]]]) - 1 for edge in (starts, ends))
            for match in one_of.finditer(line):
                before = line[: match.start()].rstrip()[-1:]
                place = WordPlace(
                    report_lines.report.name,
                    report_lines.grammar.names[kind],
                    match.start(),
                    match[0].upper(),
                    before if before in "=:." else "",
                )
                yield place, _Found(int(report_lines.number[at]) - 1, match.start(), first, last)
