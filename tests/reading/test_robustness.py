"""Damaged pages: every sample is cut, mixed with junk, robbed of cells and headings, and nothing wrong may look right.

A damaged page gives the rows of the whole page, some values NULL or rows missing; any other value needs a reject on its
line. Many variants of a page are read in one call, a segment each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ironlake.pipeline.declaration.layouts import Columns, Entries
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.reading.engine import canonical_segment
from ironlake.pipeline.reading.explain import explain
from page_variants import (
    Difference,
    Key,
    difference,
    every_of,
    line_ends,
    read_variants,
    turns,
    whole,
    with_variants,
    wrong_values,
)
from sample_pages import canonical, document_files, options_of, sample, sample_files, sample_tables

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


def cut(path: Path, places: Iterable[int]) -> list[tuple[int, str]]:
    text = path.read_text()
    return [(place, text[:place]) for place in places]


@every_of(PAGES, pages=4, nth=5)
def test_a_page_cut_at_a_line_end_gives_no_other_value(paths: list[Path], nth: int) -> None:
    at = {path: line_ends(path.read_text()) for path in paths}
    assert min(map(len, at.values())) >= 15
    pages = ((path, cut(path, turns(ends, nth, path.stem))) for path, ends in at.items())
    for path, before, variants in with_variants(pages, itemgetter(1)):
        cases = [(f"{path.stem} cut at {place}", wrong_values(before, after)) for (place, _), after in variants]
        assert not (failed := summary(cases)), failed


@every_of(PAGES, pages=4, nth=20)
def test_a_number_cut_in_half_is_a_reject(paths: list[Path], nth: int) -> None:
    """At every 97th character: a cell that the end of the file cuts may not pass for a smaller number."""
    pages, cases = [], []
    for path in paths:
        text = path.read_text()
        places = turns(sorted(set(range(0, len(text), 97)) - set(line_ends(text))), nth, path.stem)
        pages.append((path, cut(path, places)))
    for path, before, variants in with_variants(pages, itemgetter(1)):
        for (place, text), after in variants:
            last_line = text.count("\n") + 1
            wrong = [] if last_line in after.rejected_lines else wrong_values(before, after)
            cases.append((f"{path.stem} cut at {place} (line {last_line})", wrong))
    assert len(cases) > 15 * len(paths) / nth
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
SECTION = re.compile(
    r"^1? *\S \S \S|ADDRESS SPACE|^\S.* STATISTICS|^(Applid .*|System Status|FEPI|Storage .*)$|^  Region size "
)
PASSED_OVER = re.compile(r"^(JOURNAL MANAGER STATISTICS|System Status|FEPI)$|^  Region size ")
BENCHMARK = re.compile(r" (thrpt|avgt|sample|ss) +\S")
# Carriage control stands on every line of these files; a line without it would turn it into another kind of file.
WITHOUT_CONTROL = [p for p in GOOD_PAGES if "asa_carriage_control" not in p.stem]


def with_line(text: str, above: int, line: str) -> str:
    """`line` put above the line with that index."""
    lines = text.splitlines()
    return "\n".join([*lines[:above], line, *lines[above:]]) + "\n"


def strange_lines(path: Path) -> list[tuple[int, str, str]]:
    """(index of the line that it stands above, the line, the page with it)"""
    lines = path.read_text().splitlines()
    places = [(k, junk) for junk in (SIGNS, WORDS) for k in range(1, len(lines) + 1) if _is_told(lines, k, junk)]
    if path.parent.name == "jmh":
        # Of a log only the table is read.
        places = [(k, junk) for k, junk in places if k < len(lines) and BENCHMARK.search(lines[k])]
    if path.stem in EXCERPTS:
        # Above or within its heading a line takes its names away: it may be that of another block, or of another report.
        places = [(k, junk) for k, junk in places if sum(bool(line.strip()) for line in lines[:k]) > 1]
    assert len(places) > (5 if path.parent.name == "jmh" else 10)
    return [(k, junk, with_line(path.read_text(), k, junk)) for k, junk in places]


@every_of(WITHOUT_CONTROL, pages=4, nth=6)
def test_a_strange_line_is_one_reject_and_changes_nothing_else(paths: list[Path], nth: int) -> None:
    pages = ((path, turns(strange_lines(path), nth, path.stem)) for path in paths)
    for path, before, variants in with_variants(pages, itemgetter(2)):
        lines = path.read_text().splitlines()
        cases = []
        for (place, junk, _), after in variants:
            wrong = wrong_values(before, after, lambda line, at=place: line + (line > at))
            found = difference(before, after, lambda line, at=place: line + (line > at))
            new = len(after.rejects) + after.unknown - len(before.rejects) - before.unknown
            if not (new and _parts_titles_from_their_numbers(path, lines[place - 1])):
                wrong += [f"{key}: row lost" for key in found.missing] + [f"{at}: value lost" for at in found.lost]
                # Within the pages of another report the line is that report's, and counted there.
                if new != 1 and not _of_another_report(path, lines, place):
                    wrong.append(f"{new} rejects more")
            cases.append((f"{path.stem}: {junk!r} above line {place + 1} {lines[place - 1][:40]!r}", wrong))
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

# Columns of them: their cells are numbers, and no row is named by them.
NUMBERS = ("number", "count", "amount", "storage")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*[KMG]?%?")
# Without its number, the % behind it is taken for a label; without one of its rates a row has none; and a digit that touches what stands
# beside it is a part of that.
OTHERWISE = (
    *("statistics_equations_of_db2pm", "statistics_minutes_of_db2pm"),
    *("accounting_short_three_lines", "device_lcu_totals", "device_without_storage_groups"),
)
CELLS = [path for path in GOOD_PAGES if path.stem not in OTHERWISE]


@dataclass(frozen=True)
class Printed:
    """A number on a page: index of its line, columns [start, end), its text."""

    line: int
    start: int
    end: int
    text: str


@cache
def printed_numbers(path: Path) -> list[Printed]:
    """The cells of a page where reading found a number."""
    options, out = options_of(path), set()
    columns = {
        t.name: {c.name: c for c in t.columns if c.name not in t.key} for t in reports()[path.parent.name].tables
    }
    for page in explain(canonical_segment(path.read_bytes(), path.name, options), options):
        for line in page.lines:
            for cell in line.cells:
                column = columns[cell.table].get(cell.column)
                if column and column.type.reader in NUMBERS and NUMBER.fullmatch(cell.text) and cell.row_line:
                    start = line.text.index(cell.text, cell.first - 1)
                    out.add((line.number - 1, start, start + len(cell.text), cell.text))
    return [Printed(*one) for one in sorted(out)]


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


class Edit(NamedTuple):
    cell: Printed
    what: str
    text: str

    def named(self, path: Path) -> str:
        return f"{path.stem} line {self.cell.line + 1} column {self.cell.start + 1} {self.cell.text!r} {self.what}"


def edits(
    paths: Sequence[Path], nth: int, of_page: Callable[[str, list[Printed]], Iterable[Sequence[Edit]]]
) -> Iterable[tuple[Path, list[Edit]]]:
    """Every nth edit of each list of edits of each page; there are enough."""
    many = 0
    for path in paths:
        lists = list(of_page(canonical(path), printed_numbers(path)))
        many += sum(map(len, lists))
        yield path, [edit for k, some in enumerate(lists) for edit in turns(some, nth, f"{path.stem}{k}")]
    assert many > 10 * len(paths)


@every_of(CELLS, pages=6, nth=8)
def test_a_blanked_cell_is_null_and_nothing_else_changes(paths: list[Path], nth: int) -> None:
    def blanked(text: str, cells: list[Printed]) -> Iterable[Sequence[Edit]]:
        yield [Edit(cell, "blanked", edited(text, cell, "")) for cell in cells]

    for path, before, variants in with_variants(edits(paths, nth, blanked), itemgetter(2), canonical):
        cases = []
        nulls = 0
        for edit, after in variants:
            found = difference(before, after)
            wrong = [f"{k}: {c} is {new!r}, not {old!r}" for (k, c), (old, new) in found.changed.items()]
            rejected = edit.cell.line + 1 in after.rejected_lines
            touched = _values_touched(found)
            # A delay or state that is not printed has no row.
            nulls += len(touched) + len(found.missing) == 1
            if not rejected and len(touched) + len(found.missing) != 1:
                wrong.append(f"values lost: {sorted(map(str, touched))}, rows lost: {len(found.missing)}")
            cases.append((edit.named(path), wrong))
        assert not (failed := summary(cases)), failed
        # Rows of some tables are whole or a reject.
        report = reports()[path.parent.name]
        are_whole = any(t.filled_together or (t.spread and t.spread.filled is not None) for t in report.tables)
        if not are_whole and not any(
            isinstance(one, Entries) or (isinstance(one, Columns) and one.whole_rows) for one in report.layouts
        ):
            assert nulls >= len(cases) * 0.8, path.stem


@every_of(CELLS, pages=6, nth=10)
def test_another_digit_is_another_value_or_a_reject(paths: list[Path], nth: int) -> None:
    def other(text: str, cells: list[Printed]) -> Iterable[Sequence[Edit]]:
        turned = [(cell, re.sub(r"\d", lambda m: str(int(m.group()) % 9 + 1), cell.text, count=1)) for cell in cells]
        yield [Edit(cell, f"→ {new!r}", edited(text, cell, new)) for cell, new in turned]

    for path, before, variants in with_variants(edits(paths, nth, other), itemgetter(2), canonical):
        cases = []
        for edit, after in variants:
            found = difference(before, after)
            touched = _values_touched(found)
            wrong = []
            rejected = edit.cell.line + 1 in after.rejected_lines
            # What is printed once for a group is in all of its rows.
            columns = {column for _, column in touched}
            if not rejected and (len(columns) != 1 or found.lost or found.missing or found.extra):
                wrong.append(f"changed {sorted(map(str, touched))}, rows lost {len(found.missing)}")
            cases.append((edit.named(path), wrong))
        assert not (failed := summary(cases)), failed


@every_of(CELLS, pages=6, nth=12)
def test_a_cell_moved_by_a_column_is_the_same_value_or_a_reject(paths: list[Path], nth: int) -> None:
    def moved(text: str, cells: list[Printed]) -> Iterable[Sequence[Edit]]:
        lines = [line + "  " for line in text.splitlines()]
        for by in (-1, 1):
            yield [
                Edit(cell, f"moved by {by}", edited(text, cell, cell.text, cell.start + by))
                for cell in cells
                if _is_blank(lines[cell.line], cell.start - 1 if by < 0 else cell.end)
            ]

    for path, before, variants in with_variants(edits(paths, nth, moved), itemgetter(2), canonical):
        cases = []
        for edit, after in variants:
            if edit.cell.line + 1 in after.rejected_lines:
                continue
            wrong = wrong_values(before, after)
            wrong += [f"{at}: value lost in silence" for at in difference(before, after).lost]
            cases.append((edit.named(path), wrong))
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


def heading_lines(text: str) -> list[int]:
    return [k for k, line in enumerate(text.splitlines()) if HEADING.search(line)]


def without_each(path: Path, indexes: Iterable[int]) -> list[tuple[int, str]]:
    return [(index, without_line(path.read_text(), index)) for index in indexes]


@every_of(GOOD_PAGES, pages=5)
def test_a_lost_heading_puts_no_value_under_another_name_and_one_reject_says_what_it_costs(
    paths: list[Path], nth: int
) -> None:
    """What is said of a page does not depend on the pages read with it (test_the_same_damage_on_two_pages_is_said_for_both)."""
    pages = ((path, turns(without_each(path, heading_lines(path.read_text())), nth, path.stem)) for path in paths)
    for path, before, variants in with_variants(pages, itemgetter(1)):
        cases = []
        for (index, _), after in variants:

            def moved(line: int, at: int = index) -> int:
                return line - (line > at + 1)

            found = difference(before, after, moved)
            wrong = wrong_values(before, after, moved)
            # Without its heading an excerpt may be a page of no report.
            rejects = len(after.rejects) + after.unknown - len(before.rejects) - before.unknown
            if (found.lost or found.missing) and not rejects:
                wrong.append(f"{len(found.lost)} values and {len(found.missing)} rows lost in silence")
            if rejects > _most_rejects(path):
                wrong.append(f"{rejects} rejects")
            cases.append((f"{path.stem} without line {index + 1}", wrong))
        assert not (failed := summary(cases)), failed


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


def class_lines(path: Path) -> list[int]:
    lines = path.read_text().splitlines()
    return [k for k, line in enumerate(lines) if re.match(r"[ 0]*(REPORT BY: )?POLICY=", line)]


@every_of([path for path in GOOD_PAGES if class_lines(path)], pages=3)
def test_a_lost_class_line_gives_nothing_to_the_class_above(paths: list[Path], nth: int) -> None:
    names = ("service_class", "report_class", "period", "class_kind")
    pages = ((path, turns(without_each(path, class_lines(path)), nth, path.stem)) for path in paths)
    for path, before, variants in with_variants(pages, itemgetter(1)):
        lines, classes = path.read_text().splitlines(), class_lines(path)
        for (index, _), after in variants:
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
    paths = [*PAGES, *document_files()]
    samples = [sample_tables(p) for p in paths if p.parent.name == report.name]
    shared = {
        (column.name, column.doc)
        for path in paths
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
