"""Damaged pages: every sample is cut, mixed with junk, robbed of cells and headings, and nothing wrong may look right.

A damaged page gives the rows of the whole page, some values NULL or rows missing; any other value needs a reject on its
line. Many variants of a page are read in one call, a segment each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ironlake.pipeline.declaration.layouts import Columns
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from page_variants import (
    Difference,
    Key,
    difference,
    every,
    every_of,
    line_ends,
    of_pages,
    read_variants,
    turns,
    whole,
    wrong_values,
)
from sample_pages import options_of, sample, sample_files, sample_tables
from sizes import some

PAGES = sample_files()
GOOD_PAGES = [p for p in PAGES if not p.with_suffix(".rejects.jsonl").exists()]


# --- Reading many variants and comparing each with the whole page -----------------------------------------------------


def summary(cases: Iterable[tuple[str, list[str]]]) -> str:
    """The first few cases that failed, for a message."""
    failed = [f"{name}: {'; '.join(wrong[:3])}" for name, wrong in cases if wrong]
    return "\n".join([f"{len(failed)} cases", *failed[:8]]) if failed else ""


# --- Cut pages ---------------------------------------------------------------------------------------------------------


# Samples of a block or two, as manuals print them, without the top of a page.
EXCERPTS = ("accounting_one_pool_excerpt", "excerpt_without_class_line")


@every_of(PAGES, pages=4, nth=5)
def test_a_page_cut_at_a_line_end_gives_no_other_value(path: Path, nth: int) -> None:
    text = path.read_text()
    assert len(line_ends(text)) >= 15
    places = turns(line_ends(text), nth, path.stem)
    before = whole(path)
    variants = read_variants([text[:p] for p in places], options_of(path))
    cases = [
        (f"cut at {place} (line {text.count(chr(10), 0, place) + 1})", wrong_values(before, after))
        for place, after in zip(places, variants, strict=True)
    ]
    assert not (failed := summary(cases)), failed


@every(90)
def test_a_number_cut_in_half_is_a_reject(nth: int) -> None:
    """Every 97th character of every page, or every ninetieth of these: a cell that the end of the file cuts may not pass for a
    smaller number."""
    cases = []
    for path in PAGES:
        text = path.read_text()
        places = turns(sorted(set(range(0, len(text), 97)) - set(line_ends(text))), nth, path.stem)
        variants = read_variants([text[:p] for p in places], options_of(path))
        for place, after in zip(places, variants, strict=True):
            last_line = text.count("\n", 0, place) + 1
            wrong = [] if last_line in after.rejected_lines else wrong_values(whole(path), after)
            cases.append((f"{path.stem} cut at {place} (line {last_line})", wrong))
    assert len(cases) > 3000 / nth
    assert not (failed := summary(cases)), failed


def test_a_page_cut_within_its_last_line_keeps_the_lines_above() -> None:
    path = sample("g2_service_and_report_classes")
    text = path.read_text()
    place = text.index("MS ENC")
    (after,) = read_variants([text[:place]], options_of(path))
    (row,) = after.rows.values()
    assert row["transactions_ended"] == 1940
    assert row["enclaves_multisystem_avg"] is None


# --- Junk lines ----------------------------------------------------------------------------------------------------------

SIGNS = " ??? ++ 12.5 ??? "
WORDS = "IEF404I PAYJOB01 - ENDED - TIME=08.41.07"
# Below these lines free text is legal (a description, the definition's text, names of served classes): words are read as such there.
FREE_TEXT_BELOW = re.compile(
    r"POLICY ?=|CRITICAL *=|DESCRIPTION *=|BEING SERVED|RESOURCE GROUPS|^ *(--NAME|#CPS|CLASS +CONS)"
)
# First lines of pages and sections, and of those that are passed over whatever they hold.
SECTION = re.compile(r"^1? *\S \S \S|ADDRESS SPACE|^\S.* STATISTICS|^(Applid .*|System Status|FEPI)$")
PASSED_OVER = re.compile(r"^(JOURNAL MANAGER STATISTICS|System Status|FEPI)$")
# Carriage control stands on every line of these files; a line without it would turn it into another kind of file.
WITHOUT_CONTROL = [p for p in GOOD_PAGES if "asa_carriage_control" not in p.stem]


def with_line(text: str, above: int, line: str) -> str:
    """`line` put above the line with that index."""
    lines = text.splitlines()
    return "\n".join([*lines[:above], line, *lines[above:]]) + "\n"


@every_of(WITHOUT_CONTROL, pages=4, nth=6)
def test_a_strange_line_is_one_reject_and_changes_nothing_else(path: Path, nth: int) -> None:
    text = path.read_text()
    lines = text.splitlines()
    before = whole(path)
    places = [(k, junk) for junk in (SIGNS, WORDS) for k in range(1, len(lines) + 1) if _is_told(lines, k, junk)]
    if path.stem in EXCERPTS:
        # Above or within its heading a line takes its names away: it may be that of another block, or of another report.
        places = [(k, junk) for k, junk in places if sum(bool(line.strip()) for line in lines[:k]) > 1]
    assert len(places) > 10
    places = turns(places, nth, path.stem)
    cases = []
    variants = read_variants([with_line(text, k, junk) for k, junk in places], options_of(path))
    for (place, junk), after in zip(places, variants, strict=True):
        wrong = wrong_values(before, after, lambda line, at=place: line + (line > at))
        found = difference(before, after, lambda line, at=place: line + (line > at))
        new = len(after.rejects) + after.unknown - len(before.rejects) - before.unknown
        if new and _parts_titles_from_their_numbers(path, lines[place - 1]):
            cases.append((f"{junk!r} below {lines[place - 1]}", wrong))
            continue
        wrong += [f"{key}: row lost" for key in found.missing] + [f"{at}: value lost" for at in found.lost]
        # Within the pages of another report the line is that report's, and counted there.
        if new != 1 and not _of_another_report(path, lines, place):
            wrong.append(f"{new} rejects more")
        cases.append((f"{junk!r} above line {place + 1} {lines[place - 1][:40]!r}", wrong))
    assert not (failed := summary(cases)), failed


def _parts_titles_from_their_numbers(path: Path, above: str) -> bool:
    """Where numbers must stand right below their titles, those behind a strange line may be another heading's: they are rejects."""
    layouts = reports()[path.parent.name].layouts
    return any(isinstance(one, Columns) and one.adjacent for one in layouts) and not re.search(r"\d", above)


