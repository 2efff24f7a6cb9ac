"""The Delta log of one table of a lake, beside its parts: `_delta_log` in the table's folder.

The library works on a copy in a folder of this machine, of the newest checkpoint and what follows it. What it adds goes into the lake as every file
does: no link is followed, and a version is written only if no file has its name. So a log in object storage needs nothing but the rights of a lake.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..declaration.report import Table
from ..errors import IronlakeError, without_extra
from ..lake.ledger import Ledger, Part, State
from ..sql.schema import plain_schema

if TYPE_CHECKING:
    from deltalake import DeltaTable

_LOG = "_delta_log"
_APPLICATION, _STEP = "ironlake", "ironlakeStep"
_VERSION = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint.*\.parquet")
_POINTER = "_last_checkpoint"
_MOST_BYTES = 1 << 30
# Another engine that cleans up would remove parts that are not yet published: it is told to keep everything for a century.
_SETTINGS = {"delta.deletedFileRetentionDuration": "interval 5200 weeks"}


def require_library() -> None:
    """Raise UsageError where the library is not installed."""
    try:
        import deltalake  # noqa: F401
    except ImportError:
        raise without_extra("ironlake publish", "deltalake", "delta") from None


class BehindError(Exception):
    """A log is of a later step than the state that was read."""


class DeltaLog:
    """The log of a table of a lake. Raises IronlakeError for one that `ironlake publish` did not write."""

    def __init__(self, ledger: Ledger, table: Table, folder: Path):
        """`folder`: an empty folder of this machine."""
        self._files, self._table, self._copy = ledger.files, table, folder
        self._place = f"{table.name}/{_LOG}"
        names = self._files.names(self._place)
        self._there = newest_version(names)
        self._log = self._read(names) if names else None

    def _read(self, names: Sequence[str]) -> DeltaTable:
        from deltalake import DeltaTable

        checkpoint = max((int(found[1]) for name in names if (found := _CHECKPOINT.fullmatch(name))), default=0)
        inside = self._copy / _LOG
        inside.mkdir()
        for name in names:
            found = _VERSION.fullmatch(name) or _CHECKPOINT.fullmatch(name)
            if name == _POINTER or (found and int(found[1]) >= checkpoint):
                (inside / name).write_bytes(self._files.read(f"{self._place}/{name}", _MOST_BYTES))
        try:
            log = DeltaTable(self._copy)
            is_ours = log.transaction_version(_APPLICATION) is not None and _STEP in log.history(1)[0]
        except Exception as error:
            raise self._refused(f"cannot be read: {str(error).splitlines()[0]}") from None
        if not is_ours:
            raise self._refused(f"has a version {log.version()} that ironlake publish did not write")
        return log

    def _refused(self, what: str) -> IronlakeError:
        at = self._files.root / self._place
        hint = f"remove the folder {_LOG} and publish again: a log holds no rows"
        return IronlakeError(f"{at} {what}", "a log that ironlake publish wrote, or none", hint)

    @property
    def version(self) -> int | None:
        """The newest version; None where there is no log."""
        return self._there

    def publish(self, state: State, may_go_back: bool = False) -> tuple[int, int]:
        """Write what changed since the last version as one more; returns how many parts it adds and removes.

        Raises BehindError if the log is of a later step, FileExistsError if another publication is faster."""
        parts = {Path(part.path).name: part for part in state.parts_of(self._table.name)}
        if self._log is None:
            if not parts:
                return 0, 0
            self._create(state, list(parts.values()))
            return len(parts), 0
        if not may_go_back and (self._log.transaction_version(_APPLICATION) or 0) > state.step:
            raise BehindError
        there: dict[str, int] = dict(zip(*self._named(), strict=True))
        if any(part.bytes != there.get(name, part.bytes) for name, part in parts.items()):
            raise self._refused("names a part that has another size now")
        new = [part for name, part in parts.items() if name not in there]
        gone = [name for name in there if name not in parts]
        with self._explained():
            self._add_columns(state)
            if new or gone:
                self._change(state, new, gone, there)
        self._store()
        return len(new), len(gone)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        from deltalake.exceptions import DeltaError

        try:
            yield
        except DeltaError as error:
            at = self._files.root / self._place
            raise IronlakeError(f"cannot make a version of {at}: {str(error).splitlines()[0]}") from None

    def _named(self) -> tuple[list[str], list[int]]:
        assert self._log is not None
        rows = pa.table(self._log.get_add_actions())
        return rows["path"].to_pylist(), rows["size_bytes"].to_pylist()

    def _create(self, state: State, parts: list[Part]) -> None:
        from deltalake.transaction import create_table_with_add_actions

        with self._explained():
            create_table_with_add_actions(
                str(self._copy), _delta_schema(self._table), [_added(part) for part in parts],
                name=self._table.name, description=self._table.grain, configuration=_SETTINGS, **_options(state),
            )  # fmt: skip
        self._store()

    def _add_columns(self, state: State) -> None:
        """Columns that a newer Ironlake declares. Raises IronlakeError for other differences."""
        assert self._log is not None
        declared = {field.name: field for field in _delta_schema(self._table).fields}
        there = {field.name: field for field in self._log.schema().fields}
        if any(name not in declared or declared[name].type != field.type for name, field in there.items()):
            raise self._refused("has other columns than this Ironlake declares")
        if new := [field for name, field in declared.items() if name not in there]:
            self._log.alter.add_columns(new, **_options(state))

    def _change(self, state: State, new: list[Part], gone: list[str], sizes: dict[str, int]) -> None:
        from deltalake._internal import RemoveAction

        assert self._log is not None
        now = int(time.time() * 1000)
        removed = [RemoveAction(name, True, now, sizes[name], {}) for name in gone]
        self._log.create_write_transaction(
            [*map(_added, new), *removed], "append", _delta_schema(self._table), **_options(state)
        )

    def _store(self) -> None:
        """Write what the library made to the lake: versions in their order, then the checkpoint."""
        inside = self._copy / _LOG
        made = {name: int(found[1]) for name in sorted(p.name for p in inside.iterdir()) if (found := _VERSION.fullmatch(name))}  # fmt: skip
        there = -1 if self._there is None else self._there
        self._files.make_folder(self._place)
        for name, version in made.items():
            if version > there:
                self._files.put_new(f"{self._place}/{name}", _without_place((inside / name).read_bytes()))
                self._there = version
        for path in sorted(inside.glob("*.checkpoint*.parquet")):
            if int(path.name[:20]) > there:
                self._files.put_agreed(f"{self._place}/{path.name}", path.read_bytes())
                self._files.put(f"{self._place}/{_POINTER}", (inside / _POINTER).read_bytes())


def newest_version(names: Sequence[str]) -> int | None:
    return max((int(found[1]) for name in names if (found := _VERSION.fullmatch(name))), default=None)


def log_names(ledger: Ledger, table: str) -> list[str]:
    """The names of the files of a table's log."""
    return ledger.files.names(f"{table}/{_LOG}")


