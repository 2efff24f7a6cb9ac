"""Runs a command as a process of its own, pinned and on one thread, and says what it cost."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import IO, Any

_STARTER = Path(__file__).with_name("start_child.py")
ONE_THREAD = {
    "POLARS_MAX_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_IO_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
# As installed: pip compiles modules. A process that may not keep compiled ones would compile them all at each start.
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}


@dataclass(frozen=True)
class Sample:
    """What one run cost. cpu_s is of the process and all that it waited for; peak_bytes is the largest resident set of
    any one process of them."""

    wall_s: float
    cpu_s: float
    peak_bytes: int
    output: str
    error: str
    exit_code: int


def run(command: Sequence[object], cores: set[int] | None, folder: Path) -> Sample:
    """Runs `command` on `cores` (None: anywhere), with every library held to one thread a process.

    A small process of its own starts it (`start_child`), so that this one's memory does not count. If this program is
    interrupted, that process is ended, and ends the command.
    """
    pinned = ",".join(map(str, sorted(cores))) if cores and hasattr(os, "sched_setaffinity") else ""
    with tempfile.TemporaryFile(dir=folder) as output, tempfile.TemporaryFile(dir=folder) as error:
        streams = (output.fileno(), error.fileno())
        words = [sys.executable, "-I", "-S", _STARTER, pinned, *streams, *command]
        with subprocess.Popen(
            [str(word) for word in words],
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD | COMPILED,
            pass_fds=streams,
        ) as starter:
            try:
                cost, _ = starter.communicate()
            except BaseException:
                starter.terminate()
                raise
        if starter.returncode:
            raise ChildProcessError(f"{command[0]} could not be started and measured: exit {starter.returncode}")
        printed, said = (_text(stream) for stream in (output, error))
    return Sample(**json.loads(cost), output=printed, error=said)


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


@dataclass
class Result:
    """All samples of one contender on one input; `bytes` and `tables` (rows by table)
    are of a single run."""

    section: str
    name: str
    shape: str
    bytes: int
    tables: dict[str, int] = field(default_factory=dict)
    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    peak_bytes: list[int] = field(default_factory=list)
    failure: str = ""

    def add(self, sample: Sample, tables: dict[str, int], failure: str = "") -> None:
        """Counts a run, unless it ended badly or `failure` says why it does not count."""
        if sample.exit_code:
            last = (sample.error.strip() or sample.output.strip()).split("\n")[-1]
            failure = f"exit {sample.exit_code}: {last[:160]}"
        if failure:
            self.failure = failure
            return
        self.tables = tables
        self.wall_s.append(sample.wall_s)
        self.cpu_s.append(sample.cpu_s)
        self.peak_bytes.append(sample.peak_bytes)

    @property
    def wall(self) -> float:
        """Median wall seconds."""
        return median(self.wall_s)

    @property
    def cpu(self) -> float:
        """Median processor seconds."""
        return median(self.cpu_s)

    @property
    def rows(self) -> int:
        """Rows of the report's own tables; what a reader keeps about its reading is left out."""
        return sum(n for name, n in self.tables.items() if name.startswith("rmf_"))

    @property
    def megabytes_per_s(self) -> float:
        return self.bytes / 1e6 / self.wall

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"rows": self.rows} | ({"megabytes_per_s": self.megabytes_per_s} if self.wall_s else {})


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell; the first is text, the others are numbers."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def remove(path: Path) -> None:
    """Removes a folder that a contender wrote, if it did."""
    shutil.rmtree(path, ignore_errors=True)


def machine() -> dict[str, Any]:
    """Processor, cores, memory, load and the versions that matter."""

    def installed(name: str) -> str:
        try:
            return version(name)
        except PackageNotFoundError:
            return "not installed"

    names = ("ironlake", "lark", "polars", "pyarrow", "duckdb")
    info = Path("/proc/cpuinfo")
    models = (
        [li.split(":", 1)[1].strip() for li in info.read_text().split("\n") if "model name" in li]
        if info.exists()
        else []
    )
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    return {
        "processor": models[0] if models else os.uname().machine,
        "system": f"{os.uname().sysname} {os.uname().release}",
        "cores": cores,
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "load_at_start": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "versions": {name: installed(name) for name in names},
    }
