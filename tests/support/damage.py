"""Kinds of damage that happen to printed pages: each a function of a page's lines and a random generator."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from random import Random
from typing import TypeVar

# Lines of the second page of a pair are numbered from here on.
SECOND = 100_000
Lines = list[tuple[int, str]]
T = TypeVar("T")


@dataclass
class Damaged:
    """A damaged page. lines: (number on the whole page, text), SECOND added on the second page of a pair; printed: (before, after) of what
    was changed and still reads as a value, so that nobody could tell."""

    lines: Lines
    what: str
    printed: list[tuple[str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for _, line in self.lines)


@dataclass(frozen=True)
class Page:
    """A page to damage, and another one to mix with."""

    lines: list[str]
    other: list[str]

    def numbered(self) -> Lines:
        return list(enumerate(self.lines, 1))

    def numbered_other(self) -> Lines:
        return [(SECOND + k, line) for k, line in enumerate(self.other, 1)]

    def with_line(self, at: int, text: str, what: str, *printed: tuple[str, str]) -> Damaged:
        """The page with another text on the line with this index."""
        lines = self.numbered()
        lines[at] = (at + 1, text.rstrip())
        return Damaged(lines, f"line {at + 1}: {what}", list(printed))

    def line(self, number: int) -> str:
        """The line with a number of `Damaged.lines`."""
        return self.other[number - SECOND - 1] if number > SECOND else self.lines[number - 1]


Kind = Callable[[Page, Random], Damaged | None]
KINDS: dict[str, Kind] = {}


class NotThere(Exception):
    """A page has nothing that could be damaged so."""


def kind(function: Kind) -> Kind:
    """None for a page that has nothing to damage."""

    @wraps(function)
    def tried(page: Page, random: Random) -> Damaged | None:
        try:
            return function(page, random)
        except NotThere:
            return None

    KINDS[function.__name__] = tried
    return tried


def _one(random: Random, items: Sequence[T]) -> T:
    if not items:
        raise NotThere
    return random.choice(items)


# --- Parts of a page ---------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"(?<![^\s=:(])[-+]?(?:\d[\d,]*(?:[.:]\d+)*\.?|(?:\.\d+)+)[KMG]?%?(?![^\s)])")
_WORD = re.compile(r"(?<!\S)[A-Z/#%&][A-Za-z0-9/#%&.+()-]+(?!\S)")
_NAMED = re.compile(
    r"\b([A-Z][A-Z0-9 /]*?[A-Z0-9])( *[=:] *)([A-Z][\w.#@$]+)|\b(SYSPLEX|SYSTEM ID|APPLID)( +)([A-Z][\w.#@$]+)"
)
# So many lines at the top of a page name it and its interval.
_TOP = 8


def _lines_with(page: Page, wanted: Callable[[str], object]) -> list[int]:
    return [k for k, line in enumerate(page.lines) if line.strip() and wanted(line)]


def _numbers(line: str) -> list[re.Match[str]]:
    return list(_NUMBER.finditer(line))


def _headings(page: Page) -> list[int]:
    """Lines of titles alone, with numbers on one of the next three lines."""
    found = _lines_with(page, lambda line: len(_WORD.findall(line)) > 1 and not _numbers(line))
    return [k for k in found if any(len(_numbers(line)) > 1 for line in page.lines[k + 1 : k + 4])]


def _pick_number(
    page: Page, random: Random, wanted: Callable[[re.Match[str]], object] = lambda _: True, first: int = _TOP
) -> tuple[int, re.Match[str]]:
    """A number below the top of a page (of all lines where a page is short), with the index of its line."""
    first = first if len(page.lines) > 2 * first else 0
    rows = [k for k in range(first, len(page.lines)) if any(map(wanted, _numbers(page.lines[k])))]
    row = _one(random, rows)
    return row, random.choice([m for m in _numbers(page.lines[row]) if wanted(m)])


def _replaced(line: str, start: int, end: int, text: str) -> str:
    return line[:start] + text + line[end:]


def _in_place(line: str, match: re.Match[str], new: str) -> str:
    """The line with a shorter or longer number that ends where the old one did; blanks before it give way."""
    begin = match.end() - len(new)
    if begin < match.start() and line[max(begin - 1, 0) : match.start()].strip():
        return _replaced(line, match.start(), match.end(), new)
    return line[: min(begin, match.start())] + " " * (begin - match.start()) + new + line[match.end() :]


def _gaps(line: str) -> list[re.Match[str]]:
    return list(re.finditer(r"(?<=\S) +(?=\S)", line))


def _changed_number(
    page: Page, random: Random, change: Callable[[str], str | None], what: str, *, readable: bool, first: int = _TOP
) -> Damaged:
    row, match = _pick_number(page, random, lambda m: change(m[0]) not in (None, m[0]), first)
    new = str(change(match[0]))
    printed = [(match[0], new)] if readable else []
    return page.with_line(row, _in_place(page.lines[row], match, new), f"{what}, {match[0]!r} → {new!r}", *printed)


# --- Lines lost, doubled, out of order ---------------------------------------------------------------------------------


@kind
def second_page_without_its_top(page: Page, random: Random) -> Damaged | None:
    """Two pages in one file, the second without its first lines."""
    lost = random.randint(1, 5)
    if len(page.other) <= lost + 3:
        return None
    first = next((k for k, line in enumerate(page.other) if line.strip()), 0)
    return Damaged(
        page.numbered() + page.numbered_other()[first + lost :], f"second page without its first {lost} lines"
    )


@kind
def second_page_without_a_line_of_its_top(page: Page, random: Random) -> Damaged | None:
    other = page.numbered_other()
    at = random.randrange(min(_TOP, len(other)))
    if not other[at][1].strip():
        return None
    return Damaged(
        page.numbered() + other[:at] + other[at + 1 :],
        f"second page without line {at + 1}: {other[at][1].strip()[:60]!r}",
    )


def _without(page: Page, at: int) -> Damaged:
    lines = page.numbered()
    return Damaged(lines[:at] + lines[at + 1 :], f"line {at + 1} lost: {page.lines[at].strip()[:60]!r}")


@kind
def line_lost(page: Page, random: Random) -> Damaged | None:
    return _without(page, random.choice(_lines_with(page, bool)))


@kind
def line_of_the_top_lost(page: Page, random: Random) -> Damaged | None:
    """The line of the system, the time, the version, the group or the page number."""
    return _without(page, random.choice([k for k in _lines_with(page, bool) if k < _TOP] or [0]))


@kind
def heading_line_lost(page: Page, random: Random) -> Damaged | None:
    return _without(page, _one(random, _headings(page)))


@kind
def lines_lost(page: Page, random: Random) -> Damaged | None:
    """Two to six lines in the middle, as where a file was put together from parts."""
    lines = page.numbered()
    if len(lines) < 10:
        return None
    at, many = random.randrange(2, len(lines) - 6), random.randint(2, 6)
    return Damaged(lines[:at] + lines[at + many :], f"lines {at + 1}-{at + many} lost")


@kind
def line_twice(page: Page, random: Random) -> Damaged | None:
    lines = page.numbered()
    at = random.choice(_lines_with(page, bool))
    return Damaged(lines[: at + 1] + lines[at:], f"line {at + 1} twice: {page.lines[at].strip()[:60]!r}")


@kind
def lines_swapped(page: Page, random: Random) -> Damaged | None:
    lines = page.numbered()
    found = _lines_with(page, bool)
    at = random.choice(range(len(found) - 1)) if len(found) > 1 else 0
    first, second = found[at], found[min(at + random.choice((1, 1, 2)), len(found) - 1)]
    lines[first], lines[second] = lines[second], lines[first]
    return Damaged(lines, f"lines {first + 1} and {second + 1} swapped")


@kind
def two_pages_mixed(page: Page, random: Random) -> Damaged | None:
    """The beginning of a page and the end of another."""
    if len(page.lines) < 4 or len(page.other) < 4:
        return None
    end, begin = random.randrange(3, len(page.lines)), random.randrange(1, len(page.other) - 1)
    lines = page.numbered()[:end] + page.numbered_other()[begin:]
    return Damaged(lines, f"lines 1-{end}, then lines {begin + 1} and on of the other page")


@kind
def end_lost(page: Page, random: Random) -> Damaged | None:
    end = random.randrange(2, max(len(page.lines), 3))
    return Damaged(page.numbered()[:end], f"ends behind line {end}")


@kind
def lines_of_another_page_inside(page: Page, random: Random) -> Damaged | None:
    """A few lines of another page, or the whole of it, in the middle."""
    lines, other = page.numbered(), page.numbered_other()
    at = random.randrange(2, max(len(lines), 3))
    if random.random() < 0.5:
        begin = random.randrange(len(other))
        other = other[begin : begin + random.randint(1, 6)]
    return Damaged(lines[:at] + other + lines[at:], f"{len(other)} lines of the other page behind line {at}")


# --- Lines cut, wrapped, joined ----------------------------------------------------------------------------------------


@kind
def all_lines_cut(page: Page, random: Random) -> Damaged | None:
    widest = max(map(len, page.lines), default=0)
    widths = [w for w in (72, 79, 80, 100, 120, 128, widest - 1, widest - 2) if 20 < w < widest]
    width = _one(random, widths)
    return Damaged([(k, line[:width].rstrip()) for k, line in page.numbered()], f"all lines cut at column {width}")


@kind
def line_cut(page: Page, random: Random) -> Damaged | None:
    at = random.choice(_lines_with(page, bool))
    line = page.lines[at]
    end = random.randrange(len(line) - len(line.lstrip()) + 1, len(line) + 1)
    return page.with_line(at, line[:end], f"cut at column {end}")


@kind
def all_lines_wrapped(page: Page, random: Random) -> Damaged | None:
    width = random.choice((72, 80, 100, 120))
    if max(map(len, page.lines), default=0) <= width:
        return None
    lines = [
        (k, part) for k, line in page.numbered() for part in (line[:width].rstrip(), line[width:]) if part or not line
    ]
    return Damaged(lines, f"all lines wrapped at column {width}")


@kind
def line_wrapped(page: Page, random: Random) -> Damaged | None:
    lines = page.numbered()
    at = random.choice(_lines_with(page, bool))
    place = _one(random, _gaps(page.lines[at])).end()
    parts = [(at + 1, page.lines[at][:place].rstrip()), (at + 1, page.lines[at][place:])]
    return Damaged(lines[:at] + parts + lines[at + 1 :], f"line {at + 1} wrapped at column {place}")


@kind
def lines_joined(page: Page, random: Random) -> Damaged | None:
    lines = page.numbered()
    at = random.randrange(max(len(lines) - 1, 1))
    if at + 1 >= len(lines) or not lines[at][1].strip() or not lines[at + 1][1].strip():
        return None
    joined = lines[at][1] + random.choice(("", " ")) + random.choice((lines[at + 1][1], lines[at + 1][1].lstrip()))
    return Damaged([*lines[:at], (at + 1, joined), *lines[at + 2 :]], f"lines {at + 1} and {at + 2} joined")


# --- Lines and columns moved -------------------------------------------------------------------------------------------


@kind
def line_moved(page: Page, random: Random) -> Damaged | None:
    at, by = random.choice(_lines_with(page, bool)), random.choice((1, 1, 2, 3, 4, 8, -1, -1, -2, -3))
    line = page.lines[at]
    if by < 0 and line[:-by].strip():
        return None
    return page.with_line(at, " " * by + line if by > 0 else line[-by:], f"moved by {by}")


@kind
def column_of_blanks_lost(page: Page, random: Random) -> Damaged | None:
    """A column that is blank on all lines of a stretch is taken away."""
    begin = random.randrange(max(len(page.lines) - 4, 1))
    end = random.choice((len(page.lines), begin + random.randint(4, 20)))
    widest = max((len(line) for line in page.lines[begin:end]), default=0)
    blank = [c for c in range(1, widest) if all(line[c : c + 1] in ("", " ") for line in page.lines[begin:end])]
    column = _one(random, blank)
    lines = [(k, line[:column] + line[column + 1 :] if begin < k <= end else line) for k, line in page.numbered()]
    return Damaged(lines, f"lines {begin + 1}-{min(end, len(lines))} without column {column + 1}, which is blank")


@kind
def rows_moved_behind_a_column(page: Page, random: Random) -> Damaged | None:
    """All that is right of a number on some lines after another is moved."""
    row, match = _pick_number(page, random)
    by, many = random.choice((1, 2, 3, 5, 8)), random.randint(1, 6)
    lines = page.numbered()
    for k in range(row, min(row + many, len(lines))):
        line = lines[k][1]
        if line[match.end() - 1 : match.end() + 1].strip() and line[match.end() : match.end() + 1].strip():
            continue
        lines[k] = (k + 1, (line[: match.end()] + " " * by + line[match.end() :]).rstrip())
    return Damaged(lines, f"lines {row + 1}-{row + many} moved by {by} behind column {match.end()}")


@kind
def tabs_for_blanks(page: Page, random: Random) -> Damaged | None:
    """Blanks up to every eighth column are a tab, on all lines or on one."""
    only = random.choice([None, *_lines_with(page, bool)]) if random.random() < 0.5 else None

    def with_tabs(line: str) -> str:
        parts = [line[k : k + 8] for k in range(0, len(line), 8)]
        return "".join(re.sub(r" {2,}$", "\t", part) if len(part) == 8 else part for part in parts)

    def unstopped(line: str) -> str:
        return re.sub(r"(?<=\S) {3,}(?=\S)", "\t", line)

    change = random.choice((with_tabs, unstopped))
    lines = [(k, change(line) if only in (None, k - 1) else line) for k, line in page.numbered()]
    which = "all lines" if only is None else f"line {only + 1}"
    return Damaged(lines, f"{which} with tabs ({change.__name__})")


@kind
def blank_lost(page: Page, random: Random) -> Damaged | None:
    """One blank less before a number, so that all behind it moves left."""
    return _blank(page, random, _lines_with(page, lambda line: len(_numbers(line)) > 0), -1)


@kind
def blank_added(page: Page, random: Random) -> Damaged | None:
    return _blank(page, random, _lines_with(page, lambda line: len(_numbers(line)) > 0), 1)


@kind
def blank_lost_in_heading(page: Page, random: Random) -> Damaged | None:
    return _blank(page, random, _headings(page), -1)


@kind
def blank_added_in_heading(page: Page, random: Random) -> Damaged | None:
    return _blank(page, random, _headings(page), 1)


def _blank(page: Page, random: Random, rows: list[int], by: int) -> Damaged | None:
    at = _one(random, rows)
    line = page.lines[at]
    place = _one(random, _gaps(line)).start()
    new = line[:place] + line[place + 1 :] if by < 0 else line[:place] + " " + line[place:]
    return page.with_line(at, new, f"a blank {'lost' if by < 0 else 'added'} at column {place + 1}")


# --- Cells -------------------------------------------------------------------------------------------------------------


def _moved(line: str, match: re.Match[str], end: int) -> str | None:
    """The line with a number moved to another column, if that place is blank otherwise."""
    rest = _replaced(line, match.start(), match.end(), " " * len(match[0])).ljust(end + 1)
    begin = end - len(match[0])
    if begin < 0 or rest[max(begin - 1, 0) : end + 1].strip():
        return None
    return rest[:begin] + match[0] + rest[end:]


@kind
def cell_moved(page: Page, random: Random) -> Damaged | None:
    """A number moved by 1 to 12 columns."""
    row, match = _pick_number(page, random)
    places = [by for by in (*range(-12, 0), *range(1, 13)) if _moved(page.lines[row], match, match.end() + by)]
    by = _one(random, places)
    line = _moved(page.lines[row], match, match.end() + by)
    assert line is not None
    return page.with_line(row, line, f"{match[0]!r} moved by {by}")


@kind
def cell_below_another_title(page: Page, random: Random) -> Damaged | None:
    """A number moved, or copied, to where a number of another line ends."""
    row, match = _pick_number(page, random)
    near = page.lines[max(row - 3, 0) : row] + page.lines[row + 1 : row + 4]
    ends = {m.end() for line in near for m in _numbers(line)} - {match.end()}
    places = [end for end in sorted(ends) if _moved(page.lines[row], match, end)]
    end = _one(random, places)
    line = _moved(page.lines[row], match, end)
    assert line is not None
    is_copy = random.random() < 0.3
    if is_copy:
        line = _replaced(line, match.start(), match.end(), match[0])
        if len(_numbers(line)) <= len(_numbers(page.lines[row])):
            return None
    return page.with_line(row, line, f"{match[0]!r} {'copied' if is_copy else 'moved'} to end at column {end}")


@kind
def cell_blanked(page: Page, random: Random) -> Damaged | None:
    row, match = _pick_number(page, random)
    line = _replaced(page.lines[row], match.start(), match.end(), " " * len(match[0]))
    return page.with_line(row, line, f"{match[0]!r} blanked")


@kind
def cell_lost(page: Page, random: Random) -> Damaged | None:
    """A number lost with its columns or with its blanks: all behind it moves left."""
    row, match = _pick_number(page, random)
    line = page.lines[row]
    begin = random.choice((match.start(), len(line[: match.start()].rstrip())))
    return page.with_line(
        row, line[:begin] + line[match.end() :], f"{match[0]!r} lost with {match.end() - begin} columns"
    )


# --- Characters --------------------------------------------------------------------------------------------------------


@kind
def digit_changed(page: Page, random: Random) -> Damaged | None:
    digit, place = random.choice("0123456789"), random.random()

    def change(number: str) -> str:
        at = random_place(number, place)
        return number[:at] + digit + number[at + 1 :]

    return _changed_number(page, random, change, "digit changed", readable=True, first=0)


def random_place(number: str, place: float) -> int:
    """The place of one of a number's digits."""
    digits = [k for k, c in enumerate(number) if c.isdigit()]
    return digits[int(place * len(digits))]


