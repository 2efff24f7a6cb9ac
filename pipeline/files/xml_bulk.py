"""Rows, headings and variables of an XML document, read in bulk: nearly all of a document is of these.

Each run of them becomes one empty element of a shorter document, which the parser then reads (xml_lines.py); the canonical lines of
the runs are made here, all at once. Only elements that are well-formed whatever is around them are taken, in the form that RMF
writes: printable ASCII with the five entities of XML, and no attribute but those of RMF. The parser reads all others itself, all of a piece that
has a comment, CDATA, or a processing instruction among them, and all of a piece that it cannot read without error in this way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .xml_format import LEAST_OF_FIRST, LEAST_WIDTH, NAME_WIDTH, tag
from .xml_tags import (
    BETWEEN,
    COL,
    COL_EMPTY,
    COL_END,
    HEADING,
    HEADING_END,
    MASKS,
    NAME,
    NOTHING,
    ROW,
    ROW_END,
    VALUE,
    VAR,
    VAR_END,
    Tags,
    as_word,
    find_tags,
    strip,
    words_at,
)

# The element that stands for a run; a document that has this name is not shortened.
RUN = "run-of-elements"
_RUN = RUN.encode()
# So much is read at once: what is made of it stays in the caches of the processor. A longer piece is left to the parser.
_AT_ONCE = 1 << 19
_LONGEST = 4 << 20
_MOST_CELLS = 512
# Entities become one character that no document has, with as many zeros as they are longer.
_ENTITIES = ("&lt;", "&gt;", "&amp;", "&quot;", "&apos;")
_WRITTEN = np.arange(256, dtype=np.uint8)
_WRITTEN[[1, 2, 3, 4, 5]] = list(b"<>&\"'")
_WRITTEN[list(b"\t\n")] = ord(" ")
_BAR, _LINE_END = ord("|"), ord("\n")


class Run(NamedTuple):
    """text: the canonical lines. numbers: of each, the line of the piece that it is on. begins: the line on which its first element
    ends, if that begins a part: a row does not. widths: of the cells below its last heading; None if it has none."""

    text: bytes
    numbers: np.ndarray
    begins: int | None
    widths: np.ndarray | None


class Shortened(NamedTuple):
    """A piece with an element for each run."""

    document: bytes
    runs: list[Run]


class _Elements(NamedTuple):
    """Indexes of the first and last tag of elements, and of their first cell; their kind and number of cells; of a row its heading."""

    first: np.ndarray
    last: np.ndarray
    kind: np.ndarray
    cells: np.ndarray
    heading: np.ndarray


def take_runs(pieces: Sequence[bytes]) -> list[Shortened | None]:
    """Line ends are LF alone. None for a piece that is not shortened."""
    out: list[Shortened | None] = [None] * len(pieces)
    for some in _blocks(pieces):
        found = _shorten([pieces[k] for k in some])
        if found is None:
            found = [(_shorten([pieces[k]]) or [None])[0] for k in some]
        for k, one in zip(some, found, strict=True):
            out[k] = one
    return out


def _blocks(pieces: Sequence[bytes]) -> Iterator[list[int]]:
    """Indexes of pieces that are read together."""
    some, size = [], 0
    for k, piece in enumerate(pieces):
        if len(piece) > _LONGEST or b"\r" in piece or _RUN in piece:
            continue
        if some and size + len(piece) > _AT_ONCE:
            yield some
            some, size = [], 0
        some.append(k)
        size += len(piece)
    if some:
        yield some


def _shorten(pieces: list[bytes]) -> list[Shortened | None] | None:
    """None if they cannot be read together."""
    text = b"".join(pieces)
    octets = np.frombuffer(text + bytes(8), dtype=np.uint8)
    tags = find_tags(text, octets)
    if tags is None:
        return None
    # All but printable ASCII.
    special = np.flatnonzero(octets[:-8] - np.uint8(32) > np.uint8(94))
    line_ends = special[octets[special] == _LINE_END]
    strange = special[(octets[special] != _LINE_END) & (octets[special] != ord("\t"))]
    octets, zeros, unknown = _without_entities(octets)
    others = np.concatenate([np.flatnonzero(octets[:-8] == _BAR), unknown])
    strange = np.sort(np.concatenate([strange, others])) if len(others) else strange
    ends = np.cumsum([len(piece) for piece in pieces])
    return _cut(text, ends, _Found.of(tags, octets, strange, zeros, line_ends), tags)


def _without_entities(octets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The octets with a character for each entity, where zeros are behind these, and the offsets of other entities."""
    at = np.flatnonzero(octets[:-8] == ord("&"))
    if not len(at):
        return octets, at, at
    octets, zeros = octets.copy(), []
    for code, entity in enumerate(_ENTITIES, 1):
        is_it = (words_at(octets, at) & MASKS[len(entity)]) == np.uint64(as_word(entity))
        mine, at = at[is_it], at[~is_it]
        octets[mine] = code
        zeros.append((mine[:, None] + np.arange(1, len(entity))).ravel())
    behind = np.sort(np.concatenate(zeros))
    octets[behind] = 0
    return octets, behind, at


