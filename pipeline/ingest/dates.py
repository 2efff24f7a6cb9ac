"""Files of which no date can be read. Where the order of month and day is to blame they are not ingested: the same command with the other
order reads them. A file of damaged dates is kept, without times."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ..declaration.reading_options import Options
from ..errors import format_error
from ..quality.reject_text import format_reject_row

_TIMES = ("interval_start", "begin_at", "collected_at")
# What only the other order of month and day can read, by the order that was asked for: 31/01/2024, and 01/31/2024.
_MONTH, _LATE_DAY = r"(?:0?[1-9]|1[0-2])", r"(?:1[3-9]|2\d|3[01])"
_OTHER_ORDER = {
    "mdy": re.compile(rf"\b{_LATE_DAY}/{_MONTH}/\d"),
    "dmy": re.compile(rf"\b{_MONTH}/{_LATE_DAY}/\d"),
}
_DATE_REJECT = r"^(?:\w+: )?(?:date|time) .*\d.* cannot be read$"


@dataclass(frozen=True)
class Dates:
    """Of a part of a source: whether any row has a time, its first date that cannot be read, and the first that is one in the other order of
    month and day."""

    has_time: bool = True
    first_reject: str = ""
    first_of_other_order: str = ""


def dates_of(tables: Mapping[str, pa.Table], source_ids: list[str], options: Options) -> list[Dates]:
    """For each source of a batch. Rows are only looked at where dates were rejected."""
    first: dict[str, str] = {}
    other: dict[str, str] = {}
    if rejects := tables.get("parse_reject"):
        what, source = pl.Series(rejects["what"]).cast(pl.String), rejects["source_id"]
        for number in what.str.contains(_DATE_REJECT).arg_true().to_list():
            source_id = source[number].as_py()
            is_of_other_order = bool(_OTHER_ORDER[options.date_order].search(what[number]))
            if source_id not in first or (is_of_other_order and source_id not in other):
                row: dict[str, Any] = rejects.slice(number, 1).to_pylist()[0]
                text = format_reject_row(row)
                first.setdefault(source_id, text)
                if is_of_other_order:
                    other[source_id] = text
    if not first:
        return [Dates()] * len(source_ids)
    timed = {source_id for table in tables.values() for source_id in _with_a_time(table)}
    return [
        Dates(source_id in timed or source_id not in first, first.get(source_id, ""), other.get(source_id, ""))
        for source_id in source_ids
    ]


def _with_a_time(table: pa.Table) -> list[str]:
    name = next((name for name in _TIMES if name in table.column_names), None)
    if name is None:
        return []
    found = table["source_id"].filter(table[name].is_valid())
    return pc.call_function("unique", [found.cast(pa.string())]).to_pylist()


def is_undated(found: list[Dates]) -> bool:
    """Whether a source, of which these are all parts, has dates and none can be read."""
    return any(dates.first_reject for dates in found) and not any(dates.has_time for dates in found)


def dates_error(found: list[Dates], options: Options) -> str:
    """Why a source is not ingested, from what is known of all its parts; empty if it is."""
    rejects = [dates.first_of_other_order for dates in found if dates.first_of_other_order]
    if not rejects or not is_undated(found):
        return ""
    return (
        format_error(f"no date in it can be read (--date-order {options.date_order}): not ingested") + f"\n{rejects[0]}"
    )
