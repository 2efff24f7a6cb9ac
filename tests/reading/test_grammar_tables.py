"""The tables of a grammar are kept from one start to the next, and never hold for another grammar."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from ironlake.pipeline.reading import grammar_tables
from ironlake.pipeline.reading.grammar_tables import load, work_out

NAME = "rmf_cpu_activity"


@pytest.fixture
def grammars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the grammars that nothing is kept of yet."""
    there = grammar_tables.GRAMMARS
    for path in there.glob("*.lark"):
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(grammar_tables, "GRAMMARS", tmp_path)
    monkeypatch.setattr(grammar_tables.sys, "dont_write_bytecode", False)
    monkeypatch.setattr(grammar_tables.sys, "pycache_prefix", None)
    return tmp_path


def kept(grammars: Path) -> Path:
    (found,) = (grammars / "__pycache__").iterdir()
    return found


def test_kept_tables_are_those_of_lark(grammars: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_lark = load(NAME)
    monkeypatch.delattr(grammar_tables, "work_out")
    assert load(NAME) == of_lark


@pytest.mark.parametrize("file", [f"{NAME}.lark", "common.lark"])
def test_a_changed_grammar_has_new_tables(grammars: Path, file: str) -> None:
    load(NAME)
    old = json.loads(kept(grammars).read_text())
    with (grammars / file).open("a") as stream:
        stream.write("\nNEVER_SEEN: /NEVER SEEN/\n")
    changed = load(NAME)
    assert changed == work_out(grammars / f"{NAME}.lark")
    assert json.loads(kept(grammars).read_text())["key"] != old["key"]


def test_another_release_of_lark_has_new_tables(grammars: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(NAME)
    wrong = json.loads(kept(grammars).read_text())
    wrong["tables"][0] = []
    kept(grammars).write_text(json.dumps(wrong))
    assert not load(NAME).terminals
    monkeypatch.setattr(grammar_tables, "version", lambda _: "99.0")
    assert load(NAME) == work_out(grammars / f"{NAME}.lark")


@pytest.mark.parametrize("content", ["", '{"key": 1', "[]", '{"key": []}', "\udcff"])
def test_what_is_no_table_is_made_again(grammars: Path, content: str) -> None:
    tables = load(NAME)
    kept(grammars).write_bytes(content.encode("utf-8", "surrogateescape"))
    assert load(NAME) == tables
    assert json.loads(kept(grammars).read_text())["key"]


def test_nothing_is_kept_where_python_keeps_nothing(grammars: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_tables.sys, "dont_write_bytecode", True)
    assert load(NAME) == work_out(grammars / f"{NAME}.lark")
    assert not (grammars / "__pycache__").exists()


def test_a_folder_that_cannot_be_written_is_no_error(grammars: Path) -> None:
    (grammars / "__pycache__").write_text("a file where the folder would be")
    assert load(NAME) == work_out(grammars / f"{NAME}.lark")
