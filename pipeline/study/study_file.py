"""The study file: which windows, systems, classes and factors belong to which configuration, read from YAML.

Every error has file, line, key, found and expected value (yaml_reader.py). A file may contain several studies, separated by ---.
docs/studies.md describes the format.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Literal

from ..declaration.finding_rules import rules
from ..declaration.study_tables import UNALLOCATED
from ..errors import UsageError
from ..yaml_reader import (
    Reader,
    Value,
    Wrong,
    choice,
    documents,
    items_of,
    moment_of,
    number_of,
    read_text,
    text_of,
    texts_of,
)

Rule = Literal["last", "all", "list"]

CLASS_KINDS = ("service_class", "report_class")
# Printed above the results of a study that allows it.
BOTH_KINDS = "Classes of both kinds are charged: work that is in a service class and in a report class counts twice."
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
    """One run: a window of local time and which of its printed intervals count. `rule` None: there must be only one. `report_kind` None: that
    of the study."""

    run: str
    start: dt.datetime
    end: dt.datetime
    line: int
    rule: Rule | None = None
    listed: tuple[dt.datetime, ...] = ()
    sysplex: str | None = None
    systems: tuple[str, ...] = ()
    remote_systems: tuple[str, ...] = ()
    simulator: str | None = None
    jmh: str | None = None
    monitoring: str | None = None
    volume: float | None = None
    report_kind: str | None = None


@dataclass(frozen=True)
class Configuration:
    """A configuration: its steps, and the normalisation factors of its busy time."""

    name: str
    line: int
    steps: tuple[Step, ...]
    engine_mips: tuple[float, float] | None = None
    lpar_overhead_pct: float | None = None


@dataclass(frozen=True)
class Limit:
    """The study's own limits of a rule of finding_rule, by the keys of RULE_KEYS."""

    rule: str
    values: dict[str, float]
    line: int


@dataclass(frozen=True)
class Study:
    """One study, as in its file. `report_kind`: interval or duration reports; `engines`: manual counts by processor type."""

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
    """The studies of a file. Raises UsageError with every error, its line and key."""
    return parse_studies(read_text(path, "a study"), str(path))


def parse_studies(text: str, file: str) -> list[Study]:
    """The studies in a text; `file` is its name in messages.

    >>> parse_studies("study: A\\nstudy: B", "a.yaml")
    Traceback (most recent call last):
    ironlake.pipeline.errors.UsageError: a.yaml:2: study: is given twice; expected every key once
    a.yaml:1: configurations is missing; expected what is compared
    """
    reader = _StudyReader(file)
    studies = [reader.study(value) for value in documents(text, file, "a study", _SHAPE)]
    found = [s for s in studies if s is not None]
    for one, other in combinations(found, 2):
        if one.name == other.name:
            reader.tell(f"{file}:{other.line}: study: {other.name!r} is on line {one.line} too")
    if reader.problems:
        raise UsageError("\n".join(reader.problems))
    return found


_SHAPE = "ironlake docs studies has an example; print reports are ingested first, then compared by --run"


def _systems(value: Value) -> tuple[str, ...]:
    return tuple(sorted({name.upper() for name in texts_of(value)}))


def _window(value: Value) -> tuple[dt.datetime, dt.datetime]:
    first, slash, last = text_of(value).partition("/")
    if not slash:
        raise Wrong(value, "START/END, such as 2021-04-13T10:00/11:00")
    start = moment_of(value, first)
    end = moment_of(value, last, start.date())
    if end <= start:
        raise Wrong(value, "an END after START (past midnight, with its date)")
    return start, end


def _mips(value: Value) -> tuple[float, float]:
    found = [number_of(0, above=True)(item) for item in items_of(value)]
    if len(found) != 2:
        raise Wrong(value, "two numbers: MIPS of an engine as measured, and of the engine to compare on")
    return found[0], found[1]


