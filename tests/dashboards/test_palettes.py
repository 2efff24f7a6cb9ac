"""Colours: one palette per meaning, and contrast on both papers."""

import pytest
from contrast import contrast
from ironlake.dashboards.charts.drawing import PART_COLORS, RUN_COLORS, SERIES_COLORS
from ironlake.dashboards.charts.svg import SYMBOLS

PALETTES = {"parts": tuple(PART_COLORS.values()), "runs": RUN_COLORS, "series": SERIES_COLORS}


def test_the_contrast_of_black_and_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_every_colour_has_a_contrast_of_3():
    """On paper, a pressed panel and a weekend, light and dark; those of a series on paper alone."""
    papers = ("#ffffff", "#14171a")
    weak = [
        (color, paper)
        for colors, grounds in (
            ([*PART_COLORS.values(), *RUN_COLORS], (*papers, "#f6f7f8", "#eef0f2", "#1c2024", "#23282d")),
            (SERIES_COLORS, papers),
        )
        for color in colors for paper in grounds if contrast(color, paper) < 3
    ]  # fmt: skip
    assert weak == []


def test_no_colour_means_two_things():
    every = [color for colors in PALETTES.values() for color in colors]
    assert len(set(every)) == len(every)


def test_the_first_eight_configurations_have_eight_symbols():
    assert len(set(SYMBOLS[:8])) == 8
