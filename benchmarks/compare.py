"""Says how each ratio moved between two runs of the benchmark.

python -m benchmarks.compare before.json after.json
"""

import json
import sys
from pathlib import Path
from typing import Any


def load(path: str) -> dict[str, Any]:
    """A run as benchmarks.run wrote it with --json; ends the program with a message for anything else."""
    try:
        run = json.loads(Path(path).read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: {error}; expected a file that python -m benchmarks.run --json wrote")
    if not isinstance(run, dict) or not {"machine", "ratios", "results"} <= run.keys():
        sys.exit(f"{path}: not a run of the benchmark; expected a file that python -m benchmarks.run --json wrote")
    return run


def changes(before: dict[str, float], after: dict[str, float]) -> list[tuple[str, float | None, float | None]]:
    """(name, before, after) of every ratio of either run, in the order of the first."""
    return [(name, before.get(name), after.get(name)) for name in {**before, **after}]


def main(arguments: list[str]) -> None:
    """Prints the ratios side by side, and the peak memory of each contender."""
    if len(arguments) != 2:
        sys.exit("usage: python -m benchmarks.compare BEFORE.json AFTER.json")
    before, after = map(load, arguments)
    if before["machine"]["processor"] != after["machine"]["processor"]:
        print("The machines differ: only ratios of one machine compare well.")
    peaks = [
        {
            f"peak MB: {r['section']}, {r['name']} ({r['shape']})": max(r["peak_bytes"]) / 1e6
            for r in run["results"]
            if r["peak_bytes"]
        }
        for run in (before, after)
    ]
    listed = [*changes(before["ratios"], after["ratios"]), *changes(*peaks)]
    width = max((len(name) for name, _, _ in listed), default=0)
    print(f"{'':{width}}  {'before':>9}  {'after':>9}   change")
    for name, old, new in listed:
        cells = [f"{value:9.2f}" if value is not None else f"{'—':>9}" for value in (old, new)]
        change = f"{100 * (new - old) / old:+7.1f}%" if old and new is not None else ""
        print(f"{name:{width}}  {cells[0]}  {cells[1]}  {change}".rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
