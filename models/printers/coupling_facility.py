"""Print RMF Coupling Facility Activity of one facility: usage summary, structure activity, subchannel activity.

Source: pages printed by V2R2 (usage summary) and V2R5 (structure activity), whose columns all releases get here; storage and
processor summary and subchannels from field knowledge. From V2R3 on ENC shifts the usage summary; V2R5 adds MONOP.
"""

from collections.abc import Iterator
from itertools import groupby, zip_longest
from typing import Any

import numpy as np

from ...pipeline.printing.numbers import Chars
from ...pipeline.printing.pages import Paper, Section, beside, cells_of, placed, print_intervals, texts, together
from ...pipeline.printing.print_rows import heading, print_row
from ..contents.common import Numbers, Row, ratio
from ..contents.coupling_facility import (
    DUMP_BYTES,
    LINK_KIND,
    LINKS,
    SUBCHANNELS,
    SYNCHRONOUS,
    CouplingFacility,
    Structure,
    added,
)
from ._headings import interval_lines

_NAME = "rmf_coupling_facility_activity"
_STORED = ("memory_max_bytes", "augmented_max_bytes", "read_bytes", "write_bytes")
_RULE = "-" * 126
_USAGE = "COUPLING  FACILITY  USAGE  SUMMARY"
_ACTIVITY = "COUPLING  FACILITY  STRUCTURE  ACTIVITY"
_SUBCHANNELS = "SUBCHANNEL  ACTIVITY"
# Requests of a system by line, and those that are delayed: a model has none of them.
_DELAYED = "delayed_no_sch_requests"
_OTHERS = {
    "ASYNC_ROW": ("async_requests", "delayed_pr_wt_requests"),
    "CHNGD_ROW": ("changed_requests", "delayed_pr_cmp_requests"),
    "SUPPR_ROW": ("suppressed_requests", "delayed_dump_requests"),
    "DELAY_ROW": ("delayed_monop_requests",),
}
_CONTENTIONS = {
    "contention_requests": "REQ TOTAL",
    "contention_deferred": "REQ DEFERRED",
    "contention_total": "-CONT",
    "contention_false": "-FALSE CONT",
}
_STORAGE = f"""\
 STORAGE SUMMARY
{_RULE}

                                                     ALLOC       % OF CF          ------- DUMP SPACE -------
                                                     SIZE        STORAGE          % IN USE   MAX % REQUESTED

      TOTAL CF STORAGE USED BY STRUCTURES         %(structures)8s      %(structures_pct)5.1f
      TOTAL CF DUMP STORAGE                       %(dump)8s      %(dump_pct)5.1f                  0.0             0.0
      TOTAL CF STORAGE AVAILABLE                  %(available)8s      %(available_pct)5.1f
                                                   ------
      TOTAL CF STORAGE SIZE                       %(total)8s

{_RULE}
 PROCESSOR SUMMARY
{_RULE}
 COUPLING FACILITY         3931     MODEL %(submodel)3s     CFLEVEL %(level)3s     DYNDISP {"OFF":<8}

 AVERAGE CF UTILIZATION  (%% BUSY)     %(busy)5.1f     LOGICAL PROCESSORS:  DEFINED %(defined)4d    EFFECTIVE %(effective)5.1f
                                                                     SHARED     0    AVG WEIGHT  0.0
""".replace("%%", "%")