def _is_told(lines: list[str], place: int, junk: str) -> bool:
    """Whether such a line at this place is no free text of the page."""
    section = next((line for line in reversed(lines[:place]) if SECTION.search(line)), "")
    return not PASSED_OVER.search(section) and (junk == SIGNS or not _free_text_above(lines, place))


def _free_text_above(lines: list[str], place: int) -> bool:
    above = next((line for line in reversed(lines[:place]) if line.strip()), "")
    served = next((line for line in reversed(lines[:place]) if re.search(r"BEING SERVED|REPORT BY", line)), "")
    resources = any(line.startswith("RESOURCE GROUPS") for line in lines[:place])
    return bool(FREE_TEXT_BELOW.search(above)) or "BEING SERVED" in served or resources


def _of_another_report(path: Path, lines: list[str], place: int) -> bool:
    title = next((line for line in reversed(lines[:place]) if re.match(r" *\S \S \S \S ", line)), "")
    return reports()[path.parent.name].banner not in title.replace(" ", "")


# --- Cells -----------------------------------------------------------------------------------------------------------------

# A number that stands alone; the bound of the last bucket (>) is no value of its own; a processor's number names its rows,
# and so do the time and length of an overview's line.
NUMBER = re.compile(
    r"(?<![^ ])(?<!>  )(?<!/\d\d )(?<!/\d\d \d\d\.\d\d\.\d\d )\d+(?:[.,]\d+)*[KMG%]?(?![^ ])(?! +(?:CP|IIP) )"
)
# Lines whose numbers are values of rows; headings, bars and texts are not.
VALUE_LINE = re.compile(
    r"^ *(?!CPU +\d{4} |Total number of log writes|Times at |\*TOTALS\* {20})(AVG|MPL|ENDED|END/S|#SWAPS|EXCTD|EXECUTD|REM ENC|MS ENC|STD DEV|IOC|CPU|MSO|SRB|TOT|/SEC|ABSRPTN|TRX SERV"
    r"|\*ALL|[A-Z@#][A-Z0-9]{2,3} +(--N/A|[\d.]+%? )|ACTUALS|<|>|\d +\d|TOTAL +\d|CICS +(BTE|EXE)|PRD\d|SYS[AB] |MVS[AB] "
    r"|[0-9A-F]{1,2} +(CP|IIP) |TOTAL/AVERAGE|(CP|IIP) +\d|[A-Z0-9]+ +A N +[D\d]|\*PHYSICAL| {30}[\d.]+ +[\d.]+$|\d\d/\d\d \d\d\."
    r"|\*TOTALS\* +\d|[A-Z$#@0-9]{7,8} +\d+[MBT]? +\d|[^ .:][^.:]*[. ]+:(?! (DB2CONN1|DSNG|DB3A)) "
    r"|(SYS[A-D]|DSNDB0A|SYSGRS)? +([SC] |[A-Z0-9$]+ +SYS[A-D]|DEFAULT|BIG|_XCFMGD)[A-Z0-9 _.]* [\d,]+ "
    r"|(SYS[CD]|CFB[13]) |([0-9.]+[KM]? +)?(ASYNC|CHNGD|SUPPR) |((LIST|LOCK) +)?[A-Z0-9_]+ +(ACTIVE|\d+K) |(SEC|PRIM) +A )"
)
# On pages of Db2: what ends in a number and has no colon, which heading lines have.
DB2_VALUE_LINE = re.compile(r"^[^:]*[A-Z)] +\d[\d.]*[KMG]?( |$)[^:]*$")
CELL_PAGES = (
    "g1_tso_two_periods",
    "g1_cics_response_breakdown",
    "os390_service_rates",
    "g2_every_cell_differs",
    "g2_blank_trailing_cells",
    "percentile_goal",
    "velocity_goal",
    "g3_every_cell_differs",
    "g3_stacked_blocks",
    "g3_two_systems_side_by_side_distributions",
    "importance_summary",
    "k_suffixes",
    "service_policy_page",
    "service_policy_page_boost_five_systems",
    "cpu_two_threads",
    "cpu_v2r1_two_threads",
    "partition_three_types",
    "overview_new_year_over_pages",
    "overview_titles_left_of_numbers",
    "cics_connection",
    "cics_entries_among_other_sections",
    "cics_uppercase_two_regions",
    "cics_dfh0stat_entries",
    "statistics_member_report",
    "statistics_trace_buffer_pools",
    "statistics_shifted_three_blocks",
    "xcf_usage_side_by_side",
    "xcf_paths_over_pages",
    "xcf_members",
    "accounting_long_report",
    "accounting_shifted_older_titles",
    "cf_structure_continued_page_and_links",
    "cf_shifted_columns",
    "cf_asynchronous_duplexing",
)
CELLS = pytest.mark.parametrize("name", some(CELL_PAGES, 3))


