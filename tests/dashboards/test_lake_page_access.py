"""Who can read a lake's page: narrow windows, screen readers, contrast, targets, paper, no script. Expected values are counted from the rows of made_lake_page.py."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from contrast import contrast
from lake_page_browser import MADE, drawn_names, until
from pages import NOT_INSIDE


@pytest.fixture
def page(month_page: Any) -> Any:
    return month_page


@pytest.mark.slow
def test_no_window_is_too_narrow(page: Any):
    for width in (380, 800, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        until(page, f"innerWidth === {width} && document.documentElement.scrollWidth <= {width}", True)
    wide = page.evaluate(
        "[...document.querySelectorAll('.picture svg')].filter(s => s.getBoundingClientRect().right > innerWidth).length"
    )
    assert wide == 0


def test_every_picture_has_a_name_a_description_and_a_table(page: Any):
    for s in MADE.sections:
        assert page.locator(f"section[aria-labelledby={s.id}] h2").text_content() == s.title
        assert page.locator(f"#{s.id}-finding").text_content() == s.finding
        assert page.locator(f"#{s.id}-table table thead th").count() == len(s.rows.columns)
        if s.chart.form != "none":
            assert drawn_names(page, s.id), s.id
            assert page.locator(f"#{s.id}-words").text_content(), s.id
    assert page.locator("#reuse-picture").count() == 0
    names = page.locator("section, [role=region], nav, main").evaluate_all(
        "all => all.map(e => e.getAttribute('aria-label') ?? document.getElementById(e.getAttribute('aria-labelledby'))?.textContent ?? e.tagName)"
    )
    assert len(names) == len(set(names))


def test_without_script_text_tables_and_pictures_are_there(browser: Any, month: Path, page: Any):
    """And the tables are the first ones with it."""
    context = browser.new_context(java_script_enabled=False)
    bare = context.new_page()
    bare.goto(month.as_uri())
    for h in MADE.happened:
        assert bare.get_by_text(h.sentence).first.is_visible()
    rows = "rows => rows.slice(0, 10).map(r => [...r.cells].map(c => c.textContent))"
    for s in MADE.sections:
        at = f"#{s.id}-rows tbody tr"
        assert bare.get_by_text(s.finding).first.is_visible()
        assert bare.locator(at).first.is_visible()
        assert bare.locator(at).count() == min(20, len(s.rows))
        assert bare.locator(at).evaluate_all(rows) == page.locator(at).evaluate_all(rows), s.id
        if s.chart.form != "none":
            picture = bare.locator(f"#{s.id}-picture svg.chart")
            assert picture.is_visible(), s.id
            assert picture.get_attribute("role") == "img"
            assert picture.get_attribute("aria-label").startswith(f"{s.title}. {s.finding}"), s.id
    assert bare.evaluate(NOT_INSIDE) == []
    assert not bare.locator("#filter").is_visible()
    assert bare.get_by_text(MADE.unknown[0]).is_visible()
    context.close()


def test_paper_has_all_pictures(page: Any):
    paper = page.pdf(prefer_css_page_size=True)
    assert paper.count(b"/Type /Page\n") in range(3, 9)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("[...document.querySelectorAll('.picture svg')].every(s => s.viewBox.baseVal.width <= 1000)")
    assert not page.locator("#filter").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator("#filter").is_visible()


# Colours of what is drawn, each once, and of the grounds on which it may lie: paper, a pressed panel, a weekend.
_DRAWN = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  const resolved = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };
  const grounds = ["--paper", "--raised", "--good-cell"].map(resolved);
  probe.remove();
  const found = new Map();
  const see = (selector, property) => {
    for (const e of document.querySelectorAll(selector)) found.set(getComputedStyle(e)[property], selector);
  };
  for (const line of ["line", "limit", "change", "level"]) see(`svg path.${line}, svg line.${line}`, "stroke");
  see("svg .dot:not(.hollow), svg .peak", "fill");
  see(".track .bar", "backgroundColor");
  return [grounds, [...found]];
}"""


def hex_of(color: str) -> str:
    """
    >>> hex_of("rgb(31, 95, 158)")
    '#1f5f9e'
    """
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", color)[:3])


@pytest.mark.parametrize(("width", "scheme"), [(380, "dark"), pytest.param(1400, "light", marks=pytest.mark.slow)])
def test_axe_finds_no_violation_and_contrast_and_targets_are_large_enough(page: Any, width: int, scheme: str):
    """WCAG 1.4.11: what is drawn has a contrast of 3 on every ground, in the colours that the browser gives it. WCAG 2.5.8: what is pressed is
    24 pixels wide and high; links within sentences may be smaller, but there are none."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    until(
        page,
        f"document.querySelector('#msu-picture svg').viewBox.baseVal.width < 200 === {str(width == 380).lower()}",
        True,
    )
    # What it cannot decide, such as text over a hatching, is no violation.
    found = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []
    grounds, drawn = page.evaluate(_DRAWN)
    assert len(drawn) >= 6
    weak = {
        (selector, hex_of(color), hex_of(ground)): round(contrast(hex_of(color), hex_of(ground)), 2)
        for color, selector in drawn
        for ground in grounds
        if contrast(hex_of(color), hex_of(ground)) < 3
    }
    assert weak == {}
    small_ones, count = page.evaluate(
        """() => {
          const all = [...document.querySelectorAll("button, a[href], select, input, summary, [role=slider]")];
          const shown = all.filter((e) => e.checkVisibility({ visibilityProperty: true }));
          const sizes = shown.map((e) => [e.textContent.slice(0, 30) || e.id, e.getBoundingClientRect()]);
          return [sizes.filter(([, b]) => b.width < 24 || b.height < 24).map(([text, b]) => [text, b.width, b.height]), sizes.length];
        }"""
    )
    assert small_ones == []
    assert count > 100
