"""A card's sentence says the condition that selected its hours: counted anew from the words of the sentence, the view has as many hours."""

import datetime as dt
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from ironlake.dashboards.lake_page.contract import Happened
from ironlake.dashboards.lake_page.facts.asked import Asked
from ironlake.dashboards.lake_page.facts.capacity import dispatch, machines, partitions
from ironlake.dashboards.lake_page.facts.coupling import facilities, structures
from ironlake.dashboards.lake_page.facts.coupling_links import link_service, links, storage
from ironlake.dashboards.lake_page.facts.db2 import group_pools, threads
from ironlake.dashboards.lake_page.facts.found import Found
from ironlake.dashboards.lake_page.facts.input_output import caches, channels
from ironlake.dashboards.lake_page.facts.io_queuing import queues
from ironlake.dashboards.lake_page.facts.xcf_messages import messages
from ironlake.dashboards.lake_page.facts.xcf_paths import paths
from ironlake.pipeline.sql.view_files import macros
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import Intervals
from lake_facts import FIRST, LAST, asked, sentences
from one_lake import Asks
from sizes import some
from test_lake_limits import link
from views_lake import MemoryLake


@dataclass(frozen=True)
class Card:
    """Cards of a question about one measure. `name`: the column that tells what they are of. `value` and `size` are SQL over the view's columns,
    whose limits are those of a rule of `finding`."""

    question: Callable[[Asked], Found]
    view: str
    name: str
    measure: str
    rule: str
    value: str
    size: str = ""
    # Columns without which the value would be unknown as well.
    given: tuple[str, ...] = ()


CARDS = (
    Card(machines, "machine_hour", "machine", "physical processors busy", "machine_busy_pct", "physical_busy_pct", given=("physical_engines",)),
    Card(partitions, "partition_hour", "partition", "use of entitlement", "beyond_entitlement_pct", "use_of_entitlement_pct",
         "beyond_entitlement_engines", ("used_engines", "entitled_engines", "beyond_entitlement_engines")),
    Card(partitions, "partition_hour", "partition", "capping by WLM", "lpar_capped_pct", "capping_wlm_pct",
         given=("entitled_engines", "use_of_entitlement_pct", "used_engines", "beyond_entitlement_engines")),
    Card(dispatch, "dispatch_hour", "system", "ready work that waited", "waiting_pct", "waiting_pct", "waiting_engines",
         ("ready_engines", "waiting_engines")),
    Card(facilities, "cf_hour", "cf_name", "coupling facility utilization", "cf_utilization_pct", "utilization_pct",
         "processors_effective * utilization_pct / 100"),
    Card(structures, "cf_structure_hour", "structure_name", "lock contention", "contention_pct", "contention_pct", "contention_requests / covered_s",
         ("contention_requests", "requests")),
    Card(links, "cf_link_hour", "cf_name", "coupling facility subchannels busy", "cf_subchannel_busy_pct", "subchannel_busy_pct", "requests_per_s"),
    Card(links, "cf_link_hour", "cf_name", "coupling facility requests delayed", "cf_delayed_pct", "delayed_pct", "requests_per_s"),
    Card(link_service, "cf_link_hour", "cf_name", "synchronous service time beside its reference", "cf_of_reference_pct", "of_reference_pct",
         "sync_engines", ("sync_service_us", "reference_us")),
    Card(storage, "cf_storage_hour", "cf_name", "reclaimed directory entries", "gbp_directory_reclaim_xi", "reclaim_invalidations"),
    Card(paths, "xcf_path_hour", "path", "XCF path busy", "xcf_path_busy_pct", "busy_pct", "signals_per_s"),
    Card(messages, "xcf_class_hour", "transport_class", "XCF rejects", "xcf_rejects", "rejects"),
    Card(channels, "channel_path_hour", "channel_path_id", "channel path utilization", "channel_busy_pct", "busy_pct"),
    Card(queues, "io_queue_hour", "unit", "waits for an alias", "alias_waits", "alias_wait_per_request", "io_per_s"),
    Card(caches, "cache_hour", "control_unit", "cache delayed writes", "cache_delayed_writes_pct", "delayed_writes_pct", "writes_per_s"),
    Card(group_pools, "group_buffer_pool_hour", "gbp", "group buffer pool failures", "gbp_reads_failed_no_storage", "failed_no_storage"),
    Card(threads, "db2entry_hour", "db2entry", "waits for threads", "db2entry_waits", "thread_waits_or_overflows"),
)  # fmt: skip
NAMES = ("ONE", "TWO", "THREE")
FIXED = {
    "is_own": True, "dedicated": False, "kind": "ficon", "covered_s": 3600.0, "shared_engines": 4.0,
    "processor_type": "CP",
}  # fmt: skip
DAYS = [dt.datetime.combine(day, dt.time(at)) for day in (FIRST, LAST) for at in range(24)]


