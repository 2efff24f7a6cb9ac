"""The rules as expectations of Great Expectations, for `ironlake check`. Imported only there: the import takes a second.

Rules over several cells or rows are computed as at ingest; Great Expectations checks, per row, the value of a column or by
how much the row breaks the rule. An expectation takes as long for one value as for thousands, so the values of all columns
of which the same is expected are checked together. No data leave the machine.
"""

from __future__ import annotations

import logging
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, TypeVar

import polars as pl

# Read at import: turns off its usage reporting.
os.environ["GX_ANALYTICS_ENABLED"] = "false"

from .deferred import deferred

# Charts, and tests of distributions: more than half of the import, for expectations that no rule here has.
# PySpark, where it is installed, warns of pandas on standard error, and takes as long again.
with deferred("altair", "scipy.stats", without="pyspark"):
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig
    from great_expectations.expectations.core.expect_column_values_to_be_between import ExpectColumnValuesToBeBetween
    from great_expectations.expectations.core.expect_column_values_to_be_in_set import ExpectColumnValuesToBeInSet
    from great_expectations.expectations.core.expect_column_values_to_not_be_null import ExpectColumnValuesToNotBeNull

from ..declaration.report import Table
from ..declaration.rules import Filled, OneOf, Range
from .row_checks import Check

MOST_ROWS = 200_000
# Fewer for a wide table: a batch is held in memory with the values computed from it.
_MOST_VALUES = 8_000_000
# Great Expectations makes several copies of what it checks.
_MOST_IN_BATCH = 1_000_000
_VALUE = "value"
_Key = TypeVar("_Key")


@dataclass
class _TableChecks:
    """The state of the same checks over data frames of one table. `looks`: the deciding values of each place; checks are
    identified by their number."""

    table: Table
    checks: Sequence[Check]
    looks: list[pl.DataFrame] = field(default_factory=list)
    suspect: set[int] = field(default_factory=set)
    waiting: list[pl.DataFrame] = field(default_factory=list)


class ExpectationSuites:
    """Finds the same violations as judge.broken_rows, in two steps. `look` keeps, of every data frame, the values that decide
    whether any row breaks a check: minimum and maximum, each text, a missing value; `suspects` checks these and returns the
    places with an unexpected value. `judge` then takes the data frames of these places and finds the rows, of at most MOST_ROWS
    at once: a batch is slow however small, so data frames are collected first; `rest` checks the remaining ones. `batches` counts
    all batches, each with one expectation; `judged` the values or rows checked, by table, rule and column."""

    def __init__(self) -> None:
        logging.getLogger("great_expectations").setLevel(logging.ERROR)
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        asset = context.data_sources.add_pandas("lake").add_dataframe_asset("rows")
        self._rows = asset.add_batch_definition_whole_dataframe("rows")
        self._known: dict[tuple[str, tuple[tuple[str, str], ...]], _TableChecks] = {}
        self.batches = 0
        self.judged: Counter[tuple[str, str, str]] = Counter()

    def _of(self, table: Table, checks: Sequence[Check]) -> _TableChecks:
        key = table.name, tuple((check.rule.name, check.column) for check in checks)
        return self._known.setdefault(key, _TableChecks(table, checks))

    def look(self, place: int, table: Table, frame: pl.DataFrame, checks: Sequence[Check]) -> Iterable[pl.DataFrame]:
        """Keep the deciding values of the data frame of a place; returns no violations yet."""
        telling = frame.select(_telling(check).implode().alias(str(k)) for k, check in enumerate(checks))
        self._of(table, checks).looks.append(telling.with_columns(pl.lit(place).alias("place")))
        for check, known in zip(
            checks, frame.select(_known(c).alias(str(k)) for k, c in enumerate(checks)).row(0), strict=True
        ):
            if known:
                self.judged[table.name, check.rule.name, check.column] += known
        return ()

    def suspects(self) -> list[int]:
        """The places where a check fails."""
        looked_at: list[tuple[tuple[_TableChecks, int, pl.Series], Check, pl.Series]] = []
        for known in self._known.values():
            looks, known.looks = known.looks, []
            if looks:
                values = _below_each_other(pl.concat(looks))
                looked_at += [((known, k, values["place"]), c, values[str(k)]) for k, c in enumerate(known.checks)]
        places: set[int] = set()
        for (known, check, place), rows in self._unexpected(looked_at):
            known.suspect.add(check)
            places.update(place[rows])
        return sorted(places)

    def judge(self, table: Table, frame: pl.DataFrame, checks: Sequence[Check]) -> Iterator[pl.DataFrame]:
        """Rows that break a check, including those of earlier data frames."""
        known = self._of(table, checks)
        if known.suspect:
            known.waiting.append(frame)
            rows = sum(map(len, known.waiting))
            if rows >= MOST_ROWS or rows * len(known.suspect) >= _MOST_VALUES:
                yield from self._judge(known)

    def rest(self) -> Iterator[pl.DataFrame]:
        for known in self._known.values():
            if known.waiting:
                yield from self._judge(known)
            known.suspect.clear()

    def _judge(self, known: _TableChecks) -> Iterator[pl.DataFrame]:
        waiting, known.waiting = known.waiting, []
        for some in pl.concat(waiting).iter_slices(MOST_ROWS):
            values = some.select(_value(known.checks[k]).alias(str(k)) for k in known.suspect)
            asked = [(known.checks[k], known.checks[k], values[str(k)]) for k in known.suspect]
            for check, rows in self._unexpected(asked):
                yield check.violations(known.table, some[rows])

    def _unexpected(self, asked: Iterable[tuple[_Key, Check, pl.Series]]) -> Iterator[tuple[_Key, list[int]]]:
        """The keys of the checks that Great Expectations finds broken for their values, with the rows of these."""
        alike: dict[_Expected, list[tuple[_Key, pl.Series]]] = {}
        for key, check, values in asked:
            if _can_break(check, values):
                alike.setdefault(_expected(check), []).append((key, values))
        for expected, members in alike.items():
            begins = list(accumulate((len(values) for _, values in members), initial=0))
            found: dict[int, list[int]] = {}
            for at in self._wrong(expected, pl.concat([values.alias(_VALUE) for _, values in members])):
                member = bisect_right(begins, at) - 1
                found.setdefault(member, []).append(at - begins[member])
            for member, rows in found.items():
                yield members[member][0], rows

    def _wrong(self, expected: _Expected, values: pl.Series) -> Iterator[int]:
        """The positions of unexpected values."""
        kind, options = expected
        suite = gx.ExpectationSuite(name="lake", expectations=[kind(column=_VALUE, **dict(options))])
        for begin in range(0, len(values), _MOST_IN_BATCH):
            frame = values[begin : begin + _MOST_IN_BATCH].to_frame().to_pandas()
            batch = self._rows.get_batch(batch_parameters={"dataframe": frame})
            self.batches += 1
            [result] = batch.validate(suite, result_format={"result_format": "COMPLETE"}).results
            if result.exception_info.get("raised_exception"):
                raise RuntimeError(f"Great Expectations failed: {result.exception_info}")
            if not result.success:
                yield from (begin + at for at in result.result["unexpected_index_list"])


