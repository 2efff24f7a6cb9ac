"""Views made by shards answer as views made whole; and which views shard is said by all."""

from __future__ import annotations

import datetime as dt
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pytest
from command_line import Command
from ironlake.models.generate import Order, generate
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.sql.describe import schema_of_view
from ironlake.pipeline.sql.kept_days import _TIMES
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.part_rows import PartRows, columns_needed, scan
from ironlake.pipeline.sql.session import Session, empty_session
from ironlake.pipeline.sql.shards import Shard, ShardedLake, rows_of_shard
from ironlake.pipeline.sql.view_files import View, views
from ironlake.pipeline.study.lake import StudiedLake
from ironlake.pipeline.study.study_file import parse_studies
from lake_rows import of_other_files, write_lake
from sample_pages import SAMPLES, document_files, options_of, sample_files
from views_lake import nine_digits

# Its functions are made as it is loaded: type checkers know none.
pc: Any = pyarrow.compute

MONTH = Path(__file__).parents[1] / "dashboards" / "small_month.yaml"
PRINTED = {name: view for name, view in views().items() if not view.is_of_studies}
SHARDING = {name: view for name, view in PRINTED.items() if view.shards_by}


@pytest.fixture(scope="module")
def over_nothing() -> Iterator[Session]:
    session = empty_session()
    yield session
    session.close()


def test_every_view_says_whether_it_shards():
    for name, view in PRINTED.items():
        (said,) = [line for line in view.doc.splitlines() if line.startswith("Shards: ")]
        if name in SHARDING:
            assert str(view.shards_by).partition(".")[0] in schema_of_view(name).names, name
        else:
            assert said.startswith("Shards: no: "), name


OVERLAPPING = [name for name, view in SHARDING.items() if view.needs_overlaps_only]


def test_a_view_of_overlapping_intervals_is_made_of_such_views(over_nothing):
    assert "cpu_by_class" in OVERLAPPING
    assert "rolling_four_hour_msu" not in OVERLAPPING
    for name in OVERLAPPING:
        assert over_nothing.made_of(SHARDING[name].sql) & {*views()} <= {*OVERLAPPING}, name


def test_a_view_that_shards_is_made_of_views_that_do(over_nothing):
    made_of = {name: over_nothing.made_of(view.sql) & set(views()) for name, view in SHARDING.items()}
    assert {name: of - set(SHARDING) for name, of in made_of.items() if of - set(SHARDING)} == {}


