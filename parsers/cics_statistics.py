"""CICS statistics, as printed by DFHSTUP and DFH0STAT. Grain: one row per region and collection (Db2 connection, transaction manager,
dispatcher, storage), and one per region, collection and DB2ENTRY, TCB mode, transaction, transaction class or storage area.

Source: IBM CICS Transaction Server for z/OS, "CICS Db2 statistics" (DFHSTUP) and "DB2 Connection report", "DB2 Entries
report" (DFH0STAT). The page heading of DFHSTUP and the widths of its tables are field knowledge, so columns are found from
the headings and values by their labels, in any case (UPPERCASE=YES); anything else is a reject. DFH0STAT collects
on request and resets nothing, so its collection is `requested`. A summary shortens values above 99,999,999 to M, B or T
if there is no room. Not parsed: sections of other resources on the same pages.
"""

from ..pipeline.declaration.layouts import Pairs
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Constant, Field, Labelled, Under
from ..pipeline.declaration.report import Column, Report, Table, count, flag, text
from ..pipeline.declaration.rules import Rule, Total
from . import _cics_region as region
from ._cics import KEY, NO_NUMBER, REGION, counts, labelled, levels, stamps, texts


def _of(thread: str, what: str, *more: str) -> tuple[str, ...]:
    """Labels of a count of pool or command threads: as collected, and as a summary adds it up."""
    return f"NUMBER OF {thread} {what}", f"TOTAL NUMBER OF {thread} {what}", *more


