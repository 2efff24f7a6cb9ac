"""YAML as it stands: values with their file, line and key, for files that people write.

A scalar is taken as the text that stands there, never as what YAML makes of it (10:04 is a time, NO is a name), and every mistake is
told with file, line, key, what there is and what was expected.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml

from .errors import UsageError

_T = TypeVar("_T")

# A study of 5,000 windows has a quarter of a megabyte. PyYAML takes some seconds for this much; aliases make the rest of few bytes.
_MOST_BYTES = 2 << 20
_MOST_CHARACTERS = 4 << 20
# More are not read by anybody, and each may repeat all names of the file.
_MOST_PROBLEMS = 50
_MOST_TOLD = 1000
_MOST_SHOWN = 200


def read_text(path: Path, what: str) -> str:
    """The text of a file; `what` it should be is told where it cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            line = content.count(b"\n") + 1
            expected = f"{what} file of at most {_MOST_BYTES:,} bytes"
            raise UsageError(
                f"{path}:{line}: the file is larger than {_MOST_BYTES:,} bytes", expected, "split the file"
            )
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 (byte {error.start + 1})", f"{what} file: YAML in UTF-8") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", f"{what} file") from None


def documents(text: str, file: str, what: str, hint: str) -> list[Value]:
    """The YAML documents of a text, at least one."""
    try:
        found = [node for node in yaml.compose_all(text, Loader=yaml.SafeLoader) if node is not None]
        sizes: dict[int, int] = {}
        for node in found:
            _characters(node, file, sizes)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{file}:{mark.line + 1}" if mark else file
        raise UsageError(f"{where}: {error.problem or error.context}", "YAML", hint) from None
    except yaml.YAMLError as error:
        raise UsageError(f"{file}: {str(error).splitlines()[0]}", "YAML", hint) from None
    except RecursionError:
        raise UsageError(f"{file}: is nested too deep", what, hint) from None
    if not found:
        raise UsageError(f"{file}:1: there is nothing", what, hint)
    return [Value(node, "") for node in found]


def _characters(node: yaml.Node, file: str, known: dict[int, int]) -> int:
    """The characters of a value, where each alias counts as what it stands for. Raises UsageError for too many."""
    if (found := known.get(id(node))) is None:
        known[id(node)] = -1
        if isinstance(node, yaml.MappingNode):
            below = [each for pair in node.value for each in pair]
        else:
            below = node.value if isinstance(node, yaml.SequenceNode) else []
        found = 1 + (sum(_characters(each, file, known) for each in below) if below else len(node.value))
        known[id(node)] = found
    if not 0 <= found <= _MOST_CHARACTERS:
        with_aliases = (
            "contains itself" if found < 0 else f"has more than {_MOST_CHARACTERS:,} characters, aliases written out"
        )
        raise UsageError(f"{file}:{node.start_mark.line + 1}: {with_aliases}", "fewer or no aliases (*name)")
    return found


