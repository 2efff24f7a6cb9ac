"""Numbers that fill their columns and touch, and lines cut within a number: a reject, never another number.

Pages are those of the samples with other values, set right-aligned where the page prints its own.
"""

from __future__ import annotations

from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from page_variants import difference, read_variants, whole
from sample_pages import sample

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


def test_a_line_cut_anywhere_gives_no_other_number() -> None:
    path = sample("cics_entries_among_other_sections")
    printed = path.read_text("utf-8")
    (number, line) = next((k, text) for k, text in enumerate(printed.splitlines(), 1) if ROW in text)
    widths = range(17, 96)
    for width, after in zip(
        widths, read_variants([printed.replace(line, line[:w]) for w in widths], Options()), strict=True
    ):
        found = difference(whole(path), after)
        assert found.changed == {}, width
        assert found.missing == found.extra == set(), width
        if line[width - 1].isdigit() and line[width].isdigit():
            (reject,) = after.rejects
            assert reject["line"] == number
            assert "its last value may be truncated" in reject["what"]


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