# fmt: off
CONNECTION = Table(
    "cics_db2_connection",
    grain="one row per region and collection",
    rows=("CONNECTION_NAME_ROW", "STAT_CONNECTION_TITLE"),
    key=KEY,
    in_parts=True,
    columns=(
        *REGION,
        *texts(
            ("db2_connection_name", "Name of the DB2CONN.", ("DB2 CONNECTION NAME",)),
            ("db2_group_id", "Data-sharing group named in the DB2CONN.", ("DB2 GROUPID", "DB2 GROUP ID")),
            ("resync_group_member", "Whether CICS reconnects to the member with its indoubt units of work.", ("RESYNCMEMBER", "RESYNC GROUP MEMBER")),
            ("db2_sysid", "The Db2 subsystem.", ("DB2 SYSID",)),
            ("db2_release", "Release of Db2.", ("DB2 RELEASE",)),
            ("connection_status", "CONNECTED or not.", ("DB2 CONNECTION STATUS",)),
        ),
        *stamps(
            ("connect_time", "When CICS connected, local time as printed.", ("DB2 CONNECT TIME", "DB2 CONNECT DATE AND TIME")),
            ("disconnect_time", "When it disconnected, local time as printed.", ("DB2 DISCONNECT TIME",)),
            ("connection_time", "Time connected, days:hh:mm:ss as printed.", ("TOTAL DB2 CONNECTION TIME",)),
        ),
        *texts(
            ("connection_error", "What a task gets if there is no connection.", ("DB2 CONNECTION ERROR",)),
            ("standby_mode", "What CICS does if Db2 is not available.", ("DB2 STANDBY MODE",)),
            ("signid", "Authorization id of the region.", ("SIGNID FOR POOL/ENTRY/COMMAND THREADS",)),
            ("create_thread_error", "What a task gets if its thread cannot be created.", ("CREATE THREAD ERROR",)),
            ("purge_cycle", "Protected threads are purged in the second cycle, mm.ss.", ("PROTECTED THREAD PURGE CYCLE",)),
            ("deadlock_resolution", "ROLLBACK or NOROLLBACK.", ("DEADLOCK RESOLUTION",)),
            ("nonterminal_syncpoint", "Whether threads are released.", ("NON-TERMINAL INTERMEDIATE SYNCPOINT",)),
            ("message_queue_1", "Message queue.", ("MESSAGE TD QUEUE 1",)),
            ("message_queue_2", "Message queue.", ("MESSAGE TD QUEUE 2",)),
            ("message_queue_3", "Message queue.", ("MESSAGE TD QUEUE 3",)),
            ("statistics_queue", "Queue of the statistics at shutdown.", ("STATISTICS TD QUEUE",)),
        ),
        *levels(
            ("tcb_limit", "TCBLIMIT: maximum of concurrent connections running SQL.", ("TCB LIMIT", "CURRENT TCB LIMIT")),
            ("tcbs_current", "Connections (TCBs) to Db2.", ("CURRENT NUMBER OF TCBS", "CURRENT NUMBER OF CONNECTIONS")),
            ("tcbs_hwm", "Their peak.", ("PEAK NUMBER OF TCBS", "PEAK NUMBER OF CONNECTIONS")),
            ("tcbs_free", "Connections that no task uses.", ("CURRENT NUMBER OF FREE TCBS", "CURRENT NUMBER OF FREE CONNECTIONS")),
            (
                "tcb_readyq_current",
                "Tasks that wait because TCBLIMIT is reached.",
                ("CURRENT NUMBER OF TASKS ON THE CONN./TCB READYQ", "CURRENT NUMBER OF TASKS ON TCB READYQ"),
            ),
            ("tcb_readyq_hwm", "Their peak.", ("PEAK NUMBER OF TASKS ON THE CONN./TCB READYQ", "PEAK NUMBER OF TASKS ON TCB READYQ")),
        ),
        *texts(
            ("pool_plan", "Plan of pool threads.", ("POOL THREAD PLAN NAME", "DB2 POOL THREAD PLAN NAME")),
            ("pool_plan_exit", "Exit that names their plan.", ("POOL THREAD DYNAMIC PLANEXIT NAME", "DB2 POOL THREAD DYNAMIC PLAN EXIT NAME")),
            ("pool_authtype", "How their id is found.", ("POOL THREAD AUTHTYPE",)),
            ("pool_authid", "Their id.", ("POOL THREAD AUTHID",)),
            (
                "pool_account_records",
                "When an accounting record is written: UOW, TASK, TXID, NONE.",
                ("POOL THREAD ACCOUNTREC SETTING", "DB2 ACCOUNTING RECORDS BY"),
            ),
            ("pool_thread_wait", "Whether a task waits when the limit is reached.", ("POOL THREAD THREADWAIT SETTING", "POOL THREAD WAIT SETTING")),
            ("pool_thread_priority", "Priority of the threads' TCBs.", ("POOL THREAD PRIORITY",)),
        ),
        *counts(
            ("pool_calls", "SQL calls on pool threads.", ("NUMBER OF CALLS USING POOL THREADS", "TOTAL NUMBER OF CALLS USING POOL THREADS")),
            ("pool_signons", "Sign-ons.", _of("POOL THREAD", "SIGNONS")),
            ("pool_partial_signons", "Partial sign-ons.", _of("POOL THREAD", "PARTIAL SIGNONS")),
            ("pool_commits", "Two-phase commits.", _of("POOL THREAD", "COMMITS")),
            ("pool_aborts", "Units of work rolled back.", _of("POOL THREAD", "ABORTS")),
            ("pool_single_phase", "Single-phase commits, read-only ones too.", _of("POOL THREAD", "SINGLE PHASES")),
            ("pool_thread_creates", "Threads made.", _of("POOL THREAD", "CREATES")),
            ("pool_thread_reuses", "Threads used again.", _of("POOL THREAD", "REUSES")),
            ("pool_thread_terminates", "Threads ended.", _of("POOL THREAD", "TERMINATES")),
            ("pool_thread_waits", "Times that no thread was free.", _of("POOL THREAD", "WAITS")),
        ),
        *levels(
            ("pool_thread_limit", "Pool threads allowed.", ("POOL THREAD LIMIT", "CURRENT POOL THREAD LIMIT")),
            ("pool_threads_current", "Pool threads in use.", ("CURRENT NUMBER OF POOL THREADS", "CURRENT NUMBER OF POOL THREADS IN USE")),
            ("pool_threads_hwm", "Their peak.", ("PEAK NUMBER OF POOL THREADS", "PEAK NUMBER OF POOL THREADS IN USE")),
            ("pool_tasks_current", "Tasks that use a pool thread.", ("CURRENT NUMBER OF POOL TASKS",)),
            ("pool_tasks_hwm", "Their peak.", ("PEAK NUMBER OF POOL TASKS",)),
        ),
        *counts(("pool_tasks_total", "Tasks that have used one.", ("TOTAL NUMBER OF POOL TASKS",))),
        *levels(
            (
                "pool_readyq_current",
                "Tasks that wait for a pool thread.",
                ("CURRENT NUMBER OF TASKS ON THE POOL READYQ", "CURRENT NUMBER OF TASKS ON POOL READYQ"),
            ),
            ("pool_readyq_hwm", "Their peak.", ("PEAK NUMBER OF TASKS ON THE POOL READYQ", "PEAK NUMBER OF TASKS ON POOL READYQ")),
        ),
        *texts(
            ("command_authtype", "How the authorization ID of command threads is chosen.", ("COMMAND THREAD AUTHTYPE",)),
            ("command_authid", "Their id.", ("COMMAND THREAD AUTHID",)),
        ),
        *counts(
            (
                "command_calls",
                "Commands by DSNC.",
                ("NUMBER OF CALLS USING COMMAND THREADS", "TOTAL NUMBER OF CALLS USING COMMAND THREADS", "NUMBER OF DSNC COMMAND CALLS"),
            ),
            ("command_signons", "Sign-ons.", _of("COMMAND THREAD", "SIGNONS", "NUMBER OF DSNC COMMAND SIGNONS")),
            ("command_thread_creates", "Threads made.", _of("COMMAND THREAD", "CREATES")),
            ("command_thread_terminates", "Threads ended.", _of("COMMAND THREAD", "TERMINATES", "NUMBER OF DSNC COMMAND THREAD TERMINATES")),
            (
                "command_thread_overflows",
                "Commands that took a pool thread.",
                _of("COMMAND THREAD", "OVERFLOWS TO POOL", "NUMBER OF DSNC COMMAND THREAD OVERFLOWS"),
            ),
        ),
        *levels(
            ("command_thread_limit", "Command threads allowed.", ("COMMAND THREAD LIMIT", "DSNC COMMAND THREAD LIMIT")),
            ("command_threads_current", "Command threads in use.", ("CURRENT NUMBER OF COMMAND THREADS", "CURRENT NUMBER OF DSNC COMMAND THREADS")),
            ("command_threads_hwm", "Their peak.", ("PEAK NUMBER OF COMMAND THREADS", "PEAK NUMBER OF DSNC COMMAND THREADS")),
        ),
    ),
)
# fmt: on


