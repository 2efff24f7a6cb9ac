"""The judgement of a batch: which pages break a rule that follows from the declarations or is declared (rules.py).

Rules about one row are expressions, all of a table judged in one pass; rules among rows add up groups. Nothing is done a
row at a time, and what is sound costs no more than that pass: rows are looked for only where a rule is broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from operator import add, mul
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from .bookkeeping import QUALITY_RESULT
from .declaration import Table
from .declaration import tables as declared_tables
from .rules import (
    AtMost,
    Filled,
    Net,
    OneOf,
    Range,
    Ratio,
    Rule,
    Running,
    Same,
    Share,
    Sum,
    Total,
    Where,
    rules_of,
)

_PLACE = ("source_id", "source_file", "page", "line")
_FOUND = ("found", "expected", "tolerance")
# Two numbers that a page prints alike may differ in their last binary digits once they are added up.
_BINARY = 1e-9


@cache
def rules(table: Table) -> tuple[Rule, ...]:
    return tuple(rules_of(table))


def judge(tables: Mapping[str, pa.Table]) -> pa.Table | None:
    """Rows of quality_result for the tables of a batch, by name; None where every page keeps every rule."""
    known = declared_tables()
    judged = {name: _Judged(known[name], data) for name, data in tables.items() if name in known and len(data)}
    found = [finding for one in judged.values() for finding in one.findings(judged)]
    if not found:
        return None
    # One row a page: the first line concerned, and how many.
    page = ["source_id", "source_file", "page", "table", "rule", "column"]
    rows = (
        pl.concat(found)
        .group_by(page, maintain_order=True)
        .agg(pl.len().alias("rows"), pl.all().sort_by("line").first())
    )
    schema = QUALITY_RESULT.schema
    return rows.select(schema.names).to_arrow().cast(schema)


def suspect_pages(results: pa.Table | None, source_ids: Sequence[str]) -> list[int]:
    """How many pages of each source break a rule."""
    if results is None:
        return [0] * len(source_ids)
    pages = _polars(results.select(["source_id", "page"])).unique()
    many = dict(pages.group_by(pl.col("source_id").cast(pl.String)).len().iter_rows())
    return [many.get(source_id, 0) for source_id in source_ids]


def first_errors(results: pa.Table) -> dict[str, dict[str, Any]]:
    """The first error of each source that has one."""
    errors = _polars(results).cast({pl.Categorical: pl.String}).filter(severity="error").sort("page", "line")
    return {row["source_id"]: row for row in errors.unique("source_id", keep="first").iter_rows(named=True)}


def _polars(data: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(data)
    assert isinstance(frame, pl.DataFrame)
    return frame


@dataclass
class _Judged:
    """A table under judgement. Columns are taken over when a rule first asks for them: most of a table is texts that no
    rule looks at."""

    table: Table
    data: pa.Table
    _columns: dict[str, pl.Series] = field(default_factory=dict)
    _groups: dict[tuple[str, ...], pl.Series] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._resolved = _resolved(self.table)

    def frame(self, columns: Iterable[str]) -> pl.DataFrame:
        wanted = list(dict.fromkeys(columns))
        if missing := [c for c in wanted if c not in self._columns]:
            self._columns |= {s.name: s for s in _polars(self.data.select(missing))}
        return pl.DataFrame([self._columns[c] for c in wanted])

    def findings(self, others: Mapping[str, _Judged]) -> Iterator[pl.DataFrame]:
        """Broken rules: where, the rule, what was found, what was expected."""
        for rule in rules(self.table):
            match rule:
                case OneOf() | Filled():
                    yield from self._told(rule, rule.column, self._not_of(rule))
                case Net():
                    yield from self._told(rule, rule.found, self._net(rule))
                case Total():
                    yield from self._totals(rule)
                case Share():
                    yield from self._told(rule, rule.pct, self._share(rule))
                case Running():
                    yield from self._told(rule, rule.found, self._running(rule))
                case Same() if rule.table in others:
                    yield from self._told(rule, rule.of, self._same(rule, others[rule.table]))
        claims = _row_claims(self.table)
        yield from self._broken(
            self.frame([*(c for rule, *_ in claims for c in self._cells(rule.needs)), *_PLACE]), claims
        )

    def _cells(self, columns: Iterable[str]) -> list[str]:
        """Columns, with the resolutions that some have beside them."""
        return [name for c in columns for name in (c, f"{c}_resolution") if name == c or c in self._resolved]

    def _half(self, column: str, digit: float = 0.0) -> pl.Expr:
        return _half(self.table, column, digit)

    def _not_of(self, rule: OneOf | Filled) -> pl.DataFrame | None:
        column = self.data[rule.column]
        if isinstance(rule, Filled):
            wrong = column.is_null() if column.null_count else None
        else:
            words = [pl.Series(c.dictionary) for c in column.chunks]
            if all(w.is_in(list(rule.allowed)).all() for w in words):
                return None
            wrong = pl.Series(column.cast(pa.string())).is_in(list(rule.allowed)).not_().fill_null(False).to_arrow()
        if wrong is None:
            return None
        none = [pl.lit(None, pl.Float64).alias(name) for name in _FOUND]
        return _polars(self.data.select(_PLACE).filter(wrong)).with_columns(none)

    # --- among rows -----------------------------------------------------------------------------------------------------

    def _grouped(self, over: tuple[str, ...], columns: Iterable[str]) -> pl.DataFrame:
        """Columns, places, and `_group`: a number that rows of one source with equal `over` share."""
        if over not in self._groups:
            keys = self.frame(["source_id", *over]).with_columns(pl.col(pl.Categorical).to_physical())
            members = keys.with_row_index("_row").group_by(keys.columns, maintain_order=True).agg("_row")["_row"]
            size, row = members.list.len().to_numpy(), members.explode().to_numpy()
            group = np.empty(len(row), dtype=np.int32)
            group[row] = np.repeat(np.arange(len(size), dtype=np.int32), size)
            self._groups[over] = pl.Series("_group", group)
        return self.frame([*columns, *_PLACE]).with_columns(self._groups[over])

    def _net(self, rule: Net) -> pl.DataFrame:
        frame = self._grouped(rule.over, rule.needs)
        per = pl.col(rule.per)
        none = [pl.col(time).is_null() & (pl.col(share).fill_null(0) == 0) for time, share in rule.minus]
        minus = [pl.when(n).then(0.0).otherwise(pl.col(time)) for n, (time, _) in zip(none, rule.minus, strict=True)]
        judged = pl.any_horizontal(pl.col(time).is_not_null() for time, _ in rule.minus) & (per > 0)
        frame = frame.filter(judged).with_columns(
            _sum(map(pl.col, rule.plus)).alias("_plus"), _sum(minus).alias("_minus")
        )
        factor = ((pl.col("_plus") - pl.col(rule.found) * per / rule.times) / pl.col("_minus")).alias("_factor")
        best = frame.filter(factor.is_not_null() & (pl.col("_minus") > 0)).sort("_minus")
        best = best.select("_group", factor).unique("_group", keep="last")
        frame = frame.join(best, on="_group", how="left", maintain_order="left")
        told = pl.max_horizontal(pl.col("_factor").fill_null(1.0), 1.0)
        expected = (pl.col("_plus") - told * pl.col("_minus")) * rule.times / per
        claim = _agree(rule, pl.col(rule.found), expected, pl.lit(rule.digit * 0.5))
        return frame.filter(claim.broken).select(*_PLACE, *claim.shown())

    def _totals(self, rule: Total) -> Iterator[pl.DataFrame]:
        if not self.frame([rule.total[0]]).select(_is(rule.total).any()).item():
            return
        cells = self._cells(rule.columns)
        frame = self._grouped(rule.over, [*cells, *rule.needs])
        sums = [*(pl.col(c).sum() for c in cells), pl.len().alias("_rows")]
        sums += [pl.col(c).count().alias(f"_known_{c}") for c in rule.columns]
        place = [pl.col(c).first() for c in _PLACE]
        left = frame.filter(_is(rule.total)).group_by("_group", maintain_order=True).agg(*sums, *place)
        alike = [(pl.col(rule.alike).n_unique() == 1).alias("_alike")] if rule.alike else []
        right = frame.filter(_is(rule.rows)).group_by("_group").agg(*sums, *alike)
        both = left.join(right, on="_group", suffix="_of_rows", maintain_order="left")
        claims = []
        for digit, column in [(digit, c) for digit, columns in rule.of.items() for c in columns]:
            expected = pl.col(f"{column}_of_rows")
            known = pl.col(f"_known_{column}") == pl.col("_rows")
            known &= pl.col(f"_known_{column}_of_rows") == pl.col("_rows_of_rows")
            slack = pl.lit(digit * 0.5) * (pl.col("_rows") + pl.col("_rows_of_rows"))
            if rule.alike:
                expected, slack = expected / pl.col("_rows_of_rows"), pl.lit(digit)
                known &= pl.col("_alike") & (pl.col("_rows") == 1)
            if column in self._resolved:
                worth = pl.col(f"{column}_resolution")
                slack = (worth + pl.col(f"{column}_resolution_of_rows")) * 0.5
            claims.append((rule, column, _agree(rule, pl.col(column), expected, slack).only(known)))
        yield from self._broken(both, claims)

    def _share(self, rule: Share) -> pl.DataFrame | None:
        cells = self._cells(c for c in (rule.of, rule.whole) if c)
        frame = self._grouped(rule.over, [*cells, *rule.needs])
        whole = pl.col(rule.whole or rule.of).sum().alias("_whole")
        worth = (self._half(rule.whole or rule.of) * 2).sum().alias("_whole_worth")
        wholes = (frame.filter(_is(rule.total)) if rule.total else frame).group_by("_group").agg(whole, worth)
        if wholes.is_empty():
            return None
        frame = frame.join(wholes, on="_group", maintain_order="left")
        total = pl.col("_whole")
        expected = pl.col(rule.of) * 100 / total
        off = self._half(rule.of) + pl.col("_whole_worth") * 0.5 * pl.col(rule.of) / total
        slack = rule.digit * 0.5 + off * 100 / total
        claim = _agree(rule, pl.col(rule.pct), expected, slack).only(total > 0)
        return frame.filter(claim.broken).select(*_PLACE, *claim.shown())

    def _running(self, rule: Running) -> pl.DataFrame:
        frame = self._grouped(rule.over, rule.needs)
        before = pl.col(rule.found).shift(1).over("_group")
        begins = pl.col(rule.last).is_null().shift(1, fill_value=True).over("_group")
        frame = frame.with_columns(before.alias("_before"), begins.alias("_begins"))
        expected = pl.when(pl.col("_begins")).then(pl.col(rule.of)).otherwise(pl.col("_before") + pl.col(rule.of))
        claim = _agree(rule, pl.col(rule.found), expected, pl.lit(0.0))
        return frame.filter(claim.broken).select(*_PLACE, *claim.shown())

    def _same(self, rule: Same, other: _Judged) -> pl.DataFrame:
        keys = ["source_id", *rule.over]
        frame = self._grouped(rule.over, rule.needs).filter(_is(rule.where))
        first = [pl.col(c).first() for c in dict.fromkeys([*_PLACE, *rule.over])]
        known = (pl.col(rule.of).count() == pl.len()).alias("_known")
        left = frame.group_by("_group", maintain_order=True).agg(pl.col(rule.of).sum(), known, *first)
        right = other.frame([rule.other, *keys]).rename({rule.other: "_other"})
        both = left.join(right, on=keys, nulls_equal=True, maintain_order="left")
        claim = _agree(rule, pl.col(rule.of), pl.col("_other"), pl.lit(rule.digit)).only(pl.col("_known"))
        return both.filter(claim.broken).select(*_PLACE, *claim.shown())

    # --- what was found ---------------------------------------------------------------------------------------------------

    def _broken(self, frame: pl.DataFrame, claims: Sequence[tuple[Rule, str, _Claim]]) -> Iterator[pl.DataFrame]:
        """Rows of the frame that break one of several claims, claim by claim. Most break none: that is asked first, at once."""
        if not claims:
            return
        broken = frame.select(claim.broken.any().alias(str(k)) for k, (*_, claim) in enumerate(claims)).row(0)
        for is_broken, (rule, column, claim) in zip(broken, claims, strict=True):
            if is_broken:
                yield from self._told(rule, column, frame.filter(claim.broken).select(*_PLACE, *claim.shown()))

    def _told(self, rule: Rule, column: str, broken: pl.DataFrame | None) -> Iterator[pl.DataFrame]:
        if broken is None or broken.is_empty():
            return
        said = {"table": self.table.name, "rule": f"{self.table.name}.{rule.name}", "column": column}
        said |= {"severity": rule.severity, "what": rule.says(column), "basis": rule.source}
        texts = [pl.lit(text).alias(name) for name, text in said.items()]
        yield broken.with_columns(*texts, pl.col("source_id", "source_file").cast(pl.String))


@dataclass(frozen=True)
class _Claim:
    """What a row (or a group of rows) is held to, as expressions."""

    found: pl.Expr
    expected: pl.Expr
    tolerance: pl.Expr
    broken: pl.Expr

    def only(self, where: pl.Expr) -> _Claim:
        return _Claim(self.found, self.expected, self.tolerance, self.broken & where)

    def shown(self) -> list[pl.Expr]:
        values = (self.found, self.expected, self.tolerance)
        return [value.cast(pl.Float64).alias(name) for name, value in zip(_FOUND, values, strict=True)]


def _agree(rule: Rule, found: pl.Expr, expected: pl.Expr, slack: pl.Expr) -> _Claim:
    # Two printed numbers that are cut or rounded differ by no more than half of their digits each.
    allowed = slack + rule.within + expected.abs() * (rule.within_share + _BINARY) + _BINARY
    return _Claim(found, expected, allowed, (found - expected).abs() > allowed)


@cache
def _row_claims(table: Table) -> list[tuple[Rule, str, _Claim]]:
    """What single rows of a table are held to."""
    kinds = (Range, Sum, Ratio, AtMost)
    return [(rule, rule.columns[0], _row_claim(table, rule)) for rule in rules(table) if isinstance(rule, kinds)]


def _row_claim(table: Table, rule: Range | Sum | Ratio | AtMost) -> _Claim:
    match rule:
        case Range(column=column, low=low, high=high):
            # What the value is held to: the bound that it is beyond.
            value = pl.col(column)
            below = value < low if low is not None else pl.lit(False)
            above = value > high if high is not None else pl.lit(False)
            bound = pl.when(below).then(pl.lit(low, pl.Float64)).otherwise(pl.lit(high, pl.Float64))
            return _Claim(value, bound, pl.lit(0.0), below | above)
        case Sum(total=total, parts=parts):
            cells = [*parts, *([total] if isinstance(total, str) else [])]
            slack = _sum(_half(table, c, rule.digit) for c in cells)
            parted = _sum(map(pl.col, parts))
            if isinstance(total, str):
                return _agree(rule, pl.col(total), parted, slack)
            claim = _agree(rule, parted, pl.lit(total), slack)
            return claim.only(parted != 0)
        case Ratio(found=found, of=of, per=per, times=times, where=where):
            expected = reduce(mul, map(pl.col, of)) * times
            slack = _half(table, found, rule.digit)
            if len(of) == 1:
                worth = _half(table, of[0])
                slack = slack + (worth * times / pl.col(per) if per else worth * times)
            if per:
                expected = expected / pl.col(per)
            claim = _agree(rule, pl.col(found), expected, slack)
            claim = claim.only(pl.col(per) > 0) if per else claim
            return claim.only(_is(where)) if where else claim
        case AtMost(parts=parts, most=most):
            slack = _sum(_half(table, c, rule.digit) for c in (*parts, *most)) + rule.within + _BINARY
            # A part that is not there (no such processors, another release) takes nothing.
            together, limit = _sum(pl.col(p).fill_null(0) for p in parts), _sum(map(pl.col, most))
            return _Claim(together, limit, slack, together > limit + slack)


def _resolved(table: Table) -> set[str]:
    return {c.name for c in table.columns if c.resolution}


def _half(table: Table, column: str, digit: float = 0.0) -> pl.Expr:
    """Half of what the last printed digit of a cell is worth; `digit` where the column does not say it."""
    return pl.col(f"{column}_resolution").fill_null(0.0) * 0.5 if column in _resolved(table) else pl.lit(digit * 0.5)


def _sum(expressions: Iterable[pl.Expr]) -> pl.Expr:
    return reduce(add, expressions)


def _is(where: Where | None) -> pl.Expr:
    """Bool per row, never NULL: the column has one of the values."""
    assert where is not None
    column, values = where
    return reduce(lambda a, b: a | b, [pl.col(column).eq_missing(pl.lit(value)) for value in values])
