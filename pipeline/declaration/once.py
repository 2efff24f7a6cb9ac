"""What counts once of what a table prints again."""

from __future__ import annotations

from ..frozen import frozen


@frozen()
class Once:
    """How the prints of a key become one row. Columns are named with blanks between them."""

    compared: str = ""
    """Columns: prints that differ in one are conflicting. Empty: all that is printed."""
    more: str = ""
    """Columns of the key beside the declared ones."""
    less: str = ""
    """Columns that are declared of the key, and do not tell facts apart."""
    where: str = ""
    """Which rows have facts, in SQL."""
    most: str = ""
    """Columns of which the largest print counts."""
    known: str = ""
    """Columns that some prints leave out: the value of the others, NULL where these differ."""
    or_null: bool = False
    """A compared column is NULL where prints differ in it, or in interval_s if that is compared; else as first printed."""
