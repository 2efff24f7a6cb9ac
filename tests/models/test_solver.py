"""The queueing solver against closed formulas and against simulations of the same networks."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import count

import pytest
import simpy
from ironlake.models.solver import Chain, Overflow, Station, Unsolvable, all_busy, solve
from sizes import some


@dataclass
class _Seen:
    """What a simulation counted after its warm-up."""

    requests: dict[str, int]
    response_s: dict[str, float]
    busy_s: dict[str, float]
    span_s: float

    def throughput(self, chain: str) -> float:
        return self.requests[chain] / self.span_s

    def response(self, chain: str) -> float:
        return self.response_s[chain] / self.requests[chain]

    def busy(self, station: str) -> float:
        return self.busy_s[station] / self.span_s


class _Shared:
    """Servers that everybody there shares evenly, nobody having more than one of them."""

    def __init__(self, env: simpy.Environment, servers: int):
        self.env, self.servers = env, servers
        self.left: dict[int, tuple[float, simpy.Event]] = {}
        self.numbers, self.since, self.version = count(), 0.0, 0

    def serve(self, work: float) -> simpy.Event:
        self.pass_time()
        done = self.env.event()
        self.left[next(self.numbers)] = (work, done)
        self.plan()
        return done

    def speed(self) -> float:
        return min(1.0, self.servers / len(self.left)) if self.left else 1.0

    def pass_time(self) -> None:
        done = (self.env.now - self.since) * self.speed()
        self.left = {n: (left - done, event) for n, (left, event) in self.left.items()}
        self.since = self.env.now

    def plan(self) -> None:
        self.version += 1
        if self.left:
            n = min(self.left, key=lambda n: self.left[n][0])
            self.env.process(self.finish(n, max(0.0, self.left[n][0]) / self.speed(), self.version))

    def finish(self, n: int, after: float, version: int):
        yield self.env.timeout(after)
        if version == self.version:
            self.pass_time()
            self.left.pop(n)[1].succeed()
            self.plan()


def _simulate(stations: list[Station], chains: list[Chain], requests: int, visits: int = 1, seed: int = 20) -> _Seen:
    """Exponential service and thinking; a request visits the stations in their order, once each."""
    env, draw = simpy.Environment(), random.Random(seed)
    pools = {s.name: _Shared(env, s.servers) for s in stations if s.servers}
    seen = _Seen(
        dict.fromkeys((c.name for c in chains), 0),
        dict.fromkeys((c.name for c in chains), 0.0),
        dict.fromkeys((s.name for s in stations), 0.0),
        0.0,
    )
    state = {"started": 0, "warm": 0.0}
    done = env.event()

    def use(station: Station, work: float):
        overflow = station.overflow
        full = not station.servers or len(pools[station.name].left) >= station.servers
        if overflow and full and (not station.servers or draw.random() < overflow.share):
            to = next(s for s in stations if s.name == overflow.to)
            yield from use(to, work * overflow.factor)
            return
        if state["warm"]:
            seen.busy_s[station.name] += work
        yield env.timeout(work) if station.servers is None else pools[station.name].serve(work)

    def request(chain: Chain):
        began = env.now
        for station in stations * visits:
            if mean := chain.demand_s.get(station.name, 0.0):
                yield from use(station, draw.expovariate(visits / mean))
        if state["warm"]:
            seen.requests[chain.name] += 1
            seen.response_s[chain.name] += env.now - began
        state["started"] += 1
        if state["started"] == requests // 10:
            state["warm"] = env.now
        if state["started"] == requests:
            done.succeed()

    def client(chain: Chain):
        while True:
            if chain.think_s:
                yield env.timeout(draw.expovariate(1 / chain.think_s))
            yield from request(chain)

    def arrivals(chain: Chain, rate: float):
        while True:
            yield env.timeout(draw.expovariate(rate))
            env.process(request(chain))

    for chain in chains:
        if chain.rate_per_s:
            env.process(arrivals(chain, chain.rate_per_s))
        for _ in range(chain.clients or 0):
            env.process(client(chain))
    env.run(done)
    seen.span_s = env.now - state["warm"]
    return seen


_CP, _ZIIP = Station("cp", 3), Station("ziip", 2, Overflow("cp"))
_NETWORKS = {
    "open": ([_CP, Station("disk", 1)], [Chain("web", {"cp": 0.009, "disk": 0.0015}, rate_per_s=270)]),
    "closed at the knee": (
        [_CP, Station("disk", 1), Station("log", None)],
        [Chain("web", {"cp": 0.03, "disk": 0.004, "log": 0.01}, clients=60, think_s=0.5)],
    ),
    "closed beyond the knee": ([_CP], [Chain("web", {"cp": 0.03}, clients=80, think_s=0.5)]),
    "few clients": ([_CP, Station("disk", 1)], [Chain("web", {"cp": 0.03, "disk": 0.01}, clients=6, think_s=0.02)]),
    "everything overflows that finds the zIIPs busy": (
        [_ZIIP, _CP],
        [Chain("web", {"cp": 0.010, "ziip": 0.012}, clients=100, think_s=0.5)],
    ),
    "half of it overflows": (
        [Station("ziip", 2, Overflow("cp", 0.5)), _CP],
        [Chain("web", {"cp": 0.006, "ziip": 0.010}, clients=90, think_s=0.5)],
    ),
    "slow general processors, open": (
        [Station("ziip", 1, Overflow("cp", 1.0, 2.0)), _CP],
        [Chain("web", {"cp": 0.008, "ziip": 0.008}, rate_per_s=110)],
    ),
    "no zIIP": ([Station("ziip", 0, Overflow("cp")), _CP], [Chain("web", {"cp": 0.01, "ziip": 0.01}, rate_per_s=120)]),
    "two kinds of clients and arrivals": (
        [_ZIIP, _CP, Station("link", 1)],
        [
            Chain("inquiry", {"cp": 0.006, "ziip": 0.010, "link": 0.001}, clients=40, think_s=0.3),
            Chain("update", {"cp": 0.020, "link": 0.004}, clients=30, think_s=0.5),
            Chain("batch", {"cp": 0.020}, rate_per_s=20),
        ],
    ),
}


@pytest.mark.parametrize("name", some(_NETWORKS, 8))
def test_the_solver_agrees_with_a_simulation_within_five_percent(name: str) -> None:
    stations, chains = _NETWORKS[name]
    found, seen = solve(stations, chains), _simulate(stations, chains, requests=20_000)
    for chain in chains:
        flow = found.flows[chain.name]
        assert flow.throughput_per_s == pytest.approx(seen.throughput(chain.name), rel=0.05)
        assert flow.response_s == pytest.approx(seen.response(chain.name), rel=0.05)
    for station in stations:
        assert found.busy[station.name] == pytest.approx(seen.busy(station.name), rel=0.05)


_FOUR, _SIX = Station("ziip", 4, Overflow("cp")), Station("cp", 6)
_BUSY = [Chain("web", {"cp": 0.008, "ziip": 0.018}, clients=170, think_s=0.5)]


def _beside(clients: int) -> list[Chain]:
    """What is eligible for zIIPs beside what is not."""
    java = Chain("java", {"cp": 0.002, "ziip": 0.012}, clients=clients, think_s=0.5)
    return [java, Chain("batch", {"cp": 0.030}, clients=25, think_s=0.5)]


@pytest.mark.parametrize(
    ("stations", "chains", "visits", "response", "busy"),
    [
        pytest.param([_FOUR, _SIX], _BUSY, 1, 0.12, 0.02, id="general processors 85% busy", marks=pytest.mark.slow),
        pytest.param([_SIX, _FOUR], _BUSY, 1, 0.12, 0.02, id="and visited first", marks=pytest.mark.slow),
        pytest.param([_ZIIP, _CP], _beside(60), 1, 0.08, 0.02, id="general processors alone beside zIIPs"),
        pytest.param([_ZIIP, _CP], _beside(90), 15, 0.18, 0.15, id="back and forth", marks=pytest.mark.slow),
    ],
)
def test_the_solver_is_as_near_to_a_simulation_as_documented(
    stations: list[Station], chains: list[Chain], visits: int, response: float, busy: float
) -> None:
    """Where much overflows onto busy processors; the reach is that of docs/model.md."""
    found, seen = solve(stations, chains), _simulate(stations, chains, requests=72_000 // (visits + 2), visits=visits)
    for chain in chains:
        flow = found.flows[chain.name]
        assert flow.throughput_per_s == pytest.approx(seen.throughput(chain.name), rel=0.05)
        assert flow.response_s == pytest.approx(seen.response(chain.name), rel=response)
    for station in stations:
        assert found.busy[station.name] == pytest.approx(seen.busy(station.name), rel=busy)


@pytest.mark.parametrize("name", _NETWORKS)
def test_a_solution_obeys_littles_law_and_the_response_time_law(name: str) -> None:
    stations, chains = _NETWORKS[name]
    found = solve(stations, chains)
    for chain in chains:
        flow = found.flows[chain.name]
        assert flow.response_s == pytest.approx(sum(flow.residence_s.values()))
        if chain.clients:
            # The response time law.
            assert chain.clients == pytest.approx(flow.throughput_per_s * (flow.response_s + chain.think_s))
        for station in stations:
            assert flow.residence_s[station.name] >= flow.service_s[station.name] - 1e-12
            if overflow := station.overflow:
                demand, share = chain.demand_s.get(station.name, 0.0), flow.overflow_share[station.name]
                assert flow.service_s[station.name] == pytest.approx(demand * (1 - share))
                own = chain.demand_s.get(overflow.to, 0.0)
                assert flow.service_s[overflow.to] == pytest.approx(own + demand * share * overflow.factor)
    for station in stations:
        # Little's law, and no server more than there is (to the accuracy of the approximation).
        flows = [found.flows[c.name] for c in chains]
        there = sum(f.throughput_per_s * f.residence_s[station.name] for f in flows)
        assert found.queue[station.name] == pytest.approx(there)
        if station.servers:
            assert found.busy[station.name] < station.servers * 1.01


def test_an_open_queue_follows_erlang_c() -> None:
    """Two servers, one of them busy on average: a third of the requests wait, for half a service and those before them."""
    found = solve([Station("cp", 2)], [Chain("a", {"cp": 0.010}, rate_per_s=100)]).flows["a"]
    assert found.response_s == pytest.approx(0.010 * (1 + (1 / 3) / 2 / (1 - 0.5)))


def test_a_single_client_never_waits() -> None:
    stations = [Station("ziip", 1, Overflow("cp")), Station("cp", 1), Station("disk", None)]
    found = solve(stations, [Chain("a", {"cp": 0.001, "ziip": 0.002, "disk": 0.003}, clients=1)]).flows["a"]
    assert found.response_s == pytest.approx(0.006)
    assert found.throughput_per_s == pytest.approx(1 / 0.006)
    assert found.overflow_share == {"ziip": 0}


def test_many_clients_saturate_the_slowest_station() -> None:
    found = solve(
        [Station("cp", 2), Station("link", 1)], [Chain("a", {"cp": 0.010, "link": 0.008}, clients=500, think_s=1)]
    )
    assert found.flows["a"].throughput_per_s == pytest.approx(1 / 0.008, rel=1e-3)
    assert found.busy["cp"] == pytest.approx(0.010 / 0.008, rel=1e-3)


@pytest.mark.parametrize(
    ("stations", "rate", "where"),
    [
        ([Station("cp", 2)], 200, "cp would have to be 2.00 servers busy and has 2"),
        # The zIIP alone is no limit: what finds it busy goes on, until the general processors are full.
        (
            [Station("ziip", 1, Overflow("cp")), Station("cp", 1)],
            250,
            "cp would have to be 1.79 servers busy and has 1",
        ),
        (
            [Station("ziip", 1, Overflow("cp", 0.0)), Station("cp", 1)],
            150,
            "ziip would have to be 1.50 servers busy and has 1",
        ),
    ],
)
def test_arrivals_that_cannot_be_served_are_refused(stations: list[Station], rate: float, where: str) -> None:
    with pytest.raises(Unsolvable) as refused:
        solve(stations, [Chain("a", {"cp": 0.010 if len(stations) == 1 else 0, "ziip": 0.010}, rate_per_s=rate)])
    assert str(refused.value) == where


def test_a_solution_has_the_same_digits_on_every_machine() -> None:
    found = solve(*_NETWORKS["two kinds of clients and arrivals"])
    assert [(flow.throughput_per_s, flow.response_s) for flow in found.flows.values()] == [
        (122.12086670932446, 0.027544350755462105),
        (54.653224658311025, 0.04891546084532723),
        (20, 0.04457675532831876),
    ]


@pytest.mark.parametrize(("servers", "offered"), [(0.4, 0.3), (1.7, 1.5), (2.5, 2.4), (2.5, 1.0)])
def test_a_fraction_of_a_server_follows_erlang_b(servers: float, offered: float) -> None:
    """Against Erlang's B as an integral, which needs no whole number: 1 / B = A * integral of exp(-A t) (1 + t)^m."""
    step = 0.001
    integral = sum(math.exp(-offered * t) * (1 + t) ** servers for t in (step * (n + 0.5) for n in range(60_000)))
    assert all_busy(servers, offered, 1.0) == pytest.approx(1 / (offered * step * integral), rel=0.02)


def test_probability_that_all_are_busy_is_that_of_the_states() -> None:
    """Against the sum over the states of a queue with three servers that half of the arrivals leave when all are busy."""
    servers, offered, leaving = 3, 2.4, 0.5
    states = [1.0]
    for n in range(1, 400):
        arriving = offered if n <= servers else offered * (1 - leaving)
        states.append(states[-1] * arriving / min(n, servers))
    assert all_busy(servers, offered, leaving) == pytest.approx(sum(states[servers:]) / sum(states))
