"""The page of `ironlake check`: whether the values of a lake agree, what does not, and what became of every line.

Great Expectations' own pages load scripts from the network; this one is a file that holds all it shows. Everything that may
be long is cut at a length that is told: the command prints all of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pyarrow as pa

from ...pipeline.declaration.report import Table, reports
from ...pipeline.declaration.rules import Filled, OneOf
from ...pipeline.quality.checks import rules
from ...pipeline.quality.reject_groups import causes
from ...pipeline.sql.known_tables import tables
from ...pipeline.sql.session import OpenLake
from ..document import DASH, Output, Page, publish
from ..queries import ask
from ..references import Reference, Sources, reference_cell, sources_section
from .data_quality import found_number, found_unit, severity_and_rule
from .study_tables import number

Row = dict[str, Any]
# Values held to a rule, by table, rule and column.
Judged = Mapping[tuple[str, str, str], int]

_MOST_OF_A_RULE = 20
_MOST_ROWS = 500
_MOST_CAUSES = 100
_MOST_FILES = 200

_ACCOUNT = """
SELECT source_id, source_file, status, lines, claimed_lines, unread_lines, blank_lines, rejected_lines, unknown_lines, rejects,
    suspect_pages,
    lines IS DISTINCT FROM claimed_lines + coalesce(unread_lines, 0) + blank_lines + rejected_lines + unknown_lines AS is_open
FROM ingest_file
ORDER BY is_open DESC, status = 'ingested', rejected_lines DESC NULLS LAST, rejects DESC NULLS LAST, unknown_lines DESC NULLS LAST,
    source_file
