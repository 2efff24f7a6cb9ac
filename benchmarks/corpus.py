"""Writes report pages as made-up sites print them, most of them RMF Workload Activity; the same seed gives the same bytes.

Shapes: `one_layout` (one site, z/OS V2R2, every interval of the same form), `mixed` (a dozen sites, all three layouts:
the main corpus), `no_shape_repeats` (every interval another site; hardly two pages with
the same sequence of lines), `dense_rejects` (mixed, with many
unreadable cells and lines that belong to no report), `many_small_files` (a folder of files of about 20 KB). And other reports:
`coupling_facility` (Coupling Facility Activity of 120 structures and four systems), `db2_statistics` (counter blocks).

    python -m benchmarks.corpus mixed 5 pages.txt
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from . import other_reports, sections
from .facts import Facts, Period, ServiceClass, Site, add, draw_period, draw_site
from .layouts import block_cells, block_lines, columns
from .sections import Interval

WORKLOAD_SHAPES = ("one_layout", "mixed", "no_shape_repeats", "dense_rejects", "many_small_files")
OTHER_REPORTS: dict[str, Callable[[Random], Iterator[list[str]]]] = {
    "coupling_facility": other_reports.coupling_facility,
    "db2_statistics": other_reports.db2_statistics,
}
SHAPES = (*WORKLOAD_SHAPES, *OTHER_REPORTS)
PAGE_LINES = 60
SMALL_FILE_BYTES = 20_000
Truth = list[dict[str, Any]]


@dataclass
class Printer:
    """Puts sections on pages: one that does not fit begins a new page, under a repeated heading."""

    site: Site
    interval: Interval
    page_lines: int
    page: int = 0
    lines: list[str] = field(default_factory=list)
    used: int = 0
    section: str = ""

    def new_page(self) -> None:
        self.page += 1
        heading = sections.heading(self.site, self.interval, self.page)
        self.lines += heading
        self.used = len(heading)
        self.section = ""

    def put(self, lines: list[str], section: str = "") -> None:
        """`section` is the name in the dashed rule above a class header; parts that continue a class have none."""
        if not self.page or self.used + len(lines) + 3 > self.page_lines:
            self.new_page()
        if section and section != self.section:
            self.lines += ["", sections.rule(self.site.layout, section)]
            self.used += 2
            self.section = section
        self.lines += ["", *lines]
        self.used += len(lines) + 1


def _section_name(layout: str, kind: str) -> str:
    if layout == "G1":
        return "SERV. CLASS PERIOD(S)"
    return {
        "policy": "POLICY",
        "workload": "WORKLOAD GROUP(S)",
        "service_class": "SERVICE CLASS(ES)",
        "service_class_period": "SERVICE CLASS PERIODS",
        "report_class": "REPORT CLASS(ES)",
        "report_class_period": "REPORT CLASS PERIODS",
    }[kind]


@dataclass
class IntervalWriter:
    """Prints one interval of a site. `truth` collects, per data block, the key and the cells as text. With `vary_pages`
    classes stay on one page and list a different number of served classes each."""

    rng: Random
    site: Site
    interval: Interval
    printer: Printer
    truth: Truth | None = None
    vary_pages: bool = False

    def write(self) -> list[str]:
        """All pages of the interval, service policy page last (MVS/ESA has none)."""
        site, length = self.site, self.interval.length_s
        facts: dict[str, list[Facts]] = {}
        for one in site.classes:
            facts[one.name] = [draw_period(self.rng, site, p, length, bool(one.subsystem)) for p in one.periods]
        # Work is in one report class at most.
        for report, one in zip(site.report_classes, site.classes, strict=False):
            facts[report.name] = facts[one.name]
        if "POLICY" in site.sections and site.layout != "G1":
            workloads = sorted({one.workload for one in site.classes})
            sums = {
                w: add([f for one in site.classes if one.workload == w for f in facts[one.name]]) for w in workloads
            }
            self._block("policy", None, "", None, add(list(sums.values())))
            for workload in workloads:
                self._block("workload", None, workload, None, sums[workload])
        if "CLASS" in site.sections and site.layout != "G1":
            for one in site.classes:
                self._class(one, facts[one.name])
        for one in site.classes:
            for period, part in zip(one.periods, facts[one.name], strict=True):
                self._period(one, period, part)
        for one in site.report_classes:
            self._block("report_class", one, "", None, add(facts[one.name]))
        if site.layout != "G1":
            self.printer.new_page()
            self.printer.lines += sections.policy_page(self.rng, site, self.interval)
        return self.printer.lines

    def _block(self, kind: str, one: ServiceClass | None, workload: str, period: Period | None, facts: Facts) -> None:
        self.printer.put(self._block_text(kind, one, workload, period, facts), _section_name(self.site.layout, kind))

    def _block_text(
        self, kind: str, one: ServiceClass | None, workload: str, period: Period | None, facts: Facts
    ) -> list[str]:
        site = self.site
        short = bool(one and (one.subsystem or one.tenant))
        header = sections.class_header(site, one, workload, period)
        if one and not one.workload and not facts["ended"] and self.rng.random() < 0.1:
            self._note(kind, one, workload, period, {})
            return [*header, "", " " * 20 + "ALL DATA ZERO"]
        cells = block_cells(self.rng, site, facts, self.interval.length_s, bool(one and one.subsystem))
        self._note(kind, one, workload, period, {name: cells[name] for name in columns(site.layout, short)})
        lines = [*header, "", *block_lines(site, cells, short)]
        if one and one.served and (period is None or self.vary_pages):
            lines += sections.served(one)
        return lines

    def _note(
        self, kind: str, one: ServiceClass | None, workload: str, period: Period | None, cells: dict[str, str]
    ) -> None:
        if self.truth is None:
            return
        service, report = kind.startswith("service") and one, kind.startswith("report") and one
        key = {
            "sysplex": self.site.sysplex,
            "interval_start": self.interval.start,
            "class_kind": kind,
            "policy": self.site.policy,
            "workload": (service.workload if service else workload) or None,
            "service_class": service.name if service else None,
            "report_class": report.name if report else None,
            "period": period.number if period else None,
        }
        self.truth.append({"layout": self.site.layout, "key": key, "cells": cells})

    def _class(self, one: ServiceClass, parts: list[Facts]) -> None:
        block = self._block_text("service_class", one, "", None, add(parts))
        if self.site.layout == "G3" and len(parts) > 1:
            block += ["", *sections.importance_summary(self.rng, one.periods, parts)]
        self.printer.put(block, _section_name(self.site.layout, "service_class"))

    def _period(self, one: ServiceClass, period: Period, facts: Facts) -> None:
        rng, site = self.rng, self.site
        kind = "service_class_period"
        block = self._block_text(kind, one, "", period, facts)
        ended = facts["ended"]
        tables: list[list[str]] = []
        if site.layout == "G1":
            if one.subsystem:
                block += ["", *sections.breakdown_g1(rng, one.subsystem)]
            block += ["", *sections.goals_g1(rng, period, facts, bool(one.subsystem))]
            if period.kind == "average" and ended:
                tables = [sections.distribution_g1(rng, period, ended)]
        else:
            block += ([] if site.layout == "G3" else [""]) + sections.goals(rng, site, period, facts)
            if ended and period.kind in ("average", "percentile"):
                tables = [sections.distribution(rng, site, period, ended)]
            elif ended and period.kind == "velocity" and period.rate >= 0.5:
                tables = sections.distributions(rng, site, ended, self.interval.length_s)
        if self.vary_pages:
            block, tables = [*block, *(line for table in tables for line in ["", *table])], []
        self.printer.put(block, _section_name(site.layout, kind))
        for table in tables:
            self.printer.put(table)


def _draw_varied_site(rng: Random, layout: str, number: int) -> Site:
    site = draw_site(rng, layout, number)
    for one in site.classes:
        one.served = [f"{one.name[:5]}{n:03d}" for n in range(rng.randint(1, 200))]
    return site


def _intervals(rng: Random, shape: str, truth: Truth | None) -> Iterator[list[str]]:
    """Endless intervals of a shape, each as the lines of its pages."""
    if shape in OTHER_REPORTS:
        yield from OTHER_REPORTS[shape](rng)
    if shape == "one_layout":
        sites = [draw_site(rng, "G2", 1)]
        sites[0].duration = False
    else:
        size = "small" if shape == "many_small_files" else "normal"
        sites = [draw_site(rng, layout, number, size) for number, layout in enumerate(("G1", "G2", "G3") * 4, 1)]
    start = datetime(2021, 3, 1) + timedelta(minutes=15 * rng.randint(0, 95))
    starts = [start] * len(sites)
    vary = shape == "no_shape_repeats"
    for turn in count():
        for number, site in enumerate(sites):
            if vary:
                site = _draw_varied_site(rng, site.layout, turn * len(sites) + number)
            page_lines = rng.randint(90, 130) if vary else PAGE_LINES
            length = site.interval_s + rng.randint(-90, 90) / 1000
            interval = Interval(
                starts[number], float(site.interval_s) if site.duration else length, start - timedelta(days=9)
            )
            starts[number] += timedelta(seconds=site.interval_s)
            writer = IntervalWriter(rng, site, interval, Printer(site, interval, page_lines), truth, vary)
            yield writer.write()


_JUNK = (
    "IEF450I JOB07311 STEP2 - ABEND=S0C7 U0000 REASON=00000000",
    "........................................................",
    "@@@ 12.3.4 ??? 77K 9 %%",
    "       1  OF    3   DATA CONTINUES ON NEXT VOLUME",
)


def _damage(rng: Random, lines: list[str]) -> list[str]:
    """About one line in six with an unreadable or overflowed cell, one in twenty followed by a line of no report."""
    out = []
    for line in lines:
        chance = rng.random()
        digits = [i for i, c in enumerate(line) if c.isdecimal()] if chance < 0.17 and "." in line[8:] else []
        if digits:
            at = rng.choice(digits)
            line = line[:at] + ("?" if chance < 0.1 else "*") + line[at + 1 :]
        out.append(line)
        if chance > 0.95:
            out.append(rng.choice(_JUNK))
    return out


def _with_control(lines: list[str]) -> list[str]:
    """ASA control in front of every line: 1 on titles, 0 for a blank line before, which is then not printed."""
    out: list[str] = []
    for line in lines:
        if "W O R K L O A D" in line:
            out.append("1" + line)
        elif out and out[-1] == " " and line:
            out[-1] = "0" + line
        else:
            out.append(" " + line)
    return out


def write_corpus(
    path: Path, shape: str, megabytes: float, seed: int, control: bool = False, truth: Truth | None = None
) -> int:
    """Writes whole intervals until `megabytes` (of 10**6 bytes) are reached and returns the bytes written.

    `path` is a file, or a folder for `many_small_files`. Into `truth`, where given, go the key and the printed cells of
    every data block, in the order of the pages.
    """
    if shape not in SHAPES:
        raise ValueError(f"unknown shape {shape!r}; expected one of {', '.join(SHAPES)}")
    rng = Random(seed)
    intervals = _intervals(rng, shape, truth)
    change: list[Callable[[list[str]], list[str]]] = []
    if shape == "dense_rejects":
        change.append(lambda lines: _damage(rng, lines))
    if control:
        change.append(_with_control)
    small = shape == "many_small_files"
    path.parent.mkdir(parents=True, exist_ok=True)
    if small:
        path.mkdir(exist_ok=True)
    written = number = 0
    pending: list[bytes] = []
    stream = None if small else path.open("wb")
    while written < megabytes * 1_000_000:
        lines = next(intervals)
        for step in change:
            lines = step(lines)
        data = ("\n".join(lines) + "\n").encode("ascii")
        written += len(data)
        if stream:
            stream.write(data)
            continue
        pending.append(data)
        if sum(map(len, pending)) >= SMALL_FILE_BYTES:
            number += 1
            (path / f"interval_{number:05d}.txt").write_bytes(b"".join(pending))
            pending.clear()
    if stream:
        stream.close()
    elif pending:
        (path / f"interval_{number + 1:05d}.txt").write_bytes(b"".join(pending))
    return written


if __name__ == "__main__":
    name, size, target = sys.argv[1:4]
    print(write_corpus(Path(target), name, float(size), seed=int(sys.argv[4]) if len(sys.argv) > 4 else 1), "bytes")
