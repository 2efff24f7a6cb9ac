"""Explain headings: their columns, extents, and the targets of the values below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..declaration.layouts import Columns, CounterBlocks, Entries, LabelledBlock, Listing, TableLayout
from . import title_shift
from .cells import Target, spread_target
from .cut_blocks import block_heading, block_labels
from .cut_columns import stacked, under_places
from .cut_counters import counter_heading
from .cut_entries import entry_heading
from .cut_listings import listing_heading
from .headings import is_rule
from .report_lines import ReportLines


@dataclass(frozen=True)
class ExplainedColumn:
    """A column of a heading: its title, the print columns of its cells (from 1, both included), and its target columns. `note`: why there
    are none, or a remark."""

    title: str
    first: int
    last: int
    becomes: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class ExplainedHeading:
    """A heading: first and last line, layout, kinds of the rows below, columns, undeclared titles, title shift in columns, and why nothing
    below it is read."""

    first_line: int
    last_line: int
    layout: str
    rows: tuple[str, ...]
    columns: tuple[ExplainedColumn, ...]
    unclaimed: tuple[str, ...]
    shift: int = 0
    problem: str = ""


def explain_heading(
    report_lines: ReportLines, layout: TableLayout, printed: tuple[str, ...], lines: tuple[int, int], shift: int
) -> ExplainedHeading:
    """The heading of a layout. printed: its lines as used for cutting; lines: its first and last line in the file."""
    problem = ""
    columns: list[ExplainedColumn] = []
    unclaimed: list[str] = []
    width = report_lines.cells.shape[1]
    match layout:
        case Columns():
            if sum(not is_rule(line) for line in printed) < layout.depth:
                problem = f"fewer than {layout.depth} lines of titles: the rows below are not read"
            else:
                columns, unclaimed = _columns(report_lines, layout, printed, width, shift)
        case LabelledBlock():
            columns, unclaimed = _block(report_lines, printed[-1], width)
        case CounterBlocks():
            if len(printed) < 2:
                problem = "no line of dashes: labels and values with an equals sign between"
            else:
                columns, unclaimed = _counters(report_lines, layout, printed)
        case Entries() | Listing():
            make = entry_heading if isinstance(layout, Entries) else listing_heading
            made = make(report_lines.report, layout, printed, width)  # type: ignore[arg-type]
            if made is None:
                problem = "a required line or title is missing: the rows below are not read"
            else:
                columns, unclaimed = list(_layouts(made)), list(made.unknown)
    return ExplainedHeading(
        *lines, type(layout).__name__, layout.rows, tuple(columns), tuple(unclaimed), shift, problem
    )


def names(targets: Iterable[Target]) -> tuple[str, ...]:
    """Target columns, with the label before the cell and the kind of line."""
    out = []
    for t in targets:
        told = f"{t.table.name}.{t.column.name}"
        told += f" where the label is {t.label}" if t.label else ""
        out.append(told + (f" on {t.line}" if t.line else ""))
    return tuple(dict.fromkeys(out))


def _columns(
    report_lines: ReportLines, layout: Columns, printed: tuple[str, ...], width: int, shift: int
) -> tuple[list[ExplainedColumn], list[str]]:
    target = spread_target(report_lines.report, layout.rows)
    spread = target.table.spread if target else None
    titles = title_shift.titles_behind(printed, spread.after) if spread and shift else None
    if titles:
        printed = title_shift.moved(printed, titles, shift)
    if not report_lines.grammar.any_case.isdisjoint(layout.lines):
        printed = tuple(line.upper() for line in printed)
    stack = stacked(report_lines.report, layout, printed, width)
    declared = ", ".join(sorted({p.title for p, _, _ in under_places(report_lines.report, layout)}))
    out = []
    for column, place in stack.columns:
        note = ""
        becomes = names(place.targets) if place and not stack.is_other else ()
        if stack.is_other:
            note = "not read: the titles of the heading are not those that are known, in their order"
        elif place and place.spread:
            note = "no column has this title: one row per value"
        elif column.lost:
            note = "not read: its panel does not begin like any declared one"
        elif not place and column.ignored:
            note = "not read: the declaration ignores it"
        elif not place and layout.open:
            note = "not read: not declared for these lines"
        elif not place:
            note = f"unclaimed: no column is declared under this title; declared are {declared}"
        if column.unit:
            note = "; ".join(filter(None, (note, f"the {column.unit} above it is its unit, not part of the title")))
        title = " / ".join([*column.groups, column.title])
        out.append(ExplainedColumn(title, column.cut_start + 1, min(column.cut_end, width), becomes, note))
    return out, list(stack.unknown)


def _block(report_lines: ReportLines, printed: str, width: int) -> tuple[list[ExplainedColumn], list[str]]:
    groups, unknown = block_heading(report_lines.report, printed)
    labels = block_labels(report_lines.report)
    out = []
    for group in groups:
        first, last = group.start + 1, min(group.end, width)
        if not group.title:
            out.append(
                ExplainedColumn(group.printed, first, last, (), "unclaimed: no cell is declared under this title")
            )
            continue
        known = f"labels: {', '.join(sorted(labels[group.title]))}"
        if group.sub:
            known += f"; columns {', '.join(f'{name} up to {end}' for name, end in group.sub)}"
        note = "not read: the heading ends within this title" if group.is_cut else known
        out.append(ExplainedColumn(group.printed, first, last, (), note))
    return out, unknown


def _counters(
    report_lines: ReportLines, layout: CounterBlocks, printed: tuple[str, ...]
) -> tuple[list[ExplainedColumn], list[str]]:
    blocks, unknown = counter_heading(report_lines.report, layout, printed)
    targets: dict[str, list[Target]] = {}
    for place, target, _ in under_places(report_lines.report, layout):
        targets.setdefault("".join(place.title.split()), []).append(target)
    out = []
    for block in blocks:
        note = "not read: its title is not aligned with its dashes" if block.lost else "labels"
        out.append(ExplainedColumn(block.title, block.start + 1, block.end, (), note))
        for column in block.columns:
            becomes = names(targets.get("".join(column.title.split()), ()))
            note = "" if column.known else "unclaimed: no column is declared under this title"
            out.append(ExplainedColumn(f"{block.title} / {column.title}", column.start + 1, column.end, becomes, note))
    return out, unknown


def _layouts(made) -> Iterator[ExplainedColumn]:
    """Columns of the lines of titles of entries and listings."""
    if hasattr(made, "layouts"):
        yield ExplainedColumn(" ".join(made.keys), made.start + 1, made.end, (), "keys")
        lines = [(layout, ()) for layout in made.layouts]
    else:
        lines = [(line.layout, line.texts) for line in made.lines]
    for layout, texts in lines:
        for text in texts:
            yield ExplainedColumn(text.title, text.start + 1, text.end, (), "key" if text.is_key else "text")
        for place in layout.spans:
            if place.title:
                yield ExplainedColumn(place.title, place.start + 1, place.end, names(place.targets))
