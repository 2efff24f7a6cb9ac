"""What names, priorities and rules of a grammar mean (grammars/common.lark), held for every report."""

import re
from functools import cache

import pytest
from ironlake.pipeline.declaration.report import Report, reports
from ironlake.pipeline.reading import unread
from ironlake.pipeline.reading.line_kinds import grammars, load
from lark import Lark
from sample_pages import ROOT

EVERY_REPORT = pytest.mark.parametrize("report", reports().values(), ids=lambda r: r.name)

# Cells that do not stand on rows, as common.lark has it: the line of a goal's heading that has the values of MVS/ESA.
NO_ROWS = {"ACTUALS", "DSA_FIRST", "STAT_FIRST"}
# Lines below a heading of which nothing is taken, and that say only what stands below them.
SAY_NOTHING = {"OPERATIONS_TEXT"}

# Read off published pages: what begins a section, and what stands at the top of a page (without the title).
SECTIONS = {
    "rmf_workload_activity": {"TITLE", "CLASS_LINE", "POLICY_RULE"},
    "rmf_overview": {"TITLE", "OVERVIEW_HEAD"},
    "db2_accounting": {
        *("LOCATION_LINE", "KEY_LINE", "IDENTIFICATION_RULE", "TITLES", "CHART_TITLES", "CAPTION"),
        *("ENTRY_TITLES", "TRACE_TITLES"),
    },
    "jmh": {"RESULT_HEAD"},
    "workload_simulator": {"RUN_TIME"},
}
PAGE_LINES = {
    "rmf_workload_activity": {"PAGE_NO", "SYSTEM_LINE", "VERSION_LINE", "ACTIVATION", "SECTION_RULE"},
    "rmf_overview": {"PAGE_NO", "SYSTEM_LINE", "VERSION_LINE", "INTERVALS_LINE"},
    "db2_accounting": {
        *("LOCATION_LINE", "GROUP_LINE", "MEMBER_LINE", "SUBSYSTEM_LINE", "DB2_LINE"),
        *("KEY_LINE", "IDENTIFICATION_RULE"),
        *("THREAD_LINE", "REQUESTER_LINE", "MAINPACK_LINE", "PRIMAUTH_LINE", "ORIGAUTH_LINE"),
    },
    "jmh": {"RUN_COMPLETE"},
    "workload_simulator": set(),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_sections_and_page_lines_follow_from_the_rules(name: str):
    grammar = load(name)
    assert set(grammar.sections) == SECTIONS[name]
    assert set(grammar.page_lines) - {"TITLE"} == PAGE_LINES[name]


def test_entries_begin_at_their_keys_or_their_identification():
    assert load("db2_accounting").entries == ("KEY_LINE", "IDENTIFICATION_RULE")
    assert load("db2_statistics").entries == ("HIGHLIGHTS_RULE",)


@cache
def rules_of(name: str) -> dict[str, list[list[str]]]:
    """What each rule of a grammar may stand for."""
    rules: dict[str, list[list[str]]] = {}
    for rule in Lark.open(str(ROOT / "grammars" / f"{name}.lark"), parser="lalr", maybe_placeholders=False).rules:
        rules.setdefault(rule.origin.name, []).append([symbol.name for symbol in rule.expansion])
    return rules


def below_heading(name: str, heading: set[str]) -> set[str]:
    """The kinds of line that some rule has behind lines which are all of this heading."""
    rules = rules_of(name)

    @cache
    def kinds(symbol: str) -> frozenset[str]:
        found, todo = set(), [symbol]
        while todo:
            if (at := todo.pop()) not in found:
                found.add(at)
                todo += [held for expansion in rules.get(at, ()) for held in expansion]
        return frozenset(found - rules.keys())

    out = set()
    for expansion in (e for expansions in rules.values() for e in expansions):
        heads = [k for k, symbol in enumerate(expansion) if kinds(symbol) <= heading]
        out |= {kind for symbol in expansion[min(heads, default=len(expansion)) :] for kind in kinds(symbol)}
    return out


@EVERY_REPORT
def test_cells_stand_on_rows_below_the_heading_that_is_declared(report: Report):
    cut = {kind for layout in report.layouts for kind in layout.rows}
    assert {kind for kind in cut if not kind.endswith("_ROW")} <= NO_ROWS
    for layout in report.layouts:
        if layout.lines:
            names = [name for name in (report.name, report.xml_grammar) if name]
            assert any(set(layout.rows) <= below_heading(name, set(layout.run)) for name in names), layout.lines


@EVERY_REPORT
def test_every_line_below_a_heading_is_read_or_said_not_to_be(report: Report):
    below = {kind for grammar in grammars(report) for kind in grammar.names if kind.endswith(("_ROW", "_TEXT"))}
    assert below - unread.values(report) - unread.sections(report).keys() <= SAY_NOTHING


@pytest.mark.parametrize("path", sorted((ROOT / "grammars").glob("*.lark")), ids=lambda p: p.stem)
def test_every_line_has_a_priority_and_can_be_read(path):
    """Parts of lines have none: they begin with an underscore."""
    text = path.read_text("utf-8")
    terminals = re.findall(r"^(_?[A-Z][A-Z0-9_]*)(\.\d+)?: ", text, re.MULTILINE)
    assert terminals
    assert [name for name, priority in terminals if bool(priority) == name.startswith("_")] == []
    assert {priority for _, priority in terminals} <= {"", *(f".{n}" for n in range(1, 10))}
    assert [line for line in text.splitlines() if len(line) > 150 and not re.match(r"//[ 0-9]+$", line)] == []
