"""What Spark says when something fails, in a line instead of two hundred."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

from ..errors import IronlakeError

_AGAIN = "committed files are safe; run the same command again"
# What is said somewhere in the text, what it means, and what to do.
_KNOWN = (
    (r"PYTHON_VERSION_MISMATCH.*?(\d+\.\d+).*?(\d+\.\d+)", "executors have another version of Python than this process",
     "set PYSPARK_PYTHON to the Python of the same environment; see ironlake docs spark"),
    (r'Cannot run program "([^"]+)"', "executors have no {0}", "set PYSPARK_PYTHON to a Python that they have; see ironlake docs spark"),
    (r"All masters are unresponsive", "the Spark master does not answer", "look whether it runs, and runs the same version of Spark"),
    (r"ExecutorLostFailure[^\n]*?Reason: ([^\n]+)", "an executor ended ({0})", f"{_AGAIN}, with more memory for executors if that was short"),
    (r"Python worker exited unexpectedly", "a Python process of an executor ended unexpectedly", f"{_AGAIN}, with more memory for executors if that was short"),
    (r"SparkContext was shut down|has been shut down|SparkContext has been shutdown", "Spark was stopped", _AGAIN),
    (r"bigger than spark\.driver\.maxResultSize", "the answers of tasks are too large for this process", "ask for fewer rows or columns, or raise spark.driver.maxResultSize"),
    (r"No space left on device", "no space left on the disk of an executor", _AGAIN),
)  # fmt: skip
_WORDS = 300
_VERBOSE = "--verbose prints what Spark says"
# How Java and the scripts that start it say why they end, the best first.
_ENDS = (
    r'^Exception in thread "main" (.+)',
    r"^Error occurred during initialization of VM\s+(.+)",
    r"^(?:Error|ERROR|Fatal|fatal): (.+)",
    r"^# (There is insufficient memory.+)",
    r"^(?:\S+: line \d+: )(.+)",
    r"^Caused by: (.+)",
)
# What is said beside it: frames of Java's stack, log lines that are no errors, and hints of the virtual machine.
_BESIDE = re.compile(
    r"\s+at |\s*\.\.\. \d+ more|\S+ \S+ (INFO|WARN|DEBUG) |WARNING: |Using Spark's default|Setting default log|To adjust logging"
    r"|\S.* VM warning: |Picked up |#|(Error: )?(Could not create the Java|A fatal exception has occurred)"
)
# The name of a class of Java in front of its message.
_CLASS = re.compile(r"(?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable): +")
_SAYS_NOTHING = re.compile(r"(?:[\w$]+\.)+[\w$]+|An error has occurred\.?|.*ExceptionInInitializerError")


def explained(error: BaseException, what: str) -> IronlakeError:
    """What failed, with the reason that Spark gives."""
    text = _text_of(error)
    for pattern, meaning, hint in _KNOWN:
        if found := re.search(pattern, text, re.DOTALL if "MISMATCH" in pattern else 0):
            return IronlakeError(f"{what}: {meaning.format(*(g.rstrip('. ') for g in found.groups()))}", hint=hint)
    return IronlakeError(f"{what}: {_reason(text)}", hint=_VERBOSE)


def explained_end(code: int | None, text: str, seconds: int) -> IronlakeError:
    """Why Java ended, or went on for so many seconds, without saying how Spark is reached: `text` is what it said.

    >>> explained_end(1, 'WARNING: Using incubator modules\\nException in thread "main" org.a.SparkException: No x.\\n\\tat org.a.b', 9).what
    'Spark did not start: No x'
    """
    ended = f"Java said nothing for {seconds} s" if code is None else f"Java ended {_how(code)} before Spark was there"
    reason = next(_reasons(text), "")
    return IronlakeError(f"Spark did not start: {reason or ended}", hint=_VERBOSE)


def _how(code: int) -> str:
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


def _reasons(text: str) -> Iterator[str]:
    """What says why, the best first."""
    causes = re.findall(_ENDS[-1], text, re.MULTILINE)
    for pattern in _ENDS:
        for found in re.findall(pattern, text, re.MULTILINE):
            if not _BESIDE.match(found):
                yield from filter(None, map(_worded, [found, *causes]))
    for line in reversed(text.splitlines()):
        if not _BESIDE.match(line):
            yield from filter(None, [_worded(line)])


def _worded(line: str) -> str:
    """A line without the class of its exception; empty if it then says nothing."""
    said = line.strip()
    while found := _CLASS.match(said):
        said = said[found.end() :]
    said = said.strip().rstrip(".")[:_WORDS]
    return "" if _SAYS_NOTHING.fullmatch(said) else said


def _text_of(error: BaseException) -> str:
    java = getattr(error, "java_exception", None)
    try:
        return str(error) if java is None else f"{java.toString()}\n{error}"
    except Exception:
        return str(error)


def _reason(text: str) -> str:
    """The last line of a Python traceback in it, or else its first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if "Traceback (most recent call last):" in text:
        within = text.partition("Traceback (most recent call last):")[2].splitlines()
        ends = [line for line in within if re.match(r"[A-Za-z_][\w.]*(Error|Exception|Exit|Interrupt)\b", line)]
        lines = ends[:1] or lines
    if lines and not _worded(lines[0]):
        # Of an exception of Java without a message its causes may have one.
        lines = [*filter(None, map(_worded, re.findall(_ENDS[-1], text, re.MULTILINE))), *lines]
    return (lines[0] if lines else "no reason is given")[:_WORDS]
