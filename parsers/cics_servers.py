"""Statistics of CICS servers: coupling facility data tables, named counters and shared temporary storage, as the servers print them
(SYSPRINT). Grain: one row per message: of a pool's list structure, of the accesses to it, of a data table or of all requests.

Source: IBM CICS Transaction Server for z/OS, messages DFHCF0432I, DFHNC0431I and DFHNC0432I (layouts as documented), statistics of the
servers (names of all numbers); the layout of the other messages, their wording and the time in front of a message are field knowledge.
docs/cics.md says which column rests on what. A server is not a region, so it is a report of its own.
Counts are since the last reset, of which the messages do not tell the time. Not parsed: percentages, which follow from the numbers;
statistics of buffers and storage, whose lines are rejects.
"""

import datetime as dt
import re
from typing import Any

from ..pipeline.declaration.layouts import Columns, WholeRows
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Constant, Field, LineParser, Parsed, Place, Under
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, Report, Table, count, flag, storage, text, timestamp
from ..pipeline.declaration.rules import AtMost, Sum
from ..pipeline.errors import Problem, Unreadable
from ._dates import ORDER_HINT, read_date

_DATE = re.compile(r" *(\d{2,4}[/-]\d\d[/-]\d{2,4}) ")
_TIME = re.compile(r"(\d\d)[.:](\d\d)[.:](\d\d)")
_DAY = re.compile(r"DAY, +(\d{1,2}) ([A-Z]{3}) (\d{4})")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


