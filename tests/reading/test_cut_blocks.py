"""Pages cut at the right or lost, block lines cut or moved: what is left of a value is no value, and is told."""

from __future__ import annotations

from typing import Any

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import NOT_PRINTED, parse_each, read_each, sample, sample_tables

G2, G3 = "g2_every_cell_differs", "g3_every_cell_differs"
ACTIVITY = "rmf_workload_activity"


def class_rows(texts: list[str]) -> list[dict[str, Any] | None]:
    """The row of class EVERY of each text, without what tells where it stands; None where it is not read."""
    found = parse_each(texts).tables[ACTIVITY].to_pylist()
    rows = {row["source_id"]: {n: v for n, v in row.items() if n not in NOT_PRINTED} for row in found}
    return [rows.get(str(number)) for number in range(len(texts))]


def other_values(cut: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """Numbers that are not those of the whole page; of a text nobody sees whether it goes on."""
    return {name: value for name, value in cut.items() if isinstance(value, int | float) and value != whole[name]}


@pytest.mark.parametrize(("page", "narrowest"), [(G2, 83), (G3, 60)])
def test_a_page_cut_at_the_right_gives_no_other_number(page: str, narrowest: int) -> None:
    """The lines of the heading are cut as the values are: fewer dashes stand behind its last title than in front. Left of column 116 the period
    of the class may be lost, and further left the class, which the rule above promises: then it has no row."""
    text = sample(page).read_text()
    lines = text.splitlines()
    widths = range(narrowest, max(map(len, lines)))
    whole, *cut = class_rows([text, *("".join(line[:width] + "\n" for line in lines) for width in widths)])
    assert whole
    kept = {width: row for width, row in zip(widths, cut, strict=True) if row}
    assert {width: other_values(row, whole) for width, row in kept.items() if other_values(row, whole)} == {}
    assert len(kept) >= 5


def test_a_heading_cut_within_its_last_title_is_told_once() -> None:
    lines = sample(G2).read_text().splitlines()
    heading = next(k for k, line in enumerate(lines) if "----STORAGE----" in line)
    found = read_text("".join(line[: len(lines[heading]) - 1] + "\n" for line in lines))
    assert found[ACTIVITY]["storage_total_frames"].to_list() == [None]
    assert found[ACTIVITY]["promoted_lck_s"].to_list() == [0.444]
    rejects = found["parse_reject"].select("line", "what").rows()
    assert rejects == [
        (heading + 1, f"{ACTIVITY}: the heading is truncated within title STORAGE; its cells are not read")
    ]


CUT = [
    (G2, "AVG      14.91", "CP     71.", "appl_cp_pct"),
    (G2, "AVG      14.91", "CP     71.4", "appl_cp_pct"),
    (G2, "ENDED    12355", "ENDED    123", "transactions_ended"),
    (G2, "ENDED    12355", "SHARED    76.5", "storage_shared_frames"),
    (G3, "AVG       14.91", "TOTAL        71.4", "transaction_appl_total_cp_pct"),
    (G3, "TOT       45197K", "SUP    0.55", "promoted_sup_s"),
]


def test_a_block_line_cut_within_a_value_gives_no_other_number() -> None:
    pages = []
    for page, row, end, _ in CUT:
        text = sample(page).read_text()
        (line,) = [line for line in text.splitlines() if line.startswith(row)]
        pages.append(text.replace(line, line[: line.index(end) + len(end)]))
    for (page, _, end, column), found in zip(CUT, read_each(pages), strict=True):
        assert sample_tables(sample(page))[ACTIVITY][column].to_list() != [None]
        assert found[ACTIVITY][column].to_list() == [None], end
        assert f"the line ends within {column}: its value may be truncated" in found["parse_reject"]["what"].to_list()


@pytest.mark.parametrize(("page", "heading"), [(G2, "-TRANSACTIONS-"), (G3, "-TRANSACTIONS--")])
def test_a_block_of_which_no_line_can_be_read_is_told(page: str, heading: str) -> None:
    """With its heading one column to the right, every value runs over."""
    text = sample(page).read_text()
    found = read_text(text.replace(f"\n{heading}", f"\n {heading}"))
    assert found[ACTIVITY]["transactions_ended"].to_list() == [None]
    (reject,) = found["parse_reject"].filter(what=f"{ACTIVITY}: unexpected line").to_dicts()
    assert text.splitlines()[reject["line"] - 1].startswith("AVG ")
    assert reject["lines"] >= 7


@pytest.mark.parametrize("mark", ["FFFFF ", "FFFFEF"])
def test_a_time_without_a_point_needs_the_mark_of_its_unit(mark: str) -> None:
    """Microseconds would be read as milliseconds."""
    text = sample(G3).read_text()
    assert text.count("HHH.MM.SS.FFFFFF") == 1
    found = read_text(text.replace("HHH.MM.SS.FFFFFF", f"HHH.MM.SS.{mark}"))
    (row,) = found[ACTIVITY].to_dicts()
    assert (row["actual_time_s"], row["execution_time_s"], row["conversion_time_s"]) == (1.234, None, None)
    told = "execution_time_s: '987000' cannot be read"
    assert told in found["parse_reject"]["what"].to_list()


def test_a_section_does_not_go_on_where_a_page_is_missing() -> None:
    """The second page begins with the goal of the class on the first; its class line would be on the page between. A number that no page
    can have is none."""
    text = sample("page_continues_without_class_line").read_text()
    assert text.count("PAGE   2") == 1
    numbers = {"  2": True, "  1": True, "  3": False, "  7": False, "9" * 30: True}
    found = read_each(text.replace("PAGE   2", f"PAGE {number}") for number in numbers)
    for (number, goes_on), tables in zip(numbers.items(), found, strict=True):
        assert (tables["rmf_workload_goal"].filter(page=2).height > 0) == goes_on, number
        assert (tables["parse_reject"].height == 0) == goes_on or len(number) > 3


def test_a_page_moved_by_a_column_is_of_the_same_interval() -> None:
    """Its heading line differs by a blank, not by what it says: the systems of the interval are those of all its pages."""
    text = sample("page_continues_without_class_line").read_text()
    begin = text.index("W O R K L O A D", text.index("W O R K L O A D") + 1)
    second = text.rindex("\n", 0, begin) + 1
    moved = text[:second] + "".join(f" {line}\n" for line in text[second:].splitlines())
    scopes = [set(read_text(page)[ACTIVITY]["scope"].to_list()) for page in (text, moved)]
    assert scopes[0] == scopes[1]
    assert None not in scopes[0]
