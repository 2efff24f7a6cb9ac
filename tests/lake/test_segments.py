"""The state of a ledger with many segments is that of its steps, whatever is asked of it and in whatever order."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from ironlake.pipeline.lake import ledger as ledgers
from ironlake.pipeline.lake.checkpoints import made, source_rows
from ironlake.pipeline.lake.ledger import Ledger, Part, SourceEntry, State
from ironlake.pipeline.lake.segments import _joined, source_table
from ironlake.pipeline.storage.local import LocalStorage
from lake_rows import ACTIVITY, DMY, GOAL, MDY, entry

TABLES = (ACTIVITY, GOAL, "cell_null")


def part(table: str, number: int, *entries: SourceEntry) -> Part:
    path = f"{table}/{number:032x}-{0:06}.parquet"
    ids = tuple(sorted(e.source_id for e in entries))
    return Part(
        table, path, number, 2 * number, ids, f"{number:064x}", "", "2026-01-01T00:00:00", "2026-01-02T00:00:00.500000"
    )


class Model:
    """A ledger, and the state that plain dicts say it has. The parts have no files: nothing here reads one."""

    def __init__(self, folder: Path, random: Random):
        self.folder, self.random = folder, random
        self.expected = State()
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
        self.expected.parts.update({p.path: p for p in [*new, *back]})
        self.expected.sources.update({e.sha256: _at(e, at) for e in sources})
        self.expected.step += 1

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
                assert found.parts_of(table) == self.expected.parts_of(table)
            assert {e.sha256 for e in found.read_otherwise("0")} == self.expected.sources.keys()
            assert found.read_otherwise(entry("a").reader_version) == []
        if asked <= 3:
            assert list(found.parts) == list(self.expected.parts)
            assert (len(found.parts), len(found.sources)) == (len(self.expected.parts), len(self.expected.sources))
        assert list(found.sources.items()) == list(self.expected.sources.items())
        assert list(found.parts.items()) == list(self.expected.parts.items())


def _at(e: SourceEntry, at: dict[str, str]) -> SourceEntry:
    return SourceEntry(**{**vars(e), "committed_at": at[e.sha256]})


@pytest.mark.parametrize("seed", range(6))
def test_a_ledger_of_many_segments_is_that_of_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(ledgers, "_STEPS_PER_CHECKPOINT", 3)
    # Some merges are left to compaction.
    monkeypatch.setattr(ledgers, "_MERGED_BY_A_COMMIT", 40)
    random = Random(seed)
    model = Model(tmp_path, random)
    segments = set()
    for _ in range(90):
        model.step()
        if random.random() < 0.1:
            ledger = Ledger(tmp_path)
            with ledger.writing():
                ledger.fold()
                ledger.remove_unneeded()
        if random.random() < 0.2:
            model.agrees()
        head = Ledger(tmp_path)
        head.state()
        segments.add(len(head._checkpoint["segments"]) if head._checkpoint else 0)
    model.agrees()
    assert max(segments) >= 3
    assert [e.step for e in Ledger(tmp_path).history()] == sorted(e.step for e in Ledger(tmp_path).history())
    came = [e.source_id for e in Ledger(tmp_path).history() if e.action == "ingested"]
    assert set(came) >= {e.source_id for e in model.expected.sources.values()}


def test_a_commit_writes_what_is_new_and_not_the_whole_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "_STEPS_PER_CHECKPOINT", 1)
    ledger = Ledger(tmp_path)
    ledger.create()
    with ledger.writing():
        ledger.publish([entry(f"s{n}") for n in range(2000)])
    written: list[int] = []
    real = LocalStorage.put
    monkeypatch.setattr(
        LocalStorage, "put", lambda files, path, content: (written.append(len(content)), real(files, path, content))
    )
    with ledger.writing():
        ledger.publish([entry("new")])
    assert len(written) == 5
    assert sum(written) < 30_000
    assert len(Ledger(tmp_path).state().sources) == 2001


def test_what_is_not_asked_for_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(tmp_path)
    ledger.create()
    some = [entry(f"s{n}") for n in range(5000)]
    with ledger.writing():
        ledger.publish(some, [part(table, n, *some[:100]) for table in TABLES for n in range(300)])
    made: list[type] = []
    for kind in (SourceEntry, Part):
        _count(monkeypatch, kind, made)
    state = Ledger(tmp_path).state()
    assert made == []
    assert len(state.parts_of(GOAL)) == 300
    assert state.sources[some[7].sha256].source_file == "s7.txt"
    assert made == [Part] * 300 + [SourceEntry]


def _count(monkeypatch: pytest.MonkeyPatch, kind: type, made: list[type]) -> None:
    from ironlake.pipeline.lake import segments

    real = segments.made

    def counted(table: object, of: type) -> list[object]:
        found = real(table, of)  # type: ignore[arg-type]
        if of is kind:
            made.extend([kind] * len(found))
        return found

    monkeypatch.setattr(segments, "made", counted)


def test_segments_without_a_common_source_are_joined_as_they_are():
    """To copy the sources of a large lake takes a quarter of a gigabyte."""
    first, second, again = (source_rows([entry(name, MDY, lines=3)]) for name in ("a", "b", "a"))
    joined = _joined([first, second])
    assert joined["source_file"].to_pylist() == ["a.txt", "b.txt"]
    assert [c.buffers()[2].address for c in joined["sha256"].chunks] == [
        t["sha256"].chunk(0).buffers()[2].address for t in (first, second)
    ]
    assert _joined([first, second, again])["source_file"].to_pylist() == ["b.txt", "a.txt"]
