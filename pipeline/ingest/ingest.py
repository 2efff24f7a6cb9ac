"""From files to the lake: open sources, cut them into batches, parse these in workers, commit source by source."""

from __future__ import annotations

import os
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa

from ..declaration.reading_options import Options
from ..errors import IronlakeError, format_error
from ..files.archives import Found, Limits, walk
from ..files.encodings import is_ebcdic
from ..files.line_format import FileFormat
from ..files.other_kinds import BUG_REPORT, JSON, KIND_SAMPLE_BYTES, MARKDOWN, kind_of
from ..files.segment import Segment
from ..files.source import SkippedFile, Source, open_sources, segment_of
from ..lake.lake import Lake
from ..lake.ledger import Part, SourceEntry, source_id_of
from ..lake.origin import Receipt
from ..lake.replacing import notes_on
from ..quality.check_batch import check_batch, count_marked_pages, first_errors
from ..quality.reject_text import counted, format_reject_row
from ..reading import engine
from ..waiting import made
from .batches import BATCH_BYTES, Batch, plan
from .dates import Dates, dates_error, dates_of, is_undated
from .progress import Progress
from .summary import REJECTS_SHOWN, FileResult, IngestReport, Replaced, format_banners, no_report
from .workers import Executor, Workers, collector_paused, set_up_process

_NOT_ALL_THERE = {
    "replaced": "rows of it gave way to newer prints; to bring them back, ironlake remove it and ingest it again",
    "expired": "rows of it are older than the settings of the lake keep",
}
_SAME_FILE = "--replace: the lake has the rows of this very file, and nothing was replaced; ironlake remove takes out another one"
_MEANWHILE = "another process ingested it at the same time"
# So much of a file that looks like another kind is searched for pages of reports.
_LOOKED_AT_BYTES = 1 << 20
_PASSED_OVER = ", no print report: passed over"
_MERGED_PER_PART = 4
_DEFECT_HINT = "this is a bug in Ironlake; please report it, with the page if you can share it"


# Writes the tables of a batch of sources; see Lake.write_batch.
WriteBatch = Callable[[Mapping[str, pa.Table], Sequence[Receipt]], list[Part]]


class SourceResult(NamedTuple):
    """The result of a SourceRange: its line counts, rows by table, banners of unknown reports, first rejects, unread lines
    by section, pages that break a rule, and those with an error among them, and whether dates can be read."""

    counts: engine.Counts
    rows: dict[str, int]
    unknown: list[str]
    first_rejects: list[str]
    unread: dict[str, int]
    suspect_pages: int
    wrong_pages: int
    dates: Dates


@dataclass(frozen=True)
class BatchResult:
    """The result of a batch: its parts and one SourceResult per range; or only `errors` (by SHA-256)."""

    parts: list[Part] = field(default_factory=list)
    source_results: list[SourceResult] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)


def ingest(
    paths: Sequence[str],
    lake: Path,
    options: Options,
    jobs: int | None = None,
    progress: bool = False,
    strict: bool = False,
    limits: Limits | None = None,
    replace_prints: bool = False,
    told: Callable[[FileResult], None] = lambda result: None,
    wait_s: float | None = None,
    elsewhere: Executor[Batch, BatchResult] | None = None,
) -> IngestReport:
    """Read files, folders, archives and `-` into the lake; sources already in it are skipped.

    jobs: worker processes (default: one per core; this process alone for small input). Committed sources stay committed
    after a failure; the same command continues from there. strict: do not ingest a source that breaks a rule of severity
    error. limits: decompression limits. replace_prints: what the lake holds of the same reports, intervals and systems from other files
    gives way. told: is given the result of each file as it is known. wait_s: how long to wait while another process writes to the lake
    (default: as long as it takes). elsewhere: reads batches with the same options in place of processes of this machine.
    Raises IronlakeError if the lake is unusable, damaged, full or in use for too long, or the encoding unknown.
    """
    report = IngestReport(lake)
    with Lake(lake, wait_s) as target, Progress(progress) as bar:
        read = partial(read_batch, target.write_batch, options, strict)
        target.verify_parts()
        # Wrong settings are told before the work, not after it.
        limits_of_rows = target.limits()
        run = _Run(target, options, report, bar, read, limits, replace_prints, told)
        with elsewhere or Workers(jobs or _jobs(paths), read, Batch.without_text) as executor:
            run.read(paths, executor)
        target.note_not_read(*report.not_read())
        report.expired = target.expire(limits_of_rows).rows_by_report()
        # One table at least, and several times as much as came: a few files in a large lake are read as fast every night.
        target.compact(most_merged=_MERGED_PER_PART * target.parts_committed)
    return report


