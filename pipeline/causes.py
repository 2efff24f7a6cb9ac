"""What could not be read, by cause: rejects that say the same of other numbers and names are one, shown by the first."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from .ingest_report import counted, reject_in_words
from .query import OpenLake
from .reading import printable

# What is quoted from the page and what begins with a digit tells rejects of one cause apart.
_CAUSES = r"""
    WITH told AS (
        SELECT
            report,
            regexp_replace(
                regexp_replace(regexp_replace(what, '''[^'']*''', '''…''', 'g'), '(^|[ (])[0-9]\S*', '\1…', 'g'),
                '…( …)+', '…', 'g'
            ) AS cause,
            1 AS times, lines, source_id, source_file, page, line, "column", text, what, expected, hint
        FROM parse_reject
        UNION ALL BY NAME
        SELECT
            'pages of a report that is not read: ' || banner AS cause, pages AS times, lines, source_id, source_file,
            page, line, banner AS what, 'ironlake describe lists the reports that are read' AS hint
        FROM unknown_report
    ),
    counted AS (
        SELECT
            cause, report, CAST(sum(times) AS BIGINT) AS times, CAST(sum(lines) AS BIGINT) AS lines,
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
        cause, report, times, lines, sources, first.source_id AS source_id, first.source_file AS source_file,
        first.page AS page, first.line AS line, first.column AS "column", first.text AS text,
        repeat(' ', first.column - 1) || '^' AS caret, first.what AS what, first.expected AS expected, first.hint AS hint
    FROM counted ORDER BY report IS NULL, times DESC, cause
"""

_ACCOUNT = """
    SELECT
        count(*) AS sources, sum(lines) AS lines, sum(claimed_lines) AS claimed, sum(blank_lines) AS blank,
        sum(rejected_lines) AS rejected, sum(unknown_lines) AS unknown, sum(rejects) AS rejects
    FROM ingest_file WHERE form != 'study'
"""


def causes(lake: OpenLake) -> pa.Table:
    """One row a cause and report, the most frequent first: how often (`times`: rejects; pages, where a whole report is not
    read), on how many lines, in how many sources, and the first of them with its place, its line and a caret below it."""
    return lake.sql(_CAUSES).arrow()


def as_text(lake: OpenLake, found: pa.Table) -> str:
    """Causes as people read them, and the account of all lines."""
    out = []
    for row in found.to_pylist():
        times = f"{row['times']:,} {'times' if row['report'] else 'pages'}" if row["times"] != 1 else "once"
        out.append(f"{printable(row['cause'])} ({times}, in {counted(row['sources'], 'file')})")
        out += [f"  {line}" for line in _example(row).splitlines()]
        out.append("")
    return "\n".join([*out, *account_in_words(lake)])


def _example(row: dict[str, Any]) -> str:
    if row["report"]:
        return reject_in_words(row)
    return f"{row['source_file']}:{row['line']} (page {row['page']})\nhint: {row['hint']}"


def account_in_words(lake: OpenLake) -> list[str]:
    """What became of the lines of all sources."""
    (row,) = lake.sql(_ACCOUNT).arrow().to_pylist()
    if not row["sources"]:
        return ["no files are in the lake"]
    parts = (f"{row['claimed']:,} claimed", f"{row['blank']:,} blank", f"{row['rejected']:,} rejected")
    return [
        f"{row['lines']:,} lines of {counted(row['sources'], 'file')}: {', '.join(parts)}, "
        f"{row['unknown']:,} in pages of reports that are not read; {row['rejects']:,} rejects"
    ]
