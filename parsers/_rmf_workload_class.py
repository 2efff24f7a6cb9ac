"""Workload Activity: which class a row is of, and its goal, from lines that are parsed whole; the columns that all its tables begin with."""

import re
from typing import Any

from ..pipeline.declaration.places import Gathered, LineParser, Parsed, Place
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, count, text, timestamp
from ..pipeline.errors import Problem, Unreadable
from ._rmf import ACTIVATION, header_columns
from ._whole_number import whole_number

# --- Parsers of whole lines, run once per distinct text --------------------------------------------------------------

_CLASS_NAMES = ("POLICY", "TENANT", "WORKLOAD", "SERVICE CLASS", "REPORT CLASS", "RESOURCE GROUP")
_CLASS_NUMBERS = ("PERIOD", "IMPORTANCE")
# Without their value the row would be of another kind, or of no class.
_CLASS_KEYS = ("POLICY", "WORKLOAD", "SERVICE CLASS", "REPORT CLASS", "PERIOD")
# Printed of classes alone.
_OF_CLASSES = {"TENANT", "RESOURCE GROUP", *_CLASS_NUMBERS}
_CLASS_TITLE = re.compile(r"[ 0]*(?:REPORT BY: *)?")
# A value has no equals sign: a key without a value is followed by the next key.
_CLASS_FIELD = re.compile(rf"({'|'.join((*_CLASS_NAMES, *_CLASS_NUMBERS))}) ?=(?: ?([^\s=]+)(?=\s|$))?")
_IMPORTANCE = {"HIGHEST": 1, "HIGH": 2, "MEDIUM": 3, "LOW": 4, "LOWEST": 5}


