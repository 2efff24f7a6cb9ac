"""Steps of a series: none where there is none, and a planted one on its day."""

import datetime as dt
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.dashboards.lake_page.facts.change_points import LEAST_DAYS, Day, change_points
from property_settings import examples

START = dt.date(2026, 10, 4)


def series(values: list[float], volumes: list[float] | None = None, start: dt.date = START) -> list[Day]:
    return [
        Day(start + dt.timedelta(days=n), value, (volumes or [1000.0] * len(values))[n])
        for n, value in enumerate(values)
    ]


def noise(count: int, share: float, seed: int) -> list[float]:
    """Values around 1, uniform within so much of it."""
    return np.random.default_rng(seed).uniform(1 - share, 1 + share, count).tolist()


@examples(30)
@given(st.integers(0, 60), st.floats(1e-6, 1e9))
def test_a_constant_series_has_no_step(count: int, value: float):
    assert change_points(series([value] * count)) == []


@examples(40)
@given(st.integers(0, 60), st.integers(0, 10**6), st.floats(0, 0.014))
def test_noise_of_less_than_three_percent_has_no_step(count: int, seed: int, share: float):
    assert change_points(series(noise(count, share, seed))) == []


@examples(60)
@given(st.integers(20, 60), st.data(), st.sampled_from([0.8, 0.9, 1.1, 1.22, 2.0]), st.integers(0, 10**6))
def test_a_step_is_found_on_its_day(count: int, data: st.DataObject, ratio: float, seed: int):
    """Noise of 1% around a step of 10% and more, weekends cheaper."""
    at = data.draw(st.integers(6, count - 6))
    values = noise(count, 0.01, seed)
    days = series([v * (ratio if n >= at else 1) for n, v in enumerate(values)])
    days = [Day(d.day, d.value * (0.85 if d.day.weekday() >= 5 else 1), d.volume) for d in days]
    found = change_points(days)
    assert len(found) == 1
    expected = START + dt.timedelta(days=at)
    weekends = sum((START + dt.timedelta(days=n)).weekday() == 5 for n in range(1, count - 2))
    if weekends < 4:
        # With few weekends only weekdays tell: the step is on the first of them.
        assert 0 <= (found[0].day - expected).days <= 2
    else:
        assert found[0].day == expected
    assert found[0].ratio == pytest.approx(ratio, rel=0.02)


def test_the_sides_are_medians_of_four_days_at_least():
    found = change_points(series([2.0, 9.0, 2.0, 2.2, 2.0, 2.0] + [3.0] * 6, start=dt.date(2026, 3, 2)))
    assert [(p.day, p.before, p.after) for p in found] == [
        (dt.date(2026, 3, 9), pytest.approx(2.0), pytest.approx(3.0))
    ]
    monday = dt.date(2026, 3, 2)
    five = [1.0] * 5
    assert LEAST_DAYS == 4
    # Weekdays alone: Monday to Friday, then from Monday on.
    assert change_points(series([*five, 1.0, 1.0, 1.3, 1.3, 1.3], start=monday)) == []
    assert [p.day for p in change_points(series([*five, 1.0, 1.0, 1.3, 1.3, 1.3, 1.3], start=monday))] == [
        dt.date(2026, 3, 9)
    ]


@pytest.mark.parametrize(("ratio", "steps"), [(1.02, 0), (1.04, 1), (0.96, 1), (0.98, 0)])
def test_a_step_is_more_than_three_percent(ratio: float, steps: int):
    assert len(change_points(series([1.0] * 14 + [ratio] * 14))) == steps


@pytest.mark.parametrize(("volume", "steps"), [(1000, 1), (1400, 1), (1600, 0), (600, 1), (400, 0)])
def test_another_volume_is_another_mix(volume: float, steps: int):
    """A cost that changes with twice the transactions is not that of the same work."""
    days = series([1.0] * 14 + [1.3] * 14, [1000.0] * 14 + [volume] * 14)
    assert len(change_points(days)) == steps


@pytest.mark.parametrize(("step", "steps"), [(0.2, 0), (0.3, 1)])
def test_a_step_is_more_than_twice_the_usual_change(step: float, steps: int):
    """Evenly spread within 0.2: half of the changes from day to day are above 0.12, so that the limit is near 0.23."""
    logs = np.random.default_rng(3).uniform(-0.2, 0.2, 200)
    days = series([math.exp(x + (step if n >= 100 else 0)) for n, x in enumerate(logs)])
    assert len(change_points(days)) == steps


def test_two_steps_are_two_and_what_is_short_or_usual_or_without_a_cost_is_none():
    found = change_points(series([1.0] * 10 + [1.2] * 10 + [0.9] * 10))
    assert [p.day for p in found] == [START + dt.timedelta(days=10), START + dt.timedelta(days=20)]
    days = series([1.0] * 14 + [1.3] * 14)
    assert change_points([*days, Day(START + dt.timedelta(days=40), 0.0, 0.0)]) == change_points(days)
    assert change_points(list(reversed(days))) == change_points(days)
    assert change_points(series([1.0] * 14 + [1.3] * 3 + [1.0] * 14)) == []
    swinging = [math.exp(0.2 * (n % 2)) for n in range(28)]
    assert change_points(series([v * (1.1 if n >= 14 else 1) for n, v in enumerate(swinging)])) == []


@examples(60)
@given(
    st.integers(24, 60), st.integers(4, 8), st.data(), st.sampled_from([0.8, 1.15, 1.22, 2.0]), st.integers(0, 10**6)
)
def test_a_step_that_is_soon_undone_is_found_with_both_its_days(
    count: int, length: int, data: st.DataObject, ratio: float, seed: int
):
    """Noise of 1%: neither of the two cuts explains anything without the other."""
    at = data.draw(st.integers(6, count - length - 6))
    days = series([v * (ratio if at <= n < at + length else 1) for n, v in enumerate(noise(count, 0.01, seed))])
    # On days that are all compared: without weekends, of which few are left out.
    days = [Day(START + dt.timedelta(days=n + 2 * (n // 5) + 1), d.value, d.volume) for n, d in enumerate(days)]
    found = change_points(days)
    assert [p.day for p in found] == [days[at].day, days[at + length].day]
    assert [p.ratio for p in found] == [pytest.approx(ratio, rel=0.02), pytest.approx(1 / ratio, rel=0.02)]


def correlated(count: int, share: float, seed: int) -> list[float]:
    """Normal noise of which a day keeps three tenths of the day before."""
    values = [0.0]
    for shock in np.random.default_rng(seed).normal(0, share, count):
        values.append(0.3 * values[-1] + shock)
    return values[1:]


@pytest.mark.parametrize(
    ("kind", "most", "count"),
    [
        ("correlated", 20, 30),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("normal", 4, 30), ("laplace", 4, 60))),
    ],
)
def test_noise_of_five_percent_seldom_has_a_step(kind: str, most: int, count: int):
    """Of 400 series: 1%, or 5% where a day resembles the day before."""

    def of(seed: int) -> list[float]:
        if kind == "correlated":
            return correlated(count, 0.05, seed)
        return getattr(np.random.default_rng(seed), kind)(0, 0.05, count).tolist()

    assert sum(bool(change_points(series([math.exp(x) for x in of(seed)]))) for seed in range(400)) <= most
