"""Questions: the lake's tables and the SQL views in a closed DuckDB session."""
