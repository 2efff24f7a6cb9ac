"""What `ironlake check` finds is kept outside of memory, and comes back in order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from ironlake.pipeline.declaration.bookkeeping import QUALITY_RESULT
from ironlake.pipeline.quality import violations as module
from ironlake.pipeline.quality.violations import Violations
from ironlake.pipeline.sql.schema import plain_schema
from lake_rows import write_lake

NONE: dict[str, Any] = {"basis": None, "found": None, "expected": None, "tolerance": None}


def broken(rule: str, page: int, line: int, **other: Any) -> dict[str, Any]:
    of = {"rule": f"t.{rule}", "table": "t", "column": "c", "severity": "warn", "what": rule, **NONE}
    return of | {"source_id": "s1", "source_file": "f1", "page": page, "line": line} | other


def frame(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, {name: NUMBERS.get(name, pl.String) for name in rows[0]})


NUMBERS = dict.fromkeys(("found", "expected", "tolerance"), pl.Float64) | {"page": pl.Int64, "line": pl.Int64}


def told(found: Violations, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[c] for c in columns) for row in found.to_reader().read_all().to_pylist()]


@pytest.mark.parametrize("at_once", [1, 2, 65_536])
def test_a_page_in_several_slices_is_one_row(monkeypatch: pytest.MonkeyPatch, at_once: int):
    """Of its first line, with the rows of all; what is found across pages stays apart."""
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", at_once)
    found = Violations()
    found.add_rows(frame(broken("sum", 2, 30, found=3.0), broken("sum", 2, 31, found=4.0), broken("sum", 3, 9)))
    found.add_rows(frame(broken("range", 2, 7)))
    found.add_rows(frame(broken("sum", 2, 10, found=1.0), broken("sum", 1, 40, found=2.0)))
    gap = [broken("gap", 2, 5, rows=6, what=f"gap {n}") for n in range(2)]
    for batch in pa.Table.from_pylist(gap, plain_schema(QUALITY_RESULT)).to_batches():
        found.add(batch)
    assert told(found, "what", "page", "line", "found", "rows") == [
        *(("gap 0", 2, 5, None, 6), ("gap 1", 2, 5, None, 6)),
        ("range", 2, 7, None, 1),
        *(("sum", 1, 40, 2.0, 1), ("sum", 2, 10, 1.0, 3), ("sum", 3, 9, None, 1)),
    ]


def test_the_order_is_that_of_tables_rules_files_pages_lines_and_columns():
    """Sources of one name are in the order in which they were found; what has no file is last."""
    rows = [
        broken("b", 1, 1), broken("a", 1, 1, source_file=None), broken("a", 10, 1), broken("a", 2, 5, column="d"),
        broken("a", 2, 5, source_id="s3"), broken("a", 2, 5, source_id="s2"), broken("a", 2, 4, column="e"),
        broken("a", 1, 1, source_file="é"), broken("z", 1, 1, table="A"),
    ]  # fmt: skip
    found = Violations()
    for row in rows:
        found.add_rows(frame(row))
    assert told(found, "table", "what", "source_file", "page", "line", "column", "source_id") == [
        ("A", "z", "f1", 1, 1, "c", "s1"), ("t", "a", "f1", 2, 4, "e", "s1"), ("t", "a", "f1", 2, 5, "c", "s3"),
        ("t", "a", "f1", 2, 5, "c", "s2"), ("t", "a", "f1", 2, 5, "d", "s1"), ("t", "a", "f1", 10, 1, "c", "s1"),
        ("t", "a", "é", 1, 1, "c", "s1"), ("t", "a", None, 1, 1, "c", "s1"), ("t", "b", "f1", 1, 1, "c", "s1"),
    ]  # fmt: skip


def test_whether_there_is_an_error_and_how_many_pages_have_one():
    found = Violations()
    assert (found.is_empty, found.has_errors, told(found, "rule")) == (True, False, [])
    found.add_rows(frame(broken("a", 1, 1), broken("a", 2, 1)))
    assert (found.is_empty, found.has_errors) == (False, False)
    found.add_rows(frame(broken("b", 2, 1, severity="error"), broken("b", 2, 1, severity="error", source_id="s2")))
    found.add_rows(frame(broken("c", 9, 1)))
    assert found.has_errors
    assert found.pages(["t.a", "t.b"]) == {"warn": 2, "error": 2}


MANY = """
import sys
from types import SimpleNamespace
import polars as pl
from functools import partial
from ironlake.pipeline.quality import check_lake
from ironlake.pipeline.sql.open_lake import open_lake

slices = [SimpleNamespace(read=lambda n=n: n) for n in range(int(sys.argv[2]))]
said = {name: pl.lit(f"{name} of the rule, in so many words") for name in ("table", "rule", "column", "severity", "what", "basis")}

def violations(n, judgement):
    rows = pl.DataFrame({"page": range(50_000)}).with_columns(pl.lit(1).alias("line"))
    rows = rows.with_columns(pl.lit(float(n)).alias(name) for name in ("found", "expected", "tolerance"))
    yield rows.with_columns(pl.lit(f"{n:064}").alias("source_id"), pl.lit(f"file {n}").alias("source_file"), **said)

check_lake.Violations = partial(check_lake.Violations, memory="100MB")
check_lake._slices = lambda *_: slices
check_lake.find_violations = violations
with open_lake(sys.argv[1]) as lake:
    rows = sum(map(len, check_lake.check(lake).to_reader()))
with open("/proc/self/status") as status:
    print(rows, *(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.slow
def test_a_broken_lake_does_not_fill_the_memory(tmp_path: Path):
    """50,000 violations, and 750,000: of some 500 bytes each, three times as much as what sorts them may take."""
    write_lake(tmp_path / "lake", {})
    peaks = {}
    for slices in (1, 15):
        command = [sys.executable, "-c", MANY, str(tmp_path / "lake"), str(slices)]
        rows, peak = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-2:]
        assert int(rows) == slices * 50_000
        peaks[slices] = int(peak) / 1000
    assert peaks[15] < peaks[1] + 250, peaks
