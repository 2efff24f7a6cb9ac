"""What the settings of a lake say."""

from __future__ import annotations

import sys

from .common import DEFAULT_LAKE, FormatOption, LakeOption, write_answer


def settings(lake: LakeOption = DEFAULT_LAKE, output_format: FormatOption = "table") -> None:
    """Show how long the lake keeps its rows.

    They are in settings.txt in the lake, a file to edit: keep: rmf_workload_activity 400 days, cell_null 30 days. Every
    ingest ends by removing what is older; ironlake remove --expired does it at once, with --dry-run shows it.

    \b
    Example:
      ironlake settings --lake lake
    """
    import pyarrow as pa

    from ..lake.ledger import require_lake
    from ..lake.settings import FILE, limits_of

    rows = [{"keep": m.name, "days": m.days, "removes_before": m.before} for m in limits_of(require_lake(lake))]
    schema = pa.schema([("keep", pa.string()), ("days", pa.int64()), ("removes_before", pa.timestamp("us"))])
    write_answer(pa.Table.from_pylist(rows, schema=schema).to_reader(), output_format)
    if not rows:
        print(f"all rows are kept; {lake / FILE} says otherwise if it is there", file=sys.stderr)
