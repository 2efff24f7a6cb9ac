"""Print RMF Coupling Facility Activity of one facility: usage summary, structure activity, subchannel activity.

Source: pages printed by V2R2 (usage summary) and V2R5 (structure activity), whose columns all releases get here; storage and
processor summary and subchannels from field knowledge. From V2R3 on ENC shifts the usage summary; V2R5 adds MONOP.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ..contents.common import Numbers, ratio
from ..contents.coupling_facility import (
    DUMP_BYTES,
    LINK_KIND,
    LINKS,
    REASONS,
    SUBCHANNELS,
    CouplingFacility,
    FromSystem,
    Structure,
    Timed,
    add_timed,
)
from ..pages import Paper, Section, cells_of, placed, print_intervals, together
from ..print_rows import heading, print_row
from ._headings import interval_lines
from ._storage import size, sizes

_NAME = "rmf_coupling_facility_activity"
_STORED = ("memory_max_bytes", "augmented_max_bytes", "read_bytes", "write_bytes")
_RULE = "-" * 126
_USAGE = "COUPLING  FACILITY  USAGE  SUMMARY"
_ACTIVITY = "COUPLING  FACILITY  STRUCTURE  ACTIVITY"
_SUBCHANNELS = "SUBCHANNEL  ACTIVITY"
_SUMMARY_HEAD = """\
                                                % OF             % OF    % OF     AVG    LST/DIR  DATA      LOCK     DIR REC/
        STRUCTURE                       ALLOC   CF          #    ALL     CF       REQ/   ENTRIES  ELEMENTS  ENTRIES  DIR REC
 TYPE   NAME              STATUS CHG    SIZE    STOR      REQ    REQ     UTIL     SEC    TOT/CUR  TOT/CUR   TOT/CUR  XI'S"""
_ENC_HEAD = """\
                                                      % OF             % OF    % OF     AVG    LST/DIR  DATA      LOCK     DIR REC/
        STRUCTURE                             ALLOC   CF          #    ALL     CF       REQ/   ENTRIES  ELEMENTS  ENTRIES  DIR REC
 TYPE   NAME              STATUS CHG  ENC     SIZE    STOR      REQ    REQ     UTIL     SEC    TOT/CUR  TOT/CUR   TOT/CUR  XI'S"""
