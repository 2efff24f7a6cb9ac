"""The command line. Slow libraries are imported by the command that needs them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..errors import IronlakeError, UsageError
from ..share.anonymize_reports import anonymize
from ..synthesis.command import generate
from .arguments import RUN_HINT, parse_runs, query_text, scope_of
from .common import DEFAULT_LAKE, FormatOption, LakeOption, forget_output, open_to_read, print_text, write_answer
from .explain import explain
from .quick import convert_plain_values, end
from .status_line import StatusLine
from .study import study

app = typer.Typer(
    help="Turn z/OS performance print reports into a Parquet lake, SQL views and comparison pages.",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"ironlake {version('ironlake')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


app.command()(generate)
app.command()(anonymize)
app.command()(explain)


@app.command()
def ingest(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, archives and folders; - is standard input.")
    ],
    lake: LakeOption = DEFAULT_LAKE,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, show_default="one per core for large input", help="Number of reader processes."),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit 1 if any line is rejected; do not ingest files that break a rule of severity error.",
        ),
    ] = False,
    date_order: Annotated[Literal["mdy", "dmy"], typer.Option(help="Order of month and day in printed dates.")] = "mdy",
    encoding: Annotated[str, typer.Option(help="Character encoding; detected by default.")] = "auto",
    scope: Annotated[
        str | None, typer.Option(metavar="SYS1,SYS2", help="Systems to assume for sysplex-wide pages that name none.")
    ] = None,
    utc_offset: Annotated[
        int | None,
        typer.Option(metavar="MINUTES", min=-840, max=840, help="UTC offset of the printed times; stored as a column."),
    ] = None,
    unpack_any_size: Annotated[
        bool,
        typer.Option(
            "--unpack-any-size",
            help="Disable the decompression limits (1,000 × compressed size, 64 GiB per file).",
        ),
    ] = False,
    output_format: Annotated[Literal["table", "json"], typer.Option("--format", help="Output format.")] = "table",
) -> None:
    """Read print reports into the lake. Files that are already ingested are skipped.

    \b
    Example:
      ironlake ingest reports/ wlm.txt.gz --lake lake
    """
    from ..declaration.reading_options import Options
    from ..files.archives import ANY_SIZE
    from ..ingest.ingest import ingest as ingest_paths

    options = Options(
        date_order=date_order, encoding=encoding.lower(), scope=scope_of(scope), utc_offset_minutes=utc_offset
    )
    limits = ANY_SIZE if unpack_any_size else None
    report = ingest_paths(paths, lake, options, jobs, progress=True, strict=strict, limits=limits)
    as_json = output_format == "json"
    print_text(json.dumps(report.as_dict(), indent=2, ensure_ascii=False) if as_json else report.as_text())
    raise typer.Exit(report.exit_code(strict))


@app.command()
def check(
    lake: LakeOption = DEFAULT_LAKE,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Remove damaged data from the lake and list the files to ingest again."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the results as an HTML page that works offline.")
    ] = None,
    output_format: FormatOption = "table",
) -> None:
    """Check the lake: file integrity, totals, ranges, gaps.

    First, every file of the lake is compared with its checksum. If one is missing or damaged, the command stops with an
    error that names the sources of its rows.

    Then the values are checked: totals against their rows, rates against their counts, values against their range (also
    recorded in quality_result at each ingest). Across the whole lake: rows printed twice with different values, missing
    systems, intervals that overlap or leave a gap. Exit code 1 if there is an error; warnings alone give 0.

    \b
    Example:
      ironlake check --lake lake
      ironlake check --out quality.html --format csv
    """
    with StatusLine() as status:
        status.step("comparing files with their checksums")
        from ..lake.damage import damage_error, find_damage
        from ..sql.session import open_lake

        with open_lake(lake) as opened:
            damaged = find_damage(opened.path, opened.state)
            told = damage_error(opened.path, opened.state, damaged)
    if damaged and not repair:
        raise told
    if damaged:
        _take_out(lake, told.what)
    with open_lake(lake) as opened:
        with StatusLine() as status:
            status.step("loading Great Expectations")
            from ..quality.check_lake import check as check_lake
            from ..quality.check_lake import has_errors
            from ..quality.expectation_suites import ExpectationSuites

            suites = ExpectationSuites()
            results = check_lake(opened, suites, step=status.step)
        if out:
            from ...dashboards.document import Output
            from ...dashboards.pages.quality import write_quality_page

            print(f"{out}: {write_quality_page(opened, results, suites.judged, Output(out))}", file=sys.stderr)
    write_answer(results.to_reader(), output_format)
    raise typer.Exit(int(bool(damaged) or has_errors(results)))


def _take_out(lake: Path, what: str) -> None:
    """Remove damaged data from the lake, and print the files to ingest again."""
    from ..lake.lake import Lake

    with Lake(lake) as target:
        lost = target.repair()
    print(f"ironlake: {what}\nremoved; ingest again:", file=sys.stderr)
    for entry in lost:
        print(f"  {entry.source_file}", file=sys.stderr)


@app.command()
def rejects(
    lake: LakeOption = DEFAULT_LAKE,
    bug_report: Annotated[
        Path | None,
        typer.Option(
            "--bug-report", metavar="FILE", help="Write an anonymised report with the affected pages to a new file."
        ),
    ] = None,
    output_format: FormatOption = "table",
) -> None:
    """Show rejected lines by cause, and lines that are not read.

    For each cause: how often it occurs, and the first line with a caret and a hint. Then the sections that are recognised but
    not read, and the count of all lines: claimed, not read, blank, rejected, and on pages of unknown reports.

    \b
    Example:
      ironlake rejects --lake lake --bug-report report.md
    """
    from ..quality.reject_groups import as_text, causes
    from ..sql.session import open_lake

    if bug_report and bug_report.exists():
        raise UsageError(f"{bug_report} already exists", hint="choose another name")
    with open_lake(lake) as opened:
        found = causes(opened)
        if output_format == "table":
            print_text(as_text(opened, found))
        else:
            write_answer(found.to_reader(), output_format)
        if bug_report:
            from ..share.bug_report import bug_report as report_of

            bug_report.write_text(report_of(opened, found), encoding="utf-8")
            print(f"{bug_report}: written; review it before you send it", file=sys.stderr)


@app.command()
def sql(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="One SELECT statement; - reads it from standard input.")
    ],
    lake: LakeOption = DEFAULT_LAKE,
    output_format: FormatOption = "table",
) -> None:
    """Run a query on the tables and views of the lake.

    The query cannot read anything else, or write. DESCRIBE, SUMMARIZE and EXPLAIN work too.

    \b
    Example:
      ironlake sql "SELECT service_class, cpu_pct FROM cpu_by_class" --format csv
    """
    with open_to_read(lake) as opened:
        write_answer(opened.sql(query_text(query)).reader(), output_format)


@app.command()
def describe(
    name: Annotated[str | None, typer.Argument(metavar="[TABLE|VIEW]", help="A table or view.")] = None,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: FormatOption = "table",
) -> None:
    """Show tables and views, or the columns of one.

    For tables and views: what one row is, and the number of rows in the lake. For columns: type, unit, whether they may be
    NULL, meaning, and place on the page.

    \b
    Example:
      ironlake describe rmf_workload_activity
    """
    from ..lake.ledger import Ledger
    from ..sql.describe import columns_of, overview
    from ..sql.session import open_lake

    if name:
        answer = columns_of(name)
    elif Ledger(lake).exists():
        with open_lake(lake) as opened:
            answer = overview(opened)
    else:
        print(f"no lake in {lake}: rows are not counted", file=sys.stderr)
        answer = overview(None)
    write_answer(answer.to_reader(), output_format)


@app.command()
def catalog(
    out: Annotated[Path, typer.Option(help="DuckDB file to write.")],
    lake: LakeOption = DEFAULT_LAKE,
) -> None:
    """Write tables and views as a DuckDB file for other tools.

    The file is a snapshot: it refers to the current Parquet files by absolute path. Write a new one after an ingest.

    \b
    Example:
      ironlake catalog --out lake.duckdb
    """
    from ..sql.duckdb_file import write_catalog
    from ..sql.session import open_lake

    with open_lake(lake) as opened:
        write_catalog(opened, out)


@app.command()
def compare(
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
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
) -> None:
    """Compare studies, or windows of time, on one HTML page.

    The page works offline.

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
    from ...dashboards.document import Output

    output = Output(out, png, template)
    with open_to_read(lake) as opened:
        if studies:
            from ...dashboards.pages.study import compare_files

            compared = compare_files(opened, studies, output, lambda note: print(f"note: {note}", file=sys.stderr))
        else:
            from ...dashboards.pages.study import compare_runs

            compared = compare_runs(opened, runs, output)
    write_answer(compared.table.to_reader(), "table")


