"""Many variants of a page, each read as a source of its own, and what each gives that the whole page does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, groupby
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import pyarrow as pa
import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from sample_pages import SAMPLES, as_frame, options_of, parse_each, samples_together

# Damage makes alike what whole pages tell apart by fewer columns: labels and titles of counters are texts of the page.
APART_ON_DAMAGED_PAGES = {
    "db2_statistics_counter": ("block", "object", "counter"),
    "db2_accounting_counter": ("block", "object", "counter"),
}
BOOKKEEPING = ("parse_reject", "cell_null", "unknown_report", "unread_section")
# scope is gathered from the systems that a page names: half a page names fewer.
NOT_COMPARED = ("source_id", "source_file", "scope", "line", "page")
Key = tuple[Any, ...]
T = TypeVar("T")


@dataclass
class Reading:
    """What a page gave: rows by table, line and what tells them apart; lines that a reject covers."""

    rows: dict[Key, dict[str, Any]] = field(default_factory=dict)
    rejects: list[dict[str, Any]] = field(default_factory=list)
    unknown: int = 0

    @property
    def rejected_lines(self) -> set[int]:
        return {r["line"] + k for r in self.rejects for k in range(r["lines"])}


@cache
def told_apart_by(name: str) -> tuple[str, ...]:
    """What tells rows of a table that begin on one line apart: the fewest columns of its key, the first of these, that do so on every
    sample. Two panels of one line differ by their system."""
    if name in APART_ON_DAMAGED_PAGES:
        return APART_ON_DAMAGED_PAGES[name]
    table = next(t for r in reports().values() for t in r.tables if t.name == name)
    frames = [as_frame(tables[name]) for _, tables in samples_together() if name in tables]
    for count in range(len(table.key) + 1):
        for columns in combinations(table.key, count):
            if not any(frame.select("source_id", "page", "line", *columns).is_duplicated().any() for frame in frames):
                return columns
    raise AssertionError(f"{name}: its key does not tell rows of one line apart")


def every(nth: int) -> pytest.MarkDecorator:
    """`nth` as given, in `make test`; 1, so that all are tried, in the form that is slow."""
    return pytest.mark.parametrize(
        "nth",
        [pytest.param(nth, id="some", marks=pytest.mark.sampled), pytest.param(1, id="all", marks=pytest.mark.slow)],
    )


def every_of(paths: Sequence[Path], pages: int, nth: int = 1) -> pytest.MarkDecorator:
    """Every `pages`th page of each report, with `nth` as given, in `make test`; all of all pages in the form that is slow."""
    some = pytest.param(of_each_report(paths, pages), nth, id="some", marks=pytest.mark.sampled)
    return pytest.mark.parametrize(("paths", "nth"), [some, *all_of(paths, 1)])


def all_of(paths: Sequence[Path], *more: int) -> list[Any]:
    """The slow cases of these pages, with `more` parameters: published pages are a case of their own."""
    samples = [path for path in paths if path.is_relative_to(SAMPLES)]
    published = [path for path in paths if path not in samples]
    cases = {"all": samples, "published": published}
    return [pytest.param(of, *more, id=name, marks=pytest.mark.slow) for name, of in cases.items() if of]


def of_each_report(paths: Sequence[Path], pages: int) -> list[Path]:
    """The first page of each folder, and every `pages`th after it. Published pages lie together, each report's next to each other."""
    return [path for _, of_one in groupby(paths, lambda path: path.parent) for path in list(of_one)[::pages]]


def turns(items: Sequence[T], nth: int, name: str) -> Sequence[T]:
    """Every nth item. Where it begins depends on the name of the page: each place in a page has its turn on some pages."""
    return items[crc32(name.encode()) % min(nth, max(len(items), 1)) :: nth]


# So many texts are read at once: one page alone takes nearly as long as a hundred.
_AT_ONCE = 400


def read_variants(texts: Sequence[str], options: Options) -> list[Reading]:
    """Every text as a source of its own, read in batches."""
    out: list[Reading] = []
    for begin in range(0, len(texts), _AT_ONCE):
        some = texts[begin : begin + _AT_ONCE]
        readings = [Reading() for _ in some]
        for name, table in parse_each(some, options).tables.items():
            _sort_in(name, table, readings)
        out += readings
    return out


