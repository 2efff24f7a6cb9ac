"""The demonstration: shipped sample reports become a lake, query results, repeated published studies and a comparison page."""

from __future__ import annotations

import datetime as dt
import sys
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..declaration.reading_options import Options
from ..errors import IronlakeError, writing_to

if TYPE_CHECKING:
    from ...dashboards.pages.study import Compared

_QUERY = """
SELECT service_class, round(sum(cpu_pct * interval_s) / sum(interval_s), 2) AS cpu_pct,
       round(sum(non_ziip_eligible_pct * interval_s) / sum(interval_s), 2) AS non_ziip_eligible_pct,
       round(sum(cpu_pct / 100 * interval_s) / nullif(sum(transactions_ended), 0) * 1000, 3) AS cpu_ms_per_transaction
FROM cpu_by_class WHERE sysplex = 'PLEXD' AND class_kind = 'service_class' AND interval_start < '2021-04-14'
GROUP BY service_class ORDER BY cpu_pct DESC LIMIT 5
"""

# The published studies that the demonstration repeats; each takes seconds.
_STUDIES = ("sysplex_and_data_sharing", "zos_connect")

_COUPLING = """
SELECT study, round(coupling_efficiency_pct, 2) AS coupling_efficiency_pct,
       round(capacity_delta_pct, 2) AS capacity_delta_pct, round(cpu_increase_pct, 2) AS cpu_increase_pct
FROM coupling_efficiency WHERE busy_basis = 'cp' ORDER BY study
"""


def demo(out: Annotated[Path, typer.Option(help="Folder for the demo's lake and pages.")]) -> None:
    """Ingest the shipped samples and write their comparison page.

    \b
    Example:
      ironlake demo --out demo
    """
    from ...dashboards.pages.study import compare_runs, compare_studies
    from .. import open_lake
    from ..ingest.ingest import ingest
    from ..output.write import write
    from ..study.lake import add_studies, read_files
    from ..study.windows import Window

    samples = resources.files("ironlake.sample_reports")
    reports = samples / "demo"
    # As they can be typed in this folder, wherever Ironlake is installed.
    typed_lake, typed = _typed(out / "lake"), _typed(Path(str(samples)))
    lake, page = out / "lake", out / "compare.html"
    with writing_to(out):
        out.mkdir(parents=True, exist_ok=True)
    print(f"$ ironlake ingest {typed}/demo --lake {typed_lake}")
    with resources.as_file(reports) as folder:
        report = ingest([str(folder)], lake, Options())
    print(report.as_text())
    shown = f"{typed}/studies/{{{','.join(_STUDIES)}}}"
    print(
        f"\n$ ironlake ingest {shown}/*.txt --lake {typed_lake}\n$ ironlake study add {shown}/*.yaml --lake {typed_lake}"
    )
    with resources.as_file(samples / "studies") as folder:
        of_studies = ingest(
            [str(p) for study in _STUDIES for p in sorted((folder / study).glob("*.txt"))], lake, Options()
        )
        redone = {study: read_files(sorted((folder / study).glob("*.yaml"))) for study in _STUDIES}
        added = add_studies(lake, [s for found in redone.values() for s in found])
    print(f"{len(of_studies.files)} files ingested, {len(added)} studies added")
    if report.exit_code(strict=True) or of_studies.exit_code(strict=True):
        raise IronlakeError("the shipped sample reports could not be read completely")
    with open_lake(lake) as opened:
        print(f'\n$ ironlake sql --lake {typed_lake} "{_QUERY.rstrip()}"')
        sys.stdout.flush()
        write(opened.sql(_QUERY).written("table"), "table")
        print(f'\n$ ironlake sql --lake {typed_lake} "{_COUPLING.rstrip()}"')
        sys.stdout.flush()
        write(opened.sql(_COUPLING).written("table"), "table")
        hour = dt.timedelta(hours=1)
        starts = {"before": dt.datetime(2021, 4, 13, 10), "after": dt.datetime(2021, 4, 14, 10)}
        compared = compare_runs(opened, {name: [Window(start, start + hour)] for name, start in starts.items()}, page)
        _show(compared, page)
        for study, found in redone.items():
            page = out / f"{study}.html"
            _show(compare_studies(opened, [s.name for s in found], page), page)


def _typed(folder: Path) -> str:
    """A folder as it is typed here: below the current one without the way to it."""
    import shlex

    with suppress(ValueError):
        folder = folder.relative_to(Path.cwd())
    return shlex.quote(str(folder))


def _show(compared: Compared, page: Path) -> None:
    from ..output.write import write

    print(f"\nComparison, see {page}:")
    sys.stdout.flush()
    write(compared.table.to_reader(), "table")
