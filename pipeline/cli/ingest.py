"""Read files into the lake."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..terminal import json_text
from .arguments import scope_of
from .common import DEFAULT_LAKE, LakeOption, print_text


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
    output_format: Annotated[Literal["table", "json"], typer.Option("--format", help="Output format.")] = "table",
) -> None:
    """Read print reports into the lake. Files that are already ingested are skipped.

    \b
    Example:
      ironlake ingest reports/ wlm.txt.gz --lake lake
      ironlake ingest corrected.txt --replace
    """
    from ..declaration.reading_options import Options
    from ..files.archives import ANY_SIZE
    from ..ingest.ingest import ingest as ingest_paths

    options = Options(
        date_order=date_order, encoding=encoding.lower(), scope=scope_of(scope), utc_offset_minutes=utc_offset
    )
    limits = ANY_SIZE if unpack_any_size else None
    report = ingest_paths(
        paths, lake, options, jobs, progress=True, strict=strict, limits=limits, replace_prints=replace_prints
    )
    as_json = output_format == "json"
    print_text(json_text(report.as_dict(), indent=2) if as_json else report.as_text())
    raise typer.Exit(report.exit_code(strict))
