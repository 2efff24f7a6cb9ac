"""Titles that only their order tells apart (COUNT RATE HITS RATE): a heading is read if all its titles are known, and in this order.

A title that is lost, added or moved past another would give each value behind it the name of its neighbour. So with any other titles no
row below the heading is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from .headings import HeadingColumn

Titles = tuple[tuple[str, str], ...]


def are_one_of(columns: Sequence[HeadingColumn], forms: Sequence[Titles]) -> bool:
    """Whether one of the forms lists all the titles of the columns, in this order. A title without a group stands under none; `*` is any
    number of titles of its group that no form lists."""
    known = {title for titles in forms for title in titles}

    def is_other(column: HeadingColumn) -> bool:
        return not any(column.title == title and column.under(group) for title, group in known)

    def are(titles: Titles) -> bool:
        open_groups = [group for title, group in titles if title == "*"]
        asked = [c for c in columns if not (is_other(c) and any(map(c.under, open_groups)))]
        wanted = [title for title in titles if title[0] != "*"]
        return len(asked) == len(wanted) and all(
            column.title == title and (column.under(group) if group else not column.groups)
            for column, (title, group) in zip(asked, wanted, strict=True)
        )

    return any(map(are, forms))


def number_equal(columns: Sequence[HeadingColumn]) -> None:
    """Number the columns with the same title and groups, from 1 at the left."""
    seen: Counter[tuple[str, ...]] = Counter()
    for column in columns:
        same = column.title, *column.groups
        seen[same] += 1
        column.nth = seen[same]


def in_words(titles: Titles) -> str:
    """Titles in a row, those of a group behind it.

    >>> in_words((("NAME", ""), ("COUNT", "READ"), ("RATE", "READ")))
    'NAME; READ: COUNT RATE'
    """
    groups = groupby(titles, key=lambda title: title[1])
    return "; ".join((f"{group}: " if group else "") + " ".join(title for title, _ in some) for group, some in groups)
