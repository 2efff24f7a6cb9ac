#!/bin/sh
# DuckDB 2.0.0: a script given by `python -c` that prints one number prints a progress bar before it, into the same standard output.
#
# One would guess: standard output that is a pipe holds what the script prints, however long a query takes; bars are for terminals.
# What happens: a process without a script file (python -c, python -, a notebook's kernel) counts as interactive; once a query takes two
# seconds the bar is written to standard output, pipe or not. The same code in a file prints the number alone.
#
# Matters for every job that reads the answer of `python -c` in a shell.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0
cd "$folder"
cat > slow.py <<'PY'
import duckdb
import time

run = duckdb.connect()
until = time.time() + 6
rows = 200_000_000
while time.time() < until:
    began = time.time()
    found = run.execute(f"SELECT count(*) FROM (SELECT hash(i) % 7 AS h FROM range({rows}) t(i)) WHERE h = 8").fetchall()[0][0]
    rows *= 2 if time.time() - began < 4 else 1
print(found)
PY
venv/bin/python slow.py > of_file.txt
venv/bin/python -c "$(cat slow.py)" > of_c.txt
wc -c of_file.txt of_c.txt
test "$(cat of_file.txt)" = 0
test "$(wc -c < of_c.txt)" -gt 2
grep -q '%' of_c.txt