@kind
def digit_to_letter(page: Page, random: Random) -> Damaged | None:
    letter, place = random.choice("ABEFXKMGT"), random.random()

    def change(number: str) -> str:
        at = random_place(number, place)
        return number[:at] + letter + number[at + 1 :]

    return _changed_number(page, random, change, "letter for a digit", readable=False, first=0)


_ALIKE = {"0": "O", "1": "l", "5": "S", "8": "B", "2": "Z", "6": "b", "O": "0", "I": "1", "S": "5", "B": "8", "Z": "2"}


@kind
def digit_read_as_a_letter_alike(page: Page, random: Random) -> Damaged | None:
    place = random.random()

    def change(number: str) -> str | None:
        at = random_place(number, place)
        return number[:at] + _ALIKE[number[at]] + number[at + 1 :] if number[at] in _ALIKE else None

    return _changed_number(page, random, change, "read by a machine", readable=False, first=0)


@kind
def letter_read_as_a_digit_alike(page: Page, random: Random) -> Damaged | None:
    words = [
        (k, m)
        for k in _lines_with(page, bool)
        for m in re.finditer(r"[A-Z]{3,}", page.lines[k])
        if set(m[0]) & set("OISBZ")
    ]
    at, match = _one(random, words)
    place = random.choice([k for k, c in enumerate(match[0]) if c in "OISBZ"]) + match.start()
    line = page.lines[at]
    new = _replaced(line, place, place + 1, _ALIKE[line[place]])
    words = re.compile(r"\S+")
    pairs = [(a[0], b[0]) for a, b in zip(words.finditer(line), words.finditer(new), strict=True) if a[0] != b[0]]
    return page.with_line(at, new, f"{match[0]!r} read by a machine as {new[match.start() : match.end()]!r}", *pairs)


