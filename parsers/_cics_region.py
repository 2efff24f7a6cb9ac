"""The parts of CICS statistics that tell what a region did as a whole: transaction manager, dispatcher, transactions, transaction classes
and storage.

DFHSTUP: names of values and columns are IBM's (CICS Transaction Server, "DFHSTUP name" of each statistic); their places on the page and
how headings wrap are field knowledge, no page was seen. DFH0STAT: the pages Transaction Manager, Dispatcher, Dispatcher TCB Modes and Storage BELOW 16MB are
published (CICS TS 3.1); Storage ABOVE 16MB is field knowledge. Its pages are known by their titles: labels below them that have no column are
unread. Dynamic storage areas stand side by side as on the published storage page of DFH0STAT.
"""

from ..pipeline.declaration.layouts import Columns, Pairs, SideBySide, TableLayout, WholeRows
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Constant, Field, Labelled, Spread, Under
from ..pipeline.declaration.report import (
    Column,
    Table,
    amount,
    count,
    duration,
    flag,
    percent,
    storage,
    text,
)
from ..pipeline.declaration.rules import AtMost, Total
from ._cics import KEY, REGION, REGION_OF_DFHSTUP, counts, labelled, lengths, levels, stamps, texts

_GUIDE = "CICS statistics"

# fmt: off
MANAGER = Table(
    "cics_transaction_manager",
    grain="one row per region and collection: how many tasks there were, and how often MXT held them up",
    rows=("MANAGER_NAME_ROW", "STAT_MANAGER_TITLE"),
    key=KEY,
    in_parts=True,
    columns=(
        *REGION,
        *counts(
            ("transactions_total", "Tasks of users and of CICS itself since the last reset.", ("TOTAL NUMBER OF TRANSACTIONS (USER + SYSTEM)", "ACCUMULATED TRANSACTIONS (SINCE RESET)")),
            ("transactions_total_so_far", "The same since CICS started; only DFH0STAT prints it.", ("TOTAL ACCUMULATED TRANSACTIONS SO FAR",)),
        ),
        *counts(("mxt", "MXT: user tasks allowed at a time.", ("CURRENT MAXTASKS LIMIT", "MAXIMUM TRANSACTIONS ALLOWED (MXT)"))),
        *levels(("active_current", "User tasks now.", ("CURRENT NUMBER OF ACTIVE USER TRANSACTIONS", "CURRENT ACTIVE USER TRANSACTIONS"))),
        *counts(("active_peak", "Most user tasks at a time.", ("PEAK NUMBER OF ACTIVE USER TRANSACTIONS", "PEAK ACTIVE USER TRANSACTIONS"))),
        *levels(
            ("queued_current", "User tasks that wait because of MXT.", ("CURRENT NUMBER OF MAXTASK QUEUED USER TRANSACTIONS", "CURRENT QUEUED USER TRANSACTIONS")),
            ("queued_peak", "Most of them at a time.", ("PEAK NUMBER OF MAXTASK QUEUED USER TRANSACTIONS", "PEAK QUEUED USER TRANSACTIONS")),
            ("running_current", "Tasks that run now; only DFH0STAT prints it.", ("CURRENT RUNNING TRANSACTIONS",)),
            ("dispatchable_current", "Tasks that could run; only DFH0STAT prints it.", ("CURRENT DISPATCHABLE TRANSACTIONS",)),
            ("suspended_current", "Tasks that wait; only DFH0STAT prints it.", ("CURRENT SUSPENDED TRANSACTIONS",)),
            ("system_current", "Tasks of CICS itself; only DFH0STAT prints it.", ("CURRENT SYSTEM TRANSACTIONS",)),
        ),
        *counts(
            ("times_at_mxt", "How often the limit was reached.", ("TIMES THE MAXTASKS LIMIT REACHED", "TIMES AT MXT")),
            ("active_total", "User tasks that became active.", ("TOTAL NUMBER OF ACTIVE USER TRANSACTIONS", "TOTAL ACTIVE USER TRANSACTIONS")),
            ("delayed_by_mxt", "User tasks that had to wait because of MXT.", ("TOTAL NUMBER OF MAXTASK DELAYED USER TRANSACTIONS", "TRANSACTIONS DELAYED BY MXT")),
        ),
        *lengths(
            ("mxt_queue_time_s", "How long they waited, together.", ("TOTAL MAXTASK QUEUING TIME", "TOTAL MXT QUEUEING TIME")),
            ("mxt_queue_time_current_s", "How long those that wait now have waited.", ("TOTAL MAXTASK QUEUING TIME OF CURRENTLY QUEUED USER TRANSACTIONS", "TOTAL QUEUEING TIME FOR CURRENT QUEUED")),
            ("mxt_queue_time_avg_s", "Mean of those that waited; only DFH0STAT prints it.", ("AVERAGE MXT QUEUEING TIME",)),
            ("mxt_queue_time_current_avg_s", "Mean of those that wait; only DFH0STAT prints it.", ("AVERAGE QUEUEING TIME FOR CURRENT QUEUED",)),
        ),
        Column("transactions_per_s_printed", amount(), labelled(("TRANSACTION RATE PER SECOND",)), "Tasks per second as printed; only DFH0STAT prints it."),
    ),
    rules=(
        AtMost(name="peak_of_tasks_at_most_mxt", parts=("active_peak",), most=("mxt",), severity="warn", source=f"{_GUIDE}: MXT may be lowered while tasks run"),
        AtMost(name="user_tasks_at_most_all_tasks", parts=("active_total",), most=("transactions_total",), severity="warn", source=_GUIDE),
    ),
)

