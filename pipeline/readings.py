"""Values worked out from whole lines: each distinct text of these lines is read once, not once a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from .declaration import Reading
from .errors import Problem, Unreadable
from .frame import Frame
from .options import Options
from .rejects import Rejects

# Keys of texts on several lines are products of how many there are, and must not overflow.
_MOST_KEYS = 1 << 62


@dataclass
class Readings:
    """The readings of a frame, each evaluated once for the rows of some kinds; what cannot be read is told once a text."""

    frame: Frame
    options: Options
    rejects: Rejects
    _told: set[tuple[Reading, tuple[str | None, ...]]] = field(default_factory=set)
    _of_rows: dict[tuple[Reading, tuple[str, ...]], tuple[np.ndarray, list[dict[str, Any]]]] = field(
        default_factory=dict
    )

    def of_rows(
        self, reading: Reading, kinds: tuple[str, ...], line: np.ndarray
    ) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """An index per row into the values of a reading, and these. `line` are the lines that the rows of `kinds` begin on."""
        if (reading, kinds) not in self._of_rows:
            self._of_rows[reading, kinds] = self._read_rows(reading, line)
        return self._of_rows[reading, kinds]

    def _read_rows(self, reading: Reading, line: np.ndarray) -> tuple[np.ndarray, list[dict[str, Any]]]:
        frame = self.frame
        found = [frame.above(line, kind) for kind in reading.lines]
        texts = [frame.text_ids((kind,)) for kind in reading.lines]
        key, size = np.zeros(len(line), dtype=np.int64), 1
        for at, (ids, words) in zip(found, texts, strict=True):
            if size * (len(words) + 1) > _MOST_KEYS:
                distinct, key = np.unique(key, return_inverse=True)
                size = len(distinct)
            key = key * (len(words) + 1) + np.where(at >= 0, ids[np.maximum(at, 0)] + 1, 0)
            size *= len(words) + 1
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        out = []
        for row in first:
            lines = [int(at[row]) for at in found]
            printed = tuple(words[ids[k]] if k >= 0 else None for k, (ids, words) in zip(lines, texts, strict=True))
            out.append(self._evaluate(reading, printed, lines))
        return which.astype(np.int64), out

    def _evaluate(self, reading: Reading, printed: tuple[str | None, ...], lines: list[int]) -> dict[str, Any]:
        """Values of a reading; what it could not read is told once a text and batch."""
        found, problems = _read_once(reading, printed, self.options)
        if problems and (reading, printed) not in self._told:
            self._told.add((reading, printed))
            for p in problems:
                at, name = np.array([max(lines[p.line], 0)]), self.frame.report.name
                self.rejects.add(self.frame, at, np.array([p.column]), [f"{name}: {p.what}"], [p.expected], [p.hint])
        return found


@lru_cache(maxsize=1 << 16)
def _read_once(
    reading: Reading, printed: tuple[str | None, ...], options: Options
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Class headers and goals come again in every interval: what they say is worked out once a process."""
    if all(p is None for p in printed):
        return {}, ()
    try:
        return reading.read(printed, options), ()
    except Unreadable as unreadable:
        return unreadable.values, tuple(unreadable.problems)
