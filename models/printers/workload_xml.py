"""Write RMF Workload Activity of a sysplex as an XML document of the Postprocessor: classes and the service policy, with the digits of print.

The names are from public code that reads these documents; none is published. The headings of the tables are ours: nobody
published them. How XML names periods, report classes, goals by system and distributions is not known: they are printed.
"""

import re
from collections.abc import Iterator
from html import escape

import numpy as np

from ...pipeline.printing.pages import Paper, Section, print_intervals
from ..contents.workload import Work, WorkloadActivity
from . import _workload_forms as forms
from ._headings import stamp, times
from ._xml_forms import PADDED, row, table, top, variables
from .workload import WorkloadPrinter, layout_of

_PAPER = Paper(page_lines=1 << 30)
_HOLES = {hole[1]: hole[0] for hole in re.finditer(r"%\((\w+)\)[0-9.]+[a-z]", forms.G3_BLOCK + forms.G3_SERVICE_BLOCK)}
_TIME = "Transaction Time (HHH.MM.SS.FFFFFF)"
# Parts of names and values, and the fact that each value is.
# fmt: off
_PARTS = {
    "Transactions": {"Average": "avg", "MPL": "mpl", "Ended": "ended", "Ended/sec": "ended_per_s", "# of Swaps": "swaps", "Executed": "executed"},
    _TIME: {
        "Actual": "actual_s", "Execution": "execution_s", "Queued": "queued_s", "Resource/System Affinity": "affinity_s",
        "Ineligible": "ineligible_s", "Conversion": "conversion_s", "Standard Deviation": "deviation_s",
    },
    "Enclaves": {"Average Enclaves": "enclaves", "Remote Enclaves": "remote_enclaves", "Multi-System Enclaves": "multisystem_enclaves"},
    "Service": {
        "IOC": "ioc", "CPU": "cpu", "MSO": "mso", "SRB": "srb", "Total": "total_service", "Per Second": "service_per_s",
        "Absorption Rate": "absorption", "Transaction Service Rate": "service_rate",
    },
    "Service Time": {"CPU": "cpu_s", "SRB": "srb_s", "RCT": "rct_s", "I/O Interrupt": "iit_s", "Hiperspace": "hst_s", "zIIP": "iip_s", "zAAP": "aap_s"},
    "Application Time %": {"CP": "appl_cp", "zIIP on CP": "appl_iipcp", "zIIP": "appl_iip", "zAAP on CP": "appl_aapcp", "zAAP": "appl_aap"},
    "Promoted Transactions": {"Blocked": "blk_s", "Enqueue": "enq_s", "CRM": "crm_s", "Lock": "lck_s", "SUP": "sup_s"},
    "DASD I/O": {
        "SSCH/sec": "ssch_per_s", "Response Time": "response_ms", "Connect Time": "connect_ms", "Disconnect Time": "disconnect_ms",
        "Queue+Pending Time": "qpend_ms", "IOS Queue Time": "iosq_ms",
    },
    "Storage Frames": {"Average": "frames_avg", "Total": "frames", "Shared": "shared_frames"},
    "Page-In Rates": {
        "Single": "page_in_single_per_s", "Blocked": "page_in_block_per_s", "Shared": "page_in_shared_per_s", "Hiperspace": "page_in_hsp_per_s",
    },
}
# fmt: on


def print_workload_xml(report: WorkloadActivity) -> bytes:
    """The postprocessor elements of all intervals of a sysplex; BEGIN and END of printers/xml.py are around those of a document."""
    if not has_xml(report):
        raise ValueError("the names of z/OS V2R3 and later are known")
    printer = WorkloadPrinter(report)
    metric = "WLMGL", "Workload Activity Report"
    head = top((report.sysplex, "SYSPLEX"), report.release, report.intervals, metric, report.release)
    date, time = stamp(report.policy.activated).split()
    activation = Section(_segment("Policy Activation", _part("", variables((("Date", date), ("Time", time))))))
    sections = [activation, *_classes(printer), _policy(printer), Section("</postprocessor>")]
    return PADDED.sub(b"", print_intervals(len(report.intervals), sections, lambda page, part: head, _PAPER))


def has_xml(report: WorkloadActivity) -> bool:
    """Whether the names are known: times are printed to the millionth, as from z/OS V2R3 on."""
    return layout_of(report.release) == "G3"


def _segment(title: str, *parts: str) -> str:
    return "\n".join([f"<segment><name>{escape(title)}</name>", *parts, "</segment>"])


def _part(title: str, content: str) -> str:
    return "\n".join(["<part>", *([f"<name>{escape(title)}</name>"] if title else []), content, "</part>"])


def _classes(printer: WorkloadPrinter) -> Iterator[Section]:
    for one in printer.report.classes:
        names = [
            *(("Policy", printer.policy.name), ("Workload", one.workload), ("Service Class", one.name)),
            *([("Description", one.description)] if one.description else []),
            *(("Resource Group", one.resource_group), ("Critical", one.critical)),
        ]
        yield _block(printer, f"Service Class {one.name}", names, one.work)


def _block(printer: WorkloadPrinter, title: str, names: list[tuple[str, str]], work: Work) -> Section:
    values = printer.values(work)
    parts = [_part("", variables(names))]
    parts += [
        _part(part, variables((name, _HOLES[fact]) for name, fact in holes.items())) for part, holes in _PARTS.items()
    ]
    rows = [row("TOTAL", *(_HOLES[f"total_{kind}"] for kind in ("cp", "on_cp", "ziip")))]
    rows += [row(category, *[_HOLES["no_category"]] * 3) for category in ("MOBILE", "CATEGORYA", "CATEGORYB")]
    headings = ("Category", "CP", "zIIP/zAAP on CP", "zIIP/zAAP")
    parts.append(_part("Transaction Application Time %", "\n".join([table(headings), *rows, "</table>"])))
    return Section(_segment(title, *parts), values)


def _policy(printer: WorkloadPrinter) -> Section:
    policy = printer.policy
    date, time = stamp(policy.installed or policy.activated).split()
    definition = [
        *(("Name", policy.definition), ("Install Date", date), ("Install Time", time)),
        *(("Installed By", policy.installed_by), ("Policy", policy.name), ("Policy Description", policy.description)),
        *(
            ("Discretionary Goal Management", "NO"),
            ("Dynamic Alias Management", "YES"),
            ("I/O Priority Management", "YES"),
        ),
    ]
    coefficients = zip(("IOC", "CPU", "SRB", "MSO"), (".1", ".1", ".1", ".4"), policy.coefficients, strict=True)
    factors = [
        ("zAAP Normalization Factor", f"{policy.norm_factor_aap:.4f}"),
        ("zIIP Normalization Factor", f"{policy.norm_factor_iip:.4f}"),
    ]
    systems = [
        row(
            *(one.name, one.opt, f"{one.su_per_s:.1f}", one.capacity_pct, "%(start)8s", "%(length)8.0c"),
            one.boost if printer.report.release >= "V2R4" else "",
        )
        for one in sorted(policy.systems, key=lambda one: one.name)
    ]
    headings = ("System", "OPT", "SU/SEC", "CAP%", "Time", "Interval", "Boost")
    form = _segment(
        "Service Policy Section",
        _part("Service Definition", variables(definition)),
        _part(
            "Service Definition Coefficients", variables((name, f"{value:{to}f}") for name, to, value in coefficients)
        ),
        _part("Normalization Factors", variables(factors)),
        _part("Systems", "\n".join([table(headings), *systems, "</table>"])),
    )
    return Section(form, {"start": times(printer.report.intervals.start), "length": np.asarray(printer.length_s)})
