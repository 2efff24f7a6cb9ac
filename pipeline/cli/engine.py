"""Which machines do the work: options of the commands that can have it done by Spark."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..errors import UsageError

Engine = Literal["local", "spark"]

EngineOption = Annotated[
    Engine,
    typer.Option("--engine", help="local: this machine; spark: the executors of Apache Spark (ironlake docs spark)."),
]
MasterOption = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="Spark's master: local[4], spark://host:7077, yarn, k8s://…; spark-submit has its own.",
    ),
]
VerboseOption = Annotated[bool, typer.Option("--verbose", help="Print what Spark says, on standard error.")]


def is_spark(engine: Engine, master: str | None, jobs: int | None, verbose: bool) -> bool:
    """Whether Spark does the work. Raises UsageError for options that are for the other engine."""
    if engine == "spark":
        if jobs is not None:
            raise UsageError(
                "--jobs is for this machine",
                "--jobs or --engine spark",
                "Spark's master says how many tasks run at once",
            )
        return True
    for name, is_given in (("--master", master is not None), ("--verbose", verbose)):
        if is_given:
            raise UsageError(f"{name} is given without --engine spark", f"--engine spark {name}")
    return False
