"""What tests of the facts of a lake's page ask."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ironlake.dashboards.lake_page.asked import Asked
from ironlake.dashboards.lake_page.contract import Happened, LakePage, Section
from ironlake.dashboards.lake_page.found import Found
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import Intervals
from one_lake import Asks, CaseLake
from views_lake import Row, heading

MONDAY = dt.datetime(2026, 10, 19)


def section(page: LakePage, name: str) -> Section:
    return next(one for one in page.sections if one.id == name)


def happened(page: LakePage, of: str) -> list[Happened]:
    """What happened of a section, in stories of its own or of others."""
    return [one for story in page.happened for one in (story, *story.beside) if one.section == of]


def one_row(lake: OpenLake, text: str) -> tuple[Any, ...]:
    (row,) = lake.sql(text).fetchall()
    return row


# --- Questions of a few rows -------------------------------------------------------------------------------------------

FIRST, LAST = dt.date(2026, 11, 2), dt.date(2026, 11, 3)


class _Days:
    """A case of a shared lake, asked as an open lake is."""

    def __init__(self, lake: CaseLake):
        self._lake = lake

    def sql(self, text: str, parameters: Mapping[str, object] | None = None) -> Any:
        for name, value in (parameters or {}).items():
            text = text.replace(f"${name}", f"TIMESTAMP '{value}'")
        found = self._lake.sql(text).to_arrow_table()
        return SimpleNamespace(arrow=lambda: found)


def asked(
    last: dt.date = LAST, first: dt.date = FIRST, calendar: Calendar | None = None, /, **rows: list[Row]
) -> Asks[Asked]:
    """The days from `first` on of a lake of these rows, of the file one.txt."""
    lake = yield rows
    return Asked(
        _Days(lake),
        first,
        last,
        calendar or Calendar(Intervals.none()),
        dict.fromkeys((lake.own("s1"), "s1"), "one.txt"),
    )


def hour(day: int, at: int = 10, /, **other: object) -> Row:
    """The heading of a page without a service policy, of an hour."""
    start = dt.datetime.combine(FIRST, dt.time(at)) + dt.timedelta(days=day)
    row = heading(start, 3600, scope=None)
    return row | other


def sentences(found: Found) -> list[str]:
    """What is to be looked at; each with the number of its line in the picture."""
    for one in found.happened:
        require_number(found.sections, one.happened)
    return [one.happened.sentence for one in found.happened]


def require_number(sections: Sequence[Section], told: Happened) -> None:
    """A sentence has the worst value of its line in the time that it is of: of cost the change there, and of what is down none."""
    (of,) = [one for one in sections if one.id == told.section]
    chart, rows, series = of.chart, of.rows, told.series
    # No line of a picture has what is missing, the longest of the times at high load, or the hit ratio of a whole day.
    if series is None or chart.form == "bars" or (told.section == "caches" and told.new):
        assert told.section in ("coverage", "response_load", "caches")
        return
    x, y = ([names] if isinstance(names, str) else [*names] for names in (chart.x, chart.y))
    keys = [(chart.split or y[0], series.panel), *([(chart.series, series.name)] if chart.series else [])]
    is_down = told.measure == "coupling facility reports"
    start, end = (told.select.from_s or 0) + 3600 * is_down, (told.select.to_s or 0) - 3600 * is_down
    mine = [
        n
        for n, at in enumerate(rows.of(x[0]))
        if start <= at < end and all((rows.of(name)[n] or "") == value for name, value in keys)
    ]
    columns = ["step_pct", "drift_pct"] if chart.level else [series.column or chart.value or y[0]]
    values = [value for name in columns for value in map(rows.of(name).__getitem__, mine) if value is not None]
    if is_down:
        assert values == [], told.sentence
        return
    assert values, told.sentence
    numbers = re.findall(r"\d[\d,]*(?:\.\d+)?", told.sentence)
    worst = values if chart.level else [min(values) if chart.is_lowest else max(values)]
    assert any(
        abs(abs(value) - float(number.replace(",", ""))) <= 0.5001 * 10.0 ** -len(number.partition(".")[2])
        for number in numbers
        for value in worst
    ), (told.sentence, worst)
