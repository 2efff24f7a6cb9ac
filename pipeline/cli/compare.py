"""Write a comparison page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError
from ..status_line import StatusLine
from .arguments import RUN_HINT, parse_runs
from .common import DEFAULT_LAKE, LakeOption, MemoryOption, open_to_read, write_answer
from .outputs import ForceOption, outside_lakes


def compare(
    out: Annotated[Path, typer.Option(help="HTML file to write.", callback=outside_lakes)],
    studies: Annotated[list[Path] | None, typer.Argument(metavar="[STUDY...]", help="Study files (YAML).")] = None,
    run: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=START/END", help="A window of local time; give at least two, the first is the baseline."
        ),
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    png: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write each chart as a PNG file; needs Chrome or Chromium."),
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="HTML template for the top of the page, with $heading, $headline and $date."),
    ] = None,
    force: ForceOption = False,
    memory: MemoryOption = None,
) -> None:
    """Compare studies, or windows of time, on one HTML page.

    The page works offline. It replaces an older page, but no other file without --force.

    START and END are ISO times as printed (local); an END without a date takes that of START.

    \b
    Example:
      ironlake compare drivers.yaml --out page.html --png pictures
      ironlake compare --run before=2021-04-13T10:00/11:00 --run after=2021-04-14T10:00/11:00 --out page.html
    """
    if bool(studies) == bool(run):
        what = "both a study and --run are given" if studies else "nothing to compare"
        raise UsageError(what, "a study file, or --run at least twice", RUN_HINT)
    if template and not template.is_file():
        raise UsageError(f"{template} is not a file", "an HTML file for the top of the page")
    runs = parse_runs(run) if run else {}
    notes: list[str] = []
    with open_to_read(lake, memory) as opened, StatusLine() as status:
        status.step("loading the libraries of pages")
        from ...dashboards.document import Output, require_own

        output = Output(out, png, template, force)
        require_own(output)
        from ...dashboards.pages.study import compare_files, compare_runs

        try:
            if studies:
                compared = compare_files(opened, studies, output, notes.append, status.step)
            else:
                compared = compare_runs(opened, runs, output, status.step)
        finally:
            status.clear()
            for note in notes:
                print(f"note: {note}", file=sys.stderr)
    write_answer(compared.table.to_reader(), "table")
