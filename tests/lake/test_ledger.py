"""The ledger: whatever of it is lost or changed is noticed by every command, and nothing is removed then."""

from __future__ import annotations

import base64
import errno
import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import Command
from hostile_inputs import mutated
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest import batches
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.damage import find_damage
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.parts import Bounds, Sink, bounds_of
from ironlake.pipeline.lake.sealed import DamagedLedger, seal, unseal
from ironlake.pipeline.sql.schema import ingest_file
from ironlake.pipeline.storage.local import LocalStorage, NewLocalFile
from lake_rows import ACTIVITY, DMY, add, answers, checksum, counts, entry, make_checkpoint
from sample_pages import sample
from sizes import some

FILES = ("g2_every_cell_differs", "g3_every_cell_differs", "velocity_goal", "xcf_members", "junk_lines")
_TRIED = 150
WRITE = os.O_CREAT | os.O_WRONLY


def parts_of(lake: Path) -> set[str]:
    """Every part file, wherever in the lake it is."""
    return {p.relative_to(lake).as_posix() for p in lake.rglob("*.parquet") if "checkpoints" not in p.parts}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of several ingests, its files of several batches: a checkpoint, steps after it, and a part that was replaced."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "BATCH_BYTES", 3000)
        patch.setattr(batches, "MOST_BYTES", 6000)
        lake = tmp_path_factory.mktemp("made") / "lake"
        ingest([str(sample(name)) for name in FILES[:2]], lake, Options(), jobs=1)
        ingest([str(sample(FILES[2]))], lake, Options(date_order="dmy"), jobs=1)
        make_checkpoint(lake)
        ingest([str(sample(FILES[2]))], lake, Options(), jobs=1)
        ingest([str(sample(name)) for name in FILES[3:]], lake, Options(), jobs=1)
    return lake


@pytest.fixture
def lake(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "lake")
    return tmp_path / "lake"


def ledger_files(lake: Path) -> list[Path]:
    return [p for p in sorted((lake / "_ledger").rglob("*.*")) if p.is_file() and p.suffix != ".lock"]


# --- Damage is noticed ------------------------------------------------------------------------------------------------


