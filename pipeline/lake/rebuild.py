"""Rebuild the state of a lake whose ledger is damaged: what can still be read of the ledger, and what the parts say of themselves.

Nothing is guessed: a source is added only if all its batches and all their rows are there, in files that have their digest and that no step
dropped (part_files.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby

import pyarrow as pa
import pyarrow.parquet as pq

from .footers import contradiction, too_large
from .origin import Origin, Receipt, footer_of, is_signed, read_origin
from .part_files import dropped_parts, part_files
from .parts import PartStore, bounds_of, short_digest
from .state import Part, SourceEntry, State, failed

# Arrow raises an OSError for bytes in memory as well.
_NOT_PARQUET = (pa.ArrowException, OSError, UnicodeError)
_LINES = ("lines", "blank_lines", "claimed_lines", "unread_lines", "rejected_lines", "unknown_lines")
_COUNTS = (*_LINES, "pages", "rejects", "suspect_pages", "wrong_pages")


@dataclass
class Rebuilt:
    """`lost`: sources to ingest again. `unknown`: paths of parts with rows of sources that are not in the state."""

    state: State
    lost: list[SourceEntry] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Found:
    part: Part
    origin: Origin

    def keys(self, source_ids: set[str]) -> dict[tuple[str, str, int], int]:
        """The rows that the part has, by table, source and batch."""
        return {(self.part.table, i, batch): n for i, batch, n in self.origin.rows if i in source_ids}


def rebuild(store: PartStore, base: State, is_newest: bool) -> Rebuilt:
    """`base`, with all sources added that the parts on disk hold whole. `is_newest`: no step after `base` is known, so that its
    readings of a content are the last."""
    dropped = dropped_parts(store.files)
    named = {path: part for path, part in base.parts.items() if path not in dropped}
    state = State(base.step, dict(base.sources.items()), dict(named))
    # A step that is lost dropped parts of these: they are as all else that is not known, but for what is left of them.
    moved = {i for path, part in base.parts.items() if path in dropped for i in part.source_ids}
    # What was removed on request does not come back, nor is it asked for.
    held = {s for s, e in base.sources.items() if (e.status != "failed" or e.removed) and e.source_id not in moved}
    unnamed = [path for path in part_files(store.files) if path not in base.parts and path not in dropped]
    found = [each for path in unnamed if (each := _read(store, path))]
    beside = [p for p in named.values() if moved.intersection(p.source_ids) and not store.damage(p)]
    left = [each for p in beside if (each := _read(store, p.path))]
    there: dict[tuple[str, str, int], int] = {}
    for each in left:
        there |= each.keys(moved)
    used = _without_copies(found, {base.sources[sha].source_id for sha in held}, there)
    readings: dict[str, list[tuple[SourceEntry, bool]]] = {}
    for entry, is_whole in _sources((r for f in (*found, *left) for r in f.origin.receipts), there):
        if entry.sha256 not in held:
            readings.setdefault(entry.sha256, []).append((entry, is_whole))
    gone: dict[str, SourceEntry] = {}
    rows = _rows_of(there)
    for sha, entry in base.sources.items():
        if entry.source_id in moved and rows.get(entry.source_id) == {t: n for t, n in entry.rows.items() if n}:
            readings[sha] = [(entry, True), *(r for r in readings.get(sha, []) if r[0].source_id != entry.source_id)]
        elif entry.source_id in moved and sha not in readings:
            gone[sha] = failed(entry)
    receipts = [r for f in found for r in f.origin.receipts if not is_newest and r.entry.sha256 in held]
    # Whether a source of which rows were removed was ingested again in a step that is lost, nobody knows.
    replaced = {
        e.source_id for r in receipts if (e := base.sources[r.entry.sha256]).removed or e.source_id != r.entry.source_id
    }
    gone |= {sha: failed(e) for sha, e in base.sources.items() if e.source_id in replaced}
    added: dict[str, SourceEntry] = {}
    for sha, ((entry, is_whole), *others) in readings.items():
        # Of two readings of one content nobody knows which was the last.
        if is_whole and not others:
            added[entry.source_id] = entry
        else:
            gone[sha] = failed(entry)
    for part in named.values():
        out = replaced.union(moved - added.keys()).intersection(part.source_ids)
        # A damaged part stays, to be taken out with all its sources.
        if out and not store.damage(part):
            del state.parts[part.path]
            if kept := store.without(part, out):
                state.parts[kept.path] = kept
    now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    changed = [*gone.values(), *(e for e in added.values() if e != base.sources.get(e.sha256))]
    state.sources.update({e.sha256: replace(e, committed_at=now) for e in changed})
    for each, source_ids in used:
        strangers = set(each.part.source_ids) - (source_ids & added.keys())
        if kept := store.without(each.part, strangers) if strangers else each.part:
            state.parts[kept.path] = kept
    settled = {e.source_id for e in state.sources.values()}
    settled |= {r.entry.source_id for f in found for r in f.origin.receipts if r.entry.sha256 in state.sources}
    settled -= (again := {e.source_id for e in gone.values()})
    attributed = {f.part.path for f in found if settled.issuperset(f.part.source_ids)}
    unknown = [path for path in unnamed if path not in attributed]
    names = {name for path in unknown for i, name in _source_files(store, path) if i not in settled | again}
    unlisted = [SourceEntry("", "", name, status="failed") for name in sorted(names)]
    return Rebuilt(state, [*gone.values(), *unlisted], unknown)


def _rows_of(there: dict[tuple[str, str, int], int]) -> dict[str, dict[str, int]]:
    """The rows that are there, by source and table."""
    found: dict[str, dict[str, int]] = {}
    for (table, source_id, _), count in there.items():
        of_source = found.setdefault(source_id, {})
        of_source[table] = of_source.get(table, 0) + count
    return found


def _read(store: PartStore, path: str) -> _Found | None:
    """A part by what it says of itself; None if it does not say it, or is not as it was written."""
    content = store.content(path)
    if not is_signed(content):
        return None
    with suppress(*_NOT_PARQUET), pq.ParquetFile(pa.BufferReader(content)) as parquet:
        origin = read_origin(parquet.metadata.metadata)
        ids = tuple(sorted({source_id for source_id, _, _ in origin.rows}))
        digests = sha256(content).hexdigest(), short_digest(footer_of(content))
        rows = sum(n for _, _, n in origin.rows)
        part = Part(path.partition("/")[0], path, rows, len(content), ids, *digests)
        if not contradiction(part, parquet.metadata):
            bounds = bounds_of(parquet.read_row_group(n) for n in range(parquet.num_row_groups))
            return _Found(replace(part, **bounds._asdict()), origin)
    return None


def _source_files(store: PartStore, path: str) -> set[tuple[str, str]]:
    """The sources of a part's rows and the names of their files; none if it cannot be read as Parquet."""
    content = pa.BufferReader(store.content(path))
    with suppress(*_NOT_PARQUET):
        if too_large(pq.read_metadata(content), content.size()):
            return set()
        found = pq.read_table(content, columns=["source_id", "source_file"], page_checksum_verification=True)
        return set(zip(*(column.cast(pa.string()).to_pylist() for column in found.columns), strict=True))
    return set()


