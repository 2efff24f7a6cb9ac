"""Windows of time in words: which times they are, and what cannot be read."""

import datetime as dt
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.study.windows import parse_windows, resolved

# A Tuesday.
TODAY = dt.date(2026, 3, 3)
LAKE = dt.date(2026, 2, 20), dt.date(2026, 3, 10)


def told(text: str) -> str:
    found = resolved(parse_windows(text, TODAY), *LAKE)
    windows = (f"{start:%m-%d %H:%M:%S}/{end:%m-%d %H:%M:%S}" for start, end in found)
    return ", ".join(window.replace(":00/", "/").removesuffix(":00") for window in windows)


@pytest.mark.parametrize(
    ("text", "windows"),
    [
        ("2026-03-02T10:00/11:00", "03-02 10:00/03-02 11:00"), ("2026-03-02 10:00:30/2026-03-03", "03-02 10:00:30/03-03 00:00"),
        ("2026-03-02", "03-02 00:00/03-03 00:00"), ("2026-02", "02-01 00:00/03-01 00:00"), ("today", "03-03 00:00/03-04 00:00"),
        ("Yesterday 9:00/17:30", "03-02 09:00/03-02 17:30"), ("2026-03-02 22:00/06:00", "03-02 22:00/03-03 06:00"),
        # Windows that touch are one.
        ("2026-03-02T10:15/10:30, 2026-03-02T10:00/10:15", "03-02 10:00/03-02 10:30"), ("last-7-days", "02-24 00:00/03-03 00:00"),
        ("this-week", "03-02 00:00/03-04 00:00"), ("last-week", "02-23 00:00/03-02 00:00"), ("this-month", "03-01 00:00/03-04 00:00"),
        ("last-month", "02-01 00:00/03-01 00:00"), ("february", "02-01 00:00/03-01 00:00"),
        # The last March and April that have begun, seen from March.
        ("Mondays of March 10:00/11:00", ", ".join(f"03-{d:02} 10:00/03-{d:02} 11:00" for d in (2, 9, 16, 23, 30))),
        ("sundays in april", ", ".join(f"04-{d:02} 00:00/04-{d + 1:02} 00:00" for d in (6, 13, 20, 27))),
        ("weekends", "02-21 00:00/02-23 00:00, 02-28 00:00/03-02 00:00, 03-07 00:00/03-09 00:00"),
        ("weekday 2026-02-28/2026-03-04", "03-02 00:00/03-04 00:00"),
        ("today, 2026-02-10 10:00/11:00", "02-10 10:00/02-10 11:00, 03-03 00:00/03-04 00:00"),
    ],
)  # fmt: skip
def test_words_are_times(text: str, windows: str) -> None:
    assert told(text) == windows


def test_the_last_month_of_a_name_is_of_its_year() -> None:
    years = [resolved(parse_windows(text, TODAY), *LAKE)[0].start.year for text in ("sundays in april", "march")]
    assert years == [2025, 2026]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read"), ("yesterday,", "cannot be read"), ("mondays tuesdays", "'tuesdays' in the window"),
        ("yesterday 10:00", "cannot be read"), ("2026-03-02T10:00", "is no period"), ("2026-13", "is no period"), ("last-0-days", "is no period"),
        ("2026-13-01T10:00/11:00", "'2026-13-01T10:00' in the window"), ("yesterday 10:00/25:00", "25:00"), ("2026-03-02T10:00Z/11:00", "time zone"),
        ("2026-03-02T23:00/01:00", "past midnight"), ("2026-03-04/2026-03-02", "ends before it starts"), ("saturdays 2026-03-02", "no day is left"),
        ("yesterday, 2026-03-02 10:00/11:00", "two windows overlap"), ("0001-01-01/9999-12-31 10:00/11:00", "more than 10,000 windows"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolved(parse_windows(text, TODAY), *LAKE)
    assert message in str(caught.value)


@given(st.dates(dt.date(2020, 1, 1), dt.date(2030, 1, 1)), st.integers(0, 40), st.times(), st.times())
def test_hours_of_days_are_windows_of_that_length_on_each_day(
    first: dt.date, days: int, start: dt.time, end: dt.time
) -> None:
    start, end = (t.replace(second=0, microsecond=0) for t in (start, end))
    last = first + dt.timedelta(days=days + 1)
    found = resolved(parse_windows(f"{first}/{last} {start:%H:%M}/{end:%H:%M}", TODAY), *LAKE)
    seconds = (end.hour - start.hour) * 3600 + (end.minute - start.minute) * 60
    seconds += 86_400 * (seconds <= 0)
    assert sum((w.end - w.start).total_seconds() for w in found) == seconds * (days + 1)
    assert found[0].start == dt.datetime.combine(first, start)
    assert all(a.end < b.start for a, b in pairwise(found))


@given(st.text(max_size=30))
def test_any_text_is_windows_or_a_usage_error(text: str) -> None:
    try:
        found = resolved(parse_windows(text, TODAY), *LAKE)
    except UsageError:
        return
    assert all(start < end for start, end in found)
