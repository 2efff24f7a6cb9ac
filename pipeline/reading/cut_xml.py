"""Cut the lines of an XML document: names with values, and rows of cells below a heading. See files/xml_lines.py for the lines.

A row with fewer cells than its heading has titles (RMF writes 16 for a deactivated partition below 17) may lack any of them. Its
cells are read up to the first empty one, if all behind that are empty as well; any other row whose cells do not match the
titles is a reject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration.layouts import XmlRows, XmlVariables
from ..declaration.places import Col, Var
from ..declaration.report import Report
from .cells import BLANK, CellBlock, CellLayout, CellSpan, Target, clock_unit, unknown_titles
from .numbers import CELL_WIDTH
from .rejects import Rejects
from .report_lines import ReportLines, byte_matrix

_BAR = "|"
_TAG = re.compile(r"<[^>]*> *")
_TO_THE_END = 1 << 20
# Of times without any point, in seconds, if the title of their part does not say.
_CLOCK_UNIT = 1e-3
_BRACKETS = str.maketrans("()", "  ")
_MOST_BYTES = 1 << 24
_HINT = "it is not read; please report this layout"


@cache
def _variables(report: Report, layout: XmlVariables) -> dict[tuple[str, str], tuple[tuple[Target, ...], ...]]:
    """(part, name) → of each cell behind the name its targets; first those of tables with a row per page, which tell of a value that is
    N/A."""
    out: dict[tuple[str, str], tuple[tuple[Target, ...], ...]] = {}
    for table in sorted(report.tables, key=lambda t: not set(t.rows) & set(layout.lines)):
        for column in table.columns:
            for place in column.places:
                if isinstance(place, Var):
                    target = Target(table, column, place.pattern, reach="page", words=place.words)
                    cells = out.get((place.part, place.name), ((),) * place.of)
                    assert len(cells) == place.of, f"{place.name} has {len(cells)} and {place.of} cells"
                    here, after = place.cell, place.cell + 1
                    out[place.part, place.name] = (*cells[:here], (*cells[here], target), *cells[after:])
    return out


@cache
def _columns(report: Report, layout: XmlRows) -> dict[str, tuple[Target, ...]]:
    """Heading → targets of the tables whose rows begin on these lines."""
    out: dict[str, tuple[Target, ...]] = {}
    for table in report.tables:
        if set(table.rows) & set(layout.rows):
            for column in table.columns:
                for place in column.places:
                    if isinstance(place, Col):
                        target = Target(table, column, place.pattern, place.line, words=place.words)
                        out[place.heading] = (*out.get(place.heading, ()), target)
    return out


def cut_variables(report_lines: ReportLines, layout: XmlVariables, rejects: Rejects) -> Iterator[CellBlock]:
    """The values of declared names, name by name."""
    lines = report_lines.lines_of(layout.rows)
    if not len(lines):
        return
    known = _variables(report_lines.report, layout)
    text = report_lines.text.gather(lines)
    part, parts = _parts(report_lines, layout, lines)
    before, befores = _coded(text.str.splitn(_BAR, 2).struct.field("field_0").to_arrow())
    place, places = _coded(pa.array(part * len(befores) + before))
    # Per place of a name: its part and itself.
    variables = [(parts[k // len(befores)], _bare(befores[k % len(befores)])) for k in places]
    number = {variable: k for k, variable in enumerate(dict.fromkeys(variables))}
    variable = np.array([number[each] for each in variables])[place]
    named = np.array([each in known for each in variables])[place]
    again = ~pl.Series(report_lines.page_index[lines] * len(number) + variable).is_first_distinct().to_numpy()
    for some, said in ((~named, "unknown name {1!r} in {0!r}"), (named & again, "name {1!r} comes again in {0!r}")):
        of_these = [variables[k] for k in place[some].tolist()]
        what = [f"{report_lines.report.name}: {said.format(*each)}" for each in of_these]
        expected = [", ".join(sorted(name for p, name in known if p == each[0])) for each in of_these]
        rejects.add(report_lines, lines[some], what, expected, _HINT, column=len("<row SUM>") + 2)
    wanted = named & ~again
    for rows, octets in _octets(text):
        here = np.flatnonzero(wanted[rows])
        at = place[rows][here]
        for k in np.unique(at).tolist():
            mine = here[at == k]
            start = len(befores[places[k] % len(befores)]) + 1
            yield from _behind(report_lines, layout, lines[rows][mine], octets[mine], variables[k], start, rejects)


def _coded(values: pa.Array) -> tuple[np.ndarray, list[Any]]:
    """Indexes into the distinct values, and these in the order in which they come."""
    coded = values.dictionary_encode()
    return coded.indices.to_numpy().astype(np.int64), coded.dictionary.to_pylist()


def _bare(text: str) -> str:
    return _TAG.sub("", text, count=1).rstrip(" ")


def _octets(text: pl.Series) -> Iterator[tuple[slice, np.ndarray]]:
    """Lines of any length as bytes: as many at once as bounded memory holds."""
    width = int(text.str.len_chars().max() or 0)  # type: ignore[arg-type]
    step = max(_MOST_BYTES // max(width, 1), 1)
    for begin in range(0, len(text), step):
        some = text.slice(begin, step)
        yield slice(begin, begin + len(some)), byte_matrix(some, width)


def _parts(report_lines: ReportLines, layout: XmlVariables, lines: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Per line an index into the titles of parts, and these."""
    at = np.maximum(report_lines.nearest(layout.lines, lines), 0)
    ids, titles = report_lines.text_ids(layout.lines)
    part, parts = ids[at], [*map(_bare, titles), ""]
    for kind, name in layout.untitled:
        part = np.where(report_lines.of_kind((kind,), at), len(parts), part)
        parts.append(name)
    # Without a line of a part above.
    return np.where(part < 0, len(titles), part), parts


