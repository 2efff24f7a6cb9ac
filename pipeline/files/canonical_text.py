"""Lines in canonical form: UTF-8, one LF per line, no carriage control, no trailing blanks; the control separately.

NULs and no-break spaces become blanks, and tabs are expanded to multiples of eight, which keeps the printed columns.

Works on whole blocks; only overprints and lines with a form feed are handled one by one.
"""

import re
from operator import itemgetter

import numpy as np

from .encodings import is_wide, to_utf8
from .line_format import MACHINE_IMMEDIATE, MACHINE_SPACES, FileFormat, characters, line_starts

_ASA = b" 01-+"
_IS_ASA = np.isin(np.arange(256), list(_ASA))
_behind_control = itemgetter(slice(1, None))
_LEADING_FORM_FEEDS = re.compile(rb"[ \f]*\f")
# In a run of spacings without print the largest counts: a new page, then three lines, two, one, none.
_BY_DISTANCE = b"+ 0-1"


def canonical(raw: bytes, ends: np.ndarray, file_format: FileFormat, top: bool) -> tuple[bytes, bytes]:
    """Text and control (one ASA character per line, or empty) of the whole lines in `raw`, which end at `ends`.

    top: `raw` is the start of the file, and so of a page.
    """
    count = len(ends)
    if not count:
        return b"", b""
    control = b""
    if file_format.control == "machine":
        raw, control = _take_machine_control(raw, ends, file_format, top)
    text = _as_utf8_lines(raw, ends, file_format)
    pages: list[int] = []
    if file_format.form_feeds and b"\f" in text:
        text, pages = _take_form_feeds(text)
    if file_format.control == "none":
        text = _without_trailing_blanks(text)
        control = b" " * count if file_format.form_feeds else b""
    else:
        text, asa = _take_first_column(text)
        control = control or asa
    if pages:
        marked = bytearray(control)
        for line in pages:
            if line < count:
                marked[line] = ord("1")
        control = bytes(marked)
    if b"+" in control:
        text = _merge_overprints(text, control)
    return text, control


def _as_utf8_lines(raw: bytes, ends: np.ndarray, file_format: FileFormat) -> bytes:
    """The lines decoded, each ending in one LF; still with form feeds and carriage control."""
    if file_format.record_length:
        raw = _with_line_ends(raw, file_format)
    elif file_format.form_feeds:
        raw = _with_broken_lines(raw, ends, file_format)
    text = to_utf8(raw, file_format.encoding)
    if file_format.newline == "nel" and not text.isascii():
        text = text.replace(b"\xc2\x85", b"\n")
    if file_format.newline == "cr":
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not text.endswith(b"\n"):
        text += b"\n"
    # Byte order marks also occur where files were concatenated; no-break spaces come from copying in a browser.
    if b"\xef" in text:
        text = text.replace(b"\xef\xbb\xbf", b"")
    if b"\r" in text:
        text = _without_carriage_returns(text, file_format.control == "asa")
    if b"\xc2" in text:
        text = text.replace(b"\xc2\xa0", b" ")
    if b"\0" in text:
        text = text.replace(b"\0", b" ")
    if b"\t" in text:
        text = text.expandtabs() if text.isascii() else text.decode().expandtabs().encode()
    return text


def _without_carriage_returns(text: bytes, asa: bool) -> bytes:
    """CRLF becomes LF; any other CR begins a second strike on the same line. With ASA control (`asa`), only a line that begins with + is an
    overprint of the one before: not one where a second strike has it."""
    codes = np.frombuffer(text, np.uint8)
    before_line_end = np.flatnonzero(codes == 0x0A) - 1
    returns = before_line_end[codes[before_line_end] == 0x0D]
    if len(returns) == text.count(b"\r"):
        return np.delete(codes, returns).tobytes()
    while b"\r\n" in text:
        text = text.replace(b"\r\n", b"\n")
    if b"\r" in text:
        return b"\n".join(_one_strike(line, asa) if b"\r" in line else line for line in text.split(b"\n"))
    return text


def _one_strike(line: bytes, asa: bool) -> bytes:
    """A line of several strikes with CRs between, as one."""
    merged = _overlay(*line.split(b"\r"))
    if asa and merged.startswith(b"+") and not line.lstrip(b"\r").startswith(b"+"):
        return b" " + merged[1:]
    return merged


