"""Writes pages of RMF Workload Activity as made-up sites print them; the same seed gives the same bytes.

The contents are random, but agree as those of a real page do: totals are sums of their parts, rates are counts over the interval.
The printer is that of `ironlake generate`.

Shapes: `one_layout` (one site, z/OS V2R2), `mixed` (a dozen sites, all three layouts: the main corpus), `no_shape_repeats` (every
interval another site; hardly two pages with the same sequence of lines), `dense_rejects` (mixed, with many unreadable cells and lines
that belong to no report), `many_small_files` (a folder of files of about 20 KB).

    python -m benchmarks.corpus mixed 5 pages.txt
"""

import re
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from ironlake.models.contents.common import Intervals
from ironlake.models.contents.workload import (
    BUCKET_BOUNDS,
    Category,
    Goal,
    OnSystem,
    Period,
    PolicySystem,
    ReportClass,
    ServiceClass,
    ServicePolicy,
    Work,
    WorkloadActivity,
)
from ironlake.models.printers.workload import print_workload
from ironlake.pipeline.printing.pages import Paper
from numpy.typing import NDArray

SHAPES = ("one_layout", "mixed", "no_shape_repeats", "dense_rejects", "many_small_files")
SMALL_FILE_BYTES = 20_000
# Intervals that are printed in one go, which is quicker; not of shapes where each is printed for itself.
_AT_ONCE, _ALONE = 4, ("no_shape_repeats", "many_small_files")
_RELEASES = {"G2": ("V2R1", "V2R2"), "G3": ("V2R3", "V2R4", "V2R5")}
_NAMES = [
    "CICS",
    "BATCH",
    "TSO",
    "STC",
    "DB2",
    "IMS",
    "DDF",
    "WEB",
    "MQ",
    "OMVS",
    "SAP",
    "MON",
    "HTTP",
    "LIBERTY",
    "ZOSMF",
    "TCPIP",
]
_WORDS = [
    "Online",
    "Batch",
    "Started",
    "Tasks",
    "Prime",
    "Shift",
    "Hotel",
    "Orders",
    "Ledger",
    "Payments",
    "Default",
    "High",
    "Low",
    "Priority",
    "Work",
]
_TRANSACTIONAL = {"CICS", "IMS", "WEB", "DDF", "HTTP", "LIBERTY", "TSO"}
_DELAYS = ("I/O", "CPU", "CAP", "MPL", "SWI", "AUX", "LCK", "ENQ", "QMP")
Array = NDArray[Any]