@kind
def point_to_blank(page: Page, random: Random) -> Damaged | None:
    return _changed_number(page, random, lambda n: n.replace(".", " ", 1), "blank for a point", readable=False, first=0)


@kind
def point_lost(page: Page, random: Random) -> Damaged | None:
    return _changed_number(page, random, lambda n: n.replace(".", "", 1), "point lost", readable=True)


@kind
def comma_for_point(page: Page, random: Random) -> Damaged | None:
    change = lambda n: n.translate({46: 44, 44: 46}) if n.count(".") < 2 else None  # noqa: E731
    return _changed_number(page, random, change, "comma and point exchanged", readable=False)


@kind
def minus_lost(page: Page, random: Random) -> Damaged | None:
    return _changed_number(page, random, lambda n: n[1:] if n[0] in "-+" else None, "sign lost", readable=True)


@kind
def minus_added(page: Page, random: Random) -> Damaged | None:
    return _changed_number(page, random, lambda n: f"-{n}" if n[0] not in "-+" else None, "sign added", readable=True)


@kind
def blank_within_number(page: Page, random: Random) -> Damaged | None:
    place, wider = random.random(), random.random() < 0.5

    def change(number: str) -> str | None:
        if len(number) < 3:
            return None
        at = 1 + int(place * (len(number) - 2))
        return number[:at] + " " + number[at if wider else at + 1 :]

    return _changed_number(page, random, change, "a blank within a number", readable=False, first=0)


