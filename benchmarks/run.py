"""Measures Ironlake against a regex script, in one run on one machine.

Every contender is a process of its own, pinned to a core and held to one thread, in interleaved rounds (A B A B …);
medians count. Ratios are to the regex script on the same input. Figures go to standard output, progress to standard error.

    python -m benchmarks.run --megabytes 200 --rounds 3 --json before.json
    python -m benchmarks.run --scale --megabytes 500
    python -m benchmarks.compare before.json after.json
"""

import argparse
import importlib.util
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .answers import SECTION as ANSWERS
from .answers import Answers, answers_table
from .corpus import SHAPES, write_corpus
from .measure import Result, machine, remove, run, table
from .on_spark import SECTION as ON_SPARK
from .on_spark import SMALLER, SPARK, spark_table
from .scale import Scale, scale_table

SEED = 20210301
OUT = Path(__file__).parent / "out"
# A shipped model, and how many megabytes its reports have.
GENERATED_MODEL, GENERATED_MEGABYTES = "zos_connect", 1.7
IRONLAKE_SCRIPT = Path(sys.executable).with_name("ironlake")
IRONLAKE, IRONLAKE_TWO, SCRIPT = "ironlake", "ironlake, 2 processes", "regex script"
# The section of runs over one interval, which is mostly start and end.
START = "start"


@dataclass(frozen=True)
class Contender:
    """`command` takes the input and a folder to write into; `cores` is how many it is pinned to."""

    name: str
    command: Callable[[Path, Path], list[str]]
    cores: int = 1


def _ironlake(*where: str) -> Callable[[Path, Path], list[str]]:
    def command(source: Path, out: Path) -> list[str]:
        options = ("--lake", str(out), *where, "--format", "json")
        return [str(IRONLAKE_SCRIPT), "ingest", str(source), *options]

    return command


CONTENDERS = {
    contender.name: contender
    for contender in (
        Contender(IRONLAKE, _ironlake("--jobs", "1")),
        Contender(IRONLAKE_TWO, _ironlake("--jobs", "2"), cores=2),
        Contender(SCRIPT, lambda source, out: [sys.executable, "-m", "benchmarks.regex_script", str(out), str(source)]),
    )
}

# Measured with --scale alone: it needs Java.
ON_MANY_MACHINES = {SPARK: Contender(SPARK, _ironlake("--engine", "spark", "--master", "local[2]"), cores=2)}


def json_printed(output: str) -> dict[str, Any]:
    """What a contender says of its run; nothing where it prints no JSON object."""
    try:
        printed = json.loads(output)
    except ValueError:
        return {}
    return printed if isinstance(printed, dict) else {}


def rows_by_table(printed: dict[str, Any]) -> dict[str, int]:
    """Rows written: {"rows": {table: n}}, or a list of "files" with such rows each.

    >>> rows_by_table({"files": [{"rows": {"a": 2}}, {"rows": {"a": 1, "b": 4}}]}), rows_by_table({})
    ({'a': 3, 'b': 4}, {})
    """
    total: Counter[str] = Counter()
    for file in printed.get("files", [printed]):
        total.update(file.get("rows") or {})
    return dict(total)


def not_done(printed: dict[str, Any]) -> str:
    """Why a run that ended well still does not count: it read nothing, or not every file.

    >>> not_done({}), not_done({"rows": {"a": 1}}), not_done({"files": [{"status": "failed", "error": "not text"}]})
    ('says of no row that it read it', '', 'failed: not text')
    """
    for file in printed.get("files", ()):
        if file.get("status") != "ingested":
            return f"{file.get('status')}: {file.get('error') or file.get('path')}"
    return "" if rows_by_table(printed) else "says of no row that it read it"


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    return sum(p.stat().st_size for p in path.iterdir()) if path.is_dir() else path.stat().st_size


