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
from deltalake import DeltaTable
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError, UsageError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake import ledger as ledgers
from ironlake.pipeline.lake.damage import find_damage
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.removal import Selection
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.storage import objects
from ironlake.pipeline.storage.address import Address, place_of
from ironlake.pipeline.storage.storage import storage_at
from lake_rows import ACTIVITY, DMY, GOAL, MDY, add, answer_of, counts, entry, fill, rows, write_part
from object_server import BUCKET, LOST, ObjectServer, actions, in_step
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
    names = answer_of(tmp_path / "lake", "SELECT source_file FROM ingest_file ORDER BY ALL")
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
    fill(f"s3://{BUCKET}/{folder}", entry("a"))
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
    names = answer_of(lake, "SELECT source_file FROM ingest_file ORDER BY ALL")
    assert names == [(f"{lake}-print/deep/a.txt",)]
    assert "nothing.txt: empty" in out + err
    assert "deep:" not in out + err


def test_a_name_that_the_library_does_not_take_is_told(lake: str, server: ObjectServer, run: Command, tmp_path: Path):
    put_as_a_console(server, f"{place_of(lake).name}/a//b.txt", b"print")
    code, out, err = run("ingest", lake, "--lake", tmp_path / "lake")
    assert code == 1
    assert "has an object whose name is no path; expected names without //" in out + err


def test_status_has_the_bytes_of_the_ledger(lake: str, run: Command) -> None:
    fill(lake, entry("a"))
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
            fill(left.pop(), entry("b"))
        return found

    monkeypatch.setattr(Ledger, "exists", looked)
    fill(lake, entry("a"))
    assert {e.source_file for e in Ledger(place_of(lake)).state().sources.values()} == {"a.txt", "b.txt"}


def test_no_step_of_two_writers_is_lost(lake: str, server: ObjectServer) -> None:
    environment = server.environment | {"PYTHONPATH": str(ROOT / "tests" / "support"), "AWS_ENDPOINT_URL": server.behind}  # fmt: skip
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
):
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
    told = "already ingested (2 pages, 30 rows, 0 rejects)\n  note: another process ingested it at the same time\n"
    assert out == f"{page}: {told}"
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
    fill(lake, entry("a"))
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
):
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
    fill(lake, entry("a"))
    code, _, err = run("catalog", "--lake", lake, "--out", tmp_path / "lake.duckdb")
    assert code == 2
    assert "--copy" in err


# --- Requests: how many there are, and what is written when one fails -------------------------------------------------


def test_requests_are_few(lake: str, server: ObjectServer, run: Command) -> None:
    """As docs/cloud.md has them: what a change adds to them is paid by every ingest and every question."""
    for path, most in zip(sorted(SAMPLES.glob("*.txt")), (42, 28, 41), strict=False):
        server.requests.clear()
        code, out, err = run("ingest", path, "--lake", lake)
        assert (code, len(server.requests) <= most) == (0, True), (out + err, server.requests)
    parts = Ledger(place_of(lake)).state().parts_of("rmf_overview")
    for few_rows in (50_000, 0):
        server.requests.clear()
        with OpenLake(place_of(lake), few_rows=few_rows) as opened:
            assert opened.sql("SELECT count(*), sum(value) FROM rmf_overview").fetchall()[0][0] == 87
        # Each part is asked for once; the ledger, once and for each step and the one that is not there yet.
        assert len([path for _, path in server.requests if ".parquet" in path]) == len(parts) == 3
        assert len(server.requests) == 3 + 2 + 4


def test_a_part_that_is_larger_than_its_end_is_read_in_two_requests(lake: str, server: ObjectServer) -> None:
    files = storage_at(place_of(lake))
    content = bytes(range(256)) * 1000
    files.put("x", content)
    files.put("empty", b"")
    server.requests.clear()
    with files.open("x") as file:
        assert file.read() == content
    assert [method for method, _ in server.requests] == ["GET", "GET"]
    with files.open("x") as file:
        file.seek(1000)
        assert file.read(200_000) == content[1000:201_000]
        assert file.read(100_000) == content[201_000:]
        assert (file.read(1), file.read(), file.seek(-5, 2)) == (b"", b"", len(content) - 5)
        assert file.read() == content[-5:]
    with files.open("empty") as file:
        assert file.read() == b""


