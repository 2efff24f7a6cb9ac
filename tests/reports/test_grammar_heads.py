"""What the first characters of a line say of its kind: digits that no pattern distinguishes count as one, and a kind whose lines begin with
certain letters has no line that begins with another."""

import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.reading import grammar_tables
from ironlake.pipeline.reading.line_kinds import _digits_alike, _first_letters

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


@pytest.mark.parametrize(
    ("pattern", "letters"),
    [
        ("POLICY: .*", "P"),
        (" *SYSTEM: .*", "S"),
        (" {20,}TOTAL +[0-9*].*", "T"),
        (" *(GOAL:|ACTUALS) .*", "GA"),
        (" *(Z\\/OS|MVS) .*", "ZM"),
        # Another line may begin otherwise.
        (" *A?VG .*", ""),
        (" *A{0,1}VG .*", ""),
        (" *(A*VG|MPL) .*", ""),
        (" *(AVG|[0-9]) .*", ""),
        (" *(AVG )?[0-9]+", ""),
        (" *(AVG ){0,1}[0-9]+", ""),
        (" *(AVG|) *[0-9]+", ""),
        ("[ 0]*POLICY=.*", ""),
        ("AVG .*|[0-9]+", ""),
        ("(?i: *TOTAL.*)", ""),
        (" *(A(B|C)|[0-9])", ""),
    ],
)
def test_the_first_letters_of_lines_are_read_off_a_pattern(pattern: str, letters: str) -> None:
    assert _first_letters(pattern) == frozenset(letters)


def test_no_line_of_a_grammar_begins_with_another_letter() -> None:
    """All grammars: a letter too few would lose lines."""
    names = {name for report in reports().values() for name in (report.name, report.xml_grammar) if name}
    patterns = [terminal.pattern for name in names for terminal in grammar_tables.load(name).terminals]
    told = [(regex.compile(pattern), letters) for pattern in patterns if (letters := _first_letters(pattern))]
    assert len(told) > 100
    others = [chr(code) for code in range(0x21, 0x7F)]
    for margin in ("", " ", " " * 10, " " * 40):
        for whole, letters in told:
            assert not [c for c in others if c not in letters and whole.fullmatch(margin + c, partial=True)], (
                whole.pattern
            )
