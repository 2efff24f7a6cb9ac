"""The files of the parts of a lake, and the marks of those that a step of the ledger dropped on purpose.

A mark is an empty file beside the part. It must be there when the ledger is not: without it, a ledger that is rebuilt from the parts would
bring back rows that were removed or replaced. As soon as no process has the lake open, the part takes the place of its mark: under that name
no other tool takes it for one of the lake (`*.parquet`). There it stays a while, for undo.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from typing import Any

from ..storage.storage import Storage
from .footers import MOST_FOOTER_BYTES
from .origin import Origin, read_origin
from .published import kept_since
from .state import State, is_part_name, part_tables

MARK = ".dropped"


def part_files(files: Storage) -> Iterator[str]:
    """Paths of all files that may be parts, named by the ledger or not, but for those in the place of their marks."""
    return (path for path in _paths(files) if not path.endswith(MARK))


def has_files(files: Storage) -> bool:
    """Whether there is a file that may be a part, or a mark of one."""
    return next(_paths(files), None) is not None


def unneeded_bytes(files: Storage, named: Collection[str]) -> int:
    """The size of all parts that are not `named`."""
    return sum(files.size(path) for path in _paths(files) if path not in named)


def _paths(files: Storage) -> Iterator[str]:
    """Paths of all parts and marks."""
    there = [name for name in files.names() if not name.startswith("_")]
    for table in sorted(part_tables().intersection(there)) if there else ():
        for name in files.names(table):
            if is_part_name(name.removesuffix(MARK)):
                yield f"{table}/{name}"


def dropped_parts(files: Storage) -> set[str]:
    """Paths of the parts that are marked."""
    return {path.removesuffix(MARK) for path in _paths(files) if path.endswith(MARK)}


def mark_dropped(files: Storage, paths: Iterable[str]) -> None:
    """Mark those of the parts that are there."""
    for folder, some in _by_folder(paths):
        new = [path for path in some if files.exists(path) and not files.exists(path + MARK)]
        for path in new:
            files.create(path + MARK)
        if new:
            files.sync_folder(folder)


def unmark(files: Storage, paths: Iterable[str]) -> None:
    """Take the marks off parts that a step is about to name."""
    for folder, some in _by_folder(paths):
        marked = [path for path in some if files.exists(path + MARK) and files.exists(path)]
        for path in marked:
            files.remove(path + MARK)
        if marked:
            files.sync_folder(folder)


def hide_dropped(files: Storage, named: Collection[str]) -> None:
    """Put the parts that are marked and not `named` in the place of their marks; only while no process has the lake open, and not those
    that a published log may name."""
    # Few are dropped, and many are named.
    dropped = [path for path in dropped_parts(files) if path not in named]
    since = kept_since(files) if dropped else 0.0
    for folder, some in _by_folder(dropped):
        if there := [path for path in some if files.exists(path) and files.modified(path + MARK) < since]:
            for path in there:
                files.rename(path, path + MARK)
                # Two names of one file: both are still there.
                files.remove(path)
            files.sync_folder(folder)


def bring_back(files: Storage, paths: Iterable[str]) -> None:
    """Give parts that are in the place of their marks their names again; they stay marked."""
    for folder, some in _by_folder(paths):
        hidden = [path for path in some if not files.exists(path) and files.exists(path + MARK)]
        for path in hidden:
            # A second name, so that a killed process leaves none without its mark. Not every file system can.
            try:
                files.link(path + MARK, path)
            except OSError:
                files.rename(path + MARK, path)
                files.create(path + MARK)
        if hidden:
            files.sync_folder(folder)


def remove_unneeded(files: Storage, named: Collection[str], newest_to_go: float) -> None:
    """Remove parts that are not `named` and as old as that, unless a published log may name them, and marks without a part."""
    paths = list(_paths(files))
    parts = {path for path in paths if not path.endswith(MARK)}
    marks = {path for path in paths if path.endswith(MARK)}
    unneeded = parts.difference(named)
    # A part without a mark never counted, and one in the place of its mark is in no log.
    since = kept_since(files) if any(path + MARK in marks for path in unneeded) else 0.0
    for folder, some in _by_folder(unneeded):
        if old := [path for path in some if _may_go(files, path, path + MARK in marks, newest_to_go, since)]:
            for path in old:
                files.remove(path)
            # A part must not outlive its mark.
            files.sync_folder(folder)
            parts.difference_update(old)
    for path in (mark for mark in marks if mark.removesuffix(MARK) not in parts):
        # A part is in its place, or none is there.
        if not files.size(path) or files.modified(path) <= newest_to_go:
            files.remove(path)


def _may_go(files: Storage, path: str, is_marked: bool, newest_to_go: float, kept_since: float) -> bool:
    """Whether a part was written, touched and marked by a time, and marked before another."""
    written = files.modified(path)
    marked = files.modified(path + MARK) if is_marked else 0.0
    return max(written, marked) <= newest_to_go and marked < (kept_since if is_marked else 1.0)


def _by_folder(paths: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    return ((folder, list(some)) for folder, some in groupby(sorted(paths), os.path.dirname))


def mark_step(files: Storage, state: State, step: dict[str, Any]) -> None:
    """Mark what a step dropped; `state`: the one after it. If sources gave way, also the parts that no step names and that
    have their rows: of a compaction, a removal or another reading that was killed before its commit."""
    gone = [path for path in step["drop_parts"] if path not in state.parts]
    if gone and step["add_sources"]:
        gone += _leftovers_of(files, state, {record["sha256"] for record in step["add_sources"]})
    mark_dropped(files, gone)


def mark_unnamed(files: Storage, named: Collection[str]) -> None:
    """Mark every part that is not `named`: after a ledger was rebuilt, nothing else counts."""
    mark_dropped(files, [path for path in part_files(files) if path not in named])


def _leftovers_of(files: Storage, state: State, contents: set[str]) -> list[str]:
    """Unnamed parts with rows of contents (their SHA-256), in whatever reading."""
    marked = dropped_parts(files)
    unnamed = [path for path in part_files(files) if path not in state.parts and path not in marked]
    origins = {path: _origin(files, path) for path in unnamed}
    ids = {state.sources[sha].source_id for sha in contents}
    receipts = (r for origin in origins.values() for r in origin.receipts)
    ids |= {r.entry.source_id for r in receipts if r.entry.sha256 in contents}
    return [path for path, origin in origins.items() if any(source_id in ids for source_id, _, _ in origin.rows)]


def _origin(files: Storage, path: str) -> Origin:
    """What a part says of its rows; nothing if it cannot be read: then it is not rebuilt either."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with suppress(pa.ArrowException, OSError), files.open(path) as stream:
        stream.seek(-8, os.SEEK_END)
        if int.from_bytes(stream.read(4), "little") <= MOST_FOOTER_BYTES:
            return read_origin(pq.read_metadata(stream).metadata)
    return Origin()
