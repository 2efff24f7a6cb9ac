"""Every rule is broken by a sample page with one value changed, and by no page as it is; published pages give warnings at most.

The values to change, and what then disagrees, were read off the pages by eye.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import pytest
from broken_pages import (
    ACTIVITY,
    CHANGED,
    CPU,
    DISTRIBUTION,
    ENTRIES,
    EQUATIONS,
    LONG,
    PERIODS,
    STRUCTURE,
    USAGE,
    Finding,
    findings,
)
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.declaration.rules import OfColumn
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.quality.row_checks import rules
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.open_lake import open_lake
from page_variants import every, every_of
from sample_pages import SAMPLES, SHARED, sample, sample_files
from sizes import some
from views_lake import expect

FOLDER, MORE = SHARED / "real_reports", SHARED / "real_reports_2"


@cache
def sample_findings(name: str) -> list[Finding]:
    return findings(name, sample(name).read_bytes())


def broken(found: list[Finding]) -> set[str]:
    return {f["rule"] for f in found}


@pytest.mark.parametrize(("rule", "name", "printed", "changed"), some(CHANGED, 16), ids=[c[0] for c in CHANGED])
def test_a_changed_value_breaks_its_rule(rule: str, name: str, printed: str, changed: str):
    page = sample(name).read_text()
    assert printed in page
    assert rule not in broken(sample_findings(name))
    mine = [f for f in findings(name, page.replace(printed, changed, 1)) if f["rule"] == rule]
    assert mine
    for found in mine:
        assert abs(found["found"] - found["expected"]) > found["tolerance"] >= 0
        assert found["source_file"] == name
        assert found["line"] <= page.count("\n")


# The class of a page and its two periods, as blocks of a policy (or workload) and of two service classes.
OF_CLASSES = [
    (f"SERVICE CLASS=BATPROD    RESOURCE GROUP=LIMIT50    PERIOD={n} IMPORTANCE={2 * n}", f"SERVICE CLASS=BATPROD{n}")
    for n in (1, 2)
]


def as_blocks(upper: str, parts: list[tuple[str, str]]) -> str:
    """The page with the heading of its class, and of each period, replaced."""
    # Nor is it one of classes, as its rule says.
    page = sample(PERIODS).read_text().replace("SERVICE CLASS(ES)", "")
    heading = "WORKLOAD=BATCHWL    SERVICE CLASS=BATPROD    RESOURCE GROUP=LIMIT50\n"
    for printed, other in ((heading, f"{upper}\n"), *parts):
        assert printed in page
        page = page.replace(printed, other, 1)
    return page


@pytest.mark.parametrize(
    ("rule", "block"),
    [("service_classes_add_up_to_their_workload", "WORKLOAD=BATCHWL"), ("service_classes_add_up_to_the_policy", "")],
)
def test_service_classes_add_up(rule: str, block: str):
    page = as_blocks(block, OF_CLASSES)
    assert broken(findings(PERIODS, page)) == set()
    less = findings(PERIODS, page.replace("CPU  301.118", "CPU  301.811"))
    assert {(f["rule"], f["column"], f["severity"]) for f in less} >= {(ACTIVITY + rule, "cpu_time_s", "warn")}


def test_report_classes_are_within_the_policy():
    """They may leave work out; more than the policy has they cannot have."""
    classes = [(f"WORKLOAD=BATCHWL    {printed}", f"REPORT CLASS=RBAT{n}") for n, (printed, _) in enumerate(OF_CLASSES)]
    page = as_blocks("", classes)
    rule = ACTIVITY + "report_classes_are_within_the_policy"
    one = page.replace("REPORT CLASS=RBAT1", "WORKLOAD=BATCHWL    SERVICE CLASS=BATPROD2")
    for sound in (page, one):
        assert rule not in broken(findings(PERIODS, sound))
    [more] = [f for f in findings(PERIODS, page.replace("CPU  422.520", "CPU  222.520")) if f["rule"] == rule]
    expect(more, column="cpu_time_s", severity="warn", found=pytest.approx(121.402 + 301.118), expected=222.520)


def test_every_declared_rule_has_a_page_that_breaks_it():
    classes = {ACTIVITY + f"service_classes_add_up_to_{what}" for what in ("their_workload", "the_policy")}
    classes.add(ACTIVITY + "report_classes_are_within_the_policy")
    assert {f"{t.name}.{r.name}" for t in tables().values() for r in t.rules} == {
        rule for rule, *_ in CHANGED
    } | classes


# Ours that a report printed so: more contentions than deferred requests.
WARNED = {
    "cf_shifted_columns": {"rmf_cf_structure_activity.contentions_were_deferred"},
    # More than a fifth of their lines are rejects.
    "cache_lost_title": {"rmf_cache_miss.page_is_read", "rmf_cache_subsystem.page_is_read"},
    "cf_missing_heading": {"rmf_cf_structure_activity.page_is_read"},
    "group_capacity_unreadable": {"rmf_group_capacity.page_is_read"},
    "overview_two_readings": {"rmf_overview.page_is_read"},
    "servers_bad_lines": {"cics_server_pool.page_is_read", "cics_server_access.page_is_read"},
    "simulator_unknown_label": {"workload_simulator_run.page_is_read"},
}


def test_buckets_with_equal_bounds_break_no_rule():
    """And a count that is misread among them does."""
    name = "percentile_goal_below_ten_milliseconds"
    page = sample(name).read_text()
    assert findings(name, page) == findings(name, page + page) == []
    [found] = [
        f
        for f in findings(name, page.replace(" 450             350", " 450             330"))
        if f["rule"].endswith("buckets_add_up")
    ]
    assert (found["line"], found["found"], found["expected"]) == (37, 450, 430)


@every(8)
@pytest.mark.parametrize("report", sorted(reports()))
def test_sample_pages_break_no_rule(report: str, nth: int):
    names = [p.stem for p in sample_files() if p.parent.name == report][::nth]
    assert names
    found = {name: rules_broken for name in names if (rules_broken := broken(sample_findings(name)))}
    assert found == {name: expected for name, expected in WARNED.items() if name in names}


@pytest.mark.parametrize("name", some([DISTRIBUTION, PERIODS, STRUCTURE, USAGE, CPU, ENTRIES, EQUATIONS, LONG], 4))
def test_a_page_printed_twice_in_a_file_breaks_no_rule(name: str):
    """Two runs of a report in one file: each copy is judged by itself."""
    page = sample(name).read_text()
    assert findings(name, page + page) == []
    rule, _, printed, changed = next(c for c in CHANGED if c[1] == name)
    again = page.replace(printed, changed, 1)
    lines = {f["line"] > page.count("\n") for f in findings(name, page + again) if f["rule"] == rule}
    assert lines == {True}


def test_demo_pages_break_no_rule():
    pages = sorted((SAMPLES / "demo").glob("*.txt"))
    assert pages
    assert [f for p in pages for f in findings(p.name, p.read_bytes())] == []


# Page, rule, column, line and what is printed there; all warnings.
OLD = "rmf_workload_activity__mvsesa_5.1_cics_response_breakdown"
V2R3 = "rmf_workload_activity__zos_v2r3_microseconds_importance_distributions"
LOCK, CORES = "rmf_coupling_facility_activity__lock_structure_excerpt", "rmf_cpu_activity__zos_v2r1_multithreading"
PUBLISHED = [
    (OLD, "ended_rate", "transactions_per_s", 49, 0.24),
    (V2R3, "promoted_time_is_within_cpu_time", "promoted_blk_s", 13, 708670.7),
    (V2R3, "response_time_of_all_systems", "actual_s", 36, 15.590291),
    (V2R3, "buckets_add_up_to_ended", "transactions", 67, 897),
    (LOCK, "contentions_were_deferred", "contention_total", 7, 621),
    (CORES, "total_is_the_average_of_its_processors", "lpar_busy_pct", 9, 8.66),
    (CORES, "total_is_the_sum_of_its_processors", "logical_share_pct", 15, 386.7),
]


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no ../{FOLDER.parent.name}/{FOLDER.name} beside the project")
def test_published_pages_have_only_their_known_inconsistencies():
    found = [(p.stem, f) for p in sorted(FOLDER.glob("*.txt")) for f in findings(p.name, p.read_bytes())]
    told = [(page, f["rule"].split(".")[1], f["column"], f["line"], f["found"]) for page, f in found]
    assert sorted(told) == sorted(PUBLISHED)
    assert {f["severity"] for _, f in found} == {"warn"}
    busy = next(f for _, f in found if f["column"] == "lpar_busy_pct")
    expect(busy, rows=2, expected=pytest.approx((68.07 + 46.78) / 2))


@pytest.mark.skipif(not MORE.is_dir(), reason=f"no ../{MORE.parent.name}/{MORE.name} beside the project")
@every_of(sorted((*FOLDER.glob("*.txt"), *MORE.glob("*.txt"))), 4)
def test_no_published_page_is_an_error(paths: list[Path], nth: int):
    """A system printed it: however odd it is, --strict must not keep it out. None is left out here."""
    found = {path.name: findings(path.name, path.read_bytes()) for path in paths[::nth]}
    assert [(name, f) for name, told in found.items() for f in told if f["severity"] == "error"] == []


@pytest.mark.parametrize(
    ("name", "printed", "changed", "marked"),
    [
        # A boost lends a machine more than it is rated at.
        ("service_policy_page_boost_five_systems", "88120.0  100 21.59.30", "88120.0  171 21.59.30", []),
        # Two clocks measured a busy time and the time that it is a share of.
        (CPU, "   58.90 ", "  101.90 ", [("lpar_busy_pct_range", "warn")]),
        # Not as far apart as that.
        (CPU, "   58.90 ", "  600.90 ", [("lpar_busy_pct_range", "warn"), ("lpar_busy_pct_possible", "error")]),
        # No list has more than all of its transactions.
        (DISTRIBUTION, "72.0    72.0", "72.0   172.0", [("cumulative_pct_range", "error")]),
    ],
)
def test_percentages_above_100_are_errors_or_warnings(
    name: str, printed: str, changed: str, marked: list[tuple[str, str]]
):
    page = sample(name).read_text()
    assert printed in page
    found = [(f["rule"].split(".")[1], f["severity"]) for f in findings(name, page.replace(printed, changed, 1))]
    ranges = [(rule, severity) for rule, severity in found if rule.endswith(("_range", "_possible"))]
    assert sorted(ranges, reverse=True) == marked


def test_rules_name_existing_columns_and_describe_themselves():
    seen = 0
    for table in tables().values():
        names = [c.name for c in table.all_columns]
        ids = [r.name for r in rules(table)]
        assert len(ids) == len(set(ids)), table.name
        for rule in rules(table):
            assert set(rule.needs) | set(rule.columns) <= set(names), rule
            assert all(column in rule.says(column) or column in rule.needs for column in rule.columns)
            assert isinstance(rule, OfColumn) or rule.source, rule
            seen += 1
    assert seen > 500


@every(5)
def test_damaged_pages_can_be_checked(nth: int):
    """Lines that are lost and digits that are wrong: a judgement that fails would keep the file out."""
    rng = Random(7)
    pages = 0
    for path in sample_files()[:: 2 * nth]:
        lines = [line for line in path.read_text().split("\n") if rng.random() > 0.15]
        page = re.sub(r"\d", lambda m: rng.choice("0123456789*") if rng.random() < 0.1 else m[0], "\n".join(lines))
        with suppress(IronlakeError):  # carriage control on some lines
            findings(path.stem, page)
            pages += 1
    assert pages > 40 / nth


def test_ingest_marks_suspect_pages_and_strict_keeps_out_files_with_errors(tmp_path: Path):
    page = sample(STRUCTURE).read_text()
    (tmp_path / "sound.txt").write_text(page)
    (tmp_path / "odd.txt").write_text(page.replace("22.92", "29.22"))  # a rate: a warning, and twice, for the total
    (tmp_path / "wrong.txt").write_text(page.replace("SYSC     41255", "SYSC     42155"))
    paths = [str(tmp_path / f"{name}.txt") for name in ("odd", "sound", "wrong")]
    report = ingest(paths, tmp_path / "lake", Options(), jobs=1)
    assert [(Path(f.path).stem, f.status, f.suspect_pages) for f in report.files] == [
        ("odd", "ingested", 2),
        ("sound", "ingested", 0),
        ("wrong", "ingested", 2),
    ]
    assert "odd.txt: ingested (3 pages, 12 rows, 0 rejects, 2 suspect pages)" in report.as_text()
    assert "4 suspect pages: values on them are inconsistent" in report.as_text()
    with open_lake(tmp_path / "lake") as lake:
        query = "SELECT source_file, severity, page, line, found, expected, rows FROM quality_result WHERE rule LIKE ? "
        rows = lake.sql(query.replace("?", "'%.requests_add_up'")).fetchall()
        assert rows == [(paths[2], "error", 1, 17, 42155.0, 41255.0, 1)]
        assert lake.sql("SELECT sum(suspect_pages) FROM ingest_file").fetchall() == [(4,)]

    # What is there already stays; it counts as it would if it were read now.
    again = ingest(paths, tmp_path / "lake", Options(), jobs=1, strict=True)
    assert [(f.status, f.suspect_pages, f.wrong_pages) for f in again.files] == [
        ("already_ingested", 2, 0),
        ("already_ingested", 0, 0),
        ("already_ingested", 2, 2),
    ]
    assert (again.exit_code(strict=True), again.exit_code(strict=False)) == (1, 0)

    strict = ingest(paths, tmp_path / "kept out", Options(), jobs=1, strict=True)
    assert {Path(f.path).stem: f.status for f in strict.files} == {
        "odd": "ingested",
        "sound": "ingested",
        "wrong": "failed",
    }
    assert strict.exit_code(strict=True) == 1
    (why,) = [f.error for f in strict.files if f.error]
    assert f"{paths[2]}:17 (page 1): rmf_cf_structure_activity: sync_requests + async_requests is requests" in why
    with open_lake(tmp_path / "kept out") as lake:
        assert lake.sql("SELECT DISTINCT source_file FROM rmf_cf_structure_activity ORDER BY 1").fetchall() == [
            (paths[0],),
            (paths[1],),
        ]


def test_a_page_of_which_much_is_unread_marks_its_rows(tmp_path: Path) -> None:
    """Lines of which nothing is read stand in 11 of 26 lines; --strict keeps the file out."""
    lines = sample("cpu_two_threads").read_text().splitlines()
    page = "\n".join([*lines[:14], *(f"@@ {k} @@" for k in range(12)), *lines[14:20]]) + "\n"
    found = [f for f in findings("cpu_two_threads", page) if f["rule"].endswith(".page_is_read")]
    assert {(f["table"], f["severity"], f["page"]) for f in found} == {("rmf_cpu_activity", "error", 1)}
    (tmp_path / "page.txt").write_text(page)
    strict = ingest([str(tmp_path / "page.txt")], tmp_path / "lake", Options(), jobs=1, strict=True)
    assert "rule page_is_read" in str(strict.files[0].error)


def test_a_column_that_is_always_printed_marks_a_row_without_it() -> None:
    text = sample("partition_three_types").read_text()
    assert not [f for f in findings("partition_three_types", text) if f["rule"].endswith("_filled")]
    text = sample("cf_usage_summary").read_text()
    assert " 61M " in text
    found = findings("cf_usage_summary", text.replace(" 61M ", "     "))
    assert [(f["rule"], f["severity"]) for f in found] == [("rmf_cf_structure_summary.allocated_bytes_filled", "warn")]
