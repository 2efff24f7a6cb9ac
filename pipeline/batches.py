"""Cutting sources into batches: by bytes, where an interval begins, never by the number of workers.

A batch is what one worker reads at a time: a stretch of one large source, or several small sources whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .reading import Source

BATCH_BYTES = 16 << 20
# A stretch in which no interval begins is cut at a page once it is this large: memory stays bounded whatever comes.
MOST_BYTES = 4 * BATCH_BYTES
MOST_SOURCES = 256

# The spaced titles of pages.py in bytes, whole lines; the two are held equal by a test.
_TITLE = re.compile(rb"^ *[A-Z/&*\-](?: {1,3}[A-Z/&*\-]){5,} *$", re.MULTILINE)
_PAGE_NUMBER = re.compile(rb"^ *PAGE +\d+ *$")
_HEADING_LINES = 3


@dataclass(frozen=True)
class Stretch:
    """Whole pages of a source: raw bytes [start, end), and the number of their first line and page in the file."""

    source: Source
    start: int
    end: int
    first_line: int
    first_page: int


@dataclass(frozen=True)
class Batch:
    """Stretches that are parsed together. `number` counts the batches of a large source; `last` is its last."""

    stretches: tuple[Stretch, ...]
    number: int = 0
    last: bool = True


def plan(sources: Iterable[Source]) -> Iterator[Batch]:
    """Batches of the sources, in order. The same sources give the same batches."""
    small: list[Stretch] = []
    size = 0
    for source in sources:
        if source.size > BATCH_BYTES:
            yield from _cut(source)
            continue
        if small and (size + source.size > BATCH_BYTES or len(small) == MOST_SOURCES):
            yield Batch(tuple(small))
            small, size = [], 0
        small.append(Stretch(source, 0, source.size, 1, 1))
        size += source.size
    if small:
        yield Batch(tuple(small))


def _cut(source: Source) -> Iterator[Batch]:
    start, line, page, number = 0, 1, 1, 0
    while start < source.size:
        size = BATCH_BYTES
        while True:
            piece = source.read(start, size)
            last = piece.end >= source.size
            cut = len(piece.text) if last else _interval_start(piece.text, piece.control)
            if cut or size >= MOST_BYTES:
                break
            size *= 2
        if not cut:
            starts = page_offsets(piece.text, piece.control)
            cut = starts[-1] if starts and starts[-1] else len(piece.text)
        text = piece.text[:cut]
        lines = text.count(b"\n")
        end = piece.end if last else piece.raw_offset(lines)
        yield Batch((Stretch(source, start, end, line, page),), number, last)
        starts = page_offsets(text, piece.control[:lines])
        begins_inside = bool(text[: starts[0]].strip()) if starts else bool(text.strip())
        start, line, page, number = end, line + lines, page + len(starts) + begins_inside, number + 1


def page_offsets(text: bytes, control: bytes) -> list[int]:
    """Offsets in canonical text at which pages begin, as pages.page_starts finds their lines."""
    titles = [m.start() for m in _TITLE.finditer(text)]
    if b"1" not in control:
        return titles
    ejects = _line_offsets(text, control)
    starts = set(ejects)
    at = -1
    for title in titles:
        while at + 1 < len(ejects) and ejects[at + 1] <= title:
            at += 1
        if at < 0 or text[ejects[at] : title].strip():
            starts.add(title)
    return sorted(starts)


def _line_offsets(text: bytes, control: bytes) -> list[int]:
    """Offsets of the lines whose carriage control begins a page."""
    import numpy as np

    wanted = np.flatnonzero(np.frombuffer(control, np.uint8) == ord("1"))
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    return [0 if k == 0 else int(ends[k - 1]) + 1 for k in wanted.tolist()]


def _interval_start(text: bytes, control: bytes) -> int:
    """Offset of the last page that names another interval than the page before it; 0 where there is none."""
    starts = page_offsets(text, control)
    later: list[bytes] | None = None
    for k in range(len(starts) - 1, -1, -1):
        heading = _heading(text, starts[k])
        if later is not None and heading != later:
            return starts[k + 1]
        later = heading
    return 0


def _heading(text: bytes, start: int) -> list[bytes]:
    """The first lines of a page, blank ones and the page number aside: title, system and interval."""
    lines: list[bytes] = []
    while len(lines) < _HEADING_LINES and 0 <= start < len(text):
        end = text.find(b"\n", start)
        line = text[start:end]
        if line.strip() and not _PAGE_NUMBER.match(line):
            lines.append(line.rstrip())
        start = end + 1
    return lines