def _rows(answer: list[tuple[Any, ...]]) -> Counter[str]:
    return Counter(repr(nine_digits(row)) for row in answer)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All samples, pages of thirty years, some over midnight, some without a time, and a generated day of whole hours; and the same of forty years later:
    what a view says of all days of a class, or of a structure, is not what it says of those before a cut and of those behind it."""
    folder = tmp_path_factory.mktemp("samples")
    head, _, _ = MONTH.read_text("utf-8").replace("2026-10-04", "2025-10-06").partition("configurations:\n")
    (folder / "day.yaml").write_text(
        f"{head}configurations:\n  day: {{hours: 24, data_sharing: yes, load: {{Orders: {{rate_per_s: 1100}}, Reports: {{rate_per_s: 60}}}}}}\n"
    )
    generate(folder / "day.yaml", folder / "day", Order())
    by_options: dict[Options, list[str]] = {Options(): [str(folder / "day")]}
    for path in [*sample_files(), *document_files()]:
        by_options.setdefault(options_of(path), []).append(str(path))
    for options, paths in by_options.items():
        ingest(paths, folder / "once", options)
    with OpenLake(folder / "once") as lake:
        rows = {name: lake.sql(f"FROM {name}").arrow() for name in tables() if lake.state.parts_of(name)}
    write_lake(folder / "lake", {name: pa.concat_tables([table, later(table)]) for name, table in rows.items()})
    return folder / "lake"


def later(table: pa.Table) -> pa.Table:
    """The same rows forty years later, of other files."""
    by = pa.scalar(dt.timedelta(days=14_609), pa.duration("us"))
    for number, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            table = table.set_column(number, field, pc.add(table.column(number), by).cast(field.type))
    return of_other_files(table)


# A midnight over which a page is printed: shards without a margin are noticed there. It is behind nearly all samples, and before all that are later.
MIDNIGHT = dt.datetime(2025, 11, 3)


@pytest.mark.parametrize(
    "of_all_cuts", [pytest.param(False, marks=pytest.mark.slow), pytest.param(True, marks=pytest.mark.soak)]
)
def test_the_shards_of_every_view_have_the_rows_of_the_whole(samples, of_all_cuts):
    timed = list(tables().values())
    with OpenLake(samples, few_rows=0) as lake, OpenLake(samples) as in_memory:
        found = {name: Counter() for name in SHARDING}
        for least, names in (
            (dt.timedelta(), OVERLAPPING),
            (dt.timedelta(days=1), {*SHARDING}.difference(OVERLAPPING)),
        ):
            made = ShardedLake(lake, most_rows=2000).shards(timed, least)
            assert len(made) > 2
            at = sorted({MIDNIGHT, *(shard.start for shard in made if of_all_cuts and shard.start)})
            for start, end in zip([None, *at], [*at, None], strict=True):
                shard = Shard(start, end, made[0].margin)
                # Each view is made once a shard, not again for every view that it is part of.
                session = Session(rows_of_shard(lake, shard), kept=names, files=lake.files())
                for name in names:
                    condition = shard.condition(str(SHARDING[name].shards_by))
                    found[name] += _rows(session.relation(f'SELECT * FROM "{name}" WHERE {condition}')[1].fetchall())
                session.close()
        whole = {name: _rows(in_memory.sql(f'SELECT * FROM "{name}"').fetchall()) for name in SHARDING}
    assert {
        name: (whole[name] - found[name], found[name] - whole[name]) for name in SHARDING if whole[name] != found[name]
    } == {}
    assert {name for name, rows in whole.items() if not rows} == set()


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of several years, some over midnight."""
    lake = tmp_path_factory.mktemp("workload") / "lake"
    ingest([str(SAMPLES / "rmf_workload_activity")], lake, Options())
    return lake


QUESTIONS = (
    "SELECT class_kind, count(*), sum(cp_pct) FROM cpu_by_class GROUP BY ALL",
    "SELECT * EXCLUDE (refs) FROM cpu_by_class",
    # All others in the long form.
    "SELECT * FROM workload_printed_once",
    # Of a view that does not shard, its inputs do.
    "SELECT * FROM interval_msu",
    "SELECT i.scope, c.class_name, c.class_kind, i.class_kind FROM class_interval AS c JOIN workload_interval AS i USING (sysplex, scope, interval_start)",
    "SELECT service_class FROM rmf_workload_activity",
    "SELECT count(*) FROM performance_index AS p WHERE p IS NOT NULL",
    # Columns by their places, and a whole row by a longer name.
    "SELECT #2 FROM class_interval",
    "SELECT b, count(*) FROM class_interval AS t(a, b) GROUP BY b",
    "SELECT main.class_interval FROM class_interval",
)


@pytest.fixture(scope="module")
def opened(workload: Path) -> Iterator[OpenLake]:
    with open_lake(workload) as lake:
        yield lake


# Which questions shard, and what columns they mean, is tried below without rows.
@pytest.mark.parametrize(
    ("question", "jobs"),
    [
        *(pytest.param(question, 1, marks=pytest.mark.slow) for question in QUESTIONS),
        (QUESTIONS[1], 3),
        pytest.param(QUESTIONS[5], 3, marks=pytest.mark.slow),
    ],
)
def test_a_question_has_the_same_answer_by_shards(opened, question, jobs):
    with ShardedLake(opened, jobs, most_rows=200) as sharded:
        assert len(sharded.shards(tables().values())) > 5
        whole = _rows(opened.sql(question).fetchall())
        assert whole
        assert _rows(sharded.sql(question).fetchall()) == whole


