"""Kept days: views say the same with them as without, whatever happened to the lake or to them since."""

import datetime as dt
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pytest
from ironlake.dashboards.lake_page.facts_json import facts_json
from ironlake.dashboards.lake_page.gather import Wanted, lake_page
from ironlake.models.generate import Order, generate
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.removal import Selection
from ironlake.pipeline.sql import kept_days
from ironlake.pipeline.sql.days import DaysLake
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.narrowed import NarrowedLake
from ironlake.pipeline.sql.open_lake import OpenLake, open_lake
from ironlake.pipeline.sql.session import Session
from ironlake.pipeline.sql.shards import ShardedLake
from ironlake.pipeline.storage.folder import LakeFolder
from lake_rows import of_other_files, write_lake

# Its functions are made as it is loaded: type checkers know none.
pc: Any = pyarrow.compute

FIRST, DAYS = dt.date(2026, 10, 24), 3
LAST = FIRST + dt.timedelta(days=DAYS - 1)
Rows = dict[str, pa.Table]
Answers = dict[str, list[str]]
Change = Callable[[Rows], Rows]
# Of these alone days are kept while a lake changes: one that shards, one of all days, and what is taken for granted.
FEW = ("class_interval", "owner_hour_msu", "granted")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports of three days, one file of each report, system and day."""
    folder = tmp_path_factory.mktemp("days")
    shop = Path(__file__).with_name("small_month.yaml").read_text("utf-8")
    more = shop.replace("reports: [", "reports: [device_activity, channel_path_activity, io_queuing, ")
    head, _, _ = more.replace("2026-10-04", str(FIRST)).partition("configurations:\n")
    load = "{hours: 24, data_sharing: yes, load: {Orders: {rate_per_s: 1100}, Reports: {rate_per_s: 60}}}"
    model = folder / "model.yaml"
    model.write_text(head + "configurations:\n" + "".join(f"  day {n}: {load}\n" for n in range(DAYS)), "utf-8")
    generate(model, folder / "reports", Order())
    return folder / "reports"


def of_day(reports: Path, n: int, *words: str) -> list[str]:
    return [str(file) for file in sorted(reports.iterdir()) if all(word in file.name for word in (f"day_{n}", *words))]


@pytest.fixture(scope="module")
def printed(reports: Path) -> Rows:
    """The rows of a lake of all days, by table."""
    lake = reports.parent / "whole"
    assert ingest([str(reports)], lake, Options()).exit_code(strict=True) == 0
    with open_lake(lake) as opened:
        return {name: opened.sql(f"FROM {name}").arrow() for name in tables() if opened.state.parts_of(name)}


def days_of(lake: OpenLake, views: Sequence[str]) -> Answers:
    with DaysLake(lake, FIRST, LAST) as days:
        return {view: comparable(days.sql(f"SELECT * FROM {view}").arrow()) for view in views}


def answers(lake: Path) -> Answers:
    """Those of a lake whose tables all count as large: of few rows no days are kept."""
    with OpenLake(lake, few_rows=0) as opened:
        found = days_of(opened, FEW[:2])
    assert any(found.values()), "days of nothing are always the same"
    return found


def kept(lake: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (lake / "_kept").iterdir()}


def without_kept(lake: Path) -> Answers:
    """The answers of the lake while what it keeps lies elsewhere."""
    aside = lake.with_name("aside")
    (lake / "_kept").rename(aside)
    found = answers(lake)
    shutil.rmtree(lake / "_kept")
    aside.rename(lake / "_kept")
    return found


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_days, "_SELECTS", {name: kept_days._SELECTS[name] for name in FEW})


@pytest.fixture(scope="module")
def two_tables(reports: Path) -> Path:
    """A lake of all days, of activity and partitions alone, ingested day by day; nothing is kept."""
    lake = reports.parent / "lake"
    for n in range(DAYS):
        if n == DAYS - 1:
            shutil.copytree(lake, without_newest(lake))
        files = [*of_day(reports, n, "workload"), *of_day(reports, n, "partition")]
        assert ingest(files, lake, Options(), jobs=1).exit_code(strict=True) == 0
    return lake


def without_newest(lake: Path) -> Path:
    """The lake of all days before the newest was ingested."""
    return lake.parent / "without newest" / lake.name


@pytest.fixture
def lake(two_tables: Path, tmp_path: Path) -> Path:
    shutil.copytree(two_tables, tmp_path / "lake")
    return tmp_path / "lake"


def other_print(reports: Path, folder: Path) -> str:
    """The partition data of the third day once more: another use of SHPA in all of its intervals."""
    (report,) = of_day(reports, 2, "shpa", "partition")
    lines = Path(report).read_text("utf-8").splitlines(keepends=True)
    changed = [_other_msu(line) for line in lines]
    assert sum(a != b for a, b in zip(lines, changed, strict=True)) == 24
    path = folder / "other_print.txt"
    path.write_text("".join(changed), "utf-8")
    return str(path)


def _other_msu(line: str) -> str:
    """One MSU less in ACT, in as many columns."""
    return re.sub(r"^(SHPA +A N +\d+ +\d+ +)(\d+)", lambda m: f"{m[1]}{int(m[2]) - 1:>{len(m[2])}}", line)


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_after_each_change_the_rows_are_those_of_a_lake_without_kept_days(lake: Path, reports: Path, tmp_path: Path):
    """In turn: days are kept; hours are removed, and the removal undone; a print conflicts; it replaces another; parts are compacted; the
    files of a day are removed and come late."""
    whole = answers(lake)
    assert kept(lake)

    def changed() -> Answers:
        after = answers(lake)
        assert after == without_kept(lake)
        return after

    with Lake(lake) as writer:
        writer.remove(Selection(report="rmf_workload_activity", before=dt.datetime.combine(FIRST, dt.time(20))))
    assert changed() != whole
    with Lake(lake) as writer:
        writer.undo()
    assert answers(lake) == whole
    again = other_print(reports, tmp_path)
    ingest([again], lake, Options(), jobs=1)
    conflicting = changed()
    with Lake(lake) as writer:
        writer.undo()
    assert ingest([again], lake, Options(), replace_prints=True, jobs=1).exit_code(strict=True) == 0
    replaced = changed()
    assert len({str(one) for one in (whole, conflicting, replaced)}) == 3
    with Lake(lake) as writer:
        assert writer.compact(most_small_parts=1)
    assert answers(lake) == replaced
    with Lake(lake) as writer:
        sources = [e.source_id for e in writer._newest_state().sources.values() if "day_1" in e.source_file]
        writer.remove(Selection(frozenset(sources)))
    less = changed()
    ingest(of_day(reports, 1, "workload") + of_day(reports, 1, "partition"), lake, Options(), jobs=1)
    assert answers(lake) == replaced != less


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_a_new_day_computes_itself_and_the_day_before(two_tables: Path, reports: Path, tmp_path: Path):
    path = tmp_path / "lake"
    shutil.copytree(without_newest(two_tables), path)
    answers(path)
    old = kept(path)
    ingest([*of_day(reports, DAYS - 1, "workload"), *of_day(reports, DAYS - 1, "partition")], path, Options(), jobs=1)
    assert answers(path) == without_kept(path)
    new = kept(path).keys() - old.keys()
    # What is taken for granted is looked at on the day after the last, too.
    days = {LAST - dt.timedelta(days=1), LAST, LAST + dt.timedelta(days=1)}
    assert {name[:10] for name in new if not name.startswith("all-")} == set(map(str, days))
    # The rows of the day before took the place of those without the day after it.
    assert len({name.rpartition("-")[0] for name in kept(path)}) == len(kept(path))


@pytest.mark.usefixtures("few")
def test_what_is_not_as_it_was_kept_is_made_again(lake: Path, tmp_path: Path):
    """A file that is cut, empty, of a bit flipped, of another content, of rows of another view or of another day, or a link."""
    whole, there = answers(lake), kept(lake)
    by_day, by_view = sorted(there), sorted(there, key=lambda name: name[11:])
    damages: tuple[Callable[[str], bytes], ...] = (
        lambda name: there[name][:-100],
        lambda name: b"",
        lambda name: there[name][:60] + bytes([there[name][60] ^ 1]) + there[name][61:],
        lambda name: b"not what it was",
        # Under another name a file is damaged, too.
        lambda name: there[by_day[by_day.index(name) - 1]],
        lambda name: there[by_view[by_view.index(name) - 1]],
    )
    places = {name: n % (len(damages) + 1) for n, name in enumerate(by_day)}
    assert set(places.values()) == set(range(len(damages) + 1))
    linked = {name for name, n in places.items() if n == len(damages)}
    damaged = {name: damages[n](name) for name, n in places.items() if name not in linked}
    for name, content in damaged.items():
        assert content != there[name]
        (lake / "_kept" / name).write_bytes(content)
    for name in linked:
        (lake / "_kept" / name).rename(tmp_path / name)
        (lake / "_kept" / name).symlink_to(tmp_path / name)
    assert answers(lake) == whole
    again = kept(lake)
    assert again.keys() == there.keys()
    assert not [name for name in damaged if again[name] == damaged[name]]
    assert not [name for name in linked if (lake / "_kept" / name).is_symlink()]


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_where_nothing_can_be_kept_the_rows_are_the_same_and_other_tools_see_nothing_of_what_is_kept(
    two_tables: Path, lake: Path, monkeypatch: pytest.MonkeyPatch
):
    """A file in the place of the folder; then a full disk; then all is well: no Parquet file that a pattern finds, and the ledger and
    `ironlake check` do not know it."""
    (lake / "_kept").write_text("")
    whole = answers(lake)
    (lake / "_kept").unlink()

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(LakeFolder, "write", full)
        assert answers(lake) == whole
    assert not kept(lake)
    assert not list((lake / "_tmp").iterdir())
    assert answers(lake) == whole
    assert {f.relative_to(lake) for f in lake.rglob("*.parquet")} == {
        f.relative_to(two_tables) for f in two_tables.rglob("*.parquet")
    }
    with Lake(lake) as opened:
        assert opened.damage() is None
        opened.compact(grace_s=0)
    assert kept(lake)


@pytest.mark.slow
def test_a_page_says_the_same_with_kept_days_as_without(lake: Path):
    """And what is kept of a day rests on printed tables: its name is a digest of their parts, of a view whose rows are given, too."""

    def facts() -> dict[str, Any]:
        with OpenLake(lake, few_rows=0) as opened:
            found = json.loads(facts_json(lake_page(opened, Wanted(30, None, "ironlake page"))))
        assert found["first_day"], "a page of nothing is always the same"
        del found["made_at"]
        return found

    found = facts()
    assert kept(lake)
    assert facts() == found
    with OpenLake(lake, few_rows=0) as opened, DaysLake(opened, FIRST, LAST) as days:
        for view in TIMES:
            read = days._session.made_of(f"SELECT * FROM {view}")
            assert read == opened.made_of(f"SELECT * FROM {view}")
            assert read.intersection(tables()), view


def asked(lake: Path, question: str = "FROM cpu_by_class") -> list[str]:
    """The answer of a lake whose tables all count as large."""
    with OpenLake(lake, few_rows=0) as large:
        return comparable(large.sql(question).arrow())


def days_kept(lake: Path) -> dict[str, bytes]:
    return {name: content for name, content in sorted(kept(lake).items()) if "-cpu_by_class-" in name[10:24]}


@pytest.mark.slow
def test_questions_to_a_large_lake_read_kept_days_whatever_happened_to_them(
    lake: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
):
    """A file in the place of the folder, a full disk; then a day at a time, the newest first; a file that is gone, flipped, cut, or of another day; two
    at once; a day that is printed later; a damaged part: with all but this, the rows are those of the view."""
    with open_lake(lake) as small:
        whole = comparable(small.sql("FROM cpu_by_class").arrow())
    shutil.rmtree(lake / "_kept", ignore_errors=True)
    (lake / "_kept").write_text("")
    assert asked(lake) == asked(lake) == whole
    (lake / "_kept").unlink()

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(LakeFolder, "write", full)
        assert asked(lake) == asked(lake) == whole
    assert not days_kept(lake)
    monkeypatch.setattr(kept_days, "_MOST_ROWS", 1)
    monkeypatch.setattr("ironlake.pipeline.sql.session._FEW_PARTS", 0)
    assert asked(lake) == whole
    assert not days_kept(lake), "a view is asked once before its days are made"
    # The day after the last may have rows of intervals over midnight; of the last alone no other day is made.
    of_last = f"FROM cpu_by_class WHERE interval_start >= TIMESTAMP '{LAST} 20:00:00' AND interval_start < '{LAST + dt.timedelta(1)}'"
    for _ in range(3):
        assert 0 < len(asked(lake, of_last)) < len(whole)
    assert [name[:10] for name in days_kept(lake)] == [str(LAST), str(LAST + dt.timedelta(1))]
    for number in range(3, DAYS + 3):
        assert len(asked(lake, "FROM cpu_by_class LIMIT 10")) == 10
        assert len(days_kept(lake)) == number
    monkeypatch.setattr(Session, "_composed", lambda *asked: pytest.fail("made of what was printed"))
    assert asked(lake) == whole
    with OpenLake(lake, few_rows=0) as large, ShardedLake(large, most_rows=1) as sharded:
        assert comparable(sharded.sql("FROM cpu_by_class").arrow()) == whole
    monkeypatch.undo()
    there = days_kept(lake)
    gone, flipped, cut, other, *_ = there
    (lake / "_kept" / gone).unlink()
    content = there[flipped]
    (lake / "_kept" / flipped).write_bytes(content[:200] + bytes([content[200] ^ 1]) + content[201:])
    (lake / "_kept" / cut).write_bytes(there[cut][:-100])
    (lake / "_kept" / other).write_bytes(there[flipped])
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(asked, [lake, lake])] == [whole, whole]
    # What was damaged is noticed when all seem to be there.
    assert asked(lake) == asked(lake) == whole
    assert {name: len(content) for name, content in days_kept(lake).items()} == {n: len(c) for n, c in there.items()}
    with Lake(lake) as writer:
        sources = [e.source_id for e in writer._newest_state().sources.values() if "day_1" in e.source_file]
        writer.remove(Selection(frozenset(sources)))
    less = asked(lake)
    assert less == asked(lake) != whole
    ingest(of_day(reports, 1, "workload") + of_day(reports, 1, "partition"), lake, Options(), jobs=1)
    assert asked(lake) == asked(lake) == whole
    part, *_ = Ledger(lake).state().parts_of("rmf_workload_activity")
    (lake / part.path).write_bytes((lake / part.path).read_bytes()[:-100])
    with pytest.raises(IronlakeError, match="bytes instead of"):
        asked(lake)
    assert asked(lake, "FROM cf_hour") == []


def _column(table: pa.Table, name: str, values: Any) -> pa.Table:
    """The table with other values in a column, of the type that it had."""
    return table.set_column(table.column_names.index(name), name, values.cast(table.schema.field(name).type))


def times_missing(rows: Rows) -> Rows:
    """Every seventh row has no start, every eleventh no end."""
    return _with(rows, _without_times)


def _without_times(table: pa.Table) -> pa.Table:
    number = pa.array(range(len(table)))
    for every, names in ((7, ("interval_start", "begin_at")), (11, ("interval_end", "end_at", "collected_at"))):
        for name in set(names).intersection(table.column_names):
            is_lost = pc.equal(pc.subtract(number, pc.multiply(pc.divide(number, every), every)), 0)
            lost = pc.if_else(is_lost, pa.scalar(None, table.schema.field(name).type), table[name])
            table = _column(table, name, lost)
    return table


def clock_set_back(rows: Rows) -> Rows:
    """From three o'clock on Sunday 25 October all clocks show an hour less: from two to three is printed twice."""
    return _with(rows, lambda table: _moved(table, dt.datetime(2026, 10, 25, 3), dt.timedelta(hours=-1)))


