"""`ironlake check` finds the same rows as the check at ingest, whatever the slices, and what only a whole lake shows."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from broken_pages import CHANGED, PERIODS, SHARES
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.quality import lake_slices as slices
from ironlake.pipeline.quality.check_batch import CheckedTable, broken_rows, columns_judged
from ironlake.pipeline.quality.check_lake import check
from ironlake.pipeline.sql.open_lake import OpenLake, open_lake
from lake_rows import write_files
from sample_pages import sample

CPU, CF = "cpu_two_threads", "cf_structure_continued_page_and_links"
PERCENTILES = "percentile_goal_below_ten_milliseconds"
CLOCK = "TIME 08.30.00"
# What comes of pages that lie side by side in one lake, not of one page.
ACROSS = ("printed_once", "no_gap", "no_overlap", "no_short_interval", "every_system")


def lake_of(folder: Path, pages: dict[str, str]) -> Path:
    for name, page in pages.items():
        (folder / f"{name}.txt").write_text(page)
    report = ingest([str(folder / f"{name}.txt") for name in pages], folder / "lake", Options(), jobs=1)
    assert {f.status for f in report.files} == {"ingested"}
    return folder / "lake"


@pytest.fixture(scope="module")
def some_broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenLake]:
    with open_lake(lake_of_broken_pages(tmp_path_factory.mktemp("some"), 32)) as lake:
        yield lake


def lake_of_broken_pages(folder: Path, nth: int) -> Path:
    broken = list(enumerate(CHANGED))[::nth]
    pages = {f"{k:02}": sample(name).read_text().replace(old, new, 1) for k, (_, name, old, new) in broken}
    page = sample(PERIODS).read_text().replace("CP     45.71", "CP     54.71")
    pages["intervals"] = "".join(page.replace(CLOCK, f"TIME {hour}.30.00") for hour in ("10", "12", "11"))
    return lake_of(folder, pages)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenLake]:
    """Pages that keep the rules."""
    names = (PERIODS, CPU, CF, PERCENTILES, "g3_three_systems_distributions")
    names = (*names, "cics_table_over_page_break", "statistics_member_report")
    pages = {name: sample(name).read_text() for name in names}
    with open_lake(lake_of(tmp_path_factory.mktemp("sound"), pages)) as lake:
        yield lake


def found_in(lake: OpenLake, *given: Any, **options: Any) -> pa.Table:
    return check(lake, *given, **options).to_reader().read_all()


def rows(results: pa.Table) -> list[dict]:
    """Rows in order, numbers to the digits that do not depend on the order in which they are added up."""
    plain = [{k: f"{v:.9g}" if isinstance(v, float) else v for k, v in row.items()} for row in results.to_pylist()]
    return sorted(plain, key=lambda r: (r["source_file"], r["page"], r["rule"], r["column"]))


def name_of(row: dict) -> str:
    return row["rule"].split(".")[1]


@pytest.mark.slow
def test_great_expectations_and_the_batch_check_find_the_same_rows(tmp_path: Path):
    from ironlake.pipeline.quality.expectation_suites import ExpectationSuites

    broken_lake = OpenLake(lake_of_broken_pages(tmp_path, 1))
    judged = rows(found_in(broken_lake))
    suites = ExpectationSuites()
    by_great_expectations = found_in(broken_lake, suites)
    assert rows(by_great_expectations) == judged
    assert suites.batches > 20
    assert {rule for rule, *_ in CHANGED} <= {f"{table}.{rule}" for table, rule, _ in suites.judged}
    (printed,) = broken_lake.sql("SELECT count(delayed_pct) FROM rmf_cf_to_cf").fetchall()[0]
    assert suites.judged["rmf_cf_to_cf", "delayed_pct_range", "delayed_pct"] == printed > 0
    of_pages = [r for r in judged if name_of(r) not in ACROSS]
    assert of_pages == rows(broken_lake.sql("FROM quality_result").arrow())
    assert {rule for rule, *_ in CHANGED} <= {r["rule"] for r in of_pages}
    broken_lake.close()


def test_one_value_out_of_range_makes_its_table_suspect():
    """One row out of its range, of another kind or without a value, among rows that keep every rule: its frame alone is suspect, and in
    it the same rows are found as at ingest."""
    from ironlake.pipeline.quality.expectation_suites import ExpectationSuites

    suites = ExpectationSuites()
    sound = {"share_pct": 0.0, "kind": "interval", "period": 1, "source_id": "s", "source_file": "f", "page": 1}
    for wrong, rule, value, limit in OUT_OF_RANGE:
        judged = [
            frame_and_checks([sound, sound | {"kind": None, "share_pct": 100.0}, sound | row]) for row in ({}, wrong)
        ]
        for place, (frame, checks) in enumerate(judged):
            assert not list(suites.look(place, SHARES, frame, checks))
        assert suites.suspects() == [1]
        frame, checks = judged[1]
        told = [*suites.judge(SHARES, frame, checks), *suites.rest()]
        assert [t.to_dicts() for t in told] == [t.to_dicts() for t in broken_rows(SHARES, frame, checks)]
        seen = [(r["rule"], r["line"], r["found"], r["expected"]) for t in told for r in t.to_dicts()]
        assert seen == [(f"shares.{rule}", 3, value, limit)]


OUT_OF_RANGE: tuple[tuple[dict, str, float | None, float | None], ...] = (
    ({"share_pct": 100.1}, "share_pct_range", 100.1, 100.0),
    ({"share_pct": -0.1}, "share_pct_range", -0.1, 0.0),
    ({"period": 0}, "period_range", 0.0, 1.0),
    ({"kind": "INTERVAL"}, "kind_allowed", None, None),
    ({"period": None}, "period_filled", None, None),
)


def frame_and_checks(printed: list[dict]):
    schema = pa.schema([f.with_nullable(True) for f in SHARES.schema])
    plain = pa.schema([(f.name, getattr(f.type, "value_type", f.type)) for f in schema])
    table = pa.Table.from_pylist([row | {"line": line} for line, row in enumerate(printed, 1)], plain).cast(schema)
    [(frame, checks)] = CheckedTable(SHARES, table).checks({}, with_plain=True)
    return frame, checks


def test_columns_with_the_same_expectation_are_checked_together(sound: OpenLake, monkeypatch: pytest.MonkeyPatch):
    """Great Expectations takes as long for one value as for thousands."""
    from ironlake.pipeline.quality import expectation_suites as module

    asked = []

    def recorded(**given: Any):
        limits = ("min_value", "max_value", "value_set")
        asked.extend((type(e), *(str(getattr(e, name, None)) for name in limits)) for e in given["expectations"])
        return suite(**given)

    suite = module.gx.ExpectationSuite
    monkeypatch.setattr(module.gx, "ExpectationSuite", recorded)
    suites = module.ExpectationSuites()
    assert found_in(sound, suites).num_rows == 0
    assert len({table for table, *_ in suites.judged}) > 5
    assert len(suites.judged) > 200
    assert len(asked) == len(set(asked)) == suites.batches < 40


@pytest.mark.parametrize("most_rows", [1, pytest.param(7, marks=pytest.mark.slow)])
def test_the_size_of_slices_does_not_change_what_is_found(
    some_broken: OpenLake, monkeypatch: pytest.MonkeyPatch, most_rows: int
):
    """Sources with more rows than a slice are cut where an interval begins. However many slices there are, a row group is read
    once, and once more for the places of its rows."""
    report = reports()["rmf_workload_activity"]
    columns = {t.name: columns_judged(t) for t in report.tables}
    found = list(slices.slices_of(some_broken, report, columns, most_rows))
    cut = Counter(s.source_ids for s in found if s.times)
    assert max(cut.values()) == (3 if most_rows == 1 else 2)
    judged = rows(found_in(some_broken))
    assert len(judged) > 5
    read: Counter[tuple[str, int]] = Counter()
    groups_of = slices._Report._groups

    def counted(self: Any, name: str, part: int, schema: pa.Schema, wanted: Any = None):
        for group, found in groups_of(self, name, part, schema, wanted):
            read[f"{name} {part}", group] += 1
            yield group, found

    monkeypatch.setattr(slices._Report, "_groups", counted)
    assert rows(found_in(some_broken, most_rows=most_rows)) == judged
    assert set(read.values()) == {2}


@pytest.fixture(scope="module")
def intervals_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenLake]:
    """Quarters of an hour of one sysplex: from 8.30, 8.45 and 9.15 (one is missing), one from 9.20 that overlaps it, one of
    5 minutes, and the first again with another number of transactions; an interval of a coupling facility that lacks a system."""
    page = sample(PERIODS).read_text()
    assert page.count(CLOCK) == 3
    later = {f"at_{time}": page.replace(CLOCK, f"TIME {time}.00") for time in ("08.45", "09.15", "09.20")}
    short = page.replace(CLOCK, "TIME 09.35.02").replace("INTERVAL 15.00.013", "INTERVAL 05.00.000")
    again = page.replace("EXCTD        0  CONVERSION            43", "EXCTD        0  CONVERSION            44")
    structure = sample(CF).read_text()
    both = [structure.replace("TIME 14.00.00", f"TIME {time}.00") for time in ("14.00", "14.30", "15.00")]
    assert structure.count("SYSD ") == 1
    both[1] = both[1].replace("SYSD ", "SYSC ")
    pages = {"first": page, "again": again, **later, "short": short, **{f"cf_{k}": p for k, p in enumerate(both)}}
    with open_lake(lake_of(tmp_path_factory.mktemp("intervals"), pages)) as lake:
        yield lake


def test_overlaps_gaps_and_missing_systems_are_found_across_files(intervals_lake: OpenLake):
    found = [r for r in found_in(intervals_lake).to_pylist() if name_of(r) in ACROSS]
    told = {(name_of(r), Path(r["source_file"]).stem, r["page"], r["line"]): r for r in found}
    workload = {k: r for k, r in told.items() if r["table"].startswith("rmf_workload_activity")}
    assert sorted(workload) == [
        ("no_gap", "at_09.15", 1, 14), ("no_overlap", "at_09.20", 1, 14), ("no_short_interval", "short", 1, 14),
        ("printed_once", "again", 1, 14), ("printed_once", "first", 1, 14),
    ]  # fmt: skip
    gap, overlap, short, again, _ = (workload[k] for k in sorted(workload))
    assert gap["found"] == pytest.approx(15 * 60 - 0.013)
    assert overlap["found"] == pytest.approx(10 * 60 + 0.013)
    assert (short["found"], short["expected"]) == (300.0, pytest.approx(450.0065))
    assert (again["severity"], gap["severity"], overlap["severity"]) == ("error", "warn", "warn")
    lacking = told[("every_system", "cf_1", 1, 17)]
    assert lacking["what"] == "every system of the sysplex is in every interval; missing: SYSD"
    assert Counter(name_of(r) for r in found)["every_system"] == 1


def test_a_late_start_and_an_early_end_beside_other_systems_or_reports_are_told(tmp_path: Path):
    """Four quarters of SYSA; SYSB starts with the second, its Partition Data ends with the third."""
    day = dt.datetime(2021, 4, 13, 10)

    def quarters(system: str, first: int, last: int) -> list[dict[str, object]]:
        starts = [day + dt.timedelta(minutes=15 * n) for n in range(first, last)]
        return [
            {
                "system": system,
                "report_kind": "interval",
                "interval_start": at,
                "interval_end": at + dt.timedelta(seconds=899.997),
            }
            for at in starts
        ]

    tables = {
        "rmf_cpu_activity": quarters("SYSA", 0, 4) + quarters("SYSB", 1, 4),
        "rmf_partition_data": quarters("SYSB", 1, 3),
    }
    with Lake(tmp_path) as target:
        write_files(target, {"one": tables}, False)
    with open_lake(tmp_path) as lake:
        found = [r for r in found_in(lake).to_pylist() if name_of(r) in ("no_late_start", "no_early_end")]
    assert {(r["rule"], r["what"].partition("missing: ")[2], round(r["found"]), r["severity"]) for r in found} == {
        ("rmf_cpu_activity.no_late_start", "SYSB 2021-04-13 10:00 to 10:15", 900, "warn"),
        ("rmf_partition_data.no_early_end", "SYSB 2021-04-13 10:45 to 11:00", 900, "warn"),
    }