"""
_OF_LINES = (
    "lines",
    "claimed_lines",
    "unread_lines",
    "blank_lines",
    "rejected_lines",
    "unknown_lines",
    "rejects",
    "suspect_pages",
)


@dataclass(frozen=True)
class Suite:
    """What came of the expectations of a table: how many there are, how many had a value to judge and how many values, the rows that
    broke one, by severity, and what was found across its pages, by severity."""

    table: str
    rows: int
    expectations: int
    judged: int
    values: int
    errors: int
    warnings: int
    across_errors: int
    across_warnings: int


def write_quality_page(lake: OpenLake, results: pa.Table, judged: Judged, out: Output) -> str:
    """Write the page of what a check found, and return its verdict. Raises IronlakeError where the file cannot be written."""
    page = render(lake, results, judged)
    publish(page, out)
    return page.headline


def render(lake: OpenLake, results: pa.Table, judged: Judged) -> Page:
    sources = Sources(lake)
    found = results.to_pylist()
    known = {f"{table.name}.{rule.name}" for table in tables().values() for rule in rules(table)}
    of_suites = [row for row in found if row["rule"] in known]
    across = [row for row in found if row["rule"] not in known]
    suites = _suites(lake, of_suites, across, judged)
    unread, account = causes(lake).to_pylist(), ask(lake, _ACCOUNT)
    shown: list[Reference] = []
    sections = [
        _suites_section(suites),
        _rows_section("rows", "Values that do not agree", "No value breaks a rule.", of_suites, sources, shown),
        _rows_section(
            "across",
            "Across pages and reports",
            "No interval is missing, overlaps another, is short or lacks a system; no fact is printed twice with other values, and "
            "reports that can be compared agree.",
            across,
            sources,
            shown,
        ),
        _causes_section(unread, sources, shown),
        _account_section(account),
        sources_section(shown, sources) if shown else "",
    ]
    return Page(
        title="Ironlake: quality of the data",
        heading="Quality of the data",
        headline=_verdict(of_suites, across, suites, account),
        cards="",
        sections=sections,
        pictures={},
        kind="check",
    )


def _suites(lake: OpenLake, found: Sequence[Row], across: Sequence[Row], judged: Judged) -> list[Suite]:
    out = []
    for table in (table for report in reports().values() for table in report.tables):
        if not (rows := lake.rows(table.name)):
            continue
        values = [many for (name, *_), many in judged.items() if name == table.name] + _settled(lake, table, judged)
        broken = [
            sum(r["rows"] for r in found if r["table"] == table.name and r["severity"] == severity)
            for severity in ("error", "warn")
        ]
        places = [sum((r["table"], r["severity"]) == (table.name, s) for r in across) for s in ("error", "warn")]
        asked = sum(len(rule.columns) for rule in rules(table))
        out.append(Suite(table.name, rows, asked, len(values), sum(values), *broken, *places))
    return out


def _settled(lake: OpenLake, table: Table, judged: Judged) -> list[int]:
    """How many values each expectation is about that was settled without a look at rows: no text is another than those allowed,
    and none is missing."""
    left = [r for r in rules(table) if isinstance(r, OneOf | Filled) and (table.name, r.name, r.column) not in judged]
    if not left:
        return []
    counts = ", ".join(f'count("{rule.column}") AS "{rule.name}"' for rule in left)
    (row,) = ask(lake, f"SELECT {counts} FROM {table.name}")
    return [many for many in row.values() if many]


def _counted(many: int, one: str, several: str = "") -> str:
    return f"{many:,} {one if many == 1 else several or one + 's'}"


_SEVERITIES = (("error", "cannot be so"), ("warn", "may have been printed so"))


def _verdict(found: Sequence[Row], across: Sequence[Row], suites: Sequence[Suite], account: Sequence[Row]) -> str:
    """What is to be thought of the lake, in a sentence or two: rows with a wrong value by rows, what is between pages by places."""
    if not account:
        return "The lake is empty: there is nothing to judge."
    said = []
    for severity, words in _SEVERITIES:
        mine = [row for row in found if row["severity"] == severity]
        places = [row for row in across if row["severity"] == severity]
        kind = "warning" if severity == "warn" else "error"
        if mine:
            pages = len({(row["source_id"], row["page"]) for row in mine})
            said.append(f"{_counted(sum(r['rows'] for r in mine), 'row')} on {_counted(pages, 'page')} {words}")
        if places:
            said.append(f"{_counted(len(places), kind)} across pages and reports ({_most_frequent(places)})")
    if not said:
        verdict = _all_hold(suites)
    else:
        has_error = any(row["severity"] == "error" for row in (*found, *across))
        verdict = ("" if has_error else "No errors. ") + "; ".join(said) + "."
    failed = sum(row["status"] == "failed" for row in account)
    rejected = sum(row["rejects"] or 0 for row in account)
    files = _counted(len(account), "file")
    if failed:
        verdict += f" {_counted(failed, 'file')} of {files} could not be ingested."
    if rejected:
        return f"{verdict} {_counted(rejected, 'reject')} in {files}: a line or a cell that could not be read."
    return verdict if failed else f"{verdict} Every line that is a report's was read."


def _most_frequent(places: Sequence[Row]) -> str:
    """The rules that are broken, the most frequent first, in their words without what differs from place to place."""
    many = Counter((row["what"] or row["rule"]).partition(";")[0] for row in places)
    return "; ".join(f"{words}: {_counted(count, 'time')}" for words, count in many.most_common(3)) + (
        "; and others" if len(many) > 3 else ""
    )


def _all_hold(suites: Sequence[Suite]) -> str:
    many = _counted(sum(s.judged for s in suites), "expectation")
    return f"All values agree: {many} judged on {_counted(sum(s.rows for s in suites), 'row')} of {_counted(len(suites), 'table')}."


# --- Sections --------------------------------------------------------------------------------------------------------


def _section(id_: str, title: str, held: str) -> str:
    return f'<section aria-labelledby="{id_}"><h2 id="{id_}">{escape(title)}</h2>{held}</section>'


def _table(label: str, caption: str, heads: Sequence[tuple[str, bool]], rows: Sequence[str], style: str = "") -> str:
    """A table; of its heads those that are texts stand at the left."""
    titles = "".join(f'<th scope="col"{" class=l" if left else ""}>{escape(title)}</th>' for title, left in heads)
    styled = f' class="{style}"' if style else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}"><table{styled}>'
        f"<caption>{escape(caption)}</caption><thead><tr>{titles}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _suites_section(suites: Sequence[Suite]) -> str:
    if not suites:
        return _section("suites", "Suites", '<p class="quiet">No table has rows.</p>')
    rows = [
        f'<tr><th scope="row">{escape(s.table)}</th>'
        + "".join(
            f"<td>{many:,}</td>"
            for many in (
                s.rows,
                s.expectations,
                s.judged,
                s.values,
                s.errors,
                s.warnings,
                s.across_errors,
                s.across_warnings,
            )
        )
        + "</tr>"
        for s in suites
    ]
    caption = (
        "A suite a table, of what its declaration says: ranges, names, what must have a value, and what must agree. An expectation "
        "is judged where there is a value for it. Unexpected rows are errors (it cannot be so) or warnings (it may have been "
        "printed so). What is wrong between pages, as a gap, is counted by places and listed below."
    )
    heads = (
        "Rows",
        "Expectations",
        "Judged",
        "Values judged",
        "Rows in error",
        "Rows with warnings",
        "Errors across pages",
        "Warnings across pages",
    )
    return _section(
        "suites", "Suites", _table("Suites", caption, [("Table", True), *((h, False) for h in heads)], rows)
    )


def _chosen(found: Sequence[Row]) -> list[Row]:
    """Errors first; of each rule the first few, and not more than fit a page."""
    many: dict[tuple[str, str], int] = {}
    out = []
    for row in sorted(found, key=lambda r: r["severity"] or ""):
        rule = (row["rule"], row["column"])
        many[rule] = many.get(rule, 0) + 1
        if many[rule] <= _MOST_OF_A_RULE:
            out.append(row)
    return out[:_MOST_ROWS]


def _rows_section(
    id_: str, title: str, none: str, found: Sequence[Row], sources: Sources, shown: list[Reference]
) -> str:
    if not found:
        return _section(id_, title, f'<p class="quiet">{escape(none)}</p>')
    chosen = _chosen(found)
    rows = []
    for row in chosen:
        reference = Reference.of([row], sources)
        shown.append(reference)
        numbers = (
            found_number(row["found"], found_unit(row)),
            found_number(row["expected"], found_unit(row)),
            number(row["tolerance"]),
            f"{row['rows']:,}",
        )
        cells = "".join(f"<td>{written}</td>" for written in numbers)
        rows.append(f"<tr>{severity_and_rule(row)}{cells}{reference_cell(reference)}</tr>")
    hidden = len(found) - len(chosen)
    caption = "One row a page, rule and column: the first line concerned, and how many rows of the page there are."
    if hidden:
        caption += (
            f" {hidden:,} more are not shown: at most {_MOST_OF_A_RULE} of each rule are; ironlake check prints all."
        )
    heads = [("Severity", True), ("Rule", True)]
    heads += [(h, False) for h in ("Found", "Expected", "Tolerance", "Rows")] + [("Printed at", True)]
    return _section(id_, title, _table(title, caption, heads, rows, "words"))


def _causes_section(unread: Sequence[Row], sources: Sources, shown: list[Reference]) -> str:
    title = "Lines that could not be read, or are not"
    if not unread:
        return _section("rejects", title, '<p class="quiet">There is none.</p>')
    rows = []
    for row in unread[:_MOST_CAUSES]:
        reference = Reference.of([row], sources)
        shown.append(reference)
        line = (row["text"] or "").rstrip()
        first = f"<pre><code>{escape(line)}\n{escape(row['caret'] or '')}</code></pre>" if line else ""
        expected = f"expected {row['expected']}" if row["expected"] else row["hint"] or ""
        rows.append(
            f'<tr><th scope="row">{escape(row["cause"])}<small>{escape(row["report"] or DASH)}</small></th>'
            f'<td class="l">{first}<small>{escape(expected)}</small></td>'
            + "".join(f"<td>{row[name]:,}</td>" for name in ("times", "lines", "sources"))
            + f"{reference_cell(reference)}</tr>"
        )
    hidden = len(unread) - len(rows)
    caption = "By cause, each by its first line; of reports and sections that are not read, times counts pages." + (
        f" {hidden:,} more causes: ironlake rejects." if hidden else ""
    )
    heads = [
        ("Cause", True),
        ("First line", True),
        ("Times", False),
        ("Lines", False),
        ("Files", False),
        ("Printed at", True),
    ]
    return _section("rejects", title, _table(title, caption, heads, rows, "words"))


def _account_section(account: Sequence[Row]) -> str:
    title = "What became of every line"
    if not account:
        return _section("account", title, '<p class="quiet">No file is in the lake.</p>')
    total = {name: sum(row[name] or 0 for row in account) for name in _OF_LINES}
    whole = f'<tr class="total"><th scope="row">All {_counted(len(account), "file")}</th><td class="l"></td>{_numbers(total)}</tr>'
    rows = [
        f'<tr><th scope="row">{escape(row["source_file"] or DASH)}</th><td class="l">{escape(row["status"])}'
        f"{'<small>lines are missing from this account</small>' if row['is_open'] and row['status'] != 'failed' else ''}</td>"
        f"{_numbers(row)}</tr>"
        for row in account[:_MOST_FILES]
    ]
    hidden = len(account) - len(rows)
    caption = "Lines = claimed + not read + blank + rejected + in pages of other reports. Lines that are not read are named by ironlake rejects; a reject may be a cell of a claimed line."
    caption += f" {hidden:,} more files, with fewer rejected lines, are in the table ingest_file." if hidden else ""
    heads = [("File", True), ("Status", True)]
    heads += [
        (h, False)
        for h in ("Lines", "Claimed", "Not read", "Blank", "Rejected", "Other reports", "Rejects", "Suspect pages")
    ]
    return _section("account", title, _table(title, caption, heads, [whole, *rows], "words"))


def _numbers(row: Mapping[str, int | None]) -> str:
    return "".join(f"<td>{DASH if row[name] is None else format(row[name], ',')}</td>" for name in _OF_LINES)
