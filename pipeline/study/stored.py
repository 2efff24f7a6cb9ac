"""The studies of a lake: which there are, and how one is removed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from ..errors import UsageError
from ..lake.history import STUDY
from ..lake.lake import Lake
from ..lake.ledger import SourceEntry, State, require_lake
from ..lake.removal import Selection

_SCHEMA = pa.schema(
    [
        ("study", pa.string()),
        ("configurations", pa.int64()),
        ("runs", pa.int64()),
        ("source_file", pa.string()),
        ("added_at", pa.timestamp("us")),
    ]
)


def name_of(entry: SourceEntry) -> str:
    """The name of a study: the key of its source is study=NAME|content=DIGEST|reader=N."""
    return entry.options_key.removeprefix("study=").rpartition("|content=")[0]


def stored_studies(state: State) -> list[SourceEntry]:
    """The entries of the studies, by name."""
    return sorted((e for e in state.sources.values() if e.form == STUDY and e.status != "failed"), key=name_of)


def list_studies(lake: Path) -> pa.Table:
    """One row per study, by name. Raises UsageError where there is no lake."""
    rows = [
        {
            "study": name_of(entry),
            "configurations": entry.rows.get("study_configuration", 0),
            "runs": entry.rows.get("study_step", 0),
            "source_file": entry.source_file,
            "added_at": datetime.fromisoformat(entry.committed_at).replace(microsecond=0),
        }
        for entry in stored_studies(require_lake(lake).state())
    ]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def remove_studies(lake: Path, names: Sequence[str]) -> int:
    """Remove studies in one step of the ledger; returns its number. Raises UsageError for a name of none; then none is removed."""
    there = {name_of(entry): entry.source_id for entry in stored_studies(require_lake(lake).state())}
    for name in names:
        if name not in there:
            near = difflib.get_close_matches(name, there, n=3)
            hint = f"near names: {', '.join(near)}" if near else "ironlake study list shows the studies"
            raise UsageError(f"no study in the lake is called {name}", "the name of a study", hint)
    with Lake(lake) as target:
        return target.remove(Selection(frozenset(there[name] for name in names)))
