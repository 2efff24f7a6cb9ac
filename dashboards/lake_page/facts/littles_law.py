"""Are the transactions in the system what rate and response time give (Little's law)? Where they are, AVG counts transactions."""

from ....pipeline.words import counted
from ..contract import Chart, Column, Section
from .asked import Asked, rows_of, with_label
from .columns import OF_CLASS, by_class
from .found import Found

# The classes that are farthest from the law.
_MOST = 12
_LAW = """
SELECT * EXCLUDE (means), unnest(['AVG, as printed', 'Rate × response time']) AS counted, unnest(means) AS in_system
FROM (
    SELECT sysplex, scope, workload, coalesce(service_class, report_class) AS name, count(*) AS intervals,
        100 * count_if(verdict = 'holds') / count(*) AS holds_pct, mode(replace(verdict, '_', ' ') ORDER BY verdict) AS verdict,
        [mean_all(transactions_avg, interval_s), mean_all(concurrent_by_law, interval_s)] AS means
    FROM littles_law
    WHERE report_kind = 'interval' AND class_kind IN ('service_class', 'report_class') AND interval_start >= $from AND interval_start < $to
    GROUP BY ALL
)
ORDER BY holds_pct, name, sysplex, scope, workload, counted
"""
_COLUMNS = (
    Column("label", "Class", kind="text"),
    Column("counted", "By", kind="text"),
    Column("in_system", "In the system, on average", decimals=2),
    Column("holds_pct", "The law holds", "% of the intervals", 0),
    Column("verdict", "Most often", kind="text"),
    Column("intervals", "Intervals"),
    Column("name", "Class name", kind="text"),
    *OF_CLASS,
)


def littles_law(asked: Asked) -> Found:
    """The classes that least hold it, with the number of all that do in most of their intervals."""
    classes = asked.ask(_LAW)
    if not len(classes):
        return Found()
    classes = with_label(classes, "name", "label")
    shares = classes["holds_pct"].to_pylist()[::2]
    holding = sum(share > 50 for share in shares)
    law = "in most intervals the transactions in the system that their rate and response time give (Little's law)"
    section = Section(
        "littles_law",
        "Does AVG count transactions?",
        f"All {counted(len(shares), 'class', 'classes')} {'has' if len(shares) == 1 else 'have'} {law}."
        if holding == len(shares)
        else f"Of {counted(len(shares), 'class', 'classes')}, {holding or 'none'} {'has' if holding < 2 else 'have'} {law}; of the others, CPU per transaction rests on"
        " ENDED alone.",
        Chart("bars", "in_system", "counted", split="label"),
        rows_of(asked, classes.slice(0, 2 * _MOST), _COLUMNS),
        by_class("name"),
        f"The {_MOST} of {len(shares)} classes that hold it least." if len(shares) > _MOST else "",
    )
    return Found((section,))
