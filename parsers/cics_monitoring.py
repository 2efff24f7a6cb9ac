"""CICS Performance Analyzer (CICS PA), Performance Summary and Performance List. Grain: one row per region, span of data and transaction
(summary), and one per task (list).

Source: IBM CICS Performance Analyzer for z/OS Report Reference. Seen on published pages: the three lines at the top, stacked titles, times
in seconds with four decimals and no leading zero, and the columns Tran, APPLID, Userid, #Tasks, Avg Response, Dispatch, User CPU, Suspend,
DispWait, FC Wait and IR Wait Time; of lists the columns Tran, Userid, SC, APPLID, Task, Stop Time, Response Time and UserCPU Time. From field
knowledge, no page seen: all other columns, named by their field of CICS monitoring (DSPDELAY, MXTDELAY, …), and the line of totals. A form is
the site's: its keys, the functions above its titles and the words below them decide nothing; a title that is not known is a reject once per
heading, and the rest is read. Not parsed: other reports of CICS PA.

Times are means per task. User CPU is processor time on all TCBs of the task, time on zIIPs at the speed of a general processor.
"""

import datetime as dt
import re
from typing import Any

from ..pipeline.declaration.layouts import Columns
from ..pipeline.declaration.places import Constant, LineParser, Parsed, Place, Under
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, Report, Table, count, flag, seconds, text, timestamp
from ..pipeline.declaration.rules import AtMost, Sum, Total
from ..pipeline.errors import Problem, Unreadable
from ._cics import read_time
from ._dates import ORDER_HINT, read_date

_STAMP = r"(\d[\d:.]*) +(\d+/\d+/\d+)"


