"""What is removed answers no more, all else answers as before: after any sequence of ingests, removals and compactions the rows are
those of a lake that never had what was removed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from command_line import Command
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.origin import Receipt
from ironlake.pipeline.lake.removal import Selection, planned
from ironlake.pipeline.lake.show_history import history_of
from lake_rows import DMY, MDY, answer_of, checksum, counts, entry, repaired, write_part
from property_settings import examples
from sample_pages import sample

ACTIVITY, CPU = "rmf_workload_activity", "rmf_cpu_activity"
DAY = datetime(2026, 1, 1)
FILES = ("velocity_goal", "k_suffixes", "cpu_continued_page", "junk_lines")


# --- Small sources: rows of two reports and about their pages ------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A row of a table; `day` is that of its interval, None without one. `about`: the report or table that it tells of."""

    table: str
    page: int
    line: int
    day: int | None = None
    about: str | None = None


@dataclass
class Source:
    name: str
    options: str
    rows: list[Row] = field(default_factory=list)

    @property
    def entry(self):
        counts = {t: sum(r.table == t for r in self.rows) for t in sorted({r.table for r in self.rows})}
        made = entry(self.name, self.options, lines=20)
        return replace(made, rows=counts, rejects=counts.get("parse_reject", 0))


def made(name: str, options: str, days: Iterable[int], with_cpu: bool) -> Source:
    """A page of each day: three rows of one or two reports, a reject and an empty cell; and a page without a time."""
    found = Source(name, options)
    line = 0
    for page, day in enumerate(days, start=1):
        for table in (ACTIVITY, CPU) if with_cpu and page % 2 else (ACTIVITY,):
            for _ in range(3 if options == MDY else 2):
                found.rows.append(Row(table, page, line := line + 1, day))
            found.rows.append(Row("cell_null", page, line, about=table))
        if name == "c":
            # Its pages end with a row of the next day.
            found.rows.append(Row(ACTIVITY, page, line := line + 1, day + 1))
        found.rows.append(Row("parse_reject", page, line := line + 1, about=ACTIVITY))
    if with_cpu:
        found.rows.append(Row(ACTIVITY, 99, line + 1))
        found.rows.append(Row("parse_reject", 99, line + 2, about=CPU))
    return found


def table_of(sources: Iterable[Source], name: str) -> pa.Table:
    each = [(s.entry, r) for s in sources for r in s.rows if r.table == name]
    days = [None if r.day is None else DAY + timedelta(days=r.day) for _, r in each]
    columns: dict[str, list[Any]] = {
        "source_id": [e.source_id for e, _ in each],
        "source_file": [e.source_file for e, _ in each],
        "page": [r.page for _, r in each],
        "line": [r.line for _, r in each],
    }
    if name == CPU:
        columns["processor_type"] = ["CP"] * len(each)
    if name in (ACTIVITY, CPU):
        columns |= {"interval_start": days, "interval_end": [d and d + timedelta(hours=24) for d in days]}
    else:
        columns["table" if name == "cell_null" else "report"] = [r.about for _, r in each]
    return pa.table({n: pa.array(v, pa.timestamp("us") if "interval" in n else None) for n, v in columns.items()})


def add(lake: Lake, *sources: Source) -> None:
    """Commit sources that are not there, in parts that they share."""
    new = [s for s in sources if not lake.find(s.entry.sha256, s.options)]
    names = sorted({r.table for s in new for r in s.rows})
    if new:
        receipts = [Receipt(s.entry, 0, last=True) for s in new]
        lake.commit([s.entry for s in new], lake.write_batch({n: table_of(new, n) for n in names}, receipts))


Found = set[tuple[str, str, int, int]]


def rows_of(path: Path) -> Found:
    """All rows of a lake: table, source, page and line. What the ledger says of them must be so."""
    found: Found = set()
    with open_lake(path) as opened:
        for table in (ACTIVITY, CPU, "cell_null", "parse_reject"):
            rows = opened.sql(f"SELECT source_id, page, line FROM {table}").fetchall()
            assert len(set(rows)) == len(rows)
            found |= {(table, *row) for row in rows}
        said = opened.sql(
            "SELECT source_id, unnest(rows) AS r, rejects FROM ingest_file WHERE status <> 'failed'"
        ).fetchall()
        for source_id, counted, rejects in said:
            mine = [row for row in found if row[:2] == (counted["table"], source_id)]
            assert len(mine) == counted["rows"]
            assert rejects == len([row for row in found if row[:2] == ("parse_reject", source_id)])
        assert {row[1] for row in found} <= {source_id for source_id, _, _ in said}
    return found


