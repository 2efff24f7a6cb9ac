"""Write a comparison page."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..errors import UsageError
from ..sql.memory import memory_limit
from ..status_line import StatusLine
from .arguments import scope_of
from .common import DEFAULT_LAKE, LakeOption, MemoryOption, open_to_read, typed, write_answer
from .kept_answer import KeptAnswer
from .outputs import ForceOption, PdfOption, outside_lakes

if TYPE_CHECKING:
    from ..study.windows import Days, Window

_RUN_HINT = "for example --run before=2021-04-13T10:00/11:00 --run after=2021-04-14T10:00/11:00, or --run yesterday --against auto"


def compare(
    out: Annotated[Path, typer.Option(help="HTML file to write.", callback=outside_lakes)],
    studies: Annotated[list[Path] | None, typer.Argument(metavar="[STUDY...]", help="Study files (YAML).")] = None,
    run: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]WINDOWS", help="Windows of local time; give at least two runs, the first is the baseline."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="WINDOWS|auto",
            help="The baseline; auto: the same weekdays and hours in the nearest week before that has data.",
        ),
    ] = None,
    sysplex: Annotated[str | None, typer.Option(metavar="NAME", help="Runs: only this sysplex.")] = None,
    system: Annotated[str | None, typer.Option(metavar="SYS1,SYS2", help="Runs: only pages of these systems.")] = None,
    class_names: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="NAME",
            help="Runs: only this service or report class; may be given several times, for classes of one kind.",
        ),
    ] = None,
    workload: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Runs: only the classes of this workload; may be given several times."),
    ] = None,
    today: Annotated[
        dt.datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="The day that yesterday and the like count from."),
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    png: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write each chart as a PNG file; needs Chrome or Chromium."),
    ] = None,
    pdf: PdfOption = None,
    static: Annotated[
        bool, typer.Option("--static", help="Leave out the library that zooms charts: a small page for a mail.")
    ] = False,
    template: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="HTML template for the top of the page, with $heading, $headline and $date."),
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LIMIT",
            help="Exit 1 if this holds, such as 'cp_ms_per_transaction > +5%'; may be given several times.",
        ),
    ] = None,
    output_format: Annotated[
        Literal["table", "json", "csv", "markdown"], typer.Option("--format", help="Output format.")
    ] = "table",
    force: ForceOption = False,
    memory: MemoryOption = None,
) -> None:
    """Compare studies, or windows of time, on one HTML page.

    The page works offline. It replaces an older page, but no other file without --force.

    WINDOWS are START/END (ISO times as printed, local; an END without a date takes that of START), or
    [DAYS] [PERIOD] [FROM/TO]: days of the week (mondays, weekdays, weekends), a period (2026-03-02, 2026-03, march, today,
    yesterday, last-7-days, this-week, last-week, this-month, last-month; without one all days of the lake) and hours.
    Several windows are parted by commas.

    \b
    Example:
      ironlake compare drivers.yaml --out page.html --png pictures --pdf page.pdf
      ironlake compare --run before=2021-04-13T10:00/11:00 --run after=2021-04-14T10:00/11:00 --out page.html
      ironlake compare --run "yesterday 08:00/18:00" --against auto --sysplex PLEX1 --class CICSHI --out page.html
    """
    options = {name: str(value) for name, value in locals().items() if name != "memory"}
    if bool(studies) == bool(run):
        what = "both a study and --run are given" if studies else "nothing to compare"
        raise UsageError(what, "a study file, or --run at least twice", _RUN_HINT)
    if studies and (against or sysplex or system or class_names or workload or today):
        what = "--against, --sysplex, --system, --class, --workload and --today are for --run"
        raise UsageError(what, "a study file that says the same")
    if template and not template.is_file():
        raise UsageError(f"{template} is not a file", "an HTML file for the top of the page")
    memory_limit(memory)
    from ...dashboards.page_file import Output, require_own, write

    day = today.date() if today else dt.date.today()
    command = typed(sys.argv[1:])
    known = KeptAnswer(lake, "compare", options, command, files=studies or [], is_kept=not (png or pdf or template))
    if known.is_known:
        require_own(Output(out, force=force))
        write(known.pages[0], out)
        known.give()
        return
    from ...dashboards.gates import broken, parse_gate, with_breaks

    gates = [parse_gate(text) for text in fail_if or []]
    asked = _asked(run or [], against, day)
    notes: list[str] = []
    with known.recorded():
        with open_to_read(lake, memory) as opened, StatusLine() as status:
            status.step("loading the libraries of pages")
            from ..study.lake import read_files
            from ..study.runs import ComparedSystems, windows_of

            output = Output(out, png, template, force, command, lake.name, known.pages.append, static, pdf)
            require_own(output)
            from ...dashboards.pages.study import compare_given, compare_runs
            from ...dashboards.told_classes import ClassFilter

            try:
                if studies:
                    compared = compare_given(opened, read_files(studies), output, notes.append, status.step)
                else:
                    place = ComparedSystems(
                        sysplex.upper() if sysplex else None, tuple(filter(None, (scope_of(system) or "").split(",")))
                    )
                    runs = windows_of(opened, asked, place, finds_baseline=against == "auto")
                    only = ClassFilter(
                        *(tuple(name.upper() for name in names or ()) for names in (class_names, workload))
                    )
                    compared = compare_runs(opened, runs, output, status.step, place, only)
            finally:
                status.clear()
                for note in notes:
                    print(f"note: {note}", file=sys.stderr)
        found = [b for gate in gates for b in broken(gate, compared.studies)]
        answer = with_breaks(compared.table, found) if gates else compared.table
        if output_format == "json":
            from ...dashboards.headline_table import with_findings

            answer = with_findings(answer, compared.studies)
        write_answer(answer.to_reader(), output_format)
        for breach in found:
            print(f"ironlake: {breach}", file=sys.stderr)
        if found:
            raise typer.Exit(1)


def _asked(texts: list[str], against: str | None, today: dt.date) -> Mapping[str, Sequence[Window | Days]]:
    """The runs that are named, the baseline of --against first."""
    from ..study.runs import with_baseline

    if not texts:
        return {}
    runs = parse_runs(texts, today)
    try:
        return with_baseline(runs, against, today)
    except UsageError as error:
        raise UsageError(error.what, "--run at least twice, or one --run and --against", _RUN_HINT) from None


def parse_runs(texts: list[str], today: dt.date) -> dict[str, list[Window | Days]]:
    """Windows by name, from texts NAME=WINDOWS, or WINDOWS, which are their own name. Raises UsageError for a repeated name or a window that
    cannot be read."""
    from ..study.windows import parse_windows

    runs: dict[str, list[Window | Days]] = {}
    for text in texts:
        name, equals, windows = text.rpartition("=")
        name = name.strip() if equals else text.strip()
        if not name:
            raise UsageError(f"--run {text} has no name", "NAME=WINDOWS", _RUN_HINT)
        if name in runs:
            raise UsageError(f"--run {name} is given twice", "a different name for each run")
        runs[name] = parse_windows(windows, today)
    return runs
