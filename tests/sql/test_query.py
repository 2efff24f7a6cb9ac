"""SQL over a lake: right answers from every kind of part, good errors, and no way out."""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import duckdb
import pyarrow as pa
import pytest
from command_line import PATIENCE_S
from hostile_inputs import entries
from ironlake.pipeline import open_lake
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.sql.describe import schema_of_view
from ironlake.pipeline.sql.guard import checked_query
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.names import names_in, names_parsed
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.schema import plain_schema
from ironlake.pipeline.sql.session import Session, empty_session
from ironlake.pipeline.sql.view_files import View, views
from ironlake.pipeline.sql.view_schema import read_by
from lake_rows import ACTIVITY, GOAL, add, answer_of, checksum, entry, fill, write_part
from sample_pages import ROOT


def three_sources(path):
    """Sources a and b share a part of ACTIVITY; c has one of ACTIVITY and one of GOAL."""
    writer = Lake(path)
    add(writer, entry("a"), entry("b", lines=4))
    add(writer, entry("c", lines=6), tables=(ACTIVITY, GOAL))


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    path = tmp_path_factory.mktemp("query") / "lake"
    three_sources(path)
    with open_lake(path) as opened:
        yield opened


def test_a_table_without_parts_is_empty(lake):
    empty = lake.sql("SELECT * FROM rmf_service_policy").arrow()
    assert empty.num_rows == 0
    assert empty.schema.names == tables()["rmf_service_policy"].schema.names
    assert empty.schema.field("interval_start").type == pa.timestamp("us")


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("service_class = 'C1'", 7), ("service_class <> 'C1'", 10), ("service_class IS NULL", 3), ("service_class IN ('C1', 'C2')", 11),
        ("service_class LIKE 'C%' AND line > 5", 5), ("line BETWEEN 2 AND 4 OR source_file = 'b.txt'", 10),
        ("service_class IS DISTINCT FROM 'C1'", 13), ("NOT (line < 9)", 2), ("upper(service_class) = 'C1'", 7),
    ],
)  # fmt: skip
def test_a_filter_gives_what_it_gives_without_pushdown(lake, condition, count):
    assert lake.sql(f"SELECT count(*) FROM {ACTIVITY} WHERE {condition}").fetchall() == [(count,)]
    # Materialized rows cannot be filtered by the scan.
    plain = f"WITH all_rows AS MATERIALIZED (SELECT * FROM {ACTIVITY}) SELECT count(*) FROM all_rows WHERE {condition}"
    assert lake.sql(plain).fetchall() == [(count,)]


def test_times_and_numbers_come_back_as_they_were_stored(tmp_path):
    writer = Lake(tmp_path / "lake")
    e = entry("a", lines=2)
    start = dt.datetime(2021, 4, 13, 10, 0, 0, 5)
    columns = {"source_id": [e.source_id] * 2, "class_kind": ["policy"] * 2, "interval_start": [start, None]}
    data = pa.table({**columns, "appl_cp_pct": [672.77, None]})
    writer.commit([e], [write_part(writer, data, e)])
    with open_lake(writer.path) as lake:
        query = (
            f"SELECT interval_start, appl_cp_pct FROM {ACTIVITY} WHERE interval_start = '2021-04-13 10:00:00.000005'"
        )
        assert lake.sql(query).fetchall() == [(start, 672.77)]
        assert lake.sql(f"SELECT sum(appl_cp_pct), count(*) FROM {ACTIVITY}").fetchall() == [(672.77, 2)]


def test_filters_and_columns_are_pushed_into_the_scan_of_a_large_table(lake):
    query = f"EXPLAIN SELECT count(line) FROM {ACTIVITY} WHERE service_class = 'C1'"
    with OpenLake(lake.path, few_rows=5) as large:
        plan = large.sql(query).fetchall()[0][1]
    scan = plan[plan.index("Read Parquet") :]
    assert ":service_class = 'C1'" in scan
    assert "tenant" not in scan