def print_coupling_facility(report: CouplingFacility, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a facility, one interval after the other."""
    printer = _Printer(report)
    return print_intervals(len(report.intervals), printer.sections(), printer.heading, paper or Paper())


def size(number: int) -> str:
    """Storage in units of 1024 with the letter in the gap: K below one M, G where five digits of M do not do.

    >>> size(47 * 1024**2), size(512 * 1024), size(20 * 1024**4), size(0)
    ('47M', '512K', '20480G', '0 ')
    """
    if not number:
        return "0 "
    power = 1 if number < 1024**2 else 2 if number < 100_000 * 1024**2 else 3
    return f"{number / 1024**power:.0f}{' KMG'[power]}"


def _sizes(numbers: Numbers, width: int) -> Chars:
    """The same of a number for each interval, at the right of their field."""
    return texts((f"{size(int(one)):>{width}}" for one in np.atleast_1d(numbers)), width)


class _Printer:
    def __init__(self, report: CouplingFacility) -> None:
        self.report = report
        self.length_s = report.intervals.printed_s
        first, below, self.values = interval_lines(
            report.intervals,
            f"     z/OS {report.release:<18} SYSPLEX {report.sysplex:<8}",
            f"{' ' * 29}RPT VERSION {report.release} RMF",
            57,
            minute_digits=3,
        )
        cycle = " " * (11 if report.intervals.duration else 13) + "CYCLE 01.000 SECONDS"
        self.top = f"{' ' * 38}C O U P L I N G   F A C I L I T Y   A C T I V I T Y\n{' ' * 117}PAGE %(page)3s\n{first}\n{below}{cycle}\n"
        self.encrypted: Row = {"encrypted": "NO"} if report.release >= "V2R3" else {}
        self.usage_head = heading(_NAME, "TYPE_ROW", self.encrypted)

    def heading(self, page: int, part: str) -> Section:
        lines = [self.top, _RULE, f" COUPLING FACILITY NAME = {self.report.name}"]
        if part == _USAGE:
            lines.append(" TOTAL SAMPLES(AVG) =%(samples)6d  (MAX) =%(samples)6d  (MIN) =%(samples)6d")
        lines += [_RULE, " " * 45 + part, _RULE]
        return Section("\n".join(lines), self.values | {"page": str(page), "samples": self.length_s}, title=True)

    def sections(self) -> Iterator[Section]:
        yield from self._summary()
        yield from self._memory()
        yield self._capacity()
        for one in self.report.structures:
            yield from self._activity(one)
        head = f"\n{heading(_NAME, 'SUBCHANNEL_ROW')}\n"
        for number, system in enumerate(self.report.systems):
            rows = together([*([] if number else [Section(head)]), *self._subchannel(system), Section("")])
            yield Section(rows.form, rows.values, head=head if number else "", part=_SUBCHANNELS)

    # --- Usage summary ----------------------------------------------------------------------------------------------

    def _summary(self) -> Iterator[Section]:
        """Two lines per structure, grouped by type."""
        yield Section(f" GENERAL STRUCTURE SUMMARY\n{_RULE}\n\n{self.usage_head}", part=_USAGE)
        for number, (_, group) in enumerate(groupby(self.report.structures, lambda one: one.kind)):
            for first, one in enumerate(group):
                above = [Section("")] if number and not first else []
                yield self._usage(*above, *self._structure(one, named=not first))
        dashes = cells_of("38 -----  46 -----  56 ------  65 ----  79 -------")
        line = Section(placed(*((at + 6 * bool(self.encrypted), cell) for at, cell in dashes)))
        totals = self._used(self.report.structure_bytes, self.report.requests)
        yield self._usage(line, print_row(_NAME, "TOTALS_ROW", totals, below=self.usage_head))

    def _usage(self, *rows: Section) -> Section:
        section = together(rows)
        return Section(section.form, section.values, head=self.usage_head, part=_USAGE)

    def _used(self, size_bytes: int, requests: Numbers) -> Row:
        return {
            "allocated_bytes": size(size_bytes),
            "cf_storage_pct": 100 * size_bytes / self.report.storage_bytes,
            "requests": requests,
            "all_requests_pct": 100 * ratio(requests, self.report.requests),
            "requests_per_s": requests / self.length_s,
        }

    def _structure(self, one: Structure, named: bool) -> Iterator[Section]:
        """Entries of locks and of directories are N/A of other structures."""
        row = self.encrypted | self._used(one.size_bytes, one.everywhere["sync_requests"])
        row |= {"structure_name": one.name, "status": "ACTIVE", "cf_utilization_pct": one.utilization_pct}
        if named:
            row["structure_type"] = one.kind
        total, current = dict(one.total), dict(one.current)
        if one.kind != "LOCK":
            total["lock_entries_total"] = current["lock_entries_current"] = np.nan
        if one.kind != "CACHE":
            total["directory_reclaims"] = current["directory_reclaim_cross_invalidations"] = np.nan
        yield print_row(_NAME, "TYPE_ROW" if named else "NAME_ROW", row | total, below=self.usage_head)
        yield print_row(_NAME, "CURRENT_ROW", current, below=self.usage_head)

    def _memory(self) -> Iterator[Section]:
        """A line for each structure that may use storage class memory."""
        found = [(one, one.memory) for one in self.report.structures if one.memory]
        for number, (one, memory) in enumerate(found):
            kind, named = ("MEMORY_NAME_ROW", {}) if number else ("MEMORY_TYPE_ROW", {"structure_type": one.kind})
            named |= {"structure_name": one.name, "algorithm": "KP1"}
            bytes_ = {name: _sizes(value, 7) for name, value in memory.items() if name in _STORED}
            row = print_row(_NAME, kind, memory | named | bytes_)
            head = heading(_NAME, kind)
            title = f"\n STORAGE CLASS MEMORY STRUCTURE SUMMARY\n{_RULE}\n\n{head}\n\n" if not number else ""
            yield Section(title + row.form, row.values, head="" if title else head, part=_USAGE)

    def _capacity(self) -> Section:
        report = self.report
        available = report.storage_bytes - report.structure_bytes - DUMP_BYTES
        values: dict[str, Any] = {
            "structures": size(report.structure_bytes),
            "dump": size(DUMP_BYTES),
            "available": size(available),
            "total": size(report.storage_bytes),
            "structures_pct": 100 * report.structure_bytes / report.storage_bytes,
            "dump_pct": 100 * DUMP_BYTES / report.storage_bytes,
            "available_pct": 100 * available / report.storage_bytes,
            "submodel": report.submodel,
            "level": str(report.level),
            "busy": report.utilization_pct,
            "defined": report.processors,
            "effective": report.processors_effective,
        }
        return Section(f"\n{_RULE}\n{_STORAGE}", values, part=_USAGE)

    # --- Structure activity -----------------------------------------------------------------------------------------

    def _activity(self, one: Structure) -> Iterator[Section]:
        """The lines of each system, then TOTAL below a rule."""
        titles = heading(_NAME, "SYSTEM_ROW").split("\n")
        if one.kind == "LOCK":
            titles[1:] = f"{titles[1]}   EXTERNAL REQUEST", f"{titles[2]}    CONTENTIONS"
        head = "\n".join(["", *titles, ""])
        cells = [(1, f"STRUCTURE NAME = {one.name}"), (36, f"TYPE = {one.kind}"), (51, "STATUS = ACTIVE")]
        if self.encrypted:
            cells.append((82, "ENCRYPTED = NO"))
        for number, row in enumerate(one.systems):
            above = [] if number else [Section("\n" + placed(*cells) + head)]
            rows = together([*above, *self._requests(one, row), Section("")])
            yield Section(rows.form, rows.values, head=head if number else "", part=_ACTIVITY)
        total = together([Section(_RULE), *self._requests(one, one.everywhere)])
        yield Section(total.form.replace("INCLUDED IN ASYNC", " " * 17), total.values, head=head, part=_ACTIVITY)

    def _requests(self, one: Structure, row: Row) -> Iterator[Section]:
        """Four lines, five from V2R5 on: requests, delays, and at the right contentions or, beside TOTAL, data access."""
        requests, is_total = row["sync_requests"], "system" not in row
        first = {name: value for name, value in row.items() if name not in _CONTENTIONS} | {_DELAYED: 0}
        first |= {"requests": requests, "sync_pct": 100 * ratio(requests, one.everywhere["sync_requests"])}
        lines = [print_row(_NAME, "TOTAL_ROW" if is_total else "SYSTEM_ROW", first)]
        for kind, names in _OTHERS.items():
            if kind != "DELAY_ROW" or self.report.release >= "V2R5":
                rate = {"requests_per_s": requests / self.length_s} if kind == "ASYNC_ROW" else {}
                lines.append(print_row(_NAME, kind, dict.fromkeys(names, 0) | rate))
        right = [(label, row[name]) for name, label in _CONTENTIONS.items() if name in row]
        if one.access and is_total:
            right = [("-- DATA ACCESS ---", None), *one.access.items()]
        for line, found in zip_longest(lines, right):
            line = line or Section("")
            if found:
                cells = placed((0, found[0]), *([(13, "%(beside)6k")] if found[1] is not None else []))
                line = Section(beside(line.form, cells, 108), {**line.values, "beside": found[1]})
            yield line

    # --- Subchannel activity ----------------------------------------------------------------------------------------

    def _subchannel(self, system: str) -> Iterator[Section]:
        """Four lines per system: its requests to all structures, and those delayed because no subchannel was free."""
        rows = [row for structure in self.report.structures for row in structure.systems if row["system"] == system]
        every = added([{name: row[name] for name in SYNCHRONOUS} for row in rows])
        requests = every["sync_requests"]
        first = every | {"system": system, "requests": requests, "delayed_list_cache_requests": 0}
        first |= {"link_1_type": LINK_KIND, "link_1_generated": LINKS, "link_1_used": LINKS}
        yield print_row(_NAME, "SUBCHANNEL_ROW", first)
        second: Row = {"requests_per_s": requests / self.length_s, "async_requests": 0, "delayed_lock_requests": 0}
        second |= {"link_2_type": "SUBCH", "link_2_generated": SUBCHANNELS, "link_2_used": SUBCHANNELS}
        yield print_row(_NAME, "SUBCHANNEL_ASYNC_ROW", second)
        yield print_row(_NAME, "SUBCHANNEL_CHANGED_ROW", {"changed_requests": 0, "delayed_total_requests": 0})
        yield print_row(_NAME, "SUBCHANNEL_UNSUCC_ROW", {"unsuccessful_requests": 0})
