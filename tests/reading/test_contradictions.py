"""Pages of which one line contradicts another: nothing is stored of what may be of another page, class or column, and a reject tells."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample

MINUTES = sample("statistics_minutes_of_db2pm").read_text()
EQUATIONS = sample("statistics_equations_of_db2pm").read_text()
TITLES = "GROUP BP7         QUANTITY\n----------------  --------\nSYN.READ(XI)          7.00\n"
OVERVIEW = """\
                                R M F   O V E R V I E W   R E P O R T
          z/OS V2R4               SYSTEM ID SYSM             START 10/07/2022-09.00.00  INTERVAL 00.30.00
                            RPT VERSION V2R4 RMF       END   10/07/2022-10.30.00  CYCLE 1.000 SECONDS
DATE    TIME     INT          CPUS    BUSYCP      RESP    IORATE
MM/DD HH.MM.SS HH.MM.SS
"""
CELLS = ((6, 71.42, 0.044, 817.2), (8, 68.93, 0.039, 640.1), (7, 9.26, 1.207, 120.5))


def overview(*without: tuple[int, int]) -> str:
    """The page; a cell named by row and column is lost with its ten columns."""
    rows = ((f"{n:>10}" for k, n in enumerate(cells) if (row, k) not in without) for row, cells in enumerate(CELLS))
    return OVERVIEW + "".join(
        f"10/07 {9 + k // 2:02}.{k % 2 * 30:02}.00 00.30.00{''.join(r)}\n" for k, r in enumerate(rows)
    )


@pytest.mark.parametrize("block", [EQUATIONS[EQUATIONS.index("GROUP BP") :], TITLES], ids=["equations", "titles"])
def test_who_is_of_no_group_has_no_group_pools(block: str) -> None:
    tables = read_text(MINUTES + block)
    of_pools = tables["db2_statistics_counter"].filter(block="GROUP BP")
    assert set(of_pools["begin_at"]) | set(of_pools["subsystem"]) <= {None}
    assert len(tables["parse_reject"])
    assert len(read_text(EQUATIONS)["parse_reject"]) == 0


@pytest.mark.parametrize(
    ("printed", "other"),
    [("ACCOUNTING REPORT - LONG", "ACCOUNTING TRACE - LONG"), ("AVERAGE TIME  AVG.EV", "TIME  EVENTS")],
)
def test_a_trace_has_no_averages_and_a_report_no_events(printed: str, other: str) -> None:
    text = sample("accounting_long_packages").read_text()
    report = text[: text.rindex("   LOCATION:")]
    whole, changed = read_text(report), read_text(report.replace(printed, f"{other:<{len(printed)}}"))
    assert len(changed["parse_reject"]) > len(whole["parse_reject"])


@pytest.mark.parametrize("name", ["g1_cics_report_class", "g1_percentile_goal", "discretionary_and_system_goals"])
def test_a_page_of_classes_has_no_workload(name: str) -> None:
    """Whichever header lost its class and what stands behind it."""
    text = sample(name).read_text()
    for header in re.finditer(r"(?:SERVICE|REPORT) CLASS=.*", text):
        tables = read_text(text[: header.start()] + text[header.end() :])
        assert {"workload", "policy"}.isdisjoint(tables["rmf_workload_activity"]["class_kind"]), header[0]
        assert tables["parse_reject"]["what"].str.contains("incomplete class header").any()


@pytest.mark.parametrize(("name", "table", "column", "titles"), [
    ("g1_cics_report_class", "rmf_workload_response_breakdown", "state_group", ("PERCENTAGE", "WAITING FOR", "SWITCHED")),
    ("page_continues_with_class_line_repeated", "rmf_workload_delay", "delay_group", ("DELAYS %", "USING%")),
])  # fmt: skip
def test_a_letter_of_a_title_over_shares_is_another(
    name: str, table: str, column: str, titles: tuple[str, ...]
) -> None:
    text = sample(name).read_text()
    known = set(read_text(text)[table][column])
    for title in titles:
        for k in range(0, len(title), 3):
            tables = read_text(text.replace(title, f"{title[:k]}0{title[k + 1 :]}"))
            assert set(tables[table][column]) <= known
            assert len(tables["parse_reject"])


def test_what_one_program_prints_is_not_below_the_heading_of_the_other() -> None:
    stup, stat = (sample(name).read_text() for name in ("cics_connection", "cics_dfh0stat_titled_pages"))
    for title in re.finditer(r"(?m)^ *(?:Transaction Manager|Dispatcher|DB2 Connection|Storage BELOW .*)$", stat):
        tables = read_text(stup + stat[title.start() :].split("Applid ")[0])
        assert len(tables["parse_reject"]), title[0]
        of_part = [t for n, t in tables.items() if n in ("cics_dispatcher", "cics_transaction_manager", "cics_storage")]
        assert all("CICSORD1" not in set(t["applid"]) for t in of_part), title[0]


@pytest.mark.parametrize(("name", "old", "new", "table", "column", "values"), [
    # No share begins with its point; no member of a resource group has a capacity; interrupts have a rate.
    ("device_synchronous_io", "  0.3 ", "  .32 ", "rmf_device_synchronous_io", "link_busy_read_pct", {None}),
    ("statistics_subsystem_and_log", "/THREAD  /COMMIT", "/COMMIT  /THREAD", "db2_statistics_counter", "per_thread", {None}),
    ("accounting_short_report", "LOCATION: NEWYORK .*", "LOCATION: NEW", "db2_accounting_counter", "location", {None}),
    ("cache_lost_title", "PLANT  75", "PLANT  7 ", "rmf_cache_subsystem", "plant", {None}),
    ("chan_unknown_title", "CSSID: 0", "CSSID: O", "rmf_channel_path", "channel_subsystem", {None}),
])  # fmt: skip
def test_a_value_that_no_page_prints_so_is_null(
    name: str, old: str, new: str, table: str, column: str, values: set[object]
) -> None:
    text, many = re.subn(old, new, sample(name).read_text())
    assert many
    assert set(read_text(text)[table][column]) <= values
    assert len(read_text(text)["parse_reject"])


def lost() -> Iterator[tuple[int, int]]:
    yield from ((row, k) for row in range(len(CELLS)) for k in range(len(CELLS[0]) - 1))


def test_a_row_that_lost_a_cell_with_its_column_is_not_read() -> None:
    assert read_text(overview())["rmf_overview"]["value"].to_list() == [n for cells in CELLS for n in cells]
    for row, k in lost():
        tables = read_text(overview((row, k)))
        assert set(tables["rmf_overview"].filter(line=6 + row)["value"]) <= {None}, (row, k)
        assert len(tables["parse_reject"]) == 1


def test_titles_that_a_blank_parts_are_one() -> None:
    tables = read_text(overview().replace("BUSYCP", "BU YCP"))
    assert set(tables["rmf_overview"]["value"]) <= {None}
    assert len(tables["parse_reject"])


def test_a_percent_sign_that_lost_its_number_begins_no_label() -> None:
    tables = read_text(sample("statistics_equations_of_db2pm").read_text().replace("=    12%", "=      %"))
    paths = tables["db2_statistics_counter"]["label_path"].drop_nulls().to_list()
    assert [path for path in paths if "%" in path] == []
    assert tables["parse_reject"]["line"].to_list() == [9]
