"""Cut sources into batches: by size, where an interval begins; independent of the number of workers.

A batch is what one worker reads at a time: a range of one large source, or several small sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from ..files.segment import SplitText
from ..files.source import CanonicalText, Source
from ..reading.pages import PAGE_NUMBER, count_pages, split

BATCH_BYTES = 12 << 20
# A range in which no interval begins is cut at a page at this size, to bound memory.
MOST_BYTES = 2 * BATCH_BYTES
MOST_SOURCES = 256

_HEADING_LINES = 3
_HEADING_REACH = 8


class SourceRange(NamedTuple):
    """Whole pages of a source: raw bytes [start, end), and the number of their first line and page in the file. `chunk`
    and `split` are the text that planning has read already, for a reader in the same process."""

    source: Source
    start: int
    end: int
    first_line: int
    first_page: int
    chunk: CanonicalText | None = None
    split: SplitText | None = None

    def read(self) -> CanonicalText:
        return self.chunk or self.source.read_range(self.start, self.end)


class Batch(NamedTuple):
    """Ranges that are parsed together. `number` counts the batches of a large source; `last` marks its last."""

    ranges: tuple[SourceRange, ...]
    number: int = 0
    last: bool = True

    def without_text(self) -> Batch:
        """The batch without its text, for another process or for later: the text is read again when needed."""
        ranges = (s._replace(source=s.source.without_text(), chunk=None, split=None) for s in self.ranges)
        return self._replace(ranges=tuple(ranges))


def plan(sources: Iterable[Source]) -> Iterator[Batch]:
    """Batches of the sources, in order; the same sources always give the same batches."""
    small: list[SourceRange] = []
    size = 0
    for source in sources:
        if source.size > BATCH_BYTES:
            yield from _cut(source)
            continue
        if small and (size + source.size > BATCH_BYTES or len(small) == MOST_SOURCES):
            yield Batch(tuple(small))
            small, size = [], 0
        small.append(SourceRange(source, 0, source.size, 1, 1))
        size += source.size
    if small:
        yield Batch(tuple(small))


def _cut(source: Source) -> Iterator[Batch]:
    start, line, page, number = 0, 1, 1, 0
    while start < source.size:
        size = BATCH_BYTES
        while True:
            chunk = source.read(start, size)
            whole = split(chunk.text, chunk.control)
            lines, starts = whole.lines, whole.page_starts
            last = chunk.end >= source.size
            # A document is read up to where an interval or record begins.
            cut = len(lines) if last or source.file_format.is_document else _interval_start(lines, starts)
            if cut or size >= MOST_BYTES:
                break
            size *= 2
        if not cut:
            cut = int(starts[-1]) if len(starts) and starts[-1] else len(lines)
        end = chunk.end if cut == len(lines) else chunk.raw_offset(cut)
        mine = SplitText(lines.head(cut), starts[starts < cut])
        yield Batch((SourceRange(source, start, end, line, page, chunk.head(cut, end), mine),), number, last)
        after = chunk.file_lines if source.file_format.is_document else cut
        start, line, page, number = end, line + after, page + count_pages(lines.head(cut), starts), number + 1


def _interval_start(lines: pl.Series, starts: np.ndarray) -> int:
    """Index of the first line of the last page with another interval than the page before it; 0 if there is none."""
    # The lines after these are unknown: ignore a heading that may continue there.
    whole = starts[starts + _HEADING_REACH <= len(lines)]
    ends = np.append(starts[1:], len(lines))
    later: list[str] | None = None
    for k in range(len(whole) - 1, -1, -1):
        heading = _heading(lines, int(starts[k]), int(ends[k]))
        if later is not None and heading != later:
            return int(starts[k + 1])
        later = heading
    return 0


def _heading(lines: pl.Series, start: int, end: int) -> list[str]:
    """The first lines of a page without blank lines and page number: title, system and interval."""
    top = lines.slice(start, min(_HEADING_REACH, end - start)).to_list()
    numberless = (PAGE_NUMBER.sub("", line).rstrip() for line in top)
    return [line for line in numberless if line][:_HEADING_LINES]
