"""The state from checkpoints is that of the steps, whatever is asked of it and in whatever order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from ironlake.pipeline.lake import checkpoints
from ironlake.pipeline.lake import ledger as ledgers
from ironlake.pipeline.lake.checkpoints import made, source_table
from ironlake.pipeline.lake.ledger import Ledger, Part, SourceEntry
from lake_rows import ACTIVITY, DMY, GOAL, MDY, entry
from sizes import some

TABLES = (ACTIVITY, GOAL, "cell_null")


def part(table: str, number: int, *entries: SourceEntry) -> Part:
    path = f"{table}/{number:032x}-{0:06}.parquet"
    ids = tuple(sorted(e.source_id for e in entries))
    return Part(
        table, path, number, 2 * number, ids, f"{number:064x}", "", "2026-01-01T00:00:00", "2026-01-02T00:00:00.500000"
    )


@dataclass
class _Expected:
    sources: dict[str, SourceEntry]
    parts: dict[str, Part]


class Model:
    """A ledger, and the state that plain dicts say it has. The parts have no files: nothing here reads one."""

    def __init__(self, folder: Path, random: Random):
        self.folder, self.random = folder, random
        self.expected = _Expected({}, {})
        self.gone: list[Part] = []
        self.count = 0
        Ledger(folder).create()

    def step(self) -> None:
        sources = []
        for _ in range(self.random.randrange(4)):
            # Some come again, read otherwise.
            known = [*self.expected.sources.values()]
            again = known and self.random.random() < 0.3
            name = self.random.choice(known).source_file[:-4] if again else f"s{self.count}"
            sources.append(entry(name, self.random.choice((MDY, DMY)), lines=self.count))
            self.count += 1
        sources = [*{e.sha256: e for e in sources}.values()]
        new = [
            part(self.random.choice(TABLES), self.count + n, *sources)
            for n in range(self.random.randrange(3) if sources else 0)
        ]
        self.count += len(new)
        there = [*self.expected.parts.values()]
        old = self.random.sample(there, min(len(there), self.random.randrange(3)))
        # Undo brings parts back.
        back = [self.gone.pop()] if self.gone and self.random.random() < 0.4 else []
        self.gone += old
        ledger = Ledger(self.folder)
        with ledger.writing():
            ledger.publish(sources, [*new, *back], [p.path for p in old])
            at = {e.sha256: e.committed_at for e in ledger.known.sources.values()}
        for each in old:
            del self.expected.parts[each.path]
        self.expected.parts |= {p.path: p for p in [*new, *back]}
        for e in sources:
            self.expected.sources.pop(e.sha256, None)
            self.expected.sources[e.sha256] = replace(e, committed_at=at[e.sha256])

    def agrees(self) -> None:
        found = Ledger(self.folder).state()
        asked = self.random.randrange(5)
        if asked == 0:
            for sha, e in self.expected.sources.items():
                assert found.sources[sha] == e
            for path, p in self.expected.parts.items():
                assert found.parts[path] == p
        if asked <= 1:
            assert [p.path for p in self.gone if p.path in found.parts] == []
            assert found.parts.get("cell_null/x.parquet") is None
            assert "0" * 64 not in found.sources
        if asked <= 2:
            rows = made(source_table(found), SourceEntry)
            assert rows == list(self.expected.sources.values())
            for table in TABLES:
                assert found.parts_of(table) == [p for p in self.expected.parts.values() if p.table == table]
            assert {e.sha256 for e in found.read_otherwise("0")} == self.expected.sources.keys()
            assert found.read_otherwise(entry("a").reader_version) == []
        if asked <= 3:
            assert list(found.parts) == list(self.expected.parts)
            assert (len(found.parts), len(found.sources)) == (len(self.expected.parts), len(self.expected.sources))
        assert list(found.sources.items()) == list(self.expected.sources.items())
        assert list(found.parts.items()) == list(self.expected.parts.items())


@pytest.mark.parametrize("seed", some(range(2), 2))
def test_the_state_from_checkpoints_is_that_of_the_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int):
    monkeypatch.setattr(ledgers, "_STEPS_PER_CHECKPOINT", 3)
    # Rows are looked up in several groups.
    monkeypatch.setattr(checkpoints, "_ROWS_PER_GROUP", 16)
    monkeypatch.setattr(checkpoints, "_ROWS_PER_BATCH", 40)
    random = Random(seed)
    model = Model(tmp_path, random)
    for _ in range(60):
        model.step()
        if random.random() < 0.1:
            ledger = Ledger(tmp_path)
            with ledger.writing():
                ledger.remove_unneeded()
        if random.random() < 0.2:
            model.agrees()
    model.agrees()
    assert (tmp_path / "_ledger" / "checkpoints" / "0000000060.parts.parquet").exists()
    assert [e.step for e in Ledger(tmp_path).history()] == sorted(e.step for e in Ledger(tmp_path).history())
    came = [e.source_id for e in Ledger(tmp_path).history() if e.action == "ingested"]
    assert set(came) >= {e.source_id for e in model.expected.sources.values()}


def test_what_the_newest_step_needs_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the checkpoint before the one that it made due: with both the ledger can be read without its head, and the step undone."""
    monkeypatch.setattr(ledgers, "_STEPS_PER_CHECKPOINT", 3)
    ledger = Ledger(tmp_path)
    ledger.create()
    for n in range(6):
        with ledger.writing():
            ledger.publish([e := entry(f"s{n}")], [part(GOAL, n, e)])
    with ledger.writing() as state:
        ledger.remove_unneeded()
        found = ledger.newest_change(state)
    assert sorted({p.name[:10] for p in (tmp_path / "_ledger" / "checkpoints").iterdir()}) == ["0000000003", "0000000006"]  # fmt: skip
    assert found is not None
    assert (found[0], len(found[1].sources), len(found[1].parts)) == (6, 5, 5)
    (tmp_path / "_ledger" / "head.json").unlink()
    salvaged, events = Ledger(tmp_path).salvage()
    assert (len(salvaged.sources), len(events)) == (6, 6)


def test_what_is_not_asked_for_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(tmp_path)
    ledger.create()
    some = [entry(f"s{n}") for n in range(5000)]
    with ledger.writing():
        ledger.publish(some, [part(table, n, *some[:100]) for table in TABLES for n in range(300)])
    made: list[type] = []
    real = checkpoints.made

    def counted(table: object, of: type) -> list[object]:
        found = real(table, of)  # type: ignore[arg-type]
        made.extend([of] * len(found))
        return found

    monkeypatch.setattr(checkpoints, "made", counted)
    state = Ledger(tmp_path).state()
    assert made == []
    assert len(state.parts_of(GOAL)) == 300
    assert state.sources[some[7].sha256].source_file == "s7.txt"
    assert made == [Part] * 300 + [SourceEntry]
