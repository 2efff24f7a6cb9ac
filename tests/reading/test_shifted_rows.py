"""Rows of which one number is lost and others stand in the column beside: no other value is read, and no second one lost, without a reject."""

from __future__ import annotations

import pytest
from ironlake.pipeline.reading.engine import read_text
from page_variants import read_variants, turns
from sample_pages import canonical, options_of, sample, sample_files
from shifted_rows import rows_of_columns, shifted, wrong_in_silence

# Reports of which no row is read shifted. Others print rows with blank cells, or no rule is declared for them yet.
NEVER = ("cics_servers", "rmf_cache_subsystem")
# Blocks that are no quantity with its rates (CPU TIMES, latches, messages); a rate of nothing, where N/A was printed (lines 50 and 51); and
# SPARES, a title that is not known and is rejected.
NOT_YET = {
    "statistics_blocks_without_quantity": range(1, 100),
    "statistics_shifted_three_blocks": range(20, 24),
    "statistics_subsystem_and_log": (*range(12, 21), 50, 51, *range(70, 78)),
    "servers_bad_lines": (7,),
}
PAGES = [path for path in sample_files() if path.parent.name in (*NEVER, "db2_statistics")]


@pytest.mark.parametrize("nth", [pytest.param(6, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
def test_no_row_is_read_shifted_in_silence(nth: int) -> None:
    tried, wrong = 0, []
    for path in PAGES:
        page = canonical(path)
        lines = page.split("\n")
        rows = [k for k in rows_of_columns(path) if k + 1 not in NOT_YET.get(path.stem, ())]
        variants = [v for k in turns(rows, nth, path.stem) for v in shifted(k, lines[k])]
        whole, *readings = read_variants([page, *(v.on(page) for v in variants)], options_of(path))
        tried += len(variants)
        for variant, after in zip(variants, readings, strict=True):
            wrong += [f"{path.stem} {variant}: {w}" for w in wrong_in_silence(whole, after, variant)]
    assert tried >= 300
    assert not wrong, "\n".join(wrong[:10])


def test_the_variants_are_those_that_are_meant() -> None:
    text = "ROW A      1.00   22.00  N/A"
    found = [variant.text for variant in shifted(0, text)]
    assert found == [
        "ROW A     22.00     N/A",
        "ROW A      1.00     N/A",
        "ROW A              1.00  N/A",
        # The first as well would touch the second.
        "ROW A      1.00        22.00",
    ]


def test_a_shift_that_is_read_is_seen() -> None:
    path = sample("cpu_two_threads")
    page = canonical(path)
    lines = page.split("\n")
    variants = [v for k in rows_of_columns(path) for v in shifted(k, lines[k])]
    whole, *readings = read_variants([page, *(v.on(page) for v in variants)], options_of(path))
    assert any(wrong_in_silence(whole, after, v) for v, after in zip(variants, readings, strict=True))
    assert not wrong_in_silence(whole, whole, variants[0])
    assert read_text(page)["parse_reject"].is_empty()
