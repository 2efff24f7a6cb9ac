"""Checks of values: during ingest, and over the whole lake by `ironlake check`."""
