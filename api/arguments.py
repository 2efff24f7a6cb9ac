"""Arguments of another type than a function says, told in plain words: in a notebook no type checker sees them first."""

from __future__ import annotations

import datetime as dt
import inspect
import os
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, wraps
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from ironlake.pipeline.errors import UsageError

_P = ParamSpec("_P")
_T = TypeVar("_T")
_WORDS: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    type(None): "None",
    os.PathLike: "a path",
    dt.datetime: "a datetime",
    object: "a value",
}


class _Wrong(NamedTuple):
    """An argument, or a value within one, of a wrong type."""

    name: str
    value: Any
    expected: str


def checked(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """The function; it raises UsageError for an argument of another type than its annotation."""
    signature = inspect.signature(function)

    @cache
    def hints() -> dict[str, Any]:
        # Only now: they may name what is defined later. What is returned may name what is imported for type checkers alone.
        said = {name: p.annotation for name, p in signature.parameters.items() if p.annotation is not p.empty}
        return get_type_hints(types.SimpleNamespace(__annotations__=said), vars(sys.modules[function.__module__]))

    @wraps(function)
    def call(*args: _P.args, **named: _P.kwargs) -> _T:
        for name, value in signature.bind(*args, **named).arguments.items():
            if name in hints():
                several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
                for each in value if several else [value]:
                    require(name, each, hints()[name])
        return function(*args, **named)

    return call


def require(name: str, value: object, hint: Any) -> None:
    """Raise UsageError for a value that is not as a type hint says. The values of an iterator are not looked at."""
    if found := _wrong(name, value, hint):
        if isinstance(found.value, str):
            raise UsageError(f"{found.name} is {found.value!r}", found.expected)
        raise UsageError(f"{found.name} is of type {type(found.value).__name__}", found.expected)


def _wrong(name: str, value: Any, hint: Any) -> _Wrong | None:
    kind, inner = get_origin(hint) or hint, get_args(hint)
    wrong = _Wrong(name, value, _words(hint))
    if kind in (Union, types.UnionType):
        found = [_wrong(name, value, one) for one in inner]
        # A list of which one value is wrong was meant as a list.
        return None if None in found else next((f for f in found if f and f.name != name), wrong)
    if kind is Literal:
        return None if value in inner else wrong
    if kind is tuple:
        if isinstance(value, str | bytes) or not isinstance(value, Collection) or len(value) != len(inner):
            return wrong
        return _first(_wrong(f"{name}[{n}]", *pair) for n, pair in enumerate(zip(value, inner, strict=True)))
    if isinstance(kind, type) and issubclass(kind, Mapping):
        if not isinstance(value, Mapping):
            return wrong
        of_keys = (_wrong(f"a name in {name}", key, inner[0]) for key in value)
        return _first(of_keys) or _first(_wrong(f"{name}[{key!r}]", each, inner[1]) for key, each in value.items())
    if isinstance(kind, type) and issubclass(kind, Iterable) and inner:
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            return wrong
        # An iterator can be read only once.
        values = value if isinstance(value, Collection) else ()
        return _first(_wrong(f"{name}[{n}]", each, inner[0]) for n, each in enumerate(values))
    if kind is os.PathLike or kind is str:
        return None if isinstance(value, kind) and "\0" not in str(value) else wrong
    return None if _is_a(value, kind) else wrong


def _is_a(value: object, kind: Any) -> bool:
    if kind is int or kind is float:
        return isinstance(value, (int, kind)) and not isinstance(value, bool)
    return isinstance(value, kind)


def _first(found: Iterable[_Wrong | None]) -> _Wrong | None:
    return next(filter(None, found), None)


def _words(hint: Any) -> str:
    """What a type hint asks for.

    >>> _words(str | None), _words(Mapping[str, int]), _words(Iterable[str])
    ('a text or None', 'a dict: a whole number by name', 'a list (each a text)')
    """
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, types.UnionType):
        return _or([_words(one) for one in inner])
    if kind is Literal:
        return _or([repr(one) for one in inner])
    if kind is tuple:
        return f"a pair (each {_words(inner[0])})"
    if isinstance(kind, type) and issubclass(kind, Mapping) and inner:
        return f"a dict: {_words(inner[1])} by name"
    if isinstance(kind, type) and kind is not os.PathLike and issubclass(kind, Iterable) and inner:
        return f"a list (each {_words(inner[0])})"
    return _WORDS.get(kind, kind.__name__)


def _or(words: list[str]) -> str:
    *some, last = dict.fromkeys(words)
    return f"{', '.join(some)} or {last}" if some else last
