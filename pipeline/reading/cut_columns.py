"""Cut tables: cells under stacked titles, panel by panel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from ..declaration.layouts import Columns, Entries, Listing, TableLayout
from ..declaration.places import Under
from ..declaration.report import Column, Report, Table
from ..frozen import frozen
from . import compiled, title_shift
from .adjacent_rows import adjacent_rows
from .cells import (
    BLANK,
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
from .line_kinds import faults_told
from .numbers import CELL_WIDTH
from .rejects import Rejects
from .report_lines import ReportLines
from .row_alignment import out_of_line, reject_out_of_line
from .title_order import are_one_of, in_words, number_equal
from .title_words import Alike, with_words, without_words
from .whole_rows import whole_rows

# How far a number may extend right of its title.
_RIGHT_OF_TITLE = 4
# What the compiled part finds wrong with the values of a line, and what is expected.
_WRONG = {
    "across": ("a value straddles columns {} and {}", "a blank between them"),
    "within": (
        "the line ends within {}: its last value may be truncated",
        "a number aligned with those of other lines",
    ),
    "beyond": ("text far from its title {}", "blanks up to the next column"),
    "before": ("a value ends left of its title {}", "a number right-aligned with its title"),
    "late": ("a value begins right of its title {}", "a text that begins below its title"),
}


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
    """A parsed heading: the layout of the declared columns, what cuts lines below it, the titles at both sides of each border that no value may
    cross, undeclared titles, side-by-side tables with labelled lines, every column with its place if declared, and whether the titles are
    none of the lists of the layout."""

    layout: CellLayout
    compiled: compiled.Columns
    borders: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...]
    labelled: tuple[LabelledTable, ...]
    columns: tuple[tuple[HeadingColumn, CellSpan | None], ...]
    is_other: bool


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
    of_cells, beyond, before, late = [], [], [], []
    for k, (place, column) in enumerate(zip(places, (columns[c] for c in number), strict=True)):
        # A cell extends a little right of its title; in a wide gap it does not begin at the column before.
        end = min(place.end, max(column.end + _RIGHT_OF_TITLE, place.start + CELL_WIDTH))
        start = max(place.start, end - CELL_WIDTH)
        of_cells.append((start, end))
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
    fields = [
        (p.start, p.end, cells, p.edge, k in numbers) for k, (p, cells) in enumerate(zip(places, of_cells, strict=True))
    ]
    crossed = [(at, beside, _may_give(beside, numbers)) for at, _, _, beside in borders]
    # Where no value may be, where none may end, and where none may begin.
    cut_by = compiled.Columns(width, fields, crossed, beyond, before, late)
    layout = CellLayout.of([_unlabelled(p) for p in places], unit)
    every = tuple((column, places[number[k]] if k in number else None) for k, column in enumerate(columns))
    titles = tuple((left, right) for _, left, right, _ in borders)
    return Stack(layout, cut_by, titles, tuple(unknown), tables, every, is_other)


def _may_give(beside: tuple[int, ...], numbers: frozenset[int]) -> bool:
    """Whether a value across a border is given to a number beside it, where the other has its own."""
    return len(beside) == 2 and numbers.issuperset(beside)


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
    cells, filled, suspect = _cells(report_lines, block, lines, stack, headings, rejects)
    if heading.whole_rows:
        suspect = np.zeros(cells.shape[:2], dtype=bool) if suspect is None else suspect
        whole = whole_rows(report_lines, lines, cells, suspect, labels, stack.columns, heading, rejects)
        lines, block, cells, filled, suspect = (of[whole] for of in (lines, block, cells, filled, suspect))
        labels, headings = [label[whole] for label in labels], headings._replace(of=headings.of[whole])
        if not len(lines):
            return
    is_short = _ends_early(block, stack)
    out = take_out_partly_filled(
        report_lines, lines, cells, filled, stack.layout.spans, bool(heading.panels), is_short, rejects
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


def _cells(
    report_lines: ReportLines, block: np.ndarray, lines: np.ndarray, stack: Stack, headings: Alike, rejects: Rejects
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The cells of lines; per cell 0 where it is blank, 1 where it has dashes alone, and 2 where it has more; and which are suspect, if any is: a
    value crosses a border, or is far from its title. Such are reported."""
    shape = len(lines), len(stack.layout.spans)
    with faults_told():
        cells, filled, suspect, faults = stack.compiled.cut(block, [rows.stop for _, rows in headings.each()])
    for kind, number, column, some in faults:
        what, expected = _WRONG[kind]
        titles = stack.borders[number] if kind == "across" else (stack.layout.spans[number].title,)
        rows = np.array(some, dtype=np.int64)
        of_each = zip(*(headings.titles(title, rows) for title in titles), strict=True)
        hint = "left NULL; the page may be edited or truncated"
        rejects.add(report_lines, lines[rows], [what.format(*of) for of in of_each], expected, hint, column=column)
    return (
        np.frombuffer(cells, np.uint8).reshape(*shape, CELL_WIDTH),
        np.frombuffer(filled, np.uint8).reshape(shape),
        None if suspect is None else np.frombuffer(suspect, np.bool_).reshape(shape),
    )
