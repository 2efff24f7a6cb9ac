"""Numbers that fill their columns and touch: a reject, never one number made of two.

Pages are those of the samples with other values, set right-aligned where the page prints its own.
"""

from __future__ import annotations

from ironlake.pipeline.engine import read_text
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
        "a value runs across the border of SIGNON COUNT and PARTIAL SIGNON",
        "a value runs across the border of PARTIAL SIGNON and COMMIT COUNT",
    }


def test_a_wide_number_beside_a_narrow_one_is_read() -> None:
    numbers = [1, 2, 3, 225616951, 4, 107250123, 6, 7, 8, 9]
    tables = read_text(_page(numbers))
    row = tables["cics_db2entry_request"].row(0, named=True)
    assert (row["partial_signons"], row["commits"], row["aborts"]) == (3, 225616951, 4)
    assert (row["single_phase"], row["thread_creates"]) == (107250123, 6)
    assert tables["parse_reject"].height == 0
