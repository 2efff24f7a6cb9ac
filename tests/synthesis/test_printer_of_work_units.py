"""The analysis parts of CPU Activity: published excerpts and a sample have their lines."""

from __future__ import annotations

import numpy as np
import pytest
from ironlake.pipeline.synthesis.contents.common import Intervals, SystemReport
from ironlake.pipeline.synthesis.contents.processors import CpuActivity
from ironlake.pipeline.synthesis.contents.work_units import LoadAnalysis
from ironlake.pipeline.synthesis.fill_processors import processor, processors
from ironlake.pipeline.synthesis.printers.cpu import print_cpu
from sample_pages import SAMPLES, SHARED

ONE = Intervals(np.array(["2024-03-01T10:00:00"], "datetime64[s]"), 900)


def lines_of(page: str, first: str) -> list[str]:
    """The lines of a page from the one that begins with `first`, without those that are blank, and without its margin."""
    lines = [line.rstrip() for line in page.split("\n")]
    begin = next(at for at, line in enumerate(lines) if line.lstrip().startswith(first))
    margin = len(lines[begin]) - len(lines[begin].lstrip())
    return [line[margin:] for line in lines[begin:] if line]


def printed(analysis: LoadAnalysis, release: str) -> str:
    rows = SystemReport("rmf_cpu_activity", "SYSA", release, ONE, processors([processor(0, "CP", 0.0)]))
    return print_cpu(CpuActivity(rows, analysis=analysis)).decode()


def sampled(name: str, *numbers: float) -> dict[str, float]:
    return {f"{name}_{end}": number for end, number in zip(("min", "max", "avg"), numbers, strict=True)}


def blocked(*numbers: float) -> dict[str, float]:
    names = (
        "promote_limit_pct",
        "promote_after_s",
        "promotes_defined_per_s",
        "promotes_used_pct",
        "waiters_avg",
        "waiters_peak",
    )
    return dict(zip(names, numbers, strict=True))


EXCERPTS = SHARED / "real_reports_2"


@pytest.mark.skipif(not EXCERPTS.is_dir(), reason=f"no ../{SHARED.name} beside the project")
def test_the_numbers_of_published_blocked_work_give_its_lines() -> None:
    analysis = LoadAnalysis({}, {}, 1, [100, *[0] * 15], blocked(0.5, 60, 50_000, 95, 0.001, 15))
    published = (EXCERPTS / "rmf_cpu_activity__blocked_workload_excerpt.txt").read_text()
    theirs = lines_of(published, "BLOCKED")
    assert len(theirs) == 3
    assert lines_of(printed(analysis, "V2R2"), "BLOCKED") == theirs


def test_the_numbers_of_a_sample_give_its_lines() -> None:
    """A layout from field knowledge: one page is kept, so that printer and reader have the same one."""
    spaces = {
        "in_ready": (2, 47, 7.9), "in": (112, 131, 120.6), "out_ready": (0, 1, 0), "out_wait": (0, 3, 0.4),
        "logical_out_ready": (0, 2, 0.1), "logical_out_wait": (64, 92, 80.3), "batch": (3, 21, 9.2),
        "stc": (148, 151, 149.7), "tso": (6, 15, 10.4), "omvs": (11, 19, 13.8),
    }  # fmt: skip
    shares = [100 * one / 1000 for one in (714, 83, 51, 36, 49, 37, 16, 8, 4, 1, 1, 0, 0, 0, 0, 0)]
    units = {"CP": sampled("work_units", 1, 38, 4.6), "IIP": sampled("work_units", 0, 17, 1.3)}
    every = {name: value for space, found in spaces.items() for name, value in sampled(space, *found).items()}
    analysis = LoadAnalysis(every, units, 2.4, shares, blocked(0.5, 20, 164, 13, 0.027, 6))
    sample = (SAMPLES / "rmf_cpu_activity" / "cpu_v2r4_work_unit_queue.txt").read_text()
    theirs, mine = lines_of(sample, "SYSTEM ADDRESS"), lines_of(printed(analysis, "V2R4"), "SYSTEM ADDRESS")
    # The sample's rule above the distribution is longer than a print line.
    assert theirs.pop(1).split("-")[0] == mine.pop(1).split("-")[0]
    assert mine == theirs
