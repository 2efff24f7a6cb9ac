"""A lake as ingest uses it: look up sources, write parts, commit. Nothing is visible before its commit.

A killed process leaves at most files that the ledger does not name; running the same command again gives the same rows as
an undisturbed run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from ..errors import IronlakeError, UsageError
from ..storage.address import is_address, place_of
from ..storage.os_errors import translate_os_errors
from ..storage.storage import Held, OwnFolder
from . import compaction
from .damage import damage_error, find_damage, find_missing
from .history import STUDY, came, event_of, from_sources
from .ledger import Ledger
from .not_read import note_not_read
from .origin import Receipt
from .other_values import OtherValues, find_other_values
from .part_files import bring_back, hide_dropped, mark_dropped
from .parts import PartStore
from .prints import prints_of
from .removal import Removal, Selection, plan
from .replacing import worse
from .sealed import DamagedLedger
from .settings import Limit, by_table, measured, read_settings
from .state import Part, SourceEntry, State, failed, source_id_of
from .undo import Undoing, plan_undo

if TYPE_CHECKING:
    import polars as pl

# Where a rebuilt lake keeps files that it cannot attribute.
_UNKNOWN = "_unknown"
_INGEST_AGAIN = "rows were in a damaged part; ingest the file again"


class Lake:
    """The lake in a folder; no side effect until the first write. Can be pickled for workers. `wait_s`: how long to wait while
    another process writes to the lake; as long as it takes by default.

    Raises UsageError for a folder that is not a lake and not empty, IronlakeError if it cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], wait_s: float | None = None):
        self.path = place_of(path)
        self._ledger = Ledger(self.path, wait_s)
        _check_place(self._ledger, self.path)
        self._store = PartStore(self._ledger.files)
        self._in_use: Held | None = None
        self._private: OwnFolder | None = None
        self.parts_committed = 0
        # Sources that were committed here with prints that win.
        self._newest: set[str] = set()
        # Of parts, by path: what `other_values` has read.
        self._prints: dict[str, pl.DataFrame] = {}

    def __reduce__(self):
        return Lake, (self.path, self._ledger.wait_s)

    def _open(self) -> None:
        with translate_os_errors(self.path):
            self._ledger.create()
        self._hold()

    def _hold(self) -> None:
        # Held from the first look until `close`, so that no cleaner removes parts written or found meanwhile.
        if self._in_use is None and self._ledger.exists():
            self._in_use = self._ledger.files.in_use()

    def find(self, sha256: str, options_key: str) -> SourceEntry | None:
        """The source with this content, read with these options and this reader version; None if it is not in the lake or
        failed. One of which rows gave way to newer prints, however it was read: read again, it would bring them back."""
        return self.finder(options_key)(sha256)

    def finder(self, options_key: str) -> Callable[[str], SourceEntry | None]:
        """`find` for many contents, as of now and of the commits that this lake makes meanwhile: to read the newest step for each of many
        small files takes a twentieth of an ingest. What other processes commit meanwhile, `commit` sees."""
        self._newest_state()

        def find(sha256: str) -> SourceEntry | None:
            entry = _as_read(self._ledger.known, sha256)
            return entry if entry and (entry.options_key == options_key or entry.removed == "replaced") else None

        return find

    def as_read(self, sha256: str) -> SourceEntry | None:
        """The source with this content, read by this reader version with any options; None as in `find`, and if rows of it were
        removed."""
        return _as_read(self._newest_state(), sha256)

    def _newest_state(self) -> State:
        """The newest state; that of an empty lake where there is none."""
        self._hold()
        return State() if self._in_use is None else self._ledger.state()

    def verify_parts(self) -> None:
        """Raise IronlakeError if a part is missing or has another size: the rows of its sources are lost."""
        self._hold()
        if self._ledger.exists():
            state = self._ledger.state()
            if damaged := find_missing(self.path, state):
                raise damage_error(self.path, state, damaged)

    def note_not_read(self, met: Mapping[str, tuple[str, str]], read: Collection[str]) -> None:
        """Files that were not read, with status and reason, and those that were: see not_read.py."""
        note_not_read(self._ledger, met, read)

    @property
    def spool(self) -> Path:
        """A private folder, inside a lake of this machine; removed when this process ends."""
        if self._private is None:
            self._open()
            with translate_os_errors(self.path):
                self._private = self._ledger.files.private_folder()
        return self._private.path

    def write_batch(
        self, tables: Mapping[str, pa.Table | tuple[pa.Table, pa.Schema]], receipts: Sequence[Receipt]
    ) -> list[Part]:
        """Write all tables of one batch of sources; see PartStore.write_batch. Callable in any process."""
        self._open()
        return self._store.write_batch(tables, receipts, lambda path: path in self._ledger.state().parts)

    def commit(self, sources: Sequence[SourceEntry], parts: Sequence[Part], replace_prints: bool = False) -> Removal:
        """Make sources and their parts visible, all in one step.

        A source that is already in the lake (another process was faster) is skipped; the same content read with other
        options or by another reader version is replaced. `replace_prints`: what other sources print of the same reports, intervals and
        systems gives way in the same step. Returns what did, and which sources were not committed because they were there, or because it is
        not sure what they replace.
        Raises ValueError if a content occurs twice or a part has a source that is not in this commit.
        """
        by_content = {e.sha256: e for e in sources}
        if len(by_content) != len(sources):
            raise ValueError("the same content occurs twice in one commit")
        ids = {e.source_id for e in sources}
        if strangers := {s for p in parts for s in p.source_ids} - ids:
            raise ValueError(f"parts of sources that are not in the commit: {sorted(strangers)}")
        self._open()
        with translate_os_errors(self.path):
            return self._ledger.change(lambda state: self._commit(state, sources, parts, replace_prints))

    def _commit(
        self, state: State, sources: Sequence[SourceEntry], parts: Sequence[Part], replace_prints: bool
    ) -> Removal:
        ids = {e.source_id for e in sources}
        taken = [e for e in sources if not _is_there(state, e)]
        others = self._replaced(state, taken, parts) if replace_prints else Removal(Selection())
        others.there = frozenset(ids.difference(e.source_id for e in taken))
        taken = [e for e in taken if e.source_id not in others.doubts]
        refused = ids - {e.source_id for e in taken}
        replaced = {state.sources[e.sha256].source_id for e in taken if e.sha256 in state.sources}
        add = self._without([p for p in parts if p.rows], refused)
        outdated = [old for e in taken if (old := state.sources.get(e.sha256)) and old.status != "failed"]
        events = [event_of("replaced", old, _why_replaced(old)) for old in outdated]
        events += others.events({e.source_id: e.source_file for e in taken})
        events += [came(e) for e in taken]
        gone = replaced | others.source_ids
        old = [p for p in state.parts.values() if gone.intersection(p.source_ids)] if gone else []
        add += self._rest(old, others, replaced)
        for part in find_damage(self.path, state, add, quick=True):
            hint = "run the same command again; committed files are safe"
            raise IronlakeError(f"{self.path / part.path} was removed or changed before its commit", hint=hint)
        drop = [p.path for p in old if p.path not in {a.path for a in add}]
        self._store.touch(drop)
        if taken:
            self._ledger.publish([*taken, *others.entries], [p for p in add if p not in old], drop, events)
            self.parts_committed += len(add)
            self._newest |= {e.source_id for e in taken if replace_prints}
        # What was refused must not come in when a ledger is rebuilt.
        doubtful = [p.path for p in parts if p.rows and not others.doubts.keys().isdisjoint(p.source_ids)]
        mark_dropped(self._ledger.files, [path for path in doubtful if path not in self._ledger.state().parts])
        return others

    def _replaced(self, state: State, taken: Sequence[SourceEntry], parts: Sequence[Part]) -> Removal:
        """What sources that are about to come replace of others, and of which of them that is not sure."""
        doubts: dict[str, str] = {}
        while True:
            sure = {e.source_id for e in taken} - doubts.keys()
            new = [p for p in parts if p.rows]
            prints = prints_of(self._store, new, sure)
            prints.fresh = frozenset(self._newest)
            same = {old.source_id for e in taken if (old := state.sources.get(e.sha256))}
            removal = plan(self._store, state, Selection(prints=prints), frozenset(same))
            found = removal.doubts | prints.doubts()
            found |= worse(self._store, new, removal, [e for e in taken if e.source_id in sure - found.keys()])
            doubts |= found
            if not found:
                removal.doubts = doubts
                return removal

    def other_values(self, sources: Sequence[SourceEntry], parts: Sequence[Part]) -> dict[str, OtherValues]:
        """What the lake holds with other values of the intervals that sources print which are not committed yet, by source."""
        state = self._newest_state()
        same = {old.source_id for e in sources if (old := state.sources.get(e.sha256))}
        with translate_os_errors(self.path, "read"):
            return find_other_values(self._store, state, parts, same, self._prints)

    def remove(self, selection: Selection, tell: Callable[[Removal], None] = lambda removal: None) -> int:
        """Take rows out of the lake in one step; `tell` is called before. Returns the number of the step, 0 if there is nothing to
        remove."""
        self._open()
        with translate_os_errors(self.path):
            step = self._ledger.change(lambda state: self._remove(state, selection, tell))
        if step:
            self._hide_dropped(step)
        return step

    def _remove(self, state: State, selection: Selection, tell: Callable[[Removal], None]) -> int:
        removal = plan(self._store, state, selection)
        tell(removal)
        if not removal.source_ids:
            return 0
        old = [p for p in state.parts.values() if not removal.source_ids.isdisjoint(p.source_ids)]
        add = self._rest(old, removal, set())
        drop = [p.path for p in old if p.path not in {a.path for a in add}]
        self._store.touch(drop)
        return self._ledger.publish(removal.entries, [p for p in add if p not in old], drop, removal.events())

    def undo(self, tell: Callable[[Undoing], None] = lambda undoing: None) -> int:
        """Undo the newest step that is no compaction, in a step of its own; `tell` is called before. Returns the number of the step."""
        self._open()
        with translate_os_errors(self.path):
            step = self._ledger.change(lambda state: self._undo(state, tell))
        self._hide_dropped(step)
        return step

    def _undo(self, state: State, tell: Callable[[Undoing], None]) -> int:
        undoing = plan_undo(self._ledger, self._store, state)
        tell(undoing)
        bring_back(self._ledger.files, [part.path for part, _ in undoing.restored])
        ids = undoing.source_ids
        old = [p for p in state.parts.values() if p.path not in undoing.kept and not ids.isdisjoint(p.source_ids)]
        add = self._without(old, ids)
        for part, wanted in undoing.restored:
            rest = self._store.without(part, set(part.source_ids) - wanted) if wanted < set(part.source_ids) else part
            add += [rest] if rest else []
        drop = [p.path for p in old if p.path not in {a.path for a in add}]
        self._store.touch(drop)
        self._store.renew(p.path for p in add)
        return self._ledger.publish(undoing.entries, add, drop, undoing.events)

    def _hide_dropped(self, step: int) -> None:
        """Take what a step dropped out of the way of other tools, unless a process has the lake open: the next ingest does it then."""
        self._release()
        files = self._ledger.files
        with self._ledger.after(step), self._ledger.writing() as state, files.unused() as unused:
            if unused:
                hide_dropped(files, state.parts)
        self._hold()

    def damage(self) -> IronlakeError | None:
        """What is wrong with the ledger, or else with the parts; None if all is well."""
        self._hold()
        try:
            state = self._ledger.state()
            self._ledger.history()
        except DamagedLedger as error:
            return error
        damaged = find_damage(self.path, state)
        return damage_error(self.path, state, damaged) if damaged else None

    def repair(self) -> list[SourceEntry]:
        """Rebuild a damaged ledger; then remove the sources of damaged parts from the lake, in one step; returns the entries of
        the sources to ingest again. Their rows in other parts are removed too. In ingest_file their status is failed, so the next
        ingest reads them again."""
        lost = []
        with translate_os_errors(self.path):
            try:
                self._ledger.state()
            except DamagedLedger:
                lost = self._rebuild()
        self._open()
        with translate_os_errors(self.path):
            return lost + self._ledger.change(self._take_out_damaged)

    def _take_out_damaged(self, state: State) -> list[SourceEntry]:
        if self._ledger.is_history_damaged():
            self._ledger.checkpoint()
        damaged = find_damage(self.path, state)
        ids = {source_id for part in damaged for source_id in part.source_ids}
        gone = [e for e in state.sources.values() if e.source_id in ids]
        old = [p for p in state.parts.values() if p not in damaged and ids.intersection(p.source_ids)]
        add = self._without(old, ids)
        drop = [p.path for p in (*old, *damaged) if p.path not in {a.path for a in add}]
        self._store.touch(drop)
        if damaged:
            taken_out = [event_of("damaged", entry, _INGEST_AGAIN) for entry in gone]
            self._ledger.publish([failed(entry) for entry in gone], add, drop, taken_out)
        return gone

    def _rebuild(self) -> list[SourceEntry]:
        from .rebuild import rebuild

        files = self._ledger.files
        with self._ledger.rebuilding():
            base, history = self._ledger.salvage()
            rebuilt = rebuild(self._store, base, is_newest=base.step >= self._ledger.newest_known())
            found = [e for sha, e in rebuilt.state.sources.items() if e != base.sources.get(sha)]
            self._ledger.adopt(rebuilt.state, events=[*history, *from_sources(found)])
            for path in rebuilt.unknown:
                # Out of the way of removals: they may be all that there is of a source.
                files.make_folder(_UNKNOWN)
                files.make_folder(f"{_UNKNOWN}/{os.path.dirname(path)}")
                files.rename(path, f"{_UNKNOWN}/{path}")
        return rebuilt.lost

    def limits(self) -> list[Limit]:
        """How long rows are kept. Raises UsageError for settings that say nothing."""
        return read_settings(self._ledger.files)

    def expire(self, limits: list[Limit] | None = None) -> Removal:
        """Take out, in one step, what is older than the settings keep, as they are or as they were read before; returns what went."""
        expired: list[Removal] = []
        if limits := self.limits() if limits is None else limits:
            self._open()
            before = by_table(measured(self._store, self._ledger.state(), limits))
            self.remove(Selection(expired=before), expired.append)
        return expired[0] if expired else Removal(Selection())

    def _rest(self, old: Iterable[Part], removal: Removal | None, without: set[str]) -> list[Part]:
        """What is left of parts after a removal, and without the rows of some sources."""
        keep = removal.keep if removal else {}
        whole = without | {e.source_id for e in removal.whole} if removal else without
        add = []
        for part in old:
            if removal and part.path in keep:
                rest = self._store.keeping(part, keep[part.path], {e.source_id for e in removal.changed})
                add += [rest] if rest else []
            else:
                add += self._without([part], whole)
        return add

    def _without(self, parts: Iterable[Part], source_ids: set[str]) -> list[Part]:
        """The parts without the rows of `source_ids`; parts without such rows are not rewritten."""
        out = []
        for part in parts:
            kept = self._store.without(part, source_ids) if source_ids.intersection(part.source_ids) else part
            if kept:
                out.append(kept)
        return out

    def compact(
        self,
        most_small_parts: int = compaction.MOST_SMALL_PARTS,
        rows_per_part: int = compaction.ROWS_PER_PART,
        grace_s: float | None = None,
        most_merged: int | None = None,
    ) -> int:
        """Merge the small parts of tables with many of them, fold the ledger, remove left-overs; returns the number of parts
        replaced. Call it after this process has committed all its parts. `most_merged`: see compaction."""
        self._release()
        limits = most_small_parts, rows_per_part, grace_s, most_merged
        with translate_os_errors(self.path):
            replaced = compaction.compact(self._ledger, self._store, *limits)
        self._hold()
        return replaced

    def _release(self) -> None:
        if self._in_use:
            self._in_use.close()
            self._in_use = None

    def close(self) -> None:
        """Remove the private folder and the left-overs of dead workers, and release the lock."""
        self._release()
        if self._private:
            self._private.close()
            self._private = None
            self._ledger.files.remove_leftovers()

    def __enter__(self) -> Lake:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _why_replaced(old: SourceEntry) -> str:
    if old.form == STUDY:
        return "by a newer study of the same name"
    return (
        "by all rows of the file" if old.removed else "by the same bytes, read with other options or by another reader"
    )


