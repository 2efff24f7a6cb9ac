"""`ironlake ingest --replace`: the newest print of the same report, interval and system wins, and nothing else of the older file goes. Without it,
an ingest says which intervals are in the lake with other values."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.origin import Receipt
from ironlake.pipeline.lake.parts import PartStore
from ironlake.pipeline.lake.removal import Removal, Selection
from ironlake.pipeline.lake.replacing import notes_on
from ironlake.pipeline.lake.settings import ABOUT_PAGES
from ironlake.pipeline.lake.show_history import history_of
from lake_rows import ACTIVITY, GOAL, MDY, add, answer_of, batch_of, entry, make_checkpoint, repaired, write_files
from sample_pages import sample

CPU = "rmf_cpu_activity"
PERIODS, CLASSES, WORKLOADS = "service_class_period", "service_class", "workload"
STRANGER = " " * 40 + "D I R E C T   A C C E S S   A C T I V I T Y\n  DEV 0A01\n\n"
# Table, sysplex or system, scope, hour of the interval, kind of class, name of the row, its value.
Row = tuple[str, str | None, str | None, int, str, str, float]


def row(
    name: str,
    value: float,
    table: str = ACTIVITY,
    kind: str = CLASSES,
    hour: int = 8,
    plex: str | None = "PLEXA",
    scope: str | None = "SYSA,SYSB",
) -> Row:
    return table, plex, scope, hour, kind, name, value


def by_table(rows: Sequence[Row]) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = {}
    for line, (table, plex, scope, hour, kind, name, value) in enumerate(rows, 1):
        start = datetime(2026, 1, 1, hour)
        said: dict[str, object] = {"page": hour, "line": line}
        said |= {"report_kind": "interval", "interval_start": start, "interval_end": start + timedelta(hours=1)}
        if table == CPU:
            said |= {"system": plex, "processor_type": kind, "processor_id": name, "online_pct": value}
        elif table == "parse_reject":
            said = {"page": hour, "line": line, "report": ACTIVITY}
        else:
            measure = "transactions_avg" if table == ACTIVITY else "velocity_pct"
            said |= {"sysplex": plex, "scope": scope, "class_kind": kind, "service_class": name, measure: value}
        found.setdefault(table, []).append(said)
    return found


def write(lake: Path, files: dict[str, Sequence[Row]], replace_prints: bool = True) -> Removal:
    """Commit files together."""
    with Lake(lake) as target:
        return commit(target, files, replace_prints)


def commit(target: Lake, files: dict[str, Sequence[Row]], replace_prints: bool = True) -> Removal:
    return write_files(target, {name: by_table(rows) for name, rows in files.items()}, replace_prints)


def values(lake: Path) -> dict[str, set[tuple[str, float]]]:
    """The names and values that the lake has, by table."""
    with open_lake(lake) as opened:
        texts = {
            ACTIVITY: f"SELECT service_class, transactions_avg FROM {ACTIVITY}",
            GOAL: f"SELECT service_class, velocity_pct FROM {GOAL}",
            CPU: f"SELECT processor_id, online_pct FROM {CPU}",
        }
        found = {table: opened.sql(text).fetchall() for table, text in texts.items()}
    assert all(len(set(rows)) == len(rows) for rows in found.values())
    return {table: set(rows) for table, rows in found.items() if rows}


OLD = [row("BATCH", 1), row("ONLINE", 2), row("BATCH", 60, GOAL), row("BATCH", 3, hour=9)]


def test_the_newer_print_wins_and_other_intervals_stay(tmp_path: Path) -> None:
    """A class that the newer print does not have goes too: it was wrong."""
    write(tmp_path, {"old": OLD, "other": [row("TSO", 7, hour=10)]})
    step = Ledger(tmp_path).state().step
    outcome = write(tmp_path, {"new": [row("BATCH", 5)]})
    assert values(tmp_path) == {ACTIVITY: {("BATCH", 5), ("BATCH", 3), ("TSO", 7)}}
    assert outcome.replaced_by(entry("new").source_id) == [(entry("old").source_id, "old.txt", 1)]
    state = Ledger(tmp_path).state()
    assert state.step == step + 1
    told = [e for e in history_of(tmp_path).to_pylist() if e["step"] == state.step]
    assert [(e["action"], e["source_file"], e["rows"]) for e in told] == [("replaced_in_part", "old.txt", 3), ("ingested", "new.txt", 1)]  # fmt: skip
    assert told[0]["what"] == "by newer prints in new.txt"
    assert state.sources[entry("old").sha256].rows == {ACTIVITY: 1}


def test_what_is_no_print_of_the_same_removes_nothing(tmp_path: Path) -> None:
    """Rows of another kind of class, interval, sysplex, scope and report."""
    write(tmp_path, {"old": OLD})
    before = values(tmp_path)
    new = [row("A", 5, kind=WORKLOADS), row("B", 5, hour=7), row("C", 5, plex="PLEXB"), row("D", 5, scope="SYSC")]
    outcome = write(tmp_path, {"new": [*new, row("0", 5, CPU, kind="CP", plex="SYSA")]})
    assert (outcome.changed, outcome.doubts) == ([], {})
    came = {ACTIVITY: {(name, 5) for name in "ABCD"}, CPU: {("0", 5)}}
    assert values(tmp_path) == {t: before.get(t, set()) | came.get(t, set()) for t in (ACTIVITY, GOAL, CPU)}


def test_what_may_be_a_print_of_the_same_is_refused_and_nothing_else_is(tmp_path: Path) -> None:
    """Rows without a scope, of fewer systems, without a sysplex."""
    write(tmp_path, {"old": OLD})
    before = values(tmp_path)
    for n, other in enumerate((row("BATCH", 5, scope=None), row("BATCH", 5, scope="SYSA"), row("BATCH", 5, plex=None))):
        outcome = write(tmp_path, {"new": [other], f"good{n}": [row("TSO", n, hour=9)]})
        assert list(outcome.doubts) == [entry("new").source_id]
        assert "not sure whether rmf_workload_activity, service_class" in outcome.doubts[entry("new").source_id]
        assert "in old.txt" in outcome.doubts[entry("new").source_id]
        assert values(tmp_path) == before | {ACTIVITY: {("BATCH", 1), ("ONLINE", 2), ("TSO", n)}}
        assert entry("new").sha256 not in Ledger(tmp_path).state().sources


@pytest.mark.parametrize(("offset", "left"), [(60, {1.0, 5.0}), (120, {2.0, 5.0}), (None, {1.0, 2.0})])
def test_of_two_hours_of_one_local_time_a_print_replaces_its_own(tmp_path: Path, offset: int | None, left: set[float]):
    """The clock was set back: summer's hour (offset 120, of 1) and winter's (60, of 2) end at the same millisecond. Of a print without an
    offset nobody knows which it is: it is refused."""
    for name, value, of in (("summer", 1, 120), ("winter", 2, 60), ("new", 5, offset)):
        rows = {
            table: [r | {"utc_offset_minutes": of} for r in some] for table, some in by_table([row("A", value)]).items()
        }
        with Lake(tmp_path) as target:
            write_files(target, {name: rows}, replace_prints=True)
    assert {value for (value,) in answer_of(tmp_path, f"SELECT transactions_avg FROM {ACTIVITY}")} == left


def test_what_was_refused_does_not_come_in_when_a_lost_ledger_is_rebuilt(tmp_path: Path) -> None:
    """Its parts were written before."""
    write(tmp_path, {"old": OLD})
    before = values(tmp_path)
    assert write(tmp_path, {"new": [row("BATCH", 5, scope=None)]}).doubts
    shutil.rmtree(tmp_path / "_ledger")
    assert repaired(tmp_path) == []
    assert values(tmp_path) == before


def test_of_two_files_of_one_ingest_none_is_the_newer(tmp_path: Path) -> None:
    outcome = write(tmp_path, {"one": [row("BATCH", 1)], "two": [row("BATCH", 2)], "good": [row("TSO", 7, hour=9)]})
    assert outcome.doubts.keys() == {entry("one").source_id, entry("two").source_id}
    assert values(tmp_path) == {ACTIVITY: {("TSO", 7)}}


def test_of_many_intervals_that_two_files_print_the_first_is_named(tmp_path: Path) -> None:
    """From run to run, and whatever machine reads them."""
    one, two = ([row("BATCH", value, hour=hour) for hour in range(2, 22)] for value in (1, 2))
    told = {*write(tmp_path / "at once", {"one": one, "two": two}).doubts.values()}
    with Lake(tmp_path / "after one another") as lake:
        assert commit(lake, {"one": one}).doubts == {}
        told |= {*commit(lake, {"two": two}).doubts.values()}
    assert len(told) == 1
    assert "2026-01-01 02:00:00, 2026-01-01 03:00:00" in told.pop()


def test_nor_if_they_are_large_and_have_a_commit_each(tmp_path: Path) -> None:
    with Lake(tmp_path) as lake:
        assert commit(lake, {"one": [row("BATCH", 1)]}).doubts == {}
        outcome = commit(lake, {"two": [row("BATCH", 2)]})
    assert "several files of this ingest print" in outcome.doubts[entry("two").source_id]
    assert values(tmp_path) == {ACTIVITY: {("BATCH", 1)}}
    assert write(tmp_path, {"two": [row("BATCH", 2)]}).doubts == {}
    assert values(tmp_path) == {ACTIVITY: {("BATCH", 2)}}


def rejects(*hours: int) -> list[Row]:
    return [row("", 0, "parse_reject", hour=hour) for hour in hours]


def test_a_print_with_more_rejects_is_refused_and_nothing_else_is(tmp_path: Path) -> None:
    """What counts are the rejects of what would go: those of another page of the old file do not. As many as before are no worse."""
    write(tmp_path, {"old": [*OLD, *rejects(8, 9, 9)]})
    before = values(tmp_path)
    outcome = write(tmp_path, {"new": [row("BATCH", 5), *rejects(8, 8)], "good": [row("TSO", 7, hour=9)]})
    assert list(outcome.doubts) == [entry("new").source_id]
    why = "its pages that replace others have 2 rejects, and what they would replace 1: nothing is replaced"
    assert why in outcome.doubts[entry("new").source_id]
    assert values(tmp_path) == before | {ACTIVITY: {("BATCH", 1), ("ONLINE", 2), ("TSO", 7)}}
    assert entry("new").sha256 not in Ledger(tmp_path).state().sources
    assert write(tmp_path, {"as_good": [row("BATCH", 6), *rejects(8)]}).doubts == {}
    assert values(tmp_path) == {ACTIVITY: {("BATCH", 6), ("TSO", 7)}}


def test_rejects_of_other_intervals_do_not_refuse_a_print(tmp_path: Path) -> None:
    """The page of hour 10 replaces nothing; a page that has nothing but rejects may be of any interval."""
    write(tmp_path, {"old": OLD})
    good = [row("BATCH", 5), row("TSO", 7, hour=10), *rejects(10, 10)]
    outcome = write(tmp_path, {"bad": [*good, *rejects(20)]})
    assert "its pages that replace others have 1 reject, and what" in outcome.doubts[entry("bad").source_id]
    outcome = write(tmp_path, {"new": good})
    assert outcome.doubts == {}
    assert values(tmp_path) == {ACTIVITY: {("BATCH", 5), ("BATCH", 3), ("TSO", 7)}}


def test_of_a_file_of_which_no_row_is_left_nothing_about_its_pages_is_either(tmp_path: Path) -> None:
    """A page without rows of reports, of which a reject is: as long as a row of another page is left, nobody knows what it belongs to."""
    write(tmp_path, {"old": [*OLD, *rejects(8, 12)]})
    write(tmp_path, {"new": [row("BATCH", 5)]})
    assert rejects_of(tmp_path, "old") == (1, {ACTIVITY: 1, "parse_reject": 1})
    assert write(tmp_path, {"newer": [row("BATCH", 5, hour=9), *rejects(9)]}).doubts == {}
    assert rejects_of(tmp_path, "old") == (0, {})
    assert answer_of(tmp_path, "SELECT source_id, page FROM parse_reject") == [(entry("newer").source_id, 9)]


def rejects_of(lake: Path, name: str) -> tuple[int, dict[str, int]]:
    held = Ledger(lake).state().sources[entry(name).sha256]
    return held.rejects, held.rows


def test_fewer_rows_than_gave_way_are_noted(tmp_path: Path) -> None:
    """Of the same prints: rows of other intervals make up for nothing, and as many rows as one of two old files had are enough."""
    write(tmp_path, {"old": OLD, "too": [row("BATCH", 3, hour=9)]}, replace_prints=False)
    more = [row(name, 1, hour=11) for name in ("A", "B", "C")]
    outcome = write(
        tmp_path, {"new": [row("BATCH", 5), row("BATCH", 6, hour=9), *more], "other": [row("TSO", 7, hour=10)]}
    )
    assert notes_on(outcome, entry("new").source_id) == [f"{ACTIVITY}: 2 rows gave way to 1", f"{GOAL}: 1 row gave way to 0"]  # fmt: skip
    assert notes_on(outcome, entry("other").source_id) == []


def test_what_was_replaced_is_not_read_again_and_undo_brings_it_back(tmp_path: Path) -> None:
    """A folder with both files may be ingested every night."""
    write(tmp_path, {"old": OLD[:3]})
    before = values(tmp_path)
    write(tmp_path, {"new": [row("BATCH", 5)]})
    after = values(tmp_path)
    with Lake(tmp_path) as lake:
        assert lake.find(entry("old").sha256, MDY)
        write(tmp_path, {"old": OLD[:3]})
    assert values(tmp_path) == after == {ACTIVITY: {("BATCH", 5)}}
    with Lake(tmp_path) as lake:
        lake.undo()
    assert values(tmp_path) == before


# --- Without --replace ------------------------------------------------------------------------------------------------


def other_values(lake: Path, rows: Sequence[Row]) -> tuple[int, set[str]]:
    (e,), tables = batch_of({"new": by_table(rows)})
    with Lake(lake) as target:
        parts = target.write_batch(tables, [Receipt(e, 0, last=True)])
        found = target.other_values([e], parts).get(e.source_id)
    return (len(found.intervals), found.files) if found else (0, set())


def test_intervals_with_other_values_are_counted(tmp_path: Path) -> None:
    write(tmp_path, {"old": OLD, "older": [row("TSO", 7, hour=10)]})
    assert other_values(tmp_path, [row("BATCH", 5)]) == (1, {"old.txt"})
    assert other_values(tmp_path, [row("BATCH", 5), row("BATCH", 61, GOAL), row("ONLINE", 5)]) == (1, {"old.txt"})
    assert other_values(tmp_path, [row("BATCH", 5), row("TSO", 8, hour=10)]) == (2, {"old.txt", "older.txt"})
    # The same values; another class; another interval.
    assert other_values(tmp_path, [row("BATCH", 1), row("DDF", 1), row("BATCH", 5, hour=11)]) == (0, set())


def keep_both(lake: Path, name: str, rows: Sequence[Row]) -> None:
    """Commit a file beside what the lake has, as an ingest does."""
    (e,), tables = batch_of({name: by_table(rows)})
    with Lake(lake) as target:
        parts = target.write_batch(tables, [Receipt(e, 0, last=True)])
        others = target.other_values([e], parts)
        target.commit([replace(e, other_values=others[e.source_id].counts) if others else e], parts)


def doubled(lake: Path) -> dict[str, dict[tuple[str, str], int]]:
    """By file, of which other files it has intervals with other values: how many, by file and hour."""
    state = Ledger(lake).state()
    names = {e.source_id: e.source_file.removesuffix(".txt") for e in state.sources.values()}
    found = {}
    for e in state.sources.values():
        for key, count in e.other_values.items():
            other, report, start = key.split(" ")
            assert report == ACTIVITY
            found.setdefault(names[e.source_id], {})[names[other], start[11:13]] = count
    return found


def test_the_ledger_knows_intervals_with_other_values_as_long_as_both_are_there(tmp_path: Path) -> None:
    """Hours 8 and 9 of the file a are in b with other values, hour 9 in c once more."""
    write(tmp_path, {"a": [row("BATCH", 1), row("BATCH", 3, hour=9), row("TSO", 5, hour=10)]})
    keep_both(tmp_path, "b", [row("BATCH", 2), row("BATCH", 4, hour=9), row("TSO", 5, hour=10)])
    keep_both(tmp_path, "c", [row("BATCH", 7, hour=9)])
    both = {"b": {("a", "08"): 1, ("a", "09"): 1}, "c": {("a", "09"): 1, ("b", "09"): 1}}
    assert doubled(tmp_path) == both
    make_checkpoint(tmp_path)
    assert doubled(tmp_path) == both
    a, b = entry("a").source_id, entry("b").source_id
    with Lake(tmp_path) as lake:
        # Of one of the two alone: the other file keeps its rows, and is not named in the history.
        lake.remove(Selection(frozenset({a}), before=datetime(2026, 1, 1, 9)))
    assert doubled(tmp_path) == {"b": {("a", "09"): 1}, "c": both["c"]}
    assert [e["source_file"] for e in history_of(tmp_path).to_pylist()][-1] == "a.txt"
    with Lake(tmp_path) as lake:
        lake.undo()
    assert doubled(tmp_path) == both
    assert [e["source_file"] for e in history_of(tmp_path).to_pylist()][-1] == "a.txt"
    with open_lake(tmp_path) as opened:
        assert opened.rows(ACTIVITY) == 7
    with Lake(tmp_path) as lake:
        lake.remove(Selection(frozenset({a})))
        assert doubled(tmp_path) == {"c": {("b", "09"): 1}}
        lake.undo()
        assert doubled(tmp_path) == both
    assert write(tmp_path, {"new": [row("BATCH", 8, hour=9)]}).replaced_by(entry("new").source_id) == [
        (source_id, f"{name}.txt", 1) for source_id, name in sorted([(a, "a"), (b, "b"), (entry("c").source_id, "c")])
    ]
    assert doubled(tmp_path) == {"b": {("a", "08"): 1}}
    with Lake(tmp_path) as lake:
        lake.remove(Selection(before=datetime(2026, 1, 1, 9)))
    assert doubled(tmp_path) == {}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each part was opened."""
    counts: Counter[str] = Counter()
    original = PartStore.opened

    def noted(store, part, *arguments, **named):
        counts[part.path] += 1
        return original(store, part, *arguments, **named)

    monkeypatch.setattr(PartStore, "opened", noted)
    return counts


