"""Compare what two checkouts of Ironlake make of the same files: every row of every table and view, and every number of every page.

Each checkout reads the files with its own code and its own Python (.venv/bin/python). Every folder of reports becomes a lake of its
own: files are ingested, YAML files that begin with `study:` are added as studies, and each of these makes a page. The pages of
`ironlake demo` are compared too. Both checkouts are given one reader version, so that the ids of sources are the same.

    python tests/support/compare_checkouts.py BEFORE AFTER [FOLDER...] [--skip COLUMN]... [--keep DIR]

Without a FOLDER the sample reports of AFTER are read. Exit code 1 on any difference.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import gzip
import importlib
import importlib.metadata
import io
import json
import math
import re
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

RELATIVE = 1e-12
# When a row was written is never the same.
ALWAYS_SKIPPED = ("committed_at",)
NO_REPORTS = {".yaml", ".yml", ".jsonl", ".md", ".py", ".pyc", ".parquet"}
_READER_VERSION_IS_IN = (
    "ironlake.pipeline.declaration.reading_options",
    "ironlake.pipeline.declaration.options",
    "ironlake.declaration.options",
    "ironlake.pipeline.declaration.report.options",
)
_MOST_SHOWN = 5
_LONGEST = 400

Row = dict[str, Any]


# --- In a checkout: everything that it makes of the folders ----------------------------------------------------------


def dump(out: Path, folders: Sequence[Path]) -> None:
    """Write to `out` a folder of Parquet files and pages for each folder of reports, and one for the demonstration."""
    read_as_one_version()
    for number, folder in enumerate(folders, 1):
        dump_folder(folder, out / f"{number}_{folder.name}")
    run("demo", "--out", str(out / "demo"))


def dump_folder(folder: Path, out: Path) -> None:
    out.mkdir(parents=True)
    lake = out / "lake"
    files = sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    run("ingest", *(str(p) for p in files if p.suffix not in NO_REPORTS), "--lake", str(lake), may_fail=True)
    studies = [p for p in files if p.suffix in (".yaml", ".yml") and re.search(r"^study:", p.read_text("utf-8"), re.M)]
    for study in studies:
        run("study", "add", str(study), "--lake", str(lake), may_fail=True)
        page = out / f"{study.relative_to(folder).with_suffix('').as_posix().replace('/', '_')}.html"
        run("compare", str(study), "--lake", str(lake), "--out", str(page), may_fail=True)
    dump_tables(lake, out)


def dump_tables(lake: Path, out: Path) -> None:
    """Write all rows of every table and view of a lake."""
    import pyarrow.parquet as pq
    from ironlake.pipeline import open_lake

    with open_lake(lake) as opened:
        for name in (*opened.tables, *opened.views):
            pq.write_table(opened.sql(f'SELECT * FROM "{name}"').arrow(), out / f"{name}.parquet")


def read_as_one_version() -> None:
    """Set the reader version before anything reads it."""
    for name in _READER_VERSION_IS_IN:
        with contextlib.suppress(ModuleNotFoundError):
            module = importlib.import_module(name)
            assert isinstance(module.READER_VERSION, str)
            vars(module)["READER_VERSION"] = "compared"
            return
    sys.exit("compare_checkouts: READER_VERSION has moved; say where in _READER_VERSION_IS_IN")


def run(*arguments: str, may_fail: bool = False) -> None:
    """One command of Ironlake, within this process."""
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="ironlake")
    # Not `program`, which ends the process.
    main = importlib.import_module(script.module).main
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    sys.argv = ["ironlake", *arguments]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = main()
        except SystemExit as end:
            code = end.code
    said.flush()
    text = said.buffer.getvalue().decode() if isinstance(said.buffer, io.BytesIO) else ""
    if code and not may_fail:
        sys.exit(f"ironlake {' '.join(arguments)}: exit code {code}\n{text}")
    if code:
        print(f"ironlake {arguments[0]} … {arguments[-1]}: exit code {code}: {text[-300:]}", file=sys.stderr)


# --- Rows ------------------------------------------------------------------------------------------------------------


def table_differences(before: Path, after: Path, skipped: set[str], unordered: set[str]) -> Iterator[str]:
    """Lines that say how the rows of two Parquet files differ."""
    import pyarrow.parquet as pq

    old, new = pq.read_table(before), pq.read_table(after)
    lost, added = (
        [c for c in one.column_names if c not in {*other.column_names, *skipped}]
        for one, other in ((old, new), (new, old))
    )
    if lost or added:
        yield f"columns only before: {lost}, only after: {added}"
    common = [c for c in old.column_names if c in new.column_names and c not in skipped]
    for name in common:
        if old.schema.field(name).type != new.schema.field(name).type:
            yield f"type of {name}: {old.schema.field(name).type} before, {new.schema.field(name).type} after"
    rows = [normal(table.select(common).to_pylist(), skipped, unordered) for table in (old, new)]
    gone, come = unmatched(*rows)
    if gone or come:
        yield f"{old.num_rows} rows before, {new.num_rows} after; {len(gone)} only before, {len(come)} only after"
        yield from described(gone, come)


def normal(value: Any, skipped: set[str], unordered: set[str]) -> Any:
    """A value without the skipped names, however deep they stand, and with the lists under the unordered names sorted."""
    if isinstance(value, dict):
        kept = {k: normal(v, skipped, unordered) for k, v in value.items() if k not in skipped}
        return {k: sorted(v, key=repr) if k in unordered and isinstance(v, list) else v for k, v in kept.items()}
    return [normal(v, skipped, unordered) for v in value] if isinstance(value, list) else value


def unmatched(before: Sequence[Row], after: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows of each side that the other has not, whatever their order; floats may differ by RELATIVE."""
    exact = [Counter(map(repr, rows)) for rows in (before, after)]
    left = [pick(rows, own - other) for rows, own, other in ((before, *exact), (after, *exact[::-1]))]
    waiting: dict[str, list[Row]] = defaultdict(list)
    for row in left[1]:
        waiting[without_floats(row)].append(row)
    gone = []
    for row in left[0]:
        candidates = waiting[without_floats(row)]
        match = next((n for n, other in enumerate(candidates) if is_close(row, other)), None)
        if match is None:
            gone.append(row)
        else:
            del candidates[match]
    return gone, [row for rows in waiting.values() for row in rows]