class Run:
    """The measurements, in the order in which they are printed. `cores` are those that this process may use."""

    def __init__(self, out: Path, rounds: int, cores: Sequence[int]):
        self.out, self.rounds, self.cores = out, rounds, cores
        self.results: list[Result] = []

    def corpus(self, shape: str, megabytes: float) -> Path:
        """Writes the pages of a shape anew and returns the file or folder."""
        path = self.out / f"{shape}_{megabytes:g}mb{'' if shape == 'many_small_files' else '.txt'}"
        remove(path)
        progress(f"writing {path.name}")
        write_corpus(path, shape, megabytes, SEED)
        return path

    def measure(self, section: str, shape: str, inputs: dict[str, Path], rounds: int | None = None) -> list[Result]:
        """Interleaved rounds of the contenders named in `inputs`, each on its input."""
        found = [Result(section, name, shape, size_of(path)) for name, path in inputs.items()]
        for number in range(rounds or self.rounds):
            for result in found:
                if not result.failure:
                    progress(f"{section}: {result.name} on {inputs[result.name].name}, round {number + 1}")
                    self._once((CONTENDERS | ON_MANY_MACHINES)[result.name], inputs[result.name], result)
        self.results += found
        return found

    def _once(self, contender: Contender, source: Path, result: Result) -> None:
        if contender.cores > len(self.cores):
            result.failure = f"needs {contender.cores} cores"
            return
        with tempfile.TemporaryDirectory(dir=self.out) as folder:
            lake = Path(folder) / "lake"
            sample = run(contender.command(source, lake), set(self.cores[: contender.cores]), self.out)
        printed = json_printed(sample.output)
        result.add(sample, rows_by_table(printed), not_done(printed))

    def generated(self, megabytes: float) -> list[Result]:
        """Reports of a shipped model: how fast they are printed on two cores, and how fast they are read."""
        folder = self.out / f"generated_{megabytes:g}mb"
        command = [str(IRONLAKE_SCRIPT), "generate", GENERATED_MODEL, "--out", str(folder), "--scale"]
        result = Result("generated", "ironlake generate", GENERATED_MODEL, 0)
        scale = max(1, round(megabytes / GENERATED_MEGABYTES))
        for number in range(self.rounds):
            remove(folder)
            progress(f"generated: round {number + 1}")
            result.add(run([*command, str(scale)], set(self.cores[:2]), self.out), {})
        self.results.append(result)
        if result.failure:
            return [result]
        result.bytes = size_of(folder)
        for path in (*folder.glob("*.yaml"), *folder.glob("*_simulator.txt")):
            path.unlink()
        return [result, *self.measure("generated", GENERATED_MODEL, {IRONLAKE_TWO: folder}, rounds=1)]


def progress(text: str) -> None:
    print(f"  … {text}", file=sys.stderr, flush=True)


# --- Printing -----------------------------------------------------------------------------------------------------


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f}" if size > 10e6 else f"{size / 1e6:.1f}"


def throughput_table(results: Sequence[Result]) -> str:
    """MB/s, rows/s, seconds, peak memory, and the ratio to the regex script on the same shape."""
    base = {r.shape: r.megabytes_per_s for r in results if r.name == SCRIPT and r.wall_s}
    rows = [["", "shape", "MB", "MB/s", "rows/s", "wall s", "CPU s", "peak MB", "to script"]]
    for r in results:
        if r.failure or not r.wall_s:
            rows.append([r.name, r.shape, _megabytes(r.bytes), r.failure or "no sample", "", "", "", "", ""])
            continue
        ratio = f"{r.megabytes_per_s / base[r.shape]:.2f}" if base.get(r.shape) else ""
        rate = f"{r.rows / r.wall:,.0f}" if r.rows else ""
        peak = max(r.peak_bytes) / 1e6
        speed = [_megabytes(r.bytes), f"{r.megabytes_per_s:.1f}", rate, f"{r.wall:.2f}", f"{r.cpu:.2f}", f"{peak:.0f}"]
        rows.append([r.name, r.shape, *speed, ratio])
    return table(rows)


def processor_ratios(results: Sequence[Result]) -> dict[tuple[str, str], tuple[float, float]]:
    """Processor time of the script over that of a contender, by name and shape: of the whole run, and of what is beyond the start, as
    a larger file would have it. Unlike wall time it hardly depends on what else the machine does."""
    good = [r for r in results if r.wall_s and not r.failure and r.bytes]
    start = {r.name: r.cpu for r in good if r.section == START}
    scripts = {(r.section, r.shape): r.cpu for r in good if r.name == SCRIPT and r.section != START}
    return {
        (r.name, r.shape): (script / r.cpu, (script - start[SCRIPT]) / (r.cpu - start[r.name]))
        for r in good
        if r.name in start
        and r.name != SCRIPT
        and (script := scripts.get((r.section, r.shape)))
        and r.cpu > start[r.name]
    }


def processor_table(results: Sequence[Result]) -> str:
    """Processor time against the script, and the start apart."""
    rows = [["processor time", "shape", "to script", "beyond start"]]
    rows += [[name, shape, *(f"{r:.2f}" for r in both)] for (name, shape), both in processor_ratios(results).items()]
    start = [f"{r.name} {r.cpu:.2f} s" for r in results if r.section == START and r.wall_s]
    return f"{table(rows)}\nstart, of one interval: {', '.join(start)}"


