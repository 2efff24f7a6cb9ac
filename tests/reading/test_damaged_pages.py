"""Damaged pages of every kind: what they store is what the whole page prints there, or NULL, or a reject or a mark tells."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from damage import KINDS, Damaged, Page
from damage_oracle import HEADLESS, Sweep, describe, is_silent, lines_of, reads_as
from ironlake.pipeline.reading import engine
from sample_pages import PUBLISHED, sample, sample_files

SOME = [
    sample(name) for name in ("g2_every_cell_differs", "cpu_two_threads", "statistics_member_report", "xcf_members")
]


@cache
def sweep_of(*paths: Path) -> Sweep:
    return Sweep(paths)


def silent_pages(paths: Sequence[Path], count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """By kind the pages tried; and what is wrong in silence, though it could be told."""
    tried, wrong = Counter[str](), []
    for case, faults in sweep_of(*paths).run(count, seed):
        tried[case.kind] += 1
        if of_page := [fault for fault in faults if is_silent(fault)]:
            wrong.append(describe(case, of_page[0]))
    return tried, wrong


@pytest.mark.parametrize(
    ("paths", "count"),
    [
        pytest.param(SOME, 100, id="some"),
        pytest.param(sample_files(), 5000, id="samples", marks=pytest.mark.soak),
        *([pytest.param(PUBLISHED, 2000, id="published", marks=pytest.mark.soak)] if PUBLISHED else []),
    ],
)
def test_no_damaged_page_is_wrong_in_silence(paths: list[Path], count: int) -> None:
    tried, wrong = silent_pages(paths, count, seed=1)
    assert tried.total() > 0.9 * count
    # Few pages have a number with a sign.
    assert KINDS.keys() - tried.keys() <= {"minus_lost"}
    assert not wrong, "\n".join(wrong[:20])


# Pages of which one damaged so was wrong in silence: kinds, and the seeds of these pages.
ONCE_SILENT = {
    "g2_state_samples": (("cell_lost", 2378), ("line_cut", 65), ("cell_below_another_title", 578)),
    "g3_three_systems_distributions": (("cell_lost", 579),),
    "percentile_goal": (("blank_within_number", 2388), ("title_lost", 2503)),
    "margin_lost": (("line_cut", 4463), ("cell_lost", 900125)),
    "cics_liberty_report_class": (("line_cut", 2717),),
    "velocity_goal": (("last_digit_lost", 2989),),
    "xcf_members": (("last_digit_lost", 289), ("last_digit_lost", 1340)),
    "device_synchronous_io": (
        *(("comma_for_point", 437), ("point_to_blank", 437), ("cell_lost", 902170), ("cell_lost", 2652)),
        *(("cell_below_another_title", seed) for seed in (1048, 902571, 801325)),
    ),
    "jmh_profiler_and_groups": (("cell_lost", 630),),
    "jmh_wide_columns_and_two_runs": (("word_of_the_top_lost", 2301899), ("cell_below_another_title", 4101225)),
    "simulator_run": (("last_digit_lost", 1401604), ("last_digit_lost", 1401602)),
    "cics_dfh0stat_region": (("cell_below_another_title", 1982), ("lines_lost", 4806)),
    "cf_structures_asa_carriage_control": (("lines_lost", 207),),
    "accounting_long_packages": (("title_lost", 197), ("title_lost", 2300292), ("cell_lost", 2679)),
    "accounting_eligible_times_per_commit": (("cell_moved", 381),),
    "statistics_equations_of_db2pm": (("line_moved", 393), ("cell_moved", 725), ("rows_moved_behind_a_column", 120)),
    "service_policy_page": (("cell_lost", 100), ("rows_moved_behind_a_column", 1446)),
    "service_policy_page_tenants": (("cell_below_another_title", 903351),),
    "cf_processors_and_subchannels": (("cell_moved", 1096), ("cell_below_another_title", 902586)),
    "chan_managed_groups_older": (("cell_below_another_title", 903736),),
    "importance_summary": (*(("cell_below_another_title", seed) for seed in (903631, 7500768, 7602176)),),
    "asa_carriage_control": (*(("cell_below_another_title", seed) for seed in (903491, 7501218, 7602388)),),
    "chan_all_kinds_of_channels": (("cell_below_another_title", 7500265),),
    "cpu_without_multithreading": (("cell_below_another_title", 7502138),),
    "partition_changed_within_duration": (("cell_below_another_title", 900406),),
    "partition_boost_and_changed_values": (("cell_moved", 98),),
    "accounting_short_one_key": (("cell_lost", 900335),),
    "accounting_short_three_lines": (("cell_moved", 901762),),
    "statistics_subsystem_and_log": (("cell_lost", 1300), ("cell_below_another_title", 7603510)),
    "statistics_short_of_a_group": (("comma_for_point", 357),),
    "cics_dfh0stat_storage": (("cell_below_another_title", 902466),),
    "cics_region": (("cell_below_another_title", 402075), ("cell_below_another_title", 7501442)),
    "xcf_usage_halves_below_each_other": (("line_wrapped", 801014),),
    "cache_delayed_operations": (("word_of_the_top_lost", 400849),),
    "cache_bypass_and_offline": (("word_of_the_top_lost", 3800449),),
    "list_form_of_a_site": (("rows_moved_behind_a_column", 2901818), ("rows_moved_behind_a_column", 3301368)),
    "summary_unknown_title": (("label_lost", 1302945),),
    "summary_form_of_a_site": (("second_page_without_its_top", 4000350),),
    "g1_cics_response_breakdown": (("lines_swapped", 1200207),),
    "g1_percentile_goal": (("cell_below_another_title", 1400475),),
    "cics_dfh0stat_entries": (
        *(("cell_below_another_title", 1378), ("word_of_the_top_lost", 1400549), ("word_of_the_top_lost", 2201099)),
    ),
    "statistics_short_of_whom": (("cell_below_another_title", 1500425),),
}


def test_a_page_that_was_wrong_in_silence_is_told() -> None:
    sweep = sweep_of(*map(sample, ONCE_SILENT))
    cases = [sweep.damage(kind, sample(name), seed) for name, some in ONCE_SILENT.items() for kind, seed in some]
    faults = [(case, fault) for case, found in sweep.judged([c for c in cases if c]) for fault in found]
    assert all(cases)
    assert [describe(case, fault) for case, fault in faults if not fault.told] == []


# --- The kinds ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_damages_pages_and_does_the_same_again(kind: str) -> None:
    page = Page([*lines_of(SOME[0]), *lines_of(SOME[2]), "CHANGE          -1.25    +3"], lines_of(SOME[1]))
    found = [KINDS[kind](page, Random(seed)) for seed in range(30)]
    damaged = [one for one in found if one is not None and [line for _, line in one.lines] != page.lines]
    assert len({one.text for one in damaged}) > 1
    again = [KINDS[kind](page, Random(seed)) for seed in range(30)]
    assert [one and one.lines for one in found] == [one and one.lines for one in again]
    # A line that the damage left alone has the text of its number.
    assert all(any(page.line(number) == line for number, line in one.lines if line) for one in damaged)


# --- The oracle --------------------------------------------------------------------------------------------------------


def test_digits_differ_on_every_page() -> None:
    sweep = sweep_of(*SOME)
    assert sweep.with_other_digits == len(SOME)
    for path in SOME:
        (case,) = [sweep.damage("line_twice", path, 1)]
        assert case
        for line, printed in zip(case.page.lines, lines_of(path), strict=True):
            assert re.sub(r"\d", "0", line) == re.sub(r"\d", "0", printed)


@pytest.mark.parametrize(
    ("old", "new", "before", "after", "is_read"),
    [
        (12.5, 17.5, "12.5", "17.5", True),
        (12.5, 17.5, "12.5", "17.6", False),
        (0.125, 0.175, "12.5", "17.5", True),  # a percentage stored as a share
        (399360, 390, "390K", "390", True),
        (399360, 391, "390K", "390", False),
        (16.8, 16800.0, "16.8", "16.8K", True),
        (246.826, 306.826, "4.06.826", "5.06.826", True),
        (246.826, 247.826, "4.06.826", "5.06.826", False),
        ("PAYPLAN1", "PAYP", "PAYPLAN1", "PAYP", True),
        ("PAYPLAN1", "DATE", "PAYPLAN1", "", False),
        ("Night batch", "batch", "Night", "", True),
        (dt.datetime(2025, 11, 3, 9), dt.datetime(2025, 11, 3, 8), "09.00.00", "08.00.00", True),
        (dt.datetime(2025, 11, 3, 9), dt.datetime(2024, 11, 3, 9), "09.00.00", "08.00.00", False),
        (dt.datetime(2025, 11, 3, 9, 15), dt.datetime(2025, 11, 3, 9, 14), "15.00.000", "14.00.000", True),
        (None, 17.5, "12.5", "17.5", False),
        (0, 5, "0", "5", True),
        (0, 17, "0", "5", False),
    ],
)
def test_a_value_may_follow_the_form_that_the_damage_changed(
    old: Any, new: Any, before: str, after: str, is_read: bool
) -> None:
    assert reads_as(old, new, before, after) is is_read


def with_column(tables: dict[str, pa.Table], table: str, column: str, values: Any) -> dict[str, pa.Table]:
    """The tables with other values in one column."""
    if table not in tables:
        return tables
    at = tables[table].schema.get_field_index(column)
    field = tables[table].schema.field(at)
    array = pa.array(values(tables[table]), pa.string() if pa.types.is_dictionary(field.type) else field.type)
    array = array.dictionary_encode() if pa.types.is_dictionary(field.type) else array
    return tables | {table: tables[table].set_column(at, field, array)}


@pytest.mark.parametrize(
    ("column", "values", "noticed"),
    [
        ("transactions_ended", lambda t: [v and v + 1 for v in t["transactions_ended"].to_pylist()], True),
        ("cpu_time_s", lambda t: t["srb_time_s"].to_pylist(), True),
        ("service_class", lambda t: ["OTHER"] * len(t), True),
        ("sysplex", lambda t: ["OTHER"] * len(t), True),
        ("service_class", lambda t: [None] * len(t), False),
        ("cpu_time_s", lambda t: [None] * len(t), False),
    ],
)
def test_a_fault_that_is_planted_in_the_reader_is_noticed(
    monkeypatch: pytest.MonkeyPatch, column: str, values: Any, noticed: bool
) -> None:
    """A reader that reads damaged pages as another column, another name or another number; one that reads less is right."""
    sweep, parse = sweep_of(*SOME), engine.parse
    cases = [case for seed in range(3) if (case := sweep.damage("line_twice", SOME[0], seed))]

    def faulty(*given: Any) -> engine.Parsed:
        found = parse(*given)
        return replace(found, tables=with_column(found.tables, "rmf_workload_activity", column, values))

    monkeypatch.setattr(engine, "parse", faulty)
    faults = [fault for _, faults in sweep.judged(cases) for fault in faults]
    assert len(cases) == 3
    assert {fault.column for fault in faults} == ({column} if noticed else set())
    assert {fault.told for fault in faults} <= {"", "mark", "elsewhere"}


def test_rows_below_the_heading_of_another_page_are_noticed() -> None:
    """Of a page whose rows stand below the whole heading of another: nobody could tell, but they are seen."""
    sweep = sweep_of(*SOME)
    whole = sweep.damage("line_twice", SOME[0], 1)
    assert whole
    other = [line.replace("PLEXA", "PLEYA") for line in whole.page.lines]
    below = next(k for k, line in enumerate(other) if line.startswith("REPORT BY"))
    page = Page(other, whole.page.lines)
    damaged = Damaged(page.numbered()[:below] + page.numbered_other()[below:], "two pages mixed")
    ((_, faults),) = sweep.judged([replace(whole, other=whole.path, page=page, damaged=damaged)])
    assert {(fault.column, fault.why) for fault in faults} == {("sysplex", HEADLESS)}