def pick(rows: Iterable[Row], wanted: Counter[str]) -> list[Row]:
    """Of rows as many as are wanted of each."""
    found = []
    for row in rows:
        if wanted[key := repr(row)] > 0:
            wanted[key] -= 1
            found.append(row)
    return found


def without_floats(value: Any) -> str:
    """A text that is the same for values which differ in floats alone; of each whether it is a number stays."""
    if isinstance(value, float):
        return "float"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {without_floats(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(map(without_floats, value)) + "]" if isinstance(value, list) else repr(value)


def is_close(one: Any, other: Any) -> bool:
    """Whether two values are the same but for the last digits of floats."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=RELATIVE) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_close(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_close, one, other))
    return one == other


def described(gone: Sequence[Row], come: Sequence[Row]) -> Iterator[str]:
    """A few of the rows that differ: each beside the row of the other side that it shares most with."""
    for row in gone[:_MOST_SHOWN]:
        near = max(come, key=lambda other: sum(is_close(row[k], other[k]) for k in row), default=None)
        if near is None:
            yield f"  only before: {row}"
        else:
            other = {k: (row[k], near[k]) for k in row if not is_close(row[k], near[k])}
            yield f"  before, after: {other} in {dict(list(row.items())[:6])}"
    if not gone:
        yield from (f"  only after: {row}" for row in come[:_MOST_SHOWN])


# --- Pages -----------------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")
# The id of a source; of a study it hangs on the folder of the checkout.
_ID = re.compile(r"\b[0-9a-f]{16}\b")


class Words(HTMLParser):
    """The text of a page, and the pictures that are packed into it."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.packed = ""
        self._within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style"):
            self._within = dict(attrs).get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "pictures":
            self.packed += data
        elif not self._within:
            self.text.append(data)


def numbers_of(page: Path) -> Counter[str]:
    """Every number of a page, as written in its text, and to 12 digits in its pictures."""
    words = Words()
    words.feed(page.read_text("utf-8"))
    found = Counter(f"text {n}" for text in words.text for n in _NUMBER.findall(_ID.sub("", text)))
    if words.packed.strip():
        pictures = gzip.decompress(base64.b64decode(words.packed)).decode()
        for picture in json.loads(pictures or "[]"):
            found.update(f"picture {n:.12g}" for n in numbers_in(picture.get("data")))
    return found


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        # plotly packs arrays of numbers.
        if set(value) >= {"dtype", "bdata"}:
            import numpy as np

            yield from map(float, np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"]))
        else:
            yield from (n for held in value.values() for n in numbers_in(held))
    elif isinstance(value, list):
        yield from (n for held in value for n in numbers_in(held))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def page_differences(before: Path, after: Path, *_: set[str]) -> Iterator[str]:
    """Lines that say which numbers two pages do not share."""
    old, new = numbers_of(before), numbers_of(after)
    for side, found in (("before", old - new), ("after", new - old)):
        if found:
            shown = ", ".join(f"{n} ({count})" if count > 1 else n for n, count in sorted(found.items())[:40])
            yield f"{found.total()} of {(old if side == 'before' else new).total()} numbers only {side}: {shown}"


# --- Both ------------------------------------------------------------------------------------------------------------

_KINDS: dict[str, Callable[[Path, Path, set[str], set[str]], Iterator[str]]] = {
    ".parquet": table_differences,
    ".html": page_differences,
}


def differences(before: Path, after: Path, skipped: set[str], unordered: set[str]) -> tuple[list[str], int]:
    """What differs between two dumps, and how many tables and pages were compared."""
    names = [
        {p.relative_to(root) for p in root.rglob("*") if p.suffix in _KINDS and "lake" not in p.relative_to(root).parts}
        for root in (before, after)
    ]
    told = [f"{name}: only before" for name in sorted(names[0] - names[1])]
    told += [f"{name}: only after" for name in sorted(names[1] - names[0])]
    for name in sorted(names[0] & names[1]):
        found = _KINDS[name.suffix](before / name, after / name, skipped, unordered)
        told += [f"{name}: {textwrap.shorten(line, _LONGEST)}" for line in found]
    return told, len(names[0] & names[1])


def python_of(checkout: Path) -> Path:
    python = checkout.absolute() / ".venv" / "bin" / "python"
    if not python.exists():
        sys.exit(f"compare_checkouts: {python} is not there: run make in {checkout} first")
    return python


def compare(
    before: Path, after: Path, folders: Sequence[Path], skipped: set[str], unordered: set[str], work: Path
) -> int:
    for name, checkout in (("before", before), ("after", after)):
        out = work / name
        if out.exists():
            print(f"{name}: taken from {out}")
            continue
        out.mkdir(parents=True)
        command = [
            python_of(checkout),
            Path(__file__).absolute(),
            "--dump",
            out.absolute(),
            *map(Path.absolute, folders),
        ]
        subprocess.run(list(map(str, command)), check=True, cwd=work)
    told, compared = differences(work / "before", work / "after", skipped, unordered)
    print("\n".join([*told, f"{compared} tables, views and pages compared, {len(told)} differences"]))
    return int(bool(told) or not compared)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("before", type=Path, help="a checkout with its own .venv")
    parser.add_argument("after", type=Path, help="another")
    parser.add_argument(
        "folders", type=Path, nargs="*", help="folders of reports and studies; sample_reports of AFTER without"
    )
    parser.add_argument(
        "--unordered", action="append", default=[], metavar="COLUMN", help="a list of which the order is free"
    )
    parser.add_argument("--skip", action="append", default=[], metavar="COLUMN", help="a column, or a name within one")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep the dumps here; one that is there is not made again"
    )
    given = parser.parse_args()
    folders = given.folders or [given.after / "sample_reports"]
    skipped, unordered = {*ALWAYS_SKIPPED, *given.skip}, set(given.unordered)
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
        return compare(given.before, given.after, folders, skipped, unordered, given.keep)
    with tempfile.TemporaryDirectory() as work:
        return compare(given.before, given.after, folders, skipped, unordered, Path(work))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--dump"]:
        dump(Path(sys.argv[2]), [Path(folder) for folder in sys.argv[3:]])
    else:
        sys.exit(main())
