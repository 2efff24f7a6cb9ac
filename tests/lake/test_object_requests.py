"""Requests to object storage: how many there are, and what is written when one fails. On a server of this machine."""

from pathlib import Path

import pytest
from command_line import Command
from deltalake import DeltaTable
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.removal import Selection
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.storage import objects
from ironlake.pipeline.storage.address import place_of
from ironlake.pipeline.storage.storage import storage_at
from lake_rows import ACTIVITY, GOAL, add, counts, entry
from object_server import LOST, ObjectServer, actions, in_step
from sample_pages import ROOT

SAMPLES = ROOT / "sample_reports" / "rmf_overview"


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


def test_a_storage_that_refuses_each_write_is_told(
    lake: str, server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Lake(lake) as target:
        add(target, entry("a"))
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
    with Lake(lake) as target:
        add(target, entry("b"))
    assert counts(lake)["b.txt"] == 10


def test_the_profile_of_the_command_line_of_aws_is_used(
    lake: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_PROFILE", "night")
    (tmp_path / ".aws").mkdir()
    keys = "aws_access_key_id = ironlake-test\naws_secret_access_key = not-a-secret\n"
    (tmp_path / ".aws" / "credentials").write_text(f"[default]\n[night]\n{keys}")
    (tmp_path / ".aws" / "config").write_text("[profile night]\nregion = eu-central-1\n")
    with Lake(lake) as target:
        add(target, entry("a"))
    assert counts(lake) == {"a.txt": 10}
