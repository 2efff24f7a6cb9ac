"""Cut tables of entries: an entry takes several print lines, each with its own line of titles in the heading; dashes below the
titles set the columns. Each cell is a counter, labelled by its title.

The first dashes are over the keys of the entry, one level of indentation per key. A key is printed alone or before numbers, and applies
to the entries below, across page breaks, until a key at its level or above. An entry begins at a key that is not deeper than the last
one, or below numbers without a key. An entry whose number of lines differs from the heading is not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from ..declaration.layouts import Entries
from ..declaration.report import Report
from ..frozen import frozen
from . import numbers
from .array_ids import cumcount, dense_ids
from .carried_names import CarriedNames
from .cells import BLANK, CellBlock, CellLayout, CellSpan, padded
from .cut_columns import read_headings, under_places
from .cut_counters import OF_A_VALUE, CounterRows, epochs, reasons_of, reject_once
from .headings import is_rule, over_runs
from .line_kinds import JUNK
from .rejects import Rejects
from .report_lines import ReportLines

_TOTAL = r"\b(?:SUB)?TOTAL\b"
_OF_ALL = r"\bGRAND\b"


@frozen()
class _Heading:
    """A parsed heading: columns [start, end) of the keys, the words there, a layout per line of titles (places in column order, without
    targets if the line has no title), and words over no column."""

    start: int
    end: int
    keys: tuple[str, ...]
    layouts: tuple[CellLayout, ...]
    unknown: tuple[str, ...]


@lru_cache(maxsize=4096)
def entry_heading(report: Report, heading: Entries, lines: tuple[str, ...], width: int) -> _Heading | None:
    """None if a line of the heading is missing."""
    titles = [line for line in lines if not is_rule(line)]
    rules = [line for line in lines if is_rule(line)]
    runs = [(m.start(), m.end()) for m in re.finditer("-+", rules[0])] if len(rules) == 1 else []
    if len(runs) < 2 or len(titles) < heading.depth:
        return None
    every = {place.title: target for place, target, _ in under_places(report, heading)}
    keys, layouts, unknown = [], [], []
    for printed in titles:
        words, astray = over_runs(printed, runs)
        unknown += astray
        keys += words[0]
        places = []
        for k, ((_, before), (_, end)) in enumerate(pairwise(runs)):
            title = " ".join(words[k + 1])
            target = every["#*" if title.startswith("#") else "*"]
            places.append(CellSpan(before, end, (target,) if title else (), k, (), title, edge=end, exact=True))
        layouts.append(CellLayout.of(places, 1e-3))
    return _Heading(runs[0][0], runs[0][1], tuple(keys), tuple(layouts), tuple(unknown))


@dataclass
class _Lines:
    """The lines of entries, one array element each. `entry`: the entry of a line (-1: before the first); `rank`: number among its lines of
    numbers, from 0; `level`: indentation of its label (-1: none, or it runs into the numbers: `runs_on`); `total`: the label names a
    total."""

    line: np.ndarray
    heading: np.ndarray
    numbered: np.ndarray
    level: np.ndarray
    runs_on: np.ndarray
    total: np.ndarray
    entry: np.ndarray
    rank: np.ndarray


class _Keys(NamedTuple):
    """The keys of the entries. `good`: bool per entry, its keys are known; `total`: bool per entry; `names`: per word of the order one index
    per entry into texts (-1: none), and these texts."""

    good: np.ndarray
    total: np.ndarray
    names: dict[str, tuple[np.ndarray, list[str]]]


def cut_entries(report_lines: ReportLines, heading: Entries, rejects: Rejects) -> CounterRows:
    """All cells of all entries, one row per cell."""
    rows = report_lines.lines_of(heading.rows)
    if not len(rows):
        return CounterRows.none()
    which, headings = read_headings(report_lines, heading, rows, entry_heading, rejects)
    known = np.isin(which, list(headings))
    if not known.any():
        return CounterRows.none()
    run = CarriedNames(report_lines).run
    lines = _lines(report_lines, rows[known], which[known], headings, run)
    report_lines.used[lines.line[lines.level >= 0]] = True
    keys = _keys(report_lines, heading, lines, headings, run)
    return _cut(report_lines, heading, lines, headings, keys, rejects)


def _lines(
    report_lines: ReportLines, line: np.ndarray, which: np.ndarray, headings: dict[int, _Heading], run: np.ndarray
) -> _Lines:
    """Lines with their entries."""
    level = np.full(len(line), -1, dtype=np.int64)
    numbered, runs_on = np.zeros((2, len(line)), dtype=bool)
    for number, made in headings.items():
        mine = np.flatnonzero(which == number)
        filled = report_lines.cells[line[mine]] != BLANK
        label = filled[:, : made.end]
        numbered[mine] = filled[:, made.end :].any(axis=1)
        runs_on[mine] = filled[:, made.end - 1 : made.end + 1].all(axis=1) & (filled.shape[1] > made.end)
        level[mine] = np.where(label.any(axis=1) & ~runs_on[mine], np.maximum(label.argmax(axis=1) - made.start, 0), -1)
    labelled = np.flatnonzero(level >= 0)
    text = report_lines.text.gather(line[labelled])
    total, of_all = np.zeros((2, len(line)), dtype=bool)
    total[labelled] = text.str.contains(_TOTAL).to_numpy()
    of_all[labelled] = total[labelled] & text.str.contains(_OF_ALL).to_numpy()
    # With several keys, a total in place of the first key sums the values of the last key.
    level[total & ~of_all & (level == 0) & (_deepest(level, which) > 0)] = 1
    of_run = run[line]
    before = np.concatenate([[-1], labelled[:-1]])
    begins = np.zeros(len(line), dtype=bool)
    same = (before >= 0) & (of_run[before] == of_run[labelled])
    begins[labelled] = ~same | (level[labelled] <= level[before]) | total[before]
    # Numbers without a key end an entry: a key below them begins another.
    bare = np.cumsum(numbered & (level < 0))
    begins[labelled] |= same & (bare[labelled] > bare[before])
    begins[1:] |= which[1:] != which[:-1]
    orphan = np.diff(of_run, prepend=-1) != 0
    entry = np.cumsum(begins | orphan) - 1
    counted = np.cumsum(numbered) - numbered
    opening = np.flatnonzero(np.diff(entry, prepend=-1) != 0)
    rank = counted - counted[opening][entry]
    return _Lines(line, which, numbered, level, runs_on, total, entry, rank)


def _deepest(level: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Per line the deepest level of any below an equal heading."""
    deepest = np.full(int(which.max()) + 1, -1, dtype=np.int64)
    np.maximum.at(deepest, which, level)
    return deepest[which]


