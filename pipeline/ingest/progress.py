"""A progress line on standard error: files, megabytes, rows, rejects. Only on a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from ..terminal import own_stream


class Progress:
    """The progress of an ingest. Does nothing unless `wanted` and standard error is a terminal."""

    def __init__(self, wanted: bool):
        self._bar: Any = None
        self._task: Any = None
        self._files = self._rows = self._rejects = self._expected = 0
        if wanted and sys.stderr and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeElapsedColumn, TransferSpeedColumn
            from rich.progress import Progress as Bar

            columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeElapsedColumn())
            # What others print meanwhile is not to pass by the escapes.
            console = Console(file=own_stream(sys.stderr))
            words = TextColumn("{task.description}")
            self._bar = Bar(
                *columns, words, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self._task = self._bar.add_task(self._words(), total=None)

    def _words(self) -> str:
        return f"{self._files} files, {self._rows} rows, {self._rejects} rejects"

    def expect(self, size: int) -> None:
        """Add the size of another source to the total."""
        self._expected += size
        if self._bar:
            self._bar.update(self._task, total=self._expected)

    def read(self, size: int, rows: int) -> None:
        """Advance by bytes read and rows found."""
        self._rows += rows
        if self._bar:
            self._bar.update(self._task, advance=size, description=self._words())

    def file(self, rejects: int) -> None:
        """Count a completed file."""
        self._files += 1
        self._rejects += rejects
        if self._bar:
            self._bar.update(self._task, description=self._words())

    def __enter__(self) -> Progress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()
