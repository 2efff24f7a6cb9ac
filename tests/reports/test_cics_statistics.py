"""CICS statistics of Db2: what the samples are there to show, and pages made of them in other forms.

Every value below was read off its page by eye.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import polars as pl
import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import Tables, one, sample, sample_tables
from sizes import some

CONNECTION, RESOURCE = "cics_db2_connection", "cics_db2entry_resource"
REQUEST, PERFORMANCE = "cics_db2entry_request", "cics_db2entry_performance"
NULLS, REJECT = "cell_null", "parse_reject"
TABLES = (CONNECTION, RESOURCE, REQUEST, PERFORMANCE)
NONE = None

# The columns of a table in the order of the page.
REQUESTS = (
    *("db2entry", "calls", "signons", "partial_signons", "commits", "aborts", "single_phase"),
    *("thread_creates", "thread_reuses", "thread_terminates", "thread_waits_or_overflows"),
)
RESOURCES = ("db2entry", "plan", "plan_exit", "authid", "authtype", "account_records", "thread_wait", "thread_priority")
LEVELS = (
    *("db2entry", "thread_limit", "threads_current", "threads_hwm", "pthread_limit", "pthreads_current"),
    *("pthreads_hwm", "tasks_current", "tasks_hwm", "tasks_total", "readyq_current", "readyq_hwm"),
)
ORDERENT = ("ORDERENT", 91827, 4, 2, 31, 5, 10345, 12, 10340, 11, 1)
PAY = ("PAY$#@01", 60233, 0, 0, 0, 0, 7002, 3, 7011, 3, 0)
BOTH = (NONE, 152060, 4, 2, 31, 5, 17347, 15, 17351, 14, 1)


def page_rows(tables: Tables, names: tuple[str, ...] = TABLES) -> dict[str, list[tuple]]:
    """Rows of the tables, where they stand left out."""
    return {n: tables[n].drop("source_id", "source_file", "page", "line").rows() for n in names}


def test_published_requests() -> None:
    tables = sample_tables(sample("cics_published_requests"))
    first = (4256254, 0, 0, 0, 0, 456419, 44, 456425, 44, 0)
    second = (2455733, 0, 0, 0, 6, 262978, 26, 262982, 26, 0)
    expected = [("TRADENT", *first), (NONE, *first), ("TRADENT", *second), (NONE, *second)]
    assert tables[REQUEST].select(REQUESTS).rows() == expected
    assert tables[REQUEST]["is_total"].to_list() == [False, True, False, True]
    collected = dt.datetime(2015, 2, 10, 10, 5), dt.datetime(2015, 2, 10, 10, 10)
    assert tables[REQUEST]["collected_at"].unique(maintain_order=True).to_list() == list(collected)
    assert set(tables[REQUEST]["interval_s"]) == {60.0}


def test_three_tables_among_sections_that_are_passed_over() -> None:
    tables = sample_tables(sample("cics_entries_among_other_sections"))
    assert tables[REQUEST].select(REQUESTS).rows() == [ORDERENT, PAY, BOTH]
    assert tables[RESOURCE].select(RESOURCES).rows() == [
        ("ORDERENT", "ORDPLAN", NONE, NONE, "USERID", "UOW", "WAIT", NONE),
        ("PAY$#@01", NONE, "DSNCUEXT", "PAYID", NONE, "NONE", "POOL", "HIGH"),
        (NONE,) * 8,
    ]
    assert tables[PERFORMANCE].select(LEVELS).rows() == [
        ("ORDERENT", 40, 12, 22, 10, 4, 10, 12, 31, 10352, 0, 2),
        ("PAY$#@01", 25, 3, 9, 5, 1, 5, 2, 9, 7014, 1, 6),
        (NONE, 65, 15, 31, 15, 5, 15, 14, 40, 17366, 1, 8),
    ]
    assert sorted(tables[NULLS]["column"]) == ["authid", "authtype", "plan", "plan_exit", "thread_priority"]


def test_a_last_reset_later_than_the_collection_is_of_the_day_before() -> None:
    row = sample_tables(sample("cics_entries_among_other_sections"))[REQUEST].row(0, named=True)
    assert (row["collection"], row["applid"], row["jobname"]) == ("requested_reset", "CICSORD1", "ORD1JOB")
    assert row["collected_at"] == dt.datetime(2025, 11, 3, 0, 20)
    assert row["last_reset_at"] == dt.datetime(2025, 11, 2, 23, 50)
    assert row["interval_s"] == 1800.0


def test_capitals_shifted_columns_and_a_heading_of_three_lines() -> None:
    requests = sample_tables(sample("cics_uppercase_two_regions"))[REQUEST]
    assert requests.select(REQUESTS).rows() == [ORDERENT, (NONE, *ORDERENT[1:]), PAY, (NONE, *PAY[1:])]
    regions = requests.select("applid", "jobname", "collection", "interval_s").unique(maintain_order=True)
    expected = [("CICSORD1", "CICSORD1", "end_of_day", 900.0), ("CICSPAY#", "PAY#JOB", "unsolicited", 1.0)]
    assert regions.rows() == expected


def test_a_summary_has_no_time_and_counts_to_a_million() -> None:
    tables = sample_tables(sample("cics_summary"))
    row = tables[CONNECTION].row(0, named=True)
    assert (row["collection"], row["collected_at"], row["interval_s"]) == ("summary", NONE, NONE)
    assert (row["pool_calls"], row["pool_calls_resolution"], row["connection_time"]) == (312_000_000, 1e6, "2:11:04:17")
    assert (row["pool_single_phase"], row["pool_single_phase_resolution"]) == (1_200_000_000, 1e8)
    assert (row["pool_thread_reuses"], row["pool_thread_reuses_resolution"]) == (99_999_999, 1.0)
    pay = one(tables, REQUEST, db2entry="PAY$#@01")
    assert (pay["calls"], pay["calls_resolution"]) == (2_000_000_000_000, 1e12)
    assert (pay["signons"], pay["single_phase"]) == (3_000_000_000, 99_999_999)


def test_connection_of_dfhstup() -> None:
    row = one(sample_tables(sample("cics_connection")), CONNECTION)
    levels = ("tcb_limit", "tcbs_current", "tcbs_hwm", "tcbs_free", "tcb_readyq_current", "tcb_readyq_hwm")
    assert [row[c] for c in levels] == [120, 38, 61, 21, 0, 4]
    pool = ("calls", "signons", "partial_signons", "commits", "aborts", "single_phase", "thread_creates")
    assert [row[f"pool_{c}"] for c in pool] == [80412, 311, 17, 2205, 13, 9144, 58]
    command = ("calls", "signons", "thread_creates", "thread_terminates", "thread_overflows", "thread_limit")
    assert [row[f"command_{c}"] for c in command] == [19, 8, 5, 4, 1, 3]
    assert (row["pool_thread_limit"], row["pool_threads_hwm"], row["pool_tasks_total"]) == (60, 23, 11360)
    assert (row["db2_connection_name"], row["db2_group_id"], row["db2_sysid"]) == ("DB2CONN1", "DSNG", "DB3A")
    assert (row["connect_time"], row["pool_plan"], row["pool_authid"]) == ("07:02:11.43120", NONE, "POOLID")


def test_connection_of_dfh0stat() -> None:
    row = one(sample_tables(sample("cics_dfh0stat_connection")), CONNECTION)
    assert (row["applid"], row["sysid"], row["jobname"], row["cics_release"]) == (
        "CICSPA@1",
        "PA01",
        "PA01JOB",
        "7.1.0",
    )
    assert (row["collected_at"], row["last_reset_at"]) == (dt.datetime(2025, 11, 3, 9, 58, 11), NONE)
    assert (row["connection_status"], row["connect_time"]) == ("CONNECTED", "11/03/2025  07:02:11.43120")
    assert (row["pool_plan_exit"], row["pool_authid"], row["command_authid"]) == (NONE, NONE, "OPERSID")
    assert (row["pool_calls"], row["command_thread_overflows"], row["tcbs_free"]) == (80412, 1, 21)


def test_entries_of_dfh0stat_fill_the_same_tables() -> None:
    """The counts are those of the sample of DFHSTUP."""
    labelled = sample_tables(sample("cics_dfh0stat_entries"))
    stacked = sample_tables(sample("cics_entries_among_other_sections"))
    for table, columns in ((REQUEST, REQUESTS), (PERFORMANCE, LEVELS)):
        parts = stacked[table].filter(~pl.col("is_total"))
        assert labelled[table].select(columns).rows() == parts.select(columns).rows()
    pay = one(labelled, RESOURCE, db2entry="PAY$#@01")
    assert (pay["plan"], pay["plan_exit"], pay["plan_exit_concurrency"]) == (NONE, "DSNCUEXT", "THREADSAFE")
    assert (pay["status"], pay["sysid"], pay["is_total"]) == ("DISABLED", "PA01", False)


def test_a_connection_and_a_table_go_on_over_page_breaks() -> None:
    tables = sample_tables(sample("cics_table_over_page_break"))
    assert page_rows(tables, (CONNECTION,)) == page_rows(sample_tables(sample("cics_connection")), (CONNECTION,))
    assert tables[REQUEST]["page"].to_list() == [2] * 4 + [3] * 5
    total, rows = tables[REQUEST].filter("is_total"), tables[REQUEST].filter(~pl.col("is_total"))
    assert total.select(REQUESTS[1:]).rows() == rows.select(REQUESTS[1:]).sum().rows()


def test_an_unknown_label_is_named() -> None:
    tables = sample_tables(sample("cics_unknown_label"))
    (reject,) = tables[REJECT].iter_rows(named=True)
    assert reject["what"] == "cics_statistics: unknown label NUMBER OF POOL THREAD PURGES"
    row = one(tables, CONNECTION)
    assert (row["pool_commits"], row["pool_aborts"], row["collection"]) == (2205, 13, "requested")


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
