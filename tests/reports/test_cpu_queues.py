"""The analysis parts of CPU Activity: the same numbers as print and as XML, and what a line beside them must not do."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.quality.check_batch import check_batch
from ironlake.pipeline.reading.engine import read_text
from sample_pages import Tables, parse_each, read_each, sample, sample_tables

SPACES, QUEUE, UNITS, BLOCKED = (
    "rmf_address_space_count",
    "rmf_work_unit_queue",
    "rmf_work_unit",
    "rmf_blocked_workload",
)
NOT_OF_THE_PAGE = ("source_id", "source_file", "source_form", "page", "line")
PRINT, XML = sample("cpu_v2r4_work_unit_queue"), sample("cpu_xml_analysis_parts")


def values(tables: Tables, name: str) -> list[tuple]:
    return tables[name].drop(*NOT_OF_THE_PAGE, strict=False).rows()


@pytest.mark.parametrize("name", ["rmf_cpu_activity", SPACES, QUEUE, UNITS, BLOCKED])
def test_print_and_xml_of_one_interval_agree_cell_for_cell(name: str) -> None:
    """The two samples were written with the same numbers."""
    printed, document = sample_tables(PRINT), sample_tables(XML)
    assert printed["parse_reject"].is_empty()
    assert document["parse_reject"].is_empty()
    assert values(printed, name) == values(document, name)
    assert set(printed[name]["source_form"]) == {"print"}
    assert set(document[name]["source_form"]) == {"xml"}


@pytest.mark.parametrize("digits", ["", "9999999999"])
@pytest.mark.parametrize("path", [PRINT, XML], ids=["print", "xml"])
def test_an_interval_without_an_end_in_any_year_is_a_reject(path: Path, digits: str) -> None:
    separator = b":" if path == XML else b"."
    whole = path.read_bytes()
    length = re.search(rb"(?:INTERVAL |minutes\">)(\d+" + separator + rb"\d\d" + separator + rb"\d{3})", whole)
    assert length
    changed = whole.replace(length[1], digits.encode() + length[1])
    tables = read_text(changed, Options())
    assert ("interval" in str(tables["parse_reject"]["what"].to_list())) == bool(digits)
    assert set(tables["rmf_cpu_activity"]["interval_s"].is_null()) == {bool(digits)}


@pytest.mark.parametrize(
    ("old", "new", "told", "left"),
    [
        ("<=  N +   5", "<=  M +   5", ["rmf_cpu_activity: unexpected line"], 15),
        ("<=  N +   5", "           ", ["rmf_cpu_activity: unexpected line"], 15),
        (
            " =  N +   2",
            " =  N +   X",
            ["relation: '=  N +   X' cannot be read", "rmf_work_unit_queue: 1 rows without relation are left out"],
            15,
        ),
        ("  4.9    >>>", "  4,9    >>>", ["samples_pct: '4,9' cannot be read"], 16),
    ],
)
def test_a_bucket_that_cannot_be_read_is_told(old: str, new: str, told: list[str], left: int) -> None:
    text = PRINT.read_text()
    assert old in text
    tables = read_text(text.replace(old, new))
    whole = sample_tables(PRINT)
    assert tables["parse_reject"]["what"].to_list() == told
    assert len(tables[QUEUE]) == left
    assert values(tables, SPACES) == values(whole, SPACES)


def test_queues_are_read_without_a_margin() -> None:
    """Words among the queues that begin at the left edge are no cells either."""
    moved = "".join(line.removeprefix(" ") for line in PRINT.read_text().splitlines(keepends=True))
    tables = read_text(moved.encode())
    assert not tables["parse_reject"].height
    for name in (SPACES, QUEUE, UNITS, BLOCKED):
        assert values(tables, name) == values(sample_tables(PRINT), name) != []


def test_an_unknown_queue_is_a_reject() -> None:
    tables = read_text(PRINT.read_text().replace(" OMVS    ", " UNIX    "))
    assert tables["parse_reject"]["what"].to_list() == ["rmf_cpu_activity: unexpected line"]
    assert tables[SPACES].select(pl.col("omvs_avg").is_null()).item()


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("   ******", "did not fit"),
        ("     1X64", "cannot be read"),
        ("      16*", "cannot be read"),
        ("      N/A", ""),
        ("         ", ""),
    ],
)
def test_a_value_of_blocked_workload_that_is_no_number_is_told(printed: str, told: str) -> None:
    text = PRINT.read_text().replace("DEFINED      164", "DEFINED" + printed)
    tables = read_text(text)
    row = tables[BLOCKED].row(0, named=True)
    assert (row["promotes_defined_per_s"], row["promote_limit_pct"], row["waiters_avg"]) == (None, 0.5, 0.027)
    assert [told in what for what in tables["parse_reject"]["what"]] == ([True] if told else [])


def test_a_line_of_blocked_workload_that_is_cut_is_a_reject() -> None:
    """Of 164 cut to 16 nothing can be seen."""
    cut = "DEFINED      16"
    text = "\n".join(
        line[: line.index(cut) + len(cut)] if cut in line else line for line in PRINT.read_text().split("\n")
    )
    tables = read_text(text)
    assert tables[BLOCKED].is_empty()
    assert not tables["parse_reject"].is_empty()


def test_queues_without_the_line_that_begins_their_row_are_rejects() -> None:
    text = "\n".join(line for line in PRINT.read_text().split("\n") if not line.startswith(" IN   "))
    tables = read_text(text)
    assert tables[SPACES].is_empty()
    # IN READY, then one or two lines between buckets that stand alone, then the five types of address spaces.
    assert tables["parse_reject"]["lines"].to_list() == [1, 2, 2, 5]


def test_work_units_with_a_suffix_or_without_a_value_keep_their_row() -> None:
    tables = read_text(PRINT.read_text().replace("1      38     4.6", "1     38K     N/A"))
    row = tables[UNITS].row(0, named=True)
    assert (row["work_units_min"], row["work_units_max"], row["work_units_avg"]) == (1, 38000, None)
    assert tables["parse_reject"].is_empty()


@pytest.mark.parametrize("path", [PRINT, XML])
def test_work_units_of_an_unknown_type_are_rejects(path: Path) -> None:
    text = path.read_text().replace(" IIP                   0", " ZCP                   0")
    text = text.replace("<col>IIP</col><col>0</col><col>17</col>", "<col>ZCP</col><col>0</col><col>17</col>")
    tables = read_text(text)
    assert tables[UNITS]["processor_type"].to_list() == ["CP"]
    assert not tables["parse_reject"].is_empty()


# --- lines that are shifted, and numbers that do not belong together --------------------------------------------------

STACKED_PAGE = sample("cpu_analysis_parts_on_pages_of_their_own")
STACKED = STACKED_PAGE.read_text()
ENDS = ("min", "max", "avg")
NOT_BELOW = "rmf_cpu_activity: the numbers do not stand below those of the lines beside; none is read"


def counts_of(tables: Tables) -> dict[str, dict[str, float | None]]:
    row = tables[SPACES].row(0, named=True)
    return {end: {name: row[name] for name in row if name.endswith(f"_{end}")} for end in ENDS}


def counts(text: str) -> dict[str, dict[str, float | None]]:
    return counts_of(read_text(text))


def test_a_stacked_line_that_is_shifted_is_not_read() -> None:
    """By two columns or a whole one: its values could be those of the neighbours. The other two lines keep theirs."""
    cases, pages = [], [STACKED]
    for end in ENDS:
        (line,) = (line for line in STACKED.split("\n") if line.startswith(f" {end.upper()} "))
        for by in (-5, -2, 2, 3, 8, 9):
            shifted = line[:4] + " " * by + line[4:] if by > 0 else line[:4] + line[4 - by :]
            cases.append((end, by))
            pages.append(STACKED.replace(line, shifted))
    whole, *found = read_each(pages)
    for (end, by), tables in zip(cases, found, strict=True):
        expected = {one: dict.fromkeys(v) if one == end else v for one, v in counts_of(whole).items()}
        assert counts_of(tables) == expected, (end, by)
        assert tables["parse_reject"]["what"].to_list() == [NOT_BELOW], (end, by)


def test_a_stacked_line_that_is_one_column_off_is_read() -> None:
    assert counts(STACKED.replace("\n MAX  ", "\n  MAX  ")) == counts(STACKED)


def test_a_stacked_line_with_values_that_are_not_there_is_read() -> None:
    """112 and 77: N/A and blank."""
    text = STACKED.replace("      112  ", "      N/A  ").replace("        77  ", "            ")
    whole = counts(STACKED)
    assert counts(text) == whole | {"min": whole["min"] | {"stc_min": None, "logical_out_wait_min": None}}


def test_of_two_lines_that_stand_apart_none_is_read() -> None:
    """Nobody knows which of them is shifted."""
    lines = [line for line in STACKED.split("\n") if not line.startswith(" AVG ")]
    text = "\n".join(line.replace(" MAX ", " MAX    ") if line.startswith(" MAX ") else line for line in lines)
    assert {value for values in counts(text).values() for value in values.values()} == {None}
    assert read_text(text)["parse_reject"]["what"].to_list() == [NOT_BELOW] * 2


def test_numbers_of_a_page_agree() -> None:
    """The least is not above the average, nor that above the most; buckets add up within the rounding of all of them."""
    cases = [
        (PRINT, "71.4", "71.2", []),
        (PRINT, "71.4", "70.4", ["rmf_work_unit_queue.buckets_add_up"]),
        (XML, "<col>71.4</col>", "<col>17.4</col>", ["rmf_work_unit_queue.buckets_add_up"]),
        (PRINT, "38     4.6", " 4     4.6", ["rmf_work_unit.work_units_avg_is_at_most_max"]),
        (PRINT, "38     4.6", "38     0.6", ["rmf_work_unit.work_units_min_is_at_most_avg"]),
        (STACKED_PAGE, " 3.7 ", " 1.7 ", ["rmf_address_space_count.in_ready_min_is_at_most_avg"]),
        (STACKED_PAGE, "   2.9", "  22.9", ["rmf_address_space_count.omvs_avg_is_at_most_max"]),
    ]
    texts = [path.read_text() for path, *_ in cases]
    assert all(old in text for text, (_, old, *_) in zip(texts, cases, strict=True))
    changed = [text.replace(old, new, 1) for text, (_, old, new, _) in zip(texts, cases, strict=True)]
    results = check_batch(parse_each([*changed, *texts]).tables)
    assert results is not None
    found = [(int(row["source_id"]), row["rule"]) for row in results.to_pylist()]
    assert sorted(found) == [(number, rule) for number, (*_, rules) in enumerate(cases) for rule in rules]
