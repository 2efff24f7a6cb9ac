"""Db2 Statistics, long and short report and trace (OMEGAMON for Db2 Performance Expert, DB2PM). Grain: one row per member (or group),
interval, block and counter.

Source: IBM OMEGAMON for Db2 Performance Expert, Report Reference, "Statistics report and trace blocks"; published excerpts
of GROUP BPnn and DATA SHARING LOCKING, published layouts of CPU TIMES, LOG ACTIVITY, GLOBAL DDF ACTIVITY, EDM POOL, DYNAMIC SQL STMT
and LATCH CNT, the page heading as published for accounting; other blocks (SUBSYSTEM SERVICES: its labels as another program
prints them) and their places side by side from field knowledge. Labels differ by release and sites tailor the layout: no label is declared, every one is a
counter. DB2PM V4 prints group buffer pools as `label = value`, two to a line: published numbers, places by field knowledge.
DB2PM V5 may print /MINUTE where others print /SECOND: a column of its own, as printed.
Blocks without a QUANTITY are known by the titles of their columns: CPU TIMES, latches, remote locations (as published),
trace records and destinations (field knowledge); what is below other titles is a reject. A latch is a counter of its own
(LC06 of the line LC05-LC08). The blocks of a further remote location have occurrence 2, and so on.
Reports of a group print each member's blocks, then those of the group; HIGHLIGHTS say whose follow (published: that they do, and
which blocks are of the group). The short layout has the blocks DATA SHARING LOCKS and GROUP BPn of the long one (published: their titles);
its HIGHLIGHTS and its labels are field knowledge.
Not parsed: SAMPLING START and END of HIGHLIGHTS, and counts there that blocks have too.
"""

from ..pipeline.declaration.layouts import CounterBlocks, Rates
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Counter, Field, Parsed, Under
from ..pipeline.declaration.report import Column, Report, Table, amount, duration, number, text
from ..pipeline.declaration.rules import Quotient, Ratio, Rule, Sum, Total, Where
from ._db2 import ANY_TITLE, BLOCK_TITLES, INTERVAL, PAGE_TOP, POOL_WORD, block_columns, heading_columns
from ._db2_highlights import HIGHLIGHTS, OF_PAGE, UNREAD_HIGHLIGHTS

# Column, titles by release, and what it is: of an address space.
_CPU_TIMES = (
    ("tcb_time_s", ("TCB TIME",), "TCB TIME of CPU TIMES."),
    ("preemptable_srb_time_s", ("PREEMPT SRB",), "PREEMPT SRB: preemptable service requests, on general processors."),
    ("nonpreemptable_srb_time_s", ("NONPREEMPT SRB",), "NONPREEMPT SRB: other service requests."),
    ("cp_cpu_time_s", ("CP CPU TIME", "TOTAL TIME"), "CP CPU TIME (before V5R4 TOTAL TIME): the three together."),
    ("preemptable_iip_srb_time_s", ("PREEMPT IIP SRB",), "PREEMPT IIP SRB: preemptable service requests on zIIPs."),
)
_MESSAGES_AND_RECORDS = (
    ("sent", "SENT", "by this member to remote locations"),
    ("received", "RECEIVED", "by this member from remote locations"),
    ("written", "WRITTEN", "trace records that reached a destination"),
    ("not_written", "NOT WRTN", "trace records that did not"),
    ("buffer_overruns", "BUF.OVER", "of these, because a buffer was full"),
    ("not_accepted", "NOT ACCP", "of these, because the destination took none"),
    ("write_failures", "WRT.FAIL", "of these, because writing failed"),
)
_OMPE = "OMEGAMON for Db2, Report Reference"
_BLOCK = (
    *("location", "db2_group", "member", "subsystem", "report_kind", "scope", "begin_at", "end_at"),
    *("block", "object", "occurrence"),
)
_READS = ("Reads Due To Cross Invalidation", "Reads Due To Page Not Found in Buffer Pool")
_OUTCOMES = ("Data Returned", "Data Not Returned - R/W Interest", "Data Not Returned - No R/W Interest")
_ALL_READS = "Total Number of Reads"


def _paths(reads: tuple[str, ...], outcomes: tuple[str, ...]) -> Where:
    """Rows of these outcomes below each of these reads."""
    return "label_path", tuple(f"{above} > {outcome}" for above in reads for outcome in outcomes)