def _as_read(state: State, sha256: str) -> SourceEntry | None:
    entry = state.sources.get(sha256)
    is_known = entry and entry.is_known and entry.source_id == source_id_of(sha256, entry.options_key)
    return entry if is_known else None


def _is_there(state: State, entry: SourceEntry) -> bool:
    there = state.sources.get(entry.sha256)
    return there is not None and there.is_known and (there.source_id == entry.source_id or there.removed == "replaced")


def _is_taken(ledger: Ledger, is_filled: Callable[[], bool]) -> bool:
    """Whether something else than a lake is there. Another process may make the lake between two looks: the last one is for its ledger."""
    return not ledger.exists() and is_filled() and not ledger.exists()


def _check_place(ledger: Ledger, path: Path) -> None:
    """Raise UsageError or IronlakeError if the path is not a lake and none can be created there."""
    if is_address(path):
        if _is_taken(ledger, lambda: bool(ledger.files.names())):
            hint = "choose another address with --lake; a lake needs its own"
            raise UsageError(f"{path} is not a lake and not empty", "a lake, or a new address", hint)
        return
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is not a folder", "a lake or a new folder", "choose another folder with --lake")
    if path.is_dir() and _is_taken(ledger, lambda: any(path.iterdir())):
        hint = "choose a new folder with --lake; a lake needs its own folder"
        raise UsageError(f"{path} is not a lake and not empty", "a lake, an empty folder or a new folder", hint)
    nearest = next((p for p in (path, *path.absolute().parents) if p.exists()), path)
    if not nearest.is_dir():
        raise UsageError(
            f"{path} cannot be a lake: {nearest} is not a folder", hint="choose another folder with --lake"
        )
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise IronlakeError(f"cannot write in {nearest}", "write permission", "choose another folder with --lake")
