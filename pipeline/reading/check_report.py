"""What is wrong with a report: with its declaration, with what its grammar has of that, and with what its sample pages give.

`ironlake test` says it of a user's reports, and our own tests ask it of ours. A problem is a word, which stands where it is to be mended, and
a sentence."""

from __future__ import annotations

import datetime as dt
import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ..declaration.bookkeeping import stored_tables
from ..declaration.places import Cell, Constant, Field, Gathered, Labelled, Parsed, Place, Spread, Under
from ..declaration.reading_options import Options
from ..declaration.report import Column, Report, Table, reports
from ..plugins import line_with
from .engine import canonical_segment, read_text
from .line_kinds import grammars, load

Problem = tuple[str, str]
Tables = dict[str, pl.DataFrame]

# Of a table that is no place on a page: which file a row is from.
NOT_PRINTED = ("source_id", "source_file")
# The first line of a new file beside a page, to be completed by whoever adds the page.
_NOT_SAID = {"provenance": ""}
_LEAST_SAID = 10
# Unit of a column by the ending of its name; the longest ending that fits counts.
_UNIT_OF_ENDING = {
    "_per_s": r".*(1/s|/s|per second)",
    "_pct": r"%.*",
    "_s": "s",
    "_ms": "ms",
    "_us": "us",
    "_bytes": "bytes",
    "_minutes": "min",
}
_EXPECTED, _REJECTS, _BY_EYE = ".expected.jsonl", ".rejects.jsonl", ".by_eye.jsonl"
_MOST_SHOWN = 20
# Read because pages in the field have it, though ours print it right.
_MISPRINTS = {"MS0"}


# --- The declaration ------------------------------------------------------------------------------------------------


def table_problems(table: Table) -> Iterator[Problem]:
    """What a table does not say of its rows and columns."""
    names = [c.name for c in table.all_columns]
    if not re.match("one row (?:an?|per) ", table.grain):
        yield table.name, f"the grain of {table.name} does not begin with: one row per"
    yield from ((name, f"{table.name} has two columns {name}") for name in {n for n in names if names.count(n) > 1})
    yield from ((key, f"the key of {table.name} names {key}, which is no column") for key in {*table.key} - {*names})
    if len(set(table.key)) < len(table.key) or set(table.key) & {*NOT_PRINTED, "page", "line"}:
        yield table.name, f"the key of {table.name} names a column twice, or one that says where a row is printed"
    for column in table.all_columns:
        ending = max((e for e in _UNIT_OF_ENDING if column.name.endswith(e)), key=len, default="")
        if not re.fullmatch(r"[a-z][a-z0-9_]*", column.name):
            yield column.name, f"the name of {table.name}.{column.name} is not lower-case letters, digits and _"
        if not column.description.endswith((".", "…")):
            yield column.name, f"{table.name}.{column.name} has no description that ends with a full stop"
        if ending and not re.fullmatch(_UNIT_OF_ENDING[ending], column.type.unit):
            yield column.name, f"{table.name}.{column.name} has the unit {column.type.unit or 'none'}, its name another"


def places(report: Report) -> Iterator[tuple[Table, Column, Place | Spread]]:
    """All places of all columns."""
    for table in report.tables:
        for column in table.columns:
            yield from ((table, column, place) for place in column.places)


def _kinds_named(report: Report) -> Iterator[str]:
    """Every kind of line that a declaration names."""
    yield from (*report.interval, *report.carried, *report.closing, *report.once, *report.numbered)
    yield from (kind for layout in report.layouts for kind in (*layout.run, *layout.rows))
    yield from (kind for table in report.tables for kind in table.rows)
    for _, _, place in places(report):
        match place:
            case Field(line) | Under(line=line) if line:
                yield line
            case Parsed(parser):
                yield from parser.lines
            case Constant(_, lines):
                yield from lines


