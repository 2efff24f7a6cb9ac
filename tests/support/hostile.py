"""Hostile input of one kind until the time is over, in a process whose memory is bounded: `python hostile.py KIND SECONDS SEED FOLDER`.

Prints counts and what was wrong as JSON. The input that is being tried lies in FOLDER, for the process may die of it.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from hostile_inputs import kind, left_working

# Bytes of address space, mostly never touched; and of memory in use after an input, above that after the first one.
_MOST_BYTES, _MOST_MORE = 12 << 30, 1 << 30
_MOST_WRONG = 5


def tried(name: str, seconds: float, seed: int, folder: Path) -> dict[str, Any]:
    """Inputs of a kind, in processes of their own until the time is over: counts, and each wrong input with what was wrong."""
    until, total = time.monotonic() + seconds, {"inputs": 0, "interrupted for good": 0}
    wrong: list[tuple[str, bytes]] = []
    folder.mkdir(parents=True, exist_ok=True)
    (trying := folder / f"{name}.trying").unlink(missing_ok=True)
    while (left := until - time.monotonic()) > 0 and len(wrong) < _MOST_WRONG:
        command = [sys.executable, __file__, name, f"{left:.1f}", str(seed), str(folder)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, errors="replace", timeout=left + 300
            )
            said, code = done.stderr[-500:], done.returncode
            lines = done.stdout.splitlines()
        except subprocess.TimeoutExpired:
            said, code, lines = "", "no end", []
        data = trying.read_bytes() if trying.exists() else b""
        if code or not lines:
            wrong.append((f"{name}: the process ended with {code}: {said}", data))
        else:
            found = json.loads(lines[-1])
            for key in total:
                total[key] += found[key]
            wrong += [(f"{name}: {what}", bytes.fromhex(some)) for what, some in found["wrong"]]
        seed += 1
    return {**total, "wrong": wrong}


def _in_use() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def main() -> None:
    name, seconds, seed, folder = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]).absolute()
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    trying = folder / f"{name}.trying"
    module = kind(name)
    module.one_input(b"")
    until, before, inputs = time.monotonic() + seconds, _in_use(), 0
    wrong: list[tuple[str, str]] = []
    for data in module.tried(Random(seed)):
        if time.monotonic() > until or left_working() or len(wrong) == _MOST_WRONG:
            break
        trying.write_bytes(data)
        inputs += 1
        if what := module.one_input(data):
            wrong.append((what, data.hex()))
        elif _in_use() - before > _MOST_MORE:
            wrong.append((f"{_in_use() - before:,} bytes more are in use", data.hex()))
            break
    print(json.dumps({"inputs": inputs, "interrupted for good": int(left_working()), "wrong": wrong}), flush=True)
    if left_working():
        _end_now(module)


def _end_now(module: Any) -> None:
    """A query that still works would be waited for."""
    import os
    import shutil

    shutil.rmtree(module._scene().folder, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    main()
