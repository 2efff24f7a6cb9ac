"""Rows in memory, asked as an open lake is."""

from collections.abc import Mapping
from typing import Any

from ironlake.pipeline.sql.answer import Result
from views_lake import MemoryLake, Row


class Answering:
    def __init__(self, **rows: list[Row]):
        self._session = MemoryLake(**rows)._session

    def sql(self, text: str, parameters: Mapping[str, object] | None = None) -> Any:
        return Result(self, *self._session.relation(text, parameters), text)
