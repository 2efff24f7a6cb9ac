"""Whatever bytes come: no exception, an account that closes, no page that takes for ever. `make test` and `make
test-slow` try some; `make soak` has a fuzzer that looks which branches an input reaches."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.reading_options import Options
from judged_inputs import edits, flipped, judge
from page_variants import read_variants
from property_settings import examples
from sample_pages import sample, sample_files

PAGES = [path.read_bytes() for path in sample_files()]
QUICK = examples(15)


@QUICK
@given(page=st.sampled_from(PAGES), seed=st.integers(0, 1 << 30))
def test_bits_flipped_anywhere(page: bytes, seed: int) -> None:
    assert judge(flipped(page, Random(seed))) == ""


@QUICK
@given(page=st.sampled_from(PAGES), other=st.sampled_from(PAGES), seed=st.integers(0, 1 << 30))
def test_lines_of_one_page_among_those_of_another(page: bytes, other: bytes, seed: int) -> None:
    assert judge(edits(page, Random(seed), other)) == ""


@QUICK
@given(data=st.binary(max_size=3000))
@example(b"\x1b[31m\n" * 100)
@example(bytes(range(256)) * 12)
def test_any_bytes(data: bytes) -> None:
    assert judge(data) == ""


@QUICK
@given(page=st.sampled_from(PAGES), number=st.integers(0, 10_000), text=st.text(max_size=400))
def test_any_text_in_place_of_a_line(page: bytes, number: int, text: str) -> None:
    lines = page.decode().split("\n")
    lines[number % len(lines)] = text
    assert judge("\n".join(lines).encode("utf-8", "replace")) == ""


CELL = st.one_of(
    st.from_regex(r"[0-9]{1,5}(\.[0-9]{1,3})?[KMG]?", fullmatch=True),
    st.text(alphabet="0123456789KMG.,:-+*N/ACP<>=% ", max_size=9),
)
A_NUMBER = re.compile(r"([0-9]+(?:,[0-9]{3})*(?:\.[0-9]*)?|\.[0-9]+)([KMG]?)")
TIMES = {"": 1, "K": 1000, "M": 10**6, "G": 10**9}


@examples(4)
@given(cells=st.lists(CELL, min_size=20, max_size=20))
def test_a_cell_is_the_number_that_is_printed_or_none(cells: list[str]) -> None:
    """Whatever is printed there: the value follows; or it is NULL, and a reject or a reason says why, unless it is blank."""
    page = sample("g2_every_cell_differs").read_text().splitlines()
    at = next(k for k, line in enumerate(page) if line.startswith("AVG "))
    texts = []
    cells = [cell[-9:] for cell in cells]  # no more fits between the label and the next column
    for cell in cells:
        # The suffix stands in the gap right of the digits.
        end = 15 if cell[-1:] in ("K", "M", "G") else 14
        lines = [*page]
        lines[at] = lines[at][:4] + (cell.rjust(end - 4) + lines[at][end:])
        texts.append("\n".join(lines) + "\n")
    for cell, after in zip(cells, read_variants(texts, Options()), strict=True):
        (row,) = (r for r in after.rows.values() if r.get("transactions_ended") is not None)
        number = A_NUMBER.fullmatch(cell.strip())
        value, told = row["transactions_avg"], at + 1 in after.rejected_lines
        if value is not None:
            assert number, cell
            assert value == pytest.approx(float(number[1].replace(",", "")) * TIMES[number[2]]), cell
        else:
            assert told or not re.search(r"[0-9]", cell), cell