def _behind(
    report_lines: ReportLines,
    layout: XmlVariables,
    lines: np.ndarray,
    octets: np.ndarray,
    variable: tuple[str, str],
    start: int,
    rejects: Rejects,
) -> Iterator[CellBlock]:
    """The cells behind one name, which begin at `start`."""
    cells = len(_variables(report_lines.report, layout)[variable])
    for bars, rows in _by_bars(octets).items():
        if len(bars) == cells:
            span = _span(report_lines.report, layout, variable, bars)
            yield CellBlock(lines[rows], span, _numeric_cells(octets[rows], span))
        else:
            at, what = lines[rows], f"{len(bars)} cells behind {variable[1]!r}"
            _tell_of_cells(report_lines, at, what, cells, rejects)
            unread = _unread(report_lines.report, layout, variable, start)
            yield CellBlock(at, unread, _numeric_cells(np.full((len(at), start + 1), ord("?"), np.uint8), unread))


@lru_cache(maxsize=4096)
def _span(report: Report, layout: XmlVariables, variable: tuple[str, str], bars: tuple[int, ...]) -> CellLayout:
    part, name = variable
    ends = (*bars[1:], _TO_THE_END)
    spans = [
        CellSpan(bar + 1, end, targets, title=name)
        for bar, end, targets in zip(bars, ends, _variables(report, layout)[variable], strict=True)
    ]
    return CellLayout.of(spans, clock_unit(part.translate(_BRACKETS)) or _CLOCK_UNIT)


@lru_cache(maxsize=4096)
def _unread(report: Report, layout: XmlVariables, variable: tuple[str, str], start: int) -> CellLayout:
    """All cells behind a name, of which none is read."""
    spans = [
        CellSpan(start, _TO_THE_END, tuple(target for target in targets if target.queue != "text"), told=True)
        for targets in _variables(report, layout)[variable]
    ]
    return CellLayout.of(spans, _CLOCK_UNIT)


def cut_rows(report_lines: ReportLines, layout: XmlRows, rejects: Rejects) -> Iterator[CellBlock]:
    """The cells of declared columns, heading by heading."""
    lines = report_lines.lines_of(layout.rows)
    if not len(lines):
        return
    heading = report_lines.nearest(layout.lines, lines)
    headless = (heading < 0) | (report_lines.unit[np.maximum(heading, 0)] != report_lines.unit[lines])
    # The grammar lets no row stand without its heading.
    lines, heading = lines[~headless], heading[~headless]
    ids, headings = report_lines.text_ids(layout.lines)
    known = _columns(report_lines.report, layout)
    for number in np.unique(ids[heading]):
        below = ids[heading] == number
        titles = _titles(layout, headings[number])
        if titles is None:
            _tell_of_order(report_lines, layout, heading[below], lines[below], headings[number], rejects)
            continue
        unknown = [title or "(none)" for title in titles if title not in known]
        if unknown:
            unknown_titles(report_lines, heading[below], unknown, list(known), rejects)
        wrong = [f"no column {title!r}" for title in _required(report_lines.report, layout) if title not in titles]
        wrong += [f"column {title!r} comes again" for title in dict.fromkeys(titles) if titles.count(title) > 1]
        if wrong:
            _tell_of_heading(report_lines, heading[below], wrong, rejects)
        yield from _below(report_lines, layout, lines[below], headings[number], rejects)


