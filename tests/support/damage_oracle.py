"""What a damaged page stores that the whole page does not print: for each table and key, a value of each column, or NULL, is right."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from damage import KINDS, SECOND, Damaged, Page
from ironlake.pipeline.declaration.bookkeeping import stored_tables
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.quality.check_batch import check_batch
from ironlake.pipeline.reading import engine
from page_variants import BOOKKEEPING, NOT_COMPARED
from sample_pages import as_frame, canonical, options_of, plain

# Which of two equal rows it is; a page that lost the first has only the second.
NOT_JUDGED = (*NOT_COMPARED, "occurrence")
# So many texts are read at once.
_AT_ONCE = 300
_RESOLUTION = "_resolution"
_MOST_OF_A_HEADING = 8


@dataclass(frozen=True)
class Row:
    line: int
    values: dict[str, Any]


@dataclass
class Reading:
    """What a page gave: rows by table; rejects as (what, text) and their lines; names of the rules that it breaks."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    rejects: list[tuple[str, str]] = field(default_factory=list)
    reject_lines: list[range] = field(default_factory=list)
    nulls: list[tuple[str, str]] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)

    @property
    def shape(self) -> tuple:
        """Rows and which of their values are NULL, rejects and reasons: not what the values are."""
        rows = {
            name: sorted((row.line, *(v is None for v in row.values.values())) for row in rows)
            for name, rows in self.rows.items()
        }
        return rows, [what for what, _ in self.rejects], self.reject_lines, sorted(self.nulls)


@dataclass(frozen=True)
class Fault:
    """A value that a damaged page stored and that the whole page does not print there."""

    table: str
    key: dict[str, Any]
    column: str
    stored: Any
    printed: Any
    line: int
    filled: str
    """How many of the table's rows on the whole page have the column: 0 of 5."""
    told: str
    """'': no reject and no mark on the page; 'line': a reject on the line of the row; 'elsewhere': one on another line; 'mark': a rule."""
    why: str
    """Why nobody could tell; '' where it can be told."""


@dataclass(frozen=True)
class Case:
    kind: str
    path: Path
    other: Path
    seed: int
    page: Page
    damaged: Damaged


# --- Reading -----------------------------------------------------------------------------------------------------------


def read(texts: Sequence[str], options: Options) -> list[Reading]:
    """Every text as a source of its own. What is refused as a whole gives nothing."""
    out = []
    for begin in range(0, len(texts), _AT_ONCE):
        some = texts[begin : begin + _AT_ONCE]
        readings = [Reading() for _ in some]
        segments = []
        for k, text in enumerate(some):
            with suppress(IronlakeError):
                segments.append(replace(engine.canonical_segment(text.encode(), "page.txt", options), source_id=str(k)))
        tables = engine.parse(segments, options).tables
        marks = check_batch(tables)
        for row in marks.to_pylist() if marks is not None else []:
            readings[int(row["source_id"])].marks.add(f"{row['rule']} {row['column']}")
        for name, table in tables.items():
            for row in as_frame(table).iter_rows(named=True):
                _sort_in(name, row, readings[int(row["source_id"])])
        out += readings
    return out


def _sort_in(name: str, row: dict[str, Any], reading: Reading) -> None:
    if name == "parse_reject":
        reading.rejects.append((row["what"], row["text"]))
        reading.reject_lines.append(range(row["line"], row["line"] + row["lines"]))
    elif name == "cell_null":
        reading.nulls.append((row["table"], row["column"]))
    elif name not in BOOKKEEPING:
        values = {column: v for column, v in row.items() if column not in NOT_JUDGED}
        reading.rows[name].append(Row(row["line"], values))


# --- Pages whose numbers differ ----------------------------------------------------------------------------------------

_DIGITS = re.compile(r"(?<![^\s])\d*\.?\d+(?=[KMG]?%?(?:\s|$))")


def _other_digits(lines: Sequence[str], name: str) -> list[str]:
    """The lines with other digits: no two numbers of three digits or more are the same. Their widths, points and first digits stay."""
    random, used = Random(name), set[str]()

    def other(match: re.Match[str]) -> str:
        number = match[0]
        if sum(c.isdigit() for c in number) < 3:
            return number
        new = number
        for _ in range(50):
            first = next((k for k, c in enumerate(number) if c in "123456789"), max(number.find("."), 0))
            rest = (random.choice("123456789") if c.isdigit() else c for c in number[first + 1 :])
            new = number[: first + 1] + "".join(rest)
            if new.strip("0.") not in used:
                break
        used.add(new.strip("0."))
        return new

    return [_DIGITS.sub(other, line) for line in lines]


