"""Completion by the shell: a script for it, and the names that it offers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

# What the scripts set, to ask the program itself what may follow.
_ASKED = "_IRONLAKE_COMPLETE"
# bash puts in what it is given as it is: names with blanks are quoted first. The other shells quote by themselves.
_QUOTE = '    for k in "${!COMPREPLY[@]}"; do printf -v "COMPREPLY[k]" %q "${COMPREPLY[k]}"; done\n'
_END = "    return 0\n"


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print a script for a shell: Tab completes names.

    Of commands, options, tables, views, studies of the lake, and pages.

    bash and zsh: put `eval "$(ironlake completion bash)"` (or zsh) into ~/.bashrc (or ~/.zshrc, below compinit). fish: write it to
    ~/.config/fish/completions/ironlake.fish.

    \b
    Example:
      ironlake completion fish > ~/.config/fish/completions/ironlake.fish
    """
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


def studies_of_lake(context: typer.Context, incomplete: str) -> list[str]:
    """Names of the studies in the lake of the command line; none where it cannot be read."""
    from ..errors import IronlakeError
    from ..sql.session import open_lake
    from ..study.show import known_studies

    try:
        with open_lake(context.params.get("lake") or Path("lake")) as lake:
            return beginning(incomplete, known_studies(lake, []))
    except (IronlakeError, OSError):
        return []


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """The names that begin with a word that is not complete."""
    return [name for name in names if name.startswith(incomplete)]
