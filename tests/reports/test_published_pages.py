"""Published pages, read from beside the project where they are there: values as printed, also where a page stands elsewhere on the
paper, is damaged, or comes from another system.

The pages are not part of the project. Beside this file, published/ has what each must give, read off it by eye: how many rows and
rejects, and options of reading; then all of a row (`row`, of a page of which every value is there), or values as those of a sample.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import NOT_PRINTED, SHARED, Tables, assert_as_read_by_eye, plain, read_by_eye, read_each, row_lines

FILES = sorted((Path(__file__).parent / "published").glob("*.jsonl"))
PATHS = [path for file in FILES for path in SHARED.glob(f"real_reports*/{file.stem}.txt")]
pytestmark = pytest.mark.skipif(len(PATHS) < len(FILES), reason=f"the published pages are not in ../{SHARED.name}")
EVERY = pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)

VELOCITY, DDF = "rmf_workload_activity__v1r13_velocity_distributions_p49", "db2_statistics__db2pm_global_ddf_minute"
# What follows from other columns, or from where a row stands.
DERIVED = {*NOT_PRINTED, "page", "line", "interval_end", "scope", "source_form"}
TITLE = re.compile(r"([A-Z/] ){6}")


@cache
def must_give(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Counts, and what rows have."""
    file = next(file for file in FILES if file.stem == path.stem)
    first, *lines = file.read_text().splitlines()
    return json.loads(first), read_by_eye(lines)


def options_of(path: Path) -> Options:
    return Options(**must_give(path)[0].get("options", {}))


# Pages of which all values are known.
WHOLE = pytest.mark.parametrize(
    "path", [p for p in PATHS if any("row" in row for row in must_give(p)[1])], ids=lambda p: p.stem
)


@cache
def tables_of(path: Path) -> Tables:
    return read_text(path.read_bytes(), options=options_of(path), name=path.name)


def path_of(stem: str) -> Path:
    return next(path for path in PATHS if path.stem == stem)


def printed(tables: Tables, table: str) -> list[dict[str, Any]]:
    """The rows of a table, each with all that is not NULL and is printed; resolutions follow from the K of a number."""
    rows = tables[table].iter_rows(named=True) if table in tables else ()
    return [
        {k: plain(v) for k, v in row.items() if v is not None and k not in DERIVED and not k.endswith("_resolution")}
        for row in rows
    ]


def test_every_published_page_of_workload_activity_is_known_here() -> None:
    of_workload = {path.stem for path in SHARED.glob("real_reports/rmf_workload_activity__*.txt")}
    assert of_workload <= {file.stem for file in FILES}
    known = [row for path in PATHS for row in must_give(path)[1]]
    values = sum(len(row.get("values", row.get("row", ()))) + sum(map(len, row.get("rows", ()))) for row in known)
    assert values >= 3000


@EVERY
def test_values_as_printed(path: Path) -> None:
    counts, rows = must_give(path)
    tables = tables_of(path)
    filled = {n: frame.height for n, frame in tables.items() if n not in ("cell_null", "parse_reject") and frame.height}
    assert filled == counts["rows"]
    assert tables["parse_reject"].height == counts.get("rejects", 0), tables["parse_reject"]["what"].to_list()
    for row in rows:
        if "row" not in row:
            assert_as_read_by_eye(tables, row)
    for table in {row["table"] for row in rows if "row" in row}:
        whole = [row["row"] for row in rows if row["table"] == table]
        assert _ordered(printed(tables, table)) == _ordered(whole)


def _ordered(rows: list[dict[str, Any]]) -> list[list[tuple[str, Any]]]:
    return sorted((sorted(row.items()) for row in rows), key=str)


def test_moved_cells_of_the_edited_page_are_rejects() -> None:
    """Each cell right of 1770K, of 2140K and of the line below, and what stands below the lost title PAGE-IN RATES."""
    rejects = tables_of(path_of(VELOCITY))["parse_reject"].select("line", "what").rows()
    into = "a value extends into column "
    groups = ("SERVICE TIME", "APPL %", "PROMOTED", "STORAGE")
    assert rejects == [
        *((line, into + group) for line in (5, 8) for group in groups),
        *((9, into + group) for group in ("SERVICE TIME", "APPL %", "STORAGE")),
        (10, "unknown label under STORAGE"),
        (11, into + "STORAGE"),
        (12, "unknown label under STORAGE"),
    ]


def test_why_a_minute_has_no_value_is_kept() -> None:
    """N/P four times or N/P, N/A twice or thrice: 7 rows of 4 columns."""
    nulls = tables_of(path_of(DDF))["cell_null"].select("line", "column", "reason").rows()
    of_minute = {line: reason for line, column, reason in nulls if column == "per_minute"}
    assert of_minute == {3: "N/P", 4: "N/P", 5: "N/A", 6: "N/A", 7: "N/A", 8: "N/P", 9: "N/P"}
    assert not [column for _, column, _ in nulls if column == "per_second"]
    assert len(nulls) == 28


