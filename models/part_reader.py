"""Parts of a file as dataclasses declare them: each field says its key, how its value is read, and what to give where it is missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from ..pipeline.yaml_reader import Reader, Value, Wrong, choice, items_of, number_of, text_of

_Part = TypeVar("_Part")
Fields = dict[str, Value]


def whole_of(least: int, most: int) -> Callable[[Value], int]:
    def read(value: Value) -> int:
        text = value.node.value if isinstance(value.node.value, str) else ""
        if not re.fullmatch(r"\d{1,9}", text) or not least <= int(text) <= most:
            raise Wrong(value, f"a whole number from {least} to {most}")
        return int(text)

    return read


def name_of(value: Value) -> str:
    """A name as z/OS has it."""
    text = text_of(value).upper()
    if not re.fullmatch(r"[A-Z$#@][A-Z0-9$#@_.]{0,7}", text):
        raise Wrong(value, "a name of at most 8 letters, digits, $ # @")
    return text


def yes_of(value: Value) -> bool:
    return choice("yes", "no")(value) == "yes"


percent_of = number_of(0, 100.000001)
positive_of = number_of(0, above=True)
any_of = number_of(0)


def each_of(read: Callable[[Value], _Part]) -> Callable[[Value], tuple[_Part, ...]]:
    """A list, or one value."""
    return lambda value: tuple(read(item) for item in items_of(value))


@dataclass(frozen=True)
class _Key:
    """A key: how it is read from the fields of its part, its name if not that of the field, and what is wanted if it must be given."""

    read: Callable[[PartReader, Fields, str], Any]
    name: str
    need: str


def _field(read: Callable[[PartReader, Fields, str], Any], default: Any, name: str, need: str) -> Any:
    metadata = {"key": _Key(read, name, need)}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


def key(read: Callable[[Value], Any], default: Any, need: str = "", name: str = "", per: int = 0) -> Any:
    """A field that is one value. `per` 100: percent of it are written."""

    def take(reader: PartReader, given: Fields, key: str) -> Any:
        value = reader.take(given, key, read, default)
        return value / per if per else value

    return _field(take, default / per if per else default, name, need)


def named(where: str, what: str, need: str = "", default: str | None = "") -> Any:
    """A field that names another part of the file; `where` these are."""
    return _field(
        lambda reader, given, key: reader.one_of(given, key, reader.names(where), what) or default, default, "", need
    )


def numbers_of(where: str, what: str, need: str = "") -> Any:
    """A field that has a number for each of some parts of the file."""
    return _field(lambda reader, given, key: reader.named_numbers(given, key, where, what), {}, "", need)


def part(kind: type | str, default: Any = None, need: str = "", name: str = "") -> Any:
    """A field that is a part of its own: a dataclass, or what a method of the reader makes of it."""

    def read(reader: PartReader, given: Fields, key: str) -> Any:
        return reader.part(kind, key, given[key]) if key in given else default

    return _field(read, default, name, need)


def parts(kind: type | str, need: str = "", name: str = "", longest: int | None = 8) -> Any:
    """A field with parts by name; with `longest`, names are those of z/OS."""
    return _field(lambda reader, given, key: reader.parts(given, key, kind, longest), {}, name, need)


def _keys(kind: Any) -> dict[str, _Key]:
    return {one.name: one.metadata["key"] for one in fields(kind) if "key" in one.metadata}


def keys_of(kind: Any) -> list[str]:
    """The keys of a part."""
    return [one.name or attribute for attribute, one in _keys(kind).items()]


class PartReader(Reader):
    """Reads declared parts of a file whose top is `top`."""

    def __init__(self, file: str, top: Value):
        super().__init__(file)
        self.top = top

    def names(self, where: str) -> list[str]:
        """The names of parts below some keys, one within the other."""
        at = self.top.node
        for name in where.split("."):
            pairs = at.value if at is not None and Value(at, "").is_mapping else []
            at = next((node for key, node in pairs if key.value == name), None)
        return [str(key.value).strip() for key, _ in at.value] if at is not None and Value(at, "").is_mapping else []

    def read(self, kind: type[_Part], name: str, value: Value, **more: Any) -> tuple[_Part, Fields]:
        """A part and its values by key."""
        given, declared = self.declared(kind, value), _keys(kind)
        found = {attribute: one.read(self, given, one.name or attribute) for attribute, one in declared.items()}
        there = {one.name for one in fields(kind)}  # pyright: ignore[reportArgumentType]
        named = {one: it for one, it in (("name", name), ("line", value.line)) if one in there and one not in found}
        return kind(**named, **found, **more), given

    def declared(self, kind: Any, value: Value) -> Fields:
        """The values of a part by key; others, and those that must be given and are not, are told."""
        given = self.fields(value, keys_of(kind), kind.SHAPE)
        for attribute, one in _keys(kind).items():
            if one.need:
                self.need(given, one.name or attribute, value, one.need)
        return given

    def part(self, kind: type | str, name: str, value: Value) -> Any:
        return getattr(self, kind)(name, value) if isinstance(kind, str) else self.read(kind, name, value)[0]

    def parts(self, given: Fields, key: str, kind: type | str, longest: int | None) -> dict[str, Any]:
        if key not in given:
            return {}
        found: dict[str, Any] = {}
        for name, value in self.fields(given[key], None, f"names of {key}").items():
            if longest and not re.fullmatch(rf"[A-Z$#@][A-Z0-9$#@_]{{0,{longest - 1}}}", name):
                self.add_problem(value, f"{name!r} is not a name", f"at most {longest} capital letters, digits, $ # @")
            found[name] = self.part(kind, name, value)
        return found

    def one_of(self, given: Fields, key: str, names: list[str], what: str) -> str:
        """The name of another part."""
        found = self.take(given, key, text_of, "")
        if found:
            self.known(given[key], found, names, what)
        return found

    def known(self, value: Value, name: str, names: list[str], what: str) -> bool:
        """Whether a name is that of a part; if not, this is told."""
        if name not in names:
            expected = f"one of {', '.join(names) or 'none: there is none'}"
            self.add_problem(value, f"no {what} is called {name!r}", expected)
        return name in names

    def named_numbers(self, given: Fields, key: str, where: str, what: str) -> dict[str, float]:
        if key not in given:
            return {}
        numbers = self.fields(given[key], None, f"a number for each {what}")
        for name, value in numbers.items():
            self.known(value, name, self.names(where), what)
        return {name: self.take(numbers, name, any_of, 0.0) for name in numbers}
