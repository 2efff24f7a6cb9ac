"""Tables that Ironlake keeps about its own reading: what was read, what was not, and which cells say why they are empty."""

from functools import cache

import pyarrow as pa

from .report import Column, Table, Type, count, line_number, number, reports, text

PARSE_REJECT = Table(
    "parse_reject",
    grain="one row a line, or run of lines, that could not be read",
    rows=(),
    doc="Nothing is skipped in silence: what is not in a table stands here with its text and what was expected.",
    columns=(
        Column("report", text(), doc="The report whose page the line stands on."),
        Column("column", line_number(), doc="Print column of the first character that is wrong, counted from 1."),
        Column("lines", line_number(), doc="How many lines this reject stands for (rows below a lost heading)."),
        Column("text", text(), doc="The line as read."),
        Column("what", text(), doc="What is wrong."),
        Column("expected", text(), doc="What could have stood there."),
        Column("hint", text(), doc="What to do next."),
    ),
)

# Column of a table that tells of rows of others: the line that such a row begins on.
ROW_LINE = "row_line"

CELL_NULL = Table(
    "cell_null",
    grain="one row a cell that says why it has no value",
    rows=(),
    doc="N/A, N/C, N/P, dashes and overflow are different things; the value is NULL and the reason stands here.",
    columns=(
        Column("table", text(), doc="Table of the NULL value."),
        Column("column", text(), doc="Column of the NULL value."),
        Column(
            ROW_LINE,
            line_number(),
            doc="`line` of the row that lacks the value; the cell may stand on a later line. NULL where no row begins above it, and"
            " of files that were ingested by an older Ironlake: ingest them again.",
        ),
        Column("reason", text(), doc="N/A, N/C, N/P, not_measured (dashes), overflow (asterisks) or unreadable."),
    ),
)

UNKNOWN_REPORT = Table(
    "unknown_report",
    grain="one row a report that Ironlake does not read, source and batch",
    rows=(),
    columns=(
        Column(
            "banner",
            text(),
            doc="Its title; the words of a letter-spaced one. Of a look-alike of RMF, also what tells that it is not RMF.",
        ),
        Column("pages", count(), doc="How many pages of it stand there; page and line are those of the first."),
        Column("lines", count(), doc="How many lines these pages have."),
    ),
)

UNREAD_SECTION = Table(
    "unread_section",
    grain="one row a run of lines of a known report that are recognised and not read",
    rows=(),
    doc="What these lines say is in no table: Ironlake passes it over, or does not read it so far. Nothing is wrong with "
    "them, and they are no rejects. Page and line are of the first line.",
    columns=(
        Column("report", text(), doc="The report whose page the lines stand on."),
        Column("section", text(), doc="What the lines are of; the kind of line, where the report names no section."),
        Column("lines", count(), doc="How many lines, titles of columns and rules among them aside."),
        Column("text", text(), doc="The first line, blanks around it aside."),
    ),
)

QUALITY_RESULT = Table(
    "quality_result",
    grain="one row a page, rule and column that the page breaks",
    rows=(),
    doc="What a report prints twice must agree, and values must be in their range. A page that breaks such a rule is "
    "suspect: a digit was misread, a line is lost, or it was printed so. Page and line are of the first row concerned.",
    columns=(
        Column("rule", text(), doc="Id of the rule: its table and its name.", nullable=False),
        Column("table", text(), doc="Table of the rows concerned."),
        Column("column", text(), doc="Column whose value does not agree."),
        Column(
            "severity",
            text(),
            doc="error: it cannot be so; warn: it may have been printed so.",
            allowed=("error", "warn"),
        ),
        Column("what", text(), doc="The rule in words, with how closely it must hold."),
        Column("basis", text(), doc="Where the rule is from."),
        Column("found", number(minimum=None), doc="Value of the first row concerned; NULL for rules about texts."),
        Column(
            "expected",
            number(minimum=None),
            doc="What it should be, from the other values, or the bound that it is beyond.",
        ),
        Column("tolerance", number(minimum=None), doc="By how much the two may differ: what rounding explains."),
        Column("rows", count(), doc="Rows of the page that break the rule."),
    ),
)

ROWS_BY_TABLE = pa.list_(pa.struct([("table", pa.string()), ("rows", pa.int64())]))

INGEST_FILE = Table(
    "ingest_file",
    grain="one row a source",
    rows=(),
    doc="What was read, with which options, and what became of it. Made from the ledger, not from parts.",
    key=("source_id",),
    columns=(
        Column("sha256", text(), doc="SHA-256 of the uncompressed bytes, in hex digits.", nullable=False),
        Column("options", text(), doc="Options and reader version that the source was read with.", nullable=False),
        Column("reader_version", text(), doc="Version of the reader.", nullable=False),
        Column("status", text(), doc="ingested, empty or failed.", allowed=("ingested", "empty", "failed")),
        Column("bytes", count("bytes"), doc="Size, uncompressed."),
        Column("encoding", text(), doc="Character encoding that the bytes were read in."),
        Column("form", text(), doc="Line ends or record length, and carriage control."),
        Column("pages", count(), doc="Pages of the source."),
        Column("lines", count(), doc="Lines of the source: blank + claimed + unread + rejected + unknown, exactly."),
        Column("blank_lines", count(), doc="Blank lines."),
        Column(
            "claimed_lines",
            count(),
            doc="Lines that were read, and titles and rules. A cell of such a line that could not be read is in parse_reject, "
            "and the line is no rejected one. Where unread_lines is NULL, these count here as well.",
        ),
        Column(
            "unread_lines",
            count(),
            doc="Lines that a report's grammar has a place for and of which nothing is in a table: those of unread_section. NULL "
            "where an Ironlake read the source that did not count them.",
        ),
        Column("rejected_lines", count(), doc="Lines of which nothing was read; parse_reject stands for every one."),
        Column("unknown_lines", count(), doc="Lines of pages of reports that Ironlake does not read."),
        Column("rejects", count(), doc="Rows of the source in parse_reject."),
        Column("suspect_pages", count(), doc="Pages of the source that break a rule: those in quality_result."),
        Column("wrong_pages", count(), doc="Of these, pages that cannot be so: with an error, not warnings alone."),
        Column("rows", Type("rows_by_table", ROWS_BY_TABLE, "none"), doc="Rows of the source in every table."),
        Column("committed_at", Type("timestamp", pa.timestamp("us"), "none", "UTC"), doc="When the ledger took it."),
    ),
)

TABLES = (PARSE_REJECT, CELL_NULL, UNKNOWN_REPORT, UNREAD_SECTION, QUALITY_RESULT, INGEST_FILE)


@cache
def stored_tables() -> dict[str, Table]:
    """Every table that reading fills, by name: those of every report, and these."""
    return {t.name: t for report in reports().values() for t in report.tables} | {t.name: t for t in TABLES}
