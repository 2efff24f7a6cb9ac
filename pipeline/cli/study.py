"""`ironlake study`: which windows, classes and systems are compared."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..errors import IronlakeError, UsageError
from .common import DEFAULT_LAKE, FormatOption, LakeOption, open_to_read, print_text, write_answer

study = typer.Typer(
    help="""Studies: which windows, classes and systems are compared.

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
    out: Annotated[Path | None, typer.Option(help="File to write; without it the study is printed.")] = None,
    lake: LakeOption = DEFAULT_LAKE,
) -> None:
    """Write a first study file from what the lake holds.

    It begins with the coverage: which report there is of which system and day, and its gaps. Windows, classes and the class that
    counts requests are chosen by how much there is of them.

    \b
    Example:
      ironlake study init --out drivers.yaml --lake lake
    """
    from ..sql.session import open_lake
    from ..study.init import first_study

    if out and out.exists():
        raise UsageError(f"{out} is there already", "a new file")
    with open_lake(lake) as opened:
        text = first_study(opened)
    if out:
        out.write_text(text, encoding="utf-8")
        print_text("\n".join(line[2:] for line in text.split("\n\n")[0].splitlines()[2:]))
        print_text(f"{out}: written; ironlake study check {out} shows what it selects")
    else:
        print_text(text.rstrip("\n"))


@study.command("check")
def study_check(files: StudiesArgument, lake: LakeOption = DEFAULT_LAKE, output_format: FormatOption = "table") -> None:
    """Show what each configuration of a study selects, and what is wrong with it.

    Mistakes in the file end with exit code 2, those that the lake shows with 1. Nothing is added.

    \b
    Example:
      ironlake study check drivers.yaml --lake lake
    """
    from ..lake.ledger import Ledger
    from ..study.lake import read_and_check, read_files, selections

    studies = read_files(files)
    if not Ledger(lake).exists():
        print(f"no lake in {lake}: the file is good, what it selects is not known", file=sys.stderr)
        return
    checked = read_and_check(lake, studies)
    write_answer(selections(checked).to_reader(), output_format)
    for note in [n for c in checked for n in c.notes]:
        print(f"note: {note}", file=sys.stderr)
    errors = [e for c in checked for e in c.errors]
    if errors:
        raise IronlakeError("\n".join(errors))


@study.command("add")
def study_add(files: StudiesArgument, lake: LakeOption = DEFAULT_LAKE) -> None:
    """Add studies to the lake, where the views compare what they name.

    A study replaces one of the same name. One that does not fit the lake is not added.

    \b
    Example:
      ironlake study add drivers.yaml --lake lake
    """
    from ..study.lake import add_studies, read_files

    for line in add_studies(lake, read_files(files)):
        print_text(line)


@study.command("show")
def study_show(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Studies by their names in the lake; all without.")
    ] = None,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="Numbers have all their digits in json.")
    ] = "table",
) -> None:
    """Show what studies give and how sure it is: warnings, 95% intervals, differences, lines, findings.

    Each part is a view or table of its own for SQL; its name stands beside its title.

    \b
    Example:
      ironlake study show "JDBC drivers" --lake lake
    """
    from ..study.show import as_json, as_text, gather

    with open_to_read(lake) as opened:
        found = gather(opened, names or [])
    print_text(as_json(found) if output_format == "json" else as_text(found))
