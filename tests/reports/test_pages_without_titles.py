"""A page that lost its title belongs to its own report or to none, never to another, whatever is left of it."""

from __future__ import annotations

import random
from itertools import groupby
from pathlib import Path

from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.reading.engine import canonical_segment, parse, read_text
from page_variants import every_of, turns
from sample_pages import SHARED, options_of, sample, sample_files

REPORT_OF_TABLE = {table.name: report.name for report in reports().values() for table in report.tables}
REAL = sorted(
    p
    for folder in ("real_reports", "real_reports_2")
    for p in (SHARED / folder).glob("*__*.txt")
    if not p.name.startswith("smf2db")
)


def own_report(path: Path) -> str:
    named = path.name.split("__")[0] if path in REAL else path.parent.name
    return {"rmf_ioq": "rmf_io_queuing"}.get(named, named)


def pieces_of(path: Path) -> list[str]:
    """The page without its first lines, and lines out of its middle."""
    lines = path.read_text("utf-8", errors="replace").splitlines(keepends=True)
    pieces = ["".join(lines[k:]) for k in range(1, len(lines)) if lines[k].strip()]
    lines = [line for line in lines if line.strip()]
    chance = random.Random(path.stem)
    for _ in range(12):
        start = chance.randrange(len(lines))
        pieces.append("".join(lines[start : start + chance.randint(1, 12)]))
    return pieces


@every_of([*sample_files(), *REAL], pages=5, nth=4)
def test_a_page_without_its_top_and_lines_out_of_the_middle_are_no_other_report(paths: list[Path], nth: int) -> None:
    """As their rows and rejects say."""
    for (report, options), pages in groupby(paths, lambda path: (own_report(path), options_of(path))):
        pieces = [piece for path in pages for piece in turns(pieces_of(path), nth, path.stem)]
        segments = [canonical_segment(piece.encode(), f"{report} {k}", options) for k, piece in enumerate(pieces)]
        tables = parse(segments, options).tables
        taken = {
            REPORT_OF_TABLE[name]: table["source_file"] for name, table in tables.items() if name in REPORT_OF_TABLE
        }
        if "parse_reject" in tables:
            taken |= {row["report"]: row["source_file"] for row in tables["parse_reject"].to_pylist()}
        assert taken.keys() <= {report}, {other: of for other, of in taken.items() if other != report}


def test_distributions_of_two_systems_without_a_title_are_read() -> None:
    """Titles CUM TOTAL and IN BUCKET are no block of Db2 Accounting: no dashes stand below them."""
    tables = read_text(sample("g2_velocity_page_top_lost").read_text())
    assert tables["rmf_response_time_distribution"].height == 28
    assert "db2_accounting_counter" not in tables
    assert tables["parse_reject"].is_empty()


def test_titles_of_a_block_without_dashes_below_are_of_no_report() -> None:
    text = "GETPAGES PER POOL        TOTAL\nSOME WORDS                  12\n"
    assert read_text(text)["unknown_report"]["lines"].to_list() == [2]


def test_a_block_that_two_reports_print_is_of_none() -> None:
    """VALUE stands over texts in blocks of packages (Accounting) and of trace records (Statistics)."""
    text = (
        "RECORDS OF TRACES           VALUE\n--------------------  -----------\nSMF                           ACTIVE\n"
    )
    tables = read_text(text)
    assert tables["parse_reject"].is_empty()
    assert tables["unknown_report"]["lines"].to_list() == [3]


def test_processor_times_of_an_address_space_are_of_statistics() -> None:
    """CPU TIMES and TOTAL TIME hold words of Accounting's titles."""
    lines = sample("statistics_shifted_three_blocks").read_text().splitlines(keepends=True)
    (first,) = [k for k, line in enumerate(lines) if "CPU TIMES" in line]
    tables = read_text("".join(lines[first:]))
    (row,) = tables["db2_statistics_counter"].to_dicts()
    assert (row["tcb_time_s"], row["cp_cpu_time_s"], row["per_commit"]) == (0.403656, 0.631679, 0.019142)
