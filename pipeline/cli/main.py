"""The command line. Slow libraries are imported by the command that needs them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..errors import IronlakeError, UsageError
from ..share.anonymize_reports import anonymize
from ..synthesis.command import generate
from ..terminal import escape_output, escaped_output
from .check import check
from .common import forget_output
from .compare import compare
from .completion import completion, prepare_completion
from .demo import demo
from .docs import docs
from .explain import explain
from .ingest import ingest
from .query import catalog, describe, export, sql
from .quick import collect_rarely, convert_plain_values, end, only_asked_for
from .rejects import rejects
from .study import study

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


for _command in (generate, anonymize, explain, ingest, check, rejects, sql, describe, catalog, export, compare):
    app.command()(_command)
app.add_typer(study, name="study")
for _command in (demo, docs, completion):
    app.command()(_command)


def main() -> int:
    """Run the command line; returns the exit code: 0 success, 1 rejects or failures, 2 usage error, 130 interrupted."""
    with escaped_output():
        return _run()


def _run() -> int:
    prepare_completion()
    command = typer.main.get_command(only_asked_for(app, sys.argv[1:]))
    convert_plain_values(command)
    try:
        try:
            command()
        finally:
            _flush_output()
    except IronlakeError as error:
        print(f"ironlake: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        return _interrupted()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"ironlake: {where}{error.strerror or error}", file=sys.stderr)
        forget_output()
        return 1
    except UnicodeEncodeError as error:
        # A path of the command line that libraries cannot take: they all want UTF-8.
        if error.reason != "surrogates not allowed":
            raise
        print(f"ironlake: {error.object} is not UTF-8; expected a name in UTF-8", file=sys.stderr)
        return 2
    except SystemExit as end:
        if end.code == 130:
            return _interrupted()
        raise
    return 0


def _flush_output() -> None:
    """Write what Python still holds for standard output. A closed pipe (`| head`) is not an error."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
    except IronlakeError:
        forget_output()
        raise


def program() -> None:
    """The command `ironlake`: `main`, then the end of the process."""
    # To the end of the process: what Python itself says of an unforeseen error is escaped as well.
    escape_output()
    collect_rarely()
    try:
        code = main()
    except SystemExit as ended:
        code = ended.code
    end(code)
    sys.exit(code)


def _interrupted() -> int:
    print("ironlake: interrupted; committed files are safe", file=sys.stderr)
    return 130


if __name__ == "__main__":
    program()