def _without_copies(
    found: list[_Found], known: set[str], there: dict[tuple[str, str, int], int]
) -> list[tuple[_Found, set[str]]]:
    """Parts with the sources to take from each, so that no row is taken twice: a merged part and those that it is made of may
    both be there. The rows that they hold are added to `there`."""
    used = []
    for each in sorted(found, key=lambda f: (-len(f.origin.rows), f.part.path)):
        mine = each.keys(set(each.part.source_ids))
        wanted = set(each.part.source_ids) - known - {key[1] for key in mine if key in there}
        if wanted:
            used.append((each, wanted))
            there |= each.keys(wanted)
    return used


def _sources(receipts: Iterable[Receipt], there: dict[tuple[str, str, int], int]) -> Iterator[tuple[SourceEntry, bool]]:
    """The sources of which there are receipts, and whether all their rows are there."""
    different = {r.key: r for r in receipts}
    for source_id, some in groupby((r for _, r in sorted(different.items())), key=lambda r: r.entry.source_id):
        batches = list(some)
        is_whole = [r.batch for r in batches] == list(range(len(batches))) and batches[-1].last
        for r in batches:
            is_whole &= all(there.get((table, source_id, r.batch), 0) == n for table, n in r.entry.rows.items())
        yield _added_up([r.entry for r in batches]), is_whole


def _added_up(entries: list[SourceEntry]) -> SourceEntry:
    """The entry of a source, from those of its batches."""
    rows: dict[str, int] = {}
    for entry in entries:
        for table, count in entry.rows.items():
            rows[table] = rows.get(table, 0) + count
    counts = {name: [getattr(e, name) for e in entries] for name in _COUNTS}
    summed = {name: None if None in some else sum(some) for name, some in counts.items()}
    is_read = any(e.status == "ingested" for e in entries)
    return replace(entries[0], status="ingested" if is_read else "empty", rows=rows, **summed)