def row_differences(results: Sequence[Result]) -> list[str]:
    """Where Ironlake and the regex script find another number of rows in the same pages: a figure to doubt. Damaged
    pages are left out: there each loses other rows."""
    out = []
    scripts = {(r.section, r.shape): r.tables for r in results if r.name == SCRIPT}
    for r in results:
        tables = scripts.get((r.section, r.shape))
        if r.name in (IRONLAKE, IRONLAKE_TWO) and tables and r.tables and r.shape != "dense_rejects":
            for name, rows in tables.items():
                if r.tables.get(name, 0) != rows:
                    out.append(
                        f"{r.shape}: {name} has {r.tables.get(name, 0)} rows by {r.name}, {rows} by the {SCRIPT}"
                    )
    return out


def ratios(results: Sequence[Result]) -> dict[str, float]:
    """Every figure that does not depend on the machine's speed, by name: what compare.py compares."""
    out: dict[str, float] = {}
    good = [r for r in results if r.wall_s and not r.failure]
    speed = {(r.section, r.name, r.shape): r.megabytes_per_s for r in good}
    for (section, name, shape), value in speed.items():
        base = speed.get((section, SCRIPT, shape))
        if base and name != SCRIPT:
            out[f"{name} / {SCRIPT} ({shape})"] = value / base
        if name == IRONLAKE_TWO and (one := speed.get((section, IRONLAKE, shape))):
            out[f"two processes / one ({shape})"] = value / one
    for (name, shape), (whole, beyond) in processor_ratios(results).items():
        out[f"{name} / {SCRIPT}, processor time ({shape})"] = whole
        out[f"{name} / {SCRIPT}, processor time beyond start ({shape})"] = beyond
    sizes = sorted((r for r in good if r.section == "linearity" and r.name == IRONLAKE), key=lambda r: r.bytes)
    if len(sizes) > 1:
        growth = sizes[-1].bytes / sizes[0].bytes
        out[f"seconds of {growth:.1f} times the input / seconds"] = sizes[-1].wall / sizes[0].wall
    return out


# Seconds that an answer may take, by command and lake.
_ASKED_S = {
    (f"{IRONLAKE} --help", "no lake"): 0.3,
    (f"{IRONLAKE} SELECT * EXCLUDE (refs) FROM cpu_by_class", "demo"): 0.5,
    (f"{IRONLAKE} check", "demo"): 3.0,
    (f"{IRONLAKE} SELECT * EXCLUDE (refs) FROM cost_per_request", "10 million rows"): 2.0,
}


def goals(results: Sequence[Result], found: dict[str, float]) -> str:
    """The measures that Ironlake must reach, beside what was found."""
    main = [r for r in results if r.section == "throughput" and r.name == IRONLAKE and r.wall_s]
    rows = [["goal", "asked", "found"]]
    if main:
        rows.append(["MB/s on one core", "30", f"{main[0].megabytes_per_s:.1f}"])
    for name, key, asked in (
        ("times the regex script", f"{IRONLAKE} / {SCRIPT} (mixed)", "1.00"),
        ("two processes over one", "two processes / one (mixed)", "1.70"),
    ):
        if key in found:
            rows.append([name, asked, f"{found[key]:.2f}"])
    peaks = [max(r.peak_bytes) / 1e6 for r in results if r.name.startswith(IRONLAKE) and r.bytes and r.peak_bytes]
    if peaks:
        rows.append(["peak MB of a process, any input", "< 600", f"{max(peaks):.0f}"])
    for r in results:
        if r.name == "ironlake generate" and r.wall_s:
            rows.append(["MB/s of ironlake generate, two cores", "100", f"{r.megabytes_per_s:.0f}"])
        if r.section == ANSWERS and r.wall_s and (asked := _ASKED_S.get((r.name, r.shape))):
            rows.append([f"seconds: {r.name}, {r.shape}", f"< {asked:.2f}", f"{r.wall:.2f}"])
    return table(rows) if len(rows) > 1 else ""