def test_every_form_of_answer_holds_the_same_rows(lake):
    answer = lake.sql(f"SELECT source_file, count(*) AS n FROM {ACTIVITY} GROUP BY 1 ORDER BY 1")
    expected = [("a.txt", 10), ("b.txt", 4), ("c.txt", 6)]
    assert answer.fetchall() == expected
    assert answer.pl().rows() == expected
    assert list(answer.df().itertuples(index=False, name=None)) == expected
    assert [tuple(row.values()) for row in answer.arrow().to_pylist()] == expected
    assert answer.reader().read_all() == answer.arrow()
    assert answer.columns == ["source_file", "n"]


def test_an_answer_outlives_its_lake_and_half_read_stands_in_nobodys_way(lake):
    assert open_lake(lake.path).sql(f"SELECT count(*) FROM {ACTIVITY}").fetchall() == [(20,)]
    first = lake.sql(f"SELECT line FROM {ACTIVITY}").reader(rows=2)
    first.read_next_batch()
    assert lake.sql(f"SELECT count(*) FROM {GOAL}").fetchall() == [(6,)]
    assert first.read_all().num_rows == 18


def test_an_open_lake_stays_as_it_was_opened(tmp_path):
    three_sources(tmp_path / "lake")
    with open_lake(tmp_path / "lake") as lake:
        add(Lake(lake.path), entry("later"))
        assert lake.sql(f"SELECT count(*) FROM {ACTIVITY}").fetchall() == [(20,)]
    assert answer_of(tmp_path / "lake", f"SELECT count(*) FROM {ACTIVITY}") == [(30,)]


def test_tables_views_and_schemas_are_listed(lake):
    assert lake.tables == sorted(tables())
    assert lake.views == sorted(views())
    assert lake.rows(ACTIVITY) == 20
    assert lake.rows("ingest_file") == 3
    assert lake.schema(ACTIVITY).field("appl_cp_pct").metadata[b"unit"] == b"% of one engine"
    with pytest.raises(UsageError, match=f"near names: {GOAL}"):
        lake.schema("rmf_workload_goals")


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        # Tables are found wherever a query names them.
        *((query, 20) for query in (
            f"FROM {ACTIVITY} SELECT count(*)", f'SELECT count(*) FROM "{ACTIVITY.upper()}"', f"SELECT (SELECT count(*) FROM {ACTIVITY})",
            f"WITH x AS (SELECT * FROM {ACTIVITY}) SELECT count(*) FROM x", f"SELECT count(*) FROM query_table('{ACTIVITY}')",
            f"WITH rmf_workload_goal AS (SELECT * FROM {ACTIVITY}) SELECT count(*) FROM rmf_workload_goal",
            f"SELECT count(*) FROM (VALUES (1)) AS one(x), LATERAL (SELECT * FROM {ACTIVITY})", f"SELECT count(*) FROM query('FROM {ACTIVITY}')",
            f"SELECT sum(n)::BIGINT FROM (PIVOT {ACTIVITY} ON page IN (1 AS n) USING count(*))",
            f"SELECT 20 WHERE EXISTS (FROM {ACTIVITY}) -- {ACTIVITY}", f"SELECT 20 FROM {GOAL} WHERE line IN (SELECT line FROM {ACTIVITY}) LIMIT 1;",
            "SELECT count(*) FROM query('FROM rmf_workload' || '_activity')")),
        # What reads is answered.
        ("SELECT * FROM query('SELECT 1 AS a')", 1), ("FROM query('FROM query(''SELECT 2'')')", 2), ("VALUES (3)", 3),
        ("WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM a WHERE x < 3) SELECT max(x) FROM a", 3),
        ("SELECT \"0\" + \"1\" FROM (PIVOT (SELECT range AS r FROM range(2)) ON r IN (0, 1) USING count(*))", 2),
        ('SELECT \'"type":"COPY_QUERY_NODE"\'', '"type":"COPY_QUERY_NODE"'), ("SELECT " + " + ".join(["1"] * 900), 900),
        ("SELECT sum(x) FROM (VALUES (9007199254740993), (2)) AS t(x)", 9007199254740995),
        ("SELECT count(*) FROM (DESCRIBE ingest_file) WHERE column_name = 'lines'", 1),
        (f"SELECT DISTINCT typeof(service_class) || typeof(tenant) FROM {ACTIVITY}", "VARCHARVARCHAR"),
    ],
)  # fmt: skip
def test_what_reads_is_answered(lake, query, answer):
    assert lake.sql(query).fetchall() == [(answer,)]


