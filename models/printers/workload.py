"""RMF Workload Activity on paper: G2 (z/OS V2R1 and V2R2) and G3 (V2R3 and later).

Source: pages printed by these releases (IBM Redbooks and manuals); the layout follows the release of the Postprocessor.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pipeline.printing.pages import Paper, Section, print_intervals
from ..contents.common import ratio
from ..contents.workload import Period, ServiceClass, Work, WorkloadActivity
from . import _workload_forms as forms
from ._headings import interval_lines, stamp, times
from ._workload_goals import goal_sections

_RULES = {"class": "SERVICE CLASS(ES)", "period": "SERVICE CLASS PERIODS", "report": "REPORT CLASS(ES)"}


def layout_of(release: str) -> str:
    """The layout that a Postprocessor of this release prints: G2 or G3.

    >>> layout_of("V1R13"), layout_of("V2R2"), layout_of("V2R3"), layout_of("V3R1")
    ('G2', 'G2', 'G3', 'G3')
    """
    return "G3" if release >= "V2R3" else "G2"


def print_workload(report: WorkloadActivity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a sysplex, one interval after the other."""
    printer = WorkloadPrinter(report)
    return print_intervals(len(report.intervals), printer.sections(), printer.heading, paper or Paper())


class WorkloadPrinter:
    """Prints a report; what it makes of the facts serves its XML as well."""

    def __init__(self, report: WorkloadActivity) -> None:
        self.report = report
        self.policy = report.policy
        self.layout = layout_of(report.release)
        self.length_s = report.intervals.printed_s
        self.top, self.top_values = self._heading()
        dashes = 110 if self.layout == "G3" else 108
        self.rules = {kind: f"{'-' * dashes} {words}"[:132] for kind, words in _RULES.items()}

    # --- The top of a page ------------------------------------------------------------------------------------------

    def _heading(self) -> tuple[str, dict[str, Any]]:
        """Title, PAGE, the two heading lines and the policy activation; the page number is still to be filled in."""
        report, layout = self.report, self.layout
        title, page_at, left = {"G2": (44, 117, 6), "G3": (49, 119, 8)}[layout]
        middle = left + 24
        first = f"{' ' * left}{f'z/OS {report.release}':<24}SYSPLEX {report.sysplex:<8}"
        below = f"{' ' * middle}RPT VERSION {report.release} RMF"
        first, below, values = interval_lines(report.intervals, first, below, middle + 27)
        lines = [
            " " * title + "W O R K L O A D   A C T I V I T Y",
            " " * page_at + "PAGE%(page)4s",
            f"{first}   MODE = GOAL",
            below,
            "",
            f"{' ' * (middle + 10)}POLICY ACTIVATION DATE/TIME {stamp(self.policy.activated)}",
        ]
        return "\n".join(lines), values

    def heading(self, page: int, _: str) -> Section:
        return Section(self.top, self.top_values | {"page": str(page)}, title=True)

    # --- Blocks -----------------------------------------------------------------------------------------------------

    def sections(self) -> Iterator[Section]:
        """Everything below the headings, in the order of the report."""
        report = self.report
        for one in report.classes:
            yield from self._block("class", self._class_header(one, None), one.work)
        for one in report.classes:
            for period in one.periods:
                yield from self._period(one, period)
        for one in report.report_classes:
            yield from self._block("report", self._names(f"REPORT CLASS={one.name:<8}"), one.work)
        yield self._policy_page()

    def _names(self, rest: str) -> str:
        by = "" if self.layout == "G3" else "REPORT BY: "
        return f"{by}POLICY={self.policy.name:<8}  {rest}".rstrip()

    def _class_header(self, one: ServiceClass, period: Period | None) -> str:
        """The line that names policy, workload, class and period, and the lines below it."""
        at, gap = (38, 5) if self.layout == "G3" else (49, 3)
        first = self._names(f" WORKLOAD={one.workload:<8}").ljust(at)
        first += f"SERVICE CLASS={one.name:<8}{' ' * gap}RESOURCE GROUP={one.resource_group:<8}   "
        if period:
            first += f"PERIOD={period.number}"
            if period.importance:
                first += f" IMPORTANCE={period.importance}"
        lines = [first.rstrip()]
        lines.append(f"{' ' * at}CRITICAL     ={one.critical}")
        if one.description and not period:
            lines.append(f"{' ' * at}DESCRIPTION  ={one.description}")
        return "\n".join(lines)

    def _period(self, one: ServiceClass, period: Period) -> Iterator[Section]:
        below, tables = goal_sections(self.layout, period, self.policy.zaap)
        yield from self._block("period", self._class_header(one, period), period.work, below)
        yield from tables

    def _block(self, kind: str, header: str, work: Work, below: Section | None = None) -> Iterator[Section]:
        """A data block below its header, and what belongs right below it; ALL DATA ZERO where nothing happened at all."""
        rule = self.rules[kind]
        zero = self._all_zero(work)
        block = forms.G2_BLOCK if self.layout == "G2" else f"{forms.G3_BLOCK}\n\n{forms.G3_SERVICE_BLOCK}"
        form = "\n".join(["", header, "", block]) + (below.form if below else "")
        values = self.values(work) | dict(below.values if below else {})
        yield Section(form, values, None if not zero.any() else ~zero, rule=rule)
        if zero.any():
            yield Section(f"\n{header}\n\n{' ' * 20}ALL DATA ZERO", {}, zero, rule=rule)

    def _all_zero(self, work: Work) -> NDArray[np.bool_]:
        count = len(self.report.intervals)
        zero = np.ones(count, bool)
        for name in ("avg", "mpl", "ended", "swaps", "executed", "cpu_s", "srb_s", "ioc", "frames", "enclaves"):
            zero &= np.broadcast_to(np.asarray(getattr(work, name)) == 0, count)
        return zero

    def values(self, work: Work) -> dict[str, Any]:
        """What the holes of a data block hold: the facts and what follows from them."""
        policy, length = self.policy, self.length_s
        factors = policy.norm_factor_iip, policy.norm_factor_aap
        share = 100 / length
        rate = work.total_service / length
        values: dict[str, Any] = {one.name: getattr(work, one.name) for one in fields(Work)}
        values |= {
            "ended_per_s": work.ended / length,
            "response_ms": work.response_ms,
            "total_service": work.total_service,
            "service_per_s": rate,
            "absorption": ratio(rate, work.mpl),
            "service_rate": ratio(rate, work.avg),
            "frames_avg": ratio(work.frames, work.mpl),
            "appl_cp": work.cp_s(*factors) * share,
            "appl_iip": work.iip_s * share,
            "appl_iipcp": work.iipcp_s * share,
            "appl_aapcp": work.aapcp_s * share,
            "no_category": 0,
        }
        values |= {"appl_aap": work.aap_s * share} if policy.zaap else {"appl_aap": "N/A", "aap_s": "N/A"}
        total = work.transaction_time(*factors)
        values |= {"total_cp": total.cp_s * share, "total_on_cp": total.on_cp_s * share}
        return values | {"total_ziip": total.specialty_s * share}

    # --- Service policy page ----------------------------------------------------------------------------------------

    def _policy_page(self) -> Section:
        """What is below the heading of the last page of an interval: coefficients, norm factors and systems."""
        policy = self.policy
        options = [
            "DISCRETIONARY GOAL MANAGEMENT: NO",
            "DYNAMIC ALIAS MANAGEMENT: YES",
            "I/O PRIORITY MANAGEMENT:  YES",
        ]
        if self.layout == "G2":
            options = [options[2], options[1]]
        form = forms.POLICY.replace("{margin}", " " * 55).replace("{first}", f"{options[0]:<71}")
        form = form.replace("{second}", options[1])
        form = form.replace("{third}", options[2]) if len(options) > 2 else form.replace("\n  {third}", "")
        ioc, cpu, srb, mso = policy.coefficients
        values: dict[str, Any] = {
            "definition": policy.definition,
            "installed": stamp(policy.installed or policy.activated),
            "installed_by": policy.installed_by,
            "policy": policy.name,
            "description": policy.description,
            "ioc": ioc,
            "cpu": cpu,
            "srb": srb,
            "mso": mso,
            "aap": policy.norm_factor_aap,
            "iip": policy.norm_factor_iip,
            "start": times(self.report.intervals.start),
            "length": self.length_s,
        }
        return Section("\n".join([form, "", *self._systems()]), values, part="policy")

    def _systems(self) -> list[str]:
        """SYSTEMS, two tables side by side, filled column by column."""
        boost = self.layout == "G3" and self.report.release >= "V2R4"
        head = forms.SYSTEM_HEAD + ("  --BOOST--" if boost else "")
        cells = []
        for one in sorted(self.policy.systems, key=lambda one: one.name):
            cell = f"{one.name:<8}   {one.opt:>2} {one.su_per_s:8.1f} {one.capacity_pct:4d} %(start)8s  %(length)8.0c"
            cells.append(cell + (f"  {one.boost:<9}" if boost else ""))
        half = (len(cells) + 1) // 2
        gap = " " * (3 if boost else 7)
        lines = ["SYSTEMS", f"  {head + gap + head if len(cells) > 1 else head}"]
        for number in range(half):
            right = gap + cells[half + number] if half + number < len(cells) else ""
            lines.append(f"  {cells[number]}{right}")
        return lines
