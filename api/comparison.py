"""A comparison page, as `ironlake compare` writes it."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from ironlake.arguments import checked
from ironlake.dashboards.page_file import Output
from ironlake.dashboards.pages.study import compare_given, compare_runs, compare_studies
from ironlake.dashboards.told_classes import ClassFilter
from ironlake.lake import LakePath, require_pandas
from ironlake.pipeline.cli.arguments import scope_of
from ironlake.pipeline.cli.outputs import outside_lakes
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.output.html import html_table
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.study.lake import require_names_of_their_own
from ironlake.pipeline.study.runs import ComparedSystems, windows_of, with_baseline
from ironlake.pipeline.study.windows import Days, Window, parse_windows
from ironlake.study import Study, opened

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_MOST_SHOWN = 200
_RUNS_HINT = 'for example runs={"before": "2021-04-13T10:00/11:00", "after": "2021-04-14T10:00/11:00"}'


@dataclass(frozen=True)
class Comparison:
    """What a comparison found. page: the file that was written. headline: of the page. table: one row per study and compared configuration.
    notes: what to know of the selected intervals."""

    page: Path
    headline: str
    table: pa.Table
    notes: tuple[str, ...] = ()

    def arrow(self) -> pa.Table:
        """The table, as Arrow."""
        return self.table

    def pl(self) -> pl.DataFrame:
        """The table as a polars data frame."""
        import polars as pl

        return pl.DataFrame(self.table)

    def df(self) -> pd.DataFrame:
        """The table as a pandas data frame. Raises UsageError where pandas is not installed."""
        require_pandas()
        return self.table.to_pandas()

    def _repr_html_(self) -> str:
        """The headline and the table, for notebooks."""
        said = "".join(f"<p>{escape(text)}</p>" for text in (self.headline, *(f"note: {note}" for note in self.notes)))
        return said + html_table(self.table.to_reader(), _MOST_SHOWN)


@checked
def compare(
    *studies: Study | str | os.PathLike[str],
    out: str | os.PathLike[str],
    lake: LakePath | OpenLake = None,
    runs: Mapping[str, str | tuple[dt.datetime, dt.datetime]] | None = None,
    against: str | None = None,
    sysplex: str | None = None,
    systems: str | Sequence[str] = (),
    classes: str | Sequence[str] = (),
    workloads: str | Sequence[str] = (),
    png: str | os.PathLike[str] | None = None,
    template: str | os.PathLike[str] | None = None,
) -> Comparison:
    """Compare studies, or windows of time, on one HTML page that works offline.

    studies: study files, or studies; those of files need not be in the lake. out: the page to write. runs: windows of local
    time by name, the first is the baseline; each is a pair of times, or a text as `ironlake compare --run` takes it (ironlake docs studies).
    against: the windows of the baseline, or auto. sysplex, systems: of runs, only their pages. classes, workloads: of runs, only these classes (service or
    report classes), and those of these workloads. png: a folder for the charts as
    images. template: HTML for the top of the page.

    Raises UsageError for wrong use, and IronlakeError if a study or window does not fit the lake or a file cannot be written."""
    if bool(studies) == bool(runs):
        what = "both studies and runs are given" if studies else "nothing to compare"
        raise UsageError(what, "a study, or at least two runs", _RUNS_HINT)
    today = dt.date.today()
    asked = with_baseline({n: _windows(n, g, today) for n, g in runs.items()}, against, today) if runs else {}
    page = Path(out)
    outside_lakes(page)
    notes: list[str] = []
    with opened(lake) as there:
        output = Output(page, Path(png) if png else None, Path(template) if template else None, lake=there.path.name)
        if runs:
            named = systems if isinstance(systems, str) else ",".join(systems)
            place = ComparedSystems(sysplex, tuple(filter(None, (scope_of(named) or "").split(","))))
            windows = windows_of(there, asked, place, finds_baseline=against == "auto")
            only = ClassFilter(*(tuple([names] if isinstance(names, str) else names) for names in (classes, workloads)))
            compared = compare_runs(there, windows, output, place=place, only=only)
        else:
            given = [s for one in studies for s in ([one] if isinstance(one, Study) else Study.all(one))]
            parsed = [s.parsed for s in given if s.parsed]
            if not parsed:
                compared = compare_studies(there, [s.name for s in given], output)
            elif len(parsed) == len(given):
                require_names_of_their_own(parsed)
                compared = compare_given(there, parsed, output, notes.append)
            else:
                raise UsageError("studies of files and of a lake are given together", "either of the two")
    return Comparison(page, compared.headline, compared.table, tuple(notes))


def _windows(name: str, given: str | tuple[dt.datetime, dt.datetime], today: dt.date) -> Sequence[Window | Days]:
    if isinstance(given, str):
        return parse_windows(given, today)
    if any(time.tzinfo for time in given):
        raise UsageError(f"the window of {name} has a time zone", "local time as printed, without a zone")
    return [Window(*given)]
