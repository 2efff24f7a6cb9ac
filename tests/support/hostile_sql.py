"""SQL from a stranger against an open lake: an answer or an error in words, in bounded time; nothing changes, and nothing outside is read."""

from __future__ import annotations

import atexit
import re
import shutil
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from random import Random
from typing import Any

import duckdb
from hostile_inputs import TooLate, entries, left_working, limited, mutated, outcome, private_folder, tree
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.sql.open_lake import OpenLake
from lake_rows import ACTIVITY, GOAL, add, entry

SECRET = "not-of-the-lake-7f3a"
# A query is interrupted after this.
_PATIENCE_S = 3.0
# A query that still works after an interrupt does not end.
_ENDING_S = 30.0
_MOST_ROWS = 20_000
_CONTROLS = (
    f"SELECT count(*), sum(line), round(avg(line), 3), max(upper(service_class)), md5(string_agg(source_file, ',')) FROM {ACTIVITY}",
    "SELECT sum(x), count(*), min(x), abs(-1), list_sort([2, 1]), strftime(TIMESTAMP '2024-03-01', '%Y') FROM (VALUES (1.25), (2.5)) t(x)",
    "SELECT count(*), md5(string_agg(f::VARCHAR, ',' ORDER BY f)) FROM finding_rule f",
    f"SELECT count(*) FROM {GOAL} WHERE line > 2",
)
_VOLATILE = ("max_temp_directory_size",)


class Scene:
    """A lake, open, beside a folder that is not the lake's and where the program works."""

    def __init__(self) -> None:
        self.folder = private_folder("sql")
        self.outside = self.folder / "outside"
        self.outside.mkdir()
        (self.outside / "secret.csv").write_text(f"a\n{SECRET}\n")
        writer = Lake(self.folder / "lake")
        add(writer, entry("a"), entry("b", lines=4))
        add(writer, entry("c", lines=6), tables=(ACTIVITY, GOAL))
        writer.close()
        # A query may compute as much as it likes; the machine is shared.
        self.lake = OpenLake(self.folder / "lake", memory="1GB")
        self.part = next(iter(self.lake.state.parts))
        self.files = tree(self.folder)
        self.answers, self.catalog = self.controls(), self.own()

    def filled(self, data: bytes) -> str:
        text = data.decode("utf-8", "surrogateescape")
        places = {"part": self.lake.path / self.part, "folder": self.lake.path, "out": self.outside / "out", "secret": self.outside / "secret.csv"}  # fmt: skip
        for name, path in places.items():
            text = text.replace(f"{{{name}}}", str(path))
        return text

    def controls(self) -> list[Any]:
        return [self.lake.sql(text).fetchall() for text in _CONTROLS]

    def own(self) -> list[Any]:
        """What DuckDB holds that a query might leave behind."""
        connection = self.lake._session._connection
        return [
            connection.execute(text).fetchall()
            for text in (
                "SELECT schema_name, function_name, macro_definition FROM duckdb_functions() WHERE NOT internal ORDER BY ALL",
                f"SELECT name, value FROM duckdb_settings() WHERE name NOT IN {(*_VOLATILE, '')} ORDER BY ALL",
                "SELECT database_name, path FROM duckdb_databases() ORDER BY ALL",
                "SELECT schema_name FROM duckdb_schemas() ORDER BY ALL",
                "SELECT type_name FROM duckdb_types() WHERE NOT internal",
                "SELECT sequence_name FROM duckdb_sequences()",
                "SELECT name FROM duckdb_variables()",
            )
        ]

    def strangers(self) -> list[Any]:
        """Tables and views that are none of the lake's."""
        found = self.lake._session._connection.execute(
            "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal"
        ).fetchall()
        return [name for (name,) in found if name not in {*self.lake.tables, *self.lake.views}]

    def close(self) -> None:
        self.lake.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def _scene() -> Scene:
    scene = Scene()
    atexit.register(scene.close)
    return scene


