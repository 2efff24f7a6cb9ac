"""Parts and ledgers whose digests are right, but that Ironlake did not write: an error that names the file, in little memory, and a repair."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import Command, ended
from ironlake.pipeline import open_lake
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.lake import footers
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.parts import footer_digest
from ironlake.pipeline.lake.sealed import DamagedLedger, seal
from ironlake.pipeline.sql.open_lake import OpenLake
from lake_rows import ACTIVITY, GOAL, add, counts, entry, fill, make_checkpoint, repaired, sealed_anew

Forge = Callable[[pa.Table], pa.Table]
GIGABYTE = 1 << 30


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    lake = Lake(tmp_path / "lake")
    add(lake, entry("a"))
    add(lake, entry("b"))
    lake.close()
    return lake.path


def forge(lake: Path, make: Forge | bytes, rows: int | None = None) -> str:
    """Put other rows, or bytes, in the place of a part, and name them in the ledger with all their digests; returns the path below the lake."""
    ledger = Ledger(lake)
    part = next(iter(ledger.state().parts.values()))
    if isinstance(make, bytes):
        content, many = make, part.rows
    else:
        table = make(pq.read_table(lake / part.path))
        content, many = parquet(table), len(table) if rows is None else rows
    (lake / part.path).write_bytes(content)
    footer = footer_digest(io.BytesIO(content))
    forged = replace(part, bytes=len(content), sha256=sha256(content).hexdigest(), footer=footer, rows=many)
    with ledger.writing():
        ledger.publish([], [forged], [part.path])
    return part.path


def other(column: str, value: Any) -> Forge:
    return lambda rows: rows.set_column(rows.schema.get_field_index(column), column, pa.array([value] * len(rows)))


@pytest.mark.parametrize(
    ("make", "rows", "said"),
    [
        (other("line", "x"), None, "has string in column line, which is integer"),
        (other("service_class", {"a": 1}), None, "in column service_class, which is text"),
        (other("interval_start", 7), None, "has int64 in column interval_start, which is time"),
        (lambda rows: rows.drop_columns(["source_id"]), None, "has no column source_id"),
        (lambda rows: pa.concat_tables([rows] * 3), 10, "has 30 rows instead of 10"),
        (other("service_class", "x" * (1 << 20)), None, "bytes, more than 10 times its size"),
    ],
    ids=["text", "struct", "time", "no source", "rows", "large"],
)
def test_a_part_of_other_columns_is_damage(
    run: Command, lake: Path, monkeypatch: pytest.MonkeyPatch, make: Forge, rows: int | None, said: str
):
    monkeypatch.setattr(footers, "_UNPACKED_BYTES", 1 << 16)
    monkeypatch.setattr(footers, "_MOST_TIMES", 10)
    part = forge(lake, make, rows)
    for few_rows in (0, 50_000):
        with OpenLake(lake, few_rows=few_rows) as opened, pytest.raises(IronlakeError, match=said) as refused:
            opened.sql(f"SELECT count(*) FROM {ACTIVITY}").fetchall()
        assert part in str(refused.value)
        assert "ironlake check --repair" in str(refused.value)
    if rows:
        code, _, err = run("check", "--lake", lake)
        assert (code, said in err, part in err) == (1, True, True)
    with Lake(lake) as writer:
        assert writer.compact(most_small_parts=1, grace_s=0) == 0
        assert [e.source_file for e in writer.repair()] == ["a.txt"]
    assert counts(lake) == {"b.txt": 10}


def test_a_catalog_names_no_part_that_a_query_refuses(run: Command, tmp_path: Path) -> None:
    # No view reads these rows, so only the catalog's own look finds them.
    table = "rmf_workload_importance"
    fill(tmp_path / "lake", entry("a"), tables=(table,))
    part = forge(tmp_path / "lake", lambda rows: pa.concat_tables([rows] * 3), rows=10)
    code, _, err = run("catalog", "--lake", tmp_path / "lake", "--out", tmp_path / "lake.duckdb")
    assert (code, part in err, "has 30 rows instead of 10" in err) == (1, True, True)
    assert os.listdir(tmp_path) == ["lake"]


def test_a_part_that_is_no_parquet_is_damage(lake: Path) -> None:
    part = forge(lake, b"abc")
    with open_lake(lake) as opened, pytest.raises(IronlakeError, match=f"{part} cannot be read"):
        opened.sql(f"SELECT count(*) FROM {ACTIVITY}")
    assert repaired(lake) == ["a.txt"]


_ASK = f"""
import resource, sys
from pathlib import Path
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.lake import footers
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.sql.open_lake import OpenLake
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
lost = []
for path in map(Path, sys.argv[1:]):
    try:
        with OpenLake(path) as lake:
            lake.sql("SELECT count(*), max(service_class) FROM {ACTIVITY}").fetchall()
    except IronlakeError as error:
        print(error)
    with Lake(path) as lake:
        lost += [e.source_file for e in lake.repair()]
