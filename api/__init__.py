"""Ironlake from Python: read print reports into a lake, ask it in SQL, compare periods and configurations.

>>> import ironlake
>>> ironlake.ingest("reports/", lake="lake")  # doctest: +SKIP
>>> with ironlake.open_lake("lake") as lake:  # doctest: +SKIP
...     lake.sql("SELECT * FROM cpu_by_class WHERE service_class = $class", {"class": "CICSHI"}).pl()

Wherever a lake is asked for, the default is the folder that the environment variable IRONLAKE_LAKE names, or `lake`. What
goes wrong raises IronlakeError (UsageError for wrong use) with the words of the command line. `ironlake docs python` has more.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ironlake.comparison import Comparison, compare
    from ironlake.ingestion import IngestFailed, ingest
    from ironlake.lake import Answer, Lake, Plot, open_lake
    from ironlake.pipeline.errors import IronlakeError, UsageError
    from ironlake.study import Study, Window

__all__ = [
    "Answer",
    "Comparison",
    "IngestFailed",
    "IronlakeError",
    "Lake",
    "Plot",
    "Study",
    "UsageError",
    "Window",
    "compare",
    "ingest",
    "open_lake",
]

# Where each name is: loaded when it is first used, because the libraries take longer to import than `ironlake --help` may take.
_MODULES = {
    "comparison": ("Comparison", "compare"),
    "ingestion": ("IngestFailed", "ingest"),
    "lake": ("Answer", "Lake", "Plot", "open_lake"),
    "pipeline.errors": ("IronlakeError", "UsageError"),
    "study": ("Study", "Window"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
