"""Titles and numbers that lost characters: the value is the printed one, or there is none and it is told."""

from __future__ import annotations

import re

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import read_each, sample


def test_a_heading_that_lost_blanks_makes_no_structure_synchronous() -> None:
    """IXCPATH1 is printed as PRIM A, below STATUS."""
    text = sample("cf_usage_summary").read_text()
    heading = next(line for line in text.split("\n") if line.startswith(" TYPE   NAME"))
    assert " PRIM A  " in text
    closer = [re.sub(f" {{{lost}}}{name}", name, heading, count=1) for lost in (1, 2) for name in ("NAME", "STATUS")]
    whole, *found = read_each(text.replace(heading, one) for one in (heading, *closer))
    printed = whole["rmf_cf_structure_summary"]
    assert printed.filter(duplex_role="PRIM")["duplex_asynchronous"].to_list().count(True) == 1
    columns = ["line", "duplex_asynchronous"]
    for tables in found:
        rows = tables["rmf_cf_structure_summary"].select(columns).rows()
        for (line, value), (_, expected) in zip(rows, printed.select(columns).rows(), strict=True):
            assert value in (expected, None)
            assert value is not None or expected is None or line in tables["parse_reject"]["line"].to_list()


@pytest.mark.parametrize(
    ("name", "printed", "cut", "table", "column", "line"),
    [
        ("overview_new_year_over_pages", "      -3.5", "      -3.", "rmf_overview", "value", 11),
        ("cf_structure_continued_page_and_links", "Y           4.5", "Y           4.", "rmf_cf_channel_path", "distance", 65),
        ("cics_connection", ": 12.1.0", ": 12.1.", "cics_db2_connection", "db2_release", 7),
    ],
)  # fmt: skip
def test_a_number_cut_behind_its_point_is_none(
    name: str, printed: str, cut: str, table: str, column: str, line: int
) -> None:
    """The right edge of a page: what was printed behind the point nobody knows."""
    lines = sample(name).read_text().split("\n")
    assert lines[line - 1].endswith(printed)
    lines[line - 1] = lines[line - 1].removesuffix(printed) + cut
    whole, tables = read_text(sample(name).read_bytes()), read_text("\n".join(lines))
    before, after = whole[table][column].to_list(), tables[table][column].to_list()
    assert [old for old, new in zip(before, after, strict=True) if old != new] != []
    assert {new for old, new in zip(before, after, strict=True) if old != new} == {None}
    assert line in tables["parse_reject"]["line"].to_list()


@pytest.mark.parametrize(
    ("name", "printed", "lost", "table", "column", "value"),
    [
        ("cpu_two_threads", "SYSTEM ID MVSA", "SYSTEM IDMVSA", "rmf_cpu_activity", "system", "MVSA"),
        ("cpu_two_threads", "SYSTEM ID MVSA", "SYSTEMID MVSA", "rmf_cpu_activity", "system", "MVSA"),
        ("cf_asynchronous_duplexing", "SYSPLEX PLEXB", "SYSPLEXPLEXB", "rmf_cf_structure_summary", "sysplex", "PLEXB"),
        ("cpu_continued_page", "SEQUENCE CODE", "SEQUENCECODE", "rmf_cpu_activity", "sequence_code", None),
        ("g2_transaction_appl", "HONOR PRIORITY=NO", "HONORPRIORITY=NO", "rmf_workload_activity", "honor_priority", "NO"),
        ("g2_transaction_appl", "AAP/IIP ON CP   0.11", "AAP/IIPON CP   0.11", "rmf_workload_activity", "transaction_appl_total_on_cp_pct", 0.11),
        ("g2_transaction_appl", "AAP/IIP ON CP   0.11", "AAP/IIP ONCP   0.11", "rmf_workload_activity", "transaction_appl_total_on_cp_pct", 0.11),
        ("g2_transaction_appl", "DATE/TIME ", "DATE/TIME", "rmf_workload_activity", "policy_activated_at", None),
        ("g2_velocity_page_top_lost", "I/O MGMT  64.4%", "I/OMGMT  64.4%", "rmf_workload_goal", "velocity_io_management_pct", 64.4),
        ("g2_velocity_page_top_lost", "INIT MGMT 60.9%", "INITMGMT 60.9%", "rmf_workload_goal", "velocity_init_management_pct", 60.9),
        ("g2_velocity_page_top_lost", "INIT MGMT 60.9%", "INIT MGMT60.9%", "rmf_workload_goal", "velocity_init_management_pct", 60.9),
        ("g2_velocity_page_top_lost", " ----INTERVAL:", "----INTERVAL:", "rmf_response_time_distribution", "system", None),
    ],
)  # fmt: skip
def test_a_label_that_lost_a_blank_is_the_same_label(
    name: str, printed: str, lost: str, table: str, column: str, value: str | float | None
) -> None:
    text = sample(name).read_text()
    assert printed in text
    whole, tables = read_text(text), read_text(text.replace(printed, lost))
    found = tables[table][column].to_list()
    assert found == whole[table][column].to_list()
    assert [v for v in found if v is not None] != []
    assert value is None or value in found