@cache
def empty(name: str) -> pa.Table:
    return _empty_lake().sql(f"FROM {name}").to_arrow_table()


@cache
def _empty_lake() -> MemoryLake:
    return MemoryLake()


class Views:
    """Views of random rows, near the limits of the rules: below, at and above, and unknown."""

    def __init__(self, card: Card, seed: int):
        dice = random.Random(seed)
        self.connection = duckdb.connect()
        self.connection.execute(macros())
        for name in ("finding_rule", "class_hour", "rmf_cf_usage"):
            self._make(name, empty(name))
        schema = empty(card.view).schema
        (self.rule,) = self._rows(f"SELECT * FROM finding_rule WHERE rule = '{card.rule}'")
        rows = [self._row(card, schema, dice, name, at) for name in NAMES for at in DAYS]
        self._make(card.view, pa.Table.from_pylist(rows, schema))

    def _make(self, name: str, found: pa.Table) -> None:
        self.connection.register("found", found)
        self.connection.execute(f"CREATE TABLE {name} AS FROM found")

    def _row(self, card: Card, schema: pa.Schema, dice: random.Random, name: str, at: dt.datetime) -> dict[str, Any]:
        near = {card.value: self.rule["limit_value"]} | ({card.size: self.rule["least_size"]} if card.size else {})
        row: dict[str, Any] = {}
        for field in schema:
            base = near.get(field.name) or dice.choice([0.01, 0.1, 1.0, 10.0, 100.0, 36_000.0])
            number = base * dice.choice([0.5, 0.999, 1.0, 1.001, 1.3, 2.0])
            if near.get(field.name) == 0:
                number = dice.choice([0.0, 0.0, 0.004, 1.0, 3.0])
            if field.name not in card.given and dice.random() < 0.15:
                number = None
            if pa.types.is_integer(field.type):
                # Hours without requests have no rows on the page.
                row[field.name] = None if number is None else max(round(number), int(field.name not in near))
            elif pa.types.is_floating(field.type):
                row[field.name] = number
            elif pa.types.is_string(field.type):
                row[field.name] = "X"
        return row | {k: v for k, v in FIXED.items() if k in schema.names} | {"hour_start": at, card.name: name}

    def _rows(self, text: str) -> list[dict[str, Any]]:
        return self.connection.sql(text).to_arrow_table().to_pylist()

    def sql(self, text: str, parameters: Mapping[str, object] | None = None, /) -> Any:
        for name, value in (parameters or {}).items():
            text = text.replace(f"${name}", f"TIMESTAMP '{value}'")
        found = self.connection.sql(text).to_arrow_table()
        return SimpleNamespace(arrow=lambda: found)

    def hours(self, card: Card, condition: str, day: dt.date) -> dict[str, list[dt.datetime]]:
        text = f"SELECT {card.name} AS name, hour_start FROM {card.view} WHERE {condition} AND CAST(hour_start AS DATE) = '{day}'"
        found: dict[str, list[dt.datetime]] = {}
        for row in self._rows(text):
            found.setdefault(row["name"], []).append(row["hour_start"])
        return found


