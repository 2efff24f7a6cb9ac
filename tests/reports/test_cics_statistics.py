"""CICS statistics of Db2: pages made of the samples in other forms. Values of pages stand beside them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import Tables, one, sample, sample_tables
from sizes import some

CONNECTION, RESOURCE = "cics_db2_connection", "cics_db2entry_resource"
REQUEST, PERFORMANCE = "cics_db2entry_request", "cics_db2entry_performance"
REJECT = "parse_reject"
TABLES = (CONNECTION, RESOURCE, REQUEST, PERFORMANCE)
NONE = None


def page_rows(tables: Tables, names: tuple[str, ...] = TABLES) -> dict[str, list[tuple]]:
    """Rows of the tables, where they stand left out."""
    return {n: tables[n].drop("source_id", "source_file", "page", "line").rows() for n in names}


def test_a_connection_and_a_table_go_on_over_page_breaks() -> None:
    tables = sample_tables(sample("cics_table_over_page_break"))
    assert page_rows(tables, (CONNECTION,)) == page_rows(sample_tables(sample("cics_connection")), (CONNECTION,))
    assert tables[REQUEST]["page"].to_list() == [2] * 4 + [3] * 5


# --- Other forms of the same pages --------------------------------------------------------------------------------------


def _control(text: str) -> str:
    """The page with carriage control."""
    top = re.compile(r"(Interval|Summary|Requested|END OF|UNSOL|Applid) ")
    return "".join(("1" if top.match(line) else " ") + line + "\n" for line in text.splitlines())


def _without(pattern: str) -> Callable[[str], str]:
    return lambda text: "".join(f"{line}\n" for line in text.splitlines() if not re.fullmatch(pattern, line))


def _header(gap: str) -> Callable[[str], str]:
    """The words of the page's first line put `gap` apart."""
    return lambda text: re.sub(
        r"(?m)^(Interval|Summary|Requested|END OF|UNSOL|Applid) .*", lambda m: re.sub(" +", gap, m.group()), text
    )


FORMS = {
    "capitals": str.upper,
    "margin": lambda text: "".join(f"   {line}\n" for line in text.splitlines()),
    "carriage control": _control,
    "rules lost": _without(" *_+"),
    "titles lost": _without("(DB2ENTRY STATISTICS|CICS DB2 CONN|DB2 Conn|DB2 Entr).*|_+"),
    "header in single blanks": _header(" "),
    "header in many blanks": _header("    "),
    "other leaders": lambda text: text.replace(". . ", " ..  "),
}
SAMPLES = ("cics_connection", "cics_entries_among_other_sections", "cics_uppercase_two_regions", "cics_summary")


@pytest.mark.parametrize("name", some([*SAMPLES, "cics_dfh0stat_entries", "cics_table_over_page_break"], 3))
@pytest.mark.parametrize("form", FORMS)
def test_other_forms_of_a_page_change_no_value(name: str, form: str) -> None:
    tables = read_text(FORMS[form](sample(name).read_text()), name="page")
    assert tables[REJECT]["what"].to_list() == []
    assert tables["unknown_report"].height == 0
    assert page_rows(tables) == page_rows(sample_tables(sample(name)))


