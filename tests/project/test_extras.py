"""What the default installation leaves out, and how commands say so."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from command_line import Command
from sample_pages import ROOT, sample

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Of the extras, and what they alone bring along.
LEFT_OUT = ("great_expectations", "deltalake", "obstore", "pandas", "altair", "pyspark")
RUNS = ["--run", "a=2016-09-20T08:30/08:45", "--run", "b=2016-09-20T08:30/08:45"]


NOTE = (
    "note: checked without Great Expectations: the same rules hold at ingest; pip install 'ironlake[check]' adds it\n"
)
_PROGRAM = f"""
import contextlib, io, json, sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name in {LEFT_OUT}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, NotInstalled())
from ironlake.pipeline.cli.main import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["ironlake", *words]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main()
        except SystemExit as end:
            code = end.code or 0
    print(json.dumps([code, *(each.buffer.getvalue().decode(errors="replace") for each in (out, err))]))
"""


def said_to_lack(needs: str, name: str) -> list[str]:
    hint = f"hint: pip install 'ironlake[{name}]'"
    return [f"ironlake: {needs}, which is not installed; expected the extra {name}", hint]


def test_what_is_left_out_is_named(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "ironlake.pipeline.quality.expectation_suites", raising=False)
    monkeypatch.setitem(sys.modules, "great_expectations", None)
    lake = ["--lake", tmp_path / "lake"]
    assert run("ingest", sample("velocity_goal"), *lake)[0] == 0
    code, _, err = run("check", *lake)
    assert (code, err.startswith(NOTE)) == (0, True)
    code, _, err = run("check", "--out", tmp_path / "x", *lake)
    assert (code, err.splitlines()[-2:]) == (2, said_to_lack("a page of the results needs Great Expectations", "check"))


@pytest.mark.slow
def test_the_default_installation_does_its_work_and_names_what_is_left_out(tmp_path: Path):
    """In one process, which has none of the extras."""
    page, lake, out = str(sample("xcf_members")), str(tmp_path / "lake"), str(tmp_path / "page.html")
    asked = "SELECT count(*) > 0 AS there FROM cpu_by_class"
    works = [
        ["ingest", page, str(sample("velocity_goal"))],
        ["sql", asked, "--format", "csv"],
        ["rejects"],
        ["sql", asked, "--format", "xlsx"],
        ["compare", *RUNS, "--out", out],
        ["check"],
    ]
    lacks = [
        (["check", "--out", f"{out}.x"], "a page of the results needs Great Expectations", "check"),
        (["ingest", page, "--engine", "spark", "--master", "local[1]"], "--engine spark needs PySpark", "spark"),
    ]
    commands = [[*words, "--lake", lake] for words in (*works, *(words for words, _, _ in lacks))]
    done = subprocess.run([sys.executable, "-c", _PROGRAM, json.dumps(commands)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    *quiet, checked = answers[: len(works)]
    assert [(code, err) for code, _, err in quiet] == [(0, "")] * len(quiet)
    assert answers[1][1] == "there\ntrue\n"
    assert (tmp_path / "page.html").stat().st_size > 100_000
    assert (checked[0], checked[2].startswith(NOTE)) == (0, True)
    for (_, needs, name), (code, _, err) in zip(lacks, answers[len(works) :], strict=True):
        assert (code, err.splitlines()[-2:]) == (2, said_to_lack(needs, name))


def test_messages_name_extras_that_there_are():
    extras = PROJECT["optional-dependencies"]
    assert {*extras} == {"check", "cloud", "delta", "png", "spark", "dev"}
    sources = [
        path.read_text("utf-8") for folder in ("pipeline", "dashboards") for path in (ROOT / folder).rglob("*.py")
    ]
    named = {
        name for text in sources for name in re.findall(r"without_extra\(\"[^\"]+\", \"[^\"]+\", \"(\w+)\"\)", text)
    }
    assert named == {"check", "cloud", "delta", "spark"}


def names(lock: str) -> dict[str, str]:
    """The entries of a lock file by name: version, condition and hashes, without who asks for them."""
    entries = re.split(
        r"^(?=[a-z])",
        re.sub(r"^    #.*\n", "", (ROOT / lock).read_text("utf-8"), flags=re.MULTILINE),
        flags=re.MULTILINE,
    )
    return {re.split(r"==", entry)[0]: entry for entry in entries if entry}


def test_what_a_user_installs_is_locked_as_what_is_tested():
    every, default = names("requirements.lock"), names("requirements-default.lock")
    wanted = {re.split(r"[<>=]", d)[0].lower() for d in PROJECT["dependencies"]}
    assert wanted <= {*default} < {*every}
    assert {name.replace("_", "-") for name in LEFT_OUT} & {*default} == set()
    assert {name: entry for name, entry in default.items() if every[name] != entry} == {}
