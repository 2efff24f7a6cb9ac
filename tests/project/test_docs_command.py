"""`ironlake docs`: the pages that every installation has, and messages that name them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from command_line import Command
from sample_pages import ROOT

PAGES = {path.stem: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")}


def test_pages_are_listed_and_shown(run: Command):
    code, out, _ = run("docs")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == sorted(PAGES)
    assert re.search(r"^glossary +Glossary$", out, re.MULTILINE)
    for name in ("studies", "studies.md", "docs/studies.md"):
        assert run("docs", name) == (0, PAGES["studies"].rstrip("\n") + "\n", "")


def test_an_unknown_page_is_an_error_with_near_names(run: Command):
    assert run("docs", "study") == (
        2,
        "",
        "ironlake: no page is called study\nhint: near names: studies; ironlake docs lists all\n",
    )
    code, _, err = run("docs", "../x.y")
    assert (code, "no page is called ../x.y; expected adding_a_report, benchmarks" in err) == (2, True)


def texts(path: Path) -> Iterator[str]:
    """Texts of a module that a user may see: not the docstrings, but for those of commands, which are their help."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and not (isinstance(node, ast.FunctionDef) and path.parent.name in ("cli", "models", "api"))
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_messages_name_pages_that_a_wheel_has():
    modules = [
        path
        for folder in ("pipeline", "models", "dashboards", "parsers", "api")
        for path in (ROOT / folder).rglob("*.py")
    ]
    found = [(path, text) for path in modules if "docs" in path.read_text("utf-8") for text in texts(path)]
    assert len(found) > 1000
    # Only the command of pages itself takes names that begin with the folder.
    assert [(str(path), text) for path, text in found if re.search(r"docs/\w+\.md", text)] == []
    named = {name for _, text in found for name in re.findall(r"ironlake docs (\w+)(?=[ `).])", text)} - {"lists"}
    assert {"studies", "model", "measures", "adding_a_report"} <= named
    assert named - {*PAGES} == set()
