"""Questions on Spark: tasks make the rows of views, each of some days; this process asks its question of these."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Self

from ..declaration.bookkeeping import INGEST_FILE
from ..lake.state import State
from ..sql.open_lake import OpenLake
from ..sql.shards import ShardRows
from ..storage.address import is_address
from .session import spark_context
from .waves import Waves


class SparkShards:
    """The executors of Spark, in place of threads of this process."""

    def __init__(self, master: str | None, verbose: bool):
        self._master, self._verbose = master, verbose
        self._end = ExitStack()

    def __enter__(self) -> Self:
        # It begins with the first rows that are asked for: most wrong questions are found before.
        return self

    @cached_property
    def _context(self):
        return self._end.enter_context(spark_context(self._master, self._verbose))

    def made(self, lake: OpenLake, shards: Sequence[ShardRows]) -> Iterator[bytes]:
        """Each as a Parquet file, in order."""
        make = partial(_made, _LakeOfTasks(lake, sorted({name for rows in shards for name in rows.behind})))
        waves: Waves[ShardRows] = Waves(self._context, make, "the question failed on Spark")
        is_failed = True
        try:
            for _, content in waves.run(iter(shards)):
                yield content
            is_failed = False
        finally:
            waves.close(is_failed)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # Spark may know better why it failed.
        self._end.__exit__(kind, error, at)


class _LakeOfTasks:
    """An open lake as tasks open it: with what this process knows of it, so that all see the same step. Can be pickled."""

    def __init__(self, lake: OpenLake, behind: Sequence[str]):
        self._path: Path = lake.path if is_address(lake.path) else lake.path.absolute()
        # Which sources a part has is asked for by nobody here, and they may be thousands.
        parts = (replace(part, source_ids=()) for name in behind for part in lake.state.parts_of(name))
        sources = dict(lake.state.sources.items()) if INGEST_FILE.name in behind else {}
        self._state = State(lake.state.step, sources, {part.path: part for part in parts})

    def opened(self) -> OpenLake:
        return OpenLake(self._path, state=self._state)


def _made(lake: _LakeOfTasks, rows: ShardRows) -> bytes:
    """Runs on an executor."""
    file = io.BytesIO()
    # Closed after each task: nobody tells a process of an executor that it was the last.
    with lake.opened() as opened:
        rows.write(opened, file, threads=1)
    return file.getvalue()
