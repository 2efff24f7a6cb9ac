"""Damage of one kind at every place of a page: nothing that is stored wrongly stays untold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from damage import Damaged, Page
from damage_oracle import Case, Sweep, describe, is_silent
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample


@cache
def _sweep(*names: str) -> Sweep:
    return Sweep([sample(name) for name in names])


def untold(kind: str, name: str, damage: list[Damaged], page: Page, other: str = "") -> list[str]:
    """What is wrong in silence on these forms of a page; `other`: the page that is mixed with it."""
    sweep = _sweep(*dict.fromkeys((name, other or name)))
    cases = [Case(kind, sample(name), sample(other or name), 1, page, damaged) for damaged in damage]
    assert cases
    # Marks are of pages as printed: these stand for themselves.
    return [describe(case, fault) for case, faults in sweep.unmarked(cases) for fault in faults if is_silent(fault)]


def page_of(name: str, other: str = "") -> Page:
    sweep = _sweep(*dict.fromkeys((name, other or name)))
    return Page(sweep.lines(sample(name)), sweep.lines(sample(other or name)))


def cut_at_every_column(page: Page, pattern: str) -> Iterator[Damaged]:
    """The first lines with the pattern, each cut at every column."""
    for at in [at for at, line in enumerate(page.lines) if re.search(pattern, line)][:4]:
        line = page.lines[at]
        first = len(line) - len(line.lstrip()) + 1
        yield from (page.with_line(at, line[:end], f"cut at column {end}") for end in range(first, len(line)))


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("cache_bypass_and_offline", "^(CONFIGURED|AVAILABLE|PINNED|OFFLINE) "),
        ("partition_three_types", r"\d\d\.\d\d\.\d\d\.\d{3}"),
        ("partition_boost_and_changed_values", "IMAGE CAPACITY|AVAILABLE"),
    ],
)
def test_a_line_that_is_cut_stores_nothing_shorter(name: str, pattern: str) -> None:
    """A size without its K, a time of one unit, a value that lost the asterisk behind it."""
    page = page_of(name)
    assert untold("line_cut", name, [*cut_at_every_column(page, pattern)], page) == []


@pytest.mark.parametrize(
    "name",
    ["accounting_short_report", "accounting_trace", "statistics_trace_buffer_pools", "cf_shifted_columns", "xcf_usage_side_by_side"],
)  # fmt: skip
def test_a_total_that_a_machine_read_wrongly_is_no_name(name: str) -> None:
    """T0TAL is no system, and its row no other than a total."""
    page = page_of(name)
    damage = [
        page.with_line(at, line[: m.start()] + word + line[m.end() :], word)
        for at, line in enumerate(page.lines)
        for m in re.finditer(r"(?<![A-Z])TOTAL(?![A-Z])", line)
        for word in ("T0TAL", "TOTA1", "T0TA1", "TOTAI")
    ]
    assert untold("letter_read_as_a_digit_alike", name, damage, page) == []


def test_the_dashes_of_a_title_may_be_parted() -> None:
    """The group of a state is the dashed title over it, with a blank among the dashes as without."""
    name = "g1_cics_report_class"
    page = page_of(name)
    damage = [
        page.with_line(at, line[:k] + " " + line[k + 1 :], f"column {k + 1} blank")
        for at, line in enumerate(page.lines)
        if "-RESPONSE TIME" in line or "-WAITING FOR-" in line
        for k, c in enumerate(line)
        if c == "-"
    ]
    assert untold("title_changed", name, damage, page) == []


def test_a_number_of_links_has_a_type() -> None:
    name = "cf_processors_and_subchannels"
    page = page_of(name)
    rows = [at for at, line in enumerate(page.lines) if re.search(r" CHANGED +\d|^ {30,}UNSUCC +\d", line)]
    blank = [(at, k) for at in rows for k in range(20, 40) if not page.lines[at][max(k - 1, 0) : k + 4].strip()]
    damage = [
        page.with_line(at, page.lines[at][:k] + "552" + page.lines[at][k + 3 :], f"552 at {k + 1}") for at, k in blank
    ]
    assert untold("cell_below_another_title", name, damage, page) == []


def test_a_row_behind_the_last_of_a_control_unit_has_lost_its_name() -> None:
    name = "ioq_all_parts"
    page = page_of(name)
    named = [at for at, line in enumerate(page.lines) if re.match(r" [0-9A-F]{4} +[0-9A-F]{4} ", line)]
    lines = page.numbered()
    damage = [Damaged(lines[:at] + lines[at + 1 :], f"line {at + 1} lost") for at in named]
    assert untold("line_lost", name, damage, page) == []


def test_a_half_of_xcf_has_its_own_titles() -> None:
    """The table of one half below the line of another: whose its rows are is unknown."""
    name = "xcf_usage_halves_below_each_other"
    page = page_of(name)
    halves = [at for at, line in enumerate(page.lines) if re.match(" +(OUTBOUND|INBOUND|LOCAL) ", line)]
    titles = [at for at, line in enumerate(page.lines) if re.match("(TO|FROM|TRANSPORT) ", line)]
    lines = page.numbered()
    damage = [
        Damaged(lines[: half + 2] + lines[title:], f"lines {half + 3}-{title} lost")
        for half in halves
        for title in titles
        if title > half + 5
    ]
    assert len(damage) >= 3
    assert untold("lines_lost", name, damage, page) == []


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("cf_usage_summary", "cf_structures_asa_carriage_control"),
        ("cpu_two_threads", "cpu_changed_within_duration"),
        ("partition_three_types", "partition_changed_within_duration"),
        ("device_synchronous_io", "cpu_two_threads"),
    ],
)
def test_rows_below_two_headings_are_of_neither(name: str, other: str) -> None:
    page = page_of(name, other)
    heading = [at for at, line in enumerate(page.other) if re.search("PAGE +[0-9]|RPT VERSION|CONVERTED TO", line)]
    below = next(at for at, line in enumerate(page.lines) if re.search("RPT VERSION|CONVERTED TO", line)) + 1
    lines, others = page.numbered(), page.numbered_other()[min(heading) : max(heading[:2]) + 1]
    damage = [Damaged(lines[:below] + others + lines[below:], "a second heading")]
    assert untold("lines_of_another_page_inside", name, damage, page, other) == []


OF_PAGE = {
    "11/03/25 09:00": "11/03/25 09:00",
    "11/03/25 09:15": "11/03/25 09:15",
    "MEMBER:         N/A": "MEMBER:        DBP1",
}


@pytest.mark.parametrize(
    ("printed", "is_of_page"),
    [
        (OF_PAGE, True),
        ({**OF_PAGE, "11/03/25 09:00": "11/03/25 09:05"}, True),
        ({"11/03/25 09:00": "10/06/25 10:00", "11/03/25 09:15": "10/06/25 10:15"}, False),
        ({"11/03/25 09:00": "11/03/25 09:15", "11/03/25 09:15": "11/03/25 09:30"}, False),
        ({"11/03/25 09:00": "11/03/25 08:45", "11/03/25 09:15": "11/03/25 09:00"}, False),
        ({"MEMBER:         N/A": "MEMBER:        DBP2"}, False),
    ],
)
def test_highlights_of_another_interval_or_member_are_of_another_page(
    printed: dict[str, str], is_of_page: bool
) -> None:
    """Counters below HIGHLIGHTS of 9:15 to 9:30, on a page of 9:00 to 9:15, have none of its names; one reject tells, over several pages."""
    text = sample("statistics_member_report").read_text()
    heading, rule, below = text.partition("---- HIGHLIGHTS")
    highlights, titles, rows = below.partition("SQL DML")
    for old, new in printed.items():
        assert old in highlights
        highlights = highlights.replace(old, new)
    page = heading + rule + highlights + titles + rows
    second = page.replace("PAGE: 1-1", "PAGE: 1-2").replace(rule + highlights, "")
    tables = read_text(page + second)
    counters = tables["db2_statistics_counter"]
    names = {name: set(counters[name]) for name in ("location", "member", "subsystem", "begin_at", "end_at")}
    assert all((values == {None}) is not is_of_page for values in names.values()), names
    told = [what for what in tables["parse_reject"]["what"] if "HIGHLIGHTS name another" in what]
    assert len(told) == (not is_of_page)


def test_highlights_of_another_layout_are_of_another_page() -> None:
    """Those of a long report below those of a short one, of the same interval."""
    name, other = "statistics_short_of_whom", "statistics_subsystem_and_log"
    page = page_of(name, other)
    damage = [Damaged(page.numbered() + page.numbered_other()[lost:], f"without {lost} lines") for lost in range(1, 6)]
    assert untold("second_page_without_its_top", name, damage, page, other) == []


def test_highlights_do_not_hold_over_a_page_of_another_report() -> None:
    """A log within a page takes lines of it away: those that name the next member may be among them."""
    name, other = "statistics_short_of_a_group", "jmh_wide_columns_and_two_runs"
    page = page_of(name, other)
    log = page.numbered_other()[:3]
    lines = page.numbered()
    damage = [Damaged(lines[:at] + log + lines[at:], f"a log at {at}") for at in range(12, len(lines), 3)]
    assert untold("lines_of_another_page_inside", name, damage, page, other) == []


def test_a_label_of_a_storage_area_stands_once_below_its_titles() -> None:
    """Rows of the areas above 16 MB that lost their titles are not of those below; one reject a table tells."""
    name = "cics_region"
    page = page_of(name)
    titles = next(at for at, line in enumerate(page.lines) if re.match(" +ECDSA +EUDSA", line))
    lines = page.numbered()
    damage = [Damaged(lines[:titles] + lines[titles + lost :], f"{lost} lines lost") for lost in range(1, 6)]
    assert untold("lines_lost", name, damage, page) == []
    told = read_text(damage[-1].text)["parse_reject"]["what"]
    assert sum("comes again on the page" in what for what in told) == 2


@pytest.mark.parametrize("lost", [1, 2])
def test_a_unit_that_lost_its_end_is_none(lost: int) -> None:
    text = sample("jmh_decimal_commas").read_text()
    cut = re.sub(r"(?m)(us|ms|ns)/op *$", lambda m: m[0].rstrip()[:-lost], text)
    assert cut != text
    tables = read_text(cut)
    whole = read_text(text)["jmh_result"]
    assert tables["jmh_result"]["score"].to_list() == whole["score"].to_list()
    for unit, before in zip(tables["jmh_result"]["unit"], whole["unit"], strict=True):
        assert unit == (None if before.endswith("/op") else before)
    assert any("unit: " in what for what in tables["parse_reject"]["what"])
