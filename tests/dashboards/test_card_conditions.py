"""A card's sentence says the condition that selected its hours: counted anew from the words of the sentence, the view has as many hours."""

import datetime as dt
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from ironlake.dashboards.lake_page.asked import Asked
from ironlake.dashboards.lake_page.contract import Happened
from ironlake.dashboards.lake_page.facts.contention import contention
from ironlake.dashboards.lake_page.facts.link_service import link_service
from ironlake.dashboards.lake_page.gather import QUESTIONS, question_of
from ironlake.dashboards.lake_page.question import Card, Question
from ironlake.pipeline.declaration.finding_rules import Hours
from ironlake.pipeline.sql.view_files import macros
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import Intervals
from lake_facts import FIRST, LAST, asked, sentences
from one_lake import Asks
from sizes import some
from test_lake_limits import link
from views_lake import MemoryLake


@cache
def empty(name: str) -> pa.Table:
    return _empty_lake().sql(f"FROM {name}").to_arrow_table()


@cache
def _empty_lake() -> MemoryLake:
    return MemoryLake()


@dataclass(frozen=True)
class Told:
    """A card of a question, and the column that tells what it is of."""

    question: Question
    card: Card
    name: str

    @property
    def of(self) -> Hours:
        assert self.card.of.hours
        return self.card.of.hours

    @property
    def given(self) -> set[str]:
        """Columns that sentences and rows need to be known."""
        texts = [self.question.finding, *(card.sentence for card in self.question.cards)]
        return {*re.findall(r"\{(\w+)", " ".join(map(str, texts))), *re.findall(r"\w+", self.question.where)} - {
            self.of.value
        }


FIXED = {
    "is_own": True, "dedicated": False, "kind": "ficon", "covered_s": 3600.0, "shared_engines": 4.0,
    "processor_type": "CP",
}  # fmt: skip


def told_cards() -> Iterator[Told]:
    for question in (one for one in map(question_of, QUESTIONS) if isinstance(one, Question)):
        # A rule of the page alone goes by another column of the view.
        for card in (card for card in question.cards if isinstance(card.rule, str)):
            texts = {field.name for field in empty(question.view).schema if pa.types.is_string(field.type)} - {*FIXED}
            named = [name for name in re.findall(r"\w+", question.name) if name in texts]
            yield Told(question, card, next((name for name in named if name != "system"), "system"))


NAMES = ("ONE", "TWO", "THREE")
CARDS = list(told_cards())
DAYS = [dt.datetime.combine(day, dt.time(at)) for day in (FIRST, LAST) for at in range(24)]


class Views:
    """Views of random rows, near the limits of the rules: below, at and above, and unknown."""

    def __init__(self, told: Told, seed: int):
        dice = random.Random(seed)
        self.connection = duckdb.connect()
        self.connection.execute(macros())
        for name in ("class_hour", "rmf_cf_usage"):
            self._make(name, empty(name))
        schema = empty(told.question.view).schema
        rows = [self._row(told, schema, dice, name, at) for name in NAMES for at in DAYS]
        self._make(told.question.view, pa.Table.from_pylist(rows, schema))

    def _make(self, name: str, found: pa.Table) -> None:
        self.connection.register("found", found)
        self.connection.execute(f"CREATE TABLE {name} AS FROM found")

    def _row(self, told: Told, schema: pa.Schema, dice: random.Random, name: str, at: dt.datetime) -> dict[str, Any]:
        rule = told.card.of
        near = {told.of.value: rule.limit, told.of.size: rule.least_size or 0}
        row: dict[str, Any] = {}
        for field in schema:
            base = near.get(field.name) or dice.choice([0.01, 0.1, 1.0, 10.0, 100.0, 36_000.0])
            number = base * dice.choice([0.5, 0.999, 1.0, 1.001, 1.3, 2.0])
            if near.get(field.name) == 0:
                number = dice.choice([0.0, 0.0, 0.004, 1.0, 3.0])
            if field.name not in told.given and dice.random() < 0.15:
                number = None
            if pa.types.is_integer(field.type):
                # Hours without requests have no rows on the page.
                row[field.name] = None if number is None else max(round(number), int(field.name not in near))
            elif pa.types.is_floating(field.type):
                row[field.name] = number
            elif pa.types.is_string(field.type):
                row[field.name] = "X"
        return row | {k: v for k, v in FIXED.items() if k in schema.names} | {"hour_start": at, told.name: name}

    def _rows(self, text: str) -> list[dict[str, Any]]:
        return self.connection.sql(text).to_arrow_table().to_pylist()

    def sql(self, text: str, parameters: Mapping[str, object] | None = None, /) -> Any:
        for name, value in (parameters or {}).items():
            text = text.replace(f"${name}", f"TIMESTAMP '{value}'")
        found = self.connection.sql(text).to_arrow_table()
        return SimpleNamespace(arrow=lambda: found)

    def hours(self, told: Told, condition: str, day: dt.date) -> dict[str, list[dt.datetime]]:
        text = f"SELECT {told.name} AS name, hour_start FROM {told.question.view} WHERE {condition} AND CAST(hour_start AS DATE) = '{day}'"
        found: dict[str, list[dt.datetime]] = {}
        for row in self._rows(text):
            found.setdefault(row["name"], []).append(row["hour_start"])
        return found


