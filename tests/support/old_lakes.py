"""Lakes as releases before the ledger had digests wrote them (format 1)."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ironlake.pipeline.lake.ledger import Ledger


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
    return {k: v for k, v in part.items() if k not in ("first_time", "last_time")}


def write(path: Path, record: dict[str, Any]) -> None:
    path.write_bytes(json.dumps(record, separators=(",", ":")).encode() + b"\n")
