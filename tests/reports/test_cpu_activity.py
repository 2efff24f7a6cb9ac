"""RMF CPU Activity: published pages as printed, read from beside the project where they are there, and what the samples
are there to show.

Every value below was read off its page by eye.
"""

from __future__ import annotations

import datetime as dt
from functools import cache

import polars as pl
import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SHARED, Tables, one, sample, sample_tables

CPU, MT, NULLS, REJECT = "rmf_cpu_activity", "rmf_multithreading", "cell_null", "parse_reject"
FOLDER = SHARED / "real_reports"
V2R1, V2R5 = "zos_v2r1_multithreading", "zos_v2r5_multithreading_boost_asa"
published = pytest.mark.skipif(
    not (FOLDER / f"{CPU}__{V2R1}.txt").exists(),
    reason=f"the published pages {CPU}__* are not in ../{FOLDER.parent.name}/{FOLDER.name} beside the project",
)

# The columns of a processor or total, in the order of the page; None is a blank cell or dashes.
PRINTED = (
    *("processor_type", "processor_id", "thread", "online_pct", "lpar_busy_pct", "mvs_busy_pct", "parked_pct"),
    *("mt_productivity_pct", "mt_utilization_pct", "logical_share_pct", "polarization"),
    *("io_interrupts_per_s", "io_interrupts_tpi_pct"),
)
NONE = None
ROWS = {
    V2R1: [
        ("CP", "0", 0, 100.0, 68.07, 67.94, 0.0, 100.0, 68.07, 100.0, "HIGH", 370.1, 13.90),
        ("CP", "1", 0, 100.0, 46.78, 46.78, 0.0, 100.0, 46.78, 52.9, "MED", 5.29, 16.93),
        ("CP", NONE, NONE, NONE, 8.66, 54.17, NONE, 100.0, 8.66, 152.9, NONE, 375.3, 13.95),
        ("IIP", "A", 0, 100.0, 48.15, 41.70, 0.0, 85.84, 41.33, 100.0, "HIGH", NONE, NONE),
        ("IIP", "A", 1, NONE, NONE, 35.66, 0.0, NONE, NONE, NONE, NONE, NONE, NONE),
        ("IIP", "B", 0, 100.0, 38.50, 32.81, 0.0, 85.94, 33.09, 100.0, "HIGH", NONE, NONE),
        ("IIP", "B", 1, NONE, NONE, 26.47, 0.0, NONE, NONE, NONE, NONE, NONE, NONE),
        ("IIP", NONE, NONE, NONE, 29.48, 23.23, NONE, 86.47, 25.39, 386.7, NONE, NONE, NONE),
    ],
    V2R5: [
        ("CP", "0", 0, 100.0, 31.10, 31.61, 0.0, 100.0, 31.10, 50.1, "MED", 3505.0, 4.76),
        ("CP", "1", 0, 100.0, 15.31, 15.74, 0.0, 100.0, 15.31, 50.1, "MED", 0.0, 0.0),
        ("CP", "2", 0, 100.0, 0.0, 3.51, 99.77, 100.0, 0.0, 0.0, "LOW", 0.0, 0.0),
        ("CP", "3", 0, 100.0, 0.0, NONE, 100.0, 100.0, 0.0, 0.0, "LOW", 0.0, 0.0),
        ("CP", "4", 0, 100.0, 0.0, NONE, 100.0, 100.0, 0.0, 0.0, "LOW", 0.0, 0.0),
        ("CP", NONE, NONE, NONE, 9.28, 23.66, NONE, 100.0, 9.28, 100.2, NONE, 3505.0, 4.76),
        ("IIP", "5", 0, 100.0, 63.29, 47.19, 0.0, 89.75, 56.80, 57.2, "MED", NONE, NONE),
        ("IIP", "5", 1, NONE, NONE, 30.43, 0.0, NONE, NONE, NONE, NONE, NONE, NONE),
        ("IIP", "6", 0, 100.0, 42.76, 32.47, 0.0, 93.95, 40.17, 57.2, "MED", NONE, NONE),
        ("IIP", "6", 1, NONE, NONE, 15.78, 0.0, NONE, NONE, NONE, NONE, NONE, NONE),
        *(
            row
            for number in "789A"
            for row in (
                ("IIP", number, 0, 100.0, 0.0, NONE, 100.0, 90.92, 0.0, 0.0, "LOW", NONE, NONE),
                ("IIP", number, 1, NONE, NONE, NONE, 100.0, NONE, NONE, NONE, NONE, NONE, NONE),
            )
        ),
        ("IIP", NONE, NONE, NONE, 17.68, 31.47, NONE, 91.23, 16.16, 114.4, NONE, NONE, NONE),
    ],
}
MODES = {
    V2R1: [("CP", 1, 1.0, 1.0, 1.0), ("IIP", 2, 1.485, 1.279, 1.576)],
    V2R5: [("CP", 1, 1.0, 1.0, 1.0), ("IIP", 2, 1.123, 1.022, 1.182)],
}


