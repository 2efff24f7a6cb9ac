"""Workload simulator and JMH on changed and published pages; what their samples show is read off by eye in the .by_eye.jsonl beside them."""

from __future__ import annotations

import polars as pl
import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SHARED, one, sample

RUN, RESULT, REJECT = "workload_simulator_run", "jmh_result", "parse_reject"
EXTRACTS = SHARED / "reference" / "extracts"
published = pytest.mark.skipif(not EXTRACTS.is_dir(), reason="the published pages are no part of the project")


@pytest.mark.parametrize("number", ["1,23,456", "1.5E3", "12.5", "-3"])
def test_a_count_that_is_none_is_a_reject(number: str) -> None:
    text = sample("simulator_run").read_text().replace("Transactions = 63286", f"Transactions = {number}")
    tables = read_text(text)
    assert one(tables, RUN)["transactions"] is None
    assert tables[REJECT]["line"].to_list() == [13]


@published
def test_published_simulator_run() -> None:
    row = one(read_text((EXTRACTS / "workload_simulator_iwl.txt").read_bytes()), RUN)
    assert (row["run_time_s"], row["clients_completed"], row["clients_total"]) == (304.0, 0, 200)
    assert (row["page_elements"], row["page_elements_per_s"], row["transactions"]) == (397189, 1303.76, 328969)
    assert (row["http_read_bytes"], row["page_element_response_s"]) == (3_305_795_000, 0.022)


PRINTED = ("benchmark", "parameters", "mode", "count", "score", "error", "unit")


@pytest.mark.parametrize("blanks", range(1, 16))
def test_a_line_that_stands_too_far_left_gives_no_other_value(blanks: int) -> None:
    """Blanks behind the name are lost: a value may then stand below the title before its own."""
    path = sample("jmh_value_out_of_column")
    line = "OrderBenchmark.insert      t4  avgt   25  1.100 ± 0.010  ms/op"
    moved = line.replace("insert" + " " * min(blanks, 5), "insert", 1)
    moved = moved.replace("  avgt", " " * max(2 - max(blanks - 5, 0), 1) + "avgt", 1)
    tables = read_text(path.read_text().replace(line, moved))
    (row,) = tables[RESULT].filter(pl.col("line") == 9).select(PRINTED).rows()
    whole = ("OrderBenchmark.insert", '{"zdbc": "t4"}', "avgt", 25, 1.1, 0.01, "ms/op")
    assert all(value in (expected, None) for value, expected in zip(row, whole, strict=True)), row
    assert row == whole or 9 in tables[REJECT]["line"].to_list()


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "cp037", "cp1140"])
def test_the_sign_of_the_error_survives_any_code_page(encoding: str) -> None:
    text = sample("jmh_run_with_profiler").read_text()
    rows = read_text(text.encode(encoding))[RESULT]
    assert rows.select("score", "error", "unit").rows()[:2] == [(0.874, 0.012, "ms/op"), (41.1, 0.402, "MB/sec")]
    assert rows.height == 6


@pytest.mark.parametrize("sign", ["?", "+-", "\N{REPLACEMENT CHARACTER}", " ", "Â±"])
def test_the_sign_of_the_error_may_be_lost(sign: str) -> None:
    tables = read_text(sample("jmh_value_out_of_column").read_text().replace("±", sign), Options())
    assert tables[RESULT].select("score", "error", "unit").rows()[0] == (0.902, 0.011, "ms/op")


def test_a_result_cut_by_the_end_of_the_file_is_not_read() -> None:
    text = sample("jmh_run_with_profiler").read_text()
    end = text.index("1.131")
    whole = read_text(text)[RESULT].to_dicts()[3]
    for length in range(1, len("1.131 ± 0.020   ms/op"), 3):
        for row in read_text(text[: end + length])[RESULT].to_dicts()[3:]:
            assert all(row[name] in (whole[name], None) for name in PRINTED)
