"""Cut tables: cells under stacked titles, panel by panel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cache, cached_property, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from ..declaration.layouts import Columns, Entries, Listing, TableLayout
from ..declaration.places import Under
from ..declaration.report import Column, Report, Table
from ..frozen import frozen
from . import title_shift
from .adjacent_rows import adjacent_rows
from .cells import (
    BLANK,
    IS_SUFFIX,
    CellBlock,
    CellLayout,
    CellSpan,
    Target,
    clock_unit,
    heading_runs,
    spread_target,
    unknown_titles,
)
from .cut_labels import LabelledTable, blank_asides, labelled_tables, take_labels
from .filled_together import take_out_partly_filled
from .headings import HeadingColumn, heading_columns, is_rule
from .numbers import CELL_WIDTH
from .rejects import Rejects
from .report_lines import ReportLines
from .row_alignment import out_of_line, reject_out_of_line
from .title_order import are_one_of, in_words, number_equal
from .title_words import Alike, with_words, without_words
from .whole_rows import whole_rows

# How far a number may extend right of its title.
_RIGHT_OF_TITLE = 4
# Per byte: a digit.
_DIGIT = np.isin(np.arange(256), [ord(c) for c in "0123456789."])


@cache
def under_places(report: Report, heading: TableLayout) -> tuple[tuple[Under, Target, bool], ...]:
    """(place, target, whether its column holds text) for each Under that reads lines below this heading."""
    out = []
    for table in report.tables:
        for column in table.columns:
            for place in column.places:
                if not isinstance(place, Under):
                    continue
                if set(heading.rows) & set((place.line,) if place.line else place.rows or table.rows):
                    how = (place.pattern, place.line, place.reach, place.fill, place.rows, place.label, place.until)
                    out.append((place, Target(table, column, *how)))
    # A flag under the title of a number qualifies that number.
    numbers = {(p.title, p.group) for p, t in out if t.column.type.reader not in ("text", "flag")}
    kinds = ((p, t, t.column.type.reader) for p, t in out)
    return tuple(
        (p, t, kind == "text" or (kind == "flag" and (p.title, p.group) not in numbers)) for p, t, kind in kinds
    )


@frozen()
class _Declared:
    """What a report declares below a heading: the titles, the least widths of texts by title and group, the widths around centred
    titles, and the places by title, each with its turn."""

    phrases: frozenset[str]
    widths: dict[tuple[str, str], int]
    centred: dict[tuple[str, str], int]
    by_title: dict[str, list[tuple[int, Under, Target]]]
    _targets: dict[tuple[str, tuple[str, ...], int], tuple[Target, ...]] = field(default_factory=dict)

    def targets(self, column: HeadingColumn) -> tuple[Target, ...]:
        """The targets of a column. Headings differ more than their titles do, so each title is looked up once."""
        key = column.title, tuple(column.groups), column.nth
        found = self._targets.get(key)
        if found is None:
            title = column.title
            begins = [title[:end] for end in (*(m.start() for m in re.finditer(" ", title)), len(title))]
            turns = sorted((e for begin in begins for e in self.by_title.get(begin, ())), key=lambda e: e[0])
            first: dict[tuple[Column, str, str], Target] = {}
            for _, place, target in turns:
                is_whole = title == place.title and (place.group or not column.groups)
                is_nth = not place.nth or place.nth == column.nth
                if column.named(place.title, place.group) and (not place.whole or is_whole) and is_nth:
                    first.setdefault((target.column, target.label, target.line), target)
            found = self._targets[key] = tuple(first.values())
        return found


@cache
def _declared(report: Report, heading: Columns) -> _Declared:
    places = under_places(report, heading)
    widths: dict[tuple[str, str], int] = {}
    by_title: dict[str, list[tuple[int, Under, Target]]] = {}
    for turn, (place, target, is_text) in enumerate(places):
        by_title.setdefault(place.title, []).append((turn, place, target))
        if is_text or place.width:
            title = place.title, place.group
            widths[title] = max(place.width, widths.get(title, 0))
    phrases = frozenset(words for p, _, _ in places for words in (p.title, p.group))
    return _Declared(phrases, widths, {(p.title, p.group): p.around for p, _, _ in places if p.around}, by_title)


@frozen()
class Stack:
    """A parsed heading: the layout of the declared columns, the byte index of each cell on the line (-1: a blank), the borders that no value
    may cross with the places on both sides, ranges (place, from, to) where no value may be, ranges left of the title where no count may
    end, ranges right of it where no text may begin, undeclared titles, side-by-side tables with labelled lines, places with numbers only,
    every column with its place if declared, and whether the titles are none of the lists of the layout."""

    layout: CellLayout
    index: np.ndarray
    borders: tuple[tuple[int, str, str, tuple[int, ...]], ...]
    beyond: tuple[tuple[int, int, int], ...]
    before: tuple[tuple[int, int, int], ...]
    late: tuple[tuple[int, int, int], ...]
    unknown: tuple[str, ...]
    labelled: tuple[LabelledTable, ...]
    numeric: frozenset[int]
    columns: tuple[tuple[HeadingColumn, CellSpan | None], ...]
    is_other: bool

    @cached_property
    def blank(self) -> np.ndarray:
        """Bool per byte of each cell: it is not on the line."""
        return self.index < 0

    @cached_property
    def at_borders(self) -> np.ndarray:
        return np.array([at for at, *_ in self.borders], dtype=np.int64)

    @cached_property
    def columns_of_ranges(self) -> tuple[np.ndarray, ...]:
        """All columns of `beyond`, `before` and `late`."""
        ranges = self.beyond, self.before, self.late
        return tuple(np.array([c for _, a, b in some for c in range(a, b)], dtype=np.int64) for some in ranges)


class _Content(NamedTuple):
    """What a column holds: whether any of its targets takes numbers or counts, and whether all take texts or numbers; and the targets
    without a label."""

    has_numbers: bool
    has_counts: bool
    only_texts: bool
    only_numbers: bool
    unlabelled: tuple[Target, ...]


@lru_cache(maxsize=4096)
def _content(targets: tuple[Target, ...]) -> _Content:
    return _Content(
        any(t.queue != "text" for t in targets)
        or (bool(targets) and all(t.column.type.reader not in ("text", "flag") for t in targets)),
        any(t.column.type.reader == "count" for t in targets),
        all(t.column.type.reader == "text" for t in targets),
        all(t.queue == "number" for t in targets),
        tuple(t for t in targets if not t.label),
    )


@lru_cache(maxsize=4096)
def stacked(report: Report, heading: Columns, above: tuple[str, ...], width: int, cut: int = 0) -> Stack:
    """cut: the column at which all lines were cut, or 0. A title that ends there may be another."""
    declared = _declared(report, heading)
    panels = heading.panels.begin if heading.panels else None
    columns = heading_columns(
        above, declared.phrases, declared.widths, heading.ignored, panels, declared.centred, heading.together
    )
    unknown_keys = _unknown_keys(columns, declared) if heading.keys else ()
    if unknown_keys:
        texts = declared.widths | {(title, ""): heading.keys for title in unknown_keys}
        columns = heading_columns(
            above, declared.phrases, texts, heading.ignored, panels, declared.centred, heading.together
        )
    # Of groups only the last words are known to end there.
    cut_titles = tuple(line.split()[-1].strip("-") or "-" for line in above if cut and len(line.rstrip()) >= cut)
    is_other = bool(heading.titles) and not are_one_of(columns, heading.titles)
    if heading.titles:
        number_equal(columns)
    to_spread = spread_target(report, heading.rows)
    spread_from = _spread_from(columns, to_spread)
    places: list[CellSpan] = []
    number: dict[int, int] = {}
    unknown = []
    for k, column in enumerate(columns):
        if cut and (
            column.end >= cut or any(not group or group.endswith(cut_titles) for group in column.groups if cut_titles)
        ):
            column.ignored = column.lost = True
        targets = () if column.lost else declared.targets(column)
        if column.title in unknown_keys[:1]:
            targets = tuple(target for _, _, target in declared.by_title.get("*", ()))
            unknown.append(column.title)
        # Digits are values beside the titles of such a heading: a title has lost a letter to one.
        is_title = heading.has_digits or not re.search(r"[A-Z]\d|\d[A-Z]", column.title)
        spread = not targets and column.start >= spread_from and not column.ignored and is_title
        if spread and to_spread and _lacks_title(column, to_spread.table):
            spread = False
        if targets or spread:
            number[k] = len(places)
            start, end = min(column.cut_start, width), min(column.cut_end, width)
            goes_to = (to_spread,) if spread and to_spread else targets
            groups = tuple(column.groups)
            places.append(CellSpan(start, end, goes_to, column.panel, groups, column.title, spread, column.end))
        # Where a heading is open, other words are no titles; but half a declared title is a damaged one.
        elif not column.ignored and (not heading.open or _is_half_declared(column, under_places(report, heading))):
            unknown.append(" ".join([*column.groups, column.title]) if heading.open else column.title)
    borders = []
    for k in range(1, len(columns)):
        beside = (*([number[k - 1]] if k - 1 in number else ()), *([number[k]] if k in number else ()))
        ignored = columns[k - 1].ignored and columns[k].ignored
        if beside and not ignored and 0 < columns[k].cut_start < width:
            borders.append((columns[k].cut_start, columns[k - 1].title, columns[k].title, beside))
    starts, ends, beyond, before, late = [], [], [], [], []
    for k, (place, column) in enumerate(zip(places, (columns[c] for c in number), strict=True)):
        # A cell extends a little right of its title; in a wide gap it does not begin at the column before.
        end = min(place.end, max(column.end + _RIGHT_OF_TITLE, place.start + CELL_WIDTH))
        start = max(place.start, end - CELL_WIDTH)
        ends.append(end)
        starts.append(start)
        content = _content(place.targets)
        if content.has_numbers and place.start < start:
            beyond.append((k, place.start, start))
        if content.has_numbers and end < place.end:
            beyond.append((k, end, place.end))
        # A whole number may be printed where decimals would be. If titles are told by their order, any number ends below its own.
        least = column.end - 1 if heading.flush else column.start
        strict = content.has_counts or ((heading.titles or heading.flush) and content.has_numbers)
        if strict and start < least < width:
            before.append((k, start, least))
        if content.only_texts and column is not columns[-1]:
            least = max((w for title, w in declared.widths.items() if column.named(*title)), default=0)
            last = max(column.end, column.start + least, 2)
            late += [(k, last, place.end)] if last < place.end else []
    clocks = " ".join(c.title for c in columns if "MM.SS" in c.title)
    unit = clock_unit(clocks) if clocks else 1e-3
    numbers = frozenset(k for k, p in enumerate(places) if _content(p.targets).only_numbers)
    tables = labelled_tables(heading, columns, number, places, unit)
    index = np.array(ends, dtype=np.int64)[:, None] + np.arange(-CELL_WIDTH, 0)
    index[index < np.array(starts, dtype=np.int64)[:, None]] = -1
    layout = CellLayout.of([_unlabelled(p) for p in places], unit)
    every = tuple((column, places[number[k]] if k in number else None) for k, column in enumerate(columns))
    ranges = tuple(beyond), tuple(before), tuple(late)
    return Stack(layout, index, tuple(borders), *ranges, tuple(unknown), tables, numbers, every, is_other)


def _unknown_keys(columns: Sequence[HeadingColumn], declared: _Declared) -> tuple[str, ...]:
    """Undeclared titles of one line left of the first column of numbers."""
    keys = takewhile(lambda c: " " not in c.title and not _content(declared.targets(c)).has_numbers, columns)
    return tuple(column.title for column in keys if not declared.targets(column))


def _unlabelled(span: CellSpan) -> CellSpan:
    rest = _content(span.targets).unlabelled
    return span if len(rest) == len(span.targets) else replace(span, targets=rest)


def _is_half_declared(column: HeadingColumn, declared: tuple[tuple[Under, Target, bool], ...]) -> bool:
    """Whether its title is declared, if of another group, or its group is, if with other titles."""
    return any(column.named(p.title) or (p.group and column.under(p.group)) for p, _, _ in declared)


def _lacks_title(column: HeadingColumn, table: Table) -> bool:
    """Whether a title that spans a spread column is not declared, or there is none over a column that does not say itself what it is a share
    of."""
    known = table.spread.groups if table.spread else ()
    if not known:
        return False
    is_share = "%" in (*column.title, column.unit)
    return not (set(column.groups) <= set(known) if column.groups else is_share or "" in known)


def _spread_from(columns: list[HeadingColumn], target: Target | None) -> float:
    """The first column of the line that is spread into rows; infinite if none is."""
    spread = target.table.spread if target else None
    if spread is None:
        return float("inf")
    if not spread.after:
        return 0
    return next((c.end for c in columns if c.named(spread.after)), float("inf"))


def _adrift(
    report_lines: ReportLines,
    heading: Columns,
    above: tuple[str, ...],
    lines: np.ndarray,
    first: np.ndarray,
    rejects: Rejects,
) -> Iterator[tuple[tuple[str, ...], np.ndarray, bool]]:
    """(heading, indexes into `lines`, whether its spread titles match the numbers below). `first`: the first line of each line's heading."""
    target = spread_target(report_lines.report, heading.rows)
    spread = target.table.spread if target else None
    titles = title_shift.titles_behind(above, spread.after) if spread and heading.title_shift else None
    if titles is None:
        yield above, np.arange(len(lines)), True
        return
    by = title_shift.moves(titles, report_lines.cells[lines], first, heading.title_shift)
    for move in np.unique(by).tolist():
        at = np.flatnonzero(by == move)
        if move != title_shift.UNDECIDED:
            if move:
                report_lines.title_shifts.append((lines[at], move))
            yield title_shift.moved(above, titles, move), at, True
            continue
        _reject_undecided(report_lines, lines[at], first[at], int(titles.start[0]), rejects)
        yield above, at, False


