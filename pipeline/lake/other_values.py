"""Which intervals of new sources are in a lake already with other values: found in the parts that the ledger knows to be of those times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ..declaration.report import PROVENANCE, Table, reports
from .parts import PartStore
from .prints import OFFSET, columns_of, frame_of, has_prints, time_column
from .state import Part, SourceEntry, State

if TYPE_CHECKING:
    import polars as pl

# Said by options of the ingest, or by the release or the form of the print, not by the interval.
_NOT_VALUES = {OFFSET, "release", "report_version", "source_form", *(c.name for c in PROVENANCE)}


@dataclass
class OtherValues:
    """`intervals`: the report and the times of each; `files`: the sources that have them. `counts`: how many, by source, report and start, as
    the entry of a source keeps it."""

    intervals: set[tuple[Any, ...]] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    _by_source: set[tuple[Any, ...]] = field(default_factory=set)

    def add(self, report: str, source_id: str, start: datetime | None, times: tuple[Any, ...]) -> None:
        self.intervals.add((report, *times))
        self.files.add(source_id)
        self._by_source.add((interval_key(source_id, report, start), *times))

    @property
    def counts(self) -> dict[str, int]:
        return dict(sorted(Counter(key for key, *_ in self._by_source).items()))


def interval_key(source_id: str, report: str, start: datetime | None) -> str:
    """Intervals of a source, as the entry of another that has other values of them names them."""
    return f"{source_id} {report} {start.isoformat() if start else '-'}"


def own_key(entry: SourceEntry, key: str) -> str:
    """The same intervals of the source itself."""
    return f"{entry.source_id} {key.partition(' ')[2]}"


def find_other_values(
    store: PartStore, state: State, parts: Sequence[Part], without: Collection[str], known: dict[str, pl.DataFrame]
) -> dict[str, OtherValues]:
    """Of the sources of `parts`, which are not committed, those that print keys that are there with other values. `without`: sources
    that are about to be replaced. `known`: the prints of parts, by path. Parts never change, and in an ingest of many commits each is looked
    at by all later ones."""
    found: dict[str, OtherValues] = {}
    for part in parts:
        if not part.rows or not has_prints(part.table):
            continue
        old = [p for p in state.parts_of(part.table) if _overlap(p, part) and not set(p.source_ids) <= set(without)]
        table = next(t for r in reports().values() for t in r.tables if t.name == part.table)
        if not old or not table.key:
            continue
        for new, there in _pairs(store, table, part, old, known):
            differs = _differing(table, new, there.filter(~_is_of(there, without)))
            for source_id, old_id, *times in differs:
                start = times[_times_of(table).index(time_column(table.name))]
                of_source = found.setdefault(source_id, OtherValues())
                of_source.add(_report_of(table), old_id, start, tuple(times))
    names = {e.source_id: e.source_file for e in state.sources.values()} if found else {}
    for of_source in found.values():
        of_source.files = {names.get(old_id, old_id) for old_id in of_source.files}
    return found


def _report_of(table: Table) -> str:
    return next(r.name for r in reports().values() if table in r.tables)


def _times_of(table: Table) -> list[str]:
    return [c for c in table.key if c in ("interval_start", "interval_end", "begin_at", "end_at", "collected_at")]


def _overlap(a: Part, b: Part) -> bool:
    if a.first_time is None or a.last_time is None or b.first_time is None or b.last_time is None:
        return True
    # An interval that begins when another ends is not the same.
    return a.first_time == b.first_time or (a.first_time < b.last_time and a.last_time > b.first_time)


def _pairs(
    store: PartStore, table: Table, part: Part, old: Sequence[Part], known: dict[str, pl.DataFrame]
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """The rows of a new part, with the rows of each row group of old ones that has a print of it. All columns are read of these alone."""
    import polars as pl

    time, columns = time_column(table.name), columns_of(table.name)
    prints = _prints_in(store, part, known)
    there = pl.concat([_prints_in(store, each, known) for each in old], how="vertical_relaxed")
    same = there.join(prints, on=columns, how="semi", nulls_equal=True).select("_path", "_group").unique()
    if same.is_empty():
        return
    new = _frame(table, pa.concat_tables(store.read(part)))
    times = pc.SetLookupOptions(prints[time].unique().to_arrow().cast(pa.timestamp("us")))
    for path, groups in same.group_by("_path", maintain_order=True):
        with store.opened(next(p for p in old if p.path == path[0])) as file:
            for group in groups["_group"]:
                rows = file.read_row_group(group)
                yield new, _frame(table, rows.filter(pc.call_function("is_in", [rows[time]], times)))


def _prints_in(store: PartStore, part: Part, known: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """The prints of each row group of a part."""
    import polars as pl

    if part.path in known:
        return known[part.path]
    columns = columns_of(part.table)
    prints = [frame_of(rows, columns).unique() for rows in store.read(part, columns)]
    of_groups = [p.with_columns(_path=pl.lit(part.path), _group=pl.lit(k)) for k, p in enumerate(prints)]
    known[part.path] = pl.concat(of_groups).drop_nulls(time_column(part.table))
    return known[part.path]


def _frame(table: Table, rows: pa.Table) -> pl.DataFrame:
    """The key of each row, its source and form, and hashes of its values and of those that print and XML both have. A column that an older
    part lacks is NULL."""
    import polars as pl
    import polars.selectors as cs

    names = [c for c in table.schema.names if c not in _NOT_VALUES and c not in table.key]
    for name in [*names, *table.key]:
        if name not in rows.column_names:
            rows = rows.append_column(name, pa.nulls(rows.num_rows, table.schema.field(name).type))
    frame = frame_of(rows, ["source_id", *table.key])
    values = frame_of(rows, names)
    # Print leaves out what is zero where XML says so (all data of a class, a type of processor).
    in_both = values.drop(table.only_in_print, strict=False).with_columns(
        cs.numeric().fill_null(0), cs.boolean().fill_null(False)
    )
    return frame.with_columns(
        _values=values.hash_rows() if names else pl.lit(0),
        _in_both=in_both.hash_rows() if in_both.width else pl.lit(0),
        _form=frame_of(rows, ["source_form"])["source_form"].cast(pl.String).fill_null("print")
        if "source_form" in rows.column_names
        else pl.lit("print"),
        _offset=frame_of(rows, [OFFSET])[OFFSET],
    )


def _is_of(rows: pl.DataFrame, source_ids: Collection[str]) -> pl.Series:
    return rows["source_id"].is_in(list(source_ids))


def _differing(table: Table, new: pl.DataFrame, there: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    """The new source, the old one and the times of the rows of equal keys that differ."""
    import polars as pl

    both = new.join(there, on=list(table.key), how="inner", nulls_equal=True)
    of_one_form = pl.col("_form") == pl.col("_form_right")
    # No page has the digits of SMF records: `ironlake check` compares the two.
    is_comparable = of_one_form | ((pl.col("_form") != "smf") & (pl.col("_form_right") != "smf"))
    # Where the clock was set back two hours have one local time.
    is_of_one_hour = (pl.col("_offset") == pl.col("_offset_right")).fill_null(True)
    differing = both.filter(
        is_of_one_hour
        & is_comparable
        & pl.when(of_one_form)
        .then(pl.col("_values") != pl.col("_values_right"))
        .otherwise(pl.col("_in_both") != pl.col("_in_both_right"))
    )
    return differing.select("source_id", "source_id_right", *_times_of(table)).unique().iter_rows()
