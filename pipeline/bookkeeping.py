"""Tables that Ironlake keeps about its own reading: what was read, what was not, and which cells say why they are empty."""

from .declaration import Column, Table, count, line_number, text

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

CELL_NULL = Table(
    "cell_null",
    grain="one row a cell that says why it has no value",
    rows=(),
    doc="N/A, N/C, N/P, dashes and overflow are different things; the value is NULL and the reason stands here.",
    columns=(
        Column("table", text(), doc="Table of the NULL value."),
        Column("column", text(), doc="Column of the NULL value."),
        Column("reason", text(), doc="N/A, N/C, N/P, not_measured (dashes), overflow (asterisks) or unreadable."),
    ),
)

UNKNOWN_REPORT = Table(
    "unknown_report",
    grain="one row a report that Ironlake does not read, source and batch",
    rows=(),
    columns=(
        Column("banner", text(), doc="Its title, blanks removed."),
        Column("pages", count(), doc="How many pages of it stand there; page and line are those of the first."),
        Column("lines", count(), doc="How many lines these pages have."),
    ),
)

TABLES = (PARSE_REJECT, CELL_NULL, UNKNOWN_REPORT)