def _reject_undecided(
    report_lines: ReportLines, lines: np.ndarray, first: np.ndarray, column: int, rejects: Rejects
) -> None:
    """One reject per heading for lines whose numbers match no title."""
    _, at, many = np.unique(first, return_index=True, return_counts=True)
    what = [
        f"{report_lines.report.name}: cannot match the numbers of {n} lines to titles; they are not read" for n in many
    ]
    expected = "each number under one title, ending with the title or one column before"
    hint = "blanks may be missing or added in the heading or the rows; compare with the printed page"
    rejects.add(report_lines, lines[at], what, expected, hint, column=column, lines=many, unread=lines)


def cut_columns(report_lines: ReportLines, heading: Columns, rejects: Rejects) -> Iterator[CellBlock]:
    """All cells under stacked titles; lines below equal headings are cut together."""
    rows = adjacent_rows(report_lines, heading, rejects) if heading.adjacent else report_lines.lines_of(heading.rows)
    if not len(rows):
        return
    first, which, headings = heading_runs(report_lines, heading, rows)
    order = np.argsort(which, kind="stable")
    ends = np.searchsorted(which[order], np.arange(len(headings)), side="right")
    starts = np.searchsorted(which[order], np.arange(len(headings)), side="left")
    declared = _kept_words(report_lines.report, heading)
    alike: dict[tuple[tuple[str, ...], int], list[tuple[int, tuple[str, ...], np.ndarray]]] = {}
    for number, above in enumerate(headings):
        mine = order[starts[number] : ends[number]]
        if not len(mine):
            continue
        cut = int(report_lines.cut_width[first[mine]].max())
        is_twice = any(line == other and not is_rule(line) for line, other in pairwise(above))
        if is_twice or sum(not is_rule(line) for line in above) < heading.depth:
            damaged_heading(report_lines, heading, rows[mine], first[mine], rejects)
            continue
        if not report_lines.grammar.any_case.isdisjoint(heading.lines):
            above = tuple(line.upper() for line in above)
        printed, words = (above, ()) if declared is None else without_words(above, declared)
        alike.setdefault((printed, cut), []).append((number, words, mine))
    for (above, cut), some in alike.items():
        numbers, words, of_each = zip(*some, strict=True)
        mine, of = np.concatenate(of_each), np.repeat(np.arange(len(some)), [len(one) for one in of_each])
        for printed, at, named in _adrift(report_lines, heading, above, rows[mine], first[mine], rejects):
            one = Alike(numbers, words, of[at])
            yield from _cut_below(
                report_lines, heading, printed, cut, rows[mine[at]], first[mine[at]], named, one, rejects
            )


