"""Sources by the names that people give them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from posixpath import normpath

from ..errors import UsageError
from .state import SourceEntry, State

_MOST_LISTED = 10


def find_sources(state: State, names: Iterable[str]) -> frozenset[str]:
    """The ids of the sources with these names: an id, the file as it was given to ingest, or the end of its path.

    Raises UsageError for a name of none, or of several sources."""
    there = [e for e in state.sources.values() if e.status != "failed"]
    return frozenset(_find(there, name) for name in names)


def _find(there: list[SourceEntry], name: str) -> str:
    wanted = normpath(name)
    found = (
        [e for e in there if e.source_id == name]
        or [e for e in there if normpath(e.source_file) == wanted]
        or [e for e in there if normpath(e.source_file).endswith(f"/{wanted}")]
    )
    if not found:
        near = difflib.get_close_matches(name, [e.source_file for e in there], n=3)
        hint = 'ironlake sql "SELECT source_id, source_file FROM ingest_file" lists the sources'
        raise UsageError(
            f"no source in the lake is called {name}",
            "a source_id, or a file as it was given to ironlake ingest",
            (f"near names: {', '.join(near)}; " if near else "") + hint,
        )
    if len(found) > 1:
        listed = [f"  {e.source_id}  {e.source_file}  ingested {e.committed_at[:19]} UTC" for e in found[:_MOST_LISTED]]
        more = [f"  and {len(found) - _MOST_LISTED:,} more"] if len(found) > _MOST_LISTED else []
        what = "\n".join([f"{len(found):,} sources in the lake are called {name}:", *listed, *more])
        raise UsageError(what, hint="give the source_id")
    return found[0].source_id
