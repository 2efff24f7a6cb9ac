"""Modules whose compiled form is cut: Python writes what it compiled beside a module even while the disk is full, and fails on it at
every later start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb

from ..errors import IronlakeError


@contextmanager
def cut_modules_named() -> Iterator[None]:
    """Raise IronlakeError with the folder to remove where a module cannot be loaded as its compiled form is cut."""
    try:
        yield
    except EOFError as error:
        loads = (frame.f_locals for frame, _ in walk_tb(error.__traceback__) if frame.f_code.co_name == "get_code")
        cut = next((found["bytecode_path"] for found in loads if found.get("bytecode_path")), None)
        if cut is None:
            raise
        raise IronlakeError(
            f"{cut} is cut short, as when Python wrote it to a full disk; remove the folder {Path(cut).parent} and run the command again: "
            "Python writes it again"
        ) from error
