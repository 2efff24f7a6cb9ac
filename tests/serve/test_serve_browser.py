"""The pages of the server in a real browser: nothing asked of anybody else, no violation of axe, by keyboard, wide and narrow."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from sample_pages import SAMPLES

pytest.importorskip("waitress")
from ironlake.pipeline.serve.server import Server

pytestmark = pytest.mark.slow
QUERY = "SELECT interval_start, service_class, sum(appl_cp_pct) AS cp_pct FROM rmf_workload_activity GROUP BY ALL ORDER BY ALL"
PAGES = (
    ".",
    "rows?of=rmf_workload_activity&facet=workload&column=service_class&is=%3D&value=CICSRGN",
    "rows?of=cpu_by_class&sort=cpu_pct+down&column=service_class&is=%3D&value=BATCH",
    f"sql?q={quote(QUERY)}",
    "sql?q=SELECT%0Anothing%20FROM%20cpu_by_class",
    "pages",
    "nothing",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    lake: Path = tmp_path_factory.mktemp("served") / "lake"
    assert ingest([str(SAMPLES / "demo")], lake, Options(), jobs=1).exit_code(strict=True) == 0
    server = Server(lake, 0)
    threading.Thread(target=server.run, daemon=True).start()
    yield server
    server.stop()


def _no_violation(page: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    found = Axe().run(page, options={"rules": {"target-size": {"enabled": True}}}).response["violations"]
    assert [(page.url, v["id"], v["nodes"][0]["html"]) for v in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (380, "dark")])
def test_a_visit(browser: Any, server: Server, width: int, scheme: str):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(server.gate.address)
    base = page.url
    assert "token" not in base
    for path in PAGES:
        page.goto(base + path)
        _no_violation(page)
    # A number leads to its mark, which is in sight.
    page.goto(f"{base}rows?of=rmf_workload_activity")
    link = page.locator("a.number[href*='column=transactions_per_s']").first
    value = link.inner_text()
    link.click()
    assert page.locator("mark").inner_text().strip() == value
    assert page.locator("mark").evaluate(
        "m => { const r = m.getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight && r.right < innerWidth; }"
    )
    _no_violation(page)

    # By keyboard: a name is completed, the query is asked, and stands among those that were asked before.
    page.goto(f"{base}sql")
    page.focus("#q")
    page.wait_for_timeout(300)
    page.keyboard.type("FROM cpu_by_cl")
    page.locator("#offers button").first.wait_for()
    _no_violation(page)
    page.keyboard.press("Tab")
    assert page.locator("#q").input_value() == "FROM cpu_by_class"
    page.keyboard.press("Control+Enter")
    page.locator("#answer").wait_for()
    assert page.locator("#q").input_value() == "FROM cpu_by_class"
    # Written by the script, which runs behind the answer.
    page.locator("#history a").first.wait_for(state="attached")
    page.goto(f"{base}sql")
    page.locator("#history summary").click()
    assert page.locator("#history a").first.inner_text() == "FROM cpu_by_class"

    # What the page of the lake asks for itself its own policy allows.
    page.goto(f"{base}page?days=2")
    page.wait_for_selector("html[data-ready]")
    page.goto(f"{base}sql?q={quote(QUERY)}")
    with page.expect_download() as download:
        page.get_by_role("link", name="csv").click()
    assert Path(download.value.path()).read_text("utf-8").startswith("interval_start,service_class,cp_pct\n")
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == ("dark" if scheme == "light" else "light")
    _no_violation(page)
    assert [
        url
        for url in requests
        if not re.match(rf"{re.escape(base)}|{re.escape(server.gate.address)}|data:,|blob:", url)
    ] == []
    assert [text for text in complaints if "404" not in text and "400" not in text] == []
    context.close()