@cache
def _kept_words(report: Report, heading: Columns) -> tuple[str, ...] | None:
    """The declared titles below which words of others do not matter, without their blanks; None where any word may matter."""
    target = spread_target(report, heading.rows)
    patterns = heading.ignored or heading.together or heading.panels or heading.sides or heading.title_shift
    if target is None or target.table.spread is None or patterns or heading.open:
        return None
    of_groups = (word for group in target.table.spread.groups for word in group.split())
    titles = (*_declared(report, heading).phrases, target.table.spread.after, *of_groups)
    return tuple("".join(title.split()) for title in titles)


def _cut_below(
    report_lines: ReportLines,
    heading: Columns,
    above: tuple[str, ...],
    cut: int,
    lines: np.ndarray,
    first: np.ndarray,
    named: bool,
    headings: Alike,
    rejects: Rejects,
) -> Iterator[CellBlock]:
    """The cells of lines below headings that are alike, which begin at `first`. `named`: the spread titles match."""
    stack = stacked(report_lines.report, heading, above, report_lines.cells.shape[1], cut)
    if stack.is_other:
        what = "the titles of the heading are not those that are known, in their order"
        expected = " or ".join(in_words(titles) for titles in heading.titles)
        damaged_heading(report_lines, heading, lines, first, rejects, what, expected)
        return
    if stack.unknown:
        titles = sorted({p.title for p, _, _ in under_places(report_lines.report, heading)})
        for words, those in headings.each():
            unknown = [with_words(title, words) for title in stack.unknown]
            unknown_titles(report_lines, first[those], unknown, titles, rejects)
    if not stack.layout.spans:
        return
    block = report_lines.cells[lines]
    if heading.aligned and (shifted := out_of_line(block, first)).any():
        reject_out_of_line(report_lines, lines[shifted], rejects)
        lines, first, block = lines[~shifted], first[~shifted], block[~shifted]
        headings = headings._replace(of=headings.of[~shifted])
        if not len(lines):
            return
    if not named:
        block[:, min((p.start for p in stack.layout.spans if p.spread), default=block.shape[1]) :] = BLANK
    ignore_text = heading.sides.ignore_text if heading.sides else ()
    if ignore_text:
        blank_asides(block, report_lines.text.gather(lines), ignore_text)
    labels = [take_labels(block, table) for table in stack.labelled]
    # `take` is several times as fast as an index array.
    cells = block.take(stack.index, axis=1)
    cells[:, stack.blank] = BLANK
    suspect = _suspects(report_lines, block, cells, lines, stack, headings, rejects)
    if heading.whole_rows:
        suspect = np.zeros(cells.shape[:2], dtype=bool) if suspect is None else suspect
        whole = whole_rows(report_lines, lines, cells, suspect, labels, stack.columns, heading, rejects)
        lines, block, cells, suspect = lines[whole], block[whole], cells[whole], suspect[whole]
        labels, headings = [label[whole] for label in labels], headings._replace(of=headings.of[whole])
        if not len(lines):
            return
    is_short = _ends_early(block, stack)
    out = take_out_partly_filled(
        report_lines, lines, cells, stack.layout.spans, bool(heading.panels), is_short, rejects
    )
    if out.any():
        suspect = out if suspect is None else suspect | out
    if ignore_text:
        suspect = _blank_too(suspect, block, stack.layout)
    cell_block = CellBlock(lines, stack.layout, cells, suspect, headings)
    yield cell_block
    for table, label in zip(stack.labelled, labels, strict=True):
        yield from table.cell_blocks(cell_block, label, report_lines, rejects)


