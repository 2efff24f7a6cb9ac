"""One pass over a print file, which detects its format and counts its lines."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice
from typing import BinaryIO, NamedTuple

import numpy as np

from ..errors import IronlakeError, OtherKind
from .encodings import family, is_ebcdic, is_wide, one_byte_table, text_share, to_utf8, undecodable
from .line_format import (
    BLOCK_BYTES,
    LONGEST_LINE,
    MACHINE_IMMEDIATE,
    MACHINE_SPACES,
    Control,
    FileFormat,
    characters,
    find_newline,
    first_codes,
    line_ends,
    line_starts,
    take_lines,
)
from .smf_json import is_smf, take_records
from .xml_document import is_xml, take_pieces

_SAMPLE_BYTES = LONGEST_LINE
_GLANCE_BYTES = 1 << 16
# Allowed share of foreign lines (separators, messages of transfer programs) in a file with carriage control.
_MOST_STRAY = 0.002
_HEADS_LOOKED_AT = 1000
_LINES_AT_THE_TOP = 500
_OUTSIDE_C1 = bytes({*range(256)} - {*range(0x80, 0xA0)})
_MACHINE = list(MACHINE_SPACES | MACHINE_IMMEDIATE)
_NEW_PAGE = [0x89, 0x8B]
# RMF titles: letters separated by blanks, in the middle of the line, behind a margin (possessive: no shorter one is tried).
_MARGIN = " " * 8
_SPACED_TITLE = re.compile(r"([ 1]) {8,}+((?:[A-Z]/)?[A-Z](?: {1,3}(?:[A-Z]/)?[A-Z]){4,})")
# What follows the 1 of a page top and never a 1 that is data: a word at once (processor 1B is not one), a product's level (V5R4M0), or a page
# number at the end.
_TOP = re.compile(
    r"1(?:(?![0-9A-F]+\b)[A-Za-z][A-Za-z0-9]{2}| *V\d+R\d+M\d+ |.*\bPAGE:? +[\d,]+(?:-\d+)?\s*$)", re.IGNORECASE
)
_DIGIT = re.compile(r"\d")
_LONG_WORD = re.compile(r"\b[A-Za-z]{5,}")
# How many lines deep a title is on its page at most, without blank ones.
_TITLE_REACH = 3
_DESCRIPTOR_HINT = "transfer it as text, or without record descriptor words from a data set of fixed-length records"
_SMF_HINT = "write them as JSON, with SMF2JSON on z/OS; ironlake docs smf_json says how"
_TRANSFER_HINT = "transfer print data sets as text; RECEIVE, unterse or unpack archives first"
# Other file types, given by mistake: offset, first bytes, name.
_OTHER_FILES = (
    (0, b"\x7fELF", "a program"),
    (0, b"MZ\x90", "a program"),
    (0, b"\x89PNG", "an image"),
    (0, b"\xff\xd8\xff", "an image"),
    (0, b"GIF8", "an image"),
    (0, b"%PDF", "a PDF document"),
    (0, b"PAR1", "a Parquet file"),
    (0, b"SQLite format 3", "a database"),
    (8, b"DUCK", "a DuckDB file"),
)
# What may hold reports.
_OTHER_ARCHIVES = (
    (0, b"BZh", "a bzip2 archive"),
    (0, b"\xfd7zXZ", "an xz archive"),
    (0, b"7z\xbc\xaf", "a 7-Zip archive"),
    (257, b"ustar", "a tar archive"),
    (2, "INMR01".encode("cp037"), "a TSO TRANSMIT file"),
)


class Inspected(NamedTuple):
    """text_end: end offset of the last line; padding follows. last_bytes: up to 16 before it. lines: number of lines; None for a document."""

    file_format: FileFormat
    lines: int | None
    text_end: int
    last_bytes: bytes


class _TopLines:
    """The first lines as `_printed` has them, decoded when they are asked for: most files need none. ASCII text without form feeds, the
    usual case, is decoded once, and only lines that are asked for are cut."""

    def __init__(self, raw: bytes, ends: np.ndarray, file_format: FileFormat):
        self._raw, self._raw_ends, self._file_format = raw[: int(ends[-1])] if len(ends) else b"", ends, file_format

    @cached_property
    def _lines(self) -> tuple[str, list[int]]:
        raw, ends, file_format = self._raw, self._raw_ends, self._file_format
        if not (is_ebcdic(file_format.encoding) or is_wide(file_format.encoding) or b"\f" in raw) and raw.isascii():
            return raw.decode(), [0, *ends.tolist()]
        lines = [_printed(raw, ends, line, file_format) for line in range(len(ends))]
        return "".join(lines), [0, *accumulate(map(len, lines))]

    def __getitem__(self, number: int) -> str:
        text, ends = self._lines
        return text[ends[number] : ends[number + 1]]

    def with_margin(self) -> list[int]:
        """The lines with a margin behind their first character."""
        text, ends = self._lines
        return [k for k, start in enumerate(ends[:-1]) if text.startswith(_MARGIN, start + 1)]


@dataclass
class _Facts:
    """Findings from the blocks of a file so far. `heads`: lines that begin with 1 (a bare 1: with the text of the next line); `top`: the first
    lines."""

    lines: int = 0
    first: np.ndarray = field(default_factory=lambda: np.zeros(256, np.int64))
    heads: list[str] = field(default_factory=list)
    top: _TopLines | None = None
    form_feeds: bool = False
    ascii_only: bool = True
    not_utf8: int | None = None
    bytes_between: set[int] = field(default_factory=set)
    brackets_1047: int = 0
    brackets_037: int = 0
    euros: int = 0
    has_text: bool = False


def inspect(stream: BinaryIO, size: int, encoding: str, digest: Callable[[bytes], object]) -> Inspected | None:
    """The format and line count of a file of `size` bytes; None if it has no text. Passes every byte to `digest`.

    encoding: "auto" or a name from encodings.canonical_name.
    Raises IronlakeError if the file is not a readable print file.
    """
    stream.seek(0)
    sample = stream.read(_SAMPLE_BYTES)
    file_format = FileFormat(_code_page(sample, encoding))
    text_end = _text_end(stream, size, file_format)
    if not text_end:
        return None
    for is_one, document in ((is_xml, file_format._replace(is_xml=True)), (is_smf, file_format._replace(is_smf=True))):
        if is_one(sample, file_format.encoding):
            return _inspect_document(stream, text_end, document, encoding, digest)
    file_format = _shape(sample[:text_end], file_format, size, text_end)
    facts = _Facts()
    start, raw = 0, b""
    while start < text_end:
        try:
            raw, ends = take_lines(stream, start, BLOCK_BYTES, text_end, file_format)
        except ValueError:
            what = f"a line that begins at byte {start:,} is longer than {LONGEST_LINE:,} bytes"
            raise IronlakeError(what, "a print report", _TRANSFER_HINT) from None
        except EOFError:
            raise IronlakeError(
                "the file changed while it was being read", hint="ingest it again when it is complete"
            ) from None
        digest(raw)
        _note(facts, raw, ends, file_format, start, encoding)
        start += len(raw)
    last_bytes = raw[-16:]
    stream.seek(text_end)
    while padding := stream.read(_SAMPLE_BYTES):
        digest(padding)
    if not facts.has_text:
        return None
    return Inspected(_decided(file_format, facts, encoding), facts.lines, text_end, last_bytes)


def _inspect_document(
    stream: BinaryIO, text_end: int, blanks: FileFormat, encoding: str, digest: Callable[[bytes], object]
) -> Inspected:
    """The same of a document. `blanks`: its format, with the code page as far as its first bytes show."""
    take = take_records if blanks.is_smf else take_pieces
    facts, start, raw = _Facts(), 0, b""
    while start < text_end:
        raw = take(stream, start, BLOCK_BYTES, text_end, blanks.encoding)
        digest(raw)
        _note_characters(facts, raw, blanks, start, encoding)
        start += len(raw)
    last_bytes = raw[-16:]
    stream.seek(text_end)
    while padding := stream.read(_SAMPLE_BYTES):
        digest(padding)
    name, note = _settled_code_page(blanks, facts) if encoding == "auto" else (blanks.encoding, "")
    # Its lines are known when it is read: to look for them now would take as long again.
    return Inspected(blanks._replace(encoding=name, note=note), None, text_end, last_bytes)


def _code_page(sample: bytes, encoding: str) -> str:
    """The code page of a file that begins with `sample`: as given if plausible, else as detected."""
    for place, magic, name in _OTHER_FILES:
        if sample.startswith(magic, place):
            raise OtherKind(f"is {name}", "a print report as text", _TRANSFER_HINT)
    for place, magic, name in _OTHER_ARCHIVES:
        if sample.startswith(magic, place):
            raise IronlakeError(f"is {name}", "a print report as text", _TRANSFER_HINT)
    sample = sample[:_GLANCE_BYTES]
    if _is_smf_record(sample) or (sample[2:4] == b"\0\0" and _is_smf_record(sample[4:])):
        raise IronlakeError("holds SMF records in binary", "a print report, or SMF records as JSON", _SMF_HINT)
    if _has_descriptor_words(sample):
        raise IronlakeError("has variable-length records with descriptor words", "text lines", _DESCRIPTOR_HINT)
    found = family(sample) if sample.strip(b"\0") else "ascii"
    if encoding == "auto":
        if found is None:
            raise IronlakeError("is not text in a known code page", "a print report as text", _TRANSFER_HINT)
        return found
    if encoding == "utf-16":
        encoding = found if found and is_wide(found) else "utf-16-le"
    wrong = text_share(sample[: len(sample) & ~1], encoding) < 0.7 if found is None else _kind(found) != _kind(encoding)
    if wrong:
        looks = {None: "binary data", "cp1047": "EBCDIC", "ascii": "ASCII"}.get(found, "UTF-16")
        raise IronlakeError(
            f"is not in {encoding}: its bytes look like {looks}", f"text in {encoding}", "omit --encoding"
        )
    return encoding


def _is_smf_record(sample: bytes) -> bool:
    """Whether an SMF record begins here, behind its length: flags, type, time, date and system. A date is packed 0cyydddF, a system EBCDIC."""
    system = sample[10:14].decode("cp037")
    return (
        bool(re.fullmatch(r"0[01]\d{5}f", sample[6:10].hex()) and re.fullmatch(r"[A-Z#$@][A-Z0-9#$@]* *", system))
        and len(system) == 4
    )


def _has_descriptor_words(sample: bytes) -> bool:
    """Whether the file is a chain of records, each starting with its length (two bytes) and two zero bytes."""
    place, records = 0, 0
    while place + 4 <= len(sample):
        length = int.from_bytes(sample[place : place + 2], "big")
        if length < 4 or sample[place + 2 : place + 4] != b"\0\0":
            return False
        place, records = place + length, records + 1
    return records > 1


def _kind(encoding: str) -> tuple[bool, bool]:
    return is_ebcdic(encoding), is_wide(encoding)


def _text_end(stream: BinaryIO, size: int, file_format: FileFormat) -> int:
    """End offset without padding: NUL, SUB (end of file on old systems) or a trailing form feed."""
    if is_wide(file_format.encoding):
        return size & ~1
    padding = b"\x00\x0c" + (b"\x3f" if is_ebcdic(file_format.encoding) else b"\x1a")
    end = size
    while end:
        start = max(0, end - _SAMPLE_BYTES)
        stream.seek(start)
        kept = len(stream.read(end - start).rstrip(padding))
        if kept:
            return start + kept
        end = start
    return 0


def _shape(sample: bytes, file_format: FileFormat, size: int, text_end: int) -> FileFormat:
    """Line ends or record length, and machine control, from the start of the file."""
    # To count pairs of bytes takes far longer than single ones.
    next_lines = sample.count(b"\x85") if file_format.encoding == "ascii" else 0
    if next_lines and sample.count(b"\xc2\x85") * 2 > next_lines:
        file_format = file_format._replace(encoding="utf-8")
    try:
        newline, record_length = find_newline(sample, file_format.encoding, size)
    except ValueError:
        lengths = "line ends (LF, CRLF, CR, NEL) or records of one length, such as 133"
        raise IronlakeError("has no line ends, and no fixed record length fits", lengths, _TRANSFER_HINT) from None
    if newline == "nel" and file_format.encoding == "ascii":
        file_format = file_format._replace(encoding="latin-1")
    file_format = file_format._replace(newline=newline, record_length=record_length)
    if not is_wide(file_format.encoding) and any(code in sample for code in _MACHINE):
        ends = line_ends(sample, file_format, len(sample) == text_end)
        if len(ends) and _is_machine(_count_first(first_codes(sample, ends, file_format), file_format)):
            file_format = file_format._replace(control="machine")
    return file_format


def _count_first(first: np.ndarray, file_format: FileFormat) -> np.ndarray:
    """Number of lines that begin with each code (255: 255 or above), from these; lines without text are not counted."""
    count = np.bincount(np.minimum(first, 255), minlength=256)
    count[[*file_format.line_end_codes, 0x0D, 0x00]] = 0
    if file_format.newline == "nel" and file_format.encoding == "latin-1":
        count[0x85] = 0
    return count


def _is_machine(first: np.ndarray) -> bool:
    """Machine control: only its codes in column 0, several of them or one that begins a page (a tab alone may be indentation)."""
    codes = first[_MACHINE]
    stray = first.sum() - codes.sum()
    varied = np.count_nonzero(codes) > 1 or first[_NEW_PAGE].sum() > 0
    return bool(codes.sum() and varied and stray <= _MOST_STRAY * first.sum())


def _note(facts: _Facts, raw: bytes, ends: np.ndarray, file_format: FileFormat, start: int, encoding: str) -> None:
    """Add the findings from whole lines at offset `start`."""
    facts.lines += len(ends)
    facts.form_feeds |= b"\f" in raw and bool((characters(raw, file_format) == 0x0C).any())
    first = first_codes(raw, ends, file_format)
    facts.first += _count_first(first, file_format)
    table = _first_column(file_format.encoding)
    if len(facts.heads) < _HEADS_LOOKED_AT:
        facts.heads += [_head(raw, ends, line, file_format) for line in np.flatnonzero(first == table.index("1"))[:50]]
    if not start:
        facts.top = _TopLines(raw, ends[:_LINES_AT_THE_TOP], file_format)
    blanks = bytes({file_format.blank, *file_format.line_end_codes, 0x0D, 0x09, 0x00, 0x0C})
    facts.has_text = facts.has_text or bool(raw.strip(blanks))
    if file_format.control == "machine":
        blanked = np.frombuffer(raw, np.uint8).copy()
        blanked[line_starts(ends)] = file_format.blank
        raw = blanked.tobytes()
    _note_characters(facts, raw, file_format, start, encoding)


def _note_characters(facts: _Facts, raw: bytes, file_format: FileFormat, start: int, encoding: str) -> None:
    """Add what the bytes at offset `start` say of the code page."""
    if encoding != "auto":
        wrong = undecodable(raw, file_format.encoding)
        if wrong is not None:
            what = f"is not in {file_format.encoding}: the byte at offset {start + wrong:,} (0x{raw[wrong]:02X}) has no character"
            raise IronlakeError(what, f"text in {file_format.encoding}", "omit --encoding, or choose another")
    elif is_ebcdic(file_format.encoding):
        facts.brackets_1047 += raw.count(b"\xad") + raw.count(b"\xbd")
        facts.brackets_037 += raw.count(b"\xba") + raw.count(b"\xbb")
        facts.euros += raw.count(b"\x9f")
    elif not is_wide(file_format.encoding) and not raw.isascii():
        facts.ascii_only = False
        facts.bytes_between.update(raw.translate(None, _OUTSIDE_C1))
        if facts.not_utf8 is None and (wrong := undecodable(raw, "utf-8")) is not None:
            facts.not_utf8 = start + wrong


def _find_titles(lines: _TopLines) -> tuple[list[str], list[str]]:
    """The letter-spaced titles after a 1, and those without a line with 1 above."""
    titles: list[str] = []
    bare_titles: list[str] = []
    for number in lines.with_margin():
        if title := _SPACED_TITLE.match(lines[number]):
            if title[1] == "1":
                titles.append(_words(title))
            elif _is_bare(lines, number):
                bare_titles.append(_words(title))
    return titles, bare_titles


def _is_bare(lines: _TopLines, number: int) -> bool:
    """Whether a title has no line with 1 so near above it that it could be the top of its page."""
    between = 0
    for line in map(lines.__getitem__, range(number, -1, -1)):
        between += bool(line.strip())
        if line.startswith("1") or between >= _TITLE_REACH:
            return not line.startswith("1")
    return True


def _words(title: re.Match[str]) -> str:
    return title[2].replace(" ", "")


def _head(raw: bytes, ends: np.ndarray, line: int, file_format: FileFormat) -> str:
    """A line that begins with 1; a bare 1 with the text of the next line."""
    head = _printed(raw, ends, line, file_format)
    return (
        "1 " + _printed(raw, ends, line + 1, file_format)[1:] if not head[1:].strip() and line + 1 < len(ends) else head
    )


def _printed(raw: bytes, ends: np.ndarray, line: int, file_format: FileFormat) -> str:
    """One line as text, including carriage control and line end."""
    start = int(ends[line - 1]) if line else 0
    return to_utf8(raw[start : int(ends[line])], file_format.encoding).decode("utf-8", "replace").lstrip("\f\ufeff")


def _decided(file_format: FileFormat, facts: _Facts, encoding: str) -> FileFormat:
    file_format = file_format._replace(form_feeds=facts.form_feeds)
    if encoding == "auto":
        name, note = _settled_code_page(file_format, facts)
        file_format = file_format._replace(encoding=name, note=note)
    control, note = _settled_control(file_format, facts)
    return file_format._replace(control=control, note="; ".join(n for n in (file_format.note, note) if n))


def _settled_code_page(file_format: FileFormat, facts: _Facts) -> tuple[str, str]:
    """The final code page, after all bytes, and a note if it was not the first choice."""
    if is_wide(file_format.encoding):
        return file_format.encoding, ""
    if is_ebcdic(file_format.encoding):
        if facts.euros:
            return "cp1140", "byte 0x9F is read as the euro sign of EBCDIC 1140"
        if facts.brackets_037 > facts.brackets_1047:
            return "cp037", "bytes 0xBA and 0xBB are read as the brackets of EBCDIC 037"
        return "cp1047", ""
    if facts.ascii_only:
        return "ascii", ""
    if facts.not_utf8 is None and file_format.encoding != "latin-1":
        return "utf-8", ""
    if file_format.newline == "nel" and file_format.encoding == "utf-8":
        what = f"mixes UTF-8 line ends with another code page: the byte at offset {facts.not_utf8:,} is not UTF-8"
        raise IronlakeError(what, "one code page", "choose it with --encoding, or convert the file")
    windows = one_byte_table("cp1252")
    fits = (
        facts.bytes_between
        and file_format.newline != "nel"
        and all(windows[b] != "\ufffe" for b in facts.bytes_between)
    )
    name = "cp1252" if fits else "latin-1"
    where = f"the byte at offset {facts.not_utf8:,} is not UTF-8: " if facts.not_utf8 is not None else ""
    return name, f"{where}read as {name}"


def _settled_control(file_format: FileFormat, facts: _Facts) -> tuple[Control, str]:
    """The final carriage control, after all lines, and a note of the lines without it.

    Raises IronlakeError if only some pages have it: columns would shift.
    """
    total = int(facts.first.sum())
    if file_format.control == "machine":
        if _is_machine(facts.first):
            return "machine", ""
        raise _mixed("machine")
    if facts.top is None or not (facts.heads or facts.form_feeds):
        return "none", ""
    table = _first_column(file_format.encoding)
    stray = total - int(facts.first[[table.index(c) for c in " 01-+"]].sum())
    titles, bare_titles = _find_titles(facts.top)
    if set(bare_titles) & set(titles):
        raise _mixed("ASA")
    heads = [h for h in facts.heads if _is_head(h)]
    tops = [h for h in heads if _SPACED_TITLE.match(h) or _TOP.match(h) or _is_heading(h)]
    # A 1 may also be data (processor 1 of a table). Only a page top is certain; without one, nothing is cut off.
    if not tops or len(heads) < 0.9 * len(facts.heads) or (bare_titles and not titles):
        return "none", ""
    if stray <= _MOST_STRAY * total:
        return "asa", f"lines without carriage control: {stray:,} of {total:,}" if stray else ""
    if titles or any(_SPACED_TITLE.match(head) for head in heads):
        raise _mixed("ASA")
    return "none", ""


def _first_column(encoding: str) -> str:
    """The characters of the codes below 256, also for multi-byte encodings."""
    return one_byte_table("latin-1" if encoding == "utf-8" or is_wide(encoding) else encoding)


def _mixed(kind: str) -> IronlakeError:
    return IronlakeError(
        f"has {kind} carriage control on some lines but not on others",
        "carriage control in column 1 of every line, or of none",
        "split the file where the format changes",
    )


def _is_heading(line: str) -> bool:
    """Whether words alone follow the 1, two of them long: a row of a table has a number."""
    return not _DIGIT.search(line, 1) and sum(1 for _ in islice(_LONG_WORD.finditer(line, 1), 2)) == 2


def _is_head(line: str) -> bool:
    """Whether a line that begins with 1 may be the first of a page: followed by a title or nothing, not by a number."""
    behind = line[1:]
    return not behind[:1].isdigit() and (not behind.strip() or bool(re.search("[A-Za-z]", behind)))