@cache
def _required(report: Report, layout: XmlRows) -> tuple[str, ...]:
    """Headings that every release has."""
    places = (
        place
        for table in report.tables
        if set(table.rows) & set(layout.rows)
        for column in table.columns
        for place in column.places
    )
    return tuple(dict.fromkeys(p.heading for p in places if isinstance(p, Col) and not p.optional))


def _tell_of_heading(report_lines: ReportLines, headings: np.ndarray, wrong: list[str], rejects: Rejects) -> None:
    hint = "these columns of the rows below are empty; please report this layout"
    rejects.add(report_lines, np.unique(headings), f"{report_lines.report.name}: {', '.join(wrong)}", "", hint)


def _titles(layout: XmlRows, heading: str) -> list[str] | None:
    """What `Col` calls the columns below a heading; None if they are not those of the declared order."""
    titles = _cells(heading)
    if not layout.order:
        return titles
    if len(titles) != len(layout.order) or not all(map(_is_title, titles, layout.order)):
        return None
    return [name for name, _ in layout.order]


def _is_title(title: str, column: tuple[str, str]) -> bool:
    return re.search(column[1], title.upper()) is not None


def _tell_of_order(
    report_lines: ReportLines, layout: XmlRows, headings: np.ndarray, rows: np.ndarray, heading: str, rejects: Rejects
) -> None:
    """Rows below a heading that has more or fewer columns than the declared order, or another title at a place of it."""
    titles, order = _cells(heading), layout.order
    if len(titles) == len(order):
        wrong = [
            (title, column[0]) for title, column in zip(titles, order, strict=True) if not _is_title(title, column)
        ]
        said = ", ".join(f"{title!r} in the place of {name!r}" for title, name in wrong)
    else:
        said = f"{len(titles)} columns"
    what = f"{report_lines.report.name}: {said}"
    expected = f"{len(order)} columns: {', '.join(name for name, _ in order)}"
    hint = "it is not known which column is which; no row below is read; please report this layout"
    rejects.add(report_lines, np.unique(headings), what, expected, hint, unread=rows)
    report_lines.damaged[rows] = True


def _below(
    report_lines: ReportLines, layout: XmlRows, lines: np.ndarray, heading: str, rejects: Rejects
) -> Iterator[CellBlock]:
    """The cells of rows below one heading. Nearly all have their bars where the heading has them."""
    usual = _bars(heading)
    for some, octets in _octets(report_lines.text.gather(lines)):
        for bars, rows in _by_bars(octets, usual).items():
            at = lines[some][rows]
            if len(bars) != len(usual):
                yield from _uneven(report_lines, layout, at, heading, rejects)
                continue
            cell_layout = _layout(report_lines.report, layout, heading, bars, len(bars) + 1)
            yield CellBlock(at, cell_layout, _numeric_cells(octets[rows], cell_layout))


def _by_bars(octets: np.ndarray, usual: tuple[int, ...] | None = None) -> dict[tuple[int, ...], np.ndarray | slice]:
    """Where bars are → the lines that have them there. Nearly all have the usual ones, by default those of the first."""
    is_bar = octets == ord(_BAR)
    if usual is None:
        usual = tuple(np.flatnonzero(is_bar[0]).tolist())
    is_usual = np.zeros(len(octets), dtype=bool)
    if max(usual, default=-1) < octets.shape[1]:
        is_usual = (is_bar.sum(axis=1) == len(usual)) & is_bar[:, list(usual)].all(axis=1)
    if is_usual.all():
        return {usual: slice(None)}
    by_bars: dict[tuple[int, ...], list[int]] = {}
    for k in np.flatnonzero(~is_usual).tolist():
        by_bars.setdefault(tuple(np.flatnonzero(is_bar[k]).tolist()), []).append(k)
    out: dict[tuple[int, ...], np.ndarray | slice] = {usual: np.flatnonzero(is_usual)} if is_usual.any() else {}
    return out | {bars: np.array(rows) for bars, rows in by_bars.items()}


