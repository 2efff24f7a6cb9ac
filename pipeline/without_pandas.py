"""Arrow without pandas and numpy, which it would import unasked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class _NotInstalled:
    """A finder that says of a package that it is not installed."""

    def __init__(self, package: str):
        self._package = package

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == self._package:
            raise ModuleNotFoundError(name, name=name)


@contextmanager
def _without(package: str) -> Iterator[None]:
    finder = _NotInstalled(package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def leave_pandas_alone() -> None:
    """The first time that pyarrow makes an array it imports pandas, if that is installed: longer than a few megabytes take
    to read, or a query on a small lake. Told once that it is not there, pyarrow asks again only when somebody wants pandas
    objects of it."""
    import pyarrow as pa

    if "pandas" not in sys.modules:
        with _without("pandas"):
            pa.array([0])


def leave_numpy_alone() -> None:
    """Import pyarrow as where numpy is not installed, for a process that makes no numpy arrays of Arrow's and no Arrow arrays of numpy's:
    numpy takes as long to import as pyarrow itself. Others may still import it."""
    if not {"pyarrow", "numpy"} & sys.modules.keys():
        with _without("numpy"):
            import pyarrow  # noqa: F401
