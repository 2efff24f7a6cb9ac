"""The declaration of a question of the page in a file of facts/, and the answer of a lake: the section, and the things
to look at on the last day.

A label tells the hours (or days) of a view apart. Titles and units of columns come from the view's header and from the
columns that views share; cards follow the rules of `finding`, whose condition SQL judges (is_beyond)."""

import datetime as dt
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from string import Formatter
from typing import Any

import pyarrow as pa

from ...pipeline.declaration.columns import shared, unit_of_ending
from ...pipeline.declaration.finding_rules import Rule, rules
from ...pipeline.sql.view_files import views
from ...pipeline.words import counted
from .asked import Asked, Row, highest, highest_known, rows_of, with_label
from .contract import Chart, Column, Filter, Happened, Section, Select, Series
from .found import Found, Rank, Ranked, format_day, format_hour

# Most labels that a section shows: a machine has hundreds of paths and thousands of volumes.
_MOST = 20
_UNITS = {"us": "µs"}
# Field practice of this project.
_LEAST_DAYS, _LEAST_RATIO = 4, 1.5
_WORDS = {">": "more than", ">=": "at least"}
_PAST = {">": operator.gt, ">=": operator.ge}
COLUMN = re.compile(
    r'(?P<name>\w+)(?: "(?P<title>[^"]*)")?(?: \[(?P<unit>[^\]]*)\])?(?: \.(?P<decimals>\d))?(?: (?P<kind>text|time))?(?:, |$)'
)
_CARD = re.compile(r'(?P<rule>\w+) "(?P<measure>[^"]*)"(?: \.(?P<decimals>\d))?(?P<size> by size)?: (?P<sentence>.*)')
# The columns that the page filters by, for each filter; the first that the section has counts.
_FILTERS: dict[Filter, tuple[str, ...]] = {
    "time": ("hour_start", "day", "window_start"),
    "sysplex": ("sysplex",),
    "system": ("systems", "system", "scope"),
    "workload": ("workload",),
    "class": ("service_class", "class_name"),
}
OF_PLEX = 'sysplex text, scope "Systems" text'
OF_CLASS = f"workload text, {OF_PLEX}"
PERIOD = "CASE WHEN period = 1 OR period IS NULL THEN '' ELSE ' period ' || period END"


def columns(view: str, text: str) -> tuple[Column, ...]:
    """The columns of a section: `name "Title" [unit] .decimals kind` each, separated by commas. A missing title or unit
    comes from the view, or from the columns of all views; the default kind is number.

    >>> [(c.title, c.unit, c.decimals) for c in columns("cf_link_hour", 'subchannel_busy_pct .2, sync_service_us "Took, on average", requests_per_s .0')]
    [('Subchannel busy', '%', 2), ('Took, on average', 'µs', None), ('Requests', '1/s', 0)]
    """
    found = list(COLUMN.finditer(text))
    if "".join(said[0] for said in found) != text:
        raise ValueError(f"not columns: {text}")
    return tuple(_column(view, said) for said in found)


def _column(view: str, said: re.Match[str]) -> Column:
    name = said["name"]
    known = [of[name] for of in (views()[view].columns if view else {}, shared()) if name in of]
    title = said["title"] or next((one.title for one in known if one.title), "") or _title_of(name)
    unit = (
        said["unit"]
        if said["unit"] is not None
        else next((one.unit for one in known if one.unit), unit_of_ending(name))
    )
    kind: Any = said["kind"] or "number"
    decimals = None if said["decimals"] is None else int(said["decimals"])
    return Column(name, title, _UNITS.get(unit, unit), decimals, kind)


def filters(shown: Sequence[Column]) -> dict[Filter, str]:
    """The columns that the page filters by."""
    names = {column.name for column in shown}
    return {what: next(name for name in of if name in names) for what, of in _FILTERS.items() if names.intersection(of)}


def _title_of(name: str) -> str:
    """
    >>> [_title_of(name) for name in ("hour_start", "busy_max_pct", "connect_ms")]
    ['Hour', 'Busy max', 'Connect']
    """
    return re.sub(r"_(pct|per_s|s|ms|us|bytes|start|engines)$", "", name).replace("_", " ").capitalize()


