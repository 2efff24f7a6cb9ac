"""Find the extents of columns from the text of their heading, so a release may move a column.

A block heading names groups of labelled cells, left-aligned with the group's title. A column heading stacks titles on several lines;
numbers end below the end of their title, texts begin below its start. A counter heading has a line of dashes, which set the columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

_DASHES = "-\N{EN DASH}"
# A title between dashes, and words a blank apart. Its dashes may be parted by a blank.
_DASHED = re.compile(
    r"(?:-+ (?=-))?(?:-+ ?|-{2,} +)[^\s-](?:[^-]| ?-(?=[^\s-]))*?(?: ?[-–]+)(?=\s|$)(?: [-–]+(?= {2}|$))?"
)
_PHRASE = re.compile(r"\S+(?: \S+)*")
_CLASS = re.compile(r"\(CLASS(?=\d)")
_ROW_LABEL = 8
# Fewer dashes under a title that fills them are a column of numbers, not the labels of a counter block.
_NARROWEST_LABELS = 12
# Unless they stand so far right of the dashes before them that a block begins there.
_BETWEEN_BLOCKS = 4


class Group(NamedTuple):
    """A group of labelled cells: its declared title, columns [start, end) of the line, and the end of each sub-column by title. `printed`:
    the title as printed (it may name the unit), which ends at column `edge`. `is_cut`: the heading ends within it."""

    title: str
    printed: str
    start: int
    end: int
    sub: tuple[tuple[str, int], ...] = ()
    edge: int = 0
    is_cut: bool = False


@dataclass
class HeadingColumn:
    """A column of a heading: its title, the titles of the groups that span it (outermost first), the columns of the title [start, end) and
    of its cells [cut_start, cut_end). `panel` counts repetitions; `unit`: text over the title that is not part of it. `ignored` columns
    are deliberately not read; `lost` columns belong to a panel that does not begin like any other. `nth`: which column it is of those
    with its title and groups."""

    title: str
    start: int
    end: int
    groups: list[str] = field(default_factory=list)
    cut_start: int = 0
    cut_end: int = 0
    panel: int = 0
    ignored: bool = False
    lost: bool = False
    unit: str = ""
    nth: int = 0

    def named(self, title: str, group: str = "") -> bool:
        """Whether this is the column that a declaration means: its title begins with these words, under this group (blanks in
        the group's title do not count)."""
        same = self.title == title or self.title.startswith(title + " ")
        return same and (not group or self.under(group))

    def under(self, group: str) -> bool:
        """Whether it stands under this group."""
        return group in self.groups or _squeezed(group) in map(_squeezed, self.groups)


def _squeezed(title: str) -> str:
    return "".join(title.split())


class CounterColumn(NamedTuple):
    """A column of a counter block: printed title, whether it is declared, and its dashes [start, end)."""

    title: str
    known: bool
    start: int
    end: int


class CounterBlock(NamedTuple):
    """A block of a counter heading: its title, the dashes [start, end) over its labels, and its columns. `lost`: its title is misplaced, so
    the rows below are not read."""

    title: str
    start: int
    end: int
    columns: tuple[CounterColumn, ...]
    lost: bool = False


@lru_cache(maxsize=4096)
def plain_title(title: str) -> str:
    """A title of a counter column without its blanks and stops: the same title is printed with others.

    >>> plain_title("APPL (CLASS 1)"), plain_title("APPL(CL.1)"), plain_title("AV. EVENT")
    ('APPL(CL1)', 'APPL(CL1)', 'AVEVENT')
    """
    return _CLASS.sub("(CL", title.replace(" ", "").replace(".", ""))


def over_runs(titles: str, runs: Sequence[tuple[int, int]]) -> tuple[list[list[str]], list[str]]:
    """The words of a title line over each run [start, end) of dashes, and the words over none or two runs."""
    words: list[list[str]] = [[] for _ in runs]
    astray: list[str] = []
    for word in re.finditer(r"\S+", titles):
        over = [k for k, (start, end) in enumerate(runs) if start < word.end() and end > word.start()]
        (words[over[0]] if len(over) == 1 else astray).append(word.group())
    return words, astray


def counter_blocks(
    titles: str, dashes: str, known: Iterable[str], texts: Iterable[str] = ()
) -> tuple[list[CounterBlock], list[str]]:
    """Blocks of a counter heading, left to right, and titles over no dashes or over those of two columns.

    titles, dashes: its two lines; known: declared titles of columns (their blanks and stops are ignored); texts: titles over texts, at
    either end of the dashes. A column has its title as declared. Dashes under any other title begin a block: the title of a block is
    left-aligned, that of a column right-aligned.

    >>> [block], _ = counter_blocks("GROUP BP3        QUANTITY", "---------------  --------", ["QUANTITY"])
    >>> block.title, block.end, block.columns[0].title, block.columns[0].start
    ('GROUP BP3', 15, 'QUANTITY', 17)
    """
    runs = [(m.start(), m.end()) for m in re.finditer("-+", dashes)]
    words: list[list[re.Match[str]]] = [[] for _ in runs]
    astray: list[str] = []
    for word in re.finditer(r"\S+", titles):
        over = [k for k, (start, end) in enumerate(runs) if start < word.end() and end > word.start()]
        # A title may be a little wider than its dashes.
        near = over or [k for k, (start, end) in enumerate(runs) if start <= word.end() + 1 and end >= word.start() - 1]
        if len(near) == 1:
            words[near[0]].append(word)
        else:
            astray.append(word.group())
    names, of_texts = ({plain_title(name): name for name in some} for some in (known, texts))
    blocks: list[tuple[str, int, int, list[CounterColumn], bool]] = []
    before = 0
    for (start, end), over in zip(runs, words, strict=True):
        title = " ".join(word.group() for word in over)
        at_left, at_right = bool(over) and over[0].start() == start, bool(over) and over[-1].end() == end
        plain = plain_title(title)
        name = of_texts.get(plain) or (names.get(plain) if at_right or not at_left else None)
        apart = bool(blocks) and start - before >= _BETWEEN_BLOCKS
        narrow = end - start < _NARROWEST_LABELS and not apart
        before = end
        fills = bool(over) and over[-1].end() >= end
        if blocks and (name or (at_right and not at_left) or (narrow and (fills or not at_left))):
            blocks[-1][3].append(CounterColumn(name or title, bool(name), start, end))
        else:
            blocks.append((title, start, end, [], bool(blocks) and not at_left))
    return [
        CounterBlock(title, start, end, tuple(columns), lost) for title, start, end, columns, lost in blocks
    ], astray


def block_groups(
    heading: str, titles: Iterable[str], subtitles: dict[str, Sequence[str]]
) -> tuple[list[Group], list[str]]:
    """Groups of a block heading, in order, and its undeclared titles (their groups have an empty title).

    titles: group titles as declared; subtitles: titles of sub-columns by group.
    """
    spans: list[tuple[int, int, str]] = []
    rest = heading
    for title in sorted(titles, key=len, reverse=True):
        pattern = r"(?<![A-Z])[-–]*" + r"\s+".join(map(re.escape, title.split())) + r"(?![A-Z/])"
        pattern += r"(?:\s+(?:(?:H+\.)?MM\.)?SS\.[TF]+)?"
        for match in re.finditer(pattern, rest):
            end = match.end()
            while end < len(heading) and heading[end] not in " ":
                end += 1
            spans.append((match.start(), end, title))
            rest = rest[: match.start()] + "\0" * (end - match.start()) + rest[end:]
    # A declared title followed by other words is another title: SERVICE TIMES is not SERVICE.
    for start, end, _ in [
        span for span in spans if re.match(r" [A-Z]", rest[span[1] :]) or re.search(r"[A-Z] $", rest[: span[0]])
    ]:
        rest = rest[:start] + heading[start:end] + rest[end:]
        spans = [span for span in spans if span[0] != start]
    unknown = [m for m in re.finditer(r"[^\0\s]+(?: [^\0\s]+)*", rest) if m.group().strip(_DASHES)]
    spans.extend((m.start(), m.end(), "") for m in unknown)
    spans.sort()
    groups = []
    for k, (start, end, title) in enumerate(spans):
        stop = spans[k + 1][0] if k + 1 < len(spans) else max(len(heading), end) + 40
        sub = []
        at = start + len(title)
        for name in subtitles.get(title, ()):
            found = heading.find(name, at, end)
            if found >= 0:
                at = found + len(name)
                sub.append((name, at))
        is_cut = (
            k + 1 == len(spans)
            and bool(title)
            and _ends_within(heading[start:end], bool(subtitles.get(title)), sub, end)
        )
        groups.append(Group(title, heading[start:end].strip(_DASHES), start, stop, tuple(sub), end, is_cut))
    return groups, [m.group().strip(_DASHES) for m in unknown]


def _ends_within(printed: str, has_columns: bool, columns: Sequence[tuple[str, int]], end: int) -> bool:
    """Whether the page is cut within the last title of a heading: fewer dashes after it than before, or the titles of its columns do not end
    with it."""
    if has_columns:
        return not columns or columns[-1][1] != end
    front, behind = (len(printed) - len(bare) for bare in (printed.lstrip(_DASHES), printed.rstrip(_DASHES)))
    return behind < front


def heading_columns(
    lines: Sequence[str],
    phrases: Iterable[str],
    texts: dict[tuple[str, str], int],
    ignored: Sequence[str] = (),
    panels: Sequence[Sequence[str]] | None = None,
    centred: dict[tuple[str, str], int] | None = None,
    together: Sequence[str] = (),
) -> list[HeadingColumn]:
    """Columns of a stacked heading, left to right.

    lines: the heading's lines, top to bottom. phrases: declared titles (several words stay together). texts: titles (and
    groups) of text columns and the minimum width of their cells; all other columns hold right-aligned numbers. ignored: patterns
    of titles over unread columns. panels: where panels begin, as in `Panels` (None: no panels). together: as in `Columns`.
    centred: titles (and groups) centred over their cells, and the width of the cells.
    """
    columns: list[HeadingColumn] = []
    known = _Phrases.of(frozenset(p for p in phrases if " " in p))
    rules = [line for line in lines if is_rule(line)]
    for line in reversed([line for line in lines if not is_rule(line)]):
        added: list[HeadingColumn] = []
        for start, end, words in _titles(line, known, below=columns, together=together):
            under = _over(columns, start, end)
            dashed = words[0] in _DASHES
            title = _bare(words)
            if not under:
                added.append(HeadingColumn(title, start, end))
            elif title == "%" and len(under) == 1:
                under[0].unit = title  # over a title, but not part of it
            elif dashed or len(under) > 1:
                for column in under:
                    column.groups.insert(0, title)
                if len(under) == 1 and any(under[0].named(*text) for text in texts):
                    # A text may take all of the dashes; a number is under its own title, even if there is room for more.
                    under[0].start, under[0].end = min(start, under[0].start), max(end, under[0].end)
            else:
                column = under[0]
                column.title = f"{title} {column.title}"
                column.start, column.end = min(start, column.start), max(end, column.end)
        columns = sorted([*columns, *added], key=lambda c: c.start)
    for column in columns if ignored else ():
        column.ignored = any(_matches(pattern, column.title) for pattern in ignored)
    if panels is not None:
        _number_panels(columns, panels, rules[-1] if rules else "")
    for (title, group), width in (centred or {}).items():
        for column in columns:
            if column.named(title, group) and width > column.end - column.start:
                column.start -= (width - (column.end - column.start)) // 2
                column.end = column.start + width
    _cut(columns, texts)
    return columns


@lru_cache(maxsize=4096)
def _bare(words: str) -> str:
    """A title without the dashes around it. Headings that differ in the places of their titles have the same titles."""
    return " ".join(words.strip(_DASHES + " ").split())


class _Phrases(NamedTuple):
    """Titles that stay together, and the number of words of the longest (1 if there is none)."""

    known: frozenset[str]
    longest: int

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, phrases: frozenset[str]) -> _Phrases:
        return cls(phrases, max((title.count(" ") + 1 for title in phrases), default=1))


