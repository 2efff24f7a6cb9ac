"""The benchmark's corpus is right and repeatable, its baseline reads it right, and a small run of it works."""

import json
import os
import re
import resource
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from ironlake.pipeline.reading import engine
from polars.testing import assert_frame_equal
from script_tables import read_tables
from sizes import some

from benchmarks import cell_grammar, measure, regex_script
from benchmarks.corpus import SHAPES, SMALL_FILE_BYTES, WORKLOAD_SHAPES, Truth, write_corpus
from benchmarks.measure import table
from benchmarks.run import (
    CONTENDERS,
    FLOOR,
    IRONLAKE,
    IRONLAKE_TWO,
    SCRIPT,
    processor_ratios,
    processor_table,
    row_differences,
)
from benchmarks.start_child import KERNEL_UNIT_BYTES

ROOT = Path(__file__).parents[2]


def bytes_of(path: Path) -> dict[str, bytes]:
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return {file.name if path.is_dir() else "": file.read_bytes() for file in files}


def meaning(column: str, cell: str, layout: str) -> float | None:
    """The number that a printed cell stands for, worked out apart from any reader."""
    cell = cell.strip()
    if cell == "N/A":
        return None
    if (
        column.endswith("_time_s") and column.split("_")[0] not in ("cpu", "srb", "rct", "iit", "hst", "aap", "iip")
    ) or (column == "time_stddev_s"):
        if "." not in cell:
            return int(cell) / (1_000_000 if layout == "G3" else 1_000)
        *units, seconds, fraction = cell.split(".")
        minutes = sum(int(unit) * 60**power for power, unit in enumerate(reversed(units)))
        return minutes * 60 + int(seconds) + int(fraction) / 10 ** len(fraction)
    factor = {"K": 1_000, "M": 1_000_000}.get(cell[-1], 1)
    return float(cell.rstrip("KM")) * factor


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    """A corpus of all layouts, and what its writer put there."""
    path = tmp_path_factory.mktemp("corpus") / "mixed.txt"
    truth: Truth = []
    write_corpus(path, "mixed", 2.5, seed=5, truth=truth)
    return path, truth


@pytest.fixture(scope="module")
def tables(written: tuple[Path, Truth], tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    return read_tables(tmp_path_factory.mktemp("script"), written[0])


@pytest.mark.parametrize("shape", some(SHAPES, 3))
def test_same_seed_same_bytes(shape: str, tmp_path: Path) -> None:
    first, second, other = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    size = write_corpus(first, shape, 0.3, seed=1)
    write_corpus(second, shape, 0.3, seed=1)
    write_corpus(other, shape, 0.3, seed=2)
    assert bytes_of(first) == bytes_of(second)
    assert bytes_of(first) != bytes_of(other)
    assert size == sum(map(len, bytes_of(first).values())) >= 300_000


def test_unknown_shape_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown shape 'round'; expected one of one_layout"):
        write_corpus(tmp_path / "a", "round", 1, seed=1)


def test_every_counter_of_db2_pages_is_read(tmp_path: Path) -> None:
    """A row a line and block with a label; nothing is rejected."""
    write_corpus(tmp_path / "a", "db2_statistics", 0.3, seed=1)
    text = (tmp_path / "a").read_text()
    rows = engine.read_text(text)
    assert rows["parse_reject"].height == 0
    cells = [line[at : at + 27].strip() for line in text.split("\n") if ":" not in line for at in (0, 68)]
    labels = [cell for cell in cells if cell and not cell.startswith("---")]
    titles = text.count("QUANTITY")
    assert rows["db2_statistics_counter"].height == len(labels) - titles > 1000


def test_small_files_are_small_and_whole(tmp_path: Path) -> None:
    write_corpus(tmp_path / "many", "many_small_files", 1, seed=1)
    files = bytes_of(tmp_path / "many")
    assert len(files) > 20
    assert all(len(data) < 5 * SMALL_FILE_BYTES for data in files.values())
    assert all(b"W O R K L O A D" in data.split(b"\n")[0] for data in files.values())


def line_kinds(page: str) -> tuple[str, ...]:
    return tuple(re.sub(r"[ \d.].*", "", line.strip())[:9] for line in page.split("\n"))


def pages_of(path: Path) -> list[str]:
    return path.read_text().split("W O R K L O A D   A C T I V I T Y")[1:]


def test_pages_differ_as_the_shape_says(tmp_path: Path) -> None:
    distinct = {}
    for shape in ("one_layout", "no_shape_repeats"):
        write_corpus(tmp_path / shape, shape, 3, seed=7)
        pages = pages_of(tmp_path / shape)
        assert len(set(pages)) == len(pages)
        distinct[shape] = len(set(map(line_kinds, pages))) / len(pages)
    assert distinct["one_layout"] < 0.05
    assert distinct["no_shape_repeats"] > 0.85


def test_pages_are_printable(written: tuple[Path, Truth]) -> None:
    """132 print positions, about 60 lines, and every cell apart from its label."""
    text = written[0].read_text()
    assert max(map(len, text.split("\n"))) <= 132
    assert max(page.count("\n") for page in pages_of(written[0])) <= 62
    labels = "AVG|MPL|ENDED|TOTAL|CENTRAL|EXPAND|SHARED|SSCHRT|CPU|SRB|BLK|LCK|IOC|MSO|TOT|CP|IIP|SWAPS|CONVERSION"
    assert not re.findall(rf"(?:^| )(?:{labels})\d", text, re.MULTILINE)


def test_regex_script_reads_every_cell_that_was_written(
    written: tuple[Path, Truth], tables: dict[str, pl.DataFrame]
) -> None:
    rows = tables["rmf_workload_activity"].rows(named=True)
    truth = written[1]
    assert len(rows) == len(truth) > 500
    assert {block["layout"] for block in truth} == {"G1", "G2", "G3"}
    suffixes = 0
    for row, block in zip(rows, truth, strict=True):
        assert {name: row[name] for name in block["key"]} == block["key"]
        expected = {name: meaning(name, cell, block["layout"]) for name, cell in block["cells"].items()}
        assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-9)
        suffixes += sum("K" in cell for cell in block["cells"].values())
        assert (row["all_data_zero"] is True) == (not block["cells"])
    assert suffixes > 500


