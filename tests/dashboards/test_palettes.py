"""Colours: one palette per meaning, and contrast on both papers."""

import pytest
from contrast import contrast
from ironlake.dashboards.charts.drawing import PART_COLORS, RUN_COLORS, RUN_SYMBOLS, SERIES_COLORS

PALETTES = {"parts": tuple(PART_COLORS.values()), "runs": RUN_COLORS, "series": SERIES_COLORS}


def test_the_contrast_of_black_and_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


# Paper, a pressed panel and a weekend, light and dark.
@pytest.mark.parametrize("paper", ["#ffffff", "#f6f7f8", "#eef0f2", "#14171a", "#1c2024", "#23282d"])
@pytest.mark.parametrize("color", [*PART_COLORS.values(), *RUN_COLORS])
def test_every_colour_has_a_contrast_of_3_on_light_and_dark_grounds(color: str, paper: str):
    assert contrast(color, paper) >= 3


@pytest.mark.parametrize("paper", ["#ffffff", "#14171a"])
@pytest.mark.parametrize("color", SERIES_COLORS)
def test_every_colour_of_a_series_has_a_contrast_of_3_on_paper(color: str, paper: str):
    assert contrast(color, paper) >= 3


def test_no_colour_means_two_things():
    every = [color for colors in PALETTES.values() for color in colors]
    assert len(set(every)) == len(every)


def test_the_first_eight_configurations_have_eight_symbols():
    assert len(set(RUN_SYMBOLS[:8])) == 8
