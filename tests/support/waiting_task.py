"""A task that waits until its executor is killed; sent to executors, which do not have the tests."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def first_waits(told: Path, do: Callable[[Piece], Result], piece: Piece) -> Result:
    """The first task of all writes its process id to a file and waits; others do their work, also in its place."""
    own = told.with_name(f"{os.getpid()}")
    own.write_text(str(os.getpid()))
    try:
        os.link(own, told)
    except FileExistsError:
        return do(piece)
    while os.getppid() != 1:
        time.sleep(0.05)
    raise SystemExit("the executor has ended")