@dataclass(frozen=True)
class Card:
    """The card where a rule holds on the last day: the worst hour of each label. `sentence` is filled with the values
    of its row, with `at`, and with `value`, the value of the rule with at least `decimals` decimals; the rule adds
    which hours it counts. `measure`: the name of the measure. Worst first, or `by_size`."""

    rule: str | Rule
    measure: str
    sentence: str
    decimals: int = 0
    by_size: bool = False

    @property
    def of(self) -> Rule:
        return rules()[self.rule] if isinstance(self.rule, str) else self.rule

    @property
    def judged(self) -> str:
        """SQL columns of an hour: whether the rule holds, and the size that the rule goes by."""
        assert self.of.hours
        return f'{self.of.holds_of_hours} AS "{self.of.name} holds", {self.of.hours.size or "NULL"} AS "{self.of.name} size"'


@dataclass(frozen=True)
class Question:
    """A section of the page: the source of its rows, the shown columns, and the sentences."""

    id: str
    title: str
    # The view with the rows, and the shown columns.
    view: str
    columns: str
    chart: Chart
    # The answer, filled with the row in which `worst` is highest (or lowest): `unknown` where no row has a value of
    # `worst`, `none` where it is below `least`. Or a function of all rows and that row. Without an answer there is no
    # section.
    finding: str | Callable[[list[Row], Row | None], str]
    worst: str = ""
    is_lowest: bool = False
    unknown: str = ""
    least: float = 0.0
    none: str = ""
    # The name of a row, in SQL. It becomes `label`, followed by the column `place` where several places have the name.
    name: str = ""
    label: str = "label"
    place: str = "sysplex"
    # Another column that gets a unique label, as `<column>_label`.
    apart: str = ""
    # For the hours of the view, in SQL: more columns, conditions, and the order below the name; or the whole SELECT; or
    # a function that makes the rows.
    also: str = ""
    where: str = "TRUE"
    order: str = "sysplex"
    select: str = ""
    rows: Callable[[Asked], pa.Table] | None = None
    # The measure that some hour of a label must have; the labels with the highest values are shown, called `one`,
    # `many`.
    ranks: str = ""
    one: str = ""
    many: str = ""
    # The measure that at least one row must have.
    needs: str = ""
    note: str | Callable[[list[Row]], str] = ""
    # The sentence on what the page cannot tell where there are no rows.
    if_none: str = ""
    cards: tuple[Card, ...] = ()
    # A function of all rows, and of the shown ones: words before the answer, and more things to look at.
    beside: Callable[[Asked, list[Row], list[Row]], tuple[str, Iterable[Ranked]]] = lambda asked, rows, shown: ("", ())

    @cached_property
    def shown(self) -> tuple[Column, ...]:
        return columns(self.view, self.columns)

    def __call__(self, asked: Asked) -> Found:
        table = self._table(asked)
        rows = table.to_pylist()
        if not rows or (self.needs and all(row[self.needs] is None for row in rows)):
            return Found(unknown=(self.if_none,) if self.if_none else ())
        known = [row for row in rows if self.worst and row[self.worst] is not None]
        if self.is_lowest:
            worst = min(known, key=operator.itemgetter(self.worst), default=None)
        else:
            worst = highest(known, self.shown, self.worst) if known else None
        answer = self._answer(rows, worst)
        if not answer:
            return Found()
        shown_table, most = self._most(table, worst)
        shown = rows if shown_table is table else shown_table.to_pylist()
        before, more = self.beside(asked, rows, shown)
        section = Section(
            self.id,
            self.title,
            before + answer,
            self.chart,
            rows_of(asked, shown_table, self.shown),
            filters(self.shown),
            most + (self.note if isinstance(self.note, str) else self.note(rows)),
            self.view,
        )
        return Found((section,), (*more, *(one for card in self.cards for one in _told(asked, self, card, rows))))

    def _table(self, asked: Asked) -> pa.Table:
        table = self.rows(asked) if self.rows else asked.ask(self.select or self._of_view())
        if "system" in table.column_names:
            table = _with_sysplex(asked, table)
        if "name" in table.column_names and self.label not in table.column_names:
            place = self.place if self.place in table.column_names else ""
            table = with_label(table, "name", self.label, place)
        if self.apart:
            table = with_label(table, self.apart, f"{self.apart}_label")
        if not self.ranks:
            return table
        known = {
            row[self.label] for row in table.select([self.label, self.ranks]).to_pylist() if row[self.ranks] is not None
        }
        return _of_labels(table, self.label, known)

    def _of_view(self) -> str:
        made = [f"{self.name} AS name", self.also, *(card.judged for card in self.cards)]
        return (
            f"SELECT *, {', '.join(filter(None, made))} FROM {self.view}"
            f" WHERE hour_start >= $from AND hour_start < $to AND {self.where} ORDER BY name, {self.order}, hour_start"
        )

    def _answer(self, rows: list[Row], worst: Row | None) -> str:
        if not isinstance(self.finding, str):
            return self.finding(rows, worst)
        if worst is None:
            return self.unknown
        return say(self.finding, worst) if worst[self.worst] >= self.least else self.none

    def _most(self, table: pa.Table, named: Row | None) -> tuple[pa.Table, str]:
        """The rows of the labels with the highest values, and of the label that the section names, and words that say
        so."""
        if not self.one:
            return table, ""
        label, most = self.label, f"{self.ranks}_max"
        peaks = table.select([label, self.ranks]).group_by(label).aggregate([(self.ranks, "max")]).to_pylist()
        if len(peaks) <= _MOST:
            return table, ""
        peaks.sort(key=lambda row: (-row[most], row[label]))
        names = {row[label] for row in peaks[:_MOST]}
        beside = f", and {named[label]}" if named and named[label] not in names else ""
        names |= {named[label]} if named else set()
        return _of_labels(
            table, label, names
        ), f"The {_MOST} highest of {counted(len(peaks), self.one, self.many)}{beside}. "


