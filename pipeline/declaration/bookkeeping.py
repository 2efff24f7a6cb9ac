"""Bookkeeping tables: what was read, what was not, and why cells are NULL."""

from functools import cache

import pyarrow as pa

from ..errors import UsageError
from ..plugins import line_with, own_files
from .report import Column, Table, Type, count, line_number, number, reports, text

PARSE_REJECT = Table(
    "parse_reject",
    grain="one row per line, or run of lines, that could not be read",
    rows=(),
    doc="No line is skipped silently: a line that could not be read is here, with its text and what was expected.",
    columns=(
        Column("report", text(), doc="The report of the page."),
        Column("column", line_number(), doc="Print column of the first wrong character, counted from 1."),
        Column("lines", line_number(), doc="Number of lines that this reject covers (rows below a missing heading)."),
        Column("text", text(), doc="The line as read."),
        Column("what", text(), doc="What is wrong."),
        Column("expected", text(), doc="What was expected there."),
        Column("hint", text(), doc="What to do next."),
    ),
)

# Column of a table about rows of other tables: the line on which such a row begins.
ROW_LINE = "row_line"

CELL_NULL = Table(
    "cell_null",
    grain="one row per cell that is printed with a reason for having no value",
    rows=(),
    doc="N/A, N/C, N/P, dashes and overflow have different meanings; the value is NULL, and the reason is here.",
    columns=(
        Column("table", text(), doc="Table of the NULL value."),
        Column("column", text(), doc="Column of the NULL value."),
        Column(
            ROW_LINE,
            line_number(),
            doc="`line` of the row with the NULL value; the cell itself may be on a later line. NULL if no row begins above it, and"
            " for files ingested by an older Ironlake: ingest them again.",
        ),
        Column("reason", text(), doc="N/A, N/C, N/P, not_measured (dashes), overflow (asterisks) or unreadable."),
    ),
)

UNKNOWN_REPORT = Table(
    "unknown_report",
    grain="one row per unknown report, source and batch",
    rows=(),
    columns=(
        Column(
            "banner",
            text(),
            doc="Its title; a letter-spaced title as words. For an RMF look-alike, also the evidence that it is not RMF.",
        ),
        Column("pages", count(), doc="Number of its pages; page and line are those of the first."),
        Column("lines", count(), doc="Number of lines on these pages."),
    ),
)

UNREAD_SECTION = Table(
    "unread_section",
    grain="one row per run of lines of a known report that are recognised but not read",
    rows=(),
    doc="The values of these lines are in no table: Ironlake skips them, or does not support them yet. They are not "
    "errors and not rejects. Page and line are those of the first line.",
    columns=(
        Column("report", text(), doc="The report of the page."),
        Column("section", text(), doc="The section of the lines; the kind of line, if the report names no section."),
        Column("lines", count(), doc="Number of lines, not counting column titles and rules."),
        Column("text", text(), doc="The first line, without leading and trailing blanks."),
    ),
)

QUALITY_RESULT = Table(
    "quality_result",
    grain="one row per page, broken rule and column",
    rows=(),
    doc="Values that a report prints twice must agree, and values must be in their range. A page that breaks a rule is "
    "suspect: a misread digit, a missing line, or printed that way. Page and line are those of the first such row.",
    columns=(
        Column("rule", text(), doc="Id of the rule: its table and its name.", nullable=False),
        Column("table", text(), doc="Table of the rows."),
        Column("column", text(), doc="Column with the inconsistent value."),
        Column(
            "severity",
            text(),
            doc="error: impossible value; warn: inconsistent, but seen in genuine reports.",
            allowed=("error", "warn"),
        ),
        Column("what", text(), doc="The rule in words, with its tolerance."),
        Column("basis", text(), doc="The source of the rule."),
        Column("found", number(minimum=None), doc="Value of the first row; NULL for rules about texts."),
        Column(
            "expected",
            number(minimum=None),
            doc="The expected value, computed from other values, or the exceeded bound.",
        ),
        Column("tolerance", number(minimum=None), doc="Allowed difference: the effect of rounding."),
        Column("rows", count(), doc="Number of rows of the page that break the rule."),
    ),
)

ROWS_BY_TABLE = pa.list_(pa.struct([("table", pa.string()), ("rows", pa.int64())]))

INGEST_FILE = Table(
    "ingest_file",
    grain="one row per source",
    rows=(),
    doc="Each ingested file, its options and result. Made from the ledger, not from parts.",
    key=("source_id",),
    columns=(
        Column("sha256", text(), doc="SHA-256 of the uncompressed bytes, in hex digits.", nullable=False),
        Column("options", text(), doc="Options and reader version of the ingest.", nullable=False),
        Column("reader_version", text(), doc="Version of the reader.", nullable=False),
        Column(
            "status",
            text(),
            doc="ingested, empty, failed; replaced or expired: all of its rows gave way to newer prints, or are older than the lake keeps.",
            allowed=("ingested", "empty", "failed", "replaced", "expired"),
        ),
        Column("bytes", count("bytes"), doc="Size, uncompressed."),
        Column("encoding", text(), doc="Character encoding."),
        Column("form", text(), doc="Line ends or record length, and carriage control."),
        Column("pages", count(), doc="Pages of the source."),
        Column("lines", count(), doc="Lines of the source: blank + claimed + unread + rejected + unknown, exactly."),
        Column("blank_lines", count(), doc="Blank lines."),
        Column(
            "claimed_lines",
            count(),
            doc="Lines that were read, and titles and rules. A cell of such a line that could not be read is in parse_reject, "
            "but the line does not count as rejected. If unread_lines is NULL, unread lines count here too.",
        ),
        Column(
            "unread_lines",
            count(),
            doc="Lines that are recognised but not read: those of unread_section. NULL "
            "if an older Ironlake, which did not count them, read the source.",
        ),
        Column("rejected_lines", count(), doc="Lines of which nothing was read; parse_reject covers all of them."),
        Column("unknown_lines", count(), doc="Lines on pages of unknown reports."),
        Column("rejects", count(), doc="Rows of the source in parse_reject."),
        Column("suspect_pages", count(), doc="Pages of the source that break a rule (see quality_result)."),
        Column("wrong_pages", count(), doc="Pages of the source that break a rule of severity error."),
        Column("rows", Type("rows_by_table", ROWS_BY_TABLE, "none"), doc="Rows of the source in every table."),
        Column("committed_at", Type("timestamp", pa.timestamp("us"), "none", "UTC"), doc="Time of the commit."),
    ),
)

TABLES = (PARSE_REJECT, CELL_NULL, UNKNOWN_REPORT, UNREAD_SECTION, QUALITY_RESULT, INGEST_FILE)


@cache
def stored_tables() -> dict[str, Table]:
    """All tables that reading fills, by name: those of the reports, and these. Raises UsageError for a name that a user gave once more."""
    for path in own_files("parsers", "[!_]*.py"):
        # Slow to import, and taken as well.
        from .study_tables import COMPUTED
        from .study_tables import TABLES as STUDIES

        for name in {t.name for t in reports()[path.stem].tables} & {t.name for t in (*TABLES, *STUDIES, *COMPUTED)}:
            raise UsageError(f"{line_with(path, name)}: Ironlake itself has a table {name}", "another name")
    return {t.name: t for report in reports().values() for t in report.tables} | {t.name: t for t in TABLES}
