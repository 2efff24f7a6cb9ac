"""Every sample page gives the rows beside it, and values read off the page by eye.

`pytest tests/reports/test_samples.py --write-expected` writes the files that are missing and prints how others differ; with
--force it overwrites them. Read the difference: a golden file is worth what its reader saw. Whatever a person knows of a sample
stands beside it: where it is from and its options (first line of .expected.jsonl), that it must give rejects and how many (first
line of .rejects.jsonl), and values read by eye (.by_eye.jsonl).
"""

from __future__ import annotations

import datetime as dt
import difflib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import (
    ROOT,
    Tables,
    assert_as_read_by_eye,
    one,
    read_by_eye,
    row_lines,
    sample,
    sample_files,
    sample_tables,
    xml_files,
)

PAGES = [*sample_files(), *xml_files()]
EVERY = pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)

# First lines of new files, to be completed by whoever adds the sample.
NOT_SAID = {"provenance": ""}


def first_line(file: Path) -> dict[str, Any]:
    """What the author of a sample says in the first line of a file beside it: where the page is from, options that it is read
    with, and in .rejects.jsonl how many rejects the page must give."""
    return json.loads(file.read_text().partition("\n")[0]) if file.exists() else NOT_SAID


def expected_texts(path: Path) -> dict[Path, list[str]]:
    """The files beside a sample as they should be: lines by path."""
    tables = sample_tables(path)
    rows = row_lines(tables, *(sorted(n for n in tables if n != "parse_reject")))
    files = {path.with_suffix(".expected.jsonl"): rows}
    rejects = path.with_suffix(".rejects.jsonl")
    # Only the author of a page says that it must give rejects, by making the file.
    if tables["parse_reject"].height and rejects.exists():
        files[rejects] = row_lines(tables, "parse_reject")
    return {file: [json.dumps(first_line(file)), *rows] for file, rows in files.items()}


@EVERY
def test_a_sample_gives_its_expected_rows(path: Path, request: pytest.FixtureRequest) -> None:
    write, force = request.config.getoption("--write-expected"), request.config.getoption("--force")
    expected = expected_texts(path)
    for suffix in (".expected.jsonl", ".rejects.jsonl"):
        file = path.with_suffix(suffix)
        got = expected.get(file, [])
        known = file.read_text().splitlines() if file.exists() else []
        difference = list(difflib.unified_diff(known, got, "expected", "got", lineterm="", n=0))
        if difference and write:
            print(file.relative_to(ROOT), *difference, sep="\n")
        if difference and write and (force or not known):
            file.write_text("\n".join(got) + "\n") if got else file.unlink()
            continue
        what = f"{file.relative_to(ROOT)} differs (--write-expected shows and, with --force, overwrites):\n"
        assert not difference, what + "\n".join(line[:300] for line in difference[:20])


@EVERY
def test_rejects_only_where_the_page_is_bad(path: Path) -> None:
    """How many there must be, the author says in the first line of .rejects.jsonl; a page without that file gives none."""
    rejects = sample_tables(path)["parse_reject"]
    file = path.with_suffix(".rejects.jsonl")
    must = first_line(file).get("rejects", 0) if file.exists() else 0
    told = f'a page that must give rejects has {file.name}, first line {{"provenance": "…", "rejects": N}}'
    assert rejects.height == must, (told, rejects["what"].to_list())
    assert not file.exists() or must > 0, told


@EVERY
def test_a_sample_says_where_it_is_from(path: Path) -> None:
    file = path.with_suffix(".expected.jsonl")
    first = first_line(file)
    assert len(first["provenance"]) > 10, f"say in the first line of {file.name} where the page is from"
    assert first.keys() <= {"provenance", "options"}
    rejects = path.with_suffix(".rejects.jsonl")
    assert not rejects.exists() or first_line(rejects) == first | {"rejects": first_line(rejects).get("rejects")}


def test_there_are_samples_to_test() -> None:
    assert len(PAGES) >= 35
    assert len(SEEN) >= 200
    assert sum(path.with_suffix(".rejects.jsonl").exists() for path in PAGES) >= 15


def test_no_expected_file_without_its_page() -> None:
    pages = {p.with_suffix("") for p in PAGES}
    kept = {p.with_suffix("").with_suffix("") for p in (ROOT / "sample_reports").glob("*/*.jsonl")}
    assert kept == pages


ACTIVITY, POLICY, REJECT = "rmf_workload_activity", "rmf_service_policy", "parse_reject"


def seen() -> Iterator[Any]:
    """Values read off the pages by eye, in the .by_eye.jsonl beside a sample; null is a value that the page does not print."""
    for path in PAGES:
        file = path.with_suffix(".by_eye.jsonl")
        for number, said in enumerate(read_by_eye(file.read_text().splitlines() if file.exists() else ()), start=1):
            wanted = {"columns", "rows"} if "columns" in said else {"values"}
            assert said.keys() - {"where"} == {"table", *wanted}, (
                f"{file.name}: expected table, where, values or columns"
            )
            yield pytest.param(path, said, id=f"{path.stem}-{number}")


SEEN = list(seen())


def test_a_sample_has_values_read_by_eye_or_a_test_of_its_own() -> None:
    others = "".join(f.read_text() for f in (ROOT / "tests").rglob("*.py"))
    assert [p.stem for p in PAGES if not p.with_suffix(".by_eye.jsonl").exists() and p.stem not in others] == []


@pytest.mark.parametrize(("path", "said"), SEEN)
def test_a_sample_gives_the_values_read_by_eye(path: Path, said: dict[str, Any]) -> None:
    assert_as_read_by_eye(sample_tables(path), said)


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