def _jobs(paths: Sequence[str]) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if _is_large(paths) else 1


def _is_large(paths: Sequence[str]) -> bool:
    """Whether the input is larger than two batches; for less, starting processes takes longer than reading."""
    seen: set[Any] = set()
    size = 0
    for path in paths:
        if path == "-":
            return True
        for found in walk(path, seen):
            size += found.size if isinstance(found, Found) else 0
            if size > 2 * BATCH_BYTES:
                return True
    return False


@dataclass
class _Run:
    """One ingest: its report, and the batches that wait for the last batch of their source."""

    lake: Lake
    options: Options
    report: IngestReport
    bar: Progress
    read_batch: Callable[[Batch], BatchResult]
    limits: Limits | None = None
    replace_prints: bool = False
    told: Callable[[FileResult], None] = lambda result: None
    _collected: dict[str, list[tuple[Batch, BatchResult]]] = field(default_factory=dict)
    _failed: set[str] = field(default_factory=set)

    def read(self, paths: Sequence[str], executor: Executor[Batch, BatchResult]) -> None:
        for batch, future in executor.run(plan(self._new_sources(paths))):
            self._finish(batch, future)

    def _new_sources(self, paths: Sequence[str]) -> Iterator[Source]:
        """Sources that are not in the lake yet; all other files are added to the report."""
        seen: dict[str, str] = {}
        stdin = getattr(sys.stdin, "buffer", None)
        find = self.lake.finder(self.options.as_key())
        for found in open_sources(paths, self.options, self.lake.spool, stdin, self.limits):
            if isinstance(found, SkippedFile):
                error = format_error(f"{found.source_file}: {found.what}", found.expected, found.hint)
                error += _PASSED_OVER if found.status == "skipped" else ""
                self._add_result(FileResult(found.source_file, None, found.status, error=error))
                continue
            known = find(found.sha256)
            if known or found.sha256 in seen:
                self._add_result(self._already_there(found, known, known.source_file if known else seen[found.sha256]))
                found.close()
                continue
            if other := self._other_kind(found):
                self._add_result(other)
                found.close()
                continue
            seen[found.sha256] = found.source_file
            self.bar.expect(found.size)
            yield found

    def _other_kind(self, source: Source) -> FileResult | None:
        """The result of a file that is plainly no print report: one that looks like another kind, with no page of a report near its
        begin, Markdown of a folder, or a bug report. None for any other."""
        if source.file_format.is_document or source.file_format.record_length:
            return None
        try:
            kind = kind_of(source.begin(KIND_SAMPLE_BYTES))
        except IronlakeError:
            return None
        if not kind:
            return None
        if kind != BUG_REPORT and (kind != MARKDOWN or source.is_given) and self._has_report(source):
            return None
        name = source.source_file
        if not source.is_given:
            return FileResult(name, None, "skipped", error=f"{name}: is {kind}{_PASSED_OVER}")
        hint = "a print report in a file of any name is read; ironlake describe lists the known reports"
        if kind.startswith(JSON):
            hint = "of JSON, SMF records as SMF2JSON writes them are read: ironlake docs smf_json; print and XML of RMF are read as well"
        return FileResult(name, None, "failed", error=format_error(f"{name}: is {kind}", "a print report", hint))

    def _has_report(self, source: Source) -> bool:
        """Whether a page of a report is near the begin of a file, or cannot be looked for."""
        chunk = source.read(0, _LOOKED_AT_BYTES)
        try:
            return engine.any_report(Segment("", source.source_file, chunk.text, chunk.control, 1, 1, False))
        except _DEFECTS:
            return True

    def _already_there(self, source: Source, known: SourceEntry | None, first_name: str) -> FileResult:
        """The result of a file whose bytes are in the lake (`known`), or earlier in this ingest."""
        name = source.source_file
        error = None if first_name == name else f"same content as {first_name}"
        source_id = source_id_of(source.sha256, self.options.as_key())
        if known is None:
            return FileResult(name, source_id, "already_ingested", error=error)
        if known.status == "empty":
            error = no_report(name, [])
        account = (known.pages, known.lines, known.rows, known.rejects, known.suspect_pages, known.wrong_pages)
        note = _NOT_ALL_THERE.get(
            known.removed, _SAME_FILE if self.replace_prints and known.status == "ingested" else ""
        )
        return FileResult(name, known.source_id, "already_ingested", *account, known.unread_lines, error, note)

    def _add_result(self, result: FileResult) -> None:
        self.report.files.append(result)
        self.bar.file(result.rejects)
        self.told(result)

    def _finish(self, batch: Batch, future: Future[BatchResult]) -> None:
        """Take a batch's result; commit the sources that it completes.

        Raises IronlakeError if the lake cannot be written: other batches would fail too."""
        try:
            batch_result = future.result()
        except BrokenExecutor:
            hint = "committed files are safe; run the same command again, with --jobs 1 if memory is short"
            raise IronlakeError("a worker process ended unexpectedly", hint=hint) from None
        self.bar.read(
            sum(s.end - s.start for s in batch.ranges), sum(sum(o.rows.values()) for o in batch_result.source_results)
        )
        errors = batch_result.errors
        if batch.last:
            errors = {
                s.source.sha256: _changed_error(s.source) for s in batch.ranges if not s.source.unchanged()
            } | errors
            for look in (self._account_errors, self._worse_errors, self._date_errors):
                errors = look(batch, batch_result) | errors
        for source_range in batch.ranges:
            if source_range.source.sha256 in errors:
                self._fail(source_range.source, errors[source_range.source.sha256])
        kept = tuple(s for s in batch.ranges if s.source.sha256 not in self._failed)
        first = batch.ranges[0].source.sha256
        if kept and errors:
            # Parts hold several sources: read the good sources again without the failed ones.
            again = batch._replace(ranges=kept)
            self._finish(again, made(self.read_batch(again)))
        elif kept:
            # The batches of a file wait here for its last batch.
            self._collected.setdefault(first, []).append((batch._replace(ranges=kept), batch_result))
            if batch.last:
                self._commit(self._collected.pop(first))
                for source_range in kept:
                    source_range.source.close()
        else:
            self._collected.pop(first, None)

    def _account_errors(self, batch: Batch, batch_result: BatchResult) -> dict[str, str]:
        """Errors, by SHA-256, of sources whose line counts do not add up to the lines counted before reading."""
        errors = {}
        for source, counts in self._counted(batch, batch_result):
            found = sum(c.lines for c in counts)
            # Lines of an XML document are made when it is read.
            counted_before = found if source.lines is None else source.lines
            if found != counted_before or not all(c.closes for c in counts):
                accounted = sum(c.blank + c.claimed + c.unread + c.rejected + c.unknown for c in counts)
                errors[source.sha256] = _account_error(counted_before, found, accounted)
        return errors

    def _worse_errors(self, batch: Batch, batch_result: BatchResult) -> dict[str, str]:
        """Errors, by SHA-256, of sources with more rejects under these options (date order, encoding) than under those in the
        lake: the rows in the lake stay."""
        errors = {}
        for source, counts in self._counted(batch, batch_result):
            rejects = sum(c.rejects for c in counts)
            # Every look into the lake reads its newest step: for a source without rejects it can be spared.
            held = self.lake.as_read(source.sha256) if rejects else None
            if held and held.options_key != self.options.as_key() and rejects > held.rejects:
                errors[source.sha256] = _worse_error(rejects, held.rejects)
        return errors

    def _date_errors(self, batch: Batch, batch_result: BatchResult) -> dict[str, str]:
        """Errors, by SHA-256, of sources of which no date can be read."""
        errors = {}
        for source, results in self._results(batch, batch_result):
            if error := dates_error([found.dates for found in results], self.options):
                errors[source.sha256] = error
        return errors

    def _counted(self, batch: Batch, batch_result: BatchResult) -> Iterator[tuple[Source, list[engine.Counts]]]:
        """The sources of a last batch with the counts of all their batches; nothing if the batch failed."""
        return ((source, [found.counts for found in results]) for source, results in self._results(batch, batch_result))

    def _results(self, batch: Batch, batch_result: BatchResult) -> Iterator[tuple[Source, list[SourceResult]]]:
        """The sources of a last batch with the results of all their batches; nothing if the batch failed."""
        if not batch_result.source_results:
            return
        earlier = [d.source_results for _, d in self._collected.get(batch.ranges[0].source.sha256, [])]
        for source_range, of_one in zip(
            batch.ranges, zip(*earlier, batch_result.source_results, strict=True), strict=True
        ):
            yield source_range.source, list(of_one)

    def _fail(self, source: Source, error: str) -> None:
        if source.sha256 not in self._failed:
            self._failed.add(source.sha256)
            source_id = source_id_of(source.sha256, self.options.as_key())
            message = error if error.startswith(source.source_file) else f"{source.source_file}: {error}"
            self._add_result(FileResult(source.source_file, source_id, "failed", error=message))
        source.close()

    def _commit(self, collected: list[tuple[Batch, BatchResult]]) -> None:
        parts = [part for _, batch_result in collected for part in batch_result.parts]
        results = []
        entries = []
        for number, source_range in enumerate(collected[0][0].ranges):
            source_results = [batch_result.source_results[number] for _, batch_result in collected]
            entry = _entry(source_range.source, source_results, self.options)
            entries.append(entry)
            results.append(_result(source_range.source, entry, source_results))
        others = {} if self.replace_prints else self.lake.other_values(entries, parts)
        entries = [replace(e, other_values=others[e.source_id].counts) if e.source_id in others else e for e in entries]
        outcome = self.lake.commit(entries, parts, self.replace_prints)
        for result in results:
            if why := outcome.doubts.get(result.source_id or ""):
                self._add_result(FileResult(result.path, result.source_id, "failed", error=why))
            elif result.source_id in outcome.there:
                self._add_result(replace(result, status="already_ingested", note=_MEANWHILE))
            elif result.source_id:
                found = others.get(result.source_id)
                replaced = tuple(Replaced(*each) for each in outcome.replaced_by(result.source_id))
                note = "\n".join(filter(None, [result.note, *notes_on(outcome, result.source_id)]))
                self._add_result(replace(result, other_values=found, replaced=replaced, note=note))


