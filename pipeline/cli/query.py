"""Questions to a lake: a query, what its tables and views hold, and a file for other tools."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from ..output.formats import BINARY, FileFormat
from ..sql.memory import memory_limit
from ..status_line import StatusLine
from ..terminal import forget_output
from ..without_pandas import leave_numpy_alone
from ..words import counted
from .arguments import parse_parameters, query_text
from .common import (
    DEFAULT_LAKE,
    FormatOption,
    LakeOption,
    MemoryOption,
    RawCsvOption,
    open_to_read,
    print_text,
    write_answer,
)
from .completion import saved_queries_of_lake, tables_and_views
from .engine import EngineOption, MasterOption, VerboseOption, is_spark
from .kept_answer import KeptAnswer, told_from_others
from .outputs import ForceOption, outside_lakes
from .time_limit import TimedOut, time_limit

if TYPE_CHECKING:
    from ..sql.open_lake import OpenLake
    from ..sql.shards import Elsewhere, ShardedLake


def sql(
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="[QUERY]", help="One SELECT statement; - reads it from standard input. Without it: a shell."
        ),
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", metavar="FILE", help="Read the query from FILE.")] = None,
    saved: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Run a query that is kept in the lake (ironlake query).",
            autocompletion=saved_queries_of_lake,
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="The value of $NAME in the query; once for each name."),
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: FormatOption = "table",
    raw_csv: RawCsvOption = False,
    all_rows: Annotated[
        bool,
        typer.Option(
            "--all", help="Show all rows of a table on a terminal, not the first 40; pipes and files get all."
        ),
    ] = False,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=0.001, help="End with exit code 1 if the answer takes longer than this."),
    ] = None,
    memory: MemoryOption = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Make views by runs of days, N at once: for questions over years, which then stay within --memory (2GB).",
        ),
    ] = None,
    engine: EngineOption = "local",
    master: MasterOption = None,
    verbose: VerboseOption = False,
    out: Annotated[str | None, typer.Option("--out", "-o", hidden=True)] = None,
) -> None:
    """Run a query on the tables and views of the lake.

    The query cannot read anything else, or write. DESCRIBE, SUMMARIZE and EXPLAIN work too. Without a query a shell begins:
    statements that end with a semicolon, and the commands that .help lists.

    \b
    Example:
      ironlake sql "SELECT service_class, cpu_pct FROM cpu_by_class" --format csv
      ironlake sql "FROM class_hour" --format xlsx > hours.xlsx
      ironlake sql --file peak.sql --param class=CICSHI
      ironlake sql --saved peak --param class=CICSHI
    """
    if out is not None:
        hint = f"ironlake sql … --format {'xlsx' if out.endswith('.xlsx') else 'csv'} > {quote(out)}"
        raise UsageError("--out is not an option here: the answer goes to standard output", "> and a file", hint)
    parameters = parse_parameters(param or [])
    on_spark = is_spark(engine, master, jobs, verbose)
    if (jobs or on_spark) and query is file is saved is None:
        raise UsageError(f"{'--engine spark' if on_spark else '--jobs'} is given without a query", "a query")
    if saved is None:
        text = query_text(query, file)
    elif query is not None or file is not None:
        raise UsageError("a saved query and another are given", "one of the two")
    else:
        from ..sql.saved_queries import saved_query

        text = saved_query(lake, saved)
    if text is None:
        from .shell import shell

        leave_numpy_alone()
        if parameters:
            raise UsageError("--param is given without a query", "a query that names the parameters")
        with open_to_read(lake, memory) as opened:
            shell(opened, output_format, timeout, raw_csv, all_rows)
        return
    memory_limit(memory)
    is_kept = not on_spark and output_format not in BINARY
    known = KeptAnswer(lake, "sql", text, parameters, output_format, raw_csv, all_rows, jobs, is_kept=is_kept)
    if not known.is_known:
        leave_numpy_alone()
        # Before the time limit: an exception within the import of a library may be lost.
        from ..sql import open_lake  # noqa: F401
    spark = _spark(master, verbose) if on_spark else nullcontext()
    try:
        with time_limit(timeout):
            if known.is_known:
                known.give()
                return
            with (
                known.recorded(),
                open_to_read(lake, memory) as opened,
                spark as elsewhere,
                asked_of(opened, jobs, elsewhere) as asked,
            ):
                answer = asked.sql(text, parameters).written(output_format)
                if output_format == "xlsx":
                    from ..sql.describe import described_answer

                    # For the comments of its headings.
                    answer = described_answer(opened, text, answer)
                write_answer(answer, output_format, raw_csv, "" if all_rows else "--all shows all")
                from ..sql.sameness import may_differ

                if may_differ(text):
                    known.forget()
    except TimedOut:
        # A reader that reads no more would be waited for again.
        forget_output()
        raise


def asked_of(
    lake: OpenLake, jobs: int | None, elsewhere: Elsewhere | None = None
) -> AbstractContextManager[OpenLake | ShardedLake]:
    """What answers: the lake, or its shards, that many at once, or those made elsewhere."""
    if jobs is None and elsewhere is None:
        return nullcontext(lake)
    from ..sql.shards import ShardedLake

    return ShardedLake(lake, jobs or 1, elsewhere=elsewhere)


def _spark(master: str | None, verbose: bool) -> AbstractContextManager[Elsewhere]:
    from ..spark.answer import SparkShards

    return SparkShards(master, verbose)


def describe(
    name: Annotated[
        str | None, typer.Argument(metavar="[TABLE|VIEW]", help="A table or view.", autocompletion=tables_and_views)
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS", help="Only tables and views that have these words in their name, meaning or columns."
        ),
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: FormatOption = "table",
) -> None:
    """Show tables and views by topic, or the columns of one.

    For tables and views: what one row is, and the number of rows in the lake; those with rows come first. For columns: type, unit,
    whether they may be NULL, meaning, and place on the page. A table has lines of 100 characters, in which a long text is cut or
    wrapped; the other formats have all.

    \b
    Example:
      ironlake describe rmf_workload_activity
      ironlake describe --search "ziip share"
    """
    leave_numpy_alone()

    from ..lake.ledger import Ledger
    from ..sql.describe import columns_of, overview, searched
    from ..sql.open_lake import open_lake

    if name:
        if search is not None:
            raise UsageError("a table or view and --search are given", "one of the two")
        answer = columns_of(name)
    elif Ledger(lake).exists():
        with open_lake(lake) as opened:
            answer = overview(opened)
    else:
        print(f"no lake in {lake}: rows are not counted", file=sys.stderr)
        answer = overview(None)
    if search is not None and not (answer := searched(answer, search)):
        raise UsageError(
            f"no table or view has the words {search!r}", hint="fewer or shorter words; ironlake describe lists all"
        )
    if output_format == "table":
        from .descriptions import column_lines, overview_lines

        print_text("\n".join(column_lines(name, answer) if name else overview_lines(answer)))
    else:
        write_answer(answer.to_reader(), output_format)


def catalog(
    out: Annotated[Path, typer.Option(help="DuckDB file to write.", callback=outside_lakes)],
    copy: Annotated[
        bool,
        typer.Option("--copy", help="Copy all rows and answers into the file; it then needs no lake."),
    ] = False,
    lake: LakeOption = DEFAULT_LAKE,
    memory: MemoryOption = None,
    force: ForceOption = False,
) -> None:
    """Write tables and views as a DuckDB file for other tools.

    The file is a snapshot: it refers to the current Parquet files of the lake. Write a new one after an ingest. It replaces an older
    catalog, but no other file without --force. If the lake is in the folder of the file, or below it, both can be moved together;
    otherwise the file refers to the lake by absolute path.

    Tables and the answers of studies can be read with DuckDB 1.1 or later, views of large tables with DuckDB 1.4 or later. With --copy all
    is in the file and can be read with DuckDB 1.1 or later, also on another machine.

    \b
    Example:
      ironlake catalog --out lake.duckdb
    """
    memory_limit(memory)
    known = KeptAnswer(lake, "catalog", str(lake.absolute()), str(out.absolute()), copy)
    if known.is_known and known.pages == [told_from_others(out)]:
        known.give()
        return
    from ..sql.duckdb_file import write_catalog
    from ..sql.open_lake import open_lake

    with known.recorded(), StatusLine() as status:
        with open_lake(lake, memory) as opened:
            write_catalog(opened, out, copy, force, status.step)
            status.clear()
            print(f"{out}: tables and views of {lake} as of step {opened.state.step}")
        known.pages.append(told_from_others(out))


def export(
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="Folder to write; an older export there is replaced.", callback=outside_lakes
        ),
    ],
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A table or view; once for each. Without it: all that have rows.",
            autocompletion=tables_and_views,
        ),
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: Annotated[FileFormat, typer.Option("--format", help="Format of the files.")] = "parquet",
    raw_csv: RawCsvOption = False,
    memory: MemoryOption = None,
    force: ForceOption = False,
) -> None:
    """Write tables and views as files for other tools.

    One file for each table and view, with the rows that count now: what was ingested again or replaced is not among them. The
    folder is written completely or not at all; files that no export wrote are kept, and need --force.

    \b
    Example:
      ironlake export --table cpu_by_class --table lock_contention --format xlsx --out excel
    """
    from ..share.export import export as write_files

    with open_to_read(lake, memory) as opened, StatusLine() as status:
        rows = write_files(opened, out, output_format, table or [], force, status.step, raw_csv)
    print_text(f"{out}: {counted(len(rows), 'file')}, {counted(sum(rows.values()), 'row')}")
