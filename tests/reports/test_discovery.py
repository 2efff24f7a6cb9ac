"""Every report has a grammar, a declaration and samples, and they agree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import copy
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest
from ironlake.pipeline.declaration.bookkeeping import TABLES as BOOKKEEPING
from ironlake.pipeline.declaration.places import Occurrence
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import Report, Table, reports
from ironlake.pipeline.declaration.study_tables import COMPUTED
from ironlake.pipeline.declaration.study_tables import TABLES as STUDIES
from ironlake.pipeline.reading.check_report import (
    declaration_problems,
    problems_on_samples,
    table_problems,
)
from ironlake.pipeline.reading.engine import canonical_segment
from ironlake.pipeline.reading.line_kinds import load
from ironlake.pipeline.sql.known_tables import tables
from lark import Lark, Token
from lark.exceptions import UnexpectedToken

ROOT = Path(__file__).parents[2]
EVERY_REPORT = pytest.mark.parametrize("report", reports().values(), ids=lambda r: r.name)

# Folders of sample_reports/ that hold no pairs of one report: what the demo and its studies are made from.
NO_PAIRS = {"demo", "models", "studies"}


def names_of(folder: str, suffix: str) -> set[str]:
    return {p.name.removesuffix(suffix) for p in (ROOT / folder).glob(f"*{suffix}")}


def sample_paths(report: Report) -> list[Path]:
    return sorted((ROOT / "sample_reports" / report.name).glob("*.txt"))


@cache
def sample_lines(report: str) -> list[list[str]]:
    """Lines that are not blank, carriage control removed, of each sample of a report and of the demo."""
    out = []
    for path in (*sample_paths(reports()[report]), *sorted((ROOT / "sample_reports" / "demo").glob("*.txt"))):
        segment = canonical_segment(path.read_bytes(), path.name, Options())
        out.append([line for line in segment.text.decode().split("\n") if line.strip()])
    return out


# --- Three sets of names, and what is in them -----------------------------------------------------------------------


def test_grammars_parsers_and_samples_are_of_the_same_reports():
    parsers = {n for n in names_of("parsers", ".py") if not n.startswith("_")}
    grammars = names_of("grammars", ".lark") - {"common"}
    samples = {p.name for p in (ROOT / "sample_reports").iterdir() if p.is_dir() and not p.name.startswith("_")}
    of_xml = {report.xml_grammar for report in reports().values() if report.xml_grammar}
    assert parsers == grammars - of_xml == samples - NO_PAIRS == set(reports())
    assert {name: report.name for name, report in reports().items()} == {name: name for name in parsers}


@EVERY_REPORT
def test_a_report_has_samples(report: Report):
    assert sample_paths(report)
    assert [p.name for p in sample_paths(report) if not p.with_suffix(".expected.jsonl").exists()] == []


def test_no_two_reports_share_a_banner_or_a_table():
    banners = [r.banner or (r.page_top, r.title) for r in reports().values() if r.banner or r.page_top]
    declared = [t.name for r in reports().values() for t in r.tables]
    assert len(set(banners)) == len(banners)
    assert sorted(tables()) == sorted({*declared, *(t.name for t in (*STUDIES, *COMPUTED, *BOOKKEEPING))})
    assert len(set(declared)) == len(declared)


@EVERY_REPORT
def test_a_declaration_agrees_with_its_grammar_and_its_samples(report: Report):
    lines = [line for sample in sample_lines(report.name) for line in sample]
    assert [*declaration_problems(report), *problems_on_samples(report, lines)] == []


@pytest.mark.parametrize("table", tables().values(), ids=lambda t: t.name)
def test_a_table_says_what_a_row_is_and_a_column_what_it_means(table: Table):
    # That of files has no other key than their name.
    assert [sentence for word, sentence in table_problems(table) if word != "ingest_file"] == []


def test_a_key_that_holds_a_rounded_value_numbers_equal_ones():
    """Different values may be printed with the same digits: then a whole page would seem to repeat its rows."""
    whole = pa.types.is_integer, pa.types.is_string, pa.types.is_dictionary, pa.types.is_timestamp, pa.types.is_boolean
    rounded = {
        (table.name, name): any(
            isinstance(place, Occurrence) and name in place.of
            for key in table.key
            for place in table.column(key).places
        )
        for table in tables().values()
        for name in table.key
        if not any(is_kind(table.column(name).type.arrow) for is_kind in whole)
    }
    assert rounded == {("rmf_response_time_distribution", "upper_bound_s"): True}


# --- Lines that two terminals claim ---------------------------------------------------------------------------------

# A comment of the grammar: kinds that one sample line may be in the same parser state, the one taken, the one left, and why
# the one taken is the right one on every such line. A new pair is looked at before it is written there.
_REVIEWED = re.compile(r"^// (?P<taken>[A-Z0-9_]+), not (?P<left>[A-Z0-9_]+): (?P<why>\S.+)$", re.MULTILINE)


def reviewed_pairs(report: Report) -> dict[tuple[str, str], str]:
    text = (ROOT / "grammars" / f"{report.name}.lark").read_text()
    return {(m["taken"], m["left"]): m["why"] for m in _REVIEWED.finditer(text)}


@cache
def lark_of(name: str) -> Lark:
    return Lark.open(str(ROOT / "grammars" / f"{name}.lark"), parser="lalr", maybe_placeholders=False)


def taken_and_left(report: Report, lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """(kind taken, another kind that the parser would have accepted there, the line), for all lines of a page file."""
    lark = lark_of(report.name)
    terminals = sorted(lark.terminals, key=lambda t: (-t.priority, t.name))
    patterns = {t.name: re.compile(t.pattern.to_regexp()) for t in terminals}
    parser = lark.parse_interactive("")
    begins = set(parser.choices())

    def accepts(kind: str) -> bool:
        try:
            copy(parser).feed_token(Token(kind, ""))
        except UnexpectedToken:
            return False
        return True

    for line in lines:
        kinds = [name for name, pattern in patterns.items() if pattern.fullmatch(line)]
        if any(kind in load(report.name).sections for kind in kinds):
            parser = lark.parse_interactive("")
        accepted = [kind for kind in kinds if kind in parser.choices() and accepts(kind)]
        if not accepted and begins.intersection(kinds):
            parser = lark.parse_interactive("")
            accepted = [kind for kind in kinds if kind in begins]
        if accepted:
            parser.feed_token(Token(accepted[0], ""))
            yield from ((accepted[0], other, line) for other in accepted[1:])


@pytest.mark.slow
@EVERY_REPORT
def test_lines_that_two_terminals_claim_are_reviewed(report: Report):
    found: dict[tuple[str, str], str] = {}
    for lines in sample_lines(report.name):
        for taken, left, line in taken_and_left(report, lines):
            found.setdefault((taken, left), line)
    reviewed = reviewed_pairs(report)
    assert {pair: line for pair, line in found.items() if pair not in reviewed} == {}
    assert set(reviewed) - set(found) == set(), "reviewed, and no sample has such a line any more"