def expected(sources: Iterable[Source]) -> Found:
    return {(r.table, s.entry.source_id, r.page, r.line) for s in sources for r in s.rows}


def after_removal(sources: Iterable[Source], selection: Selection) -> list[Source]:
    """What a removal leaves, row by row as docs/lake.md says it."""
    left = []
    for source in sources:
        asked = selection.source_ids is None or source.entry.source_id in selection.source_ids
        if asked and selection.is_of_sources:
            continue
        is_row = [r.table in (ACTIVITY, CPU) for r in source.rows]
        goes = {
            r
            for r, of_report in zip(source.rows, is_row, strict=True)
            if of_report
            and asked
            and selection.report in (None, r.table)
            and (
                selection.before is None or (r.day is not None and DAY + timedelta(days=r.day + 1) <= selection.before)
            )
        }
        stays = {r for r, of_report in zip(source.rows, is_row, strict=True) if of_report} - goes
        if goes and not stays:
            continue
        pages = {(r.page, r.table) for r in goes} - {(r.page, r.table) for r in stays}
        if goes:
            goes |= {
                r
                for r in source.rows
                if r.about and ((r.page, r.about) in pages if selection.before else r.about == selection.report)
            }
        left.append(Source(source.name, source.options, [r for r in source.rows if r not in goes]))
    return left


NAMES = "abcde"
SELECTIONS = st.builds(
    Selection,
    st.none() | st.frozensets(st.sampled_from([entry(n, o).source_id for n in NAMES for o in (MDY, DMY)]), min_size=1),
    st.none() | st.sampled_from((ACTIVITY, CPU)),
    st.none() | st.sampled_from([DAY + timedelta(days=d) for d in range(5)]),
).filter(lambda selection: selection != Selection())


class LakeThatLosesRows(RuleBasedStateMachine):
    """Beside the lake stands a list of what it must hold."""

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self.folder = tempfile.TemporaryDirectory(prefix="removing-")
        self.path = Path(self.folder.name) / "lake"
        self.sources: dict[str, Source] = {}
        # Before the newest change; None if it cannot be undone for sure.
        self.previous: dict[str, Source] = {}
        self.is_kept, self.is_in_steps = False, False

    @rule(names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True), options=st.sampled_from((MDY, DMY)))  # fmt: skip
    def ingest(self, names: list[str], options: str) -> None:
        # What a source holds depends on its name and options alone.
        new = [made(n, options, range(ord(n) - 97, ord(n) - 94), with_cpu=n in "ace") for n in names]
        step = Ledger(self.path).state().step
        with Lake(self.path) as lake:
            add(lake, *new)
        self.changed(self.sources | {s.name: s for s in new}, step)

    @rule(selection=SELECTIONS)
    def remove(self, selection: Selection) -> None:
        if not self.path.exists():
            return
        before = checksum(self.path)
        foretold = planned(Ledger(self.path), selection)
        assert checksum(self.path) == before
        was, number = expected(self.sources.values()), Ledger(self.path).state().step
        with Lake(self.path) as lake:
            step = lake.remove(selection)
        assert bool(step) == bool(foretold.source_ids)
        self.changed({s.name: s for s in after_removal(self.sources.values(), selection)}, number)
        gone = was - expected(self.sources.values())
        assert sum(rows.total() for rows in foretold.rows.values()) == len(gone)

    @rule()
    def undo(self) -> None:
        if not self.path.exists():
            return
        number = Ledger(self.path).state().step
        with Lake(self.path) as lake:
            try:
                assert lake.undo() == number + 1
            except IronlakeError:
                assert not self.is_kept
                assert Ledger(self.path).state().step == number
                self.judge()
                return
        self.changed(self.previous, number)

    def changed(self, sources: dict[str, Source], step: int) -> None:
        if Ledger(self.path).state().step > step:
            self.previous, self.is_kept, self.is_in_steps = self.sources, True, True
        self.sources = sources
        self.judge()

    @rule(grace_s=st.sampled_from((0, 3600)))
    def compact(self, grace_s: int) -> None:
        with Lake(self.path) as lake:
            lake.compact(most_small_parts=1, grace_s=grace_s)
        # Parts of before are gone, or the steps.
        self.is_kept &= grace_s > 0 and self.is_in_steps
        self.judge()

    @rule()
    def checkpoint(self) -> None:
        ledger = Ledger(self.path)
        if ledger.exists():
            with ledger.writing() as state:
                if state.step:
                    ledger.checkpoint()
                    self.is_in_steps = False

    @rule()
    def lose_the_head(self) -> None:
        """A rebuilt ledger brings nothing back that was removed."""
        if (self.path / "_ledger" / "head.json").exists() and Ledger(self.path).state().step:
            (self.path / "_ledger" / "head.json").unlink()
            assert repaired(self.path) == []
            self.is_kept = False
            self.judge()

    def judge(self) -> None:
        if self.path.exists():
            assert rows_of(self.path) == expected(self.sources.values())

    def teardown(self) -> None:
        self.folder.cleanup()


