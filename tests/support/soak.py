"""The long forms of the tests of faults and hostile input, until the time is over: `python tests/support/soak.py MINUTES [SEED]`.

In turns: ingests killed at random moments, lakes on disks that fail, every sample cut at every byte, damaged pages, damaged pages held
against whole ones, a coverage-guided fuzzer, and hostile queries and study files. Prints the counts as JSON; what failed lies in
build/soak, and the exit code is 1.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from random import Random

import hostile
from damage_oracle import Sweep, describe, is_silent
from hostile_inputs import KINDS
from ironlake.pipeline.errors import IronlakeError
from judged_inputs import judge, tried
from killing import SMALL, killed
from page_variants import line_ends, read_variants, whole, wrong_values
from sample_pages import PUBLISHED, options_of, sample, sample_files
from simulated_lake import walk

FAILED = Path("build/soak").absolute()
# Seconds of each turn.
_KILLS_A_TURN = 10
_STEPS_A_TURN = 500
_TRIED = 60
_COMPARED = 60
_CUT = 60
_FUZZED = 90
_HOSTILE = 60


class Soak:
    """The trials so far, and what was wrong."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._cuts = self._every_cut()

    def fail(self, what: str, data: bytes = b"") -> None:
        FAILED.mkdir(parents=True, exist_ok=True)
        self.wrong.append(what)
        (FAILED / f"{len(self.wrong)}.txt").write_bytes(data)
        print(f"WRONG: {what}; {FAILED}/{len(self.wrong)}.txt", file=sys.stderr, flush=True)

    def kills(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            files = [sample(name) for name in SMALL]
            found = killed(Path(folder), files, _KILLS_A_TURN, self.random.randrange(1 << 30), timeout=900)
        self.counts["kills"] += found["kills"]
        self.counts["kills after a commit"] += found["committed"]
        for what in found["wrong"]:
            self.fail(what)

    def failing_disks(self) -> None:
        seed = self.random.randrange(1 << 30)
        try:
            found = walk(_STEPS_A_TURN, seed)
        except AssertionError as error:
            self.fail(f"lake on a failing disk, {error}")
            return
        self.counts["steps on failing disks"] += found["steps"]
        self.counts["lakes that said that they are damaged"] += sum(
            n for k, n in found.items() if k.endswith(": damaged")
        )

    def damaged_pages(self, until: float) -> None:
        for data in tried(sample_files(), self.random):
            self.counts["damaged pages"] += 1
            if what := judge(data):
                self.fail(what, data)
            if time.monotonic() > until:
                return

    @cached_property
    def _sweep(self) -> Sweep:
        return Sweep([*sample_files(), *PUBLISHED])

    def compared_pages(self, until: float) -> None:
        """Damaged pages that store another value than the whole page prints, in silence, though it could be told."""
        while time.monotonic() < until:
            for case, faults in self._sweep.run(100, self.random.randrange(1 << 30)):
                self.counts["damaged pages held against whole ones"] += 1
                for fault in [fault for fault in faults if is_silent(fault)][:1]:
                    self.fail(describe(case, fault), case.damaged.text.encode())

    def _every_cut(self) -> Iterator[None]:
        """Every sample cut at every byte: no value that the whole page does not have, but on a line that a reject tells."""
        while True:
            paths = sample_files()
            self.random.shuffle(paths)
            for path in paths:
                text = path.read_text()
                ends = set(line_ends(text))
                for begin in range(0, len(text), 300):
                    places = range(begin, min(begin + 300, len(text)))
                    try:
                        readings = read_variants([text[:place] for place in places], options_of(path))
                    except IronlakeError:
                        continue  # the first bytes of a file may look like anything
                    for place, after in zip(places, readings, strict=True):
                        self.counts["cuts"] += 1
                        last = text.count("\n", 0, place) + 1
                        # A cell that the whole page has wrong may be misprinted so that its beginning fills its field.
                        told = last in after.rejected_lines | whole(path).rejected_lines
                        if place in ends or not told:
                            for what in wrong_values(whole(path), after)[:1]:
                                self.fail(f"{path.stem} cut at {place}: {what}", text[:place].encode())
                    yield
                self.counts["samples cut at every byte"] += 1

    def cuts(self, until: float) -> None:
        while time.monotonic() < until:
            next(self._cuts)

    def fuzz(self, seconds: int) -> None:
        corpus = Path("build/soak_corpus").absolute()
        program = [sys.executable, str(Path(__file__).parent / "fuzz.py"), str(corpus), f"-max_total_time={seconds}"]
        options = ["-print_final_stats=1", f"-seed={self.random.randrange(1, 1 << 30)}", f"-artifact_prefix={corpus}_"]
        done = subprocess.run([*program, *options], capture_output=True, text=True, check=False, errors="replace")
        if units := re.search(r"number_of_executed_units: (\d+)", done.stderr):
            self.counts["inputs of the fuzzer"] += int(units[1])
        if edges := re.findall(r"cov: (\d+)", done.stderr):
            self.counts["branches that the fuzzer reached"] = max(
                int(edges[-1]), self.counts["branches that the fuzzer reached"]
            )
        if done.returncode:
            found = re.search(r"Test unit written to (\S+)", done.stderr)
            said = re.search(r"AssertionError: (.*)", done.stderr)
            what = said[1] if said else done.stderr[-300:]
            self.fail(f"fuzzer: {what}", Path(found[1]).read_bytes() if found else b"")

    def hostile(self, name: str, seconds: float) -> None:
        found = hostile.tried(name, seconds, self.random.randrange(1 << 30), FAILED)
        self.counts[f"hostile {name}"] += found["inputs"]
        self.counts["queries that did not stop at once"] += found["interrupted for good"]
        for what, data in found["wrong"]:
            self.fail(what, data)


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % (1 << 30)
    began = time.monotonic()
    end = began + 60 * minutes
    soak = Soak(seed)
    while (now := time.monotonic()) < end:
        left = end - now
        soak.kills()
        soak.failing_disks()
        soak.cuts(min(end, time.monotonic() + min(_CUT, left / 4)))
        soak.damaged_pages(min(end, time.monotonic() + min(_TRIED, left / 4)))
        soak.compared_pages(min(end, time.monotonic() + min(_COMPARED, left / 4)))
        soak.fuzz(int(max(1, min(_FUZZED, left / 4))))
        for name in KINDS:
            soak.hostile(name, max(1, min(_HOSTILE, left / 6)))
        told = ", ".join(f"{n:,} {name}" for name, n in soak.counts.items())
        print(
            f"{(time.monotonic() - began) / 60:.1f} min: {told}; {len(soak.wrong)} wrong", file=sys.stderr, flush=True
        )
    took = round((time.monotonic() - began) / 60, 1)
    print(json.dumps({"minutes": took, "seed": seed, **soak.counts, "wrong": soak.wrong}, indent=2))
    return int(bool(soak.wrong))


if __name__ == "__main__":
    sys.exit(main())
