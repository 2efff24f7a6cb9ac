"""Pieces of one shape, read at once: nearly all intervals of a document are alike but for their numbers.

The shape of a piece is what it has beside its numbers (runs of digits and points), and where these stand. One piece of a shape is read
element by element (xml_lines.py) with a mark in the place of each number; the lines of all others are those lines, with their own
numbers. So nothing of XML is known here, but where the lines of a piece depend on what a number is; such numbers belong to the shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .xml_format import BAR
from .xml_lines import XmlLines

_OF_NUMBERS = b"0123456789."
_LONGEST_NUMBER = 24
_MOST_NUMBERS = 1 << 12
_LONGEST = 1 << 17
# With this much between two tags, no text is too long (xml_lines.py), however long its numbers are.
_LONGEST_TEXT = 256
_MOST_KEYS = 128
_MOST_SHAPES = 8
# So much is read at once: what is made of it stays in the caches of the processor.
_AT_ONCE = 1 << 19
# Characters that no ASCII document has.
_FIRST_MARK = 0xF0000
_MARK = re.compile(f"([{chr(_FIRST_MARK)}-{chr(_FIRST_MARK + _MOST_NUMBERS)}])")
# Numbers within tags of lines tell kinds, and titles give the cells below their width.
_FIXED = re.compile(r"<cols>.*|<[^>]*>")
# A type of rows that is longer on a line than it looks.
_ODD_TYPE = re.compile(rb"""\btype\s*=\s*(?:"[^"]*[>&]|'[^']*[>&])""")
_BLANK = ord(" ")

Read = Callable[[bytes, bool], XmlLines]


class _Layout(NamedTuple):
    """What the lines of pieces of a shape are made of.

    constant: the lines without numbers, and without the blanks behind cells that have some. Numbers and blanks are put into it at the
    offsets `places`, in this order: `number_at`, `blanks_at`: the indexes of each. number: which one of the piece; first: of each cell,
    its first number; room: for its numbers and the blanks behind them.
    """

    constant: np.ndarray
    places: np.ndarray
    number_at: np.ndarray
    blanks_at: np.ndarray
    number: np.ndarray
    first: np.ndarray
    room: np.ndarray


class Shape(NamedTuple):
    """at: of each number of a piece, its offset among its other characters. fixed: numbers that are of the shape, by index.
    numbers: of each line, the line of the piece that it is on; starts: where pages begin; file_lines: line ends in the piece."""

    at: np.ndarray
    fixed: list[tuple[int, bytes]]
    layout: _Layout
    numbers: np.ndarray
    starts: np.ndarray
    file_lines: int


class Part(NamedTuple):
    """The lines of a piece; the rest as in `Shape`."""

    text: bytes
    numbers: np.ndarray
    starts: np.ndarray
    file_lines: int


class _Numbers(NamedTuple):
    """The numbers of some pieces of one shape, (pieces, numbers): start and length, and the offset without the numbers before."""

    start: np.ndarray
    length: np.ndarray
    at: np.ndarray

    def of(self, which: np.ndarray) -> _Numbers:
        return _Numbers(*(each[which] for each in self))


# Whether the document goes on behind the piece, its head, the rest without numbers, and how many these are.
_Key = tuple[bool, bytes, bytes, int]
# Kept from document to document: a site may write one for each interval.
_shapes: dict[_Key, list[Shape]] = {}


def read_alike(pieces: Sequence[bytes], are_open: Sequence[bool], read: Read) -> list[Part | None]:
    """The lines of pieces that are of a shape with others; None for other pieces. `read` reads a piece element by element."""
    out: list[Part | None] = [None] * len(pieces)
    some, size = [], 0
    for k, piece in enumerate(pieces):
        if len(piece) > _LONGEST:
            continue
        if size + len(piece) > _AT_ONCE:
            _read_some(pieces, some, are_open, read, out)
            some, size = [], 0
        some.append(k)
        size += len(piece)
    _read_some(pieces, some, are_open, read, out)
    return out


def _read_some(
    pieces: Sequence[bytes], some: list[int], are_open: Sequence[bool], read: Read, out: list[Part | None]
) -> None:
    # Of the last number, too, as many bytes are taken as of the longest.
    beyond = bytes(_LONGEST_NUMBER)
    text = b"".join([*(pieces[k] for k in some), beyond])
    if not _may_have_shape(text):
        some = [k for k in some if _may_have_shape(pieces[k])]
        text = b"".join([*(pieces[k] for k in some), beyond])
    octets = np.frombuffer(text, dtype=np.uint8)
    is_of_number = (octets - np.uint8(ord("0")) < np.uint8(10)) | (octets == ord("."))
    edges = np.flatnonzero(np.diff(is_of_number, prepend=False))
    start, end = edges[::2], edges[1::2]
    ends = np.cumsum([len(pieces[k]) for k in some])
    heads = [_head(pieces[k]) for k in some]
    begins = np.append(0, ends)[:-1]
    first = np.searchsorted(start, begins + heads).tolist()
    last = np.searchsorted(start, ends).tolist()
    groups: dict[_Key, list[int]] = {}
    for i, (k, head, a, b) in enumerate(zip(some, heads, first, last, strict=True)):
        if b - a <= _MOST_NUMBERS:
            piece = pieces[k]
            key = (are_open[k], piece[:head], piece[head:].translate(None, _OF_NUMBERS), b - a)
            groups.setdefault(key, []).append(i)
    for key, members in groups.items():
        which = np.array(members)
        at = np.array(first)[which][:, None] + np.arange(key[-1])
        length = end[at] - start[at]
        before = np.cumsum(length, axis=1) - length
        numbers = _Numbers(start[at], length, start[at] - before - begins[which][:, None])
        fits = np.flatnonzero((length <= _LONGEST_NUMBER).all(axis=1))
        whole = [pieces[some[i]] for i in members]
        for rows, shape in _by_shape(key, whole, octets, numbers, fits, read):
            texts = _written(shape.layout, octets, numbers.of(rows))
            for row, written in zip(rows.tolist(), texts, strict=True):
                out[some[members[row]]] = Part(written, shape.numbers, shape.starts, shape.file_lines)


def _may_have_shape(text: bytes) -> bool:
    """Bars and line ends are only those of the lines, and no character is written by its number."""
    is_plain = text.isascii() and b"|" not in text and b"\r" not in text
    # To search one byte takes a tenth of the time of two.
    return is_plain and (b"#" not in text or b"&#" not in text)


def _head(piece: bytes) -> int:
    """The length of an XML declaration and what else is above the outer element: its numbers are of the shape."""
    return max(piece.find(b"<ddsml"), 0) if piece.lstrip().startswith(b"<?") else 0


def _by_shape(
    key: _Key, pieces: list[bytes], octets: np.ndarray, numbers: _Numbers, left: np.ndarray, read: Read
) -> Iterator[tuple[np.ndarray, Shape]]:
    """Indexes of pieces, of those that are `left`, with their shape. A shape is worth its making when it comes again."""
    is_new = key not in _shapes
    if is_new and len(_shapes) >= _MOST_KEYS:
        _shapes.clear()
    known = _shapes.setdefault(key, [])
    for shape in (*known, *[None] * (_MOST_SHAPES - len(known))):
        if not len(left) or (shape is None and is_new and len(left) == 1):
            return
        one = int(left[0])
        if shape is None:
            starts = numbers.at[one] + np.cumsum(numbers.length[one]) - numbers.length[one]
            shape = _shape_of(pieces[one], starts.tolist(), numbers.length[one].tolist(), numbers.at[one], key[0], read)
            if shape is None:
                left = left[1:]
                continue
            known.append(shape)
        is_one = _is_of(shape, octets, numbers.of(left))
        if is_one.any():
            yield left[is_one], shape
        left = left[~is_one]


def _is_of(shape: Shape, octets: np.ndarray, numbers: _Numbers) -> np.ndarray:
    """Bool per piece."""
    is_one = (numbers.at == shape.at).all(axis=1)
    for k, text in shape.fixed:
        is_one &= numbers.length[:, k] == len(text)
        is_one &= (octets[numbers.start[:, k, None] + np.arange(len(text))] == np.frombuffer(text, np.uint8)).all(
            axis=1
        )
    return is_one


def _shape_of(
    piece: bytes, starts: list[int], lengths: list[int], at: np.ndarray, is_open: bool, read: Read
) -> Shape | None:
    """None if the piece cannot be read with marks, or if its message may depend on its numbers."""
    if max(map(len, piece.split(b"<"))) > _LONGEST_TEXT or _ODD_TYPE.search(piece):
        return None
    fixed: set[int] = set()
    while True:
        lines = read(_marked(piece, starts, lengths, fixed), is_open)
        if lines.problems:
            return None
        tags = "".join(found[0] for line in lines.lines if (found := _FIXED.match(line)))
        more = {ord(mark) - _FIRST_MARK for mark in _MARK.findall(tags)}
        if not more:
            break
        fixed |= more
    return Shape(
        at.copy(),
        [(k, piece[starts[k] : starts[k] + lengths[k]]) for k in sorted(fixed)],
        _layout(lines.lines),
        np.array(lines.numbers, dtype=np.int64),
        np.array(lines.starts, dtype=np.int64),
        piece.count(b"\n"),
    )


def _layout(lines: list[str]) -> _Layout:
    """Of lines with marks."""
    constant: list[str] = []
    places, number_at, blanks_at, number, first, room = ([] for _ in range(6))
    size = 0

    def put(text: str) -> None:
        nonlocal size
        constant.append(text)
        size += len(text)

    for line in lines:
        *cells, last = line.split(BAR)
        for cell, end in (*((cell, BAR) for cell in cells), (last, "\n")):
            parts = _MARK.split(cell)
            if len(parts) == 1:
                put(cell + end)
                continue
            first.append(len(number))
            for text, mark in zip(parts[::2], parts[1::2], strict=False):
                put(text)
                number_at.append(len(places))
                places.append(size)
                number.append(ord(mark) - _FIRST_MARK)
            behind = parts[-1]
            # One blank is always in front of a bar; more are behind a cell that is not as wide as its heading.
            blanks = len(behind) - len(behind.rstrip(" ")) - 1 if end == BAR else 0
            put(behind[: len(behind) - blanks - 1] if end == BAR else behind)
            blanks_at.append(len(places))
            places.append(size)
            room.append(blanks + len(parts) // 2 if end == BAR else 0)
            put(f" {BAR}" if end == BAR else end)

    def array(values: list[int]) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    return _Layout(
        np.frombuffer("".join(constant).encode(), np.uint8),
        *(array(places), array(number_at), array(blanks_at), array(number), array(first), array(room)),
    )


def _marked(piece: bytes, starts: list[int], lengths: list[int], fixed: set[int]) -> bytes:
    parts, done = [], 0
    for k, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        if k not in fixed:
            parts += (piece[done:start], chr(_FIRST_MARK + k).encode())
            done = start + length
    return b"".join((*parts, piece[done:]))


def _written(layout: _Layout, octets: np.ndarray, numbers: _Numbers) -> list[bytes]:
    """The lines of pieces of a shape: first as wide as the widest, with zeros for what others have less."""
    many = len(numbers.start)
    if not len(layout.places):
        return [layout.constant.tobytes()] * many
    start, length = numbers.start[:, layout.number], numbers.length[:, layout.number]
    blanks = np.maximum(layout.room - np.add.reduceat(length, layout.first, axis=1), 0)
    longest, least, most = length.max(axis=0), blanks.min(axis=0), blanks.max(axis=0)
    sizes = np.empty(len(layout.places), dtype=np.int64)
    sizes[layout.number_at], sizes[layout.blanks_at] = longest, most
    places = layout.places + np.cumsum(sizes) - sizes
    widest = np.full(len(layout.constant) + int(sizes.sum()), _BLANK, dtype=np.uint8)
    is_constant = np.ones(len(widest), dtype=bool)
    is_constant[ranges(places, sizes)] = False
    widest[is_constant] = layout.constant
    out = np.empty((many, len(widest)), dtype=np.uint8)
    out[:] = widest
    which, offset = np.repeat(np.arange(len(longest)), longest), ranges(np.zeros_like(longest), longest)
    octet = octets[start[:, which] + offset]
    octet[offset >= length[:, which]] = 0
    out[:, places[layout.number_at][which] + offset] = octet
    which, offset = np.repeat(np.arange(len(most)), most - least), ranges(least, most - least)
    out[:, places[layout.blanks_at][which] + offset] = np.where(offset < blanks[:, which], _BLANK, 0)
    text = out.tobytes().translate(None, b"\0")
    ends = np.cumsum(len(layout.constant) + length.sum(axis=1) + blanks.sum(axis=1)).tolist()
    return [text[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


def ranges(start: np.ndarray, many: np.ndarray) -> np.ndarray:
    """start, start + 1, … of each, one behind the other."""
    return np.arange(int(many.sum())) + np.repeat(start - np.cumsum(many) + many, many)
