"""From Arrow tables to Parquet parts, and the ledger that says which of them count."""
