"""Completion by the shell: a script for it, and the names that it offers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..errors import IronlakeError, UsageError

# What the scripts set, to ask the program itself what may follow.
_ASKED = "_IRONLAKE_COMPLETE"
# bash puts in what it is given as it is: names with blanks are quoted first. The other shells quote by themselves.
_QUOTE = '    for k in "${!COMPREPLY[@]}"; do printf -v "COMPREPLY[k]" %q "${COMPREPLY[k]}"; done\n'
_END = "    return 0\n"


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"] | None, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")
    ] = None,
) -> None:
    """Print a script for a shell: Tab completes names.

    Of commands, options, tables, views, reports, pages, and of the lake its studies, saved queries and sources.

    bash and zsh: put `eval "$(ironlake completion bash)"` (or zsh) into ~/.bashrc (or ~/.zshrc, below compinit). fish: write it to
    ~/.config/fish/completions/ironlake.fish.

    \b
    Example:
      ironlake completion fish > ~/.config/fish/completions/ironlake.fish
    """
    if shell is None:
        raise UsageError("no shell is named", "bash, zsh or fish", "ironlake completion bash")
    from typer._completion_shared import get_completion_script

    script = get_completion_script(prog_name="ironlake", complete_var=_ASKED, shell=shell)
    print(script.replace(_END, _QUOTE + _END) if shell == "bash" else script)


def prepare_completion() -> None:
    """Make ready to answer where a shell asks; costs nothing where none does."""
    if _ASKED in os.environ:
        from typer._completion_classes import completion_init

        completion_init()


def tables_and_views(incomplete: str) -> list[str]:
    from ..sql.known_tables import tables
    from ..sql.view_files import views

    return beginning(incomplete, sorted({*tables(), *views()}))


def report_names(incomplete: str) -> list[str]:
    from ..declaration.report import reports

    return beginning(incomplete, sorted(reports()))


def studies_of_lake(context: typer.Context, incomplete: str) -> list[str]:
    """Names of the studies in the lake of the command line; none where it cannot be read."""
    return _of_lake(context, incomplete, _studies)


def sources_of_lake(context: typer.Context, incomplete: str) -> list[str]:
    """Files that the lake of the command line was made of; none where it cannot be read."""
    return _of_lake(context, incomplete, _sources)


def saved_queries_of_lake(context: typer.Context, incomplete: str) -> list[str]:
    """Names of the queries that are kept in the lake of the command line; none where it cannot be read."""
    from ..sql.saved_queries import saved_names

    return _of_lake(context, incomplete, saved_names)


def _studies(lake: Path) -> list[str]:
    from ..lake.ledger import require_lake
    from ..study.stored import name_of, stored_studies

    return [name_of(entry) for entry in stored_studies(require_lake(lake).state())]


def _sources(lake: Path) -> list[str]:
    from ..lake.history import STUDY
    from ..lake.ledger import require_lake

    entries = require_lake(lake).state().sources.values()
    return sorted({e.source_file for e in entries if e.status != "failed" and e.form != STUDY})


def _of_lake(context: typer.Context, incomplete: str, names: Callable[[Path], list[str]]) -> list[str]:
    try:
        return beginning(incomplete, names(context.params.get("lake") or Path("lake")))
    except (IronlakeError, OSError):
        return []


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """The names that begin with a word that is not complete."""
    return [name for name in names if name.startswith(incomplete)]
