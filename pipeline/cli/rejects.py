"""Show what was rejected or not read, and write a bug report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError, writing_to
from .common import DEFAULT_LAKE, FormatOption, LakeOption, MemoryOption, print_text, write_answer


def rejects(
    lake: LakeOption = DEFAULT_LAKE,
    bug_report: Annotated[
        Path | None,
        typer.Option(
            "--bug-report", metavar="FILE", help="Write an anonymised report with the affected pages to a new file."
        ),
    ] = None,
    output_format: FormatOption = "table",
    memory: MemoryOption = None,
) -> None:
    """Show rejected lines by cause, and lines that are not read.

    For each cause: how often it occurs, and the first line with a caret and a hint. Then the sections that are recognised but
    not read, and the count of all lines: claimed, not read, blank, rejected, and on pages of unknown reports.

    \b
    Example:
      ironlake rejects --lake lake --bug-report report.md
    """
    from ..quality.reject_groups import as_text, causes
    from ..sql.open_lake import open_lake

    if bug_report and bug_report.exists():
        raise UsageError(f"{bug_report} already exists", hint="choose another name")
    with open_lake(lake, memory) as opened:
        found = causes(opened)
        if output_format == "table":
            print_text(as_text(opened, found))
        else:
            write_answer(found.to_reader(), output_format)
        if bug_report:
            from ..share.bug_report import bug_report as report_of

            report = report_of(opened, found)
            with writing_to(bug_report):
                bug_report.write_text(report, encoding="utf-8")
            print(f"{bug_report}: written; review it before you send it", file=sys.stderr)
