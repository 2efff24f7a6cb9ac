"""Numbers for places that are alike, and how often they have come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def cumcount(*parts: np.ndarray) -> np.ndarray:
    """Per place how often its combination of `parts` (whole numbers from -1 on, or bool) has come so far, itself included."""
    key = np.zeros(len(parts[0]), dtype=np.int64)
    for part in parts:
        key = pair_ids(key, part.astype(np.int64))[1]
    order = np.argsort(key, kind="stable")
    begins = np.diff(key[order], prepend=-1) != 0
    at = np.arange(len(order))
    out = np.empty(len(order), dtype=np.int64)
    out[order] = at - np.maximum.accumulate(np.where(begins, at, 0)) + 1
    return out


def dense_ids(ids: np.ndarray, known: Sequence[str]) -> np.ndarray:
    """Indexes into texts (-1: none), made equal where the texts are."""
    numbers = {text: k for k, text in enumerate(dict.fromkeys(known))}
    return np.array([numbers[text] for text in known] + [-1], dtype=np.int64)[ids]


def pair_ids(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each distinct pair of numbers from -1 on the index of its first place, and per place the number of its pair."""
    key = (one + 1) * (int(other.max(initial=0)) + 2) + other + 1
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first, which
