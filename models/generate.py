"""Print the reports of a workload model: files by configuration and report, and the study files that compare them.

Intervals are solved, filled and printed some hundred at a time, so memory is bounded whatever the size. Random numbers are those of
numpy's PCG64, a stream of its own for each step: the same seed gives the same bytes on every machine, with any number of processes.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..pipeline.errors import UsageError, writing_to
from ..pipeline.printing.pages import Paper
from .contents.common import SystemReport
from .fill_caches import cache_activity
from .fill_cics import cics_monitoring, db2_accounting
from .fill_cics_servers import cics_servers
from .fill_db2 import cics_statistics, coupling_facilities, db2_statistics
from .fill_devices import device_activity
from .fill_io import channel_activity, io_queuing
from .fill_overview import OverviewDays, overview
from .fill_partitions import group_capacity, partition_data
from .fill_processors import cpu_activity
from .fill_runs import jmh, monitoring, simulator_run
from .fill_workload import workload_activity
from .fill_xcf import xcf_activity
from .filling import KINDS, SolvedStep, StepIntervals
from .model_file import read_model
from .printers.caches import print_caches
from .printers.cics import print_cics, print_cics_monitoring
from .printers.cics_servers import print_cics_server, print_log_top
from .printers.coupling_facility import print_coupling_facility
from .printers.db2 import print_db2_accounting, print_db2_group_statistics, print_db2_statistics
from .printers.machine import print_cpu, print_partitions
from .printers.overview import print_overview
from .printers.runs import print_jmh, print_monitoring, print_run
from .printers.system_reports import print_system
from .printers.workload import print_workload
from .printers.workload_xml import has_xml, print_workload_xml
from .printers.xml import BEGIN, END, print_xml
from .schedule import StepTime, slug, step_times
from .study_text import study_text

# By report: what fills it for a system of some intervals, and prints it. The first two may be one document of XML in place of print.
_IN_XML = ("cpu_activity", "partition_data")
OF_SYSTEM: dict[str, tuple[Callable[[StepIntervals, str], Any], Callable[..., bytes]]] = {
    "cpu_activity": (cpu_activity, print_cpu),
    "partition_data": (partition_data, print_partitions),
    "group_capacity": (group_capacity, print_system),
    "xcf_activity": (xcf_activity, print_system),
    "device_activity": (device_activity, print_system),
    "channel_path_activity": (channel_activity, print_system),
    "io_queuing": (io_queuing, print_system),
    "cache_subsystem": (cache_activity, print_caches),
}
# The same of several, and what each is named by.
OF_STEP: dict[str, tuple[Callable[[StepIntervals], list[Any]], Callable[..., bytes], str]] = {
    "cf_activity": (coupling_facilities, print_coupling_facility, "name"),
    "db2_statistics": (db2_statistics, print_db2_statistics, "member"),
    "cics_statistics": (cics_statistics, print_cics, "system"),
    "cics_monitoring": (cics_monitoring, print_cics_monitoring, "system"),
    "db2_accounting": (db2_accounting, print_db2_accounting, "member"),
}
# Intervals that are filled and printed together.
_AT_ONCE = 256
# From this many intervals on, configurations are printed by processes side by side: starting them takes a second.
_WORTH_PROCESSES = 5_000


@dataclass(frozen=True)
class Order:
    """What is asked for: the seed, how many times as many intervals as the model says, the paper, and whether CPU Activity and Partition
    Data are XML documents, and Workload Activity is one beside its print."""

    seed: int = 1
    scale: int = 1
    paper: Paper = field(default_factory=Paper)
    xml: bool = False


@dataclass(frozen=True)
class Written:
    """What is written: paths, intervals, bytes."""

    paths: tuple[Path, ...]
    intervals: int
    bytes: int


@dataclass(frozen=True)
class _Job:
    """A configuration to print: its number, and its steps with their windows, solved."""

    number: int
    name: str
    steps: tuple[tuple[StepTime, SolvedStep], ...]
    out: Path
    order: Order


def generate(file: Path, out: Path, order: Order, step: Callable[[str], None] = lambda words: None) -> Written:
    """Print all reports of the model in `file` to the folder `out`. Raises UsageError for a model that is wrong or has no steady
    state, and where a file is there already."""
    model = read_model(file)
    windows = step_times(model, order.scale)
    step("solving the model")
    # All steps are solved first: what cannot be is told before anything is written.
    jobs = []
    for number, (name, configuration) in enumerate(model.configurations.items()):
        steps = tuple((window, SolvedStep(model, configuration, window.number)) for window in windows[name])
        jobs.append(_Job(number, name, steps, out, order))
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is not a folder", "a new folder")
    with writing_to(out):
        out.mkdir(parents=True, exist_ok=True)
    study, benchmark = out / "study.yaml", out / "jmh.txt"
    for path in (study, benchmark, *(p for job in jobs for p in out.glob(f"{slug(job.name)}_*"))):
        if path.exists():
            raise UsageError(f"{path} is there already", "a folder without it")
    intervals = sum(window.intervals for found in windows.values() for window in found)
    workers = min(len(jobs), os.cpu_count() or 1) if intervals >= _WORTH_PROCESSES else 1
    if workers == 1:
        paths = []
        for job in jobs:
            step(f"printing {job.name}")
            paths += _print_configuration(job)
    else:
        step(f"printing {len(jobs)} configurations")
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            paths = [path for found in pool.map(_print_configuration, jobs) for path in found]
    if "jmh" in model.reports:
        with writing_to(benchmark):
            benchmark.write_bytes(_benchmark(jobs))
        paths.append(benchmark)
    if text := study_text(model, windows):
        with writing_to(study):
            study.write_text(text, encoding="utf-8")
        paths.append(study)
    return Written(tuple(paths), intervals, sum(path.stat().st_size for path in paths))


def _print_configuration(job: _Job) -> list[Path]:
    """Print the reports of one configuration; returns the files."""
    with ExitStack() as files:
        output = _Output(job.out / slug(job.name), files)
        days = OverviewDays()
        for window, step in job.steps:
            part, drawn = None, np.zeros(KINDS)
            for part in _parts(step, window, _generator(job, window)):
                _print_intervals(part, output, job.order)
                if "overview" in part.model.reports:
                    for system in part.configuration.systems:
                        _print_overviews(days.add(overview(part, system)), output, job.order)
                drawn += part.drawn.sum(axis=0)
            if part:
                mean = StepIntervals(step, window.start, drawn[np.newaxis] / window.intervals)
                _print_run(part, mean, window, output)
        _print_overviews(days.rest(), output, job.order)
        output.finish()
    return list(output.files)


def _benchmark(jobs: list[_Job]) -> bytes:
    """The table of JMH: all steps of all configurations are results of one run."""
    steps = [(job, window, step) for job in jobs for window, step in job.steps]
    parts = [step.intervals(window.start, 1, _generator(job, window)) for job, window, step in steps]
    total_s = sum(window.seconds for _, window, _ in steps)
    return print_jmh([result for part in parts for result in jmh(part)], total_s)


def _generator(job: _Job, window: StepTime) -> np.random.Generator:
    """The random numbers of a step."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([job.order.seed, job.number, window.number])))