def _entries(kind: str) -> tuple[Column, ...]:
    """The first columns of a DB2ENTRY table; `kind` is the kind of its rows from DFHSTUP."""
    return (
        *REGION,
        Column("is_total", flag(), (Constant(True, (f"{kind}_TOTAL_ROW",)), Constant(False)), "The row is *TOTALS*."),
        Column(
            "db2entry",
            text(),
            (Under("DB2ENTRY NAME", line=f"{kind}_ROW", width=8), Labelled("DB2ENTRY NAME")),
            "Name of the DB2ENTRY; NULL on totals.",
        ),
    )


def _totals(*columns: str) -> Rule:
    """*TOTALS* of columns that are sums over DB2ENTRYs; peaks and limits are not."""
    return Total(
        name="totals_are_the_sum_of_their_rows", of={0: columns}, over=KEY, source="CICS Db2 statistics, DFHSTUP"
    )


def _entry_table(name: str, kind: str, columns: tuple[Column, ...], *rules: Rule, once: Once | None = None) -> Table:
    return Table(
        name,
        grain="one row per DB2ENTRY and collection, and the totals of a table",
        rows=(f"{kind}_ROW", f"{kind}_TOTAL_ROW", "ENTRY_NAME_ROW"),
        key=(*KEY, "is_total", "db2entry"),
        columns=(*_entries(kind), *columns),
        rules=rules,
        once=once,
    )


def _setting(name: str, title: str, doc: str, *labels: str) -> Column:
    return Column(name, text(), (Under(title, width=8, line="RESOURCE_ROW"), *labelled(labels, NO_NUMBER)), doc)


def _request(name: str, titles: str | tuple[str, ...], doc: str, *labels: str) -> Column:
    under = (titles,) if isinstance(titles, str) else titles
    return Column(name, count(), (*map(Under, under), *labelled(labels)), doc, resolution=True)