def read_data_line(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Region, and from when to when the data is. Raises Unreadable for an invalid date or time."""
    line = texts[0] or ""
    found: dict[str, Any] = dict.fromkeys(("begin_at", "end_at", "interval_s"))
    applid = re.search(r" APPLID:? +(?!Page\b)([A-Z0-9$#@]+)(?= |$)", line)
    found["page_applid"] = applid and applid[1]
    span = re.search(rf"Data from +{_STAMP}(?: +to +{_STAMP})?", line)
    if not span:
        raise Unreadable(found, [Problem(0, 0, "no time of the data", "Data from hh:mm:ss mm/dd/yyyy", "")])
    try:
        found["begin_at"] = dt.datetime.combine(read_date(span[2], options.date_order), read_time(span[1]))
        if span[3]:
            found["end_at"] = dt.datetime.combine(read_date(span[4], options.date_order), read_time(span[3]))
            found["interval_s"] = (found["end_at"] - found["begin_at"]).total_seconds()
    except ValueError:
        what = f"time of the data {span[0]} cannot be read"
        raise Unreadable(found, [Problem(0, span.start(), what, "hh:mm:ss mm/dd/yyyy", ORDER_HINT)]) from None
    return found


DATA = LineParser(("DATA_LINE",), read_data_line)
_SPAN = (
    Column("begin_at", timestamp(), Parsed(DATA), "Data from: stop of the first task, local time.", nullable=False),
    Column("end_at", timestamp(), Parsed(DATA), "Data to: stop of the last task, local time; NULL if not printed."),
    Column("interval_s", seconds(), Parsed(DATA), "From the first to the last."),
)
# Column of the means, title, what it is.
_TIMES = (
    ("response_s", "RESPONSE", "From the task's start to its end."),
    ("dispatch_s", "DISPATCH", "Dispatched by CICS on a TCB: on a processor, or waiting for one."),
    ("cpu_s", "USER CPU", "Processor time, on zIIPs too."),
    ("suspend_s", "SUSPEND", "Not dispatched by CICS: the sum of all waits."),
    ("dispatch_wait_s", "DISPWAIT", "Of suspend: could run, and waited for its TCB."),
    ("first_dispatch_delay_s", "DSPDELAY", "Of suspend: wait for the first dispatch, with that for MXT and the class."),
    ("mxt_delay_s", "MXTDELAY", "Of the first: because of MXT."),
    ("class_delay_s", "TCLDELAY", "Of the first: because of the transaction class."),
    ("qr_cpu_s", "QR CPU", "Of processor time: on QR."),
    ("l8_cpu_s", "L8 CPU", "Of processor time: on L8, where Db2 and threadsafe programs run."),
    ("t8_cpu_s", "T8 CPU", "Of processor time: on T8, threads of JVM servers."),
    ("cpu_on_cp_s", "CPUTONCP", "Of processor time: on general processors."),
    ("ziip_on_cp_s", "OFFLCPUT", "Of that: eligible for zIIPs."),
    ("db2_wait_s", "DB2 WAIT", "Of suspend: wait for a thread or connection of Db2."),
    ("file_wait_s", "FC WAIT", "Of suspend: file control."),
    ("region_wait_s", "IR WAIT", "Of suspend: another region."),
    ("journal_wait_s", "JC WAIT", "Of suspend: the log."),
    ("storage_wait_s", "TS WAIT", "Of suspend: temporary storage."),
    ("queue_wait_s", "TD WAIT", "Of suspend: transient data."),
    ("lock_wait_s", "LOKDELAY", "Of suspend: a lock of CICS."),
    ("enqueue_wait_s", "ENQDELAY", "Of suspend: an ENQ."),
    ("rmi_s", "RMI ELAP", "In resource managers, such as Db2."),
)
# Titles of two words that a list prints as one.
_AS_ONE = {"USER CPU": ("USERCPU",)}
_COUNTS = (
    ("db2_requests", "DB2 REQS", "SQL requests."),
    ("tcb_switches", "CHMODECT", "Changes from one TCB to another."),
)


def _time(name: str, doc: str, *titles: str, resolution: bool = True) -> Column:
    """Seconds with four decimals, and fewer where five digits fill the field."""
    places = tuple(Under(f"{title} TIME") for title in titles)
    return Column(name, seconds(), places, doc, resolution=resolution, decimals=4, digits=5)


def _keys(kind: str) -> tuple[Column, ...]:
    def name(column: str, title: str, width: int, doc: str, other: Place | None = None) -> Column:
        under = Under(title, pattern=r"^(\S+)$", line=kind, width=width)
        return Column(column, text(), (under, other) if other else under, doc)

    return (
        *_SPAN,
        name("applid", "APPLID", 8, "The region.", Parsed(DATA, "page_applid")),
        name("transaction", "TRAN", 4, "Transaction; NULL on totals."),
        name("program", "PROGRAM", 8, "First program."),
        name("userid", "USERID", 8, "User."),
        name("terminal", "TERM", 4, "Terminal."),
        name(
            "other_key",
            "*",
            8,
            "The first key of a site's form that has no column; the reject of the heading has its title.",
        ),
    )


def _parts_of(whole: str, *parts: str) -> AtMost:
    return AtMost(
        name=f"parts_of_{whole}",
        parts=parts,
        most=(whole,),
        severity="warn",
        digit=0.0001,
        within=0.00005 * len(parts),
        source="CICS monitoring, DFHTASK",
    )


_RULES = (
    Sum(
        name="response_is_dispatch_and_suspend",
        total="response_s",
        parts=("dispatch_s", "suspend_s"),
        severity="warn",
        digit=0.0001,
        within_share=0.02,
        source="CICS monitoring: response time is dispatch and suspend time, but for the time before the first attach",
    ),
    _parts_of("dispatch_s", "cpu_s"),
    _parts_of("suspend_s", "dispatch_wait_s"),
    _parts_of("cpu_s", "qr_cpu_s", "l8_cpu_s", "t8_cpu_s"),
)

# Of a form any may be its key.
_NAMES = ("applid", "transaction", "program", "userid", "terminal", "other_key")

SUMMARY = Table(
    "cics_monitoring_summary",
    grain="one row per region, span of data and transaction: means per task, and the totals of a report",
    rows=("SUMMARY_ROW", "SUMMARY_TOTAL_ROW"),
    key=("applid", "begin_at", "end_at", "is_total", "transaction", "program", "userid", "terminal", "other_key"),
    named_by=_NAMES,
    filled_together=(("tasks", "response_max_s", "suspend_max_s", *(name for name, *_ in (*_TIMES, *_COUNTS))),),
    columns=(
        *_keys("SUMMARY_ROW"),
        Column("is_total", flag(), (Constant(True, ("SUMMARY_TOTAL_ROW",)), Constant(False)), "All tasks together."),
        Column("tasks", count(), Under("#TASKS"), "Number of tasks.", resolution=True),
        *(_time(name, doc, f"AVG {title}") for name, title, doc in _TIMES),
        _time("response_max_s", "Longest response time.", "MAX RESPONSE", resolution=False),
        _time("suspend_max_s", "Longest suspend time.", "MAX SUSPEND", resolution=False),
        *(
            Column(name, count(), Under(f"AVG {title} COUNT"), f"{doc[:-1]}, mean per task.", resolution=True)
            for name, title, doc in _COUNTS
        ),
    ),
    rules=(
        *_RULES,
        Total(name="tasks_of_all_transactions", of={0: ("tasks",)}, over=("applid", "begin_at", "end_at"), counts=True, severity="warn", source="CICS PA, Performance Summary"),
    ),
)  # fmt: skip

TASKS = Table(
    "cics_monitoring_task",
    grain="one row per task",
    rows=("LIST_ROW",),
    key=("applid", "begin_at", "end_at", "task", "stopped_at_printed", "transaction"),
    named_by=_NAMES,
    filled_together=(("task", *(name for name, *_ in (*_TIMES, *_COUNTS))),),
    columns=(
        *_keys("LIST_ROW"),
        Column("start_code", text(), Under("SC", line="LIST_ROW", width=2), "How the task was started."),
        Column("task", count(), Under("TASK"), "Number of the task."),
        Column(
            "stopped_at_printed",
            text(),
            Under("STOP TIME", line="LIST_ROW", around=11),
            "When it ended, as printed: hh:mm:ss.th without a date.",
        ),
        *(_time(name, doc, title, *_AS_ONE.get(title, ())) for name, title, doc in _TIMES),
        *(Column(name, count(), Under(f"{title} COUNT"), doc) for name, title, doc in _COUNTS),
    ),
    rules=_RULES,
)

# Titles stand a blank apart, also those that nobody knows: the known ones say where words end.
_WORDS = (
    "#TASKS",
    *(title for _, title, _ in (*_TIMES, *_COUNTS)),
    *(t for titles in _AS_ONE.values() for t in titles),
)
_ART = """\
                     Avg      Avg      Avg      Avg      Avg      Avg      Avg      Avg
Tran     #Tasks Response Dispatch User CPU   QR CPU   L8 CPU  Suspend DispWait DSPDELAY
                    Time     Time     Time     Time     Time     Time     Time     Time

ssss dddddddddd ppp.pppp ppp.pppp ppp.pppp ppp.pppp ppp.pppp ppp.pppp ppp.pppp ppp.pppp"""
REPORT = Report(
    "cics_monitoring",
    summary="CICS PA Performance Summary and List: response, dispatch, CPU, suspend and waits (columns partly from field knowledge)",
    page_top=r"^ *(?:V\d+R\d+M\d+ +)?CICS Performance Analyzer *$",
    title=r"^ *Performance (?:Summary|List) *$",
    doc=__doc__ or "",
    tables=(SUMMARY, TASKS),
    interval=("DATA_LINE",),
    not_below=(("LIST_HEAD", "SUMMARY_TITLE"), ("SUMMARY_HEAD", "LIST_TITLE")),
    once=("SUMMARY_HEAD_MORE", "LIST_HEAD_MORE"),
    unread={"a site's own title": ("SITE_TEXT",)},
    layouts=(
        Columns(
            ("SUMMARY_HEAD", "SUMMARY_FORM_HEAD", "SUMMARY_HEAD_MORE", "FORM_HEAD_MORE"),
            ("SUMMARY_ROW", "SUMMARY_TOTAL_ROW"),
            depth=3,
            digits=True,
            together=_WORDS,
            keys=8,
            flush=True,
            art=(_ART,),
        ),
        Columns(
            ("LIST_HEAD", "LIST_FORM_HEAD", "LIST_HEAD_MORE", "FORM_HEAD_MORE"),
            ("LIST_ROW",),
            depth=2,
            digits=True,
            together=_WORDS,
            keys=8,
            flush=True,
        ),
    ),
)
