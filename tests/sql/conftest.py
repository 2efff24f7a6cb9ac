"""Tests that are generators share a lake."""

from one_lake import pytest_pycollect_makeitem

__all__ = ["pytest_pycollect_makeitem"]
