#!/bin/sh
# DuckDB 2.0.0: read_parquet of a list takes the types of the file that is named first, and cuts the values of the others to them.
#
# One would guess: two files of one column, whole numbers in one and fractions in the other, add up to 4.5 in any order, as with
# union_by_name, or the query is refused, as by pyarrow 26.0.1 ("Float value 2.500000 was truncated").
# What happens: 4 or 4.5, by the order of the names. A time of day after a file of dates is midnight. No warning is given.
#
# Matters where parts of one table are written over years: a column that was whole at first and has decimals in later releases.
# The parameter `schema` gives the types by name, and then both orders give 4.5.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0 pyarrow==26.0.1
cd "$folder"
venv/bin/python - > seen.txt <<'PY'
import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

run = duckdb.connect()
for file, value in (("whole", "2::BIGINT"), ("half", "2.5::DOUBLE")):
    run.execute(f"COPY (SELECT {value} AS hours) TO '{file}.parquet'")
run.execute("COPY (SELECT DATE '2026-03-29' AS t) TO 'day.parquet'")
run.execute("COPY (SELECT TIMESTAMP '2026-03-29 12:30' AS t) TO 'time.parquet'")
for files in (["whole.parquet", "half.parquet"], ["half.parquet", "whole.parquet"]):
    print(files[0], "first:", run.execute("SELECT sum(hours) FROM read_parquet($1)", [files]).fetchall()[0][0])
    print("  by name:", run.execute("SELECT sum(hours) FROM read_parquet($1, union_by_name = true)", [files]).fetchall()[0][0])
typed = "read_parquet(['whole.parquet', 'half.parquet'], schema = MAP {'hours': {name: 'hours', type: 'DOUBLE', default_value: NULL}})"
print("types given:", run.execute(f"SELECT sum(hours) FROM {typed}").fetchall()[0][0])
print("times:", [str(t) for (t,) in run.execute("SELECT t FROM read_parquet(['day.parquet', 'time.parquet'])").fetchall()])
try:
    ds.dataset(["whole.parquet", "half.parquet"]).to_table()
except pa.ArrowInvalid as error:
    print("pyarrow:", error)
PY
cat seen.txt
cat > expected.txt <<'TXT'
whole.parquet first: 4
  by name: 4.5
half.parquet first: 4.5
  by name: 4.5
types given: 4.5
times: ['2026-03-29', '2026-03-29']
pyarrow: Float value 2.500000 was truncated converting to int64
TXT
diff expected.txt seen.txt
