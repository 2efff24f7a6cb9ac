"""XML documents of RMF as one more format of files: found by their first bytes, cut into ranges, and read as canonical lines.

A range ends where a postprocessor (Monitor III: report) element begins, or another document of the same file. Each such piece is
read on its own: a malformed one is told, and the next is read. Memory is bounded by LONGEST_PIECE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise
from typing import BinaryIO, NamedTuple

import numpy as np

from ..errors import IronlakeError
from .encodings import is_ebcdic, is_wide, one_byte_table, to_utf8
from .xml_lines import XmlLines
from .xml_shapes import Part, read_alike

LONGEST_PIECE = 32 << 20
_BLOCK = 1 << 20
_HEAD = 1 << 14
_NEAR = 1 << 16
_IS_DOCUMENT = re.compile(r"[\s\ufeff]*<(?:\?xml|!|ddsml[\s>])")
_ROOT = re.compile(r"<ddsml[\s>]")
# A piece begins at one of these, if one of a page came before it.
_BEGINS = ("<?xml ", "<postprocessor>", "<postprocessor ", "<report>", "<report ")
_ENDS = ("</postprocessor>", "</report>")
_LONGEST_MARK = max(map(len, (*_BEGINS, *_ENDS)))
# Each mark has one of these, by which it is searched: they are rare, and `<` begins every tag.
_WORDS = ("?", "postprocessor", "report")
# Comments and CDATA sections: what stands in them is no element.
_HIDES = (("<!--", "-->"), ("<![CDATA[", "]]>"))
_FEWEST_CUT = 3
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
        # Nearly always one is near the end.
        is_all = start + len(raw) >= limit
        for behind in (max(size - _NEAR, 0), 0):
            begins = _begins(raw, encoding, behind, is_all)
            if begins and begins[0] <= size:
                return raw[: max(at for at in begins if at <= size)]
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

    Raises IronlakeError if a piece declares a document type, or if its lines were all cut at one column."""
    begins = [0, *_begins(raw, encoding), len(raw)]
    pieces = [_plain(raw[start:end], encoding) for start, end in pairwise(begins)]
    are_open = [True] * (len(pieces) - 1) + [not is_last]
    texts, numbers, starts, first_line, problems = [], [], [], [], []
    file_lines = 0
    alike = read_alike(pieces, are_open, lambda piece, is_open: _read_piece(piece, 0, is_open))
    for piece, is_open, part in zip(pieces, are_open, alike, strict=True):
        if part is None:
            read = _read_piece(piece, file_lines, is_open)
            if read.problems and (width := _cut_width(piece)):
                what = f"is cut at column {width}: its longest lines end there within an element"
                raise IronlakeError(
                    what, "lines of any length", "transfer the document again, in binary or with its whole width"
                )
            problems += read.problems
            part = _part(read, file_lines, _line_ends(piece))
        texts.append(part.text)
        numbers.append(part.numbers)
        starts.append(part.starts)
        first_line.append(file_lines)
        file_lines += part.file_lines
    many = np.array([len(some) for some in numbers])
    begin = np.cumsum(many) - many
    control = np.full(int(many.sum()), ord(" "), dtype=np.uint8)
    control[np.concatenate(starts) + np.repeat(begin, [len(some) for some in starts])] = ord("1")
    return XmlText(
        b"".join(texts),
        control.tobytes(),
        np.concatenate(numbers) + np.repeat(np.array(first_line, dtype=np.int64), many),
        file_lines,
        problems,
    )


def _cut_width(piece: bytes) -> int:
    """The length of the longest lines of a piece that is malformed, if several end within an element; else 0."""
    lines = [line.rstrip() for line in piece.splitlines()]
    width = max(map(len, lines), default=0)
    return width if sum(len(line) == width and not line.endswith(b">") for line in lines) >= _FEWEST_CUT else 0


def _part(read: XmlLines, first_line: int, file_lines: int) -> Part:
    text = "".join(f"{line}\n" for line in read.lines).encode()
    numbers = np.array(read.numbers, dtype=np.int64) - first_line
    return Part(text, numbers, np.array(read.starts, dtype=np.int64), file_lines)


def _plain(piece: bytes, encoding: str) -> bytes:
    """In UTF-8, with LF between lines, or CR alone."""
    piece = to_utf8(piece, encoding)
    if not piece.isascii():
        piece = piece.replace(b"\xef\xbb\xbf", b"").replace(b"\xc2\x85", b"\n")
    return piece.replace(b"\r\n", b"\n") if b"\r" in piece else piece


def _above_of(piece: bytes) -> bytes:
    """What a piece within a document lacks above it."""
    return b"" if piece.lstrip().startswith((b"<?xml", b"<ddsml", b"<!")) else b"<ddsml>"