def _well_formed(tags: Tags, strange: np.ndarray) -> _Elements:
    """Elements of nothing but cells, whatever is in these; of rows only those with nothing but rows between them and a heading."""
    kind = tags.kind
    start = np.flatnonzero((kind == ROW) | (kind == HEADING) | (kind == VAR))
    ends = np.flatnonzero((kind == ROW_END) | (kind == HEADING_END) | (kind == VAR_END))
    at = np.searchsorted(ends, start)
    start, at = start[at < len(ends)], at[at < len(ends)]
    end = ends[at]
    wrong = np.concatenate([[0], np.cumsum((tags.follows == NOTHING) | (tags.follows == BETWEEN))])
    cells = np.concatenate([[0], np.cumsum(_is_cell(kind))])
    many = cells[end] - cells[start]
    good = (kind[end] == kind[start] + 1) & (wrong[end] == wrong[start]) & (many > 0) & (many <= _MOST_CELLS)
    if len(strange):
        good &= np.searchsorted(strange, tags.start[start]) == np.searchsorted(strange, tags.end[end])
    start, end, many = start[good], end[good], many[good]
    # The last tag in front of a row that is not of a row.
    others = np.flatnonzero(~np.isin(kind, (ROW, ROW_END, COL, COL_END, COL_EMPTY)))
    above = np.append(others, -1)[np.searchsorted(others, start) - 1]
    heading = np.searchsorted(end, above)
    heading = np.where((above >= 0) & (np.append(end, -1)[heading] == above), heading, -1)
    heading[(heading >= 0) & (kind[start[heading]] != HEADING)] = -1
    return _Elements(start, end, kind[start], many, heading)


def _is_cell(kind: np.ndarray) -> np.ndarray:
    return (kind == COL) | (kind == COL_EMPTY) | (kind == NAME) | (kind == VALUE)


def _running(many: np.ndarray) -> np.ndarray:
    """The sum of those before each."""
    return np.cumsum(many) - many


def _ranges(start: np.ndarray, many: np.ndarray) -> np.ndarray:
    """start, start + 1, … of each, one behind the other."""
    return np.arange(int(many.sum())) + np.repeat(start - _running(many), many)