class _StudyReader(Reader):
    """Reads studies and collects their errors."""

    # --- The parts of a study ---

    def study(self, value: Value) -> Study | None:
        top = self.fields(value, _STUDY_KEYS, "a study: keys study, requests, configurations, …")
        self.need(top, "study", value, "the name of the study")
        self.need(top, "configurations", value, "what is compared")
        name = self.take(top, "study", text_of, "")
        report_kind = self.take(top, "report_kind", choice("interval", "duration"), "interval")
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
                self.add_problem(
                    pair["coupled"], f"{coupled!r} is the uncoupled configuration too", "another configuration"
                )
        return Study(
            name,
            self.file,
            value.line,
            tuple(configurations),
            baseline,
            requests,
            subsystems,
            report_kind,
            {kind: self.take(engines, kind, number_of(0), 0.0) for kind in engines},
            uncoupled,
            coupled,
            self.limits(top),
        )

    def limits(self, top: dict[str, Value]) -> tuple[Limit, ...]:
        if "limits" not in top:
            return ()
        fields = self.fields(top["limits"], rules(), "rules of findings and their limits")
        return tuple(
            Limit(name, self.limit(value, rules()[name].may_set), value.line) for name, value in fields.items()
        )

    def limit(self, value: Value, keys: tuple[str, ...]) -> dict[str, float]:
        """One number, the limit, or a mapping of numbers."""
        given = self.fields(value, keys, "limits of a rule, or one number") if value.is_mapping else {"limit": value}
        return {key: self.take(given, key, number_of(0), 0.0) for key in given}

    def named(self, fields: dict[str, Value], key: str, names: list[str]) -> str | None:
        """The configuration named by a key."""
        found = self.take(fields, key, text_of, "")
        if found and found not in names:
            self.add_problem(fields[key], f"no configuration is called {found!r}", f"one of {', '.join(names)}")
            return None
        return found or None

    def subsystems(self, top: dict[str, Value]) -> tuple[Subsystem, ...]:
        if "subsystems" not in top:
            return ()
        found: list[Subsystem] = []
        charged: dict[tuple[str, str], str] = {}
        for name, value in self.fields(top["subsystems"], None, "subsystems and their classes").items():
            if name == UNALLOCATED:
                self.add_problem(value, "is the name of the unallocated rest", "another name")
            fields = self.fields(
                value, (*CLASS_KINDS, "location"), "service_class or report_class and names of classes"
            )
            location = self.take(fields, "location", choice("local", "remote"), "local")
            classes = [
                ClassName(kind, text_of(item), item.line)
                for kind in CLASS_KINDS
                for item in self.take(fields, kind, lambda v: [i for i in items_of(v) if text_of(i)], [])
            ]
            if fields and not classes and not any(kind in fields for kind in CLASS_KINDS):
                self.add_problem(value, "names no class", "service_class or report_class")
            for c in classes:
                if other := charged.get((c.kind, c.name)):
                    what = f"{c.kind} {c.name} is charged to {other} already"
                    self.tell(f"{self.file}:{c.line}: {value.key}: {what}; expected every class once")
                charged[c.kind, c.name] = name
            found.append(Subsystem(name, tuple(classes), location))
        self.tell_both_kinds(top, found)
        return tuple(found)

    def tell_both_kinds(self, top: dict[str, Value], subsystems: list[Subsystem]) -> None:
        """Report classes of both kinds, which count the same work twice, unless the study allows them."""
        allowed = self.take(top, "allow_both_kinds", choice("true", "false"), "false") == "true"
        first = {c.kind: c for s in reversed(subsystems) for c in reversed(s.classes)}
        if len(first) > 1 and not allowed:
            service, report = (f"{kind} {first[kind].name}" for kind in CLASS_KINDS)
            line = max(c.line for c in first.values())
            what = f"subsystems: {service} and {report} are both charged, and work that is in both counts twice"
            expected = "classes of one kind, or allow_both_kinds: true if they have no work in common"
            self.tell(f"{self.file}:{line}: {what}; expected {expected}")

    def requests(self, top: dict[str, Value], owner: Value, configurations: list[Configuration]) -> Requests:
        steps = [s for c in configurations for s in c.steps]
        if "requests" not in top:
            for step in steps:
                if step.volume is None:
                    what = "requests is missing, and this step gives no volume"
                    expected = "requests: {report_class: NAME}, {service_class: NAME} or {source: workload_simulator, count: …}"
                    self.tell(f"{self.file}:{step.line}: {what}; expected {expected}")
                    break
            return Requests("volume", line=owner.line)
        value = top["requests"]
        fields = self.fields(value, (*CLASS_KINDS, "source", "count"), "a class, or source and count")
        given = [kind for kind in (*CLASS_KINDS, "source") if kind in fields]
        for step in steps:
            if step.volume is not None:
                what = f"volume is given, and requests on line {value.line} too"
                self.tell(f"{self.file}:{step.line}: {what}; expected one of them")
        if fields and len(given) != 1:
            self.add_problem(value, value.described, "one of service_class, report_class, source")
        elif given == ["source"]:
            self.take(fields, "source", choice("workload_simulator", "workload_simulator"), "")
            # No default: a page element and a transaction of the simulator are different things.
            self.need(fields, "count", value, " or ".join(SIMULATOR_COUNTS))
            count = self.take(fields, "count", choice(*SIMULATOR_COUNTS), None)
            for step in steps:
                if step.simulator is None:
                    what = "simulator is missing, and requests are counted by the workload simulator"
                    self.tell(f"{self.file}:{step.line}: {what}; expected the name of the run's log file")
            return Requests("workload_simulator", count=count, line=value.line)
        elif given:
            if "count" in fields:
                self.add_problem(fields["count"], "goes with source: workload_simulator", "a class alone")
            name = self.take(fields, given[0], text_of, "")
            return Requests("class", ClassName(given[0], name, fields[given[0]].line), line=value.line)
        return Requests("volume", line=value.line)

    def configurations(self, top: dict[str, Value]) -> list[Configuration]:
        if "configurations" not in top:
            return []
        found: list[Configuration] = []
        for name, value in self.fields(top["configurations"], None, "names of configurations and their steps").items():
            fields = self.fields(value, _CONFIGURATION_KEYS, "steps")
            self.need(fields, "steps", value, "a list of windows")
            steps: list[Step] = []
            for number, item in enumerate(self.take(fields, "steps", items_of, []), 1):
                step = self.step(item, {**top, **fields}, str(number))
                if step and any(step.run == other.run for other in steps):
                    self.add_problem(item, f"run {step.run!r} is a step of {name} already", "another name")
                elif step:
                    steps.append(step)
            found.append(Configuration(name, value.line, tuple(steps)))
        self.tell_overlaps(found)
        return found

    def tell_overlaps(self, configurations: list[Configuration]) -> None:
        """Report steps with the same time of the same systems: it would count twice, or be compared with itself."""
        placed = [(c.name, s) for c in configurations for s in c.steps]
        for (one, a), (other, b) in combinations(placed, 2):
            different = (a.sysplex and b.sysplex and a.sysplex != b.sysplex) or (
                a.systems and b.systems and not set(a.systems) & set(b.systems)
            )
            # A configuration may be another one with further systems (the local part, and with the remote system).
            same = not different and (one == other or a.systems == b.systems)
            if a.start < b.end and b.start < a.end and same:
                what = f"the window of {other} overlaps that of {one} on line {a.line}"
                self.tell(f"{self.file}:{b.line}: {what}; expected windows apart, or other systems")

    def step(self, value: Value, inherited: dict[str, Value], number: str) -> Step | None:
        fields = self.fields(value, _STEP_KEYS, "a step: {window: START/END, …}")
        self.need(fields, "window", value, "window: START/END")
        window = self.take(fields, "window", _window, None)
        if window is None:
            return None
        every = {**{k: v for k, v in inherited.items() if k in _INHERITED}, **fields}
        rule: Rule | None = None
        listed: tuple[dt.datetime, ...] = ()
        interval = every.get("interval")
        if interval and interval.is_list:
            rule = "list"
            listed = self.take(every, "interval", lambda v: self.listed(v, window), ())
        elif interval:
            rule = self.take(every, "interval", _rule, None)
        systems = self.take(every, "systems", _systems, ())
        remote = self.take(every, "remote_systems", _systems, ())
        if systems and not set(remote) < set(systems):
            self.add_problem(
                every["remote_systems"], ", ".join(remote), f"some of the systems {', '.join(systems)}, not all"
            )
        return Step(
            run=self.take(fields, "run", text_of, number),
            start=window[0],
            end=window[1],
            line=value.line,
            rule=rule,
            listed=listed,
            sysplex=self.take(every, "sysplex", lambda v: text_of(v).upper(), None),
            systems=systems,
            remote_systems=remote,
            simulator=self.take(fields, "simulator", text_of, None),
            jmh=self.take(fields, "jmh", text_of, None),
            monitoring=self.take(fields, "monitoring", text_of, None),
            volume=self.take(fields, "volume", number_of(0, above=True), None),
        )

    def listed(self, value: Value, window: tuple[dt.datetime, dt.datetime]) -> tuple[dt.datetime, ...]:
        found = [moment_of(item, text_of(item), window[0].date()) for item in items_of(value)]
        for item, moment in zip(items_of(value), found, strict=True):
            if not window[0] <= moment < window[1]:
                raise Wrong(item, "starts of intervals within the window")
        return tuple(sorted(set(found)))

    def normalization(self, top: dict[str, Value], names: list[str]) -> dict[str, dict[str, Value]]:
        if "normalization" not in top:
            return {}
        found = {}
        for name, value in self.fields(top["normalization"], None, "configurations and their factors").items():
            if name not in names:
                self.add_problem(value, f"no configuration is called {name!r}", f"one of {', '.join(names)}")
            found[name] = self.fields(value, ("engine_mips", "lpar_overhead_pct"), "engine_mips or lpar_overhead_pct")
        return found

    def with_factors(self, configuration: Configuration, factors: dict[str, Value] | None) -> Configuration:
        mips = self.take(factors or {}, "engine_mips", _mips, None)
        overhead = self.take(factors or {}, "lpar_overhead_pct", number_of(0, 100), None)
        return Configuration(configuration.name, configuration.line, configuration.steps, mips, overhead)


_rule = choice("last", "all", "a list of starts")
_INHERITED = ("interval", "sysplex", "systems", "remote_systems")
_STUDY_KEYS = (
    *("study", "baseline", *_INHERITED, "report_kind", "engines", "subsystems", "requests"),
    *("allow_both_kinds", "configurations", "normalization", "coupling", "limits"),
)
_CONFIGURATION_KEYS = ("steps", *_INHERITED)
_STEP_KEYS = ("window", "run", *_INHERITED, "simulator", "jmh", "monitoring", "volume")
