"""The intervals of a lake, kept in it (lake/kept_files.py) as long as it has the same parts."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..lake.kept_files import KeptFiles, digest_of, part_identity
from ..lake.parts import PartStore
from ..lake.state import State
from ..storage.storage import storage_at
from .calendar import Calendar
from .coverage import Intervals, Place, read_intervals, tables_read

_PLACES = b"places"


def kept_calendar(lake: Path, state: State) -> Calendar:
    """The calendar of a lake in a state, from what was kept where the lake is as it was before: else millions of rows are read."""
    return Calendar(_intervals(PartStore(storage_at(lake)), state))


def _intervals(store: PartStore, state: State) -> Intervals:
    kept, read = KeptFiles(store.files), tables_read()
    parts = [part_identity(part) for part in state.parts.values() if part.table in read]
    name = f"all-intervals-{digest_of([version('ironlake'), str(read), parts])}"
    if (rows := kept.read(name)) is not None:
        places = [Place(*words) for words in json.loads(rows.schema.metadata[_PLACES])]
        return Intervals(places, *(rows[column].to_numpy() for column in ("place", "start", "end")))
    found = read_intervals(store, state)
    columns = {"place": found.place, "start": found.start, "end": found.end}
    rows = pa.table({column: pa.array(np.ascontiguousarray(values)) for column, values in columns.items()})
    kept.write(name, rows.replace_schema_metadata({_PLACES: json.dumps(found.places)}))
    kept.remove_others({name})
    return found
