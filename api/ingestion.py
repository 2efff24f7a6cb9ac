"""Files into a lake, as `ironlake ingest` reads them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Literal

from ironlake.arguments import checked, require
from ironlake.lake import LakePath, lake_path
from ironlake.pipeline.cli.arguments import scope_of
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError, UsageError, first_of
from ironlake.pipeline.files.archives import ANY_SIZE
from ironlake.pipeline.ingest.ingest import ingest as ingest_paths
from ironlake.pipeline.ingest.summary import IngestReport

_MOST_OFFSET = 840


class IngestFailed(IronlakeError):
    """An ingest for which `ironlake ingest` ends with exit code 1: a file cannot be read, or with `strict` has rejects or errors. All
    other files are in the lake; `report` has the result of each."""

    def __init__(self, report: IngestReport):
        failed = [f.error or f.path for f in report.files if f.status == "failed"]
        super().__init__("\n".join(first_of(failed)) or report.as_text())
        self.report = report


@checked
def ingest(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    lake: LakePath = None,
    *,
    date_order: Literal["mdy", "dmy"] = "mdy",
    encoding: str = "auto",
    scope: str | None = None,
    utc_offset: int | None = None,
    jobs: int | None = 1,
    strict: bool = False,
    replace: bool = False,
    wait: float | None = None,
    unpack_any_size: bool = False,
) -> IngestReport:
    """Read files, folders and archives into the lake; what is in it already is skipped. The report has the result of each file.

    date_order: order of month and day in printed dates. encoding: of the characters; detected by default. scope: systems
    ("SYSA,SYSB") of sysplex-wide pages that name none. utc_offset: of the printed times, in minutes. strict: a file that breaks
    a rule of severity error stays out. replace: what other files print of the same reports, intervals and systems gives way. wait: seconds
    to wait while another process writes; None is as long as it takes. unpack_any_size: no limits of decompression. jobs: reader processes; None is one per core
    for large input. A script that uses more than one needs `if __name__ == "__main__":` around its work.

    Raises IngestFailed if a file cannot be read, or with `strict` if any line was rejected; UsageError for wrong options."""
    if utc_offset is not None and abs(utc_offset) > _MOST_OFFSET:
        raise UsageError(f"utc_offset {utc_offset} is no offset", f"minutes from -{_MOST_OFFSET} to {_MOST_OFFSET}")
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is {jobs}", "at least 1")
    if wait is not None and not wait >= 0:
        raise UsageError(f"wait is {wait}", "seconds, 0 or more, or None")
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    require("paths", several, Sequence[str | os.PathLike[str]])
    options = Options(date_order, encoding.lower(), scope_of(scope), utc_offset)
    limits = ANY_SIZE if unpack_any_size else None
    names = [os.fspath(path) for path in several]
    report = ingest_paths(
        names, lake_path(lake), options, jobs, strict=strict, limits=limits, replace_prints=replace, wait_s=wait
    )
    if report.exit_code(strict):
        raise IngestFailed(report)
    return report
