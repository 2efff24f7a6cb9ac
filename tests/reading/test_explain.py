"""`ironlake explain`: what each line of a page is, which column each title became, and why a value is NULL, read off the samples by
eye; and for every sample, that it tells what reading gave."""

from __future__ import annotations

import gzip
import io
import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.reading.engine import canonical_segment
from ironlake.pipeline.reading.explain import ExplainedLine, ExplainedPage, explain
from page_variants import every_of, turns
from sample_pages import OPTIONS, plain, sample, sample_files, sample_tables

SHIFTED = """\
                                 R M F   O V E R V I E W   R E P O R T
                                                                                   PAGE  001
          z/OS V2R5               SYSTEM ID SYSR             START 02/09/2024-06.00.00  INTERVAL 00.15.00
                            RPT VERSION V2R5 RMF       END   02/09/2024-23.00.00  CYCLE 1.000 SECONDS

NUMBER OF INTERVALS 2             TOTAL LENGTH OF INTERVALS 00.30.00

DATE    TIME     INT  CPUBUSY   IORATE
MM/DD HH.MM.SS HH.MM.SS
02/09 06.15.00 00.15.00   41.2    812.7
02/09 06.30.00 00.15.00   38.9    790.4
"""


def pages_of(path: Path, text: bytes | None = None) -> list[ExplainedPage]:
    options = OPTIONS.get(path.stem, Options())
    return list(explain(canonical_segment(text or path.read_bytes(), path.name, options), options))


def line_of(name: str, number: int) -> ExplainedLine:
    (line,) = [line for page in pages_of(sample(name)) for line in page.lines if line.number == number]
    return line


# --- What is told, read off the pages by eye --------------------------------------------------------------------------


def test_a_page_says_whose_it_is_and_why():
    (page,) = pages_of(sample("cpu_junk_and_overflow"))
    assert (page.page, page.report, page.why) == (1, "rmf_cpu_activity", "its title C P U A C T I V I T Y on line 1")
    text = sample("cpu_junk_and_overflow").read_bytes().split(b"\n", 1)[1]
    (page,) = pages_of(sample("cpu_junk_and_overflow"), text)
    assert page.report == "rmf_cpu_activity"
    assert page.why.startswith("no title, but it has lines that begin this report's sections")
    other = pages_of(sample("not_our_report"))[1]
    assert (other.page, other.report) == (2, "")
    assert "'PAGING ACTIVITY'" in other.why


def test_a_cell_that_overflowed():
    line = line_of("cpu_junk_and_overflow", 12)
    assert (line.kind, line.heading_line) == ("CPU_ROW", 10)
    (cell,) = [cell for cell in line.cells if cell.column == "lpar_busy_pct"]
    assert (cell.text, cell.value, cell.row_line) == ("*****", None, 12)
    assert cell.first <= 24 <= 28 <= cell.last
    assert "did not fit its field" in cell.why_null
    (row,) = line.rows
    assert row.table == "rmf_cpu_activity"
    assert row.values["mvs_busy_pct"] == 59.43
    assert "overflow" in row.nulls["lpar_busy_pct"]
    assert "SYSTEM_LINE (line 3)" in row.nulls["sysplex"]


def test_a_line_that_has_no_place():
    line = line_of("cpu_junk_and_overflow", 14)
    (reject,) = line.rejects
    assert (line.kind, line.status, line.cells, line.rows) == ("", "rejected", [], [])
    assert reject.what == "rmf_cpu_activity: unexpected line"
    assert {"CPU_ROW", "TOTAL_ROW"} <= set(reject.expected.split(", "))


def test_a_heading_says_what_its_titles_became_and_which_nothing_claims():
    (heading,) = line_of("xcf_shifted_unseen_title_and_overflow", 18).headings
    assert (heading.first_line, heading.last_line, heading.rows) == (14, 18, ("PATH_ROW",))
    columns = {column.title: column for column in heading.columns}
    assert columns["REQ OUT"].becomes == ("rmf_xcf_path.requests_out",)
    # The 9,114 below it stands in columns 45 to 49.
    assert columns["REQ OUT"].first <= 45
    assert 49 <= columns["REQ OUT"].last < columns["AVG Q LNGTH"].first + 1
    assert columns["SIGNALS"].becomes == ()
    assert columns["SIGNALS"].note.startswith("unclaimed")
    assert heading.unclaimed == ("SIGNALS",)


def test_a_block_says_its_labels_and_of_which_row_its_cells_are():
    (heading,) = line_of("overflowed_cell", 14).headings
    (group,) = [column for column in heading.columns if column.title == "SERVICE TIME"]
    assert {"CPU", "SRB", "RCT"} <= set(group.note.removeprefix("labels: ").split(", "))
    cells = {cell.column: cell for cell in line_of("overflowed_cell", 16).cells}
    assert (cells["cpu_service"].text, cells["cpu_service"].value) == ("21971K", 21971000)
    assert cells["srb_time_s"].value is None
    assert {cell.row_line for cell in cells.values()} == {14}