def test_only_parts_of_the_same_times_are_read(tmp_path: Path, read: Counter[str]) -> None:
    for hour in (9, 14, 15, 16):
        write(tmp_path, {f"old{hour}": [row("BATCH", 1, hour=hour)]}, replace_prints=False)
    read.clear()
    assert other_values(tmp_path, [row("BATCH", 5, hour=8)]) == (0, set())
    assert read == {}
    assert other_values(tmp_path, [row("BATCH", 5, hour=15)]) == (1, {"old15.txt"})
    assert len({p for p in read if not p.startswith(f"{ACTIVITY}/{entry('new').source_id}")}) == 1


def test_an_ingest_reads_the_prints_of_a_part_once_for_all_its_commits(tmp_path: Path, read: Counter[str]) -> None:
    write(tmp_path, {"old": [row("BATCH", 1)]})
    read.clear()
    with Lake(tmp_path) as target:
        for name in ("one", "two", "three"):
            (e,), tables = batch_of({name: by_table([row("BATCH", 2, scope=name.upper())])})
            parts = target.write_batch(tables, [Receipt(e, 0, last=True)])
            assert target.other_values([e], parts) == {}
            target.commit([e], parts)
    assert set(read.values()) == {1}
    assert len(read) == 4


# --- The command ------------------------------------------------------------------------------------------------------