def one_input(data: bytes) -> str:
    scene = _scene()
    text = scene.filled(data)

    def ask() -> str:
        shown, rows = "", 0
        with chdir(scene.outside), limited(_PATIENCE_S):
            answer = scene.lake.sql(text)
            for batch in answer.reader(rows=1000):
                shown += str(batch.to_pydict())[:100_000]
                if (rows := rows + batch.num_rows) >= _MOST_ROWS:
                    break
        return shown

    said, wrong = outcome(ask)
    if wrong:
        return wrong
    if SECRET in said and SECRET not in text:
        return f"read a file outside: {said[:200]}"
    if left_working(_ENDING_S):
        # Its connection is not free before it ends: a new process goes on.
        return "" if tree(scene.folder) == scene.files else "changed files"
    return scene_wrong(scene)


def scene_wrong(scene: Scene) -> str:
    if (files := tree(scene.folder)) != scene.files:
        scene.files = files
        return "changed files"
    try:
        with limited(30):
            answers = scene.controls()
        if answers != scene.answers:
            return f"later answers changed: {answers}"
        if scene.own() != scene.catalog or scene.strangers():
            return "left something behind in the database"
    except (IronlakeError, TooLate, duckdb.Error) as error:
        _scene.cache_clear()
        return f"later queries fail: {error}"
    return ""


# --- Made by a grammar ----------------------------------------------------------------------------------------------

# fmt: off
_WORDS = (
    "SELECT", "FROM", "WITH", "AS", "(", ")", ",", ";", ".", "*", "'x'", '"x"', "$$", "--", "/*", "*/", "\n",
    "\r", "EXPLAIN", "ANALYZE", "COPY", "TO", "CREATE", "OR", "REPLACE", "MACRO", "VIEW", "TEMP", "TABLE",
    "INSERT", "INTO", "UPDATE", "DELETE", "RETURNING", "RECURSIVE", "MATERIALIZED", "UNION", "ALL", "LATERAL",
    "PIVOT", "UNPIVOT", "DESCRIBE", "SUMMARIZE", "SHOW", "CALL", "PRAGMA", "SET", "RESET", "ATTACH", "DETACH",
    "EXECUTE", "PREPARE", "query(", "query_table(", "'{out}'", "'{secret}'", "'{part}'", "NULL", "1",
    "-1", "9223372036854775807", "[", "]", "{", "}", ":=", "=>", "::", "->", "?", "$1", "rmf_workload_activity",
    "finding_rule", "ingest_file", "line", "COLUMNS(*)", "OVER", "EXISTS", "VALUES", "USE", "BEGIN", "COMMIT",
    "CHECKPOINT",
)
# fmt: on


@cache
def _functions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    asked = "SELECT DISTINCT function_type, function_name FROM duckdb_functions()"
    rows = duckdb.connect().execute(asked).fetchall()
    for kind, name in sorted(rows):
        found.setdefault(kind, []).append(name)
    return found


