"""CICS statistics of a region and CICS PA reports: pages made of the samples in other forms, and pages with lost lines."""

from __future__ import annotations

import re

import polars as pl
import pytest
from ironlake.parsers._cics_region import _FILLED
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import Tables, one, sample, sample_tables

REGION = (
    *("cics_transaction_manager", "cics_dispatcher", "cics_tcb_mode", "cics_tcb_time", "cics_transaction"),
    *("cics_transaction_class", "cics_storage", "cics_dsa_size", "cics_dsa_count"),
)
MONITORING = ("cics_monitoring_summary", "cics_monitoring_task")


def page_rows(tables: Tables, names: tuple[str, ...]) -> dict[str, list[tuple]]:
    """Rows of the tables, where they stand left out."""
    return {n: tables[n].drop("source_id", "source_file", "page", "line").rows() for n in names if n in tables}


def test_capitals_change_no_number() -> None:
    tables, whole = (
        read_text(sample("cics_region").read_text().upper(), name="page"),
        sample_tables(sample("cics_region")),
    )
    assert tables["parse_reject"].height == 0
    assert page_rows(tables, REGION[:7]) == page_rows(whole, REGION[:7])
    assert tables["cics_dsa_count"]["value"].to_list() == whole["cics_dsa_count"]["value"].to_list()
    assert set(tables["cics_dsa_size"]["measure"]) >= {"CUSHION SIZE"}


def test_values_over_a_page_break() -> None:
    """The page breaks within the pairs of the dispatcher."""
    lines = sample("cics_region").read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if "SRB Time" in line)
    tables = read_text("\n".join([*lines[:at], "", lines[0], "", *lines[at:]]) + "\n", name="page")
    assert tables["parse_reject"].height == 0
    assert one(tables, "cics_dispatcher")["address_space_srb_s"] == 41.5


@pytest.mark.parametrize(
    ("lost", "table"),
    [
        ("Storage protection", "cics_storage"),
        ("Dispatcher Start", "cics_dispatcher"),
        ("Total number of transactions", "cics_transaction_manager"),
    ],
)
def test_values_whose_first_line_is_lost_are_rejected(lost: str, table: str) -> None:
    lines = [line for line in sample("cics_region").read_text().splitlines() if lost not in line]
    tables = read_text("\n".join(lines) + "\n", name="page")
    assert table not in tables or tables[table].height == 0
    assert tables["parse_reject"].height >= 1
    others = tuple(name for name in REGION if name != table)
    assert page_rows(tables, others) == page_rows(sample_tables(sample("cics_region")), others)


def test_an_unknown_line_of_a_storage_area_is_a_reject() -> None:
    text = (
        sample("cics_region")
        .read_text()
        .replace(" Cushion Size . . . . . . . . . .:", " Reserve Size . . . . . . . . . .:", 1)
    )
    tables = read_text(text, name="page")
    assert tables["parse_reject"].height == 1
    assert tables["cics_dsa_size"].height == sample_tables(sample("cics_region"))["cics_dsa_size"].height - 4


def test_storage_areas_above_the_bar_have_a_heading_of_their_own() -> None:
    """Their three names stand in place of the first three of the areas above the line, with or without a total."""
    lines = sample("cics_region").read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if "ECDSA" in line)
    whole = sample_tables(sample("cics_region"))
    for last in ("     ", "Totals"):
        heading = lines[at].replace(" E", " G").replace("GRDSA", last).rstrip()
        # Only what there is now has a total.
        (short, *_), without = _FILLED.short[0], last != "Totals"
        below = [re.sub(r" +\S+$", "", line) if without or re.match(short, line) else line for line in lines[at + 1 :]]
        tables = read_text("\n".join([*lines[:at], heading, *below]) + "\n", name="page")
        assert tables["parse_reject"].height == 0
        for table in REGION[-2:]:
            expected = whole[table].filter(pl.col("dsa") != "ERDSA")
            found = tables[table].filter(~pl.col("dsa").is_in(["ERDSA", "TOTALS"]))
            assert found["dsa"].to_list() == [re.sub("^E", "G", dsa) for dsa in expected["dsa"]]
            value = table.removeprefix("cics_dsa_").replace("size", "size_bytes").replace("count", "value")
            assert found["measure", value].equals(expected["measure", value])


