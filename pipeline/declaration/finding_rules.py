"""The rules of findings: what is compared with which limit. The view `finding` judges printed intervals by them, the page of a lake the hours of
its last day. A study sets another limit by `limits: {rule: number}`, and by `limits: {rule: {limit: number, lock: number, list: number, cache:
number, least_size: number}}` those by kind and the least size.

The rules themselves: parsers/_finding_rules.py.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from itertools import groupby
from math import isfinite

from ..errors import UsageError
from ..plugins import line_with, own
from .report import reports

# What a study may set of a rule, and the column that it is in.
RULE_KEYS = {
    "limit": "limit_value",
    "lock": "lock_limit_value",
    "list": "list_limit_value",
    "cache": "cache_limit_value",
    "least_size": "least_size",
}


@dataclass(frozen=True)
class Measured:
    """What a rule compares, in SQL: a value of `rows` (a table, view or relation, perhaps with WHERE), what it is of, and the size of its base. `least`:
    the least value that the printed digits allow. `kind`: lock, list or cache, where the limit goes by that."""

    rows: str
    value: str
    subject: str
    size: str = ""
    least: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Hours:
    """The same of the hours of a view; `where` tells those that the rule is about."""

    view: str
    value: str
    size: str = ""
    where: str = "TRUE"


@dataclass(frozen=True)
class Rule:
    """A finding is a value `comparison` the limit, of a size that is not known to be less than the least."""

    name: str
    title: str
    comparison: str
    limit: float
    unit: str
    source: str
    least_size: float | None = None
    size_unit: str | None = None
    by_kind: Mapping[str, float] = field(default_factory=dict)
    measured: tuple[Measured, ...] = ()
    hours: Hours | None = None

    @property
    def may_set(self) -> tuple[str, ...]:
        """What a study may set of it."""
        size = ("least_size",) if self.least_size is not None else ()
        return ("limit", *self.by_kind, *size)

    @property
    def holds_of_hours(self) -> str:
        """Whether an hour of its view is one to tell of, in SQL. Of a rule that has hours."""
        assert self.hours
        return f"{self.hours.where} AND {self.holds(self.hours.value, self.hours.size)}"

    def holds(self, value: str, size: str) -> str:
        """The same of a value and its size, which may be unknown."""
        least = "NULL" if self.least_size is None else self.least_size
        return f"coalesce(is_beyond({value}, '{self.comparison}', {self.limit}, {size or 'NULL'}, {least}), FALSE)"


@cache
def rules() -> dict[str, Rule]:
    """The rules by name, with the user's own limits: `limits.toml` of a folder of plugins, spelt as in a study. Raises UsageError for what is none."""
    found: dict[str, Rule] = {rule.name: rule for rule in import_module("ironlake.parsers._finding_rules").RULES}
    for path in own("limits.toml"):
        try:
            said = tomllib.loads(path.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeError) as error:
            raise UsageError(f"{path}: {error}", "lines NAME = NUMBER, as cf_changed_pct = 15") from None
        for name, limit in said.items():
            values = limit if isinstance(limit, dict) else {"limit": limit}
            rule = found.get(name)
            if not rule or not values.keys() <= {*rule.may_set} or not all(map(_is_number, values.values())):
                keys = f"NAME = NUMBER, or of {name} {', '.join(rule.may_set)}" if rule else "NAME = NUMBER"
                hint = 'ironlake sql "FROM finding_rule" lists the names'
                raise UsageError(f"{line_with(path, name)}: {name} = {limit!r} sets no limit", keys, hint)
            limits = {"limit": values.pop("limit", rule.limit), "least_size": values.pop("least_size", rule.least_size)}
            found[name] = replace(rule, **limits, by_kind={**rule.by_kind, **values}, source=f"{path.name} of the site")
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def rules_as_sql() -> str:
    """The rules as rows, in SQL."""
    kinds = list(RULE_KEYS)[1:4]
    values = (
        (
            r.name,
            r.title,
            r.comparison,
            r.limit,
            *map(r.by_kind.get, kinds),
            r.unit,
            r.least_size,
            r.size_unit,
            r.source,
        )
        for r in rules().values()
    )
    rows = (f"\n({', '.join(map(literal, of_rule))})" for of_rule in values)
    columns = (*list(RULE_KEYS.values())[:4], "unit", "least_size", "size_unit", "rule_source")
    return f"(VALUES {', '.join(rows)}) AS listed (rule, title, comparison, {', '.join(columns)})"


def literal(value: object) -> str:
    """A number, text or None in SQL."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"


def measured_as_sql() -> str:
    """What the rules measure of each interval, in SQL; each relation is read once for all that is measured of it."""
    return " UNION ALL BY NAME ".join(_of_rows(rows, list(found)) for rows, found in _by_rows())


def _by_rows() -> Iterator[tuple[str, Iterator[tuple[Rule, Measured]]]]:
    every = [(rule, one) for rule in rules().values() for one in rule.measured]
    return groupby(sorted(every, key=lambda pair: pair[1].rows), key=lambda pair: pair[1].rows)


def _of_rows(rows: str, found: list[tuple[Rule, Measured]]) -> str:
    columns = {
        "rule": [f"'{rule.name}'" for rule, _ in found],
        "value": [f"CAST({one.value} AS DOUBLE)" for _, one in found],
        "subject": [one.subject for _, one in found],
        "size": [f"CAST({one.size or 'NULL'} AS DOUBLE)" for _, one in found],
        "least_value": [f"CAST({one.least or 'NULL'} AS DOUBLE)" for _, one in found],
        "structure_kind": [f"CAST({one.kind or 'NULL'} AS VARCHAR)" for _, one in found],
    }
    values = ", ".join(
        f"{of[0]} AS {name}" if len(found) == 1 else f"unnest([{', '.join(of)}]) AS {name}"
        for name, of in columns.items()
    )
    names = ["sysplex", "system", "report_kind", "interval_start", "interval_end"]
    # A table has the place of each row in columns of its own, and a scope beside the system where it counts of neither.
    is_table = any(rows.split()[0] == table.name for report in reports().values() for table in report.tables)
    names, refs = (names, ", [ref(source_id, page, line)] AS refs") if is_table else ([*names, "scope", "refs"], "")
    return f"SELECT {values}, COLUMNS(lambda c: list_contains({names}, c)){refs} FROM {rows}"
