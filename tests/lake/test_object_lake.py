"""A lake in object storage: the rows of one on disk, whoever else writes, and whatever the storage answers. On a server of this machine."""

import gzip
import json
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote, unquote

import pytest
from command_line import PATIENCE_S, Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError, UsageError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake import ledger as ledgers
from ironlake.pipeline.lake.damage import find_damage
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.removal import Selection
from ironlake.pipeline.storage.address import Address, place_of
from ironlake.pipeline.storage.storage import storage_at
from lake_rows import ACTIVITY, DMY, GOAL, MDY, add, counts, entry, rows, write_part
from object_server import BUCKET, ObjectServer, actions, in_step
from sample_pages import ROOT

SAMPLES = ROOT / "sample_reports" / "rmf_overview"


# --- What a lake does -----------------------------------------------------------------------------------------------


def test_an_address_is_not_a_path_of_this_machine() -> None:
    assert str(place_of("s3://bucket/a/lake")) == "s3://bucket/a/lake"
    assert str(place_of(Path("s3://bucket/a/lake")) / "x") == "s3://bucket/a/lake/x"
    assert not isinstance(place_of("s3/bucket"), Address)
    for wrong in ("s3://", "s3://bucket/../other"):
        with pytest.raises(UsageError, match="not an address"):
            place_of(wrong)


def test_commands_give_the_parts_and_answers_of_a_lake_on_disk(lake: str, run: Command, tmp_path: Path) -> None:
    disk = tmp_path / "lake"
    for place in (disk, lake):
        code, _, err = run("ingest", SAMPLES, "--lake", place)
        assert code == 0, err
        assert run("ingest", SAMPLES, "--lake", place)[0] == 0
    ours, theirs = (Ledger(place_of(place)) for place in (lake, disk))
    assert list(ours.state().parts.values()) == list(theirs.state().parts.values())
    for path in theirs.state().parts:
        assert ours.files.read(path, 1 << 20) == (disk / path).read_bytes()
    question = "SELECT * EXCLUDE (committed_at) FROM ingest_file JOIN rmf_overview USING (source_id) ORDER BY ALL"
    (code, on_disk, _), (other, there, _) = (run("sql", question, "--lake", place) for place in (disk, lake))
    assert (code, other) == (0, 0)
    assert there == on_disk
    assert find_damage(place_of(lake), ours.state()) == {}


def test_replaced_removed_and_undone_as_on_disk(lake: str, tmp_path: Path) -> None:
    for place in (tmp_path / "lake", lake):
        with Lake(place) as target:
            add(target, entry("a"), entry("b"), tables=(ACTIVITY, GOAL))
            add(target, entry("a", DMY, lines=3))
            assert target.remove(Selection(frozenset([entry("b").source_id]))) == 3
            assert counts(place) == {"a.txt": 3}
            assert target.undo() == 4
        assert counts(place) == {"a.txt": 3, "b.txt": 10}
        # Large tables are read as datasets.
        assert counts(place, few_rows=0) == {"a.txt": 3, "b.txt": 10}
        assert counts(place, GOAL) == {"b.txt": 10}
    assert actions(lake) == actions(tmp_path / "lake")


def test_compaction_keeps_rows_and_what_a_reader_has_open(lake: str) -> None:
    expected = {f"{n}.txt": 10 for n in range(6)}
    with Lake(lake) as target:
        for n in range(6):
            add(target, entry(str(n)))
        reader = open_lake(lake)
        assert target.compact(most_small_parts=2) == 6
        files = Ledger(place_of(lake)).files
        assert len(Ledger(place_of(lake)).state().parts) == 1
        # A reader opened the lake before: nobody knows, so that all stays for a day.
        found = reader.sql(f"SELECT source_file, count(*) FROM {ACTIVITY} GROUP BY ALL ORDER BY ALL").fetchall()
        assert dict(found) == expected
        reader.close()
        # Six that were merged, the mark of each, and the merged one.
        assert len(files.names(ACTIVITY)) == 13
        target.compact(most_small_parts=2, grace_s=0)
    assert len(files.names(ACTIVITY)) == 1
    assert counts(lake) == expected


