"""Queueing networks: throughput, utilisation and response times of what shares processors.

Chains of requests visit stations. A closed chain is a number of clients that think and ask again; an open chain is an arrival
rate. A station has servers that all its requests share evenly, or is a delay, where nobody waits. A pool of zIIPs lets a share of
what finds it busy overflow to the general processors.

Method: mean value analysis (Reiser and Lavenberg, "Mean-value analysis of closed multichain queuing networks", J. ACM 27, 1980): who asks
finds the network as it is with one client less, so clients are added one by one, starting from none. Approximations of ours, each
checked against simulation in tests/models/test_solver.py:

- Of several chains every step adds one client of their mix, and the client that is missing is put right to first order.
- At m servers a request waits for those that wait already and, if all are busy, for a server: (waiting + P(all busy)) / m services,
  with Erlang's C of the busy servers that it finds. That is exact for open chains of one class.
- Of what finds all m servers busy a share leaves, which makes Erlang's C (share 0) his B (share 1). What leaves comes in bursts, and
  what the same requests want there anyway comes along. With z the ratio of variance to mean of what leaves (J. Riordan's formula in
  R. Wilkinson, "Theories for toll traffic engineering in the USA", BSTJ 35, 1956) a request waits for a server as one would of
  m / z servers with a z-th of the work, z times as long (W. Hayward's, in A. Fredericks, "Congestion in blocking systems", BSTJ 59, 1980).
- Where a request has been does not matter: it finds the zIIPs as a newcomer does, on each of its visits.

How near this comes to simulations is in docs/model.md.

Only additions, multiplications and divisions of Python's floats: every machine gives the same digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Overflow:
    """Where work goes that finds all servers of its station busy: `share` of it goes to station `to`, where a second of it takes
    `factor` seconds (the normalisation factor of zIIPs on machines of slower general processors)."""

    to: str
    share: float = 1.0
    factor: float = 1.0


@dataclass(frozen=True)
class Station:
    """A pool of servers that serve alike; `servers` None: a delay. A pool of 0 servers passes all its work on."""

    name: str
    servers: int | None = 1
    overflow: Overflow | None = None


@dataclass(frozen=True)
class Chain:
    """Requests of one kind. `demand_s`: seconds of service of one request at each station, on all its visits together. Either
    `clients` (closed, each thinking `think_s` between requests) or `rate_per_s` (open)."""

    name: str
    demand_s: Mapping[str, float]
    clients: int | None = None
    think_s: float = 0.0
    rate_per_s: float | None = None


@dataclass(frozen=True)
class Flow:
    """What becomes of one chain: its requests per second, the response time without thinking, where that is spent (residence: waiting
    and service), and the share of its work at a station that overflows."""

    throughput_per_s: float
    response_s: float
    residence_s: Mapping[str, float]
    service_s: Mapping[str, float]
    overflow_share: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Solution:
    """Flows by chain; of each station the busy servers (of a delay: requests there) and all requests there, waiting or served."""

    flows: Mapping[str, Flow]
    busy: Mapping[str, float]
    queue: Mapping[str, float]


class Unsolvable(Exception):
    """A network without a steady state; `station` is where, `load` how many servers it would take."""

    def __init__(self, station: str, load: float, servers: int):
        super().__init__(f"{station} would have to be {load:.2f} servers busy and has {servers}")
        self.station, self.load, self.servers = station, load, servers


def all_busy(servers: float, offered: float, leaving: float = 0.0) -> float:
    """The probability that all servers are busy, of `offered` servers' worth of work; the share `leaving` of it does not wait.

    >>> all_busy(2, 1.0), all_busy(2, 1.0, leaving=1.0)     # Erlang's C and B
    (0.3333333333333333, 0.2)
    """
    if servers == 0 or offered * (1 - leaving) >= servers:
        return 1.0
    # Erlang's B of a part of a server by Y. Rapp's approximation (exact for 0 and 1), then of one more at a time.
    part = servers % 1
    blocked = 1.0 - part * (offered + 2 - part / (1 + offered)) / ((1 + offered) * (1 + offered) + offered)
    for n in range(1, int(servers) + 1):
        blocked = offered * blocked / (n + part + offered * blocked)
    # Erlang's B is the share of the state in which all are busy; those that wait make it heavier.
    heavier = blocked / (1 - offered * (1 - leaving) / servers)
    return heavier / (1 - blocked + heavier)


def solve(stations: Sequence[Station], chains: Sequence[Chain]) -> Solution:
    """Solve the network. Raises Unsolvable where open chains ask for more than there is."""
    network = _Network(stations, chains)
    state = network.with_open(network.empty())
    for count in range(1, network.clients + 1):
        state = network.with_open(network.with_closed(count, state))
    return network.solution(state)


Row = list[float]


@dataclass
class _Visit:
    """What a request goes through at each station: seconds of service, the share of its work that leaves, seconds that it waits for
    each request that waits there, and how many it waits for where nobody waits but all servers may be busy."""

    service: Row
    leaving: Row
    each: Row
    first: Row

    def residence(self, waiting: Row) -> Row:
        """Seconds at each station where that many wait."""
        return [s + e * (w + f) for s, e, w, f in zip(self.service, self.each, waiting, self.first, strict=True)]


@dataclass
class _State:
    """The network with some clients; by chain: requests per second, how they fare, and at each station the requests there, those in
    service, and the work that came, in servers."""

    rate: Row
    visit: list[_Visit]
    residence: list[Row]
    queue: list[Row]
    busy: list[Row]
    offered: list[Row]


class _Network:
    """Stations and chains by number."""

    def __init__(self, stations: Sequence[Station], chains: Sequence[Chain]):
        self.stations, self.chains = stations, chains
        index = {s.name: k for k, s in enumerate(stations)}
        self.demand = [[float(c.demand_s.get(s.name, 0.0)) for s in stations] for c in chains]
        self.target = [index[s.overflow.to] if s.overflow else None for s in stations]
        # A station that others overflow to comes after them.
        self.order = sorted(range(len(stations)), key=lambda k: self.target[k] is None)
        self.clients = sum(c.clients or 0 for c in chains)
        self.part = [(c.clients or 0) / max(1, self.clients) for c in chains]

    def empty(self) -> _State:
        zeros = [0.0] * len(self.stations)
        none = [zeros for _ in self.chains]
        visits = [_Visit(zeros, zeros, zeros, zeros) for _ in self.chains]
        return _State([0.0] * len(self.chains), visits, list(none), list(none), list(none), list(none))

    def with_closed(self, count: int, before: _State) -> _State:
        """The closed chains of `count` clients, from the network of one less."""
        after = self.empty()
        for c, chain in enumerate(self.chains):
            if chain.clients:
                queue, busy, offered = (
                    self.seen(rows, c, count) for rows in (before.queue, before.busy, before.offered)
                )
                visit = self.visit(c, busy, offered)
                residence = visit.residence([max(0.0, q - b) for q, b in zip(queue, busy, strict=True)])
                self.put(after, c, count * self.part[c] / (chain.think_s + sum(residence)), visit, residence)
        return after

    def seen(self, rows: list[Row], c: int, count: int) -> Row:
        """What a client of chain c finds: the sum of all chains, where the one of `count` clients that is missing is of chain c, not of
        the mix of all."""
        found = _sum(rows)
        for other, part in enumerate(self.part):
            if clients := (count - 1) * part:
                more = (part - (other == c)) / clients
                found = [max(0.0, f + more * n) for f, n in zip(found, rows[other], strict=True)]
        return found

    def with_open(self, state: _State) -> _State:
        """The same with the open chains; requests of open chains find all others, of their own kind too."""
        rates = [(c, chain.rate_per_s) for c, chain in enumerate(self.chains) if chain.rate_per_s is not None]
        if not rates:
            return state
        nobody = [0.0] * len(self.stations)
        waiting = [max(0.0, q - b) for q, b in zip(_sum(state.queue), _sum(state.busy), strict=True)]
        for c, rate in rates:
            self.put(state, c, rate, self.visit(c, nobody, nobody), nobody)
        # What overflows follows from what is offered, who waits from who is served.
        for _ in range(2):
            busy, offered = _sum(state.busy), _sum(state.offered)
            for c, rate in rates:
                self.put(state, c, rate, self.visit(c, busy, offered), nobody)
        for k, station in enumerate(self.stations):
            load = sum(state.busy[c][k] for c, _ in rates)
            if station.servers is not None and load and load >= station.servers:
                raise Unsolvable(station.name, load, station.servers)
            # Open requests wait for each other as well: waiting = before + joining (waiting + first), by chain.
            joining = [(rate * state.visit[c].each[k], state.visit[c].first[k]) for c, rate in rates]
            waiting[k] = (waiting[k] + sum(j * f for j, f in joining)) / (1 - sum(j for j, _ in joining))
        for c, rate in rates:
            visit = state.visit[c]
            self.put(state, c, rate, visit, visit.residence(waiting))
        return state

    def put(self, state: _State, c: int, rate: float, visit: _Visit, residence: Row) -> None:
        state.rate[c], state.visit[c], state.residence[c] = rate, visit, residence
        state.queue[c] = [rate * r for r in residence]
        state.busy[c] = [rate * s for s in visit.service]
        state.offered[c] = [rate * d for d in self.demand[c]]

    def visit(self, c: int, busy: Row, offered: Row) -> _Visit:
        """What a request of chain c goes through that finds a number of busy servers, at a given load."""
        work, burst = list(self.demand[c]), [1.0] * len(busy)
        leaving, each, first = ([0.0] * len(busy) for _ in range(3))
        for k in self.order:
            servers, overflow, to = self.stations[k].servers, self.stations[k].overflow, self.target[k]
            if servers is None:
                continue
            if overflow is None or to is None:
                first[k] = all_busy(servers / burst[k], busy[k] / burst[k]) * burst[k]
                each[k] = work[k] / servers
                continue
            share = overflow.share if servers else 1.0
            first[k] = all_busy(servers, offered[k], share)
            leaving[k] = share * first[k]
            each[k] = (1 - share) * work[k] / max(1, servers)
            gone = work[k] * leaving[k] * overflow.factor
            if servers and gone:
                # What a request that left wants there anyway comes with it.
                part = (gone + work[to] * leaving[k]) / (gone + work[to])
                lost = offered[k] * all_busy(servers, offered[k], 1.0)
                burst[to] += share * max(0.0, offered[k] / (servers + 1 + lost - offered[k]) - lost) * part
            work[to] += gone
            work[k] -= work[k] * leaving[k]
        return _Visit(work, leaving, each, first)

    def solution(self, state: _State) -> Solution:
        names = [s.name for s in self.stations]
        flows = {}
        for c, chain in enumerate(self.chains):
            visit, residence = state.visit[c], state.residence[c]
            flows[chain.name] = Flow(
                state.rate[c],
                sum(residence),
                dict(zip(names, residence, strict=True)),
                dict(zip(names, visit.service, strict=True)),
                {names[k]: share for k, share in enumerate(visit.leaving) if self.target[k] is not None},
            )
        busy, queue = (dict(zip(names, _sum(rows), strict=True)) for rows in (state.busy, state.queue))
        return Solution(flows, busy, queue)


def _sum(rows: list[Row]) -> Row:
    return [sum(column) for column in zip(*rows, strict=True)]