def test_a_shard_is_read_with_as_much_around_it_as_the_longest_interval(opened):
    with ShardedLake(opened, most_rows=50) as sharded:
        longest = opened.sql("SELECT max(interval_end - interval_start) FROM rmf_workload_activity").fetchall()[0][0]
        first, second, *_ = sharded.shards([tables()["rmf_workload_activity"]])
        assert first.margin == max(longest, dt.timedelta(days=1))
        assert (first.start, first.end) == (None, second.start)


def test_what_names_views_of_studies_is_answered_whole(opened):
    """Also where the name is put together."""
    with ShardedLake(opened, most_rows=50) as sharded:
        whole = _rows(opened.sql("SELECT * FROM finding").fetchall())
        assert whole
        for question in ("SELECT * FROM finding", "SELECT * FROM query('SELECT * FROM find' || 'ing')"):
            assert _rows(sharded.sql(question).fetchall()) == whole
            assert not list(sharded._folder.path.iterdir())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT cpu_pct FROM v", {"cpu_pct"}),
        ("SELECT count(*) FROM v WHERE system IS NULL", {"system"}),
        ("SELECT * EXCLUDE (cp_pct) FROM v ORDER BY cp_pct", {"system", "cpu_pct", "cp_pct"}),
        ("SELECT v FROM v", {"system", "cpu_pct", "cp_pct"}),
        ("SELECT #2 FROM v", {"cpu_pct"}),
        ("SELECT x FROM v AS t(y, x)", {"cpu_pct"}),
        ("SELECT line FROM rmf_workload_activity NATURAL JOIN v", {"system"}),
        ("SELECT * FROM query('SELECT ' || 'cp_pct FROM v')", {"cp_pct"}),
    ],
)
def test_a_plan_tells_which_columns_a_question_needs(text, found):
    schema = pa.schema({"system": pa.string(), "cpu_pct": pa.float64(), "cp_pct": pa.float64()})
    session = Session(
        lambda table: PartRows(table, (), lambda parts: [], lambda part: (None, None), is_few=False),
        {"v": View("v", "SELECT 1")},
        given={"v": lambda: scan("v", schema, [session.stand_in])},
    )
    assert {column for name, column in columns_needed(session.plan(text)) if name == "v"} == found
    session.close()


def test_a_question_from_the_command_line(workload, run: Command):
    question = "SELECT service_class, count(*) AS n FROM rmf_workload_activity GROUP BY ALL ORDER BY ALL"
    whole = run("sql", question, "--lake", workload, "--format", "csv")
    assert whole[0] == 0
    assert run("sql", question, "--lake", workload, "--format", "csv", "--jobs", 2) == whole
    assert run("sql", "SELECT nothing FROM rmf_workload_activity", "--lake", workload, "--jobs", 2)[0] == 2
    assert "--jobs is given without a query" in run("sql", "--lake", workload, "--jobs", 2)[2]


def test_a_damaged_part_is_told_without_a_traceback(workload, tmp_path):
    shutil.copytree(workload, tmp_path / "lake")
    with OpenLake(tmp_path / "lake") as lake:
        (part,) = lake.state.parts_of("rmf_workload_activity")
    damaged = tmp_path / "lake" / part.path
    content = bytearray(damaged.read_bytes())
    # Behind the first four bytes and before the footer: pages.
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    content[4:footer] = bytes(byte ^ 0x5A for byte in content[4:footer])
    damaged.write_bytes(content)
    with (
        OpenLake(tmp_path / "lake", few_rows=0) as lake,
        ShardedLake(lake, most_rows=200) as sharded,
        pytest.raises(IronlakeError, match="is corrupt") as told,
    ):
        sharded.sql("SELECT * FROM cpu_by_class").fetchall()
    assert "Traceback" not in str(told.value)
    assert "hint: ironlake check --repair" in str(told.value)


# --- Tables of views are kept in the lake: the next question reads them, as long as all that they are made of is the same


