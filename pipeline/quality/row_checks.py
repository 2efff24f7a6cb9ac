"""Checks of rows: two numbers agree within the printed digits, or a value is valid for its column.

A check is made from a rule, as expressions. Ingest and Great Expectations evaluate the same checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from operator import add, mul

import polars as pl

from ..declaration.report import Table
from ..declaration.rules import AtMost, Filled, OfColumn, OneOf, Range, Ratio, Rule, Span, Sum, Total, Where

# Sums of numbers that are printed alike may differ in their last binary digits.
_BINARY = 1e-9
_OWN_TIMES = "the times that the same heading prints"


@cache
def rules(table: Table) -> tuple[Rule, ...]:
    """The rules of a table: those derived from its columns, then the declared ones."""
    return (*_of_columns(table), *table.rules)


def _of_columns(table: Table) -> Iterator[Rule]:
    for column in table.all_columns:
        low, high = column.range
        if (low, high) != (None, None):
            beyond = column.type.beyond
            yield Range(name=f"{column.name}_range", column=column.name, low=low, high=high, severity=beyond)
        if column.type.most is not None:
            yield Range(name=f"{column.name}_possible", column=column.name, low=low, high=column.type.most)
        if column.allowed and column.type.name == "text":
            yield OneOf(name=f"{column.name}_allowed", column=column.name, allowed=column.allowed)
        if column.between:
            start, end = column.between
            yield Span(
                name=f"{column.name}_agrees", length=column.name, start=start, end=end, within=1, source=_OWN_TIMES
            )
        if column.not_after:
            yield Span(
                name=f"{column.name}_in_time",
                start=column.name,
                end=column.not_after,
                severity="warn",
                source=_OWN_TIMES,
            )
        if not column.nullable or column.filled:
            severity = "warn" if column.filled else "error"
            on_pages = bool(table.formulas) and column.name not in table.formulas
            yield Filled(name=f"{column.name}_filled", column=column.name, severity=severity, on_pages=on_pages)


@dataclass(frozen=True)
class Check:
    """A check of a row or a group of rows: `found` and `expected` differ by at most `tolerance` (with `one_sided`: found exceeds
    expected by at most that), in rows where `where` holds. A rule about one column is broken where `where` holds."""

    rule: Rule
    column: str
    found: pl.Expr
    expected: pl.Expr
    tolerance: pl.Expr
    where: pl.Expr | None = None
    one_sided: bool = False

    @cached_property
    def off(self) -> pl.Expr:
        off = self.found - self.expected
        return off if self.one_sided else off.abs()

    @cached_property
    def broken(self) -> pl.Expr:
        if self.where is None:
            return self.off > self.tolerance
        return self.where if isinstance(self.rule, OfColumn) else (self.off > self.tolerance) & self.where

    @property
    def excess(self) -> pl.Expr:
        """By how much it is broken: above 0 if it is, NULL if it is not checked."""
        excess = self.off - self.tolerance
        return excess if self.where is None else pl.when(self.where).then(excess)

    def violations(self, table: Table, broken: pl.DataFrame) -> pl.DataFrame:
        """The columns of quality_result for `broken`, the rows that break the check."""
        values = zip(("found", "expected", "tolerance"), (self.found, self.expected, self.tolerance), strict=True)
        said = {"table": table.name, "rule": f"{table.name}.{self.rule.name}", "column": self.column}
        said |= {"severity": self.rule.severity, "what": self.rule.says(self.column), "basis": self.rule.source}
        return broken.select(
            *(value.cast(pl.Float64).alias(name) for name, value in values),
            *(pl.lit(text).alias(name) for name, text in said.items()),
            pl.col("source_id", "source_file").cast(pl.String),
            pl.col("page", "line"),
        )


def agree(
    rule: Rule,
    column: str,
    expected: pl.Expr,
    slack: pl.Expr,
    where: pl.Expr | None = None,
    found: pl.Expr | None = None,
    at_most: bool = False,
) -> Check:
    """The check that a column (or `found`) equals `expected`, or with `at_most` is not above it, within `slack` (uncertainty of
    the cells) and the tolerance of the rule."""
    allowed = slack + rule.within + expected.abs() * (rule.within_share + _BINARY) + _BINARY
    return Check(rule, column, pl.col(column) if found is None else found, expected, allowed, where, at_most)


def total_checks(rule: Total) -> list[Check]:
    """One check per column of a rule, against the columns that `CheckedTable._totals` computes."""
    names = ("found", "expected", "slack", "known")
    made = [[pl.col(f"{name}_{k}") for name in names] for k in range(len(rule.columns))]
    if rule.at_most:
        return [
            agree(rule, column, found, slack, known, expected, at_most=True)
            for column, (found, expected, slack, known) in zip(rule.columns, made, strict=True)
        ]
    return [
        agree(rule, column, expected, slack, known, found)
        for column, (found, expected, slack, known) in zip(rule.columns, made, strict=True)
    ]


@cache
def row_checks(table: Table) -> list[Check]:
    """The checks of single rows of a table."""
    kinds = (Range, OneOf, Filled, Span, Sum, Ratio, AtMost)
    return [_row_check(table, rule) for rule in rules(table) if isinstance(rule, kinds)]


def _row_check(table: Table, rule: Range | OneOf | Filled | Span | Sum | Ratio | AtMost) -> Check:
    none = pl.lit(None, pl.Float64)
    match rule:
        case Range(column=column, low=low, high=high):
            # Expected: the bound that the value exceeds.
            value = pl.col(column)
            below = value < low if low is not None else pl.lit(False)
            above = value > high if high is not None else pl.lit(False)
            bound = pl.when(below).then(pl.lit(low, pl.Float64)).otherwise(pl.lit(high, pl.Float64))
            return Check(rule, column, value, bound, pl.lit(0.0), below | above)
        case OneOf(column=column, allowed=allowed):
            other = ~pl.col(column).cast(pl.String).is_in(list(allowed))
            return Check(rule, column, none, none, none, other)
        case Filled(column=column, on_pages=on_pages):
            form = pl.col("source_form").cast(pl.String).ne_missing("smf") if on_pages else pl.lit(True)
            return Check(rule, column, none, none, none, pl.col(column).is_null() & form)
        case Span(length=length, start=start, end=end):
            elapsed = (pl.col(end) - pl.col(start)).dt.total_microseconds() / 1e6
            known = pl.when(elapsed < 0).then(0.0)
            known = pl.col(length).fill_null(known) if length else known
            return agree(rule, length or start, elapsed, pl.lit(0.0), found=known)
        case Sum(total=total, parts=parts):
            cells = [*parts, *([total] if isinstance(total, str) else [])]
            slack = added_up(cell_off(table, c, rule) for c in cells)
            parted = added_up(pl.col(c) + cell_above(table, c, rule) for c in parts)
            if isinstance(total, str):
                return agree(rule, total, parted - cell_above(table, total, rule), slack)
            return agree(rule, parts[0], pl.lit(total), slack, parted != 0, found=parted)
        case Ratio(found=found, of=of, per=per, times=times, where=where):
            expected = reduce(mul, map(pl.col, of)) * times
            slack = cell_off(table, found, rule)
            for column in of:
                others = reduce(mul, (pl.col(c).abs() for c in of if c != column), pl.lit(times))
                open_ = cell_off(table, column, rule, rule.digit if len(of) > 1 else 0) * others
                slack = slack + (open_ / pl.col(per) if per else open_)
            conditions = [is_where(where)] if where else []
            if per:
                expected = expected / pl.col(per)
                conditions.append(pl.col(per) > 0)
                if per in resolved(table):
                    slack = slack + expected.abs() * cell_off(table, per, rule, 0) / pl.col(per)
            return agree(rule, found, expected, slack, pl.all_horizontal(conditions) if conditions else None)
        case AtMost(parts=parts, most=most, where=where):
            slack = added_up(cell_off(table, c, rule).fill_null(0) for c in (*parts, *most))
            # A missing part (no such processors, another release) counts as 0.
            together = added_up(pl.col(p).fill_null(0) for p in parts)
            limit = added_up(pl.col(c) + cell_above(table, c, rule) for c in most)
            limit = limit - added_up(cell_above(table, c, rule).fill_null(0) for c in parts)
            there = is_where(where) if where else None
            return agree(rule, parts[0], limit, slack, there, together, at_most=True)


def resolved(table: Table) -> set[str]:
    return {c.name for c in table.columns if c.resolution}


def last_digit(table: Table, column: str, digit: float = 0.0) -> pl.Expr:
    """What one unit of the last printed digit of a cell is worth: `digit` where nothing beside it says so, and of counts that are
    printed in full, which are exact."""
    if column not in resolved(table):
        return pl.lit(digit)
    worth = pl.col(f"{column}_resolution")
    return pl.when(worth > 1).then(worth).otherwise(digit) if is_count(table, column) else worth.fill_null(digit)


def is_count(table: Table, column: str) -> bool:
    return table.column(column).type.reader in ("count", "storage")


# Of one unit, by a rule's `digits`: how far the number may be from the middle of what the cell stands for, and how far above the
# cell that is.
OFF = {"": 1.0, "rounded": 0.5, "cut": 0.5}
ABOVE = {"": 0.0, "rounded": 0.0, "cut": 0.5}


def cell_off(table: Table, column: str, rule: Rule, digit: float | None = None) -> pl.Expr:
    return last_digit(table, column, rule.digit if digit is None else digit) * OFF[rule.digits]


def cell_above(table: Table, column: str, rule: Rule) -> pl.Expr:
    return last_digit(table, column, rule.digit) * ABOVE[rule.digits]


def added_up(expressions: Iterable[pl.Expr]) -> pl.Expr:
    return reduce(add, expressions, pl.lit(0))


def is_where(where: Where | None) -> pl.Expr:
    """Bool per row, never NULL: the column has one of the values."""
    assert where is not None
    column, values = where
    return reduce(lambda a, b: a | b, [pl.col(column).eq_missing(pl.lit(value)) for value in values])
