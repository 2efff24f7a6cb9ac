"""Completion, as real shells ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.saved_queries import save_query
from ironlake.pipeline.sql.view_files import views
from lake_rows import add, entry

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
# A terminal of its own, as completion needs one.
_ZSH = """
zmodload zsh/zpty
zpty shell 'zsh -f -i'
zpty -w shell 'autoload -Uz compinit; compinit -u -D; eval "$(ironlake completion zsh)"; echo rea''dy'
zpty -r shell seen '*ready*'
zpty -w -n shell $'ironlake describe rmf_resource_g\\t'
zpty -r shell seen '*rmf_resource_g*roup*'
print -r -- "$seen"
zpty -d shell
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of a shell that finds `ironlake`, and a lake with a study."""
    from ironlake.pipeline.lake.lake import Lake
    from ironlake.pipeline.study import lake as study_lake
    from ironlake.pipeline.study.study_file import parse_studies

    lake = tmp_path_factory.mktemp("completion") / "lake"
    Lake(lake).close()
    study_lake._add(lake, parse_studies(STUDY, "drivers.yaml")[0])
    with Lake(lake) as target:
        add(target, entry("a monday"), entry("b"))
    with open_lake(lake) as opened:
        for name in ("peak", "peak-of-a-day"):
            save_query(opened, name, "SELECT 1", "one")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "IRONLAKE_LAKE": str(lake), "TERM": "xterm"}


def bash(environment: dict[str, str], *words: str) -> list[str]:
    command = ["bash", "--norc", "-c", _BASH, "bash", "ironlake", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_bash_completes_what_the_program_knows(environment: dict[str, str]):
    assert {"describe", "demo"} == {*bash(environment, "de")}
    assert bash(environment, "describe", "rmf_resource_g") == ["rmf_resource_group"]
    assert {*bash(environment, "describe", "")} == {*tables(), *views()}
    assert bash(environment, "export", "--table", "cpu_by") == ["cpu_by_class"]
    assert bash(environment, "sql", "--format", "") == ["table", "json", "csv", "markdown", "parquet", "xlsx"]
    assert bash(environment, "docs", "stu") == ["studies"]
    assert bash(environment, "completion", "") == ["bash", "zsh", "fish"]


def test_bash_completes_saved_queries_sources_and_reports(environment: dict[str, str], tmp_path: Path):
    both = ["peak", "peak-of-a-day"]
    for words in (["sql", "--saved"], ["query", "show"], ["query", "remove"], ["query", "save"]):
        assert bash(environment, *words, "pe") == both, words
        assert bash(environment, *words, "peak-") == both[1:]
    assert bash(environment, "sql", "--lake", str(tmp_path / "none"), "--saved", "pe") in ([], [""])
    assert {*bash(environment, "query", "")} == {"save", "list", "show", "remove"}
    assert bash(environment, "remove", "a") == ["a\\ monday.txt"]
    # The study is a source too, but is removed by its name.
    assert {*bash(environment, "remove", "")} == {"a\\ monday.txt", "b.txt"}
    assert bash(environment, "remove", "--report", "rmf_ov") == ["rmf_overview"]
    assert bash(environment, "study", "remove", "JD") == ["JDBC\\ \\$drivers\\ \\(1\\)"]


def test_bash_completes_names_of_studies_as_they_are_typed(environment: dict[str, str], tmp_path: Path):
    typed = "JDBC\\ \\$drivers\\ \\(1\\)"
    assert bash(environment, "study", "show", "JD") == [typed]
    assert bash(environment, "study", "show", "JDBC\\ \\$dr") == [typed]
    said = subprocess.run(["bash", "-c", f"printf %s {typed}"], capture_output=True, text=True, check=True)
    assert said.stdout == "JDBC $drivers (1)"
    assert bash(environment, "study", "show", "--lake", str(tmp_path / "none"), "J") in ([], [""])


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes(environment: dict[str, str]):
    script = 'ironlake completion fish | source; complete -C "ironlake describe rmf_resource_g"; complete -C "ironlake study show J"; complete -C "ironlake sql --saved peak-"'
    done = subprocess.run(
        ["fish", "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines() == ["rmf_resource_group", "JDBC $drivers (1)", "peak-of-a-day"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_completes(environment: dict[str, str]):
    done = subprocess.run(["zsh", "-f", "-c", _ZSH], env=environment, capture_output=True, text=True, timeout=60)
    assert "ironlake describe rmf_resource_group" in done.stdout, done.stdout + done.stderr


def test_nothing_is_printed_for_an_unknown_shell(run: Command):
    code, out, err = run("completion", "tcsh")
    assert (code, out) == (2, "")
    assert "'bash', 'zsh', 'fish'" in err