COEFFICIENTS = ("coefficient_ioc", "coefficient_cpu", "coefficient_srb", "coefficient_mso")
FACTORS = ("norm_factor_aap", "norm_factor_iip")
DEFINITION = "-SERVICE DEFINITION COEFFICIENTS-"


def test_the_title_of_a_group_that_lost_blanks_is_read() -> None:
    text = sample("service_policy_page").read_text()
    titles = ("-SERVICE DEFINITIONCOEFFICIENTS-", "-SERVICEDEFINITION COEFFICIENTS-", DEFINITION[1:])
    printed = [title.ljust(width) for title in titles for width in (0, len(DEFINITION))]
    for tables in read_each(text.replace(DEFINITION, title) for title in printed):
        row = tables["rmf_service_policy"].row(0, named=True)
        assert [row[name] for name in (*COEFFICIENTS, *FACTORS)] == [5.0, 1.0, 1.0, 0.0001, 1.0, 1.0]
        assert row["service_definition_description"] is None
        assert tables["parse_reject"].height == 0


DAMAGED_TITLES = [
    (DEFINITION, "-SERVICE DEFINITI0N COEFFICIENTS-", COEFFICIENTS),
    (DEFINITION, " " * len(DEFINITION), COEFFICIENTS),
    (DEFINITION, "-SERVICE DEFINITION COEFF", (*COEFFICIENTS, *FACTORS)),
    ("-NORM FACTORS-", "-NORM FACTOR-", FACTORS),
    ("-NORM FACTORS-", "", FACTORS),
    ("IOC     CPU", "IOC     CPV", COEFFICIENTS[1:2]),
]


def test_the_title_of_a_group_that_is_damaged_is_a_reject() -> None:
    text = sample("service_policy_page").read_text()
    found = read_each(text.replace(printed, damaged) for printed, damaged, _ in DAMAGED_TITLES)
    for (_, damaged, lost), tables in zip(DAMAGED_TITLES, found, strict=True):
        row = tables["rmf_service_policy"].row(0, named=True)
        assert [name for name in (*COEFFICIENTS, *FACTORS) if row[name] is None] == list(lost), damaged
        assert row["service_definition_description"] is None
        (reject,) = tables["parse_reject"].rows(named=True)
        assert reject["line"] == 9
        assert "unknown column title" in reject["what"]


def test_headings_that_differ_in_their_reasons_alone_name_their_own_rows() -> None:
    """They are cut together; both rows of the second one get their values, and what straddles two columns is told by its titles."""
    lines = sample("discretionary_and_system_goals").read_text().split("\n")
    assert lines[48] == lines[26]
    lines[48] = lines[48].replace("TOT CPU I/O", "TOT AUX SWI")
    assert "1.1 0.8 0.3" in lines[51]
    lines[51] = lines[51].replace("1.1 0.8 0.3", "1.1 0.8.0.3")
    tables = read_text("\n".join(lines))
    delays = tables["rmf_workload_delay"].filter(delay_group="EXEC DELAYS %").select("line", "reason", "pct")
    assert delays.filter(line=29).rows() == [(29, "TOT", 4.2), (29, "CPU", 4.0), (29, "I/O", 0.2)]
    assert delays.filter(line=51).rows() == [(51, "TOT", 1.1), (51, "AUX", 0.8), (51, "SWI", 0.3)]
    assert delays.filter(line=52)["reason"].to_list() == ["TOT"]
    what = tables["parse_reject"].filter(line=52)["what"].to_list()
    assert what == ["a value straddles columns AUX and SWI"]


@pytest.mark.parametrize("sign", ["\ue000", "\uf8ff"])
def test_a_heading_with_a_character_that_stands_for_a_word_is_read_as_printed(sign: str) -> None:
    """As text that was moved through a word processor may have; the reject tells the character, not another word."""
    text = sample("discretionary_and_system_goals").read_text()
    assert " EX   PERF " in text
    tables = read_text(text.replace(" EX   PERF ", f" EX  {sign}PERF ", 1))
    damaged = read_text(text.replace(" EX   PERF ", " EX  ?PERF ", 1))
    assert tables["rmf_workload_delay"].equals(damaged["rmf_workload_delay"])
    what = [row["what"].replace(sign, "?") for row in tables["parse_reject"].rows(named=True)]
    assert what == damaged["parse_reject"]["what"].to_list() != []
