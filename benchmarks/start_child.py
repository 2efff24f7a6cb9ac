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
import threading
import time
from collections.abc import Iterator

# prctl of Linux: processes whose parent ends become children of this one, so that what they cost is counted as well.
_SET_CHILD_SUBREAPER = 36
_ENDING_S = 20.0
_LOOK_S = 0.25
KERNEL_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


def main(cores: str, output: str, error: str, *command: str) -> None:
    """The process is started and, if this program is interrupted or ended, killed by its own id."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if cores:
        os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    seen = Descendants()
    threading.Thread(target=seen.watch, daemon=True).start()
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
        "cpu_s": max(sum(each.ru_utime + each.ru_stime for each in usages), seen.cpu_s),
        "peak_bytes": max(*(each.ru_maxrss * KERNEL_UNIT_BYTES for each in usages), seen.peak_bytes),
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


class Descendants:
    """What all processes below this one cost, looked at again and again: whoever is not waited for by its parent is in no account of the
    system, and Java waits for none of its Python processes."""

    def __init__(self) -> None:
        self._cpu_s: dict[tuple[int, str], float] = {}
        self.peak_bytes = 0

    @property
    def cpu_s(self) -> float:
        return sum(self._cpu_s.values())

    def watch(self) -> None:
        while os.path.isdir("/proc/self"):
            self.look()
            time.sleep(_LOOK_S)

    def look(self) -> None:
        tick = os.sysconf("SC_CLK_TCK")
        stats = dict(filter(None, map(_stat, filter(str.isdigit, os.listdir("/proc")))))
        below = {os.getpid()}
        while more := {pid for pid, fields in stats.items() if int(fields[1]) in below} - below:
            below |= more
        for pid in below - {os.getpid()}:
            fields = stats[pid]
            # Its start tells a process from an earlier one of the same number.
            self._cpu_s[pid, fields[19]] = (int(fields[11]) + int(fields[12])) / tick
            self.peak_bytes = max(self.peak_bytes, _peak_bytes(pid))


def _stat(pid: str) -> tuple[int, list[str]] | None:
    """The fields of /proc/PID/stat behind the name, the state first."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(pid), file.read().rpartition(")")[2].split()
    except OSError:
        return None


def _peak_bytes(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/status") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


if __name__ == "__main__":
    main(*sys.argv[1:])
