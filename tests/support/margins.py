"""Pages moved to the right and back, and all that a page gives."""

from __future__ import annotations

from ironlake.pipeline.reading.engine import read_text
from sample_pages import row_lines


def without_control(text: str) -> str:
    """The page as lines without carriage control (one published page keeps it)."""
    lines = text.splitlines()
    if lines[0].startswith("1"):
        lines = [line[1:] for line in lines]
    return "\n".join(lines) + "\n"


def with_margin(text: str, columns: int) -> str:
    return "".join(" " * columns + line + "\n" for line in without_control(text).splitlines())


def without_margin(text: str) -> str:
    """Every line moved left by the blanks that all lines share."""
    lines = without_control(text).splitlines()
    shared = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "".join(line[shared:] + "\n" for line in lines)


def values_of(text: str | bytes) -> list[str]:
    """All rows of all tables."""
    return row_lines(read_text(text))