Case = TypeVar("Case")


def with_variants(
    cases: Iterable[tuple[Path, Sequence[Case]]],
    text_of: Callable[[Case], str],
    as_read: Callable[[Path], str] = Path.read_text,
) -> Iterator[tuple[Path, Reading, list[tuple[Case, Reading]]]]:
    """Each page with what it gives whole, and its cases with what the text of each gives; pages of the same options are read together."""
    waiting: list[tuple[Path, Sequence[Case]]] = []
    many = 0
    for path, of_page in (*cases, (None, ())):
        if waiting and (path is None or many > _AT_ONCE or options_of(path) != options_of(waiting[0][0])):
            texts = [text for page, some in waiting for text in (as_read(page), *map(text_of, some))]
            readings = iter(read_variants(texts, options_of(waiting[0][0])))
            for page, some in waiting:
                yield page, next(readings), [(case, next(readings)) for case in some]
            waiting, many = [], 0
        if path is not None:
            waiting.append((path, of_page))
            many += 1 + len(of_page)


def _sort_in(name: str, table: pa.Table, readings: list[Reading]) -> None:
    frame = as_frame(table)
    given = frame if name in BOOKKEEPING else frame.drop(NOT_COMPARED, strict=False)
    # Nearly all rows of the variants of a page are the same: each is made once.
    digests = given.hash_rows()
    firsts = digests.arg_unique()
    made = dict(zip(digests[firsts], given[firsts].iter_rows(named=True), strict=True))
    apart = [] if name in BOOKKEEPING else [frame[column] for column in told_apart_by(name)]
    for source, digest, line, *rest in zip(frame["source_id"], digests, frame["line"], *apart, strict=True):
        reading, row = readings[int(source)], made[digest]
        if name == "unknown_report":
            reading.unknown += 1
        elif name == "parse_reject":
            reading.rejects.append(row)
        elif name not in BOOKKEEPING:
            key = (name, line, *rest)
            if name == "db2_statistics_counter" and key in reading.rows:
                key = (*key, "second of the line")
            assert key not in reading.rows, f"two rows for {key}"
            reading.rows[key] = row


@cache
def whole(path: Path) -> Reading:
    (reading,) = read_variants([path.read_text()], options_of(path))
    return reading


def same_line(line: int) -> int:
    return line


@dataclass
class Difference:
    """changed: values that are others than on the whole page; lost: values that became NULL; by row and column."""

    changed: dict[tuple[Key, str], tuple[Any, Any]]
    lost: set[tuple[Key, str]]
    missing: set[Key]
    extra: set[Key]


def difference(before: Reading, after: Reading, moved: Callable[[int], int] = same_line) -> Difference:
    """`moved` says which line of the variant a line of the whole page became."""
    expected = {(key[0], moved(key[1]), *key[2:]): row for key, row in before.rows.items()}
    found = Difference({}, set(), expected.keys() - after.rows.keys(), after.rows.keys() - expected.keys())
    for key in expected.keys() & after.rows.keys():
        whole_row, row = expected[key], after.rows[key]
        if whole_row is row or whole_row == row:
            continue
        for column, value in row.items():
            old = whole_row[column]
            if value is None and old is not None:
                found.lost.add((key, column))
            elif value != old:
                found.changed[key, column] = (old, value)
    return found


def wrong_values(before: Reading, after: Reading, moved: Callable[[int], int] = same_line) -> list[str]:
    """Values and rows that the whole page does not have and that no reject excuses."""
    found = difference(before, after, moved)
    wrong = [f"{k}: {c} is {new!r}, not {old!r}" for (k, c), (old, new) in found.changed.items()]
    return wrong + [f"{k}: a row that the page does not have" for k in found.extra]


def line_ends(text: str) -> list[int]:
    """Every line end, with the line end and without it."""
    ends = [m.end() for m in re.finditer("\n", text)][:-1]
    return sorted({*ends, *(end - 1 for end in ends)})
