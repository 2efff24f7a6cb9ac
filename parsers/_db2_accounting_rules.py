"""Consistency rules of Db2 Accounting: parts and totals, averages and totals, class 1 and class 2.

Source: IBM OMEGAMON for Db2 Performance Expert, Report Reference, "Accounting report and trace blocks", by the labels of its
examples. Sites tailor the layout and labels differ by release: a rule is skipped if one of its rows is not printed. All are
warnings, because parallel tasks and rolled-up threads mix times of several threads.
"""

from ..pipeline.declaration.rules import AtMost, Product, Quotient, Ratio, Rule, Total, Where

_OMPE = "OMEGAMON for Db2, Report Reference"
_TIMES = f"{_OMPE}, Times - Class 1 and Class 2"
_SUSPENSIONS = f"{_OMPE}, Times - Class 3 - Suspensions"
_NESTED = ("NONNESTED", "STORED PROC", "UDF", "TRIGGER")
_NESTED_CPU = ("NONNESTED", "STORED PRC", "UDF", "TRIGGER")
_MICROSECOND = 1e-6

# Top-level rows of the class 3 block.
_SUSPENDED_FOR = (
    *("LOCK/LATCH(DB2+IRLM)", "SYNCHRON. I/O", "OTHER READ I/O", "OTHER WRTE I/O", "SER.TASK SWTCH", "ARC.LOG(QUIES)"),
    *(
        "LOG READ",
        "DRAIN LOCK",
        "CLAIM RELEASE",
        "PAGE LATCH",
        "NOTIFY MSGS",
        "GLOBAL CONTENTION",
        "COMMIT PH1 WRITE I/O",
    ),
    *("ASYNCH CF REQUESTS", "TCP/IP LOB XML", "ACCELERATOR"),
)
# Blocks whose totals are sums over all occurrences: LOCKING has peaks, and those of a package are by its own occurrences.
_ADDED_UP = ("BPOOL ACTIVITY", "GROUP BP", "SQL DML")


def _of(*labels: str) -> Where:
    return "label_path", labels


def _times(name: str, total: str, parts: tuple[str, ...], over: tuple[str, ...]) -> Total:
    """A time of class 1, class 2 or a package, with its indented rows."""
    return Total(
        name=name,
        of={_MICROSECOND: ("appl_class_1", "db2_class_2", "package_class_7")},
        over=over,
        total=_of(total),
        rows=_of(*(f"{total} > {part}" for part in parts)),
        each=True,
        severity="warn",
        source=_TIMES,
    )


def _suspensions(name: str, total: str, parts: tuple[str, ...], over: tuple[str, ...], at_most: bool = False) -> Total:
    """Times and events of class 3; reports have averages, traces totals."""
    return Total(
        name=name,
        of={_MICROSECOND: ("average_time_s", "elapsed_time_s"), 0.01: ("average_events",), 0: ("events",)},
        over=over,
        total=_of(total),
        rows=_of(*parts),
        each=not at_most,
        at_most=at_most,
        severity="warn",
        source=_SUSPENSIONS,
    )


def _hit_ratio(column: str, digit: float, over: tuple[str, ...]) -> Quotient:
    """Reports print it among the averages, traces among the totals, without decimals."""
    return Quotient(
        name=f"hit_ratio_of_the_pages_read_{column}",
        found=(column, _of("BPOOL HIT RATIO (%)")),
        plus=("total", _of("GETPAGES")),
        minus=("total", _of("SYNCHRONOUS READ", "PAGES READ ASYNCHR.")),
        per=("total", _of("GETPAGES")),
        times=100,
        counts=True,
        over=over,
        digit=digit,
        severity="warn",
        source=f"{_OMPE}, Buffer Pool Activity",
    )


def _class_2_within_class_1(name: str, column: str, inner: str, outer: str, over: tuple[str, ...]) -> Quotient:
    """Short layouts have one title per class: averages in reports, totals in traces."""
    return Quotient(
        name=f"class_2_{name}_is_within_class_1",
        found=(column, _of(inner)),
        plus=(column, _of(outer)),
        over=over,
        at_most=True,
        digit=_MICROSECOND,
        severity="warn",
        source=f"{_OMPE}, short layouts: class 2 is the part of class 1 that is in Db2",
    )