DISPATCHER = Table(
    "cics_dispatcher",
    grain="one row per region and collection: processor time of the address space",
    rows=("DISPATCHER_NAME_ROW", "STAT_DISPATCHER_TITLE"),
    key=KEY,
    in_parts=True,
    columns=(
        *REGION,
        *stamps(("dispatcher_start", "When the dispatcher started, local time as printed.", ("DISPATCHER START DATE AND TIME", "DISPATCHER START TIME AND DATE"))),
        *texts(
            ("address_space_cpu_so_far", "Processor time since CICS started, as printed; only DFH0STAT prints it.", ("ADDRESS SPACE ACCUMULATED CPU TIME",)),
            ("address_space_srb_so_far", "The same of SRBs.", ("ADDRESS SPACE ACCUMULATED SRB TIME",)),
        ),
        *lengths(
            ("address_space_cpu_s", "Processor time of all TCBs since the last reset, those of other products too.", ("ADDRESS SPACE CPU TIME", "ADDRESS SPACE CPU TIME (SINCE RESET)")),
            ("address_space_srb_s", "Processor time of SRBs since the last reset.", ("ADDRESS SPACE SRB TIME", "ADDRESS SPACE SRB TIME (SINCE RESET)")),
        ),
        *levels(
            ("tasks_current", "Tasks in the dispatcher, those of CICS itself too.", ("CURRENT NUMBER OF DISPATCHER TASKS", "CURRENT NUMBER OF CICS DISPATCHER TASKS")),
            ("tasks_peak", "Their peak.", ("PEAK NUMBER OF DISPATCHER TASKS", "PEAK NUMBER OF CICS DISPATCHER TASKS")),
            ("mro_batching", "MROBTCH.", ("CURRENT MRO (QR) BATCHING (MROBTCH) VALUE", "MRO (QR) BATCHING (MROBTCH) VALUE")),
            ("subtasks", "SUBTSKS: whether there is a CO TCB.", ("CONCURRENT SUBTASKING (SUBTSKS) VALUE",)),
            ("tcbs_attached_current", "TCBs of all modes; only DFH0STAT prints it.", ("CURRENT NUMBER OF TCBS ATTACHED",)),
            ("tcbs_in_use_current", "Of these, TCBs that a task uses; only DFH0STAT prints it.", ("CURRENT NUMBER OF TCBS IN USE",)),
            ("tcb_modes", "TCB modes.", ("NUMBER OF CICS TCB MODES",)),
            ("tcb_pools", "TCB pools.", ("NUMBER OF CICS TCB POOLS",)),
        ),
        *(
            Column(name, count("ms"), (Labelled(f"CURRENT {label} TIME (MSEC)"), Labelled(f"CURRENT {of_stat} TIME", "ms")), doc)
            for name, label, of_stat, doc in (
                ("icv_ms", "ICV", "ICV", "ICV: longest time without work before CICS looks again."),
                ("icvr_ms", "ICVR", "ICVR", "ICVR: a task that runs longer is taken for a loop."),
                ("icvtsd_ms", "ICVTSD", "ICVTSD", "ICVTSD: scan delay of terminals."),
                ("prtyage_ms", "PRTYAGE", "PRTYAGING", "PRTYAGE: in which time a waiting task's priority rises by 1."),
            )
        ),
        *counts(
            ("excess_tcb_scans", "Scans for TCBs that nothing needs.", ("NUMBER OF EXCESS TCB SCANS",)),
            ("excess_tcb_scans_without_detach", "Of these, without any detached.", ("EXCESS TCB SCANS - NO TCB DETACHED",)),
            ("excess_tcbs_detached", "TCBs detached by them.", ("NUMBER OF EXCESS TCBS DETACHED",)),
        ),
    ),
)
# fmt: on


