"""RMF Partition Data Report: its head line by line, totals, and letters and cells that cannot be read. Values of pages stand beside them."""

from __future__ import annotations

from typing import Any

import pytest
from ironlake.parsers.rmf_partition_data import read_head_line
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.reading.headings import heading_columns
from page_variants import every, read_variants, turns, whole
from sample_pages import one, options_of, sample, sample_tables

PARTITION, HEAD, NULLS, REJECT = "rmf_partition_data", "rmf_partition_head", "cell_null", "parse_reject"
DAY_FIRST = Options(date_order="dmy")
BOOST, OLD = "partition_boost_and_changed_values", "partition_old_head_dd_mm"

LETTERS = ("initial_capping", "lpar_hardware_capping", "hardware_group_capping")


def test_the_order_of_a_date_is_not_guessed() -> None:
    tables = read_text(sample(OLD).read_text())
    assert tables[PARTITION]["interval_start"].to_list() == [None] * 11
    assert [r.split(": ")[1] for r in tables[REJECT]["what"]] == ["date 23/11/2006 09.45.00 cannot be read"]


def test_the_letters_of_a_partition_are_those_of_its_head() -> None:
    """The page prints them twice for the partition whose system printed it: that is what the three letters mean."""
    tables = sample_tables(sample(BOOST))
    (head,) = tables[HEAD].to_dicts()
    own = one(tables, PARTITION, partition=head["mvs_partition"], processor_type="CP")
    assert [own[name] for name in LETTERS] == [head[name] for name in LETTERS]


def test_a_group_that_is_not_applicable_is_null() -> None:
    text = sample("partition_three_types").read_text().replace("PRODGRP", "N/A    ").replace(" 1500 ", "  N/A ")
    row = read_text(text, name="page")[PARTITION].row(0, named=True)
    assert (row["capacity_group"], row["capacity_group_limit"], row["image_capacity"]) == (None, None, 1400.0)


# --- The head, line by line -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("MVS PARTITION NAME     CP        PHYS PROC NUM    9", {"mvs_partition": "CP", "physical_processors": 9.0}),
        ("DISPATCH INTERVAL   DYNAMIC      IIP    3      ", {"physical_processors_iip": 3.0}),
        ("CAPACITY  12", {}),
        ("IMAGE CAPACITY   N/A     CP  10    LIMIT      *****    LPAR HW CAP   YES", {"image_capacity": "N/A"}),
        ("IMAGE CAPACITY   12x     CP  10    LIMIT        900    LPAR HW CAP   NO", {"capacity_group_limit": 900.0}),
        ("WAIT COMPLETION          ICF  2", {"physical_processors_icf": 2.0}),
        ("NUMBER OF CONFIGURED PARTITIONS   4    AAP  1    AVAILABLE          HW GROUP CAP   NO", {}),
    ],
)
def test_a_line_of_the_head(line: str, values: dict[str, Any]) -> None:
    found, _ = read_head_line(line)
    assert values.items() <= found.items()


@pytest.mark.parametrize(
    ("line", "missing", "unknown"),
    [
        ("IMAGE CAPACITY   ****    CP  10", "image_capacity", [(17, "****")]),
        ("IMAGE CAPACITY   12x     CP  10", "image_capacity", [(17, "12x")]),
        ("WAIT COMPLETION          ICF  2", "wait_completion", []),
        (
            "MVS PARTITION NAME   LPA     BOOST SOURCE  IPL    GROUP NAME   G1",
            "physical_processors",
            [(29, "BOOST SOURCE")],
        ),
    ],
)
def test_a_head_line_gives_no_value_that_it_does_not_print(line: str, missing: str, unknown: list) -> None:
    found, words = read_head_line(line)
    assert missing not in found
    assert words[: len(unknown)] == unknown
    assert bool(words) == bool(unknown)


def test_an_unknown_word_of_the_head_is_one_reject() -> None:
    """Once a page, though every row below takes values from these lines."""
    text = sample(BOOST).read_text().replace("AVAILABLE         -46", "AVAILABLE       SHARED")
    tables = read_text(text)
    (reject,) = tables[REJECT].to_dicts()
    assert (reject["line"], reject["what"]) == (8, "rmf_partition_data: 'SHARED' cannot be read")
    (head,) = tables[HEAD].to_dicts()
    assert (head["capacity_group_available"], head["capacity_group_limit"], head["hardware_group_capping"]) == (
        *(None, 1200.0, True),
    )


