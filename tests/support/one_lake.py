"""Tests whose rows lie in one lake in memory: the views over it are made once for all of them, not once per test.

A test is a generator: it yields rows of tables and gets a lake of them. The hook below, which a room's conftest.py imports, runs all
such tests of a module side by side, puts what they yield into one lake, and keeps the cases apart: each lies whole cycles of the
calendar from the others, and has sources, systems and studies of its own. What a test asks of its lake it asks of its own rows alone.
"""

from __future__ import annotations

import datetime as dt
import functools
import inspect
import re
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
import pytest
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.view_files import macros, views
from views_lake import MemoryLake, Row

Rows = Mapping[str, Sequence[Row]]
# Rows of an answer.
Found = list[tuple[Any, ...]]
# The calendar is the same after 400 years; and after 28, unless a century without a leap day is between, so that there is room for three cases
# from 1901 to 2099. The rows of a case lie from 1972 to 2027, and moved as they are moved.
_CYCLE, _SPAN = dt.timedelta(days=146_097), dt.timedelta(days=2 * 10_227)
_FIRST = dt.date(1972, 1, 1)
# Python knows no year before 1 nor after 9999: four cycles before and nineteen after. The first case stays where it is.
_OF_CYCLE, _UNMOVED, MOST = 3, 4 * 3 + 1, 24 * 3
# Names of files get the sign of their case behind them: files are also known by the end of their path.
_FILES = ("source_file", "simulator_file", "jmh_file")
# Other names get it in front; of a list each.
_OWN = ("study", "source_id", "sysplex", "system", "sequence_code", "scope", "systems", "remote_systems")
# The first of these columns that a row has names its case.
_TELLING = ("source_id", "study", "scope", "system", "sysplex")
# Scopes of Db2 reports, which views ask for by name: no names of systems, and the same in all cases.
_DB2_SCOPES = ("member", "group", "group_member")
_SIGNS = 0xE000
_SIGN = re.compile(_ANY_SIGN := f"[{chr(_SIGNS)}-{chr(_SIGNS + MOST)}]")


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
    """What each of them finds, every one in lakes of its own, side by side."""
    found: dict[int, T] = {}
    # Nothing is sent to a generator that begins.
    lakes: dict[int, Any] = dict.fromkeys(range(len(asking)))
    while lakes:
        asked: dict[int, Rows] = {}
        for number, lake in lakes.items():
            try:
                asked[number] = asking[number].send(lake)
            except StopIteration as end:
                found[number] = end.value
        lakes = dict(zip(asked, (yield [*asked.values()]), strict=True)) if asked else {}
    return [found[number] for number in range(len(asking))]