@dataclass(frozen=True)
class Printed:
    """A number on a page: index of its line, columns [start, end), its text."""

    line: int
    start: int
    end: int
    text: str


def printed_numbers(text: str) -> list[Printed]:
    out = []
    of_db2 = "DB2 VERSION:" in text
    value_line = DB2_VALUE_LINE if of_db2 else VALUE_LINE
    for k, line in enumerate(text.splitlines()):
        if value_line.match(line):
            out += [Printed(k, m.start(), m.end(), m.group()) for m in NUMBER.finditer(line)]
    # One blank in front of a digit is within a label: TOTAL CLASS 3.
    lines = text.splitlines()
    return [p for p in out if not of_db2 or lines[p.line][p.start - 2] == " "]


def edited(text: str, cell: Printed, new: str, start: int | None = None) -> str:
    """The page with a number replaced; `new` stands at `start`, blanks where the number stood."""
    lines = text.splitlines()
    line = lines[cell.line].ljust(cell.end + 1)
    bare = line[: cell.start] + " " * (cell.end - cell.start) + line[cell.end :]
    at = cell.start if start is None else start
    lines[cell.line] = (bare[:at] + new + bare[at + len(new) :]).rstrip()
    return "\n".join(lines) + "\n"


def _values_touched(found: Difference) -> set[tuple[Key, str]]:
    """Values that differ; a value, its resolution, whether it changed, and that a weight is no DED, counted once."""
    touched = {*found.lost, *found.changed}
    touched -= {(k, "dedicated") for k, c in touched if c == "weight"}
    beside = {(k, f"{c}{suffix}") for k, c in touched for suffix in ("_resolution", "_changed")}
    return touched - beside