@lru_cache(maxsize=4096)
def _matches(pattern: str, title: str) -> bool:
    return bool(re.search(pattern, title))


def _titles(
    line: str, phrases: _Phrases, below: list[HeadingColumn], together: Sequence[str] = ()
) -> list[tuple[int, int, str]]:
    """Titles on a heading line: dashed titles, declared phrases and phrases over one column are kept whole; otherwise single words."""
    out = []
    found = {m.group() for pattern in together for m in re.finditer(rf"(?<!\S){pattern}(?!\S)", line)}
    if found:
        phrases = _Phrases.of(phrases.known | found)
    for dashed in _DASHED.finditer(line) if "-" in line else ():
        out.append((dashed.start(), dashed.end(), dashed.group()))
    rest = line
    for start, end, _ in out:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    for phrase in _PHRASE.finditer(rest):
        at = phrase.start()
        parts = [(at + start, at + end, words) for start, end, words in _parts(phrase.group(), phrases)]
        under = _over(below, phrase.start(), phrase.end())
        if not under:
            out.extend(parts)
            continue
        over = [_over(under, start, end) for start, end, _ in parts]
        parts, over = _joined(parts, over)
        declared = any(words in phrases.known for _, _, words in parts)
        # Titles that are declared stay apart if a blank alone is between them, each over columns of its own.
        alone = len({id(c) for o in over for c in o}) == sum(map(len, over))
        if alone and len(parts) > 1 and all(words in phrases.known for _, _, words in parts):
            out.extend(parts)
            continue
        apart = all(len(o) <= 1 for o in over) and len({id(o[0]) for o in over if o}) == sum(map(len, over))
        if apart and (declared or all(over)):
            out.extend(parts)
        else:
            out.append((phrase.start(), phrase.end(), phrase.group()))
    return sorted(out)


