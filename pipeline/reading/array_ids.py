"""Dense ids, pair ids and cumulative counts of numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def cumcount(*parts: np.ndarray) -> np.ndarray:
    """Per element: how often its combination of `parts` (integers from -1, or bool) has occurred so far, including itself."""
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
    """Map indexes into `known` (-1: none) to ids that are equal for equal texts."""
    numbers = {text: k for k, text in enumerate(dict.fromkeys(known))}
    return np.array([numbers[text] for text in known] + [-1], dtype=np.int64)[ids]


def pair_ids(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct pairs of two arrays (integers from -1): the index of the first occurrence of each pair, and the pair's number
    per element."""
    key = (one + 1) * (int(other.max(initial=0)) + 2) + other + 1
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first, which
