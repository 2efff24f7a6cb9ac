"""How much of a long list of cases `make test` tries; the rest is marked slow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], nth: int) -> list[Any]:
    """All cases for `parametrize`: the first and every nth after it as they are, the others slow. A tuple is several arguments."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=() if number % nth == 0 else pytest.mark.slow
        )
        for number, case in enumerate(cases)
    ]
