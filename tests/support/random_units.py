"""Random units of measurement end to end."""

import numpy as np


def many(random: np.random.Generator, times: int, units: int, memory: float) -> np.ndarray:
    """Stationary series whose neighbours resemble each other by `memory`, a row each."""
    out = random.normal(size=(times, units))
    for n in range(1, units):
        out[:, n] = memory * out[:, n - 1] + (1 - memory**2) ** 0.5 * out[:, n]
    return out


def on_end(*lengths: int) -> list[bool]:
    return [n > 0 for length in lengths for n in range(length)]
