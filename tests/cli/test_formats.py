"""The formats of answers."""

import csv
import datetime as dt
import io
import json
import math
import re
from decimal import Decimal
from functools import cache
from html import unescape
from typing import get_args

import duckdb
import pyarrow as pa
import pytest
from ironlake import open_lake
from ironlake.pipeline.cli import common as cli_common
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.output.lines import table_lines
from ironlake.pipeline.output.write import Format
from ironlake.pipeline.terminal import printable
from lake_rows import GOAL
from workbooks import workbook

# --- Formats --------------------------------------------------------------------------------------------------------

ODD = """SELECT * FROM (VALUES
    (1, 1.5, NULL, '', TIMESTAMP '2021-04-13 10:00:00', [{'source_id': 'ab', 'page': 3, 'line': 40}], true),
    (0, NULL, 'a|b', 'x, "y"', NULL, CAST([] AS STRUCT(source_id VARCHAR, page INT, line INT)[]), false),
    (NULL, -0.1, chr(27) || '[31m' || chr(10), '-', TIMESTAMP '1999-12-31 23:59:59.5', NULL, NULL)
) AS t(n, ratio, name, note, moment, refs, flag)"""


def test_table(run):
    code, out, _ = run("sql", ODD)
    assert code == 0
    assert out.decode().splitlines() == [
        "n  ratio  name        note    moment                      refs                         flag",
        "-  -----  ----------  ------  --------------------------  ---------------------------  -----",
        "1    1.5  -                   2021-04-13T10:00:00         source_id=ab page=3 line=40  true",
        '0      -  a|b         x, "y"  -                                                        false',
        "-   -0.1  \\x1b[31m\\n  -       1999-12-31T23:59:59.500000  -                            -",
    ]


def test_csv(run):
    code, out, _ = run("sql", ODD, "--format", "csv")
    assert code == 0
    assert out.decode().splitlines() == [
        "n,ratio,name,note,moment,refs,flag",
        '1,1.5,,"",2021-04-13T10:00:00,"[{""source_id"": ""ab"", ""page"": 3, ""line"": 40}]",true',
        '0,,a|b,"x, ""y""",,[],false',
        ',-0.1,"\x1b[31m',
        "\",'-,1999-12-31T23:59:59.500000,,",
    ]
    raw = run("sql", ODD, "--format", "csv", "--raw-csv")[1].decode()
    assert raw.splitlines()[-1] == '",-,1999-12-31T23:59:59.500000,,'


def test_json(run):
    code, out, _ = run("sql", ODD, "--format", "json")
    assert code == 0
    first, second, third = json.loads(out)
    refs = [{"source_id": "ab", "page": 3, "line": 40}]
    assert first == {
        "n": 1, "ratio": 1.5, "name": None, "note": "", "moment": "2021-04-13T10:00:00", "refs": refs, "flag": True
    }  # fmt: skip
    assert (second["n"], second["ratio"], second["refs"], second["flag"]) == (0, None, [], False)
    assert third["name"] == "\x1b[31m\n"
    assert json.loads(run("sql", "SELECT 1 AS x WHERE false", "--format", "json")[1]) == []
    # No number that JSON lacks, and no name twice.
    query = "SELECT 'nan'::DOUBLE AS x, 1 AS x, 12345678901234567890123::HUGEINT AS big, DATE '2021-01-02' AS day, [0, 1, 2, 3] AS n"
    [row] = json.loads(run("sql", query, "--format", "json")[1])
    assert row == {"x": None, "x_2": 1, "big": 12345678901234567890123, "day": "2021-01-02", "n": [0, 1, 2, 3]}
    # A long list is shortened in a table alone.
    assert b"0; 1; 2; \xe2\x80\xa6 1 more" in run("sql", query)[1]


def test_markdown(run):
    code, out, _ = run("sql", ODD, "--format", "markdown")
    assert code == 0
    lines = out.decode().splitlines()
    assert lines[0] == "| n | ratio | name | note | moment | refs | flag |"
    assert lines[1] == "|---:|---:|---|---|---|---|---|"
    assert lines[3] == '| 0 | - | a\\|b | x, "y" | - |  | false |'
    assert lines[4].startswith("| - | -0.1 | \\\\x1b[31m\\\\n | - |")


@pytest.mark.parametrize("command", [["history"], ["describe", GOAL]])
def test_every_reading_command_has_every_format(run, command):
    assert get_args(cli_common.Format) == get_args(Format)
    for output_format in get_args(Format):
        code, out, err = run(*command, "--format", output_format)
        assert (code, err, len(out) > 4) == (0, "", True), output_format