@cache
def published_page(name: str) -> Tables:
    return read_text((FOLDER / f"{CPU}__{name}.txt").read_bytes(), name=name)


@published
@pytest.mark.parametrize("name", ROWS)
def test_published_page_is_read_as_printed(name: str) -> None:
    tables = published_page(name)
    assert tables[REJECT].height == 0
    assert tables[CPU].select(PRINTED).rows() == ROWS[name]
    assert tables[CPU]["is_total"].to_list() == [row[1] is None for row in ROWS[name]]
    of_mode = ("processor_type", "threads_per_core", "capacity_factor_max", "capacity_factor", "thread_density_avg")
    assert tables[MT].select(of_mode).rows() == MODES[name]


@published
def test_published_interval() -> None:
    for table in (CPU, MT):
        row = published_page(V2R1)[table].row(0, named=True)
        assert (row["system"], row["scope"], row["sysplex"]) == ("CB8B", "CB8B", None)
        assert (row["report_kind"], row["interval_s"], row["release"]) == ("interval", 900.004, "z/OS V2R1")
        assert row["interval_start"] == dt.datetime(2015, 2, 2, 11)


@published
def test_published_duration() -> None:
    for table in (CPU, MT):
        row = published_page(V2R5)[table].row(0, named=True)
        assert (row["system"], row["report_kind"], row["interval_s"]) == ("SYS1", "duration", 900.0)
        assert row["interval_start"] == dt.datetime(2021, 3, 2, 21, 44, 33)
        assert row["interval_end"] == dt.datetime(2021, 3, 2, 21, 59, 33)


@published
def test_published_machine_stands_on_every_row() -> None:
    machine = {
        "cpc_type": "8561",
        "cpc_model": "717",
        "hardware_model": "T01",
        "cpc_capacity": 3084.0,
        "sequence_code": "000000000003E968",
        "hiperdispatch": "YES",
        "change_reason": "NONE",
        "boost_type": "Speed",
        "boost_class": "Recovery",
    }
    assert published_page(V2R5)[CPU].select(list(machine)).unique().to_dicts() == [machine]


@published
def test_published_dashes_are_not_measured() -> None:
    nulls = published_page(V2R5)[NULLS]
    assert nulls.height == 10
    assert set(nulls.select("table", "column", "reason").rows()) == {(CPU, "mvs_busy_pct", "not_measured")}


@published
@pytest.mark.parametrize("margin", [0, 3])
def test_published_page_reads_the_same_at_another_margin(margin: int) -> None:
    """Carriage control lost, or replaced by a margin."""
    lines = (FOLDER / f"{CPU}__{V2R5}.txt").read_text().splitlines()
    tables = read_text("".join(" " * margin + line[1:] + "\n" for line in lines), name="margin")
    assert tables[REJECT].height == 0
    assert tables[CPU].select(PRINTED).rows() == ROWS[V2R5]


# --- The samples --------------------------------------------------------------------------------------------------------

