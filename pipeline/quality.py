"""The judgement of a batch: which pages break a rule that follows from the declarations or is declared (rules.py).

Rules about one row are expressions, all of a table judged in one pass; rules among rows add up groups. Nothing is done a
row at a time, and what is sound costs no more than that pass: rows are looked for only where a rule is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
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
    OfColumn,
    OneOf,
    Range,
    Ratio,
    Rule,
    Running,
    Same,
    Severity,
    Share,
    Sum,
    Total,
    Where,
    rules_of,
)

_PLACE = ("source_id", "source_file", "page", "line")
# Two numbers that a page prints alike may differ in their last binary digits once they are added up.
_BINARY = 1e-9


@cache
def rules(table: Table) -> tuple[Rule, ...]:
    return tuple(rules_of(table))


# Takes a table, a frame with places, and claims about it; gives the rows that break them, as `Claim.told` tells them.
Judgement = Callable[[Table, pl.DataFrame, "Sequence[Claim]"], Iterable[pl.DataFrame]]


def judge(tables: Mapping[str, pa.Table]) -> pa.Table | None:
    """Rows of quality_result for the tables of a batch, by name; None where every page keeps every rule."""
    return results(findings(tables, broken_rows))


def findings(tables: Mapping[str, pa.Table], judgement: Judgement) -> list[pl.DataFrame]:
    """What a judgement finds in the tables of a batch."""
    known = declared_tables()
    judged = {name: Judged(known[name], data) for name, data in tables.items() if name in known and len(data)}
    found = []
    for one in judged.values():
        for frame, claims in one.claims(judged):
            if claims and frame.height:
                found += judgement(one.table, frame, claims)
    return found


def broken_rows(table: Table, frame: pl.DataFrame, claims: Sequence[Claim]) -> Iterator[pl.DataFrame]:
    """The judgement at ingest. Most claims hold everywhere: that is asked first, at once."""
    broken = frame.select(claim.broken.any().alias(str(k)) for k, claim in enumerate(claims)).row(0)
    for is_broken, claim in zip(broken, claims, strict=True):
        if is_broken:
            yield claim.told(table, frame.filter(claim.broken))


def results(found: Sequence[pl.DataFrame]) -> pa.Table | None:
    """One row a page, rule and column: the first line concerned, and how many."""
    if not found:
        return None
    page = ["source_id", "source_file", "page", "table", "rule", "column"]
    rows = (
        pl.concat(found)
        .group_by(page, maintain_order=True)
        .agg(pl.len().alias("rows"), pl.all().sort_by("line").first())
    )
    schema = QUALITY_RESULT.schema
    return rows.select(schema.names).to_arrow().cast(schema)


def pages_marked(results: pa.Table | None, source_ids: Sequence[str], severities: Sequence[Severity]) -> list[int]:
    """How many pages of each source break a rule of these severities."""
    if results is None:
        return [0] * len(source_ids)
    marked = _polars(results).cast({pl.Categorical: pl.String}).filter(pl.col("severity").is_in(severities))
    many = dict(marked.group_by("source_id").agg(pl.col("page").n_unique()).iter_rows())
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
class Judged:
    """A table under judgement. Columns are taken over when a rule first asks for them: most of a table is texts that no
    rule looks at."""

    table: Table
    data: pa.Table
    _columns: dict[str, pl.Series] = field(default_factory=dict)
    _groups: dict[tuple[str, ...], np.ndarray] = field(default_factory=dict)
    _matrices: dict[tuple[str, ...], tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._resolved = _resolved(self.table)

    def frame(self, columns: Iterable[str]) -> pl.DataFrame:
        wanted = list(dict.fromkeys(columns))
        if missing := [c for c in wanted if c not in self._columns]:
            self._columns |= {s.name: s for s in _polars(self.data.select(missing))}
        return pl.DataFrame([self._columns[c] for c in wanted])

    def claims(self, others: Mapping[str, Judged]) -> Iterator[tuple[pl.DataFrame, list[Claim]]]:
        """What is claimed of rows, or of groups of them: frames with their places, and the claims about each frame."""
        for rule in rules(self.table):
            match rule:
                case Net():
                    yield self._net(rule)
                case Total() if self.frame([rule.total[0]]).select(_is(rule.total).any()).item():
                    yield self._totals(rule)
                case Share():
                    yield self._share(rule)
                case Running():
                    yield self._running(rule)
                case Same() if rule.table in others:
                    yield self._same(rule, others[rule.table])
        claims = [c for c in _row_claims(self.table) if not self._is_plainly_so(c.rule)]
        yield self.frame([*(c for claim in claims for c in self._cells(claim.rule.needs)), *_PLACE]), claims

    def _is_plainly_so(self, rule: Rule) -> bool:
        """Whether a rule about texts holds for every text that there is: these are few, and no row need be looked at."""
        if isinstance(rule, Filled):
            return not self.data[rule.column].null_count
        if not isinstance(rule, OneOf) or not pa.types.is_dictionary(self.data[rule.column].type):
            return False
        return all(
            set(rule.allowed).issuperset(chunk.dictionary.to_pylist()) for chunk in self.data[rule.column].chunks
        )

    def _cells(self, columns: Iterable[str]) -> list[str]:
        """Columns, with the resolutions that some have beside them."""
        return [name for c in columns for name in (c, f"{c}_resolution") if name == c or c in self._resolved]

    def _half(self, column: str, digit: float = 0.0) -> pl.Expr:
        return _half(self.table, column, digit)

    # --- among rows -----------------------------------------------------------------------------------------------------

    def _group(self, over: tuple[str, ...]) -> np.ndarray:
        """Per row a number that rows of one source with equal `over` share, counted in the order of the rows."""
        if over not in self._groups:
            keys = self.frame(["source_id", *over]).with_columns(pl.col(pl.Categorical).to_physical())
            members = keys.with_row_index("_row").group_by(keys.columns, maintain_order=True).agg("_row")["_row"]
            size, row = members.list.len().to_numpy(), members.explode().to_numpy()
            group = np.empty(len(row), dtype=np.int32)
            group[row] = np.repeat(np.arange(len(size), dtype=np.int32), size)
            self._groups[over] = group
        return self._groups[over]

    def _grouped(self, over: tuple[str, ...], columns: Iterable[str]) -> pl.DataFrame:
        """Columns, places, and `_group`."""
        return self.frame([*columns, *_PLACE]).with_columns(pl.Series("_group", self._group(over)))

    def _numbers(self, columns: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Columns below each other, (columns, rows): their numbers, 0 for NULL, and Bool whether there is one."""
        if columns not in self._matrices:
            series = self.frame(columns)
            numbers = np.stack([s.fill_null(0).cast(pl.Float64).to_numpy() for s in series])
            self._matrices[columns] = numbers, np.stack([s.is_not_null().to_numpy() for s in series])
        return self._matrices[columns]

    def _halves(self, rule: Total) -> np.ndarray:
        """Half of what the last printed digit of each cell of a rule's columns is worth, (columns, rows)."""
        digits = [(digit, column) for digit, columns in rule.of.items() for column in columns]
        halves = np.empty((len(digits), len(self.data)))
        for half, (digit, column) in zip(halves, digits, strict=True):
            half[:] = self._numbers((f"{column}_resolution",))[0] if column in self._resolved else digit
        return halves * 0.5

    def _net(self, rule: Net) -> tuple[pl.DataFrame, list[Claim]]:
        frame = self._grouped(rule.over, (c for c in rule.needs if c not in rule.over))
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
        return frame, [_agree(rule, rule.found, expected, pl.lit(rule.digit * 0.5))]

    def _totals(self, rule: Total) -> tuple[pl.DataFrame, list[Claim]]:
        chosen = self.frame([rule.total[0], rule.rows[0]]).select(_is(rule.total).alias("0"), _is(rule.rows).alias("1"))
        halves = self._halves(rule)
        totals, rows = (self._added(rule.columns, rule.over, which, halves, rule.alike) for which in chosen)
        _, at, to = np.intersect1d(totals.group, rows.group, assume_unique=True, return_indices=True)
        totals, rows = totals.take(at), rows.take(to)
        expected, slack, known = rows.sum, totals.slack + rows.slack, totals.known & rows.known
        if rule.each:
            known &= rows.many == len(rule.rows[1]) * totals.many
        if rule.alike:
            expected, slack = expected / rows.many, totals.slack * 2
            known &= rows.alike & (totals.many == 1)
        values = {"found": totals.sum, "expected": expected, "slack": slack, "known": known}
        cells = [pl.Series(f"{name}_{k}", of[k]) for k in range(len(rule.columns)) for name, of in values.items()]
        return self.frame(_PLACE)[totals.first].hstack(cells), _totals_claims(rule)

    def _added(
        self, columns: tuple[str, ...], over: tuple[str, ...], chosen: pl.Series, halves: np.ndarray, alike: str = ""
    ) -> _Added:
        """Columns, added up by group over the chosen rows."""
        where = np.flatnonzero(chosen.to_numpy())
        where = where[np.argsort(self._group(over)[where], kind="stable")]
        group = self._group(over)[where]
        begins = np.flatnonzero(np.diff(group, prepend=-1))
        numbers, known = self._numbers(columns)
        same = np.stack(self._numbers((alike,)))[:, 0, where] if alike else np.zeros((2, len(where)))
        return _Added(
            group[begins],
            where[begins],
            np.diff(np.append(begins, len(group))),
            np.add.reduceat(numbers[:, where], begins, axis=1),
            np.add.reduceat(halves[:, where], begins, axis=1),
            np.logical_and.reduceat(known[:, where], begins, axis=1),
            (np.minimum.reduceat(same, begins, axis=1) == np.maximum.reduceat(same, begins, axis=1)).all(axis=0),
        )

    def _share(self, rule: Share) -> tuple[pl.DataFrame, list[Claim]]:
        cells = self._cells(c for c in (rule.of, rule.whole) if c)
        frame = self._grouped(rule.over, [rule.pct, *cells, *([rule.total[0]] if rule.total else [])])
        whole = pl.col(rule.whole or rule.of).sum().alias("_whole")
        worth = (self._half(rule.whole or rule.of) * 2).sum().alias("_whole_worth")
        wholes = (frame.filter(_is(rule.total)) if rule.total else frame).group_by("_group").agg(whole, worth)
        frame = frame.join(wholes, on="_group", maintain_order="left")
        total = pl.col("_whole")
        expected = pl.col(rule.of) * 100 / total
        off = self._half(rule.of) + pl.col("_whole_worth") * 0.5 * pl.col(rule.of) / total
        slack = rule.digit * 0.5 + off * 100 / total
        return frame, [_agree(rule, rule.pct, expected, slack, total > 0)]

    def _running(self, rule: Running) -> tuple[pl.DataFrame, list[Claim]]:
        frame = self._grouped(rule.over, [rule.found, rule.of, rule.last])
        if (np.diff(self._group(rule.over)) < 0).any():
            # Sorted, the row before in the list is the row above.
            frame = frame.sort("_group", maintain_order=True)
        above = pl.col("_group", rule.found, rule.last).shift(1).name.suffix("_above")
        frame = frame.with_columns(above)
        begins = (pl.col("_group") != pl.col("_group_above")) | pl.col(f"{rule.last}_above").is_null()
        frame = frame.with_columns(begins.fill_null(True).alias("_begins"))
        expected = (
            pl.when(pl.col("_begins")).then(pl.col(rule.of)).otherwise(pl.col(f"{rule.found}_above") + pl.col(rule.of))
        )
        return frame, [_agree(rule, rule.found, expected, pl.lit(0.0))]

    def _same(self, rule: Same, other: Judged) -> tuple[pl.DataFrame, list[Claim]]:
        keys = ["source_id", *rule.over]
        chosen = self.frame([rule.where[0]]).select(_is(rule.where)).to_series()
        added = self._added((rule.of,), rule.over, chosen, np.zeros((1, len(self.data))))
        sums = [pl.Series(rule.of, added.sum[0]), pl.Series("_known", added.known[0])]
        left = self.frame([*_PLACE, *rule.over])[added.first].hstack(sums)
        right = other.frame([rule.other, *keys]).rename({rule.other: "_other"})
        both = left.join(right, on=keys, nulls_equal=True, maintain_order="left")
        return both, [_agree(rule, rule.of, pl.col("_other"), pl.lit(rule.digit), pl.col("_known"))]


