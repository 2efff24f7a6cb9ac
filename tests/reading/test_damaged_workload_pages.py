"""Workload activity pages that are cut, or print values and titles as few pages do: every value is the printed one, or told.

Pages are those of the samples with the changes that each test names. Every value was read off its page by eye.
"""

from __future__ import annotations

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import Tables, one, read_each, sample

ACTIVITY, GOAL, DELAY = "rmf_workload_activity", "rmf_workload_goal", "rmf_workload_delay"
REJECT, NULL = "parse_reject", "cell_null"
NOT_WHOLE = "rmf_workload_activity: incomplete class header"


def changed(name: str, *changes: tuple[str, str]) -> str:
    """A sample with each old text, which it has once, in place of the new one."""
    text = sample(name).read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def read(name: str, *changes: tuple[str, str]) -> Tables:
    return read_text(changed(name, *changes))


def read_with(name: str, old: str, *new: str) -> list[Tables]:
    """The tables of a sample with each of some texts in place of an old one."""
    return read_each(changed(name, (old, one)) for one in new)


# --- Class headers -----------------------------------------------------------------------------------------------------------

PERIOD_LINE = (
    "POLICY=STANDARD   WORKLOAD=OMVSWL     SERVICE CLASS=OMVSLO       RESOURCE GROUP=*NONE      PERIOD=1 IMPORTANCE=4"
)


CUT_AT = (
    *("WORKL", "WORKLOAD", "WORKLOAD=", "SERVICE", "SERVICE CLA", "SERVICE CLASS", "SERVICE CLASS=", "RESOUR"),
    *("RESOURCE GROUP", "RESOURCE GROUP=", "PERIO", "PERIOD", "PERIOD=", "IMPORT", "IMPORTANCE="),
)


def test_a_class_line_cut_within_a_key_is_of_no_class() -> None:
    text = sample("g3_three_systems_distributions").read_text()
    lines = [PERIOD_LINE[: PERIOD_LINE.index(end) + len(end)] for end in CUT_AT]
    for end, cut, tables in zip(CUT_AT, lines, read_each(text.replace(PERIOD_LINE, c) for c in lines), strict=True):
        assert not any(len(rows) for name, rows in tables.items() if name not in (REJECT, NULL)), end
        first = tables[REJECT].row(0, named=True)
        assert (first["line"], first["what"]) == (10, NOT_WHOLE)
        assert first["column"] == (len(cut) + 1 if end.endswith("=") else PERIOD_LINE.index(end) + 1)


def test_words_left_over_on_a_class_line_leave_it_without_a_class() -> None:
    lines = [
        PERIOD_LINE.replace("SERVICE CLASS", "SERVICE XLASS"),
        PERIOD_LINE.replace("SERVICE CLASS", "CLASS"),
        PERIOD_LINE.replace("PERIOD=1", "       1"),
        PERIOD_LINE + " PERIOD=2",
        PERIOD_LINE + " .",
    ]
    for tables in read_with("g3_three_systems_distributions", PERIOD_LINE, *lines):
        assert (len(tables[ACTIVITY]), len(tables[GOAL])) == (0, 0)
        assert NOT_WHOLE in tables[REJECT]["what"].to_list()


def test_a_name_that_is_blank_takes_no_other_key_for_its_value() -> None:
    line = PERIOD_LINE.replace("*NONE", "     ")
    tables = read("g3_three_systems_distributions", (PERIOD_LINE, line))
    row = one(tables, ACTIVITY)
    assert (row["class_kind"], row["resource_group"], row["period"]) == ("service_class_period", None, 1)
    assert not len(tables[REJECT])


def test_an_attribute_is_no_word_of_a_description() -> None:
    tables = read(
        "g2_transaction_appl",
        ("=Mobile requests", "=CRITICAL=CPU I/O PRIORITY GROUP=LOW"),
        ("=I/O priority", "=HONOR PRIORITY=NO here"),
    )
    mobile = one(tables, ACTIVITY, service_class="DDFMOB")
    assert mobile["description"] == "CRITICAL=CPU I/O PRIORITY GROUP=LOW"
    assert (mobile["critical"], mobile["io_priority_group"], mobile["honor_priority"]) == ("NONE", None, "NO")
    other = one(tables, ACTIVITY, service_class="DDFHI")
    assert other["description"] == "HONOR PRIORITY=NO here"
    assert (other["critical"], other["io_priority_group"], other["honor_priority"]) == ("CPU+STORAGE", "HIGH", None)