def test_a_name_put_together_in_a_query_is_found(lake):
    level = lake.sql("SELECT count(*) AS n FROM workload_level").fetchall()
    assert lake.sql("SELECT count(*) FROM query('FROM Workload' || '_level')").fetchall() == level
    with pytest.raises(UsageError, match="rmf_workload_gaol does not exist") as told:
        lake.sql("FROM query('FROM rmf_workload' || '_gaol')")
    assert "Did you mean" not in str(told.value)
    assert GOAL in str(told.value.hint)


def test_only_what_a_query_needs_is_set_up():
    asked: list[str] = []

    def dataset(table):
        asked.append(table.name)
        return plain_schema(table).empty_table()

    inner = View("inner_view", f"-- Grain: x.\nSELECT line FROM {GOAL}")
    outer = View("outer_view", "-- Grain: x.\nWITH l AS (SELECT * FROM Inner_View) SELECT count(*) AS n FROM l")
    session = Session(dataset, {"inner_view": inner, "outer_view": outer})
    assert session.relation("SELECT n FROM outer_view")[1].fetchall() == [(0,)]
    assert asked == [GOAL]
    assert session.relation(f"SELECT * FROM {ACTIVITY}, outer_view")[1].fetchall() == []
    assert asked == [GOAL, ACTIVITY]
    listed = session.relation("SELECT table_name, column_name FROM information_schema.columns")[1].fetchall()
    assert {("inner_view", "line"), ("outer_view", "n"), ("study_step", "study")} <= {*listed}
    assert asked == [GOAL, ACTIVITY]
    session.close()


def test_names_that_a_view_is_made_of():
    connection = duckdb.connect()
    every = ["known", "Other", "third"]
    text = "WITH q AS (SELECT * FROM known) SELECT *, (SELECT max(third) FROM other) FROM q, Known, stranger, unnest(third)"
    assert names_in(connection, text, every) == ["Other", "known"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("SELECT * FROM known JOIN other USING (a)", ["Other", "known"]),
        ("SELECT 1 -- FROM known\nFROM\n  other /* JOIN third */", ["Other"]),
        ("SELECT 'it''s FROM known' FROM third", ["third"]),
        ("SELECT * FROM q WHERE a IS NOT DISTINCT FROM known", []),
        ("SELECT extract(hour FROM known) FROM q", []),
        ("SELECT $$ FROM known $$ FROM q", []),
        ('SELECT * FROM "known"', ["known"]),
        ("SELECT known.a FROM third, known", ["known", "third"]),
        ("SELECT other FROM known", ["known"]),
    ],
)
def test_names_as_they_may_be_written(text, named):
    assert names_in(duckdb.connect(), text, ["known", "Other", "third"]) == named


def test_words_tell_what_views_are_made_of():
    """DuckDB takes as long to parse a view as to plan a small query."""
    connection, every = duckdb.connect(), (*tables(), *views())
    parsed = {name: names_parsed(connection, view.sql, every) for name, view in views().items()}
    assert {name: read_by(name) for name in views()} == parsed


def test_a_question_makes_what_it_needs_once_and_nothing_else(lake, monkeypatch):
    """interval_factor is over three tables and two views, which are over tables alone."""
    ran = []

    class Recorded:
        def __init__(self, connection):
            self.connection = connection

        def __getattr__(self, name):
            return getattr(self.connection, name)

        def execute(self, text, *more):
            ran.append(re.sub(r"\s+AS .*", "", text, flags=re.DOTALL))
            return self.connection.execute(text, *more)

    with OpenLake(lake.path) as opened:
        session = opened._session
        # What a busy machine took long to make is kept.
        session._kept_views = None
        monkeypatch.setattr(session, "_maker", Recorded(session._maker))
        opened.sql("SELECT * FROM interval_factor").fetchall()
    assert ran == [f'CREATE TABLE "{name}"' for name in ("interval_scope", "print_and_xml", "interval_factor")]


