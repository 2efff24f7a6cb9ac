"""Write the page of a lake: what happened in its last days."""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..errors import IronlakeError, UsageError
from ..sql.memory import memory_limit
from ..status_line import StatusLine
from ..storage.address import is_address, place_of
from .common import DEFAULT_LAKE, LakeOption, MemoryOption, open_to_read, print_text, typed
from .kept_answer import KeptAnswer
from .outputs import ForceOption, PdfOption, outside_lakes

if TYPE_CHECKING:
    from ...dashboards.lake_page.contract import LakePage

# As gather.Wanted has them.
_Wanted = tuple[int, dt.date | None, str]
# How often --watch looks at the ledger.
_POLL_S = 2.0


def page(
    context: typer.Context,
    reports: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REPORTS...]", help="Files, archives and folders to ingest before."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="HTML file to write.", callback=outside_lakes)] = None,
    day: Annotated[
        str | None,
        typer.Option(
            metavar="DATE", help="The last day shown, or today or yesterday; default: the newest of the lake."
        ),
    ] = None,
    days: Annotated[int, typer.Option(metavar="N", min=1, max=400, help="How many days to show.")] = 30,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: Annotated[
        Literal["html", "json"], typer.Option("--format", help="A page, or the same facts as JSON on standard output.")
    ] = "html",
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Stay, and write the page again after each commit to the lake; Ctrl-C ends it."),
    ] = False,
    pdf: PdfOption = None,
    force: ForceOption = False,
    memory: MemoryOption = None,
) -> None:
    """Write one HTML page of the last days of a lake.

    It works offline. What costs most comes first: missed goals, steps of the cost of a transaction, the peak of the rolling four-hour MSU,
    capped time, coupling facilities, what is short, and what is missing. It replaces an older page, but no other file without --force.

    With REPORTS it ingests them first. With one file or folder, the lake and the page are beside it by default: reports.lake and reports.html.

    \b
    Example:
      ironlake page reports/
      ironlake page --lake lake --out today.html
      ironlake page --day 2026-11-02 --days 7 --out week.html
      ironlake page --format json
      ironlake page --out today.html --watch
    """
    if reports:
        if getattr(context.get_parameter_source("lake"), "name", "") == "DEFAULT":
            lake = _beside(reports, ".lake", "--lake FOLDER")
        if output_format == "html" and out is None:
            out = _beside(reports, ".html", "--out FILE")
    if output_format == "html" and out is None:
        raise UsageError("no file to write", "--out FILE", "--format json prints the facts without a file")
    if output_format == "json" and (out or pdf):
        raise UsageError(
            f"{'--out' if out else '--pdf'} is for a page", "--format json alone, which prints to standard output"
        )
    if watch and output_format == "json":
        raise UsageError("--watch is for a page", "--out FILE and --watch")
    last = None
    if day is not None:
        from ..study.windows import parse_day

        last = parse_day(day, dt.date.today())
    failed = _ingested(reports, lake) if reports else 0
    with StatusLine() as status:
        wanted = days, last, typed(sys.argv[1:])
        if output_format == "json":
            print_text(_facts(lake, memory, wanted, status))
        elif out:

            def write() -> None:
                text = _write(lake, memory, wanted, out, force, status)
                if pdf:
                    from ...dashboards.charts.image_files import write_pdf

                    status.step("printing the page")
                    write_pdf(text, pdf, force)
                    status.clear()

            watch_lake(lake, write, status) if watch else write()
    if failed:
        raise typer.Exit(failed)


def _beside(reports: list[str], ending: str, option: str) -> Path:
    """The path beside what is ingested. Raises UsageError for anything but one file or folder."""
    only = Path(reports[0])
    if len(reports) > 1 or is_address(place_of(reports[0])) or not only.exists():
        raise UsageError(f"no place for *{ending}", option, "beside one file or folder it is not needed")
    if only.name in ("", ".."):
        only = only.resolve()
    return only.with_name(f"{only.name}{ending}")


def _ingested(reports: list[str], lake: Path) -> int:
    """Ingest, and say on standard error what came of it; returns the exit code."""
    from ..declaration.reading_options import Options
    from ..ingest.ingest import ingest

    report = ingest(reports, lake, Options(), progress=True)
    print(report.as_text(), file=sys.stderr)
    return report.exit_code(strict=False)


def _facts(lake: Path, memory: str | None, wanted: _Wanted, status: StatusLine) -> str:
    from ...dashboards.lake_page.facts_json import facts_json

    found = _page(lake, memory, wanted, status)
    status.clear()
    return facts_json(found)


def _write(lake: Path, memory: str | None, wanted: _Wanted, out: Path, force: bool, status: StatusLine) -> str:
    """The page, as written."""
    from ...dashboards.page_file import Output, require_own, write

    memory_limit(memory)
    require_own(Output(out, force=force))
    known = KeptAnswer(lake, "page", *map(str, wanted), str(lake), str(out))
    if known.is_known:
        write(known.pages[0], out)
        known.give()
        return known.pages[0]
    with known.recorded():
        found = _page(lake, memory, wanted, status)
        status.step("writing the page")
        from ...dashboards.lake_page.page import document, heading, kicker

        known.pages.append(document(found))
        write(known.pages[0], out)
        status.clear()
        print_text("\n".join(filter(None, [f"{out}: {heading(found)}", kicker(found) and f"  {kicker(found)}"])))
    return known.pages[0]


def _page(lake: Path, memory: str | None, wanted: _Wanted, status: StatusLine) -> LakePage:
    status.step("loading the libraries of pages")
    from ...dashboards.lake_page.gather import Wanted, lake_page

    with open_to_read(lake, memory) as opened:
        return lake_page(opened, Wanted(*wanted), lambda name, seconds: status.step(name.replace("_", " ")))


def watch_lake(lake: Path, write: Callable[[], None], status: StatusLine) -> None:
    """Write the page, and again after each newer step of the lake's ledger, until interrupted. What stops the first page is an error; after
    it a lake that is away, or a disk that is full, is told once and tried again."""
    from ..lake.ledger import require_lake

    seen, told = None, ""
    while True:
        try:
            # Asked before the page is made: a commit while it is made is one more.
            if (newest := require_lake(lake).newest_known()) != seen:
                write()
                seen = newest
                status.step(f"waiting for a commit to {lake}")
            told = ""
        except (IronlakeError, OSError) as error:
            if seen is None:
                raise
            if (what := error.what if isinstance(error, IronlakeError) else str(error)) != told:
                status.clear()
                print(f"ironlake: {what}; trying again until it works", file=sys.stderr)
            told = what
        time.sleep(_POLL_S)