_ACTIVITY_HEAD = """\
           # REQ    -------------- REQUESTS -------------   -------------- DELAYED REQUESTS -------------
 SYSTEM    TOTAL             #     % OF  -SERV TIME(MIC)-    REASON    #   % OF  ---- AVG TIME(MIC) -----{external}
 NAME      AVG/SEC           REQ    ALL     AVG   STD_DEV            REQ    REQ   /DEL    STD_DEV   /ALL {contentions}
"""
_SUBCHANNEL_HEAD = """\
          # REQ                             ----------- REQUESTS -----------   --------------- DELAYED REQUESTS ---------------
 SYSTEM   TOTAL     -- CF LINKS --   PTH               #  -SERVICE TIME(MIC)-               #   % OF  ---- AVG TIME(MIC) ----
 NAME     AVG/SEC   TYPE  GEN  USE   BUSY             REQ     AVG    STD_DEV              REQ    REQ   /DEL   STD_DEV    /ALL
"""
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
        self.encrypted = report.release >= "V2R3"

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
        for number, one in enumerate(self.report.systems):
            form, values = self._subchannel(one)
            head = "" if number else f"\n{_SUBCHANNEL_HEAD}\n"
            yield Section(head + form, values, head="" if head else f"\n{_SUBCHANNEL_HEAD}", part=_SUBCHANNELS)

    # --- Usage summary ----------------------------------------------------------------------------------------------

    def _summary(self) -> Iterator[Section]:
        """Two lines per structure, grouped by type."""
        head = _ENC_HEAD if self.encrypted else _SUMMARY_HEAD
        yield Section(f" GENERAL STRUCTURE SUMMARY\n{_RULE}\n\n{head}", part=_USAGE)
        for number, (_, group) in enumerate(groupby(self.report.structures, lambda one: one.kind)):
            for first, one in enumerate(group):
                section = self._structure(one, named=not first)
                blank = "\n" if number and not first else ""
                yield Section(blank + section.form, section.values, head=head, part=_USAGE)
        report = self.report
        totals = "37 %(size)7s  48 %(storage)4.1f  56 %(requests)6k  65 %(all)4.1f  80 %(rate)6r"
        cells = [(8, "STRUCTURE TOTALS"), *self._shifted(totals)]
        values: dict[str, Any] = {
            "size": size(report.structure_bytes),
            "storage": 100 * report.structure_bytes / report.storage_bytes,
            "requests": report.requests,
            "all": 100 * ratio(report.requests, report.requests),
            "rate": report.requests / self.length_s,
        }
        dashes = placed(*self._shifted("38 -----  46 -----  56 ------  65 ----  79 -------"))
        yield Section(f"{dashes}\n{placed(*cells)}", values, head=head, part=_USAGE)

    def _shifted(self, text: str) -> list[tuple[int, str]]:
        """Cells at print positions of V2R2, shifted right if ENC is before them."""
        return [(at + 6 * self.encrypted, cell) for at, cell in cells_of(text)]

    def _structure(self, one: Structure, named: bool) -> Section:
        requests = one.everywhere.requests
        lock = "110 %(lock{n})5k" if one.kind == "LOCK" else "111 N/A"
        reclaims = "119 %(none)6k" if one.kind == "CACHE" else "121 N/A"
        entries = f"89 %(entries{{n}})6k  99 %(elements{{n}})6k  {lock}  {reclaims}"
        first = [
            (1, one.kind if named else ""),
            (8, one.name),
            (26, one.status),
            *([(38, "NO")] if self.encrypted else []),
            *self._shifted(
                "37 %(size)7s  47 %(storage)5.1f  56 %(requests)6k  64 %(all)5.1f  72 %(utilization)5.1f  80 %(rate)6r"
            ),
        ]
        lines = []
        for number, cells in enumerate((first, [])):
            lines.append(placed(*cells, *self._shifted(entries.replace("{n}", str(number)))))
        values: dict[str, Any] = {
            "size": size(one.size_bytes),
            "storage": 100 * one.size_bytes / self.report.storage_bytes,
            "requests": requests,
            "all": 100 * ratio(requests, self.report.requests),
            "utilization": one.utilization_pct,
            "rate": requests / self.length_s,
            "none": 0,
        }
        for name, pair in (("entries", one.entries), ("elements", one.elements), ("lock", one.lock_entries)):
            values |= {f"{name}{number}": value for number, value in enumerate(pair)}
        return Section("\n".join(lines), values)

    def _memory(self) -> Iterator[Section]:
        """A line for each structure that may use storage class memory."""
        found = [(one, one.memory) for one in self.report.structures if one.memory]
        for number, (one, memory) in enumerate(found):
            kind, named = ("MEMORY_NAME_ROW", {}) if number else ("MEMORY_TYPE_ROW", {"structure_type": one.kind})
            named |= {"structure_name": one.name, "algorithm": "KP1"}
            bytes_ = {name: sizes(value, 7) for name, value in memory.items() if name in _STORED}
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
        lock = one.kind == "LOCK"
        head = _ACTIVITY_HEAD.format(
            external="   EXTERNAL REQUEST" if lock else "", contentions="   CONTENTIONS" if lock else ""
        )
        head = "\n".join(line.rstrip() for line in head.split("\n"))
        cells = [(1, f"STRUCTURE NAME = {one.name}"), (36, f"TYPE = {one.kind}"), (51, f"STATUS = {one.status}")]
        if self.encrypted:
            cells.append((82, "ENCRYPTED = NO"))
        first = Section("\n".join(["", placed(*cells), head]))
        for number, system in enumerate(one.systems):
            rows = self._requests(one, system)
            rows = together([first, rows]) if not number else rows
            yield Section(rows.form, rows.values, head=f"\n{head}" if number else "", part=_ACTIVITY)
        total = self._requests(one, one.everywhere)
        yield Section(f"{_RULE}\n{total.form.rstrip()}", total.values, head=f"\n{head}", part=_ACTIVITY)

    def _requests(self, one: Structure, row: FromSystem) -> Section:
        """Four lines, five from V2R5 on: requests, delays, and at the right contentions or data access."""
        total = row is one.everywhere
        everything = one.everywhere.requests
        reasons = REASONS if self.report.release >= "V2R5" else REASONS[:-1]
        beside = self._beside(one, row, total)
        lines = []
        values: dict[str, Any] = {"requests": row.requests, "rate": row.requests / self.length_s}
        kinds: list[tuple[str, Numbers, Timed | None]] = [
            ("SYNC", row.synchronous.count, row.synchronous),
            ("ASYNC", row.asynchronous.count, row.asynchronous),
            ("CHNGD", row.changed, None),
            ("SUPPR", row.suppressed, None),
        ]
        for number in range(max(len(reasons), len(beside))):
            cells: list[tuple[int, str]] = [(1, row.system), (11, "%(requests)6k")] if not number else []
            if number == 1:
                cells.append((10, "%(rate)6r"))
            if number < len(kinds):
                kind, count, timed = kinds[number]
                cells += [(20, kind), (26, f"%(count{number})6k"), (34, f"%(share{number})5.1f")]
                values |= {f"count{number}": count, f"share{number}": 100 * ratio(count, everything)}
                if timed:
                    cells += [(41, f"%(average{number})6.1f"), (49, f"%(deviation{number})7.1f")]
                    values |= {f"average{number}": timed.average_us, f"deviation{number}": timed.deviation_us}
                elif kind == "CHNGD" and not total:
                    cells.append((41, "INCLUDED IN ASYNC"))
            if number < len(reasons):
                cells += self._delay(reasons[number], number)
                values |= _delay_values(row.delayed.get(reasons[number], Timed()), row.requests, number)
            if number < len(beside):
                label, count = beside[number]
                cells.append((108, label))
                if count is not None:
                    cells.append((121, f"%(beside{number})6k"))
                    values[f"beside{number}"] = count
            lines.append(placed(*cells))
        return Section("\n".join([*lines, ""]), values)

    @staticmethod
    def _delay(reason: str, number: int) -> list[tuple[int, str]]:
        """The cells of a reason for delay."""
        cells = "68 %(delays{n})5k  74 %(delayed{n})5.1f  80 %(del{n})6.1f  90 %(deldev{n})7.1f  98 %(all{n})6.1f"
        return [(61, reason), *cells_of(cells.replace("{n}", str(number)))]

    @staticmethod
    def _beside(one: Structure, row: FromSystem, total: bool) -> list[tuple[str, Numbers | None]]:
        if one.kind == "LOCK":
            return [
                ("REQ TOTAL", row.lock_requests),
                ("REQ DEFERRED", row.deferred),
                ("-CONT", row.contentions),
                ("-FALSE CONT", row.false_contentions),
            ]
        if one.kind == "CACHE" and total:
            access = [("READS", one.reads), ("WRITES", one.writes), ("CASTOUTS", one.castouts)]
            return [("-- DATA ACCESS ---", None), *access, ("XI'S", one.cross_invalidations)]
        return []

    # --- Subchannel activity ----------------------------------------------------------------------------------------

    def _subchannel(self, system: str) -> tuple[str, dict[str, Any]]:
        """Four lines per system: its requests to all structures, and those delayed because no subchannel was free."""
        rows = [(structure.kind, row) for structure in self.report.structures for row in structure.systems]
        mine = [(kind, row) for kind, row in rows if row.system == system]
        sync = add_timed([row.synchronous for _, row in mine])
        other = add_timed([row.asynchronous for _, row in mine])
        requests = sync.count + other.count
        delays = {
            "LIST/CACHE": add_timed([row.delayed.get("NO SCH", Timed()) for kind, row in mine if kind != "LOCK"]),
            "LOCK": add_timed([row.delayed.get("NO SCH", Timed()) for kind, row in mine if kind == "LOCK"]),
        }
        lines = [
            [(1, system), (10, "%(requests)6k"), *cells_of(f"20 {LINK_KIND}  28 {LINKS}  33 {LINKS}  40 0")],
            cells_of(f"9 %(rate)6r  20 SUBCH  27 {SUBCHANNELS}  32 {SUBCHANNELS}"),
            cells_of(
                "44 CHANGED  52 %(changed)6k  59 INCLUDED IN ASYNC  79 TOTAL  89 %(delays2)5k  95 %(delayed2)5.1f"
            ),
            cells_of("44 UNSUCC  56 0  62 0.0  73 0.0"),
        ]
        changed = sum(row.changed for _, row in mine)
        values: dict[str, Any] = {"requests": requests, "rate": requests / self.length_s, "changed": changed}
        for number, (kind, timed) in enumerate((("SYNC", sync), ("ASYNC", other))):
            cells = "51 %(count{n})6k  59 %(us{n})6.1f  69 %(dev{n})7.1f"
            lines[number] += [(44, kind), *cells_of(cells.replace("{n}", str(number)))]
            named = ("count", timed.count), ("us", timed.average_us), ("dev", timed.deviation_us)
            values |= {f"{name}{number}": value for name, value in named}
        for number, (label, timed) in enumerate(delays.items()):
            cells = (
                "89 %(delays{n})5k  95 %(delayed{n})5.1f  101 %(del{n})6.1f  110 %(deldev{n})7.1f  119 %(all{n})6.1f"
            )
            lines[number] += [(79, label), *cells_of(cells.replace("{n}", str(number)))]
            values |= _delay_values(timed, requests, number)
        every = sum(timed.count for timed in delays.values())
        values |= {"delays2": every, "delayed2": 100 * ratio(every, requests)}
        return "\n".join([*(placed(*cells) for cells in lines), ""]), values


def _delay_values(delay: Timed, requests: Numbers, number: int) -> dict[str, Numbers]:
    """What the cells of requests that were delayed hold."""
    return {
        f"delays{number}": delay.count,
        f"delayed{number}": 100 * ratio(delay.count, requests),
        f"del{number}": delay.average_us,
        f"deldev{number}": delay.deviation_us,
        f"all{number}": ratio(delay.count * delay.average_us, requests),
    }
