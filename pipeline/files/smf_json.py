"""SMF records as JSON (as SMF2JSON writes them), one more format of files: found by content, cut into records, read as a line and a page each.

A record is an object whose first key is "header". No text of a JSON document holds that mark, for a quote within a text is escaped. So a
document that is cut, or several behind each other, lose no other record, and memory is bounded by LONGEST_RECORD. What a record holds is
read in reading/records.py, by the JSON reader of the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from ..errors import IronlakeError
from .encodings import is_ebcdic, is_wide, one_byte_table, to_utf8
from .xml_document import XmlText

LONGEST_RECORD = 32 << 20
_BLOCK = 1 << 20
_HEAD = 1 << 14
# Code pages of EBCDIC have the bracket at different places.
_IS_DOCUMENT = re.compile(r'[\s\ufeff]*(?:[^{\s]\s*)?\{\s*"header"\s*:')
_OF_SMF = re.compile(r'"(?:recType|smf\d+_rec_type|smf\d+pro)"\s*:')
_MARK = ("{", '"header"', ":")
_TYPE = re.compile(rb'"(?:recType|smf\d+_rec_type)"\s*:\s*"?(\d+)')
_SUBTYPE = re.compile(rb'"(?:subType|smf\d+_subtype)"\s*:\s*"?(\d+)')
# A record that is one of several parts has a reassembly area, which says how many there are.
_IS_PART = re.compile(r'"smf\d+ran"\s*:\s*[1-9]')
_PARTS = re.compile(r'"smf\d+rbr"\s*:\s*(\d+)')
_WHOSE = re.compile(r'"(?:recType|subType|sysId)"\s*:\s*[^,}]*')
_START = re.compile(r'"smf\d+ist"\s*:\s*"([^"]*)"')
# Another document may follow.
_BEHIND = b" \t\r\n,[]"
TAG = r"^<smf ([^ >]*)> "
"""What begins a line: type and subtype of the record, which stands behind it."""


def is_smf(sample: bytes, encoding: str) -> bool:
    """Whether a file that begins with `sample` holds SMF records as JSON."""
    head = to_utf8(sample[: _HEAD & ~1], encoding).decode("utf-8", "replace")
    return bool(_IS_DOCUMENT.match(head) and _OF_SMF.search(head))


def take_records(stream: BinaryIO, start: int, size: int, limit: int, encoding: str) -> bytes:
    """Whole records from offset `start`, up to `size` bytes, at least one. `limit`: end of the document. Parts of one record stay together,
    as far as LONGEST_RECORD allows.

    Raises IronlakeError for a record that is longer, EOFError if the file has become shorter."""
    stream.seek(start)
    raw, wanted = b"", max(size, _BLOCK)
    while True:
        more = stream.read(min(wanted, limit - start) - len(raw))
        if len(raw) + len(more) < min(wanted, limit - start):
            raise EOFError(start + len(raw) + len(more))
        raw += more
        is_all = start + len(raw) >= limit
        if is_all and len(raw) <= size:
            return raw
        begins = _begins(raw, encoding)
        ends = [*begins[1:], *([len(raw)] if is_all else [])]
        cuts = [at for at, is_whole in zip(ends, _are_whole(raw, begins, encoding), strict=False) if is_whole]
        if at := max((at for at in cuts if at <= size), default=min(cuts, default=0)):
            return raw[:at]
        if is_all or (len(raw) >= LONGEST_RECORD and ends):
            return raw[: max(ends, default=len(raw))]
        if len(raw) >= LONGEST_RECORD:
            what = f"a record that begins at byte {start:,} is longer than {LONGEST_RECORD:,} bytes"
            raise IronlakeError(what, "SMF records as JSON", "write the document again")
        wanted = min(len(raw) * 2, LONGEST_RECORD)


def canonical_records(raw: bytes, encoding: str) -> XmlText:
    """A line for each record, which begins a page."""
    begins = _begins(raw, encoding)
    lines, numbers, ends, at_line, done = [], [], _line_ends(to_utf8(raw, encoding)), 0, 0
    for start, end in pairwise([*begins, len(raw)]):
        at_line += _line_ends(to_utf8(raw[done:start], encoding))
        done = start
        # A line end stands between tokens alone.
        piece = to_utf8(raw[start:end], encoding).rstrip(_BEHIND)
        piece = piece.replace(b"\r", b" ").replace(b"\n", b" ").replace(b"\xc2\x85", b" ")
        record, sub = _TYPE.search(piece), _SUBTYPE.search(piece)
        kind = (record[1] if record else b"") + (b"." + sub[1] if sub else b"")
        lines.append(b"<smf %b> %b\n" % (kind, piece))
        numbers.append(at_line)
    return XmlText(b"".join(lines), b"1" * len(lines), np.array(numbers, dtype=np.int64), ends, [])


def _are_whole(raw: bytes, begins: list[int], encoding: str) -> Iterator[bool]:
    """Of each record: whether all records up to it have all of their parts. Of an interval before another one of the system, no more come."""
    missing: dict[tuple[str, ...], tuple[list[str], int]] = {}
    for start, end in pairwise([*begins, len(raw)]):
        record = to_utf8(raw[start:end], encoding).decode("utf-8", "replace")
        if _IS_PART.search(record) and (parts := _PARTS.search(record)):
            whose = tuple(_WHOSE.findall(record))
            begin = _START.findall(record)
            known, many = missing.get(whose, (begin, int(parts[1])))
            missing[whose] = begin, (many if known == begin else int(parts[1])) - 1
            if missing[whose][1] <= 0:
                del missing[whose]
        yield not missing


def _line_ends(text: bytes) -> int:
    """LF, CR, and the two together."""
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n") if b"\r" in text else text.count(b"\n")


def _begins(raw: bytes, encoding: str) -> list[int]:
    """Offsets at which a record begins."""
    width = 2 if is_wide(encoding) else 1
    return [each.start() for each in _mark(encoding).finditer(raw) if each.start() % width == 0]


@cache
def _mark(encoding: str) -> re.Pattern[bytes]:
    """A pattern of the begin of a record."""

    def encoded(text: str) -> bytes:
        if not is_ebcdic(encoding):
            return text.encode(encoding if is_wide(encoding) else "ascii")
        table = one_byte_table(encoding)
        return bytes(table.index(c) for c in text)

    blanks = [encoded(c) for c in " \t\r\n"]
    if is_ebcdic(encoding):
        blanks.append(b"\x25")
    blank = b"(?:" + b"|".join(map(re.escape, blanks)) + b")*"
    return re.compile(blank.join(re.escape(encoded(text)) for text in _MARK))
