"""The machine of a model file: systems, coupling facilities, links, buffer pools and the data sharing group."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from ..yaml_reader import Reader, Value, Wrong, choice, items_of, number_of, text_of
from .model import (
    BufferPool,
    CouplingFacility,
    DataSharing,
    InputOutput,
    Link,
    Machine,
    MessageQueue,
    Profile,
    Structure,
    System,
)

_Part = TypeVar("_Part")


def whole_of(least: int, most: int) -> Callable[[Value], int]:
    def read(value: Value) -> int:
        text = value.node.value if isinstance(value.node.value, str) else ""
        if not re.fullmatch(r"\d{1,9}", text) or not least <= int(text) <= most:
            raise Wrong(value, f"a whole number from {least} to {most}")
        return int(text)

    return read


def name_of(longest: int = 8) -> Callable[[Value], str]:
    """A name as z/OS has it."""

    def read(value: Value) -> str:
        text = text_of(value).upper()
        if not re.fullmatch(rf"[A-Z$#@][A-Z0-9$#@_.]{{0,{longest - 1}}}", text):
            raise Wrong(value, f"a name of at most {longest} letters, digits, $ # @")
        return text

    return read


def yes_of(value: Value) -> bool:
    return choice("yes", "no")(value) == "yes"


percent_of = number_of(0, 100.000001)
positive_of = number_of(0, above=True)
any_of = number_of(0)


def each_of(read: Callable[[Value], _Part]) -> Callable[[Value], tuple[_Part, ...]]:
    """A list, or one value."""
    return lambda value: tuple(read(item) for item in items_of(value))


class MachineReader(Reader):
    """Reads the parts of the machine: systems, coupling facilities, links, buffer pools, the data sharing group."""

    def parts(
        self, top: dict[str, Value], key: str, read: Callable[[str, Value], _Part], longest: int | None = 8
    ) -> dict[str, _Part]:
        """The parts under a key by name; with `longest`, names are those of z/OS."""
        if key not in top:
            return {}
        found: dict[str, _Part] = {}
        for name, value in self.fields(top[key], None, f"names of {key}").items():
            if longest and not re.fullmatch(rf"[A-Z$#@][A-Z0-9$#@_]{{0,{longest - 1}}}", name):
                self.add_problem(value, f"{name!r} is no name", f"at most {longest} capital letters, digits, $ # @")
            found[name] = read(name, value)
        return found

    def numbers(
        self, value: Value, keys: Mapping[str, Callable[[Value], float]], needed: tuple[str, ...]
    ) -> dict[str, float]:
        """A mapping of numbers."""
        fields = self.fields(value, keys, ", ".join(keys))
        for key in needed:
            self.need(fields, key, value, "a number")
        return {key: self.take(fields, key, keys[key], 1.0) for key in fields}

    def reference(self, fields: dict[str, Value], key: str, names: Mapping[str, object], what: str) -> str:
        """The name of another part."""
        found = self.take(fields, key, text_of, "")
        if found and found not in names:
            self.add_problem(
                fields[key], f"no {what} is called {found!r}", f"one of {', '.join(names) or 'none: there is none'}"
            )
        return found

    def named_numbers(
        self, fields: dict[str, Value], key: str, names: Mapping[str, object], what: str
    ) -> dict[str, float]:
        """Numbers by the name of another part."""
        if key not in fields:
            return {}
        given = self.fields(fields[key], None, f"a number for each {what}")
        for name, value in given.items():
            if name not in names:
                self.add_problem(
                    value, f"no {what} is called {name!r}", f"one of {', '.join(names) or 'none: there is none'}"
                )
        return {name: self.take(given, name, any_of, 0.0) for name in given}

    def system(self, name: str, value: Value, machines: Mapping[str, Machine]) -> System:
        keys = (
            *("cp", "ziip", "speed", "ziip_speed", "overflow_pct", "su_per_s", "captured_pct", "processor", "model"),
            *("machine", "defined_msu"),
        )
        fields = self.fields(value, keys, "a system: {cp: 3, ziip: 2}")
        self.need(fields, "cp", value, "how many general processors the system has")
        return System(
            name,
            value.line,
            self.take(fields, "cp", whole_of(1, 190), 1),
            self.take(fields, "ziip", whole_of(0, 190), 0),
            self.take(fields, "speed", positive_of, 1.0),
            self.take(fields, "ziip_speed", positive_of, self.take(fields, "speed", positive_of, 1.0)),
            self.take(fields, "overflow_pct", percent_of, 100.0) / 100,
            self.take(fields, "su_per_s", positive_of, 50_000.0),
            self.take(fields, "captured_pct", number_of(50, 100.000001), 100.0) / 100,
            self.take(fields, "processor", text_of, "2964"),
            self.take(fields, "model", text_of, "N30"),
            self.reference(fields, "machine", machines, "machine") or None,
            self.take(fields, "defined_msu", whole_of(0, 99_999), 0),
        )

    def machine(self, name: str, value: Value) -> Machine:
        keys = ("cp", "ziip", "capacity_msu", "sequence_code", "group", "group_limit_msu")
        fields = self.fields(value, keys, "a machine: {cp: 10, ziip: 4, capacity_msu: 1800}")
        for key in ("cp", "capacity_msu"):
            self.need(fields, key, value, "how many general processors it has" if key == "cp" else "MSU of the machine")
        return Machine(
            name,
            value.line,
            self.take(fields, "cp", whole_of(1, 99), 1),
            self.take(fields, "ziip", whole_of(0, 99), 0),
            self.take(fields, "capacity_msu", whole_of(1, 99_999), 1),
            self.take(fields, "sequence_code", text_of, f"{name:0>16}"),
            self.take(fields, "group", name_of(), ""),
            self.take(fields, "group_limit_msu", whole_of(0, 99_999), 0),
        )

    def profile(self, value: Value) -> Profile:
        fields = self.fields(
            value, ("hours_pct", "weekdays_pct"), "a profile: {hours_pct: [24 numbers], weekdays_pct: [7 numbers]}"
        )
        for key, count in (("hours_pct", 24), ("weekdays_pct", 7)):
            if key in fields and len(items_of(fields[key])) != count:
                self.add_problem(fields[key], f"not {count} numbers", f"{count} numbers")
                return Profile()
        return Profile(
            self.take(fields, "hours_pct", each_of(positive_of), Profile().hours_pct),
            self.take(fields, "weekdays_pct", each_of(positive_of), Profile().weekdays_pct),
        )

    def facility(self, name: str, value: Value) -> CouplingFacility:
        fields = self.fields(
            value, ("processors", "link_us", "model", "level"), "a coupling facility: {processors: 2, link_us: 10}"
        )
        self.need(fields, "processors", value, "how many processors the coupling facility has")
        return CouplingFacility(
            name,
            value.line,
            self.take(fields, "processors", whole_of(1, 16), 1),
            self.take(fields, "link_us", any_of, 0.0),
            self.take(fields, "model", text_of, "N30"),
            self.take(fields, "level", whole_of(1, 99), 21),
        )

    def link(self, name: str, value: Value) -> Link:
        found = self.numbers(value, {"mb_per_s": positive_of, "round_trip_ms": any_of}, ("mb_per_s",))
        return Link(name, value.line, found.get("mb_per_s", 1.0), found.get("round_trip_ms", 0.0))

    def pool(self, name: str, value: Value) -> BufferPool:
        found = self.numbers(value, {"hit_pct": percent_of, "read_ms": any_of}, ("hit_pct",))
        if not re.fullmatch(r"BP\d{1,2}|BP8K\d|BP16K\d|BP32K\d?", name):
            self.add_problem(value, f"{name!r} is no buffer pool", "BP0 to BP49, BP8K0, BP16K0, BP32K")
        return BufferPool(name, value.line, found.get("hit_pct", 0), found.get("read_ms", 1.0))

    def input_output(self, value: Value) -> InputOutput:
        keys = ("paths", "gigabits", "operation_us", "processors", "start_us", "miss_ms")
        fields = self.fields(value, keys, "channels to disks: {paths: 4, gigabits: 16}")
        return InputOutput(
            self.take(fields, "paths", whole_of(1, 8), InputOutput.paths),
            self.take(fields, "gigabits", whole_of(1, 64), InputOutput.gigabits),
            self.take(fields, "operation_us", any_of, InputOutput.operation_us),
            self.take(fields, "processors", whole_of(1, 24), InputOutput.processors),
            self.take(fields, "start_us", any_of, InputOutput.start_us),
            self.take(fields, "miss_ms", positive_of, InputOutput.miss_ms),
        )

    def sharing(self, value: Value, facilities: Mapping[str, CouplingFacility]) -> DataSharing | None:
        keys = (
            "group",
            "lock",
            "group_buffer_pools",
            "contention_pct",
            "false_pct",
            "contention_wait_ms",
            "contention_cp_ms",
            "queues",
        )
        fields = self.fields(value, keys, "a data sharing group: keys group, lock, group_buffer_pools")
        for key in ("group", "lock"):
            self.need(fields, key, value, "the name of the group" if key == "group" else "its lock structure")
        if not fields or "lock" not in fields:
            return None
        group = self.take(fields, "group", name_of(), "")
        lock = self.structure(f"{group}_LOCK1", fields["lock"], facilities)
        pools = {
            name: self.structure(f"{group}_G{name}", v, facilities)
            for name, v in (
                self.fields(fields["group_buffer_pools"], None, "group buffer pools").items()
                if "group_buffer_pools" in fields
                else ()
            )
        }
        return DataSharing(
            group,
            value.line,
            lock,
            pools,
            self.take(fields, "contention_pct", percent_of, 0.0),
            self.take(fields, "false_pct", percent_of, 0.0),
            self.take(fields, "contention_wait_ms", any_of, 0.0),
            self.take(fields, "contention_cp_ms", any_of, 0.0),
            self.parts(fields, "queues", lambda n, v: self.queue(n, v, facilities), longest=16),
        )

    def queue(self, name: str, value: Value, facilities: Mapping[str, CouplingFacility]) -> MessageQueue:
        keys = ("facility", "service_us", "kilobytes", "kept_s", "storage_mb", "memory_mb")
        fields = self.fields(value, keys, "a queue: {facility: CF01, service_us: 12}")
        for key, expected in (("facility", "its coupling facility"), ("service_us", "microseconds of a request there")):
            self.need(fields, key, value, expected)
        return MessageQueue(
            name,
            value.line,
            self.reference(fields, "facility", facilities, "coupling facility"),
            self.take(fields, "service_us", positive_of, 1.0),
            kilobytes=self.take(fields, "kilobytes", positive_of, MessageQueue.kilobytes),
            kept_s=self.take(fields, "kept_s", any_of, MessageQueue.kept_s),
            storage_mb=self.take(fields, "storage_mb", whole_of(1, 1_000_000), MessageQueue.storage_mb),
            memory_mb=self.take(fields, "memory_mb", whole_of(0, 100_000_000), MessageQueue.memory_mb),
        )

    def structure(self, name: str, value: Value, facilities: Mapping[str, CouplingFacility]) -> Structure:
        keys = ("facility", "service_us", "hit_pct", "invalidated_pct")
        fields = self.fields(value, keys, "a structure: {facility: CF01, service_us: 8}")
        for key in ("facility", "service_us"):
            self.need(
                fields, key, value, "its coupling facility" if key == "facility" else "microseconds of a request there"
            )
        return Structure(
            name,
            value.line,
            self.reference(fields, "facility", facilities, "coupling facility"),
            self.take(fields, "service_us", positive_of, 1.0),
            self.take(fields, "hit_pct", percent_of, 0.0),
            self.take(fields, "invalidated_pct", percent_of, 10.0),
        )
