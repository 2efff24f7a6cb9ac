"""Lines that are recognised and give no table anything: told in unread_section, and none of them claimed in silence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from command_line import Command
from ironlake.pipeline.declaration.report import Report, Table, reports
from ironlake.pipeline.reading import engine, unread
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.reading.line_kinds import JUNK, grammars
from ironlake.pipeline.reading.pages import PAGE_NUMBER
from page_variants import every_of, turns
from reading_pages import report as workload_page
from sample_pages import (
    REAL_PAGES,
    Tables,
    by_source,
    document_files,
    options_of,
    plain,
    sample,
    sample_files,
    sample_tables,
)

UNREAD, REJECT = "unread_section", "parse_reject"
SERVED, OTHER_OPTIONS = (
    sample("g2_service_classes_being_served"),
    sample("service_policy_page_option_of_another_release"),
)
EVERY_REPORT = pytest.mark.parametrize("report", reports().values(), ids=lambda r: r.name)


def unread_of(tables: Tables) -> list[tuple[str, int, int]]:
    """(section, first line, lines) of each row."""
    return tables[UNREAD].select("section", "line", "lines").rows()


# --- Every kind of line is one of three ------------------------------------------------------------------------------


@EVERY_REPORT
def test_each_kind_of_line_is_read_or_a_title_or_named_as_not_read(report: Report) -> None:
    kinds = {kind for grammar in grammars(report) for kind in grammar.names}
    named = set(unread.sections(report))
    assert named <= kinds
    assert unread.headings(report) <= kinds
    assert unread.values(report) <= kinds
    assert kinds == named | unread.headings(report) | unread.values(report)
    assert set(unread.never_read(report)) == set(report.unread)


@EVERY_REPORT
def test_what_is_named_as_not_read_is_on_a_sample_and_told(report: Report) -> None:
    told = {
        section
        for path in (*sample_files(), *document_files())
        if path.parent.name == report.name
        for section in sample_tables(path)[UNREAD].filter(report=report.name)["section"]
    }
    assert set(report.unread) <= told


# --- Every number of a page -----------------------------------------------------------------------------------------


@dataclass
class Pages:
    """Pages as read; of the lines of their file those of reports that are read, and by what became of these."""

    tables: Tables
    seen: set[int] = field(default_factory=set)
    unread: set[int] = field(default_factory=set)
    told: set[int] = field(default_factory=set)
    titles: set[int] = field(default_factory=set)
    reports: set[str] = field(default_factory=set)


def read(path: Path, monkeypatch: pytest.MonkeyPatch, report: Report | None = None) -> Pages:
    """Pages of a file; `report`: a declaration to read them with in place of that of its name."""
    (pages,) = read_together([path], monkeypatch, report)
    return pages


def read_together(paths: Sequence[Path], monkeypatch: pytest.MonkeyPatch, report: Report | None = None) -> list[Pages]:
    """Pages of files of the same options."""
    found = [Pages({}) for _ in paths]

    def watched(builder, rejected: np.ndarray) -> np.ndarray:
        not_read = unread.unread_lines(builder, rejected)
        report_lines = builder.report_lines
        of_columns = {k for h in report_lines.report.layouts for k in h.run}
        titles = (of_columns | unread.headings(report_lines.report)) - unread.values(report_lines.report)
        is_title = report_lines.of_kind(tuple(titles - set(report_lines.grammar.page_lines)))
        is_told = rejected | builder.rejects.reported(report_lines) | (report_lines.kind == JUNK)
        for segment in np.unique(report_lines.segment):
            pages, mine = found[segment], report_lines.segment == segment
            pages.reports.add(report_lines.report.name)
            pages.seen |= set(report_lines.number[mine].tolist())
            pages.unread |= set(report_lines.number[mine & not_read].tolist())
            pages.told |= set(report_lines.number[mine & is_told].tolist())
            pages.titles |= set(report_lines.number[mine & is_title].tolist())
        return not_read

    options = options_of(paths[0])
    with monkeypatch.context() as patched:
        patched.setattr(engine, "unread_lines", watched)
        if report:
            known = reports() | {report.name: report}
            patched.setattr(engine, "reports", lambda: known)
        segments = [engine.canonical_segment(path.read_bytes(), path.name, options) for path in paths]
        parsed = engine.parse([replace(s, source_id=str(k)) for k, s in enumerate(segments)], options)
    for pages, tables in zip(found, by_source(parsed.tables, len(paths)), strict=True):
        pages.tables = tables
    return found


_NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*\.?\d*|\.\d+)([KMG]?)%?(?:ms)?(?![\w⁻])")
# Times and dates are values of their own kinds: tests/reading/test_values.py.
_CLOCK = re.compile(r"\d[-./:]\d+[-./:]\d|CINT +\d+\.\d\d")
_WORTH = {"": (1, 1e-3, 1e-6, 1e6), "K": (1e3, 1 << 10), "M": (1e6, 1 << 20), "G": (1e9, 1 << 30)}


def alike(number: float) -> str:
    return f"{abs(number):.6g}"


def known_numbers(tables: Tables) -> set[str]:
    """Every number in a table of a report, and every number and word in its texts."""
    out: set[str] = set()
    for name, report_lines in tables.items():
        if name in (REJECT, UNREAD, "unknown_report", "quality_result", "ingest_file"):
            continue
        for column in report_lines.drop("page", "line", strict=False).iter_columns():
            for value in map(plain, column.unique()):
                if isinstance(value, str):
                    out |= set(re.split(r"[ /]", value)) | {
                        alike(float(m[1].replace(",", ""))) for m in _NUMBER.finditer(value)
                    }
                elif value is not None:
                    out.add(alike(float(value)))
    return out


def unseen_numbers(path: Path, pages: Pages) -> Iterator[tuple[int, str]]:
    """(line, number) of numbers printed on lines that are said to be read, and that no table has."""
    known = known_numbers(pages.tables)
    parts = [p for name in pages.reports for p in reports()[name].unread_parts.values()]
    text = engine.canonical_segment(path.read_bytes(), path.name, options_of(path)).text.decode()
    for line, printed in enumerate(text.split("\n"), 1):
        if line not in pages.seen - pages.unread - pages.told - pages.titles:
            continue
        read_otherwise = PAGE_NUMBER.sub("", printed)
        for part in parts:
            read_otherwise = re.sub(part, lambda m: " " * len(m[0]), read_otherwise)
        for m in _NUMBER.finditer(read_otherwise):
            if _CLOCK.search(read_otherwise[max(m.start() - 8, 0) : m.end() + 8]):
                continue
            # A comma groups thousands, or stands before decimals.
            written = {m[1].replace(",", ""), *([m[1].replace(",", ".")] if re.fullmatch(r"\d+,\d+", m[1]) else [])}
            values = {alike(float(number) * worth) for number in written for worth in _WORTH[m[2]]}
            if not values & known and m[1] not in known:
                yield line, m[0]


# Below a title that no column is declared for: a reject at the heading tells it.
TOLD_ABOVE = {
    "xcf_shifted_unseen_title_and_overflow": [(19, "6")],
    "summary_unknown_title": [(9, ".0007"), (10, ".0011"), (11, ".0004"), (13, ".0009")],
    "list_form_of_a_site": [(9, "41"), (9, ".0100"), (10, "5")],
    "summary_form_of_a_site": [
        *((9, number) for number in ("1.2033", ".0902", "612", ".0002", "4")),
        *((10, number) for number in (".0411", ".0060", "2374")),
        *((11, number) for number in ("31.077", "7.7701", "1188", "87")),
    ],
    "cicspa_list__own_form_with_calls": [
        *((9, number) for number in ("4", ".8801", "6", ".7002", ".0000", ".0000", ".0019", ".0000", ".0037", "1")),
        *((10, number) for number in (".2107", "5", ".0011", ".0000", ".0000", ".0014", ".0000", ".0201", "1")),
        *((11, number) for number in (".1120", "4", ".0009", *[".0000"] * 4, ".0277", "1", "0")),
    ],
    "cicspa_summary__by_user_with_deviation": [
        *((10, number) for number in ("1.0160", "14", ".3127", ".0214", ".0702")),
        *((11, number) for number in ("2.0031", "11", "1.1102", ".0391", ".1114")),
        *((12, number) for number in ("6.4410", "38", "2.8840", ".2017", ".9021")),
    ],
    "chan_unknown_title": [(12, "12")],
    "ioq_unknown_title": [(11, "12.5"), (12, "12.5")],
}
# A published page that ends with its heading has no row for its channel subsystem.
NO_ROW = {"rmf_channel_path_activity__zos_v2r4_head": [(6, "2")]}


@every_of([*sample_files(), *REAL_PAGES], pages=5)
def test_every_number_of_a_page_is_in_a_table_or_told(
    paths: list[Path], nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _, some in groupby(turns(paths, nth, ""), options_of):
        of_options = list(some)
        for path, pages in zip(of_options, read_together(of_options, monkeypatch), strict=True):
            assert list(unseen_numbers(path, pages)) == (TOLD_ABOVE | NO_ROW).get(path.stem, []), path.stem


# --- Without its column, a value is not claimed ---------------------------------------------------------------------


def without(report: Report, *names: str) -> Report:
    """The report without these columns, and without rules, which may name them."""

    def rest(table: Table) -> Table:
        return replace(table, columns=tuple(c for c in table.columns if c.name not in names), rules=())

    return replace(report, tables=tuple(rest(table) for table in report.tables))


GOAL_COLUMNS = ("goal_type", "goal_s", "goal_pct", "velocity_io_management_pct", "velocity_init_management_pct")


@pytest.mark.parametrize(
    ("name", "columns", "text"),
    [
        # A free-form cell alone on its line, above the row, below it, on a line at the top of a page.
        ("g2_every_cell_differs", ("critical",), "CRITICAL     ="),
        ("service_policy_page_boost_five_systems", ("dynamic_alias_management",), "DYNAMIC ALIAS MANAGEMENT: YES"),
        ("simulator_run", ("page_elements",), "Page elements ="),
        ("jmh_run_with_profiler", ("run_time_s",), "# Run complete. Total time:"),
        # All that is read of a whole line.
        ("velocity_goal", GOAL_COLUMNS, "GOAL: "),
        # A cell of a block, below a title (told at the heading), behind a label.
        ("g2_every_cell_differs", ("transactions_per_s",), "END/S "),
        ("cpu_two_threads", ("parked_pct",), "---CPU---"),
        ("cics_dfh0stat_connection", ("db2_sysid",), "DB2 Sysid"),
    ],
)
def test_a_value_whose_column_is_gone_is_told(
    name: str, columns: tuple[str, ...], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample(name)
    line = next(k for k, printed in enumerate(path.read_text().splitlines(), 1) if text in printed)
    before = read(path, monkeypatch)
    assert line not in before.unread | before.told
    after = read(path, monkeypatch, without(reports()[path.parent.name], *columns))
    assert line in after.unread | after.told


def test_a_part_of_a_line_whose_column_is_gone_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is read otherwise; what looks for every printed number finds it."""
    path = sample("velocity_goal")
    report = without(reports()["rmf_workload_activity"], "velocity_init_management_pct")
    # GOAL: EXECUTION VELOCITY 50.0%     VELOCITY MIGRATION:   I/O MGMT  61.5%     INIT MGMT 60.2%
    assert list(unseen_numbers(path, read(path, monkeypatch, report))) == [(24, "60.2%")]