class Site:
    """A sysplex with its policy: what it prints in some intervals. `small` gives intervals of about 20 KB; with `varied` classes run on some of
    its systems, and there are no report classes, whose pages are alike."""

    def __init__(self, seed: int, layout: str, number: int, small: bool = False, varied: bool = False):
        self._rng, self._random = rng, _ = Random(seed), np.random.default_rng(seed)
        self._small, self._varied = small, varied
        self.interval_s = rng.choice((300, 900, 900, 1800))
        self._is_duration = number > 1 and rng.random() < 0.15
        self._names = rng.sample(_NAMES, rng.randint(2, 3) if small else rng.randint(4, 8))
        self._systems = [
            f"{rng.choice(('SYS', 'CB8', 'PRD', 'LP#'))}{c}" for c in rng.sample("ABCDEFGHIJ012345", rng.randint(1, 8))
        ]
        self._seed = rng.getrandbits(32)
        self._report: dict[str, Any] = {
            "sysplex": f"{rng.choice(('PLX', 'UT$', 'SYS'))}{number}",
            "release": rng.choice(_RELEASES[layout]),
        }
        self._is_zaap, self._su_per_s = rng.random() < 0.3, rng.choice((32388.7, 79602.0, 91954.0, 95808.4))
        self._policy = rng.choice(("STANDARD", "BASEPOL", "WLMPOL", "DAYSHIFT", "WEEKEND"))

    def printed(self, start: np.datetime64, intervals: int, paper: Paper) -> bytes:
        """The pages of so many intervals from `start`."""
        starts = start + np.arange(intervals) * np.timedelta64(self.interval_s, "s")
        length = np.full(intervals, float(self.interval_s))
        if not self._is_duration:
            length += self._random.integers(-90, 91, intervals) / 1000
        self._length_s = length
        # The classes of a site are the same at each time.
        self._rng.seed(self._seed)
        classes = [
            self._service_class(name)
            for name in self._names
            for _ in range(1 if self._small else self._rng.randint(1, 3))
        ]
        classes = list({one.name: one for one in classes}.values())
        reports = int(not self._varied) if self._small or self._varied else self._rng.randint(2, 6)
        report_classes = tuple({f"R{one.name[:7]}": one.work for one in classes[:reports]}.items())
        systems = tuple(PolicySystem(name, self._su_per_s) for name in self._systems)
        policy = ServicePolicy(self._policy, start - np.timedelta64(9, "D"), systems, zaap=self._is_zaap)
        report = WorkloadActivity(
            intervals=Intervals(starts, length, self._is_duration),
            policy=policy,
            classes=tuple(classes),
            report_classes=tuple(ReportClass(name, work) for name, work in report_classes),
            **self._report,
        )
        return print_workload(report, paper)

    def _words(self) -> str:
        return " ".join(self._rng.sample(_WORDS, self._rng.randint(2, 4)))[:32]

    def _service_class(self, name: str) -> ServiceClass:
        rng = self._rng
        periods = range(1, (1 if self._small else rng.choice((1, 1, 2, 3))) + 1)
        return ServiceClass(
            name=(name + rng.choice(("HI", "LOW", "PRD", "TST", "#1", "")))[:8],
            workload=(name + rng.choice(("_WLD", "", "WORK")))[:8],
            periods=tuple(self._period(number, name) for number in periods),
            description=self._words(),
            resource_group=rng.choice(("*NONE", "*NONE", "*NONE", "RGROUP1")),
            critical=rng.choice(("NONE", "NONE", "NONE", "CPU", "STORAGE", "CPU+STORAGE")),
        )

    def _cells(self, cells: int, most: float) -> list[Array]:
        """Percentages, one per interval each, most of them small."""
        return [most * self._random.random(len(self._length_s)) ** 3 for _ in range(cells)]

    def _period(self, number: int, name: str) -> Period:
        rng = self._rng
        (kind,) = rng.choices(("average", "percentile", "velocity", "discretionary", "system"), (3, 3, 4, 1, 1))
        seconds = rng.choice((0.05, 0.09, 0.25, 0.5, 1, 3, 30)) if kind in ("average", "percentile") else 0.0
        percent = {"percentile": rng.choice((80, 90, 95)), "velocity": rng.choice((10, 30, 50, 85))}.get(kind, 0)
        rate = rng.choice((0.5, 8, 60, 900)) if name in _TRANSACTIONAL else rng.choice((0, 0.01, 0.05))
        work = self._work(rate, seconds or 0.5, rng.choice((0.003, 0.04, 0.4, 2.5)) / number)
        goal = Goal(kind, seconds, percent)
        importance = rng.randint(1, 5) if kind in ("average", "percentile", "velocity") else 0
        return Period(number, importance, goal, work, tuple(self._on_systems(kind, work)))

    def _work(self, rate: float, seconds: float, engines: float) -> Work:
        """What a period does in each interval."""
        length, n = self._length_s, len(self._length_s)
        r = self._random.random
        ended = np.floor(rate * length * (0.5 + r(n)) * (r(n) > 0.02))
        actual = seconds * (0.3 + 1.2 * r(n)) * (ended > 0)
        queued = actual * 0.2 * r(n)
        times = {
            "ended": ended,
            "actual_s": actual,
            "queued_s": queued,
            "execution_s": actual - queued,
            "deviation_s": actual * 2 * r(n),
        }
        times["conversion_s"] = actual * 0.1 * r(n) * (r(n) < 0.2)
        cpu = engines * length * (0.5 + r(n)) * (r(n) > 0.02)
        iip = 0.6 * cpu * r(n) * (r(n) < 0.5)
        srb = 0.1 * cpu * r(n)
        mpl = (ended * times["execution_s"] / length + 1 + 40 * r(n) * (r(n) < 0.5)) * (cpu > 0)
        promoted = np.minimum(1, 0.09 * cpu)
        return Work(
            **times,
            mpl=mpl,
            avg=mpl * (1 + 0.1 * r(n)),
            swaps=np.floor(3000 * r(n) ** 2 * (cpu > 0)),
            enclaves=20 * r(n) * (r(n) < 0.2) * (cpu > 0),
            ssch_per_s=900 * r(n) ** 4,
            connect_ms=r(n),
            disconnect_ms=r(n) ** 2,
            qpend_ms=0.3 * r(n),
            iosq_ms=0.1 * r(n),
            ioc=np.floor(2_000_000 * r(n) ** 3 * (cpu > 0)),
            cpu=np.floor(cpu * self._su_per_s * 0.9),
            srb=np.floor(srb * self._su_per_s),
            mso=np.floor(600_000 * r(n) * (cpu > 0)),
            cpu_s=cpu,
            srb_s=srb,
            rct_s=0.3 * r(n) * (cpu > 0),
            iit_s=0.01 * cpu * r(n),
            iip_s=iip,
            iipcp_s=0.1 * iip * r(n),
            enq_s=promoted * r(n) ** 2,
            blk_s=promoted * r(n) ** 6,
            lck_s=9 * promoted * r(n) ** 4,
            frames=np.minimum(mpl * (200 + 40_000 * r(n)), 1_200_000 * r(n)),
            shared_frames=300 * r(n) * (r(n) < 0.4) * (cpu > 0),
            transactions=Category(0.3 * cpu * r(n)) if self._rng.random() < 0.1 else None,
        )

    def _on_systems(self, kind: str, work: Work) -> Iterator[OnSystem]:
        """The rows of the goals: the transactions of a period, spread over the systems."""
        titles = self._rng.sample(_DELAYS, self._rng.randint(1, len(_DELAYS)))
        left = np.asarray(work.ended)
        # A class may run on some systems alone.
        least = 1 if self._varied else len(self._systems)
        systems = self._rng.sample(self._systems, self._rng.randint(least, len(self._systems)))
        for name in systems:
            ended = left if name == systems[-1] else np.floor(left * self._random.random(len(left)))
            left = left - ended
            cpu, iip, io, unknown, idle, delay = self._cells(6, 9)
            yield OnSystem(
                system=name,
                ended=ended,
                actual_s=work.actual_s,
                buckets=self._buckets(ended) if kind in ("average", "percentile", "velocity") else None,
                address_spaces=1 + self._cells(1, 40)[0],
                using_cpu=cpu,
                using_iip=iip,
                using_io=io,
                delays=dict(zip(titles, self._cells(len(titles), 9), strict=True)),
                unknown=unknown,
                idle=idle * 10,
                delay_contention=delay,
            )

    def _buckets(self, ended: Array) -> NDArray[np.int64]:
        """Transactions by bucket, fast ones mostly; they sum to `ended`."""
        counts = np.zeros((len(ended), len(BUCKET_BOUNDS) + 1), np.int64)
        left = ended.astype(np.int64)
        for bucket in range(counts.shape[1] - 1):
            counts[:, bucket] = left * self._random.random(len(ended)) ** 2
            left = left - counts[:, bucket]
        counts[:, -1] = left
        return counts


