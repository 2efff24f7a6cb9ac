"""How many work units there are at a pool of processors, as the samples of an interval find them.

The network gives their mean, and how many processors are busy. Around these the numbers are spread as in a pool where requests come at random:
- All processors are busy with the probability of Erlang's C. Then so many wait as the mean asks for: of open loads geometrically (as in
  M/M/c), of closed ones each client on its own, so there are never more than clients.
- Otherwise each request is there on its own: of open loads Poisson, of closed ones binomial.

Only additions, multiplications and divisions: every machine gives the same digits.
"""

from __future__ import annotations

import numpy as np

from .filling import Array
from .solver import all_busy

# A geometric tail ends where less is left, and after so many: far above the last bucket that RMF prints.
_LEFT, _MOST = 1e-5, 1000
# A share that no interval has enough samples for.
_NOTHING = 1e-10


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
    if clients is not None and clients <= servers:
        return _independent(clients + 1, busy, clients)
    full = np.array([all_busy(servers, one) for one in busy.tolist()])
    free = _independent(servers, busy, clients)
    waiting = np.maximum(there - busy, 0.0) / np.maximum(full, 1e-12)
    behind = _geometric(waiting) if clients is None else _independent(clients - servers + 1, waiting, clients - servers)
    return np.hstack([free * (1 - full)[:, None], behind * full[:, None]])


def _independent(size: int, mean: Array, clients: int | None) -> Array:
    """The first `size` probabilities of a binomial distribution (Poisson without `clients`), as shares of their sum."""
    numbers = np.arange(1.0, size)
    if clients is None:
        grows = mean[:, None] / numbers
    else:
        part = np.minimum(mean / clients, 1 - 1e-9)
        grows = (clients * part / (1 - part))[:, None] * (1 - (numbers - 1) / clients) / numbers
    # From the most probable number down and up, so that no product is above 1.
    start = np.ones((len(mean), 1))
    up = np.hstack([start, np.cumprod(np.minimum(grows, 1.0), axis=1)])
    down = np.hstack([start, np.cumprod(1 / np.maximum(grows, 1.0)[:, ::-1], axis=1)])[:, ::-1]
    shares = up * down
    return shares / shares.sum(axis=1, keepdims=True)


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
