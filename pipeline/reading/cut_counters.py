"""Cut counter blocks: a title and column titles above a line of dashes, which set the columns; each row below has a label and numbers.
Several blocks may be side by side: the block is the row's panel. A block without columns has lines `label : value`. A block
whose title has no dashes has lines `label = value`, two per line: two panels, each with its own indentation.

A number ends with its dashes and may extend to the left of them; anything elsewhere is reported and not read. A single letter in the gap
after a label (an annotation) is not part of the number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl

from ..declaration.layouts import CounterBlocks
from ..declaration.places import Counter
from ..declaration.report import Report
from ..frozen import frozen
from . import null_reasons, numbers
from .array_ids import cumcount, pair_ids
from .cast import as_cells
from .cells import BLANK, CellBlock, CellLayout, CellSpan, heading_runs, padded, unknown_titles
from .cut_columns import under_places
from .headings import CounterBlock, CounterColumn, counter_blocks
from .line_kinds import JUNK
from .rates_of_quantity import RatedRows, may_be_shifted
from .rejects import Rejects
from .report_lines import ReportLines
from .title_words import is_within

PATH_SEPARATOR = " > "

# Bytes of a value: digits and their punctuation, K M G, a percent sign, N/A N/C N/P, and overflow.
OF_A_VALUE = np.zeros(256, dtype=bool)
OF_A_VALUE[[ord(c) for c in " 0123456789.,:+-*%KMGN/ACP"]] = True
# Margin, label, equals sign, value, and the last three again. A value is a number, a reason code or blank.
_EQUATION = r"([^ =0-9%][^=]*?)( *= *)([0-9][0-9,]*(?:\.[0-9]+)?[KMG%]?|N/[ACP])?"
_EQUATIONS = rf"^( *){_EQUATION}(?:( +){_EQUATION})? *$"
_READ_BY_A_MACHINE = str.maketrans("0158", "OISB")
# Digits follow a decimal point; a text may end with a full stop.
_CUT_NUMBER = r"^[0-9][0-9.,:]*\.$"
_NOTHING = np.zeros(0, dtype=np.int64)


# Unknown lines within a block or entry: one may be a message, several may be lost lines of the block.
MOST_BETWEEN = 1
# A block's title, its column titles, and the number of such blocks to its left.
_Title = tuple[str, tuple[str, ...], int]
# Distance between panels of values with one label.
_MOST_BLOCKS = 1 << 10
_RANGE = re.compile(r"(.*?)([0-9]+) ?- ?\1?([0-9]+)")


class CounterRows(NamedTuple):
    """The rows of counter blocks, by line and panel. Texts are indexes into lists: `title`, `label`, `path` (-1 if the parent labels
    are unknown) and `value` (-1 if a block has columns). `percent`: the value is printed with a percent sign. `reason`: a code of
    numbers.py. For entries: `total` (the row sums others) and `keys`, per word of the order one index per row into texts (-1: none),
    and these texts. `columns`: column titles per block title."""

    cell_blocks: list[CellBlock]
    line: np.ndarray
    panel: np.ndarray
    title: np.ndarray
    label: np.ndarray
    path: np.ndarray
    value: np.ndarray
    occurrence: np.ndarray
    reason: np.ndarray
    percent: np.ndarray
    titles: list[str]
    labels: list[str]
    paths: list[str]
    values: list[str]
    total: np.ndarray
    keys: dict[str, tuple[np.ndarray, list[str]]]
    columns: list[tuple[str, ...]]

    @classmethod
    def none(cls) -> CounterRows:
        reason, flag = _NOTHING.astype(np.uint8), _NOTHING.astype(bool)
        none = _NOTHING
        return cls([], none, none, none, none, none, none, none, reason, flag, [], [], [], [], flag, {}, [])

    def with_more(self, other: CounterRows) -> CounterRows:
        """These rows merged with others of the same table, by line."""
        if not len(other.line) or not len(self.line):
            return self if len(self.line) else other
        order = np.argsort(np.concatenate([self.line, other.line]), kind="stable")

        def both(one: np.ndarray, two: np.ndarray, known: Sequence[str] = ()) -> np.ndarray:
            return np.concatenate([one, np.where(two >= 0, two + len(known), -1) if known else two])[order]

        size = len(self.line), len(other.line)
        nothing = [(np.full(n, -1, dtype=np.int64), list[str]()) for n in size]
        keys = {}
        for word in {**self.keys, **other.keys}:
            (one, known), (two, more) = self.keys.get(word, nothing[0]), other.keys.get(word, nothing[1])
            keys[word] = both(one, two, known), [*known, *more]
        return CounterRows(
            self.cell_blocks + other.cell_blocks, both(self.line, other.line), both(self.panel, other.panel),
            both(self.title, other.title, self.titles), both(self.label, other.label, self.labels),
            both(self.path, other.path, self.paths), both(self.value, other.value, self.values),
            both(self.occurrence, other.occurrence), both(self.reason, other.reason), both(self.percent, other.percent),
            self.titles + other.titles, self.labels + other.labels, self.paths + other.paths, self.values + other.values,
            both(self.total, other.total), keys, self.columns + other.columns,
        )  # fmt: skip


@frozen()
class _Panel:
    """The position of a block: columns of its labels, its places, and the ranges left and right of it with foreign text. `reason`: index of
    the place with the row's reason. `texts`: its only column holds texts. `names`: its columns share one title, and a label names a
    value in each (LC01-LC04). `rated`: its columns are a quantity and rates: which of the declared ones; else empty."""

    start: int
    end: int
    left: int
    right: int
    columns: tuple[CounterColumn, ...]
    layout: CellLayout
    reason: int
    texts: bool
    names: bool
    rated: tuple[int, ...]


@dataclass
class _Found:
    """Cut cells, one list entry per panel: lines, panel, title, label texts, indentation, reason codes; and the errors by line, column and
    words. `rated`: rows of rates, each with the indexes of their cell block and of the other lists."""

    cell_blocks: list[CellBlock] = field(default_factory=list)
    line: list[np.ndarray] = field(default_factory=list)
    panel: list[np.ndarray] = field(default_factory=list)
    title: list[np.ndarray] = field(default_factory=list)
    label: list[pl.Series] = field(default_factory=list)
    value: list[pl.Series] = field(default_factory=list)
    depth: list[np.ndarray] = field(default_factory=list)
    reason: list[np.ndarray] = field(default_factory=list)
    percent: list[np.ndarray] = field(default_factory=list)
    read: list[np.ndarray] = field(default_factory=list)
    wrong: list[tuple[np.ndarray, int, str, bool]] = field(default_factory=list)
    rated: list[tuple[RatedRows, int, int]] = field(default_factory=list)

    def tell(self, lines: np.ndarray, column: int, what: str, vaguely: bool = False) -> None:
        """`vaguely`: a more specific error of the same line takes precedence."""
        if len(lines):
            self.wrong.append((lines, column, what, vaguely))


@lru_cache(maxsize=4096)
def counter_heading(
    report: Report, heading: CounterBlocks, lines: tuple[str, ...]
) -> tuple[list[CounterBlock], list[str]]:
    known = [place.title for place, _, _ in under_places(report, heading)]
    blocks, astray = counter_blocks(lines[-2], lines[-1], known, _titles_of("value", report, heading))
    blocks = [block._replace(lost=block.lost or _lacks_words(block, heading)) for block in blocks]
    lost = [b.title or "(none)" for b in blocks if b.lost]
    rates = heading.rates.rates if heading.rates else ()
    for k, block in enumerate(blocks):
        turns = [rates.index(column.title) for column in block.columns if column.title in rates]
        if turns != sorted(turns):
            blocks[k] = block._replace(lost=True)
            lost.append(f"{block.title}: {' '.join(rates[turn] for turn in turns)}")
    return blocks, astray + lost + [c.title or "(none)" for b in blocks for c in b.columns if not c.known]


def _lacks_words(block: CounterBlock, heading: CounterBlocks) -> bool:
    """Whether words of the title of a block, or of those of its columns, are lost or moved, or a letter was read as a digit."""
    words = block.title.split()
    columns = {column.title for column in block.columns}
    if any(columns.issuperset(both) for both in heading.apart):
        return True
    titles = [title.split(" ") for title in heading.titles]
    if not words or any(len(title) == len(words) and all(map(re.fullmatch, title, words)) for title in titles):
        return not columns.isdisjoint(heading.below_names)
    alike = block.title.translate(_READ_BY_A_MACHINE).split()
    wrong = any(
        len(title) == len(words)
        and all(
            any(re.fullmatch(part, one) for part in title for one in forms) for forms in zip(words, alike, strict=True)
        )
        for title in titles
    )
    return wrong or any(len(title) > len(words) and is_within(words, title) for title in titles)


@lru_cache(maxsize=4096)
def _panels(
    report: Report, heading: CounterBlocks, extents: tuple[tuple[int, int, tuple[CounterColumn, ...]], ...], width: int
) -> tuple[_Panel, ...]:
    """The panels of blocks with these label dashes and columns."""
    targets: dict[str, list] = {}
    for place, target, _ in under_places(report, heading):
        targets.setdefault(place.title, []).append(target)
    first_of = _titles_of("reason", report, heading)
    of_texts = _titles_of("value", report, heading)
    out = []
    for number, (start, end, columns) in enumerate(extents):
        places = []
        before = end
        names = len(columns) > 1 and len({c.title for c in columns}) == 1
        for k, column in enumerate(columns):
            goes_to = tuple(targets.get(column.title, ()))
            panel = number + k * _MOST_BLOCKS if names else number
            places.append(CellSpan(before, column.end, goes_to, panel, (), column.title, edge=column.end, exact=True))
            before = column.end
        named = [k for k, c in enumerate(columns) if c.title in first_of]
        left = out[-1].right if out else 0
        right = extents[number + 1][0] if number + 1 < len(extents) else width
        texts = len(columns) == 1 and columns[0].title in of_texts
        reason = named[0] if named else 0
        rated = _rated(heading, [c.title for c in columns])
        out.append(_Panel(start, end, left, right, columns, CellLayout.of(places, 1e-3), reason, texts, names, rated))
    return tuple(out)


def _rated(heading: CounterBlocks, titles: Sequence[str]) -> tuple[int, ...]:
    """Which of the declared columns of a quantity and its rates these are; empty if they are others too."""
    if heading.rates is None or len(titles) < 2 or titles[0] != heading.rates.quantity:
        return ()
    declared = (heading.rates.quantity, *heading.rates.rates)
    return tuple(map(declared.index, titles)) if set(titles) <= set(declared) else ()


@cache
def _titles_of(part: str, report: Report, heading: CounterBlocks) -> tuple[str, ...]:
    """Titles of the columns with the row's reason (part "reason"), or with texts ("value")."""
    tables = [t for t in report.tables if set(t.rows) & set(heading.rows)]
    places = [p for t in tables for c in t.columns for p in c.places if isinstance(p, Counter) and p.part == part]
    return tuple(title for place in places for title in place.of)


