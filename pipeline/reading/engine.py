"""From segments to Arrow tables: a pure function of some pages and the options, without files and without state.

Lines get kinds (line_kinds.py, claim_lines.py), cells are cut and cast in bulk (cut_report.py, cast.py), and values are assigned
to rows (assign_values.py). A batch may hold pages of several sources and reports.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration import bookkeeping
from ..declaration.reading_options import Options
from ..declaration.report import Report, Table, reports
from ..files.canonical_text import canonical
from ..files.detect_format import inspect
from ..files.line_format import ends_within_line, line_ends
from ..files.segment import Segment
from ..files.source import canonical_document
from . import line_kinds, pages
from .assign_values import TableBuilder, table_builder
from .claim_lines import build
from .gather_from_pages import gather_over_rows
from .line_kinds import JUNK
from .pages import Lines
from .records import ReadRecords, read_records, unread_rows
from .rejects import Rejects
from .report_lines import ReportLines
from .unread import unread_lines, unread_sections

# More than one line in five of a page: what is read of it may be of other rows.
_MOST_REJECTED = 5


@dataclass(frozen=True)
class Counts:
    """An account of every line of a segment: lines = blank + claimed + unread + rejected + unknown.

    claimed: lines read at least in part, and titles; unread: lines recognised by the grammar that add nothing to any table;
    rejected: unexpected or unreadable lines; unknown: lines of pages of unknown reports."""

    pages: int
    unknown_pages: int
    lines: int
    blank: int
    claimed: int
    unread: int
    rejected: int
    unknown: int
    rejects: int

    @property
    def closes(self) -> bool:
        return self.lines == self.blank + self.claimed + self.unread + self.rejected + self.unknown


@dataclass(frozen=True)
class Parsed:
    """Tables by name (only those with rows), and the account of each segment. unread_pages: pages of which more than a fifth of the lines
    are rejects, with columns source_id, page, rejected and lines."""

    tables: dict[str, pa.Table]
    counts: list[Counts]
    unread_pages: pl.DataFrame


@dataclass
class Watched:
    """The record of a reading for `explain`: the lines; bool per line, its page names its report; the rejects; and per report the indexes of
    its lines, its table builder and tables, and bool per line of the report, it is unread."""

    lines: Lines
    titled: np.ndarray
    rejects: Rejects
    reports: list[tuple[np.ndarray, TableBuilder, dict[str, pa.Table], np.ndarray]] = field(default_factory=list)
    records: list[ReadRecords] = field(default_factory=list)


def watch(segments: Sequence[Segment], options: Options) -> Watched:
    """Read pages like `parse`, and keep a record for `explain`."""
    lines = pages.find_lines(segments)
    watched = Watched(lines, lines.report != pages.UNKNOWN, Rejects())
    _parse(lines, segments, options, watched.rejects, watched)
    return watched


def parse(segments: Sequence[Segment], options: Options) -> Parsed:
    """Read whole pages. Never raises for their content: unreadable parts go to parse_reject."""
    return _parse(pages.find_lines(segments), segments, options, Rejects())


def any_report(segment: Segment) -> bool:
    """Whether a page of a segment is of a known report."""
    lines = pages.find_lines([segment])
    claim_pages_without_banner(lines, _known())
    return bool((lines.report != pages.UNKNOWN).any())


def _known() -> dict[int, Report]:
    """The reports by their number in `Lines`."""
    return dict(enumerate(reports().values()))


def _parse(
    lines: Lines, segments: Sequence[Segment], options: Options, rejects: Rejects, watched: Watched | None = None
) -> Parsed:
    known = _known()
    claim_pages_without_banner(lines, known)
    tables: dict[str, pa.Table] = {}
    nulls: list[pa.Table] = []
    claimed, unread, rejected = np.zeros((3, len(segments)), dtype=np.int64)
    passed_over: list[pa.Table] = []
    unread_pages = [
        pl.DataFrame(schema={"segment": pl.Int64, "page": pl.Int64, "rejected": pl.Int64, "lines": pl.Int64})
    ]
    for read in read_records(lines, segments, rejects):
        for name, (rows, *_) in read.tables.items():
            tables[name] = pa.concat_tables([tables[name], rows]) if name in tables else rows
        of_segment = read.lines.segment
        claimed += np.bincount(of_segment[~read.rejected], minlength=len(segments))
        rejected += np.bincount(of_segment[read.rejected], minlength=len(segments))
        if read.unread:
            rows = unread_rows(read)
            passed_over.append(_bookkeeping_table(bookkeeping.UNREAD_SECTION, rows, rows.pop("segment"), segments))
        if watched:
            watched.records.append(read)
    for number, report in known.items():
        for grammar, chosen in _by_grammar(lines, report, np.flatnonzero(lines.report == number)):
            report_lines = build(report, line_kinds.load(grammar), lines, chosen, rejects)
            report_lines.watched = watched is not None
            builder = table_builder(report, report_lines, options, segments, rejects)
            of_report = _read_report(report, builder)
            tables |= {n: pa.concat_tables([tables[n], t]) if n in tables else t for n, t in of_report.items()}
            nulls.extend(builder.cell_nulls())
            lost = rejects.rejected_lines(report_lines)
            not_read = unread_lines(builder, lost)
            if watched:
                watched.reports.append((chosen, builder, of_report, not_read))
            claimed += np.bincount(
                report_lines.segment[(report_lines.kind != JUNK) & ~not_read & ~lost], minlength=len(segments)
            )
            unread += np.bincount(report_lines.segment[not_read], minlength=len(segments))
            rejected += np.bincount(report_lines.segment[lost], minlength=len(segments))
            if lost.any():
                unread_pages.append(_rejected_share(report_lines, lost))
            if not_read.any():
                rows = unread_sections(report_lines, not_read)
                passed_over.append(_bookkeeping_table(bookkeeping.UNREAD_SECTION, rows, rows.pop("segment"), segments))
    strangers, unknown_lines, unknown_pages = _unknown_reports(lines, segments)
    reject_table = _reject_table(rejects, segments)
    for table in (reject_table, strangers, *passed_over, *nulls):
        if table is not None and len(table):
            name = table.schema.metadata[b"table"].decode()
            tables[name] = pa.concat_tables([tables[name], table]) if name in tables else table
    per_segment = np.zeros(len(segments), dtype=np.int64)
    for group in rejects.groups:
        np.add.at(per_segment, group.report_lines.segment[group.line], 1)
    counts = [
        Counts(
            pages=int(lines.pages[k]),
            unknown_pages=int(unknown_pages[k]),
            lines=int(lines.counts[k, 0]),
            blank=int(lines.counts[k, 1]),
            claimed=int(claimed[k]),
            unread=int(unread[k]),
            rejected=int(rejected[k]),
            unknown=int(unknown_lines[k]),
            rejects=int(per_segment[k]),
        )
        for k in range(len(segments))
    ]
    ids = pl.Series([s.source_id for s in segments], dtype=pl.String)
    spoilt = pl.concat(unread_pages).filter(pl.col("rejected") * _MOST_REJECTED > pl.col("lines"))
    return Parsed(
        tables,
        counts,
        spoilt.select(source_id=ids.gather(spoilt["segment"]), page="page", rejected="rejected", lines="lines"),
    )


def _rejected_share(report_lines: ReportLines, lost: np.ndarray) -> pl.DataFrame:
    """Per page with rejected lines: how many, and how many lines it has. lost: bool per line."""
    lines = pl.DataFrame({"segment": report_lines.segment, "page": report_lines.page, "lost": lost})
    pages = lines.cast({"segment": pl.Int64, "page": pl.Int64}).group_by("segment", "page", maintain_order=True)
    return pages.agg(rejected=pl.col("lost").sum().cast(pl.Int64), lines=pl.len().cast(pl.Int64)).filter(
        pl.col("rejected") > 0
    )


def _by_grammar(lines: Lines, report: Report, chosen: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The lines of a report by the grammar that reads them."""
    if report.xml_grammar and len(chosen):
        page = np.maximum(np.searchsorted(lines.page_starts, chosen, side="right") - 1, 0)
        of_xml = pages.in_xml(lines)[page]
        yield from ((n, some) for n, some in ((report.xml_grammar, chosen[of_xml]),) if len(some))
        chosen = chosen[~of_xml]
    if len(chosen):
        yield report.name, chosen


