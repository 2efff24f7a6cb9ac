"""The command `ironlake generate`; its libraries are loaded lazily."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..pipeline.errors import UsageError
from ..pipeline.status_line import StatusLine


def generate(
    model: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="A model file (YAML), or the name of a shipped model.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the reports and study.yaml; required.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random numbers: the same seed gives the same bytes.")] = 1,
    scale: Annotated[int, typer.Option(min=1, help="How many times as many intervals as the model says.")] = 1,
    asa: Annotated[bool, typer.Option("--asa", help="Carriage control in the first column of a line.")] = False,
    ebcdic: Annotated[bool, typer.Option("--ebcdic", help="EBCDIC; with --asa in records of 133 bytes.")] = False,
    form: Annotated[
        Literal["print", "xml"],
        typer.Option(help="xml: CPU Activity and Partition Data as XML; Workload Activity also as XML."),
    ] = "print",
) -> None:
    """Print the reports of a workload model.

    The model is solved as a queueing network. Ingest can read the reports; study.yaml compares the model's configurations.
    `ironlake docs model` describes models.

    \b
    Example:
      ironlake generate jdbc_drivers --out reports
      ironlake ingest reports --lake lake
    """
    if model is None:
        raise UsageError("no model is named", f"a model file, or one of {', '.join(_shipped())}")
    if out is None:
        raise UsageError("no folder is named", "--out FOLDER", f"ironlake generate {model} --out reports")
    from ..pipeline.printing.pages import Paper
    from .generate import Order
    from .generate import generate as generate_reports

    order = Order(seed, scale, Paper(asa=asa, ebcdic=ebcdic), form == "xml")
    with StatusLine() as status:
        written = generate_reports(model_path(model), out, order, status.step)
    print(f"{out}: {len(written.paths)} files, {written.intervals} intervals, {written.bytes / 1e6:.1f} MB")


def model_path(given: str) -> Path:
    """The file of a model: a path, or the name of a shipped model."""
    path = Path(given)
    if path.exists() or path.suffix or len(path.parts) > 1:
        return path
    if found := _shipped().get(given):
        return found
    names = ", ".join(_shipped())
    raise UsageError(f"{given}: no such file, and no shipped model is called so", f"a model file, or one of {names}")


def _shipped() -> dict[str, Path]:
    """The files of the shipped models by name."""
    from importlib.resources import files

    folder = Path(str(files("ironlake.sample_reports"))) / "models"
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}
