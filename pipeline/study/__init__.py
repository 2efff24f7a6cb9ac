"""Studies: which intervals, classes and runs are compared, and how certain the differences are."""
