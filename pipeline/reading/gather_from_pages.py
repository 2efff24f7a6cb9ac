"""Columns gathered from all pages of an interval, filled after the tables of a report are built."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ..declaration.places import Gathered
from ..declaration.report import Report
from .assign_values import TableBuilder
from .report_lines import ReportLines


def gather_over_rows(report: Report, builder: TableBuilder, tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """Fill the Gathered columns: values from any page of an interval, equal on all its rows."""
    report_lines = builder.report_lines
    interval = _intervals(report_lines)[report_lines.page_index]
    out = dict(tables)
    found: dict[Gathered, tuple[np.ndarray, list[str | None]]] = {}
    for table in report.tables:
        for column in table.columns:
            for place in column.places:
                if isinstance(place, Gathered) and len(out[table.name]):
                    if place not in found:
                        found[place] = _gather(place, builder, tables, interval)
                    which, words = found[place]
                    ids = which[interval[builder.row_lines[table.name]]]
                    array = pa.DictionaryArray.from_arrays(pa.array(ids, mask=ids < 0), pa.array(words, pa.string()))
                    made = out[table.name]
                    at = made.schema.get_field_index(column.name)
                    out[table.name] = made.set_column(at, made.schema.field(at), array)
    return out


def _intervals(report_lines: ReportLines) -> np.ndarray:
    """Per page: a number shared by pages of the same interval and source."""
    pages = int(report_lines.page_index[-1]) + 1
    first = np.searchsorted(report_lines.page_index, np.arange(pages))
    key = report_lines.segment[first].astype(np.int64)
    for kind in report_lines.report.interval:
        of_page = report_lines.page_text(kind)
        key = key * (int(of_page.max(initial=-1)) + 2) + of_page + 1
    return np.unique(key, return_inverse=True)[1]


def _gather(
    place: Gathered, builder: TableBuilder, tables: dict[str, pa.Table], interval: np.ndarray
) -> tuple[np.ndarray, list[str | None]]:
    """Index per interval into the joined values (-1: none), and these."""
    count = int(interval.max(initial=-1)) + 1
    members: list[set[str]] = [set() for _ in range(count)]
    for table, column in place.sources:
        if not len(tables[table]):
            continue
        chunk = tables[table].column(column).combine_chunks()
        words = chunk.dictionary.to_pylist()
        ids = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        pairs = np.unique(np.stack([interval[builder.row_lines[table]], ids], axis=1), axis=0)
        fresh: dict[int, set[str]] = {}
        for at, word in pairs.tolist():
            if word >= 0 and words[word] not in place.leave_out:
                fresh.setdefault(at, set()).add(words[word])
        for at, names in fresh.items():
            members[at] = members[at] or names
    given = getattr(builder.options, place.option)
    joined = [",".join(sorted(m)) if m else given for m in members]
    words = [w for w in dict.fromkeys(joined) if w is not None]
    number = {w: n for n, w in enumerate(words)}
    return np.array([number.get(j, -1) if j is not None else -1 for j in joined], dtype=np.int32), list(words)