@kind
def last_digit_lost(page: Page, random: Random) -> Damaged | None:
    return _changed_number(
        page, random, lambda n: f"{n[:-1]} " if n[-2:].isdigit() else None, "last digit lost", readable=False, first=0
    )


@kind
def suffix_added(page: Page, random: Random) -> Damaged | None:
    """A letter behind a number, in the gap right of it: B, T, k, m, E, s no report prints; K, M, G only some."""
    suffix = random.choice("BTkmEsKMG")
    row, match = _pick_number(
        page, random, lambda m: m[0][-1].isdigit() and m.string[m.end() : m.end() + 1] in ("", " ")
    )
    line = page.lines[row]
    new = f"{match[0]}{suffix}"
    readable = [(match[0], new)] if suffix in "KMG" else []
    return page.with_line(
        row, _replaced(line, match.start(), match.end() + 1, new), f"{match[0]!r} → {new!r}", *readable
    )


@kind
def suffix_lost(page: Page, random: Random) -> Damaged | None:
    def change(number: str) -> str | None:
        return f"{number[:-1]} " if number[-1] in "KMG" else None

    picked = _changed_number(page, random, change, "suffix lost", readable=False)
    before, after = picked.what.split(" → ")
    picked.printed.append((before.rpartition(", ")[2].strip("'"), after.strip("' ")))
    return picked