def shortened(text: str, most: int = _MOST_SHOWN) -> str:
    """A text of a file as a message repeats it."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


@dataclass(frozen=True)
class Value:
    """A value of the file and the key that leads to it."""

    node: yaml.Node
    key: str

    @property
    def line(self) -> int:
        return self.node.start_mark.line + 1

    @property
    def is_nothing(self) -> bool:
        return isinstance(self.node, yaml.ScalarNode) and not self.node.value and self.node.style is None

    @property
    def is_list(self) -> bool:
        return isinstance(self.node, yaml.SequenceNode)

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.node, yaml.MappingNode)

    @property
    def described(self) -> str:
        """What there is, in words."""
        if isinstance(self.node, yaml.MappingNode):
            return f"keys {', '.join(str(k.value) for k, _ in self.node.value)}" if self.node.value else "no keys"
        if isinstance(self.node, yaml.SequenceNode):
            return f"a list of {len(self.node.value)}"
        return "nothing" if self.is_nothing else repr(self.node.value)


class Wrong(Exception):
    """A value that cannot be what its key wants."""

    def __init__(self, at: Value, expected: str, what: str = ""):
        super().__init__()
        self.at, self.what, self.expected = at, what or at.described, expected


def text_of(value: Value) -> str:
    if not isinstance(value.node, yaml.ScalarNode) or not value.node.value.strip():
        raise Wrong(value, "a text")
    return value.node.value.strip()


def choice(*allowed: str) -> Callable[[Value], Any]:
    def read(value: Value) -> str:
        if not isinstance(value.node, yaml.ScalarNode) or value.node.value not in allowed:
            raise Wrong(value, f"{', '.join(allowed[:-1])} or {allowed[-1]}")
        return value.node.value

    return read


def number_of(least: float, most: float = 1e15, above: bool = False) -> Callable[[Value], float]:
    """A decimal number from `least` to `most`; with `above`, more than `least`."""
    limits = f"above {least:g}" if above else f"of {least:g} or more"
    expected = f"a number {limits}" + (f", below {most:g}" if most < 1e15 else "")

    def read(value: Value) -> float:
        text = value.node.value if isinstance(value.node, yaml.ScalarNode) else ""
        if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text):
            raise Wrong(value, expected)
        number = float(text)
        if number < least or (above and number == least) or number >= most:
            raise Wrong(value, expected)
        return number

    return read


def items_of(value: Value) -> list[Value]:
    """The elements of a list; a single text is a list of one."""
    if isinstance(value.node, yaml.ScalarNode) and not value.is_nothing:
        return [value]
    if not isinstance(value.node, yaml.SequenceNode) or not value.node.value:
        raise Wrong(value, "a list")
    return [Value(node, f"{value.key}[{n}]") for n, node in enumerate(value.node.value, 1)]


def texts_of(value: Value) -> tuple[str, ...]:
    return tuple(text_of(item) for item in items_of(value))


def moment_of(value: Value, text: str, date: dt.date | None = None) -> dt.datetime:
    """A local time; with `date`, a time of day alone will do."""
    expected = "a local time such as 2021-04-13T10:00"
    text = text.strip()
    try:
        if date and "-" not in text:
            found = dt.datetime.combine(date, dt.time.fromisoformat(text))
        elif ":" not in text:
            raise ValueError
        else:
            found = dt.datetime.fromisoformat(text)
    except ValueError:
        raise Wrong(value, expected, f"{text!r} is not a time") from None
    if found.tzinfo:
        raise Wrong(value, expected, f"{text!r} has a time zone")
    return found


class Reader:
    """Reads a file and collects what is wrong with it."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[str] = []
        self._told = 0

    def add_problem(self, at: Value, what: str, expected: str) -> None:
        key = f" {shortened(at.key)}:" if at.key else ""
        wanted = f"; expected {shortened(expected, 2 * _MOST_SHOWN)}" if expected else ""
        self.tell(f"{self.file}:{at.line}:{key} {shortened(what)}{wanted}")

    def tell(self, problem: str) -> None:
        """Add a problem, once. Raises UsageError when there are more than anybody reads."""
        if (short := shortened(problem, 4 * _MOST_SHOWN)) not in self.problems:
            self.problems.append(short)
        self._told += 1
        if len(self.problems) == _MOST_PROBLEMS or self._told == _MOST_TOLD:
            raise UsageError("\n".join([*self.problems, "the rest was not checked"]))

    def fields(self, value: Value, known: Iterable[str] | None, expected: str) -> dict[str, Value]:
        """The values of a mapping by key; keys that nobody knows and keys given twice are told."""
        if not isinstance(value.node, yaml.MappingNode) or not value.node.value:
            self.add_problem(value, value.described, expected)
            return {}
        known = None if known is None else list(known)
        found: dict[str, Value] = {}
        for key_node, node in value.node.value:
            name = str(key_node.value).strip() if isinstance(key_node, yaml.ScalarNode) else ""
            at = Value(key_node, f"{value.key}.{name}".lstrip("."))
            if not name:
                self.add_problem(at, at.described, "a name before the colon")
            elif name in found:
                self.add_problem(at, "is given twice", "every key once")
            elif known is not None and name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"{near[0]} (or another of {', '.join(known)})" if near else ", ".join(known)
                self.add_problem(at, "no such key", hint)
            else:
                # An empty value has no place of its own.
                found[name] = Value(node if node.start_mark.line >= key_node.start_mark.line else key_node, at.key)
        return found

    def take(self, fields: dict[str, Value], name: str, read: Callable[[Value], _T], default: _T) -> _T:
        """What `read` makes of a key's value; the default where the key is not there, or its value is told to be wrong."""
        if name not in fields:
            return default
        try:
            return read(fields[name])
        except Wrong as wrong:
            self.add_problem(wrong.at, wrong.what, wrong.expected)
            return default

    def need(self, fields: dict[str, Value], name: str, owner: Value, expected: str) -> None:
        if fields and name not in fields:
            self.add_problem(owner, f"{name} is missing", expected)