def test_a_view_names_no_part_of_itself_as_a_table_is_called():
    """Which it means, the table or the part, would be a guess."""
    part = r"(?:WITH(?: RECURSIVE)?|,)\s+(\w+)(?:\([^()]*\))? AS (?:NOT )?(?:MATERIALIZED )?\("
    parts = {name: {*re.findall(part, view.sql)} for name, view in views().items()}
    assert {name: said for name, said in parts.items() if said & {*tables(), *views()}} == {}
    assert sum(map(bool, parts.values())) > 50


@pytest.mark.slow
def test_what_the_database_tells_of_its_tables_names_all_of_them_and_their_columns():
    session = empty_session()
    asked = "SELECT table_name FROM information_schema.tables"
    named = {name for (name,) in session.relation(asked)[1].fetchall()}
    assert named >= {*tables(), *views()}
    asked = "SELECT table_name, column_name, data_type FROM information_schema.columns ORDER BY ordinal_position"
    found: dict[str, list[tuple[str, str]]] = {}
    for name, column, type_ in session.relation(asked)[1].fetchall():
        found.setdefault(name, []).append((column, type_))
    for name in ("cost_change", "rmf_workload_activity", "study_fit"):
        answer = session.relation(f'FROM "{name}"')[1]
        assert found[name] == [(c, str(t)) for c, t in zip(answer.columns, answer.types, strict=True)]
    # Over empty tables whatever reads some has no row.
    assert {name: [c for c, _ in found[name]] for name in views()} == {
        name: schema_of_view(name).names for name in views()
    }
    for name, view in views().items():
        rows = session._over_nothing.relation(f'SELECT count(*) FROM "{name}"')[1].fetchall()
        assert (rows == [(0,)]) == bool(read_by(name)), name
        assert view.grain, name
    session._over_nothing.close()
    session.close()


@pytest.mark.parametrize(
    ("query", "messages"),
    [
        ("SELECT * FROM rmf_workload_goals", ["rmf_workload_goals does not exist", f"near names: {GOAL}"]),
        (f"SELECT sistem FROM {GOAL}", ['"sistem" not found', '"system"', "ironlake describe"]),
        ("SELEC 1", ["syntax error", "SELEC"]),
        ("SELECT 1; SELECT 2", ["only one SELECT"]),
        ("", ["the query is empty; expected one SELECT"]),
        ("SELECT CAST('x' AS INTEGER)", ["Could not convert"]),
        (f"SELECT CAST(service_class AS INTEGER) FROM {ACTIVITY}", ["Could not convert"]),
    ],
)
def test_a_wrong_query_is_explained(lake, query, messages):
    with pytest.raises(UsageError) as caught:
        lake.sql(query).fetchall()
    for message in messages:
        assert message in str(caught.value)
    assert "pragma_database_list" not in str(caught.value)


# Whatever words of a damaged file they hold.
MISTAKES = (
    'SELECT "Parquet" FROM ingest_file', "SELECT CAST('page header' || range AS INTEGER) FROM range(3)", "SELECT error('Parquet')",
    "SELECT error('reading the stream registered as mine')", "SELECT strptime('No such file', '%d')",
)  # fmt: skip


def test_a_mistake_in_a_query_is_no_damage_of_the_lake(lake):
    for text in MISTAKES:
        with pytest.raises(UsageError):
            lake.sql(text).fetchall()
    # In the middle of an answer.
    query = "SELECT CASE WHEN range = 150000 THEN CAST('x' || range AS INTEGER) END FROM range(200000)"
    with pytest.raises(UsageError, match="Could not convert"):
        lake.sql(query).reader().read_all()


