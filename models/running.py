"""A step of a configuration, solved: what the model's machine does a second under its load.

The queueing network (solver.py) takes what a request demands; three things that it demands depend on how busy the machine is: how
many threads are made (not used again), how long a processor spins while it waits for a coupling facility, and how long a request waits for
a thread. They are a fixed point around the network.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from ..pipeline.errors import UsageError
from .model import DataSharing, Load, Model, ModelConfiguration, Structure, Threads, Use, Workload
from .solver import Chain, Flow, Overflow, Solution, Station, Unsolvable, all_busy, solve

_Placed = TypeVar("_Placed", bound=Structure)

Outcome = dict[tuple[str, ...], float]
_WAIT = "wait"


@dataclass(frozen=True)
class WorkloadOnSystem:
    """Requests of one workload on one system."""

    workload: Workload
    load: Load
    system: str

    @property
    def name(self) -> str:
        return f"{self.workload.name} on {self.system}"


@dataclass
class _Feedback:
    """What depends on how busy the machine is: threads made of those used and seconds waited for one, by place; microseconds of a request, by
    structure."""

    made: dict[str, float]
    thread_wait_s: dict[str, float]
    service_us: dict[str, float]

    def apart(self, other: _Feedback) -> float:
        """The largest relative difference."""
        pairs = (
            (mine[key], value)
            for mine, theirs in (
                (self.made, other.made),
                (self.thread_wait_s, other.thread_wait_s),
                (self.service_us, other.service_us),
            )
            for key, value in theirs.items()
        )
        return max((abs(a - b) / (1e-9 + abs(a)) for a, b in pairs), default=0.0)


def made_share(threads: Threads, in_use: float) -> float:
    """The share of thread uses that make a thread, with that many in use on average.

    A use finds no kept thread if as many as are kept are in use (of a Poisson distribution); and a thread ends after REUSELIMIT reuses. With
    q the probability of the first, a thread serves (1 - (1 - q)^(limit + 1)) / q uses.

    >>> kept = Threads("TRADENT", 1, "make", 200, protectnum=100, reuselimit=10_000)
    >>> round(456_469 * made_share(kept, 20.0))
    46
    """
    fails = _poisson_tail(threads.protectnum, in_use)
    if not threads.reuselimit:
        return fails
    if fails < 1e-9:
        return 1 / (threads.reuselimit + 1)
    reached = 1.0
    base, power = 1 - fails, threads.reuselimit + 1
    while power:
        if power & 1:
            reached *= base
        base, power = base * base, power >> 1
    return fails / (1 - reached)


def _poisson_tail(least: int, mean: float) -> float:
    """The probability of `least` or more."""
    if least == 0:
        return 1.0
    below = above = 0.0
    term, n = 1.0, 0
    # Scaled as it grows: only ratios count.
    while n < least or n < mean or term > 1e-18 * (below + above):
        if n < least:
            below += term
        else:
            above += term
        n += 1
        term *= mean / n
        if term > 1e100:
            below, above, term = below / 1e100, above / 1e100, term / 1e100
    return above / (below + above)


def _sharing_of(model: Model, configuration: ModelConfiguration) -> DataSharing | None:
    """The data sharing group, where the configuration shares data, its structures where they are while some facilities are down."""
    sharing, down = model.data_sharing, configuration.without
    if not (sharing and configuration.data_sharing):
        return None
    up = next(name for name in model.facilities if name not in down)

    def placed(one: _Placed) -> _Placed:
        return replace(one, facility=up) if one.facility in down else one

    pools = {name: placed(one) for name, one in sharing.pools.items()}
    queues = {name: placed(one) for name, one in sharing.queues.items()}
    return replace(sharing, lock=placed(sharing.lock), pools=pools, queues=queues)


class Step:
    """One step of one configuration."""

    def __init__(self, model: Model, configuration: ModelConfiguration, number: int):
        self.model, self.configuration, self.number = model, configuration, number
        self.sharing = _sharing_of(model, configuration)
        self.places = list(self._places())
        self.stations = list(self._stations())

    def _places(self) -> Iterator[WorkloadOnSystem]:
        for load in self.configuration.loads:
            workload = self.model.workloads[load.workload]
            for system in (workload.system,) if workload.system else self.configuration.systems:
                yield WorkloadOnSystem(workload, load, system)

    def _stations(self) -> Iterator[Station]:
        for name in self.configuration.systems:
            system = self.model.systems[name]
            overflow = Overflow(f"{name} CP", system.overflow, system.norm_factor / system.captured)
            yield Station(f"{name} zIIP", system.ziip, overflow)
            yield Station(f"{name} CP", system.cp)
        for link in self.model.links:
            yield Station(f"link {link}", 1)
        yield Station(_WAIT, None)

    def outcome(self, load_factor: float = 1.0, demand_factor: float = 1.0) -> Outcome:
        """What happens a second, with that many times the load that the model says, and the demand of processor time."""
        # No thread is made to begin with: what follows may only be busier.
        feedback = _Feedback(
            {p.name: 0.0 for p in self.places},
            {p.name: 0.0 for p in self.places},
            {s.name: s.service_us for s in self.structures()},
        )
        for _ in range(100):
            chains = [self._chain(place, load_factor, demand_factor, feedback) for place in self.places]
            try:
                solution = solve(self.stations, chains)
            except Unsolvable as refused:
                raise self._refusal(refused) from None
            found = self._feedback(solution, feedback)
            apart, feedback = feedback.apart(found), found
            if apart < 1e-7:
                return self._outcome(solution, feedback, demand_factor)
        remedy = "less load, or more threads and coupling facility processors"
        raise self._wrong(self.configuration.line, "no steady state is found", remedy)

    def structures(self) -> list[Structure]:
        if not (sharing := self.sharing):
            return []
        return [sharing.lock, *sharing.pools.values(), *sharing.queues.values()]

    # --- Demands ---

    def uses(self, place: WorkloadOnSystem, feedback: _Feedback) -> Iterator[tuple[str, str, float, Use]]:
        """What a request does: class, system, how many units of work, and what one takes."""
        counts = dict(place.workload.request)
        if threads := place.workload.threads:
            counts[threads.work] = counts.get(threads.work, 0.0) + threads.uses * feedback.made[place.name]
        for unit, count in counts.items():
            for name, use in self.model.work[unit].items():
                yield name, self.model.classes[name].system or place.system, count, use

    def _chain(self, place: WorkloadOnSystem, load_factor: float, demand_factor: float, feedback: _Feedback) -> Chain:
        demand: dict[str, float] = defaultdict(float)
        for _, name, count, use in self.uses(place, feedback):
            system = self.model.systems[name]
            demand[f"{name} zIIP"] += count * use.eligible_ms * demand_factor / system.ziip_speed / 1000
            demand[f"{name} CP"] += count * self.only_cp_s(use, name, demand_factor, feedback) / system.captured
            demand[_WAIT] += count * (use.wait_ms + self._waits_ms(use)) / 1000
            for link, kilobytes in use.kilobytes.items():
                demand[f"link {link}"] += count * kilobytes / 1000 / self.model.links[link].mb_per_s
        if place.workload.threads:
            demand[_WAIT] += place.workload.threads.uses * feedback.thread_wait_s[place.name]
        load, at = place.load, self.number
        if load.clients and not load.think_s and not any(demand.values()):
            what = f"clients of {place.name} do not think, and a request takes nothing"
            raise self._wrong(place.workload.line, what, "think_s above 0, or units of work that take time")
        sites = 1 if place.workload.system else len(self.configuration.systems)
        first = 0 if place.workload.system else self.configuration.systems.index(place.system)
        if load.clients:
            clients = (load.clients[at] + sites - 1 - first) // sites
            return Chain(place.name, demand, clients, load.think_s / load_factor)
        return Chain(place.name, demand, rate_per_s=load.rate_per_s[at] / sites * load_factor)

    def only_cp_s(self, use: Use, system: str, demand_factor: float, feedback: _Feedback) -> float:
        """Seconds of a unit that must be on a general processor: its own, contention, and spinning for coupling facilities."""
        seconds = use.only_cp_ms * demand_factor / self.model.systems[system].speed / 1000
        if sharing := self.sharing:
            contention = use.locks * sharing.contention_pct / 100 * sharing.contention_cp_ms / 1000
            seconds += contention / self.model.systems[system].speed
            seconds += sum(count * feedback.service_us[s.name] for s, count in self.requests(use)) / 1e6
        return seconds

    def requests(self, use: Use) -> Iterator[tuple[Structure, float]]:
        """Requests of a unit to structures of coupling facilities."""
        if (sharing := self.sharing) is None:
            return
        yield sharing.lock, use.locks
        for name, structure in sharing.pools.items():
            yield (
                structure,
                sum(requests.get(name, 0.0) for requests in (use.gbp_reads, use.gbp_writes, use.gbp_others)),
            )

        # A message is put on its queue and taken off it.
        for name, queue in sharing.queues.items():
            yield queue, 2 * use.messages.get(name, 0.0)

    def _waits_ms(self, use: Use) -> float:
        """Waiting without a processor: reads from disk, round trips, lock contention."""
        pools, links = self.model.buffer_pools, self.model.links
        found = sum(n * (1 - pools[p].hit_pct / 100) * pools[p].read_ms for p, n in use.getpages.items())
        found += sum(n * links[name].round_trip_ms for name, n in use.round_trips.items())
        if sharing := self.sharing:
            found += use.locks * sharing.contention_pct / 100 * sharing.contention_wait_ms
        return found

    # --- What depends on how busy the machine is ---

    def _feedback(self, solution: Solution, before: _Feedback) -> _Feedback:
        made, waits = dict(before.made), dict(before.thread_wait_s)
        for place in self.places:
            if threads := place.workload.threads:
                flow = solution.flows[place.name]
                held = flow.response_s / threads.uses - waits[place.name]
                in_use = flow.throughput_per_s * threads.uses * held
                if in_use >= threads.limit:
                    what = f"{place.name}: {in_use:.1f} threads of {threads.entry} would be in use, and there are {threads.limit}"
                    raise self._wrong(threads.line, what, "a higher threadlimit, or less load")
                made[place.name] = made_share(threads, in_use)
                waits[place.name] = all_busy(threads.limit, in_use) * held / (threads.limit - in_use)
        service = {}
        busy = self.facility_busy(solution, before)
        for structure in self.structures():
            facility = self.model.facilities[structure.facility]
            if busy[facility.name] >= facility.processors:
                load = f"{busy[facility.name]:.2f} processors"
                what = f"coupling facility {facility.name} would need {load} and has {facility.processors}"
                raise self._wrong(facility.line, what, "more processors, a shorter service_us, or less load")
            free = facility.processors - busy[facility.name]
            queueing = 1 + all_busy(facility.processors, busy[facility.name]) / free
            service[structure.name] = facility.link_us + structure.service_us * queueing
        return _Feedback(made, waits, service)

    def facility_busy(self, solution: Solution, feedback: _Feedback) -> dict[str, float]:
        """Busy processors of each coupling facility."""
        busy = dict.fromkeys(self.model.facilities, 0.0)
        for place in self.places:
            rate = solution.flows[place.name].throughput_per_s
            for _, _, count, use in self.uses(place, feedback):
                for structure, requests in self.requests(use):
                    busy[structure.facility] += rate * count * requests * structure.service_us / 1e6
        return busy

    def _refusal(self, refused: Unsolvable) -> UsageError:
        system = self.model.systems.get(refused.station.split()[0])
        line = system.line if system else self.configuration.line
        what = f"{refused.station}: utilisation {refused.load / max(1, refused.servers):.2f} of an open load"
        return self._wrong(
            line,
            what,
            "below 1: more processors, a lower rate_per_s, clients with think_s in its place, or less demand",
        )

    def _wrong(self, line: int, what: str, remedy: str) -> UsageError:
        where = f"configurations.{self.configuration.name}: step {self.number + 1}"
        return UsageError(f"{self.model.file}:{line}: {where}: {what}", remedy)

    # --- What happens ---

    def _outcome(self, solution: Solution, feedback: _Feedback, demand_factor: float) -> Outcome:
        out: Outcome = defaultdict(float)
        for place in self.places:
            flow = solution.flows[place.name]
            rate, key = flow.throughput_per_s, (place.workload.name, place.system)
            out["rate", *key] = rate
            out["response_s", *key] = flow.response_s
            processors = [station.name for station in self.stations if station.name.endswith((" CP", " zIIP"))]
            charged = {f"{name} CP": self.model.systems[name].captured for name in self.configuration.systems}
            out["served_s", *key] = sum(flow.service_s[station] * charged.get(station, 1.0) for station in processors)
            out["dispatched_s", *key] = sum(flow.residence_s[station] for station in processors)
            out["ended", place.workload.counted_by, place.system] += rate
            out["there", place.workload.counted_by, place.system] += rate * flow.response_s
            if threads := place.workload.threads:
                in_use = rate * (flow.response_s - threads.uses * feedback.thread_wait_s[place.name])
                out["thread_uses", *key] = rate * threads.uses
                out["thread_makes", *key] = rate * threads.uses * feedback.made[place.name]
                out["threads_in_use", *key] = in_use
                out["thread_waits", *key] = rate * threads.uses * all_busy(threads.limit, in_use)
            for name, system, count, use in self.uses(place, feedback):
                units = rate * count
                only_cp_s = units * self.only_cp_s(use, system, demand_factor, feedback)
                if name == place.workload.counted_by:
                    speed = self.model.systems[system].speed
                    own_s = units * use.only_cp_ms * demand_factor / speed / 1000
                    out["region_s", *key] += only_cp_s + units * use.eligible_ms * demand_factor / speed / 1000
                    # Db2 spins for coupling facilities and contention, not the application.
                    out["db2_s", *key] += units * use.db2_ms * demand_factor / speed / 1000 + only_cp_s - own_s
                self._charge(out, flow, name, system, only_cp_s, units * use.eligible_ms * demand_factor / 1000)
                out["wait_s", name, system] += units * (use.wait_ms + self._waits_ms(use)) / 1000
                for link, kilobytes in use.kilobytes.items():
                    out["link_kb", link, system] += units * kilobytes
                for pool, getpages in use.getpages.items():
                    reads = units * getpages * (1 - self.model.buffer_pools[pool].hit_pct / 100)
                    out["getpages", pool, system] += units * getpages
                    out["reads", pool, system] += reads
                    out["ssch", name, system] += reads
                    out["ssch_s", name, system] += reads * self.model.buffer_pools[pool].read_ms / 1000
                if self.structures():
                    out["locks", system] += units * use.locks
                    for what in ("gbp_reads", "gbp_writes", "gbp_others"):
                        for pool, requests in getattr(use, what).items():
                            out[what, pool, system] += units * requests
                    for queue, messages in use.messages.items():
                        out["messages", queue, system] += units * messages
        for structure in self.structures():
            out["cf_service_us", structure.name] = feedback.service_us[structure.name]
        for facility, busy in self.facility_busy(solution, feedback).items():
            out["cf_busy", facility] = busy
        self._see_that_messages_fit(out)
        for station in self.stations:
            out["busy", station.name] = solution.busy[station.name]
            out["ready", station.name] = solution.queue[station.name]
        return dict(out)

    def _see_that_messages_fit(self, out: Outcome) -> None:
        for queue in self.sharing.queues.values() if self.sharing else ():
            rate = sum(value for key, value in out.items() if key[:2] == ("messages", queue.name))
            if (kept := rate * queue.kept_s) > (room := queue.room + queue.memory_room):
                what = f"{queue.name}: {kept:.0f} messages would be kept, and there is room for {room:.0f}"
                raise self._wrong(queue.line, what, "more memory_mb or storage_mb, a shorter kept_s, or less load")

    def _charge(self, out: Outcome, flow: Flow, name: str, system: str, only_cp_s: float, eligible_s: float) -> None:
        """Charge processor time to a class: on general processors, on zIIPs, eligible but on general processors, and waited for."""
        speeds = self.model.systems[system]
        leaving = flow.overflow_share[f"{system} zIIP"]
        overflow_s = eligible_s * leaving / speeds.speed
        parts = {"cp_s": only_cp_s + overflow_s, "iip_s": eligible_s * (1 - leaving) / speeds.ziip_speed}
        out["iipcp_s", name, system] += overflow_s
        for part, station in (("cp_s", f"{system} CP"), ("iip_s", f"{system} zIIP")):
            out[part, name, system] += parts[part]
            if service := flow.service_s[station]:
                out[f"{part} delayed", name, system] += parts[part] * max(0.0, flow.residence_s[station] / service - 1)
