"""Ingests that are killed at random moments and run again: `python killing.py FOLDER KILLS SEED FILE...` prints what came of it
as JSON.

The program is loaded once and forked for every run, so that a run takes no longer than its reading.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.ingest import batches
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.reading import line_kinds as grammar

# Pages of several reports, rejects among them.
SMALL = ("g2_every_cell_differs", "g3_every_cell_differs", "xcf_members", "junk_lines")


def killed(folder: Path, files: Sequence[Path], kills: int, seed: int, timeout: int) -> dict[str, Any]:
    """`kill_and_heal` in a process of its own, which has done nothing else before it forks."""
    command = [sys.executable, __file__, folder, kills, seed, *files]
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, timeout=timeout)
    return json.loads(done.stdout)


def load_everything() -> None:
    """What every run needs, before it is forked; and batches so small that there are several commits for kills to fall
    between."""
    for name in reports():
        grammar.load(name)
    batches.BATCH_BYTES = batches.MOST_BYTES = 5_000


def rows_of(lake: Path) -> dict[str, Any]:
    """A checksum of the rows of every table, whatever files they are in."""
    with open_lake(lake) as opened:
        tables = sorted({p.table for p in opened.state.parts.values()})
        query = "SELECT CAST(sum(hash(x)) AS VARCHAR), count(*) FROM (SELECT COLUMNS(*) FROM {}) x"
        return {t: opened.sql(query.format(t)).fetchall()[0] for t in tables}


def halves(lake: Path) -> list[str]:
    """Sources that are not there whole: their rows in a table are not as many as the ledger says."""
    if not Ledger(lake).exists():
        return []
    out = []
    with open_lake(lake) as opened:
        found: dict[tuple[str, str], int] = {}
        for table in {p.table for p in opened.state.parts.values()}:
            for source_id, many in opened.sql(f"SELECT source_id, count(*) FROM {table} GROUP BY 1").fetchall():
                found[table, source_id] = many
        named = {(t, e.source_id): n for e in opened.state.sources.values() for t, n in e.rows.items() if n}
        out += [f"{key}: {found.get(key)} rows instead of {named.get(key)}" for key in found.keys() | named.keys()
                if found.get(key) != named.get(key)]  # fmt: skip
    return out


def in_a_child(work: Callable[[], Any], answer: Path) -> int:
    """Do work in a forked process, its result as JSON in `answer`; returns its id."""
    child = os.fork()
    if child:
        return child
    try:
        answer.write_text(json.dumps(work()))
        os._exit(0)
    except BaseException as error:
        answer.write_text(json.dumps(f"{type(error).__name__}: {error}"))
        os._exit(1)


def finished(child: int, answer: Path) -> Any:
    os.waitpid(child, 0)
    return json.loads(answer.read_text())


def kill_and_heal(folder: Path, files: list[str], kills: int, seed: int) -> dict[str, Any]:
    """`kills` ingests, each killed at a moment drawn from the time that an undisturbed one takes, then run again. What was
    there after the kill, what the second run gave, and what of it was wrong."""
    answer = folder / "answer.json"

    def run(lake: Path) -> Any:
        ingest(files, lake, Options(), jobs=1)
        return rows_of(lake)

    began = time.monotonic()
    expected = finished(in_a_child(lambda: run(folder / "undisturbed"), answer), answer)
    longest = time.monotonic() - began
    random = Random(seed)
    wrong: list[str] = []
    before_anything = committed = 0
    for number in range(kills):
        lake = folder / f"lake{number}"
        child = in_a_child(lambda lake=lake: ingest(files, lake, Options(), jobs=1) and None, answer)
        time.sleep(random.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        before_anything += not Ledger(lake).exists()
        committed += Ledger(lake).exists() and bool(Ledger(lake).state().sources)
        if not isinstance(found := finished(in_a_child(lambda lake=lake: halves(lake), answer), answer), list) or found:
            wrong.append(f"kill {number}: {found}")
        healed = finished(in_a_child(lambda lake=lake: run(lake), answer), answer)
        if healed != expected:
            wrong.append(f"kill {number}: {healed} in place of {expected}")
        if left := list((lake / "_tmp").iterdir()):
            wrong.append(f"kill {number}: {left} is left over")
        shutil.rmtree(lake)
    return {"kills": kills, "before_anything": before_anything, "committed": committed, "wrong": wrong}


if __name__ == "__main__":
    load_everything()
    place, kills, seed, *files = sys.argv[1:]
    print(json.dumps(kill_and_heal(Path(place), files, int(kills), int(seed))))
