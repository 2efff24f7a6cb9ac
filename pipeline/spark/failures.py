"""What Spark says when something fails, in a line instead of two hundred."""

from __future__ import annotations

import re

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


def explained(error: BaseException, what: str) -> IronlakeError:
    """What failed, with the reason that Spark gives."""
    text = _text_of(error)
    for pattern, meaning, hint in _KNOWN:
        if found := re.search(pattern, text, re.DOTALL if "MISMATCH" in pattern else 0):
            return IronlakeError(f"{what}: {meaning.format(*(g.rstrip('. ') for g in found.groups()))}", hint=hint)
    return IronlakeError(f"{what}: {_reason(text)}", hint="--verbose prints what Spark says")


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
    return (lines[0] if lines else "no reason is given")[:_WORDS]
