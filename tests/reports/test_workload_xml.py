"""Workload Activity as XML: what could be another thing than it seems is a reject. No document is published, so no name is taken on trust."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from ironlake.pipeline.quality.check_batch import check_batch
from ironlake.pipeline.reading.engine import read_text
from sample_pages import parse_each, sample

TEXT = sample("workload_xml_classes_and_policy").read_text()
LINES = TEXT.count("\n")
ACTIVITY, IMPORTANCE, SYSTEMS = "rmf_workload_activity", "rmf_workload_importance", "rmf_service_policy_system"
PLACES = {"source_id", "source_file", "page", "line"}
Values = dict[tuple[str, int], dict[str, object]]


def read(documents: Sequence[str]) -> tuple[list[Values], list[list[str]]]:
    """Of each document its rows, by table and line, and what its rejects say."""
    assert all(one.count("\n") == LINES for one in documents)
    tables = read_text("".join(documents).encode())
    values: list[Values] = [{} for _ in documents]
    for name in (ACTIVITY, IMPORTANCE, SYSTEMS):
        for row in tables[name].to_dicts():
            number, line = divmod(row["line"] - 1, LINES)
            values[number][name, line] = {k: v for k, v in row.items() if k not in PLACES}
    said: list[list[str]] = [[] for _ in documents]
    for row in tables["parse_reject"].to_dicts():
        said[(row["line"] - 1) // LINES].append(row["what"])
    return values, said


def other_headings() -> Iterator[tuple[str, str]]:
    """Each heading with two neighbours exchanged, and with a title that is none, in the document."""
    for heading in sorted(set(re.findall(r"<column-headers>.*?</column-headers>", TEXT))):
        titles = re.findall(r"<col[^>]*>.*?</col>", heading)
        assert len(titles) in (4, 7, 12)
        for one, next_one in pairwise(titles):
            yield f"{one} and {next_one}", TEXT.replace(heading, heading.replace(one + next_one, next_one + one))
        for one in titles:
            yield f"no {one}", TEXT.replace(heading, heading.replace(one, '<col type="T">Colour</col>'))


def test_no_value_is_read_below_the_title_of_another() -> None:
    names, documents = zip(*other_headings(), strict=True)
    assert len(names) == 11 + 12 + 6 + 7 + 3 + 4
    (true, *found), (none, *said) = read([TEXT, *documents])
    assert none == []
    wrong = []
    for name, values, rejects in zip(names, found, said, strict=True):
        other = [(k, c, v) for k, row in values.items() for c, v in row.items() if v not in (None, true[k][c])]
        is_all = values == true
        # What the first column of the categories is called says nothing: its words do.
        if other or (not is_all and not rejects) or (is_all and name != 'no <col type="T">Category</col>'):
            wrong.append((name, other, rejects))
    assert not wrong


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Service Class CICSHIGH.1", "CICSHIGH"),
        ("Service Class CICSHIGH.1", "CICSHIGH.1"),
        ("Service Class CICSHIGH", "CICSHIGH.1"),
        ("Service Class CICSHIGH 1", "CICSHIGH"),
        ("Service Class CICSHIGH Period", "CICSHIGH"),
    ],
)
def test_what_may_be_a_period_is_no_class(title: str, name: str) -> None:
    document = TEXT.replace("<name>Service Class CICSHIGH</name>", f"<name>{title}</name>")
    document = document.replace("<value>CICSHIGH</value>", f"<value>{name}</value>")
    (true, found), (_, said) = read([TEXT, document])
    lost = {k for k in true if k not in found}
    assert {true[k]["service_class"] for k in lost} == {"CICSHIGH"}
    assert {table for table, _ in lost} == {ACTIVITY, IMPORTANCE}
    assert all(found[k] == true[k] for k in found)
    assert any("periods are not read" in what or "is not the name of a class" in what for what in said)


def test_a_class_whose_name_ends_with_a_digit_is_one() -> None:
    document = TEXT.replace("CICSHIGH", "CICSHI#2")
    (_, found), (_, said) = read([TEXT, document])
    assert "CICSHI#2" in {row.get("service_class") for row in found.values()}
    assert said == []


def test_numbers_that_cannot_be_break_a_rule() -> None:
    cases = [
        ("<name># of Swaps</name><value>17<", "<name># of Swaps</name><value>-17<", "activity.swaps_range"),
        ("00.00.00.500 90%", "00.00.00.500 190%", "importance.goal_pct_range"),
        ("<col/><col>40.0", "<col/><col>190.0", "importance.velocity_goal_pct_range"),
        ("<col>1</col><col>1</col><col>0.6", "<col>1</col><col>9</col><col>0.6", "importance.summary_importance_range"),
    ]
    assert all(old in TEXT for old, _, _ in cases)
    tables = parse_each(TEXT.replace(old, new, 1) for old, new, _ in cases).tables
    assert "parse_reject" not in tables
    broken = check_batch(tables)
    assert broken is not None
    errors = {(int(row["source_id"]), row["rule"]) for row in broken.to_pylist() if row["severity"] == "error"}
    assert {(number, f"rmf_workload_{rule}") for number, (*_, rule) in enumerate(cases)} <= errors


def test_a_document_without_the_time_of_its_policy_is_read() -> None:
    activation = TEXT[TEXT.index("<segment><name>Policy Activation") : TEXT.index("<segment><name>Service Class")]
    (found,), (said,) = read([TEXT.replace(activation, "\n" * activation.count("\n"))])
    assert {row["policy_activated_at"] for (table, _), row in found.items() if table == ACTIVITY} == {None}
    assert said == []