def examples(*cases: tuple[str, Rows, str, Found]) -> Any:
    """A test of cases: what each shows, its rows, what is selected, and the rows of the answer."""

    def test(rows: Rows, asked: str, found: Found) -> Asks[None]:
        __tracebackhide__ = True
        answer = (yield rows).sql(f"SELECT {asked}").fetchall()
        assert answer == found, f"{asked}: {answer}, not {found}"

    test.__module__ = sys._getframe(1).f_globals["__name__"]
    names = ("rows", "asked", "found")
    return pytest.mark.parametrize(names, [case[1:] for case in cases], ids=[case[0] for case in cases])(test)


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
        self._whole: set[str] = set()
        self._cases = len(cases)

    def sql(self, number: int, text: str) -> duckdb.DuckDBPyRelation:
        schema = f"case_{number}"
        self._connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        for name in set(re.findall(r"\w+", text)) & {*tables(), *views()}:
            if name not in self._whole:
                self._make(name)
                self._whole.add(name)
            self._connection.execute(
                f'CREATE OR REPLACE VIEW {schema}."{name}" AS'
                f' SELECT * EXCLUDE (of_case) FROM memory.main."whole_{name}" WHERE of_case = {number}'
            )
        self._connection.execute(f"SET schema = '{schema}'")
        # At once: the schema is another one for the next case.
        return self._connection.from_arrow(self._connection.sql(text).to_arrow_table())

    def _make(self, name: str) -> None:
        """A table or view, each row as it would be in a lake of its case alone, and the number of the case beside it."""
        found = self._lake.sql(f'SELECT * FROM "{name}"').to_arrow_table()
        self._connection.register("found", found)
        times = {f.name: "DATE" if pa.types.is_date(f.type) else "TIMESTAMP" for f in found.schema if _is_time(f)}
        place = f"((of_case + {_UNMOVED}) % {MOST})"
        days = f"({place} // {_OF_CYCLE} - {_UNMOVED // _OF_CYCLE}) * {_CYCLE.days} + ({place} % {_OF_CYCLE} - {_UNMOVED % _OF_CYCLE}) * {_SPAN.days}"
        instead = [f"""regexp_replace("{c}", '{_ANY_SIGN}', '', 'g') AS "{c}\"""" for c in _texts(found.schema)]
        instead += [f'CAST("{c}" - to_days(CAST({days} AS INTEGER)) AS {type_}) AS "{c}"' for c, type_ in times.items()]
        what = f"* REPLACE ({', '.join(instead)})" if instead else "*"
        self._connection.execute(
            f'CREATE TABLE memory.main."whole_{name}" AS'
            f" SELECT {what} FROM (SELECT *, {_case_of(found.schema)} AS of_case FROM temp.main.found)"
        )
        text = f'SELECT count(*) FROM memory.main."whole_{name}" WHERE of_case NOT BETWEEN 0 AND {self._cases - 1}'
        ((astray,),) = self._connection.execute(text).fetchall()
        assert not astray, f"{name}: {astray} rows are of no case, or of several"


def _is_time(field: pa.Field) -> bool:
    return pa.types.is_timestamp(field.type) or pa.types.is_date(field.type)


def _texts(schema: pa.Schema) -> list[str]:
    return [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]


def _case_of(schema: pa.Schema) -> str:
    """The SQL expression of the number of the case that a row is of; -1 of none or of several."""
    numbers = [
        f"""CASE WHEN "{c}" NOT IN {_DB2_SCOPES} THEN CASE WHEN
        len(list_distinct(regexp_extract_all("{c}", '{_ANY_SIGN}'))) = 1 THEN unicode(regexp_extract("{c}", '{_ANY_SIGN}')) - {_SIGNS} ELSE -1 END END"""
        for c in _TELLING
        if c in schema.names
    ]
    first = _FIRST + _moved_by(MOST - _UNMOVED)
    for field in filter(_is_time, schema):
        days = f"""date_diff('day', DATE '{first}', CAST("{field.name}" AS DATE))"""
        place = f"(({days}) % {_CYCLE.days}) // {_SPAN.days}"
        at = f"(({days}) // {_CYCLE.days}) * {_OF_CYCLE} + {place}"
        known = f'"{field.name}" IS NOT NULL'
        numbers.append(
            f"CASE WHEN {place} < {_OF_CYCLE} THEN ({at} + {MOST - _UNMOVED}) % {MOST} WHEN {known} THEN -1 END"
        )
    return f"coalesce({', '.join([*numbers, '-1'])})"


def _moved_by(number: int) -> dt.timedelta:
    cycle, place = divmod((number + _UNMOVED) % MOST, _OF_CYCLE)
    return (cycle - _UNMOVED // _OF_CYCLE) * _CYCLE + (place - _UNMOVED % _OF_CYCLE) * _SPAN


def _sign(number: int) -> str:
    return chr(_SIGNS + number)


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


def pytest_pycollect_makeitem(collector: pytest.Module, name: str, obj: Any) -> Any:
    """A test that is a generator shares a lake with the others of its module."""
    if not (inspect.isgeneratorfunction(obj) and collector.istestfunction(obj, name)):
        return None
    obj.__name__ = name
    setattr(collector.obj, name, shared := _sharing(obj))
    return collector.ihook.pytest_pycollect_makeitem(collector=collector, name=name, obj=shared)


def _sharing(test: Callable[..., _Test]) -> Callable[..., None]:
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