@CELLS
@every(4)
def test_a_blanked_cell_is_null_and_nothing_else_changes(name: str, nth: int) -> None:
    path = sample(name)
    text, before = path.read_text(), whole(path)
    assert len(printed_numbers(text)) >= 8
    cells = turns(printed_numbers(text), nth, name)
    variants = read_variants([edited(text, c, "") for c in cells], options_of(path))
    cases = []
    nulls = 0
    for cell, after in zip(cells, variants, strict=True):
        found = difference(before, after)
        wrong = [f"{k}: {c} is {new!r}, not {old!r}" for (k, c), (old, new) in found.changed.items()]
        rejected = cell.line + 1 in after.rejected_lines
        touched = _values_touched(found)
        # A delay or state that is not printed has no row.
        nulls += len(touched) + len(found.missing) == 1
        if not rejected and len(touched) + len(found.missing) != 1:
            wrong.append(f"values lost: {sorted(map(str, touched))}, rows lost: {len(found.missing)}")
        cases.append((f"line {cell.line + 1} column {cell.start + 1} {cell.text!r} blanked", wrong))
    assert not (failed := summary(cases)), failed
    assert nulls >= len(cells) * 0.8


@CELLS
@every(10)
def test_another_digit_is_another_value_or_a_reject(name: str, nth: int) -> None:
    path = sample(name)
    text, before = path.read_text(), whole(path)
    cells = turns(printed_numbers(text), nth, f"{name} digit")
    changed = [re.sub(r"\d", lambda m: str(int(m.group()) % 9 + 1), c.text, count=1) for c in cells]
    variants = read_variants([edited(text, c, new) for c, new in zip(cells, changed, strict=True)], options_of(path))
    cases = []
    for cell, new, after in zip(cells, changed, variants, strict=True):
        found = difference(before, after)
        touched = _values_touched(found)
        rejected = cell.line + 1 in after.rejected_lines
        wrong = []
        if not rejected and (len(touched) != 1 or found.lost or found.missing or found.extra):
            wrong.append(f"changed {sorted(map(str, touched))}, rows lost {len(found.missing)}")
        cases.append((f"line {cell.line + 1} column {cell.start + 1} {cell.text!r} → {new!r}", wrong))
    assert not (failed := summary(cases)), failed


@CELLS
@every(12)
def test_a_cell_moved_by_a_column_is_the_same_value_or_a_reject(name: str, nth: int) -> None:
    path = sample(name)
    text, before = path.read_text(), whole(path)
    lines = [line + "  " for line in text.splitlines()]
    movable = {
        by: [c for c in printed_numbers(text) if _is_blank(lines[c.line], c.start - 1 if by < 0 else c.end)]
        for by in (-1, 1)
    }
    assert all(len(cells) >= 8 for cells in movable.values())
    moves = [(c, by) for by, cells in movable.items() for c in turns(cells, nth, f"{name} {by}")]
    variants = read_variants([edited(text, c, c.text, c.start + by) for c, by in moves], options_of(path))
    cases = []
    for (cell, by), after in zip(moves, variants, strict=True):
        if cell.line + 1 in after.rejected_lines:
            continue
        wrong = wrong_values(before, after)
        found = difference(before, after)
        wrong += [f"{at}: value lost in silence" for at in found.lost]
        cases.append((f"line {cell.line + 1} column {cell.start + 1} {cell.text!r} moved by {by}", wrong))
    assert not (failed := summary(cases)), failed


def _is_blank(line: str, column: int) -> bool:
    return 0 <= column < len(line) and line[column] == " "


# --- Lines that others depend on -------------------------------------------------------------------------------------------