def machine_text(facts: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    return (
        f"{facts['processor']}; cores {','.join(map(str, facts['cores']))}; {facts['memory_gb']} GB; {facts['system']}; "
        f"load {facts['load_at_start']} at the start\nPython {facts['python']}, {versions}"
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--megabytes", type=float, default=200, help="size of the main corpus (200)")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds (3)")
    parser.add_argument("--shapes", default=",".join(s for s in SHAPES if s != "mixed"), help="further shapes, or none")
    parser.add_argument(
        "--study-rows", type=int, default=10_000_000, help="rows of the large lake that is asked (10000000), or 0"
    )
    parser.add_argument(
        "--scale", action="store_true", help="only what one machine does not hold: questions by shards, ingest on Spark"
    )
    parser.add_argument("--answers", action="store_true", help="only what people wait for: queries, check, compare")
    parser.add_argument(
        "--against", type=Path, metavar="IRONLAKE", help="time another ironlake's answers in turns with these"
    )
    parser.add_argument("--large", action="store_true", help="also 2 GB, once, for the memory that it takes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--out", type=Path, default=OUT, help="where the corpus is written (benchmarks/out)")
    given = parser.parse_args()
    given.shapes = [s for s in given.shapes.split(",") if s not in ("", "none")]
    if unknown := set(given.shapes) - set(SHAPES):
        parser.error(f"unknown shape {', '.join(sorted(unknown))}; expected some of {', '.join(SHAPES)}")
    if given.megabytes <= 0 or given.rounds < 1:
        parser.error("--megabytes and --rounds must be more than 0")
    return given


def main() -> None:
    """Writes the corpus, measures, prints the figures."""
    given = arguments()
    given.out.mkdir(parents=True, exist_ok=True)
    facts = machine()
    if not IRONLAKE_SCRIPT.exists():
        sys.exit("ironlake is not installed here; make .venv/.installed does it")
    measured = Run(given.out, given.rounds, facts["cores"])
    print(machine_text(facts), "\n", sep="")
    if given.answers or given.scale:
        if given.answers:
            _print_answers(measured, given)
        if given.scale:
            _print_scale(measured, given)
            _print_spark(measured, given)
        _save(given.json, facts, {}, measured.results)
        return

    mixed = measured.corpus("mixed", given.megabytes)
    shown = measured.measure("throughput", "mixed", dict.fromkeys(CONTENDERS, mixed))
    print(f"Throughput, medians of {given.rounds} interleaved rounds\n{throughput_table(shown)}\n", flush=True)

    measured.measure(START, "one interval", dict.fromkeys((IRONLAKE, SCRIPT), measured.corpus("one_layout", 0.001)))
    shapes = []
    for shape in given.shapes:
        path = measured.corpus(shape, given.megabytes / 4)
        shapes += measured.measure("shapes", shape, dict.fromkeys((IRONLAKE, SCRIPT), path))
    if shapes:
        print(f"Shapes\n{throughput_table(shapes)}\n", flush=True)
    print(f"{processor_table(measured.results)}\n", flush=True)

    generated = measured.generated(given.megabytes)
    print(f"Reports of a workload model: printed, and read\n{throughput_table(generated)}\n", flush=True)

    sizes = []
    for path in (measured.corpus("mixed", given.megabytes / 4), mixed):
        sizes += measured.measure("linearity", path.stem, {IRONLAKE: path})
    if given.large:
        sizes += measured.measure("linearity", "2 GB", {IRONLAKE: measured.corpus("mixed", 2000)}, rounds=1)
    print(f"Size: is the cost linear and the memory bounded?\n{throughput_table(sizes)}\n", flush=True)

    _print_answers(measured, given)

    for difference in row_differences(measured.results):
        print(difference)
    found = ratios(measured.results)
    print(table([["ratio", "value"], *([name, f"{value:.2f}"] for name, value in found.items())]))
    if text := goals(measured.results, found):
        print("\n" + text)
    _save(given.json, facts, found, measured.results)


def _print_answers(measured: Run, given: argparse.Namespace) -> None:
    programs = {IRONLAKE: IRONLAKE_SCRIPT} | ({"the other": given.against} if given.against else {})
    found = Answers(programs, given.out, given.rounds, set(measured.cores[:2]), progress).all(given.study_rows)
    measured.results += found
    print(f"Answers, medians of {given.rounds} rounds in turns\n{answers_table(found)}\n", flush=True)


def _print_scale(measured: Run, given: argparse.Namespace) -> None:
    asked = Scale(IRONLAKE_SCRIPT, given.out, given.rounds, set(measured.cores[:2]), progress)
    if given.study_rows:
        measured.results += asked.shards(given.study_rows)
    print(f"Beyond memory, medians of {given.rounds} rounds in turns\n{scale_table(measured.results)}\n", flush=True)


def _print_spark(measured: Run, given: argparse.Namespace) -> None:
    if not (shutil.which("java") and importlib.util.find_spec("pyspark")):
        print("no Java or no PySpark here: ingest on Spark is not measured\n", flush=True)
        return
    found = []
    for megabytes in (given.megabytes / SMALLER, given.megabytes):
        path = measured.corpus("mixed", megabytes)
        found += measured.measure(ON_SPARK, path.stem, dict.fromkeys((IRONLAKE_TWO, SPARK), path))
    print(f"{throughput_table(found)}\n\n{spark_table(found, IRONLAKE_TWO)}\n", flush=True)


def _save(path: Path | None, facts: dict[str, Any], found: dict[str, float], results: Sequence[Result]) -> None:
    if path:
        text = json.dumps({"machine": facts, "ratios": found, "results": [r.as_json() for r in results]}, indent=1)
        path.write_text(text + "\n")
        progress(f"wrote {path}")


if __name__ == "__main__":
    main()
