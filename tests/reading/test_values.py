"""Cells whose value must not come out smaller or larger than printed."""

import re

import numpy as np
import polars as pl
import pytest
from ironlake.pipeline.reading import compiled
from ironlake.pipeline.reading import numbers as values
from ironlake.pipeline.reading.cast import as_cells
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.reading.null_reasons import OK, UNREADABLE
from sample_pages import sample


@pytest.mark.parametrize(
    ("printed", "unit", "seconds"),
    [
        ("143", 1e-3, 0.143),
        ("679822", 1e-6, 0.679822),
        ("75000", 1e-3, 75.0),
        ("100000", 1e-3, 100.0),
        ("1.311", 1e-3, 1.311),
        ("4.06.826", 1e-3, 246.826),
        ("000.00.15.590291", 1e-6, 15.590291),
        ("2.497136", 1e-6, 2.497136),
        ("3.355224", 1e-6, 3.355224),
    ],
)
def test_a_bare_integer_counts_units_and_a_clock_counts_its_parts(printed: str, unit: float, seconds: float) -> None:
    read = values.read(as_cells(pl.Series([printed])), "clock", unit=unit)
    assert read.code[0] == OK
    # To the last digit: 2.497136, not 2.4971360000000002.
    assert read.value[0] == seconds


@pytest.mark.parametrize(
    ("printed", "unit"), [("4.6.826", 1e-3), ("1.4.06.826", 1e-3), ("123.826", 1e-3), ("311222", 0.0)]
)
def test_a_time_with_a_digit_too_few_or_without_its_unit_is_none(printed: str, unit: float) -> None:
    read = values.read(as_cells(pl.Series([printed])), "clock", unit=unit)
    assert read.code[0] == UNREADABLE
    assert np.isnan(read.value[0])


def test_a_number_that_ends_with_its_point_is_none() -> None:
    read = values.read(as_cells(pl.Series(["672.", "672.7", "672"])), "number")
    assert read.code.tolist() == [UNREADABLE, OK, OK]


@pytest.mark.parametrize(
    ("printed", "is_share", "place", "wrong"),
    [
        # One alone with fewer decimals than two others; of shares, than one and all others.
        (["  9.60", "  5.75", "   0.2", " 701.7"], False, -1, [2]),
        (["  38.8", " 27.26", "  0.47"], True, -1, [0]),
        (["  38.8", " 27.26", "  0.47"], False, -1, []),
        (["  38.8", " 27.26"], True, -1, []),
        (["  1,20", "  5.75", "  4.25"], False, -1, [0]),
        (["     0", "  5.75", "  4.25"], False, -1, []),
        # One alone that ends a place in front of two others.
        (["    24", "    31", "    2 "], False, 0, [2]),
        (["    24", "    3 ", "    2 "], False, 0, []),
        (["  24.5", "  31.5", "    2 "], False, 0, []),
    ],
)
def test_a_number_that_contradicts_its_column_is_unreadable(
    printed: list[str], is_share: bool, place: int, wrong: list[int]
) -> None:
    job = (0, 0.0, -1, 0, place, 0, 24, 0, (is_share, False, False, False, False))
    cells, lines = as_cells(pl.Series(printed)).reshape(-1, 1, 24), np.arange(len(printed))
    jobs = compiled.Jobs([[job]], [(0, [-1 if place == 0 else 0])])
    pages, kinds, of_xml = (np.zeros(len(printed), dtype) for dtype in (np.int64, np.int16, np.uint8))
    _, stated = jobs.cast("number", "KMG", [(cells, 1, [0], lines, 0, None, None)], pages, kinds, of_xml, 1)
    assert stated == [(0, line, UNREADABLE) for line in wrong]


