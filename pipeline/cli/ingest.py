"""Read files into the lake."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..terminal import json_text
from .arguments import scope_of
from .common import DEFAULT_LAKE, LakeOption, print_text
from .engine import EngineOption, MasterOption, VerboseOption, is_spark
from .outputs import outside_lakes


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
    replace_prints: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Where the lake holds the same report, interval and system from another file, the new file wins.",
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
    fail_on_reject: Annotated[
        bool,
        typer.Option("--fail-on-reject", help="Exit 4 if a line of a file that this command ingests is rejected."),
    ] = False,
    fail_on_empty: Annotated[
        bool,
        typer.Option("--fail-on-empty", help="Exit 3 if this command ingests no file: nothing came, or nothing new."),
    ] = False,
    wait: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            show_default="as long as it takes",
            help="How long to wait while another process writes to the lake.",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Append one line of JSON for each file.", callback=outside_lakes),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but what failed, on standard error.")
    ] = False,
    engine: EngineOption = "local",
    master: MasterOption = None,
    verbose: VerboseOption = False,
    output_format: Annotated[Literal["table", "json"], typer.Option("--format", help="Output format.")] = "table",
) -> None:
    """Read print reports into the lake. Files that are already ingested are skipped.

    In folders and archives, other files beside reports (YAML, HTML, JSON, CSV, Markdown, images, Parquet) are passed over. Exit codes: 1 if a
    file failed, or for --strict; else 4 for --fail-on-reject; else 3 for --fail-on-empty.

    \b
    Example:
      ironlake ingest reports/ wlm.txt.gz --lake lake
      ironlake ingest corrected.txt --replace
      ironlake ingest /var/spool/rmf --quiet --log ingest.jsonl --fail-on-empty --wait 600
      ironlake ingest /print/2026 --lake /shared/lake --engine spark --master spark://host:7077
    """
    from contextlib import nullcontext

    from ..declaration.reading_options import Options
    from ..files.archives import ANY_SIZE
    from ..ingest.ingest import ingest as ingest_paths
    from ..ingest.log import IngestLog

    options = Options(
        date_order=date_order, encoding=encoding.lower(), scope=scope_of(scope), utc_offset_minutes=utc_offset
    )
    limits = ANY_SIZE if unpack_any_size else None
    elsewhere = None
    if is_spark(engine, master, jobs, verbose):
        from ..spark.ingest import SparkReaders

        elsewhere = SparkReaders(master, verbose, lake, options, strict)
    with IngestLog(log, lake) if log else nullcontext() as lines:
        told = lines.add if lines else lambda result: None
        report = ingest_paths(
            paths, lake, options, jobs, not quiet,
            strict=strict, limits=limits, replace_prints=replace_prints, told=told, wait_s=wait, elsewhere=elsewhere,
        )  # fmt: skip
    if quiet:
        for failed in report.failed:
            print("\n".join(failed.as_text()), file=sys.stderr)
    else:
        print_text(json_text(report.as_dict(), indent=2) if output_format == "json" else report.as_text())
    raise typer.Exit(report.exit_code(strict, fail_on_reject, fail_on_empty))
