"""What people wait for: commands over the lake of the demo, and over one of millions of rows, on two cores.

With a second `ironlake`, of another checkout, each command is run by both in turns, over the same lakes.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .measure import Result, remove, run, table

SECTION = "answers"
STUDY_FILE = Path(__file__).parent.parent / "sample_reports" / "studies" / "zos_connect" / "studies.yaml"
OVER_NO_LAKE = {"--help": ["--help"]}


def _sql(*queries: str) -> dict[str, list[str]]:
    return {query: ["sql", query, "--format", "csv"] for query in queries}


def _view(name: str) -> str:
    return f"SELECT * EXCLUDE (refs) FROM {name}"


# {page} is a file to write.
OVER_THE_DEMO = {
    **_sql("SELECT 1", *map(_view, ("cpu_by_class", "cost_change", "configuration_cost", "finding"))),
    "describe": ["describe"],
    "describe cpu_by_class": ["describe", "cpu_by_class"],
    "study check": ["study", "check", str(STUDY_FILE)],
    "study show": ["study", "show"],
    "compare": ["compare", str(STUDY_FILE), "--out", "{page}"],
    "check": ["check"],
}
OVER_MANY_ROWS = {
    **_sql(
        "SELECT count(*) FROM rmf_workload_activity",
        "SELECT * FROM rmf_workload_activity WHERE interval_start BETWEEN '2021-06-01 00:00' AND '2021-06-01 04:00'",
        _view("cost_per_request"),
    ),
    "describe": ["describe"],
    "study show": ["study", "show"],
    "check": ["check"],
}


@dataclass(frozen=True)
class Answers:
    """`programs` are the commands `ironlake` by the name that the figures have; `cores` are those that they are pinned to."""

    programs: dict[str, Path]
    out: Path
    rounds: int
    cores: set[int]
    progress: Callable[[str], None]

    def all(self, rows: int) -> list[Result]:
        """Every command `rounds` times by each program; 0 rows leave the large lake out."""
        demo, large = self.out / "demo", self.out / f"study_{rows}"
        first = next(iter(self.programs.values()))
        found = self._ask(OVER_NO_LAKE, "no lake", None)
        found += self._over(OVER_THE_DEMO, "demo", demo / "lake", [first, "demo", "--out", demo])
        if rows:
            made = [sys.executable, "-m", "benchmarks.study", large, rows]
            found += self._over(OVER_MANY_ROWS, f"{rows / 1e6:g} million rows", large, made)
        return found

    def _over(self, commands: dict[str, list[str]], lake: str, path: Path, make: Sequence[object]) -> list[Result]:
        remove(path)
        self.progress(f"writing {path}")
        made = run(make, None, self.out)
        if made.exit_code:
            failed = Result(SECTION, "making the lake", lake, 0)
            failed.add(made, {})
            return [failed]
        found = self._ask(commands, lake, path)
        remove(path)
        return found

    def _ask(self, commands: dict[str, list[str]], lake: str, path: Path | None) -> list[Result]:
        where = ["--lake", str(path)] if path else []
        page = str(self.out / "answer.html")
        found = {
            (name, program): Result(SECTION, f"{program} {name}", lake, 0)
            for name in commands
            for program in self.programs
        }
        for number in range(self.rounds):
            for (name, program), result in found.items():
                self.progress(f"{lake}: {result.name}, round {number + 1}")
                words = [word.replace("{page}", page) for word in commands[name]]
                result.add(run([self.programs[program], *words, *where], self.cores, self.out), {})
        return list(found.values())


def answers_table(results: Sequence[Result]) -> str:
    """Medians of wall and processor seconds, and the largest resident set."""
    rows = [["", "lake", "wall s", "CPU s", "peak MB"]]
    for r in results:
        if r.failure or not r.wall_s:
            rows.append([r.name, r.shape, r.failure or "not run", "", ""])
        else:
            rows.append([r.name, r.shape, f"{r.wall:.2f}", f"{r.cpu:.2f}", f"{max(r.peak_bytes) / 1e6:.0f}"])
    return table(rows)