def clock_set_forward(rows: Rows) -> Rows:
    return _with(rows, lambda table: _moved(table, dt.datetime(2026, 10, 25, 2), dt.timedelta(hours=1)))


def _moved(table: pa.Table, from_: dt.datetime, by: dt.timedelta) -> pa.Table:
    start = next((n for n in ("interval_start", "begin_at", "collected_at") if n in table.column_names), None)
    if start is None:
        return table
    is_later = pc.greater_equal(table[start], pa.scalar(from_, pa.timestamp("us")))
    for name in {"interval_start", "interval_end", "begin_at", "end_at", "collected_at"}.intersection(
        table.column_names
    ):
        moved = pc.add(table[name], pa.scalar(by, pa.duration("us"))).cast(table.schema.field(name).type)
        table = _column(table, name, pc.if_else(is_later, moved, table[name]))
    return table


def offsets_on_all(rows: Rows) -> Rows:
    """In summer time, then in winter time: the repeated hour is known by UTC."""
    clock = dt.datetime(2026, 10, 25, 3)
    return _with(rows, lambda table: _moved(_offset(table, clock), clock, dt.timedelta(hours=-1)))


def _offset(table: pa.Table, winter: dt.datetime, column: str = "utc_offset_minutes") -> pa.Table:
    if column not in table.column_names or "interval_start" not in table.column_names:
        return table
    is_winter = pc.greater_equal(table["interval_start"], pa.scalar(winter, pa.timestamp("us")))
    return _column(table, column, pc.if_else(is_winter, 60, 120))