def test_a_wide_table_is_not_cut_in_a_pipe_and_listed_on_a_terminal():
    wide = pa.table({f"column_{n}": [n, None] for n in range(40)})
    in_a_pipe = list(table_lines(wide.to_reader(), None))
    assert len(in_a_pipe) == 4
    assert in_a_pipe[0].endswith("column_39")
    on_a_terminal = list(table_lines(wide.to_reader(), 80))
    assert on_a_terminal[0] == "--- row 1 of 2 ---"
    assert on_a_terminal[40] == "column_39  39"
    assert on_a_terminal[81] == "column_39  -"
    narrow = pa.table({"name": ["Ä", "日本"], "n": [1, 22]})
    assert list(table_lines(narrow.to_reader(), 80)) == ["name   n", "----  --", "Ä      1", "日本  22"]


# --- Every type -----------------------------------------------------------------------------------------------------

# An interval that RMF ends early, days, months, and one backwards.
DURATIONS = """
    SELECT moment - TIMESTAMP '2021-04-13 10:00:00.003' AS took
    FROM (VALUES (1, TIMESTAMP '2021-04-13 10:15'), (2, TIMESTAMP '2021-04-15 10:15'), (3, TIMESTAMP '2021-04-13 09:45')) AS t(n, moment)
    UNION ALL SELECT INTERVAL '14 months 3 days'"""
ALL_TYPES = "SELECT * FROM test_all_types()"
# Kinds of types as DuckDB calls them.
NUMBERS = {"float", "double", "decimal", "hugeint", "uhugeint", *(f"{u}{size}int" for u in ("", "u") for size in ("tiny", "small", "big"))}  # fmt: skip
NUMBERS |= {"integer", "uinteger"}
NESTED = {"list", "array", "struct", "map", "tuple"}
NOT_IN_FILES = {"uhugeint", "bignum", "time with time zone", "interval", "bit", "union", "geometry"}


@cache
def every_type() -> list[tuple[str, str, list[str | None], list[object]]]:
    """Of each column of all types its name, its kind, and of its rows the text and what to_json makes of it."""
    connection = duckdb.connect()
    answer = connection.sql(ALL_TYPES)
    kinds = [(name, kind.id) for name, kind in zip(answer.columns, answer.types, strict=True)]
    found = []
    for name, kind in kinds:
        rows = connection.sql(
            f'SELECT CAST("{name}" AS VARCHAR), CAST(to_json("{name}") AS VARCHAR) FROM ({ALL_TYPES})'
        ).fetchall()
        texts, objects = ([text for text, _ in rows], [None if made is None else _as_ours(name, made) for _, made in rows])  # fmt: skip
        found.append((name, kind, texts, objects))
    assert len(found) > 50
    assert {kind for _, kind, _, _ in found} >= {
        *NUMBERS, *NESTED, *NOT_IN_FILES, "varchar", "date", "timestamp", "uuid", "enum",
    }  # fmt: skip
    return found


def _as_ours(name: str, made: str) -> object:
    """What to_json makes, where ours is another: ISO times, no number that JSON lacks, maps as pairs, tuples with names."""
    value = json.loads(re.sub(r"NaN|-?Infinity", "null", made))
    if name.startswith("timestamp") and isinstance(value, list):
        return [moment and re.sub(r"\+00$", "+00:00", moment.replace(" ", "T")) for moment in value]
    if name == "map":
        return [[key, held] for key, held in value.items()]
    if name == "tuple":
        return dict(zip(("element1", "element2"), value, strict=True))
    return value


def same(kind: str, found: object, text: str | None, made: object) -> bool:
    """Whether a value that was read again is the one that DuckDB has: numbers by value, lists and structs as JSON, others by their text."""
    if text is None or found in (None, ""):
        return text is None and found in (None, "")
    if kind in ("float", "double"):
        return float(str(found)) == float(text)
    if kind in NUMBERS:
        return Decimal(str(found)) == Decimal(text)
    if kind in NESTED:
        return (json.loads(found) if isinstance(found, str) else found) == made
    return str(found) == text or (kind == "boolean" and found is (text == "true"))


def test_every_type_is_written_right(run):
    csv.field_size_limit(10**6)
    types = every_type()
    read_csv = list(
        csv.DictReader(io.StringIO(run("sql", ALL_TYPES, "--format", "csv", "--raw-csv")[1].decode(), newline=""))
    )
    # By the text of a number: none is read as a float that has fewer digits.
    read_json = json.loads(run("sql", ALL_TYPES, "--format", "json")[1], parse_float=Decimal)
    cells = [list(row.values()) for row in workbook(io.BytesIO(run("sql", ALL_TYPES, "--format", "xlsx")[1]))[0]]
    markdown = [
        line[2:-2].split(" | ") for line in run("sql", ALL_TYPES, "--format", "markdown")[1].decode().splitlines()[2:]
    ]
    table = run("sql", ALL_TYPES)[1].decode().splitlines()[2:]
    assert len(read_csv) == len(read_json) == len(markdown) == len(table) == 3
    with open_lake() as lake:
        html = re.findall(r"<td[^>]*>(.*?)</td>", lake.sql(ALL_TYPES)._repr_html_())
    wrong = []
    for column, (name, kind, texts, objects) in enumerate(types):
        for row, (text, made) in enumerate(zip(texts, objects, strict=True)):
            found = {"csv": read_csv[row][name], "json": read_json[row][name]}
            if text is not None:
                # A cell that is NULL is not there.
                of_cell = (cells[row + 1][column] or "").removeprefix("t:").replace("_x0000_", "\0")
                found["xlsx"] = {"b:1": "true", "b:0": "false"}.get(of_cell, of_cell)
            wrong += [
                (name, how, value, text) for how, value in found.items() if not _same_in(how, kind, value, text, made)
            ]
            if kind in NESTED:
                continue
            said = "-" if text is None else printable(text)
            shown = {"markdown": markdown[row][column].replace("\\\\", "\\"), "html": unescape(html[row * len(types) + column])}  # fmt: skip
            wrong += [(name, how, value, said) for how, value in shown.items() if not _same_shown(kind, value, said)]
            if said not in table[row] and kind not in ("float", "double"):
                wrong.append((name, "table", table[row], said))
    assert wrong == []