def test_damage_to_any_file_of_the_ledger_is_noticed_or_changes_no_answer(lake: Path) -> None:
    """Bits flipped, stretches lost, doubled or overwritten, and the content of other files."""
    random = Random(4)
    whole, parts, files = Ledger(lake).state(), parts_of(lake), ledger_files(lake)
    contents = [path.read_bytes() for path in files]
    noticed = 0
    for path, content in zip(files, contents, strict=True):
        flipped = bytearray(content)
        flipped[random.randrange(len(content))] ^= 1 << random.randrange(8)
        tried = [bytes(flipped), *(other for other in contents if other != content)]
        for damaged in tried + [mutated(content, random, contents) for _ in range(_TRIED // len(files) - len(files))]:
            path.write_bytes(damaged)
            try:
                assert Ledger(lake).state() == whole, path
            except IronlakeError:
                noticed += 1
                with pytest.raises(IronlakeError), Lake(lake) as damaged:
                    damaged.verify_parts()
                with pytest.raises(IronlakeError):
                    Lake(lake).compact(grace_s=0)
            assert parts_of(lake) >= parts
        path.write_bytes(content)
    # Only steps before the checkpoint are not looked at.
    assert noticed > _TRIED / 3


def change_a_digest(ledger: Path) -> None:
    """One hex digit of the SHA-256 of a source: the same file would count twice."""
    step = sorted((ledger / "steps").iterdir())[-1]
    text = step.read_text()
    at = text.index('"sha256":"', text.index('"add_sources"')) + len('"sha256":"')
    step.write_text(text[:at] + ("1" if text[at] == "0" else "0") + text[at + 1 :])


def empty(ledger: Path) -> None:
    shutil.rmtree(ledger)
    ledger.mkdir()
    for name in ("steps", "checkpoints"):
        (ledger / name).mkdir()


def twice(ledger: Path) -> None:
    last = sorted((ledger / "steps").iterdir())[-1]
    shutil.copy(last, last.with_name(f"{int(last.stem) + 1:010d}.json"))


def test_every_command_says_that_the_ledger_is_damaged(
    run: Command, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (lake / "_ledger" / "head.json").unlink()
    before = checksum(lake)
    runs = [word for name in "ab" for word in ("--run", f"{name}=2020-01-01T00:00/2020-01-02T00:00")]
    for words in (
        ["sql", "SELECT 1"],
        ["check"],
        ["status"],
        ["rejects"],
        ["describe"],
        ["catalog", "--out", "lake.duckdb"],
        ["compare", "--out", "page.html", *runs],
        ["ingest", sample("velocity_goal")],
    ):
        code, out, err = run(*words, "--lake", lake)
        assert (code, out) == (1, ""), words
        assert f"the ledger is damaged: {lake}/_ledger/head.json is missing" in err, words
        assert "check --repair" in err, words
        assert checksum(lake) == before, words


DAMAGES: dict[str, Callable[[Path], None]] = {
    "a digit of a digest": change_a_digest,
    "no head": lambda ledger: (ledger / "head.json").unlink(),
    "no checkpoints": lambda ledger: shutil.rmtree(ledger / "checkpoints"),
    "no steps": lambda ledger: shutil.rmtree(ledger / "steps"),
    "no last step": lambda ledger: sorted((ledger / "steps").iterdir())[-1].unlink(),
    "a hole": lambda ledger: sorted((ledger / "steps").iterdir())[-2].unlink(),
    "nothing": empty,
    "no ledger": shutil.rmtree,
    "a step twice": twice,
}


@pytest.mark.parametrize("damage", some(DAMAGES.values(), 6), ids=DAMAGES)
def test_a_damaged_ledger_loses_nothing_and_is_rebuilt(lake: Path, damage: Callable[[Path], None]) -> None:
    expected, parts = answers(lake), parts_of(lake)
    for path in lake.rglob("*.parquet"):
        os.utime(path, (0, 0))
    damage(lake / "_ledger")
    for command in (
        lambda: open_lake(lake),
        lambda: ingest([str(sample("velocity_goal"))], lake, Options()),
        lambda: Lake(lake).compact(grace_s=0),
    ):
        with pytest.raises(IronlakeError, match="the ledger is damaged"):
            command()
    assert parts_of(lake) == parts
    with Lake(lake) as target:
        lost = [e.source_file for e in target.repair()]
    if lost:
        # Two readings of one content lie there; nobody knows which was the last. It is read again.
        assert lost == [str(sample(FILES[2]))]
        ingest(lost, lake, Options())
    assert answers(lake) == expected
    with Lake(lake) as target:
        target.compact(grace_s=0)
    assert answers(lake) == expected


def test_an_older_head_is_noticed_where_the_steps_differ(lake: Path) -> None:
    """Another step in the place of one, whole and with its own digest: of a copy of the lake that went on by itself."""
    other = lake.parent / "other"
    steps = sorted((lake / "_ledger" / "steps").iterdir())
    shutil.copytree(lake, other)
    for path in (lake, other):
        add(Lake(path), entry(path.name))
        add(Lake(path), entry("last"))
    name = f"{int(steps[-1].stem) + 1:010d}.json"
    shutil.copy(other / "_ledger" / "steps" / name, lake / "_ledger" / "steps" / name)
    with pytest.raises(IronlakeError, match="does not follow the step before"):
        open_lake(lake)


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_a_ledger_that_says_anything_is_an_error_or_an_answer(tmp_path: Path, every: int) -> None:
    """Made by somebody who can compute digests: never an exception of another kind, and never a hang."""
    lake = Lake(tmp_path / "lake")
    add(lake, entry("a"))
    path, head = lake.path / "_ledger" / "steps" / "0000000001.json", lake.path / "_ledger" / "head.json"
    step, top = ({k: v for k, v in json.loads(p.read_text()).items() if k != "digest"} for p in (path, head))
    errors = 0
    for record, place in [(step, path), (top, head)]:
        for changed in [c for c in changes_of(record) if isinstance(c, dict)][::every]:
            content = seal({k: v for k, v in changed.items() if k != "format"})
            place.write_bytes(content)
            if place == path:
                head.write_bytes(seal(top | {"step_digest": json.loads(content)["digest"]}))
            try:
                state = Ledger(lake.path).state()
                assert ingest_file(state).num_rows == len(state.sources)
                find_damage(lake.path, state)
            except IronlakeError:
                errors += 1
        path.write_bytes(seal(step))
    assert errors > 50


def changes_of(value: Any) -> Iterator[Any]:
    """A JSON value with one of its values in the place of which stands something else, or nothing."""
    yield from (None, -1, 1 << 70, "x", [], {}, 0.5)
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        for changed in changes_of(value[key]):
            copy = value.copy()
            copy[key] = changed
            yield copy
        if isinstance(value, dict):
            yield {k: v for k, v in value.items() if k != key}


# --- Rebuilding -------------------------------------------------------------------------------------------------------


def test_a_source_that_is_not_whole_is_not_rebuilt(lake: Path) -> None:
    """A part is lost together with the ledger."""
    state = Ledger(lake).state()
    lost = next(p for p in state.parts.values() if p.table == "rmf_workload_goal")
    beside = {e.source_file for e in state.sources.values() if e.source_id in lost.source_ids}
    assert beside
    (lake / lost.path).unlink()
    empty(lake / "_ledger")
    with Lake(lake) as target:
        assert {e.source_file for e in target.repair()} >= beside
    with open_lake(lake) as opened:
        found = dict(opened.sql("SELECT source_file, status FROM ingest_file").fetchall())
        assert all(found[name] == "failed" for name in beside)
        assert list(found.values()).count("ingested") == len(FILES) - len(beside | {str(sample(FILES[2]))})


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_reading_before_a_hole_is_not_taken_for_the_last(tmp_path: Path, is_marked: bool) -> None:
    """Without a mark beside the part that was dropped, as older releases leave it, nobody knows which reading was the last."""
    lake = Lake(tmp_path / "lake")
    add(lake, entry("a", lines=10), entry("b", lines=4))
    add(lake, entry("c"))
    add(lake, entry("a", DMY, lines=7))
    add(lake, entry("d"))
    (lake.path / "_ledger" / "steps" / "0000000002.json").unlink()
    marks = list(lake.path.rglob("*.dropped"))
    assert len(marks) == 1
    if not is_marked:
        marks[0].unlink()
    lake = Lake(lake.path)
    assert [e.source_file for e in lake.repair()] == ([] if is_marked else ["a.txt"])
    assert counts(lake.path) == {"b.txt": 4, "c.txt": 10, "d.txt": 10} | ({"a.txt": 7} if is_marked else {})
    add(lake, entry("a", DMY, lines=7))
    assert counts(lake.path) == {"a.txt": 7, "b.txt": 4, "c.txt": 10, "d.txt": 10}


def test_a_part_with_a_flipped_bit_is_not_rebuilt(lake: Path) -> None:
    """Not even in the footer, of which Parquet has no checksum."""
    state = Ledger(lake).state()
    part = max((p for p in state.parts.values() if p.table == ACTIVITY), key=lambda p: p.bytes)
    content = bytearray((lake / part.path).read_bytes())
    content[-200] ^= 4
    (lake / part.path).write_bytes(content)
    empty(lake / "_ledger")
    with Lake(lake) as target:
        target.repair()
    rebuilt = {e.source_id for e in Ledger(lake).state().sources.values() if e.status != "failed"}
    assert not rebuilt.intersection(part.source_ids)
    assert (lake / "_unknown" / part.path).exists()


def test_a_part_may_say_anything_of_its_origin(tmp_path: Path) -> None:
    """Made by somebody who can compute digests: what is not understood counts as not said."""
    table = pa.table({"source_id": ["0" * 16], "source_file": ["x.txt"]})
    packed = lambda value: base64.b64encode(zlib.compress(json.dumps(value).encode())).decode()  # noqa: E731
    good = [["0" * 16, 0, 1]]
    texts = [(packed(rows), packed(sources)) for rows in (None, 1, [1], [[1, 2]], [["a", "b", "c"]], [[None] * 3], good)
             for sources in (None, [1], [{}], [{"batch": 0, "last": 1}], [{"batch": 0, "last": 1, "sha256": 3}], [])]  # fmt: skip
    texts += [("!", "!"), ("", ""), (base64.b64encode(b"no zlib").decode(), "")]
    lake = Lake(tmp_path / "lake")
    add(lake, entry("a"))
    for number, (rows_said, sources_said) in enumerate(texts):
        descriptor = os.open(lake.path / ACTIVITY / f"{number:016x}-000000.parquet", WRITE)
        sink = Sink(NewLocalFile(LocalStorage(lake.path), "", descriptor))
        with pq.ParquetWriter(sink, table.schema) as writer:
            writer.write_table(table)
            said = {"ironlake.rows": rows_said, "ironlake.sources": sources_said, "ironlake.digest": "0" * 64}
            writer.add_key_value_metadata(said)
            sink.hold()
        sink.finish()
    empty(lake.path / "_ledger")
    assert [e.source_file for e in lake.repair()] == ["x.txt"]
    assert counts(lake.path) == {"a.txt": 10}


# --- What the checkpoint says -----------------------------------------------------------------------------------------


def test_a_checkpoint_has_the_times_of_every_part(lake: Path) -> None:
    make_checkpoint(lake)
    (path,) = (lake / "_ledger" / "checkpoints").glob(f"{Ledger(lake).state().step:010}.parts.parquet")
    listed = pq.read_table(path).to_pylist()
    assert len(listed) == len(Ledger(lake).state().parts) > 5
    timed = 0
    for row in listed:
        assert sha256((lake / row["path"]).read_bytes()).hexdigest() == row["sha256"]
        table = pq.read_table(lake / row["path"])
        if "interval_start" in table.column_names:
            times = [(r["interval_start"], r["interval_end"]) for r in table.to_pylist()]
            starts = [(start or end).isoformat() for start, end in times if start or end]
            ends = [(end or start).isoformat() for start, end in times if start or end]
            assert (row["first_time"], row["last_time"]) == (min(starts, default=None), max(ends, default=None))
            assert (row["last_start"], row["first_end"]) == (max(starts, default=None), min(ends, default=None))
            timed += bool(starts)
        else:
            assert (row["first_time"], row["last_time"]) == (None, None)
    assert timed > 3


def test_a_row_without_a_start_counts_by_its_end() -> None:
    """A day whose only row has no start is a day of the part."""
    days = [datetime(2026, 3, day) for day in (1, 2, 3)]
    rows = pa.table(
        {"interval_start": pa.array([None, days[1]], pa.timestamp("us")), "interval_end": pa.array([days[0], days[2]], pa.timestamp("us"))}
    )  # fmt: skip
    first, second, third = (day.isoformat() for day in days)
    assert bounds_of([rows]) == Bounds(first_time=first, last_start=second, first_end=first, last_time=third)


# --- What cannot be read is not damaged -------------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "code"), [("part", errno.EACCES), ("ledger", errno.EIO)])
def test_what_cannot_be_read_stops_a_repair(
    run: Command, lake: Path, monkeypatch: pytest.MonkeyPatch, code: int, place: str
) -> None:
    part = next(iter(Ledger(lake).state().parts))
    name = Path(part).name if place == "part" else "head.json"
    before = checksum(lake)
    real = os.open

    def fails(path: object, *arguments: object, **named: object) -> int:
        if str(path).endswith(name):
            raise OSError(code, os.strerror(code), str(path))
        return real(path, *arguments, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "open", fails)
    for words in (["check"], ["check", "--repair"], ["ingest", sample("velocity_goal")]):
        exit_code, out, err = run(*words, "--lake", lake)
        assert (exit_code, out) == (1, "")
        assert os.strerror(code) in err
        assert "ingest again" not in err
    monkeypatch.undo()
    assert {k: v for k, v in checksum(lake).items() if not k.endswith(".lock")} == {
        k: v for k, v in before.items() if not k.endswith(".lock")
    }


def test_a_lake_of_a_newer_release_is_refused_and_not_called_damaged(run: Command, lake: Path) -> None:
    """Whatever else is new: this code need not know the rest of head.json, nor its digest."""
    before = parts_of(lake)
    for head, said in (
        (b'{"format": 2, "anything": 1}', "(format 2; this one reads 1)"),
        (seal({"format": 2, "step": 5}), "(format 2; this one reads 1)"),
        (seal({"schema": 3, "step": 5, "checkpoint": None}), "(schema 3; this one reads 2)"),
    ):
        (lake / "_ledger" / "head.json").write_bytes(head)
        for words in (["sql", "SELECT 1"], ["check", "--repair"], ["ingest", sample("velocity_goal")], ["undo"]):
            code, out, err = run(*words, "--lake", lake)
            assert (code, out) == (1, "")
            assert f"this lake was written by a newer Ironlake {said}\nhint: upgrade Ironlake\n" in err
            assert "damaged" not in err
    assert parts_of(lake) == before


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 100_000 + "]" * 100_000, "{"])
def test_sealed_json_that_python_cannot_parse_is_damage(value: str) -> None:
    sealed = seal({"x": "HERE"})
    body = sealed[: sealed.rindex(b',"digest"')].replace(b'"HERE"', value.encode())
    content = body + b',"digest":"' + sha256(body).hexdigest().encode() + b'"}\n'
    with pytest.raises(DamagedLedger, match="is no JSON that Ironlake writes"):
        unseal(Path("head.json"), content)


def test_for_many_files_the_ledger_is_read_as_often_as_for_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    original = Ledger._read_head

    def noted(ledger: Ledger) -> dict[str, Any] | None:
        read.append(1)
        return original(ledger)

    monkeypatch.setattr(Ledger, "_read_head", noted)
    counts = []
    for many in (2, 20):
        read.clear()
        for number in range(many):
            (tmp_path / f"{many}_{number:02}.txt").write_bytes(sample(FILES[0]).read_bytes() + b" \n" * number)
        ingest([str(p) for p in sorted(tmp_path.glob(f"{many}_*.txt"))], tmp_path / f"lake{many}", Options(), jobs=1)
        counts.append(len(read))
    assert counts[0] == counts[1] > 0


def test_a_copy_of_a_file_that_the_same_ingest_committed_tells_what_the_lake_has_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_SOURCES", 2)
    for name, page in zip("abcd", (*FILES[:3], FILES[0]), strict=True):
        (tmp_path / f"{name}.txt").write_bytes(sample(page).read_bytes())
    found = ingest([str(tmp_path / f"{name}.txt") for name in "abcd"], tmp_path / "lake", Options(), jobs=1).files
    first, copy = (next(f for f in found if f.path.endswith(name)) for name in ("a.txt", "d.txt"))
    assert (first.status, copy.status, copy.error) == ("ingested", "already_ingested", f"same content as {first.path}")
    assert copy.rows == first.rows != {}
    assert copy.pages == first.pages > 0