def question(text: str, **made: Any) -> Question:
    """A question from its text; `made` are the fields that Python makes. The text begins with `id: title`, followed by
    a line `field: value` for each text field of Question; indented lines continue a value. Other fields:

    chart: form measures by rows, split column, …: the default is lines over hour_start, split by the label
    worst: the default is the first measure of the picture; `worst:` alone for none
    most: the names of labels, one and many
    card: rule "measure" .decimals by size: sentence
    """
    first, *lines = re.sub(r"\n {8,}", " ", text.strip()).splitlines()
    id, _, title = first.partition(": ")
    said: dict[str, Any] = {}
    cards = []
    for line in lines:
        name, _, value = line.strip().partition(":")
        if name == "card":
            cards.append(_card(value.strip()))
        else:
            said[name] = value.strip()
    one, _, many = said.pop("most", "").partition(", ")
    said |= {"one": one, "many": many, "least": float(said.get("least", 0)), "is_lowest": "is_lowest" in said}
    said.setdefault("view", "")
    label = said.get("label", "label")
    chart = made.pop("chart", None) or _chart(said.pop("chart"), label)
    said.setdefault("worst", chart.y if isinstance(chart.y, str) else chart.y[0])
    chart = replace(chart, is_lowest=said["is_lowest"])
    return Question(id, title, chart=chart, cards=(*cards, *made.pop("cards", ())), **said, **made)


def _chart(text: str, label: str) -> Chart:
    """
    >>> _chart("lines busy_pct used_pct, reference entitled_pct", "label")
    Chart(form='lines', x='hour_start', y=('busy_pct', 'used_pct'), split='label', series='', limit='', reference='entitled_pct', value='', \
steps=(), level='', change='', drift='', is_lowest=False)
    """
    drawn, *more = text.split(", ")
    measures, _, rows = drawn.partition(" by ")
    form, *names = measures.split()
    of = dict(part.split(" ") for part in more)
    named: dict[str, Any] = {"split": label} | {name: column for name, column in of.items() if name != "x"}
    if form == "bars":
        return Chart("bars", names[0], rows, **named)
    return Chart("lines", of.get("x", "hour_start"), names[0] if len(names) == 1 else tuple(names), **named)


def _card(text: str) -> Card:
    if not (said := _CARD.fullmatch(text)):
        raise ValueError(f"not a card: {text}")
    return Card(said["rule"], said["measure"], said["sentence"], int(said["decimals"] or 0), bool(said["size"]))


