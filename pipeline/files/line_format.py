"""The format of a print file (code page, line ends, carriage control), and cutting its bytes into lines.

A line is a record, or the bytes up to a line end. A form feed between two texts also ends a line: the texts are on
different pages.
"""

from typing import BinaryIO, Literal, NamedTuple

import numpy as np

from .encodings import is_ebcdic, is_wide, to_utf8

Newline = Literal["lf", "cr", "nel", "record"]
Control = Literal["none", "asa", "machine"]

# RMF prints 132 columns; a data set adds one byte of carriage control. SYSOUT often has 121, DFHSTUP 137.
USUAL_RECORD_LENGTHS = (133, 132, 121, 137)
LONGEST_LINE = 1 << 20
# Files are read in blocks: new memory costs more than the work on it, reused memory is free.
BLOCK_BYTES = 1 << 20
_FORM_FEED = 0x0C
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Writes: 01 no space after, 09, 11, 19 one to three lines, 89 skip to a new page; 0B, 13, 1B, 8B the same without data.
MACHINE_SPACES = {0x01: "+", 0x09: " ", 0x11: "0", 0x19: "-", 0x89: "1"}
MACHINE_IMMEDIATE = {0x03: "+", 0x0B: " ", 0x13: "0", 0x1B: "-", 0x8B: "1"}


class FileFormat(NamedTuple):
    """How to read the bytes of one source; detected once, over the whole source.

    newline: "lf" is LF, CRLF or EBCDIC NL; "cr" any of CR, CRLF, LF; "nel" U+0085; "record" records of record_length
        bytes without line ends.
    form_feeds: whether there are any, so that every range marks page starts.
    is_xml: a document of RMF in XML (xml_document.py): its lines are those of its elements; newline and control mean nothing.
    is_smf: SMF records as JSON (smf_json.py): a line is a record.
    note: a remark for people about the detection, such as a second-choice code page.
    """

    encoding: str
    record_length: int | None = None
    newline: Newline = "lf"
    control: Control = "none"
    form_feeds: bool = False
    note: str = ""
    is_xml: bool = False
    is_smf: bool = False

    @property
    def is_document(self) -> bool:
        """Its lines are made of what it holds, not of its line ends."""
        return self.is_xml or self.is_smf

    @property
    def unit(self) -> int:
        """Ranges begin at multiples of this number of bytes."""
        return self.record_length or (2 if is_wide(self.encoding) else 1)

    @property
    def line_end_codes(self) -> tuple[int, ...]:
        return (0x15, 0x25) if is_ebcdic(self.encoding) else (0x0A,)

    @property
    def blank(self) -> int:
        return 0x40 if is_ebcdic(self.encoding) else 0x20


