"""The rules as suites of Great Expectations, which judges them at `ironlake check`. Nothing else imports it: that takes seconds.

What a rule needs of several cells or rows is worked out as it is at ingest; Great Expectations is given, of each row, the
value that a rule is about, or by how much the row breaks it, and judges that. Nothing is sent anywhere.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

# Read when it is imported: without it, it would tell its makers.
os.environ["GX_ANALYTICS_ENABLED"] = "false"

import great_expectations as gx
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.expectations.core.expect_column_values_to_be_between import ExpectColumnValuesToBeBetween
from great_expectations.expectations.core.expect_column_values_to_be_in_set import ExpectColumnValuesToBeInSet
from great_expectations.expectations.core.expect_column_values_to_not_be_null import ExpectColumnValuesToNotBeNull

from .claims import Claim
from .declaration import Table
from .rules import Filled, OneOf, Range

MOST_ROWS = 200_000
# Of a wide table fewer: a batch is held in memory with what is worked out of it.
_MOST_VALUES = 8_000_000
_Key = tuple[str, tuple[tuple[str, str], ...]]


class Suites:
    """Judges claims as quality.broken_rows does, in batches of at most MOST_ROWS rows: a suite a table. A batch takes its time
    however small it is: what is given of the same rules is put off until there is enough; `rest` judges what is left.
    `batches` counts them; `judged` the values, or rows, that were held to a rule, by table, rule and column."""

    def __init__(self) -> None:
        logging.getLogger("great_expectations").setLevel(logging.ERROR)
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        asset = context.data_sources.add_pandas("lake").add_dataframe_asset("rows")
        self._rows = asset.add_batch_definition_whole_dataframe("rows")
        self._waiting: dict[_Key, tuple[Table, Sequence[Claim], list[pl.DataFrame]]] = {}
        self.batches = 0
        self.judged: Counter[tuple[str, str, str]] = Counter()

    def judge(self, table: Table, frame: pl.DataFrame, claims: Sequence[Claim]) -> Iterator[pl.DataFrame]:
        """The rows that break some claims, those of earlier frames among them."""
        key = table.name, tuple((claim.rule.name, claim.column) for claim in claims)
        *_, waiting = self._waiting.setdefault(key, (table, claims, []))
        waiting.append(frame)
        rows = sum(map(len, waiting))
        if rows >= MOST_ROWS or rows * len(claims) >= _MOST_VALUES:
            yield from self._judge(*self._waiting.pop(key))

    def rest(self) -> Iterator[pl.DataFrame]:
        while self._waiting:
            yield from self._judge(*self._waiting.popitem()[1])

    def _judge(self, table: Table, claims: Sequence[Claim], frames: list[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        for some in pl.concat(frames).iter_slices(MOST_ROWS):
            values = some.select(_value(claim).alias(str(k)) for k, claim in enumerate(claims))
            judged = [k for k, claim in enumerate(claims) if _can_break(claim, values[str(k)])]
            if not judged:
                continue
            for k in judged:
                known = len(some) if isinstance(claims[k].rule, Filled) else len(some) - values[str(k)].null_count()
                self.judged[table.name, claims[k].rule.name, claims[k].column] += known
            suite = gx.ExpectationSuite(name=table.name, expectations=[_expectation(claims[k], str(k)) for k in judged])
            batch = self._rows.get_batch(batch_parameters={"dataframe": values.to_pandas()})
            self.batches += 1
            for result in batch.validate(suite, result_format={"result_format": "COMPLETE"}).results:
                if result.exception_info.get("raised_exception"):
                    raise RuntimeError(f"Great Expectations failed: {result.exception_info}")
                if not result.success:
                    assert result.expectation_config
                    claim = claims[int(result.expectation_config.kwargs["column"])]
                    yield claim.told(table, some[result.result["unexpected_index_list"]])


def _can_break(claim: Claim, values: pl.Series) -> bool:
    """Whether there is anything to judge: most columns of a page that has another layout are empty."""
    return isinstance(claim.rule, Filled) or values.null_count() < len(values)


def _value(claim: Claim) -> pl.Expr:
    if isinstance(claim.rule, OneOf | Filled):
        return pl.col(claim.column).cast(pl.String)
    return (claim.found if isinstance(claim.rule, Range) else claim.excess).cast(pl.Float64)


def _expectation(claim: Claim, column: str) -> Any:
    match claim.rule:
        case Range(low=low, high=high):
            return ExpectColumnValuesToBeBetween(column=column, min_value=low, max_value=high)
        case OneOf(allowed=allowed):
            return ExpectColumnValuesToBeInSet(column=column, value_set=list(allowed))
        case Filled():
            return ExpectColumnValuesToNotBeNull(column=column)
    return ExpectColumnValuesToBeBetween(column=column, max_value=0)
