#!/bin/sh
# DuckDB 2.0.0: the age between two times that are 31 days apart comes to Python as 33 days.
#
# One would guess: age() of 31 March and 28 February is 31 days in Python, since a timedelta has no months.
# What happens: DuckDB says "1 month 3 days", which is right, and hands the month over as 30 days: 33 days. From 31 January to
# 1 March, 29 days, age() comes as 31. A difference of the times themselves is right. Arrow keeps months and days apart.
#
# Matters where a gap between reports is told in days.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0 pyarrow==26.0.1
cd "$folder"
venv/bin/python - > seen.txt 2>/dev/null <<'PY'
import duckdb

run = duckdb.connect()
for end, start in (("2026-03-31", "2026-02-28"), ("2026-03-01", "2026-01-31")):
    age = f"age(TIMESTAMP '{end}', TIMESTAMP '{start}')"
    said, given = run.execute(f"SELECT {age}::VARCHAR, {age}").fetchall()[0]
    between = run.execute(f"SELECT TIMESTAMP '{end}' - TIMESTAMP '{start}'").fetchall()[0][0]
    kept = run.sql(f"SELECT {age} AS a").to_arrow_table()["a"].to_pylist()[0]
    print(f"{start} to {end}: {said}; Python {given.days} days; times subtracted {between.days}; Arrow {kept.months} and {kept.days}")
PY
cat seen.txt
cat > expected.txt <<'TXT'
2026-02-28 to 2026-03-31: 1 month 3 days; Python 33 days; times subtracted 31; Arrow 1 and 3
2026-01-31 to 2026-03-01: 1 month 1 day; Python 31 days; times subtracted 29; Arrow 1 and 1
TXT
diff expected.txt seen.txt
