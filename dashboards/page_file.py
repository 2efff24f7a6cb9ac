"""The file of a page: which files it may replace, and how it is written. Separate from the making of pages, which loads
more modules."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..pipeline.errors import IronlakeError, UsageError

# The mark near the top of page.html.
_MARK, _MARK_WITHIN = b'<meta name="generator" content="Ironlake">', 1 << 12


@dataclass(frozen=True)
class Output:
    """Where a page goes: its file, an optional folder for chart files, an optional PDF, and an optional template for
    its top. `force`: overwrite any file; otherwise only files that Ironlake wrote. `is_static`: without plotly.js.
    `command` makes the page again, and `lake` is the name of the lake: both are at the foot of the page. `written` is
    called with the page once the file is there."""

    page: Path
    pictures: Path | None = None
    template: Path | None = None
    force: bool = False
    command: str = ""
    lake: str = ""
    written: Callable[[str], None] = lambda page: None
    is_static: bool = False
    pdf: Path | None = None


def require_own(out: Output) -> None:
    """Raise UsageError if a file that Ironlake did not write is in the place of the page."""
    if out.force or not out.page.is_file():
        return
    try:
        with out.page.open("rb") as file:
            is_own = _MARK in file.read(_MARK_WITHIN)
    except OSError as error:
        raise IronlakeError(
            f"{out.page} cannot be read: {error.strerror}", "a new file, or a page to replace"
        ) from None
    if not is_own:
        what = f"{out.page} is not a page that Ironlake wrote"
        raise UsageError(what, "a new file, or a page to replace", "choose another --out, or --force to overwrite it")


def write(page: str, out: Path) -> None:
    """Write a page completely or not at all. Raises IronlakeError if the file cannot be written, or is a device, a FIFO
    or a folder."""
    partial = out.with_name(out.name + ".partial")
    try:
        if out.exists() and not out.is_file():
            raise IronlakeError(f"{out} is not a regular file", "a file name in a writable folder")
        out.parent.mkdir(parents=True, exist_ok=True)
        # A file of this name is left from a killed command, or is a link that leads elsewhere.
        partial.unlink(missing_ok=True)
        try:
            with partial.open("x", encoding="utf-8") as file:
                file.write(page)
            os.replace(partial, out)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise IronlakeError(f"{out} cannot be written: {error.strerror}", "a file name in a writable folder") from None
