"""A lake that may change meanwhile: who asks sees the newest state."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..lake.ledger import require_lake
from ..sql.open_lake import OpenLake, open_lake


class _Held:
    """An open lake, and how many questions read it."""

    def __init__(self, lake: OpenLake, step: int):
        self.lake, self.step, self.readers = lake, step, 0


class NewestLake:
    """A lake, opened again when it has a newer step; the older one is closed after its last question. Raises UsageError where there is none."""

    def __init__(self, path: Path, memory: str):
        self._path, self._memory = path, memory
        self._lock = threading.Lock()
        self._held = self._open()

    def _open(self) -> _Held:
        # Asked first: a commit while the lake is opened is one more.
        step = require_lake(self._path).newest_known()
        return _Held(open_lake(self._path, self._memory), step)

    @contextmanager
    def __call__(self) -> Iterator[OpenLake]:
        with self._lock:
            if require_lake(self._path).newest_known() != self._held.step:
                before, self._held = self._held, self._open()
                if not before.readers:
                    before.lake.close()
            held = self._held
            held.readers += 1
        try:
            yield held.lake
        finally:
            with self._lock:
                held.readers -= 1
                if held is not self._held and not held.readers:
                    held.lake.close()

    def close(self) -> None:
        self._held.lake.close()