SENTENCE = re.compile(
    r"(?P<head>.*); (?P<hours>\d+) (?P<such>such )?hours? of that day(?: with (?P<parts>[^()]*?))?(?: \(not known in (?P<unknown>\d+) of them\))?\."
)
PART = re.compile(r"(?P<words>at least|more than) (?P<number>[\d.]+) ?(?P<unit>.*)")


def said(card: Card, rule: dict[str, Any], happened: Happened) -> tuple[str, int, int]:
    """The condition of a sentence as SQL, its count of hours, and in how many of these the size is not known."""
    found = SENTENCE.fullmatch(happened.sentence)
    assert found, happened.sentence
    if found["such"]:
        return f"{card.value} > 0", int(found["hours"]), 0
    units = {rule["unit"]: card.value, rule["size_unit"]: f"coalesce({card.size or 0}, 1e9)"}
    units |= {unit.replace("s/s", "/s"): column for unit, column in units.items() if unit}
    parts = [PART.fullmatch(part) for part in found["parts"].split(" and ")]
    assert all(parts), happened.sentence
    comparisons = {"at least": ">=", "more than": ">"}
    condition = " AND ".join(f"{units[p['unit']]} {comparisons[p['words']]} {p['number']}" for p in parts if p)
    return condition, int(found["hours"]), int(found["unknown"] or 0)


@pytest.mark.parametrize("card", some(CARDS, 4), ids=lambda card: f"{card.view}-{card.rule}")
def test_the_hours_of_a_sentence_are_those_of_its_words(card: Card):
    told = 0
    for seed in range(6):
        views = Views(card, seed)
        question = Asked(views, FIRST, LAST, Calendar(Intervals.none()))
        rule = views.rule
        cards = [one.happened for one in card.question(question).happened if one.happened.measure == card.measure]
        # What the rule of `finding` says of the same hours.
        size = f" AND coalesce({card.size}, 1e9) >= {rule['least_size']}" if card.size and rule["least_size"] else ""
        asked_for = f"{card.value} {rule['comparison']} {rule['limit_value']}{size}"
        wanted, before = views.hours(card, asked_for, LAST), views.hours(card, asked_for, FIRST)
        known_before = views.hours(card, f"{card.value} IS NOT NULL", FIRST)
        names = [next(name for name in NAMES if re.search(rf"\b{name}\b", one.sentence)) for one in cards]
        assert sorted(names) == sorted(wanted)
        for name, one in zip(names, cards, strict=True):
            condition, hours, unknown = said(card, rule, one)
            counted = views.hours(card, condition, LAST)[name]
            assert counted == wanted[name]
            assert hours == len(counted), one.sentence
            without = f"{condition} AND {card.size} IS NULL" if card.size else "FALSE"
            assert unknown == len(views.hours(card, without, LAST).get(name, []))
            assert any(f"{at:%H:%M}" in one.sentence for at in counted)
            assert one.new == (name not in before and name in known_before)
            told += 1
    assert told > 6


@pytest.mark.parametrize("card", CARDS[-2:], ids=lambda card: card.view)
def test_hours_with_failures_of_several_pools_or_entries_count_once(card: Card):
    views = Views(card, 1)
    hours = {at for day in (FIRST, LAST) for of in views.hours(card, f"{card.value} > 0", day).values() for at in of}
    (section,) = card.question(Asked(views, FIRST, LAST, Calendar(Intervals.none()))).sections
    assert section.finding.startswith(f"{len(hours)} hours ")


def test_a_value_above_its_limit_is_not_written_as_the_limit() -> None:
    """2.004% of the lock requests are more than 2%."""
    card = next(card for card in CARDS if card.rule == "contention_pct")
    views = Views(card, 0)
    views.connection.execute(
        "UPDATE cf_structure_hour SET contention_pct = CASE WHEN structure_name = 'ONE' AND hour(hour_start) = 9 THEN 2.004 ELSE 1 END,"
        " contention_requests = 360000"
    )
    found = structures(Asked(views, FIRST, LAST, Calendar(Intervals.none())))
    assert sentences(found) == [
        "X ONE: 2.004% of the lock requests waited on Tue 3 Nov, 09:00; 1 hour of that day with more than 2% and at least 10 lock requests/s."
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