# --- TRANSACTION APPL% -------------------------------------------------------------------------------------------------------

APPL = "CP  32.53   AAP/IIP ON CP   0.11   AAP/IIP   2.27"
PARTS = ("cp", "on_cp", "ziip")


PRINTED_APPL = [
    ("CP1032.53   AAP/IIP ON CP1000.11   AAP/IIP1002.27", (1032.53, 1000.11, 1002.27), None),
    ("CP  32.53   AAP/IIP ON CP    N/A   AAP/IIP    N/A", (32.53, None, None), None),
    ("CP ******   AAP/IIP ON CP   0.11   AAP/IIP   2.27", (None, 0.11, 2.27), "cp"),
    ("CP  32.53   AAP/IIP ON CP ******   AAP/IIP   2.27", (32.53, None, 2.27), "on_cp"),
    ("CP  32.53   AAP/IIP ON CP   0.11   AAP/IIP ******", (32.53, 0.11, None), "ziip"),
    ("CP*******   AAP/IIP ON CP*******   AAP/IIP   2.27", (None, None, 2.27), "both"),
    ("CP          AAP/IIP ON CP   0.11   AAP/IIP   2.27", (None, 0.11, 2.27), None),
    ("CP  32.53   AAP/IIP ON CP          AAP/IIP   2.27", (32.53, None, 2.27), None),
    ("CP  32.53   AAP/IIP ON CP   0.11   AAP/IIP", (32.53, 0.11, None), None),
]


def test_a_damaged_label_is_no_word_of_a_description() -> None:
    text = sample("cics_liberty_report_class").read_text("utf-8")
    damaged = read_text(text.replace("DESCRIPTION", " ESCRIPTION", 1))
    assert damaged[ACTIVITY]["description"].to_list()[0] is None
    assert len(damaged[REJECT]) == 1


def test_of_two_normalisation_factors_one_is_not_the_other() -> None:
    tables = read("service_policy_page", ("0.0001    1.0000  1.0000", "1.0000    1.0000        "))
    factors = ("coefficient_mso", "norm_factor_aap", "norm_factor_iip")
    assert tables["rmf_service_policy"].select(factors).rows() == [(None, None, None)]
    assert len(tables[REJECT]) == 1


def test_transaction_appl_values_fill_their_fields() -> None:
    found = read_with("g2_transaction_appl", APPL, *(printed for printed, _, _ in PRINTED_APPL))
    for (printed, values, told), tables in zip(PRINTED_APPL, found, strict=True):
        row = one(tables, ACTIVITY, service_class="DDFMOB")
        assert tuple(row[f"transaction_appl_total_{part}_pct"] for part in PARTS) == values, printed
        assert tuple(row[f"transaction_appl_mobile_{part}_pct"] for part in PARTS) == (12.5, 0.05, 1.25)
        parts = {None: (), "both": ("cp", "on_cp")}.get(told, (told,))
        columns = [f"transaction_appl_total_{part}_pct" for part in parts]
        assert tables[REJECT]["what"].to_list() == [f"{c}: the value did not fit its field" for c in columns]
        overflowed = tables[NULL].filter(tables[NULL]["reason"] == "overflow")
        assert overflowed["column"].to_list() == columns


def test_a_transaction_appl_value_that_is_damaged_is_told() -> None:
    damaged = ("32.5x", "x2.53", "32.53 1")
    found = read_with("g2_transaction_appl", APPL, *(APPL.replace("32.53", cell) for cell in damaged))
    for cell, tables in zip(damaged, found, strict=True):
        row = one(tables, ACTIVITY, service_class="DDFMOB")
        assert tuple(row[f"transaction_appl_total_{part}_pct"] for part in PARTS) == (None, 0.11, 2.27)
        assert tables[REJECT]["what"].to_list() == [f"transaction_appl_total_cp_pct: {cell!r} cannot be read"]


# --- Goals by system ---------------------------------------------------------------------------------------------------------


