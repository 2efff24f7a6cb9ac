"""Db2 Statistics: what a counter block's heading and cells may look like. Values of pages stand beside them."""

from __future__ import annotations

import datetime as dt
import re

import polars as pl
import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import Tables, one, sample, sample_tables

COUNTER, REJECT = "db2_statistics_counter", "parse_reject"


TITLES = "SQL DDL                   QUANTITY  /SECOND"
DASHES = "-----------------------   --------  -------"


def read_block(*rows: str, titles: str = TITLES, dashes: str = DASHES) -> Tables:
    return read_text("\n".join([titles, dashes, *rows, "END OF BLOCK                  0.00     0.00"]) + "\n")


def quantities(tables: Tables) -> dict[str, float | None]:
    rows = tables[COUNTER].filter(pl.col("counter") != "END OF BLOCK")
    return dict(zip(rows["label_path"], rows["quantity"], strict=True))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("CREATE TABLE                  4.00     0.00", 4.0),
        ("CREATE TABLE            12345678.5     0.00", 12345678.5),  # wider than its dashes
        ("CREATE TABLE               12.3G       0.00", None),
        ("CREATE TABLE                12.3G      0.00", None),
        ("CREATE TABLE                 12.3G     0.00", 12.3e9),
        ("CREATE TABLE                12,345     0.00", 12345.0),
        ("CREATE TABLE                   N/P     0.00", None),
        ("CREATE TABLE               1:02:03     0.00", 3723.0),
        ("CREATE TABLE               1:62:03     0.00", None),
        ("CREATE TABLE            A     4.00     0.00", 4.0),  # an annotator's mark
        ("CREATE TABLE            A 12345.00     0.00", 12345.0),
        ("CREATE TABLE                           0.00", None),
    ],
)
def test_a_number_ends_with_its_dashes(row: str, expected: float | None) -> None:
    tables = read_block(row)
    assert quantities(tables) == {"CREATE TABLE": expected}
    blank, stated = row[25:34].strip() == "", "N/P" in row
    assert tables[REJECT].height == (expected is None and not blank and not stated)
    assert one(tables, COUNTER, counter="CREATE TABLE")["per_second"] == 0.0


@pytest.mark.parametrize(
    "row",
    [
        "CREATE TABLE",
        "CREATE TABLE WITH A VERY LONG LABEL     4.00     0.00",
        "                                 4.00     0.00",
        "ALL OF THIS IS TEXT AND NONE OF IT A NUMBER",
    ],
)
def test_a_line_that_is_not_a_row_is_a_reject(row: str) -> None:
    tables = read_block(row)
    assert quantities(tables) == {}
    assert tables[REJECT].height == 1


def test_numbers_without_a_blank_between_are_not_read() -> None:
    tables = read_block("CREATE TABLE              12345678123456789")
    assert quantities(tables) == {}
    assert tables[REJECT].height == 1


def test_labels_nest_by_their_indentation() -> None:
    one_deep = "                        1.00     0.00"
    rows = ["A     ", " B    ", "  C   ", " D    ", "E     ", "  F   ", " B    ", " B    "]
    tables = read_block(*(row + one_deep for row in rows))
    paths = tables[COUNTER]["label_path"].to_list()[:-1]
    assert paths == ["A", "A > B", "A > B > C", "A > D", "E", "E > F", "E > B", "E > B"]
    assert tables[COUNTER]["occurrence"].to_list()[:-1] == [1, 1, 1, 1, 1, 1, 1, 2]


def test_an_indented_label_with_nothing_above_it_has_no_path() -> None:
    tables = read_block(" CREATE TABLE                 4.00     0.00")
    assert one(tables, COUNTER, counter="CREATE TABLE")["label_path"] is None


def test_an_undeclared_column_is_a_reject_and_the_others_are_read() -> None:
    tables = read_block(
        "CREATE TABLE                  4.00     0.00     7.00", titles=TITLES + "  /PARSEC", dashes=DASHES + "  -------"
    )
    assert one(tables, COUNTER, counter="CREATE TABLE")["quantity"] == 4.0
    assert "/PARSEC" in one(tables, REJECT)["what"]


