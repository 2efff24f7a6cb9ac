"""The commands of README.md can be typed as they are shown, those that the demo prints too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sample_pages import ROOT

README = (ROOT / "README.md").read_text("utf-8")
_ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def typed(text: str) -> list[str]:
    """What follows `$ `: to the end of the line, of the text in double quotes that begins on it, or of the lines behind `> `."""
    found = re.findall(r'^\$ ((?:[^"\n]|"[^"]*")*)$', re.sub(r"^> ", "", text, flags=re.MULTILINE), re.MULTILINE)
    return [command for block in found for command in [block.strip()]]


def type_in(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in _ENVIRONMENT.items() if k != "IRONLAKE_LAKE"}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.slow
def test_every_command_of_the_readme_can_be_typed(tmp_path: Path):
    (tmp_path / "sample_reports").symlink_to(ROOT / "sample_reports")
    make, *commands = typed(README)
    assert make == "make demo | grep added"
    assert {command.split()[1] for command in commands} == {"compare", "ingest", "sql"}
    # What `make demo` calls; test_the_first_block looks at make itself.
    demo = type_in(tmp_path, "ironlake demo --out demo")
    assert demo.returncode == 0
    shown = typed(demo.stdout)
    assert {command.split()[1] for command in shown} == {"ingest", "study", "sql"}
    commands += shown
    answers = {command: type_in(tmp_path, command) for command in commands}
    assert {command: a.stderr for command, a in answers.items() if a.returncode or a.stderr} == {}
    ingested = [
        a.stdout for command, a in answers.items() if command.startswith("ironlake ingest") and "/demo" in command
    ]
    assert [out.splitlines()[-1] for out in ingested] == ["3 files: 3 already ingested"]


def test_the_first_block_can_be_typed():
    block = README.split("```\n")[1]
    lines = block.splitlines()
    assert [line.split("#")[0].strip() for line in lines[:2]] == ["make demo", "make test"]
    # What make would do, without doing it.
    dry = block.replace("make ", "make --dry-run ").replace("$PWD/.venv/bin", str(Path(sys.executable).parent))
    answer = type_in(ROOT, f"set -e\n{dry}\nironlake --version")
    assert answer.returncode == 0, answer.stderr
    assert "ironlake demo --out demo" in answer.stdout
    assert "-m pytest" in answer.stdout
    assert re.search(r"^ironlake \d+\.\d+\.\d+$", answer.stdout, re.MULTILINE)
