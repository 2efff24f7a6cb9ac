"""Problems in the sources of a page: pages that break a rule, and rejected lines."""

from typing import Any

from ..pipeline.sql.ask import Queryable, ask, literal
from .references import Reference, Sources

Row = dict[str, Any]

_SUSPECT = """
SELECT severity, rule, "column", what, count(*) AS pages, arg_min(found, (source_id, page, line)) AS found,
    arg_min(expected, (source_id, page, line)) AS expected,
    list(struct_pack(source_id := source_id, page := page, line := line)) AS refs
FROM quality_result
WHERE source_id IN ({sources})
GROUP BY severity, rule, "column", what
ORDER BY severity, pages DESC, rule, "column"
"""
_UNREAD = """
SELECT report, what, count(*) AS times, arg_min(text, (source_id, page, line)) AS text,
    list(struct_pack(source_id := source_id, page := page, line := line)) AS refs
FROM parse_reject
WHERE source_id IN ({sources})
GROUP BY report, what
ORDER BY times DESC, report, what
"""


def quality_rows(lake: Queryable, sources: Sources) -> tuple[list[Row], list[Row]]:
    """Broken rules, errors first, and kinds of rejected lines, of the numbered sources."""
    used = ", ".join(literal(s.source_id) for s in sources.used) or "NULL"
    found = []
    for text in (_SUSPECT, _UNREAD):
        rows = ask(lake, text.format(sources=used))
        for row in rows:
            row["reference"] = Reference.of(row.pop("refs"), sources)
        found.append(rows)
    return found[0], found[1]