# --- Titles, labels, names ---------------------------------------------------------------------------------------------


def _title(page: Page, random: Random) -> tuple[int, re.Match[str]]:
    at = _one(random, _headings(page))
    return at, random.choice(list(_WORD.finditer(page.lines[at])))


@kind
def title_changed(page: Page, random: Random) -> Damaged | None:
    """A letter of a title is another one, or lost."""
    at, match = _title(page, random)
    place = random.randrange(match.start(), match.end())
    letter = random.choice(("X", "Q", " ", "?"))
    line = _replaced(page.lines[at], place, place + 1, letter)
    return page.with_line(at, line, f"title {match[0]!r} → {line[match.start() : match.end()]!r}")


@kind
def title_lost(page: Page, random: Random) -> Damaged | None:
    at, match = _title(page, random)
    line = _replaced(page.lines[at], match.start(), match.end(), " " * len(match[0]))
    return page.with_line(at, line, f"title {match[0]!r} lost")


@kind
def titles_swapped(page: Page, random: Random) -> Damaged | None:
    rows = [k for k in _headings(page) if len(_WORD.findall(page.lines[k])) > 1]
    at = _one(random, rows)
    words = list(_WORD.finditer(page.lines[at]))
    k = random.randrange(len(words) - 1)
    first, second = words[k], words[k + 1]
    gap = page.lines[at][first.end() : second.start()]
    line = page.lines[at][: first.start()] + second[0] + gap + first[0] + page.lines[at][second.end() :]
    return page.with_line(at, line, f"titles {first[0]!r} and {second[0]!r} swapped")