def _words(
    report_lines: ReportLines, heading: Entries, lines: _Lines, first: np.ndarray, headings: dict[int, _Heading]
) -> tuple[np.ndarray, list[tuple[str, ...]]]:
    """Per entry, which begins at `first`: an index into lists of names for its keys (the words of the page's order, then of the heading),
    and these lists."""
    ids, texts = report_lines.text_ids((heading.order.line,))
    said = [re.search(heading.order.pattern, text) for text in texts]
    orders = [tuple(m[1].split("-")) if m else () for m in said] + [()]
    at = report_lines.above(lines.line[first], heading.order.line)
    order = np.where(at >= 0, ids[np.maximum(at, 0)], -1)
    pairs, which = np.unique(np.stack([order, lines.heading[first]]), axis=1, return_inverse=True)
    words = []
    for number, of_heading in pairs.T.tolist():
        words.append((*orders[number], *(w for w in headings[of_heading].keys if w not in orders[number])))
    return which.ravel(), words


def _keys(
    report_lines: ReportLines, heading: Entries, lines: _Lines, headings: dict[int, _Heading], run: np.ndarray
) -> _Keys:
    """The keys of each entry, from its own lines and from those above."""
    first = np.flatnonzero(np.diff(lines.entry, prepend=-1) != 0)
    count = len(first)
    which, words = _words(report_lines, heading, lines, first, headings)
    labelled = np.flatnonzero(lines.level >= 0)
    last = np.full(count, -1, dtype=np.int64)
    last[lines.entry[labelled]] = labelled
    deepest = np.where(last >= 0, lines.level[last], -1)
    numbers = np.bincount(lines.entry[lines.numbered], minlength=count)
    own_total = np.zeros(count, dtype=bool)
    own_total[lines.entry[lines.total]] = True
    # TOTAL may be on its own line above the keys and numbers that it sums.
    announced = np.concatenate([[False], (own_total & (numbers == 0))[:-1]])
    announced &= np.concatenate([[-1], run[lines.line[first]][:-1]]) == run[lines.line[first]]
    total = own_total | announced
    size = np.array([len(w) for w in words], dtype=np.int64)[which]
    good = (last >= 0) & (deepest < size) & (total | (deepest == size - 1))
    bottom = np.where(own_total, deepest, deepest + 1)  # keys from here on are not named
    end = lines.line[np.maximum(last, 0)]
    lost = report_lines.damaged | report_lines.lost_rows
    lost[lines.line[lines.runs_on]] = True
    lost = np.cumsum(lost)
    perhaps, perhaps_level = _perhaps_keys(report_lines, lines, headings)
    names: dict[str, tuple[np.ndarray, list[str]]] = {}
    above = np.full(count, -1, dtype=np.int64)
    for level in range(int(size.max(initial=0))):
        labels = labelled[lines.level[labelled] == level]
        at = np.concatenate([lines.line[labels], perhaps[perhaps_level == level]])
        named = np.concatenate([~lines.total[labels], np.zeros(len(at) - len(labels), dtype=bool)])
        order = np.argsort(at)
        at, named = at[order], named[order]
        wanted = level < bottom
        if not len(at):
            good &= ~wanted
            continue
        k = np.searchsorted(at, end, side="right") - 1
        line = at[np.maximum(k, 0)]
        found = (
            (k >= 0) & named[np.maximum(k, 0)] & (run[line] == run[end]) & (lost[line] == lost[end]) & (line > above)
        )
        good &= found | ~wanted
        above = np.where(found & wanted, line, above)
        texts = _label_texts(report_lines, lines, at, headings)
        for number, order_words in enumerate(words):
            if level < len(order_words):
                ids, known = names.setdefault(order_words[level], (np.full(count, -1, dtype=np.int64), []))
                mine = (which == number) & found & wanted
                ids[mine] = k[mine] + len(known)
                known.extend(texts)
    return _Keys(good, total, names)


