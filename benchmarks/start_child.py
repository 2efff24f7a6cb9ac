"""Starts a command, waits for it, and prints as JSON what it cost: {"wall_s", "cpu_s", "peak_bytes", "exit_code"}.

A process of its own, because on Linux a child's peak begins with the resident set of the process that started it, and exec
does not reset it. This one imports next to nothing and stays at about ten megabytes.

    python -I -S start_child.py CORES OUTPUT ERROR COMMAND...

CORES are numbers with commas, or "" for all; OUTPUT and ERROR are file descriptors for the command's streams.
"""

import json
import os
import signal
import subprocess
import sys
import time

KERNEL_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


def main(cores: str, output: str, error: str, *command: str) -> None:
    """The process is started and, if this program is interrupted or ended, killed by its own id."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if cores:
        os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
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
    cost = {
        "wall_s": wall,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss * KERNEL_UNIT_BYTES,
        "exit_code": child.returncode,
    }
    print(json.dumps(cost))


if __name__ == "__main__":
    main(*sys.argv[1:])