@dataclass(frozen=True)
class _Added:
    """Columns added up by group: arrays of one entry a group, those by column (columns, groups). `first` is the group's first
    row, `slack` what the sum may be off by, `known` whether no value is NULL, `alike` whether a rule's `alike` is the same."""

    group: np.ndarray
    first: np.ndarray
    many: np.ndarray
    sum: np.ndarray
    slack: np.ndarray
    known: np.ndarray
    alike: np.ndarray

    def take(self, at: np.ndarray) -> _Added:
        return _Added(*(getattr(self, f.name)[..., at] for f in fields(self)))


@dataclass(frozen=True)
class Claim:
    """What a row, or a group of rows, is held to: `found` and `expected` differ by at most `tolerance`, or with `one_sided`
    found is not more than that above expected; where `where` holds. Rules about one column are broken where it holds."""

    rule: Rule
    column: str
    found: pl.Expr
    expected: pl.Expr
    tolerance: pl.Expr
    where: pl.Expr | None = None
    one_sided: bool = False

    @property
    def off(self) -> pl.Expr:
        off = self.found - self.expected
        return off if self.one_sided else off.abs()

    @property
    def broken(self) -> pl.Expr:
        if self.where is None:
            return self.off > self.tolerance
        return self.where if isinstance(self.rule, OfColumn) else (self.off > self.tolerance) & self.where

    @property
    def excess(self) -> pl.Expr:
        """By how much it is broken: above 0 where it is, NULL where it is not judged."""
        excess = self.off - self.tolerance
        return excess if self.where is None else pl.when(self.where).then(excess)

    def told(self, table: Table, broken: pl.DataFrame) -> pl.DataFrame:
        """Rows of a frame that break it, with what they are to be told by."""
        values = zip(("found", "expected", "tolerance"), (self.found, self.expected, self.tolerance), strict=True)
        said = {"table": table.name, "rule": f"{table.name}.{self.rule.name}", "column": self.column}
        said |= {"severity": self.rule.severity, "what": self.rule.says(self.column), "basis": self.rule.source}
        return broken.select(
            *(value.cast(pl.Float64).alias(name) for name, value in values),
            *(pl.lit(text).alias(name) for name, text in said.items()),
            pl.col("source_id", "source_file").cast(pl.String),
            pl.col("page", "line"),
        )