HEADING = re.compile(
    r"-TRANSACTIONS-+ |-+SERVICE-+ +SERVICE TIME|RESPONSE TIME +EX |^SYSTEM .*VEL%|---RESPONSE TIME---  EX"
    r"|-+TIME-+ .*TRANS|HH\.MM\.SS\.[TF]+ +(CUM|BUCKETS|VEL)|PER IMPORTANCE|INDX +-NUMBER-|RESPONSE TIME BREAKDOWN"
    r"|^ *(SUB +P|TYPE )( [^0-9]*$)|---ID---|--NAME--|CLASS +CONSUMED|#CPS"
    r"| QUANTITY|AVERAGE +TOTAL|AV.EVENT|TOTAL$| EVENTS|^ *-{12,} +-{5,}"
    r"|^ +# REQ +-|^ +(SYSTEM +TOTAL|NAME +AVG/SEC) |^ +% OF +% OF|^ +STRUCTURE +(ALLOC|TOTAL )|^ +-+ (ASYNC DUPLEX|REQUESTS)|^ (PEER|CF) +(-|TYPE|ID)"
    r"| QUANTITY|^ *GROUP BP\d+ *$|AVERAGE +TOTAL|AV.EVENT|TOTAL$| EVENTS|^ *-{12,} +-{5,}"
    r"|---CPU---|NUM +TYPE|CPU TYPE +MODE|-+ PARTITION DATA -|---MSU---|^NAME +S"
    r"|^ DATE +TIME +INT|^ MM/DD +HH"
    r"|^ +(?i:DB2ENTRY +[A-Z]+ [^:]*$|NAME +(NAME|COUNT|LIMIT) )|^ +OVERFLOWS"
    r"|-- BUFFER --|^ *(TO|FROM|TRANSPORT) +(TRANSP|REQ|Y DEV)|^ *(SYSTEM|CLASS) +(CLASS|IN|REJECT|P STR)|^ *T FROM/TO|^GROUP +MEMB"
)


def without_line(text: str, index: int) -> str:
    lines = text.splitlines()
    return "\n".join(lines[:index] + lines[index + 1 :]) + "\n"


@dataclass(frozen=True)
class LostHeading:
    """A page read without one line of a heading: what is wrong on it, what is missing, and how many rejects say so."""

    name: str
    wrong: list[str]
    values_lost: int
    rows_lost: int
    rejects: int


def heading_lines(text: str) -> list[int]:
    return [k for k, line in enumerate(text.splitlines()) if HEADING.search(line)]


def lost_headings(path: Path) -> list[LostHeading]:
    text = path.read_text()
    lines = text.splitlines()
    before = whole(path)
    out = []
    indexes = heading_lines(text)
    # What is said of a page does not depend on the pages read with it (test_the_same_damage_on_two_pages_is_said_for_both).
    readings = read_variants([without_line(text, index) for index in indexes], options_of(path))
    for index, after in zip(indexes, readings, strict=True):

        def moved(line: int, at: int = index) -> int:
            return line - (line > at + 1)

        found = difference(before, after, moved)
        name = f"without line {index + 1} {lines[index].strip()[:50]!r}"
        wrong = wrong_values(before, after, moved)
        # Without its heading an excerpt may be a page of no report.
        rejects = len(after.rejects) + after.unknown - len(before.rejects) - before.unknown
        out.append(LostHeading(name, wrong, len(found.lost), len(found.missing), rejects))
    return out


@of_pages(GOOD_PAGES, 5)
def test_a_lost_heading_puts_no_value_under_another_name_and_one_reject_says_what_it_costs(path: Path) -> None:
    lost = lost_headings(path)
    assert not (failed := summary((h.name, h.wrong) for h in lost)), failed
    silent = [h for h in lost if not h.rejects and (h.values_lost or h.rows_lost)]
    assert not silent, silent
    many = [h for h in lost if h.rejects > _most_rejects(path)]
    assert not many, many


def _most_rejects(path: Path) -> int:
    """One; where a row on the next page takes its processor, system or user from this one, that page says what it lacks as
    well; and where a box stands among the rows, those above, in and below it are told each."""
    if path.stem == "accounting_short_report":
        return 3
    return 2 if path.stem in ("cpu_continued_page", "xcf_paths_over_pages", "xcf_usage_side_by_side") else 1


def test_the_same_damage_on_two_pages_is_said_for_both() -> None:
    """What is rejected on a page does not depend on the pages read with it."""
    text = sample("discretionary_and_system_goals").read_text()
    lines = text.splitlines()
    damaged = without_line(text, next(k for k, line in enumerate(lines) if "EXEC USING%" in line))
    first, second = read_variants([damaged, damaged], Options())
    assert first.rejects
    assert [r["what"] for r in second.rejects] == [r["what"] for r in first.rejects]
    assert second.rows == first.rows


