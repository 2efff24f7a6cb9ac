"""The Containerfile: no engine is needed to see that it keeps its promises; `.ci/wheel` runs what it runs to install."""

import re
import subprocess

from sample_pages import ROOT

LINES = [line for line in (ROOT / "Containerfile").read_text("utf-8").splitlines() if line and not line.startswith("#")]


def of(instruction: str) -> list[str]:
    return [line.removeprefix(f"{instruction} ") for line in LINES if line.startswith(f"{instruction} ")]


def test_the_base_image_is_an_argument_by_digest_and_names_no_registry():
    assert LINES[0].startswith("ARG BASE=")
    (base,) = of("ARG")
    assert re.fullmatch(r"BASE=python:3\.\d+-slim@sha256:[0-9a-f]{64}", base)
    assert of("FROM") == ["${BASE} AS build", "${BASE}"]


def test_it_runs_as_a_user_without_rights():
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
