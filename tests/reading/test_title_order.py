"""Titles that only their order tells apart: whatever happens to a heading, no value gets the name of its neighbour."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import polars as pl
import pytest
from ironlake.pipeline.reading.engine import read_text
from page_variants import every, turns
from sample_pages import sample

_SAMPLE = "cache_bypass_and_offline"
_REQUESTS, _MISSES, _DEVICES = "rmf_cache_request", "rmf_cache_miss", "rmf_cache_device"
# The two lines of each heading, and the columns that are not from below it.
_HEADINGS = {_REQUESTS: "CACHE I/O  --", _MISSES: "--CACHE MISSES--", _DEVICES: "VOLUME    DEV"}
_PLACES = {"source_id", "source_file", "page", "line"}
_Damage = Callable[[str], Iterator[str]]


def pages() -> list[list[str]]:
    lines = sample(_SAMPLE).read_text().splitlines()
    second = [k for k, line in enumerate(lines) if "A C T I V I T Y" in line][1]
    return [lines[:second], lines[second:]]


def lost(line: str) -> Iterator[str]:
    for word in re.finditer(r"\S+(?: \S+)*", line):
        yield line[: word.start()] + " " * len(word.group()) + line[word.end() :]


def doubled(line: str) -> Iterator[str]:
    """Each title again in the gap behind it, or over its neighbour."""
    for word in re.finditer(r"\S+", line):
        rest = line[word.end() + 1 :]
        yield line[: word.end()] + " " + word.group() + rest[len(word.group()) :]


def moved(line: str) -> Iterator[str]:
    for word in re.finditer(r"\S+", line):
        for by in (-9, -6, -4, -3, -2, -1, 1, 2, 3, 4, 6, 9):
            start = word.start() + by
            bare = line[: word.start()] + " " * len(word.group()) + line[word.end() :] + " " * 20
            if start < 0 or bare[max(start - 1, 0) : start + len(word.group()) + 1].strip():
                continue
            yield (bare[:start] + word.group() + bare[start + len(word.group()) :]).rstrip()


def swapped(line: str) -> Iterator[str]:
    words = list(re.finditer(r"\S+", line))
    for one, other in pairwise(words):
        if one.group() != other.group() and "-" not in one.group() + other.group():
            between = line[one.end() : other.start()]
            yield line[: one.start()] + other.group() + between + one.group() + line[other.end() :]


def read_all(variants: list[list[str]]) -> dict[str, pl.DataFrame]:
    """The tables of all variants, each a page; `page` counts them from 0."""
    text = "\n".join("\n".join(v) for v in variants) + "\n"
    return {name: t.with_columns(pl.col("page") - 1) for name, t in read_text(text, name="pages").items()}


def page_of(table: str) -> list[str]:
    return next(p for p in pages() if any(_HEADINGS[table] in line for line in p))


def damaged(table: str, damage: _Damage, page: list[str] | None = None) -> list[list[str]]:
    page = page or page_of(table)
    at = next(k for k, line in enumerate(page) if _HEADINGS[table] in line)
    return [
        [*page[:k], changed, *page[k + 1 :]] for k in (at, at + 1) for changed in damage(page[k]) if changed != page[k]
    ]


def true_values(table: str, page: list[str]) -> dict[int, dict[str, object]]:
    rows = read_all([page])[table].drop(_PLACES - {"line"}).to_dicts()
    return {row["line"]: row for row in rows}


def assert_no_other_value(table: str, variants: list[list[str]], true: dict[int, dict[str, object]]) -> None:
    """Every value is that of the intact page, or NULL and a reject says so."""
    found = read_all(variants)
    size = len(variants[0])
    rows_read, rejected = dict.fromkeys(range(len(variants)), 0), set(found["parse_reject"]["page"].to_list())
    incomplete = set()
    for row in found[table].to_dicts():
        page, expected = row["page"], true[row["line"] - row["page"] * size]
        rows_read[page] += 1
        for name, value in expected.items():
            if name != "line":
                assert row[name] in (value, None), (name, [line for line in variants[page] if "RATE" in line])
                incomplete |= {page} if row[name] != value else set()
    # Where a value is missing, a reject says so.
    assert incomplete | {page for page, rows in rows_read.items() if rows < len(true)} <= rejected


@every(4)
@pytest.mark.parametrize("table", _HEADINGS)
def test_no_value_gets_the_name_of_its_neighbour(table: str, nth: int) -> None:
    variants = [v for damage in (lost, doubled, moved, swapped) for v in turns(damaged(table, damage), nth, table)]
    assert len(variants) >= 60 // nth
    assert_no_other_value(table, variants, true_values(table, page_of(table)))


def test_number_beside_a_blank_cell_is_not_taken_for_its_value() -> None:
    # The rate of the hits, below the title that was moved off it, stands in the empty column of the ratio.
    page = [line.replace("50.3   0.940", "50.3        ") for line in page_of(_REQUESTS)]
    at = next(k for k, line in enumerate(page) if _HEADINGS[_REQUESTS] in line)
    # A wider gap in front of the rate; the dashes of the group above grow with it.
    page[at] = page[at].replace("--READ I/O", "----------READ I/O")
    page[at + 1 : at + 6] = [line[:38] + " " * 8 + line[38:] for line in page[at + 1 : at + 6]]
    assert_no_other_value(_REQUESTS, damaged(_REQUESTS, moved, page), true_values(_REQUESTS, page))


@pytest.mark.parametrize("table", [_REQUESTS, _MISSES])
@pytest.mark.parametrize("damage", [lost, doubled, swapped])
def test_below_other_titles_no_row_is_read(table: str, damage: _Damage) -> None:
    # % is the unit of a title, and no title itself.
    variants = [v for v in damaged(table, damage) if not any("CACHE I/O  --" in line and "%" not in line for line in v)]
    found = read_all(variants)
    assert found[table].is_empty()
    assert set(found["parse_reject"]["page"].to_list()) == set(range(len(variants)))


def test_the_reject_names_the_titles() -> None:
    (told,) = (
        row
        for row in read_all(damaged(_MISSES, lost)[-1:])["parse_reject"].to_dicts()
        if "titles of the heading" in row["what"]
    )
    assert told["what"].endswith("are not those that are known, in their order; 4 rows below are not read")
    assert told["expected"].startswith("CACHE MISSES: REQUESTS READ RATE WRITE RATE TRACKS RATE; MISC: COUNT RATE or ")
