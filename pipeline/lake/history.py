"""The history of a lake: what each step of the ledger did, one row per source, or per merged table of a compaction.

A step keeps its own events. A checkpoint keeps those of all steps before it, because the steps themselves are removed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from .state import SourceEntry

STUDY = "study"


@dataclass(frozen=True)
class Event:
    """`rows`: how many rows came (ingested, added, compacted) or went. `what`: details in words. `step` and `at` (UTC, ISO) are set by
    the step; a step of 0 is not known."""

    action: str
    source_file: str = ""
    source_id: str = ""
    rows: int = 0
    what: str = ""
    step: int = 0
    at: str = ""


_OF_A_STEP = [f.name for f in fields(Event) if f.name not in ("step", "at")]


def event_of(action: str, entry: SourceEntry, what: str = "", rows: int | None = None) -> Event:
    return Event(action, entry.source_file, entry.source_id, sum(entry.rows.values()) if rows is None else rows, what)


def came(entry: SourceEntry) -> Event:
    """The event of a source that a step adds; of a failed one it is that it went."""
    if entry.status == "failed":
        return event_of("damaged", entry)
    return event_of("added" if entry.form == STUDY else entry.status, entry)


def records(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Events as a step keeps them."""
    return [{name: getattr(e, name) for name in _OF_A_STEP} for e in events]


def events_of(step: dict[str, Any]) -> list[Event]:
    """The events of a step. Raises KeyError, TypeError or ValueError for a step that Ironlake does not write."""
    found = [Event(**{name: record[name] for name in _OF_A_STEP}) for record in step["events"]]
    for event in found:
        _require_its_types(event)
    return [replace(event, step=step["step"], at=step["at"]) for event in found]


def _require_its_types(event: Event) -> None:
    if type(event.rows) is not int or not all(isinstance(getattr(event, n), str) for n in _OF_A_STEP if n != "rows"):
        raise ValueError(f"has an event that Ironlake does not write: {event}")


def compacted(table: str, parts: int) -> str:
    return f"{table}: {parts} parts into 1"


def from_sources(entries: Iterable[SourceEntry]) -> list[Event]:
    """What the sources of a state tell of steps that are not known any more."""
    known = sorted(entries, key=lambda e: e.committed_at)
    return [replace(came(entry), at=entry.committed_at) for entry in known]