def test_a_session_answers_on_after_an_error_that_ends_the_database(lake):
    """As some of memory do: the database refuses whatever comes then, even to begin."""

    class Ended:
        def __init__(self, connection):
            self.connection = connection

        def begin(self):
            raise duckdb.FatalException("the database has been invalidated")

        def cursor(self):
            return self

        def close(self):
            self.connection.close()

    asked = "SELECT count(*) FROM interval_scope"
    with open_lake(lake.path) as opened:
        before = opened.sql(asked).fetchall()
        for _ in range(2):
            opened._session._connection = cast(Any, Ended(opened._session._connection))
            assert opened.sql(asked).fetchall() == before
            with pytest.raises(UsageError):
                opened.sql("SELECT * FROM read_text('/etc/passwd')")


# {part}, {folder}, {out}: a part of the lake, the lake, a file that is not there.
ATTEMPTS = [text.decode("utf-8", "surrogateescape") for name, text in entries("sql").items() if name.startswith("refused-")]  # fmt: skip


def filled(attempt: str, **places: object) -> str:
    for name, path in places.items():
        attempt = attempt.replace(f"{{{name}}}", str(path))
    return attempt


def test_a_query_cannot_get_out(lake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = lake.sql("FROM finding_rule ORDER BY ALL").fetchall()
    before = checksum(lake.path)
    places = {
        "part": lake.path / next(p for p in before if p.endswith(".parquet")),
        "folder": lake.path,
        "out": tmp_path / "out",
        "secret": lake.path.parent / "x.csv",
    }
    assert made
    assert len(ATTEMPTS) > 100
    for attempt in ATTEMPTS:
        with pytest.raises(UsageError):
            raise AssertionError((attempt, lake.sql(filled(attempt, **places)).fetchall()))
        assert list(tmp_path.iterdir()) == [], attempt
    assert checksum(lake.path) == before
    assert lake.sql(f"SELECT count(*) FROM {ACTIVITY}").fetchall() == [(20,)]
    assert lake.sql("FROM finding_rule ORDER BY ALL").fetchall() == made


def test_the_first_line_alone_refuses():
    """The check of the statement, before a closed DuckDB would refuse it as well."""
    connection = duckdb.connect()
    for attempt in ATTEMPTS:
        named = re.match(r"SELECT (?:\*|content) FROM (?!query|duckdb_|pragma_)(\w+)\(", attempt)
        if named:
            with pytest.raises(UsageError, match=f"{named[1]} is not allowed in a query"):
                checked_query(connection, attempt)
        elif re.search(r"query\(.*(COPY|chr)", attempt) or "WITH x AS" in attempt:
            with pytest.raises((UsageError, duckdb.ParserException)):
                checked_query(connection, attempt)
    for levels, said in ((301, "more than 300 parentheses"), (300, "syntax error")):
        with pytest.raises((UsageError, duckdb.ParserException), match=said):
            checked_query(connection, "SELECT " + "(" * levels)


def test_the_session_is_closed_whatever_statements_are_let_through(lake, tmp_path):
    """The second line: DuckDB itself refuses, were the statement not refused before."""
    connection = lake._session._connection.cursor()
    for attempt in ATTEMPTS:
        if attempt.startswith(
            ("COPY", "ATTACH", "EXPORT", "IMPORT", "INSTALL", "LOAD", "SET ena", "SET lock", "RESET")
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(filled(attempt, part=tmp_path / "p.parquet", folder=tmp_path, out=tmp_path / "out"))
    allowed = ("enable_external_access", "autoload_known_extensions", "autoinstall_known_extensions")
    for name in (*allowed, "lock_configuration"):
        wanted = name not in allowed
        assert connection.execute(f"SELECT current_setting('{name}')").fetchall() == [(wanted,)]
    assert not (tmp_path / "out").exists()


def test_duckdb_may_use_its_temporary_folder_and_the_parts_alone(lake):
    """And the parts of the lake: what is really allowed, not what was asked for; the folder takes at most half of the free space. A DuckDB that is closed from
    its start would allow the file of its own name as well."""
    with open_lake(lake.path) as opened:
        connection = opened._session._connection
        asked = "SELECT name, value FROM duckdb_settings() WHERE name LIKE 'allowed_%'"
        found = dict(connection.execute(asked).fetchall())
        asked = "SELECT current_setting('temp_directory'), current_setting('max_temp_directory_size')"
        ((spill, most),) = connection.execute(asked).fetchall()
        parts = [str(lake.path / path) for path in opened.state.parts]
        assert {*found.pop("allowed_paths")[1:-1].split(", ")} == {*parts}
        assert found == {"allowed_configs": "[]", "allowed_directories": f"[{spill}/]"}
        # Stands for parts in plans.
        assert os.listdir(spill) == ["parts"]
        assert "%" not in most


@pytest.mark.parametrize(
    "explain", ["EXPLAIN", "EXPLAIN ANALYZE", "EXPLAIN (FORMAT json)", "/* why */ explain -- slow\n"]
)
def test_a_select_is_explained(lake, explain):
    query = f"{explain} SELECT count(*) FROM {ACTIVITY}"
    assert lake.sql(query).fetchall()
    with OpenLake(lake.path, few_rows=0) as large:
        assert large.sql(query).fetchall()


def test_times_with_a_zone_are_answered_or_said_to_need_pytz(lake, monkeypatch):
    """DuckDB makes Python values of them with pytz, which Ironlake does not ask for."""
    monkeypatch.setitem(sys.modules, "pytz", None)
    answer = lake.sql("SELECT TIMESTAMPTZ '2021-04-13 10:00:00+00' AS at")
    assert answer.arrow()["at"][0].value == 1_618_308_000_000_000
    with pytest.raises(UsageError) as raised:
        answer.fetchall()
    assert "pytz" in raised.value.what
    assert "Traceback" not in str(raised.value)
    assert "AT TIME ZONE" in raised.value.hint
    [(at,)] = lake.sql("SELECT TIMESTAMPTZ '2021-04-13 10:00:00+00' AT TIME ZONE 'UTC'").fetchall()
    assert at == dt.datetime(2021, 4, 13, 10)


# --- DuckDB has a progress bar for processes without a script: it is in no answer -------------------------------------


SOON = """
import sys, duckdb
plain = duckdb.connect
def connect(*given, **named):
    connection = plain(*given, **named)
    connection.execute("SET progress_bar_time = 1")
    return connection
duckdb.connect = connect
question = "SELECT count(*) AS n FROM range(20000000) WHERE hash(range) % 2 = 3"
"""
FROM_PYTHON = """
from ironlake.pipeline import open_lake
from ironlake.pipeline.sql.connection import connect
with open_lake(sys.argv[1]) as lake:
    print(lake.sql(question).fetchall())
    with lake.database() as connection:
        print(connection.execute(question).fetchall())
print(connect().execute(question).fetchall())
"""
COMMAND = """
from ironlake.pipeline.cli.main import main
sys.argv = ["ironlake", "sql", question, "--format", "csv", "--lake", sys.argv[1]]
main()
"""
DUCKDB_ALONE = "print(connect().execute(question).fetchall())"


@pytest.mark.slow
def test_no_bar_is_in_an_answer(tmp_path: Path):
    fill(tmp_path / "lake", entry("a"))

    def written(code: str) -> str:
        command = [sys.executable, "-c", SOON + code, str(tmp_path / "lake")]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE_S)
        assert not done.stderr
        return done.stdout

    assert "100%" in written(DUCKDB_ALONE)
    assert written(FROM_PYTHON) == "[(0,)]\n" * 3
    assert written(COMMAND) == "n\n0\n"


def test_one_module_alone_connects():
    """A notebook is no script either: there is no bar where every connection is made here."""
    folders = ("api", "parsers", "pipeline", "dashboards")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    calls = re.compile(r"\bduckdb\s*\.\s*(connect|sql|query|execute|default_connection)\b|from duckdb import")
    assert len(files) > 100
    assert [file.name for file in files if calls.search(file.read_text("utf-8"))] == ["connection.py"]
