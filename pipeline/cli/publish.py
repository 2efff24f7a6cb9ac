"""A lake for other engines."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..status_line import StatusLine
from ..words import counted
from .common import DEFAULT_LAKE, LakeOption, print_text


def publish(
    lake: LakeOption = DEFAULT_LAKE,
    output_format: Annotated[Literal["delta"], typer.Option("--format", help="Format of the logs.")] = "delta",
) -> None:
    """Write Delta logs of the tables for other engines.

    Each table gets a log in its folder, which names the parts that count now; no row is copied or moved. Publish again after
    an ingest or a removal: only what changed is added. Other engines see the step that was published last. They must only read:
    Ironlake alone writes the lake. Needs the extra delta.

    \b
    Example:
      ironlake publish --format delta --lake lake
    """
    from ..share.publish import publish as write_logs

    with StatusLine() as status:
        found = write_logs(lake, status.step)
    if not found.tables:
        print_text(f"{lake}: nothing to publish: no table has rows")
    elif not found.changes:
        print_text(f"{lake}: step {found.step} is published in {counted(found.tables, 'log')} already")
    else:
        added, removed = (sum(change[n] for change in found.changes.values()) for n in (0, 1))
        print_text(
            f"{lake}: published step {found.step}: {counted(found.tables, 'log')}, {counted(len(found.changes), 'log')}"
            f" changed, {counted(added, 'part')} added, {removed:,} removed"
        )
