"""The command `ironlake generate`; its libraries are loaded lazily."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..pipeline.errors import UsageError
from ..pipeline.status_line import StatusLine


def generate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file (YAML), or the name of a shipped model.")],
    out: Annotated[Path, typer.Option(help="Folder for the reports and study.yaml.")],
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
    from ..pipeline.printing.pages import Paper
    from .generate import Order
    from .generate import generate as generate_reports

    order = Order(seed, scale, Paper(asa=asa, ebcdic=ebcdic), form == "xml")
    with StatusLine() as status:
        written = generate_reports(model_path(model), out, order, status.step)
    print(f"{out}: {len(written.paths)} files, {written.intervals} intervals, {written.bytes / 1e6:.1f} MB")


def model_path(given: str) -> Path:
    """The file of a model: a path, or the name of a shipped model."""
    from importlib.resources import files

    path = Path(given)
    if path.exists() or path.suffix or len(path.parts) > 1:
        return path
    shipped = Path(str(files("ironlake.sample_reports"))) / "models"
    if (found := shipped / f"{given}.yaml").exists():
        return found
    names = ", ".join(sorted(one.stem for one in shipped.glob("*.yaml")))
    raise UsageError(f"{given}: no such file, and no shipped model is called so", f"a model file, or one of {names}")