def test_a_heading_whose_titles_were_moved():
    page = next(explain(canonical_segment(SHIFTED.encode(), "page", Options()), Options()))
    (heading,) = next(line for line in page.lines if line.number == 9).headings
    assert heading.shift == 2
    assert [column.title for column in heading.columns][-2:] == ["CPUBUSY", "IORATE"]
    cells = next(line for line in page.lines if line.number == 10).cells
    assert [(cell.text, cell.value) for cell in cells] == [("41.2", 41.2), ("812.7", 812.7)]
    assert line_of("overview_new_year_over_pages", 9).headings[0].shift == 0


def test_a_section_that_goes_on_over_a_page_break_names_the_line_it_began_on():
    lines = [line for page in pages_of(sample("page_continues_without_class_line")) for line in page.lines]
    (row,) = [line for line in lines if any(r.values.get("actual_s") == 3.258122 for r in line.rows)]
    begins = next(line for line in lines if "SERVICE CLASS=STCLO" in line.text)
    assert (row.section, row.section_line) == (begins.kind, begins.number)


# --- For every sample -------------------------------------------------------------------------------------------------


@every_of(sample_files(), pages=5)
def test_what_is_told_is_what_was_read(paths: list[Path], nth: int):
    """Every line is told once, with the rows that reading gave; every value that a row has not has a reason."""
    for path in turns(paths, nth, ""):
        assert_told_as_read(path)


def assert_told_as_read(path: Path) -> None:
    tables = sample_tables(path)
    pages = pages_of(path)
    lines = [line for page in pages for line in page.lines]
    printed = path.read_bytes().count(b"\n")
    assert len({line.number for line in lines}) == len(lines) <= printed + 1
    known = {t.name: t for r in reports().values() for t in r.tables}
    told = [(row.table, line.number, row) for line in lines for row in line.rows]
    read = []
    for name in known.keys() & tables.keys():
        columns = [column.name for column in known[name].columns]
        for row in tables[name].iter_rows(named=True):
            read.append((name, row["line"], {k: plain(row[k]) for k in columns if row[k] is not None}))
    given = [(name, at, {k: plain(v) for k, v in row.values.items()}) for name, at, row in told]
    assert sorted(map(repr, given)) == sorted(map(repr, read))
    for name, _, row in told:
        columns = {column.name for column in known[name].columns}
        assert row.values.keys() | row.nulls.keys() >= {c for c in columns if "resolution" not in c}
        assert all(row.nulls.values())
    for line in lines:
        for cell in line.cells:
            assert (cell.value is None) == bool(cell.why_null), cell
            assert cell.text in line.text
    assert sum(len(line.rejects) for line in lines) == tables["parse_reject"].height


# --- The command ------------------------------------------------------------------------------------------------------


def test_one_line_is_told_with_its_heading_alone(run: Command):
    code, out, _ = run("explain", sample("cpu_junk_and_overflow"), "--line", 12)
    assert code == 0
    numbered = [line.split()[0] for line in out.splitlines() if line[:6].strip().isdigit()]
    assert numbered == ["10", "12"]
    assert "rmf_cpu_activity.lpar_busy_pct = NULL: lpar_busy_pct: the value did not fit its field" in out


def test_json_of_compressed_standard_input(run: Command, monkeypatch: pytest.MonkeyPatch):
    path = sample("page_continues_without_class_line")
    packed = io.TextIOWrapper(io.BytesIO(gzip.compress(path.read_bytes())))
    monkeypatch.setattr(sys, "stdin", packed)
    code, out, _ = run("explain", "-", "--format", "json", "--page", 2)
    assert code == 0
    (page,) = json.loads(out)
    expected = json.loads(json.dumps(asdict(pages_of(path)[1]), default=str))
    assert page == {"file": "-"} | expected


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--page", "3"], 2, "there is no page 3"),
        (["--line", "4000"], 2, "there is no line 4000"),
        (["--line", "8"], 2, "or it is blank"),
        (["--line", "0"], 2, "--line"),
    ],
)
def test_a_place_that_is_not_there(run: Command, arguments: list[str], code: int, told: str):
    found, _, errors = run("explain", sample("cpu_junk_and_overflow"), *arguments)
    assert found == code
    assert told in errors


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("missing", None, "does not exist"),
        ("empty", b"", "is empty"),
        ("program", b"\x7fELF\x02\x01\x01" + bytes(2000), "program"),
        ("letter", b"Dear all,\nplease find no report here.\n", "no page of a report that Ironlake reads"),
    ],
)
def test_what_is_no_report_is_an_error_that_says_what_to_do(
    run: Command, tmp_path: Path, name: str, data: bytes | None, told: str
):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    code, _, errors = run("explain", tmp_path / name)
    assert code == 1
    assert told in errors
    assert "hint:" in errors