def _counted(name: str, title: str, doc: str, group: str = "", whole: bool = False) -> Column:
    return Column(name, count(), Under(title, group, whole=whole), doc, resolution=True)


def _over(kind: str, *columns: str) -> Total:
    return Total(
        name=f"totals_are_the_sum_of_their_{kind}", of={0: columns}, over=KEY, source=f"{_GUIDE}, DFHSTUP", counts=True
    )


MODES = Table(
    "cics_tcb_mode",
    grain="one row per region, collection and TCB mode: how many TCBs there were",
    rows=("MODE_ROW", "MODE_TOTAL_ROW"),
    key=(*KEY, "is_total", "tcb_mode"),
    columns=(
        *REGION_OF_DFHSTUP,
        Column("is_total", flag(), (Constant(True, ("MODE_TOTAL_ROW",)), Constant(False)), "The row is the totals."),
        Column("tcb_mode", text(), Under("TCB MODE", line="MODE_ROW", width=4), "QR, RO, L8, T8, …; NULL on totals."),
        Column("is_open", text(), Under("OPEN", line="MODE_ROW", width=7), "Whether the mode is an open one."),
        Column("tcb_pool", text(), Under("TCB POOL", line="MODE_ROW", width=5), "Pool: OPEN, SSL, THRD or XP."),
        _counted("tcbs_attached_current", "CURRENT", "TCBs.", "TCBS ATTACHED"),
        Column("tcbs_attached_peak", count(), Under("PEAK", "TCBS ATTACHED"), "Their peak."),
        _counted("tcbs_in_use_current", "CURRENT", "TCBs that a task uses.", "TCBS IN USE"),
        Column("tcbs_in_use_peak", count(), Under("PEAK", "TCBS IN USE"), "Their peak."),
        _counted("tcb_attaches", "TCB ATTACHES", "TCBs made."),
        _counted("detached_unclean", "UNCLEAN", "TCBs ended because their task failed.", "TCBS DETACHED"),
        _counted("detached_stolen", "STOLEN", "TCBs ended to make one of another mode.", "TCBS DETACHED"),
        _counted("detached_excess", "EXCESS", "TCBs ended because nothing needed them.", "TCBS DETACHED"),
        _counted("detached_other", "OTHER", "TCBs ended for another reason.", "TCBS DETACHED"),
        _counted("tcb_steals", "TCB STEALS", "TCBs of this mode made from one of another."),
        _counted("tcb_mismatches", "TCB MISMATCHES", "Tasks that got a TCB of another key or use, set up anew."),
    ),
    rules=(
        _over("modes", "tcbs_attached_current", "tcb_attaches", "tcb_steals", "tcb_mismatches"),
        AtMost(
            name="tcbs_in_use_at_most_attached",
            parts=("tcbs_in_use_current",),
            most=("tcbs_attached_current",),
            source=_GUIDE,
        ),
    ),
)

_STUP, _STAT = ("TIME_ROW", "TIME_TOTAL_ROW"), ("STAT_TIME_ROW",)


def _time(name: str, title: str, of_stat: str, doc: str) -> Column:
    """A time: right-aligned with its title on DFHSTUP, centred below it on DFH0STAT."""
    return Column(name, duration(), (Under(title, rows=_STUP), Under(of_stat, rows=_STAT, around=14)), doc)


