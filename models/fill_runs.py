"""Driver output of a solved step: simulator log, monitoring figures, JMH results."""

from __future__ import annotations

import math

from .contents.common import Row
from .filling import StepIntervals

# Student's t of 99.9% (two-sided) with one degree less than JMH's iterations; iterations spread more than minutes.
_JMH_BENCHMARK, _JMH_ITERATIONS, _JMH_T, _JMH_SPREAD = "JdbcDriverBenchmark.message", 100, 3.3915, 8.0
# The simulator stops some seconds after its time limit. Bytes of a page and of what asks for it.
_SHUTDOWN_S, _READ_BYTES, _WRITTEN_BYTES = 4, 8300, 420


def simulator_run(mean: StepIntervals, limit_s: int) -> Row:
    """The summary at the end of a run of IBM's workload simulator: all closed loads together, an element a page and transaction; `mean` is
    one interval, the mean of the step's."""
    places = [place for place in mean.solved.step.places if place.load.clients]
    rates = [float(mean.per_s("rate", place.workload.name, place.system)[0]) for place in places]
    responses = [float(mean.per_s("response_s", p.workload.name, p.system)[0]) for p in places]
    run_time_s = limit_s + _SHUTDOWN_S
    elements = math.floor(sum(rates) * run_time_s + 0.5)
    waited = sum(rate * response for rate, response in zip(rates, responses, strict=True))
    return {
        "run_time_s": run_time_s,
        "clients_total": sum({p.workload.name: p.load.clients[mean.solved.number] for p in places}.values()),
        "page_elements": elements,
        "http_read_bytes": elements * _READ_BYTES,
        "http_written_bytes": elements * _WRITTEN_BYTES,
        "page_element_response_s": waited / max(sum(rates), 1e-9),
    }


def monitoring(part: StepIntervals) -> list[Row]:
    """CICS monitoring of the last interval, one transaction per workload: means a task in milliseconds. `span_s`: the time that they are of."""
    found = []
    for place in part.solved.step.places:
        key = (place.workload.name, place.system)
        response, dispatched, served = (
            1000 * float(part.per_s(what, *key)[-1]) for what in ("response_s", "dispatched_s", "served_s")
        )
        times = {"response_ms": response, "dispatch_ms": dispatched, "cpu_ms": served}
        of = {"tasks": int(part.count("rate", *key)[-1]), "span_s": float(part.length_s[-1])}
        found.append({"transaction": place.name, "suspend_ms": max(0.0, response - dispatched)} | of | times)
    return found


def jmh(part: StepIntervals) -> list[Row]:
    """A benchmark of each workload: its response time in milliseconds, over as many iterations as make JMH's usual sample, and the half-width
    of its 99.9% interval."""
    found = []
    for place in part.solved.step.places:
        mean = 1000 * float(part.per_s("response_s", place.workload.name, place.system)[-1])
        error = _JMH_T * (mean * max(part.model.variation, 0.001) * _JMH_SPREAD) / math.sqrt(_JMH_ITERATIONS)
        run = {"benchmark": _JMH_BENCHMARK, "parameters": part.configuration.parameters, "count": _JMH_ITERATIONS}
        found.append(run | {"score": mean, "error": error})
    return found
