"""Frozen classes for the type checker: dataclasses without the methods that the standard library writes and compiles for each class, all
of them at every start, and without its frozen fields, which take three times as long to set. Each object is equal to itself alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def frozen(*, kw_only: bool = False) -> Callable[[type[Made]], type[Made]]:
    return dataclass(eq=False, repr=False, kw_only=kw_only)