def offsets_on_some(rows: Rows) -> Rows:
    """The last two days alone say how far their clock is from UTC."""

    def of_last(table: pa.Table) -> pa.Table:
        if not {"utc_offset_minutes", "interval_start"} <= set(table.column_names):
            return table
        kind = table.schema.field("utc_offset_minutes").type
        is_last = pc.greater_equal(table["interval_start"], pa.scalar(dt.datetime(2026, 10, 25), pa.timestamp("us")))
        return _column(table, "utc_offset_minutes", pc.if_else(is_last, pa.scalar(120, kind), pa.scalar(None, kind)))

    return _with(rows, of_last)


def deactivated(rows: Rows) -> Rows:
    """SHPB is deactivated from the second day on."""
    table = rows["rmf_partition_data"]
    is_off = pc.and_(
        pc.equal(table["partition"], "SHPB"),
        pc.greater_equal(table["interval_start"], pa.scalar(dt.datetime(2026, 10, 25), pa.timestamp("us"))),
    )
    # Only the pages of the other system go on.
    keep = pc.invert(
        pc.and_(is_off, pc.or_(pc.equal(table["system"], "SHPB"), pc.not_equal(table["processor_type"], "CP")))
    )
    table, is_off = table.filter(keep), is_off.filter(keep)
    for name, value in (("processor_type", None), ("status", "D"), ("msu_used", None)):
        kind = table.schema.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        changed = pc.if_else(is_off, pa.scalar(value, kind), table[name].cast(kind))
        table = table.set_column(table.column_names.index(name), name, changed)
    return rows | {"rmf_partition_data": table}