def cut_counters(report_lines: ReportLines, heading: CounterBlocks, rejects: Rejects) -> CounterRows:
    """All rows below counter headings."""
    rows = report_lines.lines_of(heading.rows)
    found = _Found()
    if len(rows):
        first, which, headings = heading_runs(report_lines, heading, rows)
        width = report_lines.cells.shape[1]
        together: dict[tuple[_Panel, ...], list[int]] = {}
        titles: dict[int, list[_Title | None]] = {}
        names: dict[_Title, int] = {}
        for number, lines in enumerate(headings):
            mine = which == number
            if not mine.any():
                continue
            if len(lines) == 1:
                _cut_equations(report_lines, heading, rows[mine], first[mine], " ".join(lines[0].split()), names, found)
                continue
            blocks, unknown = counter_heading(report_lines.report, heading, lines)
            if unknown:
                known = sorted({p.title for p, _, _ in under_places(report_lines.report, heading)})
                unknown_titles(report_lines, first[mine], unknown, known, rejects)
            panels = _panels(report_lines.report, heading, tuple((b.start, b.end, b.columns) for b in blocks), width)
            together.setdefault(panels, []).append(number)
            titles[number] = _titled(blocks, int(report_lines.cut_width[first[mine]].max()))
        for panels, numbers in together.items():
            mine = np.flatnonzero(np.isin(which, numbers))
            for k, panel in enumerate(panels):
                title_of = np.full(len(headings) + 1, -1, dtype=np.int64)
                for number in numbers:
                    if (title := titles[number][k]) is not None:
                        title_of[number] = names.setdefault(title, len(names))
                read = mine[title_of[which[mine]] >= 0]
                cut = _cut_pairs if not panel.columns else _cut_texts if panel.texts else _cut_panel
                cut(report_lines, panel, k, rows[read], title_of[which[read]], found)
        if found.rated:
            _leave_out_shifted(report_lines, found)
        reject_once(report_lines, found.wrong, rejects)
        return _in_order(report_lines, found, list(names))
    return _in_order(report_lines, found, [])