def test_the_command_says_what_it_replaced(run: Command, tmp_path: Path) -> None:
    lake, wrong, right = tmp_path / "lake", tmp_path / "wrong.txt", tmp_path / "right.txt"
    page = sample("velocity_goal").read_text()
    wrong.write_text(page)
    right.write_text(page.replace("AVG       3.11", "AVG       4.22"))
    run("ingest", wrong, "--lake", lake)
    code, out, _ = run("ingest", right, "--lake", lake)
    assert code == 0
    assert "1 interval in the lake with other values" in out
    assert f"other values of the same intervals are in {wrong}; all are kept" in out
    told = json.loads(run("status", "--lake", lake, "--format", "json")[1])["attention"]
    what = f"1 interval with other values in {right} than in {wrong}: remove the wrong file"
    assert told == [{"what": what, "command": f"ironlake remove {wrong} --dry-run --lake {lake}"}]
    run("undo", "--lake", lake)
    assert "nothing needs attention" in run("status", "--lake", lake)[1]
    code, out, _ = run("ingest", right, "--replace", "--lake", lake)
    assert (code, "with other values" in out) == (0, False)
    assert f"note: replaced 1 print of {wrong}" in out
    assert [
        e["replaced"] for e in json.loads(run("ingest", wrong, "--lake", lake, "--format", "json")[1])["files"]
    ] == [[]]
    code, out, _ = run("ingest", wrong, "--replace", "--lake", lake)
    assert "already ingested" in out
    assert "rows of it gave way to newer prints" in out
    assert answer_of(lake, f"SELECT transactions_avg FROM {ACTIVITY}") == [(4.22,)]


