"""Values parsed from whole lines: each distinct text of these lines is parsed once, not once per row."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from ..declaration.places import LineParser
from ..declaration.reading_options import Options
from ..errors import Problem, Unreadable
from . import cut_lines
from .rejects import Rejects
from .report_lines import ReportLines

# What is behind such a blank may be the rest of the number in front, if it is no time and no date.
_WITHIN_NUMBER = re.compile(r"(?<=[0-9.]) (?=[0-9.])(?!\d{1,2}([.:/])\d\d\1\d\d)")
# Keys of texts on several lines are products of counts, and must not overflow.
_MOST_KEYS = 1 << 62


@dataclass
class LineValues:
    """The parsers of a report, each evaluated once for the rows of some kinds; unreadable texts are reported once per text and source."""

    report_lines: ReportLines
    options: Options
    rejects: Rejects
    _reported: set[tuple[LineParser, tuple[str | None, ...] | str, int]] = field(default_factory=set)
    _of_rows: dict[tuple[LineParser, tuple[str, ...], int], tuple[np.ndarray, list[dict[str, Any]]]] = field(
        default_factory=dict
    )

    def of_rows(
        self, parser: LineParser, kinds: tuple[str, ...], line: np.ndarray
    ) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """An index per row into the values of a parser, and the values. `line`: the first lines of the rows of `kinds`."""
        # Fewer rows of the same kinds are those whose parts are joined.
        key = parser, kinds, len(line)
        if key not in self._of_rows:
            self._of_rows[key] = self._read_rows(parser, kinds, line)
        return self._of_rows[key]

    def _read_rows(
        self, parser: LineParser, kinds: tuple[str, ...], line: np.ndarray
    ) -> tuple[np.ndarray, list[dict[str, Any]]]:
        report_lines = self.report_lines
        below = [parser.follows and kind not in self.report_lines.grammar.page_lines for kind in parser.lines]
        found = [
            self._below(kinds, line, kind) if at else self.report_lines.above(line, kind)
            for kind, at in zip(parser.lines, below, strict=True)
        ]
        for at in found:
            report_lines.used[at[at >= 0]] = True
        texts = [report_lines.text_ids((kind,)) for kind in parser.lines]
        key, size = np.zeros(len(line), dtype=np.int64), 1
        if report_lines.cut_width.any():
            key, size = report_lines.cut_width[line], int(report_lines.cut_width.max()) + 1
        for at, (ids, words) in zip(found, texts, strict=True):
            if size * (len(words) + 1) > _MOST_KEYS:
                distinct, key = np.unique(key, return_inverse=True)
                size = len(distinct)
            key = key * (len(words) + 1) + np.where(at >= 0, ids[np.maximum(at, 0)] + 1, 0)
            size *= len(words) + 1
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        columns = [
            np.array([*words, None], dtype=object)[np.where(at[first] >= 0, ids[at[first]], -1)].tolist()
            for at, (ids, words) in zip(found, texts, strict=True)
        ]
        width = report_lines.cut_width[line[first]].tolist()
        out, problems = [], {}
        for k, printed in enumerate(zip(*columns, strict=True)):
            values, wrong = _read_once(parser, printed, self.options, width[k])
            out.append(values)
            if wrong:
                problems[k] = (printed, wrong)
        if problems:
            self._reject(parser, problems, which, found, report_lines.segment[line])
        return which.astype(np.int64), out

    def _below(self, kinds: tuple[str, ...], line: np.ndarray, kind: str) -> np.ndarray:
        """Per row of `kinds`: the line of `kind` at or below it and above the next row, or -1. Skips a line cut by the end of the file,
        whose last value may be incomplete."""
        where = self.report_lines.lines_of((kind,))
        cut = np.isin(where, self.report_lines.cut) & (self.report_lines.cut_width[where] == 0)
        self.rejects.add_cut(self.report_lines, where[cut])
        where = where[~cut]
        row = self.report_lines.row_above(kinds, where)
        found = np.full(len(line), -1, dtype=np.int64)
        found[np.searchsorted(line, row[row >= 0])] = where[row >= 0]
        return found

    def _reject(
        self,
        parser: LineParser,
        problems: dict[int, tuple[tuple[str | None, ...], tuple[Problem, ...]]],
        which: np.ndarray,
        found: list[np.ndarray],
        segment: np.ndarray,
    ) -> None:
        """Report unreadable texts once per text and source, and once per line: it may hold for several pages. `which`: the text of each row."""
        rows = np.flatnonzero(np.isin(which, list(problems)))
        _, first = np.unique(np.stack([which[rows], segment[rows]]), axis=1, return_index=True)
        for row in rows[first]:
            printed, wrong = problems[int(which[row])]
            told = (parser, printed, int(segment[row]))
            if told in self._reported:
                continue
            self._reported.add(told)
            for p in wrong:
                line, what = int(found[p.line][row]), f"{self.report_lines.report.name}: {p.what}"
                of_line = (parser, what, line)
                if line < 0 or of_line not in self._reported:
                    self._reported.add(of_line)
                    at = np.array([max(line, 0)])
                    self.rejects.add(self.report_lines, at, what, p.expected, p.hint, column=p.column)


@lru_cache(maxsize=1 << 13)
def _read_once(
    parser: LineParser, printed: tuple[str | None, ...], options: Options, width: int = 0
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Class headers and goals repeat in every interval, so they are parsed once per process. Headings have a time and do not: of more texts
    than those of a few batches, the memory would grow with the input. width: the column at which the lines were cut, or 0."""
    if all(p is None for p in printed):
        return {}, ()
    more, reach = parser.more
    ends = [k for k, text in enumerate(printed) if text is not None and width and len(text.rstrip()) >= width]
    if (
        width
        and more
        and (ends or (width < reach and not _read(parser, (f"{printed[0]}{more}", *printed[1:]), options)[1]))
    ):
        return _read_once(parser, (f"{printed[0]} =", *printed[1:]), options)
    if ends:
        values, wrong = _read_once(parser, printed, options)
        for end in cut_lines.MORE:
            longer = tuple(f"{text}{end}" if k in ends else text for k, text in enumerate(printed))
            other, _ = _read(parser, longer, options)
            values = {name: value if other.get(name) == value else None for name, value in values.items()}
        return values, wrong
    values, wrong = _read(parser, printed, options)
    for k, text in enumerate(one or "" for one in printed):
        for blank in _WITHIN_NUMBER.finditer(text):
            whole = f"{text[: blank.start()]}{text[blank.end() :]}"
            joined = (*printed[:k], whole, *printed[k + 1 :])
            other, _ = _read(parser, joined, options)
            differ = [name for name, value in values.items() if other.get(name) != value]
            if differ:
                values = values | dict.fromkeys(differ)
                problem = Problem(k, blank.start(), "a blank within a number", "a number without blanks", "left NULL")
                wrong = (*wrong, problem)
    return values, wrong


def _read(
    parser: LineParser, printed: tuple[str | None, ...], options: Options
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    try:
        return parser.read(printed, options), ()
    except Unreadable as unreadable:
        return unreadable.values, tuple(unreadable.problems)