TestLakeThatLosesRows = LakeThatLosesRows.TestCase
TestLakeThatLosesRows.settings = examples(3, stateful_step_count=10)


# --- Single cases -----------------------------------------------------------------------------------------------------


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """a: days 0 to 2, of both reports; b: days 1 to 3, of one. They share every part."""
    with Lake(tmp_path / "lake") as lake:
        add(lake, made("a", MDY, range(3), with_cpu=True), made("b", MDY, range(1, 4), with_cpu=False))
    return tmp_path / "lake"


def test_rows_before_a_date_go_and_the_source_stays(lake: Path) -> None:
    # a has 3 rows a day, and one without a time: those of the days 0 and 1 go; b has day 1 alone before the 3rd.
    assert counts(lake, ACTIVITY) == {"a.txt": 10, "b.txt": 9}
    with Lake(lake) as target:
        assert target.remove(Selection(before=datetime(2026, 1, 3))) == 2
    assert counts(lake, ACTIVITY) == {"a.txt": 4, "b.txt": 6}
    # An interval that ends at the date is before it, and one across it is not.
    with Lake(lake) as target:
        assert target.remove(Selection(before=datetime(2026, 1, 3, 23, 59))) == 0
    # On page 1 of a stood 3 rows of the CPU report as well, on page 3 too.
    assert counts(lake, CPU) == {"a.txt": 3}
    # A page's rejects and empty cells go with its last row.
    assert counts(lake, "parse_reject") == {"a.txt": 2, "b.txt": 2}
    assert counts(lake, "cell_null") == {"a.txt": 2, "b.txt": 2}


def test_a_part_that_counts_is_never_replaced_by_other_bytes(lake: Path) -> None:
    """Another release of a library may write the same rows in other bytes."""
    a = made("c", MDY, range(3), with_cpu=True)
    with Lake(lake) as target:
        add(target, a)
        target.remove(Selection(frozenset([a.entry.source_id]), before=datetime(2026, 1, 2), report=ACTIVITY))
        (untouched,) = [
            p for p in Ledger(lake).state().parts.values() if p.path.startswith(f"{CPU}/{a.entry.source_id}")
        ]
        other = table_of([a], CPU).append_column("system", pa.array(["SYSA"] * 6))
        part = write_part(target, other, a.entry, table=CPU)
        assert part.path != untouched.path
        target.commit(
            [a.entry],
            [part, *target.write_batch({ACTIVITY: table_of([a], ACTIVITY)}, [Receipt(a.entry, 0, last=True)])],
        )
    assert answer_of(lake, f"SELECT DISTINCT system, source_file FROM {CPU} ORDER BY 2") == [(None, "a.txt"), ("SYSA", "c.txt")]  # fmt: skip


