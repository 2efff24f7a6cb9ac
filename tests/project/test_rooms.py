"""Who may import whom: data flows one way through the rooms, and no two modules import each other."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

from sample_pages import ROOT

# What every room may import.
_BASE = {"errors", "frozen", "locks", "plugins", "status_line", "temporary_folders", "terminal", "waiting", "words"}
# The rooms of pipeline/ and its neighbours, in the order of the data; each imports only rooms that it names.
ROOMS = {
    "errors": set(),
    "locks": set(),
    "plugins": set(),
    "temporary_folders": set(),
    "terminal": set(),
    "status_line": set(),
    "waiting": set(),
    "words": set(),
    "output": {"sql"},
    "without_pandas": set(),
    "yaml_reader": set(),
    "storage": set(),
    "declaration": set(),
    "parsers": {"declaration"},
    "files": {"declaration", "storage"},
    "reading": {"declaration", "files"},
    "lake": {"declaration", "storage", "without_pandas"},
    "quality": {"declaration", "files", "lake", "sql", "storage"},
    "ingest": {"declaration", "files", "lake", "quality", "reading", "without_pandas"},
    "sql": {"declaration", "lake", "storage", "without_pandas"},
    "spark": {"declaration", "ingest", "lake", "sql", "storage"},
    "study": {"declaration", "lake", "output", "sql", "yaml_reader"},
    "status": {"declaration", "lake", "storage"},
    "synthesis": {"declaration", "reading", "yaml_reader"},
    "share": {"declaration", "files", "lake", "output", "parsers", "quality", "reading", "sql", "storage"},
    "dashboards": {"declaration", "quality", "sql", "status", "study"},
    "serve": {"dashboards", "declaration", "files", "ingest", "lake", "output", "reading", "sql", "storage", "study"},
    "cli": {
        *("dashboards", "declaration", "files", "ingest", "lake", "output", "pipeline", "quality", "reading"),
        *("serve", "share", "spark", "sql", "status", "storage", "study", "synthesis", "without_pandas"),
    },
    # `from ironlake.pipeline import open_lake`.
    "pipeline": {"sql"},
    # `import ironlake`: over what the commands use.
    "api": {"cli", "dashboards", "declaration", "files", "ingest", "output", "sql", "storage", "study"},
}


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for folder in ("pipeline", "parsers", "dashboards", "api")
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
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ironlake"):
            # As api/ has it, whose files are those of the package `ironlake` itself.
            of = (node.module or "").removeprefix("ironlake").removeprefix(".")
            of = of if of in known else f"api.{of}".removesuffix(".")
            found |= {at if (at := f"{of}.{alias.name}") in known else of for alias in node.names}
    return (found & known.keys()) - {name}


def room(module: str) -> str:
    first, _, rest = module.partition(".")
    return rest.partition(".")[0] if first == "pipeline" and rest else first


@cache
def arrows() -> dict[str, set[str]]:
    known = modules()
    assert len(known) > 100
    return {name: imported(name, path, known) for name, path in known.items()}


def test_rooms_import_only_what_lies_before_them():
    found = {
        (name, other)
        for name, others in arrows().items()
        for other in others
        if room(other) not in {room(name), *_BASE, *ROOMS[room(name)]}
    }
    assert found == set()


def test_no_modules_import_each_other():
    reached = arrows()
    direct = dict(reached)
    while (further := {n: to.union(*(direct[other] for other in to)) for n, to in reached.items()}) != reached:
        reached = further
    circles = {tuple(sorted(n for n in to if name in reached[n])) for name, to in reached.items() if name in to}
    assert circles == set()


def test_absolute_imports_are_seen():
    known = modules()
    found = imported("api.comparison", known["api.comparison"], known)
    assert {"api.study", "api.lake", "dashboards.page_file", "pipeline.errors"} <= found
    assert imported("api", known["api"], known) >= {"api.comparison", "api.ingestion", "pipeline.errors"}


def test_importing_ironlake_loads_none_of_its_libraries():
    code = "import sys, ironlake; ironlake.open_lake if 'all' in sys.argv else 0; print(*sys.modules)"

    def loaded(*arguments: str) -> set[str]:
        run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        return {name.partition(".")[0] for name in run.stdout.split()}

    libraries = {"duckdb", "pyarrow"}
    assert libraries <= loaded("all")
    ours = {"duckdb", "pyarrow", "polars", "numpy", "pandas", "plotly", "typer", "lark", "yaml", "scipy", "jinja2"}
    assert not ours & loaded()
