"""Pieces of one shape: what they have beside their runs is read once, since it comes again in every interval but for its times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .xml_bulk import RUN, Run, Shortened
from .xml_lines import XmlLines

_MOST_KNOWN = 256
_LONGEST_KNOWN = 1 << 16
_MOST_LINES_OF_KNOWN = 1 << 16
_MOST_TIMES = 9
# Values that differ from interval to interval. No line depends on them but that which they are written in.
_TIME = re.compile(rb"<(?:display-start|display-end|report-interval)[^<>]*+(?<!/)>([0-9/.:-]{1,64}+)(?=<)")
# Not in a document that has runs (xml_bulk.py), nor in the text that is made of it, but by what is below.
_MARK = f"{RUN}:".encode()
_MARKS = re.compile(_MARK + rb"(\d)")
# How lines of elements are written depends on the heading above, which may be that of a run. Characters by their number, and text on both
# sides of a processing instruction, may become a mark.
_NOT_BY_SHAPE = re.compile(rb"<(?:row|col|column-headers|var)[\s/>]|&#|[^>\s]\s*+<\?")


class Piece(NamedTuple):
    """texts: the canonical lines in front of each run and behind the last, each text in parts: every second part is the number of a time.
    numbers: of each line, the line of the piece that it is on. runs: the number of each. starts: of each page, the index of the text
    that it begins in, and its line there. above: runs above the segments, and the number of their lines."""

    texts: list[list[bytes]]
    numbers: list[np.ndarray]
    runs: list[int]
    starts: list[tuple[int, int]]
    above: list[tuple[int, int]]

    @classmethod
    def of(cls, lines: XmlLines, first_line: int, has_times: bool, runs: Sequence[Run] = ()) -> Piece:
        at = list(pairwise([0, *(index for index, _ in lines.runs), len(lines.lines)]))
        numbers = np.array(lines.numbers, dtype=np.int64) - first_line
        texts = ["".join(f"{line}\n" for line in lines.lines[a:b]).encode() for a, b in at]
        return cls(
            [_MARKS.split(text) if has_times else [text] for text in texts],
            [numbers[a:b] for a, b in at],
            [number for _, number in lines.runs],
            [(k, start - at[k][0]) for k, start in lines.starts],
            [(k, len(runs[k].numbers)) for k in lines.above],
        )

    def holds_for(self, runs: Sequence[Run]) -> bool:
        """Whether these runs in place of those that it was read with change nothing but their own lines. The parser counts what is above the
        segments, and the lines of a piece that may be beyond MOST_LINES."""
        is_as_long = all(len(runs[k].numbers) == many for k, many in self.above)
        return is_as_long and sum(len(runs[k].numbers) for k in self.runs) <= _MOST_LINES_OF_KNOWN


class Shapes:
    """Writes pieces one behind the other."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._texts: list[bytes] = []
        self._starts: list[int] = []
        self._lines = 0
        # Lines of the piece, and of each array the first line of its piece.
        self._numbers: list[np.ndarray] = []
        self._above: list[int] = []
        self._known: dict[tuple[bool | bytes, ...], Piece] = {}

    def read(self, shortened: Shortened, first_line: int, is_open: bool) -> bool:
        """Write a piece that was shortened, whose first line is `first_line` of the range. False if it cannot be read so."""
        document, runs = shortened
        times, shape, at = [], [], 0
        for found in _TIME.finditer(document):
            times.append(found[1])
            shape.append(document[at : found.start(1)])
            at = found.end(1)
        shape.append(document[at:])
        key = (is_open, *shape)
        may_be_known = len(document) <= _LONGEST_KNOWN and len(times) <= _MOST_TIMES
        piece = self._known.get(key) if may_be_known else None
        if piece is None or not piece.holds_for(runs):
            may_be_known = may_be_known and not _NOT_BY_SHAPE.search(document)
            if may_be_known:
                document = b"".join(text + _MARK + b"%d" % k for k, text in enumerate(shape[:-1])) + shape[-1]
            piece = _parsed(document, runs, first_line, is_open, may_be_known)
            if piece is None:
                return False
            if may_be_known:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[key] = piece
        self._write(piece, first_line, runs, times)
        return True

    def add(self, lines: XmlLines, first_line: int) -> None:
        """Write a piece that was read element by element."""
        self.problems += lines.problems
        self._write(Piece.of(lines, first_line, has_times=False), first_line)

    def written(self) -> tuple[bytes, bytes, np.ndarray]:
        """The lines, a character for each that is 1 where a page begins, and the line of the range that each is on."""
        control = bytearray(b" " * self._lines)
        for at in self._starts:
            control[at] = ord("1")
        above = np.repeat(np.array(self._above, dtype=np.int64), [len(some) for some in self._numbers])
        numbers = np.concatenate([np.zeros(0, dtype=np.int64), *self._numbers]) + above
        return b"".join(self._texts), bytes(control), numbers

    def _write(self, piece: Piece, first_line: int, runs: Sequence[Run] = (), times: Sequence[bytes] = ()) -> None:
        begins, lines, texts, all_numbers = [], self._lines, self._texts, self._numbers
        for text, numbers, run in zip(piece.texts, piece.numbers, [*piece.runs, None], strict=True):
            begins.append(lines)
            texts += text if len(text) == 1 else _filled(text, times)
            all_numbers.append(numbers)
            lines += len(numbers)
            if run is not None:
                texts.append(runs[run].text)
                all_numbers.append(runs[run].numbers)
                lines += len(runs[run].numbers)
        self._above += [first_line] * (len(all_numbers) - len(self._above))
        self._lines = lines
        self._starts += [begins[k] + line for k, line in piece.starts]


def _filled(text: list[bytes], times: Sequence[bytes]) -> list[bytes]:
    return [times[int(part)] if k % 2 else part for k, part in enumerate(text)]


def above_of(piece: bytes) -> bytes:
    """What a piece within a document lacks above it."""
    return b"" if piece.lstrip().startswith((b"<?xml", b"<ddsml", b"<!")) else b"<ddsml>"


def _parsed(document: bytes, runs: Sequence[Run], first_line: int, is_open: bool, has_times: bool) -> Piece | None:
    """None if the parser meets anything that it would tell of: then it reads the piece element by element, and tells of it there."""
    begins = len(document) - len(document.lstrip())
    # Runs know their lines from the start of the piece.
    if document.count(b"\n", 0, begins):
        return None
    lines = XmlLines()
    lines.read(above_of(document) + document[begins:], first_line, is_open, runs)
    lines.end()
    return None if lines.problems else Piece.of(lines, first_line, has_times, runs)