def _share_of_reads(name: str, label: str, reads: tuple[str, ...], outcomes: tuple[str, ...]) -> Quotient:
    """A percentage of all reads, as DB2PM prints it: without decimals."""
    return Quotient(
        name=name,
        found=("quantity", ("label_path", (label,))),
        plus=("quantity", _paths(reads, outcomes)),
        per=("quantity", ("label_path", (_ALL_READS,))),
        times=100,
        counts=True,
        over=_BLOCK,
        digit=1,
        severity="warn",
        source="DB2PM V4, group buffer pool, as published",
    )


_XES_REQUESTS = (
    *(f"SYNCH.XES - {kind} REQUESTS" for kind in ("LOCK", "CHANGE", "UNLOCK")),
    *("BACKGROUND.XES -CHILD LOCKS", "ASYNCH.XES -CONVERTED LOCKS"),
)
_SUSPENDED = ("SUSPENDS - IRLM GLOBAL CONT", "SUSPENDS - XES GLOBAL CONT.", "SUSPENDS - FALSE CONT. MBR")


def _contention_rate(name: str, label: str, suspends: tuple[str, ...]) -> Quotient:
    """Of the requests to XES. Published pages round it or cut it."""
    return Quotient(
        name=name,
        found=("quantity", ("counter", (label,))),
        plus=("quantity", ("counter", suspends)),
        per=("quantity", ("counter", _XES_REQUESTS)),
        times=100,
        counts=True,
        over=_BLOCK,
        digit=0.01,
        severity="warn",
        source="Db2 Data Sharing: Planning and Administration, lock monitoring with the statistics trace",
    )


_RULES: tuple[Rule, ...] = (
    *(
        Ratio(
            name=name,
            found=found,
            of=("quantity",),
            per="interval_elapsed_s",
            times=seconds,
            digit=0.01,
            within_share=0.0005,
            severity="warn",
            source=f"{_OMPE}: {title} is QUANTITY by INTERVAL ELAPSED",
        )
        for name, found, seconds, title in (
            ("rate_of_the_interval", "per_second", 1, "/SECOND"),
            ("rate_of_the_interval_in_minutes", "per_minute", 60, "/MINUTE"),
        )
    ),
    *(
        _share_of_reads(name, label, reads, outcomes)
        for name, label, reads, outcomes in (
            ("cross_invalidation_share", _READS[0], _READS[:1], _OUTCOMES),
            ("not_found_share", _READS[1], _READS[1:], _OUTCOMES),
            ("read_hit_percentage", f"{_ALL_READS} > Read Hit Percentage", _READS, _OUTCOMES[:1]),
            ("shared_interest_share", f"{_ALL_READS} > Percent Not Returned - R/W Interest", _READS, _OUTCOMES[1:2]),
            ("no_interest_share", f"{_ALL_READS} > Percent Not Returned - No R/W Interest", _READS, _OUTCOMES[2:]),
        )
    ),
    _contention_rate("global_contention_rate", "GLOBAL CONTENTION RATE (%)", _SUSPENDED),
    _contention_rate("false_contention_rate", "FALSE CONTENTION RATE (%)", _SUSPENDED[2:]),
    Total(
        name="reads_add_up",
        of={0: ("quantity",)},
        over=_BLOCK,
        total=("label_path", (_ALL_READS,)),
        rows=_paths(_READS, _OUTCOMES),
        each=True,
        counts=True,
        source="DB2PM V4, group buffer pool, as published",
    ),
    Total(
        name="suspensions_add_up",
        of={0: ("quantity",)},
        over=_BLOCK,
        total=("counter", ("SUSPENSIONS (ALL)",)),
        rows=("counter", tuple(f"SUSPENSIONS ({kind})" for kind in ("LOCK ONLY", "IRLM LATCH", "OTHER"))),
        each=True,
        counts=True,
        severity="warn",
        source=f"{_OMPE}, LOCKING ACTIVITY; field knowledge",
    ),
    Sum(
        name="processor_time_adds_up",
        total="cp_cpu_time_s",
        parts=("tcb_time_s", "preemptable_srb_time_s", "nonpreemptable_srb_time_s"),
        digit=0.000001,
        severity="warn",
        source=f"{_OMPE}, CPU TIMES; field knowledge",
    ),
)

