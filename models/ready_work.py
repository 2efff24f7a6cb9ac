"""How many work units there are at a pool of processors, as the samples of an interval find them.

The network gives their mean, and how many processors are busy. Around these the numbers are spread as where requests come at random: of
open loads as in M/M/c (Poisson while a processor is free, geometric behind), of closed ones as of clients that think (the machine repair
model: binomial while a processor is free; behind, the clients that think are Poisson, cut at how many there are).

Only additions, multiplications and divisions: every machine gives the same digits.
"""

from __future__ import annotations

import numpy as np

from .filling import Array
from .solver import all_busy

# A geometric tail ends where less is left, and after this many terms: far above the last bucket that RMF prints.
_LEFT, _MOST = 1e-5, 1000
# A share that no interval has enough samples for.
_NOTHING = 1e-10
# Steps of Newton's method: enough for the printed digits, from a guess that is right for a single pool.
_NEWTON = 6


def work_units(servers: int, busy: Array, there: Array, clients: int | None) -> Array:
    """The probability of each number of work units: a row per interval, a column for each number from 0 on. `there`: their mean, of these
    `busy` are served; `clients`: the most that there can be, None of open loads.

    >>> work_units(1, np.array([0.5]), np.array([1.0]), None)[0, :4].round(6).tolist()     # M/M/1 at 50%
    [0.5, 0.25, 0.125, 0.0625]
    >>> work_units(4, np.array([0.25]), np.array([0.25]), 1).tolist()                      # one client
    [[0.75, 0.25]]
    """
    if not servers:
        return np.ones((len(busy), 1))
    return _open(servers, busy, there) if clients is None else _closed(servers, busy, there, clients)


def _open(servers: int, busy: Array, there: Array) -> Array:
    """M/M/c: all are busy with the probability of Erlang's C."""
    full = np.array([all_busy(servers, one) for one in busy.tolist()])
    free = _chain(busy[:, None] / np.arange(1.0, servers))
    behind = _geometric(np.maximum(there - busy, 0.0) / np.maximum(full, 1e-12))
    return np.hstack([free * (1 - full)[:, None], behind * full[:, None]])


def _closed(servers: int, busy: Array, there: Array, clients: int) -> Array:
    """The machine repair model; what clients do elsewhere in the network is thinking here."""
    waits = np.maximum(there - busy, 0.0) if clients > servers else np.zeros(len(busy))
    odds = busy / np.maximum(clients - busy - waits, 1e-9 * clients)
    numbers = np.arange(1.0, min(servers, clients + 1))
    free = _chain(odds[:, None] * (clients + 1 - numbers) / numbers)
    if clients < servers:
        return free
    # All are busy as often as the mean of the busy ones asks for.
    served = (free * np.arange(servers)).sum(axis=1)
    full = np.clip((busy - served) / (servers - served), 0.0, 1.0)
    behind = _behind(waits / np.maximum(full, 1e-12), clients - servers, servers / np.maximum(odds, 1e-9))
    return np.hstack([free * (1 - full)[:, None], behind * full[:, None]])


def _chain(grows: Array) -> Array:
    """Probabilities of 0, 1, 2, …, each that many times the one before."""
    # From the most probable number down and up, so that no product is above 1.
    start = np.ones((len(grows), 1))
    up = np.hstack([start, np.cumprod(np.minimum(grows, 1.0), axis=1)])
    down = np.hstack([start, np.cumprod(1 / np.maximum(grows, 1.0)[:, ::-1], axis=1)])[:, ::-1]
    shares = up * down
    return shares / shares.sum(axis=1, keepdims=True)


def _behind(mean: Array, most: int, think: Array) -> Array:
    """How many of `most` clients wait, `mean` of them, if those that do not are Poisson, cut at `most`. `think`: a first guess of the mean of
    that Poisson distribution, without the cut."""
    if not most:
        return np.ones((len(mean), 1))
    mean = np.clip(mean, 1e-6, most * (1 - 1e-6))
    numbers = np.arange(most + 1.0)
    for _ in range(_NEWTON):
        shares = _chain(np.arange(most, 0.0, -1) / think[:, None])
        waits = (shares * numbers).sum(axis=1)
        spread = (shares * (numbers - waits[:, None]) ** 2).sum(axis=1)
        # Newton's method for 1 / waits, which is nearly a line.
        step = (waits * waits / mean - waits) / np.maximum(spread, 1e-12)
        think = think * np.clip(1 + step, 0.1, 1e6)
    return _chain(np.arange(most, 0.0, -1) / think[:, None])


def _geometric(mean: Array) -> Array:
    ratio = mean / (1 + mean)
    columns = [1 - ratio]
    left = ratio
    while len(columns) < _MOST and (left > _LEFT).any():
        columns.append(left * (1 - ratio))
        left = left * ratio
    return np.stack(columns, axis=1)


def of_both(one: Array, other: Array) -> Array:
    """The distribution of the sum of two numbers that do not depend on each other.

    >>> of_both(np.array([[0.5, 0.5]]), np.array([[0.5, 0.5]])).tolist()
    [[0.25, 0.5, 0.25]]
    """
    total = np.zeros((len(one), one.shape[1] + other.shape[1] - 1))
    first, second = (np.flatnonzero((shares > _NOTHING).any(axis=0)) for shares in (one, other))
    if len(first) > len(second):
        one, other, first, second = other, one, second, first
    begin, end = second[0], second[-1] + 1
    for n in first:
        total[:, n + begin : n + end] += one[:, n : n + 1] * other[:, begin:end]
    return total


def samples_above(shares: Array, samples: Array) -> Array:
    """How many samples find more than k, a column for each k from 0 on: whole, and never more than with a smaller k.

    >>> samples_above(np.array([[0.5, 0.25, 0.25]]), np.array([10.0])).tolist()
    [[5.0, 3.0, 0.0]]
    """
    return np.floor(samples[:, None] * np.maximum(1 - np.cumsum(shares, axis=1), 0.0) + 0.5)
