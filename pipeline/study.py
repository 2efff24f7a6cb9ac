"""The study file: which windows, systems, classes and factors belong to which configuration, read from YAML.

A scalar is taken as the text that stands there, never as what YAML makes of it (10:04 is a time, NO is a name), and every
mistake is told with file, line, key, what there is and what was expected. Several studies may stand in one file, with --- between
them. The shape of a study is in docs/studies.md.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml

from .errors import UsageError
from .view_files import finding_rules

_T = TypeVar("_T")
Rule = Literal["last", "all", "list"]

UNALLOCATED = "unallocated"
CLASS_KINDS = ("service_class", "report_class")
SIMULATOR_COUNTS = ("page_elements", "transactions")


@dataclass(frozen=True)
class ClassName:
    """One class of the service policy; `line` is where the study names it."""

    kind: str
    name: str
    line: int


@dataclass(frozen=True)
class Subsystem:
    """The classes whose processor time is charged to one subsystem."""

    name: str
    classes: tuple[ClassName, ...]
    location: Literal["local", "remote"]


@dataclass(frozen=True)
class Requests:
    """What counts as a request: the ended transactions of a class, a count of the workload simulator, or the volume that
    each step gives."""

    source: Literal["class", "workload_simulator", "volume"]
    of_class: ClassName | None = None
    count: str | None = None
    line: int = 1


@dataclass(frozen=True)
class Step:
    """One run: a window of local time and which of its printed intervals count. `rule` None: there must be only one."""

    run: str
    start: dt.datetime
    end: dt.datetime
    line: int
    rule: Rule | None = None
    listed: tuple[dt.datetime, ...] = ()
    sysplex: str | None = None
    systems: tuple[str, ...] = ()
    simulator: str | None = None
    monitoring: str | None = None
    volume: float | None = None


@dataclass(frozen=True)
class Configuration:
    """What is compared: its steps, and the factors that its busy time is normalised by."""

    name: str
    line: int
    steps: tuple[Step, ...]
    engine_mips: tuple[float, float] | None = None
    lpar_overhead_pct: float | None = None


@dataclass(frozen=True)
class Limit:
    """The study's own limit of a rule of finding_rule."""

    rule: str
    value: float
    line: int


@dataclass(frozen=True)
class Study:
    """One study as its file says it. `report_kind` says whether interval or duration reports count; `engines` by processor
    type are what a person typed."""

    name: str
    file: str
    line: int
    configurations: tuple[Configuration, ...]
    baseline: str
    requests: Requests
    subsystems: tuple[Subsystem, ...] = ()
    report_kind: str = "interval"
    engines: dict[str, float] = field(default_factory=dict)
    uncoupled: str | None = None
    coupled: str | None = None
    limits: tuple[Limit, ...] = ()


