"""The demonstration: the shipped sample reports become a lake, a query and a comparison page."""

from __future__ import annotations

import datetime as dt
import sys
from importlib import resources
from pathlib import Path

from .errors import IronlakeError
from .options import Options

_QUERY = """
SELECT service_class, round(sum(cpu_pct * interval_s) / sum(interval_s), 2) AS cpu_pct,
       round(sum(non_ziip_eligible_pct * interval_s) / sum(interval_s), 2) AS non_ziip_eligible_pct,
       round(sum(cpu_pct / 100 * interval_s) / nullif(sum(transactions_ended), 0) * 1000, 3) AS cpu_ms_per_transaction
FROM cpu_by_class WHERE sysplex = 'PLEXD' AND class_kind = 'service_class' AND interval_start < '2021-04-14'
GROUP BY service_class ORDER BY cpu_pct DESC LIMIT 5
"""


def demo(out: Path) -> None:
    """Ingest the shipped reports into `out`/lake and write `out`/compare.html; tell each step and what it gave."""
    from ..dashboards.compare import compare_runs
    from . import open_lake
    from .ingest import ingest
    from .output import write

    reports = resources.files("ironlake.sample_reports") / "demo"
    lake, page = out / "lake", out / "compare.html"
    out.mkdir(parents=True, exist_ok=True)
    print(f"$ ironlake ingest {reports.name} --lake {lake}")
    with resources.as_file(reports) as folder:
        report = ingest([str(folder)], lake, Options())
    print(report.as_text())
    if report.exit_code(strict=True):
        raise IronlakeError("the shipped sample reports could not be read whole")
    with open_lake(lake) as opened:
        print(f'\n$ ironlake sql --lake {lake} "{_QUERY.rstrip()}"')
        sys.stdout.flush()
        write(opened.sql(_QUERY).reader(), "table")
        hour = dt.timedelta(hours=1)
        starts = {"before": dt.datetime(2021, 4, 13, 10), "after": dt.datetime(2021, 4, 14, 10)}
        headline = compare_runs(opened, {name: (start, start + hour) for name, start in starts.items()}, page)
    print(f"\n{headline}\nThe page: {page}")
