"""RMF Overview: the published page as printed, read from beside the project where it is there, and what the samples are
there to show. Every value was read off its page by eye."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SHARED, Tables, sample, sample_tables

OVERVIEW, REJECT = "rmf_overview", "parse_reject"
# Its titles lost blanks in front; the other page of the same run has them.
PUBLISHED = SHARED / "real_reports" / f"{OVERVIEW}__zos_v2r2.txt"
AS_PRINTED = SHARED / "real_reports_2" / f"{OVERVIEW}__zos_v2r2_with_statements.txt"
published = pytest.mark.skipif(
    not (PUBLISHED.exists() and AS_PRINTED.exists()), reason=f"{PUBLISHED.name} is not beside the project"
)


def lines_of(tables: Tables) -> dict[tuple[dt.datetime, float], dict[str, Any]]:
    """Start and length of each line → its values by column."""
    out: dict[tuple[dt.datetime, float], dict[str, Any]] = {}
    for row in tables[OVERVIEW].iter_rows(named=True):
        assert row["interval_end"] == row["interval_start"] + dt.timedelta(seconds=row["interval_s"])
        out.setdefault((row["interval_start"], row["interval_s"]), {})[row["overview_column"]] = row["value"]
    return out


@published
@pytest.mark.parametrize("path", [PUBLISHED, AS_PRINTED], ids=lambda p: p.stem)
def test_published_pages_are_read_whole(path: Path) -> None:
    """Both are printed from the same intervals."""
    tables = read_text(path.read_bytes(), name=path.name)
    assert tables[REJECT].is_empty()
    names = ("PROCS", "CPUBSY", "APPLC", "APPLM", "TRANSC", "TRANSM", "RTIMEC", "RTIMEM")
    rows = lines_of(tables)
    assert {time: tuple(found) for time, found in rows.items()} == dict.fromkeys(rows, names)
    day = dt.datetime(2015, 4, 21)
    assert [tuple(found.values()) for found in rows.values()] == [
        (14.0, 20.6, 100.2, 41.0, 0.01, 0.0, 0.198, 0.0),
        (14.0, 20.3, 100.3, 40.5, 0.01, 0.0, 0.178, 0.0),
        (14.0, 19.3, 100.1, 37.9, 0.01, 0.0, 0.163, 0.0),
        (14.0, 19.3, 100.3, 37.7, 0.01, 0.0, 0.214, 0.0),
        (14.0, 20.1, 101.5, 40.0, 0.01, 0.0, 0.176, 0.0),
        (14.0, 19.8, 100.0, 40.3, 0.01, 0.0, 15755.31, 0.0),
        (14.0, 19.7, 100.2, 38.9, 0.01, 0.0, 0.107, 0.0),
        (14.0, 22.0, 109.3, 44.2, 0.07, 0.0, 0.06, 0.0),
    ]
    assert list(rows) == [
        (day.replace(hour=1, minute=15), 2700),
        *((day.replace(hour=h), 3600) for h in range(2, 8)),
        (day.replace(hour=8), 3599),
    ]
    row = tables[OVERVIEW].row(0, named=True)
    assert (row["system"], row["release"], row["report_version"]) == ("CB88", "z/OS V2R2", "V2R2")
    assert (row["range_start"], row["range_end"]) == (day.replace(hour=1, minute=30), day.replace(hour=9))
    assert (row["intervals"], row["intervals_total_s"]) == (8, 27899)


@published
@pytest.mark.parametrize("name", ["PROCS", "CPUBSY", "RTIMEM"])
def test_a_column_that_is_blank_on_every_line_moves_no_other(name: str) -> None:
    """The titles of the published page stand left of their numbers."""
    text = PUBLISHED.read_text()
    ends = {"PROCS": 35, "CPUBSY": 45, "RTIMEM": 104}
    start = ends[name] - 7
    blank = "\n".join(
        line[:start] + " " * 7 + line[ends[name] :] if line.startswith(" 04/21") else line for line in text.split("\n")
    )
    expected = lines_of(read_text(text))
    tables = read_text(blank)
    assert tables[REJECT].is_empty()
    assert lines_of(tables) == {time: found | {name: None} for time, found in expected.items()}


def test_a_report_over_new_year_has_two_years() -> None:
    rows = lines_of(sample_tables(sample("overview_new_year_over_pages")))
    assert rows == {
        (dt.datetime(2023, 12, 31, 22, 30), 1800): of(41.2, 812.7, 9.118, 12.31, 0.0, 20418),
        (dt.datetime(2023, 12, 31, 23, 0), 1800): of(38.9, 790.4, None, 11.87, 0.0, -3.5),
        (dt.datetime(2023, 12, 31, 23, 30), 1799): of(36.1, 1204.9, 8.204, 11.4, 0.25, 20266),
        (dt.datetime(2024, 1, 1, 0, 0), 1799): of(77.4, 15823.06, 0.031, 40.02, 8.16, 19870),
        (dt.datetime(2024, 1, 1, 0, 30), 1800): of(64.0, 9021.55, 0.007, 33.95, 5.03, 19902),
    }


def of(*values: float | None) -> dict[str, float | None]:
    return dict(zip(("CPUBUSY", "IORATE", "TRXCICS", "ZIIP1", "ZIIP2", "FREEMB"), values, strict=True))


def test_a_column_called_like_a_heading_word_is_a_column() -> None:
    rows = lines_of(sample_tables(sample("overview_shifted_columns")))
    assert rows[dt.datetime(2023, 11, 20, 7, 15), 900] == {"CPUBUSY": 0.31, "IORATE": None, "TIME": 3.0}


def test_titles_left_of_their_numbers_name_them() -> None:
    rows = lines_of(sample_tables(sample("overview_titles_left_of_numbers")))
    assert list(rows.values())[1] == {"PROCS": 4.0, "BUSY": 61.3, "ENDED": 140.08, "RTIME": 16042.77, "LONGNAME": 12.0}


def test_numbers_that_end_before_their_titles_are_named_by_these() -> None:
    rows = lines_of(sample_tables(sample("overview_numbers_end_before_titles")))
    assert list(rows.values())[:4] == [
        {"CPUS": 6.0, "BUSYCP": 71.4, "CICSAPPL": 212.6, "A": 33.1, "IORATE": 1817.25, "RESP": 0.044},
        {"CPUS": 6.0, "BUSYCP": 68.9, "CICSAPPL": 198.3, "A": 29.7, "IORATE": 22640.08, "RESP": 0.039},
        {"CPUS": 6.0, "BUSYCP": 9.2, "CICSAPPL": None, "A": 4.4, "IORATE": 120.5, "RESP": 1.207},
        {"CPUS": 6.0, "BUSYCP": 12.0, "CICSAPPL": None, "A": 5.9, "IORATE": 98.44, "RESP": 0.911},
    ]
    assert len(rows) == 8


def test_numbers_that_fit_two_names_have_none() -> None:
    """Three columns before each title ends, and the first column blank: eight columns farther right, the titles would end with
    the numbers of the column behind. Which is true nobody can see."""
    tables = sample_tables(sample("overview_two_readings"))
    assert list(lines_of(tables).values()) == [dict.fromkeys(("READS", "WRITES", "OPENS"))] * 8
    (reject,) = tables[REJECT].iter_rows(named=True)
    assert (reject["line"], reject["lines"]) == (10, 8)
    assert "cannot match the numbers of 8 lines to titles" in reject["what"]


def test_overflow_is_null_and_a_reject() -> None:
    tables = sample_tables(sample("overview_overflow_and_lost_heading"))
    assert next(iter(lines_of(tables).values())) == {"PAGING": 0.12, "CSTORE": None, "QUEUED": 31.0}
    assert tables["cell_null"].select("table", "column", "reason").rows() == [(OVERVIEW, "value", "overflow")]


def test_dates_of_rows_follow_the_date_order() -> None:
    text = sample("overview_new_year_over_pages").read_text().replace("01/01/2024", "02/01/2024")
    text = re.sub(r"\b12/31", "31/12", text).replace(" 01/01 00.30", " 02/01 00.30")
    starts = [start for start, _ in lines_of(read_text(text, Options(date_order="dmy")))]
    assert starts[0] == dt.datetime(2023, 12, 31, 22, 30)
    assert starts[-1] == dt.datetime(2024, 1, 2, 0, 30)


@pytest.mark.parametrize(
    ("date", "end", "what"),
    [
        ("03/15", "01/01/2024", "occurs nowhere between START and END"),
        ("12/31", "12/31/2024", "occurs more than once between START and END"),
        ("02/30", "01/01/2024", "occurs nowhere between START and END"),
    ],
)
def test_a_date_without_one_year_has_no_time(date: str, end: str, what: str) -> None:
    text = sample("overview_new_year_over_pages").read_text().replace("01/01/2024-", f"{end}-")
    text = text.replace(" 12/31 23.00.00", f" {date} 23.00.00")
    tables = read_text(text)
    (row, *_) = tables[OVERVIEW].filter(line=11).iter_rows(named=True)
    assert (row["interval_start"], row["interval_end"], row["value"]) == (None, None, 38.9)
    assert what in tables[REJECT].filter(line=11)["what"].to_list()[0]


@pytest.mark.parametrize("length", ["10.75.00", "123456.00.00"])
def test_a_total_length_that_is_no_time_is_a_reject(length: str) -> None:
    text, many = re.subn(
        r"(TOTAL LENGTH OF INTERVALS +)\S+", rf"\g<1>{length}", sample("overview_shifted_columns").read_text()
    )
    assert many
    tables = read_text(text)
    assert set(tables[OVERVIEW]["intervals_total_s"]) == {None}
    assert tables[REJECT]["what"].to_list() == [f"{OVERVIEW}: TOTAL LENGTH OF INTERVALS {length} cannot be read"]


@pytest.mark.parametrize("number", ["1,024", "8K", "8.5", "*****", "9" * 25])
def test_a_number_of_intervals_that_is_not_whole_is_a_reject(number: str) -> None:
    text = re.sub(
        r"NUMBER OF INTERVALS \d+", f"NUMBER OF INTERVALS {number}", sample("overview_shifted_columns").read_text()
    )
    tables = read_text(text)
    assert set(tables[OVERVIEW]["intervals"]) == {None}
    assert tables[REJECT]["what"].to_list() == [f"{OVERVIEW}: NUMBER OF INTERVALS {number!r} cannot be read"]


def test_names_that_differ_in_a_digit_are_two_columns() -> None:
    text = sample("overview_new_year_over_pages").read_text()
    both = read_text(text + text.replace("ZIIP1", "ZIIP8").replace("PRD1", "PRD2"))
    names = both[OVERVIEW].filter(system="PRD2")["overview_column"].unique(maintain_order=True).to_list()
    assert names == ["CPUBUSY", "IORATE", "TRXCICS", "ZIIP8", "ZIIP2", "FREEMB"]
