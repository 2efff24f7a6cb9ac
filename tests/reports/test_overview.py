"""RMF Overview: dates without a year, counts and lengths that cannot be read. Values of pages stand beside them."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import Tables, sample

OVERVIEW, REJECT = "rmf_overview", "parse_reject"


def lines_of(tables: Tables) -> dict[tuple[dt.datetime, float], dict[str, Any]]:
    """Start and length of each line → its values by column."""
    out: dict[tuple[dt.datetime, float], dict[str, Any]] = {}
    for row in tables[OVERVIEW].iter_rows(named=True):
        assert row["interval_end"] == row["interval_start"] + dt.timedelta(seconds=row["interval_s"])
        out.setdefault((row["interval_start"], row["interval_s"]), {})[row["overview_column"]] = row["value"]
    return out


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