def _titled(blocks: Sequence[CounterBlock], cut: int) -> list[_Title | None]:
    """The key of the blocks of a heading; None if a block has no title, or its end is at the column at which all lines were cut."""
    out: list[_Title | None] = []
    for block in blocks:
        title = block.title, tuple(c.title for c in block.columns)
        alike = sum(other is not None and other[:2] == title for other in out)
        out.append(None if block.lost or 0 < cut <= block.end else (*title, alike))
    return out


def _cut_panel(
    report_lines: ReportLines, panel: _Panel, number: int, lines: np.ndarray, title: np.ndarray, found: _Found
) -> None:
    """The labels and cells of one block on all lines of equal layout."""
    width = report_lines.cells.shape[1]
    block = report_lines.cells[lines]
    filled = block != BLANK
    label = block[:, panel.start : panel.end]
    labelled = filled[:, panel.start : panel.end].any(axis=1)
    ends = [panel.end, *(c.end for c in panel.columns)]
    cells = np.full((len(lines), len(panel.columns), numbers.CELL_WIDTH), BLANK, dtype=np.uint8)
    suspect = np.zeros((len(lines), len(panel.columns)), dtype=bool)
    good, some_of = np.zeros((2, len(lines), len(panel.columns)), dtype=bool)
    text = np.zeros(len(lines), dtype=bool)
    last = report_lines.last_lines[lines]
    cut = np.zeros(len(lines), dtype=bool)
    labelled &= ~_reject_values(label, lines, panel, found)
    for k, (before, column) in enumerate(zip(ends, panel.columns, strict=False)):
        cell = block[:, before : column.end]
        if k == 0:
            cell = _without_mark(cell, filled[:, before - 1], column.start - before)
        cells[:, k] = padded(cell)
        some = some_of[:, k] = (cell != BLANK).any(axis=1)
        text |= some
        far = (cell[:, : -numbers.CELL_WIDTH] != BLANK).any(axis=1)
        suspect[far, k] = True
        found.tell(lines[far], before, f"text far from its title {column.title}")
        good[:, k] = some & OF_A_VALUE[cell].all(axis=1)
        if before < width:
            across = filled[:, before - 1] & (cell[:, 0] != BLANK)
            suspect[across, k] = True
            if k:
                suspect[across, k - 1] = True
                found.tell(lines[across], before - 1, f"a value straddles the border of {column.title}")
            else:
                labelled &= ~across
                found.tell(lines[across], before - 1, "a label extends into column " + column.title)
        short = some & (cell[:, -1] == BLANK)
        suspect[short, k] = True
        # An excerpt may end within its last value, after a decimal point.
        cut |= short & last & _ends_in_a_point(cell) & ~filled[:, column.end :].any(axis=1)
        found.tell(lines[short & ~cut], column.end - 1, f"a value is not right-aligned with column {column.title}")
    for begin, end in ((panel.left if number == 0 else panel.start, panel.start), (ends[-1], min(panel.right, width))):
        if begin < end:
            outside = filled[:, begin:end].any(axis=1)
            if end == panel.start:
                labelled &= ~(filled[:, end - 1] & filled[:, end])
            else:
                suspect[outside & filled[:, begin], -1] |= True
            at = begin + filled[:, begin:end].argmax(axis=1)
            for column in np.unique(at[outside]):
                found.tell(lines[outside & (at == column)], int(column), "text outside the columns")
    if number:
        labelled &= ~(filled[:, panel.start - 1] & filled[:, panel.start])  # the end of a text to the left
    if panel.names:
        names = np.array([_names_in(text) for text in numbers.texts(label).to_list()])
        lacking = labelled & text & (some_of.sum(axis=1) < np.minimum(names, len(panel.columns))) & ~cut
        suspect[lacking] = True
        found.tell(lines[lacking], ends[0], "fewer numbers than the label names")
    some_good = (good & ~suspect).any(axis=1)
    read = labelled & (some_good | cut)
    bare = labelled & ~text
    found.tell(lines[labelled & ~read & ~(bare & last)], panel.start, "a label without a value", vaguely=True)
    found.tell(lines[~labelled & some_good], panel.start, "a value without a label", vaguely=True)
    # Others may be indented below a label without values; next to other text it may be junk.
    known = np.flatnonzero(read | bare)
    at = np.flatnonzero(read)
    found.cell_blocks.append(CellBlock(lines[at], panel.layout, cells[at], suspect[at] if suspect[at].any() else None))
    if panel.rated:
        is_share = (label == ord("%")).any(axis=1)
        rows = RatedRows(found.cell_blocks[-1], panel.rated, some_of[at], is_share[at])
        found.rated.append((rows, len(found.cell_blocks) - 1, len(found.line)))
    depth = filled[known, panel.start : panel.end].argmax(axis=1)
    labels = numbers.texts(label[known])
    for k, place in enumerate(panel.layout.spans if panel.names else panel.layout.spans[:1]):
        own = _name_of(labels, k) if panel.names else labels
        named = own.is_not_null().to_numpy()
        found.tell(lines[known[~named & some_of[known, k]]], place.start, "a value without a name in its label")
        mine = known[named]
        found.line.append(lines[mine])
        found.panel.append(np.full(len(mine), place.panel, dtype=np.int64))
        found.title.append(title[mine])
        found.label.append(own.drop_nulls())
        found.value.append(pl.repeat(None, len(mine), dtype=pl.String, eager=True))
        found.depth.append(depth[named])
        found.reason.append(reasons_of(cells[mine, k if panel.names else panel.reason]))
        found.percent.append(np.zeros(len(mine), dtype=bool))
        found.read.append(read[mine])


