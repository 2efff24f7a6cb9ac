"""Lines of labels and values in layouts made at random: each value is the one behind its own label, a blank one is NULL."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from ironlake.parsers._cics import NO_NUMBER
from ironlake.pipeline.declaration.layouts import Pairs
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.reading.cut_pairs import labels
from ironlake.pipeline.reading.engine import read_text
from property_settings import examples

SETTINGS = examples(30)
TOP = "Interval Report   Collection Date-Time 11/03/2025-09:00:00   Last Reset 08:00:00   Applid CICS1   Jobname CICS1\n\n"
CICS = reports()["cics_statistics"]
# Patterns of values that any name has.
ANY = ("", NO_NUMBER)
# Per kind of section: its tables, the label that names its row, and its other labels with their columns.
# Sections of Db2; those of a region are in tests/reports/test_cics_region.py.
NAMES = {"CONNECTION_NAME_ROW": "DB2 CONNECTION NAME", "ENTRY_NAME_ROW": "DB2ENTRY NAME"}
SECTIONS = {
    heading.rows[0]: (
        [t.name for t in CICS.tables if heading.rows[0] in t.rows],
        {name: targets[0].column for name, targets in labels(CICS, heading).items() if targets[0].pattern in ANY},
    )
    for heading in CICS.layouts
    if isinstance(heading, Pairs) and heading.rows[0] in NAMES
}


@dataclass(frozen=True)
class Pair:
    label: str
    leaders: str
    value: str
    gap: int

    def printed(self) -> str:
        return f"{self.label}{self.leaders}:{' ' * self.gap}{self.value}"


@st.composite
def pairs(draw: st.DrawFn, label: str, is_text: bool, blank: bool = True) -> Pair:
    """A label as printed, dots or blanks up to its colon, and its value some blanks behind."""
    words = draw(st.sampled_from([label, label.title(), label.capitalize()]))
    leaders = "." * draw(st.integers(0, 1)) + " ." * draw(st.integers(0, 20)) + " " * draw(st.integers(0, 2))
    # A colon without dots before it has a blank behind it.
    gap = draw(st.integers(0 if "." in leaders else 1, 6))
    number = st.integers(0, 9_999_999_999).map(str)
    value = draw(st.from_regex(r"[A-Z$#@][A-Z0-9$#@]{0,7}", fullmatch=True) if is_text else number)
    return Pair(words, leaders, "" if blank and draw(st.integers(0, 5)) == 0 else value, gap)


@st.composite
def sections(draw: st.DrawFn) -> tuple[str, list[list[Pair]], int]:
    """A section's kind, its lines of one to three pairs, and its margin."""
    kind = draw(st.sampled_from(sorted(SECTIONS)))
    _, columns = SECTIONS[kind]
    name = NAMES[kind]
    of_column = {column.name: label for label, column in columns.items()}
    others = st.lists(st.sampled_from(sorted(set(of_column.values()) - {name})), unique=True, max_size=20)
    line = [draw(pairs(name, True, blank=False))]
    lines = [line]
    for label in draw(others):
        line = lines[-1] if len(lines[-1]) <= draw(st.integers(0, 2)) else []
        if not line:
            lines.append(line)
        line.append(draw(pairs(label, not _counts(label, kind))))
    return kind, lines, draw(st.integers(0, 9))


def _counts(label: str, kind: str) -> bool:
    return str(SECTIONS[kind][1][label].type.arrow) in ("int64", "double")


@SETTINGS
@given(sections(), st.data())
def test_each_value_is_that_of_its_own_label(drawn: tuple[str, list[list[Pair]], int], data: st.DataObject) -> None:
    kind, lines, margin = drawn
    names, columns = SECTIONS[kind]
    text = TOP
    for line in lines:
        gaps = data.draw(st.lists(st.integers(2, 12), min_size=len(line), max_size=len(line)))
        text += " " * margin + "".join(p.printed() + " " * g for p, g in zip(line, gaps, strict=True)).rstrip() + "\n"
    tables = read_text(text)
    row = {column: value for name in names for column, value in tables[name].row(0, named=True).items()}
    assert tables["parse_reject"].select("line", "what").rows() == [], text
    expected = {columns[p.label.upper()].name: p.value for line in lines for p in line}
    for name in {column.name for column in columns.values()}:
        value = expected.get(name) or None
        found = row[name]
        assert (None if found is None else str(found)) == value, (name, text)


def test_a_label_without_its_colon_is_told() -> None:
    """What the test above rests on: a pair that is not whole leaves a reject, not a value of the label before it."""
    text = TOP + " DB2 Connection Name . . : DB2A\n TCB Limit . . : 12     Peak number of TCBs . . 61\n"
    tables = read_text(text)
    assert tables["cics_db2_connection"].select("tcb_limit", "tcbs_hwm").rows() == [(None, None)]
    assert tables["parse_reject"]["line"].to_list() == [4]