# --- Each kind of unread line ----------------------------------------------------------------------------------------


def test_parts_of_a_report_that_no_table_has_are_told() -> None:
    tables = read_text(SERVED.read_text() + OTHER_OPTIONS.read_text())
    # Read off the pages, which have 41 and 19 lines: line 12 of the second one.
    assert unread_of(tables) == [
        ("SERVICE CLASSES BEING SERVED", 26, 1),
        ("OTHER OPTIONS OF THE SERVICE DEFINITION", 53, 1),
    ]
    assert tables[UNREAD]["text"][0] == "CICSFAST IMSHI    IMSLOW"
    assert set(tables[UNREAD]["report"]) == {"rmf_workload_activity"}
    assert tables[UNREAD]["page"].to_list() == [1, 2]
    assert tables[REJECT].is_empty()


def test_an_option_that_has_no_column_is_told_and_the_coefficients_beside_it_are_read() -> None:
    tables = sample_tables(sample("service_policy_page_option_of_another_release"))
    (told,) = tables[UNREAD].to_dicts()
    assert (told["section"], told["page"], told["line"], told["lines"]) == (
        "OTHER OPTIONS OF THE SERVICE DEFINITION",
        1,
        12,
        1,
    )
    (policy,) = tables["rmf_service_policy"].to_dicts()
    # SPINNING WHEEL MANAGEMENT: NO    0.2     1.1     0.9  0.0003    1.0000  1.2500
    coefficients = [policy[f"coefficient_{name}"] for name in ("ioc", "cpu", "srb", "mso")]
    assert [*coefficients, policy["norm_factor_aap"], policy["norm_factor_iip"]] == [0.2, 1.1, 0.9, 0.0003, 1.0, 1.25]
    assert policy["service_definition_description"] == "Night and day of the north  x2"
    assert policy["policy_description"] == "Batch first, to 06.00"
    assert policy["installed_at_printed"] == "01/17/2022 11.18.40"
    options = ("discretionary_goal", "dynamic_alias", "io_priority")
    assert [policy[f"{name}_management"] for name in options] == ["NO", "YES", "NO"]


