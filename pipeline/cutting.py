"""Cutting cells out of a frame's lines: all lines under one heading at a time, all cells of a column at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import polars as pl

from .declaration import Cell, Heading, Report, Table, Under
from .frame import Frame
from .layout import Group, HeadingColumn, block_groups, heading_columns
from .rejects import Rejects
from .values import CELL_WIDTH, texts

_BLANK = ord(" ")


@dataclass(frozen=True)
class Target:
    """Where a cell's value goes: a column of a table, by name; `line` and `reach` as in `Under`."""

    table: str
    column: str
    pattern: str = ""
    line: str = ""
    reach: str = "own"


@dataclass(frozen=True)
class Cut:
    """Cells of one column under one heading. line, panel: where each stands; start, end: its extent on the line;
    cells: (n, CELL_WIDTH) bytes, right-aligned. `unit` is the worth of a bare integer where the heading names the unit of
    a clock. `suspect` cells run over their border and are not to be read. A column that no declaration claims (targets
    empty) has its titles in `groups` and `title`."""

    line: np.ndarray
    panel: int
    start: int
    end: int
    cells: np.ndarray
    targets: tuple[Target, ...]
    unit: float
    suspect: np.ndarray | None = None
    groups: tuple[str, ...] = ()
    title: str = ""


@cache
def block_labels(report: Report) -> dict[str, dict[str, list[tuple[str, Target]]]]:
    """Group title → label → (sub-column title, target), from every Cell of the report."""
    out: dict[str, dict[str, list[tuple[str, Target]]]] = {}
    for table in report.tables:
        for column in table.columns:
            for place in column.places:
                if isinstance(place, Cell):
                    labels = out.setdefault(place.group, {})
                    labels.setdefault(place.label, []).append((place.under, Target(table.name, column.name)))
    return out


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
                        (place, Target(table.name, column.name, place.pattern, place.line, place.reach), is_text)
                    )
    return tuple(out)


def heading_runs(
    frame: Frame, heading: Heading, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[tuple[str, ...]]]:
    """For each row line: the first line of its heading run, an index into the distinct headings (-1 for none), and these
    headings as texts of `heading.lines`, top to bottom."""
    kinds = (*heading.lines, *heading.above)
    member = frame.of_kind(kinds)
    claimed = np.flatnonzero(frame.kind >= 0)
    is_member = member[claimed]
    before = np.concatenate([[False], is_member[:-1]])
    same_unit = np.diff(frame.unit[claimed], prepend=-1) == 0
    run_starts = claimed[is_member & ~(before & same_unit)]
    nearest = frame.nearest(kinds)[rows]
    usable = (nearest >= 0) & (frame.unit[np.maximum(nearest, 0)] == frame.unit[rows])
    run = np.searchsorted(run_starts, nearest, side="right") - 1
    run = np.where(usable, run, -1)
    first = np.where(run >= 0, run_starts[np.maximum(run, 0)] if len(run_starts) else -1, -1)

    ids, words = frame.text_ids(heading.lines, headings=True)
    titled = np.flatnonzero(ids >= 0)
    run_of = np.searchsorted(run_starts, titled, side="right") - 1
    key = np.zeros(len(run_starts), dtype=np.int64)
    position = np.zeros(len(run_starts), dtype=np.int64)
    place_in_run = np.arange(len(titled)) - np.searchsorted(run_of, run_of, side="left")
    deepest = int(place_in_run.max()) + 1 if len(titled) else 0
    stacked = np.full((len(run_starts), max(deepest, 1)), -1, dtype=np.int64)
    stacked[run_of, place_in_run] = ids[titled]
    for depth in range(stacked.shape[1]):
        _, key = np.unique(key * (len(words) + 1) + stacked[:, depth] + 1, return_inverse=True)
        position += 1
    _, representative, distinct = np.unique(key, return_index=True, return_inverse=True)
    headings = [tuple(words[i] for i in stacked[r] if i >= 0) for r in representative]
    which = np.where(run >= 0, distinct[np.maximum(run, 0)] if len(run_starts) else -1, -1)
    return first, which, headings


