"""Reports that are not read: each page is counted by its title, and never read as a report that it resembles."""

from __future__ import annotations

import pytest
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.reading.pages import spaced_words
from sample_pages import one, sample

UNKNOWN = "unknown_report"

LOCKOUT = """\
   LOCATION: BERLIN                      IBM Z OMEGAMON AI FOR DB2 (V6R1M0)                PAGE: 1-1
      GROUP: DBGPROD                                                                          REQUESTED FROM: NOT SPECIFIED
                                                   LOCKING REPORT - LOCKOUT                               TO: NOT SPECIFIED
                                                    ORDER: DATABASE-PAGESET                      ACTUAL FROM: 03/02/24 09:00:00.10
DB2 VERSION: V12                                          SCOPE: GROUP

DATABASE PAGESET   SUSPENDS
"""
BUFFER_POOLS = """\
   IBM Z OMEGAMON AI FOR DB2 (V6R1M0) - BUFFER POOL ACTIVITY REPORT    PAGE: 1-7
                             ORDER: BPID-QPAGESET
GROUP:     DBG1        LOCATION:       BERLIN              DB2 VERSION: V12
"""
# CPU and partition pages as a program prints them that took RMF's look: its heading is in mixed case.
LOOK_ALIKE = """\
                                  C P U  A C T I V I T Y

              z/OS V2R3                 System ID SYSA             Date 05/14/2024               Interval 14:59.998
                                        RMF Version 788            Time 11.00.00                 Cycle 1.000 Seconds
CPU        3906       CPC Capacity  1200       Sequence Code 00000000000A1B2C
  ---CPU---       ---------------- Time % ----------------     Log Proc          --I/O Interrupts--
Num    Type       Online      Lpar Busy    MVS Busy  Parked    Share %            Rate    % Via TPI
 0      CP        100.00          44.24       43.49    0.00     100.0             5.71         0.25
"""


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("   P A G I N G   A C T I V I T Y", "PAGING ACTIVITY"),
        ("C R Y P T O  H A R D W A R E  A C T I V I T Y  ", "CRYPTO HARDWARE ACTIVITY"),
        ("I/O   S E R V I C E   A C T I V I T Y", "I/O SERVICE ACTIVITY"),
        ("P  A  G  E   D  A  T  A  S  E  T", "PAGE DATASET"),
        # Copies that lost some of the blanks keep what can be told.
        ("D I R E C T A C C E S S   D E V I C E", "DIRECTACCESS DEVICE"),
        ("P A G I N G A C T I V I T Y", "PAGINGACTIVITY"),
    ],
)
def test_a_letter_spaced_title_is_named_by_its_words(printed: str, words: str) -> None:
    assert spaced_words(printed) == words
    page = f"{printed}\n\n  z/OS V2R4      SYSTEM ID SYSA      DATE 05/14/2024\n SOMETHING ELSE   12\n"
    assert one(read_text(page), UNKNOWN)["banner"] == words


@pytest.mark.parametrize("above", ["", "1"], ids=["no_control", "asa"])
@pytest.mark.parametrize(
    ("page", "title"), [(LOCKOUT, "LOCKING REPORT - LOCKOUT"), (BUFFER_POOLS, "BUFFER POOL ACTIVITY REPORT")]
)
def test_a_db2_page_is_named_by_its_title_whatever_line_has_it(page: str, title: str, above: str) -> None:
    lines = page.splitlines()
    text = "\n".join([above + lines[0], *(" " * len(above) + line for line in lines[1:])]) + "\n"
    row = one(read_text(text), UNKNOWN)
    assert (row["banner"], row["lines"]) == (title, len([line for line in lines if line]))


@pytest.mark.parametrize("title", ["SQL ACTIVITY TRACE - SUMMARY", "I/O ACTIVITY REPORT - EDM POOL", "AUDIT REPORT"])
@pytest.mark.parametrize("down", [1, 2, 3])
def test_titles_of_db2_reports_on_any_line_of_the_heading(title: str, down: int) -> None:
    lines = list[str](LOCKOUT.replace("LOCKING REPORT - LOCKOUT", " " * 24).splitlines())
    lines[down] = lines[down][:44].ljust(44) + title.ljust(44) + lines[down][88:]
    assert one(read_text("\n".join(lines) + "\n"), UNKNOWN)["banner"] == title


def test_another_db2_report_ends_the_one_before_it() -> None:
    """A page of buffer pools behind a statistics page is a page of its own, not lines of the one above."""
    statistics = sample("statistics_member_report").read_text()
    alone, both = read_text(statistics), read_text(statistics + BUFFER_POOLS)
    assert both["parse_reject"].height == alone["parse_reject"].height
    assert one(both, UNKNOWN)["banner"] == "BUFFER POOL ACTIVITY REPORT"


@pytest.mark.parametrize("margin", ["", "     "])
def test_a_look_alike_of_rmf_is_named_and_gives_no_value(margin: str) -> None:
    tables = read_text("".join(margin + line + "\n" for line in LOOK_ALIKE.splitlines()))
    assert one(tables, UNKNOWN)["banner"] == "CPU ACTIVITY (heading of another program, not RMF)"
    assert tables["parse_reject"].is_empty()
    assert "rmf_cpu_activity" not in tables


def test_a_look_alike_beside_pages_of_rmf_takes_nothing_from_them() -> None:
    ours = sample("cpu_two_threads").read_text()
    tables = read_text(ours + LOOK_ALIKE + ours)
    alone = read_text(ours)["rmf_cpu_activity"]
    assert tables["rmf_cpu_activity"].height == 2 * alone.height
    assert one(tables, UNKNOWN)["pages"] == 1


@pytest.mark.parametrize("lost", [0, 1], ids=["whole", "without its title"])
def test_a_look_alike_directly_below_a_page_is_a_page_of_its_own(lost: int) -> None:
    """Its title has five blanks between words, and no form feed is in front of it."""
    ours = sample("importance_summary").read_text()
    other = (
        "                         W O R K L O A D     A C T I V I T Y\n"
        "      z/OS V3R1           Sysplex PLEXJ          Date 10/05/2026        Interval 15:00.000   Mode = Goal\n"
        "                          RMF Version 311        Time 09.00.00\n"
        "Policy=POLDAY       Workload=STC          Service Class=STCHI        Resource Group=*None        Period=1\n"
        "SYSTEMS\n"
        "-ID-     SU/SEC    CAP%   --TIME--  INTERVAL\n"
        "SYSX     40000.0    100   09.00.00  00.15.00\n"
    )
    tables, alone = read_text(ours + "".join(other.splitlines(keepends=True)[lost:])), read_text(ours)
    assert tables["parse_reject"].is_empty()
    assert one(tables, UNKNOWN)["banner"].endswith("(heading of another program, not RMF)")
    for name in alone.keys() - {UNKNOWN, "ingest_file"}:
        assert tables[name].drop("source_id").equals(alone[name].drop("source_id")), name