def read_studies(path: Path) -> list[Study]:
    """The studies of a file. Raises UsageError that names every mistake with its line and key."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 (byte {error.start + 1})", "a study file: YAML in UTF-8") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", "a study file") from None
    return parse_studies(text, str(path))


def parse_studies(text: str, file: str) -> list[Study]:
    """The studies in a text; `file` is its name in messages.

    >>> parse_studies("study: A\\nstudy: B", "a.yaml")
    Traceback (most recent call last):
    ironlake.pipeline.errors.UsageError: a.yaml:2: study: is given twice; expected every key once
    """
    try:
        documents = [node for node in yaml.compose_all(text, Loader=yaml.SafeLoader) if node is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{file}:{mark.line + 1}" if mark else file
        raise UsageError(f"{where}: {error.problem or error.context}", "YAML", _SHAPE) from None
    except yaml.YAMLError as error:
        raise UsageError(f"{file}: {str(error).splitlines()[0]}", "YAML", _SHAPE) from None
    except RecursionError:
        raise UsageError(f"{file}: is nested too deep", "a study", _SHAPE) from None
    if not documents:
        raise UsageError(f"{file}:1: there is nothing", "a study", _SHAPE)
    reader = _Reader(file)
    studies = [reader.study(_Value(node, "")) for node in documents]
    found = [s for s in studies if s is not None]
    for one, other in combinations(found, 2):
        if one.name == other.name:
            reader.problems.append(f"{file}:{other.line}: study: {other.name!r} stands on line {one.line} too")
    if reader.problems:
        # What steps inherit is told once.
        raise UsageError("\n".join(dict.fromkeys(reader.problems)))
    return found


_SHAPE = "docs/studies.md has an example"


@dataclass(frozen=True)
class _Value:
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
    def described(self) -> str:
        """What there is, in words."""
        if isinstance(self.node, yaml.MappingNode):
            return f"keys {', '.join(str(k.value) for k, _ in self.node.value)}" if self.node.value else "no keys"
        if isinstance(self.node, yaml.SequenceNode):
            return f"a list of {len(self.node.value)}"
        return "nothing" if self.is_nothing else repr(self.node.value)


class _Wrong(Exception):
    """A value that cannot be what its key wants."""

    def __init__(self, at: _Value, expected: str, what: str = ""):
        super().__init__()
        self.at, self.what, self.expected = at, what or at.described, expected


def _text(value: _Value) -> str:
    if not isinstance(value.node, yaml.ScalarNode) or not value.node.value.strip():
        raise _Wrong(value, "a text")
    return value.node.value.strip()


def _choice(*allowed: str) -> Callable[[_Value], Any]:
    def read(value: _Value) -> str:
        if not isinstance(value.node, yaml.ScalarNode) or value.node.value not in allowed:
            raise _Wrong(value, f"{', '.join(allowed[:-1])} or {allowed[-1]}")
        return value.node.value

    return read


def _number(least: float, most: float = 1e15, above: bool = False) -> Callable[[_Value], float]:
    """A decimal number from `least` to `most`; with `above`, more than `least`."""
    limits = f"above {least:g}" if above else f"of {least:g} or more"
    expected = f"a number {limits}" + (f", below {most:g}" if most < 1e15 else "")

    def read(value: _Value) -> float:
        text = value.node.value if isinstance(value.node, yaml.ScalarNode) else ""
        if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text):
            raise _Wrong(value, expected)
        number = float(text)
        if number < least or (above and number == least) or number >= most:
            raise _Wrong(value, expected)
        return number

    return read


def _items(value: _Value) -> list[_Value]:
    """The elements of a list; a single text is a list of one."""
    if isinstance(value.node, yaml.ScalarNode) and not value.is_nothing:
        return [value]
    if not isinstance(value.node, yaml.SequenceNode) or not value.node.value:
        raise _Wrong(value, "a list")
    return [_Value(node, f"{value.key}[{n}]") for n, node in enumerate(value.node.value, 1)]


def _texts(value: _Value) -> tuple[str, ...]:
    return tuple(_text(item) for item in _items(value))


def _systems(value: _Value) -> tuple[str, ...]:
    return tuple(sorted({name.upper() for name in _texts(value)}))


def _moment(value: _Value, text: str, date: dt.date | None = None) -> dt.datetime:
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
        raise _Wrong(value, expected, f"{text!r} is no time") from None
    if found.tzinfo:
        raise _Wrong(value, expected, f"{text!r} names a time zone")
    return found


def _window(value: _Value) -> tuple[dt.datetime, dt.datetime]:
    first, slash, last = _text(value).partition("/")
    if not slash:
        raise _Wrong(value, "START/END, such as 2021-04-13T10:00/11:00")
    start = _moment(value, first)
    end = _moment(value, last, start.date())
    if end <= start:
        raise _Wrong(value, "an END after START (past midnight, with its date)")
    return start, end


def _mips(value: _Value) -> tuple[float, float]:
    found = [_number(0, above=True)(item) for item in _items(value)]
    if len(found) != 2:
        raise _Wrong(value, "two numbers: MIPS of an engine as measured, and of the engine to compare on")
    return found[0], found[1]


class _Reader:
    """Reads studies and collects what is wrong with them."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[str] = []

    def tell(self, at: _Value, what: str, expected: str) -> None:
        key = f" {at.key}:" if at.key else ""
        self.problems.append(f"{self.file}:{at.line}:{key} {what}" + (f"; expected {expected}" if expected else ""))

    def fields(self, value: _Value, known: Iterable[str] | None, expected: str) -> dict[str, _Value]:
        """The values of a mapping by key; keys that nobody knows and keys given twice are told."""
        if not isinstance(value.node, yaml.MappingNode) or not value.node.value:
            self.tell(value, value.described, expected)
            return {}
        known = None if known is None else list(known)
        found: dict[str, _Value] = {}
        for key_node, node in value.node.value:
            name = str(key_node.value).strip() if isinstance(key_node, yaml.ScalarNode) else ""
            at = _Value(key_node, f"{value.key}.{name}".lstrip("."))
            if not name:
                self.tell(at, at.described, "a name before the colon")
            elif name in found:
                self.tell(at, "is given twice", "every key once")
            elif known is not None and name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"{near[0]} (or another of {', '.join(known)})" if near else ", ".join(known)
                self.tell(at, "no such key", hint)
            else:
                # An empty value has no place of its own.
                found[name] = _Value(node if node.start_mark.line >= key_node.start_mark.line else key_node, at.key)
        return found

    def take(self, fields: dict[str, _Value], name: str, read: Callable[[_Value], _T], default: _T) -> _T:
        """What `read` makes of a key's value; the default where the key is not there, or its value is told to be wrong."""
        if name not in fields:
            return default
        try:
            return read(fields[name])
        except _Wrong as wrong:
            self.tell(wrong.at, wrong.what, wrong.expected)
            return default

    def need(self, fields: dict[str, _Value], name: str, owner: _Value, expected: str) -> None:
        if fields and name not in fields:
            self.tell(owner, f"{name} is missing", expected)

    # --- The parts of a study ---

    def study(self, value: _Value) -> Study | None:
        top = self.fields(value, _STUDY_KEYS, "a study: keys study, requests, configurations, …")
        self.need(top, "study", value, "the name of the study")
        self.need(top, "configurations", value, "what is compared")
        name = self.take(top, "study", _text, "")
        report_kind = self.take(top, "report_kind", _choice("interval", "duration"), "interval")
        engines = self.fields(top["engines"], ("cp", "ziip"), "cp and ziip") if "engines" in top else {}
        subsystems = self.subsystems(top)
        configurations = self.configurations(top)
        requests = self.requests(top, value, configurations)
        names = [c.name for c in configurations]
        if not names:
            return None
        baseline = self.named(top, "baseline", names) or names[0]
        normalized = self.normalization(top, names)
        configurations = [self.with_factors(c, normalized.get(c.name)) for c in configurations]
        uncoupled = coupled = None
        if "coupling" in top:
            pair = self.fields(top["coupling"], ("uncoupled", "coupled"), "uncoupled and coupled")
            for key in ("uncoupled", "coupled"):
                self.need(pair, key, top["coupling"], "the name of a configuration")
            uncoupled, coupled = (self.named(pair, key, names) for key in ("uncoupled", "coupled"))
            if uncoupled and uncoupled == coupled:
                self.tell(pair["coupled"], f"{coupled!r} is the uncoupled configuration too", "another configuration")
        return Study(
            name,
            self.file,
            value.line,
            tuple(configurations),
            baseline,
            requests,
            subsystems,
            report_kind,
            {kind: self.take(engines, kind, _number(0), 0.0) for kind in engines},
            uncoupled,
            coupled,
            self.limits(top),
        )

    def limits(self, top: dict[str, _Value]) -> tuple[Limit, ...]:
        if "limits" not in top:
            return ()
        fields = self.fields(top["limits"], finding_rules(), "rules of findings and their limits")
        return tuple(Limit(rule, self.take(fields, rule, _number(0), 0.0), fields[rule].line) for rule in fields)

    def named(self, fields: dict[str, _Value], key: str, names: list[str]) -> str | None:
        """The configuration that a key names."""
        found = self.take(fields, key, _text, "")
        if found and found not in names:
            self.tell(fields[key], f"no configuration is called {found!r}", f"one of {', '.join(names)}")
            return None
        return found or None

    def subsystems(self, top: dict[str, _Value]) -> tuple[Subsystem, ...]:
        if "subsystems" not in top:
            return ()
        found: list[Subsystem] = []
        charged: dict[tuple[str, str], str] = {}
        for name, value in self.fields(top["subsystems"], None, "subsystems and their classes").items():
            if name == UNALLOCATED:
                self.tell(value, "is what is charged to no subsystem", "another name")
            fields = self.fields(
                value, (*CLASS_KINDS, "location"), "service_class or report_class and names of classes"
            )
            location = self.take(fields, "location", _choice("local", "remote"), "local")
            classes = [
                ClassName(kind, _text(item), item.line)
                for kind in CLASS_KINDS
                for item in self.take(fields, kind, lambda v: [i for i in _items(v) if _text(i)], [])
            ]
            if fields and not classes and not any(kind in fields for kind in CLASS_KINDS):
                self.tell(value, "names no class", "service_class or report_class")
            for c in classes:
                if other := charged.get((c.kind, c.name)):
                    what = f"{c.kind} {c.name} is charged to {other} already"
                    self.problems.append(f"{self.file}:{c.line}: {value.key}: {what}; expected every class once")
                charged[c.kind, c.name] = name
            found.append(Subsystem(name, tuple(classes), location))
        return tuple(found)

    def requests(self, top: dict[str, _Value], owner: _Value, configurations: list[Configuration]) -> Requests:
        steps = [s for c in configurations for s in c.steps]
        if "requests" not in top:
            for step in steps:
                if step.volume is None:
                    what = "requests is missing, and this step gives no volume"
                    expected = "requests: {report_class: NAME}, {service_class: NAME} or {source: workload_simulator, count: …}"
                    self.problems.append(f"{self.file}:{step.line}: {what}; expected {expected}")
                    break
            return Requests("volume", line=owner.line)
        value = top["requests"]
        fields = self.fields(value, (*CLASS_KINDS, "source", "count"), "a class, or source and count")
        given = [kind for kind in (*CLASS_KINDS, "source") if kind in fields]
        for step in steps:
            if step.volume is not None:
                what = f"volume is given, and requests on line {value.line} too"
                self.problems.append(f"{self.file}:{step.line}: {what}; expected one of them")
        if fields and len(given) != 1:
            self.tell(value, value.described, "one of service_class, report_class, source")
        elif given == ["source"]:
            self.take(fields, "source", _choice("workload_simulator", "workload_simulator"), "")
            # No default: a page element and a transaction of the simulator are different things.
            self.need(fields, "count", value, " or ".join(SIMULATOR_COUNTS))
            count = self.take(fields, "count", _choice(*SIMULATOR_COUNTS), None)
            for step in steps:
                if step.simulator is None:
                    what = "simulator is missing, and requests are counted by the workload simulator"
                    self.problems.append(f"{self.file}:{step.line}: {what}; expected the name of the run's log file")
            return Requests("workload_simulator", count=count, line=value.line)
        elif given:
            if "count" in fields:
                self.tell(fields["count"], "goes with source: workload_simulator", "a class alone")
            name = self.take(fields, given[0], _text, "")
            return Requests("class", ClassName(given[0], name, fields[given[0]].line), line=value.line)
        return Requests("volume", line=value.line)

    def configurations(self, top: dict[str, _Value]) -> list[Configuration]:
        if "configurations" not in top:
            return []
        found: list[Configuration] = []
        for name, value in self.fields(top["configurations"], None, "names of configurations and their steps").items():
            fields = self.fields(value, _CONFIGURATION_KEYS, "steps")
            self.need(fields, "steps", value, "a list of windows")
            steps: list[Step] = []
            for number, item in enumerate(self.take(fields, "steps", _items, []), 1):
                step = self.step(item, {**top, **fields}, str(number))
                if step and any(step.run == other.run for other in steps):
                    self.tell(item, f"run {step.run!r} is a step of {name} already", "another name")
                elif step:
                    steps.append(step)
            found.append(Configuration(name, value.line, tuple(steps)))
        self.tell_overlaps(found)
        return found

    def tell_overlaps(self, configurations: list[Configuration]) -> None:
        """Tell steps that hold the same time of the same systems: it would count twice, or be compared with itself."""
        placed = [(c.name, s) for c in configurations for s in c.steps]
        for (one, a), (other, b) in combinations(placed, 2):
            different = (a.sysplex and b.sysplex and a.sysplex != b.sysplex) or (
                a.systems and b.systems and not set(a.systems) & set(b.systems)
            )
            # A configuration may be another one with further systems (the local part, and with the remote system).
            same = not different and (one == other or a.systems == b.systems)
            if a.start < b.end and b.start < a.end and same:
                what = f"the window of {other} overlaps that of {one} on line {a.line}"
                self.problems.append(f"{self.file}:{b.line}: {what}; expected windows apart, or other systems")

    def step(self, value: _Value, inherited: dict[str, _Value], number: str) -> Step | None:
        fields = self.fields(value, _STEP_KEYS, "a step: {window: START/END, …}")
        self.need(fields, "window", value, "window: START/END")
        window = self.take(fields, "window", _window, None)
        if window is None:
            return None
        every = {**{k: v for k, v in inherited.items() if k in ("interval", "sysplex", "systems")}, **fields}
        rule: Rule | None = None
        listed: tuple[dt.datetime, ...] = ()
        interval = every.get("interval")
        if interval and isinstance(interval.node, yaml.SequenceNode):
            rule = "list"
            listed = self.take(every, "interval", lambda v: self.listed(v, window), ())
        elif interval:
            rule = self.take(every, "interval", _rule, None)
        return Step(
            run=self.take(fields, "run", _text, number),
            start=window[0],
            end=window[1],
            line=value.line,
            rule=rule,
            listed=listed,
            sysplex=self.take(every, "sysplex", lambda v: _text(v).upper(), None),
            systems=self.take(every, "systems", _systems, ()),
            simulator=self.take(fields, "simulator", _text, None),
            monitoring=self.take(fields, "monitoring", _text, None),
            volume=self.take(fields, "volume", _number(0, above=True), None),
        )

    def listed(self, value: _Value, window: tuple[dt.datetime, dt.datetime]) -> tuple[dt.datetime, ...]:
        found = [_moment(item, _text(item), window[0].date()) for item in _items(value)]
        for item, moment in zip(_items(value), found, strict=True):
            if not window[0] <= moment < window[1]:
                raise _Wrong(item, "starts of intervals within the window")
        return tuple(sorted(set(found)))

    def normalization(self, top: dict[str, _Value], names: list[str]) -> dict[str, dict[str, _Value]]:
        if "normalization" not in top:
            return {}
        found = {}
        for name, value in self.fields(top["normalization"], None, "configurations and their factors").items():
            if name not in names:
                self.tell(value, f"no configuration is called {name!r}", f"one of {', '.join(names)}")
            found[name] = self.fields(value, ("engine_mips", "lpar_overhead_pct"), "engine_mips or lpar_overhead_pct")
        return found

    def with_factors(self, configuration: Configuration, factors: dict[str, _Value] | None) -> Configuration:
        mips = self.take(factors or {}, "engine_mips", _mips, None)
        overhead = self.take(factors or {}, "lpar_overhead_pct", _number(0, 100), None)
        return Configuration(configuration.name, configuration.line, configuration.steps, mips, overhead)


_rule = _choice("last", "all", "a list of starts")
_STUDY_KEYS = (
    *("study", "baseline", "interval", "report_kind", "sysplex", "systems", "engines", "subsystems", "requests"),
    *("configurations", "normalization", "coupling", "limits"),
)
_CONFIGURATION_KEYS = ("steps", "interval", "sysplex", "systems")
_STEP_KEYS = ("window", "run", "interval", "sysplex", "systems", "simulator", "monitoring", "volume")
