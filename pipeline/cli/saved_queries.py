"""`ironlake query`: queries that are kept in the lake."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError
from .arguments import query_text
from .common import DEFAULT_LAKE, FormatOption, LakeOption, open_to_read, print_text, write_answer
from .completion import saved_queries_of_lake

query = typer.Typer(
    help="""Queries that are kept in the lake, for all who use it.

    \b
    Example:
      ironlake query save peak --file peak.sql --lake lake
      ironlake sql --saved peak --param class=CICSHI
    """,
    rich_markup_mode=None,
    no_args_is_help=True,
)
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The name of a saved query.", autocompletion=saved_queries_of_lake)
]


@query.command("save")
def query_save(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Lower-case letters, digits, - and _.", autocompletion=saved_queries_of_lake
        ),
    ],
    text: Annotated[
        str | None, typer.Argument(metavar="[QUERY]", help="One SELECT statement; - reads it from standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", metavar="FILE", help="Read the query from FILE.")] = None,
    about: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="What it answers, in one line; default: the comment in the first line of the query."
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a query of the same name.")] = False,
    lake: LakeOption = DEFAULT_LAKE,
) -> None:
    """Check a query and keep it in the lake.

    It is a text file, _queries/NAME.sql in the folder of the lake. $NAME in it is a parameter.

    \b
    Example:
      ironlake query save peak --file peak.sql --about "busiest hours of a class"
    """
    from ..sql.saved_queries import save_query

    given = query_text(text, file)
    if given is None:
        raise UsageError("no query is given", "a query, --file FILE, or - for standard input")
    with open_to_read(lake) as opened:
        save_query(opened, name, given, about, replace)
    print_text(f"{name}: saved; ironlake sql --saved {name} runs it")


@query.command("list")
def query_list(lake: LakeOption = DEFAULT_LAKE, output_format: FormatOption = "table") -> None:
    """Show the saved queries: what each answers, and its parameters.

    \b
    Example:
      ironlake query list --lake lake
    """
    from ..sql.saved_queries import listed

    with open_to_read(lake) as opened:
        write_answer(listed(opened).to_reader(), output_format)


@query.command("show")
def query_show(name: NameArgument, lake: LakeOption = DEFAULT_LAKE) -> None:
    """Show the text of a saved query.

    \b
    Example:
      ironlake query show peak --lake lake
    """
    from ..sql.saved_queries import saved_query

    print_text(saved_query(lake, name).rstrip("\n"))


@query.command("remove")
def query_remove(name: NameArgument, lake: LakeOption = DEFAULT_LAKE) -> None:
    """Remove a saved query from the lake.

    \b
    Example:
      ironlake query remove peak --lake lake
    """
    from ..sql.saved_queries import remove_query

    remove_query(lake, name)
    print_text(f"{name}: removed")
