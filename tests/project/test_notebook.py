"""The notebook and the Python of the documentation run as they are shown.

A runner of a few lines stands for Jupyter, which would bring a hundred megabytes: it runs the cells in order in one namespace and shows the
value of the last expression as HTML, as Jupyter does."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ironlake.pipeline.cli.demo import demo
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.answer import Result
from ironlake.pipeline.sql.open_lake import OpenLake
from sample_pages import ROOT, SAMPLES

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
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    codes = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(codes) == 5
    _, asked, compared, _, _ = shown(codes)
    assert asked.index("DDFHI") > 0
    assert "239.3" in compared
    out = capsys.readouterr().out
    assert "3 files: 3 ingested" in out
    assert "3.0.36 2" in out
    assert "no table or view is called cpu_by_clas\nhint: near names: cpu_by_class" in out
    assert (site / "zos_connect.html").is_file()


# --- The dashboard of docs/grafana_dashboard.json: each panel asks what a catalog answers, in the shape that its picture wants


DASHBOARD: dict[str, Any] = json.loads((ROOT / "docs" / "grafana_dashboard.json").read_text("utf-8"))
PANELS: dict[str, dict[str, Any]] = {panel["title"]: panel for panel in DASHBOARD["panels"]}
VARIABLES: dict[str, dict[str, Any]] = {variable["name"]: variable for variable in DASHBOARD["templating"]["list"]}
# What a data source for DuckDB puts in place of its macros and of a choice of several values.
TIMES = r"\1 BETWEEN '2021-04-13T00:00:00Z' AND '2021-04-14T23:59:59Z'"


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenLake]:
    """A session of a lake of the demo's pages, whose tables and views a catalog has."""
    path = tmp_path_factory.mktemp("grafana") / "lake"
    ingest([str(SAMPLES / "demo")], path, Options(), jobs=1)
    with OpenLake(path) as lake:
        yield lake


def asked(catalog: OpenLake, title: str) -> Result:
    (target,) = PANELS[title]["targets"]
    of_sysplex = [name for (name,) in catalog.sql(VARIABLES["sysplex"]["query"]).fetchall()]
    chosen = ",".join(f"'{name}'" for name in of_sysplex)
    query = re.sub(r"\$__timeFilter\((\w+)\)", TIMES, target["rawSql"]).replace("${sysplex:sqlstring}", chosen)
    assert "$" not in query
    return catalog.sql(query)


def test_panels_have_the_columns_of_their_form(catalog: OpenLake):
    """A picture over time wants rows in the order of time: the time, a name and a number."""
    of_time = [("time", "TIMESTAMP"), ("metric", "VARCHAR"), ("value", "DOUBLE")]
    for title, panel in PANELS.items():
        answer = asked(catalog, title)
        rows = answer.fetchall()
        if panel["type"] == "timeseries":
            assert list(zip(answer.columns, map(str, answer.types), strict=True)) == of_time, title
            assert rows == sorted(rows, key=lambda row: row[0]), title


def test_a_panel_shows_what_the_pages_print(catalog: OpenLake):
    """DDFHI on 13 April from 10:00 on before.txt and the test sysplex: its CP, in percent of one engine of each interval, by hand from the
    raw rows, duration reports aside."""
    rows = asked(catalog, "General-processor time by service class").fetchall()
    printed = catalog.sql(
        "SELECT date_trunc('hour', interval_start), scope, service_class, sum(appl_cp_pct * interval_s) / sum(interval_s) / 100 "
        "FROM rmf_workload_activity WHERE period IS NULL AND service_class = 'DDFHI' AND report_kind = 'interval' "
        "AND interval_start < '2021-04-15' GROUP BY ALL"
    ).fetchall()
    expected = {(hour, f"{scope} {name}"): value for hour, scope, name, value in printed}
    found = {(time, metric): value for time, metric, value in rows if metric.endswith("DDFHI")}
    assert found == pytest.approx(expected)
    assert len(found) > 1

    goals = asked(catalog, "Goals missed").fetchall()
    assert goals
    assert all(missed > 0 for *_, missed, _ in goals)


def test_every_part_of_the_dashboard_asks_the_chosen_catalog():
    assert VARIABLES["catalog"]["type"] == "datasource"
    sources = {panel["datasource"]["uid"] for panel in PANELS.values()} | {VARIABLES["sysplex"]["datasource"]["uid"]}
    sources |= {target["datasource"]["uid"] for panel in PANELS.values() for target in panel["targets"]}
    assert sources == {"${catalog}"}
    # Hours of the pages are local times without a zone: as UTC they are shown as printed.
    assert DASHBOARD["timezone"] == "utc"
