"""Code pages of print files: detection and decoding.

EBCDIC is detected from the bytes. EBCDIC pages differ only in a few characters: 037 and 1140 have [ ] at BA BB, 1047 at
AD BD; 1140 has the euro at 9F, the others a currency sign that reports do not print. Without such a byte 1047 is used: it
then gives the same text as the others.
"""

import codecs
import string
from functools import cache
from typing import Any

from ..errors import IronlakeError

_CP1047_OVER_CP037 = {0x5F: "^", 0xAD: "[", 0xB0: "¬", 0xBA: "Ý", 0xBB: "¨", 0xBD: "]"}
_EBCDIC = frozenset(("cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1047", "cp1140"))
_WIDE = ("utf-16-le", "utf-16-be")
_KNOWN = "auto, ascii, latin-1, cp1252, utf-8, utf-16, cp037, cp1047, cp1140 or another single-byte Python code page"


def canonical_name(name: str) -> str:
    """The canonical name of a code page; `ibm-1047`, `1047` and `CP1047` are the same.

    Raises IronlakeError for an unsupported code page.

    >>> canonical_name("IBM-1047"), canonical_name("latin1"), canonical_name("037")
    ('cp1047', 'latin-1', 'cp037')
    """
    plain = name.strip().lower().replace("_", "-")
    digits = plain.removeprefix("ebcdic-").removeprefix("ibm").removeprefix("cp").lstrip("-")
    if digits.isdigit() and f"cp{digits.zfill(3)}" in _EBCDIC:
        return f"cp{digits.zfill(3)}"
    try:
        found = codecs.lookup(plain).name
    except (LookupError, ValueError):
        raise IronlakeError(f"unknown encoding {name!r}", _KNOWN, "omit --encoding to detect it") from None
    found = {"iso8859-1": "latin-1", "utf-8-sig": "utf-8"}.get(found, found)
    if found not in ("utf-8", "utf-16", *_WIDE):
        one_byte_table(found)
    return found


def is_ebcdic(encoding: str) -> bool:
    return encoding in _EBCDIC


def is_wide(encoding: str) -> bool:
    """True if a character takes two bytes."""
    return encoding in _WIDE


# The type stubs do not allow a text as mapping; the standard codecs pass one.
_charmap_decode: Any = codecs.charmap_decode


@cache
def one_byte_table(encoding: str) -> str:
    """The 256 characters of a single-byte code page; U+FFFE for an undefined byte. Both EBCDIC line ends (15, 25) are LF.

    Raises IronlakeError for a multi-byte code page.
    """
    if encoding == "cp1047":
        table = list(one_byte_table("cp037"))
        for byte, character in _CP1047_OVER_CP037.items():
            table[byte] = character
        return "".join(table)
    table = []
    for byte in range(256):
        try:
            character = bytes([byte]).decode(encoding)
        except UnicodeDecodeError:
            character = "" if _begins_a_pair(byte, encoding) else "\ufffe"
        except LookupError:
            character = ""
        if len(character) != 1:
            raise IronlakeError(f"encoding {encoding!r} is not a single-byte code page", _KNOWN)
        table.append(character)
    if bytes(table.index(c) for c in "AZ09 ") != b"AZ09 ":
        table[0x15] = table[0x25] = "\n"
    elif table[:128] != [chr(i) for i in range(128)]:
        raise IronlakeError(f"encoding {encoding!r} is not based on ASCII or EBCDIC", _KNOWN)
    return "".join(table)


def _begins_a_pair(byte: int, encoding: str) -> bool:
    for second in (0x41, 0xA1):
        try:
            return len(bytes([byte, second]).decode(encoding)) == 1
        except UnicodeDecodeError:
            continue
    return False


def to_utf8(raw: bytes, encoding: str) -> bytes:
    """The same text in UTF-8; ASCII and UTF-8 are not copied. Undefined bytes become U+FFFD."""
    if encoding in ("ascii", "utf-8"):
        return raw
    if encoding in _WIDE:
        return raw.decode(encoding, "replace").encode()
    if not is_ebcdic(encoding) and raw.isascii():
        return raw
    return _charmap_decode(raw, "replace", one_byte_table(encoding))[0].encode()


def undecodable(raw: bytes, encoding: str) -> int | None:
    """Offset of the first byte of `raw` (whole lines) that has no character in `encoding`, or None."""
    if raw.isascii() and not is_ebcdic(encoding) and not is_wide(encoding):
        return None
    try:
        if encoding in ("ascii", "utf-8", *_WIDE):
            raw.decode(encoding)
        else:
            _charmap_decode(raw, "strict", one_byte_table(encoding))
    except UnicodeDecodeError as error:
        return error.start
    return None


def _is_on_pages(character: str) -> bool:
    return character.isprintable() or character in "\n\r\f\t\x00\x1a\x85\xa0\ufeff"


_ASCII_ON_PAGES = bytes(code for code in range(128) if _is_on_pages(chr(code)))


def text_share(sample: bytes, encoding: str) -> float:
    """Share of the characters of `sample` that occur on print pages: printable, blank, line end, form feed, NUL."""
    if encoding == "latin-1" and sample.isascii():
        # The usual case, without a look at each character.
        return 1 - len(sample.translate(None, _ASCII_ON_PAGES)) / max(len(sample), 1)
    text = to_utf8(sample, encoding).decode("utf-8", "replace")
    odd = sum(text.count(c) for c in set(text) if not _is_on_pages(c))
    return 1 - (odd + text.count("\ufffd")) / max(len(text), 1)


def family(sample: bytes) -> str | None:
    """utf-16-le or -be, cp1047 for EBCDIC, ascii for ASCII and its extensions; None if the bytes are not text.
    `sample`: start of the file."""
    if wide := _wide(sample):
        return wide if text_share(sample[: len(sample) & ~1], wide) > 0.9 else None
    filled = sample.translate(None, b"\x00") or b" "
    if len(filled) < len(sample) // 2:
        return None
    ascii_like = 1 - len(filled.translate(None, _print_bytes("ascii"))) / len(filled)
    if ascii_like == 1:
        return "ascii"  # the usual case, without a look at the rest
    ebcdic_like = 1 - len(filled.translate(None, _print_bytes("cp1047"))) / len(filled)
    if ebcdic_like > 0.8 and ebcdic_like > ascii_like:
        return "cp1047"
    if text_share(filled, "latin-1") > 0.9 and (ascii_like > 0.8 or _is_utf8_but_for_its_end(sample)):
        return "ascii"
    return None


def _wide(sample: bytes) -> str | None:
    """UTF-16, by its byte order mark or by zeros in every second byte only."""
    if b"\0" not in sample and not sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    for encoding, mark, high in (("utf-16-le", codecs.BOM_UTF16_LE, 1), ("utf-16-be", codecs.BOM_UTF16_BE, 0)):
        zeros = sample[high::2].count(0), sample[1 - high :: 2].count(0)
        if sample.startswith(mark) or zeros[0] > 0.45 * len(sample) > 10 * zeros[1]:
            return encoding
    return None


def _is_utf8_but_for_its_end(sample: bytes) -> bool:
    wrong = undecodable(sample, "utf-8")
    return wrong is None or wrong > len(sample) - 4


@cache
def _print_bytes(encoding: str) -> bytes:
    """The bytes of characters that reports print in any language: letters, digits, punctuation, blanks, line ends."""
    printed = string.ascii_letters + string.digits + string.punctuation + " \n\r\f\t"
    return bytes(byte for byte, character in enumerate(one_byte_table(encoding)) if character in printed)
