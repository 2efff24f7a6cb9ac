"""What tests of the lake's page in a browser ask of it: a month of 20 systems made by hand (made_lake_page.py)."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ironlake.dashboards.lake_page.contract import Chart, Column, Happened, LakePage, Names, Rows, Section, Select
from made_lake_page import START, made_page, sysplex

MADE = made_page()


def section(name: str, of: LakePage = MADE) -> Section:
    return next(s for s in of.sections if s.id == name)


def expected_rows(name: str, **chosen: Any) -> int:
    """How many rows of a section a selection leaves: equal names, and a start within from_s and to_s."""
    of = section(name)
    names = {str(what): column for what, column in of.filters.items()}
    kept = [True] * len(of.rows)
    for what, value in chosen.items():
        if what in ("from_s", "to_s"):
            starts = of.rows.of(names["time"])
            kept = [k and (t >= value if what == "from_s" else t < value) for k, t in zip(kept, starts, strict=True)]
        elif what == "sysplex" and what not in names:
            kept = [k and sysplex(s) == value for k, s in zip(kept, of.rows.of("system"), strict=True)]
        else:
            kept = [k and v == value for k, v in zip(kept, of.rows.of(names[what]), strict=True)]
    return sum(kept)


def shown_rows(page: Any, name: str) -> int:
    """How many rows the table of a section says it has."""
    text = page.locator(f"#{name}-rows .count").text_content()
    found = re.search(r"of ([\d,]+)$", text)
    return int(found[1].replace(",", "")) if found else 0


def drawn_names(page: Any, name: str) -> list[str]:
    """The names of the panels, rows or bars of a picture."""
    return page.locator(f"#{name}-picture").evaluate(
        "place => [...place.querySelectorAll('.panel b, tbody button.name, .row-name')].map(e => e.textContent)"
    )


def until(page: Any, question: str, answer: object) -> None:
    """Wait until an expression of the page has a value. The page's policy forbids playwright's own way of waiting."""
    for _ in range(100):
        if page.evaluate(question) == answer:
            return
        page.wait_for_timeout(50)
    assert page.evaluate(question) == answer


WILD = '</script><img src=x onerror="alert(1)">&amp;'


def small(rows: Rows, chart: Chart, **names: tuple[str, ...]) -> LakePage:
    filters = {"system": "system", "time": "start"}
    only = Section("one", f"What of {WILD}?", f"It is {WILD}.", chart, rows, filters, note=WILD)  # type: ignore[arg-type]
    happened = Happened(f"{WILD} happened", WILD, Select(system=WILD), "one", f"{WILD}.txt, page 1, line 2")
    return LakePage(
        WILD, dt.datetime(2026, 11, 22, 6), f"ironlake page --lake {WILD}", "0.1.0", START.date(), START.date(), START,
        Names(**names), (happened,), (only,), (WILD,),
    )  # fmt: skip


def several(parts: Sequence[tuple[Rows, Chart]], **names: tuple[str, ...]) -> LakePage:
    """A page with a section for each: one_0, one_1 …"""
    of = [small(rows, chart, **names) for rows, chart in parts]
    sections = tuple(replace(page.sections[0], id=f"one_{n}") for n, page in enumerate(of))
    happened = tuple(replace(told, section="one_0") for told in of[0].happened)
    return replace(of[0], sections=sections, happened=happened)


SYSTEM, START_COLUMN = Column("system", WILD, kind="text"), Column("start", "Start", kind="time")
