"""The output of cutting and input of casting: blocks of cells, with their spans on the page and their target columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np

from ..declaration.layouts import TableLayout
from ..declaration.report import Column, Report, Table
from ..frozen import frozen
from .numbers import CELL_WIDTH
from .pages import WIDEST
from .rejects import Rejects
from .report_lines import ReportLines
from .title_words import Alike, with_words

BLANK = ord(" ")
# Per byte: allowed one column right of the digits.
IS_SUFFIX = np.isin(np.arange(256), [ord(c) for c in "KMGBT%"])
# Digits after the seconds, as shown in a title.
_FRACTION = re.compile(r"(?<!\S)(?:(?:H+\.)?MM\.)?SS\.(\w*)")
_WORTH = {"TTT": 1e-3, "FFFFFF": 1e-6}

# Targets, spans and layouts are cached per declaration and heading, and compared by identity.


@frozen()
class Target:
    """Where a cell's value goes; `line`, `reach`, `fill`, `rows`, `label` and `until` as in `Under`; reach "page": it is of all
    rows of its page. words: texts, and what each is called in the table; of_place: decimals of this place alone."""

    table: Table
    column: Column
    pattern: str = ""
    line: str = ""
    reach: str = "own"
    fill: str = ""
    rows: tuple[str, ...] = ()
    label: str = ""
    until: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    of_place: int | None = None

    @property
    def decimals(self) -> int | None:
        """How many decimals its cells print; None: any."""
        return self.column.decimals if self.of_place is None else self.of_place

    @cached_property
    def queue(self) -> str:
        """Cells of one queue are cast together."""
        reader = self.column.type.reader
        if self.pattern or self.words or reader in ("text", "flag"):
            return "text"
        return "number" if reader == "count" else reader


@frozen()
class CellSpan:
    """A column of a cell block: the span [start, end) of its cells, the panel, and the targets. Numbers end at `edge`, the end of the
    title, or with a suffix one column later; if `exact`, at `end` with or without suffix. `cells_end`: where its cells end, if not there. `spread` cells belong to no declared column
    and become rows. `told`: a reject of the line says already that they cannot be read."""

    start: int
    end: int
    targets: tuple[Target, ...]
    panel: int = 0
    groups: tuple[str, ...] = ()
    title: str = ""
    spread: bool = False
    edge: int = 0
    exact: bool = False
    told: bool = False
    cells_end: int = 0

    def titles(self, words: Sequence[str]) -> tuple[tuple[str, ...], str]:
        """The titles of its groups and its own, with the words of a heading."""
        groups = tuple(with_words(group, words) for group in self.groups) if self._has_words else self.groups
        return groups, with_words(self.title, words)

    @cached_property
    def _has_words(self) -> bool:
        return not all(map(str.isascii, self.groups))

    def may_be_cut(self, text: str) -> bool:
        """Whether the cell at the end of this line may have lost characters. After a blank a number has ended, but a text may continue;
        a number always continues after a decimal point."""
        length = len(text.rstrip(" "))
        if not self.start < length <= self.end:
            return False
        if length < len(text):
            return len(text) <= self.end and any(t.queue == "text" for t in self.targets)
        if text.endswith("."):
            return True
        if self.exact:
            return length < self.end
        whole = self.edge and length >= self.edge and all(t.queue == "number" for t in self.targets)
        if whole and text[-1].isdigit():
            # A column of counts may have lost a K, M or G.
            return any(t.column.resolution or t.column.type.reader != "number" for t in self.targets)
        return not whole


@frozen()
class CastJob:
    """One target of a span. unit: value of a bare integer, in seconds."""

    span: CellSpan
    target: Target
    unit: float


@frozen()
class CellLayout:
    """Spans of a cell block, and per queue the indexes of its spans and their jobs."""

    spans: tuple[CellSpan, ...]
    queues: dict[str, tuple[np.ndarray, tuple[CastJob, ...]]]

    @classmethod
    def of(cls, spans: Sequence[CellSpan], unit: float) -> CellLayout:
        queues: dict[str, list[tuple[int, CastJob]]] = {}
        for k, span in enumerate(spans):
            for target in span.targets:
                queues.setdefault(target.queue, []).append((k, CastJob(span, target, unit)))
        return cls(tuple(spans), {q: (np.array([k for k, _ in e]), tuple(x for _, x in e)) for q, e in queues.items()})


@frozen()
class CellBlock:
    """Cells of lines below one heading. line: (n,) indexes of the report lines; cells: (n, spans, CELL_WIDTH) bytes,
    right-aligned; suspect: (n, spans) bool of cells that cross a border and are not read, or None. headings: several that are alike."""

    line: np.ndarray
    layout: CellLayout
    cells: np.ndarray
    suspect: np.ndarray | None = None
    headings: Alike | None = None


def job_with_words(job: CastJob, words: tuple[str, ...]) -> CastJob:
    """The job of a heading with these words."""
    span = job.span
    if not words or not span.spread:
        return job
    titles = span.titles(words)
    named = CellSpan(span.start, span.end, span.targets, span.panel, *titles, True, span.edge, span.exact)
    return CastJob(named, job.target, job.unit)


def heading_runs(
    report_lines: ReportLines, heading: TableLayout, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[tuple[str, ...]]]:
    """For each row line: the first line of its heading run, an index into the distinct headings (-1 for none), and these headings as texts
    of `heading.lines`, top to bottom, cut at the widest cell."""
    kinds = heading.run
    run_starts = report_lines.runs(kinds)
    nearest = report_lines.nearest(kinds, rows)
    usable = (nearest >= 0) & (report_lines.unit[np.maximum(nearest, 0)] == report_lines.unit[rows])
    run = np.searchsorted(run_starts, nearest, side="right") - 1
    run = np.where(usable, run, -1)
    first = np.where(run >= 0, run_starts[np.maximum(run, 0)] if len(run_starts) else -1, -1)

    ids, words = report_lines.text_ids(heading.lines, headings=not heading.has_digits)
    titled = np.flatnonzero(ids >= 0)
    run_of = np.searchsorted(run_starts, titled, side="right") - 1
    key = np.zeros(len(run_starts), dtype=np.int64)
    place_in_run = np.arange(len(titled)) - np.searchsorted(run_of, run_of, side="left")
    deepest = int(place_in_run.max()) + 1 if len(titled) else 0
    stacked = np.full((len(run_starts), max(deepest, 1)), -1, dtype=np.int64)
    stacked[run_of, place_in_run] = ids[titled]
    for depth in range(stacked.shape[1]):
        _, key = np.unique(key * (len(words) + 1) + stacked[:, depth] + 1, return_inverse=True)
    _, representative, distinct = np.unique(key, return_index=True, return_inverse=True)
    headings = [tuple(words[i][:WIDEST] for i in stacked[r] if i >= 0) for r in representative]
    which = np.where(run >= 0, distinct[np.maximum(run, 0)] if len(run_starts) else -1, -1)
    return first, which, headings


def clock_unit(titles: str) -> float:
    """The unit in seconds of a bare integer under titles of times; 0 if the mark of the fraction is damaged.

    >>> [clock_unit(f"TRANS-TIME {mark}") for mark in ("HHH.MM.SS.TTT", "HHH.MM.SS.FFFFFF", "SS.TTT", "SS.FFFFF", "")]
    [0.001, 1e-06, 0.001, 0.0, 0.0]
    """
    marks = set(_FRACTION.findall(titles))
    return _WORTH.get(marks.pop(), 0.0) if len(marks) == 1 else 0.0


def padded(cells: np.ndarray) -> np.ndarray:
    """Cells of any width as (n, CELL_WIDTH), right-aligned."""
    count, width = cells.shape
    if width >= CELL_WIDTH:
        # Numbers are right-aligned; leading blanks are cut first.
        while width > CELL_WIDTH and (cells[:, width - 1] == BLANK).all():
            width -= 1
        return np.ascontiguousarray(cells[:, max(width - CELL_WIDTH, 0) : width])
    out = np.full((count, CELL_WIDTH), BLANK, dtype=np.uint8)
    out[:, CELL_WIDTH - width :] = cells
    return out


def spread_target(report: Report, rows: tuple[str, ...]) -> Target | None:
    """Where the unclaimed cells of lines of these kinds go."""
    return next((_value_target(t) for t in report.tables if t.spread and set(t.rows) & set(rows)), None)


@cache
def _value_target(table: Table) -> Target:
    assert table.spread is not None
    return Target(table, table.column(table.spread.value))


def unknown_titles(
    report_lines: ReportLines, runs: np.ndarray, unknown: list[str], known: list[str], rejects: Rejects
) -> None:
    """A reject for each heading with undeclared titles; their cells are not read."""
    line = np.unique(runs[runs >= 0])
    what = f"{report_lines.report.name}: unknown column title {', '.join(unknown)}"
    hint = "the cells under it are not read; please report this layout"
    rejects.add(report_lines, line, what, ", ".join(sorted(known)), hint)
