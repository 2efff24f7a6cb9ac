"""The notebook and the Python of the documentation run as they are shown.

A runner of a few lines stands for Jupyter, which would bring a hundred megabytes: it runs the cells in order in one namespace and shows the
value of the last expression as HTML, as Jupyter does."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from ironlake.pipeline.cli.demo import demo
from sample_pages import ROOT

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the project is after `make demo`."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "docs").mkdir()
    (folder / "sample_reports").symlink_to(ROOT / "sample_reports")
    demo(folder / "demo")
    return folder


def cells(kind: str) -> list[str]:
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def shown(codes: Iterable[str]) -> list[str]:
    """What each cell shows."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    return [_shown(code, namespace) for code in codes]


def _shown(code: str, namespace: dict[str, Any]) -> str:
    tree = ast.parse(code)
    *_, last = tree.body
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "cell", "exec"), namespace)
        return ""
    tree.body.remove(last)
    exec(compile(tree, "cell", "exec"), namespace)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
    if value is None:
        return ""
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_notebook_runs_on_the_lake_of_the_demo(site: Path, monkeypatch: pytest.MonkeyPatch):
    # As Jupyter does, which starts in the notebook's folder.
    monkeypatch.chdir(site / "docs")
    counts, asked, printed, by_day, compared, study, closed = shown(cells("code"))
    assert re.fullmatch(r"\(\d\d, \d{2,3}\)", counts)
    assert ">cpu_pct<br><small>% of one engine</small></th>" in asked
    # As README.md has them, of the intervals of each day together.
    assert sum(map(int, re.findall(r">(\d+)</td></tr>", asked))) == 715086 + 729692
    assert ">DDFHI</td>" in printed
    # README.md has 93.47 of the first day.
    first, *_ = re.findall(r"<tr><td>&quot;(\w+)&quot;</td><td>([\d.]+)</td>", by_day)
    assert (first[0], round(float(first[1]), 2)) == ("DDFHI", 93.47)
    assert ">239.3</td>" in compared
    assert (site / "docs" / "compare.html").stat().st_size > 100_000
    assert study.count("<tr>") == 3
    assert closed == ""


def test_the_notebook_is_kept_without_outputs():
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) >= 5
    assert [(cell["outputs"], cell["execution_count"]) for cell in code] == [([], None)] * len(code)
    assert notebook["nbformat"] == 4
    assert cells("markdown")[0].startswith("# ")


@pytest.mark.slow
def test_the_python_of_the_documentation_runs(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(site)
    codes = blocks(ROOT / "docs" / "python.md")
    assert len(codes) == 5
    _, asked, compared, _, _ = shown(codes)
    assert asked.index("DDFHI") > 0
    assert "239.3" in compared
    out = capsys.readouterr().out
    assert "3 files: 3 ingested" in out
    assert "3.0.36 2" in out
    assert "no table or view is called cpu_by_clas\nhint: near names: cpu_by_class" in out
    assert (site / "zos_connect.html").is_file()
