"""HIGHLIGHTS of Db2 statistics: whose blocks follow, and over what length.

Long:  INTERVAL START  : 10/06/25 10:00:00.00     SAMPLING START: ...     TOTAL THREADS      :      412.00
Short: INTERVAL START: 10/06/25 10:00:00.00   INTERVAL ELAPSED:     15:00.000000   INCREMENTAL BINDS      :     0.00   DBAT QUEUED:   0.00
A report of a group names the member (MEMBER, long: DATA SHARING MEMBER), and none (N/A) above the totals of the group.
"""

import datetime as dt
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from ..pipeline.declaration.places import LineParser
from ..pipeline.declaration.reading_options import Options
from ..pipeline.errors import Problem, Unreadable
from ._db2 import HEADING, read_duration, read_heading, read_stamp

_LINES = ("START_LINE", "END_LINE", "SAMPLING_START_LINE", "SAMPLING_END_LINE", "ELAPSED_LINE")
HIGHLIGHTS = ("HIGHLIGHTS_RULE", *_LINES)
# What each layout has.
_LONG, _SHORT = {"START_LINE", "END_LINE", "ELAPSED_LINE"}, {*_LINES[:4]}
# The index of the first of these lines among those that are read.
_FIRST = len(HEADING) + 1
_NO_VALUE = ("N/A", "N/C", "N/P")
_MEMBER = re.compile(r"(?:^| )(?:DATA SHARING )?MEMBER *:(?: *([^ :]+)(?: |$)| *$)")
_NAME = re.compile(r"[A-Z$#@][A-Z0-9$#@]{0,7}")
# What a report prints in place of the member above the totals of a group.
_OF_GROUP = (*_NO_VALUE, "GROUP", "*")
UNREAD_HIGHLIGHTS = {
    "when sampling began and ended, and time without Db2": r"(?:SAMPLING (?:START|END)|OUTAGE ELAPSED) *: *[\d/]+(?: +[\d:.]+)?|OUTAGE ELAPSED *: *[\d:.]+",
    "counts of HIGHLIGHTS that blocks have too": r"(?:INCREMENTAL BINDS|AUTH SUCC\.W/OUT CATALOG|BUFF\.UPDT/PAGES WRITTEN|PAGES WRITTEN/WRITE I/O|"
    r"DBAT QUEUED|DB2 COMMAND|TOTAL API) *: *\S+",
}


_NUMBER = re.compile(r"((?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)([KMGTB]?)")
# A number behind a value is of another label.
_BESIDE = re.compile(r" +([\d.][^ ]*)(?= |$)")
_WORTH = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "B": 10**9, "T": 10**12}


