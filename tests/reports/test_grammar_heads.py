"""Lines that differ only in digits that no pattern distinguishes match the same patterns."""

import re

from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.reading.line_kinds import _digits_alike

PATTERNS = ("[ 0]*POLICY", "OS/390", " {0,7}[A-Z][0-9]{2}", "[0-2][0-9]\\.[0-5]", "DB2\\d+")


@given(st.text("0123456789 .ABCDIOLPSY/", max_size=8))
def test_a_line_with_other_digits_that_are_alike_matches_the_same_patterns(line: str) -> None:
    alike = _digits_alike(PATTERNS)
    for pattern in PATTERNS:
        assert bool(re.match(pattern, line)) == bool(re.match(pattern, line.translate(alike)))


def test_digits_that_no_pattern_names_are_one() -> None:
    assert {chr(d): to for d, to in _digits_alike(["[0-9]{1,3} OS/390", " +[0-9.]+"]).items()} == {
        **dict.fromkeys("1245678", "1"),
        "0": "0",
        "3": "3",
        "9": "9",
    }