def declaration_problems(report: Report) -> Iterator[Problem]:
    """What a declaration names that is not there, or is there twice."""
    for table in report.tables:
        yield from table_problems(table)
    named = set(_kinds_named(report))
    missing = named - {kind for grammar in grammars(report) for kind in grammar.names}
    yield from ((kind, f"no line of the grammar is called {kind}") for kind in sorted(missing))
    of_pages = {*report.interval, *report.carried, *report.numbered}
    for kind in sorted(of_pages - {*load(report.name).page_lines} - missing):
        yield kind, f"{kind} is no line of the top of a page: in the grammar it is not below page_top"
    for table, column, place in places(report):
        if isinstance(place, Field | Under) and place.pattern and re.compile(place.pattern).groups != 1:
            yield column.name, f"the pattern of {table.name}.{column.name} has not one group"
        if isinstance(place, Gathered):
            for other, name in place.sources:
                if name not in report.table(other).schema.names:
                    yield name, f"{other} has no column {name}"
            if place.option not in Options.__dataclass_fields__:
                yield column.name, f"{place.option} is no option of reading"
    rows = [kind for layout in report.layouts for kind in layout.rows]
    yield from ((kind, f"{kind} has two layouts") for kind in {kind for kind in rows if rows.count(kind) > 1})
    if bool(report.banner) == bool(report.title) or (report.page_top and not report.title) or " " in report.banner:
        yield "REPORT", "a report has a banner without blanks, or a title, and page_top only with a title"


def sample_lines(page: Path) -> list[str]:
    """The lines of a page that are not blank, without carriage control."""
    segment = canonical_segment(page.read_bytes(), page.name, Options())
    return [line for line in segment.text.decode().split("\n") if line.strip()]


def problems_on_samples(report: Report, lines: Sequence[str]) -> Iterator[Problem]:
    """Titles, labels and patterns of a declaration that no line of a sample has."""
    text = "\n".join(" ".join(line.split()) for line in lines)
    if any(not load(report.name).any_case.isdisjoint((*h.lines, *h.rows)) for h in report.layouts):
        text = text.upper()

    def stands(words: str) -> bool:
        """A word that ends in * is any that begins so; digits and % of a heading are of any value."""
        whole = [re.escape(w) + "(?![A-Z])" if not w.endswith("*") else re.escape(w[:-1]) for w in words.split()]
        return (
            words in _MISPRINTS
            or bool(re.fullmatch("[0.%]{2,}", words))
            or all(re.search(rf"(?<![A-Z]){word}", text) for word in whole)
        )

    if report.banner and not any(line.replace(" ", "") == report.banner for line in lines):
        yield report.banner, f"the title {report.banner} is on no sample"
    for pattern in filter(None, (report.page_top, report.title)):
        if not any(re.search(pattern, line) for line in lines):
            yield pattern, f"the pattern {pattern} fits no line of a sample"
    for table, column, place in places(report):
        words: tuple[str, ...] = ()
        match place:
            case Cell():
                words = place.group, place.label, place.under
            case Under():
                words = place.title, place.group
            case Labelled():
                words = (place.label,)
        for word in words:
            if not stands(word):
                yield word, f"{word}, of {table.name}.{column.name}, is on no sample"
    for table in report.tables:
        for column in table.columns:
            patterns = [p.pattern for p in column.places if isinstance(p, Field)]
            if patterns and not any(re.search(p, line) for p in patterns for line in lines):
                yield column.name, f"the pattern of {table.name}.{column.name} fits no line of a sample"


# --- The rows of a page ---------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value as JSON holds it; a float has no more digits than a page prints."""
    if isinstance(value, float):
        return round(value, 9)
    return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else value


def printed_rows(tables: Tables, *names: str) -> Iterator[dict[str, Any]]:
    """Every row of the named tables as {"table": …, column: value}, values that are NULL left out."""
    for name in names or sorted(tables):
        for row in tables[name].iter_rows(named=True):
            kept = {k: plain(v) for k, v in row.items() if v is not None and k not in NOT_PRINTED}
            # cell_null has a column of that name: the table it speaks of.
            if "table" in kept:
                kept["of_table"] = kept.pop("table")
            yield {"table": name} | kept


def row_lines(tables: Tables, *names: str) -> list[str]:
    """`printed_rows` as JSON texts in the order of tables, pages and lines."""
    rows = [(r["table"], r.get("page", 0), r.get("line", 0), json.dumps(r)) for r in printed_rows(tables, *names)]
    return [text for *_, text in sorted(rows)]


def selected(tables: Tables, table: str, /, **selector: Any) -> pl.DataFrame:
    """The rows of `table` whose columns have the values given; None selects NULL."""
    frame = tables[table]
    for column, value in selector.items():
        frame = frame.filter(pl.col(column).is_null() if value is None else pl.col(column) == value)
    return frame


def read_by_eye(lines: Iterable[str]) -> list[dict[str, Any]]:
    """What a file of values read off a page says, a text of JSON a line: {"table", "where", "values"} for some values of the one row
    that `where` selects; or {"table", "where", "columns"} and, on the lines below, a list of these columns for each row."""
    said: list[dict[str, Any]] = []
    for line in lines:
        if isinstance(read := json.loads(line), list):
            said[-1]["rows"].append(read)
        else:
            said.append(read | ({"rows": []} if "columns" in read else {}))
    return said