def _leave_out_shifted(report_lines: ReportLines, found: _Found) -> None:
    """Mark the cells of rows of rates whose numbers may be those of the columns beside."""
    every = may_be_shifted([rows for rows, *_ in found.rated], lambda: epochs(report_lines))
    for (rows, block, entry), shifted in zip(found.rated, every, strict=True):
        if not shifted.any():
            continue
        lines = rows.block.line[shifted]
        suspect = np.zeros(rows.filled.shape, dtype=bool) if rows.block.suspect is None else rows.block.suspect
        found.cell_blocks[block] = replace(rows.block, suspect=suspect | shifted[:, None])
        found.reason[entry][np.isin(found.line[entry], lines)] = null_reasons.BLANK
        what = "a number is missing, and the others may be those of the columns beside"
        found.tell(lines, rows.block.layout.spans[0].end - 1, what)


def _reject_values(label: np.ndarray, lines: np.ndarray, panel: _Panel, found: _Found) -> np.ndarray:
    """Bool per line: a value in place of a label, or behind it. Its dashes belong to a column with an unknown title, far enough right to look
    like a block; or it was moved."""
    counts = ((label >= ord("0")) & (label <= ord("9"))) | (label == ord("/"))
    values_there = OF_A_VALUE[label].all(axis=1) & counts.any(axis=1)
    values_there |= numbers.texts(label).str.contains(r"[^: ] {2,}[0-9.,:]+[KMG]?$").to_numpy()
    found.tell(lines[values_there], panel.start, "a value instead of a label")
    return values_there