@lru_cache(maxsize=4096)
def _block(report: Report, heading: str) -> tuple[list[Group], list[str]]:
    labels = block_labels(report)
    subtitles = {g: [u for places in by.values() for u, _ in places if u] for g, by in labels.items()}
    return block_groups(heading, labels, {g: list(dict.fromkeys(names)) for g, names in subtitles.items()})


@lru_cache(maxsize=4096)
def _columns(
    report: Report, heading: Heading, above: tuple[str, ...]
) -> list[tuple[HeadingColumn, tuple[Target, ...]]]:
    """Columns of a heading, each with its targets: of each declared column the first place that names it."""
    places = under_places(report, heading)
    phrases = {p.title for p, _, _ in places} | {p.group for p, _, _ in places}
    widths: dict[str, int] = {}
    for place, _, is_text in places:
        if is_text or place.width:
            widths[place.title] = max(place.width, widths.get(place.title, 0))
    columns = heading_columns(above, phrases, widths, heading.ignored, heading.panels)
    claimed = []
    for column in columns:
        targets: dict[tuple[str, str], Target] = {}
        for place, target, _ in places:
            if column.named(place.title, place.group):
                targets.setdefault((target.table, target.column), target)
        claimed.append((column, tuple(targets.values())))
    return claimed


def cut_block(frame: Frame, heading: Heading, rejects: Rejects) -> Iterator[Cut]:
    """Labelled cells: the label at the left of a group's cell says what the value is."""
    rows = np.flatnonzero(frame.of_kind(heading.rows))
    if not len(rows):
        return
    first, which, headings = heading_runs(frame, heading, rows)
    labels = block_labels(frame.report)
    known = np.zeros(len(rows), dtype=bool)
    strange: list[tuple[np.ndarray, int, Group]] = []
    for number, texts_above in enumerate(headings):
        mine = which == number
        if not mine.any():
            continue
        lines, runs = rows[mine], first[mine]
        groups, unknown = _block(frame.report, texts_above[-1])
        if unknown:
            _unknown_titles(frame, heading, runs, unknown, list(labels), rejects)
        block = frame.cells[lines]
        found = np.zeros(len(lines), dtype=bool)
        for group in groups:
            if not group.title:
                continue  # an unknown title: its cells were reported with the heading
            cuts, missing = _cut_group(block, lines, runs, group, labels, heading.switch, frame, rejects)
            for cut, at in cuts:
                found[at] = True
                yield cut
            strange.extend(missing)
        known[mine] = found
    known_line = np.zeros(len(frame.kind), dtype=bool)
    known_line[rows[known]] = True
    _report_strange(frame, strange, known_line, labels, rejects)


def _cut_group(block, lines, runs, group, labels, switch, frame, rejects):
    """Cells of one group over all lines of a heading: [(cut, indexes into lines)], and cells whose label is unknown."""
    width = block.shape[1]
    if group.start >= width:
        return [], []
    cells = block[:, group.start : min(group.end, width)]
    first_column = cells[:, 0]
    filled = (cells != _BLANK).any(axis=1)
    if group.start > 0:
        runs_over = (block[:, group.start - 1] != _BLANK) & (first_column != _BLANK)
        at = np.flatnonzero(runs_over)
        if len(at):
            what = [f"a value runs into the column of {group.title}"] * len(at)
            rejects.add(
                frame, lines[at], np.full(len(at), group.start), what, ["a blank between the columns"] * len(at)
            )
            filled = filled & ~runs_over
    title = np.zeros(len(lines), dtype=np.int64)
    titles = [group.title, *switch]
    left = filled.copy()
    for number, other in enumerate(switch, start=1):
        if other not in labels or group.title == other:
            continue
        dashed = np.flatnonzero(filled & (first_column == ord("-")))
        if len(dashed):
            words = texts(_padded(cells[dashed])).str.strip_chars("-–").to_numpy()
            switched = dashed[words == other]
            left[switched] = False
            turn = np.full(len(lines), -1, dtype=np.int64)
            turn[switched] = lines[switched]
            title[np.maximum.accumulate(turn) >= runs] = number
    cuts = []
    for number, name in enumerate(titles):
        here = left & (title == number) if len(titles) > 1 else left
        if not here.any():
            continue
        for label in sorted(labels.get(name, ()), key=len, reverse=True):
            for matched, shift in list(_labelled(cells, label, here)):
                left[matched] = False
                here[matched] = False
                for sub, target in labels[name][label]:
                    extent = _value_extent(group, sub, group.start + shift + len(label), width)
                    if extent:
                        value = _padded(block[matched, extent[0] : extent[1]])
                        unit = 1e-6 if "FFFFFF" in group.printed else 1e-3
                        cuts.append((Cut(lines[matched], 0, *extent, value, (target,), unit), matched))
    missing = [
        (lines[np.flatnonzero(left & (title == n))], group.start, Group(t, "", group.start, group.end))
        for n, t in enumerate(titles)
        if (left & (title == n)).any()
    ]
    return cuts, missing


