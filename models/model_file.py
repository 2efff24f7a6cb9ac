"""The model file: a workload model read from YAML. Every mistake is told with file, line, key, what there is and what would do.

The shape of a model is in docs/model.md; model.py declares its keys.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ..pipeline.errors import UsageError
from ..pipeline.yaml_reader import Value, choice, documents, read_text, text_of, texts_of
from .contents.workload import Goal
from .model import (
    PAGE_ELEMENTS,
    BufferPool,
    DataSharing,
    Load,
    Machine,
    Model,
    ModelConfiguration,
    Profile,
    ReportClass,
    ServiceClass,
    StudyOf,
    System,
    Threads,
    Use,
)
from .part_reader import PartReader, name_of, positive_of, whole_of
from .schedule import slug

_SHAPE = "ironlake docs model has an example"
_GOALS = ("velocity_pct", "response_ms", "discretionary")


def read_model(path: Path) -> Model:
    """The model of a file. Raises UsageError that names every mistake with its line and key."""
    return parse_model(read_text(path, "a model"), str(path))


def parse_model(text: str, file: str) -> Model:
    """The model in a text; `file` is its name in messages."""
    values = documents(text, file, "a model", _SHAPE)
    reader = _ModelReader(file, values[0])
    if len(values) > 1:
        reader.add_problem(values[1], "is a second model", "one model a file")
    model = reader.model(values[0])
    if reader.problems or model is None:
        raise UsageError("\n".join(reader.problems))
    return model


class _ModelReader(PartReader):
    """Reads a model and collects what is wrong with it: first each part, then what the parts say of each other."""

    def model(self, value: Value) -> Model | None:
        self.declared(Model, value)
        if self.problems:
            return None
        model, _ = self.read(Model, "", value, file=self.file)
        if not self.problems:
            self.agree(model)
        return None if self.problems else model

    # --- Parts with more to say than their keys do ---

    def system(self, name: str, value: Value) -> System:
        one, _ = self.read(System, name, value)
        return one if one.ziip_speed else replace(one, ziip_speed=one.speed)

    def machine(self, name: str, value: Value) -> Machine:
        one, _ = self.read(Machine, name, value)
        return one if one.sequence_code else replace(one, sequence_code=f"{name:0>16}")

    def profile(self, name: str, value: Value) -> Profile:
        one, given = self.read(Profile, name, value)
        for key, count in (("hours_pct", 24), ("weekdays_pct", 7)):
            if len(getattr(one, key)) != count:
                self.add_problem(given[key], f"not {count} numbers", f"{count} numbers")
        return one

    def pool(self, name: str, value: Value) -> BufferPool:
        if not re.fullmatch(r"BP\d{1,2}|BP8K\d|BP16K\d|BP32K\d?", name):
            self.add_problem(value, f"{name!r} is not a buffer pool", "BP0 to BP49, BP8K0, BP16K0, BP32K")
        return self.read(BufferPool, name, value)[0]

    def sharing(self, name: str, value: Value) -> DataSharing | None:
        one, given = self.read(DataSharing, name, value)
        if "lock" not in given:
            return None
        pools = {name: replace(pool, name=f"{one.group}_G{name}") for name, pool in one.pools.items()}
        return replace(one, lock=replace(one.lock, name=f"{one.group}_LOCK1"), pools=pools)

    def service_class(self, name: str, value: Value) -> ServiceClass:
        keys = ("workload", "importance", *_GOALS, "within_pct")
        fields = self.fields(value, keys, f"a service class: workload, importance, and one goal of {', '.join(_GOALS)}")
        self.need(fields, "workload", value, "the name of its workload")
        goals = [key for key in _GOALS if key in fields]
        if fields and len(goals) != 1:
            self.add_problem(value, f"{len(goals)} goals ({', '.join(goals) or 'none'})", f"one of {', '.join(_GOALS)}")
            goals = ["discretionary"]
        if "within_pct" in fields and goals != ["response_ms"]:
            self.add_problem(fields["within_pct"], "goes with response_ms", "a goal of response_ms")
        if goals == ["velocity_pct"]:
            goal = Goal("velocity", percent=self.take(fields, "velocity_pct", whole_of(1, 99), 50))
        elif goals == ["response_ms"]:
            seconds = self.take(fields, "response_ms", positive_of, 1000.0) / 1000
            percent = self.take(fields, "within_pct", whole_of(1, 99), 0)
            goal = Goal("percentile", seconds, percent) if percent else Goal("average", seconds)
        else:
            goal = Goal("discretionary")
        importance = 0 if goal.kind == "discretionary" else self.take(fields, "importance", whole_of(1, 5), 3)
        return ServiceClass(name, value.line, self.take(fields, "workload", name_of, "WORK"), goal, importance)

    def report_class(self, name: str, value: Value) -> ReportClass:
        one, _ = self.read(ReportClass, name, value)
        return one if one.subsystem else replace(one, subsystem=name)

    def unit(self, name: str, value: Value) -> dict[str, Use]:
        classes, found = self.names("classes"), dict[str, Use]()
        for of, at in self.fields(value, None, "classes and what a unit takes there").items():
            if of not in classes:
                what = f"demand without a station: no class is called {of!r}"
                self.add_problem(at, what, f"one of {', '.join(classes)}")
            found[of], given = self.read(Use, of, at)
            if found[of].db2_ms > found[of].cp_ms:
                self.add_problem(given["db2_ms"], "is more than cp_ms, which it is part of", "cp_ms or less")
        return found

    def threads(self, name: str, value: Value) -> Threads:
        one, given = self.read(Threads, name, value)
        if one.protectnum > one.limit:
            expected = f"{one.limit} or less, or a threadlimit of more"
            self.add_problem(given["protectnum"], f"{one.protectnum} threads are kept of {one.limit}", expected)
        return one

    # --- What is compared ---

    def configuration(self, name: str, value: Value) -> ModelConfiguration:
        one, given = self.read(ModelConfiguration, name, value)
        systems, facilities = self.names("systems"), self.names("coupling_facilities")
        used = one.systems or tuple(systems)
        for system in used:
            if "systems" in given:
                self.known(given["systems"], system, systems, "system")
        if len(set(used)) < len(used):
            self.add_problem(given["systems"], "a system is named twice", "every system once")
        if one.data_sharing and not self.names("data_sharing"):
            expected = "the key data_sharing in the model too"
            self.add_problem(given["data_sharing"], "there is no data sharing group", expected)
        if counts := {load.steps for load in one.loads if load.steps > 1}:
            if len(counts) > 1:
                what = f"loads of {' and '.join(map(str, sorted(counts)))} steps"
                self.add_problem(value, what, "as many steps everywhere, or one number")
            one = replace(one, loads=tuple(self.repeated(load, max(counts)) for load in one.loads))
        for facility in one.without:
            self.known(given["without"], facility, facilities, "coupling facility")
        if one.without and not set(facilities) - set(one.without):
            self.add_problem(given["without"], "no coupling facility is left", "one at least that is not down")
        return replace(one, systems=used)

    def loads(self, name: str, value: Value) -> tuple[Load, ...]:
        workloads = self.names("workloads")
        given = self.fields(value, None, "loads of workloads")
        for workload, at in given.items():
            self.known(at, workload, workloads, "workload")
        return tuple(self.load(*one) for one in given.items())

    def parameters(self, name: str, value: Value) -> dict[str, str]:
        given = self.fields(value, None, "parameters of a benchmark")
        return {key: self.take(given, key, text_of, "") for key in given}

    def load(self, workload: str, value: Value) -> Load:
        one, given = self.read(Load, workload, value, workload=workload)
        closed, opened = "clients" in given, "rate_per_s" in given
        if given and closed == opened:
            what = "clients and rate_per_s are given" if closed else "no load"
            self.add_problem(value, what, "clients and think_s, or rate_per_s")
        if opened and "think_s" in given:
            self.add_problem(given["think_s"], "goes with clients", "clients in place of rate_per_s")
        if closed:
            self.need(given, "think_s", value, "how long a client thinks (0 if not at all: then give few clients)")
        most = max(one.clients, default=0)
        if "think_s" in given and one.think_s == 0 and most > 1000:
            what = f"zero with {most} clients, who then have no bound"
            self.add_problem(given["think_s"], what, "above 0, or 1000 clients at most")
        return one

    def repeated(self, load: Load, steps: int) -> Load:
        if load.steps != 1:
            return load
        return replace(load, clients=load.clients * steps, rate_per_s=load.rate_per_s * steps)

    def studies(self, name: str, value: Value) -> tuple[StudyOf, ...]:
        return tuple(self.study(*one) for one in self.fields(value, None, "names of studies").items())

    def study(self, name: str, value: Value) -> StudyOf:
        keys = ("configurations", "baseline", "requests", "coupling", "interval")
        fields = self.fields(value, keys, "a study: keys requests, baseline")
        self.need(fields, "requests", value, "the class that counts requests, or page_elements")
        there = self.names("configurations")
        used = self.take(fields, "configurations", texts_of, tuple(there))
        for one in used if "configurations" in fields else ():
            self.known(fields["configurations"], one, there, "configuration")
        pair = fields.get("coupling")
        coupling = self.fields(pair, ("uncoupled", "coupled"), "uncoupled and coupled") if pair else {}
        of_study = list(dict.fromkeys(used)), "configuration of the study"
        return StudyOf(
            *(name, value.line, used),
            self.one_of(fields, "baseline", *of_study) or used[0],
            self.one_of(fields, "requests", [*self.names("classes"), PAGE_ELEMENTS], "class"),
            self.one_of(coupling, "uncoupled", *of_study) or None,
            self.one_of(coupling, "coupled", *of_study) or None,
            self.take(fields, "interval", choice("last", "all"), "last"),
        )

    # --- What the parts say of each other ---

    def agree(self, model: Model) -> None:
        """Tell contradictions between parts."""
        if "jmh" in model.reports:
            self.agree_on_benchmarks(model)
        files: dict[str, str] = {}
        for configuration in model.configurations.values():
            if other := files.get(slug(configuration.name)):
                what = f"configurations.{configuration.name}: its files would be those of {other}"
                self.tell(f"{self.file}:{configuration.line}: {what}; expected names that differ in letters or digits")
            files[slug(configuration.name)] = configuration.name
        for configuration in model.configurations.values():
            for load in configuration.loads:
                if (place := model.workloads[load.workload].system) and place not in configuration.systems:
                    what = f"configurations.{configuration.name}.load.{load.workload}: {load.workload} runs on {place}"
                    expected = f"{place} among its systems"
                    self.tell(f"{self.file}:{load.line}: {what}, which the configuration lacks; expected {expected}")
            factors = {model.systems[name].norm_factor for name in configuration.systems}
            if len(factors) > 1:
                what = f"configurations.{configuration.name}: its systems have {len(factors)} normalisation factors"
                expected = "ziip_speed / speed to be the same, for a report prints one"
                self.tell(f"{self.file}:{configuration.line}: {what}; expected {expected}")
            for load in configuration.loads:
                workload = model.workloads[load.workload]
                units = [*workload.request, *([workload.threads.work] if workload.threads else [])]
                for name in dict.fromkeys(name for unit in units for name in model.work[unit]):
                    place = model.classes[name].system
                    if place and place not in configuration.systems:
                        what = f"configurations.{configuration.name}: {load.workload} works in class {name} on {place}"
                        self.tell(
                            f"{self.file}:{configuration.line}: {what}, which is none of its systems; expected {place} among them"
                        )

    def agree_on_benchmarks(self, model: Model) -> None:
        """JMH tells its results apart by their parameters alone."""
        printed: dict[tuple[tuple[str, str], ...], str] = {}
        for configuration in model.configurations.values():
            workloads = [model.workloads[load.workload] for load in configuration.loads]
            places = sum(1 if workload.system else len(configuration.systems) for workload in workloads)
            first = printed.setdefault(tuple(sorted(configuration.parameters.items())), configuration.name)
            if first != configuration.name or places * configuration.steps > 1:
                what = f"configurations.{configuration.name}: JMH would print several results with the parameters of {first}"
                expected = "one step of one workload on one system, with parameters of its own"
                self.tell(f"{self.file}:{configuration.line}: {what}; expected {expected}")
