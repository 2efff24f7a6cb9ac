"""The commands. Slow libraries are imported by the command that needs them."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from ..plugins import ENVIRONMENT

# In the order of the help.
_COMMANDS = (
    *(
        "generate",
        "anonymize",
        "explain",
        "ingest",
        "remove",
        "undo",
        "history",
        "settings",
        "status",
        "check",
        "rejects",
        "test",
    ),
    *(
        "sql",
        "describe",
        "catalog",
        "export",
        "publish",
        "compare",
        "forecast",
        "page",
        "serve",
        "query",
        "study",
        "demo",
        "docs",
        "completion",
        "version",
    ),
)
# The commands that have no module of their name.
_MODULES = {
    "generate": "....models.command",
    "anonymize": "...share.anonymize_reports",
    **dict.fromkeys(("sql", "describe", "catalog", "export"), "..query"),
    "query": "..saved_queries",
    "version": "..commands",
}


def commands(asked: str = "") -> typer.Typer:
    """The program, with the command that is asked for, or with all where that is none: to declare all takes as long as a small question."""
    app = typer.Typer(
        help="Turn z/OS performance print reports into a Parquet lake, SQL views and comparison pages.",
        rich_markup_mode=None,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in [asked] if asked in _COMMANDS else _COMMANDS:
        command = getattr(import_module(_MODULES.get(name, f"..{name}"), __name__), name)
        app.add_typer(command, name=name) if isinstance(command, typer.Typer) else app.command()(command)
    return app


def version() -> None:
    """Show the version, as --version does.

    \b
    Example:
      ironlake version
    """
    from importlib import metadata

    print(f"ironlake {metadata.version('ironlake')}")


def _show_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


def _options(
    is_asked: Annotated[
        bool, typer.Option("--version", "-V", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    # Taken off the command line before it is looked at (main.py).
    plugins: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            envvar=ENVIRONMENT,
            help="A folder of your own reports, views, queries and limits, for every command.",
        ),
    ] = None,
) -> None:
    pass
