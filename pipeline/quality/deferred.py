"""Imports that wait until somebody uses the module, or fail: a library imports others for parts of it that are not used here."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class _Deferred:
    """A finder whose modules are executed when an attribute of them is first asked for."""

    def __init__(self, names: frozenset[str], without: str):
        self._names, self._without = names, without

    def find_spec(self, name: str, path=None, target=None) -> importlib.machinery.ModuleSpec | None:
        if name == self._without:
            raise ModuleNotFoundError(f"{name} is not used here", name=name)
        if name not in self._names:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            spec.loader = importlib.util.LazyLoader(spec.loader)
        return spec


@contextmanager
def deferred(*names: str, without: str) -> Iterator[None]:
    """What is imported meanwhile gets these modules without their contents, which are loaded at first use, and does not find the module
    `without`, installed or not."""
    finder = _Deferred(frozenset(names), without)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
