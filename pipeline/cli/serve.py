"""A lake in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from ..sql.memory import memory_limit
from .common import DEFAULT_LAKE, LakeOption, MemoryOption


def serve(
    lake: LakeOption = DEFAULT_LAKE,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0: one that is free.")] = 8765,
    opens: Annotated[
        bool, typer.Option("--open/--no-browser", help="Open the address in a browser; default: print it.")
    ] = False,
    memory: MemoryOption = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, max=86_400, help="How long one question may take.")
    ] = 60.0,
) -> None:
    """Show a lake in a browser, read only, on this machine.

    Tables, views, SQL with charts and files, pages and comparisons, and from each number to the printed line. The address
    has a token: without it nobody is let in. What is ingested meanwhile is seen by the next question. Ctrl-C ends it.

    It needs the extra serve.

    \b
    Example:
      ironlake serve --lake lake --open
    """
    memory_limit(memory)
    from ..serve.server import serve as serve_lake

    serve_lake(lake, port, opens, memory, timeout)
