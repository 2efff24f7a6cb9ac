"""What is told of hours, and in what words: the sentence of a card says the parts by which its hours were selected."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....pipeline.words import counted
from .asked import Asked

_COMPARED = {">": operator.gt, ">=": operator.ge}
_WORDS = {">": "more than", ">=": "at least"}


@dataclass(frozen=True)
class Part:
    """A measure compared with a limit, or with another measure if that is a name. What is unknown does not hold, but of a size does: as in `finding`,
    where a value without a printed size is compared with its limit alone."""

    measure: str
    comparison: str
    limit: float | str
    unit: str
    is_size: bool = False

    def __call__(self, row: Mapping[str, Any]) -> bool:
        value, limit = row[self.measure], row[self.limit] if isinstance(self.limit, str) else self.limit
        return self.is_size if value is None or limit is None else _COMPARED[self.comparison](value, limit)

    def __str__(self) -> str:
        """
        >>> str(Part("busy_pct", ">=", 30.0, "%")), str(Part("requests_per_s", ">", 1.0, "requests/s"))
        ('at least 30%', 'more than 1 request/s')
        """
        if isinstance(self.limit, str):
            return f"{_WORDS[self.comparison]} {self.unit}"
        unit = self.unit.replace("s/s", "/s") if self.limit == 1 else self.unit
        return f"{_WORDS[self.comparison]} {self.limit:g}{'' if unit.startswith('%') else ' '}{unit}"


@dataclass(frozen=True)
class Condition:
    """All parts hold. The first is what an hour is told for; its limit is a number."""

    parts: tuple[Part, ...]

    @property
    def measure(self) -> str:
        return self.parts[0].measure

    def __call__(self, row: Mapping[str, Any]) -> bool:
        return all(part(row) for part in self.parts)

    def write(self, value: float, decimals: int) -> str:
        """A value that the first part holds for, with so many decimals that the written one does as well.

        >>> Condition((Part("contention_pct", ">", 2.0, "%"),)).write(2.04, 1)
        '2.04'
        """
        first = self.parts[0]
        while decimals < 9 and not first({first.measure: round(value, decimals)}):
            decimals += 1
        return f"{value:,.{decimals}f}"

    def count(self, hours: Sequence[Mapping[str, Any]]) -> str:
        """How many hours there are that hold it, in words.

        >>> Condition((Part("rejects", ">", 0.0, "requests"),)).count([{"rejects": 3}])
        '1 such hour of that day'
        >>> busy = Condition((Part("pct", ">=", 50.0, "%"), Part("used", ">=", 0.1, "processors", is_size=True)))
        >>> busy.count([{"pct": 60.0, "used": 0.5}, {"pct": 70.0, "used": None}])
        '2 hours of that day with at least 50% and at least 0.1 processors (not known in 1 of them)'
        """
        if len(self.parts) == 1 and (self.parts[0].comparison, self.parts[0].limit) == (">", 0):
            return f"{counted(len(hours), 'such hour')} of that day"
        unknown = sum(any(row[part.measure] is None for part in self.parts) for row in hours)
        beside = f" (not known in {unknown:,} of them)" if unknown else ""
        return f"{counted(len(hours), 'hour')} of that day with {' and '.join(map(str, self.parts))}{beside}"


def of_rule(asked: Asked, rule: str, measure: str, size: str = "") -> Condition:
    """The limit of a rule of `finding`, and the size from which on it is told, of columns of hours."""
    row = asked.rules[rule]
    parts = [Part(measure, row["comparison"], row["limit_value"], row["unit"])]
    if size and row["least_size"] is not None:
        parts.append(Part(size, ">=", row["least_size"], row["size_unit"], is_size=True))
    return Condition(tuple(parts))