def _agree(
    rule: Rule,
    column: str,
    expected: pl.Expr,
    slack: pl.Expr,
    where: pl.Expr | None = None,
    found: pl.Expr | None = None,
) -> Claim:
    """The claim that a column (or `found`) is as expected: two printed numbers that are cut or rounded differ by no more than
    half of their last digits each."""
    allowed = slack + rule.within + expected.abs() * (rule.within_share + _BINARY) + _BINARY
    return Claim(rule, column, pl.col(column) if found is None else found, expected, allowed, where)


def _totals_claims(rule: Total) -> list[Claim]:
    """Each column of a rule, against the columns that `Judged._totals` makes for it."""
    names = ("found", "expected", "slack", "known")
    made = [[pl.col(f"{name}_{k}") for name in names] for k in range(len(rule.columns))]
    return [
        _agree(rule, column, expected, slack, known, found)
        for column, (found, expected, slack, known) in zip(rule.columns, made, strict=True)
    ]


@cache
def _row_claims(table: Table) -> list[Claim]:
    """What single rows of a table are held to."""
    kinds = (Range, OneOf, Filled, Sum, Ratio, AtMost)
    return [_row_claim(table, rule) for rule in rules(table) if isinstance(rule, kinds)]


def _row_claim(table: Table, rule: Range | OneOf | Filled | Sum | Ratio | AtMost) -> Claim:
    none = pl.lit(None, pl.Float64)
    match rule:
        case Range(column=column, low=low, high=high):
            # What the value is held to: the bound that it is beyond.
            value = pl.col(column)
            below = value < low if low is not None else pl.lit(False)
            above = value > high if high is not None else pl.lit(False)
            bound = pl.when(below).then(pl.lit(low, pl.Float64)).otherwise(pl.lit(high, pl.Float64))
            return Claim(rule, column, value, bound, pl.lit(0.0), below | above)
        case OneOf(column=column, allowed=allowed):
            other = ~pl.col(column).cast(pl.String).is_in(list(allowed))
            return Claim(rule, column, none, none, none, other)
        case Filled(column=column):
            return Claim(rule, column, none, none, none, pl.col(column).is_null())
        case Sum(total=total, parts=parts):
            cells = [*parts, *([total] if isinstance(total, str) else [])]
            slack = _sum(_half(table, c, rule.digit) for c in cells)
            parted = _sum(map(pl.col, parts))
            if isinstance(total, str):
                return _agree(rule, total, parted, slack)
            return _agree(rule, parts[0], pl.lit(total), slack, parted != 0, found=parted)
        case Ratio(found=found, of=of, per=per, times=times, where=where):
            expected = reduce(mul, map(pl.col, of)) * times
            slack = _half(table, found, rule.digit)
            if len(of) == 1:
                worth = _half(table, of[0])
                slack = slack + (worth * times / pl.col(per) if per else worth * times)
            conditions = [_is(where)] if where else []
            if per:
                expected = expected / pl.col(per)
                conditions.append(pl.col(per) > 0)
            return _agree(rule, found, expected, slack, pl.all_horizontal(conditions) if conditions else None)
        case AtMost(parts=parts, most=most):
            slack = _sum(_half(table, c, rule.digit) for c in (*parts, *most)) + rule.within + _BINARY
            # A part that is not there (no such processors, another release) takes nothing.
            together, limit = _sum(pl.col(p).fill_null(0) for p in parts), _sum(map(pl.col, most))
            return Claim(rule, parts[0], together, limit, slack, one_sided=True)


def columns_judged(table: Table) -> list[str]:
    """The columns that must be at hand to judge a table, and others against it."""
    asked = [c for rule in rules(table) for c in rule.needs]
    against = [r for t in declared_tables().values() for r in rules(t) if isinstance(r, Same) and r.table == table.name]
    asked += [c for rule in against for c in (rule.other, *rule.over)]
    worth = [f"{c}_resolution" for c in asked if c in _resolved(table)]
    return list(dict.fromkeys([*asked, *worth, *_PLACE]))


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
