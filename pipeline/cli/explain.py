"""`ironlake explain`: how a file is read, page by page and line by line, as text or JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer

from ..errors import IronlakeError, UsageError
from ..temporary_folders import temporary_folder
from ..terminal import forget_output, json_text
from .arguments import scope_of

_KIND_WIDTH = 20


def explain(
    paths: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files or archives; - is standard input.")],
    line: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only this line of the file, and the heading above it.")
    ] = None,
    page: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only this page of the file.")] = None,
    date_order: Annotated[
        Literal["mdy", "dmy"], typer.Option(help="How dates are printed: month or day first.")
    ] = "mdy",
    encoding: Annotated[
        str, typer.Option(help="Character encoding, if looking at the bytes does not find it.")
    ] = "auto",
    scope: Annotated[
        str | None, typer.Option(metavar="SYS1,SYS2", help="Systems of sysplex-wide pages that name none.")
    ] = None,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("--format", help="json is a list with one page per line.")
    ] = "text",
) -> None:
    """Show how each line of a file is read, and why a value is NULL.

    Per page: its report and how that is known. Per line: its number in the file, its kind (a terminal of the report's grammar) and
    its section. Per heading: its columns, where their cells are, which column of a table each became, and titles that none
    claims. Per cell: its text, and the value read or why there is none. Nothing is written to a lake.

    \b
    Example:
      ironlake explain wlm.txt --line 42
    """
    from ..declaration.reading_options import Options

    options = Options(date_order=date_order, encoding=encoding.lower(), scope=scope_of(scope))
    found = _pages(paths, options, line, page)
    try:
        seen, known = _write_json(found) if output_format == "json" else _write_text(found, line)
        sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
        return
    if known:
        return
    if not seen and (line or page):
        what = f"line {line}" if line else f"page {page}"
        raise UsageError(*_out_of_range(what, line is not None))
    raise IronlakeError("there is no page of a report that Ironlake reads", *_WHAT_TO_DO)


_WHAT_TO_DO = (
    "a page with a report's title, or its first section line",
    "look whether the top of the page is missing; ironlake docs adding_a_report says how a report is added",
)


def _out_of_range(what: str, is_line: bool) -> tuple[str, str, str]:
    if is_line:
        return (
            f"there is no {what}, or it is blank",
            "the number of a line with text",
            "number the lines: grep -n '' FILE",
        )
    return f"there is no {what}", "the number of a page, counted from 1", "leave --page out to see all"


def _pages(paths: Sequence[str], options, line: int | None, page: int | None) -> Iterator[tuple[str, Any]]:
    """Name of the file, and a page of it. Raises IronlakeError for a file that cannot be read."""
    from ..files.archives import Limits
    from ..files.source import Source, open_sources, segment_of
    from ..ingest.batches import plan
    from ..reading.explain import explain as explain_segment

    with temporary_folder() as spool:
        for source in open_sources(paths, options, spool, sys.stdin.buffer, Limits()):
            if not isinstance(source, Source):
                raise IronlakeError(f"{source.source_file} {source.what}", source.expected, source.hint)
            try:
                for batch in plan([source]):
                    (lines,) = batch.ranges
                    chunk = lines.read()
                    until = lines.first_line + (chunk.file_lines or chunk.text.count(b"\n")) + 1
                    if (line and not lines.first_line <= line < until) or (page and page < lines.first_page):
                        continue
                    cut_short = lines.end >= source.size and source.cut_short()
                    at = lines.first_line, lines.first_page
                    segment = segment_of(chunk, (source.sha256, source.source_file), at, cut_short, lines.split)
                    for shown in explain_segment(segment, options, line, page):
                        yield source.source_file, shown
            finally:
                source.close()


def _write_json(found: Iterator[tuple[str, Any]]) -> tuple[bool, bool]:
    """A JSON list with a page per line; whether there is any page, and any of a known report."""
    known, before = False, "["
    for name, page in found:
        sys.stdout.write(f"{before}\n{json_text({'file': name} | asdict(page), default=str)}")
        known, before = known or bool(page.report), ","
    sys.stdout.write("\n]\n" if before == "," else "[]\n")
    return before == ",", known


def _write_text(found: Iterator[tuple[str, Any]], line: int | None) -> tuple[bool, bool]:
    seen = known = False
    for name, page in found:
        report = f"report {page.report}: {page.why}" if page.report else page.why
        print(f"{name}, page {page.page}: {report}")
        if page.report:
            for text in _page_lines(page, line):
                print(text)
        seen, known = True, known or bool(page.report)
        print(flush=True)
    return seen, known


def _page_lines(page, only: int | None) -> Iterator[str]:
    above = next((told.heading_line for told in page.lines if told.number == only), None)
    section = None
    for told in page.lines:
        wanted = only is None or told.number == only or (above is not None and _ends_heading(told, above))
        if not wanted:
            continue
        if told.section_line != section and told.section_line is not None:
            section = told.section_line
            yield f"{'':6}  section {told.section}, from line {section}"
        yield f"{told.number:>6}  {told.kind or '-':<{_KIND_WIDTH}}  {told.text.rstrip()}"
        if told.status and told.status != "page line":
            yield f"{'':8}{told.status}"
        for heading in told.headings:
            yield from _heading_lines(heading)
        for cell in told.cells:
            read = "NULL: " + cell.why_null if cell.value is None else _shown(cell.value)
            extent = f"{cell.first}-{cell.last}"
            yield f"{'':8}{extent:>7}  {cell.text!r}  {cell.table}.{cell.column} = {read}"
        if rows := {c.row_line for c in told.cells} - {told.number}:
            known = " and ".join(map(str, sorted(row for row in rows if row)))
            yield f"{'':8}values of the row of line {known}" if known else f"{'':8}no row that these values are of"
        if only not in (None, told.number):
            continue
        own = {(c.table, c.column) for c in told.cells}
        before: dict[str, tuple[dict[str, Any], dict[str, str]]] = {}
        for row in told.rows:
            # Further rows that begin on the line: what differs from the row before.
            values, nulls = before.get(row.table, ({}, {}))
            before[row.table] = row.values, row.nulls
            unsaid = (k for k in row.values if (row.table, k) not in own or values)
            new = [f"{k}={_shown(row.values[k])}" for k in unsaid if values.get(k) != row.values[k]]
            yield f"{'':8}{'further ' if values else ''}row of {row.table}" + (f", with {' '.join(new)}" if new else "")
            for column, why in row.nulls.items():
                if (row.table, column) not in own and nulls.get(column) != why:
                    yield f"{'':10}{column} = NULL: {why}"
        for reject in told.rejects:
            expected = f"; expected {reject.expected}" if reject.expected else ""
            yield f"{'':8}reject at column {reject.column}: {reject.what}{expected}"
            if reject.hint:
                yield f"{'':10}hint: {reject.hint}"


def _ends_heading(told, above: int) -> bool:
    return any(heading.first_line <= above <= heading.last_line for heading in told.headings)


def _heading_lines(heading) -> Iterator[str]:
    where = f"line {heading.first_line}"
    if heading.last_line != heading.first_line:
        where = f"lines {heading.first_line}-{heading.last_line}"
    yield f"{'':8}heading ({heading.layout}, {where}) of {', '.join(heading.rows)}"
    if heading.shift:
        yield f"{'':10}titles moved {heading.shift} columns to the right: their numbers show that blanks were lost"
    if heading.problem:
        yield f"{'':10}{heading.problem}"
    for column in heading.columns:
        told = "; ".join(filter(None, (", ".join(column.becomes), column.note)))
        extent = f"{column.first}-{column.last}"
        yield f"{'':10}{extent:>7}  {column.title}  ->  {told}"
    told = {column.title.split(" / ")[-1] for column in heading.columns}
    if rest := [title for title in heading.unclaimed if title not in told]:
        yield f"{'':10}titles that nothing declares: {', '.join(rest)}"


def _shown(value: Any) -> str:
    from ..output.values import shown

    return shown(int(value) if isinstance(value, float) and value.is_integer() else value)