class _Found(NamedTuple):
    """Elements, and their lines. begin: where in the lines each begins, and where the last ends; line, last_line: that of the start and of
    the end tag; widths: of the cells of all elements, of which `cell` is the first of each."""

    elements: _Elements
    lines: bytes
    begin: np.ndarray
    line: np.ndarray
    last_line: np.ndarray
    line_ends: np.ndarray
    cell: np.ndarray
    widths: np.ndarray

    @classmethod
    def of(
        cls, tags: Tags, octets: np.ndarray, strange: np.ndarray, zeros: np.ndarray, line_ends: np.ndarray
    ) -> _Found:
        elements = _well_formed(tags, strange)
        start, end, size = _texts(tags, octets, zeros, elements)
        # A heading without one of its titles is left to the parser, as are rows without heading.
        fit = np.ones(len(elements.first), dtype=bool)
        if len(fit):
            fit = (elements.kind != HEADING) | (np.minimum.reduceat(size, _running(elements.cells)) > 0)
            fit &= (elements.kind != ROW) | ((elements.heading >= 0) & fit[elements.heading])
        if not fit.all():
            kept = np.repeat(fit, elements.cells)
            start, end, size = start[kept], end[kept], size[kept]
            number = np.cumsum(fit) - 1
            heading = np.where(elements.heading >= 0, number[elements.heading], -1)
            first, last, kind, many = (a[fit] for a in elements[:-1])
            elements = _Elements(first, last, kind, many, heading[fit])
        widths = _widths(elements, size)
        lines, begin = _lines(tags, octets, elements, (start, end, size, widths))
        line, last_line = (
            np.searchsorted(line_ends, at) for at in (tags.start[elements.first], tags.end[elements.last])
        )
        return cls(elements, lines, begin, line, last_line, line_ends, _running(elements.cells), widths)