def difference_to_eye(tables: Tables, said: Mapping[str, Any]) -> tuple[Any, Any]:
    """What was read by eye, and what the tables have in its place."""
    rows = selected(tables, said["table"], **said.get("where", {}))
    if "columns" in said:
        return said["rows"], [[plain(value) for value in row] for row in rows.select(said["columns"]).rows()]
    (row,) = rows.select(list(said["values"])).rows(named=True) if rows.height == 1 else ({"rows": rows.height},)
    return said["values"], {column: plain(value) for column, value in row.items()}


def said_first(file: Path) -> dict[str, Any]:
    """What the author of a sample says in the first line of a file beside the page: where the page is from, options that it is read
    with, and in .rejects.jsonl how many rejects the page must give."""
    return json.loads(file.read_text("utf-8").partition("\n")[0]) if file.exists() else _NOT_SAID


def sample_problems(page: Path, tables: Tables, *, write: bool = False, overwrite: bool = False) -> Iterator[str]:
    """What a sample gives that the files beside it do not say. `write` those that are missing; `overwrite` those that differ."""
    expected, rejects, by_eye = (page.with_suffix(suffix) for suffix in (_EXPECTED, _REJECTS, _BY_EYE))
    got = {expected: row_lines(tables, *sorted(tables.keys() - {"parse_reject"}))}
    must = said_first(rejects).get("rejects", 0)
    # Only the author of a page says that it must give rejects, by making the file.
    if rejects.exists():
        got[rejects] = row_lines(tables, "parse_reject")
    for file, rows in got.items():
        known = file.read_text("utf-8").splitlines() if file.exists() else []
        difference = [*difflib.unified_diff(known, now := [json.dumps(said_first(file)), *rows], n=0, lineterm="")][2:]
        if difference and (overwrite or (write and len(known) <= 1)):
            file.write_text("\n".join(now) + "\n", "utf-8")
        elif difference:
            shown = "".join(f"\n{line[:300]}" for line in difference[:_MOST_SHOWN])
            yield f"{file}:1: other rows (--write writes a missing file, --overwrite any):{shown}"
    found = tables["parse_reject"]
    if found.height != must or (rejects.exists() and not must):
        first = f"line {found['line'][0]}: {found['what'][0]}; " if found.height else ""
        yield f'{page}: {found.height} rejects; {first}{rejects.name} says in its first line how many there must be ("rejects": N)'
    said = said_first(expected)
    if len(said.get("provenance", "")) <= _LEAST_SAID or said.keys() - {"provenance", "options"}:
        yield f'{expected}:1: where the page is from is not said; expected {{"provenance": "…"}}, and "options" if any'
    if rejects.exists() and {**said_first(rejects), "rejects": 0} != {**said, "rejects": 0}:
        yield f"{rejects}:1: the first line is not that of {expected.name} with the number of rejects"
    seen = read_by_eye(by_eye.read_text("utf-8").splitlines()) if by_eye.exists() else ()
    for values in seen:
        wanted, got_values = difference_to_eye(tables, values)
        if wanted != got_values:
            yield f"{by_eye}:1: {values['table']} {values.get('where', '')}: read by eye {wanted}, but the page gives {got_values}"


def folder_problems(folder: Path, *, write: bool = False, overwrite: bool = False) -> Iterator[str]:
    """What is wrong with the reports of a folder, which is that of the plugins or our own; a line of text each. Raises UsageError for what
    cannot be loaded."""
    stored_tables()
    for path in sorted(folder.glob("parsers/[!_]*.py")):
        report = reports()[path.stem]
        if report.name != path.stem:
            yield f"{line_with(path, 'Report(')}: the report is called {report.name}, its file {path.name}"
        pages = sorted(
            p for p in folder.glob(f"sample_reports/{path.stem}/*.*") if p.suffix in (".txt", ".xml", ".json")
        )
        if not pages:
            yield f"{path}:1: the report has no sample page; expected sample_reports/{path.stem}/*.txt"
            continue
        lines = [line for page in pages for line in sample_lines(page)]
        found = [*declaration_problems(report), *problems_on_samples(report, lines)]
        yield from (f"{line_with(path, word)}: {sentence}" for word, sentence in found)
        if found:
            continue
        for page in pages:
            options = Options(**said_first(page.with_suffix(_EXPECTED)).get("options", {}))
            tables = read_text(page.read_bytes(), options, page.name)
            yield from sample_problems(page, tables, write=write, overwrite=overwrite)
