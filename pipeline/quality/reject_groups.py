"""Rejects by cause: rejects that differ only in numbers and names are one cause, shown by its first reject. Then the lines
that are recognised but not read: pages of unknown reports, and sections of known reports."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ..sql.open_lake import OpenLake
from ..terminal import printable
from .reject_text import counted, format_reject_row

# Rejects of one cause differ only in quoted text and numbers.
_CAUSES = r"""
    WITH told AS (
        SELECT
            report,
            regexp_replace(
                regexp_replace(regexp_replace(what, '''[^'']*''', '''…''', 'g'), '(^|[ (])[0-9]\S*', '\1…', 'g'),
                '…( …)+', '…', 'g'
            ) AS cause,
            'reject' AS kind, 1 AS times, lines, source_id, source_file, page, line, "column", text, what, expected, hint
        FROM parse_reject
        UNION ALL BY NAME
        SELECT
            'pages of an unknown report: ' || banner AS cause, 'unknown_report' AS kind, pages AS times, lines, source_id,
            source_file, page, line, banner AS what, 'ironlake describe lists the known reports' AS hint
        FROM unknown_report
        UNION ALL BY NAME
        SELECT
            report, 'not read: ' || section AS cause, 'unread_section' AS kind, 0 AS times,
            source_id || ' ' || page AS on_page, lines, source_id, source_file,
            page, line, 1 AS "column", text, section AS what, CASE WHEN lines > 0 THEN 'these lines are recognised, but their values are in no table'
                ELSE 'no declaration names these fields: their values are in no table' END AS hint
        FROM unread_section
    ),
    counted AS (
        SELECT
            cause, report, kind,
            CAST(sum(times) + count(DISTINCT on_page) AS BIGINT) AS times, CAST(sum(lines) AS BIGINT) AS lines,
            count(DISTINCT source_id) AS sources,
            arg_min(
                {
                    'source_id': source_id, 'source_file': source_file, 'page': page, 'line': line, 'column': "column",
                    'text': text, 'what': what, 'expected': expected, 'hint': hint
                },
                {'file': source_file, 'line': line, 'column': "column"}
            ) AS first
        FROM told GROUP BY ALL
    )
    SELECT
        cause, report, kind, times, lines, sources, first.source_id AS source_id, first.source_file AS source_file,
        first.page AS page, first.line AS line, first.column AS "column", first.text AS text,
        if(kind = 'reject', repeat(' ', first.column - 1) || '^', NULL) AS caret, first.what AS what, first.expected AS expected, first.hint AS hint
    FROM counted ORDER BY kind = 'unread_section', kind = 'unknown_report', times DESC, cause, report
"""

_ACCOUNT = """
    SELECT
        count(*) AS sources, sum(lines) AS lines, sum(claimed_lines) AS claimed, sum(blank_lines) AS blank,
        sum(unread_lines) AS unread,
        sum(rejected_lines) AS rejected, sum(unknown_lines) AS unknown, sum(rejects) AS rejects
    FROM ingest_file WHERE form != 'study'
"""


def causes(lake: OpenLake) -> pa.Table:
    """One row per cause and report, most frequent first; `kind`: rejects, then pages of unknown reports, then unread sections.
    Columns: number of rejects or pages (`times`), of lines and of sources; and place, line and caret of the first one."""
    return lake.sql(_CAUSES).arrow()


def as_text(lake: OpenLake, found: pa.Table) -> str:
    """Causes as text, and the count of all lines."""
    out = []
    for row in found.to_pylist():
        if row["kind"] == "unread_section":
            out += [*_section(row), ""]
            continue
        times = f"{row['times']:,} {'times' if row['report'] else 'pages'}" if row["times"] != 1 else "once"
        out.append(f"{printable(row['cause'])} ({times}, in {counted(row['sources'], 'file')})")
        out += [f"  {line}" for line in _example(row).splitlines()]
        out.append("")
    return "\n".join([*out, *format_account(lake)])


def _section(row: dict[str, Any]) -> list[str]:
    many = f"{counted(row['lines'], 'line')} on {counted(row['times'], 'page')}, in {counted(row['sources'], 'file')}"
    return [
        f"{row['report']}: {printable(row['cause'])} ({many})",
        f"  {row['source_file']}:{row['line']} (page {row['page']}): {printable(row['text'])}",
        f"  hint: {row['hint']}",
    ]


def _example(row: dict[str, Any]) -> str:
    if row["report"]:
        return format_reject_row(row)
    return f"{row['source_file']}:{row['line']} (page {row['page']})\nhint: {row['hint']}"


def format_account(lake: OpenLake) -> list[str]:
    """The count of the lines of all sources, by what became of them."""
    (row,) = lake.sql(_ACCOUNT).arrow().to_pylist()
    if not row["sources"]:
        return ["the lake is empty"]
    parts = (f"{row['claimed']:,} claimed", f"{row['blank']:,} blank", f"{row['rejected']:,} rejected")
    if row["unread"] is not None:
        parts = (*parts[:1], f"{row['unread']:,} not read", *parts[1:])
    account = (
        f"{row['lines']:,} lines of {counted(row['sources'], 'file')}: {', '.join(parts)}, "
        f"{row['unknown']:,} on pages of unknown reports; {row['rejects']:,} reject{'s'[: row['rejects'] != 1]}"
    )
    return [account]
