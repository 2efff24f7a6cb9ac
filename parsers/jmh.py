"""JMH results (Java Microbenchmark Harness). Grain: one row per line of the table that ends a run.

Layout: the text output of JMH 1.x (class TextResultFormat) and of its predecessors (Samples, Mean error). Values end below the
end of their title; the name alone is left-aligned. Secondary results (percentiles, profilers, threads of a group) are rows like any
other. A decimal comma is read as such: JMH never groups thousands. A score too small for three decimals is printed as a power of ten,
which is not a measured value and has its own column; about 0 is a measured zero, as anything else would be a power. A console without the
sign prints ? for it, and for each digit of the exponent, which is then lost. What stands in front of the heading ([info], a star, a time
stamp) stands in front of every row too and is taken off. The table names no time; a study says what a run belongs to. Not parsed: the log
above the table, and text below it.
"""

import json
import re
from typing import Any

from ..pipeline.declaration.places import Field, LineParser, Parsed
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import Column, Report, Table, count, hours_minutes_seconds, number, text
from ..pipeline.errors import Problem, Unreadable
from ._whole_number import whole_number

_TITLE = re.compile(r"\(([^()]+)\)|(Benchmark|Mode|Cnt|Samples|Units?|(?:(?:Score|Mean) )?[Ee]rror|Score|Mean)")
_KINDS = {"Samples": "Cnt", "Mean": "Score", "Unit": "Units"}
# JMH prints three decimals, whatever the number; its predecessors print means with fewer.
_NUMBER, _MEAN = re.compile(r"-?\d+[.,]\d{3}"), re.compile(r"-?\d+(?:[.,]\d+)?")
_POWER = re.compile(r"[^\s\d]{1,3} ?10\^?(\S+)")
_ABOUT_ZERO = re.compile(r"[^\s\w.,-]{1,3} ?0")
_TAIL = re.compile(r" *([^\s\d]{1,3} *)?(\S+) +\S+ *| *\S+ *")
# us/op and ops/ms that lost their last letters.
_CUT_UNIT = re.compile(r" (\S*/o?|ops/(?:[dhmnu]|da|mi)) *$")
_BELOW_TITLES = "columns end with their titles in the heading"
_WITHOUT_SIGN = (
    "a console printed ? for its digits; the result file that JMH writes itself (-rf json -rff FILE) has the number"
)
_DIGITS_ALIKE = str.maketrans("123456789", "000000000")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def _titles(head: str, begin: int) -> list[tuple[str, str, int]]:
    """Kind, parameter name and end of each title of the heading, which begins at a column, but for the name's."""
    found = []
    for match in _TITLE.finditer(head, begin):
        title = match[2] or "parameter"
        kind = "Error" if title.lower().endswith("error") else _KINDS.get(title, title)
        found.append((kind, match[1] or "", match.end()))
    return [t for t in found if t[0] != "Benchmark"]


