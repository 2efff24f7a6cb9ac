# ruff: noqa: PT028 (a command, no test of pytest)
"""`ironlake test`: whether a folder of reports, views, queries and limits is as it should be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError
from ..plugins import ENVIRONMENT, PARTS
from .common import print_text


def test(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder, as --plugins takes it.")],
    write: Annotated[bool, typer.Option(help="Write the rows of sample pages that have none beside them.")] = False,
    overwrite: Annotated[bool, typer.Option(help="Write the rows of sample pages that give others, too.")] = False,
) -> None:
    """Test a folder of your own reports, views, queries and limits.

    Declarations, grammars and sample pages must agree, each page give the rows that are beside it, and each view and query run. What is
    wrong is told with its file and line; exit code 1. ironlake docs adding_a_report says what such a folder holds.

    \b
    Example:
      ironlake test ours
      ironlake test ours --write
    """
    os.environ[ENVIRONMENT] = str(folder)
    from ..reading.check_report import folder_problems
    from ..sql.check_views import view_problems

    found = [*folder_problems(folder, write=write, overwrite=overwrite), *view_problems()]
    for problem in found:
        print_text(problem)
    if not any((folder / name).exists() for name in PARTS):
        raise UsageError(f"there is nothing to test in {folder}", f"a folder with {', '.join(PARTS)}")
    if found:
        raise typer.Exit(1)
    print_text(f"{folder}: nothing is wrong")
