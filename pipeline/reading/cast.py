"""Cast cells to values: all cells of a batch at once, by type, then by target column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from ..declaration.places import Counter
from ..declaration.report import Column, Report, Table
from . import cut_lines, null_reasons, numbers, numbers_alike
from .cells import BLANK, CastJob, CellBlock, CellSpan, Target, job_with_words
from .cut_lines import without_cut_cells
from .rejects import Rejects
from .report_lines import ReportLines
from .title_words import Alike

_POINT = ord(".")
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
    """Cells that no column claims: line and value of each (NaN if it prints a reason such as N/A), and an index into `spans`, which have
    the titles. `turns`: indexes of all spans in the order of their headings."""

    line: np.ndarray
    data: np.ndarray
    span: np.ndarray
    spans: list[CellSpan]
    turns: list[int]


@dataclass
class _Queue:
    """Cells that are cast together. `job` indexes the jobs of the caster. `parts`: texts of cells, to come behind the others."""

    cells: list[np.ndarray] = field(default_factory=list)
    line: list[np.ndarray] = field(default_factory=list)
    job: list[np.ndarray] = field(default_factory=list)
    suspect: list[np.ndarray] = field(default_factory=list)
    parts: list[pl.Series] = field(default_factory=list)


class _Facts(NamedTuple):
    """Properties of the entries, one array each: index into `targets`, panel, unit in seconds, and whether the column holds percentages,
    whole numbers, numbers with suffixes, and resolutions, how many decimals it prints (-1: any) and how many digits fill it, and whether blank cells are kept. `alike`: an index
    of its title, if its cells are compared with others below this title, else -1; `place`, `ends`: an index of its place, whose numbers end below
    each other, or -1, and where its cells start and end. `spread`: targets of unclaimed cells."""

    targets: list[Target]
    spread: set[Target]
    target: np.ndarray
    panel: np.ndarray
    unit: np.ndarray
    percent: np.ndarray
    whole: np.ndarray
    scaled: np.ndarray
    decimals: np.ndarray
    digits: np.ndarray
    alike: np.ndarray
    place: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    resolved: np.ndarray
    kept_blank: np.ndarray

    @classmethod
    def of(cls, jobs: list[CastJob]) -> _Facts:
        numbers: dict[Target, int] = {}
        target = np.array([numbers.setdefault(e.target, len(numbers)) for e in jobs], dtype=np.int16)
        columns = [t.column for t in numbers]
        return cls(
            targets=list(numbers),
            spread={e.target for e in jobs if e.span.spread},
            target=target,
            panel=np.array([e.span.panel for e in jobs]),
            unit=np.array([e.unit for e in jobs]),
            percent=np.array([c.type.unit.startswith("%") for c in columns])[target],
            whole=np.array([c.type.reader in ("count", "storage") for c in columns])[target],
            decimals=np.array(
                [-1 if e.target.decimals is None else e.target.decimals for e in jobs],
                dtype=np.int8,
            ),
            digits=np.array([c.digits for c in columns], dtype=np.int8)[target],
            alike=_titles_alike(jobs),
            # Labels of a block have the edge of its title in common.
            place=np.array(
                [-1 if not e.span.end else k if e.span.title else len(jobs) + e.span.edge for k, e in enumerate(jobs)]
            ),
            starts=np.array([e.span.start for e in jobs]),
            ends=np.array([e.span.cells_end or e.span.end for e in jobs]),
            scaled=np.array([c.may_have_suffix for c in columns])[target],
            resolved=np.array([c.resolution for c in columns])[target],
            kept_blank=np.array([bool(e.span.spread and (s := e.target.table.spread) and s.blanks) for e in jobs]),
        )


@cache
def _has_counters(table: Table) -> bool:
    return any(isinstance(place, Counter) for column in table.columns for place in column.places)


def _titles_alike(jobs: Sequence[CastJob]) -> np.ndarray:
    """Per job an index of its column and title, or -1: of whole numbers, of declared decimals, of parts of cells, and of tables of counters, where each label has
    decimals of its own."""
    found: dict[tuple[Column, tuple[str, ...], str], int] = {}

    def index(job: CastJob) -> int:
        column = job.target.column
        is_declared = job.target.decimals is not None or column.decimals_vary
        if column.type.reader != "number" or is_declared or not job.span.title or _has_counters(job.target.table):
            return -1
        return found.setdefault((column, job.span.groups, job.span.title), len(found))

    return np.array([index(job) for job in jobs], dtype=np.int64)


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
    _jobs: list[CastJob] = field(default_factory=list)
    # Per job: the number of its layout and that of its heading.
    _turns: list[tuple[int, int]] = field(default_factory=list)
    _layouts: int = 0
    _queues: dict[str, _Queue] = field(default_factory=dict)
    _texts: list[tuple[CellBlock, int]] = field(default_factory=list)

    def take(self, cell_blocks: Iterable[CellBlock]) -> None:
        """Queue the cells of the cell blocks of a layout."""
        self._layouts += 1
        for cell_block in cell_blocks:
            if len(self.report_lines.cut):
                cell_block = without_cut_cells(self.report_lines, cell_block, self.rejects)
            if self.report_lines.watched:
                self.taken.append(cell_block)
            for name, (at, jobs) in cell_block.layout.queues.items():
                if name == "text":
                    self._texts.extend((cell_block, span) for span in dict.fromkeys(at.tolist()))
                    continue
                queue = self._queues.setdefault(name, _Queue())
                count, first = len(cell_block.line), len(self._jobs)
                headings = cell_block.headings or _ONE
                for number, words in zip(headings.numbers, headings.words, strict=True):
                    self._add_jobs([job_with_words(job, words) for job in jobs], number)
                # `take` copies rows of bytes several times as fast as an index array.
                queue.cells.append(cell_block.cells.take(at, axis=1).reshape(count * len(at), numbers.CELL_WIDTH))
                queue.line.append(np.repeat(cell_block.line, len(at)))
                job = np.tile(np.arange(first, first + len(at), dtype=np.int32), count)
                if len(headings.numbers) > 1:
                    job += np.repeat(headings.of * len(at), len(at)).astype(np.int32)
                queue.job.append(job)
                none = np.zeros(count * len(at), dtype=bool)
                queue.suspect.append(none if cell_block.suspect is None else cell_block.suspect[:, at].ravel())

    def _add_jobs(self, jobs: list[CastJob], heading: int) -> None:
        self._jobs.extend(jobs)
        self._turns.extend([(self._layouts, heading)] * len(jobs))

    def finish(self) -> Caster:
        """Cast everything taken."""
        self._cast_texts()
        facts = _Facts.of(self._jobs)
        for reader, queue in self._queues.items():
            self._cast(reader, queue, facts)
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
        first = len(self._jobs)
        self._layouts += 1
        self._add_jobs([replace(job, span=replace(job.span, panel=int(p))) for p in panels], 0)
        queue.parts.append(strings.set(pl.Series(suspect), None) if suspect.any() else strings)
        queue.line.append(line)
        queue.job.append((first + which).astype(np.int32))
        queue.suspect.append(suspect)

    @cached_property
    def _of_xml(self) -> np.ndarray:
        """Bool per line: it is of an XML document, whose numbers have other decimals."""
        grammar = self.report_lines.grammar
        return self.report_lines.of_kind(tuple(kind for kind in grammar.names if kind.startswith("XML_")))

    # --- numbers --------------------------------------------------------------------------------------------------

    def _cast(self, reader: str, queue: _Queue, facts: _Facts) -> None:
        if queue.parts:
            queue.cells.append(as_cells(pl.concat(queue.parts, rechunk=True).fill_null("")))
        cells, line = np.concatenate(queue.cells), np.concatenate(queue.line)
        job, suspect = np.concatenate(queue.job), np.concatenate(queue.suspect)
        queue.cells.clear()
        factor = has_suffix = None
        if reader in ("number", "storage", "amount"):
            read = (
                numbers.amounts(cells)
                if reader == "amount"
                else numbers.numbers(cells, reader == "storage", self.report.suffixes, in_text=False)
            )
            number, code = read.value, read.code
            code[read.percent & ~facts.percent[job]] = null_reasons.UNREADABLE
            code[~facts.scaled[job] & (read.factor > 1) & (code == null_reasons.OK)] = null_reasons.UNREADABLE
            at = np.flatnonzero(
                (facts.decimals[job] >= 0) & (code == null_reasons.OK) & (read.factor == 1) & ~read.percent
            )
            if len(at):
                at = at[~numbers.has_decimals(cells[at], facts.decimals[job[at]], facts.digits[job[at]])]
                code[at[~self._of_xml[line[at]]]] = null_reasons.UNREADABLE
            plain = (code == null_reasons.OK) & (read.factor == 1) & ~read.percent & ~self._of_xml[line]
            if (at := np.flatnonzero(plain & (facts.alike[job] >= 0))).size:
                column = self._columns_of_pages(line[at], facts.alike[job[at]])
                odd = numbers_alike.unlike(cells[at], column, facts.percent[job[at]])
                code[at[odd]] = null_reasons.UNREADABLE
            # Shares have a digit in front of the point, where shorter times may have none.
            shares = np.flatnonzero(plain & facts.percent[job])
            begin = (cells[shares] != BLANK).argmax(axis=1)
            code[shares[cells[shares, begin] == _POINT]] = null_reasons.UNREADABLE
            # A whole number has no point: 0.0 is one of another column.
            counts = np.flatnonzero(plain & facts.whole[job])
            code[counts[(cells[counts] == _POINT).any(axis=1)]] = null_reasons.UNREADABLE
            code[facts.whole[job] & (code == null_reasons.OK) & ~read.whole] = null_reasons.UNREADABLE
            factor, has_suffix = read.factor, (read.factor != 1) | read.percent
        elif reader == "hours_minutes_seconds":
            number, code = numbers.hours_minutes_seconds(cells)
        else:
            read_times = numbers.clocks if reader == "clock" else numbers.bounds
            number, code = numbers.once_each(read_times, cells, facts.unit[job])
        self._reject_never_printed(line, job, code, facts)
        # What has a suffix ends elsewhere.
        whole = np.flatnonzero((code == null_reasons.OK) & ~suspect & ~self._of_xml[line] & (facts.place[job] >= 0))
        if has_suffix is not None:
            whole = whole[~has_suffix[whole]]
        end = facts.ends[job[whole]] - numbers.blanks_behind(cells[whole])
        # Behind a label and a blank alone there may be no room for more.
        is_titled = facts.place[job[whole]] < len(self._jobs)
        has_room = is_titled | (end - (cells[whole] != BLANK).sum(axis=1) > facts.starts[job[whole]] + 1)
        if len(whole := whole[has_room]):
            column = self._columns_of_pages(line[whole], facts.place[job[whole]])
            early = numbers_alike.ending_early(cells[whole], end[has_room], column, line[whole])
            code[whole[early]] = null_reasons.UNREADABLE
        code[suspect] = null_reasons.BLANK
        number[code != null_reasons.OK] = np.nan
        filled = code != null_reasons.BLANK
        some = np.flatnonzero(filled | facts.kept_blank[job] if facts.kept_blank.any() else filled)
        job, line, number, code = job[some], line[some], number[some], code[some]
        self._note(self._jobs, job, line, code)
        worth = np.full(len(some), np.nan)
        at = np.flatnonzero(facts.resolved[job] & (code == null_reasons.OK))
        if factor is not None and len(at):
            worth[at] = numbers.last_digit(cells[some[at]], factor[some[at]])
        self._sort_out(job, line, number, worth, facts)

    def _columns_of_pages(self, line: np.ndarray, column: np.ndarray) -> np.ndarray:
        """Per cell a number of its page, column and kind of line: those of totals may have more room."""
        of_page = self.report_lines.page_index[line] * (int(column.max()) + 1) + column
        return of_page * len(self.report_lines.grammar.names) + self.report_lines.kind[line]

    def _reject_never_printed(self, line: np.ndarray, job: np.ndarray, code: np.ndarray, facts: _Facts) -> None:
        """Make values unreadable that rows of their kind never have."""
        for table in self.report.tables:
            for kind, names in table.blank_on:
                mine = np.array([t.table is table and t.column.name in names for t in facts.targets], dtype=bool)
                at = np.flatnonzero((code == null_reasons.OK) & mine[facts.target[job]]) if mine.any() else ()
                if len(at):
                    code[at[self.report_lines.of_kind((kind,), line[at])]] = null_reasons.UNREADABLE

    def _sort_out(
        self, job: np.ndarray, line: np.ndarray, number: np.ndarray, worth: np.ndarray, facts: _Facts
    ) -> None:
        """Keep the values of each target together; unclaimed cells go to the table that spreads them."""
        target_of = facts.target[job]
        order = np.argsort(target_of, kind="stable")
        for key, where in _groups(target_of[order]):
            at = order[where]
            target = facts.targets[key]
            if target in facts.spread:
                spans = [e.span for e in self._jobs]
                turns = sorted(range(len(spans)), key=self._turns.__getitem__)
                self.spread[target.table.name] = SpreadValues(line[at], number[at], job[at], spans, turns)
                continue
            if target.line:
                at = at[self.report_lines.of_kind((target.line,), line[at])]
            resolution = worth[at] if target.column.resolution else None
            self._keep(target, Values(line[at], facts.panel[job[at]], number[at], resolution))

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

    def _note(self, jobs: Sequence[CastJob], job: np.ndarray, line: np.ndarray, code: np.ndarray) -> None:
        """cell_null for cells with a reason code, rejects for unreadable cells, job by job. `job`: index into `jobs` per cell."""
        stated = np.flatnonzero(code > null_reasons.BLANK)
        order = stated[np.argsort(job[stated], kind="stable")]
        for number, at in _groups(job[order]):
            self._null(jobs[number].target, line[order[at]], code[order[at]])
        wrong = order[code[order] >= null_reasons.OVERFLOW]
        wrong = wrong[np.array([not jobs[number].span.told for number in job[wrong].tolist()], dtype=bool)]
        if len(wrong):
            too_wide = code[wrong] == null_reasons.OVERFLOW
            self._reject([jobs[number] for number in job[wrong].tolist()], line[wrong], too_wide.tolist())

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

_CELL = (
    pl.col("text")
    .str.replace_all(r"[^\x00-\x7f]", "?")
    .str.slice(0, numbers.CELL_WIDTH)
    .str.pad_start(numbers.CELL_WIDTH)
)


def as_cells(strings: pl.Series) -> np.ndarray:
    """Strings as a byte matrix of right-aligned cells."""
    if not len(strings):
        return np.zeros((0, numbers.CELL_WIDTH), dtype=np.uint8)
    plain = strings.to_frame("text").select(_CELL).to_series()
    array = plain.to_arrow(compat_level=pl.CompatLevel.oldest())
    data = np.frombuffer(array.buffers()[2], np.uint8, count=len(strings) * numbers.CELL_WIDTH)
    return data.reshape(len(strings), numbers.CELL_WIDTH)
