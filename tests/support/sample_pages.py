"""Sample pages beside what they must give: found by name, read by the engine, written as JSON a row a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading import engine

# The tests have the names from here as well.
from ironlake.pipeline.reading.check_report import (  # noqa: F401
    NOT_PRINTED,
    Tables,
    difference_to_eye,
    plain,
    read_by_eye,
    row_lines,
    selected,
)
from ironlake.pipeline.reading.engine import read_text

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_reports"
# Published pages and figures, no part of the project: beside it, or beside a folder that holds it.
SHARED = next((p / "shared" for p in ROOT.parents if (p / "shared" / "real_reports").is_dir()), ROOT.parent / "shared")
_FOLDERS = ("real_reports", "real_reports_2", "real_reports_3")
# A document in XML has no print lines, whatever its name is.
REAL_PAGES = [p for folder in _FOLDERS for p in sorted((SHARED / folder).glob("*.txt")) if "_xml__" not in p.name]
PUBLISHED = REAL_PAGES + sorted(SHARED.glob("reference/extracts/*.txt"))


def sample_files() -> list[Path]:
    """Every sample page of every report; the studies that the demo runs on are not pairs."""
    return sorted(path for path in SAMPLES.glob("*/*.txt") if path.parent.name != "demo")


def document_files() -> list[Path]:
    """Every sample in XML, or of SMF records. They have no print lines: tests that change lines of pages leave them out."""
    return sorted([*SAMPLES.glob("*/*.xml"), *SAMPLES.glob("*/*.json")])


def _options() -> Iterator[tuple[str, Options]]:
    for path in (*sample_files(), *document_files()):
        file = path.with_suffix(".expected.jsonl")
        first = json.loads(file.read_text().partition("\n")[0]) if file.exists() else {}
        if "options" in first:
            yield path.stem, Options(**first["options"])


# Samples that are read with other options than the default: the first line of their expected file says so.
OPTIONS = dict(_options())


def sample(name: str) -> Path:
    """The sample called `name`, whatever report it belongs to."""
    (found,) = [path for path in (*sample_files(), *document_files()) if path.stem == name]
    return found


def options_of(path: Path) -> Options:
    return OPTIONS.get(path.stem, Options())


def read_sample(path: Path, text: str | None = None) -> Tables:
    """A sample's tables; `text` in place of what its file holds, read with the sample's options."""
    data = path.read_bytes() if text is None else text
    return read_text(data, options=options_of(path), name=path.name)


@cache
def samples_together() -> list[tuple[list[Path], dict[str, pa.Table]]]:
    """All samples that are read with the same options, and the tables of all of them, with a page's place among them as source_id: to
    read one page takes nearly as long as to read a hundred."""
    paths = sorted((*sample_files(), *document_files()), key=lambda path: str(options_of(path)))
    out = []
    for options, some in groupby(paths, options_of):
        of_options = list(some)
        segments = [
            replace(engine.canonical_segment(path.read_bytes(), path.name, options), source_id=str(k))
            for k, path in enumerate(of_options)
        ]
        out.append((of_options, engine.parse(segments, options).tables))
    return out


def as_frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame.with_columns(pl.col(pl.Categorical).cast(pl.String))


def by_source(together: Mapping[str, pa.Table], sources: int) -> list[Tables]:
    """The tables of a number of sources, each as if read alone. The numbers of the sources are their source_id."""
    parts = {name: as_frame(table).partition_by("source_id", as_dict=True) for name, table in together.items()}
    out = []
    for key in ((str(k),) for k in range(sources)):
        mine = {name: of[key].with_columns(source_id=pl.lit("")) for name, of in parts.items() if key in of}
        named = set(mine["parse_reject"]["report"]) if "parse_reject" in mine else set()
        declared = engine.tables_of(mine, named)
        out.append({n: mine[n] if n in mine else as_frame(t.schema.empty_table()) for n, t in declared.items()})
    return out


def parse_each(documents: Iterable[str | bytes], options: Options | None = None) -> engine.Parsed:
    """Files read at once, each a source of its own: its number is its source_id."""
    options = options or Options()
    given = [data.encode() if isinstance(data, str) else data for data in documents]
    segments = [engine.canonical_segment(data, "page.txt", options) for data in given]
    return engine.parse([replace(segment, source_id=str(k)) for k, segment in enumerate(segments)], options)


def read_each(documents: Iterable[str | bytes], options: Options | None = None) -> list[Tables]:
    """The tables of files read at once; every line of each is accounted for."""
    parsed = parse_each(documents, options)
    assert [counts for counts in parsed.counts if not counts.closes] == []
    return by_source(parsed.tables, len(parsed.counts))


@cache
def _every_sample() -> dict[Path, Tables]:
    return {
        path: tables
        for paths, together in samples_together()
        for path, tables in zip(paths, by_source(together, len(paths)), strict=True)
    }


def sample_tables(path: Path) -> Tables:
    """The tables of a sample, or of a published page. test_files_together.py holds that they are those of the page read alone."""
    return _every_sample()[path] if path in _every_sample() else _read_once(path)


@cache
def _read_once(path: Path) -> Tables:
    return read_sample(path)


def one(tables: Tables, table: str, /, **selector: Any) -> dict[str, Any]:
    """The one row that `selected` has."""
    frame = selected(tables, table, **selector)
    assert frame.height == 1, f"{table} with {selector}: {frame.height} rows"
    return frame.row(0, named=True)


def assert_as_read_by_eye(tables: Tables, said: Mapping[str, Any]) -> None:
    wanted, got = difference_to_eye(tables, said)
    assert got == wanted


def canonical(path: Path) -> str:
    """The page without carriage control, as everything behind its reading sees it."""
    return engine.canonical_segment(path.read_bytes(), path.name, options_of(path)).text.decode()