def read_class(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Names of a class header line; they determine class_kind. Importance is a digit, or on MVS/ESA a word (kept in importance_printed). An
    incomplete line names no class: the missing part may distinguish a period from its class, or a class from its workload, as the rule above
    tells (SERVICE CLASS PERIODS)."""
    line = texts[0] or ""
    found, left_over = _class_fields(line)
    names = {key: m[2] for key, m in found.items()}
    problems = []
    kind = next((k for k in ("REPORT CLASS", "SERVICE CLASS", "WORKLOAD", "POLICY") if names.get(k)), None)
    cut = left_over if left_over >= 0 else _without_value(line, found)
    if cut < 0 and kind in ("WORKLOAD", "POLICY") and (of_class := found.keys() & _OF_CLASSES):
        cut = min(found[key].start() for key in of_class)
    if cut < 0 and ("CLASS" in (texts[1] or "") and kind in ("WORKLOAD", "POLICY")):
        cut = len(line.rstrip())
    if cut < 0 and "IMPORTANCE" in names and "PERIOD" not in names:
        cut = len(line.rstrip())
    if cut >= 0:
        kind = None
        expected = f"{', '.join((*_CLASS_NAMES, *_CLASS_NUMBERS))}, each with = and a value, and no other words"
        hint = "the missing part may name another class or period; transfer the file again"
        problems.append(Problem(0, cut, "incomplete class header", expected, hint))
    elif kind is None:
        expected = "POLICY=, with WORKLOAD=, SERVICE CLASS= or REPORT CLASS="
        problems.append(Problem(0, 0, "no class in the class header", expected, ""))
    values: dict[str, Any] = {"class_kind": kind and kind.lower().replace(" ", "_")}
    if "PERIOD" in names and kind in ("REPORT CLASS", "SERVICE CLASS"):
        values["class_kind"] += "_period"
    for key in _CLASS_NAMES:
        values[key.lower().replace(" ", "_")] = names.get(key)
    if values["resource_group"] == "*NONE":
        values["resource_group"] = None
    for key in _CLASS_NUMBERS:
        printed = names.get(key)
        number_printed = _IMPORTANCE.get(printed or "") if key == "IMPORTANCE" else None
        if number_printed is None and printed is not None:
            number_printed = whole_number(printed)
        values[key.lower()] = number_printed
        if printed is not None and number_printed is None:
            what = f"{key} {printed!r} cannot be read"
            problems.append(Problem(0, found[key].start(2), what, "a whole number", ""))
    values["importance_printed"] = names.get("IMPORTANCE")
    if problems:
        raise Unreadable(values, problems)
    return values


def _class_fields(line: str) -> tuple[dict[str, re.Match[str]], int]:
    """The names of a class header by key, and the column of words that belong to none, or -1.

    >>> fields, left_over = _class_fields("POLICY=P1   WORKLOAD=STC   SERVICE CLA")
    >>> list(fields), left_over
    (['POLICY', 'WORKLOAD'], 27)
    """
    found: dict[str, re.Match[str]] = {}
    title = _CLASS_TITLE.match(line)
    at = title.end() if title else 0
    while at < len(line):
        if line[at] == " ":
            at += 1
        elif (m := _CLASS_FIELD.match(line, at)) and m[1] not in found:
            found[m[1]] = m
            at = m.end()
        else:
            return found, at
    return found, -1


def _without_value(line: str, found: dict[str, re.Match[str]]) -> int:
    """The column after a key without a value, if the key determines the kind of row or is the last of the line; else -1."""
    last = len(line.rstrip())
    return next((m.end() for k, m in found.items() if not m[2] and (k in _CLASS_KEYS or m.end() >= last)), -1)


def read_class_text(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """The description of a class where its label is not printed. Half a label is none, and so is a damaged one."""
    line = texts[0] or ""
    if (text := line.strip()) and ("DESCRIPTION".startswith(text) or re.match(r"[A-Z]{3,} *=", text)):
        what = "the line ends within its label, or its label is damaged"
        raise Unreadable({}, [Problem(0, line.index(text), what, "DESCRIPTION and a text", "")])
    return {"description": text or None}


def read_critical(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """What a class is critical for."""
    found = re.search(r"CRITICAL *= ?(NONE|CPU|STORAGE|CPU\+STORAGE)(?= |$)", texts[0] or "")
    if texts[0] and not found:
        raise Unreadable({}, [Problem(0, 0, "CRITICAL cannot be read", "NONE, CPU, STORAGE or CPU+STORAGE", "")])
    return {"critical": found and found[1]}


_HMS = re.compile(r"(\d{2,3})\.(\d\d)\.(\d\d)\.(\d{3,6})\b")

# Titles of columns stand behind it, and no number: that would be one of another line.
_GOALS = re.compile(rf" *GOALS +(?:{_HMS.pattern}(?: +\d+(?:\.\d+)?%)?|\d+(?:\.\d+)?%)?[^\d%]*$")

GOAL_TYPES = ("average", "percentile", "velocity", "discretionary", "system")


def read_goal(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Goal of a period: `GOAL: …` (OS/390 and later) or `GOALS …` (MVS/ESA). goal_pct is the percentile of a response time goal, or the
    velocity goal."""
    line = texts[0] or ""
    goal: dict[str, Any] = {"goal_type": None, "goal_s": None, "goal_pct": None}
    is_whole = not re.match(r" *GOALS ", line) or _GOALS.match(line)
    if is_whole and (m := _HMS.search(line)):
        hours, minutes, secs, fraction = m.groups()
        goal["goal_s"] = int(hours) * 3600 + int(minutes) * 60 + int(secs) + int(fraction) / 10 ** len(fraction)
        rest = line[m.end() :]
        if pct := re.search(r"(\d+(?:\.\d+)?)%", rest):
            return goal | {"goal_type": "percentile", "goal_pct": float(pct[1])}
        if re.search(r"\bAVG\b", rest):
            return goal | {"goal_type": "average"}
    elif is_whole and (m := re.search(r"VELOCITY +(\d+(?:\.\d+)?)%|^ *GOALS +(\d+(?:\.\d+)?)%", line)):
        return goal | {"goal_type": "velocity", "goal_pct": float(m[1] or m[2])}
    elif is_whole and (m := re.search(r"\b(DISCRETIONARY|SYSTEM)\b", line)):
        return goal | {"goal_type": m[1].lower()}
    expected = "RESPONSE TIME hhh.mm.ss.ttt AVG or nn%, EXECUTION VELOCITY nn.n%, DISCRETIONARY or SYSTEM"
    raise Unreadable(goal, [Problem(0, len(line) - len(line.lstrip()), "the goal cannot be read", expected, "")])


CLASS = LineParser(("CLASS_LINE", "SECTION_RULE"), read_class, more=(" PERIOD=9", 116))
CLASS_TEXT = LineParser(("CLASS_TEXT",), read_class_text)
CRITICAL = LineParser(("CRITICAL_LINE",), read_critical)
GOAL = LineParser(("GOAL",), read_goal)

# --- The key: interval and class of a row of any table --------------------------------------------------------------

_SYSTEMS = Gathered(
    sources=(("rmf_service_policy_system", "system"), ("rmf_workload_goal", "system")),
    option="scope",
    leave_out=("*ALL",),
)
_KINDS = ("policy", "workload", "service_class", "service_class_period", "report_class", "report_class_period")


def columns_of_page(
    system: Place | tuple[Place, ...] | None = None, xml_rows: tuple[str, ...] | None = None, in_smf: bool = False
) -> tuple[Column, ...]:
    return (
        *header_columns(_SYSTEMS, system, xml_rows=xml_rows, in_smf=in_smf),
        Column(
            "policy_activated_at",
            timestamp(),
            Parsed(ACTIVATION),
            "When the service policy was activated.",
            not_after="interval_end",
        ),
    )


def columns_of_class(
    system: Place | tuple[Place, ...] | None = None, xml_rows: tuple[str, ...] | None = None, in_smf: bool = False
) -> tuple[Column, ...]:
    return (
        *columns_of_page(system, xml_rows, in_smf),
        Column(
            "class_kind",
            text(),
            Parsed(CLASS),
            "Kind of the class header; never add rows across kinds. NULL in an excerpt without header.",
            needed=True,
            allowed=_KINDS,
        ),
        Column("policy", text(), Parsed(CLASS), "Service policy."),
        Column("workload", text(), Parsed(CLASS), "Workload; not printed for report classes."),
        Column("service_class", text(), Parsed(CLASS), "Service class."),
        Column("report_class", text(), Parsed(CLASS), "Report class."),
        Column("period", count(), Parsed(CLASS), "Period of the class.", minimum=1, maximum=8),
    )
