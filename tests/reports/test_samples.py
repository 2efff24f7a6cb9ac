"""Every sample page gives the rows beside it, and values read off the page by eye.

`ironlake test . --write` writes the files that are missing and prints how others differ; with --overwrite it overwrites them. Read the
difference: a golden file is worth what its reader saw. Whatever a person knows of a sample stands beside it: where it is from and its options
(first line of .expected.jsonl), that it must give rejects and how many (first line of .rejects.jsonl), and values read by eye (.by_eye.jsonl).
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.check_report import sample_problems
from ironlake.pipeline.reading.engine import read_text
from sample_pages import (
    ROOT,
    Tables,
    document_files,
    one,
    sample,
    sample_files,
    sample_tables,
)

PAGES = [*sample_files(), *document_files()]
EVERY = pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)


@EVERY
def test_a_sample_gives_what_is_said_beside_it(path: Path) -> None:
    assert [*sample_problems(path, sample_tables(path))] == []


def test_there_are_samples_to_test() -> None:
    assert len(PAGES) >= 35
    lines = [line for p in PAGES if (seen := p.with_suffix(".by_eye.jsonl")).exists() for line in seen.open()]
    assert sum('"values"' in line or '"columns"' in line for line in lines) >= 200
    assert sum(path.with_suffix(".rejects.jsonl").exists() for path in PAGES) >= 15


def test_no_expected_file_without_its_page() -> None:
    pages = {p.with_suffix("") for p in PAGES}
    kept = {p.with_suffix("").with_suffix("") for p in (ROOT / "sample_reports").glob("*/*.jsonl")}
    assert kept == pages


ACTIVITY, POLICY, REJECT = "rmf_workload_activity", "rmf_service_policy", "parse_reject"


def test_a_sample_has_values_read_by_eye_or_a_test_of_its_own() -> None:
    others = "".join(f.read_text() for f in (ROOT / "tests").rglob("*.py"))
    assert [p.stem for p in PAGES if not p.with_suffix(".by_eye.jsonl").exists() and p.stem not in others] == []


def test_wrong_date_order_leaves_the_interval_empty_and_says_so() -> None:
    tables = read_text(sample("dd_mm_dates").read_text(), options=Options(date_order="mdy"))
    assert one(tables, ACTIVITY)["interval_start"] is None
    assert one(tables, ACTIVITY)["transactions_ended"] == 1940
    assert "20/09/2016" in one(tables, REJECT)["what"]
    assert "--date-order dmy" in one(tables, REJECT)["hint"]


# --- The files that the demo ingests --------------------------------------------------------------------------------

DEMO = {path.stem: path for path in sorted((ROOT / "sample_reports" / "demo").glob("*.txt"))}


def _demo(name: str) -> Tables:
    return read_text(DEMO[name].read_bytes(), name=f"{name}.txt")


@pytest.mark.parametrize("name", ["before", "after", "test_sysplex_v2r2"])
def test_demo_pages_are_read_whole(name: str) -> None:
    tables = _demo(name)
    assert tables[REJECT].height == 0
    assert DEMO[name].stat().st_size < 160_000
    assert tables[POLICY]["norm_factor_iip"].to_list() == [1.0] * tables[POLICY].height
    assert set(tables[ACTIVITY]["scope"]) == {"TST1,TST2" if name == "test_sysplex_v2r2" else "PRD1,PRD2"}


@pytest.mark.parametrize(("name", "day"), [("before", 13), ("after", 14)])
def test_demo_has_four_intervals_of_one_hour(name: str, day: int) -> None:
    activity = _demo(name)[ACTIVITY]
    starts = [dt.datetime(2021, 4, day, 10, minute) for minute in (0, 15, 30, 45)]
    assert sorted(set(activity["interval_start"])) == starts
    assert len(set(activity["service_class"].drop_nulls())) == 6
    assert len(set(activity["report_class"].drop_nulls())) == 3


def test_demo_shows_a_change() -> None:
    """After the change the DDF work costs less a transaction, and more of it runs on zIIPs."""
    cost, share = [], []
    for name in ("before", "after"):
        activity = _demo(name)[ACTIVITY]
        ddf = activity.filter((activity["service_class"] == "DDFHI") & (activity["class_kind"] == "service_class"))
        cpu, ziip, ended = (float(ddf[c].sum()) for c in ("cpu_time_s", "iip_time_s", "transactions_ended"))
        cost.append(cpu / ended)
        share.append(ziip / cpu)
    assert cost[1] < cost[0] * 0.9
    assert share[1] > share[0] * 1.4
