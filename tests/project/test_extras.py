"""What the default installation leaves out, and how commands say so."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from command_line import Command
from sample_pages import ROOT, sample

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Of the extras, and what they alone bring along.
LEFT_OUT = ("great_expectations", "deltalake", "obstore", "pandas", "altair", "pyspark", "waitress")


NOTE = (
    "note: checked without Great Expectations: the same rules hold at ingest; pip install 'ironlake[check]' adds it\n"
)


def said_to_lack(needs: str, name: str) -> list[str]:
    hint = f"hint: pip install 'ironlake[{name}]'"
    return [f"ironlake: {needs}, which is not installed; expected the extra {name}", hint]


@pytest.mark.parametrize(
    ("words", "needs", "name"),
    [
        (["serve"], "ironlake serve needs waitress", "serve"),
        (["check", "--out", "x"], "a page of the results needs Great Expectations", "check"),
        (
            ["ingest", sample("xcf_members"), "--engine", "spark", "--master", "x"],
            "--engine spark needs PySpark",
            "spark",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_what_is_left_out_is_named(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], needs: str, name: str
):
    """`.ci/wheel` tries an installation that has none of the extras."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "ironlake.pipeline.quality.expectation_suites", raising=False)
    for library in ("great_expectations", "pyspark", "waitress"):
        monkeypatch.setitem(sys.modules, library, None)
    assert run("ingest", sample("velocity_goal"))[0] == 0
    code, _, err = run("check")
    assert (code, err.startswith(NOTE)) == (0, True)
    code, _, err = run(*words)
    assert (code, err.splitlines()[-2:]) == (2, said_to_lack(needs, name))


def test_messages_name_extras_that_there_are():
    extras = PROJECT["optional-dependencies"]
    assert {*extras} == {"check", "cloud", "delta", "serve", "spark", "dev"}
    sources = [
        path.read_text("utf-8")
        for folder in ("pipeline", "models", "dashboards")
        for path in (ROOT / folder).rglob("*.py")
    ]
    named = {
        name for text in sources for name in re.findall(r"without_extra\(\"[^\"]+\", \"[^\"]+\", \"(\w+)\"\)", text)
    }
    assert named == {"check", "cloud", "delta", "serve", "spark"}


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
