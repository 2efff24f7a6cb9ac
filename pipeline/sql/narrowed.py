"""A time of a lake: the same tables and views, over what was printed of it alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from typing import Self

import pyarrow as pa

from .answer import Result
from .part_rows import PartRows
from .session import Session
from .tables_inside import Tables, TablesInside, threads_for


class NarrowedLake:
    """What of an open lake was printed between two times. Without `start` all that was printed before `end`, with the rows of which no time is
    known; without `end` all after `start`. `once`: views that many others name, made once. `given`: the rows of views."""

    def __init__(
        self,
        lake: Tables,
        start: dt.datetime | None,
        end: dt.datetime | None,
        once: Collection[str] = (),
        given: Mapping[str, Callable[[], pa.Table | PartRows]] | None = None,
    ):
        self._lake = lake  # nobody else may hold it
        inside = TablesInside(lake.rows_of, [(start, end)])
        self._session = Session(
            inside.rows_of, memory=lake.memory, kept=once, given=given, files=lake.files(), threads=threads_for(lake)
        )

    def sql(self, text: str, parameters: Mapping[str, object] | None = None) -> Result:
        """Answer one SELECT statement, as OpenLake.sql does."""
        return Result(self, *self._session.relation(text, parameters), text)

    def close(self) -> None:
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
