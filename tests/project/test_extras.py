"""What the default installation leaves out, and how commands say so."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from command_line import Command, ended
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
        (["ingest", sample("xcf_members"), "--engine", "spark", "--master", "x"], "--engine spark needs PySpark", "spark"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)  # fmt: skip
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


# --- The compiled part: a sentence where nothing serves a machine, and no crate that is not listed --------------------


RUST = ROOT / "pipeline" / "reading" / "rust"


def loaded(path: Path) -> ModuleType:
    spec = spec_from_file_location("build_of_rust", path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_binary_and_cargo_a_sentence_says_what_to_install(tmp_path: Path) -> None:
    folder = tmp_path / "pipeline" / "reading" / "rust"
    shutil.copytree(RUST, folder)
    build = loaded(folder / "build.py")
    assert build.recorded()["binary"] == build.binary_digest()
    with (folder / "src" / "lalr.rs").open("a") as stream:
        stream.write("// another\n")
    assert not build.fits()
    for arguments in (["--look"], []):
        done = ended(sys.executable, folder / "build.py", *arguments, PATH=str(tmp_path))
        assert (done.returncode, done.stdout) == (1, "")
        assert re.fullmatch(r"Ironlake reads pages by a compiled part, [^\n]*: install cargo [^\n]*\n", done.stderr)
    # A changed binary serves nobody either.
    shutil.copy(RUST / "src" / "lalr.rs", folder / "src")
    (folder / "linux_x86_64.so").write_bytes(b"another")
    assert not build.fits()


def test_every_crate_is_pinned_and_has_a_licence() -> None:
    listed = [line.split(" ", 3) for line in (RUST / "crates.txt").read_text().splitlines() if not line.startswith("#")]
    pinned = dict(re.findall(r'^(\S+) = \{ version = "=([^"]+)"', (RUST / "Cargo.toml").read_text(), re.MULTILINE))
    assert pinned == {name: version for name, version, _, _ in listed}
    for name, _, checksum, licence in listed:
        assert re.fullmatch("[0-9a-f]{64}", checksum), name
        assert re.search(r"MIT|Apache-2\.0", licence), name


@pytest.mark.parametrize("ours", [True, False])
def test_crates_of_a_lock_file(ours: bool) -> None:
    build = loaded(RUST / "build.py")
    source = "" if ours else 'source = "registry+somewhere"\nchecksum = "0a1b"\ndependencies = [\n "b",\n]\n'
    lock = f'version = 4\n\n[[package]]\nname = "a"\nversion = "1.0.2"\n{source}\n[[package]]\nname = "b"\nversion = "0.0.0"\n'
    assert build.locked_crates(lock) == (set() if ours else {("a", "1.0.2", "0a1b")})


# --- The Containerfile: no engine is needed to see that it keeps its promises -----------------------------------------


LINES = [line for line in (ROOT / "Containerfile").read_text("utf-8").splitlines() if line and not line.startswith("#")]


def of(instruction: str) -> list[str]:
    return [line.removeprefix(f"{instruction} ") for line in LINES if line.startswith(f"{instruction} ")]


def test_the_base_image_is_an_argument_by_digest_and_the_user_has_no_rights():
    assert LINES[0].startswith("ARG BASE=")
    (base,) = of("ARG")
    assert re.fullmatch(r"BASE=python:3\.\d+-slim@sha256:[0-9a-f]{64}", base)
    assert of("FROM") == ["${BASE} AS build", "${BASE}"]
    # It runs as a user without rights.
    (user,) = of("USER")
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    assert LINES.index(f"USER {user}") > max(k for k, line in enumerate(LINES) if line.startswith("RUN "))
    assert of("ENTRYPOINT") == ['["ironlake"]']


def test_it_installs_as_the_wheel_is_tried():
    install = of("RUN")[0].removeprefix("/source/").split()
    assert install == [".ci/bare_install", "/srv/ironlake"]
    script = ROOT / install[0]
    assert script.stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", script]).returncode == 0
    assert f"build/wheel/{install[0]} " in (ROOT / ".ci" / "wheel").read_text("utf-8")
    # All that it copies is there in the image: nothing that it needs is left out.
    left_out = (ROOT / ".containerignore").read_text("utf-8").split()
    needed = "requirements.lock requirements-default.lock pyproject.toml README.md LICENSE .ci docs api"
    assert not {*needed.split()} & {*left_out}
    assert all((ROOT / name).exists() for name in needed.split())