def _uneven(
    report_lines: ReportLines, layout: XmlRows, lines: np.ndarray, heading: str, rejects: Rejects
) -> Iterator[CellBlock]:
    """Rows with another number of cells than their heading has titles."""
    titles = len(_cells(heading))
    for line in lines.tolist():
        text = report_lines.text[line]
        cells = _cells(text)
        filled = [k for k, cell in enumerate(cells) if cell]
        first_empty = next((k for k, cell in enumerate(cells) if not cell), len(cells))
        at = np.array([line])
        if len(filled) == first_empty < min(len(cells), titles):
            cell_layout = _layout(report_lines.report, layout, heading, _bars(text), first_empty)
            yield CellBlock(at, cell_layout, _numeric_cells(byte_matrix(pl.Series([text]), len(text)), cell_layout))
            continue
        what = f"{len(cells)} cells below {titles} titles"
        _tell_of_cells(report_lines, at, what, titles, rejects, unread=at)
        report_lines.damaged[line] = True


def _tell_of_cells(
    report_lines: ReportLines,
    lines: np.ndarray,
    what: str,
    expected: int,
    rejects: Rejects,
    unread: np.ndarray | None = None,
) -> None:
    """A reject for each line with another number of cells than expected."""
    what, hint = f"{report_lines.report.name}: {what}", "it is not known which cell is missing; none is read"
    rejects.add(report_lines, lines, what, f"{expected} cells", hint, unread=unread)


@lru_cache(maxsize=4096)
def _layout(report: Report, layout: XmlRows, heading: str, bars: tuple[int, ...], count: int) -> CellLayout:
    """Spans of the first `count` cells of rows with bars at these places."""
    known = _columns(report, layout)
    starts, ends = (0, *(at + 1 for at in bars)), (*bars, _TO_THE_END)
    first = _TAG.match(heading)
    titles = _titles(layout, heading) or []
    spans = [
        CellSpan(start or (first.end() if first else 0), end, known[title], title=title)
        for title, start, end in list(zip(titles, starts, ends, strict=False))[:count]
        if title in known and titles.count(title) == 1
    ]
    return CellLayout.of(spans, _CLOCK_UNIT)


def _bars(text: str) -> tuple[int, ...]:
    return tuple(k for k, character in enumerate(text) if character == _BAR)


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in _TAG.sub("", text, count=1).split(_BAR)]


def _numeric_cells(lines: np.ndarray, layout: CellLayout) -> np.ndarray:
    """The cells that are cast as numbers, of lines of bytes; texts are taken from the lines of the report."""
    out = np.full((len(lines), len(layout.spans), CELL_WIDTH), BLANK, dtype=np.uint8)
    numeric = {int(k) for queue, (at, _) in layout.queues.items() if queue != "text" for k in at}
    for k in sorted(numeric):
        span = layout.spans[k]
        _put_right(out[:, k], lines[:, span.start : span.end])
    return out


def _put_right(cells: np.ndarray, texts: np.ndarray) -> None:
    """Put each text, without blanks around it, at the right of its cell, which is blank. One that is too long becomes ?, since cut to the
    width of the cell it would be another number."""
    filled = texts != BLANK
    if not filled.any():
        return
    end = np.where(filled.any(axis=1), texts.shape[1] - filled[:, ::-1].argmax(axis=1), 0)
    # Texts end at few places. To copy them place by place takes half the time of taking every byte by its index.
    for at in np.flatnonzero(np.bincount(end)).tolist():
        rows, many = np.flatnonzero(end == at), min(at, CELL_WIDTH)
        cells[rows, CELL_WIDTH - many :] = texts[rows, at - many : at]
    if texts.shape[1] > CELL_WIDTH:
        cells[end - filled.argmax(axis=1) > CELL_WIDTH] = np.frombuffer(b"?".rjust(CELL_WIDTH), np.uint8)
