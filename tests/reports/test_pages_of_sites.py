"""RMF pages as sites print and break them: each is a sample with one thing changed, which once gave a wrong or a lost value.

Every value below was read off its page by eye.
"""

from __future__ import annotations

import datetime as dt

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import Tables, one, sample

CF, CPU, XCF, REJECT = "rmf_cf_structure_activity", "rmf_cpu_activity", "rmf_xcf_system", "parse_reject"


def changed(name: str, old: str, new: str) -> Tables:
    """The tables of a sample in which `new` is printed for `old`."""
    text = sample(name).read_text()
    assert old in text
    return read_text(text.replace(old, new), name=name)


def without(name: str, part: str) -> Tables:
    """The tables of a sample that has lost its first line with this text."""
    lines = sample(name).read_text().splitlines()
    lost = next(k for k, line in enumerate(lines) if part in line)
    return read_text("\n".join(lines[:lost] + lines[lost + 1 :]) + "\n", name=name)


def test_system_name_of_eight_letters_touches_no_count() -> None:
    tables = changed("cf_structure_continued_page_and_links", " SYSC     41255", " PRODSYSC 41255")
    assert one(tables, CF, system="PRODSYSC")["requests"] == 41255
    assert tables[REJECT].is_empty()
    tables = changed("cf_processors_and_subchannels", " SYSA      9104K", " PRODSYSA  9104K")
    assert one(tables, "rmf_cf_subchannel_activity", system="PRODSYSA")["requests"] == 9104000
    assert tables[REJECT].is_empty()


def test_count_that_fills_its_field_touches_its_label() -> None:
    tables = changed("cf_structure_continued_page_and_links", "ASYNC  344", "ASYNC40344")
    row = one(tables, CF, system="SYSC")
    assert (row["async_requests"], row["async_service_us"], row["requests_per_s"]) == (40344, 77.1, 22.92)
    assert tables[REJECT].is_empty()


def test_rest_of_a_lost_row_is_not_taken_for_the_row_of_the_page_before() -> None:
    tables = without("cf_structure_continued_page_and_links", " SYSD     25505")
    row = one(tables, CF, system="SYSC")
    # The rates of both systems stand for it now, 22.92 and 14.17: neither is read.
    assert (row["requests"], row["requests_per_s"], row["async_requests"]) == (41255, None, None)
    assert tables[REJECT]["what"].str.contains("printed twice with different values").all()


def test_share_of_more_than_ten_engines() -> None:
    tables = changed("cpu_two_threads", "44.43   164.3", "44.43  1164.3")
    assert one(tables, CPU, is_total=True, processor_type="CP")["logical_share_pct"] == 1164.3
    assert tables[REJECT].is_empty()


@pytest.mark.parametrize("lost", ["SYSTEM ID", "RPT VERSION"])
def test_lost_heading_line_is_a_reject(lost: str) -> None:
    tables = without("cpu_two_threads", lost)
    assert tables[REJECT]["what"].str.contains("no interval in the heading").any()
    assert tables[CPU]["interval_start"].null_count() == tables[CPU].height


def test_page_that_lost_the_name_of_its_facility_is_a_reject() -> None:
    tables = without("cf_structure_continued_page_and_links", "COUPLING FACILITY NAME")
    assert tables[REJECT]["what"].to_list() == ["rmf_coupling_facility_activity: no coupling facility name on the page"]
    assert tables[REJECT]["line"].to_list() == [1]
    assert one(tables, CF, system="SYSC")["cf_name"] is None


@pytest.mark.parametrize("cut", ["14.59.9", "14.59"])
def test_interval_that_is_cut_is_not_read(cut: str) -> None:
    tables = changed("cpu_two_threads", "INTERVAL 14.59.998", f"INTERVAL {cut}")
    assert not tables[REJECT].is_empty()
    assert tables[CPU]["interval_s"].null_count() == tables[CPU].height
    assert set(tables[CPU]["interval_start"]) == {dt.datetime(2024, 5, 14, 10, 15)}


@pytest.mark.parametrize("printed", ["DATE 05/14/2024", "DATE 05/14/20"])
def test_date_at_the_end_of_a_cut_line_is_not_read(printed: str) -> None:
    tables = changed("cpu_two_threads", "DATE 05/14/2024            INTERVAL 14.59.998", printed)
    assert tables[REJECT]["what"].str.contains("no interval").all()
    assert tables[CPU]["interval_start"].null_count() == tables[CPU].height


def test_message_between_rows_of_xcf_names_no_system() -> None:
    below = (
        "SYSTEM    CLASS      LENGTH        OUT  SML  FIT  BIG  OVR  UNAVAIL  REJECT    SYSTEM            IN  REJECT"
    )
    text = sample("xcf_usage_side_by_side").read_text()
    lines = text.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith(below)) + 2
    lines.insert(at, "  THIS IS A MESSAGE 123 FROM 4 HEAVEN")
    before, after = read_text(text, name="x"), read_text("\n".join(lines) + "\n", name="x")
    assert after[REJECT]["line"].to_list() == [at + 1]
    assert after[XCF].drop("line", "source_id").equals(before[XCF].drop("line", "source_id"))


def test_page_number_below_rows_of_xcf_is_no_transport_class() -> None:
    text = sample("xcf_usage_side_by_side").read_text()
    title = "X C F   A C T I V I T Y"
    second = text.index(title, text.index(title) + 1)
    lost = text[:second] + text[second + len(title) :]
    assert "PAGE" not in read_text(lost, name="x")[XCF]["transport_class"].to_list()


def test_partition_data_without_its_title_is_no_other_report() -> None:
    text = sample("partition_three_types").read_text()
    lost = text.replace("P A R T I T I O N  D A T A  R E P O R T", "", 1)
    tables = read_text(lost, name="x")
    assert tables["rmf_partition_data"].height == read_text(text, name="x")["rmf_partition_data"].height
    assert tables[REJECT].is_empty()


def test_volume_with_an_unreadable_unit_is_not_of_the_unit_above() -> None:
    """A PAV of ten devices touches what follows it: the unit cannot be told. It is not that of the total above the row."""
    tables = changed("device_lcu_totals", "GBPC01 1.0H 0052   96.017", "GBPC01 1.0H  0052  96.0179")
    assert one(tables, "rmf_device", device_number="18B00")["lcu"] is None
    assert not tables[REJECT].is_empty()
    assert one(tables, "rmf_device", device_number="01C3F")["lcu"] == "0052"


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        ("                    Avg      Max", "                    Dev      Max", 4),
        ("                    Avg      Max", "                    Ave      Max", 4),
        ("Tran    #Tasks", "Xyz     #Tasks", 4),
    ],
)
def test_monitoring_page_of_unknown_titles_is_rejected_and_not_taken_for_text_of_the_site(
    old: str, new: str, rows: int
) -> None:
    tables = changed("summary_default_columns", old, new)
    assert len(tables.get("cics_monitoring_summary", [])) == rows
    assert not tables[REJECT].is_empty()
    assert tables["unread_section"].is_empty()