def test_days_in_front_of_a_time() -> None:
    text = sample("cics_region").read_text().replace("000-00:05:47.31006", "002-01:05:47.31006", 1)
    row = one(read_text(text, name="page"), "cics_tcb_time", tcb_mode="QR")
    assert row["dispatch_time_s"] == pytest.approx(2 * 86400 + 3600 + 347.31006)
    bad = text.replace("002-01:05:47.31006", "002-01:75:47.31006")
    tables = read_text(bad, name="page")
    assert tables["parse_reject"].height == 1
    assert one(tables, "cics_tcb_time", tcb_mode="QR")["dispatch_time_s"] is None


# --- DFH0STAT: titles, not first labels, say what a page is of --------------------------------------------------------

TITLED = ("cics_dispatcher", "cics_storage", "cics_transaction_manager", "cics_dsa_size")


@pytest.mark.parametrize("label", ["Current ICV time", "Current number of TCBs in", "Current Allocation for DSAs"])
def test_a_label_of_a_titled_page_that_nobody_knows_is_unread(label: str) -> None:
    """Wherever it stands, first or last; and every other value is as it was."""
    whole = sample_tables(sample("cics_dfh0stat_titled_pages"))
    text = sample("cics_dfh0stat_titled_pages").read_text()
    tables = read_text(text.replace(label, "Zealous " + label[8:]), name="page")
    assert tables["parse_reject"].height == 0
    assert tables["unread_section"]["lines"].sum() == whole["unread_section"]["lines"].sum() + 1
    for name in TITLED[:2]:
        before, after = (one(t, name) for t in (whole, tables))
        changed = {column for column in before if before[column] != after[column]} - {"source_file"}
        assert len({column.removesuffix("_resolution") for column in changed}) == (
            name == ("cics_storage" if "DSA" in label else "cics_dispatcher")
        )
        assert all(after[column] is None for column in changed)


def test_a_titled_page_without_a_known_label_has_no_row() -> None:
    lines = sample("cics_dfh0stat_titled_pages").read_text().splitlines()
    page = [line for line in lines if "Applid" in line or line in ("Dispatcher", "Storage BELOW 16MB") or "RTM" in line]
    tables = read_text("\n".join(page) + "\n", name="page")
    assert tables["parse_reject"].height == 0
    assert [n for n in TITLED if n in tables and tables[n].height] == []
    assert tables["unread_section"]["section"].to_list() == ["labels of DFH0STAT without a column"]


def test_parts_of_a_row_are_joined_only_if_they_are_of_one_collection() -> None:
    text = sample("cics_dfh0stat_titled_pages").read_text()
    pages = re.split(r"(?m)^(?=Applid)", text)[1:]
    in_turn = page_rows(read_text(text, name="page"), TITLED)
    assert page_rows(read_text("".join(reversed(pages)), name="page"), TITLED[:2]) == {
        n: in_turn[n] for n in TITLED[:2]
    }
    for change in (("09:12:05", "09:12:06"), ("CICSTST5", "CICSTST6")):
        other = read_text("".join([*pages[:-1], pages[-1].replace(*change)]), name="page")["cics_dispatcher"]
        assert other["icv_ms"].to_list() == [5001, None]
        assert other["address_space_cpu_s"].to_list() == [None, 11.20471]
    # A print that is there twice has both its rows.
    twice = read_text(text + text, name="page")
    assert page_rows(twice, TITLED[:2]) == {n: in_turn[n] * 2 for n in TITLED[:2]}


