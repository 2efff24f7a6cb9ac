"""What the settings of a lake say, and setting them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..errors import UsageError
from .common import DEFAULT_LAKE, FormatOption, LakeOption, write_answer

_MOST_DIGITS = 6


def settings(
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=DAYS", help="Keep rows of a report for that many days, or all of them (NAME=all)."),
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: FormatOption = "table",
) -> None:
    """Show or set how long the lake keeps its rows.

    They are in settings.txt in the lake, a file to edit: keep: rmf_workload_activity 400 days, cell_null 30 days. Every
    ingest ends by removing older rows; ironlake remove --expired removes them at once, and with --dry-run lists them.

    \b
    Example:
      ironlake settings --lake lake
      ironlake settings --keep rmf_workload_activity=400 --keep cell_null=30
    """
    import pyarrow as pa

    from ..lake.ledger import require_lake
    from ..lake.settings import FILE, limits_of, set_limits

    if keep:
        set_limits(require_lake(lake), dict(map(_days_of, keep)))
    rows = [{"keep": m.name, "days": m.days, "removes_before": m.before} for m in limits_of(require_lake(lake))]
    schema = pa.schema([("keep", pa.string()), ("days", pa.int64()), ("removes_before", pa.timestamp("us"))])
    write_answer(pa.Table.from_pylist(rows, schema=schema).to_reader(), output_format)
    if not rows:
        print(
            f"all rows are kept; ironlake settings --keep NAME=DAYS, or {lake / FILE}, says otherwise", file=sys.stderr
        )


def _days_of(text: str) -> tuple[str, int | None]:
    """A name and how many days; None for all.

    >>> _days_of("cell_null=30"), _days_of("cell_null = all")
    (('cell_null', 30), ('cell_null', None))
    """
    name, _, days = (part.strip() for part in text.partition("="))
    if days == "all":
        return name, None
    if not (days.isascii() and days.isdigit() and len(days) <= _MOST_DIGITS):
        raise UsageError(f"--keep {text} cannot be read", "NAME=DAYS or NAME=all", "for example cell_null=30")
    return name, int(days)
