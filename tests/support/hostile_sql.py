"""SQL from a stranger against an open lake: an answer or an error in words, in bounded time; nothing changes, and nothing outside is read."""

from __future__ import annotations

import atexit
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
from ironlake.pipeline.sql import session
from ironlake.pipeline.sql.open_lake import OpenLake
from lake_rows import ACTIVITY, GOAL, add, entry

SECRET = "not-of-the-lake-7f3a"
# A query is interrupted after this.
_PATIENCE_S = 3.0
# An interrupted one that still works then does not end.
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
        session._CLOSED.update(memory_limit="1GB", threads="1")
        self.lake = OpenLake(self.folder / "lake")
        self.part = next(iter(self.lake.state.parts))
        self.files = tree(self.folder)
        self.answers, self.catalog = self.controls(), self.own()

    def filled(self, data: bytes) -> str:
        text = data.decode("utf-8", "surrogateescape")
        places = {
            "part": self.lake.path / self.part,
            "folder": self.lake.path,
            "out": self.outside / "out",
            "secret": self.outside / "secret.csv",
        }
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


_VALUES = """
1; -1; 0.5; NULL; ''; 'a'; [1, 2]; {'a': 1}; line; service_class; 1000; DATE '2024-03-01'
'{"a": 1}'; x -> x; INTERVAL 1 DAY; 'SELECT 1'; 'NaN'::DOUBLE; 9223372036854775807
"""


@cache
def _functions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    asked = "SELECT DISTINCT function_type, function_name FROM duckdb_functions()"
    rows = duckdb.connect().execute(asked).fetchall()
    for kind, name in sorted(rows):
        found.setdefault(kind, []).append(name)
    return found


