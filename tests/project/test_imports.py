"""Who imports whom: reading loads nothing that only studies need, and no two modules import each other."""

import ast
import subprocess
import sys
from pathlib import Path

from sample_pages import ROOT

FOLDERS = ("pipeline", "parsers")
# Known, and to be broken up: a query asks for statistics of studies, which are queries.
CIRCLES = [["pipeline.query", "pipeline.study_statistics"]]


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
    }


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """Modules that a module imports, within functions and for the sake of types too."""
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
            of = ".".join(part for part in base if part)
            found |= {at if (at := f"{of}.{alias.name}") in known else of for alias in node.names}
    return (found & known.keys()) - {name}


def test_no_modules_import_each_other():
    known = modules()
    assert len(known) > 60
    arrows = {name: imported(name, path, known) for name, path in known.items()}
    reached = dict(arrows)
    for _ in known:
        reached = {name: to.union(*(reached[n] for n in to)) for name, to in reached.items()}
    circles = [sorted(n for n in to if name in reached[n]) for name, to in reached.items() if name in to]
    assert [circle for circle in circles if circle not in CIRCLES] == []


def test_reading_loads_no_study_code():
    code = "import sys, ironlake.pipeline.ingest.ingest; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "ironlake.pipeline.reading.engine" in loaded
    assert [name for name in loaded if "study" in name or name == "yaml"] == []
