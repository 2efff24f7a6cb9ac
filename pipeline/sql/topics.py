"""Tables and views by topic, as a list of them is read: what has rows first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from .view_files import views

_OF_FOLDER = {
    "finding": "Findings",
    "report": "Views of reports",
    "study": "Studies and comparisons",
    "staging": "What counts once",
}
_OF_TABLE = {"rmf": "RMF", "cics": "CICS", "db2": "Db2", "study": _OF_FOLDER["study"]}
_OTHER_TABLES = "Other reports, and what was read"
_IN_ORDER = ("RMF", "CICS", "Db2", _OTHER_TABLES, *_OF_FOLDER.values())
_T = TypeVar("_T")


def topic(name: str) -> str:
    """The heading that a table or view stands under."""
    if name in views():
        return _OF_FOLDER.get(views()[name].folder, "Other views")
    return _OF_TABLE.get(name.partition("_")[0], _OTHER_TABLES)


def by_topic(named: Iterable[tuple[str, int | None, _T]]) -> list[tuple[str, list[_T]]]:
    """Topics with what stands under them, given with its name and number of rows (None for one that is not counted).

    Tables that have rows come before those without, and so do topics."""
    found: dict[str, list[tuple[bool, str, _T]]] = {}
    for name, rows, what in named:
        found.setdefault(topic(name), []).append((rows == 0, name, what))
    for of in found.values():
        of.sort(key=lambda each: each[:2])

    def place(title: str) -> tuple[bool, int]:
        return all(is_empty for is_empty, *_ in found[title]), [*_IN_ORDER, title].index(title)

    return [(title, [what for *_, what in found[title]]) for title in sorted(found, key=place)]


def has_words(words: str, text: str) -> bool:
    """Whether a text has every one of some words, or the begin of a longer one, in any case."""
    return all(word in text.lower() for word in words.lower().split())
