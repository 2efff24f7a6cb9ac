"""What the tables of CICS statistics share: the page line, the columns of a region, and helpers for columns of labelled values."""

import datetime as dt
import re
from collections.abc import Iterable
from typing import Any

from ..pipeline.declaration.places import Labelled, LineParser, Parsed, Place
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, count, duration, seconds, text, timestamp
from ..pipeline.errors import Problem, Unreadable
from ._dates import ORDER_HINT, read_date

# Of a name that is lost, the next label is none.
_NO_LABEL = r"(?!(?:APPLID|SYSID|JOBNAME|DATE|TIME|PAGE|CICS)\b)"
_COLLECTIONS = {
    "INTERVAL": "interval",
    "END": "end_of_day",
    "REQUESTED": "requested",
    "UNSOLICITED": "unsolicited",
    "SUMMARY": "summary",
    "APPLID": "requested",
}
_DATE_TIME = r"([\d/]+)[ -]+(?:TIME:? +)?([\d:.]+)"
_TIME = re.compile(r"(\d{1,2})[:.](\d\d)[:.](\d\d)(?:\.\d+)?$")


def read_time(printed: str) -> dt.time:
    """A time of day as hh:mm:ss, without fractions; raises ValueError for anything else."""
    match = _TIME.match(printed)
    if not match:
        raise ValueError(printed)
    hour, minute, second = map(int, match.groups())
    return dt.time(hour, minute, second)


