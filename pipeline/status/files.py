"""The files of a lake as its ledger has them, counted by columns: a large lake has hundreds of thousands, and few of them are named."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from ..declaration.bookkeeping import CELL_NULL
from ..declaration.reading_options import READER_VERSION
from ..lake.checkpoints import made, source_table
from ..lake.history import STUDY
from ..lake.state import SourceEntry, State, source_id_of
from ..plugins import reading_digest


@dataclass(frozen=True)
class SuspectFile:
    source_file: str
    rejects: int
    suspect_pages: int


class Files:
    """The files of a lake, without those that were removed, or of which all rows gave way; in the order of their commits."""

    def __init__(self, state: State):
        table = source_table(state)
        there = (_lengths(table["rows"]) > 0) | _is(table["removed"], "")
        # A filter copies: of a large lake that is a quarter of a gigabyte.
        self._table: pa.Table = table if there.all() else table.filter(pa.array(there))

    def __len__(self) -> int:
        return len(self._table)

    def total(self, column: str) -> int:
        return int(self._table[column].to_numpy().sum())

    def _of(self, rows: np.ndarray, column: str) -> list[Any]:
        """The values of a column in rows that a mask chooses."""
        return self._table[column].filter(pa.array(rows)).to_pylist()

    @cached_property
    def last_ingest(self) -> tuple[dt.datetime, list[str]] | None:
        """The time (UTC) of the newest commit of files, and these."""
        if not len(self):
            return None
        last = max(self._table["committed_at"].unique().to_pylist())
        files = self._of(_is(self._table["committed_at"], last), "source_file")
        return dt.datetime.fromisoformat(last), files

    @cached_property
    def _suspects(self) -> pa.Table:
        rejects, pages = (self._table[name].to_numpy() for name in ("rejects", "suspect_pages"))
        wanted = self._table.select(["source_file", "rejects", "suspect_pages", "committed_at"])
        return wanted.filter(pa.array((rejects > 0) | (pages > 0)))

    @property
    def suspect_count(self) -> int:
        return len(self._suspects)

    def suspects(self, most: int) -> list[SuspectFile]:
        """Files with rejects or pages that break a rule, those ingested last first."""
        times = self._suspects["committed_at"].to_pylist()
        newest = sorted(range(len(times)), key=times.__getitem__, reverse=True)[:most]
        rows = self._suspects.drop_columns(["committed_at"]).take(pa.array(newest, pa.int64()))
        return [SuspectFile(**row) for row in rows.to_pylist()]

    @property
    def without_report(self) -> int:
        return int(_is(self._table["status"], "empty").sum())

    def without_rows_of(self, tables: Collection[str]) -> int:
        """How many were read, and have no row of any of the tables."""
        read = _is(self._table["status"], "ingested") & ~_is(self._table["form"], STUDY)
        return int((read & ~_has_one_of(self._table["rows"], tables)).sum())

    @property
    def of_older_reader(self) -> int:
        """How many another version of the reader read, which have cells that are empty for a reason; all that other plugins read."""
        older = ~_is(self._table["reader_version"], READER_VERSION)
        return int((older & (bool(reading_digest()) | _has_one_of(self._table["rows"], [CELL_NULL.name]))).sum())

    @cached_property
    def lost(self) -> list[str]:
        """Those whose rows a repair removed."""
        return self._of(_is(self._table["status"], "failed"), "source_file")

    def in_conflict(self) -> list[SourceEntry]:
        """Those with other values than others, these others, and whatever has the name of one of them."""
        told = _lengths(self._table["other_values"]) > 0
        if not told.any():
            return []
        others = {pair["table"].partition(" ")[0] for pairs in self._of(told, "other_values") for pair in pairs}
        keys = zip(*(self._table[name].to_pylist() for name in ("sha256", "options_key")), strict=True)
        found = told | np.fromiter((source_id_of(*key) in others for key in keys), bool, len(self))
        names = self._table["source_file"].filter(pa.array(found)).unique()
        return made(self._table.filter(pa.array(_is_in(self._table["source_file"], names))), SourceEntry)


def _lengths(lists: Any) -> np.ndarray:
    return _computed("list_value_length", lists)


def _is(column: Any, text: str) -> np.ndarray:
    return _computed("equal", column, pa.scalar(text))


def _is_in(column: Any, texts: pa.Array) -> np.ndarray:
    import pyarrow.compute as pc

    return _computed("is_in", column, options=pc.SetLookupOptions(texts))


def _has_one_of(rows: Any, tables: Collection[str]) -> np.ndarray:
    """Of each list of tables and numbers of rows, whether it has rows of one of some tables."""
    lists = rows.combine_chunks()
    names, counts = lists.flatten().flatten()
    is_one = _is_in(names, pa.array(sorted(tables), pa.string())) & (counts.to_numpy() > 0)
    found = np.zeros(len(lists), bool)
    found[_computed("list_parent_indices", lists)[is_one]] = True
    return found


def _computed(function: str, *values: Any, options: Any = None) -> np.ndarray:
    import pyarrow.compute as pc

    found = pc.call_function(function, [*values], options)
    return found.to_numpy() if isinstance(found, pa.ChunkedArray) else found.to_numpy(zero_copy_only=False)