app.add_typer(study, name="study")


@app.command()
def demo(out: Annotated[Path, typer.Option(help="Folder for the demo's lake and pages.")]) -> None:
    """Ingest the shipped samples and write their comparison page.

    \b
    Example:
      ironlake demo --out demo
    """
    from .demo import demo as run_demo

    run_demo(out)


def main() -> int:
    """Run the command line; returns the exit code: 0 success, 1 rejects or failures, 2 usage error, 130 interrupted."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Characters missing from the terminal's code page are escaped.
        sys.stdout.reconfigure(errors="backslashreplace")
    command = typer.main.get_command(app)
    convert_plain_values(command)
    try:
        command()
    except IronlakeError as error:
        print(f"ironlake: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        return _interrupted()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"ironlake: {where}{error.strerror or error}", file=sys.stderr)
        forget_output()
        return 1
    except SystemExit as end:
        if end.code == 130:
            return _interrupted()
        raise
    return 0


def program() -> None:
    """The command `ironlake`: `main`, then the end of the process."""
    try:
        code = main()
    except SystemExit as ended:
        code = ended.code
    end(code)
    sys.exit(code)


def _interrupted() -> int:
    print("ironlake: interrupted; committed files are safe", file=sys.stderr)
    return 130


if __name__ == "__main__":
    program()
