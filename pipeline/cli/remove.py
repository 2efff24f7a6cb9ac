"""Take sources, reports and old intervals out of a lake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..errors import UsageError
from ..terminal import json_text
from ..words import counted
from .arguments import parse_moment
from .common import DEFAULT_LAKE, LakeOption, print_text
from .completion import report_names, sources_of_lake

if TYPE_CHECKING:
    from ..lake.removal import Removal

_MOST_LISTED = 20
_EXAMPLE = "for example ironlake remove --before 2026-01-01 --dry-run"


def remove(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            help="Files as given to ingest, the end of their path, or source_ids.",
            autocompletion=sources_of_lake,
        ),
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    before: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Rows of intervals that ended by this time, local as printed."),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Rows of this report; ironlake describe lists the reports.",
            autocompletion=report_names,
        ),
    ] = None,
    expired: Annotated[
        bool, typer.Option("--expired", help="What is older than the settings of the lake keep; alone.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, and change nothing.")] = False,
    output_format: Annotated[Literal["table", "json"], typer.Option("--format", help="Output format.")] = "table",
) -> None:
    """Remove sources, a report or old intervals from the lake.

    Given together, SOURCE, --before and --report remove only rows that meet all of them. A source without any row of a
    report left goes as a whole. What goes is printed first; it is one step: readers see the lake before or after it. To
    ingest a file again brings back what was removed of it.

    \b
    Example:
      ironlake remove --before 2026-01-01 --dry-run
      ironlake remove reports/monday.txt
    """
    from ..lake.ledger import require_lake

    if expired and (sources or before is not None or report is not None):
        raise UsageError("--expired is given with a selection", "--expired without SOURCE, --before and --report")
    if not (expired or sources or before is not None or report is not None):
        raise UsageError("nothing is selected", "SOURCE, --before DATE, --report NAME or --expired", _EXAMPLE)
    moment = None if before is None else parse_moment("--before", before)
    if report is not None:
        _require_report(report)
    from ..lake.lake import Lake
    from ..lake.named_sources import find_sources
    from ..lake.removal import Selection, planned
    from ..lake.settings import by_table, limits_of

    ledger = require_lake(lake)
    if expired:
        selection = Selection(expired=by_table(limits_of(ledger)))
    else:
        selection = Selection(find_sources(ledger.state(), sources) if sources else None, report, moment)
    as_table = output_format == "table"
    told: list[Removal] = []

    def tell(removal: Removal) -> None:
        told.append(removal)
        if as_table:
            print_text(_as_text(removal, dry_run))

    step = 0
    if dry_run:
        tell(planned(ledger, selection))
    else:
        with Lake(lake) as target:
            step = target.remove(selection, tell)
    if not as_table:
        print_text(json_text(_as_dict(told[0], dry_run, step), indent=2))
    elif step:
        undone = "ironlake undo brings the rows back until the next change; after that, ingest the files again"
        print_text(f"removed in step {step} of the ledger; {undone}")


def _require_report(name: str) -> None:
    import difflib

    from ..declaration.report import reports

    if name in reports():
        return
    of_table = next((r.name for r in reports().values() if name in [t.name for t in r.tables]), None)
    near = [of_table] if of_table else difflib.get_close_matches(name, reports(), n=3)
    hint = f"{name} is a table of report {of_table}" if of_table else f"near names: {', '.join(near)}" if near else ""
    raise UsageError(f"no report is called {name}", f"one of {', '.join(reports())}", hint)


def _as_dict(removal: Removal, dry_run: bool, step: int) -> dict[str, Any]:
    """The removal as --format json prints it."""
    intervals = removal.intervals
    return {
        "dry_run": dry_run,
        "step": step or None,
        "sources": [
            {
                "source_id": e.source_id,
                "path": e.source_file,
                "removed": "part" if e in removal.changed else "all",
                "rows": dict(sorted(removal.rows[e.source_id].items())),
            }
            for e in (*removal.whole, *removal.changed)
        ],
        "reports": removal.rows_by_report(),
        "rows": sum(rows.total() for rows in removal.rows.values()),
        "intervals": len(intervals),
        "first_start": min((s.isoformat() for s, _ in intervals if s), default=None),
        "last_end": max((e.isoformat() for _, e in intervals if e), default=None),
    }


def _as_text(removal: Removal, dry_run: bool) -> str:
    said = _as_dict(removal, dry_run, 0)
    if not said["sources"]:
        return "nothing to remove"
    lines = []
    for source in said["sources"][:_MOST_LISTED]:
        rows = sum(source["rows"].values())
        what = "whole" if source["removed"] == "all" else "in part, the source stays"
        lines.append(f"  {source['path']} ({source['source_id']}): {what}, {counted(rows, 'row')}")
    if (more := len(said["sources"]) - _MOST_LISTED) > 0:
        lines.append(f"  and {more:,} more; --format json lists all")
    whole = len(removal.whole)
    by_report = ", ".join(f"{name} {rows:,}" for name, rows in said["reports"].items())
    between = f" from {said['first_start']} to {said['last_end']}" if said["first_start"] and said["last_end"] else ""
    return "\n".join(
        [
            "would remove:" if dry_run else "removing:",
            *lines,
            f"sources: {whole:,} whole, {len(removal.changed):,} in part",
            f"rows: {said['rows']:,}" + (f" ({by_report})" if by_report else ""),
            f"intervals: {said['intervals']:,}{between}",
            *(["nothing was changed (--dry-run)"] if dry_run else []),
        ]
    )
