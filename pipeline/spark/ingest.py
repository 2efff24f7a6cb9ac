"""Ingest on Spark: tasks read batches and write parts; this process plans, and alone commits."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from ..declaration.reading_options import Options
from ..errors import IronlakeError
from ..ingest.batches import Batch, SourceRange
from ..ingest.ingest import BatchResult, read_batch
from ..lake.writer import PartWriter
from ..storage.address import is_address
from ..waiting import made
from .session import spark_context
from .waves import Waves

_SHARED = "a folder that all machines share at the same path, or object storage"


class SparkReaders:
    """The processes of Spark's executors, in place of those of this machine."""

    def __init__(self, master: str | None, verbose: bool, lake: Path, options: Options, strict: bool):
        self._master, self._verbose = master, verbose
        self._read = partial(_read, lake if is_address(lake) else lake.absolute(), options, strict)
        self._end = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as end:
            context = end.enter_context(spark_context(self._master, self._verbose))
            self._waves: Waves[Batch] = Waves(
                context, self._read, "reading on Spark failed", _packed, Batch.without_text
            )
            self._end = end.pop_all()
        return self

    def run(self, tasks: Iterator[Batch]) -> Iterator[tuple[Batch, Future[BatchResult]]]:
        for batch, result in self._waves.run(tasks):
            yield batch, made(_seen(batch, result))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._waves.close(is_failed=kind is not None)
        # Spark may know better why it failed.
        self._end.__exit__(kind, error, at)


def _packed(batch: Batch) -> Batch:
    """A batch as it is sent. What was unpacked on this machine goes along; all else is read again where it is read."""
    return batch._replace(ranges=tuple(map(_packed_range, batch.ranges)))


def _packed_range(source_range: SourceRange) -> SourceRange:
    source = source_range.source.without_text()
    if source.spooled:
        return source_range._replace(source=source, chunk=source_range.read(), split=None)
    path = Path(os.path.abspath(source.path))
    return source_range._replace(source=source._replace(path=path), chunk=None, split=None)


class _Unseen(NamedTuple):
    """A file that an executor does not find."""

    host: str
    sha256: str


def _read(lake: Path, options: Options, strict: bool, batch: Batch) -> BatchResult | _Unseen:
    """Runs on an executor."""
    writer = PartWriter(lake)
    if not writer.exists():
        raise IronlakeError(f"executor {socket.gethostname()} does not see the lake {lake}", _SHARED)
    for each in batch.ranges:
        if each.chunk is None and not each.source.path.exists():
            return _Unseen(socket.gethostname(), each.source.sha256)
    return read_batch(writer.write_batch, options, strict, batch)


def _seen(batch: Batch, found: BatchResult | _Unseen) -> BatchResult:
    """What was read, or that a file is gone. Raises IronlakeError if it is not gone here."""
    if isinstance(found, BatchResult):
        return found
    source = next(each.source for each in batch.ranges if each.source.sha256 == found.sha256)
    if source.path.exists():
        raise IronlakeError(f"executor {found.host} does not see {os.path.abspath(source.path)}", _SHARED)
    return BatchResult(errors={source.sha256: str(IronlakeError(f"{source.source_file} can no longer be read"))})