def accounting_rules(entry: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules of a table whose key begins with `entry`."""
    block = (*entry, "block", "object", "occurrence")
    return (
        _times("elapsed_time_adds_up", "ELAPSED TIME", _NESTED, block),
        _times("processor_time_adds_up", "CP CPU TIME", ("AGENT", "PAR.TASKS"), block),
        _times("agent_time_adds_up", "CP CPU TIME > AGENT", _NESTED_CPU, block),
        _times("specialty_engine_time_adds_up", "SE CPU TIME", (*_NESTED, "PAR.TASKS"), block),
        AtMost(
            name="class_2_is_within_class_1",
            parts=("db2_class_2",),
            most=("appl_class_1",),
            where=_of("ELAPSED TIME", "CP CPU TIME", "SE CPU TIME"),
            digit=_MICROSECOND,
            severity="warn",
            source=f"{_TIMES}: class 2 is the part of class 1 that is in Db2",
        ),
        _class_2_within_class_1("average_elapsed", "average", "CLASS2 EL.TIME", "CLASS1 EL.TIME", block),
        _class_2_within_class_1("average_processor", "average", "CLASS2 CPUTIME", "CLASS1 CPUTIME", block),
        _class_2_within_class_1("elapsed", "total", "EL. TIME(CL2)", "EL. TIME(CL1)", block),
        _class_2_within_class_1("processor", "total", "CPU TIME(CL2)", "CPU TIME(CL1)", block),
        *(
            _suspensions(name, total, (f"{total} > IRLM LOCK+LATCH", f"{total} > DB2 LATCH"), block)
            for name, total in (
                ("lock_and_latch_suspensions_add_up", "LOCK/LATCH(DB2+IRLM)"),
                ("lock_and_latch_suspensions_of_a_package_add_up", "LOCK/LATCH"),
            )
        ),
        _suspensions(
            "synchronous_io_suspensions_add_up",
            "SYNCHRON. I/O",
            ("SYNCHRON. I/O > DATABASE I/O", "SYNCHRON. I/O > LOG WRITE I/O"),
            block,
        ),
        # A release may have other reasons.
        _suspensions("suspensions_are_within_class_3", "TOTAL CLASS 3", _SUSPENDED_FOR, block, at_most=True),
        Quotient(
            name="suspend_time_is_class_3",
            found=("db2_class_2", _of("SUSPEND TIME")),
            plus=("average_time_s", _of("TOTAL CLASS 3")),
            over=entry,
            digit=_MICROSECOND,
            severity="warn",
            source=_SUSPENSIONS,
        ),
        *(
            Ratio(
                name=name,
                found="time_per_event_s",
                of=(time,),
                per=events,
                digit=_MICROSECOND,
                severity="warn",
                source=_SUSPENSIONS,
            )
            for name, time, events in (
                ("time_per_event", "average_time_s", "average_events"),
                ("time_per_event_of_a_trace", "elapsed_time_s", "events"),
            )
        ),
        Quotient(
            name="synchronous_io_average",
            found=("value", ("counter", ("SYNCH I/O AVG.",))),
            plus=("average_time_s", _of("SYNCHRON. I/O")),
            per=("average_events", _of("SYNCHRON. I/O")),
            over=entry,
            digit=_MICROSECOND,
            severity="warn",
            source=f"{_OMPE}, Highlights",
        ),
        Product(
            name="total_is_the_average_of_its_occurrences",
            found="total",
            of="average",
            by=("value", ("counter", ("#OCCURRENCES",))),
            over=entry,
            rows=("block", _ADDED_UP),
            severity="warn",
            source=f"{_OMPE}: averages are by #OCCURRENCES",
        ),
        _hit_ratio("average", 0.01, block),
        _hit_ratio("total", 1, block),
    )
