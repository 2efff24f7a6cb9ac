"""The benchmark's corpus is right and repeatable, its baseline reads it right, and a small run of it works."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from ironlake.pipeline.reading import engine
from polars.testing import assert_frame_equal

from benchmarks import regex_script
from benchmarks.corpus import SHAPES, write_corpus
from benchmarks.run import CONTENDERS, IRONLAKE, IRONLAKE_TWO, SCRIPT

ROOT = Path(__file__).parents[2]


def bytes_of(path: Path) -> dict[str, bytes]:
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return {file.name if path.is_dir() else "": file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some pages of each shape, in files of that name."""
    folder = tmp_path_factory.mktemp("corpus")
    for shape, megabytes in zip(SHAPES[:3], (0.2, 0.4, 0.6), strict=True):
        assert write_corpus(folder / shape, shape, megabytes, seed=5) >= megabytes * 1e6
    return folder


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        size = write_corpus(tmp_path / name, "many_small_files", 0.05, seed)
        assert size == sum(map(len, bytes_of(tmp_path / name).values()))
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b") != bytes_of(tmp_path / "c")
    with pytest.raises(ValueError, match="unknown shape 'round'; expected one of one_layout"):
        write_corpus(tmp_path / "a", "round", 1, seed=1)


def test_engine_and_script_find_the_same_cells(corpus: Path, tmp_path: Path) -> None:
    """Two readers that share no code agree on every row and cell, and nothing of the corpus is rejected."""
    path = corpus / "mixed"
    by_engine = engine.read_text(path.read_bytes(), name=str(path))
    assert by_engine["parse_reject"].is_empty(), by_engine["parse_reject"].head(5).rows()
    regex_script.main([str(tmp_path / "script"), str(path)])
    found = {path.stem: pl.read_parquet(path) for path in (tmp_path / "script").iterdir()}
    # What models do not print is held to published pages.
    others = {"rmf_resource_group", "rmf_workload_importance", "rmf_workload_response_breakdown"}
    assert {*found} == {*regex_script.TABLES} - others
    assert {*found["rmf_workload_goal"]["goal_type"].cast(pl.String)} == {
        "average", "percentile", "velocity", "discretionary", "system",
    }  # fmt: skip
    for name, by_script in found.items():
        columns = [c for c in by_script.columns if c in by_engine[name].columns]
        assert {"page", "line", "sysplex", "interval_start", "scope"} <= {*columns}
        assert by_script.height > 2
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


def run_module(arguments: Iterable[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.slow
def test_a_small_run_measures_and_compares(tmp_path: Path) -> None:
    saved = str(tmp_path / "a.json")
    options = ["--megabytes", "0.3", "--rounds", "1", "--shapes", "none", "--study-rows", "1000"]
    options += ["--out", str(tmp_path / "out"), "--json", saved]
    printed = run_module(["benchmarks.run", *options])
    assert printed.returncode == 0, printed.stderr
    assert SCRIPT in printed.stdout
    assert "\x1b" not in printed.stdout
    measured = json.loads(Path(saved).read_text())["results"]
    assert {r["name"]: r["failure"] for r in measured if r["failure"] or not r["wall_s"]} == {}
    assert {r["shape"] for r in measured if r["section"] == "answers"} == {"no lake", "demo", "0.001 million rows"}
    assert {r["name"] for r in measured if r["section"] == "generated"} == {"ironlake generate", IRONLAKE_TWO}
    results = {r["name"]: r for r in measured if r["section"] == "throughput"}
    assert results.keys() == CONTENDERS.keys()
    assert results[SCRIPT]["peak_bytes"][0] > 50e6
    assert results[IRONLAKE]["rows"] == results[SCRIPT]["rows"] > 3_000
    compared = run_module(["benchmarks.compare", saved, saved])
    assert f"{IRONLAKE} / {SCRIPT} (mixed)" in compared.stdout
    assert "+0.0%" in compared.stdout