def _ends_early(block: np.ndarray, stack: Stack) -> np.ndarray:
    """Bool per row: it ends in front of the last title, which is not declared and which most rows fill."""
    column, span = stack.columns[-1]
    is_short = (block[:, column.start :] == BLANK).all(axis=1)
    return is_short & (span is None and not column.ignored and 2 * int(is_short.sum()) < len(block))


def _blank_too(suspect: np.ndarray | None, block: np.ndarray, layout: CellLayout) -> np.ndarray:
    """Texts are read from the lines, so cells with blanked text are marked as not to be read."""
    blank = np.stack([(block[:, p.start : p.end] == BLANK).all(axis=1) for p in layout.spans], axis=1)
    return blank if suspect is None else suspect | blank


class HasUnknown(Protocol):
    """A parsed heading; `unknown`: its words that are over no column."""

    @property
    def unknown(self) -> tuple[str, ...]: ...


_Made = TypeVar("_Made", bound=HasUnknown)
_Deep = TypeVar("_Deep", Entries, Listing)


def read_headings(
    report_lines: ReportLines,
    heading: _Deep,
    rows: np.ndarray,
    make: Callable[[Report, _Deep, tuple[str, ...], int], _Made | None],
    rejects: Rejects,
) -> tuple[np.ndarray, dict[int, _Made]]:
    """Per row: the index of its heading (-1: none), and the result of `make` for each heading. Reports a heading without a result or
    with unknown words."""
    first, which, printed = heading_runs(report_lines, heading, rows)
    found: dict[int, _Made] = {}
    for number in np.unique(which[which >= 0]).tolist():
        mine = which == number
        made = make(report_lines.report, heading, printed[number], report_lines.cells.shape[1])
        if made is None:
            damaged_heading(report_lines, heading, rows[mine], first[mine], rejects)
            continue
        if made.unknown:
            unknown_titles(report_lines, first[mine], list(made.unknown), ["a title over one column"], rejects)
        found[number] = made
    return which, found