def _level(name: str, title: str, doc: str, *labels: str) -> Column:
    return Column(name, count(), (Under(title), *labelled(labels)), doc)


RESOURCE = _entry_table(
    "cics_db2entry_resource",
    "RESOURCE",
    (
        _setting("plan", "PLAN NAME", "Plan of its threads.", "DB2ENTRY STATIC PLAN NAME"),
        _setting("plan_exit", "PLANEXIT NAME", "Exit that names the plan.", "DB2ENTRY DYNAMIC PLAN EXIT NAME"),
        _setting("authid", "AUTH ID", "Id of its threads.", "DB2ENTRY AUTHID"),
        _setting("authtype", "AUTH TYPE", "How that id is found.", "DB2ENTRY AUTHTYPE"),
        _setting(
            "account_records",
            "ACCOUNT RECORDS",
            "When an accounting record is written: UOW, TASK, TXID, NONE.",
            "DB2ENTRY ACCOUNTING RECORDS BY",
        ),
        _setting("thread_wait", "THREAD WAIT", "WAIT, NOWAIT or POOL at the limit.", "DB2ENTRY THREAD WAIT SETTING"),
        _setting("thread_priority", "THREAD PRTY", "Priority of the threads' TCBs.", "DB2ENTRY THREAD PRIORITY"),
        *texts(
            ("status", "ENABLED or not.", ("DB2ENTRY STATUS",)),
            ("disabled_action", "What a task gets while the DB2ENTRY is disabled.", ("DB2ENTRY DISABLED ACTION",)),
            ("deadlock_resolution", "ROLLBACK or NOROLLBACK.", ("DB2ENTRY DEADLOCK RESOLUTION",)),
            ("plan_exit_concurrency", "How the exit is defined.", ("DYNAMIC PLAN EXIT CONCURRENCY STATUS",)),
        ),
    ),
)

# fmt: off
REQUEST = _entry_table(
    "cics_db2entry_request",
    "REQUEST",
    (
        _request("calls", "CALL COUNT", "SQL calls.", "NUMBER OF CALLS USING DB2ENTRY"),
        _request("signons", "SIGNON COUNT", "Sign-ons.", "NUMBER OF DB2ENTRY SIGNONS"),
        _request("partial_signons", "PARTIAL SIGNON", "Partial sign-ons.", "NUMBER OF DB2ENTRY PARTIAL SIGNONS"),
        _request("commits", "COMMIT COUNT", "Two-phase commits.", "NUMBER OF DB2ENTRY COMMITS"),
        _request("aborts", "ABORT COUNT", "Units of work rolled back.", "NUMBER OF DB2ENTRY ABORTS"),
        _request("single_phase", "SINGLE PHASE", "Single-phase commits, read-only ones too.", "NUMBER OF DB2ENTRY SINGLE PHASES"),
        _request("thread_creates", "THREAD CREATE", "Threads made.", "NUMBER OF DB2ENTRY THREAD CREATES"),
        _request("thread_reuses", "THREAD REUSE", "Threads used again.", "NUMBER OF DB2ENTRY THREAD REUSES"),
        _request("thread_terminates", "THREAD TERMS", "Threads ended.", "NUMBER OF DB2ENTRY THREAD TERMINATES"),
        _request(
            "thread_waits_or_overflows",
            ("THREAD WAITS/OVERFLOWS", "THREAD WAITS/ OVERFLOWS"),
            "Requests that found no free thread: the task waited or used a pool thread.",
            "NUMBER OF DB2ENTRY THREAD WAITS/OVERFLOWS",
        ),
    ),
    _totals(
        *("calls", "signons", "partial_signons", "commits", "aborts", "single_phase"),
        *("thread_creates", "thread_reuses", "thread_terminates", "thread_waits_or_overflows"),
    ),
    once=Once("interval_s calls commits aborts single_phase thread_creates thread_reuses thread_waits_or_overflows"),
)
# fmt: on