def _texts(
    tags: Tags, octets: np.ndarray, zeros: np.ndarray, elements: _Elements
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Start, end and written size of the text of each cell."""
    cells = np.flatnonzero(_is_cell(tags.kind))
    cell = cells[_ranges(np.searchsorted(cells, elements.first), elements.cells)]
    start = tags.end[cell] + 1
    end = np.where(tags.kind[cell] == COL_EMPTY, start, tags.start[np.minimum(cell + 1, len(tags.start) - 1)])
    start, end = strip(octets, start, end)
    size = end - start
    return start, end, size - np.searchsorted(zeros, end) + np.searchsorted(zeros, start) if len(zeros) else size


def _widths(elements: _Elements, size: np.ndarray) -> np.ndarray:
    """Of each cell: a heading is as wide as its titles, and rows as their heading."""
    many, first = elements.cells, _running(elements.cells)
    column = _ranges(np.zeros_like(many), many)
    kind = np.repeat(elements.kind, many)
    widths = np.where(kind == VAR, np.where(column, 0, NAME_WIDTH), LEAST_WIDTH)
    titles = kind == HEADING
    widths[titles] = np.maximum(size, np.where(column, LEAST_WIDTH, LEAST_OF_FIRST))[titles]
    heading = np.repeat(elements.heading, many)
    below = np.flatnonzero((kind == ROW) & (column < many[heading])) if len(heading) else heading
    widths[below] = widths[first[heading[below]] + column[below]]
    return widths


def _lines(
    tags: Tags,
    octets: np.ndarray,
    elements: _Elements,
    texts: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> tuple[bytes, np.ndarray]:
    """The canonical lines, and where each begins."""
    start, end, size, widths = texts
    many, first = elements.cells, _running(elements.cells)
    if not len(many):
        return b"", np.zeros(1, dtype=np.int64)
    # Tags in front of the cells, by kind and type of row.
    names = {VAR: b"var", HEADING: b"cols"} | {
        ROW + 16 * k: b"row " + t if t else b"row" for k, t in enumerate(tags.types)
    }
    name = elements.kind + 16 * tags.row_type[elements.first].astype(np.intp)
    written = {key: f"{tag(text.decode())} ".encode() for key, text in names.items()}
    length = np.zeros(max(written) + 1, dtype=np.int64)
    for key, text in written.items():
        length[key] = len(text)
    step = np.maximum(widths, size) + len(" | ")
    at = _running(step)
    at += np.repeat(length[name] - at[first], many)
    last = first + many - 1
    # Nothing but blanks behind the last text or bar is written.
    beyond = at[last] + np.where(size[last] > 0, size[last], -1)
    is_empty = (elements.kind == ROW) & (np.maximum.reduceat(size, first) == 0)
    beyond[is_empty] = 0
    begin = np.concatenate([[0], np.cumsum(beyond + 1)])
    out = np.full(begin[-1], ord(" "), dtype=np.uint8)
    out[begin[1:] - 1] = _LINE_END
    for key, text in written.items():
        these = begin[:-1][(name == key) & ~is_empty]
        out[these[:, None] + np.arange(len(text.rstrip()))] = np.frombuffer(text.rstrip(), np.uint8)
    at += np.repeat(begin[:-1], many)
    is_further = ~np.repeat(is_empty, many)
    is_further[first] = False
    out[at[is_further] - 2] = _BAR
    octet = octets[_ranges(start, end - start)]
    octet = octet[octet > 0] if len(octet) != size.sum() else octet
    out[_ranges(at, size)] = _WRITTEN[octet]
    return out.tobytes(), begin


def _cut(text: bytes, ends: np.ndarray, found: _Found, tags: Tags) -> list[Shortened | None]:
    """The pieces of a text, each without its runs."""
    elements, line_ends = found.elements, found.line_ends
    unfit = _unfit(text, ends, found, tags)
    joined = np.zeros(len(elements.first), dtype=bool)
    if len(joined):
        joined[1:] = (elements.first[1:] == elements.last[:-1] + 1) & (tags.follows[elements.last[:-1]] == BETWEEN)
    first = np.flatnonzero(~joined)
    last = np.append(first[1:], len(joined)) - 1 if len(first) else first
    piece = np.searchsorted(ends, tags.start[elements.first[first]], side="right")
    first_line = np.searchsorted(line_ends, np.append(0, ends[:-1]))
    headings = np.append(np.flatnonzero(elements.kind == HEADING), -1)
    heading = headings[np.searchsorted(headings[:-1], last, side="right") - 1]
    table = zip(
        *(a.tolist() for a in (first, last, piece, heading)),
        *(a.tolist() for a in (tags.start[elements.first[first]], tags.end[elements.last[last]] + 1)),
        *(a.tolist() for a in (found.begin[first], found.begin[last + 1], found.line[first], found.last_line[last])),
        strict=True,
    )
    # Lines of the piece.
    above = first_line[np.searchsorted(ends, tags.start[elements.first], side="right")]
    starts = found.line - above
    starts_on, ends_on = starts.tolist(), (found.last_line - above).tolist()
    is_row, cell, many = (elements.kind == ROW).tolist(), found.cell.tolist(), elements.cells.tolist()
    parts: list[list[bytes]] = [[] for _ in ends]
    runs: list[list[Run]] = [[] for _ in ends]
    done = np.append(0, ends[:-1]).tolist()
    for one, other, k, titles, start, end, begin, beyond, line, last_line in table:
        begins = None if is_row[one] else ends_on[one]
        widths = None
        if titles >= one:
            widths = found.widths[cell[titles] : cell[titles] + many[titles]]
        # The parser has to come to the same lines, and to the same state behind the run.
        name = f'<{RUN} n="{len(runs[k])}" begins="{"" if begins is None else begins - starts_on[one]}"/>'
        parts[k] += (text[done[k] : start], name.encode(), b"\n" * (last_line - line))
        runs[k].append(Run(found.lines[begin:beyond], starts[one : other + 1], begins, widths))
        done[k] = end
    return [
        None if k in unfit or not runs[k] else Shortened(b"".join((*parts[k], text[done[k] : end])), runs[k])
        for k, end in enumerate(ends.tolist())
    ]


def _unfit(text: bytes, ends: np.ndarray, found: _Found, tags: Tags) -> set[int]:
    """Pieces with something around or among their elements that may hide them."""
    first_of_piece: dict[int, int] = {}
    out = set()
    second = np.frombuffer(text, dtype=np.uint8)[np.minimum(tags.start + 1, len(text) - 1)]
    strange = np.flatnonzero((second == ord("!")) | (second == ord("?")))
    at = tags.start[found.elements.first]
    for k in strange.tolist():
        start = int(tags.start[k])
        piece = int(np.searchsorted(ends, start, side="right"))
        if piece not in first_of_piece:
            begin = int(np.searchsorted(at, ends[piece - 1] if piece else 0))
            first_of_piece[piece] = int(at[begin]) if begin < len(at) else len(text)
        is_whole = text[int(tags.end[k]) - 1 : int(tags.end[k])] == b"?"
        if text[start + 1 : start + 2] == b"!" or not is_whole or start > first_of_piece[piece]:
            out.add(piece)
    return out