def test_a_value_that_runs_into_the_next_group_is_read_for_neither() -> None:
    text = sample("g2_every_cell_differs").read_text()
    lines = text.splitlines()
    row = next(k for k, line in enumerate(lines) if line.lstrip().startswith("ENDED"))
    at = lines[row].index("QUEUED")
    whole = read_text(text)["rmf_workload_activity"]
    # The number goes on to the very column where the label of the next group begins.
    damaged = lines[row][: at - 2] + "99" + lines[row][at:]
    tables = read_text("\n".join([*lines[:row], damaged, *lines[row + 1 :]]) + "\n")
    after = tables["rmf_workload_activity"]
    assert whole["transactions_ended"][0] is not None
    assert after["transactions_ended"][0] is None
    assert after["queued_time_s"][0] is None
    assert after["total_service"][0] == whole["total_service"][0]
    assert tables["parse_reject"]["line"].to_list() == [row + 1]


@pytest.mark.parametrize(
    ("printed", "number", "digit"), [("312M", 312e6, 1e6), ("1.2B", 1.2e9, 1e8), ("2T", 2e12, 1e12)]
)
def test_suffixes_of_counts(printed: str, number: float, digit: float) -> None:
    read = values.read(as_cells(pl.Series([printed])), "number", "KMGBT")
    assert (read.value[0], read.code[0], read.digit[0]) == (number, OK, digit)


@pytest.mark.parametrize(
    ("printed", "read"),
    [("01.02.03", 3723.0), ("01:02:03", 3723.0), ("00:05:04", 304.0), ("1.02:03", None), ("00:61:00", None)],
)
def test_hours_minutes_and_seconds_stand_between_points_or_colons(printed: str, read: float | None) -> None:
    found = values.read(as_cells(pl.Series([printed])), "hours_minutes_seconds")
    assert (found.code[0] == OK) == (read is not None)
    assert read is None or found.value[0] == read


def test_a_label_that_stands_twice_with_different_values_leaves_its_column_empty() -> None:
    text = sample("overflowed_cell").read_text()
    lines = text.split("\n")
    at = next(k for k, line in enumerate(lines) if "MPL       4.98" in line)
    lines.insert(at + 1, lines[at].replace("4.98", "4.99").replace("********", "   0.000"))
    tables = read_text("\n".join(lines))
    (row,) = tables["rmf_workload_activity"].to_dicts()
    assert (row["transactions_mpl"], row["execution_time_s"], row["dasd_response_ms"]) == (None, 2.118, 1.9)
    assert "transactions_mpl: printed twice with different values; left NULL" in set(tables["parse_reject"]["what"])


@pytest.mark.parametrize("printed", ["8796093022209K", "42975318642G"])
def test_a_whole_number_that_is_not_exact_in_a_double_is_told(printed: str) -> None:
    """Beyond the largest number of a column its sign would turn."""
    text = sample("cf_processors_and_subchannels").read_text()
    tables = read_text(text.replace(" " * (len(printed) - 3) + "19G", printed, 1))
    assert tables["rmf_cf_usage"]["control_storage_bytes"].to_list() == [None]
    assert tables["parse_reject"]["what"].to_list() == [f"control_storage_bytes: {printed!r} cannot be read"]


@pytest.mark.parametrize(("key", "table"), [("PERIOD", "rmf_workload_goal"), ("IMPORTANCE", "rmf_workload_activity")])
def test_a_number_of_a_class_with_more_digits_than_a_table_holds_is_a_reject(key: str, table: str) -> None:
    text = sample("page_continues_with_class_line_repeated").read_text()
    printed = "9" * 16
    lines = [re.sub(rf"{key}=\d", f"{key}={printed}", line) for line in text.split("\n")]
    tables = read_text("\n".join(lines))
    assert set(tables[table][key.lower()]) == {None}
    whats = set(tables["parse_reject"]["what"])
    assert any(f"{key} {printed!r} cannot be read" in what for what in whats), whats


def test_a_duration_has_the_digits_that_are_printed() -> None:
    """Not 195.10660000000001: three minutes and 15.1066 s."""
    found = values.read(as_cells(pl.Series(["03:15.10660", "03:25.74449", "2-01:00:00.1"])), "amount")
    assert found.value.tolist() == [195.1066, 205.74449, 176400.1]
