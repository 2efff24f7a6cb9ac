"""From files to the lake: sources are opened, cut into batches, parsed by workers, and committed source by source."""

from __future__ import annotations

import os

# One thread a process: workers are processes, and what one reads must not slow down when another joins.
os.environ.setdefault("POLARS_MAX_THREADS", "1")

import contextlib
import ctypes
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from . import engine, grammar
from .batches import BATCH_BYTES, Batch, plan
from .declaration import reports
from .errors import IronlakeError, format_error
from .lake import Lake
from .ledger import Part, SourceEntry, source_id_of
from .options import Options
from .progress import Progress
from .reading import Refusal, Source, open_sources
from .segments import Segment

Status = Literal["ingested", "already_ingested", "empty", "failed"]


@dataclass(frozen=True)
class FileResult:
    """What became of one file, as `ironlake ingest --format json` prints it."""

    path: str
    source_id: str | None
    status: Status
    pages: int = 0
    lines: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    rejects: int = 0
    error: str | None = None


@dataclass
class IngestReport:
    """Results of all files of an ingest, in the order in which they were done."""

    files: list[FileResult] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {"files": [vars(f) for f in self.files]}

    def exit_code(self, strict: bool) -> int:
        """1 where a file could not be read, or with `strict` where anything was rejected; else 0."""
        failed = any(f.status == "failed" for f in self.files)
        return int(failed or (strict and any(f.rejects for f in self.files)))

    def as_text(self) -> str:
        """One line a file, its error below it, and the totals."""
        out = []
        for f in self.files:
            rows = sum(n for name, n in f.rows.items() if name not in _BOOKKEEPING)
            facts = f"{f.pages} pages, {rows} rows, {f.rejects} rejects" if f.status != "failed" else ""
            out.append(f"{f.path}: {f.status.replace('_', ' ')}" + (f" ({facts})" if facts and f.lines else ""))
            if f.error:
                out.extend(f"  {line}" for line in f.error.splitlines())
        rejects = sum(f.rejects for f in self.files)
        if rejects:
            out.append(f'{rejects} rejects: see them with ironlake sql "FROM parse_reject"')
        return "\n".join(out)


# mallopt(3): parameters of glibc. 32 MiB is the most that it takes for the first.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST_BLOCK = 32 << 20

_BOOKKEEPING = ("parse_reject", "cell_null", "unknown_report")


@dataclass(frozen=True)
class _Done:
    """What a worker made of a batch: its parts, and per stretch the account of its lines and its rows by table."""

    parts: list[Part]
    counts: list[engine.Counts]
    rows: list[dict[str, int]]
    unknown: list[list[str]]


def ingest(
    paths: Sequence[str], lake: Path, options: Options, jobs: int | None = None, progress: bool = False
) -> IngestReport:
    """Read files, folders, archives and `-` into the lake; what is there already is not read again.

    jobs: worker processes (default: one a core; small input is read by this process alone). What is committed stays,
    whatever happens later; the same command goes on from there.
    Raises IronlakeError for a lake that cannot be used and for an unknown encoding.
    """
    report = IngestReport()
    with Lake(lake) as target, Progress(progress) as bar:
        run = _Run(target, options, report, bar)
        with _workers(jobs, paths) as pool:
            run.read(paths, pool)
        target.compact()
    return report


class _Workers:
    """Runs batches in this process, or in `jobs` spawned ones; results come in the order of submission."""

    def __init__(self, jobs: int):
        self._pool = None
        self.ahead = 0
        if jobs > 1:
            self._pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_ignore_interrupts)
            self.ahead = jobs + 1
            for _ in range(jobs):
                # Workers get ready while this process still looks at the files.
                self._pool.submit(_get_ready)

    def submit(self, lake: Lake, batch: Batch, options: Options) -> Future[_Done]:
        if self._pool:
            return self._pool.submit(read_batch, lake, batch, options)
        done: Future[_Done] = Future()
        try:
            done.set_result(read_batch(lake, batch, options))
        except Exception as error:
            done.set_exception(error)
        return done

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)


def _workers(jobs: int | None, paths: Sequence[str]) -> _Workers:
    if jobs is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        jobs = cores if _is_large(paths) else 1
    return _Workers(jobs)