# HUGEINT, lists of structs, times, rows that are computed over studies, and a view without rows.
FEW = ("cpu_by_class", "class_hour", "finding", "cost_change", "db2_accounting_cost", "cf_link_interval")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("kept") / "lake"
    ingest([str(SAMPLES / "demo")], lake, Options())
    return lake


@pytest.fixture
def lake(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("ironlake.pipeline.sql.kept_views._LEAST_S", 0)
    return shutil.copytree(demo, tmp_path / "lake")


def answers(lake: Path, names: tuple[str, ...] = FEW) -> dict[str, tuple[object, ...]]:
    with OpenLake(lake) as opened:
        found = {name: opened.sql(f"FROM {name} ORDER BY ALL") for name in names}
        return {n: (f.relation.columns, [*map(str, f.relation.types)], f.fetchall()) for n, f in found.items()}


def kept(lake: Path) -> list[Path]:
    return sorted((lake / "_kept").glob("whole-*"))


@pytest.mark.parametrize("names", [FEW, pytest.param(tuple(views()), marks=pytest.mark.slow)])
def test_what_was_kept_is_what_was_made(lake: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    made = answers(lake, names)
    # Where nothing is printed there is nothing to plan, nor to keep.
    planned = {name for name in names if not name.startswith("once_") or made[name][-1]}
    assert {path.name.split("-")[1] for path in kept(lake)} >= planned
    composed = []
    monkeypatch.setattr("ironlake.pipeline.sql.session.Session._composed", lambda *asked: composed.append(asked))
    assert answers(lake, names) == made
    assert composed == []


def test_other_rows_damage_and_other_studies_are_made_anew(lake: Path) -> None:
    names = ("cpu_by_class", "class_hour")
    before = answers(lake, names)
    for number, path in enumerate(kept(lake)):
        content = bytearray(path.read_bytes())
        content[-20 if number % 2 else 3] ^= 1
        path.write_bytes(content)
    assert answers(lake, names) == before
    study = (SAMPLES / "studies" / "zos_connect" / "studies.yaml").read_text("utf-8")
    ingest([str(SAMPLES / "studies" / "zos_connect")], lake, Options())
    with OpenLake(lake) as opened:
        selected = []
        for text in (study, study.replace("3.0.36", "3.0.99")):
            with StudiedLake(opened, parse_studies(text, "study.yaml")) as studied:
                selected.append(studied.sql("FROM run_selection ORDER BY ALL").fetchall())
    assert answers(lake, names)["cpu_by_class"] != before["cpu_by_class"]
    assert selected[0] != selected[1]
    # What was replaced is gone.
    left = [path.name.split("-")[1] for path in kept(lake)]
    assert len(left) == len({*left})


def test_a_part_that_is_damaged_is_named_all_the_same(lake: Path) -> None:
    answers(lake, ("cpu_by_class",))
    (part,) = Ledger(lake).state().parts_of("rmf_workload_activity")
    (lake / part.path).write_bytes((lake / part.path).read_bytes()[:-100])
    with OpenLake(lake) as opened, pytest.raises(IronlakeError, match="bytes instead of"):
        opened.sql("FROM cpu_by_class").fetchall()


def test_a_lake_that_cannot_be_written_is_answered(lake: Path) -> None:
    (lake / "_kept").write_text("no folder")
    assert answers(lake, ("class_hour",))["class_hour"][2]


@pytest.mark.slow
def test_views_over_kept_days_of_a_large_lake_are_those_of_what_was_printed(lake: Path) -> None:
    printed = answers(lake, tuple(views()))
    with OpenLake(lake, few_rows=0) as large:
        for name in [*_TIMES] * 2:
            large.sql(f"FROM {name}").fetchall()
        assert large._asked_days
        assert {"class_hour", "goal_hour", "cpu_by_class"} <= large._asked_days._rows.keys()
        found = {name: large.sql(f"FROM {name} ORDER BY ALL") for name in views()}
        assert {
            n: (f.relation.columns, [*map(str, f.relation.types)], f.fetchall()) for n, f in found.items()
        } == printed