def test_print_files_are_read_from_object_storage(lake: str, run: Command, tmp_path: Path) -> None:
    page = sorted(SAMPLES.glob("*.txt"))[0].read_bytes()
    given = f"{lake}-print"
    files = storage_at(place_of(given))
    for name, content in {
        "2026/a.txt": page,
        "2026/deep/b.gz": gzip.compress(page.replace(b" ", b"  ", 1)),
        ".hidden/c.txt": page + b"hidden",
        "2026/old lake/rmf_overview/x.parquet": b"of a lake",
        "2026/old lake/_ledger/head.json": b"of a lake",
        "my_ledger/c.txt": page + b"\n",
        "my_ledger/old/_ledger/head.json": b"of a lake",
    }.items():
        files.put(name, content)
    code, out, err = run("ingest", given, f"{given}/none", "--lake", tmp_path / "lake")
    assert code == 1, out + err
    assert "contains no files" in out + err
    with open_lake(tmp_path / "lake") as opened:
        names = opened.sql("SELECT source_file FROM ingest_file ORDER BY ALL").fetchall()
    assert names == [(f"{given}/2026/a.txt",), (f"{given}/2026/deep/b.gz",), (f"{given}/my_ledger/c.txt",)]
    (tmp_path / "a.txt").write_bytes(page)
    assert "already_ingested" in run("ingest", tmp_path / "a.txt", "--lake", tmp_path / "lake", "--format", "json")[1]


def put_as_a_console(server: ObjectServer, key: str, content: bytes = b"") -> None:
    """An object under exactly this key; the library makes no folders."""
    place = f"{server.behind}/{BUCKET}/{quote(key)}"
    # Without a type it would be taken for a form.
    request = urllib.request.Request(place, content, {"Content-Type": "text/plain"}, method="PUT")
    urllib.request.urlopen(request).close()


@pytest.mark.parametrize("name", ["a?x=1", "a#1%20b c+d~*[1] Läké"])
def test_a_lake_is_under_its_name_whatever_signs_that_has(name: str, server: ObjectServer) -> None:
    folder = f"signs-{name}"
    server.requests.clear()
    with Lake(f"s3://{BUCKET}/{folder}") as target:
        add(target, entry("a"))
    put = {unquote(path) for method, path in server.requests if method == "PUT"}
    assert f"/{BUCKET}/{folder}/_ledger/head.json" in put
    assert all(path.startswith(f"/{BUCKET}/{folder}/") for path in put)
    assert counts(f"s3://{BUCKET}/{folder}") == {"a.txt": 10}
    assert not Ledger(place_of(f"s3://{BUCKET}/signs-a")).exists()


def test_an_address_with_a_key_is_refused_and_not_told(run: Command, tmp_path: Path) -> None:
    for given in (
        ("ingest", "s3://name:not-a-secret@bucket/x", "--lake", tmp_path / "lake"),
        ("sql", "SELECT 1", "--lake", "s3://name:not-a-secret@bucket/x"),
        ("sql", "SELECT 1", "--lake", "s3://a b/x"),
    ):
        code, out, err = run(*given)
        assert code == 2
        assert "no name of a bucket" in one_line(err)
        assert "not-a-secret" not in out + err
    assert place_of("abfss://box@account.dfs.core.windows.net/lake").name == "lake"
    for wrong in ("s3://bucket/a\nb", "s3://bucket/a\udcffb"):
        with pytest.raises(UsageError, match="not an address"):
            place_of(wrong)


