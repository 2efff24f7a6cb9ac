"""Shared by all RMF reports in XML (Postprocessor, ddsml): the lines above the parts of a segment. Seen in published documents of z/OS
V2R4 and V2R5; other values are rejected.

The interval has the key that print gives it: it ends its length after its start, which is not always the printed end. The length is
mm:ss:ttt, and says minutes. Dates of locale en-us are mm/dd/yyyy. Other locales print the day first: their dates are read only if
the ingest says this order, too. Without a locale the order of the ingest counts.
"""

import datetime as dt
import re
from functools import lru_cache
from typing import Any

from ..pipeline.declaration.reading_options import Options
from ..pipeline.errors import Problem, Unreadable
from ._dates import ORDER_HINT, read_date

LINES = (
    *("XML_TYPE", "XML_RELEASE", "XML_VERSION", "XML_SYSTEM", "XML_SYSPLEX", "XML_START", "XML_END", "XML_INTERVAL"),
)
# Most of these lines are the same in every interval.
_line = lru_cache(maxsize=1 << 8)(re.compile(r"<\S+ [^ >]+ ?([^>]*)> ?(.*)").fullmatch)
_STAMP = re.compile(r"(\d\d/\d\d/\d{4})[- ](\d\d)[.:](\d\d)[.:](\d\d)")
_LENGTH = re.compile(r"(\d{1,5}):([0-5]\d):(\d{3})")
_KINDS = {"Interval": "interval", "Duration": "duration"}
_LOCALE = "en-us"
# The printed times are whole seconds.
_SECOND = 1.0
_HOUR = 3600.0


class _OtherLocale(Exception):
    """A date of a locale whose order the ingest does not say."""


def read_xml_header(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """The values that `_rmf.read_header` reads from print. Raises Unreadable for what is missing or has another form."""
    found: dict[str, Any] = {"sysplex": None, "system": None, "report_kind": None, "interval_start": None}
    found |= {"interval_end": None, "interval_s": None, "utc_offset_minutes": options.utc_offset_minutes}
    problems: list[Problem] = []
    given = {kind: m for kind, text in zip(LINES, texts, strict=True) if (m := _line(text or ""))}
    at = next(k for k, text in enumerate(texts) if text is not None)

    def value(kind: str) -> str:
        return given[kind][2] if kind in given else ""

    def problem(kind: str, what: str, expected: str, hint: str = "") -> None:
        line, column = (LINES.index(kind), given[kind].start(2)) if kind in given else (at, 0)
        problems.append(Problem(line, column, what if kind in given else f"no {what}", expected, hint))

    found["release"] = value("XML_RELEASE") or None
    found["report_version"] = value("XML_VERSION").removeprefix("z/OS ") or None
    for name, kind in (("system", "XML_SYSTEM"), ("sysplex", "XML_SYSPLEX")):
        found[name] = value(kind) or None
        if kind in given and not found[name]:
            problem(kind, "no name of the resource", "resname")
    if not {"XML_SYSTEM", "XML_SYSPLEX"} & given.keys():
        problem("XML_SYSTEM", "resource", "resname, and restype SYSTEM or SYSPLEX")
    found["report_kind"] = _KINDS.get(value("XML_TYPE"))
    if found["report_kind"] is None:
        problem("XML_TYPE", f"kind of report {value('XML_TYPE')!r}", "Interval or Duration")
    length = _LENGTH.fullmatch(value("XML_INTERVAL"))
    if length and given["XML_INTERVAL"][1] == "minutes":
        found["interval_s"] = int(length[1]) * 60 + int(length[2]) + int(length[3]) / 1000
    else:
        problem("XML_INTERVAL", f"interval {value('XML_INTERVAL')!r}", 'unit="minutes" and mm:ss:ttt')
    for name, kind in (("interval_start", "XML_START"), ("interval_end", "XML_END")):
        try:
            found[name] = _stamp(value(kind), given[kind][1] if kind in given else "", options.date_order)
        except ValueError:
            problem(kind, f"date {value(kind)!r}", "mm/dd/yyyy-hh.mm.ss", ORDER_HINT)
        except _OtherLocale as other:
            problem(kind, f"date {value(kind)!r} of locale {other}", "locale en-us", ORDER_HINT)
    if found["report_kind"] == "interval" and found["interval_start"] and found["interval_s"] is not None:
        printed = found["interval_end"]
        found["interval_end"] = found["interval_start"] + dt.timedelta(seconds=found["interval_s"])
        # Where the clock was changed within the interval, its times are an hour more or less apart.
        apart = abs((printed - found["interval_end"]).total_seconds()) if printed else 0.0
        if min(apart, abs(apart - _HOUR)) > _SECOND:
            what = f"the end {value('XML_END')} is not the start plus {value('XML_INTERVAL')}"
            problem(
                "XML_END", what, f"{found['interval_end']:%m/%d/%Y-%H.%M.%S}", "the rows have the start and the length"
            )
    if problems:
        raise Unreadable(found, problems)
    return found


_VARIABLE = re.compile(r"<var> +\S+ *\| *(.*)")


def read_xml_activation(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Date and time of the segment Policy Activation, whose names are from public code; the locale is that of the start of the interval."""
    date, time = ((m[1] if (m := _VARIABLE.fullmatch(text or "")) else "") for text in texts[:2])
    start = _line(texts[2] or "")
    printed = f"{date} {time}"
    try:
        return {"policy_activated_at": _stamp(printed, start[1] if start else "", options.date_order)}
    except (ValueError, _OtherLocale):
        at = 1 if date else 2
        problem = Problem(at, 0, f"policy activation {printed!r} cannot be read", "mm/dd/yyyy and hh.mm.ss", ORDER_HINT)
        raise Unreadable({"policy_activated_at": None}, [problem]) from None


# An interval begins where the one before it ends.
@lru_cache(maxsize=1 << 8)
def _stamp(printed: str, locale: str, order: str) -> dt.datetime:
    match = _STAMP.fullmatch(printed)
    if not match:
        raise ValueError(printed)
    if locale.lower() not in ("", _LOCALE) and order == "mdy":
        raise _OtherLocale(locale)
    date = read_date(match[1], "mdy" if locale.lower() == _LOCALE else order)
    hour, minute, second = map(int, match.groups()[1:])
    return dt.datetime.combine(date, dt.time(hour, minute, second))
