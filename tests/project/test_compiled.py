"""The compiled part: where neither a binary nor cargo serves a machine one sentence says so, and nothing is built of crates that are not listed."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from sample_pages import ROOT

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
        ended = subprocess.run(
            [sys.executable, folder / "build.py", *arguments],
            env=os.environ | {"PATH": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert (ended.returncode, ended.stdout) == (1, "")
        assert re.fullmatch(r"Ironlake reads pages by a compiled part, [^\n]*: install cargo [^\n]*\n", ended.stderr)
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