def serials_of_some_days(rows: Rows) -> Rows:
    """The machine is known by its sequence code on the first day, and from the pages of each other after it."""
    table = rows["rmf_cpu_activity"]
    kind = pa.string()
    is_first = pc.less(table["interval_start"], pa.scalar(dt.datetime(2026, 10, 25), pa.timestamp("us")))
    codes = pc.if_else(is_first, pa.scalar("0000000000012345", kind), pa.scalar(None, kind))
    return rows | {"rmf_cpu_activity": _column(table, "sequence_code", codes)}


def printed_twice(rows: Rows) -> Rows:
    """A second file has every fifth row of activity and partitions, some with other values."""
    return rows | {name: _twice(rows[name], column) for name, column in _TWICE}


_TWICE = (
    ("rmf_workload_activity", "transactions_ended"),
    ("rmf_partition_data", "msu_used"),
    ("rmf_cpu_activity", "lpar_busy_pct"),
)


def _twice(table: pa.Table, column: str) -> pa.Table:
    again = table.take(list(range(0, len(table), 5)))
    again = _column(again, column, pc.add(again[column], pa.array([n % 2 for n in range(len(again))])))
    return pa.concat_tables([table, of_other_files(again)])


def print_and_xml(rows: Rows) -> Rows:
    """A second file has all of two reports as XML, with other values."""
    return rows | {name: _as_xml(rows[name], column) for name, column in _TWICE[1:]}


