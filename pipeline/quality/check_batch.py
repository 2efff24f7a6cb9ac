"""Check a batch: which pages break a rule, either declared (rules.py) or derived from the columns.

Rules about one row are expressions, evaluated in one pass per table; rules among rows add up groups. Nothing is done row
by row. Sound data cost only that pass: rows are searched only if a rule is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration.bookkeeping import QUALITY_RESULT, stored_tables
from ..declaration.bookkeeping import TABLES as BOOKKEEPING
from ..declaration.report import Table
from ..declaration.rules import (
    AddsUp,
    Cells,
    Filled,
    Net,
    OneOf,
    Product,
    Quotient,
    Rule,
    Running,
    Same,
    Severity,
    Share,
    Total,
    Where,
)
from .row_checks import (
    ABOVE,
    OFF,
    Check,
    added_up,
    agree,
    cell_off,
    is_count,
    is_where,
    resolved,
    row_checks,
    rules,
    total_checks,
)

_PLACE = ("source_id", "source_file", "page", "line")

# Takes a table, a data frame with places, and checks of it; returns the violations, as `Check.violations` does.
Judgement = Callable[[Table, pl.DataFrame, Sequence[Check]], Iterable[pl.DataFrame]]


def check_batch(tables: Mapping[str, pa.Table], unread_pages: pl.DataFrame | None = None) -> pa.Table | None:
    """Rows of quality_result for the tables (by name) of a batch; None if no rule is broken. unread_pages: as of `engine.Parsed`; the
    rows of such a page are suspect."""
    found = list(find_violations(tables, broken_rows))
    if unread_pages is not None and unread_pages.height:
        found += _of_unread_pages(tables, unread_pages)
    if not found:
        return None
    schema = QUALITY_RESULT.schema
    return one_per_page(found).select(schema.names).to_arrow().cast(schema)


def find_violations(
    tables: Mapping[str, pa.Table], judgement: Judgement, *, with_plain: bool = False
) -> Iterator[pl.DataFrame]:
    """The violations that `judgement` finds in the tables of a batch; `with_plain`: also pass checks that hold trivially."""
    known = stored_tables()
    judged = {name: CheckedTable(known[name], data) for name, data in tables.items() if name in known and len(data)}
    for one in judged.values():
        for frame, checks in one.checks(judged, with_plain=with_plain):
            if checks and frame.height:
                yield from judgement(one.table, frame, checks)


def _of_unread_pages(tables: Mapping[str, pa.Table], unread_pages: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """A violation for each row of such a page."""
    share = pl.col("rejected") / pl.col("lines") * 100
    for name in tables.keys() & stored_tables().keys() - {table.name for table in BOOKKEEPING}:
        rows = _polars(tables[name].select(_PLACE)).cast({"source_id": pl.String, "source_file": pl.String})
        rows = rows.join(unread_pages, on=("source_id", "page"))
        if rows.height:
            said = {"table": name, "rule": f"{name}.page_is_read", "column": "page", "severity": "error"}
            said |= {
                "what": "at most a fifth of the lines of the page are rejects (%)",
                "basis": "how much a page may lose before rows mix",
            }
            yield rows.select(
                share.alias("found"),
                pl.lit(20.0).alias("expected"),
                pl.lit(0.0).alias("tolerance"),
                *(pl.lit(text).alias(column) for column, text in said.items()),
                *_PLACE,
            )


def broken_rows(table: Table, frame: pl.DataFrame, checks: Sequence[Check]) -> Iterator[pl.DataFrame]:
    """The judgement at ingest. Most checks hold everywhere, so first evaluate all at once."""
    broken = frame.select(check.broken.alias(str(k)) for k, check in enumerate(checks))
    for rows, check in zip(broken, checks, strict=True):
        if rows.any():
            yield check.violations(table, frame.filter(rows))


def one_per_page(found: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One row per page, rule and column: the first row that breaks the rule, and the number of such rows."""
    page = ["source_id", "source_file", "page", "table", "rule", "column"]
    grouped = pl.concat(found).group_by(page, maintain_order=True)
    return grouped.agg(pl.len().alias("rows"), pl.all().sort_by("line").first())


