"""Shared by all RMF Postprocessor pages: the two heading lines and the policy activation, parsed once per distinct text.

Layout of the heading (z/OS RMF Report Analysis, "Common header"): system level and SYSPLEX or SYSTEM ID, then either
DATE and TIME (the start of one interval) or START and END (a duration), and INTERVAL, whose digits mean mm.ss.ttt beside
a DATE and hhh.mm.ss beside a START.
"""

import dataclasses
import datetime as dt
import re
from functools import partial
from typing import Any

from ..pipeline.declaration.places import Constant, Field, LineParser, Parsed, Place
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, count, number, text, timestamp
from ..pipeline.errors import Problem, Unreadable
from ._dates import ORDER_HINT, read_date
from ._rmf_xml import LINES, read_xml_activation, read_xml_header
from ._smf import HEADER as IN_SMF
from ._smf import in_records


def read_time(printed: str) -> dt.time:
    """A time of day as hh.mm.ss; raises ValueError for anything else."""
    if not re.fullmatch(r"\d\d\.\d\d\.\d\d", printed):
        raise ValueError(printed)
    hour, minute, second = map(int, printed.split("."))
    return dt.time(hour, minute, second)


def read_interval(printed: str, duration: bool) -> float:
    """Seconds of an INTERVAL field: hhh.mm.ss on a duration report, else mm.ss.ttt (coupling facility: mmm.ss.ttt).

    Raises ValueError for anything else; a missing digit may have been cut off. Minutes beside hours end at 59. More than
    five digits are damage: an interval could end after the last date there is.
    """
    if not re.fullmatch(r"\d{1,5}(?:\.[0-5]\d){2}" if duration else r"\d{1,5}\.[0-5]\d\.\d{3}", printed):
        raise ValueError(printed)
    a, b, c = printed.split(".")
    if duration:
        return int(a) * 3600 + int(b) * 60 + int(c)
    return int(a) * 60 + int(b) + int(c) / 1000


def _stamp(date: str, time: str, order: str) -> dt.datetime:
    return dt.datetime.combine(read_date(date, order), read_time(time))


