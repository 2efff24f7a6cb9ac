"""Queries that are kept in a lake: saved when they can be answered, run by name, and nothing else of the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline.lake.lake import Lake
from lake_rows import ACTIVITY, entry, fill

CLASSES = f"SELECT count(*) AS n FROM {ACTIVITY} WHERE service_class = $class"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    fill(tmp_path / "lake", entry("a"))
    return tmp_path / "lake"


@pytest.fixture
def query(run: Command, lake: Path) -> Command:
    return lambda *arguments: run("query", *arguments, "--lake", lake)


def test_a_saved_query_is_a_text_that_runs_by_name(run: Command, query: Command, lake: Path, tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text(f"-- rows of a class\n\n{CLASSES}\n")
    code, out, err = query("save", "rows-of", "-f", tmp_path / "q.sql")
    assert (code, out, err) == (0, "rows-of: saved; ironlake sql --saved rows-of runs it\n", "")
    assert (lake / "_queries" / "rows-of.sql").read_text() == f"-- rows of a class\n{CLASSES}\n"
    assert query("show", "rows-of")[1] == f"-- rows of a class\n{CLASSES}\n"
    # Lines 1 to 10 of the source; every fifth has no class, and C1 is 1, 4 and 7 (10 is a fifth one).
    answer = run("sql", "--saved", "rows-of", "--param", "class=C1", "--lake", lake, "--format", "csv")
    assert answer == (0, "n\n3\n", "")
    assert query("save", "one", "SELECT 1 AS one", "--about", "the number one")[0] == 0
    assert json.loads(query("list", "--format", "json")[1]) == [
        {"name": "one", "about": "the number one", "parameters": None},
        {"name": "rows-of", "about": "rows of a class", "parameters": "class"},
    ]
    assert query("remove", "one")[:2] == (0, "one: removed\n")
    code, _, err = run("sql", "--saved", "one", "--lake", lake)
    assert (code, err) == (2, "ironlake: no query is called one\nhint: saved: rows-of\n")
    code, _, err = run("sql", "SELECT 1", "--saved", "rows-of", "--lake", lake)
    assert (code, err) == (2, "ironlake: a saved query and another are given; expected one of the two\n")


def test_a_query_is_replaced_only_where_that_is_asked_for(query: Command, lake: Path) -> None:
    assert query("save", "q", "SELECT 1", "--about", "one")[0] == 0
    code, _, err = query("save", "q", "SELECT 2", "--about", "two")
    assert (code, err) == (2, "ironlake: a query is called q already\nhint: --replace, or another name\n")
    assert query("show", "q")[1] == "-- one\nSELECT 1\n"
    assert query("save", "q", "SELECT 2", "--about", "two", "--replace")[0] == 0
    assert query("show", "q")[1] == "-- two\nSELECT 2\n"
    assert [p.name for p in (lake / "_queries").iterdir()] == ["q.sql"]
    # It is no damage of the lake.
    with Lake(lake) as writer:
        assert writer.damage() is None


def test_a_name_that_is_no_plain_word_is_refused(query: Command, lake: Path, tmp_path: Path) -> None:
    names = ["../x", "/etc/x", "a/b", "A", "", ".x", "a.sql", "a b", "é", "a\n", "a\x00b", "x" * 65, "1a", "a;b", "$a"]
    saving = (["save", name, "SELECT 1", "--about", "x"] for name in names)
    for command in (*saving, ["show", names[0]], ["remove", names[0]]):
        code, _, err = query(*command)
        assert (code, "cannot be the name of a query; expected lower-case letters" in err) == (2, True), command
    assert not (lake / "_queries").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["lake"]


def test_what_cannot_be_run_is_not_saved(query: Command, lake: Path) -> None:
    for text, about, said in (
        ("SELECT * FROM read_csv('/etc/passwd')", "x", "read_csv is not allowed in a query"),
        ("COPY (SELECT $a) TO '/x'", "x", "only one SELECT statement"),
        ("SELECT 1; SELECT 2", "x", "only one SELECT statement"),
        (f"SELECT nothing FROM {ACTIVITY}", "x", f"ironlake describe {ACTIVITY}"),
        ("SELECT 1", None, "nothing says what the query answers"),
        ("SELECT 1", "two\nlines", "not one line"),
        ("SELECT 1", "\x1b[31m", "not one line"),
        ("SELECT 1", "x" * 201, "not one line"),
    ):
        code, _, err = query("save", "q", text, *(["--about", about] if about else []))
        assert (code, said in err) == (2, True), err
    assert query("list", "--format", "csv")[1] == "name,about,parameters\n"


def test_a_query_that_was_edited_is_checked_when_it_runs(run: Command, query: Command, lake: Path) -> None:
    assert query("save", "q", "SELECT 1", "--about", "one")[0] == 0
    file = lake / "_queries" / "q.sql"
    file.write_text("-- one\nSELECT * FROM read_text('/etc/passwd')")
    code, out, err = run("sql", "--saved", "q", "--lake", lake)
    assert (code, out, "read_text is not allowed" in err) == (2, "", True)
    assert "cannot be run" in query("list")[1]
    file.write_text("-- \x1b]0;title\x07\nSELECT 1")
    assert "\x1b" not in query("show", "q")[1] + query("list")[1]
    file.write_bytes(b"-- \xff\nSELECT 1")
    code, _, err = run("sql", "--saved", "q", "--lake", lake)
    assert (code, "is not UTF-8" in err) == (1, True)


def test_no_link_is_followed(run: Command, query: Command, lake: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.sql"
    secret.write_text("SELECT 1")
    (lake / "_queries").mkdir()
    (lake / "_queries" / "q.sql").symlink_to(secret)
    for command in (["show", "q"], ["remove", "q"]):
        code, out, err = query(*command)
        assert (code, out, "is not a regular file" in err) == (1, "", True)
    (lake / "_queries" / "q.sql").unlink()
    (lake / "_queries").rmdir()
    (lake / "_queries").symlink_to(tmp_path)
    code, _, err = query("save", "q", "SELECT 1", "--about", "x")
    assert (code, "is not a folder" in err) == (1, True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lake", "secret.sql"]