def _perhaps_keys(
    report_lines: ReportLines, lines: _Lines, headings: dict[int, _Heading]
) -> tuple[np.ndarray, np.ndarray]:
    """Unread lines that look like a key on its own line, and their levels: each may have been another key."""
    strange = np.flatnonzero(report_lines.kind == JUNK)
    at = np.searchsorted(lines.line, strange) - 1
    strange, at = strange[at >= 0], at[at >= 0]
    filled = report_lines.cells[strange] != BLANK
    level = np.full(len(strange), -1, dtype=np.int64)
    deepest = _deepest(lines.level, lines.heading)[at]
    for number, made in headings.items():
        mine = np.flatnonzero(lines.heading[at] == number)
        within = ~filled[mine, made.end :].any(axis=1) & ~filled[mine, : made.start].any(axis=1)
        begin = filled[mine].argmax(axis=1) - made.start
        level[mine] = np.where(within & (begin < deepest[mine]), begin, -1)
    return strange[level >= 0], level[level >= 0]


def _label_texts(report_lines: ReportLines, lines: _Lines, at: np.ndarray, headings: dict[int, _Heading]) -> list[str]:
    """The text over the keys' dashes on the lines `at`."""
    of = lines.heading[np.minimum(np.searchsorted(lines.line, at), len(lines.line) - 1)]
    ends = np.zeros(max(headings) + 1, dtype=np.int64)
    for number, made in headings.items():
        ends[number] = made.end
    table = pl.DataFrame({"text": report_lines.text.gather(at), "end": ends[of]})
    return table.select(pl.col("text").str.slice(0, pl.col("end")).str.strip_chars(" ")).to_series().to_list()


def _cut(
    report_lines: ReportLines,
    heading: Entries,
    lines: _Lines,
    headings: dict[int, _Heading],
    keys: _Keys,
    rejects: Rejects,
) -> CounterRows:
    """The cells of the entries with known keys; the others are rejects."""
    depth = np.zeros(max(headings) + 1, dtype=np.int64)
    for number, made in headings.items():
        depth[number] = len(made.layouts)
    count = len(keys.good)
    wanted = depth[lines.heading]
    numbers = np.bincount(lines.entry[lines.numbered], minlength=count)
    full = numbers[lines.entry] >= wanted
    good = lines.numbered & keys.good[lines.entry] & full & (lines.rank < wanted)
    announces = np.zeros(count, dtype=bool)
    announces[lines.entry[lines.total]] = True
    bare = (numbers == 0) & ~announces & (np.arange(count) < count - 1)
    _reject_entries(report_lines, lines, good, bare, keys, rejects)
    found: list[tuple[np.ndarray, ...]] = []
    cell_blocks: list[CellBlock] = []
    labels: dict[str, int] = {}
    wrong: list[tuple[np.ndarray, int, str, bool]] = []
    for number, made in headings.items():
        for rank, layout in enumerate(made.layouts):
            at = np.flatnonzero(good & (lines.heading == number) & (lines.rank == rank))
            if not len(at):
                continue
            cell_block, read = cells_of_numbers(report_lines.cells[lines.line[at]], lines.line[at], layout, wrong)
            cell_blocks.append(cell_block)
            for k, place in enumerate(layout.spans):
                mine = np.flatnonzero(read[:, k])
                label = np.full(len(mine), labels.setdefault(place.title, len(labels)), dtype=np.int64)
                panel = np.full(len(mine), k, dtype=np.int64)
                found.append(
                    (cell_block.line[mine], panel, label, lines.entry[at][mine], reasons_of(cell_block.cells[mine, k]))
                )
    reject_once(report_lines, wrong, rejects)
    if not found:
        return CounterRows.none()
    line, panel, label, entry, reason = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((panel, line))
    line, panel, label, entry, reason = (part[order] for part in (line, panel, label, entry, reason))
    none = np.full(len(line), -1, dtype=np.int64)
    texts = list(labels)
    return CounterRows(
        cell_blocks, line, panel, np.zeros(len(line), dtype=np.int64), label, label, none,
        _occurrence(keys, epochs(report_lines)[line], entry, label), reason, np.zeros(len(line), dtype=bool), [heading.title], texts, texts, [],
        keys.total[entry], {word: (ids[entry], known) for word, (ids, known) in keys.names.items()}, [()],
    )  # fmt: skip


