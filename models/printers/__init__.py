"""One printer a report: contents in, the report's print lines out."""
