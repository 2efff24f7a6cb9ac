"""Content of the JMH (Java Microbenchmark Harness) results of a run."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class JmhResult:
    """A line of the result table: mean time of an operation in milliseconds over `count` iterations, and the half-width of its 99.9%
    interval."""

    benchmark: str
    parameters: Mapping[str, str]
    count: int
    score_ms: float
    error_ms: float


@dataclass(frozen=True)
class JmhRun:
    """The results of a run and its duration."""

    results: tuple[JmhResult, ...]
    total_s: int
