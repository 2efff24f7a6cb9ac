"""The analysis parts of CPU Activity: what is printed is read back, and published excerpts and a sample have their lines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.synthesis.contents import CpuActivity, Intervals, Processor
from ironlake.pipeline.synthesis.contents.work_units import (
    AddressSpaces,
    BlockedWork,
    LoadAnalysis,
    ReadyQueue,
    Sampled,
)
from ironlake.pipeline.synthesis.pages import Paper
from ironlake.pipeline.synthesis.printers.cpu import print_cpu
from printed import SETTINGS, Numbers, assert_printed, last_digit, read
from random_analysis import random_analysis
from sample_pages import SAMPLES, SHARED

ONE = Intervals(np.array(["2024-03-01T10:00:00"], "datetime64[s]"), 900)
PAPERS = st.builds(Paper, asa=st.booleans(), ebcdic=st.booleans(), page_lines=st.sampled_from([30, 60]))
QUEUES = {name: name for name in ("in_ready", "out_ready", "out_wait", "logical_out_ready", "logical_out_wait")}
QUEUES |= {"in_storage": "in"} | {name: name for name in ("batch", "stc", "tso", "asch", "omvs")}


@st.composite
def reports(draw: st.DrawFn, releases: tuple[str, ...] = ("V1R11", "V2R2", "V2R5")) -> CpuActivity:
    numbers = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 4)))
    kinds = draw(st.sampled_from([("CP",), ("CP", "IIP"), ("CP", "AAP", "IIP")]))
    processors = tuple(Processor(number, kind) for number, kind in enumerate(kinds))
    intervals = Intervals(numbers.starts(), 900, duration=draw(st.booleans()))
    analysis = random_analysis(numbers, kinds)
    return CpuActivity("SYS#", draw(st.sampled_from(releases)), intervals, processors, analysis=analysis)


def expected(name: str, one: Sampled, at: int, width: int) -> dict[str, tuple[float, float]]:
    """The three columns of a number that was sampled."""
    mean = value(one.mean, at)
    return {
        f"{name}_min": (value(one.least, at), 0),
        f"{name}_max": (value(one.greatest, at), 0),
        f"{name}_avg": (mean, last_digit(mean, width, 1)),
    }


def value(numbers: Any, at: int) -> float:
    array = np.asarray(numbers, float)
    return float(array[at] if array.ndim else array)


@SETTINGS
@given(report=reports(), paper=PAPERS)
def test_every_number_is_read_back(report: CpuActivity, paper: Paper) -> None:
    tables, analysis = read(print_cpu(report, paper)), report.analysis
    assert analysis
    is_old = report.release == "V1R11"
    many = len(report.intervals)
    spaces, blocked = tables["rmf_address_space_count"], tables["rmf_blocked_workload"]
    assert spaces.height == blocked.height == many
    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        (row,) = spaces.filter(interval_start=start).rows(named=True)
        assert row["samples"] == (value(analysis.samples, at) if is_old else None)
        for name, column in QUEUES.items():
            found = expected(column, getattr(analysis.spaces, name), at, 6 if is_old else 7)
            assert_printed(row, found, (start, name))
        (row,) = blocked.filter(interval_start=start).rows(named=True)
        waiters = value(analysis.blocked.waiters, at)
        told = {
            "promote_limit_pct": (analysis.blocked.limit_pct, 0.1),
            "promote_after_s": (analysis.blocked.after_s, 0),
            "promotes_defined_per_s": (analysis.blocked.promotes_per_s, 0),
            "promotes_used_pct": (value(analysis.blocked.used_pct, at), 0),
            "waiters_avg": (waiters, last_digit(waiters, 7, 3)),
            "waiters_peak": (value(analysis.blocked.waiters_peak, at), 0),
        }
        assert_printed(row, told, start)
        if is_old:
            continue
        units = tables["rmf_work_unit"].filter(interval_start=start)
        assert units["processor_type"].to_list() == [kind for kind, _ in analysis.units]
        for row, (kind, one) in zip(units.rows(named=True), analysis.units, strict=True):
            n = value(analysis.queue.unparked, at)
            found = expected("work_units", one, at, 7) | {"processors_unparked_avg": (n, last_digit(n, 5, 1))}
            assert_printed(row, found, (start, kind))
        buckets = tables["rmf_work_unit_queue"].filter(interval_start=start)
        shares = [value(share, at) for share in analysis.queue.shares_pct]
        for row, share in zip(buckets.rows(named=True), shares, strict=True):
            assert_printed(row, {"samples_pct": (share, 0.1)}, (start, row["relation"], row["above_n"]))
    if is_old:
        assert not {"rmf_work_unit", "rmf_work_unit_queue"} & {name for name in tables if tables[name].height}
    else:
        (first, *_) = tables["rmf_work_unit_queue"].partition_by("interval_start")
        bounds = [0, 1, 2, 3, 5, 10, 15, 20, 30, 40, 60, 80, 100, 120, 150, 150]
        assert first["above_n"].to_list() == bounds
        assert first["relation"].to_list() == ["<=", "=", "=", "=", *["<="] * 11, ">"]


# --- Pages that are known ---------------------------------------------------------------------------------------------


def lines_of(page: str, first: str) -> list[str]:
    """The lines of a page from the one that begins with `first`, without those that are blank, and without its margin."""
    lines = [line.rstrip() for line in page.split("\n")]
    begin = next(at for at, line in enumerate(lines) if line.lstrip().startswith(first))
    margin = len(lines[begin]) - len(lines[begin].lstrip())
    return [line[margin:] for line in lines[begin:] if line]


def printed(analysis: LoadAnalysis, release: str) -> str:
    report = CpuActivity("SYSA", release, ONE, (Processor(0, "CP"),), analysis=analysis)
    return print_cpu(report).decode()


def sampled(*numbers: tuple[float, float, float]) -> list[Sampled]:
    return [Sampled(*one) for one in numbers]


EMPTY = LoadAnalysis(0, AddressSpaces(), (), ReadyQueue(1, (1, *[0] * 15)), BlockedWork())
EXCERPTS = SHARED / "real_reports_2"


@pytest.mark.skipif(not EXCERPTS.is_dir(), reason=f"no ../{SHARED.name} beside the project")
def test_the_numbers_of_published_address_spaces_give_their_lines() -> None:
    numbers = sampled(
        *((1, 10, 2.4), (54, 85, 56.4), (0, 0, 0), (2, 0, 1.2), (0, 0, 0), (83, 118, 105.4)),
        *((5, 19, 6.1), (119, 154, 141.7), (10, 12, 10.5), (0, 0, 0), (3, 23, 3.5)),
    )
    analysis = replace(EMPTY, samples=3600, spaces=AddressSpaces(*numbers))
    published = (EXCERPTS / "rmf_cpu_activity__address_space_analysis_excerpt.txt").read_text()
    theirs = lines_of(published, "SYSTEM ADDRESS")
    assert len(theirs) == 8
    assert lines_of(printed(analysis, "V1R11"), "SYSTEM ADDRESS")[: len(theirs)] == theirs


@pytest.mark.skipif(not EXCERPTS.is_dir(), reason=f"no ../{SHARED.name} beside the project")
@pytest.mark.parametrize("release", ["V1R11", "V2R2"])
def test_the_numbers_of_published_blocked_work_give_its_lines(release: str) -> None:
    analysis = replace(EMPTY, blocked=BlockedWork(0.5, 60, 50_000, 95, 0.001, 15))
    published = (EXCERPTS / "rmf_cpu_activity__blocked_workload_excerpt.txt").read_text()
    theirs = lines_of(published, "BLOCKED")
    assert len(theirs) == 3
    assert lines_of(printed(analysis, release), "BLOCKED") == theirs


def test_the_numbers_of_a_sample_give_its_lines() -> None:
    """A layout from field knowledge: one page is kept, so that printer and reader have the same one."""
    spaces = AddressSpaces(
        *sampled(
            *((2, 47, 7.9), (112, 131, 120.6), (0, 1, 0), (0, 3, 0.4), (0, 2, 0.1), (64, 92, 80.3)),
            *((3, 21, 9.2), (148, 151, 149.7), (6, 15, 10.4), (0, 0, 0), (11, 19, 13.8)),
        )
    )
    buckets = (714, 83, 51, 36, 49, 37, 16, 8, 4, 1, 1, 0, 0, 0, 0, 0)
    units = (("CP", Sampled(1, 38, 4.6)), ("IIP", Sampled(0, 17, 1.3)))
    analysis = LoadAnalysis(900, spaces, units, ReadyQueue(2.4, buckets), BlockedWork(0.5, 20, 164, 13, 0.027, 6))
    sample = (SAMPLES / "rmf_cpu_activity" / "cpu_v2r4_work_unit_queue.txt").read_text()
    theirs, mine = lines_of(sample, "SYSTEM ADDRESS"), lines_of(printed(analysis, "V2R4"), "SYSTEM ADDRESS")
    # The sample's rule above the distribution is longer than a print line.
    assert theirs.pop(1).split("-")[0] == mine.pop(1).split("-")[0]
    assert mine == theirs
