"""Cast cells to values: all cells of a batch at once, by type, then by target column."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from ..declaration.places import Counter
from ..declaration.report import Column, Report, Table
from . import compiled, cut_lines, null_reasons, numbers
from .cells import CastJob, CellBlock, CellSpan, Target, job_with_words
from .cut_lines import without_cut_cells
from .line_kinds import arrow_buffers, faults_told
from .rejects import Rejects
from .report_lines import ReportLines
from .title_words import Alike

_ONE = Alike((0,), ((),), np.zeros(0, dtype=np.int64))
EXPECTED = {
    "number": "a number, blank or N/A",
    "count": "a whole number, blank or N/A",
    "storage": "a number with K, M or G, blank or N/A",
    "amount": "a number, a time with colons, blank or N/A",
    "clock": "a time as HHH.MM.SS.fraction with leading zero units left out",
    "bound": "<= and a time, or > and a time",
    "hours_minutes_seconds": "a time as hh.mm.ss",
    "text": "a text",
    "flag": "a text",
    "timestamp": "a date and time",
}


class Values(NamedTuple):
    """Values of one target with line and panel: numbers (NaN for none) or strings."""

    line: np.ndarray
    panel: np.ndarray
    data: np.ndarray | pl.Series
    resolution: np.ndarray | None = None


class SpreadValues(NamedTuple):
    """Cells that no column claims: line, value (NaN if it prints a reason such as N/A) and start of each, and an index into `titles`: those of
    the groups, and its own."""

    line: np.ndarray
    data: np.ndarray
    start: np.ndarray
    title: np.ndarray
    titles: list[tuple[tuple[str, ...], str]]


class _Jobs:
    """The jobs of cells, numbered. They come in runs: those of a queue of a layout, once for each heading, with its words."""

    def __init__(self) -> None:
        self.runs: list[tuple[tuple[CastJob, ...], tuple[str, ...]]] = []
        self._firsts: list[int] = []
        self._count = 0

    def add(self, jobs: tuple[CastJob, ...], words: tuple[str, ...] = ()) -> int:
        """The number of the first of them."""
        self.runs.append((jobs, words))
        self._firsts.append(self._count)
        self._count += len(jobs)
        return self._firsts[-1]

    def __getitem__(self, number: int) -> CastJob:
        run = bisect_right(self._firsts, number) - 1
        jobs, words = self.runs[run]
        return job_with_words(jobs[number - self._firsts[run]], words)


@dataclass
class _Queue:
    """Cells that are cast together, as the compiled part takes them: cells, how many of each line, those that are read, lines, first job, heading
    per line, suspect cells. `parts`: texts of cells, to come behind the others, each with line, job and whether it is suspect. A job is an
    index into those of the caster."""

    blocks: list[tuple[np.ndarray, int, list[int], np.ndarray, int, np.ndarray | None, np.ndarray | None]] = field(
        default_factory=list
    )
    parts: list[pl.Series] = field(default_factory=list)
    line: list[np.ndarray] = field(default_factory=list)
    job: list[np.ndarray] = field(default_factory=list)
    suspect: list[np.ndarray] = field(default_factory=list)


@cache
def _has_counters(table: Table) -> bool:
    return any(isinstance(place, Counter) for column in table.columns for place in column.places)


class _CompiledJobs:
    """The jobs as the compiled part takes them. Targets are numbered; `spread`: targets of unclaimed cells; `panels`, `starts`, `titles`: per job
    its panel, the start of its cells, and an index into `named`, or -1."""

    def __init__(self, runs: Sequence[tuple[tuple[CastJob, ...], tuple[str, ...]]], lines: ReportLines) -> None:
        self.targets: dict[Target, int] = {}
        self.spread: set[Target] = set()
        self._lines = lines
        # By column, titles of groups and title.
        self._titles: dict[tuple[Column, tuple[str, ...], str], int] = {}
        numbers: dict[tuple[CastJob, ...], int] = {}
        layouts, compared, titles, order = [], [], [], []
        for jobs, words in runs:
            layout = numbers.setdefault(jobs, len(layouts))
            if layout == len(layouts):
                layouts.append([self._fields(job) for job in jobs])
                compared.append([_is_compared(job) for job in jobs])
            mine = compared[layout]
            order.append(layout)
            titles.append(
                [
                    self._title(job.span, job.target.column, words) if mine[k] or job.span.spread else -1
                    for k, job in enumerate(jobs)
                ]
            )
        alike = (
            [title if is_one else -1 for title, is_one in zip(mine, compared[layout], strict=True)]
            for layout, mine in zip(order, titles, strict=True)
        )
        self.compiled = compiled.Jobs(layouts, list(zip(order, alike, strict=True)))
        self.named = [(groups, title) for _, groups, title in self._titles]
        spans = [[job.span for job in jobs] for jobs in numbers]
        self.panels = _of_each([[span.panel for span in some] for some in spans], order)
        self.starts = _of_each([[span.start for span in some] for some in spans], order)
        self.titles = _of_each(titles, range(len(titles)))

    def _fields(self, job: CastJob) -> tuple:
        span, target = job.span, job.target
        column, reader = target.column, target.column.type.reader
        if span.spread:
            self.spread.add(target)
        never = tuple(kind for kind, names in target.table.blank_on if column.name in names)
        kinds = sum(1 << self._lines.grammar.kind[kind] for kind in set(self._lines.known_kinds(never)))
        # Of no place are those that end anywhere, of one in common labels of a block, which have the edge of its title.
        place = -1 if not span.end else 0 if span.title else 1 + span.edge
        flags = (
            column.type.unit.startswith("%"),
            reader in ("count", "storage"),
            bool(column.may_have_suffix),
            bool(column.resolution),
            bool(span.spread and (spread := target.table.spread) and spread.blanks),
        )
        decimals = -1 if target.decimals is None else target.decimals
        where = place, span.start, span.cells_end or span.end
        number = self.targets.setdefault(target, len(self.targets))
        return number, float(job.unit), decimals, column.digits, *where, kinds, flags

    def _title(self, span: CellSpan, column: Column, words: tuple[str, ...]) -> int:
        """An index of its column and title."""
        groups, title = span.titles(words) if words and span.spread else (span.groups, span.title)
        return self._titles.setdefault((column, groups, title), len(self._titles))


def _is_compared(job: CastJob) -> bool:
    """Whether its numbers are held against others below its title. Not so whole numbers, those of declared decimals, parts of cells, and those of
    tables of counters, where each label has decimals of its own."""
    column = job.target.column
    is_declared = job.target.decimals is not None or column.decimals_vary
    return (
        column.type.reader == "number"
        and not is_declared
        and bool(job.span.title)
        and not _has_counters(job.target.table)
    )


def _of_each(numbers: Sequence[Sequence[int]], order: Sequence[int]) -> np.ndarray:
    """Some of the lists of numbers, one after the other."""
    return np.array([number for k in order for number in numbers[k]], dtype=np.int64)


@dataclass
class Caster:
    """Takes cell blocks, then returns values by column, spread cells by table, and cells with a reason code as (table, column, lines,
    codes). `taken`: the cell blocks, kept only for `ironlake explain`."""

    report: Report
    report_lines: ReportLines
    rejects: Rejects
    values: dict[Column, list[tuple[Target, Values]]] = field(default_factory=dict)
    spread: dict[str, SpreadValues] = field(default_factory=dict)
    nulls: list[tuple[str, str, np.ndarray, np.ndarray]] = field(default_factory=list)
    taken: list[CellBlock] = field(default_factory=list)
    _jobs: _Jobs = field(default_factory=_Jobs)
    _queues: dict[str, _Queue] = field(default_factory=dict)
    _texts: list[tuple[CellBlock, int]] = field(default_factory=list)

    def take(self, cell_blocks: Iterable[CellBlock]) -> None:
        """Queue the cells of the cell blocks of a layout."""
        for cell_block in cell_blocks:
            if len(self.report_lines.cut):
                cell_block = without_cut_cells(self.report_lines, cell_block, self.rejects)
            if self.report_lines.watched:
                self.taken.append(cell_block)
            for name, (at, jobs) in cell_block.layout.queues.items():
                if name == "text":
                    self._texts.extend((cell_block, span) for span in dict.fromkeys(at.tolist()))
                    continue
                headings = cell_block.headings or _ONE
                first = min([self._jobs.add(jobs, words) for words in headings.words])
                cells, suspect = cell_block.cells, cell_block.suspect
                self._queues.setdefault(name, _Queue()).blocks.append(
                    (
                        cells,
                        cells.shape[1],
                        at.tolist(),
                        cell_block.line,
                        first,
                        headings.of if len(headings.numbers) > 1 else None,
                        None if suspect is None else suspect.view(np.uint8),
                    )
                )

    def finish(self) -> Caster:
        """Cast everything taken."""
        self._cast_texts()
        jobs = _CompiledJobs(self._jobs.runs, self.report_lines)
        for reader, queue in self._queues.items():
            self._cast(reader, queue, jobs)
        self._queues.clear()
        return self

    # --- texts, flags and parts of cells ---------------------------------------------------------------------------

    def _cast_texts(self) -> None:
        """Texts are taken from the lines: any character, any width. Parts of cells are queued for their reader."""
        if not self._texts:
            return
        sizes = [len(cell_block.line) for cell_block, _ in self._texts]
        ends = np.cumsum(sizes)
        line = np.concatenate([cell_block.line for cell_block, _ in self._texts])
        spans = [cell_block.layout.spans[k] for cell_block, k in self._texts]
        suspect = np.concatenate(
            [np.zeros(len(s.line), bool) if s.suspect is None else s.suspect[:, k] for s, k in self._texts]
        )
        panel = np.repeat([p.panel for p in spans], sizes)
        strings = self._slice(
            line, np.repeat([p.start for p in spans], sizes), np.repeat([p.end for p in spans], sizes)
        )
        code = null_reasons.reasons(strings)
        # A point without digits after it means that the line was cut.
        cut = strings.str.contains(_CUT_NUMBER).fill_null(False).to_numpy()
        strings = strings.set(pl.Series(cut), None)
        code[suspect] = null_reasons.BLANK
        members: dict[Target, list[int]] = {}
        for k, span in enumerate(spans):
            for target in span.targets:
                if target.queue == "text":
                    members.setdefault(target, []).append(k)
        unread, broken = np.zeros((2, len(line)), dtype=bool)
        owner: dict[int, Target] = {}
        turn = _turns([cell_block for cell_block, _ in self._texts])
        for target, where in members.items():
            for k in where:
                here = slice(ends[k] - sizes[k], ends[k])
                if target.pattern or target.words or cut[here].any():
                    wanted = self.report_lines.of_kind((target.line,), line[here]) if target.line else True
                    unread[here] |= wanted if target.pattern or target.words else wanted & cut[here]
                    owner.setdefault(k, target)
        for target, where in members.items():
            for kind, names in target.table.blank_on:
                if target.column.name not in names:
                    continue
                for k in where:
                    here = np.arange(ends[k] - sizes[k], ends[k])
                    never = here[self.report_lines.of_kind((kind,), line[here]) & (code[here] != null_reasons.BLANK)]
                    if len(never):
                        broken[never] = True
                        owner.setdefault(k, target)
        strings = strings.set(pl.Series(broken), None) if broken.any() else strings
        for target, where in members.items():
            at = np.concatenate([np.arange(ends[k] - sizes[k], ends[k]) for k in where])
            if turn is not None:
                at = at[np.argsort(turn[at], kind="stable")]
            if target.line:
                # Several kinds of row are below this heading; the target takes only one.
                at = at[self.report_lines.of_kind((target.line,), line[at])]
            mine = strings.gather(at)
            if target.pattern:
                part = (
                    cut_lines.goes_on(mine, target.pattern, " +") if _is_one_number(target, spans[where[0]]) else None
                )
                mine = mine.str.extract(target.pattern, 1)
                if part is not None and part.any():
                    broken[at[part]] = True
                    mine = mine.set(pl.Series(part), None)
            if target.words:
                mine = mine.replace_strict(dict(target.words), default=None, return_dtype=pl.String)
            if target.pattern or target.words:
                unread[at[mine.is_not_null().to_numpy()]] = False
            if target.column.type.reader in ("text", "flag"):
                self._keep_text(target, line[at], panel[at], mine, code[at], unread, at)
            else:
                unit = self._texts[where[0]][0].layout.queues["text"][1][0].unit
                self._queue_part(
                    CastJob(CellSpan(0, 0, (target,)), target, unit), line[at], panel[at], mine, suspect[at]
                )
        unread |= broken
        if unread.any():
            at = np.concatenate([np.arange(ends[k] - sizes[k], ends[k]) for k in owner])
            job = np.repeat(np.arange(len(owner)), [sizes[k] for k in owner])
            jobs = [CastJob(spans[k], target, 0) for k, target in owner.items()]
            self._note(jobs, job, line[at], np.where(unread, code, null_reasons.OK)[at])

    def _slice(self, line: np.ndarray, start: np.ndarray, end: np.ndarray) -> pl.Series:
        cells = pl.DataFrame({"line": self.report_lines.text.gather(line), "start": start, "length": end - start})
        return cells.select(
            pl.col("line").str.slice(pl.col("start"), pl.col("length")).str.strip_chars(" ")
        ).to_series()

    def _keep_text(self, target, line, panel, strings, code, unread, at) -> None:
        none = code != null_reasons.UNREADABLE
        # A pattern that does not match is no reason.
        stated = np.flatnonzero(none & (code > null_reasons.BLANK) & strings.is_not_null().to_numpy())
        if len(stated) and not target.words:
            self._null(target, line[stated], code[stated])
        if target.column.type.reader == "flag":
            strings = strings.is_in(target.column.allowed)
            unread[at[strings.fill_null(False).to_numpy()]] = False
        self._keep(target, Values(line, panel, strings.set(pl.Series(none), None)))

    def _queue_part(
        self, job: CastJob, line: np.ndarray, panel: np.ndarray, strings: pl.Series, suspect: np.ndarray
    ) -> None:
        reader = job.target.column.type.reader
        queue = self._queues.setdefault("number" if reader == "count" else reader, _Queue())
        panels, which = np.unique(panel, return_inverse=True)
        first = self._jobs.add(tuple(replace(job, span=replace(job.span, panel=int(p))) for p in panels))
        queue.parts.append(strings.set(pl.Series(suspect), None) if suspect.any() else strings)
        queue.line.append(line)
        queue.job.append(first + which)
        queue.suspect.append(suspect)

    @cached_property
    def _of_xml(self) -> np.ndarray:
        """Bool per line: it is of an XML document, whose numbers have other decimals."""
        grammar = self.report_lines.grammar
        return self.report_lines.of_kind(tuple(kind for kind in grammar.names if kind.startswith("XML_")))

    # --- numbers --------------------------------------------------------------------------------------------------

    def _cast(self, reader: str, queue: _Queue, jobs: _CompiledJobs) -> None:
        lines = self.report_lines
        blocks = queue.blocks
        if queue.parts:
            cells = as_cells(pl.concat(queue.parts, rechunk=True).fill_null(""))
            line, job, suspect = (np.concatenate(of) for of in (queue.line, queue.job, queue.suspect))
            blocks.append((cells, 1, [0], line, 0, job, suspect.view(np.uint8)))
        with faults_told():
            values, stated = jobs.compiled.cast(
                reader,
                self.report.suffixes,
                blocks,
                lines.page_index.astype(np.int64, copy=False),
                lines.kind,
                self._of_xml.view(np.uint8),
                len(lines.grammar.names),
            )
        self._note(self._jobs, *(np.array([one[k] for one in stated], dtype=np.int64) for k in range(3)))
        targets = list(jobs.targets)
        for key, *printed in values:
            target = targets[key]
            line, job = np.frombuffer(printed[0], np.int64), np.frombuffer(printed[1], np.uint32)
            number, worth = (np.frombuffer(of, np.float64) for of in printed[2:])
            if target in jobs.spread:
                # Unclaimed cells go to the table that spreads them.
                where = line, number, jobs.starts[job], jobs.titles[job]
                self.spread[target.table.name] = SpreadValues(*where, jobs.named)
                continue
            of_target = lines.of_kind((target.line,), line) if target.line else slice(None)
            panel = jobs.panels[job[of_target]]
            resolution = worth[of_target] if len(worth) else None
            self._keep(target, Values(line[of_target], panel, number[of_target], resolution))

    def _keep(self, target: Target, kept: Values) -> None:
        self.values.setdefault(target.column, []).append((target, kept))

    def _null(self, target: Target, line: np.ndarray, code: np.ndarray) -> None:
        if target.reach == "page":
            # Told once, with the table that has a row per page.
            of_row = self.report_lines.row_above(target.table.rows, line) >= 0
            line, code = line[of_row], code[of_row]
            if not len(line):
                return
        self.nulls.append((target.table.name, target.column.name, line, code))

    def _note(self, jobs: Sequence[CastJob] | _Jobs, job: np.ndarray, line: np.ndarray, code: np.ndarray) -> None:
        """cell_null for cells with a reason code, rejects for unreadable cells, job by job. `job`: index into `jobs` per cell."""
        stated = np.flatnonzero(code > null_reasons.BLANK)
        order = stated[np.argsort(job[stated], kind="stable")]
        known = {}
        for number, at in _groups(job[order]):
            known[number] = jobs[number]
            self._null(known[number].target, line[order[at]], code[order[at]])
        wrong = order[code[order] >= null_reasons.OVERFLOW]
        of_wrong = [known[number] for number in job[wrong].tolist()]
        is_new = np.array([not one.span.told for one in of_wrong], dtype=bool)
        if is_new.any():
            untold, wrong = [one for one in of_wrong if not one.span.told], wrong[is_new]
            self._reject(untold, line[wrong], (code[wrong] == null_reasons.OVERFLOW).tolist())

    def _reject(self, jobs: list[CastJob], line: np.ndarray, too_wide: list[bool]) -> None:
        """A reject per cell."""
        what, column = [], []
        for printed, job, overflow in zip(self.report_lines.text.gather(line), jobs, too_wide, strict=True):
            span, name = job.span, job.target.column.name
            cell = _NOT_ASCII.sub("?", printed[span.start : span.end or len(printed)])
            text = cell.strip(" ")
            title = f"{name} under {' '.join([*span.groups, span.title])}" if span.spread else name
            what.append(
                f"{title}: the value did not fit its field" if overflow else f"{title}: {text!r} cannot be read"
            )
            column.append(span.start + (len(cell) - len(cell.lstrip(" ")) if text else 0))
        expected = [
            ", ".join(said for said, _ in job.target.words) or EXPECTED[job.target.column.type.reader] for job in jobs
        ]
        self.rejects.add(self.report_lines, line, what, expected, column=np.array(column))


def _is_one_number(target: Target, span: CellSpan) -> bool:
    """Whether the target takes a number by its pattern, and no other does so from the span's cells."""
    takers = [t for t in span.targets if t.pattern and t.column.type.reader not in ("text", "flag")]
    return takers == [target]


