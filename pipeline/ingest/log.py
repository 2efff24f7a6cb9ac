"""The log of an ingest: one JSON object per file, one per line. A line is appended whole, so that several ingests may share a log."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from ..errors import IronlakeError, writing_to
from ..terminal import json_text
from .summary import FileResult


class IngestLog:
    """An open log; each line is one write. Raises IronlakeError if it cannot be written."""

    def __init__(self, path: Path, lake: Path):
        self._path, self._lake = path, str(lake)
        with writing_to(path):
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)

    def add(self, result: FileResult) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = json_text({"at": at, "lake": self._lake} | result.as_dict(), separators=(",", ":")) + "\n"
        content = line.encode("utf-8", "backslashreplace")
        with writing_to(self._path):
            written = os.write(self._descriptor, content)
        if written < len(content):
            raise IronlakeError(f"cannot write {self._path}: only {written} of {len(content)} bytes were written")

    def close(self) -> None:
        os.close(self._descriptor)

    def __enter__(self) -> IngestLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
