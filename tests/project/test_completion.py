"""Completion: what the program offers, and real shells that ask for it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.cli import main
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.saved_queries import save_query
from ironlake.pipeline.sql.view_files import views
from lake_rows import entry, fill

STUDY = """
study: JDBC $drivers (1)
configurations:
  X: {steps: [{window: 2021-04-13T10:00/11:00, volume: 5}]}
"""
_BASH = """
eval "$(ironlake completion bash)"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_ironlake_completion ironlake
printf '%s\\n' "${COMPREPLY[@]}"
"""
BOTH = ["peak", "peak-of-a-day"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of a shell that finds `ironlake`, and a lake with a study."""
    from ironlake.pipeline.lake.lake import Lake
    from ironlake.pipeline.study import lake as study_lake
    from ironlake.pipeline.study.study_file import parse_studies

    lake = tmp_path_factory.mktemp("completion") / "lake"
    Lake(lake).close()
    study_lake._add(lake, parse_studies(STUDY, "drivers.yaml")[0])
    fill(lake, entry("a monday"), entry("b"))
    with open_lake(lake) as opened:
        for name in BOTH:
            save_query(opened, name, "SELECT 1", "one")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "IRONLAKE_LAKE": str(lake), "TERM": "xterm"}


@pytest.fixture
def offered(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """What bash is told in answer to the words of a command line, the last of them incomplete."""
    from typer._completion_classes import BashComplete

    monkeypatch.setenv("IRONLAKE_LAKE", environment["IRONLAKE_LAKE"])
    monkeypatch.setenv("_IRONLAKE_COMPLETE", "complete_bash")

    def ask(*words: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", shlex.join(["ironlake", *words[:-1]]) + " " + words[-1])
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        return BashComplete(main._command(), {}, "ironlake", "_IRONLAKE_COMPLETE").complete().splitlines()

    return ask


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["de"], ["describe", "demo"]),
        (["describe", ""], sorted({*tables(), *views()})),
        (["export", "--table", "cpu_by"], ["cpu_by_class"]),
        (["sql", "--format", ""], ["table", "json", "csv", "markdown", "parquet", "xlsx"]),
        (["docs", "stu"], ["studies"]),
        (["sql", "--saved", "peak-"], BOTH[1:]),
        *((["query", verb, "pe"], BOTH) for verb in ("show", "remove", "save")),
        (["query", ""], ["save", "list", "show", "remove"]),
        (["study", "show", "--lake", "none", "J"], []),
        # The study is a source too, but is removed by its name.
        (["remove", ""], ["a monday.txt", "b.txt"]),
        (["remove", "--report", "rmf_ov"], ["rmf_overview"]),
        (["study", "remove", "JD"], ["JDBC $drivers (1)"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_what_may_follow_is_offered(
    offered: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], expected: list[str]
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert offered(*words) == expected


def test_bash_completes_and_quotes(environment: dict[str, str]):
    def bash(*words: str) -> list[str]:
        command = ["bash", "--norc", "-c", _BASH, "bash", "ironlake", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert bash("describe", "rmf_resource_g") == ["rmf_resource_group"]
    (typed,) = bash("study", "show", "JDBC\\ \\$dr")
    said = subprocess.run(["bash", "-c", f"printf %s {typed}"], capture_output=True, text=True, check=True)
    assert said.stdout == "JDBC $drivers (1)"


def test_other_shells_have_a_script_and_an_unknown_one_has_none(run: Command):
    for shell, words in (("zsh", "_IRONLAKE_COMPLETE=complete_zsh"), ("fish", "_IRONLAKE_COMPLETE=complete_fish")):
        code, out, _ = run("completion", shell)
        assert (code, words in out) == (0, True), shell
    code, out, err = run("completion", "tcsh")
    assert (code, out) == (2, "")
    assert "'bash', 'zsh', 'fish'" in err
