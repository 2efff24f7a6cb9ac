"""Undamaged pages in other layouts: every table of every sample with its columns farther apart, at random, and every page moved
to the right. Each value is the one that the page has, or it is NULL and a reject says so; no page is repaired into another."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from ironlake.pipeline.declaration.layouts import LabelledBlock, Pairs
from ironlake.pipeline.reading.cells import heading_runs
from ironlake.pipeline.reading.engine import read_text
from page_variants import Reading, difference, every_of, turns, with_variants
from report_pages import all_report_lines
from sample_pages import PUBLISHED, canonical, sample, sample_files

# Layouts tried of each page in the form that is slow; `make test` tries a third of them, of some pages.
LAYOUTS = 6
MOST_BLANKS = 6
PATHS = sample_files() + PUBLISHED


@dataclass(frozen=True)
class Printed:
    """A table on a page: its lines, counted from 0, and those of them that are its heading's. `is_block`: labels, not titles, say
    what its cells are."""

    lines: tuple[int, ...]
    heading: tuple[int, ...]
    is_block: bool


@cache
def tables_of(path: Path) -> tuple[Printed, ...]:
    """Every heading of columns on a page, with all rows below it."""
    out: set[Printed] = set()
    for report_lines in all_report_lines(canonical(path), path):
        heads: dict[int, set[int]] = {}
        rows: dict[int, set[int]] = {}
        blocks: set[int] = set()
        for heading in report_lines.report.layouts:
            below = report_lines.lines_of(heading.rows)
            if isinstance(heading, Pairs) or not len(below):
                continue
            first, _, _ = heading_runs(report_lines, heading, below)
            kinds = report_lines.of_kind(heading.run)
            for begin in np.unique(first[first >= 0]).tolist():
                rows.setdefault(begin, set()).update(below[first == begin].tolist())
                blocks |= {begin} if isinstance(heading, LabelledBlock) else set()
                end = begin
                while end < len(kinds) and kinds[end] and report_lines.unit[end] == report_lines.unit[begin]:
                    end += 1
                heads.setdefault(begin, set()).update(range(begin, end))
        for begin, head in heads.items():
            lines, of_heading = (
                tuple((report_lines.number[sorted(part)] - 1).tolist()) for part in (head | rows[begin], head)
            )
            out.add(Printed(lines, of_heading, begin in blocks))
    return tuple(sorted(out, key=lambda table: table.lines))


def filled_columns(lines: Sequence[str]) -> np.ndarray:
    """Bool per column: some of these lines has print there."""
    width = max(map(len, lines))
    return np.any([[c != " " for c in line.ljust(width)] for line in lines], axis=0, keepdims=True)[0]


def spans(filled: np.ndarray) -> list[tuple[int, int]]:
    """Columns [start, end) of each run."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], filled, [0]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def stretched(text: str, table: Printed, rng: np.random.Generator) -> str:
    """The page with blanks put in at some columns of a table, where two blanks or more go through all of its lines."""
    out = text.split("\n")
    parts = spans(filled_columns([out[k] for k in table.lines]))
    gaps = [start for (_, end), (start, _) in pairwise(parts) if start - end >= 2]
    for at in sorted(rng.permutation(gaps)[: rng.integers(1, len(gaps) + 1)].tolist() if gaps else [], reverse=True):
        blanks = " " * int(rng.integers(1, MOST_BLANKS + 1))
        for k in table.lines:
            out[k] = out[k][: at - 1] + blanks + out[k][at - 1 :] if len(out[k]) >= at else out[k]
    return "\n".join(line.rstrip() for line in out)


