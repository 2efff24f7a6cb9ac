"""Tests whose rows lie in one lake in memory: the views over it are made once for all of them, not once per test.

A test is a generator: it yields rows of tables and gets a lake of them. `share_lake` runs all tests of a module side by side, puts
what they yield into one lake, and keeps the cases apart: each lies 400 years from the next, which is a whole cycle of
the calendar, and has sources, systems and studies of its own. What a test asks of its lake it asks of its own rows alone.
"""

from __future__ import annotations

import datetime as dt
import functools
import inspect
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.view_files import macros, views
from views_lake import MemoryLake, Row

Rows = Mapping[str, Sequence[Row]]
_CYCLE = dt.timedelta(days=146_097)
# Cases lie where they are and later, the last four before: Python knows no year before 1 nor after 9999.
_LATER, MOST = 20, 24
# Names of files get the sign of their case behind them: files are also known by the end of their path.
_FILES = ("source_file", "simulator_file", "jmh_file")
# Other names get it in front; of a list each.
_OWN = ("study", "source_id", "sysplex", "system", "sequence_code", "scope", "systems", "remote_systems")
# The first of these that a row has tells its case.
_TELLING = ("source_id", "study", "scope", "system", "sysplex")
# Scopes of Db2 reports, which views ask for by name: no names of systems, and the same in all cases.
_DB2_SCOPES = ("member", "group", "group_member")
_SIGNS = 0xE000
_SIGN = re.compile(f"[{chr(_SIGNS)}-{chr(_SIGNS + MOST)}]")


class CaseLake:
    """The lake of one case: asked as MemoryLake is."""

    def __init__(self, together: _Together, number: int):
        self._together, self._number = together, number

    def own(self, name: str) -> str:
        """A name of the case as nested values have it, from which signs are not taken."""
        return _sign(self._number) + name

    def rows(self, text: str) -> list[Row]:
        return [_unsigned(row) for row in self.sql(text).to_arrow_table().to_pylist()]

    def sql(self, text: str) -> duckdb.DuckDBPyRelation:
        return self._together.sql(self._number, text)


T = TypeVar("T")
# What a test asks for, or a function that it asks through: a lake, or several at once.
Asks = Generator[Rows, CaseLake, T]
AsksSeveral = Generator[Sequence[Rows], Sequence[CaseLake], T]

_Test = Asks[None] | AsksSeveral[None]


def each(*asking: Asks[T]) -> AsksSeveral[list[T]]:
    """What each of them finds, every one in a lake of its own."""
    lakes, found = (yield [next(one) for one in asking]), []
    for one, lake in zip(asking, lakes, strict=True):
        try:
            one.send(lake)
        except StopIteration as end:
            found.append(end.value)
    assert len(found) == len(asking), "asks for more than one lake"
    return found


class _Together:
    """Cases in one lake, and the tables and views of each."""

    def __init__(self, cases: Sequence[Rows]):
        merged: dict[str, list[Row]] = {}
        for number, case in enumerate(cases):
            for name, rows in case.items():
                merged.setdefault(name, []).extend(_moved(row, number) for row in rows)
        self._lake = MemoryLake(**merged)
        self._connection = duckdb.connect()
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute(macros())
        self._whole: dict[str, pa.Schema] = {}
        self._cases = len(cases)

    def sql(self, number: int, text: str) -> duckdb.DuckDBPyRelation:
        schema = f"case_{number}"
        self._connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        for name in set(re.findall(r"\w+", text)) & {*tables(), *views()}:
            self._connection.execute(f'CREATE OR REPLACE VIEW {schema}."{name}" AS {self._of_case(name, number)}')
        self._connection.execute(f"SET schema = '{schema}'")
        # At once: the schema is another one for the next case.
        return self._connection.from_arrow(self._connection.sql(text).to_arrow_table())

    def _of_case(self, name: str, number: int) -> str:
        """What is of one case, as it would be in a lake of its own."""
        if name not in self._whole:
            found = self._lake.sql(f'SELECT * FROM "{name}"').to_arrow_table()
            self._connection.register("found", found)
            self._connection.execute(f'CREATE TABLE memory.main."whole_{name}" AS FROM temp.main.found')
            self._whole[name] = found.schema
            self._hold_apart(name)
        schema = self._whole[name]
        texts = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]
        times = [f.name for f in schema if pa.types.is_timestamp(f.type) or pa.types.is_date(f.type)]
        sign = _sign(number)
        instead = [f"""replace("{c}", '{sign}', '') AS "{c}\"""" for c in texts]
        instead += [
            f'CAST("{c}" - INTERVAL ({_moved_by(number).days}) DAY AS {_sql_type(schema.field(c).type)}) AS "{c}"'
            for c in times
        ]
        what = ", ".join(instead)
        return f'SELECT * REPLACE ({what}) FROM memory.main."whole_{name}" WHERE {_here(schema, number)}'

    def _hold_apart(self, name: str) -> None:
        """Every row of a table or view is of one case and of no other."""
        schema = self._whole[name]
        of_cases = " + ".join(f"CAST({_here(schema, number)} AS INTEGER)" for number in range(self._cases))
        text = f'SELECT count(*), count(*) FILTER (({of_cases}) = 1) FROM memory.main."whole_{name}"'
        ((rows, told_apart),) = self._connection.execute(text).fetchall()
        assert rows == told_apart, f"{name}: {rows - told_apart} of {rows} rows are of no case, or of several"