def _options(state: State) -> dict[str, Any]:
    from deltalake import CommitProperties, PostCommitHookProperties, Transaction

    # Both: people see what a commit says of itself, and the library finds the transaction in a checkpoint.
    commit = CommitProperties({_STEP: state.step}, app_transactions=[Transaction(_APPLICATION, state.step)])
    return {
        "commit_properties": commit,
        "post_commithook_properties": PostCommitHookProperties(cleanup_expired_logs=False),
    }


def _added(part: Part) -> Any:
    """The file as a log names it. No bounds of its times: those of the ledger are not tight, and an engine may answer min and max with them."""
    from deltalake.transaction import AddAction

    stats = json.dumps({"numRecords": part.rows})
    return AddAction(Path(part.path).name, part.bytes, {}, int(time.time() * 1000), True, stats)


def _delta_schema(table: Table) -> Any:
    """Delta does not let a column forbid NULL in files that are there already: all may have one."""
    from deltalake import Schema

    fields = [
        pa.field(f.name, f.type, metadata={"comment": (f.metadata or {}).get(b"description", b"").decode()})
        for f in plain_schema(table)
    ]
    return Schema.from_arrow(pa.schema(fields))


def _without_place(content: bytes) -> bytes:
    """The first version says in which folder it was made, which is not where it lies."""
    lines = [json.loads(line) for line in content.splitlines()]
    for line in lines:
        line.get("commitInfo", {}).get("operationParameters", {}).pop("location", None)
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
