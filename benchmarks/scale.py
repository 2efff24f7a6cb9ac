"""Questions over more rows than fit into memory: made whole, and made by shards (`ironlake sql --jobs`), in turns over one lake.

python -m benchmarks.run --scale --rounds 3
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .measure import Result, remove, run, table

SECTION = "scale"
WHOLE = "whole"
BY_SHARDS = "--jobs 1 --memory 2GB"
QUESTION = """
SELECT class_kind, service_class, report_class, count(*) AS intervals, sum(cpu_pct * interval_s) AS cpu, sum(non_ziip_eligible_pct * interval_s) AS other,
    sum(cpu_ms_per_transaction * transactions_ended) AS cpu_ms, sum(cpu_normalized_pct) AS normalized
FROM cpu_by_class GROUP BY ALL ORDER BY ALL
"""
# Of a row of Workload Activity with all that is made of it, in one session: measured.
_BYTES_A_ROW = 2_500


@dataclass(frozen=True)
class Scale:
    """`ironlake` is the command; `cores` are those that it is pinned to."""

    ironlake: Path
    out: Path
    rounds: int
    cores: set[int]
    progress: Callable[[str], None]

    def shards(self, rows: int) -> list[Result]:
        """The same question whole and by shards. The whole is left out where the machine has not the memory for it."""
        lake, shape = self.out / f"scale_{rows}", f"{rows / 1e6:g} million rows"
        found = [Result(SECTION, name, shape, 0) for name in (WHOLE, BY_SHARDS, "--jobs 2 --memory 2GB")]
        remove(lake)
        self.progress(f"writing {lake}")
        made = run([sys.executable, "-m", "benchmarks.study", lake, rows], None, self.out)
        if made.exit_code:
            found[0].add(made, {})
            return found[:1]
        if (needed := rows * _BYTES_A_ROW) > _free_bytes():
            found[0].failure = f"needs about {needed / 1e9:.0f} GB of free memory"
        answers: dict[str, str] = {}
        for number in range(self.rounds):
            for result in found:
                if not result.failure:
                    self.progress(f"{shape}: {result.name}, round {number + 1}")
                    options = [] if result.name == WHOLE else result.name.split()
                    sample = run(
                        [self.ironlake, "sql", QUESTION, "--format", "csv", "--lake", lake, *options],
                        self.cores,
                        self.out,
                    )
                    rounded = _rounded(sample.output)
                    differs = answers.setdefault("rows", rounded) != rounded
                    result.add(sample, {}, "answers otherwise" if differs and not sample.exit_code else "")
        remove(lake)
        return found


def _free_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _rounded(answer: str) -> str:
    """Sums depend on the order of their terms in the last digits."""
    return "\n".join(",".join(map(_cell, line.split(","))) for line in answer.splitlines())


def _cell(text: str) -> str:
    try:
        return f"{float(text):.9g}"
    except ValueError:
        return text


def scale_table(results: Sequence[Result]) -> str:
    """Medians of wall and processor seconds, the largest resident set, and processor seconds against the whole question."""
    whole = {r.shape: r.cpu for r in results if r.name == WHOLE and r.wall_s and not r.failure}
    rows = [["cpu_by_class", "lake", "wall s", "CPU s", "peak MB", "CPU to whole"]]
    for r in results:
        if r.failure or not r.wall_s:
            rows.append([r.name, r.shape, r.failure or "not run", "", "", ""])
        else:
            ratio = f"{r.cpu / whole[r.shape]:.2f}" if r.shape in whole else ""
            rows.append([r.name, r.shape, f"{r.wall:.1f}", f"{r.cpu:.1f}", f"{max(r.peak_bytes) / 1e6:.0f}", ratio])
    return table(rows)
