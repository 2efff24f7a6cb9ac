"""`ironlake check`: check all tables of a lake again, and what no single batch can show: rows printed twice with different
values, intervals that overlap or are missing, systems missing from an interval.

The rules of tables are checked in slices of whole intervals: totals and their rows stay together, and memory is bounded.
Checks across the lake are DuckDB queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa

from ..declaration.bookkeeping import QUALITY_RESULT
from ..declaration.report import PROVENANCE, Table, reports
from ..sql.open_lake import OpenLake
from ..sql.schema import plain_schema
from .check_batch import broken_rows, columns_judged, find_violations
from .lake_slices import Slice, slices_of
from .violations import Violations

if TYPE_CHECKING:
    from .expectation_suites import ExpectationSuites

_MOST_ROWS = 200_000
_SHORT = 0.5
# Longer gaps are normal between runs of a study or shifts of a day.
_GAP_HOURS = 6


# Takes a few words about what is done next.
Step = Callable[[str], None]


def check(
    lake: OpenLake,
    suites: ExpectationSuites | None = None,
    most_rows: int = _MOST_ROWS,
    step: Step = lambda words: None,
) -> Violations:
    """Rows of quality_result for the whole lake, by table, rule and place; checked by Great Expectations with `suites`, or as an
    ingest does without. Reads slices of at most `most_rows` rows per table (more only if a single interval has more)."""
    schema = plain_schema(QUALITY_RESULT)
    found = Violations()
    for rows in _judged(_slices(lake, most_rows, step), suites, step):
        found.add_rows(rows)
    step("comparing pages")
    for question in _questions(lake):
        for batch in lake.sql(question).reader():
            found.add(batch.select(schema.names).cast(schema))
    return found


def _slices(lake: OpenLake, most_rows: int, step: Step) -> Iterator[Slice]:
    for report in reports().values():
        if any(lake.rows(t.name) for t in report.tables):
            step(f"reading {report.name}")
            yield from slices_of(lake, report, {t.name: columns_judged(t) for t in report.tables}, most_rows)


def _judged(slices: Iterable[Slice], suites: ExpectationSuites | None, step: Step) -> Iterator[pl.DataFrame]:
    """The violations in the slices. Great Expectations is slow per expectation, even for few values: it first checks the
    extreme values of all slices, and all rows only of slices where one of these is wrong."""
    if suites is None:
        for slice_ in slices:
            yield from find_violations(slice_.read(), broken_rows)
        return
    looked_at = []
    for slice_ in slices:
        yield from find_violations(slice_.read(), partial(suites.look, len(looked_at)), with_plain=True)
        looked_at.append(slice_)
    step("checking values")
    suspects = [looked_at[place] for place in suites.suspects()]
    del looked_at
    # A slice keeps what its report has read: each goes once it is judged.
    while suspects:
        yield from find_violations(suspects.pop(0).read(), suites.judge, with_plain=True)
    yield from suites.rest()


# --- Across the lake -------------------------------------------------------------------------------------------------

# Not printed values: provenance, options, the form, and the scope gathered from the pages around.
_COMPARED_NOT = {c.name for c in PROVENANCE} | {
    *("scope", "utc_offset_minutes", "release", "report_version", "source_form")
}


def _questions(lake: OpenLake) -> Iterator[str]:
    for report in reports().values():
        filled = [t for t in report.tables if lake.rows(t.name)]
        # Most tables have no duplicate key: then their other columns need not be read.
        twice = [t for t in filled if t.key and lake.sql(_a_key_twice(t)).fetchall()]
        yield from map(_printed_twice, twice)
        yield from (_beyond_rounding(t) for t in twice if t.formulas)
        rows_of_intervals = [t for t in filled if {"interval_start", "report_kind"} <= {c.name for c in t.columns}]
        if rows_of_intervals:
            yield _intervals(rows_of_intervals[0])
        of_systems = [t for t in rows_of_intervals if {"sysplex", "system"} <= set(t.key)]
        if of_systems:
            yield _systems(of_systems[0])
        if rows_of_intervals and report.name.startswith("rmf_"):
            yield _edges(report.name, rows_of_intervals[0])
    yield "FROM reports_disagree"


def _result(table: Table, rule: str, severity: str, column: str, what: str) -> str:
    """The columns that describe a broken rule; `what` is an SQL expression."""
    texts = {"rule": f"{table.name}.{rule}", "table": table.name, "column": column, "severity": severity}
    said = "".join(f"'{text}' AS \"{name}\", " for name, text in texts.items())
    return f"{said}{what} AS what, CAST(NULL AS VARCHAR) AS basis"


_NO_NUMBERS = "CAST(NULL AS DOUBLE) AS found, CAST(NULL AS DOUBLE) AS expected, CAST(NULL AS DOUBLE) AS tolerance"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


_OF_PAGES = ("sysplex", "report_kind", "interval_start", "interval_end", "policy_activated_at")


def _facts(table: Table) -> str:
    """The rows of a table with one scope per interval: pages of one interval may print different scopes."""
    if not {*_OF_PAGES, "scope"} <= set(table.key):
        return table.name
    same = " AND ".join(f"read_as.{name} IS NOT DISTINCT FROM printed.{name}" for name in _OF_PAGES)
    return f"""(
        SELECT printed.* REPLACE (coalesce(read_as.scope, printed.scope) AS scope)
        FROM {table.name} AS printed
        LEFT JOIN interval_scope AS read_as ON {same} AND read_as.printed_scope IS NOT DISTINCT FROM printed.scope
    )"""


def _a_key_twice(table: Table) -> str:
    """Whether any key occurs more than once. Keys are compared by hash: those of a large lake would not fit into memory."""
    return f"SELECT 1 FROM (SELECT hash({_names(table.key)}) AS fact FROM {_facts(table)}) GROUP BY fact HAVING count(*) > 1 LIMIT 1"


def _printed_twice(table: Table) -> str:
    """Pages that print the same fact with different values. Print and XML differ only in what both have."""
    values = [c.name for c in table.all_columns if c.name not in _COMPARED_NOT | set(table.key)]
    what = "'rows with the same key have the same values wherever they are printed'"
    form, differs, of_one_hour = "", "min(value) <> max(value)", "TRUE"
    offset = "utc_offset_minutes"
    if any(c.name == offset for c in table.all_columns):
        # Where the clock was set back, and both offsets are known, two hours have one local time.
        form = f"{offset}, "
        of_one_hour = f"count({offset}) < count(*) OR count(DISTINCT hash(value, {offset})) > count(DISTINCT {offset})"
    if any(c.name == "source_form" for c in table.columns):
        in_both = ", ".join(_in_both_forms(table, name) for name in values if name not in table.only_in_print)
        form += f"coalesce(source_form, 'print') AS form, hash({in_both or 'NULL'}) AS in_both, "
        of_form = "coalesce(min(value) FILTER (form = '{0}') <> max(value) FILTER (form = '{0}'), FALSE)"
        both = "min(in_both) FILTER (form <> 'smf') <> max(in_both) FILTER (form <> 'smf')"
        differs = (
            f"({' OR '.join(of_form.format(name) for name in ('print', 'xml', 'smf'))} OR coalesce({both}, FALSE))"
        )
    return f"""
        WITH printed AS NOT MATERIALIZED (
            SELECT hash({_names(table.key)}) AS fact, hash({_names(values)}) AS value, {form}source_id, source_file, page, line
            FROM {_facts(table)}
        ),
        unlike AS (SELECT fact FROM printed GROUP BY fact HAVING count(*) > 1 AND {differs}),
        differing AS (SELECT fact FROM printed SEMI JOIN unlike USING (fact) GROUP BY fact HAVING {of_one_hour})
        SELECT
            {_result(table, "printed_once", "error", table.key[-1], what)},
            {_NO_NUMBERS}, count(*) AS rows, source_id, source_file, page, min(line) AS line
        FROM printed SEMI JOIN differing USING (fact)
        GROUP BY source_id, source_file, page
    """


def _beyond_rounding(table: Table) -> str:
    """Pages with numbers that SMF records of the same have otherwise, by more than what is not printed: half a unit of the last digit that the
    page has, or a unit of times, which are cut. Records have seven digits."""
    key = " AND ".join(f'record."{name}" IS NOT DISTINCT FROM printed."{name}"' for name in table.key)
    differs = []
    for name in table.formulas:
        column = table.column(name)
        if name in table.key or (
            not pa.types.is_floating(column.type.arrow) and not pa.types.is_integer(column.type.arrow)
        ):
            continue
        shown = f"regexp_extract(CAST(printed.\"{name}\" AS VARCHAR), '[.]([0-9]*[1-9])', 1)"
        unit = f"pow(10, -greatest(length({shown}), {column.decimals if (column.decimals or 0) > 1 else 0}))"
        if column.resolution:
            unit = f'coalesce(printed."{name}_resolution", {unit})'
        most = f'{1 if column.type.reader == "clock" else 0.5} * {unit} * 1.001 + 1e-6 * abs(record."{name}")'
        differs.append(f'CASE WHEN abs(record."{name}" - printed."{name}") > {most} THEN \'{name}\' END')
    what = "'SMF records of the same say it, but for digits that are not printed'"
    result = _result(table, "forms_agree", "warn", "", what).replace("'' AS \"column\"", 'min(of_row[1]) AS "column"')
    return f"""
        SELECT {result}, {_NO_NUMBERS}, count(*) AS rows, source_id, source_file, page, min(line) AS line
        FROM (
            SELECT printed.*, list_filter([{", ".join(differs)}], lambda name: name IS NOT NULL) AS of_row
            FROM {table.name} AS printed
            -- Where the clock was set back two hours have one local time.
            JOIN (
                FROM {table.name} WHERE source_form = 'smf'
                WINDOW of_key AS (PARTITION BY {_names(table.key)})
                QUALIFY min(utc_offset_minutes) OVER of_key IS NOT DISTINCT FROM max(utc_offset_minutes) OVER of_key
            ) AS record ON {key}
            WHERE printed.source_form IS DISTINCT FROM 'smf'
        )
        WHERE len(of_row) > 0
        GROUP BY source_id, source_file, page
    """


def _in_both_forms(table: Table, name: str) -> str:
    """A value that print and XML have: print leaves out what is zero where XML says so (all data of a class, a type of processor)."""
    arrow = table.schema.field(name).type
    if pa.types.is_boolean(arrow):
        return f'coalesce("{name}", FALSE)'
    return f'coalesce("{name}", 0)' if pa.types.is_floating(arrow) or pa.types.is_integer(arrow) else f'"{name}"'


_PLACE = "min({'source_id': source_id, 'source_file': source_file, 'page': page, 'line': line}) AS place"
_PLACED = "rows, place.source_id AS source_id, place.source_file AS source_file, place.page AS page, place.line AS line"


def _intervals(table: Table) -> str:
    """Intervals of a system (of a sysplex: of its systems) that leave a gap, overlap, or are short. They start and end a
    little off the clock; two runs of the Postprocessor with other lengths overlap."""
    # Rule, what was found and expected, when it is broken, and the rule in words.
    rules = (
        (
            "no_gap",
            "gap_s",
            "0",
            f"gap_s BETWEEN 2 + length_s * 0.01 AND {_GAP_HOURS * 3600}",
            "a gap is at most 2 s and 1%",
        ),
        ("no_overlap", "-gap_s", "0", "gap_s < -1", "an interval begins where the previous one ends"),
        (
            "no_short_interval",
            "length_s",
            f"usual_s * {_SHORT}",
            f"length_s < usual_s * {_SHORT}",
            f"an interval has at least {_SHORT:g} of the usual length",
        ),
    )
    asked = " UNION ALL ".join(
        f"""
        SELECT
            {_result(table, name, "warn", "interval_start", f"'{what}'")},
            {found} AS found, {expected} AS expected, CAST(NULL AS DOUBLE) AS tolerance, {_PLACED}
        FROM judged WHERE {broken}"""
        for name, found, expected, broken, what in rules
    )
    return f"""
        WITH intervals AS (
            SELECT sysplex, coalesce(system, scope) AS owner, interval_start, interval_end, count(*) AS rows, {_PLACE}
            FROM {table.name}
            WHERE report_kind = 'interval' AND interval_start IS NOT NULL AND interval_end IS NOT NULL
            GROUP BY ALL
        ),
        following AS (
            SELECT
                *,
                epoch(interval_end - interval_start) AS length_s,
                max(interval_end) OVER (
                    PARTITION BY sysplex, owner ORDER BY interval_start, interval_end
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) AS before_end
            FROM intervals
        ),
        judged AS (
            SELECT
                *,
                epoch(interval_start - before_end) AS gap_s,
                median(length_s) OVER (PARTITION BY sysplex, owner) AS usual_s
            FROM following
        )
        {asked}
    """


def _edges(report: str, table: Table) -> str:
    """Systems whose first interval of a day is later, or whose last is earlier, than those of the others or of their other reports
    (report_coverage)."""
    return " UNION ALL ".join(
        f"""
        SELECT
            {_result(table, rule, "warn", "interval_start", f"'{what}; missing: ' || concat_ws(' ', system, {times})")},
            {found} AS found, 0.0 AS expected, CAST(NULL AS DOUBLE) AS tolerance, 1 AS rows, refs[1].source_id AS source_id,
            file.source_file, refs[1].page AS page, refs[1].line AS line
        FROM report_coverage
        JOIN ingest_file AS file ON file.source_id = refs[1].source_id
        WHERE {found} > 0 AND lower(replace(report, ' ', '_')) = '{report}'"""
        for rule, found, what, times in (
            (
                "no_late_start",
                "missing_before_s",
                "the first interval of a day is where others begin",
                _span("first_start - to_milliseconds(CAST(1000 * missing_before_s AS BIGINT))", "first_start"),
            ),
            (
                "no_early_end",
                "missing_after_s",
                "the last interval of a day is where others end",
                _span("last_end", "last_end + to_milliseconds(CAST(1000 * missing_after_s AS BIGINT))"),
            ),
        )
    )


def _span(start: str, end: str) -> str:
    """Two times in words; ends are printed to the millisecond."""
    near = "INTERVAL 500 MILLISECOND"
    return f"strftime({start} + {near}, '%Y-%m-%d %H:%M'), 'to', strftime({end} + {near}, '%H:%M')"


def _systems(table: Table) -> str:
    """Intervals without a system that earlier and later intervals of the sysplex have."""
    what = "'every system of the sysplex is in every interval; missing: ' || systems"
    not_total = "is_total IS NOT TRUE AND" if "is_total" in {c.name for c in table.columns} else ""
    return f"""
        WITH printed AS (
            SELECT sysplex, report_kind, interval_start, system, {_PLACE}
            FROM {table.name}
            WHERE {not_total} system IS NOT NULL AND sysplex IS NOT NULL AND interval_start IS NOT NULL
            GROUP BY ALL
        ),
        seen AS (
            SELECT sysplex, report_kind, system, min(interval_start) AS first, max(interval_start) AS last
            FROM printed GROUP BY ALL
        ),
        intervals AS (
            SELECT sysplex, report_kind, interval_start, min(place) AS place FROM printed GROUP BY ALL
        ),
        lacking AS (
            SELECT intervals.*, seen.system
            FROM intervals
            JOIN seen ON seen.sysplex = intervals.sysplex AND seen.report_kind IS NOT DISTINCT FROM intervals.report_kind
                AND intervals.interval_start BETWEEN seen.first AND seen.last
            ANTI JOIN printed ON printed.sysplex = intervals.sysplex
                AND printed.report_kind IS NOT DISTINCT FROM intervals.report_kind
                AND printed.interval_start = intervals.interval_start AND printed.system = seen.system
        ),
        told AS (
            SELECT interval_start, place, count(*) AS rows, string_agg(system, ', ' ORDER BY system) AS systems
            FROM lacking GROUP BY ALL
        )
        SELECT
            {_result(table, "every_system", "warn", "system", what)}, {_NO_NUMBERS}, {_PLACED}
        FROM told
    """
