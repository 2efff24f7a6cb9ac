#!/bin/sh
# DuckDB 2.0.0 reads a Parquet page whose checksum does not fit, and answers with other numbers; pyarrow 26.0.1 refuses it if asked to look.
#
# One would guess: a file written with page checksums (write_page_checksum of pyarrow) is refused by a reader when a bit on the
# disk has changed.
# What happens: of single bits changed in the pages of an uncompressed column of whole numbers, DuckDB answers all, with another
# sum; pyarrow with page_checksum_verification refuses all; without the option, which is the default, it answers too.
#
# Matters for whoever keeps years of data on disks and lets DuckDB read them: digests of the files must be checked by somebody else.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0 pyarrow==26.0.1
cd "$folder"
venv/bin/python - > seen.txt 2>/dev/null <<'PY'
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

table = pa.table({"msu": pa.array(range(1000), pa.int64())})
pq.write_table(table, "whole.parquet", compression="none", use_dictionary=False, write_page_checksum=True)
content = bytearray(open("whole.parquet", "rb").read())
column = pq.read_metadata("whole.parquet").row_group(0).column(0)
end = column.data_page_offset + column.total_compressed_size
run = duckdb.connect()
right = sum(range(1000))
counts = {"DuckDB": 0, "pyarrow": 0, "pyarrow, asked to look": 0}
bits = range(end - 4000, end - 8, 97)
for place in bits:
    changed = content.copy()
    changed[place] ^= 1
    open("changed.parquet", "wb").write(changed)
    counts["DuckDB"] += run.execute("SELECT sum(msu) FROM 'changed.parquet'").fetchall()[0][0] != right
    counts["pyarrow"] += sum(pq.read_table("changed.parquet")["msu"].to_pylist()) != right
    try:
        pq.read_table("changed.parquet", page_checksum_verification=True)
        counts["pyarrow, asked to look"] += 1
    except OSError:
        pass
for name, silent in counts.items():
    print(f"{name}: {silent} of {len(bits)} answered with another sum")
PY
cat seen.txt
cat > expected.txt <<'TXT'
DuckDB: 42 of 42 answered with another sum
pyarrow: 42 of 42 answered with another sum
pyarrow, asked to look: 0 of 42 answered with another sum
TXT
diff expected.txt seen.txt
