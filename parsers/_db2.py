"""Shared by the batch reports of OMEGAMON for Db2 (formerly DB2PM): the five heading lines of every page, and the object in a
counter block's title.

Layout of the heading: LOCATION, GROUP, MEMBER, SUBSYSTEM and DB2 VERSION at the left; product, title, ORDER and SCOPE in the
middle; PAGE, REQUESTED FROM and TO, INTERVAL FROM (traces: ACTUAL FROM) and TO at the right. Times are mm/dd/yy
hh:mm:ss.th, local. A printed interval may end before it begins; it is kept as printed.
"""

import datetime as dt
import re
from functools import partial
from typing import Any

from ..pipeline.declaration.places import Counter, LineParser, Parsed, Place
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, count, flag, number, text, timestamp
from ..pipeline.errors import Problem, Unreadable
from ._dates import ORDER_HINT, read_date
from ._whole_number import whole_number

HEADING = ("LOCATION_LINE", "GROUP_LINE", "MEMBER_LINE", "SUBSYSTEM_LINE", "DB2_LINE")
# The lines that identify the interval; the page number is on another line.
INTERVAL = HEADING[1:]
# Other programs of the product have their title on the first line, after the version.
PAGE_TOP = r"^ *(?:LOCATION: |[A-Z][A-Z0-9 ]*\(V\w+\) - [A-Z ]+ REPORT )"
# Titles say REPORT or TRACE; labels of the heading end in a colon. Which line has the title differs by report.
ANY_TITLE = r"(?i)(?:^ *| {2,}|\(V\w+\) - )((?:[^ :()]+ )*(?:REPORT|TRACE)(?: [^ :()]+)*)(?: {2,}|$)"

_NAMES = {"location": "LOCATION", "db2_group": "GROUP", "member": "MEMBER", "subsystem": "SUBSYSTEM"}
_STAMP = r" (\d\d?/\d\d?/\d\d(?:\d\d)?) +(\d\d):(\d\d):(\d\d)(\.\d\d(?:\d{4})?)?"
_BEGIN, _END = r"(?:INTERVAL|ACTUAL) FROM: *(\S.*?) *$", r"\bTO: *(\S.*?) *$"
# A trace may print no end: its last line then has only the version, or the day of the page.
_OPEN_END = re.compile(r" *DB2 VERSION: *\S+ *(PAGE DATE: .*)?")


def read_stamp(printed: str, order: str) -> dt.datetime:
    """A date and time as mm/dd/yy hh:mm:ss.th; raises ValueError for anything else.

    >>> read_stamp("01/30/15 22:53:32.60", "mdy").isoformat()
    '2015-01-30T22:53:32.600000'
    """
    match = re.fullmatch(_STAMP, f" {printed.strip()}")
    if not match:
        raise ValueError(printed)
    date, hour, minute, second, fraction = match.groups()
    time = dt.time(int(hour), int(minute), int(second), round(float(fraction or 0) * 1_000_000))
    return dt.datetime.combine(read_date(date, order), time)


def read_duration(printed: str) -> float:
    """Seconds of a duration as s.fraction, m:ss.fraction or h:mm:ss.fraction.

    >>> read_duration("1:02:03.5")
    3723.5
    """
    *units, seconds = printed.split(":")
    whole = [found for unit in units if (found := whole_number(unit)) is not None]
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]+)?", seconds) or len(whole) != len(units) or len(units) > 2:
        raise ValueError(printed)
    return sum(unit * 60**power for power, unit in enumerate(reversed(whole), 1)) + float(seconds)