def test_regex_script_reads_carriage_control(written: tuple[Path, Truth], tmp_path: Path) -> None:
    write_corpus(tmp_path / "asa.txt", "mixed", 2.5, seed=5, control=True)
    begin = (tmp_path / "asa.txt").read_text()[:2000]
    assert begin.startswith("1  ")
    assert "\n0" in begin
    with_control = read_tables(tmp_path / "out", tmp_path / "asa.txt")["rmf_workload_activity"]
    without = read_tables(tmp_path / "plain", written[0])["rmf_workload_activity"]
    assert with_control.height == pytest.approx(without.height, rel=0.2)
    same = without.drop("source_file", "line").head(200)
    assert with_control.drop("source_file", "line").head(200).equals(same)


@pytest.mark.parametrize("shape", ["mixed", "no_shape_repeats"])
def test_engine_and_script_find_the_same_cells(shape: str, tmp_path: Path) -> None:
    """Two readers that share no code agree on every row and cell, and nothing of the corpus is rejected."""
    path = tmp_path / "pages.txt"
    write_corpus(path, shape, 2, seed=11)
    by_engine = engine.read_text(path.read_bytes(), name=str(path))
    assert by_engine["parse_reject"].is_empty(), by_engine["parse_reject"].head(5).rows()
    for name, by_script in read_tables(tmp_path / "script", path).items():
        columns = [c for c in by_script.columns if c in by_engine[name].columns]
        assert {"page", "line", "sysplex", "interval_start", "scope"} <= set(columns)
        texts = pl.col(pl.Categorical).cast(pl.String)
        if "all_data_zero" in columns:  # which cells are zero where no block is printed is the declaration's affair
            by_engine[name], by_script = (
                frame.filter(pl.col("all_data_zero").is_null()) for frame in (by_engine[name], by_script)
            )
        order = [c for c in ("line", "system") if c in columns]
        frames = [
            frame.select(columns).with_columns(texts).sort(order, maintain_order=True)
            for frame in (by_engine[name], by_script)
        ]
        assert_frame_equal(*frames, check_dtypes=False, rel_tol=0, abs_tol=1e-9)


def near(found: float, expected: float, tolerance: float) -> bool:
    return abs(found - expected) <= tolerance + 1e-9


def test_blocks_agree_with_themselves(tables: dict[str, pl.DataFrame]) -> None:
    checked = defaultdict(int)
    for row in tables["rmf_workload_activity"].rows(named=True):
        if row["transactions_ended"]:
            expected = row["transactions_ended"] / row["interval_s"]
            assert near(row["transactions_per_s"], expected, 0.005 + 0.0001 * expected)
            checked["END/S"] += 1
        if row["total_service"]:
            parts = [f"{part}_service" for part in ("ioc", "cpu", "mso", "srb")]
            slack = sum(row[f"{name}_resolution"] / 2 for name in (*parts, "total_service"))
            assert near(row["total_service"], sum(row[name] for name in parts), slack)
            rate = row["total_service"] / row["interval_s"]
            assert near(row["service_per_s"], rate, row["service_per_s_resolution"] / 2 + slack / row["interval_s"])
            checked["TOT"] += 1
        if row["appl_cp_pct"]:
            times = sum(row[f"{name}_time_s"] for name in ("cpu", "srb", "rct", "iit", "hst")) - row["iip_time_s"]
            assert near(row["appl_cp_pct"], 100 * times / row["interval_s"], 0.02)
            assert row["appl_iipcp_pct"] <= row["appl_cp_pct"]
            checked["APPL%"] += 1
    assert min(checked.values()) > 200


