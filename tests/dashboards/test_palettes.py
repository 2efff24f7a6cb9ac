"""Colours: one palette per meaning, and contrast on both papers."""

import pytest
from ironlake.dashboards.charts.drawing import PART_COLORS, RUN_COLORS, RUN_SYMBOLS, SERIES_COLORS

PALETTES = {"parts": tuple(PART_COLORS.values()), "runs": RUN_COLORS, "series": SERIES_COLORS}


def _luminance(color: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_contrast_of_black_and_white_is_21():
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("paper", ["#ffffff", "#14171a"])
@pytest.mark.parametrize("color", [c for colors in PALETTES.values() for c in colors])
def test_every_colour_has_a_contrast_of_3_on_light_and_dark_paper(color: str, paper: str):
    assert _contrast(color, paper) >= 3


def test_no_colour_means_two_things():
    every = [color for colors in PALETTES.values() for color in colors]
    assert len(set(every)) == len(every)


def test_the_first_eight_configurations_have_eight_symbols():
    assert len(set(RUN_SYMBOLS[:8])) == 8
