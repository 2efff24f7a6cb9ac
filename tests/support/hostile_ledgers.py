"""Ledgers with any bytes in any of their files: the lake answers as before or says that it is damaged, nothing is removed from a damaged
one, and after a repair it has whole sources only.

An input is a text of changes: `flip 3 1017` flips bit 1017 of the ledger's third file, `swap 3 4` swaps two files.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

from hostile_inputs import entries, limited, outcome, private_folder, tree
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.lake.damage import find_damage
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.sql.open_lake import OpenLake
from lake_rows import ACTIVITY, DMY, GOAL, add, entry

_CHANGES = ("flip", "cut", "lose", "swap", "copy", "stretch", "zero", "byte", "drop")
_CHANGE = re.compile(r"([a-z]+) (\d{1,9}) (\d{1,9})")
_SOURCES = f"SELECT source_file, count(*) FROM {ACTIVITY} GROUP BY ALL ORDER BY ALL"
_ASKED = (
    _SOURCES,
    f"SELECT count(*), sum(line) FROM {GOAL}",
    "SELECT source_file, status, lines FROM ingest_file ORDER BY ALL",
)


class Scene:
    """Two lakes: one with steps alone, one with a checkpoint and steps after it; with a source read anew and one taken out."""

    def __init__(self) -> None:
        self.folder = private_folder("ledgers")
        self.lakes = [self._make("steps", False), self._make("checkpoint", True)]
        self.answers = [asked(lake) for lake in self.lakes]
        self.sources = [{e.source_file: e.status for e in Ledger(p).state().sources.values()} for p in self.lakes]

    def _make(self, name: str, with_checkpoint: bool) -> Path:
        lake = Lake(self.folder / name)
        add(lake, entry("a"), entry("b", lines=4))
        add(lake, entry("c", lines=6), tables=(ACTIVITY, GOAL))
        add(lake, entry("b", DMY, lines=5))
        if with_checkpoint:
            lost = next(p for p in Ledger(lake.path).state().parts.values() if p.table == GOAL)
            (lake.path / lost.path).unlink()
            lake.repair()
            with (ledger := Ledger(lake.path)).writing():
                ledger.checkpoint()
            add(lake, entry("d", lines=3))
            add(lake, entry("e", lines=2))
        lake.close()
        return lake.path


def asked(lake: Path) -> list[object]:
    with OpenLake(lake) as opened:
        answers: list[object] = [opened.sql(text).fetchall() for text in _ASKED]
    if damaged := find_damage(lake, Ledger(lake).state()):
        raise IronlakeError(f"damaged: {damaged}")
    return answers


@cache
def _scene() -> Scene:
    return Scene()


def one_input(data: bytes) -> str:
    scene = _scene()
    changes = _CHANGE.findall(data[:2000].decode("ascii", "replace"))[:8]
    number = sum(data) % 2
    lake = scene.folder / "tried"
    shutil.rmtree(lake, ignore_errors=True)
    shutil.copytree(scene.lakes[number], lake)
    for change, at, place in changes:
        _change(lake, change, int(at), int(place))
    said = ""

    def take() -> str:
        nonlocal said
        with limited(60):
            said = _judge(lake, scene, number)
        return said

    return outcome(take)[1] or said


def _change(lake: Path, change: str, at: int, place: int) -> None:
    files = sorted(p for p in (lake / "_ledger").rglob("*") if p.is_file())
    if not files:
        return
    path, other = files[at % len(files)], files[place % len(files)]
    content = bytearray(path.read_bytes())
    where = place % (len(content) + 1)
    match change:
        case "flip" if content:
            content[place // 8 % len(content)] ^= 1 << place % 8
        case "cut":
            del content[where:]
        case "drop":
            del content[where : where + 7]
        case "stretch":
            content[where:where] = content[where : where + 40] or b"\0" * 40
        case "zero":
            content[where : where + 512] = bytes(len(content[where : where + 512]))
        case "byte":
            content[where : where + 1] = bytes([place % 256])
        case "lose":
            path.unlink()
            return
        case "swap":
            content = bytearray(other.read_bytes())
            other.write_bytes(path.read_bytes())
        case "copy":
            # Under its own name, as another's content, or as a step that is to come.
            names = (
                other,
                path.with_name(f"{place % 20:010d}.json"),
                path.with_name(f"{place % 20:010d}.parts.parquet"),
            )
            path = names[place % 3]
        case _:
            return
    path.write_bytes(content)


def _parts(lake: Path) -> dict[str, object]:
    return {
        str(Path(p).relative_to(lake)): d
        for p, d in tree(lake).items()
        if p.endswith(".parquet") and "_ledger" not in p
    }


def _judge(lake: Path, scene: Scene, number: int) -> str:
    parts = _parts(lake)
    try:
        answers = asked(lake)
    except IronlakeError:
        return _repaired(lake, scene, number, parts)
    if answers != scene.answers[number]:
        return f"answers otherwise: {answers}"
    # A step more, and a compaction: what was there stays there.
    with Lake(lake) as writer:
        add(writer, entry("z", lines=1))
        writer.compact(most_small_parts=1, grace_s=0)
    with OpenLake(lake) as opened:
        before = scene.answers[number][0]
        assert isinstance(before, list)
        if opened.sql(_SOURCES).fetchall() != [*before, ("z.txt", 1)]:
            return "another answer after the next step"
    return ""


def _repaired(lake: Path, scene: Scene, number: int, parts: dict[str, object]) -> str:
    ledger = tree(lake / "_ledger")
    for work in (
        lambda lake: lake.verify_parts(),
        lambda lake: lake.commit([entry("z", status="empty", lines=0)], []),
        lambda lake: lake.compact(most_small_parts=1, grace_s=0),
    ):
        with Lake(lake) as tried:
            try:
                work(tried)
                return "a damaged ledger was worked on"
            except IronlakeError:
                pass
    if _parts(lake) != parts:
        return "a part of a damaged lake was changed"
    if any(ledger[path] != content for path, content in tree(lake / "_ledger").items() if path in ledger):
        return "a damaged ledger was changed"
    with Lake(lake) as damaged:
        lost = {e.source_file for e in damaged.repair()}
        if damaged.damage():
            return f"damaged after a repair: {damaged.damage()}"
    expected = {name for name, status in scene.sources[number].items() if status == "ingested"}
    with OpenLake(lake) as opened:
        found = {e.source_file: e for e in opened.state.sources.values() if e.status == "ingested"}
        held = dict(opened.sql(_SOURCES).fetchall())
    if missing := expected - found.keys() - lost:
        return f"lost without a word: {missing}"
    if strangers := found.keys() - scene.sources[number].keys():
        return f"sources that never were: {strangers}"
    if halves := [f for f, e in found.items() if held.get(f) != e.rows.get(ACTIVITY)]:
        return f"half a source: {halves}"
    return ""


def tried(random: Random) -> Iterator[bytes]:
    corpus = list(entries("ledgers").values())
    while True:
        lines = [
            f"{random.choice(_CHANGES)} {random.randrange(40)} {random.randrange(100_000)}"
            for _ in range(random.choice((1, 1, 1, 1, 2, 3)))
        ]
        if random.random() < 0.2:
            lines.append(random.choice(corpus).decode())
        yield "\n".join(lines).encode()