# fmt: off
COUNTERS = Table(
    "db2_statistics_counter",
    grain="one row per member (or group), interval, block and counter",
    rows=("COUNTER_ROW", "EQUATION_ROW"),
    key=(
        *("location", "db2_group", "member", "subsystem", "report_kind", "scope", "begin_at", "end_at"),
        *("block", "object", "counter", "label_path", "occurrence"),
    ),
    rules=_RULES,
    columns=(
        *heading_columns(OF_PAGE),
        Column("total_threads", number(), Parsed(OF_PAGE), "HIGHLIGHTS of the member or group."),
        Column("total_commits", number(), Parsed(OF_PAGE), "HIGHLIGHTS of the member or group."),
        *block_columns(of=("QUANTITY",)),
        Column(
            "quantity",
            amount(),
            Under("QUANTITY"),
            "QUANTITY: a count; a percentage if the label says so; seconds if printed with colons.",
            resolution=True,
        ),
        Column("quantity_unit", text(), Counter("unit"), "% if the number is printed with a percent sign."),
        Column("per_second", amount(), Under("/SECOND"), "/SECOND.", resolution=True),
        Column("per_minute", amount(), Under("/MINUTE"), "/MINUTE, if DB2PM prints it, with or without /SECOND.", resolution=True),
        Column("per_thread", amount(), Under("/THREAD"), "/THREAD."),
        Column("per_commit", amount(), (Under("/COMMIT"), Under("CP CPU /COMMIT")), "/COMMIT; for CPU TIMES seconds on general processors."),
        *(Column(name, duration(), tuple(map(Under, titles)), doc) for name, titles, doc in _CPU_TIMES),
        *(Column(name, amount(), Under(title), f"{title}: {doc}.") for name, title, doc in _MESSAGES_AND_RECORDS),
        Column("value_text", text(), Counter("value", of=("VALUE",)), "VALUE: text as printed; may be a number."),
    ),
    once=Once(
        "quantity null_reason per_second sent received value_text tcb_time_s preemptable_srb_time_s"
        " nonpreemptable_srb_time_s cp_cpu_time_s preemptable_iip_srb_time_s",
        where="is_total IS NOT TRUE",
    ),
)
# fmt: on

_TITLES = (
    *BLOCK_TITLES,
    *(f"{POOL_WORD} {rest}" for rest in ("GENERAL", "READ OPERATIONS", "WRITE OPERATIONS", "SORT/MERGE")),
    *("CPU TIMES", "DATA SHARING LOCKING", "DATA SHARING LOCKS", "EDM POOL", "GLOBAL DDF ACTIVITY", r"IFC DEST\."),
    *("IFC RECORD COUNTS", "LATCH CNT", "LOCKING ACTIVITY", "LOG ACTIVITY", "OPEN/CLOSE ACTIVITY"),
    *("REMOTE LOCATION STATISTICS", "SUBSYSTEM SERVICES"),
)

REPORT = Report(
    "db2_statistics",
    summary="Db2 Statistics, long and short (from field knowledge) report and trace, of members and groups, every counter block (OMEGAMON for Db2, DB2PM)",
    page_top=PAGE_TOP,
    title=r"(?i)STATISTICS +(REPORT|TRACE) +- +(LONG|SHORT)",
    any_title=ANY_TITLE,
    doc=__doc__ or "",
    tables=(COUNTERS,),
    interval=INTERVAL,
    lasting=HIGHLIGHTS,
    # Of long reports, which begin a page for each member.
    once=("ELAPSED_LINE",),
    # Who shares no data has no group buffer pools.
    not_below=(
        *(
            (kind, Field("GROUP_LINE", "GROUP: +N/A( |$)"))
            for kind in ("POOL_TITLE", Field("TITLES", "GROUP +(G?BP[0-9]|BUFFER)"))
        ),
        # HIGHLIGHTS of a page are all long or all short.
        ("ELAPSED_LINE", "SAMPLING_START_LINE"),
        ("SAMPLING_START_LINE", "ELAPSED_LINE"),
    ),
    numbered=("LOCATION_LINE",),
    unread_parts=UNREAD_HIGHLIGHTS,
    layouts=(
        CounterBlocks(
            ("TITLES", "DASHES", "POOL_TITLE"),
            ("COUNTER_ROW", "EQUATION_ROW"),
            # One block per remote location.
            repeats=("SENT +RECEIVED",),
            titles=_TITLES,
            rates=Rates("QUANTITY", ("/SECOND", "/MINUTE", "/THREAD", "/COMMIT")),
        ),
    ),
)
