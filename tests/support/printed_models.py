"""What the reports of a solved step say, with their printers, and the numbers in them by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from ironlake.models.fill_cics_servers import cics_servers
from ironlake.models.fill_overview import overview
from ironlake.models.fill_workload import workload_activity
from ironlake.models.filling import StepIntervals
from ironlake.models.generate import OF_STEP, OF_SYSTEM
from ironlake.models.printers.cics_servers import print_cics_server, print_log_top
from ironlake.models.printers.overview import print_overview
from ironlake.models.printers.workload import print_workload
from ironlake.pipeline.printing.pages import Paper


def _print_server(server: Any, paper: Paper | None) -> bytes:
    return print_log_top(server, paper) + print_cics_server(server, paper)


def contents(part: StepIntervals) -> Iterator[tuple[Any, Callable[..., bytes]]]:
    """What each report of a step says, with its printer."""
    yield workload_activity(part), print_workload
    yield from ((server, _print_server) for server in cics_servers(part))
    for fill_all, prints, _ in OF_STEP.values():
        yield from ((one, prints) for one in fill_all(part))
    for system in part.configuration.systems:
        for fill, prints in (*OF_SYSTEM.values(), (overview, print_overview)):
            if (found := fill(part, system)) is not None:
                yield found, prints


def numbers(content: Any, count: int) -> dict[str, list[float]]:
    """The numbers of a content by the name of their field or property, of `count` intervals."""
    out: dict[str, list[float]] = {}

    def add(name: str, value: Any) -> None:
        if is_dataclass(value):
            for one in fields(value):
                add(one.name, getattr(value, one.name))
            for derived, found in vars(type(value)).items():
                if isinstance(found, property):
                    add(derived, getattr(value, derived))
        elif isinstance(value, dict):
            for key, one in value.items():
                add(key if isinstance(key, str) else name, one)
        elif isinstance(value, list | tuple):
            for one in value:
                add(name, one)
        elif isinstance(value, int | float | np.ndarray) and not isinstance(value, bool):
            array = np.asarray(value)
            if array.dtype.kind in "if" and array.ndim < 2:
                out.setdefault(name, []).extend(np.broadcast_to(array.astype(float), (count,)).tolist())

    add("", content)
    return out