def _account_error(lines: int, found: int, accounted: int) -> str:
    what = f"internal error: {lines:,} lines in the file, {found:,} read, {accounted:,} accounted for"
    return format_error(what, hint=_DEFECT_HINT)


def _worse_error(rejects: int, held: int) -> str:
    what = f"already ingested with other options ({counted(held, 'reject')}); these options give {rejects:,}"
    return format_error(what, hint="existing rows kept; use another --lake to try these options")


def _changed_error(source: Source) -> str:
    if not source.path.exists():
        return f"{source.source_file} can no longer be read"
    return format_error("the file changed while it was being read", hint="ingest it again when it is complete")


def _entry(source: Source, source_results: list[SourceResult], options: Options) -> SourceEntry:
    counts = [o.counts for o in source_results]
    rows: dict[str, int] = {}
    for source_result in source_results:
        for table, count in source_result.rows.items():
            rows[table] = rows.get(table, 0) + count
    return SourceEntry(
        sha256=source.sha256,
        options_key=options.as_key(),
        source_file=source.source_file,
        status="ingested" if any(c.pages > c.unknown_pages for c in counts) else "empty",
        bytes=source.size,
        encoding=source.file_format.encoding,
        form=_format_file_format(source.file_format),
        pages=sum(c.pages for c in counts),
        lines=sum(c.lines for c in counts),
        blank_lines=sum(c.blank for c in counts),
        claimed_lines=sum(c.claimed for c in counts),
        unread_lines=sum(c.unread for c in counts),
        rejected_lines=sum(c.rejected for c in counts),
        unknown_lines=sum(c.unknown for c in counts),
        rejects=sum(c.rejects for c in counts),
        suspect_pages=sum(o.suspect_pages for o in source_results),
        wrong_pages=sum(o.wrong_pages for o in source_results),
        rows=rows,
    )