def read_when(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """When a message was printed: its own date and time, or its time on the day of the job log's line of the date. Without a day the
    time is NULL. Raises Unreadable for an impossible date or time."""
    day_line = texts[0] or ""
    at, printed_line = next(((k, text) for k, text in enumerate(texts) if k and text), (0, ""))
    message = printed_line.partition("DFH")[0]
    time = _TIME.search(message)
    found: dict[str, Any] = {"printed_at": time and time[0], "collected_at": None}
    date, day = _DATE.match(message), _DAY.search(day_line)
    if not time or not (date or day):
        return found
    try:
        if date:
            printed = read_date(date[1], options.date_order) if "/" in date[1] else dt.date.fromisoformat(date[1])
        else:
            assert day
            printed = dt.date(int(day[3]), _MONTHS.index(day[2]) + 1, int(day[1]))
        found["collected_at"] = dt.datetime.combine(printed, dt.time(int(time[1]), int(time[2]), int(time[3])))
    except ValueError:
        what = f"{date[1] if date else day and day[0]} {time[0]} is not a date and time"
        raise Unreadable(
            found, [Problem(at, 0, what, "a date and hh.mm.ss", ORDER_HINT if date and "/" in date[1] else "")]
        ) from None
    return found


_SERVERS = {"CF": "data_table", "NC": "named_counter", "TS": "shared_ts"}


def read_system(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """The system, which a job log prints letter by letter."""
    named = re.search(r"S Y S T E M {2}(\S(?: \S)*)", texts[0] or "")
    if texts[0] and not named:
        problem = Problem(0, 0, "the system cannot be read", "S Y S T E M and its letters", "")
        raise Unreadable({"system": None}, [problem])
    return {"system": named and named[1].replace(" ", "")}


def _header(*kinds: str) -> tuple[Column, ...]:
    """Whose numbers they are and when, by the line of the message."""
    when = Parsed(LineParser(("DATE_LINE", *kinds), read_when))
    return (
        Column("system", text(), Parsed(LineParser(("SYSTEM_LINE",), read_system)), "System, from the first line of a job log of JES2."),
        Column("job_id", text(), tuple(Field(kind, r"^.*?\b((?:STC|JOB)\d+) ") for kind in kinds), "Job of the server, such as STC01234."),
        Column("server", text(), tuple(Constant(_SERVERS[kind[:2]], (kind,)) for kind in kinds), "Kind of server.", nullable=False, allowed=tuple(_SERVERS.values())),
        Column("printed_at", text(), when, "Time of day in front of the message, as printed."),
        Column("collected_at", timestamp(), when, "Time of the message with its day, local; NULL where no day is printed in front of the message or above it."),
    )  # fmt: skip


def _structure(*kinds: str) -> Column:
    at = tuple(Field(kind, r"(?i)CF STRUCTURE +([A-Z0-9$#@_]+) *:? *$") for kind in kinds)
    return Column("structure_name", text(), at, "The pool's list structure.", nullable=False)


def _below(title: str, *lines: str) -> tuple[Place, ...]:
    return tuple(Under(title, line=line, reach="below", whole=True) for line in lines)


def _numbers(line: str, *columns: tuple[str, str, str]) -> tuple[Column, ...]:
    """(name, title, description) of counts on the lines of a part, and on those that continue it."""
    lines = (line, f"{line.removesuffix('_ROW')}_MORE_ROW") if line in _CONTINUED else (line,)
    return tuple(Column(name, count(), _below(title, *lines), doc, resolution=True) for name, title, doc in columns)


_CONTINUED = ("LISTS_ROW", "ENTRIES_ROW", "ELEMENTS_ROW", "RESPONSES_ROW", "RECORD_ROW")
_POOLS, _ACCESSES, _TABLES = ("CF_POOL", "NC_POOL", "TS_POOL"), ("CF_ACCESS", "NC_ACCESS", "TS_ACCESS"), ("CF_TABLE", "CF_SERVER")  # fmt: skip
_IBM = "CICS Transaction Server, messages DFHCF0432I and DFHNC0432I"


def _used(what: str, line: str) -> tuple[Column, ...]:
    return _numbers(
        line,
        (f"{what}_total", "TOTAL", f"{what.capitalize()} of the structure."),
        (f"{what}_in_use", "IN USE", "In use now."),
        (f"{what}_max_used", "MAX USED", "Most in use since the last reset."),
        (f"{what}_free", "FREE", "Free now: total less in use."),
        (f"{what}_min_free", "MIN FREE", "Least free since the last reset."),
        (f"{what}_reserve", "RESERVE", "Kept for requests that free others; only data tables print it."),
    )


# fmt: off
POOLS = Table(
    "cics_server_pool",
    grain="one row per server, pool and time",
    rows=_POOLS,
    key=("system", "job_id", "server", "structure_name", "collected_at", "printed_at"),
    columns=(
        *_header(*_POOLS),
        _structure(*_POOLS),
        *(
            Column(name, storage(), _below(title, "STRUCTURE_ROW"), doc)
            for name, title, doc in (
                ("size_bytes", "SIZE", "Allocated now."),
                ("size_max_bytes", "MAX SIZE", "What the structure could be altered to."),
                ("element_bytes", "ELEM SIZE", "A data element."),
            )
        ),
        *_numbers(
            "OBJECTS_ROW",
            ("objects_current", "CURRENT", "Tables or queues."),
            ("objects_highest", "HIGHEST", "Their peak since the last reset."),
        ),
        *_numbers(
            "LISTS_ROW",
            ("lists_total", "TOTAL", "List headers."),
            ("lists_in_use", "IN USE", "In use now."),
            ("lists_max_used", "MAX USED", "Most in use since the last reset."),
            ("lists_control", "CONTROL", "In use for control information."),
            ("lists_data", "DATA", "In use for data."),
        ),
        *_used("entries", "ENTRIES_ROW"),
        *_used("elements", "ELEMENTS_ROW"),
    ),
    rules=(
        *(
            Sum(name=f"{what}_in_use_and_free_are_all", total=f"{what}_total", parts=(f"{what}_in_use", f"{what}_free"), severity="warn", source=_IBM)
            for what in ("entries", "elements")
        ),
        *(
            AtMost(name=f"{what}_used_at_most_all", parts=(f"{what}_max_used",), most=(f"{what}_total",), severity="warn", source=f"{_IBM}; a structure may be altered")
            for what in ("lists", "entries", "elements")
        ),
    ),
    once=Once(),
)

ACCESSES = Table(
    "cics_server_access",
    grain="one row per server, pool and time",
    rows=_ACCESSES,
    key=("system", "job_id", "server", "structure_name", "collected_at", "printed_at"),
    columns=(
        *_header(*_ACCESSES),
        _structure(*_ACCESSES),
        *_numbers(
            "COUNTER_ROW",
            ("creates", "CREATE", "Counters created."),
            ("gets", "GET", "Numbers taken."),
            ("sets", "SET", "Counters set."),
            ("deletes", "DELETE", "Counters deleted."),
            ("inquires", "INQUIRE", "Counters inquired."),
            ("browses", "BROWSE", "Counters read in a browse."),
        ),
        *_numbers(
            "INDEX_ROW",
            ("index_write_adjuncts", "WRT ADJS", "Index entries whose adjunct area alone was written."),
            ("index_inquires", "INQUIRES", "Index entries inquired."),
            ("index_reads", "READS", "Index entries read."),
            ("index_writes", "WRITES", "Index entries written."),
            ("index_deletes", "DELETES", "Index entries deleted."),
        ),
        *_numbers(
            "DATA_ROW",
            ("data_creates", "CREATES", "Lists of data created."),
            ("data_writes", "WRITES", "Data entries written."),
            ("data_reads", "READS", "Data entries read."),
            ("data_rereads", "REREADS", "Of these, read again because the buffer was too small."),
            ("data_rewrites", "REWRITES", "Data entries rewritten."),
            ("data_deletes", "DELETES", "Data entries deleted."),
        ),
        *_numbers(
            "RESPONSES_ROW",
            ("asynchronous", "ASYNCH", "Requests completed asynchronously."),
            ("unavailable", "UNAVAIL", "Requests put off because the structure was not available."),
            ("normal", "NORMAL", "Normal responses."),
            ("timed_out", "TIMEOUT", "Requests timed out in the coupling facility, and issued again."),
            ("not_found", "NOT FND", "The entry was not found."),
            ("version_failed", "VERS CHK", "Another server had changed the entry."),
            ("list_failed", "LIST CHK", "The authority of the list was not the expected one."),
            ("list_full", "LIST FULL", "The list was full."),
            ("structure_full", "STR FULL", "The structure was full."),
            ("errors", "I/O ERR", "Other errors."),
        ),
    ),
    once=Once(),
)

_ALL = "; on the row of the server of all tables"
TABLES = Table(
    "cics_data_table_access",
    grain="one row per server, coupling facility data table and time, and one for all tables of the server",
    rows=_TABLES,
    key=("system", "job_id", "server", "is_total", "table_name", "collected_at", "printed_at"),
    columns=(
        *_header(*_TABLES),
        Column("is_total", flag(), (Constant(True, ("CF_SERVER",)), Constant(False)), "The row is of the server: all its tables."),
        Column("pool", text(), Field("CF_SERVER", r"(?i)SERVER +([A-Z0-9$#@.]+) *:? *$"), "Pool of the server, as printed; NULL on tables."),
        Column("table_name", text(), Field("CF_TABLE", r"(?i)FOR TABLE +([A-Z0-9$#@.-]+) *:? *$"), "The table; NULL on the row of the server."),
        *_numbers(
            "TABLE_ROW",
            ("opens", "OPEN", f"Tables opened{_ALL}."),
            ("closes", "CLOSE", "Tables closed."),
            ("attribute_sets", "SET ATTR", "Attributes set."),
            ("table_deletes", "DELETE", "Tables deleted."),
            ("statistics", "STATS", "Statistics extracted."),
        ),
        *_numbers(
            "RECORD_ROW",
            ("points", "POINT", f"POINT requests{_ALL}."),
            ("highest", "HIGHEST", "Requests for the highest key."),
            ("reads", "READ", "READ requests, those for update too."),
            ("read_deletes", "READ DEL", "Combined READ and DELETE requests."),
            ("unlocks", "UNLOCK", "UNLOCK requests."),
            ("loads", "LOADS", "Records written by loading."),
            ("writes", "WRITE", "WRITE requests for new records."),
            ("rewrites", "REWRITE", "REWRITE requests."),
            ("deletes", "DELETE", "DELETE requests."),
            ("generic_deletes", "DEL MULT", "Generic DELETE requests."),
        ),
        *_numbers(
            "UOW_ROW",
            ("prepares", "PREPARE", "Units of work prepared."),
            ("retains", "RETAIN", "Units of work with retained locks."),
            ("commits", "COMMIT", "Units of work committed."),
            ("backouts", "BACKOUT", "Units of work backed out."),
            ("unit_inquires", "INQUIRE", "Units of work inquired."),
            ("restarts", "RESTART", "Recoverable connections restarted."),
        ),
    ),
)
# fmt: on


# A message prints every number of its parts.
_EVERY_NUMBER = WholeRows(cell=r"(?i)[\d,]+[KMG]?|\*+|N/A")


# What models print of shared temporary storage.
_ARTS = {
    "STRUCTURE": (
        """\
Structure:     Size  Max size Elem size

           wwwwwwww wwwwwwwww wwwwwwwww""",
    ),
    "OBJECTS": (
        """\
Queues:     Current   Highest

          nnnnnnnnn nnnnnnnnn""",
    ),
    "LISTS": (
        """\
Lists:        Total    In use  Max used   Control      Data

          nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn""",
    ),
    "ENTRIES": (
        """\
Entries:      Total    In use  Max used      Free

          nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn""",
    ),
    "ELEMENTS": (
        """\
Elements:     Total    In use  Max used      Free

          nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn""",
    ),
    "INDEX": (
        """\
Index:     Wrt Adjs  Inquires     Reads    Writes   Deletes

          nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn""",
    ),
    "DATA": (
        """\
Data:       Creates    Writes     Reads   Rereads   Deletes

          nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn""",
    ),
    "RESPONSES": (
        """\
Responses:   Asynch   Unavail

           nnnnnnnn nnnnnnnnn""",
    ),
    "RESPONSES_MORE": (
        """\
             Normal   Timeout   Not fnd  Vers chk  List chk

          nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn nnnnnnnnn""",
        """\
          List full  Str full   I/O err

          nnnnnnnnn nnnnnnnnn nnnnnnnnn""",
    ),
}


def _part(name: str) -> Columns:
    return Columns(
        (f"{name}_HEAD",),
        (f"{name}_ROW",),
        ignored=(r"^[A-Z]\w+:$",),
        adjacent=True,
        whole_rows=_EVERY_NUMBER,
        art=_ARTS.get(name, ()),
    )


REPORT = Report(
    "cics_servers",
    summary="CICS servers of data tables, named counters and shared temporary storage: pools, accesses, requests (layout mostly from field knowledge)",
    doc=__doc__ or "",
    tables=(POOLS, ACCESSES, TABLES),
    title=r"DFH(?:CF|NC|XQ)[0-9]{4}I +(?i:.*STATISTICS FOR)",
    interval=(),
    unread={
        "other messages of the servers": ("MESSAGE",),
        "shares of structures, which follow from their numbers": ("SHARES",),
    },
    layouts=tuple(
        map(
            _part,
            (
                *(
                    "STRUCTURE",
                    "OBJECTS",
                    "LISTS",
                    "LISTS_MORE",
                    "ENTRIES",
                    "ENTRIES_MORE",
                    "ELEMENTS",
                    "ELEMENTS_MORE",
                ),
                *("COUNTER", "INDEX", "DATA", "RESPONSES", "RESPONSES_MORE", "TABLE", "RECORD", "RECORD_MORE", "UOW"),
            ),
        )
    ),
)
