#!/bin/sh
# DuckDB 2.0.0 and pyarrow 26.0.1: a duration that goes through a Parquet file is a plain number of unknown unit, in one direction and the other.
#
# One would guess: a column of durations (CPU times, response times) that Arrow wrote is an INTERVAL in DuckDB, as the same table in memory is;
# and an INTERVAL that DuckDB wrote is a duration, or is refused.
# What happens: 1.5 s is the BIGINT 2, 1500, 1500000 or 1500000000, by the unit that Arrow kept it in (to s it was rounded here); only the
# schema that Arrow hides in the file says which, and DuckDB does not look at it. The other way, pyarrow gives twelve bytes for an INTERVAL.
#
# Matters for whoever adds up CPU times of Parquet files from two writers: one counted in ms, the other in us, and both columns fit together.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0 pyarrow==26.0.1
cd "$folder"
venv/bin/python - <<'PY'
import datetime as dt

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

found = {}
for unit, count in (("s", 2), ("ms", 1500), ("us", 1_500_000), ("ns", 1_500_000_000)):
    times = pa.table({"cpu_time": pa.array([count], pa.duration(unit))})
    pq.write_table(times, f"{unit}.parquet")
    in_memory, in_file = duckdb.sql("FROM times"), duckdb.sql(f"FROM '{unit}.parquet'")
    found[unit] = (*map(str, in_memory.types), *map(str, in_file.types), in_file.fetchall()[0][0])
print(found)
both = duckdb.sql("SELECT sum(cpu_time) FROM read_parquet(['ms.parquet', 'us.parquet'])").fetchall()[0][0]
print("1.5 s and 1.5 s:", both)
duckdb.sql("COPY (SELECT INTERVAL 36 HOURS AS cpu_time) TO 'interval.parquet'")
back = pq.read_table("interval.parquet")
print(back.schema.types, back["cpu_time"].to_pylist())
assert {unit: types for unit, (*types, _) in found.items()} == dict.fromkeys(("s", "ms", "us", "ns"), ["INTERVAL", "BIGINT"])
assert [number for *_, number in found.values()] == [2, 1500, 1_500_000, 1_500_000_000]
assert both == 1_501_500
assert back.schema.types == [pa.binary(12)]
assert pq.read_table("us.parquet")["cpu_time"].to_pylist() == [dt.timedelta(seconds=1.5)]
PY
