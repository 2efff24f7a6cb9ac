"""Cut listings: rows of texts and numbers under titles; an entry has as many lines as the heading has lines of titles. Texts under titles
declared as keys identify the entry; texts under titles declared as values, and all numbers, are counters labelled by their titles.

Dashes below the titles set the columns. A heading without dashes is one line: texts begin with their titles, numbers end with them. A
listing may be a box (bars at both ends of its lines) that belongs to the entry above.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from ..declaration.layouts import Listing
from ..declaration.places import Counter
from ..declaration.report import Report
from ..frozen import frozen
from . import null_reasons, numbers
from .array_ids import cumcount, dense_ids
from .carried_names import CarriedNames
from .cells import BLANK, CellBlock, CellLayout, CellSpan
from .cut_columns import read_headings, under_places
from .cut_counters import MOST_BETWEEN, CounterRows, epochs, reasons_of, reject_once
from .cut_entries import cells_of_numbers
from .headings import is_rule, over_runs
from .line_kinds import JUNK
from .rejects import Rejects
from .report_lines import ReportLines

# A text may be wider than its title: TYPE over PACKAGE.
_NARROWEST_TEXT = 8
_BARS = np.frombuffer(b"|!", np.uint8)


@frozen()
class _Text:
    """A column of texts: columns [start, end) of the line, its number among the columns."""

    title: str
    start: int
    end: int
    panel: int
    is_key: bool


@frozen()
class _Line:
    """One line of an entry: numbers (places in order, without targets if the line has no title) and texts."""

    layout: CellLayout
    texts: tuple[_Text, ...]


@frozen()
class _Listing:
    """A parsed heading: one `_Line` per line of titles, words over no column, and the column that marks the first line of an entry (None if
    every line is an entry)."""

    lines: tuple[_Line, ...]
    unknown: tuple[str, ...]
    opening: _Text | None


@cache
def _text_titles(report: Report, heading: Listing) -> dict[str, bool]:
    """Titles over texts, and whether these are keys."""
    tables = [t for t in report.tables if set(t.rows) & set(heading.rows)]
    places = [p for t in tables for c in t.columns for p in c.places if isinstance(p, Counter)]
    return {title: p.part == "key" for p in places if p.part in ("key", "value") for title in p.of}


@lru_cache(maxsize=4096)
def listing_heading(report: Report, heading: Listing, lines: tuple[str, ...], width: int) -> _Listing | None:
    """None if a line of the heading is missing, or the title that marks the start of an entry."""
    titles = [line for line in lines if not is_rule(line)]
    rules = [line for line in lines if is_rule(line)]
    if len(titles) < heading.depth or len(rules) > 1 or (not rules and len(titles) > 1):
        return None
    text_titles = _text_titles(report, heading)
    bare = titles[0].replace("|", " ").replace("!", " ")
    runs = [m.span() for m in (re.finditer("-+", rules[0]) if rules else re.finditer(r"\S+(?: \S+)*", bare))]
    targets = {place.title: target for place, target, _ in under_places(report, heading)}
    made, unknown, opening = [], [], None
    for printed in titles:
        words, astray = over_runs(printed if rules else bare, runs)
        unknown += astray
        of_line = [" ".join(w) for w in words]
        places, texts, before = [], [], runs[0][0]
        for k, (title, (start, end)) in enumerate(zip(of_line, runs, strict=True)):
            following = runs[k + 1][0] if k + 1 < len(runs) else width
            if title in text_titles:
                beside = k + 1 < len(runs) and of_line[k + 1] in text_titles
                before = following if beside else end if rules else min(max(end, start + _NARROWEST_TEXT), following)
                texts.append(_Text(title, start, before, k, text_titles[title]))
                continue
            target = targets.get("#*" if title.startswith("#") else "*") if title else None
            places.append(CellSpan(before, end, (target,) if target else (), k, (), title, edge=end, exact=True))
            before = end
        if not places or not texts:
            return None
        made.append(_Line(CellLayout.of(places, 1e-3), tuple(texts)))
        if heading.first_line_title:
            opening = opening or next(
                (t for t in texts if len(made) == 1 and re.search(heading.first_line_title, t.title)), None
            )
    if len(made) > 1 and opening is None:
        return None
    return _Listing(tuple(made), tuple(unknown), opening)


@dataclass
class _Entries:
    """The lines of entries, one array element each: heading, entry, position within the entry; and bool per entry: it is complete."""

    line: np.ndarray
    cells: np.ndarray
    heading: np.ndarray
    entry: np.ndarray
    rank: np.ndarray
    good: np.ndarray


def cut_listing(
    report_lines: ReportLines, heading: Listing, rejects: Rejects, so_far: CounterRows | None
) -> CounterRows:
    """All numbers and value texts, one row each. `so_far`: rows of entries that a box may belong to."""
    rows = report_lines.lines_of(heading.rows)
    if not len(rows):
        return CounterRows.none()
    which, listings = read_headings(report_lines, heading, rows, listing_heading, rejects)
    known = np.isin(which, list(listings))
    if not known.any():
        return CounterRows.none()
    lines = _entries(report_lines, rows[known], which[known], listings)
    so_far = CounterRows.none() if so_far is None else so_far
    owner = _owners(report_lines, heading, lines, so_far) if heading.inherit_keys_below else None
    return _cut(report_lines, heading, lines, listings, owner, so_far, rejects)


def _entries(report_lines: ReportLines, line: np.ndarray, which: np.ndarray, listings: dict[int, _Listing]) -> _Entries:
    """Lines with their entries, bars blanked."""
    cells = _without_bars(report_lines.cells[line])
    opens = np.ones(len(line), dtype=bool)
    depth = np.ones(len(line), dtype=np.int64)
    for number, made in listings.items():
        mine = np.flatnonzero(which == number)
        depth[mine] = len(made.lines)
        if made.opening:
            at = made.opening
            opens[mine] = (
                numbers.texts(cells[mine, at.start : at.end]).str.contains(r"[0-9]:[0-9]{2}:[0-9]{2}").to_numpy()
            )
    starts = opens | (np.diff(which, prepend=-1) != 0) | (np.diff(report_lines.page_index[line], prepend=-1) != 0)
    entry = np.cumsum(starts) - 1
    begin = np.flatnonzero(starts)
    rank = np.arange(len(line)) - begin[entry]
    last = np.minimum(begin + depth[begin] - 1, len(line) - 1)
    strange = np.cumsum(report_lines.kind == JUNK)
    good = (
        opens[begin]
        & (np.bincount(entry) >= depth[begin])
        & (strange[line[last]] - strange[line[begin]] <= MOST_BETWEEN)
    )
    rank[rank >= depth] = -1
    return _Entries(line, cells, which, entry, rank, good)


def _without_bars(cells: np.ndarray) -> np.ndarray:
    """The cells without the bars at both ends of a line."""
    cells = cells.copy()
    at = np.arange(len(cells))
    for end in ((cells != BLANK).argmax(axis=1), cells.shape[1] - 1 - (cells[:, ::-1] != BLANK).argmax(axis=1)):
        cells[at, end] = np.where(np.isin(cells[at, end], _BARS), BLANK, cells[at, end])
    return cells


def _owners(report_lines: ReportLines, heading: Listing, lines: _Entries, so_far: CounterRows) -> np.ndarray:
    """Per entry: the row of `so_far` with its keys, or -1 if the entry above was not read or lines between were lost."""
    run = CarriedNames(report_lines).run
    first = lines.line[np.flatnonzero(np.diff(lines.entry, prepend=-1) != 0)]
    above = report_lines.nearest(heading.inherit_keys_below, first)
    at = np.searchsorted(so_far.line, above, side="right") - 1
    lost = np.cumsum(report_lines.damaged | report_lines.lost_rows)
    good = (above >= 0) & (at >= 0) & (run[above] == run[first]) & (lost[above] == lost[first])
    if len(so_far.line):
        good &= so_far.line[np.maximum(at, 0)] == above
    return np.where(good, at, -1)


def _cut(
    report_lines: ReportLines,
    heading: Listing,
    lines: _Entries,
    listings: dict[int, _Listing],
    owner: np.ndarray | None,
    so_far: CounterRows,
    rejects: Rejects,
) -> CounterRows:
    count = len(lines.good)
    good = lines.good if owner is None else lines.good & (owner >= 0)
    keys: dict[str, tuple[np.ndarray, list[str]]] = {}
    cell_blocks: list[CellBlock] = []
    labels: dict[str, int] = {}
    value_texts: list[str] = []
    wrong: list[tuple[np.ndarray, int, str, bool]] = []
    texts = []  # (at, text, texts read)
    for number, made in listings.items():
        for rank, of_line in enumerate(made.lines):
            at = np.flatnonzero((lines.heading == number) & (lines.rank == rank))
            filled = lines.cells[at] != BLANK
            if len(report_lines.cut):
                printed = report_lines.text.gather(lines.line[at]).str.len_chars().to_numpy()
                cut = np.isin(lines.line[at], report_lines.cut) & (printed <= of_line.texts[-1].end)
                good[lines.entry[at[cut]]] = False
            for text in of_line.texts:
                across = np.zeros(len(at), dtype=bool)
                for border in (text.start, text.end):
                    if 0 < border < filled.shape[1]:
                        across |= filled[:, border - 1] & filled[:, border]
                first_of_all = rank == 0 and text is of_line.texts[0]
                unnamed = ~filled[:, text.start : text.end].any(axis=1) & first_of_all
                good[lines.entry[at[across | unnamed]]] = False
                texts.append((at, text, numbers.texts(lines.cells[at, text.start : text.end]).to_list()))
    found: list[tuple[np.ndarray, ...]] = []

    def add(at: np.ndarray, panel: int, title: str, reason: np.ndarray, value: np.ndarray) -> None:
        label = np.full(len(at), labels.setdefault(title, len(labels)), dtype=np.int64)
        found.append((lines.line[at], np.full(len(at), panel, dtype=np.int64), label, lines.entry[at], reason, value))

    for at, text, read in texts:
        some = np.array([bool(t) for t in read], dtype=bool) & good[lines.entry[at]]
        if text.is_key:
            ids, known = keys.setdefault(text.title, (np.full(count, -1, dtype=np.int64), []))
            ids[lines.entry[at[some]]] = np.flatnonzero(some) + len(known)
            known.extend(read)
        else:
            mine = at[some]
            nothing = np.full(len(mine), null_reasons.BLANK, dtype=np.uint8)
            add(mine, text.panel, text.title, nothing, np.flatnonzero(some) + len(value_texts))
            value_texts.extend(read)
    for number, made in listings.items():
        for rank, of_line in enumerate(made.lines):
            at = np.flatnonzero(good[lines.entry] & (lines.heading == number) & (lines.rank == rank))
            if not len(at):
                continue
            cell_block, read = cells_of_numbers(lines.cells[at], lines.line[at], of_line.layout, wrong)
            cell_blocks.append(cell_block)
            for k, place in enumerate(of_line.layout.spans):
                mine = np.flatnonzero(read[:, k])
                none = np.full(len(mine), -1, dtype=np.int64)
                add(at[mine], place.panel, place.title, reasons_of(cell_block.cells[mine, k]), none)
    report_lines.used[lines.line[good[lines.entry]]] = True
    _reject(report_lines, lines, good, owner, rejects)
    reject_once(report_lines, wrong, rejects)
    if not found:
        return CounterRows.none()
    line, panel, label, entry, reason, value = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((panel, line))
    line, panel, label, entry, reason, value = (part[order] for part in (line, panel, label, entry, reason, value))
    of_rows = {word: (ids[entry], known) for word, (ids, known) in keys.items()}
    total = np.zeros(len(line), dtype=bool)
    if owner is not None:
        above = owner[entry]
        total = so_far.total[above]
        of_rows |= {word: (ids[above], known) for word, (ids, known) in so_far.keys.items() if word not in of_rows}
    occurrence = cumcount(epochs(report_lines)[line], label, total, *(dense_ids(*named) for named in of_rows.values()))
    words = list(labels)
    return CounterRows(
        cell_blocks, line, panel, np.zeros(len(line), dtype=np.int64), label, label, value, occurrence, reason,
        np.zeros(len(line), dtype=bool), [heading.title], words, words, value_texts, total, of_rows, [()],
    )  # fmt: skip


def _reject(
    report_lines: ReportLines, lines: _Entries, good: np.ndarray, owner: np.ndarray | None, rejects: Rejects
) -> None:
    """One reject per unread entry, and one per box of an unknown entry."""
    nobodys = np.zeros(len(good), dtype=bool) if owner is None else lines.good & (owner < 0)
    unread = np.flatnonzero(~good[lines.entry] | (lines.rank < 0))
    if not len(unread):
        return
    lost = nobodys[lines.entry[unread]]
    follows = np.concatenate(
        [[False], lost[1:] & lost[:-1] & (np.diff(unread) == 1) & (np.diff(report_lines.unit[lines.line[unread]]) == 0)]
    )
    follows |= np.diff(lines.entry[unread], prepend=-1) == 0
    first = np.flatnonzero(~follows)
    many = np.diff(np.append(first, len(unread)))
    at = unread[first]
    name = report_lines.report.name
    what = [
        f"{name}: cannot find the entry of {n} lines" if nobody
        else f"{name}: {n} lines do not form one entry"
        for nobody, n in zip(lost[first].tolist(), many.tolist(), strict=True)
    ]  # fmt: skip
    expected = "an entry with one line per line of titles, its names under their titles"
    hint = "a line of the entry is missing or damaged"
    rejects.add(report_lines, lines.line[at], what, expected, hint, lines=many, unread=lines.line[unread])
