"""A page of two sysplexes by keyboard, by finger and by ear, and what is taken from it: tabs, pictures, tables of numbers, copies."""

import datetime as dt
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from compared_runs import MINUTE, NEXT_WEEK, START, Comparison, class_rows, comparison
from pages import opened, pictures_of
from views_lake import Row, heading


def _goal(start: dt.datetime, line: int, index: float, name: str = "CICS") -> Row:
    row = heading(start, class_kind="service_class_period", workload="ONLINE", service_class=name, period=1)
    row |= {"system": "*ALL", "is_total": True, "goal_type": "velocity", "goal_pct": 40.0, "velocity_pct": 20.0}
    return row | {"performance_index": index, "line": line, "source_file": "before.txt"}


def _two() -> int:
    both = [*class_rows(), *(r | {"service_class": "DB2", "line": r["line"] + 1} for r in class_rows())]
    other = [
        r | {"sysplex": "PLEX2", "scope": "SYSC", "line": r["line"] + 500, "appl_cp_pct": r["appl_cp_pct"] / 2, "appl_iipcp_pct": 2.5}
        for r in both
    ]  # fmt: skip
    goals = [_goal(START, 15, 2.0), _goal(START + MINUTE, 25, 0.5), _goal(NEXT_WEEK, 35, 0.5)]
    return comparison(rmf_workload_activity=[*both, *other], rmf_workload_goal=goals)


TWO = _two()


@pytest.fixture(scope="module")
def made(compared: list[Comparison], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """PLEX1: CICS 50 and 30% of CP, DB2 the same; it misses its goal in the first minute. PLEX2 has the half: 25 and 15%."""
    return compared[TWO].write(tmp_path_factory.mktemp("access")), compared[TWO].page


@pytest.fixture(scope="module")
def shared(browser: Any, made: tuple[Path, str]) -> Iterator[Any]:
    page, requests, complaints = opened(browser, made[0])
    yield page
    assert (requests, complaints) == ([], [])
    page.close()


@pytest.fixture
def page(shared: Any) -> Any:
    shared.locator("#study_1_tab-tab").click()
    return shared


FIRST_CHART = "study_1_cpu_by_service_class"


def _chosen(page: Any) -> list[str]:
    return page.locator("[role=tab][aria-selected=true]").evaluate_all("tabs => tabs.map(t => t.id)")


def test_the_question_is_kept_from_study_to_study(page: Any):
    for question in ("capacity", "load"):
        page.click(f"#study_1_of_{question}-tab")
        assert f"study_2_of_{question}-tab" in _chosen(page)
    page.click("#study_1_of_capacity-tab")
    page.click("#study_2_tab-tab")
    assert page.locator("#study_2_of_capacity").is_visible()
    # Another question there comes back here as well; the study stays.
    page.click("#study_2_of_load-tab")
    assert _chosen(page) == ["study_2_tab-tab", "study_1_of_load-tab", "study_2_of_load-tab"]


def test_tabs_say_what_is_behind_them(page: Any):
    """50 + 50 to 30 + 30% is -40%, in both; one goal of one period is missed in PLEX1."""
    assert page.locator("#study_1_tab-tab").inner_text() == "PLEX1 −40.0%"
    assert page.locator("#study_2_tab-tab").inner_text() == "PLEX2 −40.0%"
    assert page.locator("#study_1_of_goals-tab").inner_text() == "Goals 1 missed"
    shown = page.locator("#study_1_of_capacity .picture").count()
    assert page.locator("#study_1_of_capacity-tab").inner_text().endswith(f" {shown} chart{'' if shown == 1 else 's'}")


def test_below_every_picture_is_a_table_of_its_numbers(page: Any, made: tuple[Path, str]):
    drawn = pictures_of(made[1])
    assert len(drawn) > 8
    assert page.locator("figure").count() == page.locator("figure > details.numbers").count() == len(drawn)
    page.locator(f"#{FIRST_CHART}-numbers > summary").click()
    table = page.locator(f"#{FIRST_CHART}-numbers table")
    table.wait_for()
    assert table.locator("thead th").all_inner_texts() == [
        "class", "configuration", "General-processor time", "source", "Not zIIP-eligible (% of one engine)",
        "zIIP-eligible on CP (% of one engine)", "On zIIP (% of one engine)",
    ]  # fmt: skip
    rows = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
    # 50% of CP, 5 of it zIIP-eligible; as the CSV has it.
    assert ["CICS", "before", "50", "45", "5", "20"] in [[*row[:3], *row[4:]] for row in rows]
    assert len(rows) == 4


def test_a_screen_reader_hears_what_a_picture_shows_and_not_loose_numbers(page: Any):
    image = page.get_by_role("img", name="Which service classes use the processors?")
    assert "The upright mark is general-processor time" in image.first.get_attribute("aria-label")


@pytest.mark.parametrize(("width", "scheme"), [(380, "dark"), pytest.param(1400, "light", marks=pytest.mark.slow)])
def test_axe_finds_no_violation(page: Any, width: int, scheme: str):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    page.wait_for_timeout(200)
    found = Axe().run(page, options={"rules": {"target-size": {"enabled": True}}}).response["violations"]
    page.evaluate("for (const folded of document.querySelectorAll('details.numbers')) folded.open = false")
    page.set_viewport_size({"width": 1400, "height": 900})
    page.emulate_media(color_scheme="light")
    assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []


def _pixels(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and the filtered bytes of all rows."""
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    data, at = b"", 8
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        data += png[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    return width, height, zlib.decompress(data)


def test_the_first_screen_is_saved_as_a_picture_without_a_network(page: Any):
    with page.expect_download() as download:
        page.click("#save-picture")
    assert download.value.suggested_filename == "first_screen.png"
    width, height, rows = _pixels(Path(download.value.path()).read_bytes())
    assert width == 2 * 1160
    assert height > 2 * 300
    # A blank picture has few different bytes.
    assert len(set(rows)) > 50
    assert page.locator(".drawn").count() == 0
