"""XML documents of RMF as one more format of files: found by their first bytes, cut into ranges, and read as canonical lines.

A range ends where a postprocessor (Monitor III: report) element begins, or another document of the same file. Each such piece is
read on its own: a malformed one is told, and the next is read. Memory is bounded by LONGEST_PIECE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import BinaryIO, NamedTuple

import numpy as np

from ..errors import IronlakeError
from .encodings import is_ebcdic, is_wide, one_byte_table, to_utf8
from .xml_bulk import take_runs
from .xml_lines import XmlLines
from .xml_shapes import Shapes, above_of

LONGEST_PIECE = 32 << 20
_BLOCK = 1 << 20
_HEAD = 1 << 14
_IS_DOCUMENT = re.compile(r"[\s\ufeff]*<(?:\?xml|!|ddsml[\s>])")
_ROOT = re.compile(r"<ddsml[\s>]")
# A piece begins at one of these, if one of a page came before it.
_BEGINS = ("<?xml ", "<postprocessor>", "<postprocessor ", "<report>", "<report ")
_ENDS = ("</postprocessor>", "</report>")
_LONGEST_MARK = max(map(len, (*_BEGINS, *_ENDS)))
_MOST_RESUMED = 100
_RESUME = re.compile(rb"<segment[\s>]|<(?:rmf-mfpmsg|message)[\s>]")


class XmlText(NamedTuple):
    """Canonical lines of whole pieces. numbers: of each line, the line of the range (from 0) that it is on; file_lines: line ends in
    the range; problems: what could not be read."""

    text: bytes
    control: bytes
    numbers: np.ndarray
    file_lines: int
    problems: list[str]


def is_xml(sample: bytes, encoding: str) -> bool:
    """Whether a file that begins with `sample` is a ddsml document."""
    head = to_utf8(sample[: _HEAD & ~1], encoding).decode("utf-8", "replace")
    return bool(_IS_DOCUMENT.match(head) and _ROOT.search(head))


def take_pieces(stream: BinaryIO, start: int, size: int, limit: int, encoding: str) -> bytes:
    """Whole pieces from offset `start`, up to `size` bytes, at least one. `limit`: end of the document.

    Raises IronlakeError for a piece longer than LONGEST_PIECE, EOFError if the file has become shorter."""
    # A piece may begin right behind the last.
    wanted = max(size, _BLOCK) + 2 * _LONGEST_MARK
    raw = b""
    while True:
        stream.seek(start + len(raw))
        more = stream.read(min(wanted, limit - start) - len(raw))
        if len(raw) + len(more) < min(wanted, limit - start):
            raise EOFError(start + len(raw) + len(more))
        raw += more
        if start + len(raw) >= limit and len(raw) <= size:
            return raw
        begins = list(_begins(raw, encoding))
        within = [at for at in begins if at <= size]
        if within:
            return raw[: within[-1]]
        if begins:
            return raw[: begins[0]]
        if start + len(raw) >= limit and len(raw) <= LONGEST_PIECE:
            return raw
        if len(raw) >= LONGEST_PIECE:
            what = f"an element that begins at byte {start:,} is longer than {LONGEST_PIECE:,} bytes"
            raise IronlakeError(what, "postprocessor elements of one report and interval", "write the document again")
        wanted = min(wanted * 2, LONGEST_PIECE)


def canonical_xml(raw: bytes, encoding: str, is_last: bool) -> XmlText:
    """Canonical lines of whole pieces. `is_last`: they are the end of the document.

    Raises IronlakeError if a piece declares a document type."""
    begins = [0, *_begins(raw, encoding), len(raw)]
    pieces = [_plain(raw[start:end], encoding) for start, end in pairwise(begins)]
    shapes = Shapes()
    first_line = 0
    for number, (piece, shortened) in enumerate(zip(pieces, take_runs(pieces), strict=True)):
        is_open = not is_last or number < len(pieces) - 1
        if not shortened or not shapes.read(shortened, first_line, is_open):
            shapes.add(_read_piece(piece, first_line, is_open), first_line)
        first_line += _line_ends(piece)
    return XmlText(*shapes.written(), first_line, shapes.problems)


def _plain(piece: bytes, encoding: str) -> bytes:
    """In UTF-8, with LF between lines, or CR alone."""
    piece = to_utf8(piece, encoding)
    if not piece.isascii():
        piece = piece.replace(b"\xef\xbb\xbf", b"").replace(b"\xc2\x85", b"\n")
    return piece.replace(b"\r\n", b"\n") if b"\r" in piece else piece


def _read_piece(piece: bytes, first_line: int, is_open: bool) -> XmlLines:
    """Read a piece element by element. Where it is malformed, reading goes on with its next segment."""
    lines = XmlLines()
    document, at, times, above = piece.lstrip(), len(piece) - len(piece.lstrip()), 0, above_of(piece)
    while document:
        line = first_line + _line_ends(piece[:at])
        done = lines.read(above + document, line, is_open) - len(above)
        further = None if done >= len(document) else _RESUME.search(document, max(done, 0) + 1)
        if not further:
            break
        times += 1
        if times == _MOST_RESUMED:
            lines.malformed(f"{times} times; the rest of the interval is not read")
            break
        document, at, above = document[further.start() :], at + further.start(), b"<ddsml><postprocessor>"
    lines.end()
    return lines


def _line_ends(text: bytes) -> int:
    """LF, CR, and the two together."""
    ends = text.count(b"\n")
    return ends + text.count(b"\r") - text.count(b"\r\n") if b"\r" in text else ends


def _begins(raw: bytes, encoding: str) -> Iterator[int]:
    """Offsets at which a piece begins, beyond the first."""
    width = 2 if is_wide(encoding) else 1
    pattern, documents, ends = _marks(encoding)
    has_page = False
    for mark in pattern.finditer(raw):
        if mark.start() % width:
            continue
        if has_page and mark[0] not in ends:
            yield mark.start()
            has_page = False
        has_page |= mark[0] not in documents


@cache
def _marks(encoding: str) -> tuple[re.Pattern[bytes], frozenset[bytes], frozenset[bytes]]:
    """A pattern of all marks, those that begin a document, and those that end a page."""
    marks = [_encoded(mark, encoding) for mark in (*_BEGINS, *_ENDS)]
    pattern = re.compile(b"|".join(map(re.escape, marks)))
    return pattern, frozenset(marks[:1]), frozenset(marks[len(_BEGINS) :])


def _encoded(text: str, encoding: str) -> bytes:
    if is_ebcdic(encoding):
        table = one_byte_table(encoding)
        return bytes(table.index(character) for character in text)
    return text.encode(encoding if is_wide(encoding) else "ascii")