# fmt: off
PERFORMANCE = _entry_table(
    "cics_db2entry_performance",
    "PERFORMANCE",
    (
        _level("thread_limit", "THREAD LIMIT", "Threads allowed.", "DB2ENTRY THREAD LIMIT"),
        _level("threads_current", "THREAD CURRENT", "Threads.", "CURRENT NUMBER OF DB2ENTRY THREADS"),
        _level("threads_hwm", "THREAD HWM", "Their peak.", "PEAK NUMBER OF DB2ENTRY THREADS"),
        _level("pthread_limit", "PTHREAD LIMIT", "Protected threads allowed.", "DB2ENTRY PROTECTED THREAD LIMIT"),
        _level("pthreads_current", "PTHREAD CURRENT", "Protected threads not in use.", "CURRENT NUMBER OF DB2ENTRY PROTECTED THREADS"),
        _level("pthreads_hwm", "PTHREAD HWM", "Their peak.", "PEAK NUMBER OF DB2ENTRY PROTECTED THREADS"),
        _level("tasks_current", "TASK CURRENT", "Tasks that use the entry.", "CURRENT NUMBER OF DB2ENTRY TASKS"),
        _level("tasks_hwm", "TASK HWM", "Their peak.", "PEAK NUMBER OF DB2ENTRY TASKS"),
        _request("tasks_total", "TASK TOTAL", "Tasks that have used it.", "TOTAL NUMBER OF DB2ENTRY TASKS"),
        _level("readyq_current", "READYQ CURRENT", "Tasks that wait for a thread.", "CURRENT NUMBER OF TASKS ON DB2ENTRY READYQ"),
        _level("readyq_hwm", "READYQ HWM", "Their peak.", "PEAK NUMBER OF TASKS ON DB2ENTRY READYQ"),
    ),
    _totals("tasks_total"),
)
# fmt: on

_PAGE_TOP = (
    r"(?i)^ *(?:(?:INTERVAL|END[ -]*OF[ -]*DAY|REQUESTED|UNSOLICITED|SUMMARY) .*REPORT .*(?:APPLID|COLLECTION)[ :]"
    # Of the page line of DFH0STAT a word may be lost.
    r"|(?:APPLID:? *(?:[^ ]+ +)?(?:SYSID|(?:.* )?JOBNAME)|[^ ]+ +SYSID:? +[^ ]+ +JOBNAME)[ :])"
)


_CONNECTION_LABELS = """\
DB2 Connection Name | DB2 Sysid
DB2 Groupid | DB2 Release
DB2 Connect Time | TCB Limit
Current number of TCBs | Peak number of TCBs
Current number of free TCBs | Pool Thread Plan name
Number of calls using Pool Threads | Number of Pool Thread Signons
Number of Pool Thread Partial Signons | Number of Pool Thread Commits
Number of Pool Thread Aborts | Number of Pool Thread Single Phases
Number of Pool Thread Creates | Number of Pool Thread Reuses
Number of Pool Thread Terminates | Number of Pool Thread Waits
Current Pool Thread Limit | Current number of Pool Threads in use
Peak number of Pool Threads in use | Current number of Pool tasks
Peak number of Pool tasks | Total number of Pool tasks
Current number of tasks on the Pool Readyq | Peak number of tasks on the Pool Readyq
Number of calls using Command Threads | Number of Command Thread Signons
Number of Command Thread Creates | Number of Command Thread Terminates
Number of Command Thread Overflows to Pool | Command Thread Limit
Current number of Command Threads | Peak number of Command Threads"""
_RESOURCE_ART = """\
 DB2Entry  Plan      PlanExit  Auth      Auth      Account   Thread    Thread
 Name      Name      Name      Id        Type      records   Wait      Prty
{rule}

 ssssssss  ssssssss  ssssssss  ssssssss  ssssssss  ssssssss  ssssssss  ssssssss
 *TOTALS*"""
_REQUEST_ART = """\
 DB2Entry    Call     Signon   Partial   Commit    Abort    Single   Thread   Thread   Thread   Thread
 Name        Count    Count    Signon    Count     Count    Phase    Create   Reuse    Terms    Waits/Overflows
{rule}

 ssssssss ddddddddd dddddddd dddddddd  dddddddd dddddddd ddddddddd dddddddd dddddddd dddddddd     dddddddddddd
 *TOTALS* ddddddddd dddddddd dddddddd  dddddddd dddddddd ddddddddd dddddddd dddddddd dddddddd     dddddddddddd"""