def test_date_order_decides_how_dates_are_read() -> None:
    text = sample("cics_published_requests").read_text()
    row = read_text(text, Options(date_order="dmy"), name="page")[REQUEST].row(0, named=True)
    assert row["collected_at"] == dt.datetime(2015, 10, 2, 10, 5)
    tables = read_text(text.replace("02/10/2015", "02/13/2015"), Options(date_order="dmy"), name="page")
    assert tables[REQUEST]["collected_at"].null_count() == tables[REQUEST].height == 4
    assert len(tables[REJECT]) == 2
    assert "02/13/2015 10:05:00 cannot be read" in tables[REJECT]["what"][0]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "Requested Reset Statistics Report Collection Date-Time 02/10/15-10.05.00 Last Reset 10.04.00 Applid A$#@B",
            ("requested_reset", dt.datetime(2015, 2, 10, 10, 5), dt.datetime(2015, 2, 10, 10, 4), 60.0, "A$#@B"),
        ),
        (
            "END-OF-DAY REPORT  APPLID: CICSA  COLLECTION DATE/TIME: 02/10/2015 00:00:00  LAST RESET: 21:00:00",
            ("end_of_day", dt.datetime(2015, 2, 10), dt.datetime(2015, 2, 9, 21), 10800.0, "CICSA"),
        ),
        (
            "Interval Report  Collection Date-Time 02/10/2015-10:05:00  Last Reset 02/08/2015-10:05:00  Applid CICSA",
            ("interval", dt.datetime(2015, 2, 10, 10, 5), dt.datetime(2015, 2, 8, 10, 5), 172800.0, "CICSA"),
        ),
        (
            "Summary Report  Collection Date-Time 02/10/2015-10:05:00  Applid CICSA  PAGE 3",
            ("summary", dt.datetime(2015, 2, 10, 10, 5), NONE, NONE, "CICSA"),
        ),
    ],
)
def test_collection_and_times_are_read_from_the_page_line(line: str, expected: tuple) -> None:
    lines = sample("cics_published_requests").read_text().splitlines()[:11]
    tables = read_text("\n".join([line, *lines[1:]]) + "\n", name="page")
    assert tables[REJECT].height == 0
    columns = ("collection", "collected_at", "last_reset_at", "interval_s", "applid")
    assert tables[REQUEST].select(columns).unique().rows() == [expected]


@pytest.mark.parametrize("lost", ["Collection Date-Time 02/10/2015-10:05:00", "10:04:00"])
def test_a_time_that_cannot_be_read_is_null_and_a_reject(lost: str) -> None:
    text = sample("cics_published_requests").read_text().replace(lost, "?", 1)
    tables = read_text(text, name="page")
    assert tables[REQUEST]["interval_s"].to_list() == [NONE, NONE, 60.0, 60.0]
    assert tables[REJECT].height == 1


def test_an_entry_whose_name_is_lost_gives_nothing_to_the_entry_above() -> None:
    text = sample("cics_dfh0stat_entries").read_text()
    lines = text.splitlines()
    second = [k for k, line in enumerate(lines) if "DB2Entry Name" in line][1]
    tables = read_text("\n".join(lines[:second] + lines[second + 1 :]) + "\n", name="page")
    whole = sample_tables(sample("cics_dfh0stat_entries"))
    for table in (RESOURCE, REQUEST, PERFORMANCE):
        assert page_rows(tables, (table,))[table] == page_rows(whole, (table,))[table][:1]
    (reject,) = tables[REJECT].iter_rows(named=True)
    assert "a second time" in reject["what"]


def test_a_page_that_lost_its_first_line_is_of_no_region() -> None:
    text = _control(sample("cics_published_requests").read_text())
    lines = text.splitlines()
    second = [k for k, line in enumerate(lines) if line.startswith("1")][1]
    tables = read_text("\n".join([*lines[:second], "1", *lines[second + 1 :]]) + "\n", name="page")
    assert tables[REQUEST]["calls"].to_list() == [4256254, 4256254]
    assert tables[REJECT]["what"].to_list() == [f"{REQUEST}: 2 rows without applid are left out"]


def test_totals_of_another_section_are_not_ours() -> None:
    text = sample("cics_entries_among_other_sections").read_text()
    lines = [line for line in text.splitlines() if not re.search(r"\*TOTALS\* +65|FEPI", line)]
    tables = read_text("\n".join(lines) + "\n", name="page")
    assert tables[PERFORMANCE]["db2entry"].to_list() == ["ORDERENT", "PAY$#@01"]
    assert tables[REJECT].height == 1


def test_a_value_that_loses_the_colon_behind_it_is_not_read() -> None:
    text = sample("cics_connection").read_text().replace("Release. . . . . . . . . . . . . . . . . . :", "Release. .")
    tables = read_text(text, name="page")
    row = one(tables, CONNECTION)
    assert (row["db2_group_id"], row["db2_release"]) == (NONE, NONE)
    assert tables[REJECT]["what"].to_list() == ["cics_statistics: more than one value after DB2 GROUPID"]


def test_pages_of_others_are_not_taken_for_statistics() -> None:
    """Sections that are passed over claim no page that has no line of ours."""
    tables = read_text("JOB 7\n\nCATALOG STATISTICS\n______\n ENTRIES   12\n *TOTALS*  12\n", name="page")
    assert tables["unknown_report"].height == 1
    assert REQUEST not in tables
