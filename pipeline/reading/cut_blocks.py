"""Cut blocks of labelled cells: the label at the left of a cell names its value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np

from ..declaration.layouts import LabelledBlock
from ..declaration.places import Cell
from ..declaration.report import Report
from . import compiled
from .cells import (
    BLANK,
    IS_SUFFIX,
    CellBlock,
    CellLayout,
    CellSpan,
    Target,
    clock_unit,
    heading_runs,
    padded,
    unknown_titles,
)
from .headings import Group, block_groups
from .line_kinds import faults_told
from .numbers import texts
from .rejects import Rejects
from .report_lines import ReportLines

# A label may begin a column or two right of its group's title.
_MOST_SHIFT = 2
# A value counts as cut if this many times more values of its column end farther right than at its end.
_MOST_UNUSUAL = 3
# No label: a value of the group in front runs into this one; there is none, or it runs into the group behind, which says so; it is not known.
_RUN_OVER, _UNKNOWN = -3, -1


@cache
def block_labels(report: Report) -> dict[str, dict[str, list[tuple[str, Target]]]]:
    """Group title → label → (sub-column title, target), from every Cell of the report."""
    out: dict[str, dict[str, list[tuple[str, Target]]]] = {}
    for table in report.tables:
        for column in table.columns:
            for place in column.places:
                if isinstance(place, Cell):
                    labels = out.setdefault(place.group, {})
                    labels.setdefault(place.label, []).append(
                        (place.under, Target(table, column, of_place=place.decimals))
                    )
    return out


@lru_cache(maxsize=4096)
def block_heading(report: Report, heading: str) -> tuple[list[Group], list[str]]:
    labels = block_labels(report)
    subtitles = {g: [u for places in by.values() for u, _ in places if u] for g, by in labels.items()}
    return block_groups(heading, labels, {g: list(dict.fromkeys(names)) for g, names in subtitles.items()})


def cut_block(report_lines: ReportLines, heading: LabelledBlock, rejects: Rejects) -> Iterator[CellBlock]:
    """All labelled cells."""
    rows = report_lines.lines_of(heading.rows)
    if not len(rows):
        return
    first, which, headings = heading_runs(report_lines, heading, rows)
    labels = block_labels(report_lines.report)
    known = np.zeros(len(rows), dtype=bool)
    strange: list[tuple[np.ndarray, int, Group]] = []
    running_over: list[tuple[np.ndarray, Group]] = []
    beyond: list[np.ndarray] = []
    width = report_lines.cells.shape[1]
    for number, texts_above in enumerate(headings):
        mine = which == number
        if not mine.any():
            continue
        lines, runs = rows[mine], first[mine]
        groups, unknown = block_heading(report_lines.report, texts_above[-1])
        if unknown:
            unknown_titles(report_lines, runs, unknown, list(labels), rejects)
        block = report_lines.cells[lines]
        ends = width - (block[:, ::-1] != BLANK).argmax(axis=1)
        # Such a row is of another heading.
        is_wider = ends > max((group.end for group in groups), default=width)
        beyond.append(lines[is_wider])
        if is_wider.any():
            mine[mine] = ~is_wider
            lines, runs, block, ends = lines[~is_wider], runs[~is_wider], block[~is_wider], ends[~is_wider]
        known_here = np.zeros(len(lines), dtype=bool)
        # Cells below unknown titles were reported with the heading.
        groups = [group for group in groups if group.title]
        of_groups = _labels(block, [(group, _by_length(labels, group.title)) for group in groups], _MOST_SHIFT)
        for group, found in zip(groups, of_groups, strict=True):
            if group.is_cut:
                _reject_cut_title(report_lines, runs, group, rejects)
                continue
            cell_blocks, missing, over = _cut_group(
                block, lines, runs, group, found, labels, heading.embedded_groups, report_lines, rejects
            )
            if ((ends > group.start) & (ends < group.edge)).any():
                cell_blocks = _without_cut_values(report_lines, lines, block, ends, cell_blocks, rejects)
            for cell_block, at in cell_blocks:
                known_here[at] = True
                yield cell_block
            strange.extend(missing)
            running_over.append((over, group))
        known[mine] = known_here
    known_line = np.zeros(len(report_lines.kind), dtype=bool)
    known_line[rows[known]] = True
    for over, group in running_over:
        lines = over[known_line[over]]
        what = f"a value extends into column {group.title}"
        rejects.add(report_lines, lines, what, "a blank between the columns", column=group.start)
    unread = [*beyond, *(over[~known_line[over]] for over, _ in running_over)]
    _report_strange(report_lines, strange, unread, known_line, labels, rejects)


def _cut_group(block, lines, runs, group, found, labels, switch, report_lines, rejects):
    """Cells of one group under a heading, by the labels found: [(cell block, indexes into lines)], cells with unknown labels, and
    lines on which the value before runs into the group."""
    width = block.shape[1]
    over, left = lines[found == _RUN_OVER], found >= _UNKNOWN
    if not left.any():
        return [], [], over
    cells = block[:, group.start : min(group.end, width)]
    title = np.zeros(len(lines), dtype=np.int64)
    titles = [group.title, *switch]
    for number, other in enumerate(switch, start=1):
        if other not in labels or group.title == other:
            continue
        dashed = np.flatnonzero(left & (cells[:, 0] == ord("-")))
        if len(dashed):
            words = texts(padded(cells[dashed])).str.strip_chars("-–").to_numpy()
            switched = dashed[words == other]
            left[switched] = False
            turn = np.full(len(lines), -1, dtype=np.int64)
            turn[switched] = lines[switched]
            title[np.maximum.accumulate(turn) >= runs] = number
    for other in switch:
        own, others = labels.get(group.title, {}).keys(), labels.get(other, {}).keys()
        if not own & others:
            continue
        # Without the title, a label that two groups share is ambiguous.
        lost = np.full(len(lines), -1, dtype=np.int64)
        strange = (_labels(block, [(group, sorted(others - own))], 0)[0] >= 0) & left & (title == 0)
        lost[strange] = lines[strange]
        title[(np.maximum.accumulate(lost) >= runs) & (title == 0)] = len(titles)
    cell_blocks = []
    for number, name in enumerate(titles):
        here = left & (title == number) if len(titles) > 1 else left
        if not here.any():
            continue
        by_length, unit = _by_length(labels, name), clock_unit(group.printed)
        of_name = found if number == 0 else _labels(block, [(group, by_length)], _MOST_SHIFT)[0]
        here = here & (of_name >= 0)
        for key in np.unique(of_name[here]).tolist():
            shift, label = key // len(by_length), by_length[key % len(by_length)]
            matched = np.flatnonzero(here & (of_name == key))
            left[matched] = False
            for sub, target in labels[name][label]:
                extent = _value_extent(group, sub, group.start + shift + len(label), width)
                if extent:
                    # Numbers of other labels end below these.
                    filled_at = np.flatnonzero((block[matched, extent[0] : extent[1]] != BLANK).any(axis=0))
                    end = extent[0] + int(filled_at.max(initial=0)) + 1
                    value = padded(block[matched, extent[0] : end])
                    cell_block = CellBlock(
                        lines[matched], _layout(*extent, group.edge, target, unit, end), value[:, None]
                    )
                    across = _across(block[matched], group, extent) if sub else np.zeros(len(matched), dtype=bool)
                    if across.any():
                        cell_block = replace(cell_block, suspect=across[:, None])
                        # Its extent is ambiguous.
                        what, at = f"a value straddles the border of {sub}", cell_block.line[across]
                        rejects.add(report_lines, at, what, "a blank between the columns", column=extent[0])
                    cell_blocks.append((cell_block, matched))
    missing = [
        (lines[np.flatnonzero(left & (title == n))], group.start, Group(t, "", group.start, group.end))
        for n, t in enumerate([*titles, group.title])
        if (left & (title == n)).any()
    ]
    return cell_blocks, missing, over


@lru_cache(maxsize=16384)
def _layout(start: int, end: int, edge: int, target: Target, unit: float, cells_end: int) -> CellLayout:
    return CellLayout.of([CellSpan(start, end, (target,), edge=edge, cells_end=cells_end)], unit)


def _value_extent(group: Group, sub: str, start: int, width: int) -> tuple[int, int] | None:
    """Columns [start, end) of the value after a label, or of its sub-column; None if the heading does not have it."""
    if not sub and not group.sub:
        return start, min(group.end, width)
    edges = dict(group.sub)
    if sub not in edges:
        return None
    before = [end for _, end in group.sub if end < edges[sub]]
    last = edges[sub] == group.sub[-1][1]
    return max([start, *before]), min(edges[sub] + (1 if last else 0), width)


def _across(block: np.ndarray, group: Group, extent: tuple[int, int]) -> np.ndarray:
    """Bool per line: a value crosses the border between the cell [start, end) and another sub-column."""
    borders = [at for at in extent if at in {end for _, end in group.sub} and at < block.shape[1]]
    return np.any([(block[:, at - 1] != BLANK) & (block[:, at] != BLANK) for at in borders] or [[False]], axis=0)


def _by_length(labels: dict[str, dict[str, list[tuple[str, Target]]]], title: str) -> list[str]:
    """The labels of a group, the longest first."""
    return sorted(labels.get(title, ()), key=len, reverse=True)


def _labels(block: np.ndarray, groups: Sequence[tuple[Group, Sequence[str]]], shift: int) -> list[np.ndarray]:
    """Per group and line the index of the first of some labels that the group begins with, or of those behind up to `shift` blanks, then as many
    more for each blank as there are labels; or one of the numbers above."""
    with faults_told():
        found = compiled.labels(block, block.shape[1], [(g.start, g.end, some) for g, some in groups], shift)
    return [np.frombuffer(of_group, np.int64) for of_group in found]


def _reject_cut_title(report_lines: ReportLines, runs: np.ndarray, group: Group, rejects: Rejects) -> None:
    """One reject per heading that ends within its last title: its values may be cut too."""
    line = np.unique(runs[runs >= 0])
    what = f"{report_lines.report.name}: the heading is truncated within title {group.title}; its cells are not read"
    expected, hint = f"the complete title {group.title}", "the page may be truncated on the right"
    rejects.add(report_lines, line, what, expected, hint, column=group.edge)


def _without_cut_values(
    report_lines: ReportLines,
    lines: np.ndarray,
    block: np.ndarray,
    ends: np.ndarray,
    cell_blocks: list[tuple[CellBlock, np.ndarray]],
    rejects: Rejects,
) -> list[tuple[CellBlock, np.ndarray]]:
    """The cell blocks of a group without values that may be cut: those at the end of a line, left of where the group's values end in its file.

    block: the lines. ends: length of each. cell_blocks: each with its indexes into these lines."""
    counts: dict[int, np.ndarray] = {}
    segments, of = np.unique(report_lines.segment[lines], return_inverse=True)
    of_sheet = []
    for cell_block, at in cell_blocks:
        (place,) = cell_block.layout.spans
        cells = block[at, place.start : place.end]
        size = cells.shape[1] - (cells[:, ::-1] != BLANK).argmax(axis=1)
        end = place.start + size - IS_SUFFIX[cells[np.arange(len(at)), size - 1]]
        end[(cells == BLANK).all(axis=1)] = 0
        of_sheet.append(end)
        many = counts.setdefault(place.end, np.zeros((len(segments), block.shape[1] + 1), dtype=np.int64))
        np.add.at(many, (of[at], end), 1)
        many[:, 0] = 0
    out = []
    for (cell_block, at), end in zip(cell_blocks, of_sheet, strict=True):
        (place,) = cell_block.layout.spans
        many = counts[place.end]
        usual = (many.shape[1] - 1 - many[:, ::-1].argmax(axis=1))[of[at]]
        times = many[of[at], end], many[of[at], usual]
        # A few values show no usual end, except those that end with the title.
        short = (end < place.edge - 1) & (usual >= place.edge - 1)
        cut = (end > 0) & (end < usual) & (end == ends[at]) & (short | (_MOST_UNUSUAL * times[0] <= times[1]))
        if cut.any():
            what = f"the line ends within {place.targets[0].column.name}: its value may be truncated"
            expected = "a number aligned with those of other lines"
            rejects.add(report_lines, cell_block.line[cut], what, expected, column=end[cut] - 1)
            cell_block = replace(cell_block, suspect=cut[:, None])
        out.append((cell_block, at))
    return out


def _report_strange(report_lines, strange, unread, known_line, labels, rejects) -> None:
    """One reject per line without any known label, and one per unknown label among known ones. `unread`: lines of which nothing is read
    because every value crosses a border, or values stand right of all titles."""
    whole: list[np.ndarray] = list(unread)
    for lines, column, group in strange:
        partly = known_line[lines]
        some = lines[partly]
        if len(some):
            expected = ", ".join(sorted(labels.get(group.title, ())))
            rejects.add(report_lines, some, f"unknown label under {group.title}", expected, column=column)
        whole.append(lines[~partly])
    junk = np.unique(np.concatenate(whole)) if whole else np.zeros(0, dtype=np.int64)
    if len(junk):
        # Consecutive lines are one reject: rows below a missing heading come together.
        first = report_lines.one_below_another(junk)
        lines = np.diff(np.append(first, len(junk)))
        at = junk[first]
        what, expected = f"{report_lines.report.name}: unexpected line", "a row of labelled cells under the heading"
        column = (report_lines.cells[at] != BLANK).argmax(axis=1)
        rejects.add(report_lines, at, what, expected, column=column, lines=lines, unread=junk)
