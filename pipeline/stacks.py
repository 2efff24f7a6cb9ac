"""Cutting tables: cells stand under stacked titles, panel by panel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from .declaration import Column, Heading, Report, Under
from .frame import Frame
from .layout import HeadingColumn, heading_columns
from .rejects import Rejects
from .sheets import BLANK, Layout, Place, Sheet, Target, heading_runs, spread_target, unknown_titles
from .values import CELL_WIDTH


@cache
def under_places(report: Report, heading: Heading) -> tuple[tuple[Under, Target, bool], ...]:
    """(place, target, whether its column holds text) for each Under that reads lines below this heading."""
    out = []
    for table in report.tables:
        for column in table.columns:
            for place in column.places:
                if isinstance(place, Under) and set(heading.rows) & set((place.line,) if place.line else table.rows):
                    is_text = column.type.reader in ("text", "flag")
                    out.append(
                        (place, Target(table, column, place.pattern, place.line, place.reach), is_text)
                    )
    return tuple(out)


@dataclass(frozen=True)
class _Stack:
    """A heading worked out: the layout of what is read, the indexes of their bytes on the line (-1: a blank), the borders
    between columns that no value may cross with the places at either side, and titles that nobody declares."""

    layout: Layout
    index: np.ndarray
    borders: tuple[tuple[int, str, str, tuple[int, ...]], ...]
    unknown: tuple[str, ...]


@lru_cache(maxsize=4096)
def _stack(report: Report, heading: Heading, above: tuple[str, ...], width: int) -> _Stack:
    declared = under_places(report, heading)
    phrases = {p.title for p, _, _ in declared} | {p.group for p, _, _ in declared}
    widths: dict[str, int] = {}
    for place, _, is_text in declared:
        if is_text or place.width:
            widths[place.title] = max(place.width, widths.get(place.title, 0))
    columns = heading_columns(above, phrases, widths, heading.ignored, heading.panels)
    to_spread = spread_target(report, heading.rows)
    spread_from = _spread_from(columns, to_spread)
    places: list[Place] = []
    number: dict[int, int] = {}
    unknown = []
    for k, column in enumerate(columns):
        targets: dict[Column, Target] = {}
        for place, target, _ in declared:
            if column.named(place.title, place.group):
                targets.setdefault(target.column, target)
        spread = not targets and column.start >= spread_from and not column.ignored
        if targets or spread:
            number[k] = len(places)
            start, end = min(column.cut_start, width), min(column.cut_end, width)
            goes_to = (to_spread,) if spread and to_spread else tuple(targets.values())
            places.append(Place(start, end, goes_to, column.panel, tuple(column.groups), column.title, spread))
        elif not column.ignored and not heading.open:
            unknown.append(column.title)
    borders = []
    for k in range(1, len(columns)):
        beside = tuple(number[j] for j in (k - 1, k) if j in number)
        ignored = columns[k - 1].ignored or columns[k].ignored
        if beside and not ignored and 0 < columns[k].cut_start < width:
            borders.append((columns[k].cut_start, columns[k - 1].title, columns[k].title, beside))
    index = np.full((len(places), CELL_WIDTH), -1, dtype=np.int64)
    for k, place in enumerate(places):
        size = min(place.end - place.start, CELL_WIDTH)
        index[k, CELL_WIDTH - size :] = np.arange(place.end - size, place.end)
    unit = 1e-6 if any("FFFFFF" in c.title for c in columns) else 1e-3
    return _Stack(Layout.of(places, unit), index, tuple(borders), tuple(unknown))


def _spread_from(columns: list[HeadingColumn], target: Target | None) -> float:
    """Column of the line from which on unclaimed columns are spread into rows; infinite where none are."""
    spread = target.table.spread if target else None
    if spread is None:
        return float("inf")
    if not spread.after:
        return 0
    return next((c.end for c in columns if c.named(spread.after)), float("inf"))


def cut_columns(frame: Frame, heading: Heading, rejects: Rejects) -> Iterator[Sheet]:
    """All cells under stacked titles, the lines below equal headings together."""
    rows = frame.lines_of(heading.rows)
    if not len(rows):
        return
    first, which, headings = heading_runs(frame, heading, rows)
    # A blank in front of every line gives the padding of narrow cells something to point at.
    width = frame.cells.shape[1]
    order = np.argsort(which, kind="stable")
    ends = np.searchsorted(which[order], np.arange(len(headings)), side="right")
    starts = np.searchsorted(which[order], np.arange(len(headings)), side="left")
    for number, above in enumerate(headings):
        mine = order[starts[number] : ends[number]]
        if not len(mine):
            continue
        lines = rows[mine]
        stack = _stack(frame.report, heading, above, width)
        if stack.unknown:
            titles = sorted({p.title for p, _, _ in under_places(frame.report, heading)})
            unknown_titles(frame, first[mine], list(stack.unknown), titles, rejects)
        if not stack.layout.places:
            continue
        block = frame.cells[lines]
        cells = np.ascontiguousarray(block[:, stack.index])
        cells[:, stack.index < 0] = BLANK
        yield Sheet(lines, stack.layout, cells, _suspects(frame, block, lines, stack, rejects))


def _suspects(frame: Frame, block: np.ndarray, lines: np.ndarray, stack: _Stack, rejects: Rejects) -> np.ndarray | None:
    """Cells at a border that a value runs across: neither side can be trusted, and the reader is told."""
    if not stack.borders:
        return None
    at = np.array([b[0] for b in stack.borders])
    across = (block[:, at - 1] != BLANK) & (block[:, at] != BLANK)
    if not across.any():
        return None
    suspect = np.zeros((len(lines), len(stack.layout.places)), dtype=bool)
    for k in np.flatnonzero(across.any(axis=0)):
        border, left, right, beside = stack.borders[k]
        rows = np.flatnonzero(across[:, k])
        for place in beside:
            suspect[rows, place] = True
        what = [f"a value runs across the border of {left} and {right}"] * len(rows)
        expected = ["a blank between them"] * len(rows)
        hint = ["both cells are suspect; the page may have been edited or cut"] * len(rows)
        rejects.add(frame, lines[rows], np.full(len(rows), border - 1), what, expected, hint)
    return suspect
