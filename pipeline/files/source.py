"""Print files as sites have them, turned into pieces of canonical text that any process can read on its own.

`open_sources` finds the files, unpacks what is compressed and decides once how each is to be read; a `Source` then
gives canonical text for any range of its bytes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np

from ..declaration.options import Options
from ..errors import IronlakeError
from .carriage_control import canonical
from .containers import Found, Limits, Unusable, find
from .detect import inspect
from .encodings import canonical_name
from .line_format import BLOCK_BYTES, FileFormat, ends_within_line, line_ends, line_starts, take_lines

# Far enough back to see what the lines before say about the first line of a range (machine control, form feeds).
_CONTEXT_BYTES = 1 << 14


@dataclass(frozen=True)
class CanonicalText:
    """Whole lines of a source in canonical form, as a Segment has them.

    start, end: the bytes of the source that they stand for.
    """

    text: bytes
    control: bytes
    start: int
    end: int
    _line_starts: np.ndarray = field(repr=False, compare=False)

    def raw_offset(self, line: int) -> int:
        """Offset in the source at which a line of the piece begins; lines count from 0, one past the last is the end."""
        return self.end if line == len(self._line_starts) else self.start + int(self._line_starts[line])

    def head(self, lines: int, end: int) -> CanonicalText:
        """The first lines of the piece; `end` is where they end in the source."""
        if lines == len(self._line_starts):
            return self
        at = -1
        for _ in range(len(self._line_starts) - lines + 1):
            at = self.text.rfind(b"\n", 0, at if at >= 0 else len(self.text))
        return CanonicalText(self.text[: at + 1], self.control[:lines], self.start, end, self._line_starts[:lines])


@dataclass(frozen=True)
class Source:
    """One readable print file. Worker processes get it and read their own ranges.

    path: the file on disk, spooled if it was compressed or came from standard input.
    source_file: its name for people: as given, `archive.zip!member`, or `-`; printable and unique in a run.
    size: uncompressed bytes; sha256: their digest, in hex; lines: how many lines all pieces have together.
    """

    path: Path
    source_file: str
    size: int
    sha256: str
    lines: int
    file_format: FileFormat
    spooled: bool
    text_end: int
    modified_ns: int

    def read(self, start: int, size: int) -> CanonicalText:
        """Whole lines from `start` (0, or the end of a piece): as many as `size` bytes hold, at least one. A line that
        prints over another stays with it. The last piece ends at the size of the source.

        Raises IronlakeError where the file has changed since it was opened.
        """
        return self._lines(start, self.text_end, size)

    def read_range(self, start: int, end: int) -> CanonicalText:
        """The lines between two offsets at which lines begin or end."""
        return self._lines(start, min(end, self.text_end), None)

    def _lines(self, start: int, limit: int, size: int | None) -> CanonicalText:
        """Block by block: the lines up to `limit`, or those that `size` bytes hold."""
        texts, controls, offsets = [], [], []
        place = start
        with self._open() as stream:
            while place < limit:
                room = BLOCK_BYTES if size is None else min(BLOCK_BYTES, start + size - place)
                if room <= 0:
                    break
                try:
                    raw, ends = take_lines(stream, place, room, limit, self.file_format)
                except (EOFError, ValueError):
                    raise self._changed() from None
                if texts and len(raw) > room and size is not None:
                    break
                text, control = self._canonical(stream, raw, ends, place)
                texts.append(text)
                controls.append(control)
                offsets.append(line_starts(ends) + (place - start))
                place += len(raw)
        end = self.size if place >= self.text_end else place
        offsets = np.concatenate(offsets) if offsets else np.zeros(0, np.int64)
        return CanonicalText(b"".join(texts), b"".join(controls), start, end, offsets)

    def _canonical(self, stream: BinaryIO, raw: bytes, ends: np.ndarray, start: int) -> tuple[bytes, bytes]:
        """The lines in canonical form; where carriage control needs it, the lines before are looked at too."""
        context = self._context_start(stream, start)
        if context == start:
            return canonical(raw, ends, self.file_format, top=start == 0)
        earlier = self._bytes(stream, context, start)
        earlier_ends = line_ends(earlier, self.file_format, True)
        ends = np.concatenate((earlier_ends, ends + len(earlier)))
        text, control = canonical(earlier + raw, ends, self.file_format, top=context == 0)
        return text.split(b"\n", len(earlier_ends))[-1], control[len(earlier_ends) :]

    def cut_short(self) -> bool:
        """Whether the file ends within a line."""
        with self._open() as stream:
            return ends_within_line(self._bytes(stream, max(0, self.text_end - 16), self.text_end), self.file_format)

    def unchanged(self) -> bool:
        """Whether the file still has the size and time of change that it had when it was opened."""
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return (status.st_size, status.st_mtime_ns) == (self.size, self.modified_ns)

    def close(self) -> None:
        """Removes the file if it is in the spool folder."""
        if self.spooled:
            self.path.unlink(missing_ok=True)

    def _open(self) -> BinaryIO:
        try:
            return open(self.path, "rb")
        except OSError as error:
            raise IronlakeError(f"{self.source_file} cannot be read any more: {error.strerror}") from None

    def _bytes(self, stream: BinaryIO, start: int, end: int) -> bytes:
        stream.seek(start)
        raw = stream.read(end - start)
        if len(raw) < end - start:
            raise self._changed()
        return raw

    def _changed(self) -> IronlakeError:
        return IronlakeError(
            f"{self.source_file} changed while it was read", "a file that nobody writes to", "ingest it again"
        )

    def _context_start(self, stream: BinaryIO, start: int) -> int:
        """Where to begin so that carriage control at `start` is known: a line begin some lines before, or `start`."""
        if not start or not (self.file_format.control == "machine" or self.file_format.form_feeds):
            return start
        back = max(0, start - _CONTEXT_BYTES // self.file_format.unit * self.file_format.unit)
        if not back:
            return 0
        first_end = line_ends(self._bytes(stream, back, start), self.file_format, True)[0]
        return back + int(first_end)


@dataclass(frozen=True)
class SkippedFile:
    """A file that gives no source: nothing in it, or not to be read; and what to do."""

    source_file: str
    status: Literal["empty", "failed"]
    what: str
    expected: str
    hint: str


def open_sources(
    paths: Sequence[str],
    options: Options,
    spool: Path,
    stdin: BinaryIO | None = None,
    limits: Limits | None = None,
) -> Iterator[Source | SkippedFile]:
    """Every print file under `paths`, in order, each once: folders are walked, archives opened, `-` is standard input.

    The caller closes each source; what is spooled lies in the folder `spool` until then.
    Raises IronlakeError where options.encoding is no code page that can be read.
    """
    encoding = options.encoding if options.encoding == "auto" else canonical_name(options.encoding)
    return _open_all(paths, encoding, spool, stdin, limits or Limits())


def _open_all(
    paths: Sequence[str], encoding: str, spool: Path, stdin: BinaryIO | None, limits: Limits
) -> Iterator[Source | SkippedFile]:
    names: set[str] = set()
    for found in find(paths, spool, limits, stdin):
        name = _unique(printable(found.name), names)
        if isinstance(found, Unusable):
            yield _skipped(name, found.error, found.empty)
            continue
        kept = False
        try:
            opened = _open_one(found, name, encoding)
            kept = isinstance(opened, Source)
        finally:
            if found.spooled and not kept:
                found.path.unlink(missing_ok=True)
        yield opened


def _open_one(found: Found, name: str, encoding: str) -> Source | SkippedFile:
    try:
        with open(found.path, "rb") as stream:
            status = os.fstat(stream.fileno())
            digest = hashlib.sha256()
            seen = inspect(stream, status.st_size, encoding, digest.update)
    except IronlakeError as error:
        return _skipped(name, error)
    except OSError as error:
        return _skipped(name, IronlakeError(f"cannot be read: {error.strerror}", "a readable file"))
    if seen is None:
        return _skipped(name, IronlakeError("is empty", "a print report", "check the transfer or the job"), True)
    return Source(
        path=found.path,
        source_file=name,
        size=status.st_size,
        sha256=digest.hexdigest(),
        lines=seen.lines,
        file_format=seen.file_format,
        spooled=found.spooled,
        text_end=seen.text_end,
        modified_ns=status.st_mtime_ns,
    )


def _skipped(name: str, error: IronlakeError, empty: bool = False) -> SkippedFile:
    return SkippedFile(name, "empty" if empty else "failed", error.what, error.expected, error.hint)


def printable(name: str) -> str:
    """A file name that does nothing to a terminal: control characters and bytes that are no text are escaped.

    >>> printable("a\\n\\x1b[31m\\udcff.txt")
    'a\\\\n\\\\x1b[31m\\\\xff.txt'
    """
    return "".join(c if c.isprintable() else _escaped(c) for c in name)


def _escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


def _unique(name: str, names: set[str]) -> str:
    """The name, with a number behind it where it was there before; it is added to `names`."""
    unique, number = name, 2
    while unique in names:
        unique, number = f"{name} ({number})", number + 1
    names.add(unique)
    return unique