def count_marked_pages(
    results: pa.Table | None, source_ids: Sequence[str], severities: Sequence[Severity]
) -> list[int]:
    """The number of pages of each source that break a rule of these severities."""
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
class CheckedTable:
    """A table to check. Columns are converted when a rule first needs them: most columns are texts that no rule uses."""

    table: Table
    data: pa.Table
    _columns: dict[str, pl.Series] = field(default_factory=dict)
    _groups: dict[tuple[str, ...], np.ndarray] = field(default_factory=dict)
    _matrices: dict[tuple[str, ...], tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._resolved = resolved(self.table)

    def frame(self, columns: Iterable[str]) -> pl.DataFrame:
        wanted = list(dict.fromkeys(columns))
        if missing := [c for c in wanted if c not in self._columns]:
            self._columns |= {s.name: s for s in _polars(self.data.select(missing))}
        return pl.DataFrame([self._columns[c] for c in wanted])

    def checks(
        self, others: Mapping[str, CheckedTable], *, with_plain: bool = False
    ) -> Iterator[tuple[pl.DataFrame, list[Check]]]:
        """Data frames (rows, or groups of rows, with their places) and the checks of each."""
        for rule in rules(self.table):
            match rule:
                case Net():
                    yield self._net(rule)
                case Total() if self._has(rule.total):
                    yield self._totals(rule)
                case Quotient() if self._has(rule.found[1]):
                    yield self._quotient(rule)
                case Product() if self._has(rule.by[1]):
                    yield self._product(rule)
                case Share():
                    yield self._share(rule)
                case Running():
                    yield self._running(rule)
                case AddsUp():
                    yield self._adds_up(rule)
                case Same() if rule.table in others:
                    yield self._same(rule, others[rule.table])
        checks = [c for c in row_checks(self.table) if with_plain or not self._is_plainly_so(c.rule)]
        yield self.frame([*(c for check in checks for c in self._cells(check.rule.needs)), *_PLACE]), checks

    def _is_plainly_so(self, rule: Rule) -> bool:
        """Whether a rule about texts holds for every distinct text: these are few, so rows are not searched."""
        if isinstance(rule, Filled):
            return not self.data[rule.column].null_count
        if not isinstance(rule, OneOf) or not pa.types.is_dictionary(self.data[rule.column].type):
            return False
        return all(
            set(rule.allowed).issuperset(chunk.dictionary.to_pylist()) for chunk in self.data[rule.column].chunks
        )

    def _has(self, where: Where) -> bool:
        """Whether any such row exists: skips rules about rows that a report does not print."""
        return self.frame([where[0]]).select(is_where(where).any()).item()

    def _cells(self, columns: Iterable[str]) -> list[str]:
        """Columns, and their resolution columns if they have one."""
        return [name for c in columns for name in (c, f"{c}_resolution") if name == c or c in self._resolved]

    def _off(self, column: str, rule: Rule, digit: float | None = None) -> pl.Expr:
        return cell_off(self.table, column, rule, digit)

    # --- among rows -----------------------------------------------------------------------------------------------------

    def _group(self, over: tuple[str, ...]) -> np.ndarray:
        """Group number per row: rows of one source with equal `over`, numbered in row order. Repeated pages of a source are
        groups of their own."""
        if over not in self._groups:
            keys = self.frame(["source_id", *over]).with_columns(pl.Series("_copy", self._copy))
            self._groups[over] = _numbered(keys)
        return self._groups[over]

    @cached_property
    def _copy(self) -> np.ndarray:
        """Per row the number of earlier rows with its source and key: 0 unless a page is repeated."""
        keys = self.frame(["source_id", *self.table.key]).with_columns(pl.col(pl.Categorical).to_physical())
        # Distinct hashes mean distinct keys: usually nothing more to do.
        if not self.table.key or keys.hash_rows().n_unique() == keys.height:
            return np.zeros(keys.height, dtype=np.int32)
        group = _numbered(keys)
        order = np.argsort(group, kind="stable")
        begins = np.flatnonzero(np.diff(group[order], prepend=-1))
        copy = np.empty(len(group), dtype=np.int32)
        copy[order] = np.arange(len(group)) - np.repeat(begins, np.diff(np.append(begins, len(group))))
        return copy

    def _grouped(self, over: tuple[str, ...], columns: Iterable[str]) -> pl.DataFrame:
        """Columns, places, and `_group`."""
        return self.frame([*columns, *_PLACE]).with_columns(pl.Series("_group", self._group(over)))

    def _numbers(self, columns: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Columns as arrays (columns, rows): their numbers, 0 for NULL, and bool, true where not NULL."""
        if columns not in self._matrices:
            series = self.frame(columns)
            numbers = np.stack([s.fill_null(0).cast(pl.Float64).to_numpy() for s in series])
            self._matrices[columns] = numbers, np.stack([s.is_not_null().to_numpy() for s in series])
        return self._matrices[columns]

    def _last_digits(self, of: Mapping[float, tuple[str, ...]], counts: bool = False) -> np.ndarray:
        """The value of one unit of the last printed digit of each cell, (columns, rows), as `checks.last_digit` gives it; columns
        by their digit as in a Total. With `counts`, all columns hold counts."""
        digits = [(digit, column) for digit, columns in of.items() for column in columns]
        units = np.empty((len(digits), len(self.data)))
        for unit, (digit, column) in zip(units, digits, strict=True):
            unit[:] = digit
            if column in self._resolved:
                worth, known = self._numbers((f"{column}_resolution",))
                exact = (worth[0] <= 1) & (counts or is_count(self.table, column))
                np.copyto(unit, worth[0], where=known[0] & ~exact)
        return units

    def _net(self, rule: Net) -> tuple[pl.DataFrame, list[Check]]:
        frame = self._grouped(rule.over, (c for c in rule.needs if c not in rule.over))
        per = pl.col(rule.per)
        none = [pl.col(time).is_null() & (pl.col(share).fill_null(0) == 0) for time, share in rule.minus]
        minus = [pl.when(n).then(0.0).otherwise(pl.col(time)) for n, (time, _) in zip(none, rule.minus, strict=True)]
        judged = pl.any_horizontal(pl.col(time).is_not_null() for time, _ in rule.minus) & (per > 0)
        frame = frame.filter(judged).with_columns(
            added_up(map(pl.col, rule.plus)).alias("_plus"), added_up(minus).alias("_minus")
        )
        factor = ((pl.col("_plus") - pl.col(rule.found) * per / rule.times) / pl.col("_minus")).alias("_factor")
        best = frame.filter(factor.is_not_null() & (pl.col("_minus") > 0)).sort("_minus")
        best = best.select("_group", factor).unique("_group", keep="last")
        frame = frame.join(best, on="_group", how="left", maintain_order="left")
        violations = pl.max_horizontal(pl.col("_factor").fill_null(1.0), 1.0)
        expected = (pl.col("_plus") - violations * pl.col("_minus")) * rule.times / per
        return frame, [agree(rule, rule.found, expected, self._off(rule.found, rule))]

    def _totals(self, rule: Total) -> tuple[pl.DataFrame, list[Check]]:
        chosen = self.frame([rule.total[0], rule.rows[0]]).select(
            is_where(rule.total).alias("0"), is_where(rule.rows).alias("1")
        )
        units = self._last_digits(rule.of, rule.counts)
        totals, rows = (self._added(rule.columns, rule.over, which, units, rule.alike) for which in chosen)
        _, at, to = np.intersect1d(totals.group, rows.group, assume_unique=True, return_indices=True)
        totals, rows = totals.take(at), rows.take(to)
        # A total of truncated numbers has the same digits as these: it is not below their sum, and its own cell is uncertain by
        # less than a digit.
        total_off = 0.25 if rule.digits == "cut" else OFF[rule.digits]
        expected, slack = rows.sum + rows.unit * ABOVE[rule.digits], rows.unit * OFF[rule.digits]
        known = totals.known & rows.known
        if rule.each:
            known &= rows.many == len(rule.rows[1]) * totals.many
        if rule.alike:
            expected, slack = expected / rows.many, slack / rows.many
            known &= rows.alike & (totals.many == 1)
        slack = slack + totals.unit * total_off
        values = {"found": totals.sum, "expected": expected, "slack": slack, "known": known}
        cells = [pl.Series(f"{name}_{k}", of[k]) for k in range(len(rule.columns)) for name, of in values.items()]
        return self.frame(_PLACE)[totals.first].hstack(cells), total_checks(rule)

    def _added(
        self, columns: tuple[str, ...], over: tuple[str, ...], chosen: pl.Series, units: np.ndarray, alike: str = ""
    ) -> _Added:
        """Sums of columns by group over the chosen rows."""
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
            np.add.reduceat(units[:, where], begins, axis=1),
            np.logical_and.reduceat(known[:, where], begins, axis=1),
            (np.minimum.reduceat(same, begins, axis=1) == np.maximum.reduceat(same, begins, axis=1)).all(axis=0),
        )

    def _of_groups(self, cells: Cells, rule: Quotient | Product, name: str, counts: bool = False) -> pl.DataFrame:
        """The sum of some cells by `_group`, if each of their rows occurs once and has a value: its first row, the sum, and
        its uncertainty. With `counts`, counts printed in full are exact."""
        column, where = cells
        chosen = self.frame([where[0]]).select(is_where(where)).to_series()
        units = self._last_digits({0 if counts else rule.digit: (column,)}, counts)
        added = self._added((column,), rule.over, chosen, units * OFF[rule.digits])
        whole = added.known[0] & (added.many == len(where[1]))
        values = {f"{name}_row": added.first, name: added.sum[0], f"{name}_off": added.unit[0]}
        return pl.DataFrame({"_group": added.group[whole]} | {n: v[whole] for n, v in values.items()})

    def _quotient(self, rule: Quotient) -> tuple[pl.DataFrame, list[Check]]:
        frame = self._of_groups(rule.found, rule, "found")
        for name, cells in rule.terms.items():
            frame = frame.join(self._of_groups(cells, rule, name, rule.counts), on="_group", maintain_order="left")
        upper, off = pl.col("plus"), pl.col("plus_off")
        if rule.minus:
            upper, off = upper - pl.col("minus"), off + pl.col("minus_off")
        expected, slack, where = upper * rule.times, off * abs(rule.times), None
        if rule.per:
            lower = pl.col("per")
            expected, where = expected / lower, lower > 0
            slack = (slack + expected.abs() * pl.col("per_off")) / lower
        frame = self.frame(_PLACE)[frame["found_row"]].hstack(frame)
        return frame, [
            agree(rule, rule.found[0], expected, slack + pl.col("found_off"), where, pl.col("found"), rule.at_most)
        ]

    def _product(self, rule: Product) -> tuple[pl.DataFrame, list[Check]]:
        frame = self._grouped(rule.over, [*self._cells((rule.found, rule.of)), rule.rows[0]]).filter(
            is_where(rule.rows)
        )
        frame = frame.join(self._of_groups(rule.by, rule, "by", counts=True), on="_group", maintain_order="left")
        factor, off = pl.col("by"), pl.col("by_off")
        slack = self._off(rule.found, rule) + self._off(rule.of, rule) * factor + off * pl.col(rule.of).abs()
        return frame, [agree(rule, rule.found, pl.col(rule.of) * factor, slack)]

    def _share(self, rule: Share) -> tuple[pl.DataFrame, list[Check]]:
        cells = self._cells(c for c in (rule.of, rule.whole) if c)
        frame = self._grouped(rule.over, [*self._cells((rule.pct,)), *cells, *([rule.total[0]] if rule.total else [])])
        whole = pl.col(rule.whole or rule.of).sum().alias("_whole")
        open_ = self._off(rule.whole or rule.of, rule, 0).sum().alias("_whole_off")
        wholes = (frame.filter(is_where(rule.total)) if rule.total else frame).group_by("_group").agg(whole, open_)
        frame = frame.join(wholes, on="_group", maintain_order="left")
        total = pl.col("_whole")
        expected = pl.col(rule.of) * 100 / total
        off = self._off(rule.of, rule, 0) + pl.col("_whole_off") * pl.col(rule.of) / total
        slack = self._off(rule.pct, rule) + off * 100 / total
        return frame, [agree(rule, rule.pct, expected, slack, total > 0)]

    def _running(self, rule: Running) -> tuple[pl.DataFrame, list[Check]]:
        frame = self._grouped(rule.over, [*self._cells((rule.found, rule.of)), rule.last])
        if (np.diff(self._group(rule.over)) < 0).any():
            # Sorted, the row before in the list is the row above.
            frame = frame.sort("_group", maintain_order=True)
        frame = frame.with_columns(self._off(rule.found, rule).alias("_off"))
        above = pl.col("_group", "_off", rule.found, rule.last).shift(1).name.suffix("_above")
        frame = frame.with_columns(above)
        begins = (pl.col("_group") != pl.col("_group_above")) | pl.col(f"{rule.last}_above").is_null()
        frame = frame.with_columns(begins.fill_null(True).alias("_begins"))
        begins = pl.col("_begins")
        expected = pl.when(begins).then(pl.col(rule.of)).otherwise(pl.col(f"{rule.found}_above") + pl.col(rule.of))
        slack = pl.col("_off") + self._off(rule.of, rule) + pl.when(begins).then(0.0).otherwise(pl.col("_off_above"))
        return frame, [agree(rule, rule.found, expected, slack)]

    def _adds_up(self, rule: AddsUp) -> tuple[pl.DataFrame, list[Check]]:
        units = self._last_digits({rule.digit: (rule.of,)})
        every = pl.Series([True]).new_from_index(0, len(self.data))
        added = self._added((rule.of,), rule.over, every, units * OFF[rule.digits])
        sums = [
            pl.Series(name, of[0]) for name, of in (("_sum", added.sum), ("_off", added.unit), ("_known", added.known))
        ]
        frame = self.frame(_PLACE)[added.first].hstack(sums)
        return frame, [agree(rule, rule.of, pl.lit(rule.to), pl.col("_off"), pl.col("_known"), pl.col("_sum"))]

    def _same(self, rule: Same, other: CheckedTable) -> tuple[pl.DataFrame, list[Check]]:
        keys = ["source_id", *rule.over]
        chosen = self.frame([rule.where[0]]).select(is_where(rule.where)).to_series()
        units = self._last_digits({rule.digit: (rule.of,)})
        added = self._added((rule.of,), rule.over, chosen, units * OFF[rule.digits])
        sums = [
            pl.Series(name, of[0]) for name, of in ((rule.of, added.sum), ("_off", added.unit), ("_known", added.known))
        ]
        copy = pl.Series("_copy", self._copy[added.first])
        left = self.frame([*_PLACE, *rule.over])[added.first].hstack([*sums, copy])
        right = other.frame([*other._cells((rule.other,)), *keys]).with_columns(
            other._off(rule.other, rule, 0).alias("_other_off")
        )
        right = right.rename({rule.other: "_other"})
        right = right.with_columns(pl.Series("_copy", other._copy))
        both = left.join(right, on=[*keys, "_copy"], nulls_equal=True, maintain_order="left")
        slack = pl.col("_off") + pl.col("_other_off")
        return both, [agree(rule, rule.of, pl.col("_other"), slack, pl.col("_known"))]


class _Added(NamedTuple):
    """Sums by group. Arrays have one entry per group, or shape (columns, groups). `first`: first row of the group; `unit`: sum
    of the given units of the cells; `known`: no value is NULL; `alike`: the rule's `alike` column has one value."""

    group: np.ndarray
    first: np.ndarray
    many: np.ndarray
    sum: np.ndarray
    unit: np.ndarray
    known: np.ndarray
    alike: np.ndarray

    def take(self, at: np.ndarray) -> _Added:
        return _Added(*(of[..., at] for of in self))


def _numbered(keys: pl.DataFrame) -> np.ndarray:
    """A number per distinct row, in order of first occurrence, for each row."""
    keys = keys.with_columns(pl.col(pl.Categorical).to_physical())
    members = keys.with_row_index("_row").group_by(keys.columns, maintain_order=True).agg("_row")["_row"]
    size, row = members.list.len().to_numpy(), members.explode().to_numpy()
    group = np.empty(len(row), dtype=np.int32)
    group[row] = np.repeat(np.arange(len(size), dtype=np.int32), size)
    return group


def columns_judged(table: Table) -> list[str]:
    """The columns needed to check a table, and to check other tables against it."""
    asked = [c for rule in rules(table) for c in rule.needs]
    against = [r for t in stored_tables().values() for r in rules(t) if isinstance(r, Same) and r.table == table.name]
    asked += [c for rule in against for c in (rule.other, *rule.over)]
    asked += table.key if table.rules else ()
    worth = [f"{c}_resolution" for c in asked if c in resolved(table)]
    return list(dict.fromkeys([*asked, *worth, *_PLACE]))