def _as_xml(table: pa.Table, column: str) -> pa.Table:
    again = _column(table, column, pc.add(table[column], 1))
    again = _column(again, "source_form", pa.array(["xml"] * len(again), pa.string()))
    return pa.concat_tables([table, of_other_files(again)])


def over_midnight(rows: Rows) -> Rows:
    """Intervals from 40 minutes past the hour on: one of each day is over midnight."""
    return _with(rows, lambda table: _moved(table, dt.datetime(2000, 1, 1), dt.timedelta(minutes=40)))


# What is for one day not as for the next, and what is the same for all: each of these lakes has what several changes are for. Values that
# two files print in two ways are unknown, and hide what other changes do: these have a lake of their own.
TOGETHER = (
    (offsets_on_all, times_missing, print_and_xml, over_midnight),
    (deactivated, serials_of_some_days, clock_set_back),
    (printed_twice, offsets_on_some, clock_set_forward),
)
# With fewer changes at once it shows which of them a fault needs.
APART = ((), (deactivated, serials_of_some_days), (printed_twice,), (times_missing,))


def _with(rows: Rows, change: Callable[[pa.Table], pa.Table]) -> Rows:
    return {name: change(table) for name, table in rows.items()}


@pytest.mark.parametrize(
    "changes",
    [
        *(pytest.param(one, marks=pytest.mark.slow) for one in TOGETHER),
        *(pytest.param(one, marks=pytest.mark.soak) for one in APART),
    ],
    ids=lambda changes: " ".join(change.__name__ for change in changes) or "as_printed",
)
def test_the_days_together_are_the_whole(changes: Sequence[Change], printed: Rows, tmp_path: Path):
    """A day made alone and the others made at once are what the views say of all days."""
    write_lake(tmp_path / "lake", reduce(lambda rows, change: change(rows), changes, printed))
    with OpenLake(tmp_path / "lake", few_rows=0) as lake:
        expected = dict(whole(lake))
        assert sum(map(len, expected.values())) > 1000
        # One day alone; then it is read back, and the others are made at once.
        with DaysLake(lake, FIRST, FIRST) as day:
            day.sql(f"SELECT count(*) FROM {next(iter(TIMES))}").arrow()
        found = days_of(lake, tuple(TIMES))
        of_views = {name: _typed(lake, name) for name in kept_days._TIMES}
    with open_lake(tmp_path / "lake") as small:
        assert days_of(small, tuple(TIMES)) == found
    for view, rows in expected.items():
        assert found[view] == rows, view
    with OpenLake(tmp_path / "lake", few_rows=0) as large:
        for name, rows in of_views.items():
            assert _typed(large, name) == rows, name
            assert _typed(large, name) == rows, name
        days = large._asked_days
        assert days is not None
        # Rows without a time are of no day; nor are hours that the clock repeats.
        of_days = {name for name in of_views if times_missing not in changes and not large.is_table(name)}
        assert days._rows.keys() == of_days
        assert "cpu_by_class" in of_days or times_missing in changes