def _over(columns: list[HeadingColumn], start: int, end: int) -> list[HeadingColumn]:
    return [c for c in columns if c.start < end and c.end > start]


@lru_cache(maxsize=4096)
def _parts(phrase: str, phrases: _Phrases) -> tuple[tuple[int, int, str], ...]:
    """Split a phrase into declared phrases and single words; a percent sign belongs to the word before it. Headings that differ in the
    places of their titles have the same phrases."""
    words = phrase.split(" ")
    at, k = 0, 0
    out = []
    while k < len(words):
        most = min(len(words) - k, phrases.longest)
        size = next((n for n in range(most, 1, -1) if " ".join(words[k : k + n]) in phrases.known), 1)
        if words[k + size : k + size + 1] == ["%"]:
            size += 1
        text = " ".join(words[k : k + size])
        out.append((at, at + len(text), text))
        at += len(text) + 1
        k += size
    return tuple(out)


def _joined(
    parts: list[tuple[int, int, str]], over: list[list[HeadingColumn]]
) -> tuple[list[tuple[int, int, str]], list[list[HeadingColumn]]]:
    """Join adjacent words over the same column into one part of its title."""
    joined: list[tuple[int, int, str]] = []
    of: list[list[HeadingColumn]] = []
    for (start, end, words), columns in zip(parts, over, strict=True):
        if of and len(columns) == 1 and len(of[-1]) == 1 and columns[0] is of[-1][0]:
            joined[-1] = (joined[-1][0], end, f"{joined[-1][2]} {words}")
        else:
            joined.append((start, end, words))
            of.append(columns)
    return joined, of


