"""Rows that have the key of another one of their page, of XML documents and of printed tables with `keys_once`: nobody knows which is right.

Both are kept, as those of two prints are, so that views have no value where they differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration.layouts import XmlRows
from ..declaration.places import Col
from ..declaration.report import PROVENANCE, Report, Table
from .rejects import Rejects
from .report_lines import ReportLines

_HINT = "both rows are kept; views have no value where the two differ"


def reject_rows_again(
    report_lines: ReportLines, table: Table, arrays: Mapping[str, pa.Array], lines: np.ndarray, rejects: Rejects
) -> None:
    """Report each row that repeats a key. `arrays`: of the table; `lines`: of its rows."""
    kinds, key = _rows(report_lines.report, table)
    if not kinds or not len(report_lines.lines_of(kinds)):
        return
    where = np.flatnonzero(report_lines.of_kind(kinds, lines))
    page = pl.Series("page", report_lines.page_index[lines[where]])
    again = _repeated(page, _taken(arrays, key, where))
    if not again.any():
        return
    # A row with a part of its key alone (a partition that is not active has no type) may come again, if it says the same.
    names = [n for n in arrays if n not in {c.name for c in PROVENANCE}]
    same = _repeated(page, _taken(arrays, names, where))
    partly = _taken(arrays, [n for n in key if table.column(n).type.name == "text"], where)
    again &= ~(same & partly.select(pl.any_horizontal(pl.all().is_null())).to_series().to_numpy())
    if table.keys_once:
        # One reject for all rows below a heading.
        _, first = np.unique(report_lines.unit[lines[where[again]]], return_index=True)
        again = np.isin(np.arange(len(where)), np.flatnonzero(again)[first])
    at = lines[where[again]]
    said = [", ".join(str(v) for v in row if v is not None) for row in _taken(arrays, key, where[again]).iter_rows()]
    what = [f"{table.name}: the key {one} comes again on the page" for one in said]
    rejects.add(report_lines, at, what, "each key once", _HINT)


@cache
def _rows(report: Report, table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds of the table's rows that are asked, those in XML or all, and the key columns in which rows of a page may differ."""
    if table.keys_once:
        return table.rows, table.key
    of_xml = {kind for layout in report.layouts if isinstance(layout, XmlRows) for kind in layout.rows}
    key = tuple(name for name in table.key if any(isinstance(place, Col) for place in table.column(name).places))
    return tuple(kind for kind in table.rows if kind in of_xml), key


def _taken(arrays: Mapping[str, pa.Array], names: tuple[str, ...] | list[str], where: np.ndarray) -> pl.DataFrame:
    rows = pa.array(where)
    return pl.DataFrame([pl.Series(name, arrays[name].take(rows)) for name in names])


def _repeated(page: pl.Series, values: pl.DataFrame) -> np.ndarray:
    """Bool per row: one above it on its page has the same values."""
    return ~values.with_columns(page).select(pl.struct(pl.all()).is_first_distinct()).to_series().to_numpy()