def moved(text: str, table: Printed, rng: np.random.Generator) -> str:
    """The page with one column of a table's numbers moved, in all rows alike, so that they still stand below their own title
    alone, and a blank is between them and what stands beside."""
    out = text.split("\n")
    rows = [k for k in table.lines if k not in table.heading]
    titles = [k for k in table.heading if out[k].strip(" -")]
    if not rows or not titles:
        return text
    over = spans(filled_columns([out[titles[-1]]]))
    parts = spans(filled_columns([out[k] for k in rows]))
    places = []
    for number, (start, end) in enumerate(parts):
        before = parts[number - 1][1] + 1 if number else 0
        behind = parts[number + 1][0] - 1 if number + 1 < len(parts) else end + MOST_BLANKS
        if any(re.search(r"[^\d.,KMG%* ]", out[k][start:end]) for k in rows):
            continue
        mine = {k for k, (a, b) in enumerate(over) if a < end and b > start}
        for by in range(before - start, behind - end + 1):
            below = {k for k, (a, b) in enumerate(over) if a < end + by and b > start + by}
            if by and len(mine) == 1 and below == mine:
                places.append((start, end, by))
    if not places:
        return text
    start, end, by = places[rng.integers(len(places))]
    for k in rows:
        line = out[k].ljust(max(end, end + by) + 1)
        cell, line = line[start:end], line[:start] + " " * (end - start) + line[end:]
        out[k] = (line[: start + by] + cell + line[end + by :]).rstrip()
    return "\n".join(out)


def layouts_of(path: Path, nth: int, change: Callable[..., str], *, blocks: bool) -> list[str]:
    """The page with tables changed at random, each about as often; of many tables every nth has its turn."""
    rng = np.random.default_rng(len(path.stem))
    text, tables = canonical(path), [t for t in tables_of(path) if blocks or not t.is_block]
    each = max(1, LAYOUTS // nth // max(len(tables), 1))
    return [change(text, table, rng) for table in turns(tables, nth, path.stem) for _ in range(each)]


def assert_same_or_told(path: Path, before: Reading, variant: str, reading: Reading) -> None:
    """A variant has the page's values; where it lacks some, more is told than of the page. Texts may have other blanks
    between their words."""
    found = difference(before, reading)
    changed = {
        where: (old, new)
        for where, (old, new) in found.changed.items()
        if old is not None and " ".join(str(old).split()) != " ".join(str(new).split())
    }
    assert not changed, (path.stem, changed, variant)
    if found.lost or found.missing or found.extra:
        assert any(reject not in before.rejects for reject in reading.rejects), (path.stem, found, variant)


def other_layouts(path: Path, nth: int) -> list[str]:
    """Columns farther apart; numbers that end elsewhere below their title; all lines moved to the right alike, as printers and
    copies do, with carriage control and without."""
    lines = canonical(path).split("\n")
    texts = layouts_of(path, nth, stretched, blocks=True) + layouts_of(path, nth, moved, blocks=False)
    for by in turns((1, 2, 5, 9), nth, path.stem):
        texts.append("\n".join(" " * by + line if line else line for line in lines))
    return texts


@every_of(PATHS, pages=6, nth=3)
def test_a_page_in_another_layout_has_the_same_values(paths: list[Path], nth: int) -> None:
    for path, before, variants in with_variants(((path, other_layouts(path, nth)) for path in paths), str, canonical):
        for variant, reading in variants:
            assert_same_or_told(path, before, variant, reading)


def test_a_column_that_nobody_knows_is_no_block_of_labels() -> None:
    """Dashes far from those before them may begin a block; what stands below these is numbers, and no label."""
    path = sample("statistics_member_report")
    lines = path.read_text().split("\n")
    at = lines[11].index("/COMMIT")
    for k in range(11, 21):
        lines[k] = lines[k][: at - 1] + "   " + lines[k][at - 1 :] if lines[k] else ""
    lines[11] = lines[11].replace("/COMMIT", "/DECADE", 1)
    tables = read_text("\n".join(lines))
    counters = tables["db2_statistics_counter"]
    assert not counters["counter"].str.contains(r"^[\d.]+$|^N/").any()
    assert counters.filter(counter="INSERT")["quantity"].to_list() == [9127.0]
    assert "/DECADE" not in counters["block"].to_list()
    assert tables["parse_reject"]["what"].str.contains("a value instead of a label").any()
