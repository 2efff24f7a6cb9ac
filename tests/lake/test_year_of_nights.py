"""A year with one lake: reports come every sixth night, and some are corrected, removed, taken back, given twice, or read by an ingest
that is killed. Old ones are removed by command, and from the middle of the year by the settings of the lake. In the end the lake answers as
one that was built from the final set of reports."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
from command_line import Command
from ironlake.pipeline import open_lake
from killing import halves, rows_of
from sample_pages import sample

FIRST = dt.date(2025, 1, 1)
KEPT, KEPT_XCF = dt.timedelta(days=120), dt.timedelta(days=60)
# From this day on the lake removes by itself what is older.
BY_SETTINGS = dt.date(2025, 7, 1)
SETTINGS = f"""# for a year's half
keep: rmf_workload_activity {KEPT.days} days, cell_null 400 days
keep: rmf_xcf_activity {KEPT_XCF.days} days
"""
LAKE = Path("lake")
# What people ask of a lake.
QUESTIONS = (
    "SELECT * FROM cpu_by_class ORDER BY ALL",
    "SELECT * FROM report_coverage ORDER BY ALL",
    "SELECT * FROM conflicting_intervals ORDER BY ALL",
    "SELECT * FROM finding ORDER BY ALL",
    "SELECT source_file, rejects, suspect_pages FROM ingest_file WHERE status = 'ingested' ORDER BY ALL",
)


@dataclass
class Nights:
    """A lake that is fed every night, and the reports that it should hold: number of ended transactions by file name."""

    run: Command
    random: Random
    expected: dict[str, int] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)

    def ingest(self, name: str, *options: str) -> None:
        code, out, err = self.run("ingest", name, "--lake", LAKE, "--jobs", 1, *options)
        assert code == 0, (name, out, err)

    def night(self, day: dt.date) -> None:
        name, ended = f"night-{day}.txt", self.random.randrange(1000, 10_000)
        write(name, day, ended)
        if day >= BY_SETTINGS and not self.done["settings"]:
            (LAKE / "settings.txt").write_text(SETTINGS)
            self.done["settings"] += 1
        if self.random.random() < 0.22:
            self.killed_ingest(name)
        self.ingest(name)
        self.expected[name] = ended
        if self.done["settings"]:
            self.expire(day)
        for number, (chance, happens) in enumerate(
            (
                (0.18, self.correct),
                (0.14, self.remove),
                (0.14, self.take_back),
                (0.14, self.give_twice),
            )
        ):
            if len(self.expected) > number and self.random.random() < chance:
                happens(day)
                self.done[happens.__name__] += 1
        if day.day <= 6 and not self.done["settings"]:
            self.prune(day)

    def killed_ingest(self, name: str) -> None:
        """An ingest that is killed at a random moment."""
        command = [
            sys.executable,
            "-m",
            "ironlake.pipeline.cli.main",
            "ingest",
            name,
            "--lake",
            str(LAKE),
            "--jobs",
            "1",
        ]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(self.random.uniform(0.05, 1.0))
            process.kill()
        self.done["killed" if process.returncode else "killed too late"] += 1

    def correct(self, day: dt.date) -> None:
        """The report of an earlier night comes again, with other numbers."""
        old = self.random.choice(list(self.expected))
        wrong = dt.date.fromisoformat(old[6:16])
        name, ended = f"{old[:16]}-corrected-{day}.txt", self.random.randrange(1000, 10_000)
        write(name, wrong, ended)
        self.ingest(name, "--replace")
        del self.expected[old]
        self.expected[name] = ended

    def remove(self, _day: dt.date) -> None:
        name = self.random.choice(list(self.expected))
        code, out, err = self.run("remove", name, "--lake", LAKE)
        assert code == 0, (out, err)
        del self.expected[name]

    def take_back(self, day: dt.date) -> None:
        """A wrong file is ingested, and its ingest undone."""
        name = f"mistake-{day}.txt"
        write(name, day, 4711)
        self.ingest(name)
        code, out, err = self.run("undo", "--lake", LAKE)
        assert code == 0, (out, err)

    def give_twice(self, _day: dt.date) -> None:
        self.ingest(self.random.choice(list(self.expected)))

    def prune(self, day: dt.date) -> None:
        """What is older than the days that are kept goes."""
        first = day - KEPT
        code, out, err = self.run("remove", "--before", first, "--lake", LAKE)
        assert code == 0, (out, err)
        self.expire(day)

    def expire(self, day: dt.date) -> None:
        """Expect no report that is older than the days that are kept."""
        left = {n: e for n, e in self.expected.items() if dt.date.fromisoformat(n[6:16]) >= day - KEPT}
        self.done["expired"] += len(self.expected) - len(left) if self.done["settings"] else 0
        self.expected = left


def write(name: str, day: dt.date, ended: int) -> None:
    """The report of a night: a service class with so many ended transactions (four digits), and traffic of XCF members."""
    workload = sample("velocity_goal").read_text().replace("DATE 09/20/2016", f"DATE {day:%m/%d/%Y}")
    traffic = sample("xcf_members").read_text().replace("DATE 05/14/2024", f"DATE {day:%m/%d/%Y}")
    Path(name).write_text(workload.replace("ENDED     1844", f"ENDED     {ended}") + traffic)


def answers(lake: Path) -> Iterator[tuple[str, Any]]:
    with open_lake(lake) as opened:
        for question in QUESTIONS:
            yield question, opened.sql(question).arrow().to_pylist()


@pytest.mark.slow
def test_a_lake_after_a_year_answers_as_one_built_from_the_final_reports(
    tmp_path: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nights = Nights(run, Random(2025))
    days = [FIRST + dt.timedelta(days=number) for number in range(0, 365, 6)]
    for day in days:
        nights.night(day)
    last = days[-1]
    assert nights.done["expired"] > 20
    # What the lake keeps is counted from it.
    assert any(name.startswith(f"night-{last}") for name in nights.expected)
    assert all(nights.done[what] >= 5 for what in ("killed", "correct", "remove", "take_back", "give_twice"))

    for _ in range(2):
        code, out, err = run("ingest", *nights.expected, "--lake", "final", "--jobs", 1)
        assert code == 0, (out, err)
        (Path("final") / "settings.txt").write_text(SETTINGS)
    assert halves(LAKE) == []
    assert rows_of(LAKE) == rows_of(Path("final"))
    assert dict(answers(LAKE)) == dict(answers(Path("final")))
    with open_lake(LAKE) as opened:
        printed = opened.sql("SELECT source_file, transactions_ended FROM rmf_workload_activity").fetchall()
        oldest = opened.sql("SELECT CAST(min(interval_start) AS DATE) FROM rmf_xcf_member").fetchall()
    assert dict(printed) == nights.expected
    assert last - KEPT_XCF <= oldest[0][0] < last - KEPT_XCF + dt.timedelta(days=12)
    assert run("check", "--lake", LAKE)[0] == 0