# What each name may become; <name> is replaced in turn, <scalar>, <table> and so on by functions of DuckDB, and the first of each is what it
# becomes when it is deep. Likelier words are there more than once.
_GRAMMAR = """
statement: <select><end> ¦ <select> ¦ EXPLAIN <select><end> ¦ EXPLAIN ANALYZE <select><end> ¦ EXPLAIN (FORMAT json) <select> ¦
  /* a */ <select><end> ¦ -- b\n  <select> ¦ <other><end> ¦ <other>; <other>
end: ; ¦ -- x
other: COPY (<select>) TO <place> ¦ CREATE OR REPLACE VIEW <name> AS <select> ¦ CREATE OR REPLACE TEMP MACRO <scalar>(x) AS 666 ¦
  CREATE TABLE <name> AS <select> ¦ INSERT INTO <name> <select> ¦ UPDATE <name> SET line = 0 ¦ DELETE FROM <name> ¦ DROP VIEW <name> ¦
  ATTACH <place> ¦ SET threads = 1 ¦ SET temp_directory = <place> ¦ SET VARIABLE x = 1 ¦ PRAGMA <pragma> ¦ CALL <table>(<arguments>) ¦
  EXPORT DATABASE <place> ¦ DESCRIBE <source> ¦ SUMMARIZE <source> ¦ FROM <source> ¦ PIVOT <source> ON line USING count(*) ¦
  MERGE INTO <name> USING (<select>) s ON true WHEN MATCHED THEN DELETE
select: SELECT 1 AS x ¦ <plain> ¦ <plain> ¦ <plain> ¦ WITH x AS (<select>) <plain> ¦ WITH RECURSIVE x AS MATERIALIZED (<other>) <plain> ¦
  <plain> UNION ALL <plain> ¦ <plain> EXCEPT <plain>
plain: SELECT <value> FROM <name> ¦ SELECT <expression> FROM <source> <tail> ¦ SELECT <expression>, <expression> FROM <source> ¦
  SELECT <expression> ¦ SELECT * FROM <source> WHERE <expression> <tail> ¦ SELECT COLUMNS(*) FROM <source>, LATERAL <source> ¦
  SELECT count(*) FROM <source> NATURAL JOIN <source>
tail: GROUP BY ALL ¦ ORDER BY ALL ¦ LIMIT 5 ¦ QUALIFY true ¦ USING SAMPLE 3
source: <name> ¦ <name> ¦ (<select>) ¦ <table>(<arguments>) ¦ query(<quoted>) ¦ <place> ¦ (<other>) ¦ range(9) ¦ (VALUES (1), (2)) v(line) ¦
  query_table(<place>) ¦ unnest([1])
arguments: <value> ¦ <expression> ¦ <expression>, <expression> ¦ <expression>, <expression>, <expression>
expression: <value> ¦ <value> ¦ <scalar>(<arguments>) ¦ <scalar>(<arguments>) ¦ <aggregate>(<arguments>) ¦ <macro>(<arguments>) ¦
  (<select>) ¦ <expression> <operator> <expression> ¦ CAST(<expression> AS <type>)
operator: + ¦ || ¦ = ¦ :: ¦ IN ¦ LIKE ¦ -> ¦ ** ¦ // ¦ IS NOT DISTINCT FROM
type: INTEGER ¦ VARCHAR ¦ BLOB ¦ JSON ¦ STRUCT(a INT) ¦ TIMESTAMPTZ ¦ BIT
value: 1 ¦ -1 ¦ 0.5 ¦ NULL ¦ '' ¦ 'a' ¦ [1, 2] ¦ {'a': 1} ¦ line ¦ service_class ¦ 1000 ¦ DATE '2024-03-01' ¦ '{"a": 1}' ¦ x -> x ¦
  INTERVAL 1 DAY ¦ 'SELECT 1' ¦ 'NaN'::DOUBLE ¦ 9223372036854775807 ¦ '\x1b[31m' ¦ <place>
name: rmf_workload_activity ¦ rmf_workload_goal ¦ finding_rule ¦ ingest_file ¦ workload_level ¦ study_step ¦ duckdb_settings() ¦ x ¦ memory.main.x
place: '{out}' ¦ '{secret}' ¦ '{part}' ¦ '{folder}' ¦ '/etc/passwd' ¦ 'secret.csv' ¦ '*.csv'
"""
_RULES = {
    name: re.split(r"\s+¦\s+", options.strip()) for name, options in re.findall(r"^(\w+):((?:.|\n )+)", _GRAMMAR, re.M)
}


def _made(random: Random, name: str, depth: int = 0) -> str:
    """A statement, or a part of one, by chance: mostly well-formed, with whatever DuckDB may do somewhere inside."""
    if name == "quoted":
        text = _made(random, random.choice(("statement", "other")), depth + 1)
        half = random.randrange(len(text) + 1)
        whole, *parts = ("'" + some.replace("'", "''") + "'" for some in (text, text[:half], text[half:]))
        return random.choice((whole, " || ".join(parts), f"$${text}$$", f"concat({', '.join(parts)})", f"E{whole}"))
    options = _RULES.get(name) or _functions()[name]
    chosen = options[0] if depth > 6 else random.choice(options)
    return re.sub(r"<(\w+)>", lambda m: _made(random, m[1], depth + 1), chosen) if name in _RULES else chosen


def tried(random: Random) -> Iterator[bytes]:
    corpus = list(entries("sql").values())
    while True:
        if random.random() < 0.5:
            text = _made(random, "statement").encode("utf-8", "surrogateescape")
        else:
            text = random.choice(corpus)
        match random.randrange(4):
            case 0:
                yield text
            case 1:
                yield mutated(text, random, corpus)
            case _:
                words = text.decode("utf-8", "surrogateescape").split(" ")
                for _ in range(random.choice((1, 2, 4))):
                    at = random.randrange(len(words) + 1)
                    words[at : at + random.randrange(3)] = random.choices(_WORDS, k=random.randrange(3))
                yield " ".join(words).encode("utf-8", "surrogateescape")