def damaged_heading(
    report_lines: ReportLines,
    heading: Columns | Entries | Listing,
    lines: np.ndarray,
    runs: np.ndarray,
    rejects: Rejects,
    damage: str = "",
    titles: str = "",
) -> None:
    """A heading with a missing line (or other `damage`; `titles` that are expected) could misname its cells: one reject each, and no row
    below is read."""
    untold = np.unique(runs[~report_lines.damaged[lines]])
    rows = report_lines.lines_of(
        tuple(k for h in report_lines.report.layouts if h.lines == heading.lines for k in h.rows)
    )
    first, _, _ = heading_runs(report_lines, heading, rows)
    below = np.isin(first, untold)
    report_lines.damaged[rows[below]] = True
    at, many = np.unique(first[below], return_counts=True)
    damage = damage or f"a line of the {heading.depth}-line heading is missing"
    what = [f"{report_lines.report.name}: {damage}; {n} rows below are not read" for n in many]
    rejects.add(report_lines, at, what, titles or ", ".join(heading.lines), lines=many, unread=rows[below])


def _suspects(
    report_lines: ReportLines,
    block: np.ndarray,
    cells: np.ndarray,
    lines: np.ndarray,
    stack: Stack,
    headings: Alike,
    rejects: Rejects,
) -> np.ndarray | None:
    """Mark and report suspect cells: a value crosses a border, or is far from its title."""

    def titles(place: int, rows: np.ndarray) -> list[str]:
        return headings.titles(stack.layout.spans[place].title, rows)

    suspect = np.zeros((len(lines), len(stack.layout.spans)), dtype=bool)
    filled = block != BLANK
    if stack.borders:
        at = stack.at_borders
        across = filled.take(at - 1, axis=1) & filled.take(at, axis=1)
        crossed = np.flatnonzero(across.any(axis=0))
        # Per cell that was given a value across a border: the place at the other side of it.
        given = np.full(suspect.shape if len(crossed) else (0, 0), -1, dtype=np.int64)
        for k in crossed:
            border, left, right, beside = stack.borders[k]
            rows = np.flatnonzero(across[:, k])
            if len(beside) == 2 and stack.numeric.issuperset(beside):
                rows = rows[~_give_to_one(block, cells, rows, border, beside, stack, given)]
            for place in beside:
                suspect[rows, place] = True
                # One cell for two values: the one that it was given before may be of either side too.
                other = given[rows, place]
                suspect[rows[other >= 0], other[other >= 0]] = True
            both = zip(headings.titles(left, rows), headings.titles(right, rows), strict=True)
            what = [f"a value straddles columns {left} and {right}" for left, right in both]
            _reject(report_lines, rejects, lines[rows], border - 1, what, "a blank between them")
    for _, those in headings.each():
        for place, rows, end in _cut_within(block[those], filled[those], stack):
            rows = rows + those.start
            suspect[rows, place] = True
            what = [f"the line ends within {title}: its last value may be truncated" for title in titles(place, rows)]
            _reject(report_lines, rejects, lines[rows], end - 1, what, "a number aligned with those of other lines")
    beyond, before, late = _broken_ranges(filled, stack)
    for place, start, end in beyond:
        far = filled[:, start:end].any(axis=1)
        if far.any():
            rows = np.flatnonzero(far)
            suspect[rows, place] = True
            what = [f"text far from its title {title}" for title in titles(place, rows)]
            _reject(report_lines, rejects, lines[rows], start, what, "blanks up to the next column")
    for place, start, end in before:
        # A number that ends left of its title may belong to the column before.
        rows = np.flatnonzero((filled[:, start:end] & ~filled[:, start + 1 : end + 1]).any(axis=1))
        if len(rows):
            suspect[rows, place] = True
            what = [f"a value ends left of its title {title}" for title in titles(place, rows)]
            _reject(report_lines, rejects, lines[rows], start, what, "a number right-aligned with its title")
    for place, start, end in late:
        # A text that begins right of its title may be that of the column behind, or the first word of it.
        begins = filled[:, start:end] & ~filled[:, start - 1 : end - 1] & ~filled[:, start - 2 : end - 2]
        rows = np.flatnonzero(begins.any(axis=1))
        if len(rows):
            suspect[rows, place : place + 2] = True
            what = [f"a value begins right of its title {title}" for title in titles(place, rows)]
            _reject(report_lines, rejects, lines[rows], start, what, "a text that begins below its title")
    return suspect if suspect.any() else None


