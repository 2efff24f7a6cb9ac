"""What happened to a lake, and when."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import DEFAULT_LAKE, FormatOption, LakeOption, write_answer


def history(
    lake: LakeOption = DEFAULT_LAKE,
    last: Annotated[
        int | None, typer.Option(metavar="N", min=1, show_default="all", help="Only the newest N events.")
    ] = None,
    output_format: FormatOption = "table",
) -> None:
    """Show what was ingested, replaced or removed, and when.

    One row per source and step of the ledger (compactions too), the oldest first; times are UTC. ironlake docs lake explains the actions.

    \b
    Example:
      ironlake history --last 20
    """
    from ..lake.show_history import history_of

    write_answer(history_of(lake, last).to_reader(), output_format)