def _same_in(how: str, kind: str, value: object, text: str | None, made: object) -> bool:
    # Excel's numbers have fifteen digits; whole numbers of more are text.
    if how == "xlsx" and kind == "decimal" and text:
        return math.isclose(float(str(value)), float(text), rel_tol=1e-15)
    # The value of a union is that of its member.
    return same(kind, str(value) if kind == "union" and value is not None else value, text, made)


def _same_shown(kind: str, value: str, said: str) -> bool:
    if kind in ("float", "double") and said != "-":
        return math.isclose(float(value), float(said), rel_tol=1e-11)
    return value == said or (len(said) > 200 and value.startswith(said[:200]))


def test_a_parquet_file_has_every_type_as_it_is_or_none(run, tmp_path):
    # Values that no such file has of types that it has; the columns are made without them.
    besides = {
        "time": "time = '24:00:00'",
        "time_ns": "time_ns = '24:00:00'",
        "hugeint": "hugeint NOT BETWEEN -(10::HUGEINT ** 37) AND 10::HUGEINT ** 37",
    }
    columns, tuples = [], []
    for name, kind, _, objects in every_type():
        as_text = kind in NOT_IN_FILES or (kind == "struct" and objects[0] == {})
        if as_text or kind in besides:
            code, out, err = run("sql", f'SELECT "{name}" AS v FROM ({ALL_TYPES})', "--format", "parquet")
            said = (
                "column v has values of type .* which Parquet does not have"
                if as_text
                else "Parquet has no value for .*"
            )
            assert (code, out[4:], bool(re.fullmatch(f"ironlake: {said}\nhint: CAST.*\n", err))) == (2, b"", True), name
        without = f'CASE WHEN {besides[kind]} THEN NULL ELSE "{name}" END' if kind in besides else f'"{name}"'
        columns.append(f'CAST("{name}" AS VARCHAR) AS "{name}"' if as_text else f'{without} AS "{name}"')
        tuples += [name] if kind == "tuple" else []
    query = f"SELECT {', '.join(columns)} FROM ({ALL_TYPES})"
    code, out, err = run("sql", query, "--format", "parquet")
    assert (code, err) == (0, "")
    (tmp_path / "all.parquet").write_bytes(out)
    # There are no tuples in files: they are structs there.
    [again, as_it_was] = [
        duckdb.connect().sql(f"SELECT COLUMNS(* EXCLUDE ({', '.join(tuples)}))::VARCHAR FROM ({of})").fetchall()
        for of in (f"FROM '{tmp_path / 'all.parquet'}'", query)
    ]
    assert again == as_it_was


def test_python_has_every_type_or_says_that_it_has_none(lake_path):
    with open_lake(lake_path) as lake:
        took = f"SELECT took FROM ({DURATIONS})"
        assert lake.sql(took).arrow()["took"][0].as_py().nanoseconds == 899_997_000_000
        for query, way, said in [
            (took, "pl", "column took has values of type INTERVAL, which Polars does not have"),
            (took, "df", "pandas has no value for an INTERVAL of months"),
            (
                "SELECT 340282366920938463463374607431768211455::UHUGEINT AS n",
                "arrow",
                "column n has values of type UHUGEINT",
            ),
            ("SELECT [1::UHUGEINT] AS n", "reader", "column n has values of type UHUGEINT, which Arrow"),
            ("SELECT TIME '24:00:00' AS t", "pl", "Polars has no value for TIME 24:00:00"),
            ("SELECT TIME '24:00:00' AS t", "arrow", "Arrow has no value for TIME 24:00:00"),
            ("SELECT '12:00:00+02'::TIMETZ AS t", "arrow", "column t has values of type TIME WITH TIME ZONE"),
        ]:
            with pytest.raises(UsageError, match=said):
                getattr(lake.sql(query), way)()
        # Names of columns stay where others change.
        assert lake.sql("SELECT 1 AS x, TIME '10:00' AS x").arrow().column_names == ["x", "x"]
        assert lake.sql("SELECT TIME '10:00' AS x").pl()["x"].to_list() == [dt.time(10)]
