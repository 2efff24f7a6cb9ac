"""A lake as years of nightly ingests leave it: one night's reports, read once and repeated with their times moved by days.

Every night is a source of its own. Most are in large parts, as compaction leaves them; the last ones have parts and steps of their own.

    python -m benchmarks.nightly LAKE 10000 10000000
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
from ironlake.pipeline.declaration.bookkeeping import stored_tables
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger, SourceEntry

SAMPLES = Path(__file__).parent.parent / "sample_reports"
# One night: workload pages of some hours, and a page or two of most other reports.
REPORTS = (
    "demo/before.txt",
    "demo/test_sysplex_v2r2.txt",
    "rmf_cpu_activity/cpu_continued_page.txt",
    "rmf_partition_data/partition_continued_page.txt",
    "rmf_xcf_activity/xcf_members.txt",
    "cics_statistics/cics_connection.txt",
    "db2_statistics/statistics_data_sharing_locking.txt",
)
FIRST_NIGHT = dt.date(2000, 1, 1)
NIGHTS_PER_PART = 1000
NIGHTS_ALONE = 50
TIMES = ("interval_start", "interval_end", "begin_at", "end_at", "collected_at", "last_reset_at", "policy_activated_at")


def write_nightly_lake(lake: Path, nights: int, rows: int) -> int:
    """Make a lake of so many nights and at least `rows` rows; returns its rows."""
    lake.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=lake.parent) as folder:
        base = Path(folder) / "lake"
        ingest([str(SAMPLES / name) for name in REPORTS], base, Options())
        with open_lake(base) as opened:
            names = [name for name in stored_tables() if name != "ingest_file" and opened.rows(name)]
            night = {name: _from_day_0(opened.sql(f'SELECT * FROM "{name}"').arrow()) for name in names}
    night = _shortened(night, rows / nights)
    with Lake(lake) as target:
        for numbers in _groups(nights):
            entries = [_source(number, night) for number in numbers]
            ids = [entry.source_id for entry in entries]
            tables = {name: pa.concat_tables(_copies(table, numbers, ids)) for name, table in night.items()}
            target.commit(entries, [target.write_part(name, table, ids, 0) for name, table in tables.items()])
            if len(numbers) > 1:
                _checkpoint(lake)
    return nights * sum(map(len, night.values()))


def _checkpoint(lake: Path) -> None:
    """What so many steps have long led to."""
    ledger = Ledger(lake)
    with ledger.writing():
        ledger.checkpoint()


def _groups(nights: int) -> Iterator[range]:
    alone = min(nights, NIGHTS_ALONE)
    for first in range(0, nights - alone, NIGHTS_PER_PART):
        yield range(first, min(first + NIGHTS_PER_PART, nights - alone))
    for night in range(nights - alone, nights):
        yield range(night, night + 1)


def _from_day_0(table: pa.Table) -> pa.Table:
    """The rows of every source moved to the first night."""
    frame = table.to_pandas()
    for name in (name for name in TIMES if name in table.schema.names):
        first = frame.groupby("source_id")[name].transform("min").dt.normalize()
        frame[name] = frame[name] - first + np.datetime64(FIRST_NIGHT)
    return pa.Table.from_pandas(frame, schema=table.schema, preserve_index=False)


def _shortened(night: dict[str, pa.Table], rows: float) -> dict[str, pa.Table]:
    """So many rows of all tables together, of each its share, and one at least."""
    share = rows / sum(map(len, night.values()))
    return {name: table.slice(0, max(1, -(-int(len(table) * share * 100) // 100))) for name, table in night.items()}


def _copies(table: pa.Table, numbers: range, ids: list[str]) -> Iterator[pa.Table]:
    for number, source_id in zip(numbers, ids, strict=True):
        copy = table
        for name in (name for name in TIMES if name in table.schema.names):
            moved = pa.array(table[name].to_numpy() + np.timedelta64(number, "D"), pa.timestamp("us"), from_pandas=True)
            copy = copy.set_column(copy.schema.get_field_index(name), name, moved)
        for name, text in (("source_id", source_id), ("source_file", _file(number))):
            copy = copy.set_column(copy.schema.get_field_index(name), name, pa.repeat(text, len(table)))
        yield copy


def _file(number: int) -> str:
    return f"reports/{FIRST_NIGHT + dt.timedelta(days=number)}.txt"


def _source(number: int, night: dict[str, pa.Table]) -> SourceEntry:
    rows = {name: len(table) for name, table in night.items()}
    digest = sha256(f"night {number}".encode()).hexdigest()
    return SourceEntry(digest, Options().as_key(), _file(number), pages=10, lines=1000, rows=rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nightly", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("lake", type=Path)
    parser.add_argument("nights", type=int)
    parser.add_argument("rows", type=int)
    given = parser.parse_args()
    print(write_nightly_lake(given.lake, given.nights, given.rows))


if __name__ == "__main__":
    main()