def _read_piece(piece: bytes, first_line: int, is_open: bool) -> XmlLines:
    """Read a piece element by element. Where it is malformed, reading goes on with its next segment."""
    lines = XmlLines()
    document, at, times, above = piece.lstrip(), len(piece) - len(piece.lstrip()), 0, _above_of(piece)
    places: np.ndarray | None = None
    while document:
        line = first_line + _line_ends(piece[:at])
        done = lines.read(above + document, line, is_open) - len(above)
        if done >= len(document):
            break
        places = _resume_places(piece) if places is None else places
        further = places[np.searchsorted(places, at + max(done, 0) + 1) :]
        if not len(further):
            break
        times += 1
        if times == _MOST_RESUMED:
            lines.malformed(f"{times} times; the rest of the interval is not read")
            break
        at, above = int(further[0]), b"<ddsml><postprocessor>"
        document = piece[at:]
    lines.end()
    return lines


def _resume_places(piece: bytes) -> np.ndarray:
    """Offsets of elements at which reading may go on."""
    found = np.fromiter((each.start() for each in _RESUME.finditer(piece)), np.int64)
    return found[~_is_within(found, _hidden(piece, "utf-8"))]


def _line_ends(text: bytes) -> int:
    """LF, CR, and the two together."""
    ends = text.count(b"\n")
    return ends + text.count(b"\r") - text.count(b"\r\n") if b"\r" in text else ends


def _begins(raw: bytes, encoding: str, behind: int = 0, is_all: bool = True) -> list[int]:
    """Offsets at which a piece begins, beyond the first mark behind an offset. `is_all`: as in `_hidden`."""
    octets = np.frombuffer(raw, dtype=np.uint8)
    places = {word: np.fromiter(_places(raw, _encoded(word, encoding), behind), np.int64) for word in _WORDS}
    found = []
    for text in (*_BEGINS, *_ENDS):
        word = next(word for word in _WORDS if word in text)
        encoded = _encoded(text, encoding)
        at = places[word] - encoded.index(_encoded(word, encoding))
        at = at[(at >= behind) & (at <= len(raw) - len(encoded)) & ((at % 2 == 0) | (not is_wide(encoding)))]
        for k, octet in enumerate(encoded):
            at = at[octets[at + k] == octet]
        found.append(at)
    at, mark = np.concatenate(found), np.repeat(np.arange(len(found)), [len(each) for each in found])
    order = np.argsort(at)
    at, mark = at[order], mark[order]
    seen = ~_is_within(at, _hidden(raw, encoding, is_all))
    at, mark = at[seen], mark[seen]
    # Each begins one but an end, and what is in a document that has just begun.
    return at[1:][(mark[1:] < len(_BEGINS)) & (mark[:-1] > 0)].tolist()


def _places(raw: bytes, searched: bytes, behind: int) -> Iterator[int]:
    """Offsets of some bytes, from an offset on."""
    at = raw.find(searched, behind)
    while at >= 0:
        yield at
        at = raw.find(searched, at + 1)


def _hidden(raw: bytes, encoding: str, is_all: bool = True) -> np.ndarray:
    """Comments and CDATA sections: (start, end), in order. One without an end hides nothing, for more may be read behind it, but where it may
    end behind these bytes (not `is_all`) it hides all."""
    if _encoded("!", encoding) not in raw:
        return np.zeros((0, 2), dtype=np.int64)
    width = 1
    if is_wide(encoding):
        units = np.frombuffer(raw, "<u2" if encoding.endswith("le") else ">u2", count=len(raw) // 2)
        raw, encoding, width = np.minimum(units, 0xFF).astype(np.uint8).tobytes(), "utf-8", 2
    pattern = _hides(encoding)
    # They may be millions.
    ends = chain.from_iterable(each.span() for each in pattern.finditer(raw))
    found = np.fromiter(ends, np.int64).reshape(-1, 2)
    last = pattern.match(raw, found[-1, 0]) if is_all and len(found) else None
    return width * (found[:-1] if last and last.lastindex else found)


@cache
def _hides(encoding: str) -> re.Pattern[bytes]:
    """A pattern of comments and CDATA sections. One without an end goes to the end of the bytes and has a group."""
    marks = [[re.escape(_encoded(mark, encoding)) for mark in pair] for pair in _HIDES]
    return re.compile(b"|".join(begin + b".*?(?:" + end + rb"|(\Z))" for begin, end in marks), re.DOTALL)


def _is_within(at: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """Bool per offset. Spans do not overlap."""
    if not len(spans):
        return np.zeros(len(at), dtype=bool)
    which = np.searchsorted(spans[:, 0], at, side="right") - 1
    return (which >= 0) & (at < spans[np.maximum(which, 0), 1])


def _encoded(text: str, encoding: str) -> bytes:
    if is_ebcdic(encoding):
        table = one_byte_table(encoding)
        return bytes(table.index(character) for character in text)
    return text.encode(encoding if is_wide(encoding) else "ascii")
