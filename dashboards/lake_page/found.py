"""What a module of facts finds: sections, things to look at, and what cannot be said."""

import datetime as dt
from dataclasses import dataclass
from enum import IntEnum

from .contract import Happened, Section


class Rank(IntEnum):
    """What happened first, first: what costs money, what broke a goal, what fails, what breaks a limit, what is missing."""

    MONEY = 0
    GOAL = 1
    OUTAGE = 2
    LIMIT = 3
    DATA = 4


@dataclass(frozen=True)
class Ranked:
    """`size` puts those of one rank in order, the largest first."""

    rank: Rank
    size: float
    happened: Happened


@dataclass(frozen=True)
class Found:
    sections: tuple[Section, ...] = ()
    happened: tuple[Ranked, ...] = ()
    unknown: tuple[str, ...] = ()


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