def _is_large(paths: Sequence[str]) -> bool:
    """Whether there is more than a batch or two to read: starting a process takes as long as reading some."""
    size = 0
    for path in paths:
        if path == "-":
            return True
        for folder, _, names in os.walk(path) if os.path.isdir(path) else [("", (), [path])]:
            for name in names:
                try:
                    size += os.stat(os.path.join(folder, name)).st_size
                except OSError:
                    continue
                if size > 2 * BATCH_BYTES:
                    return True
    return False


def _get_ready() -> None:
    """Load the grammars of all reports."""
    for name in reports():
        grammar.load(name)


def _ignore_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; workers end with their parent's pool instead."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@dataclass
class _Run:
    """One ingest: what was submitted, and what of it waits for its source's last batch."""

    lake: Lake
    options: Options
    report: IngestReport
    bar: Progress
    _pending: deque[tuple[Batch, Future[_Done]]] = field(default_factory=deque)
    _collected: dict[str, list[tuple[Batch, _Done]]] = field(default_factory=dict)
    _failed: set[str] = field(default_factory=set)

    def read(self, paths: Sequence[str], pool: _Workers) -> None:
        for batch in plan(self._new_sources(paths), keep=not pool.ahead):
            self._pending.append((batch, pool.submit(self.lake, batch, self.options)))
            while len(self._pending) > pool.ahead:
                self._finish(*self._pending.popleft())
        while self._pending:
            self._finish(*self._pending.popleft())

    def _new_sources(self, paths: Sequence[str]) -> Iterator[Source]:
        """Sources that the lake does not hold yet; everything else is reported here."""
        seen: dict[str, str] = {}
        for found in open_sources(paths, self.options, self.lake.spool, getattr(sys.stdin, "buffer", None)):
            if isinstance(found, Refusal):
                error = format_error(f"{found.source_file}: {found.what}", found.expected, found.hint)
                self._tell(FileResult(found.source_file, None, found.status, error=error))
                continue
            source_id = source_id_of(found.sha256, self.options.as_key())
            known = self.lake.find(found.sha256, self.options.as_key())
            if known or found.sha256 in seen:
                same = known.source_file if known else seen[found.sha256]
                note = None if same == found.source_file else f"the same bytes as {same}"
                rows, counts = (known.rows, (known.pages, known.lines, known.rejects)) if known else ({}, (0, 0, 0))
                pages, lines, rejects = counts
                self._tell(
                    FileResult(found.source_file, source_id, "already_ingested", pages, lines, rows, rejects, note)
                )
                found.close()
                continue
            seen[found.sha256] = found.source_file
            self.bar.expect(found.size)
            yield found

    def _tell(self, result: FileResult) -> None:
        self.report.files.append(result)
        self.bar.file(result.rejects)

    def _finish(self, batch: Batch, future: Future[_Done]) -> None:
        """Take a batch's result; commit the sources that it completes."""
        sources = [s.source for s in batch.stretches]
        try:
            done = future.result()
        except IronlakeError as error:
            self._fail(sources, str(error))
            return
        except BrokenProcessPool:
            hint = "what was committed is safe; run the same command again, with --jobs 1 if memory is short"
            raise IronlakeError("a worker process ended before its batch was done", hint=hint) from None
        self.bar.read(sum(s.end - s.start for s in batch.stretches), sum(sum(r.values()) for r in done.rows))
        first = sources[0].sha256
        # What planning read is not needed any more; a file's batches wait here until its last.
        batch = replace(batch, stretches=tuple(replace(s, piece=None) for s in batch.stretches))
        self._collected.setdefault(first, []).append((batch, done))
        if not batch.last:
            return
        collected = self._collected.pop(first)
        if first in self._failed:
            return
        changed = [s for s in sources if not s.unchanged()]
        if changed:
            what = "changed while it was read; expected a file that nobody writes to\nhint: ingest it again"
            self._fail(changed, what)
            if len(changed) < len(sources):
                # The others of the batch share parts with it: they are read anew by themselves.
                kept = tuple(s for s in batch.stretches if s.source not in changed)
                again = replace(batch, stretches=kept)
                collected = [(again, read_batch(self.lake, again, self.options))]
                batch = again
            else:
                return
        self._commit(collected)
        for stretch in batch.stretches:
            stretch.source.close()

    def _fail(self, sources: Sequence[Source], error: str) -> None:
        for source in sources:
            if source.sha256 not in self._failed:
                self._failed.add(source.sha256)
                source_id = source_id_of(source.sha256, self.options.as_key())
                message = error if error.startswith(source.source_file) else f"{source.source_file}: {error}"
                self._tell(FileResult(source.source_file, source_id, "failed", error=message))
            source.close()

    def _commit(self, collected: list[tuple[Batch, _Done]]) -> None:
        parts = [part for _, done in collected for part in done.parts]
        entries = []
        unknown: dict[str, list[str]] = {}
        for number, stretch in enumerate(collected[0][0].stretches):
            source = stretch.source
            counts = [done.counts[number] for _, done in collected]
            rows: dict[str, int] = {}
            for _, done in collected:
                for table, count in done.rows[number].items():
                    rows[table] = rows.get(table, 0) + count
                unknown.setdefault(source.sha256, []).extend(done.unknown[number])
            known_pages = sum(c.pages - c.unknown_pages for c in counts)
            entries.append(
                SourceEntry(
                    sha256=source.sha256,
                    options_key=self.options.as_key(),
                    source_file=source.source_file,
                    status="ingested" if known_pages else "empty",
                    bytes=source.size,
                    encoding=source.form.encoding,
                    form=str(source.form),
                    pages=sum(c.pages for c in counts),
                    lines=sum(c.lines for c in counts),
                    blank_lines=sum(c.blank for c in counts),
                    claimed_lines=sum(c.claimed for c in counts),
                    rejected_lines=sum(c.rejected for c in counts),
                    unknown_lines=sum(c.unknown for c in counts),
                    rejects=sum(c.rejects for c in counts),
                    rows=rows,
                )
            )
        self.lake.commit(entries, parts)
        for e in entries:
            error = None if e.status == "ingested" else _no_report(e.source_file, unknown[e.sha256])
            status: Status = "ingested" if e.status == "ingested" else "empty"
            self._tell(FileResult(e.source_file, e.source_id, status, e.pages, e.lines, e.rows, e.rejects, error))