TIMES = Table(
    "cics_tcb_time",
    grain="one row per region, collection and TCB mode: times of its TCBs",
    rows=(*_STUP, *_STAT),
    key=(*KEY, "is_total", "tcb_mode"),
    columns=(
        *REGION,
        Column("is_total", flag(), (Constant(True, ("TIME_TOTAL_ROW",)), Constant(False)), "The row is the totals."),
        Column(
            "tcb_mode",
            text(),
            (Under("TCB MODE", line="TIME_ROW", width=8), Under("TCB MODE", line="STAT_TIME_ROW", width=4)),
            "QR, RO, L8, T8, …; NULL on totals.",
        ),
        Column("tcbs_attached_current", count(), Under("CURRENT", "TCBS ATTACHED", rows=_STAT), "TCBs; only DFH0STAT prints it here."),
        Column("tcbs_attached_peak", count(), Under("PEAK", "TCBS ATTACHED", rows=_STAT), "Their peak; only DFH0STAT prints it here."),
        Column(
            "waits",
            count(),
            (Under("OPERATING SYSTEM WAITS", rows=_STUP), Under("OP. SYSTEM WAITS", rows=_STAT)),
            "Times that a TCB waited in z/OS: it had nothing to do.",
            resolution=True,
        ),
        _time("wait_time_s", "OPERATING SYSTEM WAIT TIME", "OP. SYSTEM WAIT TIME", "How long TCBs waited."),
        _time(
            "dispatch_time_s",
            "TOTAL TCB DISPATCH TIME",
            "TOTAL TCB DISPATCH TIME",
            "How long TCBs were dispatched by z/OS, in the queue for a processor too.",
        ),
        _time("cpu_time_s", "TOTAL TCB CPU TIME", "TOTAL TCB CPU TIME", "Processor time of the TCBs, on zIIPs too."),
        _time("dispatcher_cpu_time_s", "DS TCB CPU TIME", "DS TCB CPU TIME", "Of this, of the CICS dispatcher itself."),
        Column(
            "cpu_of_dispatch_pct",
            percent(),
            Under("TCB CPU/DISP RATIO", pattern=r"^([\d.]+)%$", rows=_STAT),
            "Processor time of dispatch time as printed; only DFH0STAT prints it, of QR.",
        ),
    ),
    rules=(
        _over("modes_of_time", "waits"),
        AtMost(
            name="cpu_at_most_dispatch_time",
            parts=("cpu_time_s",),
            most=("dispatch_time_s",),
            severity="warn",
            within_share=0.01,
            source=f"{_GUIDE}: a TCB that uses a processor is dispatched",
        ),
    ),
    once=Once("interval_s waits wait_time_s dispatch_time_s cpu_time_s dispatcher_cpu_time_s"),
)  # fmt: skip

TRANSACTIONS = Table(
    "cics_transaction",
    grain="one row per region, collection and transaction",
    rows=("TRAN_ROW", "TRAN_TOTAL_ROW"),
    blank_on=(("TRAN_TOTAL_ROW", ("priority",)),),
    key=(*KEY, "is_total", "transaction"),
    columns=(
        *REGION_OF_DFHSTUP,
        Column("is_total", flag(), (Constant(True, ("TRAN_TOTAL_ROW",)), Constant(False)), "The row is the totals."),
        Column("transaction", text(), Under("TRANS ID", line="TRAN_ROW", width=4), "Transaction; NULL on totals."),
        Column("program", text(), Under("PROGRAM NAME", line="TRAN_ROW", width=8), "First program."),
        Column("transaction_class", text(), Under("TCLASS NAME", line="TRAN_ROW", width=8), "Its class."),
        Column("priority", count(), Under("PRTY"), "Priority."),
        Column("remote_name", text(), Under("REMOTE NAME", line="TRAN_ROW", width=8), "Its name in the remote region."),
        Column("remote_sysid", text(), Under("REMOTE SYSID", line="TRAN_ROW", width=4), "The remote region."),
        Column("dynamic", text(), Under("DYNAMIC", whole=True, line="TRAN_ROW"), "Whether it is routed dynamically."),
        _counted("attaches", "ATTACH COUNT", "Tasks since the last reset."),
        _counted("retries", "RETRY COUNT", "Tasks that were restarted."),
        _counted("dynamic_local", "DYNAMIC LOCAL", "Tasks that dynamic routing kept in this region."),
        _counted("dynamic_remote", "DYNAMIC REMOTE", "Tasks that it sent to another."),
        _counted("remote_starts", "REMOTE STARTS", "Tasks started in another region."),
        _counted("storage_violations", "STORAGE VIOLS", "Storage violations."),
        _counted("abends", "ABEND COUNT", "Tasks that ended abnormally."),
    ),
    rules=(
        _over("transactions", "attaches", "retries", "dynamic_local", "dynamic_remote", "remote_starts", "abends"),
        AtMost(name="abends_at_most_attaches", parts=("abends",), most=("attaches",), severity="warn", source=_GUIDE),
    ),
)


