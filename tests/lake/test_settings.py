"""settings.txt of a lake: how long its rows are kept. What is older goes at the end of an ingest, in one step."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.show_history import history_of
from lake_rows import ACTIVITY, MDY, answer_of, entry, write_files
from sample_pages import sample

CPU, NULL = "rmf_cpu_activity", "cell_null"
DAY = timedelta(days=1)
NEWEST = datetime(2026, 3, 10)


def write(lake: Path, name: str, days: list[int], table: str = ACTIVITY) -> None:
    """A source with a row of a table per day before the newest, each on a page with an empty cell."""
    rows = [{"interval_start": NEWEST - (d + 1) * DAY, "interval_end": NEWEST - d * DAY} for d in days]
    nulls = [{"table": table, "column": "x", "reason": "blank", "row_line": 1}] * len(days)
    with Lake(lake) as target:
        write_files(target, {name: {table: rows, NULL: nulls}})


def counts(lake: Path) -> dict[str, int]:
    found = {t: answer_of(lake, f"SELECT count(*) FROM {t}")[0][0] for t in (ACTIVITY, CPU, NULL)}
    return {table: count for table, count in found.items() if count}


def keep(lake: Path, text: str) -> None:
    (lake / "settings.txt").write_text(text)


def expire(lake: Path) -> dict[str, int]:
    with Lake(lake) as target:
        return target.expire().rows_by_report()


def test_settings_are_set_and_all_else_in_the_file_stays(tmp_path: Path, run: Command) -> None:
    write(tmp_path, "old", [0])
    keep(tmp_path, "# ours\nkeep: rmf_workload_activity 2 days, cell_null 9 days # short\n")
    lake = ["--lake", tmp_path]
    code, out, _ = run(
        "settings", "--keep", "rmf_workload_activity=400", "--keep", f"{CPU} = 30", *lake, "--format", "csv"
    )
    assert (code, [line.rsplit(",", 1)[0] for line in out.splitlines()[1:]]) == (
        0, [f"{NULL},9", f"{ACTIVITY},400", f"{CPU},30"],
    )  # fmt: skip
    assert run("settings", "--keep", f"{ACTIVITY}=all", "--keep", f"{NULL}=all", *lake)[0] == 0
    assert (tmp_path / "settings.txt").read_text() == f"# ours\n# short\nkeep: {CPU} 30 days\n"
    for wrong, said in (
        ("x=1", "x cannot be kept for a time"),
        (f"{CPU}=0", "keeps nothing"),
        (CPU, "NAME=DAYS or NAME=all"),
    ):
        code, _, error = run("settings", "--keep", wrong, *lake)
        assert (code, said in error) == (2, True), error
    assert (tmp_path / "settings.txt").read_text().endswith(f"keep: {CPU} 30 days\n")


def test_rows_that_are_older_than_kept_go_in_one_step_and_their_files_stay_known(tmp_path: Path) -> None:
    """The newest interval ended when a day began: of two days, the two last intervals stay, and one that ended as they began goes."""
    write(tmp_path, "old", [5, 4])
    write(tmp_path, "new", [3, 2, 1, 0])
    write(tmp_path, "other", [9], CPU)
    step = Ledger(tmp_path).state().step
    keep(tmp_path, "# a comment\nkeep: rmf_workload_activity 2 days\n")
    assert expire(tmp_path) == {"other": 4, ACTIVITY: 4}
    # The empty cells of a page go with its last row.
    assert counts(tmp_path) == {ACTIVITY: 2, CPU: 1, NULL: 3}
    state = Ledger(tmp_path).state()
    assert state.step == step + 1
    told = history_of(tmp_path, 2).to_pylist()
    assert [(e["action"], e["source_file"], e["rows"]) for e in told] == [("expired", "old.txt", 4), ("expired", "new.txt", 4)]  # fmt: skip
    with Lake(tmp_path) as target:
        assert target.find(entry("old").sha256, MDY)
    assert expire(tmp_path) == {}
    assert Ledger(tmp_path).state().step == step + 1
    with Lake(tmp_path) as target:
        target.undo()
    assert counts(tmp_path) == {ACTIVITY: 6, CPU: 1, NULL: 7}


def test_a_wrong_date_in_the_future_takes_nothing_out(tmp_path: Path) -> None:
    """Measured from the newest interval, but never from later than tomorrow."""
    today = datetime.now(UTC).replace(tzinfo=None)
    write(tmp_path, "good", [(NEWEST - today).days + 1])
    write(tmp_path, "wrong", [-365 * 50])
    keep(tmp_path, "keep: rmf_workload_activity 30 days")
    assert expire(tmp_path) == {}
    assert counts(tmp_path)[ACTIVITY] == 2


def test_a_lake_without_new_reports_keeps_what_it_has(tmp_path: Path) -> None:
    write(tmp_path, "old", [4000, 3999])
    keep(tmp_path, "keep: rmf_workload_activity 2 days, rmf_cpu_activity 1 day")
    assert expire(tmp_path) == {}


def test_what_is_said_about_pages_is_as_old_as_its_ingest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    for name, days in (("old", 12), ("new", 0)):
        monkeypatch.setattr("ironlake.pipeline.lake.ledger._now", lambda d=days: (now - d * DAY).isoformat())
        write(tmp_path, name, [1, 0])
    keep(tmp_path, "keep: cell_null 10 days")
    assert expire(tmp_path) == {"other": 2}
    assert counts(tmp_path) == {ACTIVITY: 4, NULL: 2}
    assert expire(tmp_path) == {}


def test_a_mistake_is_told_before_anything_is_read(run: Command, tmp_path: Path) -> None:
    write(tmp_path, "a", [0])
    step = Ledger(tmp_path).state().step
    commands = [["ingest", sample("velocity_goal")], ["remove", "--expired"]]
    for text, message in (
        ("rmf_workload_activity 400 days", "settings.txt:1: 'rmf_workload_activity 400 days' is not a setting"),
        ("\nkeep: rmf_workload_activity", "settings.txt:2: 'rmf_workload_activity' is not a name and a number of days"),
        ("keep: rmf_workload_activty 4 days", "near names: rmf_workload_activity"),
        ("keep: rmf_workload_goal 4 days", "rmf_workload_goal cannot be kept for a time"),
        ("keep: cell_null 1 day, cell_null 2 days", "cell_null is there twice"),
        ("keep: cell_null 000 days", "settings.txt:1: 'cell_null 000 days' keeps nothing; expected 1 day or more"),
    ):
        keep(tmp_path, text)
        for words in [*commands, ["settings"]]:
            code, _, err = run(*words, "--lake", tmp_path)
            assert (code, message in err) == (2, True), (words, err)
        # Each command once is enough.
        commands.clear()
    assert Ledger(tmp_path).state().step == step


def test_what_is_not_utf_8_is_told_in_plain_words(run: Command, tmp_path: Path) -> None:
    write(tmp_path, "a", [0])
    for text in (b"# caf\xe9\nkeep: cell_null 3 days", "keep: cell_null 3 days".encode("utf-16")):
        (tmp_path / "settings.txt").write_bytes(text)
        code, _, err = run("settings", "--lake", tmp_path)
        assert code == 2
        assert "settings.txt is not in UTF-8; expected a text such as keep: cell_null 30 days" in err
        assert not any(word in err for word in ("codec", "decode", "0xe9"))
    # A byte order mark is no part of the text.
    (tmp_path / "settings.txt").write_bytes(b"\xef\xbb\xbfkeep: cell_null 3 days\r\n")
    shown = json.loads(run("settings", "--lake", tmp_path, "--format", "json")[1])
    assert [(r["keep"], r["days"]) for r in shown] == [(NULL, 3)]


def test_an_ingest_ends_with_it_and_the_commands_show_it(run: Command, tmp_path: Path) -> None:
    write(tmp_path, "a", [3, 2, 1, 0])
    assert "all rows are kept" in run("settings", "--lake", tmp_path)[2]
    keep(tmp_path, "keep: rmf_workload_activity 2 days")
    shown = json.loads(run("settings", "--lake", tmp_path, "--format", "json")[1])
    assert [(r["keep"], r["days"], r["removes_before"][:10]) for r in shown] == [(ACTIVITY, 2, "2026-03-08")]
    before = counts(tmp_path)
    code, out, _ = run("remove", "--expired", "--dry-run", "--lake", tmp_path)
    assert code == 0
    assert out.startswith("would remove:\n")
    assert "a.txt" in out
    assert "sources: 0 whole, 1 in part\n" in out
    assert "intervals: 2 from " in out
    assert "rows: 4 (other 2, rmf_workload_activity 2)" in out
    assert out.endswith("nothing was changed (--dry-run)\n")
    assert counts(tmp_path) == before
    assert run("remove", "--expired", "a.txt", "--lake", tmp_path)[0] == 2
    code, out, _ = run("ingest", sample("cpu_continued_page"), "--lake", tmp_path)
    assert code == 0
    assert "removed rows that are older than the settings keep: other 2, rmf_workload_activity 2" in out
    assert counts(tmp_path)[ACTIVITY] == 2
    assert "nothing to remove" in run("remove", "--expired", "--lake", tmp_path)[1]
