"""What the regex script of the benchmark reads."""

from pathlib import Path

import polars as pl

from benchmarks import regex_script


def read_tables(folder: Path, *sources: Path) -> dict[str, pl.DataFrame]:
    """The tables that the regex script makes of some files."""
    regex_script.main([str(folder), *map(str, sources)])
    return {path.stem: pl.read_parquet(path) for path in folder.iterdir()}
