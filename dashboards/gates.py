"""Limits of a comparison for pipelines, such as `cp_ms_per_transaction > +5%`, and the rows that break them."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ..pipeline.errors import IronlakeError, UsageError
from .numbers import LEAST_BASE_PCT, change_pct, four_digits
from .study_rows import COSTS, StudyMeasures

_COMPARED = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
OF_CONFIGURATIONS = (*COSTS, "ziip_ms_per_request", "ziip_on_cp_ms_per_request", "response_ms")
OF_CLASSES = (
    "cp_pct", "cpu_pct", "ziip_pct", "ziip_on_cp_pct", "cp_ms_per_transaction", "cpu_ms_per_transaction", "transactions_per_s", "response_ms",
)  # fmt: skip
_GATE = re.compile(r"\s*(\w+)\s*(?:\[([^\]]+)\])?\s*(>=|<=|>|<)\s*([+-]?[0-9]+(?:\.[0-9]+)?)\s*(%?)\s*")
_EXAMPLE = "for example 'cp_ms_per_transaction > +5%', 'cp_pct[CICSHI] > 250', 'transactions_per_s < -10%'"


@dataclass(frozen=True)
class Gate:
    """A condition that must not hold for any configuration other than the baseline: `measure`, of the class `name` if
    one is given, compared with `limit`. `is_change`: the change from the baseline in percent is compared, else the
    value."""

    text: str
    measure: str
    name: str | None
    sign: str
    limit: float
    is_change: bool


@dataclass(frozen=True)
class Break:
    """Where a gate is broken; `name` is the judged work: a class, or the classes asked for, or empty for all work."""

    gate: Gate
    study: str
    against: str
    configuration: str
    name: str
    baseline: float
    value: float

    def __str__(self) -> str:
        change = change_pct(self.baseline, self.value, LEAST_BASE_PCT if self.gate.measure.endswith("_pct") else 0.0)
        values = f"{four_digits(self.baseline)} → {four_digits(self.value)}{f' ({change})' if change else ''}"
        return f"{self.gate.text}: {self.name or 'all work'}, {self.configuration}: {values}"


def parse_gate(text: str) -> Gate:
    """The gate of a text. Raises UsageError for a text that cannot be read and for an unknown measure.

    >>> gate = parse_gate("cp_ms_per_transaction[CICSHI] > +5%")
    >>> (gate.measure, gate.name, gate.sign, gate.limit, gate.is_change)
    ('cp_ms_per_transaction', 'CICSHI', '>', 5.0, True)
    """
    found = _GATE.fullmatch(text)
    if not found:
        raise UsageError(f"--fail-if {text!r} cannot be read", "MEASURE[CLASS] > NUMBER, or > +PERCENT%", _EXAMPLE)
    measure, name, sign, limit, percent = found.groups()
    known = (*OF_CLASSES, *OF_CONFIGURATIONS)
    if measure not in known:
        raise UsageError(f"--fail-if {text!r}: unknown measure {measure}", f"one of {', '.join(dict.fromkeys(known))}")
    return Gate(text.strip(), measure, name.strip() if name else None, sign, float(limit), bool(percent))


def broken(gate: Gate, studies: Sequence[StudyMeasures]) -> list[Break]:
    """Where a gate is broken. Raises IronlakeError if its measure is not known anywhere: then nobody can say that it
    holds."""
    pairs = [pair for study in studies for pair in _pairs(gate, study)]
    if not pairs:
        of = f" of {gate.name}" if gate.name else ""
        what = f"--fail-if {gate.text}: {gate.measure}{of} is not known in the baseline and another configuration"
        raise IronlakeError(what, "a measure and a class that both print", "the page names what both have")
    return [found for found in pairs if _is_broken(gate, found)]


def with_breaks(table: pa.Table, found: Sequence[Break]) -> pa.Table:
    """The table of a comparison with a column `fails`: the gates that each row breaks."""
    of = [
        "; ".join(
            str(b) for b in found if (b.study, f"{b.against} → {b.configuration}") == (row["study"], row["compared"])
        )
        for row in table.to_pylist()
    ]
    return table.append_column("fails", pa.array(of, pa.string()))


def _is_broken(gate: Gate, found: Break) -> bool:
    compared = _COMPARED[gate.sign]
    if not gate.is_change:
        return compared(round(found.value, 9), gate.limit)
    if found.baseline:
        # Rounded: from 60 to 66 is +10%, not a little more.
        return compared(round((found.value / found.baseline - 1) * 100, 9), gate.limit)
    # A rise from 0 is above any percentage.
    return found.value != 0 and gate.sign.startswith(">")


def _pairs(gate: Gate, study: StudyMeasures) -> Iterator[Break]:
    """The measure in the baseline and in each other configuration, where both know it."""
    base, others = study.baseline, study.configurations[1:]
    if gate.name is None and gate.measure in OF_CONFIGURATIONS:
        for c in others:
            old, new = base.cost.get(gate.measure), c.cost.get(gate.measure)
            if old is not None and new is not None:
                yield Break(gate, study.name, base.name, c.name, "", old, new)
    if gate.measure not in OF_CLASSES or study.class_kind is None:
        return
    for c in others:
        rows = [r for r in study.classes if r["class_kind"] == study.class_kind]
        before = {r["class_name"]: r for r in rows if r["configuration"] == base.name}
        # Percentages of a machine are limited in total; measures per transaction, by class.
        of_all = gate.name is None and gate.measure.endswith("_pct")
        for row in rows:
            old = before.get(row["class_name"])
            is_asked = row["is_total"] if of_all else not row["is_total"] and gate.name in (None, row["class_name"])
            if row["configuration"] != c.name or not is_asked or old is None:
                continue
            if old[gate.measure] is not None and row[gate.measure] is not None:
                judged = ", ".join(study.only) if of_all else row["class_name"] or "(no name)"
                yield Break(gate, study.name, base.name, c.name, judged, old[gate.measure], row[gate.measure])
