"""Who may import whom: data flows one way through the rooms, and no two modules import each other."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ironlake.pipeline.declaration.report import reports
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
    "printing": {"declaration", "reading"},
    "models": {"printing", "yaml_reader"},
    "share": {"declaration", "files", "lake", "output", "parsers", "quality", "reading", "sql", "storage"},
    "dashboards": {"declaration", "quality", "sql", "status", "study"},
    "serve": {"dashboards", "declaration", "files", "ingest", "lake", "output", "reading", "sql", "storage", "study"},
    "cli": {
        *("dashboards", "declaration", "files", "ingest", "lake", "output", "pipeline", "quality", "reading"),
        *("models", "serve", "share", "spark", "sql", "status", "storage", "study", "without_pandas"),
    },
    # `from ironlake.pipeline import open_lake`.
    "pipeline": {"sql"},
    # `import ironlake`: over what the commands use.
    "api": {"cli", "dashboards", "declaration", "files", "ingest", "output", "sql", "storage", "study"},
}


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for folder in ("pipeline", "parsers", "models", "dashboards", "api")
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


# Modules of more than 500 lines and classes of more than 250, before the bound was set: none may come, some may go.
LARGE = {
    *(
        "ingest/ingest.py",
        "reading/cut_columns.py",
        "reading/cut_counters.py",
        "reading/cast.py",
        "reading/cast.py Caster",
    ),
    *("reading/report_lines.py ReportLines", "reading/assign_values.py TableBuilder", "files/xml_lines.py XmlLines"),
    *("lake/lake.py Lake", "lake/ledger.py Ledger", "lake/removal.py _Plan", "quality/check_batch.py CheckedTable"),
    *("sql/session.py Session", "sql/open_lake.py OpenLake"),
}


def test_modules_and_classes_are_small():
    found = set()
    for path in (path for room in ("pipeline", "models") for path in (ROOT / room).rglob("*.py")):
        text, name = path.read_text("utf-8"), "/".join(path.parts[-2:])
        found |= {name} if text.count("\n") > 500 else set()
        classes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef))
        found |= {f"{name} {one.name}" for one in classes if (one.end_lineno or 0) - one.lineno >= 250}
    assert found <= LARGE


# Words of a study file that reports are called as well: what counts requests (source: workload_simulator), and a key of steps.
STUDY_WORDS = {"workload_simulator", "jmh"}


def test_pipeline_names_no_report():
    """Names of reports and of their tables come from declarations; SQL of views and texts for people (docstrings) have them."""
    names = {name for report in reports().values() for name in (report.name, *(t.name for t in report.tables))}
    assert len(names) > 70
    named = re.compile(rf"\b({'|'.join(names)})\b")
    found = {
        (str(path.relative_to(ROOT)), name)
        for path in (ROOT / "pipeline").rglob("*.py")
        for text in strings(path)
        for name in named.findall(text)
        if not (name in STUDY_WORDS and "study" in str(path))
    }
    assert found == set()


def strings(path: Path) -> Iterator[str]:
    """The strings of a module, but for those that stand alone."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    constants = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in alone)
    return (node.value for node in constants if isinstance(node.value, str))


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