def read_text(text: str | bytes, options: Options | None = None, name: str = "text") -> dict[str, pl.DataFrame]:
    """Parse pages as ingesting a file would: every table of the reports found, and the bookkeeping tables.

    text: canonical text (see files/segment.py), or the bytes of a file in any format that ingest accepts.
    """
    data = text.encode() if isinstance(text, str) else text
    segment = canonical_segment(data, name, options or Options())
    found = parse([segment], options or Options()).tables
    return {n: _frame_of(found.get(n), table) for n, table in tables_of(found, _reports_named(found)).items()}


def tables_of(found: Iterable[str], reports_named: Iterable[str]) -> dict[str, Table]:
    """The bookkeeping tables, and every table of the reports that have some of the tables found, or are named."""
    some, named = set(found), set(reports_named)
    out = {t.name: t for t in bookkeeping.TABLES}
    for report in reports().values():
        if report.name in named or any(t.name in some for t in report.tables):
            out |= {t.name: t for t in report.tables}
    return out


def canonical_segment(data: bytes, name: str, options: Options) -> Segment:
    """One segment from the bytes of a small file; raises IronlakeError for bytes that are not a print file."""
    seen = inspect(io.BytesIO(data), len(data), options.encoding, lambda _: None)
    if seen is None:
        return Segment("", name, b"")
    raw = data[: seen.text_end]
    if seen.file_format.is_document:
        found = canonical_document(raw, seen.file_format, is_last=True)
        return Segment("", name, found.text, found.control, line_numbers=found.numbers + 1)
    text, control = canonical(raw, line_ends(raw, seen.file_format, True), seen.file_format, top=True)
    return Segment("", name, text, control, cut_short=ends_within_line(raw, seen.file_format))


def _reports_named(tables: dict[str, pa.Table]) -> set[str]:
    rejects = tables.get("parse_reject")
    return set(rejects.column("report").to_pylist()) if rejects is not None else set()