def _broken_ranges(filled: np.ndarray, stack: Stack) -> tuple[Sequence[tuple[int, int, int]], ...]:
    """`beyond`, `before` and `late` of the stack, each empty if no line breaks any of its ranges: below most headings none does, which
    is seen at once for all ranges."""
    beyond, before, late = stack.columns_of_ranges
    is_broken = (
        filled.take(beyond, axis=1),
        filled.take(before, axis=1) & ~filled.take(before + 1, axis=1),
        filled.take(late, axis=1) & ~filled.take(late - 1, axis=1) & ~filled.take(late - 2, axis=1),
    )
    ranges = stack.beyond, stack.before, stack.late
    return tuple(some if broken.any() else () for some, broken in zip(ranges, is_broken, strict=True))


def _cut_within(block: np.ndarray, filled: np.ndarray, stack: Stack) -> Iterator[tuple[int, np.ndarray, int]]:
    """(place, rows, column of the line) of numbers at the end of a line, left of where most numbers of their column end, while most
    lines continue."""
    last = block.shape[1] - 1 - filled[:, ::-1].argmax(axis=1)
    ending = np.bincount(last + 1, minlength=block.shape[1] + 1).cumsum().tolist()
    for number, place in enumerate(stack.layout.spans):
        if number not in stack.numeric or not 0 < 2 * (ending[place.end] - ending[place.start]) <= len(block):
            continue
        here = np.flatnonzero((last >= place.start) & (last < place.end))
        cells = block[:, place.start : place.end]
        end = cells.shape[1] - (cells[:, ::-1] != BLANK).argmax(axis=1)
        behind = cells[np.arange(len(cells)), end - 1]
        end = end - IS_SUFFIX[behind]
        digits = (_DIGIT[behind] | IS_SUFFIX[behind]) & (behind != BLANK)
        ends = np.bincount(end[digits & (last >= place.end)])
        if not len(ends) or 2 * ends[-1] < ends.sum():
            continue
        short = here[digits[here] & (end[here] < len(ends) - 1)]
        for at in np.unique(last[short]):
            yield number, short[last[short] == at], int(at) + 1