def test_days_before_months_where_they_are_asked_for() -> None:
    text = sample("statistics_member_report").read_text()
    rows = read_text(text, options=Options(date_order="dmy"))[COUNTER]
    assert rows["begin_at"][0] == dt.datetime(2025, 3, 11, 9, 0, 0, 120000)


def test_an_interval_that_ends_before_it_begins_is_kept_as_printed() -> None:
    text = sample("statistics_trace_buffer_pools").read_text().replace("02/29/24 00:00:00.05", "02/28/24 23:58:00.00")
    row = one(read_text(text), COUNTER, counter="PAGES WRITTEN")
    assert row["end_at"] == dt.datetime(2024, 2, 28, 23, 58)
    assert row["interval_elapsed_s"] is None


OTHER_TITLES = "statistics_blocks_without_quantity"


def test_latches_are_the_counters_that_a_line_names() -> None:
    rows = sample_tables(sample(OTHER_TITLES))[COUNTER].filter(block="LATCH CNT")
    names = [f"LC{n:02d}" for n in (*range(1, 9), *range(29, 33), 254)]
    assert rows["counter"].to_list() == names
    # A number that the line's label has no name for is no latch.
    tables = read_text(
        sample(OTHER_TITLES).read_text().replace("LC254          0.07", "LC254          0.07      0.01", 1)
    )
    (reject,) = tables[REJECT].to_dicts()
    assert (reject["line"], reject["what"]) == (20, "db2_statistics: a value without a name in its label")
    assert tables[COUNTER].filter(block="LATCH CNT")["counter"].to_list() == names


def test_a_block_of_unknown_titles_is_a_reject_and_the_others_are_read() -> None:
    text = sample(OTHER_TITLES).read_text()
    titles = "CPU TIMES                               TCB TIME"
    assert titles in text
    tables = read_text(text.replace(titles, "SPIN TIMES                              SPUNTIME", 1))
    assert tables[REJECT]["line"].min() == 7
    columns = ["block", "counter", "per_second", "written", "sent", "received", "quantity", "value_text", "line"]
    rest = sample_tables(sample(OTHER_TITLES))[COUNTER].filter(pl.col("line") > 14).select(columns)
    assert tables[COUNTER].select(columns).equals(rest)


def test_a_label_below_lost_rows_has_no_path() -> None:
    """A page that goes on without its titles: the rows there are told, and one of them may be what the next is of."""
    lines = sample("statistics_group_block_over_page_break").read_text().splitlines()
    before = sample_tables(sample("statistics_group_block_over_page_break"))[COUNTER]
    top, at = lines[:5], next(k for k, line in enumerate(lines) if line.startswith("PAGES CASTOUT"))
    tables = read_text("\n".join([*lines[: at - 3], *top, *lines[at - 3 :]]) + "\n")
    assert tables[REJECT].height > 0
    printed = dict(before.select("counter", "label_path").rows())
    found = tables[COUNTER].select("counter", "label_path").rows()
    assert {path for label, path in found if path != printed[label]} == {None}


def test_highlights_with_a_blank_member_are_not_those_of_the_group() -> None:
    """A line cut behind MEMBER: its counters are a member's or the group's. Only a printed N/A says that they are the group's."""
    page = sample("statistics_short_of_a_group").read_text()
    one_blank = page.replace("MEMBER     :       DBT2", "MEMBER     :")
    all_cut = re.sub("(MEMBER     :).*", r"\1", page)
    # 26 counters of each member, and 26 of the group.
    for text, of_group, unknown, rejects in ((one_blank, 26, 26, 1), (all_cut, 0, 78, 3)):
        tables = read_text(text)
        scope = tables["db2_statistics_counter"]["scope"]
        assert ((scope == "group").sum(), scope.null_count()) == (of_group, unknown)
        assert list(tables["parse_reject"]["what"]).count("db2_statistics: MEMBER without a name") == rejects


def test_members_of_a_report_without_scope_keep_their_names() -> None:
    tables = read_text(sample("statistics_short_of_a_group").read_text().replace("SCOPE: GROUP", "            "))
    rows = tables["db2_statistics_counter"]
    assert rows.group_by("member").len().sort("member").rows() == [(None, 26), ("DBT1", 26), ("DBT2", 26)]
    assert set(rows["scope"]) == {None}
    assert set(tables["parse_reject"]["what"]) == {"db2_statistics: the heading has no SCOPE"}
