"""A disk that was full leaves compiled modules cut short; what is to be done is said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("kept", [20, 400])
def test_a_compiled_module_that_is_cut_is_named(run, tmp_path, monkeypatch, kept):
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "compiled"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def export(name: str) -> tuple[int, bytes, str]:
        for module in [m for m in sys.modules if m.partition(".")[0] == "xlsxwriter"]:
            monkeypatch.delitem(sys.modules, module)
        return run("export", "--table", "parse_reject", "--format", "xlsx", "--out", str(tmp_path / name))

    assert export("first")[0] == 0
    (compiled,) = (tmp_path / "compiled").rglob("xlsxwriter/worksheet.*.pyc")
    whole = compiled.read_bytes()
    compiled.write_bytes(whole[:kept])
    code, _, errors = export("second")
    assert code == 1
    assert errors == (
        f"ironlake: {compiled} is cut short, as when Python wrote it to a full disk; remove the folder {compiled.parent} "
        "and run the command again: Python writes it anew\n"
    )
    assert not (tmp_path / "second").exists()
    for each in Path(compiled.parent).iterdir():
        each.unlink()
    assert export("third")[0] == 0
    assert compiled.read_bytes() == whole