# --- The same pages as sites deliver them ---------------------------------------------------------------------------


def without_control(text: str) -> str:
    """The page as lines without carriage control (one published page keeps it)."""
    lines = text.splitlines()
    if lines[0].startswith("1"):
        lines = [line[1:] for line in lines]
    return "\n".join(lines) + "\n"


def with_margin(text: str, columns: int) -> str:
    return "".join(" " * columns + line + "\n" for line in without_control(text).splitlines())


def without_margin(text: str) -> str:
    """Every line moved left by the blanks that all lines share."""
    lines = without_control(text).splitlines()
    shared = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "".join(line[shared:] + "\n" for line in lines)


def with_carriage_control(text: str) -> str:
    """1 on titles, 0 or - on every fifth and seventh line, blank elsewhere."""
    out = []
    for k, line in enumerate(without_control(text).splitlines()):
        spacing = "-" if k % 7 == 3 else "0" if k % 5 == 2 else " "
        out.append(("1" if TITLE.search(line) else spacing) + line)
    return "\n".join(out) + "\n"


@EVERY
def test_where_and_how_a_page_is_printed_changes_no_value(path: Path) -> None:
    text = path.read_text()
    same = [without_control(text), without_margin(text), *(with_margin(text, columns) for columns in (1, 2, 3, 4, 5))]
    if TITLE.search(text):
        same.append(with_carriage_control(text))
    expected, *found = [_values(tables) for tables in read_each(same, options_of(path))]
    for number, values in enumerate(found):
        assert values == expected, number
    ends = [path.read_bytes().replace(b"\n", end) for end in (b"\n", b"\r\n", b"\n\n")]
    as_it_is, *other = read_each(ends, options_of(path))
    for tables in other:
        assert _without_lines(_values(tables)) == _without_lines(_values(as_it_is))


def _values(tables: Tables) -> list[str]:
    """All rows of all tables; cells that an edited page moved are rejects in other columns."""
    return [row for row in row_lines(tables) if '"parse_reject"' not in row]


def _without_lines(rows: list[str]) -> list[str]:
    """Rows without the numbers of their lines, which blank lines move."""
    return sorted(re.sub(r'"(row_)?line": \d+', "", row) for row in rows)


@WHOLE
def test_two_pages_with_carriage_control_are_two(path: Path) -> None:
    """Enough control characters to be seen as such."""
    lines = without_control(path.read_text()).splitlines()
    page = "".join(("1" if k == 0 else " ") + line + "\n" for k, line in enumerate(lines))
    once, twice = read_each([without_control(path.read_text()), page + page])
    for table in must_give(path)[0]["rows"]:
        assert twice[table].height == 2 * once[table].height
        places = ["page", "line", "source_id"]
        assert twice[table].filter(page=1).drop(places).equals(once[table].filter(page=1).drop(places))


@pytest.mark.parametrize(
    "path", [p for p in PATHS if "unknown_report" not in must_give(p)[0]["rows"]], ids=lambda p: p.stem
)
def test_junk_between_lines_changes_no_value(path: Path) -> None:
    """A junk line after every section rule, title and block: rejects, and not one value else."""
    out: list[str] = []
    for line in without_control(path.read_text()).splitlines():
        out.append(line)
        if re.search(r"^ *-{20,} ?[A-Z]|MODE = GOAL|^ *(EXCTD|EXECUTD|TRX SERV|/SEC|\*ALL|ACTUALS|SYSTEMS)", line):
            out.append("  ?!? NOT A LINE OF THIS REPORT ?!?")
    junk = sum("?!?" in line for line in out)
    whole, got = read_each([without_control(path.read_text()), "\n".join(out) + "\n"], options_of(path))
    assert junk >= 1 or "W O R K L O A D" not in path.read_text()
    assert got["parse_reject"]["lines"].sum() == junk + whole["parse_reject"]["lines"].sum()
    assert _without_lines(_values(got)) == _without_lines(_values(whole))


@WHOLE
def test_a_lost_line_gives_no_other_number(path: Path) -> None:
    """Without any one of its lines, a page gives rows that the whole page has, or rows with less in them."""
    lines = path.read_text().splitlines()
    tables = {row["table"] for row in must_give(path)[1]}
    lost = [k for k, line in enumerate(lines) if line.strip()]
    pages = read_each("\n".join([*lines[:k], *lines[k + 1 :]]) + "\n" for k in lost)
    for k, found in zip(lost, pages, strict=True):
        for table in tables:
            whole = printed(tables_of(path), table)
            for row in printed(found, table):
                assert any(row.items() <= other.items() for other in whole), (k, lines[k], row)
