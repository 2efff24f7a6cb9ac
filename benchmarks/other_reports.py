"""Reports beside RMF Workload Activity for the benchmark, printed by the project's own printers from random contents."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
from ironlake.pipeline.synthesis.contents.common import Intervals
from ironlake.pipeline.synthesis.contents.coupling_facility import CouplingFacility, FromSystem, Links, Structure, Timed
from ironlake.pipeline.synthesis.contents.db2 import BufferPool, Db2Statistics, GroupBufferPool, Locking
from ironlake.pipeline.synthesis.printers.coupling_facility import print_coupling_facility
from ironlake.pipeline.synthesis.printers.db2_statistics import print_db2_statistics
from numpy.typing import NDArray

_AT_ONCE = 4
_INTERVAL_S = 900
_SYSTEMS = ("SYSA", "SYSB", "SYSC", "SYSD")
_REASONS = ("NO SCH", "PR WT", "PR CMP", "MONOP")


def _intervals() -> Iterator[Intervals]:
    """Quarters of an hour, some at once."""
    start = np.datetime64("2021-03-01T00:00:00")
    while True:
        steps = start + np.arange(_AT_ONCE) * np.timedelta64(_INTERVAL_S, "s")
        yield Intervals(steps, _INTERVAL_S)
        start = steps[-1] + np.timedelta64(_INTERVAL_S, "s")


def _counts(random: np.random.Generator, most: float) -> NDArray[np.int64]:
    """Counts of all sizes up to `most`."""
    return (most * 10.0 ** -random.uniform(0, 4, _AT_ONCE)).astype(np.int64)


def coupling_facility(rng: Random, structures: int = 120) -> Iterator[list[str]]:
    """Endless intervals of two facilities with many structures, used by four systems."""
    random = np.random.default_rng(rng.getrandbits(64))
    names = [
        (kind, f"DSN{chr(65 + n % 26)}{n // 26}_{kind[:4]}{n:03d}", rng.choice((8, 64, 512, 2048)) * 2**20)
        for kind in ("LIST", "LOCK", "CACHE")
        for n in range(structures // 3)
    ]
    for intervals in _intervals():
        lines: list[str] = []
        for facility in ("CF01", "CF02"):
            printed = tuple(_structure(random, *name) for name in names)
            links = tuple(Links(system) for system in _SYSTEMS)
            report = CouplingFacility(facility, "PLEXQ", "V2R5", intervals, printed, links, storage_bytes=2**38)
            lines += print_coupling_facility(report).decode("ascii").splitlines()
        yield lines


def _structure(random: np.random.Generator, kind: str, name: str, size: int) -> Structure:
    def times(most: float) -> NDArray[np.float64]:
        return random.uniform(most / 10, most, _AT_ONCE)

    systems = []
    for system in _SYSTEMS:
        sync, other = _counts(random, 4e6), _counts(random, 2e5)
        lock = sync + other if kind == "LOCK" else 0
        systems.append(
            FromSystem(
                system,
                Timed(sync, times(40), times(20)),
                Timed(other, times(200), times(90)),
                changed=other // 40,
                delayed={reason: Timed(sync // 2000, times(99), times(50)) for reason in _REASONS},
                lock_requests=lock,
                deferred=lock // 250,
                contentions=lock // 260,
                false_contentions=lock // 700,
            )
        )
    entries = _counts(random, 1e7)
    return Structure(
        name,
        kind,
        size,
        tuple(systems),
        utilization_pct=random.uniform(0, 9, _AT_ONCE),
        entries=(entries, entries // 2),
        elements=(entries, entries // 3),
        lock_entries=(entries, entries // 5),
        reads=_counts(random, 1e6),
        writes=_counts(random, 1e5),
    )


def db2_statistics(rng: Random) -> Iterator[list[str]]:
    """Endless intervals of the members of a data sharing group: locking, buffer pools and group buffer pools."""
    random = np.random.default_rng(rng.getrandbits(64))
    members = [f"DB{letter}{rng.randint(1, 9)}" for letter in "ABCD"]

    def counters(kind: type) -> dict[str, Any]:
        return {name: _counts(random, 9e6) for name in kind.__dataclass_fields__ if name != "number"}

    def pool(number: str) -> BufferPool:
        some = counters(BufferPool)
        return BufferPool(number, **some | {"getpages": some["getpages"] + some["getpages_random"]})

    pools = ("0", "1", "2", "7", "32")
    for intervals in _intervals():
        lines: list[str] = []
        for member in members:
            report = Db2Statistics(
                "BENCH",
                "DBGB",
                member,
                intervals,
                threads=37,
                commits=4100,
                locking=Locking(**counters(Locking)),
                buffer_pools=tuple(map(pool, pools)),
                group_buffer_pools=tuple(GroupBufferPool(number, **counters(GroupBufferPool)) for number in pools),
            )
            lines += print_db2_statistics(report).decode("ascii").splitlines()
        yield lines