_PERFORMANCE_ART = """\
 DB2Entry   Thread   Thread   Thread  Pthread  Pthread  Pthread     Task     Task     Task   Readyq   Readyq
 Name        Limit  Current      HWM    Limit  Current      HWM  Current      HWM    Total  Current      HWM
{rule}

 ssssssss dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd
 *TOTALS* dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd"""


# Of DFH0STAT, and titles and headings of DFHSTUP.
_TITLES = (
    *(f"STAT_{title}_TITLE" for title in ("CONNECTION", "MANAGER", "DISPATCHER", "STORAGE")),
    Field("ENTRY_TITLE", "(?i)^ *DB2 ENTRIES *$"),
)
_OF_DFHSTUP = (
    *("REGION_TITLE", "MODE_HEAD", "TIME_HEAD", "RESOURCE_HEAD", "REQUEST_HEAD", "PERFORMANCE_HEAD"),
    *(Field(title, "(?i) STATISTICS") for title in ("CONNECTION_TITLE", "ENTRY_TITLE")),
)

REPORT = Report(
    "cics_statistics",
    summary="CICS statistics: Db2, dispatcher, transactions, classes, storage; DFHSTUP (layout from field knowledge) and DFH0STAT",
    page_top=_PAGE_TOP,
    title=_PAGE_TOP,
    doc=__doc__ or "",
    tables=(CONNECTION, RESOURCE, REQUEST, PERFORMANCE, *region.TABLES),
    interval=("PAGE_LINE",),
    suffixes="KMGBT",
    # Statistics come in a fixed order: without carriage control, only the order shows a lost page line.
    in_turn=("CONNECTION_NAME_ROW", "RESOURCE_HEAD", "REQUEST_HEAD", "PERFORMANCE_HEAD"),
    once=(
        *("MANAGER_NAME_ROW", "DISPATCHER_NAME_ROW", "MODE_HEAD", "TIME_HEAD", "STAT_TIME_HEAD"),
        *("STORAGE_NAME_ROW", "TRAN_HEAD", "CLASS_HEAD"),
    ),
    not_below=(
        # DFH0STAT begins a page with each title.
        *((title, other) for title in _TITLES for other in _TITLES if title != other),
        *((title, "DSA_HEAD") for title in _TITLES if title != "STAT_STORAGE_TITLE"),
        ("STAT_DISPATCHER_TITLE", "STAT_TIME_HEAD"),
        ("DISPATCHER_NAME_ROW", "STAT_MANAGER_TITLE"),
        ("MANAGER_NAME_ROW", "STAT_DISPATCHER_TITLE"),
        # What one program prints and the other does not.
        *((kind, Field("PAGE_LINE", "(?i) REPORT ")) for kind in (*_TITLES, "STAT_TIME_HEAD", "STAT_FIRST")),
        *((kind, Field("PAGE_LINE", "(?i)^ *(APPLID|[^ ]+ +SYSID)")) for kind in _OF_DFHSTUP),
    ),
    unread={
        "statistics of other parts of CICS": (
            *("OTHER_TITLE", "OTHER_HEAD", "OTHER_TABLE_HEAD", "OTHER_NAME"),
            *("OTHER_PAIR", "OTHER_ROW", "OTHER_TEXT"),
        ),
        "labels of DFH0STAT without a column": ("STAT_OTHER_ROW",),
        "shares of storage areas, which follow from their sizes": ("DSA_OTHER_ROW",),
    },
    unread_parts={
        "storage outside the areas, beside a limit": r"(?i)(?:VIRT MINUS|MVS|PRIVATE AREA|MAX) [^:]*: *[\d,]+[KMG]?(?: */ *[\d,]+[KMG]?)?"
    },
    layouts=(
        Pairs(
            ("CONNECTION_NAME_ROW", "CONNECTION_PAIR_ROW", "CONNECTION_CONTINUED_ROW"),
            art={"CONNECTION_NAME_ROW": _CONNECTION_LABELS},
        ),
        Pairs(("ENTRY_NAME_ROW", "ENTRY_PAIR_ROW", "ENTRY_CONTINUED_ROW")),
        *map(region.columns, ("RESOURCE", "REQUEST", "PERFORMANCE"), (_RESOURCE_ART, _REQUEST_ART, _PERFORMANCE_ART)),
        *region.LAYOUTS,
    ),
)
