"""The commands. Slow libraries are imported by the command that needs them."""

from __future__ import annotations

from typing import Annotated

import typer

from ..share.anonymize_reports import anonymize
from ..synthesis.command import generate
from .check import check
from .compare import compare
from .completion import completion
from .demo import demo
from .docs import docs
from .explain import explain
from .history import history
from .ingest import ingest
from .page import page
from .publish import publish
from .query import catalog, describe, export, sql
from .rejects import rejects
from .remove import remove
from .saved_queries import query
from .settings import settings
from .status import status
from .study import study
from .undo import undo

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


for _command in (
    *(generate, anonymize, explain, ingest, remove, undo, history, settings, status, check, rejects),
    *(sql, describe, catalog, export, publish, compare, page),
):
    app.command()(_command)
app.add_typer(query, name="query")
app.add_typer(study, name="study")
for _command in (demo, docs, completion):
    app.command()(_command)
