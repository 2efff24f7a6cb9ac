"""The model file: a workload model read from YAML. Every mistake is told with file, line, key, what there is and what would do.

The shape of a model is in docs/model.md.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, get_args

from ..errors import UsageError
from ..yaml_reader import Value, choice, documents, moment_of, number_of, read_text, text_of, texts_of
from .contents.workload import Goal
from .machine_file import MachineReader, any_of, each_of, name_of, positive_of, whole_of, yes_of
from .model import (
    PAGE_ELEMENTS,
    CouplingFacility,
    DataSharing,
    InputOutput,
    Load,
    Model,
    ModelConfiguration,
    Profile,
    Report,
    ReportClass,
    ServiceClass,
    StudyOf,
    System,
    Threads,
    Use,
    Workload,
)
from .schedule import slug

_Part = TypeVar("_Part")
_SHAPE = "ironlake docs model has an example"
_REPORTS: tuple[Report, ...] = get_args(Report)
_NEVER = dt.datetime(2000, 1, 1)


def read_model(path: Path) -> Model:
    """The model of a file. Raises UsageError that names every mistake with its line and key."""
    return parse_model(read_text(path, "a model"), str(path))


def parse_model(text: str, file: str) -> Model:
    """The model in a text; `file` is its name in messages."""
    reader = _ModelReader(file)
    values = documents(text, file, "a model", _SHAPE)
    if len(values) > 1:
        reader.add_problem(values[1], "is a second model", "one model a file")
    model = reader.model(values[0])
    if reader.problems or model is None:
        raise UsageError("\n".join(reader.problems))
    return model


class _ModelReader(MachineReader):
    """Reads a model and collects what is wrong with it: first each part, then what the parts say of each other."""

    def model(self, value: Value) -> Model | None:
        top = self.fields(
            value, _MODEL_KEYS, "a model: keys model, systems, classes, work, workloads, configurations, …"
        )
        for key in ("model", "start", "systems", "service_classes", "classes", "work", "workloads", "configurations"):
            self.need(top, key, value, _NEEDED[key])
        if self.problems:
            return None
        machines = self.parts(top, "machines", self.machine)
        systems = self.parts(top, "systems", lambda n, v: self.system(n, v, machines))
        facilities = self.parts(top, "coupling_facilities", self.facility)
        links = self.parts(top, "links", self.link)
        pools = self.parts(top, "buffer_pools", self.pool)
        sharing = self.sharing(top["data_sharing"], facilities) if "data_sharing" in top else None
        service_classes = self.parts(top, "service_classes", self.service_class)
        classes = self.parts(top, "classes", lambda n, v: self.report_class(n, v, service_classes, systems))
        names = {"getpages": pools, "gbp": sharing.pools if sharing else {}, "links": links}
        names["queues"] = sharing.queues if sharing else {}
        work = self.parts(top, "work", lambda _, v: self.unit(v, classes, names), longest=None)
        workloads = self.parts(top, "workloads", lambda n, v: self.workload(n, v, classes, work, systems), longest=None)
        configurations = self.parts(
            top,
            "configurations",
            lambda n, v: self.configuration(n, v, systems, workloads, sharing, facilities),
            longest=None,
        )
        if self.problems:
            return None
        studies = self.studies(top, configurations, classes)
        model = Model(
            name=self.take(top, "model", text_of, ""),
            file=self.file,
            start=self.take(top, "start", lambda v: moment_of(v, text_of(v)), _NEVER),
            sysplex=self.take(top, "sysplex", name_of(), "PLEX1"),
            release=self.take(top, "release", _RELEASE, "V2R3"),
            interval_s=self.take(top, "interval_s", whole_of(10, 5999), 60),
            step_intervals=self.take(top, "step_intervals", whole_of(1, 10_000), 5),
            variation=self.take(top, "variation_pct", number_of(0, 20), 1.0) / 100,
            systems=systems,
            machines=machines,
            profile=self.profile(top["profile"]) if "profile" in top else Profile(),
            facilities=facilities,
            links=links,
            buffer_pools=pools,
            input_output=self.input_output(top["input_output"]) if "input_output" in top else InputOutput(),
            data_sharing=sharing,
            service_classes=service_classes,
            classes=classes,
            work=work,
            workloads=workloads,
            configurations=configurations,
            studies=studies,
            reports=self.take(top, "reports", each_of(choice(*_REPORTS)), ("workload_activity", "cpu_activity")),
        )
        self.agree(model)
        return None if self.problems else model

    # --- Classes, work and workloads ---

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
        return ServiceClass(name, value.line, self.take(fields, "workload", name_of(), "WORK"), goal, importance)

    def report_class(
        self, name: str, value: Value, service_classes: Mapping[str, ServiceClass], systems: Mapping[str, System]
    ) -> ReportClass:
        fields = self.fields(
            value,
            ("service_class", "subsystem", "system", "mxt", "cics_itself_pct", "address_space"),
            "a class: {service_class: ONLINE, subsystem: CICS}",
        )
        self.need(fields, "service_class", value, "the service class that it is part of")
        return ReportClass(
            name,
            value.line,
            self.reference(fields, "service_class", service_classes, "service class"),
            self.take(fields, "subsystem", text_of, name),
            self.reference(fields, "system", systems, "system") or None,
            self.take(fields, "mxt", whole_of(1, 2000), 0),
            self.take(fields, "cics_itself_pct", number_of(0, 90), 0.0),
            self.take(fields, "address_space", choice("MSTR", "DBM1", "IRLM", "DDF"), ""),
        )

    def unit(
        self, value: Value, classes: Mapping[str, ReportClass], names: Mapping[str, Mapping[str, object]]
    ) -> dict[str, Use]:
        found: dict[str, Use] = {}
        for name, at in self.fields(value, None, "classes and what a unit takes there").items():
            if name not in classes:
                self.add_problem(
                    at, f"demand without a station: no class is called {name!r}", f"one of {', '.join(classes)}"
                )
            fields = self.fields(at, _USE_KEYS, "what a unit takes: {cp_ms: 1}")
            plain = {key: self.take(fields, key, any_of, 0.0) for key in _USE_NUMBERS if key in fields}
            if plain.get("db2_ms", 0.0) > plain.get("cp_ms", 0.0):
                self.add_problem(fields["db2_ms"], "is more than cp_ms, which it is part of", "cp_ms or less")
            found[name] = Use(
                line=at.line,
                **plain,
                getpages=self.named_numbers(fields, "getpages", names["getpages"], "buffer pool"),
                gbp_reads=self.named_numbers(fields, "gbp_reads", names["gbp"], "group buffer pool"),
                gbp_writes=self.named_numbers(fields, "gbp_writes", names["gbp"], "group buffer pool"),
                gbp_others=self.named_numbers(fields, "gbp_others", names["gbp"], "group buffer pool"),
                messages=self.named_numbers(fields, "messages", names["queues"], "queue"),
                round_trips=self.named_numbers(fields, "round_trips", names["links"], "link"),
                kilobytes=self.named_numbers(fields, "kilobytes", names["links"], "link"),
            )
        return found

    def workload(
        self,
        name: str,
        value: Value,
        classes: Mapping[str, ReportClass],
        work: Mapping[str, Mapping[str, Use]],
        systems: Mapping[str, System],
    ) -> Workload:
        fields = self.fields(
            value, ("counted_by", "request", "system", "threads"), "a workload: keys counted_by, request"
        )
        for key, expected in (
            ("counted_by", "the class that counts its requests"),
            ("request", "units of work in a request"),
        ):
            self.need(fields, key, value, expected)
        return Workload(
            name,
            value.line,
            self.reference(fields, "counted_by", classes, "class"),
            self.named_numbers(fields, "request", work, "unit of work"),
            self.reference(fields, "system", systems, "system") or None,
            self.threads(fields["threads"], work) if "threads" in fields else None,
        )

    def threads(self, value: Value, work: Mapping[str, Mapping[str, Use]]) -> Threads:
        keys = ("entry", "work", "threadlimit", "protectnum", "reuselimit", "uses", "calls")
        fields = self.fields(value, keys, "threads: keys entry, work, threadlimit, protectnum, reuselimit")
        for key in ("entry", "work", "threadlimit"):
            self.need(
                fields, key, value, "a DB2ENTRY, the unit of work that making a thread is, and how many there may be"
            )
        limit = self.take(fields, "threadlimit", whole_of(1, 2000), 2000)
        protected = self.take(fields, "protectnum", whole_of(0, 2000), 0)
        if protected > limit:
            self.add_problem(
                fields["protectnum"],
                f"{protected} threads are kept of {limit}",
                f"{limit} or less, or a threadlimit of more",
            )
        return Threads(
            self.take(fields, "entry", name_of(), ""),
            value.line,
            self.reference(fields, "work", work, "unit of work"),
            limit,
            protected,
            self.take(fields, "reuselimit", whole_of(0, 10_000), 1000),
            self.take(fields, "uses", positive_of, 1.0),
            self.take(fields, "calls", any_of, 0.0),
        )

    # --- What is compared ---

    def configuration(
        self,
        name: str,
        value: Value,
        systems: Mapping[str, System],
        workloads: Mapping[str, Workload],
        sharing: DataSharing | None,
        facilities: Mapping[str, CouplingFacility],
    ) -> ModelConfiguration:
        fields = self.fields(
            value,
            ("systems", "load", "data_sharing", "parameters", "hours", "release", "without"),
            "a configuration: {load: {WORKLOAD: {clients: 10, think_s: 1}}}",
        )
        self.need(fields, "load", value, "the loads of workloads")
        used = self.take(fields, "systems", texts_of, tuple(systems))
        for system in used:
            if system not in systems:
                self.add_problem(fields["systems"], f"no system is called {system!r}", f"one of {', '.join(systems)}")
        if len(set(used)) < len(used):
            self.add_problem(fields["systems"], "a system is named twice", "every system once")
        shares = self.take(fields, "data_sharing", yes_of, False)
        if shares and sharing is None:
            self.add_problem(
                fields["data_sharing"], "there is no data sharing group", "the key data_sharing in the model too"
            )
        loads = []
        for workload, at in (
            self.fields(fields["load"], None, "loads of workloads") if "load" in fields else {}
        ).items():
            if workload not in workloads:
                self.add_problem(at, f"no workload is called {workload!r}", f"one of {', '.join(workloads)}")
            elif (place := workloads[workload].system) and place not in used:
                self.add_problem(
                    at, f"{workload} runs on {place}, which the configuration lacks", f"{place} among its systems"
                )
            loads.append(self.load(workload, at))
        if counts := {load.steps for load in loads if load.steps > 1}:
            if len(counts) > 1:
                self.add_problem(
                    value,
                    f"loads of {' and '.join(map(str, sorted(counts)))} steps",
                    "as many steps everywhere, or one number",
                )
            loads = [self.repeated(load, max(counts)) for load in loads]
        parameters = (
            self.fields(fields["parameters"], None, "parameters of a benchmark") if "parameters" in fields else {}
        )
        given = {key: self.take(parameters, key, text_of, "") for key in parameters}
        without = self.take(fields, "without", texts_of, ())
        for facility in without:
            if facility not in facilities:
                self.add_problem(
                    fields["without"],
                    f"no coupling facility is called {facility!r}",
                    f"one of {', '.join(facilities) or 'none: there is none'}",
                )
        if without and not set(facilities) - set(without):
            self.add_problem(fields["without"], "no coupling facility is left", "one at least that is not down")
        return ModelConfiguration(
            *(name, value.line, used, tuple(loads), shares, given),
            hours=self.take(fields, "hours", whole_of(1, 100_000), 0),
            release=self.take(fields, "release", _RELEASE, ""),
            without=without,
        )

    def load(self, workload: str, value: Value) -> Load:
        fields = self.fields(
            value, ("clients", "think_s", "rate_per_s"), "a load: {clients: 10, think_s: 1} or {rate_per_s: 100}"
        )
        closed, opened = "clients" in fields, "rate_per_s" in fields
        if fields and closed == opened:
            self.add_problem(
                value, "clients and rate_per_s are given" if closed else "no load", "clients and think_s, or rate_per_s"
            )
        if opened and "think_s" in fields:
            self.add_problem(fields["think_s"], "goes with clients", "clients in place of rate_per_s")
        if closed:
            self.need(fields, "think_s", value, "how long a client thinks (0 if not at all: then give few clients)")
        clients = self.take(fields, "clients", each_of(whole_of(1, 20_000)), (1,)) if closed else ()
        think = self.take(fields, "think_s", any_of, 0.0)
        if closed and "think_s" in fields and think == 0 and max(clients) > 1000:
            self.add_problem(
                fields["think_s"],
                f"zero with {max(clients)} clients, who then have no bound",
                "above 0, or 1000 clients at most",
            )
        rates = self.take(fields, "rate_per_s", each_of(positive_of), (1.0,)) if opened else ()
        return Load(workload, value.line, clients, think, rates)

    def repeated(self, load: Load, steps: int) -> Load:
        if load.steps != 1:
            return load
        return replace(load, clients=load.clients * steps, rate_per_s=load.rate_per_s * steps)

    def studies(
        self,
        top: dict[str, Value],
        configurations: Mapping[str, ModelConfiguration],
        classes: Mapping[str, ReportClass],
    ) -> tuple[StudyOf, ...]:
        if "studies" not in top:
            return ()
        found = []
        for name, value in self.fields(top["studies"], None, "names of studies").items():
            fields = self.fields(
                value,
                ("configurations", "baseline", "requests", "coupling", "interval"),
                "a study: keys requests, baseline",
            )
            self.need(fields, "requests", value, "the class that counts requests, or page_elements")
            used = self.take(fields, "configurations", texts_of, tuple(configurations))
            for one in used:
                if one not in configurations:
                    self.add_problem(
                        fields["configurations"],
                        f"no configuration is called {one!r}",
                        f"one of {', '.join(configurations)}",
                    )
            pair = (
                self.fields(fields["coupling"], ("uncoupled", "coupled"), "uncoupled and coupled")
                if "coupling" in fields
                else {}
            )
            used_names = dict.fromkeys(used)
            found.append(
                StudyOf(
                    name,
                    value.line,
                    used,
                    self.reference(fields, "baseline", used_names, "configuration of the study") or used[0],
                    self.reference(fields, "requests", {**classes, PAGE_ELEMENTS: None}, "class"),
                    self.reference(pair, "uncoupled", used_names, "configuration of the study") or None,
                    self.reference(pair, "coupled", used_names, "configuration of the study") or None,
                    self.take(fields, "interval", choice("last", "all"), "last"),
                )
            )
        return tuple(found)

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


_RELEASE = choice("V1R13", "V2R2", "V2R3", "V2R5", "V3R1")
_GOALS = ("velocity_pct", "response_ms", "discretionary")
_USE_NUMBERS = ("cp_ms", "db2_ms", "ziip_ms", "ddf_ms", "wait_ms", "locks")
_USE_KEYS = (*_USE_NUMBERS, "getpages", "gbp_reads", "gbp_writes", "gbp_others", "messages", "round_trips", "kilobytes")
_NEEDED = {
    "model": "the name of the model",
    "start": "when the first report begins, such as 2015-02-10T10:00",
    "systems": "systems and their processors: SYSA: {cp: 3, ziip: 2}",
    "service_classes": "service classes and their goals",
    "classes": "report classes, what processor time is charged to",
    "work": "units of work and what one takes in each class",
    "workloads": "workloads and the units of work in a request",
    "configurations": "configurations and their loads",
}
_MODEL_KEYS = (
    *("model", "start", "sysplex", "release", "interval_s", "step_intervals", "variation_pct", "reports", "systems"),
    *(
        "machines",
        "profile",
        "coupling_facilities",
        "links",
        "buffer_pools",
        "input_output",
        "data_sharing",
        "service_classes",
        "classes",
        "work",
        "workloads",
    ),
    *("configurations", "studies"),
)
