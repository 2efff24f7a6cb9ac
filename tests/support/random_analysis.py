"""Random contents of the analysis parts of CPU Activity."""

from __future__ import annotations

from dataclasses import fields

from ironlake.pipeline.synthesis.contents.work_units import (
    BOUNDS,
    AddressSpaces,
    BlockedWork,
    LoadAnalysis,
    ReadyQueue,
    Sampled,
)
from printed import Numbers


def random_sampled(numbers: Numbers, most: float = 99_999) -> Sampled:
    """A mean between the least and the greatest number."""
    least, beyond = numbers.count(most / 2), numbers.count(most / 2)
    return Sampled(least, least + beyond, least + beyond * numbers.rng.random(numbers.intervals))


def random_analysis(numbers: Numbers, kinds: tuple[str, ...]) -> LoadAnalysis:
    samples = [numbers.count(900, zero=0.5) for _ in range(len(BOUNDS) + 1)]
    # There is no interval without a sample.
    samples[0] = samples[0] + 1
    return LoadAnalysis(
        numbers.count(99_999),
        AddressSpaces(**{one.name: random_sampled(numbers, 9_999) for one in fields(AddressSpaces)}),
        tuple((kind, random_sampled(numbers)) for kind in kinds),
        ReadyQueue(numbers.number(200), tuple(samples)),
        BlockedWork(
            float(numbers.rng.integers(1, 1000)) / 10,
            int(numbers.rng.integers(5, 65_535)),
            int(numbers.rng.integers(0, 10**7)),
            numbers.count(100),
            numbers.number(90),
            numbers.count(9_999),
        ),
    )
