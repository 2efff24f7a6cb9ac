"""Db2 pages whose heading or titles are damaged: what they are of is told as lost, never taken from beside it."""

from __future__ import annotations

import numpy as np
import pytest
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.reading.numbers import CELL_WIDTH, read
from sample_pages import Tables, sample

COUNTER, REJECT = "db2_statistics_counter", "parse_reject"
PAGE = sample("statistics_member_report")


def _read(old: str, new: str) -> Tables:
    text = PAGE.read_text("utf-8")
    assert old in text
    return read_text(text.replace(old, new, 1), name=PAGE.name)


@pytest.mark.parametrize(
    ("word", "lost", "column"),
    [
        ("LOCATION:", "LOCATION_LINE", "location"),
        ("MEMBER:", "MEMBER_LINE", "member"),
        ("SUBSYSTEM:", "SUBSYSTEM_LINE", "begin_at"),
        ("DB2 VERSION:", "DB2_LINE", "end_at"),
    ],
)
def test_a_lost_line_of_the_heading_is_one_reject(word: str, lost: str, column: str) -> None:
    lines = PAGE.read_text("utf-8").splitlines(keepends=True)
    tables = read_text("".join(line for line in lines if not line.lstrip().startswith(word)))
    assert tables[REJECT]["what"].to_list() == [f"db2_statistics: the heading has no {lost}"]
    assert tables[COUNTER][column].null_count() == tables[COUNTER].height > 0


def test_a_heading_without_its_time_is_a_reject() -> None:
    tables = _read("INTERVAL FROM: 11/03/25 09:00:00.12", "")
    assert tables[REJECT]["what"].to_list() == ["db2_statistics: no time INTERVAL FROM (ACTUAL FROM) in the heading"]
    assert tables[COUNTER]["begin_at"].null_count() == tables[COUNTER].height


def test_a_name_left_blank_is_none_and_not_what_stands_at_the_right() -> None:
    tables = _read("MEMBER: DBP1", "MEMBER:     ")
    assert set(tables[COUNTER]["member"]) == {None}
    assert set(tables[COUNTER]["subsystem"]) == {"DBP1"}
    assert tables[REJECT].height == 0


def test_a_block_whose_title_is_out_of_place_gives_no_values_to_the_one_beside_it() -> None:
    titles = "SQL DML                   QUANTITY  /SECOND  /THREAD  /COMMIT    OPEN/CLOSE ACTIVITY"
    tables = _read(titles, titles.replace("OPEN/CLOSE", " OPEN/CLOSE"))
    rows = tables[COUNTER]
    assert set(rows["block"]) == {"SQL DML", "LOCKING ACTIVITY", "DATA SHARING LOCKING"}
    assert rows.filter(counter="SELECT").row(0, named=True)["per_commit"] == 1.17
    assert rows.filter(counter="SELECT").row(0, named=True)["quantity"] == 21404
    (what,) = tables[REJECT]["what"]
    assert what.startswith("db2_statistics: unknown column title OPEN/CLOSE ACTIVITY")


def test_a_suffix_multiplies_what_is_printed_and_not_the_double_beside_it() -> None:
    printed = ["17.1G", "1092.3K", "0.7M", "1.2345K"]
    cells = np.array([list(p.rjust(CELL_WIDTH).encode()) for p in printed], dtype=np.uint8)
    assert read(cells, "number", in_text=True).value.tolist() == [17_100_000_000, 1_092_300, 700_000, 1234.5]


def test_the_line_that_closes_a_report_is_no_counter() -> None:
    page = PAGE.read_text("utf-8").rstrip("\n")
    whole = read_text(page + "\n")[COUNTER].drop("source_id")
    tables = read_text(f"{page}\n\n{' ' * 40}STATISTICS REPORT COMPLETE\n{page}\n")
    assert tables[REJECT].height == 0
    assert tables[COUNTER].height == 2 * whole.height
    assert "STATISTICS REPORT COMPLETE" not in set(tables[COUNTER]["counter"])


def test_what_stands_behind_a_key_is_no_part_of_it() -> None:
    page = sample("accounting_trace").read_text("utf-8")
    tables = read_text(page.replace("PLANNAME: PAYPLAN2    WLM SCL:", "PLANNAME: PAYPLAN2    WLM SCL", 1))
    assert set(tables["db2_accounting_counter"]["plan"]) == {None}
    assert set(tables["db2_accounting_counter"]["corrname"]) == {"PAYJ"}
    (what,) = tables[REJECT]["what"]
    assert what.startswith("db2_accounting: PLANNAME cannot be read: 'WLM SCL")


@pytest.mark.parametrize("printed", ["0.", "12.", "1,204.", "00:06."])
def test_a_number_that_lost_its_last_digits_is_a_reject(printed: str) -> None:
    page = sample("accounting_long_report").read_text("utf-8")
    tables = read_text(page.replace("SYNCH I/O AVG.  : 0.002596", f"SYNCH I/O AVG.  : {printed}"))
    counters = tables["db2_accounting_counter"].filter(block="HIGHLIGHTS")
    assert "SYNCH I/O AVG." not in set(counters["counter"])
    assert "THREAD TYPE" in set(counters["counter"])
    assert tables[REJECT].select("line", "what").rows() == [
        (22, "db2_accounting: a number ends with its decimal point")
    ]


@pytest.mark.parametrize("printed", ["V13 06.", "DBAT 06.", "22-06."])
def test_a_text_may_end_with_a_full_stop(printed: str) -> None:
    page = sample("accounting_long_report").read_text("utf-8")
    tables = read_text(page.replace("THREAD TYPE     :     DBAT", f"THREAD TYPE     : {printed:>8}"))
    row = tables["db2_accounting_counter"].filter(block="HIGHLIGHTS", counter="THREAD TYPE").row(0, named=True)
    assert row["value_text"] == printed
    assert tables[REJECT].height == 0