# Not ru_maxrss: that begins with the peak of the process that started this one.
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(lost, int(peak) << 10)
"""


def asked(*lakes: Path) -> tuple[str, int]:
    """What a query says of each lake in a process of 4 GB that then repairs it, and the most memory that it used."""
    done = ended(sys.executable, "-c", _ASK, *lakes)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout, int(done.stdout.split()[-1])


def checkpointed(lake: Path, **files: bytes) -> None:
    """A head that names a checkpoint of other content, with all its digests."""
    if not files:
        make_checkpoint(lake)
    head = json.loads((lake / "_ledger" / "head.json").read_bytes())
    head.pop("digest")
    named = head["checkpoint"]
    for kind, content in files.items():
        path = lake / "_ledger" / "checkpoints" / f"{named['step']:010d}.{kind}.parquet"
        path.write_bytes(content)
        named[kind] = sha256(content).hexdigest()
    (lake / "_ledger" / "head.json").write_bytes(seal(head))


def parquet(table: pa.Table) -> bytes:
    out = pa.BufferOutputStream()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue().to_pybytes()


def test_a_checkpoint_of_many_equal_rows_and_a_head_of_many_gigabytes_take_little_memory(lake: Path) -> None:
    """The head takes no room on the disk."""
    other = shutil.copytree(lake, lake.parent / "other")
    checkpointed(lake)
    path = next((lake / "_ledger" / "checkpoints").glob("*.sources.parquet"))
    rows = pq.read_table(path)
    checkpointed(lake, sources=parquet(rows.take(pa.array([0] * 1_000_000))))
    with open(head := other / "_ledger" / "head.json", "ab"):
        os.truncate(head, 100 * GIGABYTE)
    told, peak = asked(lake, other)
    assert f"{path} has 1,000,000 rows in " in told
    assert f"{head} has 107,374,182,400 bytes, more than 67,108,864" in told
    assert peak < GIGABYTE
    assert counts(lake) == counts(other) == {"a.txt": 10, "b.txt": 10}


def test_a_checkpoint_with_other_values_than_ironlake_writes_is_damage(lake: Path, monkeypatch: pytest.MonkeyPatch):
    checkpointed(lake)
    there = {kind: pq.read_table(next((lake / "_ledger" / "checkpoints").glob(f"*.{kind}.parquet"))) for kind in ("parts", "sources")}  # fmt: skip
    for kind, column, value, said in (
        ("sources", "lines", None, "has no value in lines"),
        ("sources", "committed_at", "x", "Invalid isoformat"),
        ("parts", "path", f"{ACTIVITY}/../../outside.parquet", "a part that Ironlake does not make"),
        ("parts", "path", f"{GOAL}/0123456789abcdef-000000.parquet", "a part that Ironlake does not make"),
        (
            "parts",
            "path",
            f"{'x' * len(ACTIVITY)}/0123456789abcdef-000000.parquet",
            "a part that Ironlake does not make",
        ),
        ("parts", "first_time", "x", "Invalid isoformat"),
        ("parts", "source_ids", b"xyz", "the ledger is damaged"),
    ):
        table = there[kind]
        at = table.schema.get_field_index(column)
        forged = table.set_column(
            at, table.schema.field(at), pa.array([value] * len(table), table.schema.field(at).type)
        )
        checkpointed(lake, **{k: parquet(t) for k, t in (there | {kind: forged}).items()})
        state = Ledger(lake).state()
        with pytest.raises(DamagedLedger, match=said):
            _ = [*state.sources.values()], [part.source_ids for part in state.parts_of(ACTIVITY)]
    long_list = other("source_ids", zlib.compress(b"[0" + b" " * 1000 + b"]"))(there["parts"])
    for ids, said in ((b"[1, 2]", "has no ids of sources"), (b'["a", "b"]', "unpacks to more than its sources")):
        named = {"ironlake.source_ids": base64.b64encode(zlib.compress(ids))}
        forged = long_list.cast(there["parts"].schema).replace_schema_metadata(named)
        checkpointed(lake, sources=parquet(there["sources"]), parts=parquet(forged))
        with pytest.raises(DamagedLedger, match=said):
            _ = [part.source_ids for part in Ledger(lake).state().parts_of(ACTIVITY)]
    checkpointed(lake, **{kind: parquet(table) for kind, table in there.items()}, history=parquet(pa.table({"x": [1]})))
    with pytest.raises(DamagedLedger, match="has other columns than a checkpoint"):
        Ledger(lake).history()
    checkpointed(lake, sources=parquet(there["sources"].drop_columns(["lines"])))
    with pytest.raises(DamagedLedger, match="has other columns than a checkpoint"):
        Ledger(lake).state()
    # Few rows, of which one unpacks to far more than the file.
    monkeypatch.setattr(footers, "_UNPACKED_BYTES", 1 << 16)
    monkeypatch.setattr(footers, "_MOST_TIMES", 10)
    long = other("source_file", "x" * (1 << 20))(there["sources"]).cast(there["sources"].schema)
    checkpointed(lake, sources=parquet(long))
    with pytest.raises(DamagedLedger, match="times its size"):
        Ledger(lake).state()


def test_a_head_whose_step_is_no_number_is_damage(lake: Path) -> None:
    lost = {"step": 9, "parts": "", "sources": "", "step_digest": ""}
    for step in (float("nan"), float("inf"), True, "2", None, [1]):
        sealed_anew(lake / "_ledger" / "head.json", step=step, checkpoint=lost)
        with pytest.raises(IronlakeError, match="the ledger is damaged"):
            Ledger(lake).state()
    assert repaired(lake) == []
    assert counts(lake) == {"a.txt": 10, "b.txt": 10}


def test_a_source_of_other_values_than_ironlake_writes_is_damage(run: Command, lake: Path) -> None:
    step, head = lake / "_ledger" / "steps" / "0000000002.json", lake / "_ledger" / "head.json"
    (source,) = json.loads(step.read_bytes())["add_sources"]
    for change in ({"source_file": "\ud800.txt"}, {"lines": True}, {"rows": {"\udcff": 1}}, {"committed_at": "x"}):
        sealed_anew(step, add_sources=[source | change])
        sealed_anew(head, step_digest=json.loads(step.read_bytes())["digest"])
        with pytest.raises(IronlakeError, match=r"0000000002\.json") as damaged:
            Ledger(lake).state()
        assert "check --repair" in str(damaged.value)
    with Lake(lake) as writer:
        writer.repair()
    assert run("sql", "SELECT * FROM ingest_file", "--lake", lake)[0] == 0


def test_a_left_over_folder_that_is_too_deep_for_python_stops_nothing(lake: Path) -> None:
    (lake / "_tmp" / "1-0123456789ab.lock").touch()
    at = os.open(lake / "_tmp", os.O_RDONLY)
    for name in ["1-0123456789ab", *["d"] * 2_000]:
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    with Lake(lake) as writer:
        assert writer.spool.is_dir()
        add(writer, entry("c"))
    subprocess.run(["rm", "-r", lake], check=True)
