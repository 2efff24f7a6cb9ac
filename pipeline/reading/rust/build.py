"""Puts the compiled part of reading where Python imports it: the binary that lies here, where it is of these sources and fits the machine; else what
cargo builds of them. Without either, one sentence says what to install.

setuptools calls it for `pip install` and wheels. By hand: `python pipeline/reading/rust/build.py`, which puts it beside pipeline/reading/*.py.
With IRONLAKE_COMPILED=source in the environment cargo builds in any case.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

try:
    from setuptools.command.build_ext import build_ext
except ImportError:  # by hand, before any library is there
    build_ext = object

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# Of Linux on x86-64 with glibc 2.17 or later; .ci/compiled makes it, and notes digests of it and of its sources.
BINARY, DIGESTS = HERE / "linux_x86_64.so", HERE / "linux_x86_64.sha256"
_TARGET, _OLDEST_GLIBC = "x86_64-unknown-linux-gnu", (2, 17)
# Name, version, SHA-256 and licence of every crate.
CRATES = HERE / "crates.txt"
_INSTALL = (
    "Ironlake reads pages by a compiled part, of which no ready-made binary fits this machine or these sources: install cargo"
    " (Rust 1.85 or later) and a C linker, and try again"
)


def sources_digest() -> str:
    """Of all that is compiled."""
    said = sha256()
    for path in (HERE / "Cargo.toml", CRATES, *sorted((HERE / "src").glob("*.rs"))):
        said.update(f"{path.name} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return said.hexdigest()


def binary_digest() -> str:
    return sha256(BINARY.read_bytes()).hexdigest()


def recorded() -> dict[str, str]:
    """The digests noted when the binary was made: of its sources, and of itself."""
    return dict(line.split() for line in DIGESTS.read_text().splitlines()) if DIGESTS.exists() else {}


def fits() -> bool:
    """Whether the binary is of these sources and runs here."""
    libc, version = platform.libc_ver()
    here = (sys.platform, platform.machine(), sys.maxsize > 2**32) == ("linux", "x86_64", True)
    if not here or libc != "glibc" or tuple(map(int, version.split(".")[:2])) < _OLDEST_GLIBC:
        return False
    return BINARY.exists() and recorded() == {"sources": sources_digest(), "binary": binary_digest()}


def locked_crates(lock: str) -> set[tuple[str, ...]]:
    """Name, version and checksum of each crate in cargo's lock file."""
    fields = [
        dict(line.split(" = ", 1) for line in part.splitlines() if " = " in line) for part in lock.split("[[package]]")
    ]
    return {tuple(of[key].strip('"') for key in ("name", "version", "checksum")) for of in fields if "checksum" in of}


def cargo_here() -> str:
    """Exits with a sentence where there is none."""
    return shutil.which("cargo") or sys.exit(_INSTALL)


def from_source(command: tuple[str, ...] = ("build",), folder: str = "release") -> Path:
    """What cargo builds, from the crates in CRATES alone."""
    cargo = cargo_here()
    # Cargo writes beside its sources, which may be read-only or of another user.
    there = ROOT / "build" / "compiled"
    shutil.rmtree(there / "src", ignore_errors=True)
    # As new: cargo takes a source for built that was changed while it built the one before.
    shutil.copytree(HERE / "src", there / "src", copy_function=shutil.copyfile)
    shutil.copy(HERE / "Cargo.toml", there)
    (there / "Cargo.lock").unlink(missing_ok=True)
    # No folder of this machine gets into the binary. macOS must be told which symbols a library for Python leaves open.
    home = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    flags = [f"--remap-path-prefix={home}=cargo", f"--remap-path-prefix={there}=compiled"]
    flags += ["-Clink-arg=-undefined", "-Clink-arg=dynamic_lookup"] if sys.platform == "darwin" else []
    environment = {
        **os.environ,
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
        "CARGO_TARGET_DIR": str(there / "target"),
    }

    def run(*arguments: str) -> None:
        if subprocess.run([cargo, "--quiet", *arguments], cwd=there, env=environment).returncode:
            raise SystemExit("cargo could not build the compiled part of Ironlake; what it said is above")

    run("generate-lockfile")
    listed = {tuple(line.split()[:3]) for line in CRATES.read_text().splitlines() if not line.startswith("#")}
    if strange := locked_crates((there / "Cargo.lock").read_text()) ^ listed:
        names = ", ".join(sorted(" ".join(one[:2]) for one in strange))
        raise SystemExit(f"cargo would build with other crates than {CRATES.relative_to(ROOT)} lists: {names}")
    run(*command, "--release", "--locked")
    built = [there / "target" / folder / name for name in ("libcompiled.so", "libcompiled.dylib", "compiled.dll")]
    return next(path for path in built if path.exists())


def place(target: Path) -> None:
    """Put it there, whole or not at all: another process may have the old one open."""
    chosen = from_source() if os.environ.get("IRONLAKE_COMPILED") == "source" or not fits() else BINARY
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copyfile(chosen, unfinished)
    unfinished.replace(target)


class Compiled(build_ext):  # pyright: ignore[reportGeneralTypeIssues]
    def build_extension(self, ext: object) -> None:
        place(Path(self.get_ext_fullpath(ext.name)))  # pyright: ignore[reportAttributeAccessIssue]


def record() -> None:
    """Make the binary, and note the digests."""
    built = from_source(
        ("zigbuild", "--target", f"{_TARGET}.{'.'.join(map(str, _OLDEST_GLIBC))}"), f"{_TARGET}/release"
    )
    shutil.copyfile(built, BINARY)
    DIGESTS.write_text(f"sources {sources_digest()}\nbinary {binary_digest()}\n")


def check() -> None:
    """Exit with a sentence where the binary is not of these sources."""
    if recorded() != {"sources": sources_digest(), "binary": binary_digest()}:
        raise SystemExit(f"{BINARY.relative_to(ROOT)} is not of the sources beside it: run .ci/compiled --record")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--record"]:
            record()
        case ["--check"]:
            check()
        case ["--look"]:
            # Before the libraries are fetched, which takes minutes.
            if not fits():
                cargo_here()
        case _:
            place(HERE.parent / "compiled.abi3.so")