@pytest.mark.parametrize("printed", ["5,001", "5,001m", "5,001s", "5,0"])
def test_a_time_without_its_unit_is_not_read(printed: str) -> None:
    text = sample("cics_dfh0stat_titled_pages").read_text().replace("5,001ms", printed)
    tables = read_text(text, name="page")
    assert one(tables, "cics_dispatcher")["icv_ms"] is None
    (what,) = tables["parse_reject"]["what"]
    assert "CURRENT ICV TIME has no ms behind its number" in what


# --- CICS PA ----------------------------------------------------------------------------------------------------------


def test_an_unknown_title_is_named_and_no_other_column_changes() -> None:
    tables, whole = sample_tables(sample("summary_unknown_title")), sample_tables(sample("summary_default_columns"))
    (reject,) = tables["parse_reject"].iter_rows(named=True)
    assert reject["what"] == "cics_monitoring: unknown column title AVG GNQWAIT TIME"
    same = whole["cics_monitoring_summary"].drop(
        "dispatch_wait_s", "dispatch_wait_s_resolution", "source_id", "source_file"
    )
    assert tables["cics_monitoring_summary"].select(same.columns).rows() == same.rows()
    assert tables["cics_monitoring_summary"]["dispatch_wait_s"].null_count() == 4


def test_the_date_of_the_data_is_read_in_the_order_of_the_site() -> None:
    text = sample("summary_default_columns").read_text()
    row = read_text(text, Options(date_order="dmy"), name="page")["cics_monitoring_summary"].row(0, named=True)
    assert (row["begin_at"].month, row["begin_at"].day) == (3, 11)
    tables = read_text(text.replace("Data from", "Facts from"), name="page")
    assert tables["parse_reject"].height >= 1


def test_a_heading_that_lost_a_line_gives_no_values() -> None:
    lines = [
        line
        for line in sample("summary_default_columns").read_text().splitlines()
        if not re.fullmatch("( +Time)+", line)
    ]
    tables = read_text("\n".join(lines) + "\n", name="page")
    assert "missing" in tables["parse_reject"]["what"][0]
    assert tables["cics_monitoring_summary"]["response_s"].null_count() == tables["cics_monitoring_summary"].height


@pytest.mark.parametrize("name", ["summary_form_of_a_site", "list_form_of_a_site"])
@pytest.mark.parametrize(
    ("printed", "other"),
    [
        ("Term", "Xkey"),
        ("Term", "Usr "),
        ("Pgm ", "LUn "),
        ("S Dev", "Skew "),
        ("  Tot", "Least"),
        ("Calls", "Pages"),
        ("Count\n", "Items\n"),
        ("  Call\n", "     \n"),
    ],
)
def test_which_words_a_site_has_in_its_form_decides_nothing(name: str, printed: str, other: str) -> None:
    """A word that nobody knows is named in the one reject of the heading; every column with another title is as it was."""
    text = sample(name).read_text()
    whole = sample_tables(sample(name))
    tables = read_text(text.replace(printed, other), name="page")
    (told,) = tables["parse_reject"]["what"]
    assert "unknown column title" in told
    table = MONITORING["list" in name]
    if printed == "Term":
        assert tables[table]["other_key"].to_list() == whole[table]["terminal"].to_list()
    lost = (
        ["terminal", "other_key"]
        if printed == "Term"
        else ["db2_requests"]
        if "Count" in printed and "list" in name
        else []
    )
    before, after = (t[table].drop("source_id", "source_file", *lost) for t in (whole, tables))
    assert before.equals(after)


def test_two_lines_over_the_titles_of_a_form_are_needed() -> None:
    """Without the functions, what a column holds is not known; and nothing of it is read."""
    lines = sample("summary_form_of_a_site").read_text().splitlines()
    for lost in ("S Dev", "#Tasks"):
        tables = read_text("".join(f"{line}\n" for line in lines if lost not in line), name="page")
        assert "cics_monitoring_summary" not in tables or tables["cics_monitoring_summary"].is_empty()
        assert tables["parse_reject"]["lines"].sum() >= 3