def _here(schema: pa.Schema, number: int) -> str:
    """The SQL condition that a row is of a case."""
    begin = dt.datetime(1900, 1, 1) + _moved_by(number)
    times = [f.name for f in schema if pa.types.is_timestamp(f.type) or pa.types.is_date(f.type)]
    here = [
        f"""contains(CASE WHEN "{c}" NOT IN {_DB2_SCOPES} THEN "{c}" END, '{_sign(number)}')"""
        for c in _TELLING
        if c in schema.names
    ]
    here += [f"""("{c}" >= TIMESTAMP '{begin}' AND "{c}" < TIMESTAMP '{begin + _CYCLE}')""" for c in times]
    return f"coalesce({', '.join([*here, 'FALSE'])})"


def _moved_by(number: int) -> dt.timedelta:
    return (number if number < _LATER else _LATER - 1 - number) * _CYCLE


def _sign(number: int) -> str:
    return chr(_SIGNS + number)


def _sql_type(type_: pa.DataType) -> str:
    return "DATE" if pa.types.is_date(type_) else "TIMESTAMP"


def _moved(row: Row, number: int) -> Row:
    moved = {k: _later(v, number) for k, v in row.items()}
    sign = _sign(number)
    signed = {
        k: ",".join(sign + part for part in row[k].split(",")) for k in _OWN if row.get(k) not in (None, *_DB2_SCOPES)
    }
    # Behind: files are also known by the end of their path.
    files = {k: row[k] + sign for k in _FILES if row.get(k) is not None}
    return moved | signed | files


def _later(value: Any, number: int) -> Any:
    if isinstance(value, list):
        return [_later(one, number) for one in value]
    return value + _moved_by(number) if isinstance(value, dt.date) else value


def _unsigned(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _unsigned(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_unsigned(v) for v in value]
    return _SIGN.sub("", value) if isinstance(value, str) else value


class _Outcomes:
    """What became of each test of a module, all of them run when the first is asked for."""

    def __init__(self) -> None:
        self.tests: dict[_Key, Callable[[], _Test]] = {}
        self._failed: dict[_Key, Exception] | None = None

    def of(self, key: _Key) -> None:
        if self._failed is None:
            self._failed = _run(self.tests)
        if key in self._failed:
            # Kept, its frames would keep the lakes beyond the end of the run.
            raise self._failed.pop(key)


# A test by name, and by the identity of the values that it is tried with.
_Key = tuple[str, tuple[int, ...]]


def _run(tests: Mapping[_Key, Callable[[], _Test]]) -> dict[_Key, Exception]:
    failed: dict[_Key, Exception] = {}
    running = {key: test() for key, test in tests.items()}
    # Nothing is sent to a generator that begins.
    lakes: dict[_Key, Any] = dict.fromkeys(running)
    while running:
        asked: list[Rows] = []
        found: list[CaseLake] = []
        # Which of them a test asked for: one, or several.
        places: dict[_Key, int | slice] = {}
        for key, test in list(running.items()):
            try:
                rows = test.send(lakes[key])
            except StopIteration:
                del running[key]
            except Exception as error:
                failed[key] = error
                del running[key]
            else:
                several = [rows] if isinstance(rows, Mapping) else list(rows)
                at = len(asked)
                places[key] = at if isinstance(rows, Mapping) else slice(at, at + len(several))
                asked += several
        for begin in range(0, len(asked), MOST):
            together = _Together(some := asked[begin : begin + MOST])
            found += [CaseLake(together, number) for number in range(len(some))]
        lakes |= {key: found[place] for key, place in places.items()}
    return failed


_MODULES: dict[str, _Outcomes] = {}


def share_lake(test: Callable[..., _Test]) -> Callable[..., None]:
    """A test that yields rows and gets a lake of them, which it shares with the other tests of its module. `parametrize` stands below."""
    assert inspect.isgeneratorfunction(test), f"{test.__name__} asks for no lake"
    outcomes = _MODULES.setdefault(test.__module__, _Outcomes())
    names = tuple(inspect.signature(test).parameters)
    for values in _tried_with(test, names):
        key = test.__name__, tuple(map(id, values))
        assert key not in outcomes.tests, f"{test.__name__} is there twice"
        outcomes.tests[key] = functools.partial(test, *values)

    @functools.wraps(test)
    def run(**given: Any) -> None:
        outcomes.of((test.__name__, tuple(id(given[name]) for name in names)))

    # pytest takes no generators, and looks for one below.
    del run.__wrapped__
    run.__dict__["__signature__"] = inspect.signature(test)
    return run


def _tried_with(test: Callable[..., _Test], names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """The arguments of each call of a test."""
    if not names:
        return [()]
    (mark,) = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    given, values = mark.args
    ordered = given.split(",") if isinstance(given, str) else given
    assert tuple(name.strip() for name in ordered) == names, f"{test.__name__} takes {names}, parametrize gives {given}"
    return [tuple(value) if len(names) > 1 else (value,) for value in values]