def _give_to_one(
    block: np.ndarray,
    cells: np.ndarray,
    rows: np.ndarray,
    border: int,
    beside: tuple[int, ...],
    stack: Stack,
    given: np.ndarray,
) -> np.ndarray:
    """Bool per row: the value across the border belongs to one cell, because the other has its own value beside it; corrects `cells`,
    and says in `given` which. A cell that was given a value is given no second one."""
    left, right = (stack.layout.spans[p] for p in beside)
    before, behind = block[rows, left.start : border], block[rows, border : right.end]
    start = border - (before[:, ::-1] == BLANK).argmax(axis=1)
    end = border + (behind == BLANK).argmax(axis=1)
    other_left = (before != BLANK).sum(axis=1) > border - start
    other_right = (behind != BLANK).sum(axis=1) > end - border
    # The other cell's value must not cross its other border. A number far from its title may be two numbers.
    other_left &= (block[rows, max(left.start - 1, 0)] == BLANK) | (block[rows, left.start] == BLANK)
    other_right &= (block[rows, right.end - 1] == BLANK) | (block[rows, min(right.end, block.shape[1] - 1)] == BLANK)
    whole = (start < border) & (end > border) & (end - start <= CELL_WIDTH)
    other_right &= end <= left.edge + _RIGHT_OF_TITLE
    window = np.arange(-CELL_WIDTH, 0)
    free_left, free_right = (given[rows, place] < 0 for place in beside)
    of_right = whole & other_left & ~other_right & free_right
    of_left = whole & other_right & ~other_left & free_left
    for (other, place), mine in ((beside, of_right), (beside[::-1], of_left)):
        at = np.flatnonzero(mine)
        given[rows[at], place] = other
        columns = end[at, None] + window
        cells[rows[at], place] = np.where(
            columns >= start[at, None], block[rows[at, None], np.maximum(columns, 0)], BLANK
        )
        crossing = (stack.index[other] >= start[at, None]) & (stack.index[other] < end[at, None])
        cells[rows[at], other] = np.where(crossing, BLANK, cells[rows[at], other])
    return of_right | of_left


def _reject(
    report_lines: ReportLines, rejects: Rejects, lines: np.ndarray, column: int, what: list[str], expected: str
) -> None:
    rejects.add(report_lines, lines, what, expected, "left NULL; the page may be edited or truncated", column=column)
