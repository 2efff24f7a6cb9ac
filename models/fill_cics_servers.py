"""Servers of shared temporary storage of a solved step: a pool is a list structure with messages, named as CICS names it.

A message is a queue of one item, which its index entry holds (up to 32 KB). It is written by one request and read and deleted by another, so
the server's requests are those that RMF counts.
"""

from __future__ import annotations

import numpy as np

from .contents.common import SystemReport
from .fill_db2 import message_queue
from .filling import StepIntervals
from .model import MessageQueue

PREFIX = "DFHXQLS_"
# List headers of a pool, those of them that the server keeps for itself, and bytes of a list element: chosen.
_LISTS, _CONTROL, _ELEMENT = 1024, 5, 256
_FIRST_JOB = 1250


def cics_servers(part: StepIntervals) -> list[SystemReport]:
    """The server of each pool on each system. It prints its statistics, and resets them, as RMF's intervals end."""
    sharing = part.solved.step.sharing
    pools = [queue for name, queue in (sharing.queues if sharing else {}).items() if name.startswith(PREFIX)]
    jobs = (f"STC{number:05d}" for number in range(_FIRST_JOB, 100_000))
    return [_server(part, queue, system, next(jobs)) for system in part.configuration.systems for queue in pools]


def _server(part: StepIntervals, queue: MessageQueue, system: str, job: str) -> SystemReport:
    structure = message_queue(part, queue)
    entries = structure.total["list_directory_entries_total"], structure.current["list_directory_entries_current"]
    total, now = (np.asarray(one, float) for one in entries)
    # The most in use is three standard deviations of a Poisson distribution above what is in use.
    most = np.minimum(total, np.ceil(now + 3 * np.sqrt(now)))
    used = {"total": total, "in_use": now, "max_used": most, "free": total - now}
    each = np.asarray(structure.total["data_elements_total"]) / total
    messages = part.count("messages", queue.name, system)
    size_kb = queue.storage_mb * 1024
    pool = {
        "size_bytes": f"{size_kb}K",
        "size_max_bytes": f"{2 * size_kb}K",
        "element_bytes": str(_ELEMENT),
        "objects_current": now,
        "objects_highest": most,
        "lists_total": _LISTS,
        "lists_data": 0,
        **dict.fromkeys(("lists_control", "lists_in_use", "lists_max_used"), _CONTROL),
        **{f"entries_{name}": value for name, value in used.items()},
        **{f"elements_{name}": each * value for name, value in used.items()},
    }
    accesses = {"index_writes": messages, "index_deletes": messages, "normal": 2 * messages}
    printed_at = part.intervals.start + np.timedelta64(part.model.interval_s, "s")
    of = {"job": job, "pool_name": queue.name.removeprefix(PREFIX), "printed_at": printed_at}
    return part.report("cics_servers", system, [pool, accesses], **of)