def test_parts_sum_to_their_wholes(tables: dict[str, pl.DataFrame]) -> None:
    key = ["sysplex", "interval_start", "service_class"]
    activity = tables["rmf_workload_activity"].with_columns(pl.col("sysplex", "service_class").cast(pl.String))
    periods = activity.filter(pl.col("class_kind") == "service_class_period")
    classes = activity.filter(pl.col("class_kind") == "service_class")
    sums = periods.group_by(key).agg(pl.col("transactions_ended", "swaps").sum())
    both = classes.join(sums, on=key, suffix="_of_periods")
    assert both.height == classes.height > 50
    for name in ("transactions_ended", "swaps"):
        assert both[name].equals(both[f"{name}_of_periods"])

    buckets = tables["rmf_response_time_distribution"].with_columns(pl.col("sysplex", "service_class").cast(pl.String))
    ended = periods.select(*key, "period", "transactions_ended")
    totals = buckets.group_by(*key, "period").agg(pl.col("transactions").sum(), pl.col("upper_bound_s").n_unique())
    shown = totals.join(ended, on=[*key, "period"])
    assert shown.height == totals.height > 100
    assert shown["transactions"].equals(shown["transactions_ended"])
    assert {4, 14} <= set(shown["upper_bound_s"])


def test_every_section_is_written_and_read(tables: dict[str, pl.DataFrame]) -> None:
    assert set(tables) == set(regex_script.TABLES)
    goals = tables["rmf_workload_goal"]
    assert set(goals["goal_type"].cast(pl.String)) == {"average", "percentile", "velocity", "discretionary", "system"}
    assert goals["goal_type"].null_count() == 0
    assert goals.group_by("line").len()["len"].max() == 1
    systems = goals.filter(~pl.col("is_total")).group_by("source_file", "page", "line").len()
    assert systems.height > 500
    delays = tables["rmf_workload_delay"].group_by("page", "line").agg(pl.len())
    assert delays["len"].n_unique() > 5
    assert set(tables["rmf_workload_activity"]["scope"].drop_nulls().cast(pl.String).str.count_matches(",")) > {0}


def test_damaged_pages_keep_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(tmp_path / "bad.txt", "dense_rejects", 0.5, seed=3)
    found = read_tables(tmp_path / "out", tmp_path / "bad.txt")
    assert json.loads(capsys.readouterr().out)["unknown_lines"] > 50
    activity = found["rmf_workload_activity"]
    assert activity.height > 50
    assert 0 < activity["cpu_service"].null_count() < activity.height / 2


def test_cell_grammar_reads_the_blocks(written: tuple[Path, Truth], capsys: pytest.CaptureFixture[str]) -> None:
    cell_grammar.main([str(written[0]), "0.3"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["blocks"] > 50
    assert printed["cells"] > 30 * printed["blocks"] * 0.5


def test_readers_that_disagree_are_shown() -> None:
    script = measure.Result("shapes", SCRIPT, "mixed", 1, {"rmf_workload_goal": 3, "rmf_workload_delay": 9})
    same = measure.Result("shapes", IRONLAKE, "mixed", 1, {"rmf_workload_goal": 3, "rmf_workload_delay": 9, "x": 1})
    other = measure.Result("shapes", IRONLAKE_TWO, "mixed", 1, {"rmf_workload_goal": 3})
    assert row_differences([script, same]) == []
    text = "mixed: rmf_workload_delay has 0 rows by ironlake, 2 processes, 9 by the regex script"
    assert row_differences([script, same, other]) == [text]


def test_the_start_is_taken_off_both() -> None:
    def spent(section: str, name: str, seconds: float) -> measure.Result:
        return measure.Result(section, name, "mixed", 1, wall_s=[99.0], cpu_s=[seconds])

    found = [spent("start", IRONLAKE, 0.5), spent("start", SCRIPT, 0.4)]
    found += [spent("throughput", IRONLAKE, 8.5), spent("throughput", SCRIPT, 10.0), spent("throughput", FLOOR, 1.0)]
    assert processor_ratios(found) == {(IRONLAKE, "mixed"): (pytest.approx(10 / 8.5), pytest.approx(9.6 / 8))}
    table = processor_table(found)
    assert table.split("\n")[1].split() == ["ironlake", "mixed", "1.18", "1.20"]
    assert table.endswith("start, of one interval: ironlake 0.50 s, regex script 0.40 s")


def test_compiled_modules_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    sample = measure.run([sys.executable, "-c", "import sys; print(sys.dont_write_bytecode)"], None, tmp_path)
    assert sample.output == "False\n"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin a process to a core")
def test_a_child_is_measured(tmp_path: Path) -> None:
    code = (
        "import os; x = bytearray(200_000_000); print(len(os.sched_getaffinity(0)), os.environ['POLARS_MAX_THREADS'])"
    )
    sample = measure.run([sys.executable, "-c", code], {min(os.sched_getaffinity(0))}, tmp_path)
    assert sample.output.split() == ["1", "1"]
    assert sample.exit_code == 0
    assert 200e6 < sample.peak_bytes < 400e6
    assert 0 < sample.cpu_s <= sample.wall_s + 0.1


def test_the_memory_of_whoever_measures_does_not_count(tmp_path: Path) -> None:
    held = b"x" * 600_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KERNEL_UNIT_BYTES > len(held)
    sample = measure.run([sys.executable, "-c", "print(7)"], None, tmp_path)
    assert (sample.output, sample.exit_code) == ("7\n", 0)
    assert 4e6 < sample.peak_bytes < 100e6


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to another process than the first")
def test_what_a_command_does_not_wait_for_counts_as_well(tmp_path: Path) -> None:
    burn = "import time\nx = bytearray(150_000_000)\nwhile time.process_time() < 0.5: pass"
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {burn!r}])"
    sample = measure.run([sys.executable, "-c", code], None, tmp_path)
    assert sample.cpu_s > 0.5
    assert sample.peak_bytes > 150e6


