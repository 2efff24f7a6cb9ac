"""`ironlake export`: the rows that count, typed, one file for each table and view, all or none."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.output import workbook as workbook_module
from ironlake.pipeline.output.lines import csv_lines
from ironlake.pipeline.output.workbook import write_workbook
from ironlake.pipeline.sql.describe import described_answer
from ironlake.pipeline.sql.open_lake import OpenLake
from lake_rows import ACTIVITY
from sample_pages import sample
from workbooks import workbook


@pytest.fixture(scope="module")
def read_twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that was read twice: the parts of its first reading are still there. No test changes it."""
    lake = tmp_path_factory.mktemp("export") / "lake"
    for order in ("mdy", "dmy"):
        ingest([str(sample("velocity_goal"))], lake, Options(date_order=order))
    return lake


@pytest.fixture
def lake(read_twice: Path, tmp_path: Path) -> Path:
    return shutil.copytree(read_twice, tmp_path / "lake")


@pytest.fixture(scope="module")
def opened(read_twice: Path) -> Iterator[OpenLake]:
    with open_lake(read_twice) as lake:
        yield lake


@pytest.mark.parametrize(
    "chosen",
    [pytest.param((ACTIVITY, "cpu_by_class"), marks=pytest.mark.sampled), pytest.param((), marks=pytest.mark.slow)],
    ids=len,
)
def test_an_export_has_what_counts_and_no_more(
    run: Command, lake: Path, tmp_path: Path, chosen: tuple[str, ...]
) -> None:
    rows = int(run("sql", f"SELECT count(*) AS n FROM {ACTIVITY}", "--lake", lake, "--format", "csv")[1].split()[1])
    assert sum(pq.read_metadata(p).num_rows for p in (lake / ACTIVITY).glob("*.parquet")) == 2 * rows
    named = [word for name in chosen for word in ("--table", name)]
    code, out, err = run("export", "--lake", lake, "--out", tmp_path / "some folder", *named)
    assert (code, err) == (0, "")
    listed = json.loads((tmp_path / "some folder" / "ironlake_export.json").read_text())["rows"]
    found = {p.name: pq.read_metadata(p).num_rows for p in (tmp_path / "some folder").glob("*.parquet")}
    assert found == listed
    assert (len(found) == 2) == bool(chosen)
    assert found[f"{ACTIVITY}.parquet"] == rows
    assert "cpu_by_class.parquet" in found
    assert 0 not in found.values()
    assert out == f"{tmp_path / 'some folder'}: {len(found)} files, {sum(found.values()):,} rows\n"
    field = pq.read_schema(tmp_path / "some folder" / "cpu_by_class.parquet").field("cpu_pct")
    assert field.metadata[b"unit"] == b"% of one engine"