def test_there_are_headings_to_lose() -> None:
    kinds = {
        m.group()[:12].strip() for p in PAGES for line in p.read_text().splitlines() if (m := HEADING.search(line))
    }
    assert len(kinds) >= 14
    assert sum(len(heading_lines(p.read_text())) for p in GOOD_PAGES) > 100


@of_pages(GOOD_PAGES, 3)
def test_a_lost_class_line_gives_nothing_to_the_class_above(path: Path) -> None:
    text = path.read_text()
    lines = text.splitlines()
    classes = [k for k, line in enumerate(lines) if re.match(r"[ 0]*(REPORT BY: )?POLICY=", line)]
    before = whole(path)
    variants = read_variants([without_line(text, k) for k in classes], options_of(path))
    names = ("service_class", "report_class", "period", "class_kind")
    for index, after in zip(classes, variants, strict=True):
        following = next((k for k in classes if k > index), len(lines))
        own = {key for key in before.rows if index < key[1] <= following}
        assert own, f"{path.stem}: no rows below line {index + 1}"
        for key, row in after.rows.items():
            line = key[1] + (key[1] > index)
            if index < line - 1 < following and key[0] not in ("rmf_service_policy", "rmf_service_policy_system"):
                same = before.rows.get((key[0], line, *key[2:]), {})
                named = {c: row[c] for c in names if row.get(c) is not None and row[c] != same.get(c)}
                assert not named, f"{path.stem} without line {index + 1}: {key} under {named}"
        if not _class_line_repeats(lines, classes, index):
            assert len(after.rejects) > len(before.rejects), f"{path.stem} without line {index + 1}: no reject"


def _class_line_repeats(lines: list[str], classes: list[int], index: int) -> bool:
    """Whether the class goes on from the page before: then its name is known without this line."""
    above = [k for k in classes if k < index]
    return bool(above) and lines[above[-1]] == lines[index]


# --- What the samples must cover ---------------------------------------------------------------------------------------------

# Columns that no page can fill, and why.
NEVER_PRINTED = {
    "system": "a page of one sysplex names no system beside its classes",
    "utc_offset_minutes": "given at ingest, never printed",
    "rmf_cpu_activity.sysplex": "a page of one system names no sysplex",
    "rmf_partition_data.sysplex": "a page of one system names no sysplex",
    "rmf_partition_head.sysplex": "a page of one system names no sysplex",
    "rmf_overview.sysplex": "a page of one system names no sysplex",
    "rmf_xcf_system.sysplex": "a page of one system names no sysplex",
    "rmf_xcf_path.sysplex": "a page of one system names no sysplex",
    "rmf_xcf_member.sysplex": "a page of one system names no sysplex",
    "rmf_multithreading.sysplex": "a page of one system names no sysplex",
    "rmf_workload_importance.report_class": "the summary stands below service classes",
    "rmf_workload_response_breakdown.scope": "the breakdown is of pages without a line a system",
}


@pytest.mark.parametrize("report", reports().values(), ids=lambda r: r.name)
def test_every_declared_column_is_filled_by_some_sample(report: Any) -> None:
    """By one of the report itself; what a declaration shares with other reports (the heading of all RMF pages), by one of any."""
    samples = [sample_tables(p) for p in PAGES if p.parent.name == report.name]
    shared = {
        (column.name, column.doc)
        for path in PAGES
        if path.parent.name != report.name
        for name, frame in sample_tables(path).items()
        for table in reports()[path.parent.name].tables
        if table.name == name
        for column in table.columns
        if frame[column.name].null_count() < frame.height
    }
    empty = []
    for table in report.tables:
        for column in table.all_columns:
            frames = [tables[table.name] for tables in samples if table.name in tables]
            name = f"{table.name}.{column.name}"
            if (column.name, column.doc) in shared:
                continue
            if not {column.name, name} & NEVER_PRINTED.keys() and not any(
                f[column.name].null_count() < f.height for f in frames
            ):
                empty.append(name)
    assert empty == []


def test_many_variants_at_once_are_read_like_one_at_a_time() -> None:
    paths = [sample("g3_stacked_blocks"), sample("truncated_page"), sample("service_policy_page_tenants")]
    together = read_variants([p.read_text() for p in paths], Options())
    assert [r.rows for r in together] == [whole(p).rows for p in paths]