def test_tot_alone_under_execution_delays_is_read() -> None:
    """A period without delays: no reason stands beside TOT."""
    text = sample("g3_three_systems_distributions").read_text("utf-8")
    rows = (" 0.3 0.2 0.1  ", " 0.2 0.1 0.1  ")
    for row in rows:
        assert row in text
        text = text.replace(row, f" {row[1:4]}" + " " * 10)
    text = text.replace("TOT CPU I/O  ", "TOT          ")
    tables = read_text(text)
    assert not len(tables[REJECT])
    delays = tables[DELAY].filter(tables[DELAY]["delay_group"] == "EXEC DELAYS %")
    assert delays.select("system", "reason", "pct").rows() == [
        ("*ALL", "TOT", 0.3),
        ("SYSA", "TOT", 0.3),
        ("SYSB", "TOT", 0.2),
        ("SYSC", "TOT", 0.2),
    ]


# --- Response time distributions ---------------------------------------------------------------------------------------------

DISTRIBUTION = "rmf_response_time_distribution"
SYSTEMS_RULE = " " * 39 + "----------RESPONSE TIME DISTRIBUTIONS----------\n"
BOTH = (
    "SYSTEM: SYSA ----INTERVAL: 00.14.59.998 ---MRT CHANGES:  0 ---     "
    "SYSTEM: SYSB ----INTERVAL: 00.14.59.997 ---MRT CHANGES:  1 ---\n"
)
ONE_RULE = SYSTEMS_RULE.replace("DISTRIBUTIONS", "DISTRIBUTION")


def without_system(rows: int) -> str:
    return f"{DISTRIBUTION}: {rows} rows without system are left out"


def systems(tables: Tables) -> list[tuple[str | None, int]]:
    counted = tables[DISTRIBUTION].group_by("system", maintain_order=True).len()
    return counted.select("system", "len").rows()


def third() -> str:
    text = sample("g3_three_systems_distributions").read_text("utf-8")
    (line,) = [line for line in text.splitlines(keepends=True) if line.startswith("SYSTEM: SYSC")]
    return line


def test_a_distribution_that_lost_its_system_is_not_that_of_all() -> None:
    name = "g3_three_systems_distributions"
    tables = read(name, (third(), ""))
    assert systems(tables) == [("SYSA", 14), ("SYSB", 14)]
    assert tables[REJECT].select("line", "what", "expected").rows() == [(62, without_system(14), "DIST_SYSTEM above")]
    tables = read(name, (BOTH, ""))
    assert systems(tables) == [("SYSC", 14)]
    assert tables[REJECT].select("line", "what").rows() == [(45, without_system(28))]
    tables = read(name, (BOTH, BOTH[:67].rstrip() + "\n"))
    assert systems(tables) == [("SYSA", 14), ("SYSC", 14)]
    assert tables[REJECT].select("line", "what").rows() == [(46, without_system(14))]


def test_a_distribution_below_its_rule_is_that_of_all_systems() -> None:
    """The rule in the singular: one table for all systems, also below those of single ones."""
    tables = read("g3_three_systems_distributions", (third(), ONE_RULE))
    assert systems(tables) == [("SYSA", 14), ("SYSB", 14), (None, 14)]
    assert not len(tables[REJECT])


@pytest.mark.parametrize("above", ["rule", "system"])
def test_a_page_break_above_the_titles_of_distributions(above: str) -> None:
    """Behind the rule the systems still stand above their tables; behind their line nothing says whose these are."""
    text = sample("g3_three_systems_distributions").read_text("utf-8")
    top = "".join(text.splitlines(keepends=True)[:7])
    new = SYSTEMS_RULE + top + BOTH if above == "rule" else SYSTEMS_RULE + BOTH + top
    tables = read("g3_three_systems_distributions", (SYSTEMS_RULE + BOTH, new))
    if above == "rule":
        assert systems(tables) == [("SYSA", 14), ("SYSB", 14), ("SYSC", 14)]
        assert not len(tables[REJECT])
    else:
        assert systems(tables) == [("SYSC", 14)]
        assert tables[REJECT]["what"].to_list() == [without_system(28)]


