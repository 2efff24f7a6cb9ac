"""Db2 Accounting, long and short report and trace (OMEGAMON for Db2 Performance Expert, DB2PM). Grain: one row per member (or group),
interval, keys of the ORDER (traces: thread), block and counter.

Source: IBM OMEGAMON for Db2 Performance Expert, Report Reference, "Accounting report and trace blocks"; published excerpts
of the page heading, the top of a long report, MEASURED/ELIG TIMES, CLASS 3 SUSPENSIONS and BPOOL ACTIVITY; other blocks, their
places side by side and the IDENTIFICATION of a trace from field knowledge. Labels differ by release and sites tailor the layout:
no label is declared, every one is a counter, and a title is the same with other blanks and stops (APPL(CL.1), APPL (CL1)). A column
/COMMIT, which a site may add to some blocks, is documented. Short reports print averages per occurrence, and totals under titles with #;
their heading is published, and how keys and lines of numbers stand below it with headings of three lines; other places of
the keys and totals are field knowledge. The box of packages below an entry is as published. Of short traces the page
heading and the box are published, the threads' lines field knowledge: their values are found by the titles. Not parsed:
bar charts, begin and end of the IDENTIFICATION.
"""

import re
from typing import Any

from ..pipeline.declaration.layouts import CounterBlocks, Entries, Listing
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Counter, Field, LineParser, Parsed, Under
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, Report, Table, amount, duration, text
from ..pipeline.errors import Problem, Unreadable
from ._db2 import ANY_TITLE, BLOCK_TITLES, INTERVAL, PAGE_TOP, POOL_WORD, block_columns, heading_columns
from ._db2_accounting_rules import accounting_rules

# Column, its word in ORDER and on the page, and its meaning.
_KEYS = {
    "primauth": ("PRIMAUTH", "Primary authorization."),
    "origauth": ("ORIGAUTH", "Original authorization."),
    "plan": ("PLANNAME", "Plan."),
    "connection": ("CONNECT", "Connection: the CICS region, the IMS system, BATCH, SERVER, …"),
    "conntype": ("CONNTYPE", "Connection type: CICS, DRDA, …"),
    "corrname": ("CORRNAME", "Correlation name: the CICS transaction, the job, …"),
    "corrnmbr": ("CORRNMBR", "Correlation number."),
    "mainpack": ("MAINPACK", "Main package."),
    "end_user": ("ENDUSER", "End user that the application names."),
    "workstation": ("WSNAME", "Workstation that the application names."),
    "transaction": ("TRANSACT", "Transaction that the application names."),
    "activity": ("ACTNAME", "Type and name of the activity: a stored procedure, function or trigger."),
    "requesting_location": ("REQLOC", "Location that the request came from."),
}
_ORDER = Field("SUBSYSTEM_LINE", r"\bORDER: *([A-Z]+(?:-[A-Z]+)*)(?: |$)")
_PAIR = re.compile(r"([A-Z]+(?: [A-Z]+)?) *: ?(.*?)(?= {2,}[A-Z]+(?: [A-Z]+)? *:|$)")