def _of_labels(table: pa.Table, label: str, names: set[str]) -> pa.Table:
    return table.filter(pa.array([name in names for name in table[label].to_pylist()], pa.bool_()))


def _with_sysplex(asked: Asked, table: pa.Table) -> pa.Table:
    """The table with a sysplex where pages name none: the only sysplex with a system of that name."""
    systems = table["system"].to_pylist()
    printed = table["sysplex"].to_pylist() if "sysplex" in table.column_names else [None] * len(systems)
    plexes = [plex or asked.sysplex_of.get(name) for name, plex in zip(systems, printed, strict=True)]
    kept = table.drop_columns(["sysplex"]) if "sysplex" in table.column_names else table
    return kept.append_column("sysplex", pa.array(plexes, pa.string()))


class _Sentences(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if not format_spec.startswith("#"):
            return super().format_field(value, format_spec)
        one, _, many = format_spec[1:].partition("|")
        return counted(value or 0, one, many)


def say(sentence: str, row: Row) -> str:
    """A sentence filled with the values of a row, `at` its hour or `on` its day; {count:#hour} and {count:#class|classes} are counted.

    >>> say("{n:#class|classes} at {at}", {"n": 2, "hour_start": dt.datetime(2026, 11, 2, 10)})
    '2 classes at Mon 2 Nov, 10:00'
    """
    times = {"hour_start": ("at", format_hour), "day": ("on", format_day)}
    words = {word: write(row[name]) for name, (word, write) in times.items() if name in row}
    return _Sentences().vformat(sentence, (), words | row)


def _told(asked: Asked, question: Question, card: Card, rows: list[Row]) -> Iterable[Ranked]:
    rule = card.of
    assert rule.hours
    measure, holds, size = rule.hours.value, f"{rule.name} holds", f"{rule.name} size"
    eve = asked.last_start - dt.timedelta(days=1)
    before: dict[Any, bool] = {}

    def line(row: Row) -> Any:
        """The line of the picture that an hour belongs to."""
        return row[question.label], row.get(question.chart.series)

    for row in rows:
        if eve <= row["hour_start"] < asked.last_start and row[measure] is not None:
            before[line(row)] = before.get(line(row), False) or row[holds]
    for hours in of_last_day(asked, rows, lambda row: row[holds], line):
        worst = highest_known(hours, question.shown, measure)
        value = written(rule, worst[measure], card.decimals)
        sizes = [row[size] for row in hours]
        sentence = f"{say(card.sentence, worst | {'value': value})}{_part(worst)}; {counted_hours(rule, sizes)}."
        # Without a value on the day before, a card is not new.
        new = before.get(line(worst)) is False
        told = of_hours(asked, question, hours, worst, sentence, card.measure, measure, new=new)
        if rule.measured:
            told = replace(told, happened=replace(told.happened, action=asked.findings(rule.name)))
        limit = Series(*_line(question.chart, worst), measure, rule.limit)
        ranks = (worst[size] if card.by_size else worst[measure]) or 0
        # Percentages of hours become hours.
        is_capped = rule.name == "lpar_capped_pct"
        yield replace(
            told,
            rank=Rank.CAPPED if is_capped else Rank.CAPACITY,
            size=sum(row[measure] for row in hours) / 100 if is_capped else ranks,
            happened=replace(told.happened, series=limit if rule.limit else told.happened.series),
        )


def of_last_day(
    asked: Asked,
    rows: list[Row],
    is_told: Callable[[Row], bool],
    line: Callable[[Row], Any] = operator.itemgetter("label"),
) -> list[list[Row]]:
    """The rows of the last day that cards name, by their subject."""
    found: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        if row["hour_start"] >= asked.last_start and is_told(row):
            found[line(row)].append(row)
    return list(found.values())


def of_hours(
    asked: Asked, question: Question, hours: Sequence[Row], worst: Row, sentence: str, measure: str, column: str = "", *,
    size: float = 0, new: bool = False,
) -> Ranked:  # fmt: skip
    """The sentence about the hours of one subject, by the worst hour; `column`: the measure, if it is not the first of the picture."""
    at = asked.second(worst["hour_start"])
    select = Select(sysplex=worst.get("sysplex"), system=worst.get("system"), from_s=at, to_s=at + 3600)
    action = asked.command("sql", f"FROM {question.view} WHERE hour_start = '{worst['hour_start']}'")
    names = ("sysplex", "location", "db2_group", "applid")
    place = tuple(worst.get(name) for name in (names if any(map(worst.get, names)) else ("system",)))
    series = Series(*_line(question.chart, worst), column)
    happened = Happened(
        sentence, measure, select, question.id, asked.place(worst["refs"]), new=new, action=action, series=series
    )
    return Ranked(
        Rank.CAPACITY,
        size,
        happened,
        frozenset(row["hour_start"].replace(minute=0, second=0) for row in hours),
        place,
        is_little=bool(_part(worst)),
    )


def _line(chart: Chart, row: Row) -> tuple[str, str]:
    """The panel of a picture, and the name there, that a row is drawn in."""
    panel = chart.split or (chart.y if isinstance(chart.y, str) else "")
    return str(row.get(panel) or ""), str(row.get(chart.series) or "")


def _part(row: Row) -> str:
    """The printed part of an hour, in words, if less than half of the hour is printed."""
    covered = row.get("covered_s")
    return f" ({covered / 60:.0f} minutes of that hour are printed)" if covered and covered < 1800 else ""


def is_past(rule: Rule, value: float, size: float | None = None) -> bool:
    """Whether a rule holds for a value, and for a size if it is known: like is_beyond in SQL."""
    is_large = size is None or rule.least_size is None or size >= rule.least_size
    return bool(_PAST[rule.comparison](value, rule.limit)) and is_large


def written(rule: Rule, value: float, decimals: int) -> str:
    """A value that breaks the limit of a rule, with enough decimals that the written value does, too.

    >>> written(rules()["contention_pct"], 2.04, 1)
    '2.04'
    """
    while decimals < 9 and not is_past(rule, round(value, decimals)):
        decimals += 1
    return f"{value:,.{decimals}f}"


def counted_hours(rule: Rule, sizes: Sequence[float | None]) -> str:
    """The number of hours in which a rule holds, in words, by their sizes.

    >>> counted_hours(rules()["xcf_rejects"], [None])
    '1 such hour of that day'
    >>> counted_hours(rules()["cf_utilization_pct"], [0.5, None])
    '2 hours of that day with at least 50% and at least 0.1 processors in use (not known in 1 of them)'
    """
    has_size = bool(rule.least_size is not None and rule.hours and rule.hours.size)
    if not has_size and (rule.comparison, rule.limit) == (">", 0):
        return f"{counted(len(sizes), 'such hour')} of that day"
    parts = [f"{_WORDS[rule.comparison]} {_amount(rule.limit, rule.unit)}"]
    if has_size:
        parts.append(f"at least {_amount(rule.least_size or 0, rule.size_unit or '')}")
    unknown = sizes.count(None) if has_size else 0
    beside = f" (not known in {unknown:,} of them)" if unknown else ""
    return f"{counted(len(sizes), 'hour')} of that day with {' and '.join(parts)}{beside}"


def _amount(number: float, unit: str) -> str:
    """
    >>> _amount(30.0, "%"), _amount(1.0, "requests/s")
    ('30%', '1 request/s')
    """
    unit = unit.replace("s/s", "/s") if number == 1 else unit
    return f"{number:g}{'' if unit.startswith('%') else ' '}{unit}"


def hours_with(rows: Iterable[Row], measure: str) -> str:
    """The number of hours with a count above 0, in words; empty if there are none."""
    hours = {row["hour_start"] for row in rows if row[measure]}
    return counted(len(hours), "hour") if hours else ""


def days_of_labels(rows: Iterable[Row]) -> dict[str, dict[dt.date, list[Row]]]:
    """The hours of each day, by label."""
    found: dict[str, dict[dt.date, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        found[row["label"]][row["hour_start"].date()].append(row)
    return found


def usual(value: float, before: Sequence[float]) -> float | None:
    """The median of earlier days, if there are enough of them and the value is news: above all of them, and at least
    _LEAST_RATIO times their median."""
    if len(before) < _LEAST_DAYS or value <= max(before):
        return None
    middle = median(before)
    return middle if value >= _LEAST_RATIO * middle else None
