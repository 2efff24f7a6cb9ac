"""HIGHLIGHTS of Db2 statistics: whose blocks follow, and over what length.

Long:  INTERVAL START  : 10/06/25 10:00:00.00     SAMPLING START: ...     TOTAL THREADS      :      412.00
Short: INTERVAL START: 10/06/25 10:00:00.00   INTERVAL ELAPSED:     15:00.000000   INCREMENTAL BINDS      :     0.00   DBAT QUEUED:   0.00
A report of a group names the member (MEMBER, long: DATA SHARING MEMBER), and none (N/A) above the totals of the group.
"""

import re
from typing import Any

from ..pipeline.declaration.places import Field, LineParser
from ..pipeline.declaration.reading_options import Options
from ..pipeline.errors import Problem, Unreadable
from ._db2 import read_duration

_LINES = ("START_LINE", "END_LINE", "SAMPLING_START_LINE", "SAMPLING_END_LINE", "ELAPSED_LINE")
HIGHLIGHTS = ("HIGHLIGHTS_RULE", *_LINES)
# What each layout has.
_LONG, _SHORT = {"START_LINE", "END_LINE", "ELAPSED_LINE"}, {*_LINES[:4]}
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


def highlight(label: str) -> tuple[Field, ...]:
    """The places of a number of HIGHLIGHTS: on which of its lines depends on the layout."""
    return tuple(Field(kind, rf"{label} *: *(\S+)") for kind in _LINES)


def read_elapsed(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """INTERVAL ELAPSED in seconds. Raises Unreadable if a line of HIGHLIGHTS is missing."""
    there = {kind for kind, text in zip(HIGHLIGHTS, texts, strict=True) if text is not None}
    lost = min((layout - there for layout in (_LONG, _SHORT)), key=len) if "HIGHLIGHTS_RULE" in there else set()
    problems = [Problem(0, 0, f"HIGHLIGHTS have no {kind}", kind, "its numbers are not known") for kind in sorted(lost)]
    values = _elapsed(texts, problems)
    if problems:
        raise Unreadable(values, problems)
    return values


def _elapsed(texts: tuple[str | None, ...], problems: list[Problem]) -> dict[str, Any]:
    found = (
        (k, m) for k, text in enumerate(texts) if (m := re.search(r"INTERVAL ELAPSED *: *(\S+(?: \S+)*)", text or ""))
    )
    line, match = next(found, (0, None))
    if not match or match[1] in _NO_VALUE:
        return {"interval_elapsed_s": None}
    try:
        return {"interval_elapsed_s": read_duration(match[1])}
    except ValueError:
        what = f"INTERVAL ELAPSED {match[1]!r} cannot be read"
        problems.append(Problem(line, match.start(1), what, "h:mm:ss.fraction", ""))
        return {"interval_elapsed_s": None}


def read_whose(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Member and scope. Raises Unreadable for a page of a group report that does not say whose counters it has."""
    member_line, last_line, *highlights = texts
    heading = re.match(r" *MEMBER: {0,4}(\S+)", member_line or "")
    member = heading[1] if heading and heading[1] not in _NO_VALUE else None
    scope = re.search(r"SCOPE: *(\w+)", last_line or "")
    if not scope or scope[1] != "GROUP":
        return {"member": member, "scope": scope and scope[1].lower()}
    if member:
        return {"member": member, "scope": "group_member"}
    named = ((k, m) for k, text in enumerate(highlights, 2) if (m := _MEMBER.search(text or "")))
    line, match = next(named, (1, None))
    if match and (match[1] or "N/A") not in _OF_GROUP:
        if _NAME.fullmatch(match[1]):
            return {"member": match[1], "scope": "group_member"}
        problem = Problem(
            line, match.start(1), f"member {match[1]!r} cannot be read", "a name, or N/A for the group", ""
        )
    elif match or heading:
        return {"member": None, "scope": "group"}
    else:
        what = "a page of a group report does not say whose counters these are"
        problem = Problem(
            line, 0, what, "HIGHLIGHTS with MEMBER above the blocks", "rows are kept without member and scope"
        )
    raise Unreadable({"member": None, "scope": None}, [problem])


ELAPSED = LineParser(HIGHLIGHTS, read_elapsed)
WHOSE = LineParser(("MEMBER_LINE", "DB2_LINE", *HIGHLIGHTS), read_whose)
