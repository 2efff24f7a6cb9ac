"""The dashboard of docs/grafana_dashboard.json: each panel asks what a catalog answers, in the shape that its picture wants."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.answer import Result
from ironlake.pipeline.sql.open_lake import OpenLake
from sample_pages import ROOT, SAMPLES

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
