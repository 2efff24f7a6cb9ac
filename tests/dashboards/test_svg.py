"""Charts of odd numbers and names as SVG: nothing leaves its picture, and axes have round numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ironlake.dashboards.charts.chart import Chart, Lane, Line, Row, Value
from ironlake.dashboards.charts.svg import axis_ticks, picture, text_width, wrapped
from ironlake.dashboards.templating import own_file
from pages import NOT_INSIDE

# 44 characters, as long as data set names.
LONG = "WWWWWWWW.MMMMMMMM.WWWWWWWW.MMMMMMMM.WWWWWWWW"
WORDS = "before: 1,234,567 of 9,999,999, worst at most 123.45, all CPU 9,999.99, and words that are to be wrapped"


def _rows(
    count: int, lanes: int, values: Callable[[int], list[float]], words: str, name: str = LONG, **look: Any
) -> list[Row]:
    return [
        Row(f"{name}{n}", [Lane([Value(v, ("k", "s"), "M", f"S{k}", turn=k, **look) for k, v in enumerate(values(n))], words)] * lanes)
        for n in range(count)
    ]  # fmt: skip


def _line(name: str, values: list[float], **look: Any) -> Line:
    return Line(
        name, "#1a8f7a", [Value(v, ("k", "s"), "M", name, at=float(n), **look) for n, v in enumerate(values)], symbol=1
    )


ODD: list[dict[str, Any]] = [
    {"rows": [Row(LONG), *_rows(3, 8, lambda n: [10.0**n], WORDS)]},
    {"rows": _rows(4, 2, lambda n: [1e-9, 2e-9, 1e12][: n + 1], "x")},
    {"rows": _rows(4, 1, lambda n: [-5.0, 3.0, -2.0], WORDS[:30])},
    {"rows": _rows(4, 1, lambda n: [0.0], "0", name="")},
    {"rows": _rows(5, 1, lambda n: [10.0 ** (3 * n), 10.0 ** (3 * n + 1)], WORDS, kind="dot"), "is_log": True, "origin": 1.0},
    {"rows": _rows(2, 1, lambda n: [5.0], WORDS, kind="dot"), "is_log": True},
    {"rows": _rows(3, 1, lambda n: [-1.0, -3.0], WORDS, kind="dot", lower=-9.0, upper=4.0)},
    {"lines": [_line(f"{LONG}{k}", [float(k * n) for n in range(500)]) for k in range(8)], "across": "Minutes " * 30},
    {"lines": [_line("a", [0.0], minutes=1.0)], "limits": [(1.0, "")]},
    {"lines": [_line(f"n{k}", [1e9 + k] * 3) for k in range(8)], "limits": [(1e12, "far " * 40)]},
    {"lines": [_line(LONG, [0.0, -1e-9]), _line("", [1e-9, 1e-9])]},
    {"lines": [_line("a", [1.0, 1e4, 1e8]), _line("b", [1e3] * 3)], "is_log": True},
]  # fmt: skip


def test_nothing_leaves_its_picture(browser: Any, tmp_path: Path):
    charts = [
        Chart(f"c{n}", LONG, "", "itr", "ms", ("k",), "A long title of an axis " * 6 + "(ms)", **of)
        for n, of in enumerate(ODD)
    ]
    drawn = "".join(f'<figure><div class="picture" id="{chart.id}">{picture(chart)}</div></figure>' for chart in charts)
    page = f'<!DOCTYPE html><meta charset="utf-8"><style>{own_file("page.css")}</style><main>{drawn}</main>'
    (tmp_path / "page.html").write_text(page, "utf-8")
    tab = browser.new_page()
    tab.goto((tmp_path / "page.html").as_uri())
    for width in (320, 1280):
        tab.set_viewport_size({"width": width, "height": 900})
        assert tab.locator("svg:visible").count() == len(ODD)
        assert tab.evaluate(NOT_INSIDE) == []
    tab.close()


@pytest.mark.parametrize(
    ("low", "high", "most", "written"),
    [
        (0, 100, 5, ["0", "20", "40", "60", "80", "100"]),
        (0, 9, 4, ["0.0", "2.5", "5.0", "7.5"]),
        (-3, 2, 5, ["−3", "−2", "−1", "0", "1", "2"]),
        (0, 0.003, 3, ["0.000", "0.001", "0.002", "0.003"]),
        (0, 250_000, 5, ["0", "50,000", "100,000", "150,000", "200,000", "250,000"]),
    ],
)
def test_an_axis_has_round_numbers_with_as_many_decimals_as_they_need(
    low: float, high: float, most: int, written: list[str]
):
    assert [words for _, words in axis_ticks(low, high, most)] == written


def test_an_axis_of_ratios_has_powers_of_ten_or_what_lies_between():
    assert [words for _, words in axis_ticks(0.5, 10, 5, is_log=True)] == ["0.5", "1", "2", "5", "10"]
    assert [words for _, words in axis_ticks(1, 1e6, 5, is_log=True)] == ["1", "100", "10,000", "1,000,000"]


def test_texts_are_broken_at_spaces_and_names_without_one_where_they_must():
    lines = wrapped(WORDS, 200)
    assert " ".join(lines) == WORDS
    assert max(map(text_width, lines)) <= 200
    lines = wrapped(LONG, 100)
    assert "".join(lines) == LONG
    assert max(map(text_width, lines)) <= 100
    assert wrapped("", 100) == []
