"""A lake of millions of rows for studies: workload pages of a few hours, read once and repeated with their intervals moved.

Every repetition is a source of its own, written through the lake's own parts and ledger, a million rows a part as compaction
leaves them.

    python -m benchmarks.study LAKE 10000000
"""

import argparse
import datetime as dt
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.compaction import ROWS_PER_PART
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import SourceEntry
from ironlake.pipeline.lake.origin import Receipt
from ironlake.pipeline.study.lake import add_studies
from ironlake.pipeline.study.study_file import parse_studies

from .corpus import write_corpus

SEED = 20210301
TABLES = ("rmf_workload_activity", "cell_null")
# Each site's pages have intervals of its own length; all lie within these hours.
HOURS = 4
MEGABYTES = 10.0
STEPS = 8


def write_study_lake(lake: Path, rows: int) -> int:
    """Make a lake with at least `rows` rows of workload activity and a study of two configurations; returns its rows."""
    lake.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=lake.parent) as folder:
        pages, base = Path(folder) / "pages.txt", Path(folder) / "lake"
        write_corpus(pages, "mixed", MEGABYTES, SEED)
        ingest([str(pages)], base, Options())
        with open_lake(base) as opened:
            tables = {name: opened.sql(f"SELECT * FROM {name}").arrow() for name in TABLES}
            # Each step has a repetition of its own.
            repetitions = max(-(-rows // len(tables[TABLES[0]])), 2 * STEPS)
            study = _study(opened.sql(_BUSIEST).fetchall()[0], repetitions)
    written = _repeat(lake, tables, repetitions)
    add_studies(lake, parse_studies(study, "study.yaml"))
    return written


_BUSIEST = """
SELECT sysplex, min(report_class), min(interval_start), max(interval_s) FROM rmf_workload_activity
WHERE class_kind = 'report_class' AND transactions_ended > 0 GROUP BY sysplex ORDER BY count(*) DESC, sysplex LIMIT 1
"""


def _study(found: tuple[str, str, dt.datetime, float], repetitions: int) -> str:
    """A study of two configurations of STEPS steps each, spread over the repetitions."""
    sysplex, report_class, start, seconds = found
    lines = [f"study: Repeated\nsysplex: '{sysplex}'\nrequests: {{report_class: '{report_class}'}}"]
    lines += [f"subsystems: {{All: {{report_class: '{report_class}'}}}}\ninterval: last\nconfigurations:"]
    for place, name in enumerate(("before", "after")):
        lines.append(f"  {name}:\n    steps:")
        for step in range(STEPS):
            moved = start + _moved((place * STEPS + step) * repetitions // (2 * STEPS))
            end = moved + dt.timedelta(seconds=round(seconds))
            lines.append(f"      - {{window: {moved.isoformat()}/{end.isoformat()}}}")
    return "\n".join(lines) + "\n"


def _moved(repetition: int) -> dt.timedelta:
    return dt.timedelta(hours=HOURS * repetition)


def _repeat(lake_path: Path, tables: dict[str, pa.Table], repetitions: int) -> int:
    """Write the tables again and again, a part and a ledger step for every million rows."""
    a_part = max(1, ROWS_PER_PART // len(tables[TABLES[0]]))
    with Lake(lake_path) as lake:
        for first in range(0, repetitions, a_part):
            numbers = range(first, min(first + a_part, repetitions))
            entries = [_source(number, tables) for number in numbers]
            ids = [entry.source_id for entry in entries]
            receipts = [Receipt(entry, 0, last=True) for entry in entries]
            parts = []
            for name, table in tables.items():
                parts += lake.write_batch({name: pa.concat_tables(_copies(table, numbers, ids))}, receipts)
            lake.commit(entries, parts)
    return repetitions * len(tables[TABLES[0]])


def _copies(table: pa.Table, numbers: range, ids: list[str]) -> Iterator[pa.Table]:
    moving = [f.name for f in table.schema if f.name in ("interval_start", "interval_end")]
    for number, source_id in zip(numbers, ids, strict=True):
        copy = table
        for name in moving:
            moved = pa.array(
                table[name].to_numpy() + np.timedelta64(_moved(number)), pa.timestamp("us"), from_pandas=True
            )
            copy = copy.set_column(copy.schema.get_field_index(name), name, moved)
        for name, text in (("source_id", source_id), ("source_file", f"pages_{number}.txt")):
            copy = copy.set_column(copy.schema.get_field_index(name), name, pa.repeat(text, len(table)))
        yield copy


def _source(number: int, tables: dict[str, pa.Table]) -> SourceEntry:
    rows = {name: len(table) for name, table in tables.items()}
    digest = sha256(f"repetition {number}".encode()).hexdigest()
    return SourceEntry(digest, Options().as_key(), f"pages_{number}.txt", rows=rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("lake", type=Path)
    parser.add_argument("rows", type=int)
    given = parser.parse_args()
    print(write_study_lake(given.lake, given.rows))


if __name__ == "__main__":
    main()