def test_the_history_names_what_was_removed(lake: Path) -> None:
    with Lake(lake) as target:
        target.remove(Selection(before=datetime(2026, 1, 3)))
        target.remove(Selection(frozenset([entry("b").source_id])))
    told = [(r["step"], r["action"], r["source_file"], r["rows"], r["what"]) for r in history_of(lake).to_pylist()]
    assert told[2:] == [
        # a: 6 and 3 rows, of the 5 rejects and 5 empty cells 2 and 3; b: 3 rows, a reject and an empty cell.
        (2, "removed_in_part", "a.txt", 14, "before 2026-01-03"),
        (2, "removed_in_part", "b.txt", 5, "before 2026-01-03"),
        (3, "removed", "b.txt", 10, None),
    ]


def test_undo_gives_back_what_was_removed_and_takes_out_what_came(lake: Path) -> None:
    with Lake(lake) as target:
        before = answer_of(lake, "SELECT * FROM ingest_file"), rows_of(lake)
        target.remove(Selection(before=datetime(2026, 1, 3)))
        after = rows_of(lake)
        assert target.undo() == 3
        found = answer_of(lake, "SELECT * FROM ingest_file"), rows_of(lake)
        assert found == before
        assert target.undo() == 4
        assert rows_of(lake) == after
        add(target, c := made("c", MDY, range(2), with_cpu=False))
        # A compaction is not what is meant.
        target.compact(most_small_parts=1)
        assert Ledger(lake).state().step > 5
        target.undo()
        assert rows_of(lake) == after
        assert target.find(c.entry.sha256, MDY) is None
        add(target, c)
        assert rows_of(lake) == after | expected([c])


def test_a_source_that_loses_rows_was_ingested_when_it_was(lake: Path) -> None:
    """The age of what is kept for days, and the last ingest that status shows, do not begin anew."""
    at = {e.source_file: e.committed_at for e in Ledger(lake).state().sources.values()}
    with Lake(lake) as target:
        target.remove(Selection(before=datetime(2026, 1, 3)))
        found = Ledger(lake).state().sources.values()
        assert {e.source_file: e.committed_at for e in found} == at
        assert {e.removed for e in found} == {"part"}
        target.remove(Selection(frozenset([entry("b").source_id])))
        target.undo()
    assert {e.source_file: e.committed_at for e in Ledger(lake).state().sources.values()} == at


def test_what_is_gone_cannot_be_undone_and_nothing_changes(run: Command, lake: Path) -> None:
    with Lake(lake) as target:
        target.remove(Selection(report=CPU))
        target.compact(grace_s=0)
    before = rows_of(lake)
    for words in ([], ["--dry-run"]):
        code, out, err = run("undo", "--lake", lake, *words)
        assert (code, out) == (1, "")
        assert "step 2 cannot be undone: " in err
        assert "is missing; expected the parts of before" in err
        assert "ingest the files again" in err
    assert rows_of(lake) == before
    ledger = Ledger(lake)
    with ledger.writing() as state:
        ledger.adopt(state, state.step + 1)
    code, _, err = run("undo", "--lake", lake)
    assert (code, "there is no step to undo" in err) == (2, True)


def test_the_command_undo_tells_then_undoes(run: Command, lake: Path, tmp_path: Path) -> None:
    before, was = checksum(lake), rows_of(lake)
    code, out, _ = run("undo", "--dry-run", "--lake", lake)
    assert code == 0
    assert out.startswith("would undo step 1 of ")
    # a: 9 and 6 rows, one without a time, 4 rejects, 5 empty cells; b: 9 rows, 3 rejects, 3 empty cells.
    assert "\n  ingested: a.txt (25 rows go)\n  ingested: b.txt (15 rows go)\n" in out
    assert checksum(lake) == before
    code, out, _ = run("undo", "--lake", lake, "--format", "json")
    assert (code, json.loads(out)["undone_step"], json.loads(out)["step"]) == (0, 1, 2)
    assert json.loads(out)["rows"] == {"came_back": 0, "gone": 40}
    assert rows_of(lake) == set()
    code, out, _ = run("undo", "--lake", lake)
    assert (code, out.splitlines()[-1][:21]) == (0, "undone in step 3 of t")
    assert "\n  undone: a.txt (25 rows come back)\n  undone: b.txt (15 rows come back)\n" in out
    assert rows_of(lake) == was
    assert run("undo", "--lake", tmp_path / "none")[0] == 2


