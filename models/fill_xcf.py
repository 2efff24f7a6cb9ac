"""XCF Activity of a solved step: what systems signal each other, in one transport class over one structure."""

from __future__ import annotations

import numpy as np

from .contents.common import SystemReport
from .filling import Array, StepIntervals

# Signals of a system to another without any load: status and group services. A contention asks and is answered.
_IDLE_PER_S = 2.0
_CLASS, _BUFFER, _PATH = "DEFAULT", 956, {"path_type": "S", "structure": "IXCSTR1"}


def xcf_activity(part: StepIntervals, system: str) -> SystemReport:
    """The XCF Activity report of a system; without rows if it is alone."""
    usage, paths = [], []
    for name in part.configuration.systems:
        if name != system:
            out, into = _signals(part, system, name), _signals(part, name, system)
            of_class = {"peer_system": name, "transport_class": _CLASS, "requests_out": out}
            inbound = {"peer_system": name, "requests_in": into}
            outbound = of_class | {"buffer_length_bytes": _BUFFER, "fit_pct": 100}
            usage.append(("SYSTEM_ROW", outbound, inbound))
            paths.append(("PATH_ROW", of_class | _PATH | {"available": out}, inbound | _PATH))
    return part.report("rmf_xcf_activity", system, [*usage, *paths])


def _signals(part: StepIntervals, sender: str, receiver: str) -> Array:
    """Signals from one system to another: what the one asks because of its own contentions and answers to those of the other."""
    contended = 0.0
    if sharing := part.solved.step.sharing:
        peers = max(1, len(part.configuration.systems) - 1)
        contended = sharing.contention_pct / 100 / peers * (part.count("locks", sender) + part.count("locks", receiver))
    return np.floor(_IDLE_PER_S * part.length_s + contended + 0.5)
