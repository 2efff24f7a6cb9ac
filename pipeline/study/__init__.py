"""Studies: which intervals, classes and runs are compared, and how sure the differences are."""
