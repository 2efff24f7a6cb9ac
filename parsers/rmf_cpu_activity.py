"""RMF CPU Activity (Postprocessor, Monitor I). Grain: one row per interval, logical processor and thread.

Source: IBM z/OS RMF Report Analysis, "CPU - CPU Activity report"; layouts of z/OS V2R1 to V2R5, with and without the
columns of multithreading. Processor numbers are hexadecimal. A core with two threads prints a second line with only the
second thread's MVS BUSY and PARKED; values of the core are on thread 0. An asterisk beside a value of a
duration report means that it changed; the printed value is the newest. The analysis of address spaces, work units and blocked
workload: see _rmf_cpu_queues.py. In XML: published documents of z/OS V2R4 and V2R5, without columns of multithreading.
"""

import re
from typing import Any

from ..pipeline.declaration.layouts import Columns, XmlRows, XmlVariables
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Col, Constant, LineParser, Parsed, Under, Var
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import (
    Column,
    Report,
    Table,
    count,
    flag,
    number,
    per_second,
    percent,
    text,
    time_percent,
)
from ..pipeline.declaration.rules import AtMost, Ratio, Total
from ..pipeline.errors import Problem, Unreadable
from . import _rmf_cpu_queues
from . import _smf_cpu as smf
from ._rmf import ANY_HEADER, UNREAD_PARTS, header_columns
from ._smf import in_records

# Of a value that is lost, the next label is none.
_WORD = r"(?!CPC |CHANGE |SEQUENCE |HIPERDISPATCH)(\w+)"
_HEADING_FIELDS = {
    "cpc_type": rf"^[ 0-]*CPU +{_WORD}",
    "cpc_model": rf"(?<!H/W )\bMODEL +{_WORD}",
    "hardware_model": rf"H/W MODEL +{_WORD}",
    "cpc_capacity": r"CPC CAPACITY +(\S+?)\*?(?: |$)",
    "sequence_code": r"SEQUENCE ?CODE *(\w+)",
    "hiperdispatch": r"HIPERDISPATCH *= *(\w+)",
    "change_reason": r"CHANGE REASON *= ?([^ =]+(?: [^ =]+)*)(?=  | *$)",
    "boost_type": r"BOOST TYPE *= ?([^ =]+(?: [^ =]+)*)(?=  | *$)",
    "boost_class": r"BOOST CLASS *= ?([^ =]+(?: [^ =]+)*)(?=  | *$)",
}