def _format_file_format(file_format: FileFormat) -> str:
    """Line ends or record length, carriage control, and the note of how they were found.

    >>> _format_file_format(FileFormat("cp1047", record_length=133, control="asa", newline="record"))
    'records of 133 bytes, ASA carriage control'
    """
    ends = {"lf": "line ends LF or CRLF", "cr": "line ends CR", "nel": "line ends NEL"}
    if is_ebcdic(file_format.encoding):
        ends["lf"] = "line ends NL"
    if file_format.is_document:
        return "; ".join(filter(None, ["SMF as JSON" if file_format.is_smf else "XML", file_format.note]))
    words = [
        f"records of {file_format.record_length} bytes" if file_format.record_length else ends[file_format.newline]
    ]
    control = {"none": "no carriage control", "asa": "ASA carriage control", "machine": "machine carriage control"}
    words.append(control[file_format.control])
    if file_format.form_feeds:
        words.append("form feeds")
    return "; ".join([", ".join(words), *([file_format.note] if file_format.note else [])])


def _result(source: Source, entry: SourceEntry, source_results: list[SourceResult]) -> FileResult:
    unknown = [banner for o in source_results for banner in o.unknown]
    is_read = entry.status == "ingested"
    notes = [source.file_format.note] if source.file_format.note else []
    if is_read and _ends_inside_a_line(source):
        notes.append("the last line has no line end: the file and its last number may be truncated")
    if is_read and unknown:
        notes.append(f"pages of unknown reports: {format_banners(unknown)}")
    undated = is_read and is_undated([o.dates for o in source_results])
    if undated:
        notes.append("no date in it can be read: its rows have no time")
    return FileResult(
        path=entry.source_file,
        source_id=entry.source_id,
        status="ingested" if is_read else "empty",
        pages=entry.pages,
        lines=entry.lines,
        rows=entry.rows,
        rejects=entry.rejects,
        suspect_pages=entry.suspect_pages,
        wrong_pages=entry.wrong_pages,
        error=None if is_read else no_report(entry.source_file, unknown),
        note="\n".join(notes),
        unread_lines=entry.unread_lines,
        unread=_added_up(o.unread for o in source_results),
        undated=undated,
        first_rejects=tuple(text for o in source_results for text in o.first_rejects)[:REJECTS_SHOWN],
    )


