"""Pages for tests: what pictures one packs, and how it behaves in a real browser."""

import base64
import gzip
import json
import re
import time
from pathlib import Path
from typing import Any

from command_line import PATIENCE_S


def pictures_of(page: str) -> dict[str, dict[str, Any]]:
    """The charts of a page as data by their id, unpacked."""
    packed = re.search(r'id="charts">([^<]*)<', page)
    if not packed:
        return {}
    standard = packed[1].translate(str.maketrans("[],", "&<>"))
    return {chart["id"]: chart for chart in json.loads(gzip.decompress(base64.b85decode(standard)))}


# Marks and texts that are not wholly within their picture.
NOT_INSIDE = """[...document.querySelectorAll('svg.chart')].filter(svg => svg.checkVisibility()).flatMap(svg => {
    const box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text, path')].filter(t => !t.closest('defs')).filter(t => {
        const r = t.getBoundingClientRect();
        return r.right > box.right + 1 || r.left < box.left - 1 || r.bottom > box.bottom + 1 || r.top < box.top - 1;
    }).map(t => svg.parentElement.id + ': ' + (t.textContent || t.getAttribute('d')));
})"""


def tab(browser: Any, script: str = "") -> tuple[Any, list[str], list[str]]:
    """A tab; the addresses outside of its file that it asks for, and what it complains of: both lists go on growing. `script`: what runs
    before those of a page."""
    page = browser.new_page(viewport={"width": 1400, "height": 900}, color_scheme="light")
    page.add_init_script(script)
    requests: list[str] = []
    complaints: list[str] = []
    inside = ("file:", "blob:", "about:")
    page.on("request", lambda request: request.url.startswith(inside) or requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append("dialog"))
    return page, requests, complaints


def show(page: Any, path: Path, fragment: str = "") -> None:
    """Open a page again in a tab, and wait until it is drawn."""
    page.goto("about:blank")
    page.goto(path.as_uri() + fragment)
    page.wait_for_selector("html[data-ready]", timeout=PATIENCE_S * 1000)
    assert page.evaluate("document.documentElement.dataset.ready") == "yes"


def opened(browser: Any, path: Path, fragment: str = "", script: str = "") -> tuple[Any, list[str], list[str]]:
    """A page opened and drawn in a tab of its own."""
    page, requests, complaints = tab(browser, script)
    show(page, path, fragment)
    return page, requests, complaints


def wait_until(page: Any, condition: str) -> None:
    """Wait until an expression of the page is true. The browser's own waiting compiles it within the page again, which the page's policy
    forbids: it works only where the expression is true at once."""
    end = time.monotonic() + PATIENCE_S
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"not within {PATIENCE_S} s: {condition}"
        page.wait_for_timeout(20)


def assert_fits(page: Any) -> None:
    """No page is wider than its window, in either scheme; the page is left narrow and dark."""
    for width, scheme in ((1400, "light"), (800, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        # Pictures are drawn again some time after.
        fits = f"innerWidth === {width} && document.documentElement.scrollWidth <= {width}"
        wait_until(page, fits)