class _Grammar:
    """Statements by chance: mostly well-formed, with whatever DuckDB may do somewhere inside."""

    def __init__(self, random: Random):
        self.random, self.depth = random, 0

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def statement(self) -> str:
        explained = ("EXPLAIN ", "EXPLAIN ANALYZE ", "EXPLAIN (FORMAT json) ", "EXPLAIN (ANALYZE) ")
        text = self.pick("", "", "", *explained, "/* a */ ", "-- b\n")
        text += self.select() if self.random.random() < 0.8 else self.other()
        return text + self.pick("", "", "", ";", "; ", " -- x", f"; {self.other()}")

    def other(self) -> str:
        """A statement that is no SELECT."""
        inner = self.select()
        return self.pick(
            f"COPY ({inner}) TO {self.place()}",
            f"CREATE OR REPLACE {self.pick('', 'TEMP ')}VIEW {self.name()} AS {inner}",
            f"CREATE OR REPLACE {self.pick('', 'TEMP ')}MACRO {self.pick(*_functions()['scalar'])}(x) AS 666",
            f"CREATE TABLE {self.name()} AS {inner}",
            f"INSERT INTO {self.name()} {inner}",
            f"UPDATE {self.name()} SET line = 0",
            f"DELETE FROM {self.name()}",
            f"DROP VIEW {self.name()}",
            f"ATTACH {self.place()}",
            f"SET {self.pick('threads = 1', 'schema = 1', 'temp_directory = ' + self.place(), 'VARIABLE x = 1')}",
            f"PRAGMA {self.pick(*_functions().get('pragma', ['version']))}",
            f"CALL {self.pick(*_functions()['table'])}({self.arguments()})",
            f"EXPORT DATABASE {self.place()}",
            f"{self.pick('DESCRIBE', 'SUMMARIZE', 'SHOW', 'FROM')} {self.source()}",
            f"PIVOT {self.source()} ON line USING count(*)",
            f"MERGE INTO {self.name()} USING ({inner}) s ON true WHEN MATCHED THEN DELETE",
        )

    def select(self) -> str:
        self.depth += 1
        try:
            if self.depth > 4:
                return "SELECT 1 AS x"
            if self.random.random() < 0.3:
                return f"{self.common()} {self.plain()}"
            if self.random.random() < 0.15:
                return f"{self.plain()} {self.pick('UNION ALL', 'UNION BY NAME', 'EXCEPT', 'INTERSECT')} {self.plain()}"
            return self.plain()
        finally:
            self.depth -= 1

    def common(self) -> str:
        body = self.other() if self.random.random() < 0.4 else self.select()
        return f"WITH {self.pick('', 'RECURSIVE ')}x AS {self.pick('', 'MATERIALIZED ')}({body})"

    def plain(self) -> str:
        columns = ", ".join(self.expression() for _ in range(self.random.choice((1, 1, 2))))
        text = f"SELECT {self.pick(columns, columns, '*', 'COLUMNS(*)', 'count(*)')}"
        if self.random.random() < 0.8:
            text += f" FROM {self.source()}"
            if self.random.random() < 0.2:
                text += f"{self.pick(', ', ' NATURAL JOIN ', ' CROSS JOIN ', ', LATERAL ')}{self.source()}"
        if self.random.random() < 0.3:
            text += f" WHERE {self.expression()}"
        return text + self.pick(
            "", "", " GROUP BY ALL", " ORDER BY ALL", " LIMIT 5", " QUALIFY true", " USING SAMPLE 3"
        )

    def source(self) -> str:
        if self.depth > 4:
            return self.name()
        match self.random.randrange(8):
            case 0 | 1:
                return self.name()
            case 2:
                return f"({self.select()})"
            case 3:
                return f"{self.pick(*_functions()['table'])}({self.arguments()})"
            case 4:
                return f"query({self.quoted(self.statement() if self.random.random() < 0.5 else self.other())})"
            case 5:
                return self.place()
            case 6:
                return f"({self.other()})"
            case _:
                return self.pick(
                    "range(9)", "(VALUES (1), (2)) v(line)", f"query_table({self.place()})", "x", "unnest([1])"
                )

    def quoted(self, text: str) -> str:
        half = self.random.randrange(len(text) + 1)
        whole = "'" + text.replace("'", "''") + "'"
        parts = ["'" + some.replace("'", "''") + "'" for some in (text[:half], text[half:])]
        return self.pick(
            whole, " || ".join(parts), f"$${text}$$", f"concat({', '.join(parts)})", f"E{whole}", f"({whole})"
        )

    def arguments(self) -> str:
        return ", ".join(self.expression() for _ in range(self.random.choice((0, 1, 1, 2, 3))))

    def expression(self) -> str:
        self.depth += 1
        try:
            if self.depth > 5:
                return self.value()
            match self.random.randrange(7):
                case 0 | 1:
                    return f"{self.pick(*_functions()[self.pick('scalar', 'scalar', 'aggregate', 'macro')])}({self.arguments()})"
                case 2:
                    return f"({self.select()})"
                case 3:
                    return f"{self.expression()} {self.pick('+', '||', '=', '::', 'IN', 'LIKE', '->', '**', '//', 'IS NOT DISTINCT FROM')} {self.expression()}"
                case 4:
                    return f"CAST({self.expression()} AS {self.pick('INTEGER', 'VARCHAR', 'BLOB', 'JSON', 'STRUCT(a INT)', 'TIMESTAMPTZ', 'BIT')})"
                case _:
                    return self.value()
        finally:
            self.depth -= 1

    def value(self) -> str:
        return self.pick(*_VALUES.strip().replace("\n", "; ").split("; "), "'\x1b[31m'", self.place())

    def name(self) -> str:
        views = ("finding_rule", "ingest_file", "workload_level", "study_step")
        return self.pick(ACTIVITY, GOAL, *views, "duckdb_settings()", "x", "memory.main.x")

    def place(self) -> str:
        return self.pick("'{out}'", "'{secret}'", "'{part}'", "'{folder}'", "'/etc/passwd'", "'secret.csv'", "'*.csv'")


def tried(random: Random) -> Iterator[bytes]:
    corpus = list(entries("sql").values())
    while True:
        if random.random() < 0.5:
            text = _Grammar(random).statement().encode("utf-8", "surrogateescape")
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
