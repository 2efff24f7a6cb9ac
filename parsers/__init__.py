"""One module per report: what its lines mean. Modules whose name starts with an underscore are shared by reports."""
