"""Workload simulator and JMH: what their samples are there to show. Every value was read off its page by eye."""

from __future__ import annotations

import json

import polars as pl
import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SHARED, one, sample, sample_tables
from views_lake import expect

RUN, RESULT, REJECT = "workload_simulator_run", "jmh_result", "parse_reject"
EXTRACTS = SHARED / "reference" / "extracts"
published = pytest.mark.skipif(not EXTRACTS.is_dir(), reason="the published pages are no part of the project")


def test_a_run_is_its_summary_and_the_label_names_the_value() -> None:
    """Two messages print the average response time: the second, of the time with all clients, is no other print of it."""
    row = one(sample_tables(sample("simulator_run")), RUN)
    expect(row, run_time_s=182.0, clients_completed=0, clients_total=40, line=9, page_elements=253144)
    expect(row, page_elements_per_s=1390.901, transactions=63286, transactions_per_s=347.725, network_errors=1)
    expect(row, server_errors=3, pages=253140, pages_per_s=1390.879, http_read_bytes=1_348_517_000)
    expect(row, http_written_bytes=65_722_000, page_element_response_s=0.014, page_element_response_all_clients_s=0.0)


def test_runs_of_one_log_stay_apart() -> None:
    first, second = sample_tables(sample("simulator_two_runs_with_time_stamps"))[RUN].to_dicts()
    expect(first, run_time_s=3602.0, clients_completed=250, clients_total=1000, page_elements=4682600)
    expect(first, page_elements_per_s=1300.0, page_element_response_s=0.031, server_errors=None)
    expect(first, http_read_bytes=12_004_250_000)
    assert (second["run_time_s"], second["page_elements_per_s"], second["server_errors"]) == (120.0, 800.0, 12)
    assert (second["transactions"], second["page_element_response_s"]) == (None, None)


def test_a_summary_without_its_first_line_is_not_the_run_above() -> None:
    tables = sample_tables(sample("simulator_unknown_label"))
    row = one(tables, RUN)
    assert (row["transactions"], row["server_errors"], row["http_read_bytes"]) == (30500, None, None)
    assert tables[REJECT].select("line", "lines").rows() == [(5, 1), (6, 1), (12, 6)]


def test_a_comma_in_a_rate_is_no_group_of_thousands() -> None:
    """500,000 /s may be 500 or 500 thousand."""
    assert one(sample_tables(sample("simulator_unknown_label")), RUN)["page_elements_per_s"] is None


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


def printed(name: str) -> list[tuple]:
    return sample_tables(sample(name))[RESULT].select(PRINTED).rows()


def test_secondary_results_are_rows_and_nan_is_null() -> None:
    t4 = '{"driver": "t4", "rows": "10"}'
    assert printed("jmh_run_with_profiler")[2:] == [
        ("OrderBenchmark.select:·gc.count", '{"driver": "t2", "rows": "10"}', "avgt", 5, 3.0, None, "counts"),
        ("OrderBenchmark.select", t4, "avgt", 5, 1.131, 0.02, "ms/op"),
        ("OrderBenchmark.select:·gc.alloc.rate", t4, "avgt", 5, 88.314, 1.007, "MB/sec"),
        ("OrderBenchmark.select:·stack", t4, "avgt", None, None, None, "---"),
    ]


def test_a_parameter_may_hold_blanks_and_be_wider_than_its_title() -> None:
    rows = printed("jmh_wide_columns_and_two_runs")
    assert [json.loads(row[1]) for row in rows[:3]] == [
        {"statement text": "INSERT INTO T VALUES(?)", "port": "5021", "serverAddressAsGiven": "10.1.20.30"},
        {"statement text": "SELECT 1 FROM T", "port": "5021", "serverAddressAsGiven": "10.1.20.30"},
        {"statement text": None, "port": "5021", "serverAddressAsGiven": "db2a.example.com"},
    ]
    assert [row[2:] for row in rows[:4]] == [
        ("thrpt", 100, 12345.678, 210.4, "ops/s"),
        ("thrpt", 100, 9876.543, 98.1, "ops/s"),
        ("thrpt", 20, 7.004, 0.02, "ops/s"),
        ("thrpt", 20, -0.001, 0.003, "ops/s"),
    ]


def test_without_parameters_and_without_a_count() -> None:
    assert printed("jmh_wide_columns_and_two_runs")[4:] == [
        ("StartBenchmark.cold", "{}", "ss", None, 1204.551, None, "ms/op"),
        ("StartBenchmark.lookup", "{}", "avgt", 25, None, None, "ms/op"),
        ("StartBenchmark.lookup:lookup·p0.99", "{}", "sample", None, 0.002, None, "ms/op"),
        ("StartBenchmark.spin", "{}", "thrpt", 1000, 1000000.5, 12.25, "ops/s"),
    ]


def test_a_power_of_ten_is_no_score() -> None:
    tables = sample_tables(sample("jmh_wide_columns_and_two_runs"))
    row = one(tables, RESULT, benchmark="StartBenchmark.lookup")
    assert (row["score"], row["score_approximate"]) == (None, pytest.approx(0.0001))


def test_a_decimal_comma_is_no_group_of_thousands() -> None:
    assert [row[4:6] for row in printed("jmh_decimal_commas")] == [
        (235.217, 1.001),
        (301.5, 2.25),
        (3.0, 0.12),
        (1234.567, 10.12),
    ]


def test_what_is_not_below_its_title_is_not_read() -> None:
    assert [row[2:6] for row in printed("jmh_value_out_of_column")] == [
        ("avgt", 25, 0.902, 0.011),
        (None, None, None, None),
        ("avgt", 25, None, 0.01),
        ("avgt", 25, 1.1, 0.01),
    ]


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
    whole = sample_tables(sample("jmh_run_with_profiler"))[RESULT].to_dicts()[3]
    for length in range(1, len("1.131 ± 0.020   ms/op")):
        for row in read_text(text[: end + length])[RESULT].to_dicts()[3:]:
            assert all(row[name] in (whole[name], None) for name in PRINTED)


@published
def test_published_jmh_results() -> None:
    """Type 2 takes 21 to 24% less time: 1 - 0.886 / 1.139, 1 - 1.035 / 1.363."""
    rows = read_text((EXTRACTS / "jmh_jdbc_type2_vs_type4.txt").read_bytes())[RESULT].to_dicts()
    scores = {tuple(json.loads(r["parameters"]).values())[2:]: (r["score"], r["error"], r["count"]) for r in rows}
    assert scores["10", "t2"] == (0.886, 0.01, 100)
    assert scores["100", "t4"] == (1.363, 0.029, 100)
    assert len(scores) == 8