def test_the_command_refuses_what_it_is_not_sure_of_and_a_damaged_file(run: Command, tmp_path: Path) -> None:
    lake, old, new = tmp_path / "lake", tmp_path / "old.txt", tmp_path / "new.txt"
    page = sample("velocity_goal").read_text()
    old.write_text(page)
    run("ingest", old, "--lake", lake)
    for printed, changed, said in (
        ("SYSPLEX PLEXA", "SYSPLEX      ", ["not sure whether", "nothing was replaced"]),
        (
            "AVG       3.11",
            "AVG       3.1?",
            ["have 1 reject, and what they would replace 0: nothing is replaced", f"remove the old file first: {old}"],
        ),
    ):
        new.write_text(page.replace(printed, changed))
        code, out, _ = run("ingest", new, "--replace", "--lake", lake)
        assert (code, [words in out for words in said]) == (1, [True, True]), out
        assert answer_of(lake, f"SELECT transactions_avg FROM {ACTIVITY}") == [(3.11,)]
    run("remove", old, "--lake", lake)
    assert run("ingest", new, "--replace", "--lake", lake)[0] == 0


def test_the_command_says_which_rows_replace_nothing(run: Command, tmp_path: Path) -> None:
    said = {
        "accounting_short_trace": "db2_accounting_counter 72 rows",
        "cics_summary": "cics_db2_connection 1 row, cics_db2entry_request 3 rows",
        "excerpt_without_class_line": "rmf_workload_activity 1 row, rmf_workload_response_breakdown 10 rows",
        "jmh_decimal_commas": "jmh_result 4 rows",
    }
    words = ["ingest", *map(sample, said), "--lake"]
    assert "replace nothing" not in run(*words, tmp_path / "kept")[1]
    out = run(*words, tmp_path / "lake", "--replace")[1]
    assert all(f"  note: rows without a time replace nothing: {rows}\n" in out for rows in said.values()), out


