"""The floor: polars reads the lines and counts them; no reader of text in Python can do with less.

python -m benchmarks.floor FILE_OR_FOLDER
"""

import json
import sys
from pathlib import Path

import polars as pl


def main(arguments: list[str]) -> None:
    """Prints the number of lines, and of those that begin a page, as JSON."""
    given = Path(arguments[0])
    source = given / "*.txt" if given.is_dir() else given
    line = pl.col("line")
    counts = (
        pl.scan_lines(source, name="line")
        .select(line.count().alias("lines"), line.str.contains("W O R K L O A D", literal=True).sum().alias("pages"))
        .collect(engine="streaming")
    )
    print(json.dumps(counts.row(0, named=True)))


if __name__ == "__main__":
    main(sys.argv[1:])