def test_a_page_break_below_the_rule_of_one_distribution() -> None:
    text = sample("g3_three_systems_distributions").read_text("utf-8")
    top = "".join(text.splitlines(keepends=True)[:7])
    tables = read("g3_three_systems_distributions", (third(), ONE_RULE + top))
    assert systems(tables) == [("SYSA", 14), ("SYSB", 14), (None, 14)]
    assert not len(tables[REJECT])


FAST = "percentile_goal_below_ten_milliseconds"
# Bounds in milliseconds (the last has none), and the number of each among those that are printed alike.
EQUAL_BOUNDS = [
    (2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (5, 1), (5, 2), (6, 1), (6, 2), (7, 1), (7, 2), (10, 1), (20, 1), (None, 1)
]  # fmt: skip


def numbered(tables: Tables) -> list[tuple[int | None, int]]:
    rows = tables[DISTRIBUTION].select("upper_bound_s", "occurrence").rows()
    return [(None if bound is None else round(bound * 1000), occurrence) for bound, occurrence in rows]


def fast_lines() -> list[str]:
    return sample(FAST).read_text("utf-8").splitlines(keepends=True)


def test_a_lost_bucket_renumbers_none_but_its_equal() -> None:
    cases, pages = [], []
    for number in range(14):
        lines = fast_lines()
        at = next(k for k, line in enumerate(lines) if line.startswith("<= ")) + number
        unreadable = lines[at].replace("00.00.00.", "00.00.0O.")
        for how, line in (("lost", ""), ("rejected", "?" + lines[at][1:]), ("bound unreadable", unreadable)):
            cases.append((number, how))
            pages.append("".join([*lines[:at], line, *lines[at + 1 :]]))
    for (number, how), tables in zip(cases, read_each(pages), strict=True):
        left = EQUAL_BOUNDS[:number] + EQUAL_BOUNDS[number + 1 :]
        if EQUAL_BOUNDS[number][1] == 1 and number + 1 < 14 and EQUAL_BOUNDS[number + 1][1] == 2:
            # Of the two, one is left: nothing on the page says which.
            left[number] = EQUAL_BOUNDS[number]
        if how == "bound unreadable":
            left.insert(number, (None, 1))
        assert numbered(tables) == left, (number, how)


def test_equal_bounds_on_both_sides_of_a_page_break_are_numbered() -> None:
    lines = fast_lines()
    titles = next(k for k, line in enumerate(lines) if "----TIME----" in line)
    second = next(k for k, line in enumerate(lines) if line.startswith("<= 00.00.00.003")) + 1
    top = [line.replace("PAGE   1", "PAGE   2") for line in lines[:7]]
    assert (
        numbered(read_text("".join([*lines[:second], *top, *lines[titles : titles + 2], *lines[second:]])))
        == EQUAL_BOUNDS
    )


def test_a_page_printed_twice_has_the_same_numbers_twice() -> None:
    text = sample(FAST).read_text("utf-8")
    assert numbered(read_text(text + text)) == EQUAL_BOUNDS * 2


def test_each_of_two_systems_side_by_side_has_its_own_numbers() -> None:
    """SYSA has 192.5 ms twice; SYSB has other bounds beside them, and SYSC below."""
    tables = read("g3_three_systems_distributions", ("<= 00.00.00.231000         20", "<= 00.00.00.192500         20"))
    more = tables[DISTRIBUTION].filter(tables[DISTRIBUTION]["occurrence"] != 1)
    assert more.select("system", "upper_bound_s", "occurrence", "transactions_cumulative").rows() == [
        ("SYSA", 0.1925, 2, 20)
    ]


# --- Blocks and goals of older releases ----------------------------------------------------------------------------------------


def test_a_title_that_holds_another_is_not_that_one() -> None:
    """SRB of the rates is a time: below SERVICE it would be service units."""
    titles = ("--SERVICE UNITS---", "--SERVICE RATES X-", "--OLD SERVICE-----")
    found = read_with("os390_service_rates", "--SERVICE RATES--  PAGE", *(f"{title} PAGE" for title in titles))
    for title, tables in zip(titles, found, strict=True):
        row = one(tables, ACTIVITY)
        assert (row["srb_service"], row["srb_time_s"], row["absorption_rate"]) == (673200, None, None)
        assert tables[REJECT]["what"].to_list() == [f"rmf_workload_activity: unknown column title {title.strip('-')}"]


def test_times_may_stand_below_service_times() -> None:
    """As releases between those of the samples are known to print it."""
    tables = read(
        "os390_service_rates",
        ("--SERVICE RATES--", "--SERVICE TIMES--"),
        ("ABSRPTN     2347", "TCB        210.4"),
        ("TRX SERV    2251", "SRB         18.7"),
        ("TCB        210.4   SHARED", "IFA          1.5   SHARED"),
        ("SRB         18.7   HSP ", "APPL% IFA    0.2   HSP "),
        ("APPL %      26.0", "APPL% CP    26.0"),
    )
    row = one(tables, ACTIVITY)
    assert (row["cpu_time_s"], row["srb_time_s"], row["iit_time_s"]) == (210.4, 18.7, 4.2)
    assert (row["aap_time_s"], row["appl_aap_pct"], row["appl_cp_pct"]) == (1.5, 0.2, 26.0)
    assert not len(tables[REJECT])


@pytest.mark.parametrize(
    ("line", "end"), [("AVG      3.20", "IOC    7"), ("MPL      3.10", "CPU   9"), ("ENDED      18", "33")]
)
def test_a_line_of_a_small_block_cut_within_a_value_is_told(line: str, end: str) -> None:
    text = sample("os390_without_dashes").read_text("utf-8")
    (whole,) = [row for row in text.splitlines() if row.startswith(line)]
    cut = whole[: whole.index(end) + len(end)]
    tables = read_text(text.replace(whole, cut))
    row = one(tables, ACTIVITY, report_class="RBATCH")
    column = {"AVG": "ioc_service", "MPL": "cpu_service", "END": "mso_service"}[line[:3]]
    assert row[column] is None
    assert tables[REJECT]["what"].to_list() == [f"the line ends within {column}: its value may be truncated"]


def test_a_goal_of_older_releases_that_is_damaged_is_no_system() -> None:
    """No systems stand below that heading; 90.0% would be a velocity."""
    lines = [f"{line}   00.00.00.500" for line in ("OALS ", "GOAXS", "SYSA ")]
    for tables in read_with("g1_percentile_goal", "GOALS   00.00.00.500", *lines):
        assert tables[GOAL]["service_class"].to_list() == ["TSOFAST"]
        assert tables[REJECT].height


# --- Excerpts ------------------------------------------------------------------------------------------------------------------


def test_only_an_excerpt_that_begins_with_a_block_has_rows_without_a_class() -> None:
    """Where anything stands above it, the line that names its class is lost, and nobody knows whose the block is."""
    text = sample("excerpt_without_class_line").read_text("utf-8")
    assert one(read_text(text), ACTIVITY)["class_kind"] is None
    for above in ("REPXRT BY: PXLICY=PRIME", "CRITICAL     =NONE", "IEF404I PAYJOB01 - ENDED"):
        tables = read_text(f"{above}\n{text}")
        assert not len(tables[ACTIVITY]), above
        assert len(tables[REJECT])


def test_states_keep_the_digits_of_their_names() -> None:
    """Digits of headings count as equal elsewhere: TYP2 is not TYP3."""
    text = sample("g2_state_samples").read_text("utf-8")
    for name in ("TYP2 ", "TYP3 "):
        tables = read_text(text.replace("TYP2 ", name))
        states = tables["rmf_workload_response_breakdown"].filter(phase="BTE")["state"].to_list()
        assert name.strip() in states
        assert "TYP11" in states


# --- Lost blanks ---------------------------------------------------------------------------------------------------------


def test_a_value_across_the_border_of_two_sub_columns_has_no_part() -> None:
    """One blank less before the titles: the borders go through the last digit of every cell."""
    title = "FFFFFF  TRANS-APPL%"
    whole, damaged = (
        one(read("g3_distribution_in_thousands", *changes), ACTIVITY)
        for changes in ((), ((title, title.replace("  ", " ")),))
    )
    names = [f"transaction_appl_total_{part}_pct" for part in PARTS]
    assert None not in [whole[name] for name in names]
    assert [damaged[name] for name in names] == [None] * 3
    assert len(read("g3_distribution_in_thousands", (title, title.replace("  ", " ")))[REJECT])