# Read off cpu_two_threads.txt.
TWO_THREADS = [
    ("CP", "0", 0, 100.0, 71.24, 72.06, 0.0, 100.0, 71.24, 100.0, "HIGH", 2817.0, 5.12),
    ("CP", "1", 0, 100.0, 58.90, 59.43, 0.0, 100.0, 58.90, 64.3, "MED", 12.41, 8.07),
    ("CP", "2", 0, 100.0, 3.16, 11.90, 74.25, 100.0, 3.16, 0.0, "LOW", 0.0, 0.0),
    ("CP", NONE, NONE, NONE, 44.43, 58.39, NONE, 100.0, 44.43, 164.3, NONE, 2829.0, 5.13),
    ("IIP", "9", 0, 100.0, 51.07, 38.15, 0.0, 91.20, 46.58, 100.0, "HIGH", NONE, NONE),
    ("IIP", "9", 1, NONE, NONE, 24.90, 0.0, NONE, NONE, NONE, NONE, NONE, NONE),
    ("IIP", "A", 0, 100.0, 20.33, 16.02, 0.0, 93.61, 19.03, 37.5, "MED", NONE, NONE),
    ("IIP", "A", 1, NONE, NONE, 9.48, 0.0, NONE, NONE, NONE, NONE, NONE, NONE),
    ("IIP", "1B", 0, 100.0, 0.0, NONE, 100.0, 90.75, 0.0, 0.0, "LOW", NONE, NONE),
    ("IIP", "1B", 1, NONE, NONE, NONE, 100.0, NONE, NONE, NONE, NONE, NONE, NONE),
    ("IIP", NONE, NONE, NONE, 23.80, 22.14, NONE, 91.85, 21.87, 137.5, NONE, NONE, NONE),
]


@pytest.mark.parametrize(
    "name", ["cpu_two_threads", "cpu_v2r1_two_threads", "cpu_shifted_columns", "cpu_duration_asa_carriage_control"]
)
def test_columns_are_found_where_the_heading_puts_them(name: str) -> None:
    assert sample_tables(sample(name))[CPU].select(PRINTED).rows() == TWO_THREADS


def test_an_asterisk_marks_a_value_and_changes_none() -> None:
    rows = sample_tables(sample("cpu_changed_within_duration"))[CPU].select(PRINTED).rows()
    expected = [list(row) for row in TWO_THREADS]
    expected[0][3], expected[4][6] = 86.25, 12.5
    assert rows == [tuple(row) for row in expected]
    assert one(sample_tables(sample("cpu_changed_within_duration")), CPU, processor_id="0")["cpc_capacity"] == 2101.0


def test_without_multithreading_its_columns_are_null() -> None:
    tables = sample_tables(sample("cpu_without_multithreading"))
    gone = ("mt_productivity_pct", "mt_utilization_pct")
    kept = [c for c in PRINTED if c not in gone]
    expected = pl.DataFrame(TWO_THREADS, schema=list(PRINTED), orient="row").filter(pl.col("thread").ne_missing(1))
    assert tables[CPU].select(kept).rows() == expected.select(kept).rows()
    assert all(tables[CPU][c].null_count() == 8 for c in gone)
    assert tables[MT].height == 0
    assert one(tables, CPU, processor_id="A")["hardware_model"] == "M32"


def test_a_type_and_a_core_go_on_over_a_page_break() -> None:
    tables = sample_tables(sample("cpu_continued_page"))
    total = one(tables, CPU, processor_type="CP", is_total=True)
    assert (total["lpar_busy_pct"], total["page"], total["cpc_model"]) == (33.61, 2, "710")
    second = one(tables, CPU, processor_id="9", thread=1, processor_type="IIP")
    assert (second["mvs_busy_pct"], second["page"], second["cpc_capacity"]) == (24.9, 3, 2101.0)
    ids = tables[CPU].filter((pl.col("processor_type") == "CP") & ~pl.col("is_total"))["processor_id"]
    assert [int(number, 16) for number in ids] == list(range(28))