def read_result(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Values of one line of the table, from its heading and the line. Raises Unreadable where a value is not below its title."""
    head, row = (t or "" for t in texts)
    problems: list[Problem] = []

    def problem(at: int, what: str, expected: str, hint: str = _BELOW_TITLES) -> None:
        problems.append(Problem(1, at, what, expected, hint))

    front = head[: head.rindex("Benchmark")]
    if front.strip() and not _is_alike(front, row[: len(front)]):
        problem(0, "the text in front of the row is not that of its heading", repr(front), "")
        raise Unreadable({"benchmark": None}, problems)
    begin = len(front) if front.strip() else 0
    name = re.compile(r" *\S+").match(row, begin)
    found: dict[str, Any] = {"benchmark": name and name.group().strip(), "parameters": None}
    if name and name.end() - len(name.group().strip()) > len(front):
        problem(len(front), "the row has no name", "the name of the benchmark, which begins with its title", "")
        raise Unreadable({"benchmark": None}, problems)
    parameters: dict[str, str | None] = {}
    begin = name.end() if name else begin

    for kind, parameter, end in _titles(head, len(front)):
        if kind in ("Error", "Units"):
            break
        cell = row[begin:end]
        if begin >= end or (row[end - 1 : end].strip() and row[end : end + 1].strip()):
            problem(end - 1, f"a value runs over the end of {parameter or kind}", "a blank between two columns")
            raise Unreadable({"benchmark": found["benchmark"]}, problems[-1:])
        begin, cell = end, cell.strip()
        if kind == "parameter":
            parameters[parameter] = None if cell in ("", "N/A") else cell
            # One that a benchmark does not have is N/A, never blank.
            if not cell or "  " in cell:
                problem(end - max(len(cell), 1), f"{parameter}: {cell!r} cannot be read", "a value or N/A")
                parameters[parameter] = None
        elif kind == "Mode":
            if not re.fullmatch(r"[a-z]+", cell):
                problem(begin - 1, f"mode: {cell!r} cannot be read", "one word, as avgt or thrpt")
                raise Unreadable({"benchmark": found["benchmark"]}, problems)
            found["mode"] = cell
        elif kind == "Cnt":
            # One that ends in front of its title's end has lost a digit.
            found["count"] = whole_number(cell) if row[end - 1 : end].strip() else None
            if cell and found["count"] is None:
                problem(end - len(cell), f"count: {cell!r} cannot be read", "a whole number or blank")
        elif kind == "Score":
            found |= _score(cell, _MEAN if "Mean" in head else _NUMBER)
            if not {"score", "score_approximate"} & found.keys():
                hint = _WITHOUT_SIGN if "?" in cell else _BELOW_TITLES
                problem(
                    end - max(len(cell), 1), f"score: {cell!r} cannot be read", "a number, NaN or a power of ten", hint
                )
    found["parameters"] = json.dumps(parameters, ensure_ascii=False)
    tail = _TAIL.fullmatch(row[begin:])
    error = _plain(tail[2]) if tail and tail[2] else None
    # A number without a sign may be the score, if that is not there or the same.
    if error is not None and tail and (tail[1] or found.get("score", error) != error):
        found["error"] = error
    elif not tail or (tail[2] and tail[2] != "NaN"):
        problem(begin, f"error: {row[begin:].strip()!r} cannot be read", "± and a number, or blank, and the unit")
    if unit := _CUT_UNIT.search(row):
        problem(unit.start(1), f"unit: {unit[1]!r} cannot be read", "such as us/op or ops/s", "the line may be cut")
    if problems:
        raise Unreadable(found, problems)
    return found


def _is_alike(front: str, other: str) -> bool:
    """Whether two lines begin alike, but for the digits of a time stamp."""
    return front.translate(_DIGITS_ALIKE) == other.translate(_DIGITS_ALIKE)


def _plain(cell: str, number: re.Pattern[str] = _NUMBER) -> float | None:
    return float(cell.replace(",", ".")) if number.fullmatch(cell) else None


def _score(cell: str, number: re.Pattern[str]) -> dict[str, float | None]:
    """The score, or the power of ten in its place; empty where it is neither."""
    if (value := _plain(cell, number)) is not None:
        return {"score": value}
    if _ABOUT_ZERO.fullmatch(cell):
        return {"score": 0.0}
    power = _POWER.fullmatch(cell)
    exponent = power[1].translate(_SUPERSCRIPTS) if power else ""
    if re.fullmatch(r"-?\d{1,2}", exponent):
        return {"score_approximate": 10.0 ** int(exponent)}
    return {"score": None} if cell in ("NaN", "Infinity", "-Infinity") else {}


RESULT = LineParser(("RESULT_HEAD", "RESULT_FIRST"), read_result)

# fmt: off
RESULTS = Table(
    "jmh_result",
    role="jmh",
    grain="one row per benchmark, set of parameters and secondary result",
    rows=("RESULT_FIRST",),
    columns=(
        Column("benchmark", text(), Parsed(RESULT), "Class and method; a secondary result has its label after a colon."),
        Column("parameters", text(), Parsed(RESULT), "The parameters by name, as JSON; null for N/A."),
        Column("mode", text(), Parsed(RESULT), "thrpt, avgt, sample, ss."),
        Column("count", count(), Parsed(RESULT), "Iterations; NULL for one."),
        Column("score", number(minimum=None), Parsed(RESULT), "The score, in `unit`; NULL for NaN."),
        Column("score_approximate", number(), Parsed(RESULT), "The power of ten printed in place of a score too small for three decimals."),
        Column("error", number(), Parsed(RESULT), "Half-width of the 99.9% confidence interval; NULL if not printed."),
        Column(
            "run_time_s",
            hours_minutes_seconds(),
            Field("RUN_COMPLETE", r"Total time: ([^\x1b]*?)(?: |\x1b\[[0-9;]*m)*$"),
            "Duration of the run, warm-up included: Run complete, Total time.",
        ),
        Column("unit", text(), Field("RESULT_FIRST", r" ([^ \x1b]*(?:[^ \x1b/o]|[^ \x1b/]o))(?: |\x1b\[[0-9;]*m)*$"), "As printed: ms/op, ops/s, …"),
    ),
)
# fmt: on

REPORT = Report(
    "jmh",
    summary="JMH log: the table of results",
    doc=__doc__ or "",
    tables=(RESULTS,),
    # A run is a page, so its time cannot be assigned to the next run.
    page_top=r"# JMH version: ",
    title=r"# (?:JMH version: |Run complete\. Total time: )",
    interval=(),
    once=("RESULT_HEAD",),
    unread={"log of the run": ("LOG_TEXT", "BELOW_REST")},
)
