"""The tags of XML pieces, found in bulk: where each begins and ends, what it is, and what may stand behind it.

Only tags as RMF writes them have a kind; all others are OTHER.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

# A start tag is followed by its end tag. Rows have a number for each type.
OTHER, ROW, ROW_END, HEADING, HEADING_END, VAR, VAR_END, COL, COL_END, COL_EMPTY, NAME, NAME_END, VALUE, VALUE_END = (
    range(14)
)
LONGEST_TEXT = 1 << 12
_KINDS = 16
_SHORT = {
    "<row>": ROW,
    "</row>": ROW_END,
    "<var>": VAR,
    "</var>": VAR_END,
    "<col>": COL,
    "</col>": COL_END,
    "<col/>": COL_EMPTY,
    "<name>": NAME,
    "</name>": NAME_END,
    "<value>": VALUE,
    "</value>": VALUE_END,
}
_LONG = {b"<column-headers>": HEADING, b"</column-headers>": HEADING_END}
_ROW = re.compile(rb'<row(?: refno="[0-9]{1,9}+")?+(?: percent="[0-9]{1,9}+")?+(?: type="([A-Z]{1,9}+)")?+>')
_COL = re.compile(rb"<col(?: (?:type|percent)=\"[ !#-%'-;=?-~]{0,4096}+\")?+>")
# What may be between two tags: nothing but blanks within an element, the text of a cell, blanks between two elements.
NOTHING, BLANKS, TEXT, BETWEEN = range(4)
_STARTS, _ENDS = (ROW, HEADING, VAR), (ROW_END, HEADING_END, VAR_END)


def _follows() -> np.ndarray:
    out = np.full((_KINDS, _KINDS), NOTHING, dtype=np.uint8)
    for start, end in ((ROW, ROW_END), (HEADING, HEADING_END)):
        out[start, [COL, COL_EMPTY]] = BLANKS
        out[[COL_END, COL_EMPTY], end] = BLANKS
    for before in (COL_END, COL_EMPTY):
        out[before, [COL, COL_EMPTY]] = BLANKS
    out[[VAR, NAME_END, VALUE_END], [NAME, VALUE, VAR_END]] = BLANKS
    out[[COL, NAME, VALUE], [COL_END, NAME_END, VALUE_END]] = TEXT
    out[np.ix_(_ENDS, _STARTS)] = BETWEEN
    return out.ravel()


_FOLLOWS = _follows()
MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], dtype=np.uint64)


def as_word(text: str) -> int:
    return int.from_bytes(text.encode(), "little")


_WORDS = np.array(sorted(map(as_word, _SHORT)), dtype=np.uint64)
_KIND_OF_WORD = np.array([_SHORT[text] for text in sorted(_SHORT, key=as_word)], dtype=np.uint8)
_LONG_BEGINS = [(np.uint64(as_word(text)), MASKS[len(text)]) for text in ("<row ", "<col ", "<column-", "</column")]


@dataclass(frozen=True)
class Tags:
    """All tags of a text, in order. start, end: offsets of < and >. kind: as above; row_type: of a row, index in types. follows: what is
    between each tag and the next one."""

    start: np.ndarray
    end: np.ndarray
    kind: np.ndarray
    row_type: np.ndarray
    types: list[bytes]
    follows: np.ndarray


def find_tags(text: bytes, octets: np.ndarray) -> Tags | None:
    """`octets`: of the text, and 8 more. None if < and > do not take turns."""
    start, end = np.flatnonzero(octets == ord("<")), np.flatnonzero(octets == ord(">"))
    if not len(start) or len(start) != len(end) or (end < start).any() or (end[:-1] > start[1:]).any():
        return None
    kind, row_type, types = _kinds(text, octets, start, end)
    follows = _FOLLOWS[kind[:-1].astype(np.intp) * _KINDS + kind[1:]]
    size = start[1:] - end[:-1] - 1
    follows[(follows == TEXT) & (size > LONGEST_TEXT)] = NOTHING
    filled = np.flatnonzero((size > 0) & ((follows == BLANKS) | (follows == BETWEEN)))
    first, beyond = strip(octets, end[filled] + 1, start[filled + 1])
    follows[filled[first < beyond]] = NOTHING
    return Tags(start, end, kind, row_type, types, np.append(follows, np.uint8(NOTHING)))


def _kinds(
    text: bytes, octets: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[bytes]]:
    """Kind, row type, and the types. Tags of up to 8 characters are compared as one number."""
    words = words_at(octets, start)
    size = end - start + 1
    is_short = size <= 8
    short = words & MASKS[np.minimum(size, 8)]
    at = np.minimum(np.searchsorted(_WORDS, short), len(_WORDS) - 1)
    kind = np.where(is_short & (_WORDS[at] == short), _KIND_OF_WORD[at], np.uint8(OTHER))
    row_type = np.zeros(len(start), dtype=np.uint8)
    may_be = np.zeros(len(start), dtype=bool)
    for word, mask in _LONG_BEGINS:
        may_be |= (words & mask) == word
    long = np.flatnonzero(may_be & ~is_short)
    long_tags = [text[a : b + 1] for a, b in zip(start[long].tolist(), end[long].tolist(), strict=True)]
    types = [b""]
    seen = {tag: _kind_of(tag, types) for tag in sorted(set(long_tags))}
    found = np.array([seen[tag] for tag in long_tags], dtype=np.intp)
    kind[long], row_type[long] = found % _KINDS, found // _KINDS
    return kind, row_type, types


def _kind_of(tag: bytes, types: list[bytes]) -> int:
    """The kind, and in front of it the index of the type of a row, which is added to the types."""
    if tag in _LONG:
        return _LONG[tag]
    if _COL.fullmatch(tag):
        return COL
    row = _ROW.fullmatch(tag)
    if not row:
        return OTHER
    row_type = row[1] or b""
    if row_type not in types:
        if len(types) > np.iinfo(np.uint8).max:
            return OTHER
        types.append(row_type)
    return ROW + _KINDS * types.index(row_type)


def words_at(octets: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Eight characters from each offset as one number."""
    return np.ndarray(len(octets) - 7, "<u8", octets, strides=(1,))[at]


def strip(octets: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The texts without blanks and line ends around them; an empty one has its end at its start."""
    start, end = start.copy(), end.copy()
    for at, step, edge in ((start, 1, 0), (end, -1, -1)):
        left = np.flatnonzero(start < end)
        while len(left):
            left = left[_IS_BLANK[octets[at[left] + edge]]]
            at[left] += step
            left = left[start[left] < end[left]]
    return start, end


_IS_BLANK = np.zeros(256, dtype=bool)
_IS_BLANK[list(b" \t\n")] = True
