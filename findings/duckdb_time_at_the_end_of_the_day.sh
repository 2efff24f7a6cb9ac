#!/bin/sh
# DuckDB 2.0.0 with pyarrow 26.0.1 and polars 2.1.0: TIME '24:00:00', the end of a day, has four answers.
#
# One would guess: one value, whatever takes it; or an error where a program has no such time.
# What happens: Python gets a text, Arrow the first moment of the day (and so does whoever reads the Parquet file that DuckDB
# writes with pyarrow), polars NULL, and DuckDB itself reads the same file as 24:00:00. None of them says a word.
#
# Matters where print ends an interval at 24.00: the start and the end of a day are equal after a trip through Arrow.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0 pyarrow==26.0.1 polars==2.1.0
cd "$folder"
venv/bin/python - > seen.txt 2>/dev/null <<'PY'
import duckdb
import pyarrow.parquet as pq

run = duckdb.connect()
query = "SELECT TIME '24:00:00' AS t"
print("Python:", repr(run.execute(query).fetchall()[0][0]))
print("Arrow:", run.sql(query).to_arrow_table()["t"].to_pylist()[0])
print("polars:", run.sql(query).pl()["t"][0])
run.execute(f"COPY ({query}) TO 'end.parquet'")
print("Parquet by pyarrow:", pq.read_table("end.parquet")["t"].to_pylist()[0])
print("Parquet by DuckDB:", run.execute("SELECT t::VARCHAR, t = TIME '00:00' FROM 'end.parquet'").fetchall()[0])
PY
cat seen.txt
cat > expected.txt <<'TXT'
Python: '24:00:00'
Arrow: 00:00:00
polars: None
Parquet by pyarrow: 00:00:00
Parquet by DuckDB: ('24:00:00', False)
TXT
diff expected.txt seen.txt