def _turns(cell_blocks: Sequence[CellBlock]) -> np.ndarray | None:
    """Per line of some blocks, one after the other, the number of its heading; None where they are in this order."""
    if all(len((block.headings or _ONE).numbers) == 1 for block in cell_blocks):
        return None
    none = (np.zeros(len(block.line), dtype=np.int64) for block in cell_blocks)
    return np.concatenate(
        [
            np.array(b.headings.numbers)[b.headings.of] if b.headings else n
            for b, n in zip(cell_blocks, none, strict=True)
        ]
    )


def _groups(keys: np.ndarray) -> Iterable[tuple[int, slice]]:
    """(key, slice) for each run of equal keys in a sorted array."""
    if not len(keys):
        return
    starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    for start, end in zip(starts, np.append(starts[1:], len(keys)), strict=True):
        yield int(keys[start]), slice(int(start), int(end))


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_CUT_NUMBER = r"^[0-9][0-9.,:/ ]*\.$"


def as_cells(strings: pl.Series) -> np.ndarray:
    """Strings as a byte matrix of right-aligned cells."""
    with faults_told():
        found = compiled.padded(*arrow_buffers(strings), numbers.CELL_WIDTH, True)
    return np.frombuffer(found, np.uint8).reshape(len(strings), numbers.CELL_WIDTH)
