"""Starts a command, waits for it, and prints as JSON what it cost: {"wall_s", "cpu_s", "peak_bytes", "exit_code"}.

A process of its own, because on Linux a child's peak begins with the resident set of the process that started it, and exec
does not reset it. This one imports next to nothing and stays at about ten megabytes.

    python -I -S start_child.py CORES OUTPUT ERROR COMMAND...

CORES are numbers with commas, or "" for all; OUTPUT and ERROR are file descriptors for the command's streams.
"""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

# prctl of Linux: processes whose parent ends become children of this one, so that what they cost is counted as well.
_SET_CHILD_SUBREAPER = 36
_ENDING_S = 20.0
KERNEL_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


def main(cores: str, output: str, error: str, *command: str) -> None:
    """The process is started and, if this program is interrupted or ended, killed by its own id."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if cores:
        os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=int(output), stderr=int(error))
    try:
        _, status, usage = os.wait4(child.pid, 0)
    except BaseException:
        child.kill()
        child.wait()
        raise
    wall = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    usages = [usage, *left_behind()]
    cost = {
        "wall_s": wall,
        "cpu_s": sum(each.ru_utime + each.ru_stime for each in usages),
        "peak_bytes": max(each.ru_maxrss for each in usages) * KERNEL_UNIT_BYTES,
        "exit_code": child.returncode,
    }
    print(json.dumps(cost))


def left_behind() -> Iterator[resource.struct_rusage]:
    """What processes cost that the command did not wait for, such as Python under Java; those that do not end soon are left out."""
    until = time.monotonic() + _ENDING_S
    while time.monotonic() < until:
        try:
            process, _, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if process:
            yield usage
        else:
            time.sleep(0.02)


if __name__ == "__main__":
    main(*sys.argv[1:])
