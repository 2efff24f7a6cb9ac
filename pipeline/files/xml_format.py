"""How the canonical lines of an XML document are written; see xml_lines.py for what they look like."""

from __future__ import annotations

from functools import lru_cache

_TAG_WIDTH = 10
NAME_WIDTH = 48
LEAST_WIDTH = 8
LEAST_OF_FIRST = 14
BAR = "|"


@lru_cache(maxsize=256)
def tag(name: str) -> str:
    return f"<{name}>".ljust(_TAG_WIDTH)


def variable(name: str, value: str) -> str:
    return f"{tag('var')} {name.ljust(NAME_WIDTH)} | {value}"


def row(name: str, cells: list[str], widths: list[int]) -> str:
    """Cells in columns of these widths. Those behind the last width have the least."""
    more = [LEAST_WIDTH] * (len(cells) - len(widths))
    padded = (cell.ljust(width) for cell, width in zip(cells, [*widths, *more], strict=False))
    return f"{tag(name)} {' | '.join(padded)}"


def widths_of(titles: list[str]) -> list[int]:
    """Of the cells below a heading."""
    least = (LEAST_OF_FIRST, *[LEAST_WIDTH] * len(titles))
    return [max(len(title), width) for title, width in zip(titles, least, strict=False)]
