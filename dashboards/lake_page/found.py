"""The findings of a module of facts: sections, things to look at, and sentences on what is unknown."""

import datetime as dt
from dataclasses import dataclass
from enum import IntEnum

from .contract import Happened, Section


class Rank(IntEnum):
    """The costliest first: missed goals, money, the billed peak, capped time, failures, shortages, work that costs less
    than before, missing data."""

    GOAL = 0
    MONEY = 1
    PEAK = 2
    CAPPED = 3
    OUTAGE = 4
    CAPACITY = 5
    BETTER = 6
    DATA = 7


@dataclass(frozen=True)
class Ranked:
    """`size` orders findings of one rank, the largest first: MSU hours of MONEY and BETTER, with those whose price is
    not known (`is_known`) last; hours of CAPPED. `hours` and `place`: when and where it was so; findings that share
    both are one story, and a finding without hours is a story of its own. `is_little`: the finding says little, because
    it covers less than half of an hour, or was undone since."""

    rank: Rank
    size: float
    happened: Happened
    hours: frozenset[dt.datetime] = frozenset()
    place: tuple[object, ...] = ()
    is_known: bool = True
    is_little: bool = False


@dataclass(frozen=True)
class Found:
    sections: tuple[Section, ...] = ()
    happened: tuple[Ranked, ...] = ()
    unknown: tuple[str, ...] = ()


def hours_between(start: dt.datetime, end: dt.datetime) -> frozenset[dt.datetime]:
    """The clock hours that a time is in.

    >>> sorted(hour.hour for hour in hours_between(dt.datetime(2026, 11, 2, 10, 15), dt.datetime(2026, 11, 2, 12)))
    [10, 11]
    """
    first = start.replace(minute=0, second=0, microsecond=0)
    count = -(-(end - first) // dt.timedelta(hours=1))
    return frozenset(first + dt.timedelta(hours=n) for n in range(max(1, count)))


def format_hour(time: dt.datetime) -> str:
    """A time as it is read in the morning.

    >>> format_hour(dt.datetime(2026, 11, 2, 10))
    'Mon 2 Nov, 10:00'
    """
    return f"{time:%a} {time.day} {time:%b}, {time:%H:%M}"


def format_day(day: dt.date) -> str:
    """
    >>> format_day(dt.date(2026, 11, 2))
    'Mon 2 Nov'
    """
    return f"{day:%a} {day.day} {day:%b}"


def format_change(ratio: float) -> str:
    """A value as a change of another, with a true minus.

    >>> format_change(1.21), format_change(0.83)
    ('+21%', '−17%')
    """
    return f"{ratio - 1:+.0%}".replace("-", "−")


def listed(names: list[str], most: int = 4) -> str:
    """Names in a sentence.

    >>> listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C"], most=2)
    ('A', 'A and B', 'A, B and 1 more')
    """
    if len(names) <= most:
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
    return f"{', '.join(names[:most])} and {len(names) - most:,} more"
