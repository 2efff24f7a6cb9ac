"""Files whose lines were all cut at one column, as by a copy of 80 columns: what ends there may be shorter than it was printed."""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from ..declaration.layouts import Pairs
from ..declaration.places import describe_place
from ..declaration.report import Report
from . import grammar_tables
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
    width = np.maximum.reduceat(length, starts)
    file = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(length))))
    lines = np.flatnonzero(length == width[file])
    lines = lines[np.bincount(file[lines])[file[lines]] >= _FEWEST_LINES]
    proof = _proofs(report_lines, lines, file, width)
    cut = np.flatnonzero(proof >= 0)
    if len(cut):
        report_lines.cut_width = np.where(proof >= 0, width, 0)[file]
        report_lines.cut = np.union1d(report_lines.cut, lines[proof[file[lines]] >= 0])
        rejects.add_cut_width(report_lines, proof[cut], width[cut])


def _proofs(report_lines: ReportLines, lines: np.ndarray, file: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Per file the first of its lines that shows that lines are cut; -1 if none does. lines: those that end at the width of their file;
    file: per line of the report; width: per file."""
    grammar, kind = report_lines.grammar, report_lines.kind[lines]
    labelled = {kind for layout in report_lines.report.layouts if isinstance(layout, Pairs) for kind in layout.rows}
    # JUNK is -1 and indexes the last entry.
    names = [*grammar.names, ""]
    proof = np.full(len(width), len(report_lines.kind), dtype=np.int64)
    has_words = np.array([name in labelled or not name.endswith(_FREE_TEXT) for name in names])
    at = lines[has_words[kind]]
    encoded = report_lines.text.gather(at).str.strip_chars_end(" ").to_arrow().dictionary_encode()
    # Headings repeat on every page: each text is looked at once.
    which, first = np.unique(encoded.indices.to_numpy(), return_index=True)[:2] if len(at) else (at, at)
    texts = encoded.dictionary.to_pylist()
    broken = np.zeros(len(texts), dtype=bool)
    for number, line in zip(which.tolist(), at[first].tolist(), strict=True):
        broken[number] = _is_broken_off(report_lines, texts[number], names[report_lines.kind[line]])
    if broken.any():
        shown = at[broken[encoded.indices.to_numpy()]]
        np.minimum.at(proof, file[shown], shown)
    heads = [n in grammar.of_heading and not n.endswith(("RULE", "TITLE", "PAGE_NO")) for n in names]
    wide = [n == _AS_WIDE_AS_THE_PAGE or n in labelled for n in names]
    many, is_wide = np.zeros((2, len(width)), dtype=np.int64)
    pairs = np.unique(file[lines] * len(names) + kind % len(names))
    np.add.at(many, pairs // len(names), 1)
    np.add.at(is_wide, pairs // len(names), np.array(wide)[pairs % len(names)])
    heading = lines[np.array(heads)[kind]]
    heading = heading[(width < _WHOLE)[file[heading]] & (many >= np.where(is_wide > 0, 2, 3))[file[heading]]]
    np.minimum.at(proof, file[heading], heading)
    return np.where(proof < len(report_lines.kind), proof, -1)


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
    of_report = report_lines.report, report_lines.grammar.name
    return found[1] not in _words(*of_report) and found[1] in _beginnings(*of_report)


def _ends_within_dashes(text: str) -> bool:
    """Whether a line of titles ends within a dashed title.

    >>> [_ends_within_dashes(text) for text in ("---- USING% -", "-USING%-  ---", "---- USING% ---", "---TIME---  AVG")]
    [True, True, False, False]
    """
    found = _LAST_DASHED.search(text)
    return bool(_ONLY_DASHES.search(text) or (found and 2 * len(found[2]) < len(found[1])))


@cache
def _beginnings(report: Report, grammar: str) -> frozenset[str]:
    """What a word of the report may begin with."""
    return frozenset(word[:end] for word in _words(report, grammar) for end in range(1, len(word)))


@cache
def _words(report: Report, grammar: str) -> frozenset[str]:
    """The words of a report's titles and labels, and of the patterns of its lines."""
    texts = [describe_place(p) for table in report.tables for column in table.columns for p in column.places]
    texts += map(repr, report.layouts)
    patterns = [terminal.pattern for terminal in grammar_tables.load(grammar).terminals]
    texts += (_NO_WORDS.sub(" ", one) for p in patterns for one in (_OPTIONAL.sub(r"\1", p), _OPTIONAL.sub("", p)))
    return frozenset(word for text in texts for word in _WORD.findall(text))