def characters(raw: bytes, file_format: FileFormat) -> np.ndarray:
    """The codes of `raw` in its own code page: one per byte, or one per pair of bytes."""
    kind = {"utf-16-le": "<u2", "utf-16-be": ">u2"}.get(file_format.encoding, "u1")
    return np.frombuffer(raw, kind, len(raw) // np.dtype(kind).itemsize)


def line_ends(raw: bytes, file_format: FileFormat, last: bool) -> np.ndarray:
    """End offsets of the whole lines of `raw`, ascending. `last`: end of file, so the rest is a line."""
    width = 2 if is_wide(file_format.encoding) else 1
    if file_format.record_length:
        ends = np.arange(file_format.record_length, len(raw) + 1, file_format.record_length)
    else:
        ends = (np.flatnonzero(_is_line_end(raw, file_format, last)) + 1) * width
    if last and len(raw) and not (len(ends) and ends[-1] == len(raw)):
        ends = np.append(ends, len(raw))
    if not file_format.record_length and b"\f" in raw:
        breaks = _breaks_inside_lines(raw, ends, file_format, width)
        if breaks:
            ends = np.union1d(ends, breaks)
    return ends


def _is_line_end(raw: bytes, file_format: FileFormat, last: bool) -> np.ndarray:
    codes = characters(raw, file_format)
    found = codes == file_format.line_end_codes[0]
    for other in file_format.line_end_codes[1:]:
        found |= codes == other
    if file_format.newline == "cr":
        carriage_return = codes == 0x0D
        carriage_return[:-1] &= ~found[1:]
        if not last and len(codes):
            carriage_return[-1] = False
        found |= carriage_return
    elif file_format.newline == "nel" and file_format.encoding == "utf-8":
        found[1:] |= (codes[1:] == 0x85) & (codes[:-1] == 0xC2)
    elif file_format.newline == "nel":
        found |= codes == 0x85
    return found


def ends_within_line(raw: bytes, file_format: FileFormat) -> bool:
    """Whether `raw`, the end of a file, has no line end after its last line."""
    if file_format.record_length or not raw:
        return False
    return not bool(_is_line_end(raw[-4 * file_format.unit :], file_format, True)[-1])


def _breaks_inside_lines(raw: bytes, ends: np.ndarray, file_format: FileFormat, width: int) -> list[int]:
    """Offsets of the form feeds with text before and after them on their line."""
    breaks: list[int] = []
    for place in np.flatnonzero(characters(raw, file_format) == _FORM_FEED) * width:
        index = int(np.searchsorted(ends, place, "right"))
        if index == len(ends):
            break
        start = int(ends[index - 1]) if index else 0
        before = raw[max(start, breaks[-1] if breaks else 0) : place]
        if _has_text(before, file_format) and _has_text(raw[place + width : int(ends[index])], file_format):
            breaks.append(int(place))
    return breaks


def _has_text(raw: bytes, file_format: FileFormat) -> bool:
    # Judged by bytes, independent of which ASCII-like code page is detected later.
    if is_wide(file_format.encoding):
        return bool(raw.decode(file_format.encoding, "replace").strip(" \0\f\r\n\x85"))
    empty = bytes((file_format.blank, 0x00, 0x0C, 0x0D, *file_format.line_end_codes))
    return bool(raw.strip(empty + (b"\xc2\x85" if file_format.newline == "nel" else b"")))


def line_starts(ends: np.ndarray) -> np.ndarray:
    return np.concatenate((np.zeros(1, ends.dtype), ends[:-1])) if len(ends) else ends


def first_codes(raw: bytes, ends: np.ndarray, file_format: FileFormat) -> np.ndarray:
    """The code in column 0 of each line, after a form feed or byte order mark; a line end if the line is empty."""
    codes = characters(raw, file_format)
    width = 2 if is_wide(file_format.encoding) else 1
    places = line_starts(ends) // width
    for skipped in (0xFEFF, _FORM_FEED) if width == 2 else (_FORM_FEED,):
        behind = (codes[places] == skipped) & (places + 1 < ends // width)
        places = places + behind
    if width == 1 and raw.startswith(b"\xef\xbb\xbf") and ends[0] > 3:
        places[0] = 3
    return codes[places]


def take_lines(
    stream: BinaryIO, start: int, size: int, limit: int, file_format: FileFormat
) -> tuple[bytes, np.ndarray]:
    """Whole lines from offset `start`, up to `size` bytes, at least one line; an overprint stays with its line. Returns the
    bytes and the line ends. `limit`: end offset of the last line of the file.

    Raises ValueError for a line longer than LONGEST_LINE, EOFError if the file has become shorter.
    """
    size = max(size // file_format.unit, 1) * file_format.unit
    most = size + 4 * LONGEST_LINE
    while True:
        stream.seek(start)
        raw = stream.read(min(size, limit - start))
        if len(raw) < min(size, limit - start):
            raise EOFError(start + len(raw))
        last = start + len(raw) >= limit
        ends = line_ends(raw, file_format, last)
        if last:
            return raw, ends
        inside = ends[: np.searchsorted(ends, len(raw))]
        free = np.flatnonzero(~_held_by_next(raw, inside, file_format))
        if len(free):
            keep = inside[: free[-1] + 1]
            return raw[: keep[-1]], keep
        if size > most:
            if len(inside):
                return raw[: inside[-1]], inside
            raise ValueError(start)
        size *= 2


def _held_by_next(raw: bytes, ends: np.ndarray, file_format: FileFormat) -> np.ndarray:
    """For each line with a next line in `raw`, whether that one overprints it."""
    codes = characters(raw, file_format)
    if file_format.control == "asa":
        over = 0x4E if is_ebcdic(file_format.encoding) else ord("+")
        places = _printed_from(raw, codes, ends // (2 if is_wide(file_format.encoding) else 1))
        # Where the bytes that were read end, it may.
        return (places == len(codes)) | (codes[np.minimum(places, len(codes) - 1)] == over)
    if file_format.control == "machine":
        return np.isin(codes[line_starts(ends)], (0x01, 0x03))
    return np.zeros(len(ends), bool)


def _printed_from(raw: bytes, codes: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The places of the first codes at or behind `places` that are no carriage return or byte order mark: canonical text has neither.
    `len(codes)` where there are none."""
    first = codes[places]
    # CRLF is an empty line.
    lone = (first == 0x0D) & (codes[np.minimum(places + 1, len(codes) - 1)] != 0x0A)
    if not (lone | np.isin(first, (0xFEFF, _BYTE_ORDER_MARK[0]))).any():
        return places
    printed = codes != 0x0D
    if codes.itemsize == 2:
        printed &= codes != 0xFEFF
    else:
        # A mark may be cut where the bytes that were read end.
        of_mark = [codes[k:] == code for k, code in enumerate(_BYTE_ORDER_MARK)]
        ends = [len(codes) - k for k in (1, 2) if raw.endswith(_BYTE_ORDER_MARK[:k])]
        whole = of_mark[0][: len(of_mark[2])] & of_mark[1][: len(of_mark[2])] & of_mark[2]
        for start in (*np.flatnonzero(whole), *ends):
            printed[start : start + len(_BYTE_ORDER_MARK)] = False
    where = np.append(np.flatnonzero(printed), len(codes))
    return where[np.searchsorted(where, places)]


def find_newline(sample: bytes, encoding: str, size: int) -> tuple[Newline, int | None]:
    """The line end, and the record length if there are none. `sample`: start of a file of `size` bytes.

    Raises ValueError if there are no line ends and no record length fits.
    """
    text = to_utf8(sample, encoding) if is_ebcdic(encoding) or is_wide(encoding) else sample
    line_feeds = text.count(b"\n")
    lone_returns = text.count(b"\r")
    if lone_returns:
        lone_returns -= text.count(b"\r\n")
    next_lines = text.count(b"\x85") if not is_ebcdic(encoding) else 0
    most = max(line_feeds, lone_returns, next_lines)
    if most * 1000 < len(text) and not is_wide(encoding):
        if length := find_record_length(sample[: LONGEST_LINE // 4], encoding, size):
            return "record", length
        if not most and len(sample) > LONGEST_LINE // 16:
            raise ValueError("no line ends")
    if lone_returns > line_feeds:
        return "cr", None
    return ("nel" if next_lines > line_feeds else "lf"), None


def find_record_length(sample: bytes, encoding: str, size: int) -> int | None:
    """The record length of a file of `size` bytes that begins with `sample`, or None.

    The usual lengths come first, then any that divides the size. At the right length no word runs from one record into
    the next, and print lines up in columns. A file whose size is no multiple (it was cut) must have a usual length and
    carriage control on every record.
    """
    codes = np.frombuffer(sample, np.uint8)
    blank, asa = (0x40, b"\x40\xf0\xf1\x60\x4e") if is_ebcdic(encoding) else (0x20, b" 01-+")
    control = [*asa, 0, *MACHINE_SPACES, *MACHINE_IMMEDIATE]
    is_blank = (codes == blank) | (codes == 0)
    for length in USUAL_RECORD_LENGTHS:
        if size % length == 0 and _fits(is_blank, length, 0.02):
            return length
        if size % length == 0 and len(codes) >= 8 * length and np.isin(codes[::length], control).all():
            print_only = is_blank.copy()
            print_only[::length] = True  # control after a full record does not continue a word
            new_pages = bool(np.isin(codes[::length], asa[2]).any())
            if _fits(print_only, length, -1.0 if new_pages else 0.02):
                return length
    for length in USUAL_RECORD_LENGTHS:
        if len(codes) >= 8 * length and np.isin(codes[::length], control).all() and _fits(is_blank, length, 0.05):
            return length
    others = [n for n in range(60, 513) if size % n == 0 and _fits(is_blank, n, 0.05)]
    controlled = [n for n in others if np.isin(codes[::n], control).all()]
    return next(iter(controlled or others), None)


def _fits(is_blank: np.ndarray, length: int, least: float) -> bool:
    """Whether records of this length keep words whole, and, where there are enough of them, the share of the variance
    of blank against print that the column explains is more than chance would, by at least `least`."""
    records = is_blank[: len(is_blank) // length * length].reshape(-1, length)
    count = len(records)
    if count < 2 or np.mean(~records[:-1, -1] & ~records[1:, 0]) > 0.02:
        return False
    share = float(records.mean())
    if count < 8 or share in (0, 1):
        return share < 1
    explained = float(records.mean(axis=0).var()) / (share * (1 - share))
    return (explained - 1 / count) / (1 - 1 / count) >= least
