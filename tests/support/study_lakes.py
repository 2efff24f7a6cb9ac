"""Lakes in memory that hold a study, and pages for it: the worked page, minute by minute."""

import datetime as dt

from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.study_file import parse_studies
from views_lake import START, Answers, MemoryLake, Row, heading, worked_page


def study_lake(text: str, **rows: list[Row]) -> MemoryLake:
    """A lake in memory that holds the studies of a text."""
    return MemoryLake(**studied(text, **rows))


def studied(text: str, **rows: list[Row]) -> dict[str, list[Row]]:
    """Rows, and those of the studies of a text beside them."""
    tables = study_rows(parse_studies(text, "study.yaml"), "study")
    return rows | {name: table.to_pylist() for name, table in tables.items()}


def one(lake: Answers, text: str) -> Row:
    (row,) = lake.rows(text)
    return row


ONE_STEP = """\
study: S
requests: {report_class: CICS2A20}
subsystems: {CICS: {report_class: CICS2A20}}
configurations: {A: {steps: [{window: 2021-04-13T10:00/10:05}]}}
"""


def minutes(count: int, **other: object) -> list[Row]:
    """The worked page for so many minutes on end, the first transactions 1000, then 2000, …"""
    return [
        worked_page(**heading(START + dt.timedelta(minutes=n), line=10 + n), transactions_ended=1000 * (n + 1)) | other
        for n in range(count)
    ]
