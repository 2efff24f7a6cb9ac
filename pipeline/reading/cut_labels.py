"""Side-by-side tables below one heading: in each, a label before the first cell names the line's values.

`SYNC  126K  51.0` beside `NO SCH  0  0.0`: the tables are independent, so the meaning of a cell depends on its column and on its own
table's label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from ..declaration.layouts import Columns
from ..frozen import frozen
from .cells import BLANK, CellBlock, CellLayout, CellSpan
from .filled_together import take_out_partly_filled
from .headings import HeadingColumn
from .numbers import any_byte
from .rejects import Rejects
from .report_lines import ReportLines


@frozen()
class LabelledTable:
    """Labels are left of the first cell, which ends at column `end`, and right of the previous column (title or cells, and perhaps a
    suffix). Per label: indexes of its places in the stack, and their layout; `every`: the places of any label."""

    starts: tuple[int, ...]
    end: int
    layouts: dict[str, tuple[np.ndarray, CellLayout]]
    every: np.ndarray

    def cell_blocks(
        self, whole: CellBlock, label: np.ndarray, report_lines: ReportLines, rejects: Rejects
    ) -> Iterator[CellBlock]:
        """The cells of the lines with each label; cells without a label are reported."""
        filled = (whole.cells[:, self.every] != BLANK).any(axis=2)
        if whole.suspect is not None:
            filled &= ~whole.suspect[:, self.every]
        for number, (places, layout) in enumerate(self.layouts.values()):
            at = np.flatnonzero(label == number)
            if len(at):
                filled[np.ix_(at, np.isin(self.every, places))] = False
                suspect = None if whole.suspect is None else whole.suspect[np.ix_(at, places)]
                cells, are_short = np.ascontiguousarray(whole.cells[np.ix_(at, places)]), np.zeros(len(at), dtype=bool)
                has_any = any_byte(cells != BLANK).astype(np.uint8) + any_byte((cells != BLANK) & (cells != ord("-")))
                out = take_out_partly_filled(
                    report_lines, whole.line[at], cells, has_any, layout.spans, False, are_short, rejects
                )
                if out.any():
                    suspect = out if suspect is None else suspect | out
                yield CellBlock(whole.line[at], layout, cells, suspect)
        strange = np.flatnonzero(filled.any(axis=1))
        if len(strange):
            names = list(self.layouts)
            what = [
                f"{report_lines.report.name}: {f'not a value of {names[k]}' if k >= 0 else 'unknown label'}"
                for k in label[strange]
            ]
            first = [whole.layout.spans[self.every[k]].start for k in filled[strange].argmax(axis=1)]
            line = whole.line[strange]
            cells = report_lines.cells[line]
            column = [int((row[at:] != BLANK).argmax()) + at for row, at in zip(cells, first, strict=True)]
            rejects.add(report_lines, line, what, ", ".join(names), column=np.array(column))


def labelled_tables(
    heading: Columns, columns: list[HeadingColumn], number: dict[int, int], places: list[CellSpan], unit: float
) -> tuple[LabelledTable, ...]:
    """The labelled tables of a heading. number: index into `places` of each column read; unit: seconds of a bare integer of a clock."""
    first = [
        next((k for k, c in enumerate(columns) if k in number and c.named(title, group)), None)
        for title, group in (heading.sides.first if heading.sides else ())
    ]
    out = []
    for column in first:
        if column is None:
            continue
        labels = list(dict.fromkeys(t.label for t in places[number[column]].targets if t.label))
        before = [k for k in number if k < column]
        starts = (columns[before[-1]].end, places[number[before[-1]]].end) if before else (0,)
        layouts = {}
        for label in labels:
            read = [(k, tuple(t for t in p.targets if t.label == label)) for k, p in enumerate(places)]
            read = [(k, targets) for k, targets in read if targets]
            layout = CellLayout.of([replace(places[k], targets=targets) for k, targets in read], unit)
            layouts[label] = np.array([k for k, _ in read]), layout
        every = np.unique(np.concatenate([at for at, _ in layouts.values()]))
        out.append(LabelledTable(starts, columns[column].end, layouts, every))
    return tuple(out)


def take_labels(block: np.ndarray, table: LabelledTable) -> np.ndarray:
    """Per line of `block`: an index into the table's labels (-1: none); blanks the labels found."""
    which = np.full(len(block), -1, dtype=np.int64)
    longest = max(map(len, table.layouts))
    padded = np.concatenate([block, np.full((len(block), longest + 1), BLANK, dtype=np.uint8)], axis=1)
    for start in table.starts:
        filled = padded[:, start : max(table.end, start + 1)] != BLANK
        begin = start + filled.argmax(axis=1)
        words = np.take_along_axis(padded, begin[:, None] + np.arange(longest + 1), axis=1)
        for number, label in enumerate(table.layouts):
            size = len(label)
            same = (words[:, :size] == np.frombuffer(label.encode(), np.uint8)).all(axis=1)
            after = words[:, size]
            found = np.flatnonzero(same & (which < 0) & ~((after >= ord("A")) & (after <= ord("Z"))))
            which[found] = number
            block[found[:, None], begin[found, None] + np.arange(size)] = BLANK
    return which


def blank_asides(block: np.ndarray, text: pl.Series, patterns: Sequence[str]) -> None:
    """Blank the matches of these patterns in `block`: they are read elsewhere, or are reasons for no value."""
    for pattern in patterns:
        parts = text.str.extract_groups(f"^(.*?)({pattern})").struct
        before, found = (parts.field(k).str.len_chars() for k in ("1", "2"))
        at = np.flatnonzero(found.is_not_null().to_numpy())
        if len(at):
            begin = before.gather(at).to_numpy()[:, None]
            end = begin + found.gather(at).to_numpy()[:, None]
            columns = np.arange(block.shape[1])
            block[at] = np.where((columns >= begin) & (columns < end), BLANK, block[at])