def test_folders_that_a_console_made_are_no_files(lake: str, server: ObjectServer, run: Command) -> None:
    folder = place_of(lake).name
    for key in (f"{folder}/", f"{folder}-print/", f"{folder}-print/deep/"):
        put_as_a_console(server, key)
    page = sorted(SAMPLES.glob("*.txt"))[0].read_bytes()
    put_as_a_console(server, f"{folder}-print/deep/a.txt", page)
    put_as_a_console(server, f"{folder}-print/nothing.txt")
    code, out, err = run("ingest", f"{lake}-print", "--lake", lake)
    assert code == 0, out + err
    with open_lake(lake) as opened:
        names = opened.sql("SELECT source_file FROM ingest_file ORDER BY ALL").fetchall()
    assert names == [(f"{lake}-print/deep/a.txt",)]
    assert "nothing.txt: empty" in out + err
    assert "deep:" not in out + err


def test_a_name_that_the_library_does_not_take_is_told(
    lake: str, server: ObjectServer, run: Command, tmp_path: Path
) -> None:
    put_as_a_console(server, f"{place_of(lake).name}/a//b.txt", b"print")
    code, out, err = run("ingest", lake, "--lake", tmp_path / "lake")
    assert code == 1
    assert "has an object whose name is no path; expected names without //" in out + err


def test_status_has_the_bytes_of_the_ledger(lake: str, run: Command) -> None:
    with Lake(lake) as target:
        add(target, entry("a"))
    files = Ledger(place_of(lake)).files
    expected = sum(len(files.read(f"_ledger/{name}", 1 << 20)) for name in ("head.json", "steps/0000000001.json"))
    code, out, err = run("status", "--lake", lake, "--format", "json")
    assert code == 0, err
    assert json.loads(out)["bytes"]["ledger"] == expected


# --- Several writers ------------------------------------------------------------------------------------------------

WRITER = """
import sys
from ironlake.pipeline.lake.lake import Lake
from lake_rows import entry
with Lake(sys.argv[1]) as lake:
    for n in range(10):
        # Every fifth is of both.
        name = str(n) if n % 5 == 0 else f"{sys.argv[2]} {n}"
        lake.commit([entry(name, status="empty", lines=0)], [])
"""


