"""Relations that view files name beside tables and views, written out in their SELECT:

- `counted('table')`: the rows of a table without those of XML beside print, which do not count; behind FROM alone.
- `scoped(relation)`: rows of workload pages with the scope that interval_scope reads them as.
- `once('table')`: what the view `once_<table>` answers, where the table must stand beside others that tell of its rows.
- `differing('table')`: the keys of which prints differ, print and XML alike, with `differing_columns`, how many `copies`
  there are, and `refs`. Where there are both forms, what XML has not is compared among prints alone, and a zero of XML
  may be missing in print, which leaves it out.
- `finding_rules()`: the rules of findings; `measured_by_rules()`: what they measure of each interval.
- `site_price()`, `site_map()`: the price of an MSU and the map of names that the site has (charges.py).
- `hourly('relation', 'key', 'kept')`: the intervals of which the hours of a key are made, with their hour_start: not
  those of duration reports, nor those that overlap an earlier one. Of a conflicting interval only the key and what is
  `kept` are known; where nothing is said of that, all columns are as they are.
- `sums_by('column', 'names')`: the sum of the quantities of each name that a column has, NULL if one is unknown.
- `holds('rule', value, size)`: whether a rule holds for a value that has this size.
"""

from __future__ import annotations

import re
from functools import cache

from ..declaration.charges import map_as_sql, price_as_sql
from ..declaration.finding_rules import measured_as_sql, rules, rules_as_sql
from ..declaration.once import Once
from ..declaration.report import Table, reports
from .known_tables import tables
from .once_views import HEADING, fact_of, is_of_workload, select_once

_RELATION = re.compile(
    r"\bcounted\('(?P<counted>\w+)'\)(?: AS (?P<rows>\w+))?"
    r"|\bscoped\((?P<scoped>(?:[^()]|\([^()]*\))+)\)|\bdiffering\('(?P<differing>\w+)'\)|\bonce\('(?P<once>\w+)'\)"
    r"|\b(?P<rules>finding_rules|measured_by_rules)\(\)|\bsite_(?P<site>price|map)\(\)"
    r"|\bhourly\('(?P<hourly>[^']*)', '(?P<key>[^']*)'(?:, '(?P<kept>[^']*)')?\)"
    r"|\bsums_by\(\s*'(?P<by>\w+)',\s+'(?P<names>[^']*)'\s*\)"
    r"|\bholds\('(?P<rule>\w+)', (?P<value>[^(),]+), (?P<size>[^(),]+)\)"
)


def relations_written_out(sql: str) -> str:
    """SQL with the relations as plain SQL.

    >>> relations_written_out("FROM counted('rmf_work_unit') AS w")
    "FROM rmf_work_unit AS w ANTI JOIN print_and_xml AS left_out ON is_left_out(left_out, w, 'rmf_cpu_activity')"
    """

    def text_of(call: re.Match[str]) -> str:
        if table := call["counted"]:
            rows = call["rows"] or "printed"
            return f"{table} AS {rows} ANTI JOIN print_and_xml AS left_out ON {_left_out(table).format(rows)}"
        if table := call["differing"]:
            return relations_written_out(f"({_differing(tables()[table])})")
        if table := call["once"]:
            return relations_written_out(f"({select_once(tables()[table], tables()[table].once or Once())})")
        if call["hourly"]:
            return relations_written_out(_hourly(call["hourly"], call["key"], call["kept"]))
        if by := call["by"]:
            return ", ".join(
                f"sum_all(quantity, {by} = '{name}') AS {name}" for name in re.findall(r"\w+", call["names"])
            )
        if call["site"]:
            return price_as_sql() if call["site"] == "price" else map_as_sql()
        if call["rule"]:
            return rules()[call["rule"]].holds(call["value"], call["size"])
        if call["rules"]:
            return (
                rules_as_sql() if call["rules"] == "finding_rules" else f"({relations_written_out(measured_as_sql())})"
            )
        rows = relations_written_out(f"{call['scoped']} AS printed")
        return (
            "(SELECT printed.* REPLACE (coalesce(wider.scope, printed.scope) AS scope)"
            f" FROM {rows} LEFT JOIN interval_scope AS wider ON is_scope_of(wider, printed))"
        )

    return _RELATION.sub(text_of, sql)


def _differing(table: Table) -> str:
    key, fact = ", ".join(table.key), fact_of(table, list(table.key))
    rows = f"scoped({table.name})" if is_of_workload(table) else table.name
    # No page has the digits of SMF records.
    form = "source_form IS NOT DISTINCT FROM 'smf'" if "source_form" in table.schema.names else "FALSE"
    columns = ", ".join(
        f"struct_pack(name := '{c}', least := CAST(min({c}) AS VARCHAR), most := CAST(max({c}) AS VARCHAR),"
        f" known := count({c}), in_print := {c in table.only_in_print})"
        for c in sorted({*table.schema.names} - {*table.key, *HEADING})
    )
    return f"""
    SELECT
        {key}, copies, refs,
        list_transform(list_filter(columns, lambda c: c.least IS DISTINCT FROM c.most OR CASE
            WHEN c.in_print THEN c.known NOT IN (0, copies - of_xml, copies)
            ELSE c.known NOT IN (0, copies) AND (of_xml IN (0, copies) OR c.most NOT IN ('0', '0.0', 'false'))
        END), lambda c: c.name) AS differing_columns
    FROM (
        SELECT
            {key}, {form} AS is_smf, count(*) AS copies, count(*) FILTER (source_form = 'xml') AS of_xml,
            all_refs(source_id, page, line) AS refs, [{columns}] AS columns
        FROM {rows} AS printed
        SEMI JOIN (SELECT {fact} AS fact FROM {table.name} AS printed GROUP BY fact HAVING count(*) > 1) AS repeated
            ON fact = {fact}
        GROUP BY {key}, is_smf
    )
    WHERE len(differing_columns) > 0
    """


def _hourly(relation: str, key: str, kept: str | None) -> str:
    known = ", ".join(filter(None, [key, kept, "interval_start, interval_end, interval_s, refs"]))
    unknown = f"CASE WHEN NOT is_conflicting THEN COLUMNS(* EXCLUDE ({known}, report_kind, is_conflicting)) END"
    return (
        f"(SELECT {'*' if kept is None else f'{known}, {unknown}'}, hour_of(interval_start, interval_end) AS hour_start"
        f" FROM {relation} WHERE report_kind = 'interval' AND interval_start IS NOT NULL AND interval_s > 0"
        f" QUALIFY NOT is_printed_again(row({key}), interval_start, interval_end))"
    )


@cache
def _left_out(name: str) -> str:
    """The condition under which a row of print_and_xml leaves out one of a table, with {} for the alias of the table."""
    columns = tables()[name].schema.names
    report = next(report.name for report in reports().values() if any(table.name == name for table in report.tables))
    if "class_kind" in columns:
        return f"is_class_left_out(left_out, {{}}, '{report}')"
    if "policy_activated_at" in columns:
        return "is_policy_left_out(left_out, {})"
    return f"is_left_out(left_out, {{}}, '{report}')"