def _frame_of(table: pa.Table | None, declared: Table) -> pl.DataFrame:
    if table is None:
        return _empty_frame(declared).clone()
    # Here and not by polars, which asks a question of its own for it.
    is_coded = [pa.types.is_dictionary(field.type) for field in table.schema]
    columns = [c.cast(pa.string()) if coded else c for c, coded in zip(table.columns, is_coded, strict=True)]
    frame = pl.from_arrow(pa.table(columns, names=table.column_names))
    assert isinstance(frame, pl.DataFrame)
    return frame


@cache
def _empty_frame(declared: Table) -> pl.DataFrame:
    return _frame_of(declared.schema.empty_table(), declared)


def claim_pages_without_banner(lines: Lines, known: dict[int, Report]) -> None:
    """Assign a page without a title (cut or copied) to the report with the most section and page heading lines on it; to none if two
    reports tie."""
    orphan = np.flatnonzero(lines.report == pages.UNKNOWN)
    if not len(orphan):
        return
    ordinal = np.zeros(len(lines.text), dtype=np.int64)
    ordinal[lines.page_starts] = 1
    ordinal = np.cumsum(ordinal)
    text = lines.text.gather(orphan)
    titled = np.unique(ordinal[orphan[pages.names_itself(text)]])
    if np.isin(ordinal[orphan], titled).all():
        return  # unknown reports need no grammar
    best = np.zeros(int(ordinal[-1]) + 1, dtype=np.int64)
    of_page = np.full(len(best), pages.UNKNOWN, dtype=lines.report.dtype)
    for number, report in known.items():
        begins, belongs = line_kinds.load(report.name).of_report(text, ordinal[orphan], report)
        mine = np.setdiff1d(np.unique(ordinal[orphan[begins]]), titled)
        many = np.bincount(ordinal[orphan[belongs]], minlength=len(best))
        mine = mine[many[mine] >= best[mine]]
        of_page[mine] = np.where(many[mine] > best[mine], number, pages.UNKNOWN)
        best[mine] = many[mine]
    lines.report[orphan] = of_page[ordinal[orphan]]


def _read_report(report: Report, builder: TableBuilder) -> dict[str, pa.Table]:
    """The tables of one report."""
    tables = {table.name: builder.build(table) for table in report.tables}
    tables = gather_over_rows(report, builder, tables)
    return {n: t for n, t in tables.items() if len(t)}


def _unknown_reports(lines: Lines, segments: Sequence[Segment]) -> tuple[pa.Table | None, np.ndarray, np.ndarray]:
    """Rows of unknown_report, and lines and pages of unknown reports per segment."""
    unknown = lines.report == pages.UNKNOWN
    count = np.bincount(lines.segment[unknown], minlength=len(segments))
    starts = lines.page_starts
    ends = np.append(starts[1:], len(lines.text))
    # A line that tells of a malformed document is of a known report on any page, which is then not unknown as a whole.
    many = np.add.reduceat(unknown, starts, dtype=np.int64) if len(starts) else np.zeros(0, dtype=np.int64)
    starts, ends, many = starts[many > 0], ends[many > 0], many[many > 0]
    pages_of = np.bincount(lines.segment[starts[many == ends - starts]], minlength=len(segments))
    if not len(starts):
        return None, count, pages_of
    found = (
        pl.DataFrame(
            {
                "segment": lines.segment[starts],
                "page": lines.page[starts],
                "line": lines.number[starts],
                "banner": pages.banner_of(lines.text, starts, ends),
                "size": many,
            }
        )
        .group_by("segment", "banner", maintain_order=True)
        .agg(pl.len().alias("pages"), pl.col("size").sum().alias("lines"), pl.first("page", "line"))
    )
    named = {k: found[k].to_list() for k in ("banner", "pages", "lines", "page", "line")}
    return _bookkeeping_table(bookkeeping.UNKNOWN_REPORT, named, found["segment"].to_list(), segments), count, pages_of


def _reject_table(rejects: Rejects, segments: Sequence[Segment]) -> pa.Table | None:
    if not rejects.groups:
        return None
    columns = rejects.arrays()
    order = np.lexsort((columns["line"], columns["segment"]))  # type: ignore[arg-type]
    taken = {
        k: v[order] if isinstance(v, np.ndarray) else pa.array(v, pa.string()).take(order) for k, v in columns.items()
    }
    return _bookkeeping_table(bookkeeping.PARSE_REJECT, taken, taken.pop("segment"), segments)


def _bookkeeping_table(table: Table, columns: dict, segment, segments: Sequence[Segment]) -> pa.Table:
    where = pa.array(segment, pa.int64())
    columns = columns | {
        "source_id": pa.array([s.source_id for s in segments], pa.string()).take(where),
        "source_file": pa.array([s.source_file for s in segments], pa.string()).take(where),
    }
    schema = table.schema
    arrays = [pa.array(columns[f.name], pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in schema]
    arrays = [
        a.dictionary_encode() if pa.types.is_dictionary(f.type) else a for a, f in zip(arrays, schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)