def test_a_new_export_replaces_an_old_one_and_nothing_else(run: Command, lake: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("export", "--lake", lake, "--out", out, "--table", "ingest_file", "--table", ACTIVITY)[0] == 0
    assert (
        run("export", "--lake", lake, "--out", out, "--table", ACTIVITY, "--table", "locking", "--format", "csv")[0]
        == 0
    )
    assert sorted(p.name for p in out.iterdir()) == ["ironlake_export.json", "locking.csv", f"{ACTIVITY}.csv"]
    with (out / f"{ACTIVITY}.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) > 0
    assert len((out / "locking.csv").read_text().splitlines()) == 1
    for other in (tmp_path / "lake", sample("velocity_goal")):
        assert run("export", "--lake", lake, "--out", other)[0] == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lake", "out"]


def test_an_export_that_fails_leaves_the_old_one(run: Command, lake: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("export", "--lake", lake, "--out", out, "--table", "ingest_file")[0] == 0
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    for part in (lake / ACTIVITY).glob("*.parquet"):
        part.write_bytes(part.read_bytes()[:-1])
    code, _, err = run("export", "--lake", lake, "--out", out)
    assert (code, "ironlake check --repair" in err) == (1, True)
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before
    code, _, err = run("export", "--lake", lake, "--out", out, "--table", "no_such")
    assert (code, "no table or view is called no_such" in err) == (2, True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lake", "out"]


def test_an_export_that_cannot_take_its_place_leaves_the_old_one(
    run: Command, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program makes a folder of the name, with a file in it, just after the old export is out of the way: a real renaming that fails."""
    out = tmp_path / "out"
    assert run("export", "--lake", lake, "--out", out, "--table", "ingest_file")[0] == 0
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    rename = os.rename

    def rename_beside_another(source: Path, target: Path) -> None:
        if target == out and (source / "cpu_by_class.parquet").exists():
            (out / "theirs").mkdir(parents=True)
            try:
                rename(source, target)
            finally:
                (out / "theirs").rmdir()
                out.rmdir()
        rename(source, target)

    monkeypatch.setattr(os, "rename", rename_beside_another)
    code, _, err = run("export", "--lake", lake, "--out", out, "--table", "cpu_by_class")
    assert (code, f"cannot write {out}: Directory not empty" in err) == (1, True)
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lake", "out"]


LIKE_FORMULAS = ["=1+1", "+1", "-1", "@a", "\ta", "\ra", "'=a", "''-a"]
PLAIN = ["a=b", "'a", "'", "", " =a", "1-1", "\n=a"]


@pytest.mark.parametrize("raw_csv", [False, True])
def test_no_text_of_a_csv_file_is_a_formula_and_all_can_be_had_again(raw_csv: bool) -> None:
    texts = [*LIKE_FORMULAS, *PLAIN]
    numbers = [-1.5 - n for n in range(len(texts))]
    lines = csv_lines(pa.table({"=name": texts, "-n": numbers}).to_reader(), guards=not raw_csv)
    head, *rows = csv.reader(io.StringIO("\n".join(lines) + "\n", newline=""))
    assert head == (["=name", "-n"] if raw_csv else ["'=name", "'-n"])
    assert [float(number) for _, number in rows] == numbers
    found = [text for text, _ in rows]
    if raw_csv:
        assert found == texts
    else:
        assert found == [*(f"'{text}" for text in LIKE_FORMULAS), *PLAIN]
        assert [text[1:] if re.match(r"^'+[=+\-@\t\r]", text) else text for text in found] == texts


def test_cells_of_a_workbook_have_their_types(tmp_path: Path) -> None:
    values = {
        "n": [7, None],
        "large": [123_456_789_012_345_678, 5],
        "ratio": [0.25, float("inf")],
        "at": [dt.datetime(2021, 4, 13, 12), dt.datetime(1899, 1, 1)],
        "day": [dt.date(2021, 4, 13), None],
        "text": ["=1+1", "http://x"],
        "flag": [True, False],
        "refs": [[{"page": 3}], None],
    }
    fields = [
        pa.field(k, v.type, metadata={"unit": "ms"} if k == "ratio" else None)
        for k, v in ((k, pa.array(v)) for k, v in values.items())
    ]
    answer = pa.table(values, schema=pa.schema(fields))
    with (tmp_path / "a.xlsx").open("wb") as out:
        write_workbook(out, answer.to_reader())
    rows, said = workbook(tmp_path / "a.xlsx")
    assert rows[0] == dict(zip("ABCDEFGH", (f"t:{name}" for name in values), strict=True))
    # Days since the end of 1899: 2021-04-13 is day 44299.
    assert rows[1] == {
        "A": "7", "B": "t:123456789012345678", "C": "0.25", "D": "44299.5", "E": "44299", "F": "t:=1+1", "G": "b:1",
        "H": 't:[{"page": 3}]',
    }  # fmt: skip
    assert rows[2] == {"B": "5", "D": "t:1899-01-01T00:00:00", "F": "t:http://x", "G": "b:0"}
    assert "[ms]" in said
    assert 'state="frozen"' in said


@pytest.mark.parametrize(
    ("query", "units"),
    [
        ("SELECT * FROM (SELECT c.cpu_pct FROM cpu_by_class AS c)", ["% of one engine"]),
        ("SELECT cpu_pct / 100 AS cpu_pct, cp_pct FROM cpu_by_class", [None, "% of one engine"]),
        ("SELECT * FROM (SELECT cpu_pct / 100 FROM cpu_by_class) AS t(cpu_pct)", [None]),
        ("SELECT COLUMNS('cpu_pct') FROM (SELECT * REPLACE (cpu_pct / 100 AS cpu_pct) FROM cpu_by_class)", [None]),
        ("SELECT cpu_pct FROM (SELECT cp_pct / 100 AS CPU_PCT FROM CPU_BY_CLASS)", [None]),
    ],
)
def test_a_column_that_a_query_makes_has_no_unit(opened: OpenLake, query: str, units: list[str | None]) -> None:
    answer = described_answer(opened, query, opened.sql(query).reader())
    told = [((f.metadata or {}).get(b"unit") or b"").decode() or None for f in answer.schema]
    assert told == units
    answer.read_all()


def test_what_a_sheet_or_a_cell_cannot_hold_is_an_error_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert workbook_module._MOST_ROWS == 1_048_576
    monkeypatch.setattr(workbook_module, "_MOST_ROWS", 4)
    for rows, told in ((3, None), (4, "more rows than a sheet of Excel")):
        answer = pa.table({"n": range(rows)}).to_reader()
        with (
            (tmp_path / f"{rows}.xlsx").open("wb") as out,
            pytest.raises(UsageError, match=told) if told else nullcontext(),
        ):
            write_workbook(out, answer)
    long = pa.table({"text": ["x" * 32_768]})
    with (
        (tmp_path / "b.xlsx").open("wb") as out,
        pytest.raises(UsageError, match="a text in row 1 has 32,768 characters"),
    ):
        write_workbook(out, long.to_reader())
