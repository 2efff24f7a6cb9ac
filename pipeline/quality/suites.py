"""The rules as suites of Great Expectations, which judges them at `ironlake check`. Nothing else imports it: that takes seconds.

What a rule needs of several cells or rows is worked out as it is at ingest; Great Expectations is given, of each row, the
value that a rule is about, or by how much the row breaks it, and judges that. Nothing is sent anywhere.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

# Read when it is imported: without it, it would tell its makers.
os.environ["GX_ANALYTICS_ENABLED"] = "false"

import great_expectations as gx
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.expectations.core.expect_column_values_to_be_between import ExpectColumnValuesToBeBetween
from great_expectations.expectations.core.expect_column_values_to_be_in_set import ExpectColumnValuesToBeInSet
from great_expectations.expectations.core.expect_column_values_to_not_be_null import ExpectColumnValuesToNotBeNull

from ..declaration.report import Table
from ..declaration.rules import Filled, OneOf, Range
from .checks import Check

MOST_ROWS = 200_000
# Of a wide table fewer: a batch is held in memory with what is worked out of it.
_MOST_VALUES = 8_000_000


@dataclass
class _TableChecks:
    """What is known of the same claims about frames of one table. `looks` are the telling values of each place; claims are
    given by their number."""

    table: Table
    checks: Sequence[Check]
    looks: list[pl.DataFrame] = field(default_factory=list)
    suspect: set[int] = field(default_factory=set)
    waiting: list[pl.DataFrame] = field(default_factory=list)


class ExpectationSuites:
    """Judges claims as quality.broken_rows does, in two steps. `look` takes of every frame the values that decide whether any
    row breaks a claim: the least and the greatest, each text, a value that is missing; `suspects` has these judged and gives
    the places of which one is unexpected. The frames of these are then given to `judge`, which finds the rows, in batches
    of at most MOST_ROWS: a batch takes its time however small it is, so that frames are put off until there is enough, and
    `rest` judges what is left. A suite is of a table. `batches` counts them all; `judged` the values, or rows, that were held
    to a rule, by table, rule and column."""

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
        """Notes what decides about a frame, that of the place; finds nothing yet."""
        telling = frame.select(_telling(check).implode().alias(str(k)) for k, check in enumerate(checks))
        self._of(table, checks).looks.append(telling.with_columns(pl.lit(place).alias("place")))
        for check, known in zip(
            checks, frame.select(_known(c).alias(str(k)) for k, c in enumerate(checks)).row(0), strict=True
        ):
            if known:
                self.judged[table.name, check.rule.name, check.column] += known
        return ()

    def suspects(self) -> list[int]:
        """The places at which a claim is broken."""
        places: set[int] = set()
        for known in self._known.values():
            looks, known.looks = known.looks, []
            if looks:
                values = _below_each_other(pl.concat(looks))
                for some in values.iter_slices(MOST_ROWS):
                    for check, rows in self._unexpected(known.table, known.checks, some, range(len(known.checks))):
                        known.suspect.add(check)
                        places.update(some[rows]["place"])
        return sorted(places)

    def judge(self, table: Table, frame: pl.DataFrame, checks: Sequence[Check]) -> Iterator[pl.DataFrame]:
        """The rows that break some claims, those of earlier frames among them."""
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
            for check, rows in self._unexpected(known.table, known.checks, values, known.suspect):
                yield known.checks[check].violations(known.table, some[rows])

    def _unexpected(
        self, table: Table, checks: Sequence[Check], values: pl.DataFrame, asked: Iterable[int]
    ) -> Iterator[tuple[int, list[int]]]:
        """Of the asked claims those that Great Expectations finds broken, and by which rows; the values of each are in the column
        of its number."""
        judged = [k for k in asked if _can_break(checks[k], values[str(k)])]
        if not judged:
            return
        suite = gx.ExpectationSuite(name=table.name, expectations=[_expectation(checks[k], str(k)) for k in judged])
        frame = values.select(map(str, judged)).to_pandas()
        batch = self._rows.get_batch(batch_parameters={"dataframe": frame})
        self.batches += 1
        for result in batch.validate(suite, result_format={"result_format": "COMPLETE"}).results:
            if result.exception_info.get("raised_exception"):
                raise RuntimeError(f"Great Expectations failed: {result.exception_info}")
            if not result.success:
                assert result.expectation_config
                yield int(result.expectation_config.kwargs["column"]), result.result["unexpected_index_list"]


def _below_each_other(looks: pl.DataFrame) -> pl.DataFrame:
    """Lists of values, one a place, as rows; where a list ends before another, its last value again."""
    lists = [name for name in looks.columns if name != "place"]
    many = pl.max_horizontal(pl.col(name).list.len() for name in lists)
    rows = looks.with_columns(pl.int_ranges(many).alias("row")).explode("row")
    last = {name: pl.min_horizontal("row", pl.col(name).list.len().cast(pl.Int64) - 1) for name in lists}
    return rows.select("place", *(pl.col(name).list.get(at, null_on_oob=True) for name, at in last.items()))


def _can_break(check: Check, values: pl.Series) -> bool:
    """Whether there is anything to judge: most columns of a page that has another layout are empty."""
    return isinstance(check.rule, Filled) or values.null_count() < len(values)


def _value(check: Check) -> pl.Expr:
    if isinstance(check.rule, OneOf | Filled):
        return pl.col(check.column).cast(pl.String)
    return (check.found if isinstance(check.rule, Range) else check.excess).cast(pl.Float64)


def _known(check: Check) -> pl.Expr:
    """How many rows of a frame are held to a claim: those with a value, or all where it asks for one."""
    if isinstance(check.rule, Filled):
        return pl.len()
    return (pl.col(check.column) if isinstance(check.rule, OneOf) else _value(check)).count()


def _telling(check: Check) -> pl.Expr:
    """The values of a frame of which one is unexpected if that of any row is."""
    column = pl.col(check.column)
    match check.rule:
        case OneOf():
            return column.unique().cast(pl.String).drop_nulls()
        case Filled():
            return column.get(column.is_null().arg_max()).cast(pl.String)
    value = _value(check)
    return value.min().append(value.max())


def _expectation(check: Check, column: str) -> Any:
    match check.rule:
        case Range(low=low, high=high):
            return ExpectColumnValuesToBeBetween(column=column, min_value=low, max_value=high)
        case OneOf(allowed=allowed):
            return ExpectColumnValuesToBeInSet(column=column, value_set=list(allowed))
        case Filled():
            return ExpectColumnValuesToNotBeNull(column=column)
    return ExpectColumnValuesToBeBetween(column=column, max_value=0)
