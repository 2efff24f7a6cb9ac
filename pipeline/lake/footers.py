"""What the footer of a part says, against the ledger and the declarations: a digest shows that a part is as it was written, not that
Ironlake wrote it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa

from .state import Part

# As for archives: whatever unpacks to more than this must be a thousandth of it at least.
_UNPACKED_BYTES, _MOST_TIMES = 256 << 20, 1000
# A footer has some hundred bytes a column and row group, and a line for each source.
MOST_FOOTER_BYTES = 64 << 20


def contradiction(part: Part, metadata: Any) -> str:
    """What in a footer is not as the ledger or a declaration says; an empty text if all is well."""
    if metadata.num_rows != part.rows:
        return f"has {metadata.num_rows:,} rows instead of {part.rows:,}"
    if wrong := too_large(metadata, part.bytes):
        return wrong
    declared = _declared(part.table)
    found = metadata.schema.to_arrow_schema()
    if "source_id" not in found.names:
        return "has no column source_id"
    for field in found:
        # What another release declared and this one does not is not read.
        wanted = declared.field(field.name).type if field.name in declared.names else field.type
        if _kind(field.type) != _kind(wanted) and (_kind(field.type), _kind(wanted)) != ("integer", "number"):
            return f"has {field.type} in column {field.name}, which is {_kind(wanted)}"
    return ""


def too_large(metadata: Any, size: int) -> str:
    """Whether a part unpacks to far more than its own size."""
    unpacked = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
    if 0 <= unpacked <= max(_UNPACKED_BYTES, _MOST_TIMES * size):
        return ""
    return f"unpacks to {unpacked:,} bytes, more than {_MOST_TIMES:,} times its size"


def _kind(found: pa.DataType) -> str:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if pa.types.is_list(found) or pa.types.is_large_list(found):
        # Writers name the elements differently.
        return f"a list of {_kind(found.value_type)}"
    for is_kind, name in (
        (pa.types.is_string, "text"),
        (pa.types.is_large_string, "text"),
        (pa.types.is_integer, "integer"),
        (pa.types.is_floating, "number"),
        (pa.types.is_timestamp, "time"),
    ):
        if is_kind(found):
            return name
    return str(found)


@cache
def _declared(table: str) -> pa.Schema:
    from ..declaration.bookkeeping import stored_tables
    from ..declaration.study_tables import TABLES

    return next(t.schema for t in (*TABLES, *stored_tables().values()) if t.name == table)
