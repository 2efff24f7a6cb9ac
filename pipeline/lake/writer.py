"""Parts written by a process that does not commit: another one has the lake open, and commits them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from .ledger import Ledger
from .origin import Receipt
from .parts import PartStore
from .state import Part


class PartWriter:
    """Reads nothing of the ledger, unless a part of the same name and other content is there."""

    def __init__(self, lake: Path):
        self._ledger = Ledger(lake)
        self._store = PartStore(self._ledger.files)

    def exists(self) -> bool:
        """Whether this machine sees the lake."""
        return self._ledger.exists()

    def write_batch(
        self, tables: Mapping[str, pa.Table | tuple[pa.Table, pa.Schema]], receipts: Sequence[Receipt]
    ) -> list[Part]:
        """See PartStore.write_batch."""
        return self._store.write_batch(tables, receipts, lambda path: path in self._ledger.state().parts)