def read_machine(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """The machine, its capacity (MSU per hour) and its boost, on up to three lines above the processors; None if not printed, or printed as
    N/A."""
    found: dict[str, Any] = dict.fromkeys(_HEADING_FIELDS)
    for name, pattern in _HEADING_FIELDS.items():
        for at, line in enumerate(texts):
            match = re.search(pattern, line or "")
            if not match:
                continue
            found[name] = None if match[1].strip("-") in ("", "N/A") else match[1]
            if name == "cpc_capacity" and found[name] is not None:
                if not re.fullmatch(r"\d+(\.\d+)?", match[1]):
                    what = f"CPC CAPACITY {match[1]!r} cannot be read"
                    problem = Problem(at, match.start(1), what, "a number of MSU", "")
                    raise Unreadable(found | {name: None}, [problem])
                found[name] = float(match[1])
            break
    return found


MACHINE = LineParser(("MACHINE_LINE", "MODEL_LINE", "HARDWARE_LINE"), read_machine)

_KEY = ("system", "report_kind", "interval_start", "interval_end")
_XML = ("XML_ROW", "XML_SUM_ROW")
_SCOPE = Parsed(ANY_HEADER, "system")

# A number, and perhaps the asterisk of a changed value.
_VALUE = r"^([^ *]+) ?\*?$"


def _value(title: str, group: str = "", width: int = 0, line: str = "") -> Under:
    return Under(title, group, _VALUE, line=line, width=width)


def _of_machine(name: str, pattern: str = "", words: tuple[tuple[str, str], ...] = ()) -> tuple[Parsed, Var]:
    """A value above the processors, in print or in XML. N/A there is no value in print: what it means is not known."""
    return Parsed(MACHINE), Var("CPU Activity", name, pattern, words)


# What XML calls a boost, and what print does; other words are rejected.
_BOOST_TYPES = (
    ("NONE", "None"),
    ("None", "None"),
    ("SPEED", "Speed"),
    ("Speed", "Speed"),
    ("ZIIP", "zIIP"),
    ("zIIP", "zIIP"),
)
_BOOST_CLASSES = tuple(
    (said, word) for word in ("None", "IPL", "Shutdown", "Recovery") for said in dict.fromkeys((word, word.upper()))
)
# Types have the words of print; other words are rejected.
_TYPES = tuple((word, word) for word in ("CP", "IIP", "AAP"))

# Carriage control left before the heading.
_CONTROL = r"^0$"
_SHARE = "LOG PROC SHARE %"

_RMF = "RMF Report Analysis, CPU Activity"
_OF_TYPE = (*_KEY, "processor_type")

# fmt: off
CPU = Table(
    "rmf_cpu_activity",
    role="processors",
    grain="one row per logical processor and thread, and one per processor type for its printed total or average",
    rows=("CPU_ROW", "THREAD_ROW", "TOTAL_ROW", *_XML),
    blank_on=(
        (
            "THREAD_ROW",
            (
                *("online_pct", "lpar_busy_pct", "mt_productivity_pct", "mt_utilization_pct"),
                *("logical_share_pct", "io_interrupts_per_s", "io_interrupts_tpi_pct"),
            ),
        ),
        ("TOTAL_ROW", ("online_pct", "parked_pct")),
    ),
    filled_together=(("io_interrupts_per_s", "io_interrupts_tpi_pct"),),
    key=(*_KEY, "processor_type", "processor_id", "thread"),
    # Warnings: published pages show only some of the processors above their totals.
    rules=(
        Total(
            name="total_is_the_average_of_its_processors",
            of={0.01: ("lpar_busy_pct",)},
            over=_OF_TYPE,
            rows=("thread", (0,)),
            alike="online_pct",
            severity="warn",
            source=_RMF,
        ),
        Total(
            name="total_is_the_sum_of_its_processors",
            of={0.1: ("logical_share_pct",), 1: ("io_interrupts_per_s",)},
            over=_OF_TYPE,
            rows=("thread", (0,)),
            within_share=0.001,
            severity="warn",
            source=_RMF,
        ),
        AtMost(
            name="specialty_engines_take_no_interrupts",
            parts=("io_interrupts_per_s", "io_interrupts_tpi_pct"),
            most=(),
            where=("processor_type", ("IIP", "AAP")),
            source=f"{_RMF}; published pages leave both blank",
        ),
        Ratio(
            name="utilization_is_busy_times_productivity",
            found="mt_utilization_pct",
            of=("lpar_busy_pct", "mt_productivity_pct"),
            times=0.01,
            digit=0.01,
            where=("thread", (0,)),
            severity="warn",
            source=_RMF,
        ),
    ),
    columns=in_records(smf.CPU, (
        *header_columns(scope=_SCOPE, xml_rows=_XML, in_smf=True),
        Column("is_total", flag(), (Constant(True, ("TOTAL_ROW", "XML_SUM_ROW")), Constant(False)), "The row is TOTAL/AVERAGE."),
        Column("processor_type", text(), (Under("TYPE", line="CPU_ROW", reach="above", until=("TOTAL_ROW",)), Col("CPU Type", words=_TYPES)), "CP, IIP (zIIP) or AAP (zAAP).", nullable=False),
        Column(
            "processor_id",
            text(),
            (
                Under("NUM", pattern=r"^(?:[0-] +)?([0-9A-F]+)$", line="CPU_ROW", reach="above", rows=("CPU_ROW", "THREAD_ROW"), until=("TOTAL_ROW",)),
                Col("CPU Number", r"^([0-9A-F]+)$", line="XML_ROW"),
            ),
            "Number of the processor in hexadecimal digits, as printed; NULL on totals.",
            needed_on=("XML_ROW",),
        ),
        Column(
            "thread",
            count(),
            (Constant(0, ("CPU_ROW", "XML_ROW")), Constant(1, ("THREAD_ROW",))),
            "0, or 1 for the second thread of a core; values of the whole core are on thread 0.",
        ),
        Column("online_pct", time_percent(), (_value("ONLINE", line="CPU_ROW"), Col("Time% Online")), "Share of the interval online.", decimals=2),
        Column("lpar_busy_pct", time_percent(), (_value("LPAR BUSY"), Col("Time% LPAR Busy")), "Share of the online time dispatched on a real engine.", decimals=2),
        Column("mvs_busy_pct", time_percent(), (_value("MVS BUSY"), Col("Time% MVS Busy")), "Share of the online time not in wait, as seen by z/OS.", decimals=2),
        Column("parked_pct", time_percent(), (_value("PARKED"), Col("Time% Parked", optional=True)), "Share of the online time parked by HiperDispatch.", decimals=2),
        Column("mt_productivity_pct", time_percent(), _value("PROD", width=6), "Work done while busy, relative to the core's maximum with all threads.", decimals=2),
        Column("mt_utilization_pct", time_percent(), _value("UTIL", width=6), "Used capacity of the core: LPAR BUSY × productivity.", decimals=2),
        Column(
            "logical_share_pct",
            percent(None),
            (Under(_SHARE, pattern=r"^([^ *]+)", width=13, around=10), Col("LOG PROC Share%")),
            "Guaranteed share of a real engine by weight; the sum on totals.",
            decimals=1,
        ),
        Column(
            "polarization",
            text(),
            (Under(_SHARE, pattern=r"(HIGH|MED|LOW)", width=13, around=10), Col("HiperDispatch Priority", r"^(HIGH|MED|LOW)$", optional=True)),
            "HiperDispatch: HIGH, MED or LOW share.",
            allowed=("HIGH", "MED", "LOW"),
        ),
        Column("io_interrupts_per_s", per_second(), (_value("RATE"), Col("I/O Interrupts Rate")), "I/O interrupts handled.", resolution=True),
        Column("io_interrupts_tpi_pct", percent(), (_value("% VIA TPI"), Col("I/O Interrupts% via TPI")), "Of these, by TEST PENDING INTERRUPTION.", decimals=2),
        Column("cpc_type", text(), _of_machine("CPU"), "Machine type."),
        Column("cpc_model", text(), _of_machine("Model"), "Capacity model."),
        Column("hardware_model", text(), _of_machine("H/W Model"), "Hardware model."),
        Column("cpc_capacity", number("MSU/h"), _of_machine("CPC Capacity", r"^([^ *]+) ?\*?$"), "CPC CAPACITY."),
        Column("sequence_code", text(), _of_machine("Sequence Code"), "Sequence code (serial number) of the machine."),
        Column("hiperdispatch", text(), _of_machine("HiperDispatch"), "YES or NO."),
        Column("change_reason", text(), _of_machine("Change Reason"), "Why the capacity changed."),
        Column("boost_type", text(), _of_machine("Boost Type", words=_BOOST_TYPES), "System Recovery Boost: None, Speed, zIIP, …"),
        Column("boost_class", text(), _of_machine("Boost Class", words=_BOOST_CLASSES), "Reason of the boost: None, IPL, Shutdown, Recovery."),
    )),
    # Of what CPU Activity prints, and where a partition used what, a value in which prints differ is unknown.
    once=Once(
        "online_pct lpar_busy_pct mvs_busy_pct parked_pct logical_share_pct hiperdispatch",
        more="is_total",
        most="interval_s polarization",
        or_null=True,
    ),
)
# fmt: on

# fmt: off
MULTITHREADING = Table(
    "rmf_multithreading",
    grain="one row per processor type",
    rows=("MT_ROW",),
    key=(*_KEY, "processor_type"),
    covers=False,
    columns=in_records(smf.MULTITHREADING, (
        *header_columns(scope=_SCOPE, xml_rows=(), in_smf=True),
        Column("processor_type", text(), Under("CPU TYPE"), "CP or IIP (zIIP).", nullable=False),
        Column("threads_per_core", count(), Under("MODE"), "MODE: threads per core.", minimum=1, filled=True),
        Column("capacity_factor_max", number(), Under("MAX CF"), "MAX CF: maximum work of a core with all threads, relative to one thread.", decimals=3, filled=True),
        Column("capacity_factor", number(), Under("CF"), "CF: work of a core as measured, relative to one thread.", decimals=3, filled=True),
        Column("thread_density_avg", number(), Under("AVG TD"), "Threads active while the core was busy.", decimals=3, filled=True),
    )),
    once=Once(
        "capacity_factor capacity_factor_max",
        where="threads_per_core IS NOT NULL",
        most="threads_per_core",
        or_null=True,
    ),
)
# fmt: on

_TITLES = """\
---CPU---    ---------------- TIME % ----------------     LOG PROC      --I/O INTERRUPTS--
NUM  TYPE    ONLINE    LPAR BUSY    MVS BUSY   PARKED     SHARE %       RATE     % VIA TPI

"""
_PROCESSOR = "ww    sss    fff.ff   fff.ff       mmm.mm      fff.ff    ffff.f  ssss   ff.ff   fff.ff"
_TOTAL = "TOTAL/AVERAGE         fff.ff       fff.ff                ffff.f         ff.ff   fff.ff"

REPORT = Report(
    "rmf_cpu_activity",
    summary=(
        "RMF CPU Activity: processors, threads, printed totals, multithreading, address spaces, work units, blocked workload "
        "(address spaces beside work units from field knowledge)"
    ),
    banner="CPUACTIVITY",
    doc=__doc__ or "",
    tables=(CPU, MULTITHREADING, *_rmf_cpu_queues.TABLES),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    records=smf.ROWS_OF_CPU,
    numbered=("TITLE", "PAGE_NO"),
    in_turn=(
        "MACHINE_LINE",
        "CPU_HEAD",
        "MT_RULE",
        "ADDRESS_SPACE_TITLE",
        "QUEUE_HEAD",
        "WORK_UNIT_RULE",
        "BLOCKED_TITLE",
    ),
    unread={
        "MESSAGES": ("XML_MESSAGE",),
    },
    unread_parts=UNREAD_PARTS,
    layouts=(
        Columns(
            ("CPU_HEAD",),
            ("CPU_ROW", "THREAD_ROW"),
            depth=2,
            ignored=(_CONTROL,),
            art=(_TITLES + _PROCESSOR,),
        ),
        Columns(
            ("CPU_HEAD",),
            ("TOTAL_ROW",),
            depth=2,
            ignored=(_CONTROL, r"^NUM$", r"^TYPE$", r"^ONLINE$"),
            art=(_TITLES + _TOTAL,),
        ),
        Columns(("MT_HEAD",), ("MT_ROW",)),
        XmlVariables(("XML_PROCESSORS_TITLE", "XML_QUEUE_TITLE", "XML_BLOCKED_TITLE"), ("XML_VAR_ROW",)),
        XmlRows(("XML_COLS_HEAD",), _XML),
        *_rmf_cpu_queues.LAYOUTS,
    ),
)
