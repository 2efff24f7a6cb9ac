"""What repairs cells, switched off one by one: a whole page gives what it gave. Pages that need a repair are named with the reason,
and there a repair gives a value where without it there is none: never another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading import cut_blocks as blocks
from ironlake.pipeline.reading import cut_columns as stacks
from ironlake.pipeline.reading import cut_counters as counters
from ironlake.pipeline.reading import headings as layout
from ironlake.pipeline.reading import title_shift as adrift
from page_variants import Reading, all_of, difference, of_each_report, read_variants
from sample_pages import PUBLISHED, canonical, options_of, sample_files

# Each repair, and what stands for it where it is off.
REPAIRS: dict[str, tuple[Any, str, Any]] = {
    "a heading that lost blanks": (adrift, "moves", lambda titles, block, run, most: np.zeros(len(block), dtype=int)),
    "a value across a border": (stacks, "_may_give", lambda beside, numbers: False),
    "a letter beside a number": (counters, "_without_mark", lambda cell, label_before, gap: cell),
    "a label right of its group": (blocks, "_MOST_SHIFT", 0),
    "a block of few dashes far from others": (layout, "_BETWEEN_BLOCKS", 10**6),
}
# Published pages that read otherwise without the repair, and why.
NEEDED = {
    "a heading that lost blanks": {"rmf_overview__zos_v2r2": "the titles lost eight blanks in front"},
    "a value across a border": {
        "rmf_coupling_facility_activity__lock_structure_excerpt": "RMF prints a count wider than its title, up to the one before"
    },
    "a letter beside a number": {"db2_statistics__group_bp30_excerpt": "whoever published it marked rows with letters"},
}


PATHS = [path for path in [*sample_files(), *PUBLISHED] if options_of(path) == Options()]
NEED_ONE = {name for pages in NEEDED.values() for name in pages}
# Some pages of each report, and all that need a repair.
SOME = [path for path in PATHS if path in of_each_report(PATHS, 15) or path.stem in NEED_ONE]


def forget() -> None:
    """What headings were worked out to be is kept for a process: with a repair off it may be something else."""
    for kept in (counters.counter_heading, counters._panels, stacks.stacked, blocks.block_heading):
        kept.cache_clear()


def readings(paths: list[Path]) -> list[Reading]:
    """Every page's, those of one call read together."""
    forget()
    found = read_variants([canonical(path) for path in paths], Options())
    forget()
    return found


Whole = dict[Path, Reading]


@pytest.fixture(
    scope="module",
    params=[pytest.param(SOME, id="some", marks=pytest.mark.sampled), *all_of(PATHS)],
)
def whole(request: pytest.FixtureRequest) -> Whole:
    return dict(zip(request.param, readings(request.param), strict=True))


@pytest.mark.parametrize("repair", REPAIRS)
def test_a_whole_page_needs_no_repair(repair: str, whole: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as off:
        off.setattr(*REPAIRS[repair])
        without = readings([*whole])
    readings_differ = set()
    for (path, before), after in zip(whole.items(), without, strict=True):
        if path in PUBLISHED and (before.rows, before.rejects) != (after.rows, after.rejects):
            readings_differ.add(path.stem)
        # A moved heading keeps numbers from names that are not theirs; any other repair gives a value where there was none.
        changed = {k: v for k, v in difference(before, after).changed.items() if v[0] is not None}
        assert repair == "a heading that lost blanks" or not changed, (path.stem, changed)
    assert readings_differ == set(NEEDED.get(repair, ()) if any(path in PUBLISHED for path in whole) else ())
