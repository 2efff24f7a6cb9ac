"""Shared by the commands: options of those that read a lake, and output to standard output."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import IronlakeError
from ..output.formats import Format
from ..storage.address import place_of
from ..terminal import forget_output

if TYPE_CHECKING:
    import pyarrow as pa

    from ..sql.open_lake import OpenLake

LakeOption = Annotated[
    Path,
    typer.Option(
        "--lake",
        envvar="IRONLAKE_LAKE",
        help="Folder of the lake, or its address in object storage.",
        callback=place_of,
    ),
]
FormatOption = Annotated[
    Format,
    typer.Option(
        "--format", help="NULL is '-' in table and markdown, empty in csv (an empty text is \"\"), null in json."
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="What DuckDB may take, such as 4GB; rows beyond it go to a temporary folder. Default: three fifths of the machine.",
    ),
]
RawCsvOption = Annotated[
    bool,
    typer.Option(
        "--raw-csv",
        help="csv: leave texts as they are. Else one that begins with = + - @, tab or CR has an apostrophe before it, so that no "
        "spreadsheet runs it as a formula.",
    ),
]
DEFAULT_LAKE = Path("lake")


def open_to_read(path: Path, memory: str | None = None) -> OpenLake:
    """Open a lake, with a bound on the memory of its queries; note on standard error if files in it should be ingested again."""
    from ..sql.open_lake import open_lake

    lake = open_lake(path, memory)
    if note := lake.outdated_note:
        print(f"note: {note}", file=sys.stderr)
    return lake


def write_answer(answer: pa.RecordBatchReader, output_format: Format, raw_csv: bool = False, more: str = "") -> None:
    """Write an answer to standard output; `more`: as of output/write.py."""
    from ..output.write import write

    write(answer, output_format, raw_csv=raw_csv, more=more)


def typed(arguments: Sequence[str], program: str | None = None) -> str:
    """The command as it can be typed again, of an absolute path only its last name; empty where another program called.

    >>> typed(["compare", "--lake", "/data/lake", "--run", "a b"], "/usr/bin/ironlake")
    "ironlake compare --lake lake --run 'a b'"
    """
    if not Path(sys.argv[0] if program is None else program).name.startswith("ironlake"):
        return ""
    return shlex.join(["ironlake", *(re.sub(r"(^|=)/(?:[^/]*/)*([^/]+)/?$", r"\1\2", text) for text in arguments)])


def print_text(text: str) -> None:
    """Print to standard output. A closed pipe (`| head`) is not an error."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        forget_output()
    except IronlakeError as error:
        raise IronlakeError(error.what, hint="committed files are safe") from None
