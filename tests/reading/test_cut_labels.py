"""A page that ends within a line: what is left of a label or a text is no value."""

from __future__ import annotations

import re

import pytest
from ironlake.pipeline.reading.engine import read_text
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


@pytest.mark.parametrize(
    ("page", "end", "table", "column"),
    [
        ("cf_structure_continued_page_and_links", "8X  GEN3 ", "rmf_cf_channel_path", "operation_mode"),
        ("service_policy_page_tenants", "  TRGBANK1   Tenant bank ", "rmf_resource_group", "description"),
        ("cf_asynchronous_duplexing", "33M    0.1       8214", "rmf_cf_structure_summary", "requests"),
        ("os390_service_rates", "SINGLE     0.", "rmf_workload_activity", "page_in_single_per_s"),
    ],
)
def test_the_last_value_of_a_cut_line_is_left_out_and_told(page: str, end: str, table: str, column: str) -> None:
    """Texts go on behind a blank, numbers behind a decimal point, counts with a K."""
    text = sample(page).read_text()
    cut = text.index(end) + len(end)
    found = read_text(text[:cut])
    assert found[table][column].to_list()[-1] is None
    assert text.count("\n", 0, cut) + 1 in found["parse_reject"]["line"].to_list()
    whole = read_text(text[: text.index("\n", cut)])  # its line end alone is lost: what else stands on it may not be
    assert whole[table][column].to_list()[-1] is not None


def test_the_beginning_of_a_heading_is_no_row() -> None:
    text = sample("service_policy_page").read_text()
    end = "CLASS       CONSU"
    cut = text.index(end) + len(end)
    found = read_text(text[:cut])
    assert not len(found["rmf_resource_group"])
    assert text.count("\n", 0, cut) + 1 in found["parse_reject"]["line"].to_list()


def test_an_entry_whose_names_are_cut_is_left_out_and_told() -> None:
    text = sample("accounting_short_trace").read_text()
    cut = text.index("PAYPLAN2 0042") + len("PAYPLAN2 0")
    found = read_text(text[:cut])
    assert not len(found["db2_accounting_counter"])
    (told,) = found["parse_reject"].rows(named=True)
    assert (told["line"], told["lines"]) == (11, 2)