def _names_in(label: str) -> int:
    """How many values a label names: LC05-LC08 are four."""
    match = _RANGE.fullmatch(label)
    return int(match[3]) - int(match[2]) + 1 if match else 1


def _name_of(labels: pl.Series, column: int) -> pl.Series:
    """The names of one of several columns: LC06 in the second for LC05-LC08; a label without a range names only the first."""
    made: dict[str, str | None] = {}
    for label in labels.unique().to_list():
        if m := _RANGE.fullmatch(label):
            name = int(m[2]) + column
            made[label] = f"{m[1]}{name:0{len(m[2])}d}" if name <= int(m[3]) else None
        else:
            made[label] = None if column else label
    return labels.replace_strict(made, return_dtype=pl.String)


def _cut_texts(
    report_lines: ReportLines, panel: _Panel, number: int, lines: np.ndarray, title: np.ndarray, found: _Found
) -> None:
    """The labels and texts of a block with one column of texts; a text may be blank. A text begins or ends with its dashes."""
    filled = report_lines.cells[lines] != BLANK
    (column,) = panel.columns
    label, text = (
        numbers.texts(report_lines.cells[lines, a:b]) for a, b in ((panel.start, panel.end), (column.start, column.end))
    )
    here = filled[:, column.start : column.end]
    between = filled[:, panel.end : column.start].any(axis=1)
    loose = (
        here.any(axis=1)
        & ~here[:, :1].any(axis=1)
        & ~(here[:, -1:].any(axis=1) & (here.shape[1] == column.end - column.start))
    )
    found.tell(lines[between], panel.end, "text between the label and column " + column.title)
    found.tell(lines[loose], column.start, f"a text is not aligned with column {column.title}")
    outside = filled[:, column.end : panel.right].any(axis=1)
    if number == 0:
        outside |= filled[:, panel.left : panel.start].any(axis=1)
    found.tell(lines[outside], column.end, "text outside the columns")
    labelled = (label != "").to_numpy()
    labelled &= ~_reject_values(report_lines.cells[lines, panel.start : panel.end], lines, panel, found)
    found.tell(lines[~labelled & here.any(axis=1)], column.start, "a value without a label")
    # The end of the file may have cut the last text, or what follows a label.
    cut = np.isin(lines, report_lines.cut) & ~filled[:, column.end :].any(axis=1) & filled[:, panel.start :].any(axis=1)
    found.tell(lines[cut], panel.start, "the file ends within the line")
    pointed = text.str.contains(_CUT_NUMBER).to_numpy()
    found.tell(lines[pointed & labelled & ~cut], column.start, "a number ends with its decimal point")
    mine = np.flatnonzero(labelled & ~between & ~loose & ~outside & ~cut & ~pointed)
    code = null_reasons.reasons(text.gather(mine))
    found.line.append(lines[mine])
    found.panel.append(np.full(len(mine), number, dtype=np.int64))
    found.title.append(title[mine])
    found.label.append(label.gather(mine))
    found.value.append(text.gather(mine).set(pl.Series(code != null_reasons.UNREADABLE), None))
    found.depth.append(filled[mine, panel.start : panel.end].argmax(axis=1))
    found.reason.append(np.where(code != null_reasons.UNREADABLE, code, null_reasons.BLANK).astype(np.uint8))
    found.percent.append(np.zeros(len(mine), dtype=bool))
    found.read.append(np.ones(len(mine), dtype=bool))


