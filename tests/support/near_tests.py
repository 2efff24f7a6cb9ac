"""Prints the test files that `make smoke` runs: those that look at every room once, and those that name what differs from the last commit."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Every sample page, every view, a lake, the commands, a page and the imports: a minute on two cores.
EVERY_ROOM = (
    "tests/reports/test_samples.py", "tests/sql/test_views.py", "tests/lake/test_lake.py", "tests/cli/test_commands.py",
    "tests/dashboards/test_page.py", "tests/project/test_rooms.py",
)  # fmt: skip


def near_tests(root: Path, file: str) -> list[str]:
    """The test files that name a file of the project: the module of a Python file, else the name of a grammar, view or template."""
    path = Path(file)
    if path.match("tests/*/test_*.py"):
        return [file] if (root / path).exists() else []
    module = ".".join(path.with_suffix("").parts)
    named = rf"\b{re.escape(path.stem)}\b"
    if path.suffix == ".py" and path.parts[0] != "parsers":
        # `from ironlake.pipeline.lake.parts import …`, `from ironlake.pipeline.lake import parts`, and helpers of tests.
        room, _, name = module.rpartition(".")
        named = rf"\b{re.escape(module)}\b|\b{re.escape(room)} import .*\b{name}\b|^(?:from|import) {name}\b"
    pattern = re.compile(named, re.MULTILINE)
    tests = sorted(root.glob("tests/*/test_*.py"))
    return [str(test.relative_to(root)) for test in tests if pattern.search(test.read_text("utf-8"))]


def changed(root: Path) -> Iterable[str]:
    """What differs from the last commit, files that git does not know yet included."""
    command = ["git", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return [entry[3:] for entry in listed.split("\0") if entry]


if __name__ == "__main__":
    near = {test for file in changed(ROOT) for test in near_tests(ROOT, file)}
    print(*sorted({*EVERY_ROOM, *near}))
