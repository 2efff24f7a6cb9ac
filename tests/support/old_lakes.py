"""Lakes as older releases wrote them: before the ledger had digests (format 1), and before its checkpoints had segments (format 2)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.sealed import seal

_OLD_TIMES = ("first_time", "last_time")
_LATER_TIMES = ("last_start", "first_end")


def make_old(lake: Path, steps: int = 0, **changes: Any) -> dict[str, Any]:
    """Give a lake a ledger of format 1 in place of its own: a folded state, and so many empty steps after it. `changes` are of all its
    parts. Returns the state."""
    state = Ledger(lake).state()
    record = {
        "format": 1,
        "step": state.step,
        "sources": [asdict(e) | {"source_id": e.source_id} for e in state.sources.values()],
        "parts": [_old_part(asdict(p) | changes) for p in state.parts.values()],
    }
    shutil.rmtree(lake / "_ledger")
    for folder in ("steps", "folded"):
        (lake / "_ledger" / folder).mkdir(parents=True)
    for name in ("in_use.lock", "commit.lock", "compaction.lock"):
        (lake / "_ledger" / name).touch()
    write(lake / "_ledger" / "folded" / f"{state.step:010d}.json", record)
    for number in range(state.step + 1, state.step + 1 + steps):
        step = {"format": 1, "step": number, "at": "2026-01-31T08:00:00", "drop_parts": [], "add_parts": []}
        write(lake / "_ledger" / "steps" / f"{number:010d}.json", step | {"add_sources": []})
    return record


def _old_part(part: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in part.items() if k not in (*_OLD_TIMES, *_LATER_TIMES)}


def make_second(lake: Path, without: Iterable[str] = ()) -> None:
    """Give a lake a ledger of format 2 in place of its own: its state in one checkpoint. `without`: columns of sources and kinds of files
    that even older releases did not write."""
    ledger = Ledger(lake)
    state, history = ledger.state(), ledger.history()
    parts = [{k: v for k, v in asdict(p).items() if k not in _LATER_TIMES} for p in state.parts.values()]
    for part in parts:
        part |= {name: part[name] and datetime.fromisoformat(part[name]) for name in _OLD_TIMES}
    sources = [asdict(e) for e in state.sources.values()]
    for source in sources:
        for name in ("rows", "other_values"):
            source[name] = [{"table": t, "rows": n} for t, n in source[name].items()]
    events = [asdict(e) | {"at": (e.at and datetime.fromisoformat(e.at)) or None} for e in history]
    named: dict[str, Any] = {"step": state.step}
    shutil.rmtree(lake / "_ledger" / "checkpoints")
    (lake / "_ledger" / "checkpoints").mkdir()
    for kind, rows, schema in (
        ("parts", parts, _parts()),
        ("sources", sources, _sources()),
        ("history", events, _events()),
    ):
        if kind not in without:
            path = lake / "_ledger" / "checkpoints" / f"{state.step:010d}.{kind}.parquet"
            schema = pa.schema([f for f in schema if f.name not in without])
            pq.write_table(pa.Table.from_pylist(rows, schema), path, compression="zstd")
            named[kind] = sha256(path.read_bytes()).hexdigest()
    for path in (lake / "_ledger" / "steps").iterdir():
        path.unlink()
    head = {"step": state.step, "step_digest": state.digest, "checkpoint": named | {"step_digest": state.digest}}
    (lake / "_ledger" / "head.json").write_bytes(seal({"format": 2} | head))


_TEXT, _COUNT, _TIME = pa.string(), pa.int64(), pa.timestamp("us")
_ROWS = pa.list_(pa.struct([("table", _TEXT), ("rows", _COUNT)]))


def _parts() -> pa.Schema:
    texts, counts, times = ("table", "path"), ("rows", "bytes"), _OLD_TIMES
    return pa.schema(
        [
            *((n, _TEXT) for n in texts),
            *((n, _COUNT) for n in counts),
            ("source_ids", pa.list_(_TEXT)),
            *((n, _TEXT) for n in ("sha256", "footer")),
            *((n, _TIME) for n in times),
        ]
    )


def _sources() -> pa.Schema:
    columns = """sha256 options_key source_file status bytes:n encoding form pages:n lines:n blank_lines:n claimed_lines:n unread_lines:n
        rejected_lines:n unknown_lines:n rejects:n suspect_pages:n wrong_pages:n rows:r reader_version committed_at removed other_values:r"""
    kinds = {"": _TEXT, "n": _COUNT, "r": _ROWS}
    return pa.schema([(name, kinds[kind]) for name, _, kind in (word.partition(":") for word in columns.split())])


def _events() -> pa.Schema:
    columns = ("action", "source_file", "source_id")
    return pa.schema(
        [*((n, _TEXT) for n in columns), ("rows", _COUNT), ("what", _TEXT), ("step", _COUNT), ("at", _TIME)]
    )


def write(path: Path, record: dict[str, Any]) -> None:
    path.write_bytes(json.dumps(record, separators=(",", ":")).encode() + b"\n")