def _cut_pairs(
    report_lines: ReportLines, panel: _Panel, number: int, lines: np.ndarray, title: np.ndarray, found: _Found
) -> None:
    """The labels and values of a block without columns, split at the first colon."""
    filled = report_lines.cells[lines] != BLANK
    block = report_lines.cells[lines, panel.start : panel.end]
    at = (block == ord(":")).argmax(axis=1)
    place = np.arange(block.shape[1])
    front, behind = place < at[:, None], place > at[:, None]
    label = np.where(front, block, np.uint8(BLANK))
    value = np.where(behind, block, np.uint8(BLANK))
    outside = filled[:, panel.end : panel.right].any(axis=1)
    if number == 0:
        outside |= filled[:, panel.left : panel.start].any(axis=1)
    found.tell(lines[outside], panel.start, "text outside the columns")
    colon = (block == ord(":")).any(axis=1)
    labelled = colon & (label != BLANK).any(axis=1) & ~_reject_values(block, lines, panel, found)
    cut = np.isin(lines, report_lines.cut) & ~filled[:, panel.end :].any(axis=1) & (block != BLANK).any(axis=1)
    found.tell(lines[cut], panel.start, "the file ends within the line")
    read = labelled & (value != BLANK).any(axis=1) & ~outside & ~cut
    found.tell(lines[(block != BLANK).any(axis=1) & ~read], panel.start, "no label, colon and value", vaguely=True)
    mine = np.flatnonzero(read)
    strings = numbers.texts(value[mine])
    pointed = strings.str.contains(_CUT_NUMBER).to_numpy()
    found.tell(lines[mine[pointed]], panel.start, "a number ends with its decimal point")
    mine, strings = mine[~pointed], strings.filter(pl.Series(~pointed))
    code = null_reasons.reasons(strings)
    found.line.append(lines[mine])
    found.panel.append(np.full(len(mine), number, dtype=np.int64))
    found.title.append(title[mine])
    found.label.append(numbers.texts(label[mine]))
    stated = code != null_reasons.UNREADABLE
    found.value.append(strings.set(pl.Series(stated), None))
    found.depth.append((label[mine] != BLANK).argmax(axis=1))
    found.reason.append(np.where(stated, code, null_reasons.BLANK).astype(np.uint8))
    found.percent.append(np.zeros(len(mine), dtype=bool))
    found.read.append(np.ones(len(mine), dtype=bool))