def test_a_goal_that_no_row_takes_is_told() -> None:
    """No system's line stands below the goal, and a row of goals is one of these."""
    assert unread_of(sample_tables(sample("os390_service_rates"))) == [("GOAL", 24, 1)]


def test_lines_between_others_are_one_row_a_run() -> None:
    # Three messages, four lines of progress and a message, then the summary of the run.
    assert unread_of(sample_tables(sample("simulator_run"))) == [("messages and progress", 1, 8)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cics_liberty_report_class", "DESCRIPTION  ="),  # a label with nothing behind it
        ("g2_blank_trailing_cells", "MS ENC"),  # a label of a block with a blank cell
        ("page_continues_with_class_line_repeated", "CRITICAL     =NONE"),  # printed again on the next page
        ("cics_entries_among_other_sections", "*TOTALS*"),  # a total that has no number
    ],
)
def test_a_line_that_says_nothing_or_nothing_new_is_claimed(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample(name)
    lines = {k for k, printed in enumerate(path.read_text().splitlines(), 1) if printed.strip() == text}
    assert lines
    pages = read(path, monkeypatch)
    assert not lines & (pages.unread | pages.told)


def test_the_same_text_of_another_class_is_not_taken_for_one_printed_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of the second class only its header lines are there: what they say is in no row."""
    first = workload_page(1)
    at = next(k for k, line in enumerate(first) if "REPORT CLASS=" in line)
    critical = " " * 53 + "CRITICAL     =NONE"
    first.insert(at + 1, critical)
    again = [first[at].replace("REPORT CLASS=", "REPORT CLASS=X"), critical]
    page = tmp_path / "page.txt"
    page.write_text("\n".join([*first, *again]) + "\n")
    assert read(page, monkeypatch).unread == {len(first) + 1, len(first) + 2}


# --- What people are told ------------------------------------------------------------------------------------------


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Two pages of 60 lines, 10 of them blank, with a section each that is not read."""
    (tmp_path / "pages").mkdir()
    out = tmp_path / "pages" / "two.txt"
    out.write_text(SERVED.read_text() + OTHER_OPTIONS.read_text())
    return out


def test_an_ingest_names_what_it_does_not_read(run: Command, tmp_path: Path, pages: Path) -> None:
    code, out, _ = run("ingest", pages, "--lake", tmp_path / "lake", "--strict")
    assert code == 0
    head, *_, last = out.splitlines()
    assert head.endswith("ingested (2 pages, 4 rows, 0 rejects, 2 lines not read)")
    sections = "SERVICE CLASSES BEING SERVED (1 line), OTHER OPTIONS OF THE SERVICE DEFINITION (1 line)"
    assert last == f"2 lines recognised but not read: {sections}; see ironlake rejects --lake {tmp_path / 'lake'}"
    for status in ("already_ingested", "ingested"):
        lake = tmp_path / ("lake" if status == "already_ingested" else "another")
        (file,) = json.loads(run("ingest", pages, "--lake", lake, "--format", "json")[1])["files"]
        assert (file["status"], file["lines"], file["unread_lines"], file["rejects"]) == (status, 60, 2, 0)


def test_rejects_name_sections_with_their_pages_and_lines(run: Command, tmp_path: Path, pages: Path) -> None:
    assert run("ingest", pages, SERVED, sample("junk_lines"), "--lake", tmp_path / "lake")[0] == 0
    _, out, _ = run("rejects", "--lake", tmp_path / "lake")
    told = "rmf_workload_activity: not read: SERVICE CLASSES BEING SERVED (2 lines on 2 pages, in 2 files)"
    assert told in out.splitlines()
    assert out.index("unexpected line") < out.index("not read: ")
    rows = json.loads(run("rejects", "--lake", tmp_path / "lake", "--format", "json")[1])
    kinds = [row["kind"] for row in rows]
    assert kinds == sorted(kinds, key=("reject", "unknown_report", "unread_section").index)
    served = next(row for row in rows if row["cause"] == "not read: SERVICE CLASSES BEING SERVED")
    assert (served["report"], served["times"], served["lines"], served["sources"]) == ("rmf_workload_activity", 2, 2, 2)
    assert run("rejects", "--lake", tmp_path / "lake", "--bug-report", tmp_path / "bug.md")[0] == 0
    assert "not read: " not in (tmp_path / "bug.md").read_text()
