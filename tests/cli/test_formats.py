"""The formats of answers."""

import json
from typing import get_args

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ironlake.pipeline.cli import common as cli_common
from ironlake.pipeline.output.lines import table_lines
from ironlake.pipeline.output.write import Format
from lake_rows import ACTIVITY, GOAL

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
    assert (
        run("sql", ODD, "--format", "csv", "--raw-csv")[1].decode().splitlines()[-1]
        == '",-,1999-12-31T23:59:59.500000,,'
    )


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


def test_parquet(run):
    code, out, _ = run("sql", f"SELECT source_file, line FROM {ACTIVITY} ORDER BY ALL", "--format", "parquet")
    assert code == 0
    found = pq.read_table(pa.BufferReader(out))
    assert found.schema.names == ["source_file", "line"]
    assert found.num_rows == 20
    assert found.slice(0, 1).to_pylist() == [{"source_file": "a.txt", "line": 1}]


@pytest.mark.parametrize(
    ("value", "output_format"),
    [
        ("DATE 'infinity'", "table"),
        ("DATE '10000-01-01'", "json"),
        ("TIMESTAMP '0044-03-15 (BC) 10:00:00'", "csv"),
        ("[{'day': DATE '10000-01-01'}]", "markdown"),
    ],
)
def test_a_time_that_python_has_no_value_for_is_an_error_in_words(run, output_format, value):
    code, _, err = run("sql", f"SELECT 1 AS one, {value} AS moment", "--format", output_format)
    assert code == 2
    assert "a time in column moment cannot be shown; expected the years 1 to 9999, to the microsecond" in err
    assert run("sql", f"SELECT CAST({value} AS VARCHAR) AS moment", "--format", output_format)[0] == 0


@pytest.mark.parametrize("command", [["sql", "SELECT 1 AS one"], ["history"], ["describe"], ["describe", GOAL]])
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
