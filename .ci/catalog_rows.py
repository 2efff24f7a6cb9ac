"""Print of each table and view of a DuckDB file its name, its comment, how many rows it has, and a digest of them."""

import sys
from hashlib import sha256

import duckdb

print(f"DuckDB {duckdb.__version__}", file=sys.stderr)
with duckdb.connect(sys.argv[1], read_only=True) as connection:
    # Sums of decimals depend on the order of the rows.
    connection.execute("SET threads = 1")
    listed = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY table_name"
    columns = "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = ? AND comment IS NOT NULL ORDER BY column_name"
    for (name,) in connection.execute(listed).fetchall():
        comments = connection.execute(columns, [name]).fetchall()
        rows = sorted(repr(row) for row in connection.execute(f'SELECT * FROM "{name}"').fetchall())
        digest = sha256("\n".join(map(repr, [comments, rows])).encode()).hexdigest()[:16]
        print(name, len(comments), len(rows), digest)
