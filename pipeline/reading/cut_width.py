"""Files whose lines were all cut at one column, as by a copy of 80 columns: what ends there may be shorter than it was printed."""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from ..declaration.layouts import Pairs
from ..declaration.places import describe_place
from ..declaration.report import Report
from . import grammar_tables
from .line_kinds import JUNK
from .rejects import Rejects
from .report_lines import ReportLines

# A print line has at most 132 columns, and carriage control: at these, lines end that are whole.
_WHOLE = 131
_FEWEST_LINES = 2
_WORD = re.compile(r"[A-Za-z][A-Za-z/&#]*")
_LAST_WORD = re.compile(r"(?:^|[ =(-])([A-Za-z][A-Za-z/&#]+)$")
# Kinds of line with titles, which no single letter ends.
_HEADS = ("HEAD", "HEAD_MORE", "TITLES")
_ONE_LETTER = re.compile(r"[A-Z]{2}\S* ([A-Z])$")
_FREE_TEXT = ("DESCRIPTION_LINE", "MESSAGE", "_ROW", "_TEXT")
# A dashed title has about as many dashes on both sides.
_LAST_DASHED = re.compile(r"(?:^|[^-])(-{3,}) ?[^ -]+(?: [^ -]+)* ?(-*)$")
_ONLY_DASHES = re.compile(r" {2}-+$")
_AS_WIDE_AS_THE_PAGE = "SECTION_RULE"
# What a grammar's pattern says beside words.
_OPTIONAL = re.compile(r"([A-Za-z])\?")
_NO_WORDS = re.compile(r"\\[A-Za-z]|\[[^\]]*\]|[()|?*+{}\\]")


def find_cut_lines(report_lines: ReportLines, rejects: Rejects) -> None:
    """Set `cut` and `cut_width` of the lines of such files, and add one reject for each file.

    Proof is one of the titles and labels of the report that ends within a word at the greatest width of the file, or that lines of three kinds
    or more end there, among them one of a page heading, which is not as wide as the lines of a table."""
    length = report_lines.text.str.strip_chars_end(" ").str.len_chars().to_numpy().astype(np.int64)
    starts = np.flatnonzero(np.diff(report_lines.segment, prepend=-1))
    if not len(starts):
        return
    widths = np.maximum.reduceat(length, starts)
    for start, end, width in zip(starts, np.append(starts[1:], len(length)), widths, strict=True):
        lines = start + np.flatnonzero(length[start:end] == width)
        proof = _proof(report_lines, lines, int(width)) if len(lines) >= _FEWEST_LINES else -1
        if proof >= 0:
            report_lines.cut_width[start:end] = width
            report_lines.cut = np.union1d(report_lines.cut, lines)
            rejects.add_cut_width(report_lines, np.array([proof]), int(width))


def _proof(report_lines: ReportLines, lines: np.ndarray, width: int) -> int:
    """The first of the lines, which end at the width, that shows that they are cut; -1 if none does."""
    grammar, kinds = report_lines.grammar, np.unique(report_lines.kind[lines])
    names = {int(k): grammar.names[k] if k != JUNK else "" for k in kinds}
    labelled = {kind for layout in report_lines.report.layouts if isinstance(layout, Pairs) for kind in layout.rows}
    with_words = [k for k, name in names.items() if name in labelled or not name.endswith(_FREE_TEXT)]
    # Headings repeat on every page: each text is looked at once.
    at = lines[np.isin(report_lines.kind[lines], with_words)]
    texts = report_lines.text.gather(at).str.strip_chars_end(" ")
    for k in texts.is_first_distinct().arg_true().to_list():
        if _is_broken_off(report_lines, texts[k], names[int(report_lines.kind[at[k]])]):
            return int(at[k])
    heading = [k for k, n in names.items() if n in grammar.of_heading and not n.endswith(("RULE", "TITLE", "PAGE_NO"))]
    fewest = 2 if {_AS_WIDE_AS_THE_PAGE, *labelled}.intersection(names.values()) else 3
    if width >= _WHOLE or not heading or len(kinds) < fewest:
        return -1
    return int(lines[np.isin(report_lines.kind[lines], heading)][0])


def _is_broken_off(report_lines: ReportLines, text: str, name: str) -> bool:
    """Whether a line ends within a word, or within a title of dashes. name: of its kind."""
    letter = _ONE_LETTER.search(text) if name.endswith((*_HEADS, _AS_WIDE_AS_THE_PAGE)) else None
    if letter and letter[1] not in _words(report_lines.report, report_lines.grammar.name):
        return True
    return _ends_within_word(report_lines, text) or (name.endswith(_HEADS) and _ends_within_dashes(text))


def _ends_within_word(report_lines: ReportLines, text: str) -> bool:
    """Whether the line's last word is the beginning of a word of the report, and none itself."""
    found = _LAST_WORD.search(text)
    if not found:
        return False
    words = _words(report_lines.report, report_lines.grammar.name)
    return found[1] not in words and any(word.startswith(found[1]) for word in words)


def _ends_within_dashes(text: str) -> bool:
    """Whether a line of titles ends within a dashed title.

    >>> [_ends_within_dashes(text) for text in ("---- USING% -", "-USING%-  ---", "---- USING% ---", "---TIME---  AVG")]
    [True, True, False, False]
    """
    found = _LAST_DASHED.search(text)
    return bool(_ONLY_DASHES.search(text) or (found and 2 * len(found[2]) < len(found[1])))


@cache
def _words(report: Report, grammar: str) -> frozenset[str]:
    """The words of a report's titles and labels, and of the patterns of its lines."""
    texts = [describe_place(p) for table in report.tables for column in table.columns for p in column.places]
    texts += map(repr, report.layouts)
    patterns = [terminal.pattern for terminal in grammar_tables.load(grammar).terminals]
    texts += (_NO_WORDS.sub(" ", one) for p in patterns for one in (_OPTIONAL.sub(r"\1", p), _OPTIONAL.sub("", p)))
    return frozenset(word for text in texts for word in _WORD.findall(text))