def _below_each_other(looks: pl.DataFrame) -> pl.DataFrame:
    """Lists of values, one per place, as rows; shorter lists repeat their last value."""
    lists = [name for name in looks.columns if name != "place"]
    many = pl.max_horizontal(pl.col(name).list.len() for name in lists)
    rows = looks.with_columns(pl.int_ranges(many).alias("row")).explode("row")
    last = {name: pl.min_horizontal("row", pl.col(name).list.len().cast(pl.Int64) - 1) for name in lists}
    return rows.select("place", *(pl.col(name).list.get(at, null_on_oob=True) for name, at in last.items()))


def _can_break(check: Check, values: pl.Series) -> bool:
    """Whether there is anything to check: most columns of another page layout are empty."""
    return isinstance(check.rule, Filled) or values.null_count() < len(values)


def _value(check: Check) -> pl.Expr:
    if isinstance(check.rule, Filled):
        assert check.where is not None
        return pl.when(~check.where).then(pl.lit("filled"))
    if isinstance(check.rule, OneOf):
        return pl.col(check.column).cast(pl.String)
    return (check.found if isinstance(check.rule, Range) else check.excess).cast(pl.Float64)


def _known(check: Check) -> pl.Expr:
    """The number of rows that a check applies to: those with a value, or all if it requires a value."""
    if isinstance(check.rule, Filled):
        return pl.len()
    return (pl.col(check.column) if isinstance(check.rule, OneOf) else _value(check)).count()


def _telling(check: Check) -> pl.Expr:
    """Values of a data frame of which one is unexpected if that of any row is."""
    column = pl.col(check.column)
    match check.rule:
        case OneOf():
            return column.unique().cast(pl.String).drop_nulls()
        case Filled():
            assert check.where is not None
            return _value(check).get(check.where.arg_max())
    value = _value(check)
    return value.min().append(value.max())


# The class of an expectation, and its options.
_Expected = tuple[Any, tuple[tuple[str, Any], ...]]


def _expected(check: Check) -> _Expected:
    """What is expected of each value of a check."""
    match check.rule:
        case Range(low=low, high=high):
            return ExpectColumnValuesToBeBetween, (("min_value", low), ("max_value", high))
        case OneOf(allowed=allowed):
            return ExpectColumnValuesToBeInSet, (("value_set", allowed),)
        case Filled():
            return ExpectColumnValuesToNotBeNull, ()
    return ExpectColumnValuesToBeBetween, (("max_value", 0),)
