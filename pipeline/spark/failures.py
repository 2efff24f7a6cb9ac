"""What Spark, or Java, says when something fails, in a line instead of two hundred."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import IronlakeError

_WORDS = 300
# What failed where Python ran, where Java did not begin, and where Java ran, the best first.
_REASONS = (
    r"^\s*([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt)\b.*)",
    r'^Exception in thread "main" (.+)',
    r"^(?:\S+ \S+ )?(?:Error|ERROR)(?: occurred during initialization of VM\s+|(?: \w+)?: )(.+)",
    r"^Caused by: (.+)",
    r"^(?:\S+: line \d+: )(.+)",
    r"^(?!\s+at |WARNING: |Using |Setting |To adjust |\S+ \S+ (?:INFO|WARN) )(.+)",
)
# The names of classes of Java in front of a message.
_CLASS = re.compile(r"(?:(?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable): +)+")


def explained(text: str, what: str) -> IronlakeError:
    """What failed, with the reason that is somewhere in a text of Spark or Java."""
    reason = next(_reasons(text), "no reason is given")
    hint = "--verbose prints what Spark says; ironlake docs spark has what Spark needs. Committed files are safe"
    return IronlakeError(f"{what}: {reason}", hint=hint)


def text_of(error: Exception) -> str:
    """Empty where it would ask a Java that has ended."""
    try:
        return str(error)
    except Exception:
        return ""


def _reasons(text: str) -> Iterator[str]:
    """
    >>> next(_reasons('WARNING: Using incubator modules\\nException in thread "main" org.a.SparkException: No x.\\n\\tat org.a.b'))
    'No x'
    """
    python = text.partition("Traceback (most recent call last):")[2]
    for pattern in _REASONS[:1] if python else ():
        yield from _worded(re.findall(pattern, python, re.MULTILINE))
    for pattern in _REASONS[1:]:
        yield from _worded(re.findall(pattern, text, re.MULTILINE))


def _worded(found: list[str]) -> Iterator[str]:
    """Lines without the classes of their exceptions, but for those that then say nothing."""
    for line in found:
        said = _CLASS.sub("", line.strip().removeprefix(": ")).strip().rstrip(".")[:_WORDS]
        if said and not re.fullmatch(r"(?:[\w$]+\.)+[\w$]+|An error.*|.*ExceptionInInitializerError", said):
            yield said