def test_other_engines_read_logs_beside_its_parts(lake: str, server: ObjectServer, run: Command) -> None:
    with Lake(lake) as target:
        add(target, entry("a"))
        add(target, entry("b"), tables=(ACTIVITY, GOAL))
    code, out, err = run("publish", "--lake", lake)
    assert (code, out.endswith("published step 2: 2 logs, 2 logs changed, 3 parts added, 0 removed\n")) == (0, True), (
        err
    )
    server.requests.clear()
    assert run("publish", "--lake", lake)[1].endswith("step 2 is published in 2 logs already\n")
    assert {method for method, _ in server.requests} <= {"GET", "HEAD"}
    with Lake(lake) as target:
        target.remove(Selection(frozenset([entry("b").source_id])))
        # The server counts whole seconds.
        target.compact(grace_s=-1)
    options = {"aws_endpoint_url": server.address, "aws_allow_http": "true"}
    assert DeltaTable(f"{lake}/{ACTIVITY}", storage_options=options).to_pyarrow_table().num_rows == 20
    with server.faulty(lambda method, path: 403 if method == "PUT" else None):
        code, _, err = run("publish", "--lake", lake)
    assert (code, "is denied (403)" in err) == (1, True)
    left = [1]
    with server.faulty(
        lambda method, path: LOST if "1.json" in path and method == "PUT" and left and left.pop() else None
    ):
        assert run("publish", "--lake", lake)[0] == 0
    for table, rows_left in ((ACTIVITY, 10), (GOAL, 0)):
        log = DeltaTable(f"{lake}/{table}", storage_options=options)
        assert (log.version(), log.to_pyarrow_table().num_rows) == (1, rows_left)


def test_a_busy_a_slow_and_a_forgetful_storage_lose_nothing(lake: str, server: ObjectServer) -> None:
    left = {1: [503, 503], 2: [0.2], 3: [LOST]}

    def fault(method: str, path: str) -> int | float | str | None:
        return next((some.pop() for n, some in left.items() if some and in_step(method, path, n)), None)

    with server.faulty(fault), Lake(lake) as target:
        for name in "abc":
            add(target, entry(name))
    assert not any(left.values())
    assert actions(lake) == [(1, "ingested", "a.txt"), (2, "ingested", "b.txt"), (3, "ingested", "c.txt")]
    assert counts(lake) == {"a.txt": 10, "b.txt": 10, "c.txt": 10}


def test_a_write_that_meets_another_is_made_again(lake: str, server: ObjectServer) -> None:
    """S3 answers 409 where two write one name at once; then neither of them may have it."""
    met = set()

    def fault(method: str, path: str) -> int | None:
        if method != "PUT" or path in met:
            return None
        met.add(path)
        return 409

    with server.faulty(fault), Lake(lake) as target:
        add(target, entry("a"))
        add(target, entry("b"))
    assert len(met) == 5, "a head, two parts and two steps"
    assert actions(lake) == [(1, "ingested", "a.txt"), (2, "ingested", "b.txt")]
    assert counts(lake) == {"a.txt": 10, "b.txt": 10}


def test_a_storage_that_refuses_each_write_is_told(lake: str, server: ObjectServer, monkeypatch: pytest.MonkeyPatch):
    fill(lake, entry("a"))
    monkeypatch.setattr(objects, "_MOST_PAUSE_S", 0.0)
    # Not 409: the library itself repeats it, for half a minute.
    for of in ("/rmf_workload_activity/", "/_ledger/steps/", "/_ledger/head.json"):
        with (
            server.faulty(lambda method, path, of=of: 412 if method == "PUT" and of in path else None),
            Lake(lake) as target,
            pytest.raises(IronlakeError, match=f"refuses to write {of[1:]}"),
        ):
            add(target, entry(of))
    assert counts(lake)["a.txt"] == 10
    fill(lake, entry("b"))
    assert counts(lake)["b.txt"] == 10


def test_the_profile_of_the_command_line_of_aws_is_used(lake: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_PROFILE", "night")
    (tmp_path / ".aws").mkdir()
    keys = "aws_access_key_id = ironlake-test\naws_secret_access_key = not-a-secret\n"
    (tmp_path / ".aws" / "credentials").write_text(f"[default]\n[night]\n{keys}")
    (tmp_path / ".aws" / "config").write_text("[profile night]\nregion = eu-central-1\n")
    fill(lake, entry("a"))
    assert counts(lake) == {"a.txt": 10}