def test_the_same_file_with_a_blank_line_more_doubles_nothing(run: Command, tmp_path: Path) -> None:
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    # The second page is of a report that Ironlake does not know.
    page = sample("cpu_without_multithreading").read_text() + STRANGER
    old.write_text(page)
    new.write_text(page + "\n")
    run("ingest", old, "--lake", tmp_path / "lake")
    run("ingest", new, "--replace", "--lake", tmp_path / "lake")
    counted = {
        t: answer_of(tmp_path / "lake", f"SELECT count(*), min(source_file) FROM {t}") for t in (CPU, *ABOUT_PAGES)
    }
    assert counted == {
        CPU: [(8, str(new))],
        "cell_null": [(1, str(new))],
        "unread_section": [(0, None)],
        "parse_reject": [(0, None)],
        "quality_result": [(0, None)],
        "unknown_report": [(1, str(new))],
    }


# --- A file of which rows gave way is met again: what gave way does not come back, unless it is removed by name -------


def _night(folder: Path, name: str, *hours_and_ended: tuple[str, int]) -> Path:
    """A page of a service class for each hour, with so many ended transactions (four digits)."""
    text = sample("velocity_goal").read_text()
    pages = [text.replace("08.30.00", f"{hour}.30.00").replace("1844", str(ended)) for hour, ended in hours_and_ended]
    path = folder / name
    path.write_text("".join(pages))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hours, of which the first is corrected."""
    folder = tmp_path_factory.mktemp("nights")
    old = _night(folder, "old.txt", ("08", 1111), ("09", 2222))
    new = _night(folder, "new.txt", ("08", 1999))
    ingest([str(old)], folder / "lake", Options(), jobs=1)
    ingest([str(new)], folder / "lake", Options(), jobs=1, replace_prints=True)
    return folder


@pytest.fixture
def lake(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "nights") / "lake"


def _ended(lake: Path) -> list[int]:
    rows = answer_of(lake, "SELECT transactions_ended FROM rmf_workload_activity ORDER BY ALL")
    return [row[0] for row in rows]


def test_it_is_not_read_again(lake: Path, run: Command) -> None:
    for options in ([], ["--utc-offset", "60"], ["--date-order", "dmy"], ["--replace"]):
        code, out, _ = run("ingest", lake.parent / "old.txt", "--lake", lake, *options)
        assert code == 0
        assert "already ingested" in out
        assert "gave way to newer prints" in out
    assert _ended(lake) == [1999, 2222]


@pytest.mark.parametrize(("removal", "left"), [(["--before", "2016-09-20T09:00"], [2222]), (["--report", "rmf_workload_activity"], [])])  # fmt: skip
def test_nor_after_other_rows_were_removed(lake: Path, run: Command, removal: list[str], left: list[int]) -> None:
    assert run("remove", *removal, "--lake", lake)[0] == 0
    assert _ended(lake) == left
    assert run("ingest", lake.parent / "old.txt", "--lake", lake)[0] == 0
    assert _ended(lake) == left


def test_removed_by_name_it_is_read_whole_again(lake: Path, run: Command) -> None:
    assert run("remove", "old.txt", "--lake", lake)[0] == 0
    assert _ended(lake) == [1999]
    code, out, _ = run("ingest", lake.parent / "old.txt", "--lake", lake)
    assert (code, _ended(lake)) == (0, [1111, 1999, 2222])
    assert "1 interval in the lake with other values" in out


def test_a_newer_reader_leaves_it(lake: Path) -> None:
    """As another process commits it, which began before."""
    with Lake(lake) as opened:
        sha = next(e.sha256 for e in opened._ledger.state().sources.values() if e.source_file.endswith("old.txt"))
        assert opened.find(sha, "read by a newer reader") is not None
    other = entry("other")
    with Lake(lake) as opened:
        from dataclasses import replace

        again = replace(other, sha256=sha, options_key=MDY + "|newer")
        add(opened, again)
    assert _ended(lake) == [1999, 2222]


def test_a_file_that_is_there_itself_replaces_nothing_and_says_so(lake: Path, run: Command) -> None:
    code, out, _ = run("ingest", lake.parent / "new.txt", "--lake", lake, "--replace")
    said = "\n  note: --replace: the lake has the rows of this very file, and nothing was replaced; ironlake remove takes out"
    assert (code, "already ingested" in out, said in out) == (0, True, True), out
    assert said not in run("ingest", lake.parent / "new.txt", "--lake", lake)[1]
