"""Anonymised pages have the same numbers in the same places, and one replacement for each name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ironlake.parsers._unread_reports import WORDS
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.reading.engine import canonical_segment
from ironlake.pipeline.share.anonymize import CHOSEN, Anonymizer, _own_words, _words
from ironlake.pipeline.sql.known_tables import tables
from names_on_pages import names_on
from page_variants import every_of
from sample_pages import NOT_PRINTED, SHARED, Tables, read_sample, sample, sample_files, sample_tables
from sizes import some

PAGES = sample_files()


def told_apart(found: Tables) -> dict[str, list[dict[str, Any]]]:
    """Rows without texts, by table in the order of the page."""
    out = {}
    for name, frame in found.items():
        columns = {c.name for c in tables()[name].all_columns if c.type.name == "text"} | {*NOT_PRINTED}
        out[name] = frame.drop(columns, strict=False).to_dicts()
    return out


@every_of(PAGES, 24)
def test_a_page_without_names_reads_as_before(paths: list[Path], nth: int) -> None:
    names: set[str] = set()
    for path in paths[::nth]:
        text = path.read_text()
        names |= names_on(sample_tables(path))
        other = Anonymizer(seed=1).pages(text)
        assert [len(line) for line in other.splitlines()] == [len(line) for line in text.splitlines()], path.stem
        assert told_apart(read_sample(path, other)) == told_apart(sample_tables(path)), path.stem
        assert not names_on(sample_tables(path)) & set(_words(other)), path.stem
    assert len(names) > 50


def test_a_name_has_the_same_replacement_in_all_texts() -> None:
    anonymizer = Anonymizer()
    first = anonymizer.text("PAYROLL1 SYSX ORDERS payroll1 DSNPAY_GBP0").split()
    second = anonymizer.text("WORKLOAD=ORDERS (SYSX) DSNPAY_LOCK1")
    assert first[0] == first[3].upper() != "PAYROLL1"
    assert len({*first[:3]}) == 3
    assert second == f"WORKLOAD={first[2]} ({first[1]}) {first[4].replace('GBP0', 'LOCK1')}"


@pytest.mark.parametrize(
    ("page", "names", "columns", "stays"),
    [
        pytest.param(
            "velocity_goal",
            {"BATPROD ": "SYSTEM  ", "BATCHWL": "BATCH  "},
            {"service_class": "SYSTEM", "workload": "BATCH"},
            ["SERVICE CLASS=", "SERVICE CLASS PERIODS", "WORKLOAD="],
            id="a class called SYSTEM",
        ),
        pytest.param(
            "cf_usage_summary",
            {"DSNQ1_LOCK1": "LOCK1      "},
            {"structure_name": "LOCK1"},
            [" LOCK   ", "_GBP0 ", "_GBP32K "],
            id="a structure called LOCK1",
        ),
    ],
)
def test_a_word_of_a_report_is_replaced_where_a_name_is_read(
    page: str, names: dict[str, str], columns: dict[str, str], stays: list[str]
) -> None:
    text = sample(page).read_text()
    for name, word in names.items():
        assert name in text
        text = text.replace(name, word)
    before, other = read_sample(sample(page), text), Anonymizer(seed=1).pages(text)
    after = read_sample(sample(page), other)
    assert told_apart(after) == told_apart(before)
    for column, word in columns.items():
        pairs = {
            pair
            for name, frame in before.items()
            if column in frame.columns
            for pair in zip(frame[column], after[name][column], strict=True)
        }
        assert [new for old, new in pairs if old == word] != [], column
        assert len({new for old, new in pairs if old == word}) == 1
        assert word not in {new for _, new in pairs}
    for words in stays:
        assert other.count(words) == text.count(words), words


def test_a_name_that_a_page_says_twice_is_replaced_in_both_places() -> None:
    """The reader takes the system from the heading; the lines above the halves of the table name it again. SYSB is on the samples."""
    text = sample("xcf_usage_halves_below_each_other").read_text()
    assert "OUTBOUND FROM SYSB" in text
    assert "SYSB" in _own_words()
    assert "SYSB" not in set(_words(Anonymizer(seed=1).pages(text)))


def test_the_name_behind_a_replacement_cannot_be_found_by_trying() -> None:
    assert len({Anonymizer().text("PAYROLL1") for _ in range(5)}) > 1


def test_numbers_times_and_signs_are_kept_and_words_that_no_report_prints_replaced() -> None:
    signs = "10.15.00|4876K|001.02.03.456|12.345.678|3.5E3|V2R5|JAN|*****|-----|N/A|<= 00.10|0A|BP32K"
    for kept in signs.split("|"):
        assert Anonymizer().text(f"CPU  {kept}  TOTAL") == f"CPU  {kept}  TOTAL"
    names = "10.1.20.30 ::FFFF:10.20.30.140 00000000000A1B2C PAY$#@01 müller SYS9 ZZ 4E3F db2a.pay.example Straße oﬃce"
    for name in names.split():
        other = Anonymizer().text(f"CPU {name} CPU")
        assert len(other) == len(f"CPU {name} CPU")
        assert name not in other


CARDS = """\
                                      C R Y P T O  H A R D W A R E  A C T I V I T Y

            z/OS V2R4                SYSTEM ID PAYS             DATE 04/26/2023            INTERVAL 15.00.000
                                     RPT VERSION V2R4 RMF       TIME 09.00.00              CYCLE 1.000 SECONDS
