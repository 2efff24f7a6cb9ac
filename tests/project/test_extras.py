"""What the default installation leaves out, and how commands say so."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import ironlake
import pytest
from sample_pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Of the extras, and what they alone bring along.
LEFT_OUT = ("great_expectations", "deltalake", "kaleido", "obstore", "pandas", "altair", "pyspark")
_PROGRAM = f"""
import sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name in {LEFT_OUT}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, NotInstalled())
from ironlake.pipeline.cli.main import program
program()
"""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("extras") / "lake"
    ironlake.ingest(ROOT / "sample_reports" / "studies" / "zos_connect", lake)
    for study in ironlake.Study.all(ROOT / "sample_reports" / "studies" / "zos_connect" / "studies.yaml"):
        study.add(lake)
    return lake


def run(lake: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _PROGRAM, *map(str, arguments), "--lake", str(lake)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_the_default_installation_reads_asks_checks_and_compares(lake: Path, tmp_path: Path):
    page = ROOT / "sample_reports" / "demo" / "before.txt"
    assert run(tmp_path / "other", "ingest", page).stdout == f"{page}: ingested (40 pages, 1728 rows, 0 rejects)\n"
    assert (
        run(lake, "sql", "SELECT count(*) > 0 AS there FROM study_difference", "--format", "csv").stdout
        == "there\ntrue\n"
    )
    for command in (
        ["describe"],
        ["study", "show"],
        ["rejects"],
        ["export", "--format", "xlsx", "--out", tmp_path / "xlsx"],
    ):
        answer = run(lake, *command)
        assert (answer.returncode, answer.stderr) == (0, ""), command
    checked = run(lake, "check")
    assert checked.returncode == 0
    assert checked.stderr == (
        "note: checked without Great Expectations: the same rules hold at ingest; pip install 'ironlake[check]' adds it\n"
    )
    study = ROOT / "sample_reports" / "studies" / "zos_connect" / "studies.yaml"
    assert run(lake, "compare", study, "--out", tmp_path / "page.html").returncode == 0
    assert (tmp_path / "page.html").stat().st_size > 100_000


def test_what_is_left_out_is_named_with_its_extra(lake: Path, tmp_path: Path):
    checked = run(lake, "check", "--out", tmp_path / "quality.html")
    assert (checked.returncode, checked.stderr) == (
        2,
        "ironlake: a page of the results needs Great Expectations, which is not installed; expected the extra check\n"
        "hint: pip install 'ironlake[check]'\n",
    )
    study = ROOT / "sample_reports" / "studies" / "zos_connect" / "studies.yaml"
    compared = run(lake, "compare", study, "--out", tmp_path / "page.html", "--png", tmp_path / "png")
    assert (compared.returncode, compared.stderr.splitlines()[-2:]) == (
        2,
        [
            "ironlake: --png needs kaleido, which is not installed; expected the extra png",
            "hint: pip install 'ironlake[png]'",
        ],
    )
    on_spark = run(tmp_path / "lake", "ingest", study.parent, "--engine", "spark", "--master", "local[1]")
    assert (on_spark.returncode, on_spark.stderr) == (
        2,
        "ironlake: --engine spark needs PySpark, which is not installed; expected the extra spark\n"
        "hint: pip install 'ironlake[spark]'\n",
    )
    assert [path.name for path in tmp_path.rglob("*.parquet")] == []


def test_messages_name_extras_that_there_are():
    extras = PROJECT["optional-dependencies"]
    assert {*extras} == {"check", "cloud", "delta", "png", "spark", "dev"}
    sources = [
        path.read_text("utf-8") for folder in ("pipeline", "dashboards") for path in (ROOT / folder).rglob("*.py")
    ]
    named = {
        name for text in sources for name in re.findall(r"without_extra\(\"[^\"]+\", \"[^\"]+\", \"(\w+)\"\)", text)
    }
    assert named == {"check", "cloud", "delta", "png", "spark"}


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