def test_a_lake_that_another_makes_between_two_looks_is_a_lake(lake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    look, left = Ledger.exists, [lake]

    def looked(ledger: Ledger) -> bool:
        found = look(ledger)
        if left:
            with Lake(left.pop()) as other:
                add(other, entry("b"))
        return found

    monkeypatch.setattr(Ledger, "exists", looked)
    with Lake(lake) as target:
        add(target, entry("a"))
    assert {e.source_file for e in Ledger(place_of(lake)).state().sources.values()} == {"a.txt", "b.txt"}


def test_no_step_of_two_writers_is_lost(lake: str, server: ObjectServer) -> None:
    environment = server.environment | {
        "PYTHONPATH": str(ROOT / "tests" / "support"),
        "AWS_ENDPOINT_URL": server.behind,
    }
    started = [subprocess.Popen([sys.executable, "-c", WRITER, lake, name], env=environment) for name in "ab"]
    assert [process.wait(PATIENCE_S) for process in started] == [0, 0]
    state = Ledger(place_of(lake)).state()
    names = Counter(e.source_file for e in state.sources.values())
    expected = {f"{n}.txt" if n % 5 == 0 else f"{who} {n}.txt" for who in "ab" for n in range(10)}
    assert names == Counter(expected)
    assert state.step == 18
    assert [step for step, *_ in actions(lake)] == list(range(1, 19))


def meanwhile(server: ObjectServer, number: int, work: Callable[[], object]) -> Callable[[str, str], None]:
    """Do some work when another is about to write a step."""
    left = [work]

    def fault(method: str, path: str) -> None:
        if in_step(method, path, number) and left:
            left.pop()()

    return fault


def test_a_checkpoint_that_no_head_names_yet_is_not_forgotten(
    lake: str, server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writes its step and head between the checkpoint of one and the head that names it, and is killed before its own."""
    monkeypatch.setattr(ledgers, "_STEPS_PER_CHECKPOINT", 3)
    one, other = Lake(lake), Lake(lake)
    left = ["b"]

    def fault(method: str, path: str) -> int | None:
        if method == "PUT" and "/checkpoints/0000000003" in path and left:
            with pytest.raises(IronlakeError, match="denied"):
                add(other, entry(left.pop()))
        return 403 if method == "PUT" and "/checkpoints/0000000004" in path else None

    with server.faulty(fault):
        for name in ("a1", "a2", "a3"):
            add(one, entry(name))
    for name in ("a4", "a5", "a6"):
        add(one, entry(name))
    assert set(counts(lake)) == {"a1.txt", "a2.txt", "a3.txt", "a4.txt", "a5.txt", "a6.txt", "b.txt"}
    assert [step for step, *_ in actions(lake)] == [1, 2, 3, 4, 5, 6, 7]


def test_a_source_that_another_committed_meanwhile_is_not_committed_twice(lake: str, server: ObjectServer) -> None:
    one, other = Lake(lake), Lake(lake)
    add(one, entry("old"))
    with server.faulty(meanwhile(server, 2, lambda: add(other, entry("a")))):
        add(one, entry("a"), entry("b"))
    assert counts(lake) == {"a.txt": 10, "b.txt": 10, "old.txt": 10}
    assert actions(lake) == [(1, "ingested", "old.txt"), (2, "ingested", "a.txt"), (3, "ingested", "b.txt")]


def test_a_file_that_another_ingested_meanwhile_is_told(lake: str, server: ObjectServer, run: Command) -> None:
    page = sorted(SAMPLES.glob("*.txt"))[0]
    with server.faulty(meanwhile(server, 1, lambda: ingest([str(page)], place_of(lake), Options()))):
        code, out, err = run("ingest", page, "--lake", lake)
    assert (code, err) == (0, "")
    assert (
        out
        == f"{page}: already ingested (2 pages, 30 rows, 0 rejects)\n  note: another process ingested it at the same time\n"
    )
    assert actions(lake) == [(1, "ingested", str(page))]


def test_a_step_has_the_number_of_its_own_command(lake: str, server: ObjectServer) -> None:
    """Another writes the next before the command ends: when it says that its step is the newest."""
    one, other = Lake(lake), Lake(lake)
    add(one, entry("a"), entry("b"))

    def at_head(number: int, name: str) -> Callable[[str, str], None]:
        left = [name]

        def fault(method: str, path: str) -> None:
            if method == "PUT" and path.endswith("head.json") and other._ledger.state().step == number and left:
                add(other, entry(left.pop()))

        return fault

    with server.faulty(at_head(2, "c")):
        assert one.remove(Selection(frozenset([entry("a").source_id]))) == 2
    with server.faulty(at_head(4, "d")):
        assert one.undo() == 4
    assert [step for step, *_ in actions(lake)] == [1, 1, 2, 3, 4, 5]


def test_a_removal_is_planned_anew_if_the_lake_changed_meanwhile(lake: str, server: ObjectServer) -> None:
    one, other = Lake(lake), Lake(lake)
    add(one, entry("a"), entry("b"))
    with server.faulty(meanwhile(server, 2, lambda: add(other, entry("b", DMY, lines=3)))):
        assert one.remove(Selection(frozenset([entry("a").source_id]))) == 3
    assert counts(lake) == {"b.txt": 3}


def test_a_compaction_of_parts_that_went_meanwhile_does_nothing(lake: str, server: ObjectServer) -> None:
    one, other = Lake(lake), Lake(lake)
    for name in "abc":
        add(one, entry(name))
    gone = Selection(frozenset([entry("b").source_id]))
    with server.faulty(meanwhile(server, 4, lambda: other.remove(gone))):
        assert one.compact(most_small_parts=2) == 0
    assert counts(lake) == {"a.txt": 10, "c.txt": 10}


def test_a_part_without_its_step_does_not_count_and_is_taken_later(lake: str, server: ObjectServer) -> None:
    killed = write_part(Lake(lake), rows(entry("a")), entry("a"))
    assert Lake(lake).find(entry("a").sha256, MDY) is None
    server.requests.clear()
    with Lake(lake) as target:
        assert write_part(target, rows(entry("a")), entry("a")) == killed
        assert [path for method, path in server.requests if method == "PUT" and path.endswith(killed.path)] == []
        target.commit([entry("a")], [killed])
    assert counts(lake) == {"a.txt": 10}


def test_a_part_of_other_bytes_is_not_written_over(lake: str) -> None:
    """Other libraries write other bytes, and their writer may be about to commit them."""
    theirs = write_part(Lake(lake), rows(entry("a")), entry("a"))
    files = Ledger(place_of(lake)).files
    files.put(theirs.path, b"other bytes")
    with Lake(lake) as target:
        add(target, entry("a"))
    assert files.read(theirs.path, 100) == b"other bytes"
    assert counts(lake) == {"a.txt": 10}


def test_an_older_head_does_not_take_the_place_of_a_newer_one(lake: str) -> None:
    one, other = Lake(lake), Lake(lake)
    add(one, entry("a"))
    add(other, entry("b"))
    before = one._ledger.files.read("_ledger/head.json", 1 << 20)
    one._ledger._write_head()
    assert one._ledger.files.read("_ledger/head.json", 1 << 20) == before


# --- What the storage answers ---------------------------------------------------------------------------------------


def one_line(err: str) -> str:
    told, *hints = err.strip().splitlines()
    assert all(line.startswith("hint: ") for line in hints)
    for secret in ("ironlake-test", "not-a-secret", "Signature", "127.0.0.1"):
        assert secret not in err
    return told


def test_what_cannot_be_reached_is_told_in_one_line(
    lake: str, run: Command, server: ObjectServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands = (("ingest", SAMPLES, "--lake"), ("sql", "SELECT 1", "--lake"))
    for command in commands:
        code, _, err = run(*command, "s3://no-such-bucket/lake")
        assert (code, one_line(err)) == (
            1,
            "ironlake: there is no bucket no-such-bucket (s3://no-such-bucket/lake); expected a bucket that exists",
        )
        with server.faulty(lambda method, path: 403):
            code, _, err = run(*command, lake)
        assert (code, one_line(err)) == (
            1,
            f"ironlake: access to {lake} is denied (403); expected rights to list, read and write",
        )
    # Rights to read alone.
    with server.faulty(lambda method, path: 403 if method == "PUT" else None):
        code, _, err = run("ingest", SAMPLES, "--lake", lake)
    assert (code, "is denied (403)" in one_line(err)) == (1, True)
    assert Ledger(place_of(lake)).files.names() == []
    code, _, err = run("sql", "SELECT 1", "--lake", lake)
    assert code == 2
    assert one_line(err).startswith(f"ironlake: no lake in {lake}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    code, _, err = run("sql", "SELECT 1", "--lake", f"{lake}-2")
    assert code == 1
    assert one_line(err).startswith(f"ironlake: no credentials for {lake}-2; expected AWS_ACCESS_KEY_ID and ")


def test_the_missing_library_is_named(run: Command) -> None:
    with patch.dict(sys.modules, {"obstore": None}):
        code, _, err = run("sql", "SELECT 1", "--lake", "s3://never-asked/lake")
    assert (code, err) == (
        2,
        "ironlake: object storage needs obstore, which is not installed; expected the extra cloud\n"
        "hint: pip install 'ironlake[cloud]'\n",
    )


def test_a_catalog_of_it_is_a_copy(lake: str, run: Command, tmp_path: Path) -> None:
    with Lake(lake) as target:
        add(target, entry("a"))
    code, _, err = run("catalog", "--lake", lake, "--out", tmp_path / "lake.duckdb")
    assert code == 2
    assert "--copy" in err
