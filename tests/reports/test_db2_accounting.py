"""Db2 Accounting: keys, entries and packages that are lost, damaged or over a page break. Values of pages stand beside them."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SHARED, one, sample, sample_tables

COUNTER, REJECT, UNKNOWN = "db2_accounting_counter", "parse_reject", "unknown_report"
FOLDER = SHARED / "real_reports"


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the published pages are not beside the project")
@pytest.mark.parametrize("name", ["page_header", "short_heading"])
def test_published_short_pages_are_known(name: str) -> None:
    """Headings and, on one, a key of which the excerpt shows no numbers."""
    tables = read_text((FOLDER / f"db2_accounting__{name}_excerpt.txt").read_bytes())
    assert tables[UNKNOWN].height == tables[REJECT].height == 0
    assert COUNTER not in tables


LONG, ENTRIES = "accounting_long_report", "accounting_entries_over_page_break"
TRACE = "accounting_trace"


def test_each_entry_of_a_long_trace_has_its_own_keys() -> None:
    """More different lines than the product of their numbers has room for."""
    text = sample(TRACE).read_text()
    pages = [
        text.replace("PAYPLAN2", f"PLAN{k}").replace("PAYUSR", f"USER{k}").replace("PAYJ  ", f"J{k:05d}"[:6])
        .replace("SYSLH200", f"PACK{k:04d}").replace("PAGE: 1-2", f"PAGE: {k + 1}-2")
        for k in range(2047)
    ]  # fmt: skip
    rows = read_text("".join(pages))[COUNTER].filter(counter="TERM.CONDITION")
    assert rows["plan"].to_list() == [f"PLAN{k}" for k in range(2047)]
    assert rows["primauth"].to_list() == [f"USER{k}" for k in range(2047)]


SECOND_KEYS = "CONNTYPE: DRDA  CONNECT: SERVER  CORRNAME: db2jcc_a\n\nCLASS 3 SUSPENSIONS   AVERAGE TIME  AV.EVENT\n--------------------  ------------  --------\nLOCK"


@pytest.mark.parametrize(
    "damaged",
    [
        "C?NNTYPE: DRDA  CONNECT: SERVER  CORRNAME: db2jcc_a",
        "CONNTYPE: DRDA  C?NNECT: SERVER  CORRNAME: db2jcc_a",
        "CONNTYPE: DRDA  CONNECT: SERVER  CORRNAEM: db2jcc_a",
        "CONNTYPE: DRDA",
        "CONNTYEP: DRDA  CONNECT: SERVER  CORRNAME: db2jcc_a",
        "CO        DRDA  CONNECT: SERVER  CORRNAME: db2jcc_a",
    ],
)
def test_rows_below_a_damaged_line_of_keys_are_not_of_the_entry_above(damaged: str) -> None:
    text = sample(ENTRIES).read_text()
    assert SECOND_KEYS in text
    tables = read_text(text.replace("CONNTYPE: DRDA  CONNECT: SERVER  CORRNAME: db2jcc_a", damaged, 1))
    (reject,) = tables[REJECT].to_dicts()
    assert (reject["line"], reject["what"]) == (15, "db2_accounting: keys cannot be read")
    rows = tables[COUNTER].filter(page=1)
    assert rows["conntype"].to_list() == ["CICS"] * 3 + [None] * 3
    assert rows["connection"].to_list() == ["CICSPRD1"] * 3 + [None] * 3
    assert rows["corrname"].null_count() == 6
    assert set(tables[COUNTER].filter(page=2)["conntype"]) == {"DRDA"}


@pytest.mark.parametrize(
    "lost", ["PRIMAUTH   :", "ORIGAUTH   :", "MAINPACK   :", "ACCT TSTAMP:", "---- IDENTIFICATION"]
)
def test_a_damaged_identification_takes_nothing_from_the_one_above(lost: str) -> None:
    """Two threads on a page: what the second does not say is not what the first said."""
    text = sample(TRACE).read_text()
    entry = text[text.index("---- IDENT") :]
    second = entry.replace("PAYUSR", "OTHER").replace("PAYPLAN2", "PLAN3").replace("SYSLH200", "PACK3")
    tables = read_text(text + "\n" + second.replace(lost, "?" * len(lost)))
    rows = tables[COUNTER]
    second_begins = text.count("\n") + 1
    of_second = rows.filter(rows["line"] > second_begins)
    assert of_second.height == rows.height - of_second.height > 10
    assert not set(of_second["primauth"]) & {"PAYUSR"}
    assert not set(of_second["plan"]) & {"PAYPLAN2"}
    assert not set(of_second["mainpack"]) & {"SYSLH200"}


def test_pages_that_add_up_a_group_name_no_member() -> None:
    """Heading of scope GROUP as published: the lines of MEMBER and SUBSYSTEM begin with what stands behind."""
    text = sample(LONG).read_text()
    for word in ("MEMBER: DBP1", "SUBSYSTEM: DBP1"):
        text = text.replace(word, " " * len(word))
    tables = read_text(text.replace("SCOPE: MEMBER", "SCOPE: GROUP "))
    assert tables[REJECT].height == 0
    row = one(tables, COUNTER, counter="STORED PROC")
    assert (row["member"], row["subsystem"], row["scope"], row["plan"]) == (None, None, "group", "PAYPLAN1")
    assert row["begin_at"] == dt.datetime(2025, 11, 3, 9, 0, 1, 100000)


SHORT = "accounting_short_report"


def entries(text: str) -> list[tuple]:
    """Keys and number of cells of each entry of a short report, and its rejects."""
    tables = read_text(text)
    keys = ["primauth", "plan", "connection", "is_total"]
    found = tables[COUNTER].group_by(keys, maintain_order=True).len() if COUNTER in tables else pl.DataFrame()
    return [*found.rows(), *((r["line"], r["what"].partition(": ")[2]) for r in tables[REJECT].to_dicts())]


def short_page(
    *rows: str, order: str = "PRIMAUTH-PLANNAME", titles: tuple[str, ...] = ("PRIMAUTH", " PLANNAME")
) -> str:
    """A page with two titles a line; rows as (label, number, number)."""
    top = sample(SHORT).read_text().splitlines()[:5]
    top[3] = top[3].replace("PRIMAUTH-PLANNAME", order)
    lines = [f"{titles[0]:20} #OCCURS SELECTS", f"{titles[1]:20} #DISTRS FETCHES", "-" * 20 + " ------- -------"]
    return "\n".join([*top, "", *lines, "", *rows]) + "\n"


def numbers(label: str, first: str = "1", second: str = "1.50") -> str:
    return f"{label:20} {first:>7} {second:>7}"


A, B = [numbers(" PLANA"), numbers("")], [numbers(" PLANB"), numbers("")]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["USERA", *A, *B], [("USERA", "PLANA", None, False, 4), ("USERA", "PLANB", None, False, 4)]),
        # A line of numbers is lost: nobody knows which of the entry's lines is left.
        (["USERA", A[0], *B], [("USERA", "PLANB", None, False, 4), (12, "1 lines do not form one entry")]),
        (["USERA", *A, B[1]], [("USERA", "PLANA", None, False, 4), (14, "1 lines do not form one entry")]),
        # A line of keys that is damaged may name another.
        (
            ["USERA", *A, "US   B", *B],
            [("USERA", "PLANA", None, False, 4), (14, "unexpected line"), (15, "the keys of 2 lines are unknown")],
        ),
        (A, [(11, "the keys of 2 lines are unknown")]),
        # A total names the keys in front of its place; one in the first place, those of the key above.
        (["USERA", *A, numbers("*TOTAL*"), A[1]], [("USERA", "PLANA", None, False, 4), ("USERA", None, None, True, 4)]),
        (
            ["USERA", *A, "*** TOTAL ***", numbers("USERA"), A[1]],
            [("USERA", "PLANA", None, False, 4), ("USERA", None, None, True, 4)],
        ),
        (
            ["USERA", *A, numbers("GRAND TOTAL"), A[1]],
            [("USERA", "PLANA", None, False, 4), (None, None, None, True, 4)],
        ),
        # Below a grand total nobody says whose a plan is.
        (
            ["USERA", *A, numbers("GRAND TOTAL"), A[1], *B],
            [("USERA", "PLANA", None, False, 4), (None, None, None, True, 4), (16, "the keys of 2 lines are unknown")],
        ),
        # Keys in front of the lines of numbers, one by one.
        (
            [numbers("USERA"), A[0], numbers("USERB"), B[0]],
            [("USERA", "PLANA", None, False, 4), ("USERB", "PLANB", None, False, 4)],
        ),
        ([numbers("USERA"), A[0], B[0]], [("USERA", "PLANA", None, False, 4), (13, "1 lines do not form one entry")]),
        # The first line of an entry, with its key, is lost below a key of its own; and of the entry below it the second line as well.
        (["USERA", A[1], *B], [("USERA", "PLANB", None, False, 4), (12, "the keys of 1 lines are unknown")]),
        (["USERA", A[1], B[0]], [(12, "the keys of 1 lines are unknown"), (13, "1 lines do not form one entry")]),
    ],
)
def test_entries_and_their_keys(rows: list[str], expected: list) -> None:
    assert entries(short_page(*rows)) == expected


def test_a_short_report_may_have_three_keys() -> None:
    rows = ["USERA", " PLANA", numbers("  TSO"), A[1], numbers("  BATCH"), A[1], " PLANB", numbers("  TSO"), A[1]]
    order = "PRIMAUTH-PLANNAME-CONNECT"
    expected = [
        ("USERA", "PLANA", "TSO", False, 4),
        ("USERA", "PLANA", "BATCH", False, 4),
        ("USERA", "PLANB", "TSO", False, 4),
    ]
    assert entries(short_page(*rows, order=order)) == expected
    # Without its plan, TSO is not of the plan of another user.
    lost = [*rows[:4], "USERB", numbers("  TSO"), A[1]]
    assert entries(short_page(*lost, order=order))[1:] == [(16, "the keys of 2 lines are unknown")]


def box(*rows: str) -> list[str]:
    rule = "   " + "-" * 60
    return [rule, "   |PROGRAM NAME  TYPE      #OCCURS  SQLSTMT  CL7 ELAP.TIME|", *rows, rule]


PACKAGE, OTHER_PACKAGE = (
    "   |SYSLH200      PACKAGE        14     9.00       0.019000|",
    "   |PAYCALC       DBRM            1     2.00            N/P|",
)


def packages(text: str) -> list[tuple]:
    """Of each number and text of packages what it is of, and rejects."""
    tables = read_text(text)
    rows = tables[COUNTER].filter(block="PACKAGE GENERAL")
    found = rows.select("primauth", "plan", "object", "counter", "average", "total", "value_text").rows()
    return [*found, *((r["line"], r["what"].partition(": ")[2], r["lines"]) for r in tables[REJECT].to_dicts())]


def test_packages_are_of_the_entry_above_them() -> None:
    of_package = [
        ("TYPE", None, None, "PACKAGE"),
        ("#OCCURS", None, 14, None),
        ("SQLSTMT", 9, None, None),
        ("CL7 ELAP.TIME", 0.019, None, None),
    ]
    expected = [("USERA", "PLANA", "SYSLH200", *cells) for cells in of_package]
    assert packages(short_page("USERA", *A, *box(PACKAGE), *B)) == expected
    exclamation_marks = [line.replace("|", "!") for line in box(PACKAGE)]
    assert packages(short_page("USERA", *A, *exclamation_marks, *B)) == expected
    of_both = packages(short_page("USERA", *A, *B, *box(PACKAGE, OTHER_PACKAGE)))
    assert of_both[:4] == [("USERA", "PLANB", "SYSLH200", *cells) for cells in of_package]
    assert of_both[7] == ("USERA", "PLANB", "PAYCALC", "CL7 ELAP.TIME", None, None, None)
    assert entries(short_page("USERA", *A, *box(PACKAGE), *B))[1:] == [("USERA", "PLANB", None, False, 4)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # The entry above is not whole: of what the packages are is not known.
        (
            ["USERA", *A, B[0], *box(PACKAGE)],
            [(14, "1 lines do not form one entry", 1), (17, "cannot find the entry of 1 lines", 1)],
        ),
        (box(PACKAGE, OTHER_PACKAGE), [(13, "cannot find the entry of 2 lines", 2)]),
        # A name that runs into the next column, and one that is lost.
        (
            ["USERA", *A, *box(PACKAGE.replace("SYSLH200      PACK", "SYSLH200_OF_PAYPACK"))],
            [(16, "1 lines do not form one entry", 1)],
        ),
        (["USERA", *A, *box(PACKAGE.replace("SYSLH200", " " * 8))], [(16, "1 lines do not form one entry", 1)]),
        # Without the titles nobody knows what the numbers are.
        (["USERA", *A, PACKAGE], [(14, "PACKAGE_ROW without its heading", 1)]),
    ],
)
def test_packages_that_cannot_be_identified_are_rejects(rows: list[str], expected: list[tuple]) -> None:
    assert packages(short_page(*rows)) == expected


def test_a_number_out_of_its_column_is_no_number_of_a_package() -> None:
    text = short_page("USERA", *A, *box(PACKAGE.replace("    9.00 ", "   9.00  ")))
    *found, reject = packages(text)
    assert [row[3] for row in found] == ["TYPE", "#OCCURS", "CL7 ELAP.TIME"]
    assert reject == (16, "a value is not right-aligned with column SQLSTMT", 1)


SHORT_TRACE = "accounting_short_trace"


@pytest.mark.parametrize(
    ("lost", "kept"),
    [
        ("PAYUSR   PAYJ     SERVER   09:12", {"0043", None}),
        ("PAYPLAN2 0042", {"0043", None}),
        ("PAYUSR   PAYJ     SERVER   09:13", {"0042", None}),
    ],
)
def test_a_lost_line_of_a_thread_leaves_the_others(lost: str, kept: set[str | None]) -> None:
    """The second of the threads, which has no CORRNMBR, stands between the others."""
    lines = sample(SHORT_TRACE).read_text().splitlines()
    tables = read_text("\n".join(line for line in lines if not line.startswith(lost)) + "\n")
    assert set(tables[COUNTER]["corrnmbr"]) == kept
    assert tables[COUNTER].height == 2 * 20 + 2 * 6
    (reject,) = tables[REJECT].to_dicts()
    assert (reject["what"], reject["lines"]) == ("db2_accounting: 1 lines do not form one entry", 1)


def test_a_short_trace_goes_on_over_a_page_break() -> None:
    lines = sample(SHORT_TRACE).read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if "09:13:02.90" in line)
    top = [line.replace("PAGE: 1-1", "PAGE: 1-2") for line in lines[:9]]
    tables = read_text("\n".join([*lines[:at], *top, *lines[at:]]) + "\n")
    assert tables[REJECT].height == 0
    of_second_page = tables[COUNTER].filter(page=2)
    assert (of_second_page.height, set(of_second_page["corrnmbr"])) == (20, {"0043"})


def test_a_trace_may_name_no_end() -> None:
    """The last line of the heading as published for traces: the version alone."""
    lines = sample(SHORT_TRACE).read_text().splitlines()
    lines[4] = "DB2 VERSION: V13"
    tables = read_text("\n".join(lines) + "\n")
    assert tables[REJECT].height == 0
    assert tables[COUNTER]["end_at"].null_count() == tables[COUNTER].height == 72


PACKAGES = "accounting_long_packages"


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("COLLECTION ID        DSNTEP2", 21, "a text is not aligned with column VALUE"),
        ("COLLECTION ID OF A DSNTEP2  ", 19, "text between the label and column VALUE"),
    ],
)
def test_a_text_out_of_its_column_is_not_read(text: str, column: int, what: str) -> None:
    page = sample(PACKAGES).read_text()
    tables = read_text(page.replace("COLLECTION ID       DSNTEP2 ", text, 1))
    (reject,) = tables[REJECT].to_dicts()
    assert (reject["line"], reject["column"], reject["what"]) == (14, column, "db2_accounting: " + what)
    assert tables[COUNTER].height == sample_tables(sample(PACKAGES))[COUNTER].height - 1


def test_blocks_below_a_lost_line_of_keys_are_not_of_the_entry_above() -> None:
    """The titles come again on the page: they are of another entry, whose line is not there."""
    text, entry = sample(ENTRIES).read_text(), "CONNTYPE: DRDA  CONNECT: SERVER  CORRNAME: db2jcc_a\n"
    assert text.count(entry) == 2  # once a page
    tables = read_text(text.replace(entry, "", 1))
    (reject,) = tables[REJECT].to_dicts()
    assert reject["what"] == "db2_accounting: repeated titles of a block"
    assert (reject["line"], reject["expected"]) == (16, "KEY_LINE, IDENTIFICATION_RULE")
    rows = tables[COUNTER].filter(page=1)
    assert rows["conntype"].to_list() == ["CICS"] * 3 + [None] * 3
    assert rows["connection"].to_list() == ["CICSPRD1"] * 3 + [None] * 3
    assert set(tables[COUNTER].filter(page=2)["conntype"]) == {"DRDA"}


def test_a_thread_whose_identification_is_lost_takes_nothing_from_the_one_above() -> None:
    text = sample(TRACE).read_text()
    blocks = text[text.index("TIMES/EVENTS") :]
    tables = read_text(text + "\n" + blocks)
    (reject,) = tables[REJECT].to_dicts()
    assert reject["what"] == "db2_accounting: repeated titles of a block"
    again = tables[COUNTER].filter(pl.col("line") > text.count("\n"))
    assert again.height == sample_tables(sample(TRACE))[COUNTER].height
    assert again["plan"].null_count() == again["record_time"].null_count() == again.height


def test_packages_of_one_name_may_follow_each_other() -> None:
    """Blocks that the name of a package stands over: another collection may have one of the same name."""
    lines = sample(PACKAGES).read_text().splitlines()
    tables = read_text("\n".join([*lines[:19], "", *lines[8:]]) + "\n")
    assert tables[REJECT].height == 0
    assert tables[COUNTER].filter(pl.col("page") == 1)["plan"].null_count() == 0


def test_a_title_is_the_same_with_other_blanks_and_stops() -> None:
    """Right-aligned with its dashes, however it is abbreviated."""
    page = sample("accounting_long_report").read_text()
    expected = read_text(page)[COUNTER]
    assert expected["appl_class_1"].count() > 3
    for titles in (
        ("APPL (CL1)", " DB2 (CL2)", "AV EVENT"),
        ("APPL(CL 1)", "DB2(CL. 2)", "AV.EVENT"),
        (" APPL(CL1)", "  DB2(CL2)", " AVEVENT"),
    ):
        changed = page
        for printed, other in zip(("APPL(CL.1)", "DB2 (CL.2)", "AV.EVENT"), titles, strict=True):
            changed = changed.replace(printed, other)
        found = read_text(changed)
        assert (found[REJECT].height, found[COUNTER].equals(expected)) == (0, True), titles
    other = read_text(page.replace("DB2 (CL.2)", "DB2 (CL.7)"))
    assert other[REJECT]["what"].to_list() == ["db2_accounting: unknown column title DB2 (CL.7)"]
    assert other[COUNTER]["db2_class_2"].count() == 0
