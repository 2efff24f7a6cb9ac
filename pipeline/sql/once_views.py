"""What counts once: a view `once_<table>` of each table that views take printed facts from, made from the table's declared key.

Equal keys name the same fact, however often it was printed: one row a key, of the first print by source_id and line,
with all prints in `refs`. Rows of XML beside print of the same are left out (print_and_xml); rows of workload pages have
the scope that interval_scope reads them as. Almost all keys are printed once: only the rows of the others, told by a hash
of the key, are sorted.
"""

from __future__ import annotations

from ..declaration.once import Once
from ..declaration.report import PROVENANCE, Table
from .known_tables import tables
from .schema import columns_of, plain_schema

# Not compared: where and how a row was read, and by which release it was printed.
HEADING = (
    *(column.name for column in PROVENANCE),
    *("source_form", "utc_offset_minutes", "release", "report_version", "sysplex", "scope"),
)
# Most views ask which XML does not count, some several times. The answer nearly always has no row; DuckDB knows
# that of a table before it looks at the rows of the views.
ASKED_OFTEN = ("print_and_xml",)
_TIMES = ("interval_start", "collected_at", "begin_at")


def once_views() -> dict[str, str]:
    """The texts of the views, by name."""
    return {f"once_{name}": once_view(table, table.once) for name, table in tables().items() if table.once}


def once_view(table: Table, once: Once) -> str:
    """The text of the view of a table: header and SELECT."""
    key = _key(table, once)
    differing = "What they differ in is NULL." if once.or_null else "What they differ in is as first printed."
    header = [
        f"Grain: {table.grain}, however often it was printed.",
        f"All columns of {table.name}. Rows of XML beside print are left out.",
        f"Key: {', '.join(key)}.",
        f"Compared: {', '.join(once.compared.split()) or 'all that is printed'}. {differing}",
        *(f"Shards: by {name} (overlapping intervals only)." for name in _TIMES if name in key),
    ]
    return "".join(f"-- {line}\n" for line in header) + f"{select_once(table, once)};\n"


def once_columns(table: Table) -> str:
    """The columns of the view, for a statement: where nothing is printed there is nothing to plan."""
    refs = "STRUCT(source_id VARCHAR, page BIGINT, line BIGINT)[]"
    return f'{columns_of(plain_schema(table))}, "is_conflicting" BOOLEAN, "refs" {refs}'


def select_once(table: Table, once: Once) -> str:
    """The SELECT of the view."""
    name_of = {name: f"printed.{name}" for name in table.schema.names}
    rows = f"counted('{table.name}')" if "source_form" in name_of else f"{table.name} AS printed"
    where = f" WHERE {once.where}" if once.where else ""
    key, fact = _key(table, once), fact_of(table, _key(table, once))
    repeated = f"SELECT {fact} AS fact FROM {rows}{where} GROUP BY fact HAVING count(*) > 1"
    compared = once.compared.split() or [name for name in name_of if name not in {*key, *HEADING}]
    values = f"hash({', '.join(name_of[name] for name in compared)})"
    instead = {}
    if is_of_workload(table):
        rows += " LEFT JOIN interval_scope AS wider ON is_scope_of(wider, printed)"
        name_of["scope"] = instead["scope"] = "coalesce(wider.scope, printed.scope)"
    settled = {}
    if once.or_null:
        # Prints of other lengths agree in nothing, where lengths are compared.
        length = "interval_s, " if "interval_s" in compared else ""
        agreed = f"CASE WHEN min(hash({length}{{0}})) OVER copies = max(hash({length}{{0}})) OVER copies THEN {{0}} END"
        settled |= {name: agreed.format(name_of[name]) for name in compared}
    known = "CASE WHEN min({0}) OVER copies = max({0}) OVER copies THEN min({0}) OVER copies END"
    settled |= {name: known.format(name_of[name]) for name in once.known.split()}
    settled |= {name: f"max({name_of[name]}) OVER copies" for name in once.most.split()}
    return f"""\
WITH repeated AS MATERIALIZED ({repeated})
SELECT {_star(instead)}, FALSE AS is_conflicting, [ref(source_id, page, line)] AS refs
FROM {rows}
ANTI JOIN repeated ON fact = {fact}{where}
UNION ALL
SELECT
    {_star(instead | settled)},
    min({values}) OVER copies <> max({values}) OVER copies AS is_conflicting,
    list(ref(source_id, page, line)) OVER copies AS refs
FROM {rows}
SEMI JOIN repeated ON fact = {fact}{where}
WINDOW copies AS (
    PARTITION BY {", ".join(name_of[name] for name in key)}
    ORDER BY source_id, line
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
)
QUALIFY row_number() OVER copies = 1"""


def fact_of(table: Table, key: list[str]) -> str:
    """The hash that keys are told by; those that share one by chance, or differ in scope alone, are told apart later."""
    return f"hash({', '.join(f'printed.{name}' for name in key if name != 'scope' or not is_of_workload(table))})"


def is_of_workload(table: Table) -> bool:
    """Whether its rows have a scope that interval_scope may read as a wider one."""
    return {"scope", "policy_activated_at"} <= set(table.key)


def _key(table: Table, once: Once) -> list[str]:
    return [name for name in table.key if name not in once.less.split()] + once.more.split()


def _star(instead: dict[str, str]) -> str:
    values = ", ".join(f"{value} AS {name}" for name, value in instead.items())
    return f"printed.* REPLACE ({values})" if values else "printed.*"
