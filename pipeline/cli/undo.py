"""Undo the newest change of a lake."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..terminal import json_text
from .common import DEFAULT_LAKE, LakeOption, print_text

if TYPE_CHECKING:
    from ..lake.undo import Undoing

_MOST_LISTED = 20


def undo(
    lake: LakeOption = DEFAULT_LAKE,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be undone, and change nothing.")] = False,
    output_format: Annotated[Literal["table", "json"], typer.Option("--format", help="Output format.")] = "table",
) -> None:
    """Undo the last ingest, removal or other change of the lake.

    Undoes the newest step of the ledger that is not a compaction, in a step of its own. A long ingest makes several steps:
    only the last is undone. A second undo reverses the first. What was removed can be brought back while its parts exist:
    an ingest deletes them an hour later.

    \b
    Example:
      ironlake undo --dry-run
      ironlake undo
    """
    from ..lake.lake import Lake
    from ..lake.ledger import require_lake
    from ..lake.undo import planned_undo

    ledger = require_lake(lake)
    as_table = output_format == "table"
    told: list[Undoing] = []

    def tell(undoing: Undoing) -> None:
        told.append(undoing)
        if as_table:
            print_text(_as_text(undoing, dry_run))

    step = None
    if dry_run:
        tell(planned_undo(ledger))
    else:
        with Lake(lake) as target:
            step = target.undo(tell)
    if not as_table:
        did = [asdict(event) for event in told[0].did]
        rows = {"came_back": _total(told[0], 1), "gone": _total(told[0], -1)}
        found = {"dry_run": dry_run, "step": step, "undone_step": told[0].step, "rows": rows, "did": did}
        print_text(json_text(found, indent=2))
    elif step:
        print_text(f"undone in step {step} of the ledger; a second ironlake undo reverses that")


def _as_text(undoing: Undoing, dry_run: bool) -> str:
    lines = [
        f"  {e.action.replace('_', ' ')}: {e.source_file} ({_rows(undoing.rows[e.source_id])})"
        for e in undoing.did[:_MOST_LISTED]
    ]
    if (more := len(undoing.did) - _MOST_LISTED) > 0:
        lines.append(f"  and {more:,} more; --format json lists all")
    head = f"{'would undo' if dry_run else 'undoing'} step {undoing.step} of {undoing.did[0].at[:19]} UTC:"
    return "\n".join([head, *lines, *(["nothing was changed (--dry-run)"] if dry_run else [])])


def _rows(more: int) -> str:
    """What an undo does to the rows of a source.

    >>> _rows(1_988), _rows(-1), _rows(0)
    ('1,988 rows come back', '1 row goes', 'no rows change')
    """
    if not more:
        return "no rows change"
    does = ("comes back" if more > 0 else "goes") if abs(more) == 1 else ("come back" if more > 0 else "go")
    return f"{abs(more):,} row{'' if abs(more) == 1 else 's'} {does}"


def _total(undoing: Undoing, sign: int) -> int:
    return sum(max(0, more * sign) for more in undoing.rows.values())