def _no_report(name: str, banners: list[str]) -> str:
    seen = f" (its pages begin with {', '.join(dict.fromkeys(banners[:5]))})" if banners else ""
    hint = "ironlake describe lists the reports that are read"
    return format_error(f"{name}: holds no report that Ironlake reads{seen}", "print pages of a known report", hint)


@cache
def _set_up_process() -> None:
    """One thread a process; see the head of this file."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    _keep_freed_memory()


def _keep_freed_memory() -> None:
    """Batches allocate and free the same large blocks again and again. The C library would give each back to the system
    and fault its pages in anew, which takes a tenth of the time; where it is another library, nothing happens."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGEST_BLOCK)
        libc.mallopt(_M_TRIM_THRESHOLD, 8 * _LARGEST_BLOCK)


def read_batch(lake: Lake, batch: Batch, options: Options) -> _Done:
    """Parse one batch and write its parts; nothing is visible before the commit. Runs in a worker."""
    _set_up_process()
    segments = []
    for stretch in batch.stretches:
        piece = stretch.read()
        source_id = source_id_of(stretch.source.sha256, options.as_key())
        name = stretch.source.source_file
        cut = stretch.end >= stretch.source.size and stretch.source.cut_short()
        segments.append(
            Segment(source_id, name, piece.text, piece.control, stretch.first_line, stretch.first_page, cut)
        )
    parsed = engine.parse(segments, options)
    ids = [s.source_id for s in segments]
    parts = [lake.write_part(name, table, ids, batch.number) for name, table in sorted(parsed.tables.items())]
    rows = _rows_by_source(parsed.tables, ids)
    return _Done(parts, parsed.counts, rows, _banners(parsed.tables.get("unknown_report"), ids))


def _rows_by_source(tables: dict[str, pa.Table], ids: list[str]) -> list[dict[str, int]]:
    rows: list[dict[str, int]] = [{} for _ in ids]
    at = {source_id: k for k, source_id in enumerate(ids)}
    for name, table in sorted(tables.items()):
        for found in table.column("source_id").value_counts().to_pylist():
            rows[at[found["values"]]][name] = found["counts"]
    return rows


def _banners(table: pa.Table | None, ids: list[str]) -> list[list[str]]:
    out: list[list[str]] = [[] for _ in ids]
    if table is not None:
        for source_id, banner in zip(table["source_id"].to_pylist(), table["banner"].to_pylist(), strict=True):
            out[ids.index(source_id)].append(banner)
    return out