def _value_extent(group: Group, sub: str, start: int, width: int) -> tuple[int, int] | None:
    """Columns [start, end) of the value behind a label, or of its sub-column; None where the heading lacks that one."""
    if not sub and not group.sub:
        return start, min(group.end, width)
    edges = dict(group.sub)
    if sub not in edges:
        return None
    before = [end for _, end in group.sub if end < edges[sub]]
    last = edges[sub] == group.sub[-1][1]
    return max([start, *before]), min(edges[sub] + (1 if last else 0), width)


def _labelled(cells: np.ndarray, label: str, among: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """(indexes, shift) of cells that begin with the label and no further letter, up to two columns in."""
    wanted = np.frombuffer(label.encode(), np.uint8)
    size = len(wanted)
    for shift in range(3):
        if cells.shape[1] < size + shift:
            return
        at = np.flatnonzero(among & (cells[:, shift] == wanted[0]))
        if not len(at):
            continue
        good = (cells[at, shift : shift + size] == wanted).all(axis=1)
        if shift:
            good &= (cells[at, :shift] == _BLANK).all(axis=1)
        if cells.shape[1] > size + shift:
            after = cells[at, shift + size]
            good &= ~(((after >= ord("A")) & (after <= ord("Z"))) | (after == ord("%")) | (after == ord("+")))
        if good.any():
            yield at[good], shift


def _padded(cells: np.ndarray) -> np.ndarray:
    """Cells of any width as (n, CELL_WIDTH), right-aligned."""
    count, width = cells.shape
    if width >= CELL_WIDTH:
        # Numbers stand at the right; blanks beyond them are cut first.
        while width > CELL_WIDTH and (cells[:, width - 1] == _BLANK).all():
            width -= 1
        return np.ascontiguousarray(cells[:, max(width - CELL_WIDTH, 0) : width])
    out = np.full((count, CELL_WIDTH), _BLANK, dtype=np.uint8)
    out[:, CELL_WIDTH - width :] = cells
    return out


def _unknown_titles(frame, heading, runs, unknown, known, rejects) -> None:
    """One reject a batch and distinct heading for titles that no column declares: what stands below is not read."""
    line = np.array([int(runs[runs >= 0].min())])
    what = [f"{frame.report.name}: unknown column title {' '.join(unknown)}"]
    expected = [", ".join(sorted(known))]
    hint = ["the cells under it are not read; please report this layout"]
    rejects.add(frame, line, np.zeros(1, dtype=np.int64), what, expected, hint)


def _report_strange(frame, strange, known_line, labels, rejects) -> None:
    """A line without any known label is one reject; a strange label among known ones is one of its own."""
    whole: list[np.ndarray] = []
    for lines, column, group in strange:
        partly = known_line[lines]
        some = lines[partly]
        if len(some):
            expected = ", ".join(sorted(labels.get(group.title, ())))
            count = len(some)
            what = [f"unknown label under {group.title}"] * count
            rejects.add(frame, some, np.full(count, column), what, [expected] * count)
        whole.append(lines[~partly])
    junk = np.unique(np.concatenate(whole)) if whole else np.zeros(0, dtype=np.int64)
    if len(junk):
        first = frame.cells[junk] != _BLANK
        what = [f"{frame.report.name}: unexpected line"] * len(junk)
        expected = ["a row of labelled cells under the heading"] * len(junk)
        rejects.add(frame, junk, first.argmax(axis=1), what, expected, whole_line=True)


def cut_columns(frame: Frame, heading: Heading, rejects: Rejects) -> Iterator[Cut]:
    """Cells under stacked titles, panel by panel."""
    rows = np.flatnonzero(frame.of_kind(heading.rows))
    if not len(rows):
        return
    places = under_places(frame.report, heading)
    first, which, headings = heading_runs(frame, heading, rows)
    spread = [t for t in frame.report.tables if t.spread and set(t.rows) & set(heading.rows)]
    for number, lines_above in enumerate(headings):
        mine = which == number
        if not mine.any():
            continue
        lines = rows[mine]
        claimed = _columns(frame.report, heading, lines_above)
        columns, claims = [c for c, _ in claimed], [t for _, t in claimed]
        block = frame.cells[lines]
        unit = 1e-6 if any("FFFFFF" in c.title for c in columns) else 1e-3
        strange = []
        spread_from = _spread_from(columns, spread)
        suspects = _straddling(frame, block, lines, columns, claims, spread_from, rejects)
        for column, targets, suspect in zip(columns, claims, suspects, strict=True):
            if targets or (column.start >= spread_from and not column.ignored):
                yield _cut_column(frame, block, lines, column, targets, unit, suspect)
            elif not column.ignored and not heading.open:
                strange.append(column.title)
        if strange:
            titles = sorted({p.title for p, _, _ in places})
            _unknown_titles(frame, heading, first[mine], strange, titles, rejects)


def _spread_from(columns: list[HeadingColumn], tables: list[Table]) -> float:
    """Column of the line from which on unclaimed columns are spread into rows; infinite where none are."""
    for table in tables:
        assert table.spread is not None
        if not table.spread.after:
            return 0
        for column in columns:
            if column.named(table.spread.after):
                return column.end
    return float("inf")


def _cut_column(frame, block, lines, column: HeadingColumn, targets, unit: float, suspect) -> Cut:
    width = block.shape[1]
    start, end = min(column.cut_start, width), min(column.cut_end, width)
    cells = _padded(block[:, start:end])
    groups = tuple(column.groups)
    return Cut(lines, column.panel, start, end, cells, targets, unit, suspect, groups, column.title)


def _straddling(frame, block, lines, columns, claims, spread_from, rejects) -> list[np.ndarray | None]:
    """Values that run across the border of two columns: neither can be trusted, and the reader is told.

    Returns per column the bool mask of its suspect cells, or None."""
    width = block.shape[1]
    suspects: list[np.ndarray | None] = [None] * len(columns)
    for k in range(1, len(columns)):
        cut = columns[k].cut_start
        read = columns[k].start >= spread_from or claims[k] or claims[k - 1]
        ignored = columns[k - 1].ignored or columns[k].ignored
        if not read or ignored or not 0 < cut < width:
            continue
        at = np.flatnonzero((block[:, cut - 1] != _BLANK) & (block[:, cut] != _BLANK))
        if len(at):
            between = f"{columns[k - 1].title} and {columns[k].title}"
            what = [f"a value runs across the border of {between}"] * len(at)
            hint = ["both cells are suspect; the page may have been edited or cut"] * len(at)
            rejects.add(frame, lines[at], np.full(len(at), cut - 1), what, ["a blank between them"] * len(at), hint)
            for j in (k - 1, k):
                mask = np.zeros(len(lines), dtype=bool) if suspects[j] is None else suspects[j]
                mask[at] = True
                suspects[j] = mask
    return suspects


def strings_of(frame: Frame, cuts: Sequence[Cut]) -> pl.Series:
    """The cells of cuts, one after another, as text from the lines themselves (any character, any width)."""
    sizes = [len(c.line) for c in cuts]
    cells = pl.DataFrame(
        {
            "line": frame.text.gather(np.concatenate([c.line for c in cuts])),
            "start": np.repeat([c.start for c in cuts], sizes),
            "length": np.repeat([c.end - c.start for c in cuts], sizes),
        }
    )
    return cells.select(pl.col("line").str.slice(pl.col("start"), pl.col("length")).str.strip_chars(" ")).to_series()


def rows_of(table: Table, frame: Frame) -> np.ndarray:
    """Lines that begin a row of the table."""
    return np.flatnonzero(frame.of_kind(table.rows)) if table.rows else np.zeros(0, dtype=np.int64)
