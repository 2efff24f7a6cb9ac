"""How many reads missed the cache of the storage, and where more than on other days?"""

from collections.abc import Iterable, Iterator

from ..asked import Asked, Row, highest_known
from ..found import Ranked, format_day
from ..question import days_of_labels, of_hours, question, usual

# Field practice of this project: reads per second.
_LEAST_READS_PER_S = 10.0


def _fewer_hits(asked: Asked, rows: list[Row], _: list[Row]) -> tuple[str, Iterable[Ranked]]:
    return "", _news(asked, rows)


def _news(asked: Asked, rows: list[Row]) -> Iterator[Ranked]:
    """Control units with a larger share of missed reads on the last day than on each earlier day. A day with an unknown
    hour is not compared."""
    for label, every_day in days_of_labels(rows).items():
        counts = ("reads_per_s", "read_misses_per_s")
        days = {day: of for day, of in every_day.items() if all(row[n] is not None for row in of for n in counts)}
        last = days.get(asked.last_day)
        if last is None or _reads(last) / sum(row["covered_s"] for row in last) < _LEAST_READS_PER_S:
            continue
        before = usual(
            _miss_pct(last), [_miss_pct(of) for day, of in days.items() if day < asked.last_day and _reads(of)]
        )
        if before is not None:
            worst = highest_known(last, caches.shown, "read_misses_per_s")
            sentence = (
                f"Cache of {label}: {100 - _miss_pct(last):.1f}% of the reads hit on {format_day(asked.last_day)},"
                f" usually {100 - before:.1f}%."
            )
            size = _miss_pct(last)
            yield of_hours(asked, caches, last, worst, sentence, "cache read hits", size=size, new=True)


def _reads(rows: list[Row]) -> float:
    return sum(row["reads_per_s"] * row["covered_s"] for row in rows)


def _miss_pct(rows: list[Row]) -> float:
    return 100 * sum(row["read_misses_per_s"] * row["covered_s"] for row in rows) / _reads(rows)


caches = question(
    """
    caches: How many reads missed the cache of the storage?
    view: cache_hour
    name: concat(control_unit, ' (SSID ' || ssid || ')') || ' on ' || system
    also: 100 - read_hit_pct AS read_miss_pct
    columns: hour_start, label "Control unit and system that prints it", read_miss_pct "Reads that missed" .2,
        read_misses_per_s .1, reads_per_s .0, write_hit_pct "Writes that hit" .2, writes_per_s .0,
        delayed_writes_pct "Writes that waited for storage" .3, system, sysplex
    chart: lines read_miss_pct
    finding: Most: {label}, {read_miss_pct:.1f}% of its reads on {at}.
    unknown: There were no reads.
    ranks: read_misses_per_s
    most: control unit
    note: A control unit counts the requests of all systems, whichever prints it.
    card: cache_delayed_writes_pct "cache delayed writes" .1: Cache of {label}: {value}% of the writes found no
        non-volatile storage on {at}
    """,
    beside=_fewer_hits,
)