# --- The command ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("read") / "lake"
    ingest([str(sample(name)) for name in FILES], lake, Options(), jobs=1)
    return lake


@pytest.fixture
def read(ingested: Path, tmp_path: Path) -> Path:
    return shutil.copytree(ingested, tmp_path / "lake")


def test_what_goes_is_told_then_removed(run: Command, read: Path) -> None:
    was, others = (answer_of(read, f"SELECT count(*) FROM {table}")[0][0] for table in (CPU, "rmf_multithreading"))
    code, out, _ = run("remove", "--report", CPU, "--lake", read, "--format", "json")
    told = json.loads(out)
    assert code == 0
    assert (told["dry_run"], told["reports"][CPU]) == (False, was + others)
    assert [(s["path"].rpartition("/")[2], s["removed"]) for s in told["sources"]] == [
        ("cpu_continued_page.txt", "all")
    ]
    assert told["step"] == Ledger(read).state().step
    assert answer_of(read, f"SELECT count(*) FROM {CPU}") == [(0,)]
    code, out, _ = run("remove", "--report", CPU, "--lake", read)
    assert (code, out) == (0, "nothing to remove\n")
    code, out, _ = run("ingest", sample("cpu_continued_page"), "--lake", read)
    assert ": ingested (" in out
    assert answer_of(read, f"SELECT count(*) FROM {CPU}") == [(was,)]


def test_bad_input_is_said_and_changes_nothing(run: Command, read: Path) -> None:
    before = checksum(read)
    for words, messages in (
        ([], ["nothing is selected; expected SOURCE, --before DATE, --report NAME or --expired"]),
        (["nothing.txt"], ["no source in the lake is called nothing.txt", "ingest_file"]),
        (["velocity_gaol.txt"], ["no source in the lake is called velocity_gaol.txt"]),
        (["--before", "yesterday"], ["--before yesterday is not a date; expected a date such as 2026-01-31"]),
        (["--before", "2026-01-31T00:00+01:00"], ["has a time zone"]),
        (["--report", "rmf_cpu"], ["no report is called rmf_cpu", "near names: rmf_cpu_activity"]),
        (["--report", "rmf_workload_goal"], ["is a table of report rmf_workload_activity"]),
    ):
        code, out, err = run("remove", *words, "--lake", read)
        assert (code, out) == (2, "")
        assert all(message in err for message in messages), err
    assert checksum(read) == before
    code, out, err = run("remove", "--before", "2026-01-01", "--lake", read / "none")
    assert (code, out, "no lake in" in err, (read / "none").exists()) == (2, "", True, False)


def test_a_name_of_several_sources_removes_none_of_them(run: Command, tmp_path: Path) -> None:
    """A nightly file has the same name every night."""
    lake, file = tmp_path / "lake", tmp_path / "nightly.txt"
    for name in ("velocity_goal", "k_suffixes"):
        file.write_bytes(sample(name).read_bytes())
        ingest([str(file)], lake, Options(), jobs=1)
    code, _, err = run("remove", "nightly.txt", "--lake", lake)
    assert code == 2
    assert "2 sources in the lake are called nightly.txt:" in err
    ids = [e.source_id for e in Ledger(lake).state().sources.values()]
    assert all(i in err for i in ids)
    code, out, _ = run("remove", ids[0], "--lake", lake)
    assert (code, "; ironlake undo brings the rows back until the next change" in out) == (0, True)
    assert [e.source_id for e in Ledger(lake).state().sources.values() if e.status != "failed"] == ids[1:]


def test_a_lake_to_read_only_has_a_dry_run(run: Command, read: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    for path in (read, read / "_ledger", read / "_tmp"):
        path.chmod(0o555)
    code, out, _ = run("remove", "--before", "2026-01-01", "--lake", read, "--dry-run")
    for path in (read, read / "_ledger", read / "_tmp"):
        path.chmod(0o755)
    assert (code, out.splitlines()[0]) == (0, "would remove:")
