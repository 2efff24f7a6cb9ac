"""The 95% interval of the mean of like differences: worked by hand, what must hold of any series, and how often it holds the truth."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.sql.paired_differences import MeanDifference, mean_difference
from property_settings import examples
from random_units import many, on_end
from sizes import some


def _of(differences: Sequence[float], loads: Sequence[float], hidden: float = 0.0) -> MeanDifference:
    """Of one series of quarter-hours."""
    units = len(differences)
    found = mean_difference(differences, loads, [900.0] * units, on_end(units), hidden)
    assert found
    return found


def _ends(found: MeanDifference) -> tuple[float, float, float]:
    estimate = found.estimate
    assert estimate.lower is not None
    assert estimate.upper is not None
    return estimate.lower, estimate.value, estimate.upper


# Twenty on end: loads of 90 and 110, a tenth less at each, and by turns 1 more and 1 less than that.
LOADS = [90.0, 90.0, 110.0, 110.0] * 5
TENTH_LESS = [-0.1 * load + (1 if n % 2 == 0 else -1) for n, load in enumerate(LOADS)]


def test_a_tenth_less_at_every_load_is_as_sure_as_what_is_left_of_it():
    """What the line leaves is +1, -1, +1 …, so all twenty count: error² = 20 / 18 / 20 = 1/18, t of 18 degrees 2.1009: -10 ± 0.4952."""
    found = _of(TENTH_LESS, LOADS)
    assert found.by_load
    assert _ends(found) == pytest.approx((-10.4952, -10, -9.5048), abs=1e-4)
    assert (found.estimate.units, found.estimate.effective_units) == (20, 20)


def test_a_series_too_short_for_a_line_counts_the_spread_of_its_differences():
    """Sixteen, -8 -12 -10 -10 and so on: s² = 32 / 15. Neighbours are opposite, so all sixteen count: error² = s² / 16, t of 15 degrees 2.1314."""
    found = _of([-8.0, -12.0, -10.0, -10.0] * 4, LOADS[:16])
    assert not found.by_load
    lower, value, upper = _ends(found)
    assert (value, upper - value) == (pytest.approx(-10), pytest.approx(value - lower))
    spread = math.sqrt(32 / 15 / 16)
    assert upper - value == pytest.approx(2.1314 * spread, rel=1e-4)


def test_a_series_counts_for_as_many_degrees_as_it_has_units_that_count():
    """Twenty days of which ten are 1 more and ten 1 less, at one load: neighbours resemble each other by 18/19, so hardly one unit counts,
    and t of one degree is 12.706."""
    found = _of([1.0] * 10 + [-1.0] * 10, [100.0] * 20).estimate
    assert found.effective_units < 1.5
    assert found.degrees_of_freedom == 1
    assert found.error
    assert found.upper == pytest.approx(12.7062 * found.error, rel=1e-5)


def test_without_units_or_with_units_apart_nothing_is_told_of_loads():
    assert mean_difference([], [], []) is None
    three = mean_difference([-10.0, -11.0, -9.0], [95.0, 96.5, 99.5], [900.0] * 3)
    assert three
    assert not three.by_load
    # s = 1, of the mean 1/√3, t of 2 degrees 4.3027.
    assert _ends(three) == pytest.approx((-12.4841, -10, -7.5159), abs=1e-4)


def test_what_has_no_load_of_its_own_follows_that_of_other_work():
    """Nothing before, 0.4 of the load after, ± 1 by turns: against 2 and 1.8 times the load the slope is 0.4 / 1.9, and what is left is ± 1:
    error² = 1/18 as above: 40 ± 0.495. Without other work the rise and fall itself counts."""
    after = [0.4 * load + (1 if n % 2 == 0 else -1) for n, load in enumerate(LOADS)]
    work = [2 * load for load in LOADS], [1.8 * load for load in LOADS]
    halves, seconds = [d / 2 for d in after], [900.0] * 20
    found = mean_difference(after, halves, seconds, on_end(20), work=work)
    assert found
    assert found.by_load
    assert _ends(found) == pytest.approx((39.5048, 40, 40.4952), abs=1e-4)
    alone = mean_difference(after, halves, seconds, on_end(20))
    assert alone
    assert not alone.by_load


@given(st.lists(st.floats(0.1, 1000), min_size=1, max_size=100), st.sampled_from([1, -1]), st.booleans())
def test_a_sign_test_needs_six_units_apart_or_sixty_four_on_end(values: list[float], sign: int, are_on_end: bool):
    """Six of one sign are chance in 2 of 64 cases."""
    differences, units = [sign * v for v in values], len(values)
    follows = on_end(units) if are_on_end else []
    found = mean_difference(differences, values, [900.0] * units, follows)
    assert found
    assert found.of_one_sign == (units >= (64 if are_on_end else 6))
    other = mean_difference(
        [*differences, -sign], [*values, 1.0], [900.0] * (units + 1), [*follows, are_on_end] if follows else []
    )
    assert other
    assert not other.of_one_sign


VALUES = st.floats(-1000, 1000, allow_nan=False).map(lambda v: round(v, 2))
SERIES = st.lists(st.tuples(VALUES, st.floats(0, 1000).map(lambda v: round(v, 2))), min_size=14, max_size=60)


@examples(40)
@given(SERIES, st.floats(0.01, 100), st.floats(-1000, 1000))
def test_it_moves_and_grows_with_the_differences_and_is_the_same_from_the_other_side_and_end(
    series: list[tuple[float, float]], times: float, more: float
):
    differences, loads = ([float(v) for v in column] for column in zip(*series, strict=True))
    found = _of(differences, loads)
    lower, value, upper = _ends(found)
    assert lower <= value <= upper
    size = 1 + max(abs(lower), abs(upper)) * max(times, 1) + abs(more)
    for other, ends in (
        (_of([times * d + more for d in differences], loads), [times * end + more for end in (lower, value, upper)]),
        (_of([-d for d in differences], loads), (-upper, -value, -lower)),
        (_of(differences[::-1], loads[::-1]), (lower, value, upper)),
    ):
        # At the limit itself the last bit may decide which form is taken.
        if found.by_load == other.by_load:
            assert _ends(other) == pytest.approx(tuple(ends), abs=1e-6 * size)


@given(st.lists(st.floats(1, 1000), min_size=20, max_size=60), st.floats(-0.9, 2))
def test_the_same_percentage_at_every_load_is_certain(loads: list[float], part: float):
    found = _of([part * load for load in loads], loads)
    lower, value, upper = _ends(found)
    if found.by_load:
        assert upper - lower <= 1e-5 * max(loads)
    assert value == pytest.approx(part * sum(loads) / len(loads), abs=1e-9 * max(loads))


def coverage(times: int, units: int, memory: float, cycle: float, change: str) -> float:
    """Two days whose load of 100 rises and falls by `cycle`, each with noise of 5; the second is as the first, 10 less, or a tenth less
    at every load, in the last form with noise of 5% of the load; or nothing moves to 0.4 of the load, out of other work of 2.5 times the load
    that has noise of its own."""
    random = np.random.default_rng(20210413)
    load = 100 * (1 + cycle * np.sin(2 * np.pi * np.arange(units) / units))
    one, other = (5 * many(random, times, units, memory) for _ in range(2))
    grows = change == "tenth, noise too"
    noise = load / 100 if grows else 1.0
    before = load + noise * one
    after = {"none": load, "ten": load - 10}.get(change, 0.9 * load) + noise * other * (0.9 if grows else 1)
    truth = {"none": 0, "moved": 40}.get(change, -10)
    rest: list[np.ndarray] = []
    if change == "moved":
        rest = [part * load + 8 * many(random, times, units, memory) for part in (2.5, 2.1)]
        before, after = np.zeros_like(one), 0.4 * load + 0.4 * other
    follows = on_end(units)
    held = 0
    for n, (a, b) in enumerate(zip(before, after, strict=True)):
        work = (rest[0][n].tolist(), rest[1][n].tolist()) if rest else None
        found = mean_difference((b - a).tolist(), ((a + b) / 2).tolist(), [900.0] * units, follows, work=work)
        assert found
        lower, _, upper = _ends(found)
        held += lower <= truth <= upper
    return held / times


# A standard error of 0.007.
@pytest.mark.parametrize(
    ("memory", "cycle", "change"),
    some([(0.95, 0.5, "none"), (0.0, 0.5, "tenth"), (0.8, 0.5, "none"), (0.95, 0.0, "ten"), (0.5, 0.5, "moved")], 5),
)
def test_a_day_of_quarters_holds_the_truth_in_95_of_100_cases(memory: float, cycle: float, change: str):
    """Before, at 0.95, it did in 86."""
    assert coverage(1000, 96, memory, cycle, change) == pytest.approx(0.95, abs=0.03)


@pytest.mark.soak
@pytest.mark.parametrize("change", ["none", "ten", "tenth", "tenth, noise too", "moved"])
@pytest.mark.parametrize("cycle", [0.0, 0.5])
@pytest.mark.parametrize("memory", [0.0, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("units", [24, 48, 96])
def test_coverage(units: int, memory: float, cycle: float, change: str):
    """The table of docs/measures.md; 3,000 pairs, so a standard error of 0.4%."""
    found = coverage(3000, units, memory, cycle, change)
    print(f"paired {units} {memory} {cycle} {change} {100 * found:.1f}")
    # Where one side has nothing, the load of the other work is known with noise, and the interval is rather too wide.
    assert 0.925 <= found <= (1 if change == "moved" else 0.98)
