"""What a module of facts finds: sections, things to look at, and what cannot be said."""

import datetime as dt
from dataclasses import dataclass
from enum import IntEnum

from .contract import Happened, Section


class Rank(IntEnum):
    """What costs most, first: goals that were missed, money, the peak that is billed, time that was capped, what failed, what was short, what
    costs less than before, what is missing."""

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
    """`size` puts those of one rank in order, the largest first: MSU hours of MONEY and BETTER, those of which no price `is_known` behind them; hours
    of CAPPED. `hours`: when it was so, and `place` where, which makes one story of several; without hours it is a story of its own. `is_little`: of
    less than half of an hour, or undone since: it says little."""

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
