"""Content of the workload simulator log of a run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SimulatorRun:
    """The summary at the end of a run of IBM's workload simulator; data in bytes, of which 10**6 are a MB, times in seconds.
    Rates are counts over the run time, which is printed in whole seconds."""

    run_time_s: int
    clients_total: int
    page_elements: int
    transactions: int
    pages: int
    read_bytes: int
    written_bytes: int
    response_s: float
    time_limit_s: int = 300