def _of_class(name: str, title: str, doc: str, group: str = "") -> Column:
    return Column(name, count(), Under(title, group), doc)


_ALL, _NOW = "TOTAL", "CURRENT"
CLASSES = Table(
    "cics_transaction_class",
    grain="one row per region, collection and transaction class",
    rows=("CLASS_ROW", "CLASS_TOTAL_ROW"),
    blank_on=(("CLASS_TOTAL_ROW", ("definitions", "active_limit", "purge_threshold", "active_peak", "queued_peak")),),
    key=(*KEY, "is_total", "transaction_class"),
    columns=(
        *REGION_OF_DFHSTUP,
        Column("is_total", flag(), (Constant(True, ("CLASS_TOTAL_ROW",)), Constant(False)), "The row is the totals."),
        Column(
            "transaction_class", text(), Under("TCLASS NAME", line="CLASS_ROW", width=8), "Its name; NULL on totals."
        ),
        _of_class("definitions", "NUMBER TRANDFS", "Transactions that are of the class."),
        _of_class("active_limit", "MAX ACT", "Tasks allowed at a time."),
        _of_class("purge_threshold", "PURGE THRESH", "With so many in the queue, further tasks are purged."),
        _counted("attaches", "ATTACHES", "Tasks since the last reset.", _ALL),
        _counted("accepted_at_once", "ACPTIMM", "Tasks that did not wait.", _ALL),
        _counted("purged_at_once", "PURGIMM", "Tasks purged because the queue was full.", _ALL),
        _counted("queued", "QUEUED", "Tasks that waited and do so no more.", _ALL),
        _counted("purged_in_queue", "PURGQ'D", "Tasks purged while they waited.", _ALL),
        Column("queue_time_s", duration(), Under("QUEUING-TIME", _ALL), "How long those that waited did, together."),
        _of_class("active_peak", "PEAK ACT", "Most tasks at a time."),
        _of_class("queued_peak", "PEAK QUEUED", "Most that waited at a time."),
        _counted("times_at_limit", "TIMES MAXACT", "How often the limit was reached."),
        _counted("times_at_purge_threshold", "TIMES PURGETHR", "How often the threshold was reached."),
        _of_class("active_current", "ACT", "Tasks now.", _NOW),
        _of_class("queued_current", "QUEUED", "Tasks that wait now.", _NOW),
    ),
    rules=(
        _over("classes", "attaches", "accepted_at_once", "purged_at_once", "queued"),
        AtMost(name="accepted_at_most_attaches", parts=("accepted_at_once", "purged_at_once"), most=("attaches",), source=_GUIDE),
    ),
)  # fmt: skip

# fmt: off
STORAGE = Table(
    "cics_storage",
    grain="one row per region and collection: limits of storage",
    rows=("STORAGE_NAME_ROW", "STAT_STORAGE_TITLE"),
    key=KEY,
    in_parts=True,
    columns=(
        *REGION,
        *texts(
            ("storage_protection", "ACTIVE or not.", ("STORAGE PROTECTION",)),
            ("transaction_isolation", "ACTIVE or not.", ("TRANSACTION ISOLATION",)),
            ("reentrant_programs", "PROTECT or NOPROTECT.", ("REENTRANT PROGRAMS",)),
            ("memlimit_set_by", "Where MEMLIMIT is from.", ("MEMLIMIT SET BY",)),
        ),
        *(
            Column(name, storage(), labelled(labels), doc, resolution=True)
            for name, *labels, doc in (
                ("dsa_limit_bytes", "CURRENT DSA LIMIT", "DSALIM: storage areas below 16 MB."),
                ("dsa_total_bytes", "CURRENT DSA TOTAL", "CURRENT ALLOCATION FOR DSAS", "Allocated to them."),
                ("dsa_peak_bytes", "PEAK DSA TOTAL", "PEAK ALLOCATION FOR DSAS", "Its peak."),
                ("edsa_limit_bytes", "CURRENT EDSA LIMIT", "EDSALIM: storage areas above 16 MB."),
                ("edsa_total_bytes", "CURRENT EDSA TOTAL", "CURRENT ALLOCATION FOR EDSAS", "Allocated to them."),
                ("edsa_peak_bytes", "PEAK EDSA TOTAL", "PEAK ALLOCATION FOR EDSAS", "Its peak."),
                ("memlimit_bytes", "MEMLIMIT SIZE", "MEMLIMIT: storage above the bar."),
                ("gdsa_total_bytes", "CURRENT GDSA ACTIVE", "Allocated to storage areas above the bar."),
                ("gdsa_peak_bytes", "PEAK GDSA ACTIVE", "Its peak."),
            )
        ),
        *counts(("mvs_storage_waits", "Requests for storage of z/OS that waited.", ("MVS STORAGE REQUEST WAITS",))),
        *lengths(("mvs_storage_wait_s", "How long.", ("TOTAL TIME WAITING FOR MVS STORAGE",))),
    ),
    rules=tuple(
        AtMost(name=f"{area}_total_at_most_its_limit", parts=(f"{area}_peak_bytes",), most=(f"{area}_limit_bytes",), severity="warn", source=f"{_GUIDE}: the limit may be lowered")
        for area in ("dsa", "edsa")
    ),
)
# fmt: on


