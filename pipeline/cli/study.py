"""`ironlake study`: which windows, classes and systems are compared."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..errors import IronlakeError, UsageError, first_of, writing_to
from ..sql.memory import memory_limit
from .common import DEFAULT_LAKE, FormatOption, LakeOption, MemoryOption, open_to_read, print_text, write_answer
from .completion import studies_of_lake
from .kept_answer import KeptAnswer
from .outputs import outside_lakes

study = typer.Typer(
    help="""Studies: which windows, classes and systems to compare.

    \b
    Example:
      ironlake study add drivers.yaml --lake lake
    """,
    rich_markup_mode=None,
    no_args_is_help=True,
)
StudiesArgument = Annotated[list[Path], typer.Argument(metavar="STUDY...", help="Study files (YAML).")]


@study.command("init")
def study_init(
    out: Annotated[
        Path | None, typer.Option(help="File to write; default: standard output.", callback=outside_lakes)
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    memory: MemoryOption = None,
) -> None:
    """Write a draft study file from the contents of the lake.

    The draft begins with the coverage: the reports per system and day, and their gaps. It proposes the windows, classes and
    request-counting class with the most data.

    \b
    Example:
      ironlake study init --out drivers.yaml --lake lake
    """
    from ..sql.open_lake import open_lake
    from ..study.init import first_study

    if out and out.exists():
        raise UsageError(f"{out} already exists", hint="choose another name")
    with open_lake(lake, memory) as opened:
        text = first_study(opened)
    if out:
        with writing_to(out):
            out.write_text(text, encoding="utf-8")
        print_text("\n".join(line[2:] for line in text.split("\n\n")[0].splitlines()[2:]))
        print_text(f"{out}: written; ironlake study check {out} shows what it selects")
    else:
        print_text(text.rstrip("\n"))


@study.command("check")
def study_check(
    files: StudiesArgument,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: FormatOption = "table",
    memory: MemoryOption = None,
) -> None:
    """Show what each configuration of a study selects, and its errors.

    Errors in the file give exit code 2, errors against the lake 1. Nothing is added to the lake.

    \b
    Example:
      ironlake study check drivers.yaml --lake lake
    """
    from ..lake.ledger import Ledger
    from ..study.lake import read_and_check, read_files, selections

    studies = read_files(files)
    if not Ledger(lake).exists():
        print(f"no lake in {lake}: the file is valid; what it selects is unknown", file=sys.stderr)
        return
    checked = read_and_check(lake, studies, memory)
    write_answer(selections(checked).to_reader(), output_format)
    for note in first_of([n for c in checked for n in c.notes]):
        print(f"note: {note}", file=sys.stderr)
    errors = [e for c in checked for e in c.errors]
    if errors:
        raise IronlakeError("\n".join(first_of(errors)))


@study.command("add")
def study_add(files: StudiesArgument, lake: LakeOption = DEFAULT_LAKE, memory: MemoryOption = None) -> None:
    """Add studies to the lake; the study views then compare them.

    A study replaces the one of the same name. A study that does not match the lake is not added.

    \b
    Example:
      ironlake study add drivers.yaml --lake lake
    """
    from ..study.lake import add_studies, read_files

    for line in add_studies(lake, read_files(files), memory):
        print_text(line)


@study.command("list")
def study_list(lake: LakeOption = DEFAULT_LAKE, output_format: FormatOption = "table") -> None:
    """List the studies in the lake; times are UTC.

    \b
    Example:
      ironlake study list --lake lake
    """
    from ..study.stored import list_studies

    write_answer(list_studies(lake).to_reader(), output_format)


@study.command("remove")
def study_remove(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Names of studies in the lake.", autocompletion=studies_of_lake),
    ],
    lake: LakeOption = DEFAULT_LAKE,
) -> None:
    """Remove studies from the lake. Their files stay; ironlake undo brings them back.

    \b
    Example:
      ironlake study remove "JDBC drivers" --lake lake
    """
    from ..study.stored import remove_studies

    step = remove_studies(lake, names)
    print_text(f"removed in step {step} of the ledger: {', '.join(dict.fromkeys(names))}")


@study.command("show")
def study_show(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Names of studies in the lake; default: all.", autocompletion=studies_of_lake
        ),
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="json shows numbers with all their digits.")
    ] = "table",
    memory: MemoryOption = None,
) -> None:
    """Show the results of studies: warnings, 95% intervals, differences, fitted lines, findings.

    Each part is also a view or table for SQL; its name is beside its title.

    \b
    Example:
      ironlake study show "JDBC drivers" --lake lake
    """
    memory_limit(memory)
    known = KeptAnswer(lake, "study show", names, output_format)
    if known.is_known:
        known.give()
        return
    from ..study.show import as_json, as_text, gather

    with known.recorded():
        with open_to_read(lake, memory) as opened:
            found = gather(opened, names or [])
        print_text(as_json(found) if output_format == "json" else as_text(found))