def read_header(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Values of the heading lines (SYSTEM_LINE, VERSION_LINE). Raises Unreadable for an invalid date or interval, and if only one of the two
    lines is there."""
    system_line, version_line = (t or "" for t in texts)
    found: dict[str, Any] = {"sysplex": None, "system": None, "report_kind": None, "interval_start": None}
    found |= {"interval_end": None, "interval_s": None, "utc_offset_minutes": options.utc_offset_minutes}
    problems: list[Problem] = []

    def take(where: int, pattern: str) -> re.Match[str] | None:
        return re.search(pattern, (system_line, version_line)[where])

    # Older releases print half of the release on each line.
    if m_release := take(0, r"^\s*(z/OS +V\S+|[^z\s].*?)(?: {2,}|$)" if version_line else r"^\s*(z/OS +V\S+)"):
        found["release"] = " ".join(m_release[1].split())
        if m := take(1, r"^\s*(SP\S+|REL\. ?\S+)"):
            found["release"] += f" {m[1]}"
        elif found["release"] in ("MVS/ESA", "OS/390"):
            expected = "SP or REL. and a number below it"
            problems.append(Problem(0, m_release.start(1), "half of the release is missing", expected, ""))
            found["release"] = None
    if m := take(1, r"(?:RPT VERSION|CONVERTED TO z/OS) (\S+)(?: TO (\S+) CONVERTED)?(?: [^0-9]|$)"):
        found["report_version"] = m[2] or m[1]
    # A name without blanks after it, at the end of the line, may be cut. A copy may have lost the blank before it. Of a name that is
    # lost, the date is none.
    if m := take(0, r"(?<!\S)SYSPLEX ?([^\s0-9]\S*) "):
        found["sysplex"] = m[1]
    if m := take(0, r"(?<!\S)SYSTEM ?ID *(?!DATE |START )(\S+) "):
        found["system"] = m[1]

    if system_line and not (found["sysplex"] or found["system"]):
        expected = "SYSPLEX or SYSTEM ID with a name"
        problems.append(Problem(0, 0, "no system or sysplex in the heading", expected, "the name may be lost"))
    interval = take(0, r"INTERVAL +(\S+)") or take(1, r"INTERVAL +(\S+)")
    duration = take(0, r"START +(\S+)-(\d\d\.\d\d\.\d\d)")
    found["report_kind"] = "duration" if duration or take(0, r"START ") else "interval" if take(0, r"DATE ") else None
    if interval:
        try:
            found["interval_s"] = read_interval(interval[1], found["report_kind"] == "duration")
        except ValueError:
            expected = "hhh.mm.ss" if found["report_kind"] == "duration" else "mm.ss.ttt"
            at = 0 if interval.string == system_line else 1
            problems.append(Problem(at, interval.start(1), f"interval {interval[1]!r} cannot be read", expected, ""))
    elif system_line:
        what, expected = "no interval length in the heading", "INTERVAL after the date"
        problems.append(Problem(0, len(system_line.rstrip()), what, expected, "the line may be truncated"))

    def read_stamp(name: str, place: int, column: int, date: str, time: str) -> None:
        try:
            found[name] = _stamp(date, time, options.date_order)
        except ValueError:
            expected = "mm/dd/yyyy" if options.date_order == "mdy" else "dd/mm/yyyy"
            what = f"date {date} {time} cannot be read"
            problems.append(Problem(place, column, what, f"{expected} and hh.mm.ss", ORDER_HINT))

    if duration:
        read_stamp("interval_start", 0, duration.start(1), duration[1], duration[2])
        if end := take(1, r"END +(\S+)-(\d\d\.\d\d\.\d\d)"):
            read_stamp("interval_end", 1, end.start(1), end[1], end[2])
        else:
            problems.append(Problem(0, duration.start(), "no end time in the heading", "END below START", ""))
    elif (date := take(0, r"DATE +(\S+) ")) and (time := take(1, r"TIME +(\S+)")):
        read_stamp("interval_start", 0, date.start(1), date[1], time[1])
        if found["interval_start"] and found["interval_s"] is not None:
            found["interval_end"] = found["interval_start"] + dt.timedelta(seconds=found["interval_s"])
    elif system_line or version_line:
        where = re.search(r"START.*|DATE.*", system_line)
        column = where.start() if where else 0
        line = 0 if system_line else 1
        expected = "DATE mm/dd/yyyy above TIME hh.mm.ss, or START and END as mm/dd/yyyy-hh.mm.ss"
        problems.append(Problem(line, column, "no interval in the heading", expected, ""))
    if problems:
        raise Unreadable(found, problems)
    return found


def read_activation(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Date and time of POLICY ACTIVATION, or of that of XML; None where the line is absent."""
    line = texts[0] or ""
    if not line and any(texts[1:3]):
        return read_xml_activation(texts[1:], options)
    match = re.search(r"DATE/TIME *(\S+) +(\S+)", line)
    if not match:
        return {"policy_activated_at": None}
    try:
        return {"policy_activated_at": _stamp(match[1], match[2], options.date_order)}
    except ValueError:
        what = f"policy activation {match[1]} {match[2]} cannot be read"
        problem = Problem(0, match.start(1), what, "mm/dd/yyyy hh.mm.ss", ORDER_HINT)
        raise Unreadable({"policy_activated_at": None}, [problem]) from None


# Unread parts of the lines at the top of a page.
UNREAD_PARTS = {
    "number of the page": r"PAGE +[0-9]+",
    "CYCLE: sampling interval": r"CYCLE +[0-9.]+ SECONDS",
    "MODE of workload management": r"MODE *= *[A-Z]+",
}


# Of channel, device and I/O queuing reports: the line of the I/O configuration.
UNREAD_IODF = {"when the I/O definition file was made, and how it was activated": r"CR-DATE:.*?ACT: *\S+"}
IODF = Column("iodf", text(), Field("IODF_LINE", r"IODF *= *([0-9A-F]{2}) "), "Suffix of the I/O definition file.")
SAMPLES = Column(
    "samples",
    count(),
    Field("IODF_LINE", "TOTAL SAMPLES *= *([0-9]+)"),
    "Samples of the interval; NULL where they are not printed.",
)


def read_any_header(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Values of the heading lines of print, or of the lines above the parts of an XML document."""
    if any(texts[:2]):
        return read_header(texts[:2], options)
    try:
        return read_xml_header(texts[2:], options)
    except Unreadable as unreadable:
        problems = [dataclasses.replace(p, line=p.line + 2) for p in unreadable.problems]
        raise Unreadable(unreadable.values, problems) from None


HEADER = LineParser(("SYSTEM_LINE", "VERSION_LINE"), read_header)
# Of reports that are read from XML as well.
ANY_HEADER = LineParser(("SYSTEM_LINE", "VERSION_LINE", *LINES), read_any_header)
ACTIVATION = LineParser(("ACTIVATION", "XML_ACTIVATION_DATE", "XML_ACTIVATION_TIME", "XML_START"), read_activation)


# fmt: off
def header_columns(
    scope: Place | None = None,
    system: Place | tuple[Place, ...] | None = None,
    interval: LineParser | None = None,
    xml_rows: tuple[str, ...] | None = None,
    in_smf: bool = False,
) -> tuple[Column, ...]:
    """The columns common to all RMF tables. `scope`: place of the systems of a sysplex-wide report; `system`: place of the system in tables
    with one row per system; `interval`: reads the interval of rows with their own; `xml_rows`: kinds of row from XML documents, of reports that
    are read from them as well; `in_smf`: SMF records have rows too, with the names of `_smf.header`."""
    header = HEADER if xml_rows is None else ANY_HEADER
    _at, interval = partial(Parsed, header), interval or header
    # Tables that no XML fills say nothing of print: rows of older lakes do not, either.
    forms = () if xml_rows is None else (*([Constant("xml", xml_rows)] if xml_rows else []), Constant("print"))
    said = "smf: the row is from SMF records." if xml_rows is None else "print; xml: the row is from an XML document; smf: from SMF records."
    columns = (
        Column("sysplex", text(), _at()),
        Column("system", text(), system or _at(), "System; NULL on pages of the whole sysplex."),
        Column("scope", text(), scope, "Systems covered by the page, sorted, comma-separated."),
        Column("release", text(), _at(), "Release of the operating system that wrote the data."),
        Column("report_version", text(), _at(), "Release of the program that printed the report; the layout follows it."),
        Column("report_kind", text(), _at(), "interval or duration.", allowed=("interval", "duration")),
        Column("interval_start", timestamp(), Parsed(interval), "Start of the interval, local time as printed."),
        Column("interval_end", timestamp(), Parsed(interval), "End: start plus interval, or as printed on a duration report."),
        Column(
            "interval_s", number("s"), Parsed(interval), "Length of the interval, as printed.",
            minimum=0.001, between=("interval_start", "interval_end"),
        ),
        Column("utc_offset_minutes", count("min"), _at(), minimum=-840),
        *(
            [Column("source_form", text(), forms, said, allowed=("print", "xml", "smf"))]
            if xml_rows is not None or in_smf
            else []
        ),
    )
    return in_records(IN_SMF, columns) if in_smf else columns
# fmt: on