def _added_up(by_name: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for some in by_name:
        total.update(some)
    return dict(total)


def _ends_inside_a_line(source: Source) -> bool:
    """Whether the last byte is not a line end. Always false for fixed-length records and UTF-16."""
    if source.file_format.record_length or source.file_format.unit > 1 or source.file_format.is_document:
        return False
    return source.last_bytes[-1] not in (*source.file_format.line_end_codes, 0x0D, 0x85, 0x0C)


@collector_paused()
def read_batch(write: WriteBatch, options: Options, strict: bool, batch: Batch) -> BatchResult:
    """Parse and check one batch and write its parts; nothing is visible before the commit. Runs in any process.

    Raises IronlakeError if the lake cannot be written."""
    set_up_process()
    segments: list[Segment] = []
    errors: dict[str, str] = {}
    # Sorted, so that the same sources give the same part in any order: another ingest may write it at the same time.
    shas = sorted(s.source.sha256 for s in batch.ranges)
    for source_range in sorted(batch.ranges, key=lambda s: s.source.sha256):
        source = source_range.source
        try:
            chunk = source_range.read()
        except IronlakeError as error:
            errors[source.sha256] = str(error)
            continue
        source_id = source_id_of(source.sha256, options.as_key())
        at, cut = (
            (source_range.first_line, source_range.first_page),
            source_range.end >= source.size and source.cut_short(),
        )
        segments.append(segment_of(chunk, (source_id, source.source_file), at, cut, source_range.split))
    if errors:
        return BatchResult(errors=errors)
    try:
        parsed = engine.parse(segments, options)
        judged = check_batch(parsed.tables, parsed.unread_pages)
    except _DEFECTS as error:
        return BatchResult(errors=_defects(shas, segments, options, error))
    ids = [s.source_id for s in segments]
    if strict and judged is not None and (refused := first_errors(judged)):
        return BatchResult(
            errors={sha: _strict_error(refused[i]) for sha, i in zip(shas, ids, strict=True) if i in refused}
        )
    tables = parsed.tables if judged is None else parsed.tables | {"quality_result": judged}
    rows = _rows_by_source(tables, ids)
    banners = _by_source(tables.get("unknown_report"), ids, lambda row: row["banner"])
    rejects = _by_source(tables.get("parse_reject"), ids, format_reject_row, REJECTS_SHOWN)
    suspect = count_marked_pages(judged, ids, ("warn", "error")), count_marked_pages(judged, ids, ("error",))
    unread = _sections_by_source(tables.get("unread_section"), ids)
    dates = dates_of(parsed.tables, ids, options)
    source_results = [
        SourceResult(*of_one)
        for of_one in zip(parsed.counts, rows, banners, rejects, unread, *suspect, dates, strict=True)
    ]
    by_sha = dict(zip(shas, source_results, strict=True))
    of_ranges = [by_sha[s.source.sha256] for s in batch.ranges]
    entries = [_entry(s.source, [found], options) for s, found in zip(batch.ranges, of_ranges, strict=True)]
    receipts = [Receipt(entry, batch.number, batch.last) for entry in entries]
    return BatchResult(write(tables, receipts), of_ranges)


# The engine never raises for the content of a page. Whatever it raises is a bug, and must not stop the other files.
# A panic of polars is not an Exception.
_DEFECTS = (Exception, pl.exceptions.PanicException)


def _defects(shas: list[str], segments: list[Segment], options: Options, error: BaseException) -> dict[str, str]:
    """Errors, by SHA-256, of the sources on which the engine fails; of all, if it fails on none alone."""
    errors: dict[str, str] = {}
    for sha256, segment in zip(shas, segments, strict=True):
        try:
            if len(segments) > 1:
                alone = engine.parse([segment], options)
                check_batch(alone.tables, alone.unread_pages)
        except _DEFECTS as own:
            errors[sha256] = _defect_error(own)
    return errors or dict.fromkeys(shas, _defect_error(error))


def _defect_error(error: BaseException) -> str:
    at = traceback.extract_tb(error.__traceback__)[-1]
    what = f"internal error: {type(error).__name__} in {Path(at.filename).name}:{at.lineno}: {error}"
    return format_error(what, "", _DEFECT_HINT)


def _strict_error(row: dict[str, Any]) -> str:
    """Why --strict does not ingest a source: its first error."""
    table, name = row["rule"].split(".")
    values = "" if row["found"] is None else f" (found {row['found']:.10g}, expected {row['expected']:.10g})"
    what = f"{row['source_file']}:{row['line']} (page {row['page']}): {table}: {row['what']}{values}"
    hint = f"rule {name}; not ingested because of --strict; without it, the page is marked in quality_result"
    return format_error(what, hint=hint)


def _rows_by_source(tables: dict[str, pa.Table], ids: list[str]) -> list[dict[str, int]]:
    rows: list[dict[str, int]] = [{} for _ in ids]
    at = {source_id: k for k, source_id in enumerate(ids)}
    for name, table in sorted(tables.items()):
        for found in table.column("source_id").value_counts().to_pylist():
            rows[at[found["values"]]][name] = found["counts"]
    return rows


def _sections_by_source(table: pa.Table | None, ids: list[str]) -> list[dict[str, int]]:
    """Unread lines of each source, by section."""
    out: dict[str, dict[str, int]] = {source_id: {} for source_id in ids}
    if table is not None:
        names = (table[name].to_pylist() for name in ("source_id", "section", "lines"))
        for source_id, section, lines in zip(*names, strict=True):
            # Fields that are not read make no line one.
            if lines:
                out[source_id][section] = out[source_id].get(section, 0) + lines
    return list(out.values())


def _by_source(
    table: pa.Table | None, ids: list[str], show: Callable[[dict[str, Any]], str], most: int | None = None
) -> list[list[str]]:
    """The first `most` rows of each source, formatted by `show`; all rows without `most`."""
    out: dict[str, list[str]] = {source_id: [] for source_id in ids}
    if table is not None:
        coded = table["source_id"].unify_dictionaries().combine_chunks()
        shown = [out[source_id] for source_id in coded.dictionary.to_pylist()]
        for number, code in enumerate(coded.indices.to_numpy().tolist()):
            if most is None or len(shown[code]) < most:
                shown[code] += [show(row) for row in table.slice(number, 1).to_pylist()]
    return list(out.values())
