"""How many examples a test of a property tries: tests/conftest.py has the profiles."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def examples(number: int, **other: Any) -> settings:
    """Settings of a test that tries `number` examples in `make test`, and as many times more of them as the profile has."""
    times = settings().max_examples / settings.get_profile("fast").max_examples
    return settings(max_examples=round(number * times), **other)
