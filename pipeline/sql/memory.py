"""How much memory DuckDB may take; rows beyond it are spilled to a private folder."""

from __future__ import annotations

import re

from ..errors import UsageError

_BYTES = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?([KMGT]I?B)", re.IGNORECASE)
# With less DuckDB cannot even begin with most queries.
_LEAST = 100 * 10**6
# Of the machine, or of what a container may take, where nobody says it: libraries, and the answer, come on top.
DEFAULT_MEMORY = "60%"


def memory_limit(text: str | None) -> str | None:
    """A size as DuckDB takes it; None is `DEFAULT_MEMORY`. Raises UsageError for a text that is no size.

    >>> memory_limit("1.5 GB"), memory_limit("2GiB")
    ('1500000000B', '2147483648B')
    """
    if text is None:
        return None
    if not (found := _SIZE.fullmatch(text.strip())):
        raise UsageError(
            f"{text!r} is not a size of memory", "a number and MB, GB, MiB or GiB", "for example --memory 4GB"
        )
    size = int(float(found[1]) * _BYTES[found[2].upper()])
    if size < _LEAST:
        raise UsageError(f"{text} of memory is too little for a query", "100MB or more")
    return f"{size}B"


def memory_bytes(limit: str | None) -> int | None:
    """The size of what `memory_limit` gave.

    >>> memory_bytes("1500000000B"), memory_bytes(None)
    (1500000000, None)
    """
    return int(limit.removesuffix("B")) if limit else None
