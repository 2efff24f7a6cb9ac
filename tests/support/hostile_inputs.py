"""What the kinds of hostile input share: the corpus, mutations of bytes, a limit of time, and a folder that must stay as it is.

A kind is a module hostile_<kind>.py with `one_input(data)`, which says what is wrong with how the program took some bytes (empty where
nothing is), and `tried(random)`, which makes inputs without end. soak.py, fuzz.py and tests/project/test_corpus.py call them.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import signal
import stat
import tempfile
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from ironlake.pipeline.errors import LEFT_WORKING, IronlakeError

CORPUS = Path(__file__).parents[1] / "corpus"
KINDS = ("sql", "studies")
# Far more than any input of the corpus takes on a busy machine.
MOST_SECONDS = 60


def kind(name: str) -> Any:
    return import_module(f"hostile_{name}")


def entries(name: str) -> dict[str, bytes]:
    """The corpus of a kind: each file is an entry; of a .jsonl file, each line."""
    found = {}
    for path in sorted((CORPUS / name).iterdir()):
        if path.suffix == ".jsonl":
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                found[f"{path.stem}-{number}"] = json.loads(line).encode("utf-8", "surrogateescape")
        else:
            found[path.name] = path.read_bytes()
    return found


def private_folder(name: str) -> Path:
    """A temporary folder until the end of the process, in memory where there is room: what is tried thousands of times needs no disk."""
    memory = "/dev/shm"
    roomy = os.path.isdir(memory) and shutil.disk_usage(memory).free > 1 << 30
    folder = Path(tempfile.mkdtemp(prefix=f"hostile-{name}-", dir=memory if roomy else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def mutated(content: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Bytes with bits flipped, stretches lost, doubled, overwritten or taken from another input."""
    out = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 4, 8))):
        at, length = random.randrange(len(out) + 1), random.choice((1, 2, 4, 16, 64))
        match random.randrange(7):
            case 0 if out:
                out[min(at, len(out) - 1)] ^= 1 << random.randrange(8)
            case 1:
                del out[at : at + length]
            case 2:
                out[at:at] = out[at : at + length] * random.choice((1, 1, 2, 50))
            case 3:
                out[at : at + 1] = bytes([random.choice((0, 1, 0x1B, 0x7F, 0x80, 0xFF, random.randrange(256)))])
            case 4:
                other = random.choice(others)
                start = random.randrange(len(other) + 1)
                out[at : at + random.choice((0, length))] = other[start : start + length]
            case 5:
                out[at : at + 4] = random.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF)).to_bytes(4, "little")
            case 6 if random.random() < 0.2:
                del out[at:]
    return bytes(out)


class TooLate(IronlakeError):
    """What `limited` raises when the time is over."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End the work within as Ctrl-C would, after a number of seconds."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TooLate("the time is over")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def left_working(wait_s: float = 0) -> bool:
    """Whether an interrupted query still works in this process, after so long: on a busy machine one ends later than it is told to."""
    until = time.monotonic() + wait_s
    working = [thread for thread in threading.enumerate() if thread.name == LEFT_WORKING]
    for thread in working:
        thread.join(max(0.0, until - time.monotonic()))
    return any(thread.is_alive() for thread in working)


def tree(folder: Path) -> dict[str, object]:
    """What is in a folder, at any depth: digests of files, targets of links. Without what a lake keeps of answers."""
    found: dict[str, object] = {}
    for at, folders, files in os.walk(folder):
        if "_kept" in folders:
            folders.remove("_kept")
        for name in (*folders, *files):
            path = Path(at, name)
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                found[str(path)] = os.readlink(path) if stat.S_ISLNK(mode) else stat.S_IFMT(mode)
    return found


def outcome(work: Callable[[], str]) -> tuple[str, str]:
    """What some work gave or the words of its error, and what is wrong with it."""
    began = time.monotonic()
    try:
        said = work()
    except IronlakeError as error:
        said = str(error)
    except Exception as error:
        return "", f"{type(error).__name__}: {str(error)[:300]}"
    took = time.monotonic() - began
    return said, f"took {took:.1f} s" if took > MOST_SECONDS else ""


def steers_a_terminal(text: str) -> bool:
    """Whether a text has a control character, or one that hides, turns or breaks other text."""
    unsafe = (c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp"))
    return any(c not in "\n\u00ad\u200c\u200d" for c in unsafe)
