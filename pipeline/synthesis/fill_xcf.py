"""XCF Activity of a solved step: what systems signal each other."""

from __future__ import annotations

import numpy as np

from .contents.xcf import ClassOut, PathIn, PathOut, SystemIn, XcfActivity
from .filling import Array, StepIntervals

# Signals of a system to another without any load: status and group services. A contention asks and is answered.
_IDLE_PER_S = 2.0
_CLASS, _BUFFER, _PATH = "DEFAULT", 956, "IXCSTR1"


def xcf_activity(part: StepIntervals, system: str) -> XcfActivity:
    """The XCF Activity report of a system: one transport class over one structure."""
    others = [name for name in part.configuration.systems if name != system]
    out = {name: _signals(part, system, name) for name in others}
    into = {name: _signals(part, name, system) for name in others}
    return XcfActivity(
        system,
        part.release,
        part.intervals,
        outbound=tuple(ClassOut(name, _CLASS, _BUFFER, signals) for name, signals in out.items()),
        inbound=tuple(SystemIn(name, signals) for name, signals in into.items()),
        paths_out=tuple(PathOut(name, "S", _PATH, _CLASS, signals) for name, signals in out.items()),
        paths_in=tuple(PathIn(name, "S", _PATH, signals) for name, signals in into.items()),
    )


def _signals(part: StepIntervals, sender: str, receiver: str) -> Array:
    """Signals from one system to another: what the one asks because of its own contentions and answers to those of the other."""
    contended = 0.0
    if sharing := part.solved.step.sharing:
        peers = max(1, len(part.configuration.systems) - 1)
        contended = sharing.contention_pct / 100 / peers * (part.count("locks", sender) + part.count("locks", receiver))
    return np.floor(_IDLE_PER_S * part.length_s + contended + 0.5)