def _cut_equations(
    report_lines: ReportLines,
    heading: CounterBlocks,
    lines: np.ndarray,
    first: np.ndarray,
    title: str,
    names: dict[_Title, int],
    found: _Found,
) -> None:
    """Labels and values split at equals signs, two per line; values go to the first column. `first`: first line of the heading of each
    line; indentation is comparable only below the same heading."""
    text = report_lines.text.gather(lines)
    parts = text.str.extract_groups(_EQUATIONS).struct
    margin, *before = (parts.field(str(k)).str.len_bytes().fill_null(0).to_numpy() for k in range(1, 6))
    second = margin + sum(before)
    # The signs stand below each other: a label elsewhere is moved, and does not tell what it belongs to. No number is in front of a sign.
    matched = parts.field("2").is_not_null().to_numpy() & ~text.str.contains(r" [0-9][0-9.,]* *=").to_numpy()
    first_sign, last = (t.str.find("=", literal=True).fill_null(0).to_numpy() for t in (text, text.str.reverse()))
    for at in (first_sign, text.str.len_bytes().to_numpy() - last):
        matched &= np.bincount(at)[at] * 2 > len(at)
    found.tell(lines[~matched], 0, "no label, equals sign and value", vaguely=True)
    targets = tuple(
        t
        for p, t, _ in under_places(report_lines.report, heading)
        if p.title in _titles_of("reason", report_lines.report, heading)
    )
    for number, (label_at, value_at, start) in enumerate((("2", "4", margin), ("6", "8", second))):
        here = np.flatnonzero(parts.field(label_at).is_not_null().to_numpy() & matched)
        if not len(here):
            continue
        printed = parts.field(value_at).fill_null("").gather(here)
        cells = as_cells(printed.str.strip_suffix("%"))
        layout = CellLayout.of([CellSpan(0, report_lines.cells.shape[1], targets, number)], 1e-3)
        found.cell_blocks.append(CellBlock(lines[here], layout, cells[:, None], None))
        found.line.append(lines[here])
        found.panel.append(np.full(len(here), number, dtype=np.int64))
        found.title.append(np.full(len(here), names.setdefault((title, (), number), len(names)), dtype=np.int64))
        found.label.append(parts.field(label_at).gather(here))
        found.value.append(pl.repeat(None, len(here), dtype=pl.String, eager=True))
        _, block = np.unique(first[here], return_inverse=True)
        least = np.full(int(block.max()) + 1, start[here].max())
        np.minimum.at(least, block, start[here])
        found.depth.append(start[here] - least[block])
        found.reason.append(reasons_of(cells))
        found.percent.append(printed.str.ends_with("%").to_numpy())
        found.read.append(np.ones(len(here), dtype=bool))


def _without_mark(cell: np.ndarray, label_before: np.ndarray, gap: int) -> np.ndarray:
    """The cells without a single letter in the gap before their column."""
    letter = (cell[:, :gap] >= ord("A")) & (cell[:, :gap] <= ord("Z"))
    blank_left = np.concatenate([~label_before[:, None], cell[:, : max(gap - 1, 0)] == BLANK], axis=1)[:, :gap]
    alone = letter & blank_left & (cell[:, 1 : gap + 1] == BLANK)
    alone &= (alone.sum(axis=1) == 1)[:, None]
    if not alone.any():
        return cell
    cell = cell.copy()
    cell[:, :gap][alone] = BLANK
    return cell


def _ends_in_a_point(cells: np.ndarray) -> np.ndarray:
    """Bool per cell: it ends with a decimal point."""
    last = cells.shape[1] - 1 - (cells[:, ::-1] != BLANK).argmax(axis=1)
    return cells[np.arange(len(cells)), last] == ord(".")


def reasons_of(cells: np.ndarray) -> np.ndarray:
    """Reason code per cell, BLANK for none."""
    out = np.full(len(cells), null_reasons.BLANK, dtype=np.uint8)
    some = np.flatnonzero((cells == ord("N")).any(axis=1))
    code = null_reasons.reasons(numbers.texts(cells[some]))
    out[some] = np.where(code == null_reasons.UNREADABLE, null_reasons.BLANK, code)
    return out


