"""Turn print files into canonical text, range by range, independently in any process.

`open_sources` finds the files, unpacks compressed ones and detects the format of each once; a `Source` then gives canonical
text for any range of its bytes.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

import numpy as np

from ..declaration.reading_options import Options
from ..errors import IronlakeError, OtherKind
from ..terminal import printable
from .archives import Found, Limits, Unusable, find
from .canonical_text import canonical
from .detect_format import inspect
from .encodings import canonical_name
from .line_format import BLOCK_BYTES, FileFormat, ends_within_line, line_ends, line_starts, take_lines
from .segment import Segment, SplitText
from .smf_json import canonical_records, take_records
from .xml_document import XmlText, canonical_xml, take_pieces

# Far enough back for the carriage control of the first line of a range (machine control, form feeds).
_CONTEXT_BYTES = 1 << 14


@dataclass(frozen=True)
class CanonicalText:
    """Whole lines of a source in canonical form (see `Segment`).

    start, end: their byte range in the source.
    line_numbers: of an XML document, the line of the range (from 0) that each line is on; file_lines: line ends in the range.
    """

    text: bytes
    control: bytes
    start: int
    end: int
    _line_starts: np.ndarray = field(repr=False, compare=False)
    line_numbers: np.ndarray | None = field(default=None, repr=False, compare=False)
    file_lines: int = 0

    def raw_offset(self, line: int) -> int:
        """Offset in the source of a line, counted from 0; one past the last gives the end."""
        return self.end if line == len(self._line_starts) else self.start + int(self._line_starts[line])

    def head(self, lines: int, end: int) -> CanonicalText:
        """The first lines; `end` is their end in the source."""
        if self.line_numbers is not None or lines == len(self._line_starts):
            return self
        at = -1
        for _ in range(len(self._line_starts) - lines + 1):
            at = self.text.rfind(b"\n", 0, at if at >= 0 else len(self.text))
        return CanonicalText(self.text[: at + 1], self.control[:lines], self.start, end, self._line_starts[:lines])


def canonical_document(raw: bytes, file_format: FileFormat, is_last: bool) -> XmlText:
    """Canonical lines of whole pieces of a document. `is_last`: they are its end."""
    if file_format.is_smf:
        return canonical_records(raw, file_format.encoding)
    return canonical_xml(raw, file_format.encoding, is_last)


class Source(NamedTuple):
    """One readable print file. Can be pickled; worker processes read ranges of it.

    path: the file on disk, spooled if it was compressed or came from standard input.
    source_file: its display name: as given, `archive.zip!member`, or `-`; printable and unique per run.
    size: uncompressed bytes; sha256: their digest, in hex; lines: number of lines, None for an XML document; last_bytes: of the last line.
    is_given: the file itself was named, not a folder or an archive that it is in.
    held: the bytes of a small file, so that it is opened once; None of a larger one, and in another process.
    """

    path: Path
    source_file: str
    size: int
    sha256: str
    lines: int | None
    file_format: FileFormat
    spooled: bool
    text_end: int
    last_bytes: bytes
    modified_ns: int
    is_given: bool = True
    held: bytes | None = None

    def without_text(self) -> Source:
        """The source without its bytes, which are read again when needed."""
        return self._replace(held=None)

    def begin(self, size: int) -> bytes:
        """The first bytes. Raises IronlakeError if the file is not there any more."""
        with self._open() as stream:
            return stream.read(size)

    def read(self, start: int, size: int) -> CanonicalText:
        """Whole lines from `start` (0, or the end of the previous range), up to `size` bytes, at least one line. A line that
        overprints another stays with it. The last range ends at the size of the source.

        Raises IronlakeError if the file has changed since it was opened.
        """
        if self.file_format.is_document:
            return self._elements(start, size)
        return self._lines(start, self.text_end, size)

    def read_range(self, start: int, end: int) -> CanonicalText:
        """The lines between two offsets at which lines begin or end."""
        if self.file_format.is_document:
            return self._elements(start, min(end, self.text_end) - start)
        return self._lines(start, min(end, self.text_end), None)

    def _elements(self, start: int, size: int) -> CanonicalText:
        """The canonical lines of whole elements, or records."""
        take = take_records if self.file_format.is_smf else take_pieces
        with self._open() as stream:
            try:
                raw = take(stream, start, size, self.text_end, self.file_format.encoding)
            except EOFError:
                raise self._changed() from None
        place = start + len(raw)
        is_last = place >= self.text_end
        found = canonical_document(raw, self.file_format, is_last)
        end = self.size if is_last else place
        none = np.zeros(0, np.int64)
        return CanonicalText(found.text, found.control, start, end, none, found.numbers, found.file_lines)

    def _lines(self, start: int, limit: int, size: int | None) -> CanonicalText:
        """Read block by block, up to `limit` or `size` bytes."""
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
        """The lines in canonical form; reads earlier lines if carriage control needs them."""
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
        return not self.file_format.is_document and ends_within_line(self.last_bytes, self.file_format)

    def unchanged(self) -> bool:
        """Whether the file still has the size and modification time from when it was opened."""
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return (status.st_size, status.st_mtime_ns) == (self.size, self.modified_ns)

    def close(self) -> None:
        """Remove the file if it is in the spool folder."""
        if self.spooled:
            self.path.unlink(missing_ok=True)

    def _open(self) -> BinaryIO:
        if self.held is not None:
            return io.BytesIO(self.held)
        try:
            return open(self.path, "rb")
        except OSError as error:
            raise IronlakeError(f"{self.source_file} can no longer be read: {error.strerror}") from None

    def _bytes(self, stream: BinaryIO, start: int, end: int) -> bytes:
        stream.seek(start)
        raw = stream.read(end - start)
        if len(raw) < end - start:
            raise self._changed()
        return raw

    def _changed(self) -> IronlakeError:
        return IronlakeError(
            f"{self.source_file} changed while it was being read", hint="ingest it again when it is complete"
        )

    def _context_start(self, stream: BinaryIO, start: int) -> int:
        """Where to begin reading to know the carriage control at `start`: the start of an earlier line, or `start`."""
        if not start or not (self.file_format.control == "machine" or self.file_format.form_feeds):
            return start
        back = max(0, start - _CONTEXT_BYTES // self.file_format.unit * self.file_format.unit)
        if not back:
            return 0
        first_end = line_ends(self._bytes(stream, back, start), self.file_format, True)[0]
        return back + int(first_end)


def segment_of(
    chunk: CanonicalText,
    names: tuple[str, str],
    at: tuple[int, int] = (1, 1),
    cut_short: bool = False,
    split: SplitText | None = None,
) -> Segment:
    """The input of the engine from whole pages. `names`: of the source, its id and its file; `at`: the numbers of their first line
    and page."""
    numbers = None if chunk.line_numbers is None else chunk.line_numbers + at[0]
    return Segment(*names, chunk.text, chunk.control, *at, cut_short, split, numbers)


class SkippedFile(NamedTuple):
    """A file that is not ingested: empty, unreadable, or of another kind and beside reports (skipped); with the reason and a hint."""

    source_file: str
    status: Literal["empty", "failed", "skipped"]
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
    """All print files under `paths`, in order, without duplicates. Walks folders, opens archives; `-` is standard input.

    The caller closes each source; unpacked files stay in the folder `spool` until then.
    Raises IronlakeError if options.encoding is not a supported code page.
    """
    encoding = options.encoding if options.encoding == "auto" else canonical_name(options.encoding)
    return _open_all(paths, encoding, spool, stdin, limits or Limits())


def _open_all(
    paths: Sequence[str], encoding: str, spool: Path, stdin: BinaryIO | None, limits: Limits
) -> Iterator[Source | SkippedFile]:
    names: dict[str, int] = {}
    given = set(paths)
    for found in find(paths, spool, limits, stdin):
        name = _unique(printable(found.name), names)
        is_given = found.name in given
        if isinstance(found, Unusable):
            yield _skipped(name, found.error, is_given, found.empty)
            continue
        kept = False
        try:
            opened = _open_one(found, name, encoding, is_given)
            kept = isinstance(opened, Source)
        finally:
            if found.spooled and not kept:
                found.path.unlink(missing_ok=True)
        yield opened


def _open_one(found: Found, name: str, encoding: str, is_given: bool) -> Source | SkippedFile:
    try:
        with open(found.path, "rb") as stream:
            status = os.fstat(stream.fileno())
            digest = hashlib.sha256()
            held = stream.read(status.st_size) if status.st_size <= BLOCK_BYTES else None
            seen = inspect(stream if held is None else io.BytesIO(held), status.st_size, encoding, digest.update)
    except IronlakeError as error:
        return _skipped(name, error, is_given)
    except OSError as error:
        return _skipped(name, IronlakeError(f"cannot be read: {error.strerror}", "a readable file"), is_given)
    if seen is None:
        return _skipped(
            name, IronlakeError("is empty", "a print report", "check the transfer or the job"), is_given, True
        )
    return Source(
        path=found.path,
        source_file=name,
        size=status.st_size,
        sha256=digest.hexdigest(),
        lines=seen.lines,
        file_format=seen.file_format,
        spooled=found.spooled,
        text_end=seen.text_end,
        last_bytes=seen.last_bytes,
        modified_ns=status.st_mtime_ns,
        is_given=is_given,
        held=held,
    )


def _skipped(name: str, error: IronlakeError, is_given: bool, empty: bool = False) -> SkippedFile:
    if isinstance(error, OtherKind) and not is_given:
        return SkippedFile(name, "skipped", error.what, "", "")
    return SkippedFile(name, "empty" if empty else "failed", error.what, error.expected, error.hint)


def _unique(name: str, used: dict[str, int]) -> str:
    """The name, with a number appended if it is in `used` already; adds it, with the last number that was tried for it.

    >>> used = {}
    >>> [_unique(name, used) for name in ("a", "a", "a (3)", "a")]
    ['a', 'a (2)', 'a (3)', 'a (4)']
    """
    unique = name
    while unique in used:
        used[name] += 1
        unique = f"{name} ({used[name]})"
    used[unique] = 1
    return unique
