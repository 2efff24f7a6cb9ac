"""Rejects, collected in bulk: unexpected lines and invalid cells, with reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from ..declaration.layouts import Pairs, XmlRows, XmlVariables
from .line_kinds import LostLines
from .pages import WIDEST
from .report_lines import ReportLines

LONGEST_TEXT = 400
_OF_ANY_LENGTH = (Pairs, XmlRows, XmlVariables)


@dataclass
class _Group:
    report_lines: ReportLines
    line: np.ndarray
    column: np.ndarray
    lines: np.ndarray
    what: list[str]
    expected: list[str]
    hint: list[str]


@dataclass
class Rejects:
    """Rejects of a batch. `line` counts the report's lines, `column` print columns from 0."""

    groups: list[_Group] = field(default_factory=list)
    # Lines of which nothing was read, by report.
    _rejected: list[tuple[ReportLines, np.ndarray]] = field(default_factory=list)
    # (segment, number in the file) of lines already reported as cut.
    _cut: set[tuple[int, int]] = field(default_factory=set)

    def add(
        self,
        report_lines: ReportLines,
        line: np.ndarray,
        what: str | Sequence[str],
        expected: str | Sequence[str],
        hint: str | Sequence[str] = "",
        *,
        column: int | np.ndarray = 0,
        lines: int | np.ndarray = 1,
        unread: np.ndarray | None = None,
    ) -> None:
        """Add one reject per entry of `line`; what is given once holds for each. `unread`: lines of which nothing was read (they count as
        rejected, not claimed)."""
        if unread is not None:
            self._rejected.append((report_lines, unread))
        if not len(line):
            return
        words = [[one] * len(line) if isinstance(one, str) else list(one) for one in (what, expected, hint)]
        columns, many = (np.full(len(line), one, dtype=np.int64) for one in (column, lines))
        self.groups.append(_Group(report_lines, line, columns, many, *words))

    def add_unexpected(self, report_lines: ReportLines, lost: Sequence[LostLines]) -> None:
        """Lines that the grammar does not expect."""
        if not lost:
            return
        line = np.array([one.at for one in lost], dtype=np.int64)
        first = report_lines.cells[line] != ord(" ")
        column = np.where(first.any(axis=1), first.argmax(axis=1), 0)
        name = report_lines.report.name
        what = [f"{name}: {one.kind} without its heading" if one.kind else f"{name}: unexpected line" for one in lost]
        hint = ["the heading above these lines is missing or damaged" if one.kind else "" for one in lost]
        many = np.array([one.lines for one in lost], dtype=np.int64)
        unread = np.repeat(line, many) + np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
        expected = [one.expected for one in lost]
        self.add(report_lines, line, what, expected, hint, column=column, lines=many, unread=unread)

    def add_torn_pages(self, report_lines: ReportLines) -> np.ndarray:
        """Pages that lost lines of their heading that the page above has, its title aside, of which nothing is read. Returns the first lines of
        those that lost their title alone, below another heading: the rows may be of either."""
        grammar = report_lines.grammar
        interval = report_lines.report.interval
        numbered = [kind for kind in report_lines.report.numbered if kind in grammar.kind]
        named = [k for k in (grammar.sections[0], *interval) if k in grammar.of_heading] + numbered
        named = named if interval else sorted(grammar.page_lines)
        named = [kind for kind in dict.fromkeys(named) if not kind.endswith("TITLE")]
        heading = {grammar.kind[kind] for kind in interval if kind in grammar.kind}
        of_page = {-1, *(grammar.kind[kind] for kind in grammar.page_lines)}
        torn, lost, twice = np.flatnonzero(report_lines.torn), [], []
        for line, page in zip(torn.tolist(), report_lines.page_index[torn].tolist(), strict=True):
            above, here = (set(report_lines.kind[report_lines.page_index == p].tolist()) for p in (page - 1, page))
            lost.append([kind for kind in named if grammar.kind[kind] in above - here])
            if heading and not lost[-1] and heading <= above <= of_page:
                lost[-1].append(grammar.sections[0])
                twice.append(line)
        what = f"{report_lines.report.name}: a page begins here without its heading, or part of it; what it names is unknown"
        hint = "lines above this one are lost; print or transfer the page again"
        some = [k for k, kinds in enumerate(lost) if kinds]
        expected = [", ".join(lost[k]) + " above" for k in some]
        self.add(report_lines, torn[some], what, expected, hint)
        return np.array(twice, dtype=np.int64)

    def add_cut_width(self, report_lines: ReportLines, lines: np.ndarray, width: np.ndarray) -> None:
        """One reject per file for all lines that were cut at a column. lines: one of each that shows it; width: the columns."""
        name = report_lines.report.name
        what = [f"{name}: all lines of this file were cut at column {w}" for w in width]
        hint = [
            f"what ends at column {w} is left NULL; copy or transfer the report with its whole width, as text or binary"
            for w in width
        ]
        self.add(report_lines, lines, what, "lines of up to 132 columns", hint, column=width - 1)

    def add_overlong(self, report_lines: ReportLines) -> None:
        """Lines with cells that are longer than WIDEST."""
        of_cells = {
            k for h in report_lines.report.layouts if not isinstance(h, _OF_ANY_LENGTH) for k in (*h.lines, *h.rows)
        }
        where = report_lines.lines_of(tuple(sorted(of_cells)))
        if not len(where) or report_lines.cells.shape[1] < WIDEST:
            return
        line = where[(report_lines.text.gather(where).str.len_chars() > WIDEST).to_numpy()]
        what = f"{report_lines.report.name}: text after column {WIDEST} is not read"
        self.add(report_lines, line, what, f"a line of at most {WIDEST} columns", column=WIDEST)

    def add_missing_pages(self, report_lines: ReportLines) -> None:
        """Pages that the printed numbers leave out within an interval, where what is not printed would count as idle."""
        if not report_lines.report.absent_means_idle:
            return
        pages = np.flatnonzero(report_lines.left_out)
        many = report_lines.left_out[pages]
        what = [f"{report_lines.report.name}: pages of this interval are missing before this one: {n}" for n in many]
        hint = "what they print is not known; print or transfer the whole interval"
        self.add(report_lines, report_lines.page_begins[pages], what, "page numbers without a gap", hint)

    def add_repeated_titles(self, report_lines: ReportLines) -> None:
        """Repeated titles without a new entry or page line between."""
        report = report_lines.report
        for line, what, above, hint in (
            (
                report_lines.repeated_titles,
                "repeated titles of a block",
                report_lines.grammar.entries,
                "the line that names the next entry may be missing; its rows have no keys",
            ),
            (
                report_lines.unnamed_entries,
                "a block without the line that names its entry",
                report_lines.grammar.entries,
                "its rows have no keys",
            ),
        ):
            self.add(report_lines, line, f"{report.name}: {what}", ", ".join(above), hint)

    def arrays(self) -> dict[str, list | np.ndarray]:
        """Columns of parse_reject, with `segment` in place of the source."""
        out: dict[str, list] = {k: [] for k in ("report", "segment", "page", "line", "column", "lines")}
        out |= {k: [] for k in ("text", "what", "expected", "hint")}
        # The groups of a report follow each other: their lines are looked up together.
        for _, run in groupby(self.groups, key=lambda g: id(g.report_lines)):
            groups = list(run)
            report_lines, line = groups[0].report_lines, np.concatenate([g.line for g in groups])
            out["report"] += [report_lines.report.name] * len(line)
            out["segment"].append(report_lines.segment[line])
            out["page"].append(report_lines.page[line])
            out["line"].append(report_lines.number[line])
            out["text"] += report_lines.text.gather(line).str.slice(0, LONGEST_TEXT).to_list()
        for g in self.groups:
            out["column"].append(g.column + 1)
            out["lines"].append(g.lines)
            out["what"] += g.what
            out["expected"] += g.expected
            out["hint"] += g.hint
        numbers = ("segment", "page", "line", "column", "lines")
        return {k: np.concatenate(v) if k in numbers and v else v for k, v in out.items()}

    def add_cut(self, report_lines: ReportLines, lines: np.ndarray) -> None:
        """Lines cut by the end of the file, with a value left out; each is reported once."""
        places = list(zip(report_lines.segment[lines].tolist(), report_lines.number[lines].tolist(), strict=True))
        new = np.array([place not in self._cut for place in places], dtype=bool)
        line = lines[new & (report_lines.cut_width[lines] == 0)]
        self._cut.update(places)
        column = report_lines.text.gather(line).str.strip_chars_end(" ").str.len_chars().to_numpy().astype(np.int64) - 1
        what = "the file ends within this line; its last value may be truncated"
        self.add(
            report_lines,
            line,
            what,
            "a line end",
            "left NULL; transfer the file again, or add a line end",
            column=column,
        )

    def reported(self, report_lines: ReportLines) -> np.ndarray:
        """Bool per line of ReportLines: it has a reject."""
        out = np.zeros(len(report_lines.kind), dtype=bool)
        for group in self.groups:
            if group.report_lines is report_lines:
                out[group.line] = True
        return out

    def rejected_lines(self, report_lines: ReportLines) -> np.ndarray:
        """Bool per line of ReportLines: nothing of it was read, and it has a reject."""
        out = np.zeros(len(report_lines.kind), dtype=bool)
        for of_frame, lines in self._rejected:
            if of_frame is report_lines:
                out[lines] = True
        return out
