"""Undamaged pages in other layouts: every table of every sample with its columns farther apart, at random, and every page moved
to the right. Each value is the one that the page has, or it is NULL and a reject says so; no page is repaired into another."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from ironlake.pipeline import engine, grammar, pages
from ironlake.pipeline.declaration import Heading, reports
from ironlake.pipeline.frame import Frame, build
from ironlake.pipeline.rejects import Rejects
from ironlake.pipeline.sheets import heading_runs
from sample_pages import SHARED, sample_files
from test_robustness import difference, options_of, read_variants

# Layouts tried of each page.
LAYOUTS = 12
MOST_BLANKS = 6
PUBLISHED = sorted(SHARED.glob("real_reports*/*.txt")) + sorted(SHARED.glob("reference/extracts/*.txt"))
PATHS = sample_files() + PUBLISHED


def frames(text: str, path: Path) -> Iterator[Frame]:
    """The frame of each report on a page, as reading builds it."""
    segment = engine.canonical_segment(text.encode(), "page.txt", options_of(path))
    lines = pages.find_lines([segment])
    known = dict(enumerate(reports().values()))
    engine._claim_pages_without_banner(lines, known)
    for number, report in known.items():
        chosen = np.flatnonzero(lines.report == number)
        if len(chosen):
            yield build(report, grammar.load(report.name), lines, chosen, Rejects())


@cache
def tables_of(path: Path) -> tuple[tuple[int, ...], ...]:
    """Lines, counted from 0, of each heading of columns and of the rows below it."""
    out: set[tuple[int, ...]] = set()
    for frame in frames(canonical(path), path):
        spans: dict[int, set[int]] = {}
        for heading in frame.report.headings:
            if heading.style != "pairs" and len(rows := frame.lines_of(heading.rows)):
                _add_lines(frame, heading, rows, spans)
        out |= {tuple(sorted(frame.number[sorted(lines)] - 1)) for lines in spans.values()}
    return tuple(sorted(out))


def _add_lines(frame: Frame, heading: Heading, rows: np.ndarray, spans: dict[int, set[int]]) -> None:
    first, _, _ = heading_runs(frame, heading, rows)
    kinds = frame.of_kind((*heading.lines, *heading.above))
    for begin in np.unique(first[first >= 0]).tolist():
        lines = spans.setdefault(begin, set())
        lines.update(rows[first == begin].tolist())
        at = begin
        while at < len(kinds) and kinds[at] and frame.unit[at] == frame.unit[begin]:
            lines.add(at)
            at += 1


def canonical(path: Path) -> str:
    """The page without carriage control, as everything behind its reading sees it."""
    return engine.canonical_segment(path.read_bytes(), path.name, options_of(path)).text.decode()


def stretched(text: str, lines: tuple[int, ...], rng: np.random.Generator) -> str:
    """The page with blanks put in at some columns of one table, where two blanks or more go through all of its lines."""
    out = text.split("\n")
    width = max(len(out[k]) for k in lines)
    filled = np.array([[c != " " for c in out[k].ljust(width)] for k in lines]).any(axis=0)
    gaps = [end for end in range(2, width) if filled[end] and not filled[end - 2 : end].any() and filled[:end].any()]
    rng.shuffle(gaps)
    for at in sorted(gaps[: int(rng.integers(1, len(gaps) + 1))] if gaps else [], reverse=True):
        blanks = " " * int(rng.integers(1, MOST_BLANKS + 1))
        for k in lines:
            out[k] = out[k][: at - 1] + blanks + out[k][at - 1 :] if len(out[k]) >= at else out[k]
    return "\n".join(line.rstrip() for line in out)


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_columns_farther_apart_have_the_same_values(path: Path) -> None:
    rng = np.random.default_rng(len(path.stem))
    text = canonical(path)
    tables = tables_of(path)
    texts = [stretched(text, lines, rng) for lines in tables for _ in range(max(1, LAYOUTS // len(tables)))]
    before, *after = read_variants([text, *texts], options_of(path))
    for variant, reading in zip(texts, after, strict=True):
        found = difference(before, reading)
        assert not found.changed, (found.changed, variant)
        if found.lost or found.missing or found.extra:
            assert len(reading.rejects) > len(before.rejects), (found, variant)