def test_a_command_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError, match="no_such_command could not be started"):
        measure.run([tmp_path / "no_such_command"], None, tmp_path)


def test_a_failure_is_shown_and_not_counted(tmp_path: Path) -> None:
    result = measure.Result("throughput", "x", "mixed", 1)
    result.add(measure.run([sys.executable, "-c", "raise SystemExit('no such page')"], None, tmp_path), {})
    assert result.failure == "exit 1: no such page"
    assert result.wall_s == []


def run_module(arguments: Iterable[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.slow
def test_a_small_run_measures_and_compares(tmp_path: Path) -> None:
    saved = str(tmp_path / "a.json")
    options = ["--megabytes", "1", "--rounds", "1", "--shapes", "none", "--study-rows", "5000"]
    options += ["--out", str(tmp_path / "out"), "--json", saved]
    printed = run_module(["benchmarks.run", *options])
    assert printed.returncode == 0, printed.stderr
    assert SCRIPT in printed.stdout
    assert "\x1b" not in printed.stdout
    measured = json.loads(Path(saved).read_text())["results"]
    asked = {(r["name"], r["shape"]): r for r in measured if r["section"] == "answers"}
    assert {place: r["failure"] for place, r in asked.items() if r["failure"] or not r["wall_s"]} == {}
    assert {lake for _, lake in asked} == {"no lake", "demo", "0.005 million rows"}
    printed_and_read = {r["name"]: r for r in measured if r["section"] == "generated"}
    assert {name: r["failure"] for name, r in printed_and_read.items()} == {"ironlake generate": "", IRONLAKE_TWO: ""}
    assert printed_and_read["ironlake generate"]["bytes"] > 1e6
    results = {r["name"]: r for r in measured if r["section"] == "throughput"}
    assert results.keys() == CONTENDERS.keys()
    assert results[SCRIPT]["rows"] > 10_000
    assert results[SCRIPT]["peak_bytes"][0] > 50e6
    assert {name: r["failure"] for name, r in results.items() if r["failure"]} == {}
    assert results[IRONLAKE]["rows"] == results[SCRIPT]["rows"]
    compared = run_module(["benchmarks.compare", saved, saved])
    assert f"{FLOOR} / {SCRIPT} (mixed)" in compared.stdout
    assert "+0.0%" in compared.stdout


def test_wrong_use_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("[]")
    printed = run_module(["benchmarks.compare", str(tmp_path / "other.json"), str(tmp_path / "none.json")])
    assert printed.returncode == 1
    assert "not a run of the benchmark; expected a file that python -m benchmarks.run --json wrote" in printed.stderr
    printed = run_module(["benchmarks.run", "--shapes", "round"])
    assert printed.returncode == 2
    assert "unknown shape round; expected some of one_layout" in printed.stderr


def test_table_pads_columns() -> None:
    assert table([["", "MB"], ["script", "9"]]) == "        MB\nscript   9"


def test_every_line_of_the_other_reports_is_read(tmp_path: Path) -> None:
    for shape in set(SHAPES) - set(WORKLOAD_SHAPES):
        write_corpus(tmp_path / shape, shape, 0.3, seed=3)
        tables = engine.read_text((tmp_path / shape).read_bytes())
        assert tables["parse_reject"].is_empty()
        assert sum(len(t) for name, t in tables.items() if name not in ("cell_null", "unknown_report")) > 300
        assert tables["unknown_report"].is_empty()
