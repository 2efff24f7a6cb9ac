"""Cut lines of pairs: `Label . . . . : value`, one or several per line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

import numpy as np
import polars as pl

from ..declaration.layouts import Pairs
from ..declaration.places import Labelled
from ..declaration.report import Column, Report
from .cast import as_cells
from .cells import CellBlock, CellLayout, CellSpan, Target
from .numbers import CELL_WIDTH
from .rejects import Rejects
from .report_lines import ReportLines

# A line begins with a label; further labels follow two blanks and have single blanks between words.
# Dots lead to the colon of a label; without them a blank follows the colon: 09:57:09 is not a label.
_WORDS = r"[A-Za-z](?:[^ :]| [^ :])*"
_PAIR = (
    r"^( *)([A-Za-z][^:]*\. *):|^( *)([A-Za-z][^:]*):( |$)"
    rf"|(  )({_WORDS}(?: *\.)+ *):|(  )({_WORDS} *):( |$)"
)
_MARKED = "${1}${3}${6}${8}\u0001${2}${4}${7}${9}\u0002${5}${10}"
_LONGEST_VALUE = 200
# Wide gaps or leading dots in a value: a label that lost its colon, or foreign text.
_MORE_THAN_A_VALUE = r" {3}|\. *\."
_MORE_THAN_A_NUMBER = rf"{_MORE_THAN_A_VALUE}|.{{{CELL_WIDTH + 1}}}"


@cache
def labels(report: Report, heading: Pairs) -> dict[str, tuple[Target, ...]]:
    """Label → targets of the tables whose rows begin on lines of these kinds."""
    out: dict[str, tuple[Target, ...]] = {}
    for table in report.tables:
        if set(table.rows) & set(heading.rows):
            for column in table.columns:
                for place in column.places:
                    if isinstance(place, Labelled):
                        out[place.label] = (*out.get(place.label, ()), Target(table, column, place.pattern))
    return out


@cache
def _units(report: Report) -> dict[str, str]:
    """Label → what is printed behind its numbers, of the labels that have such a unit."""
    places = (place for table in report.tables for column in table.columns for place in column.places)
    return {place.label: place.unit for place in places if isinstance(place, Labelled) and place.unit}


@cache
def _begins(report: Report, heading: Pairs) -> tuple[str, ...]:
    """The kinds of line that begin rows of the tables whose values stand on lines of this layout."""
    tables = [table for table in report.tables if set(table.rows) & set(heading.rows)]
    return tuple(dict.fromkeys(kind for table in tables for kind in table.rows))


@lru_cache(maxsize=16384)
def _layout(report: Report, heading: Pairs, label: str, start: int, end: int) -> CellLayout:
    return CellLayout.of([CellSpan(start, end, labels(report, heading)[label], title=label)], 1e-3)


def find_pairs(text: pl.Series, lines: np.ndarray) -> pl.DataFrame:
    """One row per pair in page order: `line` (number in `lines`), `name` (label in capitals, without leading dots), `value`, and the columns
    `begin` of the label and `start` to `end` of the value. Text without a label is a row with a null value."""
    # A line may contain the marks of pairs.
    marked = text.str.replace_all("[\u0001\u0002]", "?").str.replace_all(_PAIR, _MARKED)
    parts = pl.DataFrame({"line": lines, "part": marked.str.split("\u0001")}).explode("part")
    parts = parts.with_columns(
        pl.col("part").str.splitn("\u0002", 2).struct.rename_fields(["label", "value"]).alias("p")
    )
    parts = parts.unnest("p").with_columns(pl.col("part").str.replace("\u0002", ":").str.len_chars().alias("size"))
    parts = parts.with_columns((pl.col("size").cum_sum() - pl.col("size")).over("line").cast(pl.Int64).alias("begin"))
    start = pl.col("begin") + pl.col("label").str.len_chars() + 1
    end = pl.col("begin").shift(-1).over("line").fill_null(start + _LONGEST_VALUE)
    name = pl.col("label").str.replace(r"[ .]+$", "").str.replace_all(r"\s+", " ").str.to_uppercase()
    return parts.with_columns(
        start.alias("start"),
        end.alias("end"),
        name.alias("name"),
        pl.col("value").str.strip_chars(" "),
    )


def cut_pairs(report_lines: ReportLines, heading: Pairs, rejects: Rejects) -> Iterator[CellBlock]:
    """All values with labels, grouped by label and place."""
    lines = report_lines.lines_of(heading.rows)
    if not len(lines):
        return
    parts = find_pairs(report_lines.text.gather(lines), lines)
    known = labels(report_lines.report, heading)
    row = report_lines.row_above(_begins(report_lines.report, heading), parts["line"].to_numpy())
    parts = parts.with_columns(pl.Series("row", row))
    # Below its title a section is known, whatever else it prints.
    titled = (row >= 0) & report_lines.of_kind(tuple(report_lines.grammar.titles), row)
    _reject_strange(report_lines, parts.filter(~titled), known, rejects)
    # A label without its colon has no value and is already reported.
    pairs = parts.filter(pl.col("name").is_in(list(known)) & pl.col("value").is_not_null())
    numbers: dict[Column, int] = {}
    column_of = {name: numbers.setdefault(targets[0].column, len(numbers)) for name, targets in known.items()}
    column = pairs["name"].replace_strict(column_of, return_dtype=pl.Int64)
    pairs = pairs.with_columns(column.alias("column"))
    again = ~pairs.select(pl.struct("row", "column").is_first_distinct()).to_series()
    _reject_runs(report_lines, pairs.filter(pl.col("row") < 0), "without the line that names its row", rejects)
    _reject_runs(report_lines, pairs.filter(again & (pl.col("row") >= 0)), "a second time in a row", rejects)
    pairs = pairs.filter(~again & (pl.col("row") >= 0))
    for (name, start, end), group in pairs.group_by("name", "start", "end", maintain_order=True):
        layout = _layout(report_lines.report, heading, name, start, end)  # type: ignore[arg-type]
        at = group["line"].to_numpy()
        is_text = all(t.queue == "text" for t in layout.spans[0].targets)
        suspect = group["value"].str.contains(_MORE_THAN_A_VALUE if is_text else _MORE_THAN_A_NUMBER).to_numpy()
        what = f"{report_lines.report.name}: more than one value after {name}"
        expected = "one value, then blanks or another label with a colon"
        rejects.add(report_lines, at[suspect], what, expected, column=start)
        value, unit = group["value"], _units(report_lines.report).get(name, "")
        if unit:
            bare = ~suspect & (value != "").to_numpy() & ~value.str.ends_with(unit).to_numpy()
            what = f"{report_lines.report.name}: {name} has no {unit} behind its number, which may be cut"
            rejects.add(report_lines, at[bare], what, f"a number and {unit}", column=start)
            suspect, value = suspect | bare, value.str.strip_suffix(unit)
        yield CellBlock(at, layout, as_cells(value)[:, None], suspect[:, None])


def _reject_strange(
    report_lines: ReportLines, parts: pl.DataFrame, known: dict[str, tuple[Target, ...]], rejects: Rejects
) -> None:
    """Undeclared labels, and text without a label."""
    unlabelled = parts.filter(pl.col("value").is_null() & (pl.col("label").str.strip_chars(" ") != ""))
    expected = ", ".join(sorted(known))
    strange = parts.filter(pl.col("value").is_not_null() & ~pl.col("name").is_in(list(known)))
    for found, words in ((strange, "unknown label {}"), (unlabelled, "no label in {!r}")):
        what = [f"{report_lines.report.name}: {words.format(name)}" for name in found["name"]]
        hint, at = "its value is not read; please report this layout", found["line"].to_numpy()
        rejects.add(report_lines, at, what, expected, hint, column=found["begin"].to_numpy())


def _reject_runs(report_lines: ReportLines, pairs: pl.DataFrame, what: str, rejects: Rejects) -> None:
    """Pairs that belong to no row; consecutive lines are one reject."""
    if not len(pairs):
        return
    first = pairs.unique("line", keep="first", maintain_order=True)
    report_lines.used[first["line"].to_numpy()] = True
    begins = report_lines.one_below_another(first["line"].to_numpy())
    lines = np.diff(np.append(begins, len(first)))
    told = first[begins.tolist()]
    words = [f"{report_lines.report.name}: {name} comes {what}" for name in told["name"]]
    hint, at = "the line that begins the row may be missing; these values are not read", told["line"].to_numpy()
    column = told["begin"].to_numpy()
    rejects.add(report_lines, at, words, "a line above that begins a row", hint, column=column, lines=lines)