_DSA_ROWS = {"size": ("DSA_FIRST", "DSA_SIZE_ROW"), "count": ("DSA_COUNT_ROW",)}


def _dsa(kind: str, value: Column, *rules: Total) -> Table:
    return Table(
        f"cics_dsa_{kind}",
        grain=f"one row per region, collection, dynamic storage area and line that prints a {kind}",
        rows=_DSA_ROWS[kind],
        key=(*KEY, "dsa", "measure"),
        keys_once=True,
        covers=kind == "size",
        spread=Spread("", "dsa", "value" if kind == "count" else "size_bytes"),
        columns=(
            *REGION,
            Column("dsa", text(), doc="CDSA, UDSA, SDSA, RDSA, the same with E or G in front, ETDSA; TOTALS where printed."),
            Column(
                "measure",
                text(),
                # The nearest line of a kind: the first one of a block has no other above.
                tuple(Field(row, r"^ *(?:\* *)?([^:]*[^:. ])[ .]*:") for row in reversed(_DSA_ROWS[kind])),
                "The line's label as printed, without a star in front.",
                nullable=False,
            ),
            value,
        ),
        rules=rules,
    )  # fmt: skip


DSA_SIZES = _dsa("size", Column("size_bytes", storage(), doc="The size."))
DSA_COUNTS = _dsa(
    "count", Column("value", amount(), doc="A count since the last reset, a number now, or a time (seconds).")
)

TABLES = (MANAGER, DISPATCHER, MODES, TIMES, TRANSACTIONS, CLASSES, STORAGE, DSA_SIZES, DSA_COUNTS)


def columns(kind: str, art: str) -> Columns:
    rows = (f"{kind}_ROW", f"{kind}_TOTAL_ROW")
    return Columns((f"{kind}_HEAD", f"{kind}_HEAD_MORE"), rows, depth=2, digits=True, art=(art,))


_TIME_WORDS = ("WAIT TIME", "DISPATCH TIME", "CPU TIME")


