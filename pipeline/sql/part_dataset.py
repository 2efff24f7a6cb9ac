"""The parts of a table as an Arrow dataset: a part is opened, and looked at for damage, when it is first read. What the ledger says of the
times in each lets a question about a day leave the parts of other days alone."""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads

from ..errors import IronlakeError
from ..lake.state import Part
from ..storage.arrow_files import file_system, path_in
from ..storage.storage import Storage

_STAMP = pa.timestamp("us")
_BOUNDS = (("interval_start", "first_time", "last_start"), ("interval_end", "first_end", "last_time"))
# What was said of parts that cannot be read. DuckDB makes words of it.
_REFUSED: deque[IronlakeError] = deque(maxlen=16)


class PartDataset(pads.FileSystemDataset):
    """`look` raises IronlakeError for files that are not as they were written; each is given to it once, before it is read."""

    _look: Callable[[Sequence[pads.ParquetFileFragment]], None]
    _looked_at: set[str]
    _inside: pc.Expression | None
    _parts: dict[str, Part]

    @classmethod
    def of(
        cls,
        files: Storage,
        parts: Sequence[Part],
        schema: pa.Schema,
        look: Callable[[Sequence[pads.ParquetFileFragment]], None],
    ) -> PartDataset:
        options = pads.ParquetFragmentScanOptions(page_checksum_verification=True)
        form, system = pads.ParquetFileFormat(default_fragment_scan_options=options), file_system(files)
        # The declared schema is given, so no file is opened before it is read; columns that an older part lacks are NULL.
        fragments = [
            form.make_fragment(path_in(files, part.path), system, partition_expression=_times(part)) for part in parts
        ]
        made = cls(fragments, schema, form, system)
        made._look, made._looked_at, made._inside = look, set(), None
        made._parts = {path_in(files, part.path): part for part in parts}
        return made

    def of_sources(self, source_ids: frozenset[str]) -> PartDataset:
        """The parts that have rows of some sources, as the ledger says."""
        near = [f for f in super().get_fragments() if not source_ids.isdisjoint(self._parts[f.path].source_ids)]
        return self._like(near, self._inside)

    def _like(self, fragments: Sequence[Any], inside: pc.Expression | None) -> PartDataset:
        made = PartDataset(fragments, self.schema, self.format, self.filesystem)
        made._look, made._looked_at, made._inside, made._parts = self._look, self._looked_at, inside, self._parts
        return made

    def get_fragments(self, filter: pc.Expression | None = None) -> Iterator[Any]:
        """The files that may have rows for which a condition holds."""
        found = list(super().get_fragments(self._both(filter)))
        if new := [fragment for fragment in found if fragment.path not in self._looked_at]:
            try:
                self._look(new)
            except IronlakeError as error:
                _REFUSED.append(error)
                raise
            self._looked_at.update(fragment.path for fragment in new)
        return iter(found)

    def scanner(self, *, filter: pc.Expression | None = None, **options: Any) -> pads.Scanner:
        both = self._both(filter)
        near = pads.FileSystemDataset([*self.get_fragments(filter)], self.schema, self.format, self.filesystem)
        return near.scanner(filter=both, **options)

    def filter(self, expression: pc.Expression) -> PartDataset:
        return self._like([*super().get_fragments()], self._both(expression))

    def _both(self, filter: pc.Expression | None) -> pc.Expression | None:
        if self._inside is None or filter is None:
            return filter if self._inside is None else self._inside
        return self._inside & filter


def _times(part: Part) -> pc.Expression:
    """What the ledger knows of all rows of a part. Times may be NULL, which no bound excludes."""
    found = pc.scalar(True)
    for column, first, last in _BOUNDS:
        time = pc.field(column)
        if earliest := getattr(part, first):
            found &= (time >= _stamp(earliest)) | time.is_null()
        if latest := getattr(part, last):
            found &= (time <= _stamp(latest)) | time.is_null()
    return found


def _stamp(time: str) -> pa.Scalar:
    return pa.scalar(dt.datetime.fromisoformat(time), _STAMP)


def refused(error: Exception) -> IronlakeError | None:
    """What was said of a part, of which DuckDB's error has the words."""
    return next((each for each in _REFUSED if str(each) in str(error)), None)


def footers_of(fragments: Sequence[pads.ParquetFileFragment], schema: pa.Schema) -> Mapping[str, Any]:
    """The footers of files, by path; they are kept for the queries."""
    # Reads all of them at once.
    pads.FileSystemDataset(fragments, schema, fragments[0].format, fragments[0].filesystem).count_rows()
    return {fragment.path: fragment.metadata for fragment in fragments}