def read_keys(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """The keys of a page; None for a key not in ORDER, or printed as N/A or 'BLANK'. Raises Unreadable if the line does not have the keys
    of ORDER, or if lines of IDENTIFICATION are missing."""
    subsystem, keys, *identification, rule = texts
    order = re.search(_ORDER.pattern, subsystem or "")
    words = [m[1] for m in _PAIR.finditer(keys or "")]
    expected = order[1].split("-") if order else [word for word, _ in _KEYS.values()]
    if words != expected if order and keys else not set(words) <= set(expected):
        raise Unreadable({}, [Problem(1, 0, "keys cannot be read", ", ".join(expected), "rows below have no keys")])
    printed: dict[str, str] = {}
    problems: list[Problem] = []
    there = [kind for kind, line in zip(_IDENTIFICATION, identification, strict=True) if line is not None]
    if rule is not None and (not there or 1 < len(there) < len(_IDENTIFICATION)):
        lost = ", ".join(kind for kind in _IDENTIFICATION if kind not in there)
        at = 2 + len(_IDENTIFICATION)
        problems.append(Problem(at, 0, f"IDENTIFICATION has no {lost}", lost, "its keys are not known"))
    for number, line in enumerate((keys, *identification), 1):
        for pair in _PAIR.finditer(line or ""):
            value, _, rest = pair[2].strip().partition("  ")
            printed[pair[1]] = "" if rest else value
            if rest:
                what = f"{pair[1]} cannot be read: {rest.strip()!r} follows it"
                problems.append(
                    Problem(number, pair.start(2), what, "one value after each colon", "the key is left NULL")
                )
    printed.setdefault("REQLOC", printed.get("REQUESTER", ""))
    found = {name: key_named(printed.get(word, "")) for name, (word, _) in _KEYS.items()}
    stamp = found["record_time"] = key_named(printed.get("ACCT TSTAMP", ""))
    if stamp and ":" not in stamp:
        found["record_time"] = None
        at = next(k for k, line in enumerate((keys, *identification), 1) if "ACCT TSTAMP" in (line or ""))
        problems.append(Problem(at, 0, f"ACCT TSTAMP: {stamp!r} has no time of day", "a date and a time", "left NULL"))
    if problems:
        raise Unreadable(found, problems)
    return found


def key_named(printed: str) -> str | None:
    """The key's value, or None."""
    return None if printed in ("", "N/A", "N/P", "'BLANK'") else printed


_IDENTIFICATION = ("THREAD_LINE", "REQUESTER_LINE", "MAINPACK_LINE", "PRIMAUTH_LINE", "ORIGAUTH_LINE")
KEYS = LineParser(("SUBSYSTEM_LINE", "KEY_LINE", *_IDENTIFICATION, "IDENTIFICATION_RULE"), read_keys)

# Short reports print averages, and totals under titles that begin with #; short traces print only totals.
_AVERAGED = ("ENTRY_ROW", "PACKAGE_ROW")
_OF_THREADS = ("TRACE_ROW", "TRACE_PACKAGE_ROW")
# The title of a package block is the package name; its columns show what it contains.
_PACKAGE_COLUMNS = {
    "PACKAGE IDENTIFICATION": ("VALUE",),
    "PACKAGE TIMES": ("TIMES",),
    "PACKAGE SUSPENSIONS": ("AVG.EV", "TIME"),
}
_OF_PACKAGES = tuple(title for titles in _PACKAGE_COLUMNS.values() for title in titles)
_PACKAGE_BLOCKS = tuple(
    Counter("title", lambda _, block=block: block, of=titles) for block, titles in _PACKAGE_COLUMNS.items()
)

# Reports print averages, traces print sums.
_OF_REPORT_OR_TRACE = (
    *((time, events) for time in ("TIME", "ELAPSED TIME") for events in ("AVG.EV", "AV.EVENT")),
    ("AVERAGE TIME", "EVENTS"),
)
_TITLES = (
    *BLOCK_TITLES,
    *(POOL_WORD, f"{POOL_WORD} BPOOL ACTIVITY"),
    *("CLASS 3 SUSPENSIONS", r"CLASS 3 SUSP\.", "GLOBAL CONTENTION [LP]-LOCKS", "MEASURED/ELIG TIMES", "LOCKING"),
)

# Whose counters they are.
_ENTRY = (
    *("location", "db2_group", "member", "subsystem", "report_kind", "scope", "begin_at", "end_at"),
    *(*_KEYS, "record_time", "is_total"),
)

# fmt: off
COUNTERS = Table(
    "db2_accounting_counter",
    grain="one row per member (or group), interval, keys of the ORDER, block and counter",
    rows=("COUNTER_ROW", "ENTRY_ROW", "PACKAGE_ROW", "TRACE_ROW", "TRACE_PACKAGE_ROW"),
    key=(*_ENTRY, "block", "object", "counter", "label_path", "occurrence"),
    rules=accounting_rules(_ENTRY),
    columns=(
        *heading_columns(),
        *(Column(name, text(), (Parsed(KEYS), Counter("key", key_named, of=(word,))), doc) for name, (word, doc) in _KEYS.items()),
        Column(
            "record_time",
            text(),
            (Parsed(KEYS), *(Counter("key", key_named, of=(title,)) for title in ("ACCT TIMESTAMP", "ACCT TSTAMP"))),
            "Traces: time of the record, as printed: date and time, or only time (the day is that of begin_at).",
        ),
        *block_columns(
            of=("TOTAL", "EVENTS"),
            total=(Counter("total"),),
            objects=(Counter("key", of=("PROGRAM NAME",)), Counter("title", of=_OF_PACKAGES)),
            kinds=_PACKAGE_BLOCKS,
        ),
        Column(
            "average",
            amount(),
            (Under("AVERAGE"), *(Under("*", line=row) for row in _AVERAGED)),
            "AVERAGE, and short reports under titles without #: count or seconds per occurrence, depending on the label.",
            resolution=True,
        ),
        Column(
            "total",
            amount(),
            (Under("TOTAL"), *(Under("#*", line=row) for row in _AVERAGED), *(Under("*", line=row) for row in _OF_THREADS)),
            "TOTAL, short reports under titles with #, and short traces: count or seconds.",
            resolution=True,
        ),
        Column("per_commit", amount(), Under("/COMMIT"), "/COMMIT, if a site's layout has it: count or seconds per commit.", resolution=True),
        Column(
            "appl_class_1",
            amount(),
            Under("APPL(CL.1)"),
            "Class 1 (application and Db2): seconds, or a count for labels of events.",
            resolution=True,
        ),
        Column("db2_class_2", amount(), Under("DB2 (CL.2)"), "Class 2 (in Db2), likewise.", resolution=True),
        Column("ifi_class_5", amount(), Under("IFI (CL.5)"), "Class 5 (in IFI), likewise."),
        Column(
            "package_class_7",
            amount(),
            Under("TIMES"),
            "Class 7 (in Db2, per package): seconds, or a count for labels of events; reports: per occurrence.",
            resolution=True,
        ),
        Column("average_time_s", duration(), Under("AVERAGE TIME"), "AVERAGE TIME an occurrence.", resolution=True),
        Column("average_events", amount(), (Under("AV.EVENT"), Under("AVG.EV")), "AV.EVENT: events an occurrence.", resolution=True),
        Column("time_per_event_s", duration(), Under("TIME/EVENT"), "TIME/EVENT.", resolution=True),
        Column("elapsed_time_s", duration(), (Under("ELAPSED TIME"), Under("TIME")), "ELAPSED TIME of a trace's suspensions.", resolution=True),
        Column("events", amount(), Under("EVENTS"), "EVENTS of a trace's suspensions.", resolution=True),
        Column("creates", amount(), Under("CREATE"), "CREATE of SQL DDL."),
        Column("drops", amount(), Under("DROP"), "DROP of SQL DDL."),
        Column("alters", amount(), Under("ALTER"), "ALTER of SQL DDL."),
        Column(
            "value_text",
            text(),
            Counter("value", of=("VALUE", "THR.TYPE", "TERM. CONDITION", "TYPE")),
            "Text as printed, after the label's colon (HIGHLIGHTS) or under a text title; may be a number.",
        ),
        Column("value", amount(), Counter("value"), "The same if it is a number: a count, or seconds if printed with colons.", resolution=True),
    ),
    once=Once(
        "average total appl_class_1 db2_class_2 package_class_7 average_time_s average_events elapsed_time_s events value"
        " value_text null_reason",
        where="is_total IS NOT TRUE",
    ),
)
# fmt: on

REPORT = Report(
    "db2_accounting",
    summary="Db2 Accounting, long and short report and trace (every counter block, packages)",
    page_top=PAGE_TOP,
    title=r"(?i)ACCOUNTING +(REPORT|TRACE) +- +(LONG|SHORT)",
    any_title=ANY_TITLE,
    doc=__doc__ or "",
    tables=(COUNTERS,),
    interval=(*INTERVAL, "KEY_LINE", "THREAD_LINE"),
    entries_named=_ORDER,
    not_below=tuple(
        (Field("TITLES", titles), Field("GROUP_LINE", rf"(?i)ACCOUNTING +{other} "))
        for titles, other in ((r"\bAVERAGE +TIME\b|\bAVG?\.EV", "TRACE"), (r"[A-Z] +TIME +EVENTS\b", "REPORT"))
    ),
    unread={"TIME DISTRIBUTION": ("CHART_TITLES", "CHART_ROW"), "BEGIN TIME, END TIME": ("TIME_LINE",)},
    layouts=(
        CounterBlocks(
            ("TITLES", "DASHES"), ("COUNTER_ROW",), titles=_TITLES, below_names=_OF_PACKAGES, apart=_OF_REPORT_OR_TRACE
        ),
        Entries(
            ("ENTRY_TITLES", "FURTHER_TITLES", "DASHES"),
            ("ENTRY_ROW",),
            depth=2,
            order=_ORDER,
            title="GENERAL",
        ),
        Listing(
            ("TRACE_TITLES", "FURTHER_TRACE_TITLES", "DASHES"),
            ("TRACE_ROW",),
            depth=2,
            title="GENERAL",
            first_line_title="ACCT T(IME)?STAMP",
        ),
        Listing(("PACKAGE_TITLES",), ("PACKAGE_ROW",), title="PACKAGE GENERAL", inherit_keys_below=("ENTRY_ROW",)),
        Listing(
            ("TRACE_PACKAGE_TITLES",),
            ("TRACE_PACKAGE_ROW",),
            title="PACKAGE GENERAL",
            inherit_keys_below=("TRACE_ROW",),
        ),
    ),
)
