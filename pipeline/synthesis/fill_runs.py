"""Driver output of a solved step: simulator log, monitoring figures, JMH results."""

from __future__ import annotations

import math

from .contents.jmh import JmhResult
from .contents.monitoring import MonitoringFigures
from .contents.simulator import SimulatorRun
from .filling import StepIntervals

# Student's t of 99.9% (two-sided) with one degree less than JMH's iterations; iterations spread more than minutes.
_JMH_BENCHMARK, _JMH_ITERATIONS, _JMH_T, _JMH_SPREAD = "JdbcDriverBenchmark.message", 100, 3.3915, 8.0
# The simulator stops some seconds after its time limit. Bytes of a page and of what asks for it.
_SHUTDOWN_S, _READ_BYTES, _WRITTEN_BYTES = 4, 8300, 420


def simulator_run(mean: StepIntervals, limit_s: int) -> SimulatorRun:
    """The simulator's log: all closed loads together; `mean` is one interval, the mean of the step's."""
    places = [place for place in mean.solved.step.places if place.load.clients]
    rates = [float(mean.per_s("rate", place.workload.name, place.system)[0]) for place in places]
    responses = [float(mean.per_s("response_s", p.workload.name, p.system)[0]) for p in places]
    run_time_s = limit_s + _SHUTDOWN_S
    elements = math.floor(sum(rates) * run_time_s + 0.5)
    return SimulatorRun(
        run_time_s=run_time_s,
        clients_total=sum({p.workload.name: p.load.clients[mean.solved.number] for p in places}.values()),
        page_elements=elements,
        transactions=elements,
        pages=elements,
        read_bytes=elements * _READ_BYTES,
        written_bytes=elements * _WRITTEN_BYTES,
        response_s=sum(rate * response for rate, response in zip(rates, responses, strict=True))
        / max(sum(rates), 1e-9),
        time_limit_s=limit_s,
    )


def monitoring(part: StepIntervals) -> list[MonitoringFigures]:
    """CICS monitoring of the last interval, one transaction per workload."""
    found = []
    for place in part.solved.step.places:
        key = (place.workload.name, place.system)
        response, dispatched, served = (
            1000 * float(part.per_s(what, *key)[-1]) for what in ("response_s", "dispatched_s", "served_s")
        )
        tasks, span_s = int(part.count("rate", *key)[-1]), float(part.length_s[-1])
        suspended = max(0.0, response - dispatched)
        found.append(MonitoringFigures(place.name, tasks, response, dispatched, suspended, served, span_s))
    return found


def jmh(part: StepIntervals) -> list[JmhResult]:
    """A benchmark of each workload: its response time, over as many iterations as make JMH's usual sample."""
    found = []
    for place in part.solved.step.places:
        seen = part.per_s("response_s", place.workload.name, place.system) * 1000
        mean = float(seen[-1])
        deviation = mean * max(part.model.variation, 0.001) * _JMH_SPREAD
        error = _JMH_T * deviation / math.sqrt(_JMH_ITERATIONS)
        found.append(JmhResult(_JMH_BENCHMARK, part.configuration.parameters, _JMH_ITERATIONS, mean, error))
    return found
