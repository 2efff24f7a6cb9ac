"""A page that ends within a line: what is left of a label or a text is no value."""

from __future__ import annotations

import re

import pytest
from ironlake.pipeline.engine import read_text
from sample_pages import sample


@pytest.mark.parametrize("end", ["DB2Entry ", "DB2Entry Deadlock ", "DB2Entry Deadlock Resolution. "])
def test_a_label_cut_behind_a_word_is_no_value(end: str) -> None:
    """`make soak` found it: with a blank as its last byte, the file does not end within a word."""
    text = sample("cics_dfh0stat_entries").read_text()
    cut = text.index("DB2Entry Deadlock Resolution.") + len(end)
    found = read_text(text[:cut])
    assert text[:cut].endswith(end)
    assert found["cics_db2entry_resource"]["plan_exit"].to_list() == [None]
    assert found["parse_reject"]["line"].to_list() == [text.count("\n", 0, cut) + 1]


@pytest.mark.parametrize("printed", ["DBAT", "NORMAL"])
def test_a_text_cut_behind_a_colon_is_no_value(printed: str) -> None:
    text = sample("accounting_trace").read_text()
    found_at = re.search(rf": +{printed}", text)
    assert found_at
    end = found_at.end()
    for cut in range(end - len(printed) + 1, end):
        found = read_text(text[:cut])
        line = text.count("\n", 0, cut) + 1
        values = found["db2_accounting_counter"].filter(line=line)["value_text"].drop_nulls().to_list()
        assert not any(value and printed.startswith(value) for value in values)
        assert line in found["parse_reject"]["line"].to_list()
