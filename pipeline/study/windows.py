"""Windows of time in words, such as `yesterday`, `last-7-days` or `mondays 2026-03 10:00/11:00`."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import UsageError


class Window(NamedTuple):
    """Local time as printed; `end` is not in it."""

    start: dt.datetime
    end: dt.datetime


_DAY, _MIDNIGHT = dt.timedelta(days=1), dt.time()
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SETS_OF_DAYS = {
    **{f"{name}{s}": frozenset({number}) for number, name in enumerate(_WEEKDAYS) for s in ("", "s")},
    **{f"weekday{s}": frozenset(range(5)) for s in ("", "s")},
    **{f"weekend{s}": frozenset({5, 6}) for s in ("", "s")},
}
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")  # fmt: skip
_LAST_DAYS = re.compile(r"last-([1-9][0-9]{0,3})-days")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
_TIME = r"[0-9]{1,2}:[0-9:.]+"
_HOURS = re.compile(f"{_TIME}/{_TIME}")
_FROM_TO = re.compile(r"([0-9]+-[0-9]+-[0-9]+)/([0-9]+-[0-9]+-[0-9]+)")
# START has a date and a time, END a time, a date or both; zones are read to be refused. DATE TIME/TIME with a blank is a period with hours.
_START_END = re.compile(r"([0-9]+-[0-9]+-[0-9]+(?:T[0-9]+:\S+?(?=/)| [0-9]+:\S+?(?=/\S*-)))/(\S+(?: \S+)?)")
_EVERY_DAY = frozenset(range(7))
_HINT = (
    "for example 2026-03-02T10:00/11:00, yesterday, last-7-days, this-week, 2026-03, or days and hours of these:"
    " mondays 2026-03 10:00/11:00, mondays of march"
)
# More windows than hours of a year are a mistake.
_MOST_WINDOWS = 10_000


@dataclass(frozen=True)
class Days:
    """Days and hours. `first`, `last`: the days, both in it; None: all of the lake. `weekdays`: 0 is Monday. `hours`: from and to; a `to` that
    is not later than `from` is on the next day."""

    first: dt.date | None
    last: dt.date | None
    weekdays: frozenset[int] = _EVERY_DAY
    hours: tuple[dt.time, dt.time] = (_MIDNIGHT, _MIDNIGHT)

    def windows(self, first: dt.date, last: dt.date) -> Iterator[Window]:
        """The windows; `first` and `last` are the days of the lake. Days without a break are one window."""
        from_, to = self.hours
        day, last = self.first or first, self.last or last
        until = dt.timedelta(0) if to > from_ else _DAY
        current: Window | None = None
        while day <= last:
            if day.weekday() in self.weekdays:
                found = Window(dt.datetime.combine(day, from_), dt.datetime.combine(day, to) + until)
                if current and current.end == found.start:
                    current = Window(current.start, found.end)
                else:
                    if current:
                        yield current
                    current = found
            if day == dt.date.max:
                break
            day += _DAY
        if current:
            yield current


def parse_windows(text: str, today: dt.date) -> list[Window | Days]:
    """The parts of a text, parted by commas. `today` is what relative words count from.

    >>> parse_windows("2026-03-02T10:00/11:00", dt.date(2026, 3, 3))
    [Window(start=datetime.datetime(2026, 3, 2, 10, 0), end=datetime.datetime(2026, 3, 2, 11, 0))]
    >>> [(str(d.first), str(d.last)) for d in parse_windows("yesterday, last-week, 2026-02", dt.date(2026, 3, 3))]
    [('2026-03-02', '2026-03-02'), ('2026-02-23', '2026-03-01'), ('2026-02-01', '2026-02-28')]

    Raises UsageError for a text that cannot be read."""
    return [_part(part.strip(), today) for part in text.split(",")]


def resolved(parts: Sequence[Window | Days], first: dt.date, last: dt.date) -> list[Window]:
    """The windows in order of time; `first` and `last` are the days of the lake. Windows that touch are one, so that a page which reaches over both
    counts once. Raises UsageError where two overlap, or if there are none."""
    found: list[Window] = []
    for part in parts:
        for window in [part] if isinstance(part, Window) else part.windows(first, last):
            found.append(window)
            if len(found) > _MOST_WINDOWS:
                raise UsageError(f"more than {_MOST_WINDOWS:,} windows", "fewer days")
    if not found:
        raise UsageError("no day is left", "days of the week that the period has")
    found.sort()
    joined = found[:1]
    for window in found[1:]:
        if window.start < joined[-1].end:
            what = f"two windows overlap: {_told(joined[-1])} and {_told(window)}"
            raise UsageError(what, "windows that share no time")
        if window.start == joined[-1].end:
            joined[-1] = Window(joined[-1].start, window.end)
        else:
            joined.append(window)
    return joined


def _told(window: Window) -> str:
    return f"{window.start.isoformat(timespec='minutes')}/{window.end.isoformat(timespec='minutes')}"


def _part(text: str, today: dt.date) -> Window | Days:
    if found := _START_END.fullmatch(text):
        return _between(text, found[1], found[2])
    words = text.split()
    weekdays = _SETS_OF_DAYS.get(words[0].lower()) if words else None
    if weekdays is not None:
        words.pop(0)
    hours = _hours(text, words.pop()) if words and _HOURS.fullmatch(words[-1]) else (_MIDNIGHT, _MIDNIGHT)
    # "mondays of march" as it is said.
    if weekdays is not None and len(words) > 1 and words[0].lower() in ("of", "in"):
        words.pop(0)
    if len(words) > 1 or not (words or weekdays):
        raise UsageError(f"the window {text!r} cannot be read", "START/END, or [DAYS] [PERIOD] [FROM/TO]", _HINT)
    first, last = _period(text, words[0].lower(), today) if words else (None, None)
    return Days(first, last, weekdays or _EVERY_DAY, hours)


def _between(text: str, first: str, last: str) -> Window:
    start = _moment(text, first)
    end = _moment(text, last if "-" in last else f"{start:%Y-%m-%d}T{last}")
    if end <= start:
        hint = "an END without a date takes that of START; past midnight, give its date"
        raise UsageError(f"the window {text!r} ends before it starts", "an END after START", hint)
    return Window(start, end)


def _moment(text: str, moment: str) -> dt.datetime:
    try:
        found = dt.datetime.fromisoformat(moment)
    except ValueError:
        what = f"{moment!r} in the window {text!r} is not a time"
        raise UsageError(what, "an ISO time such as 2026-03-02T10:00", _HINT) from None
    if found.tzinfo:
        raise UsageError(f"{moment!r} in the window {text!r} has a time zone", "local time as printed, without a zone")
    return found


def _hours(text: str, hours: str) -> tuple[dt.time, dt.time]:
    first, last = (_moment(text, f"2000-01-01T{time.zfill(5)}").time() for time in hours.split("/"))
    return first, last


def parse_day(text: str, today: dt.date) -> dt.date:
    """A date, `today` or `yesterday`. Raises UsageError for any other text.

    >>> str(parse_day("yesterday", dt.date(2026, 3, 1)))
    '2026-02-28'
    """
    try:
        return {"today": today, "yesterday": today - _DAY}.get(text) or dt.date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text[:40]!r} is not a day", "a day such as 2026-11-02, today or yesterday") from None


def _period(text: str, word: str, today: dt.date) -> tuple[dt.date, dt.date]:
    """First and last day."""
    monday = today - today.weekday() * _DAY
    named = {
        "today": (today, today),
        "yesterday": (today - _DAY, today - _DAY),
        "this-week": (monday, today),
        "last-week": (monday - 7 * _DAY, monday - _DAY),
        "this-month": (today.replace(day=1), today),
        "last-month": _month(today.replace(day=1) - _DAY),
    }
    if word in named:
        return named[word]
    if word in _MONTHS:
        # The last one that has begun.
        number = _MONTHS.index(word) + 1
        return _month(dt.date(today.year - (number > today.month), number, 1))
    if found := _LAST_DAYS.fullmatch(word):
        return today - int(found[1]) * _DAY, today - _DAY
    if found := _FROM_TO.fullmatch(word):
        first, end = (_date(text, date) for date in found.groups())
        if end <= first:
            raise UsageError(f"the window {text!r} ends before it starts", "an END after START, which is not in it")
        return first, end - _DAY
    if _MONTH.fullmatch(word):
        return _month(_date(text, f"{word}-01"))
    date = _date(text, word)
    return date, date


def _date(text: str, word: str) -> dt.date:
    try:
        return dt.date.fromisoformat(word)
    except ValueError:
        what = f"{word!r} in the window {text!r} is no period"
        raise UsageError(what, "a date such as 2026-03-02, a month, or words such as yesterday", _HINT) from None


def _month(day: dt.date) -> tuple[dt.date, dt.date]:
    first = day.replace(day=1)
    return first, (first + 31 * _DAY).replace(day=1) - _DAY