@kind
def heading_of_another(page: Page, random: Random) -> Damaged | None:
    """A heading in place of another one of the page."""
    rows = _headings(page)
    if len(rows) < 2:
        return None
    at, other = random.sample(rows, 2)
    return page.with_line(at, page.lines[other], f"heading replaced with that of line {other + 1}")


@kind
def label_lost(page: Page, random: Random) -> Damaged | None:
    """A text left of a number is blank: the first of the row, or that of a block."""
    labels = [
        (k, m)
        for k in _lines_with(page, lambda line: len(_numbers(line)) > 0)
        for m in re.finditer(r"(?<!\S)[A-Za-z*#/][^\s=:]*(?: [^\s=:\d]+)*(?= +[\d.])", page.lines[k])
    ]
    at, match = _one(random, labels)
    line = _replaced(page.lines[at], match.start(), match.end(), " " * len(match[0]))
    return page.with_line(at, line, f"label {match[0]!r} lost")


def _names(page: Page) -> list[tuple[int, re.Match[str]]]:
    return [(k, m) for k in _lines_with(page, bool) for m in _NAMED.finditer(page.lines[k])]


@kind
def name_lost(page: Page, random: Random) -> Damaged | None:
    """The name behind a key is blank."""
    at, match = _one(random, _names(page))
    group = 3 if match[3] else 6
    line = _replaced(page.lines[at], match.start(group), match.end(group), " " * len(match[group]))
    return page.with_line(at, line, f"name {match[group]!r} lost", (match[group], ""))


@kind
def key_and_name_lost(page: Page, random: Random) -> Damaged | None:
    """A key with its name is blank: GROUP, MEMBER, SYSTEM ID."""
    at, match = _one(random, _names(page))
    line = _replaced(page.lines[at], match.start(), match.end(), " " * len(match[0]))
    return page.with_line(at, line, f"{match[0]!r} lost", (match[3] or match[6], ""))


@kind
def name_truncated(page: Page, random: Random) -> Damaged | None:
    at, match = _one(random, _names(page))
    group = 3 if match[3] else 6
    name = match[group]
    short = name[: random.randrange(1, len(name))]
    line = _replaced(page.lines[at], match.start(group), match.end(group), short.ljust(len(name)))
    return page.with_line(at, line, f"name {name!r} → {short!r}", (name, short))


@kind
def word_of_the_top_lost(page: Page, random: Random) -> Damaged | None:
    """A word of the first lines is blank: a date, a time, a title."""
    words = [(k, m) for k in _lines_with(page, bool) if k < _TOP for m in re.finditer(r"\S+", page.lines[k])]
    at, match = _one(random, words)
    line = _replaced(page.lines[at], match.start(), match.end(), " " * len(match[0]))
    return page.with_line(at, line, f"word {match[0]!r} lost")