def read_page(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Values of the heading (`read_heading` alone tells what is wrong with them); of HIGHLIGHTS member and scope, the length of the interval in
    seconds, threads and commits. Raises Unreadable for values that cannot be read, if a line of HIGHLIGHTS is missing, if a page of a
    group report does not say whose counters it has, and, without the values of the heading, if HIGHLIGHTS are of another page."""
    heading, (rule, *highlights) = texts[: len(HEADING)], texts[len(HEADING) :]
    problems: list[Problem] = []
    there = {kind for kind, text in zip(_LINES, highlights, strict=True) if text is not None}
    if rule is not None:
        lost = min((layout - there for layout in (_LONG, _SHORT)), key=len)
        problems += (
            Problem(_FIRST - 1, 0, f"HIGHLIGHTS have no {kind}", kind, "its numbers are not known")
            for kind in sorted(lost)
        )
    of_highlights = {
        "interval_elapsed_s": _value("INTERVAL ELAPSED", highlights, read_duration, "h:mm:ss.fraction", problems),
        "total_threads": _value("TOTAL THREADS", highlights, _number, "a number", problems),
        "total_commits": _value("TOTAL COMMITS", highlights, _number, "a number", problems),
    }
    try:
        found = read_heading(heading, options)
    except Unreadable as unreadable:
        found = unreadable.values
    other = _other_page(found, highlights, options)
    found |= _whose(heading[2], heading[4], highlights, problems)
    if other:
        found = dict.fromkeys(found)
        line, column, what, expected = other
        hint = "the page of these HIGHLIGHTS has lost its heading; what it names is unknown"
        problems.append(Problem(line, column, f"HIGHLIGHTS name {what} than the heading", expected, hint))
    found |= of_highlights
    if problems:
        raise Unreadable(found, problems)
    return found


def _number(printed: str) -> float:
    """A number, perhaps in thousands or more; raises ValueError for anything else."""
    match = _NUMBER.fullmatch(printed)
    if not match:
        raise ValueError(printed)
    # As a decimal: 18.3 thousand are 18300 exactly.
    return float(Decimal(match[1].replace(",", "")) * _WORTH[match[2]])


def _value(
    label: str, highlights: Sequence[str | None], read: Callable[[str], float], expected: str, problems: list[Problem]
) -> Any:
    """The value behind a label, a reason for none as printed, or None."""
    found = (
        (k, m)
        for k, text in enumerate(highlights, _FIRST)
        if (m := re.search(rf"{label} *: *(\S+(?: \S+)*)", text or ""))
    )
    line, match = next(found, (0, None))
    if not match or match[1] in _NO_VALUE:
        return match and match[1]
    if beside := _BESIDE.match(match.string, match.end()):
        problems.append(Problem(line, beside.start(1), f"a number beside that of {label}", "the next label", ""))
        return None
    try:
        return read(match[1])
    except ValueError:
        problems.append(Problem(line, match.start(1), f"{label} {match[1]!r} cannot be read", expected, ""))
        return None


def _whose(
    member_line: str | None, last_line: str | None, highlights: Sequence[str | None], problems: list[Problem]
) -> dict[str, Any]:
    """Member and scope."""
    heading = re.match(r" *MEMBER: {0,4}(\S+)", member_line or "")
    member = heading[1] if heading and heading[1] not in _NO_VALUE else None
    scope = re.search(r"SCOPE: *(\w+)", last_line or "")
    of_group = scope is not None and scope[1] == "GROUP"
    if member or not (of_group or any(highlights)):
        return {"member": member, "scope": "group_member" if of_group else scope and scope[1].lower()}
    named = ((k, m) for k, text in enumerate(highlights, _FIRST) if (m := _MEMBER.search(text or "")))
    line, match = next(named, (HEADING.index("DB2_LINE"), None))
    if not of_group:
        if not scope and match:
            what, expected = "the heading has no SCOPE", "SCOPE: GROUP or MEMBER"
            problems.append(Problem(line, match.start(), what, expected, "rows are kept without scope"))
        name = match[1] if match and match[1] not in _OF_GROUP and _NAME.fullmatch(match[1] or "") else None
        return {"member": name, "scope": scope and scope[1].lower()}
    if match and match[1] not in _OF_GROUP:
        if match[1] and _NAME.fullmatch(match[1]):
            return {"member": match[1], "scope": "group_member"}
        what = f"member {match[1]!r} cannot be read" if match[1] else "MEMBER without a name"
        problems.append(Problem(line, match.start(1), what, "a name, or N/A for the group", ""))
    elif match or heading:
        return {"member": None, "scope": "group"}
    else:
        what = "a page of a group report does not say whose counters these are"
        expected = "HIGHLIGHTS with MEMBER above the blocks"
        problems.append(Problem(line, 0, what, expected, "rows are kept without member and scope"))
    return {"member": None, "scope": None}


def _other_page(
    heading: dict[str, Any], highlights: Sequence[str | None], options: Options
) -> tuple[int, int, str, str] | None:
    """Where HIGHLIGHTS name another member than the heading, or an interval that has no moment in common with its own, what they say, and what
    was expected: they are of another page. ACTUAL FROM of a trace may be when the record was written, at the end of its interval: of
    traces nothing is asked."""
    begin, end, member = heading["begin_at"], heading["end_at"], heading["member"]
    for line, text in enumerate(highlights, _FIRST):
        named = _MEMBER.search(text or "")
        if named and member and named[1] not in (None, member, *_OF_GROUP):
            return line, named.start(1), "another member", member
    if not (begin and end) or end < begin or heading["report_kind"] == "trace":
        return None
    times: list[dt.datetime | None] = []
    for word, text in zip(("START", "END"), highlights, strict=False):
        printed = re.search(rf"INTERVAL {word} *: *(\S+ +\S+)", text or "")
        try:
            times.append(read_stamp(printed[1], options.date_order) if printed else None)
        except ValueError:
            times.append(None)
    first, last = times
    # Neighbours may have a fraction of a second in common.
    common = (min(last or end, end) - max(first or begin, begin)).total_seconds()
    if common >= 1 or begin == first or end == last or not (first or last):
        return None
    return (_FIRST if first else _FIRST + 1), 0, "another interval", f"within {begin} to {end}"


OF_PAGE = LineParser((*HEADING, *HIGHLIGHTS), read_page)
