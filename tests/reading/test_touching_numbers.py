"""Numbers that fill their columns and touch, and lines cut within a number: a reject, never another number.

Pages are those of the samples with other values, set right-aligned where the page prints its own.
"""

from __future__ import annotations

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import NOT_PRINTED, sample, sample_tables
from sizes import some

ROW = "ORDERENT     91827"
# Where the numbers of this page end.
ENDS = (19, 28, 37, 47, 56, 66, 75, 84, 93, 110)


def _page(numbers: list[int]) -> str:
    line = " ORDERENT"
    for end, number in zip(ENDS, numbers, strict=True):
        line = line.ljust(end - len(str(number))) + str(number)
    lines = sample("cics_entries_among_other_sections").read_text("utf-8").splitlines()
    return "\n".join(line if ROW in text else text for text in lines) + "\n"


def test_two_numbers_that_touch_between_others_are_no_number() -> None:
    numbers = [109503800, 86631692, 225616951, 117168592, 4, 5, 6, 7, 8, 9]
    tables = read_text(_page(numbers))
    row = tables["cics_db2entry_request"].row(0, named=True)
    assert (row["calls"], row["signons"], row["partial_signons"], row["commits"]) == (109503800, None, None, None)
    assert (row["aborts"], row["thread_waits_or_overflows"]) == (4, 9)
    assert set(tables["parse_reject"]["what"]) == {
        "a value straddles columns SIGNON COUNT and PARTIAL SIGNON",
        "a value straddles columns PARTIAL SIGNON and COMMIT COUNT",
    }


def test_a_wide_number_beside_a_narrow_one_is_read() -> None:
    numbers = [1, 2, 3, 225616951, 4, 107250123, 6, 7, 8, 9]
    tables = read_text(_page(numbers))
    row = tables["cics_db2entry_request"].row(0, named=True)
    assert (row["partial_signons"], row["commits"], row["aborts"]) == (3, 225616951, 4)
    assert (row["single_phase"], row["thread_creates"]) == (107250123, 6)
    assert tables["parse_reject"].height == 0


@pytest.mark.parametrize("width", some(range(17, 96), 8))
def test_a_line_cut_anywhere_gives_no_other_number(width: int) -> None:
    name = "cics_entries_among_other_sections"
    printed = sample(name).read_text("utf-8")
    (line,) = [text for text in printed.splitlines() if ROW in text]
    whole = sample_tables(sample(name))["cics_db2entry_request"].row(0, named=True)
    tables = read_text(printed.replace(line, line[:width]), name=name)
    cut = tables["cics_db2entry_request"].filter(db2entry="ORDERENT").row(0, named=True)
    values = [name for name, value in cut.items() if value is not None and name not in NOT_PRINTED]
    assert {name: cut[name] for name in values} == {name: whole[name] for name in values}
    if line[width - 1].isdigit() and line[width].isdigit():
        (what,) = tables["parse_reject"]["what"]
        assert "its last value may be truncated" in what


def test_a_number_that_ends_left_of_its_title_is_no_number_of_it() -> None:
    """Titles stand left and numbers far right in their columns: what ends beside the next title is not told apart."""
    titles = [
        " DB2Entry   Call      Signon    Partial   Commit    Abort     Single    Thread    Thread    Thread    Thread",
        " Name       Count     Count     Signon    Count     Count     Phase     Create    Reuse     Terms     Waits/Overflows",
    ]
    row = " ORDERENT         91        12         3        45         6        78         9   1234567        10         11"
    lines = sample("cics_entries_among_other_sections").read_text("utf-8").splitlines()
    at = next(k for k, line in enumerate(lines) if ROW in line)
    lines[at - 3 : at - 1], lines[at] = titles, row
    tables = read_text("\n".join(lines) + "\n")
    read = tables["cics_db2entry_request"].row(0, named=True)
    assert read["db2entry"] == "ORDERENT"
    assert [read[name] for name in ("calls", "signons", "commits", "single_phase", "thread_waits_or_overflows")] == [
        None
    ] * 5
    assert "a value ends left of its title SIGNON COUNT" in tables["parse_reject"].filter(line=at + 1)["what"].to_list()