def cells_of_numbers(
    block: np.ndarray, line: np.ndarray, layout: CellLayout, wrong: list[tuple[np.ndarray, int, str, bool]]
) -> tuple[CellBlock, np.ndarray]:
    """The cells of lines below the same titles, `block` their bytes, and bool per cell: it is a value of its column."""
    filled = block != BLANK
    count = len(layout.spans)
    cells = np.full((len(line), count, numbers.CELL_WIDTH), BLANK, dtype=np.uint8)
    suspect = np.zeros((len(line), count), dtype=bool)
    some: np.ndarray = np.zeros_like(suspect)
    good: np.ndarray = np.zeros_like(suspect)
    for k, place in enumerate(layout.spans):
        cell = block[:, place.start : place.end]
        cells[:, k] = padded(cell)
        some[:, k] = (cell != BLANK).any(axis=1)
        good[:, k] = OF_A_VALUE[cell].all(axis=1)
        across = (
            (filled[:, place.start - 1] & filled[:, place.start]) if cell.shape[1] else np.zeros(len(line), dtype=bool)
        )
        short = some[:, k] & (cell[:, -1] == BLANK) if cell.shape[1] == place.end - place.start else some[:, k]
        far = (cell[:, : -numbers.CELL_WIDTH] != BLANK).any(axis=1)
        suspect[:, k] |= across | short | far
        if k:
            suspect[across, k - 1] = True
        title = place.title or "a column without a title here"
        wrong.append((line[across], place.start - 1, f"a value straddles the border of {title}", False))
        wrong.append((line[short], place.end - 1, f"a value is not right-aligned with column {title}", False))
        wrong.append((line[far], place.start, f"text far from its title {title}", False))
        strange = some[:, k] & ~good[:, k] if place.targets else some[:, k]
        wrong.append((line[strange], place.start, f"not a value of {title}", False))
    beyond = filled[:, layout.spans[-1].end :]
    outside = beyond.any(axis=1)
    suspect[:, -1] |= beyond[:, :1].any(axis=1)
    wrong.append((line[outside], layout.spans[-1].end, "text outside the columns", False))
    # A value under no title: the line belongs to another layout. None under a title: the others may be those of the columns beside.
    untitled = np.array([not p.targets for p in layout.spans])
    missing = ~(some | untitled)
    wrong.append((line[missing.any(axis=1)], layout.spans[0].start, "a number is missing", False))
    suspect |= ((some & untitled) | missing).any(axis=1, keepdims=True)
    return CellBlock(line, layout, cells, suspect if suspect.any() else None), some & good & ~suspect & ~untitled


def _reject_entries(
    report_lines: ReportLines, lines: _Lines, good: np.ndarray, bare: np.ndarray, keys: _Keys, rejects: Rejects
) -> None:
    """One reject per unread entry, and for keys without numbers."""
    unread = np.flatnonzero((lines.numbered & ~good) | bare[lines.entry])
    _, first, many = np.unique(lines.entry[unread], return_index=True, return_counts=True)
    at = unread[first]
    name = report_lines.report.name
    what = [
        f"{name}: keys without numbers" if bare[entry]
        else f"{name}: the keys of {n} lines are unknown" if not keys.good[entry]
        else f"{name}: {n} lines do not form one entry"
        for entry, n in zip(lines.entry[at].tolist(), many.tolist(), strict=True)
    ]  # fmt: skip
    expected = "an entry with one line per line of titles, below its keys"
    hint = "a line of the entry is missing or damaged"
    rejects.add(report_lines, lines.line[at], what, expected, hint, lines=many, unread=lines.line[unread])


def _occurrence(keys: _Keys, epoch: np.ndarray, entry: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Per row: how often its keys have had its label so far in its epoch, including itself."""
    return cumcount(
        epoch, label, keys.total[entry], *(dense_ids(ids[entry], known) for ids, known in keys.names.values())
    )