-------- CRYPTOGRAPHIC CCA COPROCESSOR ----
           -------- TOTAL --------  KEY-GEN
TYPE   ID   RATE  EXEC TIME  UTIL%    RATE
SLOW    0   18.2    0.206    38.8     0.25
PAYAPPL FORMAT ORDERS
"""
LOCKOUT = """\
   LOCATION: PAYROLL                     IBM Z OMEGAMON AI FOR DB2 (V6R1M0)                PAGE: 1-1
      GROUP: PAYGRP                                                                           REQUESTED FROM: NOT SPECIFIED
     MEMBER: V10                                   LOCKING REPORT - LOCKOUT                               TO: NOT SPECIFIED
                                                    ORDER: DATABASE-PAGESET                      ACTUAL FROM: 05/15/23 12:15:00.21
DB2 VERSION: V10                                          SCOPE: GROUP
PRIMAUTH                  --- LOCK RESOURCE ---     SUSPENDED   HOLDER
PLANNAME     DATABASE     PAGESET                   WAITERS     WAITER
PAYUSER      PAYDB        ORDERS                    12          3
"""


def unchanged(page: str, other: str) -> list[int]:
    """Numbers of the lines that both have, from 1."""
    return [k for k, (a, b) in enumerate(zip(page.splitlines(), other.splitlines(), strict=True), 1) if a == b]


def test_titles_and_headings_of_unread_reports_are_kept() -> None:
    other = Anonymizer(seed=1).pages(CARDS)
    # The line of the system and the two rows differ.
    assert unchanged(CARDS, other) == [1, 2, 4, 5, 6, 7]
    assert not {"PAYS", "SLOW", "PAYAPPL", "ORDERS"} & set(_words(other))
    assert "z/OS V2R4" in other


def test_a_db2_report_that_is_not_read_keeps_its_title_its_headings_and_the_version() -> None:
    other = Anonymizer(seed=1).pages(LOCKOUT)
    assert unchanged(LOCKOUT, other) == [4, 5, 6, 7]
    assert "LOCKING REPORT - LOCKOUT" in other
    assert "MEMBER: V10" not in other
    assert not {"PAYROLL", "PAYGRP", "PAYUSER", "PAYDB", "ORDERS"} & set(_words(other))


def test_a_page_without_a_title_keeps_no_more_than_others() -> None:
    text = "\n".join(CARDS.splitlines()[4:]) + "\n"
    assert "COPROCESSOR" not in Anonymizer(seed=1).pages(text)


@pytest.mark.parametrize("first", ["read", "not_read"])
def test_a_name_on_a_page_that_is_read_is_one_on_all_pages(first: str) -> None:
    """A site may call a class as a heading is called."""
    page = sample("g2_every_cell_differs")
    name = max(names_on(sample_tables(page)), key=len)
    word = min(w for w in WORDS - _own_words() if len(w) == len(name))
    read, other_report = page.read_text().replace(name, word), f"{LOCKOUT}{word}  SUSPENDED\n"
    assert word in names_on(read_sample(page, read))
    assert word in set(_words(Anonymizer(seed=1).pages(other_report)))
    other = Anonymizer(seed=1).pages(read + other_report if first == "read" else other_report + read)
    assert word not in set(_words(other))
    assert "SUSPENDED" in set(_words(other))


RELEASES_AND_STATES = """DB2 VERSION: V10
DB2 VERSION: V12R1M507
z/OS V1R12
RPT VERSION V2R4 RMF
BOOST TYPE=Speed        BOOST CLASS=Recovery
BOOST TYPE=zIIP         BOOST CLASS=Shutdown
BOOST TYPE=NONE         BOOST CLASS=IPL
BOOST TYPE=SPEED
H/W MODEL  L06
ID TYPE   G  SPEED SHR"""


def test_releases_and_states_are_kept_and_what_looks_like_one_elsewhere_is_replaced() -> None:
    for kept in RELEASES_AND_STATES.splitlines():
        assert Anonymizer().text(f"  {kept}  ") == f"  {kept}  "
    names = "V10|SPEED|L06|JOB1|STC12PAY|TSU4711|VERSION V10PAY|BOOST TYPE=PAYPLEX|VERSION: PAY10"
    for name in names.split("|"):
        assert name not in Anonymizer().text(f"JOBNAME {name} 12")


# Lines of published pages, counted from 1, that hold no name: titles and headings.
HEADINGS = {
    "real_reports_2/db2_bpa__cf_cache_structure_statistics_v61": [1, 2, 8, 9, 10],
    "real_reports_2/db2_locking__lockout_header_v61": [3, 4, 5],
    "real_reports_2/rmf_crypto__zos_v2r2": [1, 4, 5, 6, 7, 14, 15, 16, 28, 29, 30],
    "real_reports_2/rmf_group_capacity__zos_v1r12": [1, 4, 6, 7],
    "real_reports_2/rmf_ioq__zos_v2r2_amg": [1, 4, 6, 8, 9, 10, 11],
    "real_reports/db2_io_activity__page_with_asa_excerpt": [5, 6, 7, 8],
    "real_reports/rmf_channel_path_activity__zos_v2r4_head": [1, 2, 4, 6, 8, 10],
}
NAMES = {"DBE1", "SE11", "PMODBE1", "SYDNEY", "DSHGRPXX", "S35", "GROUP1", "SYS1", "SYS2", "TA0", "RS22ODS5", "ODS5"}
NAMES |= {"OCA5", "CB88"}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published pages are not beside the project")
@pytest.mark.parametrize("name", HEADINGS, ids=lambda name: name.split("/")[1])
def test_published_pages_of_other_reports_keep_titles_and_headings_and_no_name(name: str) -> None:
    page = canonical_segment((SHARED / f"{name}.txt").read_bytes(), name, Options())
    text = page.text.decode()
    other = Anonymizer(seed=3).pages(text, page.control)
    assert [k for k in HEADINGS[name] if k not in unchanged(text, other)] == []
    assert NAMES & set(_words(text))
    assert not NAMES & set(_words(other))


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="published pages are no part of the project")
def test_published_pages_without_names_read_as_before() -> None:
    for path in sorted((SHARED / "real_reports").rglob("*.txt")):
        if path.stem.endswith("lock_structure_excerpt"):
            continue  # a label runs into its number there: CONT212 might be a name
        text = path.read_text(errors="replace")
        before, after = read_sample(path, text), read_sample(path, Anonymizer(seed=2).pages(text))
        assert told_apart(after) == told_apart(before), path.name


@pytest.mark.parametrize("seed", some(range(40), 5))
def test_a_replacement_is_never_another_name_of_the_page(seed: int) -> None:
    """Of three letters that may be digits of hexadecimal numbers there are few: drawn alone, one is often another name."""
    names = {"ABC", "DAD", "FED", "CAB", "BAD", "FAD", "DAB", "BED", "FAB", "CAD"}
    page = "\n".join(f"SYSPLEX {name}" for name in sorted(names))
    words = set(Anonymizer(seed).pages(page).split())
    assert len(words) == 11
    assert not names & words


# What IBM's programs print, numbers of hardware, and times: no column of names that a site chooses.
NOT_CHOSEN = """
account_records adapter_id adapter_port address_space_cpu_so_far address_space_srb_so_far algorithm alias_group authtype block boost
boost_class boost_type cache_fast_write caching capacity_unit capping_definition cf_model cf_type change_reason channel_path_id
channel_path_type channel_subsystem cics_release command_authtype connect_time connection_error connection_status connection_time conntype
control_unit counter cpc_model cpc_type critical db2_release db2_version deadlock_resolution delay_group device_number device_type direction
disabled_action disconnect_time dispatch_interval dispatcher_start distance dsa dynamic dynamic_dispatch encrypted extent_pool hardware_model
hiperdispatch honor_priority iml_device importance_printed installed_at_printed io_priority_group io_processor io_processor_ids iodf is_open job_id
label_path lcu link_1_type link_2_type link_3_type link_4_type manufacturer measure measurement_mode memlimit_set_by memory_limit mode model
nonterminal_syncpoint null_reason nvs_status operation_mode opt overview_column path_type phase physical_channel_id plan_exit_concurrency
plant pool_account_records pool_authtype pool_thread_priority pool_thread_wait printed_at processor_id processor_type purge_cycle
quantity_unit reason receiver_type record_time reentrant_programs release report_version resync_group_member sender_type speed ssid
standby_mode start_code state state_group status status_change stopped_at_printed storage_protection structure_type system_time tcb_mode
tcb_pool thread_priority thread_wait transaction_isolation unit wait_completion
"""


def test_of_every_text_it_is_said_whether_sites_choose_it():
    """A name on a sample page is no word of the report: else the page of a site that has the same name would keep it."""
    texts = {
        column.name
        for report in reports().values()
        for table in report.tables
        for column in table.columns
        if column.type.reader == "text" and not column.allowed
    }
    assert texts - CHOSEN - set(NOT_CHOSEN.split()) == set(), "add it to one of them"
    assert set(NOT_CHOSEN.split()) - texts == set()
    assert texts >= CHOSEN


def test_volumes_of_the_samples_are_names_as_all_others():
    """A site may call its volumes as the samples do."""
    for name, told in (
        ("cache_bypass_and_offline", ("DBL001", "0000000LK417")),
        ("device_lcu_totals", ("DBL001", "SGDB2L")),
    ):
        text = sample(name).read_text()
        changed = Anonymizer(seed=1).pages(text)
        assert [word for word in told if word in text and word not in changed] == list(told), name


def test_names_that_a_job_log_spells_are_replaced_as_elsewhere() -> None:
    page = (
        "                        J E S 2  J O B  L O G  --  S Y S T E M  Z Q V 7  --  N O D E  Q X 9 R T\n"
        "SYSTEM ZQV7 NODE QX9RT\n"
    )
    first, second = Anonymizer(1).pages(page).splitlines()
    system, node = second.split()[1::2]
    assert (system, node) != ("ZQV7", "QX9RT")
    before = "                        J E S 2  J O B  L O G  --  S Y S T E M  "
    assert first == f"{before}{' '.join(system)}  --  N O D E  {' '.join(node)}"