def read_page_line(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Region, kind and time of the collection. LAST RESET is on the day of the collection or, if that is later than the collection, on
    the day before. Raises Unreadable for an invalid date or time."""
    line = (texts[0] or "").upper()
    found: dict[str, Any] = {"collected_at": None, "last_reset_at": None, "interval_s": None}
    for name, pattern in (
        ("applid", rf"APPLID:? +{_NO_LABEL}(\S+)"),
        ("jobname", rf"JOBNAME:? +{_NO_LABEL}(\S+)"),
        ("sysid", rf"SYSID:? +{_NO_LABEL}(\S+)"),
    ):
        match = re.search(pattern, line)
        found[name] = match and match[1]
    release = re.search(r" CICS +(\d[\d.]*)(?: {2}| +[A-Z]| *$)", line)
    found["cics_release"] = release and release[1]
    found["collection"] = next((kind for word, kind in _COLLECTIONS.items() if line.lstrip().startswith(word)), None)
    if found["collection"] == "requested" and re.search(r"RESET\b.*\bREPORT\b", line):
        found["collection"] = "requested_reset"

    # One page of DFH0STAT prints its date without the word.
    stamp = re.search(rf"(?:COLLECTION +DATE[ /-]*TIME|\bDATE|\bJOBNAME:? +\S+):? *{_DATE_TIME}", line)
    if not stamp:
        if found["collection"] == "summary":
            return found
        expected = "COLLECTION DATE-TIME mm/dd/yyyy-hh:mm:ss"
        raise Unreadable(found, [Problem(0, 0, "no collection time in the heading", expected, "")])
    try:
        collected = dt.datetime.combine(read_date(stamp[1], options.date_order), read_time(stamp[2]))
    except ValueError:
        expected = "mm/dd/yyyy" if options.date_order == "mdy" else "dd/mm/yyyy"
        what = f"date {stamp[1]} {stamp[2]} cannot be read"
        raise Unreadable(found, [Problem(0, stamp.start(1), what, f"{expected} and hh:mm:ss", ORDER_HINT)]) from None
    found["collected_at"] = collected
    reset = re.search(r"LAST +RESET:? +(?:(\d+/[\d/]+)[ -]+)?(\S+)", line)
    if not reset:
        return found
    try:
        day = read_date(reset[1], options.date_order) if reset[1] else collected.date()
        last_reset = dt.datetime.combine(day, read_time(reset[2]))
    except ValueError:
        what = f"last reset {reset[2]} cannot be read"
        raise Unreadable(found, [Problem(0, reset.start(2), what, "hh:mm:ss", "")]) from None
    if last_reset > collected and not reset[1]:
        last_reset -= dt.timedelta(days=1)
    return found | {"last_reset_at": last_reset, "interval_s": (collected - last_reset).total_seconds()}


PAGE = LineParser(("PAGE_LINE",), read_page_line)
KEY = ("applid", "collection", "collected_at")
# fmt: off
REGION = (
    Column("applid", text(), Parsed(PAGE), "The region's APPLID.", nullable=False),
    Column("jobname", text(), Parsed(PAGE), "The region's job."),
    Column("sysid", text(), Parsed(PAGE), "The region's SYSID; only DFH0STAT prints it."),
    Column("cics_release", text(), Parsed(PAGE), "Release as DFH0STAT prints it (6.4.0 is CICS TS 3.1)."),
    Column(
        "collection",
        text(),
        Parsed(PAGE),
        "Why the statistics were collected. Only sum kinds that reset: requested and summary repeat others.",
        allowed=("interval", "end_of_day", "requested", "requested_reset", "unsolicited", "summary"),
    ),
    Column("collected_at", timestamp(), Parsed(PAGE), "Time of collection, local; NULL on a summary without it."),
    Column("last_reset_at", timestamp(), Parsed(PAGE), "Last reset of the counts to zero, local time."),
    Column("interval_s", seconds(), Parsed(PAGE), "From the last reset to the collection."),
)
# fmt: on

# Tables that only DFHSTUP prints in a form that is read have no columns for what only the heading of DFH0STAT says.
REGION_OF_DFHSTUP = tuple(c for c in REGION if c.name not in ("sysid", "cics_release"))


# A number behind the label of a text is that of the label beside.
NO_NUMBER = r"^(.*\D.*)$"


def labelled(labels: Iterable[str], pattern: str = "") -> tuple[Place, ...]:
    return tuple(Labelled(label, pattern=pattern) for label in labels)


def texts(*columns: tuple[str, str, tuple[str, ...]]) -> tuple[Column, ...]:
    """(name, description, labels) → columns of text."""
    return tuple(Column(name, text(), labelled(labels, NO_NUMBER), doc) for name, doc, labels in columns)


_CLOCK = r"\d\d:\d\d:\d\d\.\d{4,5}"
_DATE = r"\d\d/\d\d/\d{4}"


def stamps(*columns: tuple[str, str, tuple[str, ...]]) -> tuple[Column, ...]:
    """(name, description, labels) → columns of times as printed, with the date where the label says so; or days:hh:mm:ss."""

    def place(label: str) -> Labelled:
        if "DATE" in label:
            return Labelled(label, pattern=f"^({_CLOCK} +{_DATE}|{_DATE} +{_CLOCK})$")
        return Labelled(label, pattern=f"^({_CLOCK}|[0-9]+(?::[0-9]{{2}}){{3}})$")

    return tuple(Column(name, text(), tuple(map(place, labels)), doc) for name, doc, labels in columns)


def levels(*columns: tuple[str, str, tuple[str, ...]]) -> tuple[Column, ...]:
    """(name, description, labels) → limits, current values and peaks."""
    return tuple(Column(name, count(), labelled(labels), doc) for name, doc, labels in columns)


def counts(*columns: tuple[str, str, tuple[str, ...]]) -> tuple[Column, ...]:
    """(name, description, labels) → counts, which a summary may cut to M, B or T, or what a rule adds up with them."""
    return tuple(Column(name, count(), labelled(labels), doc, resolution=True) for name, doc, labels in columns)


def lengths(*columns: tuple[str, str, tuple[str, ...]]) -> tuple[Column, ...]:
    """(name, description, labels) → lengths of time, printed with colons and perhaps days."""
    return tuple(Column(name, duration(), labelled(at), doc) for name, doc, at in columns)
