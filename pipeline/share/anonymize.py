"""Anonymise pages: every name is replaced by a random one of the same length, the same everywhere.

Only known words are kept: those of the reports (titles, labels and the texts of the sample pages), releases and numbers.
Every other word is replaced, so unforeseen names are replaced too, and columns do not move. A name that is also a word of a
report (BATCH, SYSTEM, DEFAULT) is replaced where a name is read (name_places.py), and stays elsewhere.

Pages of unknown reports keep their titles and the usual words of headings and labels, except words that are names on a known
page.
"""

from __future__ import annotations

import calendar
import json
import re
import secrets
import string
from collections.abc import Collection, Iterator
from functools import cache
from random import Random

import numpy as np

from ...parsers._unread_reports import KEPT_VALUES, ONLY_TITLES, STATES, WORDS
from ..declaration.places import Place, Spread, describe_place
from ..declaration.report import Report, reports
from ..files.segment import Segment
from ..plugins import PACKAGE, own
from ..reading.engine import claim_pages_without_banner
from ..reading.pages import TITLE_REACH, UNKNOWN, find_lines, titles_of
from .name_places import WORD, NamePlaces

# A word before an equals sign is a key, although it may also occur in a description.
_KEY = re.compile(r"\b([A-Z]{3,}) ?=")
# Numbers, also hexadecimal and with a unit; releases; single letters; buffer pools and the structures that Db2 itself names; numbers of jobs.
_KEPT = re.compile(
    r"\d+[KMGTBX]?|\d+E\d+|[0-9A-F]{1,2}|\d*[^\W\d_]|V\d+R\d+(?:M\d+)?|G?BP\d+(?:K\d*)?|TOT\d+K|LOCK\d|SCA|(?:STC|JOB|TSU)\d{5}|[@#$]+",
    re.IGNORECASE,
)
# Structures of a group that Db2 names; one that has such a name alone is named by the site.
_OF_A_GROUP = re.compile(r"G?BP\d+(?:K\d*)?|LOCK\d|SCA", re.IGNORECASE)
_STRUCTURES = frozenset(["structure", "structure_name"])
# Columns of which most values are words of a program, and not of a site.
_OF_PROGRAMS = frozenset(["activity", "benchmark", "object", "parameters", "value_text"])
_HEXADECIMAL = re.compile(r"[0-9A-F]*\d[0-9A-F]*")
# A line with a number may be a row, whose words are names; headings have no numbers.
_NUMBER = re.compile(r"(?<![\w@#$])\d[\d.,:/-]*(?![\w@#$])")
# Numbers that are names: serial numbers padded with zeros, and addresses (but not times as hhh.mm.ss.ttt).
_SERIAL = re.compile(r"(?<![\w.])0{4}[0-9A-F]{8,}(?![\w.])")
_ADDRESS = re.compile(r"(?<![\d.])(?!\d{1,3}\.[0-5]\d\.[0-5]\d\.\d{3}(?!\d))\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_MAPPED_ADDRESS = re.compile(r"(?<=::FFFF:)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])", re.IGNORECASE)
# The first line of a job log prints names letter by letter.
_SPELT = re.compile(r"((?:S Y S T E M|N O D E) +)(\S(?: \S)*)")
# Columns of names chosen by a site: their values in the samples are not words of a report.
CHOSEN = frozenset(
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
        "other_key",
        "parameters",
        "partition",
        "peer_cf",
        "peer_system",
        "plan",
        "plan_exit",
        "policy",
        "policy_description",
        "pool",
        "pool_authid",
        "pool_plan",
        "pool_plan_exit",
        "primauth",
        "program",
        "remote_name",
        "remote_sysid",
        "report_class",
        "requesting_location",
        "resource_group",
        "scope",
        "sequence_code",
        "serial",
        "service_class",
        "service_definition",
        "service_definition_description",
        "signid",
        "statistics_queue",
        "storage_group",
        "structure",
        "structure_name",
        "subsystem",
        "sysid",
        "sysplex",
        "system",
        "table_name",
        "tenant",
        "terminal",
        "to_device",
        "transaction",
        "transaction_class",
        "transport_class",
        "userid",
        "value_text",
        "volume",
        "workload",
        "workstation",
        "xcf_group",
    ]
)


