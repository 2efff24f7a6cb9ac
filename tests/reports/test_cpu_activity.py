"""RMF CPU Activity: totals, what is lost, and columns of carriage control. Values of pages stand beside them."""

from __future__ import annotations

import polars as pl
import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample, sample_tables

CPU, MT, REJECT = "rmf_cpu_activity", "rmf_multithreading", "parse_reject"

# The columns of a processor or total, in the order of the page.
PRINTED = (
    *("processor_type", "processor_id", "thread", "online_pct", "lpar_busy_pct", "mvs_busy_pct", "parked_pct"),
    *("mt_productivity_pct", "mt_utilization_pct", "logical_share_pct", "polarization"),
    *("io_interrupts_per_s", "io_interrupts_tpi_pct"),
)


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
    whole = sample_tables(sample("cpu_two_threads"))[CPU]
    assert tables[CPU].select(PRINTED).equals(whole.select(PRINTED))
    assert set(tables[CPU]["cpc_type"]) == {"8561"}
    assert tables[MT].height == 2