def test_a_head_without_partitions_is_a_row() -> None:
    text = "".join(sample(OLD).read_text().splitlines(keepends=True)[:12])
    tables = read_text(text, options=DAY_FIRST)
    assert tables[PARTITION].height == 0
    assert tables[HEAD].drop("source_file").equals(sample_tables(sample(OLD))[HEAD].drop("source_file"))


@pytest.mark.parametrize("width", range(97, 104))
def test_a_head_that_is_cut_at_the_right_has_no_part_of_a_value(width: int) -> None:
    """LIMIT 450 * ends in column 104, CPUGRPA in column 103; what is left of them is neither."""
    text = "".join(line[:width].rstrip() + "\n" for line in sample(OLD).read_text().splitlines())
    tables = read_text(text, options=DAY_FIRST)
    (head,) = tables[HEAD].to_dicts()
    assert (head["capacity_group"], head["capacity_group_limit"]) == (None, None)
    assert head["physical_processors_icf"] == 2
    assert {6, 7} & set(tables[REJECT]["line"]) or "were cut" in " ".join(tables[REJECT]["what"])


@every(9)
@pytest.mark.parametrize("name", [BOOST, OLD])
def test_no_part_of_a_value_is_read_where_a_file_ends_within_the_head(name: str, nth: int) -> None:
    text = sample(name).read_text()
    ends = turns(range(text.index("MVS PARTITION"), text.index("PARTITION DATA -")), nth, name)
    (printed,) = (row for key, row in whole(sample(name)).rows.items() if key[0] == HEAD)
    heads = 0
    for cut in read_variants([text[:end] for end in ends], options_of(sample(name))):
        for row in (row for key, row in cut.rows.items() if key[0] == HEAD):
            assert all(value is None or value == printed[column] for column, value in row.items())
            heads += 1
    assert heads > len(ends) / 2


# --- The heading ----------------------------------------------------------------------------------------------------


def groups_of(lines: str) -> list[tuple[str, str]]:
    """The groups that span each column of a heading, outermost first."""
    columns = heading_columns(lines.strip("\n").splitlines(), ["LPAR MGMT"], {})
    return [(column.title, " / ".join(column.groups)) for column in columns]


def test_groups_one_blank_apart_are_separate() -> None:
    """Whether each has dashes at both its ends or not; a dash within a title ends none."""
    assert groups_of("""
--APART ----B PART---- --C-D RATES--  ---- E ----
 ONE TWO THREE    FOUR   FIVE  SIX      SEVEN
""") == [
        *(("ONE", "APART"), ("TWO", "APART"), ("THREE", "B PART"), ("FOUR", "B PART")),
        *(("FIVE", "C-D RATES"), ("SIX", "C-D RATES"), ("SEVEN", "E")),
    ]


# --- Cells ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("printed", ["N Q N ", "N N   ", "?     "])
def test_unknown_capping_letters_are_rejected(printed: str) -> None:
    tables = read_text(sample(BOOST).read_text().replace("N Y N ", printed))
    row = one(tables, PARTITION, partition="DEVTEST1")
    assert [row[name] for name in ("capping_definition", "capped", *LETTERS)] == [None] * 5
    assert tables[REJECT]["line"].to_list() == [17]
    assert (row["capping_wlm_pct"], row["msu_used"]) == (3.4, 12.0)


def test_mixed_capping_leaves_capped_null() -> None:
    tables = read_text(sample(OLD).read_text().replace("YES ", "MIX "), options=DAY_FIRST)
    row = one(tables, PARTITION, partition="LPB2")
    assert (row["capping_definition"], row["capped"], row["capping_changed"]) == ("MIX", None, False)
    assert tables[REJECT].height == 0


def test_a_value_that_did_not_fit_did_not_change() -> None:
    text = sample(BOOST).read_text().replace("A* N 640*    0    246", "A* N ****    0    246")
    tables = read_text(text)
    row = one(tables, PARTITION, partition="PRODB", processor_type="CP")
    assert (row["weight"], row["weight_changed"], row["dedicated"]) == (None, None, None)
    assert tables[NULLS].filter(line=16)["reason"].to_list() == ["overflow"]
    assert tables[REJECT]["line"].to_list() == [16]