# Labels stand left of the first area.
_LABELS = SideBySide((), (r"(?:\* *)?[A-Za-z][^:]*:",))
# Totals are printed of what is there now.
_FILLED = WholeRows(
    ((r"(?i)^ *\* |^ *(?:cushion|free|getmain|freemain|largest|lowest|peak|number|times|\w* requests)", "TOTALS", ""),),
    r"[0-9][0-9,]*[KMG]?|[0-9:-]*:[0-9]{2}(?:\.[0-9]+)?",
)
# What models print: labels and headings, with pictures of the rows below.
_LABELS_PRINTED = {
    "MANAGER_NAME_ROW": """\
Total number of transactions (user + system)
Current MAXTASKS limit
Current number of active user transactions
Current number of MAXTASK queued user transactions
Times the MAXTASKS limit reached
Peak number of MAXTASK queued user transactions
Peak number of active user transactions
Total number of active user transactions
Total number of MAXTASK delayed user transactions
Total MAXTASK queuing time
Total MAXTASK queuing time of currently queued user transactions""",
    "DISPATCHER_NAME_ROW": """\
Dispatcher Start Date and Time
Address Space CPU Time
Address Space SRB Time
Current number of dispatcher tasks
Peak number of dispatcher tasks
Current ICV time (msec)
Current ICVR time (msec)
Current ICVTSD time (msec)
Current PRTYAGE time (msec)
Current MRO (QR) Batching (MROBTCH) value
Concurrent Subtasking (SUBTSKS) value
Number of Excess TCB Scans
Excess TCB Scans - No TCB Detached
Number of Excess TCBs Detached
Number of CICS TCB MODEs
Number of CICS TCB POOLs""",
    "STORAGE_NAME_ROW": """\
Storage protection
Transaction isolation
Reentrant programs
Current DSA limit
Current DSA total
Peak DSA total
Current EDSA limit
Current EDSA total
Peak EDSA total
MEMLIMIT size
MEMLIMIT set by
Current GDSA active
Peak GDSA active
MVS storage request waits
Total time waiting for MVS storage""",
}
_MODE_ART = """\
 TCB   Open     TCB     -- TCBs Attached --  --- TCBs In Use ---       TCB  ---------- TCBs Detached -----------     TCB         TCB
 Mode           Pool     Current       Peak   Current       Peak  Attaches   Unclean    Stolen   Excess    Other  Steals  Mismatches
{rule}

 ssss  sss      sssss   dddddddd   dddddddd  dddddddd   dddddddd  dddddddd  dddddddd  dddddddd dddddddd dddddddd ddddd   ddddddd
 Totals                 dddddddd   dddddddd  dddddddd   dddddddd  dddddddd  dddddddd  dddddddd dddddddd dddddddd ddddd   ddddddd"""
_TRAN_ART = """\
 Trans     Program   Tclass    Prty  Remote    Remote  Dynamic    Attach    Retry  Dynamic  Dynamic   Remote  Storage    Abend
 ID        Name      Name            Name      Sysid                Count    Count    Local   Remote   Starts    Viols    Count
{rule}

 ssss      ssssssss  ssssssss  dddd                    sss       dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd
 *TOTALS*                                                        dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd"""
_CLASS_ART = """\
 Tclass    Number   Max   Purge ------------------------ Total -----------------------   Peak    Peak   Times     Times - Current -
 Name     Trandfs   Act  Thresh Attaches AcptImm PurgImm  Queued PurgQ'd   Queuing-Time    Act  Queued  MaxAct  PurgeThr  Act Queued
{rule}

 ssssssss    dddd  dddd    dddd   dddddd  dddddd  dddddd  dddddd  dddddd yyyyyyyyyyyyyy   dddd    dddd    dddd      dddd dddd   dddd
 *TOTALS*                         dddddd  dddddd  dddddd  dddddd  dddddd yyyyyyyyyyyyyy"""
_TIME_ART = """\
 TCB    Operating System    Operating System           Total TCB           Total TCB              DS TCB
 Mode              Waits           Wait Time       Dispatch Time            CPU Time            CPU Time
{rule}

 ssss     dddddddddddddd  yyyyyyyyyyyyyyyyyy  yyyyyyyyyyyyyyyyyy  yyyyyyyyyyyyyyyyyy  yyyyyyyyyyyyyyyyyy
 Totals   dddddddddddddd  yyyyyyyyyyyyyyyyyy  yyyyyyyyyyyyyyyyyy  yyyyyyyyyyyyyyyyyy  yyyyyyyyyyyyyyyyyy"""
LAYOUTS: tuple[TableLayout, ...] = (
    Pairs(
        (
            "MANAGER_NAME_ROW",
            "DISPATCHER_NAME_ROW",
            "STORAGE_NAME_ROW",
            "REGION_PAIR_ROW",
            "REGION_CONTINUED_ROW",
            "STAT_FIRST",
        ),
        art=_LABELS_PRINTED,
    ),
    *map(columns, ("MODE", "TRAN", "CLASS"), (_MODE_ART, _TRAN_ART, _CLASS_ART)),
    Columns(("TIME_HEAD", "TIME_HEAD_MORE"), _STUP, depth=2, digits=True, together=_TIME_WORDS, art=(_TIME_ART,)),
    Columns(("STAT_TIME_HEAD", "TIME_HEAD_MORE"), _STAT, depth=2, digits=True, together=_TIME_WORDS),
    *(Columns(("DSA_HEAD",), rows, sides=_LABELS, whole_rows=_FILLED) for rows in _DSA_ROWS.values()),
)
