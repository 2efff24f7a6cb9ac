"""A lake at a glance."""

from __future__ import annotations

import datetime as dt
import sys
from typing import Annotated, Literal

import typer

from ..terminal import json_text
from ..without_pandas import leave_pandas_alone
from ..words import counted
from .common import DEFAULT_LAKE, LakeOption, print_text


def status(
    lake: LakeOption = DEFAULT_LAKE,
    days: Annotated[int, typer.Option(metavar="N", min=1, help="How many days to show, the newest first.")] = 7,
    dismiss: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="Show no more a file that was not read: its path, or all that are failed, empty, skipped; or all.",
        ),
    ] = None,
    output_format: Annotated[Literal["table", "json"], typer.Option("--format", help="Output format.")] = "table",
) -> None:
    """Show the days, gaps and size of the lake, and what to do.

    Days by report and system, gaps between the first and the last day, sizes, the last ingest, files with rejects or suspect
    pages, files that ingests did not read, until they are read or dismissed; and for what needs attention, the command for it. Exit code 1 if parts of the lake are damaged.

    \b
    Example:
      ironlake status --lake lake
      ironlake status --days 30 --format json
    """
    from ..status.gather import gather
    from ..status.text import as_text

    leave_pandas_alone()
    if dismiss:
        from ..lake.ledger import require_lake
        from ..lake.not_read import dismiss as dismiss_files

        print(f"dismissed: {counted(dismiss_files(require_lake(lake), dismiss), 'file')}", file=sys.stderr)
    found = gather(lake, days)
    if output_format == "json":
        print_text(json_text(found.as_dict(), indent=2))
    else:
        print_text(as_text(found, dt.datetime.now(dt.UTC).replace(tzinfo=None)))
    raise typer.Exit(found.exit_code)