def test_a_total_whose_rows_are_lost_is_not_another_types() -> None:
    tables = sample_tables(sample("cpu_total_without_its_rows"))
    assert set(tables[CPU]["processor_type"]) == {"CP"}
    assert tables[CPU].filter("is_total")["lpar_busy_pct"].to_list() == [44.43]
    assert tables[REJECT]["text"].to_list()[0].startswith("TOTAL/AVERAGE          23.80")


def test_a_second_thread_below_a_total_is_of_no_core() -> None:
    """The row of core 9, the last of a page, is lost: what stands above its thread is the total of another type."""
    text = sample("cpu_continued_page").read_text()
    lost = next(line for line in text.splitlines() if line.startswith(" 9    IIP"))
    tables = read_text(text.replace(lost + "\n", ""))
    assert tables[CPU].filter(pl.col("mvs_busy_pct") == 24.9).is_empty()
    assert tables[CPU].filter(pl.col("processor_id") == "1B", pl.col("processor_type") == "CP")["thread"].to_list() == [
        0
    ]
    assert tables[REJECT]["text"].to_list() == ["                                    24.90        0.00"]


def test_overflow_is_null_with_its_reason() -> None:
    tables = sample_tables(sample("cpu_junk_and_overflow"))
    row = one(tables, CPU, processor_id="1")
    assert (row["lpar_busy_pct"], row["mvs_busy_pct"]) == (None, 59.43)
    assert one(tables, NULLS, reason="overflow")["column"] == "lpar_busy_pct"


@pytest.mark.parametrize(
    "name", ["cpu_two_threads", "cpu_v2r1_two_threads", "cpu_shifted_columns", "cpu_continued_page"]
)
def test_totals_agree_with_their_rows(name: str) -> None:
    """LPAR BUSY averages over processors, shares and interrupts add up, as far as the printed digits tell."""
    cpu = sample_tables(sample(name))[CPU]
    for total in cpu.filter("is_total").iter_rows(named=True):
        rows = cpu.filter((pl.col("processor_type") == total["processor_type"]) & (pl.col("thread") == 0))
        assert rows["lpar_busy_pct"].mean() == pytest.approx(total["lpar_busy_pct"], abs=0.01)
        assert rows["mt_utilization_pct"].mean() == pytest.approx(total["mt_utilization_pct"], abs=0.01)
        assert rows["logical_share_pct"].sum() == pytest.approx(total["logical_share_pct"], abs=0.1)
        if total["io_interrupts_per_s"] is not None:
            assert rows["io_interrupts_per_s"].sum() == pytest.approx(total["io_interrupts_per_s"], rel=0.001)


def test_capacity_that_is_not_a_number_is_a_reject() -> None:
    text = sample("cpu_two_threads").read_text()
    tables = read_text(text.replace("CAPACITY  2101", "CAPACITY  21x1"), name="page")
    assert tables[CPU]["cpc_capacity"].null_count() == tables[CPU].height == 11
    assert tables[CPU]["cpc_model"].to_list() == ["710"] * 11
    (reject,) = tables[REJECT].iter_rows(named=True)
    assert (reject["line"], reject["column"], reject["what"]) == (5, 33, f"{CPU}: CPC CAPACITY '21x1' cannot be read")


@pytest.mark.parametrize("control", ["0", "-", " "])
def test_carriage_control_left_on_a_row_is_not_read_as_a_digit(control: str) -> None:
    """A page cut out of its file keeps the column of carriage control without the line that would tell it apart."""
    text = "".join(f" {line}\n" for line in sample("cpu_two_threads").read_text().splitlines())
    for line in ("  9    IIP", " CPU        8561", " ---CPU---", " ------------ MULTI"):
        assert text.count(line) == 1
        text = text.replace(line, control + line[1:])
    tables = read_text(text, name="page")
    assert tables[REJECT].height == 0
    assert tables[CPU].select(PRINTED).rows() == TWO_THREADS
    assert set(tables[CPU]["cpc_type"]) == {"8561"}
    assert tables[MT].height == 2
