"""Arrow without pandas, which it would import unasked."""

from __future__ import annotations

import sys

import pyarrow as pa


class _NoPandas:
    """A finder that says pandas is not installed."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name, name=name)


def leave_pandas_alone() -> None:
    """The first time that pyarrow makes an array it imports pandas, if that is installed: longer than a few megabytes take
    to read, or a query on a small lake. Told once that it is not there, pyarrow asks again only when somebody wants pandas
    objects of it."""
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _NoPandas)
        try:
            pa.array([0])
        finally:
            sys.meta_path.remove(_NoPandas)
