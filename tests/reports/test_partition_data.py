"""RMF Partition Data Report: what its samples are there to show. Every value was read off its page by eye."""

from __future__ import annotations

import polars as pl
import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import one, sample, sample_tables

PARTITION, REJECT = "rmf_partition_data", "parse_reject"
PRINTED = (
    *(
        "partition",
        "processor_type",
        "is_total",
        "weight",
        "dedicated",
        "msu_defined",
        "msu_used",
        "capping_definition",
    ),
    *("capped", "capping_wlm_pct", "logical_processors", "effective_dispatch", "total_dispatch"),
    *("logical_effective_pct", "logical_total_pct"),
    *("lpar_management_pct", "physical_effective_pct", "physical_total_pct"),
)
NONE = None
NOTHING = (NONE,) * 7
FIRST_ROWS = [
    (
        "PRDA",
        "CP",
        False,
        600,
        False,
        1400,
        812,
        "N N Y",
        True,
        0.0,
        6,
        3130.402,
        3164.118,
        57.97,
        58.6,
        0.38,
        34.78,
        35.16,
    ),
    ("PRDB", "CP", False, 350, False, 0, 240, "N N N", False, 0.0, 4, 925.01, 941.204, 25.7, 26.15, 0.18, 10.28, 10.46),
    ("SANDBOX", "CP", False, 50, False, 0, 9, "Y N N", True, 12.5, 1, 31.115, 33.006, 3.46, 3.67, 0.02, 0.35, 0.37),
    ("*PHYSICAL*", "CP", False, NONE, *NOTHING, NONE, 43.210, NONE, NONE, 0.48, NONE, 0.48),
    (NONE, "CP", True, 1000, *NOTHING, 4086.527, 4181.538, NONE, NONE, 1.06, 45.41, 46.47),
    (
        "CF1",
        "ICF",
        False,
        NONE,
        True,
        NONE,
        NONE,
        NONE,
        NONE,
        NONE,
        2,
        1799.88,
        1799.906,
        99.99,
        99.99,
        0.0,
        99.99,
        99.99,
    ),
]


@pytest.mark.parametrize(
    "name",
    [
        "partition_three_types",
        "partition_shifted_columns",
        "partition_continued_page",
        "partition_changed_within_duration",
    ],
)
def test_columns_are_found_where_the_heading_puts_them(name: str) -> None:
    tables = sample_tables(sample(name))
    rows = tables[PARTITION].select(PRINTED).rows()
    assert rows[:5] == FIRST_ROWS[:5]
    assert rows[5:6] == ([] if name == "partition_changed_within_duration" else FIRST_ROWS[5:6])


def test_the_machine_stands_on_every_row() -> None:
    machine = {
        "system": "MVSA",
        "mvs_partition": "PRDA",
        "image_capacity": 1400.0,
        "configured_partitions": 4,
        "physical_processors": 18,
        "wait_completion": "NO",
        "dispatch_interval": "DYNAMIC",
        "capacity_group": "PRODGRP",
        "capacity_group_limit": 1500.0,
    }
    for name in ("partition_three_types", "partition_continued_page"):
        assert sample_tables(sample(name))[PARTITION].select(list(machine)).unique().to_dicts() == [machine]


def test_a_partition_that_is_not_active_has_no_processors() -> None:
    row = one(sample_tables(sample("partition_three_types")), PARTITION, partition="TESTLPAR")
    assert (row["status"], row["processor_type"], row["weight"], row["total_dispatch"]) == ("D", None, None, None)


def test_a_group_that_is_not_applicable_is_null() -> None:
    text = sample("partition_three_types").read_text().replace("PRODGRP", "N/A    ").replace(" 1500 ", "  N/A ")
    row = read_text(text, name="page")[PARTITION].row(0, named=True)
    assert (row["capacity_group"], row["capacity_group_limit"], row["image_capacity"]) == (None, None, 1400.0)


def test_totals_agree_with_their_rows() -> None:
    rows = sample_tables(sample("partition_three_types"))[PARTITION]
    totals = rows.filter("is_total")
    assert totals["processor_type"].to_list() == ["CP", "ICF", "IIP"]
    for total in totals.iter_rows(named=True):
        parts = rows.filter((pl.col("processor_type") == total["processor_type"]) & ~pl.col("is_total"))
        assert parts["total_dispatch"].sum() == pytest.approx(total["total_dispatch"], abs=0.001)
        assert parts["effective_dispatch"].sum() == pytest.approx(total["effective_dispatch"], abs=0.001)
        assert parts["lpar_management_pct"].sum() == pytest.approx(total["lpar_management_pct"], abs=0.011)
        if total["weight"] is not None:
            assert parts["weight"].sum() == total["weight"]


def test_a_total_whose_partitions_are_lost_is_not_another_types() -> None:
    tables = sample_tables(sample("partition_total_without_its_rows"))
    assert tables[PARTITION].filter("is_total")["processor_type"].to_list() == ["CP"]
    assert tables[PARTITION].height == 5
    assert tables[REJECT]["lines"].to_list() == [3]
