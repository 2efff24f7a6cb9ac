"""Pages without a site's names: every name becomes another of the same length, the same one wherever it stands.

What is kept is known, what is replaced is not: the words of the reports themselves (their titles, labels and the texts that
the sample pages print) and numbers stay, every other word goes. So names that nobody thought of go too, columns stay where they
are, and a page reads as it did. A name that is one of the reports' own words (BATCH, TSO, DEFAULT) stays.
"""

from __future__ import annotations

import calendar
import json
import re
import secrets
import string
from collections.abc import Iterator
from functools import cache
from importlib import resources
from random import Random

from .declaration import Place, Report, Spread, describe_place, reports

_WORD = re.compile(r"(?:[^\W_]|[@#$])+")
# A word in front of an equals sign says what stands behind it, though a description may hold it too.
_KEY = re.compile(r"\b([A-Z]{3,}) ?=")
# Numbers, also hexadecimal and with a unit; releases; single letters; buffer pools and the structures that Db2 itself names.
_KEPT = re.compile(
    r"\d+[KMGTBX]?|\d+E\d+|[0-9A-F]{1,2}|\d*[^\W\d_]|V\d+R\d+(?:M\d+)?|G?BP\d+(?:K\d*)?|TOT\d+K|LOCK\d|SCA|[@#$]+",
    re.IGNORECASE,
)
_HEXADECIMAL = re.compile(r"[0-9A-F]*\d[0-9A-F]*")
# Numbers that are names: serial numbers, filled with zeros, and addresses, which a length of time (hhh.mm.ss.ttt) is not.
_SERIAL = re.compile(r"(?<![\w.])0{4}[0-9A-F]{8,}(?![\w.])")
_ADDRESS = re.compile(r"(?<![\d.])(?!\d{1,3}\.[0-5]\d\.[0-5]\d\.\d{3}(?!\d))\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_MAPPED_ADDRESS = re.compile(r"(?<=::FFFF:)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])", re.IGNORECASE)
# Columns of names that a site chooses: what the samples have there is no word of a report.
_CHOSEN = frozenset(
    [
        "activity",
        "applid",
        "authid",
        "benchmark",
        "capacity_group",
        "cf_name",
        "class_name",
        "command_authid",
        "connection",
        "corrname",
        "corrnmbr",
        "create_thread_error",
        "db2_connection_name",
        "db2_group",
        "db2_group_id",
        "db2_sysid",
        "db2entry",
        "description",
        "end_user",
        "from_device",
        "goal_derived_from",
        "installed_by",
        "jobname",
        "location",
        "mainpack",
        "member",
        "member_system",
        "message_queue_1",
        "message_queue_2",
        "message_queue_3",
        "mvs_partition",
        "object",
        "origauth",
        "parameters",
        "partition",
        "peer_cf",
        "peer_system",
        "plan",
        "plan_exit",
        "policy",
        "pool_authid",
        "pool_plan",
        "pool_plan_exit",
        "primauth",
        "report_class",
        "requesting_location",
        "resource_group",
        "scope",
        "sequence_code",
        "service_class",
        "service_definition",
        "signid",
        "statistics_queue",
        "structure",
        "structure_name",
        "subsystem",
        "sysid",
        "sysplex",
        "system",
        "tenant",
        "to_device",
        "transaction",
        "transport_class",
        "value_text",
        "workload",
        "workstation",
        "xcf_group",
    ]
)


class Anonymizer:
    """Replaces names, in all that is given to it alike. What stands for a name is drawn anew each time, so that nobody can try
    names out; with a `seed`, it is the same every time."""

    def __init__(self, seed: int | None = None):
        self._random = Random(secrets.randbits(128) if seed is None else seed)
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()

    def text(self, text: str) -> str:
        """The text with other names, every character where it was.

        >>> Anonymizer(1).text("SYSPLEX PAYPLEX  TIME 10.15.00  CPU 12.5K") == "SYSPLEX PAYPLEX  TIME 10.15.00  CPU 12.5K"
        False
        >>> Anonymizer(1).text("CPU     12.5K  SSCHRT 3")
        'CPU     12.5K  SSCHRT 3'
        """
        for digits in (_SERIAL, _MAPPED_ADDRESS, _ADDRESS):
            text = digits.sub(lambda m: self._replaced(m[0]), text)
        return _WORD.sub(self._word, text)

    def _word(self, match: re.Match[str]) -> str:
        word = match[0]
        return word if _KEPT.fullmatch(word) or word.upper() in _own_words() else self._replaced(word)

    def _replaced(self, word: str) -> str:
        """What stands for a word: letters for letters, digits for digits, capitals for capitals."""
        # Some letters have no capital of one letter.
        key = "".join(c.upper() if len(c.upper()) == 1 else c for c in word)
        other = self._names.get(key)
        for _ in range(1000):
            if other is not None:
                break
            drawn = self._drawn(key)
            if drawn != key and drawn not in self._taken and not _KEPT.fullmatch(drawn) and drawn not in _own_words():
                self._taken.add(drawn)
                other = self._names[key] = drawn
        self._names[key] = other = other or key
        return "".join(o.lower() if c.islower() else o for c, o in zip(word, other, strict=True))

    def _drawn(self, key: str) -> str:
        """Letters of hexadecimal numbers stay such: a device may stand where only they are read."""
        letters = "ABCDEF" if _HEXADECIMAL.fullmatch(key) else string.ascii_uppercase
        drawn = [
            self._random.choice(string.digits) if c.isdigit() else self._random.choice(letters) if c.isalpha() else c
            for c in key
        ]
        if _SERIAL.fullmatch(key):
            zeros = len(key) - len(key.lstrip("0"))
            drawn[:zeros] = "0" * zeros
        return "".join(drawn)


@cache
def _own_words() -> frozenset[str]:
    """The words of the reports in capitals: those of grammars and declarations, keys, and those of the sample pages without their names."""
    # Dates are printed with the names of months; what the readers know besides titles stands on some sample.
    known = {name.upper() for name in (*calendar.month_abbr, *calendar.day_abbr, *calendar.month_name) if name}
    known |= {word for report in reports().values() for text in _declared(report) for word in _words(text)}
    for grammar in resources.files("ironlake.grammars").iterdir():
        if grammar.name.endswith(".lark"):
            rules = (line for line in grammar.read_text("utf-8").splitlines() if not line.startswith("//"))
            known.update(word for rule in rules for word in _words(re.sub(r"\\.", " ", rule)))
    printed: set[str] = set()
    chosen: set[str] = set()
    said: set[str] = set()
    for report in reports():
        for file in resources.files("ironlake.sample_reports").joinpath(report).iterdir():
            if file.name.endswith(".txt"):
                text = file.read_text("utf-8")
                printed.update(_words(text))
                known.update(_KEY.findall(text))
            elif file.name.endswith(".expected.jsonl"):
                rows = map(json.loads, file.read_text("utf-8").splitlines()[1:])
                for name, value in (item for row in rows for item in row.items()):
                    if isinstance(value, str):
                        (chosen if name in _CHOSEN else said).update(_words(value))
    return frozenset(known | (printed - (chosen - said)))


def _words(text: str) -> Iterator[str]:
    return (match[0].upper() for match in _WORD.finditer(text))


def _declared(report: Report) -> Iterator[str]:
    """Titles and labels that a report declares."""
    for table in report.tables:
        for column in table.columns:
            places: tuple[Place | Spread, ...] = column.places
            yield from (describe_place(place) for place in places)
    for heading in report.headings:
        yield from (
            str(part) for part in (heading.together, heading.switch, heading.title, heading.labelled, heading.aside)
        )
