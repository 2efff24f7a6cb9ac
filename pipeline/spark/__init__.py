"""Ingest and questions on Apache Spark: it runs the reader, and closed DuckDB sessions, on many machines. This process plans and commits."""
