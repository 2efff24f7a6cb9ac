"""What kept goals from being met, on the page of a lake: the delays of the worst interval, of the periods that missed by most."""

import datetime as dt

from ironlake.dashboards.lake_page.facts.asked import Asked
from ironlake.dashboards.lake_page.facts.goal_delays import goal_delays
from ironlake.dashboards.lake_page.facts.goals import goals
from lake_facts import asked
from one_lake import Asks, share_lake
from rmf_rows import service_class
from views_lake import Row, heading

DAY = dt.date(2026, 11, 3)


def period(name: str, index: float, *delays: tuple[str, float], at: int = 10) -> dict[str, list[Row]]:
    """A velocity goal in an hour of the day, with execution delays."""
    page = heading(dt.datetime.combine(DAY, dt.time(at)), 3600, scope="SYSA")
    page |= {"class_kind": "service_class_period", "period": 1, "workload": "W", "service_class": name}
    of_all = page | {"system": "*ALL", "is_total": True}
    goal = of_all | {"goal_type": "velocity", "goal_pct": 50.0, "performance_index": index, "line": 20}
    return {
        "rmf_workload_activity": [
            service_class(name, 40.0) | page | {"class_kind": "service_class", "period": None},
            page | {"transactions_ended": 5, "importance": 2, "line": 11},
        ],
        "rmf_workload_goal": [goal],
        "rmf_workload_delay": [
            of_all | {"delay_group": "EXEC DELAYS %", "reason": reason, "pct": pct, "line": 30 + n}
            for n, (reason, pct) in enumerate(delays)
        ],
    }


def of_periods(*periods: dict[str, list[Row]]) -> Asks[Asked]:
    rows: dict[str, list[Row]] = {}
    for one in periods:
        for name, some in one.items():
            rows.setdefault(name, []).extend(some)
    return asked(DAY, DAY, **rows)


@share_lake
def test_the_delays_of_the_worst_are_told() -> Asks[None]:
    found = goal_delays(
        (
            yield from of_periods(
                period("ONLINE", 1.4, ("TOT", 50.0), ("CPU", 31.04), ("I/O", 12.0)),
                period("BATCH", 3.2, ("CAP", 60.0), ("SWIN", 2.5), ("CPU", 2.0), ("I/O", 1.0), at=11),
                period("MET", 0.9, ("CPU", 90.0)),
            )
        )
    )
    (section,) = found.sections
    assert section.finding == (
        "Worst: BATCH, index 3.2 on Tue 3 Nov, 11:00: delayed by CAP in 60.0% of the samples, SWIN 2.5% and CPU 2.0%."
    )
    names = ("class_period", "reason", "pct", "delays_pct")
    assert list(zip(*map(section.rows.of, names), strict=True)) == [
        *(("BATCH", reason, pct, None) for reason, pct in (("CAP", 60.0), ("SWIN", 2.5), ("CPU", 2.0))),
        *(("ONLINE", reason, pct, 50.0) for reason, pct in (("CPU", 31.0), ("I/O", 12.0))),
    ]


@share_lake
def test_twelve_periods_are_shown() -> Asks[None]:
    """Indexes of 1.01 to 1.15: the lowest three are not among them."""
    (section,) = goal_delays(
        (yield from of_periods(*(period(f"C{n:02}", 1 + n / 100, ("CPU", 5.0)) for n in range(1, 16))))
    ).sections
    assert section.rows.of("service_class") == [f"C{n:02}" for n in range(15, 3, -1)]


@share_lake
def test_a_missed_goal_says_what_delayed_it_most() -> Asks[None]:
    lake = yield from of_periods(
        period("ONLINE", 1.4, ("TOT", 50.0), ("I/O", 12.0), ("CPU", 31.04)), period("BARE", 1.2)
    )
    told = {one.happened.sentence for one in goals(lake).happened}
    assert told == {
        "ONLINE on PLEX1 missed its goal in 1 of 1 interval, importance 2; worst index 1.4 at 10:00, delayed most by CPU, 31.0% of the samples.",
        "BARE on PLEX1 missed its goal in 1 of 1 interval, importance 2; worst index 1.2 at 10:00.",
    }


@share_lake
def test_without_printed_delays_there_is_no_such_section() -> Asks[None]:
    assert not goal_delays((yield from of_periods(period("BARE", 1.2)))).sections
    assert not goal_delays((yield from of_periods(period("MET", 1.0, ("CPU", 90.0))))).sections