SENTENCE = re.compile(
    r"(?P<head>.*); (?P<hours>\d+) (?P<such>such )?hours? of that day(?: with (?P<parts>[^()]*?))?(?: \(not known in (?P<unknown>\d+) of them\))?\."
)
PART = re.compile(r"(?P<words>at least|more than) (?P<number>[\d.]+) ?(?P<unit>.*)")


def said(told: Told, happened: Happened) -> tuple[str, int, int]:
    """The condition of a sentence as SQL, its count of hours, and in how many of these the size is not known."""
    found = SENTENCE.fullmatch(happened.sentence)
    assert found, happened.sentence
    rule, value = told.card.of, told.of.value
    if found["such"]:
        return f"{value} > 0", int(found["hours"]), 0
    units = {rule.unit: value, rule.size_unit: f"coalesce({told.of.size or 0}, 1e9)"}
    units |= {unit.replace("s/s", "/s"): column for unit, column in units.items() if unit}
    parts = [PART.fullmatch(part) for part in found["parts"].split(" and ")]
    assert all(parts), happened.sentence
    comparisons = {"at least": ">=", "more than": ">"}
    condition = " AND ".join(f"{units[p['unit']]} {comparisons[p['words']]} {p['number']}" for p in parts if p)
    return condition, int(found["hours"]), int(found["unknown"] or 0)


@pytest.mark.parametrize("told", some(CARDS, 4), ids=lambda told: f"{told.question.id}-{told.card.rule}")
def test_the_hours_of_a_sentence_are_those_of_its_words(told: Told):
    rule, of, counted = told.card.of, told.of, 0
    for seed in range(6):
        views = Views(told, seed)
        found = told.question(Asked(views, FIRST, LAST, Calendar(Intervals.none())))
        cards = [one.happened for one in found.happened if one.happened.measure == told.card.measure]
        size = f" AND coalesce({of.size}, 1e9) >= {rule.least_size}" if of.size and rule.least_size else ""
        asked_for = f"{of.value} {rule.comparison} {rule.limit}{size}"
        wanted, before = views.hours(told, asked_for, LAST), views.hours(told, asked_for, FIRST)
        known_before = views.hours(told, f"{of.value} IS NOT NULL", FIRST)
        names = [next(name for name in NAMES if re.search(rf"\b{name}\b", one.sentence)) for one in cards]
        assert sorted(names) == sorted(wanted)
        for name, one in zip(names, cards, strict=True):
            condition, hours, unknown = said(told, one)
            assert views.hours(told, condition, LAST)[name] == wanted[name]
            assert hours == len(wanted[name]), one.sentence
            without = f"{condition} AND ({of.size}) IS NULL" if size else "FALSE"
            assert unknown == len(views.hours(told, without, LAST).get(name, []))
            assert any(f"{at:%H:%M}" in one.sentence for at in wanted[name])
            assert one.new == (name not in before and name in known_before)
            counted += 1
    assert counted > 6


FAILURES = [told for told in CARDS if told.card.rule in ("gbp_reads_failed_no_storage", "db2entry_waits")]


@pytest.mark.parametrize("told", FAILURES, ids=lambda told: told.question.id)
def test_hours_with_failures_of_several_pools_or_entries_count_once(told: Told):
    views = Views(told, 1)
    hours = {at for day in (FIRST, LAST) for of in views.hours(told, f"{told.of.value} > 0", day).values() for at in of}
    (section,) = told.question(Asked(views, FIRST, LAST, Calendar(Intervals.none()))).sections
    assert section.finding.startswith(f"{len(hours)} hours ")


def test_a_value_above_its_limit_is_not_written_as_the_limit() -> None:
    """2.004% of the lock requests are more than 2%."""
    views = Views(next(told for told in CARDS if told.card.rule == "contention_pct"), 0)
    views.connection.execute(
        "UPDATE cf_structure_hour SET contention_pct = CASE WHEN cf_name = 'ONE' AND hour(hour_start) = 9 THEN 2.004 ELSE 1 END,"
        " contention_requests = 360000"
    )
    found = contention(Asked(views, FIRST, LAST, Calendar(Intervals.none())))
    assert sentences(found) == [
        "ONE X: 2.004% of the lock requests waited on Tue 3 Nov, 09:00; 1 hour of that day with more than 2% and at least 10 lock requests/s."
    ]


def test_few_hours_of_many_that_are_slow_are_said_to_be_those_of_a_size() -> Asks[None]:
    """384 hours of 35.28 to 37.2 µs where 8 are expected: 441 to 465%. In two of the last day 0.1 engines wait or more, 3,000/s of 37.2 µs; in the others
    100/s. The sentence counts two, and says why."""
    days = [link(day, 100, 35.28, at) for day in range(16) for at in range(24) if (day, at) not in ((15, 9), (15, 10))]
    rows = [*days, link(15, 3000, 36.0, 9), link(15, 3000, 37.2, 10)]
    found = link_service((yield from asked(FIRST + dt.timedelta(days=15), rmf_cf_subchannel_activity=rows)))
    shares = found.sections[0].rows.of("of_reference_pct")
    assert (len(shares), min(shares), max(shares)) == (384, 441, 465)
    assert sentences(found) == [
        "CF1 from SYSA: synchronous requests took 37.2 µs on Tue 17 Nov, 10:00, 465% of the reference of 8.0 µs; 2 hours of that day with at least 200% of"
        " the reference and at least 0.1 engines that wait."
    ]
    # What may be crossed is a reference: the picture calls it so.
    chart = found.sections[0].chart
    assert (chart.limit, chart.reference) == ("", "reference_us")