def _with_line_ends(raw: bytes, file_format: FileFormat) -> bytes:
    """Fixed records with a line end after each; line end codes inside a record become blanks."""
    length = file_format.record_length or 1
    raw += bytes([file_format.blank]) * (-len(raw) % length)
    out = np.empty((len(raw) // length, length + 1), np.uint8)
    records = out[:, :length]
    records[:] = np.frombuffer(raw, np.uint8).reshape(-1, length)
    for code in (*file_format.line_end_codes, 0x0D):
        if code in raw:
            records[records == code] = file_format.blank
    out[:, length] = file_format.line_end_codes[0]
    return out.tobytes()


def _with_broken_lines(raw: bytes, ends: np.ndarray, file_format: FileFormat) -> bytes:
    """Insert a line end before each form feed between two texts of one line."""
    width = 2 if is_wide(file_format.encoding) else 1
    codes = characters(raw, file_format)
    at = ends[:-1] // width
    feeds = at[codes[at] == 0x0C]
    line_end = {*file_format.line_end_codes, *((0x0D,) if file_format.newline == "cr" else ())}
    line_end |= {0x85} if file_format.newline == "nel" else set()
    breaks = [int(i) for i in feeds if int(codes[i - 1]) not in line_end]
    if not breaks:
        return raw
    return np.insert(codes, breaks, file_format.line_end_codes[0]).astype(codes.dtype).tobytes()


def _take_form_feeds(text: bytes) -> tuple[bytes, list[int]]:
    """The text without form feeds, and the lines that begin a page: the line of a form feed before text or alone, the
    next line for one after text."""
    codes = np.frombuffer(text, np.uint8)
    line_end = np.flatnonzero(codes == 0x0A)
    pages: list[int] = []
    out: list[bytes] = []
    done = 0
    for line in np.unique(np.searchsorted(line_end, np.flatnonzero(codes == 0x0C))):
        start, end = (int(line_end[line - 1]) + 1 if line else 0), int(line_end[line])
        printed = text[start:end]
        if leading := _LEADING_FORM_FEEDS.match(printed):
            pages.append(int(line))
            printed = printed[leading.end() :]
        if b"\f" in printed:
            pages.append(int(line) + 1)
            printed = printed.replace(b"\f", b"")
        out += (text[done:start], printed)
        done = end
    return b"".join((*out, text[done:])), pages


def _without_trailing_blanks(text: bytes) -> bytes:
    # Looking before the line ends is ten times quicker than searching for two bytes.
    codes = np.frombuffer(text, np.uint8)
    if not np.any(codes[np.flatnonzero(codes == 0x0A) - 1] == 0x20):
        return text
    return b"\n".join(map(bytes.rstrip, text.split(b"\n")))


def _take_first_column(text: bytes) -> tuple[bytes, bytes]:
    """Text without column 0 and trailing blanks, and that column (a blank for an empty line). A character that is not
    carriage control is kept in the text."""
    codes = np.frombuffer(text, np.uint8)
    end = np.flatnonzero(codes == 0x0A)
    start = line_starts(end + 1)
    first = codes[start]
    valid = _IS_ASA[first]
    control = np.where(valid, first, ord(" ")).astype(np.uint8).tobytes()
    if np.any((codes[end - 1] == 0x20) & (end - 1 > start)):
        lines = list(map(_behind_control, map(bytes.rstrip, text.split(b"\n"))))
        for odd in np.flatnonzero(~valid & (first != 0x0A)):
            lines[odd] = text[start[odd] : end[odd]].rstrip()
        return b"\n".join(lines), control
    return np.delete(codes, start[valid]).tobytes(), control


def _take_machine_control(raw: bytes, ends: np.ndarray, file_format: FileFormat, top: bool) -> tuple[bytes, bytes]:
    """The bytes with a blank for each control code, and the control as ASA: a machine code acts after its line, an ASA
    character before its line. A line with an immediate code prints nothing."""
    codes = np.frombuffer(raw, np.uint8).copy()
    start = line_starts(ends)
    first = codes[start]
    after = np.full(256, _BY_DISTANCE.index(b" "), np.uint8)
    for code, asa in (MACHINE_SPACES | MACHINE_IMMEDIATE).items():
        after[code] = _BY_DISTANCE.index(asa.encode())
    distance = after[first]
    for line in np.flatnonzero(np.isin(first, list(MACHINE_IMMEDIATE))):
        if line:
            distance[line] = max(distance[line], distance[line - 1])
        printed = codes[int(start[line]) + 1 : int(ends[line])]
        printed[~np.isin(printed, (*file_format.line_end_codes, 0x0D))] = file_format.blank
    before = np.concatenate((after[[0x89 if top else 0x09]], distance[:-1]))
    valid = np.isin(first, list(MACHINE_SPACES | MACHINE_IMMEDIATE))
    codes[start[valid]] = file_format.blank
    return codes.tobytes(), np.frombuffer(_BY_DISTANCE, np.uint8)[before].tobytes()


def _merge_overprints(text: bytes, control: bytes) -> bytes:
    """Merge each overprint into the line above and leave it empty. The first line has none above it."""
    lines = text.split(b"\n")
    base = 0
    for line in np.flatnonzero(np.frombuffer(control, np.uint8) == ord("+")):
        if line == 0:
            continue
        if control[line - 1] != ord("+"):
            base = int(line) - 1
        lines[base], lines[line] = _overlay(lines[base], lines[line]), b""
    return b"\n".join(lines)


def _overlay(*strikes: bytes) -> bytes:
    """The text of overprinted lines: the first character that is not blank. Underlines are ignored, or they would fill
    the gaps between columns.

    >>> _overlay(b"CP  1", b"CP 5", b"_____")
    b'CP 51'
    """
    texts = [strike.decode() for strike in strikes if strike.strip(b" _")] or [strikes[0].decode()]
    seen = list(texts[0].ljust(max(map(len, texts))))
    for text in texts[1:]:
        for place, character in enumerate(text):
            if seen[place] == " ":
                seen[place] = character
    return "".join(seen).rstrip().encode()
