"""The examples in docstrings are true."""

import doctest
import importlib
from pathlib import Path

PROJECT = Path(__file__).parents[2]
ROOMS = ("api", "benchmarks", "dashboards", "grammars", "models", "parsers", "pipeline", "sample_reports")


def modules() -> list[str]:
    """Those whose text has an example, as they are imported."""
    found = []
    for room in ROOMS:
        for path in sorted((PROJECT / room).rglob("*.py")):
            if ">>> " in path.read_text("utf-8"):
                parts = path.relative_to(PROJECT).with_suffix("").parts
                parts = {"benchmarks": parts, "api": ("ironlake", *parts[1:])}.get(room, ("ironlake", *parts))
                found.append(".".join(parts).removesuffix(".__init__"))
    return found


def test_examples_are_true():
    for name in modules():
        found = doctest.testmod(importlib.import_module(name))
        assert found.attempted, name
        assert not found.failed, name
