"""Benchmarks: a corpus of workload activity pages, the ways of reading it that Ironlake is measured against, the run."""