def _typed(lake: OpenLake, view: str) -> tuple[list[str], list[str]]:
    found = lake.sql(f"FROM {view}")
    return [*map(str, found.relation.types)], comparable(found.arrow())


def whole(lake: OpenLake) -> Iterator[tuple[str, list[str]]]:
    """What the views say of all days at once; rows without a start or an end are of no day."""
    bounds = {"from": dt.datetime.combine(FIRST, dt.time.min), "to": dt.datetime.combine(LAST, dt.time(23, 59, 59))}
    with NarrowedLake(
        lake, bounds["from"] - dt.timedelta(days=1), bounds["to"] + dt.timedelta(days=2), once=kept_days._ONCE
    ) as all_days:
        for view, time in TIMES.items():
            text = f"SELECT * FROM {view} WHERE {time} >= $from AND {time} <= $to"
            yield view, comparable(all_days.sql(text, bounds).arrow())


TIMES = {name: time for name, (_, time) in kept_days._SELECTS.items() if name != "granted"}


def comparable(rows: pa.Table) -> list[str]:
    """Rows in any order; sums of floating point numbers are alike to ten digits."""
    return sorted(str(_rounded(row)) for row in rows.to_pylist())


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    # What DuckDB calls a sum of whole numbers depends on where it comes from.
    return float(f"{value:.10g}") if isinstance(value, (int, float)) or type(value).__name__ == "Decimal" else value
