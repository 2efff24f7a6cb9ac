"""Rows that lost one number and have others below the title beside their own, as the variants of a page; and what is wrong with each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ironlake.pipeline.declaration.layouts import Columns, CounterBlocks, Entries, Listing
from page_variants import Reading, difference
from report_pages import all_report_lines
from sample_pages import canonical

_CELL = re.compile(r"(?<!\S)(?:[-+]?\d[\d.,:]*[KMGTB]?%?|\.\d+|N/[ACP]|-{2,})(?!\S)")
_OF_COLUMNS = (Columns, CounterBlocks, Entries, Listing)


@dataclass(frozen=True)
class Shifted:
    """A line (index) with a number lost and its neighbours moved over it, and its text."""

    line: int
    lost: str
    text: str

    def on(self, page: str) -> str:
        lines = page.split("\n")
        return "\n".join([*lines[: self.line], self.text, *lines[self.line + 1 :]])

    def __str__(self) -> str:
        return f"line {self.line + 1} without {self.lost}: {self.text.strip()!r}"


def rows_of_columns(path: Path) -> list[int]:
    """The lines (indexes) whose cells are told by their column."""
    found = set[int]()
    for lines in all_report_lines(canonical(path), path):
        kinds = {kind for layout in lines.report.layouts if isinstance(layout, _OF_COLUMNS) for kind in layout.rows}
        found |= set((lines.number[lines.lines_of(tuple(sorted(kinds)))] - 1).tolist())
    return sorted(found)


def shifted(line: int, text: str) -> Iterator[Shifted]:
    """A number lost and all behind it moved left by a column, or all in front of it moved right; and all from a number on moved right, with the
    last one lost. A column ends where its number on this line does. Numbers beside each other are those without a text between."""
    for cells in _runs(text):
        seen = {text.rstrip()}
        for lost in range(len(cells)):
            for moved, by in (
                (range(lost + 1, len(cells)), -1),
                *((range(first, lost), 1) for first in range(lost if lost == len(cells) - 1 else 1)),
            ):
                new = _moved(text, cells, lost, moved, by)
                if new is not None and len(moved) and new not in seen:
                    seen.add(new)
                    yield Shifted(line, cells[lost][0], new)


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """The numbers of a line with nothing but blanks between. One that is a blank behind a text may be a part of it (COMMIT PHASE 1)."""
    run: list[re.Match[str]] = []
    for cell in _CELL.finditer(text):
        if run and text[run[-1].end() : cell.start()].strip():
            if len(run) > 1:
                yield run
            run = []
        if run or not text[max(cell.start() - 2, 0) : cell.start()].strip():
            run.append(cell)
    if len(run) > 1:
        yield run


def _moved(text: str, cells: list[re.Match[str]], lost: int, moved: range, by: int) -> str | None:
    """The line without the number `lost`, those of `moved` where the one beside each ended; None where two would touch."""
    begin, end = cells[0].start(), cells[-1].end()
    out = text[:begin] + " " * (end - begin) + text[end:] + " "
    for k, cell in enumerate(cells):
        if k == lost:
            continue
        last = cells[k + by if k in moved else k].end()
        first = last - len(cell[0])
        if out[max(first - 1, 0) : last + 1].strip():
            return None
        out = out[:first] + cell[0] + out[last:]
    return out.rstrip()


def wrong_in_silence(whole: Reading, after: Reading, variant: Shifted) -> list[str]:
    """The values of a variant that the whole page does not have, and lost values after the first, unless a reject names the line."""
    if variant.line + 1 in after.rejected_lines:
        return []
    found = difference(whole, after)
    wrong = [f"{key[0]}.{column} is {new!r}, not {old!r}" for (key, column), (old, new) in found.changed.items()]
    wrong += [f"{key[0]}: a row that the page does not have" for key in found.extra]
    lost = {(key, column) for key, column in found.lost if not column.endswith("_resolution")}
    if len(lost) + len(found.missing) > 1:
        wrong.append(f"{len(lost)} values and {len(found.missing)} rows lost without a reject")
    return wrong
