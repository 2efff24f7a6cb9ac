"""Where commands may write: not among the files of a lake, which Ironlake alone makes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError

ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite what is there, whoever wrote it.")]


def outside_lakes(out: Path | None) -> Path | None:
    """The file to write, as a callback of its option. A file directly in a lake's folder is in nobody's way.

    Raises UsageError for one below, or with a name as Ironlake gives: it could replace a part or the ledger."""
    if out is None:
        return None
    # A file is replaced where its name is, and written where a link of its name leads.
    for place in dict.fromkeys((Path(os.path.realpath(out.parent)) / out.name, Path(os.path.realpath(out)))):
        for root in place.parents:
            below = [*place.relative_to(root).parts]
            if os.path.isdir(root / "_ledger") and (len(below) > 1 or below[0].startswith("_")):
                what = f"{out} is among the files of the lake {root}"
                raise UsageError(what, "a file outside the lake", "choose another name or folder")
    return out


PdfOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also print the page as PDF; needs Chrome or Chromium.", callback=outside_lakes),
]