def with_digits_that_differ(pages: dict[Path, list[str]]) -> dict[Path, list[str]]:
    """Every page with the digits of its numbers changed on all lines where its shape stays as it was: the reader compares some numbers."""
    out = {}
    for options, paths in by_options(pages).items():
        whole = dict(zip(paths, read([_text(pages[p]) for p in paths], options), strict=True))
        changed = {p: _other_digits(pages[p], p.stem) for p in paths}
        good: dict[Path, set[int]] = {p: set() for p in paths}
        waiting = [(p, range(len(pages[p]))) for p in paths]
        while waiting:
            texts = [_text(_mixed(pages[p], changed[p], lines)) for p, lines in waiting]
            again = []
            for (path, lines), after in zip(waiting, read(texts, options), strict=True):
                if after.shape == whole[path].shape:
                    good[path] |= set(lines)
                elif len(lines) > max(2, len(pages[path]) // 20):
                    half = len(lines) // 2
                    again += [(path, lines[:half]), (path, lines[half:])]
            waiting = again
        together = {p: _mixed(pages[p], changed[p], good[p]) for p in paths}
        for path, after in zip(paths, read([_text(together[p]) for p in paths], options), strict=True):
            out[path] = together[path] if after.shape == whole[path].shape else pages[path]
    return out


def _mixed(lines: Sequence[str], changed: Sequence[str], which: Iterable[int]) -> list[str]:
    some = set(which)
    return [changed[k] if k in some else line for k, line in enumerate(lines)]


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def by_options(paths: Iterable[Path]) -> dict[Options, list[Path]]:
    out: dict[Options, list[Path]] = {}
    for path in paths:
        out.setdefault(options_of(path), []).append(path)
    return out


def lines_of(path: Path) -> list[str]:
    return canonical(path).rstrip("\n").split("\n")


# --- Judging -----------------------------------------------------------------------------------------------------------


@cache
def _key(table: str) -> tuple[str, ...]:
    return tuple(column for column in stored_tables()[table].key if column not in NOT_JUDGED)


Patterns = dict[str, set[frozenset[str]]]


def patterns(wholes: Iterable[Reading]) -> Patterns:
    """By table: the columns that are filled together on a row of some whole page."""
    out: Patterns = defaultdict(set)
    for whole in wholes:
        for table, rows in whole.rows.items():
            out[table] |= {_filled(row) for row in rows}
    return out


def _filled(row: Row) -> frozenset[str]:
    return frozenset(column for column, value in row.values.items() if value is not None)


def judge(case: Case, after: Reading, wholes: Sequence[Reading], seen: Patterns) -> list[Fault]:
    """The faults of a damaged page; `wholes`: what the page, and the one that was mixed with it, gave whole."""
    damaged = case.damaged
    known = {r for whole in wholes for r in whole.rejects}
    new = [lines for reject, lines in zip(after.rejects, after.reject_lines, strict=True) if reject not in known]
    pairs = [(case.page.line(number), text) for number, text in damaged.lines]
    changed = [(_squeezed(old), _squeezed(text)) for old, text in pairs if old != text]
    found = []
    for table, rows in after.rows.items():
        expected = [(row, k * SECOND + row.line) for k, whole in enumerate(wholes) for row in whole.rows.get(table, [])]
        same = {tuple(row.values.values()) for row, _ in expected}
        for row in rows:
            if tuple(row.values.values()) in same:
                continue
            number = damaged.lines[row.line - 1][0] if row.line <= len(damaged.lines) else 0
            differences = _differences(table, row, number, expected, damaged.printed, changed)
            told = "line" if any(row.line in lines for lines in new) else "elsewhere" if new else ""
            key = {c: row.values[c] for c in _key(table)}
            of_page = HEADLESS if _is_headless(damaged, row.line) else PIECED if _is_pieced(case) else ""
            if not of_page and table.startswith("db2_") and _is_untitled(damaged, row.line):
                of_page = UNTITLED
            for column, (stored, old) in differences.items():
                filled = sum(e.values.get(column) is not None for e, _ in expected)
                is_seen = old is None and _filled(row) in seen[table]
                if column in key and isinstance(stored, str) and case.kind in _PARTS_LOST:
                    old = next((e.values[column] for e, _ in expected if _is_part(stored, e.values[column])), old)
                why = of_page or _why(case.kind, table, column, stored, old, is_seen)
                if table == "rmf_overview" and all(e.values.get(column) is None for e, at in expected if at < SECOND):
                    why = "two readings of the whole page fit, of what is left one"
                of = f"{filled} of {len(expected)}"
                found.append(Fault(table, key, column, stored, old, row.line, of, told, why))
    return found


# The name, interval, versions and place of a page. Lines that have one of these belong to its heading.
_HEADING = re.compile(
    r"RPT VERSION|(?<!-)INTERVAL *[\d:]|INTERVAL (FROM|START|END)|\bTIME \d\d[.:]|\b(DATE|START|END) +\d|ACTIVATION|^ *(GROUP|MEMBER|SUBSYSTEM|LOCATION|DB2 VERSION):|REQUESTED FROM|APPLID|(?<!POLICY )\bPAGE\b(?!-)|SYSTEM ID|SYSPLEX"
    r"|COUPLING FACILITY NAME|OUTBOUND FROM|INBOUND TO|OPERATING MODE|z/OS [LV]|CYCLE|Collection",
    re.IGNORECASE,
)
HEADLESS = "nothing of its heading is left: it may go on with the page above"
PIECED = "its heading is put together of two pages, and has nothing but a line twice"
# The first line of a page: a letter-spaced title, or that of Db2 or of CICS statistics.
_PAGE_TOP = re.compile(r" *[A-Z/](?: {1,3}[A-Z/]){5,} *$| *LOCATION:|.* Report +Collection ")


def _is_headless(damaged: Damaged, line: int) -> bool:
    """Whether a line is on a part of a page that lost its heading, or such a part is below the line."""
    texts = [text for _, text in damaged.lines]
    of_page = [number > SECOND for number, _ in damaged.lines]
    begins = [k for k in range(1, len(texts)) if of_page[k] != of_page[k - 1] or _PAGE_TOP.match(texts[k])]
    mine = sum(k < line for k in begins)
    parts = [texts[a:b] for a, b in pairwise([0, *begins, len(texts)])]
    return any(
        not any(map(_HEADING.search, [text for text in part if text.strip()][:6]))
        for part in parts[max(mine, 1) : mine + 2]
    )


UNTITLED = "rows that lost the title of their block look like rows of the block above"
_DASHES = re.compile(r" *-{5,}( +-{3,})* *")


def _is_untitled(damaged: Damaged, line: int) -> bool:
    """Whether lines are lost or put in above a line of a Db2 page, and no titles, above their dashes, stand between."""
    lines = damaged.lines
    for k in reversed(range(1, min(line, len(lines)))):
        if lines[k][0] != lines[k - 1][0] + 1:
            return True
        if _DASHES.fullmatch(lines[k][1]):
            return lines[k - 1][0] != lines[k][0] - 1
    return False


def _is_pieced(case: Case) -> bool:
    """Whether a page is the first lines of a heading, and lines of another page that begin farther down."""
    first, second = (
        [text for n, text in case.damaged.lines if (n > SECOND) is of_second] for of_second in (False, True)
    )
    if case.kind != "two_pages_mixed" or len(first) > _MOST_OF_A_HEADING:
        return False
    top = [text for text in second[:6] if text not in first]
    named, again = (
        {m[0].split()[0].upper() for text in some for m in _HEADING.finditer(text)} for some in (first, top)
    )
    return not named & again


_FIRST_ROW = "a group is named on its first row: without it, the rows look like those of the group above"
_ONE_LINE = "a page of CICS statistics has one heading line: without it, the page looks like the rest of the one above"
# What nobody could tell: patterns of the kind of damage, the table and the column, and why.
_UNTELLABLE = (
    ("titles_swapped", "*", "*", "both titles are known, numbers fit below either, and releases order columns differently"),
    ("heading_of_another", "*", "*", "both headings are known, and numbers fit below either"),
    ("*", "db2_*", "label_path", "labels are not declared: the line above, and how far one is indented, tell what it belongs to"),
    ("cell_lost", "rmf_overview", "value", "a row may leave its last cells blank, and decimals do not tell the titles beside apart"),
    ("lines_swapped", "cics_data_table_access", "*", "either line may be there"),
    ("lines_swapped", "rmf_cpu_activity", "*", "either line may be there"),
    ("lines_swapped", "rmf_*", "peer_cf", "either line may be there"),
    *(("lines_swapped", f"rmf_xcf_{of}", "*", "either line may be there") for of in ("member", "system")),
    ("lines_swapped", "rmf_io_queue", "*", "either line may be there"),
    ("line*_lost", "rmf_xcf_member", "xcf_group", _FIRST_ROW),
    ("line*_lost", "rmf_resource_group", "*", _FIRST_ROW),
    ("lines_swapped", "rmf_resource_group", "*", _FIRST_ROW),
    *(
        (kind, "workload_simulator_run", "*", "values in their order, none twice, are those of the run above")
        for kind in ("lines_lost", "lines_of_another_page_inside", "two_pages_mixed")
    ),
    ("title_lost", "db2_*", "block", "what is left may be the whole title: a pool has blocks of its own"),
    ("title_lost", "db2_*", "counter", "labels are not declared: what is left, or its unit, may be the whole label"),
    *(
        (kind, "db2_*", "*", "titles of blocks are not all declared: another may be one of them")
        for kind in ("title_changed", "blank_lost_in_heading")
    ),
    ("lines_lost", "rmf_cpu_activity", "*", _FIRST_ROW),
    ("lines_lost", "rmf_cache_*", "*", "pages that go on do not name their subsystem again"),
    ("lines_of_another_page_inside", "cics_*", "*", "its labels are those of this page's section too"),
    ("point_to_blank", "rmf_device", "*_ms", "a time of 100 ms and more has no point; on whole pages, times that do not add up are marked"),
    ("label_lost", "jmh_result", "parameters", "the rest of the text may be all of it"),
    *(
        (kind, "rmf_workload_activity", "description", "a text below the header of a class is its description")
        for kind in ("line_cut", "key_and_name_lost", "word_of_the_top_lost")
    ),
    *(
        (kind, "rmf_workload_activity", "*", "a number behind a label that has none is its")
        for kind in ("cell_below_another_title", "cell_moved")
    ),
    ("*line*", "cics_*", "collected_at", _ONE_LINE),
    ("two_pages_mixed", "cics_*", "*", _ONE_LINE),
    *(
        (kind, "rmf_workload_*", "class_kind", "no rule says what the page is of, and the header of a workload ends with its name")
        for kind in ("line_cut", "key_and_name_lost")
    ),
    ("line*_lost", "rmf_cf_structure_summary", "structure_type", _FIRST_ROW),
    ("lines_swapped", "rmf_xcf_path", "peer_system", "either line may be there"),
    ("suffix_added", "jmh_result", "parameters", "a text may have any letter"),
    ("lines_swapped", "db2_*", "*", "labels are not declared: either line may be below the other"),
    ("cell_blanked", "*", "*", "the rest of the text may be all of it"),
    (
        "all_lines_cut",
        "rmf_cf_storage_class_memory",
        "write_bytes",
        "only its K, M and G are right of the titles, and other sizes have none",
    ),
    ("cell_below_another_title", "rmf_channel_path", "bus_busy_pct", "channel paths of some types have no bus"),
    ("cell_below_another_title", "rmf_channel_path*", "generation", "channels of some types have no generation"),
    ("lines_lost", "rmf_cf_structure_summary", "*_current", "the line CUR may be that of the structure above"),
    ("cell_below_another_title", "rmf_resource_group", "msu", "a group may print no MSU, and another no minimum"),
    ("name_truncated", "rmf_workload_activity", "importance", "HIGHEST and LOWEST may be HIGH and LOW"),
    ("label_lost", "rmf_cf_structure_summary", "duplex_*", "one letter, whose absence means another way of duplexing"),
)  # fmt: skip
_PARTS_LOST = ("line_cut", "name_truncated", "title_changed", "all_lines_cut", "all_lines_wrapped")
_WORDS_LOST = ("title_lost", "label_lost", "word_of_the_top_lost", "cell_lost", "key_and_name_lost")
_LETTERS = ("digit_to_letter", "digit_read_as_a_letter_alike", "title_changed")
_MOVED = ("cell_below_another_title", "cell_moved", "rows_moved_behind_a_column")


def _why(kind: str, table: str, column: str, stored: Any, printed: Any, is_seen: bool) -> str:
    for of_kind, of_table, of_column, why in _UNTELLABLE:
        if fnmatch(kind, of_kind) and fnmatch(table, of_table) and fnmatch(column.removesuffix(_RESOLUTION), of_column):
            return why
    may_be_whole = kind in _PARTS_LOST or (kind in _WORDS_LOST and isinstance(stored, str))
    if may_be_whole and printed is not None and column != "release" and _is_part(stored, printed):
        return "what is left may be the whole name or number"
    if kind in _LETTERS and isinstance(stored, str) and isinstance(printed, str) and len(stored) == len(printed):
        return "a text may have any letter"
    if column == "*":
        return ""
    columns = {c.name: c for c in stored_tables()[table].all_columns}
    declared = columns.get(column.removesuffix(_RESOLUTION)) or columns[column]
    is_whole = not (isinstance(printed, float) and printed % 1) or declared.type.reader == "clock"
    if kind == "comma_for_point" and declared.decimals_vary:
        return "the comma may part thousands: the column prints more and fewer decimals"
    if kind == "last_digit_lost" and is_whole:
        return "the number may be the shorter one: too few others of its column show where it ended"
    if kind == "last_digit_lost" and declared.decimals is None:
        return "pages print the column with more decimals or fewer, and its other numbers are too few to tell"
    # 11.2K.
    is_rounded = isinstance(stored, float | int) and abs(stored) >= 1000 and stored % 10 == 0
    if kind in (*_LETTERS, "suffix_added") and declared.may_have_suffix and is_rounded:
        return "the column prints numbers with such a letter"
    if kind in _MOVED and is_seen:
        return "rows with values in just these columns are printed"
    return ""


def _is_part(stored: Any, printed: Any) -> bool:
    return str(stored) != "" and str(stored).removesuffix(".0") in str(printed)


Pairs = Sequence[tuple[str, str]]


def _differences(
    table: str, row: Row, number: int, expected: Sequence[tuple[Row, int]], printed: Pairs, changed: Pairs
) -> dict[str, tuple[Any, Any]]:
    """(stored, printed) by column, against the row of the whole page that is most like it among those of its key; NULL in a key is any."""
    if not expected:
        return {"*": ("a row", None)}
    key = {c: row.values[c] for c in _key(table) if row.values[c] is not None}
    of_key = [e for e in expected if all(e[0].values[c] == v for c, v in key.items())]
    candidates = of_key or [e for e in expected if e[1] == number] or expected
    tried = (
        (_unlike(row, whole, printed, changed), line != number, abs(line - number), k)
        for k, (whole, line) in enumerate(candidates)
    )
    return min(tried, key=lambda one: (len(one[0]), *one[1:]))[0]


def _unlike(row: Row, whole: Row, printed: Pairs, changed: Pairs) -> dict[str, tuple[Any, Any]]:
    """(stored, printed) of the columns that differ where the damaged page does not print the stored value."""
    found = {c: (v, whole.values[c]) for c, v in row.values.items() if v is not None and not _same(v, whole.values[c])}
    kept = {c: (new, old) for c, (new, old) in found.items() if not _is_printed(old, new, printed, changed)}
    gone = found.keys() - kept.keys()
    # The unit of the last digit follows the number, and the length of an interval its ends.
    moved = any(isinstance(found[c][0], dt.datetime) for c in gone)

    def follows(column: str) -> bool:
        if column.startswith("interval"):
            return moved
        value = row.values.get(base := column.removesuffix(_RESOLUTION))
        unchanged = base != column and base not in found and any(reads_as(value, value, *one) for one in printed)
        return base in gone or unchanged

    return {c: pair for c, pair in kept.items() if not follows(c)}


def _same(new: Any, old: Any) -> bool:
    """Whether they are the same but for the last bit: 2.728 s may be printed as 2728 ms."""
    return new == old or (isinstance(new, float) and isinstance(old, float) and abs(new - old) <= 1e-12 * abs(old))


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _is_printed(old: Any, new: Any, printed: Pairs, changed: Pairs) -> bool:
    """Whether the damage changed what is printed so that a person reads the new value."""
    if any(reads_as(old, new, *one) for one in printed):
        return True
    if not isinstance(new, str):
        return False
    text = _squeezed(new)
    # A text without, or with other, blanks is the same.
    if isinstance(old, str) and len(text) > 3 and text.replace(" ", "") == old.replace(" ", ""):
        return True
    return bool(text) and any(text in after and text not in before for before, after in changed)


def reads_as(old: Any, new: Any, before: str, after: str) -> bool:
    """Whether a value became another one as its printed form did."""
    if isinstance(old, str) or isinstance(new, str):
        if old is None:
            return bool(after) and after in str(new)
        places = [k for k in range(len(str(old))) if str(old).startswith(before, k)]
        once = (str(old)[:k] + after + str(old)[k + len(before) :] for k in places)
        return any(_squeezed(text) == _squeezed(str(new)) for text in (str(old).replace(before, after), *once))
    if isinstance(old, dt.datetime) and isinstance(new, dt.datetime):
        changed = [n for o, n in zip(_parts(old), _parts(new), strict=True) if o != n]
        if _numbers(before) and all(n in _numbers(after) or n % 100 in _numbers(after) for n in changed):
            return True
        # The end of an interval follows its length.
        moved = (new - old).total_seconds()
        return any(abs(b - a - moved) < 1e-3 for a in _seconds(before) for b in _seconds(after))
    if isinstance(old, int | float) and isinstance(new, int | float) and not isinstance(old, bool):
        return _follows(old, new, before, after)
    return False


# Printed and stored units: seconds and milliseconds, percentages and shares, bytes and K, M, G.
_UNITS = (1, 1e-3, 1e-6, 1e-2, 1e3, 1e6, 1e9, 1024, 1024**2, 1024**3)


def _follows(old: float, new: float, before: str, after: str) -> bool:
    """Whether a number became another one as its printed form did, whatever its unit."""
    forms = [*zip(_with_suffix(before), _with_suffix(after), strict=False)]
    # Times add up their parts.
    forms += [(a, b) for a in _seconds(before) for b in _seconds(after)]
    return any(_is_near(old, was * unit) and _is_near(new, now * unit) for was, now in forms for unit in _UNITS)


def _is_near(value: float, wanted: float) -> bool:
    # A size is a whole number of bytes.
    return abs(value - wanted) <= max(1e-9 * max(abs(value), 1), 0.5 if abs(value) > 1024 and value % 1 == 0 else 0)


def _parts(moment: dt.datetime) -> tuple[int, ...]:
    return (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)


def _numbers(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", text)]


def _with_suffix(text: str) -> list[float]:
    """What a number may be whose K is 1000, and whose K is 1024; and with a comma for its point."""
    try:
        numbers = [
            float(text.rstrip("KMG%").replace(",", point)) for point in ("", ".") if point == "" or text.count(",") == 1
        ]
    except ValueError:
        return []
    power = "KMG".find(text[-1:]) + 1 if text[-1:] else 0
    return [number * thousand**power for number in numbers for thousand in (1000, 1024)]


def _seconds(text: str) -> list[float]:
    """What a time or a number may be: 4.06.826 is 246.826."""
    parts = re.split(r"[.:]", text.strip("KMG%-+").replace(",", ""))
    if not all(p.isdigit() for p in parts):
        return []
    out = []
    for whole in (parts, [*parts[:-2], ".".join(parts[-2:])]):
        total = 0.0
        for part in whole:
            total = total * 60 + float(part)
        out.append(total)
    return out


# --- Many damaged pages ------------------------------------------------------------------------------------------------


class Sweep:
    """Damaged pages of some pages, each with what it stores wrongly. `only`, `other`: patterns of the names of those that are damaged, and of
    those that are mixed with them."""

    def __init__(self, paths: Sequence[Path], kinds: Sequence[str] = (), only: str = "*", other: str = "*"):
        self._kinds = list(kinds or KINDS)
        self._all = {path: lines_of(path) for path in paths}
        self._unique = with_digits_that_differ(self._all)
        self._paths = [path for path in paths if fnmatch(path.stem, only)]
        self._others = [path for path in paths if fnmatch(path.stem, other)]
        self._wholes: dict[tuple[Path, bool], Reading] = {}
        for options, some in by_options(paths).items():
            for is_unique, pages in ((True, self._unique), (False, self._all)):
                readings = read([_text(pages[p]) for p in some], options)
                self._wholes |= {(p, is_unique): r for p, r in zip(some, readings, strict=True)}
        self._patterns = patterns(self._wholes.values())

    @property
    def with_other_digits(self) -> int:
        """The number of pages whose digits could be changed."""
        return sum(self._unique[path] != self._all[path] for path in self._all)

    def case(self, number: int, seed: int, *, unique: bool = True) -> Case | None:
        """The case of a seed; of no page if no page can be damaged so."""
        kind = self._kinds[number % len(self._kinds)]
        choice = Random(f"{seed} page")
        for _ in range(20):
            path = choice.choice(self._paths)
            if found := self.damage(kind, path, seed, unique=unique):
                return found
        return None

    def damage(self, kind: str, path: Path, seed: int, *, unique: bool = True) -> Case | None:
        """A page damaged; `unique`: with digits that differ, else as printed. None if it cannot be damaged so."""
        random = Random(f"{seed} other")
        of_options = [p for p in self._others if options_of(p) == options_of(path) and p != path]
        of_report = [
            p for p in of_options if p.stem.split("__")[0] == path.stem.split("__")[0] or p.parent == path.parent
        ]
        other = random.choice((of_report if random.random() < 0.6 and of_report else of_options) or [path])
        pages = self._unique if unique else self._all
        page = Page(pages[path], pages[other])
        damaged = KINDS[kind](page, Random(seed))
        if damaged is None or [line for _, line in damaged.lines] == page.lines:
            return None
        return Case(kind, path, other, seed, page, damaged)

    def run(self, count: int, seed: int) -> Iterator[tuple[Case, list[Fault]]]:
        """So many damaged pages with their faults."""
        cases = [case for n in range(count) if (case := self.case(n, seed + n))]
        for begin in range(0, len(cases), _AT_ONCE):
            yield from self.judged(cases[begin : begin + _AT_ONCE])

    def lines(self, path: Path) -> list[str]:
        """A page with digits that differ."""
        return self._unique[path]

    def unmarked(self, cases: Sequence[Case]) -> Iterator[tuple[Case, list[Fault]]]:
        """The cases, read at once, with their faults; no mark is asked for."""
        for case, after in self._read(cases):
            wholes = [self._wholes[path, True] for path in (case.path, case.other)]
            yield case, judge(case, after, wholes, self._patterns)

    def judged(self, cases: Sequence[Case]) -> Iterator[tuple[Case, list[Fault]]]:
        """The cases, read at once, with their faults."""
        found = {id(case): faults for case, faults in self.unmarked(cases)}
        # Changed digits break rules on any page: whether a rule marks the page is seen on the page as printed.
        wrong = [case for case in cases if any(not fault.told for fault in found[id(case)])]
        plain = {id(case): self.damage(case.kind, case.path, case.seed, unique=False) for case in wrong}
        marked = set()
        for case, after in self._read([case for case in plain.values() if case]):
            if after.marks - self._wholes[case.path, False].marks - self._wholes[case.other, False].marks:
                marked.add(id(case))
        for case in cases:
            faults = found[id(case)]
            if id(plain.get(id(case))) in marked:
                faults = [replace(fault, told=fault.told or "mark") for fault in faults]
            yield case, faults

    def _read(self, cases: Sequence[Case]) -> Iterator[tuple[Case, Reading]]:
        by: dict[Options, list[Case]] = {}
        for case in cases:
            by.setdefault(options_of(case.path), []).append(case)
        for options, some in by.items():
            yield from zip(some, read([case.damaged.text for case in some], options), strict=True)


def is_silent(fault: Fault) -> bool:
    """Whether nothing tells of a fault though it could be told."""
    return not fault.told and not fault.why


def describe(case: Case, fault: Fault) -> str:
    value = f"{fault.table}.{fault.column} is {fault.stored!r}, not {fault.printed!r}"
    return f"{case.kind} {case.path.stem} {case.seed}: {value}; {case.damaged.what}"


def as_json(case: Case, fault: Fault, times: int) -> dict[str, Any]:
    """A fault as a line of JSON; times: how many values of the column are wrong on the page."""
    return {
        "page": case.path.stem,
        "kind": case.kind,
        "seed": case.seed,
        "table": fault.table,
        "column": fault.column,
        "stored": plain(fault.stored),
        "printed": plain(fault.printed),
        "filled": fault.filled,
        "told": fault.told,
        "why": fault.why,
        "times": times,
        "line": fault.line,
        "damage": case.damaged.what,
        "other": case.other.stem if any(n > SECOND for n, _ in case.damaged.lines) else "",
        "key": {k: plain(v) for k, v in fault.key.items() if v is not None},
    }