def _parts(step: SolvedStep, window: StepTime, generator: np.random.Generator) -> Iterator[StepIntervals]:
    for first in range(0, window.intervals, _AT_ONCE):
        start = window.start + dt.timedelta(seconds=first * step.model.interval_s)
        yield step.intervals(start, min(_AT_ONCE, window.intervals - first), generator)


class _Output:
    """The files of a configuration by report, opened as they are written to."""

    def __init__(self, stem: Path, stack: ExitStack):
        self.stem, self.stack = stem, stack
        self.files: dict[Path, BinaryIO] = {}
        self.ends: dict[Path, bytes] = {}

    def write(self, name: str, content: bytes, begin: bytes = b"", end: bytes = b"") -> None:
        """Add to the file of a report; of what prints nothing (XCF of one system) there is none. `begin`, `end`: around all that is
        written to it."""
        if not content:
            return
        path = self.stem.with_name(f"{self.stem.name}_{name}")
        if path not in self.files:
            # For the last bytes, which are written when the file is closed.
            self.stack.enter_context(writing_to(path))
            self.files[path] = self.stack.enter_context(path.open("wb"))
            content, self.ends[path] = begin + content, end
        with writing_to(path):
            self.files[path].write(content)

    def finish(self) -> None:
        for path, end in self.ends.items():
            with writing_to(path):
                self.files[path].write(end)


def _print_intervals(part: StepIntervals, output: _Output, order: Order) -> None:
    """What is printed by interval."""
    reports, paper = part.model.reports, order.paper
    if "workload_activity" in reports:
        workload = workload_activity(part)
        output.write("workload_activity.txt", print_workload(workload, paper))
        if order.xml and has_xml(workload):
            # Beside the print: what XML calls periods and report classes is not known.
            output.write("workload_activity.xml", print_workload_xml(workload), BEGIN, END)
    in_xml = _IN_XML if order.xml else ()
    for system in part.configuration.systems if in_xml else ():
        document = print_xml(*(OF_SYSTEM[name][0](part, system) if name in reports else None for name in in_xml))
        output.write(f"{slug(system)}_cpu_activity.xml", document, BEGIN, END)
    for name, (fill, prints) in OF_SYSTEM.items():
        for system in part.configuration.systems if name in reports and name not in in_xml else ():
            if found := fill(part, system):
                output.write(f"{slug(system)}_{name}.txt", prints(found, paper))
    for name, (fill_all, prints, whose) in OF_STEP.items():
        for one in fill_all(part) if name in reports else ():
            output.write(f"{slug(getattr(one, whose))}_{name}.txt", prints(one, paper))
    if "db2_group_statistics" in reports and part.configuration.data_sharing and (members := db2_statistics(part)):
        name = f"{slug(members[0].group)}_db2_group_statistics.txt"
        output.write(name, print_db2_group_statistics(members, paper))
    if "cics_servers" in reports:
        for server in cics_servers(part):
            name = f"{slug(server.system)}_{slug(server.head['pool_name'])}_cics_server.txt"
            output.write(name, print_cics_server(server, paper), print_log_top(server, paper))


def _print_overviews(reports: list[SystemReport], output: _Output, order: Order) -> None:
    """What is printed once a day."""
    for report in reports:
        output.write(f"{slug(report.system)}_overview.txt", print_overview(report, order.paper))


def _print_run(part: StepIntervals, mean: StepIntervals, window: StepTime, output: _Output) -> None:
    """What is printed once a step, at its end: `part` has its last interval, `mean` the mean of all as one."""
    if "simulator" in part.model.reports:
        output.write(window.simulator_name, print_run(simulator_run(mean, window.seconds), window.seconds))
    if "monitoring" in part.model.reports:
        output.write(window.monitoring_name, print_monitoring(monitoring(part)))
