#!/bin/sh
# DuckDB 2.0.0: a Parquet file that is read with the parameter `schema` of read_parquet counts as one row in the plan, however many it has.
#
# One would guess: to give the types of columns changes nothing but the types. The footer says how many rows there are, with and without.
# What happens: a million rows are estimated as 1, and a LEFT JOIN to a thousand rows is turned round: the hash table is built of the million
# rows, not of the thousand.
#
# Matters where many files are read with types given, as to open none of them for the plan: the widest rows of a question become hash tables,
# and memory ends. `disabled_optimizers = 'build_side_probe_side'` keeps the sides as they are written.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0
cd "$folder"
venv/bin/python - > seen.txt <<'PY'
import json

import duckdb

run = duckdb.connect()
run.execute("COPY (SELECT range AS n, range * 2 AS v FROM range(1000000)) TO 'large.parquet'")
run.execute("COPY (SELECT range AS n FROM range(1000)) TO 'small.parquet'")


def the_join(node):
    return node if "JOIN" in node["name"] else the_join(node["children"][0])


def the_scan(node):
    return the_scan(node["children"][0]) if node["children"] else node


types = ", ".join(f"'{name}': {{name: '{name}', type: 'BIGINT', default_value: NULL}}" for name in "nv")
for words, schema in (("without types", ""), ("with types", f", schema = MAP {{{types}}}")):
    large = f"read_parquet('large.parquet'{schema})"
    query = f"SELECT sum(v) FROM {large} AS large LEFT JOIN 'small.parquet' AS small USING (n)"
    [(_, plan)] = run.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()
    join = the_join(json.loads(plan)[0])
    _, built = join["children"]
    rows = the_scan(built)["extra_info"]["Estimated Cardinality"]
    print(f"{words}: {join['extra_info']['Join Type']} join, hash table of {rows} estimated rows;", run.execute(query).fetchall()[0][0])
run.execute("SET disabled_optimizers = 'build_side_probe_side'")
[(_, plan)] = run.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()
print("sides as written:", the_join(json.loads(plan)[0])["extra_info"]["Join Type"], "join")
PY
cat seen.txt
cat > expected.txt <<'TXT'
without types: LEFT join, hash table of 1000 estimated rows; 999999000000
with types: RIGHT join, hash table of 1 estimated rows; 999999000000
sides as written: LEFT join
TXT
diff expected.txt seen.txt