class Anonymizer:
    """Replaces names consistently in all texts given to it. Replacements are random, so names cannot be recovered by trying;
    with a `seed`, they are reproducible."""

    def __init__(self, seed: int | None = None):
        self._random = Random(secrets.randbits(128) if seed is None else seed)
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._printed: set[str] = set()
        self._of_read_pages: set[str] = set()
        self._places = NamePlaces(CHOSEN, _is_word, self._replaced)

    def avoid(self, text: str) -> None:
        """Do not use words of this text as replacements, if possible: they may be names themselves."""
        self._printed.update(word.upper() for word in WORD.findall(text))

    def pages(self, text: str, control: bytes = b"") -> str:
        """Whole pages, anonymised; `control`: their carriage control, one character per line, or empty."""
        self.avoid(text)
        lines = text.split("\n")
        known = _known_words(text, control, len(lines))
        names = self._places.find(text, control)
        # Find the names on known pages first: they are names on the others too.
        for unread in (False, True):
            for k, words in enumerate(known):
                if (words is not None) == unread:
                    lines[k] = self.text(lines[k], words, names.get(k, ()))
        return "\n".join(lines)

    def text(self, text: str, known: frozenset[str] | None = None, names: Collection[int] = ()) -> str:
        """The text, anonymised, with every column unchanged. On pages of unknown reports, words `known` (in capitals) also stay.
        `names`: where words of a report begin that are names here.

        >>> Anonymizer(1).text("SYSPLEX PAYPLEX  TIME 10.15.00  CPU 12.5K") == "SYSPLEX PAYPLEX  TIME 10.15.00  CPU 12.5K"
        False
        >>> Anonymizer(1).text("CPU     12.5K  SSCHRT 3")
        'CPU     12.5K  SSCHRT 3'
        """
        for digits in (_SERIAL, _MAPPED_ADDRESS, _ADDRESS):
            text = digits.sub(lambda m: self._replaced(m[0]), text)
        text = _SPELT.sub(lambda m: m[1] + " ".join(self._other_name(m[2].replace(" ", ""))), text)
        told = [match.span(1) for place in KEPT_VALUES for match in place.finditer(text)]

        def other(match: re.Match[str]) -> str:
            word = match[0]
            if match.start() in names and not (_OF_A_GROUP.fullmatch(word) and text[: match.start()].endswith("_")):
                return self._replaced(word)
            if _KEPT.fullmatch(word) or word in STATES or word.upper() in _own_words():
                return word
            if any(begin <= match.start() and match.end() <= end for begin, end in told):
                return word
            if known is None:
                self._of_read_pages.add(word.upper())
            elif word.upper() in known and word.upper() not in self._of_read_pages:
                return word
            return self._replaced(word)

        return WORD.sub(other, text)

    def _other_name(self, word: str) -> str:
        return word if word.upper() in _own_words() else self._replaced(word)

    def _replaced(self, word: str) -> str:
        """The replacement of a word: letters for letters, digits for digits, capitals for capitals."""
        # The capital of some letters has several letters.
        key = "".join(c.upper() if len(c.upper()) == 1 else c for c in word)
        other = self._names.get(key)
        for attempt in range(1000):
            if other is not None:
                break
            drawn = self._drawn(key)
            if drawn in self._printed and attempt < 500:
                continue
            if drawn != key and drawn not in self._taken and not _KEPT.fullmatch(drawn) and drawn not in _own_words():
                self._taken.add(drawn)
                other = self._names[key] = drawn
        self._names[key] = other = other or key
        return "".join(o.lower() if c.islower() else o for c, o in zip(word, other, strict=True))

    def _drawn(self, key: str) -> str:
        """Hexadecimal numbers stay hexadecimal: a device number is read only as such."""
        letters = "ABCDEF" if _HEXADECIMAL.fullmatch(key) else string.ascii_uppercase
        drawn = [
            self._random.choice(string.digits) if c.isdigit() else self._random.choice(letters) if c.isalpha() else c
            for c in key
        ]
        if _SERIAL.fullmatch(key):
            zeros = len(key) - len(key.lstrip("0"))
            drawn[:zeros] = "0" * zeros
        return "".join(drawn)