def reject_once(
    report_lines: ReportLines, wrong: Sequence[tuple[np.ndarray, int, str, bool]], rejects: Rejects
) -> None:
    """One reject per line, at its first error. An entry of `wrong`: lines, column, words, vaguely."""
    if not wrong:
        return
    sizes = [len(lines) for lines, *_ in wrong]
    line = np.concatenate([lines for lines, *_ in wrong])
    column = np.repeat([column for _, column, *_ in wrong], sizes)
    vaguely = np.repeat([vaguely for *_, vaguely in wrong], sizes)
    words = np.repeat(np.arange(len(wrong)), sizes)
    order = np.lexsort((column, vaguely, line))
    at = order[np.flatnonzero(np.diff(line[order], prepend=-1) != 0)]
    what = [f"{report_lines.report.name}: {wrong[k][2]}" for k in words[at]]
    expected = "a label, and values right-aligned with the dashes above"
    hint = "uncertain values are left NULL; the page may be edited or truncated"
    rejects.add(report_lines, line[at], what, expected, hint, column=column[at])


def _in_order(report_lines: ReportLines, found: _Found, titles: Sequence[_Title]) -> CounterRows:
    """Rows by line and panel, with their paths and occurrences."""
    if not found.line:
        return CounterRows.none()
    line, panel, title = (np.concatenate(part) for part in (found.line, found.panel, found.title))
    encoded = pl.concat(found.label).to_arrow().dictionary_encode()
    label = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    labels = encoded.dictionary.to_pylist()
    behind = pl.concat(found.value).to_arrow().dictionary_encode()
    value = behind.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    depth, reason, percent, read = (
        np.concatenate(part) for part in (found.depth, found.reason, found.percent, found.read)
    )
    order = np.lexsort((panel, line))
    line, panel, title, label, value, depth, reason, percent, read = (
        part[order] for part in (line, panel, title, label, value, depth, reason, percent, read)
    )
    # A repeated title in the same interval continues the block.
    instance = pair_ids(epochs(report_lines)[line], title)[1]
    path, paths = _paths(instance, depth, label, labels, np.cumsum(report_lines.kind == JUNK)[line])
    occurrence = cumcount(instance[read], np.where(path < 0, len(paths) + label, path)[read])
    return CounterRows(
        found.cell_blocks, line[read], panel[read], title[read], label[read], path[read], value[read], occurrence, reason[read], percent[read],
        [t for t, *_ in titles], labels, paths, behind.dictionary.to_pylist(), np.zeros(len(occurrence), dtype=bool), {},
        [columns for _, columns, _ in titles],
    )  # fmt: skip


def epochs(report_lines: ReportLines) -> np.ndarray:
    """A number per line that increases with each new interval, entry or file."""
    turn = np.diff(report_lines.segment, prepend=-1) != 0
    for kind in (*report_lines.report.interval, *report_lines.report.lasting):
        ids, _ = report_lines.text_ids((kind,))
        where = np.flatnonzero(ids >= 0)
        turn[where[np.diff(ids[where], prepend=-1) != 0]] = True
    return np.cumsum(turn)


def _paths(
    instance: np.ndarray, depth: np.ndarray, label: np.ndarray, labels: Sequence[str], strange: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """Per row: an index into paths (-1: indented without a parent), and the paths. The parent of a row is the nearest row above in its
    block with less indentation. `strange`: number of unknown lines up to each line; if several are between, one may have been the
    parent."""
    order = np.argsort(instance, kind="stable")
    begins = np.flatnonzero(np.diff(instance[order], prepend=-1) != 0)
    first = begins[np.cumsum(np.diff(instance[order], prepend=-1) != 0) - 1]
    deep, name = depth[order], label[order]
    at = np.arange(len(order))
    path = np.full(len(order), -1, dtype=np.int64)
    paths: list[str] = []
    nearest = np.full(len(order), -1, dtype=np.int64)
    for d in np.unique(deep):
        mine = np.flatnonzero(deep == d)
        if d == 0:
            parent = np.full(len(mine), -1)
            known = np.ones(len(mine), dtype=bool)
        else:
            above = nearest[mine]
            known = above >= first[mine]
            known &= (path[above] >= 0) & (strange[order[mine]] - strange[order[above]] <= MOST_BETWEEN)
            parent = np.where(known, path[above], -1)
        first_of, which = pair_ids(parent, name[mine])
        pairs = zip(parent[first_of].tolist(), name[mine][first_of].tolist(), strict=True)
        made = [(paths[p] + PATH_SEPARATOR if p >= 0 else "") + labels[int(n)] for p, n in pairs]
        path[mine] = np.where(known, which + len(paths), -1)
        paths += made
        nearest = np.maximum(nearest, np.maximum.accumulate(np.where(deep == d, at, -1)))
    out = np.empty_like(path)
    out[order] = path
    return out, paths