def is_rule(line: str) -> bool:
    """Whether a heading line has only dashes; they set the extent of panels."""
    return not line.strip(_DASHES + " ")


def _number_panels(columns: list[HeadingColumn], begin: Sequence[Sequence[str]], rule: str) -> None:
    """Number the panels of a heading: one per stretch of the rule above, if it has several; else a panel begins at each repetition of the
    first title, and where the titles of an entry of `begin` follow each other."""
    if not columns:
        return
    stretches = [m.end() for m in re.finditer(r"-+", rule)]
    first = (columns[0].title, tuple(columns[0].groups))
    panel = -1
    for k, column in enumerate(columns):
        following = [columns[k : k + len(run)] for run in begin]
        begun = any(
            len(f) == len(r) and all(c.named(t) for c, t in zip(f, r, strict=True))
            for f, r in zip(following, begin, strict=True)
        )
        if len(stretches) > 1:
            panel = sum(end <= column.start for end in stretches)
        elif begun or (column.title, tuple(column.groups)) == first:
            panel += 1
        column.panel = max(panel, 0)
        # Without its first titles, the table of a panel is unknown.
        same = k and columns[k - 1].panel == column.panel
        column.lost = columns[k - 1].lost if same else bool(begin) and not begun


def _cut(columns: list[HeadingColumn], texts: dict[tuple[str, str], int]) -> None:
    by_word: dict[str, list[tuple[tuple[str, str], int]]] = {}
    for title, text_width in texts.items():
        by_word.setdefault(title[0].partition(" ")[0], []).append((title, text_width))

    def width(column: HeadingColumn) -> int | None:
        alike = by_word.get(column.title.partition(" ")[0], ())
        return next((w for title, w in alike if column.named(*title)), None)

    widths = [width(column) for column in columns]
    for k, column in enumerate(columns):
        if k + 1 == len(columns):
            column.cut_end = column.end + 40
            break
        following = columns[k + 1]
        gap = following.start - column.end
        if column.ignored and k == 0:
            # A row label may be wider than its title.
            cut = min(max(column.end + 1, column.start + _ROW_LABEL), following.start)
        elif widths[k + 1] is not None:
            cut = following.start
        elif (least := widths[k]) is not None:
            # If texts are narrower than their title, the next column may begin below its end.
            beyond = column.start + least if 0 < least < column.end - column.start else column.end + min(gap, 1)
            # A number may be a digit wider than its title (100.0 below WLM%).
            cut = min(max(beyond, column.start + least), following.start - (1 if gap >= 2 else 0))
        else:
            cut = column.end + (1 if gap >= 2 else 0)
        column.cut_end = following.cut_start = cut