def read_heading(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Values of the five heading lines. Raises Unreadable for invalid times (NOT SPECIFIED included), and if a line or a time is missing;
    an excerpt has none of the lines."""
    lines = [t or "" for t in texts]
    found: dict[str, Any] = dict.fromkeys(("report_kind", "scope", "db2_version", "begin_at", "end_at", "elapsed_s"))
    problems: list[Problem] = []
    for (name, word), line in zip(_NAMES.items(), lines, strict=False):
        match = re.match(rf" *{word}: {{0,4}}(\S+)", line)
        found[name] = None if not match or match[1] in ("N/A", "N/P") else match[1]
        if match and name in ("location", "db2_group") and not line[match.end() :].strip():
            # The title stands behind the group, the product behind the location.
            found[name] = None
            problems.append(
                Problem(list(_NAMES).index(name), match.start(1), f"the line ends at {word}", "a title", "")
            )
    if match := re.search(r"\b(REPORT|TRACE)\b", lines[1]):
        found["report_kind"] = match[1].lower()
    if match := re.search(r"SCOPE: *(\w+)", lines[4]):
        found["scope"] = match[1].lower()
    if match := re.match(r" *DB2 VERSION: *(?!\S+:)(\S+(?: \d+)?)", lines[4]):
        found["db2_version"] = match[1]
    if match := re.search(r"\((V\d\w*)\)", lines[0]):
        found["report_version"] = match[1]
    for at, name, pattern in ((3, "begin_at", _BEGIN), (4, "end_at", _END)):
        match = re.search(pattern, lines[at])
        open_end = name == "end_at" and found["report_kind"] == "trace" and _OPEN_END.fullmatch(lines[at])
        if lines[at] and not match and not open_end:
            expected = "INTERVAL FROM (ACTUAL FROM)" if name == "begin_at" else "TO"
            problems.append(Problem(at, len(lines[at]), f"no time {expected} in the heading", expected, ""))
        if not match or match[1] == "NOT SPECIFIED":
            continue
        try:
            found[name] = read_stamp(match[1], options.date_order)
        except ValueError:
            expected = "mm/dd/yy" if options.date_order == "mdy" else "dd/mm/yy"
            what = f"time {match[1]} cannot be read"
            problems.append(Problem(at, match.start(1), what, f"{expected} hh:mm:ss.th", ORDER_HINT))
    if found["begin_at"] and found["end_at"] and found["end_at"] >= found["begin_at"]:
        found["elapsed_s"] = (found["end_at"] - found["begin_at"]).total_seconds()
    if any(lines) and (lost := [kind for kind, text in zip(HEADING, texts, strict=True) if text is None]):
        what = f"the heading has no {', '.join(lost)}"
        problems.append(Problem(next(k for k, t in enumerate(texts) if t), 0, what, ", ".join(HEADING), ""))
    if problems:
        raise Unreadable(found, problems)
    return found


# Of counter blocks that several reports have; a word for the pool.
POOL_WORD = r"(?:BP(?:8K|16K|32K)?\d*|TOT\d+K|TOTAL)"
BLOCK_TITLES = ("SQL DML", "SQL DCL", "SQL DDL", f"GROUP {POOL_WORD}", "RID LIST PROCESSING", "DYNAMIC SQL STMT")

# GROUP BP3, BP8K0 READ OPERATIONS, TOT4K GENERAL, TOTAL SORT/MERGE.
_GROUP_POOL = re.compile(rf"(?i)GROUP ?(?:BUFFER POOL )?G?({POOL_WORD})$")
_OF_POOL = re.compile(rf"({POOL_WORD}) +(\S.*)$")


def block_of(title: str) -> str:
    """A counter block's title without its buffer pool.

    >>> block_of("BP4 READ OPERATIONS"), block_of("GROUP BP30"), block_of("SQL DML")
    ('READ OPERATIONS', 'GROUP BP', 'SQL DML')
    """
    if _GROUP_POOL.match(title):
        return "GROUP BP"
    match = _OF_POOL.match(title)
    return match[2] if match else title


def object_of(title: str) -> str | None:
    """The buffer pool, group buffer pool or total of a counter block.

    >>> object_of("BP4 READ OPERATIONS"), object_of("GROUP BP30"), object_of("GROUP TOT4K"), object_of("SQL DML")
    ('BP4', 'GBP30', 'TOT4K', None)
    """
    if match := _GROUP_POOL.match(title):
        return match[1] if match[1].startswith("TOT") else f"G{match[1]}"
    match = _OF_POOL.match(title)
    return match[1] if match else None


def is_total(title: str) -> bool:
    """Whether a counter block sums buffer pools that have their own blocks."""
    return (object_of(title) or "").startswith("TOT")


PAGES = LineParser(HEADING, read_heading)
PRINTED_BOUNDS = Parsed(PAGES, "elapsed_s")


SCOPES = ("member", "group", "group_member")


def heading_columns(heading: LineParser = PAGES) -> tuple[Column, ...]:
    """The columns common to all Db2 tables. `heading`: reads names and times of the heading; if a page has rows of several members, whose they
    are and the printed length of the interval too."""
    _at = partial(Parsed, heading)
    elapsed, scopes, of_scope = (PRINTED_BOUNDS,), SCOPES[:2], "member, or group for group totals."
    if heading is not PAGES:
        elapsed, scopes, of_scope = (
            (_at(), PRINTED_BOUNDS),
            SCOPES,
            "member; group for the totals of a group report, group_member for its members. Add rows of one scope.",
        )
    return (
        Column("location", text(), _at(), "LOCATION of the heading."),
        Column("db2_group", text(), _at(), "Data sharing group; NULL if printed as N/A."),
        Column("member", text(), _at(), "Member of the group; NULL for group totals."),
        Column("subsystem", text(), _at(), "Db2 subsystem."),
        Column("db2_version", text(), _at(), "Version of Db2, as printed."),
        Column("report_version", text(), _at(), "Version of the program that printed the report, such as V5R4M0."),
        Column("report_kind", text(), Parsed(PAGES), "report or trace.", allowed=("report", "trace")),
        Column("scope", text(), _at(), of_scope, allowed=scopes),
        Column("begin_at", timestamp(), _at(), "INTERVAL FROM (traces: ACTUAL FROM), local time as printed."),
        Column("end_at", timestamp(), _at(), "TO, as printed, even if it is before FROM."),
        Column(
            "interval_elapsed_s",
            number("s"),
            elapsed,
            "INTERVAL ELAPSED if printed, else TO − FROM; NULL if TO is before FROM.",
            between=("begin_at", "end_at"),
        ),
    )


# fmt: off
def block_columns(
    of: tuple[str, ...],
    total: tuple[Place, ...] = (),
    objects: tuple[Place, ...] = (),
    kinds: tuple[Place, ...] = (),
) -> tuple[Column, ...]:
    """Columns that identify a counter and its block. `of`: titles of the column with the row's reason; `total`: other signs of a total;
    `objects`, `kinds`: other names of object and block."""
    return (
        Column("block", text(), (*kinds, Counter("title", block_of)), "Title of the block, without buffer pool.", nullable=False),
        Column("object", text(), (*objects, Counter("title", object_of)), "BP4, GBP6, a total over pools such as TOT4K, or a package; else NULL."),
        Column("is_total", flag(), (*total, Counter("title", is_total)), "The row is a total: its pools have their own blocks."),
        Column("counter", text(), Counter("label"), "Label of the row, as printed.", nullable=False),
        Column(
            "label_path",
            text(),
            Counter("path"),
            "Parent labels and the row's label, joined by ' > '; NULL if one is unknown.",
        ),
        Column("occurrence", count(), Counter("occurrence"), "1, 2, … for repeated paths in a block."),
        Column("null_reason", text(), Counter("reason", of=of), "N/A, N/C or N/P in the quantity cell; else NULL."),
    )
# fmt: on
