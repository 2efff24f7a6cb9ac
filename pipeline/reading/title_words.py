"""Headings that differ only in words that no declaration names, such as the reasons that a site's delays have: they have the same columns,
so these are worked out once, and the rows below them are cut together.

Such a word is replaced by one sign for each of its letters, another for each word of the heading; titles get their words back where they
are told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

_WORD = re.compile(r"(?<!\S)[A-Z/]+(?!\S)")
# Of the private use area, which no report prints: code pages have no character there. A damaged heading may have some; it keeps its words.
_FIRST_SIGN = 0xE000
_SIGNS = re.compile(r"([\ue000-\uf8ff])\1*")
_MOST_WORDS = 0xF8FF - _FIRST_SIGN


def without_words(lines: Sequence[str], declared: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A heading with signs for words, and these. `declared`: titles without their blanks; what may be a part of one is kept.

    >>> without_words([" CPU  TOTAL", " AUX  USING"], ("TOTALUSING",))[1]
    ('CPU', 'AUX')
    """
    if any(_SIGNS.search(line) for line in lines if not line.isascii()):
        return tuple(lines), ()
    words: list[str] = []
    is_part = _part_of(declared)

    def sign(match: re.Match[str]) -> str:
        word = match[0]
        if len(words) > _MOST_WORDS or is_part(word):
            return word
        words.append(word)
        return chr(_FIRST_SIGN + len(words) - 1) * len(word)

    return tuple(_WORD.sub(sign, line) for line in lines), tuple(words)


@cache
def _part_of(titles: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a word may be a part of one of the titles. They are hashed once for all words."""
    return lru_cache(maxsize=4096)(lambda word: any(word in title for title in titles))


def with_words(title: str, words: Sequence[str]) -> str:
    """A title with its words in place of their signs."""
    if title.isascii() or not words:
        return title
    # Most are one word.
    lone = _lone(title)
    return words[lone] if lone >= 0 else _SIGNS.sub(lambda m: words[ord(m[1]) - _FIRST_SIGN], title)


@lru_cache(maxsize=4096)
def _lone(title: str) -> int:
    """The number of the word that a title is, or -1 if it is not one alone."""
    return ord(title[0]) - _FIRST_SIGN if _SIGNS.fullmatch(title) else -1


class Alike(NamedTuple):
    """Headings that differ only in their words: the number and the words of each, and per line below them, in this order, an index of its
    heading."""

    numbers: Sequence[int]
    words: Sequence[tuple[str, ...]]
    of: np.ndarray

    def titles(self, title: str, rows: np.ndarray) -> list[str]:
        """The title above each of some rows."""
        if title.isascii():
            return [title] * len(rows)
        return [with_words(title, self.words[k]) for k in self.of[rows].tolist()]

    def each(self) -> Iterator[tuple[tuple[str, ...], slice]]:
        """The words of each heading, and the rows below it."""
        ends = np.searchsorted(self.of, np.arange(len(self.words)), side="right").tolist()
        return ((words, slice(start, end)) for words, start, end in zip(self.words, [0, *ends], ends, strict=False))


def is_within(words: Sequence[str], title: Sequence[str]) -> bool:
    """Whether the words are some of those of a title, in its order. title: a pattern for each word.

    >>> is_within(["DELAYS", "%"], ["EXEC", "DELAYS", "%"]), is_within(["%", "DELAYS"], ["EXEC", "DELAYS", "%"])
    (True, False)
    """
    rest = iter(title)
    return all(any(re.fullmatch(pattern, word) for pattern in rest) for word in words)
