"""Days to come: worked by hand, computed again with whole matrices, and the coverage of intervals over simulated histories."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from command_line import PROGRAM, ended
from ironlake.pipeline.sql.forecast import forecast, meets
from ironlake.pipeline.sql.known_tables import tables
from lake_rows import write_lake
from numpy.typing import NDArray
from rmf_rows import HOUR, hourly
from views_lake import START

MONDAY = dt.date(2026, 1, 5)
Matrix = NDArray[Any]


def series(values: Matrix | list[float], first: dt.date = MONDAY) -> dict[dt.date, float]:
    return {first + dt.timedelta(days=n): float(value) for n, value in enumerate(values)}


def noise(random: np.random.Generator, days: int, share: float) -> Matrix:
    """Noise of deviation 1, of which a day keeps a share of the day before."""
    drawn = random.normal(size=days)
    for n in range(1, days):
        drawn[n] = share * drawn[n - 1] + np.sqrt(1 - share**2) * drawn[n]
    return drawn


def test_a_line_is_not_drawn_across_a_step():
    """Sixty days of 300 and sixty of 360, with a little noise: 90 days later it is 360. A line through all of it says 442."""
    values = np.repeat([300.0, 360.0], 60) + np.random.default_rng(5).normal(0, 2, 120)
    found = forecast(series(values), 90)
    assert found.step == MONDAY + dt.timedelta(days=60)
    assert found.days[-1].low80 < 360 < found.days[-1].high80
    assert found.days[-1].high95 < 380
    assert np.polyval(np.polyfit(np.arange(120), values, 1), 209) > 440


def test_a_limit_is_met_on_the_last_days_of_a_month():
    """100 on weekdays, 60 at weekends, 150 on the last two days of a month, a tenth more each day. 200 days from Monday 5 January end on 23 July:
    the middle first meets 170.5 on 30 July, day 206; the mean of all days is far from it for years."""
    dates = [MONDAY + dt.timedelta(days=n) for n in range(206 + 1)]
    ends = [(day + dt.timedelta(days=2)).month != day.month for day in dates]
    values = [
        100.0 - 40 * (day.weekday() > 4) + 50 * end + n / 10
        for n, (day, end) in enumerate(zip(dates, ends, strict=True))
    ]
    found = forecast(series(values[:200]), 200)
    assert found.days[6].value == pytest.approx(values[206])
    assert meets(found.days, 170.5)[1] == dates[206] == dt.date(2026, 7, 30)
    assert meets(found.days, 1e6) == (None, None, None)
    assert found.step is None


def test_without_days_there_is_a_word():
    some = list(series(noise(np.random.default_rng(1), 120, 0.3)).items())
    assert forecast(dict(some[:59]), 30).why_not == "59 days are known; 60 are needed"
    assert forecast(dict(some[::2]), 30).why_not == "59 of 119 days are missing"
    assert len(forecast(dict(some[:60]), 365).days) == 60
    # What no Sunday and no end of a month told, nothing says of those to come.
    usual = {day: value for day, value in some if day.weekday() < 6 and (day + dt.timedelta(days=2)).month == day.month}
    found = forecast(usual, 60).days
    assert {one.day.weekday() for one in found} == set(range(6))
    assert len(found) > 40
    assert all((one.day + dt.timedelta(days=2)).month == one.day.month for one in found)


def test_days_that_are_alike_go_on():
    found = forecast(series([250.0] * 60), 30)
    assert (found.step, found.why_not) == (None, "")
    assert [round(one.value, 3) for one in found.days] == [250.0] * 30
    assert found.days[-1].high95 - found.days[-1].low95 < 0.1


@pytest.mark.slow
def test_the_predictor_by_whole_matrices():
    """Inverses of the correlations of 100 days with gaps, in place of whitened columns: with no step, with the best one, and both mixed."""
    random = np.random.default_rng(56)
    every = series(200 + 10 * noise(random, 130, 0.5))
    dates = sorted(every)
    known, later = [day for n, day in enumerate(dates[:100]) if n % 9 != 4 or n == 99], dates[100:]
    at, ahead = (np.array([(day - dates[0]).days for day in days]) for days in (known, later))
    y = np.array([every[day] for day in known])

    def shape(days: list[dt.date], step: dt.date | None) -> Matrix:
        rows = [
            [1, (day - dates[0]).days, *(day.weekday() == n for n in range(6)), (day + dt.timedelta(days=2)).day <= 2]
            for day in days
        ]
        return np.array([[*row, *([day >= step] if step else [])] for row, day in zip(rows, days, strict=True)], float)

    def fitted(x: Matrix, share: float) -> tuple[Any, ...]:
        inverse = np.linalg.inv(share ** np.abs(at[:, None] - at))
        information = x.T @ inverse @ x
        left = y - x @ (weights := np.linalg.solve(information, x.T @ inverse @ y))
        return inverse, information, weights, left @ inverse @ left

    def likelihood(step: dt.date | None) -> float:
        of_shares = ((fitted(shape(known, step), n / 5)) for n in range(5))
        return max(np.linalg.slogdet(inverse)[1] - len(y) * np.log(squares) for inverse, *_, squares in of_shares)

    def mixed(found: list[tuple[Matrix, Matrix]], weights: list[float]) -> tuple[Matrix, Matrix]:
        middles, variances = (np.array(part) for part in zip(*found, strict=True))
        weight = np.array(weights) / np.sum(weights)
        return weight @ middles, weight @ (variances + middles**2) - (weight @ middles) ** 2

    def averaged(step: dt.date | None) -> tuple[Matrix, Matrix]:
        x, x_later, found, logs = shape(known, step), shape(later, step), [], []
        free = x.shape[0] - x.shape[1]
        for share in np.arange(20) / 20:
            inverse, information, weights, squares = fitted(x, share)
            across = share ** np.abs(ahead[:, None] - at)
            beside = x_later - across @ inverse @ x
            spread = 1 - np.einsum("ij,jk,ik->i", across, inverse, across)
            spread += np.einsum("ij,jk,ik->i", beside, np.linalg.inv(information), beside)
            found.append((x_later @ weights + across @ inverse @ (y - x @ weights), squares / free * spread))
            logs.append(
                -free / 2 * np.log(squares) - (np.linalg.slogdet(information)[1] - np.linalg.slogdet(inverse)[1]) / 2
            )
        return mixed(found, list(np.exp(np.array(logs) - max(logs))))

    best = max(known[7:-6], key=likelihood)
    chance = 1 / (1 + np.exp((11 - likelihood(best) + likelihood(None)) / 2))
    middle, variance = mixed([averaged(None), averaged(best)], [1 - chance, chance])
    got = forecast({day: every[day] for day in known}, 30).days
    assert [one.value for one in got] == pytest.approx(middle.tolist())
    # The 97.5% quantile of Student's t with 89 - 10 degrees of freedom.
    assert len(known) == 89
    assert [one.high95 - one.low95 for one in got] == pytest.approx(
        (2 * 1.990450 * np.sqrt(variance)).tolist(), rel=1e-5
    )


@pytest.mark.slow
def test_coverage_of_the_intervals():
    """500 histories of 60 to 365 days: trend, weekdays, month's end, noise that keeps up to 0.7, and a step of up to some deviations. The bounds
    are those of docs/planning.md."""
    random = np.random.default_rng(11)
    within: dict[int, list[tuple[bool, bool]]] = {7: [], 30: [], 90: []}
    for _ in range(500):
        known = int(random.integers(60, 366))
        first = dt.date(2026, 1, 1) + dt.timedelta(days=int(random.integers(0, 365)))
        dates = [first + dt.timedelta(days=n) for n in range(known + 90)]
        deviation, of_weekday = random.uniform(5, 30), random.normal(0, 30, 7)
        values = (
            300
            + random.normal(0, 0.2) * np.arange(len(dates))
            + deviation * noise(random, len(dates), random.uniform(0, 0.7))
        )
        values += [of_weekday[day.weekday()] + 40 * ((day + dt.timedelta(days=2)).month != day.month) for day in dates]
        values[int(random.integers(10, known - 10)) :] += random.normal(0, 4) * deviation
        found = forecast(dict(zip(dates[:known], map(float, values[:known]), strict=True)), 90)
        for horizon, hits in within.items():
            if horizon <= len(found.days):
                day, value = found.days[horizon - 1], values[known + horizon - 1]
                hits.append((day.low80 <= value <= day.high80, day.low95 <= value <= day.high95))
    for horizon, hits in within.items():
        of_80, of_95 = np.mean(hits, axis=0)
        assert 0.76 <= of_80 <= 0.84, (horizon, of_80)
        assert 0.92 <= of_95 <= 0.97, (horizon, of_95)


@pytest.mark.slow
def test_the_command_says_when_a_peak_meets_its_capacity(tmp_path: Path):
    """70 days of 24 equal hours, a MSU more each day from 100: the highest average of day n is 100 + n; the first lacks three hours. 199.5 is met on
    day 100; a partition that began ten days ago has no forecast."""
    rows = [
        row | {"msu_defined": 199.5, "line": n}
        for n, row in enumerate(hourly(*map(float, np.repeat(100.0 + np.arange(70), 24))), 1)
    ]
    midnight = START.replace(hour=0) - START
    rows = [row | {name: row[name] + midnight for name in ("interval_start", "interval_end")} for row in rows]
    late = [
        row | {"system": "SYSB", "partition": "LPARB", "mvs_partition": "LPARB", "source_id": "b"}
        for row in rows[-240:]
    ]
    schema = pa.schema([f.with_nullable(True) for f in tables()["rmf_partition_data"].schema])
    table = pa.table({name: [row.get(name) for row in rows + late] for name in schema.names}, schema=schema)
    write_lake(tmp_path / "lake", {"rmf_partition_data": table})
    answer = ended(*PROGRAM, "forecast", "--lake", tmp_path / "lake", "--days", 40, "--format", "json")
    assert answer.returncode == 0, answer.stderr
    first, other = json.loads(answer.stdout)
    last = (START + 69 * 24 * HOUR).date()
    assert (first["measure"], first["unit"], first["known_days"], first["last_day"]) == (
        "four_hour_msu",
        "MSU/h",
        69,
        str(last),
    )
    assert (first["day"], first["value"]) == (str(last + dt.timedelta(days=40)), pytest.approx(209, abs=0.1))
    assert (first["limit"], first["reached"], first["note"]) == (199.5, str(START.date() + dt.timedelta(days=100)), "")
    assert (other["value"], other["limit"], other["note"]) == (None, 199.5, "9 days are known; 60 are needed")
    write_lake(tmp_path / "hours", {"rmf_partition_data": table.slice(0, 20)})
    answer = ended(*PROGRAM, "forecast", "--lake", tmp_path / "hours", "--format", "json")
    assert (json.loads(answer.stdout), answer.stderr) == (
        [],
        "no day of a series is known in full, which takes 23 hours\n",
    )