def _known_words(text: str, control: bytes, lines: int) -> list[frozenset[str] | None]:
    """Per line, the words to keep on pages of unknown reports: those of the title on the first lines, and the usual words of
    such reports on lines without a number. None for all other lines (known pages, pages without a title)."""
    out: list[frozenset[str] | None] = [None] * lines
    found = find_lines([Segment("", "", text.encode(), control)])
    claim_pages_without_banner(found, dict(enumerate(reports().values())))
    starts = found.page_starts
    ends = np.append(starts[1:], len(found.text))
    if not len(starts):
        return out
    for title, start, end in zip(titles_of(found.text, starts, ends), starts, ends, strict=True):
        if found.report[start] == UNKNOWN and title is not None:
            of_title = frozenset(_words(title))
            for down, at in enumerate(range(start, end)):
                words = frozenset() if _NUMBER.search(found.text[at]) else WORDS
                out[found.number[at] - 1] = words | of_title if down < TITLE_REACH else words
    return out


def _is_word(word: str, value: str, column: str) -> bool:
    """Whether a word of a name is also one of a report."""
    if column in _OF_PROGRAMS:
        return False
    if _OF_A_GROUP.fullmatch(word):
        return column in _STRUCTURES and word == value.upper()
    return word in _own_words() and not _KEPT.fullmatch(word)


@cache
def _own_words() -> frozenset[str]:
    """The words of the reports, in capitals: from grammars, declarations, keys and the sample pages (without their names)."""
    # Dates may be printed with the names of months; all other words are on a sample page.
    known = {name.upper() for name in (*calendar.month_abbr, *calendar.day_abbr, *calendar.month_name) if name}
    known |= {word for report in reports().values() for text in _declared(report) for word in _words(text)}
    for grammar in (path for folder in (PACKAGE / "grammars", *own("grammars")) for path in folder.glob("*.lark")):
        rules = (line for line in grammar.read_text("utf-8").splitlines() if not line.startswith("//"))
        known.update(word for rule in rules for word in _words(re.sub(r"\\.", " ", rule)))
    printed: set[str] = set()
    chosen: set[str] = set()
    said: set[str] = set()
    for folder in (PACKAGE / "sample_reports", *own("sample_reports")):
        for file in (path for report in reports() for path in folder.glob(f"{report}/*.*")):
            if file.name.endswith(".txt"):
                text = file.read_text("utf-8")
                printed.update(_words(text))
                known.update(_KEY.findall(text))
            elif file.name.endswith(".expected.jsonl"):
                rows = map(json.loads, file.read_text("utf-8").splitlines()[1:])
                for name, value in (item for row in rows for item in row.items()):
                    if isinstance(value, str):
                        (chosen if name in CHOSEN else said).update(_words(value))
    return frozenset((known | (printed - (chosen - said))) - ONLY_TITLES)


def _words(text: str) -> Iterator[str]:
    return (match[0].upper() for match in WORD.finditer(text))


def _declared(report: Report) -> Iterator[str]:
    """Titles and labels that a report declares."""
    for table in report.tables:
        for column in table.columns:
            places: tuple[Place | Spread, ...] = column.places
            yield from (describe_place(place) for place in places)
    for heading in report.layouts:
        yield from heading.words
