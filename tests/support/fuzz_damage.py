"""Damaged pages and the wrong values that they store: `python tests/support/fuzz_damage.py --count N --seed S [--kinds a,b] [--pages GLOB]`.

Prints a line of JSON for each column that is wrong on a page, with the number of values; totals at the end, on standard error. A line is
had again with the kind, page, other page and seed that it names and `--count 1`; `--show` prints the damaged page instead.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from damage import KINDS
from damage_oracle import Sweep, as_json
from sample_pages import PUBLISHED, sample_files


def main() -> int:
    parser = argparse.ArgumentParser(description="Damaged pages and the wrong values that they store.")
    parser.add_argument("--count", type=int, default=1000, help="number of damaged pages")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="", help=f"some of {', '.join(KINDS)}")
    parser.add_argument("--pages", default="*", help="pattern of names of pages")
    parser.add_argument("--other", default="*", help="pattern of names of pages that are mixed with them")
    parser.add_argument("--folder", type=Path, action="append", default=[], help="more pages: a folder of *.txt")
    parser.add_argument("--silent", action="store_true", help="only what no reject and no mark tells")
    parser.add_argument("--show", action="store_true", help="print the damaged pages, and read none")
    options = parser.parse_args()
    more = [path for folder in options.folder for path in sorted(folder.glob("*.txt"))]
    paths = list({path.stem: path for path in [*sample_files(), *PUBLISHED, *more]}.values())
    sweep = Sweep(paths, [k for k in options.kinds.split(",") if k], options.pages, options.other)
    if options.show:
        for n in range(options.count):
            if case := sweep.case(n, options.seed + n):
                print(f"{case.kind} {case.path.stem}: {case.damaged.what}", file=sys.stderr)
                print(case.damaged.text, end="")
        return 0
    began = time.monotonic()
    totals: Counter[str] = Counter()
    for case, faults in sweep.run(options.count, options.seed):
        totals["damaged pages"] += 1
        if faults:
            totals["pages that are wrong"] += 1
            totals[f"pages that are wrong, {' '.join(sorted({f.told or 'silent' for f in faults}))}"] += 1
        seen: dict[tuple[str, str], list] = {}
        for fault in faults:
            seen.setdefault((fault.table, fault.column), []).append(fault)
        for of_column in seen.values():
            if not (options.silent and of_column[0].told):
                print(json.dumps(as_json(case, of_column[0], len(of_column))), flush=True)
    totals["pages with other digits"] = sweep.with_other_digits
    print(json.dumps({**totals, "seconds": round(time.monotonic() - began)}, indent=2), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