def _printed(rng: Random, shape: str, control: bool, at_once: int) -> Iterator[bytes]:
    """Endless intervals of a shape, so many at once."""
    varied, small = shape == "no_shape_repeats", shape == "many_small_files"
    layouts = ("G2",) if shape == "one_layout" else ("G2", "G3") * 6
    sites = [Site(rng.getrandbits(32), layout, number, small) for number, layout in enumerate(layouts, 1)]
    start = np.datetime64("2021-03-01T00:00:00") + np.timedelta64(15 * rng.randint(0, 95), "m")
    for turn in count():
        for number, site in enumerate(sites, 1):
            if varied:
                site = Site(rng.getrandbits(32), layouts[number - 1], turn * len(sites) + number, varied=True)
            begin = start + np.timedelta64(turn * at_once * site.interval_s, "s")
            yield site.printed(begin, at_once, Paper(asa=control, page_lines=rng.randint(90, 130) if varied else 60))


_JUNK = (
    b"IEF450I JOB07311 STEP2 - ABEND=S0C7 U0000 REASON=00000000",
    b"........................................................",
    b"@@@ 12.3.4 ??? 77K 9 %%",
    b"       1  OF    3   DATA CONTINUES ON NEXT VOLUME",
)


def _damage(rng: Random, printed: bytes) -> bytes:
    """About one line in six with an unreadable or overflowed cell, one in twenty followed by a line of no report."""
    out = []
    for line in printed.splitlines():
        chance = rng.random()
        digits = [found.start() for found in re.finditer(rb"\d", line)] if chance < 0.17 and b"." in line[8:] else []
        if digits:
            at = rng.choice(digits)
            out.append(line[:at] + (b"?" if chance < 0.1 else b"*") + line[at + 1 :])
        else:
            out.append(line)
        if chance > 0.95:
            out.append(rng.choice(_JUNK))
    return b"\n".join(out) + b"\n"


def write_corpus(path: Path, shape: str, megabytes: float, seed: int, control: bool = False) -> int:
    """Writes whole intervals until `megabytes` (of 10**6 bytes) are reached and returns the bytes written.

    `path` is a file, or a folder for `many_small_files`. `control`: with ASA carriage control.
    """
    if shape not in SHAPES:
        raise ValueError(f"unknown shape {shape!r}; expected one of {', '.join(SHAPES)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    intervals = _until_enough(shape, megabytes * 1_000_000, seed, control)
    if shape != "many_small_files":
        with path.open("wb") as stream:
            return sum(map(stream.write, intervals))
    path.mkdir(exist_ok=True)
    return sum(
        (path / f"interval_{number:05d}.txt").write_bytes(data) for number, data in enumerate(_files(intervals), 1)
    )


def _until_enough(shape: str, size: float, seed: int, control: bool) -> Iterator[bytes]:
    rng = Random(seed)
    for printed in _printed(rng, shape, control, 1 if size < 1_000_000 or shape in _ALONE else _AT_ONCE):
        data = _damage(rng, printed) if shape == "dense_rejects" else printed
        yield data
        size -= len(data)
        if size <= 0:
            return


def _files(intervals: Iterator[bytes]) -> Iterator[bytes]:
    pending = b""
    for data in intervals:
        pending += data
        if len(pending) >= SMALL_FILE_BYTES:
            yield pending
            pending = b""
    if pending:
        yield pending


if __name__ == "__main__":
    name, size, target = sys.argv[1:4]
    print(write_corpus(Path(target), name, float(size), seed=int(sys.argv[4]) if len(sys.argv) > 4 else 1), "bytes")
